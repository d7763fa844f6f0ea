/* paper.h - the models and claims of examples/papers/, inside the command: `keel run paper:NAME` needs no
 * file. */
#ifndef KEEL_CLI_JOB_PAPER_H
#define KEEL_CLI_JOB_PAPER_H

#include <stddef.h>

struct paper_file {
    const char *name;         /* kepler.keel, liu2006.claims, verdicts */
    const char *const *lines; /* ends with NULL */
};
extern const struct paper_file paper_table[]; /* ends with a name NULL */

#define PAPER_PREFIX "paper:"

/* The file NAME with this ending; NULL: there is none. */
const struct paper_file *paper_find(const char *name, const char *ending);
/* The model that "paper:NAME" means; NULL: the word is something else, or there is no such model. */
const struct paper_file *paper_model(const char *word);
/* The names with this ending, "a|b|c". */
void paper_names(const char *ending, char *out, size_t capacity);
/* All of its text in one piece, to be freed; NULL without memory. */
char *paper_text(const struct paper_file *file, size_t *length);
#endif
