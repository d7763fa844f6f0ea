/* newton_pattern.c - see newton.h: which matrices are sparse, their entries by columns, and the factors that
 * suit: those of a narrow band, or KLU's. */
#include "core/field.h"
#include "linalg/band.h"

#include <stdlib.h>
#include <string.h>

int newton_entries(const keel_map *map) {
    return map->count ? map->pattern->nnz : 0;
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
    if (fd->m && !p->algebraic.pattern) return 0;
    if (!sparse_pays(order, (double)newton_entries(&p->f) + newton_entries(&p->algebraic))) return 0;
    if (p->mass.value && !(p->mass.pattern && sparse_pays(order, p->mass.pattern->nnz))) return 0;
    if (mass_changes(fd) && fd->dae.by_rates) return 0;
    if (fd->traits & KEEL_FROM_ENERGY && !has_plain_masses(fd)) return 0;
    int determined = fd->m == 0 || fd->dae.by_rates || algebra_contains_y(fd);
    return (fd->m == 0 && !p->mass.value) || (determined && sparse_available());
}

int newton_goes_sparse(const struct field *fd) {
    if (newton_mechanics_suits(fd)) return sparse_available();
    if (fd->kg) return !fd->damped && newton_hamiltonian_suits(&fd->p);
    if (!newton_by_pattern(fd)) return 0;
    if (fd->m || fd->p.mass.value) return 1;
    int plain = fd->rhs == fd->p.f.value || fd->traits & KEEL_ALGEBRAIC; /* with rows, and no y */
    return plain && sparse_available();
}

/* The joined pattern ------------------------------------------------------------------------------------- */

static void *reserve(size_t count, size_t size) {
    return calloc(count + 1, size);
}

static int take_workspace(struct newton_pattern *a, const struct field *fd) {
    size_t order = (size_t)(a->order > fd->n ? a->order : fd->n);
    size_t below = fd->dae.by_rates ? newton_rates_numbers(fd) / 2 : 0;
    if (newton_form_of(fd) == &newton_hamiltonian) below = (size_t)fd->velocity.user.pattern->nnz;
    a->right = reserve(2 * order, sizeof *a->right);
    a->colour = reserve(order, sizeof *a->colour);
    a->list = reserve(order, sizeof *a->list);
    a->first = reserve(order + 1, sizeof *a->first);
    a->step = reserve(order, sizeof *a->step);
    a->base = reserve(order + 4, sizeof *a->base); /* rates are padded */
    a->moved = reserve(order + 4, sizeof *a->moved);
    a->probe = reserve(order + 4, sizeof *a->probe);
    a->below = reserve(below, sizeof *a->below);
    a->pulled = reserve(fd->damped ? 4 * (size_t)fd->width : 0, sizeof *a->pulled);
    return a->pulled && a->below && a->right && a->colour && a->list && a->first && a->step && a->base &&
           a->moved && a->probe;
}

/* Rows of f and of M (or 1) joined, then the equations for y: those of F, or of F and h (newton_rates.c). */
struct joined {
    int *row_start, *column;
    int *source; /* entries: which of f, then F, then h, stands there; -1: none */
    int *unit;   /* entries: which of M, or of the diagonal, is added; -1: none */
};

/* Row i of the unit matrix, or of M: its columns, and the number of the first entry. */
static int unit_row(const struct field *fd, int *i, const int **column, int *first) {
    const keel_pattern *mass = fd->p.mass.value ? fd->p.mass.pattern : NULL;
    *first = mass ? mass->row_start[*i] : *i;
    *column = mass ? mass->column + *first : i;
    return mass ? mass->row_start[*i + 1] - *first : 1;
}

static int join_rows(struct joined *all, const struct newton_pattern *a, const struct field *fd) {
    int count = 0, order = 0;
    for (int i = 0; i < fd->n; i++) {
        int at = i, first = 0, k = 0;
        const int *column = NULL;
        int units = unit_row(fd, &at, &column, &first);
        const keel_pattern *p = fd->p.f.pattern;
        for (int e = p->row_start[i], end = p->row_start[i + 1]; e < end || k < units; count++) {
            int here = e < end ? p->column[e] : a->order, unit = k < units ? column[k] : a->order;
            int j = here < unit ? here : unit;
            all->column[count] = j;
            all->source[count] = here > j ? -1 : e;
            all->unit[count] = unit == j ? first + k : -1;
            e += here == j;
            k += unit == j;
        }
        all->row_start[++order] = count;
    }
    for (int i = 0; order < a->order; i++) {
        int at, first = a->of_f + (i < fd->m ? 0 : fd->p.algebraic.pattern->nnz);
        const keel_pattern *p = algebra_pattern(fd, i, &at);
        if (algebra_role(fd, i) == ALGEBRA_NONE) continue;
        for (int e = p->row_start[at]; e < p->row_start[at + 1]; e++, count++) {
            all->column[count] = p->column[e];
            all->source[count] = first + e;
            all->unit[count] = -1;
        }
        all->row_start[++order] = count;
    }
    return count;
}

int newton_band_place(const struct newton_pattern *a, int j, int place) {
    int i = a->position[a->columns.row[place]];
    return i * (a->lower + 1 + a->upper) + a->position[j] - i + a->lower;
}

/* Places of the entries in the values that are factored, and what stands there. */
static int place_entries(struct newton_pattern *a, const struct field *fd, const struct joined *all) {
    int units = fd->p.mass.value ? fd->p.mass.pattern->nnz : fd->n;
    a->at = reserve((size_t)a->columns.entries, sizeof *a->at);
    a->unit = reserve((size_t)units, sizeof *a->unit);
    a->position = reserve((size_t)a->order, sizeof *a->position);
    if (!a->at || !a->unit || !a->position) return 0;
    a->banded = band_order(a->order, a->columns.start, a->columns.row, a->position, &a->lower, &a->upper);
    if (a->banded < 0) return 0;
    a->as_given = a->banded && fd->m == 0 && !fd->p.mass.value;
    for (int i = 0; i < a->order; i++) a->as_given = a->as_given && a->position[i] == i;
    size_t diagonals = (size_t)a->lower + 1 + (size_t)a->upper;
    size_t places = a->banded ? (size_t)a->order * diagonals : (size_t)a->columns.entries;
    a->values = reserve(places, sizeof *a->values);
    a->pairs = reserve(2 * places, sizeof *a->pairs);
    for (int j = 0; j < a->order; j++)
        for (int place = a->columns.start[j]; place < a->columns.start[j + 1]; place++) {
            int e = a->columns.from[place];
            a->at[place] = a->banded ? newton_band_place(a, j, place) : place;
            a->columns.from[place] = all->source[e];
            if (all->unit[e] >= 0) a->unit[all->unit[e]] = a->at[place];
        }
    return a->values && a->pairs;
}

static int join_patterns(struct newton_pattern *a, const struct field *fd) {
    size_t most =
        (size_t)a->of_f + (size_t)a->of_rows + (size_t)(fd->p.mass.value ? fd->p.mass.pattern->nnz : fd->n);
    struct joined all = {reserve((size_t)a->order + 1, sizeof(int)), reserve(most, sizeof(int)),
                         reserve(most, sizeof(int)), reserve(most, sizeof(int))};
    int known = all.row_start && all.column && all.source && all.unit;
    if (known) {
        keel_pattern rows = {join_rows(&all, a, fd), all.row_start, all.column};
        known = columns_make(&a->columns, &rows, a->order, 0, a->order) == 0 && place_entries(a, fd, &all);
    }
    free(all.row_start);
    free(all.column);
    free(all.source);
    free(all.unit);
    return known;
}

static int find_pattern(struct newton_pattern *a, const struct field *fd) {
    const struct newton_form *own = newton_form_of(fd);
    a->order = own ? own->order(fd) : fd->n + fd->m;
    a->of_f = own ? (int)own->numbers(fd) : newton_entries(&fd->p.f);
    a->of_rows = newton_entries(&fd->p.algebraic) + (fd->dae.by_rates ? newton_entries(&fd->p.hidden) : 0);
    if (!take_workspace(a, fd) || !(own ? own->pattern(a, fd) : join_patterns(a, fd))) return 0;
    if (a->banded) return 1;
    a->analysis =
        sparse_open(a->order, a->columns.start, a->columns.row, own && fd->k ? SPARSE_SADDLE : SPARSE_SCALED);
    return a->analysis != NULL;
}

int newton_attach(struct field *fd) {
    fd->pattern = NULL;
    for (int i = 0; i < fd->newtons; i++) {
        memset(fd->newton[i].factors, 0, sizeof fd->newton[i].factors);
        memset(fd->newton[i].bands, 0, sizeof fd->newton[i].bands);
        memset(fd->newton[i].incomplete, 0, sizeof fd->newton[i].incomplete);
        memset(fd->newton[i].stands, 0, sizeof fd->newton[i].stands);
        memset(fd->newton[i].anchored, 0, sizeof fd->newton[i].anchored);
    }
    if (!fd->large || fd->newtons == 0) return 0;
    struct newton_pattern *a = fd->pattern = calloc(1, sizeof *fd->pattern);
    if (!a || !find_pattern(a, fd)) return 1;
    for (int i = 0; i < fd->newtons; i++) {
        keel_newton *n = &fd->newton[i];
        for (int k = 0; k < n->real + n->complex && n->of == n; k++) {
            if (a->banded) n->bands[k] = band_open(a->order, a->lower, a->upper, k >= n->real);
            else n->factors[k] = sparse_share(a->analysis, k >= n->real);
            if (!n->bands[k] && !n->factors[k]) return 1;
        }
    }
    return newton_krylov_attach(fd);
}

void newton_pattern_free(struct newton_pattern *a) {
    sparse_close(a->analysis);
    columns_free(&a->columns);
    void *const blocks[] = {a->at,    a->unit, a->position, a->values, a->pairs, a->right, a->colour, a->list,
                            a->first, a->step, a->base,     a->moved,  a->probe, a->below, a->pulled};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
}

void newton_detach(struct field *fd) {
    struct newton_pattern *a = fd->pattern;
    if (!a) return;
    for (int i = 0; i < fd->newtons; i++)
        for (int k = 0; k < NEWTON_MATRICES; k++) {
            sparse_close(fd->newton[i].factors[k]);
            band_close(fd->newton[i].bands[k]);
        }
    newton_krylov_detach(fd);
    newton_pattern_free(a);
    free(a);
    fd->pattern = NULL;
}
