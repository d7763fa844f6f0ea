/* emit_motion.c - projected steps of small mechanics, for several runs side by side and for a GPU: the loops
 * of core/lanes_steps.h with those of core/lanes_motion.h and the tapes of a model inside. */
#include "codegen/emit.h"

#include <string.h>

enum { TAPES = 13 };

static void find_tapes(const struct emit_mechanics *m, const struct tape *tape[TAPES]) {
    const struct tape *one[TAPES] = {m->force,         m->mass.jacobian, m->curvature, m->constraint,
                                     m->rows.jacobian, m->shift,         m->terms};
    for (int i = 0, at = 7; i < m->maps; i++, at += 3) {
        one[at] = m->invariant[i].value;
        one[at + 1] = m->invariant[i].jacobian;
        one[at + 2] = m->invariant_terms[i];
    }
    memcpy(tape, one, sizeof one);
}

/* Do all runs take the same way through all tapes?  And what they read. */
static int is_straight(const struct emit_mechanics *m, uint32_t *parameters) {
    const struct tape *tape[TAPES];
    find_tapes(m, tape);
    for (int i = 0; i < TAPES; i++) {
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
    emit_put(e, "static inline struct mechanism motion_model(void) {\nconst struct mechanism m = {%d, %d, ",
             m->nq, m->k);
    emit_put(e, "%d, %d, %d, %d, 0, ", emit_invariants(m), m->steady, m->complete, m->maps);
    emit_motion_calls(e, loop->name, m);
    emit_put(e, "return m;\n}\n");
}

int emit_motion(struct emit *e, const char *name, const struct emit_mechanics *m,
                const struct emit_method *method) {
    enum { MOST_ROWS = 16 }; /* as core/kernel_work.h has them */
    struct emit_loop loop = {name, method->rk, 2 * m->nq, 2 * m->k + emit_invariants(m), 0, 0, m};
    unsigned wanted = emit_kernels(e, method, loop.kept) & (EMIT_KEEPING | EMIT_ADAPTIVE_KEEPING);
    if (!m->projects || loop.kept > MOST_ROWS || wanted == 0 || !emit_is_small(m) ||
        !is_straight(m, &loop.parameters))
        return 1;
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
