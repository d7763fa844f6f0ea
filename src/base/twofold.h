/* twofold.h - numbers of twice the precision of double, high + low with |low| <= ulp(high) / 2, and the same
 * bits on every machine: what long double is differs from one to the next.
 *
 * Knuth's sum and Dekker's product of two doubles are exact (Numer. Math. 18 (1971) 224), as long as nothing
 * overflows: up to 1e300.  They need -ffp-contract=off. */
#ifndef KEEL_BASE_TWOFOLD_H
#define KEEL_BASE_TWOFOLD_H

struct twofold {
    double high, low;
};

/* a + b, exactly. */
static inline struct twofold twofold_sum(double a, double b) {
    double sum = a + b, part = sum - a;
    return (struct twofold){sum, (a - (sum - part)) + (b - part)};
}

/* The upper half of the digits of a (Veltkamp). */
static inline double twofold_half(double a) {
    double wide = 134217729 * a; /* 2^27 + 1 */
    return wide - (wide - a);
}

/* a b, exactly. */
static inline struct twofold twofold_product(double a, double b) {
    double p = a * b, ah = twofold_half(a), bh = twofold_half(b), al = a - ah, bl = b - bh;
    return (struct twofold){p, al * bl - (((p - ah * bh) - al * bh) - ah * bl)};
}

static inline struct twofold twofold_of(double a) {
    return (struct twofold){a, 0};
}

static inline struct twofold twofold_add(struct twofold a, struct twofold b) {
    struct twofold s = twofold_sum(a.high, b.high), t = twofold_sum(a.low, b.low);
    s = twofold_sum(s.high, s.low + t.high);
    return twofold_sum(s.high, s.low + t.low);
}

static inline struct twofold twofold_minus(struct twofold a) {
    return (struct twofold){-a.high, -a.low};
}

static inline struct twofold twofold_subtract(struct twofold a, struct twofold b) {
    return twofold_add(a, twofold_minus(b));
}

static inline struct twofold twofold_multiply(struct twofold a, struct twofold b) {
    struct twofold p = twofold_product(a.high, b.high);
    return twofold_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

/* Long division, three digits of 53 bits. */
static inline struct twofold twofold_divide(struct twofold a, struct twofold b) {
    double first = a.high / b.high;
    struct twofold rest = twofold_subtract(a, twofold_multiply(twofold_of(first), b));
    double second = rest.high / b.high;
    rest = twofold_subtract(rest, twofold_multiply(twofold_of(second), b));
    struct twofold q = twofold_sum(first, second);
    return twofold_sum(q.high, q.low + rest.high / b.high);
}
#endif
