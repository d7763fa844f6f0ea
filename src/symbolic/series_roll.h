/* series_roll.h - recurrences that repeat, as loops: a class has its codes once, and the operands of each
 * item. */
#ifndef KEEL_SYMBOLIC_SERIES_ROLL_H
#define KEEL_SYMBOLIC_SERIES_ROLL_H

#include "symbolic/series.h"

/* Items first .. first + items - 1 of all, each of so many codes. */
struct series_roll_class {
    uint32_t first, items, codes;
};

/* Items first .. last - 1 of a class, in any order; one step after the other. */
struct series_roll_step {
    uint32_t class, first, last;
};

struct series_roll {
    const struct series_code *code; /* where the codes begin */
    struct series_roll_class *class;
    struct series_roll_step *step;
    size_t *item; /* the first code of each */
    uint32_t classes;
    size_t steps, lines; /* lines: codes of all classes */
};

/* Those of all parts of a series. */
struct series_rolls {
    struct series_roll ahead, early, late, again;
};

/* 0; -1: no memory; 1: too little repeats, or the order matters. */
int series_rolls_build(struct series_rolls *r, const struct series *s);
void series_rolls_free(struct series_rolls *r);
/* Codes that are to be written, once each where they are rolled. */
size_t series_lines(const struct series *s);
#endif
