/* andrews.h - Andrews' mechanism with its multipliers eliminated by hand, for all who have it inlined:
 *   q' = v,  M v' = F - G^T lambda,  (G M^-1 G^T) lambda = G M^-1 F + gamma,  gamma = d/dt G v at fixed v.
 * M is block diagonal, (beta, Theta), (gamma), (Phi, delta), (Omega, epsilon), and is inverted on paper; the
 * six multipliers come from Cholesky's factors.  problems/andrews.c has the equations and their source. */
#ifndef KEEL_BENCH_ANDREWS_H
#define KEEL_BENCH_ANDREWS_H

#include <math.h>

enum { ANDREWS_ANGLES = 7, ANDREWS_LOOPS = 6 };

/* What the positions decide: the loops' Jacobian, the inverse mass by its blocks, sines and cosines. */
struct andrews_place {
    double jacobian[ANDREWS_LOOPS][ANDREWS_ANGLES];
    double inverse[ANDREWS_ANGLES][2]; /* of the block: diagonal, beside it */
    double crank[2], rod[2], rocker[2], left[2], left_sum[2], right[2], right_sum[2]; /* sine, cosine */
    double theta[2], phi[2], omega[2];
};

/* Of each angle the other one of its block. */
static const int andrews_partner[ANDREWS_ANGLES] = {1, 0, 2, 4, 3, 6, 5};

static inline void andrews_turn(double angle, double *sine_cosine) {
    sine_cosine[0] = sin(angle);
    sine_cosine[1] = cos(angle);
}

static inline void andrews_block(double a, double b, double c, double (*out)[2]) { /* of (a b; b c) */
    double over = 1 / (a * c - b * b);
    out[0][0] = c * over;
    out[1][0] = a * over;
    out[0][1] = out[1][1] = -b * over;
}

static inline void andrews_masses(struct andrews_place *p) {
    const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706,
                 m7 = 0.05498, i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5,
                 i6 = 5.667e-7, i7 = 1.912e-5;
    const double da = 0.0115, ra = 0.00092, sa = 0.01874, sb = 0.01043, ta = 0.02308, tb = 0.00916,
                 ua = 0.01228, ub = 0.00449, rr = 0.007, ef = 0.00579, zt = 0.04, u = 0.04;
    double theta = da * rr * p->theta[1], phi = zt * ef * p->phi[0], omega = u * ef * p->omega[0];
    andrews_block(m1 * ra * ra + m2 * (rr * rr - 2 * theta + da * da) + i1 + i2, m2 * (da * da - theta) + i2,
                  m2 * da * da + i2, p->inverse);
    p->inverse[2][0] = 1 / (m3 * (sa * sa + sb * sb) + i3);
    p->inverse[2][1] = 0;
    andrews_block(m4 * ef * ef + i4, m4 * (ef * ef + phi) + i4,
                  m4 * (zt * zt + 2 * phi + ef * ef) + m5 * (ta * ta + tb * tb) + i4 + i5, p->inverse + 3);
    andrews_block(m6 * ef * ef + i6, m6 * (ef * ef - omega) + i6,
                  m6 * (ef * ef - 2 * omega + u * u) + m7 * (ua * ua + ub * ub) + i6 + i7, p->inverse + 5);
}

static inline void andrews_jacobian(struct andrews_place *p) {
    const double rr = 0.007, d = 0.028, ss = 0.035, e = 0.02, zt = 0.04;
    for (int i = 0; i < ANDREWS_LOOPS; i++)
        for (int j = 2; j < ANDREWS_ANGLES; j++) p->jacobian[i][j] = 0;
    for (int pair = 0; pair < 3; pair++)
        for (int part = 0; part < 2; part++) {
            double *row = p->jacobian[2 * pair + part];
            row[1] = part ? -d * p->rod[1] : d * p->rod[0];
            row[0] = row[1] + (part ? rr * p->crank[1] : -rr * p->crank[0]);
        }
    p->jacobian[0][2] = -ss * p->rocker[1];
    p->jacobian[1][2] = -ss * p->rocker[0];
    p->jacobian[2][3] = -e * p->left_sum[1];
    p->jacobian[2][4] = p->jacobian[2][3] + zt * p->left[0];
    p->jacobian[3][3] = -e * p->left_sum[0];
    p->jacobian[3][4] = p->jacobian[3][3] - zt * p->left[1];
    p->jacobian[4][5] = e * p->right_sum[0];
    p->jacobian[4][6] = p->jacobian[4][5] - zt * p->right[1];
    p->jacobian[5][5] = -e * p->right_sum[1];
    p->jacobian[5][6] = p->jacobian[5][5] - zt * p->right[0];
}

/* The angles that the loops contain. */
static inline void andrews_turn_loops(struct andrews_place *p, const double *q) {
    andrews_turn(q[0], p->crank);
    andrews_turn(q[0] + q[1], p->rod);
    andrews_turn(q[2], p->rocker);
    andrews_turn(q[4], p->left);
    andrews_turn(q[3] + q[4], p->left_sum);
    andrews_turn(q[6], p->right);
    andrews_turn(q[5] + q[6], p->right_sum);
}

static inline void andrews_go(struct andrews_place *p, const double *q) {
    andrews_turn_loops(p, q);
    andrews_turn(q[1], p->theta);
    andrews_turn(q[3], p->phi);
    andrews_turn(q[5], p->omega);
    andrews_masses(p);
    andrews_jacobian(p);
}

static inline void andrews_force(const struct andrews_place *p, const double *v, double *out) {
    const double m2 = 0.00365, m4 = 0.00706, m6 = 0.00706, da = 0.0115, rr = 0.007, ef = 0.00579, zt = 0.04,
                 u = 0.04, mom = 0.033, c0 = 4530, l0 = 0.07785, xb = -0.03635, yb = 0.03273, xc = 0.014,
                 yc = 0.072, sc = 0.018, sd = 0.02;
    double theta = m2 * da * rr * p->theta[0], phi = m4 * zt * ef * p->phi[1],
           omega = m6 * u * ef * p->omega[1];
    double s = p->rocker[0], c = p->rocker[1], x = sd * c + sc * s, y = sd * s - sc * c;
    double dx = x + xb - xc, dy = y + yb - yc, length = sqrt(dx * dx + dy * dy);
    out[0] = mom - theta * v[1] * (v[1] + 2 * v[0]);
    out[1] = theta * v[0] * v[0];
    out[2] = -c0 * (1 - l0 / length) * (dy * x - dx * y);
    out[3] = phi * v[4] * v[4];
    out[4] = -phi * v[3] * (v[3] + 2 * v[4]);
    out[5] = -omega * v[6] * v[6];
    out[6] = omega * v[5] * (v[5] + 2 * v[6]);
}

static inline void andrews_curvature(const struct andrews_place *p, const double *v, double *out) {
    const double rr = 0.007, d = 0.028, ss = 0.035, e = 0.02, zt = 0.04;
    double crank = rr * v[0] * v[0], rod = d * (v[0] + v[1]) * (v[0] + v[1]), rocker = ss * v[2] * v[2];
    double left = zt * v[4] * v[4], left_sum = e * (v[3] + v[4]) * (v[3] + v[4]);
    double right = zt * v[6] * v[6], right_sum = e * (v[5] + v[6]) * (v[5] + v[6]);
    double x = rod * p->rod[1] - crank * p->crank[1], y = rod * p->rod[0] - crank * p->crank[0];
    out[0] = x + rocker * p->rocker[0];
    out[1] = y - rocker * p->rocker[1];
    out[2] = x + left_sum * p->left_sum[0] + left * p->left[1];
    out[3] = y - left_sum * p->left_sum[1] + left * p->left[0];
    out[4] = x + right_sum * p->right_sum[1] + right * p->right[0];
    out[5] = y + right_sum * p->right_sum[0] - right * p->right[1];
}

static inline void andrews_by_mass(const struct andrews_place *p, const double *in, double *out) {
    for (int j = 0; j < ANDREWS_ANGLES; j++)
        out[j] = p->inverse[j][0] * in[j] + p->inverse[j][1] * in[andrews_partner[j]];
}

/* (W G^T) x = x, W = G M^-1. */
static inline void andrews_multipliers(const struct andrews_place *p, double (*w)[ANDREWS_ANGLES],
                                       double *x) {
    double a[ANDREWS_LOOPS][ANDREWS_LOOPS];
    for (int i = 0; i < ANDREWS_LOOPS; i++)
        for (int j = 0; j <= i; j++) {
            a[i][j] = 0;
            for (int k = 0; k < ANDREWS_ANGLES; k++) a[i][j] += w[i][k] * p->jacobian[j][k];
        }
    for (int i = 0; i < ANDREWS_LOOPS; i++) {
        for (int j = 0; j <= i; j++) {
            for (int k = 0; k < j; k++) a[i][j] -= a[i][k] * a[j][k];
            a[i][j] = i == j ? 1 / sqrt(a[i][i]) : a[i][j] * a[j][j];
        }
        for (int k = 0; k < i; k++) x[i] -= a[i][k] * x[k];
        x[i] *= a[i][i];
    }
    for (int i = ANDREWS_LOOPS - 1; i >= 0; i--) {
        for (int k = i + 1; k < ANDREWS_LOOPS; k++) x[i] -= a[k][i] * x[k];
        x[i] *= a[i][i];
    }
}

static inline void andrews_rate(const double *u, double *out) {
    struct andrews_place p;
    const double *v = u + ANDREWS_ANGLES;
    double force[ANDREWS_ANGLES], lambda[ANDREWS_LOOPS], w[ANDREWS_LOOPS][ANDREWS_ANGLES];
    andrews_go(&p, u);
    andrews_force(&p, v, force);
    andrews_curvature(&p, v, lambda);
    for (int i = 0; i < ANDREWS_LOOPS; i++) {
        andrews_by_mass(&p, p.jacobian[i], w[i]);
        for (int j = 0; j < ANDREWS_ANGLES; j++) lambda[i] += w[i][j] * force[j];
    }
    andrews_multipliers(&p, w, lambda);
    for (int j = 0; j < ANDREWS_ANGLES; j++) out[j] = v[j];
    andrews_by_mass(&p, force, out + ANDREWS_ANGLES);
    for (int j = 0; j < ANDREWS_ANGLES; j++)
        for (int i = 0; i < ANDREWS_LOOPS; i++) out[ANDREWS_ANGLES + j] -= w[i][j] * lambda[i];
}
#endif
