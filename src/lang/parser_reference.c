/* parser_reference.c - names in expressions: x, x[1]', a[i].x, lambda.rod, x.start. */
#include "lang/parser_private.h"

#include <string.h>

static struct syntax_node *indices(struct parser *p) {
    struct syntax_node *first = NULL, **tail = &first;
    for (int count = 0; parser_is(p, LEXER_LEFT); count++) {
        if (count == SYNTAX_INDICES) {
            source_hint(parser_wrong(p, p->at, "more than %d indices.", SYNTAX_INDICES), "Use fewer.");
            return NULL;
        }
        parser_next(p);
        struct syntax_node *index = parser_expression(p);
        if (!index) return NULL;
        if (parser_is(p, LEXER_COMMA)) {
            source_hint(parser_wrong(p, p->at, "each index has brackets of its own."), "Write x[i][j].");
            return NULL;
        }
        if (parser_is(p, LEXER_DOTS) || parser_is(p, LEXER_COLON)) {
            source_hint(
                parser_wrong(p, p->at, "a part of an array cannot be taken by a range."),
                "The name alone stands for all elements; use `for` or sum(i in 1..3, ...) for some of them.");
            return NULL;
        }
        if (!parser_expect(p, LEXER_RIGHT, "`]`", "")) return NULL;
        *tail = index;
        tail = &index->next;
    }
    return first;
}

static enum syntax_moment is_moment(const struct parser *p, const struct lexer_token *token) {
    const char *word = p->s->text + token->offset;
    if (token->kind != LEXER_NAME || token->length != 5) return SYNTAX_NOW;
    return strncmp(word, "enter", 5) == 0   ? SYNTAX_ENTER
           : strncmp(word, "start", 5) == 0 ? SYNTAX_START
                                            : SYNTAX_NOW;
}

static int moment(struct parser *p, struct syntax_node *e) {
    if (!parser_take(p, LEXER_DOT)) return 1;
    e->moment = is_moment(p, p->at);
    if (e->moment == SYNTAX_NOW) {
        source_hint(
            parser_wrong(p, p->at, "after a name's point stands a member of a part, `enter` or `start`."),
            "x.enter is the value when the mode was entered, x.start that at the start; lambda.NAME "
            "is a multiplier.");
        return 0;
    }
    parser_next(p);
    if (!parser_is(p, LEXER_PRIME) && !parser_is(p, LEXER_LEFT)) return 1;
    source_hint(parser_wrong(p, p->at, "indices and ' stand before the point."), "Write x[1]'.%s.",
                e->moment == SYNTAX_ENTER ? "enter" : "start");
    return 0;
}

static int multiplier(struct parser *p, struct syntax_node *e) {
    if (!parser_take_word(p, LEXER_LAMBDA)) return 1;
    e->multiplier = 1;
    if (parser_take(p, LEXER_DOT)) return 1;
    source_hint(parser_wrong(p, p->at - 1, "`lambda` needs the name of its constraint."),
                "Write lambda.NAME; as a name of your own take `lam`.");
    return 0;
}

/* .NAME[i] behind a name: a member of a part; its indices follow those before it. */
static int member(struct parser *p, struct syntax_node *e) {
    const struct lexer_token *name = p->at + 1;
    if (!parser_is(p, LEXER_DOT) || name->kind != LEXER_NAME || is_moment(p, name)) return 0;
    parser_next(p);
    name = parser_name(p, "a member", "Write  part.member.");
    if (!name) return -1;
    size_t length = strlen(e->text);
    char *text = pool_take(p->pool, length + name->length + 2);
    if (!text) return -1;
    memcpy(text, e->text, length);
    text[length] = '.';
    memcpy(text + length + 1, p->s->text + name->offset, name->length);
    e->text = text;
    struct syntax_node **tail = &e->parts;
    while (*tail) tail = &(*tail)->next;
    if (!parser_is(p, LEXER_LEFT)) return 1;
    *tail = indices(p);
    return *tail ? 1 : -1;
}

/* a.f(x), a[i].f(x) as f of (i, x). */
struct syntax_node *parser_member_call(struct parser *p, struct syntax_node *e,
                                       const struct lexer_token *first) {
    struct syntax_node **tail = &e->parts;
    parser_next(p);
    while (*tail) tail = &(*tail)->next;
    *tail = parser_arguments(p, "`)`");
    if (!*tail) return NULL;
    e->kind = SYNTAX_CALL;
    return parser_finish(p, e, first);
}

struct syntax_node *parser_ref(struct parser *p, const char *what) {
    const struct lexer_token *first = p->at;
    struct syntax_node *e = parser_node(p, SYNTAX_REF);
    if (!multiplier(p, e)) return NULL;
    int word = e->multiplier ? LEXER_NO_WORD : p->at->word;
    const struct lexer_token *name = p->at;
    if (parser_is(p, LEXER_NAME) && (word == LEXER_T || word == LEXER_PI || word == LEXER_ENERGY))
        parser_next(p);
    else name = parser_name(p, what, "Write a name, x or x[1] or x'.");
    if (!name) return NULL;
    e->text = parser_text(p, name);
    if (parser_is(p, LEXER_LEFT)) {
        e->parts = indices(p);
        if (!e->parts) return NULL;
    }
    int more;
    while ((more = member(p, e)) > 0) {}
    if (more < 0) return NULL;
    while (parser_is(p, LEXER_PRIME) &&
           e->primes < 100) { /* as many as the text shows: two for a double prime */
        parser_next(p);
        e->primes++;
    }
    if (e->primes && parser_is(p, LEXER_OPEN)) {
        source_hint(parser_wrong(p, p->at, "a derivative has no arguments: it depends on t anyway."),
                    "Write  %.40s%s  alone;  a product is written with *.", e->text,
                    e->primes == 1 ? "'" : "''");
        return NULL;
    }
    if (e->primes && (parser_is(p, LEXER_LEFT) || parser_is(p, LEXER_PRIME))) {
        source_hint(
            parser_wrong(p, p->at, parser_is(p, LEXER_LEFT) ? "indices stand before the '." : "too many '."),
            "Write x[1]'.");
        return NULL;
    }
    return moment(p, e) ? parser_finish(p, e, first) : NULL;
}
