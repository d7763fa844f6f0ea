/* job.h - what run, compare, converge, check and emit begin with: options, a model, a method. */
#ifndef KEEL_CLI_JOB_JOB_H
#define KEEL_CLI_JOB_JOB_H

#include "cli/terminal/memory.h"
#include "cli/job/missing.h"
#include "cli/job/option.h"
#include "cli/terminal/message.h"

#include <keel/model.h>

enum { JOB_WORD = 40, JOB_PAIR = 2 * JOB_WORD, JOB_SENTENCE = 640, JOB_FREEDOM = 80 };

struct job {
    unsigned command;
    struct messages messages;
    struct options options;
    struct like *like; /* what --like has taken from a sweep; or NULL */
    const char *file;  /* as given; "-": standard input */
    char *path;        /* of the file that was read */
    const char *text;  /* of the model, where it is not read from the file */
    keel_model *model; /* loaded, without errors */
    double compile_s;  /* to load, analyse and compile it */
    double t0, t1;     /* the span */
    keel_options keel; /* as the options say */
    char method[JOB_WORD], stabilizer[JOB_WORD], pair[JOB_PAIR];
    int automatic;               /* the method of a run is changed where the motion is stiff */
    char why[JOB_SENTENCE];      /* the method was chosen, or does not suit; "" where it was given */
    char sentence[JOB_SENTENCE]; /* what went wrong */
    int status;                  /* exit status so far */
};

/* Parses and loads.  0, or an exit status; then what was wrong is told already (with --json in job->sentence
 * alone).  job_close in any case. */
int job_open(struct job *j, unsigned command, int count, char **argv);
/* The same with the model's text instead of its file; NULL: the file. */
int job_open_text(struct job *j, unsigned command, int count, char **argv, const char *text);
/* Options and at most one word, which `ask` asks for (NULL: it may be missing); the same otherwise. */
int job_open_word(struct job *j, unsigned command, int count, char **argv, const char *ask);
void job_close(struct job *j);
/* One sentence about what went wrong; returns the status. */
int job_fail(struct job *j, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same without memory; told once. */
int job_no_memory(struct job *j);
/* Some values do not exist: which ones, as a sentence that is told; the exit status for it. */
int job_miss(struct job *j, const struct missing *m);
/* For commands that do not run: the options of a run that the model gives, settled in job->keel; 0, or an
 * exit status with job->sentence, which is not told. */
int job_model_run(struct job *j);
/* Can it be run?  Not without memory, either, and that is noted: a row must not vanish for it. */
int job_accepted(keel_sim *sim);
/* A sentence of the library, what a run fails with, in the words of the command; until the next call. */
const char *job_words(const char *sentence);
const char *job_why(keel_sim *sim);
/* A run that could not be opened: with options that do not fit, or because the model fails; the status. */
int job_refuse(struct job *j, keel_sim *sim);
/* The clock that steps go by, as it was written; NULL: they go by t. */
const char *job_clock(const struct job *j);
/* Does the model run in the interpreter, and why, in one sentence?  Waits for the compiler. */
int job_interpreted(const struct job *j, const char **why);
void job_tell_interpreter(const struct job *j); /* that it does, where nobody asked for it */
/* "1 degree of freedom (2 start values free)" of a mechanism, "2 free start values" of equations; in out. */
const char *job_freedom(const keel_mode *mode, char out[JOB_FREEDOM]);
/* The number an option gives, an expression of parameters; 0, or an exit status. */
int job_number(struct job *j, int id, double *value);
/* The nearest of a list to a misspelt name, if nearer than *least, which becomes its distance; NULL: none. */
const keel_method *job_nearest(const keel_method *(*at)(int), const char *name, int *least);
/* "rk4+project" into stepper and stabilizer with the nearest names suggested; 0, or an exit status. */
int job_method(struct job *j, const char *text, char *method, char *stabilizer);
/* keel_options of a method with a stabilizer, whose names go to pair, JOB_PAIR long. */
void job_settle(struct job *j, const char *method, const char *stabilizer, char *pair, keel_options *out);
/* Was an option given that belongs to none of these stabilizers, nor methods (NULL: these are not looked at)?
 * 0, or an exit status with a sentence that ends so. */
int job_check_own(struct job *j, char (*method)[JOB_WORD], char (*stabilizer)[JOB_WORD], int count,
                  const char *with);
/* What `auto` has become, once a solver is open: project, watch or none. */
void job_name_stabilizer(struct job *j, const keel_solver *s);
double job_seconds(void); /* a clock */
/* The first line of an answer: model, method, and what its steps go by. */
void job_headline(const struct job *j, FILE *out);
#endif
