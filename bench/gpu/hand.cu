/* hand.cu - Kepler's problem by rk4, as a kernel written by hand: every operation rounded once (--fmad=false), a
 * trajectory a thread, all of it in registers; plain, and projected onto energy and momentum after each step with
 * weights, a residual that is verified to 4 round-off units (as keel counts them), and further iterations where one
 * does not do.  The members are as keel draws them: eccentricities up to 0.9, any beside any.  Of those up to 0.6, in
 * order, none ever needs a second iteration, for which in a warp all wait: hand_project_in_order.
 *
 *     hand MEMBERS STEPS */
#include <cstdio>
#include <cstdlib>
#include <ctime>

static const double step_length = 0.01;

static __device__ __forceinline__ void rate(const double *x, double *f) {
    double square = x[0] * x[0] + x[1] * x[1], root = sqrt(square), cube = -1.0 / (square * root);
    f[0] = x[2], f[1] = x[3], f[2] = cube * x[0], f[3] = cube * x[1];
}

static __device__ __forceinline__ void rk4(const double *x, const double *k0, double h, double *next) {
    double k1[4], k2[4], k3[4], y[4];
#pragma unroll
    for (int i = 0; i < 4; i++) y[i] = x[i] + 0.5 * h * k0[i];
    rate(y, k1);
#pragma unroll
    for (int i = 0; i < 4; i++) y[i] = x[i] + 0.5 * h * k1[i];
    rate(y, k2);
#pragma unroll
    for (int i = 0; i < 4; i++) y[i] = x[i] + h * k2[i];
    rate(y, k3);
#pragma unroll
    for (int i = 0; i < 4; i++)
        next[i] = x[i] + h * (1. / 6 * k0[i] + 1. / 3 * k1[i] + 1. / 3 * k2[i] + 1. / 6 * k3[i]);
}

static __device__ void start(int member, int members, int mixed, double *x) {
    double turns = 0.6180339887498949 * (double)member;
    double e = mixed ? 0.9 * (turns - floor(turns)) : 0.6 * (double)member / (double)members;
    x[0] = 1 - e, x[1] = 0, x[2] = 0, x[3] = sqrt((1 + e) / (1 - e));
}

__global__ void plain(int members, long steps, double h, int mixed, double *out) {
    int member = blockIdx.x * blockDim.x + threadIdx.x;
    double x[4], f[4], next[4];
    if (member >= members) return;
    start(member, members, mixed, x);
    rate(x, f);
    for (long step = 0; step < steps; step++) {
        rk4(x, f, h, next);
#pragma unroll
        for (int i = 0; i < 4; i++) x[i] = next[i];
        rate(x, f);
    }
    out[member] = x[0];
}

static __device__ __forceinline__ void residual(const double *x, double energy, double momentum, double *c) {
    double square = x[0] * x[0] + x[1] * x[1];
    c[0] = (x[2] * x[2] + x[3] * x[3]) / 2 - 1.0 / sqrt(square) - energy;
    c[1] = x[0] * x[3] - x[1] * x[2] - momentum;
}

/* x -= W^2 G^T (G W^2 G^T)^-1 c */
static __device__ __forceinline__ void correct(const double *x, const double *weight, const double *c, double *to) {
    double square = x[0] * x[0] + x[1] * x[1], root = sqrt(square), cube = 1.0 / (square * root);
    double g[4] = {cube * x[0], cube * x[1], x[2], x[3]}, k[4] = {x[3], -x[2], -x[1], x[0]}, a[4], b[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        double square_of = weight[i] * weight[i];
        a[i] = square_of * g[i], b[i] = square_of * k[i];
    }
    double gg = (g[0] * a[0] + g[1] * a[1]) + (g[2] * a[2] + g[3] * a[3]);
    double kk = (k[0] * b[0] + k[1] * b[1]) + (k[2] * b[2] + k[3] * b[3]);
    double gk = (g[0] * b[0] + g[1] * b[1]) + (g[2] * b[2] + g[3] * b[3]);
    double inverse = 1.0 / (gg * kk - gk * gk), p = c[0] * kk - c[1] * gk, q = c[1] * gg - c[0] * gk;
#pragma unroll
    for (int i = 0; i < 4; i++) to[i] -= inverse * (p * a[i] + q * b[i]);
}

__global__ void projected(int members, long steps, double h, int mixed, double *out) {
    int member = blockIdx.x * blockDim.x + threadIdx.x;
    double x[4], f[4], next[4], weight[4], start_of[2], c[2], worst[2] = {0, 0};
    if (member >= members) return;
    start(member, members, mixed, x);
    rate(x, f);
    residual(x, 0, 0, start_of);
    for (int i = 0; i < 4; i++) weight[i] = fmax(1e-3, fabs(x[i]));
    /* 4 eps (|c| + sum of |dc/dx_i| |x_i|), which is largest at the start, the perihelion */
    const double unit[2] = {4 * 2.2e-16 * (fabs(start_of[0]) + 1 / x[0] + x[3] * x[3]), 12 * 2.2e-16 * fabs(start_of[1])};
    for (long step = 0; step < steps; step++) {
        rk4(x, f, h, next);
        double at[4] = {next[0], next[1], next[2], next[3]};
        residual(next, start_of[0], start_of[1], c);
        for (int k = 0; k < 3; k++) {
            correct(at, weight, c, next);
            residual(next, start_of[0], start_of[1], c);
            if (fabs(c[0]) <= unit[0] && fabs(c[1]) <= unit[1]) break;
        }
        rate(next, f);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            x[i] = next[i];
            weight[i] = fmax(weight[i], fabs(x[i]));
        }
        worst[0] = fmax(worst[0], fabs(c[0])), worst[1] = fmax(worst[1], fabs(c[1]));
    }
    out[member] = x[0] + worst[0] + worst[1];
}

static double seconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int fails(cudaError_t error) {
    if (error != cudaSuccess) fprintf(stderr, "hand: %s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}

int main(int count, char **word) {
    int members = count > 1 ? atoi(word[1]) : 65536;
    long steps = count > 2 ? atol(word[2]) : 100000;
    double *out;
    if (fails(cudaMalloc((void **)&out, sizeof *out * (size_t)members))) return 1;
    void (*kernel[])(int, long, double, int, double *) = {plain, projected, projected};
    const char *name[] = {"hand_plain", "hand_project", "hand_project_in_order"};
    for (int k = 0; k < 3; k++) {
        double best = 1e300;
        for (int threads = 64; threads <= 256; threads *= 2) {
            int blocks = (members + threads - 1) / threads, mixed = k < 2;
            kernel[k]<<<blocks, threads>>>(members, steps / 50, step_length, mixed, out);
            if (fails(cudaDeviceSynchronize())) return 1;
            double begin = seconds();
            kernel[k]<<<blocks, threads>>>(members, steps, step_length, mixed, out);
            if (fails(cudaDeviceSynchronize())) return 1;
            double spent = seconds() - begin;
            if (spent < best) best = spent;
        }
        printf("%s %.4g\n", name[k], (double)members * (double)steps / best);
    }
    return 0;
}
