/* syntax.c - names and comparison of trees; see syntax.h. */
#include "lang/syntax.h"

#include "base/text.h"

#include <string.h>

const char *syntax_statement_word(enum syntax_statement_kind kind) {
    static const char *const words[] = {
        "model",       "param", "var",       "coord",      "canonical", "let",       "",        "lagrangian",
        "hamiltonian", "force", "structure", "constraint", "rolling",   "invariant", "init",    "guess",
        "event",       "mode",  "start",     "output",     "exact",     "reference", "run",     "options",
        "for",         "part",  "use",       "node",       "flow",      "contact",   "library", "table",
    };
    return words[kind];
}

const char *syntax_op_text(enum syntax_op op) {
    static const char *const signs[] = {"",   "-", "+",  "+",  "-",  "*",   "/",  "^",  "<",
                                        "<=", ">", ">=", "==", "!=", "and", "or", "not"};
    return signs[op];
}

static int same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static int same_ranges(const struct syntax_range *a, const struct syntax_range *b) {
    for (; a && b; a = a->next, b = b->next)
        if (!same_text(a->name, b->name) || !syntax_equal_nodes(a->low, b->low) ||
            !syntax_equal_nodes(a->high, b->high) || !syntax_equal_nodes(a->filter, b->filter))
            return 0;
    return !a && !b;
}

static int same_lists(const struct syntax_node *a, const struct syntax_node *b) {
    for (; a && b; a = a->next, b = b->next)
        if (!syntax_equal_nodes(a, b)) return 0;
    return !a && !b;
}

int syntax_equal_nodes(const struct syntax_node *a, const struct syntax_node *b) {
    if (!a || !b) return a == b;
    return a->kind == b->kind && a->op == b->op && a->primes == b->primes && a->multiplier == b->multiplier &&
           a->builtin == b->builtin && a->moment == b->moment && a->count == b->count &&
           same_text(a->text, b->text) && same_ranges(a->ranges, b->ranges) && same_lists(a->parts, b->parts);
}

static int same_items(const struct syntax_item *a, const struct syntax_item *b) {
    for (; a && b; a = a->next, b = b->next)
        if (a->action != b->action || !same_text(a->name, b->name) || !same_ranges(a->bounds, b->bounds) ||
            !same_lists(a->parameters, b->parameters) || !syntax_equal_nodes(a->target, b->target) ||
            !syntax_equal_nodes(a->value, b->value) ||
            !syntax_equal_nodes(a->unit ? a->unit->node : NULL, b->unit ? b->unit->node : NULL) ||
            !same_items(a->settings, b->settings))
            return 0;
    return !a && !b;
}

static int same_statements(const struct syntax_statement *a, const struct syntax_statement *b) {
    for (; a && b; a = a->next, b = b->next)
        if (a->kind != b->kind || a->direction != b->direction || !same_text(a->name, b->name) ||
            !same_ranges(a->bounds, b->bounds) || !same_items(a->items, b->items) ||
            !syntax_equal_nodes(a->left, b->left) || !syntax_equal_nodes(a->right, b->right) ||
            !same_ranges(a->ranges, b->ranges) || !same_statements(a->body, b->body))
            return 0;
    return !a && !b;
}

int syntax_equal(const struct syntax_file *a, const struct syntax_file *b) {
    return same_statements(a->statements, b->statements);
}

/* The left spine of a chain of + is walked to its first word, which is written first. */
int syntax_words(const struct syntax_node *value, char *out, size_t capacity) {
    if (value->kind == SYNTAX_BINARY && value->op == SYNTAX_ADD) {
        const struct syntax_node *left = value->parts, *right = left->next;
        if (right->kind != SYNTAX_REF || !syntax_words(left, out, capacity)) return 0;
        size_t used = strlen(out);
        if (used + 2 > capacity || !syntax_words(right, out + used + 1, capacity - used - 1)) return 0;
        out[used] = '+';
        return 1;
    }
    int plain =
        value->kind == SYNTAX_REF && !value->parts && !value->primes && !value->multiplier && !value->moment;
    if (!plain && value->kind != SYNTAX_STRING) return 0;
    if (strlen(value->text) >= capacity) return 0;
    text_set(out, capacity, "%s", value->text);
    return 1;
}
