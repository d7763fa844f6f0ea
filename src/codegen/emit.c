/* emit.c - see emit.h: one statement an operation, in the order of the tape, on locals named by register. */
#include "codegen/emit.h"

#include "symbolic/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_PART = EMIT_PART, MOST_REGISTERS = 1 << 16 };

/* How a tape is cut: `body` calls the parts, which have been written before it. */
struct cut {
    const struct tape *t;
    const char *name;
    struct emit *parts, body;
    uint32_t *last;       /* per operation: where its result is read last */
    uint32_t *seen;       /* per computed register: the part that has declared it */
    uint32_t part, first; /* parts so far; the first register that is computed */
    int inside;           /* the body of a loop: results are locals */
};

static void append(struct emit *e, const char *text, size_t length) {
    if (e->failed) return;
    if (e->length + length + 1 > e->capacity) {
        size_t capacity = 2 * e->capacity + length + 4096;
        char *larger = realloc(e->text, capacity);
        if (!larger) {
            e->failed = e->starved = 1;
            return;
        }
        e->text = larger;
        e->capacity = capacity;
    }
    memcpy(e->text + e->length, text, length);
    e->length += length;
    e->text[e->length] = '\0';
}

static void append_number(struct emit *e, unsigned long long value, int negative) {
    char digits[24];
    size_t at = sizeof digits;
    do digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    if (negative) digits[--at] = '-';
    append(e, digits + at, sizeof digits - at);
}

static void append_signed(struct emit *e, long long value) {
    append_number(e, value < 0 ? 0u - (unsigned long long)value : (unsigned long long)value, value < 0);
}

/* printf for texts, letters and whole numbers, which takes ten times as long itself. */
void emit_put(struct emit *e, const char *format, ...) {
    va_list args;
    if (e->stop && *e->stop) e->failed = 1;
    va_start(args, format);
    while (*format && !e->failed) {
        size_t plain = strcspn(format, "%"), width;
        append(e, format, plain);
        format += plain;
        if (!*format) break;
        width = strspn(++format, "lz");
        if (*format == 's') {
            const char *text = va_arg(args, const char *);
            append(e, text, strlen(text));
        } else if (*format == 'c') append(e, (char[]){(char)va_arg(args, int)}, 1);
        else if (*format == 'd') append_signed(e, va_arg(args, int));
        else if (*format == 'u') append_number(e, va_arg(args, unsigned), 0);
        else if (strncmp(format, "ld", 2) == 0) append_signed(e, va_arg(args, long));
        else if (strncmp(format, "lld", 3) == 0) append_signed(e, va_arg(args, long long));
        else if (strncmp(format, "zu", 2) == 0) append_number(e, va_arg(args, size_t), 0);
        else e->failed = 1; /* no other is known */
        format += width + 1;
    }
    va_end(args);
}

void emit_text(struct emit *e, const char *text) {
    if (e->stop && *e->stop) e->failed = 1;
    append(e, text, strlen(text));
}

/* The double in hexadecimal by hand: printf's %a takes its decimal point from the locale. */
void emit_number(char *out, size_t capacity, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    unsigned long long digits = bits & 0xfffffffffffffu;
    int exponent = (int)(bits >> 52 & 0x7ff);
    const char *sign = bits >> 63 ? "-" : "";
    if (exponent == 0x7ff)
        snprintf(out, capacity, digits ? "__builtin_nan(\"\")" : "(%s__builtin_inf())", sign);
    else if (exponent == 0) snprintf(out, capacity, "(%s0x0.%013llxp-1022)", sign, digits);
    else if (digits == 0) snprintf(out, capacity, "(%s0x1p%+d)", sign, exponent - 1023);
    else snprintf(out, capacity, "(%s0x1.%013llxp%+d)", sign, digits, exponent - 1023);
}

enum { OPERAND = EMIT_NUMBER };

/* A register as C reads it: a number, an input, or a local (in a part) or its place in memory (between
 * parts). */
static const char *operand(const struct tape *t, uint32_t reg, int local, char out[OPERAND]) {
    if (reg < t->constants) emit_number(out, OPERAND, t->constant[reg]);
    else if (reg < t->constants + t->inputs) {
        const struct tape_input *in = &t->input[reg - t->constants];
        if (in->source == TAPE_TIME) snprintf(out, OPERAND, "t");
        else if (in->source == TAPE_LEAF) snprintf(out, OPERAND, "l%u", in->index);
        else snprintf(out, OPERAND, "%c[%u]", in->source == TAPE_STATE ? 'u' : 'p', in->index);
    } else snprintf(out, OPERAND, local ? "r%u" : "w[%u]", reg - t->constants - t->inputs);
    return out;
}

const char *emit_type(const struct emit *e) {
    return e->lanes ? "keel_real" : "double";
}

static void put_power(struct emit *e, uint32_t to, const char *a, int32_t exponent) {
    uint32_t n = exponent < 0 ? 0u - (uint32_t)exponent : (uint32_t)exponent, bit = 1;
    while (bit <= n / 2) bit *= 2;
    const char *real = emit_type(e);
    emit_put(e, e->lanes ? "{ const %s x = keel_lift(%s); %s y = x;" : "{ const %s x = %s; %s y = x;", real,
             a, real);
    while (bit >>= 1) emit_put(e, n & bit ? " y = y * y; y = y * x;" : " y = y * y;");
    emit_put(e, exponent < 0 ? " r%u = 1.0 / y; }\n" : " r%u = y; }\n", to);
}

static int is_arithmetic(uint32_t op) {
    return op == EXPR_ADD || op == EXPR_SUB || op == EXPR_MUL || op == EXPR_DIV;
}

static const char *called(uint32_t op) {
    switch (op) {
    case EXPR_POW:
        return "keel_pow";
    case EXPR_SQRT:
        return "__builtin_sqrt";
    case EXPR_SIN:
        return "keel_sin";
    case EXPR_COS:
        return "keel_cos";
    case EXPR_ABS:
        return "__builtin_fabs";
    case EXPR_SIGN:
        return "keel_sign";
    case EXPR_MIN:
        return "keel_min";
    case EXPR_MAX:
        return "keel_max";
    case EXPR_MOD:
        return "keel_mod";
    case EXPR_SN:
        return "keel_sn";
    case EXPR_CN:
        return "keel_cn";
    case EXPR_DN:
        return "keel_dn";
    case EXPR_ELLIPK:
        return "keel_ellipk";
    case EXPR_ELLIPE:
        return "keel_ellipe";
    case EXPR_JACOBIEPS:
        return "keel_jacobieps";
    case EXPR_JACOBISD2:
        return "keel_jacobisd2";
    case EXPR_LOOK:
        return "keel_table_look";
    case EXPR_ENTRY:
        return "keel_table_entry";
    case EXPR_POSITION:
        return "keel_table_position";
    default:
        return expr_name((enum expr_op)op);
    }
}

/* In lanes a result has them even where no operand does, and functions are called lane by lane. */
static void put_lanes_value(struct emit *e, const struct tape *t, const struct tape_code *c, uint32_t to) {
    char at[OPERAND], bt[OPERAND];
    const char *a = operand(t, c->a, 1, at), *b = c->op == EXPR_POWI ? "" : operand(t, c->b, 1, bt);
    int two = c->op < EXPR_OPS && expr_operands((enum expr_op)c->op) == 2;
    if (c->op == EXPR_POWI) put_power(e, to, a, (int32_t)c->b);
    else if (c->op == EXPR_NEG) emit_put(e, "r%u = keel_lift(-%s);\n", to, a);
    else if (c->op == TAPE_SQUARE) emit_put(e, "r%u = keel_lift(%s * %s);\n", to, a, a);
    else if (c->op == EXPR_SQRT) emit_put(e, "r%u = keel_sqrt(keel_lift(%s));\n", to, a);
    else if (c->op == EXPR_ABS) emit_put(e, "r%u = keel_abs(keel_lift(%s));\n", to, a);
    else if (is_arithmetic(c->op))
        emit_put(e, "r%u = keel_lift(%s %s %s);\n", to, a, expr_name((enum expr_op)c->op), b);
    else if (two) emit_put(e, "r%u = LANES_CALL_TWO(%s, %s, %s);\n", to, called(c->op), a, b);
    else emit_put(e, "r%u = LANES_CALL(%s, %s);\n", to, called(c->op), a);
}

static void put_value(struct emit *e, const struct tape *t, const struct tape_code *c, uint32_t to) {
    char at[OPERAND], bt[OPERAND];
    const char *a = operand(t, c->a, 1, at), *b = c->op == EXPR_POWI ? "" : operand(t, c->b, 1, bt);
    int call = e->keeps_calls ? emit_call_number(&e->calls, t, c) : -1;
    switch (c->op) {
    case EXPR_NEG:
        emit_put(e, "r%u = -%s;\n", to, a);
        break;
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_DIV:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_EQ:
    case EXPR_NE:
        emit_put(e, "r%u = %s %s %s;\n", to, a, expr_name((enum expr_op)c->op), b);
        break;
    case EXPR_AND:
        emit_put(e, "r%u = %s != 0 && %s != 0;\n", to, a, b);
        break;
    case EXPR_OR:
        emit_put(e, "r%u = %s != 0 || %s != 0;\n", to, a, b);
        break;
    case EXPR_NOT:
        emit_put(e, "r%u = %s == 0;\n", to, a);
        break;
    case TAPE_SQUARE:
        emit_put(e, "r%u = %s * %s;\n", to, a, a);
        break;
    case EXPR_POWI:
        put_power(e, to, a, (int32_t)c->b);
        break;
    default:
        if (call >= 0 && (c->op == EXPR_SIN || c->op == EXPR_COS))
            emit_put(e, "r%u = mechanism_turned(calls + %d, %s, keel_turn)->%s;\n", to, call, a,
                     c->op == EXPR_SIN ? "value" : "beside");
        else if (call >= 0)
            emit_put(e, "r%u = mechanism_called(calls + %d, %s, %s);\n", to, call, a, called(c->op));
        else if (table_is((enum expr_op)c->op))
            emit_put(e, "r%u = %s(q, %s, %s);\n", to, called(c->op), a, b);
        else if (expr_operands((enum expr_op)c->op) == 1)
            emit_put(e, "r%u = %s(%s);\n", to, called(c->op), a);
        else emit_put(e, "r%u = %s(%s, %s);\n", to, called(c->op), a, b);
    }
}

/* depth: how many `if`s of this part are open.  One that began before the part is closed by others. */
static void put_code(struct emit *e, const struct cut *cut, size_t i, int *depth) {
    const struct tape_code *c = &cut->t->code[i];
    char text[OPERAND];
    const char *a = tape_reads(c) > 0 ? operand(cut->t, c->a, 1, text) : "";
    switch (c->op) {
    case TAPE_STORE:
        emit_put(e,
                 cut->inside ? "o%u = %s;\n"
                 : e->lanes  ? "out[%u] = keel_lift(%s);\n"
                             : "out[%u] = %s;\n",
                 c->to, a);
        break;
    case TAPE_UNLESS:
        emit_put(e, "if (%s != 0) {\n", a);
        ++*depth;
        break;
    case TAPE_JUMP:
        emit_put(e, "} else {\n");
        break;
    case TAPE_MOVE:
        emit_put(e, "r%u = %s;\n", c->to - cut->first, a);
        break;
    case TAPE_MOVE_AGAIN:
        emit_put(e, *depth ? "r%u = %s;\n}\n" : "r%u = %s;\n", c->to - cut->first, a);
        *depth -= *depth > 0;
        break;
    default:
        if (e->lanes) put_lanes_value(e, cut->t, c, c->to - cut->first);
        else put_value(e, cut->t, c, c->to - cut->first);
    }
}

/* A register that is read before the part has written it comes in through memory. */
static void declare(struct emit *e, struct cut *cut, uint32_t reg, int written) {
    if (reg < cut->first) return;
    uint32_t local = reg - cut->first;
    if (cut->seen[local] == cut->part) return;
    cut->seen[local] = cut->part;
    if (written) emit_put(e, "%s r%u;\n", emit_type(e), local);
    else emit_put(e, "%s r%u = w[%u];\n", emit_type(e), local, local);
}

/* The operations begin .. end, with what comes in from memory before and what goes out after. */
static void put_range(struct emit *e, struct cut *cut, size_t begin, size_t end) {
    const struct tape_code *code = cut->t->code;
    int depth = 0;
    cut->part++;
    for (size_t i = begin; i < end; i++) {
        int count = tape_reads(&code[i]);
        if (count > 0) declare(e, cut, code[i].a, 0);
        if (count > 1) declare(e, cut, code[i].b, 0);
        if (tape_writes(&code[i])) declare(e, cut, code[i].to, 1);
    }
    for (size_t i = begin; i < end; i++) put_code(e, cut, i, &depth);
    for (size_t i = begin; i < end; i++)
        if (tape_writes(&code[i]) && cut->last[i] >= end)
            emit_put(e, "w[%u] = r%u;\n", code[i].to - cut->first, code[i].to - cut->first);
}

/* A function of its own, which the compiler must not put back into one long function. */
static void put_part(struct cut *cut, size_t begin, size_t end) {
    static const char head[] =
        "static __attribute__((noinline)) void part_%s_%u(double t, const double *restrict u,\n"
        "    const double *restrict p, double *restrict w, double *restrict out%s%s) {\n";
    if (begin == end) return;
    uint32_t number = cut->part + 1;
    int calls = cut->parts->keeps_calls;
    emit_put(cut->parts, head, cut->name, number, emit_tables(cut->parts, ", const double *const *q"),
             calls ? ", struct mechanism_call *calls" : "");
    put_range(cut->parts, cut, begin, end);
    emit_put(cut->parts, "(void)t, (void)u, (void)p, (void)w, (void)out%s;\n}\n",
             emit_tables(cut->parts, ", (void)q"));
    emit_put(&cut->body, "part_%s_%u(t, u, p, w, out%s%s);\n", cut->name, number,
             emit_tables(cut->parts, ", q"), calls ? ", calls" : "");
}

/* Where the operation or the whole `if` at i ends. */
static size_t item_end(const struct tape *t, size_t i) {
    return t->code[i].op == TAPE_UNLESS ? t->code[t->code[i].b - 1].b : i + 1;
}

/* Cuts between operations and around whole `if`s; an `if` that is too long itself is cut inside its
 * branches. */
static void put_block(struct cut *cut, size_t begin, size_t end) {
    const struct tape *t = cut->t;
    size_t start = begin;
    for (size_t i = begin, next; i < end; i = next) {
        next = item_end(t, i);
        if (next - start <= LONGEST_PART) continue;
        put_part(cut, start, i);
        start = i;
        if (next - i <= LONGEST_PART) continue;
        char condition[OPERAND];
        size_t other = t->code[i].b;
        emit_put(&cut->body, "if (%s != 0) {\n", operand(t, t->code[i].a, 0, condition));
        put_block(cut, i + 1, other - 1);
        emit_put(&cut->body, "} else {\n");
        put_block(cut, other, next);
        emit_put(&cut->body, "}\n");
        start = next;
    }
    put_part(cut, start, end);
}

/* Where each result is read last, from the end up.  The second move of an `if` does not end what the first
 * began. */
static void find_last(const struct tape *t, uint32_t *last, uint32_t *read) {
    for (size_t i = t->count; i-- > 0;) {
        const struct tape_code *c = &t->code[i];
        const uint32_t from[2] = {c->a, c->b};
        if (tape_writes(c)) {
            last[i] = read[c->to];
            if (c->op != TAPE_MOVE_AGAIN) read[c->to] = 0;
        }
        for (int k = tape_reads(c) - 1; k >= 0; k--)
            if (!read[from[k]]) read[from[k]] = (uint32_t)i;
    }
}

static int good_name(const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", name[i])) return 0;
    return length > 0 && length <= EMIT_NAME;
}

static void put_body(struct emit *e, struct cut *cut, const char *head) {
    const struct tape *t = cut->t;
    uint32_t computed = t->registers - cut->first;
    if (t->count > LONGEST_PART) put_block(cut, 0, t->count);
    const char *real = emit_type(e);
    emit_put(e, "%s%s(%s t, const %s *restrict u, %s *restrict out, void *user) {\n", head, cut->name, real,
             real, real);
    emit_put(e, "const %s *restrict p = *(const %s *const *)user;\n", real, real);
    emit_put(e, "%s", emit_tables(e, EMIT_TABLES));
    if (e->keeps_calls)
        emit_text(e, "struct mechanism_call *calls = ((const struct mechanism_user *)user)->calls;\n");
    if (t->count > LONGEST_PART) emit_put(e, "double w[%u];\n", computed ? computed : 1);
    if (t->count > LONGEST_PART) emit_text(e, cut->body.text);
    else put_range(e, cut, 0, t->count);
    emit_put(e, "(void)t, (void)u, (void)p, (void)out%s;\nreturn 0;\n}\n", emit_tables(e, ", (void)q"));
    e->failed |= cut->body.failed;
    e->starved |= cut->body.starved;
}

/* The code of a tape: of a function, or (head NULL) of the body of a loop. */
static int put_tape(struct emit *e, const char *head, const char *name, const struct tape *t) {
    struct cut cut = {.t = t,
                      .name = name,
                      .parts = e,
                      .first = t->constants + t->inputs,
                      .inside = !head,
                      .body = {.stop = e->stop}};
    if (t->registers - cut.first > MOST_REGISTERS) {
        e->failed = 1;
        return -1;
    }
    uint32_t *read = calloc(t->registers + 1, sizeof *read);
    cut.last = calloc(t->count + 1, sizeof *cut.last);
    cut.seen = calloc(t->registers + 1, sizeof *cut.seen);
    emit_put(&cut.body, "%s", "");
    if (read && cut.last && cut.seen && !cut.body.failed) {
        find_last(t, cut.last, read);
        if (head) put_body(e, &cut, head);
        else put_range(e, &cut, 0, t->count);
    } else e->failed = e->starved = 1;
    free(read);
    free(cut.last);
    free(cut.seen);
    free(cut.body.text);
    return e->failed ? -1 : 0;
}

static void put_source(struct emit *e, const char *const *line) {
    for (int i = 0; line[i]; i++) {
        emit_text(e, line[i]);
        emit_put(e, "\n");
    }
}

/* head: type and first part of the C name. */
int emit_under(struct emit *e, const char *head, const char *name, const struct tape *t) {
    if (t->table && !e->tables++) put_source(e, table_source);
    if (!good_name(name)) e->failed = 1;
    if (e->failed) return -1;
    return t->roll ? emit_roll(e, head, name, t->roll) : put_tape(e, head, name, t);
}

int emit_body(struct emit *e, const struct tape *t) {
    return put_tape(e, NULL, "", t);
}

int emit_function(struct emit *e, const char *name, const struct tape *t) {
    return emit_under(e, e->local ? "static int model_" : "int model_", name, t);
}

void emit_open(struct emit *e) {
    *e = (struct emit){0};
    emit_text(e, "#if (defined __FLT_EVAL_METHOD__ && __FLT_EVAL_METHOD__ != 0) || defined __FAST_MATH__\n"
                 "#error \"this arithmetic does not round every operation to double\"\n#endif\n"
                 "#define CONST __attribute__((const))\ndouble fmod(double, double) CONST;\n"
                 "double pow(double, double) CONST;\ndouble log2(double) CONST;\n"
                 "double exp2(double) CONST;\ndouble sin(double) CONST;\ndouble cos(double) CONST;\n");
    for (int op = EXPR_POW; op <= EXPR_HYPOT; op++) {
        const char *name = called((uint32_t)op);
        if (strncmp(name, "keel_", 5) == 0 || name[0] == '_') continue;
        emit_put(e, "double %s(double%s) CONST;\n", name,
                 expr_operands((enum expr_op)op) == 2 ? ", double" : "");
    }
    emit_functions(e);
}

void emit_functions(struct emit *e) {
    put_source(e, expr_source);
}

const char *emit_tables(const struct emit *e, const char *text) {
    return e->tables ? text : "";
}

void emit_close(struct emit *e) {
    free(e->text);
    *e = (struct emit){0};
}
