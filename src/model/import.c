/* import.c - see import.h. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "model/import.h"

#include "lang/library.h"
#include "model/diagnostics.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *import_read(const char *path, size_t longest, size_t *length) {
    FILE *file = fopen(path, "rb");
    size_t room = 1 << 16, count = 0;
    char *text = file ? malloc(room) : NULL;
    while (text && !feof(file) && !ferror(file) && count <= longest) {
        if (count == room) {
            char *wider = realloc(text, room *= 2);
            if (!wider) free(text);
            text = wider;
        }
        if (text) count += fread(text + count, 1, room - count, file);
    }
    int error = file && ferror(file) ? errno : text || !file ? 0 : ENOMEM;
    if (file) fclose(file);
    if (error) free(text), text = NULL, errno = error;
    *length = text ? count : 0;
    return text;
}

static char *refuse(struct keel_model *m, const struct syntax_node *file, const char *done, const char *why) {
    source_hint(source_diagnose(&m->messages, SOURCE_ERROR, file->span.offset, file->span.length,
                                "`%.100s` is not %s: %.120s.", file->text, done, why),
                "Files of parts and tables lie in the folder of the model, or below it.");
    return NULL;
}

/* Below the folder by its words alone: no root, no `..`. */
static int stays_below(const char *path) {
    if (path[0] == '/') return 0;
    for (const char *at = path; *at;) {
        size_t length = strcspn(at, "/");
        if (length == 0 || (length == 2 && at[0] == '.' && at[1] == '.')) return 0;
        at += length + (at[length] == '/');
    }
    return 1;
}

/* The true path of the file, if it lies below the true folder of the model; NULL with errno. */
static char *true_path(const char *model, const char *file) {
    const char *slash = strrchr(model, '/');
    size_t folder = slash ? (size_t)(slash - model) + 1 : 0, length = folder + strlen(file) + 3;
    char *path = malloc(length), *home = NULL, *found = NULL;
    if (!path) return errno = ENOMEM, NULL;
    snprintf(path, length, "%.*s.", (int)folder, model);
    home = realpath(path, NULL);
    snprintf(path, length, "%.*s%s", (int)folder, model, file);
    if (home) found = realpath(path, NULL);
    free(path);
    size_t stem = home && strcmp(home, "/") != 0 ? strlen(home) : 0;
    if (found && (strncmp(found, home, stem) != 0 || found[stem] != '/')) {
        free(found);
        found = NULL;
        errno = EXDEV;
    }
    free(home);
    return found;
}

char *import_text(struct keel_model *m, const struct syntax_node *file, const char *done, size_t longest,
                  size_t *length) {
    if (!m->of_file) return refuse(m, file, done, "this text is no file, so nothing lies beside it");
    if (!stays_below(file->text)) return refuse(m, file, done, "it would lie outside of the model's folder");
    char *path = true_path(m->name, file->text), *text = path ? import_read(path, longest, length) : NULL;
    int error = errno;
    free(path);
    if (text && *length > longest) {
        free(text);
        return refuse(m, file, done, "it is too long");
    }
    if (text) return text;
    if (error == ENOMEM) return diagnostics_memory(&m->messages), NULL;
    return refuse(m, file, done, error == EXDEV ? "a link leads out of the model's folder" : strerror(error));
}

char *import_extend(struct keel_model *m, size_t block) {
    size_t own = m->source.length;
    char *longer = pool_take(&m->pool, own + block + 1);
    if (!longer) return diagnostics_memory(&m->messages), NULL;
    memcpy(longer, m->source.text, own);
    if (!m->source.own) m->source.own = own;
    m->source.text = longer;
    m->source.length = own + block;
    return longer + own;
}

/* The text of the file of parts that a line asks for; NULL after a message. */
static char *parts_of(struct keel_model *m, const struct syntax_statement *s, size_t *length) {
    for (int i = 0; library_name(i) && m->of_file; i++)
        if (strcmp(library_name(i), s->name) == 0)
            return refuse(m, s->left, "imported", "a library of keel has that name");
    return import_text(m, s->left, "imported", SOURCE_LONGEST, length);
}

int import_append(struct keel_model *m) {
    int any = 0;
    for (const struct syntax_statement *s = m->file->statements; s; s = s->next) {
        size_t length;
        if (s->kind != SYNTAX_LIBRARY || !s->left || !library_asks(m->file, s)) continue;
        char *text = parts_of(m, s, &length);
        if (!text) return -1;
        char *to = import_extend(m, library_block(s->name, text, length, NULL));
        if (to) library_block(s->name, text, length, to);
        free(text);
        if (!to) return -1;
        any = 1;
    }
    return any;
}
