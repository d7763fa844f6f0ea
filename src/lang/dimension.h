/* dimension.h - dimensions as linear forms: powers of the base units, and those of quantities nobody has
 * given a unit, which follow from the equations.
 *
 * D(a b) = D(a) + D(b), D(a^n) = n D(a), and D(a) = D(b) wherever a and b are added, compared or equated.
 * Each such equation solves one quantity in terms of others, or is satisfied, or is a mistake. */
#ifndef KEEL_LANG_DIMENSION_H
#define KEEL_LANG_DIMENSION_H

#include "lang/model.h"

enum { DIMENSION_TERMS = 4 };

/* In sixtieths.  any: a plain number, which fits anywhere; lost: what nobody can tell. */
struct dimension {
    int power[SYNTAX_BASES];
    int any, lost, count;
    struct {
        int quantity, factor;
    } term[DIMENSION_TERMS];
};

/* What is known of each quantity; NULL: nothing. */
struct dimensions {
    struct dimension **known;
    struct pool *pool;
};

struct dimension dimension_of(const struct dimensions *x, int quantity);
struct dimension dimension_unit(const int power[SYNTAX_BASES]);
struct dimension dimension_second(int times); /* s^times */
/* a + factor/60 b. */
struct dimension dimension_add(const struct dimensions *x, struct dimension a, struct dimension b,
                               int factor);
struct dimension dimension_scale(const struct dimensions *x, struct dimension a, int factor);
/* 1: they are the same, now at least; 0: they cannot be. */
int dimension_same(struct dimensions *x, struct dimension a, struct dimension b);
/* As people write it; 0: it is not known wholly. */
int dimension_print(const struct dimensions *x, struct dimension a, char *out, size_t capacity);
#endif
