/* converge.h - errors of a method while its step is halved, and the order they show. */
#ifndef KEEL_CLI_COMPARE_CONVERGE_H
#define KEEL_CLI_COMPARE_CONVERGE_H

#include "cli/run/trial.h"
#include "cli/run/yardstick.h"

enum { CONVERGE_MOST = 20 }; /* levels */

struct converge_level {
    double step;
    struct trial trial; /* `each` has the errors */
};
struct converge {
    int levels, columns;
    struct converge_level level[CONVERGE_MOST];
    const char **name;        /* [columns], of the model */
    double *local;            /* [levels][columns] the order from the level before to this one; NAN */
    unsigned char *at_floor;  /* [levels][columns] round-off is reached */
    double *order;            /* [columns] of the finest two levels well above the floor; NAN */
    unsigned char *floor_met; /* [columns] */
    int method_order;
    double finest; /* the yardstick's step where it is a run; 0: it is exact */
    struct yardstick yardstick;
};

/* Runs all levels.  0, or an exit status.  converge_close in any case. */
int converge_run(struct converge *c, struct job *j);
void converge_close(struct converge *c);
/* Of the first level that lacks values; NULL: none does. */
const struct missing *converge_missing(const struct converge *c);
void converge_text(const struct converge *c, const struct job *j, FILE *out);
void converge_json(const struct converge *c, const struct job *j, const char *status, int exit_status,
                   FILE *out);
#endif
