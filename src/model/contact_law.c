/* contact_law.c - see contact.h: the laws of impact and of rest, each a linear complementarity problem for
 * all contacts of the frame at once (Stewart, Trinkle 1996; Anitescu, Potra 1997).
 *
 * Impact, after Moreau: with e the restitution, u the rate of the gap and v the sliding velocity, P and Q
 * the impulses,
 *
 *     0 <= u+ + e min(u-, 0)  orthogonal to  P >= 0,    |Q| <= mu P,    Q v+ = -mu P |v+|.
 *
 * With friction such a law can make energy (Kane, Levinson 1985).  Then all restitutions are lessened by
 * one factor until the impulses do no work, (P (u+ + u-) + Q (v+ + v-)) / 2 <= 0; without restitution they
 * never do.  So are restitutions that bodies which are wedged in cannot all have.  Rest is the same with
 * accelerations for rates: gap'' and sliding' for u+ and v+, forces for impulses. */
#include "model/contact.h"

#include "linalg/lcp.h"

#include <math.h>
#include <stdlib.h>

#define FREE 1e-8 /* of its length: what constraints leave of a row that can move */
enum { HALVINGS = 40 };

/* Contact k in the problem: push; with friction: push, drag forwards, drag backwards, speed of sliding. */
struct law_block {
    int at, size;
    double scale, slide_scale; /* of its rows */
    double share;              /* of a contact that slides: drag / push */
};

struct law {
    struct contact_run *r;
    struct law_block *block;
    int n;
    double *matrix, *side, *z;
};

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static double length(const struct contact_run *r, const double *const *rows, int way, int k) {
    const double *row = rows[way] + (long)k * r->c->nq;
    return sqrt(dot(r->c->nq, row, row));
}

static double freedom(const struct contact_run *r, int way, int k) {
    double whole = length(r, (const double *const *)r->frame.row, way, k),
           left = length(r, (const double *const *)r->frame.free, way, k);
    return left > FREE * whole ? left : 0;
}

/* share[k]: of contacts that slide; NAN: it may stick; infinite: it takes no part. */
static int law_open(struct law *l, struct contact_run *r, const double *share) {
    int count = r->frame.count;
    size_t most = 4 * (size_t)count;
    *l = (struct law){.r = r,
                      .block = malloc(((size_t)count + 1) * sizeof *l->block),
                      .matrix = malloc((most * most + 1) * sizeof(double)),
                      .side = malloc((2 * most + 1) * sizeof(double))};
    if (!l->block || !l->matrix || !l->side) return 0;
    for (int k = 0; k < count; k++) {
        double across = freedom(r, 0, k), along = freedom(r, 1, k);
        int rubs = isnan(share[k]) && r->friction[r->frame.of[k]] > 0 && along > 0;
        l->block[k] = (struct law_block){l->n,
                                         across == 0 || isinf(share[k]) ? 0
                                         : rubs                         ? 4
                                                                        : 1,
                                         across > 0 ? 1 / across : 0, along > 0 ? 1 / along : 0,
                                         isfinite(share[k]) ? share[k] : 0};
        l->n += l->block[k].size;
    }
    l->z = l->side + l->n;
    return 1;
}

static void law_close(struct law *l) {
    free(l->block);
    free(l->matrix);
    free(l->side);
}

/* What a unit of the push (way 0) or drag of contact j adds to the rate of contact k. */
static double effect(const struct law *l, int k, int along, int j, int drag) {
    const struct contact_frame *f = &l->r->frame;
    int nq = l->r->c->nq;
    const double *row = f->row[along] + (long)k * nq;
    double sum = dot(nq, row, f->free[drag] + (long)j * nq);
    if (!drag && l->block[j].share != 0) sum += l->block[j].share * dot(nq, row, f->free[1] + (long)j * nq);
    return sum;
}

static void fill_matrix(struct law *l) {
    int n = l->n, count = l->r->frame.count;
    for (long i = 0; i < (long)n * n; i++) l->matrix[i] = 0;
    for (int k = 0; k < count; k++) {
        const struct law_block *a = &l->block[k];
        double *row = l->matrix + (long)a->at * n;
        for (int j = 0; j < count && a->size; j++) {
            const struct law_block *b = &l->block[j];
            if (b->size == 0) continue;
            row[b->at] = a->scale * effect(l, k, 0, j, 0) * b->scale;
            if (a->size == 4) {
                row[n + b->at] = a->slide_scale * effect(l, k, 1, j, 0) * b->scale;
                row[2 * n + b->at] = -row[n + b->at];
            }
            if (b->size < 4) continue;
            for (int way = 0; way < 2; way++) {
                double sign = way ? -1 : 1;
                row[b->at + 1 + way] = sign * a->scale * effect(l, k, 0, j, 1) * b->slide_scale;
                if (a->size < 4) continue;
                row[n + b->at + 1 + way] = sign * a->slide_scale * effect(l, k, 1, j, 1) * b->slide_scale;
                row[2 * n + b->at + 1 + way] = -row[n + b->at + 1 + way];
            }
        }
        if (a->size < 4) continue;
        row[n + a->at + 3] = row[2 * n + a->at + 3] = 1;
        row[3 * n + a->at] = l->r->friction[l->r->frame.of[k]] * a->scale / a->slide_scale;
        row[3 * n + a->at + 1] = row[3 * n + a->at + 2] = -1;
    }
}

/* Rates without forces: across[k], which the law bounds from below, and along[k].  0, 1 or -1 as lcp_solve.
 * */
static int law_solve(struct law *l, const double *across, const double *along, struct contact_verdict *out) {
    int count = l->r->frame.count;
    for (int k = 0; k < count; k++) {
        const struct law_block *b = &l->block[k];
        if (b->size) l->side[b->at] = b->scale * across[k];
        if (b->size < 4) continue;
        l->side[b->at + 1] = b->slide_scale * along[k];
        l->side[b->at + 2] = -l->side[b->at + 1];
        l->side[b->at + 3] = 0;
    }
    int status = lcp_solve(l->n, l->matrix, l->side, l->z);
    if (status) return status;
    for (int k = 0; k < count; k++) {
        const struct law_block *b = &l->block[k];
        double push = b->size ? b->scale * l->z[b->at] : 0;
        double drag = b->size == 4 ? b->slide_scale * (l->z[b->at + 1] - l->z[b->at + 2]) : b->share * push;
        out[k] = (struct contact_verdict){.push = push, .drag = drag};
    }
    return 0;
}

/* What pushes and drags add to the rates. */
static void add_effects(const struct law *l, struct contact_verdict *out) {
    int count = l->r->frame.count, nq = l->r->c->nq;
    const struct contact_frame *f = &l->r->frame;
    for (int k = 0; k < count; k++)
        for (int j = 0; j < count; j++) {
            const double *push = f->free[0] + (long)j * nq, *drag = f->free[1] + (long)j * nq;
            const double *across = f->row[0] + (long)k * nq, *along = f->row[1] + (long)k * nq;
            out[k].departs += out[j].push * dot(nq, across, push) + out[j].drag * dot(nq, across, drag);
            out[k].drifts += out[j].push * dot(nq, along, push) + out[j].drag * dot(nq, along, drag);
        }
}

/* Impulses with restitutions times `factor`, and the work that they do. */
static int impulses(struct law *l, double factor, double *across, struct contact_verdict *out, double *work) {
    struct contact_run *r = l->r;
    const struct contact_frame *f = &r->frame;
    for (int k = 0; k < f->count; k++)
        across[k] = f->rate[0][k] + factor * r->restitution[f->of[k]] * fmin(f->rate[0][k], 0);
    int status = law_solve(l, across, f->rate[1], out);
    if (status) return status;
    for (int k = 0; k < f->count; k++) out[k].departs = f->rate[0][k], out[k].drifts = f->rate[1][k];
    add_effects(l, out);
    double sum = 0, terms = 0;
    for (int k = 0; k < f->count; k++) {
        double one = out[k].push * (out[k].departs + f->rate[0][k]),
               other = out[k].drag * (out[k].drifts + f->rate[1][k]);
        sum += one + other;
        terms += fabs(one) + fabs(other) + out[k].push * fabs(f->rate[0][k]);
    }
    *work = sum - 1e-12 * terms;
    return 0;
}

int contact_impact(struct contact_run *r, int plastic, struct contact_verdict *out) {
    struct law l;
    double work = 0, low = 0, high = 1;
    double *share = calloc(2 * (size_t)r->frame.count + 1, sizeof *share);
    int status = -1;
    for (int k = 0; k < r->frame.count && share; k++) share[k] = NAN;
    if (share && law_open(&l, r, share)) {
        double *across = share + r->frame.count;
        fill_matrix(&l);
        status = impulses(&l, plastic ? 0 : 1, across, out, &work);
        if (status >= 0 && (status > 0 || work > 0) && !plastic) {
            for (int k = 0; k < HALVINGS && status >= 0; k++) {
                double middle = 0.5 * (low + high);
                status = impulses(&l, middle, across, out, &work);
                *(status > 0 || work > 0 ? &high : &low) = middle;
            }
            if (status >= 0) status = impulses(&l, low, across, out, &work);
        }
    }
    if (share) law_close(&l);
    free(share);
    return status;
}

int contact_rest(struct contact_run *r, const int *sign, struct contact_verdict *out) {
    const struct contact_frame *f = &r->frame;
    struct law l;
    int nq = r->c->nq, status = -1;
    double *share = calloc(3 * (size_t)f->count + 1, sizeof *share);
    if (!share) return -1;
    double *across = share + f->count, *along = across + f->count;
    for (int k = 0; k < f->count; k++) {
        double mu = r->friction[f->of[k]];
        share[k] = sign[k] == CONTACT_LEAVES ? INFINITY : mu == 0 ? 0 : sign[k] ? -mu * sign[k] : NAN;
        across[k] = dot(nq, f->row[0] + (long)k * nq, f->alpha) + f->bend[0][k];
        along[k] = dot(nq, f->row[1] + (long)k * nq, f->alpha) + f->bend[1][k];
    }
    if (law_open(&l, r, share)) {
        status = 0;
        fill_matrix(&l);
        for (int k = 0; k < f->count && status == 0; k++)
            if (l.block[k].size == 1 &&
                !(effect(&l, k, 0, k, 0) * l.block[k].scale * l.block[k].scale > FREE))
                status = 2 + k;
        if (status == 0) status = law_solve(&l, across, along, out);
        for (int k = 0; k < f->count && status == 0; k++)
            out[k].departs = across[k], out[k].drifts = along[k];
        if (status == 0) add_effects(&l, out);
    }
    law_close(&l);
    free(share);
    return status;
}
