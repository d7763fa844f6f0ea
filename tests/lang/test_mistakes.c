/* test_mistakes.c - models that cannot be run: what is wrong, where, and what to do; and that no text of a
 * model gets where it does not belong. */
#include "testing.h"

#include <ctype.h>

#include "model/private.h"

struct mistake {
    const char *text;
    int line, column; /* line 0: about the whole model */
    const char *sentence, *hint;
    const char *set; /* a parameter, or NULL */
};

static const struct mistake mistakes[] = {
#include "model_mistakes.def"
};

static keel_model *read_with(const char *text, const char *set) {
    keel_model_options o = {.set = &set, .sets = set != NULL, .interpret = 1};
    keel_model *m = keel_model_read("a.keel", text, strlen(text), &o);
    assert_non_null(m);
    return m;
}

static keel_model *read_text(const char *text) {
    return read_with(text, NULL);
}

static int shows(const keel_model *m, const struct mistake *mistake) {
    const struct source_message *one = &m->messages.list[0];
    if (keel_model_status(m) != KEEL_EINVAL || m->messages.count != 1) return 0;
    if (!strstr(one->sentence, mistake->sentence) || !strstr(one->hint, mistake->hint)) return 0;
    if (mistake->line == 0) return one->offset == SOURCE_NOWHERE;
    struct source_place place = source_place(&m->source, one->offset);
    return one->offset != SOURCE_NOWHERE && place.line == mistake->line && place.column == mistake->column;
}

static void every_mistake_has_its_message(void **unused) {
    (void)unused;
    int wrong = 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        keel_model *m = read_with(mistakes[i].text, mistakes[i].set);
        if (!shows(m, &mistakes[i])) {
            print_error("---- mistake %d, expected %d:%d %s (%s)\n%s%s", (int)i, mistakes[i].line,
                        mistakes[i].column, mistakes[i].sentence, mistakes[i].hint, mistakes[i].text,
                        keel_model_message(m));
            wrong++;
        }
        keel_model_close(m);
    }
    assert_int_equal(wrong, 0);
}

/* Several in one go ------------------------------------------------------------------------------------- */

static void expect_lines(const char *text, int count, const int *line) {
    keel_model *m = read_text(text);
    if (m->messages.count != count) print_error("%s%s", text, keel_model_message(m));
    assert_int_equal(m->messages.count, count);
    for (int i = 0; i < count; i++)
        assert_int_equal(source_place(&m->source, m->messages.list[i].offset).line, line[i]);
    keel_model_close(m);
}

static void all_false_invariants_are_told(void **unused) {
    (void)unused;
    expect_lines("var x, y\nx' = -y\ny' = x\ninvariant a = x + y\ninvariant b = x^2 + y^2\n"
                 "invariant c = x*y\ninvariant d = x\ninvariant e = y\ninvariant f = 2*x\n"
                 "init x = 1, y = 0.5\nrun 0 .. 1\n",
                 5, (int[]){4, 6, 7, 8, 9});
}

static void all_modes_are_told(void **unused) {
    (void)unused;
    expect_lines("var x, y, z\nx' = -x\nmode a:\n    event e: x - 0.5 falling -> mode b\nmode b:\n"
                 "    x = 1\nstart a\ninit x = 1\nrun 0 .. 1\n",
                 2, (int[]){1, 6});
    expect_lines("var x, y\nx' = -x\ny + y^3 = x\nmode a:\n    event f: x - 0.4 falling -> mode b\n"
                 "    invariant u = y\nmode b:\n    invariant v = 2*y\ninvariant w = y'\nstart a\n"
                 "init x = 1\nrun 0 .. 1\n",
                 3, (int[]){6, 8, 9});
    expect_lines("var x, y\nx' = -x\nmode a:\n    y' = 1\n    event f: x - 0.4 falling -> mode b, y := 1\n"
                 "    event g: x - 0.3 falling -> mode b, y := 2\nmode b:\n    y = x\nstart a\n"
                 "init x = 1, y = 0\nrun 0 .. 1\n",
                 2, (int[]){5, 6});
}

static void all_lines_without_a_value_are_told(void **unused) {
    (void)unused;
    expect_lines("var x, y\nx' = 1/x\ny' = log(y)\nevent e: 1/(x + y) rising -> stop\n"
                 "init x = 0, y = 0\nrun 0 .. 1\n",
                 3, (int[]){2, 3, 4});
    expect_lines("var x, y\nx' = if(x > 0, 1, 1/y)\ny' = log(y)\ninit x = 1, y = 0\nrun 0 .. 1\n", 1,
                 (int[]){3});
    expect_lines("param a = 0\nvar x, y\nx' = -x\ny' = x\ninit x = 1/a\ninit y = log(-1 + a)\nrun 0 .. 1\n",
                 2, (int[]){5, 6});
    expect_lines("var x, y\nx' = -x\ny + y^3 = x\noutput a = y''''''''\noutput b = y\n"
                 "output c = y'''''''''\ninit x = 1\nrun 0 .. 1\n",
                 2, (int[]){4, 6});
    expect_lines("var x, y, z\nx' = -x\ny = x\nz = 2*x\ninit x = 1, y = 3, z = 4\nrun 0 .. 1\n", 2,
                 (int[]){5, 5});
}

/* What is right ----------------------------------------------------------------------------------------- */

static void starts_at(const char *text, int count, const double *expected) {
    double value[8];
    keel_model *m = read_text(text);
    if (keel_model_status(m) != KEEL_OK) print_error("%s%s", text, keel_model_message(m));
    assert_int_equal(keel_model_status(m), KEEL_OK);
    keel_sim *s = keel_sim_open(m, NULL);
    assert_true(keel_sim_columns(s) <= 8);
    assert_int_equal(keel_sim_values(s, value), KEEL_OK);
    for (int i = 0; i < count; i++) {
        if (!(fabs(value[i] - expected[i]) <= 1e-12))
            fail_msg("%s%s = %.17g, not %.17g", text, keel_sim_column(s, i), value[i], expected[i]);
    }
    keel_sim_close(s);
    keel_model_close(m);
}

/* An `init` of what follows from the states gives the states. */
static void implied_values_are_met(void **unused) {
    (void)unused;
    starts_at("var x, y\nx' = y\ny = 2*x\ninit y = 2\nrun 0 .. 1\n", 2, (double[]){1, 2});
    starts_at("var x, y\nx' = -y\ny + y^3 = 2*x\ninit y = 1\nrun 0 .. 1\n", 2, (double[]){1, 1});
    starts_at("var x, y\nx'' = -x\ny = x + x'\ninit y = 2, x = 1\nrun 0 .. 1\n", 3, (double[]){1, 2, 1});
    starts_at("canonical q, p\nhamiltonian p^2/4 + q^2/2\ninit q = 1, q' = 2\nrun 0 .. 1\n", 2,
              (double[]){1, 4});
    starts_at(
        "var x, y, r\nx' = -y\ny' = x\nr = sqrt(x^2 + y^2)\ninit r = 5, x = 3\nguess y = 1\nrun 0 .. 1\n", 3,
        (double[]){3, 4, 5});
    starts_at("var x, y\nx' = -x\ny = atan(x)\ninit y = 1.4\nguess x = 20\nrun 0 .. 1\n", 2,
              (double[]){tan(1.4), 1.4}); /* whole steps of Newton would run away */
    starts_at("coord x\nlagrangian x'^2/2 - x^2/2\ninit x = 1, x' = 0, x'' = -1\nrun 0 .. 1\n", 2,
              (double[]){1, 0});
    starts_at("var x, y\nx' = -x\ny = sin(pi*x)\ninit x = 1, y = 0\nrun 0 .. 1\n", 1, (double[]){1});
}

static void what_fits_is_accepted(void **unused) {
    (void)unused;
    static const char pendulum[] = "coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\n"
                                   "constraint rod: x^2 + y^2 = 1\nrun 0 .. 1\n";
    char text[400];
    snprintf(text, sizeof text, "%sinit x = 1, y = 0, x' = 0, y' = 1, lambda.rod = 0.5\n", pendulum);
    starts_at(text, 5, (double[]){1, 0, 0, 1, 0.5});
    snprintf(text, sizeof text, "%sinit x = 0.6, y = 0.8, x' = 0\nguess y' = 0\n", pendulum);
    starts_at(text, 4, (double[]){0.6, 0.8, 0, 0});
    starts_at("var x, y\nx' = -x\ny^2 = x\nguess y = -1\ninit x = 1\nrun 0 .. 1\n", 2, (double[]){1, -1});
    starts_at("var x, y\nx' = -x\ny^2 = x\nguess y = 3\ninit x = 1\nrun 0 .. 1\n", 2, (double[]){1, 1});
    starts_at("var x, y\nx' = if(x > 0, 1/x, 1/y)\ny' = 1\ninit x = 1, y = 0\nrun 0 .. 1\n", 2,
              (double[]){1, 0});
    starts_at("param N = 0\nvar y, x[1..N]\ny' = -y\nfor i in 1..N: x[i]' = -x[i]\n"
              "invariant s = sum(i in 1..N, x[i])\ninit y = 1, x = 0\nrun 0 .. 1\n",
              1, (double[]){1});
    starts_at("coord x, y\nlagrangian (x'^2 + y'^2)/2 - 1e-200*y\nconstraint rod: x^2 + y^2 = 1e-200\n"
              "init y = 0, y' = 0\nguess x = 1e-100\nrun 0 .. 1\n",
              2, (double[]){1e-100, 0});
    starts_at("var x, y\nx' = -y\ny' = x*(x^2 + y^2)\ninvariant r = x^2 + y^2\ninvariant w = x^2 + y^2 + 1\n"
              "init x = 1, y = 0\nrun 0 .. 1\n",
              2, (double[]){1, 0});
}

static void a_guess_alone_is_named(void **unused) {
    (void)unused;
    keel_model *m = read_text("var x, y\nx' = -y\ny' = x\nguess x = 1\ninit y = 0\nrun 0 .. 1\n");
    assert_int_equal(keel_model_status(m), KEEL_OK);
    assert_string_equal(keel_model_free_value(m, 0), "x");
    assert_null(keel_model_free_value(m, 1));
    keel_model_close(m);
}

static void a_redundant_constraint_is_a_warning(void **unused) {
    (void)unused;
    keel_model *m =
        read_text("coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
                  "constraint rod2: 2*x^2 + 2*y^2 = 2\ninit y = 0, y' = 0\nguess x = 1\nrun 0 .. 1\n");
    assert_int_equal(keel_model_status(m), KEEL_OK);
    assert_int_equal(m->messages.count, 1);
    assert_int_equal(m->messages.list[0].severity, SOURCE_WARNING);
    assert_int_equal(source_place(&m->source, m->messages.list[0].offset).line, 4);
    assert_non_null(strstr(m->messages.list[0].sentence,
                           "constraint `rod2` is redundant: it follows from constraint `rod`."));
    keel_model_close(m);
}

/* A parameter that is set later makes the same mistakes, and mends them. */
static void mistakes_come_and_go_with_parameters(void **unused) {
    (void)unused;
    keel_model *m = read_text("param a = 1\nvar x\nx' = -x/a\ninit x = 1\nrun 0 .. 1\n");
    assert_int_equal(keel_model_status(m), KEEL_OK);
    assert_int_equal(keel_model_set(m, "a=0"), KEEL_EINVAL);
    assert_non_null(
        strstr(keel_model_message(m), "a.keel:3:1: error: `x/a` is infinite at the start: a = 0"));
    assert_int_equal(keel_model_set(m, "a=2"), KEEL_OK);
    assert_string_equal(keel_model_message(m), "");
    keel_model_close(m);
}

/* Hostile texts ----------------------------------------------------------------------------------------- */

/* No control character but the end of a line and the tab, and every line of a decent length. */
static void harmless(const char *message) {
    size_t line = 0;
    for (const unsigned char *c = (const unsigned char *)message; *c; c++) {
        if (*c == '\n') line = 0;
        else if (++line > 900) fail_msg("a line of a message is too long: %s", message);
        if ((*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f) fail_msg("byte %d in: %s", *c, message);
        if (c[0] == 0xe2 && c[1] == 0x80 && c[2] >= 0xaa && c[2] <= 0xae)
            fail_msg("direction in: %s", message);
    }
}

static void messages_are_harmless(void **unused) {
    (void)unused;
    static const char *const texts[] = {
        "var x # \033[31mred \xe4\xb8\xad \xe2\x80\xae\nx' = 1/x # \033]0;title\a\ninit x = 0\nrun 0 .. 1\n",
        "var x\nx' = 1/x\ninit x = 0\nrun 0 .. 1\noptions method = \"\033[31m*/ system(1); /* %s%n\"\n",
        "var x, y\nx' = 1\ny = der(abs(x +  # \033[31m\n    1))\ninit x = 0\nrun 0 .. 1\n",
        "var x, y\nx' = 1\ny = der(abs(x\t+\f1))\ninit x = 0\nrun 0 .. 1\n",
        "var x\nx' = \033[2J\ninit x = 0\nrun 0 .. 1\n",
        "model \033[2J\nvar x\nx' = 1\ninit x = 0\nrun 0 .. 1\n",
        "var x\nx' = 1 \x80\xff\ninit x = 0\nrun 0 .. 1\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        keel_model *m = read_text(texts[i]);
        assert_int_not_equal(keel_model_status(m), KEEL_OK);
        harmless(keel_model_message(m));
        keel_model_close(m);
    }
    keel_model *m = read_with("param a = 1\nvar x\nx' = a\ninit x = 0\nrun 0 .. 1\n", "a=\033[2J");
    assert_int_not_equal(keel_model_status(m), KEEL_OK);
    harmless(keel_model_message(m));
    keel_model_close(m);
    m = keel_model_read("\033[2Jname", "x", 1, NULL);
    harmless(keel_model_message(m));
    keel_model_close(m);
}

/* Names as long as they may be: the message keeps its place and is never overrun. */
static void long_names_keep_their_places(void **unused) {
    (void)unused;
    char a[101], b[101], text[4000];
    memset(a, 'a', 100), memset(b, 'a', 100);
    a[100] = b[100] = '\0';
    b[99] = 'b';
    static const struct {
        const char *format;
        int line;
    } cases[] = {
        {"var %1$s, %2$s\n%1$s' = -%2$s\n%2$s' = 1/%1$s\ninit %1$s = 0, %2$s = 1\nrun 0 .. 1\n", 3},
        {"var %1$s, %2$s\n%1$s' = -%2$s\n%2$s' = %1$s\ninit %2$s = 1\nrun 0 .. 1\n", 1},
        {"var %1$s, %2$s\n%1$s' = -%2$s\n%2$s' = %1$s\ninvariant %2$s = %1$s\ninit %1$s = 0, %2$s = 1\n"
         "run 0 .. 1\n",
         4},
        {"coord %1$s, %2$s\nlagrangian (%1$s'^2 + %2$s'^2)/2\nconstraint %1$s: %1$s^2 + %2$s^2 = 1\n"
         "guess %2$s' = 0\ninit %1$s = 1, %2$s = 0, %1$s' = 0.5\nrun 0 .. 1\n",
         5},
        {"var %1$s, %2$s\n%1$s' = -%2$s\ninit %1$s = 1\nrun 0 .. 1\n", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text, cases[i].format, a, b);
        keel_model *m = read_text(text);
        harmless(keel_model_message(m));
        if (m->messages.count != 1) print_error("%s%s", text, keel_model_message(m));
        assert_int_equal(m->messages.count, 1);
        assert_int_equal(source_place(&m->source, m->messages.list[0].offset).line, cases[i].line);
        keel_model_close(m);
    }
}

static int word_at(const char *text, const char *word, size_t length) {
    return strncmp(text, word, length) == 0;
}

/* Does the C contain the word, where no letter or digit stands beside it? */
static int in_c(const char *c, const char *word, size_t length) {
    for (const char *at = c; *at; at++) {
        int before = at > c && (isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (before || !word_at(at, word, length)) continue;
        if (!isalnum((unsigned char)at[length]) && at[length] != '_') return 1;
    }
    return 0;
}

/* Every word of a model's text that the language does not know must be absent from the C. */
static void nothing_is_injected(void **unused) {
    (void)unused;
    static const char text[] = "model zz_attribute  # */ system(\"rm\"); /*\n"
                               "param zz_system = 1, zz_define = 2, zz_m[1..2] = (1, 2)\n"
                               "coord zz_exit, zz_main\n"
                               "let zz_include = zz_exit^2 + zz_main^2\n"
                               "let zz_f(zz_u) = zz_u*zz_system\n"
                               "lagrangian zz_L = zz_m[1]*(zz_exit'^2 + zz_main'^2)/2 - zz_f(zz_main)\n"
                               "constraint zz_asm: zz_include = zz_define\n"
                               "force zz_exit: if(zz_exit > 5, zz_m[2], 0)\n"
                               "invariant zz_goto = zz_include\n"
                               "output zz_return = lambda.zz_asm\n"
                               "event zz_for: zz_exit rising -> record\n"
                               "init zz_main = 1, zz_main' = 0\nguess zz_exit = 1\n"
                               "options method = \"*/ system(1); /* #include <x>\", zz_opt = zz_word\n"
                               "run 0 .. 1\n";
    static const char *const words[] = {"zz", "attribute", "system", "exit", "main", "include <x>", "rm"};
    keel_model *m = read_text(text);
    const char *c = keel_model_source(m);
    if (!c) print_error("%s", keel_model_message(m));
    assert_non_null(c);
    assert_null(strstr(c, "zz_"));
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        assert_false(in_c(c, words[i], strlen(words[i])));
    for (const char *at = text; *at; at++) { /* the text word by word: what is long enough to be ours alone */
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
        if (length >= 4 && strncmp(at, "zz_", 3) == 0) assert_false(in_c(c, at, length));
        if (length) at += length - 1;
    }
    keel_model_close(m);
}

/* The C of a model depends on nothing that is only a name; a method that there is not is none. */
static void other_names_give_the_same_c(void **unused) {
    (void)unused;
    static const char *const texts[] = {
        "model one # a\nparam k = 2\nvar x, v\nx' = v\nv' = -k*sin(x)\ninvariant e = v^2/2 - k*cos(x)\n"
        "event top: v falling -> record\ninit x = 1, v = 0\nrun 0 .. 1\n",
        "model two\nparam stiffness = 2\nvar angle, rate # other names\nangle' = rate\n"
        "rate' = -stiffness*sin(angle)\ninvariant h = rate^2/2 - stiffness*cos(angle)\n"
        "event highest: rate falling -> record\ninit angle = 1, rate = 0\nrun 0 .. 1\n",
    };
    static const char *const ends[] = {"", "options method = rk4\n",
                                       "options method = \"rk4*/ system(1); /*\"\n"};
    char text[2][600], *plain = NULL;
    for (int k = 0; k < 3; k++) {
        keel_model *m[2];
        for (int i = 0; i < 2; i++) {
            snprintf(text[i], sizeof text[i], "%s%s", texts[i], ends[k]);
            m[i] = read_text(text[i]);
            assert_non_null(keel_model_source(m[i]));
        }
        assert_string_equal(keel_model_source(m[0]), keel_model_source(m[1]));
        if (k == 0) plain = strdup(keel_model_source(m[0]));
        if (k == 2) assert_string_equal(keel_model_source(m[0]), plain);
        for (int i = 0; i < 2; i++) keel_model_close(m[i]);
    }
    free(plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_has_its_message),
        cmocka_unit_test(all_false_invariants_are_told),
        cmocka_unit_test(all_modes_are_told),
        cmocka_unit_test(all_lines_without_a_value_are_told),
        cmocka_unit_test(implied_values_are_met),
        cmocka_unit_test(what_fits_is_accepted),
        cmocka_unit_test(a_guess_alone_is_named),
        cmocka_unit_test(a_redundant_constraint_is_a_warning),
        cmocka_unit_test(mistakes_come_and_go_with_parameters),
        cmocka_unit_test(messages_are_harmless),
        cmocka_unit_test(long_names_keep_their_places),
        cmocka_unit_test(nothing_is_injected),
        cmocka_unit_test(other_names_give_the_same_c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
