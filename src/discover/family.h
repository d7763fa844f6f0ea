/* family.h - coefficients as polynomials of the parameters, so that an invariant holds for all their values.
 */
#ifndef KEEL_DISCOVER_FAMILY_H
#define KEEL_DISCOVER_FAMILY_H

#include "discover/search.h"

/* f holds for the parameters as they are.  An invariant of the same monomials that is in no way a product of
 * those found (span), and holds for all values, takes its place; else its scope says what is known.  1; 0:
 * stopped or without memory. */
int family_find(struct search *s, struct search_found *f, const struct echelon *span);
#endif
