/* factor.h - equations that are products: f R = 0 says that a factor is zero, and the start says which.
 *
 * Where f R = 0 the derivatives of the product lose what f contains (d(f R) = f dR where R = 0), which random
 * points off the manifold do not show.  Every solution of R = 0 solves f R = 0: the factor that is zero at
 * the start while the others are not stands for the product. */
#ifndef KEEL_MODEL_FACTOR_H
#define KEEL_MODEL_FACTOR_H

#include "model/system.h"

/* The equation, or its factor; EXPR_NONE without memory.  Values that the start leaves open decide
 * nothing. */
expr factor_of_equation(const struct system *y, expr equation);
/* The factor of it that is zero at the start while another is too, or is open: two solutions may begin there.
 * EXPR_NONE: there is none. */
expr factor_in_doubt(const struct system *y, expr equation);
#endif
