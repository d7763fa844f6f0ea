/* diagnostics.c - see diagnostics.h. */
#include "model/diagnostics.h"
#include "model/diagnostics_words.h"

#include "base/text.h"
#include "symbolic/expr_print.h"

#include <stdlib.h>
#include <string.h>

int diagnostics_memory(struct source_messages *messages) {
    source_no_memory(messages);
    return 0;
}

int diagnostics_dense(const struct formulation *r, struct source_messages *messages) {
    int kept =
        r->hidden.count + r->energy.count + r->constraint.count + r->rolling.count + r->invariant.count;
    source_hint(source_diagnose(
                    messages, SOURCE_ERROR, SOURCE_NOWHERE, 0,
                    "the matrices for %d unknowns and %d equations to be kept, dense in this version, are "
                    "too large.",
                    r->n + r->m, kept),
                "Is a range longer than meant?");
    return 0;
}

static void print_name(void *system, expr symbol, char *out, size_t capacity) {
    system_name(system, symbol, out, capacity);
}

void diagnostics_print(const struct system *y, expr e, char *out, size_t capacity) {
    expr_print(&y->m->graph, e, print_name, (void *)y, out, capacity);
}

void diagnostics_nonsmooth_at(const struct system *y, struct source_messages *messages,
                              struct syntax_span where, const char *times, const char *what, expr obstacle) {
    char text[120], hint[300], here[140] = "for ";
    struct syntax_span at = model_nonsmooth(y->m, y->source, obstacle, where, text, sizeof text);
    model_nonsmooth_hint(y->m, obstacle, hint, sizeof hint);
    if (system_line(y, at) != system_line(y, where))
        source_line(y->source, where.offset, here + 4, sizeof here - 4);
    else text_set(here, sizeof here, "here");
    source_hint(source_diagnose(messages, SOURCE_ERROR, at.length ? at.offset : SOURCE_NOWHERE, at.length,
                                "`%s` must be differentiated %s%s (%s), and is not smooth.", text, times,
                                here, what),
                "%s", hint);
}

int diagnostics_nonsmooth(const struct system *y, struct source_messages *messages, struct syntax_span where,
                          const char *what, expr obstacle) {
    diagnostics_nonsmooth_at(y, messages, where, "", what, obstacle);
    return 0;
}

int diagnostics_redundant(const struct system *y, struct source_messages *messages,
                          const struct structure_equivalent *equivalent) {
    char label[220], others[300], where[120];
    struct syntax_span at = y->origin[equivalent->equation].where;
    system_label(y, equivalent->equation, 0, label, sizeof label);
    diagnostics_in_mode(y, where, sizeof where);
    if (equivalent->equivalents == 0) {
        source_hint(source_diagnose(messages, SOURCE_WARNING, at.offset, at.length,
                                    "%sconstraint `%s` says nothing: 0 = 0.", where, label),
                    "Is a number or a direction in it zero?");
        return 0;
    }
    diagnostics_equations(y, equivalent->equivalents, equivalent->equivalent, others, sizeof others);
    struct source_message *one =
        source_diagnose(messages, SOURCE_WARNING, at.offset, at.length,
                        "%sconstraint `%s` is redundant: it follows from %s.", where, label, others);
    source_hint(one, "The motion is the same without it; its multiplier is a matter of choice.");
    return 0;
}

void diagnostics_factor(const struct system *y, struct source_messages *messages, int i, expr factor) {
    char text[200];
    struct syntax_span at = y->origin[i].where;
    diagnostics_print(y, factor, text, sizeof text);
    struct source_message *one =
        source_diagnose(messages, SOURCE_WARNING, at.offset, at.length,
                        "this is a product; `%s`, which is zero at the start, is taken for it.", text);
    source_hint(one, "Write that factor alone; or, if another one is meant, give a start where it is zero.");
}

void diagnostics_factor_in_doubt(const struct system *y, struct source_messages *messages, int i,
                                 expr factor) {
    char text[200];
    struct syntax_span at = y->origin[i].where;
    diagnostics_print(y, factor, text, sizeof text);
    struct source_message *one = source_diagnose(
        messages, SOURCE_WARNING, at.offset, at.length,
        "this is a product; `%s` is zero at the start, and another factor may be: two solutions begin there.",
        text);
    source_hint(one, "Write the factor that is meant alone.");
}

/* "The states are `x`, `x'`." */
static void list_states(const struct system *y, char *out, size_t capacity) {
    const struct structure *s = &y->s;
    out[0] = '\0';
    for (int k = 0; k < s->states && k < DIAGNOSTICS_TOLD; k++) {
        const struct expr_node n = y->m->graph.node[y->unknown[s->state[k].unknown]];
        char name[200];
        system_name(y, expr_symbol(&y->m->graph, (enum expr_kind)n.a, n.b, (uint32_t)s->state[k].order), name,
                    sizeof name);
        text_add(out, capacity, "%s`%.40s`", k ? ", " : "  The states are ", name);
    }
    if (s->states) text_add(out, capacity, s->states > DIAGNOSTICS_TOLD ? ", ..." : ".");
}

int diagnostics_no_value(const struct system *y, struct source_messages *messages, struct syntax_span where,
                         const char *what, expr symbol) {
    char name[200], states[300], sentence[320];
    system_name(y, symbol, name, sizeof name);
    list_states(y, states, sizeof states);
    text_set(sentence, sizeof sentence, "%s uses `%s`, which is no state here.", what, name);
    source_hint(diagnostics_at(messages, where, SOURCE_ERROR, sentence),
                "Write it with states; or make it an `output`.%s", states);
    return 0;
}

int diagnostics_not_assigned(const struct system *y, struct source_messages *messages,
                             struct syntax_span where, expr symbol, int elsewhere) {
    char name[200], states[300];
    system_name(y, symbol, name, sizeof name);
    list_states(y, states, sizeof states);
    source_hint(source_diagnose(messages, SOURCE_ERROR, where.offset, where.length,
                                "`%s` cannot be assigned: the equations%s determine it.", name,
                                elsewhere ? " of the mode that follows" : ""),
                "Assign to a state.%s", states);
    return 0;
}

int diagnostics_high_derivative(const struct system *y, struct source_messages *messages,
                                struct syntax_span where, const char *what, expr symbol) {
    char name[200], sentence[320];
    system_name(y, symbol, name, sizeof name);
    text_set(sentence, sizeof sentence, "%s needs `%s`, a derivative that keel does not go up to.", what,
             name);
    source_hint(diagnostics_at(messages, where, SOURCE_ERROR, sentence), "Take fewer derivatives.");
    return 0;
}
