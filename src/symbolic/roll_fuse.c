/* roll_fuse.c - terms of sums and outputs that share what nothing else uses become one group: the three
 * components of a pair's force and the distance that they have in common.
 *
 * A value goes into the group of its users if all of them are terms, outputs, or in a group already.  That is
 * decided for all values of one shape with users of the same shapes at once, so that equal values fare
 * equally; they stay apart if some group became too large: neighbours along a chain would all become one. */
#include "symbolic/roll_private.h"

#include <stdlib.h>

enum { MOST_USERS = 48, MOST_ENDS = 48, MOST_ITEMS = 160 };

struct candidate {
    uint64_t key;
    uint32_t item;
};

struct fuse {
    struct roller *b;
    uint64_t *shape; /* per item */
    uint32_t *first_user, *next_user, *user;
    uint32_t *parent, *ring, *ends, *count; /* per item: of the union it is the root of */
    unsigned char *joins;                   /* per item: a term, an output, or in a group of those */
    unsigned char *kept;                    /* per item: a value that sums read */
    uint32_t *undo;                         /* the roots that were put below others */
    size_t undos;
};

static uint64_t mix(uint64_t h, uint64_t x) {
    h = (h ^ x) * 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

/* The kind of a leaf, as its class sees it. */
static uint64_t kind_of(const struct roller *b, uint32_t node) {
    const struct roll_node *n = &b->node[node];
    return n->op == EXPR_CONSTANT ? 1 : n->op == EXPR_SYMBOL ? 2 + (uint64_t)n->source : 9;
}

static int is_inner(const struct roller *b, uint32_t node) {
    return !roll_is_leaf(b, node) && b->sum_of[node] == ROLL_NONE && !b->part[node];
}

/* Shapes of all items, and who uses which value. */
static int find_users(struct fuse *f) {
    struct roller *b = f->b;
    size_t edges = 0, capacity = 3 * (size_t)b->nodes + b->items;
    uint64_t *shape = calloc(b->nodes + 1, sizeof *shape);
    f->user = roll_take(b, capacity, sizeof *f->user);
    f->next_user = roll_take(b, capacity, sizeof *f->next_user);
    for (size_t i = 0; i < b->items; i++) f->first_user[i] = ROLL_NONE;
    for (uint32_t i = 0; i < b->nodes && shape && !b->failed; i++) {
        if (!is_inner(b, i)) continue;
        const struct roll_node *n = &b->node[i];
        shape[i] = mix(n->op, n->power);
        for (int k = 0; k < n->count; k++) {
            uint32_t o = n->operand[k];
            int inner = is_inner(b, o), own = inner && b->owner[o] == b->owner[i];
            shape[i] = mix(shape[i], own ? shape[o] : kind_of(b, o));
            if (!inner || own) continue;
            f->user[edges] = b->owner[i];
            f->next_user[edges] = f->first_user[b->owner[o]];
            f->first_user[b->owner[o]] = (uint32_t)edges++;
        }
    }
    for (size_t i = 0; i < b->items && shape && !b->failed; i++) {
        const struct roll_item *item = &b->item[i];
        f->shape[i] = mix(item->kind == ITEM_COPY ? kind_of(b, item->node) : shape[item->node],
                          16 * item->kind + 4 * (item->sum != ROLL_NONE) + 2 * item->less +
                              (item->output != ROLL_NONE));
        if (item->kind != ITEM_COPY || !is_inner(b, item->node)) continue;
        uint32_t of = b->owner[item->node];
        f->user[edges] = (uint32_t)i;
        f->next_user[edges] = f->first_user[of];
        f->first_user[of] = (uint32_t)edges++;
    }
    if (!shape) b->failed = 1;
    free(shape);
    return b->failed ? -1 : 0;
}

static uint32_t root_of(const struct fuse *f, uint32_t item) {
    while (f->parent[item] != item) item = f->parent[item];
    return item;
}

static void turn(struct fuse *f, uint32_t x, uint32_t y) {
    uint32_t next = f->ring[x];
    f->ring[x] = f->ring[y];
    f->ring[y] = next;
}

static void join(struct fuse *f, uint32_t x, uint32_t y) {
    x = root_of(f, x);
    y = root_of(f, y);
    if (x == y) return;
    if (f->count[x] < f->count[y]) {
        uint32_t other = x;
        x = y;
        y = other;
    }
    f->parent[y] = x;
    f->count[x] += f->count[y];
    f->ends[x] += f->ends[y];
    turn(f, x, y);
    f->undo[f->undos++] = y;
}

static void undo_all(struct fuse *f) {
    while (f->undos > 0) {
        uint32_t y = f->undo[--f->undos], x = f->parent[y];
        turn(f, x, y);
        f->count[x] -= f->count[y];
        f->ends[x] -= f->ends[y];
        f->parent[y] = y;
    }
}

/* Small enough, and no sum has two terms in it: others might have to come between. */
static int fits(const struct fuse *f, uint32_t item) {
    const struct roll_item *items = f->b->item;
    uint32_t root = root_of(f, item), seen[MOST_ENDS], sums = 0;
    if (f->ends[root] > MOST_ENDS || f->count[root] > MOST_ITEMS) return 0;
    uint32_t at = root;
    do {
        if (items[at].sum != ROLL_NONE) {
            for (uint32_t k = 0; k < sums; k++)
                if (seen[k] == items[at].sum) return 0;
            seen[sums++] = items[at].sum;
        }
        at = f->ring[at];
    } while (at != root);
    return 1;
}

static int may_join(const struct fuse *f, uint32_t item) {
    int users = 0;
    for (uint32_t k = f->first_user[item]; k != ROLL_NONE; k = f->next_user[k])
        if (++users > MOST_USERS || !f->joins[f->user[k]]) return 0;
    return users > 0;
}

/* All candidates of one key, or none of them. */
static int join_all(struct fuse *f, const struct candidate *c, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!may_join(f, c[i].item)) return 0;
    f->undos = 0;
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = f->first_user[c[i].item]; k != ROLL_NONE; k = f->next_user[k])
            join(f, c[i].item, f->user[k]);
    int good = 1;
    for (size_t i = 0; i < count && good; i++) good = fits(f, c[i].item);
    if (!good) undo_all(f);
    for (size_t i = 0; i < count && good; i++) f->joins[c[i].item] = 1;
    return good;
}

/* A value that is a term of some sum. */
static int is_term(const struct fuse *f, uint32_t item) {
    for (uint32_t k = f->first_user[item]; k != ROLL_NONE; k = f->next_user[k])
        if (f->b->item[f->user[k]].sum != ROLL_NONE) return 1;
    return 0;
}

static int by_key(const void *x, const void *y) {
    const struct candidate *a = x, *b = y;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return (a->item > b->item) - (a->item < b->item);
}

/* Until nothing more joins; values have smaller nodes than their users, so a few rounds will do. */
static void fuse(struct fuse *f, struct candidate *c, size_t count) {
    enum { ROUNDS = 12 };
    int more = 1;
    for (int round = 0; round < ROUNDS && more; round++) {
        more = 0;
        for (size_t i = 0, next; i < count; i = next) {
            for (next = i + 1; next < count && c[next].key == c[i].key;) next++;
            if (!f->joins[c[i].item]) more |= join_all(f, c + i, next - i);
        }
    }
}

int roll_fuse(struct roller *b) {
    struct fuse f = {.b = b};
    size_t n = b->items, count = 0;
    f.shape = roll_take(b, n, sizeof *f.shape);
    f.first_user = roll_take(b, n, sizeof *f.first_user);
    f.parent = roll_take(b, n, sizeof *f.parent);
    f.ring = roll_take(b, n, sizeof *f.ring);
    f.ends = roll_take(b, n, sizeof *f.ends);
    f.count = roll_take(b, n, sizeof *f.count);
    f.joins = roll_take(b, n, 1);
    f.kept = roll_take(b, n, 1);
    f.undo = roll_take(b, n, sizeof *f.undo);
    struct candidate *c = roll_take(b, n, sizeof *c);
    if (b->failed || find_users(&f)) return -1;
    for (uint32_t i = 0; i < n; i++) {
        f.parent[i] = f.ring[i] = i;
        f.count[i] = 1;
        f.ends[i] = b->item[i].sum != ROLL_NONE || b->item[i].output != ROLL_NONE;
        f.joins[i] = b->item[i].kind != ITEM_VALUE || !b->item[i].used;
        if (b->apart && is_term(&f, i)) f.joins[i] = f.ends[i] = f.kept[i] = 1;
        if (f.joins[i]) continue;
        c[count] = (struct candidate){f.shape[i], i};
        for (uint32_t k = f.first_user[i]; k != ROLL_NONE; k = f.next_user[k])
            c[count].key += mix(f.shape[f.user[k]], 1);
        count++;
    }
    if (count) qsort(c, count, sizeof *c, by_key);
    fuse(&f, c, count);
    for (uint32_t i = 0; i < n; i++) {
        b->group_of[i] = root_of(&f, i);
        b->item[i].inside = b->item[i].kind == ITEM_VALUE && b->item[i].used && f.joins[i] && !f.kept[i];
    }
    return 0;
}
