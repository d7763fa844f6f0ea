/* diagnostics.c - where steps become too short: what to look at. */
#include "core/engine.h"

#include <math.h>

static int largest_of(int count, const double *value) {
    int largest = 0;
    for (int i = 1; i < count; i++)
        if (fabs(value[i]) > fabs(value[largest])) largest = i;
    return largest;
}

static const char *row_name(const struct field *fd, int i, char *buffer, size_t size) {
    int holonomic = fd->constraint.user.count, rolling = i >= holonomic;
    const keel_map *rows = rolling ? &fd->p.rolling : &fd->constraint.user;
    return field_name(rows->names, rolling ? i - holonomic : i, rolling ? "rolling" : "constraint", buffer,
                      size);
}

/* What may have run away: a constraint that has hardly a direction of its own, the largest multiplier or
 * algebraic variable, else the fastest state. */
void diagnostics_of_short_steps(struct engine *e, char *text, size_t size) {
    struct field *fd = &e->field;
    const double *x = e->x[e->r->current];
    char name[64];
    text[0] = '\0';
    if (fd->n == 0 || field_rhs(fd, e->r->t, x, e->split) != KEEL_OK) return;
    int narrow = 0;
    double share = fd->traits & KEEL_SECOND_ORDER && fd->k ? mechanics_orthogonal_fraction(fd, &narrow) : 1;
    if (share < 0.01) {
        text_set(text, size,
                 "; the constraint %s has %.2g of a direction of its own there: a dead centre is near",
                 row_name(fd, narrow, name, sizeof name), share);
    } else if (fd->k) {
        int i = largest_of(fd->k, fd->lambda);
        text_set(text, size, "; the multiplier of %s is %.2g there", row_name(fd, i, name, sizeof name),
                 fd->lambda[i]);
    } else if (fd->m) {
        int i = largest_of(fd->m, fd->y);
        text_set(text, size, "; %s is %.2g there", field_name(fd->p.names, fd->n + i, "u", name, sizeof name),
                 fd->y[i]);
    } else {
        for (int i = 0; i < fd->n; i++) e->scratch[i] = e->split[i] / (e->atol[i] + e->o.rtol * fabs(x[i]));
        int i = largest_of(fd->n, e->scratch);
        text_set(text, size, "; d/dt of %s is %.2g there", field_name(fd->p.names, i, "u", name, sizeof name),
                 e->split[i]);
    }
}
