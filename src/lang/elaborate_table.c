/* elaborate_table.c - tables from their files, or from the rows that the text carries; as functions. */
#include "lang/elaborate_private.h"

#include "base/text.h"
#include "lang/table_pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct wanted {
    struct table_column argument, value;
    enum table_by by;
    enum table_outside outside;
};

/* The number of a word in a list that ends with NULL; -1 after a message. */
static int choice(struct elaborate *e, const struct syntax_item *item, const char *const *words) {
    char list[120] = "";
    for (int k = 0; words[k]; k++) {
        if (strcmp(words[k], item->value->text) == 0) return k;
        text_add(list, sizeof list, "%s%s", k ? ", " : "", words[k]);
    }
    source_hint(
        elaborate_error(e, item->value->span, "`%s = %.40s` is not known.", item->name, item->value->text),
        "There are %s.", list);
    return -1;
}

static int column(struct elaborate *e, const struct syntax_item *item, struct table_column *out) {
    if (item->value->kind == SYNTAX_STRING) {
        out->name = item->value->text;
        return 1;
    }
    double number = item->value->kind == SYNTAX_NUMBER ? item->value->value : 0;
    out->number = number >= 1 && number <= 1e6 && number == floor(number) ? (int)number : 0;
    if (out->number) return 1;
    elaborate_error(e, item->value->span, "a column is named in quotes, or counted from 1 on.");
    return 0;
}

static int settings(struct elaborate *e, const struct syntax_statement *s, struct wanted *out) {
    static const char *const by[] = {"hold", "linear", "pchip", "spline", "mean", NULL}, *const outside[] = {
                                                                                             "error", "hold",
                                                                                             "repeat", NULL};
    int good = 1, number;
    *out = (struct wanted){.by = TABLE_BY_LINEAR};
    for (const struct syntax_item *item = s->items; item; item = item->next) {
        if (strcmp(item->name, "column") == 0) good &= column(e, item, &out->value);
        else if (strcmp(item->name, "argument") == 0) good &= column(e, item, &out->argument);
        else {
            int is_by = strcmp(item->name, "by") == 0;
            number = choice(e, item, is_by ? by : outside);
            good &= number >= 0;
            if (number >= 0 && is_by) out->by = (enum table_by)number;
            else if (number >= 0) out->outside = (enum table_outside)number;
        }
    }
    return good;
}

/* The rows of a block of the text, one after the other. */
static const char *joined(struct elaborate *e, const struct syntax_statement *block, size_t *length) {
    size_t total = 0, used = 0;
    for (const struct syntax_item *row = block->items; row; row = row->next)
        total += strlen(row->value->text) + 1;
    char *text = elaborate_take(e, total + 1);
    for (const struct syntax_item *row = block->items; row && text; row = row->next) {
        size_t count = strlen(row->value->text);
        memcpy(text + used, row->value->text, count);
        text[used + count] = '\n';
        used += count + 1;
    }
    *length = total;
    return text;
}

static const char *text_of(struct elaborate *e, const struct syntax_file *file,
                           const struct syntax_statement *s, size_t *length) {
    for (int i = 0; e->request && i < e->request->files; i++)
        if (strcmp(e->request->file[i].name, s->left->text) == 0) {
            *length = e->request->file[i].length;
            return e->request->file[i].text;
        }
    for (const struct syntax_statement *block = file->statements; block; block = block->next)
        if (block->kind == SYNTAX_TABLE && !block->name && strcmp(block->left->text, s->left->text) == 0)
            return joined(e, block, length);
    elaborate_error(e, s->left->span, "the rows of `%.60s` are not at hand.", s->left->text);
    return NULL;
}

/* The numbers of one table; NULL after a message. */
static const double *build(struct elaborate *e, const struct syntax_file *file,
                           const struct syntax_statement *s) {
    struct wanted w;
    struct table_rows rows = {0};
    char why[240] = "";
    size_t length = 0;
    if (!settings(e, s, &w)) return NULL;
    const char *text = text_of(e, file, s, &length);
    if (!text) return NULL;
    int good =
        table_rows_read(text, length, w.argument, w.value, w.by == TABLE_BY_MEAN, &rows, why, sizeof why);
    double *out = good > 0 ? elaborate_take(e, table_pieces_size(rows.count) * sizeof *out) : NULL;
    if (out) good = table_pieces(&rows, w.by, w.outside, out, why, sizeof why);
    free(rows.x);
    if (good < 0) elaborate_out_of_memory(e);
    if (good == 0)
        elaborate_error(e, s->left->span, strncmp(why, "line", 4) == 0 ? "`%.60s`, %s." : "`%.60s` %s.",
                        s->left->text, why);
    return good > 0 ? out : NULL;
}

void elaborate_tables(struct elaborate *e, const struct syntax_file *file) {
    struct model *m = e->model;
    size_t count = (size_t)m->tables;
    if (count == 0) return;
    const double **data = elaborate_take(e, count * sizeof *data);
    const char **name = elaborate_take(e, count * sizeof *name);
    m->table = elaborate_take(e, count * sizeof *m->table);
    if (!data || !name || !m->table) return;
    static const double empty[3 * TABLE_ROW] = {1, 0, 0, 1, TABLE_SMOOTHEST, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0};
    for (const struct syntax_statement *s = file->statements; s; s = s->next) {
        struct elaborate_name *own = s->kind == SYNTAX_TABLE && s->name ? elaborate_find(e, s->name) : NULL;
        if (!own || own->kind != ELABORATE_TABLE || own->where.offset != s->name_span.offset) continue;
        m->table[own->number] = (struct model_table){s->name, s->name_span};
        name[own->number] = s->name;
        data[own->number] = build(e, file, s);
        if (!data[own->number]) data[own->number] = empty; /* told; the rest is looked at all the same */
    }
    e->graph->rows = data;
    e->graph->table_name = name;
    e->graph->tables = m->tables;
}

int elaborate_look(struct elaborate *e, const struct elaborate_name *name, const struct syntax_node *node,
                   const struct elaborate_value *a, struct elaborate_value *out) {
    char shape[80];
    elaborate_shape_text(&a[0].shape, shape, sizeof shape);
    if (node->count != 1 || a[0].shape.rank) {
        elaborate_error(e, node->span, "the table `%.40s` is looked up at one number, not at %s.", node->text,
                        node->count != 1 ? "several" : shape);
        return 0;
    }
    *out = elaborate_scalar(table_look(e->graph, a[0].one, name->number, 0));
    return out->one != EXPR_NONE || elaborate_out_of_memory(e);
}
