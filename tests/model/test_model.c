/* test_model.c - keel/model.h: loading, parameters, spans, modes; observers, problems and steps for C. */
#include "model_run.h"

#include <unistd.h>

static const char decay[] = "param k = 1, n = 2\nvar x[1..n]\nx' = -k*x\ninit x = 1\nrun 0 .. 1\n"
                            "exact x = x.start*exp(-k*t)\nreference t = 1: x = exp(-1)\n";

/* Loading ----------------------------------------------------------------------------------------------- */

static void files_and_texts(void **unused) {
    (void)unused;
    char path[] = "/tmp/keel_model_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, decay, sizeof decay - 1) == (long)sizeof decay - 1);
    close(file);
    keel_model *m = keel_model_load(path, NULL);
    unlink(path);
    assert_int_equal(keel_model_status(m), KEEL_OK);
    assert_string_equal(keel_model_message(m), "");
    assert_string_equal(keel_model_name(m), path + strlen("/tmp/")); /* that of the file */
    keel_model_close(m);
    m = keel_model_read("some/where/decay.keel", decay, sizeof decay - 1, NULL);
    assert_string_equal(keel_model_name(m), "decay");
    keel_model_close(m);
    m = model_example("pendulum");
    assert_string_equal(keel_model_name(m), "pendulum");
    keel_model_close(m);
}

static void assert_refused(keel_model *m, const char *part) {
    keel_mode mode;
    double from = 1;
    assert_non_null(m);
    assert_int_equal(keel_model_status(m), KEEL_EINVAL);
    if (!strstr(keel_model_message(m), part)) fail_msg("no `%s` in: %s", part, keel_model_message(m));
    assert_int_equal(keel_model_modes(m), 0);
    assert_int_equal(keel_model_start(m), -1);
    assert_false(keel_model_mode(m, 0, &mode));
    assert_null(keel_model_linear_invariant(m, 0, 0));
    assert_null(keel_model_free_value(m, 0));
    keel_model_span(m, &from, NULL);
    keel_sim *s = keel_sim_open(m, NULL);
    assert_non_null(s);
    assert_int_equal(keel_sim_run(s, 1), KEEL_EINVAL);
    assert_int_equal(keel_sim_step(s, 1), KEEL_EINVAL);
    assert_true(strstr(keel_sim_message(s), "the model has errors") != NULL);
    assert_int_equal(keel_sim_columns(s), 0);
    assert_int_equal(keel_sim_values(s, &from), KEEL_EINVAL);
    keel_sim_close(s);
    keel_model_close(m);
}

static void what_cannot_be_read(void **unused) {
    (void)unused;
    assert_refused(keel_model_load("/nowhere/at/all.keel", NULL), "cannot be read: No such file");
    assert_refused(keel_model_load("/tmp", NULL), "cannot be read: Is a directory");
    assert_refused(keel_model_load(NULL, NULL), "cannot be read");
    assert_refused(keel_model_read("a.keel", "", 0, NULL), "the model is empty");
    assert_refused(keel_model_read(NULL, NULL, 7, NULL), "the model is empty");
    assert_refused(keel_model_read("a.keel", "var x\nx' = y\n", 13, NULL), "a.keel:2:6: error: unknown name");
    assert_refused(keel_model_read("a.keel", "var x\nx' = 1\ninit x = 0\n", 24, NULL), "run");
}

static void nothing_does_no_harm(void **unused) {
    (void)unused;
    double number = 0;
    const char *why = NULL;
    keel_event_record h;
    keel_mode mode;
    assert_int_equal(keel_model_status(NULL), KEEL_EINVAL);
    assert_int_equal(keel_model_set(NULL, "a=1"), KEEL_EINVAL);
    assert_true(strlen(keel_model_message(NULL)) > 0);
    assert_string_equal(keel_model_name(NULL), "");
    keel_model_span(NULL, &number, &number);
    assert_int_equal(keel_model_compiled(NULL, &why), 0);
    assert_non_null(why);
    assert_null(keel_model_source(NULL));
    assert_int_equal(keel_model_modes(NULL), 0);
    assert_int_equal(keel_model_start(NULL), -1);
    assert_int_equal(keel_model_mode(NULL, 0, &mode), 0);
    assert_null(keel_model_linear_invariant(NULL, 0, 0));
    assert_null(keel_model_free_value(NULL, 0));
    keel_model_close(NULL);
    keel_sim *s = keel_sim_open(NULL, NULL);
    assert_int_equal(keel_sim_run(s, 1), KEEL_EINVAL);
    keel_sim_close(s);
    assert_int_equal(keel_sim_run(NULL, 1), KEEL_EINVAL);
    assert_int_equal(keel_sim_step(NULL, 1), KEEL_EINVAL);
    assert_null(keel_sim_solver(NULL));
    assert_int_equal(keel_sim_mode(NULL), -1);
    assert_true(strlen(keel_sim_message(NULL)) > 0);
    assert_int_equal(keel_sim_columns(NULL), 0);
    assert_null(keel_sim_column(NULL, 0));
    assert_int_equal(keel_sim_values(NULL, &number), KEEL_EINVAL);
    assert_int_equal(keel_sim_exact(NULL, 0, &number), KEEL_EINVAL);
    assert_int_equal(keel_sim_reference(NULL, 0, &number, &number), 0);
    assert_int_equal(keel_sim_event(NULL, 0, &h), 0);
    keel_sim_close(NULL);
    keel_model *m = model_of(decay);
    assert_int_equal(keel_model_set(m, NULL), KEEL_EINVAL);
    assert_int_equal(keel_model_mode(m, 0, NULL), 0);
    s = keel_sim_open(m, NULL);
    assert_int_equal(keel_sim_values(s, NULL), KEEL_EINVAL);
    assert_int_equal(keel_sim_exact(s, 0, NULL), KEEL_EINVAL);
    assert_null(keel_sim_column(s, -1));
    assert_null(keel_sim_column(s, 2));
    keel_sim_close(s);
    keel_model_close(m);
}

/* Parameters -------------------------------------------------------------------------------------------- */

/* x[1] at t = 1, or x[n]. */
static double decayed(keel_model *m, const char *column) {
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-12});
    run_to(s, 1);
    double value = value_of(s, column);
    keel_sim_close(s);
    return value;
}

static int references(keel_model *m) {
    double t, value[20];
    keel_sim *s = keel_sim_open(m, NULL);
    int count = 0;
    while (keel_sim_reference(s, count, &t, value)) count++;
    keel_sim_close(s);
    return count;
}

static void parameters_are_replaced(void **unused) {
    (void)unused;
    keel_model *m = model_of(decay);
    assert_near(decayed(m, "x[2]"), exp(-1), 1e-11);
    assert_int_equal(references(m), 1);
    assert_int_equal(keel_model_set(m, "k=2"), KEEL_OK);
    assert_near(decayed(m, "x[2]"), exp(-2), 1e-11);
    assert_int_equal(references(m), 0); /* those were of another k */
    assert_int_equal(keel_model_set(m, " k = 6/2"), KEEL_OK);
    assert_near(decayed(m, "x[1]"), exp(-3), 1e-11);
    assert_int_equal(keel_model_set(m, "n=3"), KEEL_OK); /* structural: k stays */
    assert_near(decayed(m, "x[3]"), exp(-3), 1e-11);
    assert_int_equal(keel_model_set(m, "n=2"), KEEL_OK);
    assert_int_equal(keel_model_set(m, "k=1"), KEEL_OK);
    assert_near(decayed(m, "x[2]"), exp(-1), 1e-11);
    assert_int_equal(references(m), 1); /* back again */
    keel_model_close(m);
    const char *set[] = {"k=4", "n=1"};
    m = keel_model_read("decay", decay, sizeof decay - 1, &(keel_model_options){.set = set, .sets = 2});
    assert_int_equal(keel_model_status(m), KEEL_OK);
    assert_near(decayed(m, "x[1]"), exp(-4), 1e-11);
    keel_model_close(m);
}

/* The last word counts, for an element and for the whole. */
static void the_last_assignment_counts(void **unused) {
    (void)unused;
    keel_model *m = model_of("param a[1..2] = (1, 2)\nvar x[1..2]\nx' = a\ninit x = 0\nrun 0 .. 1\n");
    assert_int_equal(keel_model_set(m, "a[2]=5"), KEEL_OK);
    assert_near(decayed(m, "x[2]"), 5, 1e-14);
    assert_int_equal(keel_model_set(m, "a=(7, 8)"), KEEL_OK);
    assert_near(decayed(m, "x[2]"), 8, 1e-14);
    assert_int_equal(keel_model_set(m, "a[2]=9"), KEEL_OK);
    assert_near(decayed(m, "x[1]"), 7, 1e-14);
    assert_near(decayed(m, "x[2]"), 9, 1e-14);
    keel_model_close(m);
}

/* All at once: what is not named is as the text has it, whatever was given before. */
static void a_list_takes_the_place_of_all(void **unused) {
    (void)unused;
    keel_model *m = model_of(decay);
    const char *const two[] = {"k=2", "n=3"}, *const one[] = {"k=3"}, *const wrong[] = {"k=4", "zz=1"};
    const char *const start[] = {"x[2] = 5"};
    assert_int_equal(keel_model_set(m, "n=1"), KEEL_OK);
    assert_int_equal(keel_model_set_all(m, two, 2), KEEL_OK);
    assert_near(decayed(m, "x[3]"), exp(-2), 1e-11);
    assert_int_equal(keel_model_set_all(m, one, 1), KEEL_OK); /* n is 2 again */
    assert_near(decayed(m, "x[2]"), exp(-3), 1e-11);
    assert_int_equal(keel_model_set_all(m, wrong, 2), KEEL_EINVAL);
    assert_true(strstr(keel_model_message(m), "no parameter `zz`") != NULL);
    assert_near(decayed(m, "x[2]"), exp(-3), 1e-11);
    assert_int_equal(keel_model_set_all(m, start, 1), KEEL_OK);
    assert_near(decayed(m, "x[2]"), 5 * exp(-1), 1e-10);
    assert_int_equal(keel_model_set_all(m, NULL, 0), KEEL_OK);
    assert_near(decayed(m, "x[2]"), exp(-1), 1e-11);
    assert_int_equal(keel_model_set_all(NULL, NULL, 0), KEEL_EINVAL);
    assert_int_equal(keel_model_set_all(m, NULL, 1), KEEL_EINVAL);
    keel_model_close(m);
}

static void wrong_assignments_change_nothing(void **unused) {
    (void)unused;
    static const char *const wrong[][2] = {
        {"zz=3", "no parameter `zz`"}, {"k", "name=value"},           {"k=", "expression is missing"},
        {"k=1/0", "division by zero"}, {"k[1]=2", "no such element"},
    };
    keel_model *m = model_of(decay);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(keel_model_set(m, wrong[i][0]), KEEL_EINVAL);
        if (!strstr(keel_model_message(m), wrong[i][1])) fail_msg("%s", keel_model_message(m));
        assert_int_equal(keel_model_status(m), KEEL_OK);
        assert_near(decayed(m, "x[2]"), exp(-1), 1e-11);
    }
    assert_int_equal(keel_model_set(m, "k=2"), KEEL_OK);
    assert_string_equal(keel_model_message(m), "");
    assert_near(decayed(m, "x[2]"), exp(-2), 1e-11);
    assert_int_equal(keel_model_set(m, "n=1.5"), KEEL_EINVAL); /* told with its place */
    assert_true(strstr(keel_model_message(m), "not an integer") != NULL);
    assert_int_equal(keel_model_status(m), KEEL_EINVAL);
    assert_int_equal(keel_model_set(m, "n=1"), KEEL_OK);
    assert_near(decayed(m, "x[1]"), exp(-2), 1e-11);
    assert_int_equal(keel_model_set(m, "k=x[1]"), KEEL_EINVAL);
    assert_true(strstr(keel_model_message(m), "must be known before the run") != NULL);
    assert_int_equal(keel_model_set(m, "k=1"), KEEL_OK);
    assert_near(decayed(m, "x[1]"), exp(-1), 1e-11);
    keel_model_close(m);
}

/* Spans, modes ------------------------------------------------------------------------------------------ */

static void spans(void **unused) {
    (void)unused;
    double from, to;
    keel_model *m =
        keel_model_read("decay", decay, sizeof decay - 1, &(keel_model_options){.from = "2", .to = "-1"});
    keel_model_span(m, &from, &to);
    assert_true(from == 2 && to == -1);
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-12}); /* `init` holds at 2; backwards */
    assert_true(keel_time(keel_sim_solver(s)) == 2);
    run_to(s, to);
    assert_near(value_of(s, "x[1]"), exp(3), 1e-9);
    keel_sim_close(s);
    keel_model_close(m);
    m = model_of("param T = 3\nvar x\nx' = x\ninit x = exp(t)\nrun T .. 2*T - T^2\nexact x = exp(t)\n");
    keel_model_span(m, &from, &to);
    assert_true(from == 3 && to == -3);
    assert_int_equal(keel_model_set(m, "T=1"), KEEL_EINVAL); /* 1 .. 1 */
    assert_non_null(strstr(keel_model_message(m), "no length"));
    assert_int_equal(keel_model_set(m, "T=2"), KEEL_OK);
    keel_model_span(m, &from, &to);
    assert_true(from == 2 && to == 0);
    s = keel_sim_open(m, &(keel_options){.rtol = 1e-12});
    run_to(s, 0);
    assert_near(value_of(s, "x"), 1, 1e-11);
    keel_sim_close(s);
    keel_model_close(m);
    static const char no_run[] = "var x\nx' = 1\ninit x = 0\n";
    m = keel_model_read("a", no_run, sizeof no_run - 1, &(keel_model_options){.to = "5"});
    assert_int_equal(keel_model_status(m), KEEL_OK);
    keel_model_close(m);
}

static void modes_tell_their_structure(void **unused) {
    (void)unused;
    keel_mode mode;
    keel_model *m = model_example("slack_rod");
    assert_int_equal(keel_model_modes(m), 2);
    assert_int_equal(keel_model_start(m), 0);
    assert_true(keel_model_mode(m, 0, &mode));
    assert_string_equal(mode.name, "taut");
    assert_true(mode.index == 3 && mode.freedom == 2 && mode.equations == 3 && mode.unknowns == 3);
    assert_non_null(mode.problem->u0);
    assert_true(keel_model_mode(m, 1, &mode));
    assert_string_equal(mode.name, "loose");
    assert_true(mode.index == 0 && mode.freedom == 4 && mode.equations == 2);
    assert_null(mode.problem->u0);
    assert_false(keel_model_mode(m, 2, &mode));
    assert_false(keel_model_mode(m, -1, &mode));
    keel_model_close(m);
    static const struct {
        const char *name;
        int form, quadratic, separable, combinations, redundant;
    } wanted[] = {
        {"kepler", KEEL_HAMILTONIAN, 0, 1, 0, 0}, {"henon", KEEL_HAMILTONIAN, 1, 1, 0, 0},
        {"four", KEEL_HAMILTONIAN, 0, 1, 0, 0},   {"rigid_body", KEEL_ODE, 1, 0, 0, 0},
        {"lorenz", KEEL_ODE, 1, 0, 0, 0},         {"vanderpol", KEEL_ODE, 0, 0, 0, 0},
        {"pendulum", KEEL_MECHANICS, 0, 0, 0, 0}, {"twin_rods", KEEL_MECHANICS, 0, 0, 0, 1},
        {"transamp", KEEL_DAE, 0, 0, 3, 0},       {"lotka_volterra", KEEL_HAMILTONIAN, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        m = model_example(wanted[i].name);
        assert_true(keel_model_mode(m, 0, &mode));
        assert_null(mode.name);
        if ((int)mode.problem->form != wanted[i].form || mode.quadratic != wanted[i].quadratic ||
            mode.separable != wanted[i].separable || mode.combinations != wanted[i].combinations ||
            mode.redundant != wanted[i].redundant)
            fail_msg("%s: form %d, quadratic %d, separable %d, combinations %d, redundant %d", wanted[i].name,
                     (int)mode.problem->form, mode.quadratic, mode.separable, mode.combinations,
                     mode.redundant);
        keel_model_close(m);
    }
}

/* The three balances of the reactor, as rows over u[1..6], span those that its equations have: sums that no
 * reaction changes (r2: u1 u2 -> u3; r1: u2 u6 -> u5; r3: u4 u6 -> u3). */
static void balances_are_left_null_vectors(void **unused) {
    (void)unused;
    static const int reaction[3][6] = {{-1, -1, 1, 0, 0, 0}, {0, -1, 0, 0, 1, -1}, {0, 0, 1, -1, 0, -1}};
    keel_model *m = model_example("dow");
    double row[3][6] = {{0}};
    for (int k = 0; k < 3; k++) {
        const char *text = keel_model_linear_invariant(m, 0, k);
        assert_non_null(text);
        for (const char *at = strstr(text, "u["); at; at = strstr(at + 1, "u[")) {
            const char *before = at;
            while (before > text && before[-1] == ' ') before--;
            row[k][at[2] - '1'] = before > text && before[-1] == '-' ? -1 : 1;
            assert_true(before == text || before[-1] == '-' || before[-1] == '+'); /* factors 1 alone */
        }
        for (int r = 0; r < 3; r++) {
            double change = 0;
            for (int j = 0; j < 6; j++) change += row[k][j] * reaction[r][j];
            if (change != 0) fail_msg("`%s` is not conserved", text);
        }
    }
    for (int k = 0; k < 3; k++) { /* and they are independent */
        int pivot = -1;
        for (int j = 0; j < 6 && pivot < 0; j++)
            if (row[k][j] != 0) pivot = j;
        assert_true(pivot >= 0);
        for (int i = k + 1; i < 3; i++)
            for (int j = 5; j >= 0; j--) row[i][j] -= row[k][j] * row[i][pivot] / row[k][pivot];
    }
    assert_null(keel_model_linear_invariant(m, 0, 3));
    assert_null(keel_model_linear_invariant(m, 1, 0));
    assert_null(keel_model_linear_invariant(m, 0, -1));
    keel_model_close(m);
}

static void free_values_are_named(void **unused) {
    (void)unused;
    keel_model *m = model_of("coord x, y\nlagrangian (x'^2 + y'^2)/2 - y\nconstraint rod: x^2 + y^2 = 1\n"
                             "guess x = 1, y = 0.1, x' = 0, y' = 0\nrun 0 .. 1\n");
    assert_non_null(keel_model_free_value(m, 0)); /* a place on the circle, a speed along it */
    assert_null(keel_model_free_value(m, 4));
    keel_model_close(m);
    m = model_example("pendulum");
    assert_null(keel_model_free_value(m, 0));
    keel_model_close(m);
    static const char nothing[] = "var x, y\nx' = y\ny' = -x\ninit x = 1\nrun 0 .. 1\n";
    assert_refused(keel_model_read("a", nothing, sizeof nothing - 1, NULL),
                   "nothing determines the start value of `y`");
}

/* Nothing looks for t in rows without it. */
static void rows_without_t_are_autonomous(void **unused) {
    (void)unused;
    static const char *const length[] = {"1", "(1 + t)"};
    for (int i = 0; i < 2; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "coord x, y\nlagrangian (x'^2 + y'^2)/2 - y\nconstraint rod: x^2 + y^2 = %s^2\n"
                 "init y = 0, y' = 0\nguess x = 1, x' = 0\nrun 0 .. 1\n",
                 length[i]);
        keel_model *m = model_of(text);
        keel_mode mode;
        assert_true(keel_model_mode(m, keel_model_start(m), &mode));
        assert_int_equal(mode.problem->constraint.autonomous, i == 0);
        assert_int_equal(mode.problem->constraint.time_derivative != NULL, i == 1);
        keel_model_close(m);
    }
}

/* From C ------------------------------------------------------------------------------------------------ */

static int looks;
static keel_sim *seen;

static void look(keel_solver *solver, void *user) {
    keel_sim *s = user;
    double value[20];
    assert_ptr_equal(solver, keel_sim_solver(s));
    assert_int_equal(keel_sim_values(s, value), KEEL_OK);
    seen = s;
    looks++;
}

/* Looking changes no bit, and the observer is given the keel_sim. */
static void observers_get_the_run(void **unused) {
    (void)unused;
    keel_model *m = model_example("slack_rod");
    looks = 0;
    keel_sim *watched = keel_sim_open(m, &(keel_options){.rtol = 1e-9, .observe = look});
    keel_sim *plain = keel_sim_open(m, &(keel_options){.rtol = 1e-9});
    run_to(watched, 10);
    run_to(plain, 10);
    assert_ptr_equal(seen, watched);
    assert_true(looks >= keel_statistics(keel_sim_solver(watched)).steps);
    assert_int_equal(event_records(watched), event_records(plain));
    assert_memory_equal(keel_state(keel_sim_solver(watched)), keel_state(keel_sim_solver(plain)),
                        4 * sizeof(double));
    keel_sim_close(watched);
    keel_sim_close(plain);
    keel_model_close(m);
}

static void problems_serve_c_callers(void **unused) {
    (void)unused;
    keel_model *m = model_example("pendulum");
    keel_mode mode;
    assert_true(keel_model_mode(m, 0, &mode));
    keel_solver *a = keel_open(mode.problem, &(keel_options){.rtol = 1e-9});
    keel_solver *b = keel_open(mode.problem, &(keel_options){.method = "rkf78", .step = 0.01});
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-9}), *other = keel_sim_open(m, NULL);
    for (int k = 1; k <= 5; k++) { /* in turns: they do not disturb each other */
        assert_ok(a, keel_run(a, k));
        assert_ok(b, keel_run(b, k));
        run_to(other, 0.5 * k);
        run_to(s, k);
        assert_memory_equal(keel_state(a), keel_state(keel_sim_solver(s)), 4 * sizeof(double));
        assert_near(keel_state(a)[0], keel_state(b)[0], 1e-6);
        assert_near(keel_multipliers(a)[0], value_of(s, "lambda.rod"), 1e-14 * 30);
    }
    keel_sim_close(s);
    keel_sim_close(other);
    keel_close(a);
    keel_close(b);
    keel_solver *checked = keel_open(mode.problem, &(keel_options){.check_jacobians = 1});
    assert_ok(checked, keel_state_of(checked));
    keel_close(checked);
    keel_model_close(m);
}

static void steps_lead_to_the_end(void **unused) {
    (void)unused;
    keel_model *m = model_of(decay);
    keel_sim *s = keel_sim_open(m, NULL);
    int steps = 0;
    while (keel_time(keel_sim_solver(s)) < 1) {
        assert_int_equal(keel_sim_step(s, 1), KEEL_OK);
        assert_true(++steps < 1000);
    }
    assert_int_equal(keel_statistics(keel_sim_solver(s)).steps, steps);
    assert_string_equal(keel_sim_message(s), "");
    assert_int_equal(keel_sim_mode(s), 0);
    keel_sim_close(s);
    keel_model_close(m);
}

/* H is no invariant where a constraint moves: the model opens, and the row is only shown. */
static void a_hamiltonian_may_have_constraints_that_move(void **state) {
    static const char *const constraints[] = {"a + 0.5*b = 0.5 + 0.2*sin(t)", "a^2 + b^2 = 1 + 0.1*t^2",
                                              "a = 0.9 + 0.3*t"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char text[300];
        keel_row row;
        snprintf(text, sizeof text,
                 "canonical a, u\ncanonical b, v\nhamiltonian u^2/2 + v^2 + a*b\nconstraint g: %s\n"
                 "init b = 0.3, b' = 0.1\nguess a = 1\nrun 0 .. 1\n",
                 constraints[i]);
        keel_model *m = model_of(text);
        keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-9});
        run_to(s, 1);
        int varying = 0;
        for (int k = 0; keel_row_at(keel_sim_solver(s), k, &row); k++)
            varying += row.kind == KEEL_ROW_ENERGY && row.treatment == KEEL_ROW_VARYING;
        assert_int_equal(varying, 1);
        keel_sim_close(s);
        keel_model_close(m);
    }
}

/* One mistake is told once, however often its name stands in the text. */
static void follow_ups_are_not_told(void **unused) {
    (void)unused;
    static const char text[] = "var x, v\nx' = v\nw' = -x\ninit x = 1, w = 0\ninvariant E = x^2 + w^2\n"
                               "output W = w\nrun 0 .. 1\n";
    keel_model *m = keel_model_read("a.keel", text, sizeof text - 1, NULL);
    keel_diagnostic one;
    assert_true(keel_model_diagnostic(m, 0, &one) && strstr(one.sentence, "`w`") && one.line == 3);
    assert_false(keel_model_diagnostic(m, 1, &one));
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hamiltonian_may_have_constraints_that_move),
        cmocka_unit_test(files_and_texts),
        cmocka_unit_test(what_cannot_be_read),
        cmocka_unit_test(nothing_does_no_harm),
        cmocka_unit_test(parameters_are_replaced),
        cmocka_unit_test(the_last_assignment_counts),
        cmocka_unit_test(a_list_takes_the_place_of_all),
        cmocka_unit_test(wrong_assignments_change_nothing),
        cmocka_unit_test(spans),
        cmocka_unit_test(modes_tell_their_structure),
        cmocka_unit_test(balances_are_left_null_vectors),
        cmocka_unit_test(free_values_are_named),
        cmocka_unit_test(observers_get_the_run),
        cmocka_unit_test(problems_serve_c_callers),
        cmocka_unit_test(steps_lead_to_the_end),
        cmocka_unit_test(rows_without_t_are_autonomous),
        cmocka_unit_test(follow_ups_are_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
