/* csv.c - see csv.h. */
#include "cli/run/csv.h"

#include "cli/files/digits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void csv_text(FILE *out, const char *prefix, const char *text) {
    int quoted = strpbrk(text, ",\"\n\r") != NULL;
    if (quoted) fputc('"', out);
    fputs(prefix, out);
    for (const char *at = text; *at; at++) {
        if (*at == '"') fputc('"', out);
        fputc(*at, out);
    }
    if (quoted) fputc('"', out);
}

/* A name behind others. */
static void name(FILE *out, const char *prefix, const char *text) {
    fputc(',', out);
    csv_text(out, prefix, text);
}

int csv_open(struct csv *c, struct job *j, const char *path, int events_only) {
    *c = (struct csv){.job = j, .events_only = events_only};
    return output_open(j, &c->file, path, KIND_CSV);
}

/* units=x:m;x':m/s, where a model has any. */
static void units(FILE *out, const struct trace *t) {
    int any = 0;
    for (int i = 0; i < t->columns; i++) {
        const char *unit = keel_sim_column_unit(t->sim, i);
        if (unit) fprintf(out, "%s%s:%s", any++ ? ";" : " units=t:s;", keel_sim_column(t->sim, i), unit);
    }
}

int csv_begin(struct csv *c, const struct trace *t) {
    FILE *out = c->file.stream;
    size_t numbers = 2 * (size_t)t->columns + (size_t)t->rows + 1;
    keel_mode mode = {0};
    c->trace = t;
    c->named_modes = keel_model_mode(c->job->model, 0, &mode) && mode.name;
    c->line = malloc(numbers * (DIGITS_ROOM + 1) + 2);
    if (!c->line) return job_no_memory(c->job);
    fprintf(out, "# keel %s model=%s method=%s+%s", keel_version(), keel_model_name(c->job->model),
            c->job->method, c->job->stabilizer);
    units(out, t);
    fputs(" schema=csv/1\n", out);
    fputs("t", out);
    for (int i = 0; i < t->columns; i++) name(out, "", keel_sim_column(t->sim, i));
    for (int i = 0; i < t->rows; i++) name(out, "drift.", keel_sim_row(t->sim, i));
    for (int i = 0; i < t->columns; i++)
        if (t->closed[i]) name(out, "error.", keel_sim_column(t->sim, i));
    fputs(c->events_only ? ",mode,event\n" : ",mode\n", out);
    return 0;
}

static char *number(char *at, double value) {
    *at++ = ',';
    return isnan(value) ? at : at + digits_write(value, at);
}

int csv_row(void *csv, const struct trace_row *row) {
    struct csv *c = csv;
    const struct trace *t = c->trace;
    keel_mode mode = {0};
    if (c->events_only ? !row->event : row->kind == TRACE_RECORD) return 0;
    char *at = c->line + digits_write(row->t, c->line);
    for (int i = 0; i < t->columns; i++) at = number(at, row->value[i]);
    for (int i = 0; i < t->rows; i++) at = number(at, row->drift[i]);
    for (int i = 0; i < t->columns; i++)
        if (t->closed[i]) at = number(at, row->error[i]);
    if (c->named_modes || c->events_only) {
        file_put(&c->file, c->line, (size_t)(at - c->line));
        keel_model_mode(keel_sim_model(t->sim), row->mode, &mode);
        name(c->file.stream, "", mode.name ? mode.name : "");
        if (c->events_only) name(c->file.stream, "", row->event);
        at = c->line;
    } else *at++ = ',';
    *at++ = '\n';
    if (file_put(&c->file, c->line, (size_t)(at - c->line)) == 0) return 0;
    file_sentence(&c->file, c->job->sentence, sizeof c->job->sentence);
    return -1;
}

int csv_end(struct csv *c, const char *status) {
    char why[JOB_SENTENCE];
    if (!c->file.stream) return 0;
    const struct missing *m = &c->trace->missing;
    static const char *const prefix[] = {"", "drift.", "error."};
    for (int i = 0; i < m->count && !c->events_only; i++)
        fprintf(c->file.stream, "# no value: %s%s, first seen at t = %.17g\n", prefix[m->one[i].kind],
                m->one[i].name, m->one[i].first);
    if (status) fprintf(c->file.stream, "# status: %s\n", status);
    int wrong = file_keep(&c->file, why, sizeof why);
    csv_drop(c);
    return wrong ? job_fail(c->job, EXIT_FAILED, "%s", why) : 0;
}

void csv_drop(struct csv *c) {
    file_drop(&c->file);
    free(c->line);
    c->line = NULL;
}
