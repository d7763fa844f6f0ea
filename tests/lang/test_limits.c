/* test_limits.c - nesting, size and expansion end in a sentence: one budget for all work on a model. */
#include "example_list.h"

#include "keel/model.h"

/* The models that grow: the text, and words of the sentence. */
static const struct {
    const char *text, *words;
} growing[] = {
    {"var x\nx' = sum(i in 1..100000000, i*x)\ninit x = 1\nrun 0 .. 1\n", "Is a range longer than meant?"},
    {"param N = 1000\ncanonical q[1..N], p[1..N]\nhamiltonian sum(i in 1..N, p[i]^2/2 + q[i]^2/2)\n"
     "for i in 1..N-1: constraint c[i]: q[i] + sum(j in 1..N, q[j]^2) = 2 + N\ninit q = 1, p = 0\nrun 0 .. "
     "1\n",
     "the matrices for 2000 unknowns and 1000 equations to be kept"},
    {"param N = 60\nvar x[1..N]\nfor i in 1..N-1: x[i]' = x[i+1]*cos(x[i]) + sin(x[i]*x[i+1])\n"
     "x[1]^2 + exp(x[1])*sin(t) = 2\nguess x = 1\nrun 0 .. 1\n",
     "something differentiated very often"},
};

static void what_grows_is_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof growing / sizeof growing[0]; i++) {
        const char *text = growing[i].text;
        keel_model *m = keel_model_read("growing", text, strlen(text), &(keel_model_options){.interpret = 1});
        assert_int_equal(keel_model_status(m), KEEL_EINVAL);
        if (!strstr(keel_model_message(m), growing[i].words))
            fail_msg("%s\nsays: %s\nnot: %s", text, keel_model_message(m), growing[i].words);
        keel_model_close(m);
    }
}

/* Parts that are shared must not be written out: 2^60 terms. */
static void shared_parts_stay_shared(void **state) {
    static const char *const step[] = {"a%d + y*a%d", "(a%d + y) - (a%d - x)*3", "a%d*(a%d*y)",
                                       "a%d^64 + 0*a%d"};
    (void)state;
    for (size_t i = 0; i < sizeof step / sizeof step[0]; i++) {
        char text[8192] = "var x, y\nlet a0 = x\n";
        for (int k = 0; k < 60; k++) {
            size_t used = strlen(text);
            used += (size_t)snprintf(text + used, sizeof text - used, "let a%d = ", k + 1);
            used += (size_t)snprintf(text + used, sizeof text - used, step[i], k, k);
            snprintf(text + used, sizeof text - used, "\n");
        }
        strcat(text, "x' = a60\ny' = -x\ninit x = 0.1, y = 0\nrun 0 .. 1\n");
        keel_model *m = keel_model_read("shared", text, strlen(text), &(keel_model_options){.interpret = 1});
        if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
        keel_model_close(m);
    }
}

/* An invariant of many terms in many equations. */
static void long_sums_have_their_room(void **state) {
    static const char text[] =
        "param N = 20\ncanonical q[1..N][1..3], p[1..N][1..3]\n"
        "hamiltonian sum(i in 1..N, dot(p[i], p[i])/2) - sum(i in 1..N, sum(j in 1..i-1, 1/norm(q[i] - "
        "q[j])))\n"
        "for i in 1..N: init q[i] = (i, i^2/10, sin(i)), p[i] = (0, 0.1, 0)\nrun 0 .. 1\n";
    (void)state;
    keel_model *m = keel_model_read("bodies", text, strlen(text), &(keel_model_options){.interpret = 1});
    assert_int_equal(keel_model_status(m), KEEL_OK);
    assert_non_null(keel_model_linear_invariant(m, 0, 2)); /* the momenta */
    keel_model_close(m);
}

/* Wherever the budget ends there is a sentence; with more of it the model opens. */
static void any_budget_ends_in_a_sentence(void **state) {
    static struct example_list list;
    (void)state;
    example_list_open(&list);
    for (int k = 0; k < list.count; k++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", KEEL_EXAMPLES_DIR, list.file[k]);
        keel_status status = KEEL_EINVAL;
        for (double work = 0.01; status != KEEL_OK; work *= 1.3) {
            keel_model *m = keel_model_load(path, &(keel_model_options){.interpret = 1, .work = work});
            status = keel_model_status(m);
            if (status != KEEL_OK) {
                const char *said = keel_model_message(m);
                if (!strstr(said, "million operations") && !strstr(said, "memory") && !strstr(said, "dense"))
                    fail_msg("%s with %g million operations: %s", path, work, said);
                assert_true(work < 30000);
            }
            keel_model_close(m);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_grows_is_refused),
        cmocka_unit_test(shared_parts_stay_shared),
        cmocka_unit_test(long_sums_have_their_room),
        cmocka_unit_test(any_budget_ends_in_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
