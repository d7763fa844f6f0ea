/* reading.h - a text read by the parser, with its messages. */
#ifndef KEEL_TESTS_READING_H
#define KEEL_TESTS_READING_H

#include "example_list.h"

#include "lang/parser.h"

struct reading {
    struct source source;
    struct source_messages messages;
    struct pool pool;
    struct syntax_file *file;
};

static inline void read_bytes(struct reading *r, const char *text, size_t length) {
    memset(r, 0, sizeof *r);
    r->source = (struct source){"a.keel", text, length, 0};
    r->file = parser_run(&r->source, &r->messages, &r->pool);
}

static inline void read_text(struct reading *r, const char *text) {
    read_bytes(r, text, strlen(text));
}

static inline void show(const struct reading *r) {
    char out[16384];
    source_render_all(&r->source, &r->messages, out, sizeof out);
    print_error("%s", out);
}

/* Reads it without errors. */
static inline void read_well(struct reading *r, const char *text) {
    read_text(r, text);
    if (!r->file) show(r);
    assert_non_null(r->file);
}
#endif
