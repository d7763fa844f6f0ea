/* fit_data.c - tables as points: which columns are measured, which are settings, which row belongs to which
 * experiment. */
#include "analysis/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a column of a table is. */
enum role { UNUSED, TIME, KEY, MEASURED, SIGMA, SETTING };
struct heading {
    enum role role;
    int which; /* column or setting of the fit */
};

static const char prefix[] = "sigma ";

int fit_column_find(const keel_fit *f, const char *name) {
    for (int i = 0; i < f->columns; i++)
        if (strcmp(f->column[i].name, name) == 0) return i;
    return -1;
}

static int sim_column(const keel_fit *f, const char *name) {
    const char *one;
    for (int i = 0; (one = keel_sim_column(f->base, i)); i++)
        if (strcmp(one, name) == 0) return i;
    return -1;
}

static int is_parameter(const keel_fit *f, const char *name) {
    const char *one;
    double value;
    for (int i = 0; keel_model_parameter(f->model, i, &one, &value); i++)
        if (strcmp(one, name) == 0) return 1;
    return 0;
}

/* A measured column of the model, with the places of its derivatives. */
static keel_status add_column(keel_fit *f, const char *name, int place) {
    struct fit_column *wider = realloc(f->column, ((size_t)f->columns + 1) * sizeof *wider);
    if (!wider) return fit_no_memory(f);
    f->column = wider;
    struct fit_column *c = &f->column[f->columns++];
    *c = (struct fit_column){.place = place, .given = NAN, .sigma = 1};
    text_set(c->name, sizeof c->name, "%.190s", name);
    c->slope = malloc(((size_t)f->n + 1) * sizeof *c->slope);
    if (!c->slope) return fit_no_memory(f);
    for (int k = 0; k < f->n; k++) {
        char slope[2 * FIT_NAME];
        text_set(slope, sizeof slope, "d/d%.150s %.190s", f->value[k].name, name);
        c->slope[k] = sim_column(f, slope);
        if (c->slope[k] < 0)
            return fit_fail(f, KEEL_EINVAL, "`%.80s` cannot be fitted: the model has no column `%.100s`",
                            name, slope);
    }
    return KEEL_OK;
}

static keel_status add_setting(keel_fit *f, const char *name) {
    char(*wider)[FIT_NAME] = realloc(f->setting, ((size_t)f->settings + 1) * sizeof *wider);
    if (!wider) return fit_no_memory(f);
    f->setting = wider;
    text_set(f->setting[f->settings++], FIT_NAME, "%.190s", name);
    return KEEL_OK;
}

static int setting_find(const keel_fit *f, const char *name) {
    for (int i = 0; i < f->settings; i++)
        if (strcmp(f->setting[i], name) == 0) return i;
    return -1;
}

/* A column that is neither measured nor a setting: left out where --columns says what counts. */
static keel_status refuse_column(keel_fit *f, const char *table, const char *name) {
    const char *near = NULL, *one;
    int least = TEXT_FAR;
    for (int i = 0; (one = keel_sim_column(f->base, i)); i++) {
        int distance = text_slip(name, one);
        if (distance < least) least = distance, near = one;
    }
    return fit_fail(f, KEEL_EINVAL,
                    "%.120s: the model has neither a column nor a parameter `%.80s`%s%.80s%s; name the "
                    "columns that count by options.columns",
                    table, name, near ? ", but `" : "", near ? near : "", near ? "`" : "");
}

static keel_status take_heading(keel_fit *f, const char *table, const char *name, struct heading *out) {
    int place = sim_column(f, name), wanted = !f->wanted || text_listed(f->wanted, name);
    *out = (struct heading){UNUSED, -1};
    if (strcmp(name, "t") == 0) out->role = TIME;
    else if (f->by && strcmp(name, f->by) == 0) out->role = KEY;
    else if (strncmp(name, prefix, strlen(prefix)) == 0) out->role = SIGMA; /* its column follows, maybe */
    else if (place >= 0 && wanted) {
        out->role = MEASURED;
        out->which = fit_column_find(f, name);
        if (out->which < 0 && add_column(f, name, place) == KEEL_OK) out->which = f->columns - 1;
    } else if (is_parameter(f, name)) {
        for (int k = 0; k < f->n; k++)
            if (strcmp(f->value[k].name, name) == 0)
                return fit_fail(f, KEEL_EINVAL, "%.120s: `%.80s` is to be fitted, and a column gives it",
                                table, name);
        out->role = SETTING;
        out->which = setting_find(f, name);
        if (out->which < 0 && f->tables == 0 && add_setting(f, name) == KEEL_OK) out->which = f->settings - 1;
        if (out->which < 0 && f->status == KEEL_OK)
            return fit_fail(f, KEEL_EINVAL, "%.120s: tables before it have no column `%.80s`", table, name);
    } else if (!f->wanted) return refuse_column(f, table, name);
    return f->status;
}

static keel_status take_headings(keel_fit *f, const char *name, const struct table *t, struct heading *h) {
    int times = 0, keys = 0, measured = 0, settings = 0;
    for (int i = 0; i < t->columns; i++) {
        if (take_heading(f, name, t->name[i], &h[i]) != KEEL_OK) return f->status;
        times += h[i].role == TIME, keys += h[i].role == KEY, measured += h[i].role == MEASURED;
        settings += h[i].role == SETTING;
    }
    for (int i = 0; i < t->columns; i++)
        if (h[i].role == SIGMA) {
            h[i].which = fit_column_find(f, t->name[i] + strlen(prefix));
            if (h[i].which < 0 && !f->wanted) return refuse_column(f, name, t->name[i] + strlen(prefix));
        }
    if (!times) return fit_fail(f, KEEL_EINVAL, "%.120s has no column t", name);
    if (f->by && strcmp(f->by, "t") == 0)
        return fit_fail(f, KEEL_EINVAL, "`t` is the time, which does not tell experiments apart");
    if (f->by && !keys) return fit_fail(f, KEEL_EINVAL, "%.120s has no column `%.80s`", name, f->by);
    if (!measured) return fit_fail(f, KEEL_EINVAL, "%.120s has no column of the model beside t", name);
    if (settings < f->settings)
        return fit_fail(f, KEEL_EINVAL, "%.120s lacks a column that tables before it have: `%.80s`", name,
                        f->setting[0]);
    return KEEL_OK;
}

/* The experiment of a row, a new one where it differs; -1: the fit has failed. */
static int experiment_of(keel_fit *f, const char *name, double key, const double *setting) {
    for (int e = 0; e < f->experiments; e++) {
        const struct fit_experiment *one = &f->experiment[e];
        int same = one->table == f->tables && one->key == key;
        for (int k = 0; k < f->settings; k++) same &= one->setting[k] == setting[k];
        if (same) return e;
    }
    struct fit_experiment *wider = realloc(f->experiment, ((size_t)f->experiments + 1) * sizeof *wider);
    if (!wider) return fit_no_memory(f), -1;
    f->experiment = wider;
    struct fit_experiment *one = &f->experiment[f->experiments++];
    *one = (struct fit_experiment){.key = key, .table = f->tables};
    one->setting = malloc(((size_t)f->settings + 1) * sizeof *one->setting);
    if (!one->setting) return fit_no_memory(f), -1;
    memcpy(one->setting, setting, (size_t)f->settings * sizeof *setting);
    text_set(one->name, sizeof one->name, "%.60s", name);
    if (f->by) text_add(one->name, sizeof one->name, " %.40s = %g", f->by, key);
    for (int k = 0; k < f->settings; k++)
        text_add(one->name, sizeof one->name, " %.40s = %g", f->setting[k], setting[k]);
    return f->experiments - 1;
}

static keel_fit_point *add_point(keel_fit *f) {
    if (f->points == f->room) {
        int room = f->room ? 2 * f->room : 256;
        keel_fit_point *wider = realloc(f->point, (size_t)room * sizeof *wider);
        if (!wider) return fit_no_memory(f), NULL;
        f->point = wider;
        f->room = room;
    }
    return &f->point[f->points++];
}

static double sigma_in(const struct table *t, const struct heading *h, const double *row, int column) {
    for (int i = 0; i < t->columns; i++)
        if (h[i].role == SIGMA && h[i].which == column) return row[i];
    return INFINITY; /* the data have no such column */
}

static keel_status add_measured(keel_fit *f, const char *name, long line, const struct table *t,
                                const struct heading *h, const double *row, int experiment, double time) {
    for (int i = 0; i < t->columns; i++) {
        if (h[i].role != MEASURED) continue;
        if (isnan(row[i])) f->missing++;
        if (isnan(row[i])) continue;
        double sigma = sigma_in(t, h, row, h[i].which);
        if (isnan(sigma) || sigma <= 0)
            return fit_fail(f, KEEL_EINVAL, "%.120s, row %ld: `sigma %.80s` must be positive", name, line,
                            t->name[i]);
        keel_fit_point *p = add_point(f);
        if (!p) return f->status;
        *p = (keel_fit_point){experiment, h[i].which, time, row[i], isinf(sigma) ? NAN : sigma, NAN};
    }
    return KEEL_OK;
}

static keel_status add_row(keel_fit *f, const char *name, long line, const struct table *t,
                           const struct heading *h, const double *row, double *setting) {
    double time = NAN, key = 0, t0, t1;
    for (int i = 0; i < t->columns; i++) {
        if (h[i].role == TIME) time = row[i];
        if (h[i].role == KEY) key = row[i];
        if (h[i].role == SETTING) setting[h[i].which] = row[i];
        if ((h[i].role == TIME || h[i].role == KEY || h[i].role == SETTING) && isnan(row[i]))
            return fit_fail(f, KEEL_EINVAL, "%.120s, row %ld: `%.80s` must not be missing", name, line,
                            t->name[i]);
    }
    keel_model_span(f->model, &t0, &t1);
    if (time < t0)
        return fit_fail(f, KEEL_EINVAL, "%.120s, row %ld: t = %g lies before the run, which begins at %g",
                        name, line, time, t0);
    int e = experiment_of(f, name, key, setting);
    return e < 0 ? f->status : add_measured(f, name, line, t, h, row, e, time);
}

keel_status fit_add(keel_fit *f, const char *name, const struct table *t) {
    struct heading *h = malloc(((size_t)t->columns + 1) * sizeof *h);
    double *setting = malloc(((size_t)t->columns + 1) * sizeof *setting);
    if (!h || !setting) fit_no_memory(f);
    else if (take_headings(f, name, t, h) == KEEL_OK)
        for (int64_t i = 0; i < t->rows && f->status == KEEL_OK; i++)
            add_row(f, name, (long)i + 1, t, h, t->value + (size_t)i * (size_t)t->columns, setting);
    free(h);
    free(setting);
    f->tables++;
    return f->status;
}
