/* standalone_tables.c - tables in an emitted model; see standalone.h. */
#include "model/standalone.h"

#include "symbolic/table.h"

enum { MOST_NUMBERS = 1000000 };

static long numbers_of(const keel_model *m, int table) {
    return TABLE_ROW * ((long)m->model->graph.rows[table][TABLE_PIECES] + 2);
}

int standalone_tables_fit(const keel_model *m) {
    double all = 0;
    for (int k = 0; k < m->model->tables; k++) all += (double)numbers_of(m, k);
    return all <= MOST_NUMBERS;
}

void standalone_tables(FILE *out, const keel_model *m) {
    int tables = m->model->tables;
    for (int k = 0; k < tables; k++) {
        fprintf(out, "static const double table_%d[] = {", k);
        for (long i = 0; i < numbers_of(m, k); i++) {
            fputs(i % TABLE_ROW ? ", " : i ? ",\n    " : "\n    ", out);
            standalone_number(out, m->model->graph.rows[k][i]);
        }
        fputs("};\n", out);
    }
    if (tables) fputs("static const double *const tables[] = {", out);
    for (int k = 0; k < tables; k++) fprintf(out, "%stable_%d", k ? ", " : "", k);
    if (tables)
        fputs("};\nstatic const struct {\n    const double *parameter;\n    const double *const *table;\n"
              "} bound = {parameter, tables};\n",
              out);
    else fputs("static const struct {\n    const double *parameter;\n} bound = {parameter};\n", out);
}

void standalone_pieces(FILE *out, const keel_model *m, int mode, const char *name) {
    const struct formulation *r = &m->mode[mode]->formulation;
    fprintf(
        out,
        "\n/* The pieces of the tables on which a run goes on from t, way > 0 forwards; the next knot. */\n"
        "double %s(double t, double way);\ndouble %s(double t, double way) {\n"
        "    double *piece = parameter + %d, next = way * __builtin_inf(), knot;\n",
        name, name, m->model->parameters + m->model->helds + r->surfaces);
    for (int k = 0; k < r->clocks; k++)
        fprintf(out,
                "    piece[%d] = keel_piece_from(table_%d, t, way);\n"
                "    knot = keel_entry(table_%d, 8 * (way > 0 ? piece[%d] + 1 : piece[%d]));\n"
                "    if ((knot - next) * way < 0) next = knot;\n",
                k, r->clock[k], r->clock[k], k, k);
    fputs("    return next;\n}\n", out);
}

void standalone_run(FILE *out, const char *name, double from, double to) {
    int way = to < from ? -1 : 1;
    fputs("KEEL_OK;\n    const double end = ", out);
    standalone_number(out, to);
    fprintf(out,
            ";\n    for (double knot = %s(keel_time(s), %d); status == KEEL_OK && keel_time(s) != end;) {\n"
            "        int last = (knot - end) * %d >= 0 || keel_same(knot, end);\n"
            "        status = keel_run(s, last ? end : knot);\n"
            "        if (status != KEEL_OK || last) break;\n"
            "        knot = %s(keel_time(s), %d); /* f is another one from here on */\n"
            "        status = keel_go_on(s, keel_state(s));\n    }\n",
            name, way, way, name, way);
}
