/* lang_ode.h - a model's text as x' = f(t, x) three ways: interpreted, compiled, compiled into the explicit
 * Runge-Kutta methods. */
#ifndef KEEL_TESTS_LANG_ODE_H
#define KEEL_TESTS_LANG_ODE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extras.h"
#include "codegen/compile.h"
#include "lang/elaborate.h"
#include "codegen/emit.h"
#include "lang/parser.h"
#include "methods/registry.h"

enum { ODE_MOST = 32, ODE_NAME = 24 };

struct ode_user {
    const double *parameter; /* first: where emitted functions look */
    const struct tape *tape;
};

struct ode {
    struct source source;
    struct source_messages messages;
    struct pool pool;
    struct model *model;
    struct tape tape;
    struct compile_unit unit;
    struct ode_user user;
    double p[ODE_MOST], u0[ODE_MOST];
    keel_problem interpreted, compiled;
    keel_kernel kernel;
};

static int ode_run_tape(double t, const double *u, double *out, void *user) {
    const struct ode_user *o = user;
    return tape_call(o->tape, t, u, o->parameter, out);
}

static void ode_stop(const char *why) {
    fprintf(stderr, "%s\n", why);
    abort();
}

/* Rates by unknown: derived ones, or what stands right of x' = ... */
static void ode_rates(const struct model *m, expr *rate) {
    const struct model_mode *mode = &m->mode[0];
    for (int i = 0; i < m->coords; i++) rate[m->coord[i]] = mode->motion.rate[i];
    for (int i = 0; i < m->momenta; i++) rate[m->momentum[i]] = mode->motion.force[i];
    for (int i = 0; i < m->poissons; i++) rate[m->poisson[i]] = mode->motion.rate[i];
    for (int i = 0; m->form == MODEL_EQUATIONS && i < mode->equation.count; i++) {
        struct expr_node row = m->graph.node[mode->equation.list[i].value], left = m->graph.node[row.a];
        if (row.op != EXPR_SUB || left.op != EXPR_SYMBOL || left.c != 1) ode_stop("not of the form x' = ...");
        rate[left.b] = row.b;
    }
}

static void ode_open(struct ode *o, const char *text) {
    static char said[8192];
    memset(o, 0, sizeof *o);
    o->source = (struct source){"a.keel", text, strlen(text), 0};
    struct syntax_file *file = parser_run(&o->source, &o->messages, &o->pool);
    if (file) o->model = elaborate_run(&o->source, file, NULL, &o->messages, &o->pool);
    source_render_all(&o->source, &o->messages, said, sizeof said);
    struct model *m = o->model;
    if (!m || m->unknowns > ODE_MOST || m->parameters > ODE_MOST) ode_stop(said);
    struct tape_input input[2 * ODE_MOST + 1] = {{expr_symbol(&m->graph, EXPR_TIME, 0, 0), TAPE_TIME, 0}};
    expr rate[ODE_MOST], missing;
    size_t inputs = 1;
    for (uint32_t i = 0; i < (uint32_t)m->unknowns; i++)
        input[inputs++] = (struct tape_input){expr_symbol(&m->graph, EXPR_UNKNOWN, i, 0), TAPE_STATE, i};
    for (uint32_t i = 0; i < (uint32_t)m->parameters; i++) {
        input[inputs++] =
            (struct tape_input){expr_symbol(&m->graph, EXPR_PARAMETER, i, 0), TAPE_PARAMETER, i};
        o->p[i] = m->parameter[i].number;
    }
    for (int i = 0; i < m->init.count; i++)
        o->u0[m->graph.node[m->init.list[i].target].b] = model_number(m, m->init.list[i].value, 0);
    ode_rates(m, rate);
    if (tape_build(&o->tape, &m->graph, (size_t)m->unknowns, rate, inputs, input, &missing))
        ode_stop("no tape");
    o->user = (struct ode_user){o->p, &o->tape};
    o->interpreted = (keel_problem){.name = "ode", .n = m->unknowns, .u0 = o->u0, .user = &o->user};
    o->interpreted.f = (keel_map){.count = m->unknowns, .value = ode_run_tape};
}

/* A method's name as a C name. */
static void ode_name(const char *method, char out[ODE_NAME]) {
    snprintf(out, ODE_NAME, "%s", method);
    for (char *c = out; *c; c++)
        if (*c == '-') *c = '_';
}

/* The methods that kernels are made for, every third from `first` on; NULL: there is no such. */
static const keel_stepper *ode_method(int first, int number) {
    const keel_stepper *s;
    int tables = 0;
    for (int i = 0; (s = registry_at(i)); i++)
        if (registry_table(s) && tables++ == first + 3 * number) return s;
    return NULL;
}

/* With every third of the kernels: they are what the compiler spends its time on. */
static void ode_compile(struct ode *o, int first) {
    struct emit e;
    char message[640], name[ODE_NAME];
    const keel_stepper *s;
    emit_open(&e);
    int failed = emit_function(&e, "f", &o->tape);
    for (int i = 0; (s = ode_method(first, i)); i++) {
        ode_name(s->info.name, name);
        failed |= emit_kernel(&e, name, &o->tape, &(struct emit_method){.rk = registry_table(s)});
    }
    if (failed || compile_load(e.text, NULL, &o->unit, message, sizeof message) != COMPILE_READY)
        ode_stop(failed ? "not emitted" : message);
    emit_close(&e);
    o->compiled = o->interpreted;
    o->compiled.f.value = compile_function(&o->unit, "f");
}

/* The compiled problem with that method's kernel. */
static keel_problem ode_fused(struct ode *o, const char *method) {
    char name[ODE_NAME];
    keel_problem p = o->compiled;
    ode_name(method, name);
    o->kernel = (keel_kernel){.method = method, .fixed = compile_fixed(&o->unit, name)};
    if (!o->kernel.fixed) ode_stop("no kernel");
    own_extras(&p)->kernel = &o->kernel;
    return p;
}

static void ode_close(struct ode *o) {
    compile_close(&o->unit);
    tape_free(&o->tape);
    model_release(o->model);
    pool_release(&o->pool);
}
#endif
