/* chain_by_hand.h - the hanging chain of problems/chain.c as one would write it for itself: rk4, then
 * positions and velocities projected, all solves tridiagonal. */
#ifndef KEEL_BENCH_CHAIN_BY_HAND_H
#define KEEL_BENCH_CHAIN_BY_HAND_H

/* u: x, y and their rates, n each.  Returns the largest | |d|^2 - 1 | / 2 that was left, or -1: no memory. */
double chain_by_hand(int n, double *u, double h, int steps);
#endif
