/* output.c - see output.h. */
#include "cli/job/output.h"

/* Is it the model that was read, under whatever name? */
static int is_model(const struct job *j, const char *path) {
    struct stat model, there;
    return j->path && stat(j->path, &model) == 0 && S_ISREG(model.st_mode) && stat(path, &there) == 0 &&
           model.st_dev == there.st_dev && model.st_ino == there.st_ino;
}

struct claim *output_claim(struct job *j, const char *path, enum kind kind) {
    char why[JOB_SENTENCE];
    if (is_model(j, path)) {
        job_fail(j, EXIT_USAGE, "%.300s is the model itself and is not replaced", path);
        return NULL;
    }
    struct claim *c = claim_open(path, kind, option_given(&j->options, opt_force), why, sizeof why);
    if (!c) job_fail(j, EXIT_FAILED, "%s", why);
    return c;
}

int output_open(struct job *j, struct file *f, const char *path, enum kind kind) {
    char why[JOB_SENTENCE];
    struct claim *c = output_claim(j, path, kind);
    if (!c) return j->status;
    return file_open(f, c, 0, why, sizeof why) ? job_fail(j, EXIT_FAILED, "%s", why) : 0;
}
