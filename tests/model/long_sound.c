/* long_sound.c - sound models by the ten thousand (tests/fuzz/sound.h): long_sound [COUNT [FIRST]], or
 * KEEL_SOUND_MODELS and KEEL_SLICE in the environment (cases.h).  The same numbers are the same models on
 * every machine. */
#include "cache.h"
#include "cases.h"

#include "fuzz/sound_sweep.h"

enum { MODELS = 20000, BATCH = 100, KERNEL_EACH = 10, EMIT_EACH = 101, TOLD = 500 };

int main(int count, char **words) {
    long first = count > 2 ? atol(words[2]) : 0, failed = 0, taken = 0;
    struct cases pieces = cases_of(MODELS, "KEEL_SOUND_MODELS"); /* of TOLD models each */
    long models = count > 1 ? atol(words[1]) : pieces.end;
    struct sound_count all = {0};
    if (make_cache(NULL) || setenv("CC", "cc -I" KEEL_INCLUDE_DIR, 1)) return 1;
    for (long k = pieces.first; k * TOLD < models; k += pieces.stride) {
        long from = first + k * TOLD, to = first + models < from + TOLD ? first + models : from + TOLD;
        failed += sound_sweep(&(struct sound_plan){from, to, BATCH, KERNEL_EACH, EMIT_EACH}, &all);
        taken += to - from;
        sound_tell(&all, "long_sound");
        fflush(stdout);
    }
    printf("long_sound: %ld of %ld failed\n", failed, taken);
    return drop_cache(NULL) || failed > 0;
}
