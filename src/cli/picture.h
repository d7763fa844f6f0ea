/* picture.h - a picture of a paper: several runs over each other, in panels with labelled axes. */
#ifndef KEEL_CLI_PICTURE_H
#define KEEL_CLI_PICTURE_H

#include "cli/papers/claims.h"

/* Runs the curves of picture number `draw` and writes it to the file; force: whatever is there.  0, or -1
 * with a sentence. */
int picture_draw(const struct claims *c, int draw, const char *path, int force, char *why, size_t room);
#endif
