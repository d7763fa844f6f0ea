/* rational.h - fractions of long integers, without rounding.
 *
 * Integers have at most RATIONAL_LIMBS limbs.  A result that needs more is no fraction any more (lost), and
 * so is all that is computed from it: whoever uses fractions asks at the end. */
#ifndef KEEL_STRUCTURE_RATIONAL_H
#define KEEL_STRUCTURE_RATIONAL_H

#include <stdint.h>

enum { RATIONAL_LIMBS = 32 };

struct natural {
    int count; /* limbs in use, the last of which is not 0 */
    uint32_t limb[RATIONAL_LIMBS];
};

/* sign * top/bottom in lowest terms; 0 has sign 0. */
struct rational {
    int sign, lost;
    struct natural top, bottom;
};

struct rational rational_integer(int64_t value);
struct rational rational_sum(const struct rational *a, const struct rational *b);
struct rational rational_product(const struct rational *a, const struct rational *b);
struct rational rational_quotient(const struct rational *a, const struct rational *b); /* b != 0 */
struct rational rational_negative(const struct rational *a);
/* The plain fraction (a short decimal, a quotient of small integers) that x is to within `error` of its size,
 * where such a one cannot be near by chance.  1, or 0: there is none. */
int rational_plain(double x, double error, struct rational *out);
struct rational rational_of(double x, double error); /* that, or else the number itself */
double rational_value(const struct rational *a);     /* to an eps; NAN: lost */
uint32_t rational_residue(const struct natural *a, uint32_t modulus);
#endif
