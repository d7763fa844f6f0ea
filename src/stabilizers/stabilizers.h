/* stabilizers.h - every stabilizer, by name. */
#ifndef KEEL_STABILIZERS_STABILIZERS_H
#define KEEL_STABILIZERS_STABILIZERS_H

#include <keel/stabilizer.h>

const keel_stabilizer *stabilizers_at(int i);              /* NULL past the last */
const keel_stabilizer *stabilizers_find(const char *name); /* NULL: none */
const char *stabilizers_nearest(const char *name);         /* a name that was perhaps meant, or NULL */
/* The first one with these of the traits `among`. */
const keel_stabilizer *stabilizers_with(unsigned among, unsigned traits);
/* Those with options of their own into the list; how many. */
int stabilizers_owners(const keel_method **list, int capacity);
#endif
