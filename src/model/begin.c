/* begin.c - the start: values by `init` and `guess`, made consistent, and what is left to say about them.
 *
 * The core finds the consistent point nearest to the guesses with the `init` values fixed; here its inputs
 * are prepared and its refusals are told in the words of the model. */
#include "base/text.h"
#include "lang/derive_rules.h"
#include "linalg/rowspace.h"
#include "model/ask.h"
#include "model/begin.h"
#include "model/complaint.h"
#include "model/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_GIVEN, GUESSED, FIXED };

struct begin {
    struct keel_model *m;
    struct inside_mode *mode;
    struct road *r;
    double t0;
    unsigned char *given;            /* [n + m] */
    const struct model_given **from; /* [n + m] the line that gave it; or NULL */
    double *last;                    /* [n + m] as given */
};

/* The place of what is given among the unknowns, aliases followed; -1: it is none of them. */
static int place_of(const struct begin *b, expr target) {
    const struct system *y = &b->mode->system;
    struct graph *g = &b->m->model->graph;
    int j = target == EXPR_NONE ? -1 : system_unknown(y, target);
    if (j < 0) return -1;
    int place = road_place(b->r, target);
    if (place >= 0 && place < b->r->n + b->r->m) return place;
    const struct structure_value alias = y->s.alias[j];
    const struct expr_node n = g->node[y->unknown[alias.unknown]];
    place =
        road_place(b->r, expr_symbol(g, (enum expr_kind)n.a, n.b, (uint32_t)alias.order + g->node[target].c));
    return place < b->r->n + b->r->m ? place : -1;
}

static int take(struct begin *b, const struct model_givens *list, int how) {
    struct keel_model *m = b->m;
    int good = 1;
    for (int k = 0; k < list->count; k++) {
        const struct model_given *one = &list->list[k];
        double value = model_number(m->model, one->value, b->t0);
        if (!isfinite(value)) {
            char name[160];
            model_name(m->model, one->target, name, sizeof name);
            source_hint(source_say(&m->messages, SOURCE_ERROR, one->where.offset, one->where.length,
                                   "the start value of `%s` is not a number (%g).", name, value),
                        "Look for a division by zero, or a root or logarithm of a negative number.");
            good = 0;
            continue;
        }
        int place = place_of(b, one->target);
        if (place < 0) continue; /* an `init` of what follows from others is looked at afterwards */
        m->u0[place] = value;
        b->given[place] = (unsigned char)how;
        b->from[place] = one;
    }
    return good;
}

/* Start values from outside, "y' = 0.1": they count as `init`. */
static int take_given(struct begin *b) {
    struct keel_model *m = b->m;
    for (int k = 0; k < m->starts; k++) {
        char name[120], why[300];
        double value;
        const char *sign = strchr(m->start[k], '=');
        text_set(name, sizeof name, "%.*s", sign ? (int)(sign - m->start[k]) : 0, m->start[k]);
        expr target = sign ? ask_symbol(m, name, why, sizeof why) : EXPR_NONE;
        int place = target == EXPR_NONE ? -1 : place_of(b, target);
        if (place < 0 || !keel_model_number(m, sign + 1, &value)) {
            source_say(&m->messages, SOURCE_ERROR, SOURCE_NOWHERE, 0, "the start value `%.80s`: %.280s",
                       m->start[k],
                       !sign                 ? "write it as  name = value."
                       : target == EXPR_NONE ? why
                       : place < 0           ? "this value follows from others."
                                             : keel_model_refusal(m));
            return 0;
        }
        struct model_given *one = pool_take(&m->pool, sizeof *one);
        if (!one) return complaint_memory(&m->messages);
        *one = (struct model_given){.target = target, .output = -1, .where = {SOURCE_NOWHERE, 0}};
        m->u0[place] = value;
        b->given[place] = FIXED;
        b->from[place] = one;
    }
    return 1;
}

/* Refusals ---------------------------------------------------------------------------------------------- */

/* The text between the first pair of back-quotes. */
static int quoted(const char *sentence, char *out, size_t room) {
    const char *from = strchr(sentence, '`'), *to = from ? strchr(from + 1, '`') : NULL;
    if (!to || (size_t)(to - from) > room) return 0;
    text_set(out, room, "%.*s", (int)(to - from - 1), from + 1);
    return 1;
}

/* The equation behind a row of the certificate. */
static expr row_expression(struct begin *b, const char *name) {
    struct road *r = b->r;
    const struct road_map *maps[] = {&r->constraint, &r->rolling, &r->hidden, &r->algebraic};
    int derivative = strncmp(name, "d/dt ", 5) == 0;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < maps[k]->count; i++) {
            if (strcmp(maps[k]->names[i], name) == 0) return maps[k]->value[i];
            if (k == 0 && derivative && strcmp(maps[k]->names[i], name + 5) == 0)
                return derive_total(&r->derive, maps[k]->value[i]);
        }
    return EXPR_NONE;
}

/* The `init` that the nearest consistent values change most. */
static int worst_init(const struct begin *b, const double *nearest) {
    int worst = -1;
    double most = 0;
    for (int j = 0; j < b->r->n + b->r->m; j++) {
        double change = fabs(nearest[j] - b->last[j]) / (1 + fabs(b->last[j]));
        if (b->given[j] != FIXED || change <= most) continue;
        most = change;
        worst = j;
    }
    return worst;
}

static void does_not_fit(struct begin *b, const keel_solver *s) {
    struct keel_model *m = b->m;
    const struct structure *y = &b->mode->system.s;
    const double *nearest = keel_state(s);
    char row[220], text[200] = "", label[460];
    const char *sentence = keel_message(s), *found = strstr(sentence, "nearest consistent value");
    int worst = nearest ? worst_init(b, nearest) : -1;
    if (!quoted(sentence, row, sizeof row)) text_set(row, sizeof row, "%s", "");
    expr f = row_expression(b, row);
    if (f != EXPR_NONE) complaint_print(&b->mode->system, f, text, sizeof text);
    text_set(label, sizeof label, row[0] ? text[0] ? " %s:  %s = 0" : " %s" : "", row, text);
    struct syntax_span at = worst >= 0 ? b->from[worst]->where : (struct syntax_span){SOURCE_NOWHERE, 0};
    struct source_message *one =
        row[0] ? source_say(&m->messages, SOURCE_ERROR, at.offset, at.length, "`init` does not fit%s.", label)
               : source_say(&m->messages, SOURCE_ERROR, at.offset, at.length, "%s.", sentence);
    char closest[300] = "";
    if (row[0] && found) text_set(closest, sizeof closest, "%s.\n", found);
    source_hint(
        one, "%sIndex %d, %d degree%s of freedom.  Write `guess` instead of `init` for what keel may choose.",
        closest, y->index, y->freedom, y->freedom == 1 ? "" : "s");
}

/* Why an energy is not conserved, as far as it can be seen. */
static void blame(const struct begin *b, struct source_message *one) {
    const struct model *m = b->m->model;
    const struct model_mode *mode = &m->mode[b->mode->system.mode];
    struct graph *g = &b->m->model->graph;
    expr t = expr_symbol(g, EXPR_TIME, 0, 0);
    char name[160], why[220] = "";
    for (int j = 0; j < m->unknowns && !why[0]; j++)
        if (mode->force && mode->force[j] != EXPR_NONE) {
            model_name(m, expr_symbol(g, EXPR_UNKNOWN, (uint32_t)j, 0), name, sizeof name);
            text_set(why, sizeof why, "`force %s` does work.  ", name);
        }
    for (int i = 0; i < mode->constraint.count && !why[0]; i++)
        if (expr_depends(g, mode->constraint.list[i].value, 1, &t))
            text_set(why, sizeof why, "constraint `%.120s` moves with t and does work.  ",
                     mode->constraint.list[i].label.text);
    if (!why[0] && mode->function != EXPR_NONE && expr_depends(g, mode->function, 1, &t))
        text_set(why, sizeof why, "the %s depends on t.  ",
                 m->form == MODEL_LAGRANGIAN ? "lagrangian" : "hamiltonian");
    source_hint(one, "%sRemove `invariant energy`, or write  output E = energy  to watch it.", why);
}

static void not_conserved(struct begin *b, const char *sentence) {
    struct keel_model *m = b->m;
    const struct model_mode *mode = &m->model->mode[b->mode->system.mode];
    char row[220];
    struct syntax_span at = {SOURCE_NOWHERE, 0};
    if (!quoted(sentence, row, sizeof row)) row[0] = '\0';
    for (int i = 0; i < mode->invariant.count; i++)
        if (strcmp(mode->invariant.list[i].label.text, row) == 0) at = mode->invariant.list[i].where;
    struct source_message *one =
        source_say(&m->messages, SOURCE_ERROR, at.offset, at.length, "%.300s.", sentence);
    if (strcmp(row, "energy") == 0) blame(b, one);
    else source_hint(one, "If it is only to be watched, write  output %.60s = ...", row);
}

static void refused(struct begin *b, const keel_solver *s) {
    keel_status status = keel_state_of(s);
    const char *sentence = keel_message(s);
    if (status == KEEL_ESTART) does_not_fit(b, s);
    else if (strstr(sentence, "is not conserved")) not_conserved(b, sentence);
    else
        source_say(&b->m->messages, SOURCE_ERROR, SOURCE_NOWHERE, 0, "the start at t = %.10g: %.280s.", b->t0,
                   sentence);
}

/* An `init energy` of a system whose energy depends on t is not refused by the core: it is only shown. */
static int energy_varies(struct begin *b, const keel_solver *s) {
    keel_kept row;
    for (int i = 0; keel_kept_at(s, i, &row); i++)
        if (row.kind == KEEL_ROW_ENERGY && row.care == KEEL_ROW_VARYING &&
            b->m->model->mode[b->mode->system.mode].keeps_energy) {
            not_conserved(b, "`energy` is not conserved: it depends on t");
            return 1;
        }
    return 0;
}

/* What is determined ------------------------------------------------------------------------------------ */

/* Rows of the manifold that a range of states meets. */
struct level {
    int count, first, columns;
    expr *row;
};

static int levels_of(struct begin *b, struct level *level) {
    struct road *r = b->r;
    int half = r->n / 2, held = r->constraint.count, all = held + r->rolling.count;
    if (r->form == KEEL_ODE) return 0;
    if (r->form == KEEL_DAE) {
        level[0] = (struct level){r->hidden.count, 0, r->n, r->hidden.value};
        return 1;
    }
    expr *rate = pool_take(&b->m->pool, ((size_t)all + 1) * sizeof *rate);
    for (int i = 0; i < all && rate; i++)
        rate[i] = i < held ? road_resolve(r, derive_total(&r->derive, r->constraint.value[i]))
                           : r->rolling.value[i - held];
    level[0] = (struct level){held, 0, half, r->constraint.value};
    level[1] = (struct level){rate ? all : 0, half, half, rate};
    return 2;
}

enum { MOST_ENTRIES = 1 << 22 }; /* beyond, nothing is said about what is determined */

/* left[j]: how much of the direction of state first + j the rows leave free, given the fixed ones. */
static int freedom_left(struct begin *b, const struct level *l, double *left) {
    struct road *r = b->r;
    size_t width = ((size_t)l->columns + 3) / 4 * 4, rows = (size_t)l->count;
    struct derive_sparse jacobian = {0};
    struct tape tape = {0};
    expr missing;
    for (int j = 0; j < l->columns; j++) left[j] = b->given[l->first + j] == FIXED ? 0 : 1;
    if (rows == 0) return 1;
    if (width * rows > MOST_ENTRIES) return memset(left, 0, (size_t)l->columns * sizeof *left), 1;
    if (derive_jacobian(&r->derive, l->count, l->row, l->columns, r->basic + l->first, &jacobian)) return 0;
    size_t entries = (size_t)jacobian.row_start[l->count];
    double *entry = calloc(entries + 1, sizeof *entry),
           *q = aligned_alloc(32, (rows * width + 4) * sizeof *q),
           *more = calloc(rows * rows + 2 * rows + 1, sizeof *more);
    int *used = calloc(rows + 1, sizeof *used);
    int good = entry && q && more && used &&
               functions_tape(r, entries, jacobian.value, &tape, &missing) == 0 &&
               tape_call(&tape, b->t0, b->m->u0, b->m->parameter, entry) == 0;
    if (good) {
        struct rowspace space = {.rows = l->count, .width = (int)width, .q = q, .r = more, .used = used};
        space.inverse = more + rows * rows;
        double *floor_of = space.inverse + rows;
        memset(q, 0, rows * width * sizeof *q);
        for (int i = 0; i < l->count; i++) {
            floor_of[i] = 1e-9;
            for (int e = jacobian.row_start[i]; e < jacobian.row_start[i + 1]; e++)
                q[(size_t)i * width + (size_t)jacobian.column[e]] = entry[e] * left[jacobian.column[e]];
        }
        rowspace_factor(&space, floor_of);
        for (int j = 0; j < l->columns; j++)
            for (int i = 0; i < l->count; i++) {
                double share = q[(size_t)i * width + (size_t)j];
                left[j] -= share * share * space.inverse[i];
            }
    }
    derive_free(&jacobian);
    tape_free(&tape);
    free(entry);
    free(q);
    free(more);
    free(used);
    return good;
}

/* Names what keeps its guess; refuses what has none. */
static int name_free_values(struct begin *b) {
    struct keel_model *m = b->m;
    struct road *r = b->r;
    struct level level[2];
    int levels = levels_of(b, level), without = 0;
    double *left = calloc((size_t)r->n + 1, sizeof *left);
    char list[280] = "", first[160] = "";
    m->free_value = pool_take(&m->pool, ((size_t)r->n + 1) * sizeof *m->free_value);
    if (!left || !m->free_value) return free(left), complaint_memory(&m->messages);
    for (int j = 0; j < r->n; j++) left[j] = b->given[j] != FIXED;
    for (int l = 0; l < levels; l++)
        if (!freedom_left(b, &level[l], left + level[l].first))
            return free(left), complaint_memory(&m->messages);
    for (int j = 0; j < r->n; j++) {
        if (left[j] < 1e-10) continue;
        if (b->given[j] == GUESSED) m->free_value[m->free_values++] = r->names[j];
        if (b->given[j] != NOT_GIVEN) continue;
        if (without < 6) text_add(list, sizeof list, "%s`%.40s`", without ? ", " : "", r->names[j]);
        if (without++ == 0) text_set(first, sizeof first, "%s", r->names[j]);
    }
    free(left);
    if (without == 0) return 1;
    if (without > 6) text_add(list, sizeof list, ", ... (%d in all)", without);
    source_hint(source_say(&m->messages, SOURCE_ERROR, SOURCE_NOWHERE, 0,
                           "nothing determines the start value of %s.", list),
                "Give it:  init %s = ...; or  guess %s = ...  to start anywhere near that.", first, first);
    return 0;
}

/* An `init` of what the states determine is a check. */
static int check_implied(struct begin *b) {
    struct keel_model *m = b->m;
    const struct model_givens *init = &m->model->init;
    int good = 1;
    for (int k = 0; k < init->count; k++) {
        const struct model_given *one = &init->list[k];
        struct values v;
        double found, value = model_number(m->model, one->value, b->t0);
        if (place_of(b, one->target) >= 0 || system_unknown(&b->mode->system, one->target) < 0) continue;
        int there = values_open(&v, b->r, 1, &one->target, 0) &&
                    values_at(&v, b->t0, m->u0, NULL, m->parameter, &found) == 0;
        values_close(&v);
        if (!there || fabs(found - value) <= 1e-9 * (fabs(found) + fabs(value)) ||
            fabs(found - value) < 1e-300)
            continue;
        char name[160];
        model_name(m->model, one->target, name, sizeof name);
        source_hint(source_say(&m->messages, SOURCE_ERROR, one->where.offset, one->where.length,
                               "`init` does not fit: the equations give %s = %.10g, not %.10g, at t = %.10g.",
                               name, found, value, b->t0),
                    "Leave it out, or change the other start values.");
        good = 0;
    }
    return good;
}

/* What the core says of the start; 1 and the consistent values in u0, or 0 with a message. */
static int make_consistent(struct begin *b) {
    struct keel_model *m = b->m;
    keel_problem p = b->mode->fill.problem;
    p.t0 = b->t0;
    p.u0 = m->u0;
    p.fixed = m->fixed;
    p.user = &m->bound[b->mode->system.mode];
    keel_solver *s = keel_open(&p, NULL);
    if (!s) return complaint_memory(&m->messages);
    int good = keel_state_of(s) >= 0;
    if (!good) refused(b, s);
    else if (energy_varies(b, s)) good = 0;
    else memcpy(m->u0, keel_state(s), (size_t)(b->r->n + b->r->m) * sizeof *m->u0);
    keel_close(s);
    return good;
}

/* Values held from the start are those of the consistent one, as far as the start alone tells them.  How many
 * are others than before. */
static int hold(struct begin *b) {
    struct keel_model *m = b->m;
    int helds = m->model->helds, changed = 0;
    double *now = m->parameter + m->model->parameters, *held = calloc((size_t)helds + 1, sizeof *held);
    if (held && helds && values_at(&b->mode->held, b->t0, m->u0, NULL, m->parameter, held) == 0)
        for (int k = 0; k < helds; k++) {
            if (!isfinite(held[k]) || held[k] == now[k]) continue;
            now[k] = held[k];
            changed++;
        }
    free(held);
    return changed;
}

int begin_find(struct keel_model *m) {
    struct inside_mode *mode = &m->mode[m->model->start];
    size_t all = (size_t)(mode->road.n + mode->road.m) + 1;
    struct begin b = {.m = m, .mode = mode, .r = &mode->road, .t0 = m->span[0]};
    m->free_values = 0;
    m->u0 = pool_take(&m->pool, all * sizeof *m->u0);
    m->fixed = pool_take(&m->pool, all);
    b.given = pool_take(&m->pool, all);
    b.from = pool_take(&m->pool, all * sizeof *b.from);
    b.last = pool_take(&m->pool, all * sizeof *b.last);
    if (m->pool.refused) return complaint_memory(&m->messages);
    int good = take(&b, &m->model->guess, GUESSED) & take(&b, &m->model->init, FIXED);
    if (!good || !take_given(&b)) return 0;
    for (size_t j = 0; j + 1 < all; j++) m->fixed[j] = b.given[j] == FIXED;
    memcpy(b.last, m->u0, all * sizeof *b.last);
    if (!make_consistent(&b) || (hold(&b) && !make_consistent(&b)) || !check_implied(&b)) return 0;
    return name_free_values(&b);
}
