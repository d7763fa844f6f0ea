/* theta.c - see theta.h.  The traits of such a method are those of theta = 1/2. */
#include "methods/theta.h"

const keel_field theta_fields[] = {
    {KEEL_FIELD(theta), .traits = KEEL_FIELD_LINE | KEEL_FIELD_MODEL | KEEL_FIELD_RESULTS | KEEL_FIELD_ABOVE,
     .high = 1, .fallback = 0.5, .argument = "TH",
     .about = "f is taken at (1 - theta) x + theta x1 (1/2, of order 2; else 1)"},
    {.name = NULL},
};
