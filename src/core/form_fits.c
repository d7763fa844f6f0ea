/* form_fits.c - does a problem have what its form needs, and nothing that its form has no use for?  The
 * latter is a misunderstanding, not to be passed over. */
#include "core/form.h"

#include "base/text.h"

#include <keel/extras.h>

static int has_algebraic(const keel_problem *p) {
    return p->m || p->algebraic.count || p->hidden.count;
}

static int velocity_fits(const keel_problem *p, char *why, size_t capacity) {
    int rows = p->constraint.count + p->rolling.count;
    if (p->velocity.count == 0 || p->velocity.count == rows) return 1;
    return text_no(why, capacity, "velocity must have a row for each of the %d constraints, it has %d", rows,
                   p->velocity.count);
}

/* Energy and constraints by quadratic forms. */
static int forms_fit(const keel_problem *p, char *why, size_t capacity) {
    const keel_map *forms = &keel_extras_of(p)->quadratic_forms,
                   *energy = &keel_extras_of(p)->energy_of_forms;
    if (forms->count == 0 && energy->count == 0) return 1;
    if (!(keel_problem_traits(p) & KEEL_POSITIONS))
        return text_no(
            why, capacity,
            "extras.quadratic_forms belong to the form KEEL_MECHANICS and to canonical Hamiltonian "
            "problems");
    if (forms->count == 0 || energy->count != 1 + p->constraint.count)
        return text_no(why, capacity,
                       "extras.energy_of_forms must give energy and constraints: count %d, it has %d",
                       1 + p->constraint.count, energy->count);
    return (forms->jacobian && energy->jacobian) ||
           text_no(why, capacity, "extras.quadratic_forms and energy_of_forms need their jacobians");
}

/* The equations as they were given. */
static int original_fits(const keel_problem *p, char *why, size_t capacity) {
    const keel_map *f = &keel_extras_of(p)->original_f, *g = &keel_extras_of(p)->original_g;
    if (f->count == 0 && g->count == 0) return 1;
    if (!(keel_problem_traits(p) & KEEL_FIRST_ORDER))
        return text_no(why, capacity, "extras.original_f belongs to the forms KEEL_ODE and KEEL_DAE");
    if (f->count != p->n || g->count == 0)
        return text_no(why, capacity,
                       "extras.original_f must have count n = %d, it has %d, and original_g beside it", p->n,
                       f->count);
    return (f->jacobian && g->jacobian) ||
           text_no(why, capacity, "extras.original_f and original_g need their jacobians");
}

static int extras_fit(const keel_problem *p, char *why, size_t capacity) {
    unsigned traits = keel_problem_traits(p);
    if (!velocity_fits(p, why, capacity) || !forms_fit(p, why, capacity) || !original_fits(p, why, capacity))
        return 0;
    if (keel_extras_of(p)->mass_change && !(p->mass.pattern && p->f.pattern))
        return text_no(why, capacity, "extras.mass_change needs the patterns of mass and f");
    if (p->curvature && !(traits & KEEL_SECOND_ORDER))
        return text_no(why, capacity, "curvature belongs to the form KEEL_MECHANICS");
    const keel_kernel *kernel = keel_extras_of(p)->kernel;
    if (kernel && (kernel->accelerations || kernel->elimination) && !(traits & KEEL_SECOND_ORDER))
        return text_no(why, capacity,
                       "extras.kernel has accelerations, which belong to the form KEEL_MECHANICS");
    int of_mechanics = kernel && kernel->accelerations; /* which were looked at */
    if (kernel && (kernel->fixed || (kernel->kept && !of_mechanics)) &&
        (!p->f.value || p->mass.value || traits & (KEEL_SECOND_ORDER | KEEL_ALGEBRAIC)))
        return text_no(why, capacity,
                       "extras.kernel belongs to the form KEEL_ODE without a mass matrix, or to a "
                       "Hamiltonian one with f");
    return 1;
}

static int no_structure(const keel_problem *p, char *why, size_t capacity) {
    return !p->structure.value ||
           text_no(why, capacity, "a structure matrix belongs to the form KEEL_HAMILTONIAN");
}

static int no_algebraic(const keel_problem *p, char *why, size_t capacity) {
    return !has_algebraic(p) || text_no(why, capacity, "algebraic variables and rows need the form KEEL_DAE");
}

int form_fits_first_order(const keel_problem *p, char *why, size_t capacity) {
    if (p->f.count != p->n)
        return text_no(why, capacity, "f must have count n = %d, it has %d", p->n, p->f.count);
    if (p->constraint.count || p->rolling.count)
        return text_no(
            why, capacity,
            "constraints belong to the forms KEEL_MECHANICS and KEEL_HAMILTONIAN; in a DAE write them as "
            "algebraic rows");
    if (!(keel_problem_traits(p) & KEEL_ALGEBRAIC) && !no_algebraic(p, why, capacity)) return 0;
    if (p->algebraic.count != p->m)
        return text_no(why, capacity, "%d algebraic variables need as many algebraic rows, there are %d",
                       p->m, p->algebraic.count);
    return no_structure(p, why, capacity) && extras_fit(p, why, capacity);
}

int form_fits_hamiltonian(const keel_problem *p, char *why, size_t capacity) {
    if (p->energy.count != 1)
        return text_no(why, capacity, "a Hamiltonian problem needs energy.count = 1 and its value H");
    if (p->f.count && p->f.count != p->n)
        return text_no(
            why, capacity,
            "f of a Hamiltonian problem is B grad H itself: count n = %d; leave it out, and it is derived "
            "from H",
            p->n);
    if (p->mass.value)
        return text_no(why, capacity, "a Hamiltonian problem has no mass matrix: masses are part of H");
    if (!p->structure.value && p->n % 2)
        return text_no(why, capacity, "canonical states are (q, p): n must be even, it is %d", p->n);
    if (p->structure.value && p->constraint.count)
        return text_no(why, capacity, "constraints need canonical states (q, p), not a structure matrix");
    if (p->rolling.count) return text_no(why, capacity, "rolling constraints need the form KEEL_MECHANICS");
    return no_algebraic(p, why, capacity) && extras_fit(p, why, capacity);
}

int form_fits_mechanics(const keel_problem *p, char *why, size_t capacity) {
    int rows = p->constraint.count + p->rolling.count;
    if (p->n % 2)
        return text_no(why, capacity, "mechanical states are (q, v): n must be even, it is %d", p->n);
    if (p->f.count != p->n / 2)
        return text_no(why, capacity, "the forces f must have count n/2 = %d, it has %d", p->n / 2,
                       p->f.count);
    if (rows > p->n) return text_no(why, capacity, "%d constraints on %d coordinates", rows, p->n / 2);
    return no_algebraic(p, why, capacity) && no_structure(p, why, capacity) && extras_fit(p, why, capacity);
}
