/* lexer_scan.c - the tokens of one physical line.  What is wrong is said here and taken for what was meant,
 * so that the parser can go on. */
#include "lang/lexer_scan.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static int letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int digit(char c) {
    return c >= '0' && c <= '9';
}

static int name_character(char c) {
    return letter(c) || digit(c) || c == '_';
}

static char peek(const struct lexer *x, size_t ahead) {
    return x->at + ahead < x->s->length ? x->s->text[x->at + ahead] : '\0';
}

static const char *text_at(const struct lexer *x, size_t offset) {
    return x->s->text + offset;
}

static int shown(size_t length) { /* of a token in a sentence */
    return length > 40 ? 40 : (int)length;
}

void lexer_push(struct lexer *x, int kind, int word, size_t offset, size_t length) {
    struct lexer_tokens *all = x->tokens;
    if (all->count == all->capacity) {
        size_t capacity = all->capacity ? 2 * all->capacity : 256;
        struct lexer_token *list = realloc(all->list, capacity * sizeof *list);
        if (!list) {
            x->exhausted = 1;
            return;
        }
        all->list = list;
        all->capacity = capacity;
    }
    struct lexer_token token = {(unsigned char)kind, (unsigned char)word, 0, 0,
                                (uint32_t)offset,    (uint32_t)length};
    all->list[all->count++] = token;
}

static struct source_message *wrong(struct lexer *x, size_t offset, size_t length, const char *what) {
    return source_diagnose(x->m, SOURCE_ERROR, offset, length, "`%.*s` %s", shown(length), text_at(x, offset),
                           what);
}

/* Names -------------------------------------------------------------------------------------------------- */

static void scan_name(struct lexer *x) {
    size_t start = x->at;
    while (name_character(peek(x, 0))) x->at++;
    size_t length = x->at - start;
    if (length > LEXER_NAME_LONGEST)
        source_hint(wrong(x, start, length, "... is too long for a name."),
                    "A name has at most %d characters.", LEXER_NAME_LONGEST);
    lexer_push(x, LEXER_NAME, lexer_word(text_at(x, start), length), start, length);
}

static void scan_underscore(struct lexer *x) {
    size_t start = x->at;
    while (name_character(peek(x, 0))) x->at++;
    source_hint(wrong(x, start, x->at - start, "does not start with a letter."),
                "A name is made of letters, digits and _, and starts with a letter.");
    lexer_push(x, LEXER_NAME, 0, start, x->at - start);
}

/* A run of letters that are not all plain. */
static void scan_foreign_name(struct lexer *x) {
    size_t start = x->at;
    const char *plain = NULL;
    while (x->at < x->s->length) {
        uint32_t point = 0;
        int size = text_character(text_at(x, x->at), x->s->length - x->at, &point);
        if (size == 0 || (point < 0x80 ? !name_character((char)point)
                                       : lexer_foreign_sign(text_at(x, x->at), x->s->length - x->at) != NULL))
            break;
        if (!plain) plain = lexer_letter(point);
        x->at += (size_t)size;
    }
    if (x->at == start) x->at++;
    struct source_message *one = wrong(x, start, x->at - start, "is not a plain character.");
    if (plain)
        source_hint(one, "Names are made of the letters a-z and A-Z, digits and _: write `%s`, for example.",
                    plain);
    else
        source_hint(
            one,
            "Names are made of the letters a-z and A-Z, digits and _; other signs may stand in comments.");
    lexer_push(x, LEXER_NAME, 0, start, x->at - start);
}

/* Numbers ------------------------------------------------------------------------------------------------ */

static void skip_digits(struct lexer *x) {
    while (digit(peek(x, 0))) x->at++;
}

/* Right after a statement word that names things, `3body` was meant to be a name. */
static int name_due(const struct lexer *x) {
    size_t count = x->tokens->count;
    int word = count > x->first ? x->tokens->list[count - 1].word : 0;
    return lexer_is_statement(word) && word != LEXER_RUN && word != LEXER_LAGRANGIAN &&
           word != LEXER_HAMILTONIAN;
}

/* A number with letters behind it. */
static void number_runs_on(struct lexer *x, size_t start) {
    size_t end = x->at;
    while (name_character(peek(x, 0))) x->at++;
    size_t length = x->at - start, digits = end - start;
    const char *number = text_at(x, start), *rest = text_at(x, end);
    size_t tail = x->at - end;
    if (name_due(x)) {
        source_hint(wrong(x, start, length, "is not a name."), "A name starts with a letter.");
        lexer_push(x, LEXER_NAME, 0, start, length);
        return;
    }
    if (rest[0] == '_' || (digits == 1 && number[0] == '0' && (rest[0] == 'x' || rest[0] == 'X') && tail > 1))
        source_hint(wrong(x, start, length, "is not a number."),
                    "Numbers are decimal, without separators: 3, 0.5, 1e-6.");
    else if ((rest[0] == 'e' || rest[0] == 'E') && tail == 1 && (peek(x, 0) == '+' || peek(x, 0) == '-'))
        source_hint(wrong(x, start, length + 1, "has no exponent."), "Write its digits: %.*se%c6.",
                    shown(digits), number, peek(x, 0));
    else
        source_hint(wrong(x, start, length, "is not a product."), "Write %.*s*%.*s.", shown(digits), number,
                    shown(tail), rest);
    lexer_push(x, LEXER_NUMBER, 0, start, digits);
}

static void scan_number(struct lexer *x) {
    size_t start = x->at;
    skip_digits(x);
    if (peek(x, 0) == '.' && digit(peek(x, 1))) {
        x->at++;
        skip_digits(x);
    } else if (peek(x, 0) == '.' && peek(x, 1) != '.') {
        source_hint(wrong(x, start, x->at + 1 - start, "is not a number: digits must follow the point."),
                    "Write %.*s or %.*s.0.", shown(x->at - start), text_at(x, start), shown(x->at - start),
                    text_at(x, start));
        lexer_push(x, LEXER_NUMBER, 0, start, x->at - start);
        x->at++;
        while (name_character(peek(x, 0))) x->at++;
        return;
    }
    size_t sign = peek(x, 1) == '+' || peek(x, 1) == '-';
    if ((peek(x, 0) == 'e' || peek(x, 0) == 'E') && digit(peek(x, 1 + sign))) {
        x->at += 1 + sign;
        skip_digits(x);
    }
    if (name_character(peek(x, 0))) {
        number_runs_on(x, start);
        return;
    }
    if (peek(x, 0) == '.' && digit(peek(x, 1))) {
        while (digit(peek(x, 0)) || (peek(x, 0) == '.' && digit(peek(x, 1)))) x->at++;
        source_hint(wrong(x, start, x->at - start, "has two points."), "A number has one decimal point.");
    }
    if (x->at - start > LEXER_LITERAL_LONGEST)
        source_hint(wrong(x, start, x->at - start, "... is too long for a number."),
                    "At most %d characters are kept.", LEXER_LITERAL_LONGEST);
    lexer_push(x, LEXER_NUMBER, 0, start, x->at - start);
}

/* Strings and signs -------------------------------------------------------------------------------------- */

static int line_ends(const struct lexer *x) {
    char c = peek(x, 0);
    return x->at >= x->s->length || c == '\n' || (c == '\r' && peek(x, 1) == '\n');
}

static void scan_string(struct lexer *x) {
    size_t start = x->at++;
    while (!line_ends(x) && peek(x, 0) != '"') x->at++;
    if (line_ends(x))
        source_hint(source_diagnose(x->m, SOURCE_ERROR, start, 1, "this string has no end on its line."),
                    "Close it with \".");
    else x->at++;
    if (x->at - start > LEXER_LITERAL_LONGEST)
        source_hint(source_diagnose(x->m, SOURCE_ERROR, start, 1, "this string is too long."),
                    "It may have %d bytes.", LEXER_LITERAL_LONGEST);
    lexer_push(x, LEXER_STRING, 0, start, x->at - start);
}

char lexer_closing(char opened) {
    return opened == '[' ? ']' : opened == '{' ? '}' : ')';
}

int lexer_closing_kind(char opened) {
    return opened == '[' ? LEXER_RIGHT : opened == '{' ? LEXER_BRACE_END : LEXER_CLOSE;
}

static void scan_open(struct lexer *x, int kind) {
    if (x->depth == SYNTAX_DEEPEST) {
        source_hint(source_diagnose(x->m, SOURCE_ERROR, x->at, 1, "more than %d brackets are open here.",
                                    SYNTAX_DEEPEST),
                    "Name parts of the expression with `let`.");
        x->given_up = 1;
        return;
    }
    x->open[x->depth++] = (uint32_t)x->at;
    lexer_push(x, kind, 0, x->at, 1);
}

static void scan_close(struct lexer *x, int kind) {
    if (x->depth == 0) {
        source_hint(source_diagnose(x->m, SOURCE_ERROR, x->at, 1, "this `%c` closes nothing.", peek(x, 0)),
                    "Remove it, or open a bracket before it.");
        return;
    }
    char opened = *text_at(x, x->open[--x->depth]);
    int fitting = lexer_closing_kind(opened);
    if (kind != fitting) {
        struct source_place place = source_place(x->s, x->open[x->depth]);
        source_hint(source_diagnose(x->m, SOURCE_ERROR, x->at, 1,
                                    "`%c` does not close the `%c` of line %d, column %d.", peek(x, 0), opened,
                                    place.line, place.column),
                    "Write %c here.", lexer_closing(opened));
    }
    lexer_push(x, fitting, 0, x->at, 1);
}

static const struct {
    char text[3];
    unsigned char kind;
} signs[] = {
    {":=", LEXER_ASSIGN}, {"->", LEXER_ARROW}, {"..", LEXER_DOTS}, {"<=", LEXER_LE},   {">=", LEXER_GE},
    {"==", LEXER_EQ},     {"!=", LEXER_NE},    {"+", LEXER_PLUS},  {"-", LEXER_MINUS}, {"*", LEXER_STAR},
    {"/", LEXER_SLASH},   {"^", LEXER_CARET},  {"'", LEXER_PRIME}, {",", LEXER_COMMA}, {":", LEXER_COLON},
    {"=", LEXER_EQUALS},  {".", LEXER_DOT},    {"<", LEXER_LT},    {">", LEXER_GT},
};

/* Bytes of keel's own sign that starts here, 0 if there is none. */
static size_t own_sign(const struct lexer *x, int *kind) {
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        size_t length = strlen(signs[i].text);
        if (peek(x, 0) != signs[i].text[0] || (length == 2 && peek(x, 1) != signs[i].text[1])) continue;
        *kind = signs[i].kind;
        return length;
    }
    return 0;
}

/* From one typographic quote to the next, or to a plain one. */
static void scan_quoted(struct lexer *x, size_t quote) {
    size_t start = x->at;
    x->at += quote;
    while (!line_ends(x)) {
        const struct lexer_foreign *sign = lexer_foreign_sign(text_at(x, x->at), x->s->length - x->at);
        size_t closing = peek(x, 0) == '"' ? 1 : sign && sign->write[0] == '"' ? strlen(sign->sign) : 0;
        x->at += closing ? closing : 1;
        if (closing) break;
    }
    lexer_push(x, LEXER_STRING, 0, start, x->at - start);
}

static void scan_foreign_sign(struct lexer *x, const struct lexer_foreign *sign) {
    if (*sign->sign == '}' && x->depth && *text_at(x, x->open[x->depth - 1]) == '{') { /* said at its { */
        x->depth--;
        lexer_push(x, LEXER_CLOSE, 0, x->at++, 1);
        return;
    }
    size_t length = strlen(sign->sign), written = strlen(sign->write);
    int nothing = written == 0 || sign->write[0] == ' ', plain = (unsigned char)sign->sign[0] < 0x80;
    int infix = sign->kind >= LEXER_NAME && sign->kind != LEXER_OPEN && sign->kind != LEXER_CLOSE;
    struct source_message *one =
        nothing ? source_diagnose(x->m, SOURCE_ERROR, x->at, length, "a character that keel does not know.")
                : wrong(x, x->at, length,
                        !plain  ? "is not a plain character."
                        : infix ? "is not an operator."
                                : "has no meaning in a model.");
    if (sign->about) source_hint(one, "%s", sign->about);
    else source_hint(one, "Write  %s  instead.", sign->write);
    if (sign->write[0] == '"') {
        scan_quoted(x, length);
        return;
    }
    if (sign->kind == LEXER_OPEN) {
        scan_open(x, LEXER_OPEN);
    } else if (sign->kind == LEXER_CLOSE) {
        if (x->depth) lexer_push(x, lexer_closing_kind(*text_at(x, x->open[--x->depth])), 0, x->at, length);
    } else if (sign->kind != LEXER_END) {
        lexer_push(x, sign->kind, sign->word, x->at, length);
    }
    x->at += length;
    if (sign->write[0] == '#')
        while (!line_ends(x)) x->at++;
}

/* The longer of keel's own and a foreign sign: `!=` is keel's, `**` is not. */
static int scan_sign(struct lexer *x) {
    int kind = 0;
    size_t length = own_sign(x, &kind);
    const struct lexer_foreign *sign = lexer_foreign_sign(text_at(x, x->at), x->s->length - x->at);
    if (sign && strlen(sign->sign) > length) {
        scan_foreign_sign(x, sign);
        return 1;
    }
    if (length == 0) return 0;
    if (kind == LEXER_COLON && x->depth == 0) x->colon = 1;
    lexer_push(x, kind, 0, x->at, length);
    x->at += length;
    return 1;
}

static void scan_stray(struct lexer *x) {
    unsigned char c = (unsigned char)peek(x, 0);
    if (c >= 0x80) {
        scan_foreign_name(x);
        return;
    }
    if (c < 0x20 || c == 0x7F)
        source_hint(source_diagnose(x->m, SOURCE_ERROR, x->at, 1, "a control character, 0x%02X.", c),
                    "Remove it.");
    else source_hint(wrong(x, x->at, 1, "has no meaning here."), "Remove it; a comment starts with #.");
    x->at++;
}

static void scan_token(struct lexer *x) {
    char c = peek(x, 0);
    if (letter(c)) scan_name(x);
    else if (c == '_') scan_underscore(x);
    else if (digit(c) || (c == '.' && digit(peek(x, 1)))) scan_number(x);
    else if (c == '"') scan_string(x);
    else if (c == '(' || c == '[') {
        scan_open(x, c == '(' ? LEXER_OPEN : LEXER_LEFT);
        x->at++;
    } else if (c == ')' || c == ']') {
        scan_close(x, c == ')' ? LEXER_CLOSE : LEXER_RIGHT);
        x->at++;
    } else if (x->declares && (c == '{' || c == '}')) {
        if (c == '{') scan_open(x, LEXER_BRACE);
        else scan_close(x, LEXER_BRACE_END);
        x->at++;
    } else if (!scan_sign(x)) scan_stray(x);
}

void lexer_scan_line(struct lexer *x) {
    while (!line_ends(x) && !x->exhausted && !x->given_up) {
        char c = peek(x, 0);
        if (c == ' ' || c == '\t') x->at++;
        else if (c == '#')
            while (!line_ends(x)) x->at++;
        else scan_token(x);
    }
    if (x->at < x->s->length && peek(x, 0) == '\r') x->at++;
    if (x->at < x->s->length) x->at++;
}
