/* schur_pattern.c - the fixed parts of schur.h: M's blocks, the patterns of B, of S and of its factor.
 *
 * The order of elimination has two parts.  Rows with one neighbour left make no fill: they go first, from
 * all ends of S at once, so that neighbours in the order do not wait for each other.  What is left, rings of
 * rows, is ordered by approximate minimum degree (Amestoy, Davis, Duff 1996), which sparse.h has. */
#include "linalg/schur_private.h"

#include "linalg/sparse.h"

#include <stdlib.h>

/* While the patterns are found. */
struct plan {
    struct schur *s;
    struct pool pool;
    double limit;
    int *by_column, *in_row, *entry; /* B by columns: rows, and where in b */
    int *start, *index;              /* S whole, in the order of K */
    int *parent, *seen, *met;        /* work */
    int starved;                     /* the library had no memory */
};

static int *ints(struct pool *p, long count) {
    return pool_take(p, ((size_t)count + 1) * sizeof(int));
}
static double *doubles(struct pool *p, long count) {
    return pool_take(p, ((size_t)count + 1) * sizeof(double));
}

static int root_of(int *parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* Columns that M couples belong to one block; the first column names it.  0: one is too wide. */
static int find_blocks(struct plan *p, int *first_of) {
    struct schur *s = p->s;
    int *width = ints(&p->pool, s->nq);
    if (!width) return 0;
    for (int j = 0; j < s->nq; j++) first_of[j] = j;
    s->diagonal = 1;
    for (int i = 0; i < s->nq && s->mass; i++)
        for (int e = s->mass->row_start[i]; e < s->mass->row_start[i + 1]; e++) {
            int a = root_of(first_of, i), b = root_of(first_of, s->mass->column[e]);
            if (a < b) first_of[b] = a;
            else first_of[a] = b;
            s->diagonal &= s->mass->column[e] == i;
        }
    for (int j = 0; j < s->nq; j++)
        if (++width[root_of(first_of, j)] > SCHUR_WIDEST) return 0;
    return 1;
}

/* Numbers the blocks and their columns. */
static void lay_blocks(struct plan *p, int *first_of) {
    struct schur *s = p->s;
    long roots = 0;
    int at = 0;
    s->block = pool_take(&s->pool, ((size_t)s->nq + 1) * sizeof *s->block);
    s->member = ints(&s->pool, s->nq), s->block_of = ints(&s->pool, s->nq), s->place = ints(&s->pool, s->nq);
    if (s->pool.refused) return;
    for (int j = 0; j < s->nq; j++) {
        int first = root_of(first_of, j);
        s->block_of[j] = first == j ? s->blocks++ : s->block_of[first];
        s->place[j] = s->block[s->block_of[j]].width++;
    }
    for (int b = 0; b < s->blocks; b++) {
        s->block[b].first = at;
        s->block[b].root = (int)roots;
        at += s->block[b].width;
        roots += (long)s->block[b].width * s->block[b].width;
    }
    for (int j = 0; j < s->nq; j++) s->member[s->block[s->block_of[j]].first + s->place[j]] = j;
    s->root = doubles(&s->pool, roots);
}

/* Row r of K: its columns, their number, and the first of its values. */
static const int *row_of(const struct schur *s, int r, int *count, int *first) {
    int part = r >= s->count[0], at = part ? r - s->count[0] : r;
    const keel_pattern *k = s->part[part];
    *count = k->row_start[at + 1] - k->row_start[at];
    *first = k->row_start[at] + (part && s->part[0] ? s->part[0]->nnz : 0);
    return k->column + k->row_start[at];
}

/* Row i of B in whole blocks. */
static void lay_pieces(struct plan *p, int i, const int *column, int count) {
    struct schur *s = p->s;
    int at = s->start[i], piece = s->piece_start[i];
    for (int c = 0; c < count; c++) {
        int b = s->block_of[column[c]], width = s->block[b].width;
        if (p->seen[b] != i + 1) { /* not met in this row */
            p->seen[b] = i + 1;
            p->met[b] = at;
            s->piece_block[piece] = b;
            s->piece_at[piece++] = at;
            for (int w = 0; w < width; w++) s->column[at + w] = s->block[b].first + w;
            at += width;
        }
        s->to[s->k_start[i] + c] = p->met[b] + s->place[column[c]];
    }
    s->start[i + 1] = at;
    s->piece_start[i + 1] = piece;
}

/* B by rows in the order at hand: K itself, or K with whole blocks. */
static void lay_rows(struct plan *p) {
    struct schur *s = p->s;
    for (int b = 0; b < s->blocks; b++) p->seen[b] = 0;
    for (int i = 0; i < s->k; i++) {
        int count, first;
        const int *column = row_of(s, s->order[i], &count, &first);
        s->k_start[i + 1] = s->k_start[i] + count;
        for (int c = 0; c < count; c++) s->from[s->k_start[i] + c] = first + c;
        if (!s->diagonal) {
            lay_pieces(p, i, column, count);
            continue;
        }
        for (int c = 0; c < count; c++) s->column[s->k_start[i] + c] = column[c];
        s->start[i + 1] = s->k_start[i + 1];
    }
}

/* Room for them, and the order of K. */
static void make_rows(struct plan *p) {
    struct schur *s = p->s;
    long most = s->diagonal ? s->entries : 0; /* of B's entries */
    for (int part = 0; part < 2 && !s->diagonal; part++)
        for (int c = 0; s->part[part] && c < s->part[part]->nnz; c++)
            most += s->block[s->block_of[s->part[part]->column[c]]].width;
    s->order = ints(&s->pool, s->k);
    s->start = ints(&s->pool, s->k), s->k_start = ints(&s->pool, s->k);
    s->column = ints(&s->pool, most), s->from = ints(&s->pool, s->entries);
    s->b = doubles(&s->pool, most), s->entry_weight = doubles(&s->pool, s->diagonal ? most : 0);
    p->by_column = ints(&p->pool, s->nq), p->in_row = ints(&p->pool, most), p->entry = ints(&p->pool, most);
    if (!s->diagonal) {
        s->piece_start = ints(&s->pool, s->k), s->piece_block = ints(&s->pool, s->entries);
        s->piece_at = ints(&s->pool, s->entries), s->to = ints(&s->pool, s->entries);
    }
    for (int i = 0; i < s->k && s->order; i++) s->order[i] = i;
}

/* B by columns. */
static void turn_rows(struct plan *p) {
    struct schur *s = p->s;
    for (int j = 0; j <= s->nq; j++) p->by_column[j] = 0;
    for (int e = 0; e < s->start[s->k]; e++) p->by_column[s->column[e] + 1]++;
    for (int j = 0; j < s->nq; j++) p->by_column[j + 1] += p->by_column[j];
    for (int i = s->k - 1; i >= 0; i--)
        for (int e = s->start[i]; e < s->start[i + 1]; e++) {
            int at = --p->by_column[s->column[e] + 1];
            p->in_row[at] = i;
            p->entry[at] = e;
        }
    for (int j = 0; j < s->nq; j++) p->by_column[j] = p->by_column[j + 1];
    p->by_column[s->nq] = s->start[s->k];
}

/* 0: S takes too many products. */
static int products_fit(struct plan *p) {
    for (int j = 0; j < p->s->nq; j++) {
        double of_column = p->by_column[j + 1] - p->by_column[j];
        p->s->operations += of_column * (of_column + 1);
    }
    return p->s->operations <= p->limit;
}

/* The rows that share a column with row i, itself first; returns how many. */
static int neighbours(struct plan *p, int i, int mark, int *out) {
    struct schur *s = p->s;
    int count = 0;
    p->seen[i] = mark;
    if (out) out[count] = i;
    count++;
    for (int e = s->start[i]; e < s->start[i + 1]; e++)
        for (int c = p->by_column[s->column[e]]; c < p->by_column[s->column[e] + 1]; c++) {
            int other = p->in_row[c];
            if (p->seen[other] == mark) continue;
            p->seen[other] = mark;
            if (out) out[count] = other;
            count++;
        }
    return count;
}

static void square(struct plan *p) {
    struct schur *s = p->s;
    p->start = ints(&p->pool, s->k);
    if (!p->start) return;
    for (int i = 0; i < s->k; i++) p->seen[i] = 0;
    for (int i = 0; i < s->k; i++) p->start[i + 1] = p->start[i] + neighbours(p, i, i + 1, NULL);
    p->index = ints(&p->pool, p->start[s->k]);
    for (int i = 0; i < s->k && p->index; i++) neighbours(p, i, s->k + i + 1, p->index + p->start[i]);
}

/* 1: no memory. */
static int find_order(struct plan *p) {
    struct schur *s = p->s;
    int *left = ints(&p->pool, s->k), *given = ints(&p->pool, s->k), count = 0;
    if (!left || !given) return 1;
    for (int i = 0; i < s->k; i++) {
        left[i] = p->start[i + 1] - p->start[i] - 1;
        if (left[i] <= 1) s->order[count++] = i;
    }
    for (int at = 0; at < count; at++) { /* those that have become ends queue behind */
        int end = s->order[at];
        left[end] = -1;
        for (int e = p->start[end]; e < p->start[end + 1]; e++)
            if (left[p->index[e]] > 1 && --left[p->index[e]] == 1) s->order[count++] = p->index[e];
    }
    if (count == s->k) return 0;
    struct sparse *library = sparse_open(s->k, p->start, p->index, SPARSE_DIAGONAL);
    if (!library) return 1;
    sparse_order(library, given);
    sparse_close(library);
    for (int i = 0; i < s->k; i++)
        if (left[given[i]] > 1) s->order[count++] = given[i];
    return 0;
}

static int ascending(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

/* S below its diagonal in the order of elimination, columns ascending. */
static void lay_square(struct plan *p) {
    struct schur *s = p->s;
    int at = 0, *where = p->met;
    s->s_start = ints(&s->pool, s->k);
    s->s_column = ints(&s->pool, (p->start[s->k] - s->k) / 2);
    if (s->pool.refused) return;
    for (int i = 0; i < s->k; i++) where[s->order[i]] = i;
    for (int i = 0; i < s->k; i++) {
        int row = s->order[i];
        for (int e = p->start[row]; e < p->start[row + 1]; e++)
            if (where[p->index[e]] < i) s->s_column[at++] = where[p->index[e]];
        s->s_start[i + 1] = at;
        qsort(s->s_column + s->s_start[i], (size_t)(at - s->s_start[i]), sizeof(int), ascending);
    }
}

/* The products that make each entry: first how many, then which. */
static void lay_products(struct plan *p) {
    struct schur *s = p->s;
    int entries = s->s_start[s->k], *slot = p->parent;
    int *next = ints(&p->pool, entries);
    s->sum_start = ints(&s->pool, entries);
    if (!next || !s->sum_start) return;
    for (int fill = 0; fill < 2; fill++) {
        for (int i = 0; i < s->k; i++) {
            for (int e = s->s_start[i]; e < s->s_start[i + 1]; e++) slot[s->s_column[e]] = e;
            for (int e = s->start[i]; e < s->start[i + 1]; e++)
                for (int c = p->by_column[s->column[e]]; c < p->by_column[s->column[e] + 1]; c++) {
                    int other = p->in_row[c];
                    if (other >= i) continue;
                    if (fill) {
                        s->left[next[slot[other]]] = e;
                        s->right[next[slot[other]]++] = p->entry[c];
                    } else {
                        s->sum_start[slot[other] + 1]++;
                    }
                }
        }
        if (fill) break;
        for (int e = 0; e < entries; e++) {
            s->sum_start[e + 1] += s->sum_start[e];
            next[e] = s->sum_start[e];
        }
        s->left = ints(&s->pool, s->sum_start[entries]), s->right = ints(&s->pool, s->sum_start[entries]);
        if (s->pool.refused) return;
    }
}

/* The columns of row i of the factor: from each entry of S up the elimination tree.  Returns how many; `out`
 * is not in order. */
static int climb(struct plan *p, int i, int mark, int *out) {
    const struct schur *s = p->s;
    int count = 0;
    p->seen[i] = mark;
    for (int e = s->s_start[i]; e < s->s_start[i + 1]; e++)
        for (int j = s->s_column[e]; p->seen[j] != mark; j = p->parent[j]) {
            if (p->parent[j] < 0) p->parent[j] = i;
            p->seen[j] = mark;
            if (out) out[count] = j;
            count++;
        }
    return count;
}

/* 0: the factor would take too many operations. */
static int lay_factor(struct plan *p) {
    struct schur *s = p->s;
    s->row_start = ints(&s->pool, s->k), s->column_start = ints(&s->pool, s->k);
    if (s->pool.refused) return 0;
    for (int i = 0; i < s->k; i++) p->seen[i] = 0, p->parent[i] = -1;
    for (int i = 0; i < s->k; i++) {
        int count = climb(p, i, i + 1, NULL);
        s->row_start[i + 1] = s->row_start[i] + count;
        s->operations += 8.0 * count + 10; /* two solves, and a pivot */
        if (!(s->operations <= p->limit)) return 0;
    }
    int entries = s->row_start[s->k];
    s->row_column = ints(&s->pool, entries), s->row_at = ints(&s->pool, entries);
    s->column_row = ints(&s->pool, entries), s->l = doubles(&s->pool, entries);
    if (s->pool.refused) return 0;
    for (int i = 0; i < s->k; i++) {
        int *out = s->row_column + s->row_start[i], count = climb(p, i, s->k + i + 1, out);
        qsort(out, (size_t)count, sizeof *out, ascending);
        for (int e = 0; e < count; e++) s->column_start[out[e] + 1]++;
    }
    for (int j = 0; j < s->k; j++) {
        double below = s->column_start[j + 1];
        s->operations += below * (below + 2);
        s->column_start[j + 1] += s->column_start[j];
        p->seen[j] = s->column_start[j];
    }
    for (int i = 0; i < s->k; i++)
        for (int e = s->row_start[i]; e < s->row_start[i + 1]; e++) {
            s->row_at[e] = p->seen[s->row_column[e]]++;
            s->column_row[s->row_at[e]] = i;
        }
    return s->operations <= p->limit;
}

/* 1; 0: no memory, or too dear. */
static int lay_out(struct plan *p) {
    struct schur *s = p->s;
    int most = s->nq > s->k ? s->nq : s->k, *first_of = ints(&p->pool, s->nq);
    p->met = ints(&p->pool, most), p->parent = ints(&p->pool, most), p->seen = ints(&p->pool, most);
    if (p->pool.refused || !find_blocks(p, first_of)) return 0;
    if (!s->diagonal) lay_blocks(p, first_of);
    if (!s->pool.refused) make_rows(p);
    if (s->pool.refused || p->pool.refused) return 0;
    lay_rows(p);
    turn_rows(p);
    if (!products_fit(p)) return 0;
    square(p);
    p->starved = p->pool.refused || find_order(p);
    if (p->starved) return 0;
    lay_rows(p);
    turn_rows(p);
    lay_square(p);
    if (s->pool.refused || !lay_factor(p)) return 0;
    lay_products(p);
    s->square = doubles(&s->pool, s->s_start[s->k]);
    s->inverse = doubles(&s->pool, s->k), s->work = doubles(&s->pool, s->k);
    s->size = doubles(&s->pool, s->k), s->mu = doubles(&s->pool, s->k), s->r = doubles(&s->pool, s->k);
    s->z = doubles(&s->pool, s->nq), s->weight = doubles(&s->pool, s->nq);
    if (s->pool.refused || p->pool.refused || schur_forest_layout(s)) return 0;
    if (!s->forest) s->four = doubles(&s->pool, 4 * s->k);
    return !s->pool.refused;
}

struct schur *schur_open(int nq, const keel_pattern *mass, const keel_pattern *const part[2],
                         const int count[2], double limit, int *starved) {
    struct pool pool = {0};
    struct schur *s = pool_take(&pool, sizeof *s);
    *starved = !s;
    if (!s) return NULL;
    *s = (struct schur){.pool = pool, .nq = nq, .k = count[0] + count[1], .mass = mass};
    for (int i = 0; i < 2; i++) {
        s->part[i] = part[i];
        s->count[i] = count[i];
        s->entries += part[i] ? part[i]->nnz : 0;
    }
    struct plan p = {.s = s, .limit = limit};
    int ready = lay_out(&p);
    *starved = s->pool.refused || p.pool.refused || p.starved;
    pool_release(&p.pool);
    if (ready) return s;
    schur_close(s);
    return NULL;
}
