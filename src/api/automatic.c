/* automatic.c - see automatic.h.
 *
 * Small systems go to radau, which is more accurate and needs the least steps; large ones, whose matrices are
 * what costs, to bdf, unless they swing (orders 3 to 5 are unstable near the imaginary axis) or the tolerance
 * is very small. */
#include "api/automatic.h"

#include "core/save.h"
#include "methods/registry.h"

#include <string.h>

static const char *const explicit_one = "dop853", *const one_step = "radau", *const multistep = "bdf";

enum { LARGE = 20 };
#define SWINGS 0.5      /* damping of what is no longer called damped */
#define VERY_SMALL 1e-9 /* rtol */

int automatic_asked(const keel_options *o) {
    return o->method && o->step == 0 && !o->reversible && strncmp(o->method, "auto", 4) == 0 &&
           (o->method[4] == '\0' || o->method[4] == '+');
}

/* A motion that keeps its energy is left alone: it swings, and explicit methods suit it. */
void automatic_watch(struct engine *e) {
    const keel_problem *p = &e->field.p;
    int may_be = p->n > 0 && p->energy.count == 0 && !(keel_problem_traits(p) & KEEL_FROM_ENERGY);
    e->watched = may_be ? registry_table(registry_find(explicit_one)) : NULL;
}

const keel_stepper *automatic_saved(const void *bytes, size_t count) {
    char room[SAVE_NAME];
    const char *name = save_method(bytes, count, room);
    int known = name && (strcmp(name, explicit_one) == 0 || strcmp(name, one_step) == 0 ||
                         strcmp(name, multistep) == 0);
    return known ? registry_find(name) : NULL;
}

static const char *stiff_method(const struct engine *e) {
    int large = e->field.n > LARGE && e->r->watch.damping > SWINGS && e->o.rtol >= VERY_SMALL;
    return large ? multistep : one_step;
}

struct engine *automatic_change(struct engine *old) {
    int back = (old->stepper->info.traits & KEEL_IMPLICIT) != 0;
    const char *names[] = {back ? explicit_one : stiff_method(old), back ? NULL : one_step};
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
