/* complaint.c - see complaint.h. */
#include "model/complaint.h"

#include "base/text.h"
#include "lang/expr_print.h"

#include <stdio.h>
#include <string.h>

enum { TOLD = 6 }; /* names in one list */

int complaint_memory(struct source_messages *messages) {
    source_say(messages, SOURCE_ERROR, SOURCE_NOWHERE, 0, "there is not enough memory for this model.");
    return 0;
}

static void print_name(void *model, expr symbol, char *out, size_t room) {
    model_name(model, symbol, out, room);
}

void complaint_print(const struct system *y, expr e, char *out, size_t room) {
    expr_print(&y->m->graph, e, print_name, y->m, out, room);
}

static const char *between(int k, int count, const char *last) {
    return k == 0 ? "" : k == count - 1 ? last : ", ";
}

/* "`p`, `q` or `T`" */
static void list_unknowns(const struct system *y, int count, const int *unknown, const char *last, char *out,
                          size_t room) {
    char name[120];
    int told = count > TOLD ? TOLD : count;
    out[0] = '\0';
    for (int k = 0; k < told; k++) {
        model_name(y->m, y->unknown[unknown[k]], name, sizeof name);
        text_add(out, room, "%s`%s`", between(k, count, last), name);
    }
    if (told < count) text_add(out, room, ", ... (%d in all)", count);
}

/* "lines 6, 8 and 9", "constraint `rod`": equations that come from one line are named once. */
static void list_equations(const struct system *y, int count, const int *equation, char *out, size_t room) {
    char label[220];
    const char *name[TOLD] = {0};
    char kept[TOLD][220];
    int names = 0, more = 0, plain = 1;
    for (int k = 0; k < count; k++) {
        const struct system_origin *o = &y->origin[equation[k]];
        if (o->kind == SYSTEM_EQUATION) text_set(label, sizeof label, "%d", system_line(y, o->where));
        else system_label(y, equation[k], 0, label, sizeof label);
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
    text_set(out, room, "%s", plain ? names > 1 ? "lines " : "line " : "");
    for (int j = 0; j < names; j++) {
        int number = name[j][0] >= '0' && name[j][0] <= '9';
        text_add(out, room, "%s%s%s", between(j, more ? names + 1 : names, " and "),
                 number && !plain ? "line " : "", name[j]);
    }
    if (more) text_add(out, room, " and %d more", more);
}

static const char *in_mode(const struct system *y, char *out, size_t room) {
    const char *name = y->m->mode[y->mode].name;
    out[0] = '\0';
    if (name) text_set(out, room, "in mode `%.60s`: ", name);
    return out;
}

static void capital(char *text) {
    if (text[0] >= 'a' && text[0] <= 'z') text[0] = (char)(text[0] - 'a' + 'A');
}

/* No unknown is left for some equation, or no equation for some unknown. */
static void singular(const struct system *y, struct source_messages *messages) {
    const struct structure *s = &y->s;
    char where[120], unknowns[300], lines[300];
    in_mode(y, where, sizeof where);
    if (s->under.unknowns) {
        list_unknowns(y, s->under.unknowns, s->under.unknown, " or ", unknowns, sizeof unknowns);
        list_equations(y, s->under.equations, s->under.equation, lines, sizeof lines);
        struct source_message *one =
            source_say(messages, SOURCE_ERROR, SOURCE_NOWHERE, 0,
                       "%s%d unknowns, %d equations. Nothing determines %s%s%s%s.", where, y->unknowns,
                       y->equations, unknowns, s->under.equations ? " (they occur only in " : "",
                       s->under.equations ? lines : "", s->under.equations ? ")" : "");
        source_hint(one, "Add an equation, or make one a `param`.");
    }
    if (s->over.equations) {
        list_unknowns(y, s->over.unknowns, s->over.unknown, " and ", unknowns, sizeof unknowns);
        list_equations(y, s->over.equations, s->over.equation, lines, sizeof lines);
        capital(lines);
        int surplus = s->over.equations - s->over.unknowns;
        struct source_message *one = source_say(
            messages, SOURCE_ERROR, SOURCE_NOWHERE, 0,
            "%s%d unknowns, %d equations. %s determine%s only %s: %s.", where, y->unknowns, y->equations,
            lines, s->over.equations > 1 ? "" : "s", s->over.unknowns ? unknowns : "nothing",
            surplus == 1 ? "one is too many" : "some are too many");
        source_hint(one, "Take one away, or declare what it was to determine with `var`.");
    }
    if (!s->under.unknowns && !s->over.equations)
        source_say(messages, SOURCE_ERROR, SOURCE_NOWHERE, 0,
                   "%s%d unknowns, %d equations: they do not fit together.", where, y->unknowns,
                   y->equations);
}

static void contradiction(const struct system *y, struct source_messages *messages) {
    const struct structure *s = &y->s;
    for (int k = 0; k < s->redundants; k++) {
        const struct structure_twin *twin = &s->redundant[k];
        char label[220], others[300];
        if (!twin->contradicts) continue;
        system_label(y, twin->equation, 0, label, sizeof label);
        list_equations(y, twin->twins, twin->twin, others, sizeof others);
        struct syntax_span at = y->origin[twin->equation].where;
        struct source_message *one =
            twin->twins
                ? source_say(messages, SOURCE_ERROR, at.offset, at.length,
                             "`%s` cannot hold beside %s: wherever the one holds the other is off.", label,
                             others)
                : source_say(messages, SOURCE_ERROR, at.offset, at.length,
                             "this can never hold: nothing unknown is left in it, and it is not zero.");
        source_hint(one, "Take one of them away, or put another number in.");
    }
}

static void degenerate(const struct system *y, struct source_messages *messages) {
    const struct structure *s = &y->s;
    char where[120], lines[300];
    struct syntax_span at = {SOURCE_NOWHERE, 0};
    list_equations(y, s->culprits, s->culprit, lines, sizeof lines);
    if (s->culprits) at = y->origin[s->culprit[0]].where;
    struct source_message *one =
        source_say(messages, SOURCE_ERROR, at.length ? at.offset : SOURCE_NOWHERE, at.length,
                   "%sthe highest derivatives are not determined: %s are dependent wherever one looks.",
                   in_mode(y, where, sizeof where), lines);
    source_hint(one, "Write these equations so that each says something of its own.");
}

int complaint_kink(const struct system *y, struct source_messages *messages, struct syntax_span where,
                   const char *what, expr obstacle) {
    char text[120];
    complaint_print(y, obstacle, text, sizeof text);
    struct source_message *one =
        source_say(messages, SOURCE_ERROR, where.offset, where.length,
                   "`%s` must be differentiated here (%s), and has a kink.", text, what);
    source_hint(one, "Write two modes, one for each side of the kink, with an event between them.");
    return 0;
}

static void obstacle(const struct system *y, struct source_messages *messages) {
    static const char *const times[] = {"", "once ", "twice ", "three times "};
    const struct structure *s = &y->s;
    int i = s->culprits ? s->culprit[0] : 0, order = 0;
    struct syntax_span at = y->origin[i].where;
    char text[120], label[220];
    for (int k = 0; k < s->n; k++)
        if (s->row[k] == i) order = s->c[k];
    complaint_print(y, s->obstacle, text, sizeof text);
    system_label(y, i, 0, label, sizeof label);
    struct source_message *one =
        source_say(messages, SOURCE_ERROR, at.offset, at.length,
                   "`%s` must be differentiated %shere (%s%s%s, index %d), and has a kink.", text,
                   times[order < 4 ? order : 0], y->origin[i].kind == SYSTEM_CONSTRAINT ? "constraint `" : "",
                   label, y->origin[i].kind == SYSTEM_CONSTRAINT ? "`" : "", s->index);
    source_hint(one, "Write two modes, one for each side of the kink, with an event between them.");
}

int complaint_structure(const struct system *y, struct source_messages *messages) {
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
        complaint_memory(messages);
        break;
    }
    return 0;
}

int complaint_redundant(const struct system *y, struct source_messages *messages,
                        const struct structure_twin *twin) {
    char label[220], others[300];
    struct syntax_span at = y->origin[twin->equation].where;
    system_label(y, twin->equation, 0, label, sizeof label);
    list_equations(y, twin->twins, twin->twin, others, sizeof others);
    struct source_message *one =
        source_say(messages, SOURCE_WARNING, at.offset, at.length,
                   "constraint `%s` is redundant: it follows from %s.", label, others);
    source_hint(one, "The motion is the same without it; its multiplier is a matter of choice.");
    return 0;
}

int complaint_no_value(const struct system *y, struct source_messages *messages, struct syntax_span where,
                       const char *what, expr symbol) {
    char name[200];
    model_name(y->m, symbol, name, sizeof name);
    struct source_message *one = source_say(messages, SOURCE_ERROR, where.offset, where.length,
                                            "%s uses `%s`, which is no state here.", what, name);
    source_hint(one, "Write it with the values that are given at the start; or make it an `output`.");
    return 0;
}
