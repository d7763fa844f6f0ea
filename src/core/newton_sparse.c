/* newton_sparse.c - see newton.h: the sparse way. */
#include "core/field.h"
#include "linalg/band.h"

#include <math.h>
#include <string.h>

const struct newton_form *newton_form_of(const struct field *fd) {
    return fd->traits & KEEL_SECOND_ORDER ? &newton_mechanics : fd->kg ? &newton_hamiltonian : NULL;
}

/* Of a J: the entries of f and F, and what rates of rows add (newton_rates.c). */
static size_t entries_of_maps(const struct field *fd) {
    return (size_t)newton_entries(&fd->p.f) +
           (fd->dae.by_rates ? newton_rates_numbers(fd) : (size_t)newton_entries(&fd->p.algebraic));
}

/* And the entries of M, if it changes. */
static size_t newton_sparse_numbers(const struct field *fd) {
    const struct newton_form *own = newton_form_of(fd);
    if (own) return (size_t)own->numbers(fd);
    return entries_of_maps(fd) + (mass_changes(fd) ? (size_t)fd->p.mass.pattern->nnz : 0);
}

const double *newton_sparse_mass(const struct field *fd, const double *jacobian) {
    return mass_changes(fd) ? jacobian + entries_of_maps(fd) : fd->mass;
}

void newton_sparse_layout(keel_work *w, keel_newton *n, int lasting) {
    const struct field *fd = field_of(w);
    size_t entries = newton_sparse_numbers(fd);
    n->jacobian = keel_work_doubles(w, entries);
    n->place = keel_work_doubles(w, newton_pulled_doubles(fd));
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
    const struct newton_form *own = newton_form_of(fd);
    double *u = fd->u;
    memset(n->of->stands, 0, sizeof n->of->stands);
    if (!n->of->anchor) *n->of->effort = (struct newton_effort){.direct = 0};
    if (own) {
        newton_pulled_place(fd, n, t, x);
        return own->jacobian(w, n->jacobian, t, x, f);
    }
    memcpy(u, x, (size_t)fd->n * sizeof *x);
    memcpy(u + fd->n, fd->y, (size_t)fd->m * sizeof *x);
    keel_status status = fd->m ? algebra_find(fd, t, u) : KEEL_OK;
    newton_pulled_place(fd, n, t, u);
    if (status == KEEL_OK && mass_changes(fd))
        status = mass_change_entries(fd, t, u, n->jacobian + entries_of_maps(fd));
    else if (status == KEEL_OK && fd->p.mass.value) status = mass_sparse_factor(fd, t, u); /* its entries */
    if (status != KEEL_OK) return status;
    if (fd->dae.by_rates) return newton_rates_jacobian(w, n->jacobian, t, u, differences);
    int sliding = fd->sliding && fd->rhs == fd->p.f.value;
    if (differences || sliding || (fd->n && !fd->p.f.jacobian)) {
        status = newton_colour_entries(w, t, u, n->jacobian);
    } else {
        if (fd->n) status = map_entries(fd, &fd->f, t, u, n->jacobian);
        if (status == KEEL_OK && fd->m)
            status = map_entries(fd, &fd->algebraic, t, u, n->jacobian + fd->pattern->of_f);
    }
    return status == KEEL_OK && mass_changes(fd) ? mass_change_subtract(w, t, u, f, n->jacobian) : status;
}

int newton_masses_alike(const struct field *fd, int rows, const double *a, const double *b,
                        const double *scale, double share) {
    const keel_pattern *p = fd->p.mass.pattern;
    double difference = 0, size = 0;
    for (int i = 0; i < rows && mass_changes(fd); i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
            double change = scale[p->column[e]] / scale[i];
            difference = fmax(difference, fabs(a[e] - b[e]) * change);
            size = fmax(size, fabs(a[e]) * change);
        }
    return !(difference > share * size);
}

int newton_sparse_alike(const keel_work *w, const keel_newton *a, const keel_newton *b, const double *scale,
                        double share) {
    const struct field *fd = field_of(w);
    const struct newton_pattern *p = fd->pattern;
    const struct newton_form *own = newton_form_of(fd);
    double difference = 0, size = 0;
    if (own) return own->alike(fd, a->jacobian, b->jacobian, scale, share);
    for (int j = 0; j < p->order; j++)
        for (int place = p->columns.start[j]; place < p->columns.start[j + 1]; place++) {
            int e = p->columns.from[place], i = p->columns.row[place];
            if (e < 0 || i >= fd->n) continue; /* F_x and F_y have been solved with */
            double change = (j < fd->n ? scale[j] : fd->size[j]) / scale[i];
            difference = fmax(difference, fabs(a->jacobian[e] - b->jacobian[e]) * change);
            size = fmax(size, fabs(a->jacobian[e]) * change);
        }
    return !(difference > share * size) &&
           newton_masses_alike(fd, fd->n, newton_sparse_mass(fd, a->jacobian),
                               newton_sparse_mass(fd, b->jacobian), scale, share);
}

/* The matrix of these entries and this c; complex numbers in pairs. */
static const double *assemble(const struct field *fd, const double *jacobian, double real, double imaginary,
                              int complex) {
    const struct newton_pattern *p = fd->pattern;
    const struct newton_form *own = newton_form_of(fd);
    double *v = complex ? p->pairs : p->values;
    if (own) return own->assemble(fd, jacobian, real, imaginary, complex);
    if (fd->dae.by_rates) newton_rates_assemble(fd, jacobian, real, imaginary, complex);
    for (int place = 0; place < p->columns.entries && !fd->dae.by_rates; place++) {
        int e = p->columns.from[place], at = p->at[place], of_rows = e >= p->of_f;
        double entry = e < 0 ? 0 : jacobian[e];
        double part = of_rows ? entry : -real * entry;
        if (!complex) {
            v[at] = part;
            continue;
        }
        v[2 * (size_t)at] = part;
        v[2 * (size_t)at + 1] = of_rows ? 0 : -imaginary * entry;
    }
    int units = fd->p.mass.value ? fd->p.mass.pattern->nnz : fd->n;
    const double *mass = newton_sparse_mass(fd, jacobian);
    for (int e = 0; e < units; e++)
        v[complex ? 2 * (size_t)p->unit[e] : (size_t)p->unit[e]] += fd->p.mass.value ? mass[e] : 1;
    return v;
}

/* The anchor's pivots, where there is one.  The first matrix of all that belongs to a step is its own. */
static int take_anchor(const struct field *fd, keel_newton *n, const double *jacobian, int k, double real,
                       double imaginary, int own) {
    struct newton_shift *s = &n->shift[k];
    if (!n->anchor) return 0;
    if (*n->anchor_known == 0 && own) {
        memcpy(n->anchor, jacobian, newton_sparse_numbers(fd) * sizeof *jacobian);
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
    of->used[k] = n->jacobian;
    of->used_real[k] = real, of->used_imaginary[k] = imaginary;
    of->used_place[k] = n->place;
    if (fd->pattern->banded) {
        const double *band = assemble(fd, n->jacobian, real, imaginary, k >= of->real);
        of->stands[k] = band_factor(of->bands[k], band) == 0;
        return of->stands[k] ? KEEL_OK : KEEL_RETRY;
    }
    if (of->incomplete[k] &&
        newton_krylov_factor(of, k, assemble(fd, n->jacobian, real, imaginary, k >= of->real)))
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

void newton_sparse_right(const struct field *fd, const double *mass, const double *b, const double *imaginary,
                         double *r) {
    const struct newton_pattern *p = fd->pattern;
    int stride = imaginary ? 2 : 1;
    memset(r, 0, (size_t)stride * (size_t)p->order * sizeof *r);
    for (int part = 0; part < stride; part++) {
        const double *v = part ? imaginary : b;
        if (fd->p.mass.value) mass_sparse_multiply(fd, mass, v, stride, p->position, r + part);
        for (int i = 0; i < fd->n && !fd->p.mass.value; i++) r[stride * p->position[i] + part] = v[i];
    }
}

void newton_sparse_left(const struct field *fd, const double *r, double *b, double *imaginary) {
    const struct newton_pattern *p = fd->pattern;
    for (int i = 0; i < fd->n; i++) {
        b[i] = r[(imaginary ? 2 : 1) * p->position[i]];
        if (imaginary) imaginary[i] = r[2 * p->position[i] + 1];
    }
}

void newton_sparse_solve(const keel_work *w, keel_newton *n, int k, double *b, double *imaginary) {
    const struct field *fd = field_of(w);
    const struct newton_pattern *p = fd->pattern;
    double *r = p->right;
    if (newton_krylov_solve(w, n, k, b, imaginary, NULL, 0)) return;
    const struct newton_form *own = newton_form_of(fd);
    int stands = newton_sparse_stands(w, n, k);
    double real = n->used_real[k], other = n->used_imaginary[k];
    if (n->bands[k] && stands && p->as_given && !imaginary) {
        band_solve(n->bands[k], b);
        return;
    }
    if (own) own->right(fd, n->used[k], real, other, b, imaginary, r);
    else newton_sparse_right(fd, newton_sparse_mass(fd, n->used[k]), b, imaginary, r);
    if (fd->dae.by_rates) newton_rates_right(fd, n->used[k], b, imaginary, r);
    if (!stands) r[0] = NAN;
    else if (n->bands[k]) band_solve(n->bands[k], r);
    else sparse_solve(n->factors[k], r);
    if (own) own->left(fd, real, other, r, b, imaginary);
    else newton_sparse_left(fd, r, b, imaginary);
}
