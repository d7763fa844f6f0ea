/* test_circuits.c - circuits of the library against closed forms, or equations written by hand; one unknown a
 * node, and one current for each inductor, voltage source and amplifier. */
#include "testing.h"

#include "model_run.h"

#define BEGIN "library circuit\n"

static const struct circuit {
    const char *what, *text, *column;
    double t_end, value; /* in closed form */
    const char *by_hand; /* or the column w of this text */
    int unknowns;
} circuits[] = {
    {"RC at a constant voltage",
     BEGIN
     "node a, b\nuse Source s(a, earth, v = 5)\nuse Resistor r(a, b, 1000)\nuse Capacitor c(b, earth, 1e-6)\n"
     "init c.u = 0\nrun 0 .. 1e-3\n",
     "c.u", 1e-3, 3.1606027941427883, NULL, 4},
    {"RLC",
     BEGIN "node a, b, d\nuse Source s(a, earth, v = 0)\nuse Resistor r(a, b, 2)\nuse Inductor l(b, d, 1)\n"
           "use Capacitor c(d, earth, .1)\ninit c.u = 1, l.i = 0\nrun 0 .. 2\n",
     /* u'' + 2 u' + 10 u = 0 from rest: exp(-t) (cos 3t + sin(3t)/3) */
     "c.u", 2, 0.11733999250272327, NULL, 6},
    {"a bridge of resistors",
     BEGIN
     "node a, b, d\nuse Source s(a, earth, v = 10)\nuse Resistor r1(a, b, 1), r2(b, earth, 2), r3(a, d, 3), "
     "r4(d, earth, 4)\nuse Resistor m(b, d, 5)\nuse Capacitor c(a, earth, 1)\nrun 0 .. 1\n",
     /* nodes: b (1 + 1/2 + 1/5) - d/5 = 10, d (1/3 + 1/4 + 1/5) - b/5 = 10/3 */
     "b.v", 1, 6.580645161290323, NULL, 5},
    {"an inverting integrator",
     BEGIN
     "node i, n, o\nuse Source s(i, earth, v = 2)\nuse Resistor r(i, n, 1000)\nuse Capacitor c(n, o, 1e-6)\n"
     "use Opamp k(earth, n, o)\ninit c.u = 0\nrun 0 .. 1e-3\n",
     "o.v", 1e-3, -2, NULL, 6},
    {"a low-pass filter of Sallen and Key",
     BEGIN "node i, m, p, o\nuse Source s(i, earth, v = 1)\nuse Resistor r1(i, m, 1), r2(m, p, 1)\n"
           "use Capacitor c1(m, o, 1), c2(p, earth, 1)\nuse Opamp k(p, o, o)\ninit c1.u = 0, c2.u = 0\nrun 0 "
           ".. 1\n",
     /* with unit gain and equal parts: 1 - (1 + t) exp(-t) */
     "o.v", 1, 0.26424111765711533, NULL, 8},
    {"half-wave rectifier",
     BEGIN "node a, b\nuse Source s(a, earth, v = 10*sin(100*pi*t))\nuse Resistor r(a, b, 100)\nuse Diode "
           "d(b, earth)\n"
           "use Capacitor c(b, earth, 1e-6)\ninit c.u = 0\nrun 0 .. .03\n",
     "c.u", .0157, NAN,
     "var u\noutput w = u\n1e-6*u' = (10*sin(100*pi*t) - u)/100 - 1e-12*expm1(u/.02585) - 1e-9*u\ninit u = "
     "0\n"
     "run 0 .. .03\n",
     4},
    {"a transformer with a load",
     BEGIN "node a, b\nuse Source s(a, earth, v = sin(t))\nuse Transformer t1(a, earth, b, earth, 2, 3, 1)\n"
           "use Resistor r(b, earth, 1)\ninit t1.i1 = 0, t1.i2 = 0\nrun 0 .. 3\n",
     "b.v", 3, NAN,
     "var i, j\noutput w = -j\n2*i' + j' = sin(t)\ni' + 3*j' = -j\ninit i = 0, j = 0\nrun 0 .. 3\n", 5},
    {"a transistor amplifier",
     BEGIN "node cc, b, c, e, i\nuse Source supply(cc, earth, v = 6), input(i, earth, v = .1*sin(600*t))\n"
           "use Resistor r1(cc, b, 9e4), r2(b, earth, 3e4), rc(cc, c, 2e3), re(e, earth, 1e3)\n"
           "use Capacitor ci(i, b, 1e-6), ce(e, earth, 1e-5)\nuse Transistor q(b, c, e)\n"
           "init ci.u = -1.4, ce.u = .8\nrun 0 .. .02\n",
     "c.v", .02, NAN,
     "var b, c, e\nlet f = 1e-14*expm1((b - e)/.02585) + 1e-9*(b - e), r = 1e-14*expm1((b - c)/.02585) + "
     "1e-9*(b - "
     "c)\nlet s = .1*sin(600*t), ic = f - r - r/1, ib = f/100 + r/1\noutput w = c\n"
     "1e-6*(der(s) - b') = (b - 6)/9e4 + b/3e4 + ib\n(6 - c)/2e3 = ic\n1e-5*e' = ic + ib - e/1e3\n"
     "init b = 1.4, e = .8\nguess c = 4\nrun 0 .. .02\n",
     9},
};

static double end_of(const struct circuit *one, const char *text, const char *column, int *unknowns) {
    keel_model *m = keel_model_read(one->what, text, strlen(text), &(keel_model_options){.interpret = 1});
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    keel_mode mode;
    keel_model_mode(m, 0, &mode);
    *unknowns = mode.unknowns;
    keel_sim *s = keel_sim_open(m, &(keel_options){.method = "radau", .rtol = 1e-9});
    run_to(s, one->t_end);
    double value = value_of(s, column);
    keel_sim_close(s);
    keel_model_close(m);
    return value;
}

static void circuits_do_what_they_should(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof circuits / sizeof *circuits; i++) {
        const struct circuit *one = &circuits[i];
        int unknowns, others;
        double value = end_of(one, one->text, one->column, &unknowns);
        double wanted = one->by_hand ? end_of(one, one->by_hand, "w", &others) : one->value;
        if (!(fabs(value - wanted) <= 1e-6 * fmax(1, fabs(wanted))))
            fail_msg("%s: %.12g, not %.12g", one->what, value, wanted);
        if (unknowns != one->unknowns) fail_msg("%s has %d unknowns", one->what, unknowns);
    }
}

/* A ladder of 1000 cells: the end is that of the line of diffusion, and nothing is slow. */
static void a_long_ladder_is_read(void **state) {
    (void)state;
    static const char text[] = BEGIN
        "param N = 1000\nnode a[0..N]\nuse Source s(a[0], earth, v = 1)\n"
        "for k in 1..N:\n    use Resistor r[k](a[k-1], a[k], 1/N)\n    use Capacitor c[k](a[k], earth, 1/N)\n"
        "    init c[k].u = 0\nrun 0 .. 1\n";
    keel_model *m = keel_model_read("ladder", text, strlen(text), &(keel_model_options){.interpret = 1});
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    keel_sim *s = keel_sim_open(m, &(keel_options){.method = "rodas4", .rtol = 1e-6});
    run_to(s, 1);
    double *value = malloc((size_t)keel_sim_columns(s) * sizeof *value);
    assert_int_equal(keel_sim_values(s, value), KEEL_OK);
    /* u_t = u_xx, u(0) = 1, u_x(1) = 0: at the end 1 - 4/pi exp(-pi^2/4) + ... */
    double line = 1 - 4 / M_PI * exp(-M_PI * M_PI / 4) + 4 / (3 * M_PI) * exp(-9 * M_PI * M_PI / 4);
    assert_near(value[column_named(s, "a.v[1000]")], line, 2e-3);
    free(value);
    keel_sim_close(s);
    keel_model_close(m);
}

static const keel_problem *problem_of(const keel_model *m) {
    keel_mode mode;
    assert_int_equal(keel_model_mode(m, 0, &mode), 1);
    return mode.problem;
}

/* What leaves the equations by sums of them: how many values a run is left to solve for. */
static void sums_of_equations_leave_few_values(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int values;
    } row[] = {
        /* a difference of potentials, and the current between two balances with a nonlinear one */
        {"var u, a, b\n2*u' = -a^3\nu = a - b\n2*u' = b^3 + b\ninit u = 0\nrun 0 .. 1\n", 1},
        /* slopes of parameters: the same one cancels, different ones stay */
        {"param C = 2\nvar u, a, b\nC*u' + a^3 + a = 0\nu = a - b\n-C*u' + b^3 + b = 0\ninit u = 0\nrun 0 .. "
         "1\n",
         1},
        {"param C = 2, D = 1\nvar u, a, b\nC*u' + a^3 + a = 0\nu = a - b\nb^3 + b = D*u'\ninit u = 0\nrun 0 "
         ".. "
         "1\n",
         2},
        /* a number that is not 1 or -1 in the ratio, and a slope that may vanish on the way */
        {"var x, y, z\nx' = -x\ny + 3*z = x\ny^3 + 2*y + z = 1\ninit x = 1\nrun 0 .. 1\n", 2},
        {"var x, y, z\nx' = -x\nx*y + x*z = 1\ny^3 + y - z = 1\ninit x = 1\nrun 0 .. 1\n", 2},
        /* where a start value, a guess or a tolerance is given, both stay */
        {"var x, y, z {atol = 1e-9}\nx' = -x\ny + z = x\ny^3 + y - z = 1\ninit x = 1\nguess y = 1\nrun 0 .. "
         "1\n",
         2},
        {"var x, y, z\nx' = -x\ny + z = x\ny^3 + y - z = 1\ninit x = 1\nguess y = 1\nrun 0 .. 1\n", 1},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        keel_model *m = model_of(row[i].text);
        if (problem_of(m)->m != row[i].values) fail_msg("%d values: %s", problem_of(m)->m, row[i].text);
        keel_model_close(m);
    }
}

/* y + z = x, y z = -p: a guess of either finds its solution, and what has left is a column, an event and a
 * sensitivity like others. */
static void what_has_left_is_there(void **state) {
    (void)state;
    for (int guess = 0; guess < 4; guess++) {
        char text[300];
        snprintf(text, sizeof text,
                 "param p = 2\nvar x, y, z\nx' = 1\ny + z = x\ny*z = -p\ninit x = 0\nguess %s = %s\n"
                 "output s = y'\nevent up: %s - 4 rising -> stop\nrun 0 .. 9\n",
                 guess % 2 ? "z" : "y", guess / 2 ? "1.9" : "-1.1", guess == 1 || guess == 2 ? "y" : "z");
        keel_model *m = keel_model_read("guess", text, strlen(text),
                                        &(keel_model_options){.interpret = 1, .sensitivity = "p"});
        if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
        assert_int_equal(problem_of(m)->m, 2); /* with that of the sensitivity */
        keel_sim *s = keel_sim_open(m, &(keel_options){.method = "dop853", .rtol = 1e-10});
        int large_y = guess == 1 || guess == 2;
        assert_near(value_of(s, "y"), large_y ? M_SQRT2 : -M_SQRT2, 1e-9);
        assert_true(keel_sim_run(s, 9) >= 0);
        /* the larger of both is 4 where 4 - 2/4 = t; y' = y/(2 y - x), dy/dp = 1/(2 y - x) */
        assert_near(value_of(s, "x"), 3.5, 1e-8);
        assert_near(value_of(s, "y"), large_y ? 4 : -0.5, 1e-8);
        assert_near(value_of(s, large_y ? "d/dp y" : "d/dp z"), 1 / 4.5, 1e-7);
        assert_near(value_of(s, "s"), (large_y ? 4 : 0.5) / 4.5, 1e-7);
        keel_sim_close(s);
        keel_model_close(m);
    }
}

/* Diodes between potentials that a source, or a charged capacitor, holds apart: however far these are apart
 * at the start, and wherever they jump, the currents are found, as where all potentials are solved for. */
static void what_leaves_does_not_jump_into_diodes(void **state) {
    (void)state;
    static const char *const bridge[] = {
        "use Source mains(a, n, v = U*sin(314*t + 4))\nvar s\ns' = 0\ninit s = 0, c.u = 0\n",
        "use Source mains(a, n, v = U)\nvar s\ns' = 0\ninit s = 0, c.u = 0\n",
        "var s\ns' = 0\nuse Source mains(a, n, v = s)\nevent flip: every 0.005 -> s := U - s\n"
        "init s = 0, c.u = 0\n",
        "var s\ns' = 0\nuse Source mains(a, n, v = if(sin(314*t + 1) > 0, U, -U))\ninit s = 0, c.u = 0\n",
        "var s\ns' = 0\nuse Capacitor mains(a, n, 1e-3)\nuse Resistor shunt(n, earth, 1)\n"
        "init s = 0, mains.u = -U, c.u = 0\n",
        "var s\ns' = 0\nuse Capacitor mains(a, n, 1e-3)\nuse Resistor shunt(n, earth, 1)\n"
        "event load: at t = 0.005 -> mains.u := U\ninit s = 0, mains.u = 0, c.u = 0\n"};
    for (size_t i = 0; i < sizeof bridge / sizeof *bridge; i++)
        for (int volt = 3; volt < 400; volt *= 10) {
            double value[2];
            for (int guesses = 0; guesses < 2; guesses++) {
                char text[1200];
                snprintf(text, sizeof text,
                         BEGIN "param U = %d\nnode a, n, o, p\nuse Resistor lead(o, p, 1), load(p, earth, "
                               "100)\nuse Diode d1(a, o), d2(n, o), d3(earth, a), d4(earth, n)\n"
                               "use Capacitor c(p, earth, 1e-3)\n%s%srun 0 .. 0.012\n",
                         volt, bridge[i], guesses ? "guess a.v = 0, n.v = 0, o.v = 0\n" : "");
                keel_model *m =
                    keel_model_read("bridge", text, strlen(text), &(keel_model_options){.interpret = 1});
                if (keel_model_status(m) != KEEL_OK) fail_msg("%s\n%s", keel_model_message(m), text);
                keel_sim *s = keel_sim_open(m, &(keel_options){.method = "radau", .rtol = 1e-8});
                run_to(s, 0.012);
                value[guesses] = value_of(s, "c.u");
                keel_sim_close(s);
                keel_model_close(m);
            }
            if (!(fabs(value[1] - value[0]) <= 1e-5 * volt))
                fail_msg("%.12g and %.12g: bridge %d with %d V", value[0], value[1], (int)i, volt);
        }
}

static int draw(unsigned *seed, int below) {
    *seed = *seed * 1103515245U + 12345U;
    return (int)(*seed >> 16) % below;
}

/* A random circuit: a tree of resistors, a source, capacitors without loops among these, diodes; how many
 * nodes.  guesses: of all potentials, which keeps them where Newton's method begins. */
enum { NODES = 6 };
static int random_circuit(unsigned *seed, int guesses, char *text, size_t capacity) {
    int nodes = 2 + draw(seed, NODES - 1), joined[NODES + 1], capacitors = 0;
    size_t at =
        (size_t)snprintf(text, capacity, BEGIN "node n[0..%d]\nuse Resistor e(n[0], earth, 1e9)\n", nodes);
#define ADD(...) at += (size_t)snprintf(text + at, capacity - at, __VA_ARGS__)
    for (int i = 0; i <= nodes; i++) joined[i] = i;
    for (int i = 1; i <= nodes; i++)
        ADD("use Resistor r%d(n[%d], n[%d], %d)\n", i, i, draw(seed, i), 1 + draw(seed, 9));
    ADD("use Resistor g(n[%d], earth, 1)\nuse Source s(n[0], earth, v = 2*sin(3*t))\n", nodes);
    for (int i = 0; i < 8; i++) {
        int a = draw(seed, nodes + 1), b = draw(seed, nodes + 1);
        if (i % 2) {
            if (a != b) ADD("use Diode d%d(n[%d], n[%d], Is = 1e-5)\n", i, a, b);
            continue;
        }
        if (joined[a] == joined[b]) continue;
        for (int k = 0, from = joined[b], to = joined[a]; k <= nodes; k++)
            if (joined[k] == from) joined[k] = to;
        ADD("use Capacitor c%d(n[%d], n[%d], 0.%d)\ninit c%d.u = 0\n", i, a, b, 1 + i, i);
        capacitors++;
    }
    for (int i = 1; i <= nodes && guesses; i++) ADD("guess n[%d].v = 0\n", i);
    ADD("run 0 .. 2\n");
#undef ADD
    return capacitors ? nodes + 1 : 0;
}

/* They have no more unknowns than nodes and sources, and move as they do with all potentials solved for. */
static void random_circuits_move_as_before(void **state) {
    (void)state;
    unsigned seed = 1;
    for (int i = 0; i < 40; i++) {
        double value[2][NODES + 1];
        unsigned own = 0;
        int nodes = 0;
        for (int guesses = 0; guesses < 2; guesses++) {
            char text[3000];
            own = seed;
            nodes = random_circuit(&own, guesses, text, sizeof text);
            if (nodes == 0) break;
            keel_model *m =
                keel_model_read("random", text, strlen(text), &(keel_model_options){.interpret = 1});
            if (keel_model_status(m) != KEEL_OK) fail_msg("%s\n%s", keel_model_message(m), text);
            const keel_problem *p = problem_of(m);
            if (!guesses && p->n + p->m > nodes + 1) fail_msg("%d + %d unknowns: %s", p->n, p->m, text);
            keel_sim *s = keel_sim_open(m, &(keel_options){.method = "radau", .rtol = 1e-8});
            run_to(s, 2);
            for (int k = 0; k < nodes; k++) {
                char name[20];
                snprintf(name, sizeof name, "n.v[%d]", k);
                value[guesses][k] = value_of(s, name);
                if (guesses && !(fabs(value[1][k] - value[0][k]) <= 1e-5))
                    fail_msg("%s = %.12g and %.12g: %s", name, value[0][k], value[1][k], text);
            }
            keel_sim_close(s);
            keel_model_close(m);
        }
        seed = own;
    }
}

/* Potentials above a chain of capacitors are sums of their voltages: of few, whatever its length. */
static void a_chain_of_capacitors_stays_sparse(void **state) {
    (void)state;
    static const char text[] = BEGIN
        "param N = 400\nnode a[0..N], s\nuse Source v(s, earth, v = sin(t))\nuse Resistor q(s, a[0], 1)\n"
        "for k in 1..N:\n    use Capacitor c[k](a[k-1], a[k], 1)\n    use Diode d[k](a[k], earth)\n"
        "    use Resistor r[k](a[k], earth, 1)\n    init c[k].u = 0\nrun 0 .. 1\n";
    keel_model *m = model_of(text);
    const keel_problem *p = problem_of(m);
    assert_int_equal(p->n, 400);
    assert_in_range(p->m, 1, 400 / 8);
    assert_true(p->f.pattern->nnz <= 24 * p->n);
    assert_true(p->algebraic.pattern->nnz <= 24 * p->m);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circuits_do_what_they_should),
        cmocka_unit_test(a_long_ladder_is_read),
        cmocka_unit_test(sums_of_equations_leave_few_values),
        cmocka_unit_test(what_has_left_is_there),
        cmocka_unit_test(what_leaves_does_not_jump_into_diodes),
        cmocka_unit_test(a_chain_of_capacitors_stays_sparse),
        cmocka_unit_test(random_circuits_move_as_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
