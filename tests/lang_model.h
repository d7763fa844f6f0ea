/* lang_model.h - a model's text up to the structure of its modes, for the tests. */
#ifndef KEEL_TESTS_LANG_MODEL_H
#define KEEL_TESTS_LANG_MODEL_H

#include "lang/elaborate.h"
#include "lang/library.h"
#include "lang/parser.h"
#include "lang/parts.h"
#include "structure/structure.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    struct source source;
    struct source_messages messages;
    struct pool pool;
    struct syntax_file *written, *file; /* as written; without parts */
    struct model *model;                /* NULL: see the messages */
    char *text;
};

/* The text is the reading's from now on. */
static inline void reading_open(struct reading *r, const char *name, char *text) {
    memset(r, 0, sizeof *r);
    r->text = text;
    r->source = (struct source){name, text, strlen(text), 0};
    r->file = parser_run(&r->source, &r->messages, &r->pool);
    if (r->file && library_append(&r->source, r->file, &r->messages, &r->pool))
        r->file = parser_run(&r->source, &r->messages, &r->pool);
    r->written = r->file;
    if (r->file) r->file = parts_expand(&r->source, r->file, &r->messages, &r->pool);
    if (r->file) r->model = elaborate_run(&r->source, r->file, NULL, &r->messages, &r->pool);
    static char out[32768];
    source_render_all(&r->source, &r->messages, out, sizeof out);
    if (r->messages.count) print_error("%s", out);
}

static inline void reading_close(struct reading *r) {
    model_release(r->model);
    pool_release(&r->pool);
    free(r->text);
}

/* The text of a file, with a zero at its end; NULL: none. */
static inline char *reading_file(const char *folder, const char *name) {
    enum { ROOM = 1 << 18 };
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, ROOM);
    if (file && text) text[fread(text, 1, ROOM - 1, file)] = '\0';
    if (file) fclose(file);
    else free(text), text = NULL;
    return text;
}

/* All equations of a mode, then its constraints, whose number comes back in *first; the constraint `without`
 * (-1: none) is left out with its multiplier. */
static inline enum structure_verdict reading_analyse_without(struct model *m, const struct model_mode *mode,
                                                             int without, int *first, struct structure *s) {
    int n = mode->motion.n, rows = mode->constraint.count + mode->rolling.count, count = 0, unknowns = 0;
    struct derive d;
    derive_open(&d, &m->graph, 0);
    expr *f = calloc((size_t)(2 * n + mode->equation.count + rows + 1), sizeof *f);
    expr *unknown = calloc((size_t)(m->unknowns + rows + 1), sizeof *unknown);
    expr *multiplier = calloc((size_t)rows + 1, sizeof *multiplier);
    double *number = calloc((size_t)m->parameters + 1, sizeof *number);
    const struct model_row **row = calloc((size_t)rows + 1, sizeof *row);
    for (int i = 0; i < m->parameters; i++) number[i] = m->parameter[i].number;
    for (int i = 0; i < m->unknowns; i++)
        unknown[unknowns++] = expr_symbol(&m->graph, EXPR_UNKNOWN, (uint32_t)i, 0);
    for (int i = 0; i < rows; i++) {
        int rolling = i - mode->constraint.count;
        row[i] = rolling < 0 ? &mode->constraint.list[i] : &mode->rolling.list[rolling];
        multiplier[i] = expr_symbol(&m->graph, EXPR_MULTIPLIER, (uint32_t)row[i]->multiplier, 0);
        if (i == without) multiplier[i] = expr_constant(&m->graph, 0);
        else unknown[unknowns++] = multiplier[i];
    }
    for (int i = 0; i < n; i++) f[count++] = motion_equation(&mode->motion, &d, i, multiplier);
    for (int i = 0; i < n && m->form == MODEL_HAMILTONIAN; i++)
        f[count++] = motion_equation_momentum(&mode->motion, &d, i, multiplier);
    for (int i = 0; i < mode->equation.count; i++) f[count++] = mode->equation.list[i].value;
    *first = count;
    for (int i = 0; i < rows; i++)
        if (i != without) f[count++] = row[i]->value;
    struct structure_problem p = {.g = &m->graph,
                                  .equations = count,
                                  .unknowns = unknowns,
                                  .equation = f,
                                  .unknown = unknown,
                                  .parameters = m->parameters,
                                  .parameter = number};
    enum structure_verdict verdict = structure_analyse(s, &p);
    derive_close(&d);
    free(f), free(unknown), free(multiplier), free(number), free(row);
    return verdict;
}

/* The structure of a mode; a constraint that says nothing new is counted and left out. */
static inline enum structure_verdict reading_analyse(struct model *m, const struct model_mode *mode,
                                                     int *redundant, struct structure *s) {
    int first;
    enum structure_verdict verdict = reading_analyse_without(m, mode, -1, &first, s);
    *redundant = s->redundants;
    if (verdict != STRUCTURE_SINGULAR || s->redundants != 1 || s->redundant[0].equation < first)
        return verdict;
    int without = s->redundant[0].equation - first;
    structure_close(s);
    return reading_analyse_without(m, mode, without, &first, s);
}
#endif
