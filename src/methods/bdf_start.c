/* bdf_start.c - the first steps, before there is a history.
 *
 * A step of linearly implicit Euler in j = 1 .. p parts,
 *
 *     (I - (h/j) J) (x_{i+1} - x_i) = (h/j) f(t_{i+1}, x_i),
 *
 * has an expansion in powers of h/j, with any J; extrapolated p - 1 times, to T_pp, it is of order p, and
 * T_pp - T_p,p-1 is the error of order p - 1.  Equal steps have p = k from the first one on.  With error
 * control two steps with p = 3 lead to order 2.  Order 1 would be a long way to go, and a mass at rest whose
 * energy is kept would not get away: its energy is off by h^2 F^2 / 2, as much as the motion has.
 * Deuflhard, SIAM Review 27 (1985) 505. */
#include "methods/bdf_variable.h"

#include <string.h>

static keel_status in_parts(keel_work *w, const keel_attempt *a, int parts, double *sum) {
    struct bdf_variable *b = w->method;
    double h = a->h / parts;
    memset(sum, 0, (size_t)w->width * sizeof *sum);
    keel_status status = keel_newton_factor(w, b->newton, 0, h, 0);
    for (int i = 1; i <= parts && status == KEEL_OK; i++) {
        for (int c = 0; c < w->width; c++) b->at[c] = a->x[c] + sum[c];
        status = keel_rhs(w, a->t + i * h, b->at, b->rate);
        for (int c = 0; c < w->n; c++) b->moved[c] = h * b->rate[c];
        if (status == KEEL_OK) keel_newton_solve(w, b->newton, 0, b->moved, NULL);
        for (int c = 0; c < w->n; c++) sum[c] += b->moved[c];
    }
    return status;
}

keel_status bdf_start(keel_work *w, keel_attempt *a) {
    struct bdf_variable *b = w->method;
    struct bdf_memory *m = b->memory;
    int most = w->rtol > 0 ? BDF_START : b->most, again = m->rejections > 0 && m->jacobian != 0;
    keel_status status = KEEL_OK;
    m->factored = 0;
    if (!again) {
        m->jacobian = 0;
        status = keel_rhs(w, a->t, a->x, b->rate);
        if (status == KEEL_OK)
            status = keel_newton_jacobian(w, b->newton, a->t, a->x, b->rate, m->failures >= 3);
        m->jacobian = status == KEEL_OK;
        m->jacobian_age = 0;
    }
    for (int j = 1; j <= most && status == KEEL_OK; j++) {
        double *column = b->columns + (long)(j - 1) * w->width;
        status = in_parts(w, a, j, column);
        for (int l = 1; l < j && status == KEEL_OK; l++) { /* columns[j-1-l] := T_{j,l+1} */
            double *above = column - (long)l * w->width, *now = above + w->width;
            for (int c = 0; c < w->n; c++) above[c] = now[c] + (now[c] - above[c]) * (j - l) / l;
        }
    }
    if (status != KEEL_OK) return status;
    memcpy(a->dx, b->columns, (size_t)w->n * sizeof *a->dx);
    if (!a->error[0]) return KEEL_OK;
    double strict = bdf_strictness(w);
    for (int c = 0; c < w->width; c++)
        a->error[0][c] = c < w->n ? strict * (b->columns[c] - b->columns[w->width + c]) : 0;
    return KEEL_OK;
}
