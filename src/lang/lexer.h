/* lexer.h - text to tokens.  Lines are joined here (an open bracket, a line that ends in an operator, a
 * deeper line), and blocks become INDENT and DEDENT, so that the parser sees statements alone. */
#ifndef KEEL_LANG_LEXER_H
#define KEEL_LANG_LEXER_H

#include "base/pool.h"
#include "lang/source.h"

enum lexer_kind {
    LEXER_END,
    LEXER_NEWLINE, /* of a statement, at the end of its last token */
    LEXER_INDENT,
    LEXER_DEDENT,
    LEXER_NAME, /* words too */
    LEXER_NUMBER,
    LEXER_STRING, /* with its quotes */
    LEXER_PLUS,
    LEXER_MINUS,
    LEXER_STAR,
    LEXER_SLASH,
    LEXER_CARET,
    LEXER_PRIME,
    LEXER_OPEN,  /* ( */
    LEXER_CLOSE, /* ) */
    LEXER_LEFT,  /* [ */
    LEXER_RIGHT, /* ] */
    LEXER_BRACE, /* { of a declaration or a unit */
    LEXER_BRACE_END,
    LEXER_COMMA,
    LEXER_COLON,
    LEXER_ASSIGN, /* := */
    LEXER_EQUALS, /* = */
    LEXER_ARROW,  /* -> */
    LEXER_DOTS,   /* .. */
    LEXER_DOT,
    LEXER_LT, /* in the order of enum syntax_op */
    LEXER_LE,
    LEXER_GT,
    LEXER_GE,
    LEXER_EQ,
    LEXER_NE
};

/* Reserved words: of statements (in the order of enum syntax_statement_kind), others, functions. */
enum lexer_word {
    LEXER_NO_WORD,
    LEXER_MODEL,
    LEXER_PARAM,
    LEXER_VAR,
    LEXER_COORD,
    LEXER_CANONICAL,
    LEXER_LET,
    LEXER_LAGRANGIAN,
    LEXER_HAMILTONIAN,
    LEXER_FORCE,
    LEXER_STRUCTURE,
    LEXER_CONSTRAINT,
    LEXER_ROLLING,
    LEXER_INVARIANT,
    LEXER_INIT,
    LEXER_GUESS,
    LEXER_EVENT,
    LEXER_MODE,
    LEXER_START,
    LEXER_OUTPUT,
    LEXER_EXACT,
    LEXER_REFERENCE,
    LEXER_RUN,
    LEXER_OPTIONS,
    LEXER_FOR,
    LEXER_IN,
    LEXER_IF,
    LEXER_AND,
    LEXER_OR,
    LEXER_NOT,
    LEXER_SUM,
    LEXER_T,
    LEXER_PI,
    LEXER_LAMBDA,
    LEXER_ENERGY,
    LEXER_RISING,
    LEXER_FALLING,
    LEXER_CROSSING,
    LEXER_RECORD,
    LEXER_STOP,
    LEXER_FUNCTION /* from here on: der, sqrt, ... */
};

struct lexer_token {
    unsigned char kind, word;
    unsigned char first;  /* on its line */
    unsigned char deeper; /* first on a line that continues a statement only by its indentation */
    uint32_t offset, length;
};

struct lexer_tokens {
    struct lexer_token *list; /* ends in LEXER_END; malloc'd */
    size_t count, capacity;
};

/* 1, with messages for what is wrong in m; 0 when memory is exhausted. */
int lexer_run(const struct source *s, struct source_messages *m, struct lexer_tokens *tokens);
void lexer_release(struct lexer_tokens *tokens);

int lexer_word(const char *text, size_t length); /* enum lexer_word, or beyond for functions */
const char *lexer_word_text(int word);           /* NULL past the last word */
int lexer_is_statement(int word);
/* Arguments of one of keel's functions; most 0 where any number beyond least will do. */
void lexer_arguments(int word, int *least, int *most);
#endif
