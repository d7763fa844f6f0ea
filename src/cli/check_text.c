/* check_text.c - what `keel check` says to people: one line a topic, wrapped. */
#include "base/text.h"
#include "cli/check.h"

#include <keel/form.h>

#include <math.h>
#include <string.h>

enum { WIDTH = 110, INDENT = 11, MOST = 24 };

/* Words that go on in the next line, indented, where one is full. */
struct lines {
    FILE *out;
    int at; /* signs in this line; 0: none is open */
};

static int signs(const char *text) {
    int count = 0;
    for (; *text; text++) count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static void topic(struct lines *l, const char *name) {
    if (l->at) fputc('\n', l->out);
    l->at = fprintf(l->out, "  %-*s", INDENT - 2, name);
}

static void item(struct lines *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void item(struct lines *l, const char *format, ...) {
    char text[2 * JOB_SENTENCE];
    va_list args;
    va_start(args, format);
    text_vset(text, sizeof text, format, args);
    va_end(args);
    if (l->at > INDENT && l->at + 3 + signs(text) > WIDTH) l->at = fprintf(l->out, "\n%*s", INDENT, "") - 1;
    else if (l->at > INDENT) l->at += fprintf(l->out, "   ");
    fputs(text, l->out);
    l->at += signs(text);
}

static void end(struct lines *l) {
    if (l->at) fputc('\n', l->out);
    l->at = 0;
}

static const char *s_of(int count) {
    return count == 1 ? "" : "s";
}

static void size(const keel_mode *mode, char *out, size_t capacity) {
    const keel_problem *p = mode->problem;
    unsigned traits = keel_problem_traits(p);
    int rows = p->constraint.count;
    if (traits & KEEL_SECOND_ORDER) text_set(out, capacity, "%d coordinate%s", p->n / 2, s_of(p->n / 2));
    else if (traits & KEEL_CANONICAL)
        text_set(out, capacity, "%d canonical pair%s", p->n / 2, s_of(p->n / 2));
    else
        text_set(out, capacity, "%d unknown%s, %d equation%s", mode->unknowns, s_of(mode->unknowns),
                 mode->equations, s_of(mode->equations));
    if (rows) text_add(out, capacity, ", %d constraint%s", rows, s_of(rows));
    if (p->rolling.count) text_add(out, capacity, ", %d rolling", p->rolling.count);
}

/* What the equations are to keel. */
static void form(struct lines *l, const struct check *c, int i, const keel_mode *mode) {
    const keel_problem *p = mode->problem;
    unsigned traits = keel_problem_traits(p);
    topic(l, "form");
    if (traits & KEEL_SECOND_ORDER)
        item(l, p->constraint.count + p->rolling.count ? "mechanics, M q'' = F - G^T lambda"
                                                       : "mechanics, M q'' = F");
    else if (traits & KEEL_FROM_ENERGY)
        item(l, p->structure.value ? "hamiltonian, x' = B grad H" : "hamiltonian, q' = H_p, p' = -H_q");
    else if (!(traits & KEEL_ALGEBRAIC))
        item(l, "explicit equations x' = f(t, x), %d state%s%s", p->n, s_of(p->n),
             mode->index ? ", from which the others follow" : "");
    else if (p->m)
        item(l, "%d state%s, and %d value%s solved for at every step", p->n, s_of(p->n), p->m, s_of(p->m));
    else item(l, "%d state%s on a manifold", p->n, s_of(p->n));
    if (mode->quadratic) item(l, "right-hand side of degree 2 or less");
    if (mode->separable) item(l, "separable, H = T(p) + V(q)");
    if (keel_model_pairwise(c->model, i)) item(l, "pairwise forces");
    if (mode->combinations)
        item(l, "%d equation%s replaced by a combination of others", mode->combinations,
             s_of(mode->combinations));
}

/* Why the index is what it is: the equations differentiated most; and a choice of what may be chosen. */
static void freedom(struct lines *l, const struct check *c, int i, const keel_mode *mode) {
    static const char *const times[] = {"", "once", "twice", "three times"};
    keel_offset one;
    char name[KEEL_NAME];
    int most = 0, told = 0;
    if (mode->index < 2) return;
    for (int k = 0; keel_model_equation_offset(c->model, i, k, &one); k++)
        if (one.offset > most) most = one.offset;
    if (most > 0) topic(l, "index"); /* else formulas that are inserted, not differentiated, make it */
    for (int k = 0; most > 0 && keel_model_equation_offset(c->model, i, k, &one); k++)
        if (one.offset == most && told++ < MOST) item(l, "%s", one.name);
    if (told > MOST) item(l, "... (%d in all)", told);
    if (most > 0 && most < 4) item(l, "must be differentiated %s", times[most]);
    else if (most > 0) item(l, "must be differentiated %d times", most);
    if (mode->freedom == 0 || mode->freedom > MOST) return;
    topic(l, "free");
    for (int k = 0; keel_model_free_state(c->model, i, k, name); k++) item(l, "%s", name);
    item(l, "(one choice of %d start value%s: the others follow)", mode->freedom, s_of(mode->freedom));
}

static void rows(struct lines *l, const struct check *c, int i) {
    keel_hidden hidden;
    const char *text, *name, *equivalent;
    for (int k = 0; keel_model_hidden(c->model, i, k, &hidden); k++) {
        if (k < MOST) {
            topic(l, k ? "" : "hidden");
            item(l, "%s:  %s = 0", hidden.name, hidden.text);
        } else if (!keel_model_hidden(c->model, i, k + 1, &hidden)) {
            topic(l, "");
            item(l, "... %d in all", k + 1);
        }
    }
    for (int k = 0; (text = keel_model_linear_invariant(c->model, i, k)); k++) {
        topic(l, k ? "" : "balance");
        item(l, "%s stays as it is", text);
    }
    for (int k = 0; keel_model_redundant(c->model, i, k, &name, &equivalent); k++) {
        topic(l, k ? "" : "surplus");
        item(l, "%s follows from %s", name, equivalent);
    }
}

static void contacts(struct lines *l, const struct check *c) {
    const char *name;
    double restitution, friction;
    int closed;
    for (int k = 0; keel_sim_contact(c->sim, k, &name, &restitution, &friction, &closed); k++) {
        if (k == MOST) {
            while (keel_sim_contact(c->sim, k, NULL, NULL, NULL, NULL)) k++;
            topic(l, "");
            item(l, "... %d in all", k);
            break;
        }
        topic(l, k ? "" : "contacts");
        item(l, "%s:  restitution %g, friction %g, %s at the start", name, restitution, friction,
             closed ? "closed" : "open");
    }
}

/* Values by where they come from. */
static void start(struct lines *l, const struct check *c) {
    static const keel_origin origin[] = {KEEL_FROM_INIT, KEEL_FROM_GUESS, KEEL_FREE, KEEL_FROM_EQUATIONS};
    static const char *const word[] = {"init", "equations, near the guess", "keeps its guess", "equations"};
    topic(l, "start");
    for (int o = 0; o < 4; o++) {
        int count = 0, last = -1;
        for (int i = 0; i < keel_sim_columns(c->sim); i++)
            if (keel_sim_column_kind(c->sim, i) != KEEL_COLUMN_OUTPUT &&
                keel_sim_origin(c->sim, i) == origin[o])
                last = i, count++;
        for (int i = 0, at = 0; i <= last; i++) {
            if (keel_sim_column_kind(c->sim, i) == KEEL_COLUMN_OUTPUT ||
                keel_sim_origin(c->sim, i) != origin[o])
                continue;
            if (++at > MOST && i != last) continue;
            const char *more = at > MOST ? "... " : "";
            char value[60];
            if (isfinite(c->value[i])) text_set(value, sizeof value, "= %.10g", c->value[i] + 0.0);
            else text_set(value, sizeof value, isnan(c->value[i]) ? "has no value" : "is infinite");
            if (i == last) item(l, "%s%s %s (%s)", more, keel_sim_column(c->sim, i), value, word[o]);
            else item(l, "%s %s", keel_sim_column(c->sim, i), value);
        }
    }
}

static void kept(struct lines *l, const struct check *c) {
    char list[KEEL_TEXT] = "";
    keel_row row;
    struct check_invariant one;
    int exact = 0, varying = 0;
    for (int i = 0; c->sim && keel_row_at(keel_sim_solver(c->sim), i, &row); i++) {
        varying |= row.treatment == KEEL_ROW_VARYING;
        if (row.kind == KEEL_ROW_ALGEBRAIC || row.kind == KEEL_ROW_ENERGY || row.kind == KEEL_ROW_INVARIANT ||
            row.treatment == KEEL_ROW_REDUNDANT)
            continue;
        if (exact < MOST) text_add(list, sizeof list, "%s%s", exact ? ", " : "", row.name);
        exact++;
    }
    if (exact > MOST) text_add(list, sizeof list, ", ... (%d in all)", exact);
    if (exact || check_invariant(c, 0, &one)) topic(l, c->sim ? "kept" : "refused");
    if (exact) item(l, "%s: exact rows", list);
    for (int i = 0; check_invariant(c, i, &one); i++)
        if (strcmp(one.verdict, "false") != 0)
            item(l, "%s: %s, %s", one.name, one.verdict, one.proved ? "proved" : "sampled");
        else if (isfinite(one.rate))
            item(l, "%s: not conserved, its rate is %.3g at %s", one.name, one.rate, one.point);
        else item(l, "%s: not conserved", one.name);
    if (varying) {
        topic(l, "shown");
        item(l, "energy: it depends on t, and is not kept");
    }
}

static void scales(struct lines *l, const struct check *c) {
    const keel_time_scales *s = &c->scales;
    if (c->stiff < 0) return;
    topic(l, "times");
    if (isnan(s->slowest)) item(l, "scales from %.2g on at the start", s->fastest);
    else if (s->slowest < 1.1 * s->fastest) item(l, "scale %.2g at the start", s->fastest);
    else item(l, "scales %.2g .. %.2g at the start", s->fastest, s->slowest);
    if (c->stiff) item(l, "stiff over %g .. %g", c->job.t0, c->job.t1);
}

/* One mode; first: the one the run begins in. */
static void mode_text(struct lines *l, const struct check *c, int i, int first) {
    keel_mode mode;
    char how_large[200], free_values[JOB_FREEDOM];
    if (!keel_model_mode(c->model, i, &mode)) return;
    size(&mode, how_large, sizeof how_large);
    int color = c->job.messages.color_out;
    fprintf(l->out, "%s%s%s%s%s   %s   index %d   %s\n", message_bold(color),
            first ? keel_model_name(c->model) : "mode ", first ? mode.name ? ", mode " : "" : "",
            mode.name ? mode.name : "", message_plain(color), how_large, mode.index,
            job_freedom(&mode, free_values));
    form(l, c, i, &mode);
    freedom(l, c, i, &mode);
    rows(l, c, i);
    if (first && c->sim) contacts(l, c);
    if (first && c->sim) start(l, c);
    if (first) kept(l, c);
    if (first && c->sim) scales(l, c);
    if (!first && mode.problem->energy.count + mode.problem->invariant.count) {
        topic(l, "kept");
        item(l, "invariants are verified when the mode is first entered");
    }
    end(l);
}

/* With several groups the first combination alone is analysed. */
static void groups_text(struct lines *l, const struct check *c) {
    const char *name, *mode;
    if (keel_model_groups(c->model) < 2) return;
    topic(l, "groups");
    for (int i = 0; (name = keel_model_group(c->model, i)); i++) {
        char list[400] = "";
        for (int k = 0; (mode = keel_model_group_mode(c->model, i, k)); k++)
            text_add(list, sizeof list, "%s%s", k ? ", " : "", mode);
        item(l, "%s", list);
    }
    item(l, "other combinations are analysed when a run first enters them");
    end(l);
}

void check_text(const struct check *c, FILE *out) {
    struct lines l = {.out = out};
    char shown[6 * JOB_SENTENCE];
    int first = keel_model_start(c->model);
    mode_text(&l, c, first, 1);
    for (int i = 0; i < keel_model_modes(c->model); i++)
        if (i != first) mode_text(&l, c, i, 0);
    groups_text(&l, c);
    if (!c->command[0]) return;
    topic(&l, "try");
    text_shown(shown, sizeof shown, c->command);
    item(&l, "%s", shown);
    item(&l, "(%s)", c->why);
    end(&l);
}
