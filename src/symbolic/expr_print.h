/* expr_print.h - an expression of the graph as text in the model language, for messages:
 *     2*x*x' + 2*y*y'
 *
 * Brackets stand only where the language needs them, and numbers have the fewest digits that give them
 * back.  Signs are drawn together where no bit of the value can change: a + (-2)*x is a - 2*x. */
#ifndef KEEL_SYMBOLIC_EXPR_PRINT_H
#define KEEL_SYMBOLIC_EXPR_PRINT_H

#include "symbolic/expr.h"

/* Writes the name of a symbol, ended and cut to capacity. */
typedef void expr_print_name(void *user, expr symbol, char *out, size_t capacity);

/* The length of the text, which is always ended.  One that does not fit ends in "..." after a whole name,
 * number or sign: a graph that shares its parts can be far longer as text than any memory, so the work is
 * bounded by the room.  Of a text beyond some thousand signs the end may be missing where there was room. */
size_t expr_print(const struct graph *g, expr e, expr_print_name *name, void *user, char *out,
                  size_t capacity);
#endif
