/* splitting.h - the inner loop of the splitting methods: kicks and drifts in turns,
 *
 *     kick b:   p := p + b h p'(t,q),      drift a:   q := q + a h q'(t,p),
 *
 * as b_1 a_1 b_2 ... a_s b_s+1, the outer ones and the inner ones, or with the parts exchanged.
 *
 * Lengths are data; the rate is a parameter.  The library instantiates the loop with a function pointer, a
 * compiled model with its own inlined right-hand side: one source, two speeds. */
#ifndef KEEL_SPLITTING_H
#define KEEL_SPLITTING_H

#include <keel/explicit.h>

enum { KEEL_Q, KEEL_P }; /* the halves of x, and what acts on them: drifts, kicks */

typedef struct keel_splitting {
    int half;        /* states of each: x = (q, p) */
    int stages;      /* s */
    int drift_first; /* the outer ones are drifts */
} keel_splitting;

/* The rate of one half of x, in its place in `out`, for a turn of this length.  Each half has its clock: this
 * one's has reached `begin`, and the other's t.  Kicks happen at the time the drifts have reached, drifts at
 * that of the kicks. */
typedef int keel_splitting_rate(int part, double t, double begin, double length, const double *x, double *out,
                                void *context);

/* What steps leave for the next one, where the solver keeps it: KEEL_SPLITTING_MEMORY doubles. */
typedef struct keel_splitting_memory {
    double *ready;         /* h, where each rate depends on the other half alone; else 0 */
    double *known;         /* is the rate of the last outer turn of use?  Then */
    double *t;             /* the end of its step, */
    double *x, *rate;      /* width: where it was, and the rate there */
    double *h;             /* the step whose lengths these are: */
    double *outer, *inner; /* s + 1 and s */
} keel_splitting_memory;
#define KEEL_SPLITTING_MEMORY(width, stages) (4 + 2 * (size_t)(width) + 2 * (size_t)(stages) + 1)

static inline keel_splitting_memory keel_splitting_at(double *begin, int width, int stages) {
    keel_splitting_memory m = {begin,
                               begin + 1,
                               begin + 2,
                               begin + 4,
                               begin + 4 + width,
                               begin + 3,
                               begin + 4 + 2 * width,
                               begin + 5 + 2 * width + stages};
    return m;
}

static inline int keel_splitting_first(const keel_splitting *s) {
    return s->drift_first ? KEEL_Q : KEEL_P;
}

static inline int keel_splitting_same(double a, double b) {
    unsigned long long bits, other;
    __builtin_memcpy(&bits, &a, sizeof bits);
    __builtin_memcpy(&other, &b, sizeof other);
    return bits == other;
}

/* Does a step from (t, x) begin where the last turn of the one before, which ended at t_end, left off?  That
 * one was at `stage`; its rate depends on the other half. */
static inline int keel_splitting_known(const keel_splitting *s, double t, double t_end, const double *x,
                                       const double *stage) {
    double apart = t - t_end, clock = 4 * 2.2204460492503131e-16 * t;
    int other = s->drift_first ? s->half : 0, same = 1;
    KEEL_RK_UNROLL for (int j = other; j < other + s->half; j++) same &= keel_splitting_same(stage[j], x[j]);
    return same && (apart < 0 ? -apart : apart) <= (clock < 0 ? -clock : clock);
}

/* A turn: one half of the increment dx grows by length times rate, and so does the stage; where it settles,
 * the stage is x + dx.  The increment is small and loses little to rounding; what the stage loses on its way
 * moves nothing but the places of rates, by a few round-offs, and its sum is what the next rate waits for.
 * With rest, dx also gets what its sum has lost, and every stage is x + dx. */
static inline void keel_splitting_turn(const keel_splitting *s, int part, int settles, double length,
                                       const double *x, const double *rate, double *stage, double *dx,
                                       double *rest) {
    int from = part == KEEL_Q ? 0 : s->half;
    KEEL_RK_UNROLL for (int j = from; j < from + s->half; j++) {
        double more = length * rate[j];
        if (rest) {
            more += rest[j];
            double sum = dx[j] + more, added = sum - dx[j];
            rest[j] = (dx[j] - (sum - added)) + (more - added);
            dx[j] = sum;
        } else {
            dx[j] += more;
        }
        stage[j] = rest || settles ? x[j] + dx[j] : stage[j] + more;
    }
}

/* All turns of a step from (t, x).  dx and rest (or NULL: the sums may lose what they do) begin with zeros,
 * the stage with x.  known: `rate` is that of the first turn already.  Returns what `of` returned; stage and
 * rate are those of the last turn: where its rate is to serve the next step, the half that it depends on has
 * settled. */
static inline int keel_splitting_step(const keel_splitting *s, const double *outer, const double *inner,
                                      keel_splitting_rate *of, void *context, double t, int known,
                                      const double *x, double *stage, double *rate, double *dx,
                                      double *rest) {
    int first = keel_splitting_first(s), code = 0;
    double reached = 0, reached_inside = 0; /* the times of the outer and of the inner turns */
    if (outer[0] != 0) {
        if (!known) code = of(first, t, t, outer[0], stage, rate, context);
        if (code != 0) return code;
        keel_splitting_turn(s, first, 0, outer[0], x, rate, stage, dx, rest);
        reached += outer[0];
    }
    for (int i = 0; i < s->stages; i++) {
        if (inner[i] != 0) {
            code = of(1 - first, t + reached, t + reached_inside, inner[i], stage, rate, context);
            if (code != 0) return code;
            keel_splitting_turn(s, 1 - first, i == s->stages - 1, inner[i], x, rate, stage, dx, rest);
            reached_inside += inner[i];
        }
        if (outer[i + 1] != 0) {
            code = of(first, t + reached_inside, t + reached, outer[i + 1], stage, rate, context);
            if (code != 0) return code;
            keel_splitting_turn(s, first, 0, outer[i + 1], x, rate, stage, dx, rest);
            reached += outer[i + 1];
        }
    }
    return 0;
}

/* How many turns of a step are not empty. */
static inline int keel_splitting_turns(const keel_splitting *s, const keel_splitting_memory *m) {
    int turns = 0;
    for (int i = 0; i <= s->stages; i++) turns += (m->outer[i] != 0) + (i < s->stages && m->inner[i] != 0);
    return turns;
}

/* A kernel's steps work on locals: what they begin with, whether the rate is known, and what they leave. */
static inline int keel_splitting_begin(const keel_splitting *s, const keel_splitting_memory *m, double t,
                                       const double *x, double *stage, double *rate) {
    for (int j = 0; j < 2 * s->half; j++) stage[j] = m->x[j], rate[j] = m->rate[j];
    return *m->known != 0 && keel_splitting_known(s, t, *m->t, x, stage);
}
static inline void keel_splitting_leave(const keel_splitting *s, const keel_splitting_memory *m, double t_end,
                                        const double *stage, const double *rate) {
    int from = s->drift_first ? 0 : s->half;
    if (m->outer[s->stages] == 0) return; /* the next step begins with another turn */
    *m->known = 1;
    *m->t = t_end;
    for (int j = 0; j < 2 * s->half; j++) m->x[j] = stage[j];
    for (int j = from; j < from + s->half; j++) m->rate[j] = rate[j];
}

/* A keel_kernel_fixed whose f is the memory: steps on the grid base + k h, each as the core takes it, on
 * locals y, stage, rate, dx.  Returns the calls of `of`; -1: one failed, or a state is not finite, and
 * nothing has changed. */
static inline long keel_splitting_fixed(const keel_splitting *s, keel_splitting_rate *of, void *context,
                                        double t, double base, double h, long first, long count, double *x,
                                        const keel_splitting_memory *m, double *y, double *stage,
                                        double *rate, double *dx) {
    int n = 2 * s->half, known;
    double t_end = t, sum = 0;
    long calls = count * keel_splitting_turns(s, m);
    if (*m->ready != h) return -1;
    KEEL_RK_UNROLL for (int j = 0; j < n; j++) y[j] = x[j];
    known = keel_splitting_begin(s, m, t, y, stage, rate);
    for (long step = first + 1; step <= first + count; step++) {
        KEEL_RK_UNROLL for (int j = 0; j < n; j++) stage[j] = y[j], dx[j] = 0;
        if (keel_splitting_step(s, m->outer, m->inner, of, context, t, known, y, stage, rate, dx, NULL) != 0)
            return -1;
        KEEL_RK_UNROLL for (int j = 0; j < n; j++) y[j] += dx[j];
        calls -= known;
        t_end = t + h;
        t = base + (double)step * h;
        known = m->outer[s->stages] != 0 && keel_splitting_known(s, t, t_end, y, stage);
    }
    KEEL_RK_UNROLL for (int j = 0; j < n; j++) sum += y[j] * 0;
    if (sum != 0) return -1;
    KEEL_RK_UNROLL for (int j = 0; j < n; j++) x[j] = y[j];
    keel_splitting_leave(s, m, t_end, stage, rate);
    return calls;
}
#endif
