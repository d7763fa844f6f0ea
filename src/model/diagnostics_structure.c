/* diagnostics_structure.c - the verdict of the structure analysis, in the words of the model. */
#include "model/diagnostics.h"
#include "model/diagnostics_words.h"

#include "base/text.h"
#include "model/surface.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

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

/* 1: the coefficients that cancel agree to the digits that count, but not to the last ones. */
static int nearly(const struct structure_equivalent *equivalent) {
    return equivalent->apart > 8 * DBL_EPSILON;
}

/* Is an equation that of a part, or of a node where parts meet?  Then it is parts that there are too many
 * of. */
static const char *remedy(const struct system *y, int equation, const char *other) {
    const char *place = y->origin[equation].kind == SYSTEM_EQUATION ? y->origin[equation].place : "";
    if (strncmp(place, "in ", 3) == 0) return "Take one of these parts away, or put another number in.";
    if (strncmp(place, "at ", 3) == 0)
        return "What is joined there leaves its flow no choice: join a part that does.";
    return other;
}

static const char nearly_hint[] =
    "Coefficients that agree to 1e-12 count as equal.  Subtract the lines by hand, "
    "so that the small difference stands in the text.";

/* "Line 3 follows from line 2.  ": what was put aside before counting. */
static void list_redundant(const struct system *y, char *out, size_t capacity) {
    char label[220], others[300];
    out[0] = '\0';
    for (int k = 0; k < y->s.redundants && k < 2; k++) {
        const struct structure_equivalent *equivalent = &y->s.redundant[k];
        diagnostics_describe(y, equivalent->equation, label, sizeof label);
        diagnostics_equations(y, equivalent->equivalents, equivalent->equivalent, others, sizeof others);
        diagnostics_capital(label);
        if (equivalent->equivalents && nearly(equivalent))
            text_add(out, capacity, "%.60s cannot be told from %.60s: coefficients agree to %.0e.  ", label,
                     others, equivalent->apart);
        else if (equivalent->equivalents)
            text_add(out, capacity, "%.90s follows from %.140s.  ", label, others);
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
    diagnostics_unknowns(y, unknowns, unknown, " or ", names, sizeof names);
    diagnostics_equations(y, equations, equation, lines, sizeof lines);
    list_redundant(y, redundant, sizeof redundant);
    text_set(sentence, sizeof sentence, "%s%d unknown%s, %d equation%s. Nothing determines %s",
             diagnostics_in_mode(y, where, sizeof where), y->unknowns, diagnostics_s(y->unknowns),
             y->equations, diagnostics_s(y->equations), names);
    if (equations)
        text_add(sentence, sizeof sentence, " (%s only in %s).", unknowns == 1 ? "it occurs" : "they occur",
                 lines);
    else text_add(sentence, sizeof sentence, ".");
    struct syntax_span at = {0, 0};
    if (unknown[0] < y->m->unknowns) at = y->m->unknown[unknown[0]].where;
    const char *other =
        unknowns == 1 ? "Add an equation, or make it a `param`." : "Add an equation, or make one a `param`.";
    source_hint(diagnostics_at(messages, at, SOURCE_ERROR, sentence), "%s%s", redundant,
                y->s.redundants ? remedy(y, y->s.redundant[0].equation, other) : other);
    free(unknown);
}

static void too_many(const struct system *y, struct source_messages *messages) {
    const struct structure_part *over = &y->s.over;
    char where[120], names[300], lines[300], sentence[320];
    int surplus = over->equations - over->unknowns;
    diagnostics_unknowns(y, over->unknowns, over->unknown, " and ", names, sizeof names);
    diagnostics_equations(y, over->equations, over->equation, lines, sizeof lines);
    diagnostics_capital(lines);
    text_set(sentence, sizeof sentence, "%s%d unknown%s, %d equation%s. %s determine%s only %s: ",
             diagnostics_in_mode(y, where, sizeof where), y->unknowns, diagnostics_s(y->unknowns),
             y->equations, diagnostics_s(y->equations), lines, over->equations > 1 ? "" : "s",
             over->unknowns ? names : "nothing");
    if (surplus == 1) text_add(sentence, sizeof sentence, "one is too many.");
    else text_add(sentence, sizeof sentence, "%d are too many.", surplus);
    source_hint(diagnostics_at(messages, y->origin[over->equation[over->equations - 1]].where, SOURCE_ERROR,
                               sentence),
                "Take %s away, or declare what %s to determine with `var`.", surplus == 1 ? "one" : "some",
                surplus == 1 ? "it was" : "they were");
}

/* "A, B and C": the parts, or else the constraints, of a loop that does not close, each once; not all of
 * many, and long names cut, so that the sentence has room for its end. */
static void list_loop(const struct system *y, const struct loops_gap *gap, char *out, size_t capacity) {
    enum { TOLD = 9, NAME = 13 };
    const struct model_mode *mode = &y->m->mode[y->mode];
    char name[TOLD + 1][60];
    int names = 0;
    for (int i = 0; i < mode->constraint.count && names <= TOLD; i++) {
        const char *label = mode->constraint.list[i].label.text, *end = strrchr(label, '.');
        int length = (int)(end ? end - label : (long)strlen(label)), known = 0;
        if (!gap->of[i]) continue;
        text_set(name[names], sizeof *name, "%.*s", length, label);
        for (int k = 0; k < names; k++) known |= strcmp(name[k], name[names]) == 0;
        names += !known;
    }
    out[0] = '\0';
    for (int k = 0; k < names; k++)
        text_add(out, capacity, "%s%.*s",
                 k == 0           ? ""
                 : k == names - 1 ? " and "
                                  : ", ",
                 NAME, k < TOLD ? name[k] : "others");
}

/* "nearest to the guesses the loop of A, B and C is still off by 0.1, in `A.meet[1]`." */
static void say_gap(const struct system *y, const struct loops_gap *gap, char *sentence, size_t capacity) {
    char loop[200];
    list_loop(y, gap, loop, sizeof loop);
    text_add(sentence, capacity, "nearest to the guesses the loop of %s is still off by %.2g, in `%.80s`.",
             loop, gap->off, y->m->mode[y->mode].constraint.list[gap->row].label.text);
}

/* Constraints that are too many, of which some would have to follow from the others, do not. */
static void open_loop(const struct system *y, struct source_messages *messages) {
    const struct model_mode *mode = &y->m->mode[y->mode];
    char where[120], sentence[320];
    text_set(sentence, sizeof sentence,
             "%s%d constraints on %d coordinates leave no degree of freedom, unless some follow from others. "
             "They do not: ",
             diagnostics_in_mode(y, where, sizeof where), mode->constraint.count, mode->motion.n);
    say_gap(y, &y->gap, sentence, sizeof sentence);
    source_hint(
        diagnostics_at(messages, mode->constraint.list[y->gap.row].where, SOURCE_ERROR, sentence),
        "A closed loop moves only if its lengths and axes fit. Check them and the guesses, or put a joint "
        "with more freedom into the loop.");
}

int diagnostics_open_loop(const struct system *y, const struct loops_gap *gap,
                          struct source_messages *messages) {
    const struct model_rows *constraint = &y->m->mode[y->mode].constraint;
    char where[120], sentence[320];
    if (gap->row < 0 || !strchr(constraint->list[gap->row].label.text, '.')) return 0;
    text_set(sentence, sizeof sentence,
             "%sno start was found that closes all loops: ", diagnostics_in_mode(y, where, sizeof where));
    say_gap(y, gap, sentence, sizeof sentence);
    source_hint(
        diagnostics_at(messages, constraint->list[gap->row].where, SOURCE_ERROR, sentence),
        "Check its lengths, its axes and what `init` fixes, or give guesses near where it is closed.");
    return 1;
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
                        diagnostics_in_mode(y, where, sizeof where), y->unknowns, diagnostics_s(y->unknowns),
                        y->equations, diagnostics_s(y->equations));
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
        diagnostics_describe(y, equivalent->equation, label, sizeof label);
        diagnostics_equations(y, equivalents, list, others, sizeof others);
        if (y->equations != y->unknowns)
            text_set(counted, sizeof counted, " (%d unknown%s, %d equation%s)", y->unknowns,
                     diagnostics_s(y->unknowns), y->equations, diagnostics_s(y->equations));
        int motion = y->origin[equivalent->equation].kind == SYSTEM_MOTION;
        if (equivalents && nearly(equivalent))
            text_set(sentence, sizeof sentence,
                     "%s%s cannot be told from %s%s: their coefficients agree to %.0e.",
                     diagnostics_in_mode(y, where, sizeof where), label, others, counted, equivalent->apart);
        else if (equivalents)
            text_set(sentence, sizeof sentence, "%s%s cannot hold beside %s%s: they contradict each other.",
                     diagnostics_in_mode(y, where, sizeof where), label, others, counted);
        else if (motion)
            text_set(sentence, sizeof sentence,
                     "%s%s can never hold: a force acts, and nothing there has mass.",
                     diagnostics_in_mode(y, where, sizeof where), label);
        else
            text_set(sentence, sizeof sentence, "%s%s can never hold%s: its unknowns cancel.",
                     diagnostics_in_mode(y, where, sizeof where), label, counted);
        source_hint(
            diagnostics_at(messages, at, SOURCE_ERROR, sentence), "%s",
            equivalents && nearly(equivalent) ? nearly_hint
            : motion && !equivalents
                ? "Give it kinetic energy in the lagrangian."
                : remedy(y, equivalent->equation,
                         equivalents ? "Take one of them away, or put other numbers in." : "Take it away."));
    }
    free(list);
}

static void degenerate(const struct system *y, struct source_messages *messages) {
    const struct structure *s = &y->s;
    char where[120], lines[300];
    struct syntax_span at = {SOURCE_NOWHERE, 0};
    diagnostics_equations(y, s->culprits, s->culprit, lines, sizeof lines);
    diagnostics_capital(lines);
    if (s->culprits) at = y->origin[s->culprit[0]].where;
    struct source_message *one = source_diagnose(
        messages, SOURCE_ERROR, at.length ? at.offset : SOURCE_NOWHERE, at.length,
        "%sthe highest derivatives are not determined. %s depend on each other wherever one looks.",
        diagnostics_in_mode(y, where, sizeof where), lines);
    int branches = 0;
    for (int k = 0; k < s->culprits; k++) branches |= surface_found(&y->m->graph, y->equation[s->culprit[k]]);
    if (branches)
        source_hint(one,
                    "A branch that changes the index of the equations may be the reason: write two modes "
                    "instead, each with its own equation.");
    else source_hint(one, "Write these equations so that each says something of its own.");
}

static void obstacle(const struct system *y, struct source_messages *messages) {
    static const char *const times[] = {"", "", "twice ", "three times "};
    const struct structure *s = &y->s;
    int i = s->culprits ? s->culprit[0] : 0, order = 0;
    char label[220], what[260];
    for (int k = 0; k < s->n; k++)
        if (s->row[k] == i) order = s->c[k];
    diagnostics_describe(y, i, label, sizeof label);
    text_set(what, sizeof what, "%s, index %d", label, s->index);
    diagnostics_nonsmooth_at(y, messages, y->origin[i].where, times[order < 4 ? order : 0], what,
                             s->obstacle);
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
