/* table.c - what an accuracy costs and what is lost on the way: loops by hand, keel from C and from models,
 * GSL, Boost.odeint and SUNDIALS, on the same right-hand sides, compiled with the same flags, in one run on
 * one core.  Every time is a multiple of a unit that is measured in the same run.
 *
 * usage: bench_table [--quick] [--json FILE] [--plot FOLDER] [CASE...]
 * CASE: one of them, or those of a kind: orbits, mechanics, chain (which is mechanics, too), steps. */
#include "bench.h"
#include "report/growth.h"
#include "report/show.h"

#include <math.h>
#include <string.h>

struct request {
    int quick, names;
    char **name;
    const char *json, *plot;
};

static void usage(void) {
    struct bench_case c;
    fprintf(stderr, "usage: bench_table [--quick] [--json FILE] [--plot FOLDER] [CASE...]\ncases:");
    for (int i = 0; case_at(i, &c); i++) fprintf(stderr, " %s", c.name);
    fprintf(stderr, "; of a kind: orbits mechanics chain steps\n");
    exit(2);
}

static int is_named(const struct bench_case *c, const char *name) {
    int mechanics = c->kind & (CASE_MECHANICS | CASE_LARGE);
    return strcmp(c->name, name) == 0 || strcmp(show_kind(c), name) == 0 ||
           (mechanics && strcmp(name, "mechanics") == 0);
}

static int is_case(const char *name) {
    struct bench_case c;
    for (int i = 0; case_at(i, &c); i++)
        if (is_named(&c, name)) return 1;
    return 0;
}

/* The names of cases are moved to the front of the words. */
static struct request read_words(int count, char **word) {
    struct request q = {.name = word};
    for (int i = 1; i < count; i++) {
        if (strcmp(word[i], "--quick") == 0) q.quick = 1;
        else if (strcmp(word[i], "--json") == 0 && i + 1 < count) q.json = word[++i];
        else if (strcmp(word[i], "--plot") == 0 && i + 1 < count) q.plot = word[++i];
        else if (is_case(word[i])) q.name[q.names++] = word[i];
        else usage();
    }
    return q;
}

static int wanted(const struct request *q, const struct bench_case *c) {
    for (int i = 0; i < q->names; i++)
        if (is_named(c, q->name[i])) return 1;
    return q->names == 0 && !(q->quick && c->patience >= 1);
}

static void plot(const struct request *q, const struct sweep *s) {
    char path[600];
    if (!q->plot || s->bench_case.kind == CASE_STEPS) return;
    snprintf(path, sizeof path, "%s/%s.svg", q->plot, s->bench_case.name);
    if (show_plot(s, path)) fprintf(stderr, "table: gnuplot did not draw %s\n", path);
}

/* Does the case work: is there a row that comes near the answer, and are its peers there? */
static int works(const struct sweep *s) {
    unsigned seen = s->bench_case.model ? 0 : 1u << 2;
    double least = s->bench_case.kind == CASE_STEPS ? 0 : 1;
    const struct peer *const must[] = {&peer_hand, &peer_keel, &peer_model, &peer_gsl, &peer_odeint};
    for (int i = 0; i < s->rows; i++) {
        for (int k = 0; k < 5; k++)
            if (s->row[i].row->peer == must[k]) seen |= 1u << k;
        for (int k = 0; k < s->row[i].rungs; k++) least = fmin(least, s->row[i].rung[k].error);
    }
    if (seen == 31 && least < 1e-4) return 1;
    fprintf(stderr, "table: %s: peers are missing, or no row comes nearer to the answer than %.1e\n",
            s->bench_case.name, least);
    return 0;
}

int main(int count, char **word) {
    static struct sweep s;
    static struct growth growth;
    struct request q = read_words(count, word);
    struct sweep_effort effort = {
        .patience = 0.4, .rounds = 7, .passes = 6, .finest = 1e-12, .most = 3000000};
    FILE *json = q.json ? fopen(q.json, "w") : NULL;
    int shown = 0, good = 1;
    if (q.json && !json) {
        fprintf(stderr, "table: %s cannot be written\n", q.json);
        return 1;
    }
    if (q.quick) {
        effort =
            (struct sweep_effort){.patience = 2e-3, .rounds = 1, .passes = 1, .finest = 1e-4, .most = 10000};
        peer_model_interpret = 1;
    }
    if (json) fprintf(json, "{\"sundials\": \"%s\",\n \"cases\": [\n", peer_sundials_note);
    if (*peer_sundials_note) printf("%s.\n\n", peer_sundials_note);
    for (int i = 0; case_at(i, &s.bench_case); i++) {
        if (!wanted(&q, &s.bench_case)) continue;
        if (case_open(&s.bench_case) || sweep_run(&s, &effort)) bench_stop("a case cannot be run");
        show_table(&s);
        growth_note(&growth, &s);
        good = works(&s) && good;
        if (json && shown++) fprintf(json, ",\n");
        if (json) show_json(&s, json);
        plot(&q, &s);
        case_close(&s.bench_case);
    }
    growth_show(&growth);
    if (json) fprintf(json, "\n ],\n");
    if (json) growth_json(&growth, json);
    if (json) fprintf(json, "}\n");
    return (json && fclose(json)) || !good;
}
