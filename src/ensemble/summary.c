/* summary.c - moments and quantiles of streams of numbers, in bounded memory.  See keel/ensemble.h.
 *
 * Moments are merged in a binary tree over the numbers' places: leaves are single numbers, and two neighbours
 * of the same size become one node, as the digits of a binary counter carry.  So rounding errors grow with
 * the logarithm of the count, and the result depends on the order alone.
 *
 * Quantiles: a buffer of CAPACITY numbers on each level, each standing for 2^level.  A full one is sorted and
 * every second number goes one level up, from the first and from the second in turn (Munro and Paterson;
 * Manku, Rajagopalan, Lindsay: SIGMOD 1998).  A compaction on level l moves ranks by at most 2^l, and there
 * are n / (CAPACITY 2^l) of them: at most log2(n / CAPACITY) / CAPACITY of all numbers lie on the wrong side
 * of a quantile, and less by far where the turns cancel. */
#include "keel/ensemble.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 2048, LEVELS = 48 };

struct moments {
    int64_t count;
    double mean, squares; /* the sum of (x - mean)^2 */
};

struct quantity {
    struct moments node[LEVELS];
    double low, high;
    double *level[LEVELS]; /* [CAPACITY]; NULL: not needed yet */
    int32_t held[LEVELS];
    uint32_t turn; /* a bit for each level: the next compaction begins with the second number */
};

struct keel_summary {
    int quantities, quantiles; /* are there quantiles? */
    int64_t members;
    struct quantity *of;
};

keel_summary *keel_summary_open(int quantities, int quantiles) {
    struct keel_summary *s = calloc(1, sizeof *s);
    if (!s || quantities < 0) return free(s), NULL;
    s->quantities = quantities;
    s->quantiles = quantiles;
    s->of = calloc((size_t)quantities + 1, sizeof *s->of);
    if (!s->of) return free(s), NULL;
    for (int i = 0; i < quantities; i++) s->of[i].low = INFINITY, s->of[i].high = -INFINITY;
    return s;
}

void keel_summary_close(keel_summary *s) {
    if (!s) return;
    for (int i = 0; i < s->quantities; i++)
        for (int l = 0; l < LEVELS; l++) free(s->of[i].level[l]);
    free(s->of);
    free(s);
}

/* Adding ------------------------------------------------------------------------------------------------ */

/* Chan, Golub, LeVeque: Updating formulae and a pairwise algorithm for computing sample variances, 1979. */
static struct moments merged(struct moments a, struct moments b) {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    double n = (double)(a.count + b.count), apart = b.mean - a.mean;
    return (struct moments){a.count + b.count, a.mean + apart * ((double)b.count / n),
                            a.squares + b.squares + apart * apart * ((double)a.count / n * (double)b.count)};
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int put(struct quantity *q, int level, double value);

static int compact(struct quantity *q, int level) {
    int first = (int)(q->turn >> (level % 32) & 1);
    qsort(q->level[level], CAPACITY, sizeof(double), by_size);
    q->turn ^= (uint32_t)1 << (level % 32);
    q->held[level] = 0;
    for (int i = first; i < CAPACITY; i += 2)
        if (put(q, level + 1, q->level[level][i])) return -1;
    return 0;
}

static int put(struct quantity *q, int level, double value) {
    if (level == LEVELS) return -1;
    if (!q->level[level]) q->level[level] = malloc(CAPACITY * sizeof(double));
    if (!q->level[level]) return -1;
    q->level[level][q->held[level]++] = value;
    return q->held[level] == CAPACITY ? compact(q, level) : 0;
}

static int add(struct keel_summary *s, struct quantity *q, double value) {
    struct moments m = {0};
    int level = 0;
    if (isfinite(value)) m = (struct moments){1, value, 0};
    for (; s->members >> level & 1; level++) m = merged(q->node[level], m);
    q->node[level] = m;
    if (m.count == 0 || !isfinite(value)) return 0;
    q->low = fmin(q->low, value);
    q->high = fmax(q->high, value);
    return s->quantiles ? put(q, 0, value) : 0;
}

keel_status keel_summary_add(keel_summary *s, const double *value) {
    if (!s || !value || s->members >> (LEVELS - 1)) return KEEL_EINVAL;
    int bad = 0;
    for (int i = 0; i < s->quantities; i++) bad |= add(s, &s->of[i], value[i]);
    s->members++;
    return bad ? KEEL_ENOMEM : KEEL_OK;
}

/* Asking ------------------------------------------------------------------------------------------------ */

/* The nodes that the count's digits stand for, the earliest numbers first. */
static struct moments total(const struct keel_summary *s, const struct quantity *q) {
    struct moments m = {0};
    for (int level = LEVELS - 1; level >= 0; level--)
        if (s->members >> level & 1) m = merged(m, q->node[level]);
    return m;
}

int keel_summary_moments(const keel_summary *s, int i, keel_moments *out) {
    if (!s || !out || i < 0 || i >= s->quantities) return 0;
    const struct quantity *q = &s->of[i];
    struct moments m = total(s, q);
    *out = (keel_moments){.count = m.count, .mean = NAN, .deviation = NAN, .smallest = NAN, .largest = NAN};
    if (m.count == 0) return 1;
    out->mean = m.mean;
    out->smallest = q->low;
    out->largest = q->high;
    if (m.count > 1) out->deviation = sqrt(m.squares / (double)(m.count - 1));
    return 1;
}

struct weighted {
    double value, weight;
};

static int by_value(const void *a, const void *b) {
    return by_size(&((const struct weighted *)a)->value, &((const struct weighted *)b)->value);
}

double keel_summary_quantile(const keel_summary *s, int i, double part) {
    if (!s || i < 0 || i >= s->quantities || !s->quantiles || !(part >= 0 && part <= 1)) return NAN;
    const struct quantity *q = &s->of[i];
    size_t count = 0;
    double all = 0, below = 0;
    for (int l = 0; l < LEVELS; l++) count += (size_t)q->held[l];
    struct weighted *list = malloc((count + 1) * sizeof *list);
    if (count == 0 || !list) return free(list), NAN;
    count = 0;
    for (int l = 0; l < LEVELS; l++)
        for (int k = 0; k < q->held[l]; k++) {
            list[count++] = (struct weighted){q->level[l][k], ldexp(1, l)};
            all += ldexp(1, l);
        }
    qsort(list, count, sizeof *list, by_value);
    double found = q->high;
    for (size_t k = 0; k < count; k++) {
        below += list[k].weight;
        if (below < part * all) continue;
        found = list[k].value;
        break;
    }
    free(list);
    return part == 0 ? q->low : part == 1 ? q->high : found;
}
