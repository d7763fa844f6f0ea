/* emit_elimination.c - accelerations of a long chain: core/elimination.h with its order of elimination. */
#include "codegen/emit.h"

/* Numbers of one table, as an initializer. */
static void put_table(struct emit *e, const char *head, int count, const int *value) {
    emit_put(e, "static const %s[] = {", head);
    for (int i = 0; i < count; i++) emit_put(e, i % 16 == 15 ? "%d,\n" : "%d,", value[i]);
    emit_put(e, "%s};\n", count ? "" : "0");
}

int emit_elimination(struct emit *e, const char *name, const struct emit_elimination *m) {
    enum { MOST_ROWS = 2000 }; /* whose numbers lie on the stack */
    if (m->k > MOST_ROWS || e->lanes || e->device) return 1;
    if (!e->eliminations++) { /* nothing of what other kernels stand behind */
        emit_header(e, emit_schur_rows);
        emit_header(e, emit_elimination_text);
    }
    emit_put(e, "__attribute__((flatten)) int elimination_%s(struct keel_elimination_state *e,\n", name);
    emit_put(e, "    double t, const double *u, double *out, void *user) {\n");
    put_table(e, "struct schur_row rows", 6 * m->k, m->row);
    put_table(e, "struct schur_link link", 2 * m->links, m->link);
    put_table(e, "int column", m->entries, m->column);
    emit_put(e, "double b[%d], size[%d], inverse[%d], joint[%d];\n", m->entries, m->k, m->k, m->k);
    emit_put(e, "double work[%d], lack[%d], r[%d];\n", m->k + 1, m->k + 1, m->k + 1);
    emit_put(e, "const struct schur_sweep s = {%d, rows, 0, 0, {{", m->k);
    for (int i = 0; i < 2 * EMIT_STRAND; i++)
        emit_put(e, i == EMIT_STRAND ? "}, {%d, " : "%d, ", m->strand[i]);
    emit_put(e, "}}, %d, %d, %d, link, column, b, size, inverse, joint, work, lack, r};\n", m->begin, m->end,
             m->dimension);
    emit_put(e, "return elimination_accelerate(&s, %d, %d, e, t, u, out, user);\n}\n", m->nq, m->entries);
    return e->failed ? -1 : 0;
}
