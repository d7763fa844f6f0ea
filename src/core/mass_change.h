/* mass_change.h - how M(t,u) a changes with u for a held a, where M has a pattern and is not constant.
 *
 * M x' = f, x' held, moves as f - M x' does: in Newton's matrices f_u - d(M a)/du stands where f_u would
 * alone, in the places of f's pattern.  So row i of that must have the coordinates that row i of M depends
 * on; newton_check finds one that is lacking.  The numbers are those of extras.mass_change, which models
 * have, or forward differences, one evaluation of M for each colour of columns that share no row. */
#ifndef KEEL_CORE_MASS_CHANGE_H
#define KEEL_CORE_MASS_CHANGE_H

#include <keel/method.h>

#include "core/colours.h"

struct field;

struct mass_change {
    int rows; /* n, or nq of mechanics: M has as many columns, and depends on as many unknowns */
    struct colours colours;
    double *step, *probe;           /* n + m */
    double *entries, *of_f;         /* of M; of f, for a check */
    double *before, *beside, *held; /* rows: M a at two places; an a to try */
    double *exact, *moved;          /* with extras.mass_change: entries of f; unknowns and a */
};

/* Does M change, and is it known by a pattern?  f then has one, too. */
int mass_changes(const struct field *fd);
int mass_change_attach(struct field *fd); /* 1: no memory */
void mass_change_detach(struct field *fd);
/* The entries of M. */
keel_status mass_change_entries(struct field *fd, double t, const double *u, double *out);
/* out := M a. */
keel_status mass_change_product(struct field *fd, double t, const double *u, const double *a, double *out);
/* The entries of f less d(M a)/du. */
keel_status mass_change_subtract(keel_work *w, double t, const double *u, const double *a, double *entries);
/* extras.mass_change against differences. */
keel_status mass_change_check(struct field *fd, double t, const double *u);
#endif
