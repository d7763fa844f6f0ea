/* roots.c - see roots.h. */
#include "core/roots.h"

#include <float.h>
#include <math.h>

enum { MOST_HALVINGS = 50 };

struct search {
    int degree, sign, count;
    const double *a;
    double noise, least;
    double *at;
};

double roots_value(int degree, const double *a, double s) {
    double sum = a[degree];
    for (int k = degree - 1; k >= 0; k--) sum = sum * s + a[k];
    return sum;
}

double roots_slope(int degree, const double *a, double s) {
    double sum = 0;
    for (int k = degree; k > 0; k--) sum = sum * s + k * a[k];
    return sum;
}

/* b_j = sum of C(j,k) / C(d,k) a_k: factors of at most 1, so that no digits of the sum of |a_k| are lost. */
static void to_bernstein(int degree, const double *a, double *b) {
    for (int j = 0; j <= degree; j++) {
        double factor = 1, sum = 0;
        for (int k = 0; k <= j; k++) {
            sum += factor * a[k];
            factor *= (double)(j - k) / (degree - k);
        }
        b[j] = sum;
    }
}

/* De Casteljau's halves; the left one replaces b. */
static void halve(int degree, double *b, double *right) {
    for (int level = 0; level <= degree; level++) {
        right[degree - level] = b[degree];
        for (int j = degree; j > level; j--) b[j] = 0.5 * (b[j] + b[j - 1]);
    }
}

/* Changes of sign among the coefficients, those within noise left out; the first and last sign, 0: none. */
static int changes(const struct search *q, const double *b, int *first, int *last) {
    int count = 0;
    *first = *last = 0;
    for (int j = 0; j <= q->degree; j++) {
        int sign = (b[j] > q->noise) - (b[j] < -q->noise);
        if (sign == 0) continue;
        if (*first == 0) *first = sign;
        else count += sign != *last;
        *last = sign;
    }
    return count;
}

/* From here on the sign is another. */
static void turn(struct search *q, double at, int sign) {
    if (sign == q->sign) return;
    if (q->sign != 0 && q->count < ROOTS_DEGREE) q->at[q->count++] = at;
    q->sign = sign;
}

/* The one change to `sign` between low and high, the first place beyond it: Illinois. */
static double refine(const struct search *q, double low, double high, int sign) {
    double at_low = roots_value(q->degree, q->a, low) * sign,
           at_high = roots_value(q->degree, q->a, high) * sign;
    int side = 0;
    if (at_low >= 0) return low;
    if (at_high <= 0) return high;
    for (int i = 0; i < 100 && high - low > DBL_EPSILON * high; i++) {
        double part = i > 40 ? 0.5 : at_low / (at_low - at_high), middle = low + part * (high - low);
        if (!(middle > low && middle < high)) middle = 0.5 * (low + high);
        double value = roots_value(q->degree, q->a, middle) * sign;
        if (value < 0) {
            low = middle;
            at_low = value;
            if (side == -1) at_high *= 0.5;
            side = -1;
        } else {
            high = middle;
            at_high = value;
            if (value == 0) break;
            if (side == 1) at_low *= 0.5;
            side = 1;
        }
    }
    return high;
}

/* b: the coefficients over low .. low + width; overwritten.  One change counts only where the values at both
 * ends tell their signs: next to a double root all others may have one. */
static void isolate(struct search *q, double *b, double low, double width, int halvings) {
    double right[ROOTS_DEGREE + 1];
    int first, last, count = changes(q, b, &first, &last);
    int clear = fabs(b[0]) > q->noise && fabs(b[q->degree]) > q->noise;
    if (first == 0) return; /* all of it is noise */
    if (count == 0 || (count == 1 && clear)) {
        turn(q, low, first);
        if (count == 1) turn(q, refine(q, low, low + width, last), last);
    } else if (halvings == MOST_HALVINGS || width <= q->least) {
        turn(q, low + 0.5 * width, last);
    } else {
        halve(q->degree, b, right);
        isolate(q, b, low, 0.5 * width, halvings + 1);
        isolate(q, right, low + 0.5 * width, 0.5 * width, halvings + 1);
    }
}

int roots_find(int degree, const double *a, double noise, double least, int *sign, double *at) {
    double b[ROOTS_DEGREE + 1];
    if (degree < 0) return 0; /* no polynomial, no roots */
    struct search q = {.degree = degree, .sign = *sign, .a = a, .noise = noise, .least = least, .at = at};
    to_bernstein(degree, a, b);
    double end = b[degree];
    int first, last;
    changes(&q, b, &first, &last);
    isolate(&q, b, 0, 1, 0);
    if (first != 0 && end * q.sign <= 0) turn(&q, 1, -q.sign); /* all that is noise has no end, either */
    *sign = q.sign;
    return q.count;
}
