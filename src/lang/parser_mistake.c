/* parser_mistake.c - sentences for what does not fit: words and habits of other languages, and what is
 * simply missing. */
#include "lang/parser_private.h"

#include "base/text.h"

#include <string.h>

static int word_length(const struct lexer_token *token) {
    return token->length > 40 ? 40 : (int)token->length;
}

static const char *word_text(const struct parser *p, const struct lexer_token *token) {
    return p->s->text + token->offset;
}

/* Statement words ---------------------------------------------------------------------------------------- */

/* What other languages start a line with, and what to do here. */
static const struct {
    const char *word, *hint;
} habits[] = {
    {"parameter", "Constants are declared with `param`:  param a = 1."},
    {"parameters", "Constants are declared with `param`:  param a = 1, b = 2."},
    {"const", "Constants are declared with `param`:  param a = 1."},
    {"constant", "Constants are declared with `param`:  param a = 1."},
    {"variable", "Unknowns are declared with `var`:  var x, y."},
    {"variables", "Unknowns are declared with `var`:  var x, y."},
    {"state", "Unknowns are declared with `var`:  var x, y."},
    {"states", "Unknowns are declared with `var`:  var x, y."},
    {"unknown", "Unknowns are declared with `var`:  var x, y."},
    {"real", "Unknowns are declared with `var`, constants with `param`."},
    {"double", "Unknowns are declared with `var`, constants with `param`."},
    {"int", "Constants are declared with `param`; there is one kind of number."},
    {"integer", "Constants are declared with `param`; there is one kind of number."},
    {"equation", "An equation needs no word before it:  x' = -x."},
    {"equations", "An equation needs no word before it:  x' = -x."},
    {"eq", "An equation needs no word before it:  x' = -x."},
    {"initial", "Start values are given with `init`:  init x = 1, x' = 0."},
    {"when", "Write  event NAME: expr rising -> actions."},
    {"on", "Write  event NAME: expr rising -> actions."},
    {"while", "There are no loops in time; repetition over indices is  for i in 1..N:"},
    {"end", "A block ends where its indentation ends; remove this line."},
    {"endfor", "A block ends where its indentation ends; remove this line."},
    {"function", "A function is  let g(x) = expr."},
    {"def", "A function is  let g(x) = expr, any other name  let r = expr."},
    {"define", "A function is  let g(x) = expr, any other name  let r = expr."},
    {"print", "Further columns are  output NAME = expr."},
    {"plot", "Further columns are  output NAME = expr; `keel run --plot` draws."},
    {"import", "A model is one file."},
    {"include", "A model is one file."},
    {"time", "The time span is  run 0 .. 10."},
    {"tspan", "The time span is  run 0 .. 10."},
    {"simulate", "The time span is  run 0 .. 10."},
    {"solve", "The time span is  run 0 .. 10."},
    {"integrate", "The time span is  run 0 .. 10."},
    {"conserve", "A conserved quantity is  invariant NAME = expr."},
    {"conserved", "A conserved quantity is  invariant NAME = expr."},
    {"potential", "Write the whole Lagrangian:  lagrangian T - V."},
    {"kinetic", "Write the whole Lagrangian:  lagrangian T - V."},
    {"else", "Write  if(condition, a, b)  in an expression, or modes with events between them."},
    {"elif", "Write  if(condition, a, b)  in an expression, or modes with events between them."},
    {"every", "Write  event NAME: every 0.01 -> x := 0."},
    {"at", "Write  event NAME: at t = 3 -> x := 0."},
};

static void lower(const struct parser *p, const struct lexer_token *token, char *out, size_t capacity) {
    size_t length = token->length < capacity - 1 ? token->length : capacity - 1;
    for (size_t i = 0; i < length; i++) {
        char c = word_text(p, token)[i];
        out[i] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
    }
    out[length] = '\0';
}

static const char *nearest_statement(const char *word) {
    const char *best = NULL;
    int least = (int)strlen(word) / 4 + 2;
    if ((int)strlen(word) < 3) least = 1; /* a name of one or two letters is near to everything */
    for (int i = LEXER_MODEL; i <= LEXER_FOR; i++) {
        int distance = text_distance(word, lexer_word_text(i));
        if (distance < least) {
            least = distance;
            best = lexer_word_text(i);
        }
    }
    return best;
}

static int line_has(const struct parser *p, int kind) {
    for (const struct lexer_token *t = p->at; t->kind != LEXER_NEWLINE && t->kind != LEXER_END; t++)
        if (t->kind == kind) return 1;
    return 0;
}

int parser_not_a_statement(struct parser *p) {
    const struct lexer_token *next = p->at + 1;
    if (p->at->kind != LEXER_NAME || p->at->word != LEXER_NO_WORD) return 0;
    int followed =
        next->kind == LEXER_NEWLINE || next->kind == LEXER_NUMBER || next->kind == LEXER_STRING ||
        next->kind == LEXER_COLON ||
        (next->kind == LEXER_NAME && next->word != LEXER_AND && next->word != LEXER_OR && !next->deeper);
    if (!followed) return 0;
    char word[48];
    lower(p, p->at, word, sizeof word);
    const char *habit = NULL, *near = nearest_statement(word);
    for (size_t i = 0; i < sizeof habits / sizeof habits[0]; i++)
        if (strcmp(habits[i].word, word) == 0) habit = habits[i].hint;
    if (!habit && !near && line_has(p, LEXER_EQUALS) && next->kind != LEXER_COLON)
        return 0; /* an equation, rather */
    struct source_message *one =
        parser_wrong(p, p->at, "`%.*s` is not a statement.", word_length(p->at), word_text(p, p->at));
    if (habit) source_hint(one, "%s", habit);
    else if (near) source_hint(one, "Did you mean `%s`?", near);
    else
        source_hint(one, "A line starts with a statement word, such as param, var, init or run, or is an "
                         "equation  lhs = rhs.");
    return 1;
}

/* Operands ----------------------------------------------------------------------------------------------- */

static int missing_word(struct parser *p) {
    int word = p->at->word;
    struct source_message *one;
    if (p->at->kind != LEXER_NAME) return 0;
    if (word == LEXER_NOT) {
        one = parser_wrong(p, p->at, "`not` stands before a whole comparison.");
        source_hint(one, "Put brackets around it: (not (a < b)).");
    } else if (lexer_is_statement(word) && p->at->first && p->at > p->begin) {
        const struct lexer_token *last = p->at - 1;
        one = parser_wrong(p, last, "the line ends in `%.*s`, and nothing follows.", word_length(last),
                           word_text(p, last));
        source_hint(one, "Complete the expression.");
    } else if ((word == LEXER_RISING || word == LEXER_FALLING || word == LEXER_CROSSING) &&
               p->at > p->begin) {
        char before[64];
        parser_describe(p, p->at - 1, before, sizeof before);
        one = parser_wrong(p, p->at, "an expression is missing after %s.", before);
        source_hint(one, "Write it here.");
    } else {
        one = parser_wrong(p, p->at, "`%s` is a reserved word, not a name.", lexer_word_text(word));
        source_hint(one, "Choose another name, %s_ or %s1 for example.", lexer_word_text(word),
                    lexer_word_text(word));
    }
    return 1;
}

void parser_missing_operand(struct parser *p) {
    char here[64], before[64] = "";
    if (missing_word(p)) return;
    const struct lexer_token *last = p->at > p->begin ? p->at - 1 : p->at;
    parser_describe(p, p->at, here, sizeof here);
    if (last != p->at) parser_describe(p, last, before, sizeof before);
    switch (p->at->kind) {
    case LEXER_STRING:
        source_hint(parser_wrong(p, p->at, "a string is not a value."), "Strings stand in `options` only.");
        break;
    case LEXER_PRIME:
        source_hint(parser_wrong(p, p->at, "`'` has no name before it."),
                    "x' is the time derivative of x; strings are written with \".");
        break;
    case LEXER_STAR:
    case LEXER_SLASH:
    case LEXER_CARET:
        source_hint(parser_wrong(p, p->at, "%s has no left side.", here), "Write what stands before it.");
        break;
    case LEXER_NEWLINE:
    case LEXER_END:
        source_hint(parser_wrong(p, p->at, "an expression is missing%s%s.", *before ? " after " : "", before),
                    "Write it on this line, or indent the next.");
        break;
    default:
        if (*before)
            source_hint(parser_wrong(p, p->at, "an expression is missing between %s and %s.", before, here),
                        "Write it here.");
        else
            source_hint(parser_wrong(p, p->at, "a line cannot start with %s.", here),
                        "Start with a statement word or an equation.");
    }
}

/* What follows ------------------------------------------------------------------------------------------- */

/* The first token of the line a token is on, if that line continues only by its indentation. */
static const struct lexer_token *deeper_line(const struct parser *p, const struct lexer_token *token) {
    while (token > p->begin && !token->first) token--;
    return token->deeper && token > p->begin ? token : NULL;
}

static void stray_line(struct parser *p, const struct lexer_token *token) {
    struct source_place place = source_place(p->s, p->begin->offset);
    const char *text = word_text(p, p->begin);
    int length = 0, most = (int)(token->offset - p->begin->offset);
    while (length < 24 && length < most && text[length] >= ' ' && text[length] != '#') length++;
    while (length > 1 && text[length - 1] == ' ') length--;
    source_hint(
        parser_wrong(p, token,
                     "this line is indented, so it continues line %d (`%.*s`), and does not fit there.",
                     place.line, length, text),
        place.column > 1 ? "Indent it like line %d." : "Start it at the margin.", place.line);
}

static int ends_operand(const struct lexer_token *token) {
    int kind = token->kind, word = token->word;
    if (kind == LEXER_NAME)
        return word == LEXER_NO_WORD || word == LEXER_T || word == LEXER_PI || word == LEXER_ENERGY;
    return kind == LEXER_NUMBER || kind == LEXER_CLOSE || kind == LEXER_RIGHT || kind == LEXER_PRIME;
}

static int starts_operand(const struct lexer_token *token) {
    if (token->kind == LEXER_NAME)
        return ends_operand(token) || token->word == LEXER_SUM || token->word == LEXER_LAMBDA ||
               token->word >= LEXER_FUNCTION;
    return token->kind == LEXER_NUMBER || token->kind == LEXER_OPEN;
}

/* `var x y`, `init x = 1 y = 2`: the next entry of a list begins here. */
static int begins_entry(const struct parser *p) {
    int word = p->begin->word, declares = word == LEXER_VAR || word == LEXER_COORD || word == LEXER_CANONICAL;
    int assigns = word == LEXER_PARAM || word == LEXER_INIT || word == LEXER_GUESS || word == LEXER_LET ||
                  word == LEXER_OUTPUT || word == LEXER_EXACT || word == LEXER_REFERENCE;
    return p->at->kind == LEXER_NAME && (declares || (assigns && line_has(p, LEXER_EQUALS)));
}

static void missing_operator(struct parser *p) {
    const struct lexer_token *left = p->at - 1, *right = p->at;
    char one[64], other[64];
    parser_describe(p, left, one, sizeof one);
    parser_describe(p, right, other, sizeof other);
    if (begins_entry(p)) {
        source_hint(parser_wrong(p, right, "a comma is missing between %s and %s.", one, other),
                    "The entries of a list are separated by commas:  %s a, b.",
                    lexer_word_text(p->begin->word));
        return;
    }
    struct source_message *message =
        parser_wrong(p, right, "an operator is missing between %s and %s.", one, other);
    if (left->kind == LEXER_NAME && right->kind == LEXER_NUMBER)
        source_hint(message, "Write %.*s*%.*s, or %.*s[%.*s] for an element.", word_length(left),
                    word_text(p, left), word_length(right), word_text(p, right), word_length(left),
                    word_text(p, left), word_length(right), word_text(p, right));
    else if (left->kind == LEXER_PRIME)
        source_hint(message,
                    "A product is written with *.  x' is the derivative of x; strings are written with \".");
    else
        source_hint(message, "A product is written with *:  %.*s*%.*s.", word_length(left),
                    word_text(p, left), word_length(right), word_text(p, right));
}

static void extra_equals(struct parser *p, int inside) {
    const struct lexer_token *line = p->at;
    while (line > p->begin && !line->first) line--;
    if (inside) {
        source_hint(parser_wrong(p, p->at, "`=` states an equation and cannot stand in an expression."),
                    "To compare write ==.");
        return;
    }
    struct source_message *one = parser_wrong(p, p->at, "a second `=`.");
    if (line > p->begin) {
        char last[64];
        parser_describe(p, line - 1, last, sizeof last);
        source_hint(one, "Line %d ends in %s, so this one continues it.",
                    source_place(p->s, line[-1].offset).line, last);
    } else source_hint(one, "Write two equations on two lines; to compare write ==.");
}

void parser_junk_after(struct parser *p, const char *due, const char *hint) {
    const struct lexer_token *token = p->at, *line = deeper_line(p, token);
    int at_end = strncmp(due, "the end", 7) == 0,
        closing = strcmp(due, "`)`") == 0 || strcmp(due, "`]`") == 0;
    char here[64];
    parser_describe(p, token, here, sizeof here);
    if (line && (token == line || at_end)) {
        stray_line(p, line);
    } else if (token->kind == LEXER_ASSIGN) {
        source_hint(parser_wrong(p, token, "`:=` assigns, and does so only in the actions of an event."),
                    "Equations, definitions and start values are written with =.");
    } else if (token->kind == LEXER_EQ) {
        source_hint(parser_wrong(p, token, "`==` compares."),
                    "Equations, definitions and start values are written with one =.");
    } else if (token->kind == LEXER_EQUALS && (at_end || closing || strcmp(due, "`]`") == 0)) {
        extra_equals(p, closing || strcmp(due, "the end of the expression") == 0);
    } else if (token->kind == LEXER_DOTS && (at_end || closing)) {
        source_hint(parser_wrong(p, token, "a range cannot stand here."),
                    "Ranges belong to declarations (x[1..3]), `for`, `sum` and `run`.");
    } else if (token > p->begin && (at_end || closing) && ends_operand(token - 1) && starts_operand(token)) {
        missing_operator(p);
    } else if (token->kind == LEXER_PRIME && (at_end || closing)) {
        source_hint(parser_wrong(p, token, "`'` does not fit here."),
                    "x' is the time derivative of x; strings are written with \".");
    } else if (token->kind == LEXER_NEWLINE || token->kind == LEXER_END) {
        source_hint(parser_wrong(p, token, "%s is missing at the end of the line.", due), "%s", hint);
    } else if (at_end) {
        source_hint(parser_wrong(p, token, "%s does not fit here: the statement should end before it.", here),
                    "%s", *hint ? hint : "Remove it, or write the next statement on a line of its own.");
    } else {
        source_hint(parser_wrong(p, token, "%s is missing before %s.", due, here), "%s", hint);
    }
}
