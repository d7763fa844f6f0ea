/* variety.c - see variety.h. */
#include "discover/variety.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { ATTEMPTS = 1 << 15 };

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
        good = !w->g->failed;
        if (good && w->equations != w->unknowns)
            good = text_no(w->why, sizeof w->why,
                           "the equations are not linear in their highest derivatives: no exact points of "
                           "the motion are known");
    }
    free(z);
    free(coordinate);
    free(place);
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
    return variety_order_rows(w, seed) && !w->v.failed;
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
    if (!variety_solve_rows(w)) return 0;
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
