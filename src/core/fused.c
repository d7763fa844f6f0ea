/* fused.c - many fixed steps at once, by a kernel that the problem brings: a method with f compiled into it.
 *
 * The last steps before an end are left to step.c, so whoever looks into the last step finds what is always
 * there.  A chunk in which something goes wrong is forgotten: step.c takes it again and says what it was. */
#include "core/engine.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CHUNK = 1024, LEFT = 2 };

int fused_fits(const struct engine *e) {
    const keel_problem *p = &e->field.p;
    return p->fused && e->o.step > 0 && !e->o.reversible && e->field.rate == p->f.value && !e->measured &&
           !e->o.compensated && !e->o.observe && p->event.count == 0 && !e->o.own_method &&
           strcmp(p->fused->method, e->stepper->info.name) == 0;
}

/* An even number: the two buffers change places with every step.  None where the clock hardly resolves a
 * step. */
static long chunk(const struct engine *e, long most) {
    const struct record *r = e->r;
    double left = fmin(e->grid.steps - (double)r->count, (double)most) - LEFT;
    double clock = 64 * DBL_EPSILON * fmax(fabs(r->base), fabs(e->grid.t_end));
    return left < 2 || e->o.step < clock ? 0 : (long)fmin(left, CHUNK) / 2 * 2;
}

/* A state that is not finite never becomes finite again: one look at the end of the chunk finds it. */
long fused_march(struct engine *e, long most) {
    struct record *r = e->r;
    const keel_problem *p = &e->field.p;
    int now = r->front, aside = 1 - now;
    size_t bytes = (size_t)e->field.width * sizeof(double);
    double h = e->o.step * r->direction;
    long count = chunk(e, most);
    if (count == 0) return 0;
    memcpy(e->x[aside], e->x[now], bytes);
    memcpy(e->f[aside], e->f[now], bytes);
    long calls = p->fused->march(r->t, r->base, h, r->count, count, e->x[now], e->f[now], p->user);
    if (calls < 0 || !engine_finite(e->field.n, e->x[now])) {
        memcpy(e->x[now], e->x[aside], bytes);
        memcpy(e->f[now], e->f[aside], bytes);
        return 0;
    }
    r->count += count;
    r->t = r->t_now = r->base + (double)r->count * h;
    r->stats.steps += count;
    r->stats.calls += calls;
    return count;
}
