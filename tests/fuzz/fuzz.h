/* fuzz.h - what all targets share: a property that must hold, and a folder of the process's own. */
#ifndef KEEL_FUZZ_FUZZ_H
#define KEEL_FUZZ_FUZZ_H

#include <stddef.h>

/* Of processor time, where it is limited: a busy machine must not look like a hang. */
#ifdef KEEL_FUZZ_SECONDS
enum { FUZZ_SECONDS = KEEL_FUZZ_SECONDS };
#else
enum { FUZZ_SECONDS = 0 }; /* no limit */
#endif

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* Ends the process with the sentence and the input if it does not hold. */
void fuzz_require(int holds, const char *what, const void *data, size_t size);
/* A copy that ends where the input ends, so that reading past it is seen; with a zero behind it: `ended`.  To
 * be freed. */
char *fuzz_copy(const void *data, size_t size);
char *fuzz_ended(const void *data, size_t size);
/* FOLDER/name, in a folder in memory where there is one; the folder goes with the process.  To be freed. */
char *fuzz_path(const char *name);
void fuzz_write(const char *path, const void *data, size_t size);
#endif
