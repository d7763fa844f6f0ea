/* fields.c - see fields.h; and the list of all options. */
#include "api/fields.h"

#include "base/text.h"
#include "core/options.h"
#include "methods/registry.h"
#include "stabilizers/stabilizers.h"

enum { OWNERS = 64 }; /* room enough: the test of this table meets all */

/* Steppers, then stabilizers that have options of their own. */
static int owners_into(const keel_method **list) {
    int steppers = registry_owners(list, OWNERS);
    return steppers + stabilizers_owners(list + steppers, OWNERS - steppers);
}

const keel_method *keel_field_owner(const keel_field *f, int i) {
    const keel_method *list[OWNERS];
    int count = f && i >= 0 ? owners_into(list) : 0;
    for (int k = 0; k < count; k++)
        if (options_own(list[k], f) && i-- == 0) return list[k];
    return NULL;
}

/* Methods may share an option: theta. */
static int listed_before(const keel_field *f, const keel_method **list, int count) {
    for (int k = 0; k < count; k++)
        if (options_own(list[k], f)) return 1;
    return 0;
}

const keel_field *keel_field_at(int i) {
    const keel_method *list[OWNERS];
    if (i < 0) return NULL;
    for (const keel_field *f = options_table; f->name; f++)
        if (i-- == 0) return f;
    int count = owners_into(list);
    for (int k = 0; k < count; k++)
        for (const keel_field *f = list[k]->fields; f->name; f++)
            if (!listed_before(f, list, k) && i-- == 0) return f;
    return NULL;
}

const keel_field *keel_field_of(size_t offset) {
    const keel_field *f;
    for (int i = 0; (f = keel_field_at(i)) && f->offset != offset; i++) {}
    return f;
}

int fields_idle(const keel_options *o, const keel_method *stepper, const keel_method *stabilizer, char *why,
                size_t capacity) {
    const keel_method *list[OWNERS];
    int count = owners_into(list);
    for (int k = 0; k < count; k++)
        for (const keel_field *f = list[k]->fields; f->name; f++) {
            if (!keel_field_given(f, o) || options_own(stepper, f) || options_own(stabilizer, f)) continue;
            if (list[k]->order == 0)
                text_set(why, capacity, "%s belongs to the stabilizer %s, and this is %s", f->name,
                         list[k]->name, stabilizer ? stabilizer->name : "another");
            else if (f->without)
                text_set(why, capacity, "%s %s: leave options.%s out", stepper->name, f->without, f->name);
            else
                text_set(why, capacity, "%s has no %s: leave options.%s out", stepper->name, f->name,
                         f->name);
            return 1;
        }
    return 0;
}
