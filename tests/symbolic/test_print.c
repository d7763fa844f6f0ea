/* test_print.c - expressions as text: what is printed is read back as the same node, or as one with the same
 * bits everywhere; texts that do not fit. */
#include "example_list.h"

#include "lang/elaborate.h"
#include "symbolic/expr_print.h"
#include "lang/library.h"
#include "lang/parser.h"
#include "lang/parts.h"
#include "lang_random.h"

enum { ROOM = 1 << 16, POINTS = 5 };

struct reading {
    struct source source;
    struct source_messages messages;
    struct pool pool;
    struct model *model;
    char *text;
};

static struct model *open_model(struct reading *r, const char *name, const char *text) {
    memset(r, 0, sizeof *r);
    r->source = (struct source){name, text, strlen(text), 0};
    struct syntax_file *file = parser_run(&r->source, &r->messages, &r->pool);
    if (file && library_append(&r->source, file, &r->messages, &r->pool))
        file = parser_run(&r->source, &r->messages, &r->pool);
    if (file) file = parts_expand(&r->source, file, &r->messages, &r->pool);
    if (file) r->model = elaborate_run(&r->source, file, NULL, &r->messages, &r->pool);
    if (!r->model) fail_msg("%s: %s", name, r->messages.list[0].sentence);
    return r->model;
}

static void close_model(struct reading *r) {
    model_release(r->model);
    pool_release(&r->pool);
    free(r->text);
}

/* What the text stands for in the model; EXPR_NONE with the reason in `why`. */
static expr read_back(struct reading *r, const char *text, struct source_messages *why) {
    struct source s = {"printed", text, strlen(text), 0};
    memset(why, 0, sizeof *why);
    struct syntax_node *node = parser_run_expression(&s, why, &r->pool);
    return node ? elaborate_expression(r->model, &s, node, why) : EXPR_NONE;
}

/* A number for every symbol, the same in all expressions. */
static double value_of(struct expr_node n, int point) {
    struct random r = {.seed = n.a * 1000003u + n.b * 7919u + n.c * 31u + (uint64_t)point * 104729u};
    for (int i = 0; i < 4; i++) random_bits(&r);
    return random_number(&r, point % 2 ? -2 : 0, 2);
}

static void values(struct graph *g, const expr *root, int point, double out[2]) {
    struct expr_list list;
    assert_int_equal(expr_order(g, 2, root, &list), 0);
    double *v = calloc(g->count, sizeof *v);
    for (size_t i = 0; i < list.count; i++) {
        expr e = list.item[i];
        struct expr_node n = g->node[e];
        if (expr_is_constant(g, e, &v[e])) continue;
        if (n.op == EXPR_SYMBOL) v[e] = value_of(n, point);
        else if (n.op == EXPR_IF) v[e] = v[n.a] != 0 ? v[n.b] : v[n.c];
        else if (n.op == EXPR_POWI) v[e] = expr_integer_power(v[n.a], (int32_t)n.b);
        else v[e] = expr_value((enum expr_op)n.op, v[n.a], v[n.b]);
    }
    for (int k = 0; k < 2; k++) out[k] = v[root[k]];
    free(v);
    free(list.item);
}

struct count {
    int same, alike, refused;
};

/* Numbers that give no number, as log(-1) or 1/0, are refused by the language and left in the graph. */
static void comes_back(struct reading *r, expr e, struct count *count) {
    static char text[ROOM];
    static struct source_messages why;
    size_t length = model_print(r->model, e, text, sizeof text);
    assert_int_equal(length, strlen(text));
    expr back = read_back(r, text, &why);
    if (back == e) count->same++;
    else if (back == EXPR_NONE) {
        const char *sentence = why.list[0].sentence;
        if (!strstr(sentence, "not a finite number") && !strstr(sentence, "division by zero"))
            fail_msg("%s: %s", text, sentence);
        count->refused++;
    } else {
        const expr both[2] = {e, back};
        for (int point = 0; point < POINTS; point++) {
            double v[2];
            values(&r->model->graph, both, point, v);
            if (!(isnan(v[0]) && isnan(v[1])) && memcmp(&v[0], &v[1], sizeof v[0]) != 0)
                fail_msg("%s: %.17g, read back %.17g", text, v[0], v[1]);
        }
        count->alike++;
    }
}

static const char plain[] = "var x, y, z, w\nparam a = 0.5, b = 0.25\nx' = y\ny' = z\nz' = w\nw' = x\n"
                            "init x = 1, y = 1, z = 1, w = 1\nrun 0 .. 1\n";

static void random_expressions_come_back(void **unused) {
    (void)unused;
    enum { EXPRESSIONS = 10000, A_MODEL = 500 };
    struct count count = {0};
    for (int from = 0; from < EXPRESSIONS; from += A_MODEL) {
        struct reading r;
        struct random random;
        struct model *m = open_model(&r, "plain", plain);
        random_open(&random, &m->graph, 5 + (uint64_t)from, 0);
        for (int i = 0; i < A_MODEL; i++) comes_back(&r, random_expr(&random, 1 + i % 7), &count);
        close_model(&r);
    }
    print_message("%d the same node, %d the same bits, %d refused as not finite\n", count.same, count.alike,
                  count.refused);
    assert_true(count.same > EXPRESSIONS / 2 && count.refused < EXPRESSIONS / 8);
}

/* Every shortest number is the number; of all orders of magnitude. */
static void numbers_come_back(void **unused) {
    (void)unused;
    struct reading r;
    struct model *m = open_model(&r, "plain", plain);
    struct random random = {.seed = 3};
    struct count count = {0};
    for (int i = 0; i < 3000; i++) {
        uint64_t bits = (uint64_t)random_bits(&random) << 33 ^ (uint64_t)random_bits(&random) << 10 ^ 1;
        double value = i % 3 ? ldexp(random_number(&random, -1, 1), random_below(&random, 120) - 60) : 0;
        if (i % 3 == 0) memcpy(&value, &bits, sizeof value);
        if (i % 7 == 0)
            value = (random_below(&random, 2000) - 1000) * pow(10, random_below(&random, 40) - 20);
        if (isfinite(value)) comes_back(&r, expr_constant(&m->graph, value), &count);
    }
    assert_int_equal(count.alike + count.refused, 0);
    close_model(&r);
}

/* All rows of a mode, their derivatives in time, and their gradients. */
static void mode_comes_back(struct reading *r, const struct model_mode *mode, struct count *count) {
    const struct model_rows *rows[] = {&mode->equation, &mode->constraint, &mode->rolling, &mode->invariant,
                                       &mode->output};
    struct model *m = r->model;
    struct derive d;
    expr *symbol = calloc((size_t)m->unknowns + 1, sizeof *symbol),
         *slope = calloc((size_t)m->unknowns + 1, sizeof *slope);
    derive_open(&d, &m->graph, 1);
    for (int i = 0; i < m->unknowns; i++) symbol[i] = expr_symbol(&m->graph, EXPR_UNKNOWN, (uint32_t)i, 0);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int i = 0; i < rows[k]->count; i++) {
            expr f = rows[k]->list[i].value;
            for (int order = 0; order < 3 && f != EXPR_NONE; order++, f = derive_total(&d, f))
                comes_back(r, f, count);
            if (derive_gradient(&d, rows[k]->list[i].value, m->unknowns, symbol, slope)) continue;
            for (int j = 0; j < m->unknowns; j++) comes_back(r, slope[j], count);
        }
    for (int i = 0; i < mode->motion.n; i++) {
        if (mode->motion.force) comes_back(r, mode->motion.force[i], count);
        if (mode->motion.rate) comes_back(r, mode->motion.rate[i], count);
    }
    if (mode->energy) comes_back(r, mode->energy, count);
    derive_close(&d);
    free(symbol);
    free(slope);
}

static void the_models_come_back(void **unused) {
    (void)unused;
    static struct example_list list;
    struct count count = {0};
    example_list_open(&list);
    for (int k = 0; k < list.count; k++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", KEEL_EXAMPLES_DIR, list.file[k]);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        char *text = calloc(1, 1 << 16);
        assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
        fclose(file);
        struct reading r;
        struct model *m = open_model(&r, list.file[k], text);
        r.text = text;
        for (int i = 0; i < m->modes; i++) mode_comes_back(&r, &m->mode[i], &count);
        close_model(&r);
    }
    print_message("%d the same node, %d the same bits\n", count.same, count.alike);
    assert_true(count.same > 1000);
    assert_int_equal(count.refused, 0);
}

static const char named[] = "param k = 2\ncoord q[1..2][1..2], x\n"
                            "constraint rod[2]: q[1][1]^2 + q[1][2]^2 = 1\n"
                            "lagrangian (q[1][1]'^2 + q[1][2]'^2 + q[2][1]'^2 + q[2][2]'^2 + x'^2)/2\n"
                            "init q = ((1, 0), (0, 0)), q' = ((0, 0), (0, 0)), x = 0, x' = 0\nrun 0 .. 1\n";

/* Texts that must be printed just so, and others with what is printed for them; each is read first. */
static const char *const same[] = {"2*x*x' + 2*k*q[1][2]",
                                   "q[1][2]'^2",
                                   "q[1][2]''^2 + x'^-3",
                                   "-x^2",
                                   "(k - x)^2",
                                   "x^k^2",
                                   "(x^k)^t",
                                   "k/x/t",
                                   "k/(x/t)",
                                   "k/(x*t)",
                                   "k - (x - t)",
                                   "k - (x + t)",
                                   "k - x + t",
                                   "k - x - t",
                                   "k*(x + t)",
                                   "-(x + k)",
                                   "-x*k",
                                   "x - 2*k*t",
                                   "x^-k",
                                   "2^-x",
                                   "(-2)^x",
                                   "-2^x",
                                   "0.1*x",
                                   "x/3",
                                   "1e-5*x",
                                   "1.5e20 + x",
                                   "123456.75*x",
                                   "100000*x",
                                   "0.0001*x",
                                   "if(x < k, x, -k)",
                                   "if(x < k and k <= t, x, k)",
                                   "(x < k or t == x) and not x != k",
                                   "not (x < k and t < k)",
                                   "(x < k) < (t < k)",
                                   "(x < k) + 1",
                                   "min(x, k + 1) - max(x, t)",
                                   "sin(x)^2*cos(x'/2)",
                                   "atan2(x, -x')",
                                   "sn(k*t, 0.5)/ellipk(x^2)",
                                   "lambda.rod[2]*x",
                                   "lambda.rod[2]'^2 - x.start^2",
                                   "x'.enter*q[2][1]",
                                   "abs(x)*sign(x)*mod(x, 2)",
                                   "-sin(x)*k/t",

                                   "hypot(x, k)",
                                   "jacobieps(x, k) - jacobisd2(x, -k)*ellipe(k)",
                                   "-0.5*x",
                                   "x - 0.5",
                                   "x + 0",
                                   "-0"};
static const char *const turned[][2] = {{"t*-3 + x*t/-7", "-t*3 - x*t/7"},
                                        {"x + -2", "x - 2"},
                                        {"x - -2*k", "x + 2*k"},
                                        {"(-1)*x", "-x"},
                                        {"x > k", "k < x"},
                                        {"k >= x + 1", "x + 1 <= k"},
                                        {"x + (-3*k)/t", "x - 3*k/t"},
                                        {"-(2*x)", "-2*x"},
                                        {"-(-2*x)", "2*x"},
                                        {"((x))*((k + 1))", "x*(k + 1)"},
                                        {"x*(-k)", "-x*k"},
                                        {"0.1e0 + x", "0.1 + x"},
                                        {"der(x^2)", "2*x*x'"}};

static void the_form_is_the_usual_one(void **unused) {
    (void)unused;
    struct reading r;
    struct model *m = open_model(&r, "named", named);
    size_t count = sizeof same / sizeof *same, more = sizeof turned / sizeof *turned;
    for (size_t i = 0; i < count + more; i++) {
        struct source_messages why;
        char text[200];
        const char *from = i < count ? same[i] : turned[i - count][0];
        const char *wanted = i < count ? from : turned[i - count][1];
        expr e = read_back(&r, from, &why);
        if (e == EXPR_NONE) fail_msg("%s: %s", from, why.list[0].sentence);
        model_print(m, e, text, sizeof text);
        assert_string_equal(text, wanted);
    }
    close_model(&r);
}

static size_t asked;

static void short_name(void *user, expr symbol, char *out, size_t capacity) {
    const struct graph *g = user;
    asked++;
    snprintf(out, capacity, "x[%u]", g->node[symbol].b);
}

static int ends_in_dots(const char *text) {
    size_t length = strlen(text);
    return length >= 3 && strcmp(text + length - 3, "...") == 0;
}

/* A text that is too long is cut after a whole piece, for every room, and never overruns. */
static void a_text_is_cut_to_its_room(void **unused) {
    (void)unused;
    static const char whole[] = "123.25*x[7]^2 - sin(x[10] + x[7])/if(x[7] < 0.125, x[10], -7)";
    struct graph g;
    assert_int_equal(expr_open(&g), 0);
    expr x = expr_symbol(&g, EXPR_UNKNOWN, 7, 0), y = expr_symbol(&g, EXPR_UNKNOWN, 10, 0);
    expr square = expr_make(&g, EXPR_MUL, expr_constant(&g, 123.25), expr_powi(&g, x, 2), 0);
    expr sine = expr_make(&g, EXPR_SIN, expr_make(&g, EXPR_ADD, y, x, 0), 0, 0);
    expr choice = expr_make(&g, EXPR_IF, expr_make(&g, EXPR_LT, x, expr_constant(&g, 0.125), 0), y,
                            expr_constant(&g, -7));
    expr f = expr_make(&g, EXPR_SUB, square, expr_make(&g, EXPR_DIV, sine, choice, 0), 0);
    for (size_t capacity = 0; capacity < sizeof whole + 3; capacity++) {
        char *out = malloc(capacity + 1);
        out[capacity] = 'z';
        size_t length = expr_print(&g, f, short_name, &g, out, capacity);
        assert_true(out[capacity] == 'z');
        if (capacity > 0) assert_int_equal(length, strlen(out));
        if (capacity >= sizeof whole) assert_string_equal(out, whole);
        else if (capacity >= 4) {
            assert_true(ends_in_dots(out) && length < capacity);
            assert_memory_equal(out, whole, length - 3);
            char before = length > 3 ? out[length - 4] : ' ', after = whole[length - 3];
            assert_false(strchr("0123456789.", before) && strchr("0123456789.", after)); /* no half numbers */
        }
        free(out);
    }
    expr_close(&g);
}

/* x <- x*x + x, sixty times, is 2^60 names long; a sum of 10^5 terms is as deep; so is a nest of brackets. */
static void long_texts_cost_no_more_than_their_room(void **unused) {
    (void)unused;
    enum { TERMS = 30000 };
    struct graph g;
    char out[400];
    assert_int_equal(expr_open(&g), 0);
    expr x = expr_symbol(&g, EXPR_UNKNOWN, 1, 0), shared = x, sum = x, nest = x;
    for (int i = 0; i < 60; i++)
        shared = expr_make(&g, EXPR_ADD, expr_make(&g, EXPR_MUL, shared, shared, 0), shared, 0);
    for (uint32_t i = 2; i <= TERMS; i++) {
        sum = expr_make(&g, EXPR_ADD, sum, expr_symbol(&g, EXPR_UNKNOWN, i, 0), 0);
        nest = expr_make(&g, EXPR_SUB, expr_symbol(&g, EXPR_UNKNOWN, i, 0), nest, 0);
    }
    const expr all[3] = {shared, sum, nest};
    for (int i = 0; i < 3; i++) {
        asked = 0;
        size_t length = expr_print(&g, all[i], short_name, &g, out, sizeof out);
        assert_true(length > sizeof out - 12 && length < sizeof out && ends_in_dots(out));
        assert_true(asked < sizeof out);
    }
    expr_print(&g, sum, short_name, &g, out, 40);
    assert_string_equal(out, "x[1] + x[2] + x[3] + x[4] + x[5] + ...");
    static char large[1 << 20];
    expr_print(&g, sum, short_name, &g, large, sizeof large); /* more pieces than are kept */
    assert_true(ends_in_dots(large) && strstr(large, " + x[1000] + x[1001] + ") != NULL);
    expr_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_expressions_come_back),
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(the_models_come_back),
        cmocka_unit_test(the_form_is_the_usual_one),
        cmocka_unit_test(a_text_is_cut_to_its_room),
        cmocka_unit_test(long_texts_cost_no_more_than_their_room),
    };
    return cmocka_run_group_tests_name("print", tests, NULL, NULL);
}
