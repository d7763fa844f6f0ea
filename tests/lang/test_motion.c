/* test_motion.c - equations of motion from energies, against those written by hand. */
#include "elaborated.h"
#include "example_list.h"

static double random_in(double low, double high) {
    return low + (high - low) * rand() / RAND_MAX;
}

static void close_to(const char *what, const double *a, const double *b, int n) {
    double size = 1e-300, worst = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(b[i]));
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    if (!(worst <= 1e-12 * size)) fail_msg("%s differs by %g of %g", what, worst, size);
}

static void dense(struct model *m, const struct derive_sparse *s, double t, const double *u, double *out) {
    double value[256];
    assert_true(s->row_start[s->rows] <= 256);
    evaluate(m, s->row_start[s->rows], s->value, t, u, value);
    memset(out, 0, (size_t)(s->rows * s->columns) * sizeof *out);
    for (int i = 0; i < s->rows; i++)
        for (int k = s->row_start[i]; k < s->row_start[i + 1]; k++)
            out[i * s->columns + s->column[k]] = value[k];
}

/* Mass, force, energy, constraints and their gradient against the problem's own, `factor` times for the
 * constraints. */
static void same_mechanics(struct model *m, const problem *p, double factor) {
    const struct model_mode *mode = &m->mode[0];
    const struct motion *motion = &mode->motion;
    int n = motion->n, rows = mode->constraint.count;
    double u[64], mine[256], theirs[256];
    expr row[16];
    assert_int_equal(2 * n, p->keel.n);
    assert_int_equal(rows, p->keel.constraint.count);
    for (int point = 0; point < 20; point++) {
        double t = random_in(0, 3);
        for (int i = 0; i < 2 * n; i++) u[i] = random_in(-1.5, 1.5);
        dense(m, &motion->mass, t, u, mine);
        for (int i = 0; i < n * n; i++) theirs[i] = i % (n + 1) == 0;
        if (p->keel.mass.value) p->keel.mass.value(t, u, theirs, p->keel.user);
        close_to("mass", mine, theirs, n * n);
        evaluate(m, n, motion->force, t, u, mine);
        p->keel.f.value(t, u, theirs, p->keel.user);
        close_to("force", mine, theirs, n);
        for (int i = 0; i < rows; i++) row[i] = mode->constraint.list[i].value;
        evaluate(m, rows, row, t, u, mine);
        p->keel.constraint.value(t, u, theirs, p->keel.user);
        for (int i = 0; i < rows; i++) theirs[i] *= factor;
        close_to("constraint", mine, theirs, rows);
        dense(m, &motion->gradient, t, u, mine);
        p->keel.constraint.jacobian(t, u, theirs, p->keel.user);
        for (int i = 0; i < rows * n; i++) theirs[i] *= factor;
        close_to("gradient", mine, theirs, rows * n);
        if (!p->keel.energy.value) continue;
        evaluate(m, 1, &mode->energy, t, u, mine);
        p->keel.energy.value(t, u, theirs, p->keel.user);
        close_to("energy", mine, theirs, 1);
    }
}

static void lagrangians_give_the_motion_written_by_hand(void **unused) {
    (void)unused;
    struct reading r;
    static problem p;
    srand(1);
    problem_pendulum(&p, 9.81);
    same_mechanics(read_example(&r, "pendulum.keel"), &p, 1.0);
    finish(&r);
    problem_car_axis(&p);
    same_mechanics(read_example(&r, "caraxis.keel"), &p, -1.0);
    finish(&r);
    problem_andrews(&p);
    same_mechanics(read_example(&r, "andrews.keel"), &p, 1.0);
    finish(&r);
}

/* Two rods of lengths 1 and l with masses 1 and m, angles a and b from the vertical. */
static void double_pendulum(void **unused) {
    (void)unused;
    struct reading r;
    struct model *model =
        read_well(&r, "param m = 0.7, l = 1.3, g = 9.81, d = 0.1\n"
                      "coord a, b\n"
                      "let x1 = sin(a), y1 = -cos(a), x2 = x1 + l*sin(b), y2 = y1 - l*cos(b)\n"
                      "lagrangian (x1'^2 + y1'^2 + m*(x2'^2 + y2'^2))/2 - g*(y1 + m*y2)\n"
                      "force a: -d*a'\nforce a: 1\n"
                      "invariant balance = energy\n"
                      "init a = 1, b = 0, a' = 0, b' = 0\nrun 0 .. 1\n");
    const struct motion *motion = &model->mode[0].motion;
    for (int point = 0; point < 20; point++) {
        double u[6], mine[4], m = 0.7, l = 1.3, g = 9.81;
        for (int i = 0; i < 6; i++) u[i] = random_in(-2, 2);
        double c = cos(u[0] - u[1]), s = sin(u[0] - u[1]);
        const double mass[] = {1 + m, m * l * c, m * l * c, m * l * l};
        const double force[] = {-m * l * s * u[3] * u[3] - (1 + m) * g * sin(u[0]) - 0.1 * u[2] + 1,
                                m * l * s * u[2] * u[2] - m * l * g * sin(u[1])};
        const double energy = (1 + m) * u[2] * u[2] / 2 + m * l * l * u[3] * u[3] / 2 +
                              m * l * c * u[2] * u[3] - (1 + m) * g * cos(u[0]) - m * g * l * cos(u[1]);
        dense(model, &motion->mass, 0, u, mine);
        close_to("mass", mine, mass, 4);
        evaluate(model, 2, motion->force, 0, u, mine);
        close_to("force", mine, force, 2);
        evaluate(model, 1, &model->mode[0].energy, 0, u, mine);
        close_to("energy", mine, &energy, 1);
        expr row = motion_equation(motion, &(struct derive){.g = &model->graph}, 0, NULL);
        double residual, expected = mass[0] * u[4] + mass[1] * u[5] - force[0];
        evaluate(model, 1, &row, 0, u, &residual);
        assert_below(fabs(residual - expected), 1e-12 * (fabs(expected) + 10));
    }
    finish(&r);
}

static void hamiltonians_give_the_motion_written_by_hand(void **unused) {
    (void)unused;
    static problem p;
    struct reading r;
    double u[32], mine[8], theirs[8];
    struct model *m = read_example(&r, "kepler.keel");
    problem_kepler_hamiltonian(&p, 0.6);
    for (int point = 0; point < 20; point++) {
        for (int i = 0; i < 4; i++) u[i] = random_in(-2, 2);
        evaluate(m, 2, m->mode[0].motion.rate, 0, u, mine);
        evaluate(m, 2, m->mode[0].motion.force, 0, u, mine + 2);
        p.keel.energy.jacobian(0, u, theirs, p.keel.user);
        const double rates[] = {theirs[2], theirs[3], -theirs[0], -theirs[1]};
        close_to("kepler", mine, rates, 4);
    }
    assert_int_equal(m->mode[0].invariant.count, 2);
    assert_string_equal(m->mode[0].invariant.list[0].label.text, "energy");
    assert_below(fabs(model_number(m, m->end, 0) - 50 * acos(-1)), 1e-12);
    finish(&r);
    m = read_example(&r, "toda.keel");
    for (int point = 0; point < 20; point++) {
        double rates[6];
        for (int i = 0; i < 6; i++) u[i] = random_in(-1, 1);
        for (int i = 0; i < 3; i++) {
            rates[i] = u[3 + i];
            rates[3 + i] = -exp(u[i] - u[(i + 1) % 3]) + exp(u[(i + 2) % 3] - u[i]);
        }
        evaluate(m, 3, m->mode[0].motion.rate, 0, u, mine);
        evaluate(m, 3, m->mode[0].motion.force, 0, u, mine + 3);
        close_to("toda", mine, rates, 6);
    }
    finish(&r);
    m = read_example(&r, "lotka_volterra.keel");
    u[0] = 1.7, u[1] = 0.4;
    const double rates[] = {-u[0] * u[1] * (2 / u[1] - 1), u[0] * u[1] * (1 / u[0] - 1)};
    evaluate(m, 2, m->mode[0].motion.rate, 0, u, mine);
    close_to("lotka", mine, rates, 2);
    finish(&r);
}

/* M q'' - F + G^T lambda, and p' + H_q + G^T lambda, with the sign that the language promises. */
static void multipliers_have_the_sign_of_the_language(void **unused) {
    (void)unused;
    struct reading r;
    struct model *m =
        read_well(&r, "coord x, y\nlagrangian (x'^2 + y'^2)/2 - 2*y\nconstraint rod: x^2 + y^2 = 1\n"
                      "init y = 0, y' = 0\nrun 0 .. 1\n");
    expr lambda = expr_symbol(&m->graph, EXPR_MULTIPLIER, 0, 0);
    expr row = motion_equation(&m->mode[0].motion, &(struct derive){.g = &m->graph}, 1, &lambda);
    const double u[] = {0.6, 0.8, 1, 2, 3, 4, 5};
    double value;
    evaluate(m, 1, &row, 0, u, &value);
    assert_below(fabs(value - (4 + 2 + 2 * 0.8 * 5)), 1e-14);
    finish(&r);
    m = read_well(&r, "canonical q, p\nhamiltonian p^2/2 + 3*q\nconstraint c: q^2 = t\nforce q: 7\ninit q = "
                      "1\nrun 0 .. 1\n");
    lambda = expr_symbol(&m->graph, EXPR_MULTIPLIER, 0, 0);
    row = motion_equation_momentum(&m->mode[0].motion, &(struct derive){.g = &m->graph}, 0, &lambda);
    const double v[] = {0.6, 0.8, 1, 2, 3, 4, 5};
    evaluate(m, 1, &row, 0, v, &value);
    assert_below(fabs(value - (2 + 3 - 7 + 2 * 0.6 * 5)), 1e-14);
    finish(&r);
}

static void a_rolling_constraint_acts_by_its_velocities(void **unused) {
    (void)unused;
    struct reading r;
    struct model *m = read_well(&r, "coord x, y, a\nlagrangian (x'^2 + y'^2 + a'^2)/2 - x\n"
                                    "constraint level: y*a = 1\nrolling skate: x'*sin(a) = y'*cos(a) + 1\n"
                                    "output side = lambda.skate\ninit x = 0, x' = 0\nrun 0 .. 1\n");
    const double u[12] = {0.1, 0.2, 0.3, 1, 2, 3};
    double mine[6];
    const double expected[] = {0, 0.3, 0.2, sin(0.3), -cos(0.3), 0};
    dense(m, &m->mode[0].motion.gradient, 0, u, mine);
    close_to("gradient", mine, expected, 6);
    has_name(m, m->mode[0].output.list[0].value, "lambda.skate");
    assert_true(m->multiplier[1].rolling);
    finish(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lagrangians_give_the_motion_written_by_hand),
        cmocka_unit_test(double_pendulum),
        cmocka_unit_test(hamiltonians_give_the_motion_written_by_hand),
        cmocka_unit_test(multipliers_have_the_sign_of_the_language),
        cmocka_unit_test(a_rolling_constraint_acts_by_its_velocities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
