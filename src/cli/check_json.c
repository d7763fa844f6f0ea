/* check_json.c - what `keel check` says to machines. */
#include "cli/check.h"
#include "cli/run/run_json.h"

#include <keel/form.h>

#include <string.h>

static void offsets(struct json *json, const struct check *c, int mode) {
    keel_offset one;
    json_object(json, "offsets");
    json_object(json, "c");
    for (int i = 0; keel_model_equation_offset(c->model, mode, i, &one); i++)
        json_integer(json, one.name, one.offset);
    json_end_object(json);
    json_object(json, "d");
    for (int i = 0; keel_model_unknown_offset(c->model, mode, i, &one); i++)
        json_integer(json, one.name, one.offset);
    json_end_object(json);
    json_end_object(json);
}

static void found(struct json *json, const struct check *c, int mode) {
    keel_hidden hidden;
    char name[KEEL_NAME];
    const char *text, *equivalent;
    json_array(json, "hidden");
    for (int i = 0; keel_model_hidden(c->model, mode, i, &hidden); i++) {
        json_object(json, NULL);
        json_text(json, "name", hidden.name);
        json_text(json, "text", hidden.text);
        json_text(json, "of", hidden.of);
        json_integer(json, "order", hidden.order);
        json_end_object(json);
    }
    json_end_array(json);
    json_array(json, "free");
    for (int i = 0; keel_model_free_state(c->model, mode, i, name); i++) json_text(json, NULL, name);
    json_end_array(json);
    json_array(json, "redundant");
    for (int i = 0; keel_model_redundant(c->model, mode, i, &text, &equivalent); i++) {
        json_object(json, NULL);
        json_text(json, "name", text);
        json_text(json, "equivalent", equivalent);
        json_end_object(json);
    }
    json_end_array(json);
    json_array(json, "balances");
    for (int i = 0; (text = keel_model_linear_invariant(c->model, mode, i)); i++) json_text(json, NULL, text);
    json_end_array(json);
}

static void contacts(struct json *json, const struct check *c) {
    const char *name;
    double restitution, friction;
    int closed;
    json_array(json, "contacts");
    for (int i = 0; keel_sim_contact(c->sim, i, &name, &restitution, &friction, &closed); i++) {
        json_object(json, NULL);
        json_text(json, "name", name);
        json_number(json, "restitution", restitution);
        json_number(json, "friction", friction);
        json_truth(json, "closed", closed);
        json_end_object(json);
    }
    json_end_array(json);
}

static void modes(struct json *json, const struct check *c) {
    keel_mode mode;
    json_array(json, "modes");
    for (int i = 0; keel_model_mode(c->model, i, &mode); i++) {
        json_object(json, NULL);
        json_text(json, "name", mode.name);
        json_text(json, "form", keel_form_at((int)mode.problem->form)->name);
        json_integer(json, "unknowns", mode.unknowns);
        json_integer(json, "equations", mode.equations);
        json_integer(json, "index", mode.index);
        json_integer(json, "dof", mode.freedom);
        if (mode.dof >= 0) json_integer(json, "degrees_of_freedom", mode.dof);
        json_integer(json, "lc_steps", mode.combinations);
        json_truth(json, "quadratic", mode.quadratic);
        json_truth(json, "separable", mode.separable);
        json_truth(json, "pairwise", keel_model_pairwise(c->model, i));
        offsets(json, c, i);
        found(json, c, i);
        json_end_object(json);
    }
    json_end_array(json);
}

static void groups(struct json *json, const struct check *c) {
    const char *name, *mode;
    json_array(json, "groups");
    for (int i = 0; (name = keel_model_group(c->model, i)); i++) {
        json_object(json, NULL);
        json_text(json, "name", name);
        json_array(json, "modes");
        for (int k = 0; (mode = keel_model_group_mode(c->model, i, k)); k++) json_text(json, NULL, mode);
        json_end_array(json);
        json_end_object(json);
    }
    json_end_array(json);
}

static void start(struct json *json, const struct check *c) {
    static const char *const word[] = {"equations", "guess", "init", "guess"}; /* by keel_origin */
    const char *name;
    json_object(json, "start");
    for (int i = 0; (name = keel_sim_column(c->sim, i)); i++)
        if (keel_sim_column_kind(c->sim, i) != KEEL_COLUMN_OUTPUT) json_number(json, name, c->value[i]);
    json_end_object(json);
    json_object(json, "start_from");
    for (int i = 0; (name = keel_sim_column(c->sim, i)); i++)
        if (keel_sim_column_kind(c->sim, i) != KEEL_COLUMN_OUTPUT)
            json_text(json, name, word[keel_sim_origin(c->sim, i)]);
    json_end_object(json);
    json_array(json, "start_free");
    for (int i = 0; (name = keel_model_free_value(c->model, i)); i++) json_text(json, NULL, name);
    json_end_array(json);
}

static void scales(struct json *json, const struct check *c) {
    json_object(json, "time_scales");
    json_number(json, "fastest", c->scales.fastest);
    json_number(json, "slowest", c->scales.slowest);
    json_number(json, "damping", c->scales.damping);
    json_truth(json, "stiff", c->stiff);
    json_end_object(json);
}

static void invariants(struct json *json, const struct check *c) {
    struct check_invariant one;
    json_array(json, "invariants");
    for (int i = 0; check_invariant(c, i, &one); i++) {
        json_object(json, NULL);
        json_text(json, "name", one.name);
        json_text(json, "verdict", one.verdict);
        json_text(json, "how", one.proved ? "proved" : "sampled");
        json_number(json, "rate", one.rate);
        if (one.point) json_text(json, "point", one.point);
        json_end_object(json);
    }
    json_end_array(json);
}

void check_json(const struct check *c, int status, FILE *out) {
    struct json json = {0};
    run_json_head(&json, "check", status ? "failed" : "done", status, &c->job, c->job.sentence);
    if (c->model && !memory_is_out()) {
        modes(&json, c);
        groups(&json, c);
        if (c->sim) contacts(&json, c);
        if (c->sim && c->value) start(&json, c);
        if (c->sim && c->stiff >= 0) scales(&json, c);
        invariants(&json, c);
    }
    if (c->method[0]) {
        json_object(&json, "suggest");
        json_text(&json, "method", c->method);
        json_text(&json, "why", c->why);
        json_text(&json, "command", c->command);
        json_end_object(&json);
    }
    if (keel_model_status(c->model) == KEEL_ENOMEM) json.failed = 1; /* an answer may be missing */
    run_json_print(&json, out);
}
