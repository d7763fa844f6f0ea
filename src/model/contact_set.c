/* contact_set.c - see contact.h: an active set of contacts as a mechanics problem.
 *
 * Its rows are the model's own and, behind them, the gaps that are closed, and the sliding velocities of
 * what sticks.  Friction that slides is a force in proportion to a push: both are found from the same
 * equations that the core then solves once more, with the same push.  Two events for each contact, both
 * falling through zero: its gap, or its push; and what friction does, a sliding that ends or a drag beyond
 * its cone. */
#include "model/contact.h"

#include "model/sim.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The functions of the problem -------------------------------------------------------------------------- */

static int gaps(double t, const double *u, double *out, void *user) {
    struct contact_set *set = user;
    struct contact_run *r = set->run;
    int own = r->plain.constraint.count;
    int status = own ? r->plain.constraint.value(t, u, out, user) : 0;
    if (!status) status = r->gaps(t, u, r->now.gap, user);
    for (int k = 0; k < set->closed && !status; k++) out[own + k] = r->now.gap[set->row[k]];
    return status;
}

/* Dense rows of nq entries: those of the model, then some contacts'. */
static int dense_rows(struct contact_set *set, const keel_map *map, int contacts, const int *of, int along,
                      double t, const double *u, double *out) {
    struct contact_run *r = set->run;
    const struct derive_sparse *pattern = along ? &r->c->tangent : &r->c->normal;
    int nq = r->c->nq, status = 0;
    memset(out, 0, (size_t)(map->count + contacts) * (size_t)nq * sizeof *out);
    if (map->count) status = map->jacobian(t, u, map->pattern ? r->entries : out, set);
    for (int i = 0; i < map->count && map->pattern && !status; i++)
        for (int e = map->pattern->row_start[i]; e < map->pattern->row_start[i + 1]; e++)
            out[(long)i * nq + map->pattern->column[e]] = r->entries[e];
    if (!status) status = contact_numbers_at(r, t, u);
    const double *entry = along ? r->now.tangent : r->now.normal;
    for (int k = 0; k < contacts && !status; k++)
        for (int e = pattern->row_start[of[k]]; e < pattern->row_start[of[k] + 1]; e++)
            out[(long)(map->count + k) * nq + pattern->column[e]] = entry[e];
    return status;
}

static int gap_slopes(double t, const double *u, double *out, void *user) {
    struct contact_set *set = user;
    return dense_rows(set, &set->run->plain.constraint, set->closed, set->row, 0, t, u, out);
}

static int gap_shifts(double t, const double *u, double *out, void *user) {
    struct contact_set *set = user;
    const keel_map *map = &set->run->plain.constraint;
    int status = 0;
    for (int i = 0; i < map->count; i++) out[i] = 0;
    if (map->count && map->time_derivative) status = map->time_derivative(t, u, out, user);
    if (!status) status = contact_numbers_at(set->run, t, u);
    for (int k = 0; k < set->closed && !status; k++) out[map->count + k] = set->run->now.shift[set->row[k]];
    return status;
}

static int gap_terms(double t, const double *u, double *out, void *user) {
    struct contact_set *set = user;
    const keel_map *map = &set->run->plain.constraint;
    int status = map->count && map->terms ? map->terms(t, u, out, user) : 0;
    if (!status) status = contact_numbers_at(set->run, t, u);
    for (int k = 0; k < set->closed && !status; k++) out[map->count + k] = set->run->now.terms[set->row[k]];
    return status;
}

static int slidings(double t, const double *u, double *out, void *user) {
    struct contact_set *set = user;
    const keel_map *map = &set->run->plain.rolling;
    int status = map->count ? map->value(t, u, out, user) : 0;
    if (!status) status = contact_numbers_at(set->run, t, u);
    for (int k = 0; k < set->sticks && !status; k++) out[map->count + k] = set->run->now.slide[set->stick[k]];
    return status;
}

static int sliding_slopes(double t, const double *u, double *out, void *user) {
    struct contact_set *set = user;
    return dense_rows(set, &set->run->plain.rolling, set->sticks, set->stick, 1, t, u, out);
}

/* The model's constraints, the gaps, the model's rolling rows, the slidings. */
static int bends(double t, const double *u, double *out, void *user) {
    struct contact_set *set = user;
    struct contact_run *r = set->run;
    int own = r->plain.constraint.count, rolling = r->plain.rolling.count;
    int status = own + rolling ? r->plain.curvature(t, u, out, user) : 0;
    for (int i = rolling - 1; i >= 0; i--) out[own + set->closed + i] = out[own + i];
    if (!status) status = contact_numbers_at(r, t, u);
    for (int k = 0; k < set->closed && !status; k++) out[own + k] = r->now.bend[set->row[k]];
    for (int k = 0; k < set->sticks && !status; k++)
        out[own + set->closed + rolling + k] = r->now.bend_slide[set->stick[k]];
    return status;
}

/* F and the friction of what slides. */
static int forces(double t, const double *u, double *out, void *user) {
    struct contact_set *set = user;
    struct contact_run *r = set->run;
    const struct derive_sparse *pattern = &r->c->tangent;
    struct contact_set *before = r->set;
    r->set = set;
    int status = contact_forces_at(r, t, u);
    r->set = before;
    if (!status) status = r->plain.f.value(t, u, out, user);
    for (int k = 0; k < set->closed && !status; k++) {
        int i = set->row[k];
        double drag = r->one[i].share * r->push[i];
        for (int e = pattern->row_start[i]; e < pattern->row_start[i + 1] && drag != 0; e++)
            out[pattern->column[e]] += drag * r->now.tangent[e];
    }
    return status;
}

/* The sliding of a contact that sticks or is held must not end; the push that is no less than round-off
 * stays a push. */
static void event_pair(const struct contact_run *r, int i, double *out) {
    const struct contact_one *one = &r->one[i];
    double mu = r->friction[i];
    out[0] = one->state == CONTACT_OPEN   ? r->now.gap[i] - one->offset
             : one->state == CONTACT_IDLE ? r->now.gap[i] + CONTACT_NEAR * one->size
                                          : r->push[i] + one->least;
    out[1] = one->state == CONTACT_SLIDES && one->sign
                 ? one->sign * r->now.slide[i] + CONTACT_REST * one->rate
             : one->state == CONTACT_STICKS ? mu * (r->push[i] + one->least) - fabs(r->drag[i])
                                            : 1;
}

static int events(double t, const double *u, double *out, void *user) {
    struct contact_set *set = user;
    struct contact_run *r = set->run;
    struct contact_set *before = r->set;
    int status = 0;
    r->set = set;
    if (set->closed) status = contact_forces_at(r, t, u);
    else status = r->gaps(t, u, r->now.gap, user);
    if (!status && set->events) {
        contact_publish(r, 1);
        status = r->plain.event.value(t, u, out, user);
        contact_publish(r, 0);
    }
    r->set = before;
    for (int i = 0; i < r->c->count && !status; i++) event_pair(r, i, out + set->events + 2 * i);
    return status;
}

void contact_publish(struct contact_run *r, int on) {
    double *held = r->s->parameter + r->s->m->model->parameters;
    for (int i = 0; i < r->c->count; i++) {
        const struct model_contact *one = &r->c->contact[i];
        held[one->push] = on ? r->push[i] : 0;
        if (one->drag >= 0) held[one->drag] = on ? r->drag[i] : 0;
    }
}

int contact_of_event(const struct contact_set *set, int event, int *friction) {
    int number = event - set->events;
    *friction = number % 2;
    return number < 0 ? -1 : number / 2;
}

/* The problem ------------------------------------------------------------------------------------------- */

static const char **names_of(struct contact_set *set, const keel_map *map, int contacts, const int *of,
                             const char *const *name, const char **at) {
    const char **first = at;
    for (int i = 0; i < map->count; i++) *at++ = map->names ? map->names[i] : NULL;
    for (int k = 0; k < contacts; k++) *at++ = name[of[k]];
    (void)set;
    return first;
}

static int is_steady(const struct contact_set *set) {
    for (int k = 0; k < set->closed; k++)
        if (set->run->c->moves[set->row[k]]) return 0;
    return 1;
}

static void fill_events(struct contact_set *set, const char **name, int *direction, unsigned char *kind) {
    const struct contact_run *r = set->run;
    keel_problem *p = &set->problem;
    set->events = r->plain.event.count;
    int count = set->events + 2 * r->c->count;
    for (int i = 0; i < count; i++) {
        int own = i < set->events;
        name[i] = own ? r->plain.event.names[i] : r->c->name[(i - set->events) / 2];
        direction[i] = own ? r->plain.event_direction[i] : -1;
        kind[i] = own ? r->plain.event_kind[i] : KEEL_TERMINAL;
    }
    p->event = (keel_map){.count = count, .value = events, .names = name};
    p->event_direction = direction;
    p->event_kind = kind;
}

/* Is I changed by the forces of the contacts that are closed, where the run stands?  bare: all of them go. */
static void fill_rows(struct contact_set *set, const char **name, int bare) {
    static const keel_extras none;
    const struct contact_run *r = set->run;
    keel_problem *p = &set->problem;
    int own = r->plain.constraint.count, rolling = r->plain.rolling.count, steady = is_steady(set);
    p->user = set;
    p->extras = &none;
    p->velocity = (keel_map){0};
    if (set->closed) {
        p->constraint =
            (keel_map){.count = own + set->closed,
                       .value = gaps,
                       .jacobian = gap_slopes,
                       .time_derivative = gap_shifts,
                       .terms = own == 0 || r->plain.constraint.terms ? gap_terms : NULL,
                       .names = names_of(set, &r->plain.constraint, set->closed, set->row, r->c->name, name),
                       .autonomous = steady && (own == 0 || r->plain.constraint.autonomous)};
        p->curvature = bends;
        name += p->constraint.count;
    }
    if (set->sticks)
        p->rolling = (keel_map){
            .count = rolling + set->sticks,
            .value = slidings,
            .jacobian = sliding_slopes,
            .names = names_of(set, &r->plain.rolling, set->sticks, set->stick, r->c->slide_name, name),
            .autonomous = steady && (rolling == 0 || r->plain.rolling.autonomous)};
    if (set->slips)
        p->f = (keel_map){.count = r->c->nq, .value = forces, .autonomous = steady && r->plain.f.autonomous};
    if (set->slips || !steady || bare) p->energy = (keel_map){0};
    if (set->closed) p->invariant = (keel_map){0};
}

/* By row of the model: its number among those of the set. */
static void fill_solver_rows(struct contact_set *set, const int *place_gap) {
    const struct contact_run *r = set->run;
    const struct keel_sim *s = r->s;
    const keel_problem *p = &set->problem;
    const struct inside_mode *mode = s->m->mode[s->mode];
    int own = r->plain.constraint.count, rolling = r->plain.rolling.count, count = r->c->count, number = 0;
    for (int i = 0; i < s->m->rows; i++) set->solver_row[i] = -1;
    for (int way = 0; way < 2; way++) {
        for (int i = 0; i < own; i++)
            set->solver_row[mode->row_place[way ? KEEL_ROW_VELOCITY : KEEL_ROW_CONSTRAINT][i]] = number++;
        for (int k = 0; k < set->closed; k++)
            set->solver_row[place_gap[way * count + set->row[k]]] = number++;
    }
    for (int i = 0; i < rolling; i++) set->solver_row[mode->row_place[KEEL_ROW_ROLLING][i]] = number++;
    for (int k = 0; k < set->sticks; k++) set->solver_row[place_gap[2 * count + set->stick[k]]] = number++;
    for (int i = 0; i < p->energy.count; i++) set->solver_row[mode->row_place[KEEL_ROW_ENERGY][i]] = number++;
    for (int i = 0; i < p->invariant.count; i++)
        set->solver_row[mode->row_place[KEEL_ROW_INVARIANT][i]] = number++;
}

/* All memory of a set is one block behind its key. */
static struct contact_set *make(struct contact_run *r, const signed char *key, int bare) {
    size_t n = (size_t)r->c->count, events = (size_t)r->plain.event.count + 2 * n;
    size_t rows = (size_t)(r->plain.constraint.count + r->plain.rolling.count) + 2 * n;
    size_t head = (sizeof(struct contact_set) + n + 1 + 15) / 16 * 16;
    size_t bytes = head + (events + rows) * sizeof(char *) +
                   (2 * n + events + (size_t)r->s->m->rows + 1) * sizeof(int) + events;
    struct contact_set *set = calloc(1, bytes);
    if (!set) return NULL;
    const char **name = (const char **)((char *)set + head);
    int *number = (int *)(name + events + rows);
    set->row = number, set->stick = set->row + n, set->solver_row = set->stick + n + events;
    set->run = r;
    set->bound = r->s->bound[r->s->mode];
    memcpy(set->key, key, n + 1);
    for (int i = 0; i < r->c->count; i++) {
        int state = r->one[i].state;
        if (state < CONTACT_SLIDES) continue;
        set->row[set->closed++] = i;
        if (state == CONTACT_STICKS) set->stick[set->sticks++] = i;
        else set->slips |= r->friction[i] > 0;
    }
    set->problem = r->plain;
    fill_events(set, name, number + 2 * n, (unsigned char *)(set->solver_row + r->s->m->rows + 1));
    fill_rows(set, name + events, bare);
    fill_solver_rows(set, r->s->m->contact_row);
    set->next = r->sets;
    return r->sets = set;
}

struct contact_set *contact_set_of(struct contact_run *r, int bare) {
    int n = r->c->count;
    signed char *key = (signed char *)r->pivot; /* 3 count ints */
    for (int i = 0; i < n; i++)
        key[i] = (signed char)(r->one[i].state == CONTACT_SLIDES ? 16 + r->one[i].sign : r->one[i].state);
    key[n] = (signed char)bare;
    for (struct contact_set *set = r->sets; set; set = set->next)
        if (memcmp(set->key, key, (size_t)n + 1) == 0) return set;
    return make(r, key, bare);
}

void contact_sets_free(struct contact_run *r) {
    while (r->sets) {
        struct contact_set *next = r->sets->next;
        free(r->sets);
        r->sets = next;
    }
}
