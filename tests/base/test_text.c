/* test_text.c - what is shown to people acts on no terminal, whatever bytes it is made of. */
#include "testing.h"

#include "base/text.h"

#include <string.h>

static int is_plain(const char *text) {
    size_t length = strlen(text);
    for (size_t i = 0; i < length;) {
        uint32_t point;
        int size = text_character(text + i, length - i, &point);
        if (size == 0 || text_is_control(point)) return 0;
        i += (size_t)size;
    }
    return 1;
}

/* Random bytes, with those that begin long characters and escapes more often. */
static void random_bytes(char *out, size_t length, uint64_t *dice) {
    static const unsigned char often[] = {0x1b, 0x9b, 0xc2, 0xe2, 0x80, 0xae, 0xf0, 0x7f, '\n', '\\'};
    for (size_t i = 0; i < length; i++) {
        *dice = *dice * 6364136223846793005u + 1442695040888963407u;
        unsigned draw = (unsigned)(*dice >> 33);
        out[i] = (char)(draw & 1 ? often[draw / 2 % sizeof often] : 1 + draw / 2 % 255);
    }
    out[length] = '\0';
}

/* Cut where there is no room, and not a byte further. */
static void a_copy_is_what_a_format_of_it_gives(void **state) {
    (void)state;
    uint64_t dice = 7;
    char bytes[41], copy[64], formatted[64];
    for (int k = 0; k < 2000; k++) {
        size_t capacity = (size_t)(k % 50) + 1;
        random_bytes(bytes, (size_t)(k % 41), &dice);
        memset(copy, '#', sizeof copy);
        memset(formatted, '#', sizeof formatted);
        text_copy(copy, capacity, bytes);
        text_set(formatted, capacity, "%s", bytes);
        assert_string_equal(copy, formatted);
        for (size_t i = capacity; i < sizeof copy; i++) assert_int_equal(copy[i], '#');
    }
}

static void nothing_acts_on_a_terminal(void **state) {
    (void)state;
    uint64_t dice = 1;
    char bytes[41], whole[200], cut[200];
    for (int k = 0; k < 20000; k++) {
        random_bytes(bytes, (size_t)(k % 40), &dice);
        size_t length = text_shown(whole, sizeof whole, bytes), capacity = (size_t)(k % 97) + 1;
        assert_true(is_plain(whole));
        assert_int_equal(strlen(whole), length);
        memset(cut, '#', sizeof cut);
        assert_int_equal(text_shown(cut, capacity, bytes), length); /* as snprintf counts */
        assert_true(strlen(cut) < capacity && is_plain(cut));
        assert_int_equal(strncmp(cut, whole, strlen(cut)), 0);
        for (size_t i = capacity; i < sizeof cut; i++) assert_int_equal(cut[i], '#');
    }
}

static void names_stay_readable(void **state) {
    (void)state;
    static const struct {
        const char *given, *shown;
    } pair[] = {{"pendulum.keel", "pendulum.keel"},
                {"Schr\xc3\xb6"
                 "dinger \xe2\x88\x80 \xf0\x9f\x98\x80",
                 "Schr\xc3\xb6"
                 "dinger \xe2\x88\x80 \xf0\x9f\x98\x80"},
                {"a\x1b[31m\n\t\x7f", "a\\x1b[31m\\n\\t\\x7f"},
                {"\xe2\x80\xae"
                 "abc",
                 "\\u202e"
                 "abc"},
                {"\xc2\x9b\xff", "\\x9b\\xff"},
                {"", ""}};
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) {
        char shown[100];
        text_shown(shown, sizeof shown, pair[k].given);
        assert_string_equal(shown, pair[k].shown);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_is_what_a_format_of_it_gives),
        cmocka_unit_test(nothing_acts_on_a_terminal),
        cmocka_unit_test(names_stay_readable),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
