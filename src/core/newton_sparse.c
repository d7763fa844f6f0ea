/* newton_sparse.c - see newton.h: the sparse way. */
#include "core/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int entries_of(const keel_map *map) {
    return map->count ? map->pattern->nnz : 0;
}

/* Does each row of F contain a y, so that the index is 1 but where F_y is singular? */
static int contains_y(const struct field *fd) {
    const keel_pattern *p = fd->p.algebraic.pattern;
    for (int i = 0; i < fd->m; i++) /* columns ascend */
        if (p->row_start[i] == p->row_start[i + 1] || p->column[p->row_start[i + 1] - 1] < fd->n) return 0;
    return 1;
}

/* A Hamiltonian: is its f known, and H_pp diagonal, so that masses (sizes.c) are plain to see? */
static int has_plain_masses(const struct field *fd) {
    const keel_pattern *p = fd->p.f.pattern;
    if (fd->p.structure.value || fd->rhs != fd->p.f.value || !fd->p.f.jacobian) return 0;
    for (int i = 0; i < fd->nq; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            if (p->column[e] >= fd->nq && p->column[e] != fd->nq + i) return 0;
    return 1;
}

int newton_by_pattern(const struct field *fd) {
    const keel_problem *p = &fd->p;
    double order = (double)fd->n + fd->m;
    if ((fd->n && !p->f.pattern) || fd->traits & KEEL_SECOND_ORDER) return 0;
    if (fd->m && (!p->algebraic.pattern || !p->algebraic.jacobian)) return 0;
    if (!sparse_pays(order, (double)entries_of(&p->f) + entries_of(&p->algebraic))) return 0;
    if (p->mass.value && !(p->mass.pattern && p->mass.constant && sparse_pays(order, p->mass.pattern->nnz)))
        return 0;
    if (fd->traits & KEEL_FROM_ENERGY && !has_plain_masses(fd)) return 0;
    return (fd->m == 0 && !p->mass.value) || (contains_y(fd) && !fd->damped && sparse_available());
}

int newton_goes_sparse(const struct field *fd) {
    if (!newton_by_pattern(fd)) return 0;
    if (fd->m || fd->p.mass.value) return 1;
    return fd->rhs == fd->p.f.value && !fd->damped && sparse_available();
}

/* The pattern by columns --------------------------------------------------------------------------------- */

static void *room_for(size_t count, size_t size) {
    return calloc(count + 1, size);
}

static int take_room(struct newton_pattern *a, const struct field *fd) {
    size_t order = (size_t)a->order, entries = (size_t)a->entries;
    a->start = room_for(order + 1, sizeof *a->start);
    a->row = room_for(entries, sizeof *a->row);
    a->from = room_for(entries, sizeof *a->from);
    a->unit = room_for(fd->p.mass.value ? (size_t)fd->p.mass.pattern->nnz : (size_t)fd->n, sizeof *a->unit);
    a->values = room_for(2 * entries, sizeof *a->values);
    a->right = room_for(2 * order, sizeof *a->right);
    a->colour = room_for(order, sizeof *a->colour);
    a->list = room_for(order, sizeof *a->list);
    a->first = room_for(order + 1, sizeof *a->first);
    a->step = room_for(order, sizeof *a->step);
    a->base = room_for(order + 4, sizeof *a->base); /* rates are padded */
    a->moved = room_for(order + 4, sizeof *a->moved);
    a->probe = room_for(order + 4, sizeof *a->probe);
    return a->start && a->row && a->from && a->unit && a->values && a->right && a->colour && a->list &&
           a->first && a->step && a->base && a->moved && a->probe;
}

/* Row i of the unit matrix, or of M: its columns, and the number of the first entry. */
static int unit_row(const struct field *fd, int *i, const int **column, int *first) {
    const keel_pattern *mass = fd->p.mass.value ? fd->p.mass.pattern : NULL;
    *first = mass ? mass->row_start[*i] : *i;
    *column = mass ? mass->column + *first : i;
    return mass ? mass->row_start[*i + 1] - *first : 1;
}

/* One walk over all entries, row by row, first to count them by column, then to place them.  Rows of f and of
 * M (or 1) are joined. */
static void walk(struct newton_pattern *a, const struct field *fd, int *next) {
    for (int i = 0; i < a->order; i++) {
        int of_f = i < fd->n, at = of_f ? i : i - fd->n, first = 0, k = 0;
        const int *column = NULL;
        int units = of_f ? unit_row(fd, &at, &column, &first) : 0;
        const keel_pattern *p = of_f ? fd->p.f.pattern : fd->p.algebraic.pattern;
        for (int e = p->row_start[at], end = p->row_start[at + 1]; e < end || k < units;) {
            int here = e < end ? p->column[e] : a->order, unit = k < units ? column[k] : a->order;
            int j = here < unit ? here : unit, place = next ? next[j]++ : 0;
            if (!next) a->start[j + 1]++;
            if (next) {
                a->row[place] = i;
                a->from[place] = here > j ? -1 : of_f ? e : a->of_f + e;
            }
            if (unit == j && next) a->unit[first + k] = place;
            e += here == j;
            k += unit == j;
        }
    }
}

static int find_pattern(struct newton_pattern *a, const struct field *fd) {
    a->order = fd->n + fd->m;
    a->of_f = entries_of(&fd->p.f);
    a->of_rows = entries_of(&fd->p.algebraic);
    a->entries = a->of_f + a->of_rows + (fd->p.mass.value ? fd->p.mass.pattern->nnz : fd->n); /* at most */
    if (!take_room(a, fd)) return 0;
    walk(a, fd, NULL);
    for (int j = 0; j < a->order; j++) a->start[j + 1] += a->start[j];
    a->entries = a->start[a->order];
    memcpy(a->list, a->start, (size_t)a->order * sizeof *a->list);
    walk(a, fd, a->list);
    a->analysis = sparse_open(a->order, a->start, a->row, SPARSE_SCALED);
    return a->analysis != NULL;
}

int newton_attach(struct field *fd) {
    fd->pattern = NULL;
    for (int i = 0; i < fd->newtons; i++) {
        memset(fd->newton[i].factors, 0, sizeof fd->newton[i].factors);
        memset(fd->newton[i].incomplete, 0, sizeof fd->newton[i].incomplete);
        memset(fd->newton[i].stands, 0, sizeof fd->newton[i].stands);
        memset(fd->newton[i].anchored, 0, sizeof fd->newton[i].anchored);
    }
    if (!fd->large || fd->newtons == 0) return 0;
    fd->pattern = calloc(1, sizeof *fd->pattern);
    if (!fd->pattern || !find_pattern(fd->pattern, fd)) return 1;
    for (int i = 0; i < fd->newtons; i++) {
        keel_newton *n = &fd->newton[i];
        for (int k = 0; k < n->real + n->complex && n->of == n; k++) {
            n->factors[k] = sparse_share(fd->pattern->analysis, k >= n->real);
            if (!n->factors[k]) return 1;
        }
    }
    return newton_krylov_attach(fd);
}

void newton_detach(struct field *fd) {
    struct newton_pattern *a = fd->pattern;
    if (!a) return;
    for (int i = 0; i < fd->newtons; i++)
        for (int k = 0; k < NEWTON_MATRICES; k++) sparse_close(fd->newton[i].factors[k]);
    newton_krylov_detach(fd);
    sparse_close(a->analysis);
    void *const room[] = {a->start, a->row,   a->from, a->unit, a->values, a->right, a->colour,
                          a->list,  a->first, a->step, a->base, a->moved,  a->probe};
    for (size_t i = 0; i < sizeof room / sizeof *room; i++) free(room[i]);
    free(a);
    fd->pattern = NULL;
}

void newton_sparse_layout(keel_work *w, keel_newton *n, int lasting) {
    const struct field *fd = field_of(w);
    size_t entries = (size_t)entries_of(&fd->p.f) + (size_t)entries_of(&fd->p.algebraic);
    n->jacobian = keel_work_doubles(w, entries);
    if (n->of != n) return;
    int matrices = n->real + n->complex;
    n->shift =
        (struct newton_shift *)keel_work_doubles(w, (size_t)matrices * sizeof *n->shift / sizeof(double));
    n->anchor = lasting ? keel_work_doubles(w, entries) : NULL;
    n->anchor_known = keel_work_doubles(w, 1);
    n->effort = (struct newton_effort *)keel_work_doubles(w, sizeof *n->effort / sizeof(double));
}

/* Numbers ------------------------------------------------------------------------------------------------ */

keel_status newton_sparse_jacobian(keel_work *w, keel_newton *n, double t, const double *x, const double *f,
                                   int differences) {
    struct field *fd = field_of(w);
    double *u = fd->u;
    (void)f;
    memset(n->of->stands, 0, sizeof n->of->stands);
    if (!n->of->anchor) *n->of->effort = (struct newton_effort){.direct = 0};
    memcpy(u, x, (size_t)fd->n * sizeof *x);
    memcpy(u + fd->n, fd->y, (size_t)fd->m * sizeof *x);
    keel_status status = fd->m ? algebra_find(fd, t, u) : KEEL_OK;
    if (status == KEEL_OK && fd->p.mass.value) status = mass_sparse_factor(fd, t, u); /* its entries */
    if (status != KEEL_OK) return status;
    int sliding = fd->sliding && fd->rhs == fd->p.f.value;
    if (differences || sliding || (fd->n && !fd->p.f.jacobian))
        return newton_colour_entries(w, t, u, n->jacobian);
    if (fd->n) status = map_entries(fd, &fd->f, t, u, n->jacobian);
    if (status == KEEL_OK && fd->m)
        status = map_entries(fd, &fd->algebraic, t, u, n->jacobian + fd->pattern->of_f);
    return status;
}

int newton_sparse_alike(const keel_work *w, const keel_newton *a, const keel_newton *b, const double *scale,
                        double share) {
    const struct field *fd = field_of(w);
    const struct newton_pattern *p = fd->pattern;
    double difference = 0, size = 0;
    for (int j = 0; j < p->order; j++)
        for (int place = p->start[j]; place < p->start[j + 1]; place++) {
            int e = p->from[place], i = p->row[place];
            if (e < 0 || i >= fd->n) continue; /* F_x and F_y have been solved with */
            double change = (j < fd->n ? scale[j] : fd->size[j]) / scale[i];
            difference = fmax(difference, fabs(a->jacobian[e] - b->jacobian[e]) * change);
            size = fmax(size, fabs(a->jacobian[e]) * change);
        }
    return !(difference > share * size);
}

/* The matrix of these entries and this c; complex numbers in pairs. */
static const double *assemble(const struct field *fd, const double *jacobian, double real, double imaginary,
                              int complex) {
    const struct newton_pattern *p = fd->pattern;
    double *v = p->values;
    for (int place = 0; place < p->entries; place++) {
        int e = p->from[place], of_rows = e >= p->of_f;
        double entry = e < 0 ? 0 : jacobian[e];
        double part = of_rows ? entry : -real * entry;
        if (!complex) {
            v[place] = part;
            continue;
        }
        v[2 * place] = part;
        v[2 * place + 1] = of_rows ? 0 : -imaginary * entry;
    }
    int units = fd->p.mass.value ? fd->p.mass.pattern->nnz : fd->n;
    for (int e = 0; e < units; e++)
        v[complex ? 2 * p->unit[e] : p->unit[e]] += fd->p.mass.value ? fd->mass[e] : 1;
    return v;
}

/* The anchor's pivots, where there is one.  The first matrix of all that belongs to a step is its own. */
static int take_anchor(const struct field *fd, keel_newton *n, const double *jacobian, int k, double real,
                       double imaginary, int own) {
    struct newton_shift *s = &n->shift[k];
    const struct newton_pattern *p = fd->pattern;
    if (!n->anchor) return 0;
    if (*n->anchor_known == 0 && own) {
        memcpy(n->anchor, jacobian, ((size_t)p->of_f + (size_t)p->of_rows) * sizeof *jacobian);
        *n->anchor_known = 1;
    }
    if (*n->anchor_known == 0) return 0;
    if (s->anchored == 0 && own) {
        s->anchor_real = real;
        s->anchor_imaginary = imaginary;
        s->anchored = 1;
    }
    if (s->anchored == 0) return 0;
    if (!n->anchored[k])
        n->anchored[k] = sparse_anchor(n->factors[k], assemble(fd, n->anchor, s->anchor_real,
                                                               s->anchor_imaginary, k >= n->real)) == 0;
    return n->anchored[k];
}

keel_status newton_sparse_factor(keel_work *w, keel_newton *n, int k, double real, double imaginary) {
    struct field *fd = field_of(w);
    keel_newton *of = n->of;
    int own = of == n;
    if (own) of->shift[k].real = real, of->shift[k].imaginary = imaginary;
    if (of->incomplete[k] && newton_krylov_factor(of, k, assemble(fd, n->jacobian, real, imaginary, 0)))
        return KEEL_OK;
    int anchored = take_anchor(fd, of, n->jacobian, k, real, imaginary, own);
    const double *values = assemble(fd, n->jacobian, real, imaginary, k >= of->real);
    of->stands[k] =
        anchored && sparse_refactor(of->factors[k], values) == 0 && sparse_is_sound(of->factors[k], values);
    if (!of->stands[k]) of->stands[k] = sparse_fresh(of->factors[k], values) == 0;
    return of->stands[k] ? KEEL_OK : field_not_factored(fd, of->factors[k], KEEL_RETRY);
}

int newton_sparse_stands(const keel_work *w, keel_newton *n, int k) {
    keel_work again = *w;
    if (!n->stands[k]) newton_sparse_factor(&again, n, k, n->shift[k].real, n->shift[k].imaginary);
    return n->stands[k];
}

void newton_sparse_solve(const keel_work *w, keel_newton *n, int k, double *b, double *imaginary) {
    const struct field *fd = field_of(w);
    const struct newton_pattern *p = fd->pattern;
    double *r = p->right;
    if (newton_krylov_solve(w, n, k, b, NULL, 0)) return;
    int stands = newton_sparse_stands(w, n, k);
    memset(r, 0, 2 * (size_t)p->order * sizeof *r);
    int stride = imaginary ? 2 : 1;
    for (int part = 0; part < stride; part++) {
        const double *v = part ? imaginary : b;
        if (fd->p.mass.value) mass_sparse_multiply(fd, v, stride, r + part);
        for (int i = 0; i < fd->n && !fd->p.mass.value; i++) r[stride * i + part] = v[i];
    }
    if (stands) sparse_solve(n->factors[k], r);
    else r[0] = NAN;
    for (int i = 0; i < fd->n; i++) {
        b[i] = r[stride * i];
        if (imaginary) imaginary[i] = r[2 * i + 1];
    }
}
