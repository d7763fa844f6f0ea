/* newton_hamiltonian.c - see newton.h: I - c J of a canonical Hamiltonian with constraints g(t,q) = 0,
 *
 *     x' = f(t,x) - (0, G^T lambda),  f = (H_p, -H_q),      phi = G H_p + g_t,  d/dt phi = 0.
 *
 * The multipliers are what y is in newton_rates.c, and rates of phi determine them: with z = c dlambda
 *
 *     ( 1 - c f_x + c (lambda.g_qq)   (0, G^T) ) (dx)   (   b     )
 *     (    phi_x + c d/dt phi_x          0     ) (z ) = ( phi_x b ),
 *
 * lambda.g_qq in the rows of p and the columns of q.  f_x is the problem's; lambda.g_qq comes by differences
 * of G, one evaluation for each colour of coordinates that share no constraint (bending.c), d/dt phi_x by one
 * quotient along the motion. */
#include "core/field.h"

#include <math.h>
#include <string.h>

/* The numbers of J, one kind after the other; the matrix is a sum of these and of the unit matrix. */
enum kind { FORCE, BEND, MOVES, SPEED, PUSH, NUMBERS, UNITS = NUMBERS, KINDS };

static const keel_pattern *rows_of_g(const struct field *fd) {
    return fd->constraint.user.pattern;
}

static const keel_pattern *rows_of_phi(const struct field *fd) {
    return fd->velocity.user.pattern;
}

static long count_of(const struct field *fd, enum kind kind) {
    switch (kind) {
    case FORCE:
        return fd->p.f.pattern->nnz;
    case BEND:
        return (long)bending_numbers(&fd->p);
    case PUSH:
        return rows_of_g(fd)->nnz;
    case UNITS:
        return fd->n;
    default:
        return rows_of_phi(fd)->nnz;
    }
}

static long first_of(const struct field *fd, enum kind kind) {
    long first = 0;
    for (enum kind k = 0; k < kind; k++) first += count_of(fd, k);
    return first;
}

static long numbers_of(const struct field *fd) {
    return first_of(fd, NUMBERS);
}

static int order_of(const struct field *fd) {
    return fd->n + fd->kg;
}

int newton_hamiltonian_suits(const keel_problem *p) {
    const keel_pattern *f = p->f.pattern, *g = p->constraint.pattern;
    if (!(keel_problem_traits(p) & KEEL_CANONICAL) || !p->f.value || !f || !g || !p->velocity.pattern)
        return 0;
    double numbers = bending_numbers(p) + (double)f->nnz + g->nnz + p->velocity.pattern->nnz + p->n;
    return numbers < 1 << 30 && sparse_pays((double)p->n + p->constraint.count, numbers) &&
           sparse_available();
}

/* The pattern -------------------------------------------------------------------------------------------- */

static void put_map(struct newton_terms *s, const keel_pattern *p, int rows, int from) {
    for (int i = 0; i < rows; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            newton_terms_put(s, from + i, p->column[e]);
}

/* Where each number stands, in the order of the kinds. */
static void put_all(struct newton_terms *s, const struct field *fd) {
    const keel_pattern *g = rows_of_g(fd);
    int n = fd->n, nq = fd->nq;
    put_map(s, fd->p.f.pattern, n, 0);
    for (int i = 0; i < fd->kg; i++)
        for (int e = g->row_start[i]; e < g->row_start[i + 1]; e++) {
            const int *with;
            int count = bending_with(&fd->p, i, e - g->row_start[i], &with);
            for (int c = 0; c < count; c++) newton_terms_put(s, nq + g->column[e], with[c]);
        }
    for (int times = 0; times < 2; times++) put_map(s, rows_of_phi(fd), fd->kg, n);
    for (int i = 0; i < fd->kg; i++)
        for (int e = g->row_start[i]; e < g->row_start[i + 1]; e++)
            newton_terms_put(s, nq + g->column[e], n + i);
    for (int i = 0; i < n; i++) newton_terms_put(s, i, i);
}

static int find_pattern(struct newton_pattern *a, const struct field *fd) {
    struct newton_terms s;
    int found = newton_terms_open(&s, (size_t)first_of(fd, KINDS));
    if (found) {
        put_all(&s, fd);
        found = newton_sum(a, &s);
    }
    newton_terms_close(&s);
    return found;
}

/* The numbers -------------------------------------------------------------------------------------------- */

static keel_status speeds_at(struct field *fd, double t, const double *u, double *entries) {
    return map_entries(fd, &fd->velocity, t, u, entries);
}

/* lambda is that of the rate, which is evaluated for it. */
static keel_status jacobian_at(keel_work *w, double *numbers, double t, const double *x, const double *rate) {
    struct field *fd = field_of(w);
    struct newton_pattern *a = fd->pattern;
    double *bend = numbers + first_of(fd, BEND), *moves = numbers + first_of(fd, MOVES),
           *speed = numbers + first_of(fd, SPEED), *push = numbers + first_of(fd, PUSH);
    (void)rate;
    memcpy(fd->u, x, (size_t)fd->n * sizeof *x);
    keel_status status = keel_rhs(w, t, x, a->base);
    if (status == KEEL_OK) status = map_entries(fd, &fd->f, t, fd->u, numbers);
    if (status == KEEL_OK) status = bending_rows(fd, t, fd->u, push);
    if (status == KEEL_OK) status = bending_by_q(w, NULL, t, fd->u, push, fd->lambda, NULL, bend, NULL);
    if (status == KEEL_OK) status = speeds_at(fd, t, fd->u, speed);
    const struct newton_rows rows = {speeds_at, rows_of_phi(fd)->nnz, speed, a->below};
    double fastest = 0;
    for (int j = 0; j < fd->n; j++)
        fastest = fmax(fastest, fabs(a->base[j]) / fmax(fd->size[j], fabs(fd->u[j])));
    if (fd->velocity.time_dependent) fastest = fmax(fastest, 1 / fd->t_length);
    return status == KEEL_OK ? newton_rows_move(fd, &rows, t, fd->u, a->base, fastest, moves) : status;
}

static double larger_change(double so_far, double a, double b, double change) {
    return fmax(so_far, fabs(a - b) * change);
}

static int are_alike(const struct field *fd, const double *a, const double *b, const double *scale,
                     double share) {
    const keel_pattern *f = fd->p.f.pattern, *g = rows_of_g(fd);
    double difference = 0, size = 0;
    long at = 0;
    for (int i = 0; i < fd->n; i++)
        for (int e = f->row_start[i]; e < f->row_start[i + 1]; e++, at++) {
            double change = scale[f->column[e]] / scale[i];
            difference = larger_change(difference, a[at], b[at], change);
            size = larger_change(size, a[at], 0, change);
        }
    for (int i = 0; i < fd->kg; i++)
        for (int e = g->row_start[i]; e < g->row_start[i + 1]; e++) {
            const int *with;
            int count = bending_with(&fd->p, i, e - g->row_start[i], &with);
            for (int c = 0; c < count; c++, at++) {
                double change = scale[with[c]] / scale[fd->nq + g->column[e]];
                difference = larger_change(difference, a[at], b[at], change);
                size = larger_change(size, a[at], 0, change);
            }
        }
    return !(difference > share * size);
}

/* The matrix --------------------------------------------------------------------------------------------- */

static const double *assemble(const struct field *fd, const double *numbers, double real, double imaginary,
                              int complex) {
    static const int power[] = {[FORCE] = 1, [BEND] = 1, [MOVES] = 1, [SPEED] = 0, [PUSH] = 0, [UNITS] = 0};
    const struct newton_pattern *a = fd->pattern;
    const struct newton_powers c = newton_powers_of(real, imaginary);
    double *v = complex ? a->pairs : a->values;
    const int *at = a->at;
    memset(v, 0, (complex ? 2 : 1) * a->places * sizeof *v);
    for (enum kind kind = 0; kind < KINDS; kind++)
        for (long e = count_of(fd, kind); e > 0; e--) {
            double number = kind == UNITS ? 1 : *numbers++;
            newton_add(v, *at++, complex, &c, power[kind], kind == FORCE ? -number : number);
        }
    return v;
}

static void right_of(const struct field *fd, const double *numbers, double real, double imaginary,
                     const double *b, const double *other, double *r) {
    const int *position = fd->pattern->position;
    const keel_pattern *phi = rows_of_phi(fd);
    const double *speed = numbers + first_of(fd, SPEED);
    int stride = other ? 2 : 1;
    (void)real, (void)imaginary;
    for (int part = 0; part < stride; part++) {
        const double *v = part ? other : b;
        for (int i = 0; i < fd->n; i++) r[stride * (long)position[i] + part] = v[i];
        for (int i = 0; i < fd->kg; i++) {
            double sum = 0;
            for (int e = phi->row_start[i]; e < phi->row_start[i + 1]; e++)
                sum += speed[e] * v[phi->column[e]];
            r[stride * (long)position[fd->n + i] + part] = sum;
        }
    }
}

static void left_of(const struct field *fd, double real, double imaginary, const double *r, double *b,
                    double *other) {
    (void)real, (void)imaginary;
    newton_sparse_left(fd, r, b, other);
}

const struct newton_form newton_hamiltonian = {order_of,  numbers_of, find_pattern, jacobian_at,
                                               are_alike, assemble,   right_of,     left_of};
