/* registry.c - the only file that names all methods.  A family is one line here. */
#include "methods/registry.h"

#include "base/text.h"

#include <string.h>

extern const keel_stepper explicit_rk_methods[], adams_methods[], implicit_rk_methods[], rattle_methods[],
    spark_methods[], splitting_methods[], kahan_methods[], discrete_gradient_methods[],
    energy_momentum_methods[], lie_steps_methods[], lie_rkmk_methods[], lie_hmgps_methods[],
    lgdae_methods[]; /* each ends with a nameless one */

static const keel_stepper *const families[] = {
    explicit_rk_methods,     adams_methods,
    implicit_rk_methods,     rattle_methods,
    spark_methods,           splitting_methods,
    kahan_methods,           discrete_gradient_methods,
    energy_momentum_methods, lie_steps_methods,
    lie_rkmk_methods,        lie_hmgps_methods,
    lgdae_methods,           NULL,
};

const keel_stepper *registry_at(int i) {
    for (const keel_stepper *const *family = families; *family; family++)
        for (const keel_stepper *s = *family; s->info.name; s++)
            if (i-- == 0) return s;
    return NULL;
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
