/* structure_private.h - what the files structure_*.c share. */
#ifndef KEEL_STRUCTURE_STRUCTURE_PRIVATE_H
#define KEEL_STRUCTURE_STRUCTURE_PRIVATE_H

#include "structure/rational.h"
#include "structure/structure.h"

#include <float.h>
#include <stddef.h>

/* Below this part of what was summed a number is the round-off of a zero: some thousand eps. */
#define STRUCTURE_ZERO 1e-12
/* A number that is a plain fraction to this part of it is meant to be one: some round-offs. */
#define STRUCTURE_PLAIN (32 * DBL_EPSILON)
enum { STRUCTURE_POINTS = 3, STRUCTURE_GENERIC = 64 }; /* points from GENERIC on: random parameters, too */
/* Points from FAR on: far from the start, where a term that cancels near it may show.  FAR_OWN of them by
 * the start values, the others from 1e-12 to 1e12.  Points from ABSTRACT on: parameters, unknowns and the
 * large and small numbers of the text are random numbers near 1. */
enum { STRUCTURE_FAR = 128, STRUCTURE_FAR_OWN = 3, STRUCTURE_FAR_POINTS = 20 };
enum { STRUCTURE_ABSTRACT = 192, STRUCTURE_ABSTRACT_POINTS = 9 };
/* A zero at a point of less sight proves nothing (structure_sight.c).  A term lost by its fourth power is
 * then still seen, and sums of some hundred products of random numbers have more. */
#define STRUCTURE_SIGHT 1e-3

/* Compressed rows.  sigma: the highest order of column[k] in the row; slope: the derivative by it. */
struct structure_pattern {
    int rows, columns;
    int *start, *column, *sigma;
    expr *slope;
};

/* An equation as a sum of atoms with exact weights, in ascending order (structure_form.c). */
struct structure_term {
    expr atom;
    int settled; /* 1: an atom; 0: still to be written out */
    struct rational weight;
};
struct structure_form {
    expr of;    /* the equation */
    int pinned; /* parameters are numbers in it */
    int count, capacity;
    struct structure_term *term;
};

/* Nodes that are numbers, by node. */
struct structure_known {
    uint32_t capacity;
    unsigned char *asked;    /* 0: not yet */
    struct rational **value; /* of those that are */
};

/* The system under analysis. */
struct structure_work {
    struct structure *s;
    const struct structure_problem *p;
    struct graph *g;
    struct derive smooth, any; /* without and with nonsmooth functions */
    int pinned;                /* 1: what vanishes by the values of parameters alone may be used */
    int rows, columns;
    expr *f;           /* rows */
    int *row, *column; /* their numbers in the problem */
    struct structure_known known;
    struct structure_form *form; /* rows: of those that exact combinations looked at */
    int *depth;    /* rows: how often equations were differentiated for the combination that a row is */
    int *place[2]; /* index of an UNKNOWN, a MULTIPLIER: column, or -1 */
    uint32_t places[2];
    struct structure_pattern *sigma; /* of the attempt at hand, with its transversal */
    int *match, *back;
    int leading; /* 1: the slopes by the highest derivatives are tried alone */
};

/* Memory that structure_close (kept) or the end of the analysis (scratch) gives back; zeroed.  NULL: none,
 * and the verdict is STRUCTURE_MEMORY. */
void *structure_keep(struct structure *s, size_t count, size_t size);
void *structure_take(struct structure *s, size_t count, size_t size);
static inline int structure_out_of_memory(struct structure *s) {
    s->verdict = STRUCTURE_MEMORY;
    return -1;
}
int structure_column(const struct structure_work *w, uint32_t kind, uint32_t index); /* of a symbol, or -1 */
expr structure_symbol(const struct structure_work *w, int column, int order);

/* Values and, beside each, the size of what was added up to it: |value| <= STRUCTURE_ZERO * mass is a
 * zero. */
struct structure_sample {
    double *value, *mass; /* by node */
    double *sight;        /* by node, where structure_sight was asked; else NULL */
    double theta;         /* exponentials have the base e^theta */
};
/* All that the roots reach, at random point number `point` (the same in every call).  0 or -1. */
int structure_sample_open(struct structure_sample *v, const struct structure_work *w, size_t roots,
                          const expr *root, int point);
/* The same for one point after the other: room for all that the roots reach, which are the list, to be freed;
 * then the values at a point. */
int structure_sample_room(struct structure_sample *v, struct expr_list *list, const struct structure_work *w,
                          size_t roots, const expr *root);
void structure_sample_move(struct structure_sample *v, const struct structure_work *w,
                           const struct expr_list *list, int point);
void structure_sample_close(struct structure_sample *v);
int structure_sample_finite(const struct structure_sample *v, expr e);
int structure_sample_zero(const struct structure_sample *v, expr e);
double structure_sample_value(const struct structure_sample *v, enum expr_op op, double a, double b);
double structure_random(uint64_t key); /* in [0, 1), the same for the same key */
/* How well the roots saw their symbols at this sample: v->sight, from 0 to 1.  0 or -1. */
int structure_sight(struct structure_sample *v, const struct structure_work *w, size_t roots,
                    const expr *root);
/* Random points at which all roots are finite, where such are found; else any.  0 or -1. */
int structure_sample_points(const struct structure_work *w, size_t roots, const expr *root,
                            int point[STRUCTURE_POINTS]);

/* The entries of the signature that count where c = 0 and d_j is the highest order of x_j.  1; 0: they may
 * not be all that is needed; -1: see the verdict. */
int structure_leading(struct structure_work *w, struct structure_pattern *out);
/* Also rewrites equations that depend on a symbol in appearance only.  0, or -1: see the verdict. */
int structure_signature(struct structure_work *w, struct structure_pattern *out);
/* f, which does not depend on these symbols, without them; f itself where no number can stand for them. */
expr structure_remove(struct structure_work *w, expr f, size_t count, const expr *symbol);

/* Maximum matching: match[row] is a column or -1, back[column] a row or -1.  The size, or -1. */
int structure_match(struct structure *s, const struct structure_pattern *a, int *match, int *back);
int structure_parts(struct structure_work *w, const struct structure_pattern *a, const int *match,
                    const int *back);
/* The perfect matching with the highest sum of sigma, where one exists: improves match and back.  0 or -1. */
int structure_assign(struct structure *s, const struct structure_pattern *a, int *match, int *back);
/* least: d_j is at least that; NULL: no such bounds. */
int structure_offsets(struct structure *s, const struct structure_pattern *a, const int *match,
                      const int *back, const int *least, int *c, int *d);
/* The index, with the names that structure_aliases took away.  0 or -1. */
int structure_index(const struct structure_work *w, const struct structure_pattern *a, const int *match,
                    const int *back);
/* The differentiation index: at most what structure_index found.  0 or -1. */
int structure_array(struct structure_work *w);

/* Sparse matrix of numbers, compressed rows. */
struct structure_matrix {
    struct graph *g; /* pays for the work */
    int rows, columns;
    int *start, *column;
    double *value, *mass;
};
/* A vector with few numbers: its rows, ascending, and the mass of each. */
struct structure_vector {
    int count, *row;
    double *value, *mass;
};
struct structure_factor {
    int rows, columns, rank;
    int *pivot_row, *pivot_column; /* rank */
    int *dependent;                /* rows - rank */
    int *low_start, *low_row;      /* step s subtracts low_value times the pivot row from low_row */
    double *low_value, *low_mass, *row_scale;
    size_t low_count, low_capacity;
    int *step_start, *step;       /* by rows: the steps that subtracted from it */
    int *way;                     /* rank: those that a left null vector takes */
    double *value, *mass;         /* rows: zeros between two of these vectors */
    struct structure_vector left; /* what structure_left_null gave last */
};
/* late: columns to be used only when no other is left, or NULL. */
int structure_eliminate(const struct structure_matrix *a, const unsigned char *late,
                        struct structure_factor *f);
/* The rank at random points of a field without rounding, or, with late columns, how many of these are pivots
 * after the others.  1; 0: its numbers are none of that field; -1. */
int structure_residue_rank(struct structure_work *w, const struct structure_pattern *p,
                           const unsigned char *late, int *rank);
void structure_factor_close(struct structure_factor *f);
/* f->left := u with u^T a = 0 and u[dependent[k]] = 1.  The operations that it took. */
double structure_left_null(struct structure_factor *f, int k);

/* The system Jacobian J_ij = df_i/dx_j^(d_j - c_i), its pattern, its numbers. */
int structure_system(struct structure *s, const struct structure_pattern *a, const int *c, const int *d,
                     struct structure_pattern *out);
int structure_numbers(struct structure *s, const struct structure_pattern *a,
                      const struct structure_sample *v, struct structure_matrix *out);

/* Rows of a pattern that are dependent, each needed: `count` of them.  u[k*count + i]: the weights at
 * sample k, the last of them 1.  loose, if not NULL: the largest mass of each, in units of itself.  order, if
 * not NULL, gets count - 1 pivots (place in `row`, column) of
 * sample 0.  1; 0: not so; -1. */
struct structure_pivot {
    int row, column;
};
int structure_circuit(struct structure *s, const struct structure_pattern *a, int count, const int *row,
                      const struct structure_sample v[STRUCTURE_POINTS], double *u, double *loose,
                      struct structure_pivot *order);
/* The largest |sum_i u_i a_ij| / sum_i |u_i a_ij| over the columns j: round-off where the rows are dependent,
 * more where they are nearly so.  -1: see the verdict. */
double structure_apart(struct structure *s, const struct structure_pattern *a, int count, const int *row,
                       const struct structure_sample *v, const double *u);
double structure_apart_before(const struct structure *s, int equation); /* of the steps that it comes from */
/* A fraction with a small denominator next to x, to 1e-11; 0: none. */
int structure_fraction(double x, double *exact);

struct rational structure_form_weight(const struct structure_form *f, expr atom);
int structure_form_note(struct structure_work *w, struct structure_form *f,
                        const struct structure_form *of); /* its atoms, without weights; 0 or -1 */
/* All of these: 1; 0: not as a sum with exact weights; -1: see the verdict. */
int structure_form_of(struct structure_work *w, expr e, struct structure_form *out);
int structure_form_add(struct structure_work *w, struct structure_form *f, const struct rational *weight,
                       const struct structure_form *of); /* f += weight * of */
int structure_form_derivative(struct structure_work *w, const struct structure_form *f,
                              struct structure_form *out); /* d/dt */
expr structure_form_value(struct structure_work *w, const struct structure_form *f);
/* Weights, of which number k is 1, with which the derivatives of these rows lose the highest derivatives of
 * the unknowns in columns with gone[j] (NULL: all) exactly, and what is left: structure_exact.c.  Row k is
 * the last that can be.  1, 0 or -1. */
struct structure_exact {
    int k;
    expr *weight; /* by row */
    struct structure_form left;
};
int structure_exact(struct structure_work *w, int count, const int *row, const int *c, const int *d,
                    const unsigned char *gone, struct structure_exact *out);

/* 1: an equation was replaced; 0: nothing helps; -1: see the verdict. */
int structure_combine(struct structure_work *w, const struct structure_pattern *jacobian, const int *c,
                      const int *d);
/* An equation with fewer unknowns among the highest derivatives, where no combination is free of all. */
int structure_thin(struct structure_work *w, const struct structure_pattern *jacobian, const int *c,
                   const int *d);
/* Equations that are combinations of others: named, and taken away if there are more equations than
 * unknowns. */
int structure_redundant(struct structure_work *w);
int structure_aliases(struct structure_work *w);
int structure_start(struct structure_work *w, const struct structure_pattern *jacobian);
int structure_invariants(struct structure_work *w);
#endif
