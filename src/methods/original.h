/* original.h - equations as they were written, x' = f(t,x,z) with rows g: what steps that find their own z
 * share. */
#ifndef KEEL_METHODS_ORIGINAL_H
#define KEEL_METHODS_ORIGINAL_H

#include <keel/native.h>

static inline int original_is_given(const keel_problem *p) {
    return keel_extras_of(p)->original_f.count > 0;
}
/* How many z there are. */
static inline int original_unknowns(const keel_problem *p) {
    return original_is_given(p) ? keel_extras_of(p)->original_g.count : p->m;
}
static inline keel_native_map original_rates(int given) {
    return given ? KEEL_MAP_ORIGINAL_F : KEEL_MAP_F;
}
static inline keel_native_map original_rows(int given) {
    return given ? KEEL_MAP_ORIGINAL_G : KEEL_MAP_ALGEBRAIC;
}

/* Have both maps a jacobian with a pattern that pays?  Then the jacobians below are entries. */
int original_goes_sparse(const keel_problem *p);

/* NULL, or why a problem has no such equations. */
const char *original_refuse(const keel_problem *p);

struct original_workspace {
    double *u, *f, *jacobian, *matrix, *pivot, *change; /* n + m, n, n x (n + m), m x m, m, m */
    int given;                                          /* as they were written; else f and algebraic */
    double *spare; /* sparse, in place of matrix and pivot: n + 3 m; NULL: dense */
};
/* z where the step begins: that of the nearest f(t,x,z) to the rate that is known there.  Where f is not
 * linear in z this tells which of several z the motion has. */
keel_status original_guess(keel_work *w, const keel_attempt *a, int n, int m,
                           const struct original_workspace *r, double *z);
#endif
