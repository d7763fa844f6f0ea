/* test_named.c - names for conditions, and matrices times vectors: the same bits as written out. */
#include "testing.h"

#include "model_run.h"

/* All columns at the end. */
static int end_of(const char *text, double *out) {
    keel_model *m = model_of(text);
    keel_sim *s = keel_sim_open(m, NULL);
    run_to(s, 2);
    assert_int_equal(keel_sim_values(s, out), KEEL_OK);
    int count = keel_sim_columns(s);
    keel_sim_close(s);
    keel_model_close(m);
    return count;
}

static const char *const twins[][2] = {
    {"var x\nlet high = x > 1, near(u) = abs(u - x) < 0.1 and not high, also = high\n"
     "x' = if(near(0.5), 2, if(also or x < -1, -1, 1))\ninit x = 0\nrun 0 .. 2\n",
     "var x\nx' = if(abs(0.5 - x) < 0.1 and not x > 1, 2, if(x > 1 or x < -1, -1, 1))\ninit x = 0\nrun 0 .. "
     "2\n"},
    {"part Cell(limit):\n    var x\n    let full = x > limit\n    x' = if(full, 2, 1)\n    init x = 0\n"
     "use Cell a(0.3), b(0.6)\nvar n\nn' = if(a.full and b.full, 1, 0)\ninit n = 0\nrun 0 .. 2\n",
     "var x, y, n\nx' = if(x > 0.3, 2, 1)\ny' = if(y > 0.6, 2, 1)\nn' = if(x > 0.3 and y > 0.6, 1, 0)\n"
     "init x = 0, y = 0, n = 0\nrun 0 .. 2\n"},
    {"param A = ((0, 1, 2), (-4, -0.4, 0)), b = (1, 1)\nvar x[1..2], u\nx' = A*(x[1], x[2], u) + b\nu' = -u\n"
     "init x = (1, 0), u = 1\nrun 0 .. 2\n",
     "var x[1..2], u\nparam a[1..6] = (0, 1, 2, -4, -0.4, 0)\n"
     "x' = (a[1]*x[1] + a[2]*x[2] + a[3]*u + 1, a[4]*x[1] + a[5]*x[2] + a[6]*u + 1)\nu' = -u\n"
     "init x = (1, 0), u = 1\nrun 0 .. 2\n"},
};

static void names_are_what_they_stand_for(void **state) {
    (void)state;
    double one[20], other[20];
    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) {
        int count = end_of(twins[i][0], one);
        assert_int_equal(count, end_of(twins[i][1], other));
        for (int k = 0; k < count; k++)
            if (!(fabs(one[k] - other[k]) <= 1e-14))
                fail_msg("%zu, %d: %.17g, %.17g", i, k, one[k], other[k]);
    }
}

static void shapes_that_do_not_fit_are_told(void **state) {
    (void)state;
    static const char text[] = "param A = ((1, 2), (3, 4))\nvar x[1..3]\nx' = A*x\ninit x = 0\nrun 0 .. 1\n";
    keel_model *m = keel_model_read("test.keel", text, strlen(text), NULL);
    assert_non_null(
        strstr(keel_model_message(m), "array times array is not defined: [1..2][1..2] times [1..3]"));
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_what_they_stand_for),
        cmocka_unit_test(shapes_that_do_not_fit_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
