/* hidden_sparse.h - rows of a large manifold by their patterns: those of a DAE, of a Hamiltonian's
 * constraints. */
#ifndef KEEL_CORE_HIDDEN_SPARSE_H
#define KEEL_CORE_HIDDEN_SPARSE_H

#include <keel/stabilizer.h>

#include "base/arena.h"
#include "linalg/rowspace.h"
#include "linalg/saddle.h"

struct field;
struct rows;

/* Rows that are met by changes of these states, as far as those before them leave something. */
struct hidden_block {
    int row, rows, column, columns; /* of H: from, how many */
    keel_pattern pattern;           /* of its own entries */
    double *weighted;               /* of these */
    struct saddle saddle;           /* 1, its B */
    int idle;                       /* none of its rows is active */
};

/* The rows by motion and directions, each of which has the motion's (manifold_hidden_staggered.c). */
struct hidden_directions {
    int blocks;       /* the motion and its directions; 0: rows go together */
    int states, rows; /* of each */
    int *state, *row; /* blocks x states, blocks x rows: which they are */
    int *entry;       /* blocks x entries of the motion's rows by its states: where they stand in H */
    int *beside;      /* blocks x rows + 1: where the entries of directions by the motion's states begin in */
    int *joint;       /* this list of places in H, with their columns, */
    int *joint_column;
    double *joined; /* times weights */
    int *invariant; /* behind the hidden rows kept: those of the motion, then of each direction */
    int invariants; /* of each */
    int fits;       /* all blocks are alike, */
    int stands;     /* and were so where B was factored last */
    keel_pattern pattern;
    double *weighted, *c, *part, *along; /* entries of B; rows; states, and padded */
    double
        *gradient; /* of invariants by the states of their block, then by those of the motion, in weights */
    double *four, *four_c; /* states, rows: four numbers each */
    int *active;
    struct saddle saddle; /* 1, B of the motion */
};

/* Rows of a large DAE's manifold, or of a large Hamiltonian's: B = H W^-1. */
struct hidden_rows {
    int sparse;
    int first, count;           /* rows of F and h, the only ones beside invariants: from h on, or all; rows
                                 * of g and d/dt g: all */
    keel_pattern pattern;       /* of H; a row that contains y has no entries */
    double *entries, *weighted; /* of H where it was asked for last, of the B that is factored */
    double *before;             /* the same, for who compares two places */
    double *weight;             /* n: those of the last correction, 1/W */
    double *c;                  /* as many as rows */
    int *active;                /* the rows a run keeps */
    int blocks;                 /* 1; 2: g by q, then d/dt g by p */
    struct hidden_block block[2];
    double *direction, *matrix; /* of the rows beside them: invariants x n, invariants^2 (2 blocks) */
    int *pivot, faced;          /* 1: it is regular */
    double *part; /* of an invariant's residual within round-off, that is corrected (2 blocks) */
    struct hidden_directions directions;
};

/* For a stepper of these traits. */
int hidden_goes_sparse(const struct field *fd, unsigned traits, const keel_stabilizer *stabilizer);
void hidden_sparse_layout(struct field *fd, struct arena *a);
int hidden_sparse_attach(struct field *fd); /* 1: no memory */
void hidden_sparse_detach(struct field *fd);
/* manifold_hidden_staggered.c */
void manifold_directions_layout(struct field *fd, struct arena *a);
int manifold_directions_attach(struct field *fd); /* 1: no memory */
void manifold_directions_detach(struct field *fd);
/* H at (t, u): the rows of F or g that lead, or those of h or d/dt g; all of them. */
keel_status hidden_sparse_entries(struct field *fd, int lead, double t, const double *u);
keel_status hidden_sparse_all(struct field *fd, double t, const double *u);
/* B from the entries at hand, factored.  any: rows that depend on others are expected.  0: it cannot be. */
int hidden_sparse_factor(struct field *fd, const double *inverse_weight, const int *active, int any);
/* a (n) := the shortest one with B a = c, block by block; c is overwritten. */
void hidden_sparse_shortest(struct field *fd, double *c, double *a);
void hidden_sparse_multiply(const struct field *fd, const double *v, double *out); /* out := H v */
void hidden_sparse_tangent(struct field *fd, double *a); /* takes off the shortest one with as much B a */
/* Directions along the tangents for the rows of s, whose gradients are those of row[i], and the parts of
 * round-off to be corrected (mechanism_part); then along (n), the displacement by which they change by c,
 * which is overwritten. */
void hidden_sparse_face(struct field *fd, const struct rowspace *s, const struct rows *rows, const int *row,
                        const double *inverse_weight, double nearly);
void hidden_sparse_along(const struct field *fd, const struct rowspace *s, double *c, double *z,
                         double *along);
int hidden_sparse_rank(struct field *fd, int *independent); /* as saddle_rank, of all rows */
/* Row i of s, weighted, freed of what B spans in each block; the share of what is left that floor_of is of
 * the whole. */
double hidden_sparse_border(struct field *fd, struct rowspace *s, int i, double floor_of);
/* sum |H_j u_j| of a row over the columns from the first on */
double hidden_sparse_size(const struct field *fd, int row, int first, const double *u);
#endif
