/* claims.h - what a paper claims, as a text: how each figure is measured, and what is printed.
 *
 *     paper NAME: TITLE
 *     text WORD: SENTENCES             for the page; {NAME} stands for the size of a let
 *     item NAME: WORDS                 a table, figure or example; `item NAME full:` only with --full
 *     run MODEL OPTIONS [: WORDS]      the command that is run; what follows is measured in it
 *     converge MODEL OPTIONS [: WORDS]
 *     claim FIGURE MEASURE : WORDS     a printed figure (figure.h)
 *     says FIGURE MEASURE : WORDS      a sentence of the paper, as a number
 *     keel FIGURE MEASURE : WORDS      no claim of the paper: what a reader should know beside it
 *     let NAME = MEASURE               a value for `value` and for the page
 *     misprint FIGURE: WORDS           about the line before: what must be measured instead, and why
 *     cannot FIGURE: WORDS             the same of a figure that is no slip of the pen
 *     note WORDS                       about the line before
 *     draw NAME COMMAND MODEL OPTIONS  a picture for --plot
 *
 * Measures: end Q, at T Q, largest Q, low Q, high Q, median Q of a quantity Q over all steps (a column,
 * error.COLUMN, drift.ROW, as in the CSV files); order COLUMN of converge; steps, evaluations, jacobians,
 * newton, reached of a run; value EXPRESSION of the `let`s of the item.  # begins a comment. */
#ifndef KEEL_CLI_CLAIMS_H
#define KEEL_CLI_CLAIMS_H

#include "cli/figure.h"

#include <stddef.h>

enum claims_measure {
    CLAIMS_END,
    CLAIMS_AT,
    CLAIMS_LARGEST,
    CLAIMS_LOW,
    CLAIMS_HIGH,
    CLAIMS_MEDIAN,
    CLAIMS_ORDER,
    CLAIMS_VALUE,
    CLAIMS_STEPS, /* from here on without a name */
    CLAIMS_EVALUATIONS,
    CLAIMS_JACOBIANS,
    CLAIMS_NEWTON,
    CLAIMS_REACHED,
    CLAIMS_MEASURES
};
enum claims_kind { CLAIMS_PRINTED, CLAIMS_WORDS, CLAIMS_OURS, CLAIMS_LET };
enum claims_verdict { /* best first */
                      CLAIMS_AGREES,
                      CLAIMS_HOLDS,
                      CLAIMS_ROUND_OFF,
                      CLAIMS_MISPRINT,
                      CLAIMS_CANNOT,
                      CLAIMS_SAME_ORDER,
                      CLAIMS_DIFFERS,
                      CLAIMS_REFUSED,
                      CLAIMS_VERDICTS
};
extern const char *const claims_verdict_word[CLAIMS_VERDICTS];

struct claims_line {
    enum claims_kind kind;
    const char *name;        /* of a let */
    const char *figure_text; /* as printed */
    struct figure figure;
    enum claims_measure measure;
    const char *when, *of; /* a time; a quantity, an expression; NULL: none */
    const char *words;
    int other; /* 0, CLAIMS_MISPRINT or CLAIMS_CANNOT */
    struct figure other_figure;
    const char *other_text, *other_words;
    const char *note;
    int at;             /* its line in the text */
    int item, run;      /* run -1: none */
    int number;         /* in its item, from 1; lets do not count */
    int tried;          /* the rest is measured */
    double value, size; /* size: that of a row, for its round-off; 1 */
    long taken;         /* steps */
    enum claims_verdict verdict;
    char said[200]; /* why it was refused */
};
struct claims_run {
    int converge;
    const char *model, *options, *words; /* words may be "" */
    int item;
};
struct claims_item {
    const char *name, *words;
    int full;
};
struct claims_draw {
    const char *name, *command, *model, *options;
    int item;
};
struct claims_prose {
    const char *word, *sentences;
};
struct claims {
    char *text;
    const char *source, *name, *title;
    struct claims_prose *prose;
    struct claims_item *item;
    struct claims_run *run;
    struct claims_line *line;
    struct claims_draw *draw;
    int proses, items, runs, lines, draws;
};

/* Takes over the text.  0, or -1 with a sentence that begins with source and line.  claims_close in any
 * case. */
int claims_read(struct claims *c, const char *source, char *text, char *why, size_t room);
void claims_close(struct claims *c);
#endif
