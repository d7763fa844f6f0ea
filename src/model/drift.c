/* drift.c - see drift.h. */
#include "model/drift.h"

#include "base/text.h"
#include "model/complaint.h"
#include "model/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int find(const struct keel_model *m, const char *name) {
    for (int i = 0; i < m->rows; i++)
        if (strcmp(m->row[i], name) == 0) return i;
    return -1;
}

/* The names of all rows of all modes, each once. */
static int list_names(struct keel_model *m) {
    size_t most = 0;
    for (int i = 0; i < m->modes; i++) {
        const struct road *r = &m->mode[i].road;
        most += (size_t)(2 * r->constraint.count + r->rolling.count + r->hidden.count + r->energy.count +
                         r->invariant.count);
    }
    m->rows = 0;
    m->row = pool_take(&m->pool, (most + 1) * sizeof *m->row);
    if (!m->row) return 0;
    for (int i = 0; i < m->modes; i++) {
        const struct road *r = &m->mode[i].road;
        const struct road_map *maps[] = {&r->constraint, &r->constraint, &r->rolling,
                                         &r->hidden,     &r->energy,     &r->invariant};
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < maps[k]->count; j++) {
                char name[220];
                text_set(name, sizeof name, "%s%s", k == 1 ? "d/dt " : "", maps[k]->names[j]);
                if (!expr_spend(&m->model->graph, EXPR_COST_LOOK * (double)m->rows)) return 0;
                if (find(m, name) < 0) m->row[m->rows++] = pool_copy(&m->pool, name, strlen(name));
                if (m->pool.refused) return 0;
            }
    }
    return 1;
}

static int open_mode(struct keel_model *m, struct inside_mode *mode) {
    struct road *r = &mode->road;
    const struct road_map *maps[] = {&r->constraint, &r->constraint, &r->rolling,
                                     &r->hidden,     &r->energy,     &r->invariant};
    expr *target = pool_take(&m->pool, ((size_t)m->rows + 1) * sizeof *target);
    mode->has_row = pool_take(&m->pool, (size_t)m->rows + 1);
    if (m->pool.refused) return 0;
    for (int i = 0; i < m->rows; i++) target[i] = expr_constant(&m->model->graph, NAN);
    for (int k = 0; k < 6; k++)
        for (int j = 0; j < maps[k]->count; j++) {
            char name[220];
            text_set(name, sizeof name, "%s%s", k == 1 ? "d/dt " : "", maps[k]->names[j]);
            expr value = maps[k]->value[j];
            if (!expr_spend(&m->model->graph, EXPR_COST_LOOK * (double)m->rows)) return 0;
            mode->has_row[find(m, name)] = 1;
            target[find(m, name)] = k == 1 ? derive_total(&r->derive, value) : value;
        }
    return values_open(&mode->rows, r, m->rows, target, 1);
}

int drift_open(struct keel_model *m) {
    if (!list_names(m)) return complaint_memory(&m->messages);
    for (int i = 0; i < m->modes; i++)
        if (!open_mode(m, &m->mode[i])) return complaint_memory(&m->messages);
    return 1;
}

void drift_close(struct keel_model *m) {
    for (int i = 0; i < m->modes; i++) values_close(&m->mode[i].rows);
}

int keel_sim_rows(const keel_sim *s) {
    return s && s->solver ? s->m->rows : 0;
}

const char *keel_sim_row(const keel_sim *s, int i) {
    return i >= 0 && i < keel_sim_rows(s) ? s->m->row[i] : NULL;
}

int keel_sim_row_in(const keel_sim *s, int i, int mode) {
    return i >= 0 && i < keel_sim_rows(s) && mode >= 0 && mode < s->m->modes && s->m->mode[mode].has_row[i];
}

/* Where each row of the solver stands among the names: looked for once when a mode is entered. */
static int find_rows(struct keel_sim *s) {
    keel_kept kept;
    int count = 0;
    if (s->row_of && s->row_mode == s->mode) return 1;
    while (keel_kept_at(s->solver, count, &kept)) count++;
    int *wider = realloc(s->row_of, ((size_t)count + 1) * sizeof *wider);
    if (!wider) return 0;
    s->row_of = wider;
    s->row_ofs = count;
    s->row_mode = s->mode;
    for (int i = 0; i < count; i++)
        s->row_of[i] = keel_kept_at(s->solver, i, &kept) ? find(s->m, kept.name) : -1;
    return 1;
}

keel_status drift_at(struct keel_sim *s, double t, const double *u, double *drift) {
    keel_kept kept;
    if (!find_rows(s)) return sim_no_memory(s);
    if (values_at(&s->m->mode[s->mode].rows, t, u, NULL, s->parameter, &s->scratch, drift) == KEEL_ENOMEM)
        return sim_no_memory(s);
    for (int i = 0; i < s->row_ofs && keel_kept_at(s->solver, i, &kept); i++)
        if (s->row_of[i] >= 0) drift[s->row_of[i]] -= kept.start;
    return KEEL_OK;
}
