/* reactions.c - see line.h. */
#include "lines/line.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* u_t = D u_xx + u - u^3, no flux. */
static double spread_of(int points) {
    return 1e-4 * (points - 1.) * (points - 1.);
}

static void allen_cahn_start(int points, double *u) {
    for (int i = 0; i < points; i++) {
        double x = i / (points - 1.);
        u[i] = 0.1 * cos(6 * pi * x) + 0.05 * sin(19 * x);
    }
}

static void allen_cahn_rate(int points, const double *u, double *du) {
    double c = spread_of(points);
    int last = points - 1;
    du[0] = 2 * c * (u[1] - u[0]) + u[0] - u[0] * u[0] * u[0];
    for (int i = 1; i < last; i++) du[i] = c * (u[i - 1] - 2 * u[i] + u[i + 1]) + u[i] - u[i] * u[i] * u[i];
    du[last] = 2 * c * (u[last - 1] - u[last]) + u[last] - u[last] * u[last] * u[last];
}

static void allen_cahn_row(int points, const double *u, int i, double *row) {
    double c = spread_of(points);
    row[0] = i == 0 ? 0 : i == points - 1 ? 2 * c : c;
    row[1] = 1 - 2 * c - 3 * u[i] * u[i];
    row[2] = i == points - 1 ? 0 : i == 0 ? 2 * c : c;
}

const struct line line_allen_cahn = {"Allen-Cahn",    "allen_cahn",  1, 50, allen_cahn_start,
                                     allen_cahn_rate, allen_cahn_row};

/* u_t = 1 + u^2 v - 4 u + a u_xx, v_t = 3 u - u^2 v + a v_xx; u = 1 and v = 3 at the ends. */
static double diffusion_of(int points) {
    return (points + 1.) * (points + 1.) / 50;
}

static void brusselator_start(int points, double *u) {
    for (int i = 0; i < points; i++) {
        u[2 * i] = 1 + sin(2 * pi * (i + 1) / (points + 1));
        u[2 * i + 1] = 3;
    }
}

static void brusselator_rate(int points, const double *u, double *du) {
    double c = diffusion_of(points);
    for (int i = 0; i < points; i++) {
        double a = u[2 * i], b = u[2 * i + 1], product = a * a * b;
        double left = i ? u[2 * i - 2] : 1, right = i < points - 1 ? u[2 * i + 2] : 1;
        double low = i ? u[2 * i - 1] : 3, high = i < points - 1 ? u[2 * i + 3] : 3;
        du[2 * i] = 1 + product - 4 * a + c * (left - 2 * a + right);
        du[2 * i + 1] = 3 * a - product + c * (low - 2 * b + high);
    }
}

static void brusselator_row(int points, const double *u, int i, double *row) {
    double c = diffusion_of(points), a = u[i & ~1], b = u[i | 1];
    memset(row, 0, 5 * sizeof *row);
    row[0] = i > 1 ? c : 0;
    row[4] = i < 2 * points - 2 ? c : 0;
    if (i & 1) {
        row[1] = 3 - 2 * a * b;
        row[2] = -a * a - 2 * c;
    } else {
        row[2] = 2 * a * b - 4 - 2 * c;
        row[3] = a * a;
    }
}

const struct line line_brusselator = {"Brusselator",    "brusselator_line", 2, 10, brusselator_start,
                                      brusselator_rate, brusselator_row};
