/* formulation.h - a mode as expressions for every field of a keel_problem.
 *
 * Three formulations: mechanics (a lagrangian alone, M(q) regular), hamiltonian (canonical or with a
 * structure matrix, nothing beside it), and the general one for all else: the states are x_j^(l), l < d_j;
 * the highest derivatives that can be written down explicitly are, block by block; the others are the
 * algebraic variables of an index-1 system; the hidden constraints are rows of the manifold. */
#ifndef KEEL_MODEL_FORMULATION_H
#define KEEL_MODEL_FORMULATION_H

#include <keel/form.h>

#include "structure/distance.h"
#include "model/system.h"

/* count functions with what belongs to them; a keel_map in expressions. */
struct formulation_map {
    int count;
    expr *value, *rate, *terms; /* rate: partial d/dt */
    struct derive_sparse jacobian;
    const char **names;
    int autonomous; /* no value contains t */
};

/* The forms' symbols are held values numbered from here on. */
enum { FORMULATION_FORMS = 1 << 30 };
/* The pieces of tables of t are sides numbered from here on, the choices of constraints from there. */
enum { FORMULATION_CLOCK = 1 << 20, FORMULATION_CHOICE = 1 << 21 };

/* Constraints of which some follow from others (choice.h): in the order of the mode's constraints, then its
 * rolling constraints.  Places are among the algebraic variables and equations. */
struct formulation_choice {
    int rows, coordinates, left; /* 0: there is none; left: rows the analysis has left out */
    int *left_out;               /* [left] which they are */
    int *acceleration, *motion;  /* [coordinates] */
    int *multiplier, *constraint;
    int *hidden;             /* [hidden.count] the row that a row of the manifold is of, -1: none of them */
    unsigned char *in_force; /* [rows] as the analysis has them */
    int own;                 /* of the algebraic equations those of the motion */
    expr *offset, *offsets;  /* [own], [m - own] as in keel_choice */
};

struct formulation {
    struct system *y;
    struct pool *pool;
    struct source_messages *messages;
    struct derive derive; /* nonsmooth functions pass: the derivative of the branch in force */
    keel_form form;
    int n, m;
    expr *basic;  /* n + m symbols: states, then algebraic variables */
    int furthers; /* multipliers that outputs may use, as inputs behind these */
    expr *further;
    const char **names; /* n + m */
    int *array_of;      /* n */
    struct formulation_map f, algebraic, hidden, energy, constraint, rolling, velocity, invariant, event;
    struct formulation_map quadratic_forms, energy_of_forms; /* absent: not pairwise, or too many */
    expr *form_symbol;                                       /* [forms] the inputs of energy_of_forms */
    struct formulation_map original_f, original_g;           /* absent: there is no such form */
    expr *original_symbol;                                   /* the inputs of both: the states, then z */
    struct derive_sparse mass;                               /* mechanics */
    int mass_constant;
    expr *structure;   /* n x n, or NULL */
    expr *curvature;   /* constraint rows, then rolling ones; or NULL */
    expr *mass_change; /* d/dq (M a) by the entries of f's jacobian; or NULL */
    expr *held_symbol; /* its inputs: q, v, a */
    keel_pattern bend; /* extras.constraint_bend; row_start NULL: there is none */
    expr *contact;     /* what contact.h wants to know of contacts, their gaps first; or NULL */
    int contacts, contact_numbers;
    expr *sample; /* what timed events assign, where these are all and stay in the mode; NULL: they are not */
    int samples;
    int sample_event; /* the first timed event that acts every period: its number among those, */
    int sample_first, sample_places, *sample_place; /* its values, and the places that they go to; 0: none */
    int *event_direction;
    unsigned char *event_kind;
    int surfaces; /* the last ones of the events (surface.h) */
    int clocks;   /* tables of t: their pieces stand behind the sides of the surfaces */
    int *clock;   /* [clocks] the numbers of these tables */
    int *look;    /* [surfaces] the table whose knots they are; -1: none */
    int chooses;  /* a run can set a choice of constraints (choice.h) */
    struct formulation_choice choice;
    double way;    /* of time at the start: 1 or -1 */
    expr *regular; /* entries of the system's Jacobian where it has branches (branches.h) */
    int regulars;
    expr *moment; /* [surfaces, directions] tau at a surface (saltation.h); NULL: no sensitivities */
    expr *matrix; /* [matrix_entries] F_y of the motion, where y stands in blocks; else NULL */
    int matrix_entries, matrix_constant; /* 1: it does not depend on y */
    expr *magnitude; /* [directions] p; NULL: no sensitivities, or those by all start values together */
    int *direction, *primal;  /* [n] as in keel_variations */
    int quadratic, separable; /* f is a polynomial of degree 2; H = T(p) + V(q) */
    int by_clock;             /* the last state is t, and f the rate by another variable */
    int pairwise;             /* and the constraints: by distances and products of momenta alone */
    struct distance distance; /* of a lagrangian or canonical hamiltonian with nothing beside it: its forms */
    /* The general formulation. */
    unsigned char *torn; /* [columns] its highest derivative is an algebraic variable */
    int *solves;         /* [rows] the column that a row is solved for, torn or not */
    int eliminated;      /* rows of the largest block solved by elimination on the graph (eliminate.h) */
    int extra;           /* derivatives of the algebraic variables beyond the first that are carried along */
    expr *place;         /* by symbol: 1 + its number in `basic`; 0: not there */
    expr *definition;    /* by symbol: what it is in terms of basic ones; EXPR_NONE: not known yet */
    uint32_t symbols;    /* nodes these have room for */
    expr missing;        /* the last symbol without a value */
};

static inline unsigned formulation_traits(const struct formulation *r) { /* of its form (keel/form.h) */
    return keel_form_traits(r->form, r->structure != NULL);
}

/* What stays while a step is taken: the sides of surfaces, the pieces of tables of t; and the choice of
 * constraints. */
static inline int formulation_sides(const struct formulation *r) {
    return r->surfaces + r->clocks + (r->choice.left ? r->choice.rows : 0);
}

/* The number of a side's symbol by its place among them, and back. */
static inline uint32_t formulation_side(const struct formulation *r, int place) {
    if (place < r->surfaces) return (uint32_t)place;
    place -= r->surfaces;
    return (uint32_t)(place < r->clocks ? FORMULATION_CLOCK + place : FORMULATION_CHOICE + place - r->clocks);
}
static inline int formulation_side_place(const struct formulation *r, uint32_t number) {
    if (number < FORMULATION_CLOCK) return (int)number;
    if (number < FORMULATION_CHOICE) return r->surfaces + (int)number - FORMULATION_CLOCK;
    return r->surfaces + r->clocks + (int)number - FORMULATION_CHOICE;
}

/* 1; 0 with an error in the messages.  formulation_close in any case. */
int formulation_open(struct formulation *r, struct system *y, struct source_messages *messages,
                     struct pool *pool);
void formulation_close(struct formulation *r);
/* e in basic symbols alone; EXPR_NONE: see missing, or no memory. */
expr formulation_resolve(struct formulation *r, expr e);

/* The inputs behind the unknowns; 1 or 0.  The place of a symbol among the inputs, or -1. */
int formulation_further(struct formulation *r, int count, const expr *symbol);
int formulation_place(const struct formulation *r, expr symbol);
/* The values of all samples, if samples are all that happens (formulation_samples.c).  1 or 0. */
int formulation_add_samples(struct formulation *r);
/* Its place among the n + m unknowns, by another name of it if need be (v for x'); -1: it is none of them. */
int formulation_find(const struct formulation *r, expr symbol);

/* For the formulations themselves. */
void formulation_begin(struct formulation *r, struct system *y, struct source_messages *messages,
                       struct pool *pool);
int formulation_mechanics(
    struct formulation *r); /* 1; 0: it does not fit; -1: a message was added or memory is out */
int formulation_hamiltonian(struct formulation *r); /* the same */
/* (H_p, -H_q) beside the constraints of a large one, for its jacobian; 0: no memory. */
int formulation_bent_rates(struct formulation *r);
int formulation_bend(struct formulation *r); /* what its constraints of many coordinates depend on; 1 or 0 */
int formulation_general(struct formulation *r); /* 1 or -1; 0: not with a choice of constraints */
/* Large mechanics and constrained Hamiltonians with few entries are solved by sparse matrices. */
int formulation_goes_sparse(const struct formulation *r);
/* Is the mass matrix of a lagrangian positive definite somewhere?  1; 0: nowhere; -1: nobody knows. */
int formulation_inertia(const struct formulation *r);
int formulation_is_inert(
    const struct formulation *r); /* the same of any lagrangian, without constraints, too */
/* Is H_pp of a hamiltonian positive definite somewhere?  1; 0: nowhere, or nobody knows. */
int formulation_mobility(struct formulation *r);
int formulation_forms(struct formulation *r); /* 1; 0: a message was added */
int formulation_most_forms(const struct formulation *r);
int formulation_original(struct formulation *r); /* the same */
/* Steps by the clock of the model, if it has one; then, with surfaces known, whether it may: the same. */
int formulation_clock(struct formulation *r);
int formulation_clock_switches(struct formulation *r);
expr formulation_pace(struct formulation *r); /* the clock of the equations; EXPR_NONE: none, or no memory */
/* The n + m basic symbols get places and names; 1 or 0. */
int formulation_basic(struct formulation *r, int count, const expr *symbol);
void formulation_define(struct formulation *r, expr symbol, expr e);
/* Of the rows in map->value: jacobian by `columns` symbols, rate and, if wanted, terms; 1 or 0. */
int formulation_derivatives(struct formulation *r, struct formulation_map *map, int columns, const expr *by,
                            int terms);
/* Sums and products without the zeros that a substitution has left; 1, or 0 without memory. */
int formulation_drop_zeros(struct graph *g, size_t count, expr *root);
int formulation_map_open(struct formulation *r, struct formulation_map *map, int count);
const char *formulation_text(struct formulation *r, const char *text);
#endif
