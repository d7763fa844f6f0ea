/* parser_item.c - the entries of statements: declarations, definitions, settings, options. */
#include "lang/parser_private.h"
#include "lang/unit.h"

#include <string.h>

/* Parts of statements ------------------------------------------------------------------------------------ */

static int one_index(struct parser *p) {
    if (!parser_is(p, LEXER_COMMA)) return 1;
    source_hint(parser_wrong(p, p->at, "each index has brackets of its own."), "Write [1..3][1..2].");
    return 0;
}

static struct syntax_range *one_bound(struct parser *p, enum parser_bounds how) {
    const struct lexer_token *first = parser_next(p);
    struct syntax_range *r = parser_range(p);
    r->low = parser_expression(p);
    if (!r->low) return NULL;
    if (parser_is(p, LEXER_COLON)) {
        source_hint(parser_wrong(p, p->at, "a range is written with two dots."), "Write [1..3].");
        return NULL;
    }
    if (!one_index(p)) return NULL;
    if (how == PARSER_RANGES && parser_is(p, LEXER_RIGHT)) {
        source_hint(parser_wrong(p, p->at, "the bounds of an array are a range."),
                    "Write [1..3] for three elements.");
        return NULL;
    }
    if (how == PARSER_INDICES && parser_is(p, LEXER_DOTS)) {
        source_hint(parser_wrong(p, p->at, "here stands one index, not a range."),
                    "Repeat the line with  for i in 1..N:");
        return NULL;
    }
    if (parser_take(p, LEXER_DOTS)) {
        r->high = parser_expression(p);
        if (!r->high || !one_index(p)) return NULL;
    }
    if (!parser_expect(p, LEXER_RIGHT, "`]`", "")) return NULL;
    r->span = parser_span(p, first);
    return r;
}

static int bounds(struct parser *p, struct syntax_range **list, enum parser_bounds how) {
    struct syntax_range **tail = list;
    for (int count = 0; parser_is(p, LEXER_LEFT); count++) {
        if (count == SYNTAX_INDICES) {
            source_hint(parser_wrong(p, p->at, "more than %d indices.", SYNTAX_INDICES), "Use fewer.");
            return 0;
        }
        struct syntax_range *r = one_bound(p, how);
        if (!r) return 0;
        *tail = r;
        tail = &r->next;
    }
    return 1;
}

/* NAME { [...] } into an item. */
struct syntax_item *parser_named(struct parser *p, enum parser_bounds how, const char *what,
                                 const char *hint) {
    const struct lexer_token *first = p->at, *name = parser_name(p, what, hint);
    if (!name) return NULL;
    struct syntax_item *item = parser_item(p);
    item->name = parser_text(p, name);
    item->name_span = parser_span(p, name);
    if (!bounds(p, &item->bounds, how)) return NULL;
    item->span = parser_span(p, first);
    return item;
}

/* `= expr` behind an item. */
int parser_valued(struct parser *p, struct syntax_item *item, const struct lexer_token *first,
                  const char *hint) {
    if (!parser_expect(p, LEXER_EQUALS, "`=`", hint)) return 0;
    item->value = parser_expression(p);
    item->span = parser_span(p, first);
    return item->value != NULL;
}

/* The unit behind a `{`; NULL after a message. */
static const struct syntax_unit *unit(struct parser *p) {
    p->in_unit = 1;
    struct syntax_node *node = parser_expression(p);
    p->in_unit = 0;
    struct syntax_unit *out = node ? pool_take(p->pool, sizeof *out) : NULL;
    const struct syntax_node *at;
    char why[160];
    if (!out) return NULL;
    if (unit_read(node, out, &at, why, sizeof why)) {
        out->node = node;
        return out;
    }
    source_hint(
        source_diagnose(p->m, SOURCE_ERROR, at->span.offset, at->span.length, "%s", why),
        "Units are m, kg, s, A, K, mol, N, J, W, Pa, V, Ohm, F, H, Hz, ... with prefixes from f to T:  "
        "{kN/m^2}.");
    return NULL;
}

int parser_unit(struct parser *p, struct syntax_item *item, const struct lexer_token *first) {
    if (!parser_take(p, LEXER_BRACE)) return 1;
    item->unit = unit(p);
    if (!item->unit || !parser_expect(p, LEXER_BRACE_END, "`}`", "Write  9.81 {m/s^2}.")) return 0;
    item->span = parser_span(p, first);
    return 1;
}

static int is_unit(const struct parser *p) {
    const struct lexer_token *next = p->at + 1;
    if (p->at->kind == LEXER_BRACE_END || parser_is_text(p, "atol") || parser_is_text(p, "scale")) return 0;
    return p->at->kind != LEXER_NAME || (next->kind != LEXER_EQUALS && next->kind != LEXER_PRIME);
}

/* One entry of {atol = 1e-12, scale' = 100}: what it sets, and primes for a derivative. */
static struct syntax_item *unknown_setting(struct parser *p, const struct syntax_item *unknown) {
    static const char hint[] = "Write  {atol = 1e-12},  {scale = 1e-9}  or both;  atol'  is that of x'.";
    const struct lexer_token *first = p->at;
    struct syntax_item *item = parser_item(p);
    struct syntax_node *target = parser_node(p, SYNTAX_REF);
    if (p->pool->refused) return NULL;
    item->name = parser_is(p, LEXER_NAME) ? parser_text(p, p->at) : "";
    if (strcmp(item->name, "atol") != 0 && strcmp(item->name, "scale") != 0)
        return parser_unexpected(p, "`atol` or `scale`", hint), NULL;
    parser_next(p);
    item->name_span = parser_span(p, first);
    target->text = unknown->name;
    target->span = item->name_span;
    target->height = 1;
    while (parser_take(p, LEXER_PRIME)) target->primes++;
    item->target = target;
    return parser_valued(p, item, first, hint) ? item : NULL;
}

static int unknown_settings(struct parser *p, struct syntax_item *unknown) {
    struct syntax_item **tail = &unknown->settings;
    if (!parser_take(p, LEXER_BRACE)) return 1;
    if (is_unit(p)) {
        const struct lexer_token *token = p->at;
        unknown->unit = unit(p);
        if (!unknown->unit) return 0;
        if (unknown->unit->factor != 1) {
            source_hint(parser_wrong(p, token, "unknowns are in SI units, and this is another one."),
                        "Write the base unit; a value may have any:  init %s = 5 {mm}.", unknown->name);
            return 0;
        }
        if (!parser_take(p, LEXER_COMMA))
            return parser_expect(p, LEXER_BRACE_END, "`}`", "Write  {m, atol = 1e-12}.");
    }
    do {
        *tail = unknown_setting(p, unknown);
        if (!*tail) return 0;
        tail = &(*tail)->next;
    } while (parser_take(p, LEXER_COMMA));
    return parser_expect(p, LEXER_BRACE_END, "`}`", "Write  {atol = 1e-12, scale = 1}.");
}

struct syntax_item *parser_declaration(struct parser *p) {
    struct syntax_item *item = parser_named(p, PARSER_RANGES, "a name", "Write  var x, y  or  var x[1..3].");
    if (item && parser_is(p, LEXER_EQUALS)) {
        source_hint(parser_wrong(p, p->at, "a declaration gives no value."),
                    "Start values are given with `init`:  init %s = ..., constants with `param`.",
                    item->name);
        return NULL;
    }
    if (item && parser_is(p, LEXER_OPEN)) {
        source_hint(parser_wrong(p, p->at, "an unknown has no arguments: it depends on t anyway."),
                    "Write  %s  alone, or  %s[1..3].", item->name, item->name);
        return NULL;
    }
    return item && unknown_settings(p, item) ? item : NULL;
}

struct syntax_item *parser_definition(struct parser *p) {
    const struct lexer_token *first = p->at;
    struct syntax_item *item = parser_named(p, PARSER_EITHER, "a name", "Write  param a = 1, b = 2*a.");
    return item && parser_valued(p, item, first, "Write  a = 1.") && parser_unit(p, item, first) ? item
                                                                                                 : NULL;
}

static int parameters(struct parser *p, struct syntax_item *item) {
    struct syntax_node **tail = &item->parameters;
    parser_next(p);
    do {
        const struct lexer_token *name = parser_name(p, "a parameter", "Write  let g(x) = expr.");
        if (!name) return 0;
        struct syntax_node *e = parser_node(p, SYNTAX_REF);
        if (p->pool->refused) return 0;
        e->text = parser_text(p, name);
        e->height = 1;
        e->span = parser_span(p, name);
        *tail = e;
        tail = &e->next;
    } while (parser_take(p, LEXER_COMMA));
    return parser_expect(p, LEXER_CLOSE, "`)`", "Write  let g(x, y) = expr.");
}

struct syntax_item *parser_let(struct parser *p) {
    const struct lexer_token *first = p->at;
    if (parser_is(p, LEXER_NAME) && first->word == LEXER_NO_WORD && first[1].kind == LEXER_OPEN) {
        struct syntax_item *item = parser_item(p);
        item->name = parser_text(p, first);
        parser_next(p);
        item->name_span = parser_span(p, first);
        if (!parameters(p, item)) return NULL;
        return parser_valued(p, item, first, "Write  let g(x) = expr.") ? item : NULL;
    }
    struct syntax_item *item =
        parser_named(p, PARSER_EITHER, "a name", "Write  let r = expr  or  let g(x) = expr.");
    if (item && parser_is(p, LEXER_PRIME)) {
        source_hint(parser_wrong(p, p->at, "`let` gives a name to an expression, not to a derivative."),
                    "Without `let` the line is an equation.");
        return NULL;
    }
    return item && parser_valued(p, item, first, "Write  let r = expr.") ? item : NULL;
}

struct syntax_item *parser_target(struct parser *p) {
    const struct lexer_token *first = p->at;
    struct syntax_node *ref = parser_ref(p, "the name to be set");
    if (!ref) return NULL;
    if (ref->moment) {
        source_hint(parser_wrong(p, first, "`.start` and `.enter` are read, not set."),
                    "Write the name alone.");
        return NULL;
    }
    struct syntax_item *item = parser_item(p);
    item->target = ref;
    item->span = parser_span(p, first);
    return item;
}

struct syntax_item *parser_setting(struct parser *p) {
    const struct lexer_token *first = p->at;
    struct syntax_item *item = parser_target(p);
    if (item && parser_is(p, LEXER_OPEN)) {
        source_hint(parser_wrong(p, p->at, "a name is set without brackets."),
                    "Write  %s = ...  for its value at the start,  or  %s[1] = ...  for an element.",
                    item->target->text, item->target->text);
        return NULL;
    }
    return item && parser_valued(p, item, first, "Write  x = 1, x' = 0.") && parser_unit(p, item, first)
               ? item
               : NULL;
}

struct syntax_item *parser_output(struct parser *p) {
    const struct lexer_token *first = p->at;
    struct syntax_item *item = parser_named(p, PARSER_INDICES, "a name", "Write  output NAME = expr.");
    return item && parser_valued(p, item, first, "An output has a name:  output NAME = expr.") &&
                   parser_unit(p, item, first)
               ? item
               : NULL;
}

/* Options: words joined by +, whatever they mean elsewhere, or a string, or an expression. --------------- */

static int ends_option(const struct lexer_token *token) {
    return token->kind == LEXER_COMMA || token->kind == LEXER_NEWLINE || token->kind == LEXER_END;
}

static int only_words(const struct parser *p) {
    for (const struct lexer_token *t = p->at; t->kind == LEXER_NAME; t += 2) {
        if (ends_option(t + 1)) return 1;
        if (t[1].kind != LEXER_PLUS) return 0;
    }
    return 0;
}

static struct syntax_node *words(struct parser *p) {
    const struct lexer_token *first = p->at;
    struct syntax_node *all = NULL;
    int height = 0;
    do {
        struct syntax_node *word = parser_node(p, SYNTAX_REF);
        const struct lexer_token *name = p->at;
        parser_next(p);
        word->text = parser_text(p, name);
        word->span = parser_span(p, name);
        word->height = 1;
        struct syntax_node *sum = all ? parser_node(p, SYNTAX_BINARY) : word;
        if (p->pool->refused) return NULL;
        if (all) {
            sum->op = SYNTAX_ADD;
            sum->sign = name[-1].offset;
            sum->parts = all;
            sum->count = 2;
            all->next = word;
            sum->span = parser_span(p, first);
        }
        sum->height = (uint16_t)++height;
        all = sum;
    } while (height < 16 && parser_take(p, LEXER_PLUS));
    return all;
}

struct syntax_node *parser_string(struct parser *p) {
    struct syntax_node *e = parser_node(p, SYNTAX_STRING);
    const struct lexer_token *token = p->at;
    parser_take(p, LEXER_STRING);
    size_t quotes = token->length >= 2 ? 2 : token->length;
    const char *text = pool_copy(p->pool, p->s->text + token->offset + 1, token->length - quotes);
    e->text = text ? text : "";
    e->height = 1;
    e->span = parser_span(p, token);
    return p->pool->refused ? NULL : e;
}

struct syntax_item *parser_option(struct parser *p) {
    static const char hint[] = "Write  options method = rk4+scale, step = 0.01.";
    const struct lexer_token *first = p->at;
    if (!parser_is(p, LEXER_NAME)) {
        source_hint(parser_wrong(p, p->at, "the name of an option is missing."), "%s", hint);
        return NULL;
    }
    while (p->at[1].kind == LEXER_MINUS && p->at[2].kind == LEXER_NAME) p->at += 2; /* max-step */
    parser_next(p);
    struct syntax_item *item = parser_item(p);
    struct syntax_span span = parser_span(p, first);
    item->name = pool_copy(p->pool, p->s->text + span.offset, span.length);
    item->name_span = span;
    if (span.length > 100) {
        source_hint(parser_wrong(p, first, "this is too long for the name of an option."), "%s", hint);
        return NULL;
    }
    if (!parser_expect(p, LEXER_EQUALS, "`=`", hint)) return NULL;
    item->value = parser_is(p, LEXER_STRING) ? parser_string(p)
                  : only_words(p)            ? words(p)
                                             : parser_expression(p);
    item->span = parser_span(p, first);
    return item->value ? item : NULL;
}
