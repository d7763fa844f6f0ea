/* outer.h - the forces between the sun and five planets, for all who have them inlined. */
#ifndef KEEL_BENCH_OUTER_H
#define KEEL_BENCH_OUTER_H

#include <math.h>

enum { OUTER_BODIES = 6 };

static const double outer_mass[OUTER_BODIES] = {1.00000597682,      0.000954786104043,  0.000285583733151,
                                                0.0000437273164546, 0.0000517759138449, 1 / 1.3e8};

static inline void outer_forces(double q[OUTER_BODIES][3], double force[OUTER_BODIES][3]) {
    for (int i = 0; i < OUTER_BODIES; i++) force[i][0] = force[i][1] = force[i][2] = 0;
    for (int i = 0; i < OUTER_BODIES; i++)
        for (int j = i + 1; j < OUTER_BODIES; j++) {
            double d[3] = {q[i][0] - q[j][0], q[i][1] - q[j][1], q[i][2] - q[j][2]};
            double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            double pull = 2.95912208286e-4 * outer_mass[i] * outer_mass[j] / (square * sqrt(square));
            for (int c = 0; c < 3; c++) force[i][c] -= pull * d[c], force[j][c] += pull * d[c];
        }
}
#endif
