/* switching.h - the way of a run through its modes, with the jumps of what is kept, and across switching
 * surfaces, for certificate and JSON. */
#ifndef KEEL_CLI_RUN_SWITCHING_H
#define KEEL_CLI_RUN_SWITCHING_H

#include "cli/run/outcome.h"

double switching_time(const struct outcome *o, const struct job *j, int mode); /* spent in a mode */
/* "crossed 12 times, slid along 2 times for 3.1 of t"; 0: the surface was not met. */
int switching_surface(const keel_surface *s, char *out, size_t capacity);
void switching_text(const struct outcome *o, const struct job *j, FILE *out, int color);
void switching_json(const struct outcome *o, const struct job *j, struct json *json);
#endif
