/* emit.h - tapes as C99.
 *
 * Each tape becomes int model_NAME(double t, const double *u, double *out, void *user), a keel_fn; user
 * points to a struct that begins with the pointer to the parameters.  Nothing but operations, numbers in
 * hexadecimal and indices is ever written: no name or text of a model can reach the C.  Long functions are
 * cut into parts of bounded length, so the compiler's time stays proportional to the length. */
#ifndef KEEL_LANG_EMIT_H
#define KEEL_LANG_EMIT_H

#include "lang/tape.h"

struct emit {
    char *text; /* ended by '\0' */
    size_t length, room;
    int failed; /* memory ran out, or a name was refused */
};

void emit_open(struct emit *e); /* with what every model needs */
void emit_close(struct emit *e);
/* name: letters, digits and _, at most 40, chosen by the program.  0, or -1. */
int emit_function(struct emit *e, const char *name, const struct tape *t);
#endif
