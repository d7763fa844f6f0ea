/* test_parser.c - the front end of the model language: lines and blocks, trees, printing, and above all
 * messages.
 *
 * Every mistake is given as a text with the line, the column, and words of the sentence and of the hint. */
#include "example_list.h"

#include <locale.h>

#include "lang/parser.h"

struct reading {
    struct source source;
    struct source_messages messages;
    struct pool pool;
    struct syntax_file *file;
};

static void read_bytes(struct reading *r, const char *text, size_t length) {
    memset(r, 0, sizeof *r);
    r->source = (struct source){"a.keel", text, length};
    r->file = parser_run(&r->source, &r->messages, &r->pool);
}

static void read_text(struct reading *r, const char *text) {
    read_bytes(r, text, strlen(text));
}

static void show(const struct reading *r) {
    char out[16384];
    source_render_all(&r->source, &r->messages, out, sizeof out);
    print_error("%s", out);
}

/* Reads it without errors. */
static void read_well(struct reading *r, const char *text) {
    read_text(r, text);
    if (!r->file) show(r);
    assert_non_null(r->file);
}

static void same_print(const char *text, const char *expected) {
    struct reading r;
    read_well(&r, text);
    assert_string_equal(syntax_print(r.file, &r.pool), expected);
    pool_release(&r.pool);
}

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
    struct source s = {"expression", text, strlen(text)};
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

/* Printing ----------------------------------------------------------------------------------------------- */

static void prints_back(struct reading *r) {
    char *text = syntax_print(r->file, &r->pool);
    struct reading again;
    read_well(&again, text);
    assert_true(syntax_equal(r->file, again.file));
    pool_release(&again.pool);
}

static void models_survive_printing(void **unused) {
    (void)unused;
    static struct example_list list;
    example_list_open(&list);
    for (int k = 0; k < list.count; k++) {
        char path[1024], text[16384], name[EXAMPLE_ROOM];
        example_name(list.file[k], name);
        snprintf(path, sizeof path, "%s/%s", KEEL_EXAMPLES_DIR, list.file[k]);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        struct reading r;
        read_well(&r, text);
        assert_string_equal(r.file->statements->name, name);
        prints_back(&r);
        pool_release(&r.pool);
    }
}

static unsigned long long state = 88172645463325252ull;

static int below(int bound) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)(state % (unsigned)bound);
}

static struct syntax_node *random_node(struct pool *pool, int depth, int truth);

static struct syntax_node *random_list(struct pool *pool, int depth, int count, int truth) {
    struct syntax_node *first = NULL;
    while (count-- > 0) {
        struct syntax_node *e = random_node(pool, depth, truth);
        e->next = first;
        first = e;
    }
    return first;
}

static struct syntax_range *random_range(struct pool *pool, int depth) {
    struct syntax_range *r = pool_take(pool, sizeof *r);
    r->name = "i";
    r->low = random_node(pool, depth, 0);
    r->high = random_node(pool, depth, 0);
    if (below(3) == 0) r->filter = random_node(pool, depth, 1);
    if (below(3) == 0) r->next = random_range(pool, depth);
    return r;
}

static void random_leaf(struct pool *pool, struct syntax_node *e, int depth) {
    static const char *const digits[] = {"1", ".5", "1e-6", "3.25", "0.0493455784275240921315267927637"};
    static const char *const names[] = {"x", "alpha", "q2", "energy", "t", "pi", "x_1"};
    if (below(2)) {
        e->text = digits[below(5)];
        return;
    }
    e->kind = SYNTAX_REF;
    e->text = names[below(7)];
    if (below(4) == 0) {
        e->text = "rod";
        e->multiplier = 1;
    }
    e->count = depth > 0 ? below(3) : 0;
    e->parts = random_list(pool, depth - 1, e->count, 0);
    e->primes = (uint16_t)below(3);
    e->moment = (enum syntax_moment)below(3);
}

static struct syntax_node *random_truth(struct pool *pool, int depth) {
    struct syntax_node *e = pool_take(pool, sizeof *e);
    int logic = depth > 0 && below(2);
    e->kind = logic ? SYNTAX_LOGIC : SYNTAX_COMPARE;
    e->op = (enum syntax_op)(logic ? SYNTAX_AND + below(3) : SYNTAX_LT + below(6));
    e->count = e->op == SYNTAX_NOT ? 1 : 2;
    e->parts = random_list(pool, depth - 1, e->count, logic);
    return e;
}

static struct syntax_node *random_node(struct pool *pool, int depth, int truth) {
    if (truth) return random_truth(pool, depth);
    struct syntax_node *e = pool_take(pool, sizeof *e);
    int kind = depth > 0 ? below(8) : 0;
    e->kind = SYNTAX_NUMBER;
    switch (kind) {
    case 0:
        random_leaf(pool, e, depth);
        return e;
    case 1:
        e->kind = SYNTAX_UNARY;
        e->op = below(2) ? SYNTAX_NEG : SYNTAX_POS;
        e->count = 1;
        break;
    case 2:
        e->kind = SYNTAX_CALL;
        e->text = "max";
        e->builtin = 1;
        e->count = 2 + below(2);
        break;
    case 3:
        e->kind = SYNTAX_ARRAY;
        e->count = 1 + below(3);
        break;
    case 4:
        e->kind = SYNTAX_SUM;
        e->ranges = random_range(pool, depth - 1);
        e->count = 1;
        break;
    case 5:
        e->kind = SYNTAX_IF;
        e->builtin = 1;
        e->count = 3;
        e->parts = random_node(pool, depth - 1, 1);
        e->parts->next = random_list(pool, depth - 1, 2, 0);
        return e;
    default:
        e->kind = SYNTAX_BINARY;
        e->op = (enum syntax_op)(SYNTAX_ADD + below(5));
        e->count = 2;
    }
    e->parts = random_list(pool, depth - 1, e->count, 0);
    return e;
}

static void random_trees_survive_printing(void **unused) {
    (void)unused;
    for (int i = 0; i < 2000; i++) {
        struct reading r = {0};
        struct syntax_statement *s = pool_take(&r.pool, sizeof *s);
        r.file = pool_take(&r.pool, sizeof *r.file);
        r.file->statements = s;
        s->kind = SYNTAX_EQUATION;
        s->left = random_node(&r.pool, 1 + i % 8, 0);
        s->right = random_node(&r.pool, 1 + i % 8, 0);
        prints_back(&r);
        pool_release(&r.pool);
    }
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
        cmocka_unit_test(every_mistake_has_its_message),
        cmocka_unit_test(several_errors_in_one_go),
        cmocka_unit_test(an_open_bracket_swallows_no_statement),
        cmocka_unit_test(messages_are_limited),
        cmocka_unit_test(messages_look_as_described),
        cmocka_unit_test(long_lines_are_shown_around_the_caret),
        cmocka_unit_test(texts_that_are_none),
        cmocka_unit_test(lines_go_on),
        cmocka_unit_test(blocks),
        cmocka_unit_test(operators_bind_as_described),
        cmocka_unit_test(expressions_alone),
        cmocka_unit_test(nodes_know_their_place),
        cmocka_unit_test(numbers_keep_their_digits),
        cmocka_unit_test(too_small_numbers_are_warned_of),
        cmocka_unit_test(options_are_words_or_expressions),
        cmocka_unit_test(every_statement_prints_as_it_was_read),
        cmocka_unit_test(models_survive_printing),
        cmocka_unit_test(random_trees_survive_printing),
        cmocka_unit_test(limits_end_in_a_sentence),
        cmocka_unit_test(large_models_are_read),
        cmocka_unit_test(pools_grow_and_refuse),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
