/* sweep_csv.c - see sweep_csv.h. */
#include "cli/sweep/sweep_csv.h"

#include "cli/files/digits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int failed(struct sweep_csv *c) {
    file_sentence(&c->file, c->sweep->job.sentence, sizeof c->sweep->job.sentence);
    return job_fail(&c->sweep->job, EXIT_FAILED, "%s", c->sweep->job.sentence);
}

/* A field of text, quoted where the format wants it; lines stay lines. */
static void put_text(FILE *out, const char *prefix, const char *text) {
    int quoted = strpbrk(text, ",\"\n\r") != NULL;
    fputs(quoted ? ",\"" : ",", out);
    fputs(prefix, out);
    for (const char *at = text; *at; at++) {
        if (*at == '"') fputc('"', out);
        fputc(*at == '\n' || *at == '\r' ? ' ' : *at, out);
    }
    if (quoted) fputc('"', out);
}

static void put_columns(const struct sweep_csv *c, const char *prefix) {
    for (int i = 0; i < keel_ensemble_columns(c->sweep->ensemble); i++)
        put_text(c->file.stream, prefix, keel_ensemble_column(c->sweep->ensemble, i));
}

int sweep_csv_open(struct sweep_csv *c, struct sweep *s, struct claim *claim) {
    struct job *j = &s->job;
    char why[JOB_SENTENCE];
    *c = (struct sweep_csv){.sweep = s};
    if (file_open(&c->file, claim, 1, why, sizeof why)) return job_fail(j, EXIT_FAILED, "%s", why);
    size_t names = (size_t)keel_plan_names(s->plan),
           numbers = 4 * (size_t)keel_ensemble_columns(s->ensemble) + 1;
    c->value = malloc((names + 1) * sizeof *c->value);
    c->line = malloc((numbers + names + 8) * (DIGITS_ROOM + 1));
    if (!c->value || !c->line) return job_no_memory(j);
    FILE *out = c->file.stream;
    fprintf(out, "# keel %s model=%s method=%s+%s seed=%llu schema=sweep-csv/1\n", keel_version(),
            keel_model_name(j->model), j->method, j->stabilizer, (unsigned long long)s->draws.seed);
    fputs("member", out);
    for (int i = 0; i < keel_plan_names(s->plan); i++)
        put_text(out, keel_vary_start(keel_ensemble_variation(s->ensemble), i) ? "start." : "",
                 keel_plan_name(s->plan, i));
    if (s->options.event) {
        fputs(",t", out);
        put_columns(c, "");
    } else {
        fputs(",status,steps,drift,correction,defect,t", out);
        put_columns(c, "");
        if (s->options.extrema)
            put_columns(c, "smallest."), put_columns(c, "largest."), put_columns(c, "mean.");
        fputs(",sentence", out);
    }
    fputc('\n', out);
    return 0;
}

static char *put_number(char *at, double value) {
    *at++ = ',';
    return isnan(value) ? at : at + digits_write(value, at);
}

static char *put_numbers(char *at, const double *value, int count) {
    for (int i = 0; i < count; i++) at = put_number(at, value[i]);
    return at;
}

/* "12,0.5,1": the member and its values. */
static char *put_member(struct sweep_csv *c, int64_t member) {
    char *at = c->line + sprintf(c->line, "%lld", (long long)member);
    keel_plan_values(c->sweep->plan, member, c->value);
    return put_numbers(at, c->value, keel_plan_names(c->sweep->plan));
}

static void put_events(struct sweep_csv *c, const keel_block *b, int i) {
    for (int64_t k = b->event_first[i]; k < b->event_first[i + 1]; k++) {
        char *at = put_member(c, b->first + i);
        at = put_number(at, b->event_t[k]);
        at = put_numbers(at, b->event_value + (size_t)k * (size_t)b->columns, b->columns);
        *at++ = '\n';
        file_put(&c->file, c->line, (size_t)(at - c->line));
    }
}

static void put_time(struct sweep_csv *c, const keel_block *b, int i, int time) {
    size_t columns = (size_t)b->columns, row = (size_t)i * (size_t)b->times + (size_t)time;
    char *at = put_member(c, b->first + i);
    at += sprintf(at, ",%s,%lld", sweep_word(b->status[i]), (long long)b->steps[i]);
    at = put_number(at, b->drift[i]);
    at = put_number(at, b->correction[i]);
    at = put_number(at, b->defect[i]);
    at = put_number(at, c->sweep->times ? c->sweep->times[time] : b->t[i]);
    at = put_numbers(at, b->value + row * columns, b->columns);
    const double *extrema[] = {b->low, b->high, b->mean};
    for (int k = 0; k < 3 && b->low; k++) at = put_numbers(at, extrema[k] + (size_t)i * columns, b->columns);
    file_put(&c->file, c->line, (size_t)(at - c->line));
    put_text(c->file.stream, "", b->sentence[i] >= 0 ? b->text + b->sentence[i] : "");
    fputc('\n', c->file.stream);
}

int sweep_csv_block(struct sweep_csv *c, const keel_block *b) {
    for (int i = 0; i < b->count; i++) {
        if (b->event_first) put_events(c, b, i);
        for (int k = 0; k < b->times && !b->event_first; k++) put_time(c, b, i, k);
    }
    return c->file.error || ferror(c->file.stream) ? failed(c) : 0;
}

int sweep_csv_end(struct sweep_csv *c) {
    char why[JOB_SENTENCE];
    if (!c->file.stream) return 0;
    int wrong = file_keep(&c->file, why, sizeof why);
    return wrong ? job_fail(&c->sweep->job, EXIT_FAILED, "%s", why) : 0;
}

void sweep_csv_drop(struct sweep_csv *c) {
    file_drop(&c->file);
    free(c->value);
    free(c->line);
    *c = (struct sweep_csv){0};
}
