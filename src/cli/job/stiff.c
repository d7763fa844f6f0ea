/* stiff.c - see stiff.h.
 *
 * The first steps are taken with the method as it is settled, and thrown away.  A step counts as stiff if
 * stability is what bounds it; FIRM of them without OTHERS in a row that do not count are a finding (the rule
 * of Hairer and Wanner's codes, Solving ODEs II, IV.2).  Without any for a small share of the steps to come
 * the trial is over.  What becomes stiff later is told, too. */
#include "cli/job/stiff.h"

#include "base/text.h"

#include <keel/method.h>

#include <math.h>
#include <string.h>

enum { FIRM = 15, OTHERS = 6, LEAST = 40, MOST = 2000 };
#define SHARE 0.02 /* of the steps that are still to come, as long as the last one: so long is the trial */

static const keel_method *find(const char *name) {
    const keel_method *m;
    for (int i = 0; (m = keel_method_at(i)); i++)
        if (strcmp(m->name, name) == 0) return m;
    return NULL;
}

/* How many steps may pass without a sign of stiffness. */
static double patience(const keel_solver *s, double end) {
    double h = fabs(keel_time(s) - keel_time_before(s));
    return h > 0 ? fmin(fmax(SHARE * fabs(end - keel_time(s)) / h, LEAST), MOST) : LEAST;
}

void stiff_watch(struct stiff *w, keel_solver *s) {
    keel_stiffness now = {0};
    int counts = keel_stiffness_at(s, &now) == KEEL_OK && now.bounds;
    if (w->is) return;
    if (counts && w->hits == 0) w->t = keel_time(s);
    w->others = counts ? 0 : w->others + 1;
    w->hits = counts ? w->hits + 1 : w->others >= OTHERS ? 0 : w->hits;
    w->is = w->hits >= FIRM;
    w->damping = now.damping;
}

int stiff_try(const struct job *j, const keel_options *settled, struct stiff *found) {
    keel_options o = *settled;
    double length = LEAST;
    o.observe = NULL;
    o.defect_every = 0;
    *found = (struct stiff){0};
    keel_sim *s = keel_sim_open(j->model, &o);
    if (!s) return -1;
    keel_status status = keel_sim_solver(s) ? keel_state_of(keel_sim_solver(s)) : KEEL_EINVAL;
    while (status >= 0 && found->others < length && !found->is && keel_time(keel_sim_solver(s)) != j->t1) {
        status = keel_sim_step(s, j->t1);
        if (status < 0) break;
        stiff_watch(found, keel_sim_solver(s));
        length = patience(keel_sim_solver(s), j->t1);
        found->steps++;
    }
    keel_sim_close(s);
    return status == KEEL_ENOMEM ? -1 : 0;
}

/* A motion that keeps its energy is left alone: it swings, and explicit methods suit it. */
int stiff_may_be(const struct job *j) {
    keel_mode mode = {0};
    if (!keel_model_mode(j->model, keel_model_start(j->model), &mode)) return 0;
    const keel_problem *p = mode.problem;
    return p->n > 0 && p->energy.count == 0 && !(keel_problem_traits(p) & KEEL_FROM_ENERGY);
}

const keel_method *stiff_suspect(const struct job *j) {
    const unsigned others = KEEL_IMPLICIT | KEEL_SYMPLECTIC | KEEL_SYMMETRIC_STEP | KEEL_KEEPS_ENERGY;
    const keel_method *m = find(j->method);
    if (j->keel.step > 0 || j->keel.reversible || !m || m->traits & others) return NULL;
    return m->traits & KEEL_ADAPTIVE && stiff_may_be(j) ? m : NULL;
}

void stiff_warn(struct job *j, double t) {
    text_set(
        j->why, sizeof j->why,
        "the equations are stiff from t = %.3g on: stability, not accuracy, bounds its steps; radau or bdf "
        "takes longer ones",
        t);
}

int stiff_check(struct job *j) {
    struct stiff found;
    if (!stiff_suspect(j)) return 0;
    if (stiff_try(j, &j->keel, &found) < 0) return job_no_memory(j);
    if (found.is) stiff_warn(j, found.t);
    return 0;
}
