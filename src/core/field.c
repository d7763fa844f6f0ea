/* field.c - see field.h: set-up, faults, and the forms that need no more than a mass matrix. */
#include "core/algebra.h"

#include "core/differences.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

keel_status field_fault_v(struct field *fd, keel_status severity, keel_status status, const char *format,
                          va_list args) {
    text_vset(fd->fault.text, sizeof fd->fault.text, format, args);
    fd->fault.status = status;
    return severity;
}

keel_status field_fault(struct field *fd, keel_status severity, keel_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    field_fault_v(fd, severity, status, format, args);
    va_end(args);
    return severity;
}

const char *field_name(const char *const *names, int i, const char *what, char *buffer, size_t size) {
    int whole = names && names[i] && strlen(names[i]) + 3 <= size; /* with its marks */
    if (whole) text_set(buffer, size, "`%s`", names[i]);
    else if (names && names[i]) text_set(buffer, size, "`%.*s...`", (int)size - 6, names[i]);
    else text_set(buffer, size, "%s[%d]", what, i);
    return buffer;
}

const keel_extras *keel_extras_of(const keel_problem *p) {
    static const keel_extras none;
    return p->extras ? p->extras : &none;
}

static struct map map_of(const keel_map *user, const char *what, int first, int columns, int exact) {
    return (struct map){.user = *user, .what = what, .first = first, .columns = columns, .exact = exact};
}

void field_init(struct field *fd, const keel_problem *p, keel_stats *stats) {
    memset(fd, 0, sizeof *fd);
    fd->p = *p;
    fd->p.extras = keel_extras_of(p);
    fd->form = form_of(p);
    fd->traits = keel_problem_traits(p);
    fd->kernel = fd->p.extras->kernel;
    fd->stats = stats;
    fd->n = p->n;
    fd->m = fd->traits & KEEL_ALGEBRAIC ? p->m : 0;
    fd->width = fd->n > 0 ? (fd->n + 3) / 4 * 4 : 4;
    fd->nq = p->n / 2;
    fd->kg = p->constraint.count;
    fd->kr = p->rolling.count;
    fd->k = fd->kg + fd->kr;
    fd->t_length = 64;
    int n = fd->n, all = fd->n + fd->m, of_motion = (fd->traits & KEEL_FROM_ENERGY) != 0;
    fd->f = map_of(&p->f, "f", 0, all, 1);
    fd->algebraic = map_of(&p->algebraic, "algebraic", 0, all, 1);
    fd->hidden = map_of(&p->hidden, "hidden", 0, n, 1);
    fd->energy = map_of(&p->energy, "energy", 0, n, of_motion);
    fd->constraint = map_of(&p->constraint, "constraint", 0, fd->nq, 1);
    fd->rolling = map_of(&p->rolling, "rolling", fd->nq, fd->nq, 1);
    fd->velocity = map_of(&p->velocity, "velocity", 0, n, 1);
    fd->invariant = map_of(&p->invariant, "invariant", 0, n, 0);
    fd->event = map_of(&p->event, "event", 0, n, 0);
    fd->quadratic_forms = map_of(&fd->p.extras->quadratic_forms, "quadratic_forms", 0, n, 0);
    fd->energy_of_forms =
        map_of(&fd->p.extras->energy_of_forms, "energy_of_forms", 0, fd->p.extras->quadratic_forms.count, 0);
    fd->original_f =
        map_of(&fd->p.extras->original_f, "original_f", 0, n + fd->p.extras->original_g.count, 1);
    fd->original_g = map_of(&fd->p.extras->original_g, "original_g", 0, n, 1);
    keel_fn *derived = fd->form->rhs(fd);
    fd->rhs = derived ? derived : p->f.value;
    fd->context = derived ? fd : p->user;
    fd->dae.by_rates = algebra_goes_by_rates(fd);
}

static int max_count(const struct field *fd) {
    const struct map *maps[] = {&fd->f,       &fd->algebraic, &fd->hidden, &fd->energy,  &fd->constraint,
                                &fd->rolling, &fd->invariant, &fd->event,  &fd->velocity};
    int most = fd->n;
    for (int i = 0; i < 9; i++)
        if (maps[i]->user.count > most) most = maps[i]->user.count;
    return most + fd->k;
}

/* The largest jacobian or matrix that is ever asked for, twice for a comparison, and the entries of a
 * sparse one. */
static void matrix_sizes(const struct field *fd, size_t *dense, size_t *sparse) {
    const struct map *maps[] = {&fd->f,       &fd->algebraic, &fd->hidden, &fd->energy,  &fd->constraint,
                                &fd->rolling, &fd->invariant, &fd->event,  &fd->velocity};
    const keel_pattern *patterns[] = {fd->p.mass.pattern,
                                      fd->p.structure.pattern,
                                      fd->p.extras->quadratic_forms.pattern,
                                      fd->p.extras->energy_of_forms.pattern,
                                      fd->p.extras->original_f.pattern,
                                      fd->p.extras->original_g.pattern};
    size_t n = (size_t)fd->n;
    *dense = fd->p.structure.value ? n * n : 2 * (size_t)max_count(fd);
    int bend =
        fd->traits & KEEL_FROM_ENERGY && !fd->by_pattern && !sizes_go_along(fd); /* H_pp is asked for */
    if (bend && n * n / 4 > *dense) *dense = n * n / 4;
    *sparse = 1;
    for (int i = 0; i < 9; i++) {
        const keel_map *user = &maps[i]->user;
        int never = maps[i] == &fd->f && !user->jacobian && !(fd->traits & KEEL_ALGEBRAIC);
        /* in large mechanics only energy and invariants, which are few, have full rows */
        if (fd->mech.sparse && user->pattern && maps[i] != &fd->energy && maps[i] != &fd->invariant)
            never = 1;
        if (fd->by_pattern && (maps[i] == &fd->f || maps[i] == &fd->algebraic)) never = 1;
        if (fd->hidden_rows.sparse && maps[i] == &fd->hidden) never = 1;
        if (hamiltonian_is_sparse(fd) && user->pattern && maps[i] != &fd->energy && maps[i] != &fd->invariant)
            never = 1;
        size_t entries = (size_t)user->count * (size_t)maps[i]->columns;
        if (!never && 2 * entries > *dense) *dense = 2 * entries;
        if (user->pattern && (size_t)user->pattern->nnz > *sparse) *sparse = (size_t)user->pattern->nnz;
    }
    for (int i = 0; i < 6; i++)
        if (patterns[i] && (size_t)patterns[i]->nnz > *sparse) *sparse = (size_t)patterns[i]->nnz;
}

static void *copied(struct arena *a, const void *source, size_t bytes) {
    if (!source || bytes == 0) return NULL;
    void *copy = arena_take(a, bytes);
    if (copy) memcpy(copy, source, bytes);
    return copy ? copy : (void *)source;
}

/* What methods see, of this field and no copy of it. */
static void field_show(struct field *fd) {
    fd->view = (keel_native){.problem = &fd->p,
                             .map = {[KEEL_MAP_F] = &fd->f.user,
                                     [KEEL_MAP_ALGEBRAIC] = &fd->algebraic.user,
                                     [KEEL_MAP_ENERGY] = &fd->energy.user,
                                     [KEEL_MAP_CONSTRAINT] = &fd->constraint.user,
                                     [KEEL_MAP_ROLLING] = &fd->rolling.user,
                                     [KEEL_MAP_QUADRATIC_FORMS] = &fd->quadratic_forms.user,
                                     [KEEL_MAP_ENERGY_OF_FORMS] = &fd->energy_of_forms.user,
                                     [KEEL_MAP_ORIGINAL_F] = &fd->original_f.user,
                                     [KEEL_MAP_ORIGINAL_G] = &fd->original_g.user,
                                     [KEEL_MAP_VELOCITY] = &fd->velocity.user},
                             .nq = fd->nq,
                             .kg = fd->kg,
                             .k = fd->k,
                             .active = fd->active,
                             .multipliers = fd->lambda,
                             .algebraic = fd->y,
                             .direct = fd->dae.direct};
}

void field_layout(struct field *fd, struct arena *a) {
    size_t n = (size_t)fd->n, all = (size_t)(fd->n + fd->m), most = (size_t)max_count(fd);
    size_t events = (size_t)fd->p.event.count, vector = (all + 7) / 4 * 4, dense, sparse;
    static const double no_unknowns;
    fd->newtons = fd->systems = 0;
    fd->p.u0 = all ? copied(a, fd->p.u0, all * sizeof(double)) : &no_unknowns;
    fd->p.scale = copied(a, fd->p.scale, all * sizeof(double));
    fd->p.atol = copied(a, fd->p.atol, all * sizeof(double));
    if (fd->p.fixed) fd->p.fixed = copied(a, fd->p.fixed, all);
    else arena_take(a, all); /* a state is as long whether it was opened, loaded or switched to */
    fd->p.array_of = copied(a, fd->p.array_of, n * sizeof(int));
    fd->arrays_ascend = 1;
    for (int i = 1; i < fd->n && fd->p.array_of; i++)
        fd->arrays_ascend &= fd->p.array_of[i] >= fd->p.array_of[i - 1];
    fd->p.event_direction = copied(a, fd->p.event_direction, events * sizeof(int));
    fd->p.event_kind = copied(a, fd->p.event_kind, events);
    fd->size = arena_doubles(a, vector);
    fd->least = arena_doubles(a, vector);
    fd->inertia = arena_doubles(a, fd->traits & (KEEL_FROM_ENERGY | KEEL_SECOND_ORDER) ? vector : 1);
    fd->length = arena_doubles(a, vector);
    fd->u = arena_doubles(a, vector);
    fd->found = arena_doubles(a, all + 1);
    fd->y = fd->found ? fd->found + n : NULL;
    fd->lambda = arena_doubles(a, (size_t)fd->k + 1);
    fd->active = arena_ints(a, (size_t)fd->k + 1);
    fd->gradient = arena_doubles(a, vector);
    matrix_sizes(fd, &dense, &sparse);
    fd->matrix = arena_doubles(a, dense);
    fd->sparse = arena_doubles(a, sparse);
    fd->work = arena_doubles(a, DIFFERENCES_ROOM * most);
    fd->curvature_work = arena_doubles(a, DIFFERENCES_ROOM * most);
    fd->probe = arena_doubles(a, vector);
    fd->path = arena_doubles(a, vector);
    fd->line = arena_doubles(a, vector);
    fd->column = arena_doubles(a, most);
    fd->moved = arena_doubles(a, vector);
    fd->beside = arena_doubles(a, vector);
    fd->pivot = arena_ints(a, all);
    if (fd->p.mass.value && fd->traits & KEEL_FIRST_ORDER)
        fd->mass = arena_doubles(a, fd->large ? (size_t)fd->p.mass.pattern->nnz : n * n);
    if (fd->form->layout) fd->form->layout(fd, a);
    if (fd->hidden_rows.sparse) hidden_sparse_layout(fd, a);
    field_show(fd);
}

int field_attach(struct field *fd) {
    fd->mech.saddle.lu = NULL;
    int starved = bending_attach(fd); /* first: its rows stand in Newton's matrices */
    starved += newton_attach(fd) + algebra_sparse_attach(fd) + mass_sparse_attach(fd);
    starved += linear_attach(fd) + map_colour_attach(fd) + mass_change_attach(fd) + hamiltonian_attach(fd);
    starved += hidden_sparse_attach(fd) + choice_sparse_attach(fd);
    return (fd->mech.sparse && saddle_attach(&fd->mech.saddle)) || starved;
}

void field_detach(struct field *fd) {
    if (fd->mech.sparse) saddle_detach(&fd->mech.saddle);
    hidden_sparse_detach(fd);
    choice_sparse_detach(fd);
    newton_detach(fd);
    linear_detach(fd);
    bending_detach(fd);
    mass_change_detach(fd);
    map_colour_detach(fd);
    hamiltonian_detach(fd);
    algebra_sparse_detach(fd);
    mass_sparse_detach(fd);
}

enum { MOVABLE = 7 };
#define MOVABLE_MAPS \
    { &fd->algebraic, &fd->hidden, &fd->energy, &fd->constraint, &fd->rolling, &fd->invariant, &fd->velocity }

struct field_facts field_facts(const struct field *fd) {
    const struct map *maps[MOVABLE] = MOVABLE_MAPS;
    struct field_facts facts = {.t_length = fd->t_length,
                                .any_derived = fd->dae.any_derived,
                                .motion_ready = fd->mech.ready,
                                .mass_ready = fd->mech.mass_ready || fd->mass_ready};
    for (int i = 0; i < MOVABLE; i++) facts.time_dependent[i] = maps[i]->time_dependent;
    return facts;
}

/* Of foreign bytes: a factorization is used only with pivots that name rows. */
static int pivots_sound(const struct field *fd) {
    for (int i = 0; i < fd->n; i++)
        if (fd->pivot[i] < 0 || fd->pivot[i] >= fd->n) return 0;
    return 1;
}

void field_set_facts(struct field *fd, const struct field_facts *facts) {
    struct map *maps[MOVABLE] = MOVABLE_MAPS;
    fd->mech.ready = facts->motion_ready && !fd->mech.sparse; /* sparse factors are not saved */
    fd->mech.beside_ready = 0;
    fd->mech.mass_ready = facts->mass_ready;
    mechanics_profile(fd);
    fd->mass_ready = facts->mass_ready && pivots_sound(fd);
    fd->t_length = facts->t_length;
    fd->dae.any_derived = fd->dae.sparse ? fd->dae.by_rates : facts->any_derived;
    for (int i = 0; i < MOVABLE; i++) maps[i]->time_dependent = facts->time_dependent[i];
}

/* Where derivatives must be exact and are not given: of maps without a jacobian, and of constraints whose
 * curvature keel finds.  Lengths are looked for once; differences shorten them where the motion gets
 * rougher. */
static void find_lengths(struct field *fd) {
    const struct map *maps[] = {&fd->f,      &fd->algebraic,  &fd->hidden,
                                &fd->energy, &fd->constraint, &fd->rolling};
    for (int j = 0; j < fd->n + fd->m; j++) fd->length[j] = HUGE_VAL;
    for (int i = 0; i < 6; i++) {
        int of_constraint = maps[i] == &fd->constraint || maps[i] == &fd->rolling;
        int by_differences = !maps[i]->user.jacobian || (of_constraint && !fd->p.curvature);
        int of_pushed = maps[i] == &fd->f && hamiltonian_is_sparse(fd);
        if (maps[i] == &fd->f && !(fd->traits & KEEL_ALGEBRAIC) && !of_pushed) continue; /* it is not used */
        if (hamiltonian_is_sparse(fd) && !of_pushed) continue; /* all other derivatives are given */
        if (!maps[i]->user.count || !maps[i]->exact || !by_differences) continue;
        if (fd->mech.sparse || fd->large) map_sparse_find_lengths(fd, maps[i]);
        else map_find_lengths(fd, maps[i]);
    }
    for (int j = 0; j < fd->n + fd->m; j++)
        if (fd->length[j] == HUGE_VAL) fd->length[j] = fd->size[j];
}

void field_scale_lengths(struct field *fd, double factor) {
    for (int j = 0; j < fd->n + fd->m; j++) fd->length[j] *= factor;
    fd->t_length *= factor;
    field_forget(fd);
}

int field_is_given(const struct field *fd) {
    const struct map *maps[MOVABLE] = MOVABLE_MAPS;
    if (fd->m || fd->k || fd->form->open || fd->rhs != fd->p.f.value || fd->bending || fd->mass_change ||
        (!fd->p.f.jacobian && (fd->pattern || fd->f.colours)))
        return 0;
    for (int i = 0; i < MOVABLE; i++) {
        const keel_map *user = &maps[i]->user;
        if (user->count && (!user->jacobian || user->time_derivative || !user->autonomous)) return 0;
    }
    return 1;
}

void field_open_again(struct field *fd) {
    memcpy(fd->u, fd->p.u0, (size_t)fd->n * sizeof(double));
    memcpy(fd->length, fd->size, (size_t)fd->n * sizeof(double));
}

keel_status field_open(struct field *fd) {
    struct map *maps[MOVABLE] = MOVABLE_MAPS;
    memcpy(fd->u, fd->p.u0, (size_t)(fd->n + fd->m) * sizeof(double));
    if (fd->m) memcpy(fd->y, fd->p.u0 + fd->n, (size_t)fd->m * sizeof(double));
    for (int i = 0; i < fd->k; i++) fd->active[i] = 1;
    for (int i = 0; i < MOVABLE; i++) map_find_motion(fd, maps[i]);
    find_lengths(fd);
    field_forget(fd);
    return fd->form->open ? fd->form->open(fd, fd->p.t0, fd->p.u0) : KEEL_OK;
}

int field_starts_to_move(struct field *fd, double t_before, double t, const double *u) {
    int any = 0;
    if (fd->kg) any |= map_starts_to_move(fd, &fd->constraint, t_before, t, u);
    if (fd->kr) any |= map_starts_to_move(fd, &fd->rolling, t_before, t, u);
    if (fd->hidden.user.count) any |= map_starts_to_move(fd, &fd->hidden, t_before, t, u);
    if (any) field_forget(fd);
    return any;
}

void field_forget(struct field *fd) {
    fd->mech.ready = fd->mech.beside_ready = fd->mech.mass_ready = fd->mass_ready = 0;
    fd->mech.chain = fd->mech.passed = 0;
}

keel_status field_rhs(struct field *fd, double t, const double *x, double *dx) {
    if (keel_halted(fd->halt)) return map_stopped(fd);
    fd->fault.status = KEEL_OK;
    fd->stats->calls++;
    int code = fd->rhs(t, x, dx, fd->context);
    if (code != 0 && fd->fault.status == KEEL_OK) /* the user's own function, called directly */
        return map_diagnose(fd, "f", NULL, code, field_time(fd, t, x), 0, dx);
    if (code != 0) return code > 0 ? KEEL_RETRY : fd->fault.status;
    for (int i = 0; i < fd->n; i++)
        if (!isfinite(dx[i])) {
            char buffer[64];
            return field_fault(fd, KEEL_RETRY, KEEL_EUSER, "d/dt of %s is not finite (%g) at t = %.10g",
                               field_name(fd->p.names, i, "u", buffer, sizeof buffer),
                               isnan(dx[i]) ? NAN : dx[i], field_time(fd, t, x)); /* NAN: without a sign */
        }
    return KEEL_OK;
}

keel_status field_not_factored(struct field *fd, const struct sparse *lu, keel_status singular) {
    if (!sparse_starved(lu)) return singular;
    return field_fault(fd, KEEL_ENOMEM, KEEL_ENOMEM, "no memory for the factors of a matrix of %d unknowns",
                       fd->n + fd->m);
}

keel_status field_divide_by_mass(struct field *fd, double t, const double *u, double *dx) {
    if (!fd->p.mass.value) return KEEL_OK;
    int n = fd->n;
    if (fd->large) {
        keel_status status = mass_sparse_factor(fd, t, u);
        if (status == KEEL_OK) mass_sparse_divide(fd, dx);
        return status;
    }
    if (!(fd->p.mass.constant && fd->mass_ready)) {
        keel_status status = map_matrix(fd, &fd->p.mass, "mass", n, t, u, fd->mass);
        if (status != KEEL_OK) return status;
        fd->stats->factorizations++;
        int column = dense_lu(n, fd->mass, fd->pivot, fd->halt);
        fd->mass_ready = column == 0;
        if (column) {
            char buffer[64];
            return field_fault(
                fd, KEEL_RETRY, KEEL_ESINGULAR,
                "the mass matrix is singular at t = %.10g (in the column of %s): write the equations "
                "without a rate as `algebraic` rows of a DAE",
                t, field_name(fd->p.names, column - 1, "u", buffer, sizeof buffer));
        }
    }
    dense_lu_solve(n, fd->mass, fd->pivot, dx);
    return KEEL_OK;
}
