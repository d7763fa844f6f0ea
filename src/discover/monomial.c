/* monomial.c - see monomial.h. */
#include "discover/monomial.h"

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

int monomial_open(struct monomials *b, int generators, const int *partner, int degree) {
    size_t most = (size_t)monomial_count(generators, degree) + 2;
    *b = (struct monomials){.generators = generators, .degree = degree, .count = 1};
    b->before = calloc(most, sizeof *b->before);
    b->factor = calloc(most, sizeof *b->factor);
    b->degree_of = calloc(most, sizeof *b->degree_of);
    if (!b->before || !b->factor || !b->degree_of) return 0;
    b->factor[0] = -1;
    for (int d = 1, from = 0; d <= degree; d++) {
        int to = b->count;
        for (int i = from; i < to; i++) /* factors ascend */
            for (int k = i ? b->factor[i] : 0; k < generators; k++) {
                if (partner[k] >= 0 && contains(b, i, partner[k])) continue;
                b->before[b->count] = i;
                b->factor[b->count] = k;
                b->degree_of[b->count++] = d;
            }
        from = to;
    }
    return 1;
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
