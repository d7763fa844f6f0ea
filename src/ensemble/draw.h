/* draw.h - a distribution, as text and as the inverse of its distribution function. */
#ifndef KEEL_ENSEMBLE_DRAW_H
#define KEEL_ENSEMBLE_DRAW_H

#include <stddef.h>

enum draw_kind { DRAW_UNIFORM, DRAW_NORMAL, DRAW_LOGNORMAL };

/* uniform(a, b), normal(mean, deviation), lognormal(mean, deviation of the logarithm). */
struct draw {
    enum draw_kind kind;
    double a, b;
};

/* "uniform": its number; -1: there is none. */
int draw_find(const char *name, size_t length);
const char *draw_names(void); /* "uniform(a,b), ..." for sentences */
/* 0, or -1 with a sentence: a deviation below 0, an interval without length. */
int draw_check(const struct draw *d, char *why, size_t capacity);
double draw_value(const struct draw *d, double u); /* 0 < u < 1 */
double draw_normal(double u);                      /* the inverse of the normal distribution function */
#endif
