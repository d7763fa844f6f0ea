/* roll_order.c - an order in which all is known that an item needs, with few and long loops; then the indices
 * of leaves and results along it.
 *
 * A group waits for the values it reads, for the last term of a sum it reads, and for the terms before its
 * own in every sum.  Of the classes with groups that wait for nothing one is taken, and run as long as it has
 * such groups, the first in the natural order first: a class whose groups need each other is one loop, too.
 * Classes that can be run to their end come first. */
#include "symbolic/roll_private.h"

#include <stdlib.h>
#include <string.h>

/* Groups of one class that wait for nothing: a heap by their keys. */
struct ready {
    uint32_t *group;
    uint32_t count, left; /* left: not yet run */
};

struct order {
    struct roller *b;
    struct roll *r;
    uint32_t *waits;             /* per group: for how many */
    uint32_t *first, *next, *to; /* edges */
    size_t edges;
    struct ready *ready; /* per class */
    uint32_t *heap;      /* theirs */
    uint32_t *step_of;   /* per group */
    uint32_t *run;       /* groups as they are run */
    size_t runs, step_capacity;
    uint32_t *slot;   /* per item: its value */
    uint32_t *number; /* per node: one more than its number */
};

/* Who gives the value of a node. */
static uint32_t giver(const struct roller *b, uint32_t node) {
    uint32_t sum = b->sum_of[node];
    if (sum == ROLL_NONE) return b->group_of[b->owner[node]];
    return b->group_of[b->sum[sum].first + b->sum[sum].count - 1];
}

static uint32_t leaf_end(const struct roller *b, size_t group) {
    return group + 1 < b->groups ? b->group[group + 1].leaf : (uint32_t)b->leaves;
}

static uint32_t result_end(const struct roller *b, size_t group) {
    return group + 1 < b->groups ? b->group[group + 1].result : (uint32_t)b->results;
}

static void add_edge(struct order *o, uint32_t from, uint32_t to) {
    if (from == to) return;
    o->to[o->edges] = to;
    o->next[o->edges] = o->first[from];
    o->first[from] = (uint32_t)o->edges++;
    o->waits[to]++;
}

static void add_edges(struct order *o) {
    struct roller *b = o->b;
    for (size_t i = 0; i < b->groups; i++) o->first[i] = ROLL_NONE;
    for (uint32_t i = 0; i < b->groups; i++)
        for (uint32_t k = b->group[i].leaf; k < leaf_end(b, i); k++)
            if (!roll_is_leaf(b, b->leaf[k])) add_edge(o, giver(b, b->leaf[k]), i);
    for (size_t s = 0; s < b->sums; s++)
        for (uint32_t k = b->sum[s].first; k + 1 < b->sum[s].first + b->sum[s].count; k++)
            add_edge(o, b->group_of[k], b->group_of[k + 1]);
}

static int before(const struct order *o, uint32_t x, uint32_t y) {
    const struct roll_group *g = o->b->group;
    return g[x].key < g[y].key || (g[x].key == g[y].key && x < y);
}

static void heap_add(struct order *o, uint32_t group) {
    struct ready *h = &o->ready[o->b->group[group].class];
    uint32_t at = h->count++;
    for (; at > 0 && before(o, group, h->group[(at - 1) / 2]); at = (at - 1) / 2)
        h->group[at] = h->group[(at - 1) / 2];
    h->group[at] = group;
}

static uint32_t heap_take(struct order *o, struct ready *h) {
    uint32_t top = h->group[0], last = h->group[--h->count], at = 0;
    for (uint32_t child; (child = 2 * at + 1) < h->count; at = child) {
        if (child + 1 < h->count && before(o, h->group[child + 1], h->group[child])) child++;
        if (!before(o, h->group[child], last)) break;
        h->group[at] = h->group[child];
    }
    h->group[at] = last;
    return top;
}

/* The class to run next; ROLL_NONE: nothing is ready. */
static uint32_t choose(const struct order *o) {
    uint32_t best = ROLL_NONE;
    for (uint32_t i = 0; i < o->b->classes; i++) {
        const struct ready *h = &o->ready[i];
        if (h->count == 0) continue;
        if (h->count == h->left) return i;
        if (best == ROLL_NONE || before(o, h->group[0], o->ready[best].group[0])) best = i;
    }
    return best;
}

/* Does the group read what an earlier one of this step gives? */
static int reads_own_step(const struct order *o, uint32_t group) {
    const struct roller *b = o->b;
    for (uint32_t k = b->group[group].leaf; k < leaf_end(b, group); k++)
        if (!roll_is_leaf(b, b->leaf[k]) && o->step_of[giver(b, b->leaf[k])] == o->step_of[group]) return 1;
    return 0;
}

static int run_class(struct order *o, uint32_t class) {
    struct roll *r = o->r;
    r->step = roll_widen(o->b, r->step, r->steps, &o->step_capacity, sizeof *r->step);
    if (o->b->failed) return -1;
    struct roll_step *s = &r->step[r->steps];
    *s = (struct roll_step){.class = class, .first = (uint32_t)o->runs};
    struct ready *h = &o->ready[class];
    while (h->count > 0) {
        uint32_t group = heap_take(o, h);
        h->left--;
        o->step_of[group] = r->steps;
        s->serial |= reads_own_step(o, group);
        o->run[o->runs++] = group;
        for (uint32_t k = o->first[group]; k != ROLL_NONE; k = o->next[k])
            if (--o->waits[o->to[k]] == 0) heap_add(o, o->to[k]);
    }
    s->last = (uint32_t)o->runs;
    r->steps++;
    return 0;
}

static int sort_groups(struct order *o) {
    struct roller *b = o->b;
    size_t edges = b->leaves, at = 0;
    for (size_t s = 0; s < b->sums; s++) edges += b->sum[s].count;
    o->waits = roll_take(b, b->groups, sizeof *o->waits);
    o->first = roll_take(b, b->groups, sizeof *o->first);
    o->next = roll_take(b, edges, sizeof *o->next);
    o->to = roll_take(b, edges, sizeof *o->to);
    o->ready = roll_take(b, b->classes, sizeof *o->ready);
    o->heap = roll_take(b, b->groups, sizeof *o->heap);
    o->step_of = roll_take(b, b->groups, sizeof *o->step_of);
    o->run = roll_take(b, b->groups, sizeof *o->run);
    if (b->failed) return -1;
    add_edges(o);
    for (size_t i = 0; i < b->groups; i++) o->step_of[i] = ROLL_NONE;
    for (size_t i = 0; i < b->groups; i++) o->ready[b->group[i].class].left++;
    for (size_t i = 0; i < b->classes; at += o->ready[i++].left) o->ready[i].group = o->heap + at;
    for (uint32_t i = 0; i < b->groups; i++)
        if (o->waits[i] == 0) heap_add(o, i);
    for (uint32_t class; (class = choose(o)) != ROLL_NONE;) {
        if (run_class(o, class)) return -1;
        if (16 * (size_t)o->r->steps > b->length) return 1; /* no loops */
    }
    return o->runs == b->groups ? 0 : 1;
}

/* Indices ------------------------------------------------------------------------------------------------ */

static uint32_t leaf_index(struct order *o, uint32_t node) {
    struct roller *b = o->b;
    const struct roll_node *n = &b->node[node];
    if (n->op == EXPR_SYMBOL) {
        const struct tape_input *in = &b->q->input[b->q->where[b->q->list->item[node]] - 1];
        return in->source == TAPE_TIME ? 0 : in->index;
    }
    if (n->op == EXPR_CONSTANT) {
        if (!o->number[node]) {
            expr_is_constant(b->g, b->q->list->item[node], &o->r->number[o->r->numbers]);
            o->number[node] = ++o->r->numbers;
        }
        return o->number[node] - 1;
    }
    if (b->sum_of[node] != ROLL_NONE) return (uint32_t)b->sums - 1 - b->sum_of[node];
    return o->slot[b->owner[node]];
}

static uint32_t result_index(struct order *o, const struct roll_result *result) {
    const struct roll_item *item = &o->b->item[result->item];
    if (result->place == ROLL_OUT) return item->output;
    if (result->place != ROLL_STORE) return (uint32_t)o->b->sums - 1 - item->sum;
    return o->slot[result->item] = o->r->values++;
}

/* The indices of a group, one for each column. */
static void index_group(struct order *o, uint32_t group, uint32_t *to) {
    struct roller *b = o->b;
    for (uint32_t k = b->group[group].leaf; k < leaf_end(b, group); k++) *to++ = leaf_index(o, b->leaf[k]);
    for (uint32_t k = b->group[group].result; k < result_end(b, group); k++)
        *to++ = result_index(o, &b->result[k]);
}

/* Is row y one stride on from row x? */
static int follows(const uint32_t *x, const uint32_t *y, const int32_t *stride, uint32_t columns) {
    for (uint32_t k = 0; k < columns; k++)
        if (y[k] != x[k] + (uint32_t)stride[k]) return 0;
    return 1;
}

/* The strides that most pairs of neighbours have, if more than half of them have the same. */
static void find_strides(struct roll_class *c, const uint32_t *row, uint32_t rows) {
    uint32_t votes = 0;
    for (uint32_t i = 0; i + 1 < rows; i++) {
        const uint32_t *x = row + (size_t)i * c->columns, *y = x + c->columns;
        if (votes && !follows(x, y, c->stride, c->columns)) {
            votes--;
            continue;
        }
        for (uint32_t k = 0; k < c->columns && votes == 0; k++) c->stride[k] = (int32_t)(y[k] - x[k]);
        votes++;
    }
}

/* A sum that stays where it is during a run can be held in a register if nothing else of the class adds to it
 * meanwhile. */
static void find_held(struct roll_class *c) {
    for (uint32_t k = c->leaves; k < c->columns; k++) {
        int held = c->place[k] >= ROLL_ADD && c->stride[k] == 0;
        for (uint32_t j = c->leaves; j < c->columns && held; j++) {
            if (j == k || c->place[j] < ROLL_ADD) continue;
            for (uint32_t r = 0; r < c->runs && held; r++) {
                const uint32_t *base = c->base + (size_t)r * c->columns;
                int64_t way = (int64_t)base[k] - base[j], stride = c->stride[j];
                if (stride == 0) held = way != 0;
                else held = way % stride != 0 || way / stride < 0 || way / stride >= c->length[r];
            }
        }
        c->held[k] = (unsigned char)held;
    }
}

/* The rows of a step as runs: those that follow one another become one.  There are never more runs than
 * rows before them, so they take their places; `last` has room for a row. */
static void join_rows(struct roll_class *c, uint32_t first, uint32_t count, uint32_t *last) {
    size_t bytes = c->columns * sizeof *last;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *row = c->base + (size_t)(first + i) * c->columns;
        int on = i > 0 && follows(last, row, c->stride, c->columns);
        memcpy(last, row, bytes);
        if (on) c->length[c->runs - 1]++;
        else {
            memcpy(c->base + (size_t)c->runs * c->columns, last, bytes);
            c->length[c->runs++] = 1;
        }
    }
}

/* The body as a tape, from the words of the class. */
static int write_body(struct order *o, struct roll_class *c, const struct roll_word_list *list) {
    struct graph g;
    expr missing;
    size_t words = list->count, nodes = 0, inputs = 0, results = 0;
    expr *node = malloc((words + 1) * sizeof *node), *root = malloc((words + 1) * sizeof *root);
    struct tape_input *input = malloc((words + 1) * sizeof *input);
    int failed = !node || !root || !input || expr_open(&g);
    if (!failed) g.rows = o->b->g->rows;
    for (size_t i = 0; i < words && !failed;) {
        uint32_t word = list->word[i++];
        if (word <= ROLL_VALUE) {
            c->place[inputs] = (unsigned char)word;
            node[nodes] = expr_symbol(&g, EXPR_HELD, (uint32_t)inputs, 0);
            input[inputs] = (struct tape_input){node[nodes++], TAPE_LEAF, (uint32_t)inputs};
            inputs++;
        } else if (word <= ROLL_LESS) {
            c->place[c->leaves + results] = (unsigned char)word;
            root[results++] = node[list->word[i++]];
        } else {
            uint32_t op = word - ROLL_LESS - 1, power = list->word[i++];
            uint32_t operand[3] = {0, op == EXPR_POWI ? power : 0, 0};
            c->branches |= op == EXPR_IF;
            for (int k = 0; k < expr_operands((enum expr_op)op); k++) operand[k] = node[list->word[i++]];
            node[nodes++] = expr_intern(&g, (struct expr_node){op, operand[0], operand[1], operand[2]});
        }
    }
    failed = failed || g.failed || tape_build_straight(&c->body, &g, results, root, inputs, input, &missing);
    if (node && root && input) expr_close(&g);
    free(node);
    free(root);
    free(input);
    if (failed) o->b->failed = 1;
    return failed ? -1 : 0;
}

static void count_columns(const struct roll_word_list *list, struct roll_class *c) {
    for (size_t i = 0; i < list->count;) {
        uint32_t word = list->word[i++];
        c->leaves += word <= ROLL_VALUE;
        c->columns += word <= ROLL_LESS;
        if (word > ROLL_LESS) i += 1 + (size_t)expr_operands((enum expr_op)(word - ROLL_LESS - 1));
        else i += word > ROLL_VALUE;
    }
}

/* One row of indices for each group, in the order in which they are run; then the runs. */
static int open_class(struct order *o, uint32_t number, uint32_t rows) {
    struct roll_class *c = &o->r->class[number];
    count_columns(&o->b->class[number], c);
    c->place = calloc(c->columns + 1, 1);
    c->held = calloc(c->columns + 1, 1);
    c->stride = calloc(c->columns + 1, sizeof *c->stride);
    c->length = calloc(rows + 1, sizeof *c->length);
    c->base = calloc((size_t)(rows + 1) * c->columns + 1, sizeof *c->base);
    if (!c->place || !c->held || !c->stride || !c->length || !c->base) return o->b->failed = 1, -1;
    return write_body(o, c, &o->b->class[number]);
}

/* Less memory, if that can be had. */
static void *shorter(void *list, size_t bytes) {
    void *less = realloc(list, bytes ? bytes : 1);
    return less ? less : list;
}

/* The steps run groups, which are rows of their classes; from here on they run runs. */
static void index_all(struct order *o, uint32_t *rows, uint32_t *last) {
    struct roll *r = o->r;
    for (uint32_t s = 0; s < r->steps; s++) {
        struct roll_class *c = &r->class[r->step[s].class];
        for (uint32_t i = r->step[s].first; i < r->step[s].last; i++)
            index_group(o, o->run[i], c->base + (size_t)rows[r->step[s].class]++ * c->columns);
    }
    for (uint32_t k = 0; k < r->classes; k++) find_strides(&r->class[k], r -> class[k].base, rows[k]);
    memset(rows, 0, r->classes * sizeof *rows);
    for (uint32_t s = 0; s < r->steps; s++) {
        struct roll_step *step = &r->step[s];
        struct roll_class *c = &r->class[step->class];
        uint32_t count = step->last - step->first;
        step->first = c->runs;
        join_rows(c, rows[step->class], count, last);
        step->last = c->runs;
        rows[step->class] += count;
    }
    for (uint32_t k = 0; k < r->classes; k++) {
        struct roll_class *c = &r->class[k];
        find_held(c);
        c->length = shorter(c->length, c->runs * sizeof *c->length);
        c->base = shorter(c->base, (size_t)c->runs * c->columns * sizeof *c->base);
        r->operations += (double)rows[k] * (double)(c->body.count + c->columns);
        if (c->body.registers + c->columns > r->widest) r->widest = c->body.registers + c->columns;
    }
}

int roll_order(struct roller *b, struct roll *r) {
    struct order o = {.b = b, .r = r};
    int status = sort_groups(&o);
    if (status) return status;
    uint32_t widest = 0;
    uint32_t *rows = roll_take(b, b->classes, sizeof *rows);
    o.slot = roll_take(b, b->items, sizeof *o.slot);
    o.number = roll_take(b, b->nodes, sizeof *o.number);
    r->number = malloc((b->nodes + 1) * sizeof *r->number);
    r->class = calloc(b->classes + 1, sizeof *r->class);
    if (!r->number || !r->class || b->failed) return -1;
    r->classes = (uint32_t)b->classes;
    r->sums = r->values = (uint32_t)b->sums;
    for (size_t i = 0; i < b->groups; i++) rows[b->group[i].class]++;
    for (uint32_t k = 0; k < r->classes; k++) {
        if (open_class(&o, k, rows[k])) return -1;
        if (r->class[k].columns > widest) widest = r->class[k].columns;
        rows[k] = 0;
    }
    uint32_t *last = roll_take(b, widest, sizeof *last);
    if (b->failed) return -1;
    index_all(&o, rows, last);
    r->number = shorter(r->number, r->numbers * sizeof *r->number);
    return 0;
}
