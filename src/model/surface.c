/* surface.c - see surface.h. */
#include "model/surface.h"

#include "symbolic/derive_rules.h"
#include "symbolic/table.h"
#include "model/functions.h"

#include <stdlib.h>
#include <string.h>

struct freezer {
    struct formulation *r;
    struct graph *g;
    uint32_t nodes; /* of the graph when it began; later ones are images */
    expr *image;    /* by node: the same with frozen branches; EXPR_NONE: not reached */
    expr *guard;    /* by node: of sides alone; not 0 where the node matters.  EXPR_NONE: nothing uses it */
    int *surface;   /* by node: 1 + the surface it switches at; 0: none */
    int count, capacity;
    expr *at;              /* by surface: its function */
    expr *matters;         /* by surface: its guard */
    expr *printed;         /* by surface: what switches there, as the model has it */
    unsigned char *stairs; /* by surface: it switches at whole numbers */
    int failed;
};

static expr make(const struct freezer *z, enum expr_op op, expr a, expr b, expr c) {
    return expr_make(z->g, op, a, b, c);
}

/* Does it change along a run?  Sides, parameters and held values do not. */
static int varies(struct graph *g, expr e) {
    struct expr_list all;
    int found = 0;
    if (expr_symbols(g, 1, &e, &all)) return 0;
    for (size_t k = 0; k < all.count; k++) {
        uint32_t kind = g->node[all.item[k]].a;
        found |= kind == EXPR_UNKNOWN || kind == EXPR_MULTIPLIER || kind == EXPR_TIME;
    }
    free(all.item);
    return found;
}

/* The operand of -a; EXPR_NONE: it is no such thing. */
static expr negated(const struct graph *g, expr e) {
    return g->node[e].op == EXPR_NEG ? g->node[e].a : EXPR_NONE;
}

/* a + b and b + a are one node; so are a - b and b - a, turned. */
static expr ordered(struct graph *g, enum expr_op op, expr a, expr b, int *turned) {
    if (a > b && op == EXPR_SUB) *turned = !*turned;
    return a > b ? expr_make(g, op, b, a, 0) : expr_make(g, op, a, b, 0);
}

/* c and -c, a - b and b - a, a + b and -a - b, 2 c and c change their signs together: one of them, and
 * whether it was turned.  None of this rounds. */
static expr canonical(struct graph *g, expr e, int *turned) {
    for (;;) {
        const struct expr_node n = g->node[e];
        int sum = n.op == EXPR_ADD || n.op == EXPR_SUB;
        expr a = sum ? negated(g, n.a) : EXPR_NONE, b = sum ? negated(g, n.b) : EXPR_NONE;
        double factor;
        if (n.op == EXPR_NEG) {
            *turned = !*turned;
            e = n.a;
        } else if (n.op == EXPR_SUB && expr_is_constant(g, n.a, &factor) && factor == 0) {
            *turned = !*turned;
            e = n.b;
        } else if (sum && a != EXPR_NONE) { /* -a + b = b - a, -a - b = -(a + b) */
            if (n.op == EXPR_ADD) return ordered(g, EXPR_SUB, n.b, a, turned);
            *turned = !*turned;
            return ordered(g, EXPR_ADD, a, n.b, turned);
        } else if (sum && b != EXPR_NONE) /* a + -b, a - -b */
            return ordered(g, n.op == EXPR_ADD ? EXPR_SUB : EXPR_ADD, n.a, b, turned);
        else if (sum) return ordered(g, (enum expr_op)n.op, n.a, n.b, turned);
        else if (n.op == EXPR_MUL && expr_is_constant(g, n.a, &factor) && factor != 0) {
            *turned ^= factor < 0;
            e = n.b;
        } else return e;
    }
}

static int add_surface(struct freezer *z, expr at, int stairs, expr printed) {
    for (int k = 0; k < z->count; k++)
        if (z->at[k] == at && z->stairs[k] == stairs) return k;
    if (z->count == z->capacity) {
        int capacity = z->capacity ? 2 * z->capacity : 16;
        size_t size = (size_t)capacity;
        expr *wider = expr_widen(z->g, z->at, size, sizeof *wider);
        if (wider) z->at = wider;
        expr *matters = expr_widen(z->g, z->matters, size, sizeof *matters);
        if (matters) z->matters = matters;
        expr *text = expr_widen(z->g, z->printed, size, sizeof *text);
        if (text) z->printed = text;
        unsigned char *steps = expr_widen(z->g, z->stairs, size, 1);
        if (steps) z->stairs = steps;
        if (!wider || !matters || !text || !steps) return z->failed = 1, -1;
        z->capacity = capacity;
    }
    z->at[z->count] = at;
    z->matters[z->count] = EXPR_NONE;
    z->printed[z->count] = printed;
    z->stairs[z->count] = (unsigned char)stairs;
    return z->count++;
}

static expr side(const struct freezer *z, int surface) {
    return expr_symbol(z->g, EXPR_SIDE, (uint32_t)surface, 0);
}

/* The side of c, and of node e, which has the surface. */
static expr side_of(struct freezer *z, expr e, expr c) {
    int turned = 0, surface = add_surface(z, canonical(z->g, c, &turned), 0, e);
    if (surface < 0) return EXPR_NONE;
    z->surface[e] = surface + 1;
    expr s = side(z, surface);
    return turned ? make(z, EXPR_NEG, s, 0, 0) : s;
}

static expr whole_number(struct freezer *z, expr e, expr a) {
    int surface = add_surface(z, a, 1, e);
    if (surface < 0) return EXPR_NONE;
    z->surface[e] = surface + 1;
    return side(z, surface);
}

/* The place of a table among those of t, where it is entered. */
static int clock_of(struct freezer *z, int table) {
    struct formulation *r = z->r;
    int k = 0;
    while (k < r->clocks && r->clock[k] != table) k++;
    if (k < r->clocks) return k;
    if (!r->clock) r->clock = pool_take(r->pool, (size_t)z->g->tables * sizeof *r->clock);
    if (!r->clock) return z->failed = 1, 0;
    r->clock[r->clocks] = table;
    return r->clocks++;
}

/* A table at x: the polynomial of the piece in force. */
static expr freeze_look(struct freezer *z, expr e, expr x) {
    const struct expr_node n = z->g->node[e];
    int table = table_of(z->g, &n), order = table_order(z->g, &n);
    if (z->g->node[x].op == EXPR_SYMBOL && z->g->node[x].a == EXPR_TIME) {
        expr piece = expr_symbol(z->g, EXPR_SIDE, (uint32_t)(FORMULATION_CLOCK + clock_of(z, table)), 0);
        return table_polynomial(z->g, x, piece, table, order);
    }
    int surface = add_surface(z, make(z, EXPR_POSITION, x, expr_constant(z->g, table), 0), 1, e);
    if (surface < 0) return EXPR_NONE;
    z->surface[e] = surface + 1;
    return table_polynomial(z->g, x, side(z, surface), table, order);
}

/* e, whose operands have the images a and b, with its branch frozen. */
static expr freeze_node(struct freezer *z, expr e, expr a, expr b) {
    struct graph *g = z->g;
    const struct expr_node n = g->node[e];
    expr zero = derive_zero(g), c = a, s;
    int pair = n.op == EXPR_MIN || n.op == EXPR_MAX || n.op == EXPR_LT || n.op == EXPR_LE;
    if (pair) c = make(z, EXPR_SUB, a, b, 0);
    if (n.op == EXPR_MOD) c = make(z, EXPR_DIV, a, b, 0);
    if (!varies(g, c)) return make(z, (enum expr_op)n.op, a, b, 0);
    if (n.op == EXPR_LOOK) return freeze_look(z, e, a);
    if (n.op == EXPR_FLOOR) return whole_number(z, e, c);
    if (n.op == EXPR_MOD) {
        s = whole_number(z, e, c);
        return make(z, EXPR_SUB, a, make(z, EXPR_MUL, b, s, 0), 0);
    }
    s = side_of(z, e, c);
    expr below = make(z, EXPR_LT, s, zero, 0);
    switch (n.op) {
    case EXPR_ABS:
        return make(z, EXPR_MUL, s, a, 0);
    case EXPR_SIGN:
        return s;
    case EXPR_MIN:
        return make(z, EXPR_IF, below, a, b);
    case EXPR_MAX:
        return make(z, EXPR_IF, below, b, a);
    default: /* a < b, a <= b */
        return below;
    }
}

static int switches(enum expr_op op) {
    return op == EXPR_ABS || op == EXPR_SIGN || op == EXPR_MIN || op == EXPR_MAX || op == EXPR_LT ||
           op == EXPR_LE || op == EXPR_FLOOR || op == EXPR_MOD || op == EXPR_LOOK;
}

int surface_of(struct graph *g, expr e, int count, const expr *symbol) {
    struct expr_list all;
    int found = 0;
    if (expr_order(g, 1, &e, &all)) return 1;
    for (size_t k = 0; k < all.count && !found; k++)
        found =
            switches((enum expr_op)g->node[all.item[k]].op) && expr_depends(g, all.item[k], count, symbol);
    free(all.item);
    return found;
}

int surface_found(struct graph *g, expr e) {
    struct expr_list all;
    int found = 0;
    if (expr_order(g, 1, &e, &all)) return 1;
    for (size_t k = 0; k < all.count && !found; k++) {
        const struct expr_node n = g->node[all.item[k]];
        if (n.op == EXPR_LOOK) continue; /* any function: no branch of it changes an index */
        if (!switches((enum expr_op)n.op) && n.op != EXPR_EQ && n.op != EXPR_NE) continue;
        found = varies(g, n.a) || (expr_operands((enum expr_op)n.op) > 1 && varies(g, n.b));
    }
    free(all.item);
    return found;
}

static int find_surface(const struct freezer *z, expr at) {
    for (int k = 0; k < z->count; k++)
        if (z->at[k] == at && !z->stairs[k]) return k;
    return -1;
}

/* d^1.5 and sqrt(d) have no continuation beyond d = 0, where max(d, 0) or a condition d > 0 switches.  A
 * stage that lies beyond the surface by its error still has a value if d is not below 0 there; the surface is
 * located all the same.  On the other side in force d is what it is. */
static expr base_image(const struct freezer *z, expr e) {
    const struct expr_node n = z->g->node[e], base = z->g->node[n.a];
    expr image = z->image[n.a], zero = derive_zero(z->g);
    if (n.op != EXPR_POW && n.op != EXPR_SQRT) return image;
    if (base.op == EXPR_MAX || base.op == EXPR_MIN)
        return make(z, (enum expr_op)base.op, z->image[base.a], z->image[base.b], 0);
    int turned = 0, surface = find_surface(z, canonical(z->g, image, &turned));
    if (surface < 0) return image;
    expr s = side(z, surface), above = make(z, EXPR_LT, turned ? s : zero, turned ? zero : s, 0);
    return make(z, EXPR_IF, above, make(z, EXPR_MAX, image, zero, 0), image);
}

static void make_images(struct freezer *z, const struct expr_list *all) {
    for (size_t k = 0; k < all->count && !z->failed; k++) {
        expr e = all->item[k];
        const struct expr_node n = z->g->node[e];
        int operands = expr_operands((enum expr_op)n.op);
        if (operands == 0) z->image[e] = e;
        else if (switches((enum expr_op)n.op))
            z->image[e] = freeze_node(z, e, z->image[n.a], operands > 1 ? z->image[n.b] : EXPR_NONE);
        else if (n.op == EXPR_POWI) z->image[e] = expr_powi(z->g, z->image[n.a], (int32_t)n.b);
        else
            z->image[e] =
                make(z, (enum expr_op)n.op, base_image(z, e), operands > 1 ? z->image[n.b] : EXPR_NONE,
                     operands > 2 ? z->image[n.c] : EXPR_NONE);
        z->failed |= z->image[e] == EXPR_NONE;
    }
}

static void use(struct freezer *z, expr operand, expr where) {
    expr *guard = &z->guard[operand];
    *guard = *guard == EXPR_NONE ? where : make(z, EXPR_OR, *guard, where, 0);
}

/* From users to operands: a node matters where one of its users does and takes it. */
static void make_guards(struct freezer *z, const struct expr_list *all) {
    for (size_t k = all->count; k-- > 0 && !z->failed;) {
        expr e = all->item[k], where = z->guard[e];
        const struct expr_node n = z->g->node[e];
        int operands = expr_operands((enum expr_op)n.op);
        if (n.op == EXPR_IF) {
            expr taken = z->image[n.a];
            int fixed = !varies(z->g, taken); /* a comparison of sides, or of what does not move */
            use(z, n.a, where);
            use(z, n.b, fixed ? make(z, EXPR_AND, where, taken, 0) : where);
            use(z, n.c, fixed ? make(z, EXPR_AND, where, make(z, EXPR_NOT, taken, 0, 0), 0) : where);
        } else {
            if (operands > 0) use(z, n.a, where);
            if (operands > 1 && n.op != EXPR_POWI) use(z, n.b, where);
        }
        int surface = z->surface[e] - 1;
        if (surface < 0) continue;
        expr *matters = &z->matters[surface];
        *matters = *matters == EXPR_NONE ? where : make(z, EXPR_OR, *matters, where, 0);
        z->failed |= *matters == EXPR_NONE;
    }
}

/* The formulation's expressions, in lists: all but the terms, whose |.| are sizes. */
struct lists {
    expr *list[64];
    size_t count[64];
    int lists;
};

static void add_list(struct lists *all, expr *list, int count) {
    if (!list || count <= 0) return;
    all->list[all->lists] = list;
    all->count[all->lists++] = (size_t)count;
}

static int entries(const struct derive_sparse *j) {
    return j->row_start ? j->row_start[j->rows] : 0;
}

static void list_all(struct formulation *r, struct lists *all) {
    struct formulation_map *maps[] = {
        &r->f,         &r->algebraic, &r->hidden, &r->energy,          &r->constraint,      &r->rolling,
        &r->velocity,  &r->invariant, &r->event,  &r->quadratic_forms, &r->energy_of_forms, &r->original_f,
        &r->original_g};
    all->lists = 0;
    for (size_t k = 0; k < sizeof maps / sizeof *maps; k++) {
        add_list(all, maps[k]->value, maps[k]->count);
        add_list(all, maps[k]->rate, maps[k]->count);
        add_list(all, maps[k]->jacobian.value, entries(&maps[k]->jacobian));
    }
    add_list(all, r->mass.value, entries(&r->mass));
    add_list(all, r->mass_change, entries(&r->f.jacobian));
    add_list(all, r->structure, r->n * r->n);
    add_list(all, r->regular, r->regulars);
    add_list(all, r->curvature, r->constraint.count + r->rolling.count);
}

/* All expressions of the lists in one. */
static expr *gather(struct graph *g, const struct lists *all, size_t *count) {
    *count = 0;
    for (int k = 0; k < all->lists; k++) *count += all->count[k];
    expr *root = expr_take(g, *count, sizeof *root);
    for (int k = 0, at = 0; k < all->lists && root; at += (int)all->count[k++])
        memcpy(root + at, all->list[k], all->count[k] * sizeof *root);
    return root;
}

/* The surfaces, behind the events. */
static int add_events(struct freezer *z) {
    struct formulation *r = z->r;
    int events = r->event.count, count = events + z->count;
    struct formulation_map wider = {.count = count};
    char text[200];
    wider.value = pool_take(r->pool, ((size_t)count + 1) * sizeof *wider.value);
    wider.names = pool_take(r->pool, ((size_t)count + 1) * sizeof *wider.names);
    int *direction = pool_take(r->pool, ((size_t)count + 1) * sizeof *direction);
    unsigned char *kind = pool_take(r->pool, (size_t)count + 1);
    r->look = pool_take(r->pool, ((size_t)z->count + 1) * sizeof *r->look);
    if (r->pool->refused) return 0;
    for (int i = 0; i < events; i++) {
        wider.value[i] = r->event.value[i];
        wider.names[i] = r->event.names[i];
        direction[i] = r->event_direction[i];
        kind[i] = r->event_kind[i];
    }
    expr one = expr_constant(z->g, 1), half = expr_constant(z->g, 0.5);
    for (int k = 0; k < z->count; k++) {
        expr idle = z->stairs[k] ? make(z, EXPR_ADD, side(z, k), half, 0) : one;
        wider.value[events + k] = make(z, EXPR_IF, z->matters[k], z->at[k], idle);
        model_print(r->y->m, z->printed[k], text, sizeof text);
        wider.names[events + k] = formulation_text(r, text);
        kind[events + k] = z->stairs[k] ? KEEL_STAIRCASE : KEEL_SURFACE;
        const struct expr_node at = z->g->node[z->at[k]];
        r->look[k] = at.op == EXPR_POSITION ? table_of(z->g, &at) : -1;
    }
    r->event = wider;
    r->event_direction = direction;
    r->event_kind = kind;
    r->surfaces = z->count;
    return !r->pool->refused && !z->g->failed;
}

/* atan2(a, b) jumps where a changes its sign while b < 0.  Written so that the switch is seen:
 *
 *     b < 0:  atan2(-a, -b) + pi sign(a),   else atan2(a, b),
 *
 * each smooth where it is taken, and a little beyond. */
static expr unfolded(const struct freezer *z, expr a, expr b) {
    expr left = make(z, EXPR_LT, b, derive_zero(z->g), 0), pi = expr_constant(z->g, 3.14159265358979323846);
    expr behind = make(z, EXPR_ATAN2, make(z, EXPR_NEG, a, 0, 0), make(z, EXPR_NEG, b, 0, 0), 0);
    behind = make(z, EXPR_ADD, behind, make(z, EXPR_MUL, pi, make(z, EXPR_SIGN, a, 0, 0), 0), 0);
    return make(z, EXPR_IF, left, behind, make(z, EXPR_ATAN2, a, b, 0));
}

static int jumps(struct graph *g, expr e) {
    const struct expr_node n = g->node[e];
    return n.op == EXPR_ATAN2 && (varies(g, n.a) || varies(g, n.b));
}

static int any_jumps(struct graph *g, const struct expr_list *all) {
    int any = 0;
    for (size_t k = 0; k < all->count && !any; k++) any = jumps(g, all->item[k]);
    return any;
}

/* The lists with all atan2 unfolded; `all` is what they are made of, before and after. */
static int unfold(struct freezer *z, struct lists *lists, size_t count, expr *root, struct expr_list *all) {
    int good = 1;
    expr *image = expr_take(z->g, z->g->count, sizeof *image);
    for (size_t k = 0; k < all->count && image && good; k++) {
        expr e = all->item[k];
        const struct expr_node n = z->g->node[e];
        int operands = expr_operands((enum expr_op)n.op);
        if (operands == 0) image[e] = e;
        else if (jumps(z->g, e)) image[e] = unfolded(z, image[n.a], image[n.b]);
        else if (n.op == EXPR_POWI) image[e] = expr_powi(z->g, image[n.a], (int32_t)n.b);
        else
            image[e] = make(z, (enum expr_op)n.op, image[n.a], operands > 1 ? image[n.b] : EXPR_NONE,
                            operands > 2 ? image[n.c] : EXPR_NONE);
        good = image[e] != EXPR_NONE;
    }
    for (size_t k = 0; k < count && image && good; k++) root[k] = image[root[k]];
    for (int k = 0; k < lists->lists && image && good; k++)
        for (size_t i = 0; i < lists->count[k]; i++) lists->list[k][i] = image[lists->list[k][i]];
    good &= image != NULL;
    free(image);
    free(all->item);
    *all = (struct expr_list){NULL, 0};
    return good && expr_order(z->g, count, root, all) == 0;
}

static int any_switches(const struct graph *g, const struct expr_list *all) {
    for (size_t k = 0; k < all->count; k++)
        if (switches((enum expr_op)g->node[all->item[k]].op)) return 1;
    return 0;
}

static int freeze(struct freezer *z, struct lists *lists, size_t count, const expr *root,
                  const struct expr_list *all) {
    z->nodes = z->g->count;
    z->image = expr_take(z->g, z->nodes, sizeof *z->image);
    z->guard = expr_take(z->g, z->nodes, sizeof *z->guard);
    z->surface = expr_take(z->g, z->nodes, sizeof *z->surface);
    int good = z->image && z->guard && z->surface;
    if (good) make_images(z, all);
    if (good && z->count && !z->failed) make_images(z, all); /* now that all surfaces are known */
    for (size_t k = 0; k < count && good && z->count; k++) use(z, root[k], expr_constant(z->g, 1));
    if (good && z->count && !z->failed) make_guards(z, all);
    if (!good || z->failed || z->g->failed) return 0;
    for (int k = 0; k < lists->lists; k++)
        for (size_t i = 0; i < lists->count[k]; i++) lists->list[k][i] = z->image[lists->list[k][i]];
    return z->count == 0 || add_events(z);
}

/* Is there nothing to look for?  -1 without memory. */
static int is_smooth(struct graph *g, size_t count, const expr *root) {
    struct expr_list all;
    if (expr_reach(g, count, root, &all)) return -1;
    int smooth = !any_jumps(g, &all) && !any_switches(g, &all);
    free(all.item);
    return smooth;
}

int surface_freeze(struct formulation *r) {
    struct freezer z = {.r = r, .g = &r->y->m->graph};
    struct lists lists;
    struct expr_list all = {NULL, 0};
    size_t count;
    list_all(r, &lists);
    expr *root = gather(z.g, &lists, &count);
    int smooth = root ? is_smooth(z.g, count, root) : -1, good = smooth >= 0;
    if (smooth == 0) good = expr_order(z.g, count, root, &all) == 0;
    if (good && any_jumps(z.g, &all)) good = unfold(&z, &lists, count, root, &all);
    if (good && any_switches(z.g, &all)) good = freeze(&z, &lists, count, root, &all);
    free(root);
    free(all.item);
    free(z.image);
    free(z.guard);
    free(z.surface);
    free(z.at);
    free(z.matters);
    free(z.printed);
    free(z.stairs);
    return good;
}
