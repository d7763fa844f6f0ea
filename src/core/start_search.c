/* start_search.c - a start that could not be found from where its values are given, from places around.
 *
 * There the rows may have no direction of their own (a rod whose ends are both at 0) or lie athwart, although
 * they can be met.  Several solutions are likely then, two mirror images for one: the nearest of those that
 * the smallest radius shows is taken. */
#include "core/start.h"

#include <math.h>
#include <string.h>

static const double radii[] = {0.03, 0.3, 1, 3};
enum { RADII = 4, TRIES = 4, LARGE = 500 }; /* from so many unknowns on one try a radius */

/* The free ones of `count` values from `first` on, moved by up to `radius` of their size; one that is 0 has
 * that of the largest value, or 1. */
static void begin_elsewhere(const struct start *st, int first, int count, double radius, const double *u,
                            unsigned *seed, double *out) {
    int all = st->fd->n + st->fd->m;
    double largest = 0;
    for (int j = 0; j < all; j++) largest = fmax(largest, fabs(u[j]));
    memcpy(out, u, (size_t)all * sizeof *out);
    for (int j = first; j < first + count; j++) {
        double share = start_random(seed), size = fabs(u[j]) > 0 ? fabs(u[j]) : largest > 0 ? largest : 1;
        if (st->free[j]) out[j] += radius * size * share;
    }
}

/* Each change by the size of its value. */
static double distance(int count, const double *from, const double *to) {
    double sum = 0;
    for (int j = 0; j < count; j++) {
        double size = fmax(fabs(from[j]), fabs(to[j])), part = size > 0 ? (to[j] - from[j]) / size : 0;
        sum += part * part;
    }
    return sum;
}

/* Is it the place again from which no way led, nearly, where Newton's method halves its steps? */
static int came_back(int count, double radius, const double *from, const double *to) {
    double largest = 0, way = 0;
    for (int j = 0; j < count; j++) {
        largest = fmax(largest, fabs(from[j]));
        way = fmax(way, fabs(to[j] - from[j]));
    }
    return way <= 1e-4 * radius * (largest > 0 ? largest : 1);
}

keel_status start_search(struct start *st, const struct start_level *level, double t, const double *u) {
    struct field *fd = st->fd;
    int all = fd->n + fd->m, tries = all > LARGE ? 1 : TRIES, first = level ? level->first : fd->n,
        count = level ? level->columns : fd->m;
    unsigned seed = 2024;
    double best = HUGE_VAL;
    for (int r = 0; r < RADII && best == HUGE_VAL; r++)
        for (int k = 0; k < tries; k++) {
            begin_elsewhere(st, first, count, radii[r], u, &seed, st->beside);
            keel_status status =
                level ? start_solve_far(st, level, t, st->beside) : algebra_solve(fd, t, st->beside);
            double far = status == KEEL_OK ? distance(count, u + first, st->beside + first) : HUGE_VAL;
            if (!(far < best) || came_back(count, radii[r], u + first, st->beside + first)) continue;
            best = far;
            memcpy(st->found, st->beside, (size_t)all * sizeof *u);
        }
    if (best == HUGE_VAL) return KEEL_ESTART;
    return level ? start_solve(st, level, t, st->found) : KEEL_OK; /* it is one, and its sizes count */
}
