/* fuzz_elaborate.c - any text that parses becomes a model or a message, within bounded memory and time.
 *
 * With clang -fsanitize=fuzzer -DKEEL_FUZZER this is a libFuzzer target.  Compiled plainly it changes words
 * of the models that are given as arguments for a few seconds: bytes changed at random would hardly ever
 * parse. */
#include "lang/elaborate.h"
#include "lang/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void require(int holds, const char *what, const struct source *s) {
    if (holds) return;
    fprintf(stderr, "fuzz_elaborate: %s\n----\n%.*s\n----\n", what, (int)s->length, s->text);
    abort();
}

static int parsed, elaborated;

static void run(const struct source *s, size_t limit) {
    struct source_messages *m = calloc(1, sizeof *m);
    struct pool pool = {.limit = limit};
    char out[16384];
    struct syntax_file *tree = parser_run(s, m, &pool);
    struct model *model = tree ? elaborate_run(s, tree, NULL, m, &pool) : NULL;
    parsed += tree != NULL;
    elaborated += model != NULL;
    require((model == NULL) == (m->errors > 0), "no model exactly if there are errors", s);
    for (int i = 0; i < m->count; i++)
        require(m->list[i].offset <= s->length || m->list[i].offset == SOURCE_NOWHERE,
                "a message lies in the text", s);
    source_render_all(s, m, out, sizeof out);
    model_release(model);
    pool_release(&pool);
    free(m);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    char *text = malloc(size ? size : 1); /* a copy of its own size, so that reading past it is seen */
    if (size) memcpy(text, data, size);
    struct source s = {"fuzz.keel", text, size};
    run(&s, (size_t)256 << 20);
    run(&s, 20000 + size % 64 * 1000); /* memory may run out anywhere */
    free(text);
    return 0;
}

#ifndef KEEL_FUZZER

enum { SECONDS = 3, LARGEST = 16384 };

static unsigned long long state = 88172645463325252ull;

static size_t below(size_t bound) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return bound ? (size_t)(state % bound) : 0;
}

static int is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* A word or sign of the text: its place and length. */
static size_t pick(const char *text, size_t length, size_t *count) {
    size_t at = below(length);
    while (at > 0 && is_word(text[at]) && is_word(text[at - 1])) at--;
    *count = 1;
    while (is_word(text[at]) && at + *count < length && is_word(text[at + *count])) ++*count;
    return at;
}

/* One word replaced by another of the text or by one that likes to make trouble. */
static size_t mutate(char *text, size_t length) {
    static const char *const trouble[] = {
        "0",  "1",   "x",    "t",      "1e9", "N",    "'",      "[1]",    "sum(i in 1..3, i)",
        "q",  "-1",  "1..0", "energy", "p",   "der",  "(1, 2)", "lambda", "x.enter",
        "if", "abs", "i",    "var",    "let", "param"};
    size_t count, others, at = pick(text, length, &count), from = pick(text, length, &others);
    char word[256];
    if (below(3)) {
        const char *other = trouble[below(sizeof trouble / sizeof trouble[0])];
        others = strlen(other);
        memcpy(word, other, others);
    } else {
        if (others > sizeof word) others = sizeof word;
        memcpy(word, text + from, others);
    }
    if (length - count + others > LARGEST) return length;
    memmove(text + at + others, text + at + count, length - at - count);
    memcpy(text + at, word, others);
    return length - count + others;
}

int main(int count, char **names) {
    static char original[LARGEST], text[2 * LARGEST];
    time_t end = time(NULL) + SECONDS;
    long rounds = 0;
    for (; time(NULL) < end && count > 1; rounds++) {
        FILE *file = fopen(names[1 + below((size_t)count - 1)], "rb");
        size_t length = file ? fread(original, 1, sizeof original, file) : 0;
        if (!file || !length) return 1;
        fclose(file);
        for (int variant = 0; variant < 20; variant++) {
            size_t now = length;
            memcpy(text, original, length);
            for (size_t k = 1 + below(3); k > 0; k--) now = mutate(text, now);
            LLVMFuzzerTestOneInput((unsigned char *)text, now);
        }
    }
    printf("fuzz_elaborate: %ld rounds, %d parsed, %d elaborated\n", rounds, parsed, elaborated);
    return count > 1 && elaborated == 0;
}
#endif
