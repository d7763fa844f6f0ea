/* elaborate.c - the order of the elaboration; see elaborate.h.
 *
 * Names first; then the loops are written out, for which only parameters are needed; then unknowns; then for
 * each mode energy function, motion and constraints, which make the multipliers; then for each mode
 * everything else. */
#include "lang/elaborate_private.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

void *elaborate_take(struct elaborate *e, size_t bytes) {
    void *piece = pool_take(e->pool, bytes);
    if (!piece) elaborate_out_of_memory(e);
    return piece;
}

const char *elaborate_text(struct elaborate *e, const char *head, const char *tail) {
    size_t first = strlen(head), all = first + strlen(tail) + 1;
    char *text = elaborate_take(e, all);
    if (!text) return NULL;
    memcpy(text, head, first);
    memcpy(text + first, tail, all - first);
    return text;
}

int elaborate_grow(struct elaborate *e, void *list, int count, int *capacity, size_t size) {
    void *old, *wider;
    if (count < *capacity) return 1;
    int more = *capacity ? 2 * *capacity : 8;
    memcpy(&old, list, sizeof old);
    wider = elaborate_take(e, (size_t)more * size);
    if (!wider) return 0;
    if (count) memcpy(wider, old, (size_t)count * size);
    memcpy(list, &wider, sizeof wider);
    *capacity = more;
    return 1;
}

const char *elaborate_format(struct elaborate *e, const char *format, ...) {
    char text[640];
    va_list args;
    va_start(args, format);
    text_vset(text, sizeof text, format, args);
    va_end(args);
    const char *copy = pool_copy(e->pool, text, strlen(text));
    if (!copy) elaborate_out_of_memory(e);
    return copy;
}

/* Loops written out ---------------------------------------------------------------------------------- */

struct repetition {
    const struct syntax_statement *body;
    int mode;
};

static int repeat(struct elaborate *e, const struct elaborate_frame *frame, void *data) {
    const struct repetition *r = data;
    return elaborate_unroll(e, r->body, frame, r->mode);
}

int elaborate_unroll(struct elaborate *e, const struct syntax_statement *s,
                     const struct elaborate_frame *frame, int mode) {
    for (; s && !e->stopped; s = s->next) {
        if (s->kind == SYNTAX_FOR) {
            struct repetition r = {s->body, mode};
            int before = e->block;
            e->block = mode < 0 ? before : mode;
            elaborate_ranges(e, s->ranges, frame, "for", 1, repeat, &r);
            e->block = before;
        } else if (s->kind == SYNTAX_MODE) {
            e->use = s->use;
            int block = elaborate_block(e, s, frame);
            e->use = NULL;
            if (block >= 0) elaborate_unroll(e, s->body, frame, block);
        } else {
            if (!elaborate_grow(e, &e->line, e->lines, &e->line_capacity, sizeof *e->line)) return 0;
            e->line[e->lines] = (struct elaborate_line){s, frame, mode};
            if (frame && (s->kind == SYNTAX_LET || s->kind == SYNTAX_PARAM))
                elaborate_define(e, &e->line[e->lines]);
            e->lines++;
        }
    }
    return !e->stopped;
}

/* Passes --------------------------------------------------------------------------------------------- */

typedef void statement_pass(struct elaborate *e, const struct elaborate_line *line);

static int is_unknowns(enum syntax_statement_kind kind) {
    return kind == SYNTAX_VAR || kind == SYNTAX_COORD || kind == SYNTAX_CANONICAL || kind == SYNTAX_NODE;
}

static void parameters(struct elaborate *e) {
    for (struct elaborate_name *name = e->names; name; name = name->next)
        for (struct elaborate_definition *one = name->first; one && name->kind == ELABORATE_PARAMETER;
             one = one->next)
            elaborate_definition_value(e, one);
}

/* In file order, so that a chain x[1], x[2], ... is never deep; unused ones are checked too. */
static void lets(struct elaborate *e) {
    for (struct elaborate_name *name = e->names; name; name = name->next) {
        int due = e->only >= 0 ? name->mode == e->only : elaborate_in_force(e, name->mode);
        if (name->kind != ELABORATE_LET || !due) continue;
        for (struct elaborate_definition *one = name->first; one; one = one->next)
            elaborate_definition_value(e, one);
    }
}

/* The same before the multipliers are known: what fails now is asked for again later. */
static void lets_beforehand(struct elaborate *e) {
    struct source_messages *unheard = elaborate_take(e, sizeof *unheard), *before = e->messages;
    if (!unheard) return;
    e->messages = unheard;
    lets(e);
    e->messages = before;
    e->derive.obstacle = EXPR_NONE;
    e->stopped = e->graph->failed;
    if (e->grown.length) elaborate_error_grown(e);
    for (struct elaborate_name *name = e->names; name; name = name->next) {
        if (name->kind != ELABORATE_LET) continue;
        if (name->state == ELABORATE_FAILED) name->state = ELABORATE_NEW;
        for (struct elaborate_definition *one = name->first; one; one = one->next)
            if (one->state == ELABORATE_FAILED) one->state = ELABORATE_NEW;
    }
}

static void each(struct elaborate *e, unsigned kinds, statement_pass *pass) {
    if (!expr_spend(e->graph, e->lines)) elaborate_stop(e);
    for (int i = 0; i < e->lines && !e->stopped; i++) {
        const struct elaborate_line *line = &e->line[i];
        int due = e->only >= 0 ? line->mode == e->only : elaborate_in_force(e, line->mode);
        if (!due || !(kinds >> line->s->kind & 1)) continue;
        e->use = line->s->use;
        e->group = elaborate_group(e, line->mode);
        pass(e, line);
    }
    e->use = NULL;
    e->group = elaborate_group(e, -1);
}

static void init_line(struct elaborate *e, const struct elaborate_line *line) {
    elaborate_given(e, line, &e->model->init);
}

static void guess_line(struct elaborate *e, const struct elaborate_line *line) {
    elaborate_given(e, line, &e->model->guess);
}

static void exact_line(struct elaborate *e, const struct elaborate_line *line) {
    elaborate_given(e, line, &e->model->exact);
}

/* What stands among positions and velocities, and makes multipliers. */
static void constraints(struct elaborate *e) {
    each(e, 1u << SYNTAX_CONSTRAINT | 1u << SYNTAX_ROLLING, elaborate_constraint);
    each(e, 1u << SYNTAX_CONTACT, elaborate_contact);
}

static void motion(struct elaborate *e) {
    lets_beforehand(e);
    elaborate_motion(e);
    constraints(e);
}

static void lines(struct elaborate *e) {
    lets(e);
    each(e, 1u << SYNTAX_EQUATION, elaborate_equation);
    each(e, 1u << SYNTAX_FLOW, elaborate_flow);
    if (e->only < 0) each(e, 1u << SYNTAX_NODE, elaborate_balance);
    each(e, 1u << SYNTAX_FORCE, elaborate_force);
    each(e, 1u << SYNTAX_INVARIANT, elaborate_invariant);
    each(e, 1u << SYNTAX_OUTPUT, elaborate_output);
    each(e, 1u << SYNTAX_EVENT, elaborate_event);
    each(e, 1u << SYNTAX_EVENT, elaborate_timed_event);
}

void elaborate_one_mode(struct elaborate *e, int mode) {
    elaborate_enter_mode(e, mode);
    motion(e);
    lines(e);
    if (!e->messages->errors && !e->stopped) elaborate_finish_motion(e, mode);
}

static void statements(struct elaborate *e) {
    struct model *m = e->model;
    for (int i = 0; i < m->modes; i++) {
        elaborate_enter_mode(e, i);
        lines(e);
    }
    elaborate_survey(e, lines);
    elaborate_enter_mode(e, m->start);
    each(e, 1u << SYNTAX_INIT, init_line);
    if (e->model->memories) elaborate_memories_begin(e);
    each(e, 1u << SYNTAX_GUESS, guess_line);
    elaborate_resolve(e);
    each(e, 1u << SYNTAX_EXACT, exact_line);
    each(e, 1u << SYNTAX_REFERENCE, elaborate_reference_values);
    each(e, 1u << SYNTAX_VAR | 1u << SYNTAX_COORD | 1u << SYNTAX_CANONICAL, elaborate_unknown_settings);
    each(e, 1u << SYNTAX_RUN, elaborate_run_span);
    each(e, 1u << SYNTAX_OPTIONS, elaborate_options);
}

static void whole(struct elaborate *e, const struct syntax_file *file) {
    char message[320] = "";
    e->block = e->only = e->group = -1;
    elaborate_blocks(e, file->statements);
    if (e->stopped || !elaborate_declare(e, file->statements, -1, 0)) return;
    if (e->request && !elaborate_settings(e, e->request->sets, e->request->set, message, sizeof message)) {
        source_diagnose(e->messages, SOURCE_ERROR, SOURCE_NOWHERE, 0, "%s", message);
        return;
    }
    elaborate_tables(e, file);
    e->unrolling = 1;
    elaborate_unroll(e, file->statements, NULL, -1);
    e->unrolling = 0;
    parameters(e);
    for (int i = 0; i < e->lines; i++)
        if (is_unknowns(e->line[i].s->kind)) {
            e->use = e->line[i].s->use;
            elaborate_unknowns(e, &e->line[i]);
        }
    e->use = NULL;
    elaborate_memories(e);
    elaborate_form(e);
    for (int i = 0; i < e->model->modes && !e->stopped; i++) {
        elaborate_enter_mode(e, i);
        motion(e);
    }
    elaborate_survey(e, constraints);
    e->multipliers_known = 1;
    statements(e);
    elaborate_check(e);
    if (!e->messages->errors && !e->stopped) elaborate_units(e);
}

struct model *elaborate_run(const struct source *s, const struct syntax_file *file,
                            const struct elaborate_request *request, struct source_messages *m,
                            struct pool *pool) {
    int before = m->errors;
    struct elaborate *e = pool_take(pool, sizeof *e);
    struct model *model = pool_take(pool, sizeof *model);
    if (!e || !model || expr_open(&model->graph)) {
        source_no_memory(m);
        return NULL;
    }
    expr_allow(&model->graph, request ? request->work : 0);
    model->graph.stop = request ? request->stop : NULL;
    *e = (struct elaborate){.source = s, .messages = m, .pool = pool, .model = model, .graph = &model->graph};
    e->request = request;
    e->stamp = 1;
    model->file = file;
    model->names = e;
    derive_open(&e->derive, e->graph, DERIVE_NONE);
    whole(e, file);
    e->messages = NULL;
    source_sort(m);
    int starved = pool->refused || expr_starved(&model->graph);
    if (m->errors == before && !starved && !model->graph.failed) return model;
    if (starved) source_no_memory(m);
    else if (m->errors == before) elaborate_exhausted(m, e->graph);
    model_release(model);
    return NULL;
}

expr elaborate_expression(struct model *model, const struct source *s, const struct syntax_node *node,
                          struct source_messages *m) {
    struct elaborate *e = model->names;
    const struct source *before = e->source;
    expr out;
    e->source = s;
    e->messages = m;
    e->stopped = e->depth = 0;
    expr_allow(e->graph, e->graph->work);
    elaborate_one(e, node, NULL, "what is asked for", &out);
    e->source = before;
    e->messages = NULL;
    return out;
}
