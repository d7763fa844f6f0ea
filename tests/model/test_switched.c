/* test_switched.c - random problems that switch, against their closed forms (switched.h): none is wrong
 * without a word. */
#include "cases.h"
#include "floors.h"
#include "testing.h"

#include "model_run.h"

#ifndef CASES
#define CASES 2000
#endif

static const struct {
    const char *name;
    double step, error; /* of fixed steps: the error a smooth piece of such a problem may have */
} methods[] = {{"dop853", 0, 0},       {"taylor", 0, 0},           {"radau", 0, 0},        {"dopri5", 0, 0},
               {"rk4", 1. / 64, 1e-7}, {"gauss8", 1. / 16, 1e-10}, {"ab4", 1. / 64, 1e-5}, {"bs32", 0, 0}};

static void no_random_switch_is_wrong_without_a_word(void **state) {
    (void)state;
    struct cases c = cases_of(CASES, "KEEL_SWITCHED_CASES");
    long refused = 0, taylor_slides = 0;
    for (long k = c.first; k < c.end; k += c.stride) {
        static struct switched s;
        switched_make(&s, (uint64_t)k + 1);
        int with = switched_below(&s, 8);
        double rtol = pow(10, -4 - switched_below(&s, 7));
        keel_options o = {.method = methods[with].name, .step = methods[with].step};
        if (o.step == 0) o.rtol = rtol, o.atol = 1e-3 * rtol * s.unit;
        keel_model *m =
            keel_model_read("switched.keel", s.text, strlen(s.text), &(keel_model_options){.interpret = 1});
        if (keel_model_status(m) != KEEL_OK) fail_msg("%s\n%s", keel_model_message(m), s.text);
        keel_sim *sim = keel_sim_open(m, &o);
        keel_status status = keel_sim_run(sim, s.to);
        if (status != KEEL_OK) {
            int excused = with == 1 && s.slides; /* taylor says that it cannot slide */
            taylor_slides += excused;
            refused += !excused;
            if (!excused)
                print_message("%ld %s %s rtol %g: %s\n%s", k, s.kind, o.method, o.rtol, keel_sim_message(sim),
                              s.text);
        } else {
            double allowed = 200 * (o.step > 0 ? methods[with].error : rtol) * (1 + s.size) + 1e-12;
            double found = value_of(sim, "x") / s.unit - s.zero, error = fabs(found - s.exact);
            if (!(error <= allowed))
                fail_msg("%ld %s by %s, rtol %g: %.17g, right is %.17g (off by %.2g)\n%s", k, s.kind,
                         o.method, o.rtol, found, s.exact, error, s.text);
        }
        keel_sim_close(sim);
        keel_model_close(m);
    }
    if (refused * 100 >= c.count) fail_msg("%ld of %ld refused", refused, c.count);
}

/* Of a ball on a moving floor: place, velocity and the number of hits. */
static void no_bounce_on_a_moving_floor_is_wrong(void **state) {
    (void)state;
    struct cases c = cases_of(CASES, "KEEL_SWITCHED_CASES");
    long refused = 0;
    for (long k = c.first; k < c.end / 5; k += c.stride) {
        static struct floors f;
        floors_make(&f, (uint64_t)k + 1);
        int with = switched_below(&f.s, 7);
        if (with == 6) with = 7; /* ab4 ends on its grid alone, which begins at the last hit */
        double rtol = pow(10, -5 - switched_below(&f.s, 7));
        keel_options o = {.method = methods[with].name, .step = methods[with].step};
        if (o.step == 0) o.rtol = rtol;
        keel_model *m =
            keel_model_read("floor.keel", f.s.text, strlen(f.s.text), &(keel_model_options){.interpret = 1});
        if (keel_model_status(m) != KEEL_OK) fail_msg("%s\n%s", keel_model_message(m), f.s.text);
        keel_sim *sim = keel_sim_open(m, &o);
        keel_status status = keel_sim_run(sim, f.to);
        if (status != KEEL_OK) {
            refused++;
            print_message("%ld by %s: %s\n%s", k, o.method, keel_sim_message(sim), f.s.text);
        } else {
            double allowed = 200 * (o.step > 0 ? methods[with].error : rtol) * f.grows + 1e-11 * f.grows;
            double error = fmax(fabs(value_of(sim, "y") - f.exact_y), fabs(value_of(sim, "y'") - f.exact_v));
            if (event_records(sim) != f.hits || !(error <= allowed))
                fail_msg("%ld by %s, rtol %g: off by %.2g (%.2g allowed), %ld hits of %d\n%s", k, o.method,
                         rtol, error, allowed, event_records(sim), f.hits, f.s.text);
        }
        keel_sim_close(sim);
        keel_model_close(m);
    }
    if (refused * 500 >= c.count) fail_msg("%ld of %ld refused", refused, c.count / 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_random_switch_is_wrong_without_a_word),
                                       cmocka_unit_test(no_bounce_on_a_moving_floor_is_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
