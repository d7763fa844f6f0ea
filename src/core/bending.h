/* bending.h - how the jacobian G of the constraints changes with q, by differences, where G has a pattern.
 *
 * Coordinates that share no constraint are moved at once: one evaluation of G for each colour of them.  For
 * row i, which has as many coordinates as it has entries, the change is a square, d G_ie / d q_b in row e and
 * column b; the squares follow each other. */
#ifndef KEEL_CORE_BENDING_H
#define KEEL_CORE_BENDING_H

#include <keel/method.h>

struct field;

struct bending {
    int colours, *colour;   /* nq */
    double *step, *probe;   /* n */
    double *moved_rows;     /* entries of G */
    double *shift, *beside; /* kg */
};

/* A part s(t, u) of the d/dt of the constraints, kg numbers: g_t, or gamma. */
typedef keel_status bending_shift(struct field *fd, double t, const double *u, double *shift);

long bending_numbers(const struct field *fd); /* of all squares */
int bending_attach(struct field *fd);         /* 1: no memory */
void bending_detach(struct field *fd);
/* Where the entries of G are `rows`: lambda_i d G_i / d q as squares, and d/dq (G a + s) beside the entries
 * of G; both are 0 for redundant rows.  s_v, beside the same. */
keel_status bending_by_q(keel_work *w, bending_shift *shift, double t, const double *u, const double *rows,
                         const double *lambda, const double *a, double *squares, double *by_q);
keel_status bending_by_v(keel_work *w, bending_shift *shift, double t, const double *u, double *by_v);
#endif
