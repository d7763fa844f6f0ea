/* differences.h - derivatives along a path by central differences, extrapolated.
 *
 * One level is enough for Newton's matrix.  Where a derivative itself is a kept row (d/dt of a constraint)
 * four levels with a long step reach round-off for polynomials of moderate degree and about 1e-13 for
 * smooth functions (Ridders 1982), if the path is as long as the function is smooth. */
#ifndef KEEL_CORE_DIFFERENCES_H
#define KEEL_CORE_DIFFERENCES_H

#include <keel.h>

enum { DIFFERENCES_LEVELS = 4, DIFFERENCES_ROOM = DIFFERENCES_LEVELS + 8 };

typedef keel_status differences_path(void *context, double s, double *out);

/* out := d F / ds (derivative 1) or d^2 F / ds^2 (derivative 2) at s = 0, `count` values.  length: a
 * displacement in s that is typical for the path.  work: DIFFERENCES_ROOM * count doubles.  worst, if not
 * NULL: estimated error. */
keel_status differences_along(differences_path *path, void *context, int count, double length, int levels,
                              int derivative, double *work, double *out, double *worst);
/* The length that serves differences_along best here, looked for from 64 times the one given downwards. */
double differences_length(differences_path *path, void *context, int count, double length, double *work);
#endif
