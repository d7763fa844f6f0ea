/* parser_private.h - what the parser's files share.
 *
 * Every function that reads something returns NULL (or 0) after it, or one below it, has said what is
 * wrong: callers only pass that on.  One message a statement. */
#ifndef KEEL_LANG_PARSER_PRIVATE_H
#define KEEL_LANG_PARSER_PRIVATE_H

#include "lang/lexer.h"
#include "lang/parser.h"

struct parser {
    const struct source *s;
    struct source_messages *m;
    struct pool *pool;
    const struct lexer_token *at, *end; /* the next one; the last one, LEXER_END */
    const struct lexer_token *begin;    /* of the statement */
    int depth;                          /* of nested expressions */
    int in_unit;                        /* inside {m/min}: min is a name there */
    int names_lost;                     /* a declaration could not be read, so its names are not known */
    struct syntax_node spare_node;      /* handed out when memory is exhausted; nothing is read from them */
    struct syntax_item spare_item;
    struct syntax_range spare_range;
    struct syntax_statement spare_statement;
};

/* parser.c: tokens, memory, messages */
int parser_is(const struct parser *p, int kind);
int parser_is_text(const struct parser *p, const char *text); /* a name that is a word here alone */
int parser_is_word(const struct parser *p, int word);
const struct lexer_token *parser_next(struct parser *p); /* takes one, whatever it is */
int parser_take(struct parser *p, int kind);             /* 1 if it was there */
int parser_take_word(struct parser *p, int word);
const char *parser_text(struct parser *p, const struct lexer_token *token); /* a copy */
struct syntax_span parser_span(const struct parser *p,
                               const struct lexer_token *first); /* up to the last token taken */
struct syntax_node *parser_node(struct parser *p, enum syntax_kind kind);
struct syntax_item *parser_item(struct parser *p);
struct syntax_range *parser_range(struct parser *p);
struct syntax_statement *parser_statement_new(struct parser *p);
/* Say what is wrong at a token; the hint goes to the result, never NULL. */
struct source_message *parser_wrong(struct parser *p, const struct lexer_token *token, const char *format,
                                    ...) __attribute__((format(printf, 3, 4)));
void parser_describe(const struct parser *p, const struct lexer_token *token, char *out, size_t capacity);
/* The next token does not fit; `due` says what should have come, `hint` what to write. */
int parser_unexpected(struct parser *p, const char *due, const char *hint);
int parser_expect(struct parser *p, int kind, const char *due, const char *hint);
/* A new name, not reserved; NULL after a message. */
const struct lexer_token *parser_name(struct parser *p, const char *what, const char *hint);

/* parser_expression.c */
struct syntax_node *parser_expression(struct parser *p);
/* Sets what a node inherits from its parts; NULL if it is too tall. */
struct syntax_node *parser_finish(struct parser *p, struct syntax_node *e, const struct lexer_token *first);
struct syntax_node *parser_arguments(struct parser *p, const char *due); /* up to the closing bracket */
/* parser_reference.c */
struct syntax_node *parser_ref(struct parser *p, const char *what);
struct syntax_node *parser_member_call(struct parser *p, struct syntax_node *e,
                                       const struct lexer_token *first);
struct syntax_range *parser_ranges(struct parser *p, int before_summand); /* i in 1..N, j in ... */

/* parser_item.c: entries of statements */
enum parser_bounds {
    PARSER_RANGES,
    PARSER_EITHER,
    PARSER_INDICES
}; /* after a name: [1..3]; [1..3] or [1]; [1] */
typedef struct syntax_item *parser_read(struct parser *p);
struct syntax_item *parser_named(struct parser *p, enum parser_bounds how, const char *what,
                                 const char *hint);
int parser_valued(struct parser *p, struct syntax_item *item, const struct lexer_token *first,
                  const char *hint);
parser_read parser_declaration, parser_definition, parser_let, parser_target, parser_setting, parser_output,
    parser_option;
/* {m/s^2} behind a value, if there is one; 0 after a message. */
int parser_unit(struct parser *p, struct syntax_item *item, const struct lexer_token *first);
struct syntax_node *parser_string(struct parser *p); /* in quotes */

/* parser_statement.c: one statement without its NEWLINE and body; its name alone */
struct syntax_statement *parser_simple(struct parser *p);
int parser_statement_name(struct parser *p, struct syntax_statement *s, const char *what, const char *hint);

/* parser_part.c: does a statement about parts begin here?  Its word is taken.  What follows it. */
int parser_part_word(struct parser *p, enum syntax_statement_kind *kind);
int parser_part(struct parser *p, struct syntax_statement *s);

/* parser_table.c: the same of a table; the rows of a block. */
int parser_table_word(struct parser *p);
int parser_table(struct parser *p, struct syntax_statement *s);
int parser_rows(struct parser *p, struct syntax_statement *s);

/* parser_mistake.c: messages for what people bring from elsewhere */
int parser_not_a_statement(struct parser *p); /* says so where a statement starts with an unknown word */
const char *parser_function_habit(const char *name); /* what takes its place here; NULL: nothing known */
void parser_missing_operand(struct parser *p);       /* an operand is due, and the next token is none */
void parser_junk_after(struct parser *p, const char *due,
                       const char *hint); /* a token that does not continue */

/* parser_check.c: what needs the whole model: calls of what is no function, dx/dt, truth where a number is
 * due */
void parser_check(struct parser *p, const struct syntax_file *file);
#endif
