/* sweep_words.h - the words of a sweep's command line that decide its results, and a sum of all that does. */
#ifndef KEEL_CLI_JOB_SWEEP_WORDS_H
#define KEEL_CLI_JOB_SWEEP_WORDS_H

#include "cli/job/job.h"

#include <stdint.h>

/* Those of argv that are kept with the results: not --workers, --task, --quiet, ...  [count + 1], to be
 * freed; NULL without memory. */
char **sweep_words(int count, char **argv, int *kept);
/* Those of a sweep whose failed members are run again with the options of `now`: what these contradict is
 * dropped.  [*words], to be freed; NULL without memory. */
char **sweep_words_again(int count, char **word, int now_count, char **now, int *words);
/* Model, table and options, under whatever names the files have.  0 without memory, or if the table cannot be
 * read. */
uint64_t sweep_sum(const struct job *j, int count, char **word);
#endif
