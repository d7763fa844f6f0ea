/* test_form_traits.c - what the forms of a problem have (keel/form.h). */
#include "testing.h"

#include <keel/form.h>

#include <strings.h>

/* A form is named by its constant, and has one way to give x'. */
static void forms_say_what_they_have(void **state) {
    (void)state;
    int count = 0;
    for (const keel_form_info *form; (form = keel_form_at(count)); count++) {
        unsigned traits = keel_form_traits((keel_form)count, 0), one = traits;
        one &= KEEL_FIRST_ORDER | KEEL_FROM_ENERGY | KEEL_SECOND_ORDER;
        assert_int_equal(traits, form->traits);
        assert_true(one != 0 && (one & (one - 1)) == 0);
        assert_memory_equal(form->constant, "KEEL_", 5);
        assert_int_equal(strcasecmp(form->constant + 5, form->name), 0);
        /* a structure matrix leaves no pairs, whatever the form */
        assert_int_equal(keel_form_traits((keel_form)count, 1) & (KEEL_CANONICAL | KEEL_POSITIONS), 0);
        assert_true(!(traits & KEEL_CANONICAL) || traits & KEEL_FROM_ENERGY);
    }
    assert_int_equal(count, KEEL_DAE + 1);
    assert_null(keel_form_at(-1));
    assert_int_equal(keel_form_traits((keel_form)99, 0), 0);
}

/* What the problems have is what their form and their structure matrix say. */
static void problems_have_the_traits_of_their_form(void **state) {
    (void)state;
    for (int i = 0; i < problem_count(); i++) {
        problem p;
        problem_at(i, &p);
        unsigned traits = keel_problem_traits(&p.keel);
        int even = !(traits & KEEL_POSITIONS) || p.keel.n % 2 == 0;
        assert_true(even);
        assert_true(!p.keel.constraint.count || traits & KEEL_POSITIONS);
        assert_true(!p.keel.m || traits & KEEL_ALGEBRAIC);
        assert_int_equal(p.keel.f.count == p.keel.n / 2, (traits & KEEL_SECOND_ORDER) != 0);
        assert_true(!p.keel.structure.value || !(traits & KEEL_CANONICAL));
    }
    problem p;
    problem_kepler_hamiltonian(&p, 0.3);
    assert_int_equal(keel_problem_traits(&p.keel), KEEL_FROM_ENERGY | KEEL_CANONICAL | KEEL_POSITIONS);
    problem_rigid_body_hamiltonian(&p, 1, 2, 3);
    assert_int_equal(keel_problem_traits(&p.keel), KEEL_FROM_ENERGY);
    problem_pendulum(&p, 1);
    assert_int_equal(keel_problem_traits(&p.keel), KEEL_SECOND_ORDER | KEEL_POSITIONS);
}

/* A form that there is not is refused, whatever its number. */
static void no_other_form_is_taken(void **state) {
    (void)state;
    static const int number[] = {-1, 4, 99, -2147483647};
    for (int k = 0; k < 4; k++) {
        problem p;
        problem_pendulum(&p, 1);
        p.keel.form = (keel_form)number[k];
        keel_solver *s = keel_open(&p.keel, NULL);
        assert_int_equal(keel_state_of(s), KEEL_EINVAL);
        assert_non_null(strstr(keel_message(s), "does not exist"));
        assert_int_equal(keel_problem_traits(&p.keel), 0);
        keel_close(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_say_what_they_have),
        cmocka_unit_test(problems_have_the_traits_of_their_form),
        cmocka_unit_test(no_other_form_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
