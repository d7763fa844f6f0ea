/* test_pencils.c - random differential-algebraic equations of known index and freedom (pencils.h), some of
 * them at rest: what is told of them is right, and so are the runs. */
#include "cases.h"
#include "pencils.h"
#include "testing.h"

#include "model_run.h"

#ifndef CASES
#define CASES 400
#endif

static const char *const methods[] = {"dop853", "radau", "taylor", "dopri5"};

static keel_model *read_pencil(const char *text) {
    return keel_model_read("pencil.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
}

static const char *unknown_of(const struct pencil *p) {
    return p->map == PENCIL_LINEAR ? "x" : "w";
}

/* Every unknown by its value. */
static void start_from_all(struct pencil *p) {
    double w[PENCIL_MOST];
    pencil_unknowns(p, 0, w);
    for (int j = 0; j < p->n; j++) PENCIL_ADD(p, "init %s[%d] = %.17g\n", unknown_of(p), j + 1, w[j]);
}

/* As many as there are degrees of freedom, those that keel names, and the others by guesses nearby.  0: it
 * names derivatives of functions of the unknowns, which this test does not know. */
static int start_from_choice(struct pencil *p, const keel_model *m, int *given) {
    char name[KEEL_NAME];
    double w[PENCIL_MOST];
    size_t before = strlen(p->text);
    pencil_unknowns(p, 0, w);
    for (int i = 0; keel_model_free_state(m, 0, i, name); i++) {
        int j = atoi(name + 2) - 1, order = 0;
        for (const char *c = name; *c; c++) order += *c == '\'';
        if (order && p->map != PENCIL_LINEAR) return p->text[before] = '\0', 0;
        PENCIL_ADD(p, "init %s = %.17g\n", name, order ? pencil_exact(p, j, order, 0) : w[j]);
        given[j] |= order == 0;
    }
    for (int j = 0; j < p->n; j++)
        if (!given[j])
            PENCIL_ADD(p, "guess %s[%d] = %.17g\n", unknown_of(p), j + 1, w[j] + 0.01 * (1 + j % 3));
    return 1;
}

static double value_at(const struct pencil *p, keel_sim *s, int j) {
    char name[20];
    snprintf(name, sizeof name, p->map == PENCIL_LINEAR ? "x[%d]" : "y%d", j + 1);
    return value_of(s, name);
}

/* Nonlinear equations may have several consistent starts near a guess.  The one that was found must be one
 * and keep what was given, and the motion is the one from there.  How far it is off. */
static double begin(struct pencil *p, keel_sim *s, const int *given) {
    double x[PENCIL_MOST], w[PENCIL_MOST], off = 0;
    pencil_unknowns(p, 0, w);
    for (int j = 0; j < p->n; j++) {
        char name[20];
        x[j] = value_at(p, s, j);
        snprintf(name, sizeof name, "%s[%d]", unknown_of(p), j + 1);
        if (given[j]) off = fmax(off, 1e4 * fabs(value_of(s, name) - w[j])); /* to 1e-9 */
    }
    return p->map == PENCIL_LINEAR ? off : fmax(off, pencil_begin_at(p, x));
}

static double worst_error(const struct pencil *p, keel_sim *s) {
    double worst = 0;
    for (int j = 0; j < p->n; j++)
        worst = fmax(worst, fabs(value_at(p, s, j) - pencil_exact(p, j, 0, p->to)));
    return worst;
}

/* Reads, runs and judges one problem: 0 right, 1 refused, 2 wrong. */
static int verdict_of(struct pencil *p, long number) {
    keel_mode mode = {0};
    int given[PENCIL_MOST] = {0};
    keel_model *m = keel_model_read("pencil.keel", p->text, strlen(p->text),
                                    &(keel_model_options){.interpret = 1, .without_start = 1});
    int by_choice = pencil_below(p, 2) && keel_model_status(m) == KEEL_OK && start_from_choice(p, m, given);
    if (!by_choice) start_from_all(p);
    keel_model_close(m);
    m = read_pencil(p->text);
    int with = pencil_below(p, 4), verdict = 0;
    if (with == 2 && p->freedom == 0) with = 0; /* taylor has no series where nothing is free */
    keel_options o = {.method = methods[with], .rtol = 1e-9, .max_steps = 3000}; /* more is a refusal */
    keel_sim *s = keel_model_status(m) == KEEL_OK ? keel_sim_open(m, &o) : NULL;
    double off = s && by_choice && keel_sim_status(s) >= 0 ? begin(p, s, given) : 0;
    keel_status status = s ? keel_sim_run(s, p->to) : KEEL_EINVAL;
    keel_model_mode(m, 0, &mode);
    double error = status == KEEL_OK ? fmax(off, worst_error(p, s)) : 0;
    if (status != KEEL_OK) {
        verdict = 1;
        print_message("%ld by %s is refused: %s\n", number, o.method,
                      s ? keel_sim_message(s) : keel_model_message(m));
    } else if (mode.index != p->index || mode.freedom != p->freedom || !(error <= 1e-5)) {
        verdict = 2;
        print_message("%ld by %s: index %d, not %d; freedom %d, not %d; off by %.3g\n", number, o.method,
                      mode.index, p->index, mode.freedom, p->freedom, error);
    }
    if (verdict) fputs(p->text, stdout); /* longer than a message may be */
    keel_sim_close(s);
    keel_model_close(m);
    return verdict;
}

static void no_random_pencil_is_wrong_without_a_word(void **state) {
    (void)state;
    static struct pencil p;
    struct cases c = cases_of(CASES, "KEEL_PENCIL_CASES");
    long count[3] = {0};
    for (long k = c.first; k < c.end; k += c.stride) {
        pencil_make(&p, (uint64_t)k + 1);
        count[verdict_of(&p, k)]++;
    }
    if (count[2] || count[1] * 100 >= c.count)
        fail_msg("of %ld problems %ld are refused, %ld wrong", c.count, count[1], count[2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_random_pencil_is_wrong_without_a_word)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
