/* start.c - see start.h.  Gauss-Newton for the smallest change of the free values, positions first, then
 * velocities, then algebraic variables; each level leaves the earlier ones alone. */
#include "core/start.h"

#include "core/manifold.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Iterations: for the start itself; for a point to look at, of which 19 in 20 are found within so many or
 * not at all. */
enum { PATIENT = 60, HASTY = 12 };

void start_layout(struct start *st, struct field *fd, struct rows *rows, struct arena *a) {
    size_t all = (size_t)(fd->n + fd->m), count = (size_t)rows->count + 1, width = (all + 4) / 4 * 4;
    st->fd = fd;
    st->rows = rows;
    st->dependent = MANIFOLD_DEPENDENT;
    st->residual = arena_doubles(a, count);
    st->trial = arena_doubles(a, width + 4);
    st->found = arena_doubles(a, width + 4);
    st->beside = arena_doubles(a, width + 4);
    st->worst = arena_doubles(a, width + 4);
    st->others = arena_doubles(a, (size_t)fd->n + 1);
    st->free = arena_take(a, all + 1);
    st->space.width = (int)width;
    size_t dense = fd->mech.sparse ? 1 : count - (size_t)rows->stored; /* rows of a dense row space */
    st->space.q = arena_doubles(a, dense * width);
    st->space.r = arena_doubles(a, dense * dense);
    st->space.inverse = arena_doubles(a, count);
    st->space.used = arena_ints(a, count);
    st->floor_of = arena_doubles(a, count);
    st->sizes = arena_doubles(a, count);
    st->c = arena_doubles(a, count);
    st->z = arena_doubles(a, count);
    st->d = arena_doubles(a, width);
    st->chosen = arena_ints(a, count);
    st->aside = arena_ints(a, count);
    st->part = arena_ints(a, start_is_large(fd) ? count : 0);
}

/* The levels of the form; returns how many. */
int start_levels(const struct field *fd, struct start_level *level) {
    const struct form *form = fd->form;
    for (int l = 0; l < form->levels; l++) {
        enum form_part moves = form->level[l].moves;
        level[l] = (struct start_level){.kinds = form->level[l].kinds,
                                        .except = -1,
                                        .first = moves == FORM_SPEEDS ? fd->nq : 0,
                                        .columns = moves == FORM_STATES ? fd->n : fd->nq};
    }
    return fd->k || fd->traits & KEEL_ALGEBRAIC ? form->levels : 0;
}

/* Algebraic rows that contain y are solved for y, not for x. */
static int solved_for_y(const struct start *st, int row) {
    const struct rows *r = st->rows;
    return rows_kind(r, row) == KEEL_ROW_ALGEBRAIC && st->fd->dae.direct[row - r->at[KEEL_ROW_ALGEBRAIC]];
}

static int choose_rows(struct start *st, const struct start_level *level) {
    int count = 0;
    for (int i = 0; i < st->rows->count; i++) {
        int listed = level->kinds >> rows_kind(st->rows, i) & 1;
        if (listed && i != level->except && !st->aside[i] && !solved_for_y(st, i)) st->chosen[count++] = i;
    }
    return count;
}

static keel_status residuals(struct start *st, double t, const double *u) {
    return rows_residual(st->fd, st->rows, t, u, st->residual);
}

static double merit(const struct start *st, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++)
        if (st->space.used[i])
            sum = fmax(sum, rows_in_units(st->rows, st->chosen[i], st->residual[st->chosen[i]]));
    return sum;
}

static int all_within(const struct start *st, int count, double units) {
    for (int i = 0; i < count; i++)
        if (!(rows_in_units(st->rows, st->chosen[i], st->residual[st->chosen[i]]) <= units)) return 0;
    return 1;
}

static int all_free(const struct start *st, const struct start_level *level) {
    for (int j = 0; j < level->columns; j++)
        if (!st->free[level->first + j]) return 0;
    return 1;
}

/* The gradients of the level's rows at (t, u), and their sizes, which grow there. */
static keel_status gradients(struct start *st, const struct start_level *level, double t, const double *u) {
    struct field *fd = st->fd;
    keel_status status = KEEL_OK;
    for (int kind = 0; kind < ROWS_KINDS && status == KEEL_OK; kind++) {
        if (st->rows->of[kind] == 0 || !(level->kinds >> kind & 1)) continue;
        status = rows_jacobian(fd, st->rows, (keel_row_kind)kind, t, u);
        if (status == KEEL_OK) status = rows_grow(fd, st->rows, (keel_row_kind)kind, t, u);
    }
    return status;
}

/* After it: the row space over the free columns, weighted by mass if all of a mechanical level is free. */
static keel_status factor(struct start *st, const struct start_level *level, int count, double t,
                          const double *u, int mass) {
    struct field *fd = st->fd;
    for (int i = 0; i < count && fd->mech.sparse; i++) st->space.used[i] = 1;
    if (fd->mech.sparse) return start_sparse_factor(st, level, t, u, mass);
    if (fd->hidden_rows.sparse) return start_hidden_factor(st, level, count, t);
    keel_status status = mass ? mechanics_mass(fd, t, u) : KEEL_OK;
    if (status != KEEL_OK) return status;
    st->space.rows = count;
    for (int i = 0; i < count; i++) {
        double *b = st->space.q + (long)i * st->space.width;
        const double *row = rows_gradient(st->rows, fd, st->chosen[i]) + level->first;
        memset(b, 0, (size_t)st->space.width * sizeof *b);
        for (int j = 0; j < level->columns; j++) {
            double reach = start_reach(st, level->first + j);
            b[j] = reach > 0 && mass ? row[j] : row[j] * reach;
        }
        if (mass && fd->mech.mass) dense_lower_solve(level->columns, fd->mech.mass, b);
        st->floor_of[i] = st->dependent;
    }
    rowspace_factor(&st->space, st->floor_of);
    return KEEL_OK;
}

static void direction(struct start *st, const struct start_level *level, int count, int mass) {
    const struct field *fd = st->fd;
    if (fd->mech.sparse) {
        start_sparse_direction(st, level, count);
        return;
    }
    if (fd->hidden_rows.sparse) {
        start_hidden_direction(st, level, count);
        return;
    }
    for (int i = 0; i < count; i++) st->c[i] = -st->residual[st->chosen[i]];
    rowspace_shortest(&st->space, st->c, st->z, st->d);
    if (mass && fd->mech.mass) dense_lower_t_solve(level->columns, fd->mech.mass, st->d);
    for (int j = 0; j < level->columns && !mass; j++) st->d[j] *= start_size(st, level->first + j);
}

/* u along the direction, as far as the residual falls. */
static keel_status move(struct start *st, const struct start_level *level, int count, double t, double *u,
                        double before) {
    memcpy(st->trial, u, (size_t)(st->fd->n + st->fd->m) * sizeof *u);
    keel_status status = KEEL_OK;
    double share = 1;
    for (int halvings = 0; halvings < 14; halvings++, share /= 2) {
        for (int j = 0; j < level->columns; j++)
            u[level->first + j] = st->trial[level->first + j] + share * st->d[j];
        status = residuals(st, t, u);
        if (status < 0 || (status == KEEL_OK && (merit(st, count) < before || before <= MANIFOLD_STAGNANT)))
            break;
    }
    return status;
}

static int not_met(const struct start *st, int count, double limit) {
    for (int i = 0; i < count; i++) {
        int row = st->chosen[i];
        if (fabs(st->residual[row]) > limit * st->rows->size[row]) return row;
    }
    return -1;
}

/* The row that a left-out row depends on most; -1: none, its own gradient vanishes. */
static int partner(struct start *st, int left_out) {
    int best = -1;
    rowspace_dependence(&st->space, left_out, st->z);
    for (int j = 0; j < left_out; j++)
        if (st->space.used[j] && st->z[j] != 0 && (best < 0 || fabs(st->z[j]) > fabs(st->z[best]))) best = j;
    return best;
}

/* Until all rows are within `enough` units, or Newton halves no more near round-off. */
static keel_status solve_within(struct start *st, const struct start_level *level, double t, double *u,
                                int iterations, double enough) {
    struct field *fd = st->fd;
    int hasty = start_is_large(fd) && iterations == HASTY;
    if (fd->mech.sparse && level->columns == fd->n) return start_sparse_rest(st, level, t, u, hasty);
    int count = choose_rows(st, level), idle = 0;
    int mass = fd->traits & KEEL_SECOND_ORDER && level->columns == fd->nq && all_free(st, level);
    double before = HUGE_VAL;
    keel_status status = residuals(st, t, u);
    for (int i = 0; i < iterations && status == KEEL_OK; i++) {
        if (!fd->mech.sparse) status = gradients(st, level, t, u);
        if (status != KEEL_OK) break;
        if (!fd->mech.sparse && all_within(st, count, enough)) return KEEL_OK;
        status = factor(st, level, count, t, u, mass);
        if (status != KEEL_OK) break;
        double now = merit(st, count);
        idle = now > 0.5 * before ? idle + 1 : 0;
        if (now <= enough || (idle >= 2 && now <= MANIFOLD_STAGNANT)) break;
        if (idle >= 2 && hasty) return KEEL_ESTART; /* from a nearer point it is cheaper */
        before = now;
        direction(st, level, count, mass);
        status = move(st, level, count, t, u, now);
    }
    if (status != KEEL_OK) return status < 0 ? status : fd->fault.status;
    for (int i = 0; i < count; i++) {
        int row = st->chosen[i];
        if (st->space.used[i] || fabs(st->residual[row]) <= START_FITS * st->rows->size[row]) continue;
        int other = all_free(st, level) && !fd->hidden_rows.sparse ? partner(st, i) : -1;
        if (other < 0) return KEEL_ESTART;
        return field_fault(
            fd, KEEL_ESINGULAR, KEEL_ESINGULAR,
            "`%s` contradicts `%s`: wherever the one holds the other is off (by %.3g at t = %.10g)",
            rows_name(st->rows, row), rows_name(st->rows, st->chosen[other]), st->residual[row], t);
    }
    int left = not_met(st, count, START_FITS);
    if (left < 0) return KEEL_OK;
    if (fd->hidden_rows.sparse && all_free(st, level)) return start_hidden_diagnose(st, t, left);
    return fd->mech.sparse && all_free(st, level) ? start_sparse_diagnose(st, t, u, left) : KEEL_ESTART;
}

keel_status start_solve(struct start *st, const struct start_level *level, double t, double *u) {
    return solve_within(st, level, t, u, PATIENT, 4);
}

keel_status start_solve_far(struct start *st, const struct start_level *level, double t, double *u) {
    size_t bytes = (size_t)st->rows->count * sizeof *st->sizes;
    memcpy(st->sizes, st->rows->size, bytes);
    keel_status status = start_solve(st, level, t, u);
    memcpy(st->rows->size, st->sizes, bytes);
    if (status != KEEL_OK) return status;
    status = start_solve(st, level, t, u);
    memcpy(st->rows->size, st->sizes, bytes);
    return status;
}

keel_status start_solve_hasty(struct start *st, const struct start_level *level, double t, double *u) {
    return solve_within(st, level, t, u, HASTY, 4);
}

/* "x = 0.8 instead of 1, ..." for the values that change most. */
static void tell_changes(struct start *st, const double *from, const double *to) {
    struct field *fd = st->fd;
    char *text = fd->fault.text;
    size_t capacity = sizeof fd->fault.text;
    text_add(text, capacity, "; nearest consistent values:");
    for (int told = 0, j = 0; j < fd->n + fd->m; j++) {
        char name[64];
        if (fabs(to[j] - from[j]) <= START_FITS * (fd->size[j] + fabs(to[j]))) continue;
        if (++told > 4) {
            text_add(text, capacity, ", ...");
            break;
        }
        text_add(text, capacity, "%s %s = %.10g instead of %.10g", told > 1 ? "," : "",
                 field_name(fd->p.names, j, "u", name, sizeof name), to[j], from[j]);
    }
}

/* `at` is the level that the fixed values cannot meet: the nearest values with all free, and the sentence. */
static keel_status does_not_fit(struct start *st, const struct start_level *level, int at, int levels,
                                double t, double *u) {
    struct field *fd = st->fd;
    size_t bytes = (size_t)(fd->n + fd->m) * sizeof *u;
    int count = choose_rows(st, &level[at]);
    keel_status status = residuals(st, t, u);
    int row = status == KEEL_OK ? not_met(st, count, START_FITS) : -1;
    if (row < 0) row = st->chosen[0];
    char sentence[TEXT_SENTENCE];
    text_set(sentence, sizeof sentence,
             "the start values do not fit `%s`: it is %.6g at t = %.10g instead of 0",
             rows_name(st->rows, row), st->residual[row], t);
    memcpy(st->found, u, bytes);
    memset(st->free, 1, (size_t)(fd->n + fd->m));
    for (int l = at; l < levels; l++) {
        status = start_solve(st, &level[l], t, st->found);
        if (status == KEEL_ESINGULAR) return status;
        if (status != KEEL_OK) break;
    }
    field_fault(fd, KEEL_ESTART, KEEL_ESTART, "%s", sentence);
    if (status == KEEL_OK) {
        struct fault sentence_so_far = fd->fault;
        if (fd->m) algebra_solve(fd, t, st->found); /* as well as it can be had */
        fd->fault = sentence_so_far;
        tell_changes(st, u, st->found);
        memcpy(u, st->found, bytes);
    } else {
        text_add(fd->fault.text, sizeof fd->fault.text, "; no consistent values were found near them");
    }
    return KEEL_ESTART;
}

static keel_status solve_y(struct start *st, double t, double *u, const unsigned char *fixed) {
    struct field *fd = st->fd;
    if (fd->m == 0) return KEEL_OK;
    memcpy(st->found, u, (size_t)(fd->n + fd->m) * sizeof *u);
    keel_status status = algebra_solve(fd, t, st->found);
    struct fault fault = fd->fault;
    memset(st->free, 1, (size_t)(fd->n + fd->m));
    if (status == KEEL_RETRY) {
        memcpy(st->found, u, (size_t)(fd->n + fd->m) * sizeof *u);
        status = algebra_approach(fd, t, st->found);
    }
    if (status == KEEL_RETRY && start_search(st, NULL, t, u) == KEEL_OK) status = KEEL_OK;
    if (status != KEEL_OK) {
        fd->fault = fault; /* of where the search began, not of where it went */
        return fd->fault.status;
    }
    double largest = 0; /* a value that is small beside others may be no more than their round-off */
    for (int j = 0; j < fd->n + fd->m; j++) largest = fmax(largest, fabs(u[j]));
    for (int j = fd->n; j < fd->n + fd->m && fixed; j++) {
        char name[64];
        double fits = START_FITS * (fd->size[j] + fabs(u[j])) + 1e-12 * largest;
        if (!fixed[j] || fabs(st->found[j] - u[j]) <= fits) continue;
        field_fault(
            fd, KEEL_ESTART, KEEL_ESTART,
            "the start value of %s does not fit the algebraic equations: nearest consistent value %.10g "
            "instead of %.10g at t = %.10g",
            field_name(fd->p.names, j, "u", name, sizeof name), st->found[j], u[j], t);
        memcpy(u, st->found, (size_t)(fd->n + fd->m) * sizeof *u);
        return KEEL_ESTART;
    }
    memcpy(u, st->found, (size_t)(fd->n + fd->m) * sizeof *u);
    memcpy(fd->y, u + fd->n, (size_t)fd->m * sizeof *u);
    return KEEL_OK;
}

/* The search ended where rows lose their direction, as at w = 0 in w^2 = 0: on to there, where each step
 * halves the distance.  1: found, in st->found. */
static int creep(struct start *st, const struct start_level *level, double t) {
    size_t bytes = (size_t)(st->fd->n + st->fd->m) * sizeof *st->beside;
    struct fault fault = st->fd->fault;
    memcpy(st->beside, st->found, bytes);
    st->dependent = DBL_EPSILON;
    keel_status status = start_solve(st, level, t, st->beside);
    st->dependent = MANIFOLD_DEPENDENT;
    st->fd->fault = fault;
    if (status != KEEL_OK || start_units(st, level, t, st->beside) > MANIFOLD_STAGNANT) return 0;
    memcpy(st->found, st->beside, bytes);
    return 1;
}

/* One level, fixed values as they are.  Only where no others can make up for it, and what is given fits to
 * START_FITS, typed digits are polished: with all values free. */
static keel_status meet(struct start *st, const struct start_level *level, double t, const double *u,
                        const unsigned char *fixed) {
    struct field *fd = st->fd;
    int all = fd->n + fd->m;
    start_sizes_beside(st, level);
    for (int j = 0; j < all; j++) st->free[j] = !fixed || !fixed[j];
    memcpy(st->found, u, (size_t)all * sizeof *u);
    keel_status status = start_solve(st, level, t, st->found);
    struct fault fault = fd->fault;
    if (status == KEEL_ESTART && !start_is_large(fd) && gradients(st, level, t, u) == KEEL_OK &&
        start_sizes_anyhow(st, level, u)) {
        memcpy(st->found, u, (size_t)all * sizeof *u);
        status = start_solve_far(st, level, t, st->found);
        if (status != KEEL_OK) start_sizes_beside(st, level);
        else status = start_solve(st, level, t, st->found); /* it is one, and its sizes count */
    }
    if (status == KEEL_ESTART || status == KEEL_ESINGULAR) {
        int fits = residuals(st, t, u) == KEEL_OK && not_met(st, choose_rows(st, level), START_FITS) < 0;
        if (fits) memcpy(st->found, u, (size_t)all * sizeof *u);
        if (fits || start_search(st, level, t, u) == KEEL_OK) status = KEEL_OK;
        else fd->fault = fault;
    }
    int any = 0;
    for (int j = level->first; j < level->first + level->columns; j++) any |= st->free[j];
    if (status != KEEL_OK || start_units(st, level, t, st->found) <= (any ? MANIFOLD_STAGNANT : 4))
        return status;
    if (any && creep(st, level, t)) return KEEL_OK;
    memset(st->free, 1, (size_t)all);
    return start_solve(st, level, t, st->found);
}

keel_status start_make(struct start *st, double t, double *u, const unsigned char *fixed, int later) {
    struct field *fd = st->fd;
    struct start_level level[2];
    int levels = start_levels(fd, level);
    st->share = 1;
    if (later && levels == 0 && fd->m == 0) return KEEL_OK;
    keel_status status = rows_grow_all(fd, st->rows, t, u);
    if (status != KEEL_OK) return fd->fault.status;
    start_sizes_of_rows(st, t, u);
    for (int l = 0; l < levels; l++) {
        if (choose_rows(st, &level[l]) == 0 && !fd->mech.sparse) continue; /* all are solved for y */
        status = meet(st, &level[l], t, u, fixed);
        if (status == KEEL_ESTART) return does_not_fit(st, level, l, levels, t, u);
        if (status != KEEL_OK) return status;
        memcpy(u, st->found, (size_t)(fd->n + fd->m) * sizeof *u);
    }
    return solve_y(st, t, u, fixed);
}

double start_random(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

/* A state that starts at 0 tells nothing of its size: beyond the neighbourhood the largest of all is
 * taken. */
static double inverse_weight_of(const struct field *fd, int j, double radius, const double *u,
                                double largest) {
    int unknown = u[j] == 0 && !(fd->p.scale && fd->p.scale[j] > 0) && radius > START_NEAR;
    double size = unknown ? largest : fd->size[j];
    return radius * (size > 0 ? size : 1);
}

void start_beside(struct start *st, const struct start_level *level, double radius, const double *u,
                  unsigned *seed, double *out) {
    const struct field *fd = st->fd;
    double largest = 0;
    for (int j = 0; j < level->columns; j++) largest = fmax(largest, fd->size[j]);
    for (int j = 0; j < fd->n + fd->m; j++) {
        double share = start_random(seed);
        out[j] = u[j] + (j < level->columns ? share * inverse_weight_of(fd, j, radius, u, largest) : 0);
    }
}

/* A point of the manifold near u, its rows within `enough` units. */
static keel_status nearby(struct start *st, const struct start_level *level, double radius, double enough,
                          double t, const double *u, unsigned *seed, double *out) {
    const struct field *fd = st->fd;
    for (unsigned again = *seed;; *seed = again, st->share /= 8) {
        start_beside(st, level, radius, u, seed, out);
        memset(st->free, 1, (size_t)(fd->n + fd->m));
        if (start_is_large(fd) && start_sparse_shorten(st, t, u, out) != KEEL_OK) return KEEL_RETRY;
        keel_status status = solve_within(st, level, t, out, HASTY, enough);
        if (status != KEEL_ESTART || !start_is_large(fd) || st->share < START_LEAST_SHARE) return status;
    }
}

keel_status start_nearby(struct start *st, const struct start_level *level, double radius, double t,
                         const double *u, unsigned *seed, double *out) {
    return nearby(st, level, radius, 4, t, u, seed, out);
}

/* Sums of sizes are as large near the manifold as on it: rows that are off by less than a thousandth of them
 * will do. */
void start_grow_sizes(struct start *st, double t, const double *u) {
    enum { POINTS = 6, OF_LARGE = 2 };
    const double enough = 1e-3 / DBL_EPSILON;
    const struct start_level equations = {ROWS_OF_EQUATIONS, -1, 0, st->fd->n};
    struct fault before; /* a point that cannot be met says nothing */
    fault_copy(&st->fd->fault, &before);
    unsigned seed = 2026;
    int points = choose_rows(st, &equations) == 0 ? 0 : start_is_large(st->fd) ? OF_LARGE : POINTS;
    for (int k = 0; k < points; k++) nearby(st, &equations, START_NEAR, enough, t, u, &seed, st->found);
    fault_copy(&before, &st->fd->fault);
    field_forget(st->fd);
}

double start_units(struct start *st, const struct start_level *level, double t, const double *u) {
    int count = choose_rows(st, level);
    if (residuals(st, t, u) != KEEL_OK) return HUGE_VAL;
    double worst = 0;
    for (int i = 0; i < count; i++)
        worst = fmax(worst, rows_in_units(st->rows, st->chosen[i], st->residual[st->chosen[i]]));
    return worst;
}

keel_status start_directions(struct start *st, const struct start_level *level, double t, const double *u) {
    int count = choose_rows(st, level);
    keel_status status = gradients(st, level, t, u);
    return status == KEEL_OK ? factor(st, level, count, t, u, 1) : status;
}
