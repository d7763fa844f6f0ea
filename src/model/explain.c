/* explain.c - what the analysis found, in the model's own names; what its form alone proves. */
#include "model/explain.h"

#include "base/text.h"
#include "model/diagnostics.h"
#include "model/sim.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const struct system *system_of(const keel_model *m, int mode) {
    return mode >= 0 && mode < keel_model_modes(m) ? &m->mode[mode]->system : NULL;
}

int keel_model_hidden(const keel_model *m, int mode, int i, keel_hidden *out) {
    const struct system *y = system_of(m, mode);
    if (!y || !out || i < 0 || i >= m->mode[mode]->hiddens) return 0;
    const struct structure_row *row = &y->s.hidden[m->mode[mode]->hidden[i]];
    system_label(y, row->equation, row->order, out->name, sizeof out->name);
    system_label(y, row->equation, 0, out->of, sizeof out->of);
    diagnostics_print(y, row->f, out->text, sizeof out->text);
    out->order = row->order;
    return 1;
}

int keel_model_equation_offset(const keel_model *m, int mode, int i, keel_offset *out) {
    const struct system *y = system_of(m, mode);
    if (!y || !out || i < 0 || i >= y->s.n) return 0;
    system_label(y, y->s.row[i], 0, out->name, sizeof out->name);
    out->offset = y->s.c[i];
    return 1;
}

int keel_model_unknown_offset(const keel_model *m, int mode, int i, keel_offset *out) {
    const struct system *y = system_of(m, mode);
    if (!y || !out || i < 0 || i >= y->s.n) return 0;
    model_name(y->m, y->unknown[y->s.column[i]], out->name, sizeof out->name);
    out->offset = y->s.d[i];
    return 1;
}

int keel_model_free_state(const keel_model *m, int mode, int i, char name[KEEL_NAME]) {
    const struct system *y = system_of(m, mode);
    if (!y || !name || i < 0 || i >= m->mode[mode]->free_states) return 0;
    text_set(name, KEEL_NAME, "%s", m->mode[mode]->free_state[i]);
    return 1;
}

int keel_model_redundant(const keel_model *m, int mode, int i, const char **name, const char **equivalent) {
    const struct system *y = system_of(m, mode);
    if (!y || i < 0 || i >= y->redundants) return 0;
    if (name) *name = y->superfluous[2 * i];
    if (equivalent) *equivalent = y->superfluous[2 * i + 1];
    return 1;
}

keel_origin keel_sim_origin(const keel_sim *s, int i) {
    if (!s || !s->solver || i < 0 || i >= s->m->columns) return KEEL_FROM_EQUATIONS;
    return s->m->column[i].origin;
}

/* Proofs ------------------------------------------------------------------------------------------------ */

/* Is e made of parameters and the symbols that are marked by 1 .. most alone, in which t does not count? */
static int made_of(struct graph *g, expr e, int most, const unsigned char *mark) {
    struct expr_list all;
    if (e == EXPR_NONE || expr_symbols(g, 1, &e, &all)) return 0;
    int good = 1;
    for (size_t k = 0; k < all.count && good; k++)
        good = g->node[all.item[k]].a == EXPR_PARAMETER ||
               (mark && mark[all.item[k]] && mark[all.item[k]] <= most);
    free(all.item);
    return good;
}

/* A v = 0 without b: the force along A^T does no work on what it allows.  Is e linear in v as written, with
 * a factor of v in every term?  Terms that many sums share are looked at in each of them, up to a bound. */
static int homogeneous(struct graph *g, expr e, int n, const expr *v, int *visits) {
    enum { MOST_VISITS = 2000 };
    const struct expr_node node = g->node[e];
    size_t count = (size_t)n;
    if (++*visits > MOST_VISITS) return 0;
    if (node.op == EXPR_SYMBOL) return expr_depends(g, e, count, v);
    if (node.op == EXPR_NEG) return homogeneous(g, node.a, n, v, visits);
    if (node.op == EXPR_ADD || node.op == EXPR_SUB)
        return homogeneous(g, node.a, n, v, visits) && homogeneous(g, node.b, n, v, visits);
    if (node.op == EXPR_MUL && !expr_depends(g, node.a, count, v))
        return homogeneous(g, node.b, n, v, visits);
    if ((node.op == EXPR_MUL || node.op == EXPR_DIV) && !expr_depends(g, node.b, count, v))
        return homogeneous(g, node.a, n, v, visits);
    return 0;
}

/* The energy of q' = H_p, p' = -H_q - G^T lambda, of the lagrangian that is equivalent, or of x' = B grad H:
 * its rate is its partial derivative by t, and the work of forces and of constraints that move. */
static int proves_energy(const struct system *y) {
    if (y->m->form == MODEL_EQUATIONS) return 0;
    const struct model_mode *in = &y->m->mode[y->mode];
    const struct motion *motion = &in->motion;
    struct graph *g = &y->m->graph;
    int n = motion->n, good = 1, visits = 0;
    unsigned char *mark = expr_take(g, g->count, 1); /* 1: a position, 2: a velocity */
    if (!mark) return 0;
    memset(mark, 0, g->count);
    for (int i = 0; i < n; i++) {
        mark[motion->q[i]] = 1;
        if (motion->v) mark[motion->v[i]] = 2;
    }
    good = made_of(g, in->function, 2, mark);
    for (int j = 0; j < y->m->unknowns && in->force; j++) good &= in->force[j] == EXPR_NONE;
    for (int i = 0; i < in->constraint.count && good; i++)
        good = made_of(g, in->constraint.list[i].value, 1, mark);
    for (int i = 0; i < in->rolling.count && good; i++)
        good = made_of(g, in->rolling.list[i].value, 2, mark) &&
               homogeneous(g, in->rolling.list[i].value, n, motion->v, &visits);
    free(mark);
    return good;
}

int keel_model_proved(const keel_model *m, int mode, const char *row) {
    return system_of(m, mode) && row && strcmp(row, "energy") == 0 && m->mode[mode]->proved;
}

/* Pairs ------------------------------------------------------------------------------------------------- */

enum { MOST_TERMS = 20000 };

struct pairs {
    const struct model *m;
    int terms, two, more; /* terms so far; a term of two elements was met; one of more, or of another kind */
    int low, high;        /* elements met */
};

/* One term: the first indices of the positions in it. */
static void pairs_term(struct pairs *p, struct graph *g, expr e) {
    struct expr_list all;
    int seen[2], count = 0;
    const char *base = NULL;
    if (++p->terms > MOST_TERMS || expr_symbols(g, 1, &e, &all)) {
        p->more = 1;
        return;
    }
    for (size_t k = 0; k < all.count && !p->more; k++) {
        const struct expr_node n = g->node[all.item[k]];
        if (n.a != EXPR_UNKNOWN || n.c || p->m->unknown[n.b].role == MODEL_MOMENTUM) continue;
        const struct model_label *label = &p->m->unknown[n.b].label;
        if (label->rank == 0 || (base && strcmp(base, label->base) != 0)) p->more = 1;
        base = label->base;
        if (label->index[0] < p->low) p->low = label->index[0];
        if (label->index[0] > p->high) p->high = label->index[0];
        if ((count > 0 && seen[0] == label->index[0]) || (count > 1 && seen[1] == label->index[0])) continue;
        if (count == 2) p->more = 1;
        else seen[count++] = label->index[0];
    }
    p->two |= count == 2;
    free(all.item);
}

static int without_unknowns(struct graph *g, expr e) {
    return made_of(g, e, 0, NULL);
}

/* Sums are taken apart; what is multiplied by a number of parameters counts like itself. */
static void pairs_walk(struct pairs *p, struct graph *g, expr e, int depth) {
    const struct expr_node n = g->node[e];
    if (p->more) return;
    if (depth > 2000) p->more = 1;
    else if (n.op == EXPR_ADD || n.op == EXPR_SUB) {
        pairs_walk(p, g, n.a, depth + 1);
        pairs_walk(p, g, n.b, depth + 1);
    } else if (n.op == EXPR_MUL && without_unknowns(g, n.a)) pairs_walk(p, g, n.b, depth + 1);
    else if (n.op == EXPR_NEG || ((n.op == EXPR_MUL || n.op == EXPR_DIV) && without_unknowns(g, n.b)))
        pairs_walk(p, g, n.a, depth + 1);
    else pairs_term(p, g, e);
}

static int sums_pairs(const struct system *y) {
    if (y->m->form != MODEL_HAMILTONIAN && y->m->form != MODEL_LAGRANGIAN) return 0;
    struct pairs p = {.m = y->m, .low = INT_MAX, .high = INT_MIN};
    expr function = y->m->mode[y->mode].function;
    if (function != EXPR_NONE) pairs_walk(&p, &y->m->graph, function, 0);
    return p.two && !p.more && p.high - p.low > 1; /* two elements are always a pair */
}

int keel_model_pairwise(const keel_model *m, int mode) {
    return system_of(m, mode) && m->mode[mode]->pairs;
}

/* Questions whose answers walk over the graph, or add to it -------------------------------------------- */

/* The hidden rows that stand in no line of the text: derivatives, and equations that a combination replaced.
 */
static int list_hidden(struct keel_model *m, struct inside_mode *mode) {
    const struct structure *s = &mode->system.s;
    unsigned char *replaced = calloc((size_t)mode->system.equations + 1, 1);
    mode->hidden = pool_take(&m->pool, ((size_t)s->hiddens + 1) * sizeof *mode->hidden);
    mode->hiddens = 0;
    for (int k = 0; k < s->steps && replaced; k++) replaced[s->step[k].replaced] = 1;
    for (int k = 0; k < s->hiddens && replaced && mode->hidden; k++)
        if (s->hidden[k].order > 0 || replaced[s->hidden[k].equation]) mode->hidden[mode->hiddens++] = k;
    int good = replaced && mode->hidden;
    free(replaced);
    return good;
}

/* The names of the states whose start values may be chosen. */
static int list_free_states(struct keel_model *m, struct inside_mode *mode) {
    const struct system *y = &mode->system;
    mode->free_states = 0;
    mode->free_state = pool_take(&m->pool, ((size_t)y->s.states + 1) * sizeof *mode->free_state);
    if (!mode->free_state) return 0;
    for (int k = 0; k < y->s.states; k++) {
        char name[KEEL_NAME];
        if (!y->s.free[k]) continue;
        const struct expr_node n = y->m->graph.node[y->unknown[y->s.state[k].unknown]];
        int integral =
            n.a == EXPR_UNKNOWN && y->s.state[k].order == 0 && y->m->unknown[n.b].role == MODEL_MEMORY;
        if (integral) continue;
        expr symbol = expr_symbol(&y->m->graph, (enum expr_kind)n.a, n.b, (uint32_t)y->s.state[k].order);
        if (symbol == EXPR_NONE) return 0;
        system_name(y, symbol, name, sizeof name);
        mode->free_state[mode->free_states++] = pool_copy(&m->pool, name, strlen(name));
    }
    return !m->pool.refused;
}

/* Has an earlier coordinate the same name?  x' = u makes u a name of x'. */
static int named_before(const struct structure *s, const int *list, int i) {
    struct structure_value at = s->alias[list[i]];
    for (int k = 0; k < i && at.order > 0; k++)
        if (s->alias[list[k]].unknown == at.unknown && s->alias[list[k]].order == at.order) return 1;
    return 0;
}

/* The velocities of coordinates, or the momenta of canonical pairs, that are free.  The hidden rows f_i^(l),
 * l < c_i, determine x_j^(d_j - c_i + l) of the unknown j that the transversal gives the equation i: of x_j,
 * what is below the (d_j - c_i)-th derivative is free.  1, or 0 without memory. */
static int count_velocities(struct inside_mode *mode) {
    const struct system *y = &mode->system;
    const struct structure *s = &y->s;
    const struct model *m = y->m;
    int lagrangian = m->form == MODEL_LAGRANGIAN, n = m->mode[y->mode].motion.n;
    const int *list = lagrangian ? m->coord : m->momentum;
    mode->dof = -1;
    if ((!lagrangian && m->form != MODEL_HAMILTONIAN) || n == 0) return 1;
    int *below = calloc((size_t)y->unknowns + 1, sizeof *below);
    if (!below) return 0;
    for (int i = 0; i < s->n; i++) below[s->column[s->match[i]]] = s->d[s->match[i]] - s->c[i];
    mode->dof = 0;
    for (int i = 0; i < n; i++) {
        struct structure_value at = s->alias[list[i]];
        if (m->unknown[list[i]].role == MODEL_MEMORY) continue; /* a variable, which is no motion */
        if (!named_before(s, list, i)) mode->dof += at.order + lagrangian < below[at.unknown];
    }
    free(below);
    return 1;
}

int explain_mode(struct keel_model *m, int i) {
    struct inside_mode *mode = m->mode[i];
    if (!list_hidden(m, mode) || !list_free_states(m, mode) || !count_velocities(mode))
        return diagnostics_memory(&m->messages);
    mode->proved = proves_energy(&mode->system);
    mode->pairs = sums_pairs(&mode->system);
    return 1;
}

int explain_find(struct keel_model *m) {
    for (int i = 0; i < m->modes; i++)
        if (!explain_mode(m, i)) return 0;
    return 1;
}
