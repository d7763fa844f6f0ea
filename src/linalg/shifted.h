/* shifted.h - E - c J, dense, for real and complex c: the matrices of implicit methods.
 *
 * E is 1 for the first `states` rows and 0 for the others, which are multiplied by row_factor (NULL: there
 * are none).  A complex matrix is the real one of order 2n that acts on (real, imaginary). */
#ifndef KEEL_LINALG_SHIFTED_H
#define KEEL_LINALG_SHIFTED_H

struct keel_halt;

struct shifted {
    int n, states;
    const double *row_factor;
    const double *unit; /* n: the matrix is D^-1 (E - c J) D, D = diag(unit); NULL: all 1 */
};

/* unit, powers of 2: rows and columns of D^-1 J D have about the same sums, diagonal apart (Parlett, Reinsch,
 * Numer. Math. 13, 1969).  unit[0] = 0: there is no need of it, since 1 is more than |c J|, or no entry of J
 * is 2^20 times the largest that balancing cannot change, J_ii and sqrt(J_ij J_ji). */
void shifted_balance(int n, double c, const double *jacobian, double *unit);

/* As dense_lu; lu has n^2 numbers and pivot n, for a complex c 4 n^2 and 2n. */
int shifted_lu(const struct shifted *s, double real, double imaginary, const double *jacobian, double *lu,
               int *pivot, struct keel_halt *halt);
#endif
