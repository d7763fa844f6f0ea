/* schur_forest.c - a Schur complement whose rows are linked as a forest, as those of chains are: every row is
 * eliminated into one other, its parent, and nothing fills in.  One number a row and one place stand for the
 * factor. */
#include "linalg/schur_private.h"

#include <math.h>
#include <string.h>

/* Row k is the parent of those that have none: what goes there is 0 and is never read. */
int schur_forest_layout(struct schur *s) {
    int entries = s->s_start[s->k], at = 0;
    s->forest = s->row_start[s->k] == entries; /* no fill */
    for (int j = 0; j < s->k; j++) s->forest &= s->column_start[j + 1] - s->column_start[j] <= 1;
    if (!s->forest) return 0;
    size_t rows = (size_t)s->k + 1, products = (size_t)s->sum_start[entries] + 1;
    s->parent = pool_take(&s->pool, rows * sizeof(int)),
    s->link_start = pool_take(&s->pool, rows * sizeof(int));
    s->link = pool_take(&s->pool, products * sizeof *s->link);
    s->joint = pool_take(&s->pool, rows * sizeof(double));
    if (s->pool.refused) return 1;
    for (int j = 0; j < s->k; j++) s->parent[j] = s->k, s->link_start[j] = 0;
    for (int i = 0; i < s->k; i++)
        for (int e = s->s_start[i]; e < s->s_start[i + 1]; e++) {
            s->parent[s->s_column[e]] = i;
            s->link_start[s->s_column[e]] = e; /* for now: the entry */
        }
    for (int j = 0; j < s->k; j++) {
        int e = s->link_start[j];
        s->link_start[j] = at;
        for (int p = s->sum_start[e]; p < s->sum_start[e + 1] && s->parent[j] < s->k; p++)
            s->link[at++] = (struct schur_link){s->left[p], s->right[p]};
    }
    s->link_start[s->k] = at;
    return 0;
}

/* S_pj of row j and its parent p */
static inline double link_of(const struct schur_link *restrict link, int count, const double *restrict b) {
    double sum = 0;
    if (count == 2) return b[link[0].left] * b[link[0].right] + b[link[1].left] * b[link[1].right];
    for (int p = 0; p < count; p++) sum += b[link[p].left] * b[link[p].right];
    return sum;
}

int schur_forest_factor(struct schur *s, const int *active) {
    double *restrict pivot = s->work, *restrict inverse = s->inverse, *restrict joint = s->joint;
    const double *restrict size = s->size, *restrict b = s->b;
    const int *restrict parent = s->parent, *restrict start = s->link_start;
    for (int i = 0; i < s->k; i++) pivot[i] = active[s->order[i]] ? size[i] : 1;
    for (int j = 0; j < s->k; j++) {
        double value = link_of(s->link + start[j], start[j + 1] - start[j], b);
        if (!(pivot[j] > SCHUR_SHARE * size[j]) || !(size[j] < HUGE_VAL)) return 1;
        double share = value / pivot[j]; /* the next row waits for it, and not for the inverse */
        inverse[j] = 1 / pivot[j];
        joint[j] = share;
        pivot[parent[j]] -= share * value;
    }
    return 0;
}

/* r_i has what the rows before it leave there: no row waits for its own part. */
void schur_forest_miss(const struct schur *s, const double *c, int rests) {
    const double *restrict joint = s->joint, *restrict size = s->size;
    const int *restrict parent = s->parent, *restrict order = s->order;
    double *restrict r = s->r;
    memset(r, 0, ((size_t)s->k + 1) * sizeof *r);
    for (int i = 0; i < s->k; i++) {
        if (size[i] > 0) r[i] += (rests ? 0 : schur_row_times(s, i)) - c[order[i]];
        r[parent[i]] -= joint[i] * r[i];
    }
}

void schur_forest_back(const struct schur *s) {
    const double *restrict b = s->b, *restrict inverse = s->inverse, *restrict joint = s->joint;
    const int *restrict column = s->column, *restrict start = s->start, *restrict parent = s->parent;
    double *restrict z = s->z, *restrict r = s->r, *restrict mu = s->mu;
    r[s->k] = 0;
    for (int i = s->k - 1; i >= 0; i--) {
        double sum = r[i] * inverse[i] - joint[i] * r[parent[i]];
        int e = start[i], end = start[i + 1];
        r[i] = sum;
        mu[i] += sum;
        if (end - e == 4) { /* two points of the plane; no column comes twice in a row */
            const double *v = b + e;
            const int *c = column + e;
            double z0 = z[c[0]] - v[0] * sum, z1 = z[c[1]] - v[1] * sum;
            double z2 = z[c[2]] - v[2] * sum, z3 = z[c[3]] - v[3] * sum;
            z[c[0]] = z0, z[c[1]] = z1, z[c[2]] = z2, z[c[3]] = z3;
            continue;
        }
        for (; e < end; e++) z[column[e]] -= b[e] * sum;
    }
}
