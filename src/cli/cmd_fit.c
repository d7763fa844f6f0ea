/* cmd_fit.c - keel fit MODEL: parameters and start values from data. */
#include "base/text.h"
#include "cli/job/command.h"
#include "cli/run/csv.h"
#include "cli/fitting.h"
#include "cli/plots/plane.h"
#include "cli/run/run_json.h"
#include "cli/terminal/stop.h"
#include "cli/terminal/waiting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Text -------------------------------------------------------------------------------------------------- */

static void print_values(const struct fitting *f, FILE *out) {
    keel_fitted v;
    keel_fit_summary s;
    char deviation[40], interval[80];
    int told = keel_fit_summarise(f->fit, &s) && s.freedom > 0;
    fprintf(out, "  %-12s  %-12s  %-16s  %-10s  %s\n", "value", "begun at", "fitted", "deviation",
            "95 % interval");
    for (int i = 0; keel_fit_at(f->fit, i, &v); i++) {
        text_number(deviation, sizeof deviation, "%.2g", v.deviation);
        text_set(interval, sizeof interval, "%.8g .. %.8g", v.low, v.high);
        if (v.bound) text_set(interval, sizeof interval, "on its %s bound", v.bound < 0 ? "lower" : "upper");
        else if (isnan(v.deviation))
            text_set(interval, sizeof interval, told ? "not determined" : "cannot tell");
        fprintf(out, "  %-12s  %-12.6g  %-16.10g  %-10s  %s\n", v.name, v.start, v.value, deviation,
                interval);
    }
    for (int i = 0; keel_fit_at(f->fit, i, &v); i++)
        for (int k = 0; k < i; k++) {
            double c = keel_fit_correlation(f->fit, i, k);
            keel_fitted other;
            if (isfinite(c) && keel_fit_at(f->fit, k, &other))
                fprintf(out, "  correlation of %s and %s  %+.3f\n", other.name, v.name, c);
        }
}

static void print_text(const struct fitting *f, FILE *out) {
    const struct job *j = &f->job;
    keel_fit_summary s;
    keel_fit_measured c;
    const char *sentence;
    if (!keel_fit_summarise(f->fit, &s)) return;
    job_headline(j, out);
    fprintf(out, "  %d numbers", s.points);
    if (s.missing) fprintf(out, " (%d more are missing)", s.missing);
    if (s.experiments > 1) fprintf(out, " of %d experiments", s.experiments);
    fprintf(out, ", %d steps, %d runs\n", s.steps, s.runs);
    print_values(f, out);
    fprintf(out, "  %-12s  %-8s  %-22s  %s\n", "column", "numbers",
            s.given ? "deviation, given" : "deviation, estimated", "rms residual");
    for (int i = 0; keel_fit_column(f->fit, i, &c); i++)
        fprintf(out, "  %-12s  %-8d  %-22.4g  %.4g\n", c.name, c.points, c.sigma, c.residual);
    if (s.given) fprintf(out, "  chi^2 %.6g for %d degrees of freedom\n", s.square, s.freedom);
    for (int i = 0; (sentence = keel_fit_free(f->fit, i)); i++) fprintf(out, "  free: %s\n", sentence);
    for (int i = 0; (sentence = keel_fit_doubt(f->fit, i)); i++) fprintf(out, "  doubt: %s\n", sentence);
}

/* JSON -------------------------------------------------------------------------------------------------- */

static void json_values(struct json *json, const struct fitting *f) {
    keel_fitted v;
    json_array(json, "values");
    for (int i = 0; keel_fit_at(f->fit, i, &v); i++) {
        json_object(json, NULL);
        json_text(json, "name", v.name);
        json_number(json, "start", v.start);
        json_number(json, "value", v.value);
        json_number(json, "deviation", v.deviation);
        json_number(json, "low", v.low);
        json_number(json, "high", v.high);
        json_text(json, "bound", v.bound < 0 ? "lower" : v.bound > 0 ? "upper" : NULL);
        json_end_object(json);
    }
    json_end_array(json);
    json_array(json, "covariance");
    for (int i = 0; keel_fit_at(f->fit, i, &v); i++) {
        json_array(json, NULL);
        for (int k = 0; keel_fit_at(f->fit, k, &v); k++)
            json_number(json, NULL, keel_fit_covariance(f->fit, i, k));
        json_end_array(json);
    }
    json_end_array(json);
}

static void json_sentences(struct json *json, const char *key, const keel_fit *fit,
                           const char *(*at)(const keel_fit *, int)) {
    const char *sentence;
    json_array(json, key);
    for (int i = 0; (sentence = at(fit, i)); i++) json_text(json, NULL, sentence);
    json_end_array(json);
}

static void json_columns(struct json *json, const struct fitting *f) {
    keel_fit_measured c;
    json_array(json, "columns");
    for (int i = 0; keel_fit_column(f->fit, i, &c); i++) {
        json_object(json, NULL);
        json_text(json, "name", c.name);
        json_integer(json, "points", c.points);
        json_number(json, "sigma", c.sigma);
        json_number(json, "residual", c.residual);
        json_number(json, "correlation", c.correlation);
        json_end_object(json);
    }
    json_end_array(json);
}

static void print_json(const struct fitting *f, int status, FILE *out) {
    const struct job *j = &f->job;
    struct json json = {0};
    keel_fit_summary s;
    run_json_head(&json, "fit", run_json_status(status), status, j, j->sentence);
    if (keel_fit_summarise(f->fit, &s)) {
        json_text(&json, "method", j->method);
        json_text(&json, "stabilizer", j->stabilizer);
        json_integer(&json, "experiments", s.experiments);
        json_integer(&json, "points", s.points);
        json_integer(&json, "missing", s.missing);
        json_integer(&json, "freedom", s.freedom);
        json_truth(&json, "sigma_given", s.given);
        json_number(&json, "chi_square", s.square);
        json_integer(&json, "steps", s.steps);
        json_integer(&json, "runs", s.runs);
        json_values(&json, f);
        json_columns(&json, f);
        json_sentences(&json, "free", f->fit, keel_fit_free);
        json_sentences(&json, "doubts", f->fit, keel_fit_doubt);
    }
    run_json_print(&json, out);
}

/* CSV --------------------------------------------------------------------------------------------------- */

/* A line for each number of the data. */
static int write_out(struct fitting *f) {
    FILE *out = f->out.stream;
    char why[JOB_SENTENCE];
    keel_fit_point p;
    keel_fit_measured c;
    if (!out) return 0;
    fprintf(out, "# keel %s model=%s method=%s+%s schema=fit-csv/1\nexperiment,t,column,value,sigma,fitted\n",
            keel_version(), keel_model_name(f->job.model), f->job.method, f->job.stabilizer);
    for (int i = 0; keel_fit_point_at(f->fit, i, &p); i++) {
        keel_fit_column(f->fit, p.column, &c);
        fprintf(out, "%d,%.17g,", p.experiment + 1, p.t);
        csv_text(out, "", c.name);
        fprintf(out, ",%.17g,%.17g,%.17g\n", p.value, p.sigma, p.fitted);
    }
    return file_keep(&f->out, why, sizeof why) ? job_fail(&f->job, EXIT_FAILED, "%s", why) : 0;
}

/* ------------------------------------------------------------------------------------------------------- */

static int fit_failed(struct fitting *f, const char *option, int usage) {
    char why[JOB_SENTENCE];
    struct job *j = &f->job;
    keel_status status = keel_fit_status(f->fit);
    if (stop_asked()) return job_fail(j, stop_exit(), "interrupted before the fit was found");
    if (status == KEEL_ENOMEM) return job_no_memory(j);
    option_told(keel_fit_message(f->fit), why, sizeof why);
    return job_fail(j, usage && status == KEEL_EINVAL ? EXIT_USAGE : EXIT_FAILED, "%s%s", option, why);
}

static int take_data(struct fitting *f) {
    struct job *j = &f->job;
    const struct option_value *data = &j->options.value[opt_data];
    if (data->count == 0) return job_fail(j, EXIT_USAGE, "which data?  Give --data FILE.csv");
    for (int i = 0; i < data->count; i++) {
        char why[JOB_SENTENCE];
        size_t count = 0;
        unsigned char *bytes = file_read(data->text[i], &count, why, sizeof why);
        if (!bytes) return job_fail(j, EXIT_USAGE, "--data %.200s: %.300s", data->text[i], why);
        keel_status status = keel_fit_table(f->fit, data->text[i], (const char *)bytes, count);
        free(bytes);
        if (status < 0) return fit_failed(f, "", 0);
    }
    return 0;
}

/* "x=0.1, y=0.2", once or several times. */
static int take_list(struct fitting *f, int id, keel_status (*take)(keel_fit *, const char *),
                     const char *option) {
    const struct option_value *given = &f->job.options.value[id];
    char word[300];
    for (int i = 0; i < given->count; i++)
        for (const char *rest = given->text[i]; (rest = text_next(rest, word, sizeof word));)
            if (take(f->fit, word) < 0) return fit_failed(f, option, 1);
    return 0;
}

/* A fit goes as far as the data do. */
static int check_end(struct fitting *f) {
    keel_fit_point p;
    double last = -INFINITY;
    for (int i = 0; keel_fit_point_at(f->fit, i, &p); i++) last = fmax(last, p.t);
    if (!option_given(&f->job.options, opt_tend) || last <= f->job.t1) return 0;
    return job_fail(&f->job, EXIT_USAGE, "--tend: a fit takes all data, and these go on to t = %g", last);
}

static int fit(struct fitting *f) {
    struct job *j = &f->job;
    struct waiting waiting;
    keel_fit_options with = {.columns = option_text(&j->options, opt_columns),
                             .experiment = option_text(&j->options, opt_experiment)};
    if (!option_given(&j->options, opt_fit))
        return job_fail(j, EXIT_USAGE,
                        "what is to be fitted?  Give parameters or start values, as in --fit g,l");
    if (j->keel.rtol == 0 && j->keel.step == 0) j->keel.rtol = 1e-8;
    j->keel.stop = stop_flag();
    j->keel.method = j->pair;
    f->fit = keel_fit_open(j->model, &j->keel, &with);
    if (!f->fit) return job_no_memory(j);
    if (keel_fit_status(f->fit) < 0) return fit_failed(f, "", 0);
    if (take_data(f) || take_list(f, opt_sigma, keel_fit_sigma, "--sigma: ") ||
        take_list(f, opt_bounds, keel_fit_bound, "--bounds: ") || plane_out(j, &f->out) ||
        plot_open(&f->plot, j))
        return j->status;
    waiting_begin(&waiting, &j->messages, "fitting");
    keel_status status = keel_fit_run(f->fit);
    waiting_end(&waiting);
    if (status < 0) return fit_failed(f, "", 0);
    if (check_end(f)) return j->status;
    if (!j->messages.json && !j->messages.quiet) print_text(f, stdout);
    return write_out(f) || fitting_plot(f) ? j->status : EXIT_DONE;
}

int fit_command(int count, char **argv) {
    static struct fitting f;
    struct job *j = &f.job;
    stop_watch();
    int status = job_open(j, COMMAND_FIT, count, argv);
    if (status == 0 && option_given(&j->options, opt_help)) {
        command_help(command_find("fit"), stdout);
        job_close(j);
        return EXIT_DONE;
    }
    if (status == 0) status = fit(&f);
    file_drop(&f.out);
    plot_drop(&f.plot);
    if (j->messages.json) print_json(&f, status, stdout);
    keel_fit_close(f.fit);
    job_close(j);
    return status;
}
