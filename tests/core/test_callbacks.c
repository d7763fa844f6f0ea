/* test_callbacks.c - callbacks that give no numbers, ask for shorter steps or give up: the run ends and names
 * the callback, or goes round the trouble. */
#include "testing.h"
#include "accused.h"
#include "ends.h"

/* ---- Callbacks in trouble. ---- */

/* A rotation: the plain way, on which the method calls f itself. */
CALLBACK(plain_f, F, u[1], -u[0])
CALLBACK(plain_radius, INVARIANT, u[0] * u[0] + u[1] * u[1])
CALLBACK(plain_event, EVENT, u[0] - 5)

static keel_problem plain(struct trouble *trouble) {
    static const double start[] = {1, 0};
    return (keel_problem){.form = KEEL_ODE,
                          .n = 2,
                          .u0 = start,
                          .f = MAP(2, plain_f),
                          .event = MAP(1, plain_event),
                          .invariant = MAP(1, plain_radius),
                          .user = trouble};
}

static const struct suspect {
    const char *name;
    keel_problem (*problem)(struct trouble *trouble);
    enum part part;
    const char *words; /* that name the callback */
} suspects[] = {
    {"bead f", bead, F, "f"},
    {"bead mass", bead, MASS, "mass"},
    {"bead constraint", bead, CONSTRAINT, "constraint"},
    {"bead constraint jacobian", bead, CONSTRAINT_JACOBIAN, "constraint|jacobian"},
    {"bead constraint rate", bead, CONSTRAINT_RATE, "constraint|time derivative"},
    {"bead constraint terms", bead, CONSTRAINT_TERMS, "constraint|terms"},
    {"bead rolling", bead, ROLLING, "rolling"},
    {"bead rolling jacobian", bead, ROLLING_JACOBIAN, "rolling|jacobian"},
    {"bead curvature", bead, CURVATURE, "curvature"},
    {"bead energy", bead, ENERGY, "energy"},
    {"bead energy jacobian", bead, ENERGY_JACOBIAN, "energy|jacobian"},
    {"bead invariant", bead, INVARIANT, "invariant"},
    {"bead invariant jacobian", bead, INVARIANT_JACOBIAN, "invariant|jacobian"},
    {"bead event", bead, EVENT, "event"},
    {"rod f", rod, F, "f"},
    {"rod f jacobian", rod, F_JACOBIAN, "f|jacobian"},
    {"rod mass", rod, MASS, "mass"},
    {"rod algebraic", rod, ALGEBRAIC, "algebraic"},
    {"rod algebraic jacobian", rod, ALGEBRAIC_JACOBIAN, "algebraic|jacobian"},
    {"rod hidden", rod, HIDDEN, "hidden"},
    {"rod hidden jacobian", rod, HIDDEN_JACOBIAN, "hidden|jacobian"},
    {"spring energy", spring, ENERGY, "energy"},
    {"spring energy jacobian", spring, ENERGY_JACOBIAN, "energy|jacobian"},
    {"spring structure", spring, STRUCTURE, "structure"},
    {"plain f", plain, F, "f"},
    {"plain invariant", plain, INVARIANT, "invariant"},
    {"plain event", plain, EVENT, "event"},
};
enum { SUSPECTS = sizeof suspects / sizeof *suspects };

/* One suspect in trouble, in adaptive and in fixed steps. */
static void accuse(const struct suspect *who, struct trouble trouble, const char *stabilizer,
                   const char *words) {
    for (int fixed = 0; fixed < 2; fixed++) {
        char name[128], all_words[128];
        keel_options o = {.method = pair_of(NULL, stabilizer), .step = fixed ? 0.01 : 0};
        trouble.in = who->part;
        keel_problem p = who->problem(&trouble);
        int shorter = fixed && trouble.from > 0 && trouble.code > 0 && who->part != EVENT;
        snprintf(all_words, sizeof all_words, "%s|t = |%s%s", who->words, words,
                 shorter ? "|the step is fixed" : "");
        snprintf(name, sizeof name, "%s %s from %g", who->name, fixed ? "fixed" : "adaptive", trouble.from);
        expect_end(name, &p, &o, 1, KEEL_EUSER, all_words);
    }
}

static void no_trouble_is_no_trouble(void **state) {
    (void)state;
    for (int i = 0; i < SUSPECTS; i++) {
        struct trouble none = {.from = INFINITY};
        keel_problem p = suspects[i].problem(&none);
        keel_solver *s = keel_open(&p, NULL);
        assert_ok(s, keel_run(s, 1));
        keel_close(s);
    }
}

static void values_that_are_not_finite_end_the_run_and_name_their_callback(void **state) {
    (void)state;
    for (int i = 0; i < SUSPECTS; i++) {
        accuse(&suspects[i], (struct trouble){.from = 0.3, .value = NAN}, "auto", "not finite");
        accuse(&suspects[i], (struct trouble){.from = 0.3, .value = INFINITY}, "auto", "not finite");
        if (suspects[i].part != EVENT) /* looked at in steps only */
            accuse(&suspects[i], (struct trouble){.from = -1, .value = NAN}, "auto", "not finite|t = 0");
    }
    no_failures();
}

static void values_that_are_not_finite_end_a_run_that_only_watches(void **state) {
    (void)state;
    for (int i = 0; i < SUSPECTS; i++) {
        if (suspects[i].part == CONSTRAINT_TERMS) continue;
        accuse(&suspects[i], (struct trouble){.from = 0.3, .value = NAN}, "watch", "not finite");
    }
    no_failures();
}

static void positive_returns_ask_for_shorter_steps_until_there_are_none(void **state) {
    (void)state;
    for (int i = 0; i < SUSPECTS; i++)
        accuse(&suspects[i], (struct trouble){.from = 0.3, .code = 5}, "auto", "asks for a shorter step");
    no_failures();
}

static void negative_returns_give_up(void **state) {
    (void)state;
    for (int i = 0; i < SUSPECTS; i++) {
        accuse(&suspects[i], (struct trouble){.from = 0.3, .code = -7}, "auto", "gave up|returned -7");
        if (suspects[i].part != EVENT)
            accuse(&suspects[i], (struct trouble){.from = -1, .code = -7}, "auto", "gave up|returned -7");
    }
    no_failures();
}

static int cube(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] * u[0];
    return 0;
}

static void a_state_or_rate_that_overflows_is_told_apart(void **state) {
    (void)state;
    static const double large[] = {1e100}, huge[] = {1e200};
    static const char *const names[] = {"x"};
    keel_problem p = {.n = 1, .u0 = large, .f = MAP(1, cube), .names = names, .t0 = 0.5};
    expect_end("state", &p, &(keel_options){.step = 1, .method = "euler"}, 10, KEEL_EUSER,
               "d/dt of `x` is not finite (inf) at t = 1.5");
    expect_end("stages", &p, &(keel_options){.step = 1, .method = "rk4"}, 10, KEEL_EUSER,
               "`x` became not finite in the step from t = 0.5|the step is fixed");
    p.u0 = huge;
    expect_end("start", &p, NULL, 1, KEEL_EUSER, "d/dt of `x` is not finite (inf) at t = 0.5");
    no_failures();
}

/* ---- Boundaries that shorter steps avoid. ---- */

/* x' = -x^(3/2), x = 4 / (t + 2)^2: not defined for x < 0, where a long first step leads. */
static int root_law(double t, const double *u, double *out, void *user) {
    (void)t;
    if (user && u[0] < 0) return 1;
    out[0] = -u[0] * sqrt(u[0]);
    return 0;
}

static void a_boundary_that_shorter_steps_avoid_is_survived(void **state) {
    (void)state;
    static const double start[] = {1};
    static const char *const methods[] = {"bs32", "dopri5", "dop853", "rkf78"};
    int marker, rejections = 0;
    for (int i = 0; i < 8; i++) {
        keel_problem p = {.n = 1, .u0 = start, .f = MAP(1, root_law), .user = i % 2 ? &marker : NULL};
        keel_options o = {.method = methods[i / 2], .first_step = 30, .rtol = 1e-8};
        keel_solver *s = keel_open(&p, &o);
        assert_ok(s, keel_run(s, 30));
        assert_below(fabs(keel_state(s)[0] - 4.0 / 1024), 1e-7);
        rejections += keel_statistics(s).rejected > 0;
        keel_close(s);
    }
    assert_int_equal(rejections, 8);
}

static int ring_with_wall(double t, const double *u, double *out, void *user) {
    circle(t, u, out, user);
    if (u[0] * u[0] + u[1] * u[1] > 2) out[0] = NAN;
    return 0;
}

static void a_constraint_that_is_not_finite_far_away_is_survived(void **state) {
    (void)state;
    keel_problem p = sound(KEEL_MECHANICS);
    p.constraint.value = ring_with_wall;
    keel_options o = {.first_step = 4};
    keel_solver *s = keel_open(&p, &o);
    assert_ok(s, keel_run(s, 3));
    assert_true(keel_statistics(s).rejected > 0);
    assert_below(worst_units(s, NULL), 16);
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(no_trouble_is_no_trouble, begin),
        cmocka_unit_test_setup(values_that_are_not_finite_end_the_run_and_name_their_callback, begin),
        cmocka_unit_test_setup(values_that_are_not_finite_end_a_run_that_only_watches, begin),
        cmocka_unit_test_setup(positive_returns_ask_for_shorter_steps_until_there_are_none, begin),
        cmocka_unit_test_setup(negative_returns_give_up, begin),
        cmocka_unit_test_setup(a_state_or_rate_that_overflows_is_told_apart, begin),
        cmocka_unit_test_setup(a_boundary_that_shorter_steps_avoid_is_survived, begin),
        cmocka_unit_test_setup(a_constraint_that_is_not_finite_far_away_is_survived, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
