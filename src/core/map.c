/* map.c - the user's maps, evaluated with every answer checked: return codes, finite values, differences
 * where a derivative is not given. */
#include "base/machine.h"
#include "core/differences.h"
#include "core/field.h"

#include <math.h>
#include <string.h>

/* Zero times a finite number is zero.  Eight sums, since additions wait for each other. */
MACHINE_WIDE static int are_finite(int count, const double *values) {
    typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
    four even = {0, 0, 0, 0}, odd = even;
    int i = 0;
    for (; i + 8 <= count; i += 8) {
        even += 0.0 * *(const four *)(values + i);
        odd += 0.0 * *(const four *)(values + i + 4);
    }
    even += odd;
    return (even[0] + even[1]) + (even[2] + even[3]) == 0 && keel_native_finite(count - i, values + i);
}

int map_finite(int count, const double *values) {
    return are_finite(count, values);
}

keel_status map_diagnose(struct field *fd, const char *what, const char *const *names, int code, double t,
                         int count, const double *out) {
    if (code > 0)
        return field_fault(fd, KEEL_RETRY, KEEL_EUSER,
                           "%s asks for a shorter step at t = %.10g (it returned %d)", what, t, code);
    if (code == KEEL_ENOMEM)
        return field_fault(fd, KEEL_ENOMEM, KEEL_ENOMEM, "%s finds no memory at t = %.10g", what, t);
    if (code < 0)
        return field_fault(fd, KEEL_EUSER, KEEL_EUSER, "%s gave up at t = %.10g (it returned %d)", what, t,
                           code);
    for (int i = 0; i < count; i++)
        if (!isfinite(out[i])) {
            char buffer[64];
            return field_fault(fd, KEEL_RETRY, KEEL_EUSER, "%s is not finite (%g) at t = %.10g",
                               field_name(names, i, what, buffer, sizeof buffer),
                               isnan(out[i]) ? NAN : out[i], t); /* NAN: without a sign */
        }
    return KEEL_OK;
}

/* The same, with the part of the map that was asked: "invariant: its jacobian ...". */
static keel_status in_part(struct field *fd, keel_status status, const char *part) {
    if (status != KEEL_OK) text_add(fd->fault.text, sizeof fd->fault.text, " (in its %s)", part);
    return status;
}

/* d row / d column, in the words of the model: f of a state without a name of its own is the state's d/dt. */
static keel_status fail_entry(struct field *fd, const struct map *map, double t, int row, int column,
                              double value) {
    char of[64], by[64];
    const char *const *names = fd->p.names;
    int rate = map == &fd->f && !map->user.names && names;
    field_name(rate ? names : map->user.names, row, map->what, of, sizeof of);
    field_name(names, map->first + column, "u", by, sizeof by);
    return field_fault(fd, KEEL_RETRY, KEEL_EUSER,
                       "the derivative of %s%s by %s is not finite (%g) at t = %.10g", rate ? "d/dt " : "",
                       of, by, isnan(value) ? NAN : value, t); /* NAN: without a sign */
}

/* A jacobian's values, dense or by pattern, that are not as they should be. */
__attribute__((noinline)) static keel_status jacobian_fails(struct field *fd, const struct map *map, int code,
                                                            double t, int entries, const double *values) {
    const keel_pattern *pattern = entries < map->user.count * map->columns ? map->user.pattern : NULL;
    int e = 0, row = 0;
    if (code != 0) return in_part(fd, map_diagnose(fd, map->what, NULL, code, t, 0, values), "jacobian");
    while (e < entries - 1 && isfinite(values[e])) e++;
    while (pattern && pattern->row_start[row + 1] <= e) row++;
    keel_status status = pattern ? fail_entry(fd, map, t, row, pattern->column[e], values[e])
                                 : fail_entry(fd, map, t, e / map->columns, e % map->columns, values[e]);
    return in_part(fd, status, "jacobian");
}

static inline keel_status jacobian_checked(struct field *fd, const struct map *map, int code, double t,
                                           const double *u, int entries, const double *values) {
    int finite = entries < MAP_MANY ? keel_native_finite(entries, values) : map_finite(entries, values);
    return code == 0 && finite ? KEEL_OK
                               : jacobian_fails(fd, map, code, field_time(fd, t, u), entries, values);
}

/* Sparse values to dense rows. */
static void spread(const keel_pattern *pattern, int rows, int columns, const double *values, double *out) {
    memset(out, 0, (size_t)rows * (size_t)columns * sizeof *out);
    for (int i = 0; i < rows; i++)
        for (int e = pattern->row_start[i]; e < pattern->row_start[i + 1]; e++)
            out[(long)i * columns + pattern->column[e]] = values[e];
}

struct column_path {
    struct field *fd;
    const struct map *map;
    double t;
    const double *u;
    int at;
};

static keel_status along_column(void *context, double s, double *out) {
    const struct column_path *c = context;
    double *probe = c->fd->probe;
    probe[c->at] = c->u[c->at] + s;
    keel_status status = map_value(c->fd, c->map, c->t, probe, out);
    probe[c->at] = c->u[c->at];
    return status;
}

static keel_status by_differences(struct field *fd, const struct map *map, double t, const double *u,
                                  double *out) {
    struct column_path path = {fd, map, t, u, 0};
    int count = map->user.count;
    memcpy(fd->probe, u, (size_t)(fd->n + fd->m) * sizeof *u);
    for (int j = 0; j < map->columns; j++) {
        path.at = map->first + j;
        double size = fmax(fd->size[path.at], fabs(u[path.at]));
        keel_status status = map->exact ? differences_along(along_column, &path, count, fd->length[path.at],
                                                            DIFFERENCES_LEVELS, 1, fd->work, fd->column, NULL)
                                        : differences_along(along_column, &path, count, size, 1, 1, fd->work,
                                                            fd->column, NULL);
        if (status != KEEL_OK) return status;
        for (int i = 0; i < count; i++) out[(long)i * map->columns + j] = fd->column[i];
    }
    return KEEL_OK;
}

/* Whoever began this looks at the flag, too, and forgets what came of it. */
keel_status map_stopped(struct field *fd) {
    return field_fault(fd, KEEL_ESTOP, KEEL_ESTOP, "stopped, as options.stop asks");
}

static keel_status by_pattern(struct field *fd, const struct map *map, double t, const double *u,
                              double *out) {
    const keel_pattern *pattern = map->user.pattern;
    int code = map->user.jacobian(t, u, fd->sparse, fd->p.user);
    if (code == 0) spread(pattern, map->user.count, map->columns, fd->sparse, out);
    return jacobian_checked(fd, map, code, t, u, pattern->nnz, fd->sparse);
}

keel_status map_jacobian(struct field *fd, const struct map *map, double t, const double *u, double *out) {
    fd->stats->jacobians++;
    if (!map->user.jacobian) return by_differences(fd, map, t, u, out);
    int entries = map->user.count * map->columns;
    const keel_pattern *pattern = map->user.pattern;
    if (pattern && pattern->nnz < entries) return by_pattern(fd, map, t, u, out);
    int code = map->user.jacobian(t, u, out, fd->p.user); /* a full pattern is in the order of a matrix */
    return jacobian_checked(fd, map, code, t, u, entries, out);
}

keel_status map_entries(struct field *fd, const struct map *map, double t, const double *u, double *out) {
    fd->stats->jacobians++;
    if (map->colours) return map_colour_entries(fd, map, t, u, out);
    int code = map->user.jacobian(t, u, out, fd->p.user);
    const keel_pattern *pattern = map->user.pattern;
    return jacobian_checked(fd, map, code, t, u, pattern ? pattern->nnz : map->user.count * map->columns,
                            out);
}

struct time_path {
    struct field *fd;
    const struct map *map;
    double t;
    const double *u;
};

static keel_status along_time(void *context, double s, double *out) {
    const struct time_path *c = context;
    return map_value(c->fd, c->map, c->t + s, c->u, out);
}

keel_status map_time_derivative(struct field *fd, const struct map *map, double t, const double *u,
                                double *out) {
    if (!map->time_dependent) {
        memset(out, 0, (size_t)map->user.count * sizeof *out);
        return KEEL_OK;
    }
    if (map->user.time_derivative) {
        int code = map->user.time_derivative(t, u, out, fd->p.user);
        return in_part(fd, map_checked(fd, map->what, map->user.names, code, t, map->user.count, out),
                       "time derivative");
    }
    struct time_path path = {fd, map, t, u};
    return differences_along(along_time, &path, map->user.count, fd->t_length, DIFFERENCES_LEVELS, 1,
                             fd->work, out, NULL);
}

keel_status map_terms(struct field *fd, const struct map *map, double t, const double *u, double *out) {
    if (!map->user.terms) {
        memset(out, 0, (size_t)map->user.count * sizeof *out);
        return KEEL_OK;
    }
    int code = map->user.terms(t, u, out, fd->p.user);
    t = field_time(fd, t, u);
    return in_part(fd, map_checked(fd, map->what, map->user.names, code, t, map->user.count, out), "terms");
}

keel_status map_matrix(struct field *fd, const keel_matrix *matrix, const char *what, int order, double t,
                       const double *u, double *out) {
    double *values = matrix->pattern ? fd->sparse : out;
    int code = matrix->value(t, u, values, fd->p.user);
    int entries = matrix->pattern ? matrix->pattern->nnz : order * order;
    if (matrix->pattern && code == 0) spread(matrix->pattern, order, order, values, out);
    return map_checked(fd, what, NULL, code, t, entries, values);
}

/* Looked for from the size of the largest unknown of its kind downwards: near the constraints values are
 * small whatever their terms are, and a path that is too short sees nothing but round-off without knowing
 * it. */
void map_find_lengths(struct field *fd, const struct map *map) {
    struct column_path path = {fd, map, fd->p.t0, fd->u, 0};
    double largest = 0;
    for (int j = 0; j < map->columns; j++) largest = fmax(largest, fd->size[map->first + j]);
    memcpy(fd->probe, fd->u, (size_t)(fd->n + fd->m) * sizeof *fd->u);
    for (int j = 0; j < map->columns; j++) {
        path.at = map->first + j;
        double length = differences_length(along_column, &path, map->user.count, largest, fd->work);
        fd->length[path.at] = fmin(fd->length[path.at], length);
    }
}

/* A map without a given rate moves if any value changes with t, at the start or near it, bit for bit. */
void map_find_motion(struct field *fd, struct map *map) {
    if (map->user.count == 0) return;
    map->time_dependent = map->user.time_derivative != NULL;
    static const double later[] = {0, 1e-3, 0.1, 1.7};
    double *here = fd->work, *there = fd->work + map->user.count;
    for (int bent = 0; bent < 2 && !map->time_dependent && !map->user.autonomous; bent++) {
        for (int i = 0; i < fd->n + fd->m; i++)
            fd->probe[i] = fd->u[i] + bent * 0.01 * (1 + i % 3) * fd->size[i];
        if (map_value(fd, map, fd->p.t0, fd->probe, here) != KEEL_OK) continue;
        for (int k = 1; k < 4; k++) {
            double t = fd->p.t0 + later[k] * (1 + fabs(fd->p.t0));
            if (map_value(fd, map, t, fd->probe, there) != KEEL_OK) continue;
            if (memcmp(here, there, (size_t)map->user.count * sizeof *here) != 0) map->time_dependent = 1;
        }
    }
    if (!map->time_dependent) return;
    struct time_path path = {fd, map, fd->p.t0, fd->u};
    fd->t_length = fmin(fd->t_length, differences_length(along_time, &path, map->user.count, 1, fd->work));
}

/* Does a map that seemed not to depend on t do so by now? */
int map_starts_to_move(struct field *fd, struct map *map, double t_before, double t, const double *u) {
    double *here = fd->work, *there = fd->work + map->user.count;
    if (map->time_dependent || map->user.autonomous || map->user.count == 0) return 0;
    if (map_value(fd, map, t_before, u, here) != KEEL_OK || map_value(fd, map, t, u, there) != KEEL_OK)
        return 0;
    if (memcmp(here, there, (size_t)map->user.count * sizeof *here) == 0) return 0;
    map->time_dependent = 1;
    fd->t_length =
        fmin(fd->t_length, 8); /* at the onset nothing is typical; differences shorten it as needed */
    return 1;
}

/* The map's own rate against differences in t. */
static keel_status check_rate(struct field *fd, const struct map *map, double t, const double *u) {
    struct map time_dependent = *map;
    struct time_path path = {fd, map, t, u};
    int count = map->user.count;
    time_dependent.time_dependent = 1;
    double worst, *given = fd->matrix, *found = fd->matrix + count;
    double length = differences_length(along_time, &path, count, 1, fd->work);
    keel_status status = map_time_derivative(fd, &time_dependent, t, u, given);
    if (status == KEEL_OK)
        status = differences_along(along_time, &path, count, length, DIFFERENCES_LEVELS, 1, fd->work, found,
                                   &worst);
    for (int i = 0; i < count && status == KEEL_OK; i++) {
        double tolerance = 1e-6 * (fabs(given[i]) + fabs(found[i])) + 100 * worst;
        if (fabs(given[i] - found[i]) <= tolerance) continue;
        char row[64];
        return field_fault(fd, KEEL_EINVAL, KEEL_EINVAL,
                           "the time derivative of %s is wrong: d %s / d t is given as %.10g, differences "
                           "say %.10g at t = %.10g",
                           map->what, field_name(map->user.names, i, map->what, row, sizeof row), given[i],
                           found[i], t);
    }
    return status;
}

/* Column by column a comparison takes some evaluations for each of them: large maps go along directions. */
static int is_checked_along(const struct field *fd, const struct map *map) {
    enum { MOST_COLUMNS = 500 };
    int by_entries =
        fd->mech.sparse || (fd->by_pattern && (map == &fd->f || map == &fd->algebraic)) ||
        (fd->hidden_rows.sparse && map == &fd->hidden) ||
        (hamiltonian_is_sparse(fd) && (map == &fd->constraint || map == &fd->velocity || map == &fd->f));
    return map->user.pattern && (by_entries || map->columns > MOST_COLUMNS);
}

keel_status map_check(struct field *fd, const struct map *map, double t, const double *u) {
    if (map->user.count > 0 && map->user.time_derivative) {
        keel_status status = check_rate(fd, map, t, u);
        if (status != KEEL_OK) return status;
    }
    if (map->user.count == 0 || !map->user.jacobian) return KEEL_OK;
    if (is_checked_along(fd, map)) return map_sparse_check(fd, map, t, u);
    struct map plain = *map;
    plain.user.jacobian = NULL;
    plain.exact = 1;
    keel_status status = map_jacobian(fd, map, t, u, fd->matrix);
    double *other = fd->matrix + (long)map->user.count * map->columns;
    if (status == KEEL_OK) status = map_jacobian(fd, &plain, t, u, other);
    if (status != KEEL_OK) return status;
    double noise = 0; /* of the differences, where a row is zero just here */
    for (int e = 0; e < map->user.count * map->columns; e++)
        noise = fmax(noise, 1e-8 * fabs(other[e]) * fd->size[map->first + e % map->columns]);
    for (int i = 0; i < map->user.count; i++) {
        const double *given = fd->matrix + (long)i * map->columns, *found = other + (long)i * map->columns;
        double size = 0; /* of the row, in terms of what a typical change of each unknown does */
        for (int j = 0; j < map->columns; j++) size = fmax(size, fabs(found[j]) * fd->size[map->first + j]);
        for (int j = 0; j < map->columns; j++) {
            double typical = fd->size[map->first + j];
            if (fabs(given[j] - found[j]) * typical <= noise + 1e-6 * size + 1e-9 * fabs(found[j]) * typical)
                continue;
            char row[64], column[64];
            return field_fault(
                fd, KEEL_EINVAL, KEEL_EINVAL,
                "the jacobian of %s is wrong: d %s / d %s is given as %.10g, differences say %.10g "
                "at t = %.10g",
                map->what, field_name(map->user.names, i, map->what, row, sizeof row),
                field_name(fd->p.names, map->first + j, "u", column, sizeof column), given[j], found[j], t);
        }
    }
    return KEEL_OK;
}
