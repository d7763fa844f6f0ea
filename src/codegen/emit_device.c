/* emit_device.c - kernels for a GPU: the loops of core/lanes_steps.h on numbers of one lane, a run a thread,
 * with the tapes of a model inside, as CUDA C++. */
#include "codegen/emit.h"

#include <stdio.h>
#include <string.h>

void emit_open_device(struct emit *e) {
    *e = (struct emit){.lanes = 1, .device = 1};
    emit_text(
        e,
        "#include <stddef.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <math.h>\n#include <time.h>\n"
        "#ifndef DEVICE_LAUNCH\n#define DEVICE_LAUNCH(kernel, blocks, threads, stream, ...) \\\n"
        "    kernel<<<blocks, threads, 0, stream>>>(__VA_ARGS__)\n#endif\n"
        "#define DEVICE_STEP asm volatile(\"\" ::: \"memory\") /* nothing aside is kept over steps */\n"
        "#define DEVICE __device__ __forceinline__\n#define restrict __restrict__\n"
        "#define KEEL_RK_UNROLL _Pragma(\"unroll\")\n#define TABLE const\n#define KEEL_RK_WRITTEN_OUT\n"
        "#define __builtin_fabs fabs\n#define __builtin_sqrt sqrt\n"
        "#define LANES_CALL(f, a) keel_real(f(keel_real(a).value))\n"
        "#define LANES_CALL_TWO(f, a, b) keel_real(f(keel_real(a).value, keel_real(b).value))\n"
        "#define static static __device__\n");
    emit_functions(e);
    emit_text(e, "#undef static\n#define inline DEVICE\n");
    emit_put(e, "#define LANES_APART __device__ __noinline__\n");
    emit_header(e, emit_device_real);
}

static void put_sizes(struct emit *e, const struct emit_loop *loop) {
    if (e->kernel_count++) return;
    emit_put(e, "#define DEVICE_STATES %d\n#define DEVICE_ROWS %d\n#define DEVICE_PARAMETERS %u\n", loop->n,
             loop->kept ? loop->kept : 1, loop->parameters ? loop->parameters : 1);
    emit_header(e, emit_device_text);
}

enum { MOST_ASIDE = 47 }; /* 48 kB for 128 threads */

/* Numbers that a run carries along and a step reads once or twice lie beside the registers, in the memory
 * that the threads of a block share: so more threads find room.  An odd number for each of them: no two of a
 * warp ask the same bank. */
int emit_device_aside(struct emit *e, int count, const struct emit_array *array) {
    int fit = 0, all = 0;
    for (; fit < count && all + array[fit].count <= MOST_ASIDE; fit++) all += array[fit].count;
    emit_put(e, "__shared__ keel_real aside[DEVICE_THREADS][%d];\n", all | 1);
    for (int i = 0, at = 0; i < fit; at += array[i++].count)
        emit_put(e, "keel_real *const %s = aside[threadIdx.x] + %d;\n", array[i].name, at);
    return fit;
}

/* Blocks on a multiprocessor, of 128 threads, for which there is room at least: its 65536 registers and its
 * 228 kB of shared memory, 1 kB of them for each block itself, are divided among as many threads as hide the
 * time that divisions and roots wait for each other.  Numbers that do not find room cost more than threads
 * that do not. */
static int device_side_by_side(const struct emit_loop *loop, int adaptive) {
    int plain = 16 + 2 * loop->n * (loop->table->stages + 2); /* registers: x, f, next and the stages */
    int aside = (4 * loop->n + loop->kept * (6 + loop->n)) | 1;
    int room = 228 / ((aside < MOST_ASIDE ? aside : MOST_ASIDE) + 1);
    if (!loop->kept) return plain <= 64 ? 8 : plain <= 80 ? 6 : 4;
    if (adaptive || loop->motion || plain > 64) return adaptive ? 2 : 3;
    return room < 6 ? room : 6;
}

/* A kernel up to its loop over runs, and from there to the first step of one. */
static void put_head(struct emit *e, const char *head, const struct emit_loop *loop, int adaptive) {
    int blocks = device_side_by_side(loop, adaptive);
    emit_put(e, "__global__ void __launch_bounds__(DEVICE_THREADS, %d) %s_%s(struct device_run *run,\n",
             blocks, head, loop->name);
    emit_put(e, "    int count, int *untaken) {\n");
    emit_table(e, loop->name, loop->table);
    emit_lanes_locals(e, loop, adaptive);
    emit_put(e, "struct keel_kernel_state *state[1];\nlong taken[1] = {0};\nint at = 0;\n");
}

static void put_take(struct emit *e, const struct emit_loop *loop) {
    emit_put(e, "at = atomicAdd(untaken, 1);\nif (at >= count) break;\nstate[0] = device_take(&run[at]);\n");
    emit_put(e, "__builtin_assume(state[0] != 0);\n"); /* so that what it points to is known to be in *run */
    emit_put(e, "p.units = state[0]->allowed;\n");
    emit_put(e, "m.least = (keel_real *)run[at].least, m.spread = (keel_real *)run[at].spread;\n");
    emit_put(e, "for (int j = 0; j < %u; j++) parameter[j] = run[at].parameter[j];\n", loop->parameters);
    if (loop->motion) emit_put(e, "motion_begin(own);\n");
}

static void add_case(struct emit *e, const char *condition, const char *kernel, const char *name) {
    size_t at = strlen(e->cases);
    int length =
        snprintf(e->cases + at, sizeof e->cases - at, "if (%s) kernel = %s_%s;\n", condition, kernel, name);
    if (length < 0 || (size_t)length >= sizeof e->cases - at) e->failed = 1;
}

static void put_row(struct emit *e, int count, const double *value) {
    char number[EMIT_NUMBER];
    emit_put(e, "{\nconst double row[] = {");
    for (int i = 0; i < count; i++) {
        emit_number(number, sizeof number, value[i]);
        emit_put(e, "%s,\n", number);
    }
    emit_put(e, "};\n");
}

/* keel_rk_step and keel_rk_errors of keel/explicit.h, row by row. */
void emit_device_stages(struct emit *e, const char *rhs, const keel_rk *table, int n) {
    char number[EMIT_NUMBER];
    const double *row = table->a;
    emit_put(
        e, "static inline int keel_rk_step(const keel_rk *table, int width, keel_fn *rhs, void *context,\n");
    emit_put(e, "    keel_real t, keel_real h, const keel_real *x, const keel_real *f, keel_real *k,\n");
    emit_put(e, "    keel_real *stage, keel_real *dx) {\n__builtin_assume(x != 0);\n");
    emit_put(e, "for (int i = 0; i < %d; i++) k[i] = f[i];\n", n);
    for (int i = 1; i < table->stages; row += i, i++) {
        put_row(e, i, row);
        emit_number(number, sizeof number, table->c[i]);
        emit_put(e, "keel_rk_sum(%d, %d, row, k, h, x, stage);\n", n, i);
        emit_put(e, "%s(t + %s * h, stage, k + %d, context);\n}\n", rhs, number, i * n);
    }
    put_row(e, table->stages, table->b);
    emit_put(e, "keel_rk_sum(%d, %d, row, k, h, NULL, dx);\n}\nreturn 0;\n}\n", n, table->stages);
    emit_put(e,
             "static inline void keel_rk_errors(const keel_rk *table, int width, int count, int stride,\n");
    emit_put(e, "    const keel_real *k, keel_real h, keel_real *error) {\n");
    for (int i = 0; i < 2 && table->error[i]; i++) {
        put_row(e, table->stages, table->error[i]);
        emit_put(e, "if (count > %d) keel_rk_sum(%d, %d, row, k, h, NULL, error + %d * stride);\n}\n", i, n,
                 table->stages, i);
    }
    emit_put(e, "}\n");
}

/* The rows are not known yet: fixed steps with nothing to measure have none. */
int emit_device(struct emit *e, const char *name, const struct tape *t, const struct emit_method *method) {
    char rhs[EMIT_NAME + 8];
    if (!method->rk || !emit_is_straight(t) || t->count * (size_t)method->rk->stages > EMIT_STEP) return 1;
    emit_lanes_loops(e, &(struct emit_loop){.name = name, .table = method->rk});
    if (emit_under(e, "static inline int rhs_", name, t)) return -1;
    snprintf(rhs, sizeof rhs, "rhs_%s", name);
    emit_device_stages(e, rhs, method->rk, (int)t->outputs);
    return e->failed ? -1 : 0;
}

static void put_plain(struct emit *e, const struct emit_loop *loop) {
    put_head(e, "plain", loop, 0);
    emit_put(e, "for (;;) {\n");
    put_take(e, loop);
    emit_put(e, "lanes_plain(&table_%s, &p, &m, rhs_%s, own, state, taken);\n", loop->name, loop->name);
    emit_put(e, "run[at].taken = taken[0];\n}\n}\n");
    add_case(e, "plain", "plain", loop->name);
}

static void put_steps(struct emit *e, const struct emit_loop *loop, int keeps, int adaptive) {
    char head[] = "steps00", condition[60];
    head[5] = (char)('0' + keeps), head[6] = (char)('0' + adaptive);
    put_head(e, head, loop, adaptive);
    emit_put(e, adaptive ? "struct lanes l;\nfor (int runs = 0;;) {\nif (!runs) {\n"
                         : "struct lanes l;\nfor (int runs = 1;; runs = 1) {\n");
    put_take(e, loop);
    emit_put(e, "lanes_load(&l, &p, &m, state, %d, %d);\n%s", keeps, adaptive,
             adaptive ? "}\n" : "while (runs) {\n");
    emit_put(e, "DEVICE_STEP;\nruns = lanes_%s(&l, &table_%s, &p, &m, ", adaptive ? "attempt" : "step",
             loop->name);
    emit_loop_functions(e, loop, adaptive);
    emit_put(e, "own, %d);\n%s", keeps, adaptive ? "if (runs) continue;\n" : "}\n");
    if (loop->kept && !loop->motion)
        emit_put(e, "lanes_find_again(&l, &p, &m, values_%s, own, %d);\n", loop->name, adaptive);
    emit_put(e, "lanes_store(&l, &table_%s, &p, &m, %d, %d, taken);\n", loop->name, keeps, adaptive);
    if (loop->motion) emit_put(e, "motion_end(own, state);\n");
    emit_put(e, "run[at].taken = taken[0];\n}\n}\n");
    snprintf(condition, sizeof condition, "!plain && which == %d", keeps + 2 * adaptive);
    add_case(e, condition, head, loop->name);
}

void emit_loops_on_device(struct emit *e, const struct emit_loop *loop, unsigned wanted) {
    static const unsigned which[] = {EMIT_WATCHING, EMIT_KEEPING, EMIT_ADAPTIVE, EMIT_ADAPTIVE_KEEPING};
    put_sizes(e, loop);
    for (int k = 0; k < 4; k++)
        if (wanted & which[k]) put_steps(e, loop, k & 1, k >> 1);
}

int emit_device_kept(struct emit *e, const char *name, const struct tape *f, const struct emit_method *method,
                     int maps, const struct emit_rows *rows) {
    struct emit_loop loop = {name, method->rk, (int)f->outputs, 0, 0, 0, NULL}, plain;
    if (!emit_measure(&loop, f, maps, rows)) return 1;
    unsigned wanted = emit_kernels(e, method, loop.kept);
    int fixed = !e->kernels || e->kernels & EMIT_PLAIN;
    if (wanted == 0 && !fixed) return 1;
    if (emit_values(e, name, loop.n, maps, rows)) return -1;
    loop.terms = emit_terms(e, name, maps, rows);
    if (loop.terms < 0) return -1;
    put_sizes(e, &loop);
    plain = loop;
    plain.kept = plain.terms = 0;
    if (fixed) put_plain(e, &plain);
    emit_loops_on_device(e, &loop, wanted);
    return e->failed ? -1 : 0;
}

void emit_device_end(struct emit *e) {
    if (!e->kernel_count) return;
    emit_text(e,
              "extern \"C\" int device_steps(void *queue, int plain, int count,\n"
              "    struct keel_kernel_state *const *state, void *const *user, long *taken, char *message,\n"
              "    size_t room) {\nint which = (state[0]->treatment == KERNEL_KEPT) + 2 * "
              "(state[0]->adaptive != 0);\ndevice_kernel *kernel = 0;\n");
    emit_text(e, e->cases);
    emit_text(e, "if (!kernel) {\nsnprintf(message, room, \"the GPU has no kernel for these steps\");\n"
                 "return 1;\n}\nreturn device_go((struct device_queue *)queue, kernel, which > 1, count, "
                 "state, user,\n"
                 "    taken, message, room);\n}\n");
}
