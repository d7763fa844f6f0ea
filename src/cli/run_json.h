/* run_json.h - the outcome of a run as one JSON object, schema keel.run/1. */
#ifndef KEEL_CLI_RUN_JSON_H
#define KEEL_CLI_RUN_JSON_H

#include "cli/json.h"
#include "cli/outcome.h"

/* The object without its last newline, into memory. */
void run_json_build(struct json *json, const struct outcome *o, const struct job *j);
void run_json_options(struct json *json, const char *key, const struct job *j); /* as they were given */
void run_json_compiled(struct json *json, const struct job *j);                 /* machine code, or why not */
void run_json(const struct outcome *o, const struct job *j, FILE *out);
/* What all commands share: schema, keel, command, status, exit, message, diagnostics, model. */
void run_json_head(struct json *json, const char *command, const char *status, int exit_status,
                   const struct job *j, const char *message);
/* The object to the stream, with a newline. */
void run_json_print(struct json *json, FILE *out);
#endif
