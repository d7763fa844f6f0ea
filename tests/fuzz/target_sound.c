/* target_sound.c - decisions of the grammar of sound.h: what it makes opens, five methods agree on the
 * motion, closed forms and invariants hold, other names and another order of the lines change nothing, and
 * there is C of it.  The first byte says whether the motion may cross switches. */
#include "sound_run.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void require(int holds, const char *why, const char *text) {
    if (holds) return;
    fprintf(stderr, "fuzz: not so: %s\n----\n%s----\n", why, text);
    abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    static struct sound s;
    static char text[SOUND_TEXT];
    struct sound_count count = {0};
    char why[SOUND_WHY] = "";
    if (size == 0) return 0;
    sound_make(&s, (struct sound_dice){.bytes = data + 1, .left = size - 1}, data[0] % 2);
    if (s.full) return 0;
    sound_write(&s, text);
    keel_model *m = sound_open(text);
    require(keel_model_status(m) == KEEL_OK, keel_model_message(m), text);
    require(sound_methods_agree(m, &s, &count, why) && sound_texts_agree(m, &s, why), why, text);
    char *emitted = keel_model_standalone(m, &(keel_options){.method = "taylor"});
    require(emitted != NULL, "it is emitted", text);
    free(emitted);
    keel_model_close(m);
    return 0;
}
