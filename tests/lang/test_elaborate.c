/* test_elaborate.c - from the tree to a flat model: mistakes with their places, arrays and names, and
 * parameters that change. */
#include "elaborated.h"
#include "example_list.h"

#include "lang/elaborate.h"
#include "lang/parser.h"

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

/* A model of equations has no energy of its own, so the name is free for one that is stated. */
static void equations_may_state_their_energy(void **unused) {
    (void)unused;
    struct reading r;
    struct model *m = read_well(&r, "var x, v\nx' = v\nv' = -x\ninvariant energy = x^2 + v^2\nrun 0 .. 1\n");
    assert_int_equal(m->mode[0].invariant.count, 1);
    assert_string_equal(m->mode[0].invariant.list[0].label.text, "energy");
    assert_false(m->mode[0].keeps_energy);
    finish(&r);
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
    struct source s = {"--step", "g/(2*N)", 7, 0}, other = {"--step", "h", 1, 0};
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
        r.source = (struct source){"a.keel", chain, strlen(chain), 0};
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
        cmocka_unit_test(equations_may_state_their_energy),
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
