/* emit_series.c - recurrences as C: one line each, in loops over the orders that all models share. */
#include "lang/series.h"

#include <stdarg.h>
#include <stdio.h>

enum { LONGEST_PART = 250, SHORT = 30 }; /* codes in one function; so many are written into the loop */

static const char inlined[] = "inline __attribute__((always_inline))";
static const char outside[] = "__attribute__((noinline))";
#define TEXT(number) #number
#define TEXT_OF(number) TEXT(number)
static const char stride[] = TEXT_OF(SERIES_STRIDE);

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

static int is_short(const struct series *s) {
    return s->count + s->again < SHORT;
}

/* Sums are in s. */
static void put_sum(struct emit *e, const struct series_code *c, const char *far) {
    switch (c->rule) {
    case SERIES_OPEN:
        put(e, "{ double s = 0;\n");
        break;
    case SERIES_MORE:
        put(e, "s += keel_%sproduct(J(%u), J(%u), M(%u), k);\n", far, c->a, c->b, c->c);
        break;
    case SERIES_LESS:
        put(e, "s -= keel_%sproduct(J(%u), J(%u), M(%u), k);\n", far, c->a, c->b, c->c);
        break;
    case SERIES_MORE_SQUARE:
        put(e, "s += keel_%ssquare(J(%u), M(%u), k);\n", far, c->a, c->c);
        break;
    case SERIES_TERM:
        put(e, "s += R(%u);\n", c->a);
        break;
    case SERIES_TERM_LESS:
        put(e, "s -= R(%u);\n", c->a);
        break;
    case SERIES_TERM_BY:
        put(e, "s += R(%u) * f[%u];\n", c->a, c->b);
        break;
    case SERIES_TERM_LESS_BY:
        put(e, "s -= R(%u) * f[%u];\n", c->a, c->b);
        break;
    default:
        put(e, "R(%u) = s; }\n", c->to);
    }
}

static void put_kink(struct emit *e, const struct series_code *c) {
    unsigned r = c->to, a = c->a, b = c->b;
    switch (c->rule) {
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

/* w: jets; f: numbers that do not move; q: 1 / k and 1 / (k + 1); N: the stride; k: the order. */
static void put_line(struct emit *e, const struct series *s, const struct series_code *c) {
    unsigned r = c->to, a = c->a, b = c->b;
    const char *far = is_short(s) ? "" : "far_";
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
        put(e, "R(%u) = keel_%sproduct(J(%u), J(%u), M(%u), k);\n", r, far, a, b, c->c);
        break;
    case SERIES_SQUARE:
        put(e, "R(%u) = keel_%ssquare(J(%u), M(%u), k);\n", r, far, a, c->c);
        break;
    case SERIES_DIV:
        put(e, "R(%u) = keel_over(R(%u), J(%u), J(%u), M(%u), f[%u], k);\n", r, a, r, b, c->c, c->d);
        break;
    case SERIES_INVERT:
        put(e, "R(%u) = keel_over(0, J(%u), J(%u), M(%u), f[%u], k);\n", r, r, b, c->c, c->d);
        break;
    case SERIES_SQRT:
        put(e, "R(%u) = keel_root(J(%u), J(%u), M(%u), f[%u], k);\n", r, a, r, c->c, c->d);
        break;
    case SERIES_POWER:
        put(e, "R(%u) = keel_power(J(%u), J(%u), J(%u), M(%u), f[%u], f + %u, q, k);\n", r, a, c->e, r, c->c,
            b, c->d - 1);
        break;
    case SERIES_CHAIN:
        put(e, "R(%u) = keel_%sslope(J(%u), J(%u), J(%u), M(%u), q, k);\n", r, far, a, c->e, b, c->c);
        break;
    case SERIES_CHAIN_LESS:
        put(e, "R(%u) = -keel_%sslope(J(%u), J(%u), J(%u), M(%u), q, k);\n", r, far, a, c->e, b, c->c);
        break;
    case SERIES_CHAIN_ON:
        put(e, "R(%u) += keel_%sslope(J(%u), J(%u), J(%u), M(%u), q, k);\n", r, far, a, c->e, b, c->c);
        break;
    case SERIES_CHAIN_BY:
        put(e, "R(%u) += R(%u) * f[%u];\n", r, a, b);
        break;
    case SERIES_MIRROR:
        put(e, "*M(%u) = R(%u);\n", r, a);
        break;
    case SERIES_TIMES:
        put(e, "R(%u) = k * R(%u);\n", r, a);
        break;
    case SERIES_STEP:
        if (a < s->jets) put(e, "J(%u)[k + 1] = keel_share(R(%u), q + 2);\n", r, a);
        else put(e, "J(%u)[k + 1] = 0;\n", r);
        break;
    default:
        if (c->rule >= SERIES_OPEN) put_sum(e, c, far);
        else put_kink(e, c);
    }
}

static int is_slope(const struct series_code *c) {
    return c->rule == SERIES_CHAIN || c->rule == SERIES_CHAIN_LESS;
}

/* Two of a kind in one loop, neither made of the other. */
static int make_two(const struct series *s, const struct series_code *c, const struct series_code *d) {
    int separate = d->a != c->to && d->b != c->to;
    if (is_slope(c)) return is_slope(d) && d->a == c->a;
    if (c->rule == SERIES_MUL) return d->rule == SERIES_MUL && separate;
    if (c->rule == SERIES_MORE_SQUARE) return d->rule == SERIES_MORE_SQUARE && is_short(s);
    return (c->rule == SERIES_MORE || c->rule == SERIES_LESS) &&
           (d->rule == SERIES_MORE || d->rule == SERIES_LESS);
}

static void put_two(struct emit *e, const struct series *s, const struct series_code *c,
                    const struct series_code *d) {
    const char *far = is_short(s) ? "" : "far_";
    put(e, is_slope(c) || !is_short(s) ? "{ keel_pair r = " : "{ double r[2];\n");
    if (c->rule == SERIES_MORE_SQUARE)
        put(e, "keel_two_squares(J(%u), M(%u), J(%u), M(%u), k, r);\n", c->a, c->c, d->a, d->c);
    else if (is_slope(c))
        put(e, "keel_%sboth_slopes(R(%u), J(%u), *J(%u), M(%u), *J(%u), M(%u), q, k);\n", far, c->a, c->e,
            c->b, c->c, d->b, d->c);
    else
        put(e, "keel_%stwo_products(J(%u), J(%u), M(%u), J(%u), J(%u), M(%u), k%s);\n", far, c->a, c->b, c->c,
            d->a, d->b, d->c, is_short(s) ? ", r" : "");
    if (c->rule == SERIES_MUL || is_slope(c))
        put(e, "R(%u) = %sr[0]; R(%u) = %sr[1]; }\n", c->to, c->rule == SERIES_CHAIN_LESS ? "-" : "", d->to,
            d->rule == SERIES_CHAIN_LESS ? "-" : "");
    else
        put(e, "s %c= r[0]; s %c= r[1]; }\n", c->rule == SERIES_LESS ? '-' : '+',
            d->rule == SERIES_LESS ? '-' : '+');
}

static int is_copy(const struct series_code *c) {
    return c->rule == SERIES_MIRROR || c->rule == SERIES_TIMES;
}

/* Codes from .. stop. */
static void put_codes(struct emit *e, const struct series *s, size_t from, size_t stop) {
    for (size_t i = from; i < stop;) {
        size_t next = i + 1;
        while (next < stop && is_copy(&s->code[next])) next++;
        if (next < stop && make_two(s, &s->code[i], &s->code[next])) {
            put_two(e, s, &s->code[i], &s->code[next]);
            for (size_t k = i + 1; k < next; k++) put_line(e, s, &s->code[k]);
            i = next + 1;
        } else put_line(e, s, &s->code[i++]);
    }
}

static const char arguments[] = "(double *w, const double *f, const double *q, int N, int k, void *with) {\n";

/* Where a function that begins at `from` ends: not within a sum. */
static size_t part_end(const struct series *s, size_t from, size_t end) {
    size_t stop = end - from < LONGEST_PART ? end : from + LONGEST_PART;
    while (stop < end && s->code[stop - 1].rule >= SERIES_OPEN && s->code[stop - 1].rule < SERIES_PUT) stop++;
    return stop;
}

/* One order of codes from .. end, in functions of bounded length. */
static void put_orders(struct emit *e, const char *name, const char *what, const struct series *s,
                       size_t from, size_t end) {
    unsigned parts = 0;
    int twice = series_has_stride(s) && !is_short(s);
    for (size_t i = from; i < end; parts++) {
        size_t stop = part_end(s, i, end);
        put(e, "static %s void %s_%s_%u%s", is_short(s) || twice ? inlined : outside, what, name, parts,
            arguments);
        put_codes(e, s, i, stop);
        i = stop;
        put(e, "(void)f, (void)q, (void)with;\n}\n");
        for (int k = 0; k < 2 && twice; k++) {
            put(e, "static %s void %s_%s_%u_%d%s", outside, what, name, parts, k, arguments);
            put(e, "(void)N;\n%s_%s_%u(w, f, q, %s, k, with);\n}\n", what, name, parts, k ? stride : "N");
        }
    }
    put(e, "static %s void %s_%s%s", inlined, what, name, arguments);
    for (unsigned i = 0; i < parts; i++) {
        if (twice) put(e, "if (N == %s) %s_%s_%u_1(w, f, q, N, k, with);\nelse ", stride, what, name, i);
        put(e, "%s_%s_%u%s(w, f, q, N, k, with);\n", what, name, i, twice ? "_0" : "");
    }
    put(e, "(void)w, (void)f, (void)q, (void)N, (void)k, (void)with;\n}\n");
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
        put(e, "#define R(i) w[(long)(i) * N + k]\n#define J(i) (w + (long)(i) * N)\n"
               "#define M(i) (w + (long)(i) * N + (N - 1 - k))\n");
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
    put_places(e, name, "rate", s->rates, s->rate);
    put_places(e, name, "row", s->m, s->row);
    put(e,
        "static const struct keel_recurrence recurrence_%s = {%d, %d, %d, %d, %u, %u, %u, rate_%s, row_%s,\n",
        name, s->n, s->m, s->given, s->linear, (unsigned)s->jets, (unsigned)s->copies, (unsigned)s->fixed,
        name, name);
    put(e, "model_%s_zero, ", name);
    put(e, s->m ? "model_%s_tops, " : "0, ", name);
    put(e, "early_%s, late_%s, again_%s};\n", name, name, name);
    put(e, "%sint series_%s(double t, const double *u, int orders, double *out, double *work,\n",
        local ? "static " : "", name);
    put(e, "    void *user) {\n");
    if (series_has_stride(s))
        put(e, "if (orders < %s) return keel_recur(&recurrence_%s, t, u, orders, %s, out, work, user);\n",
            stride, name, stride);
    put(e, "return keel_recur(&recurrence_%s, t, u, orders, orders + 1, out, work, user);\n}\n", name);
    return e->failed ? -1 : 0;
}
