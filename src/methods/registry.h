/* registry.h - every method, by name. */
#ifndef KEEL_METHODS_REGISTRY_H
#define KEEL_METHODS_REGISTRY_H

#include <keel/method.h>
#include <keel/splitting.h>

#include "methods/implicit_tables.h"

const keel_stepper *registry_at(int i); /* NULL past the last */
/* The name of the one that is taken where nobody names one. */
const char *registry_default(const keel_options *o);
const keel_stepper *registry_find(const char *name);  /* NULL: none */
const keel_rk *registry_table(const keel_stepper *s); /* of an explicit Runge-Kutta method; NULL: another */
/* Of a splitting, for n states, the shape of its steps; 0: another method. */
int registry_splitting(const keel_stepper *s, int n, keel_splitting *shape);
/* Of an implicit Runge-Kutta method of fixed steps; 0: another method. */
int registry_implicit(const keel_stepper *s, struct implicit_loop *loop);
const char *registry_nearest(const char *name); /* a name that was perhaps meant, or NULL */
/* Those with options of their own into the list; how many. */
int registry_owners(const keel_method **list, int capacity);
#endif
