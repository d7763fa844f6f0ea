/* options.h - the options that every run has, as rows (keel/options.h); the core walks these and those of the
 * stepper and the stabilizer in use. */
#ifndef KEEL_CORE_OPTIONS_H
#define KEEL_CORE_OPTIONS_H

#include <keel/options.h>

extern const keel_field options_table[]; /* ends with a nameless one */

/* The i-th row of the table, of a's and of b's own, in this order; NULL past the last. */
const keel_field *options_at(int i, const keel_method *a, const keel_method *b);
/* KEEL_FIELD_REALS; NULL: not given. */
const double *options_reals(const keel_field *f, const keel_options *o);
/* The number in force of an option that every run has, as KEEL_VALUE. */
const keel_field *options_of(size_t offset);
#define OPTIONS_VALUE(o, member) keel_field_value(options_of(offsetof(keel_options, member)), o)
/* Is it one of the method's own options? */
int options_own(const keel_method *m, const keel_field *f);
#endif
