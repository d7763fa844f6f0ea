/* cmd_lyapunov.c - keel lyapunov MODEL: how fast motions that begin side by side part. */
#include "cli/job/command.h"
#include "cli/plots/plane.h"
#include "cli/job/progress.h"
#include "cli/run/run_json.h"
#include "cli/terminal/stop.h"

#include <keel/lyapunov.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>

struct parting {
    struct job job;
    keel_lyapunov *found;
    struct progress progress;
    double transient;
    struct plot plot;
};

static void tell(double part, void *user) {
    struct parting *p = user;
    progress_at(&p->progress, p->job.t0 + part * (p->job.t1 - p->job.t0));
}

/* A bar around 0 is what an exponent 0 looks like after a finite time. */
static const char *remark(const keel_exponent *e) {
    return fabs(e->value) <= 2 * e->error ? "zero, to the bar" : "";
}

static void print_text(const struct parting *p, FILE *out) {
    const struct job *j = &p->job;
    keel_exponent e;
    const char *name;
    job_headline(j, out);
    fprintf(out, "  t %g .. %g, counted from %g on\n", j->t0, j->t1,
            j->t0 + copysign(p->transient, j->t1 - j->t0));
    fprintf(out, "  exponent        standard error\n");
    for (int i = 0; keel_lyapunov_at(p->found, i, &e); i++)
        fprintf(out, "  %-+14.6g  %-14.2g  %s\n", e.value, e.error, remark(&e));
    if (keel_lyapunov_sum(p->found, &e)) fprintf(out, "  sum %+.9g +- %.2g\n", e.value, e.error);
    for (int i = 0; (name = keel_lyapunov_left_out(p->found, i)); i++)
        fprintf(out, "  left out: a zero across the level sets of `%s`\n", name);
    if (keel_lyapunov_at(p->found, 0, &e) && e.value > 2 * e.error)
        fprintf(out, "  motions that begin side by side part by a factor of e in %.4g\n", 1 / e.value);
}

static void print_json(const struct parting *p, int status, FILE *out) {
    const struct job *j = &p->job;
    struct json json = {0};
    keel_exponent e;
    const char *name;
    run_json_head(&json, "lyapunov", run_json_status(status), status, j, j->sentence);
    if (keel_lyapunov_sum(p->found, &e)) {
        json_text(&json, "method", j->method);
        json_text(&json, "stabilizer", j->stabilizer);
        json_number(&json, "t0", j->t0);
        json_number(&json, "t_end", j->t1);
        json_number(&json, "transient", p->transient);
        json_number(&json, "sum", e.value);
        json_number(&json, "sum_error", e.error);
        json_array(&json, "exponents");
        for (int i = 0; keel_lyapunov_at(p->found, i, &e); i++) {
            json_object(&json, NULL);
            json_number(&json, "value", e.value);
            json_number(&json, "error", e.error);
            json_end_object(&json);
        }
        json_end_array(&json);
        json_array(&json, "left_out");
        for (int i = 0; (name = keel_lyapunov_left_out(p->found, i)); i++) json_text(&json, NULL, name);
        json_end_array(&json);
    }
    run_json_print(&json, out);
}

/* How the exponents settle: the means up to each block, a colour each. */
static int draw(struct parting *p) {
    static const char *const name[] = {"t", "exponents up to t"};
    double t, value;
    int exponents = 0, blocks = 0;
    while (exponents < PLOT_COLORS && keel_lyapunov_course(p->found, exponents, 0, &t, &value)) exponents++;
    while (keel_lyapunov_course(p->found, 0, blocks, &t, &value)) blocks++;
    size_t rows = (size_t)exponents * (size_t)blocks;
    double *point = malloc(2 * rows * sizeof *point + 1);
    int *group = malloc(rows * sizeof *group + 1), at = 0;
    int status = point && group ? 0 : job_no_memory(&p->job);
    for (int i = 0; i < exponents && !status; i++)
        for (int b = 0; keel_lyapunov_course(p->found, i, b, &t, &value); b++, at++)
            point[2 * at] = t, point[2 * at + 1] = value, group[at] = i;
    struct plane plane = {.job = &p->job,
                          .plot = &p->plot,
                          .value = point,
                          .group = group,
                          .rows = at,
                          .columns = 2,
                          .name = name,
                          .lines = 1};
    if (!status) status = plane_draw(&plane);
    free(point);
    free(group);
    return status;
}

static int lyapunov(struct parting *p) {
    struct job *j = &p->job;
    if (plot_open(&p->plot, j)) return j->status;
    p->transient = 0.1 * fabs(j->t1 - j->t0);
    if (job_number(j, opt_transient, &p->transient)) return j->status;
    if (!(p->transient >= 0) || !(p->transient < fabs(j->t1 - j->t0)))
        return job_fail(j, EXIT_USAGE,
                        "--transient must not be negative, and shorter than the run, which takes %g",
                        fabs(j->t1 - j->t0));
    j->keel.stop = stop_flag();
    keel_lyapunov_options with = {
        .t_end = j->t1, .transient = fmax(p->transient, DBL_MIN), .progress = tell, .user = p};
    progress_open(&p->progress, j);
    p->found = keel_lyapunov_run(j->model, &j->keel, &with);
    progress_clear(&p->progress);
    keel_status status = keel_lyapunov_status(p->found);
    if (stop_asked()) return job_fail(j, stop_exit(), "interrupted before the exponents were known");
    if (status == KEEL_ENOMEM) return job_no_memory(j);
    if (status != KEEL_OK) return job_fail(j, EXIT_FAILED, "%s", job_words(keel_lyapunov_message(p->found)));
    if (!j->messages.json && !j->messages.quiet) print_text(p, stdout);
    return p->plot.kind != GNUPLOT_NONE && draw(p) ? j->status : EXIT_DONE;
}

int lyapunov_command(int count, char **argv) {
    static struct parting p;
    struct job *j = &p.job;
    stop_watch();
    int status = job_open(j, COMMAND_LYAPUNOV, count, argv);
    if (status == 0 && option_given(&j->options, opt_help)) {
        command_help(command_find("lyapunov"), stdout);
        job_close(j);
        return EXIT_DONE;
    }
    if (status == 0) status = lyapunov(&p);
    plot_drop(&p.plot);
    if (j->messages.json) print_json(&p, status, stdout);
    keel_lyapunov_close(p.found);
    job_close(j);
    return status;
}
