/* ends.h - expected ends: the right status, and one sentence with what, where, and what to do.  All cases of
 * a test are judged before it ends.  Then a sound problem of each form, to be spoilt by a test. */
#ifndef KEEL_TESTS_ENDS_H
#define KEEL_TESTS_ENDS_H

#include "testing.h"

static int failures; /* of the present test: all of its cases are judged before it ends */

static inline int report(const char *name, const char *format, const char *a, const char *b) {
    print_error("%s: ", name);
    print_error(format, a, b);
    print_error("\n");
    failures++;
    return 0;
}

static inline int begin(void **state) {
    (void)state;
    failures = 0;
    return 0;
}

static inline void no_failures(void) {
    int count = failures;
    failures = 0;
    assert_int_equal(count, 0);
}

/* All words, separated by '|', stand in the message, which is one line and ends within its buffer. */
static inline int check_message(const char *name, const keel_solver *s, const char *words) {
    const char *message = keel_message(s);
    const char *word = missing_word(message, words);
    if (strlen(message) < 8 || strlen(message) > 600 || strchr(message, '\n') || strstr(message, "(null)"))
        return report(name, "not a sentence: \"%s\"%s", message, "");
    return word ? report(name, "no \"%s\" in \"%s\"", word, message) : 1;
}

static inline int check_status(const char *name, const keel_solver *s, keel_status got, keel_status wanted,
                               const char *words) {
    if (got == wanted) return check_message(name, s, words);
    return report(name, "\"%s\" (%s)", keel_status_name(got), keel_message(s));
}

/* Opens, runs to t_end, and expects this end; the solver stays failed. */
static inline void expect_end(const char *name, const keel_problem *p, const keel_options *o, double t_end,
                              keel_status wanted, const char *words) {
    keel_solver *s = keel_open(p, o);
    assert_non_null(s);
    keel_status status = keel_state_of(s);
    if (status == KEEL_OK) status = keel_run(s, t_end);
    if (check_status(name, s, status, wanted, words))
        check_status(name, s, keel_run(s, t_end + 1), wanted, words);
    keel_close(s);
}

static inline int spin(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1];
    out[1] = -u[0];
    return 0;
}

static inline int half_square(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0.5 * (u[0] * u[0] + u[1] * u[1]);
    return 0;
}

static inline int fall(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = 0;
    out[1] = -1;
    return 0;
}

static inline int circle(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1] - 1;
    return 0;
}

static inline int decay(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = -u[1];
    return 0;
}

static inline int equal(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[1] - u[0];
    return 0;
}

static inline int unit_matrix(double t, const double *u, double *out, void *user) {
    (void)t, (void)u, (void)user;
    out[0] = out[3] = 1;
    out[1] = out[2] = 0;
    return 0;
}

#define MAP(how_many, function)              \
    (keel_map) {                             \
        .count = how_many, .value = function \
    }

/* A sound problem of each form. */
static inline keel_problem sound(keel_form form) {
    static const double start[] = {1, 0, 0, 0}, on_line[] = {1, 1};
    switch (form) {
    case KEEL_HAMILTONIAN:
        return (keel_problem){.form = form, .n = 2, .u0 = start, .energy = MAP(1, half_square)};
    case KEEL_MECHANICS:
        return (keel_problem){
            .form = form, .n = 4, .u0 = start, .f = MAP(2, fall), .constraint = MAP(1, circle)};
    case KEEL_DAE:
        return (keel_problem){
            .form = form, .n = 1, .m = 1, .u0 = on_line, .f = MAP(1, decay), .algebraic = MAP(1, equal)};
    case KEEL_ODE:
        break;
    }
    return (keel_problem){.form = KEEL_ODE, .n = 2, .u0 = start, .f = MAP(2, spin)};
}
#endif
