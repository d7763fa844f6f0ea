/* mutate.c - changes of words and lines: bytes changed at random would hardly ever parse. */
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(unsigned char *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t size, size_t room, unsigned seed);

struct piece {
    size_t at, length;
};

static size_t below(unsigned *state, size_t bound) {
    *state = *state * 1664525u + 1013904223u;
    return bound ? (*state >> 8) % bound : 0;
}

static int is_word(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/* A word or sign of the text. */
static struct piece pick_word(const unsigned char *text, size_t size, unsigned *state) {
    struct piece p = {below(state, size), 1};
    while (p.at > 0 && is_word(text[p.at]) && is_word(text[p.at - 1])) p.at--;
    while (is_word(text[p.at]) && p.at + p.length < size && is_word(text[p.at + p.length])) p.length++;
    return p;
}

static struct piece pick_line(const unsigned char *text, size_t size, unsigned *state) {
    struct piece p = {below(state, size), 1};
    while (p.at > 0 && text[p.at - 1] != '\n') p.at--;
    while (p.at + p.length < size && text[p.at + p.length - 1] != '\n') p.length++;
    return p;
}

/* The piece `old` becomes the bytes given; unchanged where there is no room. */
static size_t replace(unsigned char *text, size_t size, size_t room, struct piece old,
                      const unsigned char *bytes, size_t length) {
    if (size - old.length + length > room) return size;
    memmove(text + old.at + length, text + old.at + old.length, size - old.at - old.length);
    memcpy(text + old.at, bytes, length);
    return size - old.length + length;
}

/* A word by another of the text or by one that likes to make trouble; a line doubled, moved or left out. */
static size_t change(unsigned char *text, size_t size, size_t room, unsigned *state) {
    static const char *const trouble[] = {
        "0",      "1",  "x",       "t",      "1e9", "N",    "'",      "[1]", "sum(i in 1..3, i)",
        "q",      "-1", "1..0",    "p",      "40",  "der(", "(1, 2)", "if",  "abs",
        "lambda", "i",  "x.enter", "x'",     "x''", "var",  "^2",     "8",   "let",
        "param",  "7",  "y",       "energy", "z'",  "*",    "-",      "/",   "+"};
    unsigned char copy[512];
    int lines = below(state, 4) == 0;
    struct piece to = lines ? pick_line(text, size, state) : pick_word(text, size, state);
    struct piece from = lines ? pick_line(text, size, state) : pick_word(text, size, state);
    if (from.length > sizeof copy) from.length = sizeof copy;
    memcpy(copy, text + from.at, from.length);
    if (lines && below(state, 3)) to.length = below(state, 2) ? to.length : 0;
    if (lines && below(state, 4) == 0) from.length = 0;
    if (lines || below(state, 2)) return replace(text, size, room, to, copy, from.length);
    const char *word = trouble[below(state, sizeof trouble / sizeof trouble[0])];
    return replace(text, size, room, to, (const unsigned char *)word, strlen(word));
}

size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t size, size_t room, unsigned seed) {
    unsigned state = seed;
    if (size == 0 || below(&state, 3) == 0) return LLVMFuzzerMutate(data, size, room);
    for (size_t k = 1 + below(&state, 3); k > 0 && size > 0; k--) size = change(data, size, room, &state);
    return size;
}
