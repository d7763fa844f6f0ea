/* test_taylor_large.c - Taylor series of large models, and with many unknowns to be solved for: masses,
 * constraints, algebraic variables.  Their motion is that of dop853; compiled they have the bits of the
 * interpreter, and as much code as they have kinds of equations. */
#include "extras.h"
#include "model_run.h"
#include "series.h"

#include "model/private.h"
#include "symbolic/series_roll.h"

/* Rods that hang from each other; N degrees of freedom, 3 N unknowns. */
static const char chain[] = "coord x[1..N], y[1..N]\nlet X[0] = 0, Y[0] = 0\nfor i in 1..N:\n"
                            "  let X[i] = x[i], Y[i] = y[i]\n"
                            "  constraint rod[i]: (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 = 1\n"
                            "  init x[i] = i, y[i] = 0, x[i]' = 0, y[i]' = 0\n"
                            "lagrangian sum(i in 1..N, (x[i]'^2 + y[i]'^2)/2 - 9.81*y[i])\nrun 0 .. 0.2\n";

/* A full mass matrix that moves. */
static const char coupled[] = "coord q[1..N]\nlet S = sum(i in 1..N, (1 + 0.1*cos(q[i]))*q[i]')\n"
                              "lagrangian sum(i in 1..N, q[i]'^2 - q[i]^2/2) + S^2/N\n"
                              "for i in 1..N:\n  init q[i] = sin(i), q[i]' = 0\nrun 0 .. 0.5\n";

/* The same rods in momenta, and cubic resistors in a square, whose voltages follow from charges. */
static const char hamiltonian[] =
    "canonical x[1..N], px[1..N]\ncanonical y[1..N], py[1..N]\nlet X[0] = 0, Y[0] = 0\n"
    "for i in 1..N:\n  let X[i] = x[i], Y[i] = y[i]\n"
    "  constraint rod[i]: (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 = 1\n"
    "  init x[i] = i, y[i] = 0, px[i] = 0, py[i] = 0\n"
    "hamiltonian sum(i in 1..N, (px[i]^2 + py[i]^2)/2 + 9.81*y[i])\nrun 0 .. 0.2\n";
static const char square[] =
    "var x[1..N][1..N], u[0..N+1][0..N+1]\nfor i in 0..N+1:\n  u[i][0] = 1\n  u[i][N+1] = 0\n"
    "for i in 1..N:\n  u[0][i] = 1\n  u[N+1][i] = 0\n"
    "for i in 1..N:\n for j in 1..N:\n  x[i][j]' = u[i][j] - x[i][j]\n  init x[i][j] = sin(i*j/N)\n"
    "  u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1] - 4*u[i][j] - u[i][j]^3 - (u[i][j] - x[i][j]) = 0\n"
    "run 0 .. 0.5\n";

/* A line with all kinds of recurrences, and one where each needs the one before. */
static const char line[] =
    "var x[1..N], v[1..N]\nlet X[0] = 0, X[N+1] = 1\nfor i in 1..N:\n  let X[i] = x[i]\n"
    "  init x[i] = i/(N+1) + 0.1*sin(i), v[i] = 0\n  x[i]' = v[i]\n"
    "let F(r) = r^3 + sqrt(1 + r^2) - 1/(2 + r) + (1 + r^2)^1.5 + exp(r)/10 + max(r, 0.1*r)\n"
    "for i in 1..N: v[i]' = F(X[i+1] - x[i]) - F(x[i] - X[i-1]) - 0.1*sin(v[i]) + cos(t)\nrun 0 .. 0.2\n";
static const char levels[] = "var x[1..N]\nlet S[0] = 1\nfor i in 1..N:\n  let S[i] = sin(S[i-1] + x[i])\n"
                             "  init x[i] = i/N\n  x[i]' = S[i]*x[i]\nrun 0 .. 0.5\n";

static const struct {
    const char *name, *text;
    int n;
} table[] = {{"rods", chain, 60},    {"coupled", coupled, 140}, {"momenta", hamiltonian, 40},
             {"square", square, 14}, {"line", line, 300},       {"levels", levels, 300}};
enum { MODELS = sizeof table / sizeof *table };

static keel_model *read(int i, int n) {
    char text[2000];
    snprintf(text, sizeof text, "param N = %d\n%s", n, table[i].text);
    const keel_model_options o = {.interpret = 1, .method = "taylor"};
    keel_model *m = keel_model_read(table[i].name, text, strlen(text), &o);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    if (!keel_extras_of(problem_of(m))->series.value) fail_msg("%s has no series", table[i].name);
    return m;
}

static const struct series *series_of(const keel_model *m) {
    return &m->mode[m->model->start]->functions.recurrences;
}

static void any_number_of_unknowns_can_be_solved_for(void **state) {
    (void)state;
    for (int i = 0; i < MODELS; i++) {
        keel_model *m = read(i, table[i].n);
        const keel_problem *p = problem_of(m);
        keel_options o = {.rtol = 1e-12, .method = "taylor+project"};
        double from, to;
        keel_model_span(m, &from, &to);
        keel_solver *s = keel_open(p, &o);
        o.method = "dop853+project";
        keel_solver *reference = keel_open(p, &o);
        assert_ok(s, keel_run(s, to));
        assert_ok(reference, keel_run(reference, to));
        for (int j = 0; j < p->n; j++)
            if (!(fabs(keel_state(s)[j] - keel_state(reference)[j]) <=
                  1e-10 * fmax(1, fabs(keel_state(s)[j]))))
                fail_msg("%s: %s = %.15g, not %.15g", table[i].name, p->names[j], keel_state(s)[j],
                         keel_state(reference)[j]);
        keel_close(s);
        keel_close(reference);
        keel_model_close(m);
    }
}

/* Few unknowns with fronts, written straight, then enough for loops. */
static void compiled_series_have_the_bits_of_the_interpreter(void **state) {
    enum { SETS = 9 };
    static const struct {
        int model, n, fronts;
    } set[SETS] = {{0, 12, 1}, {1, 10, 0}, {2, 30, 1},  {3, 8, 1},  {0, 60, 1},
                   {2, 70, 1}, {3, 20, 1}, {4, 100, 0}, {5, 300, 0}};
    keel_model *model[SETS];
    char name[40], message[400];
    struct emit e;
    struct compile_unit unit;
    (void)state;
    emit_open(&e);
    for (int i = 0; i < SETS; i++) {
        model[i] = read(set[i].model, set[i].n);
        const struct series *s = series_of(model[i]);
        assert_int_equal(s->fronts.m > 0, set[i].fronts);
        if (i > 3) assert_true(series_lines(s) < s->count + s->again);
        snprintf(name, sizeof name, "x%d", i);
        assert_int_equal(emit_series(&e, name, s), 0);
    }
    if (compile_load(e.text, NULL, &unit, message, sizeof message) != COMPILE_READY) fail_msg("%s", message);
    for (int i = 0; i < SETS; i++) {
        snprintf(name, sizeof name, "x%d", i);
        same_bits(problem_of(model[i]), compile_series(&unit, name), 17);
        keel_model_close(model[i]);
    }
    compile_close(&unit);
    emit_close(&e);
}

/* Twice as long: the same lines of C. */
static void code_does_not_grow_with_the_model(void **state) {
    (void)state;
    static const int of[] = {0, 4, 5};
    for (int i = 0; i < 3; i++) {
        keel_model *small = read(of[i], 150), *large = read(of[i], 300);
        size_t lines = series_lines(series_of(small));
        assert_true(lines > 0 && lines < 200);
        assert_int_equal(series_lines(series_of(large)), lines);
        assert_true(series_of(large)->count > 1.9 * series_of(small)->count);
        keel_model_close(small);
        keel_model_close(large);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_unknowns_can_be_solved_for),
        cmocka_unit_test(compiled_series_have_the_bits_of_the_interpreter),
        cmocka_unit_test(code_does_not_grow_with_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
