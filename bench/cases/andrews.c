/* andrews.c - Andrews' squeezing mechanism to t = 0.03: seven angles, three loops, a mass matrix M(q). */
#include "cases/andrews.h"
#include "cases/case.h"
#include "cases/hand.h"

#include <string.h>

static int rate(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    andrews_rate(u, out);
    return 0;
}

/* For those who take the mechanism as it is: each sine once, where problems/andrews.c has tables of waves. */
static int loops(double t, const double *q, double *out, void *user) {
    (void)t, (void)user;
    const double rr = 0.007, d = 0.028, ss = 0.035, e = 0.02, zt = 0.04;
    struct andrews_place p;
    andrews_turn_loops(&p, q);
    double x = rr * p.crank[1] - d * p.rod[1], y = rr * p.crank[0] - d * p.rod[0];
    out[0] = x - ss * p.rocker[0] + 0.03635;
    out[1] = y + ss * p.rocker[1] - 0.03273;
    out[2] = x - e * p.left_sum[0] - zt * p.left[1] + 0.06934;
    out[3] = y + e * p.left_sum[1] - zt * p.left[0] + 0.00227;
    out[4] = x - e * p.right_sum[1] - zt * p.right[0] + 0.06934;
    out[5] = y - e * p.right_sum[0] + zt * p.right[1] + 0.00227;
    return 0;
}

static int jacobian(double t, const double *q, double *out, void *user) {
    (void)t, (void)user;
    struct andrews_place p;
    andrews_turn_loops(&p, q);
    andrews_jacobian(&p);
    memcpy(out, p.jacobian, sizeof p.jacobian);
    return 0;
}

static int curvature(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    struct andrews_place p;
    andrews_turn_loops(&p, u);
    andrews_curvature(&p, u + ANDREWS_ANGLES, out);
    return 0;
}

static void rk4(double *u, double h, long steps, void *user) {
    (void)user;
    hand_rk4(2 * ANDREWS_ANGLES, andrews_rate, NULL, u, h, steps);
}

static const struct case_hand hand[] = {{"rk4", 4, rk4}, {NULL, 0, NULL}};

/* Each evaluation waits for the one before it, as those of a method do. */
static void work(long count) {
    static volatile double result;
    double u[2 * ANDREWS_ANGLES] = {
        2.160113131531527, -1.883364231107044, 0.158516758001227, -0.32864107517467, 0.525154774797729,
        0.32864107517467,  1.068427204632401,  711.923152831104,  -786.77008085994,  -136.43819137812,
        -240.293029267865, 4.79154822537105,   240.293029267865,  -41.1405669616105};
    double out[2 * ANDREWS_ANGLES];
    for (long k = 0; k < count; k++) {
        andrews_rate(u, out);
        u[0] += 1e-30 * out[ANDREWS_ANGLES];
    }
    result = u[0];
    (void)result;
}

void case_andrews(struct bench_case *c) {
    *c = (struct bench_case){.name = "andrews",
                             .about = "Andrews' mechanism, index 3, to t = 0.03",
                             .right = CASE_ANDREWS,
                             .kind = CASE_MECHANICS,
                             .keel = &c->p.keel,
                             .rate = rate,
                             .model = "andrews",
                             .t_end = 0.03,
                             .compared = ANDREWS_ANGLES,
                             .hand = hand,
                             .unit = "an evaluation of the hand-written right-hand side",
                             .work = work,
                             .units = 4000,
                             .coarsest = 30,
                             .patience = 0.25};
    problem_andrews(&c->p);
    c->p.keel.constraint.value = loops;
    c->p.keel.constraint.jacobian = jacobian;
    c->p.keel.curvature = curvature;
    for (int i = 0; i < c->p.references; i++)
        if (c->p.reference[i].t == c->t_end) c->answer = c->p.reference[i].u;
}
