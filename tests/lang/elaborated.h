/* elaborated.h - a text or an example, read and elaborated. */
#ifndef KEEL_TESTS_ELABORATED_H
#define KEEL_TESTS_ELABORATED_H

#include "example_list.h"

#include "lang/elaborate.h"
#include "lang/library.h"
#include "lang/parser.h"
#include "lang/parts.h"
#include "symbolic/tape.h"

struct reading {
    struct source source;
    struct source_messages messages;
    struct pool pool;
    struct syntax_file *file;
    struct model *model;
    char *text;
};

static inline void read_request(struct reading *r, const char *text,
                                const struct elaborate_request *request) {
    memset(r, 0, sizeof *r);
    r->source = (struct source){"a.keel", text, strlen(text), 0};
    r->file = parser_run(&r->source, &r->messages, &r->pool);
    if (r->file && library_append(&r->source, r->file, &r->messages, &r->pool))
        r->file = parser_run(&r->source, &r->messages, &r->pool);
    if (r->file) r->file = parts_expand(&r->source, r->file, &r->messages, &r->pool);
    if (r->file) r->model = elaborate_run(&r->source, r->file, request, &r->messages, &r->pool);
}

static inline void show(const struct reading *r) {
    static char out[32768];
    source_render_all(&r->source, &r->messages, out, sizeof out);
    print_error("%s", out);
}

static inline void finish(struct reading *r) {
    model_release(r->model);
    pool_release(&r->pool);
    free(r->text);
}

static inline struct model *read_well(struct reading *r, const char *text) {
    read_request(r, text, NULL);
    if (!r->model) show(r);
    assert_non_null(r->model);
    return r->model;
}

static inline struct model *read_example(struct reading *r, const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", KEEL_EXAMPLES_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    struct model *m = read_well(r, text);
    r->text = text;
    return m;
}

/* Expressions at a point: derivatives of order k of unknown i stand in u[k*unknowns + i], multipliers after
 * order 2. */
static inline void evaluate(struct model *m, int count, const expr *e, double t, const double *u,
                            double *out) {
    int n = m->unknowns, inputs = 0;
    struct tape_input *input = calloc((size_t)(4 * n + m->multipliers + m->parameters + 1), sizeof *input);
    double *p = calloc((size_t)m->parameters + 1, sizeof *p);
    input[inputs++] = (struct tape_input){expr_symbol(&m->graph, EXPR_TIME, 0, 0), TAPE_TIME, 0};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < n; i++)
            input[inputs++] =
                (struct tape_input){expr_symbol(&m->graph, EXPR_UNKNOWN, (uint32_t)i, (uint32_t)k),
                                    TAPE_STATE, (uint32_t)(k * n + i)};
    for (int i = 0; i < m->multipliers; i++)
        input[inputs++] = (struct tape_input){expr_symbol(&m->graph, EXPR_MULTIPLIER, (uint32_t)i, 0),
                                              TAPE_STATE, (uint32_t)(3 * n + i)};
    for (int i = 0; i < m->parameters; i++) {
        input[inputs++] = (struct tape_input){expr_symbol(&m->graph, EXPR_PARAMETER, (uint32_t)i, 0),
                                              TAPE_PARAMETER, (uint32_t)i};
        p[i] = m->parameter[i].number;
    }
    struct tape tape;
    expr missing;
    assert_int_equal(tape_build(&tape, &m->graph, (size_t)count, e, (size_t)inputs, input, &missing), 0);
    assert_int_equal(tape_call(&tape, t, u, p, out), 0);
    tape_free(&tape);
    free(input);
    free(p);
}

static inline void has_name(const struct model *m, expr symbol, const char *expected) {
    char name[64];
    model_name(m, symbol, name, sizeof name);
    assert_string_equal(name, expected);
}
#endif
