/* import_table.c - the files of tables; see import.h. */
#include "model/import.h"

#include "base/text.h"
#include "model/diagnostics.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1 << 30, CARRIED = 1 << 20 /* bytes of a file that goes into the text */, LINE = 900 };

static const char mark[] = "fingerprint ";

static int is_block(const struct syntax_statement *s, const char *file) {
    return s->kind == SYNTAX_TABLE && !s->name && strcmp(s->left->text, file) == 0;
}

/* The rows that the text has of a file; NULL: none. */
static const struct syntax_statement *block_of(const struct keel_model *m, const char *file) {
    const struct syntax_statement *s = m->file->statements;
    while (s && !is_block(s, file)) s = s->next;
    return s;
}

/* FNV-1a. */
static void fingerprint(const char *text, size_t length, char *out, size_t capacity) {
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * 1099511628211u;
    text_set(out, capacity, "%s%016llx of %zu bytes", mark, (unsigned long long)h, length);
}

/* Can it stand in the text line by line?  Letters that people see, no line too long. */
static int is_carried(const char *text, size_t length) {
    if (length > CARRIED || length == 0) return 0;
    int rows = 0;
    for (size_t at = 0, line = 0; at < length;) {
        uint32_t point;
        int bytes = text_character(text + at, length - at, &point);
        line = text[at] == '\n' ? 0 : line + (size_t)bytes;
        int plain = text[at] == '\n' || text[at] == '\r' || text[at] == '\t' || !text_is_control(point);
        if (bytes == 0 || !plain || line > LINE) return 0;
        rows |= text[at] > ' ';
        at += (size_t)bytes;
    }
    return rows;
}

static size_t put(char *out, size_t used, const char *text, size_t length) {
    if (out) memcpy(out + used, text, length);
    return used + length;
}

/* table "FILE": and its lines, each a string, without quotes of their own; empty ones are left out. */
static size_t write_block(const char *file, const char *text, size_t length, char *out) {
    char print[80];
    size_t used = put(out, 0, "\ntable \"", 8);
    used = put(out, used, file, strlen(file));
    used = put(out, used, "\":\n", 3);
    if (!is_carried(text, length)) {
        fingerprint(text, length, print, sizeof print);
        text = print;
        length = strlen(print);
    } else if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3, length -= 3;
    for (size_t at = 0, next; at < length; at = next + 1) {
        const char *newline = memchr(text + at, '\n', length - at);
        next = newline ? (size_t)(newline - text) : length;
        size_t stop = next > at && text[next - 1] == '\r' ? next - 1 : next;
        if (stop == at) continue;
        used = put(out, used, "    \"", 5);
        for (size_t i = at; i < stop; i++)
            if (text[i] != '"') used = put(out, used, text + i, 1);
        used = put(out, used, "\"\n", 2);
    }
    return used;
}

static int keep(struct keel_model *m, const char *file, char *text, size_t length) {
    struct elaborate_file *wider = realloc(m->file_read, ((size_t)m->files_read + 1) * sizeof *wider);
    size_t bytes = strlen(file) + 1;
    char *name = malloc(bytes);
    if (wider) m->file_read = wider;
    if (!wider || !name) {
        free(text);
        free(name);
        return diagnostics_memory(&m->messages);
    }
    memcpy(name, file, bytes);
    m->file_read[m->files_read++] = (struct elaborate_file){name, text, length};
    return 1;
}

static int is_read(const struct keel_model *m, const char *file) {
    int i = 0;
    while (i < m->files_read && strcmp(m->file_read[i].name, file) != 0) i++;
    return i < m->files_read;
}

/* Is the file the one that the text was made with? */
static int fits(struct keel_model *m, const struct syntax_statement *s, const struct syntax_statement *block,
                const char *text, size_t length) {
    char print[80];
    fingerprint(text, length, print, sizeof print);
    if (!block || strcmp(block->items->value->text, print) == 0) return 1;
    source_hint(
        source_diagnose(&m->messages, SOURCE_ERROR, s->left->span.offset, s->left->span.length,
                        "`%.100s` is not the file that this text was made with.", s->left->text),
        "Its fingerprint is another one.  Bring the old file back, or remove the block `table \"...\":`.");
    return 0;
}

/* Tables stand among the lines of the model, and among those of parts. */
static int read_tables(struct keel_model *m, const struct syntax_statement *s) {
    int any = 0;
    for (; s; s = s->next) {
        if (s->kind == SYNTAX_PART || s->kind == SYNTAX_LIBRARY) {
            int inner = read_tables(m, s->body);
            if (inner < 0) return inner;
            any |= inner;
        }
        if (s->kind != SYNTAX_TABLE || !s->name || is_read(m, s->left->text)) continue;
        const struct syntax_statement *block = block_of(m, s->left->text);
        if (block && (!block->items || strncmp(block->items->value->text, mark, sizeof mark - 1) != 0))
            continue;
        size_t length = 0;
        char *text = import_text(m, s->left, block ? "at hand (the text has its fingerprint alone)" : "read",
                                 LONGEST, &length);
        if (!text) return -1;
        if (!fits(m, s, block, text, length)) return free(text), -1;
        if (!keep(m, s->left->text, text, length)) return -1;
        if (block) continue;
        char *to = import_extend(m, write_block(s->left->text, text, length, NULL));
        if (!to) return -1;
        write_block(s->left->text, text, length, to);
        any = 1;
    }
    return any;
}

int import_tables(struct keel_model *m) {
    return read_tables(m, m->file->statements);
}

int import_carries(const struct keel_model *m) {
    for (int i = 0; i < m->files_read; i++)
        if (!is_carried(m->file_read[i].text, m->file_read[i].length)) return 0;
    return 1;
}
