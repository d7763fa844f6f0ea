/* record.c - see record.h.
 *
 * Between two samples the solution is kept by its values at the nodes (1 - cos(pi j/(K - 1)))/2 of each step.
 * With K = 8 they determine a polynomial of degree 7: the dense output of every method up to dop853. */
#include "record.h"

#include <math.h>
#include <string.h>

keel_solver *source_solver(const struct source *s) {
    return s->sim ? keel_sim_solver(s->sim) : s->solver;
}

/* The columns at t inside the last step, or where it stands. */
static void values(struct record *r, double t, double *out) {
    const struct source *s = &r->source;
    double now = keel_time(source_solver(s));
    keel_status status;
    if (s->sim) status = t == now ? keel_sim_values(s->sim, out) : keel_sim_values_at(s->sim, t, out);
    else if (t == now) {
        if (s->columns) memcpy(out, keel_state(s->solver), (size_t)s->columns * sizeof *out);
        status = KEEL_OK;
    } else status = keel_eval(s->solver, t, out);
    if (status == KEEL_ENOMEM) r->starved = 1;
    for (int i = 0; status != KEEL_OK && i < s->columns; i++) out[i] = NAN;
}

static double *row(struct record *r, struct numbers *to) {
    double *out = numbers_add(to, (size_t)r->source.columns);
    if (!out && r->source.columns) r->starved = 1;
    return out;
}

static void put(struct record *r, struct numbers *to, double number) {
    double *out = numbers_add(to, 1);
    if (out) *out = number;
    else r->starved = 1;
}

static void sample(struct record *r, double t) {
    double *out = row(r, &r->y);
    put(r, &r->t, t);
    if (out && !r->starved) values(r, t, out);
}

/* Nodes of (last, now]; the value at `last` is the one after what happened there. */
static void add_nodes(struct record *r, double now) {
    size_t columns = (size_t)r->source.columns, K = (size_t)r->nodes;
    double *out = numbers_add(&r->between, K * columns);
    put(r, &r->ends, now);
    if (r->starved || (!out && columns)) {
        r->starved = 1;
        return;
    }
    if (columns) memcpy(out, r->value.data, columns * sizeof *out);
    long before = keel_statistics(source_solver(&r->source)).calls;
    for (size_t j = 1; j < K; j++) {
        double part = (1 - cos(3.14159265358979323846 * (double)j / (double)(K - 1))) / 2;
        double t = j == K - 1 ? now : r->last + part * (now - r->last);
        values(r, t, out + j * columns);
    }
    r->calls += keel_statistics(source_solver(&r->source)).calls - before;
}

/* An event of the solver: 1; of the model: 1, and whether it has changed something. */
static int take_event(struct record *r, double now, int *changed) {
    *changed = 0;
    if (r->source.sim) {
        keel_event_record e;
        if (!keel_sim_event(r->source.sim, r->noted, &e)) return 0;
        *changed = e.changed;
        r->noted++;
    } else if (keel_event(r->source.solver) < 0) return 0;
    if (r->event_t.count >= RECORD_EVENTS) return 1;
    double *out = row(r, &r->event_y);
    put(r, &r->event_t, now);
    put(r, &r->event, r->source.sim ? (double)(r->noted - 1) : (double)keel_event(r->source.solver));
    if (out && !r->starved) values(r, now, out);
    return 1;
}

void record_sample(struct record *r) {
    double now = keel_time(source_solver(&r->source));
    int changed, first = r->ends.count == 0 && r->nodes;
    if (r->starved) return;
    if (first) put(r, &r->ends, now);
    if (r->nodes && now != r->last && !first) add_nodes(r, now);
    int due = 0, event = take_event(r, now, &changed);
    while (r->next < r->count && (r->times[r->next] - now) * r->direction <= 0 && !r->starved) {
        double at = r->times[r->next++];
        if (at == now) due = 1;
        else sample(r, at);
    }
    if (r->every_step) due = changed || r->acted || !event;
    if (due) sample(r, now);
    r->acted = changed;
    r->last = now;
    if (!r->nodes || r->starved) return;
    if (!r->value.data && !row(r, &r->value)) return;
    values(r, now, r->value.data);
}

void record_event(struct record *r) {
    double now = keel_time(source_solver(&r->source));
    keel_event_record e;
    size_t last = r->event_t.count - 1;
    int seen = r->source.sim ? !keel_sim_event(r->source.sim, r->noted, &e)
                             : r->event_t.count && r->event_t.data[last] == now &&
                                   (int)r->event.data[last] == keel_event(r->source.solver);
    if (!seen) record_sample(r);
}

void record_finish(struct record *r) {
    double now = keel_time(source_solver(&r->source));
    if (!r->every_step || r->starved || (r->t.count && r->t.data[r->t.count - 1] == now)) return;
    sample(r, now);
}

double record_wake(const struct record *r, double end) {
    if (r->every_step || r->nodes) return keel_time(source_solver(&r->source));
    return r->next < r->count ? r->times[r->next] : end;
}

static struct numbers *const *parts(struct record *r, struct numbers *list[9]) {
    struct numbers *all[] = {&r->t,       &r->y,     &r->ends,  &r->between, &r->event_t,
                             &r->event_y, &r->event, &r->value, NULL};
    memcpy(list, all, sizeof all);
    return list;
}

void record_clear(struct record *r) {
    struct numbers *list[9];
    for (struct numbers *const *p = parts(r, list); *p; p++) (*p)->count = 0;
    numbers_release(&r->value);
    r->next = 0;
    r->noted = 0;
    r->acted = r->starved = 0;
}

void record_release(struct record *r) {
    struct numbers *list[9];
    for (struct numbers *const *p = parts(r, list); *p; p++) numbers_release(*p);
}

static int give(PyObject *into, const char *name, struct numbers *a, int columns) {
    PyObject *object = numbers_give(a, (size_t)columns);
    int status = object ? PyDict_SetItemString(into, name, object) : -1;
    Py_XDECREF(object);
    return status;
}

static int give_names(struct record *r, PyObject *into) {
    PyObject *list = PyList_New(0);
    keel_event_record e;
    for (long i = 0; list && i < r->noted && keel_sim_event(r->source.sim, i, &e); i++) {
        PyObject *one = Py_BuildValue("(dsiii)", e.t, e.event, e.from, e.to, e.changed);
        if (!one || PyList_Append(list, one) < 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    int status = list ? PyDict_SetItemString(into, "happened", list) : -1;
    Py_XDECREF(list);
    return status;
}

int record_give(struct record *r, PyObject *into) {
    int columns = r->source.columns, bad = 0;
    bad |= give(into, "t", &r->t, 0);
    bad |= give(into, "y", &r->y, columns);
    if (r->nodes) bad |= give(into, "ends", &r->ends, 0) | give(into, "between", &r->between, columns);
    if (r->event_t.count && !bad)
        bad |= give(into, "event_t", &r->event_t, 0) | give(into, "event_y", &r->event_y, columns) |
               give(into, "event", &r->event, 0);
    if (r->noted && !bad) bad |= give_names(r, into);
    return bad ? -1 : 0;
}
