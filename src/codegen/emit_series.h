/* emit_series.h - what the parts of emit_series.c share: recurrences as C. */
#ifndef KEEL_CODEGEN_EMIT_SERIES_H
#define KEEL_CODEGEN_EMIT_SERIES_H

#include "codegen/emit.h"
#include "symbolic/series.h"

/* A code with its operands as text: numbers, or what a loop has for them. */
enum { EMIT_OPERANDS = 6, EMIT_OPERAND = 40 };
struct emit_code {
    uint32_t rule;
    int rests; /* a does not move */
    char to[EMIT_OPERAND], a[EMIT_OPERAND], b[EMIT_OPERAND], c[EMIT_OPERAND], d[EMIT_OPERAND],
        e[EMIT_OPERAND];
};

/* w: jets; f: numbers that do not move; g: sums; q: 1 / k and 1 / (k + 1); N: the stride; k: the order. */
void emit_series_line(struct emit *e, const struct emit_code *c);
/* Its six functions as loops over classes; 0; -1; 1: they are better straight. */
int emit_series_rolled(struct emit *e, const char *name, const struct series *s);
#endif
