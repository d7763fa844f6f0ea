/* compare_list.c - which methods, steps and tolerances a comparison is made of. */
#include "base/text.h"
#include "cli/job/choose.h"
#include "cli/compare/compare.h"
#include "cli/job/stabilizer.h"
#include "cli/job/stiff.h"

#include <keel/method.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NUMBERS = 32, MOST_PAIRS = 64, DEFAULT_PAIRS = 8, GEOMETRIC = 2, ADAPTIVE = 4 };
enum {
    GEOMETRY = KEEL_SYMPLECTIC | KEEL_SYMMETRIC_STEP | KEEL_CONSTRAINED | KEEL_AS_GIVEN | KEEL_KEEPS_ENERGY
};

struct compare_list {
    struct job *j;
    char method[MOST_PAIRS][JOB_WORD], stabilizer[MOST_PAIRS][JOB_WORD];
    unsigned traits[MOST_PAIRS];
    int count;
};

static const keel_method *find(const char *name) {
    const keel_method *m;
    for (int i = 0; (m = keel_method_at(i)); i++)
        if (strcmp(m->name, name) == 0) return m;
    return NULL;
}

static void add(struct compare_list *l, const char *method, const char *stabilizer) {
    const keel_method *m = find(method);
    if (l->count == MOST_PAIRS) return;
    l->traits[l->count] = m ? m->traits : 0;
    text_set(l->method[l->count], JOB_WORD, "%s", method);
    text_set(l->stabilizer[l->count++], JOB_WORD, "%s", stabilizer);
}

/* The next entry of a list, without the commas inside of brackets, and without blanks around it. */
static const char *next_entry(const char *at, char *one, size_t capacity) {
    int depth = 0;
    size_t length = 0;
    while (*at == ' ') at++;
    for (; *at && (depth > 0 || *at != ','); at++) {
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        if (length + 1 < capacity) one[length++] = *at;
    }
    while (length && one[length - 1] == ' ') length--;
    one[length] = '\0';
    return *at ? at + 1 : at;
}

/* "0.1, T/100" into numbers; 0 or an exit status. */
static int take_numbers(struct job *j, int id, double *out, int *count) {
    const char *at = option_text(&j->options, id);
    char one[200];
    *count = 0;
    while (at && *at) {
        at = next_entry(at, one, sizeof one);
        if (*count == MOST_NUMBERS)
            return job_fail(j, EXIT_USAGE, "--%s takes at most %d numbers", option_row(id).name,
                            MOST_NUMBERS);
        if (!one[0]) return job_fail(j, EXIT_USAGE, "--%s has an empty entry", option_row(id).name);
        if (!keel_model_number(j->model, one, &out[*count]))
            return job_fail(j, EXIT_USAGE, "--%s %s", option_row(id).name, keel_model_refusal(j->model));
        if (id == opt_steps && !(out[*count] > 0))
            return job_fail(j, EXIT_USAGE, "--steps must be positive, one is %g", out[*count]);
        char must[80];
        if (id != opt_steps && !keel_field_fits(option_row(id).field, out[*count], 0, must, sizeof must))
            return job_fail(j, EXIT_USAGE, "--%s must %s, one is %g", option_row(id).name, must, out[*count]);
        ++*count;
    }
    return 0;
}

/* --methods a,b+project,c */
static int take_methods(struct compare_list *l, const char *text, const char *preserve) {
    struct job *j = l->j;
    char one[120], method[JOB_WORD], stabilizer[JOB_WORD];
    while (*text) {
        text = next_entry(text, one, sizeof one);
        if (!one[0]) return job_fail(j, EXIT_USAGE, "--methods has an empty entry");
        if (l->count == MOST_PAIRS)
            return job_fail(j, EXIT_USAGE, "--methods takes at most %d methods", MOST_PAIRS);
        text_set(stabilizer, sizeof stabilizer, "%s", preserve);
        if (job_method(j, one, method, stabilizer)) return j->status;
        add(l, strcmp(method, "auto") == 0 ? j->method : method, stabilizer);
    }
    return 0;
}

/* Methods that suit the problem ---------------------------------------------------------------------- */

/* Some step must be given to ask; how long it is does not matter before the first one. */
static int accepted(struct job *j, const keel_method *m, const char *stabilizer) {
    keel_options o;
    char pair[JOB_PAIR];
    job_settle(j, m->name, stabilizer, pair, &o);
    o.step = fabs(j->t1 - j->t0) / 100;
    o.rtol = o.atol = 0;
    keel_sim *sim = keel_sim_open(j->model, &o);
    int good = job_accepted(sim);
    keel_sim_close(sim);
    return good;
}

static int listed(const struct compare_list *l, const keel_method *m) {
    for (int i = 0; i < l->count; i++)
        if (strcmp(l->method[i], m->name) == 0) return 1;
    return 0;
}

/* Up to `most` methods whose traits under `mask` are `traits`, from the highest order down, one of each. */
static void add_kind(struct compare_list *l, unsigned mask, unsigned traits, int most, int order_from,
                     const char *preserve) {
    const keel_method *m;
    for (int order = order_from; order >= 1 && most > 0 && l->count < DEFAULT_PAIRS; order--)
        for (int i = 0; (m = keel_method_at(i)); i++) {
            if (m->order != order || (m->traits & mask) != traits || listed(l, m) ||
                !accepted(l->j, m, preserve))
                continue;
            add(l, m->name, preserve);
            most--;
            break;
        }
}

/* Constrained motion: a symplectic method that keeps the constraints and one for stiff motion.  Else explicit
 * symplectic methods, or where there are none the first that have some geometry. */
static void add_geometric(struct compare_list *l, const char *preserve) {
    keel_mode mode = {0};
    const keel_method *m;
    int before = l->count;
    if (keel_model_mode(l->j->model, keel_model_start(l->j->model), &mode) &&
        mode.problem->constraint.count) {
        add_kind(l, KEEL_CONSTRAINED | KEEL_SYMPLECTIC, KEEL_CONSTRAINED | KEEL_SYMPLECTIC, 1, 2, preserve);
        add_kind(l, KEEL_CONSTRAINED | KEEL_ADAPTIVE, KEEL_CONSTRAINED | KEEL_ADAPTIVE, 1, 5, preserve);
        return;
    }
    add_kind(l, KEEL_SYMPLECTIC | KEEL_IMPLICIT, KEEL_SYMPLECTIC, GEOMETRIC, 4, preserve);
    for (int i = 0; l->count == before && (m = keel_method_at(i)); i++)
        if (m->traits & GEOMETRY && !(m->traits & KEEL_AS_GIVEN) && accepted(l->j, m, preserve))
            add(l, m->name, preserve);
}

/* Actions and changes of mode end a grid of equal steps. */
static int grid_may_end(const struct job *j) {
    keel_mode mode = {0};
    return keel_model_groups(j->model) > 0 ||
           (keel_model_mode(j->model, keel_model_start(j->model), &mode) && mode.problem->event.count);
}

static int keeps_something(const struct job *j) {
    keel_mode mode = {0};
    if (!keel_model_mode(j->model, keel_model_start(j->model), &mode)) return 0;
    const keel_problem *p = mode.problem;
    return p->constraint.count + p->rolling.count + p->hidden.count + p->energy.count + p->invariant.count;
}

/* Where a trial says that they matter. */
static void add_stiff(struct compare_list *l, const keel_method *m, const char *preserve) {
    struct stiff found = {0};
    if (!m || !stiff_may_be(l->j)) return;
    if (stiff_try(l->j, &l->j->keel, &found) < 0) memory_out();
    if (!found.is) return;
    add(l, "radau", preserve);
    add(l, "bdf", preserve);
}

/* The automatic choice with and without its projection, methods with their own geometry, error control at
 * several orders, a fixed step by one step and by several. */
static void take_defaults(struct compare_list *l, const char *preserve, int tolerances) {
    enum { HIGHEST = 20 };
    const keel_method *m = find(choose_method(l->j->model, CHOOSE_ADAPTIVE, l->j->why, sizeof l->j->why));
    if (m) add(l, m->name, preserve);
    if (m && keeps_something(l->j) && strcmp(preserve, "auto") == 0)
        add(l, m->name, stabilizer_with(KEEL_MEASURES | KEEL_CORRECTS | KEEL_DAMPS, KEEL_MEASURES));
    add_stiff(l, m, preserve);
    if (!tolerances) add_geometric(l, preserve);
    int order = m ? m->order - 1 : HIGHEST;
    add_kind(l, KEEL_ADAPTIVE | GEOMETRY | KEEL_IMPLICIT, KEEL_ADAPTIVE, ADAPTIVE - 1, order, preserve);
    if (tolerances) return;
    add_kind(l, KEEL_ADAPTIVE | GEOMETRY | KEEL_MULTISTEP | KEEL_IMPLICIT, 0, 1, HIGHEST, preserve);
    if (!grid_may_end(l->j))
        add_kind(l, KEEL_ADAPTIVE | GEOMETRY | KEEL_MULTISTEP, KEEL_MULTISTEP, 1, 4, preserve);
}

/* -------------------------------------------------------------------------------------------------------- */

static int add_rows(struct compare *c, const struct compare_list *l, const double *number, int numbers,
                    int fixed) {
    int each = numbers ? numbers : 1;
    c->row = calloc((size_t)(l->count * each) + 1, sizeof *c->row);
    if (!c->row) return -1;
    for (int i = 0; i < l->count; i++)
        for (int k = 0; k < each; k++) {
            struct compare_row *row = &c->row[c->count++];
            text_set(row->method, sizeof row->method, "%s", l->method[i]);
            text_set(row->stabilizer, sizeof row->stabilizer, "%s", l->stabilizer[i]);
            if (numbers && fixed) row->step = number[k];
            else if (numbers) row->rtol = number[k];
            else if (l->traits[i] & KEEL_ADAPTIVE) row->rtol = KEEL_VALUE(&l->j->keel, rtol);
            row->error = row->max_drift = row->scaled_drift = row->wall_s = NAN;
        }
    return 0;
}

int compare_open(struct compare *c, struct job *j) {
    struct compare_list l = {.j = j};
    double number[MOST_NUMBERS];
    int numbers = 0, fixed = option_given(&j->options, opt_steps);
    const char *methods = option_text(&j->options, opt_methods);
    const char *preserve = option_text(&j->options, opt_preserve);
    if (!preserve) preserve = "auto";
    *c = (struct compare){.automatic = !methods};
    if (take_numbers(j, fixed ? opt_steps : OPTION_OF(rtol), number, &numbers)) return j->status;
    if (methods && take_methods(&l, methods, preserve)) return j->status;
    if (!methods) take_defaults(&l, preserve, numbers && !fixed);
    if (job_check_own(j, l.method, l.stabilizer, l.count, "no row has it")) return j->status;
    if (!add_rows(c, &l, number, numbers, fixed)) return 0;
    return job_no_memory(j);
}
