/* sweep_words.c - see sweep_words.h. */
#include "cli/job/sweep_words.h"

#include "cli/files/file.h"

#include <stdlib.h>
#include <string.h>

static int is_kept(const void *user, int id) {
    (void)user;
    static const int others[] = {opt_workers, opt_task,  opt_quiet,  opt_json,
                                 opt_color,   opt_force, opt_resume, opt_retry_failed};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (others[k] == id) return 0;
    return 1;
}

/* Where files lie decides nothing. */
static int is_summed(const void *user, int id) {
    return id >= 0 && is_kept(user, id) && id != opt_out && id != opt_table;
}

char **sweep_words(int count, char **argv, int *kept) {
    char **word = calloc((size_t)count + 1, sizeof *word);
    *kept = word ? option_words(COMMAND_SWEEP, count, argv, is_kept, NULL, word) : 0;
    return word;
}

/* Given once more, or contradicted: a step and tolerances exclude each other. */
static int stays(const void *now, int id) {
    const struct options *o = now;
    int step = OPTION_OF(step), rtol = OPTION_OF(rtol), atol = OPTION_OF(atol), method = OPTION_OF(method);
    if (id < 0) return 1;
    if (id == step && (option_given(o, rtol) || option_given(o, atol))) return 0;
    if ((id == rtol || id == atol) && option_given(o, step)) return 0;
    if (id == opt_preserve && option_given(o, method)) return 0;
    return id == opt_set || !option_given(o, id);
}

char **sweep_words_again(int count, char **word, int now_count, char **now, int *words) {
    struct options o;
    char why[JOB_SENTENCE], **all = calloc((size_t)count + (size_t)now_count + 1, sizeof *all);
    int wrong = option_parse(&o, COMMAND_SWEEP, now_count, now, why, sizeof why);
    if (all && !wrong) {
        *words = option_words(COMMAND_SWEEP, count, word, stays, &o, all);
        memcpy(all + *words, now, (size_t)now_count * sizeof *all);
        *words += now_count;
    }
    option_release(&o);
    if (wrong) free(all), all = NULL;
    return all;
}

/* FNV-1a, each text with its end. */
static uint64_t add_bytes(uint64_t sum, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++) sum = (sum ^ at[i]) * 1099511628211u;
    return sum;
}

static uint64_t add_text(uint64_t sum, const char *text) {
    return add_bytes(sum, text, strlen(text) + 1);
}

uint64_t sweep_sum(const struct job *j, int count, char **word) {
    const char *table = option_text(&j->options, opt_table);
    char why[JOB_SENTENCE], **summed = calloc((size_t)count + 1, sizeof *summed);
    size_t bytes = 0;
    unsigned char *text = table ? file_read(table, &bytes, why, sizeof why) : NULL;
    uint64_t sum = 14695981039346656037u;
    int good = summed && (text || !table);
    int words = good ? option_words(COMMAND_SWEEP, count, word, is_summed, NULL, summed) : 0;
    for (int i = 0; i < words; i++) sum = add_text(sum, summed[i]);
    sum = add_text(add_text(sum, keel_version()), keel_model_text(j->model));
    if (text) sum = add_bytes(sum, text, bytes);
    free(summed);
    free(text);
    return good ? sum | 1 : 0;
}
