/* spark.c - Lobatto IIIA-IIIB pairs of order 2, 4 and 6: for mechanics with a constant mass matrix, and for
 * any H(q, p) with holonomic constraints. */
#include "methods/lobatto.h"

static void layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    (void)o;
    lobatto_layout(p, w, *(const int *)w->stepper->table);
}

#define TRAITS (KEEL_IMPLICIT | KEEL_SYMPLECTIC | KEEL_SYMMETRIC_STEP | KEEL_CONSTRAINED | KEEL_SPARSE)
#define METHOD(method, the_order, stages, what)                                     \
    {                                                                               \
        .info = {.name = method,                                                    \
                 .about = what,                                                     \
                 .reference = "Jay 1996; Hairer, Lubich, Wanner VII.1.4",           \
                 .order = the_order,                                                \
                 .traits = TRAITS},                                                 \
        .no_rhs = 1, .table = &(const int){stages}, .size = sizeof(struct lobatto), \
        .refuse = lobatto_refuse, .layout = layout, .attempt = lobatto_attempt      \
    }

const keel_stepper spark_methods[] = {
    METHOD("spark2", 2, 2, "Lobatto IIIA-IIIB pair, 2 stages: RATTLE for any H"),
    METHOD("spark4", 4, 3, "Lobatto IIIA-IIIB pair, 3 stages: symplectic, keeps the constraints"),
    METHOD("spark6", 6, 4, "Lobatto IIIA-IIIB pair, 4 stages"),
    {.info = {.name = NULL}},
};
