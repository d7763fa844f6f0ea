/* growth.c - see growth.h.  From N1 to N2 a cost c grows with the exponent log(c2 / c1) / log(N2 / N1). */
#include "report/growth.h"
#include "report/show.h"

#include <math.h>
#include <string.h>

static struct growth_row *row_of(struct growth *g, const struct sweep *s, const struct peer_row *row) {
    int i = 0;
    while (i < g->rows && g->row[i].row != row) i++;
    if (i == g->rows && g->rows < SWEEP_ROWS) {
        struct growth_row *r = &g->row[g->rows++];
        r->row = row;
        show_name(s, row, r->name, sizeof r->name);
        for (int k = 0; k < GROWTH_SIZES; k++) r->ratio[k] = r->seconds[k] = r->bytes[k] = NAN;
    }
    return &g->row[i];
}

void growth_note(struct growth *g, const struct sweep *s) {
    int k = g->sizes;
    if (s->bench_case.size == 0 || k == GROWTH_SIZES) return;
    g->size[g->sizes++] = s->bench_case.size;
    for (int i = 0; i < s->rows; i++) {
        const struct sweep_row *line = &s->row[i];
        struct growth_row *r = row_of(g, s, line->row);
        r->seconds[k] = line->a_step;
        r->ratio[k] = line->a_step / s->unit;
        if (line->at >= 0 && line->rung[line->at].bytes > 0) r->bytes[k] = line->rung[line->at].bytes;
    }
}

static double exponent(const struct growth *g, const double *cost, int k) {
    return log(cost[k + 1] / cost[k]) / log((double)g->size[k + 1] / g->size[k]);
}

static void print_value(const char *form, double value) {
    if (isnan(value)) printf(" %9s", "-");
    else printf(form, value);
}

static void print_spans(const struct growth *g) {
    for (int k = 0; k + 1 < g->sizes; k++) {
        char span[40];
        snprintf(span, sizeof span, "%d-%d", g->size[k], g->size[k + 1]);
        printf(" %10s", span);
    }
}

void growth_show(const struct growth *g) {
    if (g->sizes < 2) return;
    printf("growth: a step in units of the step by hand at the same N; the exponents of its time, and of the "
           "memory of a solver\n  %-13s %-27s",
           "", "N");
    for (int k = 0; k < g->sizes; k++) printf(" %9d", g->size[k]);
    print_spans(g);
    print_spans(g);
    printf("\n");
    for (int i = 0; i < g->rows; i++) {
        const struct growth_row *r = &g->row[i];
        printf("  %-13s %-27s", r->row->peer->name, r->name);
        for (int k = 0; k < g->sizes; k++) print_value(" %9.3g", r->ratio[k]);
        for (int k = 0; k + 1 < g->sizes; k++) print_value("  %9.2f", exponent(g, r->seconds, k));
        for (int k = 0; k + 1 < g->sizes; k++) print_value("  %9.2f", exponent(g, r->bytes, k));
        printf("\n");
    }
    printf("\n");
}

static void list(FILE *to, const char *name, const double *value, int count, const char *end) {
    fprintf(to, "\"%s\": [", name);
    for (int k = 0; k < count; k++) {
        fprintf(to, k ? ", " : "");
        if (isfinite(value[k])) fprintf(to, "%.4g", value[k]);
        else fprintf(to, "null");
    }
    fprintf(to, "]%s", end);
}

void growth_json(const struct growth *g, FILE *to) {
    double time[GROWTH_SIZES] = {0}, memory[GROWTH_SIZES] = {0}, size[GROWTH_SIZES];
    int spans = g->sizes - 1;
    if (g->sizes < 2) {
        fprintf(to, " \"growth\": null");
        return;
    }
    for (int k = 0; k < g->sizes; k++) size[k] = g->size[k];
    fprintf(to, " \"growth\": {");
    list(to, "sizes", size, g->sizes, ", \"rows\": [\n");
    for (int i = 0; i < g->rows; i++) {
        const struct growth_row *r = &g->row[i];
        for (int k = 0; k < spans; k++) {
            time[k] = exponent(g, r->seconds, k);
            memory[k] = exponent(g, r->bytes, k);
        }
        fprintf(to, "        {\"by\": \"%s\", \"method\": \"%s\", ", r->row->peer->name, r->name);
        list(to, "a_step", r->ratio, g->sizes, ", ");
        list(to, "time_exponent", time, spans, ", ");
        list(to, "memory_exponent", memory, spans, i + 1 < g->rows ? "},\n" : "}\n");
    }
    fprintf(to, "    ]}");
}
