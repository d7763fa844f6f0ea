/* emit_step.c - a step of a Runge-Kutta method, sum by sum: keel_rk_step and keel_rk_errors of
 * keel/explicit.h with their loops written out, and the same bits.  A compiler that writes them out itself
 * takes longer, and needs -O3 for it. */
#include "codegen/emit.h"

/* Pairs of k_j, in registers for all sums that follow. */
static void put_pairs(struct emit *e, int n, int j) {
    for (int i = 0; i + 1 < n; i += 2)
        emit_put(e, "keel_rk_pair p%d_%d = {k[%d], k[%d]};\n", j, i / 2, j * n + i, j * n + i + 1);
}

/* Two states, from i on: s = a_first p_first + ... */
static void put_pair_sum(struct emit *e, int i, int first, int last, const double *a, int alone) {
    char number[EMIT_NUMBER];
    emit_number(number, sizeof number, alone ? 1 : a[first]);
    emit_put(e, "keel_rk_pair s = %s * p%d_%d;\n", number, first, i / 2);
    for (int j = first + 1; j <= last; j++) {
        if (a[j] == 0) continue;
        emit_number(number, sizeof number, a[j]);
        emit_put(e, "s += %s * p%d_%d;\n", number, j, i / 2);
    }
}

static void put_single_sum(struct emit *e, int n, int i, int first, int last, const double *a, int alone) {
    char number[EMIT_NUMBER];
    emit_number(number, sizeof number, alone ? 1 : a[first]);
    emit_put(e, "double s = %s * k[%d];\n", number, first * n + i);
    for (int j = first + 1; j <= last; j++) {
        if (a[j] == 0) continue;
        emit_number(number, sizeof number, a[j]);
        emit_put(e, "s += %s * k[%d];\n", number, j * n + i);
    }
}

/* keel_rk_sum; x: "x" or NULL. */
static void put_sum(struct emit *e, int n, int count, const double *a, const char *x, const char *out) {
    char factor[EMIT_NUMBER] = "";
    int first = 0, last = count - 1, paired = n % 2 == 0 && count > 4;
    while (first < count - 1 && a[first] == 0) first++;
    while (last > first && a[last] == 0) last--;
    int alone = first == last && (a[first] == 0.5 || a[first] == 1);
    if (alone) emit_number(factor, sizeof factor, a[first]);
    for (int i = paired ? n - 2 : n - 1; i >= 0; i -= paired ? 2 : 1) {
        emit_put(e, "{\n");
        if (paired) put_pair_sum(e, i, first, last, a, alone);
        else put_single_sum(e, n, i, first, last, a, alone);
        emit_put(e, alone ? "s = (h * %s) * s;\n" : "s = h * s;\n", factor);
        if (x && paired) emit_put(e, "s = (keel_rk_pair){%s[%d], %s[%d]} + s;\n", x, i, x, i + 1);
        else if (x) emit_put(e, "s = %s[%d] + s;\n", x, i);
        if (paired) emit_put(e, "%s[%d] = s[0];\n%s[%d] = s[1];\n}\n", out, i, out, i + 1);
        else emit_put(e, "%s[%d] = s;\n}\n", out, i);
    }
}

static void put_errors(struct emit *e, const char *name, const keel_rk *table, int n) {
    emit_put(e, "static inline void errors_%s(const keel_rk *table, int width, int count, int stride,\n",
             name);
    emit_put(e, "    const double *k, double h, double *error) {\n");
    for (int j = 0; j < table->stages && n % 2 == 0; j++) put_pairs(e, n, j);
    for (int i = 0; i < 2 && table->error[i]; i++) {
        emit_put(e, "if (count > %d) {\n", i);
        put_sum(e, n, table->stages, table->error[i], NULL, "error");
        emit_put(e, "}\nerror += stride;\n");
    }
    emit_put(e, "}\n");
}

void emit_step(struct emit *e, const char *name, const keel_rk *table, int n) {
    char number[EMIT_NUMBER];
    const double *row = table->a;
    if (!e->written++) emit_put(e, "#define " EMIT_WRITTEN " static inline int\n");
    emit_put(e, EMIT_WRITTEN " step_%s(const keel_rk *table, int width, keel_fn *rhs,\n", name);
    emit_put(e, "    void *context, double t, double h, const double *x, const double *f, double *k,\n");
    emit_put(e, "    double *stage, double *dx) {\n");
    for (int i = 0; i < n; i++) emit_put(e, "k[%d] = f[%d];\n", i, i);
    if (n % 2 == 0) put_pairs(e, n, 0);
    for (int i = 1; i < table->stages; row += i, i++) {
        put_sum(e, n, i, row, "x", "stage");
        emit_number(number, sizeof number, table->c[i]);
        emit_put(e, "if (rhs_%s(t + %s * h, stage, k + %d, context) != 0) return 1;\n", name, number, i * n);
        if (n % 2 == 0) put_pairs(e, n, i);
    }
    put_sum(e, n, table->stages, table->b, NULL, "dx");
    emit_put(e, "return 0;\n}\n");
    put_errors(e, name, table, n);
}
