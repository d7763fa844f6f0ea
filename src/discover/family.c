/* family.c - see family.h.
 *
 * Parameters are states that rest: the same null space, at points with other values of the parameters, of the
 * monomials of f times monomials of the parameters.  Of the invariants in it that are new the shortest is
 * taken. */
#include "discover/family.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 1200, MOST_SUPPORT = 120, CHECKS = 8 };

static int add_monomial(int monomial, int count, int *support) {
    int at = 0;
    while (at < count && support[at] != monomial) at++;
    support[at] = monomial;
    return at == count ? count + 1 : count;
}

/* At other values of the parameters: the shortest vector with the last monomial of f; NULL: none. */
static const residue *counterpart(const struct search *s, const struct search_found *f) {
    const residue *best = NULL;
    int last = f->terms ? f->term[f->terms - 1].monomial : 0, shortest = MOST_SUPPORT, column = 0;
    while (column < s->columns - 1 && s->column[column] != last) column++;
    for (int k = 0; k < s->others; k++) {
        int terms = 0;
        for (int j = 0; j < s->columns; j++) terms += s->other[k][j] != 0;
        if (s->other[k][column] && terms < shortest) shortest = terms, best = s->other[k];
    }
    return best;
}

/* The monomials of f; of what was found before with its degree, since H may need terms that C could spare;
 * and those that other values of the parameters need. */
static int support_of(const struct search *s, const struct search_found *f, int *support) {
    const residue *other = counterpart(s, f);
    int count = 0;
    for (int i = -1; i < s->founds; i++) {
        const struct search_found *from = i < 0 ? f : &s->found[i];
        if (from->degree != f->degree || (i >= 0 && from->terms + count > MOST_SUPPORT)) continue;
        for (int k = 0; k < from->terms; k++) count = add_monomial(from->term[k].monomial, count, support);
    }
    for (int j = 0; j < s->columns && other && count < 2 * MOST_SUPPORT; j++)
        if (other[j]) count = add_monomial(s->column[j], count, support);
    return count;
}

/* dI/dt at a point with other values of some parameters: 1: zero; 0; -1. */
static int holds(struct search *s, const struct search_found *f, const unsigned char *vary, uint64_t seed) {
    residue sum = 0;
    if (!search_point(s, seed, vary)) return -1;
    for (int k = 0; k < f->terms; k++)
        sum = residue_add(sum, residue_mul(f->now[k], s->rate[f->term[k].monomial]));
    return sum == 0;
}

static int is_own(const struct search *s, int k) { /* it does not follow from others */
    double number;
    return expr_is_constant(&s->y->m->graph, s->y->m->parameter[s->parameter[k]].value, &number);
}

/* The parameters among those that vary whose value matters to f, as numbers among s->parameter; those that
 * follow from others always do.  How many, -1. */
static int relevant_of(struct search *s, const struct search_found *f, const unsigned char *vary,
                       int *relevant) {
    unsigned char *one = calloc((size_t)s->y->m->parameters + 1, 1);
    int count = 0;
    if (!one) return s->starved = 1, -1;
    for (int k = 0; k < s->parameters && count >= 0; k++) {
        int i = s->parameter[k], own = is_own(s, k);
        if (own && !vary[i]) continue;
        one[i] = 1;
        int same = own ? holds(s, f, one, ((uint64_t)5 << 40) + (uint64_t)k) : 0;
        one[i] = 0;
        if (same < 0) count = -1;
        else if (!same) relevant[count++] = k;
    }
    free(one);
    return count;
}

struct ansatz {
    struct search *s;
    const struct search_found *f;
    const unsigned char *vary; /* [model's parameters] */
    int support, relevant, columns;
    const int *monomial, *parameter; /* [support]; [relevant] numbers among s->parameter */
    struct monomials family;         /* of the relevant parameters */
    residue *factor;                 /* [family.count] their values */
};

/* Column j is monomial j % support, times parameters j / support. */
static void take_factors(struct ansatz *a) {
    residue value[64];
    for (int k = 0; k < a->relevant; k++) value[k] = a->s->w.v.parameter[a->s->parameter[a->parameter[k]]];
    monomial_values(&a->family, value, NULL, a->factor, NULL);
}

static int take_rows(struct ansatz *a, struct echelon *e) {
    struct search *s = a->s;
    residue *row = calloc((size_t)a->columns + 1, sizeof *row);
    int good = echelon_open(e, a->columns) && row, dependent = 0;
    if (!good) s->starved = 1;
    for (uint64_t k = 0; good && dependent < CHECKS && e->rank < a->columns; k++) {
        if (!(good = search_point(s, ((uint64_t)6 << 40) + k, a->vary))) break;
        take_factors(a);
        for (int j = 0; j < a->columns; j++)
            row[j] = residue_mul(s->rate[a->monomial[j % a->support]], a->factor[j / a->support]);
        int added = echelon_add(e, row);
        if (added < 0) good = !(s->starved = 1);
        dependent += added == 0;
    }
    free(row);
    return good;
}

/* Monomial i of the relevant parameters among those of all of them. */
static int family_number(const struct ansatz *a, int i) {
    const struct monomials *all = &a->s->family;
    int power[64] = {0}, other[64];
    for (; i > 0; i = a->family.before[i]) power[a->parameter[a->family.factor[i]]]++;
    for (int k = 0; k < all->count; k++) {
        monomial_powers(all, k, other);
        if (memcmp(power, other, (size_t)all->generators * sizeof *power) == 0) return k;
    }
    return -1;
}

static int found_of(struct ansatz *a, const residue *v, struct search_found *out) {
    struct search *s = a->s;
    int terms = 0;
    for (int j = 0; j < a->columns; j++) terms += v[j] != 0;
    *out = (struct search_found){.independent = 1, .scope = SEARCH_ALL};
    out->term = calloc((size_t)terms + 1, sizeof *out->term);
    out->now = calloc((size_t)terms + 1, sizeof *out->now);
    if (!out->term || !out->now) return search_found_close(out), !(s->starved = 1);
    generic_parameters(&s->w.v, NULL, 0);
    take_factors(a);
    for (int j = 0; j < a->columns; j++) {
        if (v[j] == 0) continue;
        struct search_term *term = &out->term[out->terms];
        *term = (struct search_term){a->monomial[j % a->support], family_number(a, j / a->support), v[j]};
        out->now[out->terms++] = residue_mul(v[j], a->factor[j / a->support]);
        int degree = s->basis.degree_of[term->monomial];
        if (degree > out->degree) out->degree = degree;
    }
    return 1;
}

/* The shortest vector of the null space that is new.  1: f is replaced; 0: there is none; -1. */
static int take_shortest(struct ansatz *a, const struct echelon *e, struct search_found *f,
                         const struct echelon *span) {
    struct search *s = a->s;
    int count = e->columns - e->rank, at = 0, status = 0;
    residue **list = calloc((size_t)count + 1, sizeof *list), *row = calloc(SEARCH_POINTS, sizeof *row);
    struct search_found best = {0};
    for (int j = 0; j < e->columns && list && row && status >= 0; j++) {
        struct search_found one;
        if (e->row_of[j] >= 0) continue;
        list[at] = malloc(((size_t)e->columns + 1) * sizeof **list);
        if (!list[at]) break;
        echelon_null(e, j, list[at]);
        if (!search_shorten(e->columns, list[at], at, list)) {
            free(list[at]);
            break;
        }
        if (!found_of(a, list[at++], &one)) break;
        search_sample(s, &one, row);
        if (echelon_depends(span, row) || (best.terms && best.terms <= one.terms)) search_found_close(&one);
        else {
            search_found_close(&best);
            best = one;
        }
    }
    if (!list || !row || at < count) s->starved = 1, status = -1;
    for (int k = 0; k < at; k++) free(list[k]);
    free(list);
    free(row);
    if (status == 0 && best.terms) {
        search_found_close(f);
        *f = best;
        return 1;
    }
    search_found_close(&best);
    return status;
}

static int try_degree(struct ansatz *a, int degree, struct search_found *f, const struct echelon *span) {
    struct echelon e = {0};
    int none[64], status = -1;
    for (int k = 0; k < a->relevant; k++) none[k] = -1;
    if (monomial_open(&a->family, a->relevant, none, degree)) {
        a->columns = a->support * a->family.count;
        a->factor = calloc((size_t)a->family.count + 1, sizeof *a->factor);
        if (a->factor && take_rows(a, &e)) status = take_shortest(a, &e, f, span);
    }
    if (status < 0 && !a->s->stopped) a->s->starved = 1;
    echelon_close(&e);
    monomial_close(&a->family);
    free(a->factor);
    a->factor = NULL;
    return status;
}

/* An invariant for all values of those that vary in the place of f: 1; 0: there is none; -1. */
static int try_parameters(struct search *s, const unsigned char *vary, struct search_found *f,
                          const struct echelon *span) {
    int *support = calloc((size_t)s->basis.count + 1, sizeof *support), relevant[64], status = 0;
    if (!support) return s->starved = 1, -1;
    struct ansatz a = {.s = s, .f = f, .vary = vary, .monomial = support, .parameter = relevant};
    a.support = support_of(s, f, support);
    a.relevant = relevant_of(s, f, vary, relevant);
    if (a.relevant < 0) status = -1;
    for (int degree = 1; degree <= s->family.degree && status == 0 && a.relevant > 0; degree++) {
        if (a.support * monomial_count(a.relevant, degree) > MOST_COLUMNS) break;
        status = try_degree(&a, degree, f, span);
    }
    if (status == 0 && a.relevant == 0) status = holds(s, f, vary, (uint64_t)9 << 40);
    free(support);
    return status;
}

/* Where not all of them may vary, as many as may, one after the other. */
int family_find(struct search *s, struct search_found *f, const struct echelon *span) {
    unsigned char *vary = calloc((size_t)s->y->m->parameters + 1, 1);
    if (!vary) return !(s->starved = 1);
    int status = try_parameters(s, s->vary, f, span);
    f->scope = status > 0 ? SEARCH_ALL : SEARCH_THESE;
    for (int k = 0; k < s->parameters && status >= 0 && f->scope == SEARCH_THESE; k++) {
        int i = s->parameter[k];
        if (!is_own(s, k)) continue;
        vary[i] = 1;
        status = try_parameters(s, vary, f, span);
        f->scope = SEARCH_THESE;
        vary[i] = status > 0;
    }
    for (int k = 0; k < s->parameters && f->scope == SEARCH_THESE; k++)
        if (is_own(s, k) && !vary[s->parameter[k]]) f->held |= (uint64_t)1 << k;
    free(vary);
    return status >= 0;
}
