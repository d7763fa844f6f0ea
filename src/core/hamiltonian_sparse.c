/* hamiltonian_sparse.c - the multipliers of hamiltonian.c where G and the velocity rows phi = G H_p + g_t
 * have patterns.
 *
 * S = phi_p G^T is a sum of products of their entries: a band in a chain, a diagonal where no coordinate is
 * shared.  Where coordinates are shared by so many constraints that S is the fuller one, the whole system is
 * factored in its place, which gives S lambda = c:
 *
 *     (   1    G^T ) (   a    )   (  0 )
 *     ( phi_p   0  ) ( lambda ) = ( -c )
 *
 * The factors are those of one place; which pivots they have follows from its numbers alone. */
#include <keel/extras.h>
#include <keel/stabilizer.h>

#include "core/field.h"
#include "linalg/band.h"

#include <stdlib.h>
#include <string.h>

enum { FULLER = 2 }; /* S may have so many times the entries of the whole system, which is of higher order */

/* One term of the matrix: the product of an entry of phi and one of G; -1: 1 stands for it. */
struct product {
    int of_phi, of_g;
};

struct pushes {
    int terms, first; /* first: place of lambda among the unknowns, 0 or nq */
    struct product *term;
    struct newton_pattern matrix;
    struct sparse *lu;
    struct band *band;
    double *g, *phi; /* entries at the factored place */
};

static int has_pattern(const keel_map *map) {
    return map->jacobian && map->pattern;
}

/* Has a method with multipliers of its own no need of dense matrices?  With forms it has. */
static int native_goes_sparse(const keel_problem *p, unsigned traits) {
    if (keel_extras_of(p)->quadratic_forms.count) return (traits & KEEL_SPARSE) != 0;
    return traits & KEEL_SPARSE ||
           (traits & KEEL_SPARSE_FORCES && p->f.jacobian && newton_hamiltonian_suits(p));
}

/* Projections and multipliers by patterns, and the matrices of implicit methods (newton_hamiltonian.c). */
int hamiltonian_goes_sparse(const keel_problem *p, unsigned traits, unsigned stabilizer) {
    unsigned dense = KEEL_OWN_DIRECTIONS | KEEL_FROZEN_WEIGHTS | KEEL_DAMPS;
    int own = (traits & (KEEL_CONSTRAINED | KEEL_AS_GIVEN)) != 0, rows = p->constraint.count;
    if (!(keel_problem_traits(p) & KEEL_CANONICAL) || rows == 0 || stabilizer & dense) return 0;
    if (own ? !native_goes_sparse(p, traits) : traits & KEEL_IMPLICIT && !newton_hamiltonian_suits(p))
        return 0;
    if (keel_extras_of(p)->variations.directions || !p->energy.jacobian) return 0;
    if (!has_pattern(&p->constraint) || p->velocity.count != rows || !has_pattern(&p->velocity)) return 0;
    return saddle_pays(p->n, 2 * rows, p->n, (double)p->constraint.pattern->nnz + p->velocity.pattern->nnz);
}

/* The matrix --------------------------------------------------------------------------------------------- */

static const keel_pattern *rows_of_g(const struct field *fd) {
    return fd->constraint.user.pattern;
}

static const keel_pattern *rows_of_phi(const struct field *fd) {
    return fd->velocity.user.pattern;
}

/* How many products S has; g: G by columns. */
static double count_products(const struct field *fd, const struct columns *g) {
    const keel_pattern *p = rows_of_phi(fd);
    double count = 0;
    for (int e = 0; e < p->nnz; e++) {
        int j = p->column[e] - fd->nq;
        if (j >= 0) count += g->start[j + 1] - g->start[j];
    }
    return count;
}

static void put(struct pushes *m, struct newton_terms *s, int row, int column, int of_phi, int of_g) {
    m->term[s->count] = (struct product){of_phi, of_g};
    newton_terms_put(s, row, column);
}

static void put_products(struct pushes *m, struct newton_terms *s, const struct field *fd,
                         const struct columns *g) {
    const keel_pattern *p = rows_of_phi(fd);
    for (int i = 0; i < fd->kg; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
            int j = p->column[e] - fd->nq;
            for (int place = j < 0 ? 0 : g->start[j]; j >= 0 && place < g->start[j + 1]; place++)
                put(m, s, i, g->row[place], e, g->from[place]);
        }
}

static void put_whole(struct pushes *m, struct newton_terms *s, const struct field *fd) {
    const keel_pattern *g = rows_of_g(fd), *p = rows_of_phi(fd);
    for (int j = 0; j < fd->nq; j++) put(m, s, j, j, -1, -1);
    for (int i = 0; i < fd->kg; i++) {
        for (int e = g->row_start[i]; e < g->row_start[i + 1]; e++)
            put(m, s, g->column[e], m->first + i, -1, e);
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            if (p->column[e] >= fd->nq) put(m, s, m->first + i, p->column[e] - fd->nq, e, -1);
    }
}

static int find_terms(struct pushes *m, const struct field *fd, const struct columns *g) {
    double products = count_products(fd, g), entries = rows_of_g(fd)->nnz + (double)rows_of_phi(fd)->nnz;
    int whole = products > FULLER * (fd->nq + entries);
    size_t most = (size_t)(whole ? fd->nq + entries : products);
    struct newton_terms s;
    m->first = whole ? fd->nq : 0;
    m->matrix.order = m->first + fd->kg;
    m->term = calloc(most + 1, sizeof *m->term);
    m->matrix.right = calloc(2 * (size_t)m->matrix.order + 1, sizeof *m->matrix.right);
    int found = newton_terms_open(&s, most) && m->term && m->matrix.right;
    if (found && whole) put_whole(m, &s, fd);
    if (found && !whole) put_products(m, &s, fd, g);
    m->terms = s.count;
    found = found && newton_sum(&m->matrix, &s);
    newton_terms_close(&s);
    return found;
}

static int open_factors(struct pushes *m) {
    struct newton_pattern *a = &m->matrix;
    if (a->banded) m->band = band_open(a->order, a->lower, a->upper, 0);
    else
        m->lu =
            sparse_open(a->order, a->columns.start, a->columns.row, m->first ? SPARSE_SADDLE : SPARSE_SCALED);
    return m->band || m->lu;
}

int hamiltonian_attach(struct field *fd) {
    fd->pushes = NULL;
    if (!hamiltonian_is_sparse(fd)) return 0;
    struct pushes *m = fd->pushes = calloc(1, sizeof *m);
    struct columns g = {0};
    if (!m) return 1;
    m->g = calloc((size_t)rows_of_g(fd)->nnz + 1, sizeof *m->g);
    m->phi = calloc((size_t)rows_of_phi(fd)->nnz + 1, sizeof *m->phi);
    int made = m->g && m->phi && columns_make(&g, rows_of_g(fd), fd->kg, 0, fd->nq) == 0 &&
               find_terms(m, fd, &g) && open_factors(m);
    columns_free(&g);
    return !made;
}

void hamiltonian_detach(struct field *fd) {
    struct pushes *m = fd->pushes;
    if (!m) return;
    sparse_close(m->lu);
    band_close(m->band);
    newton_pattern_free(&m->matrix);
    free(m->term);
    free(m->g);
    free(m->phi);
    free(m);
    fd->pushes = NULL;
}

/* Its factors -------------------------------------------------------------------------------------------- */

keel_status hamiltonian_sparse_factor(struct field *fd, double t, const double *u) {
    struct pushes *m = fd->pushes;
    double *v = m->matrix.values;
    keel_status status = map_entries(fd, &fd->constraint, t, u, m->g);
    if (status == KEEL_OK) status = map_entries(fd, &fd->velocity, t, u, m->phi);
    if (status != KEEL_OK) return status;
    memset(v, 0, m->matrix.places * sizeof *v);
    for (int e = 0; e < m->terms; e++) {
        const struct product *p = &m->term[e];
        v[m->matrix.at[e]] += (p->of_phi < 0 ? 1 : m->phi[p->of_phi]) * (p->of_g < 0 ? 1 : m->g[p->of_g]);
    }
    fd->stats->factorizations++;
    if ((m->band ? band_factor(m->band, v) : sparse_fresh(m->lu, v)) == 0) return KEEL_OK;
    if (m->lu && sparse_starved(m->lu)) return field_not_factored(fd, m->lu, KEEL_RETRY);
    return hamiltonian_dependent(fd, t);
}

/* c := (phi_p G^T)^-1 c */
static void solve(const struct field *fd, double *c) {
    const struct pushes *m = fd->pushes;
    const int *position = m->matrix.position + m->first;
    double *r = m->matrix.right;
    memset(r, 0, (size_t)m->matrix.order * sizeof *r);
    for (int i = 0; i < fd->kg; i++) r[position[i]] = m->first ? -c[i] : c[i];
    if (m->band) band_solve(m->band, r);
    else sparse_solve(m->lu, r);
    for (int i = 0; i < fd->kg; i++) c[i] = r[position[i]];
}

/* out += sign G^T lambda, with the G that was factored */
static void push(const struct field *fd, const double *lambda, double sign, double *out) {
    const keel_pattern *p = rows_of_g(fd);
    for (int i = 0; i < fd->kg; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            out[p->column[e]] += sign * fd->pushes->g[e] * lambda[i];
}

void hamiltonian_sparse_correct(struct field *fd, const double *c, double *d) {
    memcpy(fd->column, c, (size_t)fd->kg * sizeof *c);
    solve(fd, fd->column);
    memset(d, 0, (size_t)fd->nq * sizeof *d);
    push(fd, fd->column, 1, d);
}

keel_status hamiltonian_sparse_forces(struct field *fd, double t, const double *x, double *dx) {
    const keel_pattern *p = rows_of_phi(fd);
    keel_status status = hamiltonian_sparse_factor(fd, t, x);
    if (status == KEEL_OK) status = map_time_derivative(fd, &fd->velocity, t, x, fd->lambda);
    if (status != KEEL_OK) return status;
    for (int i = 0; i < fd->kg; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            fd->lambda[i] += fd->pushes->phi[e] * dx[p->column[e]];
    solve(fd, fd->lambda);
    push(fd, fd->lambda, -1, dx + fd->nq);
    return KEEL_OK;
}

keel_status hamiltonian_sparse_speeds(struct field *fd, double t, const double *u, double *out) {
    const keel_pattern *p = rows_of_g(fd);
    keel_status status = map_entries(fd, &fd->constraint, t, u, fd->sparse);
    for (int i = 0; i < fd->kg && status == KEEL_OK; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            out[i] += fd->sparse[e] * fd->gradient[fd->nq + p->column[e]];
    return status;
}

keel_status hamiltonian_sparse_reactions(struct field *fd, double t, const double *u, double *out) {
    const keel_pattern *p = rows_of_g(fd);
    keel_status status = map_entries(fd, &fd->constraint, t, u, fd->sparse);
    memset(out, 0, (size_t)fd->nq * sizeof *out);
    for (int i = 0; i < fd->kg && status == KEEL_OK; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            out[p->column[e]] -= fd->sparse[e] * fd->lambda[i];
    return status;
}
