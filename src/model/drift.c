/* drift.c - see drift.h. */
#include "model/drift.h"

#include "base/dictionary.h"
#include "base/text.h"
#include "model/diagnostics.h"
#include "model/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The maps of a mode whose values are rows, in the order of the solver's. */
static const struct formulation_map *map_of(const struct formulation *r, keel_row_kind kind) {
    switch (kind) {
    case KEEL_ROW_CONSTRAINT:
    case KEEL_ROW_VELOCITY:
        return &r->constraint;
    case KEEL_ROW_ROLLING:
        return &r->rolling;
    case KEEL_ROW_HIDDEN:
        return &r->hidden;
    case KEEL_ROW_ENERGY:
        return &r->energy;
    case KEEL_ROW_INVARIANT:
        return &r->invariant;
    case KEEL_ROW_ALGEBRAIC: /* y is solved from them */
        break;
    }
    return NULL;
}

static int rows_of(const struct formulation *r, keel_row_kind kind) {
    const struct formulation_map *map = map_of(r, kind);
    return map ? map->count : 0;
}

static void name_of(char *out, size_t capacity, const struct formulation *r, keel_row_kind kind, int j) {
    text_set(out, capacity, "%s%s", kind == KEEL_ROW_VELOCITY ? "d/dt " : "", map_of(r, kind)->names[j]);
}

/* Rows of contacts: gaps, their rates, slidings. */
static int list_contacts(struct keel_model *m, struct dictionary *rows) {
    const struct contact_model *c = &m->mode[0]->contact;
    m->contact_row = pool_take(&m->pool, (3 * (size_t)c->count + 1) * sizeof *m->contact_row);
    for (int k = 0; k < 3 * c->count && m->contact_row; k++) {
        char name[220];
        int i = k % c->count;
        m->contact_row[k] = -1;
        if (k / c->count == 2 && c->contact[i].drag < 0) continue;
        text_set(name, sizeof name, "%s%s", k / c->count == 1 ? "d/dt " : "",
                 k / c->count == 2 ? c->slide_name[i] : c->name[i]);
        int *number = dictionary_at(rows, name);
        if (!number) return 0;
        if (*number < 0) m->row[ *number = m->rows++] = pool_copy(&m->pool, name, strlen(name));
        m->contact_row[k] = *number;
    }
    return m->contact_row && !m->pool.refused;
}

/* The names of all rows of all modes, each once, and the place of each row of a mode among them. */
static int list_names(struct keel_model *m) {
    size_t most = 0;
    for (int i = 0; i < m->modes; i++)
        for (int kind = 0; kind < DRIFT_KINDS; kind++)
            most += (size_t)rows_of(&m->mode[i]->formulation, (keel_row_kind)kind);
    for (int i = 0; i < m->modes; i++) most += 3 * (size_t)m->mode[i]->contact.count;
    m->rows = 0;
    m->row = pool_take(&m->pool, (most + 1) * sizeof *m->row);
    int *place = pool_take(&m->pool, (most + 1) * sizeof *place);
    struct dictionary rows = {.pool = &m->pool};
    if (!m->row || !place) return 0;
    for (int i = 0; i < m->modes; i++) {
        const struct formulation *r = &m->mode[i]->formulation;
        for (int kind = 0; kind < DRIFT_KINDS; kind++) {
            int count = rows_of(r, (keel_row_kind)kind);
            m->mode[i]->row_place[kind] = place;
            for (int j = 0; j < count; j++) {
                char name[220];
                name_of(name, sizeof name, r, (keel_row_kind)kind, j);
                int *number = dictionary_at(&rows, name);
                if (!number) return 0;
                if (*number < 0) m->row[ *number = m->rows++] = pool_copy(&m->pool, name, strlen(name));
                if (m->pool.refused) return 0;
                place[j] = *number;
            }
            place += count;
        }
    }
    return list_contacts(m, &rows);
}

/* The solver's number of each row. */
static int open_mode(struct keel_model *m, struct inside_mode *mode) {
    const struct formulation *r = &mode->formulation;
    int number = 0;
    mode->solver_row = pool_take(&m->pool, ((size_t)m->rows + 1) * sizeof *mode->solver_row);
    if (m->pool.refused) return 0;
    for (int i = 0; i < m->rows; i++) mode->solver_row[i] = -1;
    for (int kind = 0; kind < DRIFT_KINDS; kind++) {
        if (kind == KEEL_ROW_ALGEBRAIC) number += r->m; /* y is solved from them: they are not shown */
        for (int j = 0; j < rows_of(r, (keel_row_kind)kind); j++)
            mode->solver_row[mode->row_place[kind][j]] = number++;
    }
    number += 3 * mode->contact.count; /* where they are closed */
    if (m->solver_rows < number) m->solver_rows = number;
    return 1;
}

int drift_open(struct keel_model *m) {
    m->solver_rows = 0;
    if (!list_names(m)) return diagnostics_memory(&m->messages);
    for (int i = 0; i < m->modes; i++)
        if (!open_mode(m, m->mode[i])) return diagnostics_memory(&m->messages);
    return 1;
}

int keel_sim_rows(const keel_sim *s) {
    return s && s->solver ? s->m->rows : 0;
}

const char *keel_sim_row(const keel_sim *s, int i) {
    return i >= 0 && i < keel_sim_rows(s) ? s->m->row[i] : NULL;
}

int keel_sim_row_in(const keel_sim *s, int i, int mode) {
    return i >= 0 && i < keel_sim_rows(s) && mode >= 0 && mode < s->m->modes &&
           s->m->mode[mode]->solver_row[i] >= 0;
}

keel_status drift_at(struct keel_sim *s, double t, const double *u, int rows, double *drift) {
    const int *own = sim_solver_row(s);
    if (s->m->solver_rows && !s->residual)
        s->residual = malloc((size_t)s->m->solver_rows * sizeof *s->residual);
    if (s->m->solver_rows && !s->residual) return sim_no_memory(s);
    keel_status status = s->residual ? keel_residuals(s->solver, t, u, s->residual) : KEEL_OK;
    for (int i = 0; i < rows && status == KEEL_OK; i++) drift[i] = own[i] >= 0 ? s->residual[own[i]] : NAN;
    return status;
}
