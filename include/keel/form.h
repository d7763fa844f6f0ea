/* form.h - what the forms of a problem have.  Methods, models and commands ask for traits; the names of the
 * forms stand where a problem is filled in. */
#ifndef KEEL_FORM_H
#define KEEL_FORM_H

#include <keel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Traits. */
enum {
    KEEL_FIRST_ORDER = 1, /* mass x' = f(t, x, y) is given as it stands */
    KEEL_ALGEBRAIC = 2,   /* has algebraic variables y and rows 0 = F(t, x, y) */
    KEEL_FROM_ENERGY = 4, /* x' = B grad H follows from `energy`, which is H */
    KEEL_CANONICAL = 8,   /* the same with x = (q, p), q' = H_p, p' = -H_q - G^T lambda */
    KEEL_SECOND_ORDER =
        16,             /* x = (q, v), M(q) v' = F(t, q, v) - K^T lambda: f is F, mass is M of order n/2 */
    KEEL_POSITIONS = 32 /* x = (q, p) or (q, v): n/2 positions first, and perhaps constraints 0 = g(t, q) */
};

typedef struct keel_form_info {
    const char *name;     /* mechanics */
    const char *constant; /* as C has it */
    unsigned traits;
} keel_form_info;

KEEL_API const keel_form_info *keel_form_at(int i); /* by the number of the constant; NULL: there is none */
/* Of a form, or of it with a structure matrix, whose states are then no pairs; 0: there is no such form. */
KEEL_API unsigned keel_form_traits(keel_form form, int with_structure);
static inline unsigned keel_problem_traits(const keel_problem *p) {
    return keel_form_traits(p->form, p->structure.value != NULL);
}

#ifdef __cplusplus
}
#endif
#endif
