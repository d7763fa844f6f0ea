/* lexer_words.c - tables: the reserved words, keel's functions, and signs that people bring from
 * elsewhere. */
#include "lang/lexer_scan.h"

#include <string.h>

struct word {
    const char *text;
    int least, most; /* arguments of a function; most 0: no limit */
};

static const struct word words[] = {
    {"", 0, 0},          {"model", 0, 0},      {"param", 0, 0},      {"var", 0, 0},         {"coord", 0, 0},
    {"canonical", 0, 0}, {"let", 0, 0},        {"lagrangian", 0, 0}, {"hamiltonian", 0, 0}, {"force", 0, 0},
    {"structure", 0, 0}, {"constraint", 0, 0}, {"rolling", 0, 0},    {"invariant", 0, 0},   {"init", 0, 0},
    {"guess", 0, 0},     {"event", 0, 0},      {"mode", 0, 0},       {"start", 0, 0},       {"output", 0, 0},
    {"exact", 0, 0},     {"reference", 0, 0},  {"run", 0, 0},        {"options", 0, 0},     {"for", 0, 0},
    {"in", 0, 0},        {"if", 3, 3},         {"and", 0, 0},        {"or", 0, 0},          {"not", 0, 0},
    {"sum", 0, 0},       {"t", 0, 0},          {"pi", 0, 0},         {"lambda", 0, 0},      {"energy", 0, 0},
    {"rising", 0, 0},    {"falling", 0, 0},    {"crossing", 0, 0},   {"record", 0, 0},      {"stop", 0, 0},
    {"der", 1, 1},       {"sqrt", 1, 1},       {"cbrt", 1, 1},       {"exp", 1, 1},         {"expm1", 1, 1},
    {"log", 1, 1},       {"log1p", 1, 1},      {"log10", 1, 1},      {"sin", 1, 1},         {"cos", 1, 1},
    {"tan", 1, 1},       {"asin", 1, 1},       {"acos", 1, 1},       {"atan", 1, 1},        {"atan2", 2, 2},
    {"sinh", 1, 1},      {"cosh", 1, 1},       {"tanh", 1, 1},       {"asinh", 1, 1},       {"acosh", 1, 1},
    {"atanh", 1, 1},     {"abs", 1, 1},        {"sign", 1, 1},       {"min", 2, 0},         {"max", 2, 0},
    {"floor", 1, 1},     {"mod", 2, 2},        {"hypot", 2, 2},      {"dot", 2, 3},         {"cross", 2, 2},
    {"norm", 1, 1},      {"sn", 2, 2},         {"cn", 2, 2},         {"dn", 2, 2},          {"ellipk", 1, 1},
    {"ellipe", 1, 1},    {"jacobieps", 2, 2},  {"jacobisd2", 2, 2},
};

enum { WORDS = sizeof words / sizeof words[0] };

int lexer_word(const char *text, size_t length) {
    for (int i = 1; i < WORDS; i++)
        if (length > 0 && words[i].text[0] == text[0] && strncmp(words[i].text, text, length) == 0 &&
            words[i].text[length] == '\0')
            return i;
    return LEXER_NO_WORD;
}

const char *lexer_word_text(int word) {
    return word >= 0 && word < WORDS ? words[word].text : NULL;
}

int lexer_is_statement(int word) {
    return word >= LEXER_MODEL && word <= LEXER_FOR;
}

void lexer_arguments(int word, int *least, int *most) {
    *least = words[word].least;
    *most = words[word].most;
}

/* Longer signs before their beginnings. */
static const struct lexer_foreign foreign[] = {
    {"**", "^", LEXER_CARET, 0, "The power is ^:  x^2."},
    {"//", "#", LEXER_END, 0, "A comment starts with #."},
    {"/*", "#", LEXER_END, 0, "A comment starts with # and ends with its line."},
    {"===", "==", LEXER_EQ, 0, NULL},
    {"!==", "!=", LEXER_NE, 0, NULL},
    {"~=", "!=", LEXER_NE, 0, NULL},
    {"<>", "!=", LEXER_NE, 0, NULL},
    {"=<", "<=", LEXER_LE, 0, NULL},
    {"=>", ">=", LEXER_GE, 0, "Write >= to compare, -> before the actions of an event."},
    {"=!", "!=", LEXER_NE, 0, NULL},
    {"&&", "and", LEXER_NAME, LEXER_AND, NULL},
    {"&", "and", LEXER_NAME, LEXER_AND, NULL},
    {"||", "or", LEXER_NAME, LEXER_OR, NULL},
    {"|", "or", LEXER_NAME, LEXER_OR, "Write `or`; an absolute value is abs(x)."},
    {"+=", ":=", LEXER_ASSIGN, 0, "Write  x := x + ...  in an event."},
    {"-=", ":=", LEXER_ASSIGN, 0, "Write  x := x - ...  in an event."},
    {"*=", ":=", LEXER_ASSIGN, 0, "Write  x := x*...  in an event."},
    {"/=", "!=", LEXER_NE, 0, "Write != to compare, or  x := x/...  in an event."},
    {"...", "..", LEXER_DOTS, 0, "A range has two dots: 1..3."},
    {".*", "*", LEXER_STAR, 0, "* takes one array and one number; dot(a, b) multiplies two arrays."},
    {"./", "/", LEXER_SLASH, 0, "/ takes an array and a number."},
    {".^", "^", LEXER_CARET, 0, NULL},
    {"::", ":", LEXER_COLON, 0, NULL},
    {"%", "mod", LEXER_STAR, 0, "A remainder is mod(a, b); a comment starts with #."},
    {"!", "not", LEXER_NAME, LEXER_NOT, NULL},
    {"~", "not", LEXER_NAME, LEXER_NOT, NULL},
    {";", ",", LEXER_END, 0,
     "One statement a line, without a sign at its end; entries are separated by commas."},
    {"{", "(", LEXER_OPEN, 0,
     "A unit stands behind a whole value of param, init, guess, use or output, or behind an unknown; arrays "
     "and groups are written with ( )."},
    {"}", ")", LEXER_CLOSE, 0, "Arrays and groups are written with ( ), indices with [ ]."},
    {"\\", "", LEXER_END, 0, "A line that ends in an operator or a comma goes on by itself."},
    {"`", "'", LEXER_PRIME, 0, "The time derivative is written with the straight mark: x'."},
    {"\xC2\xB4", "'", LEXER_PRIME, 0, NULL},      /* acute accent */
    {"\xE2\x80\x98", "'", LEXER_PRIME, 0, NULL},  /* left single quote */
    {"\xE2\x80\x99", "'", LEXER_PRIME, 0, NULL},  /* right single quote */
    {"\xE2\x80\xB2", "'", LEXER_PRIME, 0, NULL},  /* prime */
    {"\xE2\x80\xB3", "''", LEXER_PRIME, 0, NULL}, /* double prime */
    {"\xE2\x80\x9C", "\"", LEXER_END, 0, NULL},   /* double quotes */
    {"\xE2\x80\x9D", "\"", LEXER_END, 0, NULL},
    {"\xE2\x80\x9E", "\"", LEXER_END, 0, NULL},
    {"\xC2\xAB", "\"", LEXER_END, 0, NULL},
    {"\xC2\xBB", "\"", LEXER_END, 0, NULL},
    {"\xE2\x88\x92", "-", LEXER_MINUS, 0, NULL}, /* minus */
    {"\xE2\x80\x90", "-", LEXER_MINUS, 0, NULL}, /* hyphens and dashes */
    {"\xE2\x80\x91", "-", LEXER_MINUS, 0, NULL},
    {"\xE2\x80\x92", "-", LEXER_MINUS, 0, NULL},
    {"\xE2\x80\x93", "-", LEXER_MINUS, 0, NULL},
    {"\xE2\x80\x94", "-", LEXER_MINUS, 0, NULL},
    {"\xC3\x97", "*", LEXER_STAR, 0, NULL},      /* times */
    {"\xC2\xB7", "*", LEXER_STAR, 0, NULL},      /* middle dot */
    {"\xE2\x8B\x85", "*", LEXER_STAR, 0, NULL},  /* dot operator */
    {"\xE2\x88\x99", "*", LEXER_STAR, 0, NULL},  /* bullet operator */
    {"\xE2\x88\x97", "*", LEXER_STAR, 0, NULL},  /* asterisk operator */
    {"\xC3\xB7", "/", LEXER_SLASH, 0, NULL},     /* division */
    {"\xE2\x81\x84", "/", LEXER_SLASH, 0, NULL}, /* fraction slash */
    {"\xE2\x88\x95", "/", LEXER_SLASH, 0, NULL},
    {"\xE2\x89\xA4", "<=", LEXER_LE, 0, NULL},
    {"\xE2\x89\xA5", ">=", LEXER_GE, 0, NULL},
    {"\xE2\x89\xA0", "!=", LEXER_NE, 0, NULL},
    {"\xE2\x89\x94", ":=", LEXER_ASSIGN, 0, NULL},
    {"\xE2\x86\x92", "->", LEXER_ARROW, 0, NULL},
    {"\xE2\x87\x92", "->", LEXER_ARROW, 0, NULL},
    {"\xE2\x80\xA6", "..", LEXER_DOTS, 0, NULL}, /* ellipsis */
    {"\xE2\x88\xA7", "and", LEXER_NAME, LEXER_AND, NULL},
    {"\xE2\x88\xA8", "or", LEXER_NAME, LEXER_OR, NULL},
    {"\xC2\xAC", "not", LEXER_NAME, LEXER_NOT, NULL},
    {"\xC2\xB2", "^2", LEXER_END, 0, NULL},
    {"\xC2\xB3", "^3", LEXER_END, 0, NULL},
    {"\xC2\xBD", "1/2", LEXER_END, 0, NULL},
    {"\xE2\x88\x9A", "sqrt(...)", LEXER_END, 0, NULL},
    {"\xE2\x88\x91", "sum(i in 1..N, ...)", LEXER_END, 0, NULL},
    {"\xE2\x88\x82", "x'", LEXER_END, 0,
     "A time derivative is written x'; other derivatives keel takes itself."},
    {"\xC2\xA0", " ", LEXER_END, 0, "Write a plain blank instead of the non-breaking one."},
    {"\xE2\x80\xAF", " ", LEXER_END, 0, "Write a plain blank instead of the narrow one."},
    {"\xE2\x80\x89", " ", LEXER_END, 0, "Write a plain blank instead of the thin one."},
    {"\xE2\x80\x8B", "", LEXER_END, 0, "Remove the blank of no width that stands here."},
    {"\xEF\xBB\xBF", "", LEXER_END, 0, "Remove the byte-order mark that stands here."},
};

const struct lexer_foreign *lexer_foreign_sign(const char *text, size_t capacity) {
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        if (capacity == 0 || foreign[i].sign[0] != text[0])
            continue; /* nearly all: this is asked at every sign */
        size_t length = strlen(foreign[i].sign);
        if (length <= capacity && memcmp(foreign[i].sign, text, length) == 0) return &foreign[i];
    }
    return NULL;
}

const char *lexer_letter(uint32_t point) {
    static const char *const greek[] = {
        "alpha", "beta", "gamma",   "delta", "epsilon", "zeta",    "eta",   "theta", "iota",
        "kappa", "lam",  "mu",      "nu",    "xi",      "omicron", "pi",    "rho",   "sigma",
        "sigma", "tau",  "upsilon", "phi",   "chi",     "psi",     "omega",
    };
    if (point >= 0x391 && point <= 0x3A9) return greek[point - 0x391];
    if (point >= 0x3B1 && point <= 0x3C9) return greek[point - 0x3B1];
    return NULL;
}
