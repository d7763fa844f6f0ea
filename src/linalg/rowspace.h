/* rowspace.h - an orthogonal basis of the rows of a Jacobian.
 *
 * B = R Q: the rows of B (weighted) become, one after the other and in the order given, rows of Q, orthogonal but not
 * normalized (no square roots on the way), and a unit lower triangular R, by Gram-Schmidt with a second pass where the
 * first one cancels.  A row with too little new direction (design rule 5) is left out and keeps only its coefficients.
 * Never B B^T: that squares the condition. */
#ifndef KEEL_LINALG_ROWSPACE_H
#define KEEL_LINALG_ROWSPACE_H

struct rowspace {
    int rows, width; /* width: a multiple of 4, at least 4; vectors of this width are 32-byte aligned */
    int rank;
    double *q;       /* rows x width: on entry B, on exit the basis; a left-out row is zero */
    double *r;       /* rows x rows: B_i = q_i + sum_{j<i} r_ij q_j */
    double *inverse; /* rows: 1 / |q_i|^2; 0 for a row left out */
    int *used;       /* rows: 1 if row i carries a direction */
};

/* Row i of B := row_j scale_j, n entries, padded with zeros. */
void rowspace_set(struct rowspace *s, int i, int n, const double *row, const double *scale);
/* Row i is left out if its share of new direction is below floor_of[i].  Zero rows are always left out. */
void rowspace_factor(struct rowspace *s, const double *floor_of);
/* The shortest d with B d = c for the rows in use: z := R^-1 c (others 0), d := Q^T |q|^-2 z. */
void rowspace_shortest(const struct rowspace *s, const double *c, double *z, double *d);
/* d := the part of d that no row in use sees. */
void rowspace_tangent(const struct rowspace *s, double *d);
/* z := Q d. */
void rowspace_components(const struct rowspace *s, const double *d, double *z);
/* With d = Q^T |q|^-2 z = B^T c: z := c.  Rows left out have 0. */
void rowspace_coefficients(const struct rowspace *s, double *z);
/* Row i, left out, as a combination of earlier rows in use: B_i = sum_j c_j B_j. */
void rowspace_dependence(const struct rowspace *s, int i, double *c);
#endif
