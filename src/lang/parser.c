/* parser.c - tokens, memory, messages, blocks; see parser.h and parser_private.h. */
#include "lang/parser_private.h"

#include "lang/library.h"

#include "base/text.h"

#include <stdarg.h>
#include <string.h>

/* Tokens ------------------------------------------------------------------------------------------------- */

int parser_is(const struct parser *p, int kind) {
    return p->at->kind == kind;
}

int parser_is_word(const struct parser *p, int word) {
    return p->at->kind == LEXER_NAME && p->at->word == word;
}

int parser_is_text(const struct parser *p, const char *text) {
    return p->at->kind == LEXER_NAME && p->at->word == LEXER_NO_WORD && strlen(text) == p->at->length &&
           memcmp(text, p->s->text + p->at->offset, p->at->length) == 0;
}

/* Never past the end, where an allocation that failed may have put it. */
const struct lexer_token *parser_next(struct parser *p) {
    const struct lexer_token *token = p->at;
    if (token->kind != LEXER_END) p->at++;
    return token;
}

int parser_take(struct parser *p, int kind) {
    if (!parser_is(p, kind) || kind == LEXER_END) return 0;
    parser_next(p);
    return 1;
}

int parser_take_word(struct parser *p, int word) {
    return parser_is_word(p, word) && parser_take(p, LEXER_NAME);
}

const char *parser_text(struct parser *p, const struct lexer_token *token) {
    const char *copy = pool_copy(p->pool, p->s->text + token->offset, token->length);
    return copy ? copy : "";
}

struct syntax_span parser_span(const struct parser *p, const struct lexer_token *first) {
    const struct lexer_token *last = p->at > first ? p->at - 1 : first;
    struct syntax_span span = {first->offset, last->offset + last->length - first->offset};
    return span;
}

/* Memory: when it is exhausted the tokens end, and what is still under way works on spare nodes. --------- */

static void *take(struct parser *p, size_t bytes, void *spare) {
    void *piece = pool_take(p->pool, bytes);
    if (piece) return piece;
    p->at = p->end;
    memset(spare, 0, bytes);
    return spare;
}

struct syntax_node *parser_node(struct parser *p, enum syntax_kind kind) {
    struct syntax_node *node = take(p, sizeof *node, &p->spare_node);
    node->kind = kind;
    return node;
}

struct syntax_item *parser_item(struct parser *p) {
    return take(p, sizeof(struct syntax_item), &p->spare_item);
}

struct syntax_range *parser_range(struct parser *p) {
    return take(p, sizeof(struct syntax_range), &p->spare_range);
}

struct syntax_statement *parser_statement_new(struct parser *p) {
    return take(p, sizeof(struct syntax_statement), &p->spare_statement);
}

/* Messages ----------------------------------------------------------------------------------------------- */

/* Where the statement under way ends, with what the lexer dropped behind its last token. */
static size_t statement_end(const struct parser *p) {
    const struct lexer_token *token = p->at;
    while (token->kind != LEXER_NEWLINE && token->kind != LEXER_END) token++;
    if (token->kind == LEXER_END || token[1].offset == token->offset) return token->offset;
    return token[1].offset - 1;
}

struct source_message *parser_wrong(struct parser *p, const struct lexer_token *token, const char *format,
                                    ...) {
    /* Where the lexer found fault, what follows from it is not worth a sentence. */
    if (p->pool->refused || source_diagnosed_within(p->m, p->begin->offset, statement_end(p)))
        return &p->m->spare;
    char sentence[sizeof p->m->spare.sentence];
    va_list args;
    va_start(args, format);
    text_vset(sentence, sizeof sentence, format, args);
    va_end(args);
    return source_diagnose(p->m, SOURCE_ERROR, token->offset, token->length, "%s", sentence);
}

void parser_describe(const struct parser *p, const struct lexer_token *token, char *out, size_t capacity) {
    switch (token->kind) {
    case LEXER_END:
        text_set(out, capacity, "the end of the model");
        break;
    case LEXER_NEWLINE:
        text_set(out, capacity, "the end of the line");
        break;
    case LEXER_INDENT:
        text_set(out, capacity, "an indented line");
        break;
    case LEXER_DEDENT:
        text_set(out, capacity, "the end of the block");
        break;
    default: {
        int length = token->length > 40 ? 40 : (int)token->length;
        text_set(out, capacity, "`%.*s`", length, p->s->text + token->offset);
    }
    }
}

int parser_unexpected(struct parser *p, const char *due, const char *hint) {
    parser_junk_after(p, due, hint);
    return 0;
}

int parser_expect(struct parser *p, int kind, const char *due, const char *hint) {
    return parser_take(p, kind) ? 1 : parser_unexpected(p, due, hint);
}

const struct lexer_token *parser_name(struct parser *p, const char *what, const char *hint) {
    char found[64];
    const struct lexer_token *token = p->at;
    if (parser_is(p, LEXER_NAME) && token->word == LEXER_NO_WORD) {
        parser_next(p);
        return token;
    }
    parser_describe(p, token, found, sizeof found);
    if (token->kind == LEXER_NAME)
        source_hint(parser_wrong(p, token, "%s is a reserved word and cannot be %s.", found, what),
                    "Choose another name, %.*s_ or %.*s1 for example.", (int)token->length,
                    p->s->text + token->offset, (int)token->length, p->s->text + token->offset);
    else source_hint(parser_wrong(p, token, "%s is missing: here stands %s.", what, found), "%s", hint);
    return NULL;
}

/* Statements and blocks ---------------------------------------------------------------------------------- */

static int declares(int word) {
    return word == LEXER_PARAM || word == LEXER_LET || word == LEXER_VAR || word == LEXER_COORD ||
           word == LEXER_CANONICAL || word == LEXER_LAGRANGIAN || word == LEXER_HAMILTONIAN ||
           word == LEXER_OUTPUT;
}

/* After an error: on to the next statement.  A line that is only indented by mistake is one. */
static void skip_statement(struct parser *p) {
    if (p->begin->kind == LEXER_NAME && (declares(p->begin->word) || p->begin->word == LEXER_NO_WORD))
        p->names_lost = 1;
    while (!parser_is(p, LEXER_NEWLINE) && !parser_is(p, LEXER_END)) {
        if (p->at->deeper && p->at != p->begin && source_diagnosed_within(p->m, p->at->offset, p->at->offset))
            return;
        parser_next(p);
    }
    parser_take(p, LEXER_NEWLINE);
}

static struct syntax_statement *statements(struct parser *p, int inside);

/* Around a statement. */
enum { IN_MODE = 1, IN_FOR = 2, IN_PART = 4, IN_LIBRARY = 8 };

static int is_block(enum syntax_statement_kind kind) {
    return kind == SYNTAX_FOR || kind == SYNTAX_MODE || kind == SYNTAX_PART || kind == SYNTAX_LIBRARY ||
           kind == SYNTAX_TABLE;
}

/* May this statement stand in a part or library? */
static int fits_part(struct parser *p, const struct syntax_statement *s, int inside) {
    static const unsigned not_in_part = 1u << SYNTAX_MODEL | 1u << SYNTAX_HAMILTONIAN |
                                        1u << SYNTAX_STRUCTURE | 1u << SYNTAX_EXACT | 1u << SYNTAX_REFERENCE |
                                        1u << SYNTAX_RUN | 1u << SYNTAX_OPTIONS | 1u << SYNTAX_PART |
                                        1u << SYNTAX_LIBRARY;
    static const unsigned in_library =
        1u << SYNTAX_PARAM | 1u << SYNTAX_LET | 1u << SYNTAX_PART | 1u << SYNTAX_USE | 1u << SYNTAX_NODE;
    unsigned kind = 1u << s->kind;
    const char *word = syntax_statement_word(s->kind);
    int rows = s->kind == SYNTAX_TABLE && !s->name;
    if ((inside & IN_PART) && (rows || (kind & not_in_part))) {
        source_hint(parser_wrong(p, p->begin, "`%s` cannot stand in a part.", word),
                    "Start it at the margin.");
        return 0;
    }
    if (inside == IN_LIBRARY && !(kind & in_library)) {
        source_hint(parser_wrong(p, p->begin, "%s%s%s cannot stand in a library outside of its parts.",
                                 word[0] ? "`" : "", word[0] ? word : "an equation", word[0] ? "`" : ""),
                    "A library holds part, param, let, use and node lines.");
        return 0;
    }
    if ((inside & (IN_FOR | IN_MODE)) &&
        (s->kind == SYNTAX_PART || s->kind == SYNTAX_LIBRARY || s->kind == SYNTAX_TABLE)) {
        source_hint(parser_wrong(p, p->begin, "`%s` stands at the margin.", word), "%s", "");
        return 0;
    }
    return 1;
}

/* May this statement stand in a block of that kind? */
static int fits_block(struct parser *p, const struct syntax_statement *s, int inside) {
    static const unsigned in_mode = 1u << SYNTAX_EQUATION | 1u << SYNTAX_CONSTRAINT | 1u << SYNTAX_ROLLING |
                                    1u << SYNTAX_FORCE | 1u << SYNTAX_LET | 1u << SYNTAX_INVARIANT |
                                    1u << SYNTAX_EVENT | 1u << SYNTAX_FOR;
    static const unsigned not_in_for = 1u << SYNTAX_MODEL | 1u << SYNTAX_RUN | 1u << SYNTAX_OPTIONS |
                                       1u << SYNTAX_LAGRANGIAN | 1u << SYNTAX_HAMILTONIAN |
                                       1u << SYNTAX_STRUCTURE;
    if (!fits_part(p, s, inside)) return 0;
    unsigned kind = 1u << s->kind;
    const char *word = syntax_statement_word(s->kind);
    if ((inside & IN_MODE) && !(kind & in_mode)) {
        source_hint(parser_wrong(p, p->begin, "`%s` cannot stand in a mode.", word),
                    "Start it at the margin.  A mode holds equations, constraint, rolling, force, let, "
                    "invariant and event lines.");
        return 0;
    }
    if ((inside & IN_FOR) && !(inside & IN_PART) && (kind & not_in_for)) {
        source_hint(parser_wrong(p, p->begin, "`%s` cannot be repeated by `for`.", word),
                    "Start it at the margin.");
        return 0;
    }
    return 1;
}

static int block(struct parser *p, struct syntax_statement *s, int inside) {
    static const int around[] = {[SYNTAX_MODE] = IN_MODE,
                                 [SYNTAX_FOR] = IN_FOR,
                                 [SYNTAX_PART] = IN_PART,
                                 [SYNTAX_LIBRARY] = IN_LIBRARY,
                                 [SYNTAX_TABLE] = 0};
    int within = inside | around[s->kind];
    const char *word = syntax_statement_word(s->kind);
    if (!parser_is(p, LEXER_NEWLINE)) {
        if (parser_is_word(p, LEXER_FOR) || parser_is_word(p, LEXER_MODE)) {
            source_hint(parser_wrong(p, p->at, "a second block starts on the line of this `%s`.", word),
                        "Give it a line of its own, or take the ranges together: for i in 1..N, j in 1..M:");
            return 0;
        }
        const struct lexer_token *begin = p->begin;
        p->begin = p->at;
        s->body = parser_simple(p);
        int fits = s->body && fits_block(p, s->body, within);
        if (!fits) return 0;
        p->begin = begin;
        return parser_is(p, LEXER_NEWLINE) || parser_is(p, LEXER_END) ||
               parser_unexpected(p, "the end of the line", "");
    }
    if (p->at[1].kind != LEXER_INDENT) {
        source_hint(parser_wrong(p, p->at, "nothing is indented below this `%s`.", word),
                    s->kind == SYNTAX_FOR    ? "Indent the lines that it repeats."
                    : s->kind == SYNTAX_MODE ? "Indent the lines that hold in this mode."
                                             : "Indent its lines.");
        return 0;
    }
    p->at += 2;
    int good = s->kind != SYNTAX_TABLE || parser_rows(p, s);
    if (s->kind != SYNTAX_TABLE) s->body = statements(p, within);
    parser_take(p, LEXER_DEDENT);
    return good;
}

/* One statement with its NEWLINE and block; NULL after a message. */
static struct syntax_statement *statement(struct parser *p, int inside) {
    struct syntax_statement *s = parser_simple(p);
    if (!s || !fits_block(p, s, inside)) return NULL;
    int loaded = (s->kind == SYNTAX_LIBRARY && !parser_take(p, LEXER_COLON)) || /* `library NAME` alone */
                 (s->kind == SYNTAX_TABLE && s->name);
    if (is_block(s->kind) && !loaded) {
        int indented = parser_is(p, LEXER_NEWLINE);
        if (!block(p, s, inside)) return NULL;
        if (indented) return s;
    }
    if (!parser_is(p, LEXER_NEWLINE) && !parser_is(p, LEXER_END)) {
        parser_unexpected(p, "the end of the line", "");
        return NULL;
    }
    parser_take(p, LEXER_NEWLINE);
    return s;
}

static struct syntax_statement *statements(struct parser *p, int inside) {
    struct syntax_statement *first = NULL, **tail = &first;
    while (!parser_is(p, LEXER_END) && !parser_is(p, LEXER_DEDENT) && p->m->more == 0) {
        if (parser_take(p, LEXER_INDENT)) { /* below a header that was refused: read on for its errors */
            statements(p, inside);
            parser_take(p, LEXER_DEDENT);
            continue;
        }
        p->begin = p->at;
        p->depth = 0;
        struct syntax_statement *s = statement(p, inside);
        if (!s) {
            skip_statement(p);
            continue;
        }
        *tail = s;
        tail = &s->next;
    }
    return first;
}

/* The whole ---------------------------------------------------------------------------------------------- */

static struct syntax_file *file(struct parser *p) {
    struct syntax_file *tree = pool_take(p->pool, sizeof *tree);
    if (!tree) return NULL;
    tree->statements = statements(p, 0);
    if (p->pool->refused) return NULL;
    if (!tree->statements && p->m->errors == 0)
        source_hint(source_diagnose(p->m, SOURCE_ERROR, SOURCE_NOWHERE, 0, "the model is empty."),
                    "A first one:\n  var x\n  x' = -x\n  init x = 1\n  run 0 .. 10");
    if (!library_missing(tree)) parser_check(p, tree); /* else when they are there: names are theirs, too */
    return tree;
}

struct syntax_file *parser_run(const struct source *s, struct source_messages *m, struct pool *pool) {
    if (!source_check(s, m)) return NULL;
    struct lexer_tokens tokens = {0};
    struct parser p = {.s = s, .m = m, .pool = pool};
    struct syntax_file *tree = NULL;
    if (lexer_run(s, m, &tokens)) {
        p.at = p.begin = tokens.list;
        p.end = tokens.list + tokens.count - 1;
        tree = file(&p);
    }
    if (!tree) source_no_memory(m);
    lexer_release(&tokens);
    source_sort(m);
    return m->errors ? NULL : tree;
}

struct syntax_node *parser_run_expression(const struct source *s, struct source_messages *m,
                                          struct pool *pool) {
    if (!source_check(s, m)) return NULL;
    struct lexer_tokens tokens = {0};
    struct parser p = {.s = s, .m = m, .pool = pool};
    struct syntax_node *node = NULL;
    int whole = lexer_run(s, m, &tokens);
    if (whole) {
        p.at = p.begin = tokens.list;
        p.end = tokens.list + tokens.count - 1;
        node = parser_expression(&p);
        if (node && !parser_is(&p, LEXER_NEWLINE) && !parser_is(&p, LEXER_END))
            parser_unexpected(&p, "the end of the expression", "");
    }
    if (pool->refused || !whole) source_no_memory(m);
    lexer_release(&tokens);
    source_sort(m);
    return m->errors ? NULL : node;
}
