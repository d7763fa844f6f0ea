/* elaborate_form.c - lagrangian, hamiltonian or plain equations: does it fit what is declared, and the
 * motion. */
#include "lang/elaborate_private.h"

#include "symbolic/derive_rules.h"

#include <string.h>

static const struct syntax_statement *statement(const struct elaborate *e, enum syntax_statement_kind kind) {
    for (int i = 0; i < e->lines; i++)
        if (e->line[i].s->kind == kind) return e->line[i].s;
    return NULL;
}

/* The word with which a statement begins. */
static struct syntax_span word(const struct syntax_statement *s) {
    return (struct syntax_span){s->span.offset, (uint32_t)strlen(syntax_statement_word(s->kind))};
}

static void once(struct elaborate *e, enum syntax_statement_kind kind) {
    const struct syntax_statement *first = NULL;
    for (int i = 0; i < e->lines; i++) {
        const struct syntax_statement *s = e->line[i].s;
        if (s->kind != kind) continue;
        if (first)
            source_hint(elaborate_error(e, word(s), "`%s` stands twice, first in %s.",
                                        syntax_statement_word(kind), elaborate_line_of(e, first->span)),
                        "Once a model.");
        else first = s;
    }
}

static void refuse(struct elaborate *e, const struct syntax_statement *s, const char *sentence,
                   const char *hint) {
    source_hint(elaborate_error(e, word(s), "%s", sentence), "%s", hint);
}

/* Declarations and energy functions that belong together. */
static void belong(struct elaborate *e, const struct syntax_statement *l, const struct syntax_statement *h,
                   const struct syntax_statement *b) {
    const struct syntax_statement *coord = statement(e, SYNTAX_COORD);
    const struct syntax_statement *canonical = statement(e, SYNTAX_CANONICAL);
    if (l && h) refuse(e, h, "a model has a lagrangian or a hamiltonian, not both.", "Remove one of them.");
    else if (coord && canonical)
        refuse(e, canonical, "`coord` and `canonical` do not go together.",
               "`coord` belongs to a lagrangian, `canonical` to a hamiltonian.");
    else if (l && !coord)
        refuse(e, l, "a lagrangian needs coordinates.", "Declare them:  coord q  instead of  var q.");
    else if (h && !canonical && !b)
        refuse(e, h, "a hamiltonian needs `canonical` pairs or a `structure`.",
               "Declare  canonical q, p,  or write  structure x, y: ((0, 1), (-1, 0)).");
    else if (coord && !l)
        refuse(e, coord,
               h ? "`coord` belongs to a lagrangian." : "there is no lagrangian for these coordinates.",
               h ? "Write  canonical q, p."
                 : "Write  lagrangian T - V,  or declare  var  and give equations.");
    else if (canonical && !h)
        refuse(e, canonical, "there is no hamiltonian for these pairs.", "Write  hamiltonian H = expr.");
    else if (b && !h) refuse(e, b, "`structure` needs a hamiltonian.", "Write  hamiltonian H = expr.");
    else if (b && canonical)
        refuse(e, b, "`structure` stands instead of `canonical`, not beside it.",
               "Declare the unknowns with `var`.");
}

/* Structure ------------------------------------------------------------------------------------------ */

static void list_poisson(struct elaborate *e, const struct syntax_statement *b) {
    struct model *m = e->model;
    m->poisson = elaborate_take(e, ((size_t)m->unknowns + 1) * sizeof *m->poisson);
    for (const struct syntax_item *item = b->items; item && m->poisson; item = item->next) {
        struct elaborate_value v;
        if (!elaborate_reference(e, item->target, NULL, &v)) return;
        for (long i = 0; i < elaborate_count(&v); i++) {
            const struct expr_node n = e->graph->node[elaborate_at(&v, i)];
            if (n.op != EXPR_SYMBOL || n.a != EXPR_UNKNOWN || n.c || m->unknown[n.b].role != MODEL_VAR) {
                elaborate_error(e, item->target->span, "`structure` lists unknowns declared with `var`.");
                return;
            }
            if (m->unknown[n.b].poisson >= 0) {
                elaborate_error(e, item->target->span, "`%s` is listed twice.", m->unknown[n.b].label.text);
                return;
            }
            m->unknown[n.b].poisson = m->poissons;
            m->poisson[m->poissons++] = (int)n.b;
        }
    }
}

static void list_coordinates(struct elaborate *e) {
    struct model *m = e->model;
    m->coord = elaborate_take(e, ((size_t)m->unknowns + 1) * sizeof *m->coord);
    m->momentum = elaborate_take(e, ((size_t)m->unknowns + 1) * sizeof *m->momentum);
    if (!m->coord || !m->momentum) return;
    for (int i = 0; i < m->unknowns; i++) {
        const struct model_unknown *u = &m->unknown[i];
        if (u->role == MODEL_COORD || u->role == MODEL_POSITION || u->role == MODEL_MEMORY)
            m->coord[m->coords++] = i;
        if (u->role == MODEL_POSITION && u->partner >= 0) m->momentum[m->momenta++] = u->partner;
    }
}

void elaborate_form(struct elaborate *e) {
    struct model *m = e->model;
    int before = e->messages->errors;
    once(e, SYNTAX_STRUCTURE);
    const struct syntax_statement *l = statement(e, SYNTAX_LAGRANGIAN);
    const struct syntax_statement *h = statement(e, SYNTAX_HAMILTONIAN);
    const struct syntax_statement *b = statement(e, SYNTAX_STRUCTURE);
    const struct syntax_statement *name = statement(e, SYNTAX_MODEL);
    if (name) m->name = name->name;
    belong(e, l, h, b);
    e->misfit = before != e->messages->errors;
    elaborate_start(e);
    if (l) m->form = MODEL_LAGRANGIAN;
    else if (h) m->form = b ? MODEL_POISSON : MODEL_HAMILTONIAN;
    list_coordinates(e);
    if (b && h && before == e->messages->errors) list_poisson(e, b);
}

/* Motion --------------------------------------------------------------------------------------------- */

static int structure_matrix(struct elaborate *e, expr **out) {
    const struct syntax_statement *b = statement(e, SYNTAX_STRUCTURE);
    struct model *m = e->model;
    struct elaborate_value v;
    if (!elaborate_node(e, b->right, NULL, &v)) return 0;
    int n = m->poissons;
    if (v.shape.rank != 2 || v.shape.high[0] - v.shape.low[0] + 1 != n ||
        v.shape.high[1] - v.shape.low[1] + 1 != n) {
        char text[80];
        elaborate_shape_text(&v.shape, text, sizeof text);
        source_hint(elaborate_error(e, b->right->span,
                                    "the structure matrix of %d unknowns has %d rows of %d, not %s.", n, n, n,
                                    text),
                    "Write  ((0, a), (-a, 0))  for two.");
        return 0;
    }
    int wrong = motion_skew(e->graph, n, v.element);
    if (wrong >= 0) {
        source_hint(elaborate_error(e, b->right->span,
                                    "the structure matrix is not skew: entry [%d][%d] is not minus "
                                    "[%d][%d].",
                                    wrong / n + 1, wrong % n + 1, wrong % n + 1, wrong / n + 1),
                    "Only a skew matrix keeps the hamiltonian; its diagonal is 0.");
        return 0;
    }
    *out = v.element;
    return wrong == -1 || elaborate_out_of_memory(e);
}

static void message_status(struct elaborate *e, const struct syntax_statement *s, enum motion_status status) {
    if (status != MOTION_NONSMOOTH) e->derive.obstacle = EXPR_NONE;
    switch (status) {
    case MOTION_OK:
        break;
    case MOTION_MEMORY:
        elaborate_out_of_memory(e);
        break;
    case MOTION_NONSMOOTH:
        elaborate_error_nonsmooth(e, s->right->span, "", "");
        break;
    case MOTION_HIGH_ORDER:
        source_hint(elaborate_error(e, s->right->span,
                                    "a lagrangian depends on positions and velocities, not on "
                                    "accelerations or multipliers."),
                    "%s", "");
        break;
    case MOTION_RATES:
        source_hint(elaborate_error(e, s->right->span,
                                    "a hamiltonian depends on positions and momenta, not on time "
                                    "derivatives or multipliers."),
                    "Write the velocity by the momentum:  p/m.");
        break;
    }
}

static int open_motion(struct elaborate *e, struct motion *motion) {
    struct model *m = e->model;
    int n = m->form == MODEL_POISSON ? m->poissons : m->coords;
    const int *place = m->form == MODEL_POISSON ? m->poisson : m->coord;
    expr *q = elaborate_take(e, (size_t)(n + 1) * sizeof *q),
         *v = elaborate_take(e, (size_t)(n + 1) * sizeof *v);
    if (!q || !v) return 0;
    for (int i = 0; i < n; i++) {
        q[i] = expr_symbol(e->graph, EXPR_UNKNOWN, (uint32_t)place[i], 0);
        if (m->form == MODEL_HAMILTONIAN)
            v[i] = expr_symbol(e->graph, EXPR_UNKNOWN, (uint32_t)m->momentum[i], 0);
        else v[i] = expr_symbol(e->graph, EXPR_UNKNOWN, (uint32_t)place[i], 1);
    }
    return motion_open(motion, n, q, v, NULL) == 0 || elaborate_out_of_memory(e);
}

/* Lagrangians of parts add up: pairs, pairs of pairs and so on. */
static expr sum_of(struct elaborate *e, int count, const expr *term) {
    if (count == 1) return term[0];
    int half = (count + 1) / 2;
    return expr_make(e->graph, EXPR_ADD, sum_of(e, half, term), sum_of(e, count - half, term + half), 0);
}

/* The sum of all lines, and the line that shows what cannot be differentiated, or the first. */
static int energy_function(struct elaborate *e, enum syntax_statement_kind kind, expr **term, int *terms) {
    *terms = 0;
    for (int i = 0; i < e->lines; i++) *terms += e->line[i].s->kind == kind;
    *term = elaborate_take(e, ((size_t)*terms + 1) * sizeof **term);
    if (!*term) return 0;
    int count = 0, good = 1;
    e->energy_busy = 1;
    for (int i = 0; i < e->lines && good; i++) {
        if (e->line[i].s->kind != kind) continue;
        e->use = e->line[i].s->use;
        good =
            elaborate_one(e, e->line[i].s->right, e->line[i].frame, "an energy function", &(*term)[count++]);
    }
    e->use = NULL;
    e->energy_busy = 0;
    if (good) e->model->mode[e->mode].function = sum_of(e, *terms, *term);
    return good;
}

static const struct syntax_statement *obstructed(const struct elaborate *e, enum syntax_statement_kind kind,
                                                 const expr *term) {
    expr obstacle = e->derive.obstacle;
    int count = 0;
    for (int i = 0; i < e->lines && obstacle != EXPR_NONE; i++)
        if (e->line[i].s->kind == kind && expr_depends(e->graph, term[count++], 1, &obstacle))
            return e->line[i].s;
    return statement(e, kind);
}

/* The energy function in the mode under way and the motion that it gives, forces and multipliers not yet in.
 */
void elaborate_motion(struct elaborate *e) {
    struct model *m = e->model;
    struct model_mode *mode = &m->mode[e->mode];
    enum syntax_statement_kind kind = m->form == MODEL_LAGRANGIAN ? SYNTAX_LAGRANGIAN : SYNTAX_HAMILTONIAN;
    expr *structure = NULL, *term = NULL;
    enum motion_status status;
    int terms;
    if (m->form == MODEL_EQUATIONS || e->messages->errors) return;
    if (!energy_function(e, kind, &term, &terms) || !open_motion(e, &mode->motion)) return;
    if (m->form == MODEL_LAGRANGIAN) {
        expr more = elaborate_of_memories(e);
        if (!elaborate_memory_free(e, statement(e, kind)->right->span, mode->function)) return;
        if (more != EXPR_NONE) more = expr_make(e->graph, EXPR_ADD, mode->function, more, 0);
        status = motion_lagrange(&mode->motion, &e->derive, more != EXPR_NONE ? more : mode->function);
    } else if (m->form == MODEL_HAMILTONIAN)
        status = motion_hamilton(&mode->motion, &e->derive, mode->function);
    else if (structure_matrix(e, &structure))
        status = motion_poisson(&mode->motion, &e->derive, mode->function, structure);
    else return;
    message_status(e, obstructed(e, kind, term), status);
    if (status != MOTION_OK) return;
    mode->energy = m->form == MODEL_LAGRANGIAN ? motion_energy(&mode->motion, &e->derive, mode->function)
                                               : mode->function;
}

int elaborate_derives_energy(struct elaborate *e) {
    return statement(e, SYNTAX_LAGRANGIAN) || statement(e, SYNTAX_HAMILTONIAN);
}

expr elaborate_energy(struct elaborate *e, struct syntax_span span) {
    const struct model_mode *mode = &e->model->mode[e->mode];
    if (mode->energy != EXPR_NONE) return mode->energy;
    if (e->energy_busy)
        elaborate_error(e, span, "`energy` is derived from the %s and cannot stand in it.",
                        e->model->form == MODEL_LAGRANGIAN ? "lagrangian" : "hamiltonian");
    else if (e->model->form == MODEL_EQUATIONS && !elaborate_derives_energy(e))
        source_hint(
            elaborate_error(e, span, "there is no lagrangian or hamiltonian to derive the energy from."),
            "Write its expression:  let E = expr  and  invariant energy = E.");
    return EXPR_NONE; /* otherwise the mistake in the energy function was said */
}
