/* test_advance.c - keel_advance: the same steps wherever someone wakes up, each time asked for inside the
 * last step, with kernels and without. */
#include "cache.h"
#include "same.h"

#include "keel/method.h"
#include "methods/registry.h"
#include "model/sim.h"
#include "model_run.h"

/* From wake to wake; what is seen there is what single steps show. */
static void wakes_match_single_steps(const keel_problem *p, const keel_options *o, double end, double apart) {
    keel_solver *a = keel_open(p, o), *b = keel_open(p, o);
    double t0 = keel_time(a), way = end > t0 ? apart : -apart, u[8];
    for (long k = 1; keel_time(a) != end; k++) {
        double wake = t0 + (double)k * way;
        if ((keel_time(a) - wake) * way >= 0) continue; /* it lies inside the last step, too */
        assert_ok(a, keel_advance(a, wake, end));
        while (keel_time(b) != end && (keel_time(b) - wake) * way < 0) assert_ok(b, keel_step(b, end));
        same_solver(a, b, p->n);
        if ((end - wake) * way > 0) assert_true(same_sample(a, b, wake, p->n));
    }
    keel_solver *c = keel_open(p, o); /* nobody looks on the way */
    assert_ok(c, keel_run(c, end));
    assert_int_equal(keel_eval(c, end, u), KEEL_OK);
    same_doubles(u, keel_state(a), p->n);
    assert_int_equal(keel_statistics(c).steps, keel_statistics(a).steps);
    keel_close(a);
    keel_close(b);
    keel_close(c);
}

static void every_kind_of_method(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double step;
    } rows[] = {{"dop853", 0}, {"bs32", 0},   {"taylor", 0},   {"radau", 0},
                {"rk4", 0.01}, {"ab4", 0.01}, {"gauss8", 0.1}, {"verlet", 0.01}};
    keel_model *m = model_of("canonical q[1..2], p[1..2]\nhamiltonian dot(p, p)/2 - 1/norm(q)\n"
                             "init q = (0.4, 0), p = (0, 2)\nrun 0 .. 1\n");
    keel_mode mode;
    assert_true(keel_model_mode(m, 0, &mode));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int back = 0; back < 2; back++) {
            keel_options o = {.method = rows[i].method, .step = rows[i].step};
            wakes_match_single_steps(mode.problem, &o, back ? -4 : 4, 0.003);
            wakes_match_single_steps(mode.problem, &o, back ? -4 : 4, 0.71);
        }
    keel_options relaxed = {.method = "rk4+relax", .step = 0.01};
    wakes_match_single_steps(mode.problem, &relaxed, 4, 0.13);
    keel_options reversible = {.method = "midpoint", .step = 0.01, .reversible = 1};
    wakes_match_single_steps(mode.problem, &reversible, 4, 0.13);
    keel_model_close(m);
}

/* Kernels ---------------------------------------------------------------------------------------------- */

static const char swing_text[] = "var x, y\nx' = y\ny' = -x*(1 + 0.2*x^2)\n"
                                 "invariant E = y^2/2 + x^2/2 + 0.05*x^4\ninit x = 1, y = 0.25\nrun 0 .. 1\n";

/* A kernel that counts its steps, and raises a flag once it has taken some. */
static keel_kernel_steps *counted_kept;
static keel_kernel_fixed *counted_kernel;
static long in_kernel, flag_after;
static volatile int flag;

static void count(long taken) {
    in_kernel += taken > 0 ? taken : 0;
    if (flag_after && in_kernel >= flag_after) flag = 1;
}
static long count_kept(struct keel_kernel_state *k, void *user) {
    long taken = counted_kept(k, user);
    count(taken);
    return taken;
}
static long count_kernel(double t, double base, double h, long first, long steps, double *x, double *f,
                         void *user) {
    long calls = counted_kernel(t, base, h, first, steps, x, f, user);
    count(steps);
    return calls;
}

/* Two runs of the swing, the second with a kernel that counts. */
struct pair {
    keel_model *model;
    keel_sim *sim[2];
    keel_solver *called, *compiled;
};

static void pair_open(struct pair *p, const keel_options *called, const keel_options *fused) {
    p->model = keel_model_read("m", swing_text, strlen(swing_text), &(keel_model_options){.kernel_later = 1});
    if (keel_model_status(p->model) != KEEL_OK) fail_msg("%s", keel_model_message(p->model));
    p->sim[0] = keel_sim_open(p->model, called);
    p->sim[1] = keel_sim_open(p->model, fused);
    p->called = keel_sim_solver(p->sim[0]);
    p->compiled = keel_sim_solver(p->sim[1]);
    assert_int_equal(keel_sim_compile(p->sim[1]), 1);
    keel_kernel *kernel = &p->sim[1]->kernel[0];
    counted_kept = kernel->kept;
    counted_kernel = kernel->fixed;
    if (kernel->kept) kernel->kept = count_kept;
    if (kernel->fixed) kernel->fixed = count_kernel;
    in_kernel = flag_after = flag = 0;
}

static void pair_close(struct pair *p) {
    for (int i = 0; i < 2; i++) keel_sim_close(p->sim[i]);
    keel_model_close(p->model);
}

/* From wake to wake, of random lengths. */
static void kernel_matches_steps(const keel_options *o, double end, long least) {
    struct pair p;
    pair_open(&p, o, o);
    double t = 0;
    unsigned seed = 7;
    while (keel_time(p.called) != end) {
        seed = seed * 1664525u + 1013904223u;
        double length = pow(10, -3 + 3.5 * (double)(seed >> 8) / (1 << 24));
        t = fmin(fmax(t, keel_time(p.called)) + length, end);
        assert_ok(p.called, keel_advance(p.called, t, end));
        assert_ok(p.compiled, keel_advance(p.compiled, t, end));
        assert_true(keel_time(p.called) >= t);
        same_solver(p.called, p.compiled, 2);
        assert_true(same_sample(p.called, p.compiled, t, 2));
    }
    if (in_kernel < least) fail_msg("%s: %ld steps by the kernel", o->method, in_kernel);
    pair_close(&p);
}

/* Every method of the registry that kernels are made for is met by being listed there; watched and kept in
 * turns, since the compiler takes its time (all of them for some methods: test_projected). */
static void kernels_of_all_methods(void **state) {
    (void)state;
    const keel_stepper *s;
    int methods = 0;
    for (int i = 0; (s = registry_at(i)); i++) {
        if (!registry_table(s)) continue;
        keel_options o = {.method = pair_of(s->info.name, methods++ % 2 ? "project" : "watch")};
        if (s->info.traits & KEEL_ADAPTIVE) o.rtol = s->info.order > 5 ? 1e-12 : 1e-7, o.max_step = 0.05;
        else o.step = 0.01;
        kernel_matches_steps(&o, 60, 500);
    }
    assert_true(methods >= 9);
}

/* After steps that nobody can look into there is nothing to see, and the run goes on as ever. */
static void stopped_inside_a_kernel(void **state) {
    (void)state;
    struct pair p;
    keel_options o = {.method = "rk4+project", .step = 0.001}, stopped = o;
    double u[2];
    stopped.stop = &flag;
    pair_open(&p, &o, &stopped);
    flag_after = 1500;
    assert_int_equal(keel_advance(p.compiled, 10, 20), KEEL_STOPPED);
    double t = keel_time(p.compiled);
    assert_true(t > 1.4 && t < 9 && keel_time_before(p.compiled) == t);
    assert_int_equal(keel_eval(p.compiled, t - 0.5, u), KEEL_EINVAL);
    assert_int_equal(keel_eval(p.compiled, t, u), KEEL_OK);
    same_doubles(u, keel_state(p.compiled), 2);
    flag = 0, flag_after = 0;
    assert_ok(p.compiled, keel_advance(p.compiled, 10, 20));
    assert_ok(p.called, keel_advance(p.called, 10, 20));
    same_solver(p.called, p.compiled, 2);
    pair_close(&p);
}

static void pauses_change_nothing(void **state) {
    (void)state;
    static const long pauses[] = {1, 2, 3, 7, 100, 1500};
    for (size_t i = 0; i < sizeof pauses / sizeof *pauses; i++) {
        struct pair p;
        keel_options plain = {.method = "dopri5+project", .rtol = 1e-9}, o = plain;
        o.pause_steps = pauses[i];
        pair_open(&p, &plain, &o);
        long most = 0;
        while (keel_time(p.compiled) != 150) {
            long before = keel_statistics(p.compiled).steps;
            assert_ok(p.compiled, keel_advance(p.compiled, 150, 150));
            long taken = keel_statistics(p.compiled).steps - before;
            most = taken > most ? taken : most;
            double u[2], middle = 0.5 * (keel_time(p.compiled) + keel_time_before(p.compiled));
            assert_true(keel_time_before(p.compiled) < keel_time(p.compiled));
            assert_int_equal(keel_eval(p.compiled, middle, u),
                             KEEL_OK); /* the last step can be looked into */
        }
        assert_int_equal(most, pauses[i]);
        assert_ok(p.called, keel_run(p.called, 150));
        same_doubles(keel_state(p.called), keel_state(p.compiled), 2);
        assert_int_equal(keel_statistics(p.called).steps, keel_statistics(p.compiled).steps);
        pair_close(&p);
    }
}

/* A kernel that comes on the way changes nothing but the time a run takes. */
static void a_kernel_on_the_way(void **state) {
    (void)state;
    keel_model *m =
        keel_model_read("m", swing_text, strlen(swing_text), &(keel_model_options){.kernel_later = 1});
    keel_model *n =
        keel_model_read("m", swing_text, strlen(swing_text), &(keel_model_options){.interpret = 1});
    keel_options o = {.method = "rk4+project", .step = 0.01};
    keel_sim *a = keel_sim_open(m, &o), *b = keel_sim_open(m, &o), *c = keel_sim_open(n, &o);
    assert_int_equal(keel_sim_run(a, 3), KEEL_OK);
    assert_int_equal(keel_sim_compile(a), 1);
    assert_int_equal(keel_sim_compile(a), 1);
    assert_int_equal(keel_sim_compile(c), 0); /* the interpreter has none */
    assert_int_equal(keel_sim_run(b, 3), KEEL_OK);
    assert_int_equal(keel_sim_run(a, 80), KEEL_OK);
    assert_int_equal(keel_sim_run(b, 80), KEEL_OK);
    same_solver(keel_sim_solver(a), keel_sim_solver(b), 2);
    keel_options implicit = {.method = "radau5", .step = 0.1};
    keel_sim *g = keel_sim_open(m, &implicit);
    assert_int_equal(keel_sim_compile(g), 0);
    assert_int_equal(keel_sim_run(g, 3), KEEL_OK);
    assert_int_equal(keel_sim_compile(NULL), 0);
    keel_sim *all[] = {a, b, c, g};
    for (int i = 0; i < 4; i++) keel_sim_close(all[i]);
    keel_model_close(m);
    keel_model_close(n);
}

/* Who is told what ------------------------------------------------------------------------------------- */

static long told, told_events;

static void tell(keel_solver *s, void *user) {
    (void)user;
    if (keel_event(s) >= 0) told_events++;
    else told++;
}

static int swing(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1];
    out[1] = -u[0];
    return 0;
}
static int height(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0];
    return 0;
}

static void observers_and_events(void **state) {
    (void)state;
    double u0[2] = {1, 0}, u[2];
    keel_problem p = {.n = 2, .u0 = u0, .f = {.count = 2, .value = swing}};
    p.event = (keel_map){.count = 1, .value = height};
    p.event_kind = (const unsigned char[]){KEEL_NONTERMINAL};
    keel_options o = {.step = 0.01, .observe = tell};
    keel_solver *s = keel_open(&p, &o);
    told = told_events = 0;
    assert_ok(s, keel_advance(s, 9.005, 20)); /* zeros at pi/2, 3 pi/2, 5 pi/2 */
    assert_int_equal(told, 1);
    assert_int_equal(told_events, 3);
    assert_near(keel_time(s), 9.01, 1e-12);
    assert_ok(s, keel_step(s, 20));
    assert_int_equal(told, 2);
    assert_ok(s, keel_run(s, 10.02));
    assert_int_equal(told, 2 + 100);
    keel_close(s);
    p.event_kind = NULL; /* they stop it, inside a step */
    s = keel_open(&p, &o);
    assert_int_equal(keel_advance(s, 15, 20), KEEL_EVENT);
    assert_near(keel_time(s), M_PI / 2, 1e-9);
    double inside = 1.575; /* between the event and the end of its step */
    assert_int_equal(keel_advance(s, inside, 20), KEEL_OK);
    assert_near(keel_time(s), 1.58, 1e-12);
    assert_int_equal(keel_eval(s, inside, u), KEEL_OK);
    assert_near(u[0], cos(inside), 1e-9);
    assert_int_equal(keel_advance(s, -1, 20), KEEL_OK); /* behind: one step */
    assert_near(keel_time(s), 1.59, 1e-12);
    assert_int_equal(keel_advance(s, HUGE_VAL, 1.7), KEEL_OK);
    assert_true(keel_time(s) == 1.7);
    assert_int_equal(keel_advance(s, NAN, 1.8), KEEL_EINVAL);
    assert_non_null(strstr(keel_message(s), "t_wake"));
    assert_int_equal(keel_advance(s, 1.75, INFINITY), KEEL_EINVAL);
    assert_int_equal(keel_advance(NULL, 1, 2), KEEL_EINVAL);
    assert_true(isnan(keel_time_before(NULL)));
    keel_close(s);
}

/* Models ----------------------------------------------------------------------------------------------- */

struct seen {
    double end, apart;
    long next, rows;
    double value[400][8];
};

static void look(keel_solver *solver, void *sim) {
    struct seen *n = keel_sim_attached(sim);
    double at;
    while (n->next < 400 && (at = (double)n->next * n->apart) <= keel_time(solver) && at <= n->end) {
        assert_int_equal(keel_sim_values_at(sim, at, n->value[n->next]), KEEL_OK);
        n->next++;
    }
}

/* Switches, events that act, modes, branches of a DAE: no output time is missed, and each has its bits. */
static void no_time_is_missed(void **state) {
    (void)state;
    static const char *const texts[] = {
        "var x\nx' = -x + abs(mod(t, 0.2) - 0.1)\ninit x = 1\nrun 0 .. 8\n",
        "var x, v\nx' = v\nv' = -x - 0.3*sign(v)\ninit x = 2, v = 0\nrun 0 .. 8\n",
        "var x, v\nx' = v\nv' = -1\ninit x = 1, v = 0\nevent hit: x falling -> v := -0.9*v\nrun 0 .. 8\n",
        "var x\ninit x = 0\nrun 0 .. 8\nmode up:\n  x' = 1\n  event a: x - 1 rising -> mode down\n"
        "mode down:\n  x' = -2\n  event b: x + 1 falling -> mode up\nstart up\n",
        "var x, y\nx' = y\n0 = y - if(x > 0.5, -x, 1 - x)\ninit x = 0\nguess y = 1\nrun 0 .. 8\n",
        "var x\nx' = cos(t)\ninit x = 0\nevent e: x - 0.5 crossing -> record\nrun 0 .. 8\n",
    };
    static struct seen one, other;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        keel_model *m =
            keel_model_read("test.keel", texts[i], strlen(texts[i]), &(keel_model_options){.interpret = 1});
        if (keel_model_status(m) != KEEL_OK) fail_msg("%zu: %s", i, keel_model_message(m));
        for (int way = 0; way < 2; way++) {
            keel_options o = {.observe = look, .rtol = 1e-8, .step = way ? 0.013 : 0, .pause_steps = 37};
            if (way) o.rtol = 0;
            keel_sim *a = keel_sim_open(m, &o), *b = keel_sim_open(m, &o);
            one = other = (struct seen){.end = 8, .apart = 0.0213};
            keel_sim_attach(a, &one);
            keel_sim_attach(b, &other);
            keel_status status = KEEL_OK;
            while (status == KEEL_OK && keel_time(keel_sim_solver(a)) != 8)
                status = keel_sim_advance(a, (double)one.next * one.apart, 8);
            if (status < 0) fail_msg("%zu: %s", i, keel_sim_message(a));
            while (status >= 0 && keel_time(keel_sim_solver(b)) != keel_time(keel_sim_solver(a)))
                status = keel_sim_step(b, 8);
            assert_int_equal(one.next, other.next);
            assert_true(one.next > 300);
            assert_memory_equal(one.value, other.value, sizeof one.value);
            keel_sim_close(a);
            keel_sim_close(b);
        }
        keel_model_close(m);
    }
    assert_int_equal(keel_sim_advance(NULL, 1, 2), KEEL_EINVAL);
}

/* Rows ------------------------------------------------------------------------------------------------- */

static void residuals_are_the_certificates(void **state) {
    (void)state;
    static const char *const texts[] = {
        "coord x, y\nlagrangian (x'^2 + y'^2)/2 - y\nconstraint rod: x^2 + y^2 = 1\n"
        "init x = 1, y = 0, x' = 0, y' = 0\nrun 0 .. 5\n",
        "canonical q[1..2], p[1..2]\nhamiltonian dot(p, p)/2 - 1/norm(q)\n"
        "invariant L = q[1]*p[2] - q[2]*p[1]\ninit q = (0.4, 0), p = (0, 2)\nrun 0 .. 5\n",
        "var x, y, z\nx' = y*z\ny' = -2*x*z\nz' = x*y\ninvariant r = 2*x^2 + y^2\n"
        "invariant s = x^2 - z^2\ninit x = 1, y = 0.5, z = 1\nrun 0 .. 5\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        keel_model *m = model_of(texts[i]);
        keel_sim *sim = keel_sim_open(m, NULL);
        keel_solver *s = keel_sim_solver(sim);
        keel_row row;
        double out[8], u[8];
        int rows = 0;
        while (keel_row_at(s, rows, &row)) rows++;
        assert_true(rows > 0 && rows <= 8);
        for (int step = 0; step < 20; step++) {
            assert_int_equal(keel_sim_step(sim, 5), KEEL_OK);
            assert_int_equal(keel_residuals(s, keel_time(s), keel_state(s), out), KEEL_OK);
            for (int k = 0; keel_row_at(s, k, &row); k++) assert_true(out[k] == row.last);
            double at = 0.3 * keel_time(s) + 0.7 * keel_time_before(s);
            assert_int_equal(keel_eval(s, at, u), KEEL_OK);
            assert_int_equal(keel_residuals(s, at, u, out), KEEL_OK);
            for (int k = 0; keel_row_at(s, k, &row); k++) assert_below(fabs(out[k]), 16 * row.unit + 1e-300);
        }
        u[0] = NAN;
        assert_int_equal(keel_residuals(s, 1, u, out), KEEL_OK);
        assert_true(isnan(out[0]));
        assert_int_equal(keel_residuals(s, NAN, u, out), KEEL_EINVAL);
        assert_int_equal(keel_residuals(s, 1, NULL, out), KEEL_EINVAL);
        assert_int_equal(keel_sim_run(sim, 5), KEEL_OK); /* none of this has hurt it */
        keel_sim_close(sim);
        keel_model_close(m);
    }
    assert_int_equal(keel_residuals(NULL, 0, (double[]){0}, (double[]){0}), KEEL_EINVAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_method),    cmocka_unit_test(kernels_of_all_methods),
        cmocka_unit_test(stopped_inside_a_kernel), cmocka_unit_test(pauses_change_nothing),
        cmocka_unit_test(observers_and_events),    cmocka_unit_test(no_time_is_missed),
        cmocka_unit_test(a_kernel_on_the_way),     cmocka_unit_test(residuals_are_the_certificates),
    };
    unsetenv("CC");
    return cmocka_run_group_tests_name("advance", tests, make_cache, drop_cache);
}
