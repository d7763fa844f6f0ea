/* scale.c - sets of states are multiplied by factors, one for each kept row, until the rows hold.
 *
 *     x_l <- s_q x_l for l in set q,    c_i(s) = 0,    dc_i/ds_q = sum over l in q of dc_i/dx_l x_l
 *
 * C.-S. Liu, Preserving constraints of differential equations by numerical methods based on integrating
 * factors (2006).  Newton for s - 1 from 0.  Where the curve of scaled states only touches the manifold, or
 * misses it (a fold: Kepler's orbit at the ends of its minor axis), Newton does not contract; then the sum of
 * squares of the rows, each by its size, is followed downhill from the unscaled state with its second
 * derivatives, which ends on a root or on the point of smallest residual. */
#include "core/engine.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

#define FARTHEST 0.5   /* change of a factor that is still a correction */
#define SHORTEST 1e-12 /* change that no longer matters */
#define APART 1e-4     /* of factors whose slopes are compared */
enum { DESCENTS = 50 };

struct scale {
    int *sets, *set_of;      /* how many; n: the set of each state, -1: none */
    double *factor, *change; /* one for each row: factor - 1, and its change in an iteration */
    double *trial;           /* n + m */
    double *gradient;        /* sets: of the sum of squares */
    double *slope, *bend;    /* rows x sets; sets x sets: second derivatives of the sum */
};

static struct scale *own(const struct manifold *m) {
    return m->view.own;
}

static void layout(keel_manifold *view) {
    struct scale *s = view->own;
    const struct engine *e = engine_of(view);
    struct arena *a = view->arena;
    size_t rows = (size_t)e->rows.count;
    s->trial = arena_doubles(a, (size_t)(view->width + view->m));
    s->factor = arena_doubles(a, rows + 1);
    s->change = arena_doubles(a, rows + 1);
    s->sets = arena_ints(a, 1);
    s->set_of = arena_ints(a, (size_t)view->n + 1);
    s->gradient = arena_doubles(a, rows + 1);
    s->slope = arena_doubles(a, rows * rows + 1);
    s->bend = arena_doubles(a, rows * rows + 1);
}

/* Sets --------------------------------------------------------------------------------------------------- */

/* The next name of a list, up to a blank, a comma or a semicolon that is not inside brackets; NULL: none. */
static const char *next_name(const char *at, char *name, size_t capacity) {
    size_t length = 0;
    while (*at == ',' || *at == ' ' || *at == '\t') at++;
    if (*at == '\0' || *at == ';') return NULL;
    for (int depth = 0; *at && (depth > 0 || !strchr(",; \t", *at)); at++) {
        depth += (*at == '[') - (*at == ']');
        if (length + 1 < capacity) name[length++] = *at;
    }
    name[length] = '\0';
    return at;
}

/* `r[2]` is an element of `r`, `r[2]'` of `r'`. */
static int same_array(const char *element, const char *array) {
    size_t head = strcspn(element, "[");
    const char *tail = strchr(element, ']');
    return tail && strncmp(element, array, head) == 0 && strcmp(array + head, tail + 1) == 0;
}

/* Marks what `name` means; how many unknowns that is, or -1 if one of them is in another set. */
static int mark(struct manifold *m, const char *name, int set) {
    struct scale *s = own(m);
    const struct field *fd = m->fd;
    int met = 0;
    for (int i = 0; i < fd->n + fd->m; i++) {
        char buffer[ROWS_NAME];
        const char *known = fd->p.names ? fd->p.names[i] : NULL;
        if (!known) text_set(buffer, sizeof buffer, "u[%d]", i), known = buffer;
        if (strcmp(known, name) != 0 && !same_array(known, name)) continue;
        met++;
        if (i >= fd->n) continue; /* follows from the states */
        if (s->set_of[i] >= 0) return -1;
        s->set_of[i] = set;
    }
    return met;
}

static int scale_fail(char *why, size_t capacity, const char *what, const char *name) {
    text_set(why, capacity, "options.sets: `%.60s` %s", name, what);
    return -1;
}

/* `sets` of the options into set_of; 0, or -1 with a sentence. */
static int read_sets(struct manifold *m, const char *text, char *why, size_t capacity) {
    struct scale *s = own(m);
    const char *whole = text;
    char name[ROWS_NAME];
    s->sets[0] = 0;
    for (int i = 0; i < m->fd->n; i++) s->set_of[i] = -1;
    while (text) {
        int states = 0;
        for (const char *rest = text; (rest = next_name(rest, name, sizeof name)); text = rest) {
            int met = mark(m, name, s->sets[0]);
            if (met == 0) return scale_fail(why, capacity, "is no state and no array of states", name);
            if (met < 0) return scale_fail(why, capacity, "stands in two sets, or twice in one", name);
        }
        for (int i = 0; i < m->fd->n; i++) states += s->set_of[i] == s->sets[0];
        if (states == 0) return scale_fail(why, capacity, "has a set without a state", whole);
        s->sets[0]++;
        text += strspn(text, ", \t");
        text = *text == ';' ? text + 1 : NULL;
    }
    return 0;
}

/* One row: all states.  Two invariants of positions and momenta (velocities): these two. */
static void default_sets(struct manifold *m) {
    struct scale *s = own(m);
    const struct field *fd = m->fd;
    int halves = (fd->traits & KEEL_POSITIONS) != 0;
    int invariants = m->kept > 0 && !rows_in(ROWS_OF_EQUATIONS, rows_kind(m->rows, m->row[0]));
    s->sets[0] = m->kept == 2 && halves && invariants ? 2 : 1;
    for (int i = 0; i < fd->n; i++) s->set_of[i] = s->sets[0] == 2 && i >= fd->n / 2;
}

/* A state of the set, for a sentence; the square of what it is multiplied with. */
static double set_size(const struct manifold *m, int set, const double *u, int *member) {
    struct scale *s = own(m);
    double sum = 0;
    for (int i = m->fd->n - 1; i >= 0; i--) {
        if (s->set_of[i] != set) continue;
        *member = i;
        sum += u[i] * u[i];
    }
    return sum;
}

/* Are there as many sets as kept rows, and none of them zero at u?  1, or 0 with a sentence. */
static int sets_fit(struct manifold *m, double t, const double *u, char *why, size_t capacity) {
    struct scale *s = own(m);
    int member = 0;
    char name[ROWS_NAME];
    if (m->kept == 0) return 1;
    if (s->sets[0] != m->kept) {
        text_set(why, capacity,
                 "scale multiplies one set of states for each kept row: there %s %d set%s and %d kept "
                 "row%s; name the sets (options.sets), or the rows to keep (options.keep)",
                 s->sets[0] == 1 ? "is" : "are", s->sets[0], s->sets[0] == 1 ? "" : "s", m->kept,
                 m->kept == 1 ? "" : "s");
        return 0;
    }
    for (int q = 0; q < s->sets[0]; q++)
        if (set_size(m, q, u, &member) == 0) {
            text_set(why, capacity,
                     "scale: all states of the set of %s are 0 at t = %.10g, and no factor can change that; "
                     "choose other sets",
                     field_name(m->fd->p.names, member, "u", name, sizeof name), t);
            return 0;
        }
    return 1;
}

static keel_status begin(keel_manifold *view, double t, const double *u) {
    struct engine *e = engine_of(view);
    struct manifold *m = &e->manifold;
    if (!e->o.sets) default_sets(m);
    else if (read_sets(m, e->o.sets, e->message, sizeof e->message)) return e->r->status = KEEL_EINVAL;
    return sets_fit(m, t, u, e->message, sizeof e->message) ? KEEL_OK : (e->r->status = KEEL_EINVAL);
}

/* Values and slopes on the curve of scaled states --------------------------------------------------- */

static double size_of(const struct manifold *m, int i) {
    double size = m->rows->size[m->row[i]];
    return size > 0 ? size : 1;
}

/* trial = x scaled by 1 + factor, and its residuals. */
static keel_status scaled(struct manifold *m, double t, const double *x, const double *factor) {
    struct scale *s = own(m);
    int n = m->fd->n;
    for (int l = 0; l < n; l++) {
        int set = s->set_of[l];
        s->trial[l] = set >= 0 && set < m->kept ? x[l] + factor[set] * x[l] : x[l];
    }
    memcpy(s->trial + n, x + n, (size_t)m->fd->m * sizeof *x);
    return rows_residual(m->fd, m->rows, t, s->trial, m->residual);
}

/* Half the sum of squares of the kept rows, each by its size. */
static double squares(const struct manifold *m) {
    double sum = 0;
    for (int i = 0; i < m->kept; i++) {
        double share = m->residual[m->row[i]] / size_of(m, i);
        sum += share * share;
    }
    return 0.5 * sum;
}

static keel_status slopes(struct manifold *m, double t, const double *x, double *slope, int grow) {
    struct scale *s = own(m);
    int k = m->kept;
    keel_status status = KEEL_OK;
    for (int a = 0; a < m->kept_kinds && status == KEEL_OK; a++) {
        keel_row_kind kind = (keel_row_kind)m->kind[a];
        status = rows_jacobian(m->fd, m->rows, kind, t, s->trial);
        if (status == KEEL_OK && grow) status = rows_grow(m->fd, m->rows, kind, t, s->trial);
    }
    memset(slope, 0, (size_t)(k * k) * sizeof *slope);
    for (int i = 0; i < k && status == KEEL_OK; i++) {
        const double *row = rows_gradient(m->rows, m->fd, m->row[i]);
        for (int l = 0; l < m->fd->n; l++) {
            int set = s->set_of[l];
            if (set >= 0 && set < k) slope[i * k + set] += row[l] * x[l] / size_of(m, i);
        }
    }
    return status;
}

/* A place where the rows cannot be evaluated is too far; only a callback that gives up ends the run. */
static int lost(struct manifold *m, keel_status *status) {
    int too_far = *status > 0;
    if (too_far) m->fd->fault.status = *status = KEEL_OK;
    return too_far;
}

/* Newton ------------------------------------------------------------------------------------------------- */

/* While it contracts.  *found: the rows hold with `factor`. */
static keel_status newton(struct manifold *m, double t, const double *x, int *found) {
    struct scale *s = own(m);
    int k = m->kept, row = 0, idle = 0;
    double before = manifold_worst(m, &row);
    *found = 0;
    for (int iteration = 0; iteration < MANIFOLD_ITERATIONS; iteration++) {
        keel_status status = slopes(m, t, x, s->slope, iteration > 0 || project_due(m->fd->stats->steps));
        if (lost(m, &status) || status < 0) return status;
        for (int i = 0; i < k; i++) s->change[i] = -m->residual[m->row[i]] / size_of(m, i);
        m->fd->stats->factorizations++;
        if (dense_lu(k, s->slope, m->pivot, m->fd->halt)) return KEEL_OK;
        dense_lu_solve(k, s->slope, m->pivot, s->change);
        m->fd->stats->newton++;
        for (int q = 0; q < k; q++) {
            s->factor[q] += s->change[q];
            if (!(fabs(s->factor[q]) <= FARTHEST)) return KEEL_OK;
        }
        status = scaled(m, t, x, s->factor);
        if (lost(m, &status) || status < 0) return status;
        double worst = manifold_worst(m, &row);
        *found = worst <= m->units;
        idle = worst > 0.5 * before ? idle + 1 : 0;
        if (idle >= 2) *found = manifold_settled(m);
        if (*found || idle >= 2) return KEEL_OK;
        before = worst;
    }
    return KEEL_OK;
}

/* Downhill ----------------------------------------------------------------------------------------------- */

/* Gradient and second derivatives of the sum of squares: G^T r and G^T G + sum_i r_i d^2 c_i / ds ds. */
static keel_status bends(struct manifold *m, double t, const double *x) {
    struct scale *s = own(m);
    int k = m->kept;
    keel_status status = slopes(m, t, x, s->slope, 0);
    if (status != KEEL_OK) return status;
    for (int i = 0; i < k; i++) m->c[i] = m->residual[m->row[i]] / size_of(m, i);
    for (int q = 0; q < k; q++) {
        s->gradient[q] = 0;
        for (int i = 0; i < k; i++) s->gradient[q] += s->slope[i * k + q] * m->c[i];
        for (int p = 0; p < k; p++) {
            s->bend[q * k + p] = 0;
            for (int i = 0; i < k; i++) s->bend[q * k + p] += s->slope[i * k + q] * s->slope[i * k + p];
        }
    }
    memcpy(m->bordered, s->slope, (size_t)(k * k) * sizeof *s->slope);
    for (int q = 0; q < k; q++) {
        double here = s->factor[q];
        s->factor[q] = here + APART;
        status = scaled(m, t, x, s->factor);
        if (status == KEEL_OK) status = slopes(m, t, x, s->slope, 0);
        s->factor[q] = here;
        if (lost(m, &status)) continue;
        if (status < 0) return status;
        for (int p = 0; p < k; p++) {
            double sum = 0;
            for (int i = 0; i < k; i++) sum += m->c[i] * (s->slope[i * k + p] - m->bordered[i * k + p]);
            s->bend[q * k + p] += 0.5 * sum / APART;
            s->bend[p * k + q] += 0.5 * sum / APART;
        }
    }
    return KEEL_OK;
}

static double length_of(int k, const double *a) {
    double sum = 0;
    for (int q = 0; q < k; q++) sum += a[q] * a[q];
    return sqrt(sum);
}

/* change = -(bend + shift)^-1 gradient, not longer than `radius`, with the least shift tried that makes it a
 * minimum.  Where one is needed the way is downhill all along: as far as the radius.  Returns the gain that
 * is expected; infinite: not known. */
static double downhill(struct manifold *m, double radius) {
    struct scale *s = own(m);
    enum { TRIES = 40 };
    int k = m->kept, shifted = 0;
    double largest = 0, shift = 0;
    for (int q = 0; q < k * k; q++) largest = fmax(largest, fabs(s->bend[q]));
    for (; shifted<TRIES; shifted++, shift = shift> 0 ? 4 * shift : 1e-6 * largest) {
        memcpy(m->bordered, s->bend, (size_t)(k * k) * sizeof *s->bend);
        for (int q = 0; q < k; q++) m->bordered[q * k + q] += shift;
        if (largest == 0 || dense_cholesky(k, m->bordered, m->fd->halt) == 0) break;
    }
    for (int q = 0; q < k; q++) s->change[q] = -s->gradient[q];
    if (shifted == TRIES) return 0; /* not numbers */
    if (largest > 0) dense_cholesky_solve(k, m->bordered, s->change);
    double length = length_of(k, s->change), gain = 0;
    for (int q = 0; q < k; q++) gain -= 0.5 * s->gradient[q] * s->change[q];
    if (shifted && length == 0) { /* on top: any way is down */
        for (int q = 0; q < k; q++) s->change[q] = 1;
        length = sqrt(k);
    }
    double stretch = length > radius || (shifted && length > 0) ? radius / length : 1;
    for (int q = 0; q < k; q++) s->change[q] *= stretch;
    return shifted ? HUGE_VAL : gain;
}

/* From where `factor` stands to less, by shorter and shorter steps; 0: there is nothing to be had. */
static int lower(struct manifold *m, double t, const double *x, double *sum, double *radius,
                 keel_status *status) {
    struct scale *s = own(m);
    int k = m->kept;
    double gain = downhill(m, *radius);
    if (gain <= 1e-9 * *sum) return 0;
    double length = length_of(k, s->change);
    while (length > SHORTEST) {
        for (int q = 0; q < k; q++) s->gradient[q] = s->factor[q] + s->change[q];
        *status = scaled(m, t, x, s->gradient);
        if (*status < 0) return 0;
        if (!lost(m, status) && squares(m) < *sum) {
            *sum = squares(m);
            memcpy(s->factor, s->gradient, (size_t)k * sizeof *s->factor);
            *radius = fmin(fmax(2 * length, *radius), FARTHEST);
            return 1;
        }
        for (int q = 0; q < k; q++) s->change[q] *= 0.25;
        length *= 0.25;
        *radius = length;
    }
    return 0;
}

static keel_status descend(struct manifold *m, double t, const double *x) {
    struct scale *s = own(m);
    double radius = 0.1 * FARTHEST, sum;
    memset(s->factor, 0, (size_t)m->kept * sizeof *s->factor);
    keel_status status = scaled(m, t, x, s->factor);
    sum = squares(m);
    for (int iteration = 0; iteration < DESCENTS && status == KEEL_OK; iteration++) {
        status = bends(m, t, x);
        if (lost(m, &status) || status < 0) break;
        if (!lower(m, t, x, &sum, &radius, &status) || manifold_holds(m)) break;
    }
    return status < 0 ? status : scaled(m, t, x, s->factor);
}

/* Would the factors take the state more than half the way back to where the step began?  Then the step would
 * be undone, again and again: on rays that touch a level of H the field may point along the ray. */
static int undoes_the_step(const struct manifold *m, const double *x) {
    struct scale *s = own(m);
    double back = 0, way = 0;
    for (int l = 0; l < m->fd->n; l++) {
        if (!(m->inverse_weight[l] > 0)) continue;
        double moved = (s->trial[l] - x[l]) / m->inverse_weight[l],
               taken = (x[l] - m->view.from[l]) / m->inverse_weight[l];
        back += moved * moved;
        way += taken * taken;
    }
    return 4 * back > way;
}

static keel_status not_a_set(const struct manifold *m, double t, int member) {
    char name[ROWS_NAME];
    return field_fault(m->fd, KEEL_RETRY, KEEL_EPROJECT,
                       "scale: all states of the set of %s are 0 at t = %.10g, and no factor can change that",
                       field_name(m->fd->p.names, member, "u", name, sizeof name), t);
}

/* What is within one unit is as near as states can be: it is left alone. */
static keel_status correct(keel_manifold *view, double t, double *x, double *low) {
    struct manifold *m = &engine_of(view)->manifold;
    struct scale *s = own(m);
    int k = m->kept, found = 1, member = 0;
    memset(s->factor, 0, (size_t)k * sizeof *s->factor);
    keel_status status = scaled(m, t, x, s->factor);
    if (status == KEEL_OK && project_due(m->fd->stats->steps)) status = slopes(m, t, x, s->slope, 1);
    if (status != KEEL_OK || manifold_worst(m, &member) <= fmin(1, m->units)) return status;
    for (int q = 0; q < k; q++)
        if (set_size(m, q, x, &member) == 0) return not_a_set(m, t, member);
    status = newton(m, t, x, &found);
    if (status == KEEL_OK && !found) status = descend(m, t, x);
    if (status != KEEL_OK) return status;
    m->view.unresolved = !found && !manifold_holds(m) && !manifold_settled(m);
    if (m->view.unresolved && undoes_the_step(m, x)) {
        memset(s->factor, 0, (size_t)k * sizeof *s->factor);
        status = scaled(m, t, x, s->factor);
    }
    for (int l = 0; l < m->fd->n; l++) {
        int set = s->set_of[l];
        m->d[l] = set >= 0 && set < k ? s->factor[set] * x[l] : 0;
    }
    manifold_move(x, low, m->fd->n, m->d);
    return status;
}

static const keel_field fields[] = {
    {KEEL_FIELD(sets), .traits = KEEL_FIELD_LINE | KEEL_FIELD_MODEL | KEEL_FIELD_RESULTS,
     .argument = "\"q; p\"", .about = "what it multiplies, a set for each kept row"},
    {.name = NULL},
};

const keel_stabilizer scale_stabilizers[] = {
    {.info = {.name = "scale",
              .about = "sets of states are multiplied by factors, one for each kept row: options.sets",
              .reference = "C.-S. Liu, Preserving constraints ... based on integrating factors (2006)",
              .traits = KEEL_MEASURES | KEEL_CORRECTS | KEEL_TO_ROUND_OFF | KEEL_OWN_DIRECTIONS,
              .fields = fields},
     .size = sizeof(struct scale),
     .layout = layout,
     .begin = begin,
     .correct = correct},
    {.info = {0}}};
