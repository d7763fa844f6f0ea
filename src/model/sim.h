/* sim.h - a run through events, actions and modes. */
#ifndef KEEL_MODEL_SIM_H
#define KEEL_MODEL_SIM_H

#include "model/private.h"
#include "model/ledger.h"

/* When an event last acted, and the slope of its function then; again: something has acted on it since. */
struct sim_fired {
    double t, slope;
    double steepest[INSIDE_DERIVATIVES]; /* its derivatives, the largest of all times it acted at t */
    int again;
    int side; /* the sign of its function before the actions that are under way; 0: none, or not known */
};

struct sim_record;

/* A row that the event_record-th event has changed. */
struct sim_jump {
    long event_record;
    int row; /* of the model's */
    double before, after;
};

/* A start of a run's own, in place of the model's (vary.h). */
struct sim_start {
    const double *parameter;     /* parameters, held values, sides */
    const double *u;             /* consistent, in the first mode */
    double span[2];              /* the ends of the run */
    const struct keel_sim *like; /* the verdicts on invariants are taken from there; NULL: none are known */
};

struct keel_sim {
    const keel_model *m;
    keel_model *own; /* read for this run alone (vary.h, grow.h); NULL: m is somebody's */
    double span[2];  /* the ends of the run */
    keel_options o;
    void (*observe)(keel_solver *s, void *user); /* the user's; gets the keel_sim */
    void *attached;                              /* the user's */
    int overlooks;                               /* he is not told of samples (sim_sample.h), */
    int unseen;                                  /* and of the steps that lead there */
    keel_solver *solver;
    int mode;
    int entered;       /* the events of the mode were looked at where it begins */
    double *parameter; /* this run's own, with held values */
    struct functions_bound *bound;
    keel_problem *problem; /* by mode */
    double *atol;          /* theirs, by their scales; or NULL */
    int scaled;            /* they are asked for */
    int rows;              /* of the model as it was opened: those that samples have */
    void **outgrown;       /* memory of before the model had more modes (grow.h) */
    int outgrowns;
    double *work;                           /* enough for the unknowns of any mode and what is assigned */
    double *rate;                           /* as many, for saltation.h */
    double *moment;                         /* by direction: tau of the event that acted last, */
    const struct inside_event *moment_of;   /* which is this; NULL: none yet */
    double *entry;                          /* the unknowns with which the mode in force was entered */
    double direction;                       /* of time: 1 or -1 */
    struct sim_fired *fired, *fired_before; /* by event of the mode in force; room for a mode's before it */
    double *time;   /* periods and times of the timed events of the mode timed_mode (sim_clock.c) */
    int timed_mode; /* -1: none yet */
    double *due;    /* behind it: when each is next to act, running timed_way; NAN: not looked for yet */
    double timed_way;
    double *held;               /* behind it, for held values */
    struct values_work scratch; /* enough for all that is asked in any mode */
    double simultaneous_time;   /* events at one time are counted */
    int simultaneous;
    struct sim_record *record; /* sim_record.h */
    long event_records, records, capacity;
    struct ledger ledger;
    struct sim_jump *jump;
    long jumps, jump_workspace;
    double *row_value;               /* rows before an action, their units, and the same after it */
    double *residual;                /* of the solver's rows, at a sample (drift.c); NULL: not yet */
    struct vary_again *repeat;       /* what keel_vary_again keeps; NULL: not yet */
    struct compile_unit lanes;       /* those of the kernel, the same */
    struct compile_unit device_unit; /* those for a GPU; it stays loaded, as its driver wants */
    keel_device device;
    struct contact_run *contact; /* NULL: the model has none */
    struct compile_unit unit;    /* this run's own (sim_kernel.c); no handle: none */
    keel_extras *extras;         /* by mode: those of the problem, with what `kernel` has */
    keel_kernel *kernel;         /* by mode: what it has; NULL: not asked for yet */
    struct functions *made; /* by mode, and their C, while the compiler is at work on it; NULL: it is not */
    char *kernel_text;
    double *branch; /* the sides at the last look (branches.h); NULL: not yet */
    int branch_mode;
    keel_status status; /* of what is not the solver's */
    char message[640];
};

/* A run without a solver yet; NULL without memory, failed where the model is.  start NULL: the model's. */
struct keel_sim *sim_begin(const keel_model *m, const keel_options *o, const struct sim_start *start);
/* Room for the modes that the model has, their problems bound to the run; tolerances by their scales.  1,
 * or 0 without memory. */
int sim_take_memory(struct keel_sim *s);
int sim_scale_tolerances(struct keel_sim *s);
struct keel_sim *sim_open(const keel_model *m, const keel_options *o, const struct sim_start *start);
/* What the event that the solver stands on asks for, by its number: KEEL_OK: go on; KEEL_EVENT: it stops
 * the run. */
keel_status sim_act(struct keel_sim *s, int number);
/* What the solver says, without the name of the call: who wrote a model has made none. */
const char *sim_said_by(const keel_solver *solver);
/* sim_clock.c: the number of a timed event that is to act where the run stands, or -1; the first time after
 * that at which there is one, up to t_end, and its number, or -1. */
int sim_due(struct keel_sim *s);
keel_status sim_next_time(struct keel_sim *s, double t_end, double *next, int *event);
/* The first time behind *next, where the run stands, at which one acts, where nothing but timed events may;
 * 0: none does before t_end, or that cannot be told. */
int sim_next_sample(struct keel_sim *s, double t_end, double *next);
/* Tables of t are on the piece that begins where the run stands; a step that failed because another one has
 * no value has that for its reason. */
keel_status sim_pieces(struct keel_sim *s);
keel_status sim_outside(struct keel_sim *s, keel_status status);
/* sim_jumps.c: the rows before the action of the event that was noted last, and after it. */
keel_status sim_rows_before(struct keel_sim *s);
keel_status sim_rows_after(struct keel_sim *s);
/* Event number `number` acts: into the list of records; the same of samples from that at k period on. */
keel_status sim_note_samples(struct keel_sim *s, int number, double k, long count);
keel_status sim_note(struct keel_sim *s, int number, double t);
/* One more event at t, where the run stands: KEEL_ELIMIT where there are too many. */
keel_status sim_count_simultaneous(struct keel_sim *s, double t);
/* By row of the model: its number among those of the solver, or -1. */
static inline const int *sim_solver_row(const struct keel_sim *s) {
    const struct contact_set *set = s->contact ? s->contact->set : NULL;
    return set ? set->solver_row : s->m->mode[s->mode]->solver_row;
}
/* Events that are zero where a mode begins, or after an action, act at once if they move on in their
 * direction; but not those that acted at this time already, unless something has acted on them since.  So do
 * those that an action has moved across zero. */
keel_status sim_enter(struct keel_sim *s);
/* The unknowns of the mode that follows an event and what it assigns, into s->work. */
keel_status sim_take_values(struct keel_sim *s, const struct inside_event *own);
/* What went wrong in an action: a value is no number, or does not suit what follows. */
keel_status sim_no_number(struct keel_sim *s, const struct inside_event *own, double value);
keel_status sim_fail_after(struct keel_sim *s, const struct inside_event *own, keel_status status,
                           const char *why);
/* The core counts from event to event; here all of one call, which began with so many, count.  1: it fails.
 * LONG_MAX: any number of steps will do. */
int sim_too_many_steps(struct keel_sim *s, long begin);
long sim_most_steps(const struct keel_sim *s);
/* An event that is zero without a slope is to act: KEEL_REST where its action would change nothing; or, if it
 * acted at this time already, nothing of v, its function and the derivatives of it (NULL: it did not). */
keel_status sim_rest(struct keel_sim *s, int number, const double *v);
void sim_fired(struct keel_sim *s, int event, double t); /* it acts now, at t */
/* Before its action: the signs of all others, which the action may turn. */
void sim_before(struct keel_sim *s, int event);
/* Its own action is done: where its function goes on as it came, this is still the same crossing. */
void sim_passed(struct keel_sim *s, int event);
/* Mode `to` follows; its events that are touched may act again. */
void sim_moved(struct keel_sim *s, int to, const unsigned char *touched);
/* Held values as they are where the run stands: those of `enter` of groups that mode `left` had in another
 * mode, or also of `start`.  Where that makes
 * others of them the solver begins anew: it knows rates by the old ones. */
keel_status sim_hold(struct keel_sim *s, int start_too, int left);
keel_status sim_no_memory(struct keel_sim *s); /* KEEL_ENOMEM */
keel_status sim_fail(struct keel_sim *s, keel_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const double *sim_multipliers(struct keel_sim *s); /* NULL: there are none */
/* Expressions of the mode in force where the run stands, out[v->count]: see values_at; without memory the
 * run has failed. */
keel_status sim_query(struct keel_sim *s, const struct values *v, double *out);
#endif
