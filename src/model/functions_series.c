/* functions_series.c - the motion of a formulation as x' = f(t,x,z), 0 = r(t,x,z), for its Taylor series.
 *
 * Mechanics: z = (v', lambda), M v' + K^T lambda = F, and K v' = -gamma, or g itself two orders on.
 * Hamiltonian with constraints: z = lambda, d/dt of the velocity rows.  The general formulation: z are the
 * algebraic variables as they are. */
#include "model/functions.h"

#include "symbolic/derive_rules.h"
#include "model/surface.h"

#include <stdlib.h>

/* The symbols of z where the formulation has none of its own. */
enum { TOPS = FORMULATION_FORMS + (1 << 29) };

struct motion_parts {
    struct graph *g;
    const struct formulation *r;
    int n, m, given;
    expr *symbol, *rate, *row, *lead;
};

static int interpret_series(double t, const double *u, int orders, double *out, double *work, void *user) {
    const struct functions_bound *b = user;
    if (b->machine->series) return b->machine->series(t, u, orders, out, work, user);
    return series_run(b->series, t, u, orders, out, work, b->parameter);
}

static expr top(const struct motion_parts *p, int i) {
    return expr_symbol(p->g, EXPR_HELD, (uint32_t)(TOPS + i), 0);
}

/* sum += a b */
static void add_product(const struct motion_parts *p, expr *sum, expr a, expr b) {
    *sum = derive_add(p->g, *sum, derive_mul(p->g, a, b));
}

/* Constraint i, then rolling ones: its row of K and the factor of it; 0: it follows from others. */
static const struct derive_sparse *row_of(const struct formulation *r, int i, int *row) {
    const struct model_mode *mode = &r->y->m->mode[r->y->mode];
    int held = r->constraint.count;
    const struct model_row *from = i < held ? &mode->constraint.list[i] : &mode->rolling.list[i - held];
    *row = i < held ? i : i - held;
    if (r->y->left_out[from->multiplier]) return NULL;
    return i < held ? &r->constraint.jacobian : &r->rolling.jacobian;
}

static int is_diagonal(const struct derive_sparse *mass) {
    for (int i = 0; i < mass->rows; i++)
        if (mass->row_start[i + 1] != i + 1 || mass->column[i] != i) return 0;
    return mass->row_start[mass->rows] == mass->rows;
}

/* K by columns, rows in their order: what is in them, and the multipliers of the rows. */
struct pulls {
    int *start, *row, *multiplier; /* start: columns + 1 */
    expr *entry;
};

static int list_pulls(const struct motion_parts *p, int rows, struct pulls *c) {
    const struct formulation *r = p->r;
    size_t columns = (size_t)(r->n / 2), entries = 0;
    int row;
    for (int i = 0; i < rows; i++) {
        const struct derive_sparse *k = row_of(r, i, &row);
        if (k) entries += (size_t)(k->row_start[row + 1] - k->row_start[row]);
    }
    c->start = expr_take(p->g, columns + 2 * entries + 2, sizeof *c->start);
    c->entry = expr_take(p->g, entries + 1, sizeof *c->entry);
    if (!c->start || !c->entry) return -1;
    c->row = c->start + columns + 2;
    c->multiplier = c->row + entries;
    for (int fill = 0; fill < 2; fill++) { /* start[j + 2] counts, start[j + 1] is where column j goes on */
        for (int i = 0, at = r->n / 2; i < rows; i++) {
            const struct derive_sparse *k = row_of(r, i, &row);
            for (int e = k ? k->row_start[row] : 0; k && e < k->row_start[row + 1]; e++) {
                if (!fill) {
                    c->start[k->column[e] + 2]++;
                    continue;
                }
                int place = c->start[k->column[e] + 1]++;
                c->row[place] = i;
                c->multiplier[place] = at;
                c->entry[place] = k->value[e];
            }
            at += k != NULL;
        }
        for (size_t j = 2; j < columns + 2 && !fill; j++) c->start[j] += c->start[j - 1];
    }
    return 0;
}

/* What an entry of K in row `first` and a column is multiplied by: the sum of the multipliers of all
 * constraints that have it there, as those of one body's place do.  It costs one product at every order, not
 * one each.  EXPR_NONE where a row before has it. */
static expr pull(const struct motion_parts *p, const struct pulls *c, int first, int column, expr entry) {
    expr sum = EXPR_NONE;
    for (int i = c->start[column]; i < c->start[column + 1]; i++) {
        if (c->entry[i] != entry) continue;
        if (c->row[i] < first) return EXPR_NONE;
        sum = sum == EXPR_NONE ? top(p, c->multiplier[i]) : derive_add(p->g, sum, top(p, c->multiplier[i]));
    }
    return sum;
}

/* 0, or -1 without memory. */
static int mechanics(struct motion_parts *p) {
    const struct formulation *r = p->r;
    struct graph *g = p->g;
    struct pulls pulls = {0};
    int half = r->n / 2, rows = r->constraint.count + r->rolling.count;
    for (int i = 0; i < half; i++) p->rate[i] = r->basic[half + i];
    if (rows == 0 && is_diagonal(&r->mass)) {
        for (int i = 0; i < half; i++) p->rate[half + i] = derive_div(g, r->f.value[i], r->mass.value[i]);
        return 0;
    }
    int failed = list_pulls(p, rows, &pulls);
    for (int i = 0; i < half; i++) {
        p->rate[half + i] = top(p, i);
        p->row[i] = derive_zero(g);
        for (int k = r->mass.row_start[i]; k < r->mass.row_start[i + 1]; k++)
            add_product(p, &p->row[i], r->mass.value[k], top(p, r->mass.column[k]));
    }
    p->m = half;
    for (int i = 0; i < rows && !failed; i++) {
        int row;
        const struct derive_sparse *k = row_of(r, i, &row);
        if (!k) continue;
        expr *own = &p->row[p->m];
        if (i < r->constraint.count) p->lead[p->m] = r->constraint.value[i];
        *own = r->curvature[i];
        for (int e = k->row_start[row]; e < k->row_start[row + 1]; e++) {
            expr force = pull(p, &pulls, i, k->column[e], k->value[e]);
            add_product(p, own, k->value[e], top(p, k->column[e]));
            if (force != EXPR_NONE) add_product(p, &p->row[k->column[e]], k->value[e], force);
        }
        p->m++;
    }
    for (int i = 0; i < half; i++) p->row[i] = derive_sub(g, p->row[i], r->f.value[i]);
    free(pulls.start);
    free(pulls.entry);
    return failed;
}

static void hamiltonian(struct motion_parts *p) {
    const struct formulation *r = p->r;
    const struct motion *motion = &r->y->m->mode[r->y->mode].motion;
    struct graph *g = p->g;
    int half = r->n / 2;
    for (int i = 0; i < half; i++) {
        p->rate[i] = motion->rate[i];
        p->rate[half + i] = motion->force[i];
    }
    for (int i = 0; i < r->constraint.count; i++) {
        int row;
        const struct derive_sparse *k = row_of(r, i, &row);
        if (!k) continue;
        for (int e = k->row_start[row]; e < k->row_start[row + 1]; e++) {
            expr *rate = &p->rate[half + k->column[e]];
            *rate = derive_sub(g, *rate, derive_mul(g, k->value[e], top(p, p->m)));
        }
        p->row[p->m++] = (expr)i;
    }
    for (int i = 0; i < p->m; i++) {
        const struct derive_sparse *v = &r->velocity.jacobian;
        int row = (int)p->row[i];
        p->row[i] = r->velocity.rate ? r->velocity.rate[row] : derive_zero(g);
        for (int e = v->row_start[row]; e < v->row_start[row + 1]; e++)
            add_product(p, &p->row[i], v->value[e], p->rate[v->column[e]]);
    }
}

static void general(struct motion_parts *p) {
    const struct formulation *r = p->r;
    p->m = p->given = r->m;
    for (int i = 0; i < r->n; i++) p->rate[i] = r->f.value[i];
    for (int i = 0; i < r->m; i++) p->row[i] = r->algebraic.value[i];
}

static int follow_events(double t, const double *u, const double *c, int orders, double *out, double *work,
                         void *user) {
    const struct functions_bound *b = user;
    if (b->machine->composed) return b->machine->composed(t, u, c, orders, out, work, user);
    return series_follow(b->composed, t, u, c, orders, out, work, b->parameter);
}

/* All nodes that the series will have, for the budget, at a guess: slopes and jets are some of each.  A long
 * one is made for who asks: reading takes a quarter longer with it. */
static int affordable(const struct functions *f, const struct formulation *r, int wanted) {
    enum { SHORT = 1 << 17 };
    const struct graph *g = &r->y->m->graph;
    double operations = 0;
    for (int k = 0; k < FUNCTIONS_ROLES; k++)
        if (f->there[k]) operations += tape_operations(&f->tape[k]);
    return operations < (wanted ? SERIES_MOST_JETS : SHORT) &&
           g->spent + 4 * EXPR_COST_NODE * operations < 0.5 * g->work;
}

static int build(struct functions *f, const struct motion_parts *p) {
    const struct formulation *r = p->r;
    struct derive derive;
    size_t inputs = 0;
    int states = p->n + p->m;
    struct tape_input *input = functions_inputs(r, (size_t)states, p->symbol, &inputs);
    struct series_request request = {.n = p->n,
                                     .m = p->m,
                                     .given = p->given,
                                     .rates = p->n,
                                     .symbol = p->symbol,
                                     .rate = p->rate,
                                     .row = p->row,
                                     .lead = p->lead,
                                     .inputs = inputs,
                                     .input = input};
    derive_open(&derive, p->g, DERIVE_ANY);
    int status = input ? series_build(&f->recurrences, &derive, &request) : -1;
    derive_close(&derive);
    free(input);
    if (status) return status < 0 ? -1 : 0;
    f->series.value = interpret_series;
    series_workspace(&f->recurrences, &f->series.workspace, &f->series.per_order);
    if (f->series.workspace <= SERIES_MOST_ROOM && f->series.per_order <= SERIES_MOST_ROOM) return 0;
    series_free(&f->recurrences);
    f->series = (keel_series){0};
    return 0;
}

int functions_series(struct functions *f, const struct formulation *r, int wanted) {
    struct motion_parts p = {.g = &r->y->m->graph, .r = r, .n = r->n};
    int most = r->m + r->n + r->constraint.count + r->rolling.count;
    if (r->n == 0 || !affordable(f, r, wanted)) return 0;
    size_t width = (size_t)r->n + (size_t)most;
    p.symbol = expr_take(p.g, 4 * width, sizeof *p.symbol); /* EXPR_NONE */
    if (!p.symbol) return -1;
    p.rate = p.symbol + width;
    p.row = p.rate + width;
    p.lead = p.row + width;
    unsigned traits = formulation_traits(r);
    int failed = 0;
    if (traits & KEEL_SECOND_ORDER) failed = mechanics(&p);
    else if (traits & KEEL_FROM_ENERGY && r->constraint.count) hamiltonian(&p);
    else general(&p);
    for (int i = 0; i < r->n; i++) p.symbol[i] = r->basic[i];
    for (int i = 0; i < p.m; i++) p.symbol[r->n + i] = p.given ? r->basic[r->n + i] : top(&p, i);
    if (!failed) failed = build(f, &p);
    free(p.symbol);
    return failed;
}

/* Functions of the states alone leave the algebraic variables out. */
int functions_events(struct functions *f, const struct formulation *r) {
    struct graph *g = &r->y->m->graph;
    int count = r->event.count, m = 0, status = -1;
    if (count == 0 || !f->series.value) return 0;
    size_t inputs = 0;
    expr *value = expr_take(g, (size_t)count, sizeof *value);
    unsigned char *nonsmooth = expr_take(g, (size_t)count, 1);
    struct tape_input *input = functions_inputs(r, (size_t)(r->n + r->m), r->basic, &inputs);
    for (int i = 0; i < count && value && nonsmooth; i++) {
        nonsmooth[i] = (unsigned char)surface_found(g, r->event.value[i]);
        value[i] = nonsmooth[i] ? derive_zero(g) : r->event.value[i];
        if (expr_depends(g, value[i], (size_t)r->m, r->basic + r->n)) m = r->m;
    }
    if (value && nonsmooth && input) {
        struct derive derive;
        struct series_request request = {.n = r->n,
                                         .m = m,
                                         .given = m,
                                         .rates = count,
                                         .follows = 1,
                                         .symbol = r->basic,
                                         .rate = value,
                                         .row = r->algebraic.value,
                                         .inputs = inputs,
                                         .input = input};
        derive_open(&derive, g, DERIVE_ANY);
        status = series_build(&f->composed, &derive, &request);
        derive_close(&derive);
    }
    free(input);
    free(value);
    if (status) {
        free(nonsmooth);
        return status < 0 ? -1 : 0;
    }
    f->composed.nonsmooth = nonsmooth;
    f->event_series.value = follow_events;
    series_workspace(&f->composed, &f->event_series.workspace, &f->event_series.per_order);
    return 0;
}
