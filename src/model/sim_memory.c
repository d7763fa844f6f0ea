/* sim_memory.c - the memory of a run: enough for all modes that its model has. */
#include "model/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t most_numbers(const keel_model *m) {
    int most = 0;
    for (int i = 0; i < m->modes; i++) {
        const struct inside_mode *mode = m->mode[i];
        int own = mode->formulation.n + mode->formulation.m + mode->formulation.samples;
        if (most < own) most = own;
        for (int k = 0; k < m->model->mode[i].events + m->model->mode[i].timed; k++)
            if (most < mode->event[k].after.count) most = mode->event[k].after.count;
    }
    return (size_t)most + 1;
}

static size_t most_events(const keel_model *m) {
    int most = 0;
    for (int i = 0; i < m->modes; i++)
        if (most < m->model->mode[i].events + m->model->mode[i].timed)
            most = m->model->mode[i].events + m->model->mode[i].timed;
    return (size_t)most + 1;
}

/* Of the interpreter: nothing allocates in a step. */
static size_t most_registers(const keel_model *m) {
    size_t most = 0;
    for (int i = 0; i < m->modes; i++) {
        size_t own = functions_registers(&m->mode[i]->functions);
        if (most < own) most = own;
    }
    return most;
}

static int take_scratch(struct keel_sim *s) {
    const keel_model *m = s->m;
    int wrong = 0;
    for (int i = 0; i < m->modes && !wrong; i++) {
        const struct inside_mode *mode = m->mode[i];
        wrong = values_reserve(&s->scratch, &mode->columns) || values_reserve(&s->scratch, &mode->sizes) ||
                values_reserve(&s->scratch, &mode->held) || values_reserve(&s->scratch, &mode->rates);
        for (int k = 0; k < m->model->mode[i].events + m->model->mode[i].timed && !wrong; k++)
            wrong = values_reserve(&s->scratch, &mode->event[k].after) ||
                    values_reserve(&s->scratch, &mode->event[k].onset);
    }
    return !wrong;
}

int sim_take_memory(struct keel_sim *s) {
    const keel_model *m = s->m;
    size_t numbers = (size_t)(m->model->parameters + m->model->helds + m->sides) + 1,
           modes = (size_t)m->modes;
    s->parameter = malloc((numbers + most_registers(m)) * sizeof *s->parameter);
    s->bound = calloc(modes, sizeof *s->bound);
    s->problem = calloc(modes, sizeof *s->problem);
    s->work = calloc(most_numbers(m) + (size_t)m->model->helds, sizeof *s->work);
    s->entry = calloc(most_numbers(m), sizeof *s->entry);
    s->rate = calloc(most_numbers(m), sizeof *s->rate);
    s->moment = calloc((size_t)m->model->directions + 1, sizeof *s->moment);
    s->fired = malloc(2 * most_events(m) * sizeof *s->fired);
    s->time = malloc(2 * most_events(m) * sizeof *s->time);
    s->timed_mode = -1;
    if (!s->time || !s->parameter || !s->bound || !s->problem || !s->work || !s->entry || !s->rate ||
        !s->moment || !s->fired || !take_scratch(s))
        return 0;
    s->due = s->time + most_events(m);
    s->held = s->work + most_numbers(m);
    s->fired_before = s->fired + most_events(m);
    for (size_t i = 0; i < 2 * most_events(m); i++)
        s->fired[i] = (struct sim_fired){.t = NAN, .slope = NAN, .again = 1};
    memcpy(s->parameter, m->parameter, (numbers - 1) * sizeof *s->parameter);
    for (size_t i = 0; i < modes; i++) {
        s->bound[i] = functions_bind(&m->mode[i]->functions, s->parameter, s, s->parameter + numbers);
        s->problem[i] = m->mode[i]->fill.problem;
        s->problem[i].user = &s->bound[i];
        s->problem[i].side = s->parameter + m->model->parameters + m->model->helds;
        s->problem[i].t0 = s->span[0];
    }
    return 1;
}
