/* algebra_follow.c - the algebraic variables as continuous functions of the motion.
 *
 * F(t,x,y) = 0 may have several solutions y.  The one that belongs to the motion is the continuation of the
 * last one; it ends where F_y becomes singular: at a fold two solutions meet and vanish, elsewhere they
 * cross, and nothing says which of them goes on.  So, while a step is tried (Deuflhard, Newton Methods for
 * Nonlinear Problems, 5.1):
 *
 *   Newton from the last y must contract at once, and det F_y must keep its sign (algebra_newton);
 *   where it does not, y is followed along a way from the last place (t,x) to the new one, in pieces as
 *   short as its tangents ask for;
 *   a step is accepted if y at its end is joined to y at its begin (follow.c).
 *
 * If no piece is short enough the step is not made, and steps that shrink to nothing end the run there. */
#include "core/algebra.h"
#include "core/step_control.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PIECES = 2000 };  /* at most, on one way */
#define SHORTEST 0x1p-46 /* piece of a way */
#define PARTED 0.5       /* of the longer of two tangents: y turned within the piece */
#define NOISE 1e-9       /* of the size of y: no tangent tells */
#define TRUSTED 0.3      /* share of F_y that changes between a tangent's place and the solution */
#define LARGE_CHANGE 0.7 /* of log det: a factor of two */
#define NOISES 8         /* round-offs of the terms of F */

void algebra_stand(struct field *fd, double t, const double *u) {
    memcpy(fd->found, u, (size_t)(fd->n + fd->m) * sizeof *u);
    *fd->dae.found_t = t;
}

/* Where F is linear in y there is nothing to follow but the sign of det F_y. */
int algebra_has_slope(const struct field *fd) {
    const keel_extras *x = keel_extras_of(&fd->p);
    return fd->m > 0 && !fd->dae.any_derived && !x->variations.linear && !fd->dae.choice.serves;
}

/* F_y y. = -F_x x. - F_t t. with the jacobian and the factors that stand. */
static void tangent(struct field *fd, double dt, const double *dx, double *out) {
    const struct algebra *d = &fd->dae;
    for (int i = 0; i < fd->m; i++) out[i] = -algebra_row_times(fd, i, d->shift[i] * dt, dx);
    algebra_divide(fd, out);
}

void algebra_slope(struct field *fd, const double *f, double *slope) {
    tangent(fd, 1, f, slope);
}

int algebra_parts(const struct field *fd, const struct algebra_piece *p) {
    const double *size = fd->size + fd->n, *y_end = p->u_end + fd->n;
    double longest = 0, off = 0;
    for (int j = 0; j < algebra_own(fd); j++) {
        double move = y_end[j] - p->y[j], begin = p->h * p->slope[j], end = p->h * p->slope_end[j];
        double weight = 1 / step_control_max(size[j], fabs(y_end[j]));
        longest = step_control_max(
            step_control_max(fabs(move), step_control_max(fabs(begin), fabs(end))) * weight, longest);
        off = step_control_max(step_control_max(fabs(move - begin), fabs(move - end)) * weight, off);
    }
    return !(off <= NOISE || off <= PARTED * longest);
}

double algebra_misses(struct field *fd, const struct algebra_piece *p) {
    double off = 0, *aim = fd->dae.aim;
    for (int j = 0; j < algebra_own(fd); j++) {
        aim[j] = p->y[j] + 0.5 * p->h * (p->slope[j] + p->slope_end[j]);
        double y_end = p->u_end[fd->n + j];
        double own = step_control_max(fabs(p->y[j]), fabs(y_end));
        double size = step_control_max(own, 1e-3 * fd->size[fd->n + j] + DBL_MIN);
        off = step_control_max(fabs(aim[j] - y_end) / size, off); /* as Newton's steps are measured */
    }
    return off;
}

int algebra_bends(struct field *fd, double t, const double *u) {
    static const double share[] = {0.3, 0.65, 1}; /* branches may lie at equal distances */
    struct algebra *d = &fd->dae;
    int n = fd->n, sign;
    double found = algebra_log_det(fd);
    memcpy(d->beside, u, (size_t)(n + fd->m) * sizeof *u);
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < algebra_own(fd); j++)
            d->beside[n + j] = u[n + j] + share[k] * (d->aim[j] - u[n + j]);
        if (algebra_linearize(fd, t, d->beside, &sign) != KEEL_OK) return 1;
        if (sign != *d->sign || fabs(algebra_log_det(fd) - found) > LARGE_CHANGE) return 1;
    }
    return 0;
}

/* The variable that moves fastest: at a fold it runs away from the others. */
static int fastest(const struct field *fd, const double *rate) {
    int worst = 0;
    for (int j = 1; j < algebra_own(fd); j++)
        if (fabs(rate[j]) / fd->size[fd->n + j] > fabs(rate[worst]) / fd->size[fd->n + worst]) worst = j;
    return worst;
}

static keel_status no_further(struct field *fd, double t, const double *rate) {
    char name[64];
    return field_fault(fd, KEEL_RETRY, KEEL_ESINGULAR,
                       "%s cannot be followed beyond t = %.10g: there two solutions of the equations for it "
                       "meet (their jacobian d F / d y becomes singular), and the motion ends or has no "
                       "unique continuation",
                       field_name(fd->p.names, fd->n + fastest(fd, rate), "u", name, sizeof name), t);
}

/* F_y at (t, u), and dy/ds for dt/ds, dx/ds; KEEL_RETRY where it lies beyond a singular place. */
static keel_status tangent_at(struct field *fd, double t, const double *u, double dt, const double *dx,
                              double *out) {
    int sign;
    keel_status status = algebra_linearize(fd, t, u, &sign);
    if (status != KEEL_OK) return status;
    if (sign != *fd->dae.sign) return KEEL_RETRY;
    if (algebra_has_slope(fd)) tangent(fd, dt, dx, out);
    else memset(out, 0, (size_t)fd->m * sizeof *out);
    return KEEL_OK;
}

/* x(s) and dx/ds on the way, 0 <= s <= 1: a straight line, or with given rates a cubic (as in dense.c). */
static void place_on(const struct algebra_way *w, int n, double s, double *x, double *dx) {
    for (int j = 0; j < n; j++) {
        double whole = w->to[j] - w->from[j], begin = 0, bend = 0;
        if (w->f) {
            begin = w->h * w->f[j] - whole;
            bend = 2 * whole - w->h * (w->f[j] + w->f_to[j]);
        }
        x[j] = s < 1 ? w->from[j] + s * (whole + (1 - s) * (begin + s * bend)) : w->to[j];
        dx[j] = whole + (1 - 2 * s) * begin + s * (2 - 3 * s) * bend;
    }
}

/* A way that is to be the motion: does it move as the equations say, with the y found on it?  Where f is
 * stiff (I - h J)^-1 leaves what the states are off. */
static int moves_otherwise(struct field *fd, const struct algebra_way *w, double t, const double *u) {
    const struct algebra *d = &fd->dae;
    double longest = 0, off = 0;
    if (!w->f || fd->n == 0) return 0;
    if (map_value(fd, &fd->f, t, u, d->dx) != KEEL_OK) return 1;
    if (field_divide_by_mass(fd, t, u, d->dx) != KEEL_OK) return 1;
    for (int j = 0; j < fd->n; j++) d->dx[j] = w->h * d->dx[j] - d->way[j];
    if (w->newton) keel_newton_solve(w->work, w->newton, 0, d->dx, NULL);
    for (int j = 0; j < fd->n; j++) {
        double by_f = d->way[j] + d->dx[j], weight = 1 / fmax(fd->size[j], fabs(u[j]));
        longest = fmax(longest, fmax(fabs(by_f), fabs(d->way[j])) * weight);
        off = fmax(off, fabs(d->dx[j]) * weight);
    }
    return !(off <= NOISE * NOISE || off <= PARTED * longest);
}

static keel_status not_resolved(struct field *fd, const struct algebra_way *w, double at,
                                const double *rate) {
    char name[64];
    return field_fault(fd, KEEL_RETRY, KEEL_ENEWTON,
                       "%s cannot be followed through the step from t = %.10g to %.10g: its equations have "
                       "several solutions, and beyond t = %.10g the step is too coarse to tell which of them "
                       "it takes",
                       field_name(fd->p.names, fd->n + fastest(fd, rate), "u", name, sizeof name), w->t_from,
                       w->t_to, at);
}

/* One piece of the way, to s = end: 1 if y goes on to there, -1 if the way is no motion. */
static int take_piece(struct field *fd, const struct algebra_way *w, int here, double at, double end,
                      keel_status *status) {
    struct algebra *d = &fd->dae;
    int n = fd->n;
    const double *y = d->place[here] + n;
    double *next = d->place[1 - here], t = end < 1 ? w->t_from + end * w->h : w->t_to, length = end - at;
    place_on(w, n, end, next, d->way);
    for (int j = 0; j < fd->m; j++) next[n + j] = y[j] + length * d->tangent[here][j];
    *status = algebra_newton(fd, t, next, 1);
    if (*status == KEEL_OK) *status = tangent_at(fd, t, next, w->h, d->way, d->tangent[1 - here]);
    if (*status != KEEL_OK || d->moved * *d->omega > TRUSTED) return 0;
    struct algebra_piece piece = {length, t, y, d->tangent[here], next, d->tangent[1 - here]};
    if (algebra_has_slope(fd) &&
        (algebra_parts(fd, &piece) || (algebra_misses(fd, &piece) > NOISE && algebra_bends(fd, t, next))))
        return 0;
    return end < 1 && moves_otherwise(fd, w, t, next) ? -1 : 1;
}

keel_status algebra_walk(struct field *fd, const struct algebra_way *w, double *y) {
    struct algebra *d = &fd->dae;
    int n = fd->n, m = fd->m, here = 0;
    double at = 0, piece = 0.5;
    if (!d->follow) *d->omega = 0; /* a sample inside a step depends on no other */
    place_on(w, n, 0, d->place[0], d->way);
    memcpy(d->place[0] + n, w->from + n, (size_t)m * sizeof *y);
    fd->fault.status = KEEL_OK;
    keel_status status = tangent_at(fd, w->t_from, d->place[0], w->h, d->way, d->tangent[0]);
    if (status == KEEL_RETRY && fd->fault.status == KEEL_OK) memset(d->tangent[0], 0, (size_t)m * sizeof *y);
    if (status != KEEL_OK) return status < 0 ? status : no_further(fd, w->t_from, d->tangent[0]);
    for (int k = 0; at < 1; k++) {
        double end = fmin(1, at + piece);
        int taken = take_piece(fd, w, here, at, end, &status);
        if (taken > 0) {
            fd->fault.status = KEEL_OK;
            here = 1 - here;
            at = end;
            piece *= 2;
            continue;
        }
        if (status < 0) return status;
        piece = (end - at) / 2;
        if (piece >= SHORTEST && k < PIECES) continue;
        double t = w->t_from + at * w->h;
        if (status == KEEL_RETRY && fd->fault.status == KEEL_EUSER) return status; /* there are no values */
        return taken < 0 ? not_resolved(fd, w, t, d->tangent[here]) : no_further(fd, t, d->tangent[here]);
    }
    memcpy(y, d->place[here] + n, (size_t)m * sizeof *y);
    d->factored = 0; /* the factors may be those of a place beside it */
    return KEEL_OK;
}

/* Moved by some round-offs of its terms, does y lie beyond a singular place? */
int algebra_is_blurred(struct field *fd, double t, const double *u) {
    struct algebra *d = &fd->dae;
    int n = fd->n, m = fd->m, at = 0, sign;
    double *noise = d->tangent[0], *moved = d->place[0];
    struct fault fault = fd->fault;
    int blurred = algebra_linearize(fd, t, u, &sign) != KEEL_OK;
    if (fd->dae.choice.serves) return fd->fault = fault, blurred;
    for (int i = 0; i < d->rows && !blurred; i++) {
        int direct = i < m && d->direct[i];
        if (!direct && !d->derived[i]) continue;
        noise[at++] = NOISES * DBL_EPSILON * algebra_row_terms(fd, i, 0, u);
    }
    if (!blurred) algebra_divide(fd, noise);
    for (int side = -1; side <= 1 && !blurred; side += 2) {
        memcpy(moved, u, (size_t)(n + m) * sizeof *u);
        for (int j = 0; j < m; j++) moved[n + j] += side * noise[j];
        blurred = algebra_linearize(fd, t, moved, &sign) != KEEL_OK || sign != *d->sign;
    }
    fd->fault = fault;
    return blurred;
}

/* Where Newton's method alone is not to be trusted. */
static keel_status find_by_walk(struct field *fd, double t, double *u) {
    struct algebra_way way = {
        *fd->dae.found_t, t, t - *fd->dae.found_t, fd->found, u, NULL, NULL, NULL, NULL};
    return algebra_walk(fd, &way, u + fd->n);
}

/* No way leads there: behind a switch y may lie far from where it was. */
static keel_status find_anew(struct field *fd, double t, double *u) {
    struct fault fault = fd->fault;
    memcpy(u + fd->n, fd->found + fd->n, (size_t)fd->m * sizeof *u);
    keel_status status = algebra_approach(fd, t, u);
    if (status != KEEL_OK) fd->fault = fault;
    return status;
}

/* Outside a step: from the place found last where Newton's method alone does not settle. */
static keel_status find_beside(struct field *fd, double t, double *u) {
    keel_status status = algebra_solve(fd, t, u);
    if (status != KEEL_RETRY || !isfinite(*fd->dae.found_t)) return status;
    status = find_by_walk(fd, t, u);
    return status == KEEL_RETRY ? find_anew(fd, t, u) : status;
}

keel_status algebra_find(struct field *fd, double t, double *u) {
    if (fd->dae.choice.serves) return choice_solve(fd, t, u); /* no way leads to another solution */
    if (!fd->dae.follow) return find_beside(fd, t, u);
    if (fd->dae.careful) return find_by_walk(fd, t, u);
    keel_status status = algebra_newton(fd, t, u, 1);
    if (status != KEEL_RETRY) return status;
    int no_values = !fd->dae.doubt && fd->fault.status == KEEL_EUSER; /* a shorter step is asked for */
    return no_values ? status : find_by_walk(fd, t, u);
}
