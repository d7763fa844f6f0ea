/* switching.c - see switching.h. */
#include "cli/run/switching.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

enum { SHOWN = 6, MOST = 10000 }; /* surfaces or jumps of a certificate; jumps in JSON, which counts all */

double switching_time(const struct outcome *o, const struct job *j, int mode) {
    keel_event_record one;
    double from = j->t0, sum = 0;
    int now = keel_model_start(j->model);
    for (long i = 0; keel_sim_event(o->sim, i, &one); i++) {
        if (one.to == one.from) continue;
        if (one.from == mode) sum += fabs(one.t - from);
        from = one.t;
        now = one.to;
    }
    return now == mode ? sum + fabs(keel_time(keel_sim_solver(o->sim)) - from) : sum;
}

static long changes_of_mode(const struct outcome *o) {
    keel_event_record one;
    long count = 0;
    for (long i = 0; keel_sim_event(o->sim, i, &one); i++) count += one.to != one.from;
    return count;
}

static void modes_text(const struct outcome *o, const struct job *j, FILE *out) {
    keel_mode mode;
    int any = 0;
    const keel_model *m = keel_sim_model(o->sim);
    if (keel_model_modes(m) < 2) return;
    long changes = changes_of_mode(o);
    fputs("  modes      ", out);
    for (int i = 0; keel_model_mode(m, i, &mode); i++) {
        double time = switching_time(o, j, i);
        if (time > 0 || i == keel_sim_mode(o->sim))
            fprintf(out, "%s%s for %.4g", any++ ? keel_model_groups(m) > 1 ? "; " : ", " : "", mode.name,
                    time);
    }
    fprintf(out, "; %ld change%s\n", changes, changes == 1 ? "" : "s");
}

static void times(char *out, size_t capacity, const char *verb, long count) {
    if (count == 1) text_add(out, capacity, "%s once", verb);
    else text_add(out, capacity, "%s %ld times", verb, count);
}

int switching_surface(const keel_surface *s, char *out, size_t capacity) {
    out[0] = '\0';
    if (s->crossings) times(out, capacity, "crossed", s->crossings);
    if (!s->slides) return s->crossings > 0;
    times(out, capacity, s->crossings ? ", slid along" : "slid along", s->slides);
    text_add(out, capacity, " for %.4g of t", s->slid);
    return 1;
}

/* What is kept takes other values at events: the first of them, and how many more there are. */
static void jumps_text(const struct outcome *o, FILE *out, int color) {
    keel_jump one;
    long count = 0;
    int width = OUTCOME_NARROWEST;
    for (; count < SHOWN && keel_sim_jump(o->sim, count, &one); count++)
        width = outcome_widen(width, one.row);
    for (count = 0; keel_sim_jump(o->sim, count, &one); count++) {
        if (count >= SHOWN) continue;
        if (count == 0)
            fprintf(out, "  %s%-*s %-14s %-17s %-15s %s%s\n", message_bold(color), width, "jumps", "t",
                    "before", "after", "event", message_plain(color));
        outcome_name(out, one.row, width);
        fprintf(out, " %-14.6g %-17.6g %-15.6g %s\n", one.t, one.before, one.after, one.event);
    }
    if (count > SHOWN) fprintf(out, "  and %ld more\n", count - SHOWN);
}

void switching_text(const struct outcome *o, const struct job *j, FILE *out, int color) {
    keel_surface one;
    char words[200];
    int met = 0;
    jumps_text(o, out, color);
    modes_text(o, j, out);
    for (int i = 0; keel_sim_surface_at(o->sim, i, &one); i++) {
        if (!switching_surface(&one, words, sizeof words) || met++ >= SHOWN) continue;
        fprintf(out, "  %-10s %.56s%s: %s\n", one.slides ? "sliding" : "switch", one.name,
                strlen(one.name) > 56 ? "..." : "", words);
    }
    if (met > SHOWN) fprintf(out, "  switch     and %d more surfaces\n", met - SHOWN);
}

void switching_json(const struct outcome *o, const struct job *j, struct json *json) {
    keel_mode mode;
    keel_surface one;
    const keel_model *m = keel_sim_model(o->sim);
    if (keel_model_modes(m) > 1) {
        json_array(json, "modes");
        for (int i = 0; keel_model_mode(m, i, &mode); i++) {
            json_object(json, NULL);
            json_text(json, "name", mode.name);
            json_number(json, "time", switching_time(o, j, i));
            json_end_object(json);
        }
        json_end_array(json);
    }
    keel_jump jump;
    long jumps = 0;
    json_array(json, "jumps");
    for (; keel_sim_jump(o->sim, jumps, &jump); jumps++) {
        if (jumps >= MOST) continue;
        json_object(json, NULL);
        json_number(json, "t", jump.t);
        json_text(json, "event", jump.event);
        json_text(json, "row", jump.row);
        json_number(json, "before", jump.before);
        json_number(json, "after", jump.after);
        json_end_object(json);
    }
    json_end_array(json);
    json_integer(json, "jumps_total", jumps);
    json_array(json, "surfaces");
    for (int i = 0; keel_sim_surface_at(o->sim, i, &one); i++) {
        json_object(json, NULL);
        json_text(json, "name", one.name);
        json_integer(json, "crossings", one.crossings);
        json_integer(json, "slides", one.slides);
        json_number(json, "slid", one.slid);
        json_end_object(json);
    }
    json_end_array(json);
}
