/* unit.c - see unit.h. */
#include "lang/unit.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* Powers of m, kg, s, A, K, mol, cd. */
static const struct known {
    const char *name;
    double factor;
    signed char power[SYNTAX_BASES];
} known[] = {
    {"m", 1, {1}},
    {"kg", 1, {0, 1}},
    {"g", 1e-3, {0, 1}},
    {"s", 1, {0, 0, 1}},
    {"A", 1, {0, 0, 0, 1}},
    {"K", 1, {0, 0, 0, 0, 1}},
    {"mol", 1, {0, 0, 0, 0, 0, 1}},
    {"cd", 1, {0, 0, 0, 0, 0, 0, 1}},
    {"rad", 1, {0}},
    {"N", 1, {1, 1, -2}},
    {"J", 1, {2, 1, -2}},
    {"W", 1, {2, 1, -3}},
    {"Pa", 1, {-1, 1, -2}},
    {"V", 1, {2, 1, -3, -1}},
    {"Ohm", 1, {2, 1, -3, -2}},
    {"S", 1, {-2, -1, 3, 2}},
    {"C", 1, {0, 0, 1, 1}},
    {"F", 1, {-2, -1, 4, 2}},
    {"H", 1, {2, 1, -2, -2}},
    {"Wb", 1, {2, 1, -2, -1}},
    {"T", 1, {0, 1, -2, -1}},
    {"Hz", 1, {0, 0, -1}},
    {"deg", PI / 180, {0}},
    {"rpm", 2 * PI / 60, {0, 0, -1}},
    {"min", 60, {0, 0, 1}},
    {"h", 3600, {0, 0, 1}},
    {"d", 86400, {0, 0, 1}},
    {"l", 1e-3, {3}},
    {"L", 1e-3, {3}},
    {"bar", 1e5, {-1, 1, -2}},
    {"eV", 1.602176634e-19, {2, 1, -2}},
};
enum {
    KNOWN = sizeof known / sizeof known[0],
    DERIVED = 9,
    DERIVED_END = 21 /* those with names of their own */
};

static const struct {
    char letter;
    double factor;
} prefix[] = {{'f', 1e-15}, {'p', 1e-12}, {'n', 1e-9}, {'u', 1e-6}, {'m', 1e-3}, {'c', 1e-2},
              {'d', 1e-1},  {'h', 1e2},   {'k', 1e3},  {'M', 1e6},  {'G', 1e9},  {'T', 1e12}};

static const struct known *find(const char *name) {
    for (int i = 0; i < KNOWN; i++)
        if (strcmp(known[i].name, name) == 0) return &known[i];
    return NULL;
}

static int named(const char *name, struct syntax_unit *out) {
    const struct known *one = find(name);
    double factor = 1;
    for (size_t i = 0; i < sizeof prefix / sizeof prefix[0] && !one && name[0]; i++)
        if (prefix[i].letter == name[0] && strcmp(name + 1, "kg") != 0) {
            one = find(name + 1);
            factor = prefix[i].factor;
        }
    if (!one) return 0;
    out->factor = factor * one->factor;
    for (int i = 0; i < SYNTAX_BASES; i++) out->power[i] = SYNTAX_WHOLE * one->power[i];
    return 1;
}

static const char *nearest(const char *name) {
    const char *best = NULL;
    int least = 2;
    for (int i = 0; i < KNOWN; i++) {
        int distance = text_distance(name, known[i].name);
        if (distance < least && strlen(name) > 1) least = distance, best = known[i].name;
    }
    return best;
}

/* A power: a whole number or a simple fraction, in sixtieths. */
static int exponent(const struct syntax_node *node, int *out) {
    int sign = 1, top, bottom = 1;
    if (node->kind == SYNTAX_UNARY && node->op == SYNTAX_NEG) sign = -1, node = node->parts;
    if (node->kind == SYNTAX_BINARY && node->op == SYNTAX_DIV && node->parts->kind == SYNTAX_NUMBER) {
        const struct syntax_node *under = node->parts->next;
        if (under->kind != SYNTAX_NUMBER || under->value < 1 || under->value > 5) return 0;
        bottom = (int)under->value;
        node = node->parts;
    }
    if (node->kind != SYNTAX_NUMBER || node->value != floor(node->value) || node->value > 12) return 0;
    top = (int)node->value;
    if (SYNTAX_WHOLE % bottom) return 0;
    *out = sign * top * (SYNTAX_WHOLE / bottom);
    return 1;
}

static int raise(struct syntax_unit *u, int power) {
    u->factor = pow(u->factor, (double)power / SYNTAX_WHOLE);
    for (int i = 0; i < SYNTAX_BASES; i++) {
        long product = (long)u->power[i] * power;
        if (product % SYNTAX_WHOLE) return 0;
        u->power[i] = (int)(product / SYNTAX_WHOLE);
    }
    return 1;
}

static int read_name(const struct syntax_node *node, struct syntax_unit *out, char *why, size_t capacity) {
    if (!node->primes && !node->parts && !node->moment && named(node->text, out)) return 1;
    const char *near = nearest(node->text);
    text_set(why, capacity,
             near ? "there is no unit `%.40s`; did you mean `%s`?" : "there is no unit `%.40s`.", node->text,
             near);
    return 0;
}

int unit_read(const struct syntax_node *node, struct syntax_unit *out, const struct syntax_node **at,
              char *why, size_t capacity) {
    struct syntax_unit other;
    int power = 0;
    *at = node;
    *out = (struct syntax_unit){.factor = 1};
    if (node->kind == SYNTAX_NUMBER && node->value == 1) return 1;
    if (node->kind == SYNTAX_REF) return read_name(node, out, why, capacity);
    if (node->kind == SYNTAX_BINARY && node->op == SYNTAX_POW) {
        if (!unit_read(node->parts, out, at, why, capacity)) return 0;
        *at = node->parts->next;
        if (exponent(node->parts->next, &power) && raise(out, power)) return 1;
        return text_no(why, capacity, "a power of a unit is a whole number or a fraction like 1/2.");
    }
    if (node->kind == SYNTAX_BINARY && (node->op == SYNTAX_MUL || node->op == SYNTAX_DIV)) {
        if (!unit_read(node->parts, out, at, why, capacity)) return 0;
        if (!unit_read(node->parts->next, &other, at, why, capacity)) return 0;
        int sign = node->op == SYNTAX_MUL ? 1 : -1;
        out->factor = sign > 0 ? out->factor * other.factor : out->factor / other.factor;
        for (int i = 0; i < SYNTAX_BASES; i++) out->power[i] += sign * other.power[i];
        return 1;
    }
    return text_no(why, capacity, "a unit is made of names, *, / and ^, as kg*m/s^2.");
}

static void put_power(char *out, size_t capacity, int power) {
    int divisor = SYNTAX_WHOLE;
    while (divisor > 1 && (power % divisor || SYNTAX_WHOLE % divisor)) divisor--;
    int top = power / divisor, bottom = SYNTAX_WHOLE / divisor;
    if (bottom == 1 && top != 1) text_add(out, capacity, "^%d", top);
    else if (bottom > 1) text_add(out, capacity, "^(%d/%d)", top, bottom);
}

void unit_print(const int power[SYNTAX_BASES], char *out, size_t capacity) {
    static const char *const base[SYNTAX_BASES] = {"m", "kg", "s", "A", "K", "mol", "cd"};
    static const int order[SYNTAX_BASES] = {1, 0, 2, 3, 4, 5, 6};
    text_set(out, capacity, "%s", "");
    for (int k = DERIVED; k < DERIVED_END; k++) {
        int same = 1;
        for (int i = 0; i < SYNTAX_BASES; i++) same &= power[i] == SYNTAX_WHOLE * known[k].power[i];
        if (!same) continue;
        text_set(out, capacity, "%s", known[k].name);
        return;
    }
    for (int k = 0; k < SYNTAX_BASES; k++) {
        int i = order[k];
        if (power[i] <= 0) continue;
        text_add(out, capacity, "%s%s", out[0] ? "*" : "", base[i]);
        put_power(out, capacity, power[i]);
    }
    if (!out[0]) text_set(out, capacity, "%s", "1");
    for (int k = 0; k < SYNTAX_BASES; k++) {
        int i = order[k];
        if (power[i] >= 0) continue;
        text_add(out, capacity, "/%s", base[i]);
        put_power(out, capacity, -power[i]);
    }
}
