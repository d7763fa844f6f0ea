/* lanes.h - members side by side in the lanes of a vector: every result has the bits of members run one by
 * one, whatever the lanes and the workers, for fixed and adaptive steps, rows left alone, watched and kept,
 * with failures among the members and runs of different length. */
#ifndef KEEL_TESTS_LANES_H
#define KEEL_TESTS_LANES_H

#include "testing.h"

#include "cache.h"
#include "model_run.h"

#include <keel/ensemble.h>

/* Members end at different times (T depends on what varies), their number is no multiple of the lanes, and
 * some fail: in the Kepler problem s = 0 falls into the centre, and e = 1 has no start. */
static const char kepler[] =
    "param e = 0.3, s = 1, T = 2 + 3*e\ncanonical q[1..2], p[1..2]\nhamiltonian dot(p, p)/2 - 1/norm(q)\n"
    "invariant energy\ninvariant momentum = q[1]*p[2] - q[2]*p[1]\n"
    "init q = (1 - e, 0), p = (0, s*sqrt((1 + e)/(1 - e)))\nrun 0 .. T\n";
/* Steps so long that attempts are rejected and no way leads back to the manifold: whoever repeats one begins
 * with the sizes of rows that it had. */
static const char orbits[] =
    "param e = 0.3\ncanonical q[1..2], p[1..2]\nhamiltonian dot(p, p)/2 - 1/norm(q)\ninvariant energy\n"
    "invariant momentum = q[1]*p[2] - q[2]*p[1]\ninit q = (1 - e, 0), p = (0, sqrt((1 + e)/(1 - e)))\n"
    "run 0 .. 30\n";
/* An elementary function, a parameter in f, one row, an odd number of states. */
static const char swing[] = "param g = 2\nvar x, v, w\nx' = v\nv' = -g*sin(x) + 0*w\nw' = cos(t)\n"
                            "invariant first = v^2/2 - g*cos(x)\ninit x = 1, v = 0, w = 0\nrun 0 .. 4\n";
/* Four rows of six states: energy and angular momentum in space, nearly dependent at times. */
static const char space[] =
    "param e = 0.3, i = 0.4\ncanonical q[1..3], p[1..3]\nhamiltonian dot(p, p)/2 - 1/norm(q)\n"
    "invariant energy\ninvariant m1 = q[2]*p[3] - q[3]*p[2]\ninvariant m2 = q[3]*p[1] - q[1]*p[3]\n"
    "init q = (1 - e, 0, 0.1), p = (0, cos(i), sin(i))\nrun 0 .. 3\n";
/* The collision of half of the members is a division by zero, and no projection has anything to do there. */
static const char race[] = "param c = 1\nvar x\nx' = c*x^2\ninit x = 1\nrun 0 .. 2\n";

/* Index 3: a mass on a rod of any length, energy kept; near the top it hardly goes over. */
static const char pendulum[] =
    "param l = 1, s = 0.5, m = 2\ncoord x, y\nlagrangian m*(x'^2 + y'^2)/2 - m*9.81*y\n"
    "constraint rod: x^2 + y^2 = l^2\ninvariant energy\ninit y = -s*l, y' = 0\nguess x = l\nrun 0 .. 2 + l\n";
/* Two invariants beside a constraint in space; two rods, of which one end is driven, and nothing is
 * conserved; M depends on the place. */
static const char spherical[] =
    "param w = 1\ncoord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2 - z\nconstraint rod: x^2 + y^2 + z^2 = 1\n"
    "invariant energy\ninvariant momentum = x*y' - y*x'\ninit x = 0.6, y = 0, x' = 0, y' = w, z' = 0\n"
    "guess z = -0.8\nrun 0 .. 3\n";
static const char driven[] =
    "param a = 0.3, w = 2\ncoord x, y, c\nlagrangian (1 + c^2)*(x'^2 + y'^2)/2 + c'^2 - 9.81*y - c^2\n"
    "constraint rod: (x - a*sin(w*t))^2 + y^2 = 1\nconstraint beside: c = x*y\n"
    "init x = 0.6, x' = 0\nguess y = -0.8\nrun 0 .. 3\n";

static const struct {
    const char *text, *over[2];
    keel_options o;
    int least, most; /* lanes that the short test tries; 0: none */
} cases[] = {
    {kepler, {"e=0:1:21", "s=0,1,0.9"}, {.method = "rk4+none", .step = 0.01}, 4, 4},
    {kepler, {"e=0:1:21", "s=0,1,0.9"}, {.method = "rk4+watch", .step = 0.02}, 0, 0},
    {kepler, {"e=0:1:21", "s=0,1,0.9"}, {.method = "rk4+project", .step = 0.02}, 4, 4},
    {kepler, {"e=0:1:21", "s=0,1,0.9"}, {.method = "bs32+project", .rtol = 1e-5, .max_steps = 3000}, 4, 4},
    {swing, {"g=0.5:8:23", NULL}, {.method = "bs32+watch", .rtol = 1e-5}, 4, 4},
    {swing, {"g=0.5:8:23", NULL}, {.method = "rk4+project", .step = 0.03}, 4, 4},
    {race, {"c=0.1:1:13", NULL}, {.method = "bs32+none", .rtol = 1e-5, .max_steps = 2000}, 0, 0},
    {kepler, {"e=0:1:21", "s=0,1,0.9"}, {.method = "dop853+project", .max_steps = 3000}, 0, 0},
    {kepler, {"e=0:1:21", "s=0,1,0.9"}, {.method = "dopri5+watch", .max_steps = 3000}, 0, 0},
    {space, {"e=0:0.9:19", "i=0.1,0.4"}, {.method = "rk4+project", .step = 0.02}, 0, 0},
    {space, {"e=0:0.9:19", "i=0.1,0.4"}, {.method = "dopri5+project"}, 0, 0},
    {swing, {"g=0.5:8:23", NULL}, {.method = "dop853+project"}, 0, 0},
    {pendulum, {"l=0.5:2:9", "s=-0.999:1:5"}, {.method = "rk4+project", .step = 0.02}, 4, 4},
    {pendulum, {"l=0.5:2:9", "s=-0.999:1:5"}, {.method = "bs32+project", .rtol = 1e-5}, 4, 4},
    {spherical, {"w=0:2:21", NULL}, {.method = "rk4+project", .step = 0.03}, 0, 0},
    {driven, {"a=0:0.5:5", "w=1:4:4"}, {.method = "bs32+project", .rtol = 1e-5}, 0, 0},
    {pendulum, {"l=0.5:2:9", "s=-0.999:1:5"}, {.method = "dop853+project"}, 0, 0},
    {spherical, {"w=0:2:21", NULL}, {.method = "dopri5+project"}, 0, 0},
    {driven, {"a=0:0.5:5", "w=1:4:4"}, {.method = "rk4+project", .step = 0.01}, 0, 0},
    {orbits, {"e=0.3:0.97:101", NULL}, {.method = "bs32+project", .rtol = 5e-2}, 4, 4},
    {orbits, {"e=0.3:0.97:101", NULL}, {.method = "dop853+project", .rtol = 1e-2}, 0, 0},
};
enum { CASES = sizeof cases / sizeof *cases };

struct hashed {
    uint64_t hash;
    int64_t failed, members;
};

static void add(struct hashed *h, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        h->hash = (h->hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
}

static int hash_block(void *user, const keel_block *b) {
    struct hashed *h = user;
    size_t count = (size_t)b->count, numbers = count * (size_t)b->times * (size_t)b->columns;
    add(h, b->value, numbers * sizeof(double));
    add(h, b->status, count * sizeof *b->status);
    add(h, b->steps, count * sizeof *b->steps);
    add(h, b->t, count * sizeof(double));
    add(h, b->drift, count * sizeof(double));
    add(h, b->correction, count * sizeof(double));
    add(h, b->defect, count * sizeof(double));
    add(h, b->sentence, count * sizeof *b->sentence);
    add(h, b->text, (size_t)b->text_length);
    if (b->low) add(h, b->mean, count * (size_t)b->columns * sizeof(double));
    for (int i = 0; i < b->count; i++) h->failed += b->status[i] < 0;
    h->members += b->count;
    return 0;
}

enum { ON_DEVICE = -1 }; /* in place of a number of lanes */

static struct hashed run_ensemble(keel_model *m, int k, int lanes, int workers, int kind) {
    static const double times[] = {0, 0.5, 1.23, 2};
    struct hashed h = {14695981039346656037u, 0, 0};
    keel_plan *p = keel_plan_open(m);
    for (int i = 0; i < 2 && cases[k].over[i]; i++)
        if (keel_plan_over(p, cases[k].over[i]) != KEEL_OK) fail_msg("%s", keel_plan_message(p));
    assert_int_equal(keel_plan_settle(p, NULL), KEEL_OK);
    keel_ensemble_options o = {.run = cases[k].o,
                               .lanes = lanes == ON_DEVICE ? 1 : lanes,
                               .device = lanes == ON_DEVICE,
                               .workers = workers,
                               .times = kind ? times : NULL,
                               .count = kind ? 4 : 0,
                               .extrema = kind == 2};
    keel_ensemble *e = keel_ensemble_open(m, p, &o);
    if (keel_ensemble_status(e) < 0) fail_msg("%s", keel_ensemble_message(e));
    int got = keel_ensemble_lanes(e);
    assert_int_equal(keel_ensemble_device(e), lanes == ON_DEVICE);
    if (lanes != ON_DEVICE && got != lanes && (got < 2 || got > lanes))
        fail_msg("case %d: %d lanes, not %d", k, got, lanes);
    assert_int_equal(keel_ensemble_run(e, 0, keel_ensemble_blocks(e), hash_block, &h), KEEL_OK);
    keel_ensemble_close(e);
    keel_plan_close(p);
    return h;
}

/* least, most: lanes; or ON_DEVICE, both. */
static void bits_do_not_depend_on_lanes(int k, int least, int most) {
    keel_model *m = keel_model_read("m.keel", cases[k].text, strlen(cases[k].text), NULL);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    for (int kind = 0; kind < 3; kind++) {
        struct hashed one = run_ensemble(m, k, 1, 1, kind);
        if (cases[k].text == kepler) assert_true(one.failed >= 3 && one.failed < one.members / 2);
        if (cases[k].text == race) assert_true(one.failed > 0 && one.failed < one.members);
        for (int lanes = least, more = 1; more; more = lanes > 0 && lanes < most, lanes *= 2)
            for (int workers = 1; workers <= 8; workers = 4 * workers - 1) {
                struct hashed many = run_ensemble(m, k, lanes, workers, kind);
                if (many.hash != one.hash)
                    fail_msg("case %d, kind %d: %d lanes, %d workers: other results", k, kind, lanes,
                             workers);
            }
    }
    keel_model_close(m);
}
#endif
