/* algebra_staggered.c - y by F_y of the motion alone, and then its sensitivities.
 *
 * The rows F_y Y_k + F_x S_k + F_p = 0 of direction k are linear in Y_k, with the matrix by which y was
 * found.  So y is found as without sensitivities, and one more evaluation with that y gives Y_k by a solve
 * each, as CVODES and IDAS do by their staggered corrector.  The jacobian of the rows of Y_k, which holds
 * second derivatives of F, is not asked for. */
#include "core/algebra.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SOLVES = 8 }; /* of one direction: a matrix of a y nearby contracts at once, or another is needed */
#define SETTLED (64 * DBL_EPSILON) /* of Y_k, where the matrix is exact: what another step would add */
#define STANDS 1e-10               /* of Y_k: steps that shrink no more are round-off */

int algebra_goes_staggered(const struct field *fd) {
    const keel_variations *v = &keel_extras_of(&fd->p)->variations;
    return v->directions && v->matrix && fd->p.algebraic.pattern && algebra_own(fd) < fd->m;
}

void algebra_staggered_layout(struct field *fd, struct arena *a) {
    const keel_variations *v = &keel_extras_of(&fd->p)->variations;
    const keel_pattern *p = fd->p.algebraic.pattern;
    int own = algebra_own(fd), count = 0;
    for (int e = 0; v->matrix && p && e < p->row_start[own]; e++)
        count += p->column[e] >= fd->n && p->column[e] < fd->n + own;
    fd->dae.of_entries = count;
    fd->dae.of_y = arena_doubles(a, (size_t)count);
}

keel_status algebra_own_entries(struct field *fd, double t, const double *u) {
    const keel_variations *v = &keel_extras_of(&fd->p)->variations;
    fd->stats->jacobians++;
    if (keel_halted(fd->halt)) return map_stopped(fd);
    int code = v->matrix(t, u, fd->dae.of_y, fd->p.user);
    return map_checked(fd, "matrix", NULL, code, t, fd->dae.of_entries, fd->dae.of_y);
}

int algebra_own_matrix(struct field *fd, double t, const double *u) {
    struct algebra *d = &fd->dae;
    const keel_pattern *p = fd->p.algebraic.pattern;
    int n = fd->n, own = algebra_own(fd), at = 0;
    if (algebra_own_entries(fd, t, u) != KEEL_OK) {
        fd->fault.status = KEEL_OK; /* the jacobian of all tells what is wrong */
        return 0;
    }
    if (!d->sparse) memset(d->matrix, 0, (size_t)own * (size_t)own * sizeof *d->matrix);
    for (int i = 0; i < own; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
            int j = p->column[e] - n;
            if (j < 0 || j >= own) continue;
            if (d->sparse) d->entries[e] = d->of_y[at++];
            else d->matrix[(long)i * own + j] = d->of_y[at++];
        }
    return 1;
}

int algebra_directions(struct field *fd, double t, double *u, double contraction, int known) {
    struct algebra *d = &fd->dae;
    int own = algebra_own(fd);
    double before = HUGE_VAL, rest = algebra_is_linear(fd) ? SETTLED : DBL_EPSILON;
    for (int k = 0; k < SOLVES; k++) {
        if (!(known && k == 0) && algebra_values(fd, t, u) != KEEL_OK) return 0;
        for (int j = own; j < fd->m; j++) d->step[j] = d->values[j];
        for (int first = own; first < fd->m; first += own) algebra_divide_block(fd, own, d->step + first);
        double length = algebra_step_length(fd, u, own, fd->m);
        if (!isfinite(length)) return 0;
        for (int j = own; j < fd->m; j++) u[fd->n + j] -= d->step[j];
        if (k > 0) contraction = length / before;
        if (length <= 2 * DBL_EPSILON || (contraction < 0.5 && length * contraction <= rest)) return 1;
        if (k > 0 && contraction > 0.1) return length <= STANDS;
        before = length;
    }
    return 0;
}
