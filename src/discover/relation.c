/* relation.c - see relation.h. */
#include "discover/relation.h"

#include "discover/write.h"

#include <stdlib.h>
#include <string.h>

/* Gradients ---------------------------------------------------------------------------------------------- */

/* slope[k * variables + v] of generator k, at the point in force. */
static void take_slopes(const struct search *s, residue *slope) {
    const struct derive_sparse *j = &s->slope;
    memset(slope, 0, (size_t)s->gens.count * (size_t)s->variables * sizeof *slope);
    for (int k = 0; k < j->rows; k++)
        for (int i = j->row_start[k]; i < j->row_start[k + 1]; i++)
            slope[k * s->variables + j->column[i]] = s->w.v.value[j->value[i]];
}

/* The gradient of f: that of every monomial by one variable at a time is a rate like others. */
static void gradient_of(struct search *s, const struct search_found *f, const residue *slope, residue *out) {
    for (int v = 0; v < s->variables; v++) {
        for (int k = 0; k < s->gens.count; k++) s->generator_rate[k] = slope[k * s->variables + v];
        monomial_values(&s->basis, s->generator, s->generator_rate, s->value, s->rate);
        out[v] = search_value(f, s->rate);
    }
}

static int add_normals(const struct search *s, struct echelon *e, residue *row) {
    const struct derive_sparse *j = &s->normal;
    for (int k = 0; k < j->rows; k++) {
        memset(row, 0, (size_t)s->variables * sizeof *row);
        for (int i = j->row_start[k]; i < j->row_start[k + 1]; i++)
            row[j->column[i]] = s->w.v.value[j->value[i]];
        if (echelon_add(e, row) < 0) return 0;
    }
    return 1;
}

int relation_judge(struct search *s, struct search_found *f) {
    size_t n = (size_t)s->variables + 1;
    residue *slope = calloc((size_t)s->gens.count * n + 1, sizeof *slope);
    residue *own = calloc(n, sizeof *own), *other = calloc(n, sizeof *other), *row = calloc(n, sizeof *row);
    int good = slope && own && other && row && search_point(s, (uint64_t)7 << 40, NULL), kept = 1;
    struct echelon all = {0};
    good = good && echelon_open(&all, s->variables) && add_normals(s, &all, row);
    if (good) {
        take_slopes(s, slope);
        gradient_of(s, f, slope, own);
        memcpy(row, own, n * sizeof *row);
        kept = !echelon_depends(&all, row);
    }
    for (int i = 0; i < s->founds && good && kept; i++) {
        struct echelon one = {0};
        good = echelon_open(&one, s->variables) && add_normals(s, &one, row);
        gradient_of(s, &s->found[i], slope, other);
        memcpy(row, other, n * sizeof *row);
        good = good && echelon_add(&one, row) >= 0;
        memcpy(row, own, n * sizeof *row);
        kept = good && !echelon_depends(&one, row);
        good = good && echelon_add(&all, other) >= 0;
        echelon_close(&one);
    }
    f->independent = good && !echelon_depends(&all, own);
    if (!good && !s->stopped && !s->why[0]) s->starved = 1;
    echelon_close(&all);
    free(slope);
    free(own);
    free(other);
    free(row);
    return good ? kept : -1;
}

/* Relations ---------------------------------------------------------------------------------------------- */

/* A polynomial of degree `degree` in the invariants 0 .. last that is zero and contains the last: its text.
 * 1; 0: there is none; -1. */
static int relation_of(struct search *s, int last, int degree, char **text) {
    struct monomials product = {0};
    struct echelon e = {0};
    size_t count = (size_t)last + 1;
    int *partner = malloc(count * sizeof *partner), status = -1, dependent = 0;
    residue *of = calloc(count, sizeof *of), *row = NULL;
    for (size_t k = 0; k < count && partner; k++) partner[k] = -1;
    int good = partner && of && monomial_open(&product, last + 1, partner, degree) &&
               echelon_open(&e, product.count) &&
               (row = calloc((size_t)product.count + 1, sizeof *row)) != NULL;
    for (int k = 0; k < s->points && good && dependent < SEARCH_CHECKS && e.rank < e.columns; k++) {
        monomial_values(&s->basis, s->sample + (size_t)k * (size_t)s->gens.count, NULL, s->value, NULL);
        for (int i = 0; i <= last; i++) of[i] = search_value(&s->found[i], s->value);
        monomial_values(&product, of, NULL, row, NULL);
        int added = echelon_add(&e, row);
        good = added >= 0;
        dependent += added == 0;
    }
    if (good) status = 0;
    for (int j = 0; j < e.columns && status == 0; j++) {
        int contains = 0;
        if (e.row_of[j] >= 0) continue;
        echelon_null(&e, j, row);
        for (int i = 1; i < e.columns && !contains; i++)
            for (int k = i; k > 0 && row[i]; k = product.before[k]) contains |= product.factor[k] == last;
        if (contains) status = (*text = write_relation(s, &product, row)) ? 1 : 0;
    }
    free(partner);
    free(of);
    free(row);
    echelon_close(&e);
    monomial_close(&product);
    return status;
}

static int tell_relation(struct search *s, int last) {
    enum { HIGHEST = 6 };
    for (int degree = 2; degree <= HIGHEST; degree++) {
        if (monomial_count(last + 1, degree) > s->points - SEARCH_CHECKS) break;
        int status = relation_of(s, last, degree, &s->found[last].relation);
        if (status) return status > 0 || !(s->starved = 1);
    }
    return 1;
}

/* What the model states: the invariant itself, up to a factor and a constant, or a polynomial of some. */
static int tell_known(struct search *s, struct search_found *f) {
    residue *row = calloc(SEARCH_POINTS, sizeof *row), *own = calloc(SEARCH_POINTS, sizeof *own);
    struct echelon all = {0};
    int good = row && own && echelon_open(&all, SEARCH_POINTS), known = -1;
    if (good) search_sample(s, f, own);
    for (int i = 0; i < s->stateds && good && known < 0; i++) {
        struct echelon one = {0};
        good = echelon_open(&one, SEARCH_POINTS);
        for (int power = 0; power < 2 && good; power++) {
            for (int k = 0; k < s->points; k++) row[k] = power ? s->stated_sample[i * SEARCH_POINTS + k] : 1;
            good = echelon_add(&one, row) >= 0;
        }
        memcpy(row, own, SEARCH_POINTS * sizeof *row);
        if (good && echelon_depends(&one, row)) known = i;
        echelon_close(&one);
    }
    for (int i = -1; i < s->stateds && good && known < 0; i++)
        for (int j = i < 0 ? -1 : 0; j <= i && good; j++) {
            const residue *a = s->stated_sample + (i < 0 ? 0 : i) * SEARCH_POINTS;
            const residue *b = s->stated_sample + (j < 0 ? 0 : j) * SEARCH_POINTS;
            for (int k = 0; k < s->points; k++) row[k] = i < 0 ? 1 : j == 0 ? a[k] : residue_mul(a[k], b[k]);
            good = echelon_add(&all, row) >= 0;
        }
    if (good && s->stateds) {
        if (known >= 0) f->known = s->stated[known].name;
        else if (echelon_depends(&all, own)) f->known = "";
    }
    if (!good) s->starved = 1;
    echelon_close(&all);
    free(row);
    free(own);
    return good;
}

int relation_tell(struct search *s) {
    int good = 1;
    for (int i = 0; i < s->founds && good; i++) {
        struct search_found *f = &s->found[i];
        if (good && !f->independent) good = tell_relation(s, i);
        good = good && tell_known(s, f);
    }
    return good;
}
