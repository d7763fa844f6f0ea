/* ensembles.c - members on the GPU beside the same members on the cores: bits, drift, speed.  Lines of a name
 * and numbers, which `run` puts into a table.
 *
 *     ensembles check [MEMBERS]    all results of both, bit by bit
 *     ensembles time MEMBERS       steps a second, whole runs without opening and compiling; and of a core
 *     ensembles split MEMBERS [SCALE [METHOD]]
 *                                  by runs of two lengths, so many times as long: the steps alone, and what a
 *                                  member costs beside */
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
static const char swing[] =
    "param e = 0.3\nvar x, v\nx' = v\nv' = -sin(x)\ninvariant first = v^2/2 - cos(x)\n"
    "init x = 3*e, v = 0\nrun 0 .. 10\n";
static const char pendulum[] =
    "param e = 0.3, g = 9.81, l = 1 + e\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - g*y\n"
    "constraint rod: x^2 + y^2 = l^2\ninvariant energy\ninit y = 0, y' = 0\nguess x = l\nrun 0 .. 10\n";

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What is kept of each member. */
struct member {
    double value[4], t, drift, correction, defect;
    int64_t steps;
    int32_t status, row;
};
struct all {
    struct member *member;          /* NULL: not kept */
    int64_t steps, failed, above;   /* above: with a drift of more than 8 units */
    double drift, spent, processor; /* seconds of the clock, of all cores */
    char sentence[400];
};

static int add(void *user, const keel_block *b) {
    struct all *a = user;
    for (int i = 0; i < b->count; i++) {
        a->steps += b->steps[i];
        a->failed += b->status[i] < 0;
        a->above += !(b->drift[i] <= 8) && b->status[i] == 0;
        if (b->drift[i] > a->drift) a->drift = b->drift[i];
        if (b->status[i] < 0 && !a->sentence[0])
            snprintf(a->sentence, sizeof a->sentence, "%s", b->text + b->sentence[i]);
        if (!a->member) continue;
        struct member *m = &a->member[b->first + i];
        for (int k = 0; k < 4 && k < b->columns; k++) m->value[k] = b->value[i * b->columns + k];
        m->t = b->t[i], m->drift = b->drift[i], m->correction = b->correction[i], m->defect = b->defect[i];
        m->steps = b->steps[i], m->status = b->status[i], m->row = b->row[i];
    }
    return 0;
}

/* 0, or it cannot be done, with a sentence. */
static int sweep(const char *text, const char *method, double step, double end, long members, int device,
                 int workers, struct all *a) {
    double span[2] = {0, end};
    keel_model *m = keel_model_read("model", text, strlen(text), NULL);
    keel_plan *p = keel_plan_open(m);
    keel_ensemble_options o = {.run = {.method = method, .step = step},
                               .workers = workers,
                               .lanes = device ? 1 : 8,
                               .device = device,
                               .span = span};
    struct member *kept = a->member;
    *a = (struct all){.member = kept};
    keel_plan_draw(p, "e=uniform(0,0.9)");
    keel_plan_settle(p, &(keel_plan_options){.count = members, .seed = 1});
    keel_ensemble *e = keel_ensemble_open(m, p, &o);
    keel_status status = e ? keel_ensemble_status(e) : KEEL_ENOMEM;
    double begin = seconds(), before = processor_seconds();
    if (status == KEEL_OK) status = keel_ensemble_run(e, 0, keel_ensemble_blocks(e), add, a);
    a->spent = seconds() - begin;
    a->processor = processor_seconds() - before;
    if (status != KEEL_OK) snprintf(a->sentence, sizeof a->sentence, "%s", keel_ensemble_message(e));
    keel_ensemble_close(e);
    keel_plan_close(p);
    keel_model_close(m);
    return status != KEEL_OK;
}

static const struct {
    const char *name, *text, *method;
    double step, end;
} cases[] = {{"rk4+none", kepler, "rk4+none", 0.01, 20},
             {"rk4+project", kepler, "rk4+project", 0.01, 20},
             {"rk4+watch", kepler, "rk4+watch", 0.01, 20},
             {"dopri5+none", kepler, "dopri5+none", 0, 20},
             {"dop853+project", kepler, "dop853+project", 0, 50},
             {"swing_dop853+project", swing, "dop853+project", 0, 20},
             {"pendulum_rk4+project", pendulum, "rk4+project", 0.01, 10},
             {"pendulum_dop853+project", pendulum, "dop853+project", 0, 10}};
enum { CASES = sizeof cases / sizeof *cases };

/* Members of which any bit differs; *most: the largest difference of a value. */
static long differing(long members, const struct all *a, const struct all *b, double *most) {
    long count = 0;
    *most = 0;
    for (long i = 0; i < members; i++) {
        const struct member *v = &a->member[i], *w = &b->member[i];
        count += memcmp(v, w, sizeof *v) != 0;
        for (int k = 0; k < 4; k++) *most = fmax(*most, fabs(v->value[k] - w->value[k]));
    }
    return count;
}

static int check(long members) {
    struct all cores = {0}, gpu = {0};
    int bad = 0;
    cores.member = calloc((size_t)members, sizeof *cores.member);
    gpu.member = calloc((size_t)members, sizeof *gpu.member);
    for (int k = 0; k < CASES && cores.member && gpu.member; k++) {
        double most = NAN;
        memset(cores.member, 0, (size_t)members * sizeof *cores.member);
        memset(gpu.member, 0, (size_t)members * sizeof *gpu.member);
        int there =
            sweep(cases[k].text, cases[k].method, cases[k].step, cases[k].end, members, 1, 0, &gpu) == 0;
        if (!there) {
            printf("check %s: not on the GPU: %s\n", cases[k].name, gpu.sentence);
            bad = 1;
            continue;
        }
        sweep(cases[k].text, cases[k].method, cases[k].step, cases[k].end, members, 0, 0, &cores);
        long other = differing(members, &cores, &gpu, &most);
        printf("check %s: %ld members, %ld differ (by at most %.2g), %lld failed, drift %.3g, %lld above 8; "
               "%lld steps, gpu %.2f s, cores %.2f s%s%s\n",
               cases[k].name, members, other, most, (long long)gpu.failed, gpu.drift, (long long)gpu.above,
               (long long)gpu.steps, gpu.spent, cores.spent, gpu.failed ? ": " : "",
               gpu.failed ? gpu.sentence : "");
        fflush(stdout);
        bad |= gpu.above > 0 && strstr(cases[k].method, "project"); /* rows that are only watched drift */
        bad |= other > 0 && cases[k].text != swing;                 /* which has sines of CUDA's own */
    }
    free(cores.member);
    free(gpu.member);
    return bad;
}

/* The best of two: the first one also finds the memory. */
static void rate(const char *name, const char *text, const char *method, double step, double end,
                 long members, int device, int workers) {
    struct all a = {0}, first = {0};
    int bad = sweep(text, method, step, end, members, device, workers, &first) ||
              sweep(text, method, step, end, members, device, workers, &a);
    if (bad) printf("time %s: %s%s\n", name, first.sentence, a.sentence);
    else
        printf("time %s %.4g steps/s, %.3f s (%.3f s before), %lld steps, drift %.3g, %lld above 8, %lld "
               "failed\n",
               name, (double)a.steps / a.spent, a.spent, first.spent, (long long)a.steps, a.drift,
               (long long)a.above, (long long)a.failed);
    fflush(stdout);
}

/* Members of one step, which the cores take, alone and one after the other in the same memory; members of two
 * lengths on the GPU. */
static void split(const char *name, const char *method, double end, long members) {
    struct all one = {0}, brief = {0}, half = {0}, whole = {0};
    int bad = sweep(kepler, method, 0.01, 0.01, members, 0, 0, &one) ||
              sweep(kepler, method, 0.01, 0.01, members, 1, 0, &brief) ||
              sweep(kepler, method, 0.01, end / 2, members, 1, 0, &half) ||
              sweep(kepler, method, 0.01, end, members, 1, 0, &whole);
    double rate = (double)(whole.steps - half.steps) / (whole.spent - half.spent);
    if (bad) printf("split %s: %s%s%s\n", name, brief.sentence, half.sentence, whole.sentence);
    else
        printf("split %s: steps alone %.4g /s, whole runs %.4g /s, %.3f s beside; processor us a member: "
               "%.2f of "
               "one step on the cores, %.2f with a lane of its own, %.2f and %.2f with all steps there\n",
               name, rate, (double)whole.steps / whole.spent, whole.spent - (double)whole.steps / rate,
               1e6 * one.processor / (double)members, 1e6 * brief.processor / (double)members,
               1e6 * half.processor / (double)members, 1e6 * whole.processor / (double)members);
    fflush(stdout);
}

int main(int count, char **word) {
    if (count > 1 && strcmp(word[1], "check") == 0) return check(count > 2 ? atol(word[2]) : 65536);
    long members = count > 2 ? atol(word[2]) : 262144;
    if (count > 1 && strcmp(word[1], "split") == 0) {
        double scale = count > 3 ? atof(word[3]) : 1;
        const char *only = count > 4 ? word[4] : NULL;
        if (!only || strcmp(only, "rk4+none") == 0) split("rk4+none", "rk4+none", 10000 * scale, members);
        if (!only || strcmp(only, "rk4+project") == 0)
            split("rk4+project", "rk4+project", 5000 * scale, members);
        return 0;
    }
    double scale = count > 3 ? atof(word[3]) : 1; /* of the lengths of the runs */
    int workers = count > 4 ? atoi(word[4]) : 0;
    rate("gpu_rk4+none", kepler, "rk4+none", 0.01, 20000 * scale, members, 1, workers);
    rate("gpu_rk4+project", kepler, "rk4+project", 0.01, 10000 * scale, members, 1, workers);
    rate("gpu_dop853+project", kepler, "dop853+project", 0, 8000 * scale, members, 1, workers);
    rate("gpu_pendulum_rk4", pendulum, "rk4+project", 0.01, 200 * scale, members, 1, workers);
    rate("gpu_pendulum_dop853", pendulum, "dop853+project", 0, 1000 * scale, members, 1, workers);
    if (count > 3) return 0;
    rate("core_rk4+none", kepler, "rk4+none", 0.01, 200, 4096, 0, 1);
    rate("core_rk4+project", kepler, "rk4+project", 0.01, 200, 2048, 0, 1);
    rate("core_dop853+project", kepler, "dop853+project", 0, 1000, 1024, 0, 1);
    rate("core_pendulum_rk4", pendulum, "rk4+project", 0.01, 100, 1024, 0, 1);
    rate("core_pendulum_dop853", pendulum, "dop853+project", 0, 200, 1024, 0, 1);
    return 0;
}
