/* parser_part.c - parts: `part`, `use`, `node`, `flow`, `contact`, `library`.  These words are names
 * elsewhere: they begin a statement only where another name follows. */
#include "lang/parser_private.h"

#include <string.h>

static const struct {
    const char *word;
    enum syntax_statement_kind kind;
} words[] = {{"part", SYNTAX_PART}, {"use", SYNTAX_USE},         {"node", SYNTAX_NODE},
             {"flow", SYNTAX_FLOW}, {"contact", SYNTAX_CONTACT}, {"library", SYNTAX_LIBRARY}};

int parser_part_word(struct parser *p, enum syntax_statement_kind *kind) {
    const struct lexer_token *first = p->at;
    if (parser_is_text(p, "import") && first[1].kind == LEXER_STRING) {
        *kind = SYNTAX_LIBRARY;
        parser_next(p);
        return 1;
    }
    if (first->kind == LEXER_END || first[1].kind != LEXER_NAME) return 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (parser_is_text(p, words[i].word)) {
            *kind = words[i].kind;
            parser_next(p);
            return 1;
        }
    return 0;
}

/* (a, b = 1): names, each with its default or none. */
static int formal(struct parser *p, struct syntax_statement *s) {
    static const char hint[] = "Write  part NAME(a, b = 1):  and indent its lines.";
    struct syntax_item **tail = &s->items;
    if (!parser_expect(p, LEXER_OPEN, "`(`", hint)) return 0;
    if (parser_take(p, LEXER_CLOSE)) return 1;
    do {
        const struct lexer_token *first = p->at, *name = parser_name(p, "an argument", hint);
        if (!name) return 0;
        struct syntax_item *item = parser_item(p);
        item->name = parser_text(p, name);
        item->name_span = item->span = parser_span(p, name);
        if (parser_is(p, LEXER_EQUALS) &&
            (!parser_valued(p, item, first, hint) || !parser_unit(p, item, first)))
            return 0;
        *tail = item;
        tail = &item->next;
    } while (parser_take(p, LEXER_COMMA));
    return parser_expect(p, LEXER_CLOSE, "`)`", hint);
}

/* (1 {mm}, b = 2): values by place, then by name. */
static int actual(struct parser *p, struct syntax_item *instance, const char *hint) {
    struct syntax_item **tail = &instance->settings;
    int by_name = 0;
    if (!parser_expect(p, LEXER_OPEN, "`(`", hint)) return 0;
    if (parser_take(p, LEXER_CLOSE)) return 1;
    do {
        const struct lexer_token *first = p->at;
        struct syntax_item *item = parser_item(p);
        if (parser_is(p, LEXER_NAME) && first->word == LEXER_NO_WORD && first[1].kind == LEXER_EQUALS) {
            item->name = parser_text(p, parser_next(p));
            item->name_span = parser_span(p, first);
            parser_next(p);
        }
        by_name |= item->name != NULL;
        item->value = parser_expression(p);
        if (!item->value) return 0;
        item->span = parser_span(p, first);
        if (!parser_unit(p, item, first)) return 0;
        if (!item->name && by_name) {
            source_hint(parser_wrong(p, first, "an argument by place stands before those by name."),
                        "Name it:  %s(a = 1, b = 2).", instance->name);
            return 0;
        }
        *tail = item;
        tail = &item->next;
    } while (parser_take(p, LEXER_COMMA));
    return parser_expect(p, LEXER_CLOSE, "`)`", hint);
}

static int use(struct parser *p, struct syntax_statement *s) {
    static const char hint[] = "Write  use PART name(arguments).";
    struct syntax_item **tail = &s->items;
    if (!parser_statement_name(p, s, "the name of a part", hint)) return 0;
    do {
        const struct lexer_token *first = p->at;
        struct syntax_item *item = parser_named(p, PARSER_INDICES, "a name for what is used", hint);
        if (!item || !actual(p, item, hint)) return 0;
        item->span = parser_span(p, first);
        *tail = item;
        tail = &item->next;
    } while (parser_take(p, LEXER_COMMA));
    return 1;
}

static int nodes(struct parser *p, struct syntax_statement *s) {
    static const char hint[] = "Write  node a, b  or  node a[1..3].";
    struct syntax_item **tail = &s->items;
    do {
        const struct lexer_token *first = p->at;
        struct syntax_item *item = parser_named(p, PARSER_RANGES, "the name of a node", hint);
        if (!item) return 0;
        if (parser_is(p, LEXER_EQUALS) && !parser_valued(p, item, first, hint)) return 0;
        *tail = item;
        tail = &item->next;
    } while (parser_take(p, LEXER_COMMA));
    return 1;
}

static int flow(struct parser *p, struct syntax_statement *s) {
    static const char hint[] = "Write  flow NODE: what flows out of it.";
    s->items = parser_target(p);
    if (!s->items || !parser_expect(p, LEXER_COLON, "`:`", hint)) return 0;
    s->items->value = parser_expression(p);
    return s->items->value != NULL;
}

/* contact NAME: gap, sliding = v, restitution = e, friction = mu */
static int contact(struct parser *p, struct syntax_statement *s) {
    static const char hint[] =
        "Write  contact NAME: gap, sliding = velocity, restitution = e, friction = mu.";
    static const char *const known[] = {"sliding", "restitution", "friction"};
    s->items = parser_named(p, PARSER_INDICES, "the name of the contact", hint);
    if (!s->items || !parser_expect(p, LEXER_COLON, "`:`", hint)) return 0;
    s->left = parser_expression(p);
    struct syntax_item **tail = &s->items->settings;
    while (s->left && parser_take(p, LEXER_COMMA)) {
        const struct lexer_token *first = p->at, *name = parser_name(p, "what is set", hint);
        if (!name) return 0;
        struct syntax_item *item = parser_item(p);
        item->name = parser_text(p, name);
        item->name_span = parser_span(p, name);
        int number = 0, twice = 0;
        while (number < 3 && item->name && strcmp(item->name, known[number]) != 0) number++;
        for (const struct syntax_item *one = s->items->settings; one; one = one->next)
            twice |= item->name && strcmp(one->name, item->name) == 0;
        if (number == 3 || twice) {
            source_hint(parser_wrong(p, name, twice ? "`%.40s` is set twice." : "a contact has no `%.40s`.",
                                     item->name),
                        "%s", hint);
            return 0;
        }
        if (!parser_valued(p, item, first, hint)) return 0;
        *tail = item;
        tail = &item->next;
    }
    return s->left != NULL;
}

/* import "mine.keel": the library `mine`. */
static int import(struct parser *p, struct syntax_statement *s) {
    static const char hint[] =
        "A file beside the model, its name of letters, digits and _:  import \"mine.keel\".";
    const struct lexer_token *token = p->at;
    s->left = parser_string(p);
    if (!s->left) return 0;
    const char *slash = strrchr(s->left->text, '/'), *name = slash ? slash + 1 : s->left->text;
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    int digit = name[0] >= '0' && name[0] <= '9';
    if (digit || length == 0 || length > 60 || strcmp(name + length, ".keel") != 0) {
        source_hint(parser_wrong(p, token, "this is no name of a file of parts."), "%s", hint);
        return 0;
    }
    s->name = pool_copy(p->pool, name, length);
    s->name_span = parser_span(p, token);
    return s->name != NULL;
}

int parser_part(struct parser *p, struct syntax_statement *s) {
    static const char hint[] = "Write  part NAME(arguments):  and indent its lines.";
    switch (s->kind) {
    case SYNTAX_PART:
        return parser_statement_name(p, s, "the name of the part", hint) && formal(p, s) &&
               parser_expect(p, LEXER_COLON, "`:`", hint);
    case SYNTAX_USE:
        return use(p, s);
    case SYNTAX_NODE:
        return nodes(p, s);
    case SYNTAX_FLOW:
        return flow(p, s);
    case SYNTAX_CONTACT:
        return contact(p, s);
    default:
        return parser_is(p, LEXER_STRING)
                   ? import(p, s)
                   : parser_statement_name(p, s, "the name of a library", "Write  library NAME.");
    }
}
