/* diagnostics_words.h - names of unknowns and equations, and lists of them, for messages. */
#ifndef KEEL_MODEL_DIAGNOSTICS_WORDS_H
#define KEEL_MODEL_DIAGNOSTICS_WORDS_H

#include "model/system.h"

enum { DIAGNOSTICS_TOLD = 6 }; /* names in one list */

/* "`p`, `q` or `T`" */
void diagnostics_unknowns(const struct system *y, int count, const int *unknown, const char *last, char *out,
                          size_t capacity);
/* "constraint `rod`", "line 7", "the motion of `x`" */
void diagnostics_describe(const struct system *y, int i, char *out, size_t capacity);
/* "lines 6, 8 and 9", "constraint `rod`": equations that come from one line are named once. */
void diagnostics_equations(const struct system *y, int count, const int *equation, char *out,
                           size_t capacity);
const char *diagnostics_in_mode(const struct system *y, char *out,
                                size_t capacity); /* "in mode `m`: ", or "" */
const char *diagnostics_s(int count);             /* of a plural */
void diagnostics_capital(char *text);             /* its first letter */
struct source_message *diagnostics_at(struct source_messages *messages, struct syntax_span at,
                                      enum source_severity severity, const char *sentence);
/* `abs(x)` must be differentiated [twice ]here (what), and is not smooth. */
void diagnostics_nonsmooth_at(const struct system *y, struct source_messages *messages,
                              struct syntax_span where, const char *times, const char *what, expr obstacle);
#endif
