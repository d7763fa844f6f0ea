/* look.c - what a solver shows between its steps: time and state, forces, statistics, rows. */
#include "api/solver.h"
#include "methods/registry.h"

#include <math.h>
#include <string.h>

double keel_time(const keel_solver *s) {
    return s ? clock_now(s->engine) : NAN;
}

double keel_time_before(const keel_solver *s) {
    return s && s->engine->r->has_step ? clock_before(s->engine) : keel_time(s);
}

const double *keel_state(const keel_solver *s) {
    return s && s->engine->block ? engine_state(s->engine) : NULL;
}

/* The multipliers at a state, whatever was evaluated last.  Who asks for them is not counted: evaluations are
 * those of the steps. */
static int find_multipliers(struct engine *e, double t, const double *u) {
    struct field *fd = &e->field;
    int roughly = fd->mech.roughly;
    long calls = fd->stats->calls;
    memcpy(e->scratch, u, (size_t)(fd->n + fd->m) * sizeof *u);
    surfaces_publish(e);
    fd->mech.roughly = 0;
    keel_status status = field_rhs(fd, t, e->scratch, e->split);
    fd->mech.roughly = roughly;
    fd->stats->calls = calls;
    if (status != KEEL_OK) return 0;
    if (fd->form->least_multipliers) fd->form->least_multipliers(fd);
    return 1;
}

const double *keel_multipliers(keel_solver *s) {
    if (!s || !s->engine->block || s->engine->field.k == 0) return NULL;
    return keel_multipliers_at(s, s->engine->r->t_now, engine_state(s->engine));
}

const double *keel_multipliers_at(keel_solver *s, double t, const double *u) {
    if (!s || !u || !s->engine->block || s->engine->field.k == 0) return NULL;
    return find_multipliers(s->engine, t, u) ? s->engine->field.lambda : NULL;
}

const double *keel_forces(keel_solver *s) {
    if (!s || !s->engine->block || s->engine->field.k == 0) return NULL;
    struct engine *e = s->engine;
    struct field *fd = &e->field;
    if (!find_multipliers(e, e->r->t_now, engine_state(e))) return NULL;
    keel_status status = fd->form->reactions(fd, e->r->t_now, engine_state(e), e->forces);
    return status == KEEL_OK ? e->forces : NULL;
}

int keel_event(const keel_solver *s) {
    return s ? s->engine->r->event : -1;
}

keel_status keel_state_of(const keel_solver *s) {
    return s ? s->engine->r->status : KEEL_EINVAL;
}

keel_stats keel_statistics(const keel_solver *s) {
    return s ? s->engine->r->stats : (keel_stats){0};
}

keel_correction keel_correction_of(const keel_solver *s) {
    if (!s || !s->engine->block) return (keel_correction){0};
    keel_correction c = s->engine->r->correction;
    c.no_masses = sizes_lack_masses(&s->engine->field);
    return c;
}

keel_defect keel_defect_of(const keel_solver *s) {
    return s && s->engine->r->defect.samples > 0 ? s->engine->r->defect : (keel_defect){.component = -1};
}

keel_status keel_defect_at(keel_solver *s, double t, keel_defect *out) {
    if (!s || !out) return KEEL_EINVAL;
    struct engine *e = s->engine;
    const struct run_state *r = e->r;
    if (!e->block) return r->status;
    if (r->has_step && e->field.p.clock && clock_find(e, t, &t) != KEEL_OK) return e->field.fault.status;
    double theta = r->has_step ? (t - r->t_before) / r->h_taken : NAN;
    if (!(theta >= 0 && theta <= 1)) return solver_misuse(e, "keel_defect_at: t is not inside the last step");
    surfaces_publish(e);
    return defect_is_dear(e) ? KEEL_RETRY : defect_at(e, theta, out);
}

keel_status keel_rates(keel_solver *s, double t, const double *u, double *out) {
    if (!s) return KEEL_EINVAL;
    struct engine *e = s->engine;
    struct field *fd = &e->field;
    if (!e->block) return e->r->status;
    if (!isfinite(t) || !u || !out)
        return solver_misuse(e, "keel_rates needs a time, a state and room for its rates");
    keel_stats before = e->r->stats;
    memcpy(e->scratch, u, (size_t)(fd->n + fd->m) * sizeof *u);
    surfaces_publish(e);
    keel_status status = field_rhs(fd, t, e->scratch, e->split);
    e->r->stats = before;
    if (status != KEEL_OK) return engine_explain(e, "%s", fd->fault.text), fd->fault.status;
    double pace = fd->p.clock ? e->split[fd->n - 1] : 1; /* of t by the clock */
    for (int i = 0; i < fd->n; i++) out[i] = e->split[i] / pace;
    return KEEL_OK;
}

keel_status keel_stiffness_at(keel_solver *s, keel_stiffness *out) {
    if (!s || !out) return KEEL_EINVAL;
    if (!s->engine->block || s->engine->r->status < 0) return s->engine->r->status;
    surfaces_publish(s->engine);
    keel_status status = stiffness_find(s->engine, out);
    const keel_stepper *m = s->engine->stepper;
    if (status == KEEL_OK && !(m->info.traits & KEEL_IMPLICIT))
        out->bounds = watch_bounds(s->engine, registry_table(m), out);
    return status;
}

keel_status keel_time_scales_at(keel_solver *s, keel_time_scales *out) {
    if (!s || !out) return KEEL_EINVAL;
    if (!s->engine->block || s->engine->r->status < 0) return s->engine->r->status;
    surfaces_publish(s->engine);
    return spectrum_find(s->engine, out);
}

long keel_changes(const keel_solver *s) {
    return s ? s->engine->r->watch.changes : 0;
}

int keel_change_at(const keel_solver *s, long i, keel_change *out) {
    long all = keel_changes(s), kept = WATCH_CHANGES - 1;
    if (!out || i < 0 || i >= all || (i >= kept && i != all - 1)) return 0;
    *out = s->engine->r->watch.change[i < kept ? i : kept];
    return 1;
}

int keel_row_at(const keel_solver *s, int i, keel_row *row) {
    if (!s || !row || !s->engine->block || i < 0 || i >= s->engine->rows.count) return 0;
    const struct rows *r = &s->engine->rows;
    *row = (keel_row){.name = rows_name(r, i),
                      .kind = rows_kind(r, i),
                      .treatment = (keel_row_treatment)r->treatment[i],
                      .verdict = (keel_verdict)r->verdict[i],
                      .start = r->reference[i],
                      .drift = r->drift[i],
                      .units = r->units[i],
                      .last = r->residual[i],
                      .unit = rows_unit_of_values(&s->engine->field, r, i)};
    return 1;
}

keel_status keel_residuals(keel_solver *s, double t, const double *u, double *out) {
    if (!s) return KEEL_EINVAL;
    struct engine *e = s->engine;
    if (!e->block) return e->r->status;
    if (!isfinite(t) || !u || !out)
        return solver_misuse(e, "keel_residuals needs a time, a state and room for rows");
    keel_stats before = e->r->stats;
    surfaces_publish(e);
    rows_sample(&e->field, &e->rows, t, u, out);
    e->r->stats = before;
    return KEEL_OK;
}
