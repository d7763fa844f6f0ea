/* snapshot.c - see snapshot.h. */
#include "core/snapshot.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct snapshot {
    struct engine engine;
    size_t bytes;
    unsigned char block[]; /* with the method's and the stabilizer's own structs, which point into it */
};

struct snapshot *snapshot_take(const struct engine *e) {
    size_t bytes = engine_bytes(e);
    struct snapshot *a = malloc(sizeof *a + bytes);
    if (!a) return NULL;
    a->engine = *e;
    a->bytes = bytes;
    memcpy(a->block, e->block, bytes);
    return a;
}

void snapshot_free(struct snapshot *a) {
    free(a);
}

keel_status snapshot_open(const struct snapshot *a, struct engine *e, double t0, const double *u0) {
    const keel_kernel *kernel = e->field.kernel;
    memcpy(e, &a->engine, offsetof(struct engine, message));
    e->message[0] = '\0';
    memcpy(e->block, a->block, a->bytes);
    e->field.kernel = kernel;
    e->field.p.t0 = t0;
    e->field.p.u0 = u0;
    engine_prepare(e, 1, NULL);
    return e->r->status;
}
