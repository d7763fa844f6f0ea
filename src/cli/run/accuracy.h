/* accuracy.h - how large the errors of a run are, and how one knows.
 *
 * Errors are measured by closed forms and trusted digits where the model has them, and always estimated by a
 * second run B with a hundredth of the tolerance, or shorter fixed steps.  B may be as blind as the run: so
 * its defect is looked at between its steps, and where it is large, or B repeats the same numbers, B is taken
 * again with steps of at most a 4000th of the run.  Where the two part, a third run C between them says why:
 * B and C agree: the run is inaccurate; they part, too: the motion is too sensitive for a path (chaos). */
#ifndef KEEL_CLI_RUN_ACCURACY_H
#define KEEL_CLI_RUN_ACCURACY_H

#include "cli/run/record.h"

enum {
    ACCURACY_PLACES = 4000,   /* two in whatever is wider than a 2000th of the run */
    ACCURACY_TOLERANCES = 100 /* a local one is asked for: errors that add up to so many are what was meant */
};

enum accuracy_yardstick { ACCURACY_EXACT, ACCURACY_REFERENCE, ACCURACY_RERUN, ACCURACY_NONE };
enum accuracy_finding {
    ACCURACY_FINE,
    ACCURACY_WRONG,        /* from the beginning on */
    ACCURACY_PARTS,        /* it leaves two tighter runs, which agree */
    ACCURACY_CHAOS,        /* these part, too */
    ACCURACY_OVERSTEPPED,  /* short steps show something that the run stepped over */
    ACCURACY_OTHER_EVENTS, /* the tighter run met other events */
    ACCURACY_SIZES         /* the errors are those that a default atol without knowledge of sizes allows */
};

struct accuracy_errors {
    double *each;              /* [columns] the largest; NAN: not known; NULL: there are none at all */
    int worst;                 /* the column of the largest */
    double error, relative, t; /* of it: absolute, by its size; where */
};

struct accuracy {
    enum accuracy_yardstick yardstick;
    struct accuracy_errors known;    /* against closed forms and digits */
    struct accuracy_errors estimate; /* by the reruns */
    const char *unmeasured;          /* why there is neither */
    const char *cannot_tell;         /* why there is no estimate, though it was sought; NULL: there is one */
    int round_off;                   /* all errors are below ten round-offs, and `error` is that bound */
    double *scale, *unit;            /* [columns] what counts as large in it; one round-off */
    double tolerances;               /* the worst state, in what was asked for; NAN: nothing was */
    int loose;                       /* the state it is */
    double share;                    /* its error by its scale */
    double reached;     /* the largest state, where all start at 0 and no atol is given; else 0 */
    keel_defect defect; /* of the run itself */
    double width;       /* what is shorter may have been missed, in units of t */
    enum accuracy_finding finding;
    double apart_t;                /* where the runs part, or meet other events; NAN: nowhere */
    double overstepped_t, longest; /* where something was stepped over; a step that shows it */
    struct record record;          /* rows for the reruns */
};

/* Is there a rerun? */
enum accuracy_rerun { ACCURACY_AUTO, ACCURACY_YES, ACCURACY_NO }; /* auto: if the run was short */

struct outcome;
/* What is shown: the known errors, else the estimate.  NULL: neither. */
const struct accuracy_errors *accuracy_shown(const struct accuracy *a);
const char *accuracy_word(enum accuracy_yardstick y); /* exact, reference, rerun, none */
/* Once run and trace are open: rows are remembered, to be compared with, unless no rerun is wanted.  0 or
 * -1. */
int accuracy_watch(struct outcome *o, const struct job *j);
enum accuracy_rerun accuracy_asked(const struct job *j);
void accuracy_measure(struct outcome *o, struct job *j);
/* Was it measured, and is every state as accurate as it was asked for? */
int accuracy_as_asked(const struct accuracy *a);
/* What a reader must know, in a sentence without its point; 0: there is nothing. */
int accuracy_warning(const struct outcome *o, const struct job *j, char *out, size_t capacity);
/* "2.1e-04 (tighter rerun; ...)" */
void accuracy_text(const struct outcome *o, char *out, size_t capacity);
/* Digits at few times, or closed forms of few columns, say nothing of the others: what reruns say, where that
 * is much more; 0: it is not. */
int accuracy_elsewhere(const struct outcome *o, char *out, size_t capacity);
/* A rerun was too dear for all places; in a sentence without its point; 0: all were looked at. */
int accuracy_overlooks(const struct outcome *o, char *out, size_t capacity);
void accuracy_release(struct accuracy *a);
#endif
