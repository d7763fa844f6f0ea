/* entry.c - the command inside a page: the worker calls it as a shell would, with files in memory. */
#include "cli/job/command.h"
#include "cli/terminal/message.h"

#include <sched.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

int playground_command(const char *name, int count, char **arguments);

/* keel NAME ARGUMENTS..., as often as one likes; the exit status. */
int playground_command(const char *name, int count, char **arguments) {
    const struct command *c = command_find(name);
    int status = c ? c->run(count, arguments) : EXIT_USAGE;
    fflush(stdout);
    fflush(stderr);
    return status;
}

/* What this libc lacks: random names for files that nobody else sees, and the cores of a page, one. */

ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
    (void)flags;
    return getentropy(bytes, count) ? -1 : (ssize_t)count;
}

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set) {
    (void)process;
    (void)size;
    (void)set;
    return -1;
}

int __sched_cpucount(size_t size, const cpu_set_t *set) {
    (void)size;
    (void)set;
    return 1;
}
