/* rows.c - see rows.h. */
#include "core/rows.h"

#include "core/differences.h"
#include "core/project.h"

#include <float.h>
#include <math.h>
#include <string.h>

void rows_init(struct rows *r, const struct field *fd) {
    memset(r, 0, sizeof *r);
    r->of[KEEL_ROW_CONSTRAINT] = r->of[KEEL_ROW_VELOCITY] = fd->kg;
    r->of[KEEL_ROW_ROLLING] = fd->kr;
    r->of[KEEL_ROW_ALGEBRAIC] = fd->m;
    r->of[KEEL_ROW_HIDDEN] = fd->hidden.user.count;
    r->of[KEEL_ROW_ENERGY] = fd->energy.user.count;
    r->of[KEEL_ROW_INVARIANT] = fd->invariant.user.count;
    for (int kind = 0; kind < ROWS_KINDS; kind++) {
        r->at[kind] = r->count;
        r->count += r->of[kind];
        if (r->of[kind] && kind != KEEL_ROW_VELOCITY && kind != KEEL_ROW_ROLLING)
            r->plain[r->plains++] = kind;
    }
}

void rows_layout(struct rows *r, const struct field *fd, struct arena *a) {
    const struct map *maps[ROWS_KINDS] = {&fd->constraint, &fd->constraint, &fd->rolling,  &fd->algebraic,
                                          &fd->hidden,     &fd->energy,     &fd->invariant};
    size_t count = (size_t)r->count + 1;
    memcpy(r->map, maps, sizeof maps);
    r->name = arena_take(a, count * ROWS_NAME);
    r->treatment = arena_ints(a, count);
    r->verdict = arena_ints(a, count);
    r->reference = arena_doubles(a, count);
    r->size = arena_doubles(a, count);
    r->residual = arena_doubles(a, count);
    r->drift = arena_doubles(a, count);
    r->units = arena_doubles(a, count);
    r->beyond = arena_doubles(a, count);
    r->recent = arena_doubles(a, count);
    r->fresh_size = arena_doubles(a, count);
    r->terms = arena_doubles(a, count);
    r->column = arena_doubles(a, count);
    int behind_hidden = fd->mech.sparse || fd->hidden_rows.sparse;
    r->stored = behind_hidden ? r->at[KEEL_ROW_ENERGY] : fd->dae.sparse ? r->at[KEEL_ROW_HIDDEN] : 0;
    r->lasting = fd->mech.sparse ? r->stored : 0;
    r->jacobian = arena_doubles(a, (count - (size_t)r->stored) * (size_t)(fd->n + fd->m));
}

void rows_open(struct rows *r) {
    for (int kind = 0; kind < ROWS_KINDS; kind++) {
        const struct map *map = r->map[kind];
        for (int i = 0; i < r->of[kind]; i++) {
            char *name = r->name + (long)(r->at[kind] + i) * ROWS_NAME;
            text_set(name, ROWS_NAME, kind == KEEL_ROW_VELOCITY ? "d/dt " : "");
            if (map->user.names && map->user.names[i]) text_add(name, ROWS_NAME, "%s", map->user.names[i]);
            else if (r->of[kind] == 1) text_add(name, ROWS_NAME, "%s", map->what);
            else text_add(name, ROWS_NAME, "%s[%d]", map->what, i);
        }
    }
}

const char *rows_name(const struct rows *r, int i) {
    return r->name + (long)i * ROWS_NAME;
}

int rows_find(const struct rows *r, const char *name) {
    for (int i = 0; i < r->count; i++)
        if (strcmp(rows_name(r, i), name) == 0) return i;
    return -1;
}

/* What fails, or is not finite, says so by its values alone. */
void rows_sample(struct field *fd, const struct rows *r, double t, const double *u, double *out) {
    struct fault before;
    fault_copy(&fd->fault, &before);
    for (int i = 0; i < r->count; i++) out[i] = NAN;
    if (fd->k && rows_velocity(fd, t, u, out + r->at[KEEL_ROW_VELOCITY]) != KEEL_OK)
        for (int i = 0; i < fd->k; i++) out[r->at[KEEL_ROW_VELOCITY] + i] = NAN;
    for (int i = 0; i < r->plains; i++) map_value(fd, r->map[r->plain[i]], t, u, out + r->at[r->plain[i]]);
    for (int i = 0; i < r->count; i++) out[i] -= r->reference[i];
    fault_copy(&before, &fd->fault);
}

struct velocity_path {
    struct field *fd;
    double t;
    double *u;
    int at;
};

static keel_status velocity_along_column(void *context, double s, double *out) {
    struct velocity_path *c = context;
    double kept = c->u[c->at];
    c->u[c->at] = kept + s;
    keel_status status = rows_velocity(c->fd, c->t, c->u, out);
    c->u[c->at] = kept;
    return status;
}

/* d/dv of G v + g_t and A v + b is G and A. */
static keel_status velocity_by_v(struct field *fd, double t, const double *u, double *jacobian) {
    int nq = fd->nq, n = fd->n;
    keel_status status = fd->kg ? map_jacobian(fd, &fd->constraint, t, u, fd->matrix) : KEEL_OK;
    if (status == KEEL_OK && fd->kr)
        status = map_jacobian(fd, &fd->rolling, t, u, fd->matrix + (long)fd->kg * nq);
    for (int i = 0; i < fd->k && status == KEEL_OK; i++)
        memcpy(jacobian + (long)i * n + nq, fd->matrix + (long)i * nq, (size_t)nq * sizeof *jacobian);
    return status;
}

static keel_status velocity_jacobian(struct field *fd, struct rows *r, double t, const double *u) {
    double *jacobian = r->jacobian + (long)r->at[KEEL_ROW_VELOCITY] * fd->n;
    int linear = (fd->traits & KEEL_SECOND_ORDER) != 0; /* in v */
    if (fd->velocity.user.jacobian) {
        keel_status status = map_jacobian(fd, &fd->velocity, t, u, fd->matrix);
        memcpy(jacobian, fd->matrix, (size_t)fd->k * (size_t)fd->n * sizeof *jacobian);
        return status;
    }
    memcpy(fd->line, u, (size_t)fd->n * sizeof *u);
    struct velocity_path path = {fd, t, fd->line, 0};
    for (int j = 0; j < (linear ? fd->nq : fd->n); j++) {
        path.at = j;
        double length = fmax(fd->size[j], fabs(u[j]));
        keel_status status = differences_along(velocity_along_column, &path, fd->k, length > 0 ? length : 1,
                                               1, 1, fd->curvature_work, r->column, NULL);
        if (status != KEEL_OK) return status;
        for (int i = 0; i < fd->k; i++) jacobian[(long)i * fd->n + j] = r->column[i];
    }
    return linear ? velocity_by_v(fd, t, u, jacobian) : KEEL_OK;
}

keel_status rows_jacobian(struct field *fd, struct rows *r, keel_row_kind kind, double t, const double *u) {
    int all = fd->n + fd->m, count = r->of[kind];
    if (fd->mech.sparse && rows_in(ROWS_OF_CONSTRAINTS, kind)) return KEEL_OK; /* K itself is what there is */
    if (fd->dae.sparse && kind == KEEL_ROW_ALGEBRAIC) /* of rows with y rows_grow asks for the entries */
        return fd->dae.by_rates ? hidden_sparse_entries(fd, 1, t, u) : KEEL_OK;
    if (fd->hidden_rows.sparse && kind == KEEL_ROW_HIDDEN) return hidden_sparse_entries(fd, 0, t, u);
    if (hamiltonian_is_sparse(fd) && rows_in(ROWS_OF_CONSTRAINTS, kind))
        return hidden_sparse_entries(fd, kind == KEEL_ROW_CONSTRAINT, t, u);
    double *jacobian = rows_gradient(r, fd, r->at[kind]);
    if (kind == KEEL_ROW_VELOCITY || kind == KEEL_ROW_ROLLING)
        return velocity_jacobian(fd, r, t, u); /* both */
    const struct map *map = r->map[kind];
    if (map->columns == all) return map_jacobian(fd, map, t, u, jacobian);
    keel_status status = map_jacobian(fd, map, t, u, fd->matrix);
    for (int i = 0; i < count && status == KEEL_OK; i++)
        for (int j = 0; j < all; j++)
            jacobian[(long)i * all + j] = j < map->columns ? fd->matrix[(long)i * map->columns + j] : 0;
    return status;
}

/* |dc_i/dx_j| |x_j| of algebraic rows by their pattern. */
static keel_status rows_entries_grow(struct field *fd, struct rows *r, double t, const double *u) {
    const keel_pattern *p = fd->algebraic.user.pattern;
    keel_status status = map_entries(fd, &fd->algebraic, t, u, fd->sparse);
    for (int i = 0; i < fd->m && status == KEEL_OK; i++) {
        double *size = &r->fresh_size[r->at[KEEL_ROW_ALGEBRAIC] + i];
        *size = fabs(r->reference[r->at[KEEL_ROW_ALGEBRAIC] + i]);
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            *size += fabs(fd->sparse[e] * u[p->column[e]]);
    }
    return status;
}

/* Those of the rows from..to without y, from the entries that rows_jacobian has left; the columns from
 * `derived` on count twice, as rows_grow has it. */
static void rows_hidden_grow(struct field *fd, struct rows *r, int from, int to, int derived,
                             const double *u) {
    for (int row = from; row < to; row++) {
        double size = fabs(r->reference[row]) + hidden_sparse_size(fd, row, 0, u);
        double least = PROJECT_ROUNDED * hidden_sparse_size(fd, row, 0, fd->size);
        if (derived < fd->n) size += hidden_sparse_size(fd, row, derived, u);
        int direct = row < fd->m && fd->dae.direct[row]; /* it has them all */
        if (!direct) r->fresh_size[row] = fmax(size, least);
    }
}

double rows_unit_of_values(const struct field *fd, const struct rows *r, int i) {
    double least = i >= r->stored ? project_least(fd->n, rows_gradient(r, fd, i), fd->size) : 0;
    if (fd->hidden_rows.sparse && i >= fd->hidden_rows.first && i < r->stored)
        least = PROJECT_ROUNDED * hidden_sparse_size(fd, i, 0, fd->size);
    return r->size[i] > 2 * least ? rows_unit(r, i) : 0;
}

/* s_i = sum_j |dc_i/dx_j| |x_j| + |dc_i/dt| |t| + |reference| + sum of |terms|.  For d/dt rows the terms
 * are those of G v + g_t, known without a further callback; of G H_p + g_t they are asked for. */
keel_status rows_grow(struct field *fd, struct rows *r, keel_row_kind kind, double t, const double *u) {
    int all = fd->n + fd->m, first = r->at[kind], count = r->of[kind];
    const struct map *map = r->map[kind];
    int derived = kind == KEEL_ROW_VELOCITY || kind == KEEL_ROW_ROLLING;
    if (fd->mech.sparse && rows_in(ROWS_OF_CONSTRAINTS, kind)) return rows_grow_sparse(fd, r, t, u);
    if (fd->dae.sparse && kind == KEEL_ROW_ALGEBRAIC) {
        keel_status status = rows_entries_grow(fd, r, t, u);
        if (status != KEEL_OK) return status;
    }
    if (fd->hidden_rows.sparse && first >= fd->hidden_rows.first && first < r->stored)
        rows_hidden_grow(fd, r, first, first + count, derived ? fd->nq : all, u);
    for (int i = first; i < first + count && i >= r->stored; i++) {
        const double *row = rows_gradient(r, fd, i);
        double size = project_terms(all, fabs(r->reference[i]), row, u);
        for (int j = fd->nq; j < all && derived; j++) size += fabs(row[j] * u[j]);
        double least = PROJECT_ROUNDED * project_terms(fd->n, 0, row, fd->size);
        r->fresh_size[i] = size > least ? size : least;
    }
    if (map->time_dependent) {
        keel_status status = map_time_derivative(fd, map, t, u, r->terms + first);
        if (status != KEEL_OK) return status;
        for (int i = first; i < first + count; i++)
            r->fresh_size[i] += fabs(r->terms[i]) * (derived ? 1 : fabs(t));
    }
    const struct map *written = kind == KEEL_ROW_VELOCITY ? &fd->velocity : map; /* with the rolling rows */
    if (written->user.terms && kind != KEEL_ROW_ROLLING) {
        keel_status status = map_terms(fd, written, t, u, r->terms + first);
        if (status != KEEL_OK) return status;
        for (int i = first; i < first + count; i++) r->fresh_size[i] += fabs(r->terms[i]);
    }
    for (int i = first; i < first + count; i++)
        if (r->fresh_size[i] > r->size[i]) r->size[i] = r->fresh_size[i];
    return KEEL_OK;
}

/* Terms |K q| + |g_t t| and |K v| + |g_t|, the latter in value and derivative; moving q is left out. */
keel_status rows_grow_sparse(struct field *fd, struct rows *r, double t, const double *u) {
    const double *k, *shift;
    double *position = r->fresh_size, *velocity = r->column;
    keel_status status = mechanics_sparse_rows(fd, t, u, &k, &shift);
    if (status == KEEL_OK && fd->kg && fd->constraint.user.terms)
        status = map_terms(fd, &fd->constraint, t, u, r->terms);
    if (status != KEEL_OK) return status;
    mechanics_sparse_sizes(fd, k, u, position, velocity);
    for (int i = 0; i < fd->k; i++) {
        double *size = r->size + r->at[KEEL_ROW_VELOCITY] + i;
        *size = fmax(*size, 2 * velocity[i] + fabs(shift[i]));
        if (i >= fd->kg) continue;
        double terms = fd->constraint.user.terms ? fabs(r->terms[i]) : 0;
        r->size[i] = fmax(r->size[i], position[i] + fabs(shift[i] * t) + terms);
    }
    return KEEL_OK;
}

keel_status rows_grow_all(struct field *fd, struct rows *r, double t, const double *u) {
    keel_status status = KEEL_OK;
    for (int kind = 0; kind < ROWS_KINDS && status == KEEL_OK; kind++) {
        if (r->of[kind] == 0) continue;
        status = rows_jacobian(fd, r, (keel_row_kind)kind, t, u);
        if (status == KEEL_OK) status = rows_grow(fd, r, (keel_row_kind)kind, t, u);
    }
    return status;
}

/* A residual that was a few round-offs of large values stays when they are gone, and is none then.  Not the
 * sizes of the moment: they may vanish for one. */
void rows_fade(struct rows *r) {
    enum { SLACK = 10 };
    for (int i = 0; i < r->count; i++) {
        double most = SLACK * fmax(r->fresh_size[i], r->recent[i]);
        int held = r->treatment[i] == KEEL_ROW_KEPT || r->treatment[i] == KEEL_ROW_REDUNDANT; /* by others */
        if (!held && most > 0 && i >= r->lasting) r->size[i] = fmin(r->size[i], most);
        r->recent[i] = r->fresh_size[i];
    }
}

void rows_certify(struct rows *r) {
    project_certify(r->count, r->residual, r->size, r->drift, r->units);
}

void rows_carry(const struct rows *from, struct rows *to) {
    for (int i = 0; i < to->count; i++) {
        int same = rows_find(from, rows_name(to, i));
        if (same < 0) continue;
        to->drift[i] = fmax(to->drift[i], from->drift[same]);
        to->units[i] = fmax(to->units[i], from->units[same]);
    }
}
