/* formulation_clock.c - steps by another variable, d t = s d tau, s an expression of the model (`clock`).
 *
 * t becomes the last state: x' = s f(t, x), t' = s.  Nothing need be substituted, since the symbol of t is
 * that state from here on, and every function reads it from there.  Rows are those of x alone, so that no
 * projection moves t; d/dt in the language is that of t as before. */
#include "model/formulation.h"

#include "base/text.h"
#include "symbolic/derive_rules.h"
#include "model/diagnostics.h"

#include <string.h>

/* A clock that the user wrote is refused; one to be read off the equations is left out, with the reason. */
static int refuse(struct formulation *r, const char *sentence, const char *hint) {
    struct model *m = r->y->m;
    if (m->clock_of_equations) {
        source_diagnose(r->messages, SOURCE_WARNING, m->clock_where.offset, m->clock_where.length,
                        "steps go by t: %s", sentence);
        m->clock_of_equations = 0;
        return 0;
    }
    source_hint(source_diagnose(r->messages, SOURCE_ERROR, m->clock_where.offset, m->clock_where.length, "%s",
                                sentence),
                "%s", hint);
    return 0;
}

/* What a clock cannot be given to; 1, or 0 with a message. */
static int fits(struct formulation *r) {
    const struct model *m = r->y->m;
    static const char hint[] = "Leave the clock out, or say  --clock none  for this run.";
    if (m->modes > 1 || m->groups > 1 || m->mode[r->y->mode].contacts)
        return refuse(r, "a clock is for models without modes and contacts.", hint);
    if (m->directions) return refuse(r, "a clock and sensitivities exclude each other.", hint);
    if (r->n == 0 || r->m || r->hidden.count || r->constraint.count || r->rolling.count)
        return refuse(r,
                      "a clock is for ordinary differential equations: here are constraints, algebraic "
                      "equations, or accelerations that are solved for at every step.",
                      hint);
    return 1;
}

/* The rows of a map have one column more, which is empty. */
static int widen(struct formulation *r, struct formulation_map *map, expr t) {
    char sentence[260];
    for (int i = 0; i < map->count; i++) {
        if (!expr_depends(&r->y->m->graph, map->value[i], 1, &t)) continue;
        text_set(sentence, sizeof sentence,
                 "with a clock what is kept may not depend on t, as `%.100s` does.", map->names[i]);
        return refuse(r, sentence, "Leave the clock out, or the invariant.");
    }
    derive_free(&map->jacobian);
    return map->count == 0 || formulation_derivatives(r, map, r->n, r->basic, 1) ||
           diagnostics_memory(r->messages);
}

/* s f, then s; the rates of x in the text stay those by t. */
static int fill_rates(struct formulation *r, expr s) {
    struct graph *g = &r->y->m->graph;
    struct formulation_map scaled;
    int last = r->n - 1;
    if (!formulation_map_open(r, &scaled, r->n)) return 0;
    for (int i = 0; i < last; i++) {
        scaled.value[i] = derive_mul(g, s, r->f.value[i]);
        scaled.names[i] = r->f.names[i];
    }
    scaled.value[last] = s;
    scaled.names[last] = "clock";
    derive_free(&r->f.jacobian);
    r->f = scaled;
    if (!formulation_derivatives(r, &r->f, r->n, r->basic, 0)) return 0;
    r->f.autonomous = 1;
    r->f.rate = NULL;
    return 1;
}

int formulation_clock(struct formulation *r) {
    struct graph *g = &r->y->m->graph;
    expr t = expr_symbol(g, EXPR_TIME, 0, 0), s = r->y->m->clock;
    int own = r->y->m->clock_of_equations;
    if (s == EXPR_NONE && !own) return 1;
    if (!fits(r)) return 0;
    s = own ? formulation_pace(r) : formulation_resolve(r, system_expression(r->y, s));
    if (s == EXPR_NONE && !g->failed && own)
        return refuse(
            r, "no clock can be read off these equations, which divide by nothing that sets their pace.", "");
    if (s == EXPR_NONE && !g->failed)
        return refuse(r, "the clock has no value in terms of the states.", "Write it in states and t.");
    expr *symbol = pool_take(r->pool, ((size_t)r->n + 1) * sizeof *symbol);
    if (s == EXPR_NONE || !symbol) return diagnostics_memory(r->messages);
    memcpy(symbol, r->basic, (size_t)r->n * sizeof *symbol);
    symbol[r->n++] = t;
    r->form = KEEL_ODE;
    r->structure = NULL;
    r->by_clock = 1;
    r->quadratic = r->separable = r->pairwise = 0;
    r->quadratic_forms.count = r->energy_of_forms.count = r->original_f.count = r->original_g.count = 0;
    if (!formulation_basic(r, r->n, symbol) || !fill_rates(r, s)) return diagnostics_memory(r->messages);
    return widen(r, &r->energy, t) && widen(r, &r->invariant, t);
}

int formulation_clock_switches(struct formulation *r) {
    if (!r->by_clock || r->surfaces == 0) return 1;
    return refuse(r, "a clock is for equations without functions that switch (if, abs, min, ...).",
                  "Leave the clock out, or say  --clock none  for this run.");
}
