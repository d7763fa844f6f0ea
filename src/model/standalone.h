/* standalone.h - what the files of an emitted model share: numbers, and tables with their pieces. */
#ifndef KEEL_MODEL_STANDALONE_H
#define KEEL_MODEL_STANDALONE_H

#include "model/private.h"

#include <stdio.h>

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
#endif
