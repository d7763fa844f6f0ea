/* explicit_many.c - a step of an explicit Runge-Kutta method on states that no cache holds: keel_rk_step of
 * keel/explicit.h with fewer ways through memory, and the same bits.
 *
 * Where k_i is the last that is known, the sums of this stage and of the next few have all of their terms but
 * the last in common places: they are begun together, piece by piece, while a piece of each k_j is in the
 * cache.  What is begun for a later stage waits in the place of its own k.  The increment and both estimates
 * are one such group.  A sum has its terms in the order of keel_rk_sum. */
typedef double explicit_lane __attribute__((vector_size(32), aligned(8), may_alias));
#define KEEL_RK_WIDE explicit_lane

#include "methods/explicit_rk.h"

#include "base/machine.h"

#include <keel/explicit.h>

#include <string.h>

enum {
    PIECE = 256, /* states: of all stages a piece is in the nearest cache */
    TOGETHER = 3 /* stages whose sums are begun together */
};

/* out := sum of a_j k_j up to `last`, of which those before `from` are in `begun`; where it is whole, it is h
 * times that, and x is added, if it is not NULL. */
struct explicit_sum {
    const double *a, *begun, *x;
    double *out, h;
    int from, last, whole;
};

static inline void add_lanes(const struct explicit_sum *s, size_t width, const double *k, int i, int lanes) {
    explicit_lane sum[4], *to = (explicit_lane *)(s->out + i);
    const explicit_lane *begun = (const explicit_lane *)((s->begun ? s->begun : s->out) + i);
    int j = s->from;
    if (s->begun)
        for (int l = 0; l < lanes; l++) sum[l] = begun[l];
    else {
        while (j < s->last && s->a[j] == 0) j++;
        const explicit_lane *kj = (const explicit_lane *)(k + (size_t)j * width + i);
        for (int l = 0; l < lanes; l++) sum[l] = s->a[j] * kj[l];
        j++;
    }
    for (; j <= s->last; j++) {
        if (s->a[j] == 0) continue;
        const explicit_lane *kj = (const explicit_lane *)(k + (size_t)j * width + i);
        for (int l = 0; l < lanes; l++) sum[l] += s->a[j] * kj[l];
    }
    const explicit_lane *x = (const explicit_lane *)((s->x ? s->x : s->out) + i);
    for (int l = 0; l < lanes && s->whole; l++) sum[l] = s->x ? x[l] + s->h * sum[l] : s->h * sum[l];
    for (int l = 0; l < lanes; l++) to[l] = sum[l];
}

static inline void add_one(const struct explicit_sum *s, size_t width, const double *k, int i) {
    int j = s->from;
    double sum = 0;
    if (s->begun) sum = s->begun[i];
    else {
        while (j < s->last && s->a[j] == 0) j++;
        sum = s->a[j] * k[(size_t)j * width + (size_t)i];
        j++;
    }
    for (; j <= s->last; j++)
        if (s->a[j] != 0) sum += s->a[j] * k[(size_t)j * width + (size_t)i];
    if (s->whole) sum = s->x ? s->x[i] + s->h * sum : s->h * sum;
    s->out[i] = sum;
}

/* The sums of `count` rows, piece by piece. */
static inline void add_together(int count, const struct explicit_sum *s, int width, const double *k) {
    const int lane = (int)(sizeof(explicit_lane) / sizeof(double));
    for (int begin = 0; begin < width; begin += PIECE) {
        int end = width - begin < PIECE ? width : begin + PIECE;
        for (int r = 0; r < count; r++) {
            int i = begin;
            for (; i + 4 * lane <= end; i += 4 * lane) add_lanes(&s[r], (size_t)width, k, i, 4);
            for (; i + lane <= end; i += lane) add_lanes(&s[r], (size_t)width, k, i, 1);
            for (; i < end; i++) add_one(&s[r], (size_t)width, k, i);
        }
    }
}

/* Row i of a packed triangle. */
static const double *row_of(const keel_rk *table, int i) {
    return table->a + (size_t)i * (size_t)(i - 1) / 2;
}

/* Is it worth it to begin row i with what the first `known` stages give?  What is begun is written and read
 * once more. */
static int begins_early(const keel_rk *table, int i, int known) {
    enum { WORTH = 4 };
    int terms = 0;
    for (int j = 0; j < known; j++) terms += row_of(table, i)[j] != 0;
    return terms >= WORTH;
}

static inline void end_step(const keel_rk *table, int width, const double *k, double h, double *dx,
                            double *const error[2]) {
    struct explicit_sum s[3];
    int count = 0, last = table->stages - 1;
    s[count++] = (struct explicit_sum){.a = table->b, .out = dx, .h = h, .last = last, .whole = 1};
    for (int e = 0; e < 2; e++)
        if (error[e] && table->error[e])
            s[count++] = (struct explicit_sum){
                .a = table->error[e], .out = error[e], .h = h, .last = last, .whole = 1};
    add_together(count, s, width, k);
}

MACHINE_WIDE __attribute__((flatten)) static int step(const keel_rk *table, int width, keel_fn *rhs,
                                                      void *context, const keel_attempt *a, double *k,
                                                      double *stage) {
    int begun = 1, from = 0; /* rows before `begun` have their terms before `from` in the place of their k */
    memcpy(k, a->f, (size_t)width * sizeof *k);
    for (int i = 1; i < table->stages; i++) {
        struct explicit_sum s[TOGETHER];
        int count = 1;
        double *ki = k + (size_t)i * (size_t)width;
        if (i >= begun) from = 0;
        s[0] = (struct explicit_sum){.a = row_of(table, i),
                                     .x = a->x,
                                     .out = stage,
                                     .h = a->h,
                                     .from = from,
                                     .last = i - 1,
                                     .whole = 1};
        if (from) s[0].begun = ki;
        while (i >= begun && count < TOGETHER && i + count < table->stages &&
               begins_early(table, i + count, i)) {
            s[count] = (struct explicit_sum){
                .a = row_of(table, i + count), .out = ki + (size_t)count * (size_t)width, .last = i - 1};
            count++;
        }
        add_together(count, s, width, k);
        if (i >= begun) begun = i + count, from = i;
        int code = rhs(a->t + table->c[i] * a->h, stage, ki, context);
        if (code != 0) return code;
    }
    end_step(table, width, k, a->h, a->dx, a->error);
    return 0;
}

int explicit_many(const keel_rk *table, int width, keel_fn *rhs, void *context, const keel_attempt *a,
                  double *k, double *stage) {
    return step(table, width, rhs, context, a, k, stage);
}
