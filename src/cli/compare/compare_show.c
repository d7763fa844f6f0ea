/* compare_show.c - the table of a comparison as text, CSV and JSON. */
#include "base/text.h"
#include "cli/compare/compare.h"
#include "cli/run/run_json.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 100, NAME = 22 };

/* Text -------------------------------------------------------------------------------------------------- */

static void count_text(char *out, size_t capacity, long count) {
    if (count < 1000000) snprintf(out, capacity, "%ld", count);
    else snprintf(out, capacity, "%.2fM", (double)count / 1e6);
}

static void time_text(char *out, size_t capacity, double seconds) {
    if (isnan(seconds)) text_set(out, capacity, "-");
    else if (seconds < 0.01) snprintf(out, capacity, "%.3f ms", 1e3 * seconds);
    else if (seconds < 1) snprintf(out, capacity, "%.1f ms", 1e3 * seconds);
    else snprintf(out, capacity, "%.2f s", seconds);
}

/* A sentence in `capacity` columns; what does not fit ends in dots at a blank. */
static void print_short(FILE *out, const char *text, int capacity) {
    int length = (int)strlen(text);
    if (length <= capacity) {
        fprintf(out, "%s\n", text);
        return;
    }
    length = capacity - 3;
    while (length > capacity / 2 && text[length] != ' ') length--;
    fprintf(out, "%.*s...\n", length, text);
}

static void setting_text(const struct compare_row *row, char *out, size_t capacity) {
    if (row->step > 0) snprintf(out, capacity, "step %.4g", row->step);
    else if (row->rtol > 0) snprintf(out, capacity, "rtol %.4g", row->rtol);
    else text_set(out, capacity, "-");
}

static void row_text(const struct compare_row *row, int name_width, int color, FILE *out) {
    char name[2 * JOB_WORD + 2], setting[40], error[24], drift[24], units[24], steps[24], calls[24],
        jacobians[24], wall[24];
    int plain = row->status == TRIAL_REFUSED && strcmp(row->stabilizer, "auto") == 0;
    text_set(name, sizeof name, "%s%s%s", row->method, plain ? "" : "+", plain ? "" : row->stabilizer);
    setting_text(row, setting, sizeof setting);
    fprintf(out, "%s %s%-*s  %-13s", row->best ? "*" : " ", row->best ? message_green(color) : "", name_width,
            name, setting);
    if (row->status != TRIAL_DONE && row->status != TRIAL_STOPPED) {
        char said[JOB_SENTENCE + 20];
        text_set(said, sizeof said, "%s%s%s", trial_word(row->status), row->message[0] ? ": " : "",
                 row->message);
        fputc(' ', out);
        print_short(out, said, WIDTH - name_width - 18);
        return;
    }
    text_number(error, sizeof error, "%.1e", row->error);
    text_number(drift, sizeof drift, "%.1e", row->max_drift);
    text_number(units, sizeof units, row->scaled_drift < 1e5 ? "%.1f" : "%.1e", row->scaled_drift);
    count_text(steps, sizeof steps, row->steps);
    count_text(calls, sizeof calls, row->evaluations);
    count_text(jacobians, sizeof jacobians, row->jacobians);
    time_text(wall, sizeof wall, row->wall_s);
    fprintf(out, " %8s %8s %10s %7s %8s %6s %9s%s\n", error, drift, units, steps, calls, jacobians, wall,
            row->best ? message_plain(color) : "");
}

static void yardstick_text(const struct compare *c, FILE *out) {
    const struct yardstick *y = &c->yardstick;
    if (y->kind == YARDSTICK_NONE) {
        fprintf(out, "  errors are not known: there is no yardstick\n  ");
        print_short(out, y->about, WIDTH - 2);
        return;
    }
    fprintf(out, "  errors against %s", y->about);
    if (!isnan(y->apart_t)) {
        fprintf(out, ",\n  which is not good after t = %g: errors there say nothing (--tend %g)\n",
                y->apart_t, y->apart_t);
        return;
    }
    if (y->own >= 0) fprintf(out, ", itself good to %.0e", y->own);
    if (y->kind != YARDSTICK_REFERENCE) fprintf(out, "; largest over %ld output times", y->count);
    fputc('\n', out);
}

void compare_text(const struct compare *c, const struct job *j, FILE *out) {
    int color = j->messages.color_out, width = 10, best = 0;
    keel_mode mode = {0};
    char freedom[JOB_FREEDOM];
    keel_model_mode(j->model, keel_model_start(j->model), &mode);
    for (int i = 0; i < c->count; i++) {
        int length = (int)(strlen(c->row[i].method) + strlen(c->row[i].stabilizer)) + 1;
        if (length > width && length <= NAME) width = length;
        best |= c->row[i].best;
    }
    fprintf(out, "%s%s%s  index %d  %s  t %g .. %g\n", message_bold(color), keel_model_name(j->model),
            message_plain(color), mode.index, job_freedom(&mode, freedom), j->t0, j->t1);
    yardstick_text(c, out);
    missing_text(&c->missing, out);
    fprintf(out, "  %s%-*s  %-13s %8s %8s %10s %7s %8s %6s %9s%s\n", message_bold(color), width, "method",
            "step or rtol", "error", "drift", "round-offs", "steps", "evals", "jacob.", "time",
            message_plain(color));
    for (int i = 0; i < c->count; i++) row_text(&c->row[i], width, color, out);
    fprintf(out, "  drift: the largest of all kept and watched rows, then in their round-off units\n");
    if (best) fprintf(out, "* best: the least time among the errors within a factor 2 of the smallest\n");
}

/* CSV --------------------------------------------------------------------------------------------------- */

static void field(FILE *out, const char *text) {
    fputs(",\"", out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void number(FILE *out, double value) {
    if (isnan(value)) fputc(',', out);
    else fprintf(out, ",%.17g", value);
}

void compare_csv(const struct compare *c, const struct job *j, FILE *out) {
    fprintf(out, "# keel %s model=%s yardstick=%s schema=csv/1\n", keel_version(), keel_model_name(j->model),
            yardstick_word(c->yardstick.kind));
    fputs(
        "method,stabilizer,step,rtol,status,error,max_drift,scaled_drift,steps,evaluations,jacobians,wall_s,"
        "best,message\n",
        out);
    for (int i = 0; i < c->count; i++) {
        const struct compare_row *row = &c->row[i];
        fprintf(out, "%s,%s", row->method, row->stabilizer);
        number(out, row->step > 0 ? row->step : NAN);
        number(out, row->rtol > 0 ? row->rtol : NAN);
        fprintf(out, ",%s", trial_word(row->status));
        number(out, row->error);
        number(out, row->max_drift);
        number(out, row->scaled_drift);
        fprintf(out, ",%ld,%ld,%ld", row->steps, row->evaluations, row->jacobians);
        number(out, row->wall_s);
        fprintf(out, ",%d", row->best);
        field(out, row->message);
        fputc('\n', out);
    }
}

/* JSON -------------------------------------------------------------------------------------------------- */

static void row_json(struct json *json, const struct compare_row *row) {
    json_object(json, NULL);
    json_text(json, "method", row->method);
    json_text(json, "stabilizer", row->stabilizer);
    if (row->step > 0) json_number(json, "step", row->step);
    if (row->rtol > 0) json_number(json, "rtol", row->rtol);
    json_text(json, "status", trial_word(row->status));
    json_text(json, "message", row->message);
    json_number(json, "error", row->error);
    json_number(json, "max_drift", row->max_drift);
    json_number(json, "scaled_drift", row->scaled_drift);
    json_integer(json, "steps", row->steps);
    json_integer(json, "evaluations", row->evaluations);
    json_integer(json, "jacobians", row->jacobians);
    json_number(json, "wall_s", row->wall_s);
    json_truth(json, "best", row->best);
    json_end_object(json);
}

void compare_json(const struct compare *c, const struct job *j, const char *status, int exit_status,
                  FILE *out) {
    struct json json = {0};
    run_json_head(&json, "compare", status, exit_status, j, j->sentence);
    if (c->yardstick.about[0]) {
        run_json_compiled(&json, j);
        json_text(&json, "yardstick", yardstick_word(c->yardstick.kind));
        json_text(&json, "yardstick_about", c->yardstick.about);
        json_number(&json, "yardstick_error", c->yardstick.own);
        json_array(&json, "rows");
        for (int i = 0; i < c->count; i++) row_json(&json, &c->row[i]);
        json_end_array(&json);
        missing_json(&c->missing, &json);
    }
    run_json_print(&json, out);
}
