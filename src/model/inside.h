/* inside.h - what a keel_model is made of. */
#ifndef KEEL_MODEL_INSIDE_H
#define KEEL_MODEL_INSIDE_H

#include "keel/model.h"
#include "lang/elaborate.h"
#include "model/fill.h"
#include "model/impact.h"
#include "model/values.h"

enum { INSIDE_WHY = 400 };

/* A column of the results: a symbol, or output number `output`. */
struct inside_column {
    const char *name;
    expr symbol;
    int output;
    expr exact; /* EXPR_NONE: none */
};

struct inside_mode {
    struct system system;
    struct road road;
    struct functions functions;
    struct fill fill;
    struct impact impact;
    struct values columns; /* what a column is in this mode */
    struct values rows;    /* kept and watched rows, NAN where the mode has no such row */
    struct values held;    /* what `x.enter` and `x.start` are taken from */
    struct values *after;  /* by event: the unknowns of the mode that follows, then what is assigned */
    struct values *onset;  /* by event: value, terms, and the same of its derivatives; opened when needed */
    unsigned char *onset_open;
    int **event_states;      /* by event: how many states it depends on, and which; NULL: not known yet */
    unsigned char **touched; /* by event: the events of the mode that follows that its assignments act on */
};

/* All that hangs together with one elaboration of the text. */
struct keel_model {
    struct pool pool; /* the tree, the flat model, names */
    struct source source;
    struct source_messages messages;
    char *name, *title, *text, *rendered; /* name: for messages; title: of a model that gives none */
    char *method;                         /* a kernel is wanted for; NULL: the model's */
    char **set;                           /* parameters replaced, as given */
    const char **parameter_set, **start;  /* those of them that are for parameters; for start values */
    int sets, parameter_sets, starts, interpret, without_start;
    double work; /* the budget; 0: the usual one */
    struct compile_limits limits;
    char *from, *to; /* instead of the model's `run`; NULL: the model's */
    double span[2];
    keel_status status;
    struct syntax_file *file;
    struct model *model;
    struct inside_mode *mode;
    int modes; /* that were opened */
    struct compile_unit unit;
    int compiled;
    char *source_text; /* the C */
    char why_not[INSIDE_WHY], refusal[INSIDE_WHY + 240];
    double *parameter; /* parameters, then held values as at the start */
    struct functions_bound *bound;
    struct inside_column *column;
    int columns;
    const char **row; /* names of the rows of all modes */
    int rows;
    struct tape exact;            /* of the columns, NAN where there is none */
    double *u0;                   /* consistent start in the first mode */
    unsigned char *fixed, *given; /* given: how begin.c got each start value */
    const char **free_value, **balance;
    int free_values, *balance_first; /* by mode */
};

#endif
