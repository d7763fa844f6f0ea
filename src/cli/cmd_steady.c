/* cmd_steady.c - keel steady MODEL: an equilibrium near the start, and its linear stability. */
#include "base/text.h"
#include "cli/job/command.h"
#include "cli/plots/plane.h"
#include "cli/run/run_json.h"
#include "cli/terminal/stop.h"
#include "cli/terminal/waiting.h"

#include <keel/steady.h>

#include <math.h>
#include <stdlib.h>

struct standing {
    struct job job;
    keel_steady *steady;
    struct plot plot;
};

static const char *const stability_name[] = {"stable", "unstable", "undecided"};
static const char *const stability_text[] = {
    "stable: deviations die out", "unstable: some deviation grows",
    "undecided: the largest real part is zero, and the linear part does not decide"};

static void print_eigenvalues(const struct standing *f, FILE *out) {
    keel_eigenvalue e;
    fprintf(out, "  eigenvalues\n");
    for (int i = 0; keel_steady_eigenvalue(f->steady, i, &e); i++) {
        char value[80], remark[80] = "";
        text_set(value, sizeof value, "%.9g", e.real);
        if (e.imaginary != 0)
            text_add(value, sizeof value, " %c %.9g i", e.imaginary < 0 ? '-' : '+', fabs(e.imaginary));
        if (e.imaginary > 0)
            text_set(remark, sizeof remark, "swings with a period of %.6g", 2 * acos(-1) / e.imaginary);
        else if (e.imaginary == 0 && e.real != 0)
            text_set(remark, sizeof remark, "%s by e in %.6g", e.real > 0 ? "grows" : "shrinks",
                     1 / fabs(e.real));
        fprintf(out, remark[0] ? "  %-30s  %s\n" : "  %s\n", value, remark);
    }
}

static void print_text(const struct standing *f, FILE *out) {
    keel_steady_summary s;
    const char *name;
    double value;
    if (!keel_steady_summarise(f->steady, &s)) return;
    fprintf(out, "%s: an equilibrium (%d steps, largest rate %.1e)\n", keel_model_name(f->job.model), s.steps,
            s.rate);
    for (int i = 0; keel_steady_state(f->steady, i, &name, &value); i++)
        fprintf(out, "  %-12s  %.16g\n", name, value);
    print_eigenvalues(f, out);
    fprintf(out, "  %s\n", stability_text[s.stability]);
    if (s.family)
        fprintf(out,
                "  it is not isolated, as far as the linear part tells: there are others in %d direction%s, "
                "or it is "
                "degenerate; --hold fixes a member\n",
                s.family, s.family > 1 ? "s" : "");
}

static void print_json(const struct standing *f, int status, FILE *out) {
    const struct job *j = &f->job;
    struct json json = {0};
    keel_steady_summary s;
    keel_eigenvalue e;
    const char *name;
    double value;
    run_json_head(&json, "steady", run_json_status(status), status, j, j->sentence);
    if (keel_steady_summarise(f->steady, &s)) {
        json_object(&json, "state");
        for (int i = 0; keel_steady_state(f->steady, i, &name, &value); i++) json_number(&json, name, value);
        json_end_object(&json);
        json_number(&json, "rate", s.rate);
        json_integer(&json, "steps", s.steps);
        json_integer(&json, "family", s.family);
        json_text(&json, "stability", stability_name[s.stability]);
        json_array(&json, "eigenvalues");
        for (int i = 0; keel_steady_eigenvalue(f->steady, i, &e); i++) {
            json_object(&json, NULL);
            json_number(&json, "real", e.real);
            json_number(&json, "imaginary", e.imaginary);
            json_end_object(&json);
        }
        json_end_array(&json);
    }
    run_json_print(&json, out);
}

/* The eigenvalues in their plane. */
static int draw(struct standing *f) {
    static const char *const name[] = {"real part", "imaginary part"};
    keel_eigenvalue e;
    int count = 0;
    while (keel_steady_eigenvalue(f->steady, count, &e)) count++;
    double *value = malloc(2 * (size_t)count * sizeof *value + 1);
    if (!value) return job_no_memory(&f->job);
    for (int i = 0; keel_steady_eigenvalue(f->steady, i, &e); i++)
        value[2 * i] = e.real, value[2 * i + 1] = e.imaginary;
    struct plane p = {.job = &f->job,
                      .plot = &f->plot,
                      .value = value,
                      .rows = count,
                      .columns = 2,
                      .name = name,
                      .large = 1};
    int status = plane_draw(&p);
    free(value);
    return status;
}

static int find(struct standing *f) {
    struct job *j = &f->job;
    struct waiting waiting;
    keel_steady_options with = {.hold = option_text(&j->options, opt_hold)};
    if (plot_open(&f->plot, j)) return j->status;
    j->keel.stop = stop_flag();
    waiting_begin(&waiting, &j->messages, "seeking the equilibrium");
    f->steady = keel_steady_find(j->model, &j->keel, &with);
    waiting_end(&waiting);
    keel_status status = keel_steady_status(f->steady);
    if (stop_asked()) return job_fail(j, stop_exit(), "interrupted before the equilibrium was found");
    if (status == KEEL_ENOMEM) return job_no_memory(j);
    if (status != KEEL_OK)
        return job_fail(j, status == KEEL_EINVAL && with.hold ? EXIT_USAGE : EXIT_FAILED, "%s",
                        job_words(keel_steady_message(f->steady)));
    if (!j->messages.json && !j->messages.quiet) print_text(f, stdout);
    return f->plot.kind != GNUPLOT_NONE && draw(f) ? j->status : EXIT_DONE;
}

int steady_command(int count, char **argv) {
    static struct standing f;
    struct job *j = &f.job;
    stop_watch();
    int status = job_open(j, COMMAND_STEADY, count, argv);
    if (status == 0 && option_given(&j->options, opt_help)) {
        command_help(command_find("steady"), stdout);
        job_close(j);
        return EXIT_DONE;
    }
    if (status == 0) status = find(&f);
    plot_drop(&f.plot);
    if (j->messages.json) print_json(&f, status, stdout);
    keel_steady_close(f.steady);
    job_close(j);
    return status;
}
