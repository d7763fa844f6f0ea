/* monomial.c - see monomial.h. */
#include "discover/monomial.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

double monomial_count(int generators, int degree) {
    double count = 1; /* (generators + degree)! / (generators! degree!) */
    for (int k = 1; k <= degree && count < MONOMIAL_MANY; k++) count *= (double)(generators + k) / k;
    return count;
}

void monomial_close(struct monomials *b) {
    free(b->before);
    free(b->factor);
    free(b->degree_of);
    *b = (struct monomials){0};
}

/* Does generator k stand in monomial i? */
static int contains(const struct monomials *b, int i, int k) {
    for (; i > 0; i = b->before[i])
        if (b->factor[i] == k) return 1;
    return 0;
}

/* 1; 0 without memory. */
static int append(struct monomials *b, int before, int factor, int degree) {
    if (b->count == b->capacity) {
        size_t capacity = 2 * (size_t)b->capacity + 64;
        int *wider[3] = {b->before, b->factor, b->degree_of}, failed = 0;
        for (int k = 0; k < 3; k++) {
            int *moved = realloc(wider[k], capacity * sizeof *moved);
            failed |= !moved;
            if (moved) wider[k] = moved;
        }
        b->before = wider[0], b->factor = wider[1], b->degree_of = wider[2];
        if (failed) return 0;
        b->capacity = (int)capacity;
    }
    b->before[b->count] = before;
    b->factor[b->count] = factor;
    b->degree_of[b->count++] = degree;
    return 1;
}

/* Factors ascend in each; all with one factor more follow those with fewer. */
static int enumerate(struct monomials *b, const int *partner, const int *weight, int most) {
    if (!append(b, 0, -1, 0)) return -1;
    for (int from = 0, to = b->count; from < to; from = to, to = b->count)
        for (int i = from; i < to; i++)
            for (int k = i ? b->factor[i] : 0; k < b->generators; k++) {
                int degree = b->degree_of[i] + (weight ? weight[k] : 1);
                if (degree > b->degree || (partner && partner[k] >= 0 && contains(b, i, partner[k])))
                    continue;
                if (b->count > most) return 0;
                if (!append(b, i, k, degree)) return -1;
            }
    return 1;
}

int monomial_open(struct monomials *b, int generators, const int *partner, int degree) {
    *b = (struct monomials){.generators = generators, .degree = degree};
    return enumerate(b, partner, NULL, INT_MAX - 1) > 0;
}

int monomial_weighted(struct monomials *b, int generators, const int *weight, int degree, int most) {
    *b = (struct monomials){.generators = generators, .degree = degree};
    return enumerate(b, NULL, weight, most);
}

void monomial_powers(const struct monomials *b, int i, int *power) {
    memset(power, 0, (size_t)b->generators * sizeof *power);
    for (; i > 0; i = b->before[i]) power[b->factor[i]]++;
}

void monomial_values(const struct monomials *b, const residue *generator, const residue *generator_rate,
                     residue *value, residue *rate) {
    value[0] = 1;
    if (rate) rate[0] = 0;
    for (int i = 1; i < b->count; i++) {
        int before = b->before[i], k = b->factor[i];
        value[i] = residue_mul(value[before], generator[k]);
        if (rate)
            rate[i] = residue_add(residue_mul(rate[before], generator[k]),
                                  residue_mul(value[before], generator_rate[k]));
    }
}
