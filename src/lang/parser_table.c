/* parser_table.c - tables: `table load = "load.csv", column = "kN", by = linear`, and the block of rows
 * that a text carries with it, `table "load.csv":`.  The word begins a statement only before a name and
 * `=`, or before a string. */
#include "lang/parser_private.h"

#include <string.h>

int parser_table_word(struct parser *p) {
    const struct lexer_token *first = p->at;
    if (!parser_is_text(p, "table") || first->kind == LEXER_END) return 0;
    int rows = first[1].kind == LEXER_STRING;
    if (!rows && (first[1].kind != LEXER_NAME || first[2].kind != LEXER_EQUALS)) return 0;
    parser_next(p);
    return 1;
}

/* A word as a string. */
static struct syntax_node *word(struct parser *p) {
    struct syntax_node *e = parser_node(p, SYNTAX_STRING);
    const struct lexer_token *token = parser_next(p);
    e->text = parser_text(p, token);
    e->height = 1;
    e->span = parser_span(p, token);
    return p->pool->refused ? NULL : e;
}

static struct syntax_item *setting(struct parser *p) {
    static const char hint[] =
        "Write  table load = \"load.csv\", column = \"kN\", argument = \"s\", by = linear, outside = hold.";
    static const char *const known[] = {"column", "argument", "by", "outside"};
    const struct lexer_token *first = p->at;
    struct syntax_item *item = parser_item(p);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (parser_is_text(p, known[i])) item->name = known[i];
    if (!item->name) return parser_unexpected(p, "`column`, `argument`, `by` or `outside`", hint), NULL;
    parser_next(p);
    item->name_span = parser_span(p, first);
    if (!parser_expect(p, LEXER_EQUALS, "`=`", hint)) return NULL;
    int words = item->name == known[2] || item->name == known[3];
    if (parser_is(p, LEXER_STRING)) item->value = parser_string(p);
    else if (words && parser_is(p, LEXER_NAME)) item->value = word(p);
    else if (!words && parser_is(p, LEXER_NUMBER)) item->value = parser_expression(p);
    else return parser_unexpected(p, words ? "a word" : "the name or number of a column", hint), NULL;
    item->span = parser_span(p, first);
    return item->value ? item : NULL;
}

int parser_table(struct parser *p, struct syntax_statement *s) {
    static const char hint[] = "Write  table load = \"load.csv\", column = \"kN\", by = linear.";
    struct syntax_item **tail = &s->items;
    if (parser_is(p, LEXER_STRING)) {
        s->left = parser_string(p);
        return s->left && parser_expect(p, LEXER_COLON, "`:`", "Rows follow, each a string.");
    }
    if (!parser_statement_name(p, s, "the name of the table", hint)) return 0;
    parser_next(p); /* = */
    if (!parser_is(p, LEXER_STRING)) return parser_unexpected(p, "the name of a file in quotes", hint);
    s->left = parser_string(p);
    while (s->left && parser_take(p, LEXER_COMMA)) {
        *tail = setting(p);
        if (!*tail) return 0;
        tail = &(*tail)->next;
    }
    return s->left != NULL;
}

int parser_rows(struct parser *p, struct syntax_statement *s) {
    struct syntax_item **tail = &s->items;
    while (parser_is(p, LEXER_STRING)) {
        struct syntax_item *item = parser_item(p);
        item->value = parser_string(p);
        if (!item->value) return 0;
        item->span = item->value->span;
        *tail = item;
        tail = &item->next;
        parser_take(p, LEXER_NEWLINE);
    }
    return parser_is(p, LEXER_DEDENT) || parser_is(p, LEXER_END) ||
           parser_unexpected(p, "a row in quotes", "Rows are strings:  \"0, 1.5\".");
}
