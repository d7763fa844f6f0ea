/* contact.h - rigid contacts: gap >= 0, restitution, Coulomb friction.
 *
 * A contact is open; idle (it touches without a force: others hold it, or it
 * begins to leave); it slides, with a friction in proportion to
 * its push; it sticks; or it is held (it does not slide since others stick, and takes a given share of its
 * push).  What is closed is rows of a mechanics problem: the gap as a constraint, the sliding velocity of a
 * contact that sticks as a rolling one.  Such an active set is a problem made when it is first entered; their
 * combinations are never listed.
 *
 * contact.c: the functions of a mode.  contact_frame.c: the contacts at a point of the motion, in the metric
 * of the masses.  contact_law.c: impulses and accelerations.  contact_set.c: active sets as problems.
 * contact_run.c: what happens in a run.  contact_tell.c: what is told of it. */
#ifndef KEEL_MODEL_CONTACT_H
#define KEEL_MODEL_CONTACT_H

#include "model/functions.h"

/* Of a mode --------------------------------------------------------------------------------------------- */

struct contact_model {
    int count, nq;
    const struct model_contact *contact;
    struct derive_sparse normal, tangent;          /* patterns: gap by positions, sliding by velocities */
    struct tape coefficient;                       /* restitution, then friction, of parameters */
    const char **name, **slide_name, **event_name; /* of rows, of events: CONTACT_WORDS for each contact */
    unsigned char *moves;                          /* by contact: gap or sliding contain t */
};

/* 1; 0 with a message, or without memory. */
int contact_open(struct contact_model *c, struct formulation *r);
void contact_close(struct contact_model *c);

/* Where a run stands ------------------------------------------------------------------------------------ */

#define CONTACT_REST \
    1e-10 /* of the largest so far: a sliding velocity, or a push of its terms, that is none */

#define CONTACT_NEAR 1e-9 /* of the size of a gap: what events do not tell from zero where a run begins */

enum contact_state { CONTACT_OPEN, CONTACT_IDLE, CONTACT_SLIDES, CONTACT_STICKS, CONTACT_HELD };
enum contact_word {
    CONTACT_IMPACT,
    CONTACT_CLOSES,
    CONTACT_STICK,
    CONTACT_SLIP,
    CONTACT_OPENS,
    CONTACT_WORDS
};

struct contact_one {
    int32_t state;
    int32_t sign;             /* SLIDES: of the sliding velocity; 0: without friction */
    double share;             /* drag / push where it does not stick */
    double size, speed, rate; /* of the gap, its rate, the sliding velocity: the largest so far */
    double least;             /* a push that is no less than round-off */
    double offset;            /* OPEN: the gap at which it would touch again */
    double rests;             /* when it is told that it has closed; 0: nothing is left to tell */
};

/* The contacts at (t, u). */
struct contact_numbers {
    double *gap, *terms, *shift, *slide, *bend, *bend_slide; /* [count]; shift: d gap/dt; bend: of gap'' */
    double *normal, *tangent;                                /* entries of the patterns */
};

/* Some of them in the metric of the masses, M = L L^T: rows L^-1 N^T, L^-1 T^T, and the same without what the
 * model's own constraints take up.  They accelerate by alpha = L^T q''. */
struct contact_frame {
    int count, *of; /* contacts: their numbers */
    double *lower, *alpha;
    double *row[2], *free[2];  /* of the gap, of the sliding: count x nq */
    double *base;              /* orthogonal rows of the model's own constraints */
    double *rate[2], *bend[2]; /* gap', sliding; without accelerations gap'', sliding' */
};

struct contact_set;
struct keel_sim;

struct contact_run {
    const struct contact_model *c;
    struct keel_sim *s;
    keel_problem plain;    /* the problem without contacts */
    keel_fn *gaps, *whole; /* the gaps alone; struct contact_numbers, one after the other */
    struct contact_one *one, *one_before;
    double *restitution, *friction;
    struct contact_numbers now;
    struct contact_frame frame;
    struct contact_set *sets, *set; /* all that were entered; the one in force */
    double *memory, *vector, *basis, *matrix, *push, *drag, *force, *entries;
    int *list, *pivot;
    unsigned char *hit; /* by contact: it takes part in the impact at hand */
    int at_cone;        /* a contact that sticks has reached the bound of its friction */
    int jammed;         /* 1 + the contact at which friction leaves no motion; 0: none */
};

/* contact_frame.c */
int contact_take_frame(struct contact_run *r);
void contact_give_frame(struct contact_run *r);
int contact_numbers_at(struct contact_run *r, double t, const double *u); /* 0; not 0: as a keel_fn */
/* The frame of the contacts in r->frame.of; accelerate: with alpha and bends.  0; not 0: as a keel_fn. */
int contact_frame_at(struct contact_run *r, double t, const double *u, int accelerate);
/* v += M^-1 (N^T push + T^T drag) of the frame's contacts. */
void contact_kick(struct contact_run *r, const double *push, const double *drag, double *v);
/* Push and drag of all contacts in the set in force, into r->push and r->drag.  0; not 0: as a keel_fn. */
int contact_forces_at(struct contact_run *r, double t, const double *u);

/* contact_law.c */
enum { CONTACT_LEAVES = 2 }; /* in place of a sign: it takes no part */
struct contact_verdict {
    double push, drag;
    double departs, drifts; /* rates, or accelerations, after */
};
/* Impulses at the contacts of the frame; plastic: without restitution.  0; 1: none found; -1: no memory. */
int contact_impact(struct contact_run *r, int plastic, struct contact_verdict *out);
/* Forces at contacts of the frame that touch and do not approach: sign[k] is that of the sliding velocity, 0:
 * it may stick.  The same; 2 + k: contact k of the frame has no motion, or several. */
int contact_rest(struct contact_run *r, const int *sign, struct contact_verdict *out);

/* contact_set.c */
struct contact_set {
    struct functions_bound bound; /* first: the model's own functions take it for theirs */
    struct contact_run *run;
    keel_problem problem;
    int closed, sticks, *row, *stick; /* contacts: those with a constraint, those with a rolling one */
    int slips;                        /* a friction in proportion to a push acts */
    int *solver_row;                  /* as of a mode */
    int events;                       /* before those of the contacts: two for each */
    struct contact_set *next;
    signed char key[];
};
/* The set of r->one, made or found; NULL without memory.  bare: without invariants. */
struct contact_set *contact_set_of(struct contact_run *r, int bare);
void contact_sets_free(struct contact_run *r);
/* What the contact of this event was asked about: 0: its gap or push, 1: its friction. */
int contact_of_event(const struct contact_set *set, int event, int *friction);
/* Lays r->push and r->drag where expressions of the model find them; off: zeros, as its own functions want.
 * */
void contact_publish(struct contact_run *r, int on);

/* contact_run.c */
int contact_begin(struct keel_sim *s); /* 1; 0 without memory; before there is a solver */
void contact_end(struct keel_sim *s);
keel_status contact_start(struct keel_sim *s); /* the set at the start; the solver is there */
/* All that touches where the run stands: impulses, and the set that follows.  event: a contact that does in
 * any case, or -1; complete: this impact stands for all that would follow it. */
keel_status contact_settle(struct keel_sim *s, int event, int complete);
keel_status contact_act(struct keel_sim *s, int number, int complete); /* at an event of the set */
/* The states of contacts in a saved run: how many bytes; into them; from them, 1, 0: they are no such
 * states, -1: no memory. */
size_t contact_bytes(const struct keel_sim *s);
void contact_save(const struct keel_sim *s, unsigned char *bytes);
int contact_load(struct keel_sim *s, const unsigned char *bytes);
keel_status contact_failed(struct keel_sim *s, keel_status status); /* with the reason, if it is a contact */

/* contact_tell.c */
int contact_is_closed(const struct contact_one *one);
/* When the next rest is to be told; never: infinite.  Those that are due where the run stands. */
double contact_next_rest(const struct keel_sim *s);
keel_status contact_tell_rest(struct keel_sim *s);
/* Those that are at rest by the time t; what has changed from r->one_before to r->one; and the end of it:
 * once more, if anything was told since there were `before` records. */
keel_status contact_tell_rests(struct contact_run *r, double t);
keel_status contact_tell_changes(struct contact_run *r);
void contact_tell_end(struct keel_sim *s, long before);
#endif
