/* henon_heiles.c - the regular orbit of energy 1/12 to t = 50000.
 *
 * The answer is that of the start as it is rounded, by Taylor series in quadruple precision: order 30 with
 * 200000 steps and order 24 with 320000 agree to 27 digits. */
#include "cases/henon_heiles.h"
#include "cases/case.h"
#include "cases/hand.h"

static int rate(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    henon_heiles_rate(u, out);
    return 0;
}

static void rk4(double *u, double h, long steps, void *user) {
    (void)user;
    hand_rk4(4, henon_heiles_rate, NULL, u, h, steps);
}

static void kahan_li8(double *u, double h, long steps, void *user) {
    (void)user;
    hand_kahan_li8(2, henon_heiles_rate, u, h, steps);
}

static const struct case_hand hand[] = {{"rk4", 4, rk4}, {"kahan-li8", 8, kahan_li8}, {NULL, 0, NULL}};

/* examples/henon.keel without its event, which would ask for single steps. */
static const char text[] = "param E0 = 1/12, y0 = 0.45\ncanonical q[1..2], p[1..2]\n"
                           "hamiltonian H = (dot(p, p) + dot(q, q))/2 + q[1]^2*q[2] - q[2]^3/3\n"
                           "invariant energy\ninit q = (0, y0), p = (sqrt(2*E0 - y0^2 + 2*y0^3/3), 0)\n"
                           "run 0 .. 300\n";

void case_henon_heiles(struct bench_case *c) {
    static const double end[] = {0.121038955205184062973, 0.195119263606137567005, 0.325871059090545979882,
                                 0.0835938253830203781526};
    *c = (struct bench_case){.name = "henon-heiles",
                             .about = "Henon-Heiles, regular orbit, to t = 50000",
                             .right = CASE_HENON_HEILES,
                             .kind = CASE_ODE,
                             .keel = &c->p.keel,
                             .rate = rate,
                             .model = "henon",
                             .text = text,
                             .t_end = 50000,
                             .answer = end,
                             .compared = 4,
                             .hand = hand,
                             .unit = "a step of the hand-inlined rk4 loop",
                             .unit_step = 0.01,
                             .units = 4000,
                             .coarsest = 60000,
                             .patience = 1};
    problem_henon_heiles(&c->p);
    c->p.keel.f.value = rate;
}
