/* contact.c - see contact.h: the functions of a mode's contacts. */
#include "model/contact.h"

#include "base/text.h"
#include "model/diagnostics.h"
#include "symbolic/derive_rules.h"

#include <stdlib.h>
#include <string.h>

static const char *copied(struct formulation *r, const char *name, const char *word) {
    char text[220];
    text_set(text, sizeof text, "%.160s%s", name, word);
    return pool_copy(r->pool, text, strlen(text));
}

static const char *drag_of(const struct model *m, const struct model_contact *one) {
    return one->drag < 0 ? "" : m->multiplier[m->graph.node[m->held[one->drag].of].b].label.text;
}

static int take_names(struct contact_model *c, struct formulation *r) {
    static const char *const word[CONTACT_WORDS] = {" impact", " closes", " sticks", " slips", " opens"};
    size_t count = (size_t)c->count;
    c->name = pool_take(r->pool, (count + 1) * sizeof *c->name);
    c->slide_name = pool_take(r->pool, (count + 1) * sizeof *c->slide_name);
    c->event_name = pool_take(r->pool, (CONTACT_WORDS * count + 1) * sizeof *c->event_name);
    c->moves = pool_take(r->pool, count + 1);
    if (r->pool->refused) return 0;
    expr t = expr_symbol(&r->y->m->graph, EXPR_TIME, 0, 0);
    for (int i = 0; i < c->count; i++) {
        const struct model_contact *one = &c->contact[i];
        c->name[i] = one->label.text;
        c->slide_name[i] = drag_of(r->y->m, one);
        for (int k = 0; k < CONTACT_WORDS; k++)
            c->event_name[CONTACT_WORDS * i + k] = copied(r, one->label.text, word[k]);
        c->moves[i] = expr_depends(&r->y->m->graph, one->gap, 1, &t) ||
                      (one->drag >= 0 && expr_depends(&r->y->m->graph, one->sliding, 1, &t));
    }
    return !r->pool->refused;
}

/* d/dt of `rate` without the accelerations. */
static expr bend_of(struct formulation *r, expr rate, const expr *acceleration, const expr *zero) {
    expr e = derive_total(&r->derive, rate);
    return e != EXPR_NONE &&
                   expr_substitute(&r->y->m->graph, 1, &e, (size_t)(r->n / 2), acceleration, zero, &e) == 0
               ? e
               : EXPR_NONE;
}

/* Gaps, sizes of their terms, partial d/dt, sliding, both bends, entries of both patterns: one list, for
 * one function. */
static int list_numbers(struct contact_model *c, struct formulation *r) {
    struct graph *g = &r->y->m->graph;
    int n = c->count, nq = c->nq;
    size_t normals = (size_t)c->normal.row_start[n], tangents = (size_t)c->tangent.row_start[n];
    expr *root = pool_take(r->pool, (6 * (size_t)n + normals + tangents + 1) * sizeof *root);
    expr *a = expr_take(g, (size_t)nq + 1, sizeof *a), *zero = expr_take(g, (size_t)nq + 1, sizeof *zero);
    int good = root && a && zero;
    for (int j = 0; j < nq && good; j++) {
        a[j] = expr_symbol(g, EXPR_UNKNOWN, g->node[r->basic[j]].b, 2);
        zero[j] = derive_zero(g);
    }
    for (int i = 0; i < n && good; i++) {
        const struct model_contact *one = &c->contact[i];
        expr slide = one->drag >= 0 ? one->sliding : derive_zero(g);
        root[i] = one->gap;
        root[n + i] = derive_terms(g, one->gap);
        root[2 * n + i] = derive_partial(&r->derive, one->gap, expr_symbol(g, EXPR_TIME, 0, 0));
        root[3 * n + i] = slide;
        root[4 * n + i] = bend_of(r, derive_total(&r->derive, one->gap), a, zero);
        root[5 * n + i] = bend_of(r, slide, a, zero);
    }
    if (good && normals) memcpy(root + 6 * n, c->normal.value, normals * sizeof *root);
    if (good && tangents) memcpy(root + 6 * (size_t)n + normals, c->tangent.value, tangents * sizeof *root);
    free(a), free(zero);
    r->contact = root;
    r->contacts = n;
    r->contact_numbers = 6 * n + (int)(normals + tangents);
    return good && !g->failed;
}

static int build_coefficients(struct contact_model *c, struct formulation *r) {
    expr *root = expr_take(&r->y->m->graph, 2 * (size_t)c->count + 1, sizeof *root), missing;
    for (int i = 0; i < c->count && root; i++) {
        root[i] = c->contact[i].restitution;
        root[c->count + i] = c->contact[i].friction;
    }
    int good = root && functions_tape(r, 2 * (size_t)c->count, root, &c->coefficient, &missing) == 0;
    free(root);
    return good;
}

static int build_patterns(struct contact_model *c, struct formulation *r) {
    struct graph *g = &r->y->m->graph;
    expr *gap = expr_take(g, (size_t)c->count, sizeof *gap),
         *slide = expr_take(g, (size_t)c->count, sizeof *slide);
    int good = gap && slide;
    for (int i = 0; i < c->count && good; i++) {
        gap[i] = c->contact[i].gap;
        slide[i] = c->contact[i].drag >= 0 ? c->contact[i].sliding : derive_zero(g);
    }
    good = good && derive_jacobian(&r->derive, c->count, gap, c->nq, r->basic, &c->normal) == 0 &&
           derive_jacobian(&r->derive, c->count, slide, c->nq, r->basic + c->nq, &c->tangent) == 0;
    free(gap), free(slide);
    return good;
}

int contact_open(struct contact_model *c, struct formulation *r) {
    const struct model_mode *mode = &r->y->m->mode[r->y->mode];
    *c = (struct contact_model){.count = mode->contacts, .nq = r->n / 2, .contact = mode->contact};
    if (c->count == 0) return 1;
    if (!(formulation_traits(r) & KEEL_SECOND_ORDER)) {
        source_hint(source_diagnose(r->messages, SOURCE_ERROR, mode->contact[0].where.offset,
                                    mode->contact[0].where.length,
                                    "a contact acts between bodies with masses, and this model is not of the "
                                    "form M q'' = F with a regular M of positions."),
                    "Give every coordinate its kinetic energy.");
        return 0;
    }
    return (take_names(c, r) && build_patterns(c, r) && list_numbers(c, r) && build_coefficients(c, r)) ||
           diagnostics_memory(r->messages);
}

void contact_close(struct contact_model *c) {
    if (c->count == 0) return;
    derive_free(&c->normal);
    derive_free(&c->tangent);
    tape_free(&c->coefficient);
    *c = (struct contact_model){0};
}
