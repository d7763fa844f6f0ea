/* test_budget.c - the budget of reading counts what grows with the square of a model: names compared with all
 * others of their kind, lines looked through for every mode; rows found by hashing are linear. */
#include "testing.h"

#include "lang_model.h"

static size_t at;
static void put(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(char *text, const char *format, ...) {
    va_list args;
    va_start(args, format);
    at += (size_t)vsprintf(text + at, format, args);
    va_end(args);
}

static void events(char *text, int n) {
    for (int i = 0; i < n; i++) put(text, "event e%d: x - %d rising -> record\n", i, i + 2);
}
static void outputs(char *text, int n) {
    for (int i = 0; i < n; i++) put(text, "output o%d = %d*x\n", i, i + 2);
}
static void invariants(char *text, int n) {
    for (int i = 0; i < n; i++) put(text, "invariant i%d = %d*x\n", i, i + 2);
}
static void modes(char *text, int n) {
    for (int i = 0; i < n / 4; i++)
        put(text, "mode m%d:\n    event f%d: x - %d rising -> mode m%d\n", i, i, i + 2, (i + 1) % (n / 4));
    put(text, "start m0\n");
}

static double spent(void (*lines)(char *, int), int n) {
    struct reading r;
    char *text = malloc(100 + 80 * (size_t)n);
    at = 0;
    put(text, "var x\nx' = 0\ninit x = 1\n");
    lines(text, n);
    put(text, "run 0 .. 1\n");
    reading_open(&r, "m", text);
    assert_non_null(r.model);
    double operations = r.model->graph.spent;
    reading_close(&r);
    return operations;
}

/* Twice as many lines cost clearly more than twice as much, or twice as much where rows are hashed. */
static void squares_are_counted(void **state) {
    (void)state;
    static const struct {
        const char *name;
        void (*lines)(char *, int);
        int square;
    } rows[] = {
        {"events", events, 1}, {"modes", modes, 1}, {"outputs", outputs, 0}, {"invariants", invariants, 0}};
    for (int i = 0; i < 4; i++) {
        double once = spent(rows[i].lines, 4000), twice = spent(rows[i].lines, 8000);
        if (rows[i].square ? !(twice > 2.5 * once) : !(twice < 2.1 * once))
            fail_msg("%s: %.3g, then %.3g operations", rows[i].name, once, twice);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(squares_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
