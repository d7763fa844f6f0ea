/* implicit_rk.h - what the files of the implicit Runge-Kutta family share.
 *
 * With K_i = h f(t + c_i h, x + Z_i) the stages solve Z = A K, and the increment is b^T K. */
#ifndef KEEL_IMPLICIT_RK_H
#define KEEL_IMPLICIT_RK_H

#include <keel/implicit.h>
#include <keel/newton.h>

#include "methods/implicit_tables.h"

#include <float.h>

enum { IMPLICIT_TABLES = 3 };

/* Equations in place of x' = f(t,x): x' = f(t,x,z), 0 = r(t,x,z), y = (x,z).  Newton's matrix then is
 * E - h A x J, E = 1 for x and 0 for z, J the derivative of (f,r). */
struct implicit_system {
    int (*layout)(const keel_problem *p, keel_work *w);        /* how many z; takes its own room */
    keel_status (*begin)(keel_work *w, const keel_attempt *a); /* y at the begin of the step, into m->y */
    keel_status (*rhs)(keel_work *w, double t, const double *y, double *out); /* f, r */
    keel_status (*jacobian)(keel_work *w, double t, const double *y, int differences, double *jacobian);
    /* Layout: so many numbers has J where matrices are sparse, with factors of so many E - c J; 0: they are
     * dense.  The factors; (E - c J)^-1 v; h f_z dz for the dz that follows dx in `moved`. */
    size_t (*sparse)(keel_work *w, int real, int complex);
    keel_status (*factor)(keel_work *w, const double *jacobian, int number, double real, double imaginary);
    int (*stands)(const keel_work *w, int number);
    void (*solve)(const keel_work *w, int number, double *v, double *imaginary);
    void (*push)(const keel_work *w, double h, const double *jacobian, const double *moved, double *out);
    void (*weigh)(const keel_work *w, double h, double *scale); /* the sizes of x for Newton */
    /* h (f - u') at the begin of the step, for the error estimate, in place. */
    keel_status (*smooth)(keel_work *w, const keel_attempt *a, double h, double *defect);
    /* Leaves what counts of an error or a change of x; by_z: one that z brings about. */
    keel_status (*filter)(keel_work *w, const keel_attempt *a, int by_z, double *x);
    keel_status (*end)(keel_work *w, keel_attempt *a); /* last touches to dx */
    void (*accept)(keel_work *w, int stages);
};

struct implicit_method { /* a descriptor's table */
    enum implicit_kind kind;
    int count, stages[IMPLICIT_TABLES];   /* more than one: the order is chosen on the way */
    const struct implicit_system *system; /* NULL: x' = f(t,x) */
};

/* Which table is in use; a saved number is not believed to be an index. */
int implicit_choice(const keel_work *w);
/* Numbers that go on from step to step; all doubles, so that they are saved. */
struct implicit_memory {
    double known;            /* stages of the last step in `last`; 0: none */
    double last_h;           /* its length */
    double choice;           /* which table */
    double newton, patience; /* Newton is in use; fixed-point iteration is tried again after so many steps */
    double jacobian_known, slow;        /* a jacobian is there; the last solve contracted slowly */
    double factored_h, factored_choice; /* the matrices are factored for these; h = 0: for none */
    double disturbed;                   /* ... and a replay of the step has overwritten them */
    double distrust, failures;          /* differences only; fresh jacobians in a row that did not help */
    double contraction, rate;           /* of the last solve: theta / (1 - theta), theta */
    double iterations;
    double accepted_h, accepted_error, age, rejections, shrink;
    double exponent; /* the error of the last attempt is of this power of h */
};

struct implicit_rk {
    struct implicit_table table[IMPLICIT_TABLES];
    const struct implicit_system *system;
    int n, width; /* of y, which is x or (x,z) */
    struct implicit_memory *memory;
    const double *from;       /* y at the begin of the step */
    double *y;                /* width: room for it */
    double *row_factor;       /* of each row of r, by which matrix and residual are multiplied */
    double *ready;            /* keel/implicit.h: h, where a kernel may go on */
    double *last, *k, *z;     /* stages x width: K of the last step, K and Z of this one */
    double *stage, *scale;    /* width; of x alone */
    double *units;            /* n: 1 / scale, for solves by iteration */
    double wide;              /* scale over the tolerance, with adaptive steps */
    double *residual, *moved; /* stages x width */
    double *turned;           /* stages x n: T^-1 of the residual */
    int real; /* the most real eigenvalues of a table: complex matrices are numbered from it */
    keel_newton *newton, *beside; /* J and the blocks of I - h D x J; another J, for replays */
    /* The same of a system, which has matrices of its own: n x n, n x n, one block after the other, ints in
     * doubles' room; sparse: J alone. */
    int sparse;
    double *jacobian, *jacobian_beside, *lu, *pivot;
    double start[IMPLICIT_STAGES][IMPLICIT_STAGES + 1], start_ratio; /* weights of the start values */
    int start_from, start_to, start_nodes;
};

static inline double *implicit_row(double *rows, const keel_work *w, int i) {
    const struct implicit_rk *m = w->method;
    return rows + (long)i * m->width;
}

/* For the loop of keel/implicit.h, beside implicit_shape. */
static inline keel_implicit_room implicit_room(const keel_work *w) {
    const struct implicit_rk *m = w->method;
    return (keel_implicit_room){w->n, m->n, m->width, m->z, m->k, m->moved, m->stage, m->scale};
}
/* Its right-hand side; the context is the keel_work. */
keel_fn implicit_rate;

/* implicit_newton.c: Z by simplified Newton from the Z given; K with it. */
void implicit_newton_layout(const keel_problem *p, const keel_options *o, keel_work *w);
keel_status implicit_newton(keel_work *w, const keel_attempt *a, const struct implicit_table *table);
double implicit_newton_enough(const keel_work *w, int s);
/* (I - h lambda J)^-1 of the real eigenvalue, in place. */
void implicit_newton_filter(const keel_work *w, double *v);
/* K_i = h f(x + Z_i). */
keel_status implicit_rates(keel_work *w, const keel_attempt *a, const struct implicit_table *table);
/* Largest or root mean square of v / scale over all stages and x. */
double implicit_size(const keel_work *w, int stages, const double *v);

/* implicit_estimate.c: what a step of Radau IIA errs by, and the sizes that Newton is judged by. */
void implicit_estimate_scale(keel_work *w, const keel_attempt *a);
keel_status implicit_estimate(keel_work *w, const keel_attempt *a);

/* implicit_radau.c: adaptive steps of Radau IIA. */
double implicit_radau_next(keel_work *w, double h, double error, int rejected);
#endif
