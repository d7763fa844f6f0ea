/* choice.c - see choice.h. */
#include "model/choice.h"

#include "base/text.h"
#include "linalg/saddle.h"
#include "model/tangent.h"
#include "symbolic/derive_rules.h"

#include <string.h>

static const struct model_mode *mode_of(const struct formulation *r) {
    return &r->y->m->mode[r->y->mode];
}

/* Row i of the constraints, then of the rolling ones. */
static const struct model_row *row_of(const struct formulation *r, int i) {
    const struct model_mode *mode = mode_of(r);
    int holonomic = mode->constraint.count;
    return i < holonomic ? &mode->constraint.list[i] : &mode->rolling.list[i - holonomic];
}

/* How often it is differentiated until it has accelerations. */
static int order_of(const struct formulation *r, int i) {
    return i < mode_of(r)->constraint.count ? 2 : 1;
}

static expr multiplier_of(const struct formulation *r, int i) {
    return expr_symbol(&r->y->m->graph, EXPR_MULTIPLIER, (uint32_t)row_of(r, i)->multiplier, 0);
}

/* Does the equation stand as it is, and the highest derivative of the unknown with it? */
static int stands(const struct structure *s, const int *row_at, int equation, int c, const int *column_at,
                  int unknown, int d) {
    int i = row_at[equation], j = unknown < 0 ? -1 : column_at[unknown];
    return i >= 0 && j >= 0 && s->c[i] == c && s->d[j] == d;
}

/* Are the equations of motion and all constraints that the analysis has kept as choice.h writes them? */
static int all_stand(const struct formulation *r, const int *row_at, const int *column_at) {
    const struct system *y = r->y;
    const struct model_mode *mode = mode_of(r);
    for (int e = 0; e < y->equations; e++) {
        const struct system_origin *o = &y->origin[e];
        int rolling = o->kind == SYSTEM_ROLLING, good = 1;
        if (o->kind == SYSTEM_MOTION) {
            int j = system_unknown(y, mode->motion.q[o->number]);
            good = j >= 0 && y->s.alias[j].unknown == j && stands(&y->s, row_at, e, 0, column_at, j, 2);
        } else if (o->kind == SYSTEM_CONSTRAINT || rolling) {
            expr lambda = multiplier_of(r, o->number + (rolling ? mode->constraint.count : 0));
            good = stands(&y->s, row_at, e, rolling ? 1 : 2, column_at, system_unknown(y, lambda), 0);
        }
        if (!good) return 0;
    }
    return 1;
}

static int take_memory(struct formulation *r, int coordinates, int rows) {
    struct formulation_choice *c = &r->choice;
    size_t k = (size_t)rows + 1, n = (size_t)coordinates + 1;
    c->left_out = pool_take(r->pool, k * sizeof *c->left_out);
    c->acceleration = pool_take(r->pool, n * sizeof *c->acceleration);
    c->motion = pool_take(r->pool, n * sizeof *c->motion);
    c->multiplier = pool_take(r->pool, k * sizeof *c->multiplier);
    c->constraint = pool_take(r->pool, k * sizeof *c->constraint);
    c->in_force = pool_take(r->pool, k);
    return !r->pool->refused;
}

/* Are these the equations of mechanics as they stand, with sensitivities?  1; 0; -1 without memory. */
static int is_mechanics(struct formulation *r) {
    const struct system *y = r->y;
    const struct structure *s = &y->s;
    const struct model_mode *mode = mode_of(r);
    int rows = mode->constraint.count + mode->rolling.count;
    if (r->extra || !y->m->directions || s->steps || rows == 0 || y->m->form != MODEL_LAGRANGIAN) return 0;
    int *row_at = pool_take(r->pool, ((size_t)y->equations + 1) * sizeof *row_at);
    int *column_at = pool_take(r->pool, ((size_t)y->unknowns + 1) * sizeof *column_at);
    if (r->pool->refused || !take_memory(r, mode->motion.n, rows)) return -1;
    for (int e = 0; e < y->equations; e++) row_at[e] = -1;
    for (int j = 0; j < y->unknowns; j++) column_at[j] = -1;
    for (int i = 0; i < s->n; i++) row_at[s->row[i]] = column_at[s->column[i]] = i;
    struct formulation_choice *c = &r->choice;
    for (int i = 0; i < rows; i++) {
        c->in_force[i] = !y->left_out[row_of(r, i)->multiplier];
        if (!c->in_force[i]) c->left_out[c->left++] = i;
    }
    int good = all_stand(r, row_at, column_at) && formulation_inertia(r) > 0;
    c->rows = good ? rows : 0, c->coordinates = mode->motion.n;
    if (!good) c->left = 0;
    return y->m->graph.failed ? -1 : good;
}

int choice_find(struct formulation *r) {
    r->choice = (struct formulation_choice){0};
    if (!r->chooses || !r->y->redundants) return 1;
    int found = is_mechanics(r);
    if (found > 0 && r->choice.left == 0) r->choice.rows = 0;
    return found >= 0;
}

/* Has the core sparse factors for M and K (core/choice_sparse.c)? */
static int goes_sparse(const struct formulation *r, int own) {
    const struct derive_sparse *j = &r->algebraic.jacobian;
    double entries = 0;
    for (int k = 0; k < r->choice.coordinates && j->row_start; k++)
        for (int i = r->choice.motion[k], e = j->row_start[i]; e < j->row_start[i + 1]; e++)
            entries += j->column[e] >= r->n && j->column[e] < r->n + own;
    return j->row_start && saddle_pays(r->choice.coordinates, r->choice.rows, entries, 0);
}

int choice_without(struct formulation *r, int own, const int *rows) {
    if (r->choice.rows || r->y->redundants) return 1;
    int found = is_mechanics(r);
    if (found > 0 && !(choice_places(r, own, rows) && goes_sparse(r, own))) r->choice.rows = 0;
    return found >= 0;
}

/* Equations --------------------------------------------------------------------------------------------- */

static expr in_direction(struct formulation *r, int direction, expr e) {
    return direction < 0 || e == EXPR_NONE ? e : tangent_derivative(r->y->m, direction, e);
}

/* c_i d/dt.. g_i + (1 - c_i) lambda_i. */
static expr constraint_equation(struct formulation *r, int i, int direction) {
    struct graph *g = &r->y->m->graph;
    expr c = expr_symbol(g, EXPR_SIDE, (uint32_t)(FORMULATION_CHOICE + i), 0);
    expr f = in_direction(r, direction, row_of(r, i)->value);
    for (int k = 0; k < order_of(r, i) && f != EXPR_NONE; k++) f = derive_total(&r->derive, f);
    if (f == EXPR_NONE) return EXPR_NONE;
    return derive_add(g, derive_mul(g, c, f),
                      derive_mul(g, derive_sub(g, expr_constant(g, 1), c),
                                 in_direction(r, direction, multiplier_of(r, i))));
}

/* With the forces of all constraints. */
static expr motion_of_all(struct formulation *r, int number, int direction) {
    const struct system *y = r->y;
    int rows = r->choice.rows;
    expr *multiplier = pool_take(r->pool, ((size_t)rows + 1) * sizeof *multiplier);
    for (int i = 0; i < rows && multiplier; i++) multiplier[i] = multiplier_of(r, i);
    if (!multiplier) return EXPR_NONE;
    expr f = motion_equation(&mode_of(r)->motion, &r->derive, number, multiplier);
    return in_direction(r, direction, system_expression(y, f));
}

expr choice_equation(struct formulation *r, int i) {
    const struct system *y = r->y;
    int equation = y->s.row[i], direction = -1;
    const struct system_origin *o = &y->origin[equation];
    if (r->choice.rows == 0) return EXPR_NONE;
    if (o->kind == SYSTEM_TANGENT) direction = o->copy - 1;
    if (o->kind == SYSTEM_TANGENT && o->number >= 0) o = &y->origin[o->number];
    if (o->kind == SYSTEM_MOTION) return motion_of_all(r, o->number, direction);
    if (o->kind == SYSTEM_CONSTRAINT) return constraint_equation(r, o->number, direction);
    if (o->kind == SYSTEM_ROLLING)
        return constraint_equation(r, mode_of(r)->constraint.count + o->number, direction);
    if (o->kind != SYSTEM_TANGENT) return EXPR_NONE;
    expr lambda = tangent_primal(y->m, y->unknown[y->s.column[y->s.match[i]]]);
    for (int k = 0; k < r->choice.left; k++)
        if (choice_left_multiplier(r, k) == lambda)
            return constraint_equation(r, r->choice.left_out[k], direction);
    return EXPR_NONE;
}

expr choice_left_equation(struct formulation *r, int k) {
    return constraint_equation(r, r->choice.left_out[k], -1);
}

expr choice_left_multiplier(const struct formulation *r, int k) {
    return multiplier_of(r, r->choice.left_out[k]);
}

/* Rows of the manifold ---------------------------------------------------------------------------------- */

/* Those of one direction. */
static int hidden_each(const struct formulation *r) {
    int count = 0;
    for (int k = 0; k < r->choice.left; k++) count += order_of(r, r->choice.left_out[k]);
    return count;
}

int choice_hidden_count(const struct formulation *r) {
    return hidden_each(r) * (1 + r->y->m->directions);
}

/* k of one direction becomes the order of its derivative; the constraint. */
static int left_of_hidden(const struct formulation *r, int *k) {
    int left = 0;
    *k %= hidden_each(r);
    while (*k >= order_of(r, r->choice.left_out[left])) *k -= order_of(r, r->choice.left_out[left++]);
    return r->choice.left_out[left];
}

int choice_of_left(const struct formulation *r, int k) {
    return left_of_hidden(r, &k);
}

int choice_of_hidden(const struct formulation *r, int equation) {
    const struct system_origin *o = &r->y->origin[equation];
    if (o->kind == SYSTEM_TANGENT && o->number >= 0) o = &r->y->origin[o->number];
    if (o->kind == SYSTEM_CONSTRAINT) return o->number;
    return o->kind == SYSTEM_ROLLING ? mode_of(r)->constraint.count + o->number : -1;
}

expr choice_hidden(struct formulation *r, int k, char *label, size_t capacity) {
    struct model *m = r->y->m;
    int direction = k / hidden_each(r) - 1;
    const struct model_row *row = row_of(r, left_of_hidden(r, &k));
    text_set(label, capacity, k ? "d/dt " : "");
    if (direction >= 0) text_add(label, capacity, "d/d%.150s ", m->direction[direction].name);
    text_add(label, capacity, "%.200s", row->label.text);
    expr f = in_direction(r, direction, row->value);
    return k && f != EXPR_NONE ? derive_total(&r->derive, f) : f;
}

/* Places ------------------------------------------------------------------------------------------------ */

static int place_among(const struct formulation *r, int own, expr symbol) {
    int place = formulation_place(r, symbol) - r->n;
    return place < own ? place : -1;
}

/* Where the equation that row i of the constraints became stands; motion: coordinate i. */
static int equation_place(const struct formulation *r, int own, const int *rows, int i, int motion) {
    int holonomic = mode_of(r)->constraint.count;
    enum system_kind kind = motion ? SYSTEM_MOTION : i < holonomic ? SYSTEM_CONSTRAINT : SYSTEM_ROLLING;
    int number = kind == SYSTEM_ROLLING ? i - holonomic : i;
    for (int at = 0; at < own; at++) {
        if (rows[at] < 0) {
            if (!motion && r->choice.left_out[-1 - rows[at]] == i) return at;
            continue;
        }
        const struct system_origin *o = &r->y->origin[r->y->s.row[rows[at]]];
        if (o->kind == kind && o->number == number) return at;
    }
    return -1;
}

int choice_places(struct formulation *r, int own, const int *rows) {
    struct formulation_choice *c = &r->choice;
    struct graph *g = &r->y->m->graph;
    int good = own == c->coordinates + c->rows &&
               derive_degree_of(g, own, r->algebraic.value, own, r->basic + r->n) <= 1;
    for (int j = 0; j < c->coordinates; j++) {
        expr q = mode_of(r)->motion.q[j];
        c->acceleration[j] = place_among(r, own, expr_symbol(g, EXPR_UNKNOWN, g->node[q].b, 2));
        c->motion[j] = equation_place(r, own, rows, j, 1);
        good &= c->acceleration[j] >= 0 && c->motion[j] >= 0;
    }
    for (int i = 0; i < c->rows; i++) {
        c->multiplier[i] = place_among(r, own, multiplier_of(r, i));
        c->constraint[i] = equation_place(r, own, rows, i, 0);
        good &= c->multiplier[i] >= 0 && c->constraint[i] >= 0;
    }
    return good;
}

/* c_i = 1 in all of them, and some of y 0. */
static int leave_out(struct formulation *r, int count, const expr *f, int first, int end, expr *out) {
    struct graph *g = &r->y->m->graph;
    int sides = r->choice.left ? r->choice.rows : 0, names = end - first + sides;
    expr *from = pool_take(r->pool, 2 * ((size_t)names + 1) * sizeof *from), *to = from + names;
    if (!from || !out) return 0;
    for (int j = first; j < end; j++) from[j - first] = r->basic[r->n + j], to[j - first] = derive_zero(g);
    for (int i = 0; i < sides; i++) {
        from[end - first + i] = expr_symbol(g, EXPR_SIDE, (uint32_t)(FORMULATION_CHOICE + i), 0);
        to[end - first + i] = expr_constant(g, 1);
    }
    return expr_substitute(g, (size_t)count, f, (size_t)names, from, to, out) == 0 &&
           formulation_drop_zeros(g, (size_t)count, out);
}

int choice_offsets(struct formulation *r, int own) {
    struct formulation_choice *c = &r->choice;
    if (c->rows == 0) return 1;
    c->own = own;
    c->offset = pool_take(r->pool, ((size_t)own + 1) * sizeof *c->offset);
    c->offsets = pool_take(r->pool, ((size_t)(r->m - own) + 1) * sizeof *c->offsets);
    return leave_out(r, own, r->algebraic.value, 0, own, c->offset) &&
           leave_out(r, r->m - own, r->algebraic.value + own, own, r->m, c->offsets);
}
