/* automatic.c - see automatic.h.
 *
 * Small systems go to rodas5p, whose steps cost least, or, where the tolerance is small or the problem lacks
 * jacobians, to radau, which needs the least steps; large ones, whose matrices are what costs, to bdf, unless
 * the tolerance is very small.  Where a part swings nearly undamped radau is better than both: orders 3 to 5
 * of bdf are unstable near the imaginary axis, and the errors of many steps add up.  Where the equations
 * switch the motion may slide along a surface, which rodas5p cannot: there radau takes its place. */
#include "api/automatic.h"

#include "core/save.h"
#include "core/spectrum.h"
#include "methods/registry.h"

#include <string.h>

static const char *const explicit_one = "dop853", *const linearly_implicit = "rodas5p",
                         *const implicit = "radau", *const multistep = "bdf";

enum { LARGE = 20 };
#define SWINGS 0.5 /* damping of what is no longer called damped */
#define SMALL 1e-8 /* rtol */
#define VERY_SMALL 1e-9

int automatic_asked(const keel_options *o) {
    return o->method && o->step == 0 && !o->reversible && strncmp(o->method, "auto", 4) == 0 &&
           (o->method[4] == '\0' || o->method[4] == '+');
}

/* A motion that keeps its energy is left alone: it swings, and explicit methods suit it. */
void automatic_watch(struct engine *e) {
    const keel_problem *p = &e->field.p;
    int may_be =
        p->n > 0 && !p->clock && p->energy.count == 0 && !(keel_problem_traits(p) & KEEL_FROM_ENERGY);
    e->watched = may_be ? registry_table(registry_find(explicit_one)) : NULL;
}

const keel_stepper *automatic_saved(const void *bytes, size_t count) {
    char buffer[SAVE_NAME];
    const char *name = save_method(bytes, count, buffer);
    int known = name && (strcmp(name, explicit_one) == 0 || strcmp(name, linearly_implicit) == 0 ||
                         strcmp(name, implicit) == 0 || strcmp(name, multistep) == 0);
    return known ? registry_find(name) : NULL;
}

/* NULL: no memory. */
static const char *stiff_method(struct engine *e) {
    int large = e->field.n > LARGE, tight = e->o.rtol < (large ? VERY_SMALL : SMALL);
    int swings = tight || e->r->watch.damping <= SWINGS ? 1 : spectrum_swings(e);
    int may_slide = e->surfaces.count > 0;
    return swings < 0  ? NULL
           : swings    ? implicit
           : large     ? multistep
           : may_slide ? implicit
                       : linearly_implicit;
}

struct engine *automatic_change(struct engine *old) {
    int back = (old->stepper->info.traits & KEEL_IMPLICIT) != 0;
    const char *names[] = {back ? explicit_one : stiff_method(old), back ? NULL : implicit};
    if (!names[0]) return NULL;
    for (int k = 0; k < 2 && names[k]; k++) {
        struct engine *e = change_engine(old, registry_find(names[k]));
        if (!e) return NULL;
        if (e->r->status >= 0) {
            watch_changed(e);
            engine_close(old);
            return e;
        }
        engine_close(e);
    }
    watch_give_up(old);
    return old;
}
