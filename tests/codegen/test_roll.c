/* test_roll.c - loops give the bits of straight code, interpreted and compiled, and stay as short as they
 * are.
 *
 * Random programs on vectors: elementwise expressions of neighbours or strangers, recursions, sums along a
 * vector and over pairs, outputs that are leaves, twice the same, or left out.  A NaN counts as a NaN. */
#include "testing.h"
#include "backends.h"
#include "cache.h"
#include "lang_random.h"

#include "codegen/emit.h"
#include "symbolic/roll.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 60, VECTORS = 12, BODIES = 24, PARAMETERS = 5, MOST_OUTPUTS = 2000 };

struct program {
    struct random r;
    struct graph g;
    struct tape_input input[2 * LENGTH + PARAMETERS + 1];
    size_t inputs;
    expr vector[VECTORS][LENGTH], output[MOST_OUTPUTS];
    int vectors;
    size_t outputs;
};

/* A template with its four states and two parameters replaced. */
static expr apply(struct program *p, expr template, const expr to[4]) {
    expr out;
    assert_int_equal(expr_substitute(&p->g, 1, &template, 4, &p->r.symbol[1], to, &out), 0);
    return out;
}

static expr pick(struct program *p) {
    return p->vector[random_below(&p->r, p->vectors)][random_below(&p->r, LENGTH)];
}

/* Element i of a new vector: of elements a fixed way off, of a parameter or number of its own; a stranger now
 * and then.  scan: and of the element before. */
static void elementwise(struct program *p, int scan) {
    expr template = random_expr(&p->r, 4), *own = p->vector[p->vectors];
    int from[4], shift[4], odd = random_below(&p->r, 3) == 0;
    for (int k = 0; k < 4; k++) {
        from[k] = random_below(&p->r, p->vectors);
        shift[k] = random_below(&p->r, 5) - 2;
    }
    for (int i = 0; i < LENGTH; i++) {
        expr to[4];
        for (int k = 0; k < 4; k++) to[k] = p->vector[from[k]][(i + shift[k] + LENGTH) % LENGTH];
        if (scan && i > 0) to[0] = own[i - 1];
        if (odd && random_below(&p->r, 9) == 0) to[1] = pick(p);
        if (odd) to[2] = expr_constant(&p->g, 0.125 * i);
        own[i] = apply(p, template, to);
        if (random_below(&p->r, 2)) own[i] = expr_powi(&p->g, expr_make(&p->g, EXPR_SQRT, own[i], 0, 0), 3);
    }
    p->vectors++;
}

/* + a or - a, on either side. */
static expr join(struct program *p, expr sum, expr a, int rule) {
    if (sum == EXPR_NONE) return a;
    if (rule == 1) return expr_make(&p->g, EXPR_SUB, sum, a, 0);
    return rule == 2 ? expr_make(&p->g, EXPR_ADD, a, sum, 0) : expr_make(&p->g, EXPR_ADD, sum, a, 0);
}

/* Sums over pairs that share what is between two: those of i have +, those of j have -. */
static void pairs(struct program *p) {
    expr *own = p->vector[p->vectors], *u = p->vector[random_below(&p->r, p->vectors)];
    expr template = random_expr(&p->r, 3), sum[3][LENGTH] = {{0}};
    int lone = random_below(&p->r, 3);
    for (int i = 0; i < BODIES; i++)
        for (int j = lone ? i + 1 : 0; j < BODIES; j++) {
            expr d = expr_make(&p->g, EXPR_SUB, u[i], u[j], 0);
            const expr to[4] = {d, expr_powi(&p->g, d, 2), u[i], u[j]};
            expr force = apply(p, template, to);
            for (int k = 0; k < 3 && i != j; k++) {
                expr part = expr_make(&p->g, EXPR_MUL, p->vector[k % p->vectors][i], force, 0);
                sum[k][i] = join(p, sum[k][i], part, lone == 2 ? k : 0);
                if (lone) sum[k][j] = join(p, sum[k][j], part, 1);
            }
        }
    for (int i = 0; i < LENGTH; i++) own[i] = i < BODIES && sum[i % 3][i] ? sum[i % 3][i] : p->vector[0][i];
    p->vectors++;
}

/* Sums along vectors, with terms of one or of several kinds, of any signs, from any end on. */
static void sums(struct program *p) {
    expr *own = p->vector[p->vectors];
    int kinds = 1 + random_below(&p->r, 3), rules = random_below(&p->r, 4), from[3];
    for (int k = 0; k < 3; k++) from[k] = random_below(&p->r, p->vectors);
    for (int i = 0; i < LENGTH; i++) {
        own[i] = EXPR_NONE;
        int end = i % 2 ? i : LENGTH - i % 5;
        for (int j = 0; j < end; j++)
            own[i] =
                join(p, own[i], expr_make(&p->g, EXPR_MUL, p->vector[from[j % kinds]][j], p->vector[0][i], 0),
                     rules == 3 ? random_below(&p->r, 3) : rules);
        if (own[i] == EXPR_NONE) own[i] = p->vector[0][0];
    }
    p->vectors++;
}

static void choose_outputs(struct program *p) {
    for (int v = 0; v < p->vectors; v++)
        for (int i = 0; i < LENGTH && (v > p->vectors - 4 || i % 7 == 0); i++)
            p->output[p->outputs++] = random_below(&p->r, 30) ? p->vector[v][i] : EXPR_NONE;
    for (int i = 0; i < 40; i++) p->output[p->outputs++] = pick(p);
    for (int i = 0; i < 20; i++) p->output[p->outputs++] = expr_constant(&p->g, i / 2);
}

static struct program *make_program(uint64_t seed) {
    struct program *p = calloc(1, sizeof *p);
    assert_non_null(p);
    assert_int_equal(expr_open(&p->g), 0);
    random_open(&p->r, &p->g, seed, 0);
    p->input[p->inputs++] = (struct tape_input){p->r.symbol[0], TAPE_TIME, 0};
    for (uint32_t i = 0; i < 2 * LENGTH; i++) {
        expr e = expr_symbol(&p->g, EXPR_UNKNOWN, i, 0);
        p->vector[i / LENGTH][i % LENGTH] = e;
        p->input[p->inputs++] = (struct tape_input){e, TAPE_STATE, i};
    }
    for (uint32_t i = 0; i < PARAMETERS; i++)
        p->input[p->inputs++] =
            (struct tape_input){expr_symbol(&p->g, EXPR_PARAMETER, i, 0), TAPE_PARAMETER, i};
    p->vectors = 2;
    for (int count = 3 + random_below(&p->r, 6); count > 0; count--) switch (random_below(&p->r, 6)) {
        case 0:
            pairs(p);
            break;
        case 1:
            sums(p);
            break;
        case 2:
            elementwise(p, 1);
            break;
        default:
            elementwise(p, 0);
        }
    choose_outputs(p);
    assert_false(p->g.failed);
    return p;
}

static void free_program(struct program *p) {
    expr_close(&p->g);
    free(p);
}

struct point {
    double t, u[2 * LENGTH], p[PARAMETERS];
};

static struct point random_point(struct random *r) {
    static const double special[] = {0.0, -0.0, 1, INFINITY, NAN, 5e-324, 1e308};
    struct point x = {.t = random_number(r, -1, 1)};
    for (int i = 0; i < 2 * LENGTH; i++)
        x.u[i] = random_below(r, 40) ? random_number(r, -2, 2) : special[random_below(r, 7)];
    for (int i = 0; i < PARAMETERS; i++) x.p[i] = random_number(r, -2, 2);
    return x;
}

static int same_bits(double x, double y) {
    return (x != x && y != y) || memcmp(&x, &y, sizeof x) == 0;
}

static void compare(const double *x, const double *y, size_t count, uint64_t seed) {
    for (size_t k = 0; k < count; k++)
        if (!same_bits(x[k], y[k])) fail_msg("program %d: output %zu: %a or %a", (int)seed, k, x[k], y[k]);
}

static double marked[MOST_OUTPUTS], straight_out[MOST_OUTPUTS], rolled_out[MOST_OUTPUTS];

static void interpret(const struct tape *t, const struct point *x, double *out) {
    for (int k = 0; k < MOST_OUTPUTS; k++) out[k] = marked[k] = 1e77; /* of outputs that there are not */
    double *work = malloc((t->registers + 1) * sizeof *work);         /* any content */
    assert_non_null(work);
    for (uint32_t k = 0; k < t->registers; k++) work[k] = 1e99;
    tape_run(t, x->t, x->u, x->p, out, work);
    free(work);
}

static void test_interpreted(void **state) {
    int rolled = 0;
    enum { PROGRAMS = 100 };
    for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
        struct program *p = make_program(seed);
        struct tape loops, straight;
        expr missing;
        assert_int_equal(tape_build(&loops, &p->g, p->outputs, p->output, p->inputs, p->input, &missing), 0);
        assert_int_equal(
            tape_build_straight(&straight, &p->g, p->outputs, p->output, p->inputs, p->input, &missing), 0);
        assert_null(straight.roll);
        rolled += loops.roll != NULL;
        for (int k = 0; k < 3; k++) {
            struct point x = random_point(&p->r);
            interpret(&straight, &x, straight_out);
            interpret(&loops, &x, rolled_out);
            compare(straight_out, rolled_out, MOST_OUTPUTS, seed);
        }
        tape_free(&loops);
        tape_free(&straight);
        free_program(p);
    }
    assert_true(rolled > PROGRAMS / 2);
    (void)state;
}

/* Few expressions that fill many outputs are loops as well. */
static void test_copies(void **state) {
    struct program *p = make_program(1);
    struct tape loops;
    expr missing, sum = expr_make(&p->g, EXPR_ADD, p->input[1].symbol, expr_constant(&p->g, 2), 0);
    for (size_t k = 0; k < MOST_OUTPUTS; k++) p->output[k] = k % 2 ? sum : expr_constant(&p->g, 3);
    assert_int_equal(tape_build(&loops, &p->g, MOST_OUTPUTS, p->output, p->inputs, p->input, &missing), 0);
    assert_non_null(loops.roll);
    struct point x = random_point(&p->r);
    interpret(&loops, &x, rolled_out);
    for (size_t k = 2; k < MOST_OUTPUTS; k++) assert_true(rolled_out[k] == rolled_out[k % 2]);
    assert_true(rolled_out[0] == 3 && rolled_out[1] == x.u[p->input[1].index] + 2);
    tape_free(&loops);
    free_program(p);
    (void)state;
}

/* (-w, v) in place of (v, w), as the gradient of a hamiltonian is of its motion: the program that is turned
 * has the bits of one that is built.  Outputs that occur twice are refused.  1: it was turned. */
static int is_turned(struct program *p, const expr *v, const expr *w, uint64_t seed) {
    struct tape loops, again, straight;
    expr of[2 * LENGTH], out[2 * LENGTH], missing;
    for (int i = 0; i < LENGTH; i++) {
        of[i] = out[LENGTH + i] = v[i];
        of[LENGTH + i] = w[i];
        out[i] = expr_make(&p->g, EXPR_NEG, w[i], 0, 0);
    }
    assert_int_equal(tape_build(&loops, &p->g, 2 * LENGTH, of, p->inputs, p->input, &missing), 0);
    int status = tape_build_turned(&again, &p->g, 2 * LENGTH, out, &loops, of);
    assert_in_range(status, 0, 1);
    if (status == 0) {
        assert_int_equal(
            tape_build_straight(&straight, &p->g, 2 * LENGTH, out, p->inputs, p->input, &missing), 0);
        for (int k = 0; k < 3; k++) {
            struct point x = random_point(&p->r);
            interpret(&straight, &x, straight_out);
            interpret(&again, &x, rolled_out);
            compare(straight_out, rolled_out, MOST_OUTPUTS, seed);
        }
        tape_free(&again);
        tape_free(&straight);
    }
    out[1] = out[0];
    assert_int_equal(tape_build_turned(&again, &p->g, 2 * LENGTH, out, &loops, of), 1);
    tape_free(&loops);
    return status == 0;
}

static void test_turned(void **state) {
    enum { PROGRAMS = 60, LEAST = 20 };
    int turned = 0;
    for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
        struct program *p = make_program(seed);
        for (int v = 2; v < p->vectors; v++)
            for (int w = 2; w < p->vectors; w++)
                if (v != w) turned += is_turned(p, p->vector[v], p->vector[w], seed);
        free_program(p);
    }
    print_message("%d programs were turned\n", turned);
    assert_true(turned > LEAST);
    (void)state;
}

/* All programs in one file, for the compiler's sake. */
static void test_compiled(void **state) {
    enum { PROGRAMS = 3, FIRST = 1003 };
    struct program *program[PROGRAMS];
    struct tape tape[PROGRAMS];
    struct emit e;
    char name[20];
    expr missing;
    emit_open(&e);
    for (int i = 0; i < PROGRAMS; i++) {
        struct program *p = program[i] = make_program((uint64_t)(FIRST + i));
        assert_int_equal(tape_build(&tape[i], &p->g, p->outputs, p->output, p->inputs, p->input, &missing),
                         0);
        snprintf(name, sizeof name, "p%d", i);
        if (tape[i].roll) assert_int_equal(emit_function(&e, name, &tape[i]), 0);
    }
    struct compile_unit unit = load(e.text);
    for (int i = 0; i < PROGRAMS; i++) {
        snprintf(name, sizeof name, "p%d", i);
        for (int k = 0; k < 3 && tape[i].roll; k++) {
            struct point x = random_point(&program[i]->r);
            const double *parameters = x.p;
            interpret(&tape[i], &x, straight_out);
            memcpy(rolled_out, marked, sizeof marked);
            assert_int_equal(compile_function(&unit, name)(x.t, x.u, rolled_out, &parameters), 0);
            compare(straight_out, rolled_out, MOST_OUTPUTS, (uint64_t)(FIRST + i));
        }
        tape_free(&tape[i]);
        free_program(program[i]);
    }
    compile_close(&unit);
    emit_close(&e);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compiled),
        cmocka_unit_test(test_interpreted),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_turned),
    };
    return cmocka_run_group_tests_name("roll", tests, make_cache, drop_cache);
}
