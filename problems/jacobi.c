/* jacobi.c - sn, cn, dn by the descending Landen transformation.
 *
 * a, b, c run through the arithmetic-geometric mean of 1 and sqrt(1 - m); K = pi / (2 a).  Starting from
 * phi_N = 2^N a_N u, the amplitude follows from sin(2 phi_(j-1) - phi_j) = (c_j / a_j) sin phi_j
 * (Abramowitz and Stegun 16.4, 17.6).  The argument is reduced by the period 4 K first. */
#include "jacobi.h"

#include <float.h>
#include <math.h>

enum { LEVELS = 20 };

/* a[0..N], c[0..N]; returns N. */
static int means(long double m, long double *a, long double *c) {
    long double b = sqrtl(1.0L - m);
    int n = 0;
    a[0] = 1.0L;
    c[0] = sqrtl(m);
    while (n < LEVELS - 1 && fabsl(c[n]) > LDBL_EPSILON * a[n]) {
        a[n + 1] = 0.5L * (a[n] + b);
        c[n + 1] = c[n] * c[n] / (4.0L * a[n + 1]);
        b = sqrtl(a[n] * b);
        n++;
    }
    return n;
}

long double problem_ellipk(long double m) {
    long double a[LEVELS], c[LEVELS];
    return acosl(0.0L) / a[means(m, a, c)];
}

void problem_jacobi(long double u, long double m, double *sn, double *cn, double *dn) {
    long double a[LEVELS], c[LEVELS];
    int n = means(m, a, c);
    long double phi = ldexpl(a[n] * remainderl(u, 4.0L * acosl(0.0L) / a[n]), n);
    for (int j = n; j > 0; j--) phi = 0.5L * (phi + asinl(c[j] / a[j] * sinl(phi)));
    long double cosine = cosl(phi);
    *sn = (double)sinl(phi);
    *cn = (double)cosine;
    *dn = (double)sqrtl(1.0L - m + m * cosine * cosine);
}
