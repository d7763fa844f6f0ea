/* rows.h - the rows of the manifold: what must hold, in which round-off units, and how well it held.
 *
 * Order: constraints, their d/dt, rolling, algebraic, hidden, energy, invariants.  The numbers are the
 * certificate. */
#ifndef KEEL_CORE_ROWS_H
#define KEEL_CORE_ROWS_H

#include "core/field.h"
#include "core/project.h"

#include <float.h>
#include <math.h>

enum { ROWS_KINDS = KEEL_ROW_INVARIANT + 1, ROWS_NAME = 80 };

/* Sets of kinds, bit k for kind k: the rows of K with what follows from them; all that equations say. */
#define ROWS_OF_CONSTRAINTS (1u << KEEL_ROW_CONSTRAINT | 1u << KEEL_ROW_VELOCITY | 1u << KEEL_ROW_ROLLING)
#define ROWS_OF_EQUATIONS (ROWS_OF_CONSTRAINTS | 1u << KEEL_ROW_ALGEBRAIC | 1u << KEEL_ROW_HIDDEN)
static inline int rows_in(unsigned kinds, keel_row_kind kind) {
    return kinds >> kind & 1;
}

struct rows {
    int count, at[ROWS_KINDS], of[ROWS_KINDS]; /* first row and number of rows of each kind */
    const struct map *map[ROWS_KINDS];         /* each kind's map */
    int plain[ROWS_KINDS], plains; /* kinds that are present and are values of a map as they stand */
    char *name;                    /* count x ROWS_NAME */
    int *treatment, *verdict;
    double *reference; /* what the row is held at: 0 for equations */
    double *size;      /* s_i of design rule 1: one unit is eps times this */
    double *residual;  /* of the accepted state */
    double *drift, *units;
    double
        *beyond; /* fixed steps: a residual before its correction beyond this is looked at (correction.c) */
    double *recent;                                 /* fresh sizes at the last look of rows_fade */
    double *fresh_size, *terms, *jacobian, *column; /* work: count, count, rows x (n + m), count */
    int stored;  /* the first row with a place in jacobian: 0, or behind those of large systems */
    int lasting; /* sizes of rows before this one do not fade */
};

void rows_init(struct rows *r, const struct field *fd);
void rows_layout(struct rows *r, const struct field *fd, struct arena *a);
void rows_open(struct rows *r); /* names */
const char *rows_name(const struct rows *r, int i);
static inline keel_row_kind rows_kind(const struct rows *r, int i) {
    int kind = 0;
    while (i >= r->at[kind] + r->of[kind]) kind++;
    return (keel_row_kind)kind;
}
int rows_find(const struct rows *r, const char *name);     /* -1: none */
void rows_carry(const struct rows *from, struct rows *to); /* the worst of each goes on under its name */

/* d/dt of constraints, then rolling rows. */
static inline keel_status rows_velocity(struct field *fd, double t, const double *u, double *out) {
    return fd->form->velocity_rows(fd, t, u, out);
}
/* value - reference of all rows; u complete (algebraic rows need y). */
static inline keel_status rows_residual(struct field *fd, const struct rows *r, double t, const double *u,
                                        double *out) {
    keel_status status = fd->k ? rows_velocity(fd, t, u, out + r->at[KEEL_ROW_VELOCITY]) : KEEL_OK;
    for (int i = 0; i < r->plains && status == KEEL_OK; i++)
        status = map_value(fd, r->map[r->plain[i]], t, u, out + r->at[r->plain[i]]);
    for (int i = 0; i < r->count; i++) out[i] -= r->reference[i];
    return status;
}
/* The same for whoever looks: NAN where a row has no value. */
void rows_sample(struct field *fd, const struct rows *r, double t, const double *u, double *out);
/* d/du of the rows of one kind, n + m columns, into jacobian from that kind's first row on. */
keel_status rows_jacobian(struct field *fd, struct rows *r, keel_row_kind kind, double t, const double *u);
static inline double *rows_gradient(const struct rows *r, const struct field *fd, int i) {
    return r->jacobian + (long)(i - r->stored) * (fd->n + fd->m);
}
/* Lets the sizes of the rows of one kind grow to what their jacobian rows say at u. */
keel_status rows_grow(struct field *fd, struct rows *r, keel_row_kind kind, double t, const double *u);
/* The same for constraints, their d/dt and rolling rows from K alone, sparse. */
keel_status rows_grow_sparse(struct field *fd, struct rows *r, double t, const double *u);
/* The same for all kinds, jacobians included. */
keel_status rows_grow_all(struct field *fd, struct rows *r, double t, const double *u);
/* After it: rows that nothing corrects forget sizes of the past, of which the tenfold is left. */
void rows_fade(struct rows *r);
/* One round-off unit of row i. */
static inline double rows_unit(const struct rows *r, int i) {
    return project_unit(r->size[i]);
}
/* The same, but 0 where all that the row has seen were zeros. */
double rows_unit_of_values(const struct field *fd, const struct rows *r, int i);
/* |residual| in units; 0 for an exact 0. */
static inline double rows_in_units(const struct rows *r, int i, double residual) {
    return project_in_units(residual, r->size[i]);
}
/* Enters the residuals of an accepted state into the certificate. */
void rows_certify(struct rows *r);
#endif
