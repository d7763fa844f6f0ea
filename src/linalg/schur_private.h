/* schur_private.h - what schur_pattern.c lays out and schur.c computes with. */
#ifndef KEEL_LINALG_SCHUR_PRIVATE_H
#define KEEL_LINALG_SCHUR_PRIVATE_H

#include "base/pool.h"
#include "linalg/schur.h"
#include "linalg/schur_rows.h"

enum { SCHUR_WIDEST = 12 }; /* of M's blocks */

/* A block of M: `width` columns from `first` on in `member`, and its Cholesky factor from `root` on. */
struct schur_block {
    int first, width, root;
};

struct schur {
    struct pool pool; /* of all arrays */
    int nq, k, entries;
    const keel_pattern *mass, *part[2];
    int count[2];
    double operations;

    /* M.  Diagonal: B has the pattern of K, and weight is 1 / sqrt(M_jj).  Else B has whole blocks, its
     * columns are counted by `member`, and a piece is a part of a row of B in one block. */
    int diagonal, blocks;
    double *weight, *root;
    struct schur_block *block;
    int *member, *block_of, *place; /* nq: columns by block, the block of a column, its place in there */
    int *piece_start, *piece_block, *piece_at; /* pieces by rows: the block, and where in b it begins */

    /* All rows from here on stand in the order of elimination: the i-th is row order[i] of K. */
    int *order;
    int *k_start, *from, *to; /* the entries of K and where they go in b */
    int *start, *column;      /* B by rows */
    double *b;
    double *entry_weight; /* diagonal: of each entry of B */
    int *s_start, *s_column, *sum_start, *left,
        *right;                           /* S below its diagonal: sums of products of entries of b */
    int *row_start, *row_column, *row_at; /* its factor by rows, with places in the columns, */
    int *column_start, *column_row;       /* and by columns */
    double *square, *l, *inverse, *work;  /* values of S, of the factor, 1 / pivots */
    double *size;                         /* k: S_ii */
    /* Where the rows are a forest (schur_forest.c), in place of the factor: */
    int forest; /* M diagonal: b and column are then in the order of K */
    struct schur_row *rows;
    struct schur_link *link;
    struct schur_sweep sweep;
    double *four;       /* nq + k + 1 rows of four numbers; else k */
    int unit;           /* diagonal: all weights are 1 */
    double *z, *mu, *r; /* nq, k, k; z where M has blocks, mu in the order of K */
};

/* schur_forest.c */
int schur_forest_layout(struct schur *s); /* after all others.  1: no memory */
int schur_forest_factor(struct schur *s, const double *k, const int *active); /* M not diagonal: b is there */
/* r := L^-1 (B z - c); rests: z is 0.  Then r := L^-T D^-1 r, z := z - B^T r and mu := mu + r; first: mu was
 * 0. */
void schur_forest_miss(struct schur *s, double *z, const double *c, int rests);
void schur_forest_back(const struct schur *s, double *z, double *mu, int first);
/* All three at once, for a chain: c becomes mu.  1: a pivot is too small, and z stands. */
int schur_forest_solve(struct schur *s, double *k, const int *active, double *z, double *c);

/* schur_strands.c: the same for the rows of the two strands. */
void schur_strands_layout(struct schur *s, const int *children); /* children: of each row, how many */
int schur_strands_factor(struct schur *s, const int *active);
void schur_strands_miss(struct schur *s, double *z, const double *c, int rests);
void schur_strands_back(const struct schur *s, double *z, double *mu, int first);

#endif
