/* relation.h - which of the invariants are functions of others. */
#ifndef KEEL_DISCOVER_RELATION_H
#define KEEL_DISCOVER_RELATION_H

#include "discover/search.h"

/* Of f and those found before, by the rank of their gradients along the manifold: 0: f is a constant, or a
 * function of one of them; 1, with f->independent; -1: stopped or without memory. */
int relation_judge(struct search *s, struct search_found *f);
/* Texts: of each, of the relation where one is no independent one, of what the model states.  1 or 0. */
int relation_tell(struct search *s);
#endif
