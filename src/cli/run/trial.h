/* trial.h - one run of many: what compare, converge and the tighter rerun want to know of it, with its error
 * against a yardstick. */
#ifndef KEEL_CLI_RUN_TRIAL_H
#define KEEL_CLI_RUN_TRIAL_H

#include "cli/run/record.h"

enum trial_status { TRIAL_DONE, TRIAL_STOPPED, TRIAL_INTERRUPTED, TRIAL_FAILED, TRIAL_REFUSED };

struct trial {
    enum trial_status status;
    char message[JOB_SENTENCE];
    char stabilizer[JOB_WORD]; /* what `auto` has become */
    int columns;
    const char **name; /* [columns], of the model */
    double *each;      /* [columns] the largest error over the output times; NAN: none */
    double *largest;   /* [columns] |value| */
    double error;      /* the largest of all; NAN: nothing was compared */
    int worst;
    double worst_t;
    double apart_t, other_t; /* of record_match */
    int stays_apart;         /* most rows after apart_t are as far apart */
    keel_defect scanned;     /* the largest of a scan; without samples: there was none */
    double longest;          /* step that a scan has seen */
    double drift, units;     /* the largest of all kept and watched rows; NAN: not measured */
    keel_stats stats;
    double *end; /* [columns] where it ended */
    double end_t;
    long end_events;
    double wall_s; /* with the output; trial_cost is without */
    struct missing missing;
};

struct yardstick;

/* At most `most` steps (0: no bound).  Errors are taken at the times of the yardstick.  into: keeps
 * the rows; may be NULL.  trial_close in any case. */
void trial_run(struct trial *r, struct job *j, const keel_options *o, const struct yardstick *y,
               struct record *into, long most);
/* At the times of a record, compared with it alone.  into: keeps the rows; may be NULL.  places: so many,
 * evenly over the run, at which the defect is looked at; 0: none. */
void trial_beside(struct trial *r, struct job *j, const keel_options *o, const struct record *with,
                  struct record *into, long places);
/* The same run without any output, as it counts: seconds, the least of some short ones, and its statistics.
 * 0, or -1: it was interrupted. */
int trial_cost(struct job *j, const keel_options *o, long most, double *seconds, keel_stats *stats);
const char *trial_word(enum trial_status status);
void trial_close(struct trial *r);
#endif
