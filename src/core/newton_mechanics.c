/* newton_mechanics.c - see newton.h: I - c J of mechanics, M v' = F(t,q,v) - G^T lambda, G v' = -gamma, for
 * constant M and constraints g(t,q) = 0.
 *
 * With a = v', R = M a - F + G^T lambda and S = G a + gamma, a and lambda held, d(v') follows from
 * M da + G^T dlambda + R_q dq + R_v dv = 0, G da + S_q dq + S_v dv = 0.  Then dq = b1 + c dv and
 * c da = dv - b2 leave, with mu = c dlambda,
 *
 *     ( M + c R_v + c^2 R_q   G^T ) (dv)   ( M b2 - c R_q b1 )
 *     ( G + c S_v + c^2 S_q    0  ) (mu) = ( G b2 - c S_q b1 )
 *
 * of order n/2 + k: half as many unknowns as I - c J has, or a third with v' among them.  F_q and F_v are the
 * problem's; the curvature of the constraints, g_qq and S_q, S_v, comes by differences of G and gamma, one
 * evaluation for each colour of coordinates that share no constraint.  A redundant constraint has the row
 * mu = 0. */
#include "core/field.h"
#include "linalg/band.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The numbers of J, one kind after the other; the matrix is a sum of these, of M and of units. */
enum kind { FORCE, BEND, S_BY_Q, S_BY_V, ROWS, NUMBERS, TRANSPOSED = NUMBERS, MASS, UNITS, KINDS };

static int entries_of(const keel_pattern *p) {
    return p ? p->nnz : 0;
}

/* g_qq of constraint i: a square of as many rows as it has coordinates. */
static long squares(const struct field *fd) {
    const keel_pattern *p = fd->kg ? fd->constraint.user.pattern : NULL;
    long sum = 0;
    for (int i = 0; i < fd->kg; i++) {
        long length = p->row_start[i + 1] - p->row_start[i];
        sum += length * length;
    }
    return sum;
}

static long count_of(const struct field *fd, enum kind kind) {
    switch (kind) {
    case FORCE:
        return fd->p.f.pattern->nnz;
    case BEND:
        return squares(fd);
    case MASS:
        return fd->p.mass.value ? fd->p.mass.pattern->nnz : fd->nq;
    case UNITS:
        return fd->kg;
    default:
        return fd->kg ? entries_of(fd->constraint.user.pattern) : 0;
    }
}

static long first_of(const struct field *fd, enum kind kind) {
    long first = 0;
    for (enum kind k = 0; k < kind; k++) first += count_of(fd, k);
    return first;
}

long newton_mechanics_numbers(const struct field *fd) {
    return first_of(fd, NUMBERS);
}

int newton_mechanics_suits(const struct field *fd) {
    const keel_problem *p = &fd->p;
    if (!(fd->traits & KEEL_SECOND_ORDER) || !fd->mech.sparse || fd->damped || fd->kr) return 0;
    if (!p->f.pattern || !p->f.jacobian || (p->mass.value && !p->mass.constant)) return 0;
    if (fd->kg && !p->curvature) return 0;
    double numbers = (double)first_of(fd, KINDS), twice = 2. * (double)count_of(fd, ROWS); /* S_q, S_v */
    return numbers < 1 << 30 && sparse_pays(fd->nq + (double)fd->kg, numbers - twice);
}

/* The pattern -------------------------------------------------------------------------------------------- */

struct terms {
    int count, *row, *column;
};

static void put(struct terms *s, int row, int column) {
    s->row[s->count] = row;
    s->column[s->count++] = column;
}

static void put_map(struct terms *s, const keel_pattern *p, int rows, int from, int period, int transposed) {
    for (int i = 0; i < rows; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            put(s, transposed ? p->column[e] : from + i, transposed ? from + i : p->column[e] % period);
}

/* Where each number stands, in the order of the kinds. */
static void put_all(struct terms *s, const struct field *fd) {
    const keel_pattern *g = fd->kg ? fd->constraint.user.pattern : NULL;
    int nq = fd->nq;
    put_map(s, fd->p.f.pattern, nq, 0, nq, 0);
    for (int i = 0; i < fd->kg; i++)
        for (int a = g->row_start[i]; a < g->row_start[i + 1]; a++)
            for (int b = g->row_start[i]; b < g->row_start[i + 1]; b++) put(s, g->column[a], g->column[b]);
    for (int times = 0; times < 4 && fd->kg; times++) put_map(s, g, fd->kg, nq, nq, times == 3);
    if (fd->p.mass.value) put_map(s, fd->p.mass.pattern, nq, 0, nq, 0);
    for (int i = 0; i < nq && !fd->p.mass.value; i++) put(s, i, i);
    for (int i = 0; i < fd->kg; i++) put(s, nq + i, nq + i);
}

/* order: the numbers 0 .. count - 1 by key, in the order they have within one. */
static void sort_by(const int *key, int keys, int count, const int *before, int *start, int *order) {
    memset(start, 0, ((size_t)keys + 1) * sizeof *start);
    for (int e = 0; e < count; e++) start[key[e] + 1]++;
    for (int k = 0; k < keys; k++) start[k + 1] += start[k];
    for (int e = 0; e < count; e++) {
        int number = before ? before[e] : e;
        order[start[key[number]]++] = number;
    }
}

/* Rows with each place once; entry[e]: which of them number e belongs to. */
static int join(const struct terms *s, int order, int *workspace, int *entry, int *row_start, int *column) {
    int *by_column = workspace, *by_row = workspace + s->count, *start = by_row + s->count, entries = 0;
    sort_by(s->column, order, s->count, NULL, start, by_column);
    sort_by(s->row, order, s->count, by_column, start, by_row);
    memset(row_start, 0, ((size_t)order + 1) * sizeof *row_start);
    for (int e = 0; e < s->count; e++) {
        int now = by_row[e], last = e ? by_row[e - 1] : -1;
        int same = e && s->row[now] == s->row[last] && s->column[now] == s->column[last];
        if (!same) column[entries++] = s->column[now];
        entry[now] = entries - 1;
        row_start[s->row[now] + 1] = entries;
    }
    for (int i = 0; i < order; i++)
        if (row_start[i + 1] < row_start[i]) row_start[i + 1] = row_start[i];
    return entries;
}

/* a->at[e]: where number e stands in the values that are factored. */
static int place(struct newton_pattern *a, const int *entry, int count, int *where) {
    a->banded = band_order(a->order, a->columns.start, a->columns.row, a->position, &a->lower, &a->upper);
    if (a->banded < 0) return 0;
    for (int j = 0; j < a->order; j++)
        for (int spot = a->columns.start[j]; spot < a->columns.start[j + 1]; spot++)
            where[a->columns.from[spot]] = a->banded ? newton_band_place(a, j, spot) : spot;
    for (int e = 0; e < count; e++) a->at[e] = where[entry[e]];
    a->places =
        a->banded ? (size_t)a->order * ((size_t)a->lower + 1 + (size_t)a->upper) : (size_t)a->columns.entries;
    a->values = calloc(a->places + 1, sizeof *a->values);
    a->pairs = calloc(2 * a->places + 1, sizeof *a->pairs);
    return a->values && a->pairs;
}

/* The least colour that no earlier coordinate of any constraint on j has. */
static int find_colours(struct newton_pattern *a, const struct field *fd) {
    const keel_pattern *p = fd->constraint.user.pattern;
    struct columns g = {0};
    int *taken = a->list, known = columns_make(&g, p, fd->kg, 0, fd->nq) == 0;
    for (int j = 0; j < fd->nq && known; j++) {
        for (int spot = g.start[j]; spot < g.start[j + 1]; spot++)
            for (int i = g.row[spot], e = p->row_start[i]; e < p->row_start[i + 1] && p->column[e] < j; e++)
                taken[a->colour[p->column[e]]] = j + 1;
        a->colour[j] = 0;
        while (taken[a->colour[j]] == j + 1) a->colour[j]++;
        if (a->colour[j] >= a->colours) a->colours = a->colour[j] + 1;
    }
    columns_free(&g);
    a->bending = calloc((size_t)p->nnz + 2 * (size_t)fd->kg + 1, sizeof *a->bending);
    return known && a->bending;
}

int newton_mechanics_pattern(struct newton_pattern *a, const struct field *fd) {
    size_t all = (size_t)first_of(fd, KINDS), order = (size_t)a->order;
    int *workspace = calloc(6 * all + 3 * order + 4, sizeof *workspace);
    a->at = calloc(all + 1, sizeof *a->at);
    a->position = calloc(order + 1, sizeof *a->position);
    int found = workspace && a->at && a->position;
    if (found) {
        struct terms s = {0, workspace, workspace + all};
        int *entry = workspace + 2 * all, *column = entry + all, *rest = column + all,
            *start = rest + 2 * all;
        put_all(&s, fd);
        keel_pattern rows = {0, start + order + 1, column};
        rows.nnz = join(&s, a->order, rest, entry, start + order + 1, column);
        found =
            columns_make(&a->columns, &rows, a->order, 0, a->order) == 0 && place(a, entry, s.count, rest);
    }
    free(workspace);
    return found && (fd->kg == 0 || find_colours(a, fd));
}

/* The numbers -------------------------------------------------------------------------------------------- */

struct bending {
    struct field *fd;
    const double *u, *rate;
    double t, *bend, *by_q, *by_v;
    const double *rows; /* G at u */
    double *moved_rows, *gamma, *moved_gamma;
};

/* Differences of the rows whose coordinate of this colour has moved; with_rows: G has changed, too. */
static void take_colour(const struct bending *m, const struct newton_pattern *a, int colour, int with_rows) {
    const keel_pattern *p = m->fd->constraint.user.pattern;
    double *bend = m->bend;
    for (int i = 0; i < m->fd->kg; i++) {
        int first = p->row_start[i], length = p->row_start[i + 1] - first;
        for (int b = 0; b < length; b++) {
            int j = p->column[first + b];
            if (a->colour[j] != colour) continue;
            double sum = m->moved_gamma[i] - m->gamma[i], *out = with_rows ? m->by_q : m->by_v;
            double way = a->step[with_rows ? j : m->fd->nq + j];
            for (int e = 0; e < length && with_rows; e++) {
                double change = m->moved_rows[first + e] - m->rows[first + e];
                bend[e * length + b] = m->fd->active[i] ? m->fd->lambda[i] * (change / way) : 0;
                sum += change * m->rate[m->fd->nq + p->column[first + e]];
            }
            out[first + b] = sum / way;
        }
        bend += (long)length * length;
    }
}

/* Moves the coordinates, or the velocities, of a colour by what `step` says, to either side. */
static keel_status one_colour(const struct bending *m, struct newton_pattern *a, int colour, int of_q) {
    struct field *fd = m->fd;
    int first = of_q ? 0 : fd->nq;
    keel_status status = KEEL_RETRY;
    for (int side = 0; side < 2 && status == KEEL_RETRY; side++) {
        for (int j = 0; j < fd->nq; j++) {
            if (a->colour[j] != colour) continue;
            int at = first + j;
            a->probe[at] = m->u[at] + (side ? -1 : 1) * fabs(a->step[at]);
            a->step[at] = a->probe[at] - m->u[at];
        }
        status = of_q ? map_entries(fd, &fd->constraint, m->t, a->probe, m->moved_rows) : KEEL_OK;
        if (status == KEEL_OK) status = mechanics_curvature(fd, m->t, a->probe, m->moved_gamma);
    }
    if (status == KEEL_OK) take_colour(m, a, colour, of_q);
    memcpy(a->probe, m->u, (size_t)fd->n * sizeof *a->probe);
    return status;
}

/* g_qq, S_q and S_v where the rate, and with it lambda, is that of (t, x). */
static keel_status bend(keel_work *w, struct bending *m) {
    struct field *fd = m->fd;
    struct newton_pattern *a = fd->pattern;
    m->moved_rows = a->bending;
    m->gamma = a->bending + count_of(fd, ROWS);
    m->moved_gamma = m->gamma + fd->kg;
    keel_status status = mechanics_curvature(fd, m->t, m->u, m->gamma);
    newton_colour_steps(w, m->u, fd->n, a->step);
    memcpy(a->probe, m->u, (size_t)fd->n * sizeof *a->probe);
    for (int c = 0; c < a->colours && status == KEEL_OK; c++) {
        status = one_colour(m, a, c, 1);
        if (status == KEEL_OK) status = one_colour(m, a, c, 0);
    }
    return status;
}

keel_status newton_mechanics_jacobian(keel_work *w, double *numbers, double t, const double *x) {
    struct field *fd = field_of(w);
    struct newton_pattern *a = fd->pattern;
    memcpy(fd->u, x, (size_t)fd->n * sizeof *x);
    keel_status status = mechanics_sparse_mass(fd, t, fd->u);
    if (status == KEEL_OK) status = map_entries(fd, &fd->f, t, fd->u, numbers);
    if (status != KEEL_OK || fd->kg == 0) return status;
    double *rows = numbers + first_of(fd, ROWS);
    struct bending m = {.fd = fd,
                        .u = fd->u,
                        .rate = a->base,
                        .t = t,
                        .bend = numbers + first_of(fd, BEND),
                        .by_q = numbers + first_of(fd, S_BY_Q),
                        .by_v = numbers + first_of(fd, S_BY_V),
                        .rows = rows};
    status = keel_rhs(w, t, x, a->base);
    if (status == KEEL_OK) status = map_entries(fd, &fd->constraint, t, fd->u, rows);
    return status == KEEL_OK ? bend(w, &m) : status;
}

int newton_mechanics_alike(const struct field *fd, const double *a, const double *b, const double *scale,
                           double share) {
    const keel_pattern *p = fd->p.f.pattern;
    double difference = 0, size = 0;
    for (int i = 0; i < fd->nq; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
            double change = scale[p->column[e]] / scale[fd->nq + i];
            difference = fmax(difference, fabs(a[e] - b[e]) * change);
            size = fmax(size, fabs(a[e]) * change);
        }
    return !(difference > share * size);
}

/* The matrix --------------------------------------------------------------------------------------------- */

struct shift {
    double real[3], imaginary[3]; /* 1, c, c^2 */
};

static struct shift powers(double real, double imaginary) {
    return (struct shift){{1, real, real * real - imaginary * imaginary},
                          {0, imaginary, 2 * real * imaginary}};
}

static void add(double *v, int at, int complex, const struct shift *c, int power, double number) {
    if (!complex) {
        v[at] += c->real[power] * number;
        return;
    }
    v[2 * (size_t)at] += c->real[power] * number;
    v[2 * (size_t)at + 1] += c->imaginary[power] * number;
}

const double *newton_mechanics_assemble(const struct field *fd, const double *numbers, double real,
                                        double imaginary, int complex) {
    const struct newton_pattern *a = fd->pattern;
    const keel_pattern *f = fd->p.f.pattern, *g = fd->kg ? fd->constraint.user.pattern : NULL;
    const struct shift c = powers(real, imaginary);
    double *v = complex ? a->pairs : a->values;
    const int *at = a->at;
    memset(v, 0, (complex ? 2 : 1) * a->places * sizeof *v);
    for (int e = 0; e < f->nnz; e++) /* -F_q, -F_v */
        add(v, *at++, complex, &c, f->column[e] < fd->nq ? 2 : 1, -*numbers++);
    for (long e = count_of(fd, BEND); e > 0; e--) add(v, *at++, complex, &c, 2, *numbers++);
    const double *by_q = numbers, *by_v = by_q + entries_of(g), *rows = by_v + entries_of(g);
    for (int power = 2; power >= -1 && g; power--) { /* -1: G^T */
        const double *number = power == 2 ? by_q : power == 1 ? by_v : rows;
        for (int i = 0; i < fd->kg; i++)
            for (int e = g->row_start[i]; e < g->row_start[i + 1]; e++, at++)
                if (fd->active[i]) add(v, *at, complex, &c, power < 0 ? 0 : power, number[e]);
    }
    for (int e = 0; e < count_of(fd, MASS); e++)
        add(v, *at++, complex, &c, 0, fd->p.mass.value ? fd->mech.mass_values[e] : 1);
    for (int i = 0; i < fd->kg; i++, at++)
        if (!fd->active[i]) add(v, *at, complex, &c, 0, 1);
    return v;
}

/* r, of every stride-th number, += M b2 + F_q d, G b2 - S_q d, and less g_qq d: d = c b1. */
static void add_right(const struct field *fd, const double *numbers, const double *d, const double *b2,
                      int stride, double *r) {
    const struct newton_pattern *a = fd->pattern;
    const keel_pattern *f = fd->p.f.pattern, *g = fd->kg ? fd->constraint.user.pattern : NULL,
                       *mass = fd->p.mass.value ? fd->p.mass.pattern : NULL;
    const double *bend = numbers + first_of(fd, BEND), *by_q = numbers + first_of(fd, S_BY_Q),
                 *rows = numbers + first_of(fd, ROWS);
    for (int i = 0; i < fd->nq; i++) {
        double sum = mass ? 0 : b2[i];
        for (int e = mass ? mass->row_start[i] : 0; mass && e < mass->row_start[i + 1]; e++)
            sum += fd->mech.mass_values[e] * b2[mass->column[e]];
        for (int e = f->row_start[i]; e < f->row_start[i + 1]; e++)
            if (f->column[e] < fd->nq) sum += numbers[e] * d[f->column[e]];
        r[(size_t)stride * (size_t)a->position[i]] += sum;
    }
    for (int i = 0; i < fd->kg; i++) {
        int first = g->row_start[i], length = g->row_start[i + 1] - first;
        double sum = 0;
        for (int e = 0; e < length; e++, bend += length) {
            double bent = 0;
            for (int j = 0; j < length; j++) bent += bend[j] * d[g->column[first + j]];
            r[(size_t)stride * (size_t)a->position[g->column[first + e]]] -= bent;
            sum += rows[first + e] * b2[g->column[first + e]] - by_q[first + e] * d[g->column[first + e]];
        }
        if (fd->active[i]) r[(size_t)stride * (size_t)a->position[fd->nq + i]] += sum;
    }
}

void newton_mechanics_right(const struct field *fd, const double *numbers, double real, double imaginary,
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

void newton_mechanics_left(const struct field *fd, double real, double imaginary, const double *r, double *b,
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
