/* emit_mechanics.c - accelerations and projections of small mechanics: core/mechanism.h with the tapes of a
 * model inside. */
#include "codegen/emit.h"

#include <stdio.h>
#include <string.h>

/* Beyond these the work is long whatever it is called through. */
enum { MOST_COORDINATES = 8, MOST_ROWS = 8, MOST_INVARIANTS = 4, LONGEST = 1500 };

/* One tape as motion_KIND_NAME. */
static int put_part(struct emit *e, const char *kind, const char *name, const struct tape *t) {
    char head[128];
    snprintf(head, sizeof head, "static inline int motion_%s_", kind);
    return emit_under(e, head, name, t);
}

/* motion_KIND_NAME, a keel_fn, up to its body. */
static void put_head(struct emit *e, const char *kind, const char *name) {
    const char *real = emit_type(e);
    emit_put(e, "static inline int motion_%s_%s(%s t, const %s *u, %s *out, void *user) {\n", kind, name,
             real, real, real);
}

static void put_zero(struct emit *e, int at) {
    emit_put(e, e->lanes ? "out[%d] = keel_lift(0.0);\n" : "out[%d] = 0;\n", at);
}

/* The entries of a matrix, and motion_KIND_NAME, which writes all of it, its zeros included. */
static int put_matrix(struct emit *e, const char *kind, const char *name, const struct emit_rows *m, int rows,
                      int columns) {
    char entries[40];
    snprintf(entries, sizeof entries, "%s_entries", kind);
    if (put_part(e, entries, name, m->jacobian)) return -1;
    put_head(e, kind, name);
    emit_put(e, "%s v[%d];\nmotion_%s_%s(t, u, v, user);\n", emit_type(e), m->row_start[rows] + 1, entries,
             name);
    for (int row = 0, entry = 0; row < rows; row++)
        for (int j = 0; j < columns; j++) {
            int there = entry < m->row_start[row + 1] && m->column[entry] == j;
            if (there) emit_put(e, "out[%d] = v[%d];\n", row * columns + j, entry++);
            else put_zero(e, row * columns + j);
        }
    emit_put(e, "return 0;\n}\n");
    return e->failed ? -1 : 0;
}

/* Values, gradients and terms of energy and invariants, one map after the other. */
int emit_motion_invariants(struct emit *e, const char *name, const struct emit_mechanics *m) {
    static const char *const kind[] = {"value", "gradient", "value_term"};
    char part[40];
    const int stride[] = {1, 2 * m->nq, 1}; /* numbers a row */
    for (int i = 0; i < m->maps; i++) {
        snprintf(part, sizeof part, "value_%d", i);
        if (put_part(e, part, name, m->invariant[i].value)) return -1;
        snprintf(part, sizeof part, "gradient_%d", i);
        if (put_matrix(e, part, name, &m->invariant[i], (int)m->invariant[i].value->outputs, 2 * m->nq))
            return -1;
        snprintf(part, sizeof part, "value_term_%d", i);
        if (m->invariant_terms[i] && put_part(e, part, name, m->invariant_terms[i])) return -1;
    }
    for (int k = 0; k < 3; k++) {
        snprintf(part, sizeof part, "%ss", kind[k]);
        put_head(e, part, name);
        for (int i = 0, row = 0; i < m->maps; row += (int)m->invariant[i].value->outputs, i++) {
            if (k < 2 || m->invariant_terms[i])
                emit_put(e, "motion_%s_%d_%s(t, u, out + %d, user);\n", kind[k], i, name, row * stride[k]);
            for (int j = 0; j < (int)m->invariant[i].value->outputs && k == 2 && !m->invariant_terms[i]; j++)
                put_zero(e, row + j);
        }
        emit_put(e, "return 0;\n}\n");
    }
    return e->failed ? -1 : 0;
}

int emit_invariants(const struct emit_mechanics *m) {
    int count = 0;
    for (int i = 0; i < m->maps; i++) count += (int)m->invariant[i].value->outputs;
    return count;
}

/* All tapes. */
void emit_motion_tapes(const struct emit_mechanics *m, const struct tape *tape[EMIT_TAPES]) {
    const struct tape *one[EMIT_TAPES] = {m->force,         m->mass.jacobian, m->curvature, m->constraint,
                                          m->rows.jacobian, m->shift,         m->terms};
    for (int i = 0, at = 7; i < m->maps; i++, at += 3) {
        one[at] = m->invariant[i].value;
        one[at + 1] = m->invariant[i].jacobian;
        one[at + 2] = m->invariant_terms[i];
    }
    memcpy(tape, one, sizeof one);
}

/* Of one evaluation of everything. */
long emit_motion_length(const struct emit_mechanics *m) {
    const struct tape *all[] = {m->force,         m->mass.jacobian, m->curvature, m->constraint,
                                m->rows.jacobian, m->shift,         m->terms};
    long length = 0;
    for (int i = 0; i < 7; i++) {
        if (all[i] && (all[i]->roll || all[i]->count > EMIT_PART)) return -1;
        length += all[i] ? (long)all[i]->count : 0;
    }
    for (int i = 0; i < m->maps; i++) {
        const struct tape *value = m->invariant[i].value, *gradient = m->invariant[i].jacobian;
        if (value->roll || gradient->roll || value->count > EMIT_PART || gradient->count > EMIT_PART)
            return -1;
        length += (long)(value->count + gradient->count);
    }
    return length;
}

/* What maps find behind `user`, as `with`, with the calls that are kept there. */
void emit_motion_user(struct emit *e, const char *calls) {
    emit_put(e, "struct mechanism_user with = {*(const double *const *)user, %s, %s};\n",
             e->tables ? "((const double *const *const *)user)[1]" : "0", calls);
}

static void put_locals(struct emit *e, int nq, int k, int invariants) {
    int n = 2 * nq, width = (nq + 3) / 4 * 4, rows = 2 * k + invariants + 1, few = k + invariants + 1;
    emit_put(e, "double x[%d], residual[%d], size[%d], beside[%d], beside_shift[%d], c[%d], z[%d];\n", n,
             rows, rows, k * nq + 1, k + 1, few, few);
    emit_put(e, "double floor_of[%d], gamma[%d], direction[%d], line[%d], part[%d], bordered[%d];\n", few,
             k + 1, invariants * n + 1, n, few, invariants * invariants + 1);
    emit_put(e, "double d[%d] __attribute__((aligned(32))), force[%d] __attribute__((aligned(32))) = {0},\n",
             width, width);
    emit_put(e, "    weighted[%d] __attribute__((aligned(32)));\nint pivot[%d];\n", width, invariants + 1);
    emit_put(e, "struct mechanism_workspace w = {x, residual, size, beside, beside_shift, c, z, floor_of,\n");
    emit_put(e, "    d, force, weighted, gamma, direction, line, part, bordered, pivot, s};\n");
    if (e->calls.count) {
        emit_motion_user(e, "s->calls");
        emit_put(e, "user = &with;\n");
    }
    /* sizes as constants: those of the solver are the same */
    emit_put(e, "struct rowspace space = mechanism_space(s->space, %d, %d);\n", k, width);
}

int emit_motion_functions(struct emit *e, const char *name, const struct emit_mechanics *m) {
    if (put_part(e, "force", name, m->force) || put_matrix(e, "mass", name, &m->mass, m->nq, m->nq))
        return -1;
    if (m->k &&
        (put_part(e, "curvature", name, m->curvature) || put_part(e, "constraint", name, m->constraint) ||
         put_matrix(e, "rows", name, &m->rows, m->k, m->nq)))
        return -1;
    if (m->shift && put_part(e, "shift", name, m->shift)) return -1;
    if (m->terms && put_part(e, "terms", name, m->terms)) return -1;
    return m->maps ? emit_motion_invariants(e, name, m) : 0;
}

/* A struct mechanism up to `steady`. */
void emit_motion_sizes(struct emit *e, const struct emit_mechanics *m) {
    emit_put(e, "%d, %d, %d, {", m->nq, m->k, emit_invariants(m));
    for (int i = 0; i < m->nq; i++) {
        int first = i;
        for (int k = m->mass.row_start[i]; k < m->mass.row_start[i + 1]; k++)
            if (m->mass.column[k] < first) first = m->mass.column[k];
        emit_put(e, "%d, ", first);
    }
    emit_put(e, "}, ");
}

/* The rest of it, from its functions on. */
void emit_motion_calls(struct emit *e, const char *name, const struct emit_mechanics *m) {
    emit_put(e, "motion_force_%s, motion_mass_%s, ", name, name);
    if (m->k) emit_put(e, "motion_curvature_%s, motion_constraint_%s, motion_rows_%s, ", name, name, name);
    else emit_put(e, "0, 0, 0, ");
    if (m->shift) emit_put(e, "motion_shift_%s, ", name);
    else emit_put(e, "0, ");
    if (m->terms) emit_put(e, "motion_terms_%s, ", name);
    else emit_put(e, "0, ");
    if (m->maps)
        emit_put(e, "motion_values_%s, motion_gradients_%s, motion_value_terms_%s};\n", name, name, name);
    else emit_put(e, "0, 0, 0};\n");
}

/* struct mechanism, and mechanism_factor_into with it, as a function of its own: it is needed in several
 * places. */
static void put_model(struct emit *e, const char *name, const struct emit_mechanics *m) {
    static const char head[] =
        "static __attribute__((noinline, flatten)) int motion_factor_%s(double t, const double *x,\n"
        "    const struct keel_mechanics_state *s, void *user)";
    emit_put(e, head, name);
    emit_put(e, ";\nstatic const struct mechanism mechanism_%s = {", name);
    emit_motion_sizes(e, m);
    emit_put(e, "%d, %d, %d, motion_factor_%s, ", m->steady, m->complete, m->maps, name);
    emit_motion_calls(e, name, m);
    emit_put(e, head, name);
    emit_put(e, " {\nstruct rowspace space = mechanism_space(s->space, %d, %d);\ndouble floor_of[%d];\n",
             m->k, (m->nq + 3) / 4 * 4, m->k + 1);
    emit_put(e, "return mechanism_factor_into(&mechanism_%s, s, &space, floor_of, t, x, user);\n}\n", name);
}

static void put_accelerations(struct emit *e, const char *name, const struct emit_mechanics *m) {
    emit_put(e, "APART int accelerations_%s(struct keel_mechanics_state *s, double t, const double *u,\n",
             name);
    emit_put(e, "    double *out, void *user) {\n");
    put_locals(e, m->nq, m->k, emit_invariants(m));
    emit_put(e, "struct keel_mechanics_state m = mechanism_copy(s, &space, 0);\n");
    emit_put(e, "int failed = mechanism_rhs(&mechanism_%s, &w, &m, t, u, out, user);\n", name);
    emit_put(e, "mechanism_leave(s, &m);\nreturn failed;\n}\n");
}

static void put_projection(struct emit *e, const char *name, const struct emit_mechanics *m) {
    emit_put(e, "APART int projection_%s(struct keel_mechanics_state *s, double t, double *u,\n", name);
    emit_put(e, "    void *user) {\n");
    put_locals(e, m->nq, m->k, emit_invariants(m));
    emit_put(e, "struct rowspace border = mechanism_space(s->border, %d, %d);\n", emit_invariants(m),
             (m->nq + 3) / 4 * 8);
    emit_put(e, "struct keel_mechanics_state m = mechanism_copy(s, &space, &border);\n");
    emit_put(e, "int failed = mechanism_project(&mechanism_%s, &w, &m, t, u, user);\n", name);
    emit_put(e, "mechanism_leave(s, &m);\nreturn failed;\n}\n");
}

int emit_is_small(const struct emit_mechanics *m) {
    long length = emit_motion_length(m);
    return m->nq <= MOST_COORDINATES && m->k <= MOST_ROWS && emit_invariants(m) <= MOST_INVARIANTS &&
           length >= 0 && length <= LONGEST;
}

void emit_mechanism_prelude(struct emit *e) {
    emit_kernel_prelude(e);
    emit_projection_prelude(e);
    if (e->mechanisms++) return;
    emit_text(e, "#define APART __attribute__((noinline)) KERNEL\n"); /* steps call them, too */
    emit_text(e, "#define SMALL_UNROLL KEEL_RK_UNROLL\n");
    emit_header(e, emit_small);
    emit_header(e, emit_mechanism_calls);
    emit_header(e, emit_mechanism);
}

int emit_mechanics(struct emit *e, const char *name, const struct emit_mechanics *m) {
    if (!emit_is_small(m)) return 1;
    const struct tape *tape[EMIT_TAPES];
    emit_mechanism_prelude(e);
    emit_motion_tapes(m, tape);
    emit_find_calls(&e->calls, EMIT_TAPES, tape);
    e->keeps_calls = e->calls.count > 0;
    int failed = emit_motion_functions(e, name, m);
    e->keeps_calls = 0;
    if (failed) return -1;
    put_model(e, name, m);
    put_accelerations(e, name, m);
    if (m->projects) put_projection(e, name, m);
    return e->failed ? -1 : 0;
}
