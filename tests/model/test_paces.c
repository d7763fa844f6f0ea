/* test_paces.c - a run in calls of any length: one step, a few, up to some time, the whole way.  Where the
 * calls end is the user's choice, and that of the command even a matter of the clock on the wall: steps,
 * events, the end, and what an observer is shown of events and output times have the same bits. */
#include "contacts.h"

enum { OUTPUTS = 97, RUN = 0, PACES = 6 };

/* What an observer keeps: values at output times, at each event, and behind events that change something. */
struct notes {
    uint64_t digest;
    double apart, event_t; /* between output times; of the last event */
    long next, events;
    int changed; /* it has changed something, and is to be told once more */
};

static void add(struct notes *n, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) /* FNV-1a */
        n->digest = (n->digest ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
}

static void add_row(struct notes *n, keel_sim *s, double t, const char *name) {
    double value[200] = {0};
    assert_true(keel_sim_columns(s) <= 200);
    int status = keel_sim_sample(s, t, value, NULL), mode = keel_sim_mode(s);
    add(n, &t, sizeof t);
    add(n, &status, sizeof status);
    add(n, &mode, sizeof mode);
    add(n, name, strlen(name));
    add(n, value, (size_t)keel_sim_columns(s) * sizeof *value);
}

static void take_notes(keel_solver *solver, void *sim) {
    struct notes *n = keel_sim_attached(sim);
    keel_event_record one;
    double now = keel_time(solver);
    for (; (double)n->next * n->apart <= now; n->next++) add_row(n, sim, (double)n->next * n->apart, "");
    int event = keel_sim_event(sim, n->events, &one);
    if (!event && n->changed) {
        if (now != n->event_t) fail_msg("the event at %.17g has changed something at %.17g", n->event_t, now);
        add_row(n, sim, now, "behind");
    }
    n->changed = event && one.changed;
    if (!event) return;
    if (now != one.t) fail_msg("`%s` at %.17g is seen at %.17g", one.event, one.t, now);
    n->event_t = one.t;
    n->events++;
    add_row(n, sim, now, one.event);
}

struct end {
    uint64_t digest;
    keel_status status;
    long events, steps, rejected;
    double value[200];
};

/* Paces: the whole way; single steps; to the next output time; at most seven steps; to places drawn anew for
 * each call; these with at most three steps. */
static struct end go(const keel_model *m, keel_options o, int pace) {
    struct notes n = {.digest = UINT64_C(14695981039346656037), .next = 1};
    struct end e = {.status = KEEL_OK};
    double begin, end;
    keel_model_span(m, &begin, &end);
    assert_true(begin == 0 && end > 0);
    n.apart = end / OUTPUTS;
    o.observe = take_notes;
    o.pause_steps = pace == 3 ? 7 : pace == 5 ? 3 : 0;
    keel_sim *s = keel_sim_open(m, &o);
    assert_non_null(s);
    keel_sim_attach(s, &n);
    contacts_random_state = (uint64_t)pace;
    keel_solver *solver = keel_sim_solver(s);
    while ((e.status == KEEL_OK || e.status == KEEL_EVENT) && keel_time(solver) < end) {
        double now = keel_time(solver), ahead = contacts_random(0, 1), wake = (double)n.next * n.apart;
        if (pace == 1) wake = now;
        if (pace >= 4) wake = fmin(wake, now + 2 * n.apart * ahead * ahead);
        e.status = pace == RUN ? keel_sim_run(s, end) : keel_sim_advance(s, wake, end);
    }
    e.digest = n.digest;
    e.events = event_records(s);
    e.steps = keel_statistics(solver).steps;
    e.rejected = keel_statistics(solver).rejected;
    if (e.status >= 0) assert_int_equal(keel_sim_values(s, e.value), KEEL_OK);
    if (n.events != e.events) fail_msg("%ld of %ld events were seen", n.events, e.events);
    if (e.status >= 0 && n.changed) fail_msg("the last event is not told once more");
    keel_sim_close(s);
    return e;
}

/* How many events there are. */
static long check_paces(const keel_model *m, const keel_options *o, const char *name) {
    struct end whole = go(m, *o, RUN);
    for (int pace = 1; pace < PACES; pace++) {
        struct end e = go(m, *o, pace);
        if (e.status != whole.status || e.steps != whole.steps || e.rejected != whole.rejected ||
            e.events != whole.events || memcmp(e.value, whole.value, sizeof e.value) != 0)
            fail_msg("%s, pace %d: another motion, %ld steps, not %ld", name, pace, e.steps, whole.steps);
        if (e.digest != whole.digest) fail_msg("%s, pace %d: other rows", name, pace);
    }
    return whole.events;
}

/* Contacts, modes, groups of modes, switching surfaces, samples, tables; by steps of both kinds. */
static void examples_do_not_depend_on_the_pace(void **unused) {
    (void)unused;
    static const char *const name[] = {
        "contacts/ball",       "contacts/carts", "contacts/disk", "contacts/incline",
        "contacts/rocking",    "bounce",         "slack_rod",     "stick_slip",
        "friction2",           "plastic",        "plastic2",      "sampled",
        "controller",          "groups/sliders", "rectifier",     "circuits/full_wave",
        "circuits/oscillator", "tables/road"};
    long events = 0;
    for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
        double begin, end;
        char path[600];
        example_path(name[k], path, sizeof path);
        keel_model *m = keel_model_load(path, &(keel_model_options){.interpret = 1});
        assert_int_equal(keel_model_status(m), KEEL_OK);
        keel_model_span(m, &begin, &end);
        events += check_paces(m, &(keel_options){0}, name[k]);
        events += check_paces(m, &(keel_options){.method = "rk4", .step = end / 1000}, name[k]);
        keel_model_close(m);
    }
    assert_true(events > 1000);
}

static void random_scenes_do_not_depend_on_the_pace(void **unused) {
    (void)unused;
    keel_model *m = contacts_model();
    long events = 0;
    for (unsigned seed = 0; seed < 6; seed++) {
        char name[40];
        struct contacts_scene scene = contacts_draw(seed);
        contacts_set(m, &scene);
        snprintf(name, sizeof name, "scene %u", seed);
        events += check_paces(m, &(keel_options){0}, name);
    }
    assert_true(events > 100);
    keel_model_close(m);
}

/* An orbit that is kicked where it is farthest, and looked at elsewhere, by steps of another variable. */
static void a_clock_does_not_depend_on_the_pace(void **unused) {
    (void)unused;
    keel_model *m = model_of("coord x, y\nlet r = hypot(x, y)\nlagrangian (x'^2 + y'^2)/2 + 1/r\n"
                             "init x = 0.1, y = 0, x' = 0, y' = sqrt(19)\nevent above: y rising -> record\n"
                             "event far: x*x' + y*y' falling -> x' := 0.99*x', y' := 0.99*y'\n"
                             "options clock = r^1.5, method = dop853\nrun 0 .. 20\n");
    assert_true(check_paces(m, &(keel_options){0}, "orbit") > 4);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(examples_do_not_depend_on_the_pace),
                                       cmocka_unit_test(random_scenes_do_not_depend_on_the_pace),
                                       cmocka_unit_test(a_clock_does_not_depend_on_the_pace)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
