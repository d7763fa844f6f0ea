/* recipe.c - see recipe.h.  The places of checksums and lengths are those of src/cli/checkpoint.c,
 * src/model/sim_save.c and src/core/save.c; the target sees to it that they are. */
#include "recipe.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_HEAD = 96,
    FILE_SUM = 8,
    FILE_ABOUT = 16,
    FILE_ROWS_SUM = 32,
    FILE_ROW = 40,
    FILE_ROWS = 48,
    FILE_LOCATED = 80,
    SIM_HEAD = 96,
    SIM_SUM = 16,
    SIM_SOLVER = 80,
    SOLVER_BLOCK = 16, /* the length of the block, which is the end of it */
    SOLVER_SUM = 24
};

static const uint64_t basis = 14695981039346656037u, prime = 1099511628211u;

static uint64_t hash(uint64_t h, const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) h = (h ^ bytes[i]) * prime;
    return h;
}

static uint64_t long_at(const unsigned char *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

/* Parts ------------------------------------------------------------------------------------------------ */

struct part {
    unsigned char *bytes;
    size_t size;
};

static struct part file_of(const struct saved *s) {
    return (struct part){s->bytes, s->size};
}

/* A part that begins `at` bytes behind the begin of another; empty where that is too short. */
static struct part behind(struct part whole, uint64_t at) {
    return at <= whole.size ? (struct part){whole.bytes + at, whole.size - at}
                            : (struct part){whole.bytes, 0};
}

static struct part about_of(const struct saved *s) {
    struct part p = behind(file_of(s), FILE_HEAD);
    uint64_t length = s->size >= FILE_HEAD ? long_at(s->bytes + FILE_ABOUT) : 0;
    if (length < p.size) p.size = length;
    return p;
}

static struct part sim_of(const struct saved *s) {
    uint64_t about = s->size >= FILE_HEAD ? long_at(s->bytes + FILE_ABOUT) : 0;
    uint64_t located = s->size >= FILE_HEAD ? long_at(s->bytes + FILE_LOCATED) : 0;
    return behind(behind(behind(file_of(s), FILE_HEAD), about), located);
}

static struct part solver_of(const struct saved *s) {
    struct part sim = sim_of(s);
    uint64_t length = sim.size >= SIM_HEAD ? long_at(sim.bytes + SIM_SOLVER) : 0;
    return behind(sim, length <= sim.size ? sim.size - length : sim.size);
}

static struct part block_of(const struct saved *s) {
    struct part solver = solver_of(s);
    uint64_t length = solver.size >= SOLVER_SUM ? long_at(solver.bytes + SOLVER_BLOCK) : 0;
    return behind(solver, length <= solver.size ? solver.size - length : solver.size);
}

static struct part rows_of(const struct saved *s) {
    return (struct part){s->rows, s->count};
}

/* Checksums -------------------------------------------------------------------------------------------- */

/* Rows stand behind the mark of the file, where it has one. */
static uint64_t rows_sum(const struct saved *s) {
    uint64_t bytes = long_at(s->bytes + FILE_ROW) * long_at(s->bytes + FILE_ROWS), sum = basis;
    size_t from = s->count >= 8 && memcmp(s->rows, "keelrow", 7) == 0 ? 8 : 0;
    for (uint64_t at = 0; at + 8 <= bytes && from + at + 8 <= s->count; at += 8)
        sum = (sum ^ long_at(s->rows + from + at)) * prime;
    return sum;
}

static uint64_t solver_sum(struct part solver) {
    uint64_t block = long_at(solver.bytes + SOLVER_BLOCK),
             sum = hash(basis, solver.bytes + 8, SOLVER_SUM - 8);
    size_t head = SOLVER_SUM + 8, from = solver.size - head < block ? head : solver.size - (size_t)block;
    sum = hash(sum, solver.bytes + head, from - head);
    for (; from + 8 <= solver.size; from += 8) sum = (sum ^ long_at(solver.bytes + from)) * prime;
    return hash(sum, solver.bytes + from, solver.size - from);
}

void saved_repair(struct saved *s) {
    struct part sim = sim_of(s), solver = solver_of(s);
    uint64_t sum;
    if (solver.size > SOLVER_SUM + 8) {
        sum = solver_sum(solver);
        memcpy(solver.bytes + SOLVER_SUM, &sum, sizeof sum);
    }
    if (sim.size >= SIM_HEAD && sim.size - solver.size >= SIM_HEAD) {
        sum = hash(basis, sim.bytes + SIM_SUM + 8, sim.size - solver.size - SIM_SUM - 8);
        memcpy(sim.bytes + SIM_SUM, &sum, sizeof sum);
    }
    if (s->size < FILE_HEAD) return;
    sum = rows_sum(s);
    memcpy(s->bytes + FILE_ROWS_SUM, &sum, sizeof sum);
    sum = hash(basis, s->bytes + FILE_SUM + 8, s->size - FILE_SUM - 8);
    memcpy(s->bytes + FILE_SUM, &sum, sizeof sum);
}

/* Recipes ---------------------------------------------------------------------------------------------- */

/* "word N" -> N; -1: another word. */
static long number_behind(const char *line, const char *word) {
    size_t length = strlen(word);
    if (strncmp(line, word, length) != 0 || line[length] != ' ') return -1;
    long value = strtol(line + length, NULL, 10);
    return value < 0 || value > 1 << 20 ? 0 : value;
}

struct recipe recipe_of(const char *text) {
    struct recipe r = {.steps = 3};
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        long k;
        if ((k = number_behind(line, "model")) >= 0) r.model = (int)(k % RECIPE_MODELS);
        else if ((k = number_behind(line, "method")) >= 0) r.method = (int)(k % RECIPE_METHODS);
        else if ((k = number_behind(line, "steps")) >= 0) r.steps = (int)(k % RECIPE_STEPS);
        else if (strncmp(line, "raw", 3) == 0) r.raw = 1;
        else r.changes += *line != '\n' && *line != '#';
    }
    return r;
}

static void change(struct part p, size_t at, const char *kind, const char *value) {
    unsigned char bytes[8];
    unsigned long long whole = strtoull(value, NULL, 16);
    double number = strtod(value, NULL);
    size_t count = strcmp(kind, "byte") == 0 || strcmp(kind, "xor") == 0 ? 1
                   : strcmp(kind, "int") == 0                            ? 4
                                                                         : 8;
    if (p.size == 0) return;
    at %= p.size;
    if (count > p.size - at) count = p.size - at;
    memcpy(bytes, &whole, sizeof bytes);
    if (strcmp(kind, "double") == 0) memcpy(bytes, &number, sizeof bytes);
    if (strcmp(kind, "xor") == 0) bytes[0] ^= p.bytes[at];
    memcpy(p.bytes + at, bytes, count);
}

static size_t less(size_t size, long count) {
    return count < 0 ? size : (size_t)count < size ? size - (size_t)count : 0;
}

void recipe_apply(const char *text, const struct recipe *r, struct saved *s) {
    static const struct {
        const char *name;
        struct part (*part)(const struct saved *);
    } parts[] = {{"file", file_of},     {"about", about_of}, {"sim", sim_of},
                 {"solver", solver_of}, {"block", block_of}, {"rows", rows_of}};
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char name[8], kind[8], value[32];
        unsigned long at;
        s->size = less(s->size, number_behind(line, "cut"));
        s->count = less(s->count, number_behind(line, "cutrows"));
        if (sscanf(line, "%7s %lu %7s %31s", name, &at, kind, value) != 4) continue;
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            if (strcmp(name, parts[k].name) == 0) change(parts[k].part(s), at, kind, value);
    }
    if (!r->raw) saved_repair(s);
}
