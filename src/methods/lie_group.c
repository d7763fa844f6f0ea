/* lie_group.c - see lie_group.h. */
#include "methods/lie_group.h"

#include <math.h>

double lie_dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

double lie_unit(int n, const double *v, double *out) {
    double largest = 0, sum = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(v[i]));
    for (int i = 0; i < n; i++) {
        out[i] = largest > 0 ? v[i] / largest : 0;
        sum += out[i] * out[i];
    }
    double length = sqrt(sum);
    for (int i = 0; i < n && length > 0; i++) out[i] /= length;
    return largest * length;
}

double lie_length(int n, const double *v) {
    double largest = 0, sum = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(v[i]));
    for (int i = 0; i < n; i++) {
        double part = largest > 0 ? v[i] / largest : v[i];
        sum += part * part;
    }
    return sum == 0 ? 0 : largest * sqrt(sum); /* NaN stays NaN */
}

double lie_boost(int n, const double *x, double length, const double *e, double rapidity, double *dx) {
    double half = sinh(0.5 * rapidity), versed = 2 * half * half, boost = sinh(rapidity);
    double cosine = lie_dot(n, e, x) / length;
    double more = versed + boost * cosine, push = length * (versed * cosine + boost);
    for (int i = 0; i < n; i++) dx[i] = (push * e[i] - more * x[i]) / (1 + more);
    return 1 + more;
}
