/* model.h - models written as text: load, set parameters, look at what the analysis found, run.
 *
 *     keel_model *m = keel_model_load("pendulum.keel", NULL);
 *     keel_sim *s = keel_sim_open(m, NULL);
 *     while (keel_sim_run(s, 100) == KEEL_EVENT) {}
 *
 * The text is described in docs/language.md.  A model fills a keel_problem for each of its modes, as a
 * person would in C; keel_sim runs them with their events and actions.
 *
 * Threads.  Simulations write nothing to their model: any number of threads may open, run, save, load and
 * close simulations of one model at the same time, each thread its own, and each gets the bits it gets alone.
 * The same holds for every call that takes a `const keel_model *`, and for solvers of the problem of a mode.
 * A call that takes a `keel_model *` (keel_model_set, keel_model_set_all, keel_model_number,
 * keel_model_compile, keel_model_close) changes it: no other call with this model may run at the same time.
 * Different models have nothing in common: threads may read and compile them at the same time, the same text
 * included.  One simulation is for one thread at a time. */
#ifndef KEEL_MODEL_H
#define KEEL_MODEL_H

#include <keel.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct keel_model keel_model;

/* The name of the event of keel_model_options.section: a Poincare section, whose points an ensemble keeps
 * (keel_ensemble_options.event). */
#define KEEL_SECTION "poincare_section"

/* All zero is a sound default; so is a null pointer. */
typedef struct keel_model_options {
    const char *const *set; /* "a=3", "m[2] = 2*pi": parameters replaced; "y' = 0.1": start values */
    int sets;
    const char *sensitivity; /* "g, y'": columns `d/dg x` by these parameters and start values; "*": by all
                                start values that are free; NULL: none */
    const char *section; /* "x - 1 rising": one more event that is only recorded, KEEL_SECTION; NULL: none */
    /* "norm(q)", an expression of states, positive along the run: steps go by tau, d t = clock d tau, and
     * keel_options.step is one of tau; all else speaks of t.  "auto": read off the equations, where they have
     * one; "none" or "": t itself; NULL: as the model's `options` say */
    const char *clock;
    const char *from, *to; /* the ends of the run, as in "50*T"; NULL: as the model's `run` has them */
    const char *method;    /* compile f into the loop of this method, too; NULL: of the model's `options` */
    int interpret;         /* 1: no compiler is called; the results are the same bits, more slowly */
    double work; /* reading may take so many million operations and no more; 0: 30000, half a minute or so */
    const volatile int
        *stop; /* as in keel_options: reading ends with KEEL_ESTOP.  Lives as long as the model */
    double compile_seconds; /* the C compiler may take so long; 0: a minute, more for a large model */
    int kernel_later;       /* 1: f is not compiled into a loop now; keel_sim_compile does, once it pays */
    const char *volatile *phase; /* told what reading is at, as in "compiling the model"; NULL: nobody asks */
    int without_start; /* 1: analyse and compile alone; no start values are sought, and nothing can be run */
    int compile_ahead; /* 1: nobody waits for the compiler; keel_model_compile takes over what it has made */
} keel_model_options;

/* A model from a file, or from `length` bytes of text under a name for the messages.  NULL only without
 * memory; whether it can be run is in keel_model_status. */
KEEL_API keel_model *keel_model_load(const char *path, const keel_model_options *o);
KEEL_API keel_model *keel_model_read(const char *name, const char *text, size_t length,
                                     const keel_model_options *o);
KEEL_API void keel_model_close(keel_model *m); /* after all that was opened from it */
/* KEEL_OK; KEEL_EINVAL: the text has errors; KEEL_ENOMEM: memory did not suffice to read it, or to answer the
 * question asked last. */
KEEL_API keel_status keel_model_status(const keel_model *m);
/* Errors and warnings as people read them, each with its line and a caret; "": none.  Valid until the next
 * call that changes the model. */
KEEL_API const char *keel_model_message(const keel_model *m);
typedef struct keel_diagnostic {
    int error;        /* 0: a warning */
    int line, column; /* from 1; 0: about the whole model */
    const char *sentence, *hint;
} keel_diagnostic;
KEEL_API int keel_model_diagnostic(const keel_model *m, int i, keel_diagnostic *out); /* 1; 0: no more */

/* What the model was read with the sensitivities to: the k-th name; NULL: no more. */
KEEL_API const char *keel_model_direction(const keel_model *m, int k);
/* 1: unknown i of the first mode's problem is the sensitivity of unknown `of` to the direction; 0: none. */
typedef struct keel_sensitivity {
    int direction, of;
} keel_sensitivity;
KEEL_API int keel_model_sensitivity(const keel_model *m, int i, keel_sensitivity *out);

/* Another value for a parameter or at the start, as in "a=3".  Close first what was opened from the model;
 * its problems and modes are to be asked for again.  An assignment that is wrong in itself is refused with a
 * message and changes nothing else. */
KEEL_API keel_status keel_model_set(keel_model *m, const char *assignment);
/* The same for several at once, in place of all that were given before: what is not named is as the text has
 * it.  The start is sought once. */
KEEL_API keel_status keel_model_set_all(keel_model *m, const char *const *set, int sets);
KEEL_API const char *keel_model_name(const keel_model *m);
KEEL_API const char *keel_model_text(const keel_model *m);
KEEL_API int keel_model_parameter(const keel_model *m, int i, const char **name, double *value); /* 1 or 0 */
/* The i-th entry of the model's `options`: its name and what is written behind the sign; 1 or 0. */
KEEL_API int keel_model_option(const keel_model *m, int i, const char **name, const char **value);
/* The value of an expression of parameters, as in "50*T": 1, or 0 with a sentence in keel_model_refusal. */
KEEL_API int keel_model_number(keel_model *m, const char *expression, double *value);
KEEL_API const char *keel_model_refusal(const keel_model *m);
KEEL_API void keel_model_span(const keel_model *m, double *from, double *to);
/* With compile_ahead: is the compiler done?  1, and all that was opened from the model, in no call now, goes
 * on in machine code with the same bits; or there can be none.  0: not yet.  wait: until it is. */
KEEL_API int keel_model_compile(keel_model *m, int wait);
/* Is machine code in use?  If not, why, in one sentence. */
KEEL_API int keel_model_compiled(const keel_model *m, const char **why_not);
/* The C of the model, as it is compiled; NULL: there is none. */
KEEL_API const char *keel_model_source(const keel_model *m);

/* Groups of modes, each with a current mode of its own; 0: the model has no modes.  With several groups the
 * modes of the model, below, are combinations, one mode of each group, "left.open, right.closed": the model
 * itself has the first one, and a run adds those it enters (keel_sim_model). */
KEEL_API int keel_model_groups(const keel_model *m);
KEEL_API const char *keel_model_group(const keel_model *m,
                                      int i); /* its name; "": of names without a point */
KEEL_API const char *keel_model_group_mode(const keel_model *m, int i, int k); /* its k-th; NULL: no more */

/* What holds in a mode.  A model without modes has one, without a name. */
typedef struct keel_mode {
    const char *name;            /* NULL: none */
    const keel_problem *problem; /* with a consistent start in the first mode; u0 is NULL in the others */
    int index, freedom;          /* differentiation index; start values that are free */
    int dof;                     /* degrees of freedom as mechanicians count: the independent velocities;
                                    -1: there is neither a lagrangian nor canonical pairs */
    int equations, unknowns;     /* multipliers included */
    int combinations;            /* equations that were replaced by linear combinations */
    int redundant;               /* constraints that follow from others */
    int quadratic, separable;    /* x' is a polynomial of degree 2; H = T(p) + V(q) */
    int pairwise;                /* the functions depend on distances and momenta's products alone, on no
                                    more than 2^18 by the states of them */
} keel_mode;
KEEL_API int keel_model_modes(const keel_model *m);
KEEL_API int keel_model_start(const keel_model *m);          /* the first mode */
KEEL_API int keel_model_acts(const keel_model *m, int mode); /* does an event assign values there? */
KEEL_API int keel_model_mode(const keel_model *m, int i, keel_mode *mode); /* 1; 0: there is none */
/* The i-th linear invariant that the equations of a mode show (a mass balance), as text; NULL: none. */
KEEL_API const char *keel_model_linear_invariant(const keel_model *m, int mode, int i);
/* A start value that neither `init` nor the equations determine: it keeps its guess.  NULL: none. */
KEEL_API const char *keel_model_free_value(const keel_model *m, int i);

/* What the analysis of a mode found, in the model's names; texts that are too long end in "...".  Each gives
 * 1, or 0 past the last. */
enum { KEEL_NAME = 200, KEEL_TEXT = 400 };
typedef struct keel_hidden {
    char name[KEEL_NAME], of[KEEL_NAME]; /* "d/dt rod", "rod" */
    char text[KEEL_TEXT];                /* "2*x*x' + 2*y*y'", which must be zero */
    int order; /* how often `of` was differentiated; 0: a combination of equations */
} keel_hidden;
KEEL_API int keel_model_hidden(const keel_model *m, int mode, int i, keel_hidden *out);
/* Pryce's offsets: how often an equation is differentiated; the highest derivative of an unknown. */
typedef struct keel_offset {
    char name[KEEL_NAME];
    int offset;
} keel_offset;
KEEL_API int keel_model_equation_offset(const keel_model *m, int mode, int i, keel_offset *out);
KEEL_API int keel_model_unknown_offset(const keel_model *m, int mode, int i, keel_offset *out);
/* A state whose start value may be chosen: one set of as many as there are free ones. */
KEEL_API int keel_model_free_state(const keel_model *m, int mode, int i, char name[KEEL_NAME]);
/* A constraint that follows from others, which are its equivalent. */
KEEL_API int keel_model_redundant(const keel_model *m, int mode, int i, const char **name,
                                  const char **equivalent);
/* Does the form of the mode alone prove that the row is conserved?  So it is for the energy of a lagrangian
 * or hamiltonian without t, forces, moving constraints and further unknowns. */
KEEL_API int keel_model_proved(const keel_model *m, int mode, const char *row);
/* Is the potential a sum of terms that belong to one or two elements of an array of positions each? */
KEEL_API int keel_model_pairwise(const keel_model *m, int mode);
/* The model as one C file that includes headers of keel alone: CNAME_problem(), and a main() that is compiled
 * with -DKEEL_MODEL_MAIN and runs with these options (without their pointers but method, keep and sets; NULL:
 * default).  Where events act, bodies touch or modes change, there is CNAME_model(), too, for keel_sim_open.
 * NULL with errno: ENOMEM; EINVAL, the model has errors; EFBIG, it is too large for one file.  To be freed by
 * free(). */
KEEL_API char *keel_model_standalone(const keel_model *m, const keel_options *o);
/* Machine code that a program brings itself, as such a file does, for a model that was read with `interpret`:
 * functions by their names in it, the last without one (keel/extras.h).  They live as long as the model. */
struct keel_linked;
KEEL_API void keel_model_link(keel_model *m, const struct keel_linked *functions);

/* A run through events, actions and modes.  The observer in the options gets the keel_sim as its user; beside
 * steps it is called at every event, and once more after an action has changed something. */
typedef struct keel_sim keel_sim;
KEEL_API keel_sim *keel_sim_open(const keel_model *m, const keel_options *o); /* NULL only without memory */
KEEL_API void keel_sim_close(keel_sim *s);
/* To t_end.  KEEL_EVENT: a `stop` was met; call it again to go on. */
KEEL_API keel_status keel_sim_run(keel_sim *s, double t_end);
KEEL_API keel_status keel_sim_step(keel_sim *s, double t_end); /* one step, or up to an event */
/* As keel_advance, through events, actions and modes: until a step or an event reaches t_wake. */
KEEL_API keel_status keel_sim_advance(keel_sim *s, double t_wake, double t_end);
/* Samples of a controller, `every T -> u := ..`, that are all that happens in the model, go unseen from here
 * on: the observer is not told of them, and keel_sim_advance takes all before t_wake in one loop, each step
 * by the kernel.  1; 0: other events, rows or modes are there, and all are told. */
KEEL_API int keel_sim_overlook_samples(keel_sim *s);
/* Compiles f, with what is kept, into the loop of the run's method, unless the model has that already: from
 * here on kernels take the steps between samples, with the same bits.  It takes some tenths of a second, and
 * pays after some 10^6 steps.  1; 0: there can be none (another kind of method, events, no compiler). */
KEEL_API int keel_sim_compile(keel_sim *s);
/* The same without waiting: 0 while the compiler is at work.  To be called again, between calls that run. */
KEEL_API int keel_sim_compile_ahead(keel_sim *s);
/* The same, if an earlier run has left it in the cache: no compiler is asked.  It takes a millisecond. */
KEEL_API int keel_sim_compile_cached(keel_sim *s);
/* The same, and a second loop in which several runs go side by side, one in each lane of a vector, with the
 * same bits (keel_lanes in keel/extras.h).  lanes: 2, 4, 8; 0, or more than this machine has: as many as it
 * has.  How many; 0: there can be none (besides: a splitting, branches in the equations, several modes). */
KEEL_API int keel_sim_compile_lanes(keel_sim *s, int lanes);
/* The same for a GPU, by nvcc ($KEEL_NVCC, or the one on $PATH): its `device` is there.  The kernel; NULL,
 * with the reason: there can be none, or no GPU. */
KEEL_API const struct keel_kernel *keel_sim_compile_device(keel_sim *s, char *message, size_t capacity);
/* Another run of the model, with the same options, takes over the loops of `like`, which lives longer; the
 * number of its lanes. */
KEEL_API int keel_sim_share_kernel(keel_sim *s, const keel_sim *like);
KEEL_API keel_solver *keel_sim_solver(keel_sim *s); /* of the mode in force */
KEEL_API int keel_sim_mode(const keel_sim *s);
/* The model with the modes that the run has entered: its own where there are several groups of modes, and
 * valid until the run goes on. */
KEEL_API const keel_model *keel_sim_model(const keel_sim *s);
KEEL_API void keel_sim_span(const keel_sim *s, double *from, double *to); /* the ends of the run */
KEEL_API void keel_sim_attach(keel_sim *s, void *user);                   /* for the observer, who asks by */
KEEL_API void *keel_sim_attached(const keel_sim *s);
KEEL_API keel_status keel_sim_status(const keel_sim *s); /* < 0: the run has failed, or could not be opened */
KEEL_API const char *keel_sim_message(const keel_sim *s);

/* Columns: every unknown, velocities, multipliers, outputs; the same in all modes. */
KEEL_API int keel_sim_columns(const keel_sim *s);
KEEL_API const char *keel_sim_column(const keel_sim *s, int i);      /* its name; NULL past the last */
KEEL_API const char *keel_sim_column_unit(const keel_sim *s, int i); /* as m/s^2; NULL: not known */
typedef enum keel_column { KEEL_COLUMN_STATE, KEEL_COLUMN_MULTIPLIER, KEEL_COLUMN_OUTPUT } keel_column;
KEEL_API keel_column keel_sim_column_kind(const keel_sim *s, int i);
/* Where the start value of a column comes from. */
typedef enum keel_origin {
    KEEL_FROM_EQUATIONS,
    KEEL_FROM_GUESS, /* the equations determine it, near the guess */
    KEEL_FROM_INIT,
    KEEL_FREE /* it keeps its guess */
} keel_origin;
KEEL_API keel_origin keel_sim_origin(const keel_sim *s, int i);
/* NAN or infinite where a quantity has no value: sqrt of a negative number, equations without a solution.
 * The run itself goes on as long as it needs none of these. */
KEEL_API keel_status keel_sim_values(keel_sim *s, double *out);              /* where it stands */
KEEL_API keel_status keel_sim_values_at(keel_sim *s, double t, double *out); /* inside the last step */
/* How large each column is where it stands: |value|, and of an output, which may cancel, the sum of its
 * |terms|. */
KEEL_API keel_status keel_sim_sizes(keel_sim *s, double *out);
/* The closed form of each column at t by `exact` lines, NAN where there is none; is there one? */
KEEL_API keel_status keel_sim_exact(keel_sim *s, double t, double *out);
KEEL_API int keel_sim_has_exact(const keel_sim *s, int i);
/* The k-th `reference` line: 1 with its time and values, NAN where it says nothing; 0: there is none. */
KEEL_API int keel_sim_reference(const keel_sim *s, int k, double *t, double *out);

/* What is kept or watched in any mode: constraints, their derivatives, invariants.  drift: value - start at
 * t, inside the last step or where the run stands; NAN where the mode has no such row.  With several groups
 * of modes there are more rows once the run has entered others; drifts are of those it began with. */
KEEL_API int keel_sim_rows(const keel_sim *s);
KEEL_API const char *keel_sim_row(const keel_sim *s, int i);
KEEL_API int keel_sim_row_in(const keel_sim *s, int i, int mode); /* 1: the mode has it */
KEEL_API keel_status keel_sim_drifts(keel_sim *s, double t, double *drift);
/* Columns and drifts at t together, at the price of one sample between the steps; either may be NULL. */
KEEL_API keel_status keel_sim_sample(keel_sim *s, double t, double *values, double *drift);

/* Row i of the certificate over all modes that the run went through: `start` is its value at the true start,
 * or where the first mode that has it began; drift and units are the worst of all modes, each against the
 * value held there.  1; 0: past the last, or no mode that was in force has it. */
KEEL_API int keel_sim_row_at(const keel_sim *s, int i, keel_row *row);
/* The i-th switching surface over all modes: 1; 0 past the last. */
KEEL_API int keel_sim_surface_at(const keel_sim *s, int i, keel_surface *out);

/* The complete state of the run as bytes, as keel_save; keel_sim_load goes on with the same bits. */
KEEL_API size_t keel_sim_save(const keel_sim *s, void *bytes, size_t capacity);
KEEL_API keel_sim *keel_sim_load(const keel_model *m, const keel_options *o, const void *bytes, size_t count);

/* What happened: events in their order; negative numbers count from the end. */
typedef struct keel_event_record {
    double t;
    const char *event;
    int from, to; /* modes */
    int changed;  /* values were assigned or the mode changed */
} keel_event_record;
KEEL_API int keel_sim_event(const keel_sim *s, long i, keel_event_record *out); /* 1; 0 past the last */

/* The table of jumps: an invariant or an energy whose value an event has changed by more than round-off, in
 * the order of the events; negative numbers count from the end.  Rows that one of the two modes lacks are not
 * in it. */
typedef struct keel_jump {
    double t;
    const char *event, *row;
    int from, to; /* modes */
    double before, after;
} keel_jump;
/* The i-th contact of the run: its name, its coefficients, and whether it is closed.  1; 0 past the last. */
KEEL_API int keel_sim_contact(const keel_sim *s, int i, const char **name, double *restitution,
                              double *friction, int *closed);
KEEL_API int keel_sim_jump(const keel_sim *s, long i, keel_jump *out); /* 1; 0 past the last */

#ifdef __cplusplus
}
#endif
#endif
