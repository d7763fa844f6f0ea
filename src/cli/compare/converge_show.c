/* converge_show.c - the table of a convergence study as text and JSON. */
#include "base/text.h"
#include "cli/compare/converge.h"
#include "cli/run/run_json.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 100, STEP = 12, CELL = 18 };

static int ran(const struct converge_level *level) {
    return level->trial.status == TRIAL_DONE || level->trial.status == TRIAL_STOPPED;
}

static int compared(const struct converge *c, int column) {
    for (int k = 0; k < c->levels; k++)
        if (ran(&c->level[k]) && !isnan(c->level[k].trial.each[column])) return 1;
    return 0;
}

/* Text -------------------------------------------------------------------------------------------------- */

static int width_of(const char *name) {
    int length = (int)strlen(name) + 2;
    return length > WIDTH - STEP - 2 ? WIDTH - STEP - 2 : length < CELL ? CELL : length;
}

static void cell(const struct converge *c, int level, int column, FILE *out) {
    size_t at = (size_t)level * (size_t)c->columns + (size_t)column;
    char text[40], order[16] = "-";
    double error = c->level[level].trial.each[column];
    if (c->at_floor[at]) text_set(order, sizeof order, "floor");
    else if (!isnan(c->local[at])) snprintf(order, sizeof order, "%.2f", c->local[at]);
    if (isnan(error)) text_set(text, sizeof text, "-");
    else snprintf(text, sizeof text, "%.2e %6s", error, order);
    fprintf(out, "%*s", width_of(c->name[column]), text);
}

/* The reason stands in the first block alone. */
static void failed_line(const struct converge_level *level, int first, FILE *out) {
    char said[JOB_SENTENCE + 20];
    int capacity = WIDTH - STEP - 4;
    const char *why = first ? level->trial.message : "";
    text_set(said, sizeof said, "%s%s%s", trial_word(level->trial.status), why[0] ? ": " : "", why);
    int length = (int)strlen(said);
    fprintf(out, "  %.*s%s", length > capacity ? capacity - 3 : length, said, length > capacity ? "..." : "");
}

/* The columns list[0 .. count) beside each other. */
static void block(const struct converge *c, const int *list, int count, int first, int color, FILE *out) {
    fprintf(out, "  %s%-*s", message_bold(color), STEP, "step");
    for (int i = 0; i < count; i++) fprintf(out, "%*s", width_of(c->name[list[i]]), c->name[list[i]]);
    fprintf(out, "%s\n", message_plain(color));
    for (int k = 0; k < c->levels; k++) {
        fprintf(out, "  %-*.*g", STEP, 6, c->level[k].step);
        if (!ran(&c->level[k])) failed_line(&c->level[k], first, out);
        for (int i = 0; i < count && ran(&c->level[k]); i++) cell(c, k, list[i], out);
        fputc('\n', out);
    }
    fprintf(out, "  %s%-*s", message_bold(color), STEP, "order");
    for (int i = 0; i < count; i++) {
        char order[16] = "-";
        if (!isnan(c->order[list[i]])) snprintf(order, sizeof order, "%.2f", c->order[list[i]]);
        fprintf(out, "%*s", width_of(c->name[list[i]]), order);
    }
    fprintf(out, "%s\n", message_plain(color));
}

void converge_text(const struct converge *c, const struct job *j, FILE *out) {
    int color = j->messages.color_out, list[WIDTH], floors = 0, first = 1;
    fprintf(out, "%s%s%s  %s+%s  t %g .. %g\n", message_bold(color), keel_model_name(j->model),
            message_plain(color), j->method, j->stabilizer, j->t0, j->t1);
    if (j->why[0]) fprintf(out, "  %s: %s\n", j->method, j->why);
    if (c->finest > 0)
        fprintf(out, "  errors against the finest level, step %g; largest over %ld grid times\n", c->finest,
                c->yardstick.count);
    else if (c->yardstick.kind == YARDSTICK_REFERENCE)
        fprintf(out, "  errors against %s\n", c->yardstick.about);
    else
        fprintf(out, "  errors against %s; largest over %ld grid times\n", c->yardstick.about,
                c->yardstick.count);
    for (int i = 0, count = 0, used = STEP + 2; i <= c->columns; i++) {
        if (i < c->columns && !compared(c, i)) continue;
        int width = i < c->columns ? width_of(c->name[i]) : WIDTH;
        if (count && used + width > WIDTH) {
            fputc('\n', out);
            block(c, list, count, first, color, out);
            first = 0;
            count = 0, used = STEP + 2;
        }
        if (i == c->columns) break;
        list[count++] = i;
        used += width;
        floors |= c->floor_met[i];
    }
    if (floors) fprintf(out, "\n  floor: round-off is reached; orders are of the steps above it\n");
    missing_text(converge_missing(c), out);
}

/* JSON -------------------------------------------------------------------------------------------------- */

void converge_json(const struct converge *c, const struct job *j, const char *status, int exit_status,
                   FILE *out) {
    struct json json = {0};
    run_json_head(&json, "converge", status, exit_status, j, j->sentence);
    if (c->order) {
        json_text(&json, "method", j->method);
        json_text(&json, "stabilizer", j->stabilizer);
        run_json_compiled(&json, j);
        json_text(&json, "yardstick", yardstick_word(c->yardstick.kind));
        json_array(&json, "rows");
        for (int k = 0; k < c->levels; k++) {
            const struct converge_level *level = &c->level[k];
            json_object(&json, NULL);
            json_number(&json, "step", level->step);
            json_text(&json, "status", trial_word(level->trial.status));
            json_text(&json, "message", level->trial.message);
            json_object(&json, "errors");
            for (int i = 0; i < c->columns && ran(level); i++)
                if (compared(c, i)) json_number(&json, c->name[i], level->trial.each[i]);
            json_end_object(&json);
            json_end_object(&json);
        }
        json_end_array(&json);
        json_object(&json, "orders");
        for (int i = 0; i < c->columns; i++)
            if (compared(c, i)) json_number(&json, c->name[i], c->order[i]);
        json_end_object(&json);
        json_object(&json, "floor");
        for (int i = 0; i < c->columns; i++)
            if (compared(c, i)) json_truth(&json, c->name[i], c->floor_met[i]);
        json_end_object(&json);
        missing_json(converge_missing(c), &json);
    }
    run_json_print(&json, out);
}
