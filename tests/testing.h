/* testing.h - what the tests share: cmocka, and measures of a run. */
#ifndef KEEL_TESTS_TESTING_H
#define KEEL_TESTS_TESTING_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "problems.h"

/* "rk4" or "rk4+watch", and "project": "rk4+project", for as long as the program runs. */
static inline const char *pair_of(const char *method, const char *stabilizer) {
    enum { MOST = 4096, LONGEST = 64 };
    static char known[MOST][LONGEST];
    char pair[LONGEST];
    int i = 0;
    snprintf(pair, sizeof pair, "%.*s+%s", method ? (int)strcspn(method, "+") : 0, method ? method : "",
             stabilizer);
    while (i < MOST - 1 && known[i][0] && strcmp(known[i], pair) != 0) i++;
    return memcpy(known[i], pair, sizeof pair);
}

/* Is this the stabilizer of the method? */
static inline int stabilized_by(const keel_options *o, const char *stabilizer) {
    const char *plus = o->method ? strchr(o->method, '+') : NULL;
    return strcmp(plus ? plus + 1 : "auto", stabilizer) == 0;
}

/* The first of the words, separated by '|', that is not in the text; NULL: they all are. */
static inline const char *missing_word(const char *text, const char *words) {
    static char word[128];
    for (const char *w = words; *w; w += strcspn(w, "|"), w += *w == '|') {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(w, "|"), w);
        if (!strstr(text, word)) return word;
    }
    return NULL;
}

/* All words, separated by '|', stand in the message. */
static inline void expect_words(const keel_solver *s, const char *words) {
    const char *word = missing_word(keel_message(s), words);
    if (word) fail_msg("no \"%s\" in \"%s\"", word, keel_message(s));
}

#define assert_below(value, bound)                                                \
    do {                                                                          \
        double v_ = (value), b_ = (bound);                                        \
        if (!(v_ <= b_)) fail_msg("%s = %.6g is not below %.6g", #value, v_, b_); \
    } while (0)
#define assert_within(value, low, high)                                                                \
    do {                                                                                               \
        double v_ = (value), l_ = (low), h_ = (high);                                                  \
        if (!(v_ >= l_ && v_ <= h_)) fail_msg("%s = %.6g is not in %.6g .. %.6g", #value, v_, l_, h_); \
    } while (0)
#define assert_ok(solver, call)                                                                 \
    do {                                                                                        \
        keel_status s_ = (call);                                                                \
        if (s_ < 0) fail_msg("%s: %s (%s)", #call, keel_status_name(s_), keel_message(solver)); \
    } while (0)

/* Largest |state - exact| over the n states at the solver's time. */
static inline double error_to_exact(const problem *p, const keel_solver *s) {
    double u[PROBLEM_UNKNOWNS], worst = 0;
    const double *x = keel_state(s);
    p->exact(p, keel_time(s), u);
    for (int i = 0; i < p->keel.n; i++) worst = fmax(worst, fabs(u[i] - x[i]));
    return worst;
}

/* The largest units of all rows that are kept, native or redundant; the row's name goes to *name if not
 * NULL. */
static inline double worst_units(const keel_solver *s, const char **name) {
    keel_row row;
    double worst = 0;
    for (int i = 0; keel_row_at(s, i, &row); i++) {
        if (row.treatment == KEEL_ROW_WATCHED || row.treatment == KEEL_ROW_VARYING || row.units <= worst)
            continue;
        worst = row.units;
        if (name) *name = row.name;
    }
    return worst;
}

/* Slope of a least-squares line through count values at 0, 1, ..., times count: what the trend adds over
 * the run. */
static inline double trend(const double *value, int count) {
    double mean = 0, top = 0, bottom = 0, middle = 0.5 * (count - 1);
    for (int i = 0; i < count; i++) mean += value[i] / count;
    for (int i = 0; i < count; i++) {
        top += (i - middle) * (value[i] - mean);
        bottom += (i - middle) * (i - middle);
    }
    return top / bottom * count;
}
#endif
