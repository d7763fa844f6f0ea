/* taylor - what an error costs with Taylor series, from compiled models, in units that were written by
 * hand: steps of rk4, of rk4 with projection, evaluations of Andrews' right-hand side.  One run, one core;
 * times are the best of several rounds, each between two measurements of the unit.  A run begins with
 * keel_restart: what keel verifies when a problem is opened it verifies once.  For each error the loosest
 * tolerance is taken that meets it together with the two after it, so that luck counts little. */
#include <keel/model.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "problems.h"

static void stop(const char *why) {
    fprintf(stderr, "taylor: %s\n", why);
    exit(1);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* By hand ----------------------------------------------------------------------------------------------- */

typedef void rate_by_hand(const double *u, double *out);

static inline void rate_kepler(const double *u, double *out) {
    double r2 = u[0] * u[0] + u[1] * u[1], r3 = r2 * sqrt(r2);
    out[0] = u[2];
    out[1] = u[3];
    out[2] = -u[0] / r3;
    out[3] = -u[1] / r3;
}

static inline void rate_pendulum(const double *u, double *out) {
    double pull = (u[2] * u[2] + u[3] * u[3] - 9.81 * u[1]) / (u[0] * u[0] + u[1] * u[1]);
    out[0] = u[2];
    out[1] = u[3];
    out[2] = -pull * u[0];
    out[3] = -pull * u[1] - 9.81;
}

static inline void rate_henon(const double *u, double *out) {
    out[0] = u[2];
    out[1] = u[3];
    out[2] = -u[0] - 2 * u[0] * u[1];
    out[3] = -u[1] - u[0] * u[0] + u[1] * u[1];
}

/* Onto the rod, then along it. */
static inline void project_pendulum(double *x) {
    double length = sqrt(x[0] * x[0] + x[1] * x[1]);
    x[0] /= length;
    x[1] /= length;
    double off = x[0] * x[2] + x[1] * x[3];
    x[2] -= off * x[0];
    x[3] -= off * x[1];
}

static inline __attribute__((always_inline)) double rk4_by_hand(rate_by_hand *rate, void (*project)(double *),
                                                                double *x, double h, long steps) {
    double k1[4], k2[4], k3[4], k4[4], y[4];
    for (long s = 0; s < steps; s++) {
        rate(x, k1);
        for (int i = 0; i < 4; i++) y[i] = x[i] + 0.5 * h * k1[i];
        rate(y, k2);
        for (int i = 0; i < 4; i++) y[i] = x[i] + 0.5 * h * k2[i];
        rate(y, k3);
        for (int i = 0; i < 4; i++) y[i] = x[i] + h * k3[i];
        rate(y, k4);
        for (int i = 0; i < 4; i++) x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
        if (project) project(x);
    }
    return x[0];
}

static double unit_kepler(long count) {
    double x[4] = {0.4, 0, 0, 2};
    return rk4_by_hand(rate_kepler, NULL, x, 0.01, count);
}

static double unit_pendulum(long count) {
    double x[4] = {1, 0, 0, 0};
    return rk4_by_hand(rate_pendulum, project_pendulum, x, 0.002, count);
}

static double unit_henon(long count) {
    double x[4] = {0, 0.45, sqrt(1. / 6 - 0.45 * 0.45 + 2 * 0.45 * 0.45 * 0.45 / 3), 0};
    return rk4_by_hand(rate_henon, NULL, x, 0.01, count);
}

/* Andrews' mechanism: M a + K^T lambda = f, K a = -c by Cholesky's factors of K M^-1 K^T; M has blocks of one
 * and two. */
static void solve_saddle(const double (*inverse)[7], const double (*k)[7], const double *f, const double *c,
                         double *a) {
    double w[6][7], s[6][6], lambda[6];
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 7; j++) {
            int other = j < 2 ? 1 - j : j == 2 ? 2 : j < 5 ? 7 - j : 11 - j;
            w[i][j] = k[i][j] * inverse[j][j] + (other == j ? 0 : k[i][other] * inverse[other][j]);
        }
        lambda[i] = c[i];
        for (int j = 0; j < 7; j++) lambda[i] += w[i][j] * f[j];
        for (int r = 0; r <= i; r++) {
            s[i][r] = 0;
            for (int j = 0; j < 7; j++) s[i][r] += w[i][j] * k[r][j];
        }
    }
    for (int i = 0; i < 6; i++) {
        for (int r = 0; r <= i; r++) {
            for (int j = 0; j < r; j++) s[i][r] -= s[i][j] * s[r][j];
            s[i][r] = r < i ? s[i][r] * s[r][r] : 1 / sqrt(s[i][i]);
        }
        for (int j = 0; j < i; j++) lambda[i] -= s[i][j] * lambda[j];
        lambda[i] *= s[i][i];
    }
    for (int i = 5; i >= 0; i--) {
        for (int j = i + 1; j < 6; j++) lambda[i] -= s[j][i] * lambda[j];
        lambda[i] *= s[i][i];
    }
    for (int j = 0; j < 7; j++) {
        int other = j < 2 ? 1 - j : j == 2 ? 2 : j < 5 ? 7 - j : 11 - j;
        a[j] = f[j] * inverse[j][j] + (other == j ? 0 : f[other] * inverse[other][j]);
        for (int i = 0; i < 6; i++) a[j] -= w[i][j] * lambda[i];
    }
}

static void invert_block(double (*inverse)[7], int i, double a, double b, double d) {
    double over = 1 / (a * d - b * b);
    inverse[i][i] = d * over;
    inverse[i][i + 1] = inverse[i + 1][i] = -b * over;
    inverse[i + 1][i + 1] = a * over;
}

static __attribute__((noinline)) void rate_andrews(const double *q, double *out) {
    const double rr = 7e-3, d = 28e-3, ss = 35e-3, e = 2e-2, zt = 4e-2, zf = 2e-2, u = 4e-2, da = 115e-4;
    const double m2 = .00365, m4 = .00706, m6 = .00706, ef = 2e-2 - 1421e-5;
    const double *v = q + 7;
    double sbe = sin(q[0]), cbe = cos(q[0]), sbt = sin(q[0] + q[1]), cbt = cos(q[0] + q[1]);
    double sga = sin(q[2]), cga = cos(q[2]), spd = sin(q[3] + q[4]), cpd = cos(q[3] + q[4]);
    double sde = sin(q[4]), cde = cos(q[4]), soe = sin(q[5] + q[6]), coe = cos(q[5] + q[6]);
    double sep = sin(q[6]), cep = cos(q[6]), sth = sin(q[1]), cth = cos(q[1]);
    double sph = sin(q[3]), cph = cos(q[3]), som = sin(q[5]), com = cos(q[5]);
    double be2 = v[0] * v[0], bt2 = (v[0] + v[1]) * (v[0] + v[1]), pd2 = (v[3] + v[4]) * (v[3] + v[4]);
    double oe2 = (v[5] + v[6]) * (v[5] + v[6]), ga2 = v[2] * v[2], de2 = v[4] * v[4], ep2 = v[6] * v[6];
    double kx = -rr * sbe + d * sbt, ky = rr * cbe - d * cbt, tx = d * sbt, ty = -d * cbt;
    double cx = -rr * cbe * be2 + d * cbt * bt2, cy = -rr * sbe * be2 + d * sbt * bt2;
    const double k[6][7] = {{kx, tx, -ss * cga},
                            {ky, ty, -ss * sga},
                            {kx, tx, 0, -e * cpd, -e * cpd + zt * sde},
                            {ky, ty, 0, -e * spd, -e * spd - zt * cde},
                            {kx, tx, 0, 0, 0, zf * soe, zf * soe - u * cep},
                            {ky, ty, 0, 0, 0, -zf * coe, -zf * coe - u * sep}};
    const double c[6] = {cx + ss * sga * ga2,
                         cy - ss * cga * ga2,
                         cx + e * spd * pd2 + zt * cde * de2,
                         cy - e * cpd * pd2 + zt * sde * de2,
                         cx + zf * coe * oe2 + u * sep * ep2,
                         cy + zf * soe * oe2 - u * cep * ep2};
    double inverse[7][7] = {{0}};
    invert_block(inverse, 0,
                 .04325 * 92e-5 * 92e-5 + m2 * (rr * rr - 2 * da * rr * cth + da * da) + 2.194e-6 + 4.410e-7,
                 m2 * (da * da - da * rr * cth) + 4.410e-7, m2 * da * da + 4.410e-7);
    inverse[2][2] = 1 / (.02373 * (1874e-5 * 1874e-5 + 1043e-5 * 1043e-5) + 5.255e-6);
    invert_block(inverse, 3, m4 * ef * ef + 5.667e-7, m4 * (ef * ef + zt * ef * sph) + 5.667e-7,
                 m4 * (zt * zt + 2 * zt * ef * sph + ef * ef) +
                     .07050 * (2308e-5 * 2308e-5 + 916e-5 * 916e-5) + 5.667e-7 + 1.169e-5);
    invert_block(inverse, 5, m6 * ef * ef + 5.667e-7, m6 * (ef * ef - u * ef * som) + 5.667e-7,
                 m6 * (ef * ef - 2 * u * ef * som + u * u) + .05498 * (1228e-5 * 1228e-5 + 449e-5 * 449e-5) +
                     5.667e-7 + 1.912e-5);
    double theta = m2 * da * rr * sth, phi = m4 * zt * ef * cph, omega = m6 * u * ef * com;
    double px = 2e-2 * cga + 18e-3 * sga, py = 2e-2 * sga - 18e-3 * cga;
    double sx = px - 0.03635 - .014, sy = py + .03273 - .072, length = sqrt(sx * sx + sy * sy);
    const double f[7] = {33e-3 - theta * v[1] * (v[1] + 2 * v[0]),
                         theta * be2,
                         -4530 * (1 - 7785e-5 / length) * (sy * px - sx * py),
                         phi * de2,
                         -phi * v[3] * (v[3] + 2 * v[4]),
                         -omega * ep2,
                         omega * v[5] * (v[5] + 2 * v[6])};
    for (int i = 0; i < 7; i++) out[i] = v[i];
    solve_saddle((const double(*)[7])inverse, k, f, c, out + 7);
}

static double unit_andrews(long count) {
    double q[14] = {2.160113131531526506184739,   -1.883364231107044319303390, 0.1585167580012266932547966,
                    -0.3286410751746703065828222, 0.5251547747977294611021106, 0.3286410751746703065828222,
                    1.068427204632401148733883,   711.9231528311039790635821,  -786.7700808599397566624635,
                    -136.4381913781196977012497,  -240.2930292678645514714640, 4.791548225371054242290706,
                    240.2930292678645514714640,   -41.14056696161048829921621};
    double out[14] = {0};
    for (long i = 0; i < count; i++) {
        rate_andrews(q, out);
        q[0] += 1e-30 * out[7]; /* one after the other, and nothing moves */
    }
    return out[7];
}

/* By keel ----------------------------------------------------------------------------------------------- */

struct race {
    const char *name, *model, *text; /* an example, or a text */
    double t_end, answer[14];
    int judged; /* so many states */
    double (*unit)(long count);
    const char *unit_name;
    double error[3]; /* 0: no more */
    double allowed[3];
    int rounds; /* a busy neighbour slows tens of milliseconds */
};

struct entry {
    const char *method;
    keel_preserve preserve;
    const char *name;
};

struct outcome {
    double error, time, units;
    keel_stats stats;
};

static volatile double sink;

static double unit_time(const struct race *r) {
    enum { COUNT = 2000 };
    double begin = seconds();
    sink = r->unit(COUNT);
    return (seconds() - begin) / COUNT;
}

static int run(const struct race *r, const keel_problem *p, const struct entry *e, double rtol, int rounds,
               struct outcome *out, double *unit) {
    keel_options o = {.method = e->method, .preserve = e->preserve, .rtol = rtol};
    keel_solver *s = keel_open(p, &o);
    if (keel_state_of(s) < 0) stop(keel_message(s));
    keel_kept row;
    int status = 0;
    *out = (struct outcome){.time = HUGE_VAL};
    for (int k = 0; k < rounds && status >= 0; k++) {
        *unit = fmin(*unit, unit_time(r));
        double begin = seconds();
        keel_stats before = keel_statistics(s);
        if ((status = keel_restart(s, p->t0, p->u0)) >= 0) status = keel_run(s, r->t_end);
        out->time = fmin(out->time, seconds() - begin);
        out->stats = keel_statistics(s);
        out->stats.steps -= before.steps;
        out->stats.calls -= before.calls;
        out->stats.rejected -= before.rejected;
        *unit = fmin(*unit, unit_time(r));
    }
    for (int i = 0; i < r->judged; i++) out->error = fmax(out->error, fabs(keel_state(s)[i] - r->answer[i]));
    for (int i = 0; keel_kept_at(s, i, &row); i++)
        if (row.care == KEEL_ROW_KEPT || row.care == KEEL_ROW_NATIVE)
            out->units = fmax(out->units, row.units);
    keel_close(s);
    return status;
}

/* The loosest tolerance that meets `error` together with the two after it; 0: none. */
static double find_rtol(const struct race *r, const keel_problem *p, const struct entry *e, double error) {
    double found = 0, unit = HUGE_VAL;
    int met = 0;
    for (double k = -4 * log10(error) - 12; k <= 58 && met < 3; k++) {
        struct outcome o;
        double rtol = pow(10, -k / 4);
        int good = run(r, p, e, rtol, 2, &o, &unit) >= 0 && o.error <= error;
        if (good && met++ == 0) found = rtol;
        if (!good) met = 0;
    }
    return met > 0 ? found : 0;
}

static void compare(const struct race *r, int entries, const struct entry *entry) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s.keel", KEEL_EXAMPLES_DIR, r->model ? r->model : "");
    keel_model_options o = {.method = "taylor"};
    keel_model *m =
        r->text ? keel_model_read(r->name, r->text, strlen(r->text), &o) : keel_model_load(path, &o);
    keel_mode mode;
    if (keel_model_status(m) != KEEL_OK) stop(keel_model_message(m));
    if (!keel_model_mode(m, keel_model_start(m), &mode)) stop("there is no mode");
    double unit = HUGE_VAL;
    printf("%s\n  %-16s %8s %8s %9s %11s %9s %9s %6s %8s %7s\n", r->name, "", "rtol", "error", "time/ms",
           r->unit_name, "allowed", "units", "steps", "rejected", "calls");
    for (int k = 0; k < 3 && r->error[k] > 0; k++)
        for (int i = 0; i < entries; i++) {
            struct outcome out;
            double rtol = find_rtol(r, mode.problem, &entry[i], r->error[k]);
            if (rtol == 0) {
                printf("  %-16s does not reach %.0e\n", entry[i].name, r->error[k]);
                continue;
            }
            run(r, mode.problem, &entry[i], rtol, r->rounds, &out, &unit);
            printf("  %-16s %8.1e %8.1e %9.3f %11.0f %9.0f %9.2f %6ld %8ld %7ld\n", entry[i].name, rtol,
                   out.error, 1e3 * out.time, out.time / unit, r->allowed[k], out.units, out.stats.steps,
                   out.stats.rejected, out.stats.calls);
        }
    printf("  the unit takes %.1f ns\n", 1e9 * unit);
    keel_model_close(m);
}

static const char henon[] =
    "model henon\ncanonical q[1..2], p[1..2]\n"
    "hamiltonian (dot(p, p) + dot(q, q))/2 + q[1]^2*q[2] - q[2]^3/3\ninvariant energy\n"
    "init q = (0, 0.45), p = (sqrt(1/6 - q[2]^2 + 2*q[2]^3/3), 0)\nrun 0 .. 50000\n";

int main(int argc, char **argv) {
    const double pi = 3.14159265358979323846;
    static const struct entry entry[] = {{"taylor", KEEL_PROJECT, "taylor+project"},
                                         {"taylor", KEEL_NONE, "taylor"},
                                         {"dop853", KEEL_PROJECT, "dop853+project"}};
    struct race race[] = {
        {"Kepler e = 0.6, 25 periods",
         "kepler",
         NULL,
         50 * pi,
         {0.4, 0, 0, 2},
         4,
         unit_kepler,
         "rk4 steps",
         {1e-6, 1e-9, 1e-12},
         {0, 8300, 20000},
         300},
        {"Kepler e = 0.6, 1000 periods",
         "kepler",
         NULL,
         2000 * pi,
         {0.4, 0, 0, 2},
         4,
         unit_kepler,
         "rk4 steps",
         {1e-9},
         {450000},
         20},
        {"Andrews' squeezer to 0.03",
         "andrews",
         NULL,
         0.03,
         {0},
         7,
         unit_andrews,
         "evaluations",
         {1e-6, 1e-9},
         {0, 1800},
         200},
        {"Pendulum to 1000.3",
         "pendulum",
         NULL,
         1000.3,
         {0},
         2,
         unit_pendulum,
         "rk4+project",
         {1e-6, 1e-9},
         {0, 500000},
         5},
        {"Henon-Heiles, regular, to 50000",
         NULL,
         henon,
         50000,
         {0.121038955205184063, 0.195119263606137567, 0.325871059090545980, 0.0835938253830203782},
         4,
         unit_henon,
         "rk4 steps",
         {1e-6, 1e-8},
         {0, 0},
         4},
    };
    enum { RACES = sizeof race / sizeof *race };
    problem andrews, pendulum;
    problem_andrews(&andrews);
    double out[14];
    rate_andrews(andrews.reference[0].u, out);
    if (fabs(out[7] - 209058.2785325411728845489909) > 1e-4)
        stop("the right-hand side written by hand is wrong");
    memcpy(race[2].answer, andrews.reference[1].u, sizeof race[2].answer);
    problem_pendulum(&pendulum, 9.81);
    pendulum.exact(&pendulum, race[3].t_end, race[3].answer);
    for (int i = 0; i < RACES; i++)
        if (argc < 2 || strstr(argv[1], (char[]){(char)('0' + i), 0}))
            compare(&race[i], (int)(sizeof entry / sizeof *entry), entry);
    return 0;
}
