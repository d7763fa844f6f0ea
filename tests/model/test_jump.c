/* test_jump.c - the state of a differential-algebraic mode just after it is entered: capacitors, coils,
 * clutches, masses and tanks that are joined, and random linear equations, against closed forms. */
#include "cases.h"
#include "jumps.h"
#include "testing.h"

#include "model_run.h"

#ifndef CASES
#define CASES 400
#endif

static const char *const methods[] = {"dop853", "taylor", "radau", "rk4", "dopri5", "gauss8"};

static keel_options options_of(long k) {
    keel_options o = {.method = methods[k % 6]};
    if (k % 6 == 3) o.step = 1. / 64;
    else if (k % 6 == 5) o.step = 1. / 16;
    else o.rtol = 1e-11;
    return o;
}

static keel_model *read_text(const char *text) {
    keel_model *m = keel_model_read("jump.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s\n%s", keel_model_message(m), text);
    return m;
}

/* The k-th random change; 0: it was refused. */
static int change_is_right(long k) {
    static struct jumps j;
    jumps_make(&j, (uint64_t)k + 1);
    keel_options o = options_of(k);
    keel_model *m = read_text(j.s.text);
    keel_sim *s = keel_sim_open(m, &o);
    int first = keel_sim_mode(s);
    keel_status status = KEEL_OK;
    while (keel_sim_mode(s) == first && status == KEEL_OK) status = keel_sim_step(s, 2);
    if (status != KEEL_OK) print_message("%ld by %s: %s\n%s", k, o.method, keel_sim_message(s), j.s.text);
    for (int order = 0; order < j.order && status == KEEL_OK; order++)
        for (int i = 0; i < j.n; i++) {
            char name[20];
            snprintf(name, sizeof name, "x%d%s", i + 1, order ? "'" : "");
            double found = value_of(s, name), wanted = j.after[order][i],
                   bound = 1e-12 * j.unit[i] * (j.size[0] + j.size[1]);
            if (!(fabs(found - wanted) <= bound))
                fail_msg("%ld by %s: %s = %.17g, right is %.17g\n%s", k, o.method, name, found, wanted,
                         j.s.text);
        }
    keel_jump jump;
    if (j.kept && keel_sim_jump(s, 0, &jump))
        fail_msg("%ld: %s jumps from %.17g to %.17g\n%s", k, jump.row, jump.before, jump.after, j.s.text);
    keel_sim_close(s);
    keel_model_close(m);
    return status == KEEL_OK;
}

static void random_changes_are_right(void **unused) {
    (void)unused;
    struct cases c = cases_of(CASES, "KEEL_JUMP_CASES");
    long refused = 0;
    for (long k = c.first; k < c.end; k += c.stride) refused += !change_is_right(k);
    if (refused * 100 >= c.count) fail_msg("%ld of %ld refused", refused, c.count);
}

#ifndef ONLY_RANDOM
/* All states of an invariant are 0, and corrections of others move them by a round-off of nothing. */
static void invariants_of_zeros_are_met(void **unused) {
    (void)unused;
    static const long number[] = {4687, 6097, 9836, 12098, 14527, 14602, 16852, 22041, 23343, 70644};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) assert_true(change_is_right(number[i]));
}

/* The run stands in its second mode, just after the change. */
static keel_sim *changed(const keel_model *m, const keel_options *o, double t_end) {
    keel_sim *s = keel_sim_open(m, o);
    int first = keel_sim_mode(s);
    while (keel_sim_mode(s) == first) {
        keel_status status = keel_sim_step(s, t_end);
        if (status != KEEL_OK || keel_time(keel_sim_solver(s)) >= t_end)
            fail_msg("%s\n%s", keel_sim_message(s), keel_model_text(m));
    }
    return s;
}

#include "jumps_known.h"
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_changes_are_right),
#ifndef ONLY_RANDOM
        cmocka_unit_test(invariants_of_zeros_are_met),
        cmocka_unit_test(capacitors_share_their_charge),
        cmocka_unit_test(coils_share_their_flux),
        cmocka_unit_test(clutches_keep_the_momentum),
        cmocka_unit_test(masses_that_stick_keep_the_momentum),
        cmocka_unit_test(tanks_keep_the_volume),
        cmocka_unit_test(a_catch_by_equations_is_that_of_mechanics),
        cmocka_unit_test(assigned_values_stay),
        cmocka_unit_test(nonlinear_jumps_are_refused),
        cmocka_unit_test(stored_quantities_make_jumps_linear),
        cmocka_unit_test(jumps_are_listed_and_saved),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
