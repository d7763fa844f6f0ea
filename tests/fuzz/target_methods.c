/* target_methods.c - any text by any method with any stabilizer: a few steps, saved, loaded into another run,
 * and on from there: both runs give the same bits.
 *
 * Three bytes choose the method, the stabilizer, and steps and their lengths; the text follows. */
#include "keel/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

enum { CHOICES = 3, WORK = 100, MOST_STATES = 400, MOST_COLUMNS = 1000 };

static void require(int holds, const char *what, const unsigned char *data, size_t size) {
    if (holds) return;
    fprintf(stderr, "fuzz: not so: %s\n----\n%.*s\n----\n", what, (int)size, (const char *)data);
    abort();
}

static int same(const double *a, const double *b, int count) {
    for (int i = 0; i < count; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i]))) return 0;
    return 1;
}

/* Steps with a length that is a part of the span, or with error control. */
static keel_options options_of(const unsigned char *choice, double span) {
    static char pair[64];
    int methods = 0, stabilizers = 0;
    while (keel_method_at(methods)) methods++;
    while (keel_stabilizer_at(stabilizers)) stabilizers++;
    const keel_method *stabilizer = keel_stabilizer_at(choice[1] % (stabilizers + 1)); /* or none is named */
    snprintf(pair, sizeof pair, "%s%s%s", keel_method_at(choice[0] % methods)->name, stabilizer ? "+" : "",
             stabilizer ? stabilizer->name : "");
    keel_options o = {.method = pair,
                      .norm = (keel_norm)(choice[1] / 16 % KEEL_GIVEN),
                      .compensated = choice[1] / 128,
                      .rtol = 1e-5,
                      .max_steps = 100};
    if (choice[2] % 2) o.step = span / (16 << choice[2] / 2 % 8);
    if (choice[2] / 32 == 7 && o.step > 0) o.reversible = 1;
    return o;
}

static keel_status take(keel_sim *s, double to, int steps) {
    keel_status status = KEEL_OK;
    for (int k = 0; k < steps && status >= 0; k++) status = keel_sim_step(s, to);
    return status;
}

struct seen {
    double t, value[MOST_COLUMNS];
    int columns;
    long steps, events;
};

static void look(keel_sim *s, struct seen *out) {
    keel_event_record one;
    out->t = keel_time(keel_sim_solver(s));
    out->steps = keel_statistics(keel_sim_solver(s)).steps;
    out->columns = keel_sim_columns(s);
    if (keel_sim_values(s, out->value) != KEEL_OK) out->columns = 0;
    for (out->events = 0; keel_sim_event(s, out->events, &one); out->events++) {}
}

static void go_on(keel_sim *s, keel_model *m, const keel_options *o, double to, int steps,
                  const unsigned char *data, size_t size) {
    static struct seen here, there;
    size_t capacity = keel_sim_save(s, NULL, 0);
    void *bytes = capacity ? malloc(capacity) : NULL;
    if (!bytes) return;
    require(keel_sim_save(s, bytes, capacity) == capacity,
            "a state is saved in as many bytes as were asked for", data, size);
    keel_sim *other = keel_sim_load(m, o, bytes, capacity);
    require(other && keel_sim_solver(other), "what was saved is loaded", data, size);
    look(s, &here);
    look(other, &there);
    require(here.t == there.t && here.events == there.events && same(here.value, there.value, here.columns),
            "what is loaded is what was saved", data, size);
    keel_status status = take(s, to, steps);
    require(take(other, to, steps) == status, "both runs end alike", data, size);
    look(s, &here);
    look(other, &there);
    require(here.t == there.t && here.steps == there.steps && here.events == there.events &&
                here.columns == there.columns && same(here.value, there.value, here.columns),
            "both runs have the same bits", data, size);
    keel_sim_close(other);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    double from, to;
    keel_mode mode;
    if (size < CHOICES) return 0;
    keel_model *m = keel_model_read("fuzz.keel", (const char *)data + CHOICES, size - CHOICES,
                                    &(keel_model_options){.interpret = 1, .work = WORK});
    keel_model_span(m, &from, &to);
    int fits = keel_model_status(m) == KEEL_OK && keel_model_mode(m, keel_model_start(m), &mode) &&
               mode.problem->n + mode.problem->m <= MOST_STATES;
    keel_options o = options_of(data, fabs(to - from));
    keel_sim *s = fits ? keel_sim_open(m, &o) : NULL;
    if (s && keel_sim_columns(s) <= MOST_COLUMNS && take(s, to, 1 + data[2] / 16 % 4) >= 0)
        go_on(s, m, &o, to, 3, data, size);
    keel_sim_close(s);
    keel_model_close(m);
    return 0;
}
