/* claims.h - what a paper claims, as a text: how each value is measured, and what is printed.
 *
 *     paper NAME: TITLE
 *     text WORD: SENTENCES             for the page
 *     item NAME: WORDS                 a table, figure or example; `item NAME full:` only with --full;
 *                                      `item NAME/OTHER:` has another name, which several items may share
 *     run MODEL OPTIONS [: WORDS]      the command that is run; what follows is measured in it
 *     converge MODEL OPTIONS [: WORDS]
 *     claim VALUE MEASURE : WORDS     a printed value (printed.h)
 *     says VALUE MEASURE : WORDS      a sentence of the paper, as a number
 *     keel VALUE MEASURE : WORDS      no claim of the paper: what a reader should know beside it
 *     let NAME = MEASURE               a value for `value` and for the page
 *     misprint VALUE: WORDS           about the line before: what must be measured instead, and why
 *     cannot VALUE: WORDS             the same of a value that contradicts itself or arithmetic
 *     better VALUE: WORDS             the same of an error that is smaller than printed
 *     explained VALUE: WORDS          the same where other lines measure the reason
 *     note WORDS                       about the line before
 *     draw NAME: TITLE                 a figure for --plot, of the curves and panels that follow
 *     curve MODEL OPTIONS : LABEL      a run in it
 *     point X, Y : LABEL               expressions of the lets; points with one label are one curve
 *     panel [log|loglog] [of 1,3] X,Y,.. : LABEL    quantities of the curves, over each other; of: which
 *
 * Measures: end Q, at T Q, largest Q, low Q, high Q, median Q of a quantity Q over all steps (a column,
 * error.COLUMN, drift.ROW, as in the CSV files); order COLUMN of converge; steps, evaluations, jacobians,
 * newton, unresolved, reached, seconds (of the processor) of a run; value EXPRESSION of the `let`s of the
 * item. In words {NAME} stands for the size of a let, {NAME:4} for four digits of it.  # begins a comment. */
#ifndef KEEL_CLI_PAPERS_CLAIMS_H
#define KEEL_CLI_PAPERS_CLAIMS_H

#include "cli/papers/printed.h"

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
    CLAIMS_FOLDS,
    CLAIMS_REACHED,
    CLAIMS_SECONDS,
    CLAIMS_MEASURES
};
enum claims_kind { CLAIMS_PRINTED, CLAIMS_WORDS, CLAIMS_OURS, CLAIMS_LET };
enum claims_verdict { /* best first */
                      CLAIMS_AGREES,
                      CLAIMS_HOLDS,
                      CLAIMS_ROUND_OFF,
                      CLAIMS_BETTER,
                      CLAIMS_MISPRINT,
                      CLAIMS_CANNOT,
                      CLAIMS_EXPLAINED,
                      CLAIMS_SAME_ORDER,
                      CLAIMS_DIFFERS,
                      CLAIMS_REFUSED,
                      CLAIMS_VERDICTS
};
extern const char *const claims_verdict_word[CLAIMS_VERDICTS];

struct claims_line {
    enum claims_kind kind;
    const char *name;         /* of a let */
    const char *printed_text; /* as printed */
    struct printed printed;
    enum claims_measure measure;
    const char *when, *of; /* a time; a quantity, an expression; NULL: none */
    const char *words;
    int other; /* 0, or a verdict from CLAIMS_BETTER to CLAIMS_EXPLAINED */
    struct printed other_printed;
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
    const char *name, *others, *words; /* others: further names with / between them; NULL: none */
    int full;
};
struct claims_draw {
    const char *name, *title;
    int item;
    int curve, curves, panel, panels; /* the first one of each, and how many */
};
struct claims_curve {
    const char *model, *options; /* of a point: the expressions of x and y */
    const char *label;
    int point;
};
struct claims_panel {
    int logs;           /* 0, 1: of y, 2: of both */
    unsigned of;        /* bit k: curve k + 1 of the figure, of the first 32; 0: all */
    const char *x, *ys; /* ys: names with commas between them */
    const char *label;  /* of the y axis */
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
    struct claims_curve *curve;
    struct claims_panel *panel;
    int proses, items, runs, lines, draws, curves, panels;
};

/* Takes over the text.  0, or -1 with a sentence that begins with source and line.  claims_close in any
 * case. */
int claims_read(struct claims *c, const char *source, char *text, char *why, size_t capacity);
/* Is this one of the item's names, or the name of a figure that it draws? */
int claims_item_has(const struct claims *c, int item, const char *name);
/* The figure of this name that the item draws; -1: none. */
int claims_drawn(const struct claims *c, int item, const char *name);
/* What keel reproduce takes behind the paper, "a|b|c": items, their other names, figures; each once. */
void claims_names(const struct claims *c, char *out, size_t capacity);
void claims_close(struct claims *c);
#endif
