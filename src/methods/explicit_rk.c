/* explicit_rk.c - explicit Runge-Kutta methods: one loop over tables (keel/explicit.h,
 * methods/explicit_tables.c).
 *
 * Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, ch. II.  Dense output of dopri5 and
 * dop853 is theirs, built from the corrected end of the step:
 *     x(th) = x + th (D + (1-th) (c3 + th (c4 + (1-th) (c5 + th (c6 + ...))))),
 *     D = x_end - x,  c3 = h f - D,  c4 = 2 D - h (f + f_end),  c5 .. = h sum d_i k_i. */
typedef double explicit_lane __attribute__((vector_size(32), aligned(8), may_alias));
#define KEEL_RK_WIDE explicit_lane

#include "methods/explicit_rk.h"

#include "base/machine.h"

#include <keel/explicit.h>

#include <math.h>
#include <string.h>

void explicit_layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    (void)p;
    (void)o;
    const keel_rk *table = w->stepper->table;
    struct explicit_rk *m = w->method;
    size_t width = (size_t)w->width;
    m->k = keel_work_doubles(w, (size_t)(table->stages + 1 + table->extra) * width);
    m->stage = keel_work_doubles(w, width);
    m->terms = keel_work_doubles(w, (size_t)table->shape * width);
}

static void end_of_stages(const keel_work *w, const struct explicit_rk *m, keel_attempt *a) {
    const keel_rk *table = w->stepper->table;
    if (!table->last_is_end) return;
    memcpy(a->f_end, m->k + (size_t)(table->stages - 1) * (size_t)w->width,
           (size_t)w->width * sizeof(double));
    a->f_end_known = 1;
}

static inline keel_status explicit_attempt_any(keel_work *w, keel_attempt *a) {
    const keel_rk *table = w->stepper->table;
    struct explicit_rk *m = w->method;
    w->calls += table->stages - 1;
    w->code =
        keel_rk_step(table, w->width, w->rhs, w->context, a->t, a->h, a->x, a->f, m->k, m->stage, a->dx);
    if (w->code != 0) return w->code > 0 ? KEEL_RETRY : KEEL_EUSER;
    for (int e = 0; e < 2; e++)
        if (a->error[e] && table->error[e])
            keel_rk_sum(w->width, table->stages, table->error[e], m->k, a->h, NULL, a->error[e]);
    end_of_stages(w, m, a);
    return KEEL_OK;
}

MACHINE_WIDE __attribute__((flatten)) static keel_status explicit_attempt_many(keel_work *w,
                                                                               keel_attempt *a) {
    return explicit_attempt_any(w, a);
}

/* All of a step in one call, where the problem has that, or piece by piece, of states that no cache holds.
 * Both apart, so that the loops below keep their registers: beside them they took 8 % more instructions. */
__attribute__((noinline)) static int attempted_inside(keel_work *w, keel_attempt *a) {
    struct explicit_rk *m = w->method;
    if (w->stages(w, a, m->k) != 0) return 0;
    w->code = 0;
    w->calls += ((const keel_rk *)w->stepper->table)->stages - 1;
    end_of_stages(w, m, a);
    return 1;
}
__attribute__((noinline)) static keel_status attempt_by_pieces(keel_work *w, keel_attempt *a) {
    const keel_rk *table = w->stepper->table;
    struct explicit_rk *m = w->method;
    w->calls += table->stages - 1;
    w->code = explicit_many(table, w->width, w->rhs, w->context, a, m->k, m->stage);
    if (w->code != 0) return w->code > 0 ? KEEL_RETRY : KEEL_EUSER;
    end_of_stages(w, m, a);
    return KEEL_OK;
}

/* With few states a call of each sum would cost as much as the sum, and wide registers cost more than they
 * bring. */
__attribute__((flatten)) keel_status explicit_attempt(keel_work *w, keel_attempt *a) {
    if (w->stages && attempted_inside(w, a)) return KEEL_OK;
    if (w->width >= EXPLICIT_MANY) return attempt_by_pieces(w, a);
    return w->width >= KEEL_RK_MANY ? explicit_attempt_many(w, a) : explicit_attempt_any(w, a);
}

/* Have the extra stages left the step?  Where h lambda is large each stage is h lambda times the one before.
 * A step from rest may keep what is stiff below its tolerance, as 1e-11 of 1e-9, and three more stages make
 * 1e4 of it.  Rates of that kind are far beyond all that the step itself has seen, and beyond tolerances. */
static int has_run_away(const keel_work *w, const keel_segment *s, const double *k, int known, int all) {
    enum { FAR = 100 };
    size_t width = (size_t)w->width;
    for (int j = 0; j < w->n; j++) {
        double seen = 0, extra = 0;
        for (int i = 0; i < all; i++) {
            double rate = fabs(k[(size_t)i * width + (size_t)j]);
            if (i < known) seen = rate > seen ? rate : seen;
            else extra = rate > extra ? rate : extra;
        }
        double tolerance = w->atol[j] + w->rtol * fabs(s->x_end[j]);
        if (extra > FAR * seen && fabs(s->h) * extra > FAR * tolerance) return 1;
    }
    return 0;
}

keel_status explicit_prepare(keel_work *w, const keel_segment *s) {
    const keel_rk *table = w->stepper->table;
    struct explicit_rk *m = w->method;
    size_t width = (size_t)w->width;
    int known = table->stages + 1, all = known + table->extra;
    memcpy(m->k + (size_t)table->stages * width, s->f_end, width * sizeof(double));
    for (int i = 0; i < table->extra; i++) {
        keel_rk_sum(w->width, known + i, table->extra_a + (size_t)i * (size_t)all, m->k, s->h, s->x,
                    m->stage);
        keel_status status =
            keel_rhs(w, s->t + table->extra_c[i] * s->h, m->stage, m->k + (size_t)(known + i) * width);
        if (status != KEEL_OK) return status;
    }
    for (int i = 0; i < table->shape; i++)
        keel_rk_sum(w->width, all, table->dense + (size_t)i * (size_t)all, m->k, s->h, NULL,
                    m->terms + (size_t)i * width);
    if (has_run_away(w, s, m->k, known, all)) /* a cubic is left */
        memset(m->terms, 0, (size_t)table->shape * width * sizeof *m->terms);
    return KEEL_OK;
}

void explicit_dense(const keel_work *w, const keel_segment *s, double theta, double *x) {
    const keel_rk *table = w->stepper->table;
    const struct explicit_rk *m = w->method;
    for (int i = 0; i < w->width; i++) {
        double whole = s->x_end[i] - s->x[i], sum = 0;
        for (int c = table->shape - 1; c >= 0; c--) /* c5, c7 meet 1 - theta, c6, c8 theta */
            sum =
                (m->terms[(size_t)c * (size_t)w->width + (size_t)i] + sum) * (c % 2 == 0 ? 1 - theta : theta);
        double bend = 2 * whole - s->h * (s->f[i] + s->f_end[i]) + sum;
        x[i] = s->x[i] + theta * (whole + (1 - theta) * (s->h * s->f[i] - whole + theta * bend));
    }
}
