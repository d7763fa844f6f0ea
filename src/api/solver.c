/* solver.c - the public calls: every one takes NULL, a failed solver and wrong arguments, and says so. */
#include "api/automatic.h"
#include "api/choose.h"
#include "api/fields.h"
#include "api/solver.h"
#include "api/verified.h"
#include "core/save.h"
#include "methods/registry.h"
#include "stabilizers/stabilizers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const keel_options all_default;

/* A handle that only carries a sentence. */
static struct engine *hopeless(keel_solver *s, const char *sentence) {
    struct engine *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->handle = s;
    e->r = &e->blank;
    e->r->event = -1;
    engine_fail(e, KEEL_EINVAL, "%s", sentence);
    return e;
}

/* bytes: of a saved state, which fills the engine; NULL: it begins.  past: what is known of it, or NULL. */
static struct engine *open_engine(keel_solver *s, const keel_problem *p, const keel_options *o, unsigned abi,
                                  int begin, const void *bytes, size_t count,
                                  const struct engine_past *past) {
    char text[TEXT_SENTENCE] = "";
    if (abi != KEEL_ABI)
        return hopeless(s,
                        "this program was compiled with another keel.h than the library; compile it again");
    if (!p) return hopeless(s, "keel_open needs a problem");
    if (!o) o = &all_default;
    s->automatic = automatic_asked(o);
    const keel_stepper *saved = s->automatic && !begin ? automatic_saved(bytes, count) : NULL;
    const keel_stepper *stepper = saved ? saved : choose_stepper(o, text, sizeof text);
    if (!stepper || !choose_stabilizer(o, &s->asked, text, sizeof text) ||
        fields_idle(o, &stepper->info, s->asked ? &s->asked->info : NULL, text, sizeof text))
        return hopeless(s, text);
    struct engine *e =
        engine_open(s, p, o, stepper, s->asked ? s->asked : choose_default(p, o, stepper), begin, past);
    if (e && s->automatic && e->block) automatic_watch(e);
    return e;
}

/* As open_engine; NULL: no memory. */
static keel_solver *open_solver(const keel_problem *p, const keel_options *o, unsigned abi, int begin,
                                const void *bytes, size_t count, const struct engine_past *past) {
    keel_solver *s = calloc(1, sizeof *s);
    if (s) s->engine = open_engine(s, p, o, abi, begin, bytes, count, past);
    if (s && s->engine) return s;
    free(s);
    return NULL;
}

keel_solver *keel_open_abi(const keel_problem *problem, const keel_options *options, unsigned abi) {
    return open_solver(problem, options, abi, 1, NULL, 0, NULL);
}

keel_solver *keel_open_alike(const keel_solver *like, const keel_problem *problem,
                             const keel_options *options) {
    const struct engine *known = like && like->engine->verified ? like->engine : NULL;
    int same = known && problem && verified_alike(&known->field.p, problem);
    return open_solver(
        problem, options, KEEL_ABI, 1, NULL, 0,
        &(struct engine_past){.verdicts = VERDICTS_ALIKE, .verdict = same ? known->rows.verdict : NULL});
}

keel_solver *keel_open_verified(const keel_problem *problem, const keel_options *options, int rows,
                                const int *verdict) {
    return open_solver(problem, options, KEEL_ABI, 1, NULL, 0,
                       &(struct engine_past){.verdicts = VERDICTS_KNOWN, .verdict = verdict, .rows = rows});
}

keel_status keel_find_start(const keel_problem *problem, const keel_options *options, double *u) {
    keel_solver *s = open_solver(problem, options, KEEL_ABI, 1, NULL, 0,
                                 &(struct engine_past){.verdicts = VERDICTS_UNASKED});
    keel_status status = s ? s->engine->r->status : KEEL_ENOMEM;
    if (status >= 0 && u) memcpy(u, engine_state(s->engine), (size_t)(problem->n + problem->m) * sizeof *u);
    keel_close(s);
    return status;
}

size_t keel_save(const keel_solver *s, void *bytes, size_t capacity) {
    if (!s) return 0;
    size_t size = save_size(s->engine);
    if (bytes && size > 0 && size <= capacity) save_write(s->engine, bytes);
    return size;
}

keel_solver *keel_load_abi(const keel_problem *problem, const keel_options *options, const void *bytes,
                           size_t count, unsigned abi) {
    keel_solver *s = open_solver(problem, options, abi, 0, bytes, count, NULL);
    if (!s || s->engine->r->status < 0) return s;
    int loaded = 0;
    if (!bytes) engine_fail(s->engine, KEEL_EINVAL, "keel_load needs the bytes of a saved solver");
    else loaded = save_read(s->engine, bytes, count);
    if (loaded && s->engine->r->status < 0)
        engine_explain(s->engine, "the solver had failed when it was saved: %s",
                       keel_status_name(s->engine->r->status));
    return s;
}

void keel_close(keel_solver *s) {
    if (!s || s->running) return;
    engine_close(s->engine);
    snapshot_free(s->laid_out);
    verified_free(s->verified);
    free(s);
}

/* A call that is wrong in itself: said, and nothing else. */
keel_status solver_misuse(struct engine *e, const char *sentence) {
    engine_explain(e, "%s", sentence);
    return KEEL_EINVAL;
}

/* An observer looks; it cannot move the solver that is calling it. */
static keel_status while_running(struct engine *e, const char *call) {
    engine_explain(e, "%s cannot be called from an observer: let an event stop the run, and call it then",
                   call);
    return KEEL_EINVAL;
}

/* As the looks of the run ask for. */
static keel_status change_method(keel_solver *s) {
    struct engine *e = automatic_change(s->engine);
    if (!e) return engine_fail(s->engine, KEEL_ENOMEM, "no memory for another method");
    s->engine = e;
    return e->r->status;
}

/* One loop for all: see keel_advance.  tell: the observer sees every step. */
static keel_status go(keel_solver *s, const char *call, double t_wake, double t_end, int tell) {
    if (!s) return KEEL_EINVAL;
    struct engine *e = s->engine;
    if (s->running) return while_running(e, call);
    if (e->r->status < 0) return e->r->status;
    if (e->r->at_rest) return KEEL_REST;
    if (!isfinite(t_end)) return solver_misuse(e, "t_end is not finite");
    if (isnan(t_wake)) return solver_misuse(e, "t_wake is not a number");
    e->message[0] = '\0';
    if (t_end == clock_now(e) && e->r->event < 0) {
        engine_explain(e, "t_end = %.10g is where the solver stands: nothing to do", t_end);
        return KEEL_OK;
    }
    surfaces_publish(e);
    s->running = 1;
    keel_status status;
    do status = run_to(s->engine, t_wake, t_end, tell ? 0 : s->engine->o.pause_steps, tell);
    while (status == KEEL_RETRY && (status = change_method(s)) == KEEL_OK);
    s->running = 0;
    return status;
}

keel_status keel_advance(keel_solver *s, double t_wake, double t_end) {
    return go(s, "keel_advance", t_wake, t_end, 0);
}

keel_status keel_run(keel_solver *s, double t_end) {
    return go(s, "keel_run", t_end, t_end, 1);
}

keel_status keel_step(keel_solver *s, double t_end) {
    return go(s, "keel_step", s ? clock_now(s->engine) : 0, t_end, 0);
}

keel_status keel_use_kernel(keel_solver *s, const keel_kernel *kernel) {
    if (!s) return KEEL_EINVAL;
    if (s->running) return while_running(s->engine, "keel_use_kernel");
    if (kernel && !kernel->accelerations && !kernel->elimination &&
        (!kernel->method || (!kernel->fixed && !kernel->kept)))
        return solver_misuse(s->engine, "keel_use_kernel needs the name of a method and its steps");
    s->engine->field.kernel = kernel;
    s->engine->field.mech.chain = 0;
    return KEEL_OK;
}

keel_status keel_eval(keel_solver *s, double t, double *u) {
    if (!s) return KEEL_EINVAL;
    struct engine *e = s->engine;
    struct run_state *r = e->r;
    if (!e->block) return r->status;
    int count = e->field.n + e->field.m;
    double none;
    if (!u && count > 0) return solver_misuse(e, "keel_eval needs room for the state");
    if (!u) u = &none;
    if (!r->has_step) {
        if (t != clock_now(e)) return solver_misuse(e, "keel_eval: there is no step yet to look into");
        memcpy(u, engine_state(e), (size_t)count * sizeof *u);
        return KEEL_OK;
    }
    /* beyond a switching surface nothing is known yet */
    double begin = clock_before(e), end = r->surface >= 0 ? clock_now(e) : clock_of_step(e);
    double low = fmin(begin, end), high = fmax(begin, end), tau = t;
    if (!(t >= low && t <= high)) {
        engine_explain(e, "keel_eval: t = %.10g is not inside the last step, %.10g .. %.10g", t, low, high);
        return KEEL_EINVAL;
    }
    surfaces_publish(e);
    keel_status status = e->field.p.clock ? clock_find(e, t, &tau) : KEEL_OK;
    if (status == KEEL_OK) status = dense_at(e, tau, u);
    if (status == KEEL_OK && e->field.p.clock) u[count - 1] = t;
    if (status == KEEL_OK) return KEEL_OK;
    engine_explain(e, "%s", e->field.fault.text);
    return e->field.fault.status;
}

static int all_finite(int count, const double *u) {
    for (int i = 0; i < count; i++)
        if (!isfinite(u[i])) return 0;
    return 1;
}

keel_status keel_restart(keel_solver *s, double t, const double *u) {
    if (!s) return KEEL_EINVAL;
    struct engine *e = s->engine;
    if (s->running) return while_running(e, "keel_restart");
    if (!e->settled || (e->r->status == KEEL_EINVAL && !e->verified))
        return e->r->status; /* no state can help */
    int count = e->field.n + e->field.m;
    if (!u) u = engine_state(e);
    if (!isfinite(t) || !all_finite(count, u))
        return solver_misuse(e, "keel_restart: time and state must be finite");
    e->message[0] = '\0';
    if (!e->field.p.clock) return engine_begin(e, t, u, NULL);
    memmove(e->x_now, u, (size_t)count * sizeof *u);
    e->x_now[count - 1] = t;
    return engine_begin(e, e->r->t_now, e->x_now, NULL);
}

static void add_statistics(keel_stats *sum, const keel_stats *more) {
    sum->steps += more->steps;
    sum->rejected += more->rejected;
    sum->calls += more->calls;
    sum->jacobians += more->jacobians;
    sum->factorizations += more->factorizations;
    sum->newton += more->newton;
    sum->corrections += more->corrections;
    sum->events += more->events;
    sum->unresolved += more->unresolved;
    sum->schur += more->schur;
    sum->switches += more->switches;
    sum->slides += more->slides;
}

keel_status keel_switch(keel_solver *s, const keel_problem *other, const double *u) {
    if (!s) return KEEL_EINVAL;
    struct engine *old = s->engine;
    if (s->running) return while_running(old, "keel_switch");
    if (!old->block || old->r->status < 0) return old->r->status;
    if (!other) return solver_misuse(old, "keel_switch needs a problem");
    long count = (long)other->n + other->m;
    if (!u && count > 0 && count != old->field.n + old->field.m)
        return solver_misuse(
            old, "keel_switch: the other problem has another number of unknowns, so it needs their values");
    if (other->n != old->field.n && (old->o.norm == KEEL_GIVEN || old->o.atol_each))
        return solver_misuse(
            old, "keel_switch: weights or tolerances for each state fit only problems with as many states");
    const keel_stabilizer *stabilizer = s->asked ? s->asked : choose_default(other, &old->o, old->stepper);
    keel_problem mode = *other;
    mode.t0 = old->r->t_now;
    mode.u0 = u ? u : engine_state(old);
    unsigned char *none = calloc(count > 0 ? (size_t)count : 1, 1);
    mode.fixed = none; /* zeros: the smallest change, nothing fixed */
    struct engine *e = NULL;
    if (none && verified_add(&s->verified, old))
        e = engine_open(s, &mode, &old->o, old->stepper, stabilizer, 1,
                        &(struct engine_past){.verdicts = VERDICTS_KNOWN,
                                              .verdict = verified_find(s->verified, other),
                                              .before = old});
    free(none);
    if (!e) return engine_fail(old, KEEL_ENOMEM, "keel_switch: no memory for the other mode");
    if (e->r->status < 0) {
        keel_status status = e->r->status;
        engine_explain(old, "keel_switch: %.600s", e->message);
        if (status != KEEL_EINVAL) old->r->status = status;
        engine_close(e);
        return status;
    }
    rows_carry(&old->rows, &e->rows);
    e->r->correction = old->r->correction;
    reversible_carry(old, e);
    add_statistics(&e->r->stats, &old->r->stats);
    defect_carry(old, e);
    e->r->accumulation = old->r->accumulation;
    e->r->watch = old->r->watch;
    if (s->automatic) automatic_watch(e);
    s->engine = e;
    engine_close(old);
    return KEEL_OK;
}

keel_solver *keel_fork(const keel_solver *s) {
    if (!s) return NULL;
    keel_solver *copy = calloc(1, sizeof *copy);
    if (!copy) return NULL;
    copy->asked = s->asked;
    copy->automatic = s->automatic;
    copy->engine = engine_copy(copy, s->engine);
    if (copy->engine) return copy;
    free(copy);
    return NULL;
}

const char *keel_message(const keel_solver *s) {
    return s ? s->engine->message : "there is no solver";
}

const keel_method *keel_method_at(int i) {
    const keel_stepper *s = i < 0 ? NULL : registry_at(i);
    return s ? &s->info : NULL;
}

const keel_method *keel_stabilizer_at(int i) {
    const keel_stabilizer *s = i < 0 ? NULL : stabilizers_at(i);
    return s ? &s->info : NULL;
}

const keel_method *keel_stabilizer_of(const keel_solver *s) {
    return s && s->engine->block ? &s->engine->manifold.stabilizer->info : NULL;
}

const char *keel_version(void) {
    return KEEL_VERSION;
}

const char *keel_status_name(keel_status status) {
    switch (status) {
    case KEEL_OK:
        return "ok";
    case KEEL_EVENT:
        return "event";
    case KEEL_RETRY:
        return "retry";
    case KEEL_REST:
        return "at rest";
    case KEEL_STOPPED:
        return "stopped as asked";
    case KEEL_EINVAL:
        return "does not fit together";
    case KEEL_ENOMEM:
        return "no memory";
    case KEEL_EUSER:
        return "a callback failed";
    case KEEL_ESTEP:
        return "step size too small";
    case KEEL_ENEWTON:
        return "no convergence";
    case KEEL_EPROJECT:
        return "no way back to the manifold";
    case KEEL_ESINGULAR:
        return "singular";
    case KEEL_ESTART:
        return "inconsistent start";
    case KEEL_ELIMIT:
        return "limit reached";
    case KEEL_ESTOP:
        return "stopped before a start was found";
    }
    return "unknown status";
}
