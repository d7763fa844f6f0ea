/* emit_motion.c - projected steps of small mechanics: for one run the loop of core/kernel.h with
 * core/kernel_motion.h, for several side by side and for a GPU those of core/lanes_steps.h with
 * core/lanes_motion.h, and the tapes of a model inside. */
#include "codegen/emit.h"

/* One run ----------------------------------------------------------------------------------------------- */

void emit_motion_parts(struct emit *e, const char *name, const struct emit_mechanics *m) {
    static const char head[] =
        "static inline int %s_%s(double t, const double *x, double *out, void *user) {\n"
        "struct kernel_motion *w = (struct kernel_motion *)user;\n";
    static const char call[] = "struct keel_mechanics_state *s = motion_enter(&mechanism_%s, w, t, x);\n"
                               "return motion_leave(w, %s_%s(s, t, %sout, w->user));\n}\n";
    emit_put(e, head, "rhs", name);
    emit_put(e, call, name, "accelerations", name, "x, ");
    emit_put(e, head, "project", name);
    emit_put(e, call, name, "projection", name, "");
    emit_put(e, head, "normals", name);
    if (m->maps) emit_put(e, "return motion_gradients_%s(t, x, out, w->user);\n}\n", name);
    else emit_put(e, "return 0;\n}\n");
}

void emit_motion_own(struct emit *e, const char *name, const struct emit_mechanics *m) {
    int nq = m->nq, k = m->k, invariants = emit_invariants(m), width = (nq + 3) / 4 * 4;
    int rows = 2 * k + invariants, normals = invariants * 2 * nq + 1;
    emit_put(e, "double mass[%d], k_rows[%d], shift[%d], at[%d], lambda[%d], size[%d];\n", nq * nq, k * nq, k,
             nq + 1, k, rows);
    emit_put(e, "double normals[%d], seen[%d], r3[%d], inverse3[%d], r4[%d], inverse4[%d];\n", normals,
             normals, k * k, k, invariants * invariants + 1, invariants + 1);
    emit_put(e, "double along[%d] __attribute__((aligned(32))), q3[%d] __attribute__((aligned(32)));\n",
             2 * width, k * width);
    emit_put(e, "double q4[%d] __attribute__((aligned(32)));\n", 2 * width * invariants + 4);
    emit_put(e, "int used3[%d], used4[%d];\n", k, invariants + 1);
    emit_put(e, "struct rowspace of_k = {%d, %d, 0, q3, r3, inverse3, used3};\n", k, width);
    emit_put(e, "struct rowspace border = {%d, %d, 0, q4, r4, inverse4, used4};\n", invariants, 2 * width);
    const char *behind = "user";
    if (e->calls.count) {
        emit_put(e, "struct mechanism_call calls[%d];\nmechanism_forget(calls, %d);\n", e->calls.count,
                 e->calls.count);
        emit_motion_user(e, "calls");
        behind = "&with";
    }
    emit_put(e,
             "struct kernel_motion own = {.s = {.mass = mass, .k_rows = k_rows, .shift = shift, .at = at,\n");
    emit_put(e, "    .lambda = lambda, .space = &of_k, .reference = kept->reference, .size = size,\n");
    emit_put(e, "    .residual = residual, .gradients = normals, .border = &border,\n");
    emit_put(e, "    .largest = kept->largest, .units = kept->allowed, .nearly = kept->nearly},\n");
    emit_put(e, "    .along = along, .gradients = seen, .user = %s};\n", behind);
    if (e->calls.count) emit_put(e, "own.s.calls = calls;\n");
    emit_put(e, "if (motion_begin(&mechanism_%s, &own, kept, %d) != 0) return 0;\n", name, rows);
}

/* Several ----------------------------------------------------------------------------------------------- */

/* Do all runs take the same way through all tapes?  And what they read. */
static int is_straight(const struct emit_mechanics *m, uint32_t *parameters) {
    const struct tape *tape[EMIT_TAPES];
    emit_motion_tapes(m, tape);
    for (int i = 0; i < EMIT_TAPES; i++) {
        if (!tape[i]) continue;
        if (!emit_is_straight(tape[i])) return 0;
        *parameters = emit_parameters(tape[i], *parameters);
    }
    return 1;
}

/* struct motion, and what it points to. */
void emit_motion_locals(struct emit *e, const struct emit_loop *loop) {
    const struct emit_mechanics *m = loop->motion;
    int nq = m->nq, k = m->k, invariants = emit_invariants(m), n = 2 * nq, width = (nq + 3) / 4 * 4;
    int few = k + invariants + 1;
    emit_put(e, "keel_real mass[%d], k_rows[%d], shift[%d], place_of[%d], tried[%d], normal[%d];\n", nq * nq,
             k * nq, k, nq + 1, loop->kept, invariants * n + 1);
    emit_put(e, "keel_real place[%d], beside[%d], beside_shift[%d], few[%d], of_few[%d], least_of[%d];\n", n,
             k * nq, k, few, few, few);
    emit_put(e, "keel_real way[%d], force[%d], weighted[%d], gamma[%d], lambda[%d];\n", 2 * width, width,
             width, k, k);
    emit_put(e, "keel_real direction[%d], part[%d], bordered[%d], arrived[%d];\n", invariants * n + 1, few,
             invariants * invariants + 1, invariants * (2 * width + invariants + 1) + 1);
    emit_put(e, "keel_real q3[%d], r3[%d], inverse3[%d], q4[%d], r4[%d], inverse4[%d];\n", k * width, k * k,
             k, 2 * width * invariants + 1, invariants * invariants + 1, invariants + 1);
    emit_put(e, "struct motion own[1] = {{parameter, mass, k_rows, shift, place_of,\n");
    emit_put(e, "    {%d, %d, 0, q3, r3, inverse3, used}, {%d, %d, 0, q4, r4, inverse4, used},\n", k, width,
             invariants, 2 * width);
    emit_put(
        e, "    tried, residual, normal, place, beside, beside_shift, few, of_few, least_of, way, force,\n");
    emit_put(e, "    weighted, gamma, lambda, direction, part, bordered, arrived}};\n");
}

static void put_model(struct emit *e, const struct emit_loop *loop) {
    const struct emit_mechanics *m = loop->motion;
    emit_put(e, "static inline struct mechanism motion_model(void) {\nconst struct mechanism m = {");
    emit_motion_sizes(e, m);
    emit_put(e, "%d, %d, %d, 0, ", m->steady, m->complete, m->maps);
    emit_motion_calls(e, loop->name, m);
    emit_put(e, "return m;\n}\n");
}

int emit_motion(struct emit *e, const char *name, const struct emit_mechanics *m,
                const struct emit_method *method) {
    enum { MOST_ROWS = 16 }; /* as core/kernel_work.h has them */
    struct emit_loop loop = {name, method->rk, 2 * m->nq, 2 * m->k + emit_invariants(m), 0, 0, m};
    unsigned wanted = emit_kernels(e, method, loop.kept) & (EMIT_KEEPING | EMIT_ADAPTIVE_KEEPING);
    if (!m->projects || loop.kept > MOST_ROWS || wanted == 0 || !emit_is_small(m)) return 1;
    if (!e->lanes) return loop.n <= EMIT_STATES ? emit_motion_kept(e, name, m, method) : 1;
    if (!is_straight(m, &loop.parameters)) return 1;
    if (e->device) emit_lanes_loops(e, &loop);
    else emit_lanes_prelude(e, &loop);
    if (emit_motion_functions(e, name, m)) return -1;
    put_model(e, &loop);
    if (e->device) {
        emit_device_stages(e, "motion_rhs", method->rk, loop.n);
        emit_loops_on_device(e, &loop, wanted);
    } else {
        emit_table(e, name, method->rk);
        emit_loops_in_lanes(e, &loop, wanted);
    }
    return e->failed ? -1 : 0;
}
