/* like.c - see like.h. */
#include "cli/job/like.h"

#include "base/text.h"
#include "cli/job/option.h"

#ifdef KEEL_HDF5

#include "cli/files/sweep_reader.h"
#include "cli/job/sweep_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct like {
    struct sweep_reader file;
    struct options sweep; /* the options of the sweep */
    char *sets;           /* "name=value", one behind the other */
    char **word;          /* of the sweep's command line */
    int words;
};

/* The member's values as assignments behind those of the sweep itself: the file has all their digits. */
static int take_values(struct job *j, struct like *l, int64_t member) {
    int names = l->file.values.count;
    size_t capacity = 1;
    char why[JOB_SENTENCE];
    for (int i = 0; i < names; i++) capacity += strlen(l->file.values.name[i]) + 40;
    l->sets = malloc(capacity);
    char *at = l->sets;
    for (int i = 0; i < names && at; i++) {
        const char *name = l->file.values.name[i];
        double value;
        if (sweep_reader_value(&l->file, i, member, &value))
            return job_fail(j, EXIT_FAILED, "--like: the file has no values of `%.80s`", name);
        int length = sprintf(at, "%s=%.17g", strncmp(name, "start.", 6) == 0 ? name + 6 : name, value);
        if (option_add(&j->options, opt_set, at, why, sizeof why)) at = NULL;
        else at += length + 1;
    }
    return at ? 0 : job_no_memory(j);
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

/* The sweep's words, with those by which the member was run again, if it was. */
static int take_words(struct job *j, struct like *l, int64_t member) {
    const struct reader_names *command = &l->file.command;
    int each, count = 0, again = 0;
    double *retry = l->file.retry >= 0 ? sweep_reader_numbers(&l->file, "retry", member, 1, &each) : NULL;
    if (retry) again = (int)retry[0];
    free(retry);
    char *lines = again > 0 && again <= l->file.retries.count ? l->file.retries.name[again - 1] : NULL;
    char **now = malloc((lines ? strlen(lines) + 1 : 1) * sizeof *now);
    for (char *at = lines; at && *at && now;) {
        now[count++] = at;
        at += strcspn(at, "\n");
        if (*at) *at++ = '\0';
    }
    if (now) l->word = sweep_words_again(command->count, command->name, count, now, &l->words);
    free(now);
    return l->word ? 0 : job_no_memory(j);
}

int like_open(struct job *j) {
    const char *text = option_text(&j->options, opt_like), *colon = text ? strrchr(text, ':') : NULL;
    char path[4096], why[JOB_SENTENCE], *end;
    if (!text) return 0;
    errno = 0;
    long long member = colon ? strtoll(colon + 1, &end, 10) : -1;
    if (!colon || *end || errno || colon[1] == '\0' || member < 0)
        return job_fail(j, EXIT_USAGE, "--like names a file of a sweep and a member, as in swings.h5:12");
    text_set(path, sizeof path, "%.*s", (int)(colon - text), text);
    struct like *l = j->like = calloc(1, sizeof *l);
    if (!l) return job_no_memory(j);
    if (sweep_reader_open(&l->file, path, why, sizeof why))
        return job_fail(j, EXIT_FAILED, "--like: %s", why);
    if (member >= l->file.members)
        return job_fail(j, EXIT_USAGE, "--like: %.200s has the members 0 .. %lld", path,
                        (long long)l->file.members - 1);
    if (take_words(j, l, member)) return j->status;
    if (option_parse(&l->sweep, COMMAND_SWEEP, l->words, l->word, why, sizeof why))
        return job_fail(j, EXIT_FAILED, "--like: the sweep's command line: %s", why);
    return take_options(j, &l->sweep) || take_values(j, l, member) ? j->status : 0;
}

int like_check(struct job *j) {
    if (!j->like || strcmp(j->like->file.model_text.text, keel_model_text(j->model)) == 0) return 0;
    return job_fail(j, EXIT_FAILED, "--like: %.200s is not the model of the sweep, or has changed since",
                    j->path);
}

void like_close(struct like *l) {
    if (!l) return;
    sweep_reader_close(&l->file);
    option_release(&l->sweep);
    free(l->sets);
    free(l->word);
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
