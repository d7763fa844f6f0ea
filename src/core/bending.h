/* bending.h - how K = (G; A), the rows of the constraints and of what rolls, change with q, by differences,
 * where they have patterns.
 *
 * Coordinates that share no row are moved at once: one evaluation of K for each colour of them.  For row i,
 * which has as many coordinates as it has entries, the change is a square, d K_ie / d q_b in row e and
 * column b; the squares follow each other.  So a row of A must have the coordinates that it and b depend on;
 * newton_check finds one that is lacking.
 *
 * The square of a constraint of many coordinates would have the square of their number.  Where
 * extras.constraint_bend says which of them an entry depends on, row e of it has these alone, which may be
 * none: a centre of mass that is held does not bend.  Coordinates then share a row only if an entry depends
 * on both.  What such a constraint adds to rates follows from g_qq and from G along the motion,
 *
 *     gamma = d^2/ds^2 g,  gamma_q = d^2/ds^2 G,  gamma_v = 2 d/ds G   at g(t + s, q + s v), s = 0,
 *
 * two evaluations for all of them together. */
#ifndef KEEL_CORE_BENDING_H
#define KEEL_CORE_BENDING_H

#include <keel/method.h>

struct field;

struct bending {
    keel_pattern pattern; /* of K */
    int *row_start, *column;
    unsigned char *apart; /* k: has it its entries apart, not in a square? */
    int any_apart;
    int colours, *colour;   /* nq */
    double *step, *probe;   /* n */
    double *moved_rows;     /* entries of K */
    double *opposite;       /* any_apart: the same on the other side, and twice as many for a check */
    double *shift, *beside; /* k */
    double *tried;          /* what rolls: room for a check (newton_check.c), bending_tried of them */
};

/* A part s(t, u) of the rates of the rows, k numbers: g_t and b, or, in_motion, gamma. */
struct bending_shift {
    keel_status (*at)(struct field *fd, double t, const double *u, double *shift);
    int in_motion;
};

/* The coordinates that entry e of row i of K changes with; how many. */
int bending_with(const keel_problem *p, int i, int e, const int **column);

long bending_entries(const struct field *fd);  /* of K */
double bending_numbers(const keel_problem *p); /* of all squares */
size_t bending_tried(const struct field *fd);
int bending_attach(struct field *fd); /* 1: no memory */
void bending_detach(struct field *fd);
keel_status bending_rows(struct field *fd, double t, const double *u, double *rows); /* the entries of K */
/* Does extras.constraint_bend name all that an entry depends on?  Along a random direction. */
keel_status bending_check(struct field *fd, double t, const double *u);
/* Where the entries of K are `rows`: lambda_i d K_i / d q as squares, and d/dq (K a + s) beside the entries
 * of K; both are 0 for redundant rows.  shift NULL: the squares alone, without a and by_q.  s_v, beside the
 * same. */
keel_status bending_by_q(keel_work *w, const struct bending_shift *shift, double t, const double *u,
                         const double *rows, const double *lambda, const double *a, double *squares,
                         double *by_q);
keel_status bending_by_v(keel_work *w, const struct bending_shift *shift, double t, const double *u,
                         double *by_v);
#endif
