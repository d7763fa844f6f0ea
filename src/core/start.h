/* start.h - a consistent start: fixed and free values, the smallest weighted change, level by level. */
#ifndef KEEL_CORE_START_H
#define KEEL_CORE_START_H

#include "core/rows.h"

#define START_NEAR 0.05        /* of the sizes: a neighbourhood */
#define START_FITS 1e-9        /* of the size of the terms of a row: a start value someone typed */
#define START_LEAST_SHARE 1e-5 /* of a move: points nearer than that are not tried */

/* Rows that are met together by moving one part of u. */
struct start_level {
    unsigned kinds;     /* bit k: rows of keel_row_kind k */
    int except;         /* but not this row; -1: all */
    int first, columns; /* the part of u that may move */
};

struct manifold;

/* Do rows go by their patterns, and points around u shorter ways? */
static inline int start_is_large(const struct field *fd) {
    return fd->mech.sparse || fd->hidden_rows.sparse;
}

struct start {
    struct field *fd;
    struct rows *rows;
    struct manifold *manifold;              /* for large mechanics, whose invariants it brings back */
    double *residual;                       /* rows */
    double *trial, *found, *beside, *worst; /* n + m each */
    unsigned char *free;                    /* n + m */
    struct rowspace space;
    double *floor_of, *c, *z, *d;
    double dependent; /* orthogonal fraction below which a row is left out */
    double *sizes;    /* of the rows, kept while points far away are looked at */
    int *chosen;      /* rows of the level at hand */
    int *aside;       /* rows that are not chosen, while points are looked at without them */
    int *part;        /* large: rows of K, or hidden ones, that take part */
    double *others;   /* n: where a value starts at 0, and so has no size, that of those beside it */
    double share;     /* large: of the moves to points around u, such that these can be met */
};

void start_layout(struct start *st, struct field *fd, struct rows *rows, struct arena *a);
/* Makes u (n + m) consistent at t.  fixed: values that must stay, NULL: all may change.  Where the others
 * cannot make up for it, values that fit to 1e-9 of the row's terms are polished to round-off although
 * fixed.  KEEL_ESTART: u holds the nearest consistent values if there are any, and the fault names row,
 * residual and changes.  The sizes of the rows grow; later: not where there is nothing to make u of, and the
 * caller sees to that. */
keel_status start_make(struct start *st, double t, double *u, const unsigned char *fixed, int later);
/* Moves the free values of one level; fails with KEEL_ESTART, or KEEL_ESINGULAR for contradictory rows. */
keel_status start_solve(struct start *st, const struct start_level *level, double t, double *u);
/* The same where the way may go far.  Rows are larger there, and what is off by their round-off there may be
 * far from it at the end: that must hold by sizes of its own, too.  Those of the rows stay. */
keel_status start_solve_far(struct start *st, const struct start_level *level, double t, double *u);
/* The same for a point to look at: large mechanics gives up where two steps do not halve the residual. */
keel_status start_solve_hasty(struct start *st, const struct start_level *level, double t, double *u);
/* A point around u, whatever the rows are there. */
void start_beside(struct start *st, const struct start_level *level, double radius, const double *u,
                  unsigned *seed, double *out);
/* A point that meets the level's rows around u: moved at random by up to `radius` of the sizes, and brought
 * back.  y stays as it is. */
keel_status start_nearby(struct start *st, const struct start_level *level, double radius, double t,
                         const double *u, unsigned *seed, double *out);
/* The same from places around u, for a start that cannot be found from u itself; the algebraic variables with
 * level NULL.  KEEL_OK with the point in st->found, or KEEL_ESTART.  st->free says what may move. */
keel_status start_search(struct start *st, const struct start_level *level, double t, const double *u);
/* How far the level's rows are off at u, the worst of them, in round-off units. */
double start_units(struct start *st, const struct start_level *level, double t, const double *u);
/* Lets the sizes of the equations' rows grow to what they are at points near u: the start may be a special
 * one, at rest say, where the terms of a row vanish, and with them its round-off unit. */
void start_grow_sizes(struct start *st, double t, const double *u);
/* start_sizes.c: those of rows whose terms vanish at u; */
void start_sizes_of_rows(struct start *st, double t, const double *u);
/* and those of values of the level without one: that of their array, or the largest of all. */
void start_sizes_beside(struct start *st, const struct start_level *level);
/* The same where that leads to no start: what is no larger than atol/rtol is a size, too, and an array
 * without any has that of its rows, whose gradients stand at u.  0: that changes nothing. */
int start_sizes_anyhow(struct start *st, const struct start_level *level, const double *u);
/* How far a free value may be moved at unit cost; 0: it is fixed. */
static inline double start_size(const struct start *st, int j) {
    double size = st->fd->size[j];
    if (j < st->fd->n && size <= st->fd->least[j] && st->others[j] > 0) return st->others[j];
    return size > 0 ? size : 1;
}
static inline double start_reach(const struct start *st, int j) {
    return st->free[j] ? start_size(st, j) : 0;
}
double start_random(unsigned *seed); /* in -1 .. 1 */
/* start_sparse.c: large mechanics.  Factor and direction of a level; points around u, of large DAEs, too;
 * rows with a direction of their own; positions, velocities and then invariants of a level with all
 * columns. */
keel_status start_sparse_factor(struct start *st, const struct start_level *level, double t, const double *u,
                                int mass);
void start_sparse_direction(struct start *st, const struct start_level *level, int count);
keel_status start_sparse_shorten(struct start *st, double t, const double *u, double *moved);
keel_status start_sparse_rank(struct start *st, double t, const double *u);
/* A row that cannot be met: because it depends on others, or for no such reason. */
keel_status start_sparse_diagnose(struct start *st, double t, const double *u, int row);
keel_status start_sparse_rest(struct start *st, const struct start_level *rest, double t, double *u,
                              int hasty);
/* start_hidden.c: factor and direction of large DAEs, and which row cannot be met. */
keel_status start_hidden_factor(struct start *st, const struct start_level *level, int count, double t);
void start_hidden_direction(struct start *st, const struct start_level *level, int count);
keel_status start_hidden_diagnose(struct start *st, double t, int row);
/* The levels of the form; how many. */
int start_levels(const struct field *fd, struct start_level *level);
/* Which of a mechanical level's rows, one after the other, have a direction of their own at u, into
 * st->space.used. */
keel_status start_directions(struct start *st, const struct start_level *level, double t, const double *u);
/* Constraints that depend on others wherever these hold: marks them redundant in rows and field. */
keel_status start_find_redundant(struct start *st, double t, const double *u);
#endif
