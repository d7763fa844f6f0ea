/* field.h - options of the library (keel/options.h) that belong to some methods or stabilizers alone. */
#ifndef KEEL_CLI_JOB_FIELD_H
#define KEEL_CLI_JOB_FIELD_H

#include "cli/files/json.h"

#include <keel/options.h>

/* Is it one of the options of this method or stabilizer?  NULL: of none. */
int field_taken(const keel_method *m, const keel_field *f);
/* Does it belong to others than these two, which are names? */
int field_idle(const keel_field *f, const char *method, const char *stabilizer);
void field_clear(const keel_field *f, keel_options *o); /* back to the default */
/* Back to the default with all that is idle. */
void field_settle(keel_options *o, const char *method, const char *stabilizer);
/* The row as an object; null: no end of the range, a default that depends on the problem, not a number. */
void field_json(struct json *json, const keel_field *f);
#endif
