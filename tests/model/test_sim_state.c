/* test_sim_state.c - a run saved between two steps and loaded goes on with the same bits, through events and
 * modes; bytes that are not its own are refused. */
#include "example_list.h"

#include <keel/model.h>

enum { STEPS = 500, MOMENTS = 3, SUM = 16, HEAD = 24 }; /* SUM: where the check over the run's part stands */

static uint64_t random_state = 88172645463325252u;

static uint64_t random_number(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* All that can be seen of a run, for comparing bit by bit. */
struct sight {
    double t, value[400], drift[400], kept[100][5], happened[2000][4];
    keel_stats stats;
    long mode, columns, rows, kepts, event_records;
};

static void look(keel_sim *s, struct sight *seen) {
    memset(seen, 0, sizeof *seen);
    seen->t = keel_time(keel_sim_solver(s));
    seen->mode = keel_sim_mode(s);
    seen->stats = keel_statistics(keel_sim_solver(s));
    seen->columns = keel_sim_columns(s), seen->rows = keel_sim_rows(s);
    if (seen->columns > 400 || seen->rows > 400) fail_msg("more columns than there is room for");
    keel_sim_sample(s, seen->t, seen->value, seen->drift);
    keel_row row;
    for (; keel_row_at(keel_sim_solver(s), (int)seen->kepts, &row) && seen->kepts < 100; seen->kepts++)
        memcpy(seen->kept[seen->kepts], (double[]){row.start, row.drift, row.units, row.last, row.unit},
               sizeof seen->kept[0]);
    keel_event_record one;
    for (; keel_sim_event(s, seen->event_records, &one) && seen->event_records < 2000; seen->event_records++)
        memcpy(seen->happened[seen->event_records], (double[]){one.t, one.from, one.to, one.changed},
               sizeof seen->happened[0]);
}

static int same(const struct sight *a, const struct sight *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

/* Up to `steps` further steps; how many were taken. */
static long walk(keel_sim *s, double end, long steps) {
    long taken = 0;
    while (taken < steps && keel_time(keel_sim_solver(s)) != end && keel_sim_step(s, end) >= 0) taken++;
    return taken;
}

static unsigned char *save(const keel_sim *s, size_t *count) {
    *count = keel_sim_save(s, NULL, 0);
    unsigned char *bytes = malloc(*count + 1);
    assert_non_null(bytes);
    assert_true(*count > 0);
    assert_int_equal(keel_sim_save(s, bytes, *count), *count);
    return bytes;
}

static int refused(keel_sim *s) {
    return !keel_sim_solver(s) || keel_state_of(keel_sim_solver(s)) < 0;
}

static keel_sim *load(keel_model *m, const keel_options *o, const unsigned char *bytes, size_t count) {
    keel_sim *s = keel_sim_load(m, o, bytes, count);
    assert_non_null(s);
    if (refused(s)) fail_msg("%s: %s", keel_model_name(m), keel_sim_message(s));
    return s;
}

/* Looking may call f, which is counted: each run is looked at once. */
static void check_moment(keel_model *m, const keel_options *o, double end, long at,
                         const struct sight *final) {
    static struct sight here, there;
    size_t count;
    keel_sim *first = keel_sim_open(m, o);
    walk(first, end, at);
    unsigned char *bytes = save(first, &count);
    look(first, &here);
    keel_sim *second = load(m, o, bytes, count), *third = load(m, o, bytes, count);
    look(second, &there);
    if (!same(&here, &there)) fail_msg("%s: another state after loading at step %ld", keel_model_name(m), at);
    walk(third, end, STEPS - at);
    look(third, &there);
    if (!same(final, &there)) fail_msg("%s: another end after loading at step %ld", keel_model_name(m), at);
    keel_sim_close(first);
    keel_sim_close(second);
    keel_sim_close(third);
    free(bytes);
}

/* method NULL: the default; one that does not fit the model is passed over. */
static void check_model(const char *path, double step, const char *method) {
    static struct sight final;
    double begin, end;
    keel_model *m = keel_model_load(path, &(keel_model_options){.interpret = 1});
    assert_non_null(m);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    keel_model_span(m, &begin, &end);
    keel_options o = {.step = step * fabs(end - begin), .method = method};
    keel_sim *whole = keel_sim_open(m, &o);
    if (!refused(whole)) {
        long total = walk(whole, end, STEPS);
        look(whole, &final);
        check_moment(m, &o, end, 0, &final);
        for (int k = 0; k < MOMENTS; k++)
            check_moment(m, &o, end, (long)(random_number() % (uint64_t)(total + 1)), &final);
    }
    keel_sim_close(whole);
    keel_model_close(m);
}

/* Every model as it asks for itself, every model with some method, every method with some model. */
static void saved_runs_go_on_with_the_same_bits(void **unused) {
    (void)unused;
    static struct example_list list;
    int models, methods = 0;
    example_list_open(&list);
    models = list.count;
    while (keel_method_at(methods)) methods++;
    for (int k = 0; k < models || k < methods; k++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", KEEL_EXAMPLES_DIR, list.file[k % models]);
        if (k < models) check_model(path, 0, NULL);
        check_model(path, 1e-4, keel_method_at(k % methods)->name);
    }
}

/* Every step of a run with two modes, events that are recorded and held values. */
static const char crowded[] = "model crowded\n"
                              "param g = 9.81, l = 1, v = 6\n"
                              "coord x, y\n"
                              "lagrangian (x'^2 + y'^2)/2 - g*y\n"
                              "invariant energy\n"
                              "event top: y' falling -> record\n"
                              "mode taut:\n"
                              "    constraint string: x^2 + y^2 = l^2\n"
                              "    event slack: lambda.string falling -> record, mode loose\n"
                              "mode loose:\n"
                              "    event catch: x^2 + y^2 - l^2 rising -> record, mode taut\n"
                              "start taut\n"
                              "init x = 0, x' = v\n"
                              "guess y = -l, y' = 0\n"
                              "output fall = y.enter - y\n"
                              "run 0 .. 4\n";

static keel_model *read_crowded(const char *text) {
    keel_model *m = keel_model_read("crowded", text, strlen(text), &(keel_model_options){.interpret = 1});
    assert_non_null(m);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    return m;
}

static void any_step_will_do(void **unused) {
    (void)unused;
    static struct sight final;
    keel_model *m = read_crowded(crowded);
    keel_sim *whole = keel_sim_open(m, NULL);
    long total = walk(whole, 4, STEPS);
    look(whole, &final);
    assert_true(final.event_records >= 4);
    for (long at = 0; at <= total; at++) check_moment(m, NULL, 4, at, &final);
    keel_sim_close(whole);
    keel_model_close(m);
}

static void foreign_bytes_are_refused(void **unused) {
    (void)unused;
    keel_model *m = read_crowded(crowded);
    keel_sim *s = keel_sim_open(m, NULL);
    size_t count;
    walk(s, 4, 60);
    unsigned char *bytes = save(s, &count);
    for (size_t cut = 0; cut < count; cut += 1 + cut / 64) {
        keel_sim *other = keel_sim_load(m, NULL, bytes, cut);
        assert_true(refused(other));
        assert_true(keel_sim_message(other)[0] != '\0');
        keel_sim_close(other);
    }
    for (int k = 0; k < 3000; k++) {
        size_t place = k < 300 ? (size_t)k % count : random_number() % count;
        unsigned char bit = (unsigned char)(1u << (random_number() % 8));
        bytes[place] ^= bit;
        keel_sim *other = keel_sim_load(m, NULL, bytes, count);
        if (!refused(other)) fail_msg("a wrong bit in byte %zu of %zu was not seen", place, count);
        keel_sim_close(other);
        bytes[place] ^= bit;
    }
    keel_sim *other = keel_sim_load(m, &(keel_options){.rtol = 1e-8}, bytes, count);
    assert_true(refused(other));
    keel_sim_close(other);
    other = keel_sim_load(m, NULL, NULL, 0);
    assert_true(refused(other));
    keel_sim_close(other);
    char changed[sizeof crowded];
    memcpy(changed, crowded, sizeof crowded);
    memcpy(strstr(changed, "v = 6"), "v = 7", 5);
    keel_model *n = read_crowded(changed);
    other = keel_sim_load(n, NULL, bytes, count);
    assert_true(refused(other));
    keel_sim_close(other);
    keel_model_close(n);
    free(bytes);
    keel_sim_close(s);
    keel_model_close(m);
}

/* Wrong numbers under a right check: whatever is read from them, nothing outside of the run is touched. */
static void forged_bytes_do_no_harm(void **unused) {
    (void)unused;
    keel_model *m = read_crowded(crowded);
    keel_sim *s = keel_sim_open(m, NULL);
    size_t count;
    walk(s, 4, 60);
    unsigned char *bytes = save(s, &count), *forged = malloc(count);
    size_t own = count - keel_save(keel_sim_solver(s), NULL, 0);
    for (int k = 0; k < 2000; k++) {
        memcpy(forged, bytes, count);
        for (uint64_t wrong = 1 + random_number() % 3; wrong > 0; wrong--)
            forged[HEAD + random_number() % (own - HEAD)] = (unsigned char)random_number();
        uint64_t sum = 14695981039346656037u;
        for (size_t i = HEAD; i < own; i++) sum = (sum ^ forged[i]) * 1099511628211u;
        memcpy(forged + SUM, &sum, sizeof sum);
        keel_sim *other = keel_sim_load(m, NULL, forged, count);
        if (!refused(other)) walk(other, 4, 3);
        keel_sim_close(other);
    }
    free(forged);
    free(bytes);
    keel_sim_close(s);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saved_runs_go_on_with_the_same_bits),
        cmocka_unit_test(any_step_will_do),
        cmocka_unit_test(foreign_bytes_are_refused),
        cmocka_unit_test(forged_bytes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
