/* stabilizers.c - the only file that names all stabilizers.  A family is one line here. */
#include "stabilizers/stabilizers.h"

#include "base/text.h"

#include <string.h>

#define FAMILIES(FAMILY) /* NAME stands for the array NAME_stabilizers, which ends with a nameless one */ \
    FAMILY(projection)                                                                                    \
    FAMILY(multipliers)                                                                                   \
    FAMILY(scale)                                                                                         \
    FAMILY(relax)                                                                                         \
    FAMILY(baumgarte)

#define DECLARED(name) extern const keel_stabilizer name##_stabilizers[];
#define LISTED(name) name##_stabilizers,

FAMILIES(DECLARED)

static const keel_stabilizer *const families[] = {FAMILIES(LISTED) NULL};

const keel_stabilizer *stabilizers_at(int i) {
    for (const keel_stabilizer *const *family = families; *family; family++)
        for (const keel_stabilizer *s = *family; s->info.name; s++)
            if (i-- == 0) return s;
    return NULL;
}

int stabilizers_owners(const keel_method **list, int capacity) {
    int count = 0;
    for (const keel_stabilizer *const *family = families; *family; family++)
        for (const keel_stabilizer *s = *family; s->info.name; s++)
            if (s->info.fields && count < capacity) list[count++] = &s->info;
    return count;
}

const keel_stabilizer *stabilizers_find(const char *name) {
    const keel_stabilizer *s;
    for (int i = 0; (s = stabilizers_at(i)); i++)
        if (strcmp(s->info.name, name) == 0) return s;
    return NULL;
}

const char *stabilizers_nearest(const char *name) {
    const keel_stabilizer *s;
    const char *nearest = NULL;
    int best = 4;
    for (int i = 0; (s = stabilizers_at(i)); i++) {
        int distance = text_distance(name, s->info.name);
        if (distance < best) {
            best = distance;
            nearest = s->info.name;
        }
    }
    return nearest;
}

const keel_stabilizer *stabilizers_with(unsigned among, unsigned traits) {
    const keel_stabilizer *s;
    for (int i = 0; (s = stabilizers_at(i)) && (s->info.traits & among) != traits; i++) {}
    return s;
}
