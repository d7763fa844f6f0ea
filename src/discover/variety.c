/* variety.c - see variety.h. */
#include "discover/variety.h"

#include "base/text.h"
#include "model/diagnostics.h"

#include <stdlib.h>
#include <string.h>

enum { ATTEMPTS = 1 << 15, TRIALS = 40 };

/* The plan ----------------------------------------------------------------------------------------------- */

static expr highest(const struct variety *w, int j) {
    const struct structure *s = &w->y->s;
    const struct expr_node n = w->g->node[w->y->unknown[s->column[j]]];
    return expr_symbol(w->g, (enum expr_kind)n.a, n.b, (uint32_t)s->d[j]);
}

static int plan_states(struct variety *w) {
    const struct structure *s = &w->y->s;
    w->state = calloc((size_t)s->states + 1, sizeof *w->state);
    for (int k = 0; k < s->states && w->state; k++) {
        const struct expr_node n = w->g->node[w->y->unknown[s->state[k].unknown]];
        w->state[w->states++] = expr_symbol(w->g, (enum expr_kind)n.a, n.b, (uint32_t)s->state[k].order);
    }
    return w->state && !w->g->failed;
}

/* coordinate[j]: some equation with the highest derivative of column j is not linear. */
static void find_nonlinear(const struct variety *w, const expr *z, unsigned char *coordinate) {
    const struct structure *s = &w->y->s;
    for (int i = 0; i < s->n; i++) {
        int from = s->jacobian.row_start[i], to = s->jacobian.row_start[i + 1], linear = 1;
        for (int k = from; k < to && linear; k++)
            linear = !expr_depends(w->g, s->jacobian.value[k], (size_t)s->n, z);
        for (int k = from; k < to && !linear; k++) coordinate[s->jacobian.column[k]] = 1;
    }
}

/* The equations that are left when the coordinates are known. */
static void plan_linear(struct variety *w, const expr *z, const unsigned char *coordinate, int *place) {
    const struct structure *s = &w->y->s;
    for (int j = 0; j < s->n; j++) {
        place[j] = coordinate[j] ? -1 : w->unknowns;
        if (!coordinate[j]) w->unknown[w->unknowns++] = z[j];
    }
    for (int i = 0; i < s->n; i++) {
        int open = 0;
        for (int k = s->jacobian.row_start[i]; k < s->jacobian.row_start[i + 1]; k++) {
            if (place[s->jacobian.column[k]] < 0) continue;
            w->entry[w->entries] = s->jacobian.value[k];
            w->entry_row[w->entries] = w->equations;
            w->entry_column[w->entries++] = place[s->jacobian.column[k]];
            open = 1;
        }
        if (open) w->equation[w->equations++] = s->top[i];
        else w->row[w->rows++].f = s->top[i];
    }
}

int variety_plan(struct variety *w, struct system *y) {
    const struct structure *s = &y->s;
    size_t n = (size_t)s->n + 1, entries = (size_t)s->jacobian.row_start[s->n] + 1;
    *w = (struct variety){.y = y, .g = &y->m->graph};
    expr *z = calloc(n, sizeof *z);
    unsigned char *coordinate = calloc(n, 1);
    int *place = calloc(n, sizeof *place);
    w->row = calloc((size_t)s->hiddens + n, sizeof *w->row);
    w->unknown = calloc(n, sizeof *w->unknown);
    w->equation = calloc(n, sizeof *w->equation);
    w->entry = calloc(entries, sizeof *w->entry);
    w->entry_row = calloc(entries, sizeof *w->entry_row);
    w->entry_column = calloc(entries, sizeof *w->entry_column);
    w->matrix = calloc(n * n, sizeof *w->matrix);
    int good = z && coordinate && place && w->row && w->unknown && w->equation && w->entry && w->entry_row &&
               w->entry_column && w->matrix && plan_states(w);
    for (int k = 0; k < s->hiddens && good; k++) w->row[w->rows++].f = s->hidden[k].f;
    for (int j = 0; j < s->n && good; j++) good = (z[j] = highest(w, j)) != EXPR_NONE;
    if (good) {
        find_nonlinear(w, z, coordinate);
        plan_linear(w, z, coordinate, place);
        if (w->equations != w->unknowns)
            good = text_no(w->why, sizeof w->why,
                           "the equations are not linear in their highest derivatives: no exact points of "
                           "the motion are known");
    }
    free(z);
    free(coordinate);
    free(place);
    return good;
}

/* The order of the rows --------------------------------------------------------------------------------- */

enum use { ABSENT, PRESENT, QUADRATIC, LINEAR };

static int row_at(struct variety *w, const struct variety_row *row, struct generic_coordinate c, residue t,
                  residue *out) {
    generic_fix(&w->v, c, t);
    if (!generic_values(&w->v, &row->list)) return 0;
    *out = w->v.value[row->f];
    if (c.kind == GENERIC_ANGLE) *out = residue_mul(*out, residue_add(1, residue_mul(t, t)));
    return 1;
}

struct parabola {
    residue a, b, c;
};

static int fit(struct variety *w, const struct variety_row *row, struct generic_coordinate c,
               struct parabola *out) {
    const residue half = (RESIDUE_PRIME + 1) / 2;
    residue zero, plus, minus;
    if (!row_at(w, row, c, 0, &zero) || !row_at(w, row, c, 1, &plus) ||
        !row_at(w, row, c, RESIDUE_PRIME - 1, &minus))
        return 0;
    out->a = residue_sub(residue_mul(half, residue_add(plus, minus)), zero);
    out->b = residue_mul(half, residue_sub(plus, minus));
    out->c = zero;
    return 1;
}

static enum use use_of(struct variety *w, const struct variety_row *row, struct generic_coordinate c,
                       uint64_t seed) {
    struct parabola p;
    for (int trial = 0; trial < TRIALS; trial++) {
        generic_begin(&w->v, residue_random(seed, (uint64_t)trial));
        if (!fit(w, row, c, &p)) continue;
        for (int k = 0; k < 2; k++) {
            residue t = residue_random(seed, (uint64_t)(1000 + 2 * trial + k)), value;
            if (!row_at(w, row, c, t, &value)) return PRESENT;
            residue fitted = residue_add(residue_mul(residue_add(residue_mul(p.a, t), p.b), t), p.c);
            if (fitted != value) return PRESENT;
        }
        if (c.kind == GENERIC_ANGLE) return p.a == p.c && p.b == 0 ? ABSENT : QUADRATIC;
        return p.a ? QUADRATIC : p.b ? LINEAR : ABSENT;
    }
    return PRESENT;
}

/* All coordinates that rows may be solved for: unknowns, angles and exponentials, and last parameters. */
static struct generic_coordinate *candidates(struct variety *w, int *own, int *all) {
    struct expr_list symbols;
    expr *f = calloc((size_t)w->rows + 1, sizeof *f);
    for (int k = 0; k < w->rows && f; k++) f[k] = w->row[k].f;
    if (!f || expr_symbols(w->g, (size_t)w->rows, f, &symbols)) return free(f), NULL;
    for (int k = 0; k < w->rows; k++) {
        generic_begin(&w->v, (uint64_t)k);
        generic_values(&w->v, &w->row[k].list); /* meets its angles */
    }
    struct generic_coordinate *list = calloc(symbols.count + (size_t)w->v.coordinates + 1, sizeof *list);
    int count = 0;
    for (int parameters = 0; parameters < 2 && list; parameters++) {
        for (size_t k = 0; k < symbols.count; k++) {
            struct expr_node n = w->g->node[symbols.item[k]];
            if (n.a == EXPR_TIME || (n.a == EXPR_PARAMETER) != parameters) continue;
            list[count++] = (struct generic_coordinate){GENERIC_PLAIN, symbols.item[k]};
        }
        for (int k = 0; k < w->v.coordinates && !parameters; k++) list[count++] = w->v.coordinate[k];
        *(parameters ? all : own) = count;
    }
    free(symbols.item);
    free(f);
    return list;
}

/* Is c in no row but k, among the first `left`? */
static int alone(const struct variety *w, const unsigned char *use, int all, int left, int k, int c) {
    (void)w;
    for (int i = 0; i < left; i++)
        if (i != k && use[i * all + c] != ABSENT) return 0;
    return 1;
}

/* The row to be solved last of the first `left`, and for what: one that has a coordinate to itself. */
static int choose(const struct variety *w, const unsigned char *use, int from, int to, int all, int left,
                  int *coordinate) {
    for (int wanted = LINEAR; wanted >= QUADRATIC; wanted--)
        for (int k = left - 1; k >= 0; k--)
            for (int c = from; c < to; c++)
                if (use[k * all + c] == wanted && alone(w, use, all, left, k, c)) return *coordinate = c, k;
    return -1;
}

static void swap_rows(struct variety *w, unsigned char *use, int all, int a, int b) {
    struct variety_row row = w->row[a];
    w->row[a] = w->row[b];
    w->row[b] = row;
    for (int c = 0; c < all; c++) {
        unsigned char u = use[a * all + c];
        use[a * all + c] = use[b * all + c];
        use[b * all + c] = u;
    }
}

static int no_order(struct variety *w, int left) {
    char text[120];
    diagnostics_print(w->y, w->row[left - 1].f, text, sizeof text);
    return text_no(w->why, sizeof w->why,
                   "the constraints hang together in a loop (one is %.100s = 0): no exact points of their "
                   "manifold are known",
                   text);
}

/* A loop of constraints has no row with a coordinate to itself.  Then a parameter gives way: what holds for
 * all its values holds for this one. */
static int order_rows(struct variety *w, uint64_t seed) {
    int own = 0, all = 0, good = 1;
    struct generic_coordinate *list = candidates(w, &own, &all);
    unsigned char *use = list ? calloc((size_t)w->rows * (size_t)all + 1, 1) : NULL;
    for (int k = 0; k < w->rows && use; k++)
        for (int c = 0; c < all; c++)
            use[k * all + c] =
                (unsigned char)use_of(w, &w->row[k], list[c], residue_random(seed, (uint64_t)c));
    for (int left = w->rows; left > 0 && use && good; left--) {
        int c = 0, k = choose(w, use, 0, own, all, left, &c);
        if (k < 0) {
            k = choose(w, use, own, all, all, left, &c);
            if (k >= 0) w->released++;
        }
        if (k < 0) good = no_order(w, left);
        else {
            w->row[k].by = list[c];
            swap_rows(w, use, all, k, left - 1);
        }
    }
    good = good && use;
    free(list);
    free(use);
    return good;
}

int variety_open(struct variety *w, uint64_t seed) {
    expr *f = calloc((size_t)w->equations + (size_t)w->entries + 1, sizeof *f);
    int count = 0, good = f && generic_open(&w->v, w->y);
    w->opened = 1;
    for (int i = 0; i < w->equations && good; i++) f[count++] = w->equation[i];
    for (int i = 0; i < w->entries && good; i++) f[count++] = w->entry[i];
    good = good && generic_list(&w->linear, w->g, count, f);
    for (int k = 0; k < w->rows && good; k++) good = generic_list(&w->row[k].list, w->g, 1, &w->row[k].f);
    free(f);
    if (!good) return 0;
    generic_parameters(&w->v, NULL, 0);
    w->released = 0;
    return order_rows(w, seed) && !w->v.failed;
}

void variety_rest(struct variety *w) {
    if (w->opened) generic_close(&w->v);
    generic_list_close(&w->linear);
    for (int k = 0; k < w->rows && w->row; k++) generic_list_close(&w->row[k].list);
    w->opened = 0;
}

void variety_close(struct variety *w) {
    variety_rest(w);
    free(w->row);
    free(w->state);
    free(w->unknown);
    free(w->equation);
    free(w->entry);
    free(w->entry_row);
    free(w->entry_column);
    free(w->matrix);
    *w = (struct variety){0};
}

/* Points ------------------------------------------------------------------------------------------------- */

static int solve_row(struct variety *w, const struct variety_row *row) {
    struct parabola p;
    residue t, root, half = (RESIDUE_PRIME + 1) / 2;
    if (!fit(w, row, row->by, &p)) return 0;
    if (p.a == 0) {
        if (p.b == 0) return p.c == 0;
        t = residue_sub(0, residue_mul(p.c, residue_inverse(p.b)));
    } else {
        residue b = residue_mul(half, p.b);
        if (!residue_root(residue_sub(residue_mul(b, b), residue_mul(p.a, p.c)), &root)) return 0;
        if (residue_random(w->v.seed, row->f) & 1) root = residue_sub(0, root);
        t = residue_mul(residue_sub(root, b), residue_inverse(p.a));
    }
    generic_fix(&w->v, row->by, t);
    return 1;
}

static residue *matrix_row(const struct variety *w, int i) {
    return w->matrix + (size_t)i * (size_t)(w->unknowns + 1);
}

/* matrix z + right = 0 by elimination; the solution becomes coordinates. */
static int eliminate(struct variety *w) {
    int n = w->unknowns;
    for (int c = 0; c < n; c++) {
        int pivot = c;
        while (pivot < n && matrix_row(w, pivot)[c] == 0) pivot++;
        if (pivot == n) return 0;
        residue *row = matrix_row(w, c), *from = matrix_row(w, pivot);
        for (int j = c; j <= n && from != row; j++) {
            residue swap = row[j];
            row[j] = from[j], from[j] = swap;
        }
        residue scale = row[c] == 1 ? 1 : residue_inverse(row[c]);
        for (int j = c; j <= n && scale != 1; j++) row[j] = residue_mul(row[j], scale);
        for (int i = 0; i < n; i++) {
            residue *other = matrix_row(w, i), factor = other[c];
            for (int j = c; j <= n && factor && i != c; j++)
                other[j] = residue_sub(other[j], residue_mul(factor, row[j]));
        }
    }
    for (int c = 0; c < n; c++)
        generic_fix(&w->v, (struct generic_coordinate){GENERIC_PLAIN, w->unknown[c]},
                    residue_sub(0, matrix_row(w, c)[n]));
    return 1;
}

int variety_try(struct variety *w) {
    for (int k = 0; k < w->rows; k++)
        if (!solve_row(w, &w->row[k])) return 0;
    for (int c = 0; c < w->unknowns; c++)
        generic_fix(&w->v, (struct generic_coordinate){GENERIC_PLAIN, w->unknown[c]}, 0);
    if (!generic_values(&w->v, &w->linear)) return 0;
    memset(w->matrix, 0, (size_t)w->equations * (size_t)(w->unknowns + 1) * sizeof *w->matrix);
    for (int i = 0; i < w->equations; i++) matrix_row(w, i)[w->unknowns] = w->v.value[w->equation[i]];
    for (int k = 0; k < w->entries; k++)
        matrix_row(w, w->entry_row[k])[w->entry_column[k]] = w->v.value[w->entry[k]];
    return eliminate(w);
}

int variety_point(struct variety *w, uint64_t seed, const unsigned char *vary,
                  const struct generic_list *list) {
    for (int attempt = 0; attempt < ATTEMPTS && !w->v.failed; attempt++) {
        generic_begin(&w->v, residue_random(seed, (uint64_t)attempt));
        generic_parameters(&w->v, vary, w->world ? w->world : w->v.seed);
        if (variety_try(w) && generic_values(&w->v, list)) return 1;
    }
    return 0;
}
