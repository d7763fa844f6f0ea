/* map_sparse.c - lengths and checks of large maps with a pattern, along a few random directions: as many
 * evaluations for ten thousand columns as for ten. */
#include "core/differences.h"
#include "core/field.h"
#include "core/start.h"

#include <math.h>
#include <string.h>

/* u + s r on the map's columns. */
struct ray {
    struct field *fd;
    const struct map *map;
    double t;
    const double *u, *r;
};

static keel_status along_ray(void *context, double s, double *out) {
    const struct ray *c = context;
    double *probe = c->fd->probe;
    memcpy(probe, c->u, (size_t)(c->fd->n + c->fd->m) * sizeof *probe);
    for (int j = 0; j < c->map->columns; j++) probe[c->map->first + j] += s * c->r[j];
    return map_value(c->fd, c->map, c->t, probe, out);
}

void map_sparse_find_lengths(struct field *fd, const struct map *map) {
    struct ray ray = {fd, map, fd->p.t0, fd->u, fd->line};
    double largest = 0;
    unsigned seed = 99;
    for (int j = 0; j < map->columns; j++) {
        fd->line[j] = start_random(&seed);
        largest = fmax(largest, fd->size[map->first + j]);
    }
    double length = differences_length(along_ray, &ray, map->user.count, largest, fd->work);
    for (int j = 0; j < map->columns; j++)
        fd->length[map->first + j] = fmin(fd->length[map->first + j], length);
}

/* d value_i / d u_j by differences. */
static keel_status one_entry(const struct ray *ray, double *direction, int i, int j, double *found) {
    struct field *fd = ray->fd;
    int count = ray->map->user.count;
    double size = fd->size[ray->map->first + j];
    memset(direction, 0, (size_t)ray->map->columns * sizeof *direction);
    direction[j] = 1;
    keel_status status = differences_along(along_ray, (void *)ray, count, size > 0 ? size : 1,
                                           DIFFERENCES_LEVELS, 1, fd->work, fd->column, NULL);
    *found = fd->column[i];
    return status;
}

/* Row i is wrong along some direction: the entry that is, those of the pattern first. */
static keel_status tell_entry(const struct ray *ray, const double *entries, double *direction, int i,
                              double size) {
    struct field *fd = ray->fd;
    const struct map *map = ray->map;
    const keel_pattern *p = map->user.pattern;
    char row[64], column[64];
    field_name(map->user.names, i, map->what, row, sizeof row);
    for (int outside = 0; outside < 2; outside++)
        for (int j = 0, e = p->row_start[i]; j < map->columns; j++) {
            int inside = e < p->row_start[i + 1] && p->column[e] == j;
            double given = inside ? entries[e++] : 0, found;
            if (inside == outside || one_entry(ray, direction, i, j, &found) != KEEL_OK) continue;
            double typical = fd->size[map->first + j];
            if (fabs(given - found) * typical <= 1e-7 * size + 1e-9 * fabs(found) * typical) continue;
            return field_fault(
                fd, KEEL_EINVAL, KEEL_EINVAL,
                "the jacobian of %s is wrong: d %s / d %s is given as %.10g, differences say %.10g "
                "at t = %.10g",
                map->what, row, field_name(fd->p.names, map->first + j, "u", column, sizeof column), given,
                found, ray->t);
        }
    return field_fault(fd, KEEL_EINVAL, KEEL_EINVAL,
                       "the jacobian of %s is wrong in the row of %s at t = %.10g", map->what, row, ray->t);
}

keel_status map_sparse_check(struct field *fd, const struct map *map, double t, const double *u) {
    enum { DIRECTIONS = 3 };
    const keel_pattern *p = map->user.pattern;
    double *entries = fd->sparse, *direction = fd->line, *found = fd->column;
    struct ray ray = {fd, map, t, u, direction};
    unsigned seed = 4711;
    keel_status status = map_entries(fd, map, t, u, entries);
    for (int k = 0; k < DIRECTIONS && status == KEEL_OK; k++) {
        double noise = 0, worst;
        for (int j = 0; j < map->columns; j++) direction[j] = start_random(&seed) * fd->size[map->first + j];
        status = differences_along(along_ray, &ray, map->user.count, 1, DIFFERENCES_LEVELS, 1, fd->work,
                                   found, &worst);
        for (int i = 0; i < map->user.count; i++) noise = fmax(noise, 1e-8 * fabs(found[i]));
        for (int i = 0; i < map->user.count && status == KEEL_OK; i++) {
            double sum = 0, size = 0;
            for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
                sum += entries[e] * direction[p->column[e]];
                size = fmax(size, fabs(entries[e] * direction[p->column[e]]));
            }
            size = fmax(size, fabs(found[i]));
            if (fabs(sum - found[i]) > noise + 1e-6 * size)
                return tell_entry(&ray, entries, direction, i, size);
        }
    }
    return status;
}
