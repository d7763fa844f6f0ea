/* levels.c - see levels.h.  Gauss-Newton with the shortest step: the free unknowns alone move. */
#include "model/levels.h"

#include "symbolic/derive_rules.h"
#include "linalg/rowspace.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ENTRIES = 1 << 22 }; /* beyond, nothing is said about what is determined */
enum { ITERATIONS = 60, HALVINGS = 14 };

/* Which rows -------------------------------------------------------------------------------------------- */

static struct level level_with(struct begin *b, int first, int columns, int count, const expr *row, int more,
                               const expr *others) {
    struct level l = {
        0, first, columns,
        pool_take(&b->m->pool, ((size_t)count + (size_t)more + (size_t)b->implieds + 1) * sizeof *l.row)};
    if (!l.row) return l;
    for (int i = 0; i < count; i++) l.row[l.count++] = row[i];
    for (int i = 0; i < more; i++) l.row[l.count++] = others[i];
    for (int i = 0; i < b->implieds && first + columns == b->r->n + b->r->m; i++)
        l.row[l.count++] = b->implied[i];
    return l;
}

int levels_asked(const struct begin *b) {
    int asked = b->implieds;
    for (int j = b->r->n; j < b->r->n + b->r->m; j++) asked += b->given[j] == BEGIN_FIXED;
    return asked;
}

int levels_of(struct begin *b, struct level *level) {
    struct formulation *r = b->r;
    int half = r->n / 2, held = r->constraint.count;
    if (formulation_traits(r) & KEEL_FIRST_ORDER) {
        /* Algebraic rows tell something of the states only where something algebraic is asked for. */
        if (!levels_asked(b)) level[0] = level_with(b, 0, r->n, r->hidden.count, r->hidden.value, 0, NULL);
        else
            level[0] = level_with(b, 0, r->n + r->m, r->hidden.count, r->hidden.value, r->algebraic.count,
                                  r->algebraic.value);
        return level[0].row ? 1 : -1;
    }
    expr *rate = pool_take(&b->m->pool, ((size_t)held + 1) * sizeof *rate);
    for (int i = 0; i < held && rate; i++)
        rate[i] = formulation_resolve(r, derive_total(&r->derive, r->constraint.value[i]));
    if (!rate) return -1;
    if (r->y->m->form == MODEL_POISSON) half = 0;
    level[0] = level_with(b, 0, half, held, r->constraint.value, 0, NULL);
    level[1] = level_with(b, half, r->n - half, held, rate, r->rolling.count, r->rolling.value);
    return level[0].row && level[1].row ? 2 : -1;
}

/* Their slopes ------------------------------------------------------------------------------------------ */

struct view {
    const struct level *l;
    struct derive_sparse jacobian;
    struct tape value, slope;
    struct rowspace space;
    double *entry, *residual, *trial, *z, *step, *floor_of;
    size_t width;
};

static void view_close(struct view *v) {
    derive_free(&v->jacobian);
    tape_free(&v->value);
    tape_free(&v->slope);
    free(v->entry);
    free(v->space.q);
    free(v->space.r);
    free(v->space.used);
}

static int view_open(struct view *v, struct begin *b, const struct level *l) {
    struct formulation *r = b->r;
    size_t rows = (size_t)l->count;
    expr missing;
    *v = (struct view){.l = l, .width = ((size_t)l->columns + 3) / 4 * 4};
    if (derive_jacobian(&r->derive, l->count, l->row, l->columns, r->basic + l->first, &v->jacobian))
        return 0;
    size_t entries = (size_t)v->jacobian.row_start[l->count], all = (size_t)(r->n + r->m);
    v->entry = calloc(entries + 3 * rows + all + 1, sizeof *v->entry);
    v->space.q = aligned_alloc(32, ((rows + 1) * v->width + 4) * sizeof(double));
    v->space.r = calloc(rows * rows + rows + 1, sizeof(double));
    v->space.used = calloc(rows + 1, sizeof(int));
    if (!v->entry || !v->space.q || !v->space.r || !v->space.used) return 0;
    v->residual = v->entry + entries;
    v->z = v->residual + rows;
    v->floor_of = v->z + rows;
    v->trial = v->floor_of + rows;
    v->step = v->space.q + rows * v->width;
    v->space.inverse = v->space.r + rows * rows;
    v->space.rows = l->count;
    v->space.width = (int)v->width;
    return functions_tape(r, entries, v->jacobian.value, &v->slope, &missing) == 0 &&
           functions_tape(r, rows, l->row, &v->value, &missing) == 0;
}

/* The row space at u over the unknowns with free[j] != 0; 0: not finite there. */
static int view_factor(struct view *v, struct begin *b, const double *u, const double *free_of) {
    const struct derive_sparse *j = &v->jacobian;
    if (tape_call(&v->slope, b->t0, u, b->m->parameter, v->entry)) return 0;
    memset(v->space.q, 0, (size_t)v->l->count * v->width * sizeof *v->space.q);
    for (int i = 0; i < v->l->count; i++) {
        v->floor_of[i] = 1e-9;
        for (int e = j->row_start[i]; e < j->row_start[i + 1]; e++) {
            if (!isfinite(v->entry[e])) return 0;
            v->space.q[(size_t)i * v->width + (size_t)j->column[e]] = v->entry[e] * free_of[j->column[e]];
        }
    }
    rowspace_factor(&v->space, v->floor_of);
    return 1;
}

int levels_left(struct begin *b, const struct level *l, double *left) {
    struct view v;
    size_t width = (size_t)l->columns;
    int any = 0;
    for (int j = 0; j < l->columns; j++) any |= (left[j] = b->given[l->first + j] == BEGIN_FIXED ? 0 : 1) > 0;
    if (l->count == 0 || !any) return 1;
    if (width * (size_t)l->count > MOST_ENTRIES) return memset(left, 0, width * sizeof *left), 1;
    int good = view_open(&v, b, l);
    if (good && view_factor(&v, b, b->m->u0, left))
        for (int j = 0; j < l->columns; j++)
            for (int i = 0; i < l->count; i++) {
                double share = v.space.q[(size_t)i * v.width + (size_t)j];
                left[j] -= share * share * v.space.inverse[i];
            }
    view_close(&v);
    return good;
}

/* Where they hold --------------------------------------------------------------------------------------- */

/* The largest residual, each by the slope of its row: about the distance that is left; HUGE_VAL: not a
 * number. */
static double distance(struct view *v, struct begin *b, const double *u) {
    const struct derive_sparse *j = &v->jacobian;
    double most = 0;
    if (tape_call(&v->value, b->t0, u, b->m->parameter, v->residual)) return HUGE_VAL;
    for (int i = 0; i < v->l->count; i++) {
        double slope = 0;
        for (int e = j->row_start[i]; e < j->row_start[i + 1]; e++) slope = fmax(slope, fabs(v->entry[e]));
        if (!isfinite(v->residual[i])) return HUGE_VAL;
        if (v->residual[i] != 0) most = fmax(most, fabs(v->residual[i]) / (slope > 0 ? slope : 1));
    }
    return most;
}

static double largest(const struct begin *b, const double *u) {
    double size = DBL_MIN;
    for (int j = 0; j < b->r->n + b->r->m; j++) size = fmax(size, fabs(u[j]));
    return size;
}

/* One step, as far as the distance falls; the distance that is left. */
static double move(struct view *v, struct begin *b, double *u, double before) {
    const struct level *l = v->l;
    size_t bytes = (size_t)(b->r->n + b->r->m) * sizeof *u;
    double share = 1, now = before;
    for (int i = 0; i < l->count; i++) v->residual[i] = -v->residual[i];
    rowspace_shortest(&v->space, v->residual, v->z, v->step);
    memcpy(v->trial, u, bytes);
    for (int k = 0; k < HALVINGS; k++, share /= 2) {
        for (int j = 0; j < l->columns; j++) {
            int fixed = b->given[l->first + j] == BEGIN_FIXED;
            u[l->first + j] = v->trial[l->first + j] + (fixed ? 0 : share * v->step[j]);
        }
        now = distance(v, b, u);
        if (now < before) return now;
    }
    memcpy(u, v->trial, bytes);
    return before;
}

int levels_meet(struct begin *b, const struct level *l) {
    struct view v = {0};
    size_t bytes = (size_t)(b->r->n + b->r->m) * sizeof(double);
    double *u = malloc(bytes + 1), *free_of = malloc((size_t)l->columns * sizeof *free_of + 1);
    int found = 0, good = u && free_of && (size_t)l->columns * (size_t)l->count <= MOST_ENTRIES;
    if (good) memcpy(u, b->m->u0, bytes);
    for (int j = 0; j < l->columns && good; j++) free_of[j] = b->given[l->first + j] != BEGIN_FIXED;
    if (!good || !view_open(&v, b, l)) good = 0;
    for (int k = 0; k < ITERATIONS && good && !found; k++) {
        good = view_factor(&v, b, u, free_of);
        double before = good ? distance(&v, b, u) : HUGE_VAL;
        found = before <= 1e-14 * largest(b, u);
        if (found || !isfinite(before)) break;
        double after = move(&v, b, u, before);
        if (after < before) continue;
        found = before <= 1e-9 * largest(b, u);
        break;
    }
    if (found) memcpy(b->m->u0, u, bytes);
    view_close(&v);
    free(u);
    free(free_of);
    return found;
}
