/* test_kept_rows.c - which rows are kept, in which norm, and how the certificate lists them. */
#include "testing.h"
#include "rotation.h"

static void given_weights_are_the_norm(void **state) {
    (void)state;
    static const double ones[] = {1, 1, 1, 1}, others[] = {1, 5, 1, 5};
    problem p;
    problem_kepler(&p, 0.6, 1);
    keel_options given = {.norm = KEEL_GIVEN, .weights = ones}, unit = {.norm = KEEL_UNIT};
    keel_solver *a = keel_open(&p.keel, &given), *b = keel_open(&p.keel, &unit), *equivalent;
    given.weights = others;
    keel_solver *c = keel_open(&p.keel, &given);
    equivalent = keel_fork(a);
    keel_solver *const all[] = {a, b, c, equivalent};
    for (int i = 0; i < 4; i++) assert_ok(all[i], keel_run(all[i], 5));
    assert_true(same_bits(a, b, 4) && same_bits(a, equivalent, 4) && !same_bits(a, c, 4));
    for (int i = 0; i < 4; i++) keel_close(all[i]);
}

static int row_of(const keel_solver *s, const char *name, keel_row *row) {
    for (int i = 0; keel_row_at(s, i, row); i++)
        if (strcmp(row->name, name) == 0) return 1;
    return 0;
}

static void the_certificate_lists_every_row_by_name_and_kind(void **state) {
    (void)state;
    problem p;
    keel_row row;
    problem_pendulum(&p, 9.81);
    keel_solver *s = keel_open(&p.keel, NULL);
    assert_ok(s, keel_run(s, 1));
    assert_true(keel_row_at(s, 0, &row) && strcmp(row.name, "rod") == 0 && row.kind == KEEL_ROW_CONSTRAINT);
    assert_true(row.treatment == KEEL_ROW_KEPT && row.start == 0 && row.unit > 0 &&
                row.drift >= fabs(row.last));
    assert_true(keel_row_at(s, 1, &row) && strcmp(row.name, "d/dt rod") == 0 &&
                row.kind == KEEL_ROW_VELOCITY);
    assert_true(keel_row_at(s, 2, &row) && strcmp(row.name, "energy") == 0 && row.kind == KEEL_ROW_ENERGY);
    assert_int_equal(row.verdict, KEEL_STRONG);
    assert_int_equal(keel_row_at(s, 3, &row), 0);
    assert_int_equal(keel_row_at(s, 0, NULL), 0);
    keel_close(s);
}

static void keep_chooses_the_rows(void **state) {
    (void)state;
    problem p;
    keel_row row;
    problem_kepler(&p, 0.6, 1);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.keep = " momentum ,"});
    assert_ok(s, keel_run(s, 20));
    assert_true(row_of(s, "momentum", &row) && row.treatment == KEEL_ROW_KEPT);
    assert_below(row.units, 16);
    assert_true(row_of(s, "energy", &row) && row.treatment == KEEL_ROW_WATCHED);
    assert_true(row.units > 1e3);
    keel_close(s);
}

static void nothing_is_kept_without_being_asked_or_where_the_method_keeps_it(void **state) {
    (void)state;
    problem p;
    keel_row row;
    problem_pendulum(&p, 9.81);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.method = "+watch"});
    assert_ok(s, keel_run(s, 1));
    for (int i = 0; keel_row_at(s, i, &row); i++) assert_int_equal(row.treatment, KEEL_ROW_WATCHED);
    keel_close(s);
    s = keel_open(&p.keel, &(keel_options){.method = "rattle", .step = 0.01});
    assert_ok(s, keel_run(s, 1));
    assert_true(row_of(s, "rod", &row) && row.treatment == KEEL_ROW_NATIVE);
    assert_true(row_of(s, "d/dt rod", &row) && row.treatment == KEEL_ROW_NATIVE);
    assert_true(row_of(s, "energy", &row) && row.treatment == KEEL_ROW_WATCHED && row.drift > 1e-6);
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_weights_are_the_norm),
        cmocka_unit_test(the_certificate_lists_every_row_by_name_and_kind),
        cmocka_unit_test(keep_chooses_the_rows),
        cmocka_unit_test(nothing_is_kept_without_being_asked_or_where_the_method_keeps_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
