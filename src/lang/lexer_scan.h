/* lexer_scan.h - inside the lexer: the state that scanning a line (lexer_scan.c) and joining lines
 * (lexer.c) share. */
#ifndef KEEL_LANG_LEXER_SCAN_H
#define KEEL_LANG_LEXER_SCAN_H

#include "lang/lexer.h"
#include "lang/syntax.h"

enum { LEXER_BLOCKS = 32, LEXER_NAME_LONGEST = 100, LEXER_LITERAL_LONGEST = 1000 };

struct lexer {
    const struct source *s;
    struct source_messages *m;
    struct lexer_tokens *tokens;
    size_t at;
    int exhausted, given_up; /* no memory; too deep to make sense of */

    uint32_t open[SYNTAX_DEEPEST]; /* offsets of brackets not yet closed */
    int depth;

    int indent[LEXER_BLOCKS]; /* of the blocks around; [0] is the margin */
    int blocks;

    /* The statement under way; size_t first: its first token. */
    int under_way, margin, header, declares, colon;
    size_t first;
    /* Where its bracket begins to swallow lines that look like statements of their own. */
    size_t back_at, back_count;
    uint32_t back_open;
    int back_messages, may_go_back;

    char indent_by; /* ' ' or '\t', once seen */
    size_t indent_seen;
    int indent_mixed, indent_odd;
};

struct lexer_foreign {
    const char *sign, *write; /* what is written elsewhere, and here */
    int kind, word;           /* the token it is taken for; LEXER_END: none */
    const char *about;        /* a whole hint instead of "Write ..." */
};

/* The longest sign of another language that starts here; NULL: none. */
const struct lexer_foreign *lexer_foreign_sign(const char *text, size_t capacity);
const char *lexer_letter(uint32_t point); /* "theta" for a Greek letter, else NULL */

void lexer_push(struct lexer *x, int kind, int word, size_t offset, size_t length);
/* The bracket that closes this one, as a character and as a token. */
char lexer_closing(char opened);
int lexer_closing_kind(char opened);
/* The tokens up to the end of the physical line; leaves x->at behind it. */
void lexer_scan_line(struct lexer *x);
#endif
