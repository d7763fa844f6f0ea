/* system.h - sparse linear systems of a method's own, whose unknowns are more than x, or others:
 *
 *     A = sum_b c_b B_b,      each B_b a block with a known pattern that stands somewhere in A.
 *
 * Patterns are those of the problem: F_q and F_v, M, G, and what follows from them.  The factors follow
 * from the numbers of A alone.  A copied or loaded solver has none: keel_system_stands. */
#ifndef KEEL_SYSTEM_H
#define KEEL_SYSTEM_H

#include <keel/method.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct keel_system keel_system;

typedef enum keel_system_block_kind {
    KEEL_BLOCK_PLAIN,
    KEEL_BLOCK_TRANSPOSED,
    KEEL_BLOCK_BEND,    /* the numbers of keel_native_bend, of all rows; no pattern */
    KEEL_BLOCK_DIAGONAL /* no pattern */
} keel_system_block_kind;

typedef struct keel_system_block {
    keel_system_block_kind kind;
    int row, column;             /* where its first row and column stand */
    int rows;                    /* of the pattern */
    const keel_pattern *pattern; /* as long as the problem's */
} keel_system_block;

/* c and the numbers of B, in the order of its pattern; NULL: all 1. */
typedef struct keel_system_value {
    double real, imaginary;
    const double *numbers;
} keel_system_value;

enum { KEEL_SYSTEM_BLOCKS = 32 };

/* Layout only, for a method with KEEL_SPARSE or KEEL_SPARSE_FORCES where keel_native_sparse is not 0:
 * matrices of this order with these blocks, `real` + `complex` of them, numbered so.  One for each method;
 * NULL: that was too many. */
KEEL_API keel_system *keel_system_layout(keel_work *w, int order, const keel_system_block *blocks, int count,
                                         int real, int complex);
/* Matrix k of these values, one for each block.  KEEL_RETRY: it is singular. */
KEEL_API keel_status keel_system_factor(keel_work *w, keel_system *m, int k, const keel_system_value *values);
KEEL_API int keel_system_stands(const keel_system *m, int k); /* are there factors? */
/* b := A^-1 b, with an imaginary part if matrix k is complex. */
KEEL_API void keel_system_solve(const keel_work *w, const keel_system *m, int k, double *b,
                                double *imaginary);

#ifdef __cplusplus
}
#endif
#endif
