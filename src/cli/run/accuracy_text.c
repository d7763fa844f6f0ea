/* accuracy_text.c - what is said about errors: the line of the certificate, and its warnings. */
#include "cli/run/accuracy.h"

#include "base/text.h"
#include "cli/run/outcome.h"

#include <math.h>
#include <string.h>

/* Fixed steps ask for nothing: there a thousandth of the state is still what was meant. */
static const double most_share = 1e-3;
/* Of the run between its own steps: a hundred times what good ones have; fixed steps: a hundredth. */
static const double most_defect = 1e5, most_defect_share = 1e-2;
/* An estimate that is so many times what is known is none of the same values. */
enum { MUCH = 10 };

int accuracy_as_asked(const struct accuracy *a) {
    if (isnan(a->share) || a->finding != ACCURACY_FINE) return 0;
    if (a->defect.largest > (a->defect.relative ? most_defect_share : most_defect)) return 0;
    return isnan(a->tolerances) ? a->share <= most_share : a->tolerances <= ACCURACY_TOLERANCES;
}

void accuracy_text(const struct outcome *o, char *out, size_t capacity) {
    const struct accuracy *a = &o->accuracy;
    const struct accuracy_errors *e = accuracy_shown(a);
    const char *by = a->yardstick == ACCURACY_RERUN   ? "tighter rerun"
                     : a->yardstick == ACCURACY_EXACT ? "exact solution"
                                                      : "reference digits";
    if (!e && a->cannot_tell) text_set(out, capacity, "cannot tell: %s", a->cannot_tell);
    else if (!e)
        text_set(out, capacity, "not measured (%s)",
                 a->unmeasured ? a->unmeasured : "the run was not completed");
    else if (a->yardstick == ACCURACY_RERUN && !isnan(a->apart_t))
        text_set(out, capacity, "the rerun differs by %.1e (%s at t = %g); within 1 %% before t = %g",
                 e->error, keel_sim_column(o->sim, e->worst), e->t, a->apart_t);
    else if (a->yardstick == ACCURACY_RERUN && a->round_off)
        text_set(out, capacity, "round-off, below %.1e (%s)", e->error, by);
    else
        text_set(out, capacity, "%.1e, relative %.1e (%s; largest in %s at t = %g)", e->error, e->relative,
                 by, keel_sim_column(o->sim, e->worst), e->t);
}

int accuracy_elsewhere(const struct outcome *o, char *out, size_t capacity) {
    const struct accuracy *a = &o->accuracy;
    const struct accuracy_errors *e = &a->estimate;
    if (!a->known.each || !e->each || a->round_off || !isnan(a->apart_t)) return 0;
    if (!(e->relative > MUCH * a->known.relative)) return 0;
    text_set(out, capacity, "elsewhere %.1e, relative %.1e (tighter rerun; largest in %s at t = %g)",
             e->error, e->relative, keel_sim_column(o->sim, e->worst), e->t);
    return 1;
}

int accuracy_overlooks(const struct outcome *o, char *out, size_t capacity) {
    const struct accuracy *a = &o->accuracy;
    double length = fabs(o->trace->job->t1 - o->trace->job->t0);
    if (!a->estimate.each || a->width <= 2.1 * length / ACCURACY_PLACES) return 0;
    text_set(out, capacity, "what is shorter than %.2g in t was not looked for; --accuracy yes does",
             a->width);
    return 1;
}

static const char *advice(const struct job *j) {
    int implicit = strncmp(j->method, "radau", 5) == 0;
    if (j->keel.step > 0) return implicit ? "a smaller --step" : "a smaller --step, or --method radau";
    return implicit ? "a smaller --rtol" : "a smaller --rtol, or --method radau";
}

int accuracy_warning(const struct outcome *o, const struct job *j, char *out, size_t capacity) {
    const struct accuracy *a = &o->accuracy;
    const char *smaller = j->keel.step > 0 ? "a smaller --step" : "a smaller --rtol";
    switch (a->finding) {
    case ACCURACY_FINE:
        return 0;
    case ACCURACY_WRONG:
        text_set(out, capacity,
                 "the values are wrong from the beginning on, whatever the rows say: the rerun changes %s by "
                 "%.0f %% of its size; try %s",
                 keel_sim_column(o->sim, a->loose), 100 * a->share, advice(j));
        return 1;
    case ACCURACY_PARTS:
        text_set(out, capacity, "tighter runs agree with each other, and leave this one at t = %g; try %s",
                 a->apart_t, smaller);
        if (j->keel.step == 0) /* an estimate that vanishes sees no tolerance */
            text_add(out, capacity, ", or --max-step %.2g", fabs(j->t1 - j->t0) / ACCURACY_PLACES);
        return 1;
    case ACCURACY_CHAOS:
        text_set(out, capacity, "two runs part after t = %g; statistics may be right, this path is not",
                 a->apart_t);
        return 1;
    case ACCURACY_OVERSTEPPED:
        text_set(out, capacity,
                 "the steps passed over something near t = %g that shorter ones show; give "
                 "--max-step %.2g",
                 a->overstepped_t, a->longest);
        return 1;
    case ACCURACY_OTHER_EVENTS:
        text_set(out, capacity, "the tighter rerun meets other events from t = %g on; try %s", a->apart_t,
                 smaller);
        return 1;
    case ACCURACY_SIZES:
        if (j->keel.step > 0) {
            text_set(out, capacity,
                     "all states start at 0 and none exceeds %.2g: switches so near to 0 may be missed; tell "
                     "the sizes, as in  var x {scale = %.0e}",
                     a->reached, a->reached);
            return 1;
        }
        text_set(out, capacity,
                 "all states start at 0, so that the default --atol is one for states of size 1, and none "
                 "exceeds %.2g; give --atol %.0e",
                 a->reached, 1e-3 * KEEL_VALUE(&j->keel, rtol) * a->reached);
        return 1;
    }
    return 0;
}
