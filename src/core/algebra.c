/* algebra.c - mass x' = f(t,x,y), 0 = F(t,x,y): y from the rows that determine it.
 *
 * A row of F that contains y is solved as it stands.  A row r(t,x) without y (of F, or a hidden row) is a
 * row of the manifold; its rate d/dt r = r_x f(t,x,y) + r_t contains y if the index ends there, and is
 * then solved for y; if it does not, it is one of the hidden rows the user gives.  Index 1: all of F
 * contains y, and rates of hidden rows, whether they contain y or not, say nothing new.  Index 2: d/dt F
 * does. Index 3: d/dt of the hidden rows does.  Newton starts from the y found last; while a step is tried
 * it also watches that it stays on the branch it comes from (algebra_follow.c). */
#include "core/algebra.h"
#include "core/step_control.h"

#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define NOISE 1e-12 /* of the terms of a sum: its round-off */

void algebra_layout(struct field *fd, struct arena *a) {
    struct algebra *d = &fd->dae;
    size_t n = (size_t)fd->n, m = (size_t)fd->m, h = (size_t)fd->p.hidden.count, all = n + m;
    d->rows = fd->m + fd->p.hidden.count;
    d->direct = arena_ints(a, m + 1);
    d->derived = arena_ints(a, m + h + 1);
    d->values = arena_doubles(a, m + h + 1);
    d->sparse = fd->large && fd->m > 0;
    if (d->sparse) {
        algebra_sparse_layout(fd, a);
    } else {
        d->matrix = arena_doubles(a, m * m + 1);
        d->row_jacobian = arena_doubles(a, (m + h) * all + 1);
        d->rate_y = arena_doubles(a, n * m + 1);
        d->f_jacobian = arena_doubles(a, n * all + 1);
    }
    d->dx = arena_doubles(a, n + 4);
    d->shift = arena_doubles(a, m + h + 1);
    d->step = arena_doubles(a, m + 1);
    d->pivot = arena_ints(a, m + 1);
    d->sign = arena_ints(a, 1);
    d->found_t = arena_doubles(a, 1);
    d->omega = arena_doubles(a, 1);
    for (int k = 0; k < 2; k++) {
        d->place[k] = arena_doubles(a, all + 1);
        d->tangent[k] = arena_doubles(a, m + 1);
    }
    algebra_staggered_layout(fd, a);
    choice_layout(fd, a);
    d->way = arena_doubles(a, n + 1);
    d->aim = arena_doubles(a, m + 1);
    d->beside = arena_doubles(a, all + 1);
}

/* All rows F and h with jacobians of n + m columns (those of h end with zeros) and their partial rates. */
static keel_status rows_with_jacobian(struct field *fd, double t, const double *u) {
    struct algebra *d = &fd->dae;
    int n = fd->n, m = fd->m, all = n + m, hidden = d->sparse && !d->by_rates ? 0 : fd->hidden.user.count;
    keel_status status = d->sparse ? map_entries(fd, &fd->algebraic, t, u, d->entries)
                                   : map_jacobian(fd, &fd->algebraic, t, u, d->row_jacobian);
    if (status == KEEL_OK) status = map_time_derivative(fd, &fd->algebraic, t, u, d->shift);
    if (status != KEEL_OK || !hidden) return status;
    status = map_time_derivative(fd, &fd->hidden, t, u, d->shift + m);
    if (status == KEEL_OK && d->sparse)
        return map_entries(fd, &fd->hidden, t, u, d->entries + fd->p.algebraic.pattern->nnz);
    if (status == KEEL_OK) status = map_jacobian(fd, &fd->hidden, t, u, fd->matrix);
    for (int i = 0; i < hidden && status == KEEL_OK; i++) {
        double *row = d->row_jacobian + (long)(m + i) * all;
        memcpy(row, fd->matrix + (long)i * n, (size_t)n * sizeof *row);
        memset(row + n, 0, (size_t)m * sizeof *row);
    }
    return status;
}

double algebra_row_times(const struct field *fd, int i, double sum, const double *dx) {
    const struct algebra *d = &fd->dae;
    if (d->sparse) {
        int at;
        const keel_pattern *p = algebra_pattern(fd, i, &at);
        const double *entries = d->entries + (i < fd->m ? 0 : fd->p.algebraic.pattern->nnz);
        for (int e = p->row_start[at]; e < p->row_start[at + 1] && p->column[e] < fd->n; e++)
            sum += entries[e] * dx[p->column[e]];
        return sum;
    }
    const double *row = d->row_jacobian + (long)i * (fd->n + fd->m);
    for (int c = 0; c < fd->n; c++) sum += row[c] * dx[c];
    return sum;
}

/* F_i,y v of the motion's own y. */
static double row_by_own(const struct field *fd, int i, int own, const double *v) {
    const struct algebra *d = &fd->dae;
    double sum = 0;
    if (d->sparse) {
        const keel_pattern *p = fd->p.algebraic.pattern;
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            if (p->column[e] >= fd->n && p->column[e] < fd->n + own)
                sum += d->entries[e] * v[p->column[e] - fd->n];
        return sum;
    }
    const double *row = d->row_jacobian + (long)i * (fd->n + fd->m) + fd->n;
    for (int j = 0; j < own; j++) sum += row[j] * v[j];
    return sum;
}

/* The sizes of the products of row i with the first `count` of v, added up. */
static double row_terms(const struct field *fd, int i, double sum, int count, const double *v) {
    const struct algebra *d = &fd->dae;
    if (d->sparse) {
        int at;
        const keel_pattern *p = algebra_pattern(fd, i, &at);
        const double *entries = d->entries + (i < fd->m ? 0 : fd->p.algebraic.pattern->nnz);
        for (int e = p->row_start[at]; e < p->row_start[at + 1] && p->column[e] < count; e++)
            sum += fabs(entries[e] * v[p->column[e]]);
        return sum;
    }
    const double *row = d->row_jacobian + (long)i * (fd->n + fd->m);
    for (int c = 0; c < count; c++) sum += fabs(row[c] * v[c]);
    return sum;
}

double algebra_row_terms(const struct field *fd, int i, double sum, const double *u) {
    return row_terms(fd, i, sum, fd->n + fd->m, u);
}

/* rate_y := M^-1 f_y, n x m; large: the entries of f. */
static keel_status rate_by_y(struct field *fd, double t, const double *u) {
    struct algebra *d = &fd->dae;
    int n = fd->n, m = fd->m;
    if (n == 0) return KEEL_OK;
    if (d->sparse) return algebra_sparse_rate(fd, t, u);
    keel_status status = map_jacobian(fd, &fd->f, t, u, d->f_jacobian);
    for (int j = 0; j < m && status == KEEL_OK; j++) {
        for (int i = 0; i < n; i++) d->dx[i] = d->f_jacobian[(long)i * (n + m) + n + j];
        status = field_divide_by_mass(fd, t, u, d->dx);
        for (int i = 0; i < n; i++) d->rate_y[(long)i * m + j] = d->dx[i];
    }
    return status;
}

/* d/dy of the rate of row i: r_x M^-1 f_y. */
static double derived_by_y(const struct field *fd, int i, int j) {
    const struct algebra *d = &fd->dae;
    const double *row = d->row_jacobian + (long)i * (fd->n + fd->m);
    double sum = 0;
    for (int c = 0; c < fd->n; c++) sum += row[c] * d->rate_y[(long)c * fd->m + j];
    return sum;
}

/* The sum of the sizes of these products. */
static double derived_terms(const struct field *fd, int i, int j) {
    const struct algebra *d = &fd->dae;
    const double *row = d->row_jacobian + (long)i * (fd->n + fd->m);
    double sum = 0;
    for (int c = 0; c < fd->n; c++) sum += fabs(row[c] * d->rate_y[(long)c * fd->m + j]);
    return sum;
}

/* Marks the rows that contain y at u, and those whose rate does.  A given derivative is exact: it is there
 * where it is not zero, a sum of products where it is more than their round-off, and no size of an unknown
 * has a say.  A guess of y may be the round-off of a zero (rates at rest), and tells no size.  Derivatives
 * by differences have the noise of their row's terms, and are judged by these. */
static keel_status find_rows_with_y(struct field *fd, double t, const double *u) {
    struct algebra *d = &fd->dae;
    int n = fd->n, m = fd->m, rate_exact = n == 0 || fd->p.f.jacobian != NULL;
    keel_status status = rows_with_jacobian(fd, t, u);
    if (status == KEEL_OK) status = rate_by_y(fd, t, u);
    for (int i = 0; i < d->rows && status == KEEL_OK; i++) {
        const double *row = d->row_jacobian + (long)i * (n + m);
        int exact = (i < m ? fd->p.algebraic.jacobian : fd->p.hidden.jacobian) != NULL;
        double size = 0;
        for (int j = 0; j < n + m && !(exact && rate_exact); j++)
            size = fmax(size, fabs(row[j]) * fmax(fd->size[j], DBL_MIN));
        for (int j = 0; j < m; j++) {
            double by_y = fabs(row[n + j]), by_rate = fabs(derived_by_y(fd, i, j)), length = fd->size[n + j];
            if (i < m) d->direct[i] |= exact ? by_y > 0 : by_y * length > NOISE * size;
            d->derived[i] |= exact && rate_exact ? by_rate > NOISE * derived_terms(fd, i, j)
                                                 : by_rate * length > NOISE * size;
        }
    }
    return status;
}

/* At the start values, where a guess of y = 0 may hide it, and near them. */
keel_status algebra_open(struct field *fd, double t, const double *u) {
    struct algebra *d = &fd->dae;
    int n = fd->n, m = fd->m, direct = 0, determined = 0;
    if (m == 0) return KEEL_OK;
    memset(d->direct, 0, (size_t)m * sizeof *d->direct);
    memset(d->derived, 0, (size_t)d->rows * sizeof *d->derived);
    d->any_derived = d->sparse && d->by_rates;
    for (int i = 0; i < d->rows && d->sparse; i++) {
        enum algebra_role role = algebra_role(fd, i);
        if (i < m) d->direct[i] = role == ALGEBRA_DIRECT;
        d->derived[i] = role == ALGEBRA_DERIVED;
    }
    if (d->sparse) return KEEL_OK;
    if (find_rows_with_y(fd, t, u) != KEEL_OK) return fd->fault.status;
    for (int j = 0; j < n + m; j++) fd->line[j] = u[j] + 0.03 * (1 + j % 3) * fd->size[j];
    if (find_rows_with_y(fd, t, fd->line) < 0) return fd->fault.status;
    for (int i = 0; i < m; i++) direct += d->direct[i];
    for (int i = 0; i < d->rows; i++) {
        if (direct == m || (i < m && d->direct[i])) d->derived[i] = 0;
        determined += (i < m && d->direct[i]) || d->derived[i];
        d->any_derived |= d->derived[i];
    }
    if (determined == m) return KEEL_OK;
    return field_fault(
        fd, KEEL_ESINGULAR, KEEL_ESINGULAR,
        "%d of the equations and their first derivatives contain the %d algebraic variables: %s", determined,
        m,
        determined < m ? "the index is higher than what is given, so add `hidden` rows (derivatives of "
                         "algebraic rows that are free of y)"
                       : "some rows are redundant, so leave them out");
}

/* The same where rates of rows are among them, with d->values those of F. */
static keel_status add_derived(struct field *fd, double t, const double *u, int fresh) {
    struct algebra *d = &fd->dae;
    int n = fd->n, m = fd->m, at = 0;
    keel_status status = rows_with_jacobian(fd, t, u);
    if (status == KEEL_OK && fresh) status = rate_by_y(fd, t, u);
    if (status == KEEL_OK) status = map_value(fd, &fd->f, t, u, d->dx);
    if (status == KEEL_OK) status = field_divide_by_mass(fd, t, u, d->dx);
    if (status != KEEL_OK) return status;
    for (int i = 0; i < d->rows; i++) {
        int direct = i < m && d->direct[i];
        if (!direct && !d->derived[i]) continue;
        /* at <= i: never overwrites a value still to be read */
        d->values[at] = direct ? d->values[i] : algebra_row_times(fd, i, d->shift[i], d->dx);
        for (int j = 0; j < m && fresh && !d->sparse; j++)
            d->matrix[(long)at * m + j] =
                direct ? d->row_jacobian[(long)i * (n + m) + n + j] : derived_by_y(fd, i, j);
        at++;
    }
    return KEEL_OK;
}

/* Values and matrix of the m equations for y.  FRESH: with the jacobians of F, h and f by y; STAND: as
 * they stand; OF_Y: with F_y of the motion alone, if it can be had. */
enum { STAND, OF_Y, FRESH };
static keel_status equations(struct field *fd, double t, const double *u, int fresh) {
    struct algebra *d = &fd->dae;
    int n = fd->n, m = fd->m, own = algebra_own(fd);
    keel_status status = map_value(fd, &fd->algebraic, t, u, d->values);
    if (status != KEEL_OK) return status;
    if (d->any_derived) return add_derived(fd, t, u, fresh);
    if (fresh == STAND || (fresh == OF_Y && algebra_own_matrix(fd, t, u))) return KEEL_OK; /* all are of F */
    status = rows_with_jacobian(fd, t, u);
    for (int i = 0; i < own && status == KEEL_OK && !d->sparse; i++)
        memcpy(d->matrix + (long)i * own, d->row_jacobian + (long)i * (n + m) + n,
               (size_t)own * sizeof *d->matrix);
    return status;
}

/* Is each value of the first rows the round-off of its terms?  Those of a row are the products of its slopes
 * and unknowns, and what the problem itself tells of them, in which t has its part. */
static int at_round_off(struct field *fd, double t, const double *u, int rows, int matrix) {
    const struct algebra *d = &fd->dae;
    int n = fd->n, at = 0;
    if (matrix == OF_Y && rows_with_jacobian(fd, t, u) != KEEL_OK) return 0;
    if (map_terms(fd, &fd->algebraic, t, u, fd->column) != KEEL_OK) return 0;
    for (int i = 0; i < rows; i++) {
        int direct = i < fd->m && d->direct[i];
        if (!direct && !d->derived[i]) continue;
        double terms = direct ? row_terms(fd, i, fabs(fd->column[i]), n + fd->m, u)
                              : row_terms(fd, i, fabs(d->shift[i]), n, d->dx);
        if (!(fabs(d->values[at++]) <= 16 * DBL_EPSILON * terms)) return 0;
    }
    return 1;
}

/* The last step leads to where the equations have no values: half of it is taken back. */
static void step_back(struct field *fd, double *u) {
    for (int j = 0; j < fd->m; j++) {
        fd->dae.step[j] /= 2;
        u[fd->n + j] += fd->dae.step[j];
    }
    fd->fault.status = KEEL_OK;
}

double algebra_step_length(const struct field *fd, const double *u, int first, int end) {
    double length = 0;
    const double *size = fd->size + fd->n, *y = u + fd->n;
    for (int j = first; j < end; j++) {
        double step = fd->dae.step[j], largest = step_control_max(fabs(y[j] - step), fabs(y[j]));
        length = step_control_max(fabs(step) / step_control_max(largest, size[j] * 1e-3 + DBL_MIN), length);
    }
    return length;
}

/* Are the first unknowns settled but those that are zeros, made of the round-off of others: as short as their
 * own steps?  Rows of nothing but such have no terms to be compared with. */
static int only_zeros_move(const struct field *fd, const double *u, int count) {
    for (int j = 0; j < count; j++) {
        double step = fabs(fd->dae.step[j]), y = fabs(u[fd->n + j]);
        if (step > 1e-10 * y && y > 16 * step) return 0;
    }
    return 1;
}

/* The unknown with the longest last step, for its size. */
static int most_restless(const struct field *fd, const double *u) {
    int worst = 0;
    double longest = -1;
    for (int j = 0; j < fd->m; j++) {
        double length = fabs(fd->dae.step[j]) / (fabs(u[fd->n + j]) + fd->size[fd->n + j] * 1e-3 + DBL_MIN);
        if (length <= longest) continue;
        longest = length;
        worst = j;
    }
    return worst;
}

/* The sign of det F_y, from its LU factors. */
static int sign_of_det(const struct field *fd) {
    const struct algebra *d = &fd->dae;
    int sign = 1, own = algebra_own(fd);
    if (d->sparse) return algebra_sparse_log_det(fd, &sign), sign;
    for (int i = 0; i < own; i++)
        if ((d->matrix[(long)i * own + i] < 0) != (d->pivot[i] != i)) sign = -sign;
    return sign;
}

static keel_status factor(struct field *fd, double t) {
    struct algebra *d = &fd->dae;
    fd->stats->factorizations++;
    keel_status status = d->sparse ? algebra_sparse_factor(fd)
                         : dense_lu(algebra_own(fd), d->matrix, d->pivot, fd->halt) ? KEEL_RETRY
                                                                                    : KEEL_OK;
    d->factored = status == KEEL_OK;
    if (status <= KEEL_OK) return status;
    return field_fault(
        fd, KEEL_RETRY, KEEL_ESINGULAR, "the algebraic variables are not determined at t = %.10g (%s", t,
        d->sparse && d->by_rates
            ? "the rows for them, and d/dt of those without y, have a singular jacobian by y): some rows are "
              "redundant, or the index is higher and `hidden` rows are missing"
            : "singular d F / d y): try another start value for them");
}

keel_status algebra_values(struct field *fd, double t, const double *u) {
    return equations(fd, t, u, STAND);
}

keel_status algebra_linearize(struct field *fd, double t, const double *u, int *sign) {
    if (fd->dae.choice.serves) return *sign = 1, choice_make(fd, t, u); /* there is one branch */
    keel_status status = equations(fd, t, u, FRESH);
    if (status == KEEL_OK) status = factor(fd, t);
    if (status == KEEL_OK) *sign = sign_of_det(fd);
    return status;
}

void algebra_divide_block(const struct field *fd, int own, double *v) {
    const struct algebra *d = &fd->dae;
    if (d->sparse) algebra_sparse_divide(fd, v);
    else dense_lu_solve(own, d->matrix, d->pivot, v);
}

void algebra_divide(const struct field *fd, double *v) {
    int own = algebra_own(fd);
    algebra_divide_block(fd, own, v);
    for (int i = own; i < fd->m; i++) v[i] -= row_by_own(fd, i, own, v);
    for (int first = own; first < fd->m; first += own) algebra_divide_block(fd, own, v + first);
}

double algebra_log_det(const struct field *fd) {
    double sum = 0;
    int sign, own = algebra_own(fd);
    if (fd->dae.sparse) return algebra_sparse_log_det(fd, &sign);
    for (int i = 0; i < own; i++) sum += log(fabs(fd->dae.matrix[(long)i * own + i]));
    return sum;
}

/* A second step longer than a quarter of the first, or a determinant of the other sign: by the theorem of
 * Newton and Kantorovich (h0 = 1/2) there need be no solution near, and what the iteration finds may lie on
 * another branch. */
#define FIRST_CONTRACTION 0.25
#define NO_LEAP 1e-8               /* of y: no branch worth the name lies that near */
#define SETTLED (64 * DBL_EPSILON) /* of y: what a step so short changes in Y_k is round-off */
#define CLEAR_STEP 1e-5            /* from here on round-off is small against the square of it */

/* Simplified Newton for the first `count` of y, all or the motion's own: the matrix is made anew after a
 * long step, and when the steps shrink slower than tenfold.  At round-off the steps may go round in a
 * circle, longer and shorter ones in turn: there it counts whether they get shorter than ever before.  wary:
 * KEEL_RETRY with doubt where it may leave its branch: so may y itself alone, not its sensitivities.  *last:
 * the length of the last step, *contraction: the share of the one before that it is.  A step of round-off
 * tells nothing of the matrix, which then contracts by what the steps before say. */
static keel_status newton(struct field *fd, double t, double *u, int wary, int count, double *last,
                          double *contraction) {
    struct algebra *d = &fd->dae;
    int own = algebra_own(fd), fresh = 1, idle = 0, circling = 0, halvings = 0, stuck = 0;
    int matrix = count < fd->m ? OF_Y : FRESH, linear = count == own && algebra_is_linear(fd);
    double before = HUGE_VAL, shortest = HUGE_VAL;
    d->doubt = d->factored = 0;
    *contraction = 0;
    memset(d->step, 0, (size_t)fd->m * sizeof *d->step);
    for (int iteration = 0; iteration < 50; iteration++) {
        keel_status status = equations(fd, t, u, fresh ? matrix : STAND);
        if (status == KEEL_RETRY && iteration && halvings++ < 20) {
            d->doubt = wary;
            if (wary) return KEEL_RETRY;
            step_back(fd, u);
            fresh = 1;
            continue;
        }
        if (status != KEEL_OK) return status;
        if (fresh && (status = factor(fd, t)) != KEEL_OK) return status;
        if (fresh && wary && sign_of_det(fd) != *d->sign) {
            d->doubt = 1;
            return KEEL_RETRY;
        }
        for (int j = 0; j < count; j++) d->step[j] = d->values[j];
        if (count < fd->m) algebra_divide_block(fd, own, d->step);
        else algebra_divide(fd, d->step);
        fd->stats->newton++;
        double length = algebra_step_length(fd, u, 0, count), shrinks = length / before;
        double way = own < count ? algebra_step_length(fd, u, 0, own) : length; /* of y itself */
        *contraction = length > SETTLED ? shrinks : step_control_max(shrinks, *contraction);
        *last = length;
        if (!isfinite(length)) break;
        if (iteration == 0) d->moved = way;
        if (wary && iteration == 1) {
            if (d->moved > CLEAR_STEP) /* way = omega moved^2 / 2, or round-off */
                *d->omega = fmax(*d->omega, 2 * way / (d->moved * d->moved));
            int slow = way > FIRST_CONTRACTION * d->moved && way > NO_LEAP;
            d->doubt = slow && !at_round_off(fd, t, u, own < fd->m ? own : d->rows, matrix);
        }
        idle = shrinks > 0.1 ? idle + 1 : 0;
        int rows = count < fd->m ? own : d->rows;
        int rounded =
            idle >= 2 && at_round_off(fd, t, u, rows, matrix); /* values are those before the step */
        for (int j = 0; j < count; j++) u[fd->n + j] -= d->step[j];
        if (d->doubt) return KEEL_RETRY;
        circling = length < 1e-10 && length > 0.5 * shortest ? circling + 1 : 0;
        stuck = length < NO_LEAP && length > 0.5 * shortest ? stuck + 1 : 0;
        shortest = step_control_min(shortest, length);
        if (length <= 2 * DBL_EPSILON || circling >= 2 || rounded) return KEEL_OK;
        if (stuck >= 8 && only_zeros_move(fd, u, count)) return KEEL_OK;
        if (iteration && shrinks < 0.5 && length * shrinks <= DBL_EPSILON)
            return KEEL_OK; /* the rest is round-off */
        fresh = !linear && (iteration ? shrinks > 0.1 : way > 0.1);
        before = length;
    }
    char name[64];
    return field_fault(fd, KEEL_RETRY, KEEL_ENEWTON,
                       "the algebraic equations could not be solved for y at t = %.10g: %s does not settle",
                       t, field_name(fd->p.names, fd->n + most_restless(fd, u), "u", name, sizeof name));
}

keel_status algebra_newton(struct field *fd, double t, double *u, int wary) {
    double last, contraction;
    if (fd->dae.choice.serves) return choice_solve(fd, t, u);
    if (!algebra_goes_staggered(fd)) return newton(fd, t, u, wary, fd->m, &last, &contraction);
    keel_status status = newton(fd, t, u, wary, algebra_own(fd), &last, &contraction);
    if (status == KEEL_OK && !algebra_directions(fd, t, u, contraction, last <= SETTLED))
        return newton(fd, t, u, wary, fd->m, &last, &contraction);
    fd->dae.factored = 0; /* of F_y alone: the rows of Y_k by y are not known */
    return status;
}

keel_status algebra_solve(struct field *fd, double t, double *u) {
    return algebra_newton(fd, t, u, 0);
}

int algebra_rhs(double t, const double *x, double *dx, void *field) {
    struct field *fd = field;
    double *u = fd->u;
    memcpy(u, x, (size_t)fd->n * sizeof *u);
    memcpy(u + fd->n, fd->y, (size_t)fd->m * sizeof *u);
    keel_status status = fd->m ? algebra_find(fd, t, u) : KEEL_OK;
    if (status == KEEL_OK && fd->n) status = map_value(fd, &fd->f, t, u, dx);
    if (status == KEEL_OK && fd->n) status = field_divide_by_mass(fd, t, u, dx);
    if (status == KEEL_OK && fd->m) algebra_stand(fd, t, u);
    return status;
}
