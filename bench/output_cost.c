/* output_cost.c - what the results of `keel run` cost: 10^7 steps, 10^5 rows; time of the processor and the
 * largest memory of the process, without rows, with rows that nobody writes, as CSV and as HDF5, with
 * checkpoints.  The best of a few runs, taken in turn. */
#include "bench.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPEATS = 5, MOST = 24 };

struct way {
    const char *about, *points;
    const char *more[6];
};

struct cost {
    double seconds;
    long memory; /* kilobytes */
};

static double seconds_of(struct timeval t) {
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static struct cost run(const char *method, const struct way *w) {
    const char *argument[MOST] = {KEEL_COMMAND, "run",      KEEL_EXAMPLES_DIR "/kepler.keel",
                                  "--step",     "1e-4",     "--tend",
                                  "1000",       "--method", method,
                                  "--quiet",    "--points", w->points};
    int count = 12, status = 0;
    struct rusage used;
    for (int i = 0; i < 6 && w->more[i]; i++) argument[count++] = w->more[i];
    pid_t child = fork();
    if (child == 0) {
        execv(argument[0], (char **)argument);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) < 0 || status != 0) bench_stop("the run failed");
    return (struct cost){seconds_of(used.ru_utime) + seconds_of(used.ru_stime), used.ru_maxrss};
}

int main(void) {
    const char *methods[] = {"rk4+none", "rk4"};
    char folder[] = "/tmp/keel-output-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder)) return 1;
    const struct way ways[] = {
        {"two rows", "2", {NULL}},
        {"10^5 rows, looked at", "100000", {NULL}},
        {"10^5 rows, CSV", "100000", {"--out", "a.csv"}},
        {"10^5 rows, HDF5", "100000", {"--out", "a.h5"}},
        {"10^5 rows, CSV, checkpoints",
         "100000",
         {"--out", "a.csv", "--checkpoint", "state", "--checkpoint-every", "1"}},
    };
    enum { WAYS = sizeof ways / sizeof *ways };
    printf("kepler, 10^7 steps of 1e-4            seconds   on output   memory\n");
    for (int m = 0; m < 2; m++) {
        struct cost best[WAYS];
        for (int k = 0; k < WAYS; k++) best[k] = (struct cost){1e9, 0};
        for (int i = 0; i < REPEATS; i++)
            for (int k = 0; k < WAYS; k++) {
                struct cost c = run(methods[m], &ways[k]);
                if (c.seconds < best[k].seconds) best[k].seconds = c.seconds;
                if (c.memory > best[k].memory) best[k].memory = c.memory;
            }
        for (int k = 0; k < WAYS; k++)
            printf("%-9s %-27s %8.2f   %7.1f %%  %6.1f MB\n", methods[m], ways[k].about, best[k].seconds,
                   100 * (1 - best[0].seconds / best[k].seconds), (double)best[k].memory / 1024);
    }
    unlink("a.csv");
    unlink("a.h5");
    return chdir("/") || rmdir(folder);
}
