/* lanes.c - members of an ensemble in lanes, against a loop written by hand for the same vectors: Kepler by
 * rk4, plain and projected on two invariants; dop853+project, and a pendulum with its constraint, against
 * single runs; and what a member costs besides its steps.  One core, processor time.
 *
 *     bench_lanes [members of 1000 steps, 20000] */
#include <keel/ensemble.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char kepler[] =
    "param e = 0.3\ncanonical q[1..2], p[1..2]\nhamiltonian dot(p, p)/2 - 1/norm(q)\ninvariant energy\n"
    "invariant momentum = q[1]*p[2] - q[2]*p[1]\ninit q = (1 - e, 0), p = (0, sqrt((1 + e)/(1 - e)))\n"
    "run 0 .. 10\n";

/* Index 3. */
static const char pendulum[] =
    "param l = 1\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint rod: x^2 + y^2 = l^2\n"
    "invariant energy\ninit y = 0, y' = 0\nguess x = l\nrun 0 .. 10\n";

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* By hand ----------------------------------------------------------------------------------------------- */

#define FORCE(ROOT, real, x, f)                                                           \
    do {                                                                                  \
        real square = (x)[0] * (x)[0] + (x)[1] * (x)[1], root = ROOT(square);             \
        real cube = -1.0 / (square * root);                                               \
        (f)[0] = (x)[2], (f)[1] = (x)[3], (f)[2] = cube * (x)[0], (f)[3] = cube * (x)[1]; \
    } while (0)

/* A function of so many lanes, for processors that have them. */
#define BY_HAND(NAME, WIDE, ROOT, TARGET)                                                                    \
    TARGET static double NAME(long members, long steps, double h) {                                          \
        typedef double real __attribute__((vector_size(8 * WIDE)));                                          \
        double sum = 0;                                                                                      \
        for (long m = 0; m < members; m += WIDE) {                                                           \
            double begin[2][WIDE];                                                                           \
            real x[4], k[4][4], y[4];                                                                        \
            for (int lane = 0; lane < WIDE; lane++) {                                                        \
                double e = 0.6 * (double)(m + lane) / (double)members;                                       \
                begin[0][lane] = 1 - e;                                                                      \
                begin[1][lane] = __builtin_sqrt((1 + e) / (1 - e));                                          \
            }                                                                                                \
            memcpy(&x[0], begin[0], sizeof x[0]);                                                            \
            memcpy(&x[3], begin[1], sizeof x[3]);                                                            \
            x[1] = x[2] = (real){0};                                                                         \
            for (long step = 0; step < steps; step++) {                                                      \
                FORCE(ROOT, real, x, k[0]);                                                                  \
                for (int i = 0; i < 4; i++) y[i] = x[i] + 0.5 * h * k[0][i];                                 \
                FORCE(ROOT, real, y, k[1]);                                                                  \
                for (int i = 0; i < 4; i++) y[i] = x[i] + 0.5 * h * k[1][i];                                 \
                FORCE(ROOT, real, y, k[2]);                                                                  \
                for (int i = 0; i < 4; i++) y[i] = x[i] + h * k[2][i];                                       \
                FORCE(ROOT, real, y, k[3]);                                                                  \
                for (int i = 0; i < 4; i++)                                                                  \
                    x[i] += h * (1. / 6 * k[0][i] + 1. / 3 * k[1][i] + 1. / 3 * k[2][i] + 1. / 6 * k[3][i]); \
            }                                                                                                \
            for (int lane = 0; lane < WIDE; lane++) sum += x[0][lane];                                       \
        }                                                                                                    \
        return sum;                                                                                          \
    }

#if defined __x86_64__ && !defined __clang__
#define ROOT4(a) __builtin_ia32_sqrtpd256(a)
#define ROOT8(a) __builtin_ia32_sqrtpd512_mask(a, a, -1, 4)
BY_HAND(by_four, 4, ROOT4, __attribute__((target("avx2"))))
BY_HAND(by_eight, 8, ROOT8, __attribute__((target("avx512f,avx512vl,avx512dq"))))

static int has_eight(void) {
    return __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}
#else
#define ROOT2(a) ((real){__builtin_sqrt((a)[0]), __builtin_sqrt((a)[1])})
BY_HAND(by_four, 2, ROOT2, )
#define by_eight by_four

static int has_eight(void) {
    return 0;
}
#endif

/* By keel ----------------------------------------------------------------------------------------------- */

struct total {
    int64_t steps, failed;
    double drift;
};

static int add(void *user, const keel_block *b) {
    struct total *t = user;
    for (int i = 0; i < b->count; i++) {
        t->steps += b->steps[i];
        t->failed += b->status[i] < 0;
        if (b->drift[i] > t->drift) t->drift = b->drift[i];
    }
    return 0;
}

/* Processor seconds of all members, without opening and compiling. */
static double by_keel(keel_model *m, const char *method, double step, double end, long members, int lanes,
                      const char *draw, struct total *t) {
    double span[2] = {0, end};
    keel_plan *p = keel_plan_open(m);
    keel_ensemble_options o = {
        .run = {.method = method, .step = step}, .workers = 1, .lanes = lanes, .span = span};
    keel_plan_draw(p, draw);
    keel_plan_settle(p, &(keel_plan_options){.count = members, .seed = 1});
    keel_ensemble *e = keel_ensemble_open(m, p, &o);
    *t = (struct total){0};
    double begin = seconds();
    keel_status status = e ? keel_ensemble_run(e, 0, keel_ensemble_blocks(e), add, t) : KEEL_ENOMEM;
    double spent = seconds() - begin;
    if (status != KEEL_OK) fprintf(stderr, "%s: %s\n", method, keel_ensemble_message(e));
    keel_ensemble_close(e);
    keel_plan_close(p);
    return spent;
}

static void beside_single_runs(const char *name, keel_model *m, const char *method, double step, double end,
                               long members, const char *draw) {
    struct total t;
    double lanes = by_keel(m, method, step, end, members, 8, draw, &t);
    double alone = by_keel(m, method, step, end, members, 1, draw, &t);
    printf("%-8s %-14s %8.2f us in lanes, %.2f us alone: %.2f times, %lld steps, drift %.3g units\n", name,
           method, 1e6 * lanes / (double)members, 1e6 * alone / (double)members, alone / lanes,
           (long long)t.steps, t.drift);
}

int main(int count, char **word) {
    long members = count > 1 ? atol(word[1]) : 20000;
    struct total t;
    volatile double sink;
    keel_model *m = keel_model_read("kepler.keel", kepler, strlen(kepler), NULL);
    double hand = 1e300;
    for (int wide = 0; wide <= has_eight(); wide++) {
        double begin = seconds();
        sink = wide ? by_eight(members, 1000, 0.01) : by_four(members, 1000, 0.01);
        double spent = (seconds() - begin) / (double)members;
        if (spent < hand) hand = spent;
        printf("by hand, %s       %8.2f us a member of 1000 steps\n", wide ? "8 lanes" : "4 lanes",
               1e6 * spent);
    }
    (void)sink;
    for (int k = 0; k < 3; k++) {
        const char *method[] = {"rk4+none", "rk4+watch", "rk4+project"};
        double lanes = by_keel(m, method[k], 0.01, 10, members, 8, "e=uniform(0,0.6)", &t) / (double)members;
        printf("%-12s in lanes   %8.2f us, %.2f of the speed by hand; drift %.3g units\n", method[k],
               1e6 * lanes, hand / lanes, t.drift);
        double alone = by_keel(m, method[k], 0.01, 10, members, 1, "e=uniform(0,0.6)", &t) / (double)members;
        printf("%-12s alone      %8.2f us\n", method[k], 1e6 * alone);
    }
    beside_single_runs("kepler", m, "dop853+project", 0, 100, members, "e=uniform(0,0.9)");
    keel_model *rod = keel_model_read("pendulum.keel", pendulum, strlen(pendulum), NULL);
    beside_single_runs("pendulum", rod, "rk4+project", 0.01, 10, members, "l=uniform(0.5,2)");
    beside_single_runs("pendulum", rod, "dop853+project", 0, 10, members, "l=uniform(0.5,2)");
    keel_model_close(rod);
    for (int k = 0; k < 3; k++) {
        const char *method[] = {"rk4+none", "rk4+watch", "rk4+project"};
        double one = by_keel(m, method[k], 0.01, 0.01, 10 * members, 8, "e=uniform(0,0.6)", &t);
        printf("%-12s one step   %8.2f us a member\n", method[k], 1e5 * one / (double)members);
    }
    keel_model_close(m);
    return 0;
}
