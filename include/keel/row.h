/* row.h - the words of the certificate: what a row is, how it is treated, whether it is conserved. */
#ifndef KEEL_ROW_H
#define KEEL_ROW_H

typedef enum keel_row_kind {
    KEEL_ROW_CONSTRAINT, /* 0 = g(t,q) */
    KEEL_ROW_VELOCITY,   /* 0 = d/dt g */
    KEEL_ROW_ROLLING,    /* 0 = A(t,q) v + b(t,q) */
    KEEL_ROW_ALGEBRAIC,  /* 0 = F(t,x,y) */
    KEEL_ROW_HIDDEN,     /* 0 = h(t,x) */
    KEEL_ROW_ENERGY,
    KEEL_ROW_INVARIANT
} keel_row_kind;

typedef enum keel_row_treatment {
    KEEL_ROW_WATCHED,
    KEEL_ROW_KEPT,      /* by the stabilizer */
    KEEL_ROW_NATIVE,    /* by the stepper or by the elimination of y */
    KEEL_ROW_REDUNDANT, /* follows from other rows, and holds with them */
    KEEL_ROW_VARYING,   /* the energy of a problem whose H depends on t: shown, not conserved */
    KEEL_ROW_DAMPED     /* pulled back by a term in the right-hand side: as small as the errors of steps */
} keel_row_treatment;

typedef enum keel_verdict {
    KEEL_UNVERIFIED,
    KEEL_STRONG, /* conserved wherever the constraints hold */
    KEEL_WEAK    /* only where the other invariants have their values, too */
} keel_verdict;

#endif
