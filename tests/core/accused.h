/* accused.h - problems with every callback a person may give, any one of which can be made to fail. */
#ifndef KEEL_TESTS_ACCUSED_H
#define KEEL_TESTS_ACCUSED_H

#include "testing.h"
#include "ends.h"

#include <keel/method.h>

enum part {
    F,
    MASS,
    CONSTRAINT,
    CONSTRAINT_JACOBIAN,
    CONSTRAINT_RATE,
    CONSTRAINT_TERMS,
    ROLLING,
    ROLLING_JACOBIAN,
    CURVATURE,
    ENERGY,
    ENERGY_JACOBIAN,
    INVARIANT,
    INVARIANT_JACOBIAN,
    EVENT,
    ALGEBRAIC,
    ALGEBRAIC_JACOBIAN,
    F_JACOBIAN,
    HIDDEN,
    HIDDEN_JACOBIAN,
    STRUCTURE
};

/* From time `from` on, one callback returns `code` or writes `value`. */
struct trouble {
    enum part in;
    double from;
    int code;
    double value;
};

static inline int end_with(const struct trouble *trouble, enum part part, double t, double *out) {
    if (trouble->in != part || t < trouble->from) return 0;
    if (trouble->code == 0) out[0] = trouble->value;
    return trouble->code;
}

/* Writes count values, then meets its trouble. */
static inline int answer(void *user, enum part part, double t, double *out, int count, const double *values) {
    memcpy(out, values, (size_t)count * sizeof *out);
    return end_with(user, part, t, out);
}
#define ANSWER(part, ...) \
    answer(user, part, t, out, sizeof(double[]){__VA_ARGS__} / sizeof(double), (double[]){__VA_ARGS__})

#define CALLBACK(name, part, ...)                                         \
    static int name(double t, const double *u, double *out, void *user) { \
        (void)u;                                                          \
        return ANSWER(part, __VA_ARGS__);                                 \
    }

/* A bead on a ring in the x-y plane that a rolling row keeps from sliding along z. */
CALLBACK(bead_force, F, 0, -1, 0)
CALLBACK(bead_mass, MASS, 1, 0, 0, 0, 1, 0, 0, 0, 1)
CALLBACK(bead_ring, CONSTRAINT, u[0] * u[0] + u[1] * u[1] - 1)
CALLBACK(bead_ring_jacobian, CONSTRAINT_JACOBIAN, 2 * u[0], 2 * u[1], 0)
CALLBACK(bead_ring_rate, CONSTRAINT_RATE, 0)
CALLBACK(bead_ring_terms, CONSTRAINT_TERMS, u[0] * u[0] + u[1] * u[1] + 1)
CALLBACK(bead_stop, ROLLING, u[5])
CALLBACK(bead_stop_jacobian, ROLLING_JACOBIAN, 0, 0, 1)
CALLBACK(bead_curvature, CURVATURE, 2 * (u[3] * u[3] + u[4] * u[4]), 0)
CALLBACK(bead_energy, ENERGY, 0.5 * (u[3] * u[3] + u[4] * u[4] + u[5] * u[5]) + u[1])
CALLBACK(bead_energy_jacobian, ENERGY_JACOBIAN, 0, 1, 0, u[3], u[4], u[5])
CALLBACK(bead_height, INVARIANT, u[2])
CALLBACK(bead_height_jacobian, INVARIANT_JACOBIAN, 0, 0, 1, 0, 0, 0)
CALLBACK(bead_event, EVENT, u[2] - 5)

static inline keel_problem bead(struct trouble *trouble) {
    static const double start[] = {1, 0, 0.5, 0, 0, 0};
    return (keel_problem){.form = KEEL_MECHANICS,
                          .n = 6,
                          .u0 = start,
                          .f = MAP(3, bead_force),
                          .mass = {.value = bead_mass},
                          .constraint = {.count = 1,
                                         .value = bead_ring,
                                         .jacobian = bead_ring_jacobian,
                                         .time_derivative = bead_ring_rate,
                                         .terms = bead_ring_terms},
                          .rolling = {.count = 1, .value = bead_stop, .jacobian = bead_stop_jacobian},
                          .curvature = bead_curvature,
                          .energy = {.count = 1, .value = bead_energy, .jacobian = bead_energy_jacobian},
                          .invariant = {.count = 1, .value = bead_height, .jacobian = bead_height_jacobian},
                          .event = MAP(1, bead_event),
                          .user = trouble};
}

/* The pendulum as a DAE of index 3, with a mass matrix. */
CALLBACK(rod_f, F, u[2], u[3], -u[4] * u[0], -u[4] * u[1] - 1)
CALLBACK(rod_f_jacobian, F_JACOBIAN, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, -u[4], 0, 0, 0, -u[0], 0, -u[4], 0, 0,
         -u[1])
CALLBACK(rod_mass, MASS, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)
CALLBACK(rod_length, ALGEBRAIC, u[0] * u[0] + u[1] * u[1] - 1)
CALLBACK(rod_length_jacobian, ALGEBRAIC_JACOBIAN, 2 * u[0], 2 * u[1], 0, 0, 0)
CALLBACK(rod_tangency, HIDDEN, u[0] * u[2] + u[1] * u[3])
CALLBACK(rod_tangency_jacobian, HIDDEN_JACOBIAN, u[2], u[3], u[0], u[1])

static inline keel_problem rod(struct trouble *trouble) {
    static const double start[] = {1, 0, 0, 0, 0};
    return (keel_problem){.form = KEEL_DAE,
                          .n = 4,
                          .m = 1,
                          .u0 = start,
                          .mass = {.value = rod_mass},
                          .f = {.count = 4, .value = rod_f, .jacobian = rod_f_jacobian},
                          .algebraic = {.count = 1, .value = rod_length, .jacobian = rod_length_jacobian},
                          .hidden = {.count = 1, .value = rod_tangency, .jacobian = rod_tangency_jacobian},
                          .user = trouble};
}

/* An oscillator: x' = B grad H. */
CALLBACK(spring_energy, ENERGY, 0.5 * (u[0] * u[0] + u[1] * u[1]))
CALLBACK(spring_energy_jacobian, ENERGY_JACOBIAN, u[0], u[1])
CALLBACK(spring_structure, STRUCTURE, 0, 1, -1, 0)

static inline keel_problem spring(struct trouble *trouble) {
    static const double start[] = {1, 0};
    return (keel_problem){.form = KEEL_HAMILTONIAN,
                          .n = 2,
                          .u0 = start,
                          .structure = {.value = spring_structure},
                          .energy = {.count = 1, .value = spring_energy, .jacobian = spring_energy_jacobian},
                          .user = trouble};
}
#endif
