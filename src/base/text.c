/* text.c - see text.h. */
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char text_no_memory[] = "there is not enough memory";

void text_vset(char *out, size_t capacity, const char *format, va_list args) {
    if (vsnprintf(out, capacity, format, args) < 0) out[0] = '\0';
}

void text_set(char *out, size_t capacity, const char *format, ...) {
    va_list args;
    va_start(args, format);
    text_vset(out, capacity, format, args);
    va_end(args);
}

void text_copy(char *out, size_t capacity, const char *text) {
    size_t length = 0;
    for (; length + 1 < capacity && text[length]; length++) out[length] = text[length];
    out[length] = '\0';
}

int text_no(char *out, size_t capacity, const char *format, ...) {
    va_list args;
    va_start(args, format);
    text_vset(out, capacity, format, args);
    va_end(args);
    return 0;
}

void text_add(char *out, size_t capacity, const char *format, ...) {
    size_t used = strlen(out);
    va_list args;
    va_start(args, format);
    text_vset(out + used, capacity - used, format, args);
    va_end(args);
}

void text_number(char *out, size_t capacity, const char *format, double value) {
    if (isnan(value)) text_set(out, capacity, "-");
    else text_set(out, capacity, format, value);
}

int text_character(const char *text, size_t capacity, uint32_t *point) {
    const unsigned char *c = (const unsigned char *)text;
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    int size = c[0] < 0x80                   ? 1
               : c[0] >= 0xC2 && c[0] < 0xE0 ? 2
               : (c[0] & 0xF0) == 0xE0       ? 3
               : (c[0] & 0xF8) == 0xF0       ? 4
                                             : 0;
    if (size == 0 || (size_t)size > capacity) return 0;
    uint32_t value = size == 1 ? c[0] : c[0] & (0x7Fu >> size);
    for (int i = 1; i < size; i++) {
        if ((c[i] & 0xC0) != 0x80) return 0;
        value = value << 6 | (c[i] & 0x3F);
    }
    if (value < least[size] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return 0;
    *point = value;
    return size;
}

int text_is_control(uint32_t point) {
    return point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0x200E || point == 0x200F ||
           (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
}

size_t text_shown(char *out, size_t capacity, const char *text) {
    size_t length = strlen(text), used = 0, written = 0;
    for (size_t i = 0; i < length;) {
        uint32_t point;
        char code[12];
        int size = text_character(text + i, length - i, &point), wide = size;
        if (size && !text_is_control(point)) memcpy(code, text + i, (size_t)size);
        else if (size && point == '\n') wide = snprintf(code, sizeof code, "\\n");
        else if (size && point == '\t') wide = snprintf(code, sizeof code, "\\t");
        else if (size && point > 0xFF) wide = snprintf(code, sizeof code, "\\u%04x", (unsigned)point);
        else wide = snprintf(code, sizeof code, "\\x%02x", size ? (unsigned)point : (unsigned char)text[i]);
        if (used == written && used + (size_t)wide < capacity) {
            memcpy(out + written, code, (size_t)wide);
            written += (size_t)wide;
        }
        used += (size_t)wide;
        i += size ? (size_t)size : 1;
    }
    if (capacity) out[written] = '\0';
    return used;
}

const char *text_next(const char *list, char *word, size_t capacity) {
    while (*list == ',' || *list == ' ' || *list == '\t') list++;
    if (*list == '\0') return NULL;
    size_t length = strcspn(list, ",");
    const char *rest = list + length;
    while (length > 0 && (list[length - 1] == ' ' || list[length - 1] == '\t')) length--;
    if (length >= capacity) length = capacity - 1;
    memcpy(word, list, length);
    word[length] = '\0';
    return rest;
}

int text_listed(const char *list, const char *word) {
    char entry[128];
    while ((list = text_next(list, entry, sizeof entry)))
        if (strcmp(entry, word) == 0) return 1;
    return 0;
}

int text_distance(const char *a, const char *b) {
    enum { LONGEST = 40 };
    int row[3][LONGEST + 1];
    int na = (int)strlen(a), nb = (int)strlen(b);
    if (na > LONGEST || nb > LONGEST) return LONGEST;
    for (int j = 0; j <= nb; j++) row[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            int replace = last[j - 1] + (a[i - 1] != b[j - 1]), insert = now[j - 1] + 1, drop = last[j] + 1;
            now[j] = replace < insert ? replace : insert;
            if (drop < now[j]) now[j] = drop;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < now[j])
                now[j] = before[j - 2] + 1;
        }
    }
    return row[na % 3][nb];
}

int text_slip(const char *given, const char *known) {
    size_t length = strlen(given);
    int distance = text_distance(given, known), allowed = length < 4 ? 1 : length < 7 ? 2 : 3;
    if (length > 1 && strncmp(given, known, length) == 0) return distance ? 1 : 0;
    return distance <= allowed && (size_t)distance < length ? distance : TEXT_FAR;
}

/* The value without its point, 0.25 as 25e-2: strtod then reads the same in every locale, and rounds
 * correctly. */
double text_decimal(const char *digits) {
    char plain[1100];
    size_t used = 0;
    long exponent = 0;
    const char *c = digits;
    for (int fraction = 0; *c && *c != 'e' && *c != 'E'; c++) {
        if (*c == '.') {
            fraction = 1;
            continue;
        }
        if (used < 1040) plain[used++] = *c;
        exponent -= fraction;
    }
    if (*c) {
        long written = strtol(c + 1, NULL, 10);
        exponent += written > 100000 ? 100000 : written < -100000 ? -100000 : written;
    }
    plain[used] = '\0';
    text_add(plain, sizeof plain, "e%ld", exponent);
    return strtod(plain, NULL);
}
