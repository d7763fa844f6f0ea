/* series.c - the interpreter of recurrences; series_build.c makes what it runs. */
#include "lang/series.h"

#include <math.h>

#define SOURCE(...) __VA_ARGS__
#include "lang/series_source.def"
#undef SOURCE

#define SOURCE(...) #__VA_ARGS__,
const char *const series_source[] = {
#include "lang/series_source.def"
    NULL};
#undef SOURCE

struct run {
    const struct series *s;
    const double *parameter;
    double *registers;
};

static int zero(double t, const double *u, double *out, void *with) {
    const struct run *r = with;
    tape_run(&r->s->zero, t, u, r->parameter, out, r->registers);
    return 0;
}

static int solve(double t, const double *u, double *out, void *with) {
    const struct run *r = with;
    tape_run(&r->s->solve, t, u, r->parameter, out, r->registers);
    return 0;
}

/* Coefficient k of the kinks, on the branch of order 0. */
static double kink(const struct series_code *c, const double *w, long stride, const double *r, int k) {
    const double *a = w + c->a * stride, *b = w + c->b * stride;
    switch (c->rule) {
    case SERIES_ABS:
        return a[0] < 0 ? -a[k] : a[k];
    case SERIES_MIN:
        return a[0] < b[0] ? a[k] : b[k];
    case SERIES_MAX:
        return a[0] > b[0] ? a[k] : b[k];
    case SERIES_MOD:
        return keel_remainder(a, b, r, k);
    default:
        return a[0] != 0 ? b[k] : w[c->c * stride + k];
    }
}

/* One order of the recurrences from .. end; emit_series writes the same. */
static void recur(const struct series_code *from, const struct series_code *end, double *w,
                  const double *fixed, long stride, int k) {
    for (const struct series_code *c = from; c < end; c++) {
        double *r = w + c->to * stride;
        const double *a = w + c->a * stride, *b = w + c->b * stride;
        switch (c->rule) {
        case SERIES_ZERO:
            r[k] = 0;
            break;
        case SERIES_COPY:
            r[k] = a[k];
            break;
        case SERIES_NEGATE:
            r[k] = -a[k];
            break;
        case SERIES_ADD:
            r[k] = a[k] + b[k];
            break;
        case SERIES_SUB:
            r[k] = a[k] - b[k];
            break;
        case SERIES_SCALE:
            r[k] = a[k] * fixed[c->b];
            break;
        case SERIES_SHRINK:
            r[k] = a[k] / fixed[c->b];
            break;
        case SERIES_MUL:
            r[k] = keel_fold(a, b + k, k + 1);
            break;
        case SERIES_SQUARE:
            r[k] = keel_square(a, k);
            break;
        case SERIES_DIV:
            r[k] = keel_over(a[k], r, b, k);
            break;
        case SERIES_INVERT:
            r[k] = keel_over(0, r, b, k);
            break;
        case SERIES_SQRT:
            r[k] = keel_root(a, r, k);
            break;
        case SERIES_POWER:
            r[k] = keel_power(a, r, fixed[c->b], k);
            break;
        case SERIES_CHAIN:
            r[k] = keel_slope(a, b, k);
            break;
        case SERIES_CHAIN_ON:
            r[k] += keel_slope(a, b, k);
            break;
        case SERIES_CHAIN_BY:
            r[k] += a[k] * fixed[c->b];
            break;
        default:
            r[k] = kink(c, w, stride, r, k);
        }
    }
}

static void early(double *w, const double *fixed, int stride, int k, void *with) {
    const struct series *s = ((const struct run *)with)->s;
    recur(s->code, s->code + s->early, w, fixed, stride, k);
}

static void late(double *w, const double *fixed, int stride, int k, void *with) {
    const struct series *s = ((const struct run *)with)->s;
    recur(s->code + s->early, s->code + s->count, w, fixed, stride, k);
}

static void again(double *w, const double *fixed, int stride, int k, void *with) {
    const struct series *s = ((const struct run *)with)->s;
    recur(s->code + s->count, s->code + s->count + s->again, w, fixed, stride, k);
}

static long registers(const struct series *s) {
    return s->zero.registers > s->solve.registers ? s->zero.registers : s->solve.registers;
}

void series_room(const struct series *s, long *room, long *each) {
    long m = s->m;
    *room = (long)s->jets + s->fixed + s->n + m * (m + 3) + registers(s);
    *each = s->jets;
}

int series_run(const struct series *s, double t, const double *u, int orders, double *out, double *work,
               const double *p) {
    struct run run = {s, p, work};
    const struct keel_recurrence recurrence = {s->n,          s->m,    s->given, s->linear, (int)s->jets,
                                               (int)s->fixed, s->rate, s->row,   zero,      solve,
                                               early,         late,    again};
    return keel_recur(&recurrence, t, u, orders, out, work + registers(s), &run);
}
