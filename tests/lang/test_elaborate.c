/* test_elaborate.c - from the tree to a flat model: mistakes with their places, arrays and names, parameters
 * that change, and equations of motion against those written by hand. */
#include "example_list.h"

#include "lang/elaborate.h"
#include "lang/parser.h"
#include "symbolic/tape.h"

struct reading {
    struct source source;
    struct source_messages messages;
    struct pool pool;
    struct syntax_file *file;
    struct model *model;
    char *text;
};

static void read_request(struct reading *r, const char *text, const struct elaborate_request *request) {
    memset(r, 0, sizeof *r);
    r->source = (struct source){"a.keel", text, strlen(text)};
    r->file = parser_run(&r->source, &r->messages, &r->pool);
    if (r->file) r->model = elaborate_run(&r->source, r->file, request, &r->messages, &r->pool);
}

static void show(const struct reading *r) {
    static char out[32768];
    source_render_all(&r->source, &r->messages, out, sizeof out);
    print_error("%s", out);
}

static void finish(struct reading *r) {
    model_release(r->model);
    pool_release(&r->pool);
    free(r->text);
}

static struct model *read_well(struct reading *r, const char *text) {
    read_request(r, text, NULL);
    if (!r->model) show(r);
    assert_non_null(r->model);
    return r->model;
}

static struct model *read_example(struct reading *r, const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", KEEL_EXAMPLES_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    struct model *m = read_well(r, text);
    r->text = text;
    return m;
}

/* Mistakes ------------------------------------------------------------------------------------------- */

struct mistake {
    const char *text;
    int line, column; /* line 0: about the whole model; -1: anywhere */
    const char *sentence, *hint;
};

static const struct mistake mistakes[] = {
#include "elaborate_mistakes.def"
};

static int shows(const struct mistake *mistake, const struct reading *r) {
    const struct source_message *one = &r->messages.list[0];
    if (r->model || !r->file || r->messages.count != 1) return 0;
    if (!strstr(one->sentence, mistake->sentence) || !strstr(one->hint, mistake->hint)) return 0;
    if (mistake->line <= 0) return mistake->line < 0 || one->offset == SOURCE_NOWHERE;
    struct source_place place = source_place(&r->source, one->offset);
    return place.line == mistake->line && place.column == mistake->column;
}

static void every_mistake_has_its_message(void **unused) {
    (void)unused;
    int wrong = 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        struct reading r;
        read_request(&r, mistakes[i].text, NULL);
        if (!shows(&mistakes[i], &r)) {
            print_error("---- mistake %d, expected %d:%d %s (%s)\n%s", (int)i, mistakes[i].line,
                        mistakes[i].column, mistakes[i].sentence, mistakes[i].hint, mistakes[i].text);
            show(&r);
            wrong++;
        }
        finish(&r);
    }
    assert_int_equal(wrong, 0);
}

static void several_mistakes_are_found_in_one_go(void **unused) {
    (void)unused;
    struct reading r;
    read_request(&r, "var x, y\nx' = a\ny' = b\ninit x = c\nrun 0 .. 1\n", NULL);
    assert_null(r.model);
    assert_int_equal(r.messages.count, 3);
    finish(&r);
}

/* Values --------------------------------------------------------------------------------------------- */

/* Expressions at a point: derivatives of order k of unknown i stand in u[k*unknowns + i], multipliers after
 * order 2. */
static void evaluate(struct model *m, int count, const expr *e, double t, const double *u, double *out) {
    int n = m->unknowns, inputs = 0;
    struct tape_input *input = calloc((size_t)(4 * n + m->multipliers + m->parameters + 1), sizeof *input);
    double *p = calloc((size_t)m->parameters + 1, sizeof *p);
    input[inputs++] = (struct tape_input){expr_symbol(&m->graph, EXPR_TIME, 0, 0), TAPE_TIME, 0};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < n; i++)
            input[inputs++] =
                (struct tape_input){expr_symbol(&m->graph, EXPR_UNKNOWN, (uint32_t)i, (uint32_t)k),
                                    TAPE_STATE, (uint32_t)(k * n + i)};
    for (int i = 0; i < m->multipliers; i++)
        input[inputs++] = (struct tape_input){expr_symbol(&m->graph, EXPR_MULTIPLIER, (uint32_t)i, 0),
                                              TAPE_STATE, (uint32_t)(3 * n + i)};
    for (int i = 0; i < m->parameters; i++) {
        input[inputs++] = (struct tape_input){expr_symbol(&m->graph, EXPR_PARAMETER, (uint32_t)i, 0),
                                              TAPE_PARAMETER, (uint32_t)i};
        p[i] = m->parameter[i].number;
    }
    struct tape tape;
    expr missing;
    assert_int_equal(tape_build(&tape, &m->graph, (size_t)count, e, (size_t)inputs, input, &missing), 0);
    assert_int_equal(tape_call(&tape, t, u, p, out), 0);
    tape_free(&tape);
    free(input);
    free(p);
}

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

static void has_name(const struct model *m, expr symbol, const char *expected) {
    char name[64];
    model_name(m, symbol, name, sizeof name);
    assert_string_equal(name, expected);
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

/* Arrays and names ----------------------------------------------------------------------------------- */

static void every_example_elaborates(void **unused) {
    (void)unused;
    static struct example_list list;
    example_list_open(&list);
    for (int k = 0; k < list.count; k++) {
        struct reading r;
        read_example(&r, list.file[k]);
        finish(&r);
    }
}

static const char chain[] =
    "model chain\nparam N = 5, g = 9.81\ncoord x[1..N], y[1..N]\nlet X[0] = 0, Y[0] = 0\n"
    "for i in 1..N:\n    let X[i] = x[i], Y[i] = y[i]\n"
    "    constraint rod[i]: (X[i] - X[i-1])^2 + (Y[i] - Y[i-1])^2 = 1\n"
    "    init x[i] = i, y[i] = 0, x[i]' = 0, y[i]' = 0\n"
    "lagrangian sum(i in 1..N, (x[i]'^2 + y[i]'^2)/2 - g*y[i])\ninvariant energy\nrun 0 .. 3\n";

static void a_chain_of_five(void **unused) {
    (void)unused;
    struct reading r;
    struct model *m = read_well(&r, chain);
    assert_int_equal(m->unknowns, 10);
    assert_int_equal(m->multipliers, 5);
    assert_int_equal(m->mode[0].constraint.count, 5);
    assert_string_equal(m->mode[0].constraint.list[4].label.text, "rod[5]");
    assert_int_equal(m->mode[0].motion.gradient.row_start[5], 2 + 4 * 4);
    assert_true(m->parameter[0].structural && !m->parameter[1].structural);
    has_name(m, expr_symbol(&m->graph, EXPR_UNKNOWN, 6, 2), "y[2]''");
    has_name(m, expr_symbol(&m->graph, EXPR_MULTIPLIER, 1, 0), "lambda.rod[2]");
    has_name(m, m->init.list[6].target, "x[2]'");
    assert_below(fabs(model_number(m, m->init.list[4].value, 0) - 2), 0);
    finish(&r);
}

static expr equation(const struct model *m, int i) {
    return m->mode[0].equation.list[i].value;
}

static void arrays_follow_their_rules(void **unused) {
    (void)unused;
    struct reading r;
    double u[64], value[16];
    struct model *m = read_well(
        &r, "param A = ((1, 2), (3, 4)), k[2..3] = 5, e[1..0] = 7\n"
            "var x[1..2], y[1..2][1..2], z\n"
            "let f(a, b) = dot(a, b)*a, w[1] = x[1], w[2] = 2*w[1]\n"
            "x' = 2*x - x/4 + f(x, A[2]) - y[1]\n"
            "y' = 0\n"
            "z' = sum(i in 1..2, j in 1..2 if j != i, A[i][j]*x[j]) + k[3] + norm(w) + sum(i in 1..0, x[i])\n"
            "    + if(A[1][1] > 0, 10, 20) + der(x[1]*t) + w[2]' + if(1 == 2, x[7], 1)\n"
            "init x = 0, y = 0, z = 0\nrun 0 .. 1\n");
    assert_int_equal(m->unknowns, 7);
    assert_int_equal(m->parameters, 6);
    assert_string_equal(m->unknown[4].label.text, "y[2][1]");
    assert_string_equal(m->parameter[2].label.text, "A[2][1]");
    assert_int_equal(m->mode[0].equation.count, 7);
    for (int i = 0; i < 14; i++) u[i] = 0.1 * (i + 1);
    for (int i = 0; i < 7; i++) {
        expr e = equation(m, i);
        evaluate(m, 1, &e, 0.5, u, &value[i]);
    }
    double x1 = 0.1, x2 = 0.2, product = x1 * 3 + x2 * 4;
    assert_below(fabs(value[0] - (0.8 - (2 * x1 - x1 / 4 + product * x1 - 0.3))), 1e-14);
    assert_below(fabs(value[1] - (0.9 - (2 * x2 - x2 / 4 + product * x2 - 0.4))), 1e-14);
    assert_below(fabs(value[2] - 1.0), 1e-14);
    double rest = 2 * x2 + 3 * x1 + 5 + sqrt(5) * x1 + 10 + (0.8 * 0.5 + x1) + 2 * 0.8 + 1;
    assert_below(fabs(value[6] - (1.4 - rest)), 1e-14);
    finish(&r);
}

static void modes_have_their_own_lets_and_lines(void **unused) {
    (void)unused;
    struct reading r;
    struct model *m =
        read_well(&r, "var x, v\nlet G = 1*F\nx' = v\nv' = G\n"
                      "mode up:\n    let F = -1\n    event turn: v falling -> v := 0, mode down\n"
                      "mode down:\n    let F = 1 - v.enter\n    event back: v rising -> mode up, record\n"
                      "start down\ninit x = 0, v = 1\nrun 0 .. 1\n");
    double u[8] = {1, 2, 3, 4, 5, 6}, value;
    assert_int_equal(m->modes, 2);
    assert_int_equal(m->start, 1);
    assert_int_equal(m->mode[0].equation.count, 2);
    assert_true(m->mode[0].equation.list[1].common && !m->mode[0].event[0].common);
    expr e = m->mode[0].equation.list[1].value;
    evaluate(m, 1, &e, 0, u, &value);
    assert_below(fabs(value - 5), 1e-15);
    assert_int_not_equal(e, m->mode[1].equation.list[1].value);
    assert_int_equal(m->helds, 1);
    has_name(m, expr_symbol(&m->graph, EXPR_HELD, 0, 0), "v.enter");
    assert_int_equal(m->mode[0].event[0].actions, 2);
    assert_int_equal(m->mode[0].event[0].action[1].mode, 1);
    assert_int_equal(m->mode[0].event[0].direction, SYNTAX_FALLING);
    has_name(m, m->mode[0].event[0].action[0].target, "v");
    finish(&r);
}

static void values_that_are_given(void **unused) {
    (void)unused;
    struct reading r;
    struct model *m = read_example(&r, "henon.keel");
    assert_below(fabs(model_number(m, m->init.list[2].value, 0) -
                      sqrt(1.0 / 6 - 0.45 * 0.45 + 2 * 0.45 * 0.45 * 0.45 / 3)),
                 1e-15);
    finish(&r);
    m = read_example(&r, "andrews.keel");
    const struct model_givens *g = &m->reference[2].values;
    assert_int_equal(g->count, 7 + 7 + 7 + 6);
    assert_string_equal(g->list[0].digits, "15.81077119515370709711938730");
    assert_string_equal(g->list[14].digits, "-24631.76312287463447005079572");
    assert_int_equal(g->list[14].output, 0);
    has_name(m, g->list[21].target, "lambda.g[1]");
    has_name(m, m->mode[0].output.list[6].value, "ep''");
    finish(&r);
    m = read_example(&r, "robertson.keel");
    assert_string_equal(m->reference[4].values.list[2].digits, "0.9999999791665151693794");
    finish(&r);
    m = read_example(&r, "papers/adjust_kepler.keel");
    assert_string_equal(m->option[0].words, "rkf78+adjust");
    assert_below(fabs(model_number(m, m->option[1].value, 0) - 2 * acos(-1) * pow(1.1, 1.5) / 25), 1e-14);
    finish(&r);
}

/* Parameters ----------------------------------------------------------------------------------------- */

static void parameters_change_before_a_run(void **unused) {
    (void)unused;
    struct reading r;
    char message[320];
    struct model *m = read_well(&r, "param c = 2*b, b = a + m[2], a = 1, m[1..3] = (1, 2, 3), N = 2\n"
                                    "var x[1..N]\nx' = c*x\ninit x = a\nrun 0 .. b\n");
    static const char *const one[] = {"a=10"}, *const two[] = {"m[2] = 4*a", "a=2"},
                             *const all[] = {"m=(7, 8, 9)"};
    static const char *const size[] = {"N=3"}, *const wrong[] = {"z=1"}, *const bad[] = {"a=1/0"};
    static const char *const outside[] = {"m[4]=1"}, *const text[] = {"a"};
    assert_below(fabs(model_number(m, m->end, 0) - 3), 0);
    assert_int_equal(elaborate_set(m, 1, one, message, sizeof message), ELABORATE_DONE);
    assert_below(fabs(model_number(m, m->end, 0) - 12), 0);
    assert_below(fabs(model_number(m, m->init.list[1].value, 0) - 10), 0);
    enum elaborate_change change = elaborate_set(m, 2, two, message, sizeof message);
    assert_true(change == ELABORATE_DONE || change == ELABORATE_AGAIN);
    assert_int_equal(elaborate_set(m, 1, all, message, sizeof message), ELABORATE_DONE);
    assert_below(fabs(model_number(m, m->end, 0) - 9), 0);
    assert_int_equal(elaborate_set(m, 1, size, message, sizeof message), ELABORATE_AGAIN);
    assert_below(fabs(model_number(m, m->end, 0) - 9), 0);
    assert_int_equal(elaborate_set(m, 1, wrong, message, sizeof message), ELABORATE_REFUSED);
    assert_non_null(strstr(message, "no parameter `z`"));
    assert_int_equal(elaborate_set(m, 1, bad, message, sizeof message), ELABORATE_REFUSED);
    assert_int_equal(elaborate_set(m, 1, outside, message, sizeof message), ELABORATE_REFUSED);
    assert_int_equal(elaborate_set(m, 1, text, message, sizeof message), ELABORATE_REFUSED);
    assert_int_equal(elaborate_set(m, 0, NULL, message, sizeof message), ELABORATE_DONE);
    assert_below(fabs(model_number(m, m->end, 0) - 3), 0);
    finish(&r);
}

static void structural_parameters_are_set_by_another_elaboration(void **unused) {
    (void)unused;
    struct reading r;
    static const char *const set[] = {"N=7", "g = 2*N"};
    read_request(&r, chain, &(struct elaborate_request){.set = set, .sets = 2});
    if (!r.model) show(&r);
    assert_non_null(r.model);
    assert_int_equal(r.model->unknowns, 14);
    assert_int_equal(r.model->multipliers, 7);
    for (int i = 0; i < r.model->parameters; i++)
        if (strcmp(r.model->parameter[i].label.text, "g") == 0)
            assert_below(fabs(r.model->parameter[i].number - 14), 0);
    finish(&r);
    static const char *const wrong[] = {"M=7"};
    read_request(&r, chain, &(struct elaborate_request){.set = wrong, .sets = 1});
    assert_null(r.model);
    assert_non_null(strstr(r.messages.list[0].sentence, "no parameter `M`"));
    finish(&r);
    static const char *const span[] = {"N=2.5"};
    read_request(&r, chain, &(struct elaborate_request){.set = span, .sets = 1});
    assert_null(r.model);
    assert_non_null(strstr(r.messages.list[0].sentence, "not an integer"));
    finish(&r);
}

static void an_expression_in_the_names_of_the_model(void **unused) {
    (void)unused;
    struct reading r;
    struct model *m = read_well(&r, chain);
    struct source_messages messages = {0};
    struct source s = {"--step", "g/(2*N)", 7}, other = {"--step", "h", 1};
    expr e = elaborate_expression(m, &s, parser_run_expression(&s, &messages, &r.pool), &messages);
    assert_below(fabs(model_number(m, e, 0) - 0.981), 1e-15);
    e = elaborate_expression(m, &other, parser_run_expression(&other, &messages, &r.pool), &messages);
    assert_int_equal(e, EXPR_NONE);
    assert_int_equal(messages.errors, 1);
    finish(&r);
}

/* Memory that runs out gives a message, never a crash. */
static void memory_may_run_out(void **unused) {
    (void)unused;
    int refused = 0;
    for (size_t limit = 4096; limit < 200000; limit += 4096) {
        struct reading r;
        memset(&r, 0, sizeof r);
        r.source = (struct source){"a.keel", chain, strlen(chain)};
        r.pool.limit = limit;
        r.file = parser_run(&r.source, &r.messages, &r.pool);
        if (r.file) r.model = elaborate_run(&r.source, r.file, NULL, &r.messages, &r.pool);
        if (!r.model) {
            assert_true(r.messages.errors > 0);
            refused++;
        }
        finish(&r);
    }
    assert_true(refused > 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_has_its_message),
        cmocka_unit_test(several_mistakes_are_found_in_one_go),
        cmocka_unit_test(every_example_elaborates),
        cmocka_unit_test(lagrangians_give_the_motion_written_by_hand),
        cmocka_unit_test(double_pendulum),
        cmocka_unit_test(hamiltonians_give_the_motion_written_by_hand),
        cmocka_unit_test(multipliers_have_the_sign_of_the_language),
        cmocka_unit_test(a_rolling_constraint_acts_by_its_velocities),
        cmocka_unit_test(a_chain_of_five),
        cmocka_unit_test(arrays_follow_their_rules),
        cmocka_unit_test(modes_have_their_own_lets_and_lines),
        cmocka_unit_test(values_that_are_given),
        cmocka_unit_test(parameters_change_before_a_run),
        cmocka_unit_test(structural_parameters_are_set_by_another_elaboration),
        cmocka_unit_test(an_expression_in_the_names_of_the_model),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
