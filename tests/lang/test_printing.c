/* test_printing.c - trees survive being printed and read again: models, and random ones. */
#include "example_list.h"
#include "reading.h"

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

static void parts_survive_printing(void **unused) {
    (void)unused;
    struct reading r;
    read_well(&r, "part Pulled(m = 2 {kg}, x0):\n    table load = \"load.csv\", by = linear\n    var x\n"
                  "    m*x' = load(t)\n    init x = x0\nuse Pulled one(x0 = 1 {mm}), two(3 {kN/m^2}, 0)\n"
                  "run 0 .. 1\ntable \"load.csv\":\n    \"0, 1\"\n    \"1, 2\"\n");
    char *text = syntax_print(r.file, &r.pool);
    assert_non_null(strstr(text, "part Pulled(m = 2 {kg}, x0):"));
    assert_non_null(strstr(text, "(x0 = 1 {mm})"));
    assert_non_null(strstr(text, "{kN/m^2}, 0)"));
    prints_back(&r);
    pool_release(&r.pool);
}

static void tables_survive_printing(void **unused) {
    (void)unused;
    struct reading r;
    read_well(&r, "var x, table\ntable load = \"a/load.csv\", column = \"k N\", argument = 1, by = mean, "
                  "outside = hold\ntable other = \"b.csv\"\nx' = load(t) + other(x)\ntable' = 1\n"
                  "init x = 0, table = 0\nrun 0 .. 1\ntable \"b.csv\":\n    \"0, 1\"\n    \"1, 2.5e3\"\n");
    prints_back(&r);
    pool_release(&r.pool);
}

static void units_survive_printing(void **unused) {
    (void)unused;
    struct reading r;
    read_well(
        &r,
        "param g = 9.81 {m/s^2}, l[1..2] = (1, 2) {km}\nvar x {m, atol = 1e-12, atol' = 1}, y[1..2] {1/s}\n"
        "x' = g*t\ny' = 0\ninit x = 3 {mm}, y = 0\noutput o = x^2 {m^(3/2)*kg}\nrun 0 .. 1\n");
    prints_back(&r);
    pool_release(&r.pool);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_survive_printing),       cmocka_unit_test(parts_survive_printing),
        cmocka_unit_test(tables_survive_printing),       cmocka_unit_test(units_survive_printing),
        cmocka_unit_test(random_trees_survive_printing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
