/* baumgarte.c - a term in the right-hand side that pulls back to the manifold (Baumgarte 1972).
 *
 *     x' = f(t,x) - gain D (G D)^-1 c(t,x),   D = W^-1 G^T   (+ gain where t runs backward)
 *
 * so that c' = -gain c for rows whose rate is zero by f itself.  A constraint g and its d/dt s, with g' = s
 * and s' = 0 by f, become g' = s - gain g, s' = -gain s: that is g'' + 2 gain g' + gain^2 g = 0, the
 * classical form with alpha = beta = gain, and the term touches positions and velocities alike.
 *
 * The gain.  With it the right-hand side changes as fast as 1/gain.  A step of order p drives c away by
 * h^(p+1) (1/T)^(p+1), T the time of the motion, and, since stages lie off the manifold by O(h^2), by
 * h^2/T^2 (gain h)^(p-1) through the term; c stays at about (sum of the two) / (gain h).  The least is at
 * gain = 1/T, whatever h is.  A gain in proportion to 1/h would leave c at O(h^2), and the state with it,
 * with a method of any order.  So gain is an estimate of 1/T from f_x at the start, and h only bounds it: to
 * 1/h, and for multistep methods, which are stable on much less of the negative axis, to 2^(1-p)/h.
 *
 * Large problems with patterns have the smallest displacements by sparse matrices (core/manifold_pull.c), and
 * Newton's matrices know the term (core/newton_pulled.c). */
#include "core/engine.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct baumgarte {
    struct normals here;              /* of full rows */
    double *gain;                     /* the one in use */
    double *c, *residual, *move, *at; /* kept rows; rows; width; n + m */
};

static int refuse(const keel_problem *p, const keel_options *o, const keel_stepper *stepper, char *why,
                  size_t capacity) {
    (void)p, (void)o;
    if (stepper->no_rhs != 1) return 0;
    text_set(why, capacity,
             "baumgarte adds a term to f, and %s makes its steps from other parts of the problem",
             stepper->info.name);
    return 1;
}

/* G and what its rows are met by, at (t, u). */
static keel_status aim(void *view, double t, const double *u) {
    struct engine *e = engine_of(view);
    struct baumgarte *b = e->manifold.view.own;
    if (manifold_pulls_sparse(&e->manifold)) return manifold_aim(&e->manifold, t, u);
    keel_status status = manifold_normals(&e->manifold, &b->here, t, u);
    if (status == KEEL_OK) manifold_normals_factor(&e->manifold, &b->here, NULL);
    return status;
}

/* move := D (G D)^-1 c, of the rows' values c. */
static keel_status shortest(struct engine *e, const double *c, double *move) {
    struct manifold *m = &e->manifold;
    struct baumgarte *b = m->view.own;
    if (manifold_pulls_sparse(m)) return manifold_shortest_at(m, c, move);
    for (int i = 0; i < m->kept; i++) b->c[i] = c[m->row[i]];
    manifold_normals_shortest(m, &b->here, b->c, move);
    return KEEL_OK;
}

/* v := D (G D)^-1 G v */
static keel_status across(void *view, double *v) {
    struct engine *e = engine_of(view);
    struct baumgarte *b = e->manifold.view.own;
    keel_status status = manifold_rates_at(&e->manifold, v, b->residual);
    return status == KEEL_OK ? shortest(e, b->residual, v) : status;
}

static void layout(keel_manifold *view) {
    struct baumgarte *b = view->own;
    struct engine *e = engine_of(view);
    struct arena *a = view->arena;
    size_t rows = (size_t)e->rows.count, vector = (size_t)(e->field.n + e->field.m + 7) / 4 * 4;
    if (!manifold_pulls_sparse(&e->manifold)) manifold_normals_layout(&b->here, &e->manifold, a);
    b->gain = arena_doubles(a, 1);
    b->c = arena_doubles(a, rows + 1);
    b->residual = arena_doubles(a, rows + 1);
    b->move = arena_doubles(a, vector);
    b->at = arena_doubles(a, vector);
    e->field.pull = (struct pull){view, b->gain, aim, across};
}

static keel_status pull(keel_manifold *view, double t, const double *x, double *dx) {
    struct baumgarte *b = view->own;
    struct engine *e = engine_of(view);
    struct field *fd = &e->field;
    struct manifold *m = &e->manifold;
    memcpy(b->at, x, (size_t)fd->n * sizeof *x);
    memcpy(b->at + fd->n, fd->y, (size_t)fd->m * sizeof *x);
    manifold_time(m, 0);
    keel_status status = rows_residual(fd, &e->rows, t, b->at, b->residual);
    if (status == KEEL_OK) status = aim(view, t, b->at);
    if (status == KEEL_OK) status = shortest(e, b->residual, b->move);
    if (status != KEEL_OK) return status;
    double gain = e->r->direction < 0 ? -b->gain[0] : b->gain[0]; /* along the run */
    for (int j = 0; j < fd->n; j++) dx[j] -= gain * b->move[j];
    return KEEL_OK;
}

static keel_status begin(keel_manifold *view, double t, const double *u) {
    (void)t, (void)u;
    struct engine *e = engine_of(view);
    struct baumgarte *b = view->own;
    double gain = e->o.gain, h = e->o.step;
    int multistep = (e->stepper->info.traits & KEEL_MULTISTEP) != 0;
    if (gain == 0) {
        double most = h > 0 ? (multistep ? ldexp(1, 1 - e->stepper->info.order) : 1) / h : HUGE_VAL;
        gain = fmin(e->manifold.inverse_time[0], most);
        if (gain < DBL_MIN) gain = isfinite(most) ? most : 1; /* nothing moves: any will do */
    }
    b->gain[0] = gain;
    return KEEL_OK;
}

static const keel_field fields[] = {
    {KEEL_FIELD(gain), .traits = KEEL_FIELD_LINE | KEEL_FIELD_MODEL | KEEL_FIELD_RESULTS | KEEL_FIELD_ABOVE,
     .argument = "G", .about = "how fast it pulls back, per unit of t (as fast as the motion)"},
    {.name = NULL},
};

const keel_stabilizer baumgarte_stabilizers[] = {
    {.info = {.name = "baumgarte",
              .about = "a term in the right-hand side pulls back: held to the level of the errors",
              .reference = "Baumgarte, Comput. Methods Appl. Mech. Eng. 1 (1972) 1",
              .traits = KEEL_MEASURES | KEEL_DAMPS | KEEL_FROZEN_WEIGHTS | KEEL_SPARSE_ROWS,
              .fields = fields},
     .size = sizeof(struct baumgarte),
     .refuse = refuse,
     .layout = layout,
     .begin = begin,
     .rhs = pull},
    {.info = {0}}};
