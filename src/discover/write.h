/* write.h - polynomials of residues as text of the language. */
#ifndef KEEL_DISCOVER_WRITE_H
#define KEEL_DISCOVER_WRITE_H

#include "discover/search.h"

/* To be freed.  NULL: a coefficient is no plain fraction, or memory is out (starved). */
char *write_invariant(struct search *s, const struct search_found *f);
/* "2*found1*found2^2 - found3^2 = 0" of the products of those found. */
char *write_relation(struct search *s, const struct monomials *product, const residue *coefficient);
#endif
