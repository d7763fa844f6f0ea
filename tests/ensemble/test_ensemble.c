/* test_ensemble.c - members of an ensemble: each has the bits of the model read with its values, whatever the
 * workers; a member that fails leaves the others alone; what is kept is what the run alone shows. */
#include "testing.h"

#include "model_run.h"

#include <keel/ensemble.h>

/* One of each kind of start and run: parameters that follow from others, ends of the run that do,
 * constraints, algebraic unknowns, modes, held values, switching surfaces, events that act, and what needs a
 * model of its own for each member: an `init` of what is no state, a tolerance. */
static const struct {
    const char *text, *names, *over;
    keel_options o;
    int anew;
} cases[] = {
    {"param a = 2, w = sqrt(a), T = 2*pi/w\nvar x, v\nx' = v\nv' = -a*x\ninvariant energy2 = v^2 + w^2*x^2\n"
     "init x = 1/w, v = 0\nrun 0 .. T\n",
     "a x",
     "0.5:3:4 0.2,1",
     {.method = "rk4+project", .step = 0.05},
     0},
    {"param g = 9.81, l = 1\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - g*y\nconstraint rod: x^2 + y^2 = l^2\n"
     "invariant energy\ninit y = -l/2, y' = 0\nguess x = l\noutput pull = lambda.rod\nrun 0 .. 1\n",
     "l y'",
     "0.5:2:4 0,0.3",
     {0},
     0},
    {"param k = 1\nvar x, z, w\nx' = -k*x + z\nz^3 + z + w = x\nw + sin(w) = x - z\ninit x = 1\n"
     "guess z = 0.5, w = 0.2\noutput r = z'\nrun 0 .. 2\n",
     "k x",
     "0.5,1,2 0.3:2:3",
     {.method = "radau"},
     0},
    {"param l = 1, g = 9.81\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - g*y\nstart taut\n"
     "init x = 0.8*l, y = -0.6*l, x' = 2.4\nguess y' = 3.2\nmode taut:\n    constraint string: x^2 + y^2 = "
     "l^2\n"
     "    event slack: lambda.string falling -> record, mode loose\nmode loose:\n"
     "    event catch: x^2 + y^2 - l^2 rising -> record, mode taut\noutput from = y.enter\nrun 0 .. 2\n",
     "l g",
     "0.8:1.2:3 8,9.81",
     {0},
     0},
    {"param e = 0.9, h = 1\ncoord y\nlagrangian y'^2/2 - 9.81*y\ninit y = h, y' = 0\nrun 0 .. 2\n"
     "event hit: y falling -> y' := -e*y', record\n",
     "e h",
     "0.8:0.9:3 1,2",
     {0},
     0},
    {"param c = 1\nvar x, v\nx' = v\nv' = -x - c*sign(v) + sin(3*t)\ninit x = 2, v = 0.1\nrun 0 .. 3\n",
     "c v",
     "0.1:0.5:3 0.1,-0.2",
     {0},
     0},
    {"param s = 2\nvar x {atol = 1e-6*s}\nx' = -s*x\ninit x = 1\nrun 0 .. 1\n",
     "s",
     "1,2,3",
     {.rtol = 1e-4},
     1},
    {"param k = 1\nvar x, y\nx' = y\ny = -k*x\ninit y = -2*k\nrun 0 .. 1\n", "k", "1,2,3", {0}, 1},
};
enum { CASES = sizeof cases / sizeof *cases, MOST = 4096 };

/* All numbers of the results, in their order. */
struct gathered {
    int64_t members, failed;
    double value[MOST], drift[64];
    int32_t status[64];
    char sentence[64][200];
    size_t count;
};

static int gather(void *user, const keel_block *b) {
    struct gathered *g = user;
    size_t numbers = (size_t)b->count * (size_t)b->times * (size_t)b->columns;
    assert_true(g->count + numbers <= MOST);
    memcpy(g->value + g->count, b->value, numbers * sizeof *b->value);
    g->count += numbers;
    for (int i = 0; i < b->count; i++, g->members++) {
        if (g->members >= 64) continue;
        g->status[g->members] = b->status[i];
        g->drift[g->members] = b->drift[i];
        g->failed += b->status[i] < 0;
        snprintf(g->sentence[g->members], 200, "%s", b->sentence[i] < 0 ? "" : b->text + b->sentence[i]);
    }
    return 0;
}

/* "a x" over "0.5:3:4 0.2,1" */
static keel_plan *plan_of(keel_model *m, const char *names, const char *over) {
    keel_plan *p = keel_plan_open(m);
    while (*names) {
        char text[200];
        int name = (int)strcspn(names, " "), values = (int)strcspn(over, " ");
        snprintf(text, sizeof text, "%.*s=%.*s", name, names, values, over);
        if (keel_plan_over(p, text) != KEEL_OK) fail_msg("%s", keel_plan_message(p));
        names += name + (names[name] == ' ');
        over += values + (over[values] == ' ');
    }
    if (keel_plan_settle(p, NULL) != KEEL_OK) fail_msg("%s", keel_plan_message(p));
    return p;
}

static keel_ensemble *ensemble_of(keel_model *m, keel_plan *p, const keel_ensemble_options *o) {
    keel_ensemble *e = keel_ensemble_open(m, p, o);
    assert_non_null(e);
    if (keel_ensemble_status(e) < 0) fail_msg("%s", keel_ensemble_message(e));
    return e;
}

/* The member alone: the text read with its values, as `keel run --set` reads it. */
static void run_alone(const char *text, const keel_plan *p, int64_t member, const keel_options *o,
                      double *value, int *columns, double *drift) {
    char set[4][80];
    const char *sets[4];
    double v[4], t0, t1;
    int count = keel_plan_names(p);
    keel_plan_values(p, member, v);
    for (int i = 0; i < count; i++) {
        snprintf(set[i], sizeof set[i], "%s=%.17g", keel_plan_name(p, i), v[i]);
        sets[i] = set[i];
    }
    keel_model *m = keel_model_read("m.keel", text, strlen(text),
                                    &(keel_model_options){.set = sets, .sets = count, .interpret = 1});
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    keel_model_span(m, &t0, &t1);
    keel_sim *s = keel_sim_open(m, o);
    run_to(s, t1);
    *columns = keel_sim_columns(s);
    assert_int_equal(keel_sim_values(s, value), KEEL_OK);
    keel_row row;
    *drift = NAN;
    for (int i = 0; i < keel_sim_rows(s); i++)
        if (keel_sim_row_at(s, i, &row) && !(row.units <= *drift)) *drift = row.units;
    keel_sim_close(s);
    keel_model_close(m);
}

static void members_have_the_bits_of_single_runs(void **state) {
    static struct gathered g;
    (void)state;
    for (int k = 0; k < CASES; k++) {
        keel_model *m = keel_model_read("m.keel", cases[k].text, strlen(cases[k].text),
                                        &(keel_model_options){.interpret = 1});
        if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
        keel_plan *p = plan_of(m, cases[k].names, cases[k].over);
        keel_ensemble *e = ensemble_of(m, p, &(keel_ensemble_options){.run = cases[k].o, .workers = 2});
        assert_int_equal(keel_vary_anew(keel_ensemble_variation(e)), cases[k].anew);
        memset(&g, 0, sizeof g);
        assert_int_equal(keel_ensemble_run(e, 0, keel_ensemble_blocks(e), gather, &g), KEEL_OK);
        assert_int_equal(g.members, keel_plan_members(p));
        for (int64_t i = 0; i < g.members; i++) {
            double alone[40], drift;
            int columns;
            if (g.status[i] < 0) fail_msg("case %d, member %d: %s", k, (int)i, g.sentence[i]);
            run_alone(cases[k].text, p, i, &cases[k].o, alone, &columns, &drift);
            assert_int_equal(columns, keel_ensemble_columns(e));
            if (memcmp(alone, g.value + (size_t)i * (size_t)columns, (size_t)columns * sizeof *alone) != 0)
                fail_msg("case %d, member %d has other bits: %.17g, alone %.17g", k, (int)i,
                         g.value[(size_t)i * (size_t)columns], alone[0]);
            assert_true(drift == g.drift[i] || (isnan(drift) && isnan(g.drift[i])));
        }
        keel_ensemble_close(e);
        keel_plan_close(p);
        keel_model_close(m);
    }
}

static const char kepler[] =
    "param e = 0.3\ncanonical q[1..2], p[1..2]\nhamiltonian dot(p, p)/2 - 1/norm(q)\ninvariant energy\n"
    "init q = (1 - e, 0), p = (0, sqrt((1 + e)/(1 - e)))\nevent up: q[2] rising -> record\nrun 0 .. 7\n";

static uint64_t hash_of(void *bytes, size_t count, uint64_t h) {
    for (size_t i = 0; i < count; i++) h = (h ^ ((unsigned char *)bytes)[i]) * 1099511628211u;
    return h;
}

static int hash_block(void *user, const keel_block *b) {
    uint64_t *h = user;
    size_t count = (size_t)b->count, numbers = count * (size_t)b->times * (size_t)b->columns;
    *h = hash_of((void *)b->value, numbers * sizeof(double), *h);
    *h = hash_of((void *)b->status, count * sizeof *b->status, *h);
    *h = hash_of((void *)b->steps, count * sizeof *b->steps, *h);
    *h = hash_of((void *)b->drift, count * sizeof *b->drift, *h);
    *h = hash_of((void *)b->mean, count * (size_t)b->columns * sizeof(double), *h);
    *h = hash_of((void *)b->event_t, (size_t)b->event_first[count] * sizeof(double), *h);
    *h = hash_of((void *)b->sentence, count * sizeof *b->sentence, *h);
    *h = hash_of((void *)b->text, (size_t)b->text_length, *h);
    return 0;
}

/* 1 to 8 workers, and the blocks one by one, in any order: the same bits.  e = 1 .. 1.2 fails on the way. */
static void bits_do_not_depend_on_workers(void **state) {
    static const int workers[] = {1, 2, 3, 8};
    const double times[] = {0, 1, 2.5, 7};
    keel_model *m = model_of(kepler);
    keel_plan *p = plan_of(m, "e", "0.1:1.2:2500");
    uint64_t first[3] = {0};
    (void)state;
    for (int k = 0; k < 4; k++) {
        keel_ensemble_options o = {.run = {.method = "bs32", .rtol = 1e-3, .max_steps = 200},
                                   .times = times,
                                   .count = 4,
                                   .extrema = 1,
                                   .event = "up",
                                   .workers = workers[k]};
        keel_ensemble *e = ensemble_of(m, p, &o);
        assert_int_equal(keel_ensemble_blocks(e), 3);
        if (k == 1)
            for (int64_t i = 2; i >= 0; i--) {
                uint64_t h = 0;
                assert_int_equal(keel_ensemble_run(e, i, i + 1, hash_block, &h), KEEL_OK);
                assert_true(h == first[i]);
            }
        for (int64_t i = 0; i < 3; i++) {
            uint64_t h = 0;
            assert_int_equal(keel_ensemble_run(e, i, i + 1, hash_block, &h), KEEL_OK);
            if (k == 0) first[i] = h;
            assert_true(h == first[i]);
        }
        keel_ensemble_close(e);
    }
    keel_plan_close(p);
    keel_model_close(m);
}

/* Blocks of a run that is stopped are whole: what lies in the memory of a block may be of one before it. */
struct stopped {
    volatile int stop;
    int64_t after, blocks;
};

static int is_whole(void *user, const keel_block *b) {
    struct stopped *s = user;
    for (int i = 0; i < b->count; i++)
        if (b->status[i] != KEEL_OK || b->t[i] != 3 || b->sentence[i] >= 0)
            fail_msg("block %d, member %d: status %d, t = %g", (int)b->index, i, b->status[i], b->t[i]);
    if (++s->blocks == s->after) s->stop = 1;
    return 0;
}

static void blocks_of_a_stopped_run_are_whole(void **state) {
    keel_model *m = model_of("param k = 1\nvar x\nx' = -k*x\ninit x = 1\nrun 0 .. 3\n");
    keel_plan *p = plan_of(m, "k", "0.5:2:40000");
    (void)state;
    for (int k = 0; k < 60; k++) {
        struct stopped s = {.after = 1 + k % 20};
        keel_ensemble_options o = {.run = {.method = "rk4", .step = 0.1, .stop = &s.stop},
                                   .workers = 1 + k % 3};
        keel_ensemble *e = ensemble_of(m, p, &o);
        assert_int_equal(keel_ensemble_run(e, 0, keel_ensemble_blocks(e), is_whole, &s), KEEL_STOPPED);
        assert_true(s.blocks >= s.after && s.blocks < keel_ensemble_blocks(e));
        keel_ensemble_close(e);
    }
    keel_plan_close(p);
    keel_model_close(m);
}

static void failures_leave_others_alone(void **state) {
    static struct gathered g;
    keel_model *m = model_of("param a = 1, b = 1/(a - 3)\nvar x\nx' = a*x^2 + 0*b\ninit x = sqrt(a + 1)\n"
                             "run 0 .. 0.5\n");
    keel_plan *p = plan_of(m, "a", "0.1,-2,3,5,0.2");
    keel_ensemble *e = ensemble_of(m, p, &(keel_ensemble_options){.workers = 2});
    (void)state;
    memset(&g, 0, sizeof g);
    assert_int_equal(keel_ensemble_run(e, 0, 1, gather, &g), KEEL_OK);
    assert_int_equal(g.failed, 3);
    assert_true(g.status[0] == KEEL_OK && g.status[4] == KEEL_OK);
    assert_true(isfinite(g.value[0]) && isfinite(g.value[4]));
    for (int i = 1; i < 4; i++) assert_true(isnan(g.value[i]) && g.sentence[i][0]);
    assert_null(missing_word(g.sentence[1], "start value|`x`"));
    assert_null(missing_word(g.sentence[2], "parameter|`b`"));
    keel_ensemble_close(e);
    keel_plan_close(p);
    keel_model_close(m);
}

/* An invariant that is one for some values alone: the members for which it is none are refused before they
 * run, as a run of their own is; also where everything rests at the start, and where nobody measures. */
static void are_verified(const char *method, double step) {
    static struct gathered g;
    keel_model *m = model_of("param c = 0\nvar x, v\nx' = v\nv' = -x - c*v\ninvariant size = x^2 + v^2\n"
                             "init x = 1, v = 0.5\nrun 0 .. 1\n");
    keel_plan *p = plan_of(m, "c v", "0,0.1,0 0.5,0");
    keel_ensemble *e = ensemble_of(m, p, &(keel_ensemble_options){.run = {.method = method, .step = step}});
    memset(&g, 0, sizeof g);
    assert_int_equal(keel_ensemble_run(e, 0, 1, gather, &g), KEEL_OK);
    for (int i = 0; i < 6; i++) {
        int wrong = i == 2 || i == 3; /* i = 3: at v = 0 it rests for a moment */
        if ((g.status[i] < 0) != wrong) fail_msg("member %d: %s", i, g.sentence[i]);
        if (wrong) assert_null(missing_word(g.sentence[i], "`size`|not conserved"));
        if (wrong && strstr(g.sentence[i], "seemed")) fail_msg("member %d has run: %s", i, g.sentence[i]);
    }
    keel_ensemble_close(e);
    keel_plan_close(p);
    keel_model_close(m);
}

static void invariants_are_verified_for_every_member(void **state) {
    (void)state;
    are_verified(NULL, 0);
    are_verified("rk4+none", 0.01);
    are_verified("rk4+watch", 0.01);
}

static void wrong_names_are_refused(void **state) {
    static const struct {
        const char *name, *words;
    } wrong[] = {
        {"n", "`n`|how many equations"}, {"z", "`z`"}, {"q", "`q`|element"}, {"2*a", "`2*a`|parameter"}};
    keel_model *m = model_of("param n = 2, a = 1\nvar q[1..n]\nfor i in 1..n: q[i]' = -a*q[i]\n"
                             "for i in 1..n: init q[i] = i\nrun 0 .. 1\n");
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        keel_variation *v = keel_vary_open(m, 1, &wrong[i].name);
        assert_int_equal(keel_vary_status(v), KEEL_EINVAL);
        const char *word = missing_word(keel_vary_message(v), wrong[i].words);
        if (word) fail_msg("no \"%s\" in \"%s\"", word, keel_vary_message(v));
        keel_vary_close(v);
    }
    keel_model_close(m);
}

/* Columns at times, extrema and events of a motion that is known: x = A cos t. */
static int check_cosine(void *user, const keel_block *b) {
    (void)user;
    for (int i = 0; i < b->count; i++) {
        double size = 1 + i;
        assert_below(fabs(b->value[3 * i] - size), 1e-12);
        assert_below(fabs(b->value[3 * i + 1] - size * cos(1)), 1e-8 * size);
        assert_below(fabs(b->value[3 * i + 2] - size * cos(6)), 1e-8 * size);
        assert_within(b->low[i], -size * (1 + 1e-8), -0.98 * size);
        assert_within(b->high[i], size, size * (1 + 1e-8));
        assert_below(fabs(b->mean[i] - size * sin(6) / 6), 0.02 * size);
        assert_int_equal(b->event_first[i + 1] - b->event_first[i], 1);
        assert_below(fabs(b->event_t[b->event_first[i]] - 1.5 * acos(-1)), 1e-8);
        assert_below(fabs(b->event_value[b->event_first[i]]), 1e-8 * size);
        assert_true(b->t[i] == 6 && b->status[i] == KEEL_OK);
    }
    return 0;
}

static void what_is_kept_is_what_the_run_shows(void **state) {
    const double times[] = {0, 1, 6};
    keel_model *m =
        model_of("var x, v\nx' = v\nv' = -x\ninit x = 1, v = 0\nevent up: x rising -> record\nrun 0 .. 6\n");
    keel_plan *p = plan_of(m, "x", "1:5:5");
    keel_ensemble_options o = {.run = {.rtol = 1e-10, .max_step = 0.1},
                               .times = times,
                               .count = 3,
                               .extrema = 1,
                               .event = "up",
                               .columns = "x"};
    keel_ensemble *e = ensemble_of(m, p, &o);
    (void)state;
    assert_int_equal(keel_ensemble_run(e, 0, 1, check_cosine, NULL), KEEL_OK);
    keel_ensemble_close(e);
    o.columns = "x, w";
    e = keel_ensemble_open(m, p, &o);
    assert_null(missing_word(keel_ensemble_message(e), "`w`"));
    keel_ensemble_close(e);
    o.columns = NULL, o.event = "down";
    e = keel_ensemble_open(m, p, &o);
    assert_null(missing_word(keel_ensemble_message(e), "no event|`down`"));
    keel_ensemble_close(e);
    keel_plan_close(p);
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_have_the_bits_of_single_runs),
        cmocka_unit_test(bits_do_not_depend_on_workers),
        cmocka_unit_test(failures_leave_others_alone),
        cmocka_unit_test(blocks_of_a_stopped_run_are_whole),
        cmocka_unit_test(invariants_are_verified_for_every_member),
        cmocka_unit_test(wrong_names_are_refused),
        cmocka_unit_test(what_is_kept_is_what_the_run_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
