/* test_parser.c - the front end of the model language: lines and blocks, trees, numbers, limits. */
#include "example_list.h"
#include "reading.h"

#include "lang/parser.h"

#include <locale.h>

static void same_print(const char *text, const char *expected) {
    struct reading r;
    read_well(&r, text);
    assert_string_equal(syntax_print(r.file, &r.pool), expected);
    pool_release(&r.pool);
}

/* Lines and blocks --------------------------------------------------------------------------------------- */

static void lines_go_on(void **unused) {
    (void)unused;
    static const char one[] = "x' = a + b - c\ny' = 1\n";
    same_print("x' = a +\nb - c\ny' = 1", one);
    same_print("x' = a\n    + b\n  - c\ny' = 1", one);
    same_print("x' = (a\n+ b)\n - c # note\n\n# more\ny' = 1\n", one);
    same_print("x' =\n\n   # note\n  a + b - c\r\ny' = 1\r\n", one);
    same_print("\xEF\xBB\xBFx' = a + b\n\t- c\ny' =\n1", one);
    same_print("param a = 1,\nb = 2", "param a = 1, b = 2\n");
    same_print("event e: x rising ->\nrecord,\nmode m", "event e: x rising -> record, mode m\n");
    same_print("event e:\n    x rising\n    -> stop", "event e: x rising -> stop\n");
    same_print("constraint rod:\n  x = 1", "constraint rod: x = 1\n");
    same_print("let a = if(x > 0 and\ny > 0, 1, 2)", "let a = if(x > 0 and y > 0, 1, 2)\n");
    same_print("run 0 ..\n10", "run 0 .. 10\n");
}

static void blocks(void **unused) {
    (void)unused;
    static const char nested[] = "for i in 1..3:\n    x[i]' = 1\n    for j in 1..i if j != i, k in 1..2:\n"
                                 "        y[i][j]' = 2\n    z[i]' = 3\nu' = 4\n";
    same_print(nested, nested);
    same_print(
        "for i in 1..3:\n x[i]' = 1\n for j in 1..i if j != i,\n  k in 1..2:\n  # note\n    y[i][j]' = 2\n\n"
        " z[i]' = 3\nu' = 4",
        nested);
    same_print("for i in 1..3: x[i]' = 1\ny' = 2", "for i in 1..3:\n    x[i]' = 1\ny' = 2\n");
    same_print("mode a: y' =\n  2\nmode b:\n  y' = 3\n    + 4\nstart a",
               "mode a:\n    y' = 2\nmode b:\n    y' = 3 + 4\nstart a\n");
    same_print("mode a:\n  event e: y rising -> mode a", "mode a:\n    event e: y rising -> mode a\n");
}

/* Trees -------------------------------------------------------------------------------------------------- */

static void printed_expression(const char *text, const char *expected) {
    struct source_messages m = {0};
    struct pool pool = {0};
    struct source s = {"expression", text, strlen(text), 0};
    struct syntax_node *e = parser_run_expression(&s, &m, &pool);
    assert_non_null(e);
    assert_string_equal(syntax_print_node(e, &pool), expected);
    pool_release(&pool);
}

static void operators_bind_as_described(void **unused) {
    (void)unused;
    printed_expression("-(x^2)", "-x^2");
    printed_expression("(-x)^2", "(-x)^2");
    printed_expression("2^(-1)", "2^-1");
    printed_expression("a^(b^c)", "a^b^c");
    printed_expression("(a^b)^c", "(a^b)^c");
    printed_expression("(a - b) - c", "a - b - c");
    printed_expression("a - (b - c)", "a - (b - c)");
    printed_expression("(a*b)/c", "a*b/c");
    printed_expression("a/(b*c)", "a/(b*c)");
    printed_expression("-a*b", "-a*b");
    printed_expression("-(a*b)", "-(a*b)");
    printed_expression("a*-b", "a*-b");
    printed_expression("a - -b", "a - -b");
    printed_expression("x[ i ]' ^ 2", "x[i]'^2");
    printed_expression("(not a < b) and (c or d > e)", "not a < b and (c or d > e)");
    printed_expression("not (a and b)", "not (a and b)");
    printed_expression("((a, b), (c,))", "((a, b), (c,))");
    printed_expression("(((a)))", "a");
    printed_expression("sum(i in 1..N, j in i+1..N if j != i, x[i][j])",
                       "sum(i in 1..N, j in i + 1 .. N if j != i, x[i][j])");
    printed_expression("lambda.rod[2]' + x.start + q[1]''.enter + t.enter",
                       "lambda.rod[2]' + x.start + q[1]''.enter + t.enter");
    printed_expression("x<-1 or x>=+.5e-3", "x < -1 or x >= +.5e-3");
}

static void nodes_know_their_place(void **unused) {
    (void)unused;
    static const char text[] = "x' = a + 2*sin(b[1])\n";
    struct reading r;
    read_well(&r, text);
    const struct syntax_statement *s = r.file->statements;
    assert_int_equal(s->kind, SYNTAX_EQUATION);
    assert_int_equal(s->span.offset, 0);
    assert_int_equal(s->span.length, strlen(text) - 1);
    assert_int_equal(s->left->kind, SYNTAX_REF);
    assert_int_equal(s->left->primes, 1);
    assert_int_equal(s->left->span.length, 2);
    assert_int_equal(s->right->op, SYNTAX_ADD);
    assert_int_equal(s->right->span.offset, 5);
    assert_int_equal(s->right->sign, 7);
    const struct syntax_node *product = s->right->parts->next, *sine = product->parts->next;
    assert_int_equal(product->sign, 10);
    assert_int_equal(sine->kind, SYNTAX_CALL);
    assert_true(sine->builtin);
    assert_int_equal(sine->span.offset, 11);
    assert_int_equal(sine->span.length, 9);
    assert_int_equal(sine->parts->count, 1);
    assert_int_equal(sine->parts->parts->span.offset, 17);
    pool_release(&r.pool);
}

static void numbers_keep_their_digits(void **unused) {
    (void)unused;
    static const char *const digits[] = {
        "0.0493455784275240921315267927637",
        "1e-6",
        ".5",
        "3",
        "2.083340149701294230573e-8",
        "1e308",
        "4.9e-324",
        "123456789012345678901234567890",
        "0.1e1",
        "1E+5",
        "00.50",
        "2.2250738585072014e-308",
        "0.000000000000000000000000000000000000000000000000000000000000000001e70"};
    const char *old = setlocale(LC_NUMERIC, "de_DE.UTF-8"); /* where there is none, nothing changes */
    for (size_t i = 0; i < sizeof digits / sizeof digits[0]; i++) {
        struct reading r;
        char text[128];
        snprintf(text, sizeof text, "param a = %s", digits[i]);
        read_well(&r, text);
        const struct syntax_node *value = r.file->statements->items->value;
        assert_string_equal(value->text, digits[i]);
        setlocale(LC_NUMERIC, "C");
        assert_true(value->value == strtod(digits[i], NULL));
        if (old) setlocale(LC_NUMERIC, "de_DE.UTF-8");
        pool_release(&r.pool);
    }
    setlocale(LC_NUMERIC, "C");
}

static void too_small_numbers_are_warned_of(void **unused) {
    (void)unused;
    struct reading r;
    read_well(&r, "param a = 1, b = 3.2e-400, c = 0.0e5");
    assert_int_equal(r.messages.count, 1);
    assert_int_equal(r.messages.errors, 0);
    char out[256];
    source_render_all(&r.source, &r.messages, out, sizeof out);
    assert_memory_equal(out, "a.keel:1:18: warning: `3.2e-400` is zero", 40);
    pool_release(&r.pool);
}

static void options_are_words_or_expressions(void **unused) {
    (void)unused;
    struct reading r;
    char words[40];
    read_well(&r, "options method = rk4+scale, step = T/25, sets = \"q; p\", max-step = 1, log = run, "
                  "preserve = exact+stop");
    const struct syntax_item *item = r.file->statements->items;
    assert_true(syntax_words(item->value, words, sizeof words));
    assert_string_equal(words, "rk4+scale");
    assert_false(syntax_words(item->next->value, words, sizeof words));
    item = item->next->next;
    assert_true(syntax_words(item->value, words, sizeof words));
    assert_string_equal(words, "q; p");
    assert_string_equal(item->next->name, "max-step");
    item = item->next->next;
    assert_string_equal(item->name, "log");
    assert_true(syntax_words(item->value, words, sizeof words));
    assert_string_equal(words, "run");
    assert_true(syntax_words(item->next->value, words, sizeof words));
    assert_string_equal(words, "exact+stop");
    assert_false(syntax_words(item->next->value, words, 8));
    pool_release(&r.pool);
}

static const char everything[] = "model all\n"
                                 "param a = 1, m[1..3] = (1, 2, 3), k[2] = 4\n"
                                 "var x, y[1..N][0 .. 2*N]\n"
                                 "coord q\n"
                                 "canonical u[1..2], p[1..2]\n"
                                 "let r = x^2, X[0] = 0, g(x, z) = x*z\n"
                                 "x' + y[1][0] = sum(i in 1..3, j in i..3 if j != i and i > 1, m[i]*m[j])\n"
                                 "lagrangian q'^2/2 - a*q\n"
                                 "hamiltonian H = dot(p, p)/2\n"
                                 "force q: -a*q'\n"
                                 "structure x, y: ((0, 1), (-1, 0))\n"
                                 "constraint rod[1]: q^2 = 1\n"
                                 "rolling skate: q'*sin(q) = 0\n"
                                 "invariant energy\n"
                                 "invariant J[2] = q*p[1]\n"
                                 "init x = 1, x' = 0, lambda.rod[1] = 3\n"
                                 "guess y = 0\n"
                                 "event hit[1]: x falling -> x' := -x', record, stop, mode slow\n"
                                 "event e: der(x*x) crossing -> x := if(x > 1, 2, 3)\n"
                                 "mode slow:\n"
                                 "    x' = sign(x.enter)\n"
                                 "    for i in 1..3:\n"
                                 "        event f[i]: x - i rising -> record\n"
                                 "start slow\n"
                                 "output s = g(1, 2), v[1] = energy + lambda.rod[1]\n"
                                 "exact x = x.start*exp(-t)\n"
                                 "reference t = 3: x = 0.0493455784275240921315267927637, x' = 1e-3\n"
                                 "run 0 .. 50*pi\n"
                                 "options method = rk4+scale, step = T/25, sets = \"q; p\", max-step = 0.1\n";

static void every_statement_prints_as_it_was_read(void **unused) {
    (void)unused;
    same_print(everything, everything);
    struct reading r, other;
    read_well(&r, everything);
    unsigned seen = 0;
    for (const struct syntax_statement *s = r.file->statements; s; s = s->next) {
        seen |= 1u << s->kind;
        for (const struct syntax_statement *b = s->body; b; b = b->next) seen |= 1u << b->kind;
    }
    assert_int_equal(seen, (1u << (SYNTAX_FOR + 1)) - 1);
    static const char *const changes[][2] = {{"a = 1", "a = 1.0"},
                                             {"x falling", "x rising"},
                                             {"record, stop", "stop, record"},
                                             {"x.start", "x.enter"},
                                             {"j != i", "j == i"},
                                             {"x' = 0", "x'' = 0"},
                                             {"[0 .. 2*N]", "[1 .. 2*N]"},
                                             {"stop, mode", "mode"},
                                             {"g(x, z)", "g(z, x)"},
                                             {"rod[1]: q", "rod[2]: q"},
                                             {"lambda.rod[1] = 3", "rod[1] = 3"},
                                             {"-a*q'", "-(a*q')"}};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) { /* equality sees every change */
        char text[sizeof everything + 64];
        const char *at = strstr(everything, changes[i][0]);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - everything), everything, changes[i][1],
                 strcmp(changes[i][1], "mode") == 0 ? at + strlen("stop, mode") : at + strlen(changes[i][0]));
        read_well(&other, text);
        assert_false(syntax_equal(r.file, other.file));
        pool_release(&other.pool);
    }
    pool_release(&r.pool);
}

/* Limits ------------------------------------------------------------------------------------------------- */

static char *repeated(const char *head, const char *piece, size_t count, const char *tail) {
    size_t step = strlen(piece);
    char *text = malloc(strlen(head) + step * count + strlen(tail) + 1), *end = text + strlen(head);
    strcpy(text, head);
    for (size_t i = 0; i < count; i++, end += step) memcpy(end, piece, step);
    strcpy(end, tail);
    return text;
}

static void refused(char *text, const char *words) {
    struct reading r;
    read_text(&r, text);
    if (r.file) print_error("%s: read\n", words);
    assert_null(r.file);
    if (!strstr(r.messages.list[0].sentence, words)) show(&r);
    assert_non_null(strstr(r.messages.list[0].sentence, words));
    pool_release(&r.pool);
    free(text);
}

static void limits_end_in_a_sentence(void **unused) {
    (void)unused;
    refused(repeated("x' = ", "(", 50000, ""), "brackets are open");
    refused(repeated("x' = ", "-", 50000, "x"), "nested more than 200");
    refused(repeated("x' = x", "^x", 30000, ""), "nested more than 200");
    refused(repeated("x' = x", " + x", 15000, ""), "operations deep");
    refused(repeated("x' = x", "\n + x", 200000, ""), "operations deep");
    refused(repeated("x' = x", "[1]", 10000, ""), "indices");
    refused(repeated("x' = x", "'", 10000, ""), "too many '");
    refused(repeated("param x = 1", "0", 2000, ""), "too long for a number");
    refused(repeated("var x", "x", 200, ""), "too long for a name");
    refused(repeated("options s = \"", "x", 2000, "\""), "too long");
    refused(repeated("", "(\n", 100000, ""), "brackets are open");
    refused(repeated("x' = 1\n", "x' = (\n", 100, "run 0 .. 1\n"), "not closed");
    char deep[20000] = "";
    for (int i = 0; i < 40; i++) {
        for (int j = 0; j < i; j++) strcat(deep, " ");
        strcat(deep, "for i in 1..2:\n");
    }
    refused(strdup(deep), "blocks");
}

static void large_models_are_read(void **unused) {
    (void)unused;
    struct reading r;
    char *text = repeated("", "x[1]' = -k*x[1] + sin(t)^2\n", 40000, "");
    read_well(&r, text);
    size_t length = strlen(text), count = 0;
    for (const struct syntax_statement *s = r.file->statements; s; s = s->next) count++;
    assert_int_equal(count, 40000);
    assert_true(r.pool.bytes < 1024 * length);
    pool_release(&r.pool);
    free(text);
    text = repeated("x = (1", ",\n2", 100000, ")"); /* an array is as long as it likes */
    read_well(&r, text);
    assert_int_equal(r.file->statements->right->count, 100001);
    pool_release(&r.pool);
    free(text);
}

static void pools_grow_and_refuse(void **unused) {
    (void)unused;
    struct pool pool = {.limit = 100000};
    size_t taken = 0;
    unsigned char *piece;
    for (size_t size = 1; (piece = pool_take(&pool, size)) != NULL; size = size * 7 % 997, taken += size) {
        assert_int_equal((uintptr_t)piece % 16, 0);
        for (size_t i = 0; i < size; i++) assert_int_equal(piece[i], 0);
        memset(piece, 0xFF, size); /* its neighbours must not see this */
    }
    assert_true(pool.refused && taken > 80000 && pool.bytes <= 100000);
    assert_null(pool_take(&pool, 0)); /* once refused, always refused */
    pool_release(&pool);
    assert_string_equal(pool_copy(&pool, "abcdef", 3), "abc");
    assert_null(pool_take(&pool, (size_t)-1));
    pool_release(&pool);
}

static void memory_may_run_out_anywhere(void **unused) {
    (void)unused;
    size_t enough = 0;
    for (size_t limit = 1; limit < 1 << 20 && !enough; limit += 16) {
        struct reading r = {.source = {"a.keel", everything, sizeof everything - 1},
                            .pool = {.limit = limit}};
        r.file = parser_run(&r.source, &r.messages, &r.pool);
        if (r.file) enough = limit;
        if (!r.file) assert_non_null(strstr(r.messages.list[0].sentence, "memory"));
        pool_release(&r.pool);
    }
    assert_true(enough > 4096);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_go_on),
        cmocka_unit_test(blocks),
        cmocka_unit_test(operators_bind_as_described),
        cmocka_unit_test(nodes_know_their_place),
        cmocka_unit_test(numbers_keep_their_digits),
        cmocka_unit_test(too_small_numbers_are_warned_of),
        cmocka_unit_test(options_are_words_or_expressions),
        cmocka_unit_test(every_statement_prints_as_it_was_read),
        cmocka_unit_test(limits_end_in_a_sentence),
        cmocka_unit_test(large_models_are_read),
        cmocka_unit_test(pools_grow_and_refuse),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
