/* reduce.c - see reduce.h.  Gauss and Jordan's elimination: what has left is in terms of what stays all the
 * time, so that the bounds hold for it, too. */
#include "model/reduce.h"

#include "model/isolate.h"
#include "model/tangent.h"
#include "symbolic/derive_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, LONGEST = 24 }; /* unknowns of the block in a row, rows of a column; all symbols of a row */

struct row {
    expr f;                    /* is to vanish; once it has left: its unknown in terms of others */
    int length;                /* unknowns and states in f */
    int left;                  /* 1: it has; -1: it has too many entries, and is not looked at */
    int entries, column[MOST]; /* unknowns of the block that stand in f */
    expr slope[MOST];
};

struct column {
    expr z;
    int stays, left; /* stays: for good, and its rows are not counted */
    int rows, row[MOST];
};

struct block {
    struct reduce *w;
    int count;
    struct row *row;
    struct column *column;
    const int *number; /* [count] of the rows, in the reduced system */
    int failed;        /* no memory */
};

static struct graph *graph_of(const struct block *b) {
    return &b->w->r->y->m->graph;
}

/* Entries ----------------------------------------------------------------------------------------------- */

/* The place in the block of a symbol, if it is one of its unknowns; -1.  known: it is an unknown at all. */
static int place_of(const struct block *b, expr symbol, int *known) {
    const struct reduce *w = b->w;
    const struct expr_node n = graph_of(b)->node[symbol];
    *known = n.a == EXPR_UNKNOWN || n.a == EXPR_MULTIPLIER;
    int j = *known ? system_unknown(w->r->y, symbol) : -1, column = j < 0 ? -1 : w->column_of[j];
    return column >= 0 && (int)n.c == w->r->y->s.d[column] ? w->number[column] - 1 : -1;
}

/* The entries of a row; 0: they are too many. */
static int find_entries(struct block *b, struct row *row) {
    struct graph *g = graph_of(b);
    struct expr_list all;
    int fits = 1;
    row->entries = row->length = 0;
    if (row->f == EXPR_NONE || expr_symbols(g, 1, &row->f, &all)) return b->failed = 1, 0;
    for (size_t k = 0; k < all.count; k++) {
        int known, at = place_of(b, all.item[k], &known);
        row->length += known;
        if (at < 0) continue;
        if (row->entries == MOST) fits = 0;
        else row->column[row->entries++] = at;
    }
    free(all.item);
    return fits;
}

static int find_slopes(struct block *b, struct row *row) {
    expr z[MOST];
    struct derive_sparse by = {0};
    for (int k = 0; k < row->entries; k++) {
        z[k] = b->column[row->column[k]].z;
        row->slope[k] = derive_zero(graph_of(b));
    }
    if (derive_jacobian(&b->w->r->derive, 1, &row->f, row->entries, z, &by)) return b->failed = 1, 0;
    for (int e = 0; e < by.row_start[1]; e++) row->slope[by.column[e]] = by.value[e];
    derive_free(&by);
    return 1;
}

static int entry_of(const struct row *row, int column) {
    for (int k = 0; k < row->entries; k++)
        if (row->column[k] == column) return k;
    return -1;
}

/* Row k stands in the lists of its columns. */
static void list_row(struct block *b, int k) {
    for (int e = 0; e < b->row[k].entries; e++) {
        struct column *c = &b->column[b->row[k].column[e]];
        if (c->rows == MOST) c->stays = 1;
        if (!c->stays) c->row[c->rows++] = k;
    }
}

static void unlist_row(struct block *b, int k) {
    for (int e = 0; e < b->row[k].entries; e++) {
        struct column *c = &b->column[b->row[k].column[e]];
        for (int i = 0; i < c->rows; i++)
            if (c->row[i] == k) c->row[i--] = c->row[--c->rows];
    }
}

/* All unknowns of a row with too many of them stay. */
static void leave_alone(struct block *b, struct row *row) {
    struct expr_list all;
    if (expr_symbols(graph_of(b), 1, &row->f, &all)) {
        b->failed = 1;
        return;
    }
    for (size_t k = 0; k < all.count; k++) {
        int known, at = place_of(b, all.item[k], &known);
        if (at >= 0) b->column[at].stays = 1;
    }
    free(all.item);
    row->entries = 0;
    row->left = -1;
}

/* Kinds of pivots --------------------------------------------------------------------------------------- */

/* e is a number times what is returned, which is no such product; EXPR_NONE: e is a number. */
static expr factor_of(const struct graph *g, expr e, double *number) {
    double value;
    *number = 1;
    for (;;) {
        const struct expr_node n = g->node[e];
        if (expr_is_constant(g, e, &value)) return *number *= value, EXPR_NONE;
        if (n.op == EXPR_NEG) *number = -*number, e = n.a;
        else if (n.op == EXPR_MUL && expr_is_constant(g, n.a, &value)) *number *= value, e = n.b;
        else if (n.op == EXPR_MUL && expr_is_constant(g, n.b, &value)) *number *= value, e = n.a;
        else return e;
    }
}

/* 1, -1: the ratio of two slopes; 0: another. */
static int unit_ratio(const struct graph *g, expr a, expr b) {
    double x, y;
    if (factor_of(g, a, &x) != factor_of(g, b, &y) || x == 0) return 0;
    return x == y ? 1 : x == -y ? -1 : 0;
}

/* A number is it, or of numbers and parameters? */
static int rests(struct block *b, expr e, int parameters) {
    struct graph *g = graph_of(b);
    struct expr_list all;
    double value;
    if (expr_is_constant(g, e, &value)) return value != 0 && isfinite(value);
    if (!parameters || expr_symbols(g, 1, &e, &all)) return 0;
    int only = 1;
    for (size_t k = 0; k < all.count; k++) only &= g->node[all.item[k]].a == EXPR_PARAMETER;
    free(all.item);
    return only;
}

/* All entries of row i are one number up to their signs, or there is a single one, which may have parameters?
 */
static int row_is_unit(struct block *b, int i) {
    const struct row *row = &b->row[i];
    if (row->entries == 1) return rests(b, row->slope[0], 1);
    for (int k = 0; k < row->entries; k++)
        if (!rests(b, row->slope[k], 0) || !unit_ratio(graph_of(b), row->slope[k], row->slope[0])) return 0;
    return row->entries > 0;
}

/* The rows of a column that are left, all with one slope up to signs, the shortest first; how many, 0: they
 * have not. */
static int column_is_unit(struct block *b, int column, int *shortest) {
    const struct column *c = &b->column[column];
    expr slope = EXPR_NONE;
    int count = 0;
    for (int k = 0; k < c->rows; k++) {
        const struct row *row = &b->row[c->row[k]];
        if (row->left) continue;
        expr own = row->slope[entry_of(row, column)];
        if (count == 0) slope = own, *shortest = c->row[k];
        else if (!unit_ratio(graph_of(b), own, slope)) return 0;
        const struct row *best = &b->row[*shortest];
        if (row->entries < best->entries || (row->entries == best->entries && c->row[k] < *shortest))
            *shortest = c->row[k];
        count++;
    }
    return count > 0 && rests(b, slope, 1) ? count : 0;
}

/* Taking one out ---------------------------------------------------------------------------------------- */

/* What replaces z_j where row i is solved for it; where the row says what z_j - z_k is, that difference, too,
 * so that it does not become a sum that cancels. */
struct exchange {
    int count;
    expr from[3], to[3];
};

static int find_exchange(struct block *b, int i, int j, struct exchange *x) {
    struct graph *g = graph_of(b);
    struct derive *d = &b->w->r->derive;
    const struct row *row = &b->row[i];
    expr z = b->column[j].z;
    x->count = 0;
    x->from[x->count] = z;
    x->to[x->count++] = isolate_solve(d, row->f, z);
    if (x->to[0] == EXPR_NONE || row->entries != 2) return x->to[0] != EXPR_NONE;
    expr other = b->column[row->column[row->column[0] == j]].z;
    for (int side = 0; side < 2; side++) {
        expr apart = expr_make(g, EXPR_SUB, side ? other : z, side ? z : other, 0);
        if (apart == EXPR_NONE || !expr_depends(g, row->f, 1, &apart)) continue;
        expr value = isolate_node(g, row->f, apart), both[2] = {z, other};
        if (value == EXPR_NONE || expr_depends(g, value, 2, both)) continue;
        x->from[x->count] = apart;
        x->to[x->count++] = value;
        x->from[x->count] = expr_make(g, EXPR_SUB, side ? z : other, side ? other : z, 0);
        x->to[x->count++] = derive_sub(g, derive_zero(g), value);
        break;
    }
    return !g->failed;
}

/* Row k without z_j, of which row i is rid of it by a sum, or by the exchange. */
static expr without(struct block *b, int k, int i, int j, int by_sum, const struct exchange *x) {
    struct graph *g = graph_of(b);
    const struct row *row = &b->row[k], *pivot = &b->row[i];
    expr f = EXPR_NONE, z = b->column[j].z;
    if (by_sum && !row->left) {
        int ratio = unit_ratio(g, row->slope[entry_of(row, j)], pivot->slope[entry_of(pivot, j)]);
        expr own = isolate_rest(g, row->f, z), other = isolate_rest(g, pivot->f, z);
        if (own == EXPR_NONE || other == EXPR_NONE || !ratio) return EXPR_NONE;
        return ratio > 0 ? derive_sub(g, own, other) : derive_add(g, own, other);
    }
    return expr_substitute(g, 1, &row->f, (size_t)x->count, x->from, x->to, &f) ? EXPR_NONE : f;
}

/* z_j leaves by row i, if rows stay short and are no more entries; alike: whatever comes of them.  1: it has
 * left. */
static int take_out(struct block *b, int i, int j, int by_sum, int alike) {
    struct column *c = &b->column[j];
    struct row changed[MOST];
    int touched[MOST], count = c->rows, before = b->row[i].entries, after = 0;
    struct exchange x;
    if (!find_exchange(b, i, j, &x)) return 0;
    for (int k = 0; k < count; k++) {
        const struct row *old = &b->row[touched[k] = c->row[k]];
        changed[k] = *old;
        changed[k].f = touched[k] == i ? x.to[0] : without(b, touched[k], i, j, by_sum, &x);
        if (changed[k].f == EXPR_NONE || !find_entries(b, &changed[k]) || !find_slopes(b, &changed[k]))
            return 0;
        if (entry_of(&changed[k], j) >= 0) return 0;
        int most = old->length > LONGEST ? old->length : LONGEST;
        if (!alike && changed[k].length > most) return 0;
        if (touched[k] == i || old->left) continue;
        before += old->entries;
        after += changed[k].entries;
    }
    if (!alike && after > before) return 0;
    for (int k = 0; k < count; k++) {
        unlist_row(b, touched[k]);
        b->row[touched[k]] = changed[k];
        list_row(b, touched[k]);
    }
    b->row[i].left = c->left = 1;
    b->w->solves[b->number[i]] = b->w->column_of[system_unknown(b->w->r->y, c->z)];
    b->w->turn[b->number[i]] = ++b->w->turns;
    return 1;
}

static int may_leave(const struct block *b, int j) {
    return !b->column[j].stays && !b->column[j].left;
}

/* Is row i zero where all in it is, without t and parameters, and do its states begin there and not jump? */
static int is_calm(struct block *b, int i) {
    struct graph *g = graph_of(b);
    const struct reduce *w = b->w;
    struct expr_list all;
    expr rest = EXPR_NONE;
    double value;
    if (expr_symbols(g, 1, &b->row[i].f, &all)) return b->failed = 1, 0;
    expr *zero = expr_take(g, all.count + 1, sizeof *zero);
    int calm = zero != NULL;
    for (size_t k = 0; k < all.count && calm; k++) {
        int known, at = place_of(b, all.item[k], &known), column = known ? reduce_column(w, all.item[k]) : -1;
        calm = at >= 0 || (column >= 0 && !w->jumps[column]);
        zero[k] = derive_zero(g);
    }
    calm = calm && !expr_substitute(g, 1, &b->row[i].f, all.count, all.item, zero, &rest) &&
           expr_is_constant(g, rest, &value) && value == 0;
    free(all.item);
    free(zero);
    return calm;
}

/* Is z_j a term of its own in all rows, with slopes that no unknown of the block has a part in? */
static int is_linear(struct block *b, int j) {
    const struct column *c = &b->column[j];
    for (int k = 0; k < c->rows; k++) {
        const struct row *row = &b->row[c->row[k]];
        struct expr_list all;
        int free_of_block = 1, known;
        if (row->left) continue;
        if (expr_symbols(graph_of(b), 1, &row->slope[entry_of(row, j)], &all)) return b->failed = 1, 0;
        for (size_t s = 0; s < all.count; s++) free_of_block &= place_of(b, all.item[s], &known) < 0;
        free(all.item);
        if (!free_of_block) return 0;
    }
    return 1;
}

/* By row i, the unknown that stands in the fewest rows.  What leaves goes along where the rest of the row
 * jumps, or begins far from 0, as a source does: z_j = z_k + v.  Where z_j stands in an exponential, that of
 * a diode, Newton's method would begin where there are no values, however good its guess of z_k.  An unknown
 * that is linear in all rows does no harm there, as it does none where it stays. */
static int take_row(struct block *b, int i) {
    int tried[MOST] = {0};
    if (b->row[i].left || !row_is_unit(b, i)) return 0;
    int any = b->row[i].entries == 1 || is_calm(b, i);
    for (int k = 0; k < b->row[i].entries; k++) {
        int best = -1;
        for (int e = 0; e < b->row[i].entries; e++)
            if (!tried[e] && may_leave(b, b->row[i].column[e]) &&
                (best < 0 || b->column[b->row[i].column[e]].rows < b->column[b->row[i].column[best]].rows))
                best = e;
        if (best < 0 || b->failed) return 0;
        tried[best] = 1;
        if (!any && !is_linear(b, b->row[i].column[best])) continue;
        if (take_out(b, i, b->row[i].column[best], 0, 0)) return 1;
    }
    return 0;
}

static int take_column(struct block *b, int j) {
    int shortest, rows = may_leave(b, j) ? column_is_unit(b, j, &shortest) : 0;
    return rows > 0 && take_out(b, shortest, j, rows > 1, 0);
}

/* Rows first: what they say is the shortest. */
static void take_all(struct block *b) {
    for (int found = 1; found && !b->failed;) {
        found = 0;
        for (int i = 0; i < b->count && !b->failed; i++) found |= take_row(b, i);
        for (int j = 0; j < b->count && !b->failed; j++) found |= take_column(b, j);
    }
}

/* Directions -------------------------------------------------------------------------------------------- */

/* The row of the motion that row i of the reduced system was made of; -1: none, or it is one itself. */
static int made_of(const struct reduce *w, int i) {
    const struct system *y = w->r->y;
    const struct system_origin *o = &y->origin[y->s.row[i]];
    return o->kind == SYSTEM_TANGENT && o->number >= 0 ? w->row_of[o->number] : -1;
}

/* The unknown of the block that stands for that of row `of` of the motion. */
static int like_column(const struct block *b, int of) {
    const struct system *y = b->w->r->y;
    expr primal = y->unknown[y->s.column[b->w->solves[of]]];
    for (int j = 0; j < b->count; j++) {
        const struct expr_node n = graph_of(b)->node[b->column[j].z];
        expr unknown = expr_symbol(graph_of(b), (enum expr_kind)n.a, n.b, 0);
        if (tangent_direction(y->m, unknown) >= 0 && tangent_primal(y->m, unknown) == primal) return j;
    }
    return -1;
}

/* The row whose turn is next after `last` in the motion. */
static int next_alike(const struct block *b, int last) {
    int best = -1, least = 0;
    for (int i = 0; i < b->count; i++) {
        int of = made_of(b->w, b->number[i]), turn = of < 0 ? 0 : b->w->turn[of];
        if (turn > last && (best < 0 || turn < least)) best = i, least = turn;
    }
    return best;
}

/* 1; 0: they do not leave as those of the motion. */
static int take_alike(struct block *b) {
    for (int last = 0, i; (i = next_alike(b, last)) >= 0;) {
        int of = made_of(b->w, b->number[i]), j = like_column(b, of);
        last = b->w->turn[of];
        if (j < 0 || b->row[i].left || b->column[j].stays || entry_of(&b->row[i], j) < 0) return 0;
        int shortest, rows = column_is_unit(b, j, &shortest);
        if (!take_out(b, i, j, rows > 1, 1)) return 0;
    }
    return 1;
}

/* Blocks ------------------------------------------------------------------------------------------------ */

static int open_block(struct block *b, int count, const int *row) {
    struct reduce *w = b->w;
    const struct structure *s = &w->r->y->s;
    struct graph *g = graph_of(b);
    b->count = count;
    b->number = row;
    b->row = expr_take(g, (size_t)count, sizeof *b->row);
    b->column = expr_take(g, (size_t)count, sizeof *b->column);
    if (!b->row || !b->column) return 0;
    for (int k = 0; k < count; k++) {
        int j = s->match[row[k]];
        const struct expr_node n = g->node[w->r->y->unknown[s->column[j]]];
        b->column[k].z = expr_symbol(g, (enum expr_kind)n.a, n.b, (uint32_t)s->d[j]);
        b->column[k].stays = w->stays[j];
        w->number[j] = k + 1;
    }
    for (int k = 0; k < count && !b->failed; k++) {
        b->row[k].f = s->top[row[k]];
        if (!find_entries(b, &b->row[k])) leave_alone(b, &b->row[k]);
        else if (find_slopes(b, &b->row[k])) list_row(b, k);
    }
    return !b->failed;
}

/* What was found goes to the reduced system; the rows that stay have the unknowns that do. */
static void keep(struct block *b, int *row) {
    struct reduce *w = b->w;
    int *order = expr_take(graph_of(b), (size_t)b->count, sizeof *order), at = 0, column = 0;
    if (!order) {
        b->failed = 1;
        return;
    }
    for (int k = 0; k < b->count; k++) {
        if (b->row[k].left == 1) continue;
        while (b->column[column].left) column++;
        w->solves[row[k]] = w->column_of[system_unknown(w->r->y, b->column[column++].z)];
        order[at++] = row[k];
    }
    for (int k = 0; k < b->count; k++) {
        if (b->row[k].left == 1) {
            w->top[w->solves[row[k]]] = b->row[k].f;
            order[at++] = row[k];
        } else if (b->row[k].left == 0) w->equation[row[k]] = b->row[k].f;
    }
    memcpy(row, order, (size_t)b->count * sizeof *row);
    free(order);
}

/* Nothing has left after all. */
static void forget(struct block *b, const int *row) {
    for (int k = 0; k < b->count; k++) {
        b->w->solves[row[k]] = b->w->r->y->s.match[row[k]];
        b->w->turn[row[k]] = 0;
    }
}

int reduce_block(struct reduce *w, int count, int *row) {
    struct block b = {.w = w};
    int good = open_block(&b, count, row);
    if (good && !tangent_equation(w->r->y, w->r->y->s.row[row[0]])) take_all(&b);
    else if (good && !take_alike(&b) && !b.failed) forget(&b, row), good = -1;
    if (good > 0 && !b.failed) keep(&b, row);
    for (int k = 0; k < count; k++) w->number[w->r->y->s.match[row[k]]] = 0;
    good = good && !b.failed && !graph_of(&b)->failed;
    free(b.row);
    free(b.column);
    return good;
}
