/* emit_series.c - recurrences as C: one line each, in loops over the orders that all models share. */
#include "codegen/emit_series.h"

#include <stdio.h>

enum { LONGEST_PART = 250, SHORT = 30 }; /* codes in one function; so many are written into the loop */

static const char inlined[] = "inline __attribute__((always_inline))";
static const char outside[] = "__attribute__((noinline))";
#define TEXT(number) #number
#define TEXT_OF(number) TEXT(number)
static const char stride[] = TEXT_OF(SERIES_STRIDE);

static int is_short(const struct series *s) {
    return s->count + s->again < SHORT;
}

static void put_codes(struct emit *e, const struct series *s, size_t from, size_t stop) {
    for (size_t i = from; i < stop; i++) {
        const struct series_code *c = &s->code[i];
        struct emit_code line = {.rule = c->rule, .rests = c->a >= s->jets};
        const uint32_t operand[EMIT_OPERANDS] = {c->to, c->a, c->b, c->c, c->d, c->e};
        char *const text[EMIT_OPERANDS] = {line.to, line.a, line.b, line.c, line.d, line.e};
        for (int k = 0; k < EMIT_OPERANDS; k++) snprintf(text[k], EMIT_OPERAND, "%u", (unsigned)operand[k]);
        emit_series_line(e, &line);
    }
}

struct sum {
    struct series_product of;
    unsigned place;
};

static int is_square(const struct sum *p) {
    return p->of.a == p->of.b;
}

static void put_known_one(struct emit *e, const struct series *s, const struct sum *p) {
    const char *far = is_short(s) ? "" : "far_";
    if (is_square(p)) emit_put(e, "keel_%sknown_square(J(%u), k, G(%u));\n", far, p->of.a, p->place);
    else emit_put(e, "keel_%sknown(J(%u), J(%u), k, G(%u));\n", far, p->of.a, p->of.b, p->place);
}

static void put_known_two(struct emit *e, const struct series *s, const struct sum *p, const struct sum *q) {
    const char *far = is_short(s) ? "" : "far_";
    if (is_square(p))
        emit_put(e, "keel_%sknown_two_squares(J(%u), J(%u), k, G(%u));\n", far, p->of.a, q->of.a, p->place);
    else
        emit_put(e, "keel_%sknown_two(J(%u), J(%u), J(%u), J(%u), k, G(%u));\n", far, p->of.a, p->of.b,
                 q->of.a, q->of.b, p->place);
}

/* What the sums of codes from .. stop have of two orders, two of a kind in one loop. */
static void put_known(struct emit *e, const struct series *s, size_t from, size_t stop) {
    struct series_product product[2];
    struct sum before = {.place = 0};
    int waits = 0;
    for (size_t i = from; i < stop; i++) {
        int count = series_products(&s->code[i], product);
        for (int j = 0; j < count; j++) {
            struct sum now = {product[j], s->code[i].c + (unsigned)j};
            int two = waits && is_square(&before) == is_square(&now);
            if (two) put_known_two(e, s, &before, &now);
            else if (waits) put_known_one(e, s, &before);
            before = now;
            waits = !two;
        }
    }
    if (waits) put_known_one(e, s, &before);
}

static const char arguments[] =
    "(double *w, const double *f, double *g, const double *q, int N, int k, void *with) {\n";

/* Where a function that begins at `from` ends: not within a sum. */
static size_t part_end(const struct series *s, size_t from, size_t end) {
    size_t stop = end - from < LONGEST_PART ? end : from + LONGEST_PART;
    while (stop < end && s->code[stop - 1].rule >= SERIES_OPEN && s->code[stop - 1].rule < SERIES_PUT) stop++;
    return stop;
}

typedef void writer(struct emit *e, const struct series *s, size_t from, size_t stop);

/* What codes from .. end do, in functions of bounded length. */
static void put_orders(struct emit *e, const char *name, const char *what, const struct series *s,
                       writer *write, size_t from, size_t end) {
    unsigned parts = 0;
    int twice = series_has_stride(s) && !is_short(s);
    for (size_t i = from; i < end; parts++) {
        size_t stop = part_end(s, i, end);
        emit_put(e, "static %s void %s_%s_%u%s", is_short(s) || twice ? inlined : outside, what, name, parts,
                 arguments);
        write(e, s, i, stop);
        i = stop;
        emit_put(e, "(void)w, (void)f, (void)g, (void)q, (void)N, (void)k, (void)with;\n}\n");
        for (int k = 0; k < 2 && twice; k++) {
            emit_put(e, "static %s void %s_%s_%u_%d%s", outside, what, name, parts, k, arguments);
            emit_put(e, "(void)N;\n%s_%s_%u(w, f, g, q, %s, k, with);\n}\n", what, name, parts,
                     k ? stride : "N");
        }
    }
    emit_put(e, "static %s void %s_%s%s", inlined, what, name, arguments);
    for (unsigned i = 0; i < parts; i++) {
        if (twice)
            emit_put(e, "if (N == %s) %s_%s_%u_1(w, f, g, q, N, k, with);\nelse ", stride, what, name, i);
        emit_put(e, "%s_%s_%u%s(w, f, g, q, N, k, with);\n", what, name, i, twice ? "_0" : "");
    }
    emit_put(e, "(void)w, (void)f, (void)g, (void)q, (void)N, (void)k, (void)with;\n}\n");
}

static void put_places(struct emit *e, const char *name, const char *what, int count, const int *place) {
    emit_put(e, "static const int %s_%s[] = {", what, name);
    for (int i = 0; i < count; i++) emit_put(e, i % 16 == 15 ? "%d,\n" : "%d,", place[i]);
    emit_put(e, "0};\n");
}

/* The tables of the matrix of z. */
static void put_fronts(struct emit *e, const char *name, const struct series_fronts *f) {
    put_places(e, name, "shape", f->m * SERIES_SHAPE, f->shape);
    put_places(e, name, "column", f->columns, f->column);
    put_places(e, name, "onto", f->columns, f->onto);
    put_places(e, name, "slot", f->slots, f->slot);
    put_places(e, name, "to", f->entries, f->to);
    emit_put(e,
             "static const struct keel_fronts fronts_%s = {%d, %d, %d, %d, %d, shape_%s, column_%s, onto_%s, "
             "slot_%s, to_%s};\n",
             name, f->m, f->entries, f->factors, f->largest, f->stack, name, name, name, name, name);
}

static void put_source(struct emit *e, const char *const *source) {
    for (int i = 0; source[i]; i++) {
        emit_text(e, source[i]);
        emit_put(e, "\n");
    }
}

/* What all series of a model share. */
static void put_shared(struct emit *e) {
    double over[2 * SERIES_STRIDE];
    char number[EMIT_NUMBER];
    emit_put(e, "#define R(i) w[(long)(i) * N + k]\n#define J(i) (w + (long)(i) * N)\n"
                "#define G(i) (g + 2 * (i))\n");
    put_source(e, series_source);
    series_inverses(SERIES_STRIDE - 1, over);
    emit_put(e, "static const double keel_over_orders[] = {0, 0");
    for (int i = 2; i < 2 * SERIES_STRIDE; i++) {
        emit_number(number, sizeof number, over[i]);
        emit_put(e, ", %s", number);
    }
    emit_put(e, "};\n");
}

/* Calls that these tapes share are kept while one series is made (emit_calls.c); long ones are not looked
 * through. */
static void put_values(struct emit *e, const char *name, const struct series *s) {
    enum { LONGEST = 1500 };
    const struct tape *tape[] = {&s->zero, s->m ? &s->solve : NULL};
    char part[60];
    size_t length = tape[0]->count + (tape[1] ? tape[1]->count : 0);
    int plain = !tape[0]->roll && (!tape[1] || !tape[1]->roll);
    if (plain && length <= LONGEST) emit_find_calls(&e->calls, 2, tape);
    else e->calls.count = 0;
    e->keeps_calls = e->calls.count > 0;
    if (e->keeps_calls) emit_header(e, emit_mechanism_calls);
    snprintf(part, sizeof part, "%s_zero", name);
    emit_function(e, part, tape[0]);
    snprintf(part, sizeof part, "%s_tops", name);
    if (tape[1]) emit_function(e, part, tape[1]);
    e->keeps_calls = 0;
}

/* What these find behind `user`. */
static const char *put_user(struct emit *e) {
    if (!e->calls.count) return "user";
    emit_put(e, "struct mechanism_call calls[%d];\nmechanism_forget(calls, %d);\n", e->calls.count,
             e->calls.count);
    emit_motion_user(e, "calls");
    return "&with";
}

static void put_series(struct emit *e, const char *name, const struct series *s) {
    emit_put(e, "%sint series_%s(double t, const double *u, int orders, double *out, double *work,\n",
             e->local ? "static " : "", name);
    emit_put(e, "    void *user) {\n");
    const char *with = put_user(e);
    if (series_has_stride(s))
        emit_put(
            e,
            "if (orders + %d < %s)\n"
            "    return keel_recur(&recurrence_%s, t, u, orders, %s, keel_over_orders, out, work, %s);\n",
            s->leads, stride, name, stride, with);
    emit_put(e, "return keel_recur(&recurrence_%s, t, u, orders, orders + %d, 0, out, work, %s);\n}\n", name,
             1 + s->leads, with);
}

/* Nonsmooth ones are not numbers. */
static void put_composed(struct emit *e, const char *name, const struct series *s) {
    emit_put(e, "%sint composed_%s(double t, const double *u, const double *c, int orders, double *out,\n",
             e->local ? "static " : "", name);
    emit_put(e, "    double *work, void *user) {\n");
    const char *with = put_user(e);
    emit_put(e, "int code = ");
    if (series_has_stride(s))
        emit_put(e,
                 "orders < %s ? keel_follow(&recurrence_%s, %d, t, u, c, orders, %s, keel_over_orders, out, "
                 "work,\n"
                 "    %s) : ",
                 stride, name, s->rates, stride, with);
    emit_put(e, "keel_follow(&recurrence_%s, %d, t, u, c, orders, orders + 1, 0, out, work, %s);\n", name,
             s->rates, with);
    for (int i = 0; i < s->rates; i++)
        if (s->nonsmooth[i]) emit_put(e, "out[%d] = __builtin_nan(\"\");\n", s->rates + i);
    emit_put(e, "return code;\n}\n");
}

static void put_straight(struct emit *e, const char *name, const struct series *s) {
    put_orders(e, name, "known_ahead", s, put_known, 0, s->ahead);
    put_orders(e, name, "ahead", s, put_codes, 0, s->ahead);
    put_orders(e, name, "known", s, put_known, s->ahead, s->count);
    put_orders(e, name, "early", s, put_codes, s->ahead, s->early);
    put_orders(e, name, "late", s, put_codes, s->early, s->count);
    put_orders(e, name, "again", s, put_codes, s->count, s->count + s->again);
}

int emit_series(struct emit *e, const char *name, const struct series *s) {
    int local = e->local;
    if (!e->series++) put_shared(e);
    if (s->fronts.m && !e->fronts++) put_source(e, series_fronts_source);
    if (s->follows && !e->composed++) put_source(e, series_follow_source);
    struct emit_calls before = e->calls;
    e->local = 1;
    put_values(e, name, s);
    e->local = local;
    int rolled = emit_series_rolled(e, name, s);
    if (rolled > 0) put_straight(e, name, s);
    put_places(e, name, "rates", s->rates, s->rate);
    put_places(e, name, "row", s->m, s->row);
    put_places(e, name, "shift", s->m, s->shift);
    if (s->fronts.m) put_fronts(e, name, &s->fronts);
    emit_put(e,
             "static const struct keel_recurrence recurrence_%s = {%d, %d, %d, %d, %u, %u, %u, %u, %d, %ld, ",
             name, s->n, s->m, s->given, s->linear, (unsigned)s->jets, (unsigned)s->copies,
             (unsigned)s->fixed, (unsigned)s->sums, s->leads, series_room(s));
    emit_put(e, "rates_%s, row_%s, shift_%s,\nmodel_%s_zero, ", name, name, name, name);
    emit_put(e, s->m ? "model_%s_tops, " : "0, ", name);
    emit_put(e, "known_ahead_%s, ahead_%s, known_%s, early_%s, late_%s, again_%s, ", name, name, name, name,
             name, name);
    if (s->fronts.m) emit_put(e, "&fronts_%s, keel_fronts_factor, keel_fronts_solve};\n", name);
    else emit_put(e, "0, 0, 0};\n");
    if (s->follows) put_composed(e, name, s);
    else put_series(e, name, s);
    e->calls = before;
    return rolled < 0 || e->failed ? -1 : 0;
}
