/* roll_classes.c - groups of items, each written as words that are the same for equal groups; groups of equal
 * words are a class. */
#include "symbolic/roll_private.h"

#include <stdlib.h>
#include <string.h>

struct writer {
    struct roller *b;
    struct roll_word_list words;
    uint32_t *local, *seen; /* per node: its number in the group that is written, and that group */
    uint32_t *stack;
    size_t depth, capacity;
    uint32_t group, locals;
};

static void put(struct writer *w, uint32_t word) {
    struct roll_word_list *list = &w->words;
    list->word = roll_widen(w->b, list->word, list->count, &list->capacity, sizeof *list->word);
    if (!w->b->failed) list->word[list->count++] = word;
}

static void push(struct writer *w, uint32_t node) {
    w->stack = roll_widen(w->b, w->stack, w->depth, &w->capacity, sizeof *w->stack);
    if (!w->b->failed) w->stack[w->depth++] = node;
}

/* Where a leaf comes from; -1: the node is evaluated in this group. */
static int leaf_place(const struct roller *b, uint32_t node, uint32_t group) {
    const struct roll_node *n = &b->node[node];
    if (n->op == EXPR_CONSTANT) return ROLL_NUMBER;
    if (n->op != EXPR_SYMBOL)
        return b->sum_of[node] == ROLL_NONE && b->group_of[b->owner[node]] == group ? -1 : ROLL_VALUE;
    return n->source == TAPE_TIME ? ROLL_TIME : n->source == TAPE_STATE ? ROLL_STATE : ROLL_PARAMETER;
}

static void number(struct writer *w, uint32_t node) {
    w->seen[node] = w->group + 1;
    w->local[node] = w->locals++;
}

static void write_leaf(struct writer *w, uint32_t node, int place) {
    struct roller *b = w->b;
    put(w, (uint32_t)place);
    number(w, node);
    b->leaf = roll_widen(b, b->leaf, b->leaves, &b->leaf_capacity, sizeof *b->leaf);
    if (!b->failed) b->leaf[b->leaves++] = node;
}

/* Operands first; each is written once. */
static void write_node(struct writer *w, uint32_t root) {
    w->depth = 0;
    push(w, root);
    while (w->depth && !w->b->failed) {
        uint32_t node = w->stack[w->depth - 1];
        int known = w->seen[node] == w->group + 1, place = known ? 0 : leaf_place(w->b, node, w->group);
        if (!known && place >= 0) write_leaf(w, node, place);
        if (place >= 0) {
            w->depth--;
            continue;
        }
        int fresh = 0;
        const struct roll_node *n = &w->b->node[node];
        for (int k = n->count - 1; k >= 0; k--)
            if (w->seen[n->operand[k]] != w->group + 1) {
                push(w, n->operand[k]);
                fresh = 1;
            }
        if (fresh) continue;
        w->depth--;
        put(w, ROLL_LESS + 1u + n->op);
        put(w, n->power);
        for (int k = 0; k < n->count; k++) put(w, w->local[n->operand[k]]);
        number(w, node);
    }
}

static void write_result(struct writer *w, uint32_t item, enum roll_place place) {
    struct roller *b = w->b;
    put(w, (uint32_t)place);
    put(w, w->local[b->item[item].node]);
    b->result = roll_widen(b, b->result, b->results, &b->result_capacity, sizeof *b->result);
    if (!b->failed) b->result[b->results++] = (struct roll_result){item, (unsigned char)place};
}

/* The items of a group that have results, then these. */
static void write_group(struct writer *w, struct roll_group *group) {
    struct roller *b = w->b;
    w->words.count = 0;
    w->locals = 0;
    group->leaf = (uint32_t)b->leaves;
    group->result = (uint32_t)b->results;
    for (uint32_t i = group->first; i != ROLL_NONE; i = b->item[i].next) write_node(w, b->item[i].node);
    for (uint32_t i = group->first; i != ROLL_NONE && !b->failed; i = b->item[i].next) {
        const struct roll_item *item = &b->item[i];
        if (item->sum != ROLL_NONE) write_result(w, i, item->less ? ROLL_LESS : ROLL_ADD);
        else if (item->used && !item->inside) write_result(w, i, ROLL_STORE);
        if (item->output != ROLL_NONE) write_result(w, i, ROLL_OUT);
    }
}

static uint32_t hash(const struct roll_word_list *list) {
    uint64_t h = list->count;
    for (size_t i = 0; i < list->count; i++) {
        h = (h ^ list->word[i]) * 0xd6e8feb86659fd93u;
        h ^= h >> 32;
    }
    return (uint32_t)h;
}

static int grow_table(struct roller *b) {
    size_t capacity = b->table_capacity ? 2 * b->table_capacity : 256;
    uint32_t *table = calloc(capacity, sizeof *table);
    if (!table) return b->failed = 1, -1;
    for (size_t i = 0; i < b->classes; i++) {
        size_t at = hash(&b->class[i]) & (capacity - 1);
        while (table[at]) at = (at + 1) & (capacity - 1);
        table[at] = (uint32_t)i + 1;
    }
    free(b->table);
    b->table = table;
    b->table_capacity = capacity;
    return 0;
}

/* The class of these words, a new one if need be. */
static uint32_t find_class(struct roller *b, const struct roll_word_list *list) {
    if (2 * b->classes >= b->table_capacity && grow_table(b)) return 0;
    size_t at = hash(list) & (b->table_capacity - 1);
    for (; b->table[at]; at = (at + 1) & (b->table_capacity - 1)) {
        const struct roll_word_list *known = &b->class[b->table[at] - 1];
        if (known->count == list->count &&
            memcmp(known->word, list->word, list->count * sizeof *list->word) == 0)
            return b->table[at] - 1;
    }
    b->class = roll_widen(b, b->class, b->classes, &b->class_capacity, sizeof *b->class);
    uint32_t *copy = malloc((list->count + 1) * sizeof *copy);
    if (!copy || b->failed) {
        free(copy);
        b->failed = 1;
        return 0;
    }
    memcpy(copy, list->word, list->count * sizeof *copy);
    b->class[b->classes] = (struct roll_word_list){copy, list->count, list->count};
    b->table[at] = (uint32_t)b->classes + 1;
    b->words += list->count;
    return (uint32_t)b->classes++;
}

/* Items with results in the lists of their groups: terms in the order of their sums, which were found last
 * first. */
static int list_groups(struct roller *b) {
    uint32_t *at = malloc((b->items + 1) * sizeof *at);
    b->group = roll_take(b, b->items, sizeof *b->group);
    if (!at || b->failed) return free(at), b->failed = 1, -1;
    for (size_t i = 0; i < b->items; i++) at[i] = ROLL_NONE;
    for (uint32_t i = 0; i < b->items; i++) {
        struct roll_item *item = &b->item[i];
        uint32_t root = b->group_of[i];
        if (item->inside && item->output == ROLL_NONE) continue;
        if (at[root] == ROLL_NONE) {
            at[root] = (uint32_t)b->groups;
            b->group[b->groups++] = (struct roll_group){.first = ROLL_NONE, .key = item->key};
        }
        struct roll_group *g = &b->group[at[root]];
        if (item->key < g->key) g->key = item->key;
        item->next = g->first;
        g->first = i;
    }
    for (size_t i = 0; i < b->items; i++) b->group_of[i] = at[b->group_of[i]];
    free(at);
    return 0;
}

int roll_classes(struct roller *b) {
    enum { LEAST_GAIN = 4 };
    struct writer w = {.b = b};
    w.local = roll_take(b, b->nodes, sizeof *w.local);
    w.seen = roll_take(b, b->nodes, sizeof *w.seen);
    if (b->failed || list_groups(b)) return -1;
    for (w.group = 0; w.group < b->groups && !b->failed && LEAST_GAIN * b->words <= 3 * b->length;
         w.group++) {
        write_group(&w, &b->group[w.group]);
        if (!b->failed) b->group[w.group].class = find_class(b, &w.words);
    }
    free(w.words.word);
    free(w.stack);
    if (b->failed) return -1;
    return w.group < b->groups ? 1 : 0;
}
