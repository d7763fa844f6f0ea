/* properties.c - what a model tells about itself. */
#include "model/private.h"

keel_status keel_model_status(const keel_model *m) {
    if (!m) return KEEL_EINVAL;
    int starved = m->status == KEEL_OK && (m->no_memory || expr_starved(&m->model->graph));
    return starved ? KEEL_ENOMEM : m->status;
}

const char *keel_model_message(const keel_model *m) {
    return m ? m->rendered ? m->rendered : "error: there is not enough memory.\n" : "there is no model";
}

const char *keel_model_name(const keel_model *m) {
    if (!m) return "";
    return m->model && m->model->name ? m->model->name : m->title;
}

void keel_model_span(const keel_model *m, double *from, double *to) {
    if (from) *from = m ? m->span[0] : 0;
    if (to) *to = m ? m->span[1] : 0;
}

int keel_model_modes(const keel_model *m) {
    return m && m->status == KEEL_OK ? m->modes : 0;
}

int keel_model_groups(const keel_model *m) {
    return m && m->status == KEEL_OK ? m->model->groups : 0;
}

const char *keel_model_group(const keel_model *m, int i) {
    return i >= 0 && i < keel_model_groups(m) ? m->model->group[i].name : NULL;
}

const char *keel_model_group_mode(const keel_model *m, int i, int k) {
    if (i < 0 || i >= keel_model_groups(m) || k < 0) return NULL;
    for (int b = 0; b < m->model->blocks; b++)
        if (m->model->block[b].group == i && k-- == 0) return m->model->block[b].label.text;
    return NULL;
}

int keel_model_acts(const keel_model *m, int mode) {
    if (mode < 0 || mode >= keel_model_modes(m)) return 0;
    const struct model_mode *of = &m->model->mode[mode];
    for (int i = 0; i < of->events + of->timed; i++)
        for (int k = 0; k < of->event[i].actions; k++)
            if (of->event[i].action[k].kind == SYNTAX_ASSIGN) return 1;
    return 0;
}

int keel_model_start(const keel_model *m) {
    return m && m->status == KEEL_OK ? m->model->start : -1;
}

int keel_model_mode(const keel_model *m, int i, keel_mode *mode) {
    if (i < 0 || i >= keel_model_modes(m) || !mode) return 0;
    const struct inside_mode *in = m->mode[i];
    const struct structure *s = &in->system.s;
    *mode =
        (keel_mode){.name = m->model->mode[i].name,
                    .problem = &in->fill.problem,
                    .index = s->index,
                    .freedom = (s->freedom + in->regained - m->model->memories) / (m->model->directions + 1),
                    .dof = in->dof < 0 ? -1 : in->dof + in->regained_velocities,
                    .equations = in->system.equations,
                    .unknowns = in->system.unknowns,
                    .combinations = s->steps,
                    .redundant = in->system.redundants,
                    .quadratic = in->formulation.quadratic,
                    .separable = in->formulation.separable,
                    .pairwise = in->formulation.pairwise};
    return 1;
}

const char *keel_model_linear_invariant(const keel_model *m, int mode, int i) {
    if (mode < 0 || mode >= keel_model_modes(m) || i < 0) return NULL;
    return i < m->mode[mode]->system.s.invariants ? m->linear_invariant[m->linear_invariant_first[mode] + i]
                                                  : NULL;
}

const char *keel_model_free_value(const keel_model *m, int i) {
    return m && m->status == KEEL_OK && i >= 0 && i < m->free_values ? m->free_value[i] : NULL;
}
