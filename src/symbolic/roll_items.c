/* roll_items.c - the graph is cut into items; see roll.h.
 *
 * From the outputs down each node belongs to the item that alone uses it.  One that two items use is an item
 * itself.  A sum of many terms has an item for each term. */
#include "symbolic/roll_private.h"

#include <stdlib.h>

enum { LEAST_TERMS = 12, LEAST_INNER = 4 }; /* of a sum that is cut; of one that is a term of such */

void *roll_take(struct roller *b, size_t count, size_t size) {
    void *taken = b->owns < (int)(sizeof b->owned / sizeof *b->owned) ? calloc(count + 1, size) : NULL;
    if (taken) b->owned[b->owns++] = taken;
    else b->failed = 1;
    return taken;
}

/* Room for one more. */
void *roll_widen(struct roller *b, void *list, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) return list;
    size_t wider = 2 * *capacity + 64;
    void *more = wider < UINT32_MAX / 2 ? realloc(list, wider * size) : NULL;
    if (more) *capacity = wider;
    else b->failed = 1;
    return more ? more : list;
}

static void count_uses(struct roller *b) {
    for (uint32_t i = 0; i < b->nodes; i++)
        for (int k = 0; k < b->node[i].count; k++) b->uses[b->node[i].operand[k]]++;
    for (size_t k = b->q->outputs; k-- > 0;) {
        if (b->q->output[k] == EXPR_NONE) continue;
        uint32_t at = b->place_of[b->q->output[k]];
        b->uses[at]++;
        b->next_output[k] = b->first_output[at];
        b->first_output[at] = (uint32_t)k;
    }
}

/* The sum that a + b or a - b goes on with: a or b, ROLL_NONE where it begins here. */
static uint32_t goes_on(const struct roller *b, const struct roll_node *n) {
    uint32_t found = ROLL_NONE, most = 0;
    int sides = n->op == EXPR_ADD ? 2 : n->op == EXPR_SUB ? 1 : 0;
    for (int k = 0; k < sides; k++) {
        uint32_t at = n->operand[k];
        if (b->uses[at] != 1 || b->spine[at] <= most) continue;
        found = at;
        most = b->spine[at];
    }
    return found;
}

static void measure_sums(struct roller *b) {
    for (uint32_t i = 0; i < b->nodes; i++) {
        if (b->node[i].op != EXPR_ADD && b->node[i].op != EXPR_SUB) continue;
        uint32_t on = goes_on(b, &b->node[i]);
        b->spine[i] = 1 + (on == ROLL_NONE ? 0 : b->spine[on]);
    }
}

static uint32_t new_item(struct roller *b, enum item_kind kind, uint32_t node, uint32_t key) {
    b->item = roll_widen(b, b->item, b->items, &b->item_capacity, sizeof *b->item);
    if (b->failed) return 0;
    b->item[b->items] = (struct roll_item){
        .node = node, .sum = ROLL_NONE, .output = ROLL_NONE, .key = key, .kind = (unsigned char)kind};
    return (uint32_t)b->items++;
}

/* Item `user` needs the node. */
static void claim(struct roller *b, uint32_t node, uint32_t user) {
    if (roll_is_leaf(b, node) || b->sum_of[node] != ROLL_NONE) return;
    uint32_t *at = &b->owner[node];
    *at = *at == ROLL_NONE || *at == user ? user : ROLL_MANY;
}

static void add_term(struct roller *b, uint32_t sum, uint32_t node, int less, uint32_t key) {
    int own = !roll_is_leaf(b, node) && b->uses[node] == 1 && b->spine[node] + 1 < LEAST_INNER && !b->apart;
    uint32_t item = new_item(b, own ? ITEM_TERM : ITEM_COPY, node, key);
    if (b->failed) return;
    b->item[item].sum = sum;
    b->item[item].less = (unsigned char)less;
    if (!own && b->uses[node] == 1 && b->spine[node] + 1 >= LEAST_INNER) b->inner[node] = 1;
    if (own) b->owner[node] = item;
    else if (!roll_is_leaf(b, node)) b->owner[node] = ROLL_MANY;
}

/* The terms of the sum that ends at `root`, the first first.  The inner additions are parts of it. */
static void add_sum(struct roller *b, uint32_t root) {
    const struct roll_node *n;
    uint32_t sum = (uint32_t)b->sums, at = root, on;
    b->sum = roll_widen(b, b->sum, b->sums, &b->sum_capacity, sizeof *b->sum);
    if (b->failed) return;
    b->sum_of[root] = sum;
    b->sum[b->sums++] = (struct roll_sum){root, (uint32_t)b->items, b->spine[root] + 1};
    for (;;) {
        n = &b->node[at];
        on = goes_on(b, n);
        if (on == ROLL_NONE) break;
        add_term(b, sum, on == n->operand[0] ? n->operand[1] : n->operand[0], n->op == EXPR_SUB, at);
        b->part[on] = 1;
        at = on;
    }
    add_term(b, sum, n->operand[1], n->op == EXPR_SUB, at);
    add_term(b, sum, n->operand[0], 0, at);
    for (size_t i = b->sum[sum].first, k = b->items; !b->failed && i + 1 < k;
         i++) { /* they came last first */
        struct roll_item item = b->item[i];
        b->item[i] = b->item[--k];
        b->item[k] = item;
    }
    for (size_t i = b->sum[sum].first; !b->failed && i < b->items; i++)
        if (b->item[i].kind == ITEM_TERM) b->owner[b->item[i].node] = (uint32_t)i;
}

/* A node's turn: all its users have had theirs. */
static void visit(struct roller *b, uint32_t i) {
    const struct roll_node *n = &b->node[i];
    if (roll_is_leaf(b, i) || b->part[i]) return;
    if (b->inner[i] || b->spine[i] + 1 >= LEAST_TERMS) {
        add_sum(b, i);
        return;
    }
    if (b->owner[i] == ROLL_MANY || b->first_output[i] != ROLL_NONE) {
        uint32_t item = new_item(b, ITEM_VALUE, i, i);
        if (b->failed) return;
        b->item[item].output = b->first_output[i];
        b->item[item].used = b->owner[i] != ROLL_NONE;
        b->owner[i] = item;
    }
    for (int k = 0; k < n->count; k++) claim(b, n->operand[k], b->owner[i]);
}

/* Outputs that no item has as its own. */
static void copy_outputs(struct roller *b) {
    for (uint32_t i = 0; i < b->nodes && !b->failed; i++) {
        uint32_t k = b->first_output[i];
        int has_item = !roll_is_leaf(b, i) && b->sum_of[i] == ROLL_NONE;
        if (k == ROLL_NONE) continue;
        if (has_item) k = b->next_output[k];
        if (has_item && k != ROLL_NONE) b->item[b->owner[i]].used = 1;
        for (; k != ROLL_NONE && !b->failed; k = b->next_output[k]) {
            uint32_t item = new_item(b, ITEM_COPY, i, b->nodes + k);
            if (!b->failed) b->item[item].output = k;
        }
    }
}

int roll_items(struct roller *b) {
    count_uses(b);
    measure_sums(b);
    for (uint32_t i = b->nodes; i-- > 0 && !b->failed;) visit(b, i);
    copy_outputs(b);
    return b->failed ? -1 : 0;
}
