/* form.c - see form.h: the four forms. */
#include "core/form.h"

#include "core/field.h"

#define KIND(kind) (1u << KEEL_ROW_##kind)
#define OF_POSITIONS \
    .levels = 2, .level = {{KIND(CONSTRAINT), FORM_POSITIONS}, {KIND(VELOCITY) | KIND(ROLLING), FORM_SPEEDS}}

static keel_fn *ode_rhs_of(const struct field *fd) { /* without a solve: the user's function itself */
    return fd->p.mass.value || fd->n == 0 ? algebra_rhs : NULL;
}

static keel_fn *dae_rhs_of(const struct field *fd) {
    (void)fd;
    return algebra_rhs;
}

static keel_fn *hamiltonian_rhs_of(const struct field *fd) {
    return fd->kg ? hamiltonian_constrained_rhs : fd->p.f.value ? NULL : hamiltonian_rhs;
}

static keel_fn *mechanics_rhs_of(const struct field *fd) {
    (void)fd;
    return mechanics_rhs;
}

static const struct form forms[] = {
    [KEEL_ODE] = {.info = {"ode", "KEEL_ODE", KEEL_FIRST_ORDER},
                  .norm = KEEL_BY_ERROR,
                  .fits = form_fits_first_order,
                  .rhs = ode_rhs_of},
    [KEEL_HAMILTONIAN] = {.info = {"hamiltonian", "KEEL_HAMILTONIAN",
                                   KEEL_FROM_ENERGY | KEEL_CANONICAL | KEEL_POSITIONS},
                          .least_states = 1,
                          .norm = KEEL_BY_ERROR,
                          OF_POSITIONS,
                          .fits = form_fits_hamiltonian,
                          .rhs = hamiltonian_rhs_of,
                          .layout = hamiltonian_layout,
                          .velocity_rows = hamiltonian_velocity_rows,
                          .reactions = hamiltonian_reactions},
    [KEEL_MECHANICS] = {.info = {"mechanics", "KEEL_MECHANICS", KEEL_SECOND_ORDER | KEEL_POSITIONS},
                        .least_states = 1,
                        .norm = KEEL_BY_MASS,
                        OF_POSITIONS,
                        .fits = form_fits_mechanics,
                        .rhs = mechanics_rhs_of,
                        .layout = mechanics_layout,
                        .velocity_rows = mechanics_velocity_rows,
                        .least_multipliers = mechanics_least_multipliers,
                        .reactions = mechanics_reactions},
    [KEEL_DAE] = {.info = {"dae", "KEEL_DAE", KEEL_FIRST_ORDER | KEEL_ALGEBRAIC},
                  .norm = KEEL_BY_ERROR,
                  .levels = 1,
                  .level = {{KIND(ALGEBRAIC) | KIND(HIDDEN), FORM_STATES}},
                  .fits = form_fits_first_order,
                  .rhs = dae_rhs_of,
                  .layout = algebra_layout,
                  .open = algebra_open},
};
enum { FORMS = sizeof forms / sizeof *forms };

static const struct form *form_at(int i) {
    return i >= 0 && i < FORMS ? &forms[i] : NULL;
}

const struct form *form_of(const keel_problem *p) {
    return form_at((int)p->form);
}

const keel_form_info *keel_form_at(int i) {
    return form_at(i) ? &form_at(i)->info : NULL;
}

unsigned keel_form_traits(keel_form form, int with_structure) {
    const struct form *f = form_at((int)form);
    unsigned paired = KEEL_CANONICAL | KEEL_POSITIONS;
    return !f ? 0 : with_structure ? f->info.traits & ~paired : f->info.traits;
}
