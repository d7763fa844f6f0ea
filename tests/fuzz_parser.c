/* fuzz_parser.c - any bytes at all: the front end reads, prints and renders them without a fault, and what
 * it prints it reads back as the same tree.
 *
 * With clang -fsanitize=fuzzer -DKEEL_FUZZER this is a libFuzzer target.  Compiled plainly it mutates the
 * models that are given as arguments for a few seconds. */
#include "lang/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void require(int holds, const char *what, const struct source *s) {
    if (holds) return;
    fprintf(stderr, "fuzz_parser: %s\n----\n%.*s\n----\n", what, (int)s->length, s->text);
    abort();
}

static void check_messages(const struct source *s, struct source_messages *m,
                           const struct syntax_file *tree) {
    char out[16384];
    require((tree == NULL) == (m->errors > 0), "no tree exactly if there are errors", s);
    for (int i = 0; i < m->count; i++) {
        const struct source_message *one = &m->list[i];
        require(one->offset <= s->length || one->offset == SOURCE_NOWHERE, "a message lies in the text", s);
        require(one->sentence[0] != '\0', "a message has a sentence", s);
        require(i == 0 || m->list[i - 1].offset <= one->offset, "messages are in order", s);
    }
    size_t length = source_render_all(s, m, out, sizeof out);
    require(length >= sizeof out || strlen(out) == length, "rendering measures what it writes", s);
    char small[7];
    source_render_all(s, m, small, sizeof small);
}

static void check_print(const struct source *s, const struct syntax_file *tree, struct pool *pool) {
    char *text = syntax_print(tree, pool);
    struct source printed = {"printed", text, strlen(text)};
    struct source_messages *m = calloc(1, sizeof *m);
    struct syntax_file *again = parser_run(&printed, m, pool);
    if (!again && m->count) fprintf(stderr, "%s\n%s\n", m->list[0].sentence, text);
    require(again != NULL, "what is printed parses", s);
    require(syntax_equal(tree, again), "and to the same tree", s);
    char *twice = syntax_print(again, pool);
    require(strcmp(text, twice) == 0, "and prints the same", s);
    free(m);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    char *text = malloc(size ? size : 1); /* a copy of its own size, so that reading past it is seen */
    if (size) memcpy(text, data, size);
    struct source s = {"fuzz.keel", text, size};
    struct source_messages *m = calloc(1, sizeof *m);
    struct pool pool = {0}, tight = {.limit = size % 4096 * 32};
    struct syntax_file *tree = parser_run(&s, m, &pool);
    require(pool.bytes <= 16384 + 1024 * size, "memory is bounded by the text", &s);
    check_messages(&s, m, tree);
    if (tree) check_print(&s, tree, &pool);
    pool_release(&pool);

    memset(m, 0, sizeof *m); /* memory may run out anywhere */
    tree = parser_run(&s, m, &tight);
    check_messages(&s, m, tree);
    pool_release(&tight);
    free(m);
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

static const char *const pieces[] = {
    "(",          ")",         "[",      "]",        "'",       "..",           "=",    "==",
    ":=",         "->",        ",",      ":",        "\n",      "\n    ",       "\t",   "for i in 1..3:\n",
    "mode a:",    "sum(",      "if(",    " if ",     "lambda.", ".enter",       "^",    "-",
    "1.",         "2x",        "**",     "\"",       "#",       "\xE2\x88\x92", "\xFF", "not ",
    " and ",      "event e: ", "rising", "options ", "let ",    "der(",         "1e",   "\r\n",
    "((((((((((", "----------"};

static size_t insert(char *text, size_t length, size_t at, const char *piece, size_t size) {
    if (length + size > LARGEST) return length;
    memmove(text + at + size, text + at, length - at);
    memcpy(text + at, piece, size);
    return length + size;
}

static size_t mutate(char *text, size_t length) {
    size_t at = below(length + 1), size = below(20);
    char copy[64];
    switch (below(5)) {
    case 0: /* remove */
        if (size > length - at) size = length - at;
        memmove(text + at, text + at + size, length - at - size);
        return length - size;
    case 1: /* one byte */
        if (at < length) text[at] = (char)below(256);
        return length;
    case 2: { /* a piece of the language */
        const char *piece = pieces[below(sizeof pieces / sizeof pieces[0])];
        return insert(text, length, at, piece, strlen(piece));
    }
    case 3: { /* from elsewhere in the text */
        size_t from = below(length + 1);
        if (size > length - from) size = length - from;
        memcpy(copy, text + from, size);
        return insert(text, length, at, copy, size);
    }
    default: /* cut */
        return below(8) ? length : at;
    }
}

static size_t load(const char *path, char *text) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "fuzz_parser: cannot read %s\n", path);
        exit(1);
    }
    size_t length = fread(text, 1, LARGEST, file);
    fclose(file);
    return length;
}

int main(int count, char **paths) {
    char *seed = malloc(LARGEST), *text = malloc(LARGEST);
    long runs = 0;
    if (count < 2) return 1;
    for (time_t end = time(NULL) + SECONDS; time(NULL) < end; runs++) {
        size_t length = load(paths[1 + below((size_t)count - 1)], seed);
        memcpy(text, seed, length);
        LLVMFuzzerTestOneInput((const unsigned char *)text, length);
        for (size_t i = 1 + below(40); i > 0; i--) {
            length = mutate(text, length);
            LLVMFuzzerTestOneInput((const unsigned char *)text, length);
        }
    }
    free(seed);
    free(text);
    printf("fuzz_parser: %ld texts and their mutations\n", runs);
    return 0;
}
#endif
