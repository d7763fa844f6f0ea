/* search.c - see search.h. */
#include "discover/search.h"

#include "base/text.h"
#include "discover/family.h"
#include "discover/relation.h"
#include "discover/write.h"

#include <stdlib.h>
#include <string.h>

/* Points ------------------------------------------------------------------------------------------------- */

int search_asked_to_stop(struct search *s) {
    if (s->stop && *s->stop) s->stopped = 1;
    return s->stopped;
}

int search_point(struct search *s, uint64_t seed, const unsigned char *vary) {
    if (search_asked_to_stop(s)) return 0;
    if (!variety_point(&s->w, residue_random(s->seed, seed), vary, &s->list)) {
        if (s->w.v.failed) s->starved = 1;
        else text_set(s->why, sizeof s->why, "no point was found at which all functions have values");
        return 0;
    }
    for (int k = 0; k < s->gens.count; k++) {
        s->generator[k] = s->w.v.value[s->gens.list[k].value];
        s->generator_rate[k] = s->w.v.value[s->gens.list[k].rate];
    }
    monomial_values(&s->basis, s->generator, s->generator_rate, s->value, s->rate);
    return 1;
}

static int take_sample(struct search *s) {
    size_t width = (size_t)s->gens.count;
    s->sample = calloc((size_t)SEARCH_POINTS * width + 1, sizeof *s->sample);
    s->stated_sample = calloc((size_t)SEARCH_POINTS * (size_t)s->stateds + 1, sizeof *s->stated_sample);
    if (!s->sample || !s->stated_sample) return !(s->starved = 1);
    for (; s->points < SEARCH_POINTS; s->points++) {
        if (!search_point(s, ((uint64_t)3 << 40) + (uint64_t)s->points, NULL)) return 0;
        memcpy(s->sample + (size_t)s->points * width, s->generator, width * sizeof *s->sample);
        for (int k = 0; k < s->stateds; k++)
            s->stated_sample[k * SEARCH_POINTS + s->points] = s->w.v.value[s->stated[k].value];
    }
    return 1;
}

/* Independent by themselves: free states and logarithms of them. */
static int are_free(const struct search *s) {
    if (s->w.rows) return 0;
    for (int k = 0; k < s->gens.count; k++) {
        struct expr_node n = s->w.g->node[s->gens.list[k].base];
        if (n.op == EXPR_LOG && s->gens.list[k].of >= 0) continue;
        if (s->gens.list[k].reciprocal || n.op != EXPR_SYMBOL) return 0;
    }
    return 1;
}

/* The columns: monomials that are no combination of those before them, at points of the manifold. */
static int find_columns(struct search *s) {
    struct echelon e;
    if (are_free(s)) {
        for (int j = 1; j < s->basis.count; j++) s->column[s->columns++] = j;
        return 1;
    }
    int dependent = 0, good = echelon_open(&e, s->basis.count);
    if (!good) s->starved = 1;
    for (uint64_t k = 0; good && dependent < 3 && e.rank < s->basis.count; k++) {
        good = search_point(s, ((uint64_t)1 << 40) + k, NULL);
        int added = good ? echelon_add(&e, s->value) : 0;
        if (added < 0) good = !(s->starved = 1);
        dependent += added == 0;
    }
    s->columns = 0;
    for (int j = 1; j < s->basis.count && good; j++)
        if (e.row_of[j] >= 0) s->column[s->columns++] = j;
    echelon_close(&e);
    return good;
}

/* The rates of the columns at points, until no more of them are new.  */
static int find_rates(struct search *s, const unsigned char *vary, uint64_t from, struct echelon *e) {
    int dependent = 0, good = echelon_open(e, s->columns);
    if (!good) s->starved = 1;
    for (uint64_t k = 0; good && dependent < SEARCH_CHECKS && e->rank < s->columns; k++) {
        good = search_point(s, from + k, vary);
        for (int j = 0; j < s->columns && good; j++) s->row[j] = s->rate[s->column[j]];
        int added = good ? echelon_add(e, s->row) : 0;
        if (added < 0) good = !(s->starved = 1);
        dependent += added == 0;
    }
    return good;
}

/* Vectors of a null space ------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b) {
    residue x = *(const residue *)a, y = *(const residue *)b;
    return (x > y) - (x < y);
}

/* v - c w has the fewest entries where c is the most frequent v_i/w_i.  What is gained, with c. */
static int gain_of(int columns, const residue *v, const residue *w, residue *ratio, residue *best) {
    int count = 0, lost = 0, most = 0;
    for (int i = 0; i < columns; i++) {
        if (w[i] == 0) continue;
        if (v[i] == 0) lost++;
        else ratio[count++] = residue_mul(v[i], residue_inverse(w[i]));
    }
    if (count <= lost) return 0;
    qsort(ratio, (size_t)count, sizeof *ratio, by_size);
    for (int i = 0, run = 0; i < count; i++) {
        run = i && ratio[i] == ratio[i - 1] ? run + 1 : 1;
        if (run > most) most = run, *best = ratio[i];
    }
    return most - lost;
}

int search_shorten(int columns, residue *v, int others, residue *const *other) {
    residue *ratio = malloc(((size_t)columns + 1) * sizeof *ratio);
    for (int round = 0; round < columns && ratio; round++) {
        int most = 0, which = -1;
        residue factor = 0, best = 0;
        for (int k = 0; k < others; k++) {
            int gain = gain_of(columns, v, other[k], ratio, &best);
            if (gain > most) most = gain, which = k, factor = best;
        }
        if (which < 0) break;
        for (int i = 0; i < columns; i++) v[i] = residue_sub(v[i], residue_mul(factor, other[which][i]));
    }
    free(ratio);
    return ratio != NULL;
}

/* All vectors of the null space, ascending; how many, -1 without memory. */
static int null_space(const struct echelon *e, residue ***out) {
    int count = e->columns - e->rank, at = 0;
    residue **list = calloc((size_t)count + 1, sizeof *list);
    for (int j = 0; j < e->columns && list; j++) {
        if (e->row_of[j] >= 0) continue;
        list[at] = malloc(((size_t)e->columns + 1) * sizeof **list);
        if (!list[at]) break;
        echelon_null(e, j, list[at++]);
    }
    *out = list;
    return list && at == count ? count : -1;
}

static void close_null_space(residue **list, int count) {
    for (int k = 0; k < count && list; k++) free(list[k]);
    free(list);
}

/* The last column that a vector has: its degree. */
static int degree_of(const struct search *s, const residue *v) {
    int last = s->columns - 1;
    while (last > 0 && v[last] == 0) last--;
    return s->basis.degree_of[s->column[last]];
}

/* What was found ----------------------------------------------------------------------------------------- */

void search_found_close(struct search_found *f) {
    free(f->term);
    free(f->now);
    free(f->text);
    free(f->relation);
    *f = (struct search_found){0};
}

/* 1; 0 without memory: f is given up. */
static int keep(struct search *s, struct search_found *f, struct search_found **list, int *count,
                int *capacity) {
    if (*count == *capacity) {
        int more = 2 * *capacity + 8;
        struct search_found *wider = realloc(*list, (size_t)more * sizeof *wider);
        if (!wider) return search_found_close(f), !(s->starved = 1);
        *list = wider;
        *capacity = more;
    }
    (*list)[(*count)++] = *f;
    return 1;
}

static int put_aside(struct search *s, struct search_found *f) {
    return keep(s, f, &s->aside, &s->asides, &s->aside_capacity);
}

residue search_value(const struct search_found *f, const residue *value) {
    residue sum = 0;
    for (int k = 0; k < f->terms; k++)
        sum = residue_add(sum, residue_mul(f->now[k], value[f->term[k].monomial]));
    return sum;
}

void search_sample(struct search *s, const struct search_found *f, residue *row) {
    for (int k = 0; k < s->points; k++) {
        monomial_values(&s->basis, s->sample + (size_t)k * (size_t)s->gens.count, NULL, s->value, NULL);
        row[k] = search_value(f, s->value);
    }
}

static const struct search_found *factor_of(const struct search *s, int k) {
    return k < s->founds ? &s->found[k] : &s->aside[k - s->founds];
}

/* The products up to a degree, as far as there are points to tell them apart.  1; 0 without memory. */
static int open_products(struct search *s, int degree, struct monomials *product) {
    int count = s->founds + s->asides, status = 0;
    int *weight = malloc(((size_t)count + 1) * sizeof *weight);
    for (int k = 0; k < count && weight; k++) weight[k] = factor_of(s, k)->degree;
    for (; weight && status == 0; degree--) {
        status = monomial_weighted(product, count, weight, degree, SEARCH_POINTS - 40);
        if (status == 0) {
            monomial_close(product);
            s->truncated = 1;
        }
    }
    free(weight);
    return status > 0;
}

/* The products of those found that may have this degree; one degree more, since relations lower it. */
int search_span(struct search *s, int degree, struct echelon *out) {
    struct monomials product = {0};
    residue *of = calloc((size_t)s->founds + (size_t)s->asides + 1, sizeof *of);
    s->truncated = 0;
    int good = echelon_open(out, SEARCH_POINTS) && of && open_products(s, degree + 1, &product);
    size_t count = (size_t)product.count;
    residue *all = good ? calloc(count * SEARCH_POINTS + 1, sizeof *all) : NULL;
    residue *at = good ? calloc(count + 1, sizeof *at) : NULL;
    for (int k = 0; k < s->points && all && at; k++) {
        monomial_values(&s->basis, s->sample + (size_t)k * (size_t)s->gens.count, NULL, s->value, NULL);
        for (int i = 0; i < s->founds + s->asides; i++) of[i] = search_value(factor_of(s, i), s->value);
        monomial_values(&product, of, NULL, at, NULL);
        for (size_t i = 0; i < count; i++) all[i * SEARCH_POINTS + (size_t)k] = at[i];
    }
    good = all && at;
    for (int i = 0; i < product.count && good; i++)
        good = echelon_add(out, all + (size_t)i * SEARCH_POINTS) >= 0;
    if (!good) s->starved = 1;
    monomial_close(&product);
    free(of);
    free(all);
    free(at);
    return good;
}

/* A vector over the columns as an invariant. */
static int found_of(struct search *s, const residue *v, struct search_found *f) {
    *f = (struct search_found){.degree = degree_of(s, v), .independent = 1};
    for (int j = 0; j < s->columns; j++) f->terms += v[j] != 0;
    f->term = calloc((size_t)f->terms + 1, sizeof *f->term);
    f->now = calloc((size_t)f->terms + 1, sizeof *f->now);
    if (!f->term || !f->now) return search_found_close(f), !(s->starved = 1);
    for (int j = 0, at = 0; j < s->columns; j++) {
        if (v[j] == 0) continue;
        f->term[at] = (struct search_term){.monomial = s->column[j], .coefficient = v[j]};
        f->now[at++] = v[j];
    }
    return 1;
}

/* The generator in monomial i, if that is a logarithm of a state alone; -1. */
static int logarithm_in(const struct search *s, int i) {
    int k = s->basis.factor[i];
    if (s->basis.degree_of[i] != 1 || s->gens.list[k].reciprocal) return -1;
    struct expr_node n = s->w.g->node[s->gens.list[k].base];
    return n.op == EXPR_LOG && s->gens.list[k].of >= 0 ? k : -1;
}

/* The column of the product of the states with these powers; -1: there is none. */
static int column_of(struct search *s, const int *power) {
    int *other = calloc((size_t)s->gens.count + 1, sizeof *other), found = -1;
    for (int j = 0; j < s->columns && other && found < 0; j++) {
        monomial_powers(&s->basis, s->column[j], other);
        if (memcmp(power, other, (size_t)s->gens.count * sizeof *power) == 0) found = j;
    }
    if (!other) s->starved = 1;
    free(other);
    return found;
}

/* 2 log(x) + log(y) rests where x^2 y does, which has a value whatever the signs. */
static int take_exponential(struct search *s, residue *v) {
    int *power = calloc((size_t)s->gens.count + 1, sizeof *power), good = power != NULL, column = -1;
    residue scale = 0;
    for (int j = 0; j < s->columns && good; j++) {
        int64_t top, bottom;
        if (v[j] == 0) continue;
        if (!scale) scale = residue_inverse(v[j]);
        int k = logarithm_in(s, s->column[j]);
        good = k >= 0 && residue_fraction(residue_mul(v[j], scale), &top, &bottom) && bottom == 1 &&
               top > 0 && top <= s->basis.degree;
        if (good) power[s->gens.list[k].of] = (int)top;
    }
    if (good && (column = column_of(s, power)) >= 0) {
        memset(v, 0, (size_t)s->columns * sizeof *v);
        v[column] = 1;
    }
    if (!power) s->starved = 1;
    free(power);
    return column >= 0;
}

/* One that is no product of others: it is news, or put aside.  1; 0. */
static int take_news(struct search *s, struct search_found *f, const struct echelon *span) {
    int good = f->scope != SEARCH_THESE || family_find(s, f, span);
    int kept = good ? relation_judge(s, f) : -1;
    if (kept > 0 && s->truncated && !f->independent) kept = 0; /* it may be a product of many */
    if (kept > 0 && !(f->text = write_invariant(s, f))) {
        if (s->starved) kept = -1;
        else kept = 0, s->unwritten++;
    }
    if (kept > 0) return keep(s, f, &s->found, &s->founds, &s->capacity);
    if (kept == 0) return put_aside(s, f);
    return search_found_close(f), 0;
}

/* The vectors of one degree that are no products of those found already. */
static int take_vectors(struct search *s, int degree, int count, residue **list, enum search_scope scope,
                        struct echelon *span) {
    residue *row = calloc(SEARCH_POINTS, sizeof *row);
    int good = row != NULL;
    for (int k = 0; k < count && good; k++) {
        struct search_found f, plain;
        if (degree_of(s, list[k]) != degree) continue;
        if (!search_shorten(s->columns, list[k], k, list)) {
            good = !(s->starved = 1);
            break;
        }
        if (!(good = found_of(s, list[k], &plain))) break;
        search_sample(s, &plain, row);
        if (echelon_depends(span, row)) {
            search_found_close(&plain);
            continue;
        }
        f = plain;
        if (scope == SEARCH_ALL && take_exponential(s, list[k]))
            good = put_aside(s, &plain) && found_of(s, list[k], &f);
        f.scope = scope;
        if (good && s->starved) search_found_close(&f), good = 0;
        good = good && take_news(s, &f, span);
        echelon_close(span);
        good = good && search_span(s, degree, span);
    }
    if (!row) s->starved = 1;
    free(row);
    return good;
}

/* The null space at other values of the parameters, the same at all points. */
static int take_other(struct search *s) {
    struct echelon e = {0};
    s->w.world = residue_random(s->seed, 99) | 1;
    int good = find_rates(s, s->vary, (uint64_t)8 << 40, &e);
    s->w.world = 0;
    s->others = good ? null_space(&e, &s->other) : 0;
    if (s->others < 0) s->others = 0, good = !(s->starved = 1);
    for (int k = 1; k < s->others && good; k++)
        if (!search_shorten(s->columns, s->other[k], k, s->other)) good = !(s->starved = 1);
    echelon_close(&e);
    return good;
}

static int count_degree(const struct search *s, int count, residue *const *list, int degree) {
    int within = 0;
    for (int k = 0; k < count; k++) within += degree_of(s, list[k]) <= degree;
    return within;
}

/* Of invariants whose coefficients are not known as functions of the parameters: do other values of these
 * have as many? */
static void compare_values(struct search *s, int owns, residue *const *own) {
    for (int i = 0; i < s->founds; i++) {
        struct search_found *f = &s->found[i];
        if (f->scope == SEARCH_THESE &&
            count_degree(s, s->others, s->other, f->degree) == count_degree(s, owns, own, f->degree))
            f->scope = SEARCH_UNKNOWN;
    }
}

/* Every vector that holds for all values of the parameters as it stands comes before those whose
 * coefficients depend on them. */
static int take_all(struct search *s, const struct echelon *universal, const struct echelon *these) {
    residue **free_of = NULL, **own = NULL;
    int frees = universal ? null_space(universal, &free_of) : 0, owns = null_space(these, &own), good = 1;
    if (frees < 0 || owns < 0) good = !(s->starved = 1);
    if (good && universal && owns > frees) good = take_other(s);
    for (int degree = 1; degree <= s->basis.degree && good; degree++) {
        struct echelon span;
        good = search_span(s, degree, &span);
        good = good && take_vectors(s, degree, frees, free_of, SEARCH_ALL, &span);
        if (!universal || owns > frees)
            good = good && take_vectors(s, degree, owns, own, universal ? SEARCH_THESE : SEARCH_ALL, &span);
        echelon_close(&span);
    }
    if (good) compare_values(s, owns, own);
    if (universal) close_null_space(free_of, universal->columns - universal->rank);
    close_null_space(own, these->columns - these->rank);
    return good;
}

int search_run(struct search *s) {
    struct echelon universal = {0}, these = {0};
    size_t count = (size_t)s->basis.count + 1, width = (size_t)s->gens.count + 1;
    s->value = calloc(count, sizeof *s->value);
    s->rate = calloc(count, sizeof *s->rate);
    s->row = calloc(count, sizeof *s->row);
    s->column = calloc(count, sizeof *s->column);
    s->generator = calloc(width, sizeof *s->generator);
    s->generator_rate = calloc(width, sizeof *s->generator_rate);
    if (!s->value || !s->rate || !s->row || !s->column || !s->generator || !s->generator_rate)
        return !(s->starved = 1);
    int good = find_columns(s) && find_rates(s, NULL, (uint64_t)2 << 40, &these);
    int any = good && these.rank < these.columns;
    if (any && s->parameters) good = find_rates(s, s->vary, (uint64_t)4 << 40, &universal);
    if (any && good) good = take_sample(s) && take_all(s, s->parameters ? &universal : NULL, &these);
    echelon_close(&universal);
    echelon_close(&these);
    return good && relation_tell(s);
}

void search_close(struct search *s) {
    for (int i = 0; i < s->founds; i++) search_found_close(&s->found[i]);
    for (int i = 0; i < s->asides; i++) search_found_close(&s->aside[i]);
    free(s->aside);
    close_null_space(s->other, s->others);
    free(s->found);
    free(s->value);
    free(s->rate);
    free(s->row);
    free(s->column);
    free(s->generator);
    free(s->generator_rate);
    free(s->sample);
    free(s->stated);
    derive_free(&s->slope);
    derive_free(&s->normal);
    free(s->stated_sample);
    free(s->variable);
    free(s->parameter);
    free(s->vary);
    generic_list_close(&s->list);
    monomial_close(&s->basis);
    monomial_close(&s->family);
    generator_close(&s->gens);
    variety_close(&s->w);
}
