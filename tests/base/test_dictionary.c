/* test_dictionary.c - numbers by text: what was put there is found again, everything else is new. */
#include "testing.h"

#include "base/dictionary.h"

static void every_text_has_its_number(void **unused) {
    (void)unused;
    enum { COUNT = 5000 };
    struct pool pool = {0};
    struct dictionary d = {.pool = &pool};
    char text[40];
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < COUNT; i++) {
            snprintf(text, sizeof text, i % 2 ? "x[%d]" : "d/dt rod[%d]", i);
            int *number = dictionary_at(&d, text);
            assert_non_null(number);
            assert_int_equal(*number, round ? i : -1);
            *number = i;
        }
    assert_int_equal(d.count, COUNT);
    assert_int_equal(*dictionary_at(&d, ""), -1);
    pool_release(&pool);
}

static void without_memory_there_is_none(void **unused) {
    (void)unused;
    struct pool pool = {.limit = 100};
    struct dictionary d = {.pool = &pool};
    int refused = 0;
    for (int i = 0; i < 1000 && !refused; i++) {
        char text[40];
        snprintf(text, sizeof text, "%d", i);
        int *number = dictionary_at(&d, text);
        refused = !number;
        if (number) *number = i;
    }
    assert_true(refused && pool.refused);
    pool_release(&pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_text_has_its_number),
        cmocka_unit_test(without_memory_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
