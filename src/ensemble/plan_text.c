/* plan_text.c - what people write: grids, lists, distributions, tables. */
#include "base/text.h"
#include "ensemble/plan.h"
#include "base/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER = 300, MOST_LISTED = 10000000 };

/* The length up to one of `marks` that stands in no brackets. */
static size_t part_length(const char *text, const char *marks) {
    size_t at = 0;
    for (int depth = 0; text[at]; at++) {
        if (strchr("([", text[at])) depth++;
        if (strchr(")]", text[at])) depth--;
        if (depth <= 0 && strchr(marks, text[at])) break;
    }
    return at;
}

/* An expression of the model's parameters. */
static keel_status take_number(struct keel_plan *p, const char *text, size_t length, double *value) {
    char one[NUMBER];
    for (; length && (*text == ' ' || *text == '\t'); length--) text++;
    if (length >= sizeof one) return plan_fail(p, KEEL_EINVAL, "`%.40s...` is too long for a number", text);
    text_set(one, sizeof one, "%.*s", (int)length, text);
    if (keel_model_number(p->model, one, value)) return KEEL_OK;
    if (keel_model_status(p->model) == KEEL_ENOMEM) return plan_no_memory(p);
    return plan_fail(p, KEEL_EINVAL, "%s", keel_model_refusal(p->model));
}

/* "name = what": where the second part begins; NULL: the plan has failed. */
static const char *split(struct keel_plan *p, const char *text, const char *example, struct plan_value **v) {
    size_t length = strcspn(text, "=");
    const char *rest = text + length + (text[length] == '=');
    rest += strspn(rest, " \t");
    if (text[length] != '=' || strspn(text, " \t") == length || *rest == '\0') {
        plan_fail(p, KEEL_EINVAL, "`%.80s`: write it as  %s", text, example);
        return NULL;
    }
    *v = plan_add(p, text, length);
    return *v ? rest : NULL;
}

/* Grids and lists --------------------------------------------------------------------------------------- */

/* "1:20:200" */
static keel_status take_grid(struct keel_plan *p, struct plan_value *v, const char *text) {
    double number[3];
    const char *at = text;
    for (int k = 0; k < 3; k++) {
        size_t length = part_length(at, ":");
        if ((k < 2) != (at[length] == ':'))
            return plan_fail(p, KEEL_EINVAL, "`%.80s`: a grid is  from:to:count, as in 1:20:200", text);
        if (take_number(p, at, length, &number[k]) != KEEL_OK) return p->status;
        at += length + (k < 2);
    }
    if (!(number[2] >= 1 && number[2] <= 1e15 && number[2] == floor(number[2])))
        return plan_fail(p, KEEL_EINVAL, "`%.80s`: the count of a grid is a whole number from 1 on, not %g",
                         text, number[2]);
    v->from = number[0];
    v->to = number[1];
    v->length = (int64_t)number[2];
    return KEEL_OK;
}

/* "0.5, 1, 2" */
static keel_status take_list(struct keel_plan *p, struct plan_value *v, const char *text) {
    int64_t capacity = 0;
    for (const char *at = text;; at++) {
        size_t length = part_length(at, ",");
        if (v->length == capacity) {
            capacity = capacity ? 2 * capacity : 16;
            double *wider =
                capacity > MOST_LISTED ? NULL : realloc(v->list, (size_t)capacity * sizeof *wider);
            if (!wider) return plan_no_memory(p);
            v->list = wider;
        }
        if (take_number(p, at, length, &v->list[v->length]) != KEEL_OK) return p->status;
        v->length++;
        at += length;
        if (*at == '\0') return KEEL_OK;
    }
}

keel_status keel_plan_over(keel_plan *p, const char *text) {
    struct plan_value *v;
    if (!p || !text) return KEEL_EINVAL;
    if (p->status < 0) return p->status;
    const char *what = split(p, text, "name=from:to:count  or  name=v1,v2,v3", &v);
    if (!what) return p->status;
    v->source = PLAN_OVER;
    return what[part_length(what, ":")] == ':' ? take_grid(p, v, what) : take_list(p, v, what);
}

/* Distributions ----------------------------------------------------------------------------------------- */

keel_status keel_plan_draw(keel_plan *p, const char *text) {
    struct plan_value *v;
    char why[200];
    if (!p || !text) return KEEL_EINVAL;
    if (p->status < 0) return p->status;
    const char *what = split(p, text, "name=uniform(a,b)", &v);
    if (!what) return p->status;
    size_t length = strcspn(what, " ("), tail = strlen(what);
    while (tail && what[tail - 1] == ' ') tail--;
    int kind = draw_find(what, length);
    const char *first = what + length + strspn(what + length, " ");
    if (kind < 0 || *first != '(' || what[tail - 1] != ')')
        return plan_fail(p, KEEL_EINVAL, "`%.80s`: a distribution is %s", what, draw_names());
    first++;
    size_t inside = (size_t)(what + tail - 1 - first), comma = part_length(first, ",");
    if (comma >= inside || comma + 1 + part_length(first + comma + 1, ",)") != inside)
        return plan_fail(p, KEEL_EINVAL, "`%.80s` has two numbers: %s", what, draw_names());
    v->source = PLAN_DRAWN;
    v->draw.kind = (enum draw_kind)kind;
    if (take_number(p, first, comma, &v->draw.a) != KEEL_OK ||
        take_number(p, first + comma + 1, inside - comma - 1, &v->draw.b) != KEEL_OK)
        return p->status;
    if (draw_check(&v->draw, why, sizeof why)) return plan_fail(p, KEEL_EINVAL, "`%.80s`: %s", text, why);
    return KEEL_OK;
}

/* Tables ------------------------------------------------------------------------------------------------ */

static keel_status take_columns(struct keel_plan *p, const struct table *t) {
    for (int i = 0; i < p->values; i++)
        if (p->value[i].source == PLAN_TABLE) return plan_fail(p, KEEL_EINVAL, "there is a table already");
    for (int i = 0; i < t->columns; i++) {
        struct plan_value *v = plan_add(p, t->name[i], strlen(t->name[i]));
        if (!v) return p->status;
        v->source = PLAN_TABLE;
        v->length = t->rows;
        v->list = malloc((size_t)t->rows * sizeof *v->list);
        if (!v->list) return plan_no_memory(p);
        for (int64_t k = 0; k < t->rows; k++)
            v->list[k] = t->value[(size_t)k * (size_t)t->columns + (size_t)i];
    }
    return KEEL_OK;
}

keel_status keel_plan_table(keel_plan *p, const char *name, const char *text, size_t length) {
    struct table t;
    char why[TEXT_SENTENCE];
    if (!p || !text) return KEEL_EINVAL;
    if (p->status < 0) return p->status;
    enum table_status status = table_read(&t, text, length, 0, why, sizeof why);
    if (status == TABLE_READ) take_columns(p, &t);
    else if (status == TABLE_WRONG)
        plan_fail(p, KEEL_EINVAL, "%.200s, %.400s", name ? name : "the table", why);
    else plan_no_memory(p);
    table_close(&t);
    return p->status;
}

keel_status keel_plan_columns(keel_plan *p, int columns, const char *const *name, int64_t rows,
                              const double *value) {
    if (!p || columns < 1 || rows < 1 || !name || !value) return KEEL_EINVAL;
    if (p->status < 0) return p->status;
    for (int64_t k = 0; k < rows * columns; k++)
        if (!isfinite(value[k]))
            return plan_fail(p, KEEL_EINVAL, "row %lld of the table: the value of `%.80s` is not finite",
                             (long long)(k / columns), name[k % columns]);
    struct table t = {.columns = columns,
                      .name = (char **)(uintptr_t)name,
                      .rows = rows,
                      .value = (double *)(uintptr_t)value};
    return take_columns(p, &t);
}
