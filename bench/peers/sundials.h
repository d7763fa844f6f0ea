/* sundials.h - the two solvers of SUNDIALS behind one peer. */
#ifndef KEEL_BENCH_SUNDIALS_H
#define KEEL_BENCH_SUNDIALS_H

#include "peers/peer.h"

struct sundials_ida;
struct sundials_ida *sundials_ida_open(const struct bench_case *c, double rtol); /* NULL: not its problem */
int sundials_ida_run(struct sundials_ida *s, struct peer_run *r);
void sundials_ida_close(struct sundials_ida *s);

struct sundials_cvode;
/* Adams with functional iteration on the ODE, or BDF, the only family that is projected, with Newton's. */
struct sundials_cvode *sundials_cvode_open(const struct bench_case *c, int project, double rtol);
int sundials_cvode_run(struct sundials_cvode *s, struct peer_run *r);
void sundials_cvode_close(struct sundials_cvode *s);
#endif
