/* surface_sides.c - the sides of switching surfaces at a point of a run, and the pieces of tables by t. */
#include "model/surface.h"

#include "symbolic/table.h"

#include <math.h>
#include <stdlib.h>

int surface_clocks(const struct formulation *r, double t, double way, double *parameter) {
    const struct model *m = r->y->m;
    double *piece = parameter + m->parameters + m->helds + r->surfaces;
    int changed = 0;
    for (int k = 0; k < r->clocks; k++) {
        double now = table_piece(m->graph.rows[r->clock[k]], t, way);
        changed += now != piece[k];
        piece[k] = now;
    }
    return changed;
}

double surface_next_knot(const struct formulation *r, double way, const double *parameter) {
    const struct model *m = r->y->m;
    const double *piece = parameter + m->parameters + m->helds + r->surfaces;
    double next = way * HUGE_VAL;
    for (int k = 0; k < r->clocks; k++) {
        double knot = table_next(m->graph.rows[r->clock[k]], piece[k], way);
        if ((knot - next) * way < 0) next = knot;
    }
    return next;
}

int surface_sides(const struct formulation *r, const struct tape *event, double t, const double *u,
                  double *parameter) {
    const struct model *m = r->y->m;
    int first = r->event.count - r->surfaces, changed = 1;
    double *now = parameter + m->parameters + m->helds,
           *value = calloc((size_t)r->event.count + 1, sizeof *value);
    surface_clocks(r, t, r->way, parameter);
    for (int k = 0; k < r->surfaces; k++) now[k] = r->event_kind[first + k] == KEEL_STAIRCASE ? 0 : 1;
    /* one side may decide what another is of */
    int good = value != NULL;
    for (int round = 0; good && changed && round <= r->surfaces; round++) {
        changed = 0;
        good = tape_call(event, t, u, parameter, value) == 0;
        for (int k = 0; k < r->surfaces && good; k++) {
            double v = value[first + k], s = now[k];
            if (isfinite(v)) s = r->event_kind[first + k] == KEEL_STAIRCASE ? floor(v) : v < 0 ? -1 : 1;
            changed |= s != now[k];
            now[k] = s;
        }
    }
    free(value);
    return good;
}
