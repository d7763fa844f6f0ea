/* ilu.h - a sparse matrix by rows, its product with a vector, and its incomplete factors.
 *
 * M = L U with the entries of A's own pattern alone: what elimination would add elsewhere is left out, and a
 * share of it put on the diagonal instead.  With all of it M has A's row sums, and M^-1 A of a diffusion on
 * N x N points the condition O(N) in place of O(N^2) (Gustafsson, BIT 18 (1978) 142); a little less is safer
 * where rows are not dominated by their diagonal (Axelsson, Lindskog, Numer. Math. 48 (1986) 479).  If the
 * factors of A fill nothing, as those of a tridiagonal matrix, M is A.
 *
 * Complex matrices have their numbers, and those of vectors, in pairs, real and imaginary part; M shares the
 * pattern of real ones.
 *
 * Numbers follow from those of A alone, so nothing of this needs to be saved. */
#ifndef KEEL_LINALG_ILU_H
#define KEEL_LINALG_ILU_H

struct ilu;

/* Compressed columns: start (n + 1) and row; each diagonal entry is among them.  NULL: no memory. */
struct ilu *ilu_open(int n, const int *start, const int *row, int complex);
/* Another matrix of this pattern, for as long as `of` is open. */
struct ilu *ilu_share(const struct ilu *of, int complex);
void ilu_close(struct ilu *a);

/* A := values in the order of the columns, and M.  0; 1: a pivot is zero, and nothing can be solved. */
int ilu_factor(struct ilu *a, const double *values);
void ilu_multiply(const struct ilu *a, const double *x, double *out); /* out := A x */
void ilu_solve(const struct ilu *a, double *b);                       /* b := M^-1 b */
int ilu_order(const struct ilu *a);
int ilu_parts(const struct ilu *a);       /* of a number: 1, or 2 of a complex one */
double ilu_products(const struct ilu *a); /* of A and a vector: real ones */
#endif
