/* cmd_discover.c - keel discover MODEL: invariants that nobody stated, as lines for the model.
 *
 * All else that is printed is a comment of the language: `cat m.keel found.txt` is a model again. */
#include "base/text.h"
#include "cli/command.h"
#include "cli/job.h"
#include "cli/run_json.h"
#include "cli/stop.h"
#include "cli/waiting.h"

#include <keel/discover.h>

#include <stdlib.h>
#include <string.h>

struct finding {
    struct job job;
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
    int count = 0, independent = 0, unwritten = keel_discovery_unwritten(d->found);
    print_searched(d, out);
    for (; keel_discovery_at(d->found, count, &f); count++) {
        fprintf(out, "%sinvariant %s = %s\n", f.doubt ? "# " : "", f.name, f.text);
        print_remarks(&f, out);
        independent += f.independent;
    }
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
    }
    run_json_print(&json, out);
}

/* The search ------------------------------------------------------------------------------------------ */

static int discover(struct finding *d) {
    struct job *j = &d->job;
    keel_discover_options with = {.stop = stop_flag(), .functions = option_text(&j->options, opt_functions)};
    const char *degree = option_text(&j->options, opt_degree), *limit = option_text(&j->options, opt_limit);
    const char *seed = option_text(&j->options, opt_seed);
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
    return EXIT_DONE;
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
    if (j->messages.json) print_json(&d, status, stdout);
    keel_discovery_close(d.found);
    job_close(j);
    return status;
}
