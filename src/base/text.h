/* text.h - sentences in fixed buffers: never overrun, always ended. */
#ifndef KEEL_BASE_TEXT_H
#define KEEL_BASE_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXT_SENTENCE = 640 };

/* A reason like any other; who compares the pointer knows that it was memory. */
extern const char text_no_memory[];

void text_set(char *out, size_t capacity, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* "%s" alone, in less time. */
void text_copy(char *out, size_t capacity, const char *text);
/* As text_set, and 0: for checks that tell why they fail. */
int text_no(char *out, size_t capacity, const char *format, ...) __attribute__((format(printf, 3, 4)));
void text_add(char *out, size_t capacity, const char *format, ...) __attribute__((format(printf, 3, 4)));
void text_vset(char *out, size_t capacity, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
/* A number in the format of one double; `-` for what is none. */
void text_number(char *out, size_t capacity, const char *format, double value)
    __attribute__((format(printf, 3, 0)));

/* A decimal number without sign, of the form that it has been found to have, in every locale. */
double text_decimal(const char *digits);

/* A character's bytes at text (1 .. 4) and its code point, or 0 for bytes that are not UTF-8. */
int text_character(const char *text, size_t capacity, uint32_t *point);
/* Does a terminal act on it instead of showing it: controls, and marks that turn the direction of a line? */
int text_is_control(uint32_t point);
/* As people may see it: controls and what is not UTF-8 as \n, \x1b, \u202e.  The length that all of it
 * takes, like snprintf; a sequence is never cut. */
size_t text_shown(char *out, size_t capacity, const char *text);

/* Is `word` an entry of the comma-separated `list`?  Blanks around entries do not count. */
int text_listed(const char *list, const char *word);
/* The next entry of a comma-separated list into `word`; returns the rest, or NULL when there is none. */
const char *text_next(const char *list, char *word, size_t capacity);
/* How many single-character edits lie between two names, two signs swapped being one: for "did you mean". */
int text_distance(const char *a, const char *b);
/* How far `given` is from `known` if it may be a slip of it: 1 for its beginning; TEXT_FAR: it is none. */
enum { TEXT_FAR = 99 };
int text_slip(const char *given, const char *known);
#endif
