/* mass_change.c - see mass_change.h. */
#include "core/field.h"

#include "core/start.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int mass_changes(const struct field *fd) {
    return fd->p.mass.value && !fd->p.mass.constant && fd->p.mass.pattern && fd->p.f.pattern;
}

int mass_change_attach(struct field *fd) {
    int asked = (fd->large && fd->newtons) || (fd->mech.sparse && fd->systems);
    fd->mass_change = NULL;
    if (!asked || !mass_changes(fd)) return 0;
    struct mass_change *c = fd->mass_change = calloc(1, sizeof *c);
    if (!c) return 1;
    c->rows = fd->traits & KEEL_SECOND_ORDER ? fd->nq : fd->n;
    size_t all = (size_t)(fd->n + fd->m), rows = (size_t)c->rows;
    c->step = calloc(all + 1, sizeof *c->step);
    c->probe = calloc(all + 4, sizeof *c->probe);
    c->entries = calloc((size_t)fd->p.mass.pattern->nnz + 1, sizeof *c->entries);
    c->of_f = calloc((size_t)fd->p.f.pattern->nnz + 1, sizeof *c->of_f);
    c->before = calloc(rows + 1, sizeof *c->before);
    c->beside = calloc(rows + 1, sizeof *c->beside);
    c->held = calloc(rows + 1, sizeof *c->held);
    int known = c->step && c->probe && c->entries && c->of_f && c->before && c->beside && c->held;
    if (!known || !fd->p.extras->mass_change)
        return !known || colours_open(&c->colours, fd->p.f.pattern, c->rows, c->rows);
    c->exact = calloc((size_t)fd->p.f.pattern->nnz + 1, sizeof *c->exact);
    c->moved = calloc(all + rows, sizeof *c->moved);
    return !c->exact || !c->moved;
}

void mass_change_detach(struct field *fd) {
    struct mass_change *c = fd->mass_change;
    if (!c) return;
    void *const blocks[] = {c->step,   c->probe, c->entries, c->of_f, c->before,
                            c->beside, c->held,  c->exact,   c->moved};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
    colours_close(&c->colours);
    free(c);
    fd->mass_change = NULL;
}

keel_status mass_change_entries(struct field *fd, double t, const double *u, double *out) {
    int code = fd->p.mass.value(t, u, out, fd->p.user);
    return map_checked(fd, "mass", NULL, code, t, fd->p.mass.pattern->nnz, out);
}

keel_status mass_change_product(struct field *fd, double t, const double *u, const double *a, double *out) {
    struct mass_change *c = fd->mass_change;
    const keel_pattern *p = fd->p.mass.pattern;
    keel_status status = mass_change_entries(fd, t, u, c->entries);
    for (int i = 0; i < c->rows && status == KEEL_OK; i++) {
        out[i] = 0;
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) out[i] += c->entries[e] * a[p->column[e]];
    }
    return status;
}

/* On the other side if the first one leaves the domain. */
static keel_status one_colour(struct field *fd, int colour, double t, const double *u, const double *a,
                              double *entries) {
    struct mass_change *c = fd->mass_change;
    const struct columns *f = &c->colours.columns;
    const int *list = c->colours.list, from = c->colours.first[colour], to = c->colours.first[colour + 1];
    keel_status status = KEEL_RETRY;
    for (int side = 1; side >= -1 && status == KEEL_RETRY; side -= 2) {
        for (int k = from; k < to; k++) c->probe[list[k]] = u[list[k]] + side * c->step[list[k]];
        status = mass_change_product(fd, t, c->probe, a, c->beside);
        for (int k = from; k < to; k++) {
            int j = list[k];
            double length = c->probe[j] - u[j];
            c->probe[j] = u[j];
            for (int spot = f->start[j]; spot < f->start[j + 1] && status == KEEL_OK; spot++)
                entries[f->from[spot]] -= (c->beside[f->row[spot]] - c->before[f->row[spot]]) / length;
        }
    }
    return status;
}

/* c->exact := d(M a)/du by extras.mass_change. */
static keel_status find_exact(struct field *fd, double t, const double *u, const double *a) {
    struct mass_change *c = fd->mass_change;
    size_t all = (size_t)(fd->n + fd->m);
    memcpy(c->moved, u, all * sizeof *u);
    memcpy(c->moved + all, a, (size_t)c->rows * sizeof *a);
    int code = fd->p.extras->mass_change(t, c->moved, c->exact, fd->p.user);
    return map_checked(fd, "extras.mass_change", NULL, code, t, fd->p.f.pattern->nnz, c->exact);
}

keel_status mass_change_subtract(keel_work *w, double t, const double *u, const double *a, double *entries) {
    struct field *fd = field_of(w);
    struct mass_change *c = fd->mass_change;
    if (c->exact) {
        keel_status found = find_exact(fd, t, u, a);
        for (int e = 0; e < fd->p.f.pattern->nnz && found == KEEL_OK; e++) entries[e] -= c->exact[e];
        return found;
    }
    newton_colour_steps(w, u, c->rows, c->step);
    memcpy(c->probe, u, (size_t)(fd->n + fd->m) * sizeof *u);
    keel_status status = mass_change_product(fd, t, u, a, c->before);
    for (int k = 0; k < c->colours.count && status == KEEL_OK; k++)
        status = one_colour(fd, k, t, u, a, entries);
    return status;
}

/* Along a random direction, for a random a. */
keel_status mass_change_check(struct field *fd, double t, const double *u) {
    struct mass_change *c = fd->mass_change;
    const keel_pattern *p = fd->p.f.pattern;
    unsigned seed = 815;
    if (!c || !c->exact) return KEEL_OK;
    for (int i = 0; i < c->rows; i++) c->held[i] = 1 + start_random(&seed);
    keel_status status = find_exact(fd, t, u, c->held);
    memcpy(c->probe, u, (size_t)(fd->n + fd->m) * sizeof *u);
    for (int j = 0; j < c->rows; j++) c->step[j] = cbrt(DBL_EPSILON) * fd->size[j] * start_random(&seed);
    for (int side = 1; side >= -1 && status == KEEL_OK; side -= 2) {
        for (int j = 0; j < c->rows; j++) c->probe[j] = u[j] + side * c->step[j];
        status = mass_change_product(fd, t, c->probe, c->held, side > 0 ? c->beside : c->before);
    }
    for (int i = 0; i < c->rows && status == KEEL_OK; i++) {
        double given = 0, found = (c->beside[i] - c->before[i]) / 2, terms = fabs(found);
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
            if (p->column[e] >= c->rows) continue;
            given += c->exact[e] * c->step[p->column[e]];
            terms += fabs(c->exact[e] * c->step[p->column[e]]);
        }
        double noise = 64 * DBL_EPSILON * (fabs(c->beside[i]) + fabs(c->before[i]));
        if (fabs(given - found) > 1e-5 * terms + noise)
            return field_fault(fd, KEEL_EINVAL, KEEL_EINVAL,
                               "extras.mass_change is wrong in row %d: along a direction it gives %.10g, "
                               "differences say %.10g at t = %.10g",
                               i, given, found, t);
    }
    return status;
}
