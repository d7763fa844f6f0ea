/* chain.c - N unit masses in a vertical plane on a chain of N rods of length 1 that hangs from the origin.
 *
 *   q = (x_1 .. x_N, y_1 .. y_N),  0 = |q_i - q_{i-1}|^2 - 1,  gravity 9.81 along -y;  released from rest
 *
 * Rod i starts at the angle -bend i / N: bend 0 is a level chain.  All jacobians have patterns: a rod knows
 * four coordinates, so work and memory of a step should grow as N does. */
#include "problems.h"

#include <math.h>
#include <stdlib.h>

static const double gravity = 9.81;

static int links_of(const void *user) {
    return ((const problem_chain *)user)->links;
}

static int force(double t, const double *u, double *out, void *user) {
    (void)t, (void)u;
    int n = links_of(user);
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        out[n + i] = -gravity;
    }
    return 0;
}

static int mass(double t, const double *u, double *out, void *user) {
    (void)t, (void)u;
    for (int j = 0; j < 2 * links_of(user); j++) out[j] = 1;
    return 0;
}

static int rods(double t, const double *q, double *out, void *user) {
    (void)t;
    int n = links_of(user);
    for (int i = 0; i < n; i++) {
        double dx = q[i] - (i ? q[i - 1] : 0), dy = q[n + i] - (i ? q[n + i - 1] : 0);
        out[i] = dx * dx + dy * dy - 1;
    }
    return 0;
}

static int rods_jacobian(double t, const double *q, double *out, void *user) {
    (void)t;
    int n = links_of(user);
    for (int i = 0; i < n; i++)
        for (int part = 0; part < 2; part++) {
            const double *c = q + (size_t)part * (size_t)n;
            double d = 2 * (c[i] - (i ? c[i - 1] : 0));
            if (i) *out++ = -d;
            *out++ = d;
        }
    return 0;
}

static int rods_terms(double t, const double *q, double *out, void *user) {
    (void)t;
    int n = links_of(user);
    for (int i = 0; i < n; i++) {
        double dx = q[i] - (i ? q[i - 1] : 0), dy = q[n + i] - (i ? q[n + i - 1] : 0);
        out[i] = dx * dx + dy * dy + 1;
    }
    return 0;
}

static int curvature(double t, const double *u, double *out, void *user) {
    int n = links_of(user);
    rods(t, u + 2 * (size_t)n, out, user);
    for (int i = 0; i < n; i++) out[i] = 2 * (out[i] + 1);
    return 0;
}

/* Pairwise: added one after the other, ten thousand terms would lose thirty round-offs of their sum. */
static double sum_of(const double *u, int n, int first, int count, int sizes) {
    if (count > 16)
        return sum_of(u, n, first, count / 2, sizes) +
               sum_of(u, n, first + count / 2, count - count / 2, sizes);
    double sum = 0;
    for (int i = first; i < first + count; i++) {
        double vx = u[2 * n + i], vy = u[3 * n + i], y = u[n + i];
        sum += 0.5 * (vx * vx + vy * vy) + gravity * (sizes ? fabs(y) : y);
    }
    return sum;
}

static int energy(double t, const double *u, double *out, void *user) {
    (void)t;
    out[0] = sum_of(u, links_of(user), 0, links_of(user), 0);
    return 0;
}

static int energy_gradient(double t, const double *u, double *out, void *user) {
    (void)t;
    int n = links_of(user);
    for (int j = 0; j < 2 * n; j++) {
        out[j] = j < n ? 0 : gravity;
        out[2 * n + j] = u[2 * n + j];
    }
    return 0;
}

static int energy_terms(double t, const double *u, double *out, void *user) {
    (void)t;
    out[0] = sum_of(u, links_of(user), 0, links_of(user), 1);
    return 0;
}

static void patterns(problem_chain *p) {
    int n = p->links, at = 0;
    for (int i = 0; i < n; i++) {
        p->rod_start[i] = at;
        for (int part = 0; part < 2; part++)
            for (int end = i ? i - 1 : 0; end <= i; end++) p->rod_column[at++] = part * n + end;
    }
    p->rod_start[n] = at;
    for (int j = 0; j <= 2 * n; j++) p->diagonal[j] = j;
    p->rod_pattern = (keel_pattern){at, p->rod_start, p->rod_column};
    p->mass_pattern = (keel_pattern){2 * n, p->diagonal, p->diagonal};
}

problem_chain *problem_chain_open(int links, double bend) {
    size_t n = (size_t)links;
    problem_chain *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->links = links;
    p->u0 = calloc(4 * n, sizeof *p->u0);
    p->rod_start = calloc(n + 1, sizeof *p->rod_start);
    p->rod_column = calloc(4 * n, sizeof *p->rod_column);
    p->diagonal = calloc(2 * n + 1, sizeof *p->diagonal);
    if (!p->u0 || !p->rod_start || !p->rod_column || !p->diagonal) {
        problem_chain_close(p);
        return NULL;
    }
    patterns(p);
    for (size_t i = 0; i < n; i++) {
        double angle = -bend * (double)(i + 1) / (double)n;
        p->u0[i] = (i ? p->u0[i - 1] : 0) + cos(angle);
        p->u0[n + i] = (i ? p->u0[n + i - 1] : 0) + sin(angle);
    }
    p->keel = (keel_problem){.form = KEEL_MECHANICS, .name = "chain", .n = 4 * links, .u0 = p->u0, .user = p};
    p->keel.f = (keel_map){.count = 2 * links, .value = force};
    p->keel.mass = (keel_matrix){mass, &p->mass_pattern, 1};
    p->keel.constraint = (keel_map){.count = links,
                                    .value = rods,
                                    .jacobian = rods_jacobian,
                                    .pattern = &p->rod_pattern,
                                    .terms = rods_terms,
                                    .autonomous = 1};
    p->keel.curvature = curvature;
    p->keel.energy =
        (keel_map){.count = 1, .value = energy, .jacobian = energy_gradient, .terms = energy_terms};
    return p;
}

void problem_chain_close(problem_chain *p) {
    if (!p) return;
    free(p->u0);
    free(p->rod_start);
    free(p->rod_column);
    free(p->diagonal);
    free(p);
}
