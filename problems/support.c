/* support.c - see support.h. */
#include "support.h"

#include <string.h>

void problem_begin(problem *p, keel_form form, const char *name, int n, int m, const char *const *names,
                   double t_end) {
    memset(p, 0, sizeof *p);
    p->keel.form = form;
    p->keel.name = name;
    p->keel.n = n;
    p->keel.m = m;
    p->keel.names = names;
    p->keel.u0 = p->u0;
    p->keel.user = p->parameter;
    p->t_end = t_end;
}

void problem_start(problem *p, const double *u0) {
    memcpy(p->u0, u0, (size_t)(p->keel.n + p->keel.m) * sizeof *u0);
}

void problem_refer(problem *p, double t, double trust, const double *u, const double *multipliers) {
    if (p->references < PROBLEM_REFERENCES)
        p->reference[p->references++] = (problem_reference){t, trust, u, multipliers};
}

double problem_product(const double *a, const double *b, int stride, int k) {
    double sum = 0.0;
    for (int j = 0; j <= k; j++) sum += a[j * stride] * b[(k - j) * stride];
    return sum;
}
