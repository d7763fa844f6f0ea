/* surfaces.c - switching surfaces: which side is in force, what lies beyond a crossing, and sliding.
 *
 * Between two switches the callbacks see the same sides, so that what a step integrates is smooth on both
 * ends of it.  A crossing is located like an event.  There the two candidates of every surface that is met
 * are tried: sides are consistent if the motion they give leads to them.  If none are, and both sides of
 * one surface lead to it, the solution slides along it (Filippov 1988):
 *
 *     x' = a f+ + (1 - a) f-,   a such that d/dt g = 0:   a = g'-/(g'- - g'+),
 *
 * g'+- the derivative of g along f+-.  It leaves the surface where a reaches 0 or 1.  What the steps leave
 * of g is removed along f+ - f-, the direction in which the switching itself acts. */
#include "core/surfaces_private.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MET_MOST = 8 }; /* surfaces met at once, tried in all combinations */

int surfaces_stairs(const struct engine *e, int k) {
    return e->field.p.event_kind[e->surfaces.event[k]] == KEEL_STAIRCASE;
}

static int is_surface(const keel_problem *p, int event) {
    return p->event_kind && (p->event_kind[event] == KEEL_SURFACE || p->event_kind[event] == KEEL_STAIRCASE);
}

void surfaces_init(struct engine *e) {
    const keel_problem *p = &e->field.p;
    e->surfaces = (struct surfaces){0};
    for (int i = 0; i < p->event.count; i++) e->surfaces.count += is_surface(p, i);
}

void surfaces_layout(struct engine *e, size_t vector) {
    struct surfaces *s = &e->surfaces;
    struct arena *a = &e->arena;
    size_t count = (size_t)s->count;
    if (count == 0) return;
    s->event = arena_ints(a, count);
    s->number = arena_ints(a, (size_t)e->field.p.event.count);
    s->met = arena_ints(a, count);
    s->tally = arena_take(a, count * sizeof *s->tally);
    s->side = arena_doubles(a, count);
    s->low = arena_doubles(a, count);
    s->high = arena_doubles(a, count);
    s->rest = arena_doubles(a, count);
    s->value = arena_doubles(a, (size_t)e->field.p.event.count);
    s->noise = arena_doubles(a, (size_t)e->field.p.event.count);
    s->trial = arena_doubles(a, vector);
    s->u = arena_doubles(a, vector);
    s->there = arena_doubles(a, vector);
    for (int k = 0; k < 2; k++) s->f[k] = arena_doubles(a, vector);
    variations_layout(e);
    for (int i = 0, k = 0; i < e->field.p.event.count && s->event; i++) {
        s->number[i] = is_surface(&e->field.p, i) ? k : -1;
        if (s->number[i] >= 0) s->event[k++] = i;
    }
}

void surfaces_attach(struct engine *e) {
    struct surfaces *s = &e->surfaces;
    if (s->count == 0) return;
    int sliding = e->r && e->r->sliding;
    e->work.rhs = sliding ? surfaces_rhs : s->rhs;
    e->work.context = sliding ? (void *)e : s->context;
    e->field.sliding = sliding;
}

void surfaces_publish(const struct engine *e) {
    for (int k = 0; k < e->surfaces.count; k++) surfaces_show(e, k, e->surfaces.side[k]);
}

int surfaces_of_event(const struct engine *e, int event) {
    return e->surfaces.count > 0 && event >= 0 ? e->surfaces.number[event] : -1;
}

/* Of what is slid along the share a is watched, a number without a unit. */
double surfaces_noise(const struct engine *e, int event, double largest) {
    int k = surfaces_of_event(e, event);
    if (k < 0) return -1;
    if (e->r->sliding && e->surfaces.met[k]) return EVENTS_NEGLIGIBLE;
    double noise = SURFACES_NOISES * e->surfaces.noise[event];
    return e->r->just_begun ? fmax(noise, EVENTS_NEGLIGIBLE * largest) : noise;
}

double surfaces_height(const struct engine *e, int k, const double *value) {
    double v = value[e->surfaces.event[k]];
    return surfaces_stairs(e, k) ? v - e->surfaces.high[k] : v;
}

keel_status surfaces_values(struct engine *e, double t, const double *u, double *out) {
    return map_value(&e->field, &e->field.event, t, u, out);
}

/* What the values change by where t and u move by a round-off. */
static keel_status find_noise(struct engine *e, double t, const double *u) {
    struct surfaces *s = &e->surfaces;
    int all = e->field.n + e->field.m, events = e->field.p.event.count;
    keel_status status = surfaces_values(e, t, u, s->value);
    for (int i = 0; i < events; i++) s->noise[i] = 0;
    for (int way = 0; way < 3 && status == KEEL_OK; way++) {
        for (int j = 0; j < all; j++)
            s->trial[j] = u[j] * (1 + ((j + way) % 3 == 1 ? -DBL_EPSILON : DBL_EPSILON));
        status =
            surfaces_values(e, t * (1 + (way == 1 ? -DBL_EPSILON : DBL_EPSILON)), s->trial, e->events.here);
        for (int i = 0; i < events && status == KEEL_OK; i++)
            s->noise[i] = fmax(s->noise[i], fabs(e->events.here[i] - s->value[i]));
    }
    for (int k = 0; k < s->count && status == KEEL_OK; k++) {
        double *noise = &s->noise[s->event[k]];
        if (!(fabs(s->value[s->event[k]]) <= s->rest[k])) s->rest[k] = 0;
        *noise = fmax(*noise, s->rest[k] / SURFACES_NOISES);
    }
    return status;
}

void surfaces_scanned(struct engine *e, const double *value) {
    struct surfaces *s = &e->surfaces;
    for (int k = 0; k < s->count; k++) {
        if (s->rest[k] == 0 || fabs(value[s->event[k]]) <= s->rest[k]) continue;
        s->rest[k] = s->noise[s->event[k]] = 0;
    }
}

/* Surface k is met: v is zero, or whole, to round-off. */
static int meets(struct engine *e, int k, double v) {
    struct surfaces *s = &e->surfaces;
    double whole = surfaces_stairs(e, k) ? nearbyint(v) : 0;
    if (!(fabs(v - whole) <= SURFACES_NOISES * s->noise[s->event[k]])) return 0;
    s->low[k] = surfaces_stairs(e, k) ? whole - 1 : -1;
    s->high[k] = surfaces_stairs(e, k) ? whole : 1;
    return 1;
}

/* The surfaces that are met by their values. */
static void find_met(struct engine *e) {
    struct surfaces *s = &e->surfaces;
    for (int k = 0; k < s->count; k++) {
        s->met[k] = meets(e, k, s->value[s->event[k]]);
        if (s->met[k] && s->side[k] != s->low[k]) s->side[k] = s->high[k];
    }
}

/* Is surface k, which was met, still zero with the sides that are shown?  Another switch may have moved it.
 */
static int is_near(const struct engine *e, int k) {
    const struct surfaces *s = &e->surfaces;
    return s->met[k] && fabs(surfaces_height(e, k, s->value)) <= SURFACES_NOISES * s->noise[s->event[k]];
}

/* The sides of the others by the signs of their values; how many changed. */
static int take_signs(struct engine *e) {
    struct surfaces *s = &e->surfaces;
    int changed = 0;
    for (int k = 0; k < s->count; k++) {
        double v = s->value[s->event[k]], side = s->side[k];
        if (is_near(e, k)) continue;
        if (isfinite(v)) side = surfaces_stairs(e, k) ? floor(v) : v < 0 ? -1 : 1;
        else if (side == 0 && !surfaces_stairs(e, k)) side = 1;
        changed += side != s->side[k];
        s->side[k] = side;
    }
    return changed;
}

int surfaces_signs(struct engine *e, double t, const double *u) {
    struct surfaces *s = &e->surfaces;
    int changed = 0, now = 1;
    surfaces_end_slide(e);
    for (int k = 0; k < s->count; k++) s->met[k] = 0;
    for (int round = 0; now && round <= s->count; round++) { /* one side may decide what another is of */
        surfaces_publish(e);
        if (surfaces_values(e, t, u, s->value) != KEEL_OK) return 0; /* the field will say so */
        now = take_signs(e);
        changed += now;
    }
    surfaces_publish(e);
    return changed;
}

/* Motion ------------------------------------------------------------------------------------------------ */

double surfaces_moment(const struct engine *e) {
    const struct run_state *r = e->r;
    double h = r->h_taken != 0 ? fabs(r->h_taken) : e->o.step > 0 ? e->o.step : r->h_next;
    return (h > 0 ? h : 1e-6) * r->direction;
}

/* Combination `mask` of the surfaces that are met at (t, u): bit i set: the i-th is on its upper side.  It
 * may decide what other surfaces are functions of: those that are not met have the sides of their values
 * then. */
void surfaces_take(struct engine *e, double t, const double *u, int count, const int *met, unsigned mask) {
    struct surfaces *s = &e->surfaces;
    int changed = 1;
    for (int i = 0; i < count; i++) s->side[met[i]] = mask >> i & 1 ? s->high[met[i]] : s->low[met[i]];
    for (int round = 0; changed && round <= s->count; round++) {
        surfaces_publish(e);
        changed = surfaces_values(e, t, u, s->value) == KEEL_OK && take_signs(e);
    }
}

/* Does the motion with this combination lead to its sides?  2: clearly; 1: nothing leads away; 0: no. */
static int consistent(struct engine *e, double t, const double *u, int count, const int *met, unsigned mask) {
    int verdict = 2;
    for (int i = 0; i < count && verdict; i++) {
        if (!is_near(e, met[i])) continue;
        int way = surfaces_way(e, t, u, met[i]), wanted = mask >> i & 1 ? 1 : -1;
        if (way == 0) verdict = 1;
        else if (way != wanted) verdict = 0;
    }
    return verdict;
}

keel_status surfaces_seen(struct engine *e, double t, const double *u, double *value) {
    struct surfaces *s = &e->surfaces;
    double part = 0;
    if (e->r->sliding && surfaces_mean(e, t, u, value, &part)) return KEEL_RETRY;
    for (int k = 0; k < s->count; k++) {
        double *v = &value[s->event[k]];
        if (e->r->sliding && s->met[k]) *v = 1;
        else if (surfaces_stairs(e, k)) *v = (*v - s->side[k]) * (s->side[k] + 1 - *v);
    }
    if (e->r->sliding) value[s->event[e->r->sliding - 1]] = part * (1 - part);
    return KEEL_OK;
}

/* What comes next ----------------------------------------------------------------------------------------
 */

const char *surfaces_name(const struct engine *e, int k, char *buffer, size_t size) {
    return field_name(e->field.event.user.names, e->surfaces.event[k], "surface", buffer, size);
}

/* Each surface that is met to the side that it moves to, again and again: 1, if that ends.  So it does
 * where switches do not act on each other, however many are met. */
static int follow(struct engine *e, double t, const double *u) {
    struct surfaces *s = &e->surfaces;
    int *way = e->events.crossing, changed = 1; /* free between the searches for events */
    for (int round = 0; changed && round < 8; round++) {
        changed = 0;
        for (int k = 0; k < s->count; k++) way[s->event[k]] = is_near(e, k) ? surfaces_way(e, t, u, k) : 0;
        for (int k = 0; k < s->count; k++) {
            int to = way[s->event[k]];
            double side = to > 0 ? s->high[k] : to < 0 ? s->low[k] : s->side[k];
            changed |= side != s->side[k];
            s->side[k] = side;
        }
        surfaces_take(e, t, u, 0, NULL, 0);
    }
    return !changed;
}

/* The sides of the surfaces that are met at (t, u), the combination `first` tried first. */
static keel_status choose_sides(struct engine *e, double t, const double *u, int count, const int *met,
                                unsigned first) {
    int weak = 0, few = count <= MET_MOST;
    unsigned good = 0, all = few ? 1u << count : 0;
    if (few) surfaces_take(e, t, u, count, met, first);
    if (follow(e, t, u)) return KEEL_OK;
    if (!few) return surfaces_meet(e, t, count, met);
    for (unsigned k = 0; k < all; k++) {
        unsigned mask = first ^ k;
        surfaces_take(e, t, u, count, met, mask);
        int verdict = consistent(e, t, u, count, met, mask);
        if (verdict == 2) return KEEL_OK;
        if (verdict == 1 && !weak) {
            weak = 1;
            good = mask;
        }
    }
    if (!weak) return surfaces_slide(e, t, u, count, met);
    surfaces_take(e, t, u, count, met, good);
    return KEEL_OK;
}

static keel_status choose(struct engine *e, double t, const double *u, int count, const int *met,
                          unsigned first) {
    keel_status status = choose_sides(e, t, u, count, met, first);
    if (status == KEEL_OK) surfaces_rests(e, t, u, 0);
    return status;
}

static int list_met(const struct engine *e, int *met, unsigned *mask) {
    const struct surfaces *s = &e->surfaces;
    int count = 0;
    *mask = 0;
    for (int k = 0; k < s->count; k++) {
        if (!s->met[k]) continue;
        if (count < MET_MOST) {
            met[count] = k;
            if (s->side[k] == s->high[k]) *mask |= 1u << count;
        }
        count++;
    }
    return count;
}

/* What is known of the signs where the run goes on.  The height at which a surface was met is zero from
 * here on: a motion that stays on it may be on the other side by that much. */
static void know_signs(struct engine *e) {
    struct surfaces *s = &e->surfaces;
    for (int k = 0; k < s->count; k++) {
        double *noise = &s->noise[s->event[k]];
        if (is_near(e, k)) *noise = fmax(*noise, 4 * fabs(surfaces_height(e, k, s->value)) / SURFACES_NOISES);
        int always_above = surfaces_stairs(e, k) || (e->r->sliding && s->met[k]);
        e->events.sign[s->event[k]] = always_above || s->side[k] > 0 ? 1 : -1;
    }
    e->r->just_begun = 1;
}

/* Where both sides of the one surface that is met lead away from it, nothing says which way a run that
 * begins there goes. */
static keel_status only_way(struct engine *e, double t, const double *u, const int *met) {
    const struct surfaces *s = &e->surfaces;
    unsigned mask = s->side[met[0]] == s->high[met[0]];
    char name[60];
    if (e->r->sliding || consistent(e, t, u, 1, met, mask) != 2) return KEEL_OK;
    surfaces_take(e, t, u, 1, met, !mask);
    if (consistent(e, t, u, 1, met, !mask) == 2)
        return engine_fail(
            e, KEEL_ESTART,
            "the run begins on the switching surface %.60s, at t = %.10g, and both of its sides "
            "lead away: several motions begin here; start on one of the sides",
            surfaces_name(e, met[0], name, sizeof name), t);
    surfaces_take(e, t, u, 1, met, mask);
    return KEEL_OK;
}

/* `before`: what was slid along until now, as in record.sliding; the same slide goes on. */
static void note_slide(struct engine *e, double t, int before) {
    struct run_state *r = e->r;
    if (!r->sliding) return;
    r->slide_from = t;
    if (r->sliding == before) return;
    r->stats.slides++;
    e->surfaces.tally[r->sliding - 1].slides++;
}

keel_status surfaces_settle(struct engine *e) {
    struct surfaces *s = &e->surfaces;
    double t = e->r->t, *u = e->x[e->r->current];
    int met[MET_MOST], changed = 1;
    unsigned mask;
    if (!e->r->unsettled) return KEEL_OK;
    e->r->unsettled = 0;
    for (int round = 0; changed && round <= s->count; round++) {
        surfaces_publish(e);
        keel_status status = find_noise(e, t, u);
        if (status != KEEL_OK) return engine_fail_by_fault(e);
        find_met(e);
        changed = take_signs(e);
    }
    int count = list_met(e, met, &mask);
    if (count > 0) {
        keel_status status = choose(e, t, u, count, met, mask);
        if (status == KEEL_OK && count == 1) status = only_way(e, t, u, met);
        if (status < 0) return status;
        if (engine_rhs(e, t, u, e->f[e->r->current]) != KEEL_OK) return engine_fail_by_fault(e);
        memcpy(u + e->field.n, e->field.y, (size_t)e->field.m * sizeof *u);
    }
    note_slide(e, t, 0);
    know_signs(e);
    return variations_slide(e);
}

/* Of the surfaces, the one that is crossed where the solver stands changes its side; others that are met at
 * the same time may, too. */
static keel_status cross(struct engine *e, int crossed, double t, const double *u) {
    struct surfaces *s = &e->surfaces;
    int met[MET_MOST];
    unsigned mask;
    keel_status status = find_noise(e, t, u);
    if (status != KEEL_OK) return engine_fail_by_fault(e);
    double side = s->side[crossed], v = s->value[s->event[crossed]], before = side;
    find_met(e);
    s->met[crossed] = 1;
    s->side[crossed] = before;
    if (surfaces_stairs(e, crossed)) {
        int up = v > side + 0.5;
        s->low[crossed] = up ? side : side - 1;
        s->high[crossed] = up ? side + 1 : side;
    } else {
        s->low[crossed] = -1;
        s->high[crossed] = 1;
    }
    double *noise = &s->noise[s->event[crossed]]; /* as far as it was located */
    *noise = fmax(*noise, 2 * fabs(surfaces_height(e, crossed, s->value)) / SURFACES_NOISES);
    int count = list_met(e, met, &mask);
    if (count > MET_MOST) return surfaces_meet(e, t, count, met);
    unsigned first = mask;
    surfaces_publish(e);
    for (int i = 0; i < count; i++) /* those that were on their way across are beyond, tried first */
        if (met[i] == crossed || surfaces_way(e, t, u, met[i]) == (mask >> i & 1 ? -1 : 1)) first ^= 1u << i;
    return choose(e, t, u, count, met, first);
}

/* Switches that come ever faster: WINDOW of them take less time than those before, again and again.  Beyond
 * their limit nothing is known. */
enum { WINDOW = 8, SHRUNK = 3, SHRINKING = 50 };

static keel_status watch_zeno(struct engine *e, double t) {
    struct zeno *z = &e->r->zeno;
    char name[60];
    if (++z->count < WINDOW) return KEEL_OK;
    double took = fabs(t - z->since), ratio = z->took > 0 ? took / z->took : 1;
    z->shrunk = ratio < 0.98 ? z->shrunk + 1 : 0;
    z->since = t;
    z->took = took;
    z->count = 0;
    double rest = ratio < 1 ? took * ratio / (1 - ratio) : 0;
    int over = took <= 1e-10 * fabs(t) || took <= 1e-10 * fabs(surfaces_moment(e));
    if (!(over && z->shrunk >= SHRUNK) && z->shrunk < SHRINKING) {
        z->idle = took <= 64 * WINDOW * DBL_EPSILON * fabs(t) ? z->idle + 1 : 0;
        if (z->idle < 4) return KEEL_OK;
    }
    int k = surfaces_of_event(e, e->r->surface);
    return engine_fail(e, KEEL_ELIMIT,
                       "switches come faster and faster, %.60s among them, and end at about t = %.10g: "
                       "beyond it the equations say nothing; give the motion that follows a mode of its own",
                       surfaces_name(e, k < 0 ? 0 : k, name, sizeof name), t + rest * e->r->direction);
}

keel_status surfaces_pass(struct engine *e) {
    struct run_state *r = e->r;
    struct surfaces *s = &e->surfaces;
    double t = r->t_now;
    const double *u = engine_state(e);
    int crossed = surfaces_of_event(e, r->surface), before = r->sliding;
    r->stats.switches++;
    keel_status status = watch_zeno(e, t);
    if (status != KEEL_OK) return status;
    if (r->sliding && s->met[crossed]) { /* where a is 0 or 1 the surface is a tangent */
        double steep = 0;
        status = surfaces_leave(e, t, u, &steep);
        if (status == KEEL_OK && find_noise(e, t, u) == KEEL_OK) surfaces_rests(e, t, u, steep);
        return status;
    }
    s->tally[crossed].crossings++;
    surfaces_end_slide(e);
    variations_stand(e);
    status = cross(e, crossed, t, u);
    note_slide(e, t, before);
    return status == KEEL_OK ? variations_cross(e, crossed) : status;
}

/* Is a surface so near that the tolerances do not tell its sides apart, and on the way to be crossed?
 * Beyond it the branch in force may have no value: sqrt(x) for x > 0. */
int surfaces_reached(struct engine *e) {
    struct surfaces *s = &e->surfaces;
    const struct run_state *r = e->r;
    const double *u = e->x[r->current];
    int n = e->field.n;
    if (s->count == 0 || r->sliding || find_noise(e, r->t, u) != KEEL_OK) return 0;
    for (int j = 0; j < n; j++) s->u[j] = u[j] + e->atol[j] + e->o.rtol * fabs(u[j]);
    memcpy(s->u + n, u + n, (size_t)e->field.m * sizeof *u);
    if (surfaces_values(e, r->t, s->u, e->events.slope) != KEEL_OK) return 0;
    for (int k = 0; k < s->count; k++) {
        double v = s->value[s->event[k]], tolerance = fabs(e->events.slope[s->event[k]] - v);
        if (surfaces_stairs(e, k) || !(fabs(v) <= tolerance) || surfaces_way(e, r->t, u, k) * s->side[k] >= 0)
            continue;
        e->r->surface = s->event[k];
        memcpy(e->x_now, u, (size_t)(n + e->field.m) * sizeof *u);
        e->r->inside = 1;
        return 1;
    }
    return 0;
}

void surfaces_passed(struct engine *e) {
    e->r->surface = -1;
    know_signs(e);
}
