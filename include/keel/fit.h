/* fit.h - parameters and start values of a model from data, by least squares on exact sensitivities.
 *
 *     keel_model *m = keel_model_load("pendulum.keel", &(keel_model_options){.sensitivity = "g, l"});
 *     keel_fit *f = keel_fit_open(m, NULL, NULL);
 *     keel_fit_table(f, "swing.csv", text, length);
 *     keel_fit_run(f);
 *     keel_fitted v;
 *     for (int i = 0; keel_fit_at(f, i, &v); i++) printf("%s = %g +- %g\n", v.name, v.value, v.deviation);
 *
 * What the model is read with the sensitivities to is what is fitted.  Data are tables with a column t and
 * columns of the model (unknowns, derivatives, multipliers, outputs); NAN is a missing value.  A column
 * `sigma x` has the standard deviations of x.  A column with the name of a parameter gives its value: rows
 * that differ there, or come from different tables, are different experiments, each a run of its own.
 *
 * Without standard deviations one for each column is estimated from its residuals. */
#ifndef KEEL_FIT_H
#define KEEL_FIT_H

#include <keel/model.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All zero is a sound default. */
typedef struct keel_fit_options {
    const char *columns;    /* "x, y": these columns of the data alone; NULL: all of them */
    const char *experiment; /* rows that differ in this column of the data are different experiments */
    int steps;              /* of the search at most; 0: 100 */
    void (*progress)(int runs, double square, void *user); /* told after each run; NULL: nobody asks */
    void *user;
} keel_fit_options;

typedef struct keel_fit keel_fit;
/* o: of the runs; rtol is 1e-8 where neither it nor a step is given.  The model must not be changed while it
 * is open.  NULL only without memory. */
KEEL_API keel_fit *keel_fit_open(keel_model *m, const keel_options *o, const keel_fit_options *with);
KEEL_API void keel_fit_close(keel_fit *f);
KEEL_API keel_status keel_fit_status(const keel_fit *f);
KEEL_API const char *keel_fit_message(const keel_fit *f); /* what was wrong; "" */

/* Data ------------------------------------------------------------------------------------------------- */

/* A table as CSV, or as numbers, value[rows][columns].  name: for messages.  Any number of them. */
KEEL_API keel_status keel_fit_table(keel_fit *f, const char *name, const char *text, size_t length);
KEEL_API keel_status keel_fit_columns(keel_fit *f, const char *name, int columns, const char *const *column,
                                      int64_t rows, const double *value);
/* "g = 0:20", "l = 0.1:": a parameter stays within. */
KEEL_API keel_status keel_fit_bound(keel_fit *f, const char *text);
/* "x = 0.01": the standard deviation of a column, where the data have no column `sigma x`. */
KEEL_API keel_status keel_fit_sigma(keel_fit *f, const char *text);

/* Results ---------------------------------------------------------------------------------------------- */

/* KEEL_OK; KEEL_ELIMIT: the search did not come to an end, and what it has is not a fit; another: as the
 * message says. */
KEEL_API keel_status keel_fit_run(keel_fit *f);

typedef struct keel_fitted {
    const char *name;
    double start, value;
    double deviation; /* standard deviation; NAN: on a bound, or the data do not determine it */
    double low, high; /* the interval that covers the true value with 95 % */
    int bound;        /* -1, 1: it lies on its lower, upper bound; 0: it does not */
} keel_fitted;
KEEL_API int keel_fit_at(const keel_fit *f, int i, keel_fitted *out); /* 1; 0: no more */
KEEL_API double keel_fit_correlation(const keel_fit *f, int i, int k);
KEEL_API double keel_fit_covariance(const keel_fit *f, int i, int k);
/* The i-th sentence about what the data cannot tell apart, as in "only a*b is determined"; NULL: no more. */
KEEL_API const char *keel_fit_free(const keel_fit *f, int i);
/* The i-th doubt: residuals that follow each other, scatter beyond sigma; NULL: no more. */
KEEL_API const char *keel_fit_doubt(const keel_fit *f, int i);

typedef struct keel_fit_summary {
    int experiments, points, missing;
    int freedom;     /* points less parameters that are determined; 0: deviations cannot be told */
    int given;       /* 1: the standard deviations were given; 0: they are estimated */
    double square;   /* the sum of (residual / sigma)^2 */
    int steps, runs; /* of the search; of the model */
    double student;  /* the 95 % interval is value +- so many standard deviations */
} keel_fit_summary;
KEEL_API int keel_fit_summarise(const keel_fit *f, keel_fit_summary *out); /* 1; 0: it was not run */

typedef struct keel_fit_measured {
    const char *name;
    int points;
    double sigma;       /* given (the mean of their squares, rooted) or estimated */
    double residual;    /* the same mean of the residuals */
    double correlation; /* of each residual with the next one in time */
} keel_fit_measured;
KEEL_API int keel_fit_column(const keel_fit *f, int i, keel_fit_measured *out); /* 1; 0: no more */

/* The data with the fit: by experiment, then by time. */
typedef struct keel_fit_point {
    int experiment, column; /* from 0 */
    double t, value, sigma, fitted;
} keel_fit_point;
KEEL_API int keel_fit_point_at(const keel_fit *f, int i, keel_fit_point *out); /* 1; 0: no more */
KEEL_API const char *keel_fit_experiment(const keel_fit *f, int i);            /* its name; NULL: no more */
/* A column of the fit at t of an experiment, between the data; NAN: it has no value. */
KEEL_API keel_status keel_fit_curve(keel_fit *f, int experiment, int column, int count, const double *t,
                                    double *value);

#ifdef __cplusplus
}
#endif
#endif
