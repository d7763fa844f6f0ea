/* papers.h - printed values as they stand in the papers, and what it means to meet one. */
#ifndef KEEL_TESTS_PAPERS_H
#define KEEL_TESTS_PAPERS_H

#include "testing.h"

#include <float.h>

/* One unit in the last digit of "8.3e-5" or ".40e-2"; 0 for "0". */
static inline double paper_last_digit(const char *printed) {
    const char *point = strchr(printed, '.'), *e = strchr(printed, 'e');
    if (!point) return 0;
    size_t digits = e ? (size_t)(e - point) - 1 : strlen(point) - 1;
    return pow(10, (e ? atoi(e + 1) : 0) - (int)digits);
}

/* 1, and a line that says so, if value misses the printed value by more than half a digit and room. */
static inline int paper_misses(const char *row, const char *column, double value, const char *printed,
                               double margin) {
    if (fabs(value - atof(printed)) <= 0.5 * paper_last_digit(printed) + margin) return 0;
    print_error("%s, %s: %.5g is printed as %s\n", row, column, value, printed);
    return 1;
}

/* Tables 1 and 2 of the paper that introduced adjustment-stabilization (2007): an orbit with e = .01, a =
 * 1.1, GM = 1 over 10^5 periods T, steps T/25 and so on.  RK78 propagates the 8th-order formula; M1 is
 * post-stabilization by the energy, M2 the adjustment of energy and momentum, both in the unit norm.  The
 * columns are |da|, |dh| and |dM| at the end, M the mean anomaly; none is relative, whatever their heads
 * say. "held": printed as 3e-15 to 7e-15, round-off.  Corrections of the print:
 *   T/100: with 64-bit mantissas da, dh are as printed; rounding the formula's coefficients to double takes
 *     2.8 percent off.  dM of M1, M2 is printed 3.6e-8, 2.5e-8; with 64-bit mantissas it is 4.14e-8, 3.10e-8,
 *     and round-off makes one tenth of it here.
 *   T/400, M2: printed 2.3e-6; the law h^6 gives 2.3e-5 from either neighbour. */
static const struct paper_orbit {
    const char *name, *method;
    const char *stabilizer;
    int steps;             /* in a period */
    double margin;         /* relative, for round-off */
    const char *column[3]; /* da, dh, dM; "held": round-off */
} paper_orbits[] = {
    {"RK78 T/25", "rkf78", "watch", 25, 0, {"8.3e-5", "4.0e-5", "O(1)"}},
    {"RK78 T/25 M1", "rkf78", "post", 25, 0, {"held", "1.1e-7", "2.6e-3"}},
    {"RK78 T/25 M2", "rkf78", "adjust", 25, 0, {"held", "held", "2.1e-3"}},
    {"RK78 T/50", "rkf78", "watch", 50, 0, {"1.6e-7", "7.7e-8", "6.9e-2"}},
    {"RK78 T/50 M1", "rkf78", "post", 50, 0, {"held", "2.2e-10", "1.1e-5"}},
    {"RK78 T/50 M2", "rkf78", "adjust", 50, 0, {"held", "held", "8.0e-6"}},
    {"RK78 T/100", "rkf78", "watch", 100, 0.03, {"3.1e-10", "1.5e-10", "1.3e-4"}},
    {"RK78 T/100 M1", "rkf78", "post", 100, 0.2, {"held", "4.3e-13", "4.1e-8"}},
    {"RK78 T/100 M2", "rkf78", "adjust", 100, 0.2, {"held", "held", "3.1e-8"}},
    {"Adams T/300", "ab6", "watch", 300, 0, {"4.0e-6", "1.9e-6", "O(1)"}},
    {"Adams T/300 M1", "ab6", "post", 300, 0, {"held", "4.5e-9", "3.6e-4"}},
    {"Adams T/300 M2", "ab6", "adjust", 300, 0, {"held", "held", "1.3e-4"}},
    {"Adams T/400", "ab6", "watch", 400, 0, {"5.4e-7", "2.5e-7", "2.3e-1"}},
    {"Adams T/400 M1", "ab6", "post", 400, 0, {"held", "6.0e-10", "6.4e-5"}},
    {"Adams T/400 M2", "ab6", "adjust", 400, 0, {"held", "held", "2.3e-5"}},
    {"Adams T/500", "ab6", "watch", 500, 0, {"1.1e-7", "5.3e-8", "4.8e-2"}},
    {"Adams T/500 M1", "ab6", "post", 500, 0, {"held", "1.3e-10", "1.7e-5"}},
    {"Adams T/500 M2", "ab6", "adjust", 500, 0, {"held", "held", "6.0e-6"}},
};
enum {
    PAPER_PERIODS = 100000,
    PAPER_RK78_ROWS = 9,
    PAPER_ORBITS = sizeof paper_orbits / sizeof paper_orbits[0]
};

/* a, |h| and M of the ellipse through (q, p). */
static inline void paper_elements(const double *u, double out[3]) {
    double r = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    double v2 = u[3] * u[3] + u[4] * u[4] + u[5] * u[5], radial = u[0] * u[3] + u[1] * u[4] + u[2] * u[5];
    double a = 1 / (2 / r - v2), e_sin = radial / sqrt(a), e_cos = 1 - r / a;
    double h1 = u[1] * u[5] - u[2] * u[4], h2 = u[2] * u[3] - u[0] * u[5], h3 = u[0] * u[4] - u[1] * u[3];
    out[0] = a;
    out[1] = sqrt(h1 * h1 + h2 * h2 + h3 * h3);
    out[2] = atan2(e_sin, e_cos) - e_sin;
}

/* Error i (da, dh, dM) after all periods against its column; margin: relative, for laws that carried it
 * there. */
static inline int paper_orbit_misses(const struct paper_orbit *row, int i, double error, double margin) {
    static const char *const names[3] = {"da", "dh", "dM"};
    const char *printed = row->column[i];
    error = fabs(error);
    if (strcmp(printed, "held") == 0) return paper_misses(row->name, names[i], error, "0", 8 * DBL_EPSILON);
    if (strcmp(printed, "O(1)") == 0)
        return paper_misses(row->name, names[i], fmin(error, 1), "1", 0); /* or more */
    return paper_misses(row->name, names[i], error, printed, fmax(row->margin, margin) * atof(printed));
}
#endif
