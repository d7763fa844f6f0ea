/* sim_jumps.c - the table of jumps: invariants and energies whose values an action, or a change of mode, has
 * changed by more than round-off.  Those with grad I . B = 0 (jump.h) pass unchanged and are not in it. */
#include "model/drift.h"
#include "model/sim_record.h"

#include <math.h>
#include <stdlib.h>

enum { UNITS = 1024 }; /* round-offs of the row that are no jump: those of the equations' own combination */

static int counts(const keel_row *row) {
    return row->kind == KEEL_ROW_ENERGY || row->kind == KEEL_ROW_INVARIANT;
}

/* The rows where the run stands, and one round-off unit of each that may jump; 0: it is none. */
static keel_status values_of(struct keel_sim *s, double *value, double *unit) {
    const int *own = sim_solver_row(s);
    keel_row row;
    keel_status status = drift_at(s, keel_time(s->solver), keel_state(s->solver), s->m->rows, value);
    if (status != KEEL_OK) return status;
    for (int i = 0; i < s->m->rows; i++) {
        unit[i] = 0;
        if (own[i] < 0 || !keel_row_at(s->solver, own[i], &row)) continue;
        value[i] += row.start;
        if (counts(&row)) unit[i] = row.unit;
    }
    return KEEL_OK;
}

keel_status sim_rows_before(struct keel_sim *s) {
    int rows = s->m->rows;
    if (rows == 0) return KEEL_OK;
    if (!s->row_value) s->row_value = malloc(4 * (size_t)rows * sizeof *s->row_value);
    if (!s->row_value) return sim_no_memory(s);
    return values_of(s, s->row_value, s->row_value + rows);
}

static keel_status add(struct keel_sim *s, struct sim_jump one) {
    if (s->jumps == s->jump_workspace) {
        long capacity = s->jump_workspace ? 2 * s->jump_workspace : 16;
        struct sim_jump *wider = realloc(s->jump, (size_t)capacity * sizeof *wider);
        if (!wider) return sim_no_memory(s);
        s->jump = wider;
        s->jump_workspace = capacity;
    }
    s->jump[s->jumps++] = one;
    return KEEL_OK;
}

keel_status sim_rows_after(struct keel_sim *s) {
    int rows = s->m->rows;
    if (rows == 0) return KEEL_OK;
    double *before = s->row_value, *unit = before + rows, *after = unit + rows, *now = after + rows;
    keel_status found = values_of(s, after, now);
    if (found != KEEL_OK) return found;
    for (int k = 0; k < rows; k++) {
        int both = unit[k] > 0 && now[k] > 0 && isfinite(before[k]) && isfinite(after[k]);
        if (!both || fabs(after[k] - before[k]) <= UNITS * fmax(unit[k], now[k])) continue;
        keel_status status = add(s, (struct sim_jump){s->event_records - 1, k, before[k], after[k]});
        if (status != KEEL_OK) return status;
    }
    return KEEL_OK;
}

int keel_sim_jump(const keel_sim *s, long i, keel_jump *out) {
    if (!s || !out) return 0;
    if (i < 0) i += s->jumps;
    if (i < 0 || i >= s->jumps) return 0;
    const struct sim_jump *one = &s->jump[i];
    keel_event_record h = sim_recorded(s, one->event_record);
    *out = (keel_jump){h.t, h.event, s->m->row[one->row], h.from, h.to, one->before, one->after};
    return 1;
}
