/* explicit_rk.h - what the methods of a table (methods/explicit_tables.c) have in common. */
#ifndef KEEL_EXPLICIT_RK_H
#define KEEL_EXPLICIT_RK_H

#include <keel/explicit.h>
#include <keel/method.h>

struct explicit_rk {
    double *k;     /* (stages + 1 + extra) x width */
    double *stage; /* width */
    double *terms; /* shape x width: c5, c6, ... */
};

enum { EXPLICIT_MANY = 512 }; /* states that go by explicit_many */

void explicit_layout(const keel_problem *p, const keel_options *o, keel_work *w);
keel_status explicit_attempt(keel_work *w, keel_attempt *a);
/* A step with its estimates: explicit_many.c.  Returns what rhs returned. */
int explicit_many(const keel_rk *table, int width, keel_fn *rhs, void *context, const keel_attempt *a,
                  double *k, double *stage);
/* Where the table has a dense output. */
keel_status explicit_prepare(keel_work *w, const keel_segment *s);
void explicit_dense(const keel_work *w, const keel_segment *s, double theta, double *x);

#endif
