/* choice_sparse.c - the accelerations and multipliers of choice.c for large M and K, where no constraint
 * depends on others: by the saddle-point system of plain mechanics,
 *
 *     M q'' + K^T lambda = F,   K q'' = -gamma,
 *
 * with sparse factors (linalg/saddle.h), which serve every direction. */
#include "core/algebra.h"

#include <stdlib.h>
#include <string.h>

/* Outside the solver's block, as the factors are: all of it follows from F_y. */
struct choice_matrix {
    keel_pattern mass, k;
    int *to;                  /* of each entry of F_y the place in values; -1: none */
    int *from;                /* and the other way */
    int straight;             /* y and F have accelerations, then multipliers, in the order of both lists */
    double *values, *weighed; /* of M, then of K; of M where it was weighed last */
    int *active, known;       /* rows: 1; weighed has values */
    struct saddle saddle;
    int *integers;   /* the block of patterns, `to`, `from` and `active` */
    double *numbers; /* that of values and of the saddle-point system */
};

static const keel_choice *choice_of(const struct field *fd) {
    return &keel_extras_of(&fd->p)->choice;
}

/* Has row i of F an entry for this one of the motion's own y? */
static int contains(const struct field *fd, int i, int y) {
    const keel_pattern *p = fd->p.algebraic.pattern;
    for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
        if (p->column[e] == fd->n + y) return 1;
    return 0;
}

int choice_goes_sparse(const struct field *fd) {
    const keel_choice *c = choice_of(fd);
    const keel_pattern *p = fd->p.algebraic.pattern;
    int own = algebra_own(fd);
    double entries = 0;
    for (int i = 0; i < c->rows; i++)
        if (!c->in_force[i]) return 0;
    for (int j = 0; j < c->coordinates; j++) {
        int i = c->motion[j];
        if (!contains(fd, i, c->acceleration[j])) return 0; /* M has a whole diagonal */
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            entries += p->column[e] >= fd->n && p->column[e] < fd->n + own;
    }
    return saddle_pays(c->coordinates, c->rows, entries, 0);
}

/* The system's matrix is symmetric: it has no more than twice the entries of F_y, and a corner. */
void choice_sparse_layout(struct field *fd, struct arena *a) {
    struct choice *o = &fd->dae.choice;
    o->anchor = arena_doubles(a, 2 * (size_t)fd->dae.of_entries + (size_t)algebra_own(fd));
    o->anchor_known = arena_ints(a, 1);
}

/* The rows of M and then of K from the columns of M, which is symmetric, and K^T: those of the motion's
 * equations in the order of the coordinates, so that columns ascend.  first: where the entries of a row of F
 * begin among those of F_y; of: 0 .. for accelerations, behind them for multipliers. */
static void place_entries(const struct field *fd, struct choice_matrix *x, const int *first, const int *of,
                          int *next, int *column) {
    const keel_choice *c = choice_of(fd);
    const keel_pattern *p = fd->p.algebraic.pattern;
    int n = c->coordinates, own = algebra_own(fd);
    for (int counting = 1; counting >= 0; counting--) {
        for (int j = 0; j < n; j++)
            for (int e = p->row_start[c->motion[j]], at = first[c->motion[j]];
                 e < p->row_start[c->motion[j] + 1]; e++) {
                int y = p->column[e] - fd->n;
                if (y < 0 || y >= own) continue;
                if (counting) next[of[y] + 1]++;
                else column[x->to[at] = next[of[y]]++] = j;
                at++;
            }
        for (int i = 0; i < own && counting; i++) next[i + 1] += next[i];
    }
}

static void make_patterns(const struct field *fd, struct choice_matrix *x, int *column, int *start,
                          int *workspace) {
    const keel_choice *c = choice_of(fd);
    const keel_pattern *p = fd->p.algebraic.pattern;
    int n = c->coordinates, own = algebra_own(fd), at = 0;
    int *first = workspace, *of = first + own, *next = of + own;
    for (int i = 0; i < own; i++) {
        first[i] = at;
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            at += p->column[e] >= fd->n && p->column[e] < fd->n + own;
    }
    for (int e = 0; e < at; e++) x->to[e] = -1;
    for (int j = 0; j < n; j++) of[c->acceleration[j]] = j;
    for (int i = 0; i < c->rows; i++) of[c->multiplier[i]] = n + i;
    memset(next, 0, ((size_t)own + 1) * sizeof *next);
    place_entries(fd, x, first, of, next, column);
    start[0] = 0; /* next[i] has come to the end of row i */
    memcpy(start + 1, next, (size_t)n * sizeof *start);
    int entries = start[n], *k_start = start + n + 1;
    k_start[0] = 0;
    for (int i = 0; i < c->rows; i++) k_start[i + 1] = next[n + i] - entries;
    x->mass = (keel_pattern){entries, start, column};
    x->k = (keel_pattern){k_start[c->rows], k_start, column + entries};
}

static void turn_places(const struct field *fd, struct choice_matrix *x) {
    const keel_choice *c = choice_of(fd);
    for (int e = 0; e < fd->dae.of_entries; e++)
        if (x->to[e] >= 0) x->from[x->to[e]] = e;
    x->straight = 1;
    for (int j = 0; j < c->coordinates; j++) x->straight &= c->acceleration[j] == j && c->motion[j] == j;
    for (int i = 0, at = c->coordinates; i < c->rows; i++, at++)
        x->straight &= c->multiplier[i] == at && c->constraint[i] == at;
}

/* Numbers of the system in a block of its own, but those of its pivots. */
static int attach_saddle(const struct field *fd, struct choice_matrix *x) {
    const struct choice *o = &fd->dae.choice;
    struct arena measure = {NULL, 0}, carve;
    size_t entries = (size_t)x->mass.nnz + (size_t)x->k.nnz;
    saddle_init(&x->saddle, choice_of(fd)->coordinates, &x->mass, &x->k, choice_of(fd)->rows, NULL, 0);
    x->saddle.steady = 1; /* M is weighed where it has changed */
    saddle_layout(&x->saddle, &measure);
    x->values = calloc(entries + (size_t)x->mass.nnz + 1, sizeof *x->values);
    x->numbers = aligned_alloc(64, (measure.used + 63) / 64 * 64);
    if (!x->values || !x->numbers) return 1;
    memset(x->numbers, 0, measure.used);
    carve = (struct arena){(unsigned char *)x->numbers, 0};
    saddle_layout(&x->saddle, &carve);
    x->weighed = x->values + entries;
    x->saddle.anchor = o->anchor;
    x->saddle.anchor_known = o->anchor_known;
    return saddle_attach(&x->saddle);
}

int choice_sparse_attach(struct field *fd) {
    struct choice *o = &fd->dae.choice;
    size_t own = (size_t)algebra_own(fd), rows = (size_t)choice_of(fd)->rows;
    size_t entries = (size_t)fd->dae.of_entries;
    o->matrix = NULL;
    if (!o->serves || !o->sparse) return 0;
    struct choice_matrix *x = o->matrix = calloc(1, sizeof *x);
    int *workspace = malloc((3 * own + 1) * sizeof *workspace), starved = 1;
    if (x) x->integers = malloc((3 * entries + own + rows + 2) * sizeof *x->integers);
    if (x && x->integers && workspace) {
        int *column = x->integers + 2 * entries, *start = column + entries;
        x->to = x->integers;
        x->from = x->to + entries;
        x->active = start + own + 2;
        for (size_t i = 0; i < rows; i++) x->active[i] = 1;
        make_patterns(fd, x, column, start, workspace);
        turn_places(fd, x);
        starved = attach_saddle(fd, x);
    }
    free(workspace);
    return starved;
}

void choice_sparse_detach(struct field *fd) {
    struct choice_matrix *x = fd->dae.choice.matrix;
    if (!x) return;
    saddle_detach(&x->saddle);
    free(x->integers);
    free(x->values);
    free(x->numbers);
    free(x);
    fd->dae.choice.matrix = NULL;
}

static void gather(int count, const int *restrict from, const double *restrict of, double *restrict out) {
    for (int e = 0; e < count; e++) out[e] = of[from[e]];
}

keel_status choice_sparse_make(struct field *fd, double t, const double *u) {
    struct choice_matrix *x = fd->dae.choice.matrix;
    size_t bytes = (size_t)x->mass.nnz * sizeof *x->values;
    keel_status status = algebra_own_entries(fd, t, u);
    if (status != KEEL_OK) return status;
    gather(x->mass.nnz + x->k.nnz, x->from, fd->dae.of_y, x->values);
    if (!x->known || memcmp(x->weighed, x->values, bytes) != 0) {
        x->known = saddle_check_mass(&x->saddle, x->values) == 0;
        memcpy(x->weighed, x->values, bytes);
        if (!x->known) return choice_bad_mass(fd, t);
    }
    fd->stats->factorizations++;
    int code = saddle_factor(&x->saddle, x->values, x->values + x->mass.nnz, x->active);
    fd->stats->schur += x->saddle.by_schur;
    return code == SADDLE_FINE ? KEEL_OK : choice_lost_rank(fd, t, saddle_weakest(&x->saddle));
}

/* Where velocities are projected, what is off along M^-1 K^T does no harm. */
static void solve(struct field *fd, double *force, double *lambda) {
    struct choice *o = &fd->dae.choice;
    if (o->roughly) saddle_solve_roughly(&o->matrix->saddle, force, lambda);
    else saddle_solve(&o->matrix->saddle, force, lambda);
}

void choice_sparse_solve(struct field *fd, const double *value, double *y) {
    const keel_choice *c = choice_of(fd);
    struct choice *o = &fd->dae.choice;
    if (o->matrix->straight) {
        for (int i = 0, own = algebra_own(fd); i < own; i++) y[i] = -value[i];
        solve(fd, y, y + c->coordinates);
        return;
    }
    for (int j = 0; j < c->coordinates; j++) o->force[j] = -value[c->motion[j]];
    for (int i = 0; i < c->rows; i++) o->lambda[i] = -value[c->constraint[i]];
    solve(fd, o->force, o->lambda);
    for (int j = 0; j < c->coordinates; j++) y[c->acceleration[j]] = o->force[j];
    for (int i = 0; i < c->rows; i++) y[c->multiplier[i]] = o->lambda[i];
}
