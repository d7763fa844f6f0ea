/* constrained.c - sensitivities of mechanics and canonical hamiltonians with constraints g(q) = 0.
 *
 * Both are x = (q, z) with z = v or p,
 *
 *     x' = f(t, x) - E lambda,    E = (0, N G^T),    w = q' = f_q,
 *
 * f the motion without constraints, G = dg/dq, N = M^-1 or 1.  With P = df_q/dx and H_i = d^2 g_i/dq^2 the
 * velocity constraint G w = 0 has the rate w H w + G P x' = 0, which gives lambda by the matrix G P E.  In
 * the direction of p, with s = P S + df_q/dp the derivative of w,
 *
 *     S' = f_x S + f_p - N (0, M_p v' + (sum_i lambda_i H_i) S_q + G_p^T lambda) - E Lambda,
 *     0  = G S_q + g_p,    0 = G s + w H S_q + G_p w,
 *
 * and Lambda = dlambda/dp follows from the rate of the last line,
 *
 *     0 = 2 w H s + w' H S_q + G_p w' + (d/dt of H, G_p) + G (P S' + (d/dt of P, f_p)),
 *
 * by the same matrix.  The rates in brackets, third derivatives of g and H, are central differences of order
 * 4 along the motion, of ways that agree to 1e-10. */
#include "api/dependent.h"
#include "api/variational.h"

#include "base/text.h"
#include "linalg/dense.h"

#include <keel/form.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the differences: the longest way, for the size of x; how much shorter the next one is, and how many
 * there are; how well two must agree. */
enum { SHORTER = 8, WAYS = 10 };
#define LONGEST 0x1p-10
#define AGREE 1e-10
#define FITS 1e-5 /* of given derivatives, against differences of what they are derived from */

/* The functions at one point. */
struct point {
    double *f, *fx, *fp;     /* n; n x n; count x n */
    double *g, *gp;          /* k; count x k */
    double *jacobian, *by_p; /* G: k x nq; count x k x nq */
    double *hessian;         /* k x nq x nq */
};

struct constrained {
    keel_variational *v;
    int n, nq, k, count, second;
    struct point at, rate, beside; /* here; d/dt along the motion of fx, fp, by_p, hessian; near by */
    struct point trial[2];         /* of rate */
    size_t point;                  /* numbers of one */
    double *memory;
    double *x, *mass, *mass_by_p, *force; /* n; factored nq x nq; count x nq x nq; work */
    double *e, *matrix;                   /* nq x k; k x k, factored */
    double *lambda, *slope, *dw, *s;      /* k each copy; x': n; w': nq; s: nq */
    double *traded;                       /* k, behind which nq */
    struct dependent dependent;           /* the rows that carry the motion */
    int *mass_pivot;
};

static double *carve(double **at, size_t count) {
    double *part = *at;
    *at += count;
    return part;
}

static void carve_point(struct point *p, const struct constrained *c, double **at) {
    size_t n = (size_t)c->n, q = (size_t)c->nq, k = (size_t)c->k, count = (size_t)c->count;
    p->f = carve(at, n), p->fx = carve(at, n * n), p->fp = carve(at, count * n);
    p->g = carve(at, k), p->gp = carve(at, count * k);
    p->jacobian = carve(at, k * q), p->by_p = carve(at, count * k * q), p->hessian = carve(at, k * q * q);
}

static int take_memory(struct constrained *c) {
    size_t n = (size_t)c->n, q = (size_t)c->nq, k = (size_t)c->k, count = (size_t)c->count;
    size_t point = n + n * n + count * n + k + count * k + k * q + count * k * q + k * q * q;
    size_t rest =
        2 * n + q * q + count * q * q + q * (n + 1) + n + count * q + q * k + k * k + (2 + count) * k + 3 * q;
    double *at = c->memory = calloc(5 * point + rest + 1, sizeof *at);
    c->point = point;
    c->mass_pivot = calloc(q + 1, sizeof *c->mass_pivot);
    if (!dependent_open(&c->dependent, c->nq, c->k) || !at || !c->mass_pivot) return 0;
    carve_point(&c->at, c, &at), carve_point(&c->rate, c, &at), carve_point(&c->beside, c, &at);
    carve_point(&c->trial[0], c, &at), carve_point(&c->trial[1], c, &at);
    c->x = carve(&at, n), c->slope = carve(&at, n), c->mass = carve(&at, q * q);
    c->mass_by_p = carve(&at, count * q * q), c->force = carve(&at, q * (n + 1) + n + count * q);
    c->e = carve(&at, q * k), c->matrix = carve(&at, k * k), c->lambda = carve(&at, (1 + count) * k);
    c->dw = carve(&at, q), c->s = carve(&at, q), c->traded = carve(&at, k + q);
    return 1;
}

void constrained_close(struct constrained *c) {
    if (!c) return;
    dependent_close(&c->dependent);
    free(c->memory), free(c->mass_pivot);
    free(c);
}

/* Functions --------------------------------------------------------------------------------------------- */

static void divide_by_mass(const struct constrained *c, double *b) {
    if (c->second && c->v->of.mass.value) dense_lu_solve(c->nq, c->mass, c->mass_pivot, b);
}

/* q' = v, v' = M^-1 F. */
static int mechanics(struct constrained *c, double t, const double *x, struct point *p) {
    const keel_problem *of = &c->v->of;
    int n = c->n, q = c->nq;
    double *column = c->force, *jacobian = c->force + q;
    memcpy(p->f, x + q, (size_t)q * sizeof *x);
    int code = of->f.value(t, x, p->f + q, of->user);
    if (code == 0) code = of->f.jacobian(t, x, jacobian, of->user);
    if (code) return code;
    divide_by_mass(c, p->f + q);
    memset(p->fx, 0, (size_t)n * (size_t)n * sizeof *x);
    for (int i = 0; i < q; i++) p->fx[i * n + q + i] = 1;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < q; i++) column[i] = jacobian[i * n + j];
        divide_by_mass(c, column);
        for (int i = 0; i < q; i++) p->fx[(q + i) * n + j] = column[i];
    }
    memset(p->fp, 0, (size_t)c->count * (size_t)n * sizeof *x);
    if (!c->v->by.f) return 0;
    code = c->v->by.f(t, x, jacobian, of->user);
    for (int k = 0; k < c->count && code == 0; k++) {
        memcpy(p->fp + k * n + q, jacobian + k * q, (size_t)q * sizeof *x);
        divide_by_mass(c, p->fp + k * n + q);
    }
    return code;
}

/* q' = H_p, p' = -H_q. */
static int hamiltonian(struct constrained *c, double t, const double *x, struct point *p) {
    const keel_problem *of = &c->v->of;
    int n = c->n, q = c->nq, code = of->energy.jacobian(t, x, c->force, of->user);
    for (int i = 0; i < n && code == 0; i++) p->f[i] = i < q ? c->force[q + i] : -c->force[i - q];
    if (code == 0) code = c->v->by.hessian(t, x, p->fx, of->user);
    for (int i = 0; i < q && code == 0; i++)
        for (int j = 0; j < n; j++) {
            double by_q = p->fx[i * n + j];
            p->fx[i * n + j] = p->fx[(q + i) * n + j];
            p->fx[(q + i) * n + j] = -by_q;
        }
    memset(p->fp, 0, (size_t)c->count * (size_t)n * sizeof *x);
    return code == 0 && c->v->by.f ? c->v->by.f(t, x, p->fp, of->user) : code;
}

static int evaluate(struct constrained *c, double t, const double *x, struct point *p) {
    const keel_problem *of = &c->v->of;
    const keel_parameters *by = &c->v->by;
    int code = c->second ? mechanics(c, t, x, p) : hamiltonian(c, t, x, p);
    if (code || c->k == 0) return code;
    code = of->constraint.value(t, x, p->g, of->user);
    if (code == 0) code = of->constraint.jacobian(t, x, p->jacobian, of->user);
    if (code == 0 && by->constraint_hessian) code = by->constraint_hessian(t, x, p->hessian, of->user);
    if (code == 0 && by->constraint) code = by->constraint(t, x, p->gp, of->user);
    if (code == 0 && by->constraint_jacobian) code = by->constraint_jacobian(t, x, p->by_p, of->user);
    return code;
}

/* Products ---------------------------------------------------------------------------------------------- */

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* a H_i b */
static double bend(const struct constrained *c, const struct point *p, int i, const double *a,
                   const double *b) {
    double sum = 0;
    for (int j = 0; j < c->nq; j++) sum += a[j] * dot(c->nq, p->hessian + (i * c->nq + j) * c->nq, b);
    return sum;
}

static const double *gradient(const struct constrained *c, const struct point *p, int i) {
    return p->jacobian + i * c->nq;
}

/* Of g_i by p_k. */
static const double *gradient_by_p(const struct constrained *c, const struct point *p, int k, int i) {
    return p->by_p + (k * c->k + i) * c->nq;
}

/* G_i P a */
static double along_row(const struct constrained *c, const struct point *p, int i, const double *a) {
    double sum = 0;
    for (int j = 0; j < c->nq; j++) sum += gradient(c, p, i)[j] * dot(c->n, p->fx + j * c->n, a);
    return sum;
}

/* The motion -------------------------------------------------------------------------------------------- */

/* E and the factors of G P E; 1: the constraints depend on each other here. */
static int factor(struct constrained *c) {
    int q = c->nq, k = c->k;
    for (int l = 0; l < k; l++) {
        memset(c->force, 0, (size_t)q * sizeof *c->force);
        memcpy(c->force + q, gradient(c, &c->at, l), (size_t)q * sizeof *c->force);
        divide_by_mass(c, c->force + q);
        for (int i = 0; i < k; i++) c->matrix[i * k + l] = along_row(c, &c->at, i, c->force);
        for (int j = 0; j < q; j++) c->e[j * k + l] = c->force[q + j];
    }
    return dependent_factor(&c->dependent, c->at.jacobian, c->matrix);
}

/* x' := x' - E lambda */
static void push(const struct constrained *c, const double *lambda, double *slope) {
    for (int j = 0; j < c->nq; j++) slope[c->nq + j] -= dot(c->k, c->e + j * c->k, lambda);
}

/* The functions at x, lambda, x' and w'. */
static int move(struct constrained *c, double t, const double *u) {
    memcpy(c->x, u, (size_t)c->n * sizeof *u);
    int code = evaluate(c, t, c->x, &c->at);
    if (code) return code;
    memcpy(c->slope, c->at.f, (size_t)c->n * sizeof *u);
    if (c->k && factor(c)) return 1;
    for (int i = 0; i < c->k; i++)
        c->lambda[i] = bend(c, &c->at, i, c->at.f, c->at.f) + along_row(c, &c->at, i, c->at.f);
    if (c->k) dependent_solve(&c->dependent, c->lambda);
    dependent_trade(&c->dependent, c->lambda, NULL);
    push(c, c->lambda, c->slope);
    for (int j = 0; j < c->nq; j++) c->dw[j] = dot(c->n, c->at.fx + j * c->n, c->slope);
    return 0;
}

static void add(double *sum, double factor, const double *part, long count) {
    for (long i = 0; i < count; i++) sum[i] += factor * part[i];
}

static double largest(int n, const double *x) {
    double found = 0;
    for (int i = 0; i < n; i++) found = fmax(found, fabs(x[i]));
    return found;
}

/* out: (8 (y(h) - y(-h)) - (y(2h) - y(-2h)))/(12 h) along x + h x'. */
static int differentiate(struct constrained *c, double t, double h, struct point *out) {
    static const double place[] = {1, -1, 2, -2}, weight[] = {8, -8, -1, 1};
    long n = c->n, q = c->nq, k = c->k, count = c->count;
    memset(out->f, 0, c->point * sizeof *out->f);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < c->n; j++) c->v->u[j] = c->x[j] + place[i] * h * c->slope[j];
        int code = evaluate(c, t, c->v->u, &c->beside);
        if (code) return code;
        double share = weight[i] / (12 * h);
        add(out->fx, share, c->beside.fx, n * n), add(out->fp, share, c->beside.fp, count * n);
        add(out->by_p, share, c->beside.by_p, count * k * q);
        add(out->hessian, share, c->beside.hessian, k * q * q);
    }
    return 0;
}

/* By how much two of them differ, for their size. */
static double apart(const struct constrained *c, const struct point *a, const struct point *b) {
    double size = 0, off = 0;
    for (size_t i = 0; i < c->point; i++) {
        size = fmax(size, fabs(a->f[i]));
        off = fmax(off, fabs(a->f[i] - b->f[i]));
    }
    return off > 0 ? off / size : 0;
}

/* c->rate: by the longest way that a shorter one confirms, or else the two that agree best.  How far
 * functions go on as they are near x their size does not tell. */
static int drift(struct constrained *c, double t) {
    double speed = largest(c->n, c->slope), size = largest(c->n, c->x), least = HUGE_VAL;
    struct point best = c->rate, now = c->trial[0], next = c->trial[1];
    memset(c->rate.f, 0, c->point * sizeof *c->x);
    if (c->k == 0 || speed == 0) return 0;
    double h = LONGEST * (size > 0 ? size : 1) / speed;
    int code = differentiate(c, t, h, &now);
    for (int i = 0; i < WAYS && least > AGREE; i++) {
        const struct point before = now;
        if (code < 0) return code;
        int there = code == 0;
        h /= SHORTER;
        code = differentiate(c, t, h, &next);
        double off = there && code == 0 ? apart(c, &now, &next) : HUGE_VAL;
        if (off < least) memcpy(best.f, now.f, c->point * sizeof *c->x), least = off;
        now = next, next = before;
    }
    return least < HUGE_VAL ? 0 : 1;
}

/* Directions -------------------------------------------------------------------------------------------- */

/* s, the derivative of w. */
static void vary_velocity(const struct constrained *c, int k, const double *s) {
    for (int j = 0; j < c->nq; j++) c->s[j] = dot(c->n, c->at.fx + j * c->n, s) + c->at.fp[k * c->n + j];
}

/* What E Lambda is not of. */
static void vary_forces(struct constrained *c, int k, const double *s, double *out) {
    const struct point *p = &c->at;
    int n = c->n, q = c->nq;
    double *force = c->force;
    for (int i = 0; i < n; i++) out[i] = dot(n, p->fx + i * n, s) + p->fp[k * n + i];
    for (int j = 0; j < q; j++) {
        force[j] = dot(q, c->mass_by_p + (k * q + j) * q, c->slope + q);
        for (int i = 0; i < c->k; i++)
            force[j] +=
                c->lambda[i] * (dot(q, p->hessian + (i * q + j) * q, s) + gradient_by_p(c, p, k, i)[j]);
    }
    divide_by_mass(c, force);
    for (int j = 0; j < q; j++) out[q + j] -= force[j];
}

/* lambda = G w stays the least one: N^T Lambda = N^T (dG w), as in core/choice.c. */
static void vary_least(struct constrained *c, int k, const double *s, double *lambda) {
    double *along = c->traded, *w = along + c->k;
    memcpy(along, c->lambda, (size_t)c->k * sizeof *along);
    dependent_solve(&c->dependent, along);
    for (int j = 0; j < c->nq; j++) w[j] = dot(c->k, c->e + j * c->k, along);
    for (int i = 0; i < c->k; i++)
        along[i] = bend(c, &c->at, i, w, s) + dot(c->nq, gradient_by_p(c, &c->at, k, i), w);
    dependent_trade(&c->dependent, lambda, along);
}

/* S' of direction k, and Lambda behind lambda. */
static void vary(struct constrained *c, int k, const double *s, double *out) {
    const struct point *p = &c->at;
    int n = c->n, q = c->nq;
    double *lambda = c->lambda + (1 + k) * c->k;
    const double *w = p->f;
    vary_velocity(c, k, s);
    vary_forces(c, k, s, out);
    for (int i = 0; i < c->k; i++) {
        double sum = 2 * bend(c, p, i, w, c->s) + bend(c, p, i, c->dw, s) +
                     dot(q, gradient_by_p(c, p, k, i), c->dw) + along_row(c, p, i, out);
        sum += bend(c, &c->rate, i, w, s) + dot(q, gradient_by_p(c, &c->rate, k, i), w);
        for (int j = 0; j < q; j++)
            sum += gradient(c, p, i)[j] * (dot(n, c->rate.fx + j * n, s) + c->rate.fp[k * n + j]);
        lambda[i] = sum;
    }
    if (c->k) dependent_solve(&c->dependent, lambda);
    push(c, lambda, out);
    if (c->dependent.independent < c->k) vary_least(c, k, s, lambda);
}

int constrained_rates(double t, const double *u, double *out, void *user) {
    struct constrained *c = ((keel_variational *)user)->constrained;
    int code = move(c, t, u);
    if (code == 0) code = drift(c, t);
    if (code) return code;
    memcpy(out, c->slope, (size_t)c->n * sizeof *out);
    for (int k = 0; k < c->count; k++) vary(c, k, u + (1 + k) * c->n, out + (1 + k) * c->n);
    return 0;
}

int constrained_rows(double t, const double *u, double *out, void *user) {
    struct constrained *c = ((keel_variational *)user)->constrained;
    const struct point *p = &c->at;
    int q = c->nq, rows = c->k, code = evaluate(c, t, u, &c->at);
    for (int i = 0; i < rows && code == 0; i++) {
        out[i] = p->g[i];
        out[rows + i] = dot(q, gradient(c, p, i), p->f);
    }
    for (int k = 0; k < c->count && code == 0; k++) {
        const double *s = u + (1 + k) * c->n;
        double *row = out + 2 * (1 + k) * rows;
        vary_velocity(c, k, s);
        for (int i = 0; i < rows; i++) {
            row[i] = dot(q, gradient(c, p, i), s) + p->gp[k * rows + i];
            row[rows + i] = dot(q, gradient(c, p, i), c->s) + bend(c, p, i, p->f, s) +
                            dot(q, gradient_by_p(c, p, k, i), p->f);
        }
    }
    return code;
}

keel_status keel_variational_multipliers(keel_variational *v, double t, const double *u, double *out) {
    if (!v || !v->constrained || v->constrained->k == 0 || !u || !out) return KEEL_EINVAL;
    struct constrained *c = v->constrained;
    double *slope = malloc((size_t)c->n * (size_t)v->copies * sizeof *slope);
    if (!slope) return KEEL_ENOMEM;
    int code = constrained_rates(t, u, slope, v);
    free(slope);
    memcpy(out, c->lambda, (size_t)v->copies * (size_t)c->k * sizeof *out);
    return code == 0 ? KEEL_OK : code > 0 ? KEEL_ESINGULAR : KEEL_EUSER;
}

/* Opening ----------------------------------------------------------------------------------------------- */

int constrained_needed(const keel_problem *p) {
    unsigned traits = keel_problem_traits(p);
    if (p->constraint.count) return 1;
    return traits & KEEL_FROM_ENERGY && !p->f.value;
}

const char *constrained_obstacle(const keel_problem *p, const keel_parameters *by) {
    int second = (keel_problem_traits(p) & KEEL_SECOND_ORDER) != 0;
    if (p->rolling.count) return "rolling constraints are not linearised here; write the problem as a model";
    if (p->constraint.count && (!p->constraint.jacobian || p->constraint.pattern))
        return "constraints need their jacobian, dense";
    if (second && (!p->f.jacobian || p->f.pattern)) return "forces beside constraints need a dense jacobian";
    if (second && p->mass.value && (p->mass.pattern || !p->mass.constant))
        return "a mass matrix must be constant and dense";
    if (!second && p->structure.value)
        return "a hamiltonian with a structure of its own needs x' as its f, with the jacobian";
    if (!second && (!p->energy.jacobian || p->energy.pattern || !by->hessian))
        return "a hamiltonian needs x' as its f with the jacobian, or its dense gradient and hessian";
    return NULL;
}

/* Does a(x + h d) - a(x - h d) fit 2 h times the derivative along d? */
static int fits(long count, const double *ahead, const double *back, double h, const double *derivative) {
    double size = 0, off = 0;
    for (long i = 0; i < count; i++) {
        double slope = (ahead[i] - back[i]) / (2 * h);
        size = fmax(size, fmax(fabs(slope), fmax(fabs(ahead[i]), fabs(back[i]))));
        off = fmax(off, fabs(slope - derivative[i]));
    }
    return off <= FITS * fmax(size, 1e-300);
}

/* Are second derivatives those of the first ones, and first ones independent of t? */
static const char *look(struct constrained *c, double t, const double *u0) {
    static const char *const wrong[] = {
        "the hessian does not fit the gradient of the energy",
        "constraint_hessian does not fit the jacobian of the constraints",
        "constraint_jacobian does not fit the derivatives of the constraints"};
    int n = c->n, q = c->nq, k = c->k, bad = -1;
    double h = 1e-5 * fmax(largest(n, u0), 1), *d = c->slope, *along = c->force;
    for (int j = 0; j < n; j++) d[j] = 1 / (1. + j % 3) - 0.2 * (j % 2);
    for (int side = 0; side < 2; side++) {
        for (int j = 0; j < n; j++) c->x[j] = u0[j] + (side ? -h : h) * d[j];
        if (evaluate(c, t, c->x, side ? &c->beside : &c->rate))
            return "its functions have no values at the start";
    }
    if (evaluate(c, t, u0, &c->at)) return "its functions have no values at the start";
    for (int i = 0; i < n; i++) along[i] = dot(n, c->at.fx + i * n, d);
    if (!c->second && !fits(n, c->rate.f, c->beside.f, h, along)) bad = 0;
    for (int i = 0; i < k; i++) {
        for (int j = 0; j < q; j++) along[j] = dot(q, c->at.hessian + (i * q + j) * q, d);
        if (!fits(q, gradient(c, &c->rate, i), gradient(c, &c->beside, i), h, along)) bad = 1;
        for (int l = 0; l < c->count; l++) {
            along[0] = dot(q, gradient_by_p(c, &c->at, l, i), d);
            if (!fits(1, c->rate.gp + l * k + i, c->beside.gp + l * k + i, h, along)) bad = 2;
        }
    }
    if (bad >= 0) return wrong[bad];
    if (evaluate(c, t + 0.37, u0, &c->beside)) return NULL;
    if (memcmp(c->at.g, c->beside.g, (size_t)k * sizeof *d) ||
        (!c->second && k && memcmp(c->at.f, c->beside.f, (size_t)n * sizeof *d)))
        return "constraints, and a hamiltonian with constraints, must not depend on t; write them as a model";
    if (c->second) dependent_find(&c->dependent, &c->v->of, c->at.jacobian);
    if (k && factor(c)) return "the constraints depend on each other at the start";
    for (int l = 0; l < c->count; l++)
        if (dependent_contradiction(&c->dependent, c->at.gp + l * k) > FITS)
            return "with another value of a parameter redundant constraints contradict each other: there is "
                   "no derivative by it";
    return NULL;
}

/* M = L L^T for the choice of rows; 0: it is no such matrix, or without memory. */
static int take_root(struct constrained *c) {
    const keel_problem *p = &c->v->of;
    double *mass = c->dependent.mass = calloc((size_t)c->nq * (size_t)c->nq + 1, sizeof *mass);
    return mass && p->mass.value(p->t0, p->u0, mass, p->user) == 0 && dense_cholesky(c->nq, mass, NULL) == 0;
}

struct constrained *constrained_open(keel_variational *v, const char **why) {
    const keel_problem *p = &v->of;
    struct constrained *c = calloc(1, sizeof *c);
    *why = NULL;
    if (!c) return NULL;
    *c = (struct constrained){
        .v = v, .n = p->n, .nq = p->n / 2, .k = p->constraint.count, .count = v->by.count};
    c->second = (keel_problem_traits(p) & KEEL_SECOND_ORDER) != 0;
    if (!take_memory(c)) return constrained_close(c), NULL;
    int mass = c->second && p->mass.value;
    if (mass &&
        (p->mass.value(p->t0, p->u0, c->mass, p->user) || dense_lu(c->nq, c->mass, c->mass_pivot, NULL)))
        *why = "the mass matrix is singular";
    if (mass && !*why && !take_root(c)) *why = "the mass matrix is not positive definite";
    if (c->second && !*why && v->by.mass && v->by.mass(p->t0, p->u0, c->mass_by_p, p->user))
        *why = "the mass matrix has no derivatives";
    if (!*why) *why = look(c, p->t0, p->u0);
    if (!*why) return c;
    return constrained_close(c), NULL;
}

int constrained_row_count(const struct constrained *c) {
    return 2 * c->k;
}

void constrained_row_name(const struct constrained *c, int i, char *out, int capacity) {
    const char *const *names = c->v->of.constraint.names;
    char name[80];
    if (names) text_set(name, sizeof name, "%.70s", names[i % c->k]);
    else text_set(name, sizeof name, "constraint %d", i % c->k);
    text_set(out, (size_t)capacity, "%s%s", i < c->k ? "" : "d/dt ", name);
}
