/* choose.c - see choose.h.  options.method is STEPPER+STABILIZER; either may be missing. */
#include "api/choose.h"

#include "base/text.h"
#include "methods/registry.h"
#include "stabilizers/stabilizers.h"

#include <string.h>

enum { NAME = 64 };

static int is_whole(const keel_stepper *s) {
    return s->info.name && s->layout && s->attempt;
}

const keel_stepper *choose_stepper(const keel_options *o, char *text, size_t capacity) {
    char name[NAME] = "";
    if (o->method) text_set(name, sizeof name, "%.*s", (int)strcspn(o->method, "+"), o->method);
    if (o->own_method) {
        if (name[0])
            text_set(text, capacity,
                     "own_method and the method `%.40s` exclude each other: give one of them, and only a "
                     "stabilizer beside your own, as in \"+%s\"",
                     name, stabilizers_with(KEEL_DEFAULT, KEEL_DEFAULT)->info.name);
        else if (!is_whole(o->own_method))
            text_set(text, capacity, "own_method needs a name, layout and attempt");
        else return o->own_method;
        return NULL;
    }
    if (!name[0] || strcmp(name, "auto") == 0) text_set(name, sizeof name, "%s", registry_default(o));
    const keel_stepper *stepper = registry_find(name);
    if (stepper) return stepper;
    const char *nearest = registry_nearest(name);
    text_set(text, capacity, "there is no method `%.40s`", name);
    if (nearest) text_add(text, capacity, "; did you mean `%s`?", nearest);
    return NULL;
}

/* What the stabilizer must keep is kept by a method with a geometry of its own, unless there are equations
 * that it does not keep. */
static int keeps_by_itself(const keel_problem *p, const keel_options *o, unsigned traits) {
    const unsigned own = KEEL_SYMPLECTIC | KEEL_SYMMETRIC_STEP | KEEL_KEEPS_ENERGY | KEEL_KEEPS_LENGTH;
    int equations = p->constraint.count + p->rolling.count + p->algebraic.count + p->hidden.count;
    if (traits & (KEEL_CONSTRAINED | KEEL_AS_GIVEN)) return 1;
    if (o->theta > 0 && o->theta != 0.5) return 0; /* only the middle is symmetric */
    return !equations && traits & own;
}

const keel_stabilizer *choose_default(const keel_problem *p, const keel_options *o,
                                      const keel_stepper *stepper) {
    return keeps_by_itself(p, o, stepper->info.traits)
               ? stabilizers_with(KEEL_MEASURES | KEEL_CORRECTS | KEEL_DAMPS, KEEL_MEASURES)
               : stabilizers_with(KEEL_DEFAULT, KEEL_DEFAULT);
}

/* Of those in the registry, and of what a person brings. */
static const keel_stabilizer *find(const keel_options *o, const char *name, char *text, size_t capacity) {
    const keel_stabilizer *s = o->own_stabilizer;
    if (s && name)
        text_set(text, capacity,
                 "own_stabilizer and the stabilizer `%.40s` exclude each other: give one of them", name);
    else if (s && (!s->info.name || (s->info.traits & KEEL_OFF_GRID && !s->lengthen) ||
                   (s->attempt && !s->accept)))
        text_set(text, capacity,
                 "own_stabilizer needs a name; with KEEL_OFF_GRID `lengthen`, and with `attempt` `accept`");
    else if (s || (s = stabilizers_find(name))) return s;
    else {
        const char *nearest = stabilizers_nearest(name);
        text_set(text, capacity, "there is no stabilizer `%.40s`", name);
        if (nearest) text_add(text, capacity, "; did you mean `%s`?", nearest);
    }
    return NULL;
}

int choose_stabilizer(const keel_options *o, const keel_stabilizer **asked, char *text, size_t capacity) {
    const char *plus = o->method ? strchr(o->method, '+') : NULL;
    const char *name = plus && strcmp(plus + 1, "auto") != 0 ? plus + 1 : NULL;
    *asked = NULL;
    return !(name || o->own_stabilizer) || (*asked = find(o, name, text, capacity)) != NULL;
}
