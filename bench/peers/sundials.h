/* sundials.h - constrained mechanics by SUNDIALS, from the same callbacks that keel is given.
 *
 * IDA solves the form stabilised after Gear, Gupta and Leimkuhler,
 *     q' = v - G^T mu,  M v' = F - G^T lambda,  0 = g,  0 = G v,
 * CVODE (BDF: the only family it projects) the ODE q' = v, v' = a(q, v) with projection of positions,
 * velocities and error estimates.  Constraints may not move in time. */
#ifndef KEEL_BENCH_SUNDIALS_H
#define KEEL_BENCH_SUNDIALS_H

#include "problems.h"

enum peers_solver { PEERS_IDA, PEERS_CVODE };

/* From the problem's start to t_end; u gets positions and velocities, drift the largest |g| or |G v| there.
 * 0, or a negative number if the solver gives up. */
int peers_run(enum peers_solver solver, const problem *p, double t_end, double rtol, double *u,
              double *drift);
#endif
