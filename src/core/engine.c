/* engine.c - see engine.h: layout, opening, beginning, failing. */
#include "core/engine.h"

#include "core/algebra.h"
#include "core/options.h"
#include "core/validate.h"
#include "core/verify.h"

#include <keel/extras.h>

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

double *keel_work_doubles(keel_work *w, size_t count) {
    return arena_doubles(w->arena, (count + 3) / 4 * 4);
}

void engine_explain(struct engine *e, const char *format, ...) {
    va_list args;
    va_start(args, format);
    text_vset(e->message, sizeof e->message, format, args);
    va_end(args);
}

keel_status engine_fail(struct engine *e, keel_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    text_vset(e->message, sizeof e->message, format, args);
    va_end(args);
    return e->r->status = status;
}

keel_status engine_fail_by_fault(struct engine *e) {
    return engine_fail(e, e->field.fault.status, "%s", e->field.fault.text);
}

void engine_heed(struct engine *e, int stop) {
    keel_halt *halt = stop && e->o.stop ? &e->halt : NULL;
    if (stop) e->halt = (keel_halt){e->o.stop, 0};
    e->field.halt = e->work.halt = halt;
}

double *engine_state(const struct engine *e) {
    return e->r->inside ? e->x_now : e->x[e->r->current];
}

static void layout_events(struct engine *e, size_t vector) {
    size_t count = (size_t)e->field.p.event.count + 1;
    e->events.sign = arena_ints(&e->arena, count);
    e->events.crossing = arena_ints(&e->arena, count);
    e->events.samples = arena_doubles(&e->arena, EVENTS_SAMPLES * count);
    e->events.here = arena_doubles(&e->arena, count);
    e->events.slope = arena_doubles(&e->arena, count);
    e->events.root = arena_doubles(&e->arena, count);
    e->events.trial = arena_doubles(&e->arena, vector);
    e->events.at_root = arena_doubles(&e->arena, vector);
    size_t exact = e->stepper->events && e->field.p.extras->event_series.value ? count : 0;
    e->events.polynomial = arena_doubles(&e->arena, EVENTS_TERMS * exact);
    e->events.noise = arena_doubles(&e->arena, exact);
    e->events.sign_before = arena_ints(&e->arena, exact);
    e->events.passed = arena_ints(&e->arena, exact);
}

/* A struct of the stabilizer's own lies behind that of the method. */
static size_t method_size(const struct engine *e) {
    return (e->stepper->size + 31) / 32 * 32;
}

static void layout_stabilizer(struct engine *e) {
    struct manifold *m = &e->manifold;
    m->view.arena = &e->arena;
    m->view.core = e;
    if (e->block) m->view.own = e->block + e->block_size + method_size(e);
    m->view.kept = e->rows.count; /* until they are chosen: the most there can be */
    if (m->stabilizer->layout) m->stabilizer->layout(&m->view);
    m->view.kept = m->kept;
    if (!m->stabilizer->rhs || e->rows.count == 0) return;
    e->work.rhs = engine_rhs_fn;
    e->work.context = e;
}

/* The one layout of all numbers; also ties the parts to each other, so that a copied engine is tied anew. */
static void layout(struct engine *e) {
    struct arena *a = &e->arena;
    size_t n = (size_t)e->field.n, vector = (size_t)(e->field.n + e->field.m + 7) / 4 * 4;
    e->r = arena_take(a, sizeof *e->r);
    field_layout(&e->field, a);
    rows_layout(&e->rows, &e->field, a);
    e->manifold.fd = &e->field;
    e->manifold.rows = &e->rows;
    manifold_layout(&e->manifold, a);
    start_layout(&e->start, &e->field, &e->rows, a);
    e->start.manifold = &e->manifold;
    layout_events(e, vector);
    surfaces_layout(e, vector);
    reversible_layout(&e->reversible, &e->o, n, vector, a);
    for (int k = 0; k < 2; k++) {
        e->x[k] = arena_doubles(a, vector);
        e->f[k] = arena_doubles(a, vector);
        e->slope[k] = arena_doubles(a, (size_t)e->field.m);
        e->low[k] = e->o.compensated ? arena_doubles(a, vector) : NULL;
        e->error[k] = arena_doubles(a, vector);
    }
    e->x_now = arena_doubles(a, vector);
    e->dx = arena_doubles(a, vector);
    e->scale = arena_doubles(a, vector);
    e->split = arena_doubles(a, vector);
    e->scratch = arena_doubles(a, vector);
    e->kept_aside = arena_doubles(a, 2 * (size_t)e->rows.count + 1);
    e->forces = arena_doubles(a, vector);
    e->atol = arena_doubles(a, n + 1);
    e->magnitude = arena_doubles(a, (size_t)keel_extras_of(&e->field.p)->variations.directions);
    e->largest_error = arena_doubles(a, 1);
    e->workspace = arena_doubles(a, 6 * vector);
    e->fixed_by_default = arena_take(a, (size_t)(e->field.n + e->field.m));
    double *weights = arena_doubles(a, e->o.norm == KEEL_GIVEN ? n : 0);
    e->common = a->used;
    if (weights && e->o.norm == KEEL_GIVEN) {
        memcpy(weights, e->o.weights, n * sizeof *weights);
        e->manifold.given = e->o.weights = weights;
    }
    e->work = (keel_work){.n = e->field.n,
                          .width = e->field.width,
                          .stepper = e->stepper,
                          .rtol = e->o.step > 0 ? 0 : e->o.rtol,
                          .atol = e->atol,
                          .arena = a,
                          .native = &e->field.view};
    e->work.method = e->block ? e->block + e->block_size : NULL;
    e->field.stats = e->work.stats = e->r ? &e->r->stats : NULL;
    if (e->field.context != e->field.p.user || e->field.rhs != e->field.p.f.value)
        e->field.context = &e->field;
    e->work.stages = e->field.mech.sparse ? mechanism_stages : NULL;
    e->work.rhs = e->field.rhs, e->work.context = e->field.context;
    defect_layout(e, vector);
    layout_stabilizer(e);
    e->surfaces.rhs = e->work.rhs;
    e->surfaces.context = e->work.context;
    surfaces_attach(e);
}

size_t engine_bytes(const struct engine *e) {
    return (e->block_size + method_size(e) + e->manifold.stabilizer->size + 63) / 32 * 32;
}

/* How many bytes the numbers take.  The method's pointers are laid out in its own struct, which lies behind
 * them. */
static int measure(struct engine *e) {
    unsigned char *scratch = calloc(1, method_size(e) + e->manifold.stabilizer->size + 1);
    if (!scratch) return 0;
    e->arena = (struct arena){0};
    e->manifold.view.own = scratch + method_size(e);
    layout(e);
    e->work.method = scratch;
    e->stepper->layout(&e->field.p, &e->o, &e->work);
    free(scratch);
    e->block_size = e->arena.used;
    return 1;
}

static void carve(struct engine *e) {
    e->arena = (struct arena){.base = e->block};
    layout(e);
    e->stepper->layout(&e->field.p, &e->o, &e->work);
}

struct engine *engine_copy(keel_solver *handle, const struct engine *source) {
    struct engine *e = malloc(sizeof *e);
    if (!e) return NULL;
    *e = *source;
    e->handle = handle;
    if (!source->block) {
        e->r = &e->blank;
        return e;
    }
    if (engine_take_block(e)) {
        free(e);
        return NULL;
    }
    memcpy(e->block, source->block, engine_bytes(e));
    carve(e);
    if (field_attach(&e->field)) {
        engine_close(e);
        return NULL;
    }
    if (e->o.atol_each) e->o.atol_each = e->atol;
    field_forget(&e->field);
    return e;
}

void engine_close(struct engine *e) {
    if (!e) return;
    field_detach(&e->field);
    free(e->memory);
    free(e);
}

/* Where verdicts are known this is most of what verifying costs: too much to copy the block for it. */
static int rests_at_a_glance(struct engine *e) {
    const keel_stats before = e->r->stats;
    int rests = verify_at_a_glance(&e->start, e->r->t, e->x[e->r->current]);
    e->r->stats = before;
    if (rests) verify_clear(&e->start);
    return rests;
}

/* The verdicts on the invariants, and nothing else: a mode has the same bits and the same statistics whether
 * it is verified now or was before.  What lies behind the start is out of reach. */
static keel_status verify(struct engine *e) {
    struct rows *r = &e->rows;
    if (e->verdicts == VERDICTS_ALIKE && rests_at_a_glance(e)) return KEEL_OK;
    size_t first = (size_t)((unsigned char *)r->verdict - e->block);
    size_t behind = first + (size_t)r->count * sizeof *r->verdict;
    size_t touched = (size_t)((unsigned char *)e->events.sign - e->block);
    unsigned char *before = malloc(touched);
    if (!before) return engine_fail(e, KEEL_ENOMEM, "no memory to verify the invariants");
    memcpy(before, e->block, touched);
    keel_status status = (e->verdicts == VERDICTS_ALIKE ? verify_again : verify_invariants)(
        &e->start, e->r->t, e->x[e->r->current]);
    memcpy(e->block, before, first);
    memcpy(e->block + behind, before + behind, touched - behind);
    field_forget(&e->field);
    free(before);
    return status == KEEL_OK ? KEEL_OK : engine_fail_by_fault(e);
}

/* Once a consistent state is known. */
static keel_status verify_once(struct engine *e) {
    struct field *fd = &e->field;
    int any = e->rows.of[KEEL_ROW_ENERGY] + e->rows.of[KEEL_ROW_INVARIANT] > 0;
    if (e->verified || e->verdicts == VERDICTS_UNASKED) return KEEL_OK;
    if (e->measured && any) start_grow_sizes(&e->start, e->r->t, e->x[e->r->current]);
    keel_status status = e->measured && any && e->verdicts != VERDICTS_KNOWN ? verify(e) : KEEL_OK;
    memcpy(fd->y, e->x[e->r->current] + fd->n, (size_t)fd->m * sizeof *fd->y);
    e->verified = status == KEEL_OK;
    return status;
}

/* The start by the sides of the values given, until the consistent ones lie on the same sides. */
static keel_status start_on_sides(struct engine *e, double t, double *x, const unsigned char *fixed) {
    keel_status status = KEEL_OK;
    if (e->surfaces.count) surfaces_signs(e, t, x);
    for (int round = 0; round < 8; round++) {
        status = start_make(&e->start, t, x, fixed, e->measured && !e->verified);
        if (status != KEEL_OK || e->surfaces.count == 0 || !surfaces_signs(e, t, x)) break;
    }
    return status;
}

void engine_stand(struct engine *e, double t) {
    struct run_state *r = e->r;
    int current = r->current;
    memset(r, 0, offsetof(struct run_state, accumulation));
    r->t = r->t_before = r->t_now = r->base = r->scanned = t;
    r->current = current;
    r->event = r->surface = r->left = -1;
    r->fresh = r->observed = 1;
    r->unsettled = e->surfaces.count > 0;
    r->step = e->o.step;
}

/* With nothing to hold any state is a start, and what the first one has settled stays. */
static int is_bare(const struct engine *e) {
    return e->verified && e->rows.count == 0 && e->field.m == 0 && e->surfaces.count == 0 &&
           !manifold_frozen(&e->manifold);
}

/* What is left of start_at there. */
static keel_status start_bare(struct engine *e, double t, const double *u) {
    struct field *fd = &e->field;
    int n = fd->n, current = e->r->current;
    double *x = e->x[current];
    memmove(x, u, (size_t)n * sizeof *u);
    if (e->low[0]) memset(e->low[current], 0, (size_t)n * sizeof *x);
    engine_stand(e, t);
    field_forget(fd);
    for (int i = 0; i < n; i++)
        if (fabs(x[i]) > fd->size[i]) fd->size[i] = fabs(x[i]);
    if (field_rhs(fd, t, x, e->f[current]) != KEEL_OK) return engine_fail_by_fault(e);
    e->r->rhs_known[current] = 1;
    sizes_take_masses(fd, t, x);
    events_begin(e);
    return e->manifold.stabilizer->begin ? e->manifold.stabilizer->begin(&e->manifold.view, t, x) : KEEL_OK;
}

/* f and y at the start, and what is kept there. */
static keel_status stand_at(struct engine *e, double t, double *x) {
    struct run_state *r = e->r;
    struct field *fd = &e->field;
    keel_status status = field_rhs(fd, t, x, e->f[r->current]);
    if (status != KEEL_OK) return engine_fail_by_fault(e);
    r->rhs_known[r->current] = 1;
    memcpy(x + fd->n, fd->y, (size_t)fd->m * sizeof *x);
    return reference_set(e, t, x) == KEEL_OK ? KEEL_OK : engine_fail_by_fault(e);
}

/* Rows that carry the motion here need not be those by which the start was found, and these may hang on them
 * loosely (choice.c).  Values that are fixed stay.  1: x has moved. */
static int moves_onto(struct engine *e, double t, double *x, const unsigned char *fixed) {
    struct manifold *m = &e->manifold;
    struct field *fd = &e->field;
    size_t bytes = (size_t)(fd->n + fd->m) * sizeof *x;
    if (!choice_trades(fd) || !m->stagger || !manifold_to_round_off(m)) return 0;
    memcpy(e->scratch, x, bytes);
    manifold_weigh(m, e->f[e->r->current]);
    for (int j = 0; j < fd->n && fixed; j++)
        if (fixed[j]) m->inverse_weight[j] = 0;
    if (manifold_correct(m, t, x, NULL) != KEEL_OK) memcpy(x, e->scratch, bytes);
    fd->fault.status = KEEL_OK;
    return memcmp(x, e->scratch, bytes) != 0;
}

static keel_status start_at(struct engine *e, double t, const double *u, const unsigned char *fixed) {
    struct run_state *r = e->r;
    struct field *fd = &e->field;
    double *x = e->x[r->current];
    memmove(x, u, (size_t)(fd->n + fd->m) * sizeof *u);
    memset(e->low[0] ? e->low[r->current] : e->split, 0, (size_t)fd->n * sizeof *x);
    surfaces_end_slide(e);
    engine_stand(e, t);
    field_forget(fd);
    keel_status status = start_on_sides(e, t, x, fixed);
    if (status == KEEL_OK && !e->verified) status = start_find_redundant(&e->start, t, x); /* once a mode */
    if (status != KEEL_OK) return engine_fail_by_fault(e);
    if (e->verified || e->rows.at[KEEL_ROW_ENERGY] > 0) manifold_choose(&e->manifold); /* else it just was */
    for (int i = 0; i < fd->n + fd->m; i++) fd->size[i] = fmax(fd->size[i], fabs(x[i]));
    status = stand_at(e, t, x);
    if (status == KEEL_OK && moves_onto(e, t, x, fixed)) status = stand_at(e, t, x);
    if (status != KEEL_OK) return status;
    if (e->measured) {
        if (rows_grow_all(fd, &e->rows, t, x) != KEEL_OK || reference_refine(e, t, x) != KEEL_OK)
            return engine_fail_by_fault(e);
        manifold_grow_carried(&e->manifold);
        rows_certify(&e->rows);
    }
    sizes_take_masses(fd, t, x);
    if (manifold_frozen(&e->manifold))
        e->manifold.inverse_time[0] = time_scale_inverse(e, t, x, e->f[r->current]);
    if (e->rows.count) manifold_weigh(&e->manifold, e->f[r->current]);
    if (e->manifold.stabilizer->begin) {
        status = e->manifold.stabilizer->begin(&e->manifold.view, t, x);
        if (status != KEEL_OK) return status;
    }
    events_begin(e);
    return verify_once(e);
}

static keel_status prepare(struct engine *e, int begin, const struct engine *before) {
    struct field *fd = &e->field;
    e->r->event = e->r->surface = -1;
    memset(e->fixed_by_default, 1, (size_t)fd->n);
    tolerances_set(e, before);
    /* noise of a tenth of the tolerance does no harm; without a tolerance it is to stay near round-off */
    e->manifold.nearly =
        e->o.step > 0 ? MANIFOLD_NEARLY : fmin(MANIFOLD_NEARLY, fmax(1e-7, 10 * DBL_EPSILON / e->o.rtol));
    /* the errors of others have one sign, and a part of them would stay */
    int drifts = e->o.step == 0 || !(e->stepper->info.traits & KEEL_SYMPLECTIC);
    int of_the_moment = !(e->manifold.traits & (KEEL_OWN_DIRECTIONS | KEEL_FROZEN_WEIGHTS));
    e->manifold.at_once = !drifts && of_the_moment && e->manifold.corrections == 0 ? 1. / 32 : 1;
    e->measured = e->manifold.traits & KEEL_MEASURES && e->rows.count > 0;
    e->estimates =
        e->o.step > 0 || !(e->stepper->info.traits & KEEL_ADAPTIVE) ? 0 : engine_estimates(e->stepper);
    if (!begin) return KEEL_OK;
    if (e->settled) field_open_again(fd);
    keel_status status = e->settled ? KEEL_OK : engine_settle(e);
    if (status != KEEL_OK) return status;
    return start_at(e, fd->p.t0, fd->p.u0, fd->p.fixed ? fd->p.fixed : e->fixed_by_default);
}

keel_status engine_rhs(struct engine *e, double t, const double *x, double *dx) {
    if (e->r->sliding && surfaces_rhs(t, x, dx, e) == 0) return KEEL_OK;
    keel_status status = field_rhs(&e->field, t, x, dx);
    return status == KEEL_OK && engine_pulls(e) ? e->manifold.stabilizer->rhs(&e->manifold.view, t, x, dx)
                                                : status;
}

int engine_rhs_fn(double t, const double *x, double *dx, void *engine) {
    struct engine *e = engine;
    int code = e->field.rhs(t, x, dx, e->field.context);
    if (code != 0 || !engine_pulls(e)) return code;
    keel_status status = e->manifold.stabilizer->rhs(&e->manifold.view, t, x, dx);
    return status == KEEL_OK ? 0 : status > 0 ? 1 : -1;
}

/* The end of a search for a start.  1: it was given up, and whatever came of it is no start. */
static int heed_no_more(struct engine *e) {
    int given_up = e->halt.given_up;
    engine_heed(e, 0);
    if (given_up)
        engine_fail(e, KEEL_ESTOP, "stopped while a consistent start was sought, as options.stop asks");
    return given_up;
}

struct engine *engine_carve(keel_solver *handle, const keel_problem *p, const keel_options *o,
                            const keel_stepper *method, const keel_stabilizer *stabilizer,
                            const struct engine_past *past) {
    const int *verdict = past ? past->verdict : NULL;
    struct engine *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->handle = handle;
    e->o = *o;
    e->stepper = method;
    e->r = &e->blank;
    e->r->event = -1;
    e->r->status = validate(p, o, method, stabilizer, e->message, sizeof e->message);
    if (e->r->status != KEEL_OK) return e;
    field_init(&e->field, p, &e->r->stats);
    surfaces_init(e);
    e->field.mech.sparse = mechanics_goes_sparse(p, o, method->info.traits, stabilizer->info.traits);
    rows_init(&e->rows, &e->field);
    manifold_init(&e->manifold, &e->field, &e->rows, stabilizer, o->norm, OPTIONS_VALUE(o, manifold_units));
    e->field.damped = stabilizer->info.traits & KEEL_DAMPS && e->rows.count > 0;
    e->field.by_pattern = newton_by_pattern(&e->field);
    e->field.large = newton_goes_sparse(&e->field);
    e->field.hidden_rows.sparse = hidden_goes_sparse(&e->field, method->info.traits, stabilizer);
    if ((e->field.dae.by_rates || e->field.kg) && !e->field.mech.sparse && !e->field.hidden_rows.sparse)
        e->field.by_pattern = e->field.large = 0;
    e->manifold.stagger = manifold_goes_staggered(&e->field, stabilizer);
    int measured = measure(e);
    e->r = &e->blank;
    if (measured && engine_too_large(e)) return e;
    if (!measured || engine_take_block(e)) {
        engine_close(e);
        return NULL;
    }
    carve(e);
    rows_open(&e->rows);
    if (field_attach(&e->field)) {
        engine_close(e);
        return NULL;
    }
    if (past && past->rows && past->rows != e->rows.count) verdict = NULL;
    if (verdict) memcpy(e->rows.verdict, verdict, (size_t)e->rows.count * sizeof *verdict);
    int unasked = past && past->verdicts == VERDICTS_UNASKED;
    e->verdicts = verdict || unasked ? past->verdicts : VERDICTS_UNKNOWN;
    return e;
}

void engine_prepare(struct engine *e, int begin, const struct engine *before) {
    engine_heed(e, 1);
    prepare(e, begin, before);
    heed_no_more(e);
}

struct engine *engine_open(keel_solver *handle, const keel_problem *p, const keel_options *o,
                           const keel_stepper *method, const keel_stabilizer *stabilizer, int begin,
                           const struct engine_past *past) {
    struct engine *e = engine_carve(handle, p, o, method, stabilizer, past);
    if (!e || !e->block) return e;
    engine_prepare(e, begin, past ? past->before : NULL);
    if (e->r->status != KEEL_ENOMEM) return e;
    engine_close(e);
    return NULL;
}

keel_status engine_begin(struct engine *e, double t, const double *u, const unsigned char *fixed) {
    if (is_bare(e)) return start_bare(e, t, u); /* nothing is sought that could be given up */
    engine_heed(e, 1);
    keel_status status = start_at(e, t, u, fixed);
    return heed_no_more(e) ? e->r->status : status;
}
