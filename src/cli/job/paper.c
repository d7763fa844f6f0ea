/* paper.c - see paper.h. */
#include "cli/job/paper.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* The length of the stem, or 0: the ending is another one. */
static size_t stem(const char *name, const char *ending) {
    size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0 ? length - tail : 0;
}

const struct paper_file *paper_find(const char *name, const char *ending) {
    for (const struct paper_file *f = paper_table; f->name; f++) {
        size_t length = stem(f->name, ending);
        if (length == strlen(name) && strncmp(f->name, name, length) == 0) return f;
    }
    return NULL;
}

const struct paper_file *paper_model(const char *word) {
    size_t prefix = strlen(PAPER_PREFIX);
    return strncmp(word, PAPER_PREFIX, prefix) == 0 ? paper_find(word + prefix, ".keel") : NULL;
}

void paper_names(const char *ending, char *out, size_t capacity) {
    out[0] = '\0';
    for (const struct paper_file *f = paper_table; f->name; f++) {
        size_t length = stem(f->name, ending);
        if (length) text_add(out, capacity, "%s%.*s", out[0] ? "|" : "", (int)length, f->name);
    }
}

char *paper_text(const struct paper_file *file, size_t *length) {
    *length = 0;
    for (int i = 0; file->lines[i]; i++) *length += strlen(file->lines[i]);
    char *text = malloc(*length + 1), *at = text;
    if (!text) return NULL;
    for (int i = 0; file->lines[i]; i++) {
        size_t part = strlen(file->lines[i]);
        memcpy(at, file->lines[i], part);
        at += part;
    }
    *at = '\0';
    return text;
}
