/* test_sliding.c - switches on unknowns that are solved for, and what the columns show while a motion
 * slides along a surface: means of both sides, as its rate is. */
#include "testing.h"
#include "model_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    double step;
} methods[] = {{"dop853", 0}, {"radau", 0},   {"bdf", 0},          {"rk4", 1. / 256},
               {"auto", 0},   {"rodas5p", 0}, {"gauss8", 1. / 64}, {"taylor", 0}};

static keel_sim *open_by(const keel_model *m, int method) {
    return keel_sim_open(m, &(keel_options){.method = methods[method].name,
                                            .step = methods[method].step,
                                            .rtol = methods[method].step > 0 ? 0 : 1e-8});
}

/* y + y^3 = x, and the condition falls with x and t but rises with y, which wins: it changes once, where
 * y = 0.3.  The total of z is known. */
static void conditions_see_what_is_solved_for(void **state) {
    (void)state;
    static const double at = 0.3 + 0.027 + 1;
    static const struct {
        const char *rate;
        double before, after;
    } cases[] = {{"if(y - 0.2*x > 0.2346, 1, 0)", 0, 1},
                 {"if(0.2346 <= y - 0.2*(t - 1), -2, 1)", 1, -2},
                 {"sign(y - 0.1*x - 0.1*(t - 1) - 0.2346)", -1, 1},
                 {"floor(y - 0.2*x - 0.2346 + 5)", 4, 5},
                 {"mod(floor(y - 0.2*x - 0.2346), 2)", 1, 0},
                 {"if(t > 0.1 and y > 0.2346 + 0.2*x or t < -1, 3, 0)", 0, 3},
                 {"max(min(1000*sign(y - 0.2*x - 0.2346), 1), 0)", 0, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int i = 0; i < 8; i++)
            for (int back = 0; back < 2; back++) {
                char text[400];
                snprintf(text, sizeof text,
                         "var x, y, z\nx' = 1\ny + y^3 = x\nz' = %s\ninit x = %d, z = 0\nrun %d .. %d\n",
                         cases[k].rate, back ? 1 : -1, back ? 2 : 0, back ? 0 : 2);
                keel_model *m = model_of(text);
                keel_sim *s = open_by(m, i);
                run_to(s, back ? 0 : 2);
                double total = cases[k].before * at + cases[k].after * (2 - at);
                double off = fabs(value_of(s, "z") - (back ? -total : total));
                if (!(off < 1e-6)) fail_msg("%s by %s: off by %g", cases[k].rate, methods[i].name, off);
                keel_sim_close(s);
                keel_model_close(m);
            }
}

/* A pendulum from the horizontal has lambda = -14.715 y: conditions on both are conditions on y. */
static void conditions_see_multipliers(void **state) {
    (void)state;
    static const char *const conditions[][2] = {
        {"0.1*lambda.rod + y > 0.2", "-y > 0.2/0.4715"},
        {"y + lambda.rod/14.715*2 <= 0.7", "-y <= 0.7"},
        {"abs(lambda.rod/14.715 + y/2) > 0.2", "-y > 0.4"},
        {"lambda.rod > 10 or lambda.rod + 10*y < 1", "-y > 10/14.715 or -y < 1/4.715"},
        {"max(lambda.rod + 14*y, 0.5) > 0.6", "-y > 0.6/0.715"}};
    for (size_t k = 0; k < 5; k++) {
        double z[2];
        for (int way = 0; way < 2; way++) {
            char text[500];
            snprintf(text, sizeof text,
                     "coord x, y\nvar z\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
                     "z' = if(%s, 1, 0)\ninit y = 0, y' = 0, z = 0\nguess x = 1\nrun 0 .. 4\n",
                     conditions[k][way]);
            keel_model *m = model_of(text);
            keel_sim *s = open_by(m, 0);
            run_to(s, 4);
            z[way] = value_of(s, "z");
            keel_sim_close(s);
            keel_model_close(m);
        }
        assert_near(z[0], z[1], 1e-6);
    }
}

/* What each of these sticks with is known: `column` is `wanted` sin(t) from t = 1.5 on. */
static void columns_are_means_while_it_sticks(void **state) {
    (void)state;
    static const struct {
        const char *text, *column;
        double wanted;
    } cases[] = {
        {"var v\nv' = 0.5*sin(t) - sign(v)\noutput rub = sign(v)\ninit v = 0.3\n", "rub", 0.5},
        {"var v\nv' = 0.5*sin(t) - sign(v)\noutput a = v'\ninit v = 0.3\n", "a", 0},
        {"var v, f\nv' = f\nf = 0.5*sin(t) - sign(v)\ninit v = 0.3\n", "f", 0},
        {"var v, f\nv' = 0.5*sin(t) - f\nf + 0.1*f^3 = 1.1*if(v > 0, 1, -1)\ninit v = 0.3\n", "f", 0.5},
        {"coord x\nlagrangian x'^2/2\nforce x: 0.7*sin(t) - sign(x')\noutput rub = sign(x') + x''\n"
         "init x = 0, x' = 0.2\n",
         "rub", 0.7},
        {"canonical q, p\nhamiltonian p^2/2\nforce q: -0.4*sin(t) - if(p < 0, -1, 1)\n"
         "output rub = 2*if(p < 0, 0, 1) - 1\ninit q = 0, p = 0.2\n",
         "rub", -0.4},
        {"coord x, y\nlagrangian (x'^2 + y'^2)/2 - 10*y\nconstraint ground: y = 0\n"
         "force x: 3*sin(t) - 0.5*abs(lambda.ground)*sign(x')\n"
         "output rub = 0.5*abs(lambda.ground)*sign(x')\ninit x = 0, x' = 0.2\n",
         "rub", 3},
        {"var v\nv' = -2*sign(v - 1 + cos(t)/2)\noutput a = v'\ninit v = 0.2\n", "a", 0.5}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int i = 0; i < 4; i++) {
            char text[500];
            snprintf(text, sizeof text, "%srun 0 .. 6\n", cases[k].text);
            keel_model *m = model_of(text);
            keel_sim *s = open_by(m, i);
            for (double t = 1.5; t < 6; t += 0.7) {
                double value[20];
                while (keel_time(keel_sim_solver(s)) < t) assert_true(keel_sim_step(s, 6) >= 0);
                assert_int_equal(keel_sim_values_at(s, t, value), KEEL_OK); /* inside a step */
                double off = fabs(value[column_named(s, cases[k].column)] - cases[k].wanted * sin(t));
                if (!(off < 1e-6)) fail_msg("%s by %s at t = %g: off by %g", text, methods[i].name, t, off);
            }
            keel_sim_close(s);
            keel_model_close(m);
        }
}

/* An event on a force that only its mean shows: the pull is t/2, and friction takes it. */
static void events_see_the_mean(void **state) {
    (void)state;
    static const char *const texts[] = {
        "var v, f\nv' = t/2 - f\nf = sign(v)\nevent full: f - 0.75 rising -> stop\ninit v = 0.1\n",
        "var v\nv' = t/2 - sign(v)\nevent full: t/2 - v' - 0.75 rising -> stop\ninit v = 0.1\n"};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 4; i++) {
            char text[300];
            snprintf(text, sizeof text, "%srun 0 .. 1.9\n", texts[k]);
            keel_model *m = model_of(text);
            keel_sim *s = open_by(m, i);
            assert_int_equal(keel_sim_run(s, 1.9), KEEL_EVENT);
            assert_near(keel_time(keel_sim_solver(s)), 1.5, 1e-7);
            keel_sim_close(s);
            keel_model_close(m);
        }
}

/* The same motion in seconds, years, nanoseconds: it begins on the surface and slides from there, and again
 * later. */
static void sliding_knows_no_unit_of_time(void **state) {
    (void)state;
    static const double units[] = {1, 1e-12, 1e-9, 3e7, 1e9, 1e15};
    for (int i = 0; i < 3; i++)
        for (int start = 0; start < 2; start++)
            for (int k = 0; k < 6; k++) {
                char text[500];
                double S = units[k];
                snprintf(text, sizeof text,
                         "param S = %g\nvar x, w\nlet s = x - 0.2*sin(1.24*t/S)\n"
                         "x' = (-0.46*x + 0.3*sin(2.3*t/S) - 1.2*sign(s))/S\nw' = x/S\n"
                         "init x = %d, w = 0\nrun 0 .. 10*S\n",
                         S, start);
                keel_model *m = model_of(text);
                keel_sim *sim = open_by(m, i);
                run_to(sim, 10 * S);
                assert_near(value_of(sim, "x"), 0.2 * sin(12.4), 1e-6);
                assert_true(keel_statistics(keel_sim_solver(sim)).steps < (i == 2 ? 1500 : 300));
                keel_sim_close(sim);
                keel_model_close(m);
            }
}

/* The same stick and slip in light years and in nanometres: the pull wins where sin t = 2/3. */
static void a_slide_is_left_in_any_unit(void **state) {
    (void)state;
    static const double units[] = {1, 1e-12, 1e-9, 1e9, 1e15};
    double from = asin(2. / 3);
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < 8; i++) {
            char text[300];
            if (i == 5 || i == 7) continue; /* rodas5p, taylor */
            snprintf(text, sizeof text,
                     "param Z = %g\nvar v, x\nv' = 1.5*Z*sin(t) - Z*sign(v - Z*0.1)\nx' = v\n"
                     "init v = Z*0.1, x = 0\nrun 0 .. 2\n",
                     units[k]);
            keel_model *m = model_of(text);
            keel_sim *s = open_by(m, i);
            run_to(s, 2);
            double wanted = 0.1 + 1.5 * (cos(from) - cos(2)) - (2 - from);
            if (!(fabs(value_of(s, "v") / units[k] - wanted) < 1e-5))
                fail_msg("%g by %s: %.10g, not %.10g", units[k], methods[i].name, value_of(s, "v") / units[k],
                         wanted);
            keel_sim_close(s);
            keel_model_close(m);
        }
}

/* What is slid along is zero, and no tolerance of it is below what is known of its rate: velocities of 1e6
 * beside places of 1e-3. */
static void zero_is_held_in_any_unit(void **state) {
    (void)state;
    static const double units[][2] = {{1, 1}, {1e-3, 1e-9}, {1, 1e-6}, {1e-6, 1e3}, {1, 1e6}};
    for (int k = 0; k < 5; k++) {
        char text[600];
        double Z = units[k][0], S = units[k][1];
        snprintf(text, sizeof text,
                 "param Z = %g, S = %g\ncanonical q[1..2], p[1..2]\nhamiltonian dot(p, p)/2\n"
                 "force q[1]: (-0.308*q[1] - 0.381*q[2] + 0.203*Z*sin(0.606*t/S) - 1.135*Z*sign(p[1]))/S^2\n"
                 "force q[2]: (-0.149*q[1] - 0.207*q[2] - 0.137*S*p[2] + 1.38*Z*sin(2.729*t/S))/S^2\n"
                 "init q = (0.631*Z, -0.437*Z), p = (-0.186*Z/S, -0.868*Z/S)\nrun 0 .. 10*S\n",
                 Z, S);
        keel_model *m = model_of(text);
        keel_sim *s = keel_sim_open(m, &(keel_options){.method = "dop853", .rtol = 1e-11});
        run_to(s, 10 * S);
        assert_near(value_of(s, "p[1]") / (Z / S), 0, 1e-12);
        assert_true(keel_statistics(keel_sim_solver(s)).steps < 400);
        keel_sim_close(s);
        keel_model_close(m);
    }
}

/* A motion leaves a surface where it is a tangent of it: on which side it is just behind that place is known
 * by the share of the sides, not by values that are round-off.  y, which the surface is of, is solved for. */
static void a_slide_is_left_once(void **state) {
    (void)state;
    static const char *const surfaces[] = {"y + 0.5*(x - 0.8*z - 0.37*sin(1.4*t))", "y",
                                           "y^3 + x - 0.8*z - 0.37*sin(1.4*t)"};
    static const char *const by[] = {"radau", "dop853", "bs32", "bdf"};
    for (int k = 0; k < 3; k++) {
        char text[500];
        double best = 0;
        snprintf(text, sizeof text,
                 "var x, z, y\ny + 0.3*y^3 = x - 0.8*z - 0.37*sin(1.4*t)\n"
                 "x' = -0.117*x - 0.458*z + 0.328*sin(2.949*t) - 1.65*if(%s > 0, 1, -1)\n"
                 "z' = 0.483*x - 0.263*z + 0.537*sin(1.145*t)\ninit x = 0.263, z = 0.847\nrun 0 .. 10\n",
                 surfaces[k]);
        keel_model *m = model_of(text);
        for (int i = -1; i < 16; i++) {
            double rtol = i < 0 ? 1e-11 : pow(10, -3 - i / 4);
            keel_sim *s = keel_sim_open(m, &(keel_options){.method = by[(i + 1) % 4], .rtol = rtol});
            run_to(s, 10);
            if (i < 0) best = value_of(s, "x");
            assert_near(value_of(s, "x"), best, 1000 * rtol);
            keel_surface one;
            assert_true(keel_surface_at(keel_sim_solver(s), 0, &one));
            assert_int_equal(one.slides, 2);
            keel_sim_close(s);
        }
        keel_model_close(m);
    }
}

/* Without a method: stiff beside what slides, before and after it begins to. */
static void the_default_slides_where_it_is_stiff(void **state) {
    (void)state;
    static const double rates[] = {1e3, 1e5, 1e7};
    for (int k = 0; k < 3; k++)
        for (int size = 1; size < 31; size += 24)
            for (int start = 0; start < 2; start++) {
                char text[400];
                double k2 = rates[k] * rates[k];
                snprintf(text, sizeof text,
                         "param k = %g, N = %d\nvar x[1..N], v\nfor i in 1..N: x[i]' = -k*(x[i] - cos(t))\n"
                         "v' = 0.5*x[1] - sign(v)\noutput a = v'\ninit x = 0, v = %d\nrun 0 .. 20\n",
                         rates[k], size, start);
                keel_model *m = model_of(text);
                keel_sim *s = keel_sim_open(m, &(keel_options){.method = "auto", .rtol = 1e-6});
                run_to(s, 20);
                assert_near(value_of(s, "x[1]"), (k2 * cos(20) + rates[k] * sin(20)) / (k2 + 1), 1e-4);
                assert_near(value_of(s, "v"), 0, 1e-10);
                assert_near(value_of(s, "a"), 0, 1e-10);
                assert_true(keel_statistics(keel_sim_solver(s)).steps < 1000);
                keel_sim_close(s);
                keel_model_close(m);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_see_what_is_solved_for),
        cmocka_unit_test(conditions_see_multipliers),
        cmocka_unit_test(columns_are_means_while_it_sticks),
        cmocka_unit_test(events_see_the_mean),
        cmocka_unit_test(sliding_knows_no_unit_of_time),
        cmocka_unit_test(a_slide_is_left_in_any_unit),
        cmocka_unit_test(zero_is_held_in_any_unit),
        cmocka_unit_test(a_slide_is_left_once),
        cmocka_unit_test(the_default_slides_where_it_is_stiff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
