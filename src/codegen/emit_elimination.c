/* emit_elimination.c - accelerations of a chain and, of a short one, its way back to the manifold:
 * core/elimination.h and core/elimination_project.h with its order of elimination. */
#include "codegen/emit.h"

/* Numbers of one table, as an initializer. */
static void put_table(struct emit *e, const char *head, const char *name, int count, const int *value) {
    emit_put(e, "static const %s_%s[] = {", head, name);
    for (int i = 0; i < count; i++) emit_put(e, i % 16 == 15 ? "%d,\n" : "%d,", value[i]);
    emit_put(e, "%s};\n", count ? "" : "0");
}

/* The order of elimination. */
static void put_order(struct emit *e, const char *name, const struct emit_elimination *m) {
    put_table(e, "struct schur_row chain_row", name, 6 * m->k, m->row);
    put_table(e, "struct schur_link chain_link", name, 2 * m->links, m->link);
    put_table(e, "int chain_column", name, m->entries, m->column);
}

/* A local: that order, and the numbers in these arrays. */
static void put_sweep(struct emit *e, const char *name, const struct emit_elimination *m,
                      const char *arrays) {
    emit_put(e, "const struct schur_sweep s = {%d, chain_row_%s, 0, 0, {{", m->k, name);
    for (int i = 0; i < 2 * EMIT_STRAND; i++)
        emit_put(e, i == EMIT_STRAND ? "}, {%d, " : "%d, ", m->strand[i]);
    emit_put(e, "}}, %d, %d, %d, chain_link_%s, chain_column_%s, %s};\n", m->begin, m->end, m->dimension,
             name, name, arrays);
}

static void put_numbers(struct emit *e, const struct emit_elimination *m) {
    emit_put(e, "double b[%d], inverse[%d], joint[%d];\n", m->entries, m->k, m->k);
    emit_put(e, "double work[%d], lack[%d], r[%d];\n", m->k + 1, m->k + 1, m->k + 1);
}

static void put_accelerations(struct emit *e, const char *name, const struct emit_elimination *m,
                              int inside) {
    static const char arguments[] =
        "_%s(struct keel_elimination_state *e, double t, const double *u,\n    double *out, void *user) {\n";
    emit_put(e, "static __attribute__((noinline, flatten)) int chain_rate");
    emit_put(e, arguments, name);
    put_numbers(e, m);
    put_sweep(e, name, m, "b, inverse, joint, work, lack, r");
    emit_put(e, "return elimination_accelerate(&s, %d, %d, ", m->nq, m->entries);
    if (inside) emit_put(e, "chain_force_%s, chain_rows_%s, chain_curvature_%s", name, name, name);
    else emit_put(e, "e->force, e->rows, e->curvature");
    emit_put(e, ", e, t, u, out, user);\n}\nint elimination");
    emit_put(e, arguments, name);
    emit_put(e, "if (chain_rate_%s(e, t, u, out, user)) return 1;\n", name);
    emit_put(e, "if (!e->factored) elimination_pass(e, %d, t, u);\nreturn 0;\n}\n", m->nq);
}

/* What is needed in several places: chain_factor_NAME and so on, each a function of its own. */
enum { PARTS = 3 };
static const struct part {
    const char *name, *type, *arguments, *call;
} parts[PARTS] = {
    {"factor", "int", "struct keel_restoration_state *e, double t, void *user", "e, t, user"},
    {"correct", "void", "struct keel_restoration_state *e, const double *c, double *half", "e, c, half"},
    {"tangent", "void", "const struct keel_restoration_state *e, double *half, double *dual",
     "e, half, dual"}};

static void put_head(struct emit *e, const char *name, const struct part *p) {
    emit_put(e, "static __attribute__((noinline, flatten)) %s chain_%s_%s(\n", p->type, p->name, name);
    emit_put(e, "    const struct elimination_workspace *w, %s)", p->arguments);
}

static void put_model(struct emit *e, const char *name, const struct emit_elimination *m) {
    const struct emit_mechanics *motion = m->motion;
    for (int i = 0; i < PARTS; i++) {
        put_head(e, name, &parts[i]);
        emit_put(e, ";\n");
    }
    put_table(e, "int chain_start", name, m->k + 1, m->start);
    emit_put(e, "static const struct elimination_model chain_model_%s = {%d, %d, %d, %d, chain_start_%s,\n",
             name, m->nq, m->k, m->entries, motion->maps, name);
    emit_put(e, "    chain_column_%s, chain_rows_%s, chain_constraint_%s, ", name, name, name);
    if (motion->terms) emit_put(e, "chain_terms_%s, ", name);
    else emit_put(e, "0, ");
    if (motion->maps)
        emit_put(e, "motion_values_%s, motion_gradients_%s, motion_value_terms_%s,\n", name, name, name);
    else emit_put(e, "0, 0, 0, ");
    emit_put(e, "    chain_factor_%s, chain_correct_%s, chain_tangent_%s};\n", name, name, name);
    for (int i = 0; i < PARTS; i++) {
        put_head(e, name, &parts[i]);
        emit_put(e, " {\n");
        put_sweep(e, name, m, "w->b, w->inverse, w->joint, w->work, w->lack, w->r");
        emit_put(e, "%selimination_%s(&chain_model_%s, &s, w, %s);\n}\n",
                 parts[i].type[0] == 'i' ? "return " : "", parts[i].name, name, parts[i].call);
    }
}

static int put_restoration(struct emit *e, const char *name, const struct emit_elimination *m) {
    int n = 2 * m->nq, rows = 2 * m->k + 1;
    if (m->motion->maps && emit_motion_invariants(e, name, m->motion)) return -1;
    put_model(e, name, m);
    emit_put(e, "__attribute__((flatten)) int restoration_%s(struct keel_restoration_state *e,\n", name);
    emit_put(e, "    double t, double *u, void *user) {\n");
    put_numbers(e, m);
    emit_put(e, "double x[%d], residual[%d], sizes[%d], entry[%d], at[%d], c[%d], mu[%d], d[%d];\n", n, rows,
             rows, m->entries, m->nq, m->k, m->k, m->nq);
    emit_put(e, "const struct elimination_workspace w = {x, residual, sizes, entry, at, c, mu, d,\n");
    emit_put(e, "    b, inverse, joint, work, lack, r};\n");
    emit_put(e, "return elimination_project(&chain_model_%s, &w, e, t, u, user);\n}\n", name);
    return e->failed ? -1 : 0;
}

/* keel_rk_sum of all states, four at a time; x: "x" or NULL. */
static void put_sum(struct emit *e, int width, int count, const double *a, const char *x, const char *out) {
    char number[EMIT_NUMBER];
    int first = 0, last = count - 1;
    while (first < count - 1 && a[first] == 0) first++;
    while (last > first && a[last] == 0) last--;
    int alone = first == last && (a[first] == 0.5 || a[first] == 1);
    emit_number(number, sizeof number, alone ? 1 : a[first]);
    emit_put(e, "for (int i = 0; i < %d; i += 4) {\nchain_four s = %s * FOUR(k + %d + i);\n", width, number,
             first * width);
    for (int j = first + 1; j <= last; j++) {
        if (a[j] == 0) continue;
        emit_number(number, sizeof number, a[j]);
        emit_put(e, "s += %s * FOUR(k + %d + i);\n", number, j * width);
    }
    emit_number(number, sizeof number, alone ? a[first] : 1);
    emit_put(e, "FOUR(%s + i) = %s%s%s(h * %s) * s;\n}\n", out, x ? "FOUR(" : "", x ? x : "",
             x ? " + i) + " : "", number);
}

/* All stages, the increment, and the estimates. */
static void put_stages(struct emit *e, const char *name, const struct emit_elimination *m) {
    const keel_rk *table = m->table;
    const double *row = table->a;
    int width = (2 * m->nq + 3) / 4 * 4;
    char number[EMIT_NUMBER];
    if (e->restorations == 1)
        emit_put(e, "typedef double chain_four __attribute__((vector_size(32), aligned(8), may_alias));\n"
                    "#define FOUR(p) (*(chain_four *)(p))\n");
    emit_put(e, "int stages_%s(struct keel_elimination_state *e, double t, double h, const double *x,\n",
             name);
    emit_put(e, "    const double *f, double *k, double *dx, double *const *error, void *user) {\n");
    emit_put(e, "double stage[%d];\nfor (int i = 0; i < %d; i += 4) FOUR(k + i) = FOUR(f + i);\n", width,
             width);
    for (int i = 1; i < table->stages; row += i, i++) {
        put_sum(e, width, i, row, "x", "stage");
        emit_number(number, sizeof number, table->c[i]);
        emit_put(e, "if (chain_rate_%s(e, t + %s * h, stage, k + %d, user)) return 1;\n", name, number,
                 i * width);
    }
    emit_put(e, "elimination_pass(e, %d, t + %s * h, stage);\n", m->nq, number);
    put_sum(e, width, table->stages, table->b, NULL, "dx");
    for (int i = 0; i < 2 && table->error[i]; i++) {
        emit_put(e, "double *error%d = error[%d];\nif (error%d) {\n", i, i, i);
        put_sum(e, width, table->stages, table->error[i], NULL, i ? "error1" : "error0");
        emit_put(e, "}\n");
    }
    emit_put(e, "return 0;\n}\n");
}

/* The functions of a short chain, as parts of its loops. */
static int put_functions(struct emit *e, const char *name, const struct emit_mechanics *m) {
    return emit_under(e, "static inline int chain_force_", name, m->force) ||
           emit_under(e, "static inline int chain_rows_", name, m->rows.jacobian) ||
           emit_under(e, "static inline int chain_curvature_", name, m->curvature) ||
           emit_under(e, "static inline int chain_constraint_", name, m->constraint) ||
           (m->terms && emit_under(e, "static inline int chain_terms_", name, m->terms));
}

int emit_elimination(struct emit *e, const char *name, const struct emit_elimination *m) {
    enum { MOST_ROWS = 2000, LONGEST = 1500 }; /* whose numbers lie on the stack; of codes */
    if (m->k > MOST_ROWS || e->lanes || e->device) return 1;
    long length = emit_motion_length(m->motion);
    int inside = length >= 0 && length <= LONGEST;
    int restores = inside && m->motion->projects && !m->motion->complete && emit_invariants(m->motion) <= 1;
    if (restores) emit_mechanism_prelude(e);
    if (!e->eliminations++) {
        if (restores) emit_text(e, "#define SCHUR_UNROLL KEEL_RK_UNROLL\n");
        emit_header(e, emit_schur_rows);
        emit_header(e, emit_elimination_text);
    }
    if (restores && !e->restorations++) emit_header(e, emit_elimination_project);
    if (inside && put_functions(e, name, m->motion)) return -1;
    put_order(e, name, m);
    put_accelerations(e, name, m, inside);
    if (restores && put_restoration(e, name, m)) return -1;
    if (restores && m->table) put_stages(e, name, m);
    return e->failed ? -1 : 0;
}
