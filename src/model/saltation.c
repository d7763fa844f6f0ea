/* saltation.c - see saltation.h. */
#include "model/saltation.h"

#include "model/diagnostics.h"
#include "model/tangent.h"
#include "symbolic/derive_rules.h"

#include <math.h>
#include <string.h>

/* By the place among the states: v may be another name of x'. */
static expr assigned_to(const struct model_event *event, const struct formulation *next, expr symbol) {
    int place = formulation_find(next, symbol);
    for (int k = 0; k < event->actions; k++)
        if (event->action[k].kind == SYNTAX_ASSIGN &&
            formulation_find(next, event->action[k].target) == place)
            return event->action[k].value;
    return symbol;
}

expr saltation_time(struct keel_model *m, struct inside_mode *mode, const struct inside_event *own, int k) {
    struct graph *g = &m->model->graph;
    expr e = system_expression(&mode->system, own->event->value), moves = tangent_derivative(m->model, k, e);
    if (own->event->direction == SYNTAX_AT) return moves;
    if (own->event->direction == SYNTAX_EVERY) /* t = n T: tau = n DT */
        return derive_mul(g, moves, derive_div(g, expr_symbol(g, EXPR_TIME, 0, 0), e));
    expr slope = derive_total(&mode->formulation.derive, e);
    return expr_make(g, EXPR_NEG, derive_div(g, moves, slope), 0, 0);
}

expr saltation_before(struct keel_model *m, struct inside_mode *mode, const struct inside_event *own,
                      expr symbol) {
    struct graph *g = &m->model->graph;
    int k = tangent_direction(m->model, symbol);
    if (k < 0) return symbol;
    expr after = assigned_to(own->event, &m->mode[own->to]->formulation, tangent_primal(m->model, symbol));
    expr rate = derive_total(&mode->formulation.derive, after);
    return derive_add(g, tangent_derivative(m->model, k, after),
                      derive_mul(g, rate, saltation_time(m, mode, own, k)));
}

/* d/dt of an expression that is frozen: by f, which is so, too. */
static expr slope_of(struct formulation *r, expr e) {
    struct graph *g = &r->y->m->graph;
    struct derive_sparse by = {0};
    expr slope = derive_partial(&r->derive, e, expr_symbol(g, EXPR_TIME, 0, 0));
    if (slope == EXPR_NONE || derive_jacobian(&r->derive, 1, &e, r->n + r->m, r->basic, &by))
        return EXPR_NONE;
    for (int k = 0; k < by.row_start[1]; k++) { /* of y there is no rate */
        expr rate = by.column[k] < r->n ? r->f.value[by.column[k]] : expr_constant(g, NAN);
        slope = derive_add(g, slope, derive_mul(g, by.value[k], rate));
    }
    derive_free(&by);
    return slope;
}

/* Is block after block of the equations for y made of the first one, in its order?  Those of constraints that
 * the analysis has left out are the last ones of each. */
static int rows_in_blocks(const struct formulation *r, int own) {
    const struct system *y = r->y;
    own -= r->choice.left;
    const struct structure *s = &y->s;
    int *base = pool_take(r->pool, ((size_t)own + 1) * sizeof *base), at = 0;
    for (int i = 0; i < s->n && base; i++) {
        const struct system_origin *o = &y->origin[s->row[i]];
        int linearised = o->kind == SYSTEM_TANGENT, of = linearised ? o->number : s->row[i];
        if (!r->torn[r->solves[i]] || of < 0) continue;
        if ((linearised ? o->copy : 0) != at / own) return 0;
        if (at < own) base[at] = of;
        if (base[at++ % own] != of) return 0;
    }
    return base != NULL;
}

/* Is y followed by its sensitivities in one direction after the other, each in the order of y? */
static int algebra_in_blocks(const struct formulation *r) {
    struct model *m = r->y->m;
    int blocks = m->directions + 1, own = r->m / blocks;
    if (own == 0 || r->m % blocks || r->extra) return 0;
    for (int j = 0; j < r->m; j++) {
        expr y = r->basic[r->n + j];
        if (tangent_direction(m, y) != j / own - 1) return 0;
        if (tangent_primal(m, y) != r->basic[r->n + j % own]) return 0;
    }
    return rows_in_blocks(r, own);
}

/* F_y of the motion's own y, row by row. */
static int find_matrix(struct formulation *r, int own) {
    const struct derive_sparse *j = &r->algebraic.jacobian;
    if (!j->row_start) return 1;
    r->matrix = pool_take(r->pool, ((size_t)j->row_start[own] + 1) * sizeof *r->matrix);
    for (int e = 0; e < j->row_start[own] && r->matrix; e++)
        if (j->column[e] >= r->n && j->column[e] < r->n + own) r->matrix[r->matrix_entries++] = j->value[e];
    r->matrix_constant =
        derive_degree_of(&r->y->m->graph, own, r->algebraic.value, own, r->basic + r->n) <= 1;
    return r->matrix != NULL;
}

static int find_primals(struct formulation *r) {
    struct model *m = r->y->m;
    int blocks = algebra_in_blocks(r), all = r->n + r->m, told = blocks ? all : r->n;
    if (blocks && !find_matrix(r, r->m / (1 + m->directions))) return 0;
    r->direction = pool_take(r->pool, ((size_t)all + 1) * sizeof *r->direction);
    r->primal = pool_take(r->pool, ((size_t)all + 1) * sizeof *r->primal);
    if (r->pool->refused) return 0;
    for (int i = 0; i < all; i++) {
        r->primal[i] = i < told ? formulation_place(r, tangent_primal(m, r->basic[i])) : -1;
        r->direction[i] = r->primal[i] < 0 ? -1 : tangent_direction(m, r->basic[i]);
    }
    return 1;
}

int saltation_moments(struct formulation *r) {
    struct model *m = r->y->m;
    struct graph *g = &m->graph;
    int first = r->event.count - r->surfaces, at = 0;
    if (!m->directions) return 1;
    if (!find_primals(r)) return 0;
    if (!r->surfaces) return 1;
    r->moment = pool_take(r->pool, (size_t)r->surfaces * (size_t)m->directions * sizeof *r->moment);
    if (r->pool->refused) return 0;
    for (int k = 0; k < r->surfaces; k++) {
        expr e = r->event.value[first + k], slope = slope_of(r, e);
        for (int j = 0; j < m->directions; j++) {
            expr moves = formulation_resolve(r, tangent_derivative(m, j, e));
            r->moment[at++] = derive_div(g, expr_make(g, EXPR_NEG, moves, 0, 0), slope);
        }
    }
    return !g->failed;
}

int saltation_rates(struct keel_model *m, struct inside_mode *mode) {
    struct graph *g = &m->model->graph;
    const struct formulation *r = &mode->formulation;
    expr *rate = pool_take(&m->pool, ((size_t)r->n + 1) * sizeof *rate);
    for (int i = 0; i < r->n && rate; i++) {
        int companion = tangent_direction(m->model, r->basic[i]) >= 0;
        expr primal = tangent_primal(m->model, r->basic[i]);
        rate[i] = companion ? derive_total(&mode->formulation.derive, primal) : derive_zero(g);
    }
    /* at the state after the event, to which the algebraic variables have not come yet */
    return (rate && values_open_anew(&mode->rates, &mode->formulation, r->n, rate)) ||
           diagnostics_memory(&m->messages);
}

int saltation_at(const struct keel_sim *s, const struct inside_event *own) {
    const struct formulation *r = &s->m->mode[own->to]->formulation;
    int at = r->n + r->m;
    for (int k = 0; k < own->event->actions; k++) at += own->event->action[k].kind == SYNTAX_ASSIGN;
    return at;
}

/* Does an action of one event use or assign what the other assigns, or does either change the mode? */
static int meet(const struct keel_sim *s, const struct inside_event *one, const struct inside_event *other) {
    struct graph *g = &s->m->model->graph;
    if (one->to != s->mode || other->to != s->mode) return 1;
    for (int i = 0; i < one->event->actions; i++)
        for (int k = 0; k < other->event->actions; k++) {
            const struct model_action *a = &one->event->action[i], *b = &other->event->action[k];
            if (a->kind != SYNTAX_ASSIGN || b->kind != SYNTAX_ASSIGN) continue;
            if (a->target == b->target || expr_depends(g, a->value, 1, &b->target) ||
                expr_depends(g, b->value, 1, &a->target))
                return 1;
        }
    return 0;
}

/* Has another event acted at this time, whose time moves otherwise?  Then their order is that of p alone, and
 * what follows has a jump there. */
static int collides(const struct keel_sim *s, const struct inside_event *own, const double *moment) {
    if (s->simultaneous < 2 || !s->moment_of || !meet(s, own, s->moment_of)) return 0;
    for (int k = 0; k < s->m->model->directions; k++) {
        double a = moment[k], b = s->moment[k];
        if (!(fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)))) return 1;
    }
    return 0;
}

keel_status saltation_apply(struct keel_sim *s, const struct inside_event *own) {
    const struct model *model = s->m->model;
    const struct inside_mode *next = s->m->mode[own->to];
    const struct formulation *r = &next->formulation;
    const char *name = own->event->label.text;
    double t = keel_time(s->solver), *u = s->work;
    int at = saltation_at(s, own);
    if (model->directions == 0) return KEEL_OK;
    for (int k = 0; k < model->directions; k++)
        if (!isfinite(u[at + k]))
            return sim_fail(
                s, KEEL_EUSER,
                "event `%s` at t = %.10g: its function only touches zero, or an action has set it "
                "off; its time has no derivative, and the sensitivities end there",
                name, t);
    if (collides(s, own, u + at))
        return sim_fail(
            s, KEEL_EUSER,
            "events `%s` and `%s` act at one time, t = %.10g, and their times move otherwise: what "
            "follows has no derivative, and the sensitivities end there",
            s->moment_of->event->label.text, name, t);
    memcpy(s->moment, u + at, (size_t)model->directions * sizeof *u);
    s->moment_of = own;
    keel_status status = values_at(&next->rates, t, u, NULL, s->parameter, &s->scratch, s->rate);
    if (status == KEEL_ENOMEM) return sim_no_memory(s);
    for (int i = 0; i < r->n; i++) {
        int k = tangent_direction(model, r->basic[i]);
        if (k < 0 || u[at + k] == 0) continue;
        if (!isfinite(s->rate[i]))
            return sim_fail(s, KEEL_EUSER,
                            "event `%s` at t = %.10g: the derivatives after it, which sensitivities need, "
                            "could not be found",
                            name, t);
        u[i] -= s->rate[i] * u[at + k];
    }
    memcpy(s->rate, u, (size_t)r->n * sizeof *u); /* for saltation_check */
    return KEEL_OK;
}

keel_status saltation_check(struct keel_sim *s, const struct inside_event *own) {
    const struct model *model = s->m->model;
    const struct formulation *r = &s->m->mode[own->to]->formulation;
    const double *x = keel_state(s->solver);
    double largest = 0;
    if (model->directions == 0) return KEEL_OK;
    for (int i = 0; i < r->n; i++)
        if (tangent_direction(model, r->basic[i]) < 0) largest = fmax(largest, fabs(x[i]));
    for (int i = 0; i < r->n; i++) {
        if (tangent_direction(model, r->basic[i]) >= 0 || fabs(x[i] - s->rate[i]) <= 1e-9 * largest) continue;
        return sim_fail(s, KEEL_ESTART,
                        "event `%s` at t = %.10g: the equations after it move `%.60s`, through which "
                        "sensitivities are not "
                        "carried; let the event assign it",
                        own->event->label.text, keel_time(s->solver), r->names[i]);
    }
    return KEEL_OK;
}
