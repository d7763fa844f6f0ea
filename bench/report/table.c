/* table.c - a sweep as a table of ratios. */
#include "report/show.h"

#include <math.h>
#include <string.h>

void show_name(const struct sweep *s, const struct peer_row *row, char *out, size_t capacity) {
    int named = row->stabilizer && strcmp(row->stabilizer, "none") != 0;
    const char *adaptive = s->bench_case.kind == CASE_STEPS && !row->order ? ", adaptive" : "";
    snprintf(out, capacity, "%s%s%s%s%s%s", row->method, named ? "+" : "", named ? row->stabilizer : "",
             row->compensated ? ", compensated" : "", row->no_energy ? ", no energy" : "", adaptive);
}

const char *show_kind(const struct bench_case *c) {
    switch (c->kind) {
    case CASE_ODE:
        return "orbits";
    case CASE_MECHANICS:
        return "mechanics";
    case CASE_STEPS:
        return "steps";
    case CASE_LARGE:
        return "chain";
    }
    return "";
}

static void print_number(double value) {
    if (isnan(value)) printf(" %9s", "-");
    else printf(value < 1e3 ? " %9.3g" : " %9.0f", value);
}

/* Where patience ended before the error was reached: more than that. */
static void print_time(const struct sweep *s, const struct sweep_row *line, int target) {
    char text[40];
    if (!isnan(line->seconds[target]) || !line->tired) {
        print_number(line->seconds[target] / s->unit);
        return;
    }
    snprintf(text, sizeof text, ">%.1e", line->rung[line->rungs - 1].seconds / s->unit);
    printf(" %9s", text);
}

static void print_drift(double units) {
    if (isnan(units)) printf(" %9s", "-");
    else printf(units < 1e4 ? " %9.1f" : " %9.1e", units);
}

static void print_steps(const struct sweep *s) {
    printf("  %-13s %-27s %9s %9s %9s\n", "", "", "a step", "drift", "evals");
    for (int i = 0; i < s->rows; i++) {
        const struct sweep_row *line = &s->row[i];
        const struct sweep_rung *r = line->rung;
        char name[80];
        show_name(s, line->row, name, sizeof name);
        printf("  %-13s %-27s", line->row->peer->name, name);
        print_number(line->a_step / s->unit);
        print_drift(r->drift);
        printf(" %9.1f\n", (double)r->evaluations / (double)r->steps);
    }
}

static void print_errors(const struct sweep *s) {
    printf("  %-13s %-27s %9s %9s %9s %9s %9s\n", "", "time at an error of", "1e-6", "1e-9", "1e-12", "drift",
           "evals");
    for (int i = 0; i < s->rows; i++) {
        const struct sweep_row *line = &s->row[i];
        char name[80];
        show_name(s, line->row, name, sizeof name);
        printf("  %-13s %-27s", line->row->peer->name, name);
        for (int k = 0; k < SWEEP_TARGETS; k++) print_time(s, line, k);
        print_drift(line->at < 0 ? NAN : line->rung[line->at].drift);
        if (line->at < 0) printf(" %9s\n", "-");
        else printf(" %9ld\n", line->rung[line->at].evaluations);
    }
}

void show_table(const struct sweep *s) {
    printf("%s: %s\n  times in units of %s, %.1f ns\n", s->bench_case.name, s->bench_case.about,
           s->bench_case.unit, 1e9 * s->unit);
    if (s->bench_case.kind == CASE_STEPS) print_steps(s);
    else print_errors(s);
    printf("\n");
    fflush(stdout);
}
