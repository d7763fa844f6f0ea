/* cmd_orbit.c - keel orbit MODEL: a periodic orbit near the start, and its multipliers. */
#include "base/text.h"
#include "cli/job/command.h"
#include "cli/run/csv.h"
#include "cli/plots/plane.h"
#include "cli/run/run_json.h"
#include "cli/terminal/stop.h"
#include "cli/terminal/waiting.h"

#include <keel/orbit.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 1001 };

struct orbiting {
    struct job job;
    keel_orbit *orbit;
    struct plot plot;
    struct file out;
};

/* Text -------------------------------------------------------------------------------------------------- */

static void print_multipliers(const struct orbiting *f, FILE *out) {
    keel_multiplier m;
    const char *name;
    fprintf(out, "  multipliers               size\n");
    for (int i = 0; (name = keel_orbit_trivial(f->orbit, i)); i++)
        fprintf(out,
                i == 0 && strcmp(name, "along the orbit") == 0
                    ? "  1                         1               %s\n"
                    : "  1                         1               across the level sets of `%s`\n",
                name);
    for (int i = 0; keel_orbit_multiplier(f->orbit, i, &m); i++) {
        char value[80];
        text_set(value, sizeof value, m.small ? "0" : "%.9g", m.real);
        if (m.imaginary != 0)
            text_add(value, sizeof value, " %c %.9g i", m.imaginary < 0 ? '-' : '+', fabs(m.imaginary));
        fprintf(out, "  %-24s  %-14.9g  %s\n", value, m.size,
                m.one               ? "1, to what the runs resolve"
                : m.small           ? "at most: too small to be resolved"
                : m.size > 1 + 1e-6 ? "grows"
                                    : "");
    }
}

static void print_text(const struct orbiting *f, FILE *out) {
    const struct job *j = &f->job;
    keel_orbit_summary s;
    const char *name;
    double value;
    if (!keel_orbit_summarise(f->orbit, &s)) return;
    job_headline(j, out);
    fprintf(out, "  period %.15g  (from %.6g, %d steps, %d segments)\n", s.period, s.guess, s.steps,
            s.segments);
    for (int i = 0; keel_orbit_start(f->orbit, i, &name, &value); i++)
        fprintf(out, "  %-12s  %.16g\n", name, value);
    fprintf(out, "  gaps between segments %.1e, of one run over the period %.1e; error %.1e\n", s.defect,
            s.closing, s.error);
    print_multipliers(f, out);
    fprintf(out, "  product of all %.12g\n", s.product);
    if (!s.autonomous) fprintf(out, "  the equations depend on t: the period is as it was given\n");
    if (s.turns > 1)
        fprintf(out, "  it is an orbit of period %.15g, %d times over\n", s.period / s.turns, s.turns);
    if (s.family)
        fprintf(
            out,
            "  it is one of a family: there are others beside it in %d direction%s; --hold fixes a member\n",
            s.family, s.family > 1 ? "s" : "");
}

/* JSON -------------------------------------------------------------------------------------------------- */

static void json_multipliers(struct json *json, const struct orbiting *f) {
    keel_multiplier m;
    const char *name;
    json_array(json, "trivial");
    for (int i = 0; (name = keel_orbit_trivial(f->orbit, i)); i++) json_text(json, NULL, name);
    json_end_array(json);
    json_array(json, "multipliers");
    for (int i = 0; keel_orbit_multiplier(f->orbit, i, &m); i++) {
        json_object(json, NULL);
        json_number(json, "real", m.real);
        json_number(json, "imaginary", m.imaginary);
        json_number(json, "size", m.size);
        json_truth(json, "one", m.one);
        json_truth(json, "small", m.small);
        json_end_object(json);
    }
    json_end_array(json);
}

static void print_json(const struct orbiting *f, int status, FILE *out) {
    const struct job *j = &f->job;
    struct json json = {0};
    keel_orbit_summary s;
    const char *name;
    double value;
    run_json_head(&json, "orbit", run_json_status(status), status, j, j->sentence);
    if (keel_orbit_summarise(f->orbit, &s)) {
        json_text(&json, "method", j->method);
        json_text(&json, "stabilizer", j->stabilizer);
        json_number(&json, "period", s.period);
        json_number(&json, "guess", s.guess);
        json_object(&json, "start");
        for (int i = 0; keel_orbit_start(f->orbit, i, &name, &value); i++) json_number(&json, name, value);
        json_end_object(&json);
        json_number(&json, "defect", s.defect);
        json_number(&json, "closing", s.closing);
        json_number(&json, "error", s.error);
        json_integer(&json, "steps", s.steps);
        json_integer(&json, "segments", s.segments);
        json_integer(&json, "family", s.family);
        json_integer(&json, "turns", s.turns);
        json_truth(&json, "autonomous", s.autonomous);
        json_number(&json, "product", s.product);
        json_multipliers(&json, f);
    }
    run_json_print(&json, out);
}

/* Points of the orbit ----------------------------------------------------------------------------------- */

/* [POINTS][states]; NULL: the job has failed. */
static double *points_of(struct orbiting *f, int *states) {
    const char *name;
    double value;
    for (*states = 0; keel_orbit_start(f->orbit, *states, &name, &value);) ++*states;
    double *all = malloc((size_t)POINTS * (size_t)(*states + 1) * sizeof *all);
    if (all && keel_orbit_points(f->orbit, POINTS, all) == KEEL_OK) return all;
    if (all) job_fail(&f->job, EXIT_FAILED, "%s", job_words(keel_orbit_message(f->orbit)));
    else job_no_memory(&f->job);
    free(all);
    return NULL;
}

static int write_points(struct orbiting *f, const double *all, int states) {
    FILE *out = f->out.stream;
    const struct job *j = &f->job;
    char why[JOB_SENTENCE];
    const char *name;
    double value;
    keel_orbit_summary s;
    if (!out || !keel_orbit_summarise(f->orbit, &s)) return 0;
    fprintf(out, "# keel %s model=%s method=%s+%s schema=orbit-csv/1\nt", keel_version(),
            keel_model_name(j->model), j->method, j->stabilizer);
    for (int i = 0; keel_orbit_start(f->orbit, i, &name, &value); i++)
        fputc(',', out), csv_text(out, "", name);
    fputc('\n', out);
    for (int k = 0; k < POINTS; k++) {
        fprintf(out, "%.17g", j->t0 + s.period * k / (POINTS - 1));
        for (int i = 0; i < states; i++) fprintf(out, ",%.17g", all[k * states + i]);
        fputc('\n', out);
    }
    return file_keep(&f->out, why, sizeof why) ? job_fail(&f->job, EXIT_FAILED, "%s", why) : 0;
}

static int draw(struct orbiting *f, const double *all, int states) {
    struct plane p = {
        .job = &f->job, .plot = &f->plot, .value = all, .rows = POINTS, .columns = states, .lines = 1};
    const char **name = calloc((size_t)states + 1, sizeof *name);
    double value;
    if (!name) return job_no_memory(&f->job);
    for (int i = 0; keel_orbit_start(f->orbit, i, &name[i], &value);) i++;
    p.name = name;
    int status = plane_draw(&p);
    free(name);
    return status;
}

static int give_points(struct orbiting *f) {
    int states = 0;
    if (!f->out.stream && f->plot.kind == GNUPLOT_NONE) return 0;
    double *all = points_of(f, &states);
    if (!all) return f->job.status;
    int status = write_points(f, all, states);
    if (status == 0) status = draw(f, all, states);
    free(all);
    return status;
}

/* ------------------------------------------------------------------------------------------------------- */

static int find(struct orbiting *f) {
    struct job *j = &f->job;
    struct waiting waiting;
    const char *segments = option_text(&j->options, opt_segments);
    keel_orbit_options with = {.hold = option_text(&j->options, opt_hold),
                               .segments = segments ? atoi(segments) : 0};
    if (job_number(j, opt_period, &with.period)) return j->status;
    if (option_given(&j->options, opt_period) && !(with.period > 0))
        return job_fail(j, EXIT_USAGE, "--period must be positive, it is %g", with.period);
    if (plane_out(j, &f->out) || plot_open(&f->plot, j)) return j->status;
    if (j->keel.rtol == 0 && j->keel.step == 0) j->keel.rtol = 1e-13;
    j->keel.stop = stop_flag();
    waiting_begin(&waiting, &j->messages, "seeking the orbit");
    f->orbit = keel_orbit_find(j->model, &j->keel, &with);
    waiting_end(&waiting);
    keel_status status = keel_orbit_status(f->orbit);
    if (stop_asked()) return job_fail(j, stop_exit(), "interrupted before the orbit was found");
    if (status == KEEL_ENOMEM) return job_no_memory(j);
    if (status != KEEL_OK)
        return job_fail(j, status == KEEL_EINVAL && with.hold ? EXIT_USAGE : EXIT_FAILED, "%s",
                        job_words(keel_orbit_message(f->orbit)));
    if (!j->messages.json && !j->messages.quiet) print_text(f, stdout);
    return give_points(f) ? j->status : EXIT_DONE;
}

int orbit_command(int count, char **argv) {
    static struct orbiting f;
    struct job *j = &f.job;
    stop_watch();
    int status = job_open(j, COMMAND_ORBIT, count, argv);
    if (status == 0 && option_given(&j->options, opt_help)) {
        command_help(command_find("orbit"), stdout);
        job_close(j);
        return EXIT_DONE;
    }
    if (status == 0) status = find(&f);
    file_drop(&f.out);
    plot_drop(&f.plot);
    if (j->messages.json) print_json(&f, status, stdout);
    keel_orbit_close(f.orbit);
    job_close(j);
    return status;
}
