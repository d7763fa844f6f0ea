/* standalone.h - what the files of an emitted model share. */
#ifndef KEEL_MODEL_STANDALONE_H
#define KEEL_MODEL_STANDALONE_H

#include "model/private.h"

#include <stdio.h>

enum { STANDALONE_NAME = 60 };

struct standalone {
    FILE *out;
    char name[STANDALONE_NAME + 10]; /* of the model, as C takes it */
    const char *method;              /* that its functions are for; NULL: any */
};

/* A string literal; the same of so many bytes. */
void standalone_string(FILE *out, const char *text);
void standalone_bytes(FILE *out, const char *text, size_t length);
/* The name of a function of a mode: that gives its `problem`, or sets the `pieces` of its tables; of the
 * whole: -1. */
void standalone_name(const struct standalone *page, const keel_model *m, int mode, const char *what,
                     char *out, size_t capacity);
/* All digits of a double, in decimals without a locale; what is not finite by the compiler's own names. */
void standalone_number(FILE *out, double value);
/* Are the tables short enough for a C file? */
int standalone_tables_fit(const keel_model *m);
/* Their rows, and `bound`, which the functions of the model find parameters and tables in. */
void standalone_tables(FILE *out, const keel_model *m);
/* NAME(t, way): the pieces on which a motion goes on from t; the next knot. */
void standalone_pieces(FILE *out, const keel_model *m, int mode, const char *name);
/* keel_run from knot to knot, an expression's text and a statement's end; `name` is that function. */
void standalone_run(FILE *out, const char *name, double from, double to);
/* standalone_main.c: does more happen than one problem and records of events can tell? */
int standalone_acts(const keel_model *m);
/* The model's text with its functions, and NAME_model(); main(). */
void standalone_model(const struct standalone *page, const keel_model *m);
void standalone_main(const struct standalone *page, const keel_model *m, const keel_options *o);
#endif
