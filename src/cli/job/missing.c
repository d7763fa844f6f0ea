/* missing.c - see missing.h. */
#include "cli/job/missing.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TOLD = 6 }; /* in a certificate */

int missing_open(struct missing *m, size_t quantities) {
    *m = (struct missing){.last = NAN};
    m->one = malloc((quantities + 1) * sizeof *m->one);
    m->place = calloc(quantities + 1, sizeof *m->place);
    return m->one && m->place ? 0 : -1;
}

void missing_close(struct missing *m) {
    free(m->one);
    free(m->place);
    *m = (struct missing){0};
}

struct missing_one *missing_note(struct missing *m, size_t quantity, enum missing_kind kind, const char *name,
                                 double value, double t) {
    int met = m->place[quantity];
    struct missing_one *one = &m->one[met ? met - 1 : m->count];
    if (met) {
        one->rows++;
        return NULL;
    }
    m->place[quantity] = ++m->count;
    *one = (struct missing_one){kind, name, isinf(value) != 0, 1, m->last, t, NAN};
    return one;
}

void missing_row_ends(struct missing *m, double t) {
    m->rows++;
    m->last = t;
}

/* "in 2 of 6 rows, first at t = 1.609437912" */
static void describe(const struct missing *m, const struct missing_one *one, char *out, size_t capacity) {
    text_set(out, capacity, "in %ld of %ld row%s", one->rows, m->rows, m->rows == 1 ? "" : "s");
    if (isnan(one->before)) text_add(out, capacity, ", from the start on");
    else if (!isnan(one->at)) text_add(out, capacity, ", first at t = %.10g", one->at);
    else text_add(out, capacity, ", first between t = %.10g and %.10g", one->before, one->first);
}

static const char *what(const struct missing_one *one) {
    static const char *const word[] = {"", "the drift of ", "the exact solution for "};
    return word[one->kind];
}

void missing_sentence(const struct missing *m, char *out, size_t capacity) {
    out[0] = '\0';
    for (int i = 0; i < m->count && i < TOLD / 2; i++) {
        char where[160];
        describe(m, &m->one[i], where, sizeof where);
        text_add(out, capacity, "%s%s`%.60s` %s %s", i ? "; " : "", what(&m->one[i]), m->one[i].name,
                 m->one[i].infinite ? "is infinite" : "has no value", where);
    }
    if (m->count > TOLD / 2) text_add(out, capacity, "; and %d more", m->count - TOLD / 2);
}

void missing_text(const struct missing *m, FILE *out) {
    for (int i = 0; m && i < m->count && i < TOLD; i++) {
        char where[160];
        describe(m, &m->one[i], where, sizeof where);
        fprintf(out, "  %-10s %s%s: %s%s\n", i ? "" : "no value", what(&m->one[i]), m->one[i].name,
                m->one[i].infinite ? "infinite " : "", where);
    }
    if (m && m->count > TOLD) fprintf(out, "  %-10s and %d more\n", "", m->count - TOLD);
}

void missing_json(const struct missing *m, struct json *json) {
    static const char *const kind[] = {"column", "drift", "exact"};
    json_array(json, "no_value");
    for (int i = 0; m && i < m->count; i++) {
        const struct missing_one *one = &m->one[i];
        json_object(json, NULL);
        json_text(json, "name", one->name);
        json_text(json, "kind", kind[one->kind]);
        json_truth(json, "infinite", one->infinite);
        json_integer(json, "rows", one->rows);
        json_integer(json, "of", m->rows);
        json_number(json, "t", one->at);
        json_number(json, "last_with", one->before);
        json_number(json, "first_without", one->first);
        json_end_object(json);
    }
    json_end_array(json);
}
