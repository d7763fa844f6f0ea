/* structure_start.c - which initial values may be chosen.
 *
 * Pryce's stages k = -1, -2, ...: the equations f_i^(c_i + k) with c_i + k >= 0 and the unknowns x_j^(d_j
 * + k) with d_j + k >= 0; the Jacobian of a stage is the part of J with these rows and columns and has
 * full row rank.  The pivots of its elimination are determined, the other columns free: sum d - sum c in
 * all.  Values that were chosen become pivots only when nothing else can, and are then one too many. */
#include "structure/structure_private.h"

static int stage_pattern(struct structure *s, const struct structure_pattern *a, int k,
                         struct structure_pattern *out, int *place) {
    size_t entries = (size_t)a->start[a->rows];
    int at = 0;
    *out = (struct structure_pattern){.columns = a->columns};
    out->start = structure_take(s, (size_t)a->rows + 1, sizeof(int));
    out->column = structure_take(s, entries, sizeof(int));
    out->slope = structure_take(s, entries, sizeof(expr));
    if (!out->start || !out->column || !out->slope) return -1;
    out->columns = 0;
    for (int j = 0; j < a->columns; j++) place[j] = s->d[j] + k >= 0 ? out->columns++ : -1;
    for (int i = 0; i < a->rows; i++) {
        if (s->c[i] + k < 0) continue;
        for (int e = a->start[i]; e < a->start[i + 1]; e++) {
            if (place[a->column[e]] < 0) continue;
            out->column[at] = place[a->column[e]];
            out->slope[at++] = a->slope[e];
        }
        out->start[++out->rows] = at;
    }
    return 0;
}

/* determined[j]: 1 for the columns that the stage determines. */
static int stage(struct structure_work *w, const struct structure_pattern *part, const int *point,
                 const unsigned char *late, unsigned char *determined) {
    size_t roots = (size_t)part->start[part->rows];
    for (int k = 0, rank = -1; k < STRUCTURE_POINTS && rank < part->rows; k++) {
        struct structure_sample v;
        struct structure_matrix numbers;
        struct structure_factor factor;
        if (structure_sample_open(&v, w, roots, part->slope, point[k])) return -1;
        int failed = structure_numbers(w->s, part, &v, &numbers);
        structure_sample_close(&v);
        if (failed) return -1;
        if (structure_eliminate(&numbers, late, &factor)) return structure_out_of_memory(w->s);
        rank = factor.rank;
        for (int j = 0; j < part->columns; j++) determined[j] = 0;
        for (int i = 0; i < rank; i++) determined[factor.pivot_column[i]] = 1;
        structure_factor_close(&factor);
    }
    return 0;
}

/* Marks the chosen states; what is no state is surplus at once. */
static int mark_chosen(struct structure_work *w, const int *first, unsigned char *chosen) {
    struct structure *s = w->s;
    int *column = structure_take(s, (size_t)w->p->unknowns, sizeof *column);
    s->surplus = structure_keep(s, (size_t)w->p->chosens + (size_t)s->states, sizeof *s->surplus);
    if (!column || !s->surplus) return -1;
    for (int j = 0; j < s->n; j++) column[w->column[j]] = j;
    for (int k = 0; k < w->p->chosens; k++) {
        struct structure_value given = w->p->chosen[k], at = s->alias[given.unknown];
        int j = column[at.unknown];
        at.order += given.order;
        if (at.order < s->d[j]) chosen[first[j] + at.order] = 1;
        else s->surplus[s->surpluses++] = given;
    }
    return 0;
}

/* One stage: its states become free or not. */
static int settle(struct structure_work *w, const struct structure_pattern *jacobian, int k, const int *first,
                  const int *point, const unsigned char *chosen) {
    struct structure *s = w->s;
    size_t n = (size_t)s->n;
    struct structure_pattern part;
    int *place = structure_take(s, n, sizeof *place);
    unsigned char *late = structure_take(s, n, 1), *determined = structure_take(s, n, 1);
    if (!place || !late || !determined || stage_pattern(s, jacobian, k, &part, place)) return -1;
    for (int j = 0; j < s->n; j++)
        if (place[j] >= 0) late[place[j]] = chosen[first[j] + s->d[j] + k];
    if (stage(w, &part, point, late, determined)) return -1;
    for (int j = 0; j < s->n; j++) {
        if (place[j] < 0) continue;
        int at = first[j] + s->d[j] + k;
        s->free[at] = !determined[place[j]];
        if (chosen[at] && !s->free[at]) s->surplus[s->surpluses++] = s->state[at];
    }
    return 0;
}

int structure_start(struct structure_work *w, const struct structure_pattern *jacobian) {
    struct structure *s = w->s;
    int n = s->n, highest = 0, point[STRUCTURE_POINTS],
        *first = structure_take(s, (size_t)n + 1, sizeof *first);
    unsigned char *chosen = structure_take(s, (size_t)s->states, 1);
    s->state = structure_keep(s, (size_t)s->states, sizeof *s->state);
    s->free = structure_keep(s, (size_t)s->states, 1);
    if (!first || !chosen || !s->state || !s->free) return -1;
    for (int j = 0; j < n; j++) {
        first[j + 1] = first[j] + s->d[j];
        for (int l = 0; l < s->d[j]; l++) s->state[first[j] + l] = (struct structure_value){w->column[j], l};
        if (s->d[j] > highest) highest = s->d[j];
    }
    if (mark_chosen(w, first, chosen)) return -1;
    if (structure_sample_points(w, (size_t)jacobian->start[n], jacobian->slope, point)) return -1;
    for (int k = -1; k >= -highest; k--)
        if (settle(w, jacobian, k, first, point, chosen)) return -1;
    return 0;
}
