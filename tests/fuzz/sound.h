/* sound.h - texts of valid models, made by a grammar from a row of decisions.
 *
 * Decisions come from a seed or from the bytes of a fuzzer; the same decisions give the same text.  Every
 * expression has a value for every state, every mass matrix is positive, every start is consistent and every
 * motion is bounded over the short span of its run: what is made here must open and run.
 *
 * sound_expression.c has expressions, sound_equations.c the forms that are equations, sound_mechanics.c those
 * that are energies, sound_further.c events, modes and columns, sound_text.c lines and their order. */
#ifndef KEEL_TESTS_SOUND_H
#define KEEL_TESTS_SOUND_H

#include <stddef.h>
#include <stdint.h>

enum { SOUND_LINES = 100, SOUND_NAMES = 60, SOUND_TEXT = 32768 };

/* Decisions: the bytes first; then the seed, or 0 where there is none. */
struct sound_dice {
    const unsigned char *bytes;
    size_t left;
    uint64_t seed;
};
int sound_below(struct sound_dice *d, int n); /* 0 .. n - 1 */

struct sound_list {
    const char *item[SOUND_NAMES];
    int count;
};

enum sound_kind {
    SOUND_DEFINITION,  /* param, let: of any order */
    SOUND_DECLARATION, /* var, coord, canonical: their order is that of the states */
    SOUND_EQUATION,    /* ... and everything whose order is that of a sum */
    SOUND_EVENT,       /* their order counts */
    SOUND_VALUE        /* init, guess, exact, output, invariant, run */
};

struct sound {
    struct sound_dice dice;
    /* Wanted: switches that the motion may cross.  Runs over them are known to be wrong at times, so that
     * methods cannot be compared; bits can. */
    int allow_switches;
    /* What was made. */
    struct sound_list parameter, positive; /* numbers that may have any sign; those > 0 */
    struct sound_list atom;                /* unknowns and what is made of them: for expressions */
    struct sound_list function;            /* of one argument */
    const char *table;                     /* the same, with knots; NULL: none */
    struct sound_list free;                /* states whose values an event may set */
    int has_switches, has_actions, has_time;
    double from, to; /* the run */
    const char *line[SOUND_LINES];
    enum sound_kind kind[SOUND_LINES];
    int lines, names, full; /* full: there was no room; the text is cut off and not to be used */
    char buffer[SOUND_TEXT];
    size_t used;
};

/* A model by these decisions. */
void sound_make(struct sound *s, struct sound_dice dice, int allow_switches);
/* Its text; out has SOUND_TEXT bytes. */
void sound_write(const struct sound *s, char *out);
/* The same with every name of the model replaced by another. */
void sound_rename(const char *text, char *out);
/* The same lines in another order. */
void sound_reorder(struct sound *s, uint64_t seed);

/* For the files of the grammar. */
int sound_one_in(struct sound *s, int n); /* 1 once in n times */
const char *sound_say(struct sound *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *sound_name(struct sound *s, const char *letter); /* new: x_7 */
void sound_line(struct sound *s, enum sound_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void sound_add(struct sound_list *list, const char *item);
const char *sound_pick(struct sound *s, const struct sound_list *list);

void sound_table(struct sound *s);
const char *sound_number(struct sound *s);                /* > 0, of the size of 1 */
const char *sound_constant(struct sound *s);              /* numbers and parameters, in any order */
const char *sound_positive(struct sound *s);              /* the same, > 0 */
const char *sound_expression(struct sound *s, int depth); /* of the atoms, with all derivatives */
const char *sound_bounded(struct sound *s, int depth);    /* the same, not above 4 or so */
const char *sound_nonsmooth(struct sound *s, int depth);  /* bounded, with a nonsmooth function somewhere */

void sound_parameters(struct sound *s);
void sound_definitions(struct sound *s); /* lets and functions of the atoms so far */
void sound_ode(struct sound *s);
void sound_dae(struct sound *s);
void sound_lagrangian(struct sound *s);
void sound_hamiltonian(struct sound *s);
void sound_structure(struct sound *s);
void sound_modes(struct sound *s);
void sound_events(struct sound *s);
void sound_columns(struct sound *s);
#endif
