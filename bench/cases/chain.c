/* chain.c - a chain of 10 to 10000 rods that is released level, from 0 to 1: does the cost of a step grow as
 * the number of rods does, and what does an accuracy cost beside a program written for nothing but this
 * chain?  By hand that is rk4, then positions and velocities projected, all solves tridiagonal; the energy is
 * not kept.
 *
 * The answer is found by dop853 from the right-hand side by hand, with a tolerance far below the errors that
 * are sought.  Other methods come as near to it as round-off lets them, and so does keel from the
 * constraints, whose multipliers it finds by itself. */
#include "cases/chain.h"
#include "cases/case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What an open case has. */
struct opened {
    struct chain_hand hand;
    problem_chain *problem;
    double *workspace, *answer;
};

static int rate(double t, const double *u, double *out, void *user) {
    (void)t;
    chain_rate(user, u, out);
    return 0;
}

/* Positions by Newton's iteration with one matrix, then velocities with that of the corrected positions. */
static void project(struct chain_hand *c, double *u) {
    int n = c->n;
    chain_rods(c, u, u + n);
    chain_factor(c);
    for (int iteration = 0; iteration < 10; iteration++) {
        double left = 0;
        for (int i = 0; i < n; i++) {
            c->r[i] = 0.5 * (c->a[i] * c->a[i] + c->b[i] * c->b[i] - 1);
            left = fabs(c->r[i]) > left ? fabs(c->r[i]) : left;
        }
        if (left <= 1e-16 * n && iteration) break;
        chain_solve(c);
        chain_pull(c, u, u + n);
        chain_rods(c, u, u + n);
    }
    chain_factor(c);
    double *vx = u + 2 * n, *vy = u + 3 * n;
    c->r[0] = c->a[0] * vx[0] + c->b[0] * vy[0];
    for (int i = 1; i < n; i++) c->r[i] = c->a[i] * (vx[i] - vx[i - 1]) + c->b[i] * (vy[i] - vy[i - 1]);
    chain_solve(c);
    chain_pull(c, vx, vy);
}

/* S is factored five times a step: at four stages, of which the first shares it with the velocities before,
 * and at the predicted positions, where Newton's iteration keeps it. */
static void step(struct chain_hand *c, double *u, double h) {
    static const double ahead[] = {0, 0.5, 0.5, 1}, part[] = {1, 2, 2, 1};
    int all = 4 * c->n;
    for (int s = 0; s < 4; s++) {
        if (s) {
            for (int i = 0; i < all; i++) c->stage[i] = u[i] + h * ahead[s] * c->k[i];
            chain_rate(c, c->stage, c->k);
        } else chain_rate_there(c, u, c->k);
        for (int i = 0; i < all; i++) c->f[i] = (s ? c->f[i] : 0) + part[s] * c->k[i];
    }
    for (int i = 0; i < all; i++) u[i] += h / 6 * c->f[i];
    project(c, u);
}

static void rk4(double *u, double h, long steps, void *user) {
    struct chain_hand *c = user;
    chain_rods(c, u, u + c->n);
    chain_factor(c);
    for (long i = 0; i < steps; i++) step(c, u, h);
}

static const struct case_hand hand[] = {{"rk4+project", 4, rk4}, {NULL, 0, NULL}};

/* c->user is the hand, the first of what is opened. */
static void close_chain(struct bench_case *c) {
    struct opened *o = c->user;
    if (!o) return;
    problem_chain_close(o->problem);
    free(o->workspace);
    free(o->answer);
    free(o);
    c->user = NULL;
    c->keel = NULL;
    c->answer = NULL;
}

/* The right-hand side by hand loses none of what the chain keeps, or it is not that of the chain. */
static int is_of_chain(const struct bench_case *c, const double *answer) {
    struct case_drift *d = case_drift_open(c);
    if (!d) return 0;
    case_drift_observe(d, c->keel->t0, c->keel->u0);
    case_drift_observe(d, c->t_end, answer);
    double units = case_drift_units(d);
    case_drift_close(d);
    if (units > 1e9) fprintf(stderr, "%s: the answer is off the constraints or the energy\n", c->name);
    return units <= 1e9;
}

static int find_answer(const struct bench_case *c, double *answer) {
    keel_problem p = {.form = KEEL_ODE, .n = c->keel->n, .u0 = c->keel->u0, .user = c->user};
    p.f = (keel_map){.count = p.n, .value = rate};
    double tolerance = fmax(1e-4 * c->finest, 1e-14);
    keel_options o = {.method = "dop853", .rtol = tolerance, .atol = tolerance};
    keel_solver *s = keel_open(&p, &o);
    keel_status status = keel_run(s, c->t_end);
    if (status == KEEL_OK) memcpy(answer, keel_state(s), (size_t)p.n * sizeof *answer);
    else fprintf(stderr, "%s: %s\n", c->name, keel_message(s));
    keel_close(s);
    return status == KEEL_OK && is_of_chain(c, answer) ? 0 : -1;
}

static int open_chain(struct bench_case *c) {
    size_t n = (size_t)c->size;
    struct opened *o = c->user = calloc(1, sizeof *o);
    if (!o) return -1;
    o->problem = problem_chain_open(c->size, 0);
    o->workspace = calloc(17 * n, sizeof *o->workspace);
    o->answer = calloc(4 * n, sizeof *o->answer);
    if (o->problem && o->workspace && o->answer) {
        double *workspace = o->workspace;
        o->hand = (struct chain_hand){
            .n = c->size, .a = workspace, .b = workspace + n, .inverse = workspace + 2 * n};
        o->hand.beside = workspace + 3 * n, o->hand.r = workspace + 4 * n, o->hand.stage = workspace + 5 * n;
        o->hand.f = workspace + 9 * n, o->hand.k = workspace + 13 * n;
        c->keel = &o->problem->keel;
        c->answer = o->answer;
        if (find_answer(c, o->answer) == 0) return 0;
    }
    close_chain(c);
    return -1;
}

/* Positions of 1000 and more have no 1e-12; longer chains begin nearer to the errors that are sought, for
 * time. */
static const struct size {
    int links;
    const char *name, *about, *set;
    double coarsest, loosest, finest, patience;
} sizes[] = {
    {10, "chain-10", "A chain of 10 rods, index 3, to t = 1", "N=10", 100, 0, 0, 0.25},
    {100, "chain-100", "A chain of 100 rods, index 3, to t = 1", "N=100", 100, 0, 0, 1},
    {1000, "chain-1000", "A chain of 1000 rods, index 3, to t = 1", "N=1000", 100, 1e-5, 1e-9, 2},
    {10000, "chain-10000", "A chain of 10000 rods, index 3, to t = 1", "N=10000", 300, 1e-5, 1e-6, 5}};

void case_chain(struct bench_case *c, int links) {
    const struct size *size = sizes;
    while (size->links != links) size++;
    *c = (struct bench_case){.name = size->name,
                             .about = size->about,
                             .right = CASE_CHAIN,
                             .kind = CASE_LARGE,
                             .rate = rate,
                             .model = "chain",
                             .set = size->set,
                             .t_end = 1,
                             .compared = 2 * links,
                             .hand = hand,
                             .unit = "a step of the hand-written rk4 with projection",
                             .unit_step = 1e-3,
                             .units = links < 4000 ? 40000 / links : 10,
                             .coarsest = size->coarsest,
                             .loosest = size->loosest,
                             .patience = size->patience,
                             .finest = size->finest,
                             .size = links,
                             .open = open_chain,
                             .close = close_chain};
}
