/* choose.c - see choose.h. */
#include "cli/choose.h"

#include "base/text.h"
#include "cli/memory.h"

#include <string.h>

/* Methods know what they can take: they are asked. */
static int accepts(const keel_problem *p, const char *method, double step) {
    const keel_options o = {.method = method, .step = step};
    keel_solver *s = keel_open(p, &o);
    int good = s && keel_state_of(s) >= 0;
    if (!s || keel_state_of(s) == KEEL_ENOMEM) memory_out(); /* another method would be chosen */
    keel_close(s);
    return good;
}

static int is(const char *stabilizer, const char *name) {
    return strcmp(stabilizer, name) == 0;
}

/* What the projection holds, where it is one, as the end of a sentence. */
static const char *held(const keel_problem *p, const char *stabilizer) {
    if (!is(stabilizer, "auto") && !is(stabilizer, "project")) return "";
    int rows = p->constraint.count + p->rolling.count + p->hidden.count;
    int conserved = p->energy.count + p->invariant.count;
    return rows && conserved ? ", constraints and invariants projected"
           : rows            ? ", constraints projected"
           : conserved       ? ", invariants projected"
                             : "";
}

const char *choose_method(const keel_model *m, enum choose_steps steps, char *why, size_t room) {
    return choose_method_for(m, steps, "auto", why, room);
}

const char *choose_method_for(const keel_model *m, enum choose_steps steps, const char *stabilizer, char *why,
                              size_t room) {
    int corrects = !is(stabilizer, "auto") && !is(stabilizer, "none") && !is(stabilizer, "watch");
    keel_mode mode = {0};
    double from, to;
    keel_model_span(m, &from, &to);
    if (!keel_model_mode(m, keel_model_start(m), &mode)) return steps == CHOOSE_FIXED ? "rk4" : "dop853";
    const keel_problem *p = mode.problem;
    if (steps == CHOOSE_ADAPTIVE) {
        text_set(why, room, "order 8 with error control%s; not for stiff problems", held(p, stabilizer));
        return "dop853";
    }
    if (!corrects && p->form == KEEL_MECHANICS && p->constraint.count && keel_model_modes(m) == 1 &&
        accepts(p, "rattle", (to > from ? to - from : from - to) / 100)) {
        text_set(why, room,
                 "symplectic, keeps constraints and their derivatives by itself; energy errors stay bounded");
        return "rattle";
    }
    if (steps == CHOOSE_REVERSIBLE) {
        text_set(why, room, "symmetric, of order 8");
        return "gauss8";
    }
    text_set(why, room, "the classical method of order 4 for fixed steps%s", held(p, stabilizer));
    return "rk4";
}
