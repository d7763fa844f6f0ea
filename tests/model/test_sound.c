/* test_sound.c - some hundreds of the models that tests/fuzz/sound.h makes: they open, five methods agree on
 * their motion, other names and another order of the lines change nothing, and machine code has the bits of
 * the interpreter.  long_sound.c does a hundred thousand. */
#include "cache.h"

#include "fuzz/sound_sweep.h"

enum { FIRST = 100000, MODELS = 240, BATCH = 120, KERNEL_EACH = 12, EMIT_EACH = 61 };

static void sound_models_pass_all_checks(void **state) {
    (void)state;
    struct sound_count count = {0};
    const struct sound_plan plan = {FIRST, FIRST + MODELS, BATCH, KERNEL_EACH, EMIT_EACH};
    assert_int_equal(setenv("CC", "cc -I" KEEL_INCLUDE_DIR, 1), 0);
    long failed = sound_sweep(&plan, &count);
    sound_tell(&count, "sound");
    assert_int_equal(failed, 0);
    assert_true(count.compared > 2 * MODELS && count.exact > 0 && count.kept > MODELS / 4);
}

/* The grammar is wide: every statement and function of the language is made by some decisions. */
static void the_grammar_reaches_the_language(void **state) {
    static const char *const words[] = {"param ",
                                        "var ",
                                        "coord ",
                                        "canonical ",
                                        "let ",
                                        "lagrangian ",
                                        "force ",
                                        "hamiltonian ",
                                        "structure",
                                        "constraint ",
                                        "rolling ",
                                        "options ",
                                        "invariant energy",
                                        "invariant i_",
                                        "guess ",
                                        "event ",
                                        "mode ",
                                        "start ",
                                        "output ",
                                        "exact ",
                                        "for i in",
                                        "sum(",
                                        "dot(",
                                        "norm(",
                                        "lambda.",
                                        ".enter",
                                        ":=",
                                        "record",
                                        "rising",
                                        "falling",
                                        "crossing",
                                        "if(",
                                        "abs(",
                                        "sign(",
                                        "min(",
                                        "max(",
                                        "floor(",
                                        "mod(",
                                        "sn(",
                                        "atan2(",
                                        "log1p(",
                                        "acosh(",
                                        "^(-",
                                        "''",
                                        "and",
                                        "not",
                                        "run 0 .. -",
                                        "jacobieps("};
    enum { WORDS = sizeof words / sizeof *words };
    int seen[WORDS] = {0};
    static struct sound s;
    static char text[SOUND_TEXT];
    (void)state;
    for (long number = 0; number < 4000; number++) {
        sound_of_number(&s, number);
        sound_write(&s, text);
        for (int i = 0; i < WORDS; i++) seen[i] |= strstr(text, words[i]) != NULL;
    }
    for (int i = 0; i < WORDS; i++)
        if (!seen[i]) fail_msg("no model has `%s`", words[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_grammar_reaches_the_language),
        cmocka_unit_test(sound_models_pass_all_checks),
    };
    return cmocka_run_group_tests(tests, make_cache, drop_cache);
}
