/* linear.c - see linear.h. */
#include "core/linear.h"

#include "core/field.h"
#include "linalg/band.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

keel_system *keel_system_layout(keel_work *w, int order, const keel_system_block *blocks, int count, int real,
                                int complex) {
    struct field *fd = field_of(w);
    if (fd->systems == LINEAR_MOST || count > KEEL_SYSTEM_BLOCKS || real + complex > NEWTON_MATRICES)
        return NULL;
    keel_system *m = &fd->system[fd->systems++];
    *m = (keel_system){.order = order, .count = count, .real = real, .complex = complex};
    memcpy(m->block, blocks, (size_t)count * sizeof *blocks);
    return m;
}

/* Terms ------------------------------------------------------------------------------------------------- */

static size_t numbers_of(const struct field *fd, const keel_system_block *b) {
    if (b->kind == KEEL_BLOCK_DIAGONAL) return (size_t)b->rows;
    if (b->kind == KEEL_BLOCK_BEND) return (size_t)bending_numbers(&fd->p);
    return b->rows ? (size_t)b->pattern->row_start[b->rows] : 0;
}

static void put_bend(struct newton_terms *s, const struct field *fd, const keel_system_block *b) {
    const keel_pattern *rows = &fd->bending->pattern;
    for (int i = 0; i < fd->k; i++)
        for (int e = rows->row_start[i]; e < rows->row_start[i + 1]; e++) {
            const int *with;
            int count = bending_with(&fd->p, i, e - rows->row_start[i], &with);
            for (int c = 0; c < count; c++)
                newton_terms_put(s, b->row + rows->column[e], b->column + with[c]);
        }
}

static void put_block(struct newton_terms *s, const struct field *fd, const keel_system_block *b) {
    const keel_pattern *p = b->pattern;
    if (b->kind == KEEL_BLOCK_BEND && fd->bending) put_bend(s, fd, b);
    for (int i = 0; i < b->rows; i++) {
        int first = p ? p->row_start[i] : 0, end = p ? p->row_start[i + 1] : 0;
        if (b->kind == KEEL_BLOCK_DIAGONAL) newton_terms_put(s, b->row + i, b->column + i);
        for (int e = first; e < end && b->kind == KEEL_BLOCK_PLAIN; e++)
            newton_terms_put(s, b->row + i, b->column + p->column[e]);
        for (int e = first; e < end && b->kind == KEEL_BLOCK_TRANSPOSED; e++)
            newton_terms_put(s, b->row + p->column[e], b->column + i);
    }
}

enum { MOST_TERMS = 1 << 30 }; /* places are ints: more do not fit into a machine's memory, either */

static int find_pattern(const struct field *fd, keel_system *m) {
    struct newton_terms s;
    size_t all = 0;
    for (int b = 0; b < m->count; b++) all += m->numbers[b] = numbers_of(fd, &m->block[b]);
    m->pattern.order = m->order;
    m->pattern.right = calloc(2 * (size_t)m->order + 1, sizeof *m->pattern.right);
    int found = newton_terms_open(&s, all) && m->pattern.right && all < MOST_TERMS;
    if (found) {
        for (int b = 0; b < m->count; b++) put_block(&s, fd, &m->block[b]);
        found = newton_sum(&m->pattern, &s);
    }
    newton_terms_close(&s);
    if (!found || m->pattern.banded) return found;
    m->pattern.analysis =
        sparse_open(m->order, m->pattern.columns.start, m->pattern.columns.row, SPARSE_SADDLE);
    return m->pattern.analysis != NULL;
}

static int attach_one(const struct field *fd, keel_system *m) {
    memset(&m->pattern, 0, sizeof m->pattern);
    memset(m->factors, 0, sizeof m->factors);
    memset(m->bands, 0, sizeof m->bands);
    memset(m->stands, 0, sizeof m->stands);
    if (!find_pattern(fd, m)) return 1;
    for (int k = 0; k < m->real + m->complex; k++) {
        if (m->pattern.banded)
            m->bands[k] = band_open(m->order, m->pattern.lower, m->pattern.upper, k >= m->real);
        else m->factors[k] = sparse_share(m->pattern.analysis, k >= m->real);
        if (!m->bands[k] && !m->factors[k]) return 1;
    }
    return 0;
}

int linear_attach(struct field *fd) {
    int starved = 0;
    for (int i = 0; i < fd->systems; i++) starved |= attach_one(fd, &fd->system[i]);
    return starved;
}

void linear_detach(struct field *fd) {
    for (int i = 0; i < fd->systems; i++) {
        keel_system *m = &fd->system[i];
        for (int k = 0; k < NEWTON_MATRICES; k++) {
            sparse_close(m->factors[k]);
            band_close(m->bands[k]);
        }
        newton_pattern_free(&m->pattern);
    }
}

/* Factors ------------------------------------------------------------------------------------------------ */

static const double *assemble(const keel_system *m, const keel_system_value *values, int complex) {
    const struct newton_pattern *a = &m->pattern;
    double *v = complex ? a->pairs : a->values;
    const int *at = a->at;
    memset(v, 0, (complex ? 2 : 1) * a->places * sizeof *v);
    for (int b = 0; b < m->count; b++) {
        const keel_system_value *c = &values[b];
        for (size_t e = 0; e < m->numbers[b]; e++, at++) {
            double number = c->numbers ? c->numbers[e] : 1;
            if (!complex) {
                v[*at] += c->real * number;
                continue;
            }
            v[2 * (size_t)*at] += c->real * number;
            v[2 * (size_t)*at + 1] += c->imaginary * number;
        }
    }
    return v;
}

keel_status keel_system_factor(keel_work *w, keel_system *m, int k, const keel_system_value *values) {
    const double *v = assemble(m, values, k >= m->real);
    m->stands[k] = m->pattern.banded ? band_factor(m->bands[k], v) == 0 : sparse_fresh(m->factors[k], v) == 0;
    if (m->stands[k]) return KEEL_OK;
    return m->pattern.banded ? KEEL_RETRY : field_not_factored(field_of(w), m->factors[k], KEEL_RETRY);
}

int keel_system_stands(const keel_system *m, int k) {
    return m->stands[k];
}

void keel_system_solve(const keel_work *w, const keel_system *m, int k, double *b, double *imaginary) {
    const struct newton_pattern *a = &m->pattern;
    double *r = a->right;
    int stride = imaginary ? 2 : 1;
    (void)w;
    for (int i = 0; i < m->order; i++) {
        double *at = r + (size_t)stride * (size_t)a->position[i];
        at[0] = b[i];
        if (imaginary) at[1] = imaginary[i];
    }
    if (!m->stands[k]) r[0] = NAN;
    else if (a->banded) band_solve(m->bands[k], r);
    else sparse_solve(m->factors[k], r);
    for (int i = 0; i < m->order; i++) {
        const double *at = r + (size_t)stride * (size_t)a->position[i];
        b[i] = at[0];
        if (imaginary) imaginary[i] = at[1];
    }
}
