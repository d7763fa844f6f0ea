/* vary_start.c - the start of a member, as initial.c finds that of the model, without writing to the model:
 * parameters, start values by their formulas, the consistent point nearest to them, held values. */
#include "model/vary.h"

#include "base/text.h"
#include "model/initial.h"
#include "model/surface.h"

#include <keel/extras.h>
#include <keel/stabilizer.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double formula_value(const struct keel_variation *v, const struct vary_formula *f,
                            const double *parameter, double t, double *number) {
    model_numbers(v->m->model, &f->order, parameter, t, number);
    return number[f->value];
}

int vary_parameters(const struct keel_variation *v, const double *value, double *parameter, double *number) {
    memcpy(parameter, v->m->parameter, (size_t)v->parameters * sizeof *parameter);
    for (int i = 0; i < v->count; i++)
        if (v->one[i].parameter >= 0) parameter[v->one[i].parameter] = value[i];
    for (int i = 0; i < v->dependents; i++) {
        const struct vary_dependent *d = &v->dependent[i];
        double found = formula_value(v, &d->formula, parameter, NAN, number);
        if (!isfinite(found)) return 0;
        parameter[d->parameter] = found;
    }
    return 1;
}

/* As the model's own: `begin` at t = 0, `end` at the begin; then what was asked for in place of them. */
int vary_span(const struct keel_variation *v, const double *parameter, double *number, double span[2]) {
    span[0] = v->begin.value == EXPR_NONE ? 0 : formula_value(v, &v->begin, parameter, 0, number);
    span[1] = v->end.value == EXPR_NONE ? span[0] : formula_value(v, &v->end, parameter, span[0], number);
    if (v->from.value != EXPR_NONE) span[0] = formula_value(v, &v->from, parameter, span[0], number);
    if (v->to.value != EXPR_NONE) span[1] = formula_value(v, &v->to, parameter, span[0], number);
    return isfinite(span[0]) && isfinite(span[1]) && span[0] != span[1];
}

/* What a member has of its own while its start is sought. */
struct member {
    const struct keel_variation *v;
    struct functions_bound bound;
    double *number, *parameter, *u, *given, *event, *held;
    double span[2];
    keel_solver *solver; /* that found the last start; NULL: none yet */
    char method[40];     /* its own */
    const keel_solver
        *run;     /* of the members one after the other, whose verdicts hold; NULL: this one alone */
    int is_free;  /* nothing determines the start but the values: it is only verified */
    int is_given; /* nor that: opening the run does */
};

static void member_close(struct member *b) {
    keel_close(b->solver);
    free(b->number);
}

/* One block for all; 0 without memory. */
static int member_open(struct member *b, const struct keel_variation *v) {
    const struct keel_model *m = v->m;
    const struct inside_mode *mode = m->mode[m->model->start];
    size_t parameters = (size_t)(m->model->parameters + m->model->helds + m->sides) + 1;
    size_t unknowns = (size_t)(mode->formulation.n + mode->formulation.m) + 1;
    size_t events = (size_t)mode->formulation.event.count + 1, helds = (size_t)m->model->helds + 1;
    *b = (struct member){.v = v};
    b->number = malloc((v->nodes + parameters + 2 * unknowns + events + helds) * sizeof *b->number);
    if (!b->number) return 0;
    b->parameter = b->number + v->nodes;
    b->u = b->parameter + parameters;
    b->given = b->u + unknowns;
    b->event = b->given + unknowns;
    b->held = b->event + events;
    memcpy(b->parameter, m->parameter, (parameters - 1) * sizeof *b->parameter);
    b->bound = m->bound[m->model->start];
    b->bound.parameter = b->parameter;
    return 1;
}

/* Start values as given; 0: one is not finite. */
static int take_values(struct member *b, const double *value) {
    const struct keel_variation *v = b->v;
    const struct model *model = v->m->model;
    const struct formulation *r = &v->m->mode[model->start]->formulation;
    int good = 1;
    model_numbers(model, &v->order, b->parameter, b->span[0], b->number);
    for (int j = 0; j < r->n + r->m; j++) b->u[j] = 0;
    for (int k = 0; k < v->givens; k++) {
        b->u[v->given[k].place] = b->number[v->given[k].value];
        good &= isfinite(b->number[v->given[k].value]) != 0;
    }
    for (int i = 0; i < v->count; i++)
        if (v->one[i].place >= 0) b->u[v->one[i].place] = value[i];
    if (r->by_clock) b->u[r->n - 1] = b->span[0];
    for (int k = 0; k < model->helds; k++)
        b->parameter[model->parameters + k] = v->held[k] == EXPR_NONE ? 0 : b->number[v->held[k]];
    memcpy(b->given, b->u, (size_t)(r->n + r->m) * sizeof *b->u);
    return good;
}

/* A guess that ended below its own round-off came to 0 (initial.c). */
static void clear_round_off(struct member *b, int count) {
    for (int j = 0; j < count; j++)
        if (!b->v->fixed[j] && fabs(b->u[j]) <= DBL_EPSILON * fabs(b->given[j])) b->u[j] = 0;
}

static int events_finite(struct member *b, const struct inside_mode *mode) {
    int count = mode->formulation.event.count, good = 1;
    if (count == 0) return 1;
    if (tape_call(&mode->functions.tape[functions_role_event], b->span[0], b->u, b->parameter, b->event))
        return 0;
    for (int i = 0; i < count; i++) good &= isfinite(b->event[i]) != 0;
    return good;
}

/* The problem that the member's start belongs to. */
static keel_problem problem_of(struct member *b) {
    const struct keel_model *m = b->v->m;
    keel_problem p = m->mode[m->model->start]->fill.problem;
    p.t0 = b->span[0];
    p.u0 = b->u;
    p.fixed = b->v->fixed;
    p.user = &b->bound;
    p.side = b->parameter + m->model->parameters + m->model->helds;
    return p;
}

/* The default method with the stabilizer that only measures: +watch. */
static const char *watching(char *out, size_t capacity) {
    const keel_method *s;
    const unsigned acts = KEEL_CORRECTS | KEEL_DAMPS;
    for (int i = 0; (s = keel_stabilizer_at(i)) && (s->traits & (KEEL_MEASURES | acts)) != KEEL_MEASURES;
         i++) {}
    text_set(out, capacity, "+%s", s ? s->name : "auto");
    return out;
}

static keel_solver *open_start(struct member *b) {
    keel_problem p = problem_of(b);
    keel_options o = {.method = b->is_free ? watching(b->method, sizeof b->method) : NULL,
                      .stop = b->v->m->limits.stop};
    return keel_open_alike(b->run, &p, &o);
}

/* In the memory of one solver, for members one after the other. */
static int consistent_again(struct member *b, int count) {
    if (b->is_free && b->solver && keel_rests_at(b->solver, b->span[0], b->u)) return 1;
    if (!b->solver || keel_open_again(b->solver, b->span[0], b->u) == KEEL_EINVAL) {
        keel_close(b->solver);
        b->solver = open_start(b);
    }
    int good = b->solver && keel_state_of(b->solver) >= 0;
    if (good) memcpy(b->u, keel_state(b->solver), (size_t)count * sizeof *b->u);
    return good;
}

/* The nearest consistent values, those that are fixed as they are. */
static int make_consistent(struct member *b) {
    const struct keel_model *m = b->v->m;
    const struct inside_mode *mode = m->mode[m->model->start];
    int count = mode->formulation.n + mode->formulation.m, good;
    if (b->run) good = consistent_again(b, count);
    else {
        keel_problem p = problem_of(b);
        good = keel_find_start(&p, &(keel_options){.stop = m->limits.stop}, b->u) >= 0;
    }
    if (good) clear_round_off(b, count);
    return good && events_finite(b, mode);
}

/* Values held from the start, as the consistent one has them.  1: others than before; 0: the same; -1: no
 * memory. */
static int hold(struct member *b) {
    const struct keel_model *m = b->v->m;
    const struct values *asked = &m->mode[m->model->start]->held;
    double *now = b->parameter + m->model->parameters;
    struct values_work work = {0};
    int changed = 0, helds = m->model->helds;
    if (helds == 0) return 0;
    keel_status status = values_reserve(&work, asked)
                             ? KEEL_ENOMEM
                             : values_at(asked, b->span[0], b->u, NULL, b->parameter, &work, b->held);
    values_release(&work);
    if (status == KEEL_ENOMEM) return -1;
    for (int k = 0; k < helds && status == KEEL_OK; k++) {
        if (!isfinite(b->held[k]) || b->held[k] == now[k]) continue;
        now[k] = b->held[k];
        changed = 1;
    }
    return changed;
}

static int find_start(struct member *b, const double *value) {
    const struct keel_model *m = b->v->m;
    const struct inside_mode *mode = m->mode[m->model->start];
    const struct tape *events = &mode->functions.tape[functions_role_event];
    if (!vary_parameters(b->v, value, b->parameter, b->number) ||
        !vary_span(b->v, b->parameter, b->number, b->span) || !take_values(b, value))
        return 0;
    if (formulation_sides(&mode->formulation) &&
        !surface_sides(&mode->formulation, events, b->span[0], b->u, b->parameter))
        return 0;
    if (b->is_given) return 1;
    if (!make_consistent(b)) return 0;
    int changed = hold(b);
    return changed == 0 || (changed > 0 && make_consistent(b));
}

/* Is there nothing in a run that begins anew but parameters, start and solver? */
static int is_simple(const struct keel_variation *v) {
    const struct keel_model *m = v->m;
    return !v->anew && m->modes == 1 && m->model->mode[0].events + m->model->mode[0].timed == 0 &&
           m->mode[0]->formulation.event.count == 0 && m->model->helds == 0 && m->sides == 0 &&
           !m->mode[0]->branches.there;
}

static int has_free_start(const keel_problem *p) {
    return !p->m && !p->constraint.count && !p->rolling.count && !p->algebraic.count && !p->hidden.count;
}

/* Does opening the run verify what is to be? */
static int verifies(const struct keel_sim *s) {
    const keel_problem *p = &s->problem[0];
    if (p->energy.value == NULL && p->invariant.count == 0) return 1;
    const keel_method *stabilizer = keel_stabilizer_of(s->solver);
    return stabilizer && stabilizer->traits & KEEL_MEASURES;
}

/* What decides the start, in runs like this one. */
static void take_freedom(struct member *b, const struct keel_sim *like) {
    b->is_free = has_free_start(&like->problem[0]);
    b->is_given = b->is_free && verifies(like);
}

struct keel_sim *vary_quick(const struct keel_variation *v, const struct keel_sim *like,
                            const keel_options *o, const double *value) {
    struct member b;
    struct keel_sim *s = NULL;
    if (!member_open(&b, v)) return NULL;
    if (like && is_simple(v)) take_freedom(&b, like);
    if (like && !verifies(like)) b.run = like->solver; /* whoever seeks the start verifies */
    if (find_start(&b, value))
        s = sim_open(v->m, o, &(struct sim_start){b.parameter, b.u, {b.span[0], b.span[1]}, like});
    member_close(&b);
    if (!s || keel_sim_status(s) >= 0) return s;
    keel_sim_close(s); /* an invariant that does not hold with these values: as the model says it */
    return NULL;
}

/* Again ------------------------------------------------------------------------------------------------- */

struct vary_again {
    struct member member;
};

void vary_again_close(struct vary_again *a) {
    if (a) member_close(&a->member);
    free(a);
}

static struct vary_again *again_of(const struct keel_variation *v, struct keel_sim *s) {
    if (s->repeat) return s->repeat;
    struct vary_again *a = calloc(1, sizeof *a);
    if (a && !member_open(&a->member, v)) free(a), a = NULL;
    if (a) a->member.run = s->solver;
    if (a) take_freedom(&a->member, s);
    return s->repeat = a;
}

keel_status keel_vary_again(const keel_variation *v, keel_sim *s, const keel_sim *like, const double *value) {
    if (!v || v->status < 0 || !s || !s->solver || s->own || (v->count && !value) || !is_simple(v))
        return KEEL_EINVAL;
    for (int i = 0; i < v->count; i++)
        if (!isfinite(value[i])) return KEEL_EINVAL;
    struct vary_again *a = again_of(v, s);
    if (!a) return KEEL_ENOMEM;
    struct member *b = &a->member;
    const struct formulation *r = &v->m->mode[0]->formulation;
    if (!find_start(b, value)) return KEEL_ESTART;
    memcpy(s->parameter, b->parameter, (size_t)v->parameters * sizeof *s->parameter);
    memcpy(s->entry, b->u, (size_t)(r->n + r->m) * sizeof *s->entry);
    memcpy(s->span, b->span, sizeof s->span);
    s->problem[0].t0 = s->span[0];
    s->message[0] = '\0';
    s->entered = 0;
    s->simultaneous_time = NAN;
    memset(s->ledger.row, 0, (size_t)s->ledger.rows * sizeof *s->ledger.row);
    keel_status status =
        keel_open_again(s->solver, s->span[0], s->entry); /* whose rows the ledger has yet to see */
    if (status < 0 || s->status < 0 || !vary_treats_alike(s, like)) return status < 0 ? status : KEEL_EINVAL;
    return KEEL_OK;
}
