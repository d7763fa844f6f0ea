/* fit.c - see keel/fit.h: the fit of parameters, its data and its search. */
#include "analysis/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 100, ROUNDS = 20 };

keel_status fit_fail(keel_fit *f, keel_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    text_vset(f->message, sizeof f->message, format, args);
    va_end(args);
    return f->status = status;
}

keel_status fit_no_memory(keel_fit *f) {
    return fit_fail(f, KEEL_ENOMEM, "%s", text_no_memory);
}

/* Opening ----------------------------------------------------------------------------------------------- */

static char *copy(const char *text) {
    char *out = text ? malloc(strlen(text) + 1) : NULL;
    return out ? strcpy(out, text) : NULL;
}

static keel_status take_parameters(keel_fit *f) {
    while (keel_model_direction(f->model, f->n)) f->n++;
    size_t n = (size_t)f->n;
    if (f->n == 0)
        return fit_fail(f, KEEL_EINVAL,
                        "nothing is to be fitted: read the model with the sensitivities to it");
    f->value = calloc(n, sizeof *f->value);
    f->low = calloc(4 * n + n * n, sizeof *f->low);
    if (!f->value || !f->low) return fit_no_memory(f);
    f->high = f->low + n, f->search.x = f->high + n, f->covariance = f->search.x + n;
    for (int k = 0; k < f->n; k++) {
        f->value[k] = (keel_fitted){.name = keel_model_direction(f->model, k), .deviation = NAN};
        f->low[k] = -INFINITY, f->high[k] = INFINITY;
    }
    return KEEL_OK;
}

/* Where the search begins: the parameters of the model, and the columns of its run at the start. */
static keel_status take_starts(keel_fit *f) {
    const char *name;
    double value;
    if (keel_sim_values(f->base, f->all) != KEEL_OK)
        return fit_fail(f, KEEL_ESTART, "the columns have no values at the start");
    for (int k = 0; k < f->n; k++) {
        keel_fitted *one = &f->value[k];
        one->start = NAN;
        for (int i = 0; keel_model_parameter(f->model, i, &name, &value); i++)
            if (strcmp(name, one->name) == 0) one->start = value;
        for (int i = 0; isnan(one->start) && (name = keel_sim_column(f->base, i)); i++)
            if (strcmp(name, one->name) == 0) one->start = f->all[i];
        if (!isfinite(one->start))
            return fit_fail(f, KEEL_ESTART, "`%.80s` has no value to begin with", one->name);
        one->value = one->start;
    }
    return KEEL_OK;
}

keel_fit *keel_fit_open(keel_model *m, const keel_options *o, const keel_fit_options *with) {
    keel_fit *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->model = m;
    if (o) f->o = *o;
    if (f->o.rtol == 0 && f->o.step == 0) f->o.rtol = 1e-8;
    if (with) f->with = *with;
    f->wanted = copy(f->with.columns), f->by = copy(f->with.experiment);
    if ((f->with.columns && !f->wanted) || (f->with.experiment && !f->by)) return fit_no_memory(f), f;
    if (keel_model_status(m) != KEEL_OK) return fit_fail(f, KEEL_EINVAL, "the model has errors"), f;
    if (take_parameters(f) != KEEL_OK) return f;
    f->base = keel_sim_open(m, &f->o);
    if (!f->base) return fit_no_memory(f), f;
    if (keel_sim_status(f->base) < 0)
        return fit_fail(f, keel_sim_status(f->base), "%s", keel_sim_message(f->base)), f;
    f->all = calloc((size_t)keel_sim_columns(f->base) + 1, sizeof *f->all);
    if (!f->all) return fit_no_memory(f), f;
    take_starts(f);
    return f;
}

void keel_fit_close(keel_fit *f) {
    if (!f) return;
    for (int i = 0; i < f->columns; i++) free(f->column[i].slope);
    for (int i = 0; i < f->experiments; i++) {
        keel_sim_close(f->experiment[i].sim);
        free(f->experiment[i].setting);
    }
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < f->remarks[k]; i++) free(f->remark[k][i]);
    keel_sim_close(f->base);
    keel_vary_close(f->variation);
    free(f->wanted), free(f->by);
    free(f->value), free(f->low);
    free(f->column), free(f->setting), free(f->experiment), free(f->point);
    free(f->all), free(f->values), free(f->search.r);
    free(f);
}

keel_status keel_fit_status(const keel_fit *f) {
    return f ? f->status : KEEL_ENOMEM;
}

const char *keel_fit_message(const keel_fit *f) {
    return f ? f->message : text_no_memory;
}

/* Data -------------------------------------------------------------------------------------------------- */

static int may_take(keel_fit *f) {
    if (!f || f->status < 0) return 0;
    if (f->is_settled) fit_fail(f, KEEL_EINVAL, "it was run: open another fit for other data");
    return !f->is_settled;
}

keel_status keel_fit_table(keel_fit *f, const char *name, const char *text, size_t length) {
    struct table t;
    char why[TEXT_SENTENCE];
    if (!text || !may_take(f)) return f ? f->status : KEEL_EINVAL;
    if (!name) name = "the data";
    enum table_status status = table_read(&t, text, length, 1, why, sizeof why);
    if (status == TABLE_READ) fit_add(f, name, &t);
    else if (status == TABLE_WRONG) fit_fail(f, KEEL_EINVAL, "%.200s, %.400s", name, why);
    else fit_no_memory(f);
    table_close(&t);
    return f->status;
}

keel_status keel_fit_columns(keel_fit *f, const char *name, int columns, const char *const *column,
                             int64_t rows, const double *value) {
    if (columns < 1 || rows < 1 || !column || !value || !may_take(f)) return f ? f->status : KEEL_EINVAL;
    for (int64_t i = 0; i < rows * columns; i++)
        if (isinf(value[i]))
            return fit_fail(f, KEEL_EINVAL, "row %lld of the data: `%.80s` is infinite",
                            (long long)(i / columns) + 1, column[i % columns]);
    struct table t = {.columns = columns,
                      .name = (char **)(uintptr_t)column,
                      .rows = rows,
                      .value = (double *)(uintptr_t)value};
    return fit_add(f, name ? name : "the data", &t);
}

/* "name = what": what; the name without blanks around it. */
static const char *split(keel_fit *f, const char *text, const char *example, char *name) {
    const char *sign = strchr(text, '=');
    text += strspn(text, " \t");
    int length = sign ? (int)(sign - text) : 0;
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t')) length--;
    if (length <= 0 || length >= FIT_NAME) {
        fit_fail(f, KEEL_EINVAL, "`%.80s`: write it as  %s", text, example);
        return NULL;
    }
    text_set(name, FIT_NAME, "%.*s", length, text);
    return sign + 1;
}

/* An expression of parameters; nothing at all is `otherwise`. */
static int number_of(keel_fit *f, const char *text, size_t length, double otherwise, double *value) {
    char one[FIT_NAME];
    text_set(one, sizeof one, "%.*s", (int)(length < sizeof one ? length : sizeof one - 1), text);
    *value = otherwise;
    if (one[strspn(one, " \t")] == '\0') return 1;
    if (keel_model_number(f->model, one, value)) return 1;
    fit_fail(f, KEEL_EINVAL, "%s", keel_model_refusal(f->model));
    return 0;
}

keel_status keel_fit_bound(keel_fit *f, const char *text) {
    char name[FIT_NAME];
    if (!text || !may_take(f)) return f ? f->status : KEEL_EINVAL;
    const char *what = split(f, text, "g=0:20", name), *colon = what ? strchr(what, ':') : NULL;
    if (what && !colon) return fit_fail(f, KEEL_EINVAL, "`%.80s`: write it as  g=0:20, g=0: or g=:20", text);
    for (int k = 0; k < f->n && what; k++) {
        if (strcmp(f->value[k].name, name) != 0) continue;
        if (!number_of(f, what, (size_t)(colon - what), -INFINITY, &f->low[k]) ||
            !number_of(f, colon + 1, strlen(colon + 1), INFINITY, &f->high[k]))
            return f->status;
        if (!(f->low[k] < f->high[k]))
            return fit_fail(f, KEEL_EINVAL, "`%.80s`: the first bound must be the lower one", text);
        if (f->value[k].start < f->low[k] || f->value[k].start > f->high[k])
            return fit_fail(f, KEEL_EINVAL, "`%.80s` begins at %g, beyond its bounds; begin elsewhere", name,
                            f->value[k].start);
        return KEEL_OK;
    }
    return what ? fit_fail(f, KEEL_EINVAL, "`%.80s` is not fitted, so it needs no bounds", name) : f->status;
}

keel_status keel_fit_sigma(keel_fit *f, const char *text) {
    char name[FIT_NAME];
    double value;
    if (!text || !may_take(f)) return f ? f->status : KEEL_EINVAL;
    const char *what = split(f, text, "x=0.01", name);
    if (!what) return f->status;
    int c = fit_column_find(f, name);
    if (c < 0) return fit_fail(f, KEEL_EINVAL, "the data have no column `%.80s` that is measured", name);
    if (!number_of(f, what, strlen(what), NAN, &value)) return f->status;
    if (!(value > 0))
        return fit_fail(f, KEEL_EINVAL, "the standard deviation of `%.80s` must be positive", name);
    f->column[c].given = value;
    return KEEL_OK;
}

/* Settling ---------------------------------------------------------------------------------------------- */

static int in_order(const void *a, const void *b) {
    const keel_fit_point *x = a, *y = b;
    if (x->experiment != y->experiment) return x->experiment < y->experiment ? -1 : 1;
    if (x->t != y->t) return x->t < y->t ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

/* Standard deviations are known for all points or for none. */
static keel_status settle_sigmas(keel_fit *f) {
    int with = -1, without = -1;
    for (int i = 0; i < f->points; i++) {
        keel_fit_point *p = &f->point[i];
        if (isnan(p->sigma)) p->sigma = f->column[p->column].given;
        if (isnan(p->sigma)) without = p->column;
        else with = p->column;
    }
    f->given = without < 0;
    if (with >= 0 && without >= 0)
        return fit_fail(
            f, KEEL_EINVAL,
            "the standard deviation of `%.80s` is given, and that of `%.80s` is not always: give all "
            "of them, or none",
            f->column[with].name, f->column[without].name);
    for (int c = 0; c < f->columns; c++) { /* columns of other units begin with a like weight */
        double mean = 0, square = 0, count = 0;
        for (int i = 0; i < f->points; i++)
            if (f->point[i].column == c) mean += f->point[i].value, count++;
        for (int i = 0; i < f->points; i++)
            if (f->point[i].column == c) square += pow(f->point[i].value - mean / count, 2);
        f->column[c].sigma = square > 0 ? sqrt(square / count) : 1;
    }
    return KEEL_OK;
}

static keel_status open_variation(keel_fit *f) {
    size_t names = (size_t)(f->n + f->settings);
    const char **name = malloc((names + 1) * sizeof *name);
    f->values = malloc((names + 1) * sizeof *f->values);
    if (name && f->values) {
        for (int k = 0; k < f->n; k++) name[k] = f->value[k].name;
        for (int k = 0; k < f->settings; k++) name[f->n + k] = f->setting[k];
        f->variation = keel_vary_open(f->model, (int)names, name);
    }
    free(name);
    if (!f->variation) return fit_no_memory(f);
    keel_status status = keel_vary_status(f->variation);
    return status < 0 ? fit_fail(f, status, "%s", keel_vary_message(f->variation)) : KEEL_OK;
}

/* Every column that is said to count must be there. */
static keel_status check_wanted(keel_fit *f) {
    char word[FIT_NAME];
    for (const char *rest = f->wanted; rest && (rest = text_next(rest, word, sizeof word));) {
        int there = fit_column_find(f, word) >= 0 || strcmp(word, "t") == 0 ||
                    strncmp(word, "sigma ", 6) == 0 || (f->by && strcmp(word, f->by) == 0);
        for (int k = 0; k < f->settings; k++) there |= strcmp(f->setting[k], word) == 0;
        if (!there)
            return fit_fail(f, KEEL_EINVAL,
                            "`%.80s` is not measured: data and model must have a column of that name", word);
    }
    return KEEL_OK;
}

static keel_status settle(keel_fit *f) {
    f->is_settled = 1;
    if (check_wanted(f) != KEEL_OK) return f->status;
    f->freedom = f->points - f->n;
    if (f->points == 0) return fit_fail(f, KEEL_EINVAL, "there are no data");
    if (f->freedom < 1)
        return fit_fail(f, KEEL_EINVAL,
                        "%d numbers do not suffice for %d parameters: one more is needed at least", f->points,
                        f->n);
    qsort(f->point, (size_t)f->points, sizeof *f->point, in_order);
    for (int i = f->points - 1; i >= 0; i--) {
        struct fit_experiment *e = &f->experiment[f->point[i].experiment];
        e->first = i;
        e->count++;
    }
    size_t rows = (size_t)f->points;
    f->search.r = malloc((rows + rows * (size_t)f->n) * sizeof *f->search.r);
    if (!f->search.r) return fit_no_memory(f);
    f->search.jacobian = f->search.r + rows;
    return settle_sigmas(f) != KEEL_OK ? f->status : open_variation(f);
}

/* The search -------------------------------------------------------------------------------------------- */

double fit_noise(const keel_fit *f) {
    double square = 0, rtol = f->o.rtol > 0 ? f->o.rtol : 1e-12;
    for (int i = 0; i < f->points; i++) {
        const keel_fit_point *p = &f->point[i];
        double sigma = isnan(p->sigma) ? f->column[p->column].sigma : p->sigma;
        square += pow(p->value / sigma, 2);
    }
    return rtol * sqrt(square);
}

static keel_status find(keel_fit *f) {
    struct least_squares *l = &f->search;
    int steps = l->steps;
    l->rows = f->points, l->n = f->n, l->value = fit_value, l->user = f;
    l->low = f->low, l->high = f->high, l->most = f->with.steps > 0 ? f->with.steps : STEPS;
    l->least = 0.01 * (f->o.rtol > 0 ? f->o.rtol : 1e-8);
    l->noise = fit_noise(f);
    enum least_squares_end end = least_squares_find(l);
    l->steps += steps;
    for (int k = 0; k < f->n; k++) f->value[k].value = l->x[k];
    switch (end) {
    case LEAST_SQUARES_CONVERGED:
        return KEEL_OK;
    case LEAST_SQUARES_NO_START:
        return fit_fail(f, KEEL_ESTART, "the model cannot be run where the search begins: %.500s", f->why);
    case LEAST_SQUARES_GIVEN_UP:
        return f->status;
    case LEAST_SQUARES_NO_MEMORY:
        return fit_no_memory(f);
    case LEAST_SQUARES_SLOW:
        break;
    }
    return fit_fail(f, KEEL_ELIMIT,
                    "the search did not converge within %d steps: the values are not a fit; begin nearer, or "
                    "give bounds",
                    l->most);
}

/* The standard deviation of each column from its residuals, its share of the parameters taken off.  Not below
 * what the runs resolve.  The largest and the least factor it changes by. */
static void estimate(keel_fit *f, double *largest, double *least) {
    *largest = 0, *least = INFINITY;
    for (int c = 0; c < f->columns; c++) {
        double square = 0, size = 0, count = 0, rtol = f->o.rtol > 0 ? f->o.rtol : 1e-12;
        for (int i = 0; i < f->points; i++) {
            const keel_fit_point *p = &f->point[i];
            if (p->column != c) continue;
            square += (p->fitted - p->value) * (p->fitted - p->value);
            size = fmax(size, fabs(p->value));
            count++;
        }
        if (count == 0) continue;
        double sigma = sqrt(square / (count * f->freedom / f->points));
        sigma = fmax(sigma, size > 0 ? rtol * size : 1e-300);
        double factor = sigma / f->column[c].sigma;
        f->column[c].sigma = sigma;
        *largest = fmax(*largest, factor), *least = fmin(*least, factor);
        for (int i = 0; i < f->points; i++) {
            if (f->point[i].column != c) continue;
            f->search.r[i] /= factor;
            for (int k = 0; k < f->n; k++) f->search.jacobian[i * f->n + k] /= factor;
        }
    }
    f->search.square = 0;
    for (int i = 0; i < f->points; i++) f->search.square += f->search.r[i] * f->search.r[i];
}

/* The fitted values of the last accepted place: trials beyond it have left theirs. */
static void take_fitted(keel_fit *f) {
    for (int i = 0; i < f->points; i++) {
        keel_fit_point *p = &f->point[i];
        double sigma = isnan(p->sigma) ? f->column[p->column].sigma : p->sigma;
        p->fitted = p->value + f->search.r[i] * sigma;
    }
}

keel_status keel_fit_run(keel_fit *f) {
    if (!may_take(f)) return f ? f->status : KEEL_EINVAL;
    if (settle(f) != KEEL_OK) return f->status;
    for (int k = 0; k < f->n; k++) f->search.x[k] = f->value[k].start;
    for (int round = 0; round < ROUNDS; round++) {
        double largest, least;
        if (find(f) != KEEL_OK) return f->status;
        take_fitted(f);
        if (f->given) break;
        estimate(f, &largest, &least);
        if (largest <= 1.01 * least || f->columns == 1) break;
    }
    f->is_run = 1;
    fit_statistics(f);
    take_fitted(f);
    return f->status;
}

/* Answers ----------------------------------------------------------------------------------------------- */

int keel_fit_at(const keel_fit *f, int i, keel_fitted *out) {
    if (!f || i < 0 || i >= f->n || (f->status < 0 && f->status != KEEL_ELIMIT)) return 0;
    *out = f->value[i];
    return 1;
}

double keel_fit_covariance(const keel_fit *f, int i, int k) {
    return f && f->is_run && i >= 0 && k >= 0 && i < f->n && k < f->n ? f->covariance[i * f->n + k] : NAN;
}

double keel_fit_correlation(const keel_fit *f, int i, int k) {
    double a = keel_fit_covariance(f, i, i), b = keel_fit_covariance(f, k, k);
    return i == k && isfinite(a) ? 1 : keel_fit_covariance(f, i, k) / sqrt(a) / sqrt(b);
}

static const char *remark(const keel_fit *f, int kind, int i) {
    return f && i >= 0 && i < f->remarks[kind] ? f->remark[kind][i] : NULL;
}

const char *keel_fit_free(const keel_fit *f, int i) {
    return remark(f, 0, i);
}

const char *keel_fit_doubt(const keel_fit *f, int i) {
    return remark(f, 1, i);
}

int keel_fit_summarise(const keel_fit *f, keel_fit_summary *out) {
    if (!f || !f->is_run) return 0;
    *out = (keel_fit_summary){f->experiments,   f->points,       f->missing, f->freedom, f->given,
                              f->search.square, f->search.steps, f->runs,    f->student};
    return 1;
}

int keel_fit_column(const keel_fit *f, int i, keel_fit_measured *out) {
    if (!f || !f->is_run || i < 0 || i >= f->columns) return 0;
    double sigma = 0, residual = 0;
    *out = (keel_fit_measured){.name = f->column[i].name, .correlation = f->column[i].correlation};
    for (int k = 0; k < f->points; k++) {
        keel_fit_point p;
        if (f->point[k].column != i || !keel_fit_point_at(f, k, &p)) continue;
        sigma += p.sigma * p.sigma;
        residual += (p.value - p.fitted) * (p.value - p.fitted);
        out->points++;
    }
    out->sigma = sqrt(sigma / out->points);
    out->residual = sqrt(residual / out->points);
    return 1;
}

int keel_fit_point_at(const keel_fit *f, int i, keel_fit_point *out) {
    if (!f || !f->is_run || i < 0 || i >= f->points) return 0;
    *out = f->point[i];
    if (isnan(out->sigma)) out->sigma = f->column[out->column].sigma;
    return 1;
}

const char *keel_fit_experiment(const keel_fit *f, int i) {
    return f && i >= 0 && i < f->experiments ? f->experiment[i].name : NULL;
}

struct curve {
    const keel_fit *f;
    int place;
    double *value;
};

static void take_value(void *user, int i) {
    struct curve *c = user;
    c->value[i] = c->f->all[c->place];
}

keel_status keel_fit_curve(keel_fit *f, int experiment, int column, int count, const double *t,
                           double *value) {
    if (!f || !f->is_run || experiment < 0 || experiment >= f->experiments || column < 0 ||
        column >= f->columns || count < 1 || !t || !value)
        return KEEL_EINVAL;
    struct curve c = {f, f->column[column].place, value};
    for (int i = 0; i < count; i++) value[i] = NAN;
    for (int i = 1; i < count; i++)
        if (t[i] < t[i - 1]) return KEEL_EINVAL;
    int status = fit_experiment_run(f, experiment, f->search.x, count, t, take_value, &c);
    return status < 0 ? f->status : KEEL_OK;
}
