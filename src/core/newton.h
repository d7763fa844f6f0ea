/* newton.h - what stands behind keel/newton.h.
 *
 * Dense: J row by row, and the factors of I - c J, all in the solver's block.  Where J is
 * far from balanced the factors are those of D^-1 (I - c J) D: rows of momenta in kg m/s, 1e24 times those of
 * positions, would be taken for pivots, and regular matrices for singular ones.
 * Sparse: the entries of f_x,
 * f_y, F_x, F_y in the order of their patterns, and the factors of
 *
 *     ( M - c f_x   -c f_y )
 *     (     F_x        F_y )      with the right-hand side (M b, 0), which leaves (I - c J)^-1 b above
 *
 * so that neither M^-1 nor F_y^-1 fills what is empty; mechanics and Hamiltonians with constraints have
 * matrices of their own (newton_mechanics.c, newton_hamiltonian.c), and other rows stand below where rates
 * determine y (newton_rates.c).  Pattern,
 * analysis and factors lie outside the block.  They follow from the numbers in it: of a narrow band from J
 * and c alone (linalg/band); else pivots are those of an anchor, the first J and c of all.  Factors that a
 * copied or loaded solver lacks are made again when they are used.  Where they would fill too much, but in
 * mechanics, GMRES takes their place (newton_krylov.c). */
#ifndef KEEL_CORE_NEWTON_H
#define KEEL_CORE_NEWTON_H

#include <keel/newton.h>

#include "linalg/columns.h"
#include "linalg/gmres.h"
#include "linalg/sparse.h"

#include <stddef.h>

struct field;
struct band;

enum { NEWTON_MOST = 5 };     /* one for samples of the defect, and two of a method with one beside each */
enum { NEWTON_MATRICES = 8 }; /* of each */

/* c of a matrix, and c of its anchor once that is there. */
struct newton_shift {
    double real, imaginary, anchor_real, anchor_imaginary, anchored;
};

/* What GMRES has taken, in operations: with the matrix at hand, with one on the average. */
struct newton_effort {
    double spent, average, direct; /* direct: 1, complete factors have taken over */
};

struct keel_newton {
    int real, complex;
    double *jacobian; /* n x n, or the entries */
    keel_newton *of;  /* the one that has the factors */
    double *lu;       /* dense: one matrix after the other, n x n, complex ones 2n x 2n */
    int *pivot;
    double *unit;                            /* dense: of each matrix, n; 0 in the first: all are 1 */
    double *pair;                            /* 2n */
    double *anchor;                          /* sparse: entries; NULL: of samples */
    double *anchor_known;                    /* 1 */
    struct newton_shift *shift;              /* real + complex */
    struct newton_effort *effort;            /* 1 */
    struct sparse *factors[NEWTON_MATRICES]; /* or, where the pattern is a band, */
    struct band *bands[NEWTON_MATRICES];
    struct ilu *incomplete[NEWTON_MATRICES]; /* NULL: it has its factors from the beginning */
    unsigned char anchored[NEWTON_MATRICES], stands[NEWTON_MATRICES]; /* what `factors` have */
    const double *used[NEWTON_MATRICES];                              /* the J of what stands, and its c */
    double used_real[NEWTON_MATRICES], used_imaginary[NEWTON_MATRICES];
    double *place; /* newton_pulled.c: t, u of J; and of what stands */
    const double *used_place[NEWTON_MATRICES];
};

/* The matrix above, by columns, and what all that use it share. */
struct newton_pattern {
    int order, of_f, of_rows; /* entries of the patterns of f and F; of_f: all numbers of J in mechanics */
    struct columns columns;   /* from: which of f, then F, stands there; -1: none */
    int *at, *unit;           /* entries; n, or the entries of M: where they stand in `values` */
    int banded, lower, upper; /* a band, with so many diagonals beside the main one */
    int *position;            /* order: of the unknowns in the band */
    int as_given;             /* they stand there as they are, and nothing else does */
    double *values, *pairs;   /* of a matrix that is factored, real or complex; zero between the entries */
    double *right;            /* 2 order */
    struct sparse *analysis;  /* of the pattern, if it is no band */
    struct gmres *gmres;      /* NULL: nobody needs it */
    size_t places;            /* numbers of `values` */
    /* newton_colour.c: columns of one colour have no row in common */
    int colours; /* 0: not looked for yet */
    int *colour, *list, *first;
    double *step, *base, *moved, *probe; /* order */
    double *pulled;                      /* 4 width (newton_pulled.c) */
    double *below;                       /* entries of rows that move (newton_rates.c) */
};

int newton_entries(const keel_map *map); /* of its pattern; absent: 0 */
/* Are the matrices sparse?  Not without KLU. */
int newton_goes_sparse(const struct field *fd);
/* The same for the room that jacobians take, and for checks, which need no factors. */
int newton_by_pattern(const struct field *fd);
int newton_attach(struct field *fd); /* 1: no memory */
void newton_detach(struct field *fd);

/* keel_newton_layout; lasting 0: for samples, which leave nothing behind. */
keel_newton *newton_layout(keel_work *w, int real, int complex, int lasting);

/* newton_sparse.c: see keel/newton.h */
void newton_sparse_layout(keel_work *w, keel_newton *n, int lasting);
keel_status newton_sparse_jacobian(keel_work *w, keel_newton *n, double t, const double *x, const double *f,
                                   int differences);
int newton_sparse_alike(const keel_work *w, const keel_newton *a, const keel_newton *b, const double *scale,
                        double share);
keel_status newton_sparse_factor(keel_work *w, keel_newton *n, int k, double real, double imaginary);
void newton_sparse_solve(const keel_work *w, keel_newton *n, int k, double *b, double *imaginary);
/* newton_pulled.c: the same where the run adds a term to the rate. */
size_t newton_pulled_doubles(const struct field *fd);
void newton_pulled_place(const struct field *fd, keel_newton *n, double t, const double *u);
void newton_pulled_solve(const keel_work *w, keel_newton *n, int k, double *b, double *imaginary);

/* Its M: what stands behind the entries where M changes. */
const double *newton_sparse_mass(const struct field *fd, const double *jacobian);
/* (M b, 0), in the order of the factors, complex numbers in pairs; and b from what they leave. */
void newton_sparse_right(const struct field *fd, const double *mass, const double *b, const double *imaginary,
                         double *r);
void newton_sparse_left(const struct field *fd, const double *r, double *b, double *imaginary);

/* Are there factors of matrix k?  A copied solver, or one that was loaded, makes them here. */
int newton_sparse_stands(const keel_work *w, keel_newton *n, int k);

/* Do the entries of M at two places differ by no more than that?  They do not where M is constant. */
int newton_masses_alike(const struct field *fd, int rows, const double *a, const double *b,
                        const double *scale, double share);

/* newton_krylov.c */
int newton_krylov_attach(struct field *fd); /* 1: no memory */
void newton_krylov_detach(struct field *fd);
/* A new matrix comes: shall it have its factors from now on? */
void newton_krylov_choose(const struct field *fd, const keel_newton *n);
/* 1: GMRES will solve with these values; 0: it will not. */
int newton_krylov_factor(keel_newton *n, int k, const double *values);
/* Will it solve with matrix k, as far as is known? */
int newton_krylov_iterates(const keel_newton *n, int k);
/* b := (I - c J)^-1 b as keel_newton_solve_near; scale NULL: nearly to round-off.  0: by factors, then. */
int newton_krylov_solve(const keel_work *w, keel_newton *n, int k, double *b, double *imaginary,
                        const double *scale, double enough);

/* newton_pattern.c: where the values of a band have the entry of column j at `place`. */
int newton_band_place(const struct newton_pattern *a, int j, int place);

/* newton_terms.c: a matrix as a sum of terms, at most so many; 0: no memory.  newton_sum: the pattern of a,
 * and where each term stands in its values, which are zero. */
struct newton_terms {
    int count, *row, *column;
};
int newton_terms_open(struct newton_terms *s, size_t most);
void newton_terms_close(struct newton_terms *s);
static inline void newton_terms_put(struct newton_terms *s, int row, int column) {
    s->row[s->count] = row;
    s->column[s->count++] = column;
}
int newton_sum(struct newton_pattern *a, const struct newton_terms *s);
void newton_pattern_free(struct newton_pattern *a); /* a itself is the caller's */

/* The same for forms whose matrices are sums of terms of their own. */
struct newton_form {
    int (*order)(const struct field *fd);
    long (*numbers)(const struct field *fd);                          /* of J */
    int (*pattern)(struct newton_pattern *a, const struct field *fd); /* 0: no memory */
    keel_status (*jacobian)(keel_work *w, double *numbers, double t, const double *x, const double *rate);
    /* Do the numbers of two places differ by no more than that? */
    int (*alike)(const struct field *fd, const double *a, const double *b, const double *scale, double share);
    /* The matrix; its right-hand side from b, with an imaginary part or NULL; b from what it leaves. */
    const double *(*assemble)(const struct field *fd, const double *numbers, double real, double imaginary,
                              int complex);
    void (*right)(const struct field *fd, const double *numbers, double real, double imaginary,
                  const double *b, const double *other, double *r);
    void (*left)(const struct field *fd, double real, double imaginary, const double *r, double *b,
                 double *other);
};
const struct newton_form *newton_form_of(const struct field *fd); /* NULL: the matrix above */
extern const struct newton_form newton_mechanics, newton_hamiltonian;
int newton_mechanics_suits(const struct field *fd);
int newton_hamiltonian_suits(const keel_problem *p);

/* A number times 1, c or c^2 into the values of a matrix, complex ones in pairs. */
struct newton_powers {
    double real[3], imaginary[3]; /* 1, c, c^2 */
};
static inline struct newton_powers newton_powers_of(double real, double imaginary) {
    return (struct newton_powers){{1, real, real * real - imaginary * imaginary},
                                  {0, imaginary, 2 * real * imaginary}};
}
static inline void newton_add(double *v, int at, int complex, const struct newton_powers *c, int power,
                              double number) {
    if (!complex) {
        v[at] += c->real[power] * number;
        return;
    }
    v[2 * (size_t)at] += c->real[power] * number;
    v[2 * (size_t)at + 1] += c->imaginary[power] * number;
}

/* newton_rates.c: the same where rates of rows determine y.  What its rows add to the numbers of f. */
size_t newton_rates_numbers(const struct field *fd);
keel_status newton_rates_jacobian(keel_work *w, double *numbers, double t, const double *u, int differences);
void newton_rates_assemble(const struct field *fd, const double *numbers, double real, double imaginary,
                           int complex); /* but for M */
void newton_rates_right(const struct field *fd, const double *numbers, const double *b, const double *other,
                        double *r); /* the rows below those of f */

/* The same file: d/dt of the entries of rows at u, along x' = rate, whose fastest state counts. */
struct newton_rows {
    keel_status (*at)(struct field *fd, double t, const double *u, double *entries);
    long entries;
    const double *here; /* at u */
    double *before;     /* as many, locals */
};
keel_status newton_rows_move(struct field *fd, const struct newton_rows *rows, double t, const double *u,
                             const double *rate, double fastest, double *moving);

/* newton_colour.c: over which lengths (count) differences at u are taken. */
void newton_colour_steps(const keel_work *w, const double *u, int count, double *step);
/* newton_colour.c: the entries by differences at u, as many evaluations as there are colours. */
keel_status newton_colour_entries(keel_work *w, double t, const double *u, double *entries);
/* newton_check.c: a pattern that is filled so, and lacks an entry, is refused with its row and column. */
keel_status newton_check(keel_work *w, double t, const double *u);
#endif
