/* choose.c - see choose.h. */
#include "cli/job/choose.h"

#include "base/text.h"
#include "cli/terminal/memory.h"
#include "cli/job/stabilizer.h"

#include <math.h>
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

static int is_auto(const char *stabilizer) {
    return strcmp(stabilizer, "auto") == 0;
}

/* What the projection holds, where it is one, as the end of a sentence. */
static const char *held(const keel_problem *p, const char *stabilizer) {
    if (!is_auto(stabilizer) && !(stabilizer_traits(stabilizer) & KEEL_DEFAULT)) return "";
    int rows = p->constraint.count + p->rolling.count + p->hidden.count;
    int conserved = p->energy.count + p->invariant.count;
    return rows && conserved ? ", constraints and invariants projected"
           : rows            ? ", constraints projected"
           : conserved       ? ", invariants projected"
                             : "";
}

/* A stabilizer that asks for a kind of method: the first implicit one that it takes.  NULL: any will do. */
static const char *method_for(const keel_problem *p, const char *stabilizer, enum choose_steps steps,
                              double step, char *why, size_t capacity) {
    static const char *const candidates[] = {"rk4", "radau", "gauss6"};
    char pair[80];
    if (!(stabilizer_traits(stabilizer) & KEEL_FROZEN_WEIGHTS)) return NULL;
    for (int fixed = steps != CHOOSE_ADAPTIVE; fixed <= 1; fixed++)
        for (int k = 0; k < 3; k++) {
            const char *name = k == 0 && !fixed ? "dop853" : candidates[k];
            if (k == 1 && fixed) continue;
            text_set(pair, sizeof pair, "%s+%s", name, stabilizer);
            if (!accepts(p, pair, fixed ? step : 0)) continue;
            text_set(why, capacity, "implicit, as %s needs it", stabilizer);
            return k ? name : NULL;
        }
    return NULL;
}

const char *choose_method(const keel_model *m, enum choose_steps steps, char *why, size_t capacity) {
    return choose_method_for(m, steps, "auto", why, capacity);
}

const char *choose_method_for(const keel_model *m, enum choose_steps steps, const char *stabilizer, char *why,
                              size_t capacity) {
    int corrects = (stabilizer_traits(stabilizer) & (KEEL_CORRECTS | KEEL_DAMPS)) != 0;
    keel_mode mode = {0};
    double from, to;
    keel_model_span(m, &from, &to);
    if (!keel_model_mode(m, keel_model_start(m), &mode)) return steps == CHOOSE_FIXED ? "rk4" : "dop853";
    const keel_problem *p = mode.problem;
    const char *asked = method_for(p, stabilizer, steps, fabs(to - from) / 100, why, capacity);
    if (asked) return asked;
    if (steps == CHOOSE_ADAPTIVE) {
        text_set(why, capacity, "order 8 with error control%s", held(p, stabilizer));
        return "dop853";
    }
    if (!corrects && keel_problem_traits(p) & KEEL_SECOND_ORDER && p->constraint.count &&
        keel_model_groups(m) == 0 && accepts(p, "rattle", (to > from ? to - from : from - to) / 100)) {
        text_set(why, capacity,
                 "symplectic, keeps constraints and their derivatives by itself; energy errors stay bounded");
        return "rattle";
    }
    if (steps == CHOOSE_REVERSIBLE) {
        text_set(why, capacity, "symmetric, of order 8");
        return "gauss8";
    }
    text_set(why, capacity, "the classical method of order 4 for fixed steps%s", held(p, stabilizer));
    return "rk4";
}
