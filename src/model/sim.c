/* sim.c - see sim.h: opening, running, looking. */
#include "model/sim_record.h"
#include "model/sim_sample.h"

#include "model/drift.h"
#include "model/vary.h"

#include <keel/extras.h>
#include <keel/options.h>

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The core tells the owner of the functions, at steps and at events that are only recorded; the user is told
 * about the keel_sim. */
static void forward(keel_solver *solver, void *user) {
    struct keel_sim *s = ((struct functions_bound *)user)->owner;
    if (keel_event(solver) >= 0) sim_note(s, keel_event(solver), keel_time(solver));
    if (s->observe && !s->unseen) s->observe(solver, s);
}

static int wants_short_steps(const keel_model *m) {
    if (m->model->groups > 1) return 1;
    for (int i = 0; i < m->modes; i++)
        if (m->model->mode[i].events || m->mode[i]->contact.count || m->mode[i]->formulation.n == 0) return 1;
    return 0;
}

static int has_records(const keel_model *m) {
    if (m->model->groups > 1) return 1; /* one that is not looked at yet may have */
    for (int i = 0; i < m->modes; i++)
        for (int k = 0; k < m->model->mode[i].events; k++)
            if (m->mode[i]->formulation.event_kind[k]) return 1;
    return 0;
}

/* A scale goes before this default: what it says of each unknown of all modes. */
int sim_scale_tolerances(struct keel_sim *s) {
    size_t numbers = 0;
    s->scaled = 1;
    for (int i = 0; i < s->m->modes; i++)
        if (s->problem[i].scale) numbers += (size_t)(s->problem[i].n + s->problem[i].m);
    if (numbers == 0) return 1;
    double *own = s->atol = malloc(numbers * sizeof *own);
    for (int i = 0; i < s->m->modes && own; i++) {
        keel_problem *p = &s->problem[i];
        if (!p->scale) continue;
        for (int j = 0; j < p->n + p->m; j++)
            own[j] = p->atol && p->atol[j] > 0 ? p->atol[j] : 1e-3 * s->o.rtol * p->scale[j];
        p->atol = own;
        own += p->n + p->m;
    }
    return s->atol != NULL;
}

/* The core's default, from the start of the run: a state that an event leaves near zero must not ask for
 * another one. */
static int set_tolerance(struct keel_sim *s) {
    const keel_problem *p = &s->problem[s->mode];
    double largest = 0;
    if (s->o.atol != 0 || s->o.atol_each || (s->m->modes == 1 && s->m->model->groups < 2)) return 1;
    const keel_variations *v = &keel_extras_of(p)->variations; /* tolerances are those of the motion alone */
    for (int i = 0; i < p->n; i++)
        if (!v->directions || v->direction[i] < 0) largest = fmax(largest, fabs(p->u0[i]));
    s->o.rtol = KEEL_VALUE(&s->o, rtol);
    s->o.atol = 1e-3 * s->o.rtol * (largest > 0 ? fmin(largest, 1) : 1);
    return sim_scale_tolerances(s);
}

static int set_options(struct keel_sim *s, const keel_options *o) {
    const keel_model *m = s->m;
    if (o) s->o = *o;
    if (!set_tolerance(s)) return 0;
    s->observe = s->o.observe;
    if (s->observe || has_records(m)) s->o.observe = forward;
    if (s->o.max_step == 0 && s->o.step == 0 && wants_short_steps(m))
        s->o.max_step = fabs(s->span[1] - s->span[0]) / 100;
    return 1;
}

static int take_memory(struct keel_sim *s, const struct sim_start *start) {
    const keel_model *m = s->m;
    size_t numbers = (size_t)(m->model->parameters + m->model->helds + m->sides);
    if (!sim_take_memory(s) || ledger_open(&s->ledger, m)) return 0;
    s->rows = m->rows;
    if (start && numbers) memcpy(s->parameter, start->parameter, numbers * sizeof *s->parameter);
    keel_problem *p = &s->problem[s->mode];
    if (start) p->u0 = start->u;
    if (p->u0) memcpy(s->entry, p->u0, (size_t)(p->n + p->m) * sizeof *s->entry);
    if (p->u0) p->u0 = s->entry;
    return contact_begin(s);
}

struct keel_sim *sim_begin(const keel_model *m, const keel_options *o, const struct sim_start *start) {
    struct keel_sim *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->m = m;
    if (!m || m->status != KEEL_OK) {
        sim_fail(s, m ? m->status : KEEL_EINVAL, "the model has errors: %.560s", keel_model_message(m));
        return s;
    }
    if (m->without_start) {
        sim_fail(s, KEEL_EINVAL, "the model was opened without its start values");
        return s;
    }
    s->mode = m->model->start;
    s->simultaneous_time = NAN;
    memcpy(s->span, start ? start->span : m->span, sizeof s->span);
    if (!take_memory(s, start) || !set_options(s, o)) return keel_sim_close(s), NULL;
    return s;
}

struct keel_sim *sim_open(const keel_model *m, const keel_options *o, const struct sim_start *start) {
    struct keel_sim *s = sim_begin(m, o, start);
    if (!s || s->status < 0) return s;
    const keel_problem *p = &s->problem[s->mode];
    s->solver = start ? keel_open_alike(start->like ? start->like->solver : NULL, p, &s->o)
                      : keel_open_verified(p, &s->o, m->verdicts, m->verdict);
    if (!s->solver) return keel_sim_close(s), NULL;
    if (keel_state_of(s->solver) >= 0) sim_hold(s, 1, -1);
    ledger_enter(s);
    contact_start(s);
    return s;
}

keel_sim *keel_sim_open(const keel_model *m, const keel_options *o) {
    return sim_open(m, o, NULL);
}

void keel_sim_close(keel_sim *s) {
    if (!s) return;
    keel_close(s->solver);
    contact_end(s);
    free(s->parameter);
    free(s->bound);
    free(s->problem);
    free(s->atol);
    for (int k = 0; k < s->outgrowns; k++) free(s->outgrown[k]);
    free(s->outgrown);
    free(s->work);
    free(s->rate);
    free(s->moment);
    free(s->entry);
    free(s->time);
    free(s->fired_before && s->fired_before < s->fired ? s->fired_before : s->fired);
    free(s->record);
    ledger_close(&s->ledger);
    free(s->jump);
    free(s->branch);
    free(s->row_value);
    free(s->residual);
    free(s->kernel);
    free(s->extras);
    compile_close(&s->unit);
    compile_close(&s->lanes);
    free(s->made);
    free(s->kernel_text);
    vary_again_close(s->repeat);
    values_release(&s->scratch);
    keel_model_close(s->own);
    free(s);
}

long sim_most_steps(const struct keel_sim *s) {
    int fixed = s->o.step > 0 && !s->o.reversible && !s->problem->clock;
    return s->o.max_steps > 0 ? s->o.max_steps : fixed ? LONG_MAX : 10000000;
}

int sim_too_many_steps(struct keel_sim *s, long begin) {
    long most = sim_most_steps(s);
    if (most == LONG_MAX || keel_statistics(s->solver).steps - begin <= most) return 0;
    sim_fail(s, KEEL_ELIMIT,
             "%ld steps were taken and t = %.10g is all that was reached: the problem is stiff, the "
             "tolerance very small, or options.max_steps too low",
             most, keel_time(s->solver));
    return 1;
}

/* A branch that was entered since the last look must not change the index; one that has made a step fail is
 * the reason for it. */
static keel_status look_at_branches(struct keel_sim *s, keel_status status) {
    const struct branches *b = &s->m->mode[s->mode]->branches;
    const double *side = s->parameter + s->m->model->parameters + s->m->model->helds;
    size_t bytes = (size_t)b->formulation->surfaces * sizeof *side;
    if (!s->branch) {
        s->branch = malloc(((size_t)s->m->sides + 1) * sizeof *s->branch);
        s->branch_mode = -1;
    }
    if (!s->branch) return sim_no_memory(s);
    if (!keel_state(s->solver)) return status; /* refused before there was one */
    if (status >= 0 && s->branch_mode == s->mode && memcmp(s->branch, side, bytes) == 0) return status;
    s->branch_mode = s->mode;
    memcpy(s->branch, side, bytes);
    double t = keel_time(s->solver);
    int equation = branches_singular(b, t, keel_state(s->solver), s->parameter, 1);
    if (equation == -2) return sim_no_memory(s);
    if (equation < 0) return status;
    char text[400];
    branches_sentence(b, equation, text, sizeof text);
    return sim_fail(s, KEEL_ESINGULAR, "at t = %.10g %s; write two modes instead", t, text);
}

static int reached(const struct keel_sim *s, double t) {
    return (keel_time(s->solver) - t) * s->direction >= 0;
}

/* To an event, or as keel_advance; tell: as keel_run. */
static keel_status advance(struct keel_sim *s, double t_wake, double t_end, int tell) {
    if (!s->m->mode[s->mode]->branches.there)
        return tell ? keel_run(s->solver, t_end) : keel_advance(s->solver, t_wake, t_end);
    keel_status status;
    long left = tell || s->o.pause_steps == 0 ? LONG_MAX : s->o.pause_steps;
    do status = look_at_branches(s, keel_step(s->solver, t_end));
    while (status == KEEL_OK && !reached(s, t_wake) && keel_time(s->solver) != t_end && --left > 0);
    return status;
}

/* What is due where the run stands. */
static keel_status act_in_time(struct keel_sim *s) {
    int event = sim_due(s);
    keel_status status = event >= 0 ? sim_pieces(s) : KEEL_OK;
    if (status == KEEL_OK) status = contact_tell_rest(s);
    for (; event >= 0 && status == KEEL_OK; event = sim_due(s)) status = sim_act(s, event);
    return s->status < 0 ? s->status : status;
}

/* The steps of the run at which a call pauses. */
static long pause_at(const struct keel_sim *s, int tell, long begin) {
    return tell || s->o.pause_steps == 0 ? LONG_MAX : begin + s->o.pause_steps;
}

/* Does the call end at an event that has acted? */
static int is_over(const struct keel_sim *s, double t_wake, double t_end, int tell, long begin) {
    return (t_wake != t_end && reached(s, t_wake)) ||
           keel_statistics(s->solver).steps >= pause_at(s, tell, begin);
}

/* The samples from t on that are followed by more of the way; 0: t is none of them. */
static int take_samples(struct keel_sim *s, double t, double t_wake, double t_end, int tell, long begin,
                        keel_status *status) {
    double limit = (t_end - t_wake) * s->direction > 0 ? t_wake : t_end;
    if ((limit - t) * s->direction <= 0 || !sim_sample_alone(s)) return 0;
    long most = sim_most_steps(s), pause = pause_at(s, tell, begin);
    most = most < LONG_MAX - begin ? most + begin : LONG_MAX;
    *status = sim_sample_all(s, t, limit, most < pause ? most : pause, tell);
    return 1;
}

/* Does the solver stand on an event of a contact? */
static int is_of_contact(const struct keel_sim *s) {
    int friction, event = keel_event(s->solver);
    return s->contact && event >= 0 && contact_of_event(s->contact->set, event, &friction) >= 0;
}

/* Where no choice of redundant constraints follows the motion (choice.h), sensitivities keep those that are
 * independent at the start.  Where these come to depend on each other, F_y is singular. */
static keel_status tell_dependence(struct keel_sim *s, keel_status status) {
    if (status != KEEL_ESINGULAR || s->m->model->directions == 0) return status;
    const struct inside_mode *mode = s->m->mode[s->mode];
    if (mode->system.redundants == 0 || mode->formulation.choice.rows) return status;
    return sim_fail(s, status,
                    "the sensitivities end at t = %.10g: of the redundant constraints those that were "
                    "independent at the start depend on each other there; the motion itself goes on, without "
                    "sensitivities",
                    keel_time(s->solver));
}

static keel_status go(struct keel_sim *s, double t_wake, double t_end, int tell) {
    if (!s) return KEEL_EINVAL;
    if (s->status < 0) return s->status;
    s->message[0] = '\0';
    if (keel_state_of(s->solver) >= 0 && t_end != keel_time(s->solver)) {
        s->direction = t_end > keel_time(s->solver) ? 1 : -1;
        if (s->contact && s->direction < 0)
            return sim_fail(s, KEEL_EINVAL, "a model with contacts runs forwards: impacts have no way back");
        keel_status status = s->entered ? KEEL_OK : sim_enter(s);
        if (status != KEEL_OK) return status;
    }
    long begin = keel_statistics(s->solver).steps;
    keel_status status = act_in_time(s);
    while (status == KEEL_OK) {
        double stop;
        int event;
        status = sim_pieces(s);
        if (status == KEEL_OK) status = sim_next_time(s, t_end, &stop, &event);
        if (status != KEEL_OK) break;
        int samples = take_samples(s, stop, t_wake, t_end, tell, begin, &status);
        if (!samples) status = advance(s, t_wake, stop, tell);
        if (status >= 0 && s->status < 0) return s->status; /* no memory */
        if (status < 0) return sim_outside(s, contact_failed(s, tell_dependence(s, status)));
        int goes_on = samples || status != KEEL_OK || (keel_time(s->solver) == stop && stop != t_end);
        if ((status == KEEL_EVENT || status == KEEL_REST) && is_of_contact(s))
            status = contact_act(s, keel_event(s->solver), status == KEEL_REST);
        else if (status == KEEL_EVENT) status = sim_act(s, keel_event(s->solver));
        if (status == KEEL_OK) status = act_in_time(s);
        if (!goes_on) break; /* awake, paused or there */
        if (status != KEEL_OK || is_over(s, t_wake, t_end, tell, begin)) break;
        if (sim_too_many_steps(s, begin)) return s->status;
    }
    return status;
}

keel_status keel_sim_advance(keel_sim *s, double t_wake, double t_end) {
    return go(s, t_wake, t_end, 0);
}

keel_status keel_sim_run(keel_sim *s, double t_end) {
    return go(s, t_end, t_end, 1);
}

keel_status keel_sim_step(keel_sim *s, double t_end) {
    return go(s, keel_time(s ? s->solver : NULL), t_end, 0);
}

keel_solver *keel_sim_solver(keel_sim *s) {
    return s ? s->solver : NULL;
}

void keel_sim_span(const keel_sim *s, double *from, double *to) {
    *from = s ? s->span[0] : NAN;
    *to = s ? s->span[1] : NAN;
}

int keel_sim_mode(const keel_sim *s) {
    return s ? s->mode : -1;
}

const keel_model *keel_sim_model(const keel_sim *s) {
    return s ? s->m : NULL;
}

void keel_sim_attach(keel_sim *s, void *user) {
    if (s) s->attached = user;
}

void *keel_sim_attached(const keel_sim *s) {
    return s ? s->attached : NULL;
}

keel_status keel_sim_status(const keel_sim *s) {
    if (!s) return KEEL_EINVAL;
    return s->status < 0 || !s->solver ? s->status : keel_state_of(s->solver);
}

const char *keel_sim_message(const keel_sim *s) {
    if (!s) return "there is no run";
    return s->message[0] ? s->message : keel_message(s->solver);
}

/* Results ----------------------------------------------------------------------------------------------- */

int keel_sim_columns(const keel_sim *s) {
    return s && s->solver ? s->m->columns : 0;
}

const char *keel_sim_column(const keel_sim *s, int i) {
    return i >= 0 && i < keel_sim_columns(s) ? s->m->column[i].name : NULL;
}

const char *keel_sim_column_unit(const keel_sim *s, int i) {
    return i >= 0 && i < keel_sim_columns(s) ? s->m->column[i].unit : NULL;
}

int keel_sim_has_exact(const keel_sim *s, int i) {
    return i >= 0 && i < keel_sim_columns(s) && s->m->column[i].exact != EXPR_NONE;
}

keel_column keel_sim_column_kind(const keel_sim *s, int i) {
    if (i < 0 || i >= keel_sim_columns(s) || s->m->column[i].symbol == EXPR_NONE) return KEEL_COLUMN_OUTPUT;
    const struct expr_node *n = &s->m->model->graph.node[s->m->column[i].symbol];
    int force = n->a == EXPR_MULTIPLIER || n->a == EXPR_HELD; /* held: of a contact */
    return force ? KEEL_COLUMN_MULTIPLIER : KEEL_COLUMN_STATE;
}

/* Values where the motion slides: means of both sides. */
struct sim_mean {
    struct keel_sim *s;
    const struct values *v;
    double *side, *sum;
    keel_status status;
};

static void add_side(double t, const double *u, double share, void *mean) {
    struct sim_mean *m = mean;
    struct keel_sim *s = m->s;
    const double *multiplier =
        s->m->mode[s->mode]->formulation.furthers ? keel_multipliers_at(s->solver, t, u) : NULL;
    keel_status status = values_at(m->v, t, u, multiplier, s->parameter, &s->scratch, m->side);
    if (status == KEEL_ENOMEM) m->status = status;
    for (int i = 0; i < m->v->count; i++) m->sum[i] += share * m->side[i];
}

/* The values of expressions of the mode in force at (t, u). */
static keel_status sample_values(struct keel_sim *s, const struct values *v, double t, const double *u,
                                 const double *multiplier, double *out) {
    if (s->contact && s->contact->set) {
        contact_forces_at(s->contact, t, u);
        contact_publish(s->contact, 1);
    }
    keel_status status = values_at(v, t, u, multiplier, s->parameter, &s->scratch, out);
    if (s->contact) contact_publish(s->contact, 0);
    if (status == KEEL_ENOMEM) return sim_no_memory(s);
    if (s->m->sides == 0) return status;
    double *workspace = values_workspace(v, &s->scratch);
    struct sim_mean mean = {.s = s, .v = v, .side = workspace, .sum = workspace + v->count};
    for (int i = 0; i < v->count; i++) mean.sum[i] = 0;
    if (!keel_sliding(s->solver, t, u, add_side, &mean)) return status;
    for (int i = 0; i < v->count; i++)
        if (v->as_state[i] < 0) out[i] = mean.sum[i];
    return mean.status == KEEL_ENOMEM ? sim_no_memory(s) : status;
}

keel_status sim_query(struct keel_sim *s, const struct values *v, double *out) {
    return sample_values(s, v, keel_time(s->solver), keel_state(s->solver), sim_multipliers(s), out);
}

/* The unknowns and multipliers at t: where the run stands, or inside the last step. */
static keel_status state_at(struct keel_sim *s, double t, const double **u, const double **multiplier) {
    if (t == keel_time(s->solver)) {
        *u = keel_state(s->solver);
        *multiplier = *u ? sim_multipliers(s) : NULL;
        return *u ? KEEL_OK : KEEL_EINVAL;
    }
    keel_status status = keel_eval(s->solver, t, s->work);
    if (status != KEEL_OK) return status;
    *u = s->work;
    *multiplier =
        s->m->mode[s->mode]->formulation.furthers ? keel_multipliers_at(s->solver, t, s->work) : NULL;
    return KEEL_OK;
}

keel_status keel_sim_sample(keel_sim *s, double t, double *values, double *drift) {
    const double *u, *multiplier;
    if (!s || !s->solver) return KEEL_EINVAL;
    keel_status status = state_at(s, t, &u, &multiplier);
    if (status != KEEL_OK) return status;
    const struct values *columns = &s->m->mode[s->mode]->columns;
    if (values && sample_values(s, columns, t, u, multiplier, values) == KEEL_ENOMEM) return KEEL_ENOMEM;
    return drift ? drift_at(s, t, u, s->rows, drift) : KEEL_OK;
}

keel_status keel_sim_values(keel_sim *s, double *out) {
    return s && s->solver && out ? keel_sim_sample(s, keel_time(s->solver), out, NULL) : KEEL_EINVAL;
}

keel_status keel_sim_sizes(keel_sim *s, double *out) {
    if (!s || !s->solver || !keel_state(s->solver) || !out) return KEEL_EINVAL;
    const struct values *sizes = &s->m->mode[s->mode]->sizes;
    int columns = s->m->columns, outputs = sizes->count;
    keel_status status = keel_sim_values(s, out);
    for (int i = 0; i < columns; i++) out[i] = fabs(out[i]);
    if (status != KEEL_OK || outputs == 0) return status;
    return sim_query(s, sizes, out + columns - outputs); /* they are the last columns */
}

keel_status keel_sim_values_at(keel_sim *s, double t, double *out) {
    return out ? keel_sim_sample(s, t, out, NULL) : KEEL_EINVAL;
}

keel_status keel_sim_drifts(keel_sim *s, double t, double *drift) {
    return drift ? keel_sim_sample(s, t, NULL, drift) : KEEL_EINVAL;
}

keel_status keel_sim_exact(keel_sim *s, double t, double *out) {
    if (!s || !s->solver || !out || !keel_state(s->solver)) return KEEL_EINVAL;
    const double *u = keel_state(s->solver);
    const keel_problem *p = &s->problem[s->mode];
    if (p->clock) { /* which has t in its last state */
        memcpy(s->work, u, (size_t)p->n * sizeof *u);
        s->work[p->n - 1] = t;
        u = s->work;
    }
    int failed = tape_call(&s->m->exact, t, u, s->parameter, out);
    return failed ? sim_no_memory(s) : KEEL_OK;
}

int keel_sim_reference(const keel_sim *s, int k, double *t, double *out) {
    if (!s || !s->solver || !t || !out || k < 0 || k >= s->m->references) return 0;
    const double *line = s->m->reference + (size_t)k * ((size_t)s->m->columns + 1);
    *t = line[0];
    memcpy(out, line + 1, (size_t)s->m->columns * sizeof *out);
    return 1;
}

int keel_sim_event(const keel_sim *s, long i, keel_event_record *out) {
    if (!s || !out) return 0;
    if (i < 0) i += s->event_records;
    if (i < 0 || i >= s->event_records) return 0;
    *out = sim_recorded(s, i);
    return 1;
}
