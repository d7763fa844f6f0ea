/* ida_chain.c - the chain for IDA: (x, y, x', y', lambda, mu) of one rod after the other, so that a rod knows
 * its neighbours and the matrix has eleven bands on each side.  With d_i the rods and g_i = (|d_i|^2 - 1) / 2
 *     (G^T mu)_i = d_i mu_i - d_(i+1) mu_(i+1). */
#include "cases/chain.h"
#include "peers/ida.h"

#include <nvector/nvector_serial.h>
#include <sunmatrix/sunmatrix_band.h>

#include <stdlib.h>

enum { OF_ROD = 6, LAMBDA = 4, MU = 5, BANDS = 2 * OF_ROD - 1 };

struct banded {
    int links;
    long evaluations;
    const double *u0;
    struct chain_hand *hand;
};

static int chain_residual(realtype t, N_Vector vy, N_Vector vdy, N_Vector vout, void *banded) {
    (void)t;
    static const double hook[OF_ROD] = {0};
    struct banded *b = banded;
    const double *before = hook, *y = N_VGetArrayPointer(vy), *dy = N_VGetArrayPointer(vdy);
    double *out = N_VGetArrayPointer(vout), weight[2] = {0, CHAIN_GRAVITY};
    b->evaluations++;
    for (int i = 0; i < b->links; i++, before = y, y += OF_ROD, dy += OF_ROD, out += OF_ROD) {
        out[LAMBDA] = -0.5;
        out[MU] = 0;
        for (int k = 0; k < 2; k++) {
            double d = y[k] - before[k], speed = y[2 + k] - before[2 + k];
            out[k] = dy[k] - y[2 + k] + d * y[MU];
            out[2 + k] = dy[2 + k] + weight[k] + d * y[LAMBDA];
            if (i) { /* the rod pulls at the one before it */
                out[k - OF_ROD] -= d * y[MU];
                out[2 + k - OF_ROD] -= d * y[LAMBDA];
            }
            out[LAMBDA] += 0.5 * d * d;
            out[MU] += d * speed;
        }
    }
    return 0;
}

/* A rod's entries are those of (d_i, d_i', lambda_i, mu_i), seen from both of its ends. */
static int chain_jacobian(realtype t, realtype c, N_Vector vy, N_Vector vdy, N_Vector vr, SUNMatrix matrix,
                          void *banded, N_Vector a1, N_Vector a2, N_Vector a3) {
    (void)t, (void)vdy, (void)vr, (void)a1, (void)a2, (void)a3;
    static const double hook[OF_ROD] = {0};
    struct banded *b = banded;
    const double *before = hook, *y = N_VGetArrayPointer(vy);
    SUNMatZero(matrix);
    for (int i = 0; i < b->links; i++, before = y, y += OF_ROD)
        for (int k = 0; k < 2; k++) {
            double d = y[k] - before[k], speed = y[2 + k] - before[2 + k];
            int here = OF_ROD * i, q = here + k, v = q + 2;
            SM_ELEMENT_B(matrix, q, q) += c;
            SM_ELEMENT_B(matrix, q, v) -= 1;
            SM_ELEMENT_B(matrix, v, v) += c;
            for (int row = 0; row < (i ? 2 : 1); row++) { /* forces: at this end, at the other one */
                double sign = row ? -1 : 1;
                int from = row * OF_ROD;
                SM_ELEMENT_B(matrix, q - from, here + MU) += sign * d;
                SM_ELEMENT_B(matrix, v - from, here + LAMBDA) += sign * d;
                SM_ELEMENT_B(matrix, here + LAMBDA, q - from) += sign * d;
                SM_ELEMENT_B(matrix, here + MU, q - from) += sign * speed;
                SM_ELEMENT_B(matrix, here + MU, v - from) += sign * d;
                for (int column = 0; column < (i ? 2 : 1); column++) {
                    double both = column ? -sign : sign;
                    int to = column * OF_ROD;
                    SM_ELEMENT_B(matrix, q - from, q - to) += both * y[MU];
                    SM_ELEMENT_B(matrix, v - from, q - to) += both * y[LAMBDA];
                }
            }
        }
    return 0;
}

static int chain_start(void *banded, double *y, double *dy, double *what) {
    struct banded *b = banded;
    int n = b->links;
    double *rate = b->hand->k;
    chain_rate(b->hand, b->u0, rate);
    for (int i = 0; i < n; i++, y += OF_ROD, dy += OF_ROD, what += OF_ROD)
        for (int k = 0; k < OF_ROD; k++) {
            y[k] = k < 4 ? b->u0[k * n + i] : k == LAMBDA ? b->hand->r[i] : 0;
            dy[k] = k < 4 ? rate[k * n + i] : 0;
            what[k] = k < 4;
        }
    b->evaluations = 0;
    return 0;
}

static void chain_state(void *banded, const double *y, double *u) {
    int n = ((struct banded *)banded)->links;
    for (int i = 0; i < n; i++, y += OF_ROD)
        for (int k = 0; k < 4; k++) u[k * n + i] = y[k];
}

static long chain_evaluations(void *banded) {
    return ((struct banded *)banded)->evaluations;
}

int ida_chain_form(struct ida_form *f, const struct bench_case *c) {
    struct banded *b = c->right == CASE_CHAIN ? calloc(1, sizeof *b) : NULL;
    if (!b) return -1;
    *b = (struct banded){.links = c->size, .u0 = c->keel->u0, .hand = c->user};
    *f = (struct ida_form){.all = OF_ROD * c->size,
                           .bands = BANDS,
                           .residual = chain_residual,
                           .jacobian = chain_jacobian,
                           .start = chain_start,
                           .state = chain_state,
                           .evaluations = chain_evaluations,
                           .data = b};
    return 0;
}
