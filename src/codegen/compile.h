/* compile.h - emitted C through the system's compiler into this process, with a cache.
 *
 * The cache is $XDG_CACHE_HOME/keel or ~/.cache/keel, for this user alone; of many models those used last
 * stay.  No shell takes part, and a compiler that does not end is ended.  Whatever goes wrong, the caller
 * still has the interpreter, which gives the same bits. */
#ifndef KEEL_CODEGEN_COMPILE_H
#define KEEL_CODEGEN_COMPILE_H

#include <keel/extras.h>

#include <stddef.h>

enum compile_status {
    COMPILE_READY,
    COMPILE_ABSENT,  /* there is no compiler */
    COMPILE_REFUSED, /* the cache, $CC or $KEEL_NVCC is not to be trusted */
    COMPILE_FAILED,  /* the compiler, the loader or the disk said no */
    COMPILE_BUSY     /* the compiler is at work */
};

struct compile_work;
struct compile_unit {
    void *handle;
    const keel_linked *linked; /* functions of the program itself, in place of a handle */
    int cached;                /* found ready; no compiler ran */
    struct compile_work *work; /* a compiler at work; NULL: none */
};

struct compile_limits {
    double seconds;           /* the compiler may take so long; 0: a minute, more for long sources */
    const volatile int *stop; /* not 0: it is ended at once; NULL: nobody asks */
    int lanes;                /* that the source has; 0: none */
    int device;               /* it is CUDA C++, for nvcc */
    int cached;               /* what is not in the cache is not compiled: FAILED */
};
/* As many lanes as the vectors of this machine have. */
int compile_lanes(void);

/* l: NULL is all 0.  message: one sentence when the status is not READY. */
enum compile_status compile_load(const char *source, const struct compile_limits *l, struct compile_unit *out,
                                 char *message, size_t capacity);
/* The same beside other work: what is in the cache is there at once, else the status is BUSY, the source must
 * stay, and compile_end says whether the compiler is done, or waits for it. */
enum compile_status compile_begin(const char *source, const struct compile_limits *l,
                                  struct compile_unit *out, char *message, size_t capacity);
enum compile_status compile_end(struct compile_unit *u, int wait, char *message, size_t capacity);
keel_fn *compile_function(const struct compile_unit *u,
                          const char *name); /* as given to emit_function; NULL: none */
keel_kernel_fixed *compile_fixed(const struct compile_unit *u,
                                 const char *name);                              /* as given to emit_kernel */
keel_kernel_steps *compile_kept(const struct compile_unit *u, const char *name); /* as given to emit_kept */
keel_kernel_samples *compile_samples(const struct compile_unit *u,
                                     const char *name); /* as given to emit_samples */
keel_kernel_lanes *compile_plain_lanes(const struct compile_unit *u, const char *name);
keel_kernel_beside *compile_beside(const struct compile_unit *u, const char *name);
keel_kernel_lanes *compile_kept_lanes(const struct compile_unit *u, const char *name);
int compile_device(const struct compile_unit *u, keel_device *out);             /* 0: there is none */
keel_series_fn *compile_series(const struct compile_unit *u, const char *name); /* as given to emit_series */
keel_composed_fn *compile_composed(const struct compile_unit *u, const char *name);
/* as given to emit_mechanics */
keel_mechanics_rhs *compile_accelerations(const struct compile_unit *u, const char *name);
keel_mechanics_elimination *compile_elimination(const struct compile_unit *u, const char *name);
keel_mechanics_stages *compile_stages(const struct compile_unit *u, const char *name);
keel_mechanics_restoration *compile_restoration(const struct compile_unit *u, const char *name);
keel_mechanics_project *compile_projection(const struct compile_unit *u, const char *name);
void compile_close(struct compile_unit *u); /* and ends a compiler that is at work */
#endif
