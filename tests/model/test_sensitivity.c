/* test_sensitivity.c - sensitivities against differences of runs: equations of every kind, constraints,
 * events and modes; linearised rows held to round-off; closed forms; refusals. */
#include "testing.h"

#include "model_run.h"

static keel_model *read_with(const char *text, const char *sensitivity, const char *set) {
    keel_model_options o = {.interpret = 1, .sensitivity = sensitivity, .set = &set, .sets = set != NULL};
    keel_model *m = keel_model_read("test.keel", text, strlen(text), &o);
    assert_non_null(m);
    return m;
}

static keel_model *read_well(const char *text, const char *sensitivity, const char *set) {
    keel_model *m = read_with(text, sensitivity, set);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s\n%s", keel_model_message(m), text);
    return m;
}

static keel_sim *end_of(keel_model *m) {
    double from, to;
    keel_model_span(m, &from, &to);
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-11});
    run_to(s, to);
    return s;
}

static const struct sample {
    const char *text, *by;
    double value; /* of the parameter, or of the start value */
} samples[] = {
    {"param k = 0.7, c = 2*k\nvar x, y\nx' = -k*x\ny' = x - c*y*y\ninit x = 1/k, y = 0\nrun 0 .. 2\n", "k",
     0.7},
    {"param k = 0.7\nvar x, y\nx' = -k*x + y^2\ny' = x - y\ninit x = 2, y = 0.3\nrun 0 .. 2\n", "y", 0.3},
    {"param k = 2\nvar x, v\nx' = v\nv' = -k*sin(x)\ninit x = 1, v = 0.5\nrun 0 .. 2\n", "v", 0.5},
    {"param e = 0.3\ncanonical q[1..2], p[1..2]\nhamiltonian dot(p, p)/2 - 1/sqrt(dot(q, q))\n"
     "invariant energy\ninvariant spin = q[1]*p[2] - q[2]*p[1]\ninit q = (1 - e, 0), p = (0, sqrt((1 + e)/(1 "
     "- e)))\n"
     "run 0 .. 4\n",
     "e", 0.3},
    {"param l = 1, g = 9.81\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - g*y\nconstraint rod: x^2 + y^2 = l^2\n"
     "invariant energy\ninit y = -l/2, y' = 0\nguess x = l\noutput pull = 2*lambda.rod*l\nrun 0 .. 3\n",
     "l", 1},
    {"param l = 1, g = 9.81\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - g*y\nconstraint rod: x^2 + y^2 = l^2\n"
     "invariant energy\ninit y = -0.5, y' = 0.2\nguess x = l\noutput pull = 2*lambda.rod*l\nrun 0 .. 3\n",
     "y'", 0.2},
    {"param k = 0.7\nvar x, y, z, w\nx' = -k*y - w\ny + y^3 + z = k*x\nz + z^3/3 - y/2 = 1\nw + w^5 = k*x\n"
     "init x = 1\nrun 0 .. 1\n",
     "k", 0.7},
    {"param l = 1\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint a: x^2 + y^2 = l^2\n"
     "constraint b: 2*x^2 + 2*y^2 = 2*l^2\ninit y = -0.5, y' = 0\nguess x = l\nrun 0 .. 1\n",
     "l", 1},
    /* momenta that an event turns round; one momentum that is the velocity, beside a constraint */
    {"param l = 1\ncanonical x, p\ncanonical y, q\nhamiltonian (p^2 + q^2)/4 + 9.81*y\nconstraint rod: x^2 + "
     "y^2 = l^2\n"
     "invariant energy\ninit y = -l/2, q = 0.2\nguess x = l\nevent turn: x - 0.9*l falling -> p := -p, q := "
     "-q\n"
     "output rate = x*y'\nrun 0 .. 1.5\n",
     "l", 1},
    {"param l = 1\ncanonical x, p\ncanonical y, q\ncanonical s, r\nhamiltonian (p^2 + q^2)/4 + r^2/2 + "
     "9.81*y + s^2/2\n"
     "constraint rod: x^2 + y^2 = (l + s/5)^2\ninvariant energy\ninit y = -l/2, q = 0.2, s = 0, r = 0.4\n"
     "guess x = l\noutput pull = lambda.rod*l\nrun 0 .. 1.5\n",
     "l", 1},
    /* a constraint of a hamiltonian that follows from another */
    {"param l = 1\ncanonical x, p\ncanonical y, q\nhamiltonian (p^2 + q^2)/2 + 9.81*y\n"
     "constraint a: x^2 + y^2 = l^2\nconstraint b: 3*x^2 + 3*y^2 = 3*l^2\ninvariant energy\n"
     "init y = -l/2, q = 0.2\nguess x = l\nrun 0 .. 1\n",
     "l", 1},
    /* nine and twelve equations with one matrix, eliminated on the graph */
    {"param l = 1\ncoord x[1..3], y[1..3]\nlagrangian sum(i in 1..3, i*(x[i]'^2 + y[i]'^2)/2 - 9.81*i*y[i])\n"
     "constraint a: x[1]^2 + y[1]^2 = l^2\nconstraint b: (x[2] - x[1])^2 + (y[2] - y[1])^2 = 1\n"
     "constraint c: (x[3] - x[2])^2 + (y[3] - y[2])^2 = l\ninvariant energy\n"
     "init x = (0.8*l, 1.6*l, 2.4*l), x' = (0, 0, 0)\nguess y = (-0.6, -1.2, -2)\nrun 0 .. 1\n",
     "l", 1},
    {"param m = 2\ncanonical q[1..4], p[1..4]\n"
     "hamiltonian (p[1]^2 + p[2]^2)/2 + (p[3]^2 + p[4]^2)/(2*m) + 9.81*(q[2] + m*q[4])\n"
     "constraint a: q[1]^2 + q[2]^2 = 1\nconstraint b: (q[3] - q[1])^2 + (q[4] - q[2])^2 = 1\n"
     "invariant energy\ninit q[1] = 0.6, q[3] = 1.4, p[1] = 0, p[3] = 0\nguess q[2] = -0.8, q[4] = -1.4\n"
     "run 0 .. 1\n",
     "m", 2},
    /* d/dm x' is the second derivative of d/dm s */
    {"param m = 2\ncoord x\nvar s, f\nlagrangian m*x'^2/2\nforce x: f\ns' = x - 1\nf = -x - x' - s/2\n"
     "init x = 0, x' = 0.3, s = 0\nrun 0 .. 3\n",
     "m", 2},
    {"param a = 2\nvar x, y\nx' = -y\ny^3 + a*y = x\ninit x = 1\nguess y = 0.4\nrun 0 .. 2\n", "a", 2},
    {"param w = 1.5\nvar x, y, z\nx' = y\ny' = z\nx = sin(w*t)\nrun 0 .. 1\n", "w", 1.5},
    {"param k = 3\nvar x\nx'' = -k*x + abs(x)*x'\ninit x = 1, x' = 0\nrun 0 .. 2\n", "k", 3},
    {"param w = 2\nvar x\nx' = -x + x.start*cos(w*t)\ninit x = w\nrun 0 .. 2\n", "w", 2},
    {"param e = 0.9, g = 9.81\nvar y, v\ny' = v\nv' = -g\nevent hit: y falling -> v := -e*v\n"
     "init y = 1, v = 0\nrun 0 .. 6.2\n",
     "e", 0.9},
    {"param g = 9.81\ncoord y\nlagrangian y'^2/2 - g*y\nevent hit: y - 0.1*sin(t) falling -> y' := -0.8*y'\n"
     "init y = 1, y' = 0\nrun 0 .. 2.5\n",
     "g", 9.81},
    {"param b = 2\nvar x, v\nx' = v\nmode free:\n    v' = -1\n    event down: x falling -> mode wet\n"
     "mode wet:\n    v' = -1 - b*v - x\n    event up: x rising -> x := x, mode free\n"
     "start free\ninit x = 1, v = 0\nrun 0 .. 3\n",
     "b", 2},
    /* branches that jump: at a time, by states with mechanics, a constraint and an algebraic variable, by
     * whole numbers, and where an event turns the side */
    {"param k = 1\nvar x\nx' = if(t > k, 2, 0.5) - 0.1*x\ninit x = 1\nrun 0 .. 2\n", "k", 1},
    {"param a = 0.3\ncoord x\nlagrangian x'^2/2 - x^2\nforce x: -a*sign(x' - 3) - 0.2*if(x > 0.5, 2, 1)*x'\n"
     "init x = 1, x' = 0.2\noutput e = if(x > 0, 1, 2)*x\nrun 0 .. 7\n",
     "a", 0.3},
    {"param l = 1, b = 2\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint rod: x^2 + y^2 = l^2\n"
     "force x: if(x > 0.1, -b*x, b)\ninit y = -l/2, y' = 0\nguess x = l\nrun 0 .. 3\n",
     "l", 1},
    {"param b = 0.7\nvar x, z\nx' = z\n0 = z - 1.3 - if(x > b, 0.5*x, 0) + z^3/10\ninit x = 0\nguess z = 1\n"
     "run 0 .. 3\n",
     "b", 0.7},
    {"param s = 1.7\nvar x\nx' = 1 + floor(s*x + t/3)/5\ninit x = 0.1\nrun 0 .. 3\n", "s", 1.7},
    {"param r = 0.8\nvar h, v\nh' = v\nv' = -9.81 - if(v > 0, 0.3*v, 0.9*v + 1)\n"
     "event hit: h falling -> v := -r*v\ninit h = 1, v = 0.5\nrun 0 .. 1.5\n",
     "r", 0.8},
    /* impulses of a new mode: a rod that catches; masses that depend on q, a constraint that moves; beside
     * what is assigned; momenta */
    {"param l = 1\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nmode slack:\n"
     "    event catch: x^2 + y^2 - l^2 rising -> mode taut\n"
     "mode taut:\n    constraint rod: x^2 + y^2 = l^2\nstart slack\n"
     "init x = 0.5, y = 0, x' = 0.1, y' = 0\nrun 0 .. 1\n",
     "l", 1},
    {"param w = 0.3\ncoord a, x\nlagrangian (1 + a^2/4)*a'^2/2 + x'^2 + a'*x'*cos(a)/2 - 9.81*x\nmode free:\n"
     "    event catch: x^2 + a^2 - 1.44*(1 + w*t) rising -> mode tied\n"
     "mode tied:\n    constraint rod: x^2 + a^2 = 1.44*(1 + w*t)\nstart free\n"
     "init a = 0.2, a' = 0.5, x = 0.1, x' = 0.4\nrun 0 .. 1\n",
     "w", 0.3},
    {"param g = 9.81\ncoord x, y, s\nlagrangian (x'^2 + y'^2 + s'^2)/2 - g*y\nmode free:\n"
     "    event catch: x^2 + y^2 - 1 rising -> s' := 0.5*s' + x', mode tied\n"
     "mode tied:\n    constraint rod: x^2 + y^2 = 1\nstart free\n"
     "init x = 0.5, y = 0, x' = 0.3, y' = 0, s = 0, s' = 1\nrun 0 .. 1\n",
     "g", 9.81},
    {"param m = 2\ncanonical q[1..2], p[1..2]\nhamiltonian dot(p, p)/(2*m) + 9.81*m*q[2]\nmode free:\n"
     "    event catch: dot(q, q) - 1.44 rising -> mode tied\n"
     "mode tied:\n    constraint rod: dot(q, q) = 1.44\nstart free\n"
     "init q = (0.5, 0.1), p = (0.4, 0.1)\nrun 0 .. 1\n",
     "m", 2},
    /* algebraic variables that jump: with a state that is assigned, with the equations of a mode, as the
     * accelerations beside redundant constraints where an event turns velocities round */
    {"param a = 1.4\nvar x, z\nx' = -a*z\nz + z^3 = x\nevent back: x - 0.7 falling -> x := 1\n"
     "init x = 1\nrun 0 .. 1.3\n",
     "a", 1.4},
    {"param a = 1.4\nvar x, z\nmode one:\n    x' = -a*z\n    z + z^3 = x\n"
     "    event go: x - 0.7 falling -> mode two\nmode two:\n    x' = a - z\n    z = 0.95*x\n"
     "    event back: x - 0.8 rising -> mode one\nstart one\ninit x = 1\nrun 0 .. 1.2\n",
     "a", 1.4},
    {"param l = 1\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint a: x^2 + y^2 = l^2\n"
     "constraint b: 2*x^2 + 2*y^2 = 2*l^2\nevent turn: x falling -> x' := -0.8*x', y' := -0.8*y'\n"
     "init y = -0.5, y' = 0\nguess x = l\nrun 0 .. 1\n",
     "l", 1},
};

/* Central differences, extrapolated: (4 D(h/2) - D(h))/3. */
static void differences(const struct sample *p, int columns, double *out) {
    double h[2] = {1e-3 * fabs(p->value), 5e-4 * fabs(p->value)}, value[4][40];
    for (int i = 0; i < 4; i++) {
        char set[80];
        snprintf(set, sizeof set, "%s=%.17g", p->by, p->value + (i % 2 ? -1 : 1) * h[i / 2]);
        keel_model *m = read_well(p->text, NULL, set);
        keel_sim *s = end_of(m);
        assert_int_equal(keel_sim_columns(s), columns);
        assert_int_equal(keel_sim_values(s, value[i]), KEEL_OK);
        keel_sim_close(s);
        keel_model_close(m);
    }
    for (int c = 0; c < columns; c++)
        out[c] =
            (4 * (value[2][c] - value[3][c]) / (2 * h[1]) - (value[0][c] - value[1][c]) / (2 * h[0])) / 3;
}

static void sensitivities_are_those_of_differences(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *p = &samples[i];
        keel_model *plain = read_well(p->text, NULL, NULL), *m = read_well(p->text, p->by, NULL);
        keel_sim *named = keel_sim_open(plain, NULL), *s = end_of(m);
        double expected[40], largest = 0;
        int columns = keel_sim_columns(named);
        keel_mode mode;
        assert_true(keel_model_mode(plain, 0, &mode));
        assert_true(columns <= 40);
        differences(p, columns, expected);
        for (int c = 0; c < columns; c++) largest = fmax(largest, fabs(expected[c]));
        for (int c = 0; c < columns; c++) {
            char name[120];
            snprintf(name, sizeof name, "d/d%s %s", p->by, keel_sim_column(named, c));
            double found = value_of(s, name);
            if (mode.redundant && strstr(name, "lambda.")) continue; /* multipliers are not unique */
            if (!(fabs(found - expected[c]) <= 2e-7 * largest))
                fail_msg("%s: %.12g, by differences %.12g\n%s", name, found, expected[c], p->text);
        }
        keel_row row;
        for (int k = 0; keel_sim_row_at(s, k, &row); k++)
            if (!(row.units <= 16)) fail_msg("%s: %g units\n%s", row.name, row.units, p->text);
        keel_sim_close(s);
        keel_sim_close(named);
        keel_model_close(m);
        keel_model_close(plain);
    }
}

/* The motion, its rows and each direction are the same whatever other directions are asked for, to the
 * tolerance: projections bring the motion back first, then one direction after the other. */
static void directions_do_not_meet(void **state) {
    (void)state;
    const char *text = "param m = 1, l = 1, g = 9.81, c = 0.1\ncoord x[1..2], y[1..2]\n"
                       "lagrangian sum(i in 1..2, m*(x[i]'^2 + y[i]'^2)/2 - m*g*y[i])\n"
                       "force x[2]: -c*x[2]'\n"
                       "constraint a: x[1]^2 + y[1]^2 = l^2\n"
                       "constraint b: (x[2] - x[1])^2 + (y[2] - y[1])^2 = l^2\n"
                       "init x = (l, 2*l), x' = (0, 0)\nguess y = (-0.1, -0.2)\nrun 0 .. 3\n";
    static const char *const by[] = {"m", "l", "g", "c"}, *const column[] = {"x[1]", "y[2]", "lambda.b"};
    keel_model *all = read_well(text, "m, l, g, c", NULL);
    keel_sim *together = end_of(all);
    keel_row row;
    for (int k = 0; keel_sim_row_at(together, k, &row); k++)
        if (!(row.units <= 16)) fail_msg("%s: %g units", row.name, row.units);
    for (int i = 0; i < 4; i++) {
        keel_model *m = read_well(text, by[i], NULL);
        keel_sim *alone = end_of(m);
        for (int j = 0; j < 3; j++) {
            char name[60];
            snprintf(name, sizeof name, "d/d%s %s", by[i], column[j]);
            double a = value_of(alone, name);
            assert_near(value_of(together, name), a, 1e-8 * (1 + fabs(a)));
        }
        keel_sim_close(alone);
        keel_model_close(m);
    }
    keel_sim_close(together);
    keel_model_close(all);
}

/* y(T) after bounces of a ball: each flight takes 2 v / g, v shrinks by e.  d/de by hand. */
static void a_hundred_bounces(void **state) {
    (void)state;
    const double e = 0.98, g = 9.81;
    char text[400];
    double t = sqrt(2 / g), v = e * sqrt(2 * g), dt = 0, dv = sqrt(2 * g);
    for (int n = 1; n < 100; n++) {
        t += 2 * v / g, dt += 2 * dv / g;
        dv = dv * e + v, v *= e;
    }
    double end = t + v / (2 * g), s = end - t; /* half way up after the hundredth */
    snprintf(text, sizeof text,
             "param e = 0.98\nvar y, v\ny' = v\nv' = -9.81\nevent hit: y falling -> v := -e*v, record\n"
             "init y = 1, v = 0\nrun 0 .. %.17g\n",
             end);
    keel_model *m = read_well(text, "e", NULL);
    keel_sim *run = end_of(m);
    keel_event_record last;
    long events = 0;
    while (keel_sim_event(run, events, &last)) events++;
    assert_int_equal(events, 100);
    double dy = dv * s - v * dt + g * s * dt, found = value_of(run, "d/de y");
    assert_true(fabs(found - dy) <= 1e-7 * fabs(dy));
    assert_true(fabs(value_of(run, "d/de v") - (dv + g * dt)) <= 1e-7 * fabs(dv + g * dt));
    keel_sim_close(run);
    keel_model_close(m);
}

/* Where an event acts at x = 0 the row of the constraint does not determine d/dl x': it must not be taken for
 * what a jump leaves of larger numbers.  x comes there to 1e-16, by each method to another one. */
static void what_a_row_does_not_determine_stays(void **state) {
    (void)state;
    static const keel_options way[] = {{.rtol = 1e-11},
                                       {.method = "rk4", .step = 0.01},
                                       {.method = "dopri5", .rtol = 1e-6},
                                       {.method = "radau", .rtol = 1e-6}};
    const char *text = "param l = 0.991, g = 9.951, m = 0.729, k = 1.965\ncoord x, y\n"
                       "lagrangian m*(x'^2 + y'^2)/2 - m*g*y - k*x^2/2\n"
                       "constraint s: x^2 + y^2*(1 + 0.1*k) = l^2\n"
                       "event tn: x falling -> x' := -k/2*x', y' := -0.8*y'\n"
                       "init y = -l/2, y' = k/3\nguess x = l\nrun 0 .. 2\n";
    keel_model *m = read_well(text, "l, m", NULL);
    double first = NAN;
    for (int i = 0; i < 4; i++) {
        keel_sim *s = keel_sim_open(m, &way[i]);
        run_to(s, 0.8);
        double found = value_of(s, "d/dl x'");
        if (i == 0) first = found;
        assert_near(found, first, 1e-3);
        keel_sim_close(s);
    }
    keel_model_close(m);
}

/* q' = H_p defines the velocities, also where an event turns the momenta round: with one parameter there are
 * twice the states and rows of the plain hamiltonian with its constraints and their d/dt.  Rates and
 * multipliers follow by elimination, of p[1], which is q[1]' itself, too. */
static void velocities_of_a_hamiltonian_are_no_states(void **state) {
    (void)state;
    static const char pendula[] =
        "param m = 2\ncanonical q[1..4], p[1..4]\n"
        "hamiltonian (p[1]^2 + p[2]^2)/2 + (p[3]^2 + p[4]^2)/(2*m) + 9.81*(q[2] + m*q[4])\n"
        "constraint a: q[1]^2 + q[2]^2 = 1\nconstraint b: (q[3] - q[1])^2 + (q[4] - q[2])^2 = 1\n"
        "invariant energy\ninit q[1] = 0.6, q[3] = 1.4, p[1] = 0, p[3] = 0\n"
        "guess q[2] = -0.8, q[4] = -1.4\nrun 0 .. 1\n";
    static const char *const more[] = {"", "event turn: q[1] falling -> p := -p\n"};
    for (int k = 0; k < 2; k++) {
        char text[600];
        keel_mode mode;
        snprintf(text, sizeof text, "%s%s", pendula, more[k]);
        keel_model *m = read_well(text, "m", NULL);
        assert_true(keel_model_mode(m, 0, &mode));
        assert_int_equal(mode.problem->n, 2 * 8);
        assert_int_equal(mode.problem->m, 0);
        assert_int_equal(mode.problem->hidden.count, 2 * 4);
        keel_model_close(m);
    }
}

/* The tolerance of dx/dp is that of x over |p|: steps are the same whatever unit p has, the derivatives as
 * many times smaller; here by a power of two, to the last bit.  So they are for a start value that is a
 * state. */
static void the_unit_of_p_does_not_matter(void **state) {
    (void)state;
    static const double unit[] = {1, 0x1p-20, 0x1p20};
    for (int start_value = 0; start_value < 2; start_value++) {
        double first = 0;
        long steps = 0;
        for (size_t i = 0; i < sizeof unit / sizeof *unit; i++) {
            char text[300];
            if (start_value) { /* x in another unit, and y follows it */
                snprintf(text, sizeof text,
                         "param e = %.17g\nvar x {scale = e}, y\nx' = -3*x + x^2/(10*e)\ny' = x/e - y\n"
                         "init x = 2*e, y = 1\nrun 0 .. 5\n",
                         unit[i]);
            } else {
                snprintf(text, sizeof text,
                         "param e = %.17g, p = 3*e\nvar x, y\nx' = y - x\ny' = -p*y/e + y^2/10\n"
                         "init x = 2, y = 1\nrun 0 .. 5\n",
                         unit[i]);
            }
            keel_model *m = read_well(text, start_value ? "x" : "p", NULL);
            keel_sim *s = end_of(m);
            double scaled = value_of(s, start_value ? "d/dx y" : "d/dp x") * unit[i];
            if (i == 0) first = scaled, steps = keel_statistics(keel_sim_solver(s)).steps;
            assert_true(scaled == first);
            assert_int_equal(keel_statistics(keel_sim_solver(s)).steps, steps);
            keel_sim_close(s);
            keel_model_close(m);
        }
    }
}

static long steps_of(const char *path, const char *by, const char *set, double to, const char *method) {
    keel_model *m = keel_model_load(
        path, &(keel_model_options){.sensitivity = by, .interpret = 1, .set = &set, .sets = set != NULL});
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-8, .method = method});
    run_to(s, to);
    long steps = keel_statistics(keel_sim_solver(s)).steps;
    keel_sim_close(s);
    keel_model_close(m);
    return steps;
}

/* A cable of 20 microfarads, charged by a source: the derivative by a capacity is a million times the
 * voltage. */
static void small_parameters_take_no_more_steps(void **state) {
    (void)state;
    const char *path = KEEL_EXAMPLES_DIR "/circuits/ladder.keel";
    assert_true(steps_of(path, "R, C", "N=20", 1e-3, "bdf") <
                3 * steps_of(path, NULL, "N=20", 1e-3, "bdf") / 2);
}

static void refusals_say_why(void **state) {
    (void)state;
    static const struct {
        const char *text, *by, *sentence;
    } row[] = {
        {"param k = 1\nvar x\nx' = -k*x\ninit x = 1\nrun 0 .. 1\n", "q",
         "the sensitivity to `q`: unknown name"},
        {"param k = 1\nvar x\nx' = -k*x\ninit x = 1\nrun 0 .. 1\n", "k, k", "asked for twice"},
        {"param k = 1\nvar x\nx' = -k*x\ninit x = 1\nrun 0 .. 1\n", "2*k", "name a parameter"},
        {"param k = 1\nvar x, y\nx' = -k*x\ny = x^2\ninit x = 1\nrun 0 .. 1\n", "y",
         "is not given by `init`"},
        {"param k = 1, b = 2*k\nvar x\nx' = -k*x\ninit x = 1\nrun b .. 3\n", "k", "begins at a time"},
        {"param l = 1\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - y\nconstraint rod: x^2 + y^2 = l^2\n"
         "init x = 1, y = 0, x' = 0, y' = 0\nrun 0 .. 1\n",
         "l", "with another value of it the start values given do not fit"},
        {"param k = 1\nvar x, y\nx' = y\ny' = -k*x\ninvariant e = x^2 + y^2\ninit x = 1, y = 0\nrun 0 .. 1\n",
         "k", "With another value of `k` this is no invariant"},
        {"param N = 3\nvar x[1..N]\nfor i in 1..N:\n    x[i]' = -x[i]*N\n    init x[i] = i\nrun 0 .. 1\n",
         "N", "the sensitivity to `N`: it decides a range"},
        {"param k = 1\nvar x\nmode a:\n    x' = k + x.enter\n    event e: x - 2 rising -> x := 0, mode a\n"
         "start a\ninit x = 1\nrun 0 .. 2\n",
         "k", "`x.enter`, are not followed"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        keel_model *m = read_with(row[i].text, row[i].by, NULL);
        if (keel_model_status(m) == KEEL_OK || !strstr(keel_model_message(m), row[i].sentence))
            fail_msg("%s\n%s", row[i].sentence, keel_model_message(m));
        keel_model_close(m);
    }
}

/* What is not followed ends the run, with its reason: capacitors that are joined, a motion that slides, one
 * that an algebraic variable switches. */
static void runs_end_where_nothing_is_known(void **state) {
    (void)state;
    static const struct {
        const char *text, *by, *sentence;
    } row[] = {
        {"param C = 1\nvar u, w, i\nC*u' = -i\n2*w' = i\nmode apart:\n    i = 0\n"
         "    event join: t - 0.5 rising -> mode together\nmode together:\n    u = w\nstart apart\n"
         "init u = 1, w = 0\nrun 0 .. 2\n",
         "C", "through which sensitivities are not carried"},
        {"param T = 0.1\nvar x, u\nx' = u\nu' = 0\nevent sample: every T -> u := -x\n"
         "event push: at t = 0.5 -> x := x + 1\ninit x = 1, u = 0\nrun 0 .. 2\n",
         "T", "act at one time"},
        {"param c = 0.3\nvar x\nx' = -sign(x - c*t)\ninit x = 0.5\nrun 0 .. 2\n", "c", "slides along it"},
        {"param c = 0.3\nvar x\nx' = c - sign(x)\ninit x = 0\nrun 0 .. 2\n", "c", "slides along it"},
        {"param c = 1\nvar x, z\nx' = if(z > c, 1, 2)\n0 = z + z^3/10 - x\ninit x = 0\nguess z = 0\nrun 0 .. "
         "2\n",
         "c", "an algebraic variable decides it"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        keel_model *m = read_well(row[i].text, row[i].by, NULL);
        keel_sim *s = keel_sim_open(m, NULL);
        keel_status status;
        while ((status = keel_sim_run(s, 2)) == KEEL_EVENT) {}
        if (status >= 0 || !strstr(keel_sim_message(s), row[i].sentence))
            fail_msg("%s\n%s", row[i].sentence, keel_sim_message(s));
        keel_sim_close(s);
        keel_model_close(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sensitivities_are_those_of_differences),
        cmocka_unit_test(directions_do_not_meet),
        cmocka_unit_test(a_hundred_bounces),
        cmocka_unit_test(what_a_row_does_not_determine_stays),
        cmocka_unit_test(velocities_of_a_hamiltonian_are_no_states),
        cmocka_unit_test(the_unit_of_p_does_not_matter),
        cmocka_unit_test(small_parameters_take_no_more_steps),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(runs_end_where_nothing_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
