/* compile_cache.h - where compiled models are kept, under which name, for how long, and whether one found
 * there is whole. */
#ifndef KEEL_CODEGEN_COMPILE_CACHE_H
#define KEEL_CODEGEN_COMPILE_CACHE_H

#include "codegen/compile.h"

#include <stdint.h>

enum { COMPILE_PATH = 1024, COMPILE_WORDS = 32 };
enum { COMPILE_KEPT_FILES = 256, COMPILE_KEPT_BYTES = 256 << 20 }; /* of the cache */

/* What a compiled model depends on beside its source. */
struct compile_tool {
    char text[COMPILE_PATH];       /* $CC, cut into words */
    char *argument[COMPILE_WORDS]; /* these words */
    int words;
    char program[COMPILE_PATH]; /* the compiler's own path */
};

/* The cache directory, made if need be; REFUSED unless it belongs to the user and nobody else may write to
 * it. */
enum compile_status compile_cache_directory(char path[COMPILE_PATH], char *message, size_t capacity);
/* 32 hexadecimal digits over the compiler (path, size, time), its words, flags, keel's version, the CPU,
 * the source. */
void compile_cache_key(const struct compile_tool *tool, const char *const *flags, const char *source,
                       char key[33]);
/* Is the file a library that was made from this very source and has not changed since? */
int compile_cache_whole(const char *path, const char *source);
/* Appends source and check sum, where no loader looks. */
int compile_cache_seal(const char *path, const char *source);

/* The files in a build's directory; ends with NULL. */
extern const char *const compile_build_files[];
/* Removes the libraries used longest ago beyond so many files or bytes in all, but never the last used one,
 * and builds left behind an hour ago.  Only what has our names and belongs to the user. */
void compile_trim(const char *directory, size_t files, uint64_t bytes);
void compile_trim_touch(const char *path); /* used now */
#endif
