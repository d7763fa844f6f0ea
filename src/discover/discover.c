/* discover.c - see keel/discover.h: what is sought, of which model, and what the model says to it. */
#include <keel/discover.h>

#include "base/text.h"
#include "discover/relation.h"
#include "model/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_DEGREE = 4, USUAL_LIMIT = 2000, MOST = 20000, FAMILY_DEGREE = 4, PARAMETERS = 60 };

struct keel_discovery {
    keel_status status;
    char message[TEXT_SENTENCE];
    struct search s;
    struct pool pool; /* of the texts */
    char **function, **name, **doubt, **held;
    int degree, monomials, events; /* events: some assign values */
};

static int discover_fail(keel_discovery *d, keel_status status, const char *sentence) {
    text_set(d->message, sizeof d->message, "%s", sentence);
    d->status = status;
    return 0;
}

/* An empty sentence stands for memory that ran out. */
static int discover_refuse(keel_discovery *d, const char *sentence) {
    struct graph *g = d->s.w.g;
    if (sentence[0]) return discover_fail(d, KEEL_EINVAL, sentence);
    if (g && g->exhausted)
        return discover_fail(d, KEEL_EINVAL,
                             "the model is too large for this: the budget of its analysis is spent");
    return discover_fail(d, KEEL_ENOMEM, text_no_memory);
}

/* What is asked ---------------------------------------------------------------------------------------- */

/* Every parameter that the equations contain, unless it gives way already. */
static int take_parameters(struct search *s) {
    struct model *m = s->y->m;
    struct expr_list all;
    int *none = malloc(PARAMETERS * sizeof *none), degree = FAMILY_DEGREE;
    s->parameter = calloc((size_t)m->parameters + 1, sizeof *s->parameter);
    s->vary = calloc((size_t)m->parameters + 1, 1);
    if (!none || !s->parameter || !s->vary || expr_symbols(s->w.g, (size_t)s->y->s.n, s->y->s.equation, &all))
        return free(none), 0;
    for (size_t k = 0; k < all.count; k++) {
        const struct expr_node n = s->w.g->node[all.item[k]];
        int released = 0;
        for (int i = 0; i < s->w.rows; i++) released |= s->w.row[i].by.node == all.item[k];
        if (n.a != EXPR_PARAMETER || m->parameter[n.b].structural || released) continue;
        if (s->parameters < PARAMETERS) s->parameter[s->parameters++] = (int)n.b;
    }
    free(all.item);
    for (int i = 0; i < m->parameters; i++) s->vary[i] = 1; /* those that depend on others follow */
    for (int i = 0; i < s->w.rows; i++) {
        const struct expr_node n = s->w.g->node[s->w.row[i].by.node];
        if (n.op == EXPR_SYMBOL && n.a == EXPR_PARAMETER) s->vary[n.b] = 0;
    }
    for (int k = 0; k < PARAMETERS; k++) none[k] = -1;
    while (degree > 1 && monomial_count(s->parameters, degree) > MOST) degree--;
    int good = monomial_open(&s->family, s->parameters, none, degree);
    free(none);
    return good;
}

static int take_stated(struct search *s, const struct formulation *r, int keeps_energy) {
    int count = (keeps_energy ? r->energy.count : 0) + r->invariant.count;
    s->stated = calloc((size_t)count + 1, sizeof *s->stated);
    for (int i = 0; i < count && s->stated; i++) {
        int energy = i < count - r->invariant.count, k = energy ? i : i - (count - r->invariant.count);
        expr value = generator_first_names(s->y, energy ? r->energy.value[k] : r->invariant.value[k]);
        if (value == EXPR_NONE) return 0;
        s->stated[s->stateds++] =
            (struct search_stated){energy ? r->energy.names[k] : r->invariant.names[k], value};
    }
    return s->stated != NULL;
}

/* Gradients by the states and by what else the rows of the manifold contain. */
static int take_gradients(struct search *s) {
    struct derive derive;
    struct expr_list all;
    int rows = s->w.rows, count = s->gens.count;
    expr *f = calloc((size_t)rows + (size_t)count + 1, sizeof *f);
    for (int k = 0; k < rows && f; k++) f[k] = s->w.row[k].f;
    for (int k = 0; k < count && f; k++) f[rows + k] = s->gens.list[k].value;
    if (!f || expr_symbols(s->w.g, (size_t)(rows + count), f, &all)) return free(f), 0;
    s->variable = calloc(all.count + 1, sizeof *s->variable);
    for (size_t k = 0; k < all.count && s->variable; k++)
        if (s->w.g->node[all.item[k]].a != EXPR_PARAMETER) s->variable[s->variables++] = all.item[k];
    derive_open(&derive, s->w.g, DERIVE_ANY);
    int good = s->variable && derive_jacobian(&derive, rows, f, s->variables, s->variable, &s->normal) == 0 &&
               derive_jacobian(&derive, count, f + rows, s->variables, s->variable, &s->slope) == 0;
    derive_close(&derive);
    free(all.item);
    free(f);
    return good;
}

/* All that is to have a value at a point; then the graph rests. */
static int take_list(struct search *s) {
    int slopes = s->slope.row_start[s->gens.count], normals = s->normal.row_start[s->w.rows], count = 0;
    size_t most = (size_t)(2 * s->gens.count + s->stateds + slopes + normals);
    expr *all = calloc(most + 1, sizeof *all);
    if (!all) return 0;
    for (int k = 0; k < s->gens.count; k++) {
        all[count++] = s->gens.list[k].value;
        all[count++] = s->gens.list[k].rate;
    }
    for (int k = 0; k < s->stateds; k++) all[count++] = s->stated[k].value;
    for (int k = 0; k < slopes; k++) all[count++] = s->slope.value[k];
    for (int k = 0; k < normals; k++) all[count++] = s->normal.value[k];
    int good = generic_list(&s->list, s->w.g, count, all);
    free(all);
    return good;
}

static int choose_degree(keel_discovery *d, const keel_discover_options *with) {
    struct search *s = &d->s;
    double limit = with->limit > 0 ? with->limit : USUAL_LIMIT;
    int degree = with->degree > 0 ? with->degree : USUAL_DEGREE;
    while (with->degree <= 0 && degree > 1 && monomial_count(s->gens.count, degree) > limit) degree--;
    if (limit > MOST) limit = MOST;
    double count = monomial_count(s->gens.count, degree);
    if (count > limit) {
        char sentence[300];
        text_set(sentence, sizeof sentence,
                 "%d states and functions have %s%.0f monomials up to degree %d; the limit is %.0f",
                 s->gens.count, count < MONOMIAL_MANY ? "" : "more than ", fmin(count, MONOMIAL_MANY), degree,
                 limit);
        return discover_fail(d, KEEL_EINVAL, sentence);
    }
    int *partner = malloc(((size_t)s->gens.count + 1) * sizeof *partner);
    for (int k = 0; k < s->gens.count && partner; k++) partner[k] = s->gens.list[k].partner;
    int good = partner && monomial_open(&s->basis, s->gens.count, partner, degree);
    free(partner);
    d->degree = degree;
    d->monomials = s->basis.count - 1;
    return good || discover_fail(d, KEEL_ENOMEM, text_no_memory);
}

/* A name that the model does not use. */
static int choose_name(struct search *s, struct keel_model *m) {
    for (int k = 0; k < 20; k++) {
        char probe[40], why[INSIDE_WHY];
        text_set(s->name, sizeof s->name, k ? "found%c" : "found", 'a' + k);
        text_set(probe, sizeof probe, "%s1", s->name);
        if (query_expression(m, probe, why, sizeof why) == EXPR_NONE) break;
    }
    return !m->no_memory;
}

/* What the model says ------------------------------------------------------------------------------------ */

/* The text of the model with the invariant as its last line: read and verified as any other. */
static int confirm(keel_discovery *d, const keel_model *m, int i) {
    const struct search_found *f = &d->s.found[i];
    const char *text = keel_model_text(m);
    char name[40];
    text_set(name, sizeof name, "%s%d", d->s.name, i + 1);
    d->name[i] = pool_copy(&d->pool, name, strlen(name));
    size_t length = strlen(text) + strlen(f->text) + strlen(name) + 64;
    char *whole = malloc(length);
    if (!whole || !d->name[i]) return free(whole), 0;
    text_set(whole, length, "%s\ninvariant %s = %s\n", text, name, f->text);
    keel_model_options o = {
        .interpret = 1, .set = (const char *const *)m->set, .sets = m->sets, .clock = "none"};
    keel_model *other = keel_model_read(m->name, whole, strlen(whole), &o);
    keel_sim *run = keel_model_status(other) == KEEL_OK ? keel_sim_open(other, NULL) : NULL;
    const char *why = NULL;
    keel_diagnostic said;
    if (keel_model_status(other) != KEEL_OK)
        why = keel_model_diagnostic(other, 0, &said) ? said.sentence : keel_model_message(other);
    else if (run && keel_sim_status(run) < 0) why = keel_sim_message(run);
    d->doubt[i] = why ? pool_copy(&d->pool, why, strlen(why)) : NULL;
    int good = other && (!why || d->doubt[i]) && keel_model_status(other) != KEEL_ENOMEM &&
               (keel_model_status(other) != KEEL_OK || (run && keel_sim_status(run) != KEEL_ENOMEM));
    keel_sim_close(run);
    keel_model_close(other);
    free(whole);
    return good;
}

/* "A, B": the parameters whose values it needs; NULL: none. */
static char *held_of(keel_discovery *d, const struct search_found *f) {
    const struct search *s = &d->s;
    char names[400] = "";
    for (int k = 0; k < s->parameters; k++)
        if (f->held >> k & 1)
            text_add(names, sizeof names, "%s%s", names[0] ? ", " : "",
                     s->y->m->parameter[s->parameter[k]].label.text);
    return names[0] ? pool_copy(&d->pool, names, strlen(names)) : NULL;
}

static int confirm_all(keel_discovery *d, const keel_model *m) {
    size_t count = (size_t)d->s.founds + 1;
    d->held = pool_take(&d->pool, count * sizeof *d->held);
    d->name = pool_take(&d->pool, count * sizeof *d->name);
    d->doubt = pool_take(&d->pool, count * sizeof *d->doubt);
    for (int i = 0; i < d->s.founds && !d->pool.refused; i++) {
        d->held[i] = held_of(d, &d->s.found[i]);
        if (!confirm(d, m, i)) return 0;
    }
    return !d->pool.refused;
}

/* The search ------------------------------------------------------------------------------------------ */

static int discover_open(keel_discovery *d, struct keel_model *m, const keel_discover_options *with) {
    struct search *s = &d->s;
    struct inside_mode *mode = m->mode[0];
    s->y = &mode->system;
    s->seed = with->seed + 1;
    s->stop = with->stop;
    d->events = keel_model_acts(m, 0);
    if (!variety_plan(&s->w, s->y)) return discover_refuse(d, s->w.why);
    if (!generator_find(&s->gens, m, &s->w, with->functions, s->seed))
        return discover_refuse(d, s->gens.why[0] ? s->gens.why : s->w.why);
    if (!choose_degree(d, with)) return 0;
    if (!choose_name(s, m) || !generator_rates(&s->gens) ||
        !take_stated(s, &mode->formulation, m->model->mode[0].keeps_energy) || !take_gradients(s) ||
        s->w.g->failed)
        return discover_refuse(d, s->gens.why);
    if (!variety_open(&s->w, s->seed)) return discover_refuse(d, s->w.why);
    return (take_parameters(s) && take_list(s)) || discover_refuse(d, "");
}

static int list_functions(keel_discovery *d) {
    const struct generators *gens = &d->s.gens;
    d->function = pool_take(&d->pool, ((size_t)gens->count + 1) * sizeof *d->function);
    for (int k = 0; k < gens->count && d->function; k++) {
        size_t length = strlen(gens->list[k].text) + 3;
        d->function[k] = pool_take(&d->pool, length);
        if (!d->function[k]) return 0;
        text_set(d->function[k], length, "%s%s", gens->list[k].reciprocal ? "1/" : "", gens->list[k].text);
    }
    return d->function != NULL;
}

keel_discovery *keel_discover(keel_model *m, const keel_discover_options *with) {
    static const keel_discover_options usual = {0};
    keel_discovery *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    if (keel_model_status(m) != KEEL_OK) return discover_fail(d, KEEL_EINVAL, "the model has errors"), d;
    if (keel_model_groups(m) > 0)
        return discover_fail(d, KEEL_EINVAL, "a model with modes has other invariants in each of them"), d;
    if (m->model->directions)
        return discover_fail(d, KEEL_EINVAL, "the model was read with sensitivities: read it without"), d;
    expr_allow(&m->model->graph, m->work);
    if (!discover_open(d, m, with ? with : &usual)) return d;
    struct search *s = &d->s;
    if (!search_run(s) || !list_functions(d) || !confirm_all(d, m)) {
        if (s->stopped) discover_fail(d, KEEL_ESTOP, "the search was stopped");
        else if (s->why[0]) discover_fail(d, KEEL_EINVAL, s->why);
        else discover_fail(d, KEEL_ENOMEM, text_no_memory);
    }
    return d;
}

keel_status keel_discovery_status(const keel_discovery *d) {
    return d ? d->status : KEEL_ENOMEM;
}

const char *keel_discovery_message(const keel_discovery *d) {
    return d ? d->message : text_no_memory;
}

int keel_discovery_at(const keel_discovery *d, int i, keel_found *out) {
    static const keel_found_scope scope[] = {[SEARCH_ALL] = KEEL_FOUND_ALL,
                                             [SEARCH_UNKNOWN] = KEEL_FOUND_UNKNOWN,
                                             [SEARCH_THESE] = KEEL_FOUND_THESE};
    if (!d || d->status != KEEL_OK || !out || i < 0 || i >= d->s.founds) return 0;
    const struct search_found *f = &d->s.found[i];
    *out = (keel_found){.name = d->name[i],
                        .text = f->text,
                        .degree = f->degree,
                        .terms = f->terms,
                        .independent = f->independent,
                        .relation = f->relation,
                        .scope = scope[f->scope],
                        .held = d->held[i],
                        .known = f->known,
                        .doubt = d->doubt[i]};
    return 1;
}

int keel_discovery_degree(const keel_discovery *d) {
    return d ? d->degree : 0;
}

int keel_discovery_monomials(const keel_discovery *d) {
    return d ? d->monomials : 0;
}

const char *keel_discovery_function(const keel_discovery *d, int i) {
    return d && d->function && i >= 0 && i < d->s.gens.count ? d->function[i] : NULL;
}

int keel_discovery_unwritten(const keel_discovery *d) {
    return d ? d->s.unwritten : 0;
}

int keel_discovery_odd_numbers(const keel_discovery *d, double *first) {
    double one = 0;
    int count = d ? generic_odd_numbers(&d->s.w.v, &one) : 0;
    if (first) *first = one;
    return count;
}

int keel_discovery_between_events(const keel_discovery *d) {
    return d ? d->events : 0;
}

void keel_discovery_close(keel_discovery *d) {
    if (!d) return;
    pool_release(&d->pool);
    search_close(&d->s);
    free(d);
}
