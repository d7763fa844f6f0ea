/* usage.c - see usage.h. */
#include "cli/job/usage.h"

#include "base/text.h"
#include "cli/job/paper.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The nearest *.keel beside a file that does not exist. */
static void suggest_file(const char *path, char *out, size_t capacity) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char folder[JOB_SENTENCE], wanted[JOB_WORD];
    int least = TEXT_FAR;
    out[0] = '\0';
    text_set(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 2, slash ? path : "./");
    text_set(wanted, sizeof wanted, "%.*s", (int)strcspn(name, "."), name);
    DIR *list = opendir(folder);
    for (struct dirent *one; list && (one = readdir(list));) {
        size_t length = strlen(one->d_name);
        char stem[JOB_WORD];
        if (length < 6 || length > JOB_WORD || strcmp(one->d_name + length - 5, ".keel") != 0) continue;
        text_set(stem, sizeof stem, "%.*s", (int)length - 5, one->d_name);
        int distance = text_slip(wanted, stem);
        if (distance > least || (distance == least && strcmp(one->d_name, out) > 0)) continue;
        if (distance == TEXT_FAR) continue;
        least = distance;
        text_set(out, capacity, "%s", one->d_name);
    }
    if (list) closedir(list);
}

static int explain_paper(struct job *j) {
    const char *name = j->file + strlen(PAPER_PREFIX);
    char all[JOB_SENTENCE], near[JOB_WORD];
    paper_names(".keel", all, sizeof all);
    if (option_nearest(all, name, near, sizeof near))
        return job_fail(j, EXIT_USAGE, "there is no model `%.40s`; did you mean " PAPER_PREFIX "%s?", j->file,
                        near);
    return job_fail(j, EXIT_USAGE, "there is no model `%.40s`: behind " PAPER_PREFIX " stands one of %s",
                    j->file, all);
}

int usage_file(struct job *j) {
    struct stat about;
    char near[JOB_SENTENCE];
    if (strcmp(j->file, "-") == 0 || paper_model(j->file)) return 0;
    if (strncmp(j->file, PAPER_PREFIX, strlen(PAPER_PREFIX)) == 0) return explain_paper(j);
    if (j->file[0] == '\0')
        return job_fail(j, EXIT_USAGE, "which model?  Give a file, or - for standard input");
    if (stat(j->path, &about) != 0) {
        int error = errno;
        suggest_file(j->path, near, sizeof near);
        if (error != ENOENT)
            return job_fail(j, EXIT_USAGE, "%.300s cannot be read: %s", j->path, strerror(error));
        if (near[0])
            return job_fail(j, EXIT_USAGE, "there is no file %.300s; did you mean %s?", j->path, near);
        return job_fail(j, EXIT_USAGE, "there is no file %.300s; `keel new` writes a model to begin with",
                        j->path);
    }
    if (S_ISDIR(about.st_mode))
        return job_fail(j, EXIT_USAGE, "%.300s is a folder; give a model inside it", j->path);
    if (access(j->path, R_OK) != 0)
        return job_fail(j, EXIT_USAGE, "%.300s cannot be read: %s", j->path, strerror(errno));
    return 0;
}

/* Which of the two ends is no number? */
static int explain_span(struct job *j) {
    double value;
    if (job_number(j, opt_t0, &value) || job_number(j, opt_tend, &value)) return j->status;
    return job_fail(j, EXIT_USAGE, "--t0, --tend: the time span is not made of numbers");
}

int usage_options(struct job *j) {
    static const char *const about[] = {"--set ", "the start value `", "the time span",
                                        "the run has no length"};
    int span = option_given(&j->options, opt_t0) || option_given(&j->options, opt_tend);
    keel_diagnostic d;
    for (int i = 0; keel_model_diagnostic(j->model, i, &d); i++)
        for (int k = 0; k < 4; k++) {
            if (!d.error || strncmp(d.sentence, about[k], strlen(about[k])) != 0) continue;
            if (d.line > 0 || (k >= 2 && !span)) continue;
            if (k == 2) return explain_span(j);
            int length = (int)strlen(d.sentence);
            while (length > 0 && d.sentence[length - 1] == '.') length--;
            return job_fail(j, EXIT_USAGE, "%s%.*s",
                            k == 1   ? "--set: "
                            : k == 3 ? "--t0, --tend: "
                                     : "",
                            length, d.sentence);
        }
    return 0;
}
