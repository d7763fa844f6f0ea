/* reduce_open.c - which unknowns are asked for themselves, and which may jump: see reduce.h. */
#include "model/reduce.h"

#include <string.h>

int reduce_column(const struct reduce *w, expr symbol) {
    int j = symbol == EXPR_NONE ? -1 : system_unknown(w->r->y, symbol);
    return j < 0 ? -1 : w->column_of[w->r->y->s.alias[j].unknown];
}

/* The unknowns of a list stay. */
static void mark(struct reduce *w, expr target) {
    const struct system *y = w->r->y;
    int j = target == EXPR_NONE ? -1 : system_unknown(y, target);
    if (j < 0) return;
    const struct structure_value alias = y->s.alias[j];
    int column = w->column_of[alias.unknown], order = alias.order + (int)y->m->graph.node[target].c;
    if (column >= 0 && order == y->s.d[column]) w->stays[column] = 1;
}

/* What is assigned jumps, and a value of its own at the start is no better. */
static void mark_jumps(struct reduce *w) {
    const struct model *m = w->r->y->m;
    const struct model_givens *list[] = {&m->init, &m->guess};
    int column;
    double value;
    for (int l = 0; l < 2; l++)
        for (int k = 0; k < list[l]->count; k++)
            if ((column = reduce_column(w, list[l]->list[k].target)) >= 0)
                w->jumps[column] |=
                    !(expr_is_constant(&m->graph, list[l]->list[k].value, &value) && value == 0);
    for (int k = 0; k < m->sets; k++)
        if ((column = reduce_column(w, m->set[k])) >= 0) w->jumps[column] = 1;
    for (int i = 0; i < m->modes; i++)
        for (int e = 0; e < m->mode[i].events + m->mode[i].timed; e++)
            for (int k = 0; k < m->mode[i].event[e].actions; k++) {
                const struct model_action *action = &m->mode[i].event[e].action[k];
                if (action->kind == SYNTAX_ASSIGN && (column = reduce_column(w, action->target)) >= 0)
                    w->jumps[column] = 1;
            }
}

int reduce_open(struct reduce *w, struct formulation *r) {
    const struct system *y = r->y;
    const struct structure *s = &y->s;
    const struct model *m = y->m;
    const struct model_givens *list[] = {&m->init, &m->guess, &m->atol, &m->scale};
    size_t n = (size_t)s->n + 1;
    *w = (struct reduce){.r = r,
                         .equation = pool_take(r->pool, n * sizeof *w->equation),
                         .solves = pool_take(r->pool, n * sizeof *w->solves),
                         .top = pool_take(r->pool, n * sizeof *w->top),
                         .turn = pool_take(r->pool, n * sizeof *w->turn),
                         .stays = pool_take(r->pool, n),
                         .jumps = pool_take(r->pool, n),
                         .number = pool_take(r->pool, n * sizeof *w->number)};
    w->column_of = pool_take(r->pool, ((size_t)y->unknowns + 1) * sizeof *w->column_of);
    w->row_of = pool_take(r->pool, ((size_t)y->equations + 1) * sizeof *w->row_of);
    if (r->pool->refused) return 0;
    for (int j = 0; j < y->unknowns; j++) w->column_of[j] = -1;
    for (int i = 0; i < y->equations; i++) w->row_of[i] = -1;
    for (int i = 0; i < s->n; i++) {
        w->column_of[s->column[i]] = w->row_of[s->row[i]] = i;
        w->equation[i] = s->top[i];
        w->solves[i] = s->match[i];
        w->top[i] = EXPR_NONE;
    }
    for (int l = 0; l < 4; l++)
        for (int k = 0; k < list[l]->count; k++) mark(w, list[l]->list[k].target);
    for (int k = 0; k < m->sets; k++) mark(w, m->set[k]);
    mark_jumps(w);
    return 1;
}
