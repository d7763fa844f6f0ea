/* registry.c - the only file that names all methods.  A family is one line here. */
#include "methods/registry.h"

#include "base/text.h"
#include "methods/implicit_rk.h"
#include "methods/splitting_tables.h"

#include <string.h>

#define FAMILIES(FAMILY) /* NAME stands for the array NAME_methods, which ends with a nameless one */ \
    FAMILY(explicit_rk)                                                                               \
    FAMILY(adams)                                                                                     \
    FAMILY(implicit_rk)                                                                               \
    FAMILY(rattle)                                                                                    \
    FAMILY(spark)                                                                                     \
    FAMILY(splitting)                                                                                 \
    FAMILY(kahan)                                                                                     \
    FAMILY(discrete_gradient)                                                                         \
    FAMILY(energy_momentum)                                                                           \
    FAMILY(lie_steps)                                                                                 \
    FAMILY(lie_rkmk)                                                                                  \
    FAMILY(lie_hmgps)                                                                                 \
    FAMILY(lgdae)                                                                                     \
    FAMILY(bdf)                                                                                       \
    FAMILY(bdf_variable)                                                                              \
    FAMILY(rosenbrock)                                                                                \
    FAMILY(rolling)                                                                                   \
    FAMILY(taylor)

#define DECLARED(name) extern const keel_stepper name##_methods[];
#define LISTED(name) name##_methods,

FAMILIES(DECLARED)

static const keel_stepper *const families[] = {FAMILIES(LISTED) NULL};

const keel_stepper *registry_at(int i) {
    for (const keel_stepper *const *family = families; *family; family++)
        for (const keel_stepper *s = *family; s->info.name; s++)
            if (i-- == 0) return s;
    return NULL;
}

int registry_owners(const keel_method **list, int capacity) {
    int count = 0;
    for (const keel_stepper *const *family = families; *family; family++)
        for (const keel_stepper *s = *family; s->info.name; s++)
            if (s->info.fields && count < capacity) list[count++] = &s->info;
    return count;
}

const char *registry_default(const keel_options *o) {
    return o->reversible ? "gauss8" : o->step > 0 ? "rk4" : "dop853";
}

const keel_stepper *registry_find(const char *name) {
    const keel_stepper *s;
    for (int i = 0; (s = registry_at(i)); i++)
        if (strcmp(s->info.name, name) == 0) return s;
    return NULL;
}

const keel_rk *registry_table(const keel_stepper *s) {
    for (const keel_stepper *m = explicit_rk_methods; m->info.name; m++)
        if (m == s) return m->table;
    return NULL;
}

int registry_splitting(const keel_stepper *s, int n, keel_splitting *shape) {
    for (const keel_stepper *m = splitting_methods; m->info.name; m++) {
        const struct splitting_table *table = m->table;
        if (m != s) continue;
        *shape = (keel_splitting){n / 2, table->stages, table->drift_first};
        return 1;
    }
    return 0;
}

int registry_implicit(const keel_stepper *s, struct implicit_loop *loop) {
    for (const keel_stepper *m = implicit_rk_methods; m->info.name; m++) {
        const struct implicit_method *method = m->table;
        int composed = m->attempt != implicit_rk_methods[0].attempt;
        if (m != s || composed || m->info.traits & KEEL_ADAPTIVE || method->kind == IMPLICIT_THETA) continue;
        implicit_loop_fill(loop, method->kind, method->stages[0]);
        return 1;
    }
    return 0;
}

const char *registry_nearest(const char *name) {
    const keel_stepper *s;
    const char *nearest = NULL;
    int best = 4;
    for (int i = 0; (s = registry_at(i)); i++) {
        int distance = text_distance(name, s->info.name);
        if (distance < best) {
            best = distance;
            nearest = s->info.name;
        }
    }
    return nearest;
}
