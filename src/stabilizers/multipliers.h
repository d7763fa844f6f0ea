/* multipliers.h - what the two files of multipliers share. */
#ifndef KEEL_STABILIZERS_MULTIPLIERS_H
#define KEEL_STABILIZERS_MULTIPLIERS_H

#include "core/engine.h"

struct multipliers_kind {
    int inside;   /* coupled: the multipliers act inside the method's stages; else at both ends */
    double share; /* of what mu lacks, that one end makes up for */
};

/* mu of the last step and of the one under way, times h. */
struct multipliers {
    const struct multipliers_kind *kind;
    struct normals begin, end;
    double *known_h, *known, *known_inverse; /* of the last step */
    double *mu, *inverse;                    /* inverse: what mu must change by, for what it lacks */
    double *best, *lack_before;              /* the mu of the smallest residual so far, and what it lacks */
    double *lack, *change, *image, *row, *matrix;
    int *pivot;
    double *size;                      /* of the rows, when the step began */
    double *x, *f, *shift, *move, *at; /* width, or n + m */
    double h;                          /* not 0: the method is at work, and its rate has the term D mu / h */
};

static inline struct multipliers *multipliers_of(const struct engine *e) {
    return e->manifold.view.own;
}

/* multipliers_search.c: the search for mu within one step */
struct multipliers_aim {
    keel_attempt *attempt;
    int from;
    double t_new, *x_new, *low_new;
};
struct multipliers_search {
    double best;   /* the smallest residual, in units */
    double length; /* of the next change, in Newton steps */
    int idle;      /* attempts since the residual was last halved */
    int fresh;     /* the matrix was found where the best mu is */
    int attempts;
    int last, arrived; /* the next attempt, this attempt, is as good as can be had */
};
/* The end z with mu as it stands, its residuals, and what mu lacks.  known: D of an end nearby stands. */
keel_status multipliers_try(struct engine *e, const struct multipliers_aim *to, int known);
void multipliers_forget(struct engine *e); /* the matrix of steps of no length */
/* The next mu, after an attempt that ended with this status and this worst row. */
keel_status multipliers_next(struct engine *e, const struct multipliers_aim *to, struct multipliers_search *s,
                             keel_status status, double worst, int row);
#endif
