/* form.h - the forms of a problem as data.  form.c alone knows which there are; the rest of the core asks a
 * form for its traits, or calls what it has.
 *
 * A slot that is NULL means that the form has no such thing. */
#ifndef KEEL_CORE_FORM_H
#define KEEL_CORE_FORM_H

#include <keel/form.h>

struct arena;
struct field;

/* Rows that a start meets together, and the part of x that it moves for them. */
enum form_part { FORM_STATES, FORM_POSITIONS, FORM_SPEEDS /* or momenta */ };
struct form_level {
    unsigned kinds; /* bit k: rows of keel_row_kind k */
    enum form_part moves;
};

struct form {
    keel_form_info info;
    int least_states;
    keel_norm norm; /* where none is asked for */
    int levels;     /* of a start, in this order */
    struct form_level level[2];
    /* 1, or 0 and why: are all members there that it needs, and none that it has no use for? */
    int (*fits)(const keel_problem *p, char *why, size_t capacity);
    keel_fn *(*rhs)(const struct field *fd); /* of x'; NULL: f itself */
    void (*layout)(struct field *fd, struct arena *a);
    keel_status (*open)(struct field *fd, double t, const double *u);
    /* d/dt of the constraints, then rolling rows. */
    keel_status (*velocity_rows)(struct field *fd, double t, const double *u, double *out);
    /* The multipliers of the last right-hand side, spread over redundant rows; -K^T lambda by them. */
    void (*least_multipliers)(struct field *fd);
    keel_status (*reactions)(struct field *fd, double t, const double *u, double *out);
};

const struct form *form_of(const keel_problem *p); /* NULL: there is no such form */
/* form_fits.c */
int form_fits_first_order(const keel_problem *p, char *why, size_t capacity);
int form_fits_hamiltonian(const keel_problem *p, char *why, size_t capacity);
int form_fits_mechanics(const keel_problem *p, char *why, size_t capacity);
#endif
