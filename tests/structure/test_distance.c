/* test_distance.c - functions of distances and of products of momenta: found however they are written, with
 * the same values and gradients, and not where something else is left. */
#include "testing.h"
#include "distances.h"
#include "lang_model.h"
#include "lang_random.h"

#include "keel/model.h"
#include "structure/distance.h"
#include "symbolic/tape.h"

struct found {
    struct reading r;
    struct distance d;
};

static void find_text(struct found *f, char *text) {
    reading_open(&f->r, "text", text);
    assert_non_null(f->r.model);
    assert_int_equal(distance_model(&f->d, f->r.model, 0, EXPR_HELD, FIRST, 0), 0);
}

static void find_example(struct found *f, const char *name) {
    char *text = reading_file(KEEL_EXAMPLES_DIR, name);
    assert_non_null(text);
    find_text(f, text);
}

static void found_close(struct found *f) {
    distance_close(&f->d);
    reading_close(&f->r);
}

/* Does recognised function k contain the form? */
static int uses(struct found *f, int k, enum distance_kind kind, int i, int j) {
    for (int n = 0; n < f->d.forms; n++) {
        const struct distance_form *form = &f->d.form[n];
        if (form->kind == kind && form->i == i - 1 && form->j == (j ? j - 1 : -1))
            return expr_depends(&f->r.model->graph, f->d.function[k], 1, &form->symbol);
    }
    return 0;
}

static int count(const struct distance *d, enum distance_kind kind) {
    int n = 0;
    for (int k = 0; k < d->forms; k++) n += d->form[k].kind == kind;
    return n;
}

static void assert_left(struct found *f, int k, const char *name) {
    char text[100];
    assert_int_equal(f->d.function[k], EXPR_NONE);
    assert_int_not_equal(f->d.left[k], EXPR_NONE);
    model_name(f->r.model, f->d.left[k], text, sizeof text);
    assert_string_equal(text, name);
}

static void assert_recognised(struct found *f, int translations, int rotations) {
    char text[100] = "";
    for (int k = 0; k < f->d.functions; k++) {
        if (f->d.left[k]) model_name(f->r.model, f->d.left[k], text, sizeof text);
        if (f->d.function[k] == EXPR_NONE) fail_msg("function %d: %s is left", k, text);
        assert_int_equal(f->d.left[k], EXPR_NONE);
    }
    assert_int_equal(f->d.recognised, f->d.functions);
    assert_int_equal(f->d.translations, translations);
    assert_int_equal(f->d.rotations, rotations);
}

/* ---- the models of examples/ ---- */

static void check_values(struct found *f, double bound) {
    struct model *m = f->r.model;
    struct tape_input input[MOST];
    struct random random;
    double x[MOST];
    expr original[MOST];
    int inputs = 0, functions = 0;
    random_open(&random, &m->graph, 5, 1);
    original[functions++] = m->mode[0].function;
    for (int i = 0; i < m->mode[0].constraint.count; i++)
        original[functions++] = m->mode[0].constraint.list[i].value;
    assert_int_equal(functions, f->d.functions);
    input[inputs++] = (struct tape_input){expr_symbol(&m->graph, EXPR_TIME, 0, 0), TAPE_TIME, 0};
    for (uint32_t i = 0; i < (uint32_t)m->parameters; i++, inputs++)
        input[inputs] =
            (struct tape_input){expr_symbol(&m->graph, EXPR_PARAMETER, i, 0), TAPE_STATE, (uint32_t)inputs};
    for (uint32_t i = 0; i < 2 * (uint32_t)m->unknowns; i++, inputs++)
        input[inputs] = (struct tape_input){expr_symbol(&m->graph, EXPR_UNKNOWN, i / 2, i % 2), TAPE_STATE,
                                            (uint32_t)inputs};
    for (int trial = 0; trial < 20; trial++) {
        for (int i = 0; i < inputs; i++)
            x[i] = i > 0 && i <= m->parameters ? m->parameter[i - 1].number : random_number(&random, -2, 2);
        assert_below(worst_difference(&m->graph, &f->d, original, inputs, input, x), bound);
    }
}

static void four_masses_are_recognised(void **state) {
    struct found f;
    (void)state;
    find_example(&f, "four.keel");
    assert_recognised(&f, 1, 1);
    assert_int_equal(f.d.points, 4);
    assert_int_equal(f.d.dimension, 3);
    assert_int_equal(f.d.forms, 8);
    for (int i = 1; i <= 4; i++) assert_true(uses(&f, 0, DISTANCE_PRODUCT, i, i));
    assert_true(uses(&f, 0, DISTANCE_PAIR, 1, 3) && uses(&f, 0, DISTANCE_PAIR, 2, 4));
    assert_true(uses(&f, 1, DISTANCE_PAIR, 1, 2) && uses(&f, 2, DISTANCE_PAIR, 3, 4));
    assert_false(uses(&f, 0, DISTANCE_PAIR, 1, 2) || uses(&f, 1, DISTANCE_PAIR, 3, 4));
    check_values(&f, 16);
    found_close(&f);
}

static void all_pairs_attract(void **state) {
    struct found f;
    (void)state;
    find_example(&f, "n_body.keel");
    assert_recognised(&f, 1, 1);
    for (int i = 1; i <= 3; i++)
        for (int j = i; j <= 3; j++)
            assert_true(uses(&f, 0, i == j ? DISTANCE_PRODUCT : DISTANCE_PAIR, i, j));
    assert_int_equal(f.d.forms, 6);
    check_values(&f, 16);
    found_close(&f);
}

/* The first rod ends at the origin, and the weight is no matter of distances. */
static void rods_of_a_chain_are_consecutive_pairs(void **state) {
    struct found f;
    (void)state;
    find_example(&f, "chain.keel");
    assert_left(&f, 0, "y[1]");
    assert_int_equal(f.d.points, 5);
    assert_int_equal(f.d.dimension, 2);
    assert_int_equal(f.d.recognised, 5);
    assert_true(uses(&f, 1, DISTANCE_CENTRE, 1, 0));
    for (int i = 2; i <= 5; i++) assert_true(uses(&f, i, DISTANCE_PAIR, i - 1, i));
    assert_int_equal(count(&f.d, DISTANCE_PAIR), 4);
    assert_int_equal(count(&f.d, DISTANCE_CENTRE), 1);
    assert_int_equal(f.d.translations, 0);
    assert_int_equal(f.d.rotations, 1);
    check_values(&f, 16);
    found_close(&f);
}

/* The place that q is compared with moves itself, by a distance that is a form already. */
static void a_point_that_moves_with_a_distance_is_not_fixed(void **state) {
    static const char *const energies[] = {"(q - cos(q^2))^2", "(q - 1/(2 + q^2))^2 + q^2",
                                           "(3*q + exp(-q^2))^2/2", "(q - tanh(p^2))^2"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct found f;
        char *text = malloc(200);
        assert_non_null(text);
        snprintf(text, 200, "canonical q, p\nhamiltonian p^2/2 + %s\ninit q = 1, p = 0\nrun 0 .. 1\n",
                 energies[i]);
        find_text(&f, text);
        assert_left(&f, 0, "q");
        found_close(&f);
    }
}

static void two_pivots_leave_no_rotation(void **state) {
    struct found f;
    (void)state;
    find_example(&f, "four_bar.keel");
    assert_left(&f, 0, "q[1][2]");
    assert_int_equal(f.d.recognised, 3);
    assert_true(uses(&f, 1, DISTANCE_CENTRE, 1, 0) && uses(&f, 3, DISTANCE_CENTRE, 2, 0));
    assert_true(uses(&f, 2, DISTANCE_PAIR, 1, 2));
    for (int k = 0; k < f.d.forms; k++) {
        const struct distance_form *form = &f.d.form[k];
        if (form->kind != DISTANCE_CENTRE) continue;
        assert_int_equal(form->centre != NULL, form->i == 1);
        if (form->centre) assert_true(model_number(f.r.model, form->centre[0], 0) == 1);
    }
    assert_int_equal(f.d.translations + f.d.rotations, 0);
    check_values(&f, 16);
    found_close(&f);
}

static void weight_and_angles_are_no_distances(void **state) {
    static const struct {
        const char *file, *left;
        int recognised;
    } list[] = {{"pendulum.keel", "y", 1},
                {"spherical.keel", "q[3]", 1},
                {"toda.keel", "q[1]", 0},
                {"double_pendulum.keel", "a", 0},
                {"toda6.keel", "q[1]", 0}};
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct found f;
        find_example(&f, list[k].file);
        assert_left(&f, 0, list[k].left);
        assert_int_equal(f.d.recognised, list[k].recognised);
        if (f.d.recognised) assert_int_equal(f.d.translations, 0);
        check_values(&f, 16);
        found_close(&f);
    }
}

/* Of 40 bodies each pair is found once, though it is looked for twice; with fewer forms than that nothing is
 * recognised, and that is no failure. */
static void forms_are_found_up_to_a_number(void **state) {
    (void)state;
    static const char text[] = "param N = 40\ncanonical q[1..N][1..3], p[1..N][1..3]\n"
                               "hamiltonian sum(i in 1..N, dot(p[i], p[i])/2) + sum(i in 1..N, j in 1..N if "
                               "i != j, sqrt(dot(q[j] - q[i], q[j] - q[i]) + 1))\n"
                               "init q = 0, p = 0\nrun 0 .. 1\n";
    enum { FORMS = 40 * 39 / 2 + 40 };
    for (int most = FORMS - 1; most <= FORMS + 1; most++) {
        struct found f;
        char *own = malloc(sizeof text);
        assert_non_null(own);
        memcpy(own, text, sizeof text);
        reading_open(&f.r, "text", own);
        assert_non_null(f.r.model);
        assert_int_equal(distance_model(&f.d, f.r.model, 0, EXPR_HELD, FIRST, most), 0);
        assert_int_equal(f.d.recognised, most >= FORMS);
        if (most >= FORMS) {
            assert_int_equal(f.d.forms, FORMS);
            assert_int_equal(count(&f.d, DISTANCE_PAIR), 40 * 39 / 2);
        }
        found_close(&f);
    }
}

static int pairwise(const char *file) {
    char path[1024];
    keel_mode mode;
    snprintf(path, sizeof path, "%s/%s", KEEL_EXAMPLES_DIR, file);
    keel_model *m = keel_model_load(path, &(keel_model_options){.interpret = 1, .without_start = 1});
    assert_int_equal(keel_model_status(m), KEEL_OK);
    assert_int_equal(keel_model_mode(m, 0, &mode), 1);
    keel_model_close(m);
    return mode.pairwise;
}

static void a_mode_says_whether_it_is_pairwise(void **state) {
    (void)state;
    assert_int_equal(pairwise("four.keel"), 1);
    assert_int_equal(pairwise("n_body.keel"), 1);
    assert_int_equal(pairwise("kepler.keel"), 1);
    assert_int_equal(pairwise("chain.keel"), 0);
    assert_int_equal(pairwise("pendulum.keel"), 0);
    assert_int_equal(pairwise("toda.keel"), 0);
    assert_int_equal(pairwise("double_pendulum.keel"), 0);
}

/* ---- ways of writing ---- */

static char *written(const char *head, const char *text) {
    char *all = malloc(strlen(head) + strlen(text) + 40);
    assert_non_null(all);
    sprintf(all, "%s\nhamiltonian %s\nrun 0 .. 1\n", head, text);
    return all;
}

static const char *const plane =
    "model m\nparam m = 1.5, k = 2, a = 0.3, b = -0.7\ncanonical q[1..3][1..2], p[1..3][1..2]"
    "\nlet A = q[1], B = q[2], C = q[3], c = (a, b)\ninit q = 0, p = 0";

static void one_distance_has_many_ways(void **state) {
    static const char *const list[] = {
        "dot(A - B, A - B)",
        "norm(A - B)^2",
        "norm(B - A)",
        "hypot(A[1] - B[1], B[2] - A[2])",
        "1/hypot(A[1] - B[1], sqrt((B[2] - A[2])^2))^4",
        "(A[2] - B[2])^2 + (B[1] - A[1])^2",
        "(A[1] - B[1])*(A[1] - B[1]) - (A[2] - B[2])*(B[2] - A[2])",
        "dot(A, A) - 2*dot(A, B) + dot(B, B)",
        "sqrt(dot(A, A) + dot(B, B) - dot(A, B) - dot(B, A))",
        "A[1]^2 + B[2]^2 + B[1]*(B[1] - 2*A[1]) - A[2]*(B[2] - A[2] + B[2])",
        "k*(A[1] - B[1])^2/(2*m) + k*(B[2] - A[2])^2/m/2",
        "(A[1] - B[1])^2/3 + exp(norm(A - B)) + (A[2] - B[2])^2*(1/3)",
        "exp(-norm(A - B)^2)*(A[1] - B[1])^2 + (A[2] - B[2])^2*exp(-dot(B - A, B - A))",
        "(norm(A - B) - 1)^2 + hypot(A[1] - B[1], 2)^2 + sqrt((B[2] - A[2])^2)*sqrt((B[2] - A[2])^2)",
        "if(t < 1, 1, norm(A - B))",
        "norm((A[1] - B[1], A[2] - B[2]))^3 + sqrt(t)*norm(2*A - 2*B)",
        "norm(A - C - (B - C))",
        "dot(A - B, A) - dot(A - B, B)",
    };
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct found f;
        find_text(&f, written(plane, list[k]));
        if (f.d.function[0] == EXPR_NONE || !f.d.translations) print_error("%s\n", list[k]);
        assert_recognised(&f, 1, 1);
        assert_true(uses(&f, 0, DISTANCE_PAIR, 1, 2));
        assert_int_equal(f.d.forms, 1);
        check_values(&f, 32);
        found_close(&f);
    }
}

/* Forms that occur, by a letter for each kind: P pair, C centre, M momenta. */
static void other_forms_are_told_apart(void **state) {
    static const struct {
        const char *text, *forms;
        int translations, rotations;
    } list[] = {
        {"dot(A, A) - dot(B, B)", "CC", 0, 1},
        {"dot(A, B)", "CCP", 0, 1},
        {"dot(A, A) + dot(A - B, A - B)", "CP", 0, 1},
        {"A[1]^2 + A[2]^2 + (A[1] - B[1])^2 + (A[2] - B[2])^2", "CP", 0, 1},
        {"norm(A - c) + norm(B - c)^2", "CC", 0, 1},
        {"norm(A - c) + norm(B)", "CC", 0, 0},
        {"(A[1] - a)^2 + A[2]^2", "C", 0, 1},
        {"1 + A[2]^2 + (2*a - 2*A[1])^2/4", "C", 0, 1},
        {"dot(p[1], p[1])/(2*m) + dot(p[2], p[3])", "MM", 1, 1},
        {"dot(p[1] + p[2], p[1] + p[2])/(2*m) - k/norm(A - B)", "MMMP", 1, 1},
        {"sum(i in 1..3, p[i][1]^2) + k*norm(B - C)^2 + sum(i in 1..3, p[i][2]^2)", "MMMP", 1, 1},
        {"dot(A - B, B - C)", "PPP", 1, 1},
        {"norm((A + B)/2 - C)", "PPP", 1, 1},
    };
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct found f;
        int wanted[3] = {0};
        find_text(&f, written(plane, list[k].text));
        if (f.d.function[0] == EXPR_NONE || f.d.forms != (int)strlen(list[k].forms))
            print_error("%s\n", list[k].text);
        assert_recognised(&f, list[k].translations, list[k].rotations);
        for (const char *c = list[k].forms; *c; c++) wanted[*c == 'P' ? 0 : *c == 'C' ? 1 : 2]++;
        assert_int_equal(count(&f.d, DISTANCE_PAIR), wanted[0]);
        assert_int_equal(count(&f.d, DISTANCE_CENTRE), wanted[1]);
        assert_int_equal(count(&f.d, DISTANCE_PRODUCT), wanted[2]);
        check_values(&f, 32);
        found_close(&f);
    }
}

static void what_looks_alike_is_refused(void **state) {
    static const struct {
        const char *text, *left;
    } list[] = {
        {"(A[1] - B[1])^2", "q[1][1]"},
        {"(A[1] - B[1])^2 + 2*(A[2] - B[2])^2", "q[1][1]"},
        {"k*(A[1] - B[1])^2 + m*(A[2] - B[2])^2", "q[1][1]"},
        {"(A[1] - B[1])^2*(1 + k^2/299792458^2) + (A[2] - B[2])^2", "q[1][1]"},
        {"(A[1] - B[1])^2 + (A[2] - C[2])^2", "q[1][1]"},
        {"(A[1] - B[2])^2 + (A[2] - B[1])^2", "q[1][1]"},
        {"(A[1] - B[1])^2 - (A[2] - B[2])^2", "q[1][1]"},
        {"norm(A - B) + k*C[2]", "q[3][2]"},
        {"(norm(A - B) - A[2])^2", "q[1][2]"},
        {"sin(A[1] - B[1])", "q[1][1]"},
        {"norm(A - B)*norm((A[1], B[2]))", "q[1][1]"},
        {"dot(A, p[1])", "q[1][1]"},
        {"p[1][1]^2 + k*norm(A - B)", "p[1][1]"},
        {"p[2][1]^2/2 + p[2][2]^2/(2*m)", "p[2][1]"},
        {"norm(A - B) + p[3][2]", "p[3][2]"},
        {"if(t < 100, 1, 2)*A[1]^2 + A[2]^2", "q[1][1]"},
        {"dot(A, A) + k*A[2]", "q[1][2]"},
        {"dot(p[1] - c, p[1] - c)", "p[1][1]"},
        {"(norm(A)^2 + 1)*A[1]^2 + (norm(A)^2 - 1)*A[2]^2", "q[1][1]"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct found f;
        find_text(&f, written(plane, list[k].text));
        if (f.d.function[0] != EXPR_NONE) print_error("%s\n", list[k].text);
        assert_left(&f, 0, list[k].left);
        assert_int_equal(f.d.recognised, 0);
        found_close(&f);
    }
}

static void points_go_by_names(void **state) {
    static const struct {
        const char *head, *text;
        int points, dimension;
    } list[] = {
        {"model m\ncanonical x[1..4], u[1..4]\ncanonical y[1..4], v[1..4]\ninit x = 0, u = 0, y = 0, v = 0",
         "sum(i in 1..3, hypot(x[i+1] - x[i], y[i+1] - y[i]))", 4, 2},
        {"model m\ncanonical a[1..2], u[1..2]\ncanonical b[1..2], v[1..2]\ninit a = 0, u = 0, b = 0, v = 0",
         "dot(u, v) + norm(a - b)", 2, 2},
        {"model m\ncanonical x1, u1\ncanonical y1, v1\ncanonical y2, v2\ncanonical x2, u2\ninit x1 = 0, y1 = "
         "0, x2 = 0, y2 = 0, u1 = 0, u2 = 0, v1 = 0, v2 = 0",
         "(x1 - x2)^2 + (y1 - y2)^2 + u1*u2 + v1*v2", 2, 2},
        {"model m\ncanonical x, u\ncanonical y, v\ncanonical z, w\ncanonical q[1..3], p[1..3]\ninit x = 0, y "
         "= 0, z = 0, u = 0, v = 0, w = 0, q = 0, p = 0",
         "norm((x, y, z) - q)", 2, 3},
        {"model m\ncanonical q[1..2][1..2][1..3], p[1..2][1..2][1..3]\ninit q = 0, p = 0",
         "norm(q[1][2] - q[2][1])*norm(q[1][1] - q[2][2])", 4, 3},
        {"model m\ncanonical q[1..4], p[1..4]\ninit q = 0, p = 0",
         "sum(i in 1..3, (q[i+1] - q[i])^2 + (q[i+1] - q[i])^4) + dot(p, p)", 4, 1},
    };
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct found f;
        find_text(&f, written(list[k].head, list[k].text));
        assert_recognised(&f, 1, 1);
        assert_int_equal(f.d.points, list[k].points);
        assert_int_equal(f.d.dimension, list[k].dimension);
        check_values(&f, 32);
        found_close(&f);
    }
}

/* An array of numbers is a point, or points on a line if it enters by differences alone. */
static void a_line_is_seen_by_differences(void **state) {
    static const char *const head = "model m\ncanonical q[1..3], p[1..3]\ninit q = 0, p = 0";
    struct found f;
    (void)state;
    find_text(&f, written(head, "dot(p, p) + (q[1] - q[2])^2 + q[3]^2"));
    assert_left(&f, 0, "q[1]");
    found_close(&f);
    find_text(&f, written(head, "dot(p, p) + (q[1] - q[2])^2 + (q[3] - q[2])^4"));
    assert_recognised(&f, 1, 1);
    assert_int_equal(f.d.points, 3);
    found_close(&f);
}

static void points_of_different_spaces_are_none(void **state) {
    struct found f;
    (void)state;
    find_text(&f, written("model m\ncanonical a[1..2], u[1..2]\ncanonical b[1..3], v[1..3]\ninit a = 0, u = "
                          "0, b = 0, v = 0",
                          "norm(a) + norm(b)"));
    assert_left(&f, 0, "a[1]");
    assert_int_equal(f.d.points + f.d.forms, 0);
    found_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_masses_are_recognised),
        cmocka_unit_test(all_pairs_attract),
        cmocka_unit_test(rods_of_a_chain_are_consecutive_pairs),
        cmocka_unit_test(a_point_that_moves_with_a_distance_is_not_fixed),
        cmocka_unit_test(two_pivots_leave_no_rotation),
        cmocka_unit_test(weight_and_angles_are_no_distances),
        cmocka_unit_test(a_mode_says_whether_it_is_pairwise),
        cmocka_unit_test(forms_are_found_up_to_a_number),
        cmocka_unit_test(one_distance_has_many_ways),
        cmocka_unit_test(other_forms_are_told_apart),
        cmocka_unit_test(what_looks_alike_is_refused),
        cmocka_unit_test(points_go_by_names),
        cmocka_unit_test(a_line_is_seen_by_differences),
        cmocka_unit_test(points_of_different_spaces_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
