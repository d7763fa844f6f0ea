/* cache.h - an empty folder for compiled models: what a group of tests begins with, and takes away again. */
#ifndef KEEL_TESTS_CACHE_H
#define KEEL_TESTS_CACHE_H

#include "testing.h"

static char cache[256];

static int make_cache(void **state) {
    (void)state;
    snprintf(cache, sizeof cache, "%s/keel-test-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    return mkdtemp(cache) ? setenv("XDG_CACHE_HOME", cache, 1) : -1;
}

static int drop_cache(void **state) {
    (void)state;
    char command[600];
    snprintf(command, sizeof command, "rm -rf -- '%s'", cache);
    return system(command);
}
#endif
