/* diagnostics.c - see diagnostics.h. */
#include "model/diagnostics.h"

#include "base/text.h"
#include "symbolic/expr_print.h"
#include "model/surface.h"

#include <stdlib.h>
#include <string.h>

enum { TOLD = 6 }; /* names in one list */

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

static const char *between(int k, int count, const char *last) {
    return k == 0 ? "" : k == count - 1 ? last : ", ";
}

/* "`p`, `q` or `T`" */
static void list_unknowns(const struct system *y, int count, const int *unknown, const char *last, char *out,
                          size_t capacity) {
    char name[120];
    int told = count > TOLD ? TOLD : count;
    out[0] = '\0';
    for (int k = 0; k < told; k++) {
        model_name(y->m, y->unknown[unknown[k]], name, sizeof name);
        text_add(out, capacity, "%s`%s`", between(k, count, last), name);
    }
    if (told < count) text_add(out, capacity, ", ... (%d in all)", count);
}

/* "constraint `rod`", "line 7", "the motion of `x`" */
static void describe(const struct system *y, int i, char *out, size_t capacity) {
    const struct system_origin *o = &y->origin[i];
    char label[200];
    system_label(y, i, 0, label, sizeof label);
    if (o->kind == SYSTEM_CONSTRAINT || o->kind == SYSTEM_ROLLING)
        text_set(out, capacity, "constraint `%s`", label);
    else text_set(out, capacity, "%s%s", o->kind == SYSTEM_EQUATION ? "" : "the ", label);
}

/* "lines 6, 8 and 9", "constraint `rod`": equations that come from one line are named once. */
static void list_equations(const struct system *y, int count, const int *equation, char *out,
                           size_t capacity) {
    char label[220];
    const char *name[TOLD] = {0};
    char kept[TOLD][220];
    int names = 0, more = 0, plain = 1;
    for (int k = 0; k < count; k++) {
        const struct system_origin *o = &y->origin[equation[k]];
        if (o->kind == SYSTEM_EQUATION) text_set(label, sizeof label, "%d", system_line(y, o->where));
        else describe(y, equation[k], label, sizeof label);
        int known = 0;
        for (int j = 0; j < names; j++) known |= strcmp(name[j], label) == 0;
        if (known) continue;
        if (names == TOLD) {
            more++;
            continue;
        }
        plain &= o->kind == SYSTEM_EQUATION;
        text_set(kept[names], sizeof kept[names], "%s", label);
        name[names] = kept[names];
        names++;
    }
    text_set(out, capacity, "%s", plain ? names > 1 ? "lines " : "line " : "");
    for (int j = 0; j < names; j++) {
        int number = name[j][0] >= '0' && name[j][0] <= '9';
        text_add(out, capacity, "%s%s%s", between(j, more ? names + 1 : names, " and "),
                 number && !plain ? "line " : "", name[j]);
    }
    if (more) text_add(out, capacity, " and %d more", more);
}

static const char *in_mode(const struct system *y, char *out, size_t capacity) {
    const char *name = y->m->mode[y->mode].name;
    out[0] = '\0';
    if (name) text_set(out, capacity, "in mode `%.60s`: ", name);
    return out;
}

static const char *s_if(int count) {
    return count == 1 ? "" : "s";
}

static void capital(char *text) {
    if (text[0] >= 'a' && text[0] <= 'z') text[0] = (char)(text[0] - 'a' + 'A');
}

static struct source_message *message_at(struct source_messages *messages, struct syntax_span at,
                                         enum source_severity severity, const char *sentence) {
    return source_diagnose(messages, severity, at.length ? at.offset : SOURCE_NOWHERE, at.length, "%s",
                           sentence);
}

static void ascending(int count, int *list) {
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && list[j] < list[j - 1]; j--) {
            int other = list[j];
            list[j] = list[j - 1];
            list[j - 1] = other;
        }
}

/* Names that the analysis replaced are unknowns like the others; the lines that gave them (x' = u) were put
 * aside. */
static int add_aliases(const struct system *y, int count, int *unknown) {
    for (int k = 0; k < y->m->unknowns; k++)
        for (int i = 0; i < count && y->s.alias; i++)
            if (y->s.alias[k].unknown == unknown[i] && k != unknown[i]) {
                unknown[count++] = k;
                break;
            }
    return count;
}

/* What a side of x' = u stands for; 0: it is no unknown. */
static int stands_for(const struct system *y, expr e, struct structure_value *out) {
    int j = system_unknown(y, e);
    if (j < 0 || !y->s.alias) return 0;
    *out = y->s.alias[j];
    out->order += (int)y->m->graph.node[e].c;
    return 1;
}

/* Did equation i only give a name?  Then both of its sides are the same now. */
static int gives_name(const struct system *y, int i) {
    const struct graph *g = &y->m->graph;
    const struct expr_node *n = &g->node[y->equation[i]];
    struct structure_value a, b;
    if (n->op == EXPR_NEG) n = &g->node[n->a];
    return n->op == EXPR_SUB && stands_for(y, n->a, &a) && stands_for(y, n->b, &b) &&
           a.unknown == b.unknown && a.order == b.order;
}

static int add_alias_lines(const struct system *y, int count, int *equation, int unknowns,
                           const int *unknown) {
    for (int i = 0; i < y->equations; i++)
        for (int k = 0; k < unknowns && gives_name(y, i); k++)
            if (y->s.alias[unknown[k]].unknown != unknown[k] &&
                expr_depends(&y->m->graph, y->equation[i], 1, &y->unknown[unknown[k]])) {
                equation[count++] = i;
                break;
            }
    ascending(count, equation);
    return count;
}

/* "Line 3 follows from line 2.  ": what was put aside before counting. */
static void list_redundant(const struct system *y, char *out, size_t capacity) {
    char label[220], others[300];
    out[0] = '\0';
    for (int k = 0; k < y->s.redundants && k < 2; k++) {
        const struct structure_equivalent *equivalent = &y->s.redundant[k];
        describe(y, equivalent->equation, label, sizeof label);
        list_equations(y, equivalent->equivalents, equivalent->equivalent, others, sizeof others);
        capital(label);
        if (equivalent->equivalents) text_add(out, capacity, "%.60s follows from %.60s.  ", label, others);
        else text_add(out, capacity, "%.60s says nothing: 0 = 0.  ", label);
    }
}

/* Unknowns without an equation of their own. */
static void too_few(const struct system *y, struct source_messages *messages) {
    const struct structure_part *under = &y->s.under;
    char where[120], names[300], lines[300], sentence[320], redundant[260];
    size_t most = (size_t)y->unknowns + (size_t)y->equations + 1;
    int *unknown = malloc(2 * most * sizeof *unknown), *equation = unknown + most;
    if (!unknown) {
        diagnostics_memory(messages);
        return;
    }
    memcpy(unknown, under->unknown, (size_t)under->unknowns * sizeof *unknown);
    if (under->equations) memcpy(equation, under->equation, (size_t)under->equations * sizeof *equation);
    int unknowns = add_aliases(y, under->unknowns, unknown);
    int equations = add_alias_lines(y, under->equations, equation, unknowns, unknown);
    list_unknowns(y, unknowns, unknown, " or ", names, sizeof names);
    list_equations(y, equations, equation, lines, sizeof lines);
    list_redundant(y, redundant, sizeof redundant);
    text_set(sentence, sizeof sentence, "%s%d unknown%s, %d equation%s. Nothing determines %s",
             in_mode(y, where, sizeof where), y->unknowns, s_if(y->unknowns), y->equations,
             s_if(y->equations), names);
    if (equations)
        text_add(sentence, sizeof sentence, " (%s only in %s).", unknowns == 1 ? "it occurs" : "they occur",
                 lines);
    else text_add(sentence, sizeof sentence, ".");
    struct syntax_span at = {0, 0};
    if (unknown[0] < y->m->unknowns) at = y->m->unknown[unknown[0]].where;
    source_hint(message_at(messages, at, SOURCE_ERROR, sentence), "%sAdd an equation, or make %s a `param`.",
                redundant, unknowns == 1 ? "it" : "one");
    free(unknown);
}

static void too_many(const struct system *y, struct source_messages *messages) {
    const struct structure_part *over = &y->s.over;
    char where[120], names[300], lines[300], sentence[320];
    int surplus = over->equations - over->unknowns;
    list_unknowns(y, over->unknowns, over->unknown, " and ", names, sizeof names);
    list_equations(y, over->equations, over->equation, lines, sizeof lines);
    capital(lines);
    text_set(sentence, sizeof sentence,
             "%s%d unknown%s, %d equation%s. %s determine%s only %s: ", in_mode(y, where, sizeof where),
             y->unknowns, s_if(y->unknowns), y->equations, s_if(y->equations), lines,
             over->equations > 1 ? "" : "s", over->unknowns ? names : "nothing");
    if (surplus == 1) text_add(sentence, sizeof sentence, "one is too many.");
    else text_add(sentence, sizeof sentence, "%d are too many.", surplus);
    source_hint(
        message_at(messages, y->origin[over->equation[over->equations - 1]].where, SOURCE_ERROR, sentence),
        "Take %s away, or declare what %s to determine with `var`.", surplus == 1 ? "one" : "some",
        surplus == 1 ? "it was" : "they were");
}

/* Constraints that are too many, of which some would have to follow from the others, do not. */
static void open_loop(const struct system *y, struct source_messages *messages) {
    const struct model_mode *mode = &y->m->mode[y->mode];
    const struct model_row *row = &mode->constraint.list[y->gap.row];
    char where[120], sentence[320];
    text_set(sentence, sizeof sentence,
             "%s%d constraints on %d coordinates leave no degree of freedom, unless some follow from others. "
             "They do not: nearest to the guesses `%.80s` is still off by %.2g.",
             in_mode(y, where, sizeof where), mode->constraint.count, mode->motion.n, row->label.text,
             y->gap.off);
    source_hint(
        message_at(messages, row->where, SOURCE_ERROR, sentence),
        "A closed loop moves only if its lengths and axes fit. Check them and the guesses, or put a joint "
        "with more freedom into the loop.");
}

/* No unknown is left for some equation, or no equation for some unknown. */
static void singular(const struct system *y, struct source_messages *messages) {
    char where[120];
    if (y->gap.row >= 0 && y->s.over.equations) {
        open_loop(y, messages);
        return;
    }
    if (y->s.under.unknowns) too_few(y, messages);
    if (y->s.over.equations) too_many(y, messages);
    if (!y->s.under.unknowns && !y->s.over.equations)
        source_diagnose(messages, SOURCE_ERROR, SOURCE_NOWHERE, 0,
                        "%s%d unknown%s, %d equation%s: they do not fit together.",
                        in_mode(y, where, sizeof where), y->unknowns, s_if(y->unknowns), y->equations,
                        s_if(y->equations));
}

/* Does equation k use the name that equation i gives? */
static int uses_name(const struct system *y, int i, int k) {
    struct graph *g = &y->m->graph;
    for (int j = 0; j < y->m->unknowns; j++) {
        if (y->s.alias[j].unknown == j || !expr_depends(g, y->equation[i], 1, &y->unknown[j])) continue;
        for (uint32_t order = 0; order < 3; order++) {
            expr symbol = expr_symbol(g, EXPR_UNKNOWN, (uint32_t)j, order);
            if (expr_depends(g, y->equation[k], 1, &symbol)) return 1;
        }
    }
    return 0;
}

/* The other equations that a contradiction needs: its equivalents, and those that combinations put into any
 * of them.  How many; `list` has room for all. */
static int needed(const struct system *y, const struct structure_equivalent *equivalent, int *list) {
    const struct structure *s = &y->s;
    unsigned char *in = calloc((size_t)y->equations + 1, 1);
    int count = 0, grown = in != NULL;
    if (in) in[equivalent->equation] = 1;
    for (int i = 0; i < equivalent->equivalents && in; i++) in[equivalent->equivalent[i]] = 1;
    while (grown) {
        grown = 0;
        for (int k = 0; k < s->steps; k++)
            for (int e = 0; e < s->step[k].count && in[s->step[k].replaced]; e++)
                if (!in[s->step[k].equation[e]]) in[s->step[k].equation[e]] = 1, grown = 1;
    }
    for (int i = 0; i < y->equations && in; i++)
        if (in[i] && i != equivalent->equation) list[count++] = i;
    if (in) in[equivalent->equation] = 1;
    for (int i = 0; i < y->equations && in; i++) { /* the names that these use */
        if (in[i] || !gives_name(y, i)) continue;
        for (int k = 0; k < y->equations && in[i] < 2; k++)
            if (in[k] == 1 && uses_name(y, i, k)) in[i] = 2, list[count++] = i;
    }
    ascending(count, list);
    free(in);
    return count;
}

static void contradiction(const struct system *y, struct source_messages *messages) {
    const struct structure *s = &y->s;
    int *list = calloc((size_t)y->equations + 1, sizeof *list);
    for (int k = 0; k < s->redundants && list; k++) {
        const struct structure_equivalent *equivalent = &s->redundant[k];
        char label[220], others[300], where[120], counted[80] = "", sentence[320];
        struct syntax_span at = y->origin[equivalent->equation].where;
        if (!equivalent->contradicts || source_diagnosed_within(messages, at.offset, at.offset)) continue;
        int equivalents = needed(y, equivalent, list);
        describe(y, equivalent->equation, label, sizeof label);
        list_equations(y, equivalents, list, others, sizeof others);
        if (y->equations != y->unknowns)
            text_set(counted, sizeof counted, " (%d unknown%s, %d equation%s)", y->unknowns,
                     s_if(y->unknowns), y->equations, s_if(y->equations));
        int motion = y->origin[equivalent->equation].kind == SYSTEM_MOTION;
        if (equivalents)
            text_set(sentence, sizeof sentence, "%s%s cannot hold beside %s%s: they contradict each other.",
                     in_mode(y, where, sizeof where), label, others, counted);
        else if (motion)
            text_set(sentence, sizeof sentence,
                     "%s%s can never hold: a force acts, and nothing there has mass.",
                     in_mode(y, where, sizeof where), label);
        else
            text_set(sentence, sizeof sentence, "%s%s can never hold%s: its unknowns cancel.",
                     in_mode(y, where, sizeof where), label, counted);
        source_hint(message_at(messages, at, SOURCE_ERROR, sentence),
                    equivalents ? "Take one of them away, or put other numbers in."
                    : motion    ? "Give it kinetic energy in the lagrangian."
                                : "Take it away.");
    }
    free(list);
}

static void degenerate(const struct system *y, struct source_messages *messages) {
    const struct structure *s = &y->s;
    char where[120], lines[300];
    struct syntax_span at = {SOURCE_NOWHERE, 0};
    list_equations(y, s->culprits, s->culprit, lines, sizeof lines);
    capital(lines);
    if (s->culprits) at = y->origin[s->culprit[0]].where;
    struct source_message *one = source_diagnose(
        messages, SOURCE_ERROR, at.length ? at.offset : SOURCE_NOWHERE, at.length,
        "%sthe highest derivatives are not determined. %s depend on each other wherever one looks.",
        in_mode(y, where, sizeof where), lines);
    int branches = 0;
    for (int k = 0; k < s->culprits; k++) branches |= surface_found(&y->m->graph, y->equation[s->culprit[k]]);
    if (branches)
        source_hint(one,
                    "A branch that changes the index of the equations may be the reason: write two modes "
                    "instead, each with its own equation.");
    else source_hint(one, "Write these equations so that each says something of its own.");
}

/* `abs(x)` must be differentiated [twice ]here (what), and is not smooth. */
static void nonsmooth_at(const struct system *y, struct source_messages *messages, struct syntax_span where,
                         const char *times, const char *what, expr obstacle) {
    char text[120], hint[300], here[40] = "here";
    struct syntax_span at = model_nonsmooth(y->m, y->source, obstacle, where, text, sizeof text);
    model_nonsmooth_hint(y->m, obstacle, hint, sizeof hint);
    if (system_line(y, at) != system_line(y, where))
        text_set(here, sizeof here, "for line %d", system_line(y, where));
    source_hint(source_diagnose(messages, SOURCE_ERROR, at.length ? at.offset : SOURCE_NOWHERE, at.length,
                                "`%s` must be differentiated %s%s (%s), and is not smooth.", text, times,
                                here, what),
                "%s", hint);
}

int diagnostics_nonsmooth(const struct system *y, struct source_messages *messages, struct syntax_span where,
                          const char *what, expr obstacle) {
    nonsmooth_at(y, messages, where, "", what, obstacle);
    return 0;
}

static void obstacle(const struct system *y, struct source_messages *messages) {
    static const char *const times[] = {"", "", "twice ", "three times "};
    const struct structure *s = &y->s;
    int i = s->culprits ? s->culprit[0] : 0, order = 0;
    char label[220], what[260];
    for (int k = 0; k < s->n; k++)
        if (s->row[k] == i) order = s->c[k];
    describe(y, i, label, sizeof label);
    text_set(what, sizeof what, "%s, index %d", label, s->index);
    nonsmooth_at(y, messages, y->origin[i].where, times[order < 4 ? order : 0], what, s->obstacle);
}

int diagnostics_structure(const struct system *y, struct source_messages *messages) {
    switch (y->s.verdict) {
    case STRUCTURE_SINGULAR:
        singular(y, messages);
        break;
    case STRUCTURE_CONTRADICTION:
        contradiction(y, messages);
        break;
    case STRUCTURE_DEGENERATE:
        degenerate(y, messages);
        break;
    case STRUCTURE_OBSTACLE:
        obstacle(y, messages);
        break;
    case STRUCTURE_MEMORY:
    case STRUCTURE_OK:
        diagnostics_memory(messages);
        break;
    }
    return 0;
}

int diagnostics_redundant(const struct system *y, struct source_messages *messages,
                          const struct structure_equivalent *equivalent) {
    char label[220], others[300], where[120];
    struct syntax_span at = y->origin[equivalent->equation].where;
    system_label(y, equivalent->equation, 0, label, sizeof label);
    list_equations(y, equivalent->equivalents, equivalent->equivalent, others, sizeof others);
    struct source_message *one = source_diagnose(messages, SOURCE_WARNING, at.offset, at.length,
                                                 "%sconstraint `%s` is redundant: it follows from %s.",
                                                 in_mode(y, where, sizeof where), label, others);
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
    for (int k = 0; k < s->states && k < TOLD; k++) {
        const struct expr_node n = y->m->graph.node[y->unknown[s->state[k].unknown]];
        char name[200];
        system_name(y, expr_symbol(&y->m->graph, (enum expr_kind)n.a, n.b, (uint32_t)s->state[k].order), name,
                    sizeof name);
        text_add(out, capacity, "%s`%.40s`", k ? ", " : "  The states are ", name);
    }
    if (s->states) text_add(out, capacity, s->states > TOLD ? ", ..." : ".");
}

int diagnostics_no_value(const struct system *y, struct source_messages *messages, struct syntax_span where,
                         const char *what, expr symbol) {
    char name[200], states[300], sentence[320];
    system_name(y, symbol, name, sizeof name);
    list_states(y, states, sizeof states);
    text_set(sentence, sizeof sentence, "%s uses `%s`, which is no state here.", what, name);
    source_hint(message_at(messages, where, SOURCE_ERROR, sentence),
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
    source_hint(message_at(messages, where, SOURCE_ERROR, sentence), "Take fewer derivatives.");
    return 0;
}
