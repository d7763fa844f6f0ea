/* formulation_general.c - any equations, through the offsets c, d of the structure analysis.
 *
 * The n equations f_i^(c_i) = 0 give the highest derivatives z_j = x_j^(d_j).  Their Jacobian, in block
 * triangular form, says in which order; a block of one equation is solved for its z_j on paper where that
 * can be done, those of mechanics with sensitivities are (eliminate.h), what leaves a block by sums of its
 * equations does (reduce.h), and everything else becomes an algebraic variable of an index-1 system.  The
 * states move by x_j^(l)' = x_j^(l+1), and the equations f_i^(l) = 0, l < c_i, are the manifold.
 *
 * Constraints of a hamiltonian ask for q'', so that q' is a state, held by the rows q' = H_p; with
 * sensitivities, whose formulation is this one, these rows define it instead, and both are left out. */
#include "model/formulation.h"

#include "symbolic/derive_rules.h"
#include "model/blocks.h"
#include "model/choice.h"
#include "model/diagnostics.h"
#include "model/eliminate.h"
#include "model/isolate.h"
#include "model/reduce.h"
#include "model/tangent.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* What is found out before the basic symbols are named. */
struct plan {
    int *row, *first, blocks; /* rows of the reduced system, block by block */
    struct reduce reduced;    /* z_j as found on paper; EXPR_NONE: torn */
    expr *velocity;           /* [n] by column: x_j' in terms of other states; EXPR_NONE: a state */
    int velocities;           /* how many are none */
    int own, *rows;           /* of the algebraic equations those of the motion: their rows (choice_places) */
};

static expr derivative(const struct formulation *r, int column, int order) {
    struct graph *g = &r->y->m->graph;
    const struct expr_node n = g->node[r->y->unknown[r->y->s.column[column]]];
    return expr_symbol(g, (enum expr_kind)n.a, n.b, (uint32_t)order);
}

/* Where some of a direction is torn, all is that is so of the motion: with as many unknowns in the same
 * order, F_y of the motion serves the direction, too (saltation.c, core/algebra.h). */
static int tear_alike(struct formulation *r, struct plan *p) {
    const struct system *y = r->y;
    const struct structure *s = &y->s;
    int *column = pool_take(r->pool, ((size_t)y->unknowns + 1) * sizeof *column), wanted = 0;
    if (!column) return 0;
    for (int j = 0; j < s->n; j++) {
        column[s->column[j]] = j;
        wanted |= r->torn[j] && tangent_direction(y->m, y->unknown[s->column[j]]) >= 0;
    }
    for (int j = 0; j < s->n && wanted; j++) {
        expr unknown = y->unknown[s->column[j]], primal = tangent_primal(y->m, unknown);
        int of = primal == unknown ? -1 : system_unknown(y, primal);
        if (of < 0 || s->column[column[of]] != of || !r->torn[column[of]]) continue;
        r->torn[j] = 1;
        p->reduced.top[j] = EXPR_NONE;
    }
    return 1;
}

/* Equations of motion of a few coordinates without constraints, as beside a controller or a motor: their
 * accelerations are expressions that cost less than a system solved at every step. */
static int is_short_motion(const struct formulation *r, int rows, const int *row) {
    enum { MOST = 4 }; /* elimination needs no pivots where M is positive definite */
    const struct system *y = r->y;
    for (int i = 0; i < rows && rows <= MOST; i++)
        if (y->origin[y->s.row[row[i]]].kind != SYSTEM_MOTION) return 0;
    return rows <= MOST && formulation_is_inert(r);
}

/* A block of several rows: those that leave it, and those that are torn. */
static int plan_block(struct formulation *r, struct plan *p, int b) {
    int rows = p->first[b + 1] - p->first[b], *row = p->row + p->first[b];
    int pays = r->y->m->directions || is_short_motion(r, rows, row);
    if (pays && eliminate_block(r, rows, row, p->reduced.top)) return 1;
    return reduce_block(&p->reduced, rows, row);
}

/* Rows of dependent constraints, and the motion that they carry, with the choice that a run makes. */
static int take_choice(struct formulation *r, struct plan *p) {
    const struct structure *s = &r->y->s;
    for (int i = 0; i < s->n; i++) {
        expr chosen = choice_equation(r, i);
        if (chosen == EXPR_NONE) continue;
        p->reduced.equation[i] = chosen;
        p->reduced.top[s->match[i]] = EXPR_NONE;
    }
    return !r->y->m->graph.failed && !r->pool->refused;
}

static int make_plan(struct formulation *r, struct plan *p) {
    const struct structure *s = &r->y->s;
    size_t n = (size_t)s->n + 1;
    p->row = pool_take(r->pool, n * sizeof *p->row);
    p->first = pool_take(r->pool, n * sizeof *p->first);
    r->torn = pool_take(r->pool, n);
    if (r->pool->refused || !reduce_open(&p->reduced, r)) return 0;
    r->solves = p->reduced.solves;
    p->blocks = blocks_find(s->n, s->jacobian.row_start, s->jacobian.column, s->match, p->row, p->first);
    if (p->blocks < 0 || !choice_find(r)) return 0;
    for (int directions = 0; directions < 2; directions++)
        for (int b = 0; b < p->blocks; b++) {
            int i = p->row[p->first[b]], j = s->match[i];
            if (tangent_equation(r->y, s->row[i]) != directions) continue;
            if (r->choice.rows && choice_equation(r, i) != EXPR_NONE) continue;
            if (p->first[b + 1] - p->first[b] > 1 && !plan_block(r, p, b)) return 0;
            if (p->first[b + 1] - p->first[b] == 1)
                p->reduced.top[j] = isolate_solve(&r->derive, s->top[i], derivative(r, j, s->d[j]));
        }
    if (r->choice.rows && !take_choice(r, p)) return 0;
    for (int j = 0; j < s->n; j++) r->torn[j] = p->reduced.top[j] == EXPR_NONE;
    if (r->y->m->directions && !tear_alike(r, p)) return 0;
    return !r->y->m->graph.failed;
}

/* Is it q_i' = H_p, or linearised so, whose derivative determines q_i''? */
static int defines_velocity(const struct system *y, int i) {
    const struct system_origin *o = &y->origin[y->s.row[i]];
    if (o->kind == SYSTEM_TANGENT && o->number >= 0) o = &y->origin[o->number];
    return o->kind == SYSTEM_MOTION && y->s.c[i] == 1;
}

/* The column j of a row f(x_j', ..), if it has one alone; -1. */
static int column_of_velocity(const struct structure *s, int i) {
    int found = -1;
    for (int k = s->jacobian.row_start[i]; k < s->jacobian.row_start[i + 1]; k++) {
        int j = s->jacobian.column[k];
        if (s->d[j] != 2) continue;
        if (found >= 0) return -1;
        found = j;
    }
    return found;
}

/* Does an event assign x_j', under whatever name?  A direction goes with the motion. */
static int is_assigned(const struct system *y, int column) {
    const struct model_mode *mode = &y->m->mode[y->mode];
    expr x = tangent_primal(y->m, y->unknown[y->s.column[column]]);
    for (int i = 0; i < mode->events + mode->timed; i++)
        for (int k = 0; k < mode->event[i].actions; k++) {
            const struct model_action *action = &mode->event[i].action[k];
            int j = action->kind == SYNTAX_ASSIGN ? system_unknown(y, action->target) : -1;
            if (j >= 0 && y->unknown[y->s.alias[j].unknown] == x &&
                y->s.alias[j].order + (int)y->m->graph.node[action->target].c == 1)
                return 1;
        }
    return 0;
}

/* Modes, and events that assign them, move velocities as states: there they stay what they are. */
static int find_velocities(struct formulation *r, struct plan *p) {
    const struct system *y = r->y;
    const struct structure *s = &y->s;
    const struct model *m = y->m;
    int wanted = m->directions && m->form == MODEL_HAMILTONIAN && m->modes == 1 && !s->steps;
    p->velocity = pool_take(r->pool, ((size_t)s->n + 1) * sizeof *p->velocity);
    if (!p->velocity) return 0;
    for (int j = 0; j < s->n; j++) p->velocity[j] = EXPR_NONE;
    for (int k = 0; k < s->hiddens && wanted; k++) {
        int i = 0;
        while (s->row[i] != s->hidden[k].equation) i++;
        int j = defines_velocity(y, i) ? column_of_velocity(s, i) : -1;
        if (j < 0 || p->velocity[j] != EXPR_NONE || is_assigned(y, j)) continue;
        p->velocity[j] = isolate_solve(&r->derive, s->hidden[k].f, derivative(r, j, 1));
        p->velocities += p->velocity[j] != EXPR_NONE;
    }
    return !y->m->graph.failed;
}

/* Does the row define a velocity that is no state? */
static int is_left_out(const struct formulation *r, const struct plan *p, const struct structure_row *row) {
    const struct structure *s = &r->y->s;
    int i = 0;
    if (p->velocities == 0 || row->order > 0) return 0;
    while (s->row[i] != row->equation) i++;
    int j = defines_velocity(r->y, i) ? column_of_velocity(s, i) : -1;
    return j >= 0 && p->velocity[j] != EXPR_NONE;
}

/* Is column j a multiplier behind that of the constraint that was left out as number k? */
static int is_multiplier_behind(const struct formulation *r, int j, int k) {
    const struct expr_node n = r->y->m->graph.node[r->y->unknown[r->y->s.column[j]]];
    return n.a == EXPR_MULTIPLIER && n.b > r->y->m->graph.node[choice_left_multiplier(r, k)].b;
}

/* States by order of differentiation, then in the order of the unknowns; then what is torn, the motion's
 * before that of its directions. */
static int name_basics(struct formulation *r, struct plan *p) {
    const struct structure *s = &r->y->s;
    int torn = 0, highest = 0, at = 0;
    for (int j = 0; j < s->n; j++) {
        torn += r->torn[j];
        if (s->d[j] > highest) highest = s->d[j];
    }
    r->n = s->states - p->velocities;
    r->m = torn * (1 + r->extra) + r->choice.left;
    expr *symbol = pool_take(r->pool, ((size_t)r->n + (size_t)r->m + 1) * sizeof *symbol);
    if (!symbol) return 0;
    for (int l = 0; l < highest; l++)
        for (int j = 0; j < s->n; j++)
            if (l < s->d[j] && !(l == 1 && p->velocity[j] != EXPR_NONE)) symbol[at++] = derivative(r, j, l);
    for (int l = 0; l <= r->extra; l++)
        for (int k = -1; k < r->y->m->directions; k++) {
            int left = k < 0 ? 0 : r->choice.left;
            for (int j = 0; j < s->n; j++) {
                if (!r->torn[j] || tangent_direction(r->y->m, derivative(r, j, 0)) != k) continue;
                while (left < r->choice.left && is_multiplier_behind(r, j, left))
                    symbol[at++] = choice_left_multiplier(r, left++);
                symbol[at++] = derivative(r, j, s->d[j] + l);
            }
            while (left < r->choice.left) symbol[at++] = choice_left_multiplier(r, left++);
            if (k < 0) p->own = at - r->n;
        }
    return formulation_basic(r, r->n + r->m, symbol);
}

/* In the order of the blocks, so that each needs only what is defined. */
static int define_tops(struct formulation *r, const struct plan *p) {
    const struct structure *s = &r->y->s;
    for (int j = 0; j < s->n; j++)
        if (p->velocity[j] != EXPR_NONE) formulation_define(r, derivative(r, j, 1), p->velocity[j]);
    for (int k = 0; k < s->n; k++) {
        int j = r->solves[p->row[k]];
        if (r->torn[j]) continue;
        expr e = formulation_resolve(r, p->reduced.top[j]);
        if (e == EXPR_NONE) return 0;
        formulation_define(r, derivative(r, j, s->d[j]), e);
    }
    return 1;
}

static int fill_rates(struct formulation *r) {
    struct graph *g = &r->y->m->graph;
    if (!formulation_map_open(r, &r->f, r->n)) return 0;
    for (int i = 0; i < r->n; i++) {
        const struct expr_node x = g->node[r->basic[i]];
        r->f.value[i] = formulation_resolve(r, expr_symbol(g, (enum expr_kind)x.a, x.b, x.c + 1));
        if (r->f.value[i] == EXPR_NONE) return 0;
    }
    return formulation_derivatives(r, &r->f, r->n + r->m, r->basic, 0);
}

/* The next algebraic equation, of row i of the reduced system; -1 - k: of a constraint left out. */
static int add_algebraic(struct formulation *r, struct plan *p, int at, expr top, int i, int order) {
    char label[220];
    const struct structure *s = &r->y->s;
    r->algebraic.value[at] = formulation_resolve(r, top);
    if (r->algebraic.value[at] == EXPR_NONE) return 0;
    if (i >= 0) system_label(r->y, s->row[i], s->c[i] + order, label, sizeof label);
    else text_set(label, sizeof label, "lambda.%.200s", r->names[r->n + at]);
    r->algebraic.names[at] = formulation_text(r, label);
    if (at < p->own) p->rows[at] = i;
    return 1;
}

static int add_left_out(struct formulation *r, struct plan *p, int *at) {
    for (int k = 0; k < r->choice.left; k++)
        if (!add_algebraic(r, p, (*at)++, choice_left_equation(r, k), -1 - k, 0)) return 0;
    return 1;
}

static int fill_algebraic(struct formulation *r, struct plan *p) {
    const struct structure *s = &r->y->s;
    int at = 0;
    p->rows = pool_take(r->pool, ((size_t)p->own + 1) * sizeof *p->rows);
    if (!p->rows || !formulation_map_open(r, &r->algebraic, r->m)) return 0;
    for (int l = 0; l <= r->extra; l++)
        for (int k = 0; k < s->n; k++) {
            int i = r->y->m->directions ? k : p->row[k]; /* linearised ones stand behind the motion's */
            if (!r->torn[r->solves[i]]) continue;
            expr top = p->reduced.equation[i];
            for (int d = 0; d < l && top != EXPR_NONE; d++) top = derive_total(&r->derive, top);
            if (at == p->own - r->choice.left && !add_left_out(r, p, &at)) return 0;
            if (!add_algebraic(r, p, at++, top, i, l)) return 0;
        }
    if (at == p->own - r->choice.left && !add_left_out(r, p, &at)) return 0;
    return formulation_derivatives(r, &r->algebraic, r->n + r->m, r->basic, 1);
}

static int fill_hidden(struct formulation *r, const struct plan *p) {
    const struct structure *s = &r->y->s;
    char label[220];
    int at = 0;
    int left = r->choice.left ? choice_hidden_count(r) : 0;
    r->choice.hidden = pool_take(r->pool, ((size_t)(s->hiddens + left) + 1) * sizeof *r->choice.hidden);
    if (!r->choice.hidden) return 0;
    if (!formulation_map_open(r, &r->hidden, s->hiddens - p->velocities + left)) return 0;
    for (int k = 0; k < s->hiddens; k++) {
        if (is_left_out(r, p, &s->hidden[k])) continue;
        r->hidden.value[at] = p->velocities ? formulation_resolve(r, s->hidden[k].f) : s->hidden[k].f;
        if (r->hidden.value[at] == EXPR_NONE) return 0;
        system_label(r->y, s->hidden[k].equation, s->hidden[k].order, label, sizeof label);
        r->choice.hidden[at] = choice_of_hidden(r, s->hidden[k].equation);
        r->hidden.names[at++] = formulation_text(r, label);
    }
    for (int k = 0; k < left; k++) {
        r->hidden.value[at] = formulation_resolve(r, choice_hidden(r, k, label, sizeof label));
        if (r->hidden.value[at] == EXPR_NONE) return 0;
        r->choice.hidden[at] = choice_of_left(r, k);
        r->hidden.names[at++] = formulation_text(r, label);
    }
    return formulation_derivatives(r, &r->hidden, r->n, r->basic, 1);
}

/* A constraint that follows from others needs no force of its own. */
static void define_left_out(struct formulation *r) {
    struct graph *g = &r->y->m->graph;
    for (int k = 0; k < r->y->m->multipliers; k++)
        if (r->y->left_out[k] && r->choice.rows == 0)
            formulation_define(r, expr_symbol(g, EXPR_MULTIPLIER, (uint32_t)k, 0), derive_zero(g));
}

int formulation_general(struct formulation *r) {
    struct plan plan = {0};
    if (!make_plan(r, &plan) || !find_velocities(r, &plan) || !name_basics(r, &plan))
        return diagnostics_memory(r->messages) - 1;
    define_left_out(r);
    if (!define_tops(r, &plan) || !fill_rates(r) || !fill_algebraic(r, &plan) || !fill_hidden(r, &plan))
        return diagnostics_memory(r->messages) - 1;
    if (r->choice.rows && !choice_places(r, plan.own, plan.rows)) return 0;
    if (!choice_without(r, plan.own, plan.rows) || !choice_offsets(r, plan.own))
        return diagnostics_memory(r->messages) - 1;
    r->form = r->m || r->hidden.count ? KEEL_DAE : KEEL_ODE;
    return 1;
}
