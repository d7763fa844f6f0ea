/* sizes.c - how large a state counts where its own values say too little: weights and default tolerances.
 *
 * States of one array share a size.  Momenta of bodies of unlike mass must not: with the masses 1 and 1e-9 a
 * correction that is small beside the heavy body's momentum is a thousand times the light one's.  So a
 * canonical Hamiltonian gives its masses itself, 1/m_i = d2H/dp_i^2, and
 *
 *     size p_i = max_j |p_j| min(1, m_i/m_j),    size q_i = max_j |q_j| min(1, m_j/m_i)
 *
 * over the array: a light body is as fast as the heavier ones, a heavy one balances the momenta of the
 * lighter ones.  Bodies of equal mass share the largest size, as other arrays do.  Velocities of mechanics,
 * v = p/m, have the sizes max_j |v_j| min(1, m_j/m_i) by the same rule, with M_ii for the masses. */
#include "core/field.h"

#include "core/start.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

static int is_canonical(const struct field *fd) {
    return (fd->traits & KEEL_CANONICAL) != 0;
}

/* H_pp, nq x nq, from the jacobian of (H_p, -H_q). */
static keel_status bend_from_rates(struct field *fd, double t, const double *u, double *bend) {
    int nq = fd->nq, n = fd->n;
    keel_status status = map_jacobian(fd, &fd->f, t, u, fd->matrix);
    for (int i = 0; i < nq && status == KEEL_OK; i++)
        memmove(bend + (long)i * nq, fd->matrix + (long)i * n + nq, (size_t)nq * sizeof *bend);
    return status;
}

/* Over which p_j is moved for quotients, of which three digits are plenty. */
static double way_of(const struct field *fd, const double *u, int j) {
    double largest = 0;
    for (int i = fd->nq; i < fd->n; i++) largest = fmax(largest, fabs(u[i]));
    return 1e-3 * (u[fd->nq + j] != 0 ? fabs(u[fd->nq + j]) : largest > 0 ? largest : 1);
}

/* The same by quotients of the gradient. */
static keel_status bend_by_gradients(struct field *fd, double t, const double *u, double *bend) {
    int nq = fd->nq, n = fd->n;
    double *at = fd->line;
    memcpy(at, u, (size_t)n * sizeof *u);
    for (int j = 0; j < nq; j++) {
        double here = u[nq + j], way = way_of(fd, u, j);
        for (int side = -1; side <= 1; side += 2) {
            at[nq + j] = here + side * way;
            keel_status status = map_jacobian(fd, &fd->energy, t, at, fd->gradient);
            if (status != KEEL_OK) return status;
            for (int i = 0; i < nq; i++) {
                double part = side * fd->gradient[nq + i] / (2 * way), *entry = bend + (long)i * nq + j;
                *entry = side < 0 ? part : *entry + part;
            }
        }
        at[nq + j] = here;
    }
    return KEEL_OK;
}

/* Where H alone is known: its diagonal, by second quotients. */
static keel_status bend_by_values(struct field *fd, double t, const double *u, double *bend) {
    int nq = fd->nq, n = fd->n;
    double *at = fd->line, *value = fd->column;
    memcpy(at, u, (size_t)n * sizeof *u);
    memset(bend, 0, (size_t)nq * (size_t)nq * sizeof *bend);
    keel_status status = map_value(fd, &fd->energy, t, at, value);
    double middle = value[0];
    for (int j = 0; j < nq && status == KEEL_OK; j++) {
        double here = u[nq + j], way = way_of(fd, u, j), sum = -2 * middle;
        for (int side = -1; side <= 1 && status == KEEL_OK; side += 2) {
            at[nq + j] = here + side * way;
            status = map_value(fd, &fd->energy, t, at, value);
            sum += value[0];
        }
        bend[(long)j * nq + j] = sum / (way * way);
        at[nq + j] = here;
    }
    return status;
}

/* Is it positive definite, by more than the noise of differences? */
static int gives_masses(struct field *fd, double *bend) {
    int nq = fd->nq;
    for (int i = 0; i < nq; i++) {
        double own = bend[(long)i * nq + i];
        if (!(own > 0 && isfinite(own))) return 0;
        fd->inertia[i] = 1 / own;
    }
    for (int i = 0; i < nq; i++)
        for (int j = 0; j < nq; j++)
            bend[(long)i * nq + j] *= sqrt(fd->inertia[i]) * sqrt(fd->inertia[j]) * (i == j ? 1 - 1e-6 : 1);
    return dense_cholesky(nq, bend, fd->halt) == 0;
}

/* By the pattern, where H_pp is diagonal. */
static int masses_from_entries(struct field *fd, double t, const double *u) {
    const keel_pattern *p = fd->p.f.pattern;
    if (map_entries(fd, &fd->f, t, u, fd->sparse) != KEEL_OK) return 0;
    for (int i = 0; i < fd->nq; i++) {
        double own = 0;
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            if (p->column[e] == fd->nq + i) own = fd->sparse[e];
        if (!(own > 0 && isfinite(own))) return 0;
        fd->inertia[i] = 1 / own;
    }
    return 1;
}

/* H_pp s by quotients of the gradient, s_j = +-1: bit j of a random number. */
static keel_status bend_along(struct field *fd, double t, const double *u, double way, unsigned seed,
                              double *out) {
    int nq = fd->nq, n = fd->n;
    for (int side = -1; side <= 1; side += 2) {
        unsigned state = seed;
        memcpy(fd->line, u, (size_t)n * sizeof *u);
        for (int j = 0; j < nq; j++) fd->line[nq + j] += start_random(&state) < 0 ? -side * way : side * way;
        keel_status status = map_jacobian(fd, &fd->energy, t, fd->line, fd->gradient);
        if (status != KEEL_OK) return status;
        for (int i = 0; i < nq; i++) {
            double part = side * fd->gradient[nq + i] / (2 * way);
            out[i] = side < 0 ? part : out[i] + part;
        }
    }
    unsigned state = seed;
    for (int i = 0; i < nq; i++)
        if (start_random(&state) < 0) out[i] = -out[i];
    return KEEL_OK;
}

/* Where H_pp is diagonal s_i (H_pp s)_i is its entry for any signs s; what differs with them is not.  Six
 * gradients for any number of bodies.  Bodies of equal mass have equal entries to round-off: as floats they
 * are the same. */
static int masses_along(struct field *fd, double t, const double *u) {
    enum { DIRECTIONS = 3 };
    double way = 0, *entry = fd->matrix, *again = fd->matrix + fd->nq;
    for (int j = fd->nq; j < fd->n; j++) way = fmax(way, 1e-3 * fabs(u[j]));
    if (way == 0) way = 1e-3;
    if (bend_along(fd, t, u, way, 1, entry) != KEEL_OK) return 0;
    for (unsigned k = 1; k < DIRECTIONS; k++) {
        if (bend_along(fd, t, u, way, 1 + k, again) != KEEL_OK) return 0;
        for (int i = 0; i < fd->nq; i++)
            if (!(fabs(again[i] - entry[i]) <= 1e-6 * entry[i])) return 0;
    }
    for (int i = 0; i < fd->nq; i++) {
        if (!(entry[i] > 0 && isfinite(entry[i]))) return 0;
        fd->inertia[i] = 1 / (double)(float)entry[i];
    }
    return 1;
}

static int knows_rates(const struct field *fd) {
    return fd->p.f.jacobian && fd->rhs == fd->p.f.value;
}

int sizes_go_along(const struct field *fd) {
    enum { MOST_COLUMNS = 500 }; /* of a matrix H_pp */
    return is_canonical(fd) && !knows_rates(fd) && fd->energy.user.jacobian && fd->nq > MOST_COLUMNS;
}

void sizes_find_masses(struct field *fd, double t, const double *u) {
    if (!is_canonical(fd) || fd->nq == 0) return;
    struct fault before;
    fault_copy(&fd->fault, &before);
    int by_rates = knows_rates(fd);
    if (fd->by_pattern || sizes_go_along(fd)) {
        int found = fd->by_pattern ? masses_from_entries(fd, t, u) : masses_along(fd, t, u);
        if (!found) fd->inertia[0] = 0;
        fault_copy(&before, &fd->fault);
        return;
    }
    keel_status status = by_rates                   ? bend_from_rates(fd, t, u, fd->matrix)
                         : fd->energy.user.jacobian ? bend_by_gradients(fd, t, u, fd->matrix)
                                                    : bend_by_values(fd, t, u, fd->matrix);
    if (status != KEEL_OK || !gives_masses(fd, fd->matrix)) fd->inertia[0] = 0;
    fault_copy(&before, &fd->fault);
}

void sizes_take_masses(struct field *fd, double t, const double *u) {
    int nq = fd->nq;
    if (!(fd->traits & KEEL_SECOND_ORDER) || fd->k > 0 || fd->mech.sparse || nq == 0) return;
    if (mechanics_mass(fd, t, u) != KEEL_OK) return;
    for (int i = 0; i < nq; i++) {
        const double *row = fd->mech.mass ? fd->mech.mass + (long)i * nq : NULL; /* of L, M = L L^T */
        fd->inertia[i] = row ? 0 : 1;
        for (int j = 0; j <= i && row; j++) fd->inertia[i] += row[j] * row[j];
    }
}

int sizes_lack_masses(const struct field *fd) {
    return is_canonical(fd) && fd->nq > 0 && fd->inertia[0] == 0;
}

double sizes_heaviest(const struct field *fd) {
    double heaviest = 0;
    if (!is_canonical(fd)) return 0;
    for (int j = 0; j < fd->nq; j++) heaviest = fmax(heaviest, fd->inertia[j]);
    return heaviest;
}

double sizes_at_rest(const struct field *fd, int i, double heaviest) {
    return heaviest > 0 && fd->inertia[0] > 0 && i >= fd->nq ? fd->inertia[i - fd->nq] / heaviest : 1;
}

/* Are i and i - 1 of one array, with one mass? */
static int shares_size(const struct field *fd, const double *mass, int i) {
    const int *array = fd->p.array_of;
    int half = fd->nq, at = i < half ? i : i - half;
    if (array ? array[i] != array[i - 1] : i == half) return 0;
    return !mass || i == half || mass[at] == mass[at - 1];
}

static int are_apart(const struct field *fd, int i, int j) {
    return (i < fd->nq) != (j < fd->nq);
}

/* Are i and j of one array, or, without any, of one half? */
static inline int is_beside(const struct field *fd, int i, int j) {
    const int *array = fd->p.array_of;
    return array ? array[i] == array[j] : !are_apart(fd, i, j);
}

/* How much of the size of state j counts as one of state i. */
static double share_of(const struct field *fd, const double *mass, int i, int j) {
    int half = fd->nq, speeds = !is_canonical(fd);
    if (i == j) return 1;
    if (!is_beside(fd, i, j)) return 0;
    if (!mass || are_apart(fd, i, j)) return 1;
    int from = i < half ? 0 : half, lighter = i < half || speeds;
    double share = mass[j - from] / mass[i - from];
    return fmin(1, lighter ? share : 1 / share);
}

static const double *masses_of(const struct field *fd) {
    return fd->inertia[0] > 0 ? fd->inertia : NULL;
}

static int has_arrays(const struct field *fd) {
    return fd->p.array_of || is_canonical(fd);
}

/* Arrays one after the other, numbered upwards: where one begins, the next does. */
static void spread_runs(int n, const int *array, const double *x, double *size) {
    for (int i = 0, end; i < n; i = end) {
        double largest = fabs(x[i]);
        for (end = i + 1; end < n && array[end] == array[i]; end++)
            if (fabs(x[end]) > largest) largest = fabs(x[end]);
        for (int j = i; j < end; j++) size[j] = largest;
    }
}

/* Shares do not exceed 1: what is not larger itself need not be looked at. */
static double size_of(const struct field *fd, const double *mass, int i, const double *x) {
    const int *array = mass ? NULL : fd->p.array_of;
    double size = fabs(x[i]);
    for (int j = 0; j < fd->n && array; j++)
        if (array[j] == array[i] && fabs(x[j]) > size) size = fabs(x[j]);
    for (int j = 0; j < fd->n && !array; j++) {
        double part = fabs(x[j]);
        if (!(part > size) || !is_beside(fd, i, j)) continue;
        part *= share_of(fd, mass, i, j);
        if (part > size) size = part;
    }
    return size;
}

void sizes_spread(const struct field *fd, const double *x, double *size) {
    int arrays = has_arrays(fd);
    const double *mass = masses_of(fd);
    if (fd->p.array_of && !mass && fd->arrays_ascend) {
        spread_runs(fd->n, fd->p.array_of, x, size);
        return;
    }
    for (int i = 0; i < fd->n; i++)
        size[i] = !arrays                             ? fabs(x[i])
                  : i > 0 && shares_size(fd, mass, i) ? size[i - 1]
                                                      : size_of(fd, mass, i, x);
}

void sizes_shares(const struct field *fd, double *share) {
    int arrays = has_arrays(fd);
    for (int i = 0; i < fd->n; i++)
        for (int j = 0; j < fd->n; j++)
            share[i * fd->n + j] = arrays ? share_of(fd, masses_of(fd), i, j) : i == j;
}
