/* fit.h - what the files of a fit share: data by experiment and time, the runs, the statistics. */
#ifndef KEEL_ANALYSIS_FIT_H
#define KEEL_ANALYSIS_FIT_H

#include "analysis/least_squares.h"
#include "base/table.h"
#include "base/text.h"

#include <keel/ensemble.h>
#include <keel/fit.h>

enum { FIT_NAME = 200, FIT_REMARKS = 16 };

struct fit_column {
    char name[FIT_NAME];
    int place, *slope;  /* among the columns of a run; [n] those of its derivatives */
    double given;       /* standard deviation by keel_fit_sigma; NAN: none */
    double sigma;       /* that of all its points where none is given */
    double correlation; /* of residuals that follow each other */
};

struct fit_experiment {
    char name[FIT_NAME];
    double key, *setting;    /* the value in the column `experiment`; [settings] */
    int table, first, count; /* points */
    keel_sim *sim;           /* of the last run, whose memory the next one takes */
};

struct keel_fit {
    keel_model *model;
    keel_options o;
    keel_fit_options with;
    char *wanted, *by; /* with.columns, with.experiment */
    keel_status status;
    char message[TEXT_SENTENCE];
    int n, is_settled, is_run;
    keel_fitted *value; /* [n] */
    double *low, *high; /* [n] bounds */
    int tables, columns, settings, experiments, points, room, missing;
    struct fit_column *column;
    char (*setting)[FIT_NAME]; /* parameters that differ between experiments */
    struct fit_experiment *experiment;
    keel_fit_point *point; /* sigma NAN: not given */
    keel_variation *variation;
    keel_sim *base;
    double *all, *values; /* the columns of a run; what varies */
    struct least_squares search;
    int given, freedom, runs;
    double *covariance; /* [n][n]; NAN where there is none */
    double student;
    char *remark[2][FIT_REMARKS]; /* what is free; doubts */
    int remarks[2];
    char why[TEXT_SENTENCE]; /* the last run failed */
};

keel_status fit_fail(keel_fit *f, keel_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
keel_status fit_no_memory(keel_fit *f);
keel_status fit_add(keel_fit *f, const char *name, const struct table *t); /* the points of a table */
int fit_column_find(const keel_fit *f, const char *name);                  /* -1: none */

/* A column of the fit at the times of an experiment, in order: `take` is told when its number `i` is in
 * f->all. */
typedef void fit_take(void *user, int i);
/* Runs an experiment with these values.  0; 1: there is no such run, as f->why says; < 0: given up. */
int fit_experiment_run(keel_fit *f, int e, const double *x, int count, const double *t, fit_take *take,
                       void *user);
int fit_value(void *fit, const double *x, double *r, double *jacobian); /* a least_squares_fn */

double fit_noise(const keel_fit *f); /* what the runs resolve of the length of the residual */
void fit_statistics(keel_fit *f);    /* deviations, intervals, what is free, doubts */
double fit_student(int freedom);     /* the 97.5 % quantile */
#endif
