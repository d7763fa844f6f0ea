/* json.c - a sweep as JSON: what the table has, and all runs behind it. */
#include "report/show.h"

#include <math.h>

static void number(FILE *to, const char *name, double value, const char *end) {
    if (isfinite(value)) fprintf(to, "\"%s\": %.4g%s", name, value, end);
    else fprintf(to, "\"%s\": null%s", name, end);
}

static void runs(const struct sweep *s, const struct sweep_row *line, FILE *to) {
    for (int i = 0; i < line->rungs; i++) {
        const struct sweep_rung *r = &line->rung[i];
        fprintf(to, "%s{", i ? ", " : "");
        number(to, "setting", r->setting, ", ");
        if (s->bench_case.kind != CASE_STEPS) number(to, "error", r->error, ", ");
        number(to, "time", r->seconds / s->unit, ", ");
        number(to, "drift", r->drift, ", ");
        fprintf(to, "\"steps\": %ld, \"evaluations\": %ld}", r->steps, r->evaluations);
    }
}

static void row(const struct sweep *s, const struct sweep_row *line, FILE *to) {
    const struct sweep_rung *told = line->at < 0 ? NULL : &line->rung[line->at];
    char name[80];
    show_name(s, line->row, name, sizeof name);
    fprintf(to, "        {\"by\": \"%s\", \"method\": \"%s\", ", line->row->peer->name, name);
    number(to, "a_step", line->a_step / s->unit, ", ");
    if (s->bench_case.kind == CASE_STEPS) {
        number(to, "evaluations", (double)told->evaluations / (double)told->steps, ", ");
    } else {
        number(to, "1e-6", line->seconds[0] / s->unit, ", ");
        number(to, "1e-9", line->seconds[1] / s->unit, ", ");
        number(to, "1e-12", line->seconds[2] / s->unit, ", ");
        if (told) fprintf(to, "\"evaluations\": %ld, ", told->evaluations);
        else number(to, "evaluations", NAN, ", ");
    }
    fprintf(to, "\"tired\": %d, ", line->tired);
    number(to, "drift", told ? told->drift : NAN, ",\n         \"runs\": [");
    runs(s, line, to);
    fprintf(to, "]}");
}

void show_json(const struct sweep *s, FILE *to) {
    fprintf(to, "    {\"name\": \"%s\", \"kind\": \"%s\", \"about\": \"%s\", \"unit\": \"%s\", ",
            s->bench_case.name, show_kind(&s->bench_case), s->bench_case.about, s->bench_case.unit);
    number(to, "finest", s->bench_case.finest, ", ");
    number(to, "unit_ns", 1e9 * s->unit, ",\n     \"rows\": [\n");
    for (int i = 0; i < s->rows; i++) {
        row(s, &s->row[i], to);
        fprintf(to, i + 1 < s->rows ? ",\n" : "\n");
    }
    fprintf(to, "    ]}");
}
