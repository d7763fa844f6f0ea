/* long_phase.c - phases over many steps: what a projection does to quantities it does not keep, against a
 * reference in long double; the swings of a pendulum, one by one. */
#include "model_run.h"

#include <float.h>

enum { TERMS = 32 };
enum kind { KEPLER, HENON, PENDULUM };

static const char *const text[] = {
    [KEPLER] = "model m\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)\ninvariant energy\n"
               "invariant momentum = x*y' - y*x'\ninit x = 0.4, y = 0, x' = 0, y' = 2\nrun 0 .. 1\n",
    [HENON] = "model m\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3\n"
              "invariant energy\ninit x = 0, y = 0.25, x' = 0.375, y' = 0\nrun 0 .. 1\n",
    [PENDULUM] = "model m\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - y\nconstraint rod: x^2 + y^2 = 1\n"
                 "invariant energy\ninit x = 1, x' = 0\nguess y = 0, y' = 0\nrun 0 .. 1\n"};

/* Coefficient k of q'': c[0], c[1] those of q; of the pendulum c[0] is its angle. */
static void second(enum kind kind, long double c[6][TERMS + 1], int k, long double *out) {
    long double *x = c[0], *y = c[1], *a = c[4], *b = c[5], xy = 0, xx = 0, yy = 0;
    out[0] = out[1] = 0;
    for (int j = 0; j <= k; j++) {
        xy += x[j] * y[k - j];
        xx += x[j] * x[k - j];
        yy += y[j] * y[k - j];
    }
    if (kind == HENON) {
        out[0] = -x[k] - 2 * xy;
        out[1] = -y[k] - xx + yy;
    } else if (kind == KEPLER) { /* a = r^2, b = a^(-3/2) */
        a[k] = xx + yy;
        b[k] = k ? 0 : 1 / (a[0] * sqrtl(a[0]));
        for (int j = 1; j <= k; j++) b[k] += (-1.5L * j - (k - j)) * a[j] * b[k - j] / (k * a[0]);
        for (int j = 0; j <= k; j++) {
            out[0] -= x[j] * b[k - j];
            out[1] -= y[j] * b[k - j];
        }
    } else { /* a = sin, b = cos */
        a[k] = k ? 0 : sinl(x[0]);
        b[k] = k ? 0 : cosl(x[0]);
        for (int j = 1; j <= k; j++) {
            a[k] += j * x[j] * b[k - j] / k;
            b[k] -= j * x[j] * a[k - j] / k;
        }
        out[0] = -a[k];
    }
}

static void advance(enum kind kind, long double *u, long double h) {
    static long double c[6][TERMS + 1];
    for (int i = 0; i < 4; i++) c[i][0] = u[i];
    for (int k = 0; k < TERMS; k++) {
        long double f[2];
        second(kind, c, k, f);
        for (int i = 0; i < 2; i++) {
            c[i][k + 1] = c[i + 2][k] / (k + 1);
            c[i + 2][k + 1] = f[i] / (k + 1);
        }
    }
    for (int i = 0; i < 4; i++) {
        long double sum = 0;
        for (int k = TERMS; k > 0; k--) sum = (sum + c[i][k]) * h;
        u[i] += sum;
    }
}

/* The state at t in sixteenths, and its rate. */
static void reference(enum kind kind, double t, long double *u, long double *f) {
    long double z[4] = {0}, c[6][TERMS + 1], q[2];
    if (kind == KEPLER) z[0] = 0.4, z[3] = 2;
    else if (kind == HENON) z[1] = 0.25, z[2] = 0.375;
    else z[0] = acosl(-1) / 2;
    for (long k = 0; k < (long)(16 * t); k++) advance(kind, z, 1 / 16.L);
    for (int i = 0; i < 4; i++) c[i][0] = u[i] = z[i];
    second(kind, c, 0, q);
    for (int i = 0; i < 2; i++) f[i] = z[i + 2], f[i + 2] = q[i];
    if (kind != PENDULUM) return;
    long double s = sinl(z[0]), k = cosl(z[0]), w = z[2];
    u[0] = s, u[1] = -k, u[2] = k * w, u[3] = s * w;
    f[0] = u[2], f[1] = u[3], f[2] = k * q[0] - s * w * w, f[3] = s * q[0] + k * w * w;
}

struct errors {
    double phase, rest; /* in time along the motion; beside it */
    long steps;
};

static struct errors run(keel_model *m, keel_options o, double t, const long double *u,
                         const long double *f) {
    keel_sim *sim = keel_sim_open(m, &o);
    keel_solver *s = keel_sim_solver(sim);
    if (keel_run(s, t) != KEEL_OK) fail_msg("%s: %s", o.method, keel_message(s));
    long double along = 0, length = 0, rest = 0;
    const double *x = keel_state(s);
    for (int i = 0; i < 4; i++) along += (x[i] - u[i]) * f[i], length += f[i] * f[i];
    for (int i = 0; i < 4; i++) rest += powl(x[i] - u[i] - along / length * f[i], 2);
    struct errors e = {(double)(along / length), (double)sqrtl(rest), keel_statistics(s).steps};
    keel_sim_close(sim);
    return e;
}

/* Phases err no more than without the projection, or less than the clock shows; what lies beside the motion
 * no more than a random walk of a round-off a step. */
static void projections_add_no_bias(void **state) {
    (void)state;
    static const struct {
        enum kind kind;
        const char *method;
        double step, t;
    } table[] = {
        {KEPLER, "taylor", 0, 3000},           {KEPLER, "gauss16", 0.03125, 3000},
        {KEPLER, "kahan-li8", 1. / 256, 1000}, {KEPLER, "dop853", 0, 1000},
        {HENON, "taylor", 0, 10000},           {HENON, "gauss16", 0.25, 10000},
        {HENON, "kahan-li8", 1. / 32, 10000},  {HENON, "dop853", 0, 3000},
        {PENDULUM, "taylor", 0, 10000},        {PENDULUM, "gauss16", 0.125, 3000},
    };
#ifdef __SANITIZE_ADDRESS__
    const double part = 1. / 32;
#else
    const double part = 1;
#endif
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double t = floor(table[i].t * part) + 0.25;
        long double u[4], f[4];
        keel_model *m = model_of(text[table[i].kind]);
        reference(table[i].kind, t, u, f);
        keel_options o = {.method = table[i].method, .step = table[i].step, .compensated = 1};
        if (o.step == 0) o.rtol = 2.5e-15;
        o.method = pair_of(o.method, "project");
        struct errors kept = run(m, o, t, u, f);
        o.method = pair_of(o.method, table[i].kind == PENDULUM ? "project" : "none");
        o.keep = table[i].kind == PENDULUM ? "rod" : NULL;
        struct errors free = run(m, o, t, u, f);
        printf("%d %-9s t %6g, %7ld steps: phase %8.1e, beside %7.1e; unprojected %8.1e, %7.1e\n",
               (int)table[i].kind, o.method, t, kept.steps, kept.phase, kept.rest, free.phase, free.rest);
        assert_below(fabs(kept.phase), fmax(2 * fabs(free.phase), DBL_EPSILON * t));
        assert_below(kept.rest, fmax(2 * free.rest, 2 * DBL_EPSILON * sqrt((double)kept.steps)));
        keel_model_close(m);
    }
}

/* The pendulum passes its lowest place once in each half period: none is missed, none invented. */
static void a_hundred_thousand_swings_are_counted(void **state) {
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    const int swings = 2000;
#else
    const int swings = 100000;
#endif
    problem p;
    problem_pendulum_bottom(&p, 1.0);
    double worst = 0;
    keel_solver *s = keel_open(&p.keel, &(keel_options){.method = "taylor", .rtol = 1e-13});
    for (int k = 1; k <= swings; k++) {
        assert_int_equal(keel_run(s, 1e9), KEEL_EVENT);
        double t = problem_pendulum_bottom_time(&p, k), error = fabs(keel_time(s) - t);
        assert_below(error, 1e-10 * fmax(1, t));
        worst = fmax(worst, error / t);
    }
    printf("%d swings: times right to %.2g of them\n", swings, worst);
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hundred_thousand_swings_are_counted),
        cmocka_unit_test(projections_add_no_bias),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
