/* long_contacts.c - a thousand random scenes of five bodies (contacts.h). */
#include "contacts.h"

static void nothing_falls_through_anything(void **unused) {
    (void)unused;
    int jams = 0;
    assert_true(contacts_run(0, 1000, &jams) > 1000);
    assert_true(jams <= 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_falls_through_anything)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
