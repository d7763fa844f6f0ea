/* starve.c - see starve.h. */
#include "starve/starve.h"

#include "base/pool.h"
#include "symbolic/expr.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct starve starve;

void starve_begin(long at, enum starve_mode mode) {
    starve = (struct starve){.at = at, .mode = mode};
}

/* Does this one fail?  A debugger may stop here. */
static int starve_refuses(void *caller) {
    starve.count++;
    if (!starve.at || starve.count < starve.at || (starve.mode == STARVE_ONCE && starve.count > starve.at))
        return 0;
    if (!starve.caller) starve.caller = caller;
    errno = ENOMEM;
    return 1;
}

#define REFUSED starve_refuses(__builtin_return_address(0))
#define STARVED(type, name, parameters, arguments)       \
    type __real_##name parameters;                       \
    type __wrap_##name parameters;                       \
    type __wrap_##name parameters {                      \
        return REFUSED ? NULL : __real_##name arguments; \
    }

STARVED(void *, malloc, (size_t bytes), (bytes))
STARVED(void *, calloc, (size_t count, size_t size), (count, size))
STARVED(void *, realloc, (void *old, size_t bytes), (old, bytes))
STARVED(void *, aligned_alloc, (size_t alignment, size_t bytes), (alignment, bytes))
STARVED(char *, strdup, (const char *text), (text))
STARVED(char *, strndup, (const char *text, size_t most), (text, most))
STARVED(char *, realpath, (const char *path, char *out), (path, out))
STARVED(FILE *, fopen, (const char *path, const char *how), (path, how))
STARVED(FILE *, fdopen, (int handle, const char *how), (handle, how))
STARVED(FILE *, tmpfile, (void), ())
STARVED(FILE *, open_memstream, (char **text, size_t *length), (text, length))
STARVED(DIR *, opendir, (const char *path), (path))

int __real_vasprintf(char **out, const char *format, va_list args);
int __wrap_vasprintf(char **out, const char *format, va_list args);
int __wrap_asprintf(char **out, const char *format, ...);
long __real_getline(char **line, size_t *capacity, FILE *file);
long __wrap_getline(char **line, size_t *capacity, FILE *file);

int __wrap_vasprintf(char **out, const char *format, va_list args) {
    return REFUSED ? -1 : __real_vasprintf(out, format, args);
}

int __wrap_asprintf(char **out, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = REFUSED ? -1 : __real_vasprintf(out, format, args);
    va_end(args);
    return length;
}

long __wrap_getline(char **line, size_t *capacity, FILE *file) {
    return REFUSED ? -1 : __real_getline(line, capacity, file);
}

/* Pools and graphs fail as they do when the next block cannot be had. */
void *__real_pool_take(struct pool *p, size_t bytes);
void *__wrap_pool_take(struct pool *p, size_t bytes);
char *__real_pool_copy(struct pool *p, const char *text, size_t length);
char *__wrap_pool_copy(struct pool *p, const char *text, size_t length);
expr __real_expr_intern(struct graph *g, struct expr_node n);
expr __wrap_expr_intern(struct graph *g, struct expr_node n);

void *__wrap_pool_take(struct pool *p, size_t bytes) {
    if (REFUSED) p->refused = p->starved = 1;
    return __real_pool_take(p, bytes);
}

char *__wrap_pool_copy(struct pool *p, const char *text, size_t length) {
    if (REFUSED) p->refused = p->starved = 1;
    return __real_pool_copy(p, text, length);
}

expr __wrap_expr_intern(struct graph *g, struct expr_node n) {
    if (!REFUSED) return __real_expr_intern(g, n);
    g->failed = 1;
    return EXPR_NONE;
}
