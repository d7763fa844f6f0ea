/* test_discover.c - invariants that nobody stated: those that are known of classical systems, none where
 * there are none, what is left out, parameters, constraints, refusals. */
#include "testing.h"

#include <keel/discover.h>

struct told {
    const char *text;  /* of the model, without init and run */
    const char *lines; /* "text|text|...", what is found, in this order; "": nothing */
    int independent;   /* of them */
};

static keel_model *read_it(const char *text) {
    keel_model *m = keel_model_read("test.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
    assert_non_null(m);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s\n%s", keel_model_message(m), text);
    return m;
}

/* All that was found; no doubt remains about any of it. */
static void expect_found(const struct told *row, const keel_discover_options *with) {
    char found[8000] = "";
    keel_model *m = read_it(row->text);
    keel_discovery *d = keel_discover(m, with);
    keel_found f;
    int independent = 0;
    if (keel_discovery_status(d) != KEEL_OK) fail_msg("%s\n%s", keel_discovery_message(d), row->text);
    for (int i = 0; keel_discovery_at(d, i, &f); i++) {
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s", i ? "|" : "", f.text);
        independent += f.independent;
        if (f.doubt) fail_msg("%s: %s\n%s", f.text, f.doubt, row->text);
    }
    if (strcmp(found, row->lines) != 0) fail_msg("found\n%s\nnot\n%s\nof\n%s", found, row->lines, row->text);
    assert_int_equal(independent, row->independent);
    assert_int_equal(keel_discovery_unwritten(d), 0);
    keel_discovery_close(d);
    keel_model_close(m);
}

static void expect_all(const struct told *row, size_t count) {
    for (size_t i = 0; i < count; i++) expect_found(&row[i], NULL);
}
#define EXPECT(row) expect_all(row, sizeof row / sizeof *row)

static void classical_systems_have_theirs(void **state) {
    (void)state;
    static const struct told row[] = {
        {"param I[1..3] = (2, 1, 2/3)\nvar u[1..3]\nlet w[1] = u[1]/I[1], w[2] = u[2]/I[2], w[3] = "
         "u[3]/I[3]\n"
         "u' = cross(u, w)\ninit u = (1, 2, 3)\nrun 0 .. 1\n",
         "u[1]^2 + u[2]^2 + u[3]^2|I[1]*I[2]*u[3]^2 + I[1]*I[3]*u[2]^2 + I[2]*I[3]*u[1]^2", 2},
        {"canonical q[1..2], p[1..2]\nhamiltonian dot(p, p)/2 - 1/norm(q)\n"
         "init q = (1, 0.2), p = (0.1, 1)\nrun 0 .. 1\n",
         "q[1]*p[2] - p[1]*q[2]|p[1]^2 + p[2]^2 - 2/sqrt(q[1]*q[1] + q[2]*q[2])|"
         "q[1]*p[1]*p[2] - p[1]^2*q[2] + q[2]/sqrt(q[1]*q[1] + q[2]*q[2])|"
         "q[1]*p[2]^2 - p[1]*q[2]*p[2] - q[1]/sqrt(q[1]*q[1] + q[2]*q[2])",
         3},
        {"var x, y\nx' = 3*x - x*y\ny' = -2*y + 5*x*y\ninit x = 1, y = 1\nrun 0 .. 1\n",
         "5*x + y - 2*log(x) - 3*log(y)", 1},
        {"param A = 2, B = 2, C = 1, k = 1\nvar w[1..3], n[1..3]\nA*w[1]' = (B - C)*w[2]*w[3]\n"
         "B*w[2]' = (C - A)*w[3]*w[1] + k*n[3]\nC*w[3]' = (A - B)*w[1]*w[2] - k*n[2]\nn' = cross(n, w)\n"
         "init w = (0.5, 0.2, 1), n = (0.6, 0, 0.8)\nrun 0 .. 1\n",
         "n[1]^2 + n[2]^2 + n[3]^2|A*w[1]^2 + B*w[2]^2 + C*w[3]^2 + 2*k*n[1]|"
         "A*w[1]*n[1] + B*w[2]*n[2] + C*w[3]*n[3]|w[1]^4 + 2*w[1]^2*w[2]^2 + w[2]^4 - 2*k*w[1]^2*n[1]"
         " - 4*k*w[1]*w[2]*n[2] + 2*k*w[2]^2*n[1] - k^2*n[3]^2",
         4},
        {"param A = 2, C = 1, k = 3\nvar w[1..3], n[1..3]\nA*w[1]' = (A - C)*w[2]*w[3] + k*n[2]\n"
         "A*w[2]' = (C - A)*w[3]*w[1] - k*n[1]\nC*w[3]' = 0\nn' = cross(n, w)\n"
         "init w = (0.5, 0.2, 1), n = (0.6, 0, 0.8)\nrun 0 .. 1\n",
         "w[3]|n[1]^2 + n[2]^2 + n[3]^2|A*w[1]^2 + A*w[2]^2 + 2*k*n[3]|"
         "A*w[1]*n[1] + A*w[2]*n[2] + C*w[3]*n[3]",
         4},
        {"var y[1..3]\ny' = (-0.04*y[1] + 1e4*y[2]*y[3], 0.04*y[1] - 1e4*y[2]*y[3] - 3e7*y[2]^2, "
         "3e7*y[2]^2)\n"
         "init y = (1, 0, 0)\nrun 0 .. 1\n",
         "y[1] + y[2] + y[3]", 1},
    };
    EXPECT(row);
}

/* The fourth is Kowalevski's top's alone. */
static void other_tops_have_three(void **state) {
    (void)state;
    static const struct told row[] = {
        {"var w[1..3], n[1..3]\n2*w[1]' = w[2]*w[3]/2\n2*w[2]' = -w[3]*w[1]/2 + n[3]\n3/2*w[3]' = -n[2]\n"
         "n' = cross(n, w)\ninit w = (0.5, 0.2, 1), n = (0.6, 0, 0.8)\nrun 0 .. 1\n",
         "4*w[1]^2 + 4*w[2]^2 + 3*w[3]^2 + 4*n[1]|4*w[1]*n[1] + 4*w[2]*n[2] + 3*w[3]*n[3]|"
         "n[1]^2 + n[2]^2 + n[3]^2",
         3},
    };
    EXPECT(row);
}

static void others_have_none(void **state) {
    (void)state;
    static const struct told row[] = {
        {"param s = 10, r = 28, b = 8/3\nvar x, y, z\nx' = s*(y - x)\ny' = x*(r - z) - y\nz' = x*y - b*z\n"
         "init x = 1, y = 1, z = 1\nrun 0 .. 1\n",
         "", 0},
        {"coord x\nlagrangian x'^2/2 - 2*x^2\nforce x: -0.5*x'\ninit x = 1, x' = 0\nrun 0 .. 1\n", "", 0},
        {"var x, v\nx' = v\nv' = (1 - x^2)*v - x\ninit x = 1, v = 0\nrun 0 .. 1\n", "", 0},
    };
    EXPECT(row);
}

/* On the manifold alone, without multiples of the constraints. */
static void constraints_are_held(void **state) {
    (void)state;
    static const struct told row[] = {
        {"param m = 1, g = 9.81, l = 1\ncoord x, y\nlagrangian m*(x'^2 + y'^2)/2 - m*g*y\n"
         "constraint rod: x^2 + y^2 = l^2\ninit y = 0, y' = 0\nguess x = l\nrun 0 .. 1\n",
         "x'^2 + y'^2 + 2*g*y", 1},
        {"coord q[1..3]\nlagrangian dot(q', q')/2 - q[3]\nconstraint sphere: dot(q, q)/2 = 1/2\n"
         "init q = (0.6, 0, -0.8), q' = (0, 1, 0)\nrun 0 .. 1\n",
         "q[1]*q[2]' - q[1]'*q[2]|q[1]'^2 + q[2]'^2 + q[3]'^2 + 2*q[3]", 2},
        {"var u[1..2], w\nu[1]' = -w\nu[2]' = 2*w\nw*(1 + w) = u[1]*u[2]\ninit u = (1, 2)\nguess w = 1\n"
         "run 0 .. 1\n",
         "2*u[1] + u[2]", 1},
        /* a loop of rods: no row has a coordinate to itself */
        {"param g = 9.81, a = 1, b = 2, c = 1.5, d = 2\ncoord x, y, u, v\n"
         "lagrangian (x'^2 + y'^2 + u'^2 + v'^2)/2 - g*(y + v)\nconstraint one: x^2 + y^2 = a^2\n"
         "constraint two: (x - u)^2 + (y - v)^2 = b^2\nconstraint three: (u - d)^2 + v^2 = c^2\n"
         "init y = 1, y' = 0\nguess x = 0, u = 1.8, v = 1.5\nrun 0 .. 1\n",
         "x'^2 + y'^2 + u'^2 + v'^2 + 2*g*y + 2*g*v", 1},
    };
    EXPECT(row);
}

/* E, L and the two components of A, between which there is one relation; in space seven with two. */
static void relations_are_told(void **state) {
    (void)state;
    keel_model *m = read_it("canonical q[1..3], p[1..3]\nhamiltonian dot(p, p)/2 - 1/norm(q)\n"
                            "init q = (1, 0.2, 0), p = (0.1, 1, 0.3)\nrun 0 .. 1\n");
    keel_discovery *d = keel_discover(m, &(keel_discover_options){.degree = 3});
    keel_found f;
    int count = 0, independent = 0, related = 0;
    for (; keel_discovery_at(d, count, &f); count++) {
        independent += f.independent;
        related += f.relation != NULL;
        assert_null(f.doubt);
        assert_null(f.known);
    }
    assert_int_equal(count, 7);
    assert_int_equal(independent, 5);
    assert_int_equal(related, 2);
    keel_discovery_close(d);
    keel_model_close(m);
}

/* Products, constants and functions of one other are no news. */
static void functions_of_others_are_left_out(void **state) {
    (void)state;
    static const struct told row[] = {
        {"var x, v, c\nx' = c*v\nv' = -c*x\nc' = 0\ninit x = 1, v = 0, c = 2\nrun 0 .. 1\n", "c|x^2 + v^2",
         2},
        {"var x, y\nx' = x*sin(y)\ny' = 0\ninit x = 1, y = 2\nrun 0 .. 1\n", "y", 1},
        {"canonical q[1..2], p[1..2]\nhamiltonian dot(p, p)/2 + exp(q[1] - q[2]) + exp(q[2] - q[1])\n"
         "init q = (0, 1), p = (1, 0)\nrun 0 .. 1\n",
         "p[1] + p[2]|p[1]*p[2] - exp(q[2] - q[1]) - exp(q[1] - q[2])", 2},
    };
    EXPECT(row);
}

/* In the parameters, where it holds for all of their values; those that it needs are named. */
static void parameters_are_seen(void **state) {
    (void)state;
    static const struct told row[] = {
        {"param m = sqrt(2), k = pi\ncoord x\nlagrangian m*x'^2/2 - k*x^2/2\ninit x = 1, x' = 0\nrun 0 .. "
         "1\n",
         "m*x'^2 + k*x^2", 1},
        {"param a = 3, b = 2*a\nvar x, y\nx' = a*y\ny' = b*x\ninit x = 1, y = 0\nrun 0 .. 1\n", "2*x^2 - y^2",
         1},
    };
    EXPECT(row);
    keel_model *m =
        read_it("param a = 3, w = 1\nvar x, v, y, u\nx' = w*v\nv' = -w*x\ny' = a*w*u\nu' = -a*w*y\n"
                "init x = 1, v = 0, y = 1, u = 2\nrun 0 .. 1\n");
    keel_discovery *d = keel_discover(m, NULL); /* z^3 Z*, z = x + iv, Z = y + iu, rests if a = 3 */
    keel_found f;
    int needing = 0;
    for (int i = 0; keel_discovery_at(d, i, &f); i++) {
        assert_int_equal(f.scope, f.degree == 4 ? KEEL_FOUND_THESE : KEEL_FOUND_ALL);
        if (f.degree != 4) continue;
        assert_string_equal(f.held, "a");
        needing++;
    }
    assert_int_equal(needing, 2);
    keel_discovery_close(d);
    keel_model_close(m);
}

static void seeds_do_not_matter(void **state) {
    (void)state;
    static const struct told row = {"canonical q[1..2], p[1..2]\nhamiltonian dot(p, p)/2 + dot(q, q)^2\n"
                                    "init q = (1, 0.2), p = (0.1, 1)\nrun 0 .. 1\n",
                                    "q[1]*p[2] - p[1]*q[2]|2*q[1]^4 + 4*q[1]^2*q[2]^2 + 2*q[2]^4 + p[1]^2 "
                                    "+ p[2]^2",
                                    2};
    for (uint64_t seed = 0; seed < 5; seed++) expect_found(&row, &(keel_discover_options){.seed = seed});
}

static void what_is_stated_is_known(void **state) {
    (void)state;
    keel_model *m =
        read_it("canonical q, p\nhamiltonian p^2/2 + q^4\ninvariant energy\ninit q = 1, p = 0\nrun 0 .. 1\n");
    keel_discovery *d = keel_discover(m, NULL);
    keel_found f;
    assert_true(keel_discovery_at(d, 0, &f));
    assert_string_equal(f.known, "energy");
    assert_string_equal(f.text, "2*q^4 + p^2");
    assert_false(keel_discovery_at(d, 1, &f));
    assert_int_equal(keel_discovery_degree(d), 4);
    assert_int_equal(keel_discovery_monomials(d), 14);
    assert_string_equal(keel_discovery_function(d, 1), "p");
    assert_null(keel_discovery_function(d, 2));
    keel_discovery_close(d);
    keel_model_close(m);
}

static void functions_may_be_asked_for(void **state) {
    (void)state;
    static const struct told row = {"var x, y\nx' = x*y\ny' = x^2*y\ninit x = 1, y = 1\nrun 0 .. 1\n",
                                    "x^2 - 2*y", 1};
    expect_found(&row, &(keel_discover_options){.functions = "1/(x^2 + y^2), exp(x)", .degree = 2});
}

static void refusals_have_a_sentence(void **state) {
    (void)state;
    static const struct {
        const char *text, *words;
        keel_discover_options with;
    } row[] = {
        {"var x, y\nx' = y\ny' = -abs(x)\ninit x = 1, y = 0\nrun 0 .. 1\n", "switches by `abs(x)`", {0}},
        {"var x, y\nx' = y\ny' = -x\ninit x = 1, y = 0\nrun 0 .. 1\n",
         "2 states and functions have 5151 monomials up to degree 100; the limit is 2000",
         {.degree = 100}},
        {"var x, y\nx' = y\ny' = -x\ninit x = 1, y = 0\nrun 0 .. 1\n",
         "`zz`: unknown name",
         {.functions = "zz"}},
        {"var x, y\nx' = y\ny' = -x\ninit x = 1, y = 0\nrun 0 .. 1\n",
         "no function of the states alone",
         {.functions = "x, y'"}},
        {"param a = 2\nvar x, y\nx' = y\ny' = -x\ninit x = 1, y = 0\nrun 0 .. 1\n",
         "no function of the states alone",
         {.functions = "sin(a)"}},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        keel_model *m = read_it(row[i].text);
        keel_discovery *d = keel_discover(m, &row[i].with);
        keel_found f;
        assert_int_equal(keel_discovery_status(d), KEEL_EINVAL);
        const char *missing = missing_word(keel_discovery_message(d), row[i].words);
        if (missing) fail_msg("no \"%s\" in \"%s\"", missing, keel_discovery_message(d));
        assert_false(keel_discovery_at(d, 0, &f));
        keel_discovery_close(d);
        keel_model_close(m);
    }
    volatile int stop = 1;
    keel_model *m = read_it(row[1].text);
    keel_discovery *d = keel_discover(m, &(keel_discover_options){.stop = &stop});
    assert_int_equal(keel_discovery_status(d), KEEL_ESTOP);
    keel_discovery_close(d);
    keel_model_close(m);
    assert_int_equal(keel_discovery_status(NULL), KEEL_ENOMEM);
    keel_discovery_close(NULL);
}

/* x' + y' is zero but for the last digit of one number, or exactly.  Numbers with so many digits are told:
 * only a number and its negative are seen to be related. */
static void odd_numbers_are_told(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int found, odd;
    } row[] = {
        {"var x, y\nx' = 3/7*x*y - 0.25*y\ny' = 0.25*y - 3/7*x*y\ninit x = 1, y = 2\nrun 0 .. 1\n", 1, 0},
        {"var x, y\nx' = 1.23456789012341*y + x*y\ny' = -1.23456789012342*y - x*y\ninit x = 1, y = 2\n"
         "run 0 .. 1\n",
         0, 2},
        {"var x, y\nx' = pi*x*y\ny' = -pi*x*y\ninit x = 1, y = 2\nrun 0 .. 1\n", 1, 2},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        keel_model *m = read_it(row[i].text);
        keel_discovery *d = keel_discover(m, &(keel_discover_options){.degree = 1});
        keel_found f;
        double first;
        int odd = keel_discovery_odd_numbers(d, &first);
        if (odd != row[i].odd) fail_msg("%d, %g\n%s", odd, first, row[i].text);
        assert_int_equal(keel_discovery_at(d, 0, &f), row[i].found);
        keel_discovery_close(d);
        keel_model_close(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classical_systems_have_theirs),
        cmocka_unit_test(other_tops_have_three),
        cmocka_unit_test(others_have_none),
        cmocka_unit_test(constraints_are_held),
        cmocka_unit_test(relations_are_told),
        cmocka_unit_test(functions_of_others_are_left_out),
        cmocka_unit_test(parameters_are_seen),
        cmocka_unit_test(odd_numbers_are_told),
        cmocka_unit_test(seeds_do_not_matter),
        cmocka_unit_test(what_is_stated_is_known),
        cmocka_unit_test(functions_may_be_asked_for),
        cmocka_unit_test(refusals_have_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
