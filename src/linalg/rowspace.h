/* rowspace.h - an orthonormal basis of the rows of a Jacobian.
 *
 * B = R Q: the rows of B (weighted) become, one after the other and in the order given, rows of the orthonormal Q and a
 * lower triangular R, by Gram-Schmidt with a second pass where the first one cancels.  A row with too little new
 * direction (design rule 5) is left out and keeps only its coefficients.  Never B B^T: that squares the condition. */
#ifndef KEEL_LINALG_ROWSPACE_H
#define KEEL_LINALG_ROWSPACE_H

struct rowspace {
    int rows, width;   /* width: a multiple of 4 */
    int rank;
    double *q;         /* rows x width: on entry B, on exit the basis; a left-out row is zero */
    double *r;         /* rows x rows, lower: B_i = sum_j<=i r_ij q_j */
    double *fresh;     /* rows: the share of row i that is a new direction, 0 .. 1 */
    int *used;         /* rows: 1 if row i carries a direction */
};

/* Row i is left out if its share of new direction is below floor_of[i].  Zero rows are always left out. */
void rowspace_factor(struct rowspace *s, const double *floor_of);
/* The shortest d with B d = c for the rows in use: z := R^-1 c (others 0), d := Q^T z. */
void rowspace_shortest(const struct rowspace *s, const double *c, double *z, double *d);
/* d := d - Q^T Q d. */
void rowspace_tangent(const struct rowspace *s, double *d);
/* coefficients := R^-T z for rows in use: d = Q^T z = B^T coefficients.  In place. */
void rowspace_coefficients(const struct rowspace *s, double *z);
/* z := Q d. */
void rowspace_components(const struct rowspace *s, const double *d, double *z);
#endif
