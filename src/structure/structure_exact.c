/* structure_exact.c - a combination of equations by weights without rounding.
 *
 * The equations of a circuit, each differentiated as often as its offset asks, are sums of atoms with exact
 * weights (structure_form.c).  Atoms that hold a highest derivative must go: a left null vector of the
 * matrix of their weights, by elimination in fractions, says with which multiples they do.  What is left of
 * the sum has lost everything that cancels, to the last digit. */
#include "structure/structure_private.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 200 };

/* Row i as a sum, differentiated `order` times. */
static int form_at(struct structure_work *w, int i, int order, struct structure_form *out) {
    struct structure_form *own = &w->form[i];
    if (own->of != w->f[i] || own->pinned != w->pinned) {
        int is = structure_form_of(w, w->f[i], own);
        if (is <= 0) return is;
        own->of = w->f[i];
        own->pinned = w->pinned;
    }
    *out = *own;
    for (int l = 0; l < order; l++) {
        struct structure_form next;
        int is = structure_form_derivative(w, out, &next);
        if (is <= 0) return is;
        *out = next;
    }
    return 1;
}

/* Does the atom hold some x_j^(d_j - least) that is to go? */
static int is_highest(struct structure_work *w, expr atom, int least, const int *d,
                      const unsigned char *gone) {
    struct expr_list all;
    int found = 0;
    if (expr_symbols(w->g, 1, &atom, &all)) return structure_out_of_memory(w->s);
    for (size_t k = 0; k < all.count && !found; k++) {
        const struct expr_node *n = &w->g->node[all.item[k]];
        int j = structure_column(w, n->a, n->b);
        found = j >= 0 && (int)n->c >= d[j] - least && (!gone || gone[j]);
    }
    free(all.item);
    return found;
}

/* The atoms of all forms that must go, in ascending order; how many, or -1. */
static int highest_atoms(struct structure_work *w, int count, const struct structure_form *f, int least,
                         const int *d, const unsigned char *gone, expr **out) {
    struct structure_form all = {0};
    int columns = 0;
    for (int i = 0; i < count; i++)
        if (structure_form_note(w, &all, &f[i])) return -1;
    *out = structure_take(w->s, (size_t)all.count, sizeof **out);
    if (!*out) return -1;
    for (int k = 0; k < all.count; k++) {
        int is = is_highest(w, all.term[k].atom, least, d, gone);
        if (is < 0) return -1;
        if (is) (*out)[columns++] = all.term[k].atom;
    }
    return columns;
}

/* Fills and eliminates: count rows of `columns` weights and a unit matrix beside them.  used[i]: row i had a
 * pivot; of the others only the right part is left. */
static int eliminate(struct structure_work *w, int count, int columns, struct rational *a,
                     unsigned char *used) {
    int width = columns + count;
    for (int j = 0; j < columns; j++) {
        int pivot = 0;
        while (pivot < count && (used[pivot] || a[pivot * width + j].sign == 0)) pivot++;
        if (pivot == count) continue;
        used[pivot] = 1;
        for (int i = 0; i < count; i++) {
            if (used[i] || a[i * width + j].sign == 0) continue;
            struct rational factor = rational_quotient(&a[i * width + j], &a[pivot * width + j]);
            factor = rational_negative(&factor);
            for (int k = j; k < width; k++) {
                struct rational change = rational_product(&factor, &a[pivot * width + k]),
                                *own = &a[i * width + k];
                *own = rational_sum(own, &change);
                if (own->lost) return 0;
            }
            if (!expr_spend(w->g, 1000.0 * (width - j))) return structure_out_of_memory(w->s);
        }
    }
    return 1;
}

/* u, `count` fractions; 1, 0: there is none, -1. */
static int null_vector(struct structure_work *w, int count, const struct structure_form *f, int columns,
                       const expr *column, struct rational **u) {
    size_t width = (size_t)columns + (size_t)count;
    struct rational *a = structure_take(w->s, (size_t)count * width, sizeof *a);
    unsigned char *used = structure_take(w->s, (size_t)count, 1);
    if (!a || !used) return -1;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < columns; j++)
            a[(size_t)i * width + (size_t)j] = structure_form_weight(&f[i], column[j]);
        for (int j = 0; j < count; j++)
            a[(size_t)i * width + (size_t)(columns + j)] = rational_integer(i == j);
    }
    int is = eliminate(w, count, columns, a, used);
    if (is <= 0) return is;
    for (int i = count - 1; i >= 0; i--)
        if (!used[i]) {
            *u = a + (size_t)i * width + columns;
            return 1;
        }
    return 0;
}

/* The sum of u[i] times f[i], over u[k], k the last of the rows with the least offset. */
static int combine(struct structure_work *w, int count, const struct structure_form *f,
                   const struct rational *u, struct structure_exact *out) {
    out->weight = structure_take(w->s, (size_t)count, sizeof *out->weight);
    out->left = (struct structure_form){0};
    if (!out->weight) return -1;
    for (int i = 0; i < count; i++) {
        struct rational weight = rational_quotient(&u[i], &u[out->k]);
        int is = structure_form_add(w, &out->left, &weight, &f[i]);
        if (is <= 0) return is;
        out->weight[i] = expr_constant(w->g, rational_value(&weight));
    }
    return 1;
}

int structure_exact(struct structure_work *w, int count, const int *row, const int *c, const int *d,
                    const unsigned char *gone, struct structure_exact *out) {
    struct structure_form *f = structure_take(w->s, (size_t)count, sizeof *f);
    struct rational *u;
    expr *column;
    int least = c[row[0]];
    if (!f) return -1;
    for (int i = 1; i < count; i++)
        if (c[row[i]] < least) least = c[row[i]];
    for (int i = 0; i < count; i++) {
        int is = form_at(w, row[i], c[row[i]] - least, &f[i]);
        if (is <= 0) return is;
    }
    int columns = highest_atoms(w, count, f, least, d, gone, &column);
    if (columns < 0 || columns > MOST_COLUMNS) return columns < 0 ? -1 : 0;
    int is = null_vector(w, count, f, columns, column, &u);
    if (is <= 0) return is;
    for (out->k = count - 1; out->k >= 0; out->k--)
        if (c[row[out->k]] == least && u[out->k].sign != 0) return combine(w, count, f, u, out);
    return 0;
}
