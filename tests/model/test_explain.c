/* test_explain.c - what a model says about its analysis: hidden constraints, offsets, origins of start
 * values, proofs, pairs; and the C file of a model.  Names that are nearly right. */
#include "testing.h"

#include "base/text.h"

#include <keel/model.h>

static keel_model *read_model(const char *text) {
    keel_model_options o = {.interpret = 1};
    keel_model *m = keel_model_read("test", text, strlen(text), &o);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    return m;
}

static const char pendulum[] = "coord x, y\nlagrangian (x'^2 + y'^2)/2 - y\nconstraint rod: x^2 + y^2 = 1\n"
                               "invariant energy\ninit y = 0\nguess x = 1, y' = 0.5\nrun 0 .. 1\n";

static void test_hidden(void **state) {
    (void)state;
    keel_model *m = read_model(pendulum);
    keel_hidden hidden;
    assert_int_equal(keel_model_hidden(m, 0, 0, &hidden), 1);
    assert_string_equal(hidden.name, "d/dt rod");
    assert_string_equal(hidden.of, "rod");
    assert_string_equal(hidden.text, "2*x*x' + 2*y*y'");
    assert_int_equal(hidden.order, 1);
    assert_int_equal(keel_model_hidden(m, 0, 1, &hidden), 0);
    assert_int_equal(keel_model_hidden(m, 1, 0, &hidden), 0);
    assert_int_equal(keel_model_hidden(m, 0, -1, &hidden), 0);
    assert_int_equal(keel_model_hidden(NULL, 0, 0, &hidden), 0);
    keel_model_close(m);
}

/* The index-5 chain x = sin t, x' = y, ..., keeps every order of the one equation. */
static void test_orders(void **state) {
    (void)state;
    keel_model *m = read_model("var x, y, z\nx = sin(t)\n2*x' = y\n2*y' = z\nrun 0 .. 1\n");
    keel_hidden hidden;
    keel_offset offset;
    int count = 0, total = 0;
    while (keel_model_hidden(m, 0, count, &hidden)) count++;
    for (int i = 0; keel_model_equation_offset(m, 0, i, &offset); i++) total += offset.offset;
    for (int i = 0; keel_model_unknown_offset(m, 0, i, &offset); i++) total -= offset.offset;
    assert_int_equal(total, 0); /* no freedom */
    assert_true(count >= 1);
    char name[KEEL_NAME];
    assert_int_equal(keel_model_free_state(m, 0, 0, name), 0);
    keel_model_close(m);
}

static keel_origin origin_of(const keel_sim *s, const char *name) {
    for (int i = 0; i < keel_sim_columns(s); i++)
        if (strcmp(keel_sim_column(s, i), name) == 0) return keel_sim_origin(s, i);
    fail_msg("there is no column %s", name);
    return KEEL_FREE;
}

static void test_origins(void **state) {
    (void)state;
    keel_model *m = read_model(pendulum);
    keel_sim *s = keel_sim_open(m, NULL);
    assert_int_equal(origin_of(s, "y"), KEEL_FROM_INIT);
    assert_int_equal(origin_of(s, "x"), KEEL_FROM_GUESS);
    assert_int_equal(origin_of(s, "y'"), KEEL_FREE);
    assert_int_equal(origin_of(s, "x'"), KEEL_FROM_EQUATIONS);
    assert_int_equal(origin_of(s, "lambda.rod"), KEEL_FROM_EQUATIONS);
    assert_string_equal(keel_model_free_value(m, 0), "y'");
    keel_sim_close(s);
    keel_model_close(m);
    m = read_model("var x, v\nx' = v\nv' = -x\ninit x = 1, v = 2\nrun 0 .. 1\n"); /* v is an alias of x' */
    s = keel_sim_open(m, NULL);
    assert_int_equal(origin_of(s, "v"), KEEL_FROM_INIT);
    keel_sim_close(s);
    keel_model_close(m);
}

/* x'' = z is how x moves and no name of z: mechanics it stays, and its values keep their origins. */
static void motions_name_nothing(void **state) {
    (void)state;
#define TWO "coord x, z\ninit x = 1, z = 0.5, x' = 0, z' = 0.2\nrun 0 .. 1\n"
    static const char *const all[] = {TWO "lagrangian (x'^2 + z'^2)/2 + x*z\n",
                                      TWO "lagrangian (x'^2 + z'^2)/2\nforce x: z\n",
                                      TWO "lagrangian (x'^2 + z'^2)/2\nforce x: -z\nforce z: x'\n"};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        keel_model *m = read_model(all[k]);
        keel_mode mode;
        assert_true(keel_model_mode(m, 0, &mode));
        assert_true(mode.problem->form == KEEL_MECHANICS && mode.dof == 2 && mode.freedom == 4);
        keel_sim *s = keel_sim_open(m, NULL);
        assert_int_equal(origin_of(s, "z"), KEEL_FROM_INIT);
        keel_sim_close(s);
        keel_model_close(m);
    }
}

static void test_proofs(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int proved;
    } all[] = {
        {pendulum, 1},
        {"coord x\nlagrangian x'^2/2 - x^2/2\nforce x: 0*x'\ninvariant energy\ninit x = 1, x' = 0\nrun 0 .. "
         "1\n",
         0},
        {"var w\nw' = 0\ncoord x\nlagrangian x'^2/2 - w*x^2/2\ninvariant energy\ninit x = 1, x' = 0, w = "
         "1\nrun 0 .. 1\n",
         0},
        {"canonical q, p\nhamiltonian p^2/2 + q^4\ninvariant energy\ninit q = 1, p = 0\nrun 0 .. 1\n", 1},
        {"coord x, y, a\nlagrangian (x'^2 + y'^2 + a'^2)/2\nrolling edge: x'*sin(a) = y'*cos(a)\ninvariant "
         "energy\n"
         "init x = 0, y = 0, a = 0, x' = 1, a' = 2\nrun 0 .. 1\n",
         1},
        {"var x, v\nx' = v\nv' = -x\ninvariant energy2 = x^2 + v^2\ninit x = 1, v = 0\nrun 0 .. 1\n", 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        keel_model *m = read_model(all[i].text);
        if (keel_model_proved(m, 0, "energy") != all[i].proved) fail_msg("model %zu", i);
        assert_int_equal(keel_model_proved(m, 0, "rod"), 0);
        keel_model_close(m);
    }
    assert_int_equal(keel_model_proved(NULL, 0, "energy"), 0);
}

static void test_pairs(void **state) {
    (void)state;
    static const struct {
        const char *potential;
        int pairwise;
    } all[] = {
        {"sum(i in 1..3, j in i+1..3, 1/(q[i] - q[j])^2)", 1},
        {"sum(i in 1..2, (q[i+1] - q[i])^4) + q[1]^2", 1},
        {"(q[1] + q[2] + q[3])^2", 0},
        {"q[1]^2 + q[2]^2 + q[3]^2", 0},
        {"(q[1] - q[2])^2", 0}, /* two elements are always a pair */
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "canonical q[1..3], p[1..3]\nhamiltonian dot(p, p)/2 + %s\ninit q = (1, 2, 4), p = 0\nrun 0 "
                 ".. 1\n",
                 all[i].potential);
        keel_model *m = read_model(text);
        if (keel_model_pairwise(m, 0) != all[i].pairwise) fail_msg("%s", all[i].potential);
        keel_model_close(m);
    }
}

/* Equations of many terms: what is found and what is not too long to be looked for. */
static void test_long_sums(void **state) {
    (void)state;
    keel_model *m = read_model("param N = 40\ncanonical q[1..N], p[1..N]\n"
                               "hamiltonian dot(p, p)/2 + sum(i in 1..N, j in i+1..N, 1/(q[i] - q[j])^2)\n"
                               "for i in 1..N:\n    init q[i] = i, p[i] = 0\nrun 0 .. 1\n");
    assert_true(keel_model_pairwise(m, 0));
    assert_memory_equal(keel_model_linear_invariant(m, 0, 0), "p[1] + p[2] + ", 14);
    assert_null(keel_model_linear_invariant(m, 0, 1));
    keel_model_close(m);
}

static void test_redundant(void **state) {
    (void)state;
    keel_model *m =
        read_model("coord x, y\nlagrangian (x'^2 + y'^2)/2 - y\nconstraint a: x^2 + y^2 = 1\n"
                   "constraint b: 2*x^2 + 2*y^2 = 2\ninit y = 0, y' = 0\nguess x = 1\nrun 0 .. 1\n");
    const char *name, *equivalent;
    assert_int_equal(keel_model_redundant(m, 0, 0, &name, &equivalent), 1);
    assert_true((name[0] == 'a' && equivalent[0] == 'b') || (name[0] == 'b' && equivalent[0] == 'a'));
    assert_int_equal(keel_model_redundant(m, 0, 1, &name, &equivalent), 0);
    keel_model_close(m);
}

static void test_standalone(void **state) {
    (void)state;
    keel_options o = {.method = "rk4", .step = 0.5, .keep = "energy, \"x\""};
    keel_model *m = read_model(pendulum);
    char *text = keel_model_standalone(m, &o);
    assert_non_null(text);
    assert_non_null(strstr(text, "const keel_problem *test_problem(void)"));
    assert_non_null(strstr(text, ".keep = \"energy, \\042x\\042\""));
    assert_non_null(strstr(text, ".step = 0.5"));
    free(text);
    keel_model_close(m);
    m = keel_model_read("test", "nonsense", 8, NULL);
    assert_null(keel_model_standalone(m, NULL));
    keel_model_close(m);
}

static void test_slips(void **state) {
    (void)state;
    assert_int_equal(text_distance("method", "metohd"), 1); /* two swapped */
    assert_int_equal(text_distance("", "abc"), 3);
    assert_int_equal(text_distance("abcd", "abcd"), 0);
    assert_int_equal(text_distance("kitten", "sitting"), 3);
    assert_int_equal(text_slip("proj", "project"), 1);
    assert_int_equal(text_slip("rnu", "run"), 1);
    assert_int_equal(text_slip("foo", "run"), TEXT_FAR);
    assert_int_equal(text_slip("ab", "cd"), TEXT_FAR);
    assert_int_equal(text_slip("", "a"), TEXT_FAR);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hidden),    cmocka_unit_test(test_orders),
        cmocka_unit_test(test_origins),   cmocka_unit_test(test_proofs),
        cmocka_unit_test(test_pairs),     cmocka_unit_test(test_long_sums),
        cmocka_unit_test(test_redundant), cmocka_unit_test(test_standalone),
        cmocka_unit_test(test_slips),     cmocka_unit_test(motions_name_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
