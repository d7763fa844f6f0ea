/* test_state.c - the state of a solver as a thing of its own: forked, saved, loaded; and bytes that are
 * none. */
#include "testing.h"
#include "ways.h"

/* ---- Forks and copies. ---- */

static void same(const struct way *w, const keel_solver *a, const keel_solver *b, int unknowns) {
    keel_row x, y;
    keel_stats sa = keel_statistics(a), sb = keel_statistics(b);
    int equal = keel_time(a) == keel_time(b) && keel_event(a) == keel_event(b) &&
                keel_state_of(a) == keel_state_of(b);
    equal = equal && memcmp(keel_state(a), keel_state(b), (size_t)unknowns * sizeof(double)) == 0;
    equal = equal && sa.steps == sb.steps && sa.rejected == sb.rejected && sa.events == sb.events;
    for (int i = 0; keel_row_at(a, i, &x); i++)
        equal = equal && keel_row_at(b, i, &y) && strcmp(x.name, y.name) == 0 && x.treatment == y.treatment &&
                x.verdict == y.verdict && x.start == y.start && x.drift == y.drift && x.units == y.units &&
                x.last == y.last && x.unit == y.unit;
    if (!equal)
        fail_msg("%s, %s, step %g%s: other bits", w->problem, w->method, w->step, w->compensated ? "c" : "");
}

/* Where keel_run stands inside and around the last step. */
static void same_inside(const struct way *w, keel_solver *a, keel_solver *b, double before, int unknowns) {
    double u[PROBLEM_UNKNOWNS], v[PROBLEM_UNKNOWNS], t = keel_time(a);
    for (int k = 1; k <= 3; k++) {
        double inside = t - (t - before) * 1e-3 * k;
        keel_status status = keel_eval(a, inside, u);
        if (keel_eval(b, inside, v) != status ||
            (status == KEEL_OK && memcmp(u, v, (size_t)unknowns * sizeof *u) != 0))
            fail_msg("%s, %s, step %g: other bits inside", w->problem, w->method, w->step);
    }
    const double *x = keel_multipliers(a), *y = keel_multipliers(b);
    if ((x == NULL) != (y == NULL) || (x && x[0] != y[0]))
        fail_msg("%s, %s: other multipliers", w->problem, w->method);
}

static keel_solver *through_bytes(const keel_solver *s, const keel_problem *p, const keel_options *o) {
    size_t size = keel_save(s, NULL, 0);
    unsigned char *bytes = malloc(size);
    assert_int_equal(keel_save(s, bytes, size - 1), size); /* too little room: nothing written */
    assert_int_equal(keel_save(s, bytes, size), size);
    keel_solver *copy = keel_load(p, o, bytes, size);
    free(bytes);
    assert_non_null(copy);
    assert_int_equal(keel_state_of(copy), keel_state_of(s));
    return copy;
}

/* 20 moments; at each the run goes on in three: itself, a fork, a copy through bytes. */
static void go_on_in_three(const struct way *w) {
    problem p;
    problem_at(problem_number(w->problem), &p);
    keel_options o = options_of(w);
    keel_solver *s = keel_open(&p.keel, &o);
    int unknowns = p.keel.n + p.keel.m;
    unsigned seed = 7;
    double t = 0;
    for (int moment = 0; moment < 20; moment++) {
        keel_solver *equivalent = keel_fork(s), *copy = through_bytes(s, &p.keel, &o);
        double before = keel_time(s);
        if (moment % 3 == 1) same_inside(w, s, copy, before - 1e-3, unknowns);
        same(w, s, equivalent, unknowns);
        same(w, s, copy, unknowns);
        seed = seed * 1664525u + 1013904223u;
        if (keel_event(s) < 0 || keel_time(s) >= t) t += w->moment * (1 + seed % 4);
        keel_status status = keel_run(s, t);
        assert_int_equal(keel_run(equivalent, t), status);
        assert_int_equal(keel_run(copy, t), status);
        assert_true(status >= 0);
        same(w, s, equivalent, unknowns);
        same(w, s, copy, unknowns);
        same_inside(w, s, copy, before, unknowns);
        same_inside(w, s, equivalent, before, unknowns);
        keel_close(moment % 2 ? s : copy); /* the next moment from the copy of a copy */
        s = moment % 2 ? copy : s;
        keel_close(equivalent);
    }
    keel_close(s);
}

static void forks_and_loaded_copies_go_on_with_the_same_bits(void **state) {
    (void)state;
    assert_true(visit_all(go_on_in_three) > 100);
}

static void options_with_arrays_survive_saving(void **state) {
    (void)state;
    static const double weights[] = {1, 2, 3, 4}, atol[] = {1e-9, 1e-8, 1e-9, 1e-8};
    problem p;
    struct way w = {"kepler", "dop853", 0, 0, 0};
    problem_kepler(&p, 0.6, 1);
    keel_options o = {.norm = KEEL_GIVEN, .weights = weights, .atol_each = atol, .keep = "energy"};
    keel_solver *s = keel_open(&p.keel, &o);
    assert_ok(s, keel_run(s, 3));
    keel_solver *copy = through_bytes(s, &p.keel, &o), *equivalent = keel_fork(copy);
    assert_ok(s, keel_run(s, 30));
    assert_ok(copy, keel_run(copy, 30));
    keel_close(copy);
    assert_ok(equivalent, keel_run(equivalent, 30));
    same(&w, s, equivalent, 4);
    keel_close(s);
    keel_close(equivalent);
}

/* ---- Bytes that are not the state of this solver. ---- */

enum { ROOM = 1 << 17 };
static unsigned char bytes[ROOM];

static size_t saved_kepler(problem *p, const keel_options *o) {
    problem_kepler(p, 0.6, 1);
    keel_solver *s = keel_open(&p->keel, o);
    assert_ok(s, keel_run(s, 1));
    size_t size = keel_save(s, bytes, ROOM);
    assert_true(size > 0 && size <= ROOM);
    keel_close(s);
    return size;
}

static void refused(const keel_problem *p, const keel_options *o, const void *data, size_t count,
                    const char *words) {
    keel_solver *s = keel_load(p, o, data, count);
    assert_non_null(s);
    assert_int_equal(keel_state_of(s), KEEL_EINVAL);
    expect_words(s, words);
    assert_int_equal(keel_run(s, 5), KEEL_EINVAL);
    double u[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    assert_int_equal(keel_restart(s, 0, u), KEEL_EINVAL);
    (void)keel_eval(s, 0, u);
    (void)keel_state(s);
    (void)keel_multipliers(s);
    keel_close(s);
}

static void a_state_of_another_problem_method_or_option_is_refused(void **state) {
    (void)state;
    static const double atol[] = {1e-8, 1e-8, 1e-8, 1e-8}, scale[] = {1, 1, 1, 1}, weights[] = {1, 1, 1, 1};
    static const int arrays[] = {0, 0, 1, 1};
    problem p, other;
    keel_options o = {.rtol = 1e-8};
    size_t size = saved_kepler(&p, &o);
    const char *why = "keel_load|another problem, method, options or version";
    problem_kepler_hamiltonian(&other, 0.6);
    refused(&other.keel, &o, bytes, size, why);
    problem_henon_heiles(&other);
    refused(&other.keel, &o, bytes, size, why);
    const keel_options others[] = {{.rtol = 1e-9},
                                   {.rtol = 1e-8, .atol = 1e-5},
                                   {.rtol = 1e-8, .method = "dopri5"},
                                   {.rtol = 1e-8, .step = 0.1},
                                   {.rtol = 1e-8, .method = "+watch"},
                                   {.rtol = 1e-8, .norm = KEEL_UNIT},
                                   {.rtol = 1e-8, .keep = "energy"},
                                   {.rtol = 1e-8, .compensated = 1},
                                   {.rtol = 1e-8, .max_step = 1},
                                   {.rtol = 1e-8, .manifold_units = 8},
                                   {.rtol = 1e-8, .atol_each = atol},
                                   {.rtol = 1e-8, .norm = KEEL_GIVEN, .weights = weights},
                                   {0}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        refused(&p.keel, &others[i], bytes, size, why);
    keel_problem q = p.keel;
    q.name = "something else";
    refused(&q, &o, bytes, size, why);
    q = p.keel;
    q.scale = scale;
    refused(&q, &o, bytes, size, why);
    q = p.keel;
    q.array_of = arrays;
    refused(&q, &o, bytes, size, why);
    q = p.keel;
    q.n = 0;
    refused(&q, &o, bytes, size, "n = 0");
    refused(&p.keel, &o, NULL, size, "keel_load needs the bytes");
}

static void a_state_cut_short_is_refused(void **state) {
    (void)state;
    problem p;
    size_t size = saved_kepler(&p, NULL);
    refused(&p.keel, NULL, bytes, 0, "too few");
    refused(&p.keel, NULL, bytes, 20, "too few");
    for (size_t i = 200; i < size; i += 97) refused(&p.keel, NULL, bytes, i, "incomplete");
    refused(&p.keel, NULL, bytes, size - 1, "incomplete");
    refused(&p.keel, NULL, bytes, size + 1, "incomplete");
    memset(bytes, 0, size);
    refused(&p.keel, NULL, bytes, size, "not a saved solver");
}

static void a_state_with_any_byte_changed_is_refused(void **state) {
    (void)state;
    problem p;
    size_t size = saved_kepler(&p, NULL);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= (unsigned char)(1u << i % 8);
        refused(&p.keel, NULL, bytes, size, "keel_load: ");
        bytes[i] ^= (unsigned char)(1u << i % 8);
    }
    keel_solver *s = keel_load(&p.keel, NULL, bytes, size);
    assert_ok(s, keel_run(s, 2));
    keel_close(s);
}

/* FNV-1a over all but magic and checksum; the order is magic, signature, size of the block, checksum, rest,
 * and the block, which is summed word by word. */
static void forge(size_t size) {
    uint64_t h = 14695981039346656037u, block, word;
    memcpy(&block, bytes + 16, sizeof block);
    for (size_t i = 8; i < size - block; i++)
        if (i < 24 || i >= 32) h = (h ^ bytes[i]) * 1099511628211u;
    for (size_t i = size - block; i < size; i += sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        h = (h ^ word) * 1099511628211u;
    }
    memcpy(bytes + 24, &h, sizeof h);
}

/* Damage with a matching checksum may give any numbers, but no access outside of them. */
static void a_forged_state_does_no_more_than_go_wrong(void **state) {
    (void)state;
    static const char *const names[] = {"kepler", "pendulum_bottom", "pendulum_dae", "chemakzo", "twin_rods"};
    static const char *const methods[] = {"dop853", "abm4", "rkf78"};
    static unsigned char sound[ROOM];
    unsigned seed = 1;
    for (int round = 0; round < 1500; round++) {
        problem p;
        problem_at(problem_number(names[round % 5]), &p);
        keel_options o = {.method = methods[round % 3], .step = round % 3 == 1 ? 0.01 : 0, .max_steps = 20};
        keel_solver *s = keel_open(&p.keel, &o);
        assert_ok(s, keel_run(s, 0.1));
        size_t size = keel_save(s, sound, ROOM);
        keel_close(s);
        memcpy(bytes, sound, size);
        for (int hit = 0; hit < 1 + round % 7; hit++) {
            seed = seed * 1664525u + 1013904223u;
            bytes[32 + (seed >> 4) % (size - 32)] ^= (unsigned char)(1u << (seed >> 1) % 8);
        }
        forge(size);
        s = keel_load(&p.keel, &o, bytes, size);
        double u[PROBLEM_UNKNOWNS];
        for (int k = 0; k < 5; k++) (void)keel_step(s, 0.2);
        (void)keel_eval(s, keel_time(s), u);
        (void)keel_multipliers(s);
        (void)keel_restart(s, 0, p.u0);
        (void)keel_step(s, 0.1);
        keel_close(s);
    }
}

static void a_forged_record_is_refused_as_damaged(void **state) {
    (void)state;
    problem p;
    size_t size = saved_kepler(&p, NULL);
    int damaged = 0;
    for (size_t i = 32; i < 512; i++) {
        bytes[i] ^= 0x40;
        forge(size);
        keel_solver *s = keel_load(&p.keel, NULL, bytes, size);
        assert_null(strstr(keel_message(s), "checksum"));
        if (keel_state_of(s) == KEEL_EINVAL) {
            expect_words(s, "keel_load: the state is damaged");
            damaged++;
        }
        keel_close(s);
        bytes[i] ^= 0x40;
    }
    assert_true(damaged > 8);
}

static int gives_up(double t, const double *u, double *out, void *user) {
    (void)user;
    out[0] = -u[0];
    return t > 0.5 ? -1 : 0;
}

static void a_failed_solver_is_saved_as_failed(void **state) {
    (void)state;
    static const double one[] = {1};
    keel_problem p = {.n = 1, .u0 = one, .f = {.count = 1, .value = gives_up}};
    keel_solver *s = keel_open(&p, NULL);
    assert_int_equal(keel_run(s, 1), KEEL_EUSER);
    size_t size = keel_save(s, bytes, ROOM);
    keel_close(s);
    s = keel_load(&p, NULL, bytes, size);
    assert_int_equal(keel_state_of(s), KEEL_EUSER);
    assert_int_equal(keel_run(s, 1), KEEL_EUSER);
    expect_words(s, "had failed|a callback failed");
    assert_ok(s, keel_restart(s, 0, one));
    assert_ok(s, keel_run(s, 0.5));
    keel_close(s);
}

static int wrong_invariant(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[1];
    return 0;
}

static void a_refused_start_is_still_to_be_verified_after_loading(void **state) {
    (void)state;
    problem p;
    problem_pendulum(&p, 1);
    p.u0[0] = 0.9; /* off the rod */
    p.keel.invariant = (keel_map){.count = 1, .value = wrong_invariant};
    keel_solver *s = keel_open(&p.keel, NULL);
    assert_int_equal(keel_state_of(s), KEEL_ESTART);
    size_t size = keel_save(s, bytes, ROOM);
    keel_close(s);
    s = keel_load(&p.keel, NULL, bytes, size);
    assert_int_equal(keel_state_of(s), KEEL_ESTART);
    assert_int_equal(keel_restart(s, 0, NULL), KEEL_EINVAL);
    expect_words(s, "not conserved");
    keel_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forks_and_loaded_copies_go_on_with_the_same_bits),
        cmocka_unit_test(options_with_arrays_survive_saving),
        cmocka_unit_test(a_state_of_another_problem_method_or_option_is_refused),
        cmocka_unit_test(a_state_cut_short_is_refused),
        cmocka_unit_test(a_state_with_any_byte_changed_is_refused),
        cmocka_unit_test(a_forged_state_does_no_more_than_go_wrong),
        cmocka_unit_test(a_forged_record_is_refused_as_damaged),
        cmocka_unit_test(a_failed_solver_is_saved_as_failed),
        cmocka_unit_test(a_refused_start_is_still_to_be_verified_after_loading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
