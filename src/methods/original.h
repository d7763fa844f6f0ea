/* written.h - equations as they were written, x' = f(t,x,z) with rows g: what steps that find their own z
 * share. */
#ifndef KEEL_METHODS_ORIGINAL_H
#define KEEL_METHODS_ORIGINAL_H

#include <keel/method.h>

#include "core/field.h"

static inline int original_is_given(const struct field *fd) {
    return fd->original_f.user.count > 0;
}
static inline const struct map *original_rates(const struct field *fd) {
    return original_is_given(fd) ? &fd->original_f : &fd->f;
}
static inline const struct map *original_rows(const struct field *fd) {
    return original_is_given(fd) ? &fd->original_g : &fd->algebraic;
}

/* NULL, or why a problem has no such equations. */
const char *original_refuse(const keel_problem *p);

struct original_room {
    double *u, *f, *jacobian, *matrix, *pivot, *change; /* n + m, n, n x (n + m), m x m, m, m */
};
/* z where the step begins: that of the nearest f(t,x,z) to the rate that is known there.  Where f is not
 * linear in z this tells which of several z the motion has. */
keel_status original_guess(keel_work *w, const keel_attempt *a, int n, int m, const struct original_room *r,
                           double *z);
#endif
