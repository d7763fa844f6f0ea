/* diagnostics_words.c - see diagnostics_words.h. */
#include "model/diagnostics_words.h"

#include "base/text.h"

#include <string.h>

static const char *between(int k, int count, const char *last) {
    return k == 0 ? "" : k == count - 1 ? last : ", ";
}

void diagnostics_unknowns(const struct system *y, int count, const int *unknown, const char *last, char *out,
                          size_t capacity) {
    char name[120];
    int told = count > DIAGNOSTICS_TOLD ? DIAGNOSTICS_TOLD : count;
    out[0] = '\0';
    for (int k = 0; k < told; k++) {
        model_name(y->m, y->unknown[unknown[k]], name, sizeof name);
        text_add(out, capacity, "%s`%s`", between(k, count, last), name);
    }
    if (told < count) text_add(out, capacity, ", ... (%d in all)", count);
}

/* What is joined where this is a balance. */
static void add_parts(const struct system *y, const struct system_origin *o, char *out, size_t capacity) {
    const char *parts =
        o->kind == SYSTEM_EQUATION ? y->m->mode[y->mode].equation.list[o->number].parts : NULL;
    if (parts) text_add(out, capacity, " (%s)", parts);
}

void diagnostics_describe(const struct system *y, int i, char *out, size_t capacity) {
    const struct system_origin *o = &y->origin[i];
    char label[200];
    system_label(y, i, 0, label, sizeof label);
    if (o->kind == SYSTEM_CONSTRAINT || o->kind == SYSTEM_ROLLING)
        text_set(out, capacity, "constraint `%s`", label);
    else text_set(out, capacity, "%s%s", o->kind == SYSTEM_EQUATION ? "" : "the ", label);
    add_parts(y, o, out, capacity);
}

void diagnostics_equations(const struct system *y, int count, const int *equation, char *out,
                           size_t capacity) {
    char label[220];
    const char *name[DIAGNOSTICS_TOLD] = {0};
    char kept[DIAGNOSTICS_TOLD][220];
    int names = 0, more = 0, plain = 1;
    for (int k = 0; k < count; k++) {
        const struct system_origin *o = &y->origin[equation[k]];
        if (o->kind == SYSTEM_EQUATION) {
            text_set(label, sizeof label, "%d%s%s", system_line(y, o->where), o->place[0] ? " " : "",
                     o->place);
            add_parts(y, o, label, sizeof label);
        } else diagnostics_describe(y, equation[k], label, sizeof label);
        int known = 0;
        for (int j = 0; j < names; j++) known |= strcmp(name[j], label) == 0;
        if (known) continue;
        if (names == DIAGNOSTICS_TOLD) {
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

const char *diagnostics_in_mode(const struct system *y, char *out, size_t capacity) {
    const char *name = y->m->mode[y->mode].name;
    out[0] = '\0';
    if (name) text_set(out, capacity, "in mode `%.60s`: ", name);
    return out;
}

const char *diagnostics_s(int count) {
    return count == 1 ? "" : "s";
}

void diagnostics_capital(char *text) {
    if (text[0] >= 'a' && text[0] <= 'z') text[0] = (char)(text[0] - 'a' + 'A');
}

struct source_message *diagnostics_at(struct source_messages *messages, struct syntax_span at,
                                      enum source_severity severity, const char *sentence) {
    return source_diagnose(messages, severity, at.length ? at.offset : SOURCE_NOWHERE, at.length, "%s",
                           sentence);
}
