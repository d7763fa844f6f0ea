/* private.h - what a keel_model is made of. */
#ifndef KEEL_MODEL_PRIVATE_H
#define KEEL_MODEL_PRIVATE_H

#include "keel/model.h"
#include "base/dictionary.h"
#include "lang/elaborate.h"
#include "model/branches.h"
#include "model/contact.h"
#include "model/fill.h"
#include "model/impact.h"
#include "model/jump.h"
#include "model/values.h"

enum { INSIDE_WHY = 400 };

/* A column of the results: a symbol, or output number `output`. */
struct inside_column {
    const char *name;
    expr symbol;
    int output;
    expr exact;       /* EXPR_NONE: none */
    const char *unit; /* NULL: not known */
    keel_origin origin;
};

enum { DRIFT_KINDS = KEEL_ROW_INVARIANT + 1 };
enum { INSIDE_DERIVATIVES = 4 }; /* of an event function that a run looks at, itself counted */

/* An event with what its actions need. */
struct inside_event {
    const struct model_event *event;
    int to;                 /* the mode that follows; -1: not entered yet (grow.h) */
    int changes;            /* something is assigned, or the mode changes */
    int sample;             /* of a timed event: how many values those before it assign */
    struct values after;    /* the unknowns of the mode that follows, then what is assigned */
    struct values onset;    /* value, size of terms, and the same of its derivatives */
    int *assigned;          /* by action: the place among the states of the mode that follows, or -1 */
    unsigned char *stays;   /* by state of the mode that follows: 1 where it is assigned */
    unsigned char *touched; /* the events of the mode that follows that its assignments act on */
};

struct inside_mode {
    struct system system;
    struct formulation formulation;
    struct functions functions;
    struct fill fill;
    struct impact impact;
    struct branches branches;
    struct contact_model contact;
    struct jump jump;      /* where an event may lead here */
    struct values columns; /* what a column is in this mode */
    struct values sizes;   /* of the outputs: sums of |terms| */
    int *solver_row;       /* by row: its number among those of the solver; -1: the mode has none such */
    int *row_place[DRIFT_KINDS]; /* by kind: the places of the mode's rows among those of all modes */
    int *solver_surface;         /* the same of switching surfaces */
    struct values rates;         /* of sensitivities: saltation.h */
    struct values held;          /* what `x.enter` and `x.start` are taken from */
    struct inside_event *event;  /* timed ones behind the others */
    struct tape times;           /* the periods and times of the timed ones, of the parameters */
    int **event_states;          /* by event: how many states it depends on, and which; NULL: not known yet */
    int proved, pairs;           /* the form proves its energy; its potential is a sum over pairs */
    const char **free_state;     /* names of states that may be chosen at the start, as many as are free */
    int free_states, hiddens;
    int *hidden; /* [hiddens] those of the system's hidden rows that stand in no line of the text */
    int dof;     /* independent velocities, as the analysis counts them; -1: no mechanics */
    int regained, regained_velocities; /* free values of the first mode beyond those counted: rows that follow
                                          from others wherever these hold; those of velocities among them */
};

/* All that hangs together with one elaboration of the text.  Runs share it and write nothing to it: what they
 * change, and what they need room for, is in keel_sim. */
struct keel_model {
    struct pool pool; /* the tree, the flat model, names */
    struct source source;
    struct source_messages messages;
    char *name, *title, *text, *rendered; /* name: for messages; title: of a model that gives none */
    char *method;                         /* a kernel is wanted for; NULL: the model's */
    char **set;                           /* parameters replaced, as given */
    const char **parameter_set, **start;  /* those of them that are for parameters; for start values */
    char *clock;                          /* in place of the model's; "": none; NULL: the model's */
    char *sensitivity;                    /* parameters and start values, as asked for; NULL: none */
    int sets, parameter_sets, starts, interpret, without_start, kernel_later, compile_ahead;
    struct elaborate_file *file_read; /* rows of tables; their texts are to be freed */
    int files_read;
    int of_file; /* it was read from the file `name`: others may lie beside it */
    int changes; /* since the text was read: each takes some memory of the pool */
    double work; /* the budget; 0: the usual one */
    struct compile_limits limits;
    const char *volatile *phase; /* what it is at, for whoever asks; or NULL */
    char *from, *to;             /* instead of the model's `run`; NULL: the model's */
    double span[2];
    keel_status status;
    struct syntax_file *file;
    struct dictionary unknowns; /* their names in the file */
    struct model *model;
    struct inside_mode **mode;
    int modes; /* that were opened */
    struct compile_unit unit;
    int compiled;
    char *source_text; /* the C */
    int no_memory;     /* for an expression in its names */
    char why_not[INSIDE_WHY], refusal[INSIDE_WHY + 240];
    double *parameter; /* parameters, then held values as at the start, then sides of switching surfaces */
    int sides;         /* the most that a mode has */
    struct functions_bound *bound;
    struct inside_column *column;
    int columns;
    const char **row, **surface; /* names of the rows, of the switching surfaces of all modes */
    int rows, surfaces;
    int *contact_row;  /* rows of contacts: gaps, their rates, slidings */
    int solver_rows;   /* of one mode, at most: with those from which y is solved */
    struct tape exact; /* of the columns, NAN where there is none */
    double *reference; /* [references, 1 + columns] time, values; NULL: they are not for this run */
    int references;
    double *u0;                   /* consistent start in the first mode */
    unsigned char *fixed, *given; /* given: how initial.c got each start value */
    int *verdict, verdicts;       /* on the rows there, by numbers and start as they stand */
    const char **free_value, **linear_invariant;
    int free_values, *linear_invariant_first; /* by mode */
};

#endif
