/* csv.c - see csv.h. */
#include "cli/csv.h"

#include <math.h>
#include <string.h>

/* A name, quoted where the format wants it. */
static void name(FILE *out, const char *prefix, const char *text) {
    int quoted = strpbrk(text, ",\"\n\r") != NULL;
    fputc(',', out);
    if (quoted) fputc('"', out);
    fputs(prefix, out);
    for (const char *at = text; *at; at++) {
        if (*at == '"') fputc('"', out);
        fputc(*at, out);
    }
    if (quoted) fputc('"', out);
}

int csv_open(struct csv *c, struct job *j, const char *path, int events_only) {
    char why[JOB_SENTENCE];
    *c = (struct csv){.model = j->model, .events_only = events_only};
    return file_open(&c->file, path, why, sizeof why) ? job_fail(j, EXIT_FAILED, "%s", why) : 0;
}

void csv_begin(struct csv *c, const struct job *j, const struct trace *t) {
    FILE *out = c->file.stream;
    c->trace = t;
    fprintf(out, "# keel %s model=%s method=%s+%s schema=csv/1\n", keel_version(), keel_model_name(j->model),
            j->method, j->stabilizer);
    fputs("t", out);
    for (int i = 0; i < t->columns; i++) name(out, "", keel_sim_column(t->sim, i));
    for (int i = 0; i < t->rows; i++) name(out, "drift.", keel_sim_row(t->sim, i));
    for (int i = 0; i < t->columns; i++)
        if (t->closed[i]) name(out, "error.", keel_sim_column(t->sim, i));
    fputs(c->events_only ? ",mode,event\n" : ",mode\n", out);
}

static void number(FILE *out, double value) {
    if (isnan(value)) fputc(',', out);
    else fprintf(out, ",%.17g", value);
}

int csv_row(void *csv, const struct trace_row *row) {
    struct csv *c = csv;
    const struct trace *t = c->trace;
    FILE *out = c->file.stream;
    keel_mode mode = {0};
    if (c->events_only ? !row->event : row->kind == TRACE_RECORD) return 0;
    fprintf(out, "%.17g", row->t);
    for (int i = 0; i < t->columns; i++) number(out, row->value[i]);
    for (int i = 0; i < t->rows; i++) number(out, row->drift[i]);
    for (int i = 0; i < t->columns; i++)
        if (t->closed[i]) number(out, row->error[i]);
    keel_model_mode(c->model, row->mode, &mode);
    name(out, "", mode.name ? mode.name : "");
    if (c->events_only) name(out, "", row->event);
    fputc('\n', out);
    return ferror(out);
}

int csv_end(struct csv *c, struct job *j, const char *status) {
    char why[JOB_SENTENCE];
    if (!c->file.stream) return 0;
    if (status) fprintf(c->file.stream, "# status: %s\n", status);
    return file_keep(&c->file, why, sizeof why) ? job_fail(j, EXIT_FAILED, "%s", why) : 0;
}
