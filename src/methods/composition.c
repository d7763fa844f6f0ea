/* composition.c - see composition.h. */
#include "methods/composition.h"

#include <string.h>

static const double single[] = {1};
const struct composition_weights composition_single = {1, single};

/* Yoshida 1990, Forest and Ruth 1990: 1 / (2 - 2^(1/3)) and 1 - 2 g_1. */
static const double yoshida4[] = {1.3512071919596576340476878, -1.7024143839193152680953756};
const struct composition_weights composition_yoshida4 = {3, yoshida4};

/* Suzuki 1990: 1 / (4 - 4^(1/3)) four times, and 1 - 4 g_1. */
static const double suzuki4[] = {0.4144907717943757371423541, 0.4144907717943757371423541,
                                 -0.6579630871775029485694164};
const struct composition_weights composition_suzuki4 = {5, suzuki4};

/* Yoshida 1990, solution A. */
static const double yoshida6[] = {0.78451361047755726381949763, 0.23557321335935813368479318,
                                  -1.17767998417887100694641568, 1.31518632068391121888424973};
const struct composition_weights composition_yoshida6 = {7, yoshida6};

/* Kahan and Li 1997. */
static const double kahan_li6[] = {0.39216144400731413927925056, 0.33259913678935943859974864,
                                   -0.70624617255763935980996482, 0.08221359629355080023149045,
                                   0.79854399093482996339895035};
const struct composition_weights composition_kahan_li6 = {9, kahan_li6};

/* Yoshida 1990, solution D; its 15 printed digits carried on by Newton's method on the order conditions. */
static const double yoshida8[] = {0.9148442462297915667487935, 0.2536933365662113541461460,
                                  -1.444852236860605157694731, -0.1582406353680501752040668,
                                  1.938139137622525986579186,  -1.960610232975310807607633,
                                  0.1027998493917964406981151, 1.708453070787281584668379};
const struct composition_weights composition_yoshida8 = {15, yoshida8};

/* Kahan and Li 1997. */
static const double kahan_li8[] = {
    0.13020248308889008087881763, 0.56116298177510838456196441,  -0.38947496264484728640807860,
    0.15884190655515560089621075, -0.39590389413323757733623154, 0.18453964097831570709183254,
    0.25837438768632204729397911, 0.29501172360931029887096624,  -0.60550853383003451169892108};
const struct composition_weights composition_kahan_li8 = {17, kahan_li8};

/* x + 2h has its last bit at the ticks of h, or above: taking 2h away again is exact. */
void composition_cut(double h, int count, double *piece) {
    int symmetric = piece[0] == piece[count - 1], pairs = symmetric ? (count - 1) / 2 : 0;
    double sum = 0;
    for (int i = 0; i < count && !symmetric; i++) piece[i] *= h;
    if (!symmetric) return;
    for (int i = 0; i < pairs; i++) {
        piece[i] = piece[count - 1 - i] = (piece[i] * h + 2 * h) - 2 * h;
        sum += piece[i];
    }
    double rest = h - 2 * sum;
    piece[pairs] = piece[count - 1 - pairs] = count % 2 ? rest : 0.5 * rest;
}

/* The work as the base sees it. */
static keel_work inside(const keel_work *w) {
    const struct composition *table = w->stepper->table;
    keel_work inner = *w;
    inner.stepper = table->base;
    inner.method = (struct composed *)w->method + 1;
    return inner;
}

void composition_layout(const keel_problem *p, const keel_options *o, keel_work *w) {
    struct composed *m = w->method;
    size_t width = (size_t)w->width;
    keel_work inner = inside(w);
    m->x = keel_work_doubles(w, width);
    m->f = keel_work_doubles(w, width);
    m->piece = keel_work_doubles(w, width);
    m->f_end = keel_work_doubles(w, width);
    m->rest = keel_work_doubles(w, width);
    inner.stepper->layout(p, o, &inner);
}

/* Adds the piece to the increment, with the bits the sum so far has lost. */
static void add(const keel_work *w, const struct composed *m, keel_attempt *a) {
    for (int i = 0; i < w->width; i++) {
        double more = m->piece[i] + m->rest[i], sum = a->dx[i] + more, part = sum - a->dx[i];
        m->rest[i] = (a->dx[i] - (sum - part)) + (more - part);
        a->dx[i] = sum;
        m->x[i] = a->x[i] + sum;
    }
}

keel_status composition_attempt(keel_work *w, keel_attempt *a) {
    const struct composition *table = w->stepper->table;
    struct composed *m = w->method;
    keel_work inner = inside(w);
    size_t bytes = (size_t)w->width * sizeof(double);
    double clock = 0, length[COMPOSITION_MOST];
    keel_status status = KEEL_OK;
    for (int i = 0; i < table->weights->count; i++) length[i] = composition_weight(table->weights, i);
    composition_cut(a->h, table->weights->count, length);
    memset(a->dx, 0, bytes);
    memset(m->rest, 0, bytes);
    memcpy(m->x, a->x, bytes);
    for (int i = 0; i < table->weights->count && status == KEEL_OK; i++) {
        double t = a->t + clock;
        keel_attempt piece = {
            .t = t, .h = length[i], .x = m->x, .f = m->f, .dx = m->piece, .first = 1, .f_end = m->f_end};
        if (!inner.stepper->no_rhs) status = keel_rhs(&inner, t, m->x, m->f);
        if (status == KEEL_OK) status = inner.stepper->attempt(&inner, &piece);
        if (status == KEEL_OK) add(w, m, a);
        clock += length[i];
    }
    w->calls = inner.calls;
    w->code = inner.code;
    return status;
}
