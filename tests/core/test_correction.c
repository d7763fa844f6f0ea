/* test_correction.c - projections spare what is small, and the record of them tells what does not hold.
 *
 * Light bodies err by no more than without a projection, in Hamiltonian and in Lagrangian form; brakes
 * between two looks, rows that hold at the start alone, and weights that destroy a light body are findings;
 * true models have none. */
#include "testing.h"

#include "model_run.h"

#include <float.h>

/* Three bodies, as a Hamiltonian; the third one is light. */
static const char bodies[] =
    "param m1 = 1, m2 = 1e-3, m3 = 1e-9, k = 1\n"
    "canonical q[1..3][1..3], p[1..3][1..3]\n"
    "hamiltonian dot(p[1], p[1])/(2*m1) + dot(p[2], p[2])/(2*m2) + dot(p[3], p[3])/(2*m3)\n"
    "    - k*m1*m2/norm(q[1] - q[2]) - k*m1*m3/norm(q[1] - q[3]) - k*m2*m3/norm(q[2] - q[3])\n"
    "invariant energy\n"
    "invariant L = sum(i in 1..3, q[i][1]*p[i][2] - q[i][2]*p[i][1])\n"
    "init q[1] = (0, 0, 0), q[2] = (1, 0, 0), q[3] = (2.2, 0, 0)\n"
    "init p[1] = (0, -1.1*m2, 0), p[2] = (0, 1.1*m2, 0), p[3] = m3*(0, 0.67, 0.05)\nrun 0 .. 20\n";

/* The same as a lagrangian: velocities have the masses in the gradient of the energy, not in themselves. */
static const char lagrangian[] =
    "param m1 = 1, m2 = 1e-3, m3 = 1e-9, k = 1\ncoord q[1..3][1..3]\n"
    "lagrangian m1*dot(q[1]', q[1]')/2 + m2*dot(q[2]', q[2]')/2 + m3*dot(q[3]', q[3]')/2\n"
    "    + k*m1*m2/norm(q[1] - q[2]) + k*m1*m3/norm(q[1] - q[3]) + k*m2*m3/norm(q[2] - q[3])\n"
    "invariant energy\n"
    "invariant L = m1*(q[1][1]*q[1][2]' - q[1][2]*q[1][1]') + m2*(q[2][1]*q[2][2]' - q[2][2]*q[2][1]')\n"
    "    + m3*(q[3][1]*q[3][2]' - q[3][2]*q[3][1]')\n"
    "init q[1] = (0, 0, 0), q[2] = (1, 0, 0), q[3] = (2.2, 0, 0)\n"
    "init q[1]' = (0, -1.1*m2/m1, 0), q[2]' = (0, 1.1, 0), q[3]' = (0, 0.67, 0.05)\nrun 0 .. 20\n";

static void end_of(keel_model *m, const keel_options *o, double t, int n, double *x, keel_correction *c) {
    keel_sim *s = keel_sim_open(m, o);
    run_to(s, t);
    memcpy(x, keel_state(keel_sim_solver(s)), (size_t)n * sizeof *x);
    if (c) *c = keel_correction_of(keel_sim_solver(s));
    keel_sim_close(s);
}

static double apart(const double *a, const double *b, int from, int to) {
    double sum = 0;
    for (int i = from; i < to; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static void set(keel_model *m, const char *name, double value) {
    char text[80];
    snprintf(text, sizeof text, "%s = %.17g", name, value);
    assert_int_equal(keel_model_set(m, text), KEEL_OK);
}

/* With masses of all ratios the light body is as right as so many tolerances, and so are the others. */
static void spares_light_bodies(const char *text, double tolerances) {
    static const double masses[][3] = {{1, 1e-3, 1e-9}, {1, 1e-6, 1e-12},   {1, 1e-2, 1e-5},
                                       {1, 1e-3, 1e-3}, {1e6, 1e-2, 1e-10}, {1e-20, 1e-24, 1e-28}};
    static const keel_options ways[] = {{.method = "dop853"},
                                        {.method = "taylor"},
                                        {.method = "rkf78", .rtol = 1e-8},
                                        {.method = "rk4", .step = 0.02}};
    keel_model *m = model_of(text);
    for (size_t k = 0; k < sizeof masses / sizeof *masses; k++) {
        double exact[18], x[18];
        const char *names[] = {"m1", "m2", "m3", "k"};
        for (int i = 0; i < 3; i++) set(m, names[i], masses[k][i]);
        set(m, names[3], 1 / masses[k][0]);
        end_of(m, &(keel_options){.method = "taylor+none", .rtol = 1e-14}, 20, 18, exact, NULL);
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            keel_correction c;
            double without[18];
            keel_options none = ways[w];
            none.method = pair_of(none.method, "none");
            end_of(m, &none, 20, 18, without, NULL);
            end_of(m, &ways[w], 20, 18, x, &c);
            for (int i = 1; i < 3; i++) {
                double error = apart(x, exact, 3 * i, 3 * i + 3),
                       free = apart(without, exact, 3 * i, 3 * i + 3);
                double most = 10 * free + tolerances * (ways[w].step > 0   ? 1e-9
                                                        : ways[w].rtol > 0 ? ways[w].rtol
                                                                           : 1e-6);
                if (!(error <= most))
                    fail_msg("%g, %g, %g with %s: body %d errs by %.2g, without projection by %.2g",
                             masses[k][0], masses[k][1], masses[k][2], ways[w].method, i, error, free);
            }
            if (c.finding > 0)
                fail_msg("%g, %g, %g with %s: %s moved by %g", masses[k][0], masses[k][1], masses[k][2],
                         ways[w].method, c.finding_state, c.finding);
            assert_true(c.state[0] && !c.no_masses);
        }
    }
    keel_model_close(m);
}

static void light_bodies_are_spared(void **state) {
    (void)state;
    spares_light_bodies(bodies, 1e3);
    spares_light_bodies(lagrangian, 30);
}

/* Weights that do not suit are told: all states alike, as papers have it. */
static void weights_that_destroy_a_body_are_a_finding(void **state) {
    (void)state;
    static const double light[] = {1e-9, 3e-10, 1e-10, 1e-11, 1e-12};
    keel_model *m = model_of(bodies);
    for (int k = 0; k < 5; k++)
        for (int way = 0; way < 3; way++) {
            double x[18];
            keel_correction c;
            keel_options o = {.method = way ? "rk4" : "taylor", .norm = KEEL_UNIT, .step = 0.01 * way};
            set(m, "m3", light[k]);
            end_of(m, &o, 20, 18, x, &c);
            if (!(c.finding > 1)) fail_msg("m3 = %g, %s: %g", light[k], o.method, c.largest);
            assert_int_equal(strncmp(c.finding_state, "p[3]", 4), 0);
        }
    keel_model_close(m);
}

/* A brake works for less than 16 steps, between two looks at dE/dt, and all of it is projected away. */
static void a_brake_between_looks_is_a_finding(void **state) {
    (void)state;
    static const double at[] = {7.03, 8.11, 12.4, 16.9, 21.3};
    static const keel_options ways[] = {
        {.method = "dop853", .max_step = 0.1},       {.method = "rk4", .step = 0.05},
        {.method = "gauss4+project", .step = 0.05},  {.method = "dopri5", .max_step = 0.05},
        {.method = "radau", .max_step = 0.05},       {.method = "rk4+scale", .step = 0.05},
        {.method = "dopri5+scale", .max_step = 0.05}};
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        int found = 0, seen = 0;
        for (int k = 0; k < 5; k++) {
            char text[600];
            double width = 4 * (ways[w].step > 0 ? ways[w].step : ways[w].max_step);
            snprintf(
                text, sizeof text,
                "var x, v\nx' = v\nv' = -sin(x) - 0.3*v*exp(-((t - %g)/%g)^4)\ninvariant E = v^2/2 - cos(x)\n"
                "init x = 1.2, v = %g\nrun 0 .. 30\n",
                at[k], width, 0.1 * k);
            keel_model *m = model_of(text);
            keel_sim *s = keel_sim_open(m, &ways[w]);
            keel_status status = keel_sim_run(s, 30);
            keel_correction c = keel_correction_of(keel_sim_solver(s));
            found += c.finding > 1 && fabs(c.finding_t - at[k]) < 3 * width;
            seen += status != KEEL_OK; /* a look happened to fall into it */
            if (status == KEEL_OK && !(c.finding > 1))
                fail_msg("%s, brake at %g: %g", ways[w].method, at[k], c.largest);
            keel_sim_close(s);
            keel_model_close(m);
        }
        assert_true(found + seen >= 5 && found > 0);
    }
}

/* What holds needs no excuse: any method, any step that resolves the motion. */
static void true_rows_have_no_findings(void **state) {
    (void)state;
    static const keel_options ways[] = {{.method = "dop853"},
                                        {.rtol = 1e-3},
                                        {.rtol = 1e-11},
                                        {.method = "bs32"},
                                        {.method = "radau"},
                                        {.method = "rk4", .step = 0.02},
                                        {.method = "rk4", .step = 0.002},
                                        {.method = "ab4", .step = 0.005},
                                        {.method = "dop853", .step = 0.05},
                                        {.method = "euler", .step = 0.001},
                                        {.method = "rk4+adjust", .step = 0.01}};
    problem p[5];
    problem_kepler(&p[0], 0.6, 1);
    problem_pendulum(&p[1], 1.0);
    problem_rigid_body(&p[2], 2, 1, 2.0 / 3);
    problem_lotka_volterra(&p[3]);
    problem_pendulum_ode(&p[4], 1.0);
    for (int k = 0; k < 5; k++)
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            keel_solver *s = keel_open(&p[k].keel, &ways[w]);
            assert_ok(s, keel_run(s, 15));
            keel_correction c = keel_correction_of(s);
            if (c.finding > 0)
                fail_msg("%s, %s: %s moved by %g too much at t = %g", p[k].keel.name, ways[w].method,
                         c.finding_state, c.finding, c.finding_t);
            assert_true(c.state[0] && c.largest > 0 && c.largest < 100);
            keel_close(s);
        }
}

/* At the ends of the minor axis a scaled orbit only touches its level, and factors move it by the root of
 * what it was off: that shows nothing of the rows. */
static void folds_of_scale_are_no_findings(void **state) {
    (void)state;
    static const keel_options ways[] = {
        {.method = "dopri5+scale", .rtol = 1e-7},  {.method = "dopri5+scale", .rtol = 1e-8},
        {.method = "dopri5+scale", .rtol = 3e-9},  {.method = "bs32+scale", .rtol = 1e-6},
        {.method = "dop853+scale", .rtol = 1e-11}, {.method = "rk4+scale", .step = 0.01}};
    for (int k = 0; k < 4; k++) {
        char text[400];
        double e = 0.3 + 0.15 * k, x[4];
        snprintf(text, sizeof text,
                 "canonical q[1..2], p[1..2]\nhamiltonian dot(p, p)/2 - 1/norm(q)\ninvariant energy\n"
                 "invariant L = q[1]*p[2] - q[2]*p[1]\ninit q = (%g, 0), p = (0, %.17g)\nrun 0 .. 120\n",
                 1 - e, sqrt((1 + e) / (1 - e)));
        keel_model *m = model_of(text);
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            keel_correction c;
            end_of(m, &ways[w], 120, 4, x, &c);
            if (c.finding > 0)
                fail_msg("e = %g, %s, rtol %g: %s moved by %g too much at t = %g", e, ways[w].method,
                         ways[w].rtol, c.finding_state, c.finding, c.finding_t);
        }
        keel_model_close(m);
    }
}

/* Any kinetic energy: masses that depend on q, powers of p, relativistic, magnetic, and indefinite ones. */
static void every_hamiltonian_has_weights(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int no_masses;
    } models[] = {
        {"canonical r, pr\ncanonical a, pa\nhamiltonian pr^2/2 + pa^2/(2*r^2) - 1/r\ninvariant energy\n"
         "init r = 1, pr = 0.1, a = 0, pa = 1.1\nrun 0 .. 20\n",
         0},
        {"canonical q[1..2], p[1..2]\nhamiltonian sqrt(dot(p, p) + 1) + sqrt(1e-12 + 0*q[1]) - 0.5/norm(q)\n"
         "invariant energy\ninvariant L = q[1]*p[2] - q[2]*p[1]\ninit q = (1, 0), p = (0, 0.6)\nrun 0 .. "
         "20\n",
         0},
        {"canonical q[1..2], p[1..2]\nhamiltonian ((p[1] + q[2])^2 + (p[2] - q[1])^2/0.04)/2 + dot(q, q)/2\n"
         "invariant energy\ninit q = (1, 0), p = (0.2, 1)\nrun 0 .. 5\n",
         0},
        {"canonical q[1..2], p[1..2]\nhamiltonian (p[1]^4 + p[2]^4)/4 + dot(q, q)/2\ninvariant energy\n"
         "init q = (1, 0.5), p = (0, 0.3)\nrun 0 .. 20\n",
         1},
        {"canonical q[1..2], p[1..2]\nhamiltonian p[1]*p[2] + q[1]*q[2]\ninvariant energy\n"
         "init q = (1, 0.5), p = (0.1, 0.3)\nrun 0 .. 20\n",
         1},
        {"canonical q[1..2], p[1..2]\nhamiltonian p[1]^2/2 + q[1]^2/2 + 0.3*p[2] + 0.1*cos(q[2])\ninvariant "
         "energy\n"
         "init q = (1, 0), p = (0.1, 0)\nrun 0 .. 20\n",
         1},
    };
    static const keel_options ways[] = {
        {.method = "dop853"}, {.method = "taylor"}, {.method = "rk4", .step = 0.01}};
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        keel_model *m = model_of(models[k].text);
        for (int w = 0; w < 3; w++) {
            double x[4], exact[4];
            keel_correction c;
            double end = strstr(models[k].text, "0 .. 5") ? 5 : 20;
            end_of(m, &(keel_options){.rtol = 1e-13, .method = "+none"}, end, 4, exact, NULL);
            end_of(m, &ways[w], end, 4, x, &c);
            if (!(apart(x, exact, 0, 4) < 1e-3))
                fail_msg("model %d errs by %g", (int)k, apart(x, exact, 0, 4));
            assert_int_equal(c.no_masses, models[k].no_masses);
            if (c.finding > 0)
                fail_msg("model %d, %s: %s, %g", (int)k, ways[w].method, c.finding_state, c.finding);
        }
        keel_model_close(m);
    }
}

/* Masses are found from whatever a problem in C brings: rates, gradients, or H alone. */
static void masses_are_found_from_what_there_is(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        problem p;
        problem_kepler_hamiltonian(&p, 0.3);
        if (k > 0) p.keel.f = (keel_map){0};
        if (k > 1) p.keel.energy.jacobian = NULL;
        keel_solver *s = keel_open(&p.keel, NULL);
        assert_ok(s, keel_run(s, 5));
        assert_int_equal(keel_correction_of(s).no_masses, 0);
        keel_close(s);
    }
}

/* A small state beside a large one is followed in its own size, and does no harm where it is noise. */
static void small_states_have_tolerances_of_their_own(void **state) {
    (void)state;
    static const double small[] = {1e-3, 1e-5, 1e-7, 1e-8};
    for (int k = 0; k < 4; k++)
        for (int way = 0; way < 3; way++) {
            char text[300];
            double x[2];
            snprintf(text, sizeof text,
                     "var a, b\na' = -a + 1\nb' = -b*(2 + sin(t))\ninit a = 0.5, b = %g\nrun 0 .. 4\n",
                     small[k]);
            keel_model *m = model_of(text);
            end_of(m,
                   &(keel_options){.method = way == 0   ? "dop853"
                                             : way == 1 ? "radau"
                                                        : "taylor"},
                   4, 2, x, NULL);
            double exact = small[k] * exp(-2 * 4 - (1 - cos(4)));
            if (!(fabs(x[1] - exact) < 3e-3 * exact))
                fail_msg("b = %g, way %d: %g", small[k], way, x[1] / exact - 1);
            keel_model_close(m);
        }
    static const double noise[] = {1e-9, 1e-12, 1e-15, 1e-18, 1e-300};
    for (int k = 0; k < 5; k++) {
        char text[400];
        long steps[2];
        for (int zero = 0; zero < 2; zero++) {
            snprintf(
                text, sizeof text,
                "var x, v, z\nx' = v\nv' = -x\nz' = (x^2 + v^2) - 1.0\nevent e: t - 3 rising -> z := %g\n"
                "init x = 1, v = 0, z = %g\nrun 0 .. 20\n",
                zero ? 0 : noise[k], zero ? 0 : noise[k]);
            keel_model *m = model_of(text);
            keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-9});
            run_to(s, 20);
            steps[zero] = keel_statistics(keel_sim_solver(s)).steps;
            keel_sim_close(s);
            keel_model_close(m);
        }
        assert_within((double)steps[0], 0.5 * (double)steps[1], 6 * (double)steps[1]);
    }
}

/* What was round-off beside 1e17 is none beside 1. */
static void units_are_those_of_the_moment(void **state) {
    (void)state;
    static const double rates[] = {37, 38, 39, 40, 42};
    static const keel_options ways[] = {{.method = "gauss4", .step = 0.001},
                                        {.method = "rk4+watch", .step = 0.001},
                                        {.method = "dop853+watch", .rtol = 1e-12, .max_step = 0.01}};
    for (int k = 0; k < 5; k++)
        for (int w = 0; w < 3; w++) {
            char text[200];
            keel_row row;
            snprintf(text, sizeof text,
                     "var x, y\nx' = %g*cos(t)*(x + y)/2\ny' = %g*cos(t)*(x + y)/2\n"
                     "invariant I = x - y\ninit x = 1, y = 0\nrun 0 .. 5\n",
                     rates[k], rates[k]);
            keel_model *m = model_of(text);
            keel_sim *s = keel_sim_open(m, &ways[w]);
            run_to(s, 5);
            assert_true(keel_row_at(keel_sim_solver(s), 0, &row));
            if (fabs(row.last) > 1e-3 && !(row.units > 1e9))
                fail_msg("rate %g, %s: off by %g, %g units", rates[k], ways[w].method, row.last, row.units);
            assert_true(row.units < 1e3 || fabs(row.last) > 1e-9);
            keel_sim_close(s);
            keel_model_close(m);
        }
}

/* Where f depends on t alone the estimate of rkf78 vanishes, whatever the step. */
static void estimates_that_vanish_are_not_believed(void **state) {
    (void)state;
    static const double rates[] = {3, 7.7, 20, 41, 100};
    for (int k = 0; k < 5; k++)
        for (int way = 0; way < 2; way++) {
            char text[200];
            double x[1], w = rates[k];
            snprintf(text, sizeof text, "var x\nx' = %.17g*cos(%.17g*t)\ninit x = 0.1\nrun 0 .. 50\n", w, w);
            keel_model *m = model_of(text);
            end_of(m, &(keel_options){.method = way ? "rkf78-7" : "rkf78"}, 50, 1, x, NULL);
            if (!(fabs(x[0] - 0.1 - sin(50 * w)) < 1e-3))
                fail_msg("rate %g: %g", w, x[0] - 0.1 - sin(50 * w));
            keel_model_close(m);
        }
}

/* A heavy and a light oscillator, each an array of its own, at rest: r'' = -r - q/10 whatever its mass is, so
 * that r = -t sin(t)/20 for q = cos(t), up to the mass ratio.  Projection must leave it alone. */
static void light_bodies_at_rest_are_spared(void **unused) {
    (void)unused;
    static const double masses[] = {1e-3, 1e-5, 1e-7, 1e-9, 1e-12};
    static const char *const methods[] = {"dop853", "dopri5", "taylor"};
    for (int k = 0; k < 5; k++)
        for (int by = 0; by < 3; by++) {
            char text[400];
            double m = masses[k], t = 20;
            snprintf(text, sizeof text,
                     "canonical q, p\ncanonical r, s\nhamiltonian p^2/2 + s^2/(2*%g) + q^2/2 + %g*r^2/2 + "
                     "%g*q*r/10\n"
                     "init q = 1, p = 0, r = 0, s = 0\ninvariant energy\nrun 0 .. 20\n",
                     m, m, m);
            keel_model *model = keel_model_read("rest.keel", text, strlen(text), NULL);
            keel_sim *s = keel_sim_open(model, &(keel_options){.method = methods[by], .rtol = 1e-6});
            double value[16];
            assert_int_equal(keel_sim_run(s, t), KEEL_OK);
            assert_int_equal(keel_sim_values(s, value), KEEL_OK);
            for (int i = 0; i < keel_sim_columns(s); i++)
                if (strcmp(keel_sim_column(s, i), "r") == 0 &&
                    !(fabs(value[i] + t * sin(t) / 20) <= 1e-4 + 10 * m))
                    fail_msg("%s, mass %g: %.9g, not %.9g", methods[by], m, value[i], -t * sin(t) / 20);
            keel_sim_close(s);
            keel_model_close(model);
        }
}

/* Estimates of the first steps, which are short, vanish in round-off: that is looked at with few evaluations
 * of f beside those of the stages and of the ends, and seven for the length of the first step. */
static void first_steps_are_looked_at_cheaply(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int stages;
    } by[] = {{"dop853", 12}, {"rkf78", 13}, {"dopri5", 7}};
    for (int k = 0; k < 6; k++)
        for (int m = 0; m < 3; m++)
            for (double rtol = 1e-4; rtol > 5e-8; rtol /= 10) {
                problem p;
                if (k < 3) problem_kepler(&p, 0.2 + 0.2 * k, 1);
                else problem_rigid_body(&p, 2, 1, k == 3 ? 2. / 3 : 0.4 + 0.1 * k);
                keel_solver *s = keel_open(&p.keel, &(keel_options){.method = by[m].name, .rtol = rtol});
                long before = keel_statistics(s).calls;
                assert_ok(s, keel_run(s, 10));
                const keel_stats all = keel_statistics(s);
                long steps = (by[m].stages - 1) * (all.steps + all.rejected) + all.steps;
                if ((double)(all.calls - before) > 1.03 * (double)steps + 7)
                    fail_msg("%s, %s, %g: %ld evaluations, %ld for the steps", p.keel.name, by[m].name, rtol,
                             all.calls - before, steps);
                keel_close(s);
            }
}

/* So are constrained mechanics and small tolerances, where estimates are round-off for many steps: looks do
 * not hold back what sees, and rows are looked at by the x' that is there. */
static void looks_cost_little(void **state) {
    (void)state;
    static void (*const open[])(problem *) = {problem_andrews, problem_four_bar, problem_car_axis,
                                              problem_five_link, problem_knife_edge};
    static const double end[] = {0.03, 3, 1, 3, 3};
    for (int k = 0; k < 5; k++)
        for (double rtol = 1e-5; rtol > 5e-12; rtol /= 10) {
            problem p;
            open[k](&p);
            keel_solver *s = keel_open(&p.keel, &(keel_options){.method = "dop853", .rtol = rtol});
            long before = keel_statistics(s).calls;
            assert_ok(s, keel_run(s, end[k]));
            const keel_stats all = keel_statistics(s);
            long steps = 11 * (all.steps + all.rejected) + all.steps;
            if ((double)(all.calls - before) > 1.03 * (double)steps + 14) /* one look */
                fail_msg("%s, %g: %ld evaluations, %ld for the steps", p.keel.name, rtol, all.calls - before,
                         steps);
            keel_close(s);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_cost_little),
        cmocka_unit_test(light_bodies_are_spared),
        cmocka_unit_test(weights_that_destroy_a_body_are_a_finding),
        cmocka_unit_test(a_brake_between_looks_is_a_finding),
        cmocka_unit_test(true_rows_have_no_findings),
        cmocka_unit_test(folds_of_scale_are_no_findings),
        cmocka_unit_test(every_hamiltonian_has_weights),
        cmocka_unit_test(masses_are_found_from_what_there_is),
        cmocka_unit_test(units_are_those_of_the_moment),
        cmocka_unit_test(estimates_that_vanish_are_not_believed),
        cmocka_unit_test(first_steps_are_looked_at_cheaply),
        cmocka_unit_test(small_states_have_tolerances_of_their_own),
        cmocka_unit_test(light_bodies_at_rest_are_spared),
    };
    return cmocka_run_group_tests_name("correction", tests, NULL, NULL);
}
