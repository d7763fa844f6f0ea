/* target_checkpoint.c - sound checkpoints with changes (recipe.h), read as `keel run --resume` reads
 * them, down to the state of the solver.
 *
 * Beside the sanitizers it checks: a refusal has a sentence and a status; a checkpoint without changes is
 * accepted; what is accepted goes on for some steps, can be saved, and what is saved then is accepted and is
 * saved as the same bytes. */
#include "fuzz.h"
#include "recipe.h"

#include "cli/run/checkpoint.h"
#include "cli/files/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 5, WORDS = 12 };

static const char *const model_texts[RECIPE_MODELS] = {
    "param m = 1, g = 9.81, l = 1\ncoord x, y\nlagrangian m*(x'^2 + y'^2)/2 - m*g*y\n"
    "constraint rod: x^2 + y^2 = l^2\ninvariant energy\ninit y = 0, y' = 0\nguess x = l\nrun 0 .. 10\n",
    "param g = 9.81\ncoord h\nlagrangian h'^2/2 - g*h\nvar n\nn' = 0\ninit h = 0.1, h' = 0, n = 0\n"
    "event bounce: h falling -> h' := -0.9*h', n := n + 1\nevent top: h' falling -> record\nrun 0 .. 10\n",
    "canonical q[1..2], p[1..2]\nhamiltonian (p[1]^2 + p[2]^2)/2 - 1/sqrt(q[1]^2 + q[2]^2)\n"
    "invariant energy\ninit q = (0.4, 0), p = (0, 2)\nexact q[1] = cos(t)\nrun 0 .. 10\n",
    "param a = 1\nvar x, z\nx' = -z*a\nz + z^3 = x\ninit x = 1\nguess z = 1\nmode fast:\n"
    "    event e: x - 0.8 falling -> mode slow\nmode slow:\n    event f: x - 0.5 falling -> stop\n"
    "start fast\nrun 0 .. 10\n"};

static const char *const method_words[RECIPE_METHODS][3] = {
    {"--method=auto"},
    {"--method=rk4", "--step=0.01"},
    {"--method=taylor"},
    {"--method=radau"},
    {"--method=ab4", "--step=0.01"},
    {"--method=gauss4+symmetric", "--step=0.05"},
    {"--method=dopri5+relax"},
    {"--method=verlet", "--step=0.01", "--reversible"}};

/* A run that saves, and one that goes on. */
static struct pair {
    int opened, refused;
    struct job save, resume;
    struct saved saved[RECIPE_STEPS];
} pairs[RECIPE_MODELS][RECIPE_METHODS];

static struct { char *model[RECIPE_MODELS], *file, *rows; } paths;

struct input {
    const unsigned char *data;
    size_t size;
};

static void require(int holds, const char *what, const struct input *in) {
    fuzz_require(holds, what, in->data, in->size);
}

/* A run ------------------------------------------------------------------------------------------------ */

struct run {
    struct job *job;
    struct trace trace;
    struct checkpoint checkpoint;
    keel_sim *sim;
};

static void observe(keel_solver *solver, void *sim) {
    struct run *r = keel_sim_attached(sim);
    (void)solver;
    trace_sample(&r->trace);
}

/* 0, or an exit status with the job's sentence. */
static int open_run(struct run *r, struct job *j) {
    *r = (struct run){.job = j};
    j->sentence[0] = '\0';
    j->keel.observe = observe;
    int status = trace_open(&r->trace, j);
    if (status == 0) status = checkpoint_open(&r->checkpoint, j);
    if (status) return status;
    r->sim = r->checkpoint.from ? checkpoint_sim(&r->checkpoint) : keel_sim_open(j->model, &j->keel);
    if (!r->sim) return EXIT_FAILED;
    keel_sim_attach(r->sim, r);
    if (!keel_sim_solver(r->sim) || keel_state_of(keel_sim_solver(r->sim)) < 0) return job_refuse(j, r->sim);
    if (trace_attach(&r->trace, r->sim)) return EXIT_FAILED;
    return checkpoint_begin(&r->checkpoint, &r->trace);
}

static void take_steps(struct run *r, int count) {
    keel_status status = KEEL_OK;
    if (!r->checkpoint.from) trace_sample(&r->trace);
    for (int k = 0; k < count && status == KEEL_OK; k++) status = keel_sim_step(r->sim, r->job->t1);
}

static void close_run(struct run *r) {
    checkpoint_close(&r->checkpoint);
    keel_sim_close(r->sim);
    trace_close(&r->trace);
}

/* Sound checkpoints ------------------------------------------------------------------------------------ */

static void close_all(void) {
    for (int i = 0; i < RECIPE_MODELS; i++) {
        for (int k = 0; k < RECIPE_METHODS; k++) {
            struct pair *p = &pairs[i][k];
            if (!p->opened) continue;
            job_close(&p->save);
            job_close(&p->resume);
            for (int n = 0; n < RECIPE_STEPS; n++) free(p->saved[n].bytes), free(p->saved[n].rows);
        }
        free(paths.model[i]);
    }
    free(paths.file);
    free(paths.rows);
}

static void write_models(void) {
    for (int i = 0; i < RECIPE_MODELS; i++) {
        char name[20];
        snprintf(name, sizeof name, "m%d.keel", i);
        paths.model[i] = fuzz_path(name);
        fuzz_write(paths.model[i], model_texts[i], strlen(model_texts[i]));
    }
    paths.file = fuzz_path("state");
    paths.rows = fuzz_path("state.rows");
    atexit(close_all);
}

static int open_job(struct job *j, const struct recipe *r, const char *how) {
    char *words[WORDS] = {paths.model[r->model], "--json",    "--interpret",
                          "--points=20",         (char *)how, paths.file};
    int count = 6;
    for (int k = 0; k < 3 && method_words[r->method][k]; k++)
        words[count++] = (char *)method_words[r->method][k];
    return job_open(j, COMMAND_RUN, count, words);
}

static struct saved read_files(void) {
    struct saved s = {0};
    char why[200];
    s.bytes = file_read(paths.file, &s.size, why, sizeof why);
    s.rows = file_read(paths.rows, &s.count, why, sizeof why);
    return s;
}

/* The checkpoint that a recipe begins with; NULL: the method refuses the model. */
static const struct saved *sound(const struct recipe *r, struct pair *p) {
    struct saved *s = &p->saved[r->steps];
    struct run run;
    if (!p->opened) {
        p->opened = 1;
        p->refused = open_job(&p->save, r, "--checkpoint") || open_job(&p->resume, r, "--resume");
    }
    if (p->refused || s->bytes) return p->refused ? NULL : s;
    unlink(paths.file);
    unlink(paths.rows);
    p->refused = open_run(&run, &p->save) != 0;
    if (!p->refused) {
        take_steps(&run, r->steps);
        p->refused = checkpoint_at(&run.checkpoint, &run.trace, 0, 1) != 0;
    }
    if (!p->refused) *s = read_files();
    close_run(&run);
    return p->refused ? NULL : s;
}

/* ------------------------------------------------------------------------------------------------------ */

static unsigned char *saved_sim(const keel_sim *s, size_t *size) {
    *size = keel_sim_save(s, NULL, 0);
    unsigned char *bytes = calloc(*size + 1, 1);
    keel_sim_save(s, bytes, *size);
    return bytes;
}

/* What a run saves is accepted, and is saved as the same. */
static void check_again(const struct input *in, struct job *j, const keel_sim *s) {
    size_t size, again;
    unsigned char *bytes = saved_sim(s, &size);
    keel_options o = j->keel;
    o.observe = NULL;
    keel_sim *other = size ? keel_sim_load(j->model, &o, bytes, size) : NULL;
    if (other) {
        if (!keel_sim_solver(other) || keel_state_of(keel_sim_solver(other)) < 0)
            fprintf(stderr, "%s\n", keel_sim_message(other));
        require(keel_sim_solver(other) && keel_state_of(keel_sim_solver(other)) >= 0,
                "what is saved can be loaded", in);
        unsigned char *twice = saved_sim(other, &again);
        require(size == again && memcmp(bytes, twice, size) == 0, "and is saved as the same bytes", in);
        free(twice);
    }
    keel_sim_close(other);
    free(bytes);
}

static void check_resume(const struct input *in, const struct recipe *r, struct job *j) {
    struct run run;
    int status = open_run(&run, j);
    keel_event_record one;
    require(status == 0 || status == EXIT_FAILED || status == EXIT_USAGE, "a refusal has a status", in);
    require(status == 0 || j->sentence[0], "a refusal has a sentence", in);
    if (status && !r->changes) fprintf(stderr, "%s\n", j->sentence);
    require(status == 0 || r->changes, "a checkpoint without changes is accepted", in);
    if (status == 0) {
        check_again(in, j, run.sim);
        take_steps(&run, STEPS);
        for (long k = 0; keel_sim_event(run.sim, k, &one); k++)
            require(one.event != NULL, "an event has a name", in);
        if (keel_state_of(keel_sim_solver(run.sim)) >= 0) check_again(in, j, run.sim);
        checkpoint_at(&run.checkpoint, &run.trace, 0, 1);
    }
    close_run(&run);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    struct input in = {data, size};
    if (!paths.file) write_models();
    char *text = fuzz_ended(data, size);
    struct recipe r = recipe_of(text);
    struct pair *p = &pairs[r.model][r.method];
    const struct saved *whole = sound(&r, p);
    require(whole || r.method != 0, "the method that is chosen takes the model", &in);
    if (whole) {
        struct saved s = {(unsigned char *)fuzz_copy(whole->bytes, whole->size),
                          (unsigned char *)fuzz_copy(whole->rows, whole->count), whole->size, whole->count};
        saved_repair(&s);
        require(memcmp(s.bytes, whole->bytes, s.size) == 0,
                "tests/fuzz/recipe.c knows the places of the checksums", &in);
        recipe_apply(text, &r, &s);
        fuzz_write(paths.file, s.bytes, s.size);
        fuzz_write(paths.rows, s.rows, s.count);
        check_resume(&in, &r, &p->resume);
        free(s.bytes);
        free(s.rows);
    }
    free(text);
    return 0;
}
