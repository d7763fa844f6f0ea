/* stabilizer.h - stabilizers by their names, as the library lists them. */
#ifndef KEEL_CLI_JOB_STABILIZER_H
#define KEEL_CLI_JOB_STABILIZER_H

#include <keel/stabilizer.h>

const char *stabilizer_choices(void);                 /* "auto|none|watch|..": auto, and all there are */
const keel_method *stabilizer_find(const char *name); /* NULL: none, or auto */
unsigned stabilizer_traits(const char *name);         /* auto: KEEL_MEASURES */
/* The name of the first one with these of the traits `among`. */
const char *stabilizer_with(unsigned among, unsigned traits);
/* Does this method, as in rk4+watch, measure what it keeps at every step? */
int stabilizer_measures(const char *method);
/* The one that the solver takes for this method; auto is named by what it does. */
const char *stabilizer_in_use(const char *method, const keel_solver *s);
#endif
