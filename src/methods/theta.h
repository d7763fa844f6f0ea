/* theta.h - the option theta, which several methods take. */
#ifndef KEEL_METHODS_THETA_H
#define KEEL_METHODS_THETA_H

#include <keel/options.h>

extern const keel_field theta_fields[]; /* one, and a nameless one */
#endif
