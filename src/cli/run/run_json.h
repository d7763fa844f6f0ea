/* run_json.h - the outcome of a run as one JSON object, schema keel.run/1. */
#ifndef KEEL_CLI_RUN_RUN_JSON_H
#define KEEL_CLI_RUN_RUN_JSON_H

#include "cli/files/json.h"
#include "cli/run/outcome.h"

/* The object without its last newline, into memory.  lasting: as it is kept with results, without times of
 * the clock and options that say where files go, so that the same run gives the same bytes, in however many
 * pieces. */
void run_json_build(struct json *json, const struct outcome *o, const struct job *j, int lasting);
void run_json_options(struct json *json, const char *key, const struct job *j, int lasting); /* as given */
void run_json_compiled(struct json *json, const struct job *j); /* machine code, or why not */
void run_json(const struct outcome *o, const struct job *j, FILE *out);
/* What all commands share: schema, keel, command, status, exit, message, diagnostics, model. */
void run_json_head(struct json *json, const char *command, const char *status, int exit_status,
                   const struct job *j, const char *message);
/* The object to the stream, with a newline. */
/* What a command with this exit status was, that runs the model many times: done, interrupted, failed. */
const char *run_json_status(int exit_status);
void run_json_print(struct json *json, FILE *out);
#endif
