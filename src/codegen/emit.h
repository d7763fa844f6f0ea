/* emit.h - tapes as C99.
 *
 * Each tape becomes int model_NAME(double t, const double *u, double *out, void *user), a keel_fn; user
 * points to a struct that begins with the pointer to the parameters and, behind it, that to the tables.
 * Nothing but operations, numbers in hexadecimal and indices is ever written: no name or text of a model
 * can reach the C.  Long functions are cut into parts of bounded length, so the compiler's time stays
 * proportional to the length.  Rolled programs are loops (emit_roll.c). */
#ifndef KEEL_CODEGEN_EMIT_H
#define KEEL_CODEGEN_EMIT_H

#include <keel/implicit.h>
#include <keel/splitting.h>

#include "symbolic/tape.h"

#define EMIT_LOOP "KEEL_LOOP"       /* stands before the functions of rolled programs */
#define EMIT_WRITTEN "KEEL_WRITTEN" /* before steps that are written out: more than -O1 gains them nothing */
#define EMIT_ALONE "typedef int keel_fn(double," /* before the loops of a single run, not of lanes */
#define EMIT_MECHANISM "mechanism_" /* in loops over few coordinates, which are left to the compiler */

/* Calls of functions that the maps of a mechanism make again (emit_calls.c). */
enum { EMIT_CALLS = 48 }; /* as many as core/mechanism.h has places for */
struct emit_call {
    const struct tape *tape;
    size_t at; /* in its code */
};
struct emit_calls {
    int count;
    struct emit_call call[EMIT_CALLS];
};

struct emit {
    char *text; /* ended by '\0' */
    size_t length, capacity;
    int failed;  /* memory ran out, a function is too long, a name was refused, or `stop` was set */
    int starved; /* it was memory */
    const volatile int *stop; /* not 0: nothing more is written; NULL: nobody asks */
    int kernel_count;         /* so far: the first one brings the loop with it */
    int projections;          /* the same of what projects */
    int kept;                 /* of kernels with rows */
    int kept_kind;            /* of their methods: one in a file */
    int written;              /* of steps that are written out */
    int sampled;              /* of loops of samples */
    int mechanisms;           /* of those of mechanics */
    int eliminations;         /* and of chains, */
    int restorations;         /* short ones */
    int tables;               /* there were some: q points to them wherever p is seen */
    int local;                /* the functions are static */
    int series;               /* so far: the first one brings the recurrences with it */
    int fronts;               /* those of them whose matrix has fronts */
    int composed;             /* the same of those along a curve */
    int rolls;                /* rolled programs so far */
    int lanes;                /* all numbers are keel_real, of so many lanes; 0: double */
    int device;               /* for a GPU: of one lane, in CUDA C++ */
    char cases[200];          /* device: which kernels there are, as C */
    int clock;                /* the last state is time (core/clock), of all that has a kernel */
    const int *direction;     /* of its states, as of keel_variations; NULL: none is a sensitivity */
    struct emit_calls calls;  /* of the mechanism that is written */
    int keeps_calls;          /* its maps are: they keep them */
    unsigned kernels;         /* which of them emit_kernel and emit_kept write; 0: all */
};

/* What a kernel does: fixed steps with nothing to measure; else with watched or with kept rows; steps by
 * their error, the same. */
enum { EMIT_PLAIN = 1, EMIT_WATCHING = 2, EMIT_KEEPING = 4, EMIT_ADAPTIVE = 8, EMIT_ADAPTIVE_KEEPING = 16 };

/* Operations of one part of a function; longest name; room for a number. */
enum { EMIT_PART = 250, EMIT_NAME = 40, EMIT_NUMBER = 48 };

/* The texts of keel/real.h, keel/explicit.h, keel/implicit.h, keel/splitting.h, keel/taylor.h,
 * linalg/rowspace.h, core/project.h, core/step_control.h, core/kernel_state.h, core/kernel_rows.h,
 * core/kernel.h, core/beside.h, core/lanes.h, core/lanes_project.h, core/lanes_glide.h, core/lanes_steps.h,
 * core/device_real.h, core/device.h, linalg/small.h, core/mechanism_calls.h, core/mechanism.h,
 * core/lanes_motion.h, core/kernel_motion.h, core/kernel_samples.h, linalg/schur_rows.h, core/elimination.h,
 * line by line; they end with NULL. */
extern const char *const emit_real[], *const emit_explicit[], *const emit_implicit[];
extern const char *const emit_splitting[], *const emit_taylor[];
extern const char *const emit_rowspace[], *const emit_project[], *const emit_step_control[];
extern const char *const emit_kernel_state[], *const emit_kernel_rows[], *const emit_kernel_steps[];
extern const char *const emit_beside[], *const emit_lanes_text[], *const emit_lanes_steps[];
extern const char *const emit_lanes_project[];
extern const char *const emit_lanes_glide[];
extern const char *const emit_device_real[], *const emit_device_text[];
extern const char *const emit_small[], *const emit_mechanism_calls[], *const emit_mechanism[],
                                                                          *const emit_lanes_motion[];
extern const char *const emit_kernel_motion[], *const emit_schur_rows[], *const emit_elimination_text[];
extern const char *const emit_elimination_project[], *const emit_kernel_samples[];
void emit_header(struct emit *e, const char *const *line); /* one of them */
/* What kernels of any kind, and those with projections, stand behind; once a text. */
void emit_kernel_prelude(struct emit *e);
void emit_projection_prelude(struct emit *e);

void emit_open(struct emit *e);      /* with what every model needs */
void emit_functions(struct emit *e); /* of it: those that libm lacks */
/* That text where there are tables, else none; q from `user`. */
const char *emit_tables(const struct emit *e, const char *text);
const char *emit_type(const struct emit *e); /* of its numbers */
#define EMIT_TABLES "const double *const *q = ((const double *const *const *)user)[1];\n"
void emit_close(struct emit *e);
void emit_text(struct emit *e, const char *text); /* C of any length, as it is */
/* A piece of C as printf writes it, of %s, %c, %d, %u, %ld, %lld and %zu. */
void emit_put(struct emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* name: letters, digits and _, at most EMIT_NAME, chosen by the program.  0, or -1. */
int emit_function(struct emit *e, const char *name, const struct tape *t);
/* The same as HEADNAME, "static inline int rhs_" and a name. */
int emit_under(struct emit *e, const char *head, const char *name, const struct tape *t);
/* The same for the body of a loop: leaf k is l%u, result k o%u, both declared before it. */
int emit_body(struct emit *e, const struct tape *t);
struct roll;
int emit_roll(struct emit *e, const char *head, const char *name, const struct roll *r); /* emit_roll.c */
void emit_loops(struct emit *e);                            /* what all loops of a file need, once */
void emit_number(char *out, size_t capacity, double value); /* in hexadecimal; EMIT_NUMBER bytes will do */

struct emit_method { /* that a right-hand side is compiled into */
    const keel_rk *rk;
    const keel_implicit *implicit;
    keel_splitting splitting; /* stages 0: it is not one */
    int series;               /* of the solution.  None of these: there is no such method */
};
/* fixed_NAME, a keel_kernel_fixed of the method, for the tape of a right-hand side.  1, and nothing written:
 * the tape is so long that a call of it costs nothing. */
int emit_kernel(struct emit *e, const char *name, const struct tape *t, const struct emit_method *method);

struct emit_rows { /* of the manifold: a map with its jacobian, in compressed rows */
    const struct tape *value, *jacobian;
    const int *row_start, *column;
    const struct tape *terms; /* NULL: none */
};
/* kept_NAME: steps by their error, where the method estimates it, and with these rows watched or kept, as
 * core/kernel.h has it; after emit_kernel of that name.  1, and nothing written: there is too much of it, or
 * nothing, or the file has kernels of another kind of method. */
int emit_kept(struct emit *e, const char *name, const struct tape *f, const struct emit_method *method,
              int maps, const struct emit_rows *rows);
/* samples_NAME, a keel_kernel_samples of a Runge-Kutta method, after emit_kernel of that name: values of a
 * state, `count` of which, from `first` on, are assigned to the states at `place`.  1, and nothing written:
 * it is too long, or for another method. */
struct emit_sample {
    const struct tape *values;
    int first, count;
    const int *place;
};
int emit_samples(struct emit *e, const char *name, const struct tape *f, const struct emit_method *method,
                 const struct emit_sample *sample);
/* emit_step.c: step_NAME and errors_NAME, a step of n states by rhs_NAME, as a keel_rk_attempt and its
 * keel_rk_estimates. */
void emit_step(struct emit *e, const char *name, const keel_rk *table, int n);
/* emit_mechanics.c */
struct emit_mechanics { /* as core/mechanism.h has it */
    int nq, k;
    int steady, complete,
        projects; /* M is constant; see there; there are rows to project onto, all of them */
    const struct tape *force, *curvature, *constraint, *shift, *terms; /* the last two: NULL, none */
    struct emit_rows mass, rows;                                       /* jacobian: the entries */
    int maps;                                                          /* energy, invariants */
    struct emit_rows invariant[2];
    const struct tape *invariant_terms[2];
};
/* The functions that two operations of these tapes call with the same argument; its number, -1: none. */
void emit_find_calls(struct emit_calls *calls, int tapes, const struct tape *const *tape);
int emit_call_number(const struct emit_calls *calls, const struct tape *t, const struct tape_code *c);
enum { EMIT_TAPES = 13 };
void emit_motion_tapes(const struct emit_mechanics *m, const struct tape *tape[EMIT_TAPES]); /* or NULL */
/* accelerations_NAME, and projection_NAME if there is one.  1, and nothing written: it is too long. */
int emit_mechanics(struct emit *e, const char *name, const struct emit_mechanics *m);
void emit_mechanism_prelude(struct emit *e);
/* Of it, for lanes, too: is it short enough; energy and invariants; the functions of a struct mechanism, and
 * their names in its initializer. */
int emit_is_small(const struct emit_mechanics *m);
int emit_invariants(const struct emit_mechanics *m);
int emit_motion_functions(struct emit *e, const char *name, const struct emit_mechanics *m);
void emit_motion_sizes(struct emit *e, const struct emit_mechanics *m);
void emit_motion_calls(struct emit *e, const char *name, const struct emit_mechanics *m);
/* The functions of energy and invariants alone: motion_values_NAME and so on. */
int emit_motion_invariants(struct emit *e, const char *name, const struct emit_mechanics *m);
long emit_motion_length(const struct emit_mechanics *m); /* of all; -1: one is too long, or a loop */
/* emit_elimination.c: elimination_NAME, where K's rows are those of a chain; numbers as linalg/schur_rows.h
 * has them; restoration_NAME and stages_NAME, where these and their functions are short.  1, and nothing
 * written: it is too long, or in lanes. */
enum { EMIT_STRAND = 12 };
struct emit_elimination {
    int nq, k, entries, links;
    const int *row, *link, *column, *strand; /* 6 k, 2 links, entries, 2 EMIT_STRAND */
    int begin, end, dimension;
    const int *start; /* k + 1: of the rows of K */
    const struct emit_mechanics *motion;
    const keel_rk *table; /* of the method, or NULL */
};
int emit_elimination(struct emit *e, const char *name, const struct emit_elimination *m);
/* emit_motion.c: kept_NAME, after emit_mechanics of that name; kept_lanes_NAME; or the kernels of a device,
 * of a projected Runge-Kutta method; the first of a series, too.  1: not of these. */
int emit_motion(struct emit *e, const char *name, const struct emit_mechanics *m,
                const struct emit_method *method);

void emit_motion_user(struct emit *e, const char *calls); /* `with`, which maps find behind `user` */
/* Of kept_NAME: its functions rhs_NAME, project_NAME and normals_NAME, and what they find behind `user`, as
 * `own`; emit_kernel.c has the rest. */
void emit_motion_parts(struct emit *e, const char *name, const struct emit_mechanics *m);
void emit_motion_own(struct emit *e, const char *name, const struct emit_mechanics *m);
int emit_motion_kept(struct emit *e, const char *name, const struct emit_mechanics *m,
                     const struct emit_method *method);

/* emit_lanes.c: the same two, where e->lanes is set, as plain_lanes_NAME and kept_lanes_NAME, with
 * beside_NAME.  1: the tape has branches, or is too long. */
int emit_lanes(struct emit *e, const char *name, const struct tape *t, const struct emit_method *method);
int emit_lanes_kept(struct emit *e, const char *name, const struct tape *f, const struct emit_method *method,
                    int maps, const struct emit_rows *rows);
/* For both: is a tape without branches? Parameters that it reads, at least `most`. */
int emit_is_straight(const struct tape *t);
uint32_t emit_parameters(const struct tape *t, uint32_t most);
/* A kernel in lanes or on a device: what it is made of. */
struct emit_loop {
    const char *name;
    const keel_rk *table;
    int n, kept, terms;
    uint32_t parameters;
    const struct emit_mechanics *motion; /* NULL: x' = f(t, x) */
};
/* Rows and parameters of one that is x' = f(t, x).  0: it has branches, or is too long. */
int emit_measure(struct emit_loop *loop, const struct tape *f, int maps, const struct emit_rows *rows);
void emit_lanes_prelude(struct emit *e, const struct emit_loop *loop); /* the first one needs it */
void emit_lanes_loops(struct emit *e, const struct emit_loop *loop);
/* terms_NAME: the terms of the rows; 0: there are none; -1 without memory. */
int emit_terms(struct emit *e, const char *name, int maps, const struct emit_rows *rows);
void emit_lanes_locals(struct emit *e, const struct emit_loop *loop, int adaptive);
void emit_motion_locals(struct emit *e, const struct emit_loop *loop); /* of it, by emit_motion.c */
/* Those of `wanted` that keep rows or not, by their error or not, and what chooses between them. */
void emit_loops_in_lanes(struct emit *e, const struct emit_loop *loop, unsigned wanted);
void emit_loop_functions(struct emit *e, const struct emit_loop *loop, int adaptive); /* as arguments */

/* emit_device.c: the same for a GPU, where e->device is set, after emit_open_device; emit_device_end makes
 * device_steps of them, which core/device.h has with the rest. */
void emit_open_device(struct emit *e);
int emit_device(struct emit *e, const char *name, const struct tape *t, const struct emit_method *method);
int emit_device_kept(struct emit *e, const char *name, const struct tape *f, const struct emit_method *method,
                     int maps, const struct emit_rows *rows);
void emit_device_stages(struct emit *e, const char *rhs, const keel_rk *table, int n);
/* The first of these arrays go where threads share memory; how many. */
struct emit_array {
    const char *name;
    int count;
};
int emit_device_aside(struct emit *e, int count, const struct emit_array *array);
void emit_loops_on_device(struct emit *e, const struct emit_loop *loop, unsigned wanted);
void emit_device_end(struct emit *e);
/* emit_kernel.c, for all of them: the table as table_NAME; values_NAME and gradients_NAME of all rows; which
 * kernels of KEEPING, ADAPTIVE and so on there are; a text. */
void emit_table(struct emit *e, const char *name, const keel_rk *table);
int emit_values(struct emit *e, const char *name, int n, int maps, const struct emit_rows *rows);
void emit_direction(struct emit *e, int n); /* e->direction as a local array, if there is one */
unsigned emit_kernels(const struct emit *e, const struct emit_method *method, int kept);
int emit_two_estimates(const keel_rk *table); /* does the error norm of the table use both estimates? */
/* Beyond these a step is long whatever it is called through, and the code of its rows becomes large. */
enum { EMIT_STEP = 2000, EMIT_KEPT = 4, EMIT_STATES = 8 };
/* emit_series.c */
struct series;
/* series_NAME, or composed_NAME where it follows a curve, as C that gives the same bits.  0 or -1. */
int emit_series(struct emit *e, const char *name, const struct series *s);
#endif
