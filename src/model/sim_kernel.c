/* sim_kernel.c - the loop of a run's method with the functions of the model inside, compiled once a run turns
 * out to be long: a short one would wait for the compiler longer than it takes.  The kernel is the run's own;
 * nothing is written to the model. */
#include "model/sim.h"

#include "base/text.h"

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
static void method_of(const struct keel_sim *s, char *out, size_t room) {
    text_set(out, room, "%.*s", s->o.method ? (int)strcspn(s->o.method, "+") : 0,
             s->o.method ? s->o.method : "");
    if (!out[0] || strcmp(out, "auto") == 0) text_set(out, room, s->o.step > 0 ? "rk4" : "dop853");
}

static int has_kernel(const struct keel_sim *s) {
    return keel_extras_of(&s->problem[s->mode])->kernel != NULL;
}

/* f[modes]: copies of the model's functions, which get what the kernels have.  0: there is no kernel. */
static int compile(struct keel_sim *s, struct functions *f) {
    const keel_model *m = s->m;
    struct emit e;
    char message[200], method[64];
    method_of(s, method, sizeof method);
    emit_open(&e);
    e.stop = m->limits.stop;
    e.kernels = kernels_for(s);
    int good = 1;
    for (int i = 0; i < m->modes && good; i++) {
        f[i] = m->mode[i].functions;
        good = functions_emit_kernel(&f[i], &e, i, &m->mode[i].formulation, method) == 0;
    }
    good = good && !e.failed && e.kernel_count > 0 &&
           compile_load(e.text, &m->limits, &s->unit, message, sizeof message) == COMPILE_READY;
    emit_close(&e);
    return good;
}

int keel_sim_compile(keel_sim *s) {
    if (!s || !s->solver || s->status < 0 || s->kernel) return s && s->solver && has_kernel(s);
    size_t modes = (size_t)s->m->modes;
    s->kernel = calloc(modes, sizeof *s->kernel);
    s->extras = calloc(modes, sizeof *s->extras);
    struct functions *f = s->kernel && s->extras ? malloc(modes * sizeof *f) : NULL;
    int good = f && s->m->compiled && !s->o.own_method && !s->o.reversible && !s->o.compensated &&
               !has_kernel(s) && compile(s, f);
    for (size_t i = 0; i < modes && good; i++) {
        functions_link_kernel(&f[i], &s->unit, (int)i);
        s->kernel[i] = f[i].kernel;
        if (!s->kernel[i].fixed && !s->kernel[i].kept && !s->kernel[i].accelerations) continue;
        s->extras[i] = *keel_extras_of(&s->problem[i]);
        s->extras[i].kernel = &s->kernel[i];
        s->problem[i].extras = &s->extras[i];
    }
    free(f);
    if (good) keel_use_kernel(s->solver, keel_extras_of(&s->problem[s->mode])->kernel);
    return has_kernel(s);
}
