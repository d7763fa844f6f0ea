/* brusselator.c - see plane.h:
 *
 *     u_t = 1 + u^2 v - 4.4 u + a (u_xx + u_yy) + f,   v_t = 3.4 u - u^2 v + a (v_xx + v_yy),   a = 0.1. */
#include "planes/plane.h"

#include <math.h>

static double spread_of(int side) {
    return 0.1 * side * side;
}

void plane_start(int side, double *u) {
    int points = side * side;
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++) {
            double x = (double)i / side, y = (double)j / side;
            u[i * side + j] = 22 * y * pow(1 - y, 1.5);
            u[points + i * side + j] = 27 * x * pow(1 - x, 1.5);
        }
}

void plane_rate(int side, int fed, const double *u, double *du) {
    int points = side * side;
    double c = spread_of(side);
    const double *v = u + points;
    for (int i = 0; i < side; i++) {
        int up = (i + side - 1) % side * side, down = (i + 1) % side * side, here = i * side;
        for (int j = 0; j < side; j++) {
            int left = j ? j - 1 : side - 1, right = j < side - 1 ? j + 1 : 0, p = here + j;
            double x = (double)i / side - 0.3, y = (double)j / side - 0.6, product = u[p] * u[p] * v[p];
            double sum_u = u[up + j] + u[down + j] + u[here + left] + u[here + right];
            double sum_v = v[up + j] + v[down + j] + v[here + left] + v[here + right];
            du[p] = 1 + product - 4.4 * u[p] + c * (sum_u - 4 * u[p]);
            du[points + p] = 3.4 * u[p] - product + c * (sum_v - 4 * v[p]);
            if (fed && x * x + y * y <= 0.01) du[p] += 5;
        }
    }
}

static void place(long *row, double *value, long from, long *count, long i, double entry) {
    long e = *count;
    for (; e > from && row[e - 1] > i; e--) row[e] = row[e - 1], value[e] = value[e - 1];
    row[e] = i;
    value[e] = entry;
    ++*count;
}

void plane_jacobian(int side, const double *u, double a, double b, long *start, long *row, double *value) {
    long points = (long)side * side, count = 0;
    double c = spread_of(side);
    for (long column = 0; column < 2 * points; column++) {
        long p = column % points, first = column - p, i = p / side, j = p % side, from = count;
        double square = u[p] * u[p], product = 2 * u[p] * u[points + p];
        start[column] = count;
        place(row, value, from, &count, column, a + b * ((first ? -square : product - 4.4) - 4 * c));
        place(row, value, from, &count, first ? p : points + p, b * (first ? square : 3.4 - product));
        for (int k = -1; k <= 1; k += 2) {
            place(row, value, from, &count, first + (i + side + k) % side * side + j, b * c);
            place(row, value, from, &count, first + i * side + (j + side + k) % side, b * c);
        }
    }
    start[2 * points] = count;
}
