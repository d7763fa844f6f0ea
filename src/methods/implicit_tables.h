/* implicit_tables.h - coefficients of implicit Runge-Kutta methods, computed to round-off. */
#ifndef KEEL_IMPLICIT_TABLES_H
#define KEEL_IMPLICIT_TABLES_H

#include "methods/stage_sums.h"

enum { IMPLICIT_STAGES = KEEL_STAGES };

enum implicit_kind {
    IMPLICIT_GAUSS,      /* order 2s */
    IMPLICIT_RADAU_2A,   /* order 2s - 1, c_s = 1 */
    IMPLICIT_LOBATTO_3A, /* order 2s - 2, c_1 = 0, c_s = 1 */
    IMPLICIT_LOBATTO_3B,
    IMPLICIT_LOBATTO_3C,
    IMPLICIT_THETA /* one stage at c = theta; implicit_table_theta */
};

struct implicit_table {
    int s;
    double c[IMPLICIT_STAGES], b[IMPLICIT_STAGES], a[IMPLICIT_STAGES][IMPLICIT_STAGES];
    /* a and b for sums, to more than double precision: a coefficient that is always wrong in the same
     * direction makes energies drift. */
    keel_stage_weights of_stage[IMPLICIT_STAGES], of_end;
    int first_explicit; /* the first stage is x itself */
    int last_is_end;    /* the last stage is the end */
    int regular;        /* A has an inverse */
    double inverse[IMPLICIT_STAGES][IMPLICIT_STAGES];
    double at_begin[IMPLICIT_STAGES]; /* the polynomial through the rates, at the begin of the step */
    /* Radau IIA of three stages and more: the last two coefficients of that polynomial, of Legendre
     * polynomials of norm 1; it and its integral half way between the last two nodes; and
     * prod c_i / prod (c_i - late). */
    double tail[2][IMPLICIT_STAGES];
    double late, at_late[IMPLICIT_STAGES], to_late[IMPLICIT_STAGES], begin_by_late;
    /* A = T D T^-1 with real T: D has `blocks` blocks, (lambda) or, in two columns,
     * (real imaginary; -imaginary real).  Real ones come first. */
    int blocks;
    double real[IMPLICIT_STAGES], imaginary[IMPLICIT_STAGES];
    double t[IMPLICIT_STAGES][IMPLICIT_STAGES], t_inverse[IMPLICIT_STAGES][IMPLICIT_STAGES];
};

/* c = a = theta, b = 1. */
void implicit_table_theta(struct implicit_table *table, double theta);
void implicit_table_fill(struct implicit_table *table, enum implicit_kind kind, int stages);

/* out_j = integral from `from` to `to` of the polynomial that is 1 at node j and 0 at the others;
 * at most IMPLICIT_STAGES + 1 nodes. */
void implicit_integrals(int nodes, const double *node, double from, double to, double *out);
/* Weights of keel_implicit_start, for stages of `table` in a step of `ratio` times the length of the last
 * one, which was by `last`, from its part `from` on; `nodes` of its K, and of the rate at its end. */
void implicit_start_weights(const struct implicit_table *last, const struct implicit_table *table,
                            int skipped, int nodes, double from, double ratio,
                            double out[IMPLICIT_STAGES][IMPLICIT_STAGES + 1]);

/* A method of keel/implicit.h, with its numbers. */
struct implicit_loop {
    struct implicit_table table;
    double start[IMPLICIT_STAGES][IMPLICIT_STAGES + 1];
    keel_implicit shape;
};
void implicit_loop_fill(struct implicit_loop *loop, enum implicit_kind kind, int stages);
keel_implicit implicit_shape(const struct implicit_table *table); /* without weights to start with */
#endif
