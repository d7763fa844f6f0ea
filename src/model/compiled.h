/* compiled.h - machine code for the functions of a model: written as C, compiled, and taken into use. */
#ifndef KEEL_MODEL_COMPILED_H
#define KEEL_MODEL_COMPILED_H

#include "model/private.h"

/* The stepper that the model is read for: as asked, or as the model's `options` say: "rk4" of rk4+scale. */
void compiled_method(const struct keel_model *m, char *out, size_t capacity);
/* Machine code where that can be had; else the interpreter goes on, and why is noted.  With compile_ahead the
 * compiler is only started, unless the code is in the cache. */
void compiled_begin(struct keel_model *m);
#endif
