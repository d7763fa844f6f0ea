/* cmd_discover.c - keel discover MODEL: invariants that nobody stated, as lines for the model.
 *
 * All else that is printed is a comment of the language: `cat m.keel found.txt` is a model again. */
#include "base/text.h"
#include "cli/job/command.h"
#include "cli/job/job.h"
#include "cli/plots/plane.h"
#include "cli/run/run_json.h"
#include "cli/terminal/stop.h"
#include "cli/terminal/waiting.h"

#include <keel/discover.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct finding {
    struct job job;
    struct plot plot;
    keel_discovery *found;
};

/* For people ------------------------------------------------------------------------------------------- */

static void print_remarks(const keel_found *f, FILE *out) {
    fprintf(out, "#   degree %d", f->degree);
    if (f->known && f->known[0]) fprintf(out, "; the model states it as `%s`", f->known);
    else if (f->known) fprintf(out, "; it follows from what the model states");
    if (f->scope == KEEL_FOUND_THESE) fprintf(out, "; it needs these values of %s", f->held);
    if (f->scope == KEEL_FOUND_UNKNOWN)
        fprintf(out, "; with other values of %s its coefficients are others, of unknown form", f->held);
    if (!f->independent)
        fprintf(out, "; a function of those before%s%s", f->relation ? ": " : "",
                f->relation ? f->relation : "");
    fprintf(out, "\n");
    if (f->doubt) fprintf(out, "#   the model does not take it: %s\n", f->doubt);
}

static void print_searched(const struct finding *d, FILE *out) {
    enum { TOLD = 12, LONGEST = 60 };
    const char *function;
    fprintf(out, "# %s: %d monomials up to degree %d of ", keel_model_name(d->job.model),
            keel_discovery_monomials(d->found), keel_discovery_degree(d->found));
    for (int i = 0; (function = keel_discovery_function(d->found, i)); i++) {
        if (i == TOLD) {
            fprintf(out, ", ...");
            break;
        }
        fprintf(out, "%s%.*s%s", i ? ", " : "", LONGEST, function, strlen(function) > LONGEST ? "..." : "");
    }
    fprintf(out, "\n");
}

static void print_text(const struct finding *d, FILE *out) {
    keel_found f;
    double number;
    int odd = keel_discovery_odd_numbers(d->found, &number);
    int count = 0, independent = 0, unwritten = keel_discovery_unwritten(d->found);
    print_searched(d, out);
    for (; keel_discovery_at(d->found, count, &f); count++) {
        fprintf(out, "%sinvariant %s = %s\n", f.doubt ? "# " : "", f.name, f.text);
        print_remarks(&f, out);
        independent += f.independent;
    }
    if (odd)
        fprintf(out,
                odd == 1 ? "# %.10g is no plain fraction and counts as independent of all numbers\n"
                         : "# %.10g and %d more numbers are no plain fractions: relations between them are "
                           "not seen; parameters show them\n",
                number, odd - 1);
    if (count == 0) fprintf(out, "# no invariant\n");
    else
        fprintf(out, "# %d invariant%s, %s%d independent\n", count, count == 1 ? "" : "s",
                independent == count ? "all " : "", independent);
    if (count && keel_discovery_between_events(d->found))
        fprintf(out, "# they hold between the events, whose actions may change them\n");
    if (unwritten)
        fprintf(out, "# %d more could not be written: their coefficients are no plain fractions\n",
                unwritten);
}

/* For programs ----------------------------------------------------------------------------------------- */

static void print_json(const struct finding *d, int status, FILE *out) {
    static const char *const scope[] = {
        [KEEL_FOUND_ALL] = "all", [KEEL_FOUND_UNKNOWN] = "unknown", [KEEL_FOUND_THESE] = "these"};
    const struct job *j = &d->job;
    struct json json = {0};
    const char *function;
    keel_found f;
    run_json_head(&json, "discover", run_json_status(status), status, j, j->sentence);
    if (d->found && keel_discovery_status(d->found) == KEEL_OK) {
        json_integer(&json, "degree", keel_discovery_degree(d->found));
        json_integer(&json, "monomials", keel_discovery_monomials(d->found));
        json_array(&json, "functions");
        for (int i = 0; (function = keel_discovery_function(d->found, i)); i++)
            json_text(&json, NULL, function);
        json_end_array(&json);
        json_array(&json, "invariants");
        for (int i = 0; keel_discovery_at(d->found, i, &f); i++) {
            json_object(&json, NULL);
            json_text(&json, "name", f.name);
            json_text(&json, "text", f.text);
            json_integer(&json, "degree", f.degree);
            json_integer(&json, "terms", f.terms);
            json_truth(&json, "independent", f.independent);
            json_text(&json, "relation", f.relation);
            json_text(&json, "parameters", scope[f.scope]);
            json_text(&json, "held", f.held);
            json_text(&json, "known", f.known);
            json_text(&json, "doubt", f.doubt);
            json_end_object(&json);
        }
        json_end_array(&json);
        json_truth(&json, "between_events", keel_discovery_between_events(d->found));
        json_integer(&json, "unwritten", keel_discovery_unwritten(d->found));
        json_integer(&json, "odd_numbers", keel_discovery_odd_numbers(d->found, NULL));
    }
    run_json_print(&json, out);
}

/* The picture ------------------------------------------------------------------------------------------- */

enum { POINTS = 1000 };

/* "abs(a*b) + abs(2*c)" of "a*b - 2*c", the size of a polynomial: at most 8 letters for one, and 5 more. */
static void put_terms(char *out, const char *polynomial) {
    static const char between[] = ") + abs(";
    int depth = 0;
    out = strcpy(out, "abs(") + 4;
    for (const char *c = polynomial; *c; c++) {
        depth += (*c == '(') - (*c == ')');
        int next = depth == 0 && (strncmp(c, " + ", 3) == 0 || strncmp(c, " - ", 3) == 0);
        if (!next) *out++ = *c;
        else out = strcpy(out, between) + sizeof between - 1, c += 2;
    }
    strcpy(out, ")");
}

/* The model with what was found as outputs, which no run holds, and their sizes.  NULL: no memory. */
static char *watched_text(const struct finding *d, int invariants) {
    const char *text = keel_model_text(d->job.model);
    size_t capacity = strlen(text) + 2;
    keel_found f;
    for (int i = 0; i < invariants && keel_discovery_at(d->found, i, &f); i++)
        capacity += 100 + 2 * strlen(f.name) + 10 * strlen(f.text);
    char *whole = malloc(capacity);
    if (whole) text_set(whole, capacity, "%s\n", text);
    for (int i = 0; whole && i < invariants && keel_discovery_at(d->found, i, &f); i++) {
        text_add(whole, capacity, "output %s = %s\noutput %s_size = ", f.name, f.text, f.name);
        put_terms(whole + strlen(whole), f.text);
        text_add(whole, capacity, "\n");
    }
    return whole;
}

/* point[invariants][POINTS]: t and (I - I(0)) / largest size, along the run.  How many points each has. */
static int watch(keel_sim *s, int invariants, double *point) {
    int columns = keel_sim_columns(s), at = 0, first = columns - 2 * invariants; /* the last outputs */
    double from, to, *value = malloc(((size_t)columns + 1) * sizeof *value), size[PLOT_COLORS] = {0};
    keel_status status = value ? KEEL_OK : KEEL_ENOMEM;
    keel_sim_span(s, &from, &to);
    for (; at < POINTS && status >= 0; at++) {
        double t = at == POINTS - 1 ? to : from + at * (to - from) / (POINTS - 1);
        while (at && (status = keel_sim_run(s, t)) == KEEL_EVENT && !stop_asked()) {}
        if (status < 0 || keel_sim_values(s, value) != KEEL_OK) break;
        for (int i = 0; i < invariants; i++) {
            double *own = point + 2 * (i * POINTS + at);
            own[0] = t, own[1] = value[first + 2 * i];
            size[i] = fmax(size[i], fabs(value[first + 2 * i + 1]));
        }
    }
    for (int i = 0; i < invariants; i++) {
        double *own = point + 2L * i * POINTS, begin = own[1];
        for (int k = 0; k < at; k++) own[2 * k + 1] = size[i] > 0 ? (own[2 * k + 1] - begin) / size[i] : 0;
    }
    free(value);
    return at;
}

/* The points of each as one group, without gaps between them.  How many. */
static long gather(int invariants, int points, double *point, int *group) {
    for (int i = 0; i < invariants; i++) {
        memmove(point + 2L * i * points, point + 2L * i * POINTS, 2 * (size_t)points * sizeof *point);
        for (int k = 0; k < points; k++) group[i * points + k] = i;
    }
    return (long)invariants * points;
}

/* How constant they are along a run that does not hold them: a colour each. */
static int draw(struct finding *d) {
    static const char *const name[] = {"t", "(I - I(0)) / terms of I"};
    struct job *j = &d->job;
    int invariants = 0;
    keel_found f;
    while (invariants < PLOT_COLORS && keel_discovery_at(d->found, invariants, &f)) invariants++;
    if (invariants == 0) return job_fail(j, EXIT_FAILED, "there is no invariant to draw");
    char *text = watched_text(d, invariants);
    double *point = malloc(2 * (size_t)invariants * POINTS * sizeof *point);
    int *group = malloc((size_t)invariants * POINTS * sizeof *group);
    keel_model *m = NULL;
    keel_sim *s = NULL;
    int status = text && point && group ? 0 : job_no_memory(j), points = 0;
    if (!status) {
        const struct option_value *set = &j->options.value[opt_set];
        keel_model_options o = {
            .set = set->text, .sets = set->count, .interpret = 1, .clock = "none", .stop = stop_flag()};
        m = keel_model_read(j->path, text, strlen(text), &o);
        s = keel_model_status(m) == KEEL_OK ? keel_sim_open(m, &(keel_options){.rtol = 1e-9}) : NULL;
        points = s && keel_sim_status(s) >= 0 ? watch(s, invariants, point) : 0;
    }
    if (!status && points < 2)
        status =
            job_fail(j, EXIT_FAILED, "nothing to draw: %s", s ? keel_sim_message(s) : keel_model_message(m));
    if (!status) {
        struct plane plane = {.job = j,
                              .plot = &d->plot,
                              .value = point,
                              .group = group,
                              .rows = gather(invariants, points, point, group),
                              .columns = 2,
                              .name = name,
                              .lines = 1};
        status = plane_draw(&plane);
    }
    keel_sim_close(s);
    keel_model_close(m);
    free(text), free(point), free(group);
    return status;
}

/* The search ------------------------------------------------------------------------------------------ */

static int discover(struct finding *d) {
    struct job *j = &d->job;
    keel_discover_options with = {.stop = stop_flag(), .functions = option_text(&j->options, opt_functions)};
    const char *degree = option_text(&j->options, opt_degree), *limit = option_text(&j->options, opt_limit);
    const char *seed = option_text(&j->options, opt_seed);
    if (plot_open(&d->plot, j)) return j->status;
    if (degree) with.degree = atoi(degree); /* whole numbers, as the options say */
    if (limit) with.limit = atoi(limit);
    if (seed && (strspn(seed, "0123456789") != strlen(seed) || strlen(seed) > 19 || !*seed))
        return job_fail(j, EXIT_USAGE, "--seed needs a whole number of at most 19 digits, not `%.40s`", seed);
    if (seed) with.seed = strtoull(seed, NULL, 10);
    struct waiting waiting;
    waiting_begin(&waiting, &j->messages, "looking for invariants");
    d->found = keel_discover(j->model, &with);
    waiting_end(&waiting);
    keel_status status = keel_discovery_status(d->found);
    if (stop_asked()) return job_fail(j, stop_exit(), "interrupted before the search was complete");
    if (status == KEEL_ENOMEM) return job_no_memory(j);
    if (status != KEEL_OK) return job_fail(j, EXIT_FAILED, "%s", keel_discovery_message(d->found));
    if (!j->messages.json && !j->messages.quiet) print_text(d, stdout);
    return d->plot.kind != GNUPLOT_NONE && draw(d) ? j->status : EXIT_DONE;
}

int discover_command(int count, char **argv) {
    static struct finding d;
    struct job *j = &d.job;
    stop_watch();
    int status = job_open(j, COMMAND_DISCOVER, count, argv);
    if (status == 0 && option_given(&j->options, opt_help)) {
        command_help(command_find("discover"), stdout);
        job_close(j);
        return EXIT_DONE;
    }
    if (status == 0) status = discover(&d);
    plot_drop(&d.plot);
    if (j->messages.json) print_json(&d, status, stdout);
    keel_discovery_close(d.found);
    job_close(j);
    return status;
}
