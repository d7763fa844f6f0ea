/* test_cradle.c - Newton's cradle: rows of bodies in contact that hand on an impact, by events and by stiff
 * forces, at every tolerance. */
#include "testing.h"

#include "model_run.h"

static const char *const methods[] = {"dop853", "dopri5", "radau", "taylor"};
static const double tolerances[] = {1e-4, 1e-6, 1e-9, 1e-11, 1e-13};

static keel_model *read_text(const char *text) {
    keel_model *m = keel_model_read("cradle.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s\n%s", keel_model_message(m), text);
    return m;
}

static double sum_of(keel_sim *s, const char *name, int count) {
    double sum = 0;
    for (int i = 1; i <= count; i++) {
        char column[20];
        snprintf(column, sizeof column, "%s[%d]", name, i);
        sum += value_of(s, column);
    }
    return sum;
}

/* a'' = -9.81 sin a by small steps of rk4. */
static double pendulum(double a, double t) {
    int steps = 20000;
    double h = t / steps, w = 0;
    for (int k = 0; k < steps; k++) {
        double a1 = w, w1 = -9.81 * sin(a), a2 = w + h / 2 * w1, w2 = -9.81 * sin(a + h / 2 * a1);
        double a3 = w + h / 2 * w2, w3 = -9.81 * sin(a + h / 2 * a2), a4 = w + h * w3,
               w4 = -9.81 * sin(a + h * a3);
        a += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        w += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
    }
    return a;
}

static keel_model *cradle(int count, int lifted, double angle) {
    char text[1000];
    snprintf(
        text, sizeof text,
        "param N = %d, L = %d\nvar a[1..N], w[1..N]\nfor i in 1..N:\n    a[i]' = w[i]\n"
        "    w[i]' = -9.81*sin(a[i])\n"
        "for i in 1..N-1: event hit[i]: a[i+1] - a[i] falling -> w[i] := w[i+1], w[i+1] := w[i]\n"
        "for i in 1..L: init a[i] = %.17g\nfor i in L+1..N: init a[i] = 0\nfor i in 1..N: init w[i] = 0\n"
        "run 0 .. 8\n",
        count, lifted, angle);
    return read_text(text);
}

static void assert_swings(const keel_model *m, int count, const char *method, double rtol, double to,
                          double wanted) {
    keel_sim *s = keel_sim_open(m, &(keel_options){.method = method, .rtol = rtol});
    run_to(s, to);
    assert_near(sum_of(s, "a", count), wanted, 1e-11 + 20 * rtol);
    keel_sim_close(s);
}

/* Equal balls exchange their velocities: the angles are those of pendulums that pass through each other, so
 * that their sum is known. */
static void balls_that_exchange_velocities(void **unused) {
    (void)unused;
    static const int counts[] = {2, 3, 5, 5, 8};
    static const int lifted[] = {1, 1, 1, 2, 3};
    for (int k = 0; k < 5; k++) {
        keel_model *m = cradle(counts[k], lifted[k], -0.5);
        double wanted = lifted[k] * pendulum(-0.5, 8);
        for (int t = 0; t < 5; t++)
            for (int by = (t + k) % 2; by < 4; by += 2) /* every method at every tolerance, in turns */
                assert_swings(m, counts[k], methods[by], tolerances[t], 8, wanted);
        keel_model_close(m);
    }
}

/* Balls that swing together touch by round-off, at times that may shrink: this is no coming to rest, and no
 * touch may cost accuracy. */
static void balls_that_touch_by_round_off(void **unused) {
    (void)unused;
    static const struct {
        int count, lifted;
        double angle;
        const char *method;
        double rtol;
    } rows[] = {{5, 2, -0.4, "radau", 1e-5},  {7, 5, -0.7, "radau", 1e-5},  {9, 5, -0.7, "radau", 1e-5},
                {9, 5, -0.7, "radau", 1e-7},  {5, 2, -0.4, "radau5", 1e-5}, {7, 5, -0.7, "radau5", 1e-7},
                {7, 3, -0.5, "radau", 1e-10}, {5, 4, -0.6, "dopri5", 1e-7}, {5, 3, -0.5, "dop853", 1e-9}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        keel_model *m = cradle(rows[r].count, rows[r].lifted, rows[r].angle);
        assert_swings(m, rows[r].count, rows[r].method, rows[r].rtol, 6,
                      rows[r].lifted * pendulum(rows[r].angle, 6));
        keel_model_close(m);
    }
}

/* N bodies with forces k d^p at contact, by many small steps. */
static void follow_contacts(int n, double k, double p, double to, double *x, double *v) {
    int steps = 40000;
    double h = to / steps;
    for (int i = 0; i < steps; i++) { /* a symmetric composition of order 4 of leapfrog */
        static const double part[] = {1.3512071919596578, -1.7024143839193153, 1.3512071919596578};
        for (int c = 0; c < 3; c++) {
            double d = h * part[c];
            for (int j = 0; j < n; j++) x[j] += d / 2 * v[j];
            for (int j = 0; j + 1 < n; j++) {
                double f = x[j] > x[j + 1] ? k * pow(x[j] - x[j + 1], p) : 0;
                v[j] -= d * f, v[j + 1] += d * f;
            }
            for (int j = 0; j < n; j++) x[j] += d / 2 * v[j];
        }
    }
}

static void bodies_with_stiff_contacts(void **unused) {
    (void)unused;
    static const struct {
        int n, hits; /* bodies; how many come in */
        double k, p;
        const char *force;
    } rows[] = {{3, 1, 1e4, 1, "k*max(d, 0)"},       {5, 1, 1e6, 1, "k*max(d, 0)"},
                {5, 1, 1e6, 1.5, "k*max(d, 0)^1.5"}, {4, 2, 1e5, 1.5, "if(d > 0, k*d^1.5, 0)"},
                {6, 1, 1e8, 1, "if(d > 0, k*d, 0)"}, {5, 3, 1e6, 1.5, "k*max(0, d)^(3/2)"},
                {4, 1, 1e6, 1, "k*(d + abs(d))/2"},  {5, 1, 1e7, 2, "k*max(d, 0)^2"}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char text[1000];
        double x[8] = {0}, v[8] = {0}, to = 30 / sqrt(rows[r].k);
        if (rows[r].p > 1) to = 0.05;
        snprintf(text, sizeof text,
                 "param N = %d, L = %d, k = %g\nvar x[1..N], v[1..N]\nlet f(d) = %s\nlet F[0] = 0, F[N] = 0\n"
                 "for i in 1..N-1: let F[i] = f(x[i] - x[i+1])\nfor i in 1..N:\n    x[i]' = v[i]\n"
                 "    v[i]' = F[i-1] - F[i]\n    init x[i] = 0\ninvariant p = sum(i in 1..N, v[i])\n"
                 "for i in 1..L: init v[i] = 1\nfor i in L+1..N: init v[i] = 0\nrun 0 .. %.17g\n",
                 rows[r].n, rows[r].hits, rows[r].k, rows[r].force, to);
        for (int i = 0; i < rows[r].hits; i++) v[i] = 1;
        follow_contacts(rows[r].n, rows[r].k, rows[r].p, to, x, v);
        keel_model *m = read_text(text);
        for (int t = 0; t < 5; t++)
            for (int by = (t + (int)r) % 2; by < 4; by += 2) {
                if (by == 3 && rows[r].p == 1.5) continue; /* there is no series at contact */
                keel_sim *s = keel_sim_open(m, &(keel_options){.method = methods[by], .rtol = tolerances[t]});
                keel_status status = keel_sim_run(s, to);
                if (status != KEEL_OK)
                    fail_msg("%s, rtol %g: %s\n%s", methods[by], tolerances[t], keel_sim_message(s), text);
                for (int i = 1; i <= rows[r].n; i++) {
                    char column[20];
                    snprintf(column, sizeof column, "v[%d]", i);
                    if (!(fabs(value_of(s, column) - v[i - 1]) <= 2e-6 + 300 * tolerances[t]))
                        fail_msg("%s, rtol %g: %s = %.12g, not %.12g\n%s", methods[by], tolerances[t], column,
                                 value_of(s, column), v[i - 1], text);
                }
                keel_sim_close(s);
            }
        keel_model_close(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(balls_that_exchange_velocities),
                                       cmocka_unit_test(balls_that_touch_by_round_off),
                                       cmocka_unit_test(bodies_with_stiff_contacts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
