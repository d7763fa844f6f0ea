/* parser_expression.c - expressions, by descent through the binding strengths: or, and, not, comparison, +
 * -, * /, sign, ^, primary. */
#include "lang/parser_private.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct syntax_node *sign(struct parser *p);

/* Nodes -------------------------------------------------------------------------------------------------- */

static int tallest(const struct syntax_node *e, int height) {
    for (; e; e = e->next)
        if (e->height > height) height = e->height;
    return height;
}

/* Set what a node inherits from its parts.  Recursion over trees must end before the stack does: NULL if
 * too tall. */
struct syntax_node *parser_finish(struct parser *p, struct syntax_node *e, const struct lexer_token *first) {
    int height = tallest(e->parts, 0);
    e->count = 0;
    for (const struct syntax_node *part = e->parts; part; part = part->next) e->count++;
    for (const struct syntax_range *r = e->ranges; r; r = r->next) {
        height = tallest(r->low, height);
        height = tallest(r->high, height);
        if (r->filter) height = tallest(r->filter, height);
    }
    e->height = (uint16_t)(height + 1);
    e->span = parser_span(p, first);
    if (e->height <= SYNTAX_TALLEST) return e;
    source_hint(parser_wrong(p, p->at > first ? p->at - 1 : first,
                             "this expression is more than %d operations deep.", SYNTAX_TALLEST),
                "Name parts of it with `let`, or write sum(i in 1..N, ...).");
    return NULL;
}

/* Two operands and the sign between them. */
static struct syntax_node *join(struct parser *p, enum syntax_kind kind, enum syntax_op op,
                                struct syntax_node *left, struct syntax_node *right,
                                const struct lexer_token *mark, const struct lexer_token *first) {
    struct syntax_node *e = parser_node(p, kind);
    if (p->pool->refused) return NULL;
    e->op = op;
    e->sign = mark->offset;
    e->parts = left;
    left->next = right;
    return parser_finish(p, e, first);
}

static int enter(struct parser *p) {
    if (++p->depth <= SYNTAX_DEEPEST) return 1;
    source_hint(parser_wrong(p, p->at, "this expression is nested more than %d deep.", SYNTAX_DEEPEST),
                "Name parts of it with `let`.");
    return 0;
}

/* Primaries ---------------------------------------------------------------------------------------------- */

static struct syntax_node *number(struct parser *p) {
    const struct lexer_token *token = p->at;
    struct syntax_node *e = parser_node(p, SYNTAX_NUMBER);
    parser_take(p, LEXER_NUMBER);
    e->text = parser_text(p, token);
    e->value = text_decimal(e->text);
    size_t zeros = strspn(e->text, "0.");
    if (e->value == 0 && e->text[zeros] != '\0' && e->text[zeros] != 'e' && e->text[zeros] != 'E')
        source_hint(source_diagnose(p->m, SOURCE_WARNING, token->offset, token->length,
                                    "`%.40s` is zero as a double.", e->text),
                    "The smallest is about 4.9e-324.");
    if (isfinite(e->value)) return parser_finish(p, e, token);
    source_hint(parser_wrong(p, token, "`%.40s` is too large for a double.", e->text),
                "The largest is about 1.8e308.");
    return NULL;
}

/* Arguments up to the closing bracket, at least one. */
struct syntax_node *parser_arguments(struct parser *p, const char *due) {
    struct syntax_node *first = NULL, **tail = &first;
    do {
        struct syntax_node *e = parser_expression(p);
        if (!e) return NULL;
        *tail = e;
        tail = &e->next;
    } while (parser_take(p, LEXER_COMMA));
    return parser_expect(p, LEXER_CLOSE, due, "") ? first : NULL;
}

static int arity_fits(struct parser *p, const struct lexer_token *name, int count) {
    int least, most;
    lexer_arguments(name->word, &least, &most);
    if (count >= least && (most == 0 || count <= most)) return 1;
    const char *text = lexer_word_text(name->word);
    static const char *const shapes[] = {"", "(x)", "(x, y)", "(condition, a, b)"};
    source_hint(parser_wrong(p, name, "`%s` takes %s%d argument%s, not %d.", text,
                             most == 0 ? "at least " : "", least, least == 1 ? "" : "s", count),
                "Write %s%s.", text, shapes[least]);
    return 0;
}

/* NAME(...), f(...), if(...) */
static struct syntax_node *call(struct parser *p) {
    const struct lexer_token *name = parser_next(p);
    int own = name->word != LEXER_NO_WORD;
    if (p->in_unit && !parser_is(p, LEXER_OPEN)) { /* a minute */
        struct syntax_node *unit = parser_node(p, SYNTAX_REF);
        unit->text = parser_text(p, name);
        return parser_finish(p, unit, name);
    }
    if (!parser_is(p, LEXER_OPEN)) {
        source_hint(
            parser_wrong(p, name, "`%s` is a function and needs its brackets.", lexer_word_text(name->word)),
            parser_is(p, LEXER_CARET) ? "Write %s(x)^2 for the power of its value."
            : name->word == LEXER_IF  ? "Write %s(condition, a, b)."
                                      : "Write %s(...).",
            lexer_word_text(name->word));
        return NULL;
    }
    parser_next(p);
    struct syntax_node *e = parser_node(p, name->word == LEXER_IF ? SYNTAX_IF : SYNTAX_CALL);
    if (e->kind == SYNTAX_CALL) e->text = parser_text(p, name);
    e->builtin = (unsigned char)own;
    if (parser_is(p, LEXER_CLOSE)) {
        const char *habit = own || e->kind != SYNTAX_CALL ? NULL : parser_function_habit(e->text);
        if (habit) source_hint(parser_wrong(p, name, "unknown function `%.40s`.", e->text), "%s", habit);
        else
            source_hint(parser_wrong(p, p->at, "nothing stands between these brackets."),
                        own ? "Give the function its arguments." : "A name alone has no brackets.");
        return NULL;
    }
    e->parts = parser_arguments(p, "`)`");
    if (!e->parts) return NULL;
    e = parser_finish(p, e, name);
    return e && own && !arity_fits(p, name, e->count) ? NULL : e;
}

static struct syntax_node *summation(struct parser *p) {
    const struct lexer_token *first = parser_next(p);
    static const char hint[] = "Write sum(i in 1..N, x[i]).";
    if (!parser_expect(p, LEXER_OPEN, "`(`", hint)) return NULL;
    if (p->at->kind != LEXER_NAME || (p->at[1].word != LEXER_IN && p->at[1].kind != LEXER_EQUALS)) {
        source_hint(parser_wrong(p, p->at, "`sum` starts with its range."), "%s", hint);
        return NULL;
    }
    struct syntax_node *e = parser_node(p, SYNTAX_SUM);
    e->ranges = parser_ranges(p, 1);
    if (!e->ranges || !parser_expect(p, LEXER_COMMA, "`,` and what is summed", hint)) return NULL;
    e->parts = parser_expression(p);
    if (!e->parts || !parser_expect(p, LEXER_CLOSE, "`)`", "")) return NULL;
    return parser_finish(p, e, first);
}

/* (e), or an array: (a, b), (a,) */
static struct syntax_node *bracketed(struct parser *p) {
    const struct lexer_token *first = parser_next(p);
    if (parser_is(p, LEXER_CLOSE)) {
        source_hint(parser_wrong(p, p->at, "nothing stands between these brackets."),
                    "An array has at least one element: (a,).");
        return NULL;
    }
    struct syntax_node *e = parser_expression(p);
    if (!e) return NULL;
    if (parser_take(p, LEXER_CLOSE)) return e;
    if (!parser_is(p, LEXER_COMMA)) {
        parser_unexpected(p, "`)`", "");
        return NULL;
    }
    struct syntax_node *array = parser_node(p, SYNTAX_ARRAY), **tail = &e->next;
    array->parts = e;
    while (parser_take(p, LEXER_COMMA) && !parser_is(p, LEXER_CLOSE)) {
        e = parser_expression(p);
        if (!e) return NULL;
        *tail = e;
        tail = &e->next;
    }
    return parser_expect(p, LEXER_CLOSE, "`)`", "") ? parser_finish(p, array, first) : NULL;
}

static struct syntax_node *primary(struct parser *p) {
    int word = p->at->word;
    if (parser_is(p, LEXER_NUMBER)) return number(p);
    if (parser_is(p, LEXER_OPEN)) return bracketed(p);
    if (parser_is(p, LEXER_NAME)) {
        if (word == LEXER_SUM) return summation(p);
        if (word == LEXER_IF || word >= LEXER_FUNCTION) return call(p);
        if (word == LEXER_NO_WORD && p->at[1].kind == LEXER_OPEN) return call(p);
        if (word == LEXER_NO_WORD || word == LEXER_T || word == LEXER_PI || word == LEXER_ENERGY ||
            word == LEXER_LAMBDA) {
            const struct lexer_token *first = p->at;
            struct syntax_node *e = parser_ref(p, "a name");
            int calls = e && parser_is(p, LEXER_OPEN) && strchr(e->text, '.') && !e->primes && !e->moment;
            return calls ? parser_member_call(p, e, first) : e;
        }
    }
    parser_missing_operand(p);
    return NULL;
}

/* Operators ---------------------------------------------------------------------------------------------- */

static struct syntax_node *power(struct parser *p) {
    const struct lexer_token *first = p->at;
    struct syntax_node *base = primary(p);
    if (!base) return NULL;
    if (parser_is(p, LEXER_PRIME)) {
        source_hint(parser_wrong(p, p->at, "`'` follows a name or its indices only."),
                    "The time derivative of an expression is der(...); there is no transposition.");
        return NULL;
    }
    if (parser_is(p, LEXER_LEFT)) {
        source_hint(parser_wrong(p, p->at, "indices follow a name only."),
                    "Give the array a name with `let`.");
        return NULL;
    }
    const struct lexer_token *mark = p->at;
    if (!parser_take(p, LEXER_CARET)) return base;
    struct syntax_node *exponent = sign(p);
    return exponent ? join(p, SYNTAX_BINARY, SYNTAX_POW, base, exponent, mark, first) : NULL;
}

static struct syntax_node *sign(struct parser *p) {
    const struct lexer_token *first = p->at;
    if (!enter(p)) return NULL;
    struct syntax_node *e = NULL;
    if (parser_is(p, LEXER_PLUS) || parser_is(p, LEXER_MINUS)) {
        parser_next(p);
        struct syntax_node *operand = sign(p);
        if (operand) {
            e = parser_node(p, SYNTAX_UNARY);
            e->op = first->kind == LEXER_MINUS ? SYNTAX_NEG : SYNTAX_POS;
            e->sign = first->offset;
            e->parts = operand;
            e = p->pool->refused ? NULL : parser_finish(p, e, first);
        }
    } else e = power(p);
    p->depth--;
    return e;
}

static struct syntax_node *term(struct parser *p) {
    const struct lexer_token *first = p->at;
    struct syntax_node *e = sign(p);
    while (e && (parser_is(p, LEXER_STAR) || parser_is(p, LEXER_SLASH))) {
        const struct lexer_token *mark = parser_next(p);
        struct syntax_node *right = sign(p);
        enum syntax_op op = mark->kind == LEXER_STAR ? SYNTAX_MUL : SYNTAX_DIV;
        e = right ? join(p, SYNTAX_BINARY, op, e, right, mark, first) : NULL;
    }
    return e;
}

static struct syntax_node *arith(struct parser *p) {
    const struct lexer_token *first = p->at;
    struct syntax_node *e = term(p);
    while (e && (parser_is(p, LEXER_PLUS) || parser_is(p, LEXER_MINUS))) {
        const struct lexer_token *mark = parser_next(p);
        struct syntax_node *right = term(p);
        enum syntax_op op = mark->kind == LEXER_PLUS ? SYNTAX_ADD : SYNTAX_SUB;
        e = right ? join(p, SYNTAX_BINARY, op, e, right, mark, first) : NULL;
    }
    return e;
}

static int comparison_sign(const struct parser *p) {
    return p->at->kind >= LEXER_LT && p->at->kind <= LEXER_NE;
}

static struct syntax_node *comparison(struct parser *p) {
    const struct lexer_token *first = p->at, *mark;
    struct syntax_node *e = arith(p);
    if (!e || !comparison_sign(p)) return e;
    mark = parser_next(p);
    struct syntax_node *right = arith(p);
    if (!right) return NULL;
    if (comparison_sign(p)) {
        source_hint(parser_wrong(p, p->at, "comparisons do not chain."), "Write  a < b and b < c.");
        return NULL;
    }
    enum syntax_op op = (enum syntax_op)(SYNTAX_LT + (mark->kind - LEXER_LT));
    return join(p, SYNTAX_COMPARE, op, e, right, mark, first);
}

static struct syntax_node *negation(struct parser *p) {
    const struct lexer_token *first = p->at;
    if (!parser_take_word(p, LEXER_NOT)) return comparison(p);
    struct syntax_node *operand = comparison(p);
    if (!operand) return NULL;
    struct syntax_node *e = parser_node(p, SYNTAX_LOGIC);
    e->op = SYNTAX_NOT;
    e->sign = first->offset;
    e->parts = operand;
    return p->pool->refused ? NULL : parser_finish(p, e, first);
}

static struct syntax_node *conjunction(struct parser *p) {
    const struct lexer_token *first = p->at;
    struct syntax_node *e = negation(p);
    while (e && parser_is_word(p, LEXER_AND)) {
        const struct lexer_token *mark = parser_next(p);
        struct syntax_node *right = negation(p);
        e = right ? join(p, SYNTAX_LOGIC, SYNTAX_AND, e, right, mark, first) : NULL;
    }
    return e;
}

struct syntax_node *parser_expression(struct parser *p) {
    const struct lexer_token *first = p->at;
    if (!enter(p)) return NULL;
    struct syntax_node *e = conjunction(p);
    while (e && parser_is_word(p, LEXER_OR)) {
        const struct lexer_token *mark = parser_next(p);
        struct syntax_node *right = conjunction(p);
        e = right ? join(p, SYNTAX_LOGIC, SYNTAX_OR, e, right, mark, first) : NULL;
    }
    p->depth--;
    return p->pool->refused ? NULL : e;
}

/* Ranges ------------------------------------------------------------------------------------------------- */

static struct syntax_range *one_range(struct parser *p) {
    static const char hint[] = "Write  i in 1..N.";
    const struct lexer_token *first = p->at, *name = parser_name(p, "a loop index", hint);
    if (!name) return NULL;
    struct syntax_range *r = parser_range(p);
    r->name = parser_text(p, name);
    if (!parser_is_word(p, LEXER_IN)) {
        parser_unexpected(p, "`in`", hint);
        return NULL;
    }
    parser_next(p);
    r->low = parser_expression(p);
    if (!r->low || !parser_expect(p, LEXER_DOTS, "`..` and the end of the range", hint)) return NULL;
    r->high = parser_expression(p);
    if (!r->high) return NULL;
    if (parser_take_word(p, LEXER_IF)) {
        r->filter = parser_expression(p);
        if (!r->filter) return NULL;
        if (parser_is(p, LEXER_EQUALS)) {
            parser_unexpected(p, "`)`", "");
            return NULL;
        }
    }
    r->span = parser_span(p, first);
    return r;
}

struct syntax_range *parser_ranges(struct parser *p, int before_summand) {
    struct syntax_range *first = NULL, **tail = &first;
    for (;;) {
        struct syntax_range *r = one_range(p);
        if (!r) return NULL;
        *tail = r;
        tail = &r->next;
        if (!parser_is(p, LEXER_COMMA)) return first;
        int another = p->at[1].kind == LEXER_NAME && p->at[2].kind == LEXER_NAME && p->at[2].word == LEXER_IN;
        if (before_summand && !another) return first;
        parser_next(p);
    }
}
