/* outer.c - the sun, Jupiter, Saturn, Uranus, Neptune and Pluto over 10^5 days (Hairer, Lubich, Wanner:
 * Geometric Numerical Integration, I.2.4), in astronomical units, days and solar masses.
 *
 * The positions at the end are those of a Taylor series in long double at a tolerance of 1e-21. */
#include "cases/outer.h"

#include "cases/case.h"

static const char text[] =
    "model outer\n"
    "param G = 2.95912208286e-4\n"
    "let m = (1.00000597682, 0.000954786104043, 0.000285583733151, 0.0000437273164546, 0.0000517759138449, "
    "1/1.3e8)\n"
    "canonical q[1..6][1..3], p[1..6][1..3]\n"
    "hamiltonian sum(i in 1..6, dot(p[i], p[i])/(2*m[i])) - sum(i in 1..6, j in i+1..6, "
    "G*m[i]*m[j]/norm(q[i] - q[j]))\n"
    "invariant energy\n"
    "init q[1] = (0, 0, 0), p[1] = (0, 0, 0)\n"
    "init q[2] = (-3.5023653, -3.8169847, -1.5507963), p[2] = m[2]*(0.00565429, -0.00412490, -0.00190589)\n"
    "init q[3] = (9.0755314, -3.0458353, -1.6483708), p[3] = m[3]*(0.00168318, 0.00483525, 0.00192462)\n"
    "init q[4] = (8.3101420, -16.2901086, -7.2521278), p[4] = m[4]*(0.00354178, 0.00137102, 0.00055029)\n"
    "init q[5] = (11.4707666, -25.7294829, -10.8169456), p[5] = m[5]*(0.00288930, 0.00114527, 0.00039677)\n"
    "init q[6] = (-15.5387357, -25.2225594, -3.1902382), p[6] = m[6]*(0.00276725, -0.00170702, -0.00136504)\n"
    "run 0 .. 100000\n";

/* The forces of all pairs; each evaluation waits for the one before it, as those of a method do. */
static void work(long count) {
    static volatile double result;
    double q[OUTER_BODIES][3] = {{0, 0, 0},
                                 {-3.5023653, -3.8169847, -1.5507963},
                                 {9.0755314, -3.0458353, -1.6483708},
                                 {8.3101420, -16.2901086, -7.2521278},
                                 {11.4707666, -25.7294829, -10.8169456},
                                 {-15.5387357, -25.2225594, -3.1902382}};
    for (long k = 0; k < count; k++) {
        double force[OUTER_BODIES][3];
        outer_forces(q, force);
        for (int i = 0; i < OUTER_BODIES; i++)
            for (int c = 0; c < 3; c++) q[i][c] += 1e-9 * force[i][c];
    }
    result = q[0][0];
    (void)result;
}

void case_outer(struct bench_case *c) {
    static const double end[] = {0.61972240118581445323,  -0.24836361562713779594, -0.12450681490122868234,
                                 -0.61062886946113692499, -5.0071316336284885651,  -2.1335889587892111763,
                                 0.4154657294165632897,   8.0727587902944630827,   3.325166069868790153,
                                 19.280176007538941008,   6.3718593373676464253,   2.5115110518767149728,
                                 -29.324410741075489284,  3.3556636337103378231,   2.096386578642061238,
                                 14.121353432024388752,   -28.711526331435671011,  -13.079588559285879157};
    *c = (struct bench_case){.name = "outer",
                             .about = "The outer solar system, six bodies, 10^5 days",
                             .model = "outer",
                             .text = text,
                             .t_end = 100000,
                             .answer = end,
                             .compared = 3 * OUTER_BODIES,
                             .unit = "an evaluation of the hand-written forces",
                             .work = work,
                             .units = 2000};
}
