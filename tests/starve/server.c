/* server.c - the command, started again and again without the cost of a start.
 *
 * KEEL_STARVE=N (N+: from the N-th on) keel_starved run ...   one run, for a debugger
 * KEEL_STARVE=serve keel_starved      reads runs from standard input, one a line, fields parted by tabs:
 *     N[+]  folder  file for standard input  arguments...
 * Each runs in a fork of this process, in its folder, with its output in out and err there.  The answer:
 *     status as waitpid gives it   allocations   place of the caller of the first that failed, 0: none did */
#define _GNU_SOURCE
#include "starve/starve.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIELDS = 64, LINE = 1 << 16, SECONDS = 100 };

extern char __executable_start;
int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

static void begin(const char *plan) {
    char *rest;
    long at = strtol(plan, &rest, 10);
    starve_begin(at, strchr(rest, '+') ? STARVE_ON : STARVE_ONCE);
}

static void take_stream(const char *path, int how, int as) {
    int handle = open(path, how, 0600);
    if (handle < 0 || dup2(handle, as) < 0) _exit(99);
    if (handle != as) close(handle);
}

static long *shared; /* with all forks: allocations, caller */

static void tell(void) {
    shared[0] = starve.count;
    shared[1] = starve.caller ? (long)((char *)starve.caller - &__executable_start) : 0;
}

static void run_one(int count, char **field) {
    if (chdir(field[1])) _exit(99);
    take_stream(field[2], O_RDONLY, 0);
    take_stream("out", O_WRONLY | O_CREAT | O_TRUNC, 1);
    take_stream("err", O_WRONLY | O_CREAT | O_TRUNC, 2);
    alarm(SECONDS);
    atexit(tell);
    field[2] = "keel";
    begin(field[0]);
    exit(__real_main(count - 2, field + 2));
}

static int serve(void) {
    static char line[LINE];
    int input = dup(0), output = dup(1);
    FILE *in = fdopen(input, "r"), *out = fdopen(output, "w");
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    while (in && out && shared != MAP_FAILED && fgets(line, LINE, in)) {
        char *field[FIELDS + 1] = {0}, *at = line;
        int count = 0, status = 0;
        line[strcspn(line, "\n")] = '\0';
        while (count < FIELDS && at) field[count++] = strsep(&at, "\t");
        shared[0] = shared[1] = 0;
        pid_t child = fork();
        if (child == 0) {
            close(input);
            close(output);
            run_one(count, field);
        }
        if (child < 0 || waitpid(child, &status, 0) < 0) return 1;
        fprintf(out, "%d %ld %ld\n", status, shared[0], shared[1]);
        fflush(out);
    }
    return 0;
}

int __wrap_main(int argc, char **argv) {
    const char *plan = getenv("KEEL_STARVE");
    if (plan && strcmp(plan, "serve") == 0) return serve();
    if (plan) begin(plan);
    return __real_main(argc, argv);
}
