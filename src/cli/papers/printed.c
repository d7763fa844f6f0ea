/* printed.c - see printed.h. */
#include "cli/papers/printed.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A plain number from text to end and nothing else: of "1..3" strtod would take "1.". */
static int number(const char *text, const char *end, double *value) {
    char one[40], *stop;
    size_t length = (size_t)(end - text);
    if (length == 0 || length >= sizeof one || strspn(text, "0123456789.+-eE") < length) return -1;
    memcpy(one, text, length);
    one[length] = '\0';
    *value = strtod(one, &stop);
    return *stop ? -1 : 0;
}

/* "8.3E-5": 1e-6; "2": 1. */
static double last_digit(const char *text) {
    size_t mantissa = strcspn(text, "eE");
    const char *point = memchr(text, '.', mantissa);
    int digits = point ? (int)(text + mantissa - point) - 1 : 0;
    int exponent = text[mantissa] ? atoi(text + mantissa + 1) : 0;
    return pow(10, exponent - digits);
}

int printed_read(struct printed *f, const char *text) {
    const char *end = text + strlen(text), *dots = strstr(text, "..");
    *f = (struct printed){.kind = PRINTED_BOUNDS, .least = 0, .greatest = INFINITY};
    if (strcmp(text, "O(1)") == 0) {
        *f = (struct printed){.kind = PRINTED_ABOUT, .value = 1};
        return 0;
    }
    if (*text == '<') return number(text + 1, end, &f->greatest);
    if (*text == '>') return number(text + 1, end, &f->least);
    if (dots) return number(text, dots, &f->least) || number(dots + 2, end, &f->greatest) ? -1 : 0;
    f->kind = *text == '~' ? PRINTED_ABOUT : PRINTED_DIGITS;
    if (number(text + (*text == '~'), end, &f->value)) return -1;
    if (f->value == 0) f->kind = PRINTED_ZERO;
    f->last = last_digit(text + (*text == '~'));
    return 0;
}

/* Within half a decade. */
static int same_order(double value, double other) {
    return value > 0 && other > 0 && fabs(log10(value / other)) <= 0.5;
}

enum printed_fit printed_compare(const struct printed *f, double value, double size, long steps) {
    double got = fabs(value), wanted = fabs(f->value), bits = DBL_EPSILON * size, noise = 64 * bits;
    if (isnan(value)) return PRINTED_DIFFERS;
    if (f->kind == PRINTED_ZERO) /* rounding errors of the steps walk at random */
        return got <= noise + 4 * bits * sqrt((double)steps) ? PRINTED_AGREES : PRINTED_DIFFERS;
    if (f->kind == PRINTED_BOUNDS) {
        if (got >= f->least && got <= f->greatest) return PRINTED_HOLDS;
        wanted = got < f->least ? f->least : f->greatest;
    }
    if (f->kind == PRINTED_DIGITS && fabs(got - wanted) <= 0.5 * f->last * (1 + 1e-9)) return PRINTED_AGREES;
    if (f->kind == PRINTED_ABOUT && same_order(got, wanted)) return PRINTED_SAME_ORDER;
    if (got <= noise && wanted <= noise) return PRINTED_ROUND_OFF;
    return same_order(got, wanted) ? PRINTED_SAME_ORDER : PRINTED_DIFFERS;
}
