/* map_colour.c - the entries of a map with a pattern and without a jacobian, by differences.
 *
 * Columns without a common row are moved at once (newton_colour.c), each over its own length, and as exactly
 * as single ones are: these entries stand in equations, and do not only steer Newton's method.  f of a
 * Hamiltonian with constraints, whose entries do no more than that, goes along. */
#include "core/differences.h"
#include "core/field.h"

#include <stdlib.h>
#include <string.h>

static int attach(struct map *map) {
    map->colours = calloc(1, sizeof *map->colours);
    return !map->colours || colours_open(map->colours, map->user.pattern, map->user.count, map->columns);
}

int map_colour_attach(struct field *fd) {
    struct map *maps[] = {&fd->f, &fd->algebraic, &fd->hidden};
    int starved = 0;
    for (int i = 0; i < 3; i++) maps[i]->colours = NULL;
    for (int i = fd->dae.by_rates || (fd->kg && fd->large) ? 0 : 1; i < 3; i++) {
        int sparse = maps[i] == &fd->hidden ? fd->hidden_rows.sparse : fd->dae.sparse || fd->kg;
        if (sparse && maps[i]->user.count && !maps[i]->user.jacobian) starved |= attach(maps[i]);
    }
    return starved;
}

void map_colour_detach(struct field *fd) {
    struct map *maps[] = {&fd->f, &fd->algebraic, &fd->hidden};
    for (int i = 0; i < 3; i++) {
        if (!maps[i]->colours) continue;
        colours_close(maps[i]->colours);
        free(maps[i]->colours);
        maps[i]->colours = NULL;
    }
}

struct colour_path {
    struct field *fd;
    const struct map *map;
    double t;
    const double *u;
    int colour;
};

/* All columns of the colour, by s times their lengths. */
static keel_status along_colour(void *context, double s, double *out) {
    const struct colour_path *c = context;
    const struct colours *a = c->map->colours;
    double *probe = c->fd->probe;
    for (int k = a->first[c->colour]; k < a->first[c->colour + 1]; k++) {
        int j = c->map->first + a->list[k];
        probe[j] = c->u[j] + s * c->fd->length[j];
    }
    keel_status status = map_value(c->fd, c->map, c->t, probe, out);
    for (int k = a->first[c->colour]; k < a->first[c->colour + 1]; k++) {
        int j = c->map->first + a->list[k];
        probe[j] = c->u[j];
    }
    return status;
}

keel_status map_colour_entries(struct field *fd, const struct map *map, double t, const double *u,
                               double *out) {
    const struct colours *a = map->colours;
    struct colour_path path = {fd, map, t, u, 0};
    keel_status status = KEEL_OK;
    memcpy(fd->probe, u, (size_t)(fd->n + fd->m) * sizeof *u);
    for (; path.colour < a->count && status == KEEL_OK; path.colour++) {
        status = differences_along(along_colour, &path, map->user.count, 1, DIFFERENCES_LEVELS, 1, fd->work,
                                   fd->column, NULL);
        for (int k = a->first[path.colour]; k < a->first[path.colour + 1] && status == KEEL_OK; k++) {
            int j = a->list[k];
            for (int place = a->columns.start[j]; place < a->columns.start[j + 1]; place++)
                out[a->columns.from[place]] = fd->column[a->columns.row[place]] / fd->length[map->first + j];
        }
    }
    return status;
}
