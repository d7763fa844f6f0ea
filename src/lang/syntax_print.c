/* syntax_print.c - a tree as text in canonical layout: one statement a line, blocks by four blanks, no
 * bracket that is not needed.  Printing runs twice, first to measure. */
#include "lang/syntax.h"

#include <string.h>

enum {
    WIDTH = 100
}; /* lines break after an operator or a comma beyond it, which the next line then continues */

struct page {
    char *out;         /* NULL: measuring */
    size_t used, line; /* line: where the current one began */
    int indent, whole; /* whole: lines must not break here */
};

/* Binding strength, weakest first, as in the grammar. */
enum { LOOSE, OR, AND, NOT, COMPARE, ARITH, TERM, SIGN, POWER, PRIMARY };

static void put(struct page *page, const char *text) {
    size_t length = strlen(text);
    if (page->out) memcpy(page->out + page->used, text, length);
    page->used += length;
}

static void put_line(struct page *page, int indent) {
    put(page, "\n");
    page->line = page->used;
    for (int i = 0; i < indent; i++) put(page, "    ");
}

/* A blank, or a new line where the present one is full. */
static void put_break(struct page *page, const char *blank) {
    size_t full = *blank ? WIDTH : 4 * WIDTH; /* rather not inside products */
    if (page->used - page->line < full || page->whole) put(page, blank);
    else put_line(page, page->indent + 1);
}

static void put_node(struct page *page, const struct syntax_node *e, int least);

static void put_list(struct page *page, const struct syntax_node *e) {
    for (; e; e = e->next) {
        put_node(page, e, LOOSE);
        if (!e->next) break;
        put(page, ",");
        put_break(page, " ");
    }
}

static int short_bound(const struct syntax_node *e) {
    return (e->kind == SYNTAX_NUMBER && e->text[0] != '.') || (e->kind == SYNTAX_REF && !e->parts);
}

/* 1..N, but i + 1 .. 2*N, and never three dots in a row. */
static void put_extent(struct page *page, const struct syntax_range *r) {
    put_node(page, r->low, LOOSE);
    put(page, short_bound(r->low) && short_bound(r->high) ? ".." : " .. ");
    put_node(page, r->high, LOOSE);
}

static void put_ranges(struct page *page, const struct syntax_range *r) {
    for (; r; r = r->next) {
        put(page, r->name);
        put(page, " in ");
        put_extent(page, r);
        if (r->filter) {
            put(page, " if ");
            put_node(page, r->filter, LOOSE);
        }
        if (!r->next) break;
        put(page, ",");
        put_break(page, " ");
    }
}

static int strength(const struct syntax_node *e) {
    switch (e->kind) {
    case SYNTAX_LOGIC:
        return e->op == SYNTAX_OR ? OR : e->op == SYNTAX_AND ? AND : NOT;
    case SYNTAX_COMPARE:
        return COMPARE;
    case SYNTAX_UNARY:
        return SIGN;
    case SYNTAX_BINARY:
        return e->op == SYNTAX_POW ? POWER : e->op == SYNTAX_MUL || e->op == SYNTAX_DIV ? TERM : ARITH;
    default:
        return PRIMARY;
    }
}

static void put_operation(struct page *page, const struct syntax_node *e) {
    int own = strength(e), tight = own == TERM || own == POWER;
    const char *blank = tight ? "" : " ";
    int left =
        own == COMPARE || own == POWER ? own + 1 : own; /* comparisons do not chain, ^ goes to the right */
    int right = own == POWER ? SIGN : own + 1;
    put_node(page, e->parts, left);
    put(page, blank);
    put(page, syntax_op_text(e->op));
    put_break(page, blank);
    put_node(page, e->parts->next, right);
}

static void put_ref(struct page *page, const struct syntax_node *e) {
    if (e->multiplier) put(page, "lambda.");
    put(page, e->text);
    for (const struct syntax_node *index = e->parts; index; index = index->next) {
        put(page, "[");
        put_node(page, index, LOOSE);
        put(page, "]");
    }
    for (int i = 0; i < e->primes; i++) put(page, "'");
    if (e->moment) put(page, e->moment == SYNTAX_ENTER ? ".enter" : ".start");
}

static void put_bracketed(struct page *page, const struct syntax_node *e) {
    if (e->kind == SYNTAX_CALL) put(page, e->text);
    if (e->kind == SYNTAX_IF) put(page, "if");
    if (e->kind == SYNTAX_SUM) put(page, "sum");
    put(page, "(");
    if (e->kind == SYNTAX_SUM) {
        put_ranges(page, e->ranges);
        put(page, ", ");
    }
    put_list(page, e->parts);
    if (e->kind == SYNTAX_ARRAY && !e->parts->next) put(page, ",");
    put(page, ")");
}

static void put_node(struct page *page, const struct syntax_node *e, int least) {
    int brackets = strength(e) < least;
    if (brackets) put(page, "(");
    switch (e->kind) {
    case SYNTAX_NUMBER:
        put(page, e->text);
        break;
    case SYNTAX_STRING:
        put(page, "\"");
        put(page, e->text);
        put(page, "\"");
        break;
    case SYNTAX_REF:
        put_ref(page, e);
        break;
    case SYNTAX_UNARY:
        put(page, syntax_op_text(e->op));
        put_node(page, e->parts, SIGN);
        break;
    case SYNTAX_LOGIC:
        if (e->op == SYNTAX_NOT) {
            put(page, "not ");
            put_node(page, e->parts, COMPARE);
            break;
        } /* fall through */
    case SYNTAX_BINARY:
    case SYNTAX_COMPARE:
        put_operation(page, e);
        break;
    default:
        put_bracketed(page, e);
        break;
    }
    if (brackets) put(page, ")");
}

static void put_bounds(struct page *page, const struct syntax_range *r) {
    for (; r; r = r->next) {
        put(page, "[");
        if (r->high) put_extent(page, r);
        else put_node(page, r->low, LOOSE);
        put(page, "]");
    }
}

/* {m, atol = 1e-12, atol' = 1e-9} */
static void put_settings(struct page *page, const struct syntax_unit *unit, const struct syntax_item *one) {
    if (!one && !unit) return;
    put(page, " {");
    if (unit) put_node(page, unit->node, LOOSE);
    if (unit && one) put(page, ", ");
    for (; one; one = one->next) {
        put(page, one->name);
        for (int k = 0; k < one->target->primes; k++) put(page, "'");
        put(page, " = ");
        put_node(page, one->value, LOOSE);
        if (one->next) put(page, ", ");
    }
    put(page, "}");
}

/* (1, b = 2) of `use`, (a, b = 1) of `part`: names, values or both. */
static void put_arguments(struct page *page, const struct syntax_item *one) {
    put(page, "(");
    for (; one; one = one->next) {
        if (one->name) put(page, one->name);
        if (one->name && one->value) put(page, " = ");
        if (one->value) put_node(page, one->value, LOOSE);
        put_settings(page, one->unit, NULL);
        if (one->next) put(page, ", ");
    }
    put(page, ")");
}

static void put_item(struct page *page, enum syntax_statement_kind kind, const struct syntax_item *item) {
    if (kind == SYNTAX_EVENT && item->action != SYNTAX_ASSIGN) {
        put(page, item->action == SYNTAX_RECORD ? "record" : item->action == SYNTAX_STOP ? "stop" : "mode ");
        if (item->target) put_node(page, item->target, LOOSE);
        return;
    }
    if (item->target) put_node(page, item->target, LOOSE);
    if (item->name) put(page, item->name);
    if (item->parameters) {
        put(page, "(");
        put_list(page, item->parameters);
        put(page, ")");
    }
    put_bounds(page, item->bounds);
    if (kind == SYNTAX_USE) put_arguments(page, item->settings);
    else if (kind != SYNTAX_CONTACT && !item->value) put_settings(page, item->unit, item->settings);
    if (!item->value) return;
    char words[1024];
    put(page, kind == SYNTAX_EVENT ? " := " : kind == SYNTAX_FORCE || kind == SYNTAX_FLOW ? ": " : " = ");
    if (kind == SYNTAX_OPTIONS && item->value->kind == SYNTAX_BINARY &&
        syntax_words(item->value, words, sizeof words))
        put(page, words); /* rk4+scale is a name, not a sum */
    else put_node(page, item->value, LOOSE);
    put_settings(page, item->unit, NULL);
}

/* A line may not break before a statement word, which would be taken for a new statement: option names may
 * be one, and `mode` as an action is let through. */
static int may_break(const struct syntax_item *item) {
    for (int kind = SYNTAX_MODEL; item && item->name && kind <= SYNTAX_FOR; kind++)
        if (strcmp(item->name, syntax_statement_word((enum syntax_statement_kind)kind)) == 0) return 0;
    return 1;
}

static void put_items(struct page *page, const struct syntax_statement *s) {
    for (const struct syntax_item *item = s->items; item; item = item->next) {
        put_item(page, s->kind, item);
        if (!item->next) break;
        put(page, ",");
        if (may_break(item->next)) put_break(page, " ");
        else put(page, " ");
    }
}

static void put_pair(struct page *page, const struct syntax_statement *s, const char *between) {
    put_node(page, s->left, LOOSE);
    put(page, between);
    put_node(page, s->right, LOOSE);
}

/* table load = "load.csv", by = linear; table "load.csv": with its rows. */
static void put_table(struct page *page, const struct syntax_statement *s) {
    put(page, "table ");
    if (s->name) put(page, s->name);
    if (s->name) put(page, " = ");
    put_node(page, s->left, LOOSE);
    if (!s->name) put(page, ":");
    for (const struct syntax_item *item = s->items; item; item = item->next) {
        put(page, s->name ? ", " : "\n    ");
        if (s->name) put(page, item->name);
        if (s->name) put(page, " = ");
        put_node(page, item->value, LOOSE);
    }
}

static void put_simple(struct page *page, const struct syntax_statement *s) {
    static const char *const before[] = {"", "", "", "every ", "at t = "};
    static const char *const behind[] = {" crossing -> ", " rising -> ", " falling -> ", " -> ", " -> "};
    if (s->kind == SYNTAX_LIBRARY && s->left) {
        put(page, "import ");
        put_node(page, s->left, LOOSE);
        return;
    }
    if (s->kind == SYNTAX_TABLE) {
        put_table(page, s);
        return;
    }
    if (s->kind != SYNTAX_EQUATION) {
        put(page, syntax_statement_word(s->kind));
        put(page, " ");
    }
    if (s->kind == SYNTAX_REFERENCE) {
        put(page, "t = ");
        put_node(page, s->left, LOOSE);
        put(page, ": ");
    }
    if (s->name) put(page, s->name);
    if (s->kind == SYNTAX_USE) put(page, " ");
    put_ranges(page, s->ranges);
    if (s->kind == SYNTAX_EVENT) {
        put_bounds(page, s->bounds);
        put(page, ": ");
        put(page, before[s->direction]);
        put_node(page, s->left, LOOSE);
        put(page, behind[s->direction]);
    }
    if (s->kind == SYNTAX_PART) put_arguments(page, s->items);
    else if (s->kind != SYNTAX_RUN) put_items(page, s);
    switch (s->kind) {
    case SYNTAX_EQUATION:
        put_pair(page, s, " = ");
        break;
    case SYNTAX_CONSTRAINT:
    case SYNTAX_ROLLING:
        put(page, ": ");
        put_pair(page, s, " = ");
        break;
    case SYNTAX_RUN:
        put_pair(page, s, " .. ");
        if (s->items) put_settings(page, s->items->unit, NULL);
        break;
    case SYNTAX_CONTACT:
        put(page, ": ");
        put_node(page, s->left, LOOSE);
        for (const struct syntax_item *one = s->items->settings; one; one = one->next) {
            put(page, ", ");
            put(page, one->name);
            put(page, " = ");
            put_node(page, one->value, LOOSE);
        }
        break;
    case SYNTAX_STRUCTURE:
        put(page, ": ");
        put_node(page, s->right, LOOSE);
        break;
    case SYNTAX_LAGRANGIAN:
    case SYNTAX_HAMILTONIAN:
        if (s->name) put(page, " = ");
        put_node(page, s->right, LOOSE);
        break;
    case SYNTAX_MODE:
        put_node(page, s->left, LOOSE);
        put(page, ":");
        break;
    case SYNTAX_FOR:
    case SYNTAX_PART:
        put(page, ":");
        break;
    case SYNTAX_LIBRARY:
        if (s->body) put(page, ":");
        break;
    default:
        break;
    }
}

static void put_statements(struct page *page, const struct syntax_statement *s, int indent) {
    for (; s; s = s->next) {
        page->line = page->used;
        page->indent = indent;
        for (int i = 0; i < indent; i++) put(page, "    ");
        put_simple(page, s);
        put(page, "\n");
        put_statements(page, s->body, indent + 1);
    }
}

char *syntax_print(const struct syntax_file *file, struct pool *pool) {
    struct page measure = {0};
    put_statements(&measure, file->statements, 0);
    struct page page = {pool_take(pool, measure.used + 1), 0, 0, 0, 0};
    if (page.out) put_statements(&page, file->statements, 0);
    return page.out;
}

char *syntax_print_node(const struct syntax_node *node, struct pool *pool) {
    struct page measure = {.whole = 1};
    put_node(&measure, node, LOOSE);
    struct page page = {.out = pool_take(pool, measure.used + 1), .whole = 1};
    if (page.out) put_node(&page, node, LOOSE);
    return page.out;
}
