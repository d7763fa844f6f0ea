/* test_fields.c - the table of options is true: the library refuses, saves and emits what its rows say.
 * A new row is tested by being there; only a text needs a value here.  tests/cli/test_fields.py does the same
 * for the command. */
#include "testing.h"

#include "methods/registry.h"
#include "model_run.h"

#include <keel/options.h>
#include <keel/method.h>

static const char oscillator[] = "model oscillator\nvar x, v\nx' = v\nv' = -x\ninvariant E = x^2 + v^2\n"
                                 "init x = 1, v = 0\nrun 0 .. 10\n";
static const double ones[] = {1, 1}, others[] = {1, 2};

static const keel_problem *problem_in(keel_model *m) {
    keel_mode mode;
    assert_true(keel_model_mode(m, 0, &mode));
    return mode.problem;
}

/* Options that the row's own may be added to. */
static keel_options beside(const keel_field *f) {
    const keel_method *owner = keel_field_owner(f, 0);
    if (owner && owner->order > 0)
        return (keel_options){.method = owner->name, .step = owner->traits & KEEL_ADAPTIVE ? 0 : 0.1};
    if (owner) return (keel_options){.method = pair_of("rk4", owner->name), .step = 0.1};
    if (f->offset == offsetof(keel_options, reversible))
        return (keel_options){.method = "gauss8+watch", .step = 0.1};
    if (f->offset == offsetof(keel_options, weights))
        return (keel_options){.norm = KEEL_GIVEN, .weights = ones};
    return (keel_options){.method = "dop853"};
}

static int is_number(const keel_field *f) {
    return f->type == KEEL_FIELD_REAL || f->type == KEEL_FIELD_COUNT || f->type == KEEL_FIELD_LONG;
}

static double inside(const keel_field *f) {
    if (f->type == KEEL_FIELD_REAL) return f->high > 0 ? 0.3 * f->low + 0.7 * f->high : f->low + 1;
    return f->high > 0 ? f->low + 1 : f->low + 1e6;
}

static const char *text_for(const keel_field *f) {
    static const struct {
        size_t offset;
        const char *text;
    } texts[] = {{offsetof(keel_options, method), "rkf78"},
                 {offsetof(keel_options, keep), "E"},
                 {offsetof(keel_options, sets), "x v"}};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (texts[k].offset == f->offset) return texts[k].text;
    fail_msg("give %s a text here", f->name);
    return NULL;
}

static keel_options with(const keel_field *f, keel_options o) {
    if (f->type == KEEL_FIELD_TEXT) keel_field_put_text(f, &o, text_for(f));
    else if (f->offset == offsetof(keel_options, weights)) o.weights = others;
    else if (f->offset == offsetof(keel_options, atol_each)) o.atol_each = others;
    else keel_field_put(f, &o, is_number(f) ? inside(f) : 1);
    return o;
}

static void refused(const keel_problem *p, keel_options o, const char *name, const char *word) {
    keel_solver *s = keel_open(p, &o);
    const char *said = keel_message(s);
    if (keel_state_of(s) != KEEL_EINVAL || !strstr(said, name) || !strstr(said, word))
        fail_msg("%s: `%s`", name, said);
    assert_true(strlen(said) < 200 && !strchr(said, '\n'));
    keel_close(s);
}

static void rows_are_whole(void **state) {
    (void)state;
    const keel_field *f, *g;
    for (int i = 0; (f = keel_field_at(i)); i++) {
        assert_true(f->name[0] && f->about && f->about[0]);
        assert_int_equal(f->argument == NULL, f->type == KEEL_FIELD_FLAG || !(f->traits & KEEL_FIELD_LINE));
        assert_int_equal(f->choices == NULL, f->type != KEEL_FIELD_CHOICE);
        if (f->traits & KEEL_FIELD_MODEL) assert_true(f->traits & KEEL_FIELD_LINE);
        for (int k = 0; k < i; k++) {
            g = keel_field_at(k);
            assert_true(g->offset != f->offset && strcmp(g->name, f->name) != 0);
        }
    }
    assert_null(keel_field_at(-1));
}

static int in_list(const keel_method *m, const keel_field *f) {
    int count = 0;
    const keel_method *owner;
    for (int i = 0; (owner = keel_field_owner(f, i)); i++) count += owner == m;
    return count;
}

/* Descriptors and the table say the same. */
static void owners_are_those_who_list_it(void **state) {
    (void)state;
    const keel_method *m;
    const keel_field *f;
    for (int i = 0; (f = keel_field_at(i)); i++)
        for (int k = 0; k < 2; k++)
            for (int j = 0; (m = k ? keel_method_at(j) : keel_stabilizer_at(j)); j++) {
                int listed = 0;
                for (const keel_field *own = m->fields; own && own->name; own++)
                    listed += own->offset == f->offset;
                assert_int_equal(in_list(m, f), listed);
            }
    assert_null(keel_field_owner(NULL, 0));
    assert_null(keel_field_owner(keel_field_at(0), 0));
}

static void values_go_to_their_members(void **state) {
    (void)state;
    const keel_field *f, *g;
    for (int i = 0; (f = keel_field_at(i)); i++) {
        keel_options o = with(f, (keel_options){0});
        assert_true(keel_field_given(f, &o));
        if (is_number(f)) assert_true(keel_field_number(f, &o) == inside(f));
        if (f->type == KEEL_FIELD_TEXT) assert_string_equal(keel_field_text(f, &o), text_for(f));
        for (int k = 0; (g = keel_field_at(k)); k++) assert_int_equal(keel_field_given(g, &o), g == f);
        assert_ptr_equal(keel_field_of(f->offset), f);
        assert_true(keel_field_value(f, &o) == keel_field_number(f, &o));
        assert_true(keel_field_value(f, &(keel_options){0}) == f->fallback);
    }
}

/* What a row calls the default gives the same bits when it is given. */
static void defaults_are_those_of_the_rows(void **state) {
    (void)state;
    keel_model *m = model_of(oscillator);
    const keel_field *f;
    int count = 0;
    for (int i = 0; (f = keel_field_at(i)); i++) {
        if (f->fallback == 0) continue;
        keel_options o = beside(f), given = o;
        keel_field_put(f, &given, f->fallback);
        keel_solver *a = keel_open(problem_in(m), &o), *b = keel_open(problem_in(m), &given);
        assert_ok(a, keel_run(a, 3));
        assert_ok(b, keel_run(b, 3));
        assert_memory_equal(keel_state(a), keel_state(b), 2 * sizeof(double));
        keel_close(a);
        keel_close(b);
        count++;
    }
    assert_true(count >= 3);
    keel_model_close(m);
}

static void ranges_are_those_of_the_rows(void **state) {
    (void)state;
    keel_model *m = model_of(oscillator);
    const keel_problem *p = problem_in(m);
    const keel_field *f;
    char must[80];
    for (int i = 0; (f = keel_field_at(i)); i++) {
        keel_options o = with(f, beside(f));
        keel_solver *s = keel_open(p, &o);
        if (keel_state_of(s) != KEEL_OK) fail_msg("%s: %s", f->name, keel_message(s));
        keel_close(s);
        if (f->type == KEEL_FIELD_TEXT || f->type == KEEL_FIELD_FLAG) continue;
        const double wrong[] = {-1,
                                f->high > 0 ? f->high + 1 : -2,
                                f->low > 1 ? f->low - 1 : -3,
                                f->traits & KEEL_FIELD_BELOW ? f->high : -4,
                                is_number(f) && f->type == KEEL_FIELD_REAL ? NAN : -5,
                                f->type == KEEL_FIELD_REAL ? INFINITY : -6};
        for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
            const double each[] = {1, wrong[k]};
            if (f->offset == offsetof(keel_options, weights)) o.weights = each;
            else if (f->offset == offsetof(keel_options, atol_each)) o.atol_each = each;
            else keel_field_put(f, &o, wrong[k]);
            refused(p, o, f->name, f->type == KEEL_FIELD_CHOICE ? "does not exist" : "it must ");
            if (is_number(f)) assert_false(keel_field_fits(f, wrong[k], 0, must, sizeof must));
        }
        if (f->type != KEEL_FIELD_REAL && is_number(f))
            assert_false(keel_field_fits(f, inside(f) + 0.5, 0, must, sizeof must));
        if (f->traits & KEEL_FIELD_ABOVE) assert_false(keel_field_fits(f, f->low, 0, must, sizeof must));
    }
    keel_model_close(m);
}

static void options_of_others_are_refused(void **state) {
    (void)state;
    keel_model *m = model_of(oscillator);
    const keel_field *f;
    int count = 0;
    for (int i = 0; (f = keel_field_at(i)); i++) {
        if (!keel_field_owner(f, 0)) continue;
        refused(problem_in(m), with(f, (keel_options){.method = "rk4+project", .step = 0.1}), f->name, "");
        count++;
    }
    assert_true(count >= 4);
    keel_model_close(m);
}

static void states_go_on_with_the_same_values(void **state) {
    (void)state;
    static unsigned char bytes[1 << 16];
    keel_model *m = model_of(oscillator);
    const keel_problem *p = problem_in(m);
    const keel_field *f;
    for (int i = 0; (f = keel_field_at(i)); i++) {
        if (f->offset == offsetof(keel_options, method)) continue; /* known by the name of the stepper */
        const keel_options before = beside(f), after = with(f, before);
        keel_solver *s = keel_open(p, &after);
        assert_ok(s, keel_run(s, 1));
        size_t size = keel_save(s, bytes, sizeof bytes);
        assert_true(size > 0 && size <= sizeof bytes);
        keel_close(s);
        s = keel_load(p, &after, bytes, size);
        assert_ok(s, keel_run(s, 2));
        keel_close(s);
        s = keel_load(p, &before, bytes, size);
        if ((keel_state_of(s) == KEEL_EINVAL) != ((f->traits & KEEL_FIELD_RESULTS) != 0))
            fail_msg("%s: %s", f->name, keel_message(s));
        keel_close(s);
    }
    keel_model_close(m);
}

/* A method from outside takes an option by its own row, with a range of its own. */
static void own_methods_have_options(void **state) {
    (void)state;
    static const keel_field fields[] = {{KEEL_FIELD(gain), .low = 2, .high = 3}, {.name = NULL}};
    static unsigned char bytes[1 << 16];
    keel_model *m = model_of(oscillator);
    const keel_problem *p = problem_in(m);
    keel_stepper mine = *registry_find("rk4");
    mine.info.name = "mine";
    keel_options o = {.own_method = &mine, .step = 0.1, .gain = 2.5};
    refused(p, o, "gain", "belongs to the stabilizer");
    mine.info.fields = fields;
    keel_solver *s = keel_open(p, &o);
    assert_ok(s, keel_run(s, 1));
    size_t size = keel_save(s, bytes, sizeof bytes);
    keel_close(s);
    assert_true(size > 0 && size <= sizeof bytes);
    o.gain = 4;
    refused(p, o, "gain = 4", "it must lie between 2 and 3");
    o.gain = 3; /* no trait says that results depend on it */
    s = keel_load(p, &o, bytes, size);
    assert_ok(s, keel_run(s, 2));
    keel_close(s);
    keel_model_close(m);
}

static void programs_carry_them(void **state) {
    (void)state;
    keel_model *m = model_of(oscillator);
    const keel_field *f;
    for (int i = 0; (f = keel_field_at(i)); i++) {
        const keel_options o = with(f, beside(f));
        char *text = keel_model_standalone(m, &o), member[80];
        assert_non_null(text);
        snprintf(member, sizeof member, "\n        .%s = ", f->name);
        if (f->type == KEEL_FIELD_REALS) assert_null(strstr(text, member));
        else if (!strstr(text, member)) fail_msg("%s is not in it", f->name);
        free(text);
    }
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_whole),
        cmocka_unit_test(owners_are_those_who_list_it),
        cmocka_unit_test(values_go_to_their_members),
        cmocka_unit_test(defaults_are_those_of_the_rows),
        cmocka_unit_test(ranges_are_those_of_the_rows),
        cmocka_unit_test(options_of_others_are_refused),
        cmocka_unit_test(states_go_on_with_the_same_values),
        cmocka_unit_test(own_methods_have_options),
        cmocka_unit_test(programs_carry_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
