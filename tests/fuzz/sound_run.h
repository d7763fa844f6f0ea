/* sound_run.h - what must hold for the runs of a sound model: methods agree with each other, closed forms and
 * invariants hold, and the text means the same with other names and in another order. */
#ifndef KEEL_TESTS_SOUND_RUN_H
#define KEEL_TESTS_SOUND_RUN_H

#include "sound.h"

#include <keel/model.h>

enum { SOUND_COLUMNS = 64, SOUND_WHY = 600 };

/* Counted over all models. */
struct sound_count {
    long models, opened;
    long compared, refused,
        singular;                /* runs beside the first; methods that do not apply; motions without end */
    long exact, kept, sensitive; /* columns with closed forms; rows; models judged by their sensitivity */
    long endless;                /* models whose runs take too long to wait for */
    long switched;               /* models that switch on the way, whose methods are not compared */
};

/* Where a run ended. */
struct sound_end {
    keel_status status;
    double t, value[SOUND_COLUMNS];
    int columns, cut; /* cut: nobody waited for its end */
    long steps;
    char message[200];
};

keel_model *sound_open(const char *text); /* interpreted */
/* To the end of the run, with a tolerance or so many fixed steps. */
void sound_run(keel_model *m, const char *method, double rtol, int steps, struct sound_end *end);
/* Has a run been given up because it took too long, since the last call of sound_methods_agree? */
int sound_takes_too_long(void);
/* The same bits? */
int sound_same(const struct sound_end *a, const struct sound_end *b);

/* Each gives 1, or 0 with a sentence in why[SOUND_WHY]. */
int sound_methods_agree(keel_model *m, const struct sound *s, struct sound_count *count, char *why);
/* s is put into another order. */
int sound_texts_agree(keel_model *m, struct sound *s, char *why);
#endif
