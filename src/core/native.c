/* native.c - what a native method may ask of the problem (keel/native.h). */
#include <keel/native.h>

#include "core/field.h"
#include "linalg/dense.h"

#include <stdarg.h>
#include <string.h>

static const struct map *map_at(struct field *fd, keel_native_map map) {
    const char *user = (const char *)fd->view.map[map];
    return (const struct map *)(user - offsetof(struct map, user));
}

static keel_status absent(keel_work *w, const char *what) {
    return field_fault(field_of(w), KEEL_EINVAL, KEEL_EINVAL, "%s asks for `%s`, which the problem lacks",
                       w->stepper->info.name, what);
}

keel_status keel_native_diagnose(keel_work *w, keel_native_map which, int code, double t,
                                 const double *value) {
    struct field *fd = field_of(w);
    const struct map *map = map_at(fd, which);
    if (!map->user.value) return absent(w, map->what);
    if (!value) return map_stopped(fd);
    return map_diagnose(fd, map->what, map->user.names, code, t, map->user.count, value);
}

keel_status keel_native_jacobian(keel_work *w, keel_native_map which, double t, const double *u,
                                 int differences, double *out) {
    struct field *fd = field_of(w);
    const struct map *map = map_at(fd, which);
    if (!map->user.value) return absent(w, map->what);
    if (!differences || !map->user.jacobian) return map_jacobian(fd, map, t, u, out);
    struct map bare = *map;
    bare.user.jacobian = NULL;
    return map_jacobian(fd, &bare, t, u, out);
}

keel_status keel_native_time_derivative(keel_work *w, double t, const double *u, double *g_t) {
    struct field *fd = field_of(w);
    return fd->kg ? map_time_derivative(fd, &fd->constraint, t, u, g_t) : KEEL_OK;
}

static int is_sparse(const struct field *fd) {
    return fd->mech.sparse || hamiltonian_is_sparse(fd);
}

int keel_native_sparse(const keel_work *w) {
    return is_sparse(field_of(w));
}

/* Large mechanics whose method leaves the constraints to the core, or says KEEL_SPARSE, has no dense
 * matrices. */
static keel_status needs_dense(keel_work *w) {
    struct field *fd = field_of(w);
    if (!fd->mech.sparse) return KEEL_OK;
    return field_fault(fd, KEEL_EINVAL, KEEL_EINVAL,
                       "%s: this problem is solved by sparse matrices, and the stepper asks for a dense one; "
                       "give it the trait KEEL_CONSTRAINED or KEEL_AS_GIVEN, without KEEL_SPARSE",
                       w->stepper->info.name);
}

static keel_status needs_mechanics(keel_work *w) {
    struct field *fd = field_of(w);
    if (fd->traits & KEEL_SECOND_ORDER) return KEEL_OK;
    return field_fault(fd, KEEL_EINVAL, KEEL_EINVAL,
                       "%s asks for the saddle-point system of mechanics, and the problem is none",
                       w->stepper->info.name);
}

static int has_mass(const struct field *fd) {
    return fd->p.mass.value && fd->traits & KEEL_SECOND_ORDER;
}

size_t keel_native_mass_doubles(const keel_problem *p) {
    int varies = p->mass.value && !p->mass.constant && keel_problem_traits(p) & KEEL_SECOND_ORDER;
    return varies ? (size_t)(p->n / 2) * (size_t)(p->n / 2) : 0;
}

keel_status keel_native_mass(keel_work *w, double t, const double *u, double *m) {
    struct field *fd = field_of(w);
    keel_status status = needs_dense(w);
    if (status != KEEL_OK) return status;
    if (has_mass(fd)) return map_matrix(fd, &fd->p.mass, "mass", fd->nq, t, u, m);
    for (int i = 0; i < fd->nq; i++)
        for (int j = 0; j < fd->nq; j++) m[(long)i * fd->nq + j] = i == j;
    return KEEL_OK;
}

keel_status keel_native_mass_factor(keel_work *w, double t, const double *u, double *factor) {
    struct field *fd = field_of(w);
    if (!has_mass(fd) || (fd->p.mass.constant && fd->mech.mass_ready)) return KEEL_OK;
    if (fd->mech.sparse) return mechanics_sparse_mass(fd, t, u);
    keel_status status = needs_dense(w);
    if (status != KEEL_OK || fd->p.mass.constant)
        return status == KEEL_OK ? mechanics_mass(fd, t, u) : status;
    status = map_matrix(fd, &fd->p.mass, "mass", fd->nq, t, u, factor);
    int row = status == KEEL_OK ? dense_cholesky(fd->nq, factor, fd->halt) : 0;
    return row ? mechanics_bad_mass(fd, t, row - 1) : status;
}

void keel_native_mass_solve(const keel_work *w, const double *factor, double *v) {
    struct field *fd = field_of(w);
    if (fd->mech.sparse) saddle_divide(&fd->mech.saddle, fd->mech.mass_values, v);
    if (fd->mech.mass) dense_cholesky_solve(fd->nq, fd->p.mass.constant ? fd->mech.mass : factor, v);
}

keel_status keel_native_entries(keel_work *w, keel_native_map which, double t, const double *u, double *out) {
    struct field *fd = field_of(w);
    const struct map *map = map_at(fd, which);
    if (!map->user.jacobian || !map->user.pattern) return absent(w, map->what);
    return map_entries(fd, map, t, u, out);
}

const double *keel_native_mass_entries(const keel_work *w) {
    return field_of(w)->mech.mass_values;
}

keel_status keel_native_mass_bend(keel_work *w, double t, const double *u, const double *a, double *force) {
    return mass_changes(field_of(w)) ? mass_change_subtract(w, t, u, a, force) : KEEL_OK;
}

/* Rows of K ---------------------------------------------------------------------------------------------- */

/* Row i: how many numbers it has, and the columns they stand in; NULL: all of them. */
static int row_at(const struct field *fd, int i, const int **column) {
    *column = NULL;
    if (!is_sparse(fd)) return fd->nq;
    const keel_pattern *p = i < fd->kg ? fd->constraint.user.pattern : fd->rolling.user.pattern;
    int at = i < fd->kg ? i : i - fd->kg;
    *column = p->column + p->row_start[at];
    return p->row_start[at + 1] - p->row_start[at];
}

size_t keel_native_rows_doubles(const keel_work *w) {
    const struct field *fd = field_of(w);
    if (!is_sparse(fd)) return (size_t)fd->k * (size_t)fd->nq;
    return (size_t)(fd->kg ? fd->constraint.user.pattern->nnz : 0) +
           (size_t)(fd->kr ? fd->rolling.user.pattern->nnz : 0);
}

keel_status keel_native_rows(keel_work *w, double t, const double *u, double *rows) {
    struct field *fd = field_of(w);
    const double *known = mechanics_factored_at(fd, t, u) ? fd->mech.k_rows : NULL, *shift;
    int knows = w->stepper->info.traits & (KEEL_SPARSE | KEEL_SPARSE_FORCES);
    keel_status status = knows ? KEEL_OK : needs_dense(w);
    if (fd->mech.sparse && status == KEEL_OK) status = mechanics_sparse_rows(fd, t, u, &known, &shift);
    if (status != KEEL_OK) return status;
    if (known) {
        memcpy(rows, known, keel_native_rows_doubles(w) * sizeof *rows);
        return KEEL_OK;
    }
    if (hamiltonian_is_sparse(fd)) return map_entries(fd, &fd->constraint, t, u, rows);
    if (fd->kg) status = map_jacobian(fd, &fd->constraint, t, u, rows);
    return status == KEEL_OK && fd->kr ? map_jacobian(fd, &fd->rolling, t, u, rows + (long)fd->kg * fd->nq)
                                       : status;
}

void keel_native_rows_add(const keel_work *w, const double *rows, int count, const double *v, double *out) {
    const struct field *fd = field_of(w);
    const int *column;
    for (int i = 0, length; i < count; i++, rows += length) {
        length = row_at(fd, i, &column);
        double sum = out[i];
        if (column)
            for (int j = 0; j < length; j++) sum += rows[j] * v[column[j]];
        else
            for (int j = 0; j < length; j++) sum += rows[j] * v[j];
        out[i] = sum;
    }
}

void keel_native_rows_subtract(const keel_work *w, const double *rows, int count, const double *lambda,
                               double *out) {
    const struct field *fd = field_of(w);
    const int *column;
    for (int i = 0, length; i < count; i++, rows += length) {
        length = row_at(fd, i, &column);
        if (column)
            for (int j = 0; j < length; j++) out[column[j]] -= rows[j] * lambda[i];
        else
            for (int j = 0; j < length; j++) out[j] -= rows[j] * lambda[i];
    }
}

void keel_native_rows_silence(const keel_work *w, double *rows) {
    const struct field *fd = field_of(w);
    const int *column;
    for (int i = 0, length; i < fd->k; i++, rows += length) {
        length = row_at(fd, i, &column);
        if (!fd->active[i]) memset(rows, 0, (size_t)length * sizeof *rows);
    }
}

size_t keel_native_bend_doubles(const keel_work *w) {
    return (size_t)bending_numbers(&field_of(w)->p);
}

/* g_t, and b as what A v + b is at rest. */
static keel_status rows_at_rest(struct field *fd, double t, const double *u, double *out) {
    keel_status status = fd->kg ? map_time_derivative(fd, &fd->constraint, t, u, out) : KEEL_OK;
    if (status != KEEL_OK || fd->kr == 0) return status;
    memcpy(fd->path, u, (size_t)fd->nq * sizeof *u);
    memset(fd->path + fd->nq, 0, (size_t)fd->nq * sizeof *u);
    return map_value(fd, &fd->rolling, t, fd->path, out + fd->kg);
}

keel_status keel_native_bend(keel_work *w, double t, const double *u, const double *rows,
                             const double *lambda, const double *a, double *squares, double *by_q) {
    static const struct bending_shift at_rest = {rows_at_rest, 0};
    struct field *fd = field_of(w);
    return fd->bending ? bending_by_q(w, &at_rest, t, u, rows, lambda, a, squares, by_q) : KEEL_OK;
}

keel_status keel_native_velocity_rows(keel_work *w, double t, const double *u, double *out) {
    struct field *fd = field_of(w);
    return fd->k ? fd->form->velocity_rows(fd, t, u, out) : KEEL_OK;
}

keel_status keel_native_curvature(keel_work *w, double t, const double *u, double *gamma) {
    struct field *fd = field_of(w);
    keel_status status = needs_mechanics(w);
    return status == KEEL_OK && fd->k ? mechanics_curvature(fd, t, u, gamma) : status;
}

keel_status keel_native_factor(keel_work *w, double t, const double *u) {
    struct field *fd = field_of(w);
    if (hamiltonian_is_sparse(fd)) return hamiltonian_sparse_factor(fd, t, u);
    keel_status status = needs_mechanics(w);
    return status == KEEL_OK ? mechanics_factor(fd, t, u) : status;
}

keel_status keel_native_factor_oblique(keel_work *w, double t, const double *u) {
    struct field *fd = field_of(w);
    if (fd->mech.sparse) return mechanics_sparse_oblique(fd, t, u);
    return field_fault(fd, KEEL_EINVAL, KEEL_EINVAL,
                       "%s asks for a sparse system between two places, and the problem is not sparse",
                       w->stepper->info.name);
}

void keel_native_correct(keel_work *w, const double *c, double *d) {
    struct field *fd = field_of(w);
    struct mechanics *m = &fd->mech;
    if (hamiltonian_is_sparse(fd)) {
        hamiltonian_sparse_correct(fd, c, d);
        return;
    }
    if (m->sparse) {
        memcpy(m->z, c, (size_t)fd->k * sizeof *c);
        mechanics_sparse_shortest(fd, m->z, d);
        return;
    }
    rowspace_shortest(&m->space, c, m->z, m->weighted); /* which is aligned, and a multiple of 4 long */
    if (m->mass) dense_lower_t_solve(fd->nq, m->mass, m->weighted);
    memcpy(d, m->weighted, (size_t)fd->nq * sizeof *d);
}

keel_status keel_native_fail(keel_work *w, keel_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    field_fault_v(field_of(w), KEEL_RETRY, status, format, args);
    va_end(args);
    return KEEL_RETRY;
}
