/* tape_build.c - from outputs to a list of operations; see tape.h.
 *
 * 1. Regions: the root, and two for the branches of each `if`.  A node belongs to the smallest region that
 *    contains all its uses.
 * 2. Operations are listed region by region, operands first; a value is named by its place in that order.
 * 3. Values get registers, which are free again after the last use.  Jumps only go forward, so the places
 *    between definition and last use are all that counts. */
#include "symbolic/roll.h"

#include <stdlib.h>

enum { DEEPEST = 1000 }; /* an `if` nested deeper is evaluated on both sides */
static const uint32_t NOWHERE = UINT32_MAX;

struct region {
    uint32_t parent, depth, first, last; /* its values, linked by `next` */
};

struct builder {
    struct graph *g;
    struct tape *t;
    struct expr_list list;   /* values, operands first */
    uint32_t *value;         /* per node: its place in the list */
    uint32_t *region, *next; /* per value */
    uint32_t *fixed;         /* per value: register of a constant or input, else NOWHERE */
    uint32_t *branch;        /* per value: first of the two regions of an `if` */
    uint32_t *first_output;  /* per value: outputs that show it, linked by next_output */
    uint32_t *next_output;   /* per output */
    struct region *regions;
    uint32_t region_count;
    size_t capacity;
    int failed;
};

static struct expr_node node_of(const struct builder *b, uint32_t value) {
    return b->g->node[b->list.item[value]];
}

/* sqrt(s)^3 is written as s sqrt(s), which rounds once in place of twice and is there sooner. */
static int is_root_cubed(const struct builder *b, struct expr_node n) {
    return n.op == EXPR_POWI && n.b == 3 && b->g->node[n.a].op == EXPR_SQRT;
}

/* Registers for constants and inputs.  where: per node, one more than its place among the given inputs. */
static void fix_leaves(struct builder *b, const uint32_t *where, const struct tape_input *input) {
    struct tape *t = b->t;
    for (uint32_t i = 0; i < b->list.count; i++)
        if (expr_is_constant(b->g, b->list.item[i], &t->constant[t->constants])) b->fixed[i] = t->constants++;
    for (uint32_t i = 0; i < b->list.count; i++) {
        expr e = b->list.item[i];
        if (b->g->node[e].op != EXPR_SYMBOL) continue;
        t->input[t->inputs] = input[where[e] - 1];
        b->fixed[i] = t->constants + t->inputs++;
    }
}

static uint32_t meet(const struct region *r, uint32_t x, uint32_t y) {
    while (x != y) {
        if (r[x].depth >= r[y].depth) x = r[x].parent;
        else y = r[y].parent;
    }
    return x;
}

static void use_in(struct builder *b, expr operand, uint32_t region) {
    uint32_t *at = &b->region[b->value[operand]];
    *at = *at == NOWHERE ? region : meet(b->regions, *at, region);
}

static uint32_t add_regions(struct builder *b, uint32_t parent) {
    uint32_t depth = b->regions[parent].depth + 1;
    for (int i = 0; i < 2; i++)
        b->regions[b->region_count++] = (struct region){parent, depth, NOWHERE, NOWHERE};
    return b->region_count - 2;
}

/* From the outputs down: when a value's turn comes, all its users have theirs. */
static void assign_regions(struct builder *b) {
    for (uint32_t i = (uint32_t)b->list.count; i-- > 0;) {
        struct expr_node n = node_of(b, i);
        const expr operand[3] = {n.a, n.b, n.c};
        uint32_t home = b->region[i];
        int operands = expr_operands((enum expr_op)n.op);
        b->branch[i] = NOWHERE;
        if (n.op == EXPR_IF && b->regions[home].depth < DEEPEST) b->branch[i] = add_regions(b, home);
        for (int k = 0; k < operands; k++) {
            int inside = k > 0 && b->branch[i] != NOWHERE;
            use_in(b, operand[k], inside ? b->branch[i] + (uint32_t)k - 1 : home);
        }
        if (is_root_cubed(b, n)) use_in(b, b->g->node[n.a].a, home);
    }
    for (uint32_t i = 0; i < b->list.count; i++) {
        struct region *r = &b->regions[b->region[i]];
        b->next[i] = NOWHERE;
        if (b->fixed[i] != NOWHERE) continue;
        if (r->first == NOWHERE) r->first = i;
        else b->next[r->last] = i;
        r->last = i;
    }
}

/* Returns the place of the new operation. */
static uint32_t add_code(struct builder *b, uint32_t op, uint32_t to, uint32_t x, uint32_t y) {
    struct tape *t = b->t;
    if (t->count == b->capacity) {
        size_t capacity = b->capacity ? 2 * b->capacity : 64;
        struct tape_code *code = capacity > UINT32_MAX ? NULL : realloc(t->code, capacity * sizeof *code);
        if (!code) {
            b->failed = 1;
            return 0;
        }
        t->code = code;
        b->capacity = capacity;
    }
    t->code[t->count] = (struct tape_code){op, to, x, y};
    return (uint32_t)t->count++;
}

static void store(struct builder *b, uint32_t value) {
    for (uint32_t k = b->first_output[value]; k != NOWHERE; k = b->next_output[k])
        add_code(b, TAPE_STORE, k, value, 0);
}

static void write_region(struct builder *b, uint32_t region);

static void write_if(struct builder *b, uint32_t i, struct expr_node n) {
    uint32_t unless = add_code(b, TAPE_UNLESS, 0, b->value[n.a], 0);
    if (b->branch[i] != NOWHERE) write_region(b, b->branch[i]);
    add_code(b, TAPE_MOVE, i, b->value[n.b], 0);
    uint32_t jump = add_code(b, TAPE_JUMP, 0, 0, 0);
    if (!b->failed) b->t->code[unless].b = (uint32_t)b->t->count;
    if (b->branch[i] != NOWHERE) write_region(b, b->branch[i] + 1);
    add_code(b, TAPE_MOVE_AGAIN, i, b->value[n.c], 0);
    if (!b->failed) b->t->code[jump].b = (uint32_t)b->t->count;
}

static void write_region(struct builder *b, uint32_t region) {
    for (uint32_t i = b->regions[region].first; i != NOWHERE && !b->failed; i = b->next[i]) {
        struct expr_node n = node_of(b, i);
        if (n.op == EXPR_IF) write_if(b, i, n);
        else if (n.op == EXPR_POWI && n.b == 2) add_code(b, TAPE_SQUARE, i, b->value[n.a], b->value[n.a]);
        else if (is_root_cubed(b, n)) add_code(b, EXPR_MUL, i, b->value[b->g->node[n.a].a], b->value[n.a]);
        else if (n.op == EXPR_POWI) add_code(b, n.op, i, b->value[n.a], n.b);
        else {
            uint32_t x = b->value[n.a];
            add_code(b, n.op, i, x, expr_operands((enum expr_op)n.op) > 1 ? b->value[n.b] : x);
        }
        store(b, i);
    }
}

int tape_reads(const struct tape_code *c) {
    switch (c->op) {
    case TAPE_JUMP:
        return 0;
    case TAPE_STORE:
    case TAPE_UNLESS:
    case TAPE_MOVE:
    case TAPE_MOVE_AGAIN:
    case EXPR_POWI:
        return 1;
    default:
        return 2;
    }
}

int tape_writes(const struct tape_code *c) {
    return c->op != TAPE_JUMP && c->op != TAPE_STORE && c->op != TAPE_UNLESS;
}

/* From values to registers, in place.  `last` and `place` have room for every value, `free_list` as well. */
static void assign_registers(struct builder *b, uint32_t *last, uint32_t *place, uint32_t *free_list) {
    struct tape *t = b->t;
    uint32_t free_count = 0, registers = t->constants + t->inputs;
    for (size_t i = 0; i < t->count; i++) {
        const struct tape_code *c = &t->code[i];
        if (tape_reads(c) > 0) last[c->a] = (uint32_t)i;
        if (tape_reads(c) > 1) last[c->b] = (uint32_t)i;
    }
    for (uint32_t i = 0; i < b->list.count; i++) place[i] = b->fixed[i];
    for (size_t i = 0; i < t->count; i++) {
        struct tape_code *c = &t->code[i];
        const uint32_t operand[2] = {c->a, c->b};
        int count = tape_reads(c);
        for (int k = 0; k < count; k++)
            if (b->fixed[operand[k]] == NOWHERE && last[operand[k]] == i && (k == 0 || c->b != operand[0]))
                free_list[free_count++] = place[operand[k]];
        if (count > 0) c->a = place[operand[0]];
        if (count > 1) c->b = place[operand[1]];
        if (!tape_writes(c)) continue;
        if (c->op != TAPE_MOVE_AGAIN) place[c->to] = free_count ? free_list[--free_count] : registers++;
        c->to = place[c->to];
    }
    t->registers = registers;
}

static int builder_open(struct builder *b, size_t outputs) {
    size_t n = b->list.count + 1, branches = 0;
    for (uint32_t i = 0; i < b->list.count; i++) branches += node_of(b, i).op == EXPR_IF;
    uint32_t **per_value[] = {&b->region, &b->next, &b->fixed, &b->branch, &b->first_output};
    for (size_t k = 0; k < sizeof per_value / sizeof *per_value; k++) {
        if (!(*per_value[k] = malloc(n * sizeof(uint32_t)))) return -1;
        for (size_t i = 0; i < n; i++) (*per_value[k])[i] = NOWHERE;
    }
    b->value = malloc(b->g->count * sizeof *b->value);
    b->next_output = malloc((outputs + 1) * sizeof *b->next_output);
    b->regions = malloc((2 * branches + 1) * sizeof *b->regions);
    b->t->constant = malloc(n * sizeof *b->t->constant);
    b->t->input = malloc(n * sizeof *b->t->input);
    if (!b->value || !b->next_output || !b->regions || !b->t->constant || !b->t->input) return -1;
    for (uint32_t i = 0; i < b->list.count; i++) b->value[b->list.item[i]] = i;
    b->regions[b->region_count++] = (struct region){0, 0, NOWHERE, NOWHERE};
    return 0;
}

static void builder_close(struct builder *b) {
    free(b->list.item);
    free(b->value);
    free(b->region);
    free(b->next);
    free(b->fixed);
    free(b->branch);
    free(b->first_output);
    free(b->next_output);
    free(b->regions);
}

static int write_all(struct builder *b, size_t outputs, const expr *output) {
    for (size_t k = outputs; k-- > 0;) {
        if (output[k] == EXPR_NONE) continue;
        uint32_t value = b->value[output[k]];
        b->region[value] = 0;
        b->next_output[k] = b->first_output[value];
        b->first_output[value] = (uint32_t)k;
    }
    assign_regions(b);
    write_region(b, 0);
    for (uint32_t i = 0; i < b->list.count; i++)
        if (b->fixed[i] != NOWHERE) store(b, i);
    uint32_t *work = b->failed ? NULL : malloc((3 * b->list.count + 3) * sizeof *work);
    if (!work) return -1;
    assign_registers(b, work, work + b->list.count + 1, work + 2 * b->list.count + 2);
    free(work);
    return 0;
}

/* Loops where that is shorter; 0, -1, or 1: straight. */
static int roll(struct builder *b, const uint32_t *where, size_t outputs, const expr *output,
                const struct tape_input *input) {
    struct roll_request request = {b->g, &b->list, outputs, output, input, where};
    int status = roll_build(&request, &b->t->roll);
    if (status == 0) b->t->registers = (uint32_t)roll_capacity(b->t->roll);
    return status;
}

/* The first symbol that has no value. */
static expr missing_input(const struct builder *b, const uint32_t *where) {
    for (uint32_t i = 0; i < b->list.count; i++)
        if (node_of(b, i).op == EXPR_SYMBOL && !where[b->list.item[i]]) return b->list.item[i];
    return EXPR_NONE;
}

static int straight(struct builder *b, const uint32_t *where, size_t outputs, const expr *output,
                    const struct tape_input *input) {
    if (builder_open(b, outputs)) return -1;
    fix_leaves(b, where, input);
    return write_all(b, outputs, output);
}

/* Short programs have another way to write quotients by cubes of roots: that of `output` goes to out, and its
 * list to the builder.  0; 1: nothing is written otherwise; -1. */
static int write_roots(struct builder *b, size_t outputs, const expr *output, expr *out) {
    if (b->list.count >= ROLL_LEAST || outputs >= ROLL_LEAST) return 1;
    int status = tape_roots(b->g, &b->list, outputs, output, out);
    if (status) return status;
    free(b->list.item);
    b->list = (struct expr_list){NULL, 0};
    return expr_order(b->g, outputs, out, &b->list);
}

static int build(struct tape *t, struct graph *g, size_t outputs, const expr *output, size_t inputs,
                 const struct tape_input *input, expr *missing, int may_roll) {
    struct builder b = {.g = g, .t = t};
    *t = (struct tape){.outputs = outputs, .table = g->rows};
    *missing = EXPR_NONE;
    if (expr_order(g, outputs, output, &b.list)) return -1;
    expr *written = malloc((outputs + 1) * sizeof *written);
    int otherwise = written ? write_roots(&b, outputs, output, written) : -1;
    if (otherwise == 0) output = written;
    uint32_t *where = otherwise < 0 ? NULL : calloc(g->count, sizeof *where);
    for (size_t i = 0; i < inputs && where; i++) where[input[i].symbol] = (uint32_t)i + 1;
    if (where) *missing = missing_input(&b, where);
    int status = !where ? -1 : 1;
    if (status > 0 && *missing == EXPR_NONE && may_roll) status = roll(&b, where, outputs, output, input);
    if (status > 0 && *missing == EXPR_NONE) status = straight(&b, where, outputs, output, input);
    if (status) tape_free(t);
    if (status && *missing == EXPR_NONE) g->failed = 1; /* no memory */
    builder_close(&b);
    free(where);
    free(written);
    return status;
}

int tape_build(struct tape *t, struct graph *g, size_t outputs, const expr *output, size_t inputs,
               const struct tape_input *input, expr *missing) {
    return build(t, g, outputs, output, inputs, input, missing, 1);
}

int tape_build_straight(struct tape *t, struct graph *g, size_t outputs, const expr *output, size_t inputs,
                        const struct tape_input *input, expr *missing) {
    return build(t, g, outputs, output, inputs, input, missing, 0);
}

/* Which output of the other tape each is, and its sign.  1: not one to one.  Where they stand is in the
 * graph's scratch, one more. */
static int find_turn(const struct graph *g, size_t outputs, const expr *output, const expr *output_of,
                     uint32_t *to, unsigned char *minus) {
    int status = 0;
    for (uint32_t i = 0; i < outputs; i++) {
        status |= output_of[i] == EXPR_NONE || g->image[output_of[i]] != 0;
        g->image[output_of[i]] = i + 1;
        to[i] = NOWHERE;
    }
    for (uint32_t k = 0; k < outputs && !status; k++) {
        const struct expr_node n = g->node[output[k]];
        int turned = g->image[output[k]] == 0 && n.op == EXPR_NEG;
        uint32_t i = g->image[turned ? n.a : output[k]];
        if (output[k] == EXPR_NONE || i == 0 || to[i - 1] != NOWHERE) status = 1;
        else to[i - 1] = k, minus[i - 1] = (unsigned char)turned;
    }
    for (size_t i = 0; i < outputs; i++) g->image[output_of[i]] = EXPR_NONE;
    return status;
}

int tape_build_turned(struct tape *t, struct graph *g, size_t outputs, const expr *output,
                      const struct tape *of, const expr *output_of) {
    if (!of->roll || of->outputs != outputs) return 1;
    uint32_t *to = malloc((outputs + 1) * sizeof *to);
    unsigned char *minus = malloc(outputs + 1);
    *t = (struct tape){.outputs = outputs, .table = of->table};
    int status = to && minus ? find_turn(g, outputs, output, output_of, to, minus) : -1;
    if (status == 0) status = roll_turn(of->roll, to, minus, &t->roll);
    if (status == 0) t->registers = (uint32_t)roll_capacity(t->roll);
    if (status < 0) g->failed = 1;
    free(to);
    free(minus);
    return status;
}
