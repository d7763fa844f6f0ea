/* sound_batch.c - see sound_batch.h. */
#include "sound_batch.h"

#include "model/private.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 5, MOST_INPUTS = 1000, ORDERS = 12, FIXED = 100 };

static const char *const role_name[] = {
#define NAME(role) #role,
    FUNCTIONS_LIST(NAME)
#undef NAME
};

void sound_batch_open(struct sound_batch *b) {
    memset(b, 0, sizeof *b);
    emit_open(&b->emit);
}

/* Of the methods that are taken here: the others have a tolerance. */
static int has_fixed_steps(const char *method) {
    return strcmp(method, "rk4") == 0;
}

static void run(keel_model *m, const char *method, struct sound_end *end) {
    int fixed = has_fixed_steps(method);
    sound_run(m, method, fixed ? 0 : 1e-7, fixed ? FIXED : 0, end);
}

int sound_batch_add(struct sound_batch *b, keel_model *m, const char *method, int kernel) {
    int at = b->models++;
    b->model[at] = m;
    b->method[at] = method;
    b->first[at] = b->modes;
    run(m, method, &b->end[at]);
    for (int i = 0; i < m->modes; i++) {
        struct functions *f = &m->mode[i]->functions;
        int number = b->modes++;
        if (functions_emit(f, &b->emit, number, kernel ? method : "", 1)) return 0;
        if (kernel && functions_emit_kernel(f, &b->emit, number, &m->mode[i]->formulation, method)) return 0;
    }
    return 1;
}

void sound_batch_close(struct sound_batch *b) {
    for (int i = 0; i < b->models; i++) keel_model_close(b->model[i]);
    emit_close(&b->emit);
}

static int same_numbers(const double *a, const double *b, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i]))) return 0;
    return 1;
}

/* Usual numbers around 0, then such as functions rarely get. */
static void choose_point(int point, double *t, double *u) {
    static const double strange[] = {0.0, -0.0, 1, -1, 1e300, -1e300, 5e-324, HUGE_VAL, NAN, 1e-9, 2};
    struct sound_dice dice = {.seed = 77 + (uint64_t)point};
    for (int i = 0; i < MOST_INPUTS; i++)
        u[i] = point < POINTS - 1 ? sound_below(&dice, 40001) / 1e4 - 2 : strange[sound_below(&dice, 11)];
    *t = u[0];
}

/* Every function of a mode by itself. */
static int same_functions(keel_model *m, int mode, int number, const struct compile_unit *unit, char *why) {
    const struct functions *f = &m->mode[mode]->functions;
    static double u[MOST_INPUTS];
    for (int role = 0; role < FUNCTIONS_ROLES; role++) {
        char name[60];
        if (!f->there[role]) continue;
        snprintf(name, sizeof name, "%d_%s", number, role_name[role]);
        keel_fn *compiled = compile_function(unit, name);
        size_t count = f->tape[role].outputs;
        double t, *here = calloc(2 * count + 1, sizeof *here), *there = here ? here + count : NULL;
        int same = compiled && here && f->tape[role].inputs < MOST_INPUTS;
        for (int point = 0; same && point < POINTS; point++) {
            choose_point(point, &t, u);
            int code = f->call[role](t, u, here, &m->bound[mode]);
            same = compiled(t, u, there, &m->bound[mode]) == code && same_numbers(here, there, count);
        }
        free(here);
        if (same) continue;
        snprintf(why, SOUND_WHY, "%s of mode %d %s", role_name[role], mode,
                 compiled ? "differs" : "is missing");
        return 0;
    }
    return 1;
}

static int same_series(keel_model *m, int mode, int number, const struct compile_unit *unit, char *why) {
    const keel_problem *p = &m->mode[mode]->fill.problem;
    char name[60];
    snprintf(name, sizeof name, "%d_f", number);
    keel_series_fn *compiled = compile_series(unit, name);
    if (!keel_extras_of(p)->series.value || !compiled) return 1;
    static double u[MOST_INPUTS];
    size_t count = (size_t)(ORDERS + 1) * (size_t)p->n;
    double t, *here = calloc(2 * count + 1, sizeof *here), *there = here ? here + count : NULL;
    double *work = calloc(
        (size_t)(keel_extras_of(p)->series.workspace + keel_extras_of(p)->series.per_order * (ORDERS + 1)) +
            1,
        sizeof *work);
    int same = here && work;
    for (int point = 0; same && point < POINTS - 1; point++) {
        choose_point(point, &t, u);
        int code = keel_extras_of(p)->series.value(t, u, ORDERS, here, work, p->user);
        same = compiled(t, u, ORDERS, there, work, p->user) == code &&
               (code || same_numbers(here, there, count));
    }
    free(here);
    free(work);
    if (!same) snprintf(why, SOUND_WHY, "the series of mode %d differs", mode);
    return same;
}

/* From here on the model runs compiled. */
static void link(keel_model *m, int first, const struct compile_unit *unit) {
    for (int i = 0; i < m->modes; i++) {
        struct inside_mode *mode = m->mode[i];
        const keel_problem old = mode->fill.problem;
        functions_link(&mode->functions, unit, first + i);
        fill_problem(&mode->fill, &mode->formulation, &mode->functions, old.name);
        mode->fill.problem.t0 = old.t0, mode->fill.problem.u0 = old.u0, mode->fill.problem.user = old.user;
    }
}

static int same_model(struct sound_batch *b, int at, const struct compile_unit *unit, char *why) {
    keel_model *m = b->model[at];
    struct sound_end end;
    for (int i = 0; i < m->modes; i++)
        if (!same_functions(m, i, b->first[at] + i, unit, why) ||
            !same_series(m, i, b->first[at] + i, unit, why))
            return 0;
    link(m, b->first[at], unit);
    run(m, b->method[at], &end);
    if (sound_same(&end, &b->end[at])) return 1;
    snprintf(why, SOUND_WHY, "the run by %s differs: %ld and %ld steps; %s %s", b->method[at],
             b->end[at].steps, end.steps, b->end[at].message, end.message);
    return 0;
}

int sound_batch_check(struct sound_batch *b, char *why) {
    struct compile_unit unit;
    if (b->emit.failed || compile_load(b->emit.text, NULL, &unit, why, SOUND_WHY) != COMPILE_READY)
        return b->models;
    int bad = -1;
    for (int i = 0; i < b->models && bad < 0; i++)
        if (!same_model(b, i, &unit, why)) bad = i;
    while (b->models) keel_model_close(b->model[--b->models]); /* before their functions are gone */
    compile_close(&unit);
    return bad;
}

/* Emitted programs -------------------------------------------------------------------------------------- */

/* To the end of the span, or to the first event that acts. */
static void run_problem(const keel_problem *p, const keel_model *m, const char *method,
                        struct sound_end *end) {
    keel_options o = {.method = method, .rtol = 1e-7, .max_steps = 20000};
    if (has_fixed_steps(method)) o.rtol = 0, o.step = fabs(m->span[1] - m->span[0]) / FIXED;
    keel_solver *s = keel_open(p, &o);
    *end = (struct sound_end){.status = KEEL_ENOMEM};
    if (!s) return;
    end->status = keel_run(s, m->span[1]);
    end->t = keel_time(s);
    end->steps = keel_statistics(s).steps;
    const double *u = keel_state(s);
    end->columns = u && p->n + p->m < SOUND_COLUMNS ? p->n + p->m : 0;
    if (end->columns) memcpy(end->value, u, (size_t)end->columns * sizeof *u);
    keel_close(s);
}

int sound_emits_the_same(keel_model *m, const char *method, char *why) {
    struct compile_unit unit;
    struct sound_end here, there;
    const keel_problem *(*problem)(void);
    keel_mode mode;
    char *source = keel_model_standalone(m, &(keel_options){.method = method}), name[200];
    if (!source) return snprintf(why, SOUND_WHY, "nothing is emitted"), 0;
    char *bare = malloc(strlen(source) + 40);
    if (bare) sprintf(bare, "#define KEEL_MODEL_PROBLEMS\n%s", source);
    enum compile_status status = bare ? compile_load(bare, NULL, &unit, why, SOUND_WHY) : COMPILE_FAILED;
    free(bare);
    const char *head = strstr(source, "_problem(): the problem"), *begin = head;
    while (begin && begin > source && begin[-1] != ' ') begin--;
    snprintf(name, sizeof name, "%.*s_problem", begin ? (int)(head - begin) : 0, begin ? begin : "");
    free(source);
    if (status != COMPILE_READY) return 0;
    void *address = dlsym(unit.handle, name);
    memcpy(&problem, &address, sizeof problem);
    keel_model_mode(m, keel_model_start(m), &mode);
    int good = address != NULL && m->model->start == 0;
    if (good) {
        run_problem(mode.problem, m, method, &here);
        run_problem(problem(), m, method, &there);
        good = sound_same(&here, &there);
        if (!good) snprintf(why, SOUND_WHY, "%s: the emitted program ends elsewhere", name);
    } else snprintf(why, SOUND_WHY, "%s is not in what was emitted", name);
    compile_close(&unit);
    return good;
}
