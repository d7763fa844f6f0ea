/* man.h - manual pages from the tables of commands and options. */
#ifndef KEEL_CLI_JOB_MAN_H
#define KEEL_CLI_JOB_MAN_H

#include "cli/job/command.h"

void man_page(const struct command *c, FILE *out); /* keel-run(1) */
void man_overview(FILE *out);                      /* keel(1) */
#endif
