/* functions.h - the functions of a mode, interpreted or compiled: the same bits either way.
 *
 * Each is a keel_fn whose `user` points to a struct functions_bound: the compiled ones read its first
 * two members alone. */
#ifndef KEEL_MODEL_FUNCTIONS_H
#define KEEL_MODEL_FUNCTIONS_H

#include "codegen/compile.h"
#include "codegen/emit.h"
#include "symbolic/series.h"
#include "model/formulation.h"

#define FUNCTIONS_OF_MAP(X, map) X(map) X(map##_jacobian) X(map##_rate) X(map##_terms)
#define FUNCTIONS_OF_SENSITIVITIES(X) X(moments) X(magnitudes) X(matrix) X(offset) X(offsets)
#define FUNCTIONS_OF_MATRICES(X) X(mass) X(mass_change) X(structure) X(curvature)
#define FUNCTIONS_LIST(X)                \
    FUNCTIONS_OF_MAP(X, f)               \
    FUNCTIONS_OF_MAP(X, algebraic)       \
    FUNCTIONS_OF_MAP(X, hidden)          \
    FUNCTIONS_OF_MAP(X, energy)          \
    FUNCTIONS_OF_MAP(X, constraint)      \
    FUNCTIONS_OF_MAP(X, rolling)         \
    FUNCTIONS_OF_MAP(X, velocity)        \
    FUNCTIONS_OF_MAP(X, invariant)       \
    FUNCTIONS_OF_MAP(X, quadratic_forms) \
    FUNCTIONS_OF_MAP(X, energy_of_forms) \
    FUNCTIONS_OF_MAP(X, original_f)      \
    FUNCTIONS_OF_MAP(X, original_g)      \
    FUNCTIONS_OF_SENSITIVITIES(X)        \
    FUNCTIONS_OF_MATRICES(X)             \
    X(event) X(gap) X(contact) X(sample)

enum functions_role {
#define FUNCTIONS_ROLE(role) functions_role_##role,
    FUNCTIONS_LIST(FUNCTIONS_ROLE)
#undef FUNCTIONS_ROLE
        FUNCTIONS_ROLES
};

/* What was compiled after problems were filled: interpreted functions hand over to it.  NULL: nothing. */
struct functions_machine {
    keel_fn *call[FUNCTIONS_ROLES];
    keel_series_fn *series;
    keel_composed_fn *composed;
};

struct functions_bound {
    const double *parameter;    /* parameters, then held values */
    const double *const *table; /* of the graph */
    const struct tape *tape;    /* of the mode */
    const struct series *series, *composed;
    const struct functions_machine *machine; /* of the mode */
    void *owner;                             /* the keel_sim, if it is one's */
    double *work; /* functions_registers of them, for one thread; NULL: large tapes take their own, any */
};

struct functions {
    const double *const *table; /* of the graph; NULL: none */
    struct tape tape[FUNCTIONS_ROLES];
    unsigned char there[FUNCTIONS_ROLES];
    keel_fn *call[FUNCTIONS_ROLES]; /* NULL where there is none */
    keel_kernel kernel;             /* method NULL: there is none */
    int rows_inside;                /* the kernel has the rows */
    struct series recurrences;      /* of the motion */
    keel_series series;             /* value NULL: there are none */
    struct series composed;         /* of the events on a curve */
    keel_composed event_series;
    struct functions_machine machine; /* of functions_hand_over */
};

/* The tapes of a formulation; interpreted until functions_link.  method: that the model is read for, or "".
 * 0, or -1 without memory. */
int functions_open(struct functions *f, const struct formulation *r, const char *method);
void functions_close(struct functions *f);
/* The same as C, for mode number `mode`, with the recurrences for the method taylor.  Few methods ask for
 * quadratic forms and the original equations: they are left out unless all is wanted, and stay interpreted.
 * 0 or -1. */
int functions_emit(const struct functions *f, struct emit *e, int mode, const char *method, int all);
/* The name of the k-th function that is written when all is wanted: 1; 0: that one is not there; -1: there
 * are no more. */
int functions_name(const struct functions *f, int mode, const char *method, int k, char *out,
                   size_t capacity);
/* f inside the loop of a method, where that is an explicit Runge-Kutta method or a splitting and f is all it
 * needs; the same. */
int functions_emit_kernel(struct functions *f, struct emit *e, int mode, const struct formulation *r,
                          const char *method);
/* Machine code in place of the interpreter, in problems that are filled from here on, or in all of them. */
void functions_link(struct functions *f, const struct compile_unit *unit, int mode);
void functions_hand_over(struct functions *f, const struct compile_unit *unit, int mode);
size_t functions_registers(const struct functions *f); /* that the largest of its tapes needs */
struct functions_bound functions_bind(const struct functions *f, const double *parameter, void *owner,
                                      double *work);
void functions_link_kernel(struct functions *f, const struct compile_unit *unit, int mode); /* that alone */
/* The lanes of a kernel that is linked. */
void functions_link_lanes(struct functions *f, const struct compile_unit *unit, int mode, int lanes);
/* What tapes of a formulation may read: t, `states` symbols, multipliers, parameters and held values;
 * free() it.  NULL without memory. */
struct tape_input *functions_inputs(const struct formulation *r, size_t states, const expr *state,
                                    size_t *count);
/* functions_series.c: the recurrences of the motion, where it is not too large for them; 0, or -1.  wanted 0:
 * only if they are short. */
int functions_series(struct functions *f, const struct formulation *r, int wanted);
int functions_events(struct functions *f,
                     const struct formulation *r); /* of the events, where the motion has them */
/* A tape of any expressions in these symbols, or in the basic symbols of a formulation; as tape_build. */
int functions_tape_of(const struct formulation *r, size_t states, const expr *state, size_t count,
                      const expr *root, struct tape *out, expr *missing);
int functions_tape(const struct formulation *r, size_t count, const expr *root, struct tape *out,
                   expr *missing);
#endif
