/* chain.c - time and memory per step of a hanging chain of N rods: they should grow as N does.
 *
 * rk4 with the constraints and the energy projected, steps of 1 ms.  Times are processor time; memory is what
 * a saved solver takes, without the factors.  usage: bench_chain [largest N] */
#include <keel.h>

#include "problems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WARM = 80 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double worst_units(const keel_solver *s) {
    double worst = 0;
    keel_kept row;
    for (int i = 0; keel_kept_at(s, i, &row); i++) worst = fmax(worst, row.units);
    return worst;
}

int main(int count, char **word) {
    int most = count > 1 ? atoi(word[1]) : 10000, steps = 0;
    double before = 0, bytes_before = 0;
    printf("%7s %10s %12s %10s %12s %10s %8s\n", "N", "open s", "us a step", "exponent", "bytes", "exponent",
           "units");
    for (int n = 10; n <= most; n *= 10) {
        problem_chain *p = problem_chain_open(n, 1);
        double start = seconds();
        keel_solver *s = keel_open(&p->keel, &(keel_options){.method = "rk4", .step = 1e-3});
        double opened = seconds() - start;
        steps = n < 1000 ? 20000 / n : 20;
        keel_status status = keel_run(s, 1e-3 * WARM); /* the first steps look at the invariants more often */
        start = seconds();
        if (status == KEEL_OK) status = keel_run(s, 1e-3 * (WARM + steps));
        double each = (seconds() - start) / steps, bytes = (double)keel_save(s, NULL, 0);
        if (status != KEEL_OK) printf("%s: %s\n", keel_status_name(status), keel_message(s));
        printf("%7d %10.3f %12.1f %10.2f %12.0f %10.2f %8.2f\n", n, opened, 1e6 * each,
               before > 0 ? log10(each / before) : 0, bytes,
               bytes_before > 0 ? log10(bytes / bytes_before) : 0, worst_units(s));
        before = each;
        bytes_before = bytes;
        keel_close(s);
        problem_chain_close(p);
    }
    return 0;
}
