/* rational.c - see rational.h. */
#include "structure/rational.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMB = 32, BITS = LIMB * RATIONAL_LIMBS };
/* One number of so many is next to a plain fraction by chance. */
#define CHANCE 500.0

static void trim(struct natural *a) {
    while (a->count > 0 && a->limb[a->count - 1] == 0) a->count--;
}

static struct natural natural_of(uint64_t value) {
    struct natural a = {2, {(uint32_t)value, (uint32_t)(value >> LIMB)}};
    trim(&a);
    return a;
}

static uint64_t low(const struct natural *a) {
    return (a->count > 0 ? a->limb[0] : 0) | (uint64_t)(a->count > 1 ? a->limb[1] : 0) << LIMB;
}

static int compare(const struct natural *a, const struct natural *b) {
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* a += b; 1: too long. */
static int add(struct natural *a, const struct natural *b) {
    int count = a->count > b->count ? a->count : b->count;
    uint64_t carry = 0;
    for (int i = 0; i < count || carry; i++) {
        if (i == RATIONAL_LIMBS) return 1;
        carry += (uint64_t)(i < a->count ? a->limb[i] : 0) + (i < b->count ? b->limb[i] : 0);
        a->limb[i] = (uint32_t)carry;
        carry >>= LIMB;
        if (i >= a->count) a->count = i + 1;
    }
    return 0;
}

/* a -= b, a >= b. */
static void subtract(struct natural *a, const struct natural *b) {
    int64_t borrow = 0;
    for (int i = 0; i < a->count; i++) {
        borrow += (int64_t)a->limb[i] - (i < b->count ? b->limb[i] : 0);
        a->limb[i] = (uint32_t)borrow;
        borrow >>= LIMB;
    }
    trim(a);
}

static int multiply(const struct natural *a, const struct natural *b, struct natural *out) {
    *out = (struct natural){0};
    if (a->count == 0 || b->count == 0) return 0;
    if (a->count + b->count > RATIONAL_LIMBS) return 1;
    for (int i = 0; i < a->count; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < b->count; j++) {
            carry += (uint64_t)a->limb[i] * b->limb[j] + out->limb[i + j];
            out->limb[i + j] = (uint32_t)carry;
            carry >>= LIMB;
        }
        out->limb[i + b->count] = (uint32_t)carry;
    }
    out->count = a->count + b->count;
    trim(out);
    return 0;
}

static int length(const struct natural *a) { /* in bits */
    int bits = LIMB * a->count;
    if (a->count == 0) return 0;
    for (uint32_t top = a->limb[a->count - 1]; !(top >> (LIMB - 1)); top <<= 1) bits--;
    return bits;
}

/* a * 2^by; 1: too long. */
static int shift_up(struct natural *a, int by) {
    int limbs = by / LIMB, bits = by % LIMB;
    if (length(a) + by > BITS) return 1;
    if (a->count == 0) return 0;
    for (int i = a->count + limbs; i >= 0; i--) {
        uint64_t high = i - limbs >= 0 && i - limbs < a->count ? a->limb[i - limbs] : 0;
        uint64_t below = i - limbs - 1 >= 0 && i - limbs - 1 < a->count ? a->limb[i - limbs - 1] : 0;
        if (i < RATIONAL_LIMBS) a->limb[i] = (uint32_t)((high << LIMB | below) << bits >> LIMB);
    }
    a->count += limbs + 1 < RATIONAL_LIMBS - a->count ? limbs + 1 : RATIONAL_LIMBS - a->count;
    trim(a);
    return 0;
}

/* a / 2^by, downwards. */
static void shift_down(struct natural *a, int by) {
    int limbs = by / LIMB, bits = by % LIMB;
    for (int i = 0; i + limbs < a->count; i++) {
        uint64_t high = i + limbs + 1 < a->count ? a->limb[i + limbs + 1] : 0;
        a->limb[i] = (uint32_t)((high << LIMB | a->limb[i + limbs]) >> bits);
    }
    a->count = a->count > limbs ? a->count - limbs : 0;
    trim(a);
}

static int zeros(const struct natural *a) { /* at its end, in bits; a > 0 */
    int bits = 0;
    while (a->limb[bits / LIMB] == 0) bits += LIMB;
    for (uint32_t x = a->limb[bits / LIMB]; !(x & 1); x >>= 1) bits++;
    return bits;
}

/* a / b downwards, one bit after the other; b > 0. */
static struct natural divide(struct natural a, const struct natural *b) {
    struct natural quotient = {0}, part = *b;
    int steps = length(&a) - length(b);
    if (a.count <= 2 && b->count <= 2) return natural_of(low(&a) / low(b));
    if (steps < 0) return quotient;
    shift_up(&part, steps);
    quotient.count = steps / LIMB + 1;
    for (int k = steps; k >= 0; k--, shift_down(&part, 1)) {
        if (compare(&a, &part) < 0) continue;
        subtract(&a, &part);
        quotient.limb[k / LIMB] |= (uint32_t)1 << k % LIMB;
    }
    trim(&quotient);
    return quotient;
}

/* The greatest common divisor of a > 0 and b > 0, by halves and differences. */
static struct natural divisor(struct natural a, struct natural b) {
    int twos = zeros(&a), others = zeros(&b), common = twos < others ? twos : others;
    shift_down(&a, twos), shift_down(&b, others);
    while (a.count > 2 || b.count > 2) {
        int order = compare(&a, &b);
        struct natural *larger = order > 0 ? &a : &b;
        if (order == 0) break;
        subtract(larger, order > 0 ? &b : &a);
        shift_down(larger, zeros(larger));
    }
    if (a.count <= 2 && b.count <= 2) {
        uint64_t x = low(&a), y = low(&b);
        while (y) {
            uint64_t rest = x % y;
            x = y, y = rest;
        }
        a = natural_of(x);
    }
    shift_up(&a, common);
    return a;
}

static struct rational lost(void) {
    return (struct rational){.lost = 1};
}

/* In lowest terms. */
static struct rational fraction(int sign, const struct natural *top, const struct natural *bottom) {
    struct rational out = {.sign = sign, .top = *top, .bottom = *bottom};
    if (top->count == 0) return rational_integer(0);
    struct natural common = divisor(*top, *bottom);
    if (common.count == 1 && common.limb[0] == 1) return out;
    out.top = divide(*top, &common);
    out.bottom = divide(*bottom, &common);
    return out;
}

struct rational rational_integer(int64_t value) {
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    return (struct rational){(value > 0) - (value < 0), 0, natural_of(size), natural_of(1)};
}

struct rational rational_negative(const struct rational *a) {
    struct rational out = *a;
    out.sign = -a->sign;
    return out;
}

/* top and bottom: from a/b + c/d = (a d + c b)/(b d). */
struct rational rational_sum(const struct rational *a, const struct rational *b) {
    struct natural left, right, bottom;
    if (a->lost || b->lost) return lost();
    if (a->sign == 0 || b->sign == 0) return a->sign == 0 ? *b : *a;
    if (multiply(&a->top, &b->bottom, &left) || multiply(&b->top, &a->bottom, &right) ||
        multiply(&a->bottom, &b->bottom, &bottom))
        return lost();
    if (a->sign == b->sign) return add(&left, &right) ? lost() : fraction(a->sign, &left, &bottom);
    int order = compare(&left, &right);
    subtract(order >= 0 ? &left : &right, order >= 0 ? &right : &left);
    return fraction(order >= 0 ? a->sign : b->sign, order >= 0 ? &left : &right, &bottom);
}

static struct rational ratio(int sign, const struct natural *a, const struct natural *b,
                             const struct natural *over, const struct natural *and) {
    struct natural top, bottom;
    if (sign == 0) return rational_integer(0);
    return multiply(a, b, &top) || multiply(over, and, &bottom) ? lost() : fraction(sign, &top, &bottom);
}

struct rational rational_product(const struct rational *a, const struct rational *b) {
    if (a->lost || b->lost) return lost();
    return ratio(a->sign * b->sign, &a->top, &b->top, &a->bottom, &b->bottom);
}

struct rational rational_quotient(const struct rational *a, const struct rational *b) {
    if (a->lost || b->lost || b->sign == 0) return lost();
    return ratio(a->sign * b->sign, &a->top, &b->bottom, &a->bottom, &b->top);
}

/* A decimal of so few digits that few numbers are within `error` of one; 0: x is none. */
static int decimal(double x, double error, struct rational *out) {
    enum { MOST = 12, EXPONENT = 40, ROOM = 40 };
    char text[ROOM];
    int digits = (int)fmin(MOST, -log10(error * CHANCE)), exponent;
    int64_t whole = 0;
    if (digits < 1) return 0;
    snprintf(text, sizeof text, "%.*e", digits - 1, fabs(x));
    if (!(fabs(strtod(text, NULL) - fabs(x)) <= error * fabs(x))) return 0;
    char *end = strchr(text, 'e');
    for (const char *c = text; c < end; c++)
        if (*c >= '0' && *c <= '9') whole = 10 * whole + (*c - '0');
    exponent = (int)strtol(end + 1, NULL, 10) - digits + 1;
    if (abs(exponent) > EXPONENT) return 0;
    struct rational ten = rational_integer(10);
    *out = rational_integer(x < 0 ? -whole : whole);
    for (int k = 0; k < abs(exponent); k++)
        *out = exponent > 0 ? rational_product(out, &ten) : rational_quotient(out, &ten);
    return 1;
}

/* The convergents p/q of the continued fraction of x, as long as p q is small enough; 0: none is x. */
static int quotient_of_integers(double x, double error, struct rational *out) {
    double size = fabs(x), rest = size, p[2] = {1, 0}, q[2] = {0, 1};
    if (!(size < 1e9 && size > 1e-9)) return 0;
    for (;;) {
        double whole = floor(rest), top = whole * p[0] + p[1], bottom = whole * q[0] + q[1];
        if (top * bottom * error * CHANCE > 1) return 0;
        p[1] = p[0], q[1] = q[0], p[0] = top, q[0] = bottom;
        if (top > 0 && fabs(size - top / bottom) <= error * size) break;
        if (rest == whole) return 0;
        rest = 1 / (rest - whole);
    }
    struct rational over = rational_integer((int64_t)q[0]);
    *out = rational_integer((int64_t)(x < 0 ? -p[0] : p[0]));
    *out = rational_quotient(out, &over);
    return 1;
}

int rational_plain(double x, double error, struct rational *out) {
    *out = rational_integer(0);
    if (x == 0) return 1;
    return isfinite(x) && (quotient_of_integers(x, error, out) || decimal(x, error, out));
}

struct rational rational_of(double x, double error) {
    struct rational out;
    int exponent;
    if (rational_plain(x, error, &out)) return out;
    if (!isfinite(x)) return lost();
    out = rational_integer((int64_t)ldexp(frexp(x, &exponent), DBL_MANT_DIG));
    exponent -= DBL_MANT_DIG;
    if (abs(exponent) >= BITS / 2) return lost();
    shift_up(exponent > 0 ? &out.top : &out.bottom, abs(exponent));
    return fraction(out.sign, &out.top, &out.bottom);
}

/* The first bits of a, and how many were dropped. */
static int leading(struct natural *a) {
    enum { KEPT = 96 };
    int dropped = length(a) > KEPT ? length(a) - KEPT : 0;
    shift_down(a, dropped);
    return dropped;
}

double rational_value(const struct rational *a) {
    enum { DIGITS = 62 };
    struct natural top = a->top, bottom = a->bottom;
    if (a->lost) return NAN;
    if (a->sign == 0) return 0;
    int exponent = leading(&top) - leading(&bottom), up = DIGITS - (length(&top) - length(&bottom));
    shift_up(up > 0 ? &top : &bottom, abs(up));
    struct natural quotient = divide(top, &bottom);
    return a->sign * ldexp((double)low(&quotient), exponent - up);
}

uint32_t rational_residue(const struct natural *a, uint32_t modulus) {
    uint64_t rest = 0;
    for (int i = a->count - 1; i >= 0; i--) rest = (rest << LIMB | a->limb[i]) % modulus;
    return (uint32_t)rest;
}
