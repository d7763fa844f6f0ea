/* peer.h - who runs: one interface for loops by hand, keel, GSL, Boost.odeint and SUNDIALS. */
#ifndef KEEL_BENCH_PEER_H
#define KEEL_BENCH_PEER_H

#include "cases/case.h"

#ifdef __cplusplus
extern "C" {
#endif

struct peer_row;

/* Called with the start and after each step. */
typedef void peer_observer(void *to, double t, const double *u);

struct peer_run {
    peer_observer *observe; /* NULL: nobody, as in runs that are timed */
    void *to;
    double *u;               /* the end, n of them */
    long steps, evaluations; /* of the right-hand side; of taylor: series */
    double bytes;            /* that the state of the solver takes; 0: it does not tell */
};

struct peer {
    const char *name;
    /* setting: the number of steps if the row has an order, else the tolerance.  What is prepared once is
     * prepared here.  NULL: it does not take this problem, or is not there. */
    void *(*open)(const struct bench_case *c, const struct peer_row *row, double setting);
    int (*run)(void *opened, struct peer_run *r); /* from the start to the end; < 0: it gave up */
    void (*close)(void *opened);
};
extern const struct peer peer_hand, peer_keel, peer_model, peer_gsl, peer_odeint, peer_sundials;

/* One row of the table. */
struct peer_row {
    const struct peer *peer;
    const char *method;
    unsigned on;            /* kinds of cases */
    int order;              /* with fixed steps, and this order; 0: steps by tolerance */
    const char *stabilizer; /* of keel */
    int compensated;
    int no_energy; /* constraints are kept, the energy is not */
};
const struct peer_row *peer_row_at(int i); /* NULL past the last */

/* What there is to know about how the peers were compiled; "" if all is as it should be. */
extern const char *const peer_sundials_note;
/* Models are interpreted, for runs that only try whether everything works. */
extern int peer_model_interpret;

#ifdef __cplusplus
}
#endif
#endif
