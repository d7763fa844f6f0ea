/* initial_diagnostics.c - see initial_diagnostics.h.  The core's sentences quote the names of rows and
 * states; the place in the text, the expression and the remedy are added here. */
#include "model/initial_diagnostics.h"

#include "base/text.h"
#include "symbolic/derive_rules.h"
#include "lang/syntax_find.h"
#include "model/diagnostics.h"
#include "model/finite.h"
#include "model/loops.h"
#include "model/tangent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The text between the first pair of back-quotes; returns what follows, or NULL with "". */
static const char *quoted(const char *sentence, char *out, size_t capacity) {
    const char *from = strchr(sentence, '`'), *to = from ? strchr(from + 1, '`') : NULL;
    out[0] = '\0';
    if (!to || (size_t)(to - from) > capacity) return NULL;
    text_set(out, capacity, "%.*s", (int)(to - from - 1), from + 1);
    return to + 1;
}

/* A name as the core has it, which may be cut. */
static int same(const char *whole, const char *name) {
    size_t length = strlen(name);
    return strcmp(whole, name) == 0 || (length >= 70 && strncmp(whole, name, length) == 0);
}

/* Rows -------------------------------------------------------------------------------------------------- */

/* A row of the manifold by its name: the expression, what kind of thing it is, and its line. */
struct row {
    expr f;
    const char *kind;
    struct syntax_span where;
};

static struct syntax_span place_of_row(const struct begin *b, const char *name) {
    const struct system *y = &b->mode->system;
    const struct model_mode *mode = &b->m->model->mode[y->mode];
    const struct model_rows *rows[] = {&mode->constraint, &mode->rolling, &mode->invariant};
    const char *bare = strncmp(name, "d/dt ", 5) == 0 ? name + 5 : name;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < rows[k]->count; i++)
            if (same(rows[k]->list[i].label.text, bare)) return rows[k]->list[i].where;
    for (int i = 0; i < y->equations; i++)
        for (int order = 0; order < 4; order++) {
            char label[220];
            system_label(y, i, order, label, sizeof label);
            if (same(label, name)) return y->origin[i].where;
        }
    return (struct syntax_span){SOURCE_NOWHERE, 0};
}

static struct row find_row(struct begin *b, const char *name) {
    struct formulation *r = b->r;
    const struct formulation_map *maps[] = {&r->constraint, &r->rolling, &r->hidden, &r->algebraic};
    int derivative = name[0] == 'd' && strstr(name, "/dt") != NULL && strchr(name, ' ') != NULL;
    struct row row = {EXPR_NONE, derivative ? "the hidden constraint " : "", place_of_row(b, name)};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < maps[k]->count; i++) {
            if (same(maps[k]->names[i], name)) {
                row.f = maps[k]->value[i];
                if (k < 2) row.kind = "constraint ";
            }
            if (k == 0 && derivative && same(maps[k]->names[i], name + 5))
                row.f = derive_total(&r->derive, maps[k]->value[i]);
        }
    return row;
}

/* "the hidden constraint  d/dt rod:  2*x*x' + 2*y*y' = 0" */
static void describe(const struct begin *b, const struct row *row, const char *name, char *out,
                     size_t capacity) {
    char text[180] = "";
    if (row->f != EXPR_NONE) diagnostics_print(&b->mode->system, row->f, text, sizeof text);
    text_set(out, capacity, text[0] ? "%s%s:  %s = 0" : "%s%s", row->kind, name, text);
}

/* Start values that do not fit -------------------------------------------------------------------------- */

/* The `init` that the nearest consistent values change most, of those in f (EXPR_NONE: of all); -1: none. */
static int worst_init(const struct begin *b, expr f, const double *nearest) {
    int worst = -1;
    double most = 1e-9;
    for (int j = 0; j < b->r->n + b->r->m; j++) {
        double change = fabs(nearest[j] - b->last[j]) / (fabs(nearest[j]) + fabs(b->last[j]));
        if (b->given[j] != BEGIN_FIXED || !(change > most)) continue;
        if (f != EXPR_NONE && !expr_depends(&b->m->model->graph, f, 1, &b->r->basic[j])) continue;
        most = change;
        worst = j;
    }
    return worst;
}

/* "x' = 0 instead of 0.15, ..." */
static void list_changes(const struct begin *b, const double *nearest, char *out, size_t capacity) {
    int told = 0;
    out[0] = '\0';
    for (int j = 0; j < b->r->n + b->r->m && told < 4; j++) {
        double size = fabs(nearest[j]) + fabs(b->last[j]);
        if (b->given[j] != BEGIN_FIXED || fabs(nearest[j] - b->last[j]) <= 1e-9 * size) continue;
        if (tangent_direction(b->m->model, b->r->basic[j]) >= 0) continue; /* what follows is not told */
        double value = fabs(nearest[j]) < 1e-15 * fabs(b->last[j]) ? 0 : nearest[j];
        text_add(out, capacity, "%s%.110s = %.10g instead of %.10g", told++ ? ", " : "", b->r->names[j],
                 value, b->last[j]);
    }
}

/* Something that the row contains and that is not fixed; -1: none. */
static int loose_in(struct begin *b, expr f) {
    for (int j = 0; j < b->r->n + b->r->m && f != EXPR_NONE; j++)
        if (b->given[j] != BEGIN_FIXED && expr_depends(&b->m->model->graph, f, 1, &b->r->basic[j])) return j;
    return -1;
}

/* The algebraic row that contains unknown j and is off most at u, but with j as given. */
static int row_with(struct begin *b, int j, const double *u, double *off) {
    struct formulation *r = b->r;
    size_t all = (size_t)(r->n + r->m);
    int worst = -1;
    double *value = calloc((size_t)r->algebraic.count + all + 1, sizeof *value);
    const struct tape *tape = &b->mode->functions.tape[functions_role_algebraic];
    double *at = value ? value + r->algebraic.count : NULL;
    if (at) memcpy(at, u, all * sizeof *u), at[j] = b->last[j];
    if (at && tape_call(tape, b->t0, at, b->m->parameter, value) == 0)
        for (int i = 0; i < r->algebraic.count; i++)
            if (expr_depends(&b->m->model->graph, r->algebraic.value[i], 1, &r->basic[j]) &&
                (worst < 0 || fabs(value[i]) > fabs(*off)))
                worst = i, *off = value[i];
    free(value);
    return worst;
}

/* Bodies joined in loops, which do not close with the start values that are fixed: 1, it was told. */
static int leaves_a_gap(struct begin *b) {
    struct loops_gap gap;
    if (!loops_open(&b->mode->system, &gap, &b->m->pool)) return diagnostics_memory(&b->m->messages);
    return diagnostics_open_loop(&b->mode->system, &gap, &b->m->messages);
}

/* Nothing that is fixed would help: the search ended elsewhere. */
static void none_found(struct begin *b, const struct row *row, const char *label, const char *off_by) {
    int loose = loose_in(b, row->f);
    struct source_message *one =
        source_diagnose(&b->m->messages, SOURCE_ERROR, row->where.offset, row->where.length,
                        "no start values were found that fit %s.", label);
    if (loose >= 0)
        source_hint(one,
                    "%sThe search began at %.110s = %.10g: write  guess %.110s = ...  nearer to a solution.",
                    off_by, b->r->names[loose], b->last[loose], b->r->names[loose]);
    else source_hint(one, "%sChange the values of `init`.", off_by);
}

/* The quantity by which the row of this name was linearised; NULL: it was not. */
static const char *direction_in(const struct begin *b, const char *name) {
    const struct model *m = b->m->model;
    for (int k = 0; k < m->directions; k++) {
        char prefix[200];
        text_set(prefix, sizeof prefix, "d/d%.180s ", m->direction[k].name);
        if (strstr(name, prefix)) return m->direction[k].name;
    }
    return NULL;
}

/* Constraints that move with p, and start values that do not. */
static void does_not_follow(struct begin *b, const char *p, const char *name) {
    struct syntax_span at = place_of_row(b, name);
    source_hint(source_diagnose(&b->m->messages, SOURCE_ERROR, at.offset, at.length,
                                "the sensitivity to `%.80s`: with another value of it the start values given "
                                "do not fit this constraint.",
                                p),
                "Write them in terms of `%.80s`, or write `guess` for those that are to follow.", p);
}

static void does_not_fit(struct begin *b, const keel_solver *s) {
    const struct structure *y = &b->mode->system.s;
    const double *nearest = keel_state(s);
    const char *sentence = keel_message(s), *off = strstr(sentence, ": it is ");
    char name[220], label[460], changes[300], off_by[60] = "";
    double value = off ? strtod(off + 8, NULL) : NAN;
    quoted(sentence, name, sizeof name);
    int any = nearest ? worst_init(b, EXPR_NONE, nearest) : -1;
    if (!off && nearest && any >= b->r->n) { /* an algebraic variable: the core names it, not the equation */
        int i = row_with(b, any, nearest, &value);
        if (i >= 0) text_set(name, sizeof name, "%s", b->r->algebraic.names[i]);
    }
    const char *direction = direction_in(b, name);
    int freedom = y->freedom / (b->m->model->directions + 1);
    if (direction) {
        does_not_follow(b, direction, name);
        return;
    }
    struct row row = find_row(b, name);
    int worst = nearest && row.f != EXPR_NONE ? worst_init(b, row.f, nearest) : any;
    if (worst < 0) worst = any;
    describe(b, &row, name, label, sizeof label);
    if (isfinite(value))
        text_set(off_by, sizeof off_by, "Its left side is %.6g at t = %.10g.  ", value, b->t0);
    if (worst < 0) {
        if (!leaves_a_gap(b)) none_found(b, &row, label, off_by);
        return;
    }
    list_changes(b, nearest, changes, sizeof changes);
    struct syntax_span at = b->from[worst]->where;
    source_hint(
        source_diagnose(&b->m->messages, SOURCE_ERROR, at.offset, at.length, "`init` does not fit %s.",
                        label),
        "%sIndex %d, %d free start value%s.\nClosest fit: %.160s.\nFix that, or write  guess %.110s = %.6g  "
        "to let keel choose.",
        off_by, y->index, freedom, freedom == 1 ? "" : "s", changes, b->r->names[worst], b->last[worst]);
}

/* Invariants -------------------------------------------------------------------------------------------- */

/* Why an energy is not conserved, as far as it can be seen. */
static void explain_energy(const struct begin *b, struct source_message *one) {
    const struct model *m = b->m->model;
    const struct model_mode *mode = &m->mode[b->mode->system.mode];
    struct graph *g = &b->m->model->graph;
    expr t = expr_symbol(g, EXPR_TIME, 0, 0);
    char name[160], why[320] = "", place[120];
    for (int j = 0; j < m->unknowns && !why[0]; j++)
        if (mode->force && mode->force[j] != EXPR_NONE) {
            struct syntax_span at = syntax_find_statement(m->file, SYNTAX_FORCE, m->unknown[j].label.base);
            model_name(m, expr_symbol(g, EXPR_UNKNOWN, (uint32_t)j, 0), name, sizeof name);
            source_line(b->mode->system.source, at.offset, place, sizeof place);
            text_set(why, sizeof why, "`force %s` (%s) does work.  ", name, place);
        }
    for (int i = 0; i < mode->constraint.count && !why[0]; i++)
        if (expr_depends(g, mode->constraint.list[i].value, 1, &t)) {
            source_line(b->mode->system.source, mode->constraint.list[i].where.offset, place, sizeof place);
            text_set(why, sizeof why, "Constraint `%.120s` (%s) moves with t and does work.  ",
                     mode->constraint.list[i].label.text, place);
        }
    if (!why[0] && mode->function != EXPR_NONE && expr_depends(g, mode->function, 1, &t))
        text_set(why, sizeof why, "The %s depends on t.  ",
                 m->form == MODEL_LAGRANGIAN ? "lagrangian" : "hamiltonian");
    source_hint(one, "%sRemove `invariant energy`, or write  output E = energy  to watch it.", why);
}

/* One message for each "`name` is not conserved..." of the sentence; they are parted by "; ". */
static void not_conserved(struct begin *b, const char *sentence) {
    while (sentence) {
        const char *end = strstr(sentence, "; `");
        int length = end ? (int)(end - sentence) : (int)strlen(sentence);
        char name[220];
        quoted(sentence, name, sizeof name);
        struct syntax_span at = place_of_row(b, name);
        const char *direction = direction_in(b, name);
        struct source_message *one = source_diagnose(&b->m->messages, SOURCE_ERROR, at.offset, at.length,
                                                     "%.*s.", length < 310 ? length : 310, sentence);
        int energy = strcmp(name, "energy") == 0;
        if (energy && b->m->model->mode[b->mode->system.mode].keeps_energy) explain_energy(b, one);
        else if (direction)
            source_hint(one, "With another value of `%.80s` this is no invariant: write `output` instead.",
                        direction);
        else source_hint(one, "If it is only to be watched, write  output %.60s = ...", energy ? "E" : name);
        sentence = end ? end + 2 : NULL;
    }
}

int initial_energy_varies(struct begin *b, const keel_solver *s) {
    keel_row row;
    for (int i = 0; keel_row_at(s, i, &row); i++)
        if (row.kind == KEEL_ROW_ENERGY && row.treatment == KEEL_ROW_VARYING &&
            b->m->model->mode[b->mode->system.mode].keeps_energy) {
            not_conserved(b, "`energy` is not conserved: it depends on t");
            return 1;
        }
    return 0;
}

/* The rest ---------------------------------------------------------------------------------------------- */

/* Redundant constraints hold together for special values of p alone: what moves has no derivative by it. */
static void loses_its_loops(struct begin *b, const char *p, const char *name) {
    struct syntax_span at = place_of_row(b, name);
    source_hint(source_diagnose(&b->m->messages, SOURCE_ERROR, at.offset, at.length,
                                "the sensitivity to `%.80s`: with another value of it the redundant "
                                "constraints cannot all hold (`%.100s`), and there is no such motion.",
                                p, name),
                "Take a parameter that leaves them redundant, or let others follow from this one.");
}

static void contradicts(struct begin *b, const char *sentence) {
    char first[220], second[220] = "", one[460], other[460];
    const char *rest = quoted(sentence, first, sizeof first);
    if (rest) quoted(rest, second, sizeof second);
    const char *direction = b->mode->system.redundants ? direction_in(b, first) : NULL;
    if (direction) {
        loses_its_loops(b, direction, first);
        return;
    }
    if (leaves_a_gap(b)) return;
    struct row a = find_row(b, first), c = find_row(b, second);
    describe(b, &a, first, one, sizeof one);
    describe(b, &c, second, other, sizeof other);
    source_hint(source_diagnose(&b->m->messages, SOURCE_ERROR, a.where.offset, a.where.length,
                                "%.140s  and  %.140s  cannot both hold near the start.", one, other),
                "Take one of them away, put other numbers in, or give a `guess` near where both hold.");
}

/* Algebraic equations that no values near the guesses meet. */
static void not_solved(struct begin *b, const char *sentence) {
    const struct formulation *r = b->r;
    char unknowns[200] = "", label[460] = "";
    double off = 0;
    int first = r->n, worst = r->m ? row_with(b, first, b->last, &off) : -1, told = 0;
    for (int j = r->n; j < r->n + r->m; j++)
        if (b->given[j] != BEGIN_FIXED) {
            if (told++ == 0) first = j, worst = row_with(b, j, b->last, &off);
            if (told <= 4)
                text_add(unknowns, sizeof unknowns, "%s%.110s = %.6g", told > 1 ? ", " : "", r->names[j],
                         b->last[j]);
        }
    struct syntax_span at = {SOURCE_NOWHERE, 0};
    if (worst >= 0) {
        struct row row = find_row(b, r->algebraic.names[worst]);
        describe(b, &row, r->algebraic.names[worst], label, sizeof label);
        at = row.where;
    }
    struct source_message *one =
        source_diagnose(&b->m->messages, SOURCE_ERROR, at.offset, at.length,
                        "no values were found at the start that solve %s.", worst >= 0 ? label : sentence);
    if (told)
        source_hint(one,
                    "The search began at %s.  Write  guess %.110s = ...  nearer to a solution; is there one?",
                    unknowns, r->names[first]);
    else source_hint(one, "Change the values of `init`.");
}

/* Do the algebraic equations hold where the search began? */
static int hold_at_guess(struct begin *b) {
    double off = 0, most = 0;
    for (int j = b->r->n; j < b->r->n + b->r->m; j++)
        if (row_with(b, j, b->last, &off) >= 0) most = fmax(most, fabs(off));
    return most <= 1e-12;
}

/* They do, and their matrix is singular there. */
static void not_determined(struct begin *b) {
    const struct formulation *r = b->r;
    char unknowns[200] = "";
    int told = 0;
    for (int j = r->n; j < r->n + r->m; j++)
        if (told++ < 4) text_add(unknowns, sizeof unknowns, "%s`%.40s`", told > 1 ? ", " : "", r->names[j]);
    if (told > 4) text_add(unknowns, sizeof unknowns, ", ... (%d in all)", told);
    struct row row = r->algebraic.count ? find_row(b, r->algebraic.names[0]) : (struct row){0};
    source_hint(
        source_diagnose(&b->m->messages, SOURCE_ERROR, row.where.length ? row.where.offset : SOURCE_NOWHERE,
                        row.where.length,
                        "at the start the equations do not determine %s: their matrix is singular there.",
                        unknowns),
        "Either the start is a special place: give other start values, or a `guess`.  Or the equations\n"
        "say less where all of them hold: write each without factors, and without multiples of others.");
}

static void no_mass(struct begin *b, const char *sentence) {
    struct syntax_span at = syntax_find_statement(b->m->model->file, SYNTAX_LAGRANGIAN, NULL);
    char name[220];
    quoted(sentence, name, sizeof name);
    source_hint(source_diagnose(&b->m->messages, SOURCE_ERROR, at.length ? at.offset : SOURCE_NOWHERE,
                                at.length, "%.280s: some motion has no kinetic energy, or a negative one.",
                                sentence),
                "Give `%.60s` kinetic energy of its own, or write the equations with `var`.", name);
}

void initial_diagnose(struct begin *b, const keel_solver *s) {
    const char *sentence = keel_message(s);
    if (keel_state_of(s) == KEEL_ESTART) does_not_fit(b, s);
    else if (strstr(sentence, "is not conserved")) not_conserved(b, sentence);
    else if (strstr(sentence, "is not finite") && finite_tell(b->m, b->mode->system.mode, b->t0, b->m->u0))
        return;
    else if (strstr(sentence, "` contradicts `")) contradicts(b, sentence);
    else if (strstr(sentence, "the algebraic variables are not determined") && hold_at_guess(b))
        not_determined(b);
    else if (strstr(sentence, "the algebraic ")) not_solved(b, sentence);
    else if (strstr(sentence, "mass matrix")) no_mass(b, sentence);
    else
        source_diagnose(&b->m->messages, SOURCE_ERROR, SOURCE_NOWHERE, 0, "the start at t = %.10g: %.280s.",
                        b->t0, sentence);
}
