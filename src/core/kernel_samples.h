/* kernel_samples.h - samples of a controller in one loop: the steps up to each, what it assigns, and the rate
 * after it.  A compiled model instantiates it with its right-hand side, and with what it samples, inlined.
 *
 * A cycle, from one sample to the next, is what core/step.c and keel_go_on make of it, to the last bit, where
 * there are no rows and the method is a Runge-Kutta method.  One in which anything else happens is put back
 * to where it began, and is for them. */
#ifndef KEEL_CORE_KERNEL_SAMPLES_H
#define KEEL_CORE_KERNEL_SAMPLES_H

#include "core/kernel.h"

/* What is sampled: values of the state as it stands, `count` of them from `first` on, and the state with
 * them. */
struct kernel_sample {
    keel_fn *values;
    void (*assign)(const double *value, double *x);
    double *value;
    int first, count;
};

enum { KERNEL_SAMPLED = 8 }; /* states, at most */

/* How many fixed steps lead to t_end, as core/run.c counts them; 0: they do not meet it. */
static inline long kernel_steps_to(double base, double h, double t_end) {
    const double round_off = 4 * 2.2204460492503131e-16;
    double clock =
        round_off * step_control_max(__builtin_fabs(t_end), __builtin_fabs(base)) / __builtin_fabs(h);
    double steps = (t_end - base) / h;
    if (!(steps > 0 && steps < 0x1p52)) return 0;
    long nearest = (long)(steps + 0.5);
    double off = __builtin_fabs(steps - (double)nearest);
    return off <= step_control_max(round_off * (double)nearest, clock) ? nearest : 0;
}

/* The same for all samples, or 0.  Where c h is the period T, to the last bit, k T and (k + 1) T are off by
 * half an eps of themselves, and their difference by half an eps more: three of the eight halves that `clock`
 * is. */
static inline long kernel_steps_always(double period, double h) {
    double steps = period / __builtin_fabs(h);
    long nearest = steps < 0x1p31 ? (long)(steps + 0.5) : 0;
    return (double)nearest * __builtin_fabs(h) == period ? nearest : 0;
}

static inline void kernel_accept(const struct project *p, const struct kernel_workspace *m,
                                 struct kernel_attempt *a) {
    kernel_copy(p->n, m->next, m->x);
    a->t = a->t_new;
    a->steps++;
}

/* Fixed steps to t_end, no more than `most`; how many, or 0.  always: where that is known. */
static inline long kernel_cycle_fixed(const struct kernel_method *method, const struct project *p,
                                      struct kernel_workspace *m, keel_fn *rhs, void *user,
                                      struct kernel_attempt *a, double t_end, long most, long always) {
    double base = a->t;
    long count = always ? always : kernel_steps_to(base, a->h, t_end);
    if (count < 1 || count > most) return 0;
    for (long i = 1; i <= count; i++) {
        a->t_new = i < count ? base + (double)i * a->h : t_end;
        if (kernel_propose(method, p, m, rhs, user, a) != 0) return 0;
        KEEL_RK_UNROLL for (int j = 0; j < p->n; j++) m->next[j] = m->x[j] + m->dx[j];
        if (!kernel_rhs(method, p, m, rhs, user, 0, 0, a->t_new)) return 0;
        kernel_accept(p, m, a);
    }
    return count;
}

/* Where a step of `wanted` ends, as plan_adaptive of core/step.c has it: at t_end, or half way there, or
 * before.  0: the clock hardly resolves it. */
static inline int kernel_plan(struct kernel_attempt *a, double wanted, double direction, double t_end,
                              int *lands, int *shortened) {
    const double round_off = 4 * 2.2204460492503131e-16;
    double left = t_end - a->t, clock = round_off * __builtin_fabs(t_end);
    *lands = wanted >= __builtin_fabs(left) * (1 - 1e-12) - clock;
    *shortened = *lands || wanted > 0.5 * __builtin_fabs(left);
    double h = *shortened ? 0.5 * left : wanted * direction;
    a->t_new = *lands ? t_end : a->t + h;
    a->h = *lands ? left : a->t_new - a->t;
    double length = __builtin_fabs(a->h);
    return length > round_off * __builtin_fabs(a->t) && length >= 1e-300;
}

/* One accepted step by its error, towards t_end; 0: it is for the core. */
static inline int kernel_step_to(const struct kernel_method *method, const struct project *p,
                                 struct kernel_workspace *m, keel_fn *rhs, kernel_norm *norm, void *user,
                                 struct keel_kernel_state *k, struct kernel_attempt *a, double t_end,
                                 int *lands) {
    enum { MOST_REJECTED = 60 };
    double wanted = step_control_min(k->h_next, k->longest), first = wanted;
    int rejected = 0, shortened;
    for (;;) {
        if (!kernel_plan(a, wanted, k->direction, t_end, lands, &shortened)) return 0;
        if (kernel_attempt(method, p, m, rhs, 0, 0, norm, user, k, 0, 1, a)) return 0;
        int looks = !shortened || project_due(a->steps);
        if (a->error <= CONTROL_BLIND && looks && kernel_blind(p, m, a->error)) return 0;
        if (a->error <= 1) break;
        if (!(a->error < 1e300) || rejected++ == MOST_REJECTED) return 0;
        wanted = kernel_shorter(k, __builtin_fabs(a->h), a->error);
    }
    if (!kernel_rhs(method, p, m, rhs, user, 0, 1, a->t_new)) return 0;
    double next = step_control_next(k->order, __builtin_fabs(a->h), a->error, rejected > 0, &k->error_before);
    if (shortened && !rejected && a->error < 0.1) next = step_control_max(next, first);
    k->h_next = step_control_min(next, k->longest);
    k->rejected += rejected;
    kernel_accept(p, m, a);
    return 1;
}

/* Steps by their error to t_end, no more than `most`; how many, or 0. */
static inline long kernel_cycle_adaptive(const struct kernel_method *method, const struct project *p,
                                         struct kernel_workspace *m, keel_fn *rhs, kernel_norm *norm,
                                         void *user, struct keel_sample_state *s, struct kernel_attempt *a,
                                         double t_end, long most) {
    struct keel_kernel_state *k = &s->k;
    double first = step_control_min(step_control_min(k->h_next, k->longest), __builtin_fabs(t_end - a->t));
    if (s->familiar > 0 && first > s->familiar * (1 + 1e-9)) return 0;
    for (long count = 1; count <= most; count++) {
        int lands;
        if (!kernel_step_to(method, p, m, rhs, norm, user, k, a, t_end, &lands)) return 0;
        if (lands) return count;
    }
    return 0;
}

/* x_1 + x_2 + ..: where it is finite all of them are.  One look is for several sums; where numbers near
 * the largest let it overflow, the core looks at each. */
static inline double kernel_summed(int n, const double *x) {
    double sum = x[0];
    KEEL_RK_UNROLL for (int i = 1; i < n; i++) sum += x[i];
    return sum;
}

/* What is sampled, where the steps have led, and what keel_go_on makes of it; 0: it is for the core. */
static inline int kernel_act(const struct project *p, struct kernel_workspace *m, keel_fn *rhs, void *user,
                             const struct kernel_sample *sample, double t) {
    double sum = kernel_summed(p->n, m->x); /* what is not finite stays so, unless it is assigned */
    if (sample->values(t, m->x, sample->value, user) != 0) return 0;
    sum += kernel_summed(sample->count, sample->value + sample->first);
    sample->assign(sample->value, m->x);
    return rhs(t, m->x, m->f, user) == 0 && (sum + kernel_summed(p->n, m->f)) * 0 == 0;
}

/* Returns how many samples there were.  count 0: one, where the motion stands after a step of k->h.  Where
 * the last of them has left the motion stands in k->x and k->f, which nothing waits for: a copy beside the
 * states would be on the way from one step to the next. */
static inline long kernel_samples(const struct kernel_method *method, const struct project *p,
                                  struct kernel_workspace *m, keel_fn *rhs, kernel_norm *norm,
                                  const struct kernel_sample *sample, void *user, struct keel_sample_state *s,
                                  int adaptive) {
    struct keel_kernel_state *k = &s->k;
    int stands = k->count == 0;
    long samples = 0, done = 0, count = 0, most = s->most;
    long always = adaptive ? 0 : kernel_steps_always(s->period, k->h);
    struct kernel_attempt a = {.t = k->t, .h = k->h, .steps = k->steps};
    double largest[KERNEL_SAMPLED], next = s->next, direction = k->direction, *x = k->x, *f = k->f;
    kernel_copy(p->n, x, m->x);
    kernel_copy(p->n, f, m->f);
    kernel_copy(p->n, k->largest, largest);
    while (samples < most) {
        double t = next * s->period, begin = a.t, h_next = k->h_next, error_before = k->error_before;
        long rejected = k->rejected, steps = a.steps;
        if (!stands)
            count = adaptive ? kernel_cycle_adaptive(method, p, m, rhs, norm, user, s, &a, t, k->count - done)
                             : kernel_cycle_fixed(method, p, m, rhs, user, &a, t, k->count - done, always);
        if (!(stands || count) || !kernel_act(p, m, rhs, user, sample, t)) {
            a.t = begin, a.steps = steps;
            k->h_next = h_next, k->error_before = error_before, k->rejected = rejected;
            break;
        }
        kernel_copy(p->n, m->x, x);
        kernel_copy(p->n, m->f, f);
        KEEL_RK_UNROLL for (int i = 0; i < p->n; i++) largest[i] =
            step_control_max(largest[i], __builtin_fabs(m->x[i]));
        if (adaptive) s->familiar = s->taken = __builtin_fabs(a.h), k->error_before = 1e-4;
        next += direction;
        done += count;
        samples++;
    }
    kernel_copy(p->n, largest, k->largest);
    s->next = next;
    k->t = a.t;
    k->steps = a.steps;
    k->calls = kernel_calls(method, m, done, k->rejected, 0, 0, 0) + samples;
    return samples;
}
#endif
