/* source.h - a model's text and what there is to say about it.
 *
 * Offsets count bytes; lines and columns count from 1, columns in UTF-8 characters.  A message is a
 * sentence about a place and, as its hint, what to do.  Nothing is printed here: rendering fills a buffer. */
#ifndef KEEL_LANG_SOURCE_H
#define KEEL_LANG_SOURCE_H

#include <stddef.h>
#include <stdint.h>

enum {
    SOURCE_LONGEST = 4 << 20,   /* bytes of a text */
    SOURCE_LINE = 1 << 16,      /* bytes of a line */
    SOURCE_MESSAGES = 20,       /* kept; those beyond are only counted */
    SOURCE_NOWHERE = 0x7fffffff /* the offset of a message about the whole model */
};

struct source {
    const char *name; /* as in messages: "pendulum.keel" */
    const char *text; /* not owned; need not end in a zero */
    size_t length;
    size_t own; /* bytes of the model itself, where libraries follow; 0: all */
};

struct source_place {
    int line, column; /* of the model, or of the library that the place is in */
};

enum source_severity { SOURCE_ERROR, SOURCE_WARNING };

struct source_message {
    enum source_severity severity;
    uint32_t offset, length; /* of what it is about; the caret stands at offset */
    char sentence[320];
    char hint[480]; /* lines; may be empty */
};

struct source_messages {
    int count, errors, more; /* kept; errors among all; those that found no room */
    int starved;             /* memory ran out: nothing else is said */
    struct source_message list[SOURCE_MESSAGES];
    struct source_message spare; /* takes what is not kept */
};

struct source_place source_place(const struct source *s, size_t offset);
/* "line 5", in a library "line 5 of library body2d". */
void source_line(const struct source *s, size_t offset, char *out, size_t capacity);
/* Is it a text at all: not too long, UTF-8, no zero bytes?  Else it says why not. */
int source_check(const struct source *s, struct source_messages *m);

/* Add a message; the result, never NULL, takes the hint. */
struct source_message *source_diagnose(struct source_messages *m, enum source_severity severity,
                                       size_t offset, size_t length, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void source_hint(struct source_message *one, const char *format, ...) __attribute__((format(printf, 2, 3)));
int source_diagnosed_within(const struct source_messages *m, size_t from,
                            size_t to); /* an error in from .. to? */
/* There is not enough memory: it takes the place of what was said before. */
void source_no_memory(struct source_messages *m);
void source_forget(struct source_messages *m, int count); /* keep the first `count` messages */
void source_sort(struct source_messages *m);              /* by place; the same twice is said once */

/* The messages as people see them, with the line and a caret.  Returns their length without the ending zero,
 * like snprintf; what does not fit is cut. */
size_t source_render_all(const struct source *s, const struct source_messages *m, char *out, size_t capacity);
#endif
