/* series_fronts.c - the order in which a large sparse matrix is eliminated, and the fronts of it.
 *
 * George, Ng, Symbolic factorization for sparse Gaussian elimination with partial pivoting (1987): to
 * eliminate a column all rows that have it are merged, and each of them but one, the pivot's, goes on with
 * the columns of all. That bounds the factors whatever pivots are taken.  The column that is eliminated
 * next is one whose rows have few entries (Davis, Gilbert, Larimore, Ng, Algorithm 836: COLAMD, 2004);
 * columns in very many rows come last. */
#include "base/pool.h"
#include "symbolic/series.h"

#include <math.h>
#include <stdlib.h>

/* Elements: the rows of the matrix, then what is left of each front.  Element m + k is front k. */
struct element {
    int *column; /* those that are not eliminated */
    int count, rows;
    int parent;         /* the front that has taken it; -1: none yet */
    int outside, stamp; /* how many of its columns are not in the front of that stamp */
};

struct order {
    struct pool pool;
    int m;
    struct element *element;            /* 2 m */
    int **in, *ins;                     /* by column: elements that have it */
    int *pivot;                         /* by front: its column */
    int *height;                        /* by front */
    int *score, *next, *before, *first; /* lists of columns by score; first: by score */
    int *mark, stamp;                   /* by column */
    int least, many;                    /* a column with more elements is not followed */
};

enum { NOT_FOLLOWED = -1, GONE = -2 };

static int *take(struct order *o, size_t count) {
    return pool_take(&o->pool, (count + 1) * sizeof(int));
}

static void unlist(struct order *o, int c) {
    if (o->score[c] < 0) return;
    if (o->before[c] >= 0) o->next[o->before[c]] = o->next[c];
    else o->first[o->score[c]] = o->next[c];
    if (o->next[c] >= 0) o->before[o->next[c]] = o->before[c];
}

/* A bound on the columns of the front that c would have: those of the front at hand, if c is in it, and
 * what its elements have beside them (Amestoy, Davis, Duff, An approximate minimum degree ordering
 * algorithm, 1996). */
static void list(struct order *o, int c, long sum) {
    for (int i = 0; i < o->ins[c]; i++) {
        const struct element *e = &o->element[o->in[c][i]];
        sum += e->stamp == o->stamp ? e->outside : e->count - 1;
    }
    int score = sum < o->m ? (int)sum : o->m;
    o->score[c] = score;
    o->before[c] = -1;
    o->next[c] = o->first[score];
    if (o->first[score] >= 0) o->before[o->first[score]] = c;
    o->first[score] = c;
    if (score < o->least) o->least = score;
}

static int begin(struct order *o, const struct derive_sparse *j) {
    size_t m = (size_t)o->m;
    o->element = pool_take(&o->pool, (2 * m + 1) * sizeof *o->element);
    o->in = pool_take(&o->pool, (m + 1) * sizeof *o->in);
    o->ins = take(o, m), o->pivot = take(o, m), o->height = take(o, m), o->mark = take(o, m);
    o->score = take(o, m), o->next = take(o, m), o->before = take(o, m), o->first = take(o, m + 1);
    if (o->pool.refused) return -1;
    for (int e = 0; e < j->row_start[o->m]; e++) o->ins[j->column[e]]++;
    for (size_t c = 0; c < m; c++) {
        o->in[c] = take(o, (size_t)o->ins[c]);
        o->ins[c] = 0;
        o->first[c] = -1;
    }
    o->first[m] = -1;
    if (o->pool.refused) return -1;
    for (int i = 0; i < o->m; i++) {
        o->element[i] = (struct element){.column = j->column + j->row_start[i],
                                         .count = j->row_start[i + 1] - j->row_start[i],
                                         .rows = 1,
                                         .parent = -1,
                                         .stamp = -1};
        for (int e = j->row_start[i]; e < j->row_start[i + 1]; e++)
            o->in[j->column[e]][o->ins[j->column[e]]++] = i;
    }
    o->many = 16 + (int)(10 * sqrt(o->m));
    o->least = o->m;
    for (int c = 0; c < o->m; c++) {
        if (o->ins[c] > o->many) o->score[c] = NOT_FOLLOWED;
        else list(o, c, 0);
    }
    return 0;
}

/* The columns that were not followed, with the elements they are in now. */
static void follow_all(struct order *o, int fronts) {
    for (int c = 0; c < o->m; c++)
        if (o->score[c] == NOT_FOLLOWED) o->ins[c] = 0;
    for (int i = 0; i < o->m + fronts; i++) {
        const struct element *e = &o->element[i];
        if (e->parent >= 0 || e->rows == 0) continue;
        for (int k = 0; k < e->count; k++)
            if (o->score[e->column[k]] == NOT_FOLLOWED) o->in[e->column[k]][o->ins[e->column[k]]++] = i;
    }
    o->many = o->m;
    o->least = o->m;
    o->stamp++; /* no front is at hand */
    for (int c = 0; c < o->m; c++)
        if (o->score[c] == NOT_FOLLOWED) list(o, c, 0);
}

static int next_column(struct order *o, int fronts) {
    for (; o->least <= o->m; o->least++)
        if (o->first[o->least] >= 0) return o->first[o->least];
    follow_all(o, fronts);
    while (o->first[o->least] < 0) o->least++;
    return o->first[o->least];
}

/* The columns of front k have it in the place of what it has merged. */
static void replace_elements(struct order *o, int k) {
    const struct element *front = &o->element[o->m + k];
    for (int n = 0; n < front->count; n++) {
        int c = front->column[n], kept = 0;
        if (o->score[c] == NOT_FOLLOWED) continue;
        unlist(o, c);
        for (int i = 0; i < o->ins[c]; i++) {
            struct element *e = &o->element[o->in[c][i]];
            if (e->parent >= 0) continue;
            o->in[c][kept++] = o->in[c][i];
            if (e->stamp != o->stamp) e->outside = e->count;
            e->stamp = o->stamp;
            e->outside--;
        }
        o->ins[c] = kept;
    }
    if (front->rows == 0) o->stamp++; /* it is gone */
    for (int n = 0; n < front->count; n++) {
        int c = front->column[n];
        if (o->score[c] == NOT_FOLLOWED) continue;
        list(o, c, front->rows > 0 ? front->count - 1 : 0);
        if (front->rows > 0) o->in[c][o->ins[c]++] = o->m + k;
    }
}

/* Front k eliminates column c; 0, -1: no memory, 1: no row has it, and the matrix is singular. */
static int merge(struct order *o, int k, int c) {
    struct element *front = &o->element[o->m + k];
    size_t most = 0;
    for (int i = 0; i < o->ins[c]; i++) most += (size_t)o->element[o->in[c][i]].count;
    if (most == 0) return 1;
    front->column = take(o, most < (size_t)o->m ? most : (size_t)o->m);
    if (!front->column) return -1;
    o->stamp++;
    o->mark[c] = o->stamp;
    for (int i = 0; i < o->ins[c]; i++) {
        struct element *e = &o->element[o->in[c][i]];
        e->parent = k;
        o->height[k] += e->rows;
        for (int n = 0; n < e->count; n++) {
            if (o->mark[e->column[n]] == o->stamp) continue;
            o->mark[e->column[n]] = o->stamp;
            front->column[front->count++] = e->column[n];
        }
    }
    front->rows = o->height[k] - 1;
    front->parent = -1;
    o->pivot[k] = c;
    unlist(o, c);
    o->score[c] = GONE;
    replace_elements(o, k);
    return 0;
}

/* number[k]: the place of front k, behind those below it.  child, sibling: work. */
static void number_fronts(struct order *o, int *number, int *child, int *sibling) {
    int count = 0, *stack = o->next, depth = 0;
    for (int k = 0; k < o->m; k++) child[k] = number[k] = -1;
    for (int k = o->m - 1; k >= 0; k--) {
        int parent = o->element[o->m + k].rows > 0 ? o->element[o->m + k].parent : -1;
        if (parent < 0) continue;
        sibling[k] = child[parent];
        child[parent] = k;
    }
    for (int k = 0; k < o->m; k++) {
        if (o->element[o->m + k].rows > 0 && o->element[o->m + k].parent >= 0) continue;
        stack[depth++] = k;
        while (depth > 0) {
            int top = stack[depth - 1];
            if (child[top] >= 0) {
                stack[depth++] = child[top];
                child[top] = sibling[child[top]];
                continue;
            }
            number[top] = count++;
            depth--;
        }
    }
}

/* Room for the tables of f; 0, or -1 where there is none or they would be too large. */
static int reserve(struct order *o, struct series_fronts *f) {
    double columns = 0, slots = 0, largest = 0;
    for (int k = 0; k < o->m; k++) {
        double width = o->element[o->m + k].count + 1, height = o->height[k];
        columns += width;
        slots += height;
        largest = fmax(largest, width * height);
    }
    if (columns + slots > SERIES_MOST_ROOM || largest > SERIES_MOST_ROOM) return 1;
    f->columns = (int)columns;
    f->slots = (int)slots;
    f->factors = (int)(columns + slots) - o->m;
    f->largest = (int)largest;
    f->shape = malloc(((size_t)o->m * SERIES_SHAPE + 1) * sizeof *f->shape);
    f->column = malloc(((size_t)f->columns + 1) * sizeof *f->column);
    f->onto = calloc((size_t)f->columns + 1, sizeof *f->onto);
    f->slot = malloc(((size_t)f->slots + 1) * sizeof *f->slot);
    f->to = malloc(((size_t)f->entries + 1) * sizeof *f->to);
    f->from = malloc(((size_t)f->entries + 1) * sizeof *f->from);
    return f->shape && f->column && f->onto && f->slot && f->to && f->from ? 0 : -1;
}

struct filling {
    struct order *o;
    struct series_fronts *f;
    const struct derive_sparse *j;
    int *own, *next_own; /* by front and by row: the rows of the matrix that begin there */
    int *at;             /* by column: its place in the front at hand */
    int *taker;          /* by place: the front that takes what is left there; -1: none */
    int columns, slots, entries;
    double stack, highest;
};

/* Front k as number `place`. */
static void fill_front(struct filling *w, int k, int place) {
    struct series_fronts *f = w->f;
    const struct element *front = &w->o->element[w->o->m + k];
    int width = front->count + 1, row = 0, *shape = f->shape + (size_t)place * SERIES_SHAPE,
        entries = w->entries;
    int *slot = f->slot + w->slots, first = place;
    f->column[w->columns] = w->o->pivot[k];
    for (int c = 0; c < front->count; c++) f->column[w->columns + 1 + c] = front->column[c];
    for (int c = 0; c < width; c++) w->at[f->column[w->columns + c]] = c;
    for (int i = w->own[k]; i >= 0; i = w->next_own[i], row++) {
        slot[row] = i;
        for (int e = w->j->row_start[i]; e < w->j->row_start[i + 1]; e++) {
            f->to[w->entries] = row * width + w->at[w->j->column[e]];
            f->from[w->entries++] = e;
        }
    }
    /* the last child is highest on the stack, and has the last rows */
    row = w->o->height[k];
    for (int j = place - 1; j >= 0 && w->taker[j] == k; j = f->shape[(size_t)j * SERIES_SHAPE + 3] - 1) {
        const int *child = f->shape + (size_t)j * SERIES_SHAPE;
        for (int c = 1; c < child[1]; c++) f->onto[child[5] + c] = w->at[f->column[child[5] + c]];
        row -= child[2] - 1;
        for (int i = 1; i < child[2]; i++) slot[row + i - 1] = f->slot[child[6] + i];
        w->stack -= (double)(child[1] - 1) * (child[2] - 1);
        first = child[3];
    }
    const int filled[SERIES_SHAPE] = {w->o->pivot[k],       width,      w->o->height[k], first,
                                      w->entries - entries, w->columns, w->slots};
    for (int i = 0; i < SERIES_SHAPE; i++) shape[i] = filled[i];
    w->columns += width;
    w->slots += w->o->height[k];
    w->stack += (double)(width - 1) * (w->o->height[k] - 1);
    w->highest = fmax(w->highest, w->stack);
}

/* The tables, with fronts in their new order. */
static int fill(struct order *o, const struct derive_sparse *j, struct series_fronts *f) {
    struct filling w = {.o = o, .f = f, .j = j, .at = o->mark, .taker = o->before};
    int *number = take(o, (size_t)o->m), *place = take(o, (size_t)o->m), status;
    w.own = take(o, (size_t)o->m), w.next_own = take(o, (size_t)o->m);
    if (o->pool.refused) return -1;
    if ((status = reserve(o, f)) != 0) return status;
    number_fronts(o, number, w.own, w.next_own);
    for (int k = 0; k < o->m; k++) {
        const struct element *front = &o->element[o->m + k];
        place[number[k]] = k;
        w.taker[number[k]] = front->rows > 0 ? front->parent : -1;
        w.own[k] = -1;
    }
    for (int i = o->m - 1; i >= 0; i--) {
        w.next_own[i] = w.own[o->element[i].parent];
        w.own[o->element[i].parent] = i;
    }
    for (int p = 0; p < o->m; p++) fill_front(&w, place[p], p);
    if (w.highest > SERIES_MOST_ROOM) return 1;
    f->stack = (int)w.highest;
    return 0;
}

int series_fronts_find(struct series_fronts *f, const struct derive_sparse *j) {
    struct order o = {.m = j->rows};
    *f = (struct series_fronts){.m = j->rows, .entries = j->row_start[j->rows]};
    int status = begin(&o, j);
    double entries = 0;
    for (int k = 0; k < o.m && !status; k++) {
        status = merge(&o, k, next_column(&o, k));
        entries += o.element[o.m + k].count;
        if (!status && entries > SERIES_MOST_ROOM) status = 1;
    }
    if (!status) status = fill(&o, j, f);
    pool_release(&o.pool);
    if (status) series_fronts_free(f);
    return status;
}

double series_fronts_room(const struct series_fronts *f) {
    return (double)f->entries + f->factors + 2. * f->m + f->largest + f->stack;
}

void series_fronts_free(struct series_fronts *f) {
    free(f->shape);
    free(f->column);
    free(f->onto);
    free(f->slot);
    free(f->to);
    free(f->from);
    *f = (struct series_fronts){0};
}
