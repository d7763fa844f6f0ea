/* engine_settle.c - what an engine decides before it makes its start consistent: what depends on the time,
 * which rows are kept and which are watched. */
#include "core/engine.h"

#include "base/text.h"
#include "core/verify.h"

#include <string.h>

/* Is the hidden row of this name one of the original equations, which a method keeps for itself? */
static int is_original(const struct engine *e, const char *name) {
    const keel_map *rows = &e->field.p.extras->original_g;
    for (int i = 0; i < rows->count && rows->names; i++)
        if (rows->names[i] && strcmp(rows->names[i], name) == 0) return 1;
    return 0;
}

static keel_status no_such_row(struct engine *e, const char *name) {
    int near = -1, best = 4;
    for (int i = 0; i < e->rows.count; i++) {
        int distance = text_distance(name, rows_name(&e->rows, i));
        if (distance >= best) continue;
        best = distance;
        near = i;
    }
    if (near < 0) return engine_fail(e, KEEL_EINVAL, "options.keep: there is no row `%s`", name);
    return engine_fail(e, KEEL_EINVAL, "options.keep: there is no row `%s`; did you mean `%s`?", name,
                       rows_name(&e->rows, near));
}

/* Which rows the stabilizer keeps, which it only watches (docs/design.md: stepper x stabilizer). */
static keel_status decide_treatment(struct engine *e) {
    struct rows *r = &e->rows;
    unsigned traits = e->stepper->info.traits;
    unsigned stabilizer = e->manifold.traits;
    int active = (stabilizer & (KEEL_CORRECTS | KEEL_DAMPS)) != 0, first = 1;
    int kept = stabilizer & KEEL_DAMPS ? KEEL_ROW_DAMPED : KEEL_ROW_KEPT;
    const char *keep = e->o.keep;
    char name[ROWS_NAME];
    for (const char *rest = keep; rest && (rest = text_next(rest, name, sizeof name));)
        if (rows_find(r, name) < 0) return no_such_row(e, name);
    for (int i = 0; i < r->count; i++) {
        keel_row_kind kind = rows_kind(r, i);
        int base = kind == KEEL_ROW_VELOCITY ? i - e->field.kg : i; /* keeping a constraint keeps its d/dt */
        int wanted = !keep || text_listed(keep, rows_name(r, base)) || text_listed(keep, rows_name(r, i));
        r->treatment[i] =
            active && wanted && (first || !(stabilizer & KEEL_FIRST_ROW)) ? kept : KEEL_ROW_WATCHED;
        if (rows_in(ROWS_OF_CONSTRAINTS, kind) && (traits & KEEL_CONSTRAINED))
            r->treatment[i] = KEEL_ROW_NATIVE;
        if ((kind == KEEL_ROW_CONSTRAINT || kind == KEEL_ROW_ROLLING || kind == KEEL_ROW_ALGEBRAIC) &&
            (traits & KEEL_AS_GIVEN))
            r->treatment[i] = KEEL_ROW_NATIVE;
        if (kind == KEEL_ROW_HIDDEN && (traits & KEEL_AS_GIVEN) && is_original(e, rows_name(r, i)))
            r->treatment[i] = KEEL_ROW_NATIVE;
        if (kind == KEEL_ROW_ALGEBRAIC && e->field.dae.direct[i - r->at[kind]])
            r->treatment[i] = KEEL_ROW_NATIVE;
        if (kind == KEEL_ROW_ENERGY && e->field.traits & KEEL_FROM_ENERGY &&
            (e->field.energy.time_dependent || e->field.constraint.time_dependent))
            r->treatment[i] = KEEL_ROW_VARYING;
        if (r->treatment[i] == kept) first = 0;
    }
    return KEEL_OK;
}

keel_status engine_settle(struct engine *e) {
    struct field *fd = &e->field;
    keel_status status = field_open(fd);
    if (e->o.check_jacobians) { /* first: a wrong derivative may be the reason of any other failure */
        struct fault other = fd->fault;
        if (verify_jacobians(&e->start, fd->p.t0, fd->p.u0) != KEEL_OK) return engine_fail_by_fault(e);
        fd->fault = other;
    }
    if (status != KEEL_OK || newton_check(&e->work, fd->p.t0, fd->p.u0) != KEEL_OK)
        return engine_fail_by_fault(e);
    status = decide_treatment(e);
    if (status != KEEL_OK) return status;
    manifold_choose(&e->manifold);
    if (e->o.reversible && e->manifold.kept && !(e->manifold.traits & KEEL_KEEPS_REVERSIBLE))
        return engine_fail(
            e, KEEL_EINVAL,
            "reversible: a projection is not symmetric, and `%s` would be projected; take "
            "a stabilizer that keeps steps reversible, one that only measures, or a method that "
            "keeps it by itself",
            rows_name(&e->rows, e->manifold.row[0]));
    e->settled = 1;
    return KEEL_OK;
}

void engine_settle_ahead(struct engine *e) {
    if (!field_is_given(&e->field) || e->o.check_jacobians || engine_settle(e) == KEEL_OK) return;
    e->r->status = KEEL_OK; /* whoever opens it will say so */
    e->message[0] = '\0';
}
