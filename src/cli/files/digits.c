/* digits.c - see digits.h.
 *
 * value = m 2^e with 2^63 <= m < 2^64.  With 10^k = p 2^x, 2^127 <= p < 2^128, and k such that
 * 10^16 <= value 10^k < 10^17, the digits are the integer next to m p 2^(e+x).  p is cut off, so the product
 * is at most two units of its 128th bit too small: only if one half lies within them the C library
 * decides. */
#include "cli/files/digits.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum { DIGITS = 17, LOWEST = -293, HIGHEST = 341, WORDS = 4 };

struct power {
    uint64_t high, low;
    int two; /* 10^k = (high 2^64 + low) 2^two */
};

static struct power powers[HIGHEST - LOWEST + 1];
static char pairs[200];

/* A number of 256 bits, the highest set, times 2^two; lowest word first. */
struct long_number {
    uint64_t word[WORDS];
    int two;
};

static void keep(const struct long_number *n, int k) {
    powers[k - LOWEST] = (struct power){n->word[3], n->word[2], n->two + 128};
}

static void shift_left(struct long_number *n) {
    while (!(n->word[3] >> 63)) {
        for (int i = WORDS - 1; i > 0; i--) n->word[i] = n->word[i] << 1 | n->word[i - 1] >> 63;
        n->word[0] <<= 1;
        n->two--;
    }
}

static void times_ten(struct long_number *n) {
    wide carry = 0;
    for (int i = 0; i < WORDS; i++) {
        carry += (wide)n->word[i] * 10;
        n->word[i] = (uint64_t)carry;
        carry >>= 64;
    }
    for (; carry; carry >>= 1, n->two++) {
        for (int i = 0; i < WORDS - 1; i++) n->word[i] = n->word[i] >> 1 | n->word[i + 1] << 63;
        n->word[3] = n->word[3] >> 1 | (uint64_t)(carry & 1) << 63;
    }
}

static void by_ten(struct long_number *n) {
    wide rest = 0;
    for (int i = WORDS - 1; i >= 0; i--) {
        rest = rest << 64 | n->word[i];
        n->word[i] = (uint64_t)(rest / 10);
        rest %= 10;
    }
    shift_left(n);
}

/* 256 bits lose less than one unit each time: after 341 times the first 128 are right, or one too low. */
static void make_tables(void) {
    const struct long_number one = {{0, 0, 0, (uint64_t)1 << 63}, -255};
    struct long_number n = one;
    keep(&n, 0);
    for (int k = 1; k <= HIGHEST; k++) times_ten(&n), keep(&n, k);
    n = one;
    for (int k = -1; k >= LOWEST; k--) by_ten(&n), keep(&n, k);
    for (int i = 0; i < 100; i++)
        pairs[2 * i] = (char)('0' + i / 10), pairs[2 * i + 1] = (char)('0' + i % 10);
}

/* The integer next to m 2^e 10^k; 0: it cannot be told. */
static uint64_t scaled(uint64_t m, int e, int k) {
    const struct power *p = &powers[k - LOWEST];
    wide product = (wide)m * p->high + ((wide)m * p->low >> 64); /* of m p, without the last 64 bits */
    int cut = -(e + p->two + 64);                                /* bits behind the point: 70 .. 75 */
    wide half = (wide)1 << (cut - 1), rest = product & (((wide)1 << cut) - 1);
    if (rest <= half && half - rest <= 3) return 0;
    return (uint64_t)(product >> cut) + (rest > half);
}

/* All 17 digits, and the exponent of the first; 0: the C library is to be asked. */
static int find(double value, char *digit, int *ten) {
    const uint64_t top = 100000000000000000u;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t m = bits & 0xfffffffffffffu;
    int e = (int)(bits >> 52 & 0x7ff);
    if (e == 0) return 0; /* too small to be worth it */
    m = (m | (uint64_t)1 << 52) << 11;
    e -= 1075 + 11;
    int first = (int)(((int64_t)(e + 63) * 1292913986) >> 32); /* log10 2: floor, or one less than wanted */
    uint64_t n = scaled(m, e, DIGITS - 1 - first);
    if (n >= top) n = scaled(m, e, DIGITS - 1 - ++first);
    if (n < top / 10 || n >= top) return 0;
    for (int i = DIGITS - 2; i > 0; i -= 2, n /= 100) memcpy(digit + i, pairs + 2 * (n % 100), 2);
    digit[0] = (char)('0' + n);
    *ten = first;
    return 1;
}

/* e-05, e+100 */
static char *put_exponent(char *at, int ten) {
    int size = ten < 0 ? -ten : ten;
    *at++ = 'e';
    *at++ = ten < 0 ? '-' : '+';
    if (size >= 100) *at++ = (char)('0' + size / 100);
    memcpy(at, pairs + 2 * (size % 100), 2);
    return at + 2;
}

static int put(char *out, const char *digit, int ten) {
    int count = DIGITS;
    char *at = out;
    while (count > 1 && digit[count - 1] == '0') count--;
    if (ten < -4 || ten >= DIGITS) {
        *at++ = digit[0];
        if (count > 1) *at++ = '.';
        memcpy(at, digit + 1, (size_t)count - 1);
        at += count - 1;
        return (int)(put_exponent(at, ten) - out);
    }
    if (ten < 0) {
        static const char zeros[] = {'0', '.', '0', '0', '0', '0'};
        memcpy(at, zeros, sizeof zeros);
        memcpy(at + 1 - ten, digit, (size_t)count);
        return 1 - ten + count;
    }
    int whole = ten + 1;
    memcpy(at, digit, DIGITS); /* zeros behind the last digit are there */
    if (count <= whole) return whole;
    at[whole] = '.';
    memcpy(at + whole + 1, digit + whole, (size_t)(count - whole));
    return count + 1;
}

int digits_write(double value, char *out) {
    char digit[DIGITS];
    int ten = 0, sign = signbit(value) != 0;
    if (value == 0) return memcpy(out, sign ? "-0" : "0", (size_t)(1 + sign)), 1 + sign;
    if (!pairs[0]) make_tables();
    if (!isfinite(value) || !find(value, digit, &ten)) return snprintf(out, DIGITS_ROOM, "%.17g", value);
    if (sign) *out++ = '-';
    return put(out, digit, ten) + sign;
}
