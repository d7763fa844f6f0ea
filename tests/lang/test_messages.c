/* test_messages.c - the messages of the parser: every mistake has its line, its column, and words of the
 * sentence and of the hint. */
#include "example_list.h"
#include "reading.h"

#include "lang/parser.h"

/* Messages ----------------------------------------------------------------------------------------------- */

struct mistake {
    const char *text;
    int line, column;
    const char *sentence, *hint; /* words in them */
};

static const struct mistake mistakes[] = {
#include "parser_mistakes.def"
};

static int shows(const struct mistake *mistake, struct reading *r) {
    const struct source_message *one = &r->messages.list[0];
    struct source_place place = source_place(&r->source, one->offset);
    if (r->file || r->messages.count == 0) return 0;
    if (mistake->line == 0) return one->offset == SOURCE_NOWHERE && strstr(one->sentence, mistake->sentence);
    return place.line == mistake->line && place.column == mistake->column && r->messages.errors == 1 &&
           strstr(one->sentence, mistake->sentence) && strstr(one->hint, mistake->hint);
}

static void every_mistake_has_its_message(void **unused) {
    (void)unused;
    int wrong = 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        struct reading r;
        read_text(&r, mistakes[i].text);
        if (!shows(&mistakes[i], &r)) {
            print_error("---- %s\nwanted %d:%d %s | %s\n", mistakes[i].text, mistakes[i].line,
                        mistakes[i].column, mistakes[i].sentence, mistakes[i].hint);
            show(&r);
            wrong++;
        }
        pool_release(&r.pool);
    }
    assert_int_equal(wrong, 0);
}

static void several_errors_in_one_go(void **unused) {
    (void)unused;
    static const char text[] = "var x, y\n"
                               "x' = 2x\n"
                               "y' = ln(x)\n"
                               "parm a = 1\n"
                               "for i 1..3:\n"
                               "    init x = = 2\n"
                               "y' = (x + 1\n"
                               "x' = y**2\n"
                               "init y = 1\n"
                               "run 0\n";
    static const int lines[] = {2, 3, 4, 5, 6, 7, 8, 10};
    struct reading r;
    read_text(&r, text);
    assert_null(r.file);
    if (r.messages.count != 8) show(&r);
    assert_int_equal(r.messages.count, 8);
    for (int i = 0; i < 8; i++)
        assert_int_equal(source_place(&r.source, r.messages.list[i].offset).line, lines[i]);
    pool_release(&r.pool);
}

static void an_open_bracket_swallows_no_statement(void **unused) {
    (void)unused;
    static const char text[] = "x' = (y +\n  2\ny' = 3 4\nz' = x'[1]\nrun 0\nu' = sin(z\nv' = 3 4\n";
    static const int lines[] = {1, 3, 4, 5, 6, 7};
    struct reading r;
    read_text(&r, text);
    if (r.messages.count != 6) show(&r);
    assert_int_equal(r.messages.count, 6);
    for (int i = 0; i < 6; i++)
        assert_int_equal(source_place(&r.source, r.messages.list[i].offset).line, lines[i]);
    pool_release(&r.pool);
}

static void messages_are_limited(void **unused) {
    (void)unused;
    char text[4096] = "";
    for (int i = 0; i < 100; i++) strcat(text, "x' = 2x\n");
    struct reading r;
    read_text(&r, text);
    assert_int_equal(r.messages.count, SOURCE_MESSAGES);
    assert_true(r.messages.more > 0);
    char out[16384];
    source_render_all(&r.source, &r.messages, out, sizeof out);
    assert_non_null(strstr(out, "mend these first"));
    pool_release(&r.pool);
}

static void rendered(const char *text, const char *expected) {
    char out[4096];
    struct reading r;
    read_text(&r, text);
    size_t length = source_render_all(&r.source, &r.messages, out, sizeof out);
    assert_string_equal(out, expected);
    assert_int_equal(length, strlen(expected));
    char small[10];
    assert_int_equal(source_render_all(&r.source, &r.messages, small, sizeof small), length);
    assert_int_equal(strlen(small), 9);
    pool_release(&r.pool);
}

static void messages_look_as_described(void **unused) {
    (void)unused;
    rendered("var x\nx' = 1 + 2x\n", "a.keel:2:10: error: `2x` is not a product.\n"
                                     "    x' = 1 + 2x\n"
                                     "             ^\n"
                                     "  Write 2*x.\n");
    rendered("# \xC3\xA9t\xC3\xA9\nlet a = \"\xC3\xA9\" + 1 # \x01\n",
             "a.keel:2:9: error: a string is not a value.\n"
             "    let a = \"\xC3\xA9\" + 1 # ?\n"
             "            ^\n"
             "  Strings stand in `options` only.\n");
    rendered("for i in 1..2:\n\tx[i]' = @\n", "a.keel:2:10: error: `@` has no meaning here.\n"
                                              "    \tx[i]' = @\n"
                                              "    \t        ^\n"
                                              "  Remove it; a comment starts with #.\n");
    rendered("  # only a comment\r\n\r\n", "a.keel: error: the model is empty.\n"
                                           "  A first one:\n"
                                           "    var x\n"
                                           "    x' = -x\n"
                                           "    init x = 1\n"
                                           "    run 0 .. 10\n");
}

static void long_lines_are_shown_around_the_caret(void **unused) {
    (void)unused;
    char text[3000] = "x' = ", out[1000];
    for (int i = 0; i < 400; i++) strcat(text, "x + ");
    strcat(text, "2x");
    for (int i = 0; i < 100; i++) strcat(text, " + x");
    struct reading r;
    read_text(&r, text);
    source_render_all(&r.source, &r.messages, out, sizeof out);
    char *line = strchr(out, '\n') + 1, *caret = strchr(line, '\n') + 1;
    assert_memory_equal(line, "    ...", 7);
    assert_true(caret - line < 120);
    char *pointed = line + (strchr(caret, '^') - caret);
    assert_memory_equal(pointed, "2x ", 3);
    pool_release(&r.pool);
}

static void texts_that_are_none(void **unused) {
    (void)unused;
    struct reading r;
    read_bytes(&r, "var x\nx' = \0 1\n", 15);
    assert_null(r.file);
    assert_non_null(strstr(r.messages.list[0].sentence, "zero byte"));
    assert_int_equal(source_place(&r.source, r.messages.list[0].offset).column, 6);
    pool_release(&r.pool);
    static const char *const broken[] = {"\xE4",     "\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80",
                                         "\xE2\x82", "\x80"};
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "var x # %s", broken[i]);
        read_text(&r, text);
        assert_null(r.file);
        assert_non_null(strstr(r.messages.list[0].sentence, "is not UTF-8"));
        assert_int_equal(source_place(&r.source, r.messages.list[0].offset).column, 9);
        pool_release(&r.pool);
    }
    read_bytes(&r, "\xFF\xFEv\0a\0r\0", 8);
    assert_non_null(strstr(r.messages.list[0].sentence, "UTF-16"));
    size_t length = SOURCE_LONGEST + 1;
    char *text = malloc(length);
    memset(text, '\n', length);
    read_bytes(&r, text, length);
    assert_non_null(strstr(r.messages.list[0].sentence, "at most"));
    read_bytes(&r, text, length - 1);
    assert_non_null(strstr(r.messages.list[0].sentence, "empty"));
    pool_release(&r.pool);
    memset(text, ' ', length);
    read_bytes(&r, text, length - 1);
    assert_non_null(strstr(r.messages.list[0].sentence, "this line has more than"));
    free(text);
}

/* Trees -------------------------------------------------------------------------------------------------- */

static void expressions_alone(void **unused) {
    (void)unused;
    static const struct mistake wrong[] = {{"", 1, 1, "an expression is missing", ""},
                                           {"1 +", 1, 4, "missing after `+`", ""},
                                           {"1 2", 1, 3, "an operator is missing", ""},
                                           {"x = 2", 1, 3, "cannot stand in an expression", "=="},
                                           {"0.01pi", 1, 1, "not a product", "0.01*pi"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct reading r = {.source = {"--step", wrong[i].text, strlen(wrong[i].text)}};
        assert_null(parser_run_expression(&r.source, &r.messages, &r.pool));
        if (!shows(&wrong[i], &r)) show(&r);
        assert_true(shows(&wrong[i], &r));
        pool_release(&r.pool);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_has_its_message),
        cmocka_unit_test(several_errors_in_one_go),
        cmocka_unit_test(an_open_bracket_swallows_no_statement),
        cmocka_unit_test(messages_are_limited),
        cmocka_unit_test(messages_look_as_described),
        cmocka_unit_test(long_lines_are_shown_around_the_caret),
        cmocka_unit_test(texts_that_are_none),
        cmocka_unit_test(expressions_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
