/* ranks.c - see ranks.h. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "cli/sweep/ranks.h"

#include "base/machine.h"
#include "base/text.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The first of some variables of the environment that holds a number; 0: none does. */
static int number_in(const char *const *name) {
    for (; *name; name++) {
        const char *text = getenv(*name);
        if (text && atoi(text) > 0) return atoi(text);
    }
    return 0;
}

/* How many processes the launcher has started: Open MPI, MPICH and Intel MPI, PMIx of srun, srun alone. */
static int launched(void) {
    static const char *const name[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE",
                                       "SLURM_STEP_NUM_TASKS", NULL};
    return number_in(name);
}

int ranks_workers(void) {
    static const char *const name[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", NULL};
    int neighbours = number_in(name), cores = machine_cores();
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0 &&
        CPU_COUNT(&allowed) < cores)
        cores = CPU_COUNT(&allowed);
    if (neighbours == 0) neighbours = launched();
    return cores > neighbours && neighbours > 0 ? cores / neighbours : 1;
}

void ranks_rest(void) {
    struct timespec rest = {0, 500000};
    nanosleep(&rest, NULL);
}

#ifdef KEEL_MPI

#include "cli/sweep/mpi_library.h"

enum { WORK = 19, AGREEMENT }; /* tags: whoever waits to agree is not heard by who hands out work */
static struct mpi_library mpi; /* as the library itself: one for the process */

int ranks_open(struct ranks *r, char *why, size_t capacity) {
    int given, count = launched();
    *r = (struct ranks){0, 1, 0};
    if (count < 2) return 0;
    int wrong = mpi_library_load(&mpi, why, capacity);
    if (!wrong && mpi.Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS) {
        text_set(why, capacity, "the MPI library, %s, could not be started", KEEL_MPI);
        wrong = -1;
    }
    if (!wrong) {
        r->open = 1;
        mpi.Comm_rank(mpi.world, &r->rank);
        mpi.Comm_size(mpi.world, &r->size);
        if (r->size == count || r->size > 1) return 0;
        text_set(why, capacity, "the launcher belongs to another MPI than %s, with which keel was built",
                 KEEL_MPI);
    }
    char before[JOB_SENTENCE];
    text_set(before, sizeof before, "%s", why);
    text_set(why, capacity,
             "this was started as %d processes, but %s: start it once, or with --task I/%d each", count,
             before, count);
    return -1;
}

void ranks_close(struct ranks *r) {
    if (r->open) mpi.Finalize();
    r->open = 0;
}

void ranks_send(const struct ranks *r, int to, const struct rank_message *m) {
    (void)r;
    mpi.Send(m, (int)sizeof *m, mpi.byte, to, m->word == RANK_AGREED ? AGREEMENT : WORK, mpi.world);
}

static int take(int from, int tag, int *who, struct rank_message *m) {
    MPI_Status about;
    int there = 0;
    mpi.Iprobe(from, tag, mpi.world, &there, &about);
    if (!there) return 0;
    *who = about.MPI_SOURCE;
    mpi.Recv(m, (int)sizeof *m, mpi.byte, *who, tag, mpi.world, &about);
    m->sentence[sizeof m->sentence - 1] = '\0';
    return 1;
}

int ranks_poll(const struct ranks *r, int *from, struct rank_message *m) {
    return r->size > 1 ? take(MPI_ANY_SOURCE, WORK, from, m) : 0;
}

void ranks_receive(const struct ranks *r, int from, enum rank_word word, struct rank_message *m) {
    int who;
    (void)r;
    while (!take(from, word == RANK_AGREED ? AGREEMENT : WORK, &who, m)) ranks_rest();
}

#else

int ranks_open(struct ranks *r, char *why, size_t capacity) {
    int count = launched();
    *r = (struct ranks){0, 1, 0};
    if (count < 2) return 0;
    text_set(why, capacity,
             "this was started as %d processes, but this build of keel has no MPI: each would do all the "
             "work; start it once, or with --task I/%d each",
             count, count);
    return -1;
}

void ranks_close(struct ranks *r) {
    (void)r;
}

void ranks_send(const struct ranks *r, int to, const struct rank_message *m) {
    (void)r, (void)to, (void)m;
}

int ranks_poll(const struct ranks *r, int *from, struct rank_message *m) {
    (void)r, (void)from, (void)m;
    return 0;
}

void ranks_receive(const struct ranks *r, int from, enum rank_word word, struct rank_message *m) {
    (void)r, (void)from, (void)word, (void)m;
}

#endif

/* Agreeing ---------------------------------------------------------------------------------------------- */

int ranks_agree(const struct ranks *r, struct job *j, uint64_t sum) {
    struct rank_message m = {.word = RANK_AGREED, .status = j->status, .sum = sum};
    if (r->size == 1) return j->status;
    text_set(m.sentence, sizeof m.sentence, "%s", j->sentence);
    if (r->rank > 0) {
        ranks_send(r, 0, &m);
        ranks_receive(r, 0, RANK_AGREED, &m);
        return m.status;
    }
    for (int i = 1; i < r->size; i++) {
        struct rank_message theirs;
        ranks_receive(r, i, RANK_AGREED, &theirs);
        if (j->status) continue;
        if (theirs.status) job_fail(j, theirs.status, "rank %d: %.600s", i, theirs.sentence);
        else if (theirs.sum != sum)
            job_fail(j, EXIT_FAILED, "rank %d reads another model, table or command line than rank 0", i);
    }
    m.status = j->status;
    for (int i = 1; i < r->size; i++) ranks_send(r, i, &m);
    return j->status;
}
