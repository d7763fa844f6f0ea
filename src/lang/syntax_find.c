/* syntax_find.c - see syntax_find.h. */
#include "lang/syntax_find.h"

#include <string.h>

enum { MOST = 64 }; /* lets that are looked into, each once: lets of lets can be as many as 2^n */

struct search {
    const struct syntax_file *file;
    const char *function;
    struct syntax_span found;
    const struct syntax_item *seen[MOST];
    int count;
};

static int in_node(struct search *s, const struct syntax_node *node);

static int is_new(struct search *s, const struct syntax_item *let) {
    for (int k = 0; k < s->count; k++)
        if (s->seen[k] == let) return 0;
    if (s->count == MOST) return 0;
    s->seen[s->count++] = let;
    return 1;
}

/* The definitions of a name by `let`, in all blocks. */
static int in_lets(struct search *s, const struct syntax_statement *list, const char *name) {
    for (; list; list = list->next) {
        if (in_lets(s, list->body, name)) return 1;
        for (const struct syntax_item *i = list->items; i && list->kind == SYNTAX_LET; i = i->next)
            if (strcmp(i->name, name) == 0 && is_new(s, i) && in_node(s, i->value)) return 1;
    }
    return 0;
}

/* Calls as they are written first, then what names stand for. */
static int written(struct search *s, const struct syntax_node *node) {
    if (!node) return 0;
    if ((node->kind == SYNTAX_CALL && strcmp(node->text, s->function) == 0) ||
        (node->kind == SYNTAX_IF && strcmp("if", s->function) == 0)) {
        s->found = node->span;
        return 1;
    }
    for (const struct syntax_node *part = node->parts; part; part = part->next)
        if (written(s, part)) return 1;
    return 0;
}

static int meant(struct search *s, const struct syntax_node *node) {
    if (!node) return 0;
    int named = node->kind == SYNTAX_REF || (node->kind == SYNTAX_CALL && !node->builtin);
    if (named && in_lets(s, s->file->statements, node->text)) return 1;
    for (const struct syntax_node *part = node->parts; part; part = part->next)
        if (meant(s, part)) return 1;
    return 0;
}

static int in_node(struct search *s, const struct syntax_node *node) {
    return written(s, node) || meant(s, node);
}

static int in_statement(struct search *s, const struct syntax_statement *one) {
    if (in_node(s, one->left) || in_node(s, one->right)) return 1;
    for (const struct syntax_item *i = one->items; i; i = i->next)
        if (in_node(s, i->value)) return 1;
    return 0;
}

static const struct syntax_statement *around(const struct syntax_statement *list, uint32_t offset) {
    for (; list; list = list->next) {
        const struct syntax_statement *inner = around(list->body, offset);
        if (inner) return inner;
        if (!list->body && offset >= list->span.offset && offset < list->span.offset + list->span.length)
            return list;
    }
    return NULL;
}

struct syntax_span syntax_find_call(const struct syntax_file *file, struct syntax_span where,
                                    const char *function) {
    struct search s = {.file = file, .function = function, .found = where};
    const struct syntax_statement *one = around(file->statements, where.offset);
    if (one) in_statement(&s, one);
    return s.found;
}

static int gives(const struct syntax_statement *one, const char *name) {
    if (!name) return 1;
    for (const struct syntax_item *i = one->items; i; i = i->next) {
        const char *given = i->name ? i->name : i->target ? i->target->text : NULL;
        if (given && strcmp(given, name) == 0) return 1;
    }
    return 0;
}

static struct syntax_span first(const struct syntax_statement *list, enum syntax_statement_kind kind,
                                const char *name) {
    struct syntax_span found = {0, 0};
    for (; list && !found.length; list = list->next) {
        if (list->body) found = first(list->body, kind, name);
        else if (list->kind == kind && gives(list, name)) found = list->span;
    }
    return found;
}

struct syntax_span syntax_find_statement(const struct syntax_file *file, enum syntax_statement_kind kind,
                                         const char *name) {
    return first(file->statements, kind, name);
}
