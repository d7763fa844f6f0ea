/* compile_process.h - a program in a process group of its own, with limits: whatever it does, it ends. */
#ifndef KEEL_CODEGEN_COMPILE_PROCESS_H
#define KEEL_CODEGEN_COMPILE_PROCESS_H

enum process_end {
    PROCESS_DONE,   /* it ran and was content */
    PROCESS_FAILED, /* it was not, or could not be started */
    PROCESS_LATE,
    PROCESS_LARGE,   /* a file grew beyond its limit */
    PROCESS_STOPPED, /* as asked */
    PROCESS_BUSY     /* it has not ended */
};

struct process {
    const char *program;
    char *const *argument;
    const char *log; /* what it prints */
    const char *out; /* what it makes */
    long log_bytes, out_bytes;
    double seconds;
    const volatile int *stop; /* not 0: end it; NULL: nobody asks */
    int child;                /* of compile_process_start: its number, and the time */
    double begin;
};

int compile_process_start(struct process *p); /* 0, or -1 */
/* How it goes, once it was started; wait: until it has ended.  What does not end within its limits is killed,
 * with all that it has started.  After any other answer than PROCESS_BUSY nothing of it is left. */
enum process_end compile_process_end(const struct process *p, int wait);
void compile_process_kill(const struct process *p); /* the same at once */
#endif
