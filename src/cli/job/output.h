/* output.h - files that a command was asked for: claimed before the work begins, with --force where it is
 * given. */
#ifndef KEEL_CLI_JOB_OUTPUT_H
#define KEEL_CLI_JOB_OUTPUT_H

#include "cli/files/file.h"
#include "cli/job/job.h"

/* NULL: the job's status says so, and it was told; the model itself is never an output. */
struct claim *output_claim(struct job *j, const char *path, enum kind kind);
/* The same, opened for writing; 0, or an exit status. */
int output_open(struct job *j, struct file *f, const char *path, enum kind kind);
#endif
