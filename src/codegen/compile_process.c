/* compile_process.c - see compile_process.h. */
#define _GNU_SOURCE /* posix_spawn_file_actions_addclosefrom_np */
#include "codegen/compile_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Signals act as in any program; a group of its own can be ended with all that it has started. */
static int prepare(posix_spawnattr_t *about) {
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    return posix_spawnattr_setsigdefault(about, &usual) || posix_spawnattr_setpgroup(about, 0) ||
           posix_spawnattr_setflags(about, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

/* A file that is locked here stays locked as long as a child has it. */
static int close_others(posix_spawn_file_actions_t *files) {
#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 34)
    return posix_spawn_file_actions_addclosefrom_np(files, 3);
#endif
#endif
    return (void)files, 0;
}

static int start(const struct process *p, pid_t *child) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t about;
    if (posix_spawn_file_actions_init(&files)) return -1;
    if (posix_spawnattr_init(&about)) return posix_spawn_file_actions_destroy(&files), -1;
    int failed = prepare(&about) || posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0) ||
                 posix_spawn_file_actions_addopen(&files, 1, p->log, O_WRONLY | O_CREAT | O_TRUNC, 0600) ||
                 posix_spawn_file_actions_adddup2(&files, 1, 2) || close_others(&files) ||
                 posix_spawn(child, p->program, &files, &about, p->argument, environ);
    posix_spawnattr_destroy(&about);
    posix_spawn_file_actions_destroy(&files);
    return failed ? -1 : 0;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int larger(const char *path, long bytes) {
    struct stat info;
    return stat(path, &info) == 0 && info.st_size > bytes;
}

/* PROCESS_DONE: within its limits. */
static enum process_end end_so_far(const struct process *p) {
    if (p->stop && *p->stop) return PROCESS_STOPPED;
    if (larger(p->log, p->log_bytes) || larger(p->out, p->out_bytes)) return PROCESS_LARGE;
    return seconds() - p->begin > p->seconds ? PROCESS_LATE : PROCESS_DONE;
}

/* Looks often at first: most are done within a fraction of a second. */
static void rest(double begin) {
    struct timespec moment = {0, seconds() - begin < 0.5 ? 1000000 : 10000000};
    nanosleep(&moment, NULL);
}

/* 1 when it has ended, or nobody knows of it any more: SIGCHLD is ignored here. */
static int has_ended(pid_t child, int wait) {
    siginfo_t info = {.si_pid = 0};
    while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT | (wait ? 0 : WNOHANG)) < 0)
        if (errno != EINTR) return 1;
    return info.si_pid != 0;
}

int compile_process_start(struct process *p) {
    pid_t child;
    p->begin = seconds();
    if (start(p, &child)) return -1;
    p->child = (int)child;
    return 0;
}

/* Its state when it is gone; 0: nobody knows it. */
static int bury(const struct process *p, int *state) {
    kill(-p->child, SIGKILL); /* it, and what it has left behind; its number is still its own */
    has_ended(p->child, 1);
    return waitpid(p->child, state, 0) >= 0;
}

void compile_process_kill(const struct process *p) {
    int state;
    bury(p, &state);
}

enum process_end compile_process_end(const struct process *p, int wait) {
    int state = -1;
    enum process_end end = PROCESS_DONE;
    while (!has_ended(p->child, 0) && (end = end_so_far(p)) == PROCESS_DONE) {
        if (!wait) return PROCESS_BUSY;
        rest(p->begin);
    }
    int known = bury(p, &state);
    if (end == PROCESS_DONE && end_so_far(p) == PROCESS_LARGE) end = PROCESS_LARGE;
    if (end != PROCESS_DONE) return end;
    int good = known ? WIFEXITED(state) && WEXITSTATUS(state) == 0 : access(p->out, R_OK) == 0;
    return good ? PROCESS_DONE : PROCESS_FAILED;
}
