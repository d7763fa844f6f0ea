/* again.c - see again.h. */
#include "core/again.h"

#include <stdlib.h>
#include <string.h>

struct again {
    struct engine engine;
    size_t bytes;
    unsigned char block[]; /* with the method's and the stabilizer's own structs, which point into it */
};

struct again *again_take(const struct engine *e) {
    size_t bytes = engine_bytes(e);
    struct again *a = malloc(sizeof *a + bytes);
    if (!a) return NULL;
    a->engine = *e;
    a->bytes = bytes;
    memcpy(a->block, e->block, bytes);
    return a;
}

void again_free(struct again *a) {
    free(a);
}

keel_status again_open(const struct again *a, struct engine *e, double t0, const double *u0) {
    const keel_kernel *kernel = e->field.kernel;
    *e = a->engine;
    memcpy(e->block, a->block, a->bytes);
    e->field.kernel = kernel;
    e->field.p.t0 = t0;
    e->field.p.u0 = u0;
    engine_prepare(e, 1, NULL);
    return e->r->status;
}
