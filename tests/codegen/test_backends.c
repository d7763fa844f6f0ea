/* test_backends.c - the interpreter and the compiled model agree to the last bit; code that grows linearly.
 *
 * A NaN counts as equal to a NaN: its sign and payload depend on which operand the processor sees first. */
#include "testing.h"
#include "backends.h"
#include "cache.h"
#include "lang_random.h"

#include "codegen/compile.h"
#include "symbolic/derive.h"
#include "codegen/emit.h"

#include <time.h>

enum { GROUPS = 40, OUTPUTS = 50, POINTS = 40 };

/* What an emitted function takes as `user`: it begins with the parameters, whatever follows. */
struct user {
    const double *parameters;
};

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int same_bits(double x, double y) {
    return (x != x && y != y) || memcmp(&x, &y, sizeof x) == 0;
}

static void bind(const struct random *r, struct tape_input *input) {
    input[0] = (struct tape_input){r->symbol[0], TAPE_TIME, 0};
    for (uint32_t i = 0; i < RANDOM_STATES; i++)
        input[1 + i] = (struct tape_input){r->symbol[1 + i], TAPE_STATE, i};
    for (uint32_t i = 0; i < RANDOM_PARAMETERS; i++)
        input[1 + RANDOM_STATES + i] =
            (struct tape_input){r->symbol[1 + RANDOM_STATES + i], TAPE_PARAMETER, i};
}

static struct tape build(struct graph *g, size_t count, const expr *out, size_t inputs,
                         const struct tape_input *in) {
    struct tape t;
    expr missing;
    assert_int_equal(tape_build(&t, g, count, out, inputs, in, &missing), 0);
    return t;
}

/* A coordinate: mostly ordinary, sometimes one of those that break things. */
static double coordinate(struct random *r) {
    static const double special[] = {0.0,    -0.0,   1,       -1,    INFINITY, -INFINITY,
                                     NAN,    5e-324, -5e-324, 1e308, -1e308,   2.2e-308,
                                     1e-160, 0.5,    M_PI_2,  1e17,  -3e5};
    if (random_below(r, 3) == 0) return special[random_below(r, sizeof special / sizeof *special)];
    return random_number(r, -3, 3);
}

/* Node by node, without any tape: a third way to the same bits. */
static void evaluate(struct graph *g, size_t count, const expr *out, const struct random *r, double t,
                     const double *u, const double *p, double *value) {
    struct expr_list list;
    assert_int_equal(expr_order(g, count, out, &list), 0);
    double *v = calloc(g->count, sizeof *v);
    for (size_t i = 0; i < list.count; i++) {
        expr e = list.item[i];
        struct expr_node n = g->node[e];
        if (expr_is_constant(g, e, &v[e])) continue;
        if (n.op == EXPR_SYMBOL) v[e] = n.a == EXPR_TIME ? t : n.a == EXPR_UNKNOWN ? u[n.b] : p[n.b];
        else if (n.op == EXPR_IF) v[e] = v[n.a] != 0 ? v[n.b] : v[n.c];
        else if (n.op == EXPR_POWI && n.b == 3 && g->node[n.a].op == EXPR_SQRT)
            v[e] = v[g->node[n.a].a] * v[n.a];
        else if (n.op == EXPR_POWI) v[e] = expr_integer_power(v[n.a], (int32_t)n.b);
        else v[e] = expr_value((enum expr_op)n.op, v[n.a], v[n.b]);
    }
    for (size_t i = 0; i < count; i++) value[i] = v[out[i]];
    (void)r;
    free(v);
    free(list.item);
}

static void three_ways_one_answer(void **state) {
    (void)state;
    struct graph g;
    struct random r;
    struct emit e;
    struct derive d;
    struct tape tape[GROUPS];
    struct tape_input input[RANDOM_SYMBOLS];
    static expr out[GROUPS][OUTPUTS];
    char name[32];
    assert_int_equal(expr_open(&g), 0);
    random_open(&r, &g, 1, 0);
    bind(&r, input);
    emit_open(&e);
    derive_open(&d, &g, 1);
    for (int i = 0; i < GROUPS; i++) {
        for (int k = 0; k < OUTPUTS; k++) {
            expr slope = k % 5 == 4 ? derive_partial(&d, out[i][k - 1], r.symbol[1 + k % 4]) : EXPR_NONE;
            out[i][k] = slope ? slope : random_expr(&r, 3 + k % 5);
        }
        tape[i] = build(&g, OUTPUTS, out[i], RANDOM_SYMBOLS, input);
        snprintf(name, sizeof name, "group%d", i);
        assert_int_equal(emit_function(&e, name, &tape[i]), 0);
    }
    struct compile_unit unit = load(e.text);
    size_t differ = 0, numbers = 0;
    for (int i = 0; i < GROUPS; i++) {
        snprintf(name, sizeof name, "group%d", i);
        keel_fn *compiled = compile_function(&unit, name);
        assert_non_null(compiled);
        for (int point = 0; point < POINTS; point++) {
            double u[RANDOM_STATES], p[RANDOM_PARAMETERS], t = coordinate(&r), x[OUTPUTS], y[OUTPUTS],
                                                           z[OUTPUTS];
            for (int k = 0; k < RANDOM_STATES; k++) u[k] = coordinate(&r);
            for (int k = 0; k < RANDOM_PARAMETERS; k++) p[k] = coordinate(&r);
            assert_int_equal(tape_call(&tape[i], t, u, p, x), 0);
            assert_int_equal(compiled(t, u, y, &(struct user){p}), 0);
            evaluate(&g, OUTPUTS, out[i], &r, t, u, p, z);
            for (int k = 0; k < OUTPUTS; k++) {
                differ += !same_bits(x[k], y[k]) || !same_bits(x[k], z[k]);
                numbers += isfinite(x[k]) != 0;
            }
        }
    }
    print_message("%d expressions, %d points each, %zu finite values, %u nodes, %zu bytes of C\n",
                  GROUPS * OUTPUTS, POINTS, numbers, g.count, e.length);
    assert_int_equal(differ, 0);
    assert_true(numbers > (size_t)GROUPS * OUTPUTS * POINTS / 8);
    for (int i = 0; i < GROUPS; i++) tape_free(&tape[i]);
    derive_close(&d);
    compile_close(&unit);
    emit_close(&e);
    expr_close(&g);
}

/* The chain of LANGUAGE.md: N links, g_i = (X_i - X_{i-1})^2 + (Y_i - Y_{i-1})^2 - 1, its Jacobian, and
 * both of d/dt g and d2/dt2 g: what an index-3 model needs. */
struct chain {
    struct graph g;
    struct tape_input *input;
    size_t inputs, outputs;
    expr *out;
};

static void chain_bind(struct chain *c, expr symbol, uint32_t index) {
    c->input[c->inputs++] = (struct tape_input){symbol, TAPE_STATE, index};
}

static void chain_open(struct chain *c, int n) {
    struct derive d;
    struct derive_sparse jacobian;
    size_t states = 2 * (size_t)n;
    expr *x = malloc(states * sizeof *x), *f = malloc((size_t)n * sizeof *f);
    *c = (struct chain){.input = malloc(3 * states * sizeof *c->input),
                        .out = malloc(20 * states * sizeof *c->out)};
    assert_int_equal(expr_open(&c->g), 0);
    struct graph *g = &c->g;
    expr zero = expr_constant(g, 0), one = expr_constant(g, 1);
    for (uint32_t i = 0; i < states; i++) {
        x[i] = expr_symbol(g, EXPR_UNKNOWN, i, 0);
        for (uint32_t order = 0; order < 3; order++)
            chain_bind(c, expr_symbol(g, EXPR_UNKNOWN, i, order), i + order * (uint32_t)states);
    }
    for (int i = 0; i < n; i++) {
        expr dx = expr_make(g, EXPR_SUB, x[2 * i], i ? x[2 * i - 2] : zero, 0);
        expr dy = expr_make(g, EXPR_SUB, x[2 * i + 1], i ? x[2 * i - 1] : zero, 0);
        expr square = expr_make(g, EXPR_ADD, expr_powi(g, dx, 2), expr_powi(g, dy, 2), 0);
        f[i] = expr_make(g, EXPR_SUB, square, one, 0);
    }
    derive_open(&d, g, 0);
    for (int i = 0; i < n; i++) {
        expr rate = derive_total(&d, f[i]);
        c->out[c->outputs++] = f[i];
        c->out[c->outputs++] = rate;
        c->out[c->outputs++] = derive_total(&d, rate);
        c->out[c->outputs++] = derive_terms(g, f[i]);
    }
    assert_int_equal(derive_jacobian(&d, n, f, (int)states, x, &jacobian), 0);
    assert_int_equal(jacobian.row_start[n], 4 * n - 2);
    for (int k = 0; k < jacobian.row_start[n]; k++) c->out[c->outputs++] = jacobian.value[k];
    derive_free(&jacobian);
    derive_close(&d);
    free(x);
    free(f);
}

static void chain_close(struct chain *c) {
    free(c->input);
    free(c->out);
    expr_close(&c->g);
}

/* Nodes and operations are proportional to the number of links.  The C is not: it is a list of loops. */
static void a_chain_costs_in_proportion(void **state) {
    (void)state;
    enum { SIZES = 3 };
    static const int links[SIZES] = {20, 100, 1000};
    double nodes[SIZES], code[SIZES], bytes[SIZES], spent[SIZES];
    for (int k = 0; k < SIZES; k++) {
        struct chain c;
        struct emit e;
        chain_open(&c, links[k]);
        struct tape t = build(&c.g, c.outputs, c.out, c.inputs, c.input);
        emit_open(&e);
        size_t prelude = e.length;
        assert_int_equal(emit_function(&e, "chain", &t), 0);
        nodes[k] = (double)c.g.count / links[k];
        code[k] = tape_operations(&t) / links[k];
        bytes[k] = (double)(e.length - prelude);
        double before = seconds();
        struct compile_unit unit = load(e.text);
        spent[k] = seconds() - before;
        keel_fn *compiled = compile_function(&unit, "chain");
        size_t n = 6 * (size_t)links[k];
        double *u = malloc(n * sizeof *u), *x = malloc(c.outputs * sizeof *x),
               *y = malloc(c.outputs * sizeof *y);
        double *work = malloc(t.registers * sizeof *work), interpreted = 1e9, native = 1e9;
        for (size_t i = 0; i < n; i++) u[i] = sin((double)i);
        for (int round = 0; round < 20; round++) {
            before = seconds();
            tape_run(&t, 0, u, NULL, x, work);
            interpreted = fmin(interpreted, seconds() - before);
            before = seconds();
            compiled(0, u, y, &(struct user){NULL});
            native = fmin(native, seconds() - before);
        }
        assert_memory_equal(x, y, c.outputs * sizeof *x);
        print_message(
            "%5d links: %.1f nodes, %.1f operations a link; %.0f bytes of C, compiled in %.2f s; %.2f ns an "
            "operation interpreted, %.2f compiled\n",
            links[k], nodes[k], code[k], bytes[k], spent[k], 1e9 * interpreted / tape_operations(&t),
            1e9 * native / tape_operations(&t));
        free(u), free(x), free(y), free(work);
        compile_close(&unit);
        emit_close(&e);
        tape_free(&t);
        chain_close(&c);
    }
    assert_within(nodes[2] / nodes[1], 0.9, 1.1);
    assert_within(code[2] / code[1], 0.9, 1.1);
    assert_within(bytes[2] / bytes[1], 0.9, 1.1);
    assert_below(spent[2] / spent[1], 40);
}

/* Long branches, long functions and both nested, each cut into parts. */
static void long_functions_are_cut(void **state) {
    (void)state;
    struct graph g;
    struct random r;
    struct tape_input input[RANDOM_SYMBOLS];
    struct emit e;
    expr out[3];
    assert_int_equal(expr_open(&g), 0);
    random_open(&r, &g, 5, 0);
    bind(&r, input);
    for (int round = 0; round < 6; round++) {
        expr sum = expr_constant(&g, round), other = r.symbol[1], both = r.symbol[2];
        for (int i = 0; i < 40; i++) {
            sum = expr_make(&g, EXPR_ADD, random_expr(&r, 5), sum, 0);
            other = expr_make(&g, EXPR_SUB, random_expr(&r, 5), other, 0);
            both = expr_make(&g, EXPR_HYPOT, both, random_expr(&r, 5), 0);
        }
        expr condition = expr_make(&g, EXPR_LT, r.symbol[1 + round % 4], both, 0);
        out[0] = expr_make(&g, EXPR_IF, condition, sum, expr_make(&g, EXPR_MUL, other, both, 0));
        out[1] = expr_make(&g, EXPR_IF, expr_make(&g, EXPR_LT, r.symbol[0], out[0], 0), both, other);
        out[2] = random_expr(&r, 12);
        struct tape t = build(&g, 3, out, RANDOM_SYMBOLS, input);
        emit_open(&e);
        assert_int_equal(emit_function(&e, "long", &t), 0);
        assert_true(t.count > 300);
        struct compile_unit unit = load(e.text);
        for (int point = 0; point < 50; point++) {
            double u[RANDOM_STATES], p[RANDOM_PARAMETERS], at = coordinate(&r), x[3], y[3], z[3];
            for (int k = 0; k < RANDOM_STATES; k++) u[k] = random_number(&r, 0.1, 1);
            for (int k = 0; k < RANDOM_PARAMETERS; k++) p[k] = coordinate(&r);
            tape_call(&t, at, u, p, x);
            compile_function(&unit, "long")(at, u, y, &(struct user){p});
            evaluate(&g, 3, out, &r, at, u, p, z);
            for (int k = 0; k < 3; k++) assert_true(same_bits(x[k], y[k]) && same_bits(x[k], z[k]));
        }
        compile_close(&unit);
        emit_close(&e);
        tape_free(&t);
    }
    expr_close(&g);
}

/* Operations on the way through a tape with one output. */
static size_t operations_taken(const struct tape *t, const double *u, double *value) {
    size_t count = 0;
    double r[64];
    struct tape one = *t;
    tape_call(t, 0, u, NULL, value);
    memcpy(r, t->constant, t->constants * sizeof *r);
    for (uint32_t i = 0; i < t->inputs; i++) r[t->constants + i] = u[t->input[i].index];
    for (size_t i = 0; i < t->count; i++, count++) {
        const struct tape_code *c = &t->code[i];
        if (c->op == TAPE_UNLESS && r[c->a] == 0) i = c->b - 1;
        else if (c->op == TAPE_JUMP) i = c->b - 1;
        else if (c->op == TAPE_MOVE || c->op == TAPE_MOVE_AGAIN) r[c->to] = r[c->a];
        else if (c->op < EXPR_OPS) r[c->to] = expr_value((enum expr_op)c->op, r[c->a], r[c->b]);
    }
    (void)one;
    return count;
}

static void only_the_branch_taken_is_evaluated(void **state) {
    (void)state;
    struct graph g;
    assert_int_equal(expr_open(&g), 0);
    expr x = expr_symbol(&g, EXPR_UNKNOWN, 0, 0), deep = x, zero = expr_constant(&g, 0), missing;
    for (int i = 0; i < 10; i++) deep = expr_make(&g, EXPR_SIN, deep, 0, 0);
    expr shared = expr_make(&g, EXPR_EXP, x, 0, 0);
    expr then = expr_make(&g, EXPR_ADD, deep, shared, 0), other = expr_make(&g, EXPR_NEG, shared, 0, 0);
    expr out = expr_make(&g, EXPR_IF, expr_greater(&g, x, zero), then, other);
    struct tape_input input = {x, TAPE_STATE, 0};
    struct tape t;
    assert_int_equal(tape_build(&t, &g, 1, &out, 1, &input, &missing), 0);
    double value, up = 1, down = -1;
    assert_int_equal(operations_taken(&t, &up, &value), 2 + 1 + 10 + 1 + 2 + 1);
    assert_int_equal(operations_taken(&t, &down, &value), 2 + 1 + 1 + 1 + 1);
    assert_true(value == -exp(-1.0));
    tape_free(&t);
    assert_int_equal(tape_build(&t, &g, 1, &out, 0, NULL, &missing), 1);
    assert_int_equal(missing, x);
    expr_close(&g);
}

/* Names are the program's; whatever else arrives is refused.  Symbols have no text to give. */
static void no_text_reaches_the_code(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",   "a b", "a;",       "a\n", "x){}",
        "\"", "a/*", "\xc3\xa9", "a.b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    struct graph g;
    struct emit e;
    assert_int_equal(expr_open(&g), 0);
    expr x = expr_symbol(&g, EXPR_UNKNOWN, 4294967295u, 0);
    struct tape_input input = {x, TAPE_STATE, 3};
    struct tape t = build(&g, 1, &x, 1, &input);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        emit_open(&e);
        assert_int_equal(emit_function(&e, bad[i], &t), -1);
        emit_close(&e);
    }
    /* "int" and "sin" are as good as any: the C name is model_int. */
    emit_open(&e);
    assert_int_equal(emit_function(&e, "int", &t), 0);
    assert_int_equal(emit_function(&e, "sin", &t), 0);
    for (const char *c = e.text; *c; c++) assert_true(*c == '\n' || (*c >= ' ' && *c < 127));
    struct compile_unit unit = load(e.text);
    double u[4] = {0, 0, 0, 7}, out = 0;
    assert_int_equal(compile_function(&unit, "sin")(0, u, &out, &(struct user){NULL}), 0);
    assert_true(out == 7 && compile_function(&unit, "cos") == NULL);
    compile_close(&unit);
    emit_close(&e);
    tape_free(&t);
    expr_close(&g);
}

/* Numbers reach the C with all their bits, subnormal and infinite ones too. */
static void constants_keep_their_bits(void **state) {
    (void)state;
    enum { COUNT = 400 };
    struct graph g;
    struct random r = {.seed = 11};
    struct emit e;
    expr out[COUNT];
    double wanted[COUNT], got[COUNT];
    assert_int_equal(expr_open(&g), 0);
    for (int i = 0; i < COUNT; i++) {
        uint64_t bits = (uint64_t)random_bits(&r) << 33 ^ (uint64_t)random_bits(&r) << 10 ^ random_bits(&r);
        if (i % 4 == 0) bits &= 0x800fffffffffffffu;
        memcpy(&wanted[i], &bits, sizeof bits);
        if (i < 6) wanted[i] = (double[]){0.0, -0.0, INFINITY, -INFINITY, 5e-324, 2.2250738585072014e-308}[i];
        out[i] = expr_constant(&g, wanted[i]);
    }
    struct tape t = build(&g, COUNT, out, 0, NULL);
    emit_open(&e);
    assert_int_equal(emit_function(&e, "numbers", &t), 0);
    struct compile_unit unit = load(e.text);
    compile_function(&unit, "numbers")(0, NULL, got, &(struct user){NULL});
    for (int i = 0; i < COUNT; i++) assert_true(same_bits(got[i], wanted[i]));
    compile_close(&unit);
    emit_close(&e);
    tape_free(&t);
    expr_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_ways_one_answer),    cmocka_unit_test(a_chain_costs_in_proportion),
        cmocka_unit_test(long_functions_are_cut),   cmocka_unit_test(only_the_branch_taken_is_evaluated),
        cmocka_unit_test(no_text_reaches_the_code), cmocka_unit_test(constants_keep_their_bits),
    };
    unsetenv("CC");
    return cmocka_run_group_tests_name("backends", tests, make_cache, drop_cache);
}
