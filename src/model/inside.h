/* inside.h - what a keel_model is made of. */
#ifndef KEEL_MODEL_INSIDE_H
#define KEEL_MODEL_INSIDE_H

#include "keel/model.h"
#include "lang/elaborate.h"
#include "model/fill.h"

enum { INSIDE_WHY = 400 };

struct inside_mode {
    struct system system;
    struct road road;
    struct functions functions;
    struct fill fill;
};

/* All that hangs together with one elaboration of the text. */
struct keel_model {
    struct pool pool; /* the tree, the flat model, names */
    struct source source;
    struct source_messages messages;
    char *name, *text, *rendered;
    char **set; /* parameters replaced, as given */
    int sets, interpret;
    double given_span[2], span[2];
    keel_status status;
    struct syntax_file *file;
    struct model *model;
    struct inside_mode *mode;
    int modes; /* that were opened */
    struct compile_unit unit;
    int compiled;
    char *source_text; /* the C */
    char why_not[INSIDE_WHY];
    double *parameter; /* parameters, then held values as at the start */
    struct functions_bound *bound;
    double *u0; /* consistent start in the first mode */
    unsigned char *fixed;
    const char **free_value, **balance;
    int free_values, *balance_first; /* by mode */
};

#endif
