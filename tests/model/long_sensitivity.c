/* long_sensitivity.c - sensitivities of all examples against differences of runs, and their rows at
 * round-off.
 *
 * Each by the first parameters that differences can vary, or by a start value, up to 0.9613 of its time: the
 * end may be that of a period, or a switch.  What is left out has its reason in the table. */
#include "testing.h"

#include "cases.h"
#include "model_run.h"

enum { COLUMNS = 1000, PARAMETERS = 2, NAME = 80, WHY = 300 };

static const char *const folders[] = {"", "circuits", "contacts", "groups", "mechanisms", "papers", "tables"};

/* What is set or asked for in place of the first parameters, how far the run goes, why there is none. */
static const struct special {
    const char *name, *set, *by;
    double share;
    const char *left_out;
} specials[] = {
    {"lorenz", NULL, NULL, 0.15, NULL}, /* before chaos takes the digits */
    {"double_pendulum", NULL, NULL, 0.1, NULL},
    {"henon_chaotic", NULL, NULL, 0.1, NULL},
    {"allen_cahn", "N=12", NULL, 0, NULL},
    {"brusselator_plane", "N=4", NULL, 0.1, NULL},
    {"ladder", "N=20", NULL, 0, NULL},
    {"ring_modulator", NULL, NULL, 0.01, NULL},
    {"stewart", NULL, NULL, 0.1, NULL},
    {"bennett", "four.r[1]=0.325", NULL, 0, NULL}, /* else its place is a guess */
    {"gonzalez_quartic", NULL, NULL, 0, "no parameters, and of its start values none varies alone"},
    {"fpu", NULL, NULL, 0.05, NULL},
    {"stick_slip", NULL, NULL, 0,
     "an action sets off another event, whose time has no derivative of its own"},
    {"robertson", NULL, NULL, 0, "no parameters, and of its start values none varies alone"},
    {"sampled", NULL, "M", 0, NULL}, /* by T its events at t = 5 change places, which is told */
    {"sliders", NULL, NULL, 0, "several groups of modes"},
    {"ball", NULL, NULL, 0, "contacts"},
    {"carts", NULL, NULL, 0, "contacts"},
    {"disk", NULL, NULL, 0, "contacts"},
    {"incline", NULL, NULL, 0, "contacts"},
    {"rocking", NULL, NULL, 0, "contacts"},
    {"plastic", NULL, NULL, 0, "values held where a mode begins"},
    {"liu2006_5", NULL, "x[2]", 0, NULL}, /* with other places on the track its rows are none */
    {"liu2013_4_mechanics", NULL, "x[2]'", 0, NULL},
    {"plastic2", NULL, NULL, 0, "it begins on the surface of its event, which has no derivative there"},
};

struct motion {
    int columns;
    double value[COLUMNS];
    char why[WHY]; /* "": it has arrived */
};

static const struct special *special_of(const char *path) {
    static const struct special none = {0};
    const char *name = strrchr(path, '/') + 1;
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        size_t length = strlen(specials[i].name);
        if (strncmp(specials[i].name, name, length) == 0 && name[length] == '.') return &specials[i];
    }
    return &none;
}

/* The model, and its run to the end; either may be unable, and then motion.why says so. */
static keel_sim *run_with(const char *path, const char *by, const char *set, double rtol, keel_model **m,
                          struct motion *out) {
    const struct special *special = special_of(path);
    const char *sets[2] = {special->set, set};
    keel_model_options o = {.sensitivity = by,
                            .set = special->set ? sets : sets + 1,
                            .sets = (special->set != NULL) + (set != NULL)};
    double from, to;
    keel_status status;
    *m = keel_model_load(path, &o);
    *out = (struct motion){0};
    snprintf(out->why, WHY, "%s", keel_model_message(*m));
    if (keel_model_status(*m) != KEEL_OK) return NULL;
    keel_model *plain = set ? keel_model_load(path, &(keel_model_options){.interpret = 1}) : NULL;
    keel_model_span(plain && keel_model_status(plain) == KEEL_OK ? plain : *m, &from, &to);
    keel_model_close(plain);
    keel_sim *s = keel_sim_open(*m, &(keel_options){.rtol = rtol});
    to = from + (special->share ? special->share : 0.9613) * (to - from);
    while ((status = keel_sim_run(s, to)) == KEEL_EVENT) {}
    out->columns = keel_sim_columns(s);
    assert_true(out->columns <= COLUMNS);
    if (status == KEEL_OK) status = keel_sim_values(s, out->value);
    snprintf(out->why, WHY, "%s", status == KEEL_OK ? "" : keel_sim_message(s));
    return s;
}

/* (4 D(h/2) - D(h))/3 of central differences.  0: a run has failed. */
static int differences(const char *path, const char *by, double value, double h, struct motion *out) {
    static struct motion end[4];
    double at[4] = {h, -h, h / 2, -h / 2};
    for (int i = 0; i < 4; i++) {
        char set[2 * NAME];
        keel_model *m;
        snprintf(set, sizeof set, "%s=%.17g", by, value + at[i]);
        keel_sim *s = run_with(path, NULL, set, 1e-12, &m, &end[i]);
        keel_sim_close(s);
        keel_model_close(m);
        memcpy(out->why, end[i].why, WHY);
        if (end[i].why[0]) return 0;
    }
    out->columns = end[0].columns;
    for (int c = 0; c < out->columns; c++) {
        double wide = (end[0].value[c] - end[1].value[c]) / (2 * h);
        double narrow = (end[2].value[c] - end[3].value[c]) / h;
        out->value[c] = (4 * narrow - wide) / 3;
    }
    return 1;
}

/* Of the columns, for the largest derivative, or x/p where all are less. */
static double worst_column(keel_sim *s, const char *by, double value, const struct motion *have,
                           const keel_sim *plain, const struct motion *want, char *worst) {
    double largest = 0, off = 0;
    for (int c = 0; c < want->columns; c++)
        if (isfinite(want->value[c])) {
            double x = have->value[column_named(s, keel_sim_column(plain, c))];
            largest = fmax(largest, fmax(fabs(want->value[c]), value == 0 ? 0 : fabs(x / value)));
        }
    for (int c = 0; c < want->columns; c++) {
        char name[3 * NAME];
        snprintf(name, sizeof name, "d/d%s %s", by, keel_sim_column(plain, c));
        double found = have->value[column_named(s, name)], miss = fabs(found - want->value[c]) / largest;
        if (!isfinite(want->value[c]) || miss <= off) continue;
        off = isfinite(miss) ? miss : HUGE_VAL;
        snprintf(worst, 3 * NAME, "%.100s: %.12g, by differences %.12g", name, found, want->value[c]);
    }
    return off;
}

static int rows_hold(const char *path, keel_sim *s) {
    keel_row row;
    int good = 1;
    for (int k = 0; keel_sim_row_at(s, k, &row); k++) {
        if (row.treatment != KEEL_ROW_KEPT || row.units <= 16) continue;
        print_error("%s: %s %g units\n", path, row.name, row.units);
        good = 0;
    }
    return good;
}

/* A derivative that is wrong agrees with differences of no length; a motion that is curved much, or long and
 * close to chaos, with short ones alone. */
static double least_miss(const char *path, const char *by, double value, keel_sim *s,
                         const struct motion *have, char *worst) {
    static struct motion want, plain;
    keel_model *m;
    keel_sim *named = run_with(path, NULL, NULL, 1e-6, &m, &plain);
    double least = HUGE_VAL;
    for (double h = 1e-3; h > 1e-7 && least > 1e-6; h /= 10)
        if (differences(path, by, value, h * (value == 0 ? 1 : fabs(value)), &want))
            least = fmin(least, worst_column(s, by, value, have, named, &want, worst));
    keel_sim_close(named);
    keel_model_close(m);
    return least;
}

/* 1; 0: differences cannot vary it (a number of parts; start values that do not follow); -1: it is wrong. */
static int check_one(const char *path, const char *by, double value) {
    static struct motion have, want;
    char worst[3 * NAME] = "";
    keel_model *m;
    if (!differences(path, by, value, 1e-3 * (value == 0 ? 1 : fabs(value)), &want)) return 0;
    keel_sim *s = run_with(path, by, NULL, 1e-10, &m, &have);
    int good = !have.why[0];
    if (!good) print_error("%s by %s: %s\n", path, by, have.why);
    double off = good ? least_miss(path, by, value, s, &have, worst) : 0;
    if (!(off <= 1e-6)) print_error("%s: off by %g: %s\n", path, off, worst);
    good = good && off <= 1e-6 && rows_hold(path, s);
    keel_sim_close(s);
    keel_model_close(m);
    return good ? 1 : -1;
}

/* Name and value of parameter k; behind the last one, of the free start values. */
static int candidate(const char *path, int k, char *name, double *value) {
    static struct motion start;
    const char *set = special_of(path)->set, *found = NULL;
    keel_model_options o = {.set = &set, .sets = set != NULL, .interpret = 1};
    keel_model *m = keel_model_load(path, &o);
    keel_sim *s = NULL;
    int parameters = 0, there = keel_model_parameter(m, k, &found, value);
    while (!there && keel_model_parameter(m, parameters, &found, value)) parameters++;
    if (!there) {
        keel_model_close(m);
        o.sensitivity = special_of(path)->by ? special_of(path)->by : "*"; /* all of them may be too many */
        m = keel_model_load(path, &o);
        found = keel_model_direction(m, k - parameters);
        s = found ? keel_sim_open(m, NULL) : NULL;
        there = s && keel_sim_columns(s) <= COLUMNS && keel_sim_values(s, start.value) == KEEL_OK;
        if (there) *value = start.value[column_named(s, found)];
    }
    if (there) snprintf(name, NAME, "%s", found);
    keel_sim_close(s);
    keel_model_close(m);
    return there;
}

/* How many are wrong. */
static int check_example(const char *path) {
    const struct special *special = special_of(path);
    char by[NAME];
    double value;
    int checked = 0, wrong = 0, most = special->by ? 1 : PARAMETERS;
    if (special->left_out) return 0;
    for (int k = 0; checked < most && candidate(path, k, by, &value); k++) {
        if (special->by && strcmp(special->by, by) != 0) continue;
        int is = check_one(path, by, value);
        print_message("%s by %s: %s\n", path, by, is > 0 ? "right" : is < 0 ? "wrong" : "not varied");
        checked += is != 0;
        wrong += is < 0;
    }
    if (!checked) print_error("%s: there is nothing to differentiate by\n", path);
    return wrong + !checked;
}

static void all_examples(void **state) {
    (void)state;
    struct cases cases = cases_of(1000, "KEEL_EXAMPLES");
    int wrong = 0, models = 0;
    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++) {
        char folder[EXAMPLE_ROOM], path[2 * EXAMPLE_ROOM];
        struct dirent **entry;
        snprintf(folder, sizeof folder, "%s/%s", KEEL_EXAMPLES_DIR, folders[f]);
        int found = scandir(folder, &entry, example_is_model, alphasort);
        assert_true(found > 0);
        for (int k = 0; k < found; k++) {
            snprintf(path, sizeof path, "%s%s%s", folder, folders[f][0] ? "/" : "", entry[k]->d_name);
            free(entry[k]);
            if (models++ % cases.stride == cases.first) wrong += check_example(path);
        }
        free(entry);
    }
    assert_true(models > 100);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_examples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
