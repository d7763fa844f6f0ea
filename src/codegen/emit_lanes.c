/* emit_lanes.c - kernels of several runs side by side: the loops of core/lanes.h with the tapes of a model
 * inside, on numbers of KEEL_LANES lanes. */
#include "codegen/emit.h"

#include <stdio.h>

/* Do all runs take the same way through a tape?  Then it has no branch, and no comparison. */
int emit_is_straight(const struct tape *t) {
    for (size_t i = 0; i < t->count; i++) {
        uint32_t op = t->code[i].op;
        if (op == TAPE_SQUARE || op == TAPE_STORE) continue;
        if (op >= EXPR_OPS || op == EXPR_LT || op == EXPR_LE || op == EXPR_EQ || op == EXPR_NE ||
            op == EXPR_AND || op == EXPR_OR || op == EXPR_NOT)
            return 0;
    }
    return !t->roll && t->count <= EMIT_PART;
}

/* The largest number of a parameter that a tape reads, and 1. */
uint32_t emit_parameters(const struct tape *t, uint32_t most) {
    for (size_t i = 0; i < t->inputs; i++)
        if (t->input[i].source == TAPE_PARAMETER && t->input[i].index >= most) most = t->input[i].index + 1;
    return most;
}

void emit_lanes_loops(struct emit *e, const struct emit_loop *loop) {
    const struct emit_mechanics *motion = loop->motion;
    emit_put(e, "#define KEEL_LANES_ROWS %d\n#define KEEL_LANES_STATES %d\n", motion ? loop->kept : EMIT_KEPT,
             motion ? loop->n : EMIT_STATES);
    emit_put(e, "#define KEEL_LANES_STAGES %d\n", loop->table->stages);
    emit_put(e, "typedef int keel_fn(keel_real, const keel_real *, keel_real *, void *);\n");
    emit_header(e, emit_explicit);
    emit_header(e, emit_rowspace);
    emit_header(e, emit_project);
    emit_header(e, emit_step_control);
    emit_header(e, emit_kernel_state);
    emit_header(e, emit_lanes_text);
    emit_header(e, emit_lanes_project);
    if (motion) {
        emit_header(e, emit_small);
        emit_header(e, emit_mechanism);
        emit_header(e, emit_lanes_motion);
    }
    emit_header(e, emit_lanes_glide);
    emit_header(e, emit_lanes_steps);
}

void emit_lanes_prelude(struct emit *e, const struct emit_loop *loop) {
    if (e->kernel_count++) return;
    emit_put(e, "#include <stddef.h>\n#define KEEL_LANES %d\n", e->lanes);
    if (loop->n <= EMIT_STATES) emit_put(e, "#define KEEL_INLINE\n"); /* loops over more stay loops */
    emit_text(e, "#define TABLE static const\n"
                 "#ifdef __clang__\n#define inline __inline__ __attribute__((always_inline))\n#else\n"
                 "#define inline __inline__\n#endif\n#define KERNEL __attribute__((flatten))\n"
                 "#define LANES_APART __attribute__((noinline, flatten))\n"
                 "#define LANES_CALL(f, a) ({ keel_real v = keel_lift(a);\\\n"
                 "    for (int i = 0; i < KEEL_LANES; i++) v[i] = f(v[i]); v; })\n"
                 "#define LANES_CALL_TWO(f, a, b) ({ keel_real v = keel_lift(a), w = keel_lift(b);\\\n"
                 "    for (int i = 0; i < KEEL_LANES; i++) v[i] = f(v[i], w[i]); v; })\n");
    emit_header(e, emit_real);
    emit_lanes_loops(e, loop);
}

void emit_lanes_locals(struct emit *e, const struct emit_loop *loop, int adaptive) {
    int n = loop->n, kept = loop->kept, width = (n + 3) / 4 * 4, rows = kept ? kept : 1;
    emit_direction(e, n);
    emit_put(e, "keel_real first_x[%d], first_f[%d], next[%d], k[%d], stage[%d], dx[%d], begin[%d];\n", n, n,
             n, loop->table->stages * n, n, n, n);
    emit_put(e, "keel_real error[%d] = {{0}}, split[%d], scale[%d];\n", 2 * width, n, n);
    const struct emit_array carried[] = {
        {"largest", n},   {"inverse_weight", n},   {"reference", rows}, {"size", rows},
        {"beyond", rows}, {"worst", rows},         {"allowed", rows},   {"x", n},
        {"f", n},         {"gradients", rows * n}, {"off", rows},       {"limit", n},
        {"atol", n}};
    int all = sizeof carried / sizeof *carried, fixed = all - 2; /* which need no tolerances */
    /* mechanics has its numbers in memory anyway, behind a cache that shared memory would take from it */
    int shares = e->device && kept && !loop->motion;
    int aside = shares ? emit_device_aside(e, adaptive ? all : fixed, carried) : 0;
    for (int i = aside; i < all; i++) emit_put(e, "keel_real %s[%d];\n", carried[i].name, carried[i].count);
    if (shares) emit_put(e, "keel_real *const was = 0;\n");
    else emit_put(e, "keel_real was[%d];\n", rows);
    if (e->device) emit_put(e, "keel_real *least = 0, *spread = 0;\n"); /* where they arrive */
    else emit_put(e, "keel_real least[%d], spread[%d];\n", n, n * n);
    emit_put(e, "keel_real residual[%d], c[%d], z[%d], inverse[%d], r[%d], q[%d], d[%d];\nint used[%d];\n",
             rows, rows, rows, rows, rows * rows, rows * width, width, rows);
    emit_put(e, "keel_real q2[%d], r2[%d], inverse2[%d];\n", rows * width, rows * rows, rows);
    emit_put(e, "keel_real parameter[%u];\n", loop->parameters ? loop->parameters : 1);
    if (loop->motion) emit_motion_locals(e, loop);
    else emit_put(e, "keel_real *own[1] = {parameter};\n");
    emit_put(e, "struct rowspace space = {%d, %d, 0, q, r, inverse, used};\n", kept, width);
    emit_put(e, "struct project p = {%d, %d, %d, %d, %d, 0, 0, inverse_weight, gradients, size,\n", n, width,
             kept, !loop->motion && kept == 2 && width == 4, n);
    emit_put(e, "    residual, &space, 0, c, z, d, allowed, %s};\n", e->direction ? "direction" : "0");
    emit_put(e, "struct rowspace wide = {%d, %d, 0, q2, r2, inverse2, used};\n", kept, width);
    emit_put(e, "struct project general = p;\ngeneral.two_short = 0, general.space = &wide;\n");
    emit_put(e,
             "struct lanes_workspace m = {first_x, first_f, x, f, next, k, stage, dx, begin, gradients,\n");
    emit_put(e, "    error, split, scale, limit, largest, inverse_weight, atol, least, spread, reference,\n");
    emit_put(e, "    size, beyond, worst, off, was, &general, 0, own};\n");
    if (loop->terms) emit_put(e, "m.terms = terms_%s;\n", loop->name);
}

/* A function with the numbers of all lanes as locals, and the parameters of each run in its lane. */
static void put_lanes(struct emit *e, const char *head, const struct emit_loop *loop) {
    emit_put(e, "KERNEL %s_%s(struct keel_kernel_state *const *state, void *const *user, long *taken) {\n",
             head, loop->name);
    emit_lanes_locals(e, loop, 1);
    emit_put(e, "int first = 0;\nwhile (!state[first]) first++;\n");
    emit_put(e, "p.units = state[first]->allowed;\nfor (int i = 0; i < KEEL_LANES; i++) {\n");
    emit_put(e, "const double *from = *(const double *const *)user[state[i] ? i : first];\n");
    emit_put(e, "for (int j = 0; j < %u; j++) parameter[j][i] = from[j];\n}\n", loop->parameters);
}

int emit_lanes(struct emit *e, const char *name, const struct tape *t, const struct emit_method *method) {
    if (!method->rk || !emit_is_straight(t) || t->count * (size_t)method->rk->stages > EMIT_STEP) return 1;
    struct emit_loop plain = {name, method->rk, (int)t->outputs, 0, 0, emit_parameters(t, 0), NULL};
    emit_lanes_prelude(e, &plain);
    if (emit_under(e, "static inline int rhs_", name, t)) return -1;
    emit_table(e, name, method->rk);
    if (!e->kernels || e->kernels & EMIT_PLAIN) {
        put_lanes(e, "void plain_lanes", &plain);
        emit_put(e, "lanes_plain(&table_%s, &p, &m, rhs_%s, own, state, taken);\n}\n", name, name);
    }
    return e->failed ? -1 : 0;
}

int emit_measure(struct emit_loop *loop, const struct tape *f, int maps, const struct emit_rows *rows) {
    size_t length = f->count * (size_t)loop->table->stages;
    loop->parameters = emit_parameters(f, 0);
    for (int i = 0; i < maps; i++) {
        if (!emit_is_straight(rows[i].value) || !emit_is_straight(rows[i].jacobian)) return 0;
        if (rows[i].terms && !emit_is_straight(rows[i].terms)) return 0;
        length += 2 * rows[i].value->count + rows[i].jacobian->count;
        loop->kept += (int)rows[i].value->outputs;
        loop->parameters =
            emit_parameters(rows[i].jacobian, emit_parameters(rows[i].value, loop->parameters));
        if (rows[i].terms) loop->parameters = emit_parameters(rows[i].terms, loop->parameters);
    }
    return loop->kept <= EMIT_KEPT && loop->n <= EMIT_STATES && length <= EMIT_STEP;
}

int emit_terms(struct emit *e, const char *name, int maps, const struct emit_rows *rows) {
    int there = 0;
    for (int i = 0; i < maps; i++) {
        char head[60];
        snprintf(head, sizeof head, "static inline int terms_%d_", i);
        if (rows[i].terms && emit_under(e, head, name, rows[i].terms)) return -1;
        there |= rows[i].terms != NULL;
    }
    if (!there) return 0;
    emit_put(e, "static inline int terms_%s(keel_real t, const keel_real *u, keel_real *out, void *user) {\n",
             name);
    for (int i = 0, at = 0; i < maps; at += (int)rows[i].value->outputs, i++)
        if (rows[i].terms) emit_put(e, "terms_%d_%s(t, u, out + %d, user);\n", i, name, at);
    emit_put(e, "return 0;\n}\n");
    return 1;
}

void emit_loop_functions(struct emit *e, const struct emit_loop *loop, int adaptive) {
    if (loop->motion) emit_put(e, "motion_rhs, 0, 0, ");
    else if (loop->kept) emit_put(e, "rhs_%s, values_%s, gradients_%s, ", loop->name, loop->name, loop->name);
    else emit_put(e, "rhs_%s, 0, 0, ", loop->name);
    if (adaptive && emit_two_estimates(loop->table)) emit_put(e, "&table_%s.norm, ", loop->name);
    else if (adaptive) emit_put(e, "0, ");
}

/* lanes_glide for these rows, as a function of its own: its numbers are nobody else's. */
static void put_glide(struct emit *e, const struct emit_loop *loop, int keeps) {
    int n = loop->n, kept = loop->kept, width = (n + 3) / 4 * 4;
    emit_put(e, "LANES_APART static void glide%d_%s(struct lanes_glide *g, void *own) {\n", keeps,
             loop->name);
    emit_put(e, "struct lanes_quick q;\n");
    emit_put(e, "struct rowspace space = {%d, %d, 0, q.q, q.r, q.inverse, q.used, 0};\n", kept, width);
    emit_put(e, "struct project p = {%d, %d, %d, %d, %d, 0, 0, q.inverse_weight, q.gradients,\n", n, width,
             kept, kept == 2 && width == 4, n);
    emit_put(e, "    0, q.residual, &space, 0, q.c, q.z, q.d, q.allowed};\n");
    emit_put(e, "lanes_glide(g, &table_%s, &p, &q, ", loop->name);
    emit_loop_functions(e, loop, 0);
    emit_put(e, "own, %d);\n}\n", keeps);
}

static void put_steps(struct emit *e, const struct emit_loop *loop, int keeps, int adaptive) {
    emit_put(e, "static void steps%d%d_%s(struct keel_kernel_state *const *, void *const *, long *);\n",
             keeps, adaptive, loop->name);
    char head[40] = "static void steps00";
    head[17] = (char)('0' + keeps), head[18] = (char)('0' + adaptive);
    int glides = !adaptive && !loop->motion;
    if (glides) put_glide(e, loop, keeps);
    put_lanes(e, head, loop);
    if (glides) emit_put(e, "m.glide = glide%d_%s;\n", keeps, loop->name);
    if (loop->motion) emit_put(e, "motion_begin(own);\n");
    emit_put(e, "lanes_%s(&table_%s, &p, &m, ", adaptive ? "adaptive" : "fixed", loop->name);
    emit_loop_functions(e, loop, adaptive);
    emit_put(e, "own, state, taken, %d);\n", keeps);
    emit_put(e, loop->motion ? "motion_end(own, state);\n}\n" : "}\n");
}

void emit_loops_in_lanes(struct emit *e, const struct emit_loop *loop, unsigned wanted) {
    static const unsigned which[] = {EMIT_WATCHING, EMIT_KEEPING, EMIT_ADAPTIVE, EMIT_ADAPTIVE_KEEPING};
    for (int k = 0; k < 4; k++)
        if (wanted & which[k]) put_steps(e, loop, k & 1, k >> 1);
    emit_put(e, "void kept_lanes_%s(struct keel_kernel_state *const *state, void *const *user,\n",
             loop->name);
    emit_put(e, "    long *taken) {\nint first = 0;\nwhile (!state[first]) first++;\n");
    emit_put(e,
             "int which = (state[first]->treatment == KERNEL_KEPT) + 2 * (state[first]->adaptive != 0);\n");
    for (int k = 0; k < 4; k++)
        if (wanted & which[k])
            emit_put(e, "if (which == %d) steps%d%d_%s(state, user, taken);\n", k, k & 1, k >> 1, loop->name);
    emit_put(e, "}\n");
}

/* The sums of core/beside.h for these rows, over arrays of constant size. */
static void put_beside(struct emit *e, const struct emit_loop *loop) {
    int parameters = (int)loop->parameters;
    emit_header(e, emit_beside);
    emit_put(e, "KERNEL int beside_%s(struct keel_beside_state *b, void *user) {\n", loop->name);
    emit_put(e,
             "keel_real here[%d], there[%d], value[%d], other[%d], parameter[%d], *own[1] = {parameter};\n",
             loop->n, loop->n, loop->kept, loop->kept, parameters ? parameters : 1);
    emit_put(e, "keel_real share[%d], stride[%d], bend[%d];\n", loop->n, loop->n, loop->n);
    emit_put(e, "const struct beside_workspace w = {here, there, value, other, share, stride, bend};\n");
    emit_put(e, "const double *from = *(const double *const *)user;\n");
    emit_put(e, "for (int j = 0; j < %d; j++) parameter[j] = keel_lift(from[j]);\n", parameters);
    emit_put(e, "struct keel_beside_state sums = *b;\nsums.n = %d, sums.rows = %d;\n", loop->n, loop->kept);
    emit_put(e, "return beside_sum(&sums, &w, values_%s, own);\n}\n", loop->name);
}

int emit_lanes_kept(struct emit *e, const char *name, const struct tape *f, const struct emit_method *method,
                    int maps, const struct emit_rows *rows) {
    struct emit_loop loop = {name, method->rk, (int)f->outputs, 0, 0, 0, NULL};
    if (!emit_measure(&loop, f, maps, rows)) return 1;
    unsigned wanted = emit_kernels(e, method, loop.kept);
    if (wanted == 0) return 1;
    loop.terms = emit_values(e, name, loop.n, maps, rows) ? -1 : emit_terms(e, name, maps, rows);
    if (loop.terms < 0) return -1;
    if (loop.kept) put_beside(e, &loop);
    emit_loops_in_lanes(e, &loop, wanted);
    return e->failed ? -1 : 0;
}
