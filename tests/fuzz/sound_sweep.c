/* sound_sweep.c - see sound_sweep.h. */
#include "sound_sweep.h"

#include "sound_batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sound_of_number(struct sound *s, long number) {
    sound_make(s, (struct sound_dice){.seed = (uint64_t)number * 77777 + 13}, number % 4 == 3);
}

/* Compiled models are run by these. */
static const char *method_for(long number) {
    static const char *const method[] = {"dop853", "radau", "rk4", "taylor", "dopri5"};
    return method[number % 5];
}

static long fail(long number, const char *text, const char *why) {
    fprintf(stderr, "sound model %ld: %s\n----\n%s----\n", number, why, text);
    return 1;
}

/* The numbers of the models in the batch. */
static long in_batch[SOUND_BATCH];

/* All of one model but its machine code; it goes to the batch then. */
static long check_one(const struct sound_plan *plan, long number, struct sound_batch *batch,
                      struct sound_count *count) {
    static struct sound s;
    static char text[SOUND_TEXT];
    char why[SOUND_WHY] = "";
    sound_of_number(&s, number);
    sound_write(&s, text);
    count->models++;
    if (s.full) return fail(number, text, "the text has no room");
    keel_model *m = sound_open(text);
    if (keel_model_status(m) != KEEL_OK) {
        long failed = fail(number, text, keel_model_message(m));
        keel_model_close(m);
        return failed;
    }
    count->opened++;
    const char *method = method_for(number);
    int good = sound_methods_agree(m, &s, count, why);
    if (sound_takes_too_long()) {
        count->endless++;
        keel_model_close(m);
        return 0;
    }
    good = good && sound_texts_agree(m, &s, why);
    char *emitted = keel_model_standalone(m, &(keel_options){.method = method});
    if (good && !emitted) snprintf(why, sizeof why, "nothing is emitted"), good = 0;
    free(emitted);
    if (good && plan->emit_each && number % plan->emit_each == 0) good = sound_emits_the_same(m, method, why);
    long failed = good ? 0 : fail(number, text, why);
    if (!plan->batch) keel_model_close(m);
    else if (!sound_batch_add(batch, m, method, number / 5 % plan->kernel_each == 0))
        failed = fail(number, text, "its C cannot be written");
    if (plan->batch && batch->models > 0) in_batch[batch->models - 1] = number;
    return failed;
}

static long check_batch(struct sound_batch *batch) {
    static struct sound s;
    static char text[SOUND_TEXT];
    char why[SOUND_WHY] = "";
    int models = batch->models, bad = models ? sound_batch_check(batch, why) : -1;
    sound_batch_close(batch);
    if (bad < 0) return 0;
    text[0] = '\0';
    if (bad < models) sound_of_number(&s, in_batch[bad]), sound_write(&s, text);
    return fail(bad < models ? in_batch[bad] : -1, text, why);
}

long sound_sweep(const struct sound_plan *plan, struct sound_count *count) {
    static struct sound_batch batch;
    long failed = 0;
    int buffer = plan->batch < SOUND_BATCH ? plan->batch : SOUND_BATCH;
    for (long first = plan->from; first < plan->to;) {
        long end = buffer && first + buffer < plan->to ? first + buffer : plan->to;
        sound_batch_open(&batch);
        for (long number = first; number < end; number++) failed += check_one(plan, number, &batch, count);
        failed += check_batch(&batch);
        first = end;
    }
    return failed;
}

void sound_tell(const struct sound_count *c, const char *who) {
    printf("%s: %ld models, %ld opened; %ld runs agree with dop853, %ld methods do not apply, %ld motions "
           "end early, "
           "%ld are sensitive, %ld switch on the way, %ld take too long; %ld closed forms and %ld kept "
           "rows hold\n",
           who, c->models, c->opened, c->compared, c->refused, c->singular, c->sensitive, c->switched,
           c->endless, c->exact, c->kept);
}
