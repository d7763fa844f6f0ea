/* hand.h - loops with the right-hand side written into them: nobody is faster with the same method. */
#ifndef KEEL_BENCH_HAND_H
#define KEEL_BENCH_HAND_H

typedef void hand_rate(const double *u, double *out);
typedef void hand_correct(double *u);

static inline __attribute__((always_inline)) void hand_rk4(int n, hand_rate *rate, hand_correct *correct,
                                                           double *u, double h, long steps) {
    double x[16], k1[16], k2[16], k3[16], k4[16], y[16];
    for (int i = 0; i < n; i++) x[i] = u[i];
    for (long s = 0; s < steps; s++) {
        rate(x, k1);
        for (int i = 0; i < n; i++) y[i] = x[i] + 0.5 * h * k1[i];
        rate(y, k2);
        for (int i = 0; i < n; i++) y[i] = x[i] + 0.5 * h * k2[i];
        rate(y, k3);
        for (int i = 0; i < n; i++) y[i] = x[i] + h * k3[i];
        rate(y, k4);
        for (int i = 0; i < n; i++) x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
        if (correct) correct(x);
    }
    for (int i = 0; i < n; i++) u[i] = x[i];
}

static inline double hand_dot(int n, const double *a, const double *b) { /* three or four */
    return a[0] * b[0] + a[1] * b[1] + (n > 3 ? a[2] * b[2] + a[3] * b[3] : a[2] * b[2]);
}

/* One correction by two rows, x -= G^T (G G^T)^-1 c, which nobody checks: the least a projection does. */
static inline __attribute__((always_inline)) void hand_project(int n, const double *g, const double *h,
                                                               double c0, double c1, double *x) {
    double gg = hand_dot(n, g, g), gh = hand_dot(n, g, h), hh = hand_dot(n, h, h);
    double over = 1 / (gg * hh - gh * gh), a = c0 * hh - c1 * gh, b = c1 * gg - c0 * gh;
    for (int i = 0; i < n; i++) x[i] -= over * (a * g[i] + b * h[i]);
}

/* Kahan and Li's composition of 17 kicks and drifts, order 8, for q' = p, p' = F(q); the drifts of
 * neighbouring steps are one.  `rate` also gives q', which the compiler leaves out. */
static inline __attribute__((always_inline)) void hand_kahan_li8(int half, hand_rate *rate, double *u,
                                                                 double h, long steps) {
    static const double weight[17] = {
        0.13020248308889008087881763,  0.56116298177510838456196441,  -0.38947496264484728640807860,
        0.15884190655515560089621075,  -0.39590389413323757733623154, 0.18453964097831570709183254,
        0.25837438768632204729397911,  0.29501172360931029887096624,  -0.60550853383003451169892108,
        0.29501172360931029887096624,  0.25837438768632204729397911,  0.18453964097831570709183254,
        -0.39590389413323757733623154, 0.15884190655515560089621075,  -0.38947496264484728640807860,
        0.56116298177510838456196441,  0.13020248308889008087881763};
    double x[8], f[8], before = 0;
    for (int i = 0; i < 2 * half; i++) x[i] = u[i];
    for (long s = 0; s < steps; s++)
        for (int k = 0; k < 17; k++) {
            double drift = 0.5 * h * (before + weight[k]), kick = h * weight[k];
            for (int i = 0; i < half; i++) x[i] += drift * x[half + i];
            rate(x, f);
            for (int i = 0; i < half; i++) x[half + i] += kick * f[half + i];
            before = weight[k];
        }
    for (int i = 0; i < half; i++) x[i] += 0.5 * h * before * x[half + i];
    for (int i = 0; i < 2 * half; i++) u[i] = x[i];
}
#endif
