/* test_digits.c - 17 digits as the C library writes them, for every kind of number. */
#include "testing.h"

#include "cli/files/digits.c"

static void check(double value) {
    char want[64], got[DIGITS_ROOM + 1];
    snprintf(want, sizeof want, "%.17g", value);
    int length = digits_write(value, got);
    assert_in_range(length, 1, DIGITS_ROOM - 1);
    got[length] = '\0';
    if (strcmp(want, got) != 0) fail_msg("%s is written as %s", want, got);
    double back = strtod(got, NULL);
    if (!isnan(value)) assert_memory_equal(&back, &value, sizeof value);
}

static void both(double value) {
    check(value);
    check(-value);
}

static void special_numbers(void **unused) {
    (void)unused;
    const double some[] = {0,
                           1,
                           10,
                           0.1,
                           0.3,
                           1e16,
                           1e17,
                           1e22,
                           1e23,
                           1e-4,
                           1e-5,
                           123456,
                           5e-324,
                           2.2e-308,
                           1.7e308,
                           HUGE_VAL,
                           0.5,
                           0.75,
                           1 / 3.0,
                           1e100,
                           9e15,
                           9007199254740993.0,
                           4503599627370497.5,
                           99999999999999999.0};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        both(some[i]);
        both(nextafter(some[i], HUGE_VAL));
        both(nextafter(some[i], -HUGE_VAL));
    }
    check(NAN);
}

static void powers_and_their_neighbours(void **unused) {
    (void)unused;
    for (int k = -324; k <= 308; k++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", k);
        double value = strtod(text, NULL);
        both(value);
        both(nextafter(value, 0));
        both(nextafter(value, HUGE_VAL));
    }
    for (int k = -1074; k <= 1023; k++) {
        both(ldexp(1, k));
        both(nextafter(ldexp(1, k), 0));
    }
}

/* Eighteen digits that end with 5: exactly half way. */
static void ties(void **unused) {
    (void)unused;
    for (uint64_t k = 0; k < 20000; k++) {
        both((double)(2 * k * 7919 + 1) / 8);
        both((double)(((uint64_t)1 << 52) + k * 104729) + 0.5);
        both((double)(10000000000000000u + 2 * k) * 10 + 16);
        both(ldexp((double)(2 * k + 1), -24));
    }
}

static void random_bits(void **unused) {
    (void)unused;
    uint64_t state = 88172645463325252u;
    for (int k = 0; k < 1000000; k++) {
        double value;
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        memcpy(&value, &state, sizeof value);
        if (!isnan(value)) check(value);
        check((double)(state >> 11) * 0x1p-53);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_numbers),
        cmocka_unit_test(powers_and_their_neighbours),
        cmocka_unit_test(ties),
        cmocka_unit_test(random_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
