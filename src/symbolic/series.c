/* series.c - the interpreter of recurrences; series_build.c makes what it runs. */
#include "symbolic/series.h"

#include <math.h>

#define SOURCE(...) __VA_ARGS__
#include "symbolic/series_fronts.def"
#include "symbolic/series_source.def"
#include "symbolic/series_follow.def"
#undef SOURCE

#define SOURCE(...) #__VA_ARGS__,
const char *const series_fronts_source[] = {
#include "symbolic/series_fronts.def"
    NULL};
const char *const series_source[] = {
#include "symbolic/series_source.def"
    NULL};
const char *const series_follow_source[] = {
#include "symbolic/series_follow.def"
    NULL};
#undef SOURCE

/* Longer models are not compiled twice. */
enum { MOST_CODES = 600 };

struct run {
    const struct series *s;
    const double *parameter;
    double *registers;
    struct keel_fronts fronts;
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

/* Coefficient k of nonsmooth functions, on the branch of order 0. */
static double nonsmooth(const struct series_code *c, const double *w, long stride, const double *r, int k) {
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

/* One order of a simple recurrence; emit_series writes the same. */
static void linear(const struct series_code *c, double *w, const double *fixed, long stride, int k) {
    double *r = w + c->to * stride;
    const double *a = w + c->a * stride;
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
        r[k] = a[k] + w[c->b * stride + k];
        break;
    case SERIES_SUB:
        r[k] = a[k] - w[c->b * stride + k];
        break;
    case SERIES_SCALE:
        r[k] = a[k] * fixed[c->b];
        break;
    case SERIES_SHRINK:
        r[k] = a[k] / fixed[c->b];
        break;
    case SERIES_CHAIN_BY:
        r[k] += a[k] * fixed[c->b];
        break;
    case SERIES_TIMES:
        r[k] = k * a[k];
        break;
    default:
        r[k] = nonsmooth(c, w, stride, r, k);
    }
}

/* What a code adds to a sum. */
static double term(const struct series_code *c, const double *w, const double *fixed, const double *sums,
                   long stride, int k) {
    const double *a = w + c->a * stride;
    double known = sums[2 * c->c];
    switch (c->rule) {
    case SERIES_MORE:
        return keel_product(known, a, w + c->b * stride, k);
    case SERIES_LESS:
        return -keel_product(known, a, w + c->b * stride, k);
    case SERIES_MORE_SQUARE:
        return keel_square(known, a, k);
    case SERIES_TERM:
        return a[k];
    case SERIES_TERM_LESS:
        return -a[k];
    case SERIES_TERM_BY:
        return a[k] * fixed[c->b];
    default:
        return -(a[k] * fixed[c->b]);
    }
}

/* One order of codes from .. end; emit_series writes the same. */
static void recur(const struct series *s, size_t from, size_t end, double *w, const double *fixed,
                  const double *sums, const double *over, long stride, int k) {
    double sum = 0;
    for (const struct series_code *c = s->code + from; c < s->code + end; c++) {
        double *r = w + c->to * stride;
        const double *a = w + c->a * stride, *b = w + c->b * stride, *e = w + c->e * stride,
                     *known = sums + 2 * c->c;
        switch (c->rule) {
        case SERIES_MUL:
            r[k] = keel_product(*known, a, b, k);
            break;
        case SERIES_SQUARE:
            r[k] = keel_square(*known, a, k);
            break;
        case SERIES_DIV:
            r[k] = keel_over(*known, a[k], r, b, fixed[c->d], k);
            break;
        case SERIES_INVERT:
            r[k] = keel_over(*known, 0, r, b, fixed[c->d], k);
            break;
        case SERIES_SQRT:
            r[k] = keel_root(*known, a, r, fixed[c->d], k);
            break;
        case SERIES_POWER:
            r[k] = keel_power(known, a, e, r, fixed[c->b], fixed + c->d - 1, over, k);
            break;
        case SERIES_CHAIN:
            r[k] = keel_slope(*known, a, e, b, over, k);
            break;
        case SERIES_CHAIN_LESS:
            r[k] = -keel_slope(*known, a, e, b, over, k);
            break;
        case SERIES_CHAIN_ON:
            r[k] += keel_slope(*known, a, e, b, over, k);
            break;
        case SERIES_STEP:
            r[k + 1] = c->a < s->jets ? keel_share(a[k], over + 2) : 0;
            break;
        case SERIES_STEP_AHEAD:
            r[k + 2] = keel_share(a[k + 1], over + 4);
            break;
        case SERIES_PUT:
            r[k] = sum;
            break;
        default:
            if (c->rule == SERIES_OPEN) sum = -0.0; /* + a is a */
            else if (c->rule > SERIES_OPEN && c->rule < SERIES_PUT) sum += term(c, w, fixed, sums, stride, k);
            else linear(c, w, fixed, stride, k);
        }
    }
}

/* What the sums of codes from .. end have of orders k and k + 1. */
static void add_known(const struct series *s, size_t from, size_t end, double *w, double *sums, int stride,
                      int k) {
    struct series_product product[2];
    for (size_t i = from; i < end; i++) {
        int count = series_products(&s->code[i], product);
        for (int j = 0; j < count; j++) {
            const double *a = w + (long)product[j].a * stride, *b = w + (long)product[j].b * stride;
            double *sum = sums + 2 * (s->code[i].c + (uint32_t)j);
            if (a == b) keel_far_known_square(a, k, sum);
            else keel_far_known(a, b, k, sum);
        }
    }
}

static void known_ahead(double *w, const double *fixed, double *sums, const double *over, int stride, int k,
                        void *with) {
    const struct series *s = ((const struct run *)with)->s;
    (void)fixed, (void)over;
    add_known(s, 0, s->ahead, w, sums, stride, k);
}

static void ahead(double *w, const double *fixed, double *sums, const double *over, int stride, int k,
                  void *with) {
    const struct series *s = ((const struct run *)with)->s;
    recur(s, 0, s->ahead, w, fixed, sums, over, stride, k);
}

static void known(double *w, const double *fixed, double *sums, const double *over, int stride, int k,
                  void *with) {
    const struct series *s = ((const struct run *)with)->s;
    (void)fixed, (void)over;
    add_known(s, s->ahead, s->count, w, sums, stride, k);
}

static void early(double *w, const double *fixed, double *sums, const double *over, int stride, int k,
                  void *with) {
    const struct series *s = ((const struct run *)with)->s;
    recur(s, s->ahead, s->early, w, fixed, sums, over, stride, k);
}

static void late(double *w, const double *fixed, double *sums, const double *over, int stride, int k,
                 void *with) {
    const struct series *s = ((const struct run *)with)->s;
    recur(s, s->early, s->count, w, fixed, sums, over, stride, k);
}

static void again(double *w, const double *fixed, double *sums, const double *over, int stride, int k,
                  void *with) {
    const struct series *s = ((const struct run *)with)->s;
    recur(s, s->count, s->count + s->again, w, fixed, sums, over, stride, k);
}

static long registers(const struct series *s) {
    return s->zero.registers > s->solve.registers ? s->zero.registers : s->solve.registers;
}

long series_room(const struct series *s) {
    return s->fronts.m ? (long)series_fronts_room(&s->fronts) : (long)s->m * (s->m + 1);
}

int series_has_stride(const struct series *s) {
    return s->count + s->again < MOST_CODES;
}

void series_workspace(const struct series *s, long *workspace, long *per_order) {
    *workspace =
        (long)s->jets + s->fixed + 2 * (long)s->sums + s->n + 2 * (long)s->m + series_room(s) + registers(s);
    *per_order = (long)s->jets + s->copies + 2;
    *workspace += 2 + (s->leads ? *per_order : 0);
    if (series_has_stride(s)) *workspace += SERIES_STRIDE * *per_order;
}

static struct keel_fronts fronts_of(const struct series_fronts *f) {
    return (struct keel_fronts){.m = f->m,
                                .entries = f->entries,
                                .factors = f->factors,
                                .largest = f->largest,
                                .stack = f->stack,
                                .shape = f->shape,
                                .column = f->column,
                                .onto = f->onto,
                                .slot = f->slot,
                                .to = f->to};
}

static struct keel_recurrence recurrence_of(const struct series *s, const struct run *run) {
    return (struct keel_recurrence){.n = s->n,
                                    .m = s->m,
                                    .given = s->given,
                                    .linear = s->linear,
                                    .jets = (int)s->jets,
                                    .copies = (int)s->copies,
                                    .fixed = (int)s->fixed,
                                    .sums = (int)s->sums,
                                    .leads = s->leads,
                                    .room = (int)series_room(s),
                                    .rate = s->rate,
                                    .row = s->row,
                                    .shift = s->shift,
                                    .zero = zero,
                                    .solve = solve,
                                    .known_ahead = known_ahead,
                                    .ahead = ahead,
                                    .known = known,
                                    .early = early,
                                    .late = late,
                                    .again = again,
                                    .fronts = s->fronts.m ? &run->fronts : NULL,
                                    .factor = keel_fronts_factor,
                                    .divide = keel_fronts_solve};
}

int series_run(const struct series *s, double t, const double *u, int orders, double *out, double *work,
               const double *p) {
    struct run run = {s, p, work, fronts_of(&s->fronts)};
    const struct keel_recurrence recurrence = recurrence_of(s, &run);
    return keel_recur(&recurrence, t, u, orders, orders + 1 + s->leads, NULL, out, work + registers(s), &run);
}

void series_inverses(int orders, double *over) {
    keel_inverses(orders, over);
}

int series_follow(const struct series *s, double t, const double *u, const double *c, int orders, double *out,
                  double *work, const double *p) {
    struct run run = {s, p, work, fronts_of(&s->fronts)};
    const struct keel_recurrence recurrence = recurrence_of(s, &run);
    int code =
        keel_follow(&recurrence, s->rates, t, u, c, orders, orders + 1, NULL, out, work + registers(s), &run);
    for (int i = 0; i < s->rates; i++)
        if (s->nonsmooth[i]) out[s->rates + i] = NAN;
    return code;
}
