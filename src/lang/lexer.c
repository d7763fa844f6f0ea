/* lexer.c - physical lines to statements and blocks; see lexer.h.
 *
 * A statement goes on over lines inside brackets, after an operator, and deeper than it began.  A bracket
 * that is never closed would swallow the rest of the model: when a statement word or the end shows that it
 * did, the lexer goes back to the first line that did not look like a continuation.  The number of messages
 * bounds how often. */
#include "lang/lexer_scan.h"

#include <stdlib.h>
#include <string.h>

/* Lines -------------------------------------------------------------------------------------------------- */

static char character(const struct lexer *x, size_t at) {
    return at < x->s->length ? x->s->text[at] : '\0';
}

static size_t skip_blanks(const struct lexer *x, size_t at) {
    while (character(x, at) == ' ' || character(x, at) == '\t') at++;
    return at;
}

/* Go to the next line that has more than a comment; 0 at the end of the text. */
static int find_line(struct lexer *x) {
    while (x->at < x->s->length) {
        size_t at = skip_blanks(x, x->at);
        char c = character(x, at);
        int empty =
            at >= x->s->length || c == '#' || c == '\n' || (c == '\r' && character(x, at + 1) == '\n');
        if (!empty) return 1;
        while (at < x->s->length && x->s->text[at] != '\n') at++;
        x->at = at < x->s->length ? at + 1 : at;
    }
    return 0;
}

/* Indentation of the line at x->at in columns; a tab goes to the next multiple of eight, but has no
 * business beside blanks. */
static int measure_indent(struct lexer *x, int inside_brackets) {
    size_t end = skip_blanks(x, x->at);
    int width = 0, other = 0;
    for (size_t i = x->at; i < end; i++) {
        char c = x->s->text[i];
        width = c == '\t' ? (width / 8 + 1) * 8 : width + 1;
        if (inside_brackets) continue;
        if (!x->indent_by) {
            x->indent_by = c;
            x->indent_seen = x->at;
        }
        other |= c != x->indent_by;
    }
    if (other && !x->indent_mixed) {
        struct source_place first = source_place(x->s, x->indent_seen);
        x->indent_mixed = 1;
        struct source_message *one = source_diagnose(
            x->m, SOURCE_ERROR, x->at, end - x->at, "tabs and spaces are mixed: line %d is indented with %s.",
            first.line, x->indent_by == ' ' ? "spaces" : "tabs");
        source_hint(one, "Use one of them throughout; four spaces are customary.");
    }
    return width;
}

static int first_word(const struct lexer *x) {
    size_t at = skip_blanks(x, x->at), end = at;
    while (end < x->s->length && ((x->s->text[end] | 32) >= 'a' && (x->s->text[end] | 32) <= 'z')) end++;
    char next = character(x, end);
    if (next == '_' || (next >= '0' && next <= '9')) return 0;
    return lexer_word(x->s->text + at, end - at);
}

/* What the word that begins the line, and is one only before a name or a string, stands before; 0: it is
 * another word. */
static char before(const struct lexer *x, const char *word) {
    size_t at = skip_blanks(x, x->at), length = strlen(word), next = skip_blanks(x, at + length);
    if (next == at + length || next >= x->s->length || memcmp(x->s->text + at, word, length) != 0) return 0;
    char c = character(x, next);
    return (c | 32) >= 'a' && (c | 32) <= 'z' ? 'a' : c;
}

/* `part Rod(m, l):`, `library circuit:`, `table "load.csv":`. */
static int opens_part(const struct lexer *x) {
    return before(x, "part") == 'a' || before(x, "library") == 'a' || before(x, "table") == '"';
}

/* Statements --------------------------------------------------------------------------------------------- */

static const struct lexer_token *last_token(const struct lexer *x) {
    return &x->tokens->list[x->tokens->count - 1];
}

static int ends_open(const struct lexer_token *last) {
    switch (last->kind) {
    case LEXER_PLUS:
    case LEXER_MINUS:
    case LEXER_STAR:
    case LEXER_SLASH:
    case LEXER_CARET:
    case LEXER_COMMA:
    case LEXER_ASSIGN:
    case LEXER_EQUALS:
    case LEXER_ARROW:
    case LEXER_DOTS:
    case LEXER_LT:
    case LEXER_LE:
    case LEXER_GT:
    case LEXER_GE:
    case LEXER_EQ:
    case LEXER_NE:
        return 1;
    case LEXER_NAME:
        return last->word == LEXER_AND || last->word == LEXER_OR || last->word == LEXER_NOT ||
               last->word == LEXER_IN;
    default:
        return 0;
    }
}

static void end_statement(struct lexer *x) {
    if (!x->under_way) return;
    if (x->tokens->count > x->first) {
        const struct lexer_token *last = last_token(x);
        lexer_push(x, LEXER_NEWLINE, 0, last->offset + last->length, 0);
    }
    x->header = x->header && x->colon && x->tokens->count > x->first + 1 &&
                x->tokens->list[x->tokens->count - 2].kind == LEXER_COLON;
    x->under_way = 0;
    x->depth = 0;
}

static void odd_indent(struct lexer *x, int indent, size_t at) {
    if (x->indent_mixed || indent == x->indent_odd) return;
    x->indent_odd = indent;
    if (x->tokens->count == 0)
        source_hint(source_diagnose(x->m, SOURCE_ERROR, at, 1,
                                    "the first line is indented, and there is nothing it could belong to."),
                    "Start it at the margin.");
    else
        source_hint(source_diagnose(x->m, SOURCE_ERROR, at, 1,
                                    "the indentation of this line fits no block around it."),
                    "Indent it like the lines it belongs to, or start it at the margin.");
}

static void begin_statement(struct lexer *x, int indent) {
    size_t at = skip_blanks(x, x->at);
    if (x->header && indent > x->indent[x->blocks]) {
        if (x->blocks + 1 == LEXER_BLOCKS) {
            source_hint(source_diagnose(x->m, SOURCE_ERROR, at, 1,
                                        "more than %d blocks lie within each other.", LEXER_BLOCKS - 1),
                        "Take several ranges into one line: for i in 1..N, j in 1..M:");
            x->given_up = 1;
            return;
        }
        x->indent[++x->blocks] = indent;
        lexer_push(x, LEXER_INDENT, 0, at, 0);
    }
    while (indent < x->indent[x->blocks]) {
        x->blocks--;
        lexer_push(x, LEXER_DEDENT, 0, at, 0);
    }
    if (indent != x->indent[x->blocks]) odd_indent(x, indent, at);
    x->under_way = 1;
    x->margin = indent;
    int word = first_word(x);
    x->header = word == LEXER_FOR || word == LEXER_MODE || opens_part(x);
    x->declares = word == LEXER_VAR || word == LEXER_RUN || word == LEXER_COORD || word == LEXER_CANONICAL ||
                  word == LEXER_PARAM || word == LEXER_INIT || word == LEXER_GUESS || word == LEXER_OUTPUT ||
                  word == LEXER_FOR || before(x, "use") == 'a' || before(x, "part") == 'a';
    x->colon = x->may_go_back = 0;
    x->first = x->tokens->count;
}

/* Joining ------------------------------------------------------------------------------------------------ */

static void unclosed(struct lexer *x, uint32_t bracket) {
    char opened = x->s->text[bracket];
    source_hint(source_diagnose(x->m, SOURCE_ERROR, bracket, 1, "this `%c` is not closed.", opened),
                "Write %c where it ends.", lexer_closing(opened));
}

/* The bracket swallowed a statement: end it where that began to be likely.  1 if the lexer went back. */
static int close_brackets(struct lexer *x) {
    if (!x->may_go_back) {
        unclosed(x, x->open[x->depth - 1]);
        x->depth = 0;
        return 0;
    }
    x->at = x->back_at;
    x->tokens->count = x->back_count;
    source_forget(x->m, x->back_messages);
    unclosed(x, x->back_open);
    x->depth = 0;
    return 1;
}

static void note_way_back(struct lexer *x) {
    if (x->may_go_back) return;
    x->may_go_back = 1;
    x->back_at = x->at;
    x->back_count = x->tokens->count;
    x->back_messages = x->m->count;
    x->back_open = x->open[x->depth - 1];
}

static void missing_colon(struct lexer *x) {
    const struct lexer_token *first = &x->tokens->list[x->first], *last = last_token(x);
    size_t end = last->offset + last->length;
    source_hint(source_diagnose(x->m, SOURCE_ERROR, end, 1, "`:` is missing at the end of this `%.*s` line.",
                                (int)first->length, x->s->text + first->offset),
                first->word == LEXER_FOR    ? "Write  for i in 1..N:  and indent what is repeated."
                : first->word == LEXER_MODE ? "Write  mode NAME:  and indent what holds in it."
                                            : "Write  part NAME(arguments):  and indent its lines.");
    lexer_push(x, LEXER_COLON, 0, end, 0);
    x->colon = 1;
}

/* A line that starts like this can only be the middle of an expression. */
static int starts_inside(const struct lexer *x) {
    char c = character(x, skip_blanks(x, x->at));
    int word = first_word(x);
    return (c && strchr("+-*/^=<>!,)].", c)) || word == LEXER_AND || word == LEXER_OR || word == LEXER_IF ||
           word == LEXER_IN;
}

enum joint { SEPARATE, JOINED, DEEPER, RETURNED };

static enum joint join(struct lexer *x, int indent) {
    const struct lexer_token *last = last_token(x);
    int word = first_word(x), statement = lexer_is_statement(word);
    if (x->depth > 0) {
        if (statement) return close_brackets(x) ? RETURNED : SEPARATE;
        if (indent <= x->margin) note_way_back(x);
        return JOINED;
    }
    int action = word == LEXER_MODE && (last->kind == LEXER_COMMA || last->kind == LEXER_ARROW);
    if (ends_open(last) && (!statement || action)) return JOINED;
    if (x->header && last->kind == LEXER_COLON) return SEPARATE;
    if (indent <= x->margin) return SEPARATE;
    if (x->header && !x->colon && !starts_inside(x)) {
        missing_colon(x);
        return SEPARATE;
    }
    return DEEPER;
}

/* A statement word never goes on with a statement: its line is only indented by mistake. */
static int stray(struct lexer *x) {
    if (!lexer_is_statement(first_word(x))) return 0;
    size_t at = skip_blanks(x, x->at), begin = x->tokens->list[x->first].offset;
    struct source_place place = source_place(x->s, begin);
    int length = 0;
    while (length < 24 && begin + (size_t)length < x->s->length &&
           x->s->text[begin + (size_t)length] >= ' ' && x->s->text[begin + (size_t)length] != '#')
        length++;
    while (length > 1 && x->s->text[begin + (size_t)length - 1] == ' ') length--;
    struct source_message *one =
        source_diagnose(x->m, SOURCE_ERROR, at, 1,
                        "this line is indented, so it continues line %d (`%.*s`), and does not fit there.",
                        place.line, length, x->s->text + begin);
    source_hint(one, x->blocks ? "Indent it like line %d." : "Start it at the margin.", place.line);
    return 1;
}

static void next_line(struct lexer *x) {
    int indent = measure_indent(x, x->depth > 0), deeper = 0;
    if (x->under_way && x->tokens->count > x->first) {
        enum joint joint = join(x, indent);
        if (joint == RETURNED) {
            end_statement(x);
            return;
        }
        if (joint == DEEPER && stray(x)) {
            indent = x->margin;
            joint = SEPARATE;
        }
        deeper = joint == DEEPER;
        if (joint == SEPARATE) end_statement(x);
    }
    if (x->under_way && x->tokens->count == x->first) end_statement(x); /* nothing but stray signs so far */
    if (!x->under_way) begin_statement(x, indent);
    if (x->given_up) return;
    size_t count = x->tokens->count;
    x->at = skip_blanks(x, x->at);
    lexer_scan_line(x);
    if (x->tokens->count > count) {
        x->tokens->list[count].first = 1;
        x->tokens->list[count].deeper = (unsigned char)deeper;
    }
}

int lexer_run(const struct source *s, struct source_messages *m, struct lexer_tokens *tokens) {
    struct lexer x = {.s = s, .m = m, .tokens = tokens, .indent_odd = -1};
    if (s->length >= 3 && memcmp(s->text, "\xEF\xBB\xBF", 3) == 0) x.at = 3; /* a byte-order mark */
    while (!x.exhausted && !x.given_up && m->more == 0) {
        if (find_line(&x)) {
            next_line(&x);
        } else {
            if (!x.under_way || x.depth == 0 || !close_brackets(&x)) break;
            end_statement(&x);
        }
    }
    end_statement(&x);
    for (; x.blocks > 0; x.blocks--) lexer_push(&x, LEXER_DEDENT, 0, s->length, 0);
    lexer_push(&x, LEXER_END, 0, s->length, 0);
    return !x.exhausted;
}

void lexer_release(struct lexer_tokens *tokens) {
    free(tokens->list);
    tokens->list = NULL;
    tokens->count = tokens->capacity = 0;
}
