/* recipe.h - checkpoints as texts: which sound one, and what is changed in it.
 *
 *     model 1              which of the models
 *     method 2             which of the methods
 *     steps 5              taken before it is saved
 *     raw                  checksums stay as they are; without it they are made to fit again
 *     PART AT KIND VALUE   a change: PART is file, about, sim, solver, block or rows; AT counts bytes from
 *                          its begin, modulo its length; KIND is byte, int, long, xor (hexadecimal) or double
 *     cut N                of the end of the file; cutrows N of its rows */
#ifndef KEEL_FUZZ_RECIPE_H
#define KEEL_FUZZ_RECIPE_H

#include <stddef.h>

enum { RECIPE_MODELS = 4, RECIPE_METHODS = 8, RECIPE_STEPS = 12 };

struct recipe {
    int model, method, steps; /* within the bounds above */
    int raw, changes;
};

struct saved {
    unsigned char *bytes, *rows;
    size_t size, count; /* of the file and of its rows */
};

struct recipe recipe_of(const char *text);
/* The changes of the text, in place; the arrays are as long as the saved ones or shorter. */
void recipe_apply(const char *text, const struct recipe *r, struct saved *s);
/* All checksums as they must be for what the parts hold now. */
void saved_repair(struct saved *s);
#endif
