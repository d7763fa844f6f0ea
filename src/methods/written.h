/* written.h - equations as they were written, x' = f(t,x,z) with rows g: what steps that find their own z
 * share. */
#ifndef KEEL_METHODS_WRITTEN_H
#define KEEL_METHODS_WRITTEN_H

#include <keel/method.h>

#include "core/field.h"

static inline int written_is_given(const struct field *fd) {
    return fd->written.user.count > 0;
}
static inline const struct map *written_rates(const struct field *fd) {
    return written_is_given(fd) ? &fd->written : &fd->f;
}
static inline const struct map *written_rows(const struct field *fd) {
    return written_is_given(fd) ? &fd->written_rows : &fd->algebraic;
}

/* NULL, or why a problem has no such equations. */
const char *written_refuse(const keel_problem *p);

struct written_room {
    double *u, *f, *jacobian, *matrix, *pivot, *change; /* n + m, n, n x (n + m), m x m, m, m */
};
/* z where the step begins: that of the nearest f(t,x,z) to the rate that is known there.  Where f is not
 * linear in z this tells which of several z the motion has. */
keel_status written_guess(keel_work *w, const keel_attempt *a, int n, int m, const struct written_room *r,
                          double *z);
#endif
