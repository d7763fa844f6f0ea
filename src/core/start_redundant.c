/* start_redundant.c - constraints of mechanics that follow from others wherever these hold. */
#include "core/start.h"

#include <math.h>
#include <string.h>

static int all_active(const struct field *fd) {
    for (int i = 0; i < fd->k; i++)
        if (!fd->active[i]) return 0;
    return 1;
}

/* Large mechanics: rows with a direction of their own at one of several points. */
static keel_status active_of_large(struct start *st, const struct start_level *level, double t,
                                   const double *u) {
    unsigned seed = 12345;
    for (int sample = 0, good = 0; sample < 8 && good < 4 && !all_active(st->fd); sample++) {
        memcpy(st->found, u, (size_t)st->fd->n * sizeof *u);
        if (sample > 0 && st->fd->kg &&
            start_nearby(st, &level[0], START_NEAR, t, u, &seed, st->found) != KEEL_OK)
            continue;
        keel_status status = start_sparse_rank(st, t, st->found);
        if (status == KEEL_ENOMEM) return status;
        good += status == KEEL_OK;
    }
    return KEEL_OK;
}

/* Rows without a direction of their own at u are put aside.  Where all others hold, at points around u, they
 * hold as well, or they are not redundant: u is a dead centre.  (A point that meets all rows is hard to find
 * where they are dependent only on the manifold; zeros have to move, too.)  Rolling rows are judged by their
 * directions there. */
static void active_of_small(struct start *st, const struct start_level *level, double t, const double *u) {
    struct field *fd = st->fd;
    unsigned seed = 12345;
    int aside = 0;
    memcpy(st->found, u, (size_t)fd->n * sizeof *u);
    keel_status status = start_directions(st, &level[1], t, st->found);
    for (int i = 0; i < fd->k; i++) fd->active[i] = status != KEEL_OK || st->space.used[i];
    for (int i = 0; i < fd->k; i++) aside += !fd->active[i];
    for (int i = 0; i < fd->kg; i++) st->aside[i] = !fd->active[i];
    for (int sample = 0, good = 0; aside && sample < 8 && good < 4; sample++) {
        if (fd->kg && start_nearby(st, &level[0], 2 * START_NEAR, t, u, &seed, st->found) != KEEL_OK)
            continue;
        if (rows_residual(fd, st->rows, t, st->found, st->residual) != KEEL_OK) continue;
        good++;
        for (int i = 0; i < fd->kg; i++)
            fd->active[i] |= fabs(st->residual[i]) > START_FITS * st->rows->size[i];
        if (fd->kr == 0 || start_directions(st, &level[1], t, st->found) != KEEL_OK) continue;
        for (int i = fd->kg; i < fd->k; i++) fd->active[i] |= st->space.used[i];
    }
    for (int i = 0; i < fd->kg; i++) st->aside[i] = 0;
}

keel_status start_find_redundant(struct start *st, double t, const double *u) {
    struct field *fd = st->fd;
    struct rows *r = st->rows;
    struct start_level level[2];
    if (!(fd->traits & KEEL_SECOND_ORDER) || fd->k < 1) return KEEL_OK;
    start_levels(fd, level);
    memset(st->free, 1, (size_t)(fd->n + fd->m));
    for (int i = 0; i < fd->k; i++) fd->active[i] = 0;
    keel_status status = fd->mech.sparse ? active_of_large(st, level, t, u) : KEEL_OK;
    if (status != KEEL_OK) return status;
    if (!fd->mech.sparse) active_of_small(st, level, t, u);
    for (int i = 0; i < fd->k; i++) {
        if (fd->active[i]) continue;
        int *rate = &r->treatment[r->at[KEEL_ROW_VELOCITY] + i]; /* positions alone kept: watched */
        if (!(i < fd->kg && r->treatment[i] == KEEL_ROW_NATIVE && *rate == KEEL_ROW_WATCHED))
            *rate = KEEL_ROW_REDUNDANT;
        if (i < fd->kg) r->treatment[i] = KEEL_ROW_REDUNDANT;
    }
    field_forget(fd);
    return KEEL_OK;
}
