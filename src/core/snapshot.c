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

static void copy_part(const struct engine *from, struct engine *to, size_t begin, size_t end) {
    memcpy((unsigned char *)to + begin, (const unsigned char *)from + begin, end - begin);
}

/* All but the message, and the matrices that nobody has laid out: a quarter of it, of an explicit method. */
static void copy_engine(const struct engine *from, struct engine *to) {
    size_t newtons = (size_t)from->field.newtons * sizeof *from->field.newton;
    size_t systems = (size_t)from->field.systems * sizeof *from->field.system;
    copy_part(from, to, 0, offsetof(struct engine, field.newton) + newtons);
    copy_part(from, to, offsetof(struct engine, field.newtons),
              offsetof(struct engine, field.system) + systems);
    copy_part(from, to, offsetof(struct engine, field.systems), offsetof(struct engine, message));
}

keel_status snapshot_open(const struct snapshot *a, struct engine *e, double t0, const double *u0) {
    const keel_kernel *kernel = e->field.kernel;
    copy_engine(&a->engine, e);
    e->message[0] = '\0';
    memcpy(e->block, a->block, a->bytes);
    e->field.kernel = kernel;
    e->field.p.t0 = t0;
    e->field.p.u0 = u0;
    engine_prepare(e, 1, NULL);
    return e->r->status;
}
