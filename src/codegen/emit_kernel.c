/* emit_kernel.c - kernels: loops of keel/explicit.h, keel/splitting.h and core/kernel.h with the tapes of a
 * model inside. */
#include "codegen/emit.h"

#include <stdio.h>

static void put_numbers(struct emit *e, char letter, const char *name, int count, const double *value) {
    char number[EMIT_NUMBER];
    emit_put(e, "TABLE double %c_%s[] = {", letter, name);
    for (int i = 0; i < count; i++) {
        emit_number(number, sizeof number, value[i]);
        emit_put(e, "%s,\n", number);
    }
    emit_put(e, count ? "};\n" : "0};\n");
}

/* How often the code of a step contains the right-hand side.  The turns of a splitting are a loop, and so are
 * the stages of an implicit method. */
static size_t copies(const struct emit_method *method) {
    enum { TURNS = 3 };
    return method->rk ? (size_t)method->rk->stages : TURNS;
}

int emit_two_estimates(const keel_rk *table) {
    return table && table->error[0] && table->error[1] && table->norm.kind != KEEL_ERROR_FIRST;
}

static int wants_fixed(const struct emit *e) {
    return !e->kernels || e->kernels & EMIT_PLAIN;
}

static void put_fixed_head(struct emit *e, const char *name) {
    emit_put(e, "KERNEL long fixed_%s(double t, double base, double h, long first, long count, double *x,\n",
             name);
    emit_put(e, "    double *f, void *user) {\n");
}

void emit_table(struct emit *e, const char *name, const keel_rk *table) {
    int stages = table->stages;
    put_numbers(e, 'c', name, stages, table->c);
    put_numbers(e, 'a', name, stages * (stages - 1) / 2, table->a);
    put_numbers(e, 'b', name, stages, table->b);
    for (int i = 0; i < 2 && table->error[i]; i++) put_numbers(e, "vw"[i], name, stages, table -> error[i]);
    emit_put(e, "TABLE keel_rk table_%s = {.stages = %d, .c = c_%s, .a = a_%s, .b = b_%s, ", name, stages,
             name, name, name);
    if (table->error[0]) emit_put(e, ".error = {v_%s", name);
    if (table->error[0] && table->error[1]) emit_put(e, ", w_%s", name);
    emit_put(e, "%s", table->error[0] ? "}, " : "");
    if (emit_two_estimates(table)) {
        char weight[EMIT_NUMBER];
        emit_number(weight, sizeof weight, table->norm.weight);
        emit_put(e, ".norm = {(keel_error_kind)%d, %s}, ", (int)table->norm.kind, weight);
    }
    emit_put(e, ".last_is_end = %d};\n", table->last_is_end != 0);
}

/* Steps of few states are written out; those of few stages are soon compiled as they are, and a little faster
 * by -O3. */
static int has_many_stages(const keel_rk *table) {
    return table && table->stages > 4;
}
static int is_written(const keel_rk *table, int n) {
    return n <= EMIT_STATES && has_many_stages(table);
}

/* The loop of keel/explicit.h on arrays of constant size, so that all of a step can stay in registers. */
static void put_fixed(struct emit *e, const char *name, const keel_rk *table, int width) {
    int stages = table->stages;
    emit_table(e, name, table);
    if (is_written(table, width)) emit_step(e, name, table, width);
    if (!wants_fixed(e)) return;
    put_fixed_head(e, name);
    emit_put(e, "double y[%d], g[%d], k[%d] = {0}, stage[%d], dx[%d];\n", width, width, stages * width, width,
             width);
    emit_put(e, "for (int i = 0; i < %d; i++) y[i] = x[i], g[i] = f[i];\n", width);
    if (is_written(table, width)) emit_put(e, "long calls = keel_rk_fixed_by(step_%s, ", name);
    else emit_put(e, "long calls = keel_rk_fixed(");
    emit_put(e, "&table_%s, %d, rhs_%s, user,\n", name, width, name);
    emit_put(e, "    t, base, h, first, count, y, g, k, stage, dx);\n");
    emit_put(e, "for (int i = 0; i < %d; i++) x[i] = y[i], f[i] = g[i];\nreturn calls;\n}\n", width);
}

static int width_of(int n) {
    return (n + 3) / 4 * 4;
}

/* The same of keel/splitting.h.  Of a rate, the compiler leaves out the half that a turn does not use. */
static void put_turns(struct emit *e, const char *name, const keel_splitting *s, int n) {
    emit_put(e, "static const keel_splitting splitting_%s = {%d, %d, %d};\n", name, s->half, s->stages,
             s->drift_first != 0);
    emit_put(e,
             "static inline int part_%s(int part, double t, double begin, double length, const double *x,\n",
             name);
    emit_put(e, "    double *out, void *user) {\nreturn rhs_%s(t, x, out, user);\n}\n", name);
    if (!wants_fixed(e)) return;
    put_fixed_head(e, name);
    emit_put(e, "double y[%d], stage[%d], rate[%d], dx[%d];\n", n, n, n, n);
    emit_put(e, "keel_splitting_memory m = keel_splitting_at(f, %d, %d);\n", width_of(n), s->stages);
    emit_put(e,
             "return keel_splitting_fixed(&splitting_%s, part_%s, user, t, base, h, first, count, x, &m,\n",
             name, name);
    emit_put(e, "    y, stage, rate, dx);\n}\n");
}

static void put_rows_of(struct emit *e, int rows, int count, int stride, const double *value) {
    char number[EMIT_NUMBER];
    for (int i = 0; i < rows; i++) {
        emit_put(e, "{");
        for (int j = 0; j < count; j++) {
            emit_number(number, sizeof number, value[i * stride + j]);
            emit_put(e, "%s,", number);
        }
        emit_put(e, "},\n");
    }
}

static void put_weights(struct emit *e, const char *name, const char *what, int rows, int stages,
                        const keel_stage_weights *w) {
    emit_put(e, "TABLE keel_stage_weights %s_%s[] = {\n", what, name);
    for (int i = 0; i < rows; i++) {
        emit_put(e, "{");
        put_rows_of(e, 1, stages, 0, w[i].coarse);
        put_rows_of(e, 1, stages, 0, w[i].fine);
        emit_put(e, "},\n");
    }
    emit_put(e, "};\n");
}

/* The numbers of keel/implicit.h. */
static void put_implicit(struct emit *e, const char *name, const keel_implicit *m) {
    int s = m->stages;
    put_numbers(e, 'c', name, s, m->c);
    emit_put(e, "TABLE double a_%s[][KEEL_STAGES] = {\n", name);
    put_rows_of(e, s, s, KEEL_STAGES, m->a[0]);
    emit_put(e, "};\nTABLE double start_%s[][KEEL_STAGES + 1] = {\n", name);
    put_rows_of(e, s, s + 1, KEEL_STAGES + 1, m->start[0]);
    emit_put(e, "};\n");
    put_weights(e, name, "of_stage", s, s, m->of_stage);
    put_weights(e, name, "of_end", 1, s, m->of_end);
    emit_put(e, "TABLE keel_implicit implicit_%s = {%d, %d, %d, %d, c_%s, a_%s,\n", name, s,
             m->first_explicit != 0, m->last_is_end != 0, m->with_rate != 0, name, name);
    emit_put(e, "    of_stage_%s, of_end_%s, start_%s};\n", name, name, name);
}

void emit_header(struct emit *e, const char *const *line) {
    for (int i = 0; line[i]; i++) emit_text(e, line[i]);
}

void emit_kernel_prelude(struct emit *e) {
    if (e->kernel_count++) return;
    emit_text(e, "#include <stddef.h>\n" EMIT_ALONE " const double *, double *, void *);\n"
                 "#define KEEL_INLINE\n#define TABLE static const\n"
                 "#ifdef __clang__\n#define inline __inline__ __attribute__((always_inline))\n#else\n"
                 "#define inline __inline__\n#endif\n#define KERNEL __attribute__((flatten))\n");
    emit_header(e, emit_real);
    emit_header(e, emit_explicit);
    emit_header(e, emit_implicit);
    emit_header(e, emit_splitting);
    emit_header(e, emit_taylor);
}

void emit_projection_prelude(struct emit *e) {
    if (e->projections++) return;
    emit_header(e, emit_rowspace);
    emit_header(e, emit_project);
}

int emit_kernel(struct emit *e, const char *name, const struct tape *t, const struct emit_method *method) {
    if (e->device) return emit_device(e, name, t, method);
    if (e->lanes) return emit_lanes(e, name, t, method);
    if (t->roll || t->count * copies(method) > EMIT_STEP || t->count > EMIT_PART) return 1;
    if ((method->series || method->implicit) && emit_kernels(e, method, EMIT_KEPT) == 0) return 1;
    if (method->implicit && t->outputs > EMIT_STATES) return 1;
    emit_kernel_prelude(e);
    if (emit_under(e, "static inline int rhs_", name, t)) return -1;
    if (method->rk) put_fixed(e, name, method->rk, (int)t->outputs);
    else if (method->implicit) put_implicit(e, name, method->implicit);
    else if (!method->series) put_turns(e, name, &method->splitting, (int)t->outputs);
    return e->failed ? -1 : 0;
}

/* Values of all rows, and their gradients as dense rows, each map's own function one after the other. */
static void put_rows(struct emit *e, const char *name, int n, int maps, const struct emit_rows *rows) {
    const char *real = emit_type(e);
    emit_put(e, "static inline int values_%s(%s t, const %s *u, %s *out, void *user) {\n", name, real, real,
             real);
    for (int i = 0, at = 0; i < maps; at += (int)rows[i].value->outputs, i++)
        emit_put(e, "values_%d_%s(t, u, out + %d, user);\n", i, name, at);
    emit_put(e, "return 0;\n}\n");
    emit_put(e, "static inline int gradients_%s(%s t, const %s *u, %s *out, void *user) {\n", name, real,
             real, real);
    for (int i = 0, at = 0; i < maps; at += (int)rows[i].value->outputs, i++) {
        int count = (int)rows[i].value->outputs, entry = 0;
        emit_put(e, "{ %s v[%d]; gradients_%d_%s(t, u, v, user);\n", real, rows[i].row_start[count] + 1, i,
                 name);
        for (int row = 0; row < count; row++)
            for (int j = 0; j < n; j++) {
                int there = entry < rows[i].row_start[row + 1] && rows[i].column[entry] == j;
                if (there) emit_put(e, "out[%d] = v[%d];\n", (at + row) * n + j, entry++);
                else
                    emit_put(e, e->lanes ? "out[%d] = keel_lift(0.0);\n" : "out[%d] = 0;\n",
                             (at + row) * n + j);
            }
        emit_put(e, "}\n");
    }
    emit_put(e, "return 0;\n}\n");
}

int emit_values(struct emit *e, const char *name, int n, int maps, const struct emit_rows *rows) {
    static const char head[] = "static inline int ";
    for (int i = 0; i < maps; i++) {
        char of_map[EMIT_NAME + 80];
        snprintf(of_map, sizeof of_map, "%svalues_%d_", head, i);
        if (emit_under(e, of_map, name, rows[i].value)) return -1;
        snprintf(of_map, sizeof of_map, "%sgradients_%d_", head, i);
        if (emit_under(e, of_map, name, rows[i].jacobian)) return -1;
    }
    if (maps) put_rows(e, name, n, maps, rows);
    return 0;
}

void emit_direction(struct emit *e, int n) {
    if (!e->direction) return;
    emit_put(e, "const int direction[] = {");
    for (int i = 0; i < n; i++) emit_put(e, "%d,\n", e->direction[i]);
    emit_put(e, "};\n");
}

/* The numbers of a projection, as locals of constant size. */
static void put_project(struct emit *e, int n, int kept) {
    int width = width_of(n), rows = kept ? kept : 1;
    emit_direction(e, n);
    emit_put(e, "double residual[%d], gradients[%d], floor_of[%d], c[%d], z[%d], inverse[%d], r[%d];\n", rows,
             rows * n, rows, rows, rows, rows, rows * rows);
    emit_put(
        e, "double q[%d] __attribute__((aligned(32))), d[%d] __attribute__((aligned(32)));\nint used[%d];\n",
        rows * width, width, rows);
    emit_put(e, "struct rowspace space = {%d, %d, 0, q, r, inverse, used};\n", kept, width);
    emit_put(e,
             "struct project p = {%d, %d, %d, %d, %d, 0, kept->allowed, kept->inverse_weight, gradients, "
             "kept->size, "
             "residual,\n",
             n, width, kept, kept == 2 && width == 4, n);
    emit_put(e, "    &space, floor_of, c, z, d, 0, %s};\n", e->direction ? "direction" : "0");
}

/* kernel_correct_apart on them. */
static void put_again(struct emit *e, const char *name, int n, int kept) {
    emit_put(e, "KERNEL __attribute__((noinline, cold))\n");
    emit_put(e, "static int correct_again_%s(struct keel_kernel_state *kept, void *user, double t) {\n",
             name);
    emit_put(e, "double next[%d] = {0};\n", width_of(n));
    put_project(e, n, kept);
    emit_put(e, "struct kernel_workspace work = {.next = next, .gradients = gradients};\n");
    emit_put(e, "return kernel_correct_apart(&p, &work, kept, values_%s, gradients_%s, user, t);\n}\n", name,
             name);
}

/* kernel_steps on arrays of constant size. */
static void put_steps(struct emit *e, const char *name, const struct emit_method *method, int n, int kept,
                      const struct emit_mechanics *motion, int keeps, int adaptive) {
    const keel_implicit *implicit = method->implicit;
    int stages = method->rk ? method->rk->stages : implicit ? implicit->stages : 2, width = width_of(n);
    int even = (n + 1) / 2 * 2, row = implicit ? even : n;
    emit_put(e, "KERNEL static long steps%d%d_%s(struct keel_kernel_state *kept, void *user) {\n", keeps,
             adaptive, name);
    emit_put(e, "double x[%d] = {0}, f[%d] = {0}, next[%d] = {0}, k[%d] = {0}, stage[%d], dx[%d];\n", width,
             width, width, stages * row, n, row);
    emit_put(e, "double error[%d] __attribute__((aligned(32))) = {0}, split[%d], scale[%d], limit[%d];\n",
             2 * width, n, n, n);
    put_project(e, n, kept);
    emit_put(e, "struct kernel_workspace work = {x, f, next, k, stage, dx, gradients, error, split, scale, "
                "limit};\n");
    if (method->series) emit_put(e, "work.taylor = keel_taylor_at(kept->carried, %d, %d);\n", n, width);
    else if (implicit) {
        emit_put(e, "double stages[%d], moved[%d], last[%d] = {0}, place[%d], sizes[%d];\n", stages * even,
                 stages * even, stages * even, even, even);
        emit_put(e, "work.room = (keel_implicit_room){%d, %d, %d, stages, k, moved, place, sizes};\n", n, n,
                 even);
        emit_put(e, "work.last = last;\n");
    } else if (!method->rk)
        emit_put(e, "work.memory = keel_splitting_at(kept->carried, %d, %d);\n", width,
                 method->splitting.stages);
    if (motion) emit_motion_own(e, name, motion);
    emit_put(e, "return kernel_steps(&method_%s, &p, &work, rhs_%s, ", name, name);
    if (kept) emit_put(e, motion ? "project_%s, normals_%s, " : "values_%s, gradients_%s, ", name, name);
    emit_put(e, "%s", kept ? "" : "0, 0, ");
    if (emit_two_estimates(method->rk)) emit_put(e, "&table_%s.norm", name);
    else emit_put(e, "0");
    emit_put(e, ", %s, kept, %d, %d);\n}\n", motion ? "&own" : "user", keeps, adaptive);
}

/* Fixed steps with nothing to keep or to watch are for the plain kernel, but for those of implicit methods.
 * Those that keep rows have kernels of their own: what others need would take registers. */
static unsigned kernel_of(int keeps, int adaptive) {
    unsigned free = EMIT_PLAIN | EMIT_WATCHING;
    return adaptive ? keeps ? EMIT_ADAPTIVE_KEEPING : EMIT_ADAPTIVE : keeps ? EMIT_KEEPING : free;
}

/* Those that this method and this number of rows can have, and that are wanted. */
unsigned emit_kernels(const struct emit *e, const struct emit_method *method, int kept) {
    unsigned all = kept && !method->series ? EMIT_WATCHING | EMIT_KEEPING : 0;
    if (method->implicit) all |= EMIT_PLAIN | EMIT_WATCHING;
    if (method->series || (method->rk && method->rk->error[0]))
        all |= kept ? EMIT_ADAPTIVE | EMIT_ADAPTIVE_KEEPING : EMIT_ADAPTIVE;
    return e->kernels ? all & e->kernels : all;
}

static void put_kept(struct emit *e, const char *name, const struct emit_method *method, int n, int kept,
                     const struct emit_mechanics *motion, unsigned wanted) {
    int again = !motion && wanted & (EMIT_KEEPING | EMIT_ADAPTIVE_KEEPING);
    if (again) put_again(e, name, n, kept);
    emit_put(e, "static const struct kernel_method method_%s = {", name);
    if (is_written(method->rk, n)) emit_put(e, "&table_%s, 0, 0, 0, step_%s, errors_%s, ", name, name, name);
    else if (method->rk) emit_put(e, "&table_%s, 0, 0, 0, keel_rk_step, keel_rk_errors, ", name);
    else if (method->implicit) emit_put(e, "0, &implicit_%s, 0, 0, 0, 0, ", name);
    else if (method->series) emit_put(e, "0, 0, 0, 0, 0, 0, ");
    else emit_put(e, "0, 0, &splitting_%s, part_%s, 0, 0, ", name, name);
    emit_put(e, again ? "correct_again_%s, " : "0, ", name);
    emit_put(e, motion ? "&mechanism_%s};\n" : "0};\n", name);
    for (int k = 0; k < 4; k++)
        if (wanted & kernel_of(k & 1, k >> 1)) put_steps(e, name, method, n, kept, motion, k & 1, k >> 1);
    emit_put(e, "long kept_%s(struct keel_kernel_state *kept, void *user) {\n", name);
    emit_put(e, "int which = (kept->treatment == KERNEL_KEPT) + 2 * (kept->adaptive != 0);\n");
    for (int k = 0; k < 4; k++)
        if (wanted & kernel_of(k & 1, k >> 1))
            emit_put(e, "if (which == %d) return steps%d%d_%s(kept, user);\n", k, k & 1, k >> 1, name);
    emit_put(e, "return 0;\n}\n");
}

/* What the headers of kernels are told about a method before they are read: true of all kernels in a file. */
static int kind_of(const struct emit_method *method, const struct emit_mechanics *motion) {
    return (method->rk != NULL) | (method->implicit != NULL) << 1 | (method->splitting.stages > 0) << 2 |
           has_many_stages(method->rk) << 3 | (motion != NULL) << 4;
}

/* Those headers, once a text.  0: it has them for kernels of another kind. */
static int put_headers(struct emit *e, const struct emit_method *method,
                       const struct emit_mechanics *motion) {
    int kind = kind_of(method, motion);
    if (e->kept > 0 && e->kept_kind != kind) return 0;
    emit_projection_prelude(e);
    if (e->kept++) return 1;
    e->kept_kind = kind;
    emit_header(e, emit_step_control);
    emit_header(e, emit_kernel_state);
    emit_put(e, "#define KERNEL_OF_RK(method) %d\n#define KERNEL_OF_IMPLICIT(method) %d\n",
             method->rk != NULL, method->implicit != NULL);
    emit_put(e, "#define KERNEL_OF_SPLITTING(method) %d\n", method->splitting.stages > 0);
    emit_put(e, "#define KERNEL_CLOCK %d\n", e->clock);
    if (has_many_stages(method->rk))
        emit_text(e, "#define KERNEL_STEP(method) (method)->step\n"
                     "#define KERNEL_ERRORS(method) (method)->errors\n");
    emit_header(e, emit_kernel_rows);
    if (motion) emit_header(e, emit_kernel_motion);
    emit_header(e, emit_kernel_steps);
    return 1;
}

/* The values of a sample, and where they go. */
static void put_assignments(struct emit *e, const char *name, const struct emit_sample *sample) {
    emit_put(e, "static inline void assign_%s(const double *value, double *x) {\n", name);
    for (int i = 0; i < sample->count; i++)
        emit_put(e, "x[%d] = value[%d];\n", sample->place[i], sample->first + i);
    emit_put(e, "}\n");
}

/* kernel_samples on arrays of constant size. */
static void put_samples(struct emit *e, const char *name, const struct emit_method *method, int n,
                        const struct emit_sample *sample, int adaptive) {
    int width = width_of(n), values = (int)sample->values->outputs;
    emit_put(e, "KERNEL static long samples%d_%s(struct keel_sample_state *s, void *user) {\n", adaptive,
             name);
    emit_put(e, "double x[%d] = {0}, f[%d] = {0}, next[%d] = {0}, k[%d] = {0}, stage[%d], dx[%d];\n", width,
             width, width, method->rk->stages * n, n, n);
    emit_put(e, "double error[%d] __attribute__((aligned(32))) = {0}, scale[%d];\n", 2 * width, n);
    emit_put(e, "double value[%d] = {0};\n", values);
    emit_direction(e, n);
    emit_put(e, "struct project p = {.n = %d, .width = %d, .direction = %s};\n", n, width,
             e->direction ? "direction" : "0");
    emit_put(e, "struct kernel_workspace work = {x, f, next, k, stage, dx, 0, error, 0, scale, 0};\n");
    emit_put(e, "struct kernel_sample sample = {sample_%s, assign_%s, value, %d, %d};\n", name, name,
             sample->first, sample->count);
    emit_put(e, "return kernel_samples(&loop_%s, &p, &work, rhs_%s, ", name, name);
    if (emit_two_estimates(method->rk)) emit_put(e, "&table_%s.norm", name);
    else emit_put(e, "0");
    emit_put(e, ", &sample, user, s, %d);\n}\n", adaptive);
}

int emit_samples(struct emit *e, const char *name, const struct tape *f, const struct emit_method *method,
                 const struct emit_sample *sample) {
    int n = (int)f->outputs, adaptive = method->rk->error[0] != NULL;
    unsigned by_error = EMIT_ADAPTIVE | EMIT_ADAPTIVE_KEEPING;
    size_t length = f->count * (copies(method) + 1) + sample->values->count;
    if (e->device || e->lanes || n > EMIT_STATES || length > EMIT_STEP || sample->values->roll) return 1;
    if (sample->values->count > EMIT_PART || !put_headers(e, method, NULL)) return 1;
    if (!e->sampled++) emit_header(e, emit_kernel_samples);
    if (emit_under(e, "static inline int sample_", name, sample->values)) return -1;
    put_assignments(e, name, sample);
    emit_put(e, "static const struct kernel_method loop_%s = {", name);
    if (is_written(method->rk, n))
        emit_put(e, "&table_%s, 0, 0, 0, step_%s, errors_%s, 0, 0};\n", name, name, name);
    else emit_put(e, "&table_%s, 0, 0, 0, keel_rk_step, keel_rk_errors, 0, 0};\n", name);
    int fixed = wants_fixed(e);
    adaptive = adaptive && (!e->kernels || e->kernels & by_error);
    if (fixed) put_samples(e, name, method, n, sample, 0);
    if (adaptive) put_samples(e, name, method, n, sample, 1);
    emit_put(e, "long samples_%s(struct keel_sample_state *s, void *user) {\n", name);
    if (fixed) emit_put(e, "if (!s->k.adaptive) return samples0_%s(s, user);\n", name);
    if (adaptive) emit_put(e, "if (s->k.adaptive) return samples1_%s(s, user);\n", name);
    emit_put(e, "return 0;\n}\n");
    return e->failed ? -1 : 0;
}

int emit_motion_kept(struct emit *e, const char *name, const struct emit_mechanics *m,
                     const struct emit_method *method) {
    int n = 2 * m->nq, kept = 2 * m->k + emit_invariants(m);
    unsigned wanted = emit_kernels(e, method, kept) & (EMIT_KEEPING | EMIT_ADAPTIVE_KEEPING);
    if (!put_headers(e, method, m)) return 1;
    emit_motion_parts(e, name, m);
    if (method->rk) emit_table(e, name, method->rk);
    if (is_written(method->rk, n)) emit_step(e, name, method->rk, n);
    put_kept(e, name, method, n, kept, m, wanted);
    return e->failed ? -1 : 0;
}

int emit_kept(struct emit *e, const char *name, const struct tape *f, const struct emit_method *method,
              int maps, const struct emit_rows *rows) {
    if (e->device) return emit_device_kept(e, name, f, method, maps, rows);
    if (e->lanes) return emit_lanes_kept(e, name, f, method, maps, rows);
    size_t length = f->count * copies(method);
    int kept = 0;
    for (int i = 0; i < maps; i++) {
        length += 2 * rows[i].value->count + rows[i].jacobian->count;
        kept += (int)rows[i].value->outputs;
        if (rows[i].value->roll || rows[i].value->count > EMIT_PART) return 1;
        if (rows[i].jacobian->roll || rows[i].jacobian->count > EMIT_PART) return 1;
    }
    if (kept > EMIT_KEPT || f->outputs > EMIT_STATES || length > EMIT_STEP) return 1;
    if (emit_kernels(e, method, kept) == 0) return 1;
    if (!put_headers(e, method, NULL)) return 1;
    if (emit_values(e, name, (int)f->outputs, maps, rows)) return -1;
    put_kept(e, name, method, (int)f->outputs, kept, NULL, emit_kernels(e, method, kept));
    return e->failed ? -1 : 0;
}
