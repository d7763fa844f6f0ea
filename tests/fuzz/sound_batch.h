/* sound_batch.h - many models in one C file: compiled and interpreted they give the same bits.
 *
 * The functions of a mode carry its number in their names, so that one call of the compiler does for all
 * modes of all models.  Their C is what a run compiles, with its flags. */
#ifndef KEEL_TESTS_SOUND_BATCH_H
#define KEEL_TESTS_SOUND_BATCH_H

#include "sound_run.h"

#include "codegen/compile.h"
#include "codegen/emit.h"

enum { SOUND_BATCH = 256 };

struct sound_batch {
    keel_model *model[SOUND_BATCH];
    const char *method[SOUND_BATCH]; /* of its run */
    int first[SOUND_BATCH];          /* the number of its first mode */
    struct sound_end end[SOUND_BATCH];
    int models, modes;
    struct emit emit;
};

void sound_batch_open(struct sound_batch *b);
/* The batch owns the interpreted model from here on, and has run it with the method.  kernel: the loop of the
 * method, or its series, is compiled too, which takes ten times as long.  1, or 0. */
int sound_batch_add(struct sound_batch *b, keel_model *m, const char *method, int kernel);
/* Compiles all and compares function by function and run by run: -1, or the number of a model that differs,
 * with a sentence; models when the compiler failed. */
int sound_batch_check(struct sound_batch *b, char *why);
void sound_batch_close(struct sound_batch *b);

/* The model as keel emit writes it, compiled by itself: the run of its first mode has the same bits.  1, or 0
 * with a sentence.  $CC must find keel.h. */
int sound_emits_the_same(keel_model *m, const char *method, char *why);
#endif
