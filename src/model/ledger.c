/* ledger.c - see ledger.h. */
#include "model/ledger.h"

#include "model/diagnostics.h"
#include "model/sim.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int find(const struct keel_model *m, const char *name) {
    for (int i = 0; i < m->surfaces; i++)
        if (strcmp(m->surface[i], name) == 0) return i;
    return -1;
}

static int list_names(struct keel_model *m) {
    size_t most = 0;
    for (int i = 0; i < m->modes; i++) most += (size_t)m->mode[i]->formulation.surfaces;
    m->surfaces = 0;
    m->surface = pool_take(&m->pool, (most + 1) * sizeof *m->surface);
    if (!m->surface) return 0;
    for (int i = 0; i < m->modes; i++) {
        const struct formulation *r = &m->mode[i]->formulation;
        int *own = m->mode[i]->solver_surface = pool_take(&m->pool, (most + 1) * sizeof *own);
        if (!own) return 0;
        for (size_t k = 0; k < most; k++) own[k] = -1;
        for (int k = 0; k < r->surfaces; k++) {
            const char *name = r->event.names[r->event.count - r->surfaces + k];
            if (!expr_spend(&m->model->graph, EXPR_COST_VISIT * (double)m->surfaces)) return 0;
            int place = find(m, name);
            if (place < 0) m->surface[place = m->surfaces++] = name;
            own[place] = k;
        }
    }
    return 1;
}

int ledger_names(struct keel_model *m) {
    return list_names(m) ? 1 : diagnostics_memory(&m->messages);
}

int ledger_open(struct ledger *l, const struct keel_model *m) {
    l->rows = m->rows;
    l->surfaces = m->surfaces;
    l->row = calloc((size_t)l->rows + 1, sizeof *l->row);
    l->before = calloc(2 * (size_t)l->surfaces + 1, sizeof *l->before);
    l->total = l->before ? l->before + l->surfaces : NULL;
    return l->row && l->before ? 0 : -1;
}

int ledger_grow(struct ledger *l, const struct keel_model *m) {
    struct ledger wider;
    if (ledger_open(&wider, m)) return -1;
    memcpy(wider.row, l->row, (size_t)l->rows * sizeof *l->row);
    memcpy(wider.before, l->before, (size_t)l->surfaces * sizeof *l->before);
    memcpy(wider.total, l->total, (size_t)l->surfaces * sizeof *l->total);
    ledger_close(l);
    *l = wider;
    return 0;
}

void ledger_close(struct ledger *l) {
    free(l->row);
    free(l->before);
    *l = (struct ledger){0};
}

/* A row that another mode had, or the start had, goes on with its worst and its first value. */
static struct ledger_row joined(const struct ledger_row *before, const keel_row *now) {
    struct ledger_row row = {.start = before->seen ? before->start : now->start,
                             .drift = fmax(before->drift, now->drift),
                             .units = fmax(before->units, now->units),
                             .last = now->last,
                             .unit = now->unit,
                             .kind = (int32_t)now->kind,
                             .treatment = (int32_t)now->treatment,
                             .verdict = (int32_t)now->verdict,
                             .seen = 1};
    return row;
}

static void take_rows(struct keel_sim *s) {
    const int *own = sim_solver_row(s);
    keel_row row;
    for (int i = 0; i < s->ledger.rows; i++)
        if (own[i] >= 0 && keel_row_at(s->solver, own[i], &row))
            s->ledger.row[i] = joined(&s->ledger.row[i], &row);
}

/* What the solver at hand counted at surface i; zeros where its mode has none such. */
static struct ledger_surface live(const struct keel_sim *s, int i) {
    int own = s->m->mode[s->mode]->solver_surface[i];
    keel_surface one = {0};
    if (own >= 0) keel_surface_at(s->solver, own, &one);
    return (struct ledger_surface){one.crossings, one.slides, one.slid};
}

static struct ledger_surface total(const struct keel_sim *s, int i) {
    const struct ledger_surface *before = &s->ledger.before[i], now = live(s, i);
    return (struct ledger_surface){before->crossings + now.crossings, before->slides + now.slides,
                                   before->slid + now.slid};
}

void ledger_leave(struct keel_sim *s) {
    take_rows(s);
    for (int k = 0; k < s->ledger.surfaces; k++) s->ledger.total[k] = total(s, k);
}

void ledger_enter(struct keel_sim *s) {
    take_rows(s);
    for (int k = 0; k < s->ledger.surfaces; k++) {
        const struct ledger_surface now = live(s, k), *all = &s->ledger.total[k];
        s->ledger.before[k] = (struct ledger_surface){all->crossings - now.crossings,
                                                      all->slides - now.slides, all->slid - now.slid};
    }
}

int keel_sim_row_at(const keel_sim *s, int i, keel_row *out) {
    if (!out || i < 0 || i >= keel_sim_rows(s)) return 0;
    const struct ledger_row *before = &s->ledger.row[i];
    struct ledger_row all = *before;
    int own = sim_solver_row(s)[i];
    keel_row row;
    if (own >= 0 && keel_row_at(s->solver, own, &row)) all = joined(before, &row);
    *out = (keel_row){.name = s->m->row[i],
                      .kind = (keel_row_kind)all.kind,
                      .treatment = (keel_row_treatment)all.treatment,
                      .verdict = (keel_verdict)all.verdict,
                      .start = all.start,
                      .drift = all.drift,
                      .units = all.units,
                      .last = all.last,
                      .unit = all.unit};
    return all.seen;
}

int keel_sim_surface_at(const keel_sim *s, int i, keel_surface *out) {
    if (!s || !s->solver || !out || i < 0 || i >= s->ledger.surfaces) return 0;
    const struct ledger_surface all = total(s, i);
    *out = (keel_surface){s->m->surface[i], (long)all.crossings, (long)all.slides, all.slid};
    return 1;
}

/* Saved states ------------------------------------------------------------------------------------------ */

static size_t row_bytes(const struct ledger *l) {
    return (size_t)l->rows * sizeof *l->row;
}

static size_t surface_bytes(const struct ledger *l) {
    return (size_t)l->surfaces * sizeof *l->before;
}

size_t ledger_size(const struct ledger *l) {
    return row_bytes(l) + surface_bytes(l);
}

void ledger_save(const struct ledger *l, unsigned char *bytes) {
    memcpy(bytes, l->row, row_bytes(l));
    memcpy(bytes + row_bytes(l), l->before, surface_bytes(l));
}

int ledger_load(struct ledger *l, const unsigned char *bytes) {
    memcpy(l->row, bytes, row_bytes(l));
    memcpy(l->before, bytes + row_bytes(l), surface_bytes(l));
    for (int i = 0; i < l->rows; i++) {
        const struct ledger_row *row = &l->row[i];
        if (row->kind < 0 || row->kind > KEEL_ROW_INVARIANT || row->treatment < 0 ||
            row->treatment > KEEL_ROW_DAMPED || row->verdict < 0 || row->verdict > KEEL_WEAK ||
            row->seen < 0 || row->seen > 1)
            return 0;
    }
    for (int k = 0; k < l->surfaces; k++) {
        const int64_t count[] = {l->before[k].crossings, l->before[k].slides};
        for (int j = 0; j < 2; j++)
            if (count[j] < 0 || count[j] > LONG_MAX / 2) return 0;
    }
    return 1;
}
