/* expr_intern.c - the nodes of a graph, and the one that is there already.
 *
 * A node is found through the later of its operands, which lists its users: whoever asks has just made that
 * operand or looked at it, so that the list is in the cache where the place in a table of all nodes would not
 * be.  Lists are short.  Users beyond that, of a body that acts on all others say, and what has no operands
 * are in a table. */
#include "symbolic/expr.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 64, USERS = 8 }; /* nodes to begin with; in a list */

int expr_open(struct graph *g) {
    *g = (struct graph){.count = 1, .capacity = FIRST, .mask = 2 * FIRST - 1, .work = EXPR_WORK};
    g->node = calloc(FIRST, sizeof *g->node);
    g->link = calloc(FIRST, sizeof *g->link);
    g->mark = calloc(FIRST, sizeof *g->mark);
    g->image = calloc(FIRST, sizeof *g->image);
    g->table = calloc(2 * FIRST, sizeof *g->table);
    if (g->node && g->link && g->mark && g->image && g->table) return 0;
    expr_close(g);
    return -1;
}

void expr_close(struct graph *g) {
    free(g->node);
    free(g->link);
    free(g->mark);
    free(g->image);
    free(g->table);
    *g = (struct graph){.failed = 1};
}

static int is_commutative(uint32_t op) {
    return op == EXPR_ADD || op == EXPR_MUL;
}

/* Every word takes part in the place of a block, one line of the cache.  Consecutive operands are the rule:
 * eight of them share its sixteen places.  a + b and b + a share theirs. */
static uint32_t place_of(struct expr_node n) {
    enum { BLOCK = 3, PLACES = 16 };
    int turn = is_commutative(n.op) && n.a > n.b;
    uint32_t a = turn ? n.b : n.a, b = turn ? n.a : n.b;
    uint64_t h = (uint64_t)n.op * 0x9e3779b97f4a7c15u + ((uint64_t)(a >> BLOCK) << 32 | b >> BLOCK);
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u + n.c;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    uint32_t begin = (uint32_t)(h >> 50), block = (uint32_t)(h ^ (h >> 32));
    return block * PLACES + (begin + 2 * (a + 5 * b)) % PLACES;
}

/* a + b and b + a, a*b and b*a have the same bits: whichever was written first stands for both. */
static int same(struct expr_node x, struct expr_node y) {
    if (x.op != y.op || x.c != y.c) return 0;
    return (x.a == y.a && x.b == y.b) || (is_commutative(x.op) && x.a == y.b && x.b == y.a);
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* The operand that came last; EXPR_NONE: there is none. */
static expr latest_operand(struct expr_node n) {
    int operands = expr_operands((enum expr_op)n.op);
    if (operands < 2) return operands ? n.a : EXPR_NONE;
    return operands == 2 ? larger(n.a, n.b) : larger(n.a, larger(n.b, n.c));
}

/* The node among the users of its latest operand.  *full: the list has no room, and it may be elsewhere. */
static expr find_user(const struct graph *g, struct expr_node n, expr operand, int *full) {
    int users = 0;
    for (expr u = g->link[operand].user; u; u = g->link[u].next, users++)
        if (same(g->node[u], n)) return u;
    *full = users == USERS;
    return EXPR_NONE;
}

/* The node in the table; otherwise 0 and the free place. */
static expr find_place(const struct graph *g, struct expr_node n, uint32_t *place) {
    uint32_t at = place_of(n) & g->mask;
    while (g->table[at] && !same(g->node[g->table[at]], n)) at = (at + 1) & g->mask;
    *place = at;
    return g->table[at];
}

/* Twice the room.  All or nothing. */
static int grow(struct graph *g) {
    if (g->capacity > UINT32_MAX / 8) return -1;
    uint32_t capacity = 2 * g->capacity;
    size_t count = g->count, fresh = capacity - count;
    struct expr_node *node = realloc(g->node, capacity * sizeof *node);
    if (node) g->node = node;
    struct expr_link *link = realloc(g->link, capacity * sizeof *link);
    if (link) g->link = link;
    uint32_t *mark = realloc(g->mark, capacity * sizeof *mark);
    if (mark) g->mark = mark;
    expr *image = realloc(g->image, capacity * sizeof *image);
    if (image) g->image = image;
    if (!node || !link || !mark || !image) return -1;
    memset(mark + count, 0, fresh * sizeof *mark);
    memset(image + count, 0, fresh * sizeof *image);
    g->capacity = capacity;
    return 0;
}

/* Twice the places; the table is always at most half full. */
static int grow_table(struct graph *g) {
    if (g->mask > UINT32_MAX / 2) return -1;
    uint32_t mask = 2 * g->mask + 1;
    expr *table = calloc((size_t)mask + 1, sizeof *table);
    if (!table) return -1;
    for (uint32_t i = 0; i <= g->mask; i++) { /* all are different */
        if (!g->table[i]) continue;
        uint32_t at = place_of(g->node[g->table[i]]) & mask;
        while (table[at]) at = (at + 1) & mask;
        table[at] = g->table[i];
    }
    free(g->table);
    g->table = table;
    g->mask = mask;
    return 0;
}

expr expr_intern(struct graph *g, struct expr_node n) {
    expr operand = latest_operand(n), known = EXPR_NONE;
    int full = operand == EXPR_NONE;
    uint32_t at = 0;
    if (operand) known = find_user(g, n, operand, &full);
    if (!known && full) known = find_place(g, n, &at);
    if (known) return known;
    if (!expr_spend(g, EXPR_COST_NODE)) return EXPR_NONE;
    if ((g->count == g->capacity && grow(g)) || (full && 2 * g->listed > g->mask && grow_table(g))) {
        g->failed = 1;
        return EXPR_NONE;
    }
    expr made = g->count++;
    g->node[made] = n;
    g->mark[made] = 0;
    g->link[made] = (struct expr_link){EXPR_NONE, EXPR_NONE};
    if (!full) {
        g->link[made].next = g->link[operand].user;
        g->link[operand].user = made;
        return made;
    }
    find_place(g, n, &at); /* another one if the table has grown */
    g->table[at] = made;
    g->listed++;
    return made;
}
