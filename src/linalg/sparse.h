/* sparse.h - LU factors of a large sparse matrix with a fixed pattern, by KLU (SuiteSparse).
 *
 * The pattern is analysed once.  sparse_anchor chooses pivots for given values; sparse_refactor takes
 * further values with these pivots, in the same order of operations every time and without allocating;
 * sparse_fresh chooses pivots for one matrix alone and leaves the anchored ones as they are.  So the factors
 * depend on the anchor and the values at hand, never on what was factored in between.
 *
 * sparse_share gives factors of further matrices of the same pattern, real or complex: they have the analysis
 * in common.  Complex numbers lie in pairs, real and imaginary part.
 *
 * Without the library sparse_available() is 0 and sparse_open gives NULL. */
#ifndef KEEL_LINALG_SPARSE_H
#define KEEL_LINALG_SPARSE_H

struct sparse;

enum sparse_pivots {
    SPARSE_PARTIAL,  /* the largest entry of the column, or the diagonal if it is not much smaller */
    SPARSE_DIAGONAL, /* the diagonal whatever it is: pivots of a symmetric matrix tell its inertia */
    SPARSE_SCALED, /* as the first, of a matrix that is not equilibrated: rows are divided by their largest */
    SPARSE_SADDLE  /* the same where multipliers have zeros on the diagonal of the pattern */
};

int sparse_available(void);
/* Is a matrix of this order with so many entries better off sparse? */
int sparse_pays(double order, double entries);
/* Compressed columns: start (n + 1) and row, which are borrowed.  NULL: no memory, or no library. */
struct sparse *sparse_open(int n, const int *start, const int *row, enum sparse_pivots pivots);
/* For as long as `of` is open.  NULL: no memory. */
struct sparse *sparse_share(const struct sparse *of, int complex);
void sparse_close(struct sparse *s);

/* 0; 1: a pivot is zero (or memory is out), and nothing can be solved. */
int sparse_anchor(struct sparse *s, const double *values);
int sparse_refactor(struct sparse *s, const double *values); /* after sparse_anchor */
int sparse_fresh(struct sparse *s, const double *values);

int sparse_starved(const struct sparse *s); /* was it memory, the last time? */

void sparse_solve(const struct sparse *s, double *b); /* b := A^-1 b with the factors at hand */
/* The pivot of the k-th step and the column it stands in. */
double sparse_pivot(const struct sparse *s, int k, int *column);
/* The least |pivot| over the largest one: 0 for a singular matrix. */
double sparse_pivot_ratio(const struct sparse *s);
/* Do pivots that were chosen for another matrix do for these values, whose factors are at hand?  Of a matrix
 * with scaled rows. */
int sparse_is_sound(const struct sparse *s, const double *values);
long sparse_entries(const struct sparse *s); /* of the factors at hand */
/* log |det| of the matrix that is factored, real, and its sign; workspace: n. */
double sparse_log_det(const struct sparse *s, int *sign, int *workspace);
/* The columns in the order they are eliminated in (n). */
void sparse_order(const struct sparse *s, int *order);
/* About as many operations as one refactorization and two solves take. */
double sparse_operations(const struct sparse *s);
#endif
