/* counted.h - a model interpreted, and compiled into its method by kernels that count their steps. */
#ifndef KEEL_TESTS_COUNTED_H
#define KEEL_TESTS_COUNTED_H

#include "extras.h"
#include "same.h"

#include "core/kernel.h"
#include "model_run.h"

static keel_kernel_fixed *counted_fixed;
static keel_kernel_steps *counted_kept;
static long in_kernel, at_once;

static inline long count_fixed(double t, double base, double h, long first, long count, double *x, double *f,
                               void *user) {
    long calls = counted_fixed(t, base, h, first, count, x, f, user);
    if (calls >= 0) in_kernel += count;
    return calls;
}

static inline long count_kept(struct keel_kernel_state *k, void *user) {
    long taken = counted_kept(k, user);
    in_kernel += taken;
    if (taken > at_once) at_once = taken;
    return taken;
}

/* A model's problem interpreted and without a kernel, and compiled with one that counts. */
struct pair {
    keel_model *model, *interpreted;
    keel_problem called, compiled;
    keel_kernel kernel;
};

static inline keel_model *read_model(const char *text, const char *method, int interpret) {
    keel_model_options o = {.method = method, .interpret = interpret};
    keel_model *m = keel_model_read("test.keel", text, strlen(text), &o);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    return m;
}

static inline keel_problem problem_of(const keel_model *m) {
    keel_mode mode;
    assert_true(keel_model_mode(m, keel_model_start(m), &mode));
    return *mode.problem;
}

static inline void pair_open(struct pair *p, const char *text, const char *method) {
    p->model = read_model(text, method, 0);
    p->interpreted = read_model(text, method, 1);
    p->compiled = problem_of(p->model);
    p->called = problem_of(p->interpreted);
    assert_non_null(keel_extras_of(&p->compiled)->kernel);
    assert_null(keel_extras_of(&p->called)->kernel);
    p->kernel = *keel_extras_of(&p->compiled)->kernel;
    counted_fixed = p->kernel.fixed;
    counted_kept = p->kernel.kept;
    assert_non_null(counted_kept);
    p->kernel.fixed = counted_fixed ? count_fixed : NULL;
    p->kernel.kept = count_kept;
    own_extras(&p->compiled)->kernel = &p->kernel;
}

static inline void pair_close(struct pair *p) {
    keel_model_close(p->model);
    keel_model_close(p->interpreted);
}

static inline void same_run(const struct pair *p, const char *method, const char *with, double h) {
    in_kernel = at_once = 0;
    same_fixed_run(&p->called, &p->compiled, &(keel_options){.method = pair_of(method, with), .step = h}, 2);
}
#endif
