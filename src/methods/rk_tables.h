/* rk_tables.h - the explicit Runge-Kutta methods as data; formulas and references are in rk_tables.c. */
#ifndef KEEL_RK_TABLES_H
#define KEEL_RK_TABLES_H

#include "keel/explicit.h"

extern const keel_rk rk_euler;    /* order 1 */
extern const keel_rk rk_midpoint; /* order 2 */
extern const keel_rk rk_heun;     /* order 2 */
extern const keel_rk rk_rk4;      /* order 4 */
extern const keel_rk rk_bs32;     /* order 3, estimate 2 */
extern const keel_rk rk_dopri5;   /* order 5, estimate 4, dense 4 */
extern const keel_rk rk_dop853;   /* order 8, estimates 5 and 3, dense 7 */
extern const keel_rk rk_rkf78;    /* order 8, estimate 7 */
extern const keel_rk rk_rkf78_7;  /* order 7, estimate 8: the stages of rk_rkf78 */

#endif
