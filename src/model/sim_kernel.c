/* sim_kernel.c - the loop of a run's method with the functions of the model inside, compiled once a run turns
 * out to be long: a short one would wait for the compiler longer than it takes.  The kernel is the run's own;
 * nothing is written to the model. */
#include "model/sim.h"

#include "base/text.h"
#include "methods/registry.h"

#include <keel/extras.h>

#include <stdlib.h>
#include <string.h>

/* Those that steps of this run can use; rows may be watched in one mode and kept in another. */
static unsigned kernels_for(const struct keel_sim *s) {
    keel_row row;
    int keeps = 0, rows = 0;
    for (; keel_row_at(s->solver, rows, &row); rows++) keeps |= row.treatment == KEEL_ROW_KEPT;
    if (s->o.step == 0) return keeps ? EMIT_ADAPTIVE_KEEPING : EMIT_ADAPTIVE;
    return keeps ? EMIT_KEEPING : rows ? EMIT_PLAIN | EMIT_WATCHING : EMIT_PLAIN;
}

/* The stepper as the core takes it. */
static void method_of(const struct keel_sim *s, char *out, size_t capacity) {
    text_set(out, capacity, "%.*s", s->o.method ? (int)strcspn(s->o.method, "+") : 0,
             s->o.method ? s->o.method : "");
    if (!out[0] || strcmp(out, "auto") == 0) text_set(out, capacity, "%s", registry_default(&s->o));
}

static int has_kernel(const struct keel_sim *s) {
    return keel_extras_of(&s->problem[s->mode])->kernel != NULL;
}

/* f[modes]: copies of the model's functions, which get what the kernels have.  The C of them, to be freed;
 * NULL: there is no kernel. */
static char *write_kernels(struct keel_sim *s, struct functions *f, int lanes, int device) {
    const keel_model *m = s->m;
    struct emit e;
    char method[64];
    method_of(s, method, sizeof method);
    if (device) emit_open_device(&e);
    else emit_open(&e);
    e.stop = m->limits.stop;
    e.kernels = kernels_for(s);
    e.lanes = lanes;
    int good = 1;
    for (int i = 0; i < m->modes && good; i++) {
        f[i] = m->mode[i]->functions;
        good = functions_emit_kernel(&f[i], &e, i, &m->mode[i]->formulation, method) == 0;
    }
    if (device) emit_device_end(&e);
    if (good && !e.failed && e.kernel_count + e.eliminations > 0) return e.text;
    emit_close(&e);
    return NULL;
}

static struct compile_limits limits_of(const struct keel_sim *s, int lanes) {
    struct compile_limits limits = s->m->limits;
    limits.lanes = lanes;
    return limits;
}

/* Once a run: starts the compiler, unless it is to be cached, or finds what it has made. */
static enum compile_status begin(struct keel_sim *s, int cached) {
    size_t modes = (size_t)s->m->modes;
    char message[200];
    s->kernel = calloc(modes, sizeof *s->kernel);
    s->extras = calloc(modes, sizeof *s->extras);
    s->made = s->kernel && s->extras ? malloc(modes * sizeof *s->made) : NULL;
    if (!s->made || s->contact || (s->problem->clock && s->o.step > 0) || s->o.own_method ||
        s->o.reversible || s->o.compensated || has_kernel(s) ||
        !(s->kernel_text = write_kernels(s, s->made, 0, 0)))
        return COMPILE_FAILED;
    struct compile_limits limits = limits_of(s, 0);
    limits.cached = cached;
    return compile_begin(s->kernel_text, &limits, &s->unit, message, sizeof message);
}

/* The compiler is done: steps are the kernel's from here on. */
static void take(struct keel_sim *s) {
    for (int i = 0; i < s->m->modes; i++) {
        functions_link_kernel(&s->made[i], &s->unit, i);
        s->kernel[i] = s->made[i].kernel;
        if (!s->kernel[i].fixed && !s->kernel[i].kept && !s->kernel[i].accelerations &&
            !s->kernel[i].elimination)
            continue;
        s->extras[i] = *keel_extras_of(&s->problem[i]);
        s->extras[i].kernel = &s->kernel[i];
        s->problem[i].extras = &s->extras[i];
    }
    keel_use_kernel(s->solver, keel_extras_of(&s->problem[s->mode])->kernel);
}

static void drop_text(struct keel_sim *s) {
    free(s->made);
    free(s->kernel_text);
    s->made = NULL, s->kernel_text = NULL;
}

static int compile(struct keel_sim *s, int wait) {
    char message[200];
    enum compile_status status = COMPILE_FAILED;
    if (!s || !s->solver) return 0;
    if (s->unit.work) status = compile_end(&s->unit, wait, message, sizeof message);
    else if (!s->kernel && s->status >= 0 && s->m->compiled) {
        status = begin(s, 0);
        if (status == COMPILE_BUSY && wait) status = compile_end(&s->unit, 1, message, sizeof message);
    }
    if (status == COMPILE_READY) take(s);
    if (status == COMPILE_BUSY) return 0;
    drop_text(s);
    return has_kernel(s);
}

int keel_sim_compile_cached(keel_sim *s) {
    if (!s || !s->solver || s->kernel || s->status < 0 || !s->m->compiled)
        return s && s->solver && has_kernel(s);
    if (begin(s, 1) == COMPILE_READY) take(s);
    drop_text(s);
    if (has_kernel(s)) return 1;
    free(s->kernel);
    free(s->extras);
    s->kernel = NULL, s->extras = NULL; /* as before: a compiler may be asked */
    return 0;
}

int keel_sim_compile(keel_sim *s) {
    return compile(s, 1);
}

int keel_sim_compile_ahead(keel_sim *s) {
    return compile(s, 0);
}

/* A kernel of the run's own, in which lanes can be entered. */
static int take_kernels(struct keel_sim *s) {
    size_t modes = (size_t)s->m->modes;
    for (size_t i = 0; i < modes && s->kernel && s->extras; i++) {
        const keel_extras *given = keel_extras_of(&s->problem[i]);
        if (!given->kernel || given->kernel == &s->kernel[i]) continue; /* none; its own already */
        s->extras[i] = *given;
        s->kernel[i] = *given->kernel;
        s->extras[i].kernel = &s->kernel[i];
        s->problem[i].extras = &s->extras[i];
    }
    return s->kernel && s->extras;
}

/* Are the rows that f has in its kernels those of the run's own? */
static int has_same_rows(const keel_kernel *own, const struct functions *f) {
    keel_fn *energy = f->rows_inside ? f->call[functions_role_energy] : NULL;
    keel_fn *invariant = f->rows_inside ? f->call[functions_role_invariant] : NULL;
    return own->energy == energy && own->invariant == invariant;
}

int keel_sim_compile_lanes(keel_sim *s, int lanes) {
    if (!s || s->m->modes != 1 || s->m->model->groups > 1 || !keel_sim_compile(s) || !take_kernels(s))
        return 0;
    if (lanes == 0 || lanes > compile_lanes()) lanes = compile_lanes();
    if (s->lanes.handle || lanes < 2 || lanes > KEEL_MOST_LANES || (lanes & (lanes - 1)))
        return s->kernel->lanes;
    struct functions f;
    char message[200], *text = write_kernels(s, &f, lanes, 0);
    struct compile_limits limits = limits_of(s, lanes);
    int good = text && compile_load(text, &limits, &s->lanes, message, sizeof message) == COMPILE_READY;
    free(text);
    if (!good) return 0;
    functions_link_lanes(&f, &s->lanes, 0, lanes);
    keel_kernel *own = s->kernel;
    own->plain_lanes = f.kernel.plain_lanes;
    own->kept_lanes = has_same_rows(own, &f) ? f.kernel.kept_lanes : NULL; /* else the lanes lack them */
    own->beside = own->kept_lanes ? f.kernel.beside : NULL;
    own->lanes = own->plain_lanes || own->kept_lanes ? lanes : 0;
    if (own->lanes) own->method = f.kernel.method; /* of mechanics lanes alone have one */
    keel_use_kernel(s->solver, own);
    return own->lanes;
}

static int load_device(struct keel_sim *s, char *message, size_t capacity) {
    struct functions f;
    char *text = write_kernels(s, &f, 1, 1);
    struct compile_limits limits = limits_of(s, 1);
    limits.device = 1;
    int good = text && compile_load(text, &limits, &s->device_unit, message, capacity) == COMPILE_READY;
    free(text);
    if (!good) return 0;
    text_set(message, capacity, "its rows are not those of the kernel");
    s->kernel->method = f.kernel.method;
    return compile_device(&s->device_unit, &s->device) && has_same_rows(s->kernel, &f);
}

const struct keel_kernel *keel_sim_compile_device(keel_sim *s, char *message, size_t capacity) {
    char method[64];
    if (!s) return NULL;
    method_of(s, method, sizeof method);
    text_set(
        message, capacity,
        "%s is not an explicit Runge-Kutta method on an ODE of at most %d states and %d rows, or projected "
        "on constraints of small mechanics, without branches, events and rows that depend on the time",
        method, EMIT_STATES, EMIT_KEPT);
    if (s->m->modes != 1 || s->m->model->groups > 1 || !keel_sim_compile(s) || !take_kernels(s)) return NULL;
    if (s->kernel->device) return s->kernel;
    void *queue = load_device(s, message, capacity) ? s->device.open(1, message, capacity) : NULL;
    if (!queue) return NULL; /* there is no GPU, or nothing for it */
    s->device.close(queue);
    s->kernel->device = &s->device;
    keel_use_kernel(s->solver, s->kernel);
    return s->kernel;
}

int keel_sim_share_kernel(keel_sim *s, const keel_sim *like) {
    if (!s || !like || s->m != like->m || !s->solver || !like->kernel || s->kernel) return 0;
    const keel_kernel *kernel = keel_extras_of(&like->problem[like->mode])->kernel;
    return kernel && keel_use_kernel(s->solver, kernel) == KEEL_OK ? kernel->lanes : 0;
}
