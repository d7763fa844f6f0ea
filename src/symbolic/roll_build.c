/* roll_build.c - from a graph to loops, pass by pass; see roll.h. */
#include "symbolic/roll_private.h"

#include <stdlib.h>

static struct roll_node node_of(const struct roller *b, expr e) {
    const struct expr_node n = b->g->node[e];
    const expr from[3] = {n.a, n.b, n.c};
    struct roll_node out = {.op = (unsigned char)n.op,
                            .count = (unsigned char)expr_operands((enum expr_op)n.op),
                            .power = n.op == EXPR_POWI ? n.b : 0};
    for (int k = 0; k < out.count; k++) out.operand[k] = b->place_of[from[k]];
    if (n.op == EXPR_SYMBOL) out.source = (unsigned char)b->q->input[b->q->where[e] - 1].source;
    if (n.op != EXPR_POWI || n.b != 3 || b->g->node[n.a].op != EXPR_SQRT) return out;
    return (struct roll_node){
        .op = EXPR_MUL, .count = 2, .operand = {b->place_of[b->g->node[n.a].a], b->place_of[n.a]}};
}

static int roller_open(struct roller *b, const struct roll_request *q) {
    *b = (struct roller){
        .q = q, .g = q->g, .nodes = (uint32_t)q->list->count, .length = q->list->count + q->outputs};
    b->place_of = roll_take(b, q->g->count, sizeof *b->place_of);
    b->node = roll_take(b, b->nodes, sizeof *b->node);
    b->part = roll_take(b, b->nodes, 1);
    b->inner = roll_take(b, b->nodes, 1);
    b->next_output = roll_take(b, q->outputs, sizeof *b->next_output);
    uint32_t **per_node[] = {&b->uses, &b->spine, &b->owner, &b->sum_of, &b->first_output};
    for (int k = 0; k < 5; k++) {
        *per_node[k] = roll_take(b, b->nodes, sizeof(uint32_t));
        for (uint32_t i = 0; k >= 2 && i < b->nodes && !b->failed; i++) (*per_node[k])[i] = ROLL_NONE;
    }
    for (uint32_t i = 0; i < b->nodes && !b->failed; i++) b->place_of[q->list->item[i]] = i;
    for (uint32_t i = 0; i < b->nodes && !b->failed; i++) b->node[i] = node_of(b, q->list->item[i]);
    return b->failed ? -1 : 0;
}

static void roller_close(struct roller *b) {
    for (size_t i = 0; i < b->classes; i++) free(b->class[i].word);
    for (int i = 0; i < b->owns; i++) free(b->owned[i]);
    free(b->class);
    free(b->table);
    free(b->item);
    free(b->sum);
    free(b->leaf);
    free(b->result);
    *b = (struct roller){0};
}

/* Terms that share are brought together; so are values of terms; nothing is.  In graphs whose sums run in
 * different directions only the later ways have an order that serves. */
enum way { TERMS, VALUES_OF_TERMS, NOTHING, WAYS };

static int build(const struct roll_request *q, struct roll *r, enum way way) {
    struct roller b;
    int status = roller_open(&b, q);
    b.apart = way == VALUES_OF_TERMS;
    if (!status) status = roll_items(&b);
    if (!status) {
        b.group_of = roll_take(&b, b.items, sizeof *b.group_of);
        for (uint32_t i = 0; i < b.items && !b.failed; i++) b.group_of[i] = i;
        if (b.failed) status = -1;
    }
    if (!status && way != NOTHING) status = roll_fuse(&b);
    if (!status) status = roll_classes(&b);
    if (!status) status = roll_order(&b, r);
    roller_close(&b);
    return status;
}

int roll_build(const struct roll_request *q, struct roll **out) {
    int status = 1;
    *out = NULL;
    if (q->list->count < ROLL_LEAST && q->outputs < ROLL_LEAST) return 1;
    for (int way = 0; way < WAYS && status == 1; way++) {
        struct roll *r = calloc(1, sizeof *r);
        status = r ? build(q, r, (enum way)way) : -1;
        if (status == 0) *out = r;
        else roll_free(r);
    }
    return status;
}
