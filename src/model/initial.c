/* initial.c - the start: values by `init` and `guess`, made consistent, and what is left to say about them.
 *
 * The core finds the consistent point nearest to the guesses with the `init` values fixed; here its inputs
 * are prepared and its refusals are told in the words of the model. */
#include "model/initial.h"

#include "base/text.h"
#include "symbolic/derive_rules.h"
#include "model/query.h"
#include "model/diagnostics.h"
#include "model/finite.h"
#include "model/levels.h"
#include "model/initial_diagnostics.h"
#include "model/surface.h"
#include "model/tangent.h"
#include "model/values.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a symbol is in terms of the n + m unknowns alone; EXPR_NONE: it cannot be written down. */
static expr in_unknowns(const struct begin *b, expr symbol) {
    struct formulation *r = b->r;
    if (system_unknown(r->y, symbol) < 0) return EXPR_NONE;
    expr e = formulation_resolve(r, system_expression(r->y, symbol));
    int more = e && r->furthers && expr_depends(&b->m->model->graph, e, (size_t)r->furthers, r->further);
    return more ? EXPR_NONE : e;
}

static int take(struct begin *b, const struct model_givens *list, int how) {
    struct keel_model *m = b->m;
    int good = 1;
    for (int k = 0; k < list->count; k++) {
        const struct model_given *one = &list->list[k];
        double value = model_number(m->model, one->value, b->t0);
        if (!isfinite(value)) {
            char name[160];
            model_name(m->model, one->target, name, sizeof name);
            source_hint(source_diagnose(&m->messages, SOURCE_ERROR, one->where.offset, one->where.length,
                                        "the start value of `%s` is %s.", name,
                                        isnan(value) ? "not a number" : "infinite"),
                        "Look for a division by zero, or a root or logarithm of a negative number.");
            good = 0;
            continue;
        }
        int place = formulation_find(b->r, one->target);
        if (place < 0) { /* it follows from others, which are to be such that it does */
            expr e = how == BEGIN_FIXED ? in_unknowns(b, one->target) : EXPR_NONE;
            if (e) b->implied[b->implieds++] = derive_sub(&m->model->graph, e, one->value);
            continue;
        }
        m->u0[place] = value;
        b->given[place] = (unsigned char)how;
        b->from[place] = one;
    }
    return good;
}

/* Start values from outside, "y' = 0.1": they count as `init`. */
static int take_given(struct begin *b) {
    struct keel_model *m = b->m;
    for (int k = 0; k < m->starts; k++) {
        char name[120], why[300];
        double value;
        const char *sign = strchr(m->start[k], '=');
        text_set(name, sizeof name, "%.*s", sign ? (int)(sign - m->start[k]) : 0, m->start[k]);
        expr target = sign ? query_symbol(m, name, why, sizeof why) : EXPR_NONE;
        int place = target == EXPR_NONE ? -1 : formulation_find(b->r, target);
        if (place < 0 || !keel_model_number(m, sign + 1 + strspn(sign + 1, " "), &value)) {
            source_diagnose(&m->messages, SOURCE_ERROR, SOURCE_NOWHERE, 0, "the start value `%.80s`: %.280s",
                            m->start[k],
                            !sign                 ? "write it as  name = value."
                            : target == EXPR_NONE ? why
                            : place < 0           ? "this value follows from others."
                                                  : keel_model_refusal(m));
            return 0;
        }
        struct model_given *one = pool_take(&m->pool, sizeof *one);
        if (!one) return diagnostics_memory(&m->messages);
        *one = (struct model_given){.target = target, .output = -1, .where = {SOURCE_NOWHERE, 0}};
        m->u0[place] = value;
        b->given[place] = BEGIN_FIXED;
        b->from[place] = one;
    }
    return 1;
}

/* What is determined ------------------------------------------------------------------------------------ */

/* The declaration of a state, as a place in the text. */
static struct syntax_span declared(const struct begin *b, int place) {
    const struct model *model = b->m->model;
    const struct expr_node n = model->graph.node[b->r->basic[place]];
    return n.a == EXPR_UNKNOWN ? model->unknown[n.b].where : (struct syntax_span){SOURCE_NOWHERE, 0};
}

/* Has state j no start value?  Those of sensitivities are told where the motion itself has all. */
static int is_without(const struct begin *b, const double *left, int j, int sensitivities) {
    return left[j] >= 1e-10 && b->given[j] == BEGIN_NOT_GIVEN &&
           (tangent_direction(b->m->model, b->r->basic[j]) >= 0) == sensitivities;
}

/* Names what keeps its guess; refuses what has none. */
static int name_free_values(struct begin *b) {
    struct keel_model *m = b->m;
    struct formulation *r = b->r;
    struct level level[LEVELS_MOST];
    int levels = levels_of(b, level), without = 0, first = 0;
    double *left = calloc((size_t)r->n + (size_t)r->m + 1, sizeof *left);
    char list[280] = "";
    m->free_value = pool_take(&m->pool, ((size_t)r->n + 1) * sizeof *m->free_value);
    if (levels < 0 || !left || !m->free_value) return free(left), diagnostics_memory(&m->messages);
    for (int l = 0; l < levels; l++)
        if (!levels_left(b, &level[l], left + level[l].first))
            return free(left), diagnostics_memory(&m->messages);
    for (int j = 0; j < r->n; j++) {
        if (left[j] < 1e-10) continue;
        if (b->given[j] == BEGIN_GUESSED) {
            m->free_value[m->free_values++] = r->names[j];
            b->given[j] = BEGIN_LEFT_FREE;
        }
    }
    for (int sensitivities = 0; sensitivities < 2 && without == 0; sensitivities++)
        for (int j = 0; j < r->n; j++) {
            if (!is_without(b, left, j, sensitivities)) continue;
            if (without == 0) first = j;
            if (without++ < 6)
                text_add(list, sizeof list, "%s`%.110s`", without > 1 ? ", " : "", r->names[j]);
        }
    free(left);
    if (without == 0) return 1;
    if (without > 6) text_add(list, sizeof list, ", ... (%d in all)", without);
    struct syntax_span at = declared(b, first);
    source_hint(source_diagnose(&m->messages, SOURCE_ERROR, at.offset, at.length,
                                "nothing determines the start value of %s.", list),
                "Give %s:  init %.110s = ...;  or  guess %.110s = ...  to start anywhere near that.",
                without > 1 ? "them" : "it", r->names[first], r->names[first]);
    return 0;
}

/* As many more states that may be chosen as rows follow from others: those that the rest, with what is chosen
 * already held fast, leaves most freedom at the start. */
static int choose_regained(struct begin *b) {
    struct formulation *r = b->r;
    struct inside_mode *mode = b->mode;
    struct level level[LEVELS_MOST];
    int levels = mode->regained ? levels_of(b, level) : 0, count = 0, good = levels >= 0;
    size_t all = (size_t)(r->n + r->m) + 1;
    unsigned char *given = b->given;
    double *left = calloc(all, sizeof *left);
    const char **free_state = pool_take(&b->m->pool, all * sizeof *free_state);
    b->given = calloc(all, 1);
    good = good && left && free_state && b->given;
    for (; good && mode->regained && count < mode->free_states; count++) {
        free_state[count] = mode->free_state[count];
        for (int j = 0; j < r->n; j++)
            if (strcmp(r->names[j], free_state[count]) == 0) b->given[j] = BEGIN_FIXED;
    }
    for (int k = 0; k < mode->regained && good; k++) {
        int best = 0;
        for (int l = 0; l < levels && good; l++) good = levels_left(b, &level[l], left + level[l].first);
        for (int j = 1; j < r->n && good; j++)
            if (left[j] > left[best] + 1e-6) best = j;
        if (!good || left[best] < 1e-6) break;
        free_state[count++] = r->names[best];
        b->given[best] = BEGIN_FIXED;
    }
    if (good && mode->regained) mode->free_state = free_state, mode->free_states = count;
    free(b->given);
    free(left);
    b->given = given;
    return good || diagnostics_memory(&b->m->messages);
}

/* The size of the terms that give a symbol, where it is an expression of the unknowns. */
static double terms_of(struct begin *b, expr symbol) {
    struct tape tape = {0};
    expr missing, e = in_unknowns(b, symbol);
    double size = 0;
    if (e) e = derive_terms(&b->m->model->graph, e);
    if (e && functions_tape(b->r, 1, &e, &tape, &missing) == 0)
        tape_call(&tape, b->t0, b->m->u0, b->m->parameter, &size);
    tape_free(&tape);
    return isfinite(size) ? size : 0;
}

/* The run starts from `found`, not from the `value` that was given.  It must be told. */
static void tell_digits(struct begin *b, const struct model_given *from, const char *name, double found,
                        double value) {
    source_hint(
        source_diagnose(&b->m->messages, SOURCE_WARNING, from->where.offset, from->where.length,
                        "`init` fits the equations to some digits alone: the run starts from %.110s = "
                        "%.17g, not %.15g.",
                        name, found, value),
        "Write  guess %.110s = %.15g  to let keel find the digits, or give them all.", name, value);
}

/* An `init` of what the states determine is a check. */
static int check_implied(struct begin *b, const double *multiplier) {
    int freedom = b->mode->system.s.freedom / (b->m->model->directions + 1);
    struct keel_model *m = b->m;
    const struct model_givens *init = &m->model->init;
    double largest = 0;
    int good = 1, told = 0;
    for (int j = 0; j < b->r->n + b->r->m; j++) largest = fmax(largest, fabs(m->u0[j]));
    for (int k = 0; k < init->count; k++)
        largest = fmax(largest, fabs(model_number(m->model, init->list[k].value, b->t0)));
    for (int k = 0; k < init->count; k++) {
        const struct model_given *one = &init->list[k];
        struct values v;
        struct values_work work = {0};
        double found, value = model_number(m->model, one->value, b->t0);
        if (formulation_find(b->r, one->target) >= 0 || system_unknown(&b->mode->system, one->target) < 0)
            continue;
        int there = values_open(&v, b->r, 1, &one->target, 0);
        keel_status status = !there ? KEEL_EINVAL
                             : values_reserve(&work, &v)
                                 ? KEEL_ENOMEM
                                 : values_at(&v, b->t0, m->u0, multiplier, m->parameter, &work, &found);
        there = status == KEEL_OK;
        m->no_memory |= status == KEEL_ENOMEM;
        values_close(&v);
        values_release(&work);
        double size = there ? fabs(found) + fabs(value) + terms_of(b, one->target) : 0;
        double off = there ? fabs(found - value) : 0;
        char name[160];
        if (off <= 1e-12 * size + 1e-13 * largest) continue;
        if (!good && tangent_direction(m->model, one->target) >= 0) continue; /* it follows */
        model_name(m->model, one->target, name, sizeof name);
        if (off <= 1e-9 * size + 1e-12 * largest) {
            if (!told++) tell_digits(b, one, name, found, value);
            continue;
        }
        source_hint(
            source_diagnose(&m->messages, SOURCE_ERROR, one->where.offset, one->where.length,
                            "`init` does not fit: the equations give %s = %.10g, not %.10g, at t = %.10g.",
                            name, found, value, b->t0),
            "Leave it out, or change the other start values.  Index %d, %d free start value%s.",
            b->mode->system.s.index, freedom, freedom == 1 ? "" : "s");
        good = 0;
    }
    return good;
}

/* Where `init` values fit all equations but for the last of their digits, and nothing else can make up for
 * that, the core polishes them. */
static void tell_polished(struct begin *b) {
    struct keel_model *m = b->m;
    double largest = 0;
    for (int j = 0; j < b->r->n + b->r->m; j++) largest = fmax(largest, fabs(b->last[j]));
    for (int j = 0; j < b->r->n + b->r->m; j++) {
        double change = fabs(m->u0[j] - b->last[j]);
        if (b->given[j] != BEGIN_FIXED || change <= 1e-13 * fmax(fabs(b->last[j]), 1e-3 * largest)) continue;
        tell_digits(b, b->from[j], b->r->names[j], m->u0[j], b->last[j]);
        return;
    }
}

/* Events must have values from the start on. */
static int events_finite(struct begin *b) {
    const struct formulation *r = b->r;
    double *value = calloc((size_t)r->event.count + 1, sizeof *value);
    int good = value != NULL;
    if (good && r->event.count &&
        tape_call(&b->mode->functions.tape[functions_role_event], b->t0, b->m->u0, b->m->parameter, value) ==
            0)
        for (int i = 0; i < r->event.count; i++) good &= isfinite(value[i]) != 0;
    free(value);
    return good || !finite_tell(b->m, b->mode->system.mode, b->t0, b->m->u0);
}

/* Where an `init` is about what follows from the unknowns, these are looked for first: the core takes the
 * states as given when it solves for the rest. */
static void meet_implied(struct begin *b) {
    struct level level[LEVELS_MOST];
    int levels = levels_asked(b) ? levels_of(b, level) : 0;
    for (int l = 0; l < levels; l++)
        if (!levels_meet(b, &level[l])) return;
}

/* Rows that follow from others wherever these hold, as a third parallel rod of the same length: the analysis,
 * which looks off the manifold, counts them, but for constraints that it has left out itself. */
static void count_rows_that_follow(const struct begin *b, const keel_solver *s) {
    const struct model_mode *mode = &b->m->model->mode[b->mode->system.mode];
    const unsigned char *left_out = b->mode->system.left_out;
    keel_row row;
    int positions = 0, velocities = 0;
    if (!(formulation_traits(b->r) & KEEL_SECOND_ORDER)) return;
    for (int i = 0; keel_row_at(s, i, &row); i++) {
        if (row.treatment != KEEL_ROW_REDUNDANT) continue;
        if (row.kind == KEEL_ROW_CONSTRAINT) positions++;
        else velocities++;
    }
    for (int i = 0; i < mode->constraint.count; i++) {
        positions -= left_out[mode->constraint.list[i].multiplier];
        velocities -= left_out[mode->constraint.list[i].multiplier];
    }
    for (int i = 0; i < mode->rolling.count; i++) velocities -= left_out[mode->rolling.list[i].multiplier];
    int all = positions + velocities;
    b->mode->regained = all > 0 ? all : 0;
    b->mode->regained_velocities = velocities > 0 ? velocities : 0;
}

/* A guess that ended at some round-offs of itself came to 0, and so did a value that began there and ended
 * at round-offs of others.  What is left is no size of anything; a tiny value that is meant is found again
 * from 0. */
static void clear_round_off(struct begin *b) {
    int all = b->r->n + b->r->m;
    double largest = 0;
    for (int j = 0; j < all; j++) largest = fmax(largest, fabs(b->last[j]));
    for (int j = 0; j < all; j++) {
        double from = b->last[j] == 0 ? largest : fabs(b->last[j]);
        if (b->given[j] != BEGIN_FIXED && fabs(b->m->u0[j]) <= 256 * DBL_EPSILON * from) b->m->u0[j] = 0;
    }
}

/* The verdicts on the rows, for runs with the same numbers: they begin here and need not ask again. */
static int keep_verdicts(struct keel_model *m, const keel_solver *s) {
    keel_row row;
    int rows = 0;
    while (keel_row_at(s, rows, &row)) rows++;
    m->verdict = pool_take(&m->pool, ((size_t)rows + 1) * sizeof *m->verdict);
    if (!m->verdict) return diagnostics_memory(&m->messages);
    for (int i = 0; i < rows; i++) m->verdict[i] = keel_row_at(s, i, &row) ? (int)row.verdict : 0;
    m->verdicts = rows;
    return 1;
}

/* What the core says of the start; 1 and the consistent values in u0, or 0 with a message. */
static int make_consistent(struct begin *b) {
    struct keel_model *m = b->m;
    keel_problem p = b->mode->fill.problem;
    p.t0 = b->t0;
    p.u0 = m->u0;
    p.fixed = m->fixed;
    p.user = &m->bound[b->mode->system.mode];
    p.side = m->parameter + m->model->parameters + m->model->helds;
    keel_solver *s = keel_open(&p, &(keel_options){.stop = m->limits.stop});
    if (!s) return diagnostics_memory(&m->messages);
    int good = keel_state_of(s) >= 0;
    if (!good) initial_diagnose(b, s);
    else if (initial_energy_varies(b, s)) good = 0;
    else {
        memcpy(m->u0, keel_state(s), (size_t)(b->r->n + b->r->m) * sizeof *m->u0);
        clear_round_off(b);
        count_rows_that_follow(b, s);
        good = keep_verdicts(m, s) && check_implied(b, b->r->furthers ? keel_multipliers(s) : NULL);
    }
    keel_close(s);
    return good && events_finite(b);
}

/* Values held from the start are those of the consistent one, as far as the start alone tells them.  How many
 * are others than before. */
static int hold(struct begin *b) {
    struct keel_model *m = b->m;
    int helds = m->model->helds, changed = 0;
    struct values_work work = {0};
    double *now = m->parameter + m->model->parameters, *held = calloc((size_t)helds + 1, sizeof *held);
    keel_status status = !held || values_reserve(&work, &b->mode->held) ? KEEL_ENOMEM : KEEL_OK;
    if (helds && status == KEEL_OK)
        status = values_at(&b->mode->held, b->t0, m->u0, NULL, m->parameter, &work, held);
    m->no_memory |= status == KEEL_ENOMEM;
    for (int k = 0; k < helds && status == KEEL_OK; k++) {
        if (!isfinite(held[k]) || held[k] == now[k]) continue;
        now[k] = held[k];
        changed++;
    }
    free(held);
    values_release(&work);
    return changed;
}

/* Where the start values of unknowns, derivatives and multipliers come from; 1, or 0 without memory. */
static int name_origins(const struct begin *b) {
    static const keel_origin origin[] = {KEEL_FROM_EQUATIONS, KEEL_FROM_GUESS, KEEL_FROM_INIT, KEEL_FREE};
    struct keel_model *m = b->m;
    const struct model_givens *init = &m->model->init;
    unsigned char *given = calloc((size_t)m->model->graph.count + 1, 1); /* by symbol */
    if (!given) return diagnostics_memory(&m->messages);
    for (int k = 0; k < init->count; k++)
        if (init->list[k].target != EXPR_NONE) given[init->list[k].target] = 1;
    for (int i = 0; i < m->columns; i++) {
        expr symbol = m->column[i].symbol;
        int place = symbol == EXPR_NONE ? -1 : formulation_find(b->r, symbol);
        m->column[i].origin = place >= 0                             ? origin[b->given[place]]
                              : symbol != EXPR_NONE && given[symbol] ? KEEL_FROM_INIT
                                                                     : KEEL_FROM_EQUATIONS;
    }
    free(given);
    return 1;
}

int initial_find(struct keel_model *m) {
    struct inside_mode *mode = m->mode[m->model->start];
    size_t all = (size_t)(mode->formulation.n + mode->formulation.m) + 1;
    struct begin b = {.m = m, .mode = mode, .r = &mode->formulation, .t0 = m->span[0]};
    m->free_values = 0;
    m->u0 = pool_take(&m->pool, all * sizeof *m->u0);
    m->fixed = pool_take(&m->pool, all);
    m->given = b.given = pool_take(&m->pool, all);
    b.from = pool_take(&m->pool, all * sizeof(const struct model_given *));
    b.last = pool_take(&m->pool, all * sizeof *b.last);
    b.implied = pool_take(&m->pool, ((size_t)m->model->init.count + 1) * sizeof *b.implied);
    if (m->pool.refused) return diagnostics_memory(&m->messages);
    int good = take(&b, &m->model->guess, BEGIN_GUESSED) & take(&b, &m->model->init, BEGIN_FIXED);
    if (!good || !take_given(&b)) return 0;
    if (b.r->by_clock) {
        m->u0[b.r->n - 1] = b.t0;
        b.given[b.r->n - 1] = BEGIN_FIXED;
    }
    for (size_t j = 0; j + 1 < all; j++) m->fixed[j] = b.given[j] == BEGIN_FIXED;
    memcpy(b.last, m->u0, all * sizeof *b.last);
    const struct tape *events = &mode->functions.tape[functions_role_event];
    if (formulation_sides(b.r) && !surface_sides(b.r, events, b.t0, m->u0, m->parameter))
        return diagnostics_memory(&m->messages);
    meet_implied(&b);
    if (!make_consistent(&b) || (hold(&b) && !make_consistent(&b))) return 0;
    if (!name_free_values(&b) || !choose_regained(&b)) return 0;
    tell_polished(&b);
    return name_origins(&b);
}
