/* newton_mechanics.c - see newton.h: I - c J of mechanics, M v' = F(t,q,v) - G^T lambda, G v' = -gamma, for
 * constraints g(t,q) = 0 and, among the rows of G, those of what rolls.
 *
 * With a = v', R = M a - F + G^T lambda and S = G a + gamma, a and lambda held, d(v') follows from
 * M da + G^T dlambda + R_q dq + R_v dv = 0, G da + S_q dq + S_v dv = 0.  Then dq = b1 + c dv and
 * c da = dv - b2 leave, with mu = c dlambda,
 *
 *     ( M + c R_v + c^2 R_q   G^T ) (dv)   ( M b2 - c R_q b1 )
 *     ( G + c S_v + c^2 S_q    0  ) (mu) = ( G b2 - c S_q b1 )
 *
 * of order n/2 + k: half as many unknowns as I - c J has, or a third with v' among them.  F_q and F_v are the
 * problem's, less d(M a)/dq where M changes (mass_change.h); the curvature of the constraints, g_qq and S_q,
 * S_v, comes by differences of G and gamma, one evaluation for each colour of coordinates that share no
 * constraint (bending.c).  A redundant constraint has the row mu = 0. */
#include "core/field.h"

#include <math.h>
#include <string.h>

/* The numbers of J, one kind after the other; the matrix is a sum of these, of M and of units. */
enum kind { FORCE, BEND, S_BY_Q, S_BY_V, ROWS, NUMBERS, TRANSPOSED = NUMBERS, MASS, UNITS, KINDS };

static int entries_of(const keel_pattern *p) {
    return p ? p->nnz : 0;
}

static const keel_pattern *rows_of(const struct field *fd) {
    return fd->k ? &fd->bending->pattern : NULL;
}

static long count_of(const struct field *fd, enum kind kind) {
    switch (kind) {
    case FORCE:
        return fd->p.f.pattern->nnz;
    case BEND:
        return (long)bending_numbers(&fd->p);
    case MASS:
        return fd->p.mass.value ? fd->p.mass.pattern->nnz : fd->nq;
    case UNITS:
        return fd->k;
    default:
        return bending_entries(fd);
    }
}

static long first_of(const struct field *fd, enum kind kind) {
    long first = 0;
    for (enum kind k = 0; k < kind; k++) first += count_of(fd, k);
    return first;
}

/* Behind them stand the entries of M, if it changes. */
static long numbers_of(const struct field *fd) {
    return first_of(fd, NUMBERS) + (mass_changes(fd) ? count_of(fd, MASS) : 0);
}

static const double *mass_of(const struct field *fd, const double *numbers) {
    return mass_changes(fd) ? numbers + first_of(fd, NUMBERS) : fd->mech.mass_values;
}

int newton_mechanics_suits(const struct field *fd) {
    const keel_problem *p = &fd->p;
    if (!(fd->traits & KEEL_SECOND_ORDER) || !fd->mech.sparse) return 0;
    if (!p->f.pattern || !p->f.jacobian) return 0;
    if (fd->k && !p->curvature) return 0;
    if (bending_numbers(&fd->p) > 1 << 30) return 0; /* places are ints */
    double numbers = (double)first_of(fd, KINDS), twice = 2. * (double)count_of(fd, ROWS); /* S_q, S_v */
    return numbers < 1 << 30 && sparse_pays(fd->nq + (double)fd->k, numbers - twice);
}

/* The pattern -------------------------------------------------------------------------------------------- */

static void put_map(struct newton_terms *s, const keel_pattern *p, int rows, int from, int period,
                    int transposed) {
    for (int i = 0; i < rows; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            newton_terms_put(s, transposed ? p->column[e] : from + i,
                             transposed ? from + i : p->column[e] % period);
}

/* Where each number stands, in the order of the kinds. */
static void put_all(struct newton_terms *s, const struct field *fd) {
    const keel_pattern *g = rows_of(fd);
    int nq = fd->nq;
    put_map(s, fd->p.f.pattern, nq, 0, nq, 0);
    for (int i = 0; i < fd->k; i++)
        for (int e = g->row_start[i]; e < g->row_start[i + 1]; e++) {
            const int *with;
            int count = bending_with(&fd->p, i, e - g->row_start[i], &with);
            for (int c = 0; c < count; c++) newton_terms_put(s, g->column[e], with[c]);
        }
    for (int times = 0; times < 4 && fd->k; times++) put_map(s, g, fd->k, nq, nq, times == 3);
    if (fd->p.mass.value) put_map(s, fd->p.mass.pattern, nq, 0, nq, 0);
    for (int i = 0; i < nq && !fd->p.mass.value; i++) newton_terms_put(s, i, i);
    for (int i = 0; i < fd->k; i++) newton_terms_put(s, nq + i, nq + i);
}

static int find_pattern(struct newton_pattern *a, const struct field *fd) {
    struct newton_terms s;
    if (fd->k && !(fd->bending && fd->bending->pattern.row_start)) return 0;
    int found = newton_terms_open(&s, (size_t)first_of(fd, KINDS));
    if (found) {
        put_all(&s, fd);
        found = newton_sum(a, &s);
    }
    newton_terms_close(&s);
    return found;
}

/* The numbers -------------------------------------------------------------------------------------------- */

/* F_q and F_v, less d(M a)/dq, and M. */
static keel_status forces_at(keel_work *w, double *numbers, double t, const double *u, const double *a) {
    struct field *fd = field_of(w);
    keel_status status = map_entries(fd, &fd->f, t, u, numbers);
    if (!mass_changes(fd)) return status == KEEL_OK ? mechanics_sparse_mass(fd, t, u) : status;
    if (status == KEEL_OK) status = mass_change_subtract(w, t, u, a, numbers);
    return status == KEEL_OK ? mass_change_entries(fd, t, u, numbers + first_of(fd, NUMBERS)) : status;
}

static const struct bending_shift in_motion = {mechanics_curvature, 1};

static keel_status jacobian_at(keel_work *w, double *numbers, double t, const double *x, const double *rate) {
    struct field *fd = field_of(w);
    struct newton_pattern *a = fd->pattern;
    memcpy(fd->u, x, (size_t)fd->n * sizeof *x);
    keel_status status = forces_at(w, numbers, t, fd->u, rate + fd->nq);
    if (status != KEEL_OK || fd->k == 0) return status;
    double *rows = numbers + first_of(fd, ROWS), *bend = numbers + first_of(fd, BEND),
           *by_q = numbers + first_of(fd, S_BY_Q), *by_v = numbers + first_of(fd, S_BY_V);
    status = keel_rhs(w, t, x, a->base); /* and lambda */
    if (status == KEEL_OK) status = bending_rows(fd, t, fd->u, rows);
    if (status == KEEL_OK)
        status = bending_by_q(w, &in_motion, t, fd->u, rows, fd->lambda, a->base + fd->nq, bend, by_q);
    return status == KEEL_OK ? bending_by_v(w, &in_motion, t, fd->u, by_v) : status;
}

static int are_alike(const struct field *fd, const double *a, const double *b, const double *scale,
                     double share) {
    const keel_pattern *p = fd->p.f.pattern;
    double difference = 0, size = 0;
    for (int i = 0; i < fd->nq; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
            double change = scale[p->column[e]] / scale[fd->nq + i];
            difference = fmax(difference, fabs(a[e] - b[e]) * change);
            size = fmax(size, fabs(a[e]) * change);
        }
    return !(difference > share * size) &&
           newton_masses_alike(fd, fd->nq, mass_of(fd, a), mass_of(fd, b), scale + fd->nq, share);
}

/* The matrix --------------------------------------------------------------------------------------------- */

static const double *assemble(const struct field *fd, const double *numbers, double real, double imaginary,
                              int complex) {
    const struct newton_pattern *a = fd->pattern;
    const keel_pattern *f = fd->p.f.pattern, *g = rows_of(fd);
    const struct newton_powers c = newton_powers_of(real, imaginary);
    double *v = complex ? a->pairs : a->values;
    const double *mass = mass_of(fd, numbers);
    const int *at = a->at;
    memset(v, 0, (complex ? 2 : 1) * a->places * sizeof *v);
    for (int e = 0; e < f->nnz; e++) /* -F_q, -F_v */
        newton_add(v, *at++, complex, &c, f->column[e] < fd->nq ? 2 : 1, -*numbers++);
    for (long e = count_of(fd, BEND); e > 0; e--) newton_add(v, *at++, complex, &c, 2, *numbers++);
    const double *by_q = numbers, *by_v = by_q + entries_of(g), *rows = by_v + entries_of(g);
    for (int power = 2; power >= -1 && g; power--) { /* -1: G^T */
        const double *number = power == 2 ? by_q : power == 1 ? by_v : rows;
        for (int i = 0; i < fd->k; i++)
            for (int e = g->row_start[i]; e < g->row_start[i + 1]; e++, at++)
                if (fd->active[i]) newton_add(v, *at, complex, &c, power < 0 ? 0 : power, number[e]);
    }
    for (int e = 0; e < count_of(fd, MASS); e++)
        newton_add(v, *at++, complex, &c, 0, fd->p.mass.value ? mass[e] : 1);
    for (int i = 0; i < fd->k; i++, at++)
        if (!fd->active[i]) newton_add(v, *at, complex, &c, 0, 1);
    return v;
}

/* r, of every stride-th number, += M b2 + F_q d, G b2 - S_q d, and less g_qq d: d = c b1. */
static void add_right(const struct field *fd, const double *numbers, const double *d, const double *b2,
                      int stride, double *r) {
    const struct newton_pattern *a = fd->pattern;
    const keel_pattern *f = fd->p.f.pattern, *g = rows_of(fd),
                       *mass = fd->p.mass.value ? fd->p.mass.pattern : NULL;
    const double *bend = numbers + first_of(fd, BEND), *by_q = numbers + first_of(fd, S_BY_Q),
                 *rows = numbers + first_of(fd, ROWS), *masses = mass_of(fd, numbers);
    for (int i = 0; i < fd->nq; i++) {
        double sum = mass ? 0 : b2[i];
        for (int e = mass ? mass->row_start[i] : 0; mass && e < mass->row_start[i + 1]; e++)
            sum += masses[e] * b2[mass->column[e]];
        for (int e = f->row_start[i]; e < f->row_start[i + 1]; e++)
            if (f->column[e] < fd->nq) sum += numbers[e] * d[f->column[e]];
        r[(size_t)stride * (size_t)a->position[i]] += sum;
    }
    for (int i = 0; i < fd->k; i++) {
        int first = g->row_start[i], length = g->row_start[i + 1] - first;
        double sum = 0;
        for (int e = 0; e < length; e++) {
            const int *with = g->column + first;
            int count = fd->bending->apart[i] ? bending_with(&fd->p, i, e, &with) : length;
            double bent = 0;
            for (int c = 0; c < count; c++) bent += *bend++ * d[with[c]];
            r[(size_t)stride * (size_t)a->position[g->column[first + e]]] -= bent;
            sum += rows[first + e] * b2[g->column[first + e]] - by_q[first + e] * d[g->column[first + e]];
        }
        if (fd->active[i]) r[(size_t)stride * (size_t)a->position[fd->nq + i]] += sum;
    }
}

static void right_of(const struct field *fd, const double *numbers, double real, double imaginary,
                     const double *b, const double *other, double *r) {
    const struct newton_pattern *a = fd->pattern;
    int nq = fd->nq, stride = other ? 2 : 1;
    memset(r, 0, (size_t)stride * (size_t)a->order * sizeof *r);
    for (int part = 0; part < stride; part++) {
        for (int i = 0; i < nq; i++)
            a->probe[i] =
                part ? real * other[i] + imaginary * b[i] : real * b[i] - (other ? imaginary * other[i] : 0);
        add_right(fd, numbers, a->probe, (part ? other : b) + nq, stride, r + part);
    }
}

static void left_of(const struct field *fd, double real, double imaginary, const double *r, double *b,
                    double *other) {
    const struct newton_pattern *a = fd->pattern;
    for (int i = 0; i < fd->nq; i++) {
        const double *v = r + (size_t)(other ? 2 : 1) * (size_t)a->position[i];
        double im = other ? v[1] : 0;
        b[fd->nq + i] = v[0];
        b[i] += real * v[0] - imaginary * im;
        if (!other) continue;
        other[fd->nq + i] = im;
        other[i] += real * im + imaginary * v[0];
    }
}

static int order_of(const struct field *fd) {
    return fd->nq + fd->k;
}

const struct newton_form newton_mechanics = {order_of,  numbers_of, find_pattern, jacobian_at,
                                             are_alike, assemble,   right_of,     left_of};
