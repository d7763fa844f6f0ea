/* mutate.c - see mutate.h.  Bytes changed at random would hardly ever parse, and what parses would hardly
 * ever be a model that can be run. */
#include "mutate.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 1024 }; /* of a piece that is moved */

struct piece {
    size_t at, length;
};

struct text {
    unsigned char *bytes;
    size_t size, capacity;
};

static size_t below(unsigned *state, size_t bound) {
    *state = *state * 1664525u + 1013904223u;
    return bound ? (*state >> 8) % bound : 0;
}

/* Words ------------------------------------------------------------------------------------------------ */

static int is_word(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

static int is_number(const struct text *t, struct piece p) {
    return t->bytes[p.at] >= '0' && t->bytes[p.at] <= '9';
}

static int is_name(const struct text *t, struct piece p) {
    return is_word(t->bytes[p.at]) && t->bytes[p.at] > '9';
}

/* The word that a place lies in, or the sign that stands there. */
static struct piece word_at(const struct text *t, size_t at) {
    struct piece p = {at, 1};
    while (p.at > 0 && is_word(t->bytes[p.at]) && is_word(t->bytes[p.at - 1])) p.at--;
    while (is_word(t->bytes[p.at]) && p.at + p.length < t->size && is_word(t->bytes[p.at + p.length]))
        p.length++;
    return p;
}

static struct piece pick_word(const struct text *t, unsigned *state) {
    return word_at(t, below(state, t->size));
}

/* The first word of a kind from some place on; length 0: there is none behind it. */
static struct piece pick_kind(const struct text *t, int (*kind)(const struct text *, struct piece),
                              unsigned *state) {
    for (size_t at = below(state, t->size); at < t->size;) {
        struct piece p = word_at(t, at);
        if (kind(t, p)) return p;
        at = p.at + p.length;
    }
    return (struct piece){0, 0};
}

static int same_word(const struct text *t, struct piece p, struct piece q) {
    return p.length == q.length && memcmp(t->bytes + p.at, t->bytes + q.at, p.length) == 0;
}

/* The piece becomes the bytes given; unchanged where there is no room. */
static void replace(struct text *t, struct piece old, const void *bytes, size_t length) {
    if (old.at > t->size || t->size - old.length + length > t->capacity) return;
    memmove(t->bytes + old.at + length, t->bytes + old.at + old.length, t->size - old.at - old.length);
    memcpy(t->bytes + old.at, bytes, length);
    t->size += length - old.length;
}

static void replace_by(struct text *t, struct piece old, const char *text) {
    replace(t, old, text, strlen(text));
}

/* Statements ------------------------------------------------------------------------------------------- */

static size_t indentation(const unsigned char *text, size_t size, size_t at) {
    size_t count = 0;
    while (at + count < size && (text[at + count] == ' ' || text[at + count] == '\t')) count++;
    return count;
}

/* A line and those behind it that are indented deeper. */
static struct piece pick_statement(const unsigned char *text, size_t size, unsigned *state) {
    struct piece p = {below(state, size), 0};
    while (p.at > 0 && text[p.at - 1] != '\n') p.at--;
    size_t depth = indentation(text, size, p.at), end = p.at;
    do {
        while (end < size && text[end] != '\n') end++;
        end += end < size;
    } while (end < size && text[end] != '\n' && indentation(text, size, end) > depth);
    p.length = end - p.at;
    return p;
}

/* Before, or in the place of, a statement of the text. */
static void put_statement(struct text *t, const unsigned char *bytes, size_t length, unsigned *state) {
    struct piece to = {0, 0};
    if (t->size) to = pick_statement(t->bytes, t->size, state);
    if (below(state, 2)) to.length = 0;
    replace(t, to, bytes, length);
}

static const char *const *pick_model(unsigned *state) {
    size_t count = 0;
    while (mutate_models[count]) count++;
    return mutate_models[below(state, count)];
}

/* A statement of a sound model. */
static void splice_sound(struct text *t, unsigned *state) {
    const char *const *model = pick_model(state);
    unsigned char copy[LONGEST];
    size_t lines = 0, length = 0;
    while (model[lines]) lines++;
    size_t line = below(state, lines), depth = strspn(model[line], " ");
    do {
        size_t more = strlen(model[line]);
        if (length + more > sizeof copy) return;
        memcpy(copy + length, model[line], more);
        length += more;
        line++;
    } while (model[line] && strspn(model[line], " ") > depth);
    put_statement(t, copy, length, state);
}

static void become_sound(struct text *t, unsigned *state) {
    size_t length = 0;
    for (const char *const *line = pick_model(state); *line; line++) {
        size_t more = strlen(*line);
        if ((*line)[0] == '#') continue;
        if (length + more > t->capacity) break;
        memcpy(t->bytes + length, *line, more);
        length += more;
    }
    t->size = length;
}

/* Within expressions ----------------------------------------------------------------------------------- */

/* 0.5 becomes k1, and `param k1 = 0.5` a line above. */
static void number_to_parameter(struct text *t, unsigned *state) {
    struct piece p = pick_kind(t, is_number, state);
    char name[8], line[64];
    if (!p.length || p.length > 30) return;
    snprintf(name, sizeof name, "k%d", (int)below(state, 4));
    int length = snprintf(line, sizeof line, "param %s = %.*s\n", name, (int)p.length, t->bytes + p.at);
    if (t->size + (size_t)length + sizeof name > t->capacity) return;
    replace_by(t, p, name);
    replace(t, (struct piece){0, 0}, line, (size_t)length);
}

/* A name by a number, or a number by a name of the text: here or everywhere. */
static void exchange(struct text *t, unsigned *state) {
    static const char *const numbers[] = {"0", "1", "2", "3", "0.3", "-1", "1e-9", "4", "1e9", "0.5"};
    struct piece old = pick_kind(t, below(state, 2) ? is_name : is_number, state);
    struct piece by = pick_kind(t, is_name, state);
    char name[40];
    if (!old.length) return;
    int use_name = by.length && by.length < sizeof name && (is_number(t, old) || below(state, 3) == 0);
    if (use_name) snprintf(name, sizeof name, "%.*s", (int)by.length, t->bytes + by.at);
    replace_by(t, old, use_name ? name : numbers[below(state, sizeof numbers / sizeof *numbers)]);
}

/* 1..3 to 1..5, x[2] to x[1]: one of them, or all that are the same number. */
static void resize(struct text *t, unsigned *state) {
    static const char *const sizes[] = {"1", "2", "3", "4", "5", "8", "17", "0", "N", "i+1", "40", "6"};
    const char *size = sizes[below(state, sizeof sizes / sizeof *sizes)];
    int all = (int)below(state, 2);
    for (size_t at = below(state, t->size); at + 1 < t->size; at++) {
        struct piece p;
        if (t->bytes[at] == '[') p = word_at(t, at + 1);
        else if (t->bytes[at] == '.' && t->bytes[at + 1] == '.' && at + 2 < t->size) {
            p = (struct piece){at + 2, 0};
            while (p.at < t->size && t->bytes[p.at] == ' ') p.at++;
            while (p.at + p.length < t->size && is_word(t->bytes[p.at + p.length])) p.length++;
        } else continue;
        replace_by(t, p, size);
        if (!all) return;
        at += strlen(size);
    }
}

/* A name, a number or what stands in brackets. */
static struct piece pick_operand(const struct text *t, unsigned *state) {
    struct piece p = pick_word(t, state);
    int depth = 0;
    if (t->bytes[p.at] != '(') return is_word(t->bytes[p.at]) ? p : (struct piece){0, 0};
    for (size_t at = p.at; at < t->size && t->bytes[at] != '\n'; at++) {
        depth += (t->bytes[at] == '(') - (t->bytes[at] == ')');
        if (depth == 0) return (struct piece){p.at, at + 1 - p.at};
    }
    return (struct piece){0, 0};
}

/* x to sin(x), (a + b) to sqrt((a + b)). */
static void wrap(struct text *t, unsigned *state) {
    static const char *const around[][2] = {
        {"sin(", ")"},      {"cos(", ")"},          {"sqrt(", ")"},
        {"abs(", ")"},      {"exp(", ")"},          {"(", ")^2"},
        {"(", ")^3"},       {"(", ")^(1/3)"},       {"-(", ")"},
        {"3*k1*(", ")"},    {"(", ")/2"},           {"1/(", ")"},
        {"der(", ")"},      {"max(", ", 1)"},       {"log(", ")"},
        {"atan2(", ", 2)"}, {"if(t < 1, ", ", 0)"}, {"sum(i in 1..3, ", ")"},
        {"(", ")^64"},      {"tanh(", ")"}};
    struct piece p = pick_operand(t, state);
    size_t k = below(state, sizeof around / sizeof *around);
    char copy[LONGEST];
    if (!p.length || p.length > 200) return;
    int length =
        snprintf(copy, sizeof copy, "%s%.*s%s", around[k][0], (int)p.length, t->bytes + p.at, around[k][1]);
    replace(t, p, copy, (size_t)length);
}

/* A name by a new one, wherever it stands. */
static void rename_all(struct text *t, unsigned *state) {
    struct piece old = pick_kind(t, is_name, state), by = pick_kind(t, is_name, state);
    char name[40], from[40];
    if (!old.length || !by.length || old.length >= sizeof from || by.length >= sizeof name) return;
    snprintf(name, sizeof name, "%.*s", (int)by.length, t->bytes + by.at);
    snprintf(from, sizeof from, "%.*s", (int)old.length, t->bytes + old.at);
    for (size_t at = 0; at < t->size;) {
        struct piece p = word_at(t, at);
        size_t before = t->size;
        if (p.length == strlen(from) && memcmp(t->bytes + p.at, from, p.length) == 0) replace_by(t, p, name);
        at = p.at + p.length + t->size - before;
    }
}

/* Words and signs that like to make trouble ----------------------------------------------------------- */

static void change_word(struct text *t, unsigned *state) {
    static const char *const trouble[] = {
        "0",      "1",  "x",       "t",      "1e9", "N",    "'",      "[1]", "sum(i in 1..3, i)",
        "q",      "-1", "1..0",    "p",      "40",  "der(", "(1, 2)", "if",  "abs",
        "lambda", "i",  "x.enter", "x'",     "x''", "var",  "^2",     "8",   "let",
        "param",  "7",  "y",       "energy", "z'",  "*",    "-",      "/",   "+"};
    struct piece to = pick_word(t, state), from = pick_word(t, state);
    unsigned char copy[LONGEST];
    if (below(state, 2) || from.length > sizeof copy || same_word(t, to, from)) {
        replace_by(t, to, trouble[below(state, sizeof trouble / sizeof *trouble)]);
        return;
    }
    memcpy(copy, t->bytes + from.at, from.length);
    replace(t, to, copy, from.length);
}

/* A statement doubled, moved or left out. */
static void change_statement(struct text *t, unsigned *state) {
    struct piece from = pick_statement(t->bytes, t->size, state);
    unsigned char copy[LONGEST];
    if (from.length > sizeof copy) return;
    memcpy(copy, t->bytes + from.at, from.length);
    if (below(state, 3)) replace(t, from, "", 0);
    if (t->size && below(state, 3)) put_statement(t, copy, from.length, state);
}

/* ------------------------------------------------------------------------------------------------------ */

size_t mutate_model(unsigned char *bytes, size_t size, size_t capacity, unsigned seed) {
    static void (*const change[])(struct text *, unsigned *) = {
        change_word, change_word, change_statement, splice_sound, splice_sound, number_to_parameter,
        exchange,    exchange,    resize,           wrap,         wrap,         rename_all};
    struct text t = {bytes, size, capacity};
    unsigned state = seed;
    if (t.size == 0 || below(&state, 32) == 0) become_sound(&t, &state);
    for (size_t k = 1 + below(&state, 3); k > 0 && t.size > 0; k--)
        change[below(&state, sizeof change / sizeof *change)](&t, &state);
    return t.size;
}

size_t mutate_cross(const unsigned char *text, size_t size, const unsigned char *other, size_t others,
                    unsigned char *out, size_t capacity, unsigned seed) {
    struct text t = {out, size < capacity ? size : capacity, capacity};
    memcpy(out, text, t.size);
    if (others == 0) return t.size;
    for (size_t k = 1 + below(&seed, 3); k > 0; k--) {
        struct piece from = pick_statement(other, others, &seed);
        put_statement(&t, other + from.at, from.length, &seed);
    }
    return t.size;
}
