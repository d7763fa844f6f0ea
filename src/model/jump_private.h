/* jump_private.h - what the files of a jump share: its memory and the equations of one level (jump.h). */
#ifndef KEEL_MODEL_JUMP_PRIVATE_H
#define KEEL_MODEL_JUMP_PRIVATE_H

#include "model/jump.h"

struct jump_workspace {
    double *memory;
    double *begin, *now;           /* entries of J at the begin and where the jump has come to */
    double *low, *low_begin;       /* of the slopes by states */
    double *value, *terms, *fresh; /* hidden rows */
    double *right, *step;          /* n each */
    double *matrix, *side, *scale;
    int *pivot, *kept;
};

struct jump_level {
    const struct jump *j;
    struct jump_workspace *w;
    int q;
    const double *balance, *constraint; /* the entries of J for rows with c_i < q, and for the others */
    const unsigned char *assigned;
    const double *u;
};

int jump_workspace_open(struct jump_workspace *w, const struct jump *j); /* 1 or 0 */
void jump_workspace_close(struct jump_workspace *w);
int jump_place(const struct jump_level *l, int column); /* of its state; -1: it is an impulse */
int jump_any_stays(const struct jump_level *l, int b);  /* is a state of block b assigned? */
int jump_solve_level(const struct jump_level *l);       /* w->step; -1, or the block without a solution */
double jump_from_below(const struct jump *j, const double *low, const double *a, int q, int i);
void jump_sizes(const struct jump_level *l, const struct jump_path *path, const double *after); /* w->right */
void jump_label(const struct jump *j, int i, char *out, size_t capacity);
#endif
