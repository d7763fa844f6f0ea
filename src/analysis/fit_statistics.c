/* fit_statistics.c - what a fit is worth: standard deviations, intervals, what the data cannot tell apart,
 * doubts.
 *
 * With residuals in units of their standard deviations the covariance is (J^T J)^-1.  J = Q R, and of R with
 * columns of length 1 the singular values tell which combinations of the parameters the data do not see:
 * there is no (J^T J)^-1 then, but parameters without a part in these combinations have their variance. */
#include "analysis/fit.h"

#include "linalg/qr.h"
#include "linalg/svd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FREE, DOUBT };
#define EXACT 1e-6 /* of the largest number: residuals are the errors of the runs */

/* The columns of J that count, of length 1, as U S V^T. */
struct spectrum {
    int count, *which;                      /* parameters that are not on a bound and that the data see */
    double *length, *a, *r, *sigma, *v, *d; /* [n], [rows][n], [n][n], [n], [n][n], [n] */
    int nulls;                              /* the last so many singular values are zero */
};

static void remark(keel_fit *f, int kind, const char *sentence) {
    if (f->remarks[kind] == FIT_REMARKS) return;
    char *copy = malloc(strlen(sentence) + 1);
    if (!copy) {
        fit_no_memory(f);
        return;
    }
    f->remark[kind][f->remarks[kind]++] = strcpy(copy, sentence);
}

/* Student's distribution for a whole number of degrees of freedom, |t| <= x, by its finite sums (Abramowitz
 * and Stegun, 26.7.3 and 26.7.4). */
static double inside(int freedom, double x) {
    double theta = atan(x / sqrt(freedom)), c = cos(theta), square = c * c, term, sum = 0;
    if (freedom % 2 == 0) {
        term = 1;
        for (int k = 0; k < freedom / 2; k++, term *= square * (2 * k - 1) / (2 * k)) sum += term;
        return sin(theta) * sum;
    }
    term = c;
    for (int k = 0; k < (freedom - 1) / 2; k++, term *= square * (2 * k) / (2 * k + 1)) sum += term;
    return (theta + sin(theta) * sum) * 2 / acos(-1);
}

double fit_student(int freedom) {
    double low = 1.9, high = 13;
    if (freedom > 100000) return 1.959963984540054;
    for (int round = 0; round < 60; round++) {
        double middle = (low + high) / 2;
        if (inside(freedom, middle) < 0.95) low = middle;
        else high = middle;
    }
    return (low + high) / 2;
}

/* The spectrum ------------------------------------------------------------------------------------------- */

static void spectrum_close(struct spectrum *s) {
    free(s->which);
    free(s->length);
}

static int spectrum_open(struct spectrum *s, const keel_fit *f) {
    size_t n = (size_t)f->n, rows = (size_t)f->points;
    *s = (struct spectrum){.which = malloc((n + 1) * sizeof *s->which)};
    s->length = calloc(3 * n + rows * n + 2 * n * n + 1, sizeof *s->length);
    if (!s->which || !s->length) return 0;
    s->sigma = s->length + n, s->d = s->sigma + n, s->r = s->d + n, s->v = s->r + n * n;
    s->a = s->v + n * n;
    return 1;
}

/* What the runs resolve decides what zero is: columns are right to about rtol. */
static void spectrum_find(struct spectrum *s, const keel_fit *f, const double *jacobian) {
    double tolerance = fmax(1e-7, 100 * f->o.rtol);
    s->count = s->nulls = 0;
    double most = 0;
    for (int k = 0; k < f->n; k++) {
        s->length[k] = 0;
        for (int i = 0; i < f->points; i++) s->length[k] = hypot(s->length[k], jacobian[i * f->n + k]);
        most = fmax(most, s->length[k] * fabs(f->value[k].value));
    }
    double least = fmax(LEAST_SQUARES_UNSEEN * most, fit_noise(f));
    for (int k = 0; k < f->n; k++) {
        double size = fabs(f->value[k].value);
        int seen = s->length[k] > 0 && (size == 0 || s->length[k] * size > least);
        if (f->value[k].bound == 0 && seen) s->which[s->count++] = k;
    }
    for (int i = 0; i < f->points; i++)
        for (int k = 0; k < s->count; k++)
            s->a[i * s->count + k] = jacobian[i * f->n + s->which[k]] / s->length[s->which[k]];
    qr_factor(f->points, s->count, s->a, s->d);
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < s->count; k++)
            s->r[i * s->count + k] = k < i ? 0 : k == i ? s->d[i] : s->a[i * s->count + k];
    svd_jacobi(s->count, s->count, s->r, s->sigma, s->v);
    for (int k = 0; k < s->count; k++) s->nulls += !(s->sigma[k] > tolerance * s->sigma[0]);
}

/* Part i of the c-th singular vector from the end, as a change of the parameter itself. */
static double null_part(const struct spectrum *s, int c, int i) {
    return s->v[i * s->count + s->count - 1 - c] / s->length[s->which[i]];
}

/* Has the parameter a part in what is free? */
static int is_free(const struct spectrum *s, int i) {
    double part = 0;
    for (int c = 0; c < s->nulls; c++) part = hypot(part, s->v[i * s->count + s->count - 1 - c]);
    return part > 1e-3;
}

/* Parameters on a bound, unseen or free take no degree of freedom from the residuals: what was estimated with
 * all of them taken off is less. */
static void count_freedom(keel_fit *f, struct spectrum *s) {
    int freedom = f->points - (s->count - s->nulls);
    double factor = f->given ? 1 : sqrt((double)f->freedom / freedom);
    f->freedom = freedom;
    for (int c = 0; c < f->columns; c++) f->column[c].sigma *= factor;
    for (int i = 0; i < f->points; i++) f->search.r[i] /= factor;
    for (int k = 0; k < f->n; k++) s->length[k] /= factor;
    f->search.square /= factor * factor;
}

/* Covariances -------------------------------------------------------------------------------------------- */

static void find_covariance(keel_fit *f, const struct spectrum *s) {
    for (int i = 0; i < f->n * f->n; i++) f->covariance[i] = NAN;
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < s->count; k++) {
            double sum = 0;
            for (int c = 0; c < s->count - s->nulls; c++)
                sum += s->v[i * s->count + c] * s->v[k * s->count + c] / (s->sigma[c] * s->sigma[c]);
            if (is_free(s, i) || is_free(s, k)) sum = NAN;
            f->covariance[s->which[i] * f->n + s->which[k]] =
                sum / s->length[s->which[i]] / s->length[s->which[k]];
        }
    f->student = f->given ? fit_student(1000000) : fit_student(f->freedom);
    for (int k = 0; k < f->n; k++) {
        keel_fitted *one = &f->value[k];
        one->deviation = sqrt(f->covariance[k * f->n + k]);
        one->low = one->value - f->student * one->deviation;
        one->high = one->value + f->student * one->deviation;
    }
}

/* Without given standard deviations: a column with no more numbers than parameters can be met exactly.  It
 * draws all weight to itself then, beside which others seem to tell nothing, and its residuals tell nothing
 * of its noise. */
static void find_met(keel_fit *f, const struct spectrum *s) {
    for (int c = 0; c < f->columns && !f->given; c++) {
        double square = 0, largest = 0;
        int count = 0;
        for (int i = 0; i < f->points; i++) {
            const keel_fit_point *p = &f->point[i];
            if (p->column != c) continue;
            square += (p->fitted - p->value) * (p->fitted - p->value);
            largest = fmax(largest, fabs(p->value));
            count++;
        }
        if (count == 0 || count > s->count || sqrt(square / count) > EXACT * largest) continue;
        char sentence[TEXT_SENTENCE];
        text_set(sentence, sizeof sentence,
                 "%d number%s of `%.80s` %s met exactly by %d parameter%s: nothing is left to estimate the "
                 "noise from, and the standard deviations cannot be told; give that of `%.80s`, or more data",
                 count, count == 1 ? "" : "s", f->column[c].name, count == 1 ? "is" : "are", s->count,
                 s->count == 1 ? "" : "s", f->column[c].name);
        remark(f, DOUBT, sentence);
        f->freedom = 0;
    }
    for (int i = 0; i < f->n * f->n && f->freedom == 0; i++) f->covariance[i] = NAN;
    for (int k = 0; k < f->n && f->freedom == 0; k++)
        f->value[k].deviation = f->value[k].low = f->value[k].high = NAN;
}

/* What is free ------------------------------------------------------------------------------------------ */

/* Is part/unit of both the same small fraction?  Then numerator and denominator. */
static int is_fraction(double x, int *numerator, int *denominator) {
    for (*denominator = 1; *denominator <= 4; ++*denominator) {
        double nearest = round(x * *denominator);
        if (nearest == 0 || fabs(nearest) > 6 || fabs(x * *denominator - nearest) > 1e-3) continue;
        *numerator = (int)nearest;
        return 1;
    }
    return 0;
}

static void add_power(char *out, size_t capacity, const char *name, int power) {
    int first = out[0] == '\0', size = abs(power);
    text_add(out, capacity, power > 0 ? (first ? "" : "*") : first ? "1/" : "/");
    text_add(out, capacity, size == 1 ? "%.60s" : "%.60s^%d", name, size);
}

static void add_term(char *out, size_t capacity, const char *name, int factor) {
    int first = out[0] == '\0', size = abs(factor);
    text_add(out, capacity, factor > 0 ? (first ? "" : " + ") : first ? "-" : " - ");
    text_add(out, capacity, size == 1 ? "%.0d%.60s" : "%d*%.60s", size == 1 ? 0 : size, name);
}

/* Of two parameters that move together by (u, w) of their sizes p^w q^-u stays as it is, if u and w are the
 * same elsewhere; by (u, w) themselves w p - u q does. */
static int name_combination(const char *p, const char *q, const double here[2], const double there[2],
                            const double x[2], const double y[2], char *out, size_t capacity) {
    double relative = here[0] / x[0] / (here[1] / x[1]), other = there[0] / y[0] / (there[1] / y[1]);
    int up, down;
    out[0] = '\0';
    if (fabs(relative - other) <= 1e-3 * fabs(relative) && is_fraction(relative, &up, &down)) {
        int sign = up < 0 ? 1 : -1; /* the first power is positive */
        add_power(out, capacity, p, down);
        add_power(out, capacity, q, sign * abs(up));
        return 1;
    }
    double absolute = here[0] / here[1], beside = there[0] / there[1];
    if (fabs(absolute - beside) <= 1e-3 * fabs(absolute) && is_fraction(absolute, &up, &down)) {
        add_term(out, capacity, p, down);
        add_term(out, capacity, q, -up);
        return 1;
    }
    return 0;
}

/* The parameters of the c-th free combination, and how they move together: 1 % of the first. */
static void tell_free(keel_fit *f, const struct spectrum *s, int c, const struct spectrum *there,
                      const double *beside) {
    char sentence[TEXT_SENTENCE] = "", names[300] = "", combination[200];
    int part[2] = {-1, -1}, count = 0, told = 0;
    double unit = 0;
    for (int i = 0; i < s->count; i++) {
        if (fabs(s->v[i * s->count + s->count - 1 - c]) <= 1e-3) continue;
        if (count < 2) part[count] = i;
        count++;
    }
    for (int i = 0; i < s->count; i++) {
        const keel_fitted *one = &f->value[s->which[i]];
        if (fabs(s->v[i * s->count + s->count - 1 - c]) <= 1e-3) continue;
        double size = one->value != 0 ? fabs(one->value) : 1, by = null_part(s, c, i) / size;
        if (unit == 0) unit = by;
        told++;
        text_add(names, sizeof names, "%s`%.60s`",
                 told == 1       ? ""
                 : told == count ? " and "
                                 : ", ",
                 one->name);
        text_add(sentence, sizeof sentence, "%s`%.60s` by %+.3g %s",
                 told == 1       ? ""
                 : told == count ? " and "
                                 : ", ",
                 one->name, by / unit, one->value != 0 ? "%" : "hundredths");
    }
    char out[2 * TEXT_SENTENCE];
    text_set(out, sizeof out, "the data do not determine %s each: to change %s leaves the fit as it is",
             names, sentence);
    if (count == 2 && s->nulls == 1 && there && there->nulls == 1 && there->count == s->count) {
        double here[2], elsewhere[2], x[2], y[2];
        for (int k = 0; k < 2; k++) {
            here[k] = null_part(s, 0, part[k]), elsewhere[k] = null_part(there, 0, part[k]);
            x[k] = f->value[s->which[part[k]]].value, y[k] = beside[s->which[part[k]]];
        }
        if (name_combination(f->value[s->which[part[0]]].name, f->value[s->which[part[1]]].name, here,
                             elsewhere, x, y, combination, sizeof combination))
            text_add(out, sizeof out, "; only %s is determined", combination);
    }
    remark(f, FREE, out);
}

/* The same at a place beside it tells a product from a sum. */
static void find_free(keel_fit *f, const struct spectrum *s) {
    struct spectrum there = {0};
    size_t rows = (size_t)f->points;
    double *r = malloc((rows + rows * (size_t)f->n + (size_t)f->n) * sizeof *r), *x = NULL;
    int good = 0;
    if (r && spectrum_open(&there, f)) {
        x = r + rows + rows * (size_t)f->n;
        for (int k = 0; k < f->n; k++) {
            x[k] = f->search.x[k] * (1 + 0.07 * (k + 1) / f->n);
            x[k] = fmin(fmax(x[k], f->low[k]), f->high[k]);
        }
        good = fit_value(f, x, r, r + rows) == 0;
        if (good) spectrum_find(&there, f, r + rows);
    }
    for (int c = 0; c < s->nulls && f->status == KEEL_OK; c++) tell_free(f, s, c, good ? &there : NULL, x);
    spectrum_close(&there);
    free(r);
}

/* Doubts ------------------------------------------------------------------------------------------------- */

/* Noise has no memory: the residual at one time says nothing of the next. */
static void find_correlations(keel_fit *f) {
    for (int c = 0; c < f->columns; c++) {
        double product = 0, square = 0, largest = 0, rms = 0, last = NAN;
        int count = 0, experiment = -1;
        for (int i = 0; i < f->points; i++) {
            const keel_fit_point *p = &f->point[i];
            if (p->column != c) continue;
            double r = f->search.r[i];
            if (p->experiment == experiment) product += r * last;
            square += r * r, count++;
            rms += (p->fitted - p->value) * (p->fitted - p->value);
            largest = fmax(largest, fabs(p->value));
            last = r, experiment = p->experiment;
        }
        double correlation = f->column[c].correlation = square > 0 ? product / square : 0;
        int noise = sqrt(rms / count) > EXACT * largest;
        if (count < 20 || !noise || !(correlation > fmax(0.3, 4 / sqrt(count)))) continue;
        char sentence[TEXT_SENTENCE];
        text_set(
            sentence, sizeof sentence,
            "the residuals of `%.80s` follow each other (correlation %.2f): the model does not describe "
            "the data to their noise, or the search has found another minimum; the standard deviations are "
            "too small",
            f->column[c].name, correlation);
        remark(f, DOUBT, sentence);
    }
}

static void find_scatter(keel_fit *f) {
    double factor = sqrt(f->search.square / f->freedom);
    char sentence[TEXT_SENTENCE];
    if (!f->given || fabs(f->search.square - f->freedom) <= 4 * sqrt(2.0 * f->freedom)) return;
    text_set(sentence, sizeof sentence,
             "the residuals are %.3g times as large as the given standard deviations: %s", factor,
             factor > 1 ? "the model does not describe the data, or these are too small"
                        : "these are too large");
    remark(f, DOUBT, sentence);
}

/* ------------------------------------------------------------------------------------------------------- */

static void find_unseen(keel_fit *f, const struct spectrum *s) {
    for (int k = 0; k < f->n; k++) {
        char sentence[TEXT_SENTENCE];
        int seen = f->value[k].bound != 0;
        for (int i = 0; i < s->count; i++) seen |= s->which[i] == k;
        if (seen) continue;
        text_set(sentence, sizeof sentence, "the data do not depend on `%.80s`", f->value[k].name);
        if (s->length[k] > 0)
            text_add(sentence, sizeof sentence,
                     " where the search ended: a change by its own size, %.2g, is not seen in them",
                     f->value[k].value);
        remark(f, FREE, sentence);
    }
}

void fit_statistics(keel_fit *f) {
    struct spectrum s;
    for (int k = 0; k < f->n; k++) {
        double x = f->value[k].value;
        f->value[k].bound = x <= f->low[k] ? -1 : x >= f->high[k];
    }
    if (spectrum_open(&s, f)) {
        spectrum_find(&s, f, f->search.jacobian);
        count_freedom(f, &s);
        find_covariance(f, &s);
        find_met(f, &s);
        find_correlations(f);
        find_scatter(f);
        find_unseen(f, &s);
        if (s.nulls && f->freedom > 0) find_free(f, &s);
    } else fit_no_memory(f);
    spectrum_close(&s);
}
