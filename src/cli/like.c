/* like.c - see like.h. */
#include "cli/like.h"

#include "base/text.h"
#include "cli/sweep.h"

#ifdef KEEL_HDF5

#include "cli/netcdf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct like {
    char *words, *model; /* of the file */
    char **word;
    char *sets; /* "name=value", one behind the other */
    int count;
};

/* What the file says of its sweep. */
static int read_file(struct job *j, struct like *l, const char *path) {
    struct netcdf n = {.id = -1};
    char why[JOB_SENTENCE];
    int one;
    if (access(path, R_OK) != 0)
        return job_fail(j, EXIT_FAILED, "--like: %.300s cannot be read: %s", path, strerror(errno));
    if (hdf5_library_load(&n.h5, why, sizeof why)) return job_fail(j, EXIT_FAILED, "--like: %s", why);
    if (netcdf_open(&n, path) == 0) {
        l->words = netcdf_read(&n, "command", &l->count);
        l->model = netcdf_read(&n, "model_text", &one);
    }
    netcdf_close(&n);
    if (!l->words || !l->model)
        return job_fail(j, EXIT_FAILED, "--like: %.300s is no HDF5 file of keel sweep", path);
    l->word = malloc(((size_t)l->count + 1) * sizeof *l->word);
    if (!l->word) return job_no_memory(j);
    char *at = l->words;
    for (int i = 0; i < l->count; i++, at += strlen(at) + 1) l->word[i] = at;
    return 0;
}

/* The member's values as assignments behind those of the sweep itself. */
static int take_values(struct job *j, struct like *l, const struct sweep *s, int64_t member) {
    int names = keel_plan_names(s->plan);
    size_t room = 1;
    char why[JOB_SENTENCE];
    for (int i = 0; i < names; i++) room += strlen(keel_plan_name(s->plan, i)) + 40;
    double *value = malloc(((size_t)names + 1) * sizeof *value);
    l->sets = malloc(room);
    if (value) keel_plan_values(s->plan, member, value);
    char *at = l->sets;
    for (int i = 0; i < names && value && at; i++) {
        int length = sprintf(at, "%s=%.17g", keel_plan_name(s->plan, i), value[i]);
        if (option_add(&j->options, opt_set, at, why, sizeof why)) at = NULL;
        else at += length + 1;
    }
    int good = value && at;
    free(value);
    return good ? 0 : job_no_memory(j);
}

/* Options of the sweep that a run has, too, and that decide its numbers. */
static int take_options(struct job *j, const struct options *o) {
    char why[JOB_SENTENCE];
    for (int id = 0; id < OPTIONS; id++) {
        int ours = option_row(id).commands & COMMAND_RUN && (option_of_numbers(id) || id == opt_interpret);
        if (!ours || (option_given(&j->options, id) && id != opt_set)) continue;
        for (int k = 0; k < o->value[id].count; k++)
            if (option_add(&j->options, id, o->value[id].text[k], why, sizeof why)) return job_no_memory(j);
    }
    return 0;
}

/* The sweep's plan, from its own model, which is only read for its numbers. */
static int open_sweep(struct job *j, struct like *l, struct sweep *s) {
    char why[JOB_SENTENCE];
    s->job.say.json = 1; /* what is wrong is told by this job */
    if (option_parse(&s->job.options, COMMAND_SWEEP, l->count, l->word, why, sizeof why))
        return job_fail(j, EXIT_FAILED, "--like: the sweep's command line: %s", why);
    if (option_given(&s->job.options, opt_table))
        return job_fail(
            j, EXIT_FAILED,
            "--like: the values of this sweep are those of a table: give them by --set, as the file "
            "has them");
    const struct option_value *set = &s->job.options.value[opt_set];
    keel_model_options o = {.set = set->text, .sets = set->count, .interpret = 1, .without_start = 1};
    s->job.model = keel_model_read("the sweep's model", l->model, strlen(l->model), &o);
    if (!s->job.model) return job_no_memory(j);
    if (sweep_plan_open(s)) return job_fail(j, EXIT_FAILED, "--like: %.500s", s->job.sentence);
    return 0;
}

int like_open(struct job *j) {
    const char *text = option_text(&j->options, opt_like), *colon = text ? strrchr(text, ':') : NULL;
    static struct sweep s;
    char path[4096], *end;
    if (!text) return 0;
    errno = 0;
    long long member = colon ? strtoll(colon + 1, &end, 10) : -1;
    if (!colon || *end || errno || colon[1] == '\0' || member < 0)
        return job_fail(j, EXIT_USAGE, "--like names a file of a sweep and a member, as in swings.h5:12");
    text_set(path, sizeof path, "%.*s", (int)(colon - text), text);
    j->like = calloc(1, sizeof *j->like);
    if (!j->like) return job_no_memory(j);
    if (read_file(j, j->like, path)) return j->status;
    s = (struct sweep){0};
    int status = open_sweep(j, j->like, &s);
    if (status == 0 && member >= keel_plan_members(s.plan))
        status = job_fail(j, EXIT_USAGE, "--like: %.200s has the members 0 .. %lld", path,
                          (long long)keel_plan_members(s.plan) - 1);
    if (status == 0) status = take_options(j, &s.job.options);
    if (status == 0) status = take_values(j, j->like, &s, member);
    keel_plan_close(s.plan);
    job_close(&s.job);
    return status;
}

int like_check(struct job *j) {
    if (!j->like || strcmp(j->like->model, keel_model_text(j->model)) == 0) return 0;
    return job_fail(j, EXIT_FAILED, "--like: %.200s is not the model of the sweep, or has changed since",
                    j->path);
}

void like_close(struct like *l) {
    if (!l) return;
    free(l->words);
    free(l->model);
    free(l->word);
    free(l->sets);
    free(l);
}

#else

int like_open(struct job *j) {
    return option_given(&j->options, opt_like)
               ? job_fail(j, EXIT_FAILED, "--like: this build of keel has no HDF5")
               : 0;
}

int like_check(struct job *j) {
    (void)j;
    return 0;
}

void like_close(struct like *l) {
    (void)l;
}

#endif
