/* verified.h - the problems that a solver has been in, with the verdicts on their invariants: a mode that is
 * entered again is not verified again. */
#ifndef KEEL_API_VERIFIED_H
#define KEEL_API_VERIFIED_H

#include "core/engine.h"

struct verified; /* a list, the latest first; NULL: none */

/* 1; 0: no memory.  A problem that is in the list already keeps its verdicts. */
int verified_add(struct verified **list, const struct engine *e);
const int *verified_find(const struct verified *list, const keel_problem *p); /* of each row; NULL: unknown */
/* Do two problems call the same functions, whatever stands behind `user`? */
int verified_alike(const keel_problem *a, const keel_problem *b);
void verified_free(struct verified *list);
#endif
