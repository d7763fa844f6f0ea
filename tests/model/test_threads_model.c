/* test_threads_model.c - one model, many threads with a simulation each: the bits of each run alone.  And
 * models that are read, and compiled into one cache, at the same time. */
#include "cache.h"
#include "model_run.h"

#include <pthread.h>
#include <stdint.h>

enum { THREADS = 6, MOST = 1200 };

struct run_case {
    const char *name, *text;
    keel_options options[3]; /* the threads take them in turn, each with its own tolerance or step */
    double t_end;
};

#define PENDULUM                                                                                            \
    "coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"                      \
    "invariant energy\ninit y = -0.2, y' = 0.3\nguess x = 1, x' = 0.1\noutput pull = lambda.rod, a = x''\n" \
    "run 0 .. 2\n"

static const struct run_case cases[] = {
    {"ode",
     "param a = 2\nvar x, y\nx' = x*(a - y)\ny' = y*(x - 1)\ninvariant v = x - log(x) + y - a*log(y)\n"
     "init x = 1, y = 1\noutput s = x''\nexact x = 1 + t\nreference t = 1: x = 2\nrun 0 .. 5\n",
     {{.method = "dopri5"}, {.method = "rk4", .step = 0.01}, {.method = "radau"}},
     5},
    {"hamiltonian",
     "canonical q, p\nparam k = 3\nhamiltonian p^2/2 + k*q^2/2 + q^4/4\ninit q = 1, p = 0.2\n"
     "options method = rk4, step = 0.01\nrun 0 .. 5\n",
     {{.method = "rk4", .step = 0.01},
      {.method = "rk4+project", .step = 0.01},
      {.method = "verlet", .step = 0.01}},
     5},
    {"mechanics",
     PENDULUM,
     {{.method = "rk4", .step = 0.01}, {.method = "rattle", .step = 0.01}, {.method = "dop853"}},
     2},
    {"taylor",
     PENDULUM "options method = taylor\n",
     {{.method = "taylor"}, {.method = "taylor", .rtol = 1e-12}, {.method = "taylor", .step = 0.05}},
     2},
    {"general",
     "var x, z, w\nx' = -x + z\nz^3 + z + w = x\nw + sin(w) = x - z\ninit x = 1\nguess z = 0.5, w = 0.2\n"
     "output r = z', c = w''\nrun 0 .. 3\n",
     {{.method = "dopri5"}, {.method = "radau"}, {.method = "bdf2", .step = 0.02}},
     3},
    {"modes",
     "param l = 1, g = 9.81\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - g*y\nstart taut\n"
     "init x = 0.8, y = -0.6, x' = 2.4\nguess y' = 3.2\nmode taut:\n    constraint string: x^2 + y^2 = l^2\n"
     "    event slack: lambda.string falling -> record, mode loose\nmode loose:\n"
     "    event catch: x^2 + y^2 - l^2 rising -> record, mode taut\nevent top: y' falling -> record\n"
     "output a = y'', from = y.enter\nrun 0 .. 3\n",
     {{0}, {.method = "dop853"}, {.method = "bs32"}},
     3},
    {"assignments",
     "coord y, z\nlagrangian (y'^2 + z'^2)/2 - 9.81*y - z^2/2\ninit y = 1, y' = 0, z = 1, z' = 0\nrun 0 .. "
     "3\n"
     "event hit: y falling -> y' := -0.9*y', z' := z' + 0.1*z''\nevent turn: z crossing -> record\n",
     {{0}, {.method = "dopri5"}, {.method = "taylor"}},
     2.5},
    {"impacts", /* the general formulation: events look at multipliers, and impulses act */
     "coord x, y, u, v\nlagrangian (x'^2 + y'^2)/2 + (u'^2 + v'^2)\ninit x = 0, y = 0, u = 1, v = 0\n"
     "init x' = -2, y' = 1, u' = 1, v' = 0.5\nrun 0 .. 3\nstart loose\nmode loose:\n"
     "    event catch: (u - x)^2 + (v - y)^2 - 4 rising -> mode taut\nmode taut:\n"
     "    constraint string: (u - x)^2 + (v - y)^2 = 4\n    event slack: lambda.string falling -> mode "
     "loose\n",
     {{0}, {.method = "rkf78"}, {.method = "radau"}},
     3},
    {"chain", /* sparse matrices */
     "param n = 60\ncoord x[1..n], y[1..n]\nlet X[0] = 0, Y[0] = 0\nfor i in 1..n:\n"
     "    let X[i] = x[i], Y[i] = y[i]\n"
     "    constraint rod[i]: (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 = 1\n"
     "    init x[i] = i, y[i] = 0, x[i]' = 0, y[i]' = 0\n"
     "lagrangian sum(i in 1..n, (x[i]'^2 + y[i]'^2)/2 - 9.81*y[i])\nrun 0 .. 0.02\n",
     {{.method = "rk4", .step = 0.01}, {.method = "dopri5"}, {.method = "dop853"}},
     0.02},
};
enum { CASES = sizeof cases / sizeof *cases };

struct job {
    const struct run_case *run;
    const keel_model *model;
    int number; /* of the thread: other methods, other tolerances, another time to save at */
    keel_status status;
    uint64_t bits;
    char message[200];
};

static void add(struct job *j, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        j->bits = (j->bits ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
}

static void add_state(struct job *j, keel_sim *s, double t) {
    double values[MOST], drifts[MOST];
    size_t columns = (size_t)keel_sim_columns(s), rows = (size_t)keel_sim_rows(s);
    if (columns > MOST || rows > MOST) j->status = KEEL_ENOMEM;
    if (j->status == KEEL_OK) j->status = keel_sim_sample(s, t, values, drifts);
    if (j->status != KEEL_OK) return;
    add(j, values, columns * sizeof *values);
    add(j, drifts, rows * sizeof *drifts);
}

/* All that can be asked of a simulation and of its model while others run. */
static void ask(struct job *j, keel_sim *s) {
    double t, values[MOST];
    keel_event_record one;
    keel_hidden hidden;
    char name[KEEL_NAME];
    for (int i = 0; i < keel_sim_columns(s); i++) {
        keel_origin origin = keel_sim_origin(s, i);
        keel_column kind = keel_sim_column_kind(s, i);
        add(j, &origin, sizeof origin);
        add(j, &kind, sizeof kind);
    }
    if (keel_sim_exact(s, 0.5, values) == KEEL_OK)
        add(j, values, (size_t)keel_sim_columns(s) * sizeof *values);
    if (keel_sim_reference(s, 0, &t, values)) add(j, values, (size_t)keel_sim_columns(s) * sizeof *values);
    for (long i = 0; keel_sim_event(s, i, &one); i++) {
        add(j, &one.t, sizeof one.t);
        add(j, one.event, strlen(one.event));
    }
    for (int i = 0; keel_model_free_state(j->model, 0, i, name); i++) add(j, name, strlen(name));
    if (keel_model_hidden(j->model, 0, 0, &hidden)) add(j, hidden.text, strlen(hidden.text));
    int proved = keel_model_proved(j->model, 0, "energy") + 2 * keel_model_pairwise(j->model, 0);
    add(j, &proved, sizeof proved);
}

/* The same run from its bytes. */
static keel_sim *load_again(struct job *j, keel_sim *s, const keel_options *o) {
    size_t count = keel_sim_save(s, NULL, 0);
    void *bytes = malloc(count + 1);
    keel_sim *again =
        bytes && keel_sim_save(s, bytes, count) ? keel_sim_load(j->model, o, bytes, count) : NULL;
    free(bytes);
    keel_sim_close(s);
    return again;
}

static void *work(void *argument) {
    struct job *j = argument;
    const struct run_case *c = j->run;
    keel_options o = c->options[j->number % 3];
    if (o.step > 0) o.step /= 1 + j->number;
    else o.rtol = (o.rtol > 0 ? o.rtol : 1e-6) / (1 + j->number);
    keel_sim *s = keel_sim_open(j->model, &o);
    int saves = 0;
    j->bits = 14695981039346656037u;
    j->status = s && keel_sim_solver(s) ? keel_state_of(keel_sim_solver(s)) : KEEL_ENOMEM;
    while (j->status == KEEL_OK && keel_time(keel_sim_solver(s)) < c->t_end) {
        double before = keel_time(keel_sim_solver(s)), now;
        long events = event_records(s);
        keel_status status = keel_sim_step(s, c->t_end);
        if (status < 0) j->status = status;
        now = keel_time(keel_sim_solver(s));
        if (status >= 0 && event_records(s) == events && now > before)
            add_state(j, s, 0.25 * before + 0.75 * now);
        add_state(j, s, now);
        if (j->status == KEEL_OK && now > c->t_end * (1 + j->number) / (2 + THREADS) && !saves++)
            s = load_again(j, s, &o);
        if (!s) j->status = KEEL_ENOMEM;
    }
    if (s && j->status == KEEL_OK) ask(j, s);
    else snprintf(j->message, sizeof j->message, "%s", keel_sim_message(s));
    keel_sim_close(s);
    return NULL;
}

static void in_threads(void *(*call)(void *), struct job *jobs) {
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&thread[i], NULL, call, &jobs[i]), 0);
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
}

static void same_bits(const struct job *alone, const struct job *together) {
    for (int i = 0; i < THREADS; i++) {
        const char *name = alone[i].run->name;
        if (alone[i].status != KEEL_OK) fail_msg("%s, %d alone: %s", name, i, alone[i].message);
        if (together[i].status != KEEL_OK) fail_msg("%s, thread %d: %s", name, i, together[i].message);
        if (together[i].bits != alone[i].bits) fail_msg("%s, thread %d: other bits", name, i);
    }
}

static keel_model *read_model(const struct run_case *c, int interpret) {
    keel_model *m =
        keel_model_read(c->name, c->text, strlen(c->text), &(keel_model_options){.interpret = interpret});
    assert_non_null(m);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s: %s", c->name, keel_model_message(m));
    return m;
}

static void check(const struct run_case *c, int interpret) {
    struct job alone[THREADS] = {{0}}, together[THREADS] = {{0}};
    keel_model *apart = read_model(c, interpret), *shared = read_model(c, interpret);
    for (int i = 0; i < THREADS; i++) {
        alone[i] = (struct job){.run = c, .model = apart, .number = i};
        together[i] = (struct job){.run = c, .model = shared, .number = i};
        work(&alone[i]);
    }
    in_threads(work, together);
    same_bits(alone, together);
    keel_model_close(apart);
    keel_model_close(shared);
}

static void simulations_of_an_interpreted_model_do_not_meet(void **state) {
    (void)state;
    for (int k = 0; k < CASES; k++) check(&cases[k], 1);
}

static void simulations_of_a_compiled_model_do_not_meet(void **state) {
    (void)state;
    for (int k = 0; k < CASES; k++) check(&cases[k], 0);
}

/* Each thread reads, compiles and runs a model of its own: all the same text, into one empty cache. */
static void *read_and_work(void *argument) {
    struct job *j = argument;
    keel_model *m = keel_model_read(j->run->name, j->run->text, strlen(j->run->text), NULL);
    j->model = m;
    j->status = m ? keel_model_status(m) : KEEL_ENOMEM;
    if (j->status == KEEL_OK) work(j);
    else snprintf(j->message, sizeof j->message, "%.150s", keel_model_message(m));
    keel_model_close(m);
    return NULL;
}

static void models_are_read_and_compiled_at_the_same_time(void **state) {
    (void)state;
    drop_cache(NULL);
    make_cache(NULL);
    const int chosen[] = {0, 4};
    for (int k = 0; k < 2; k++) {
        const struct run_case *c = &cases[chosen[k]];
        struct job alone[THREADS] = {{0}}, together[THREADS] = {{0}};
        for (int i = 0; i < THREADS; i++) alone[i] = together[i] = (struct job){.run = c, .number = i};
        in_threads(read_and_work, together);
        for (int i = 0; i < THREADS; i++) read_and_work(&alone[i]);
        same_bits(alone, together);
    }
}

/* The problem of a mode belongs to the model: solvers may share it, too, and its C can be asked for. */
static void *solve(void *argument) {
    struct job *j = argument;
    keel_mode mode;
    keel_model_mode(j->model, 0, &mode);
    keel_solver *s = keel_open(mode.problem, &(keel_options){.rtol = 1e-8});
    j->status = keel_run(s, j->run->t_end);
    if (keel_state(s)) add(j, keel_state(s), (size_t)mode.problem->n * sizeof(double));
    keel_close(s);
    char *text = keel_model_standalone(j->model, NULL);
    if (text) add(j, text, strlen(text));
    free(text);
    return NULL;
}

static void a_problem_of_a_model_is_shared(void **state) {
    (void)state;
    struct job alone[THREADS] = {{0}}, together[THREADS] = {{0}};
    keel_model *m = read_model(&cases[0], 0);
    for (int i = 0; i < THREADS; i++) {
        alone[i] = together[i] = (struct job){.run = &cases[0], .model = m, .number = i};
        solve(&alone[i]);
    }
    in_threads(solve, together);
    same_bits(alone, together);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simulations_of_an_interpreted_model_do_not_meet),
        cmocka_unit_test(simulations_of_a_compiled_model_do_not_meet),
        cmocka_unit_test(models_are_read_and_compiled_at_the_same_time),
        cmocka_unit_test(a_problem_of_a_model_is_shared),
    };
    return cmocka_run_group_tests(tests, make_cache, drop_cache);
}
