/* sim_rest.c - a motion that an event holds: its function is zero without a slope, the forces push it on, and
 * the action leaves it so, v := 0 of a body that has stopped.  The event would act again and again without
 * time passing; the motion is at rest there, and what follows is for another mode to say. */
#include "base/text.h"
#include "model/sim.h"

#include <float.h>
#include <math.h>

/* Written in another way the same value has another round-off. */
static int is_same(double a, double b, double size) {
    return fabs(a - b) <= 4 * DBL_EPSILON * size;
}

/* Does the action, taken into s->work, leave every state as it is? */
static int leaves_all(const struct keel_sim *s) {
    const double *x = keel_state(s->solver), *u = s->work;
    for (int i = 0; i < s->problem[s->mode].n; i++)
        if (!is_same(u[i], x[i], fmax(fabs(u[i]), fabs(x[i])))) return 0;
    return 1;
}

/* Or else the event function with its derivatives, v?  Then it counts, say.  What has to be solved for cannot
 * be told from the states alone. */
static int leaves_event(struct keel_sim *s, const struct inside_event *own, const double *v) {
    const struct formulation *f = &s->m->mode[s->mode]->formulation;
    double after[2 * INSIDE_DERIVATIVES];
    if (f->m > 0 || f->furthers > 0) return 0;
    if (values_at(&own->onset, keel_time(s->solver), s->work, NULL, s->parameter, &s->scratch, after))
        return 0;
    for (int k = 0; k < INSIDE_DERIVATIVES; k++)
        if (!is_same(after[2 * k], v[2 * k], fmax(after[2 * k + 1], v[2 * k + 1]))) return 0;
    return 1;
}

keel_status sim_rest(struct keel_sim *s, int number, const double *v) {
    const struct inside_event *own = &s->m->mode[s->mode]->event[number];
    if (!own->changes || own->to != s->mode) return KEEL_OK;
    keel_status status = sim_take_values(s, own);
    if (status != KEEL_OK) return status;
    if (!leaves_all(s) && !(v && leaves_event(s, own, v))) return KEEL_OK;
    s->entered = 0; /* so it is found again if the run is to go on */
    text_set(s->message, sizeof s->message,
             "it comes to rest at t = %.10g: `%s` has nothing left to change there, and the motion would go "
             "on through it; what follows, the motion at rest, needs equations of its own (a mode that the "
             "event switches to: `-> ..., mode rest`)",
             keel_time(s->solver), own->event->label.text);
    return KEEL_REST;
}
