/* follow.c - is y at the end of a step the continuation of y at its begin?
 *
 * The tangents of y at both ends tell: where they part from what y does between them, y is followed along
 * the way (algebra_follow.c), and must arrive where the step has it. */
#include "core/algebra.h"
#include "core/engine.h"

#include <math.h>
#include <string.h>

#define SAME 1e-6     /* of the size of y: two ways to one solution */
#define TOO_NEAR 1e-8 /* no branch worth the name */
#define HARMLESS 0.1  /* share of F_y that changes */

keel_status follow_begin(struct engine *e) {
    struct field *fd = &e->field;
    struct run_state *r = e->r;
    fd->dae.leapt = 0;
    if (fd->m == 0 || r->sliding) return KEEL_OK;
    if (!r->slope_known[r->current]) {
        keel_status status = algebra_linearize(fd, r->t, e->x[r->current], fd->dae.sign);
        if (status != KEEL_OK) return status;
        if (algebra_has_slope(fd)) algebra_slope(fd, e->f[r->current], e->slope[r->current]);
        r->slope_known[r->current] = 1;
    }
    fd->dae.follow = 1;
    *fd->dae.omega = 0;
    r->walked = 0;
    return KEEL_OK;
}

keel_status follow_end(struct engine *e, keel_status status) {
    struct field *fd = &e->field;
    if (!fd->dae.follow) return status;
    fd->dae.follow = 0;
    int singular = status == KEEL_RETRY && fd->fault.status == KEEL_ESINGULAR;
    return singular && algebra_is_blurred(fd, e->r->t, e->x[e->r->current]) ? KEEL_ESINGULAR : status;
}

/* The slope where the step ends, from the factors by which y was found there. */
static keel_status slope_at_end(struct engine *e, double t, int to) {
    struct field *fd = &e->field;
    int sign = *fd->dae.sign, stands = *fd->dae.found_t == t && fd->dae.factored &&
                                       memcmp(fd->found, e->x[to], (size_t)fd->n * sizeof(double)) == 0;
    keel_status status = stands ? KEEL_OK : algebra_linearize(fd, t, e->x[to], &sign);
    if (status != KEEL_OK) return status;
    algebra_slope(fd, e->f[to], e->slope[to]);
    return sign == *fd->dae.sign ? KEEL_OK : KEEL_RETRY;
}

/* Could the y found be another solution than the continuation?  Between two solutions of one equation the
 * mean of F_y is singular: so its determinant changes size or sign between the y found and where it comes
 * from, or where its tangents lead to.  The searches of the step have told how fast F_y changes. */
static int may_leap(struct engine *e, const struct algebra_piece *p) {
    struct field *fd = &e->field;
    double off = algebra_misses(fd, p), *aim = fd->dae.aim;
    int parts = algebra_parts(fd, p);
    if (!parts && !(off > TOO_NEAR && off * *fd->dae.omega > HARMLESS)) return 0;
    if (algebra_bends(fd, p->t_end, p->u_end)) return 1;
    for (int k = 0; k < 2 && parts; k++) {
        int sign;
        if (algebra_linearize(fd, p->t_end, p->u_end, &sign) != KEEL_OK) return 1;
        for (int j = 0; j < algebra_own(fd); j++) aim[j] = p->y[j] + k * p->h * p->slope[j];
        if (algebra_bends(fd, p->t_end, p->u_end)) return 1;
    }
    return 0;
}

/* h f := dx + (I - h J)^-1 (h f - dx) at one end of the step, and the slope of y with it. */
static keel_status smooth_end(struct engine *e, double t, double h, int end, double *f) {
    struct field *fd = &e->field;
    const double *x = e->x[e->r->current], *x_new = e->x[1 - e->r->current];
    int sign;
    for (int i = 0; i < fd->n; i++) f[i] = e->f[end][i] - (x_new[i] - x[i]) / h;
    keel_newton_solve(&e->work, e->defect.newton, 0, f, NULL);
    for (int i = 0; i < fd->n; i++) f[i] += (x_new[i] - x[i]) / h;
    keel_status status = algebra_linearize(fd, t, e->x[end], &sign);
    if (status == KEEL_OK) algebra_slope(fd, f, e->slope[end]);
    return status;
}

/* The way of a method for stiff problems: f(x + error) = f + J error says nothing of x' where J is large, and
 * the smoothed rates do; where J is small they are f.  0: there is no such way. */
static int smooth(struct engine *e, struct algebra_way *way) {
    struct defect *d = &e->defect;
    int from = e->r->current, to = 1 - from, there;
    keel_stats before = e->r->stats;
    long calls = e->work.calls;
    there = defect_filter(e, way->t_to, way->h, e->x[to], e->f[to]) &&
            smooth_end(e, way->t_from, way->h, from, d->value) == KEEL_OK &&
            smooth_end(e, way->t_to, way->h, to, d->at) == KEEL_OK;
    e->r->stats = before;
    e->work.calls = calls;
    e->work.code = 0;
    if (!there) return 0;
    way->f = d->value;
    way->f_to = d->at;
    way->newton = d->newton;
    way->work = &e->work;
    return 1;
}

keel_status follow_check(struct engine *e, double t_new, double h) {
    struct field *fd = &e->field;
    struct run_state *r = e->r;
    int from = r->current, to = 1 - from, n = fd->n;
    if (!fd->dae.follow) return KEEL_OK;
    r->slope_known[to] = 1;
    if (!algebra_has_slope(fd)) return KEEL_OK;
    double *y = e->x[from] + n, *y_new = e->x[to] + n;
    keel_status status = slope_at_end(e, t_new, to);
    if (status < 0) return status;
    struct algebra_piece piece = {h, t_new, y, e->slope[from], e->x[to], e->slope[to]};
    if (status == KEEL_OK && !may_leap(e, &piece)) return KEEL_OK;
    struct algebra_way way = {r->t, t_new, h, e->x[from], e->x[to], e->f[from], e->f[to], NULL, NULL};
    if (status == KEEL_OK && smooth(e, &way) && !may_leap(e, &piece)) return KEEL_OK;
    r->walked = 1;
    status = algebra_walk(fd, &way, e->scratch);
    fd->dae.leapt = status == KEEL_RETRY && fd->fault.status == KEEL_ENEWTON;
    for (int j = 0; j < fd->m && status == KEEL_OK; j++) {
        double off = fabs(e->scratch[j] - y_new[j]);
        char name[64];
        if (off <= SAME * fmax(fd->size[n + j], fabs(y_new[j]))) continue;
        fd->dae.leapt = 1;
        return field_fault(fd, KEEL_RETRY, KEEL_ENEWTON,
                           "%s leaps to another solution of its equations between t = %.10g and t = %.10g, "
                           "from %.6g to %.6g instead of %.6g",
                           field_name(fd->p.names, n + j, "u", name, sizeof name), r->t, t_new, y[j],
                           y_new[j], e->scratch[j]);
    }
    return status;
}

/* y between the two, by the cubic through values and slopes. */
static void guess_inside(const struct engine *e, double theta, double *y) {
    const struct run_state *r = e->r;
    int now = r->current, before = 1 - now, n = e->field.n;
    const double *a = e->x[before] + n, *b = e->x[now] + n, *da = e->slope[before], *db = e->slope[now];
    for (int j = 0; j < e->field.m; j++) {
        double whole = b[j] - a[j], begin = r->h_taken * da[j] - whole;
        double bend = 2 * whole - r->h_taken * (da[j] + db[j]);
        y[j] = a[j] + theta * (whole + (1 - theta) * (begin + theta * bend));
    }
}

keel_status follow_inside(struct engine *e, double t, double *x) {
    struct field *fd = &e->field;
    struct run_state *r = e->r;
    int now = r->current, before = 1 - now, known = r->slope_known[now] && r->slope_known[before];
    if (r->sliding || !known) return algebra_solve(fd, t, x);
    double theta = dense_way(e, t) / r->h_taken, *guess = fd->line;
    if (algebra_has_slope(fd)) guess_inside(e, theta, x + fd->n);
    memcpy(guess, x + fd->n, (size_t)fd->m * sizeof *x);
    keel_status status = r->walked ? KEEL_RETRY : algebra_newton(fd, t, x, 1);
    double off = 0, far = 0;
    for (int j = 0; j < algebra_own(fd) && status == KEEL_OK && algebra_has_slope(fd); j++) {
        double weight = 1 / fmax(fd->size[fd->n + j], fabs(x[fd->n + j]));
        double a = e->x[before][fd->n + j], b = e->x[now][fd->n + j], y = x[fd->n + j];
        off = fmax(off, fabs(y - guess[j]) * weight);
        far = fmax(far, fmax(fabs(y - a), fabs(y - b)) * weight);
    }
    if (status == KEEL_OK && (off <= 1e-6 || off <= 0.25 * far)) return KEEL_OK;
    if (status < 0 || fd->dae.choice.serves) return status;
    int near = theta > 0.5 ? now : before;
    for (int k = 0; k < 2; k++, near = 1 - near) {
        double begin = near == now ? r->t : r->t_before;
        struct algebra_way way = {begin, t, t - begin, e->x[near], x, NULL, NULL, NULL, NULL};
        status = algebra_walk(fd, &way, x + fd->n);
        if (status <= KEEL_OK) return status;
    }
    return status;
}
