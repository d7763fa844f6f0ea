/* machine.h - what the machine has. */
#ifndef KEEL_BASE_MACHINE_H
#define KEEL_BASE_MACHINE_H

/* A function with long loops over numbers is compiled twice, for every processor and for those with AVX2; the
 * loader chooses.  Neither has a fused multiplication and addition: the bits are the same.  Sanitizers do not
 * know functions that are chosen so, nor do other libraries than glibc.  Such a function is static, since a
 * name that the loader chooses is exported. */
#if defined __x86_64__ && __has_include(<gnu/libc-version.h>) && !defined __SANITIZE_ADDRESS__ && \
    !defined __SANITIZE_THREAD__ && !defined __clang__
#define MACHINE_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define MACHINE_WIDE
#endif

double machine_memory(void); /* bytes; infinite where it cannot be told */
int machine_cores(void);     /* 1 where it cannot be told */
#endif
