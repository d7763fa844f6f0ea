/* hamiltonian.c - x' = B(x) grad H; canonical: q' = H_p, p' = -H_q - G^T lambda with 0 = g(t,q).
 *
 * With constraints the velocity rows are phi = G H_p + g_t, and lambda follows from d/dt phi = 0:
 *     (phi_p G^T) lambda = phi_x . (H_p, -H_q) + phi_t,
 * every phi-derivative being one along a direction. */
#include "core/field.h"

#include "core/differences.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

void hamiltonian_layout(struct field *fd, struct arena *a) {
    size_t n = (size_t)fd->n, k = (size_t)fd->kg;
    if (k && !hamiltonian_is_sparse(fd)) fd->column_space = arena_doubles(a, k * (n + k + 1) + n);
}

int hamiltonian_rhs(double t, const double *x, double *dx, void *field) {
    struct field *fd = field;
    int n = fd->n, half = fd->nq;
    keel_status status = map_jacobian(fd, &fd->energy, t, x, fd->gradient);
    if (status != KEEL_OK) return status;
    if (!fd->p.structure.value) {
        memcpy(dx, fd->gradient + half, (size_t)half * sizeof *dx);
        for (int j = 0; j < half; j++) dx[half + j] = -fd->gradient[j];
        return 0;
    }
    status = map_matrix(fd, &fd->p.structure, "structure", n, t, x, fd->matrix);
    if (status != KEEL_OK) return status;
    for (int i = 0; i < n; i++) {
        dx[i] = 0;
        for (int j = 0; j < n; j++) dx[i] += fd->matrix[(long)i * n + j] * fd->gradient[j];
    }
    return 0;
}

keel_status hamiltonian_velocity_rows(struct field *fd, double t, const double *u, double *out) {
    keel_status status = map_time_derivative(fd, &fd->constraint, t, u, out);
    if (status == KEEL_OK && !hamiltonian_is_sparse(fd))
        status = map_jacobian(fd, &fd->constraint, t, u, fd->matrix);
    if (status == KEEL_OK) status = map_jacobian(fd, &fd->energy, t, u, fd->gradient);
    if (status != KEEL_OK) return status;
    if (hamiltonian_is_sparse(fd)) return hamiltonian_sparse_speeds(fd, t, u, out);
    for (int i = 0; i < fd->kg; i++)
        for (int j = 0; j < fd->nq; j++)
            out[i] += fd->matrix[(long)i * fd->nq + j] * fd->gradient[fd->nq + j];
    return KEEL_OK;
}

keel_status hamiltonian_reactions(struct field *fd, double t, const double *u, double *out) {
    if (hamiltonian_is_sparse(fd)) return hamiltonian_sparse_reactions(fd, t, u, out);
    keel_status status = map_jacobian(fd, &fd->constraint, t, u, fd->matrix);
    for (int j = 0; j < fd->nq && status == KEEL_OK; j++) {
        out[j] = 0;
        for (int i = 0; i < fd->kg; i++) out[j] -= fd->matrix[(long)i * fd->nq + j] * fd->lambda[i];
    }
    return status;
}

struct straight {
    struct field *fd;
    double t, clock; /* clock 1: time runs along the path */
    const double *u, *direction;
};

static keel_status rows_on_line(void *context, double s, double *out) {
    const struct straight *c = context;
    for (int j = 0; j < c->fd->n; j++) c->fd->path[j] = c->u[j] + s * c->direction[j];
    return hamiltonian_velocity_rows(c->fd, c->t + s * c->clock, c->fd->path, out);
}

static keel_status derivative_along(struct field *fd, double t, double clock, const double *u,
                                    const double *direction, double *out) {
    struct straight line = {fd, t, clock, u, direction};
    double length = HUGE_VAL;
    for (int j = 0; j < fd->n; j++)
        if (direction[j] != 0) length = fmin(length, fd->length[j] / fabs(direction[j]));
    if (!(length < HUGE_VAL)) length = 1;
    if (clock != 0 && (fd->constraint.time_dependent || fd->energy.time_dependent))
        length = fmin(length, fd->t_length);
    return differences_along(rows_on_line, &line, fd->kg, length, DIFFERENCES_LEVELS, 1, fd->curvature_work,
                             out, NULL);
}

/* phi_x . (H_p, -H_q) + phi_t and phi_p G^T with the derivatives that were given. */
static keel_status given_system(struct field *fd, double t, const double *x, const double *dx,
                                const double *g_rows, double *system) {
    int n = fd->n, half = fd->nq, k = fd->kg;
    keel_status status = map_time_derivative(fd, &fd->velocity, t, x, fd->lambda);
    if (status == KEEL_OK) status = map_jacobian(fd, &fd->velocity, t, x, fd->matrix);
    for (int i = 0; i < k && status == KEEL_OK; i++) {
        const double *row = fd->matrix + (long)i * n;
        for (int j = 0; j < n; j++) fd->lambda[i] += row[j] * dx[j];
        for (int r = 0; r < k; r++) {
            double sum = 0;
            for (int j = 0; j < half; j++) sum += row[half + j] * g_rows[(long)r * half + j];
            system[(long)i * k + r] = sum;
        }
    }
    return status;
}

keel_status hamiltonian_dependent(struct field *fd, double t) {
    return field_fault(
        fd, KEEL_RETRY, KEEL_ESINGULAR,
        "the constraints do not determine their multipliers at t = %.10g: they are dependent there", t);
}

int hamiltonian_constrained_rhs(double t, const double *x, double *dx, void *field) {
    struct field *fd = field;
    int half = fd->nq, k = fd->kg;
    int code = hamiltonian_rhs(t, x, dx, field);
    if (code != 0) return code;
    if (hamiltonian_is_sparse(fd)) return hamiltonian_sparse_forces(fd, t, x, dx);
    double *g_rows = fd->column_space, *system = g_rows + (long)k * half, *direction = system + (long)k * k;
    double *column = direction + fd->n;
    keel_status status = map_jacobian(fd, &fd->constraint, t, x, g_rows);
    int given = fd->velocity.user.jacobian != NULL;
    if (status == KEEL_OK)
        status = given ? given_system(fd, t, x, dx, g_rows, system)
                       : derivative_along(fd, t, 1, x, dx, fd->lambda);
    for (int i = 0; i < k && !given && status == KEEL_OK; i++) {
        memset(direction, 0, (size_t)half * sizeof *direction);
        memcpy(direction + half, g_rows + (long)i * half, (size_t)half * sizeof *direction);
        status = derivative_along(fd, t, 0, x, direction, column);
        for (int r = 0; r < k; r++) system[(long)r * k + i] = column[r];
    }
    if (status != KEEL_OK) return status;
    fd->stats->factorizations++;
    if (dense_lu(k, system, fd->pivot, fd->halt)) return hamiltonian_dependent(fd, t);
    dense_lu_solve(k, system, fd->pivot, fd->lambda);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < half; j++) dx[half + j] -= g_rows[(long)i * half + j] * fd->lambda[i];
    return 0;
}
