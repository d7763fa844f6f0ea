/* version.c - see version.h.  Nothing here depends on when or where it is compiled. */
#include "cli/version.h"

#include <keel.h>

#if defined __clang__
#define COMPILER "clang " __clang_version__
#elif defined __GNUC__
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "an unknown compiler"
#endif

#if defined __wasm__
#define MACHINE "WebAssembly"
#elif defined __x86_64__
#define MACHINE "x86-64"
#elif defined __aarch64__
#define MACHINE "arm64"
#else
#define MACHINE "another machine"
#endif

#ifdef __OPTIMIZE__
#define OPTIMIZED "optimized"
#else
#define OPTIMIZED "not optimized"
#endif

/* Libraries that are loaded by the run that needs them. */
static const char *const loaded[] = {
#ifdef KEEL_KLU
    "KLU",
#endif
#ifdef KEEL_HDF5
    "HDF5 (" KEEL_HDF5 ")",
#endif
#ifdef KEEL_MPI
    "MPI (" KEEL_MPI ")",
#endif
    NULL};

/* What a fault in memory meets. */
static const char *const guarded[] = {
#if defined __PIC__ || defined __PIE__
    "position-independent",
#endif
#if defined __SSP__ || defined __SSP_STRONG__ || defined __SSP_ALL__
    "stack protector",
#endif
#ifdef _FORTIFY_SOURCE
    "fortified",
#endif
#ifdef __SANITIZE_ADDRESS__
    "address sanitizer",
#endif
#ifdef __SANITIZE_THREAD__
    "thread sanitizer",
#endif
    NULL};

static void list(FILE *out, const char *name, const char *const *words) {
    fprintf(out, "  %-10s ", name);
    for (int i = 0; words[i]; i++) fprintf(out, "%s%s", i ? ", " : "", words[i]);
    fputs(words[0] ? "\n" : "none\n", out);
}

void version_print(FILE *out) {
    fprintf(out, "keel %s\n", keel_version());
    fprintf(out, "  %-10s %s, " OPTIMIZED ", for " MACHINE ", interface %u\n", "compiled", COMPILER,
            KEEL_ABI);
    list(out, "with", loaded);
    list(out, "hardened", guarded);
}
