/* manifold_view.c - what a stabilizer may ask of a run (keel/stabilizer.h). */
#include "core/engine.h"

#include <string.h>

double *keel_manifold_doubles(keel_manifold *view, size_t count) {
    return arena_doubles(view->arena, (count + 3) / 4 * 4);
}

keel_status keel_manifold_residual(keel_manifold *view, double t, const double *u, double *c) {
    struct engine *e = engine_of(view);
    const struct manifold *m = &e->manifold;
    keel_status status = rows_residual(&e->field, &e->rows, t, u, m->residual);
    for (int i = 0; i < m->kept && status == KEEL_OK; i++) c[i] = m->residual[m->row[i]];
    return status;
}

double keel_manifold_unit(const keel_manifold *view, int row) {
    const struct engine *e = engine_of(view);
    return row >= 0 && row < e->manifold.kept ? rows_unit(&e->rows, e->manifold.row[row]) : 0;
}

keel_status keel_manifold_jacobian(keel_manifold *view, double t, const double *u, double *jacobian) {
    struct engine *e = engine_of(view);
    const struct manifold *m = &e->manifold;
    int n = e->field.n;
    for (int k = 0; k < m->kept_kinds; k++) {
        keel_status status = rows_jacobian(&e->field, &e->rows, (keel_row_kind)m->kind[k], t, u);
        if (status != KEEL_OK) return status;
    }
    for (int i = 0; i < m->kept; i++)
        memcpy(jacobian + (long)i * n, rows_gradient(&e->rows, &e->field, m->row[i]),
               (size_t)n * sizeof *jacobian);
    return KEEL_OK;
}

keel_status keel_manifold_correct(keel_manifold *view, int corrections, double t, double *x, double *low) {
    struct engine *e = engine_of(view);
    struct manifold *m = &e->manifold;
    int before = m->corrections;
    m->corrections = corrections;
    keel_status status = m->kept > 0 ? manifold_shortest(m, t, x, low) : KEEL_OK;
    m->corrections = before;
    return status;
}

void keel_manifold_move(const keel_manifold *view, const double *d, double *x, double *low) {
    manifold_move(x, low, view->n, d);
}

keel_status keel_manifold_propose(keel_manifold *view, keel_attempt *a, const double *shift, double *x_new,
                                  double *low_new) {
    struct engine *e = engine_of(view);
    return step_propose(e, a, e->from, shift, x_new, low_new);
}

keel_status keel_manifold_fail(keel_manifold *view, keel_status status, const char *sentence) {
    return engine_fail(engine_of(view), status, "%s", sentence);
}
