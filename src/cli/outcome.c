/* outcome.c - see outcome.h. */
#include "cli/outcome.h"

#include "cli/stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *outcome_word(enum outcome_status status) {
    static const char *const word[] = {"done", "stopped", "interrupted", "failed"};
    return word[status];
}

const char *outcome_yardstick_word(enum outcome_yardstick y) {
    static const char *const word[] = {"exact", "reference", "rerun", "none"};
    return word[y];
}

/* Accuracy ---------------------------------------------------------------------------------------------- */

static void take_worst(struct outcome *o, const double *error, const double *largest) {
    o->error = o->relative = 0;
    for (int i = 0; i < o->trace->columns; i++) {
        if (isnan(error[i])) continue;
        if (error[i] >= o->error) o->error = error[i], o->worst = i;
        if (largest[i] > 0) o->relative = fmax(o->relative, error[i] / largest[i]);
    }
}

/* The same run with a hundredth of the tolerance, or half the step; its end against this one's. */
static int rerun(struct outcome *o, struct job *j) {
    keel_options tight = j->keel;
    tight.observe = NULL;
    if (tight.step > 0) tight.step /= 2;
    else {
        tight.rtol = fmax((tight.rtol > 0 ? tight.rtol : 1e-6) / 100, 1e-13);
        tight.atol /= 100;
    }
    keel_sim *again = keel_sim_open(j->model, &tight);
    size_t columns = (size_t)o->trace->columns;
    double *values = calloc(2 * columns + 1, sizeof *values);
    double t = keel_time(keel_sim_solver(o->sim));
    keel_status status = again && values ? KEEL_OK : KEEL_ENOMEM;
    while (status == KEEL_OK && keel_time(keel_sim_solver(again)) != t && !stop_asked())
        status = keel_sim_step(again, t);
    int good = status >= 0 && keel_time(keel_sim_solver(again)) == t &&
               keel_sim_values(again, values) == KEEL_OK &&
               keel_sim_values(o->sim, values + columns) == KEEL_OK;
    if (good) {
        o->each = values;
        for (size_t i = 0; i < columns; i++) values[i] = fabs(values[i] - values[columns + i]);
        take_worst(o, values, o->trace->largest);
        o->worst_t = t;
    } else free(values);
    keel_sim_close(again);
    return good;
}

void outcome_measure(struct outcome *o, struct job *j, int again) {
    const struct trace *t = o->trace;
    o->yardstick = OUTCOME_NONE;
    o->error = o->relative = NAN;
    if (t->exacts || t->references) {
        o->yardstick = t->exacts ? OUTCOME_EXACT : OUTCOME_REFERENCE;
        o->each = calloc((size_t)t->columns + 1, sizeof *o->each);
        if (!o->each) return;
        for (int i = 0; i < t->columns; i++) o->each[i] = t->worst[i];
        take_worst(o, o->each, t->largest);
        o->worst_t = t->worst_t;
        return;
    }
    if (again == 2 || (again == 1 && o->wall_s < 1))
        o->yardstick = rerun(o, j) ? OUTCOME_RERUN : OUTCOME_NONE;
}

void outcome_release(struct outcome *o) {
    free(o->each);
    o->each = NULL;
}

/* The certificate --------------------------------------------------------------------------------------- */

/* 24k, 1.3M */
static void count_text(char *out, size_t room, long count) {
    if (count < 10000) snprintf(out, room, "%ld", count);
    else if (count < 10000000) snprintf(out, room, "%.0fk", (double)count / 1e3);
    else snprintf(out, room, "%.1fM", (double)count / 1e6);
}

static void time_text(char *out, size_t room, double seconds) {
    if (seconds < 1) snprintf(out, room, "%.1f ms", 1e3 * seconds);
    else snprintf(out, room, "%.2f s", seconds);
}

static const char *care_word(const keel_kept *row) {
    switch (row->care) {
    case KEEL_ROW_WATCHED:
        return "watched";
    case KEEL_ROW_NATIVE:
        return "by the method";
    case KEEL_ROW_REDUNDANT:
        return "follows from others";
    case KEEL_ROW_VARYING:
        return "varies, shown only";
    case KEEL_ROW_KEPT:
        break;
    }
    return row->verdict == KEEL_WEAK ? "weak" : "";
}

static void rows_text(const struct outcome *o, FILE *out, int color) {
    keel_kept row;
    int any = 0;
    for (int i = 0; keel_kept_at(keel_sim_solver(o->sim), i, &row); i++) {
        if (row.kind == KEEL_ROW_ALGEBRAIC) continue; /* what y is solved from */
        if (!any++)
            fprintf(out, "  %s%-20s %-14s %-17s %-15s %-12s%s\n", say_bold(color), "kept", "start",
                    "largest drift", "in round-offs", "last", say_plain(color));
        fprintf(out, "  %-20s %-14.6g %-17.1e %-15.1f %-12.1e%s\n", row.name, row.start, row.drift, row.units,
                fabs(row.last), care_word(&row));
    }
}

void outcome_certificate(const struct outcome *o, const struct job *j, FILE *out, int color) {
    const keel_stats s = keel_statistics(keel_sim_solver(o->sim));
    keel_mode mode = {0};
    char steps[24], rejected[24], calls[24], wall[24];
    keel_model_mode(j->model, keel_sim_mode(o->sim), &mode);
    count_text(steps, sizeof steps, s.steps);
    count_text(rejected, sizeof rejected, s.rejected);
    count_text(calls, sizeof calls, s.calls);
    time_text(wall, sizeof wall, o->wall_s);
    fprintf(out, "%s%s%s  index %d  %d degree%s of freedom  %s+%s", say_bold(color),
            keel_model_name(j->model), say_plain(color), mode.index, mode.freedom,
            mode.freedom == 1 ? "" : "s", j->method, j->stabilizer);
    if (j->keel.step > 0) fprintf(out, "  step %g\n", j->keel.step);
    else fprintf(out, "  rtol %g\n", j->keel.rtol > 0 ? j->keel.rtol : 1e-6);
    if (j->why[0]) fprintf(out, "  %s: %s\n", j->method, j->why);
    fprintf(out, "  t %g .. %g   %s steps   %s rejected   %s evaluations   %s\n", j->t0,
            keel_time(keel_sim_solver(o->sim)), steps, rejected, calls, wall);
    rows_text(o, out, color);
    if (o->yardstick == OUTCOME_NONE) fprintf(out, "  accuracy   not measured (--verify)\n");
    else
        fprintf(out, "  accuracy   %.1e (%s; largest in %s at t = %g)\n", o->error,
                o->yardstick == OUTCOME_RERUN   ? "tighter rerun"
                : o->yardstick == OUTCOME_EXACT ? "exact solution"
                                                : "reference digits",
                keel_sim_column(o->sim, o->worst), o->worst_t);
    if (o->status != OUTCOME_DONE)
        fprintf(out, "  %s%s%s%s%s\n", say_red(color), outcome_word(o->status), say_plain(color),
                o->message[0] ? ": " : "", o->message);
}
