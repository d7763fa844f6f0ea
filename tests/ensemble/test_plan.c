/* test_plan.c - which values a member has: the generator against its published vectors, Sobol points and
 * Latin hypercubes by what they must be, distributions by their inverse, texts and tables with what is wrong
 * in them. */
#include "testing.h"

#include "ensemble/draw.h"
#include "ensemble/philox.h"
#include "ensemble/sobol.h"
#include "base/table.h"

#include "model_run.h"

#include <keel/ensemble.h>

/* Known answers of the authors' own tests (Random123, kat_vectors: philox 4x32 with 10 rounds). */
static void philox_gives_published_numbers(void **state) {
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t out[4];
        philox_4x32(known[i].counter, known[i].key, out);
        assert_memory_equal(out, known[i].out, sizeof out);
    }
    assert_true(philox_unit(0) > 0 && philox_unit(UINT64_MAX) < 1);
}

/* The first 2^k points of every dimension are the multiples of 2^-k, each once; those of the first two
 * dimensions lie one in each box of area 2^-k, of any shape. */
static void sobol_points_fill_boxes(void **state) {
    enum { K = 10, POINTS = 1 << K };
    unsigned char seen[POINTS];
    (void)state;
    for (int d = 0; d < SOBOL_DIMENSIONS; d++) {
        memset(seen, 0, sizeof seen);
        for (uint64_t i = 0; i < POINTS; i++) seen[sobol_bits(d, i) >> (64 - K)]++;
        for (int i = 0; i < POINTS; i++) assert_int_equal(seen[i], 1);
    }
    for (int wide = 0; wide <= K; wide++) {
        memset(seen, 0, sizeof seen);
        for (uint64_t i = 0; i < POINTS; i++) {
            uint64_t x = wide ? sobol_bits(0, i) >> (64 - wide) : 0;
            uint64_t y = wide < K ? sobol_bits(1, i) >> (64 - (K - wide)) : 0;
            seen[x << (K - wide) | y]++;
        }
        for (int i = 0; i < POINTS; i++) assert_int_equal(seen[i], 1);
    }
}

/* Any two dimensions: as even as independent ones at least, and no two are the same. */
static void sobol_dimensions_differ(void **state) {
    enum { POINTS = 4096 };
    (void)state;
    for (int a = 0; a < SOBOL_DIMENSIONS; a++)
        for (int b = 0; b < a; b++) {
            double sum = 0;
            for (uint64_t i = 0; i < POINTS; i++)
                sum += (philox_unit(sobol_bits(a, i)) - 0.5) * (philox_unit(sobol_bits(b, i)) - 0.5);
            assert_below(fabs(sum * 12 / POINTS), 0.1); /* the correlation */
        }
}

static void places_are_a_permutation(void **state) {
    static const uint64_t counts[] = {1, 2, 3, 17, 1000, 4096, 5000};
    (void)state;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        unsigned char seen[5000] = {0};
        uint64_t same = 0;
        for (uint64_t i = 0; i < counts[k]; i++) {
            uint64_t place = philox_place(3, 12345, i, counts[k]);
            assert_true(place < counts[k] && !seen[place]);
            seen[place] = 1;
            same += place == i;
        }
        if (counts[k] >= 1000) assert_true(same < 20);
    }
}

/* The distribution function of the value is the number it was made of. */
static void normal_values_invert_their_distribution(void **state) {
    (void)state;
    for (double u = 1e-300; u < 1; u = u < 1e-3 ? u * 1.7 : u + 0.00037) {
        double x = draw_normal(u), back = 0.5 * erfc(-x / sqrt(2));
        assert_below(fabs(back - u) / u, 1e-13 * fmax(1, x * x));
        if (u > 1e-3) assert_below(fabs(draw_normal(1 - u) + x), 1e-12 * (1 + fabs(x)));
    }
    struct draw even = {DRAW_UNIFORM, -1, 3}, log = {DRAW_LOGNORMAL, 0.5, 0.25};
    assert_within(draw_value(&even, 0.25), 0, 0);
    assert_below(fabs(draw_value(&log, 0.5) - exp(0.5)), 1e-15 * 2);
}

/* Plans ------------------------------------------------------------------------------------------------- */

static const char model_text[] = "model m\nparam a = 2, b[1..2] = (1, 2)\nvar x, y\nx' = y\ny' = -a*x\n"
                                 "init x = 1, y = b[1]\nrun 0 .. 1\n";

static void numbers_of_members(void **state) {
    keel_model *m = model_of(model_text);
    keel_plan *p = keel_plan_open(m);
    double v[4];
    (void)state;
    assert_int_equal(keel_plan_over(p, "a = 0:1:5"), KEEL_OK);
    assert_int_equal(keel_plan_over(p, "b[ 2 ]=a,2*a, max(7,1)"), KEEL_OK);
    assert_int_equal(keel_plan_table(p, "t.csv", "x,y\n1,2\n3,4\n", 12), KEEL_OK);
    assert_int_equal(keel_plan_settle(p, NULL), KEEL_OK);
    assert_int_equal(keel_plan_members(p), 5 * 3 * 2);
    assert_string_equal(keel_plan_name(p, 1), "b[2]");
    for (int i = 0; i < 30; i++) {
        static const double second[] = {2, 4, 7};
        keel_plan_values(p, i, v);
        assert_true(v[0] == i / 6 / 4.0 && v[1] == second[i / 2 % 3]);
        assert_true(v[2] == 1 + 2 * (i % 2) && v[3] == 2 + 2 * (i % 2));
    }
    keel_plan_close(p);
    p = keel_plan_open(m);
    keel_plan_over(p, "a=1:3:3");
    keel_plan_over(p, "x=4,5,6");
    assert_int_equal(keel_plan_settle(p, &(keel_plan_options){.zip = 1}), KEEL_OK);
    assert_int_equal(keel_plan_members(p), 3);
    keel_plan_values(p, 2, v);
    assert_true(v[0] == 3 && v[1] == 6);
    keel_plan_close(p);
    keel_model_close(m);
}

/* A draw depends on seed, member and name: not on other draws, nor on the count. */
static void draws_depend_on_nothing_else(void **state) {
    keel_model *m = model_of(model_text);
    keel_plan *one = keel_plan_open(m), *two = keel_plan_open(m), *other = keel_plan_open(m);
    double a[1], b[2], c[1];
    (void)state;
    keel_plan_draw(one, "a = uniform(0, 1)");
    keel_plan_draw(two, "x = normal(0, 1)");
    keel_plan_draw(two, "a=uniform(0,1)");
    keel_plan_draw(other, "a=uniform(0,1)");
    assert_int_equal(keel_plan_settle(one, &(keel_plan_options){.count = 10, .seed = 7}), KEEL_OK);
    assert_int_equal(keel_plan_settle(two, &(keel_plan_options){.count = 5000, .seed = 7}), KEEL_OK);
    assert_int_equal(keel_plan_settle(other, &(keel_plan_options){.count = 10, .seed = 8}), KEEL_OK);
    for (int i = 0; i < 10; i++) {
        keel_plan_values(one, i, a);
        keel_plan_values(two, i, b);
        keel_plan_values(other, i, c);
        assert_true(a[0] == b[1] && a[0] != c[0]);
    }
    keel_plan_close(one);
    keel_plan_close(two);
    keel_plan_close(other);
    keel_model_close(m);
}

/* One value in each of as many equal parts: all Latin hypercubes, and Sobol points of a power of two. */
static void samples_are_even(void **state) {
    static const struct {
        keel_sampling how;
        int count;
    } cases[] = {{KEEL_LATIN, 1000}, {KEEL_LATIN, 7}, {KEEL_SOBOL, 1024}};
    keel_model *m = model_of(model_text);
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int count = cases[k].count;
        unsigned char seen[2][1024] = {{0}};
        keel_plan *p = keel_plan_open(m);
        keel_plan_draw(p, "a=uniform(0,1)");
        keel_plan_draw(p, "x=uniform(0,1)");
        keel_plan_options o = {.count = count, .seed = 5, .how = cases[k].how};
        assert_int_equal(keel_plan_settle(p, &o), KEEL_OK);
        for (int i = 0; i < count; i++) {
            double v[2];
            keel_plan_values(p, i, v);
            for (int d = 0; d < 2; d++) assert_int_equal(seen[d][(int)(v[d] * count)]++, 0);
        }
        keel_plan_close(p);
    }
    keel_model_close(m);
}

/* What is wrong is told ---------------------------------------------------------------------------------- */

static void check_refusal(keel_model *m, const char *over, const char *draw, keel_plan_options o,
                          const char *words) {
    keel_plan *p = keel_plan_open(m);
    keel_status status = over ? keel_plan_over(p, over) : KEEL_OK;
    if (status == KEEL_OK && draw) status = keel_plan_draw(p, draw);
    if (status == KEEL_OK) status = keel_plan_settle(p, &o);
    const char *word = missing_word(keel_plan_message(p), words);
    if (status != KEEL_EINVAL || word)
        fail_msg("%s, %s: no \"%s\" in \"%s\"", over ? over : "", draw ? draw : "", word ? word : "",
                 keel_plan_message(p));
    keel_plan_close(p);
}

static void refusals_say_what_is_wrong(void **state) {
    keel_model *m = model_of(model_text);
    keel_plan_options none = {0}, ten = {.count = 10};
    (void)state;
    check_refusal(m, "a", NULL, none, "`a`|from:to:count");
    check_refusal(m, "=3", NULL, none, "from:to:count");
    check_refusal(m, "a=1:2", NULL, none, "from:to:count");
    check_refusal(m, "a=1:2:3:4", NULL, none, "from:to:count");
    check_refusal(m, "a=1:2:0", NULL, none, "whole number from 1");
    check_refusal(m, "a=1:2:2.5", NULL, none, "2.5");
    check_refusal(m, "a=1,,2", NULL, none, "a number is missing");
    check_refusal(m, "a=1,zz", NULL, none, "zz");
    check_refusal(m, "a=1,1/0", NULL, none, "1/0");
    check_refusal(m, "a=1:2:1e15", "b[1]=uniform(0,1)", ten, "2^53");
    check_refusal(m, NULL, NULL, none, "nothing varies");
    check_refusal(m, "a=1,2", NULL, ten, "nothing is drawn");
    check_refusal(m, NULL, "a=uniform(0,1)", none, "how many");
    check_refusal(m, NULL, "a=gauss(0,1)", ten, "uniform|normal|lognormal");
    check_refusal(m, NULL, "a=uniform(0)", ten, "two numbers");
    check_refusal(m, NULL, "a=uniform(0,1,2)", ten, "two numbers");
    check_refusal(m, NULL, "a=uniform(0,1", ten, "uniform(");
    check_refusal(m, NULL, "a=uniform(1,1)", ten, "no length");
    check_refusal(m, NULL, "a=normal(1,-1)", ten, "deviation");
    check_refusal(m, "a=1,2", "a=normal(1,1)", none, "`a` is given twice");
    check_refusal(m, "a=1,2", NULL, (keel_plan_options){.zip = 1}, "two lists");
    keel_model_close(m);
}

static void tables_say_line_and_column(void **state) {
    static const struct {
        const char *text, *words;
    } wrong[] = {
        {"", "line 1|empty"},
        {"# nothing\n\n", "line 1|empty"},
        {"a,b\n", "no row"},
        {"a,b\n1\n", "line 2|1 of the 2"},
        {"a,b\n1,2\n\n3,4,5\n", "line 4, column 3|more fields"},
        {"a,b\n1,2\n3,x\n", "line 3, column 2|`x`|`b`"},
        {"a,b\n1,\n", "line 2, column 2|`b`|missing"},
        {"a,a\n1,2\n", "line 1, column 2|`a`|column 1"},
        {"a,,b\n1,2,3\n", "line 1, column 2|no name"},
        {"a;b\n1;2\n", "line 1, column 1|commas"},
        {"a,b\n1,\"2\n", "line 2, column 2|quote"},
        {"a,b\n1,\"2\"3\n", "line 2, column 2|closing quote"},
        {"a,b\n1,1e999\n", "line 2, column 2|too large"},
        {"a,b\n1,nan\n", "line 2, column 2|nan"},
        {"a,b\n1,0x10\n", "line 2, column 2|0x10"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct table t;
        char why[400] = "";
        assert_int_equal(table_read(&t, wrong[i].text, strlen(wrong[i].text), 0, why, sizeof why),
                         TABLE_WRONG);
        const char *word = missing_word(why, wrong[i].words);
        if (word) fail_msg("%s: no \"%s\" in \"%s\"", wrong[i].text, word, why);
        table_close(&t);
    }
}

static void tables_are_read_as_written(void **state) {
    static const char text[] = "\xef\xbb\xbf# keel\r\n\"a\" , \"q[1]\"\"\"\r\n1 , -2.5e-3\r\n\r\n\"+3\",.5";
    struct table t;
    char why[400];
    (void)state;
    assert_int_equal(table_read(&t, text, strlen(text), 0, why, sizeof why), TABLE_READ);
    assert_int_equal(t.columns, 2);
    assert_int_equal(t.rows, 2);
    assert_string_equal(t.name[0], "a");
    assert_string_equal(t.name[1], "q[1]\"");
    assert_true(t.value[0] == 1 && t.value[1] == -2.5e-3 && t.value[2] == 3 && t.value[3] == 0.5);
    table_close(&t);
}

static void columns_are_a_table(void **state) {
    keel_model *m = model_of(model_text);
    const char *const name[] = {"a", "x"};
    double number[] = {1, 2, 3, 4, 5, 6}, v[2];
    (void)state;
    keel_plan *p = keel_plan_open(m);
    assert_int_equal(keel_plan_columns(p, 2, name, 3, number), KEEL_OK);
    assert_int_equal(keel_plan_settle(p, NULL), KEEL_OK);
    assert_int_equal(keel_plan_members(p), 3);
    keel_plan_values(p, 1, v);
    assert_true(v[0] == 3 && v[1] == 4);
    keel_plan_close(p);
    p = keel_plan_open(m);
    number[3] = NAN;
    assert_int_equal(keel_plan_columns(p, 2, name, 3, number), KEEL_EINVAL);
    assert_non_null(strstr(keel_plan_message(p), "row 1 of the table: the value of `x`"));
    assert_int_equal(keel_plan_columns(p, 0, name, 3, number), KEEL_EINVAL);
    keel_plan_close(p);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_published_numbers),
        cmocka_unit_test(sobol_points_fill_boxes),
        cmocka_unit_test(sobol_dimensions_differ),
        cmocka_unit_test(places_are_a_permutation),
        cmocka_unit_test(normal_values_invert_their_distribution),
        cmocka_unit_test(numbers_of_members),
        cmocka_unit_test(draws_depend_on_nothing_else),
        cmocka_unit_test(samples_are_even),
        cmocka_unit_test(refusals_say_what_is_wrong),
        cmocka_unit_test(tables_say_line_and_column),
        cmocka_unit_test(columns_are_a_table),
        cmocka_unit_test(tables_are_read_as_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
