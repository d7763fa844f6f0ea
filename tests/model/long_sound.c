/* long_sound.c - sound models by the hundred thousand (tests/fuzz/sound.h): long_sound [COUNT [FIRST]], or
 * KEEL_SOUND_MODELS in the environment.  The same numbers are the same models on every machine. */
#include "cache.h"

#include "fuzz/sound_sweep.h"

enum { MODELS = 100000, BATCH = 100, KERNEL_EACH = 40, EMIT_EACH = 101, TOLD = 1000 };

int main(int count, char **words) {
    const char *asked = getenv("KEEL_SOUND_MODELS");
    long models = count > 1 ? atol(words[1]) : asked ? atol(asked) : MODELS;
    long first = count > 2 ? atol(words[2]) : 0, failed = 0;
    struct sound_count all = {0};
    if (make_cache(NULL) || setenv("CC", "cc -I" KEEL_INCLUDE_DIR, 1)) return 1;
    for (long from = first; from < first + models; from += TOLD) {
        long to = from + TOLD < first + models ? from + TOLD : first + models;
        failed += sound_sweep(&(struct sound_plan){from, to, BATCH, KERNEL_EACH, EMIT_EACH}, &all);
        sound_tell(&all, "long_sound");
        fflush(stdout);
    }
    printf("long_sound: %ld of %ld failed\n", failed, models);
    return drop_cache(NULL) || failed > 0;
}
