/* engine.h - one run: a problem, a stepper, a stabilizer, and every number between them.
 *
 * All numbers live in one block, laid out by one function that runs twice (measure, carve): save, load and
 * fork copy the block.  Nothing here allocates after engine_open. */
#ifndef KEEL_CORE_ENGINE_H
#define KEEL_CORE_ENGINE_H

#include <keel/method.h>

#include "core/manifold.h"
#include "core/start.h"

/* The run's scalars; the first piece of the block. */
/* Events that stopped the run, over restarts and modes: the last one, how long after the one before, what
 * share that was of the time before, how often in a row it was less, and the same share. */
struct accumulation {
    double t, gap, ratio, speed;    /* speed: of the event function */
    int count, steady, same, event; /* same: of those, by the same event */
    int alike;                      /* ratios in a row that are alike: not noise */
};

/* Switches: since when they are counted, how long the WINDOW before took, how often in a row that was less.
 */
struct zeno {
    double since, took;
    int count, shrunk, idle;
};

/* Looks at stiffness, where the method may be changed for it (watch.c). */
enum { WATCH_CHANGES = 16 };
struct watch {
    int hits, others; /* steps in a row that count, and others since */
    int doubled;      /* how often what it takes to come back to explicit steps was */
    int wanted;       /* the other kind of method, from the current state on */
    long next, since; /* the step that is next examined; the one where the method in force began */
    double from;      /* t of the first of those that count */
    double damping;   /* at the last one */
    long changes;
    keel_change change[WATCH_CHANGES]; /* the first ones, and the last one */
};

struct run_state {
    double t, t_before;         /* the current state: the end of the last accepted step; and its begin */
    double t_now;               /* where the solver stands: the current state, or inside the last step */
    double t_low, t_low_before; /* relaxed steps end at t + t_low; the same of the begin of the last step */
    double base, h_taken;       /* fixed steps: t = base + count h; the last step taken */
    double h_next, error_before;
    double familiar;       /* after keel_go_on: longer first steps are judged by the motion; 0: no step is */
    double rho, low, high; /* reversible steps: the density, 0 before the first, and where it holds */
    double scanned, piece; /* events have been looked for up to here; the length to try next, 0: the step */
    double piece_from, piece_to; /* where polynomials stand for the event functions */
    long count;
    int current;        /* which of the two buffers holds the current state */
    int rhs_known[2];   /* f of that buffer is the rate at its x */
    int slope_known[2]; /* and slope y' there, where y has one; its branch is known */
    int walked;         /* in the last step y was followed piece by piece */
    int inside;         /* stands inside the last step */
    int fresh;          /* no earlier step is of use to the method */
    int has_step, dense_ready;
    int outgrown; /* the sizes of the states have outgrown the weights */
    int observed; /* the observer has seen the current state */
    int direction;
    int event;
    int just_begun; /* event values may be zero here without a crossing */
    int blurs;      /* pieces of the step in which samples do not resolve the event functions */
    int degree;     /* of the polynomials of the present piece; 0: there is none yet */
    int sampled;    /* the rest of the step has no polynomials */
    int left;       /* the event from whose root the run goes on; -1: none */
    int surface;    /* the event that is the switching surface where the solver stands; -1: none */
    int unsettled;  /* the sides of surfaces that are met where the run begins are still to be chosen */
    int at_rest;    /* events pile up: the run is over */
    int regridded;  /* a switch began a new grid of fixed steps */
    int crawls;     /* steps in a row that the clock hardly resolves */
    int checks;     /* at steps whose estimates are round-off, before the next leap (correction.c) */
    int sliding;    /* 1 + the surface that is slid along; 0: none */
    double slide_moment, slide_from; /* a time in which little happens; where it began to slide */
    double step;                     /* the fixed step in force */
    keel_status status;
    keel_defect defect;
    /* what follows lasts over restarts */
    struct accumulation accumulation;
    struct zeno zeno;
    struct watch watch;
    keel_stats stats;
    keel_correction correction;
};

enum { EVENTS_SAMPLES = 12 };   /* of a step */
enum { EVENTS_TERMS = 61 };     /* of a polynomial, at most */
#define EVENTS_NEGLIGIBLE 1e-10 /* of the largest value around: zero where a run begins on an event */

struct events {
    int *sign; /* per event: before the next crossing; 0: not known yet */
    double *samples, *here, *slope, *root, *trial, *at_root;
    int *crossing;
    /* Polynomials of the present piece, in shares of it, EVENTS_TERMS each, and what in them is noise. */
    double *polynomial, *noise;
    int *sign_before, *passed; /* per event: where the piece begins; how many of its roots are behind */
};

struct surface_tally {
    long crossings, slides;
    double slid;
};

struct surfaces {
    int count;
    struct surface_tally *tally; /* count */
    int *event;                  /* count: its number among the events */
    int *number;                 /* per event: the surface it is; -1: none */
    int *met;                    /* count: met where the solver stands; while it slides: slid along */
    double *side;                /* count: in force */
    double *low, *high;          /* count: below and above a surface that is met */
    double *value, *noise;       /* per event */
    double *rest; /* count: a surface that is left along a tangent has no sign below this height */
    double *trial, *u, *there, *f[2];
    double *before;  /* count: the sides before a crossing, where there are variations */
    double *moments; /* count * directions: of these */
    keel_fn *rhs;    /* the method's, without sliding */
    void *context;
};

struct grid { /* where fixed steps end for the t_end of the present call */
    double t_end, steps;
    int on_grid;
};

struct gauge {          /* what makes a step density of a state; from the start on the same */
    double start;       /* 1 / sigma there, where rho is 1 */
    double rest, least; /* of |x'|^2, of sigma^-2 */
    int known;
};

struct reversible {
    struct gauge *gauge;
    double *weight;                          /* n */
    double *second, *third, *ahead, *behind; /* x'', x''', rates beside the current state */
};

/* Samples of the defect (defect.c). */
struct defect {
    double *at, *value, *rate; /* width, or n + m */
    keel_newton *newton;       /* implicit methods */
    long none_from, none;      /* so many steps from this one on are not looked into */
};

/* What is known of the invariants when an engine is opened: nothing; the verdicts of an earlier stay in this
 * mode; those on the same functions with other numbers behind `user`, looked at once more near the start;
 * nobody asks, since it is the start alone that is wanted. */
enum verdicts { VERDICTS_UNKNOWN, VERDICTS_KNOWN, VERDICTS_ALIKE, VERDICTS_UNASKED };

struct engine_past { /* what comes with an engine that is opened */
    enum verdicts verdicts;
    const int *verdict;          /* of each row; NULL: the invariants are verified */
    const struct engine *before; /* the mode before this one; NULL: it is the first */
    int rows;                    /* how many verdicts; 0: as many as the problem has rows */
};

struct engine {
    keel_solver *handle; /* for the observer */
    keel_options o;
    const keel_stepper *stepper;
    keel_work work;
    keel_halt halt; /* options.stop, and whether anything has been given up */
    struct arena arena;
    struct field field;
    struct rows rows;
    struct manifold manifold;
    struct start start;
    struct events events;
    struct surfaces surfaces;
    struct reversible reversible;
    struct grid grid;
    struct defect defect;
    struct run_state *r;          /* in the block, or blank if the problem did not get that far */
    double *x[2], *f[2], *low[2]; /* width, or n + m: states with their algebraic variables */
    double *slope[2];             /* m: y' there */
    double *x_now;                /* n + m, when inside */
    double *dx, *error[2], *scale, *split, *scratch, *kept_aside, *forces;
    double *atol;                      /* n */
    double *magnitude;                 /* by direction of the sensitivities: |p| at the start */
    double *workspace, *largest_error; /* 6 width, for correction.c and spectrum.c; 1: relative */
    int from;                          /* the buffer that an attempt of the stabilizer begins from */
    int was_split;                     /* error[0] is tangential, split the rest of it */
    int settled, verified;             /* treatment of rows decided; invariants and derivatives looked at */
    enum verdicts verdicts;            /* those on the invariants when it was opened */
    int measured;                      /* rows are evaluated at every step */
    int estimates;                     /* error estimates wanted: 0, 1, 2 */
    int algebraic_atol;                /* some of y have tolerances of their own */
    unsigned char *fixed_by_default;   /* n + m: all of x, none of y */
    void *memory;                      /* what the block lies in */
    unsigned char *block;              /* the numbers, then the structs of the method and of the stabilizer */
    size_t block_size;                 /* of the numbers */
    size_t common;                     /* of those that do not depend on the method: the first ones */
    const keel_rk *watched;      /* the explicit table of a run that changes methods; NULL: it does not */
    char message[TEXT_SENTENCE]; /* from here on a snapshot has nothing to remember */
    struct run_state blank;
};

/* engine.c */
static inline struct engine *engine_of(const keel_manifold *view) { /* of which a stabilizer has this view */
    return view->core;
}
/* engine_memory.c: after its block is measured.  1: it has failed, with its sentence. */
int engine_too_large(struct engine *e);
int engine_take_block(struct engine *e); /* 0, or -1 without memory */
/* NULL: no memory.  A problem that does not fit still gives an engine, failed, with its sentence.
 * begin 0: laid out only, to be filled from a saved state.  past NULL: nothing is known. */
struct engine *engine_open(keel_solver *handle, const keel_problem *p, const keel_options *o,
                           const keel_stepper *method, const keel_stabilizer *stabilizer, int begin,
                           const struct engine_past *past);
/* The same in two parts: laid out, before any number is known; and the rest. */
struct engine *engine_carve(keel_solver *handle, const keel_problem *p, const keel_options *o,
                            const keel_stepper *method, const keel_stabilizer *stabilizer,
                            const struct engine_past *past);
void engine_prepare(struct engine *e, int begin, const struct engine *before);
size_t engine_bytes(const struct engine *e); /* of its block */
/* engine_settle.c: once u0 is known; ahead: before that, where no start and no number can change it. */
keel_status engine_settle(struct engine *e);
void engine_settle_ahead(struct engine *e);
struct engine *engine_copy(keel_solver *handle, const struct engine *source); /* NULL: no memory */
/* change.c: the same run, which another method goes on with from the current state; as engine_open. */
struct engine *change_engine(const struct engine *old, const keel_stepper *method);
void engine_close(struct engine *e);
void engine_stand(struct engine *e, double t); /* at t, without a step; only what lasts is as it was */
keel_status engine_fail(struct engine *e, keel_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
keel_status engine_fail_by_fault(struct engine *e); /* with the field's own sentence */
/* Long work looks at options.stop, or does not: only where what comes of it can be forgotten. */
void engine_heed(struct engine *e, int stop);
static inline int engine_asked(const struct engine *e) { /* between steps */
    return e->o.stop && __atomic_load_n(e->o.stop, __ATOMIC_RELAXED);
}
void engine_explain(struct engine *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Takes (t, u) as the new start: made consistent, references and events anew; then, once, the invariants
 * (verify.h).  fixed: as start_make. */
keel_status engine_begin(struct engine *e, double t, const double *u, const unsigned char *fixed);
/* The rate of the run: of the field, and what a stabilizer adds to it. */
keel_status engine_rhs(struct engine *e, double t, const double *x, double *dx);
static inline int engine_estimates(const keel_stepper *m) { /* that its error norm uses */
    return m->norm && m->norm->kind != KEEL_ERROR_FIRST ? 2 : 1;
}
keel_fn engine_rhs_fn;                        /* the same for the method; its user is the engine */
double *engine_state(const struct engine *e); /* n + m, where the solver stands */

/* tolerances.c: atol, sizes; u0 is known.  before: of a run that goes on with the same states, or NULL. */
void tolerances_set(struct engine *e, const struct engine *before);
/* What the stabilizer does here: has it attempts of its own, a term in the right-hand side, steps off the
 * grid; does it want estimates of errors beyond those of the control? */
static inline int engine_attempts(const struct engine *e) {
    return e->manifold.stabilizer->attempt && e->manifold.kept > 0;
}
static inline int engine_pulls(const struct engine *e) {
    return e->manifold.stabilizer->rhs && e->manifold.kept > 0;
}
static inline int engine_off_grid(const struct engine *e) {
    return e->manifold.traits & KEEL_OFF_GRID && e->manifold.kept > 0;
}
static inline int engine_further_estimates(const struct engine *e) {
    return engine_off_grid(e) ? e->manifold.kept - 1 : 0; /* embedded formulas: one for each further row */
}
/* The stabilizer's attempt, from buffer `from`. */
static inline keel_status engine_attempt(struct engine *e, keel_attempt *a, int from, double t_new,
                                         double *x_new, double *low_new) {
    e->from = from;
    return e->manifold.stabilizer->attempt(&e->manifold.view, a, t_new, x_new, low_new);
}
static inline int engine_finite(int n, const double *x) {
    return keel_native_finite(n, x);
}

/* reference.c: what the invariants are held at, of the start at (t, u); then, with the units known, freed
 * of its round-off where rows are kept to theirs */
keel_status reference_set(struct engine *e, double t, const double *u);
keel_status reference_refine(struct engine *e, double t, const double *u);

/* control.c */
double control_norm(const struct engine *e, const double *error, const double *x, const double *x_new);
double control_raw(struct engine *e, const double *x_new); /* of the estimate as it stands */
/* Tangential and normal parts weighed (rule 4), by the tolerances of control_raw where x_new is corrected.
 */
double control_error(struct engine *e, double *x_new);
/* The error of those y that have tolerances of their own, at x_new with its y, where that of the states is
 * `error`. */
double control_algebraic(struct engine *e, double t_new, const double *x_new, double error);
double control_longest(struct engine *e, double t_end); /* step towards t_end; HUGE_VAL: any */
double control_first_step(struct engine *e, double t_end);
void control_restart(struct engine *e, double t_end); /* another motion begins: the next step suits it */
double control_aim(struct engine *e); /* the step to begin with: what the method wants, or what was next */
/* The next step after one of h with this error; infinite: it could not be made. */
double control_next(struct engine *e, double h, double error, int rejected);

/* watch.c: of the step that was just taken, if it is due; another method has begun; there is none that could.
 */
static inline int watch_is_due(const struct engine *e) {
    return e->watched && e->r->stats.steps >= e->r->watch.next;
}
void watch_step(struct engine *e);
/* Is stability what bounds explicit steps like the last one, of this table?  NULL: of no table. */
int watch_bounds(const struct engine *e, const keel_rk *table, const keel_stiffness *s);
void watch_changed(struct engine *e);
void watch_give_up(struct engine *e);
int watch_is_sound(const struct watch *w); /* of a saved state */

/* correction.c */
static inline int correction_counts(const struct engine *e) { /* are states moved after a step, at its end? */
    const struct manifold *m = &e->manifold;
    return manifold_corrects(m) && !(m->traits & KEEL_OFF_GRID) && !m->stabilizer->attempt && !e->r->sliding;
}
/* Of the step from the current state that is about to be accepted. */
void correction_note(struct engine *e, double t_new, double h);
void correction_enter(struct engine *e, int i, double ratio, double t); /* the largest so far: of state i */
/* The error of the attempt at h, in tolerances, where its estimate may be blind to it.  *known: f of the end
 * is in its buffer. */
double correction_unblind(struct engine *e, double h, double t_new, const double *x_new, double error,
                          int *known);

/* reversible.c */
void reversible_layout(struct reversible *v, const keel_options *o, size_t n, size_t vector, struct arena *a);
/* Where the next reversible step ends, not beyond t_end. */
keel_status reversible_aim(struct engine *e, double t_end, double *t_new);
void reversible_carry(const struct engine *from, struct engine *to); /* the gauge, to another mode */
/* clock.c: the time of which a run speaks, where steps go by another variable, d t = s d tau; that variable
 * itself where they do not */
static inline double clock_now(const struct engine *e) { /* where the solver stands */
    return e->block && e->field.p.clock ? engine_state(e)[e->field.n - 1] : e->r->t_now;
}
static inline double clock_of_step(const struct engine *e) { /* at the end of the last step */
    return e->field.p.clock ? e->x[e->r->current][e->field.n - 1] : e->r->t;
}
static inline double clock_before(const struct engine *e) { /* where that step began */
    return e->field.p.clock ? e->x[1 - e->r->current][e->field.n - 1] : e->r->t_before;
}
double clock_told(const struct engine *e, double tau); /* near the last step, for messages: about */
double clock_rate(struct engine *e);                   /* s at the current state; 1 */
/* tau, inside the last step, where the time is t. */
keel_status clock_find(struct engine *e, double t, double *tau);
/* The same of the method's own step, and u there: of full order, and its time is t. */
keel_status clock_land(struct engine *e, double t, double *tau, double *u);
/* Does time pass, where there is a clock?  KEEL_OK, or the run has failed. */
keel_status clock_check(struct engine *e);
/* time_scale.c: 1/T at (t, x), T the time of the motion; 0: nothing moves.  Uses what is free between
 * steps. */
double time_scale_inverse(struct engine *e, double t, const double *x, const double *f);

/* step.c */
/* The method's attempt, summed into x_new (and shift with it, if not NULL), finite; `from`: the buffer it
 * starts from. */
keel_status step_propose(struct engine *e, keel_attempt *a, int from, const double *shift, double *x_new,
                         double *low_new);
keel_status step_take(struct engine *e,
                      double t_end); /* one accepted step of the current state, not beyond t_end */
void step_weigh(struct engine *e);   /* new weights, where the last step asks for them */
keel_status step_verify(
    struct engine *e); /* is what the stabilizer holds true here, too?  Where project_verifies */
keel_status step_failed(struct engine *e,
                        keel_status status); /* of the method's own call: with a fault, whatever it was */
void step_count(struct engine *e);           /* the method's calls of f go to the statistics */
keel_status step_raw(struct engine *e, double t,
                     double *x); /* from the begin of the last step to t inside it */
keel_status step_again(struct engine *e, double t, double *x); /* the same, on the manifold */

/* x_new = x + (dx + shift); shift NULL: none */
void step_add(const struct engine *e, int from, const double *shift, double *x_new, double *low_new);
/* What t lacks of base + count h, the time of fixed step number `count`; 0 where there is no such grid. */
double step_low(const struct engine *e, long count, double t);

/* diagnostics.c: what may have run away at the current state; "": no telling */
void diagnostics_of_short_steps(struct engine *e, char *text, size_t size);

/* follow.c: y stays on its branch */
keel_status follow_begin(struct engine *e); /* from here on, for a step from the current state */
/* The status of the attempt; KEEL_ESINGULAR where y ends at the current state itself. */
keel_status follow_end(struct engine *e, keel_status status);
/* Is y at the new state, with its rate, the continuation of y at the current state? */
keel_status follow_check(struct engine *e, double t_new, double h);
keel_status follow_inside(struct engine *e, double t, double *x); /* y of x inside the last step */

/* kernel.c */
/* The problem brings a kernel, and nothing looks at single steps; beside: other runs go with it. */
int kernel_fits(const struct engine *e, int beside);

/* dense.c */
keel_status dense_at(struct engine *e, double t, double *u);  /* on the manifold, with y */
keel_status dense_raw(struct engine *e, double t, double *x); /* the interpolant alone */
keel_status dense_rates(struct engine *e);                    /* of both ends of the step, for it */
keel_segment dense_step(const struct engine *e);              /* the last step */
double dense_way(const struct engine *e, double t);           /* from its begin to t */
keel_status dense_settle(struct engine *e, double t,
                         double *x); /* a state inside the step, to the manifold */

/* defect.c */
void defect_layout(struct engine *e, size_t vector);
/* At this share of the last step, in tolerances or relative to the states. */
keel_status defect_at(struct engine *e, double theta, keel_defect *found);
/* The factors of I - h J in e->defect, J = f_x at (t, x), where f is as given; 0: of explicit methods, of
 * many states, or without a value there are none. */
int defect_filter(struct engine *e, double t, double h, const double *x, const double *f);
int defect_is_dear(const struct engine *e); /* a sample between the steps costs a step */
long defect_wait(const struct engine *e);   /* steps before the next one that is looked into */
void defect_sample(struct engine *e);       /* after a step: a sample for the certificate, if one is due */
static inline int defect_may_be_due(const struct engine *e) {
    return (unsigned long)(e->r->stats.steps - e->defect.none_from) >= (unsigned long)e->defect.none;
}
void defect_join(keel_defect *sum, const keel_defect *more);
void defect_carry(const struct engine *from, struct engine *to); /* to another mode */

/* stiffness.c: of the last step; KEEL_RETRY: it cannot be told. */
keel_status stiffness_find(struct engine *e, keel_stiffness *out);
keel_status stiffness_fastest(struct engine *e, keel_stiffness *out); /* h = 1; no step is needed */
/* spectrum.c: the same of all time scales, where the solver stands. */
keel_status spectrum_find(struct engine *e, keel_time_scales *out);

/* surfaces.c */
void surfaces_init(struct engine *e); /* counts them */
void surfaces_layout(struct engine *e, size_t vector);
void surfaces_attach(struct engine *e);        /* the method's rate, sliding or not */
void surfaces_publish(const struct engine *e); /* the sides in force, to where callbacks see them */
int surfaces_of_event(const struct engine *e, int event); /* -1: it is none */
/* Below this the value of an event that is a surface says nothing: its side is known.  -1: it is none. */
double surfaces_noise(const struct engine *e, int event, double largest);
void surfaces_scanned(struct engine *e, const double *value); /* where the search for events has come to */
/* The sides by the signs at (t, u); how many changed. */
int surfaces_signs(struct engine *e, double t, const double *u);
/* Where a run begins on surfaces: the sides it leads to. */
keel_status surfaces_settle(struct engine *e);
/* From where the solver stands, on a surface: the sides beyond; then what the search for events knows. */
keel_status surfaces_pass(struct engine *e);
void surfaces_passed(struct engine *e);
/* variations.c: sensitivities beyond a surface, which was passed from the sides s->before. */
void variations_layout(struct engine *e);
void variations_stand(struct engine *e); /* these are the sides before */
keel_status variations_cross(struct engine *e, int crossed);
keel_status variations_slide(struct engine *e); /* a sentence, where the motion begins to slide */
int surfaces_reached(
    struct engine *e); /* the current state is on one, to the tolerances; then it stands there */
/* Event values as the search for crossings wants them: each surface changes sign where its side ends. */
keel_status surfaces_seen(struct engine *e, double t, const double *u, double *value);
void surfaces_end_slide(struct engine *e);                        /* where the solver stands, if it slides */
keel_status surfaces_hold(struct engine *e, double t, double *x); /* sliding: back to the surface */
keel_status surfaces_hold_step(struct engine *e, double t, double *x); /* the same at the end of a step */
keel_fn surfaces_rhs;                                                  /* sliding; its user is the engine */
void surfaces_bound(const struct engine *e, double *scale); /* sliding: no tolerance below its round-off */
/* Sliding: `look` at (t, u) from both sides (keel_sliding); 1; 0: it does not slide. */
int surfaces_both(struct engine *e, double t, const double *u, keel_side_fn *sample, void *context);

/* events.c */
void events_begin(struct engine *e);
/* Looks for the first event in (scanned, t_to].  1: found, and the engine stands on it. */
int events_scan(struct engine *e, double t_to, keel_status *status);
static inline keel_status events_at(struct engine *e, double t, const double *u,
                                    double *out) { /* at a state */
    keel_status status = map_value(&e->field, &e->field.event, t, u, out);
    return status == KEEL_OK && e->surfaces.count ? surfaces_seen(e, t, u, out) : status;
}
/* All event values at t on the dense output.  projected: as a person would see it. */
keel_status events_values(struct engine *e, double t, int projected, double *out);

/* events_roots.c: where the method has polynomials */
struct events_root {
    int event; /* -1: none up to t_to */
    double t, slope;
    double low, high; /* other roots of the event lie beyond */
};
/* The next root up to t_to.  0: the rest of the step is to be sampled. */
int events_next_root(struct engine *e, double t_to, struct events_root *found, keel_status *status);

/* run.c */
/* Steps towards t_end, at least one, until one reaches t_wake, or `pause` of them are taken (0: any number).
 * What the steps are does not depend on t_wake and pause.  tell: the observer sees each of them; else only
 * the last one, and events. */
double run_time_left(const struct run_state *r); /* until the limit of the events' times; NAN: none is seen */
keel_status run_to(struct engine *e, double t_wake, double t_end, long pause, int tell);
#endif
