/* backends.h - a text in C, compiled and loaded. */
#ifndef KEEL_TESTS_BACKENDS_H
#define KEEL_TESTS_BACKENDS_H

#include "testing.h"

#include "codegen/compile.h"

static inline struct compile_unit load(const char *source) {
    struct compile_unit unit;
    char message[640] = "";
    if (compile_load(source, NULL, &unit, message, sizeof message) != COMPILE_READY) fail_msg("%s", message);
    return unit;
}
#endif
