/* test_branches.c - branches that change the index of the equations are refused with that sentence, when a
 * model is read or when the branch is entered; branches that do not are taken. */
#include "testing.h"

#include "model_run.h"

static keel_model *read_text(const char *text) {
    return keel_model_read("branch.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
}

static void a_branch_that_changes_the_index_is_refused(void **unused) {
    (void)unused;
    static const char *const text[] = {
        "var x, y\nx' = -1\n0 = if(x > 0, y - x, x - 0.5)\ninit x = 1\nrun 0 .. 2\n",
        "var x, y\nx' = y\n0 = if(t < 1, y - 1, x - 1)\ninit x = 0\nrun 0 .. 2\n",
        "var x, y, z\nx' = y + z\ny' = -x\n0 = if(x < 0.5, z - y, 0*z + sin(x) - 0.2)\ninit x = 1, y = 0\n"
        "run 0 .. 2\n",
        "var x, y\nx' = y\nlet valve(s) = if(s > 2, x - 3, y - s)\nvalve(t) = 0\ninit x = 0\nrun 0 .. 5\n",
        "var x, v, f\nx' = v\nv' = f - 1\n0 = min(x, f)\ninit x = 1, v = 0\nrun 0 .. 5\n",
        "var x, y\nx' = -x + y\nif(x > 3 or t > 4, y - 2, if(x > 1, x - 2, y)) = 0\ninit x = 5\nrun 0 .. 9\n",
        "var u, i, v\nu' = -i\nv' = i\n0 = if(t > 1, u - v, i)\ninit u = 5, v = 0\nrun 0 .. 2\n",
        "var x, y, z\nx' = z\n0 = max(y - x, z - x)\n0 = y - 2*x\ninit x = 1\nrun 0 .. 2\n"};
    for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
        keel_model *m = read_text(text[k]);
        const char *said = keel_model_message(m);
        if (keel_model_status(m) != KEEL_EINVAL) fail_msg("not refused: %s", text[k]);
        if (!strstr(said, "changes the index of the equations") || !strstr(said, "two modes instead"))
            fail_msg("%s", said);
        keel_model_close(m);
    }
}

/* So short that no point of the reading lies in it. */
static void a_branch_is_refused_when_it_is_entered(void **unused) {
    (void)unused;
    static const char *const text[] = {
        "var x, y\nx' = y\n0 = if(t > 3.001 and t < 3.0011, x - 1, y - 1)\ninit x = 0\nrun 0 .. 10\n",
        "var x, y\nx' = -1\n0 = if(abs(x - 0.0123) < 1e-5, x - 0.5, y - x)\ninit x = 1\nrun 0 .. 2\n",
        "var x, y\nx' = 1\n0 = if(x > 1234.5, x - 0.5, y - x)\ninit x = 1\nrun 0 .. 3000\n",
        "var x, y, z\nx' = 1\n0 = if(x > 1234.5, y + z, y - z + x)\n0 = y + z - x*if(x > 1234.5, 0, 2)\n"
        "init x = 1\nrun 0 .. 3000\n",
        "var x, v, w\nx' = v\nv' = -x + w\n0 = w - if(mod(t, 1) < 1e-5 and t > 0.5, v' + x, 0)\n"
        "init x = 1, v = 0\nrun 0 .. 2\n"};
    static const char *const methods[] = {"dop853", "radau", "rk4", "taylor", "dopri5"};
    for (int k = 0; k < 5; k++)
        for (int by = 0; by < 5; by++) {
            keel_model *m = read_text(text[k]);
            if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
            keel_options o = {.method = methods[by]};
            if (by == 2) o.step = k == 2 || k == 3 ? 1 : 0.01;
            keel_sim *s = keel_sim_open(m, &o);
            double from, to;
            keel_model_span(m, &from, &to);
            keel_status status = keel_sim_run(s, to);
            if (status >= 0) fail_msg("by %s: not refused: %s", methods[by], text[k]);
            if (k != 3 && k != 4 && !strstr(keel_sim_message(s), "changes the index of the equations"))
                fail_msg("by %s: %s\n%s", methods[by], keel_sim_message(s), text[k]);
            keel_sim_close(s);
            keel_model_close(m);
        }
}

static void other_branches_are_taken(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *name;
        double end;
    } known[] = {
        {"var x, y\nx' = -1\n0 = if(x > 0, y - x, 2*y - x)\ninit x = 1\nrun 0 .. 2\n", "y", -0.5},
        {"var u, i\nu' = -i\n0 = if(u > 1, i - (u - 1), i)\ninit u = 1\nguess i = 0\nrun 0 .. 2\n", "u", 1},
        {"var x, y\nx' = y\n0 = if(t < 1, y - 1, y + x - 1)\ninit x = 0\nrun 0 .. 3\n", "x", 1},
        {"var x, y, z\nx' = 1\n0 = if(x < 1, y - x, z - x)\n0 = if(x < 1, z - 2*x, y - 3*x)\ninit x = 0\n"
         "run 0 .. 2\n",
         "y", 6},
        {"var x, y\nx' = y\ny = max(-1, min(1, -3*x))\ninit x = 2\nrun 0 .. 1\n", "x", 1},
        {"var x, v, f\nx' = v\nv' = f\n0 = f + if(x > 0, x, 4*x)\ninit x = 0, v = 1\nrun 0 .. "
         "3.14159265358979\n",
         "x", 0}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        keel_model *m = read_text(known[k].text);
        if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
        keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-10});
        double from, to;
        keel_model_span(m, &from, &to);
        run_to(s, to);
        assert_near(value_of(s, known[k].name), known[k].end, 1e-8);
        keel_sim_close(s);
        keel_model_close(m);
    }
}

/* A run that is refused before it has a state says so, and nothing is looked at. */
static void a_refused_run_has_no_branches(void **unused) {
    (void)unused;
    keel_model *m = model_of("var x, y, z\nx' = y - if(t < 1, z, 0)*x\ny' = -z*x\nx^2 + y = 1\n"
                             "init x = 1\nrun 0 .. 2\n");
    keel_sim *s = keel_sim_open(m, &(keel_options){.method = "rattle", .step = 0.1});
    assert_true(keel_sim_run(s, 2) < 0);
    assert_true(strlen(keel_sim_message(s)) > 0);
    keel_sim_close(s);
    keel_model_close(m);
}

/* Else one is crossed a round-off after the other, and the motion between them may lead back. */
static void a_surface_written_in_several_ways_is_one(void **unused) {
    (void)unused;
    static const struct {
        const char *right;
        int surfaces;
    } row[] = {{"if(-U < x, 1, 0) - max(x, -U)", 1},
               {"if(x + U < 0, 1, 0) + abs(-U - x) + sign(U + x)", 1},
               {"abs(x - U) + if(U < x, 1, 2) + sign(-x + U) + min(-x, -U)", 1},
               {"sign(2*(x - t)) + if(t < x, 1, 0) + abs(-x + t)", 1},
               {"max(sign(t - 2)*x, -U) + if(-U < sign(t - 2)*x, 1, 0)", 2},
               {"if(-U < abs(x) - 3, 1, 0) + max(abs(x) - 3, -U) + sign(3 - U - abs(x) + 0*t)", 3}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char text[200];
        keel_surface surface;
        int count = 0;
        snprintf(text, sizeof text, "param U = 1\nvar x\nx' = %s\ninit x = 3\nrun 0 .. 1\n", row[k].right);
        keel_model *m = model_of(text);
        keel_sim *s = keel_sim_open(m, NULL);
        while (keel_sim_surface_at(s, count, &surface)) count++;
        if (count != row[k].surfaces) fail_msg("%s: %d", row[k].right, count);
        keel_sim_close(s);
        keel_model_close(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_surface_written_in_several_ways_is_one),
                                       cmocka_unit_test(a_branch_that_changes_the_index_is_refused),
                                       cmocka_unit_test(a_branch_is_refused_when_it_is_entered),
                                       cmocka_unit_test(other_branches_are_taken),
                                       cmocka_unit_test(a_refused_run_has_no_branches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
