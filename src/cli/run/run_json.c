/* run_json.c - see run_json.h. */
#include "cli/run/run_json.h"

#include "cli/run/changes.h"
#include "cli/terminal/stop.h"
#include "cli/run/switching.h"
#include "cli/job/stabilizer.h"

#include <math.h>
#include <string.h>

static void diagnostics(struct json *json, const struct job *j) {
    keel_diagnostic d;
    json_array(json, "diagnostics");
    for (int i = 0; j->model && keel_model_diagnostic(j->model, i, &d); i++) {
        json_object(json, NULL);
        json_text(json, "severity", d.error ? "error" : "warning");
        json_text(json, "file", j->path ? j->path : j->file);
        if (d.line > 0) json_integer(json, "line", d.line), json_integer(json, "column", d.column);
        json_text(json, "message", d.sentence);
        if (d.hint[0]) json_text(json, "hint", d.hint);
        json_end_object(json);
    }
    json_end_array(json);
}

void run_json_head(struct json *json, const char *command, const char *status, int exit_status,
                   const struct job *j, const char *message) {
    char schema[40];
    snprintf(schema, sizeof schema, "keel.%s/1", command);
    json_object(json, NULL);
    json_text(json, "schema", schema);
    json_text(json, "keel", keel_version());
    json_text(json, "command", command);
    json_text(json, "status", status);
    json_integer(json, "exit", exit_status);
    json_text(json, "message", message);
    diagnostics(json, j);
    json_text(json, "model", j->model ? keel_model_name(j->model) : "");
    json_text(json, "file", j->file && strcmp(j->file, "-") != 0 ? j->path : NULL);
}

const char *run_json_status(int exit_status) {
    if (stop_asked()) return "interrupted";
    return exit_status == EXIT_DONE || exit_status == EXIT_MISSING ? "done" : "failed";
}

void run_json_print(struct json *json, FILE *out) {
    json_end_object(json);
    if (!json->failed) fprintf(out, "%s\n", json->text);
    else memory_tell();
    json_release(json);
}

void run_json_options(struct json *json, const char *key, const struct job *j, int lasting) {
    json_object(json, key);
    for (int id = 0; id < OPTIONS; id++)
        if (option_given(&j->options, id) && (!lasting || option_of_numbers(id)))
            json_text(json, option_row(id).name, option_text(&j->options, id));
    json_end_object(json);
}

void run_json_compiled(struct json *json, const struct job *j) {
    const char *why;
    int interpreted = job_interpreted(j, &why);
    json_truth(json, "compiled", !interpreted);
    if (interpreted) json_text(json, "interpreted_why", why);
}

static void settings(struct json *json, const struct job *j, int lasting) {
    const char *name;
    double value;
    json_object(json, "parameters");
    for (int i = 0; keel_model_parameter(j->model, i, &name, &value); i++) json_number(json, name, value);
    json_end_object(json);
    run_json_options(json, "options", j, lasting);
    json_text(json, "method", j->method);
    json_text(json, "stabilizer", j->stabilizer);
    if (j->why[0]) json_text(json, "method_why", j->why);
    run_json_compiled(json, j);
}

static const char *kind_word(const keel_row *row) {
    if (row->treatment == KEEL_ROW_WATCHED || row->treatment == KEEL_ROW_VARYING) return "watched";
    if (row->treatment == KEEL_ROW_DAMPED) return "damped";
    switch (row->kind) {
    case KEEL_ROW_VELOCITY:
    case KEEL_ROW_HIDDEN:
        return "hidden";
    case KEEL_ROW_ENERGY:
    case KEEL_ROW_INVARIANT:
        return "invariant";
    default:
        return "constraint";
    }
}

static void kept(struct json *json, const struct outcome *o, const struct job *j) {
    keel_row row;
    json_array(json, "kept");
    for (int i = 0; i < keel_sim_rows(o->sim); i++) {
        if (!outcome_row(o, j, i, &row)) continue;
        json_object(json, NULL);
        json_text(json, "name", row.name);
        json_text(json, "kind", kind_word(&row));
        json_text(json, "strength",
                  row.verdict == KEEL_STRONG ? "strong"
                  : row.verdict == KEEL_WEAK ? "weak"
                                             : NULL);
        json_number(json, "start", row.start);
        json_number(json, "max_drift", fmax(row.drift, trace_drift(o->trace, i)));
        json_number(json, "scaled_drift", row.units);
        json_number(json, "last", fabs(row.last));
        json_end_object(json);
    }
    json_end_array(json);
}

static void correction(struct json *json, const struct outcome *o, const struct job *j) {
    const keel_correction c = keel_correction_of(keel_sim_solver(o->sim));
    char words[JOB_SENTENCE];
    int partly = outcome_not_corrected(o, j, words, sizeof words);
    if (!c.state[0] && !partly) return;
    json_object(json, "correction");
    if (partly) json_text(json, "not_measured", words);
    if (c.state[0]) {
        json_number(json, "largest", c.largest);
        json_text(json, "in", j->keel.step > 0 ? "errors" : "tolerances");
        json_text(json, "state", c.state);
        json_number(json, "t", c.t);
    }
    if (c.no_masses) json_truth(json, "no_masses", 1);
    if (outcome_finding(o, words, sizeof words)) {
        json_object(json, "finding");
        json_number(json, "excess", c.finding);
        json_text(json, "state", c.finding_state);
        json_number(json, "t", c.finding_t);
        json_text(json, "message", words);
        json_end_object(json);
    }
    json_end_object(json);
}

/* Columns by what they are: states, multipliers, outputs. */
static void values(struct json *json, const struct outcome *o, const double *value) {
    static const char *const part[] = {"state", "multipliers", "outputs"};
    for (int k = 0; k < 3; k++) {
        json_object(json, part[k]);
        for (int i = 0; i < o->trace->columns; i++)
            if ((int)keel_sim_column_kind(o->sim, i) == k)
                json_number(json, keel_sim_column(o->sim, i), value[i]);
        json_end_object(json);
    }
}

static void events(struct json *json, const struct outcome *o) {
    enum { MOST = 10000 };
    keel_event_record one;
    long total = 0;
    json_array(json, "events");
    for (; keel_sim_event(o->sim, total, &one); total++) {
        keel_mode mode = {0};
        if (total >= MOST) continue;
        keel_model_mode(keel_sim_model(o->sim), one.to, &mode);
        json_object(json, NULL);
        json_text(json, "name", one.event);
        json_number(json, "t", one.t);
        json_text(json, "mode", mode.name);
        json_end_object(json);
    }
    json_end_array(json);
    json_integer(json, "events_total", total);
}

static void defect(struct json *json, const struct outcome *o) {
    keel_defect d = keel_defect_of(keel_sim_solver(o->sim));
    json_object(json, "defect");
    json_number(json, d.relative ? "relative" : "tolerances", d.samples ? d.largest : NAN);
    json_number(json, "t", d.samples ? d.t : NAN);
    json_text(json, "state", outcome_state_name(o, d.component));
    json_integer(json, "samples", d.samples);
    json_end_object(json);
}

static void errors(struct json *json, const struct outcome *o, const struct accuracy_errors *e) {
    json_number(json, "value", e->error);
    json_number(json, "rel", e->relative);
    json_text(json, "worst", keel_sim_column(o->sim, e->worst));
    json_number(json, "t", e->t);
    json_object(json, "each");
    for (int i = 0; i < o->trace->columns; i++)
        if (!isnan(e->each[i])) json_number(json, keel_sim_column(o->sim, i), e->each[i]);
    json_end_object(json);
}

static void accuracy(struct json *json, const struct outcome *o, const struct job *j) {
    static const char *const finding[] = {"none",        "wrong",  "parts", "chaos",
                                          "overstepped", "events", "sizes"};
    const struct accuracy *a = &o->accuracy;
    const struct accuracy_errors *e = accuracy_shown(a);
    char warning[JOB_SENTENCE];
    json_object(json, "accuracy");
    json_text(json, "kind", accuracy_word(a->yardstick));
    if (e) errors(json, o, e);
    else json_number(json, "value", NAN);
    if (a->known.each && a->estimate.each) {
        json_object(json, "estimate");
        errors(json, o, &a->estimate);
        json_end_object(json);
    }
    if (a->estimate.each) {
        json_truth(json, "round_off", a->round_off);
        json_number(json, "width", a->width);
        json_text(json, "finding", finding[a->finding]);
        json_number(json, "apart_t", a->apart_t);
    }
    if (!isnan(a->tolerances)) json_number(json, "tolerances", a->tolerances);
    if (a->cannot_tell) json_text(json, "cannot_tell", a->cannot_tell);
    if (accuracy_warning(o, j, warning, sizeof warning)) json_text(json, "warning", warning);
    json_end_object(json);
}

static void results(struct json *json, const struct outcome *o, const struct job *j, int lasting) {
    keel_solver *s = keel_sim_solver(o->sim);
    const keel_stats stats = o->stats;
    keel_mode mode = {0};
    keel_model_mode(keel_sim_model(o->sim), keel_sim_mode(o->sim), &mode);
    json_integer(json, "index", mode.index);
    json_integer(json, "dof", mode.freedom);
    if (mode.dof >= 0) json_integer(json, "degrees_of_freedom", mode.dof);
    json_number(json, "t0", j->t0);
    json_number(json, "tend", j->t1);
    json_number(json, "t", keel_time(s));
    json_text(json, "mode", mode.name);
    json_integer(json, "steps", stats.steps);
    json_integer(json, "rejected", stats.rejected);
    json_integer(json, "evaluations", stats.calls);
    json_integer(json, "jacobians", stats.jacobians);
    json_integer(json, "factorizations", stats.factorizations);
    if (stats.schur) json_integer(json, "schur", stats.schur);
    if (stabilizer_traits(j->stabilizer) & KEEL_OWN_DIRECTIONS)
        json_integer(json, "unresolved", stats.unresolved);
    if (!lasting) {
        json_number(json, "wall_s", o->wall_s);
        json_number(json, "output_s", o->trace->seconds);
        json_number(json, "compile_s", j->compile_s);
    }
    kept(json, o, j);
    correction(json, o, j);
    keel_status status = keel_sim_values(o->sim, o->trace->value);
    if (status == KEEL_OK) values(json, o, o->trace->value);
    if (status == KEEL_ENOMEM) json->failed = 1;
    missing_json(&o->trace->missing, json);
    changes_json(json, keel_sim_solver(o->sim));
    switching_json(o, j, json);
    events(json, o);
    defect(json, o);
    accuracy(json, o, j);
}

void run_json_build(struct json *json, const struct outcome *o, const struct job *j, int lasting) {
    const char *message = o->message[0] ? o->message : j->sentence;
    run_json_head(json, "run", outcome_word(o->status), o->exit, j, message);
    if (j->model && keel_model_status(j->model) == KEEL_OK) settings(json, j, lasting);
    if (o->sim && keel_sim_solver(o->sim) && keel_state(keel_sim_solver(o->sim)) && o->trace->columns)
        results(json, o, j, lasting);
    json_end_object(json);
}

void run_json(const struct outcome *o, const struct job *j, FILE *out) {
    struct json json = {0};
    run_json_build(&json, o, j, 0);
    if (!json.failed) fprintf(out, "%s\n", json.text);
    else memory_tell();
    json_release(&json);
}
