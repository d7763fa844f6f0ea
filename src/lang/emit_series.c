/* emit_series.c - recurrences as C: one line each, in loops over the orders that all models share. */
#include "lang/series.h"

#include <stdarg.h>
#include <stdio.h>

enum { LONGEST_PART = 250 };

static void put(struct emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct emit *e, const char *format, ...) {
    char line[300];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof line) e->failed = 1;
    else emit_text(e, line);
}

/* w: jets; f: numbers that do not move; N: the stride; k: the order. */
static void put_line(struct emit *e, const struct series_code *c) {
    unsigned r = c->to, a = c->a, b = c->b;
    switch (c->rule) {
    case SERIES_ZERO:
        put(e, "R(%u) = 0;\n", r);
        break;
    case SERIES_COPY:
        put(e, "R(%u) = R(%u);\n", r, a);
        break;
    case SERIES_NEGATE:
        put(e, "R(%u) = -R(%u);\n", r, a);
        break;
    case SERIES_ADD:
        put(e, "R(%u) = R(%u) + R(%u);\n", r, a, b);
        break;
    case SERIES_SUB:
        put(e, "R(%u) = R(%u) - R(%u);\n", r, a, b);
        break;
    case SERIES_SCALE:
        put(e, "R(%u) = R(%u) * f[%u];\n", r, a, b);
        break;
    case SERIES_SHRINK:
        put(e, "R(%u) = R(%u) / f[%u];\n", r, a, b);
        break;
    case SERIES_MUL:
        put(e, "R(%u) = keel_fold(J(%u), J(%u) + k, k + 1);\n", r, a, b);
        break;
    case SERIES_SQUARE:
        put(e, "R(%u) = keel_square(J(%u), k);\n", r, a);
        break;
    case SERIES_DIV:
        put(e, "R(%u) = keel_over(R(%u), J(%u), J(%u), k);\n", r, a, r, b);
        break;
    case SERIES_INVERT:
        put(e, "R(%u) = keel_over(0, J(%u), J(%u), k);\n", r, r, b);
        break;
    case SERIES_SQRT:
        put(e, "R(%u) = keel_root(J(%u), J(%u), k);\n", r, a, r);
        break;
    case SERIES_POWER:
        put(e, "R(%u) = keel_power(J(%u), J(%u), f[%u], k);\n", r, a, r, b);
        break;
    case SERIES_CHAIN:
        put(e, "R(%u) = keel_slope(J(%u), J(%u), k);\n", r, a, b);
        break;
    case SERIES_CHAIN_ON:
        put(e, "R(%u) += keel_slope(J(%u), J(%u), k);\n", r, a, b);
        break;
    case SERIES_CHAIN_BY:
        put(e, "R(%u) += R(%u) * f[%u];\n", r, a, b);
        break;
    case SERIES_ABS:
        put(e, "R(%u) = J(%u)[0] < 0 ? -R(%u) : R(%u);\n", r, a, a, a);
        break;
    case SERIES_MIN:
        put(e, "R(%u) = J(%u)[0] < J(%u)[0] ? R(%u) : R(%u);\n", r, a, b, a, b);
        break;
    case SERIES_MAX:
        put(e, "R(%u) = J(%u)[0] > J(%u)[0] ? R(%u) : R(%u);\n", r, a, b, a, b);
        break;
    case SERIES_MOD:
        put(e, "R(%u) = keel_remainder(J(%u), J(%u), J(%u), k);\n", r, a, b, r);
        break;
    default:
        put(e, "R(%u) = J(%u)[0] != 0 ? R(%u) : R(%u);\n", r, a, b, c->c);
    }
}

static const char arguments[] = "(double *w, const double *f, int N, int k, void *with) {\n";

/* One order of codes from .. end, in functions of bounded length. */
static void put_orders(struct emit *e, const char *name, const char *what, const struct series *s,
                       size_t from, size_t end) {
    unsigned parts = 0;
    for (size_t i = from; i < end; i += LONGEST_PART) {
        size_t stop = end - i < LONGEST_PART ? end : i + LONGEST_PART;
        put(e, "static __attribute__((noinline)) void %s_%s_%u%s", what, name, parts++, arguments);
        for (size_t k = i; k < stop; k++) put_line(e, &s->code[k]);
        put(e, "(void)f, (void)with;\n}\n");
    }
    put(e, "static void %s_%s%s", what, name, arguments);
    for (unsigned i = 0; i < parts; i++) put(e, "%s_%s_%u(w, f, N, k, with);\n", what, name, i);
    put(e, "(void)w, (void)f, (void)N, (void)k, (void)with;\n}\n");
}

static void put_places(struct emit *e, const char *name, const char *what, int count, const int *place) {
    put(e, "static const int %s_%s[] = {", what, name);
    for (int i = 0; i < count; i++) put(e, "%d,", place[i]);
    put(e, "0};\n");
}

int emit_series(struct emit *e, const char *name, const struct series *s) {
    char part[60];
    int local = e->local;
    if (!e->series++) {
        put(e, "#define R(i) w[(long)(i) * N + k]\n#define J(i) (w + (long)(i) * N)\n");
        for (int i = 0; series_source[i]; i++) {
            emit_text(e, series_source[i]);
            put(e, "\n");
        }
    }
    e->local = 1;
    snprintf(part, sizeof part, "%s_zero", name);
    emit_function(e, part, &s->zero);
    snprintf(part, sizeof part, "%s_tops", name);
    if (s->m) emit_function(e, part, &s->solve);
    e->local = local;
    put_orders(e, name, "early", s, 0, s->early);
    put_orders(e, name, "late", s, s->early, s->count);
    put_orders(e, name, "again", s, s->count, s->count + s->again);
    put_places(e, name, "rate", s->n, s->rate);
    put_places(e, name, "row", s->m, s->row);
    put(e, "static const struct keel_recurrence recurrence_%s = {%d, %d, %d, %d, %u, %u, rate_%s, row_%s,\n",
        name, s->n, s->m, s->given, s->linear, (unsigned)s->jets, (unsigned)s->fixed, name, name);
    put(e, "model_%s_zero, ", name);
    put(e, s->m ? "model_%s_tops, " : "0, ", name);
    put(e, "early_%s, late_%s, again_%s};\n", name, name, name);
    put(e, "%sint series_%s(double t, const double *u, int orders, double *out, double *work,\n",
        local ? "static " : "", name);
    put(e, "    void *user) {\nreturn keel_recur(&recurrence_%s, t, u, orders, out, work, user);\n}\n", name);
    return e->failed ? -1 : 0;
}
