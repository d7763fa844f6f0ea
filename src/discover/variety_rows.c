/* variety_rows.c - rows of the manifold, each solved for a coordinate; see variety.h. */
#include "discover/variety.h"

#include "base/text.h"
#include "model/diagnostics.h"

#include <stdlib.h>

enum { TRIALS = 40 };

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

static int reaches(const struct variety_row *row, expr node) {
    for (size_t i = 0; i < row->list.order.count; i++)
        if (row->list.order.item[i] == node) return 1;
    return 0;
}

static enum use use_of(struct variety *w, const struct variety_row *row, struct generic_coordinate c,
                       uint64_t seed) {
    struct parabola p;
    if (c.kind == GENERIC_PLAIN && !reaches(row, c.node)) return ABSENT;
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
static int alone(const unsigned char *use, int all, int left, int k, int c) {
    for (int i = 0; i < left; i++)
        if (i != k && use[i * all + c] != ABSENT) return 0;
    return 1;
}

/* The row to be solved last of the first `left`, and for what: one that has a coordinate to itself. */
static int choose(const unsigned char *use, int from, int to, int all, int left, int *coordinate) {
    for (int wanted = LINEAR; wanted >= QUADRATIC; wanted--)
        for (int k = left - 1; k >= 0; k--)
            for (int c = from; c < to; c++)
                if (use[k * all + c] == wanted && alone(use, all, left, k, c)) return *coordinate = c, k;
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

/* use[k * all + c] of coordinate c in row k. */
static void take_uses(struct variety *w, const struct generic_coordinate *list, int all, uint64_t seed,
                      unsigned char *use) {
    for (int k = 0; k < w->rows; k++)
        for (int c = 0; c < all; c++)
            use[k * all + c] =
                (unsigned char)use_of(w, &w->row[k], list[c], residue_random(seed, (uint64_t)c));
}

/* Rows that are solved together, at the end of the first `left`: the uses follow them. */
static int take_block(struct variety *w, const struct generic_coordinate *list, int all, int left,
                      uint64_t seed, unsigned char *use) {
    int count = variety_block_find(w, left, seed);
    if (count > 0) take_uses(w, list, all, seed, use);
    return count;
}

/* A loop of constraints has no row with a coordinate to itself.  Its velocities follow together; of its
 * positions a parameter gives way: what holds for all its values holds for this one. */
int variety_order_rows(struct variety *w, uint64_t seed) {
    int own = 0, all = 0, good = 1, block;
    struct generic_coordinate *list = candidates(w, &own, &all);
    unsigned char *use = list ? calloc((size_t)w->rows * (size_t)all + 1, 1) : NULL;
    if (use) take_uses(w, list, all, seed, use);
    for (int left = w->rows; left > 0 && use && good; left -= block > 0 ? block : 1) {
        int c = 0, k = choose(use, 0, own, all, left, &c);
        block = k < 0 ? take_block(w, list, all, left, seed, use) : 0;
        if (block > 0) continue;
        if (k < 0 && block == 0) {
            k = choose(use, own, all, all, left, &c);
            if (k >= 0) w->released++;
        }
        if (k < 0) good = block < 0 ? 0 : no_order(w, left);
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

/* Solving ------------------------------------------------------------------------------------------------ */

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

int variety_solve_rows(struct variety *w) {
    for (int k = 0; k<w->rows; k += w->row[k].block> 0 ? w->row[k].block : 1)
        if (!(w->row[k].block ? variety_block_solve(w, &w->row[k]) : solve_row(w, &w->row[k]))) return 0;
    return 1;
}
