/* sweep_summary.c - --summary mean,std,q05: statistics of the columns over all members, while they come. */
#include "base/text.h"
#include "cli/sweep/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const known[] = {"count", "mean", "std", "min", "max"};
enum { KNOWN = sizeof known / sizeof *known };

/* The part of q05, 0.05; q975 is 0.975.  NAN: it is no quantile. */
static double part_of(const char *word) {
    size_t digits = strspn(word + 1, "0123456789");
    if (word[0] != 'q' || digits < 2 || digits > 12 || word[1 + digits]) return NAN;
    return strtod(word + 1, NULL) / pow(10, (double)digits);
}

static int number_of(const char *word) {
    for (int k = 0; k < KNOWN; k++)
        if (strcmp(known[k], word) == 0) return k;
    return isnan(part_of(word)) ? -1 : KNOWN;
}

int sweep_summary_open(struct sweep *s) {
    struct job *j = &s->job;
    char word[JOB_WORD];
    int quantiles = 0;
    const char *rest = option_text(&j->options, opt_summary);
    if (!rest) return 0;
    while ((rest = text_next(rest, word, sizeof word))) {
        int number = number_of(word);
        if (number < 0)
            return job_fail(
                j, EXIT_USAGE,
                "--summary: `%.40s` is none of count, mean, std, min, max and quantiles as q05, q50", word);
        if (s->statistics == SWEEP_SUMMARIES)
            return job_fail(j, EXIT_USAGE, "--summary takes %d words at most", SWEEP_SUMMARIES);
        for (int k = 0; k < s->statistics; k++)
            if (strcmp(s->statistic[k], word) == 0)
                return job_fail(j, EXIT_USAGE, "--summary: `%s` is given twice", word);
        quantiles |= number == KNOWN;
        text_set(s->statistic[s->statistics++], JOB_WORD, "%s", word);
    }
    double quantities = (double)keel_ensemble_times(s->ensemble) * keel_ensemble_columns(s->ensemble);
    if (quantities > 1e7)
        return job_fail(j, EXIT_USAGE, "--summary: there are more than 10^7 numbers a member");
    s->summary = keel_summary_open((int)quantities, quantiles);
    return s->summary ? 0 : job_no_memory(j);
}

int sweep_summary_block(struct sweep *s, const keel_block *b) {
    size_t numbers = (size_t)b->times * (size_t)b->columns;
    for (int i = 0; i < b->count && s->summary; i++)
        if (keel_summary_add(s->summary, b->value + (size_t)i * numbers) != KEEL_OK)
            return job_no_memory(&s->job);
    return 0;
}

double sweep_summary_value(const struct sweep *s, int statistic, int quantity) {
    const char *word = s->statistic[statistic];
    keel_moments m = {0};
    int number = number_of(word);
    if (number == KNOWN) return keel_summary_quantile(s->summary, quantity, part_of(word));
    keel_summary_moments(s->summary, quantity, &m);
    const double value[KNOWN] = {(double)m.count, m.mean, m.deviation, m.smallest, m.largest};
    return value[number];
}

/* At the last time. */
void sweep_summary_text(const struct sweep *s, FILE *out) {
    int columns = keel_ensemble_columns(s->ensemble), last = keel_ensemble_times(s->ensemble) - 1;
    fprintf(out, "  summary    ");
    if (s->times) fprintf(out, "at t = %-10g", s->times[last]);
    else fprintf(out, "%-16s", "at the end");
    for (int k = 0; k < s->statistics; k++) fprintf(out, " %14s", s->statistic[k]);
    fprintf(out, "\n");
    for (int i = 0; i < columns; i++) {
        fprintf(out, "             %-16s", keel_ensemble_column(s->ensemble, i));
        for (int k = 0; k < s->statistics; k++)
            fprintf(out, " %14.7g", sweep_summary_value(s, k, last * columns + i));
        fprintf(out, "\n");
    }
}

void sweep_summary_json(const struct sweep *s, struct json *json) {
    int columns = keel_ensemble_columns(s->ensemble), times = keel_ensemble_times(s->ensemble);
    json_array(json, "summary");
    for (int q = 0; q < times * columns; q++) {
        json_object(json, NULL);
        json_text(json, "column", keel_ensemble_column(s->ensemble, q % columns));
        json_number(json, "t", s->times ? s->times[q / columns] : NAN);
        for (int k = 0; k < s->statistics; k++)
            json_number(json, s->statistic[k], sweep_summary_value(s, k, q));
        json_end_object(json);
    }
    json_end_array(json);
}
