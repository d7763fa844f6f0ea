/* surfaces_private.h - what surfaces.c and surfaces_slide.c share. */
#ifndef KEEL_CORE_SURFACES_PRIVATE_H
#define KEEL_CORE_SURFACES_PRIVATE_H

#include "core/engine.h"

static inline void surfaces_show(const struct engine *e, int k, double side) { /* to the callbacks */
    e->field.p.side[k] = side;
}

const char *surfaces_name(const struct engine *e, int k, char *buffer, size_t size);
keel_status surfaces_values(struct engine *e, double t, const double *u, double *out); /* as they are */
double surfaces_height(const struct engine *e, int k, const double *value); /* above one that is met */
double surfaces_moment(const struct engine *e); /* a time in which little happens, along the run */
/* Which way surface k moves from (t, u) with the sides that are shown, along the run: +1 up, -1 down, 0: it
 * stays within round-off. */
#define SURFACES_NOISES 64 /* of its round-off: a surface is met */
int surfaces_stairs(const struct engine *e, int k);
int surfaces_way(struct engine *e, double t, const double *u, int k);
/* Heights below which surfaces that are met, and left along a tangent, have no sign. */
void surfaces_rests(struct engine *e, double t, const double *u);
/* Combination `mask` of the surfaces that are met at (t, u): bit i set: the i-th is on its upper side. */
void surfaces_take(struct engine *e, double t, const double *u, int count, const int *met, unsigned mask);

/* surfaces_slide.c */
/* Along one of the surfaces that are met, or a sentence. */
keel_status surfaces_slide(struct engine *e, double t, const double *u, int count, const int *met);
keel_status surfaces_leave(struct engine *e, double t, const double *u);
keel_status surfaces_meet(struct engine *e, double t, int count, const int *met); /* the sentence */
/* The share a of f+ in the motion; 0, or what a callback returned. */
int surfaces_share(struct engine *e, double t, const double *u, double *share);
#endif
