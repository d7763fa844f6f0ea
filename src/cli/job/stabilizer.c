/* stabilizer.c - see stabilizer.h. */
#include "cli/job/stabilizer.h"

#include "base/text.h"

#include <string.h>

const char *stabilizer_choices(void) {
    static char all[400];
    const keel_method *s;
    text_set(all, sizeof all, "auto");
    for (int i = 0; (s = keel_stabilizer_at(i)); i++) text_add(all, sizeof all, "|%s", s->name);
    return all;
}

const keel_method *stabilizer_find(const char *name) {
    const keel_method *s;
    for (int i = 0; (s = keel_stabilizer_at(i)) && strcmp(s->name, name) != 0; i++) {}
    return s;
}

unsigned stabilizer_traits(const char *name) {
    const keel_method *s = stabilizer_find(name);
    return s ? s->traits : KEEL_MEASURES;
}

const char *stabilizer_with(unsigned among, unsigned traits) {
    const keel_method *s;
    for (int i = 0; (s = keel_stabilizer_at(i)) && (s->traits & among) != traits; i++) {}
    return s ? s->name : "auto";
}

/* What stands behind the plus. */
static const char *asked_by(const char *method) {
    const char *plus = method ? strchr(method, '+') : NULL;
    return plus ? plus + 1 : "auto";
}

int stabilizer_measures(const char *method) {
    return (stabilizer_traits(asked_by(method)) & KEEL_MEASURES) != 0;
}

const char *stabilizer_in_use(const char *method, const keel_solver *s) {
    const keel_method *used = keel_stabilizer_of(s);
    keel_row row;
    int kept = 0, shown = 0;
    for (int i = 0; keel_row_at(s, i, &row); i++) {
        if (row.kind == KEEL_ROW_ALGEBRAIC) continue;
        kept |= row.treatment == KEEL_ROW_KEPT;
        shown = 1;
    }
    if (used && (kept || strcmp(asked_by(method), "auto") != 0)) return used->name;
    return stabilizer_with(KEEL_MEASURES | KEEL_CORRECTS | KEEL_DAMPS, shown ? KEEL_MEASURES : 0);
}
