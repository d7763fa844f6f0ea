/* changes.h - the methods of a run that changes them, for certificate, JSON and report. */
#ifndef KEEL_CLI_RUN_CHANGES_H
#define KEEL_CLI_RUN_CHANGES_H

#include "cli/files/json.h"

#include <keel.h>

/* "from t = 1.4 on, ..." of the i-th change, and its method; 0: past the last.  Changes that are not kept
 * are one line with the last one. */
int changes_words(const keel_solver *s, long i, char *method, char *words, size_t capacity);
void changes_json(struct json *json, const keel_solver *s);
#endif
