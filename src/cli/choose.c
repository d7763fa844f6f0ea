/* choose.c - see choose.h. */
#include "cli/choose.h"

#include "base/text.h"

static int modes_change(const keel_model *m) {
    return keel_model_modes(m) > 1;
}

const char *choose_method(const keel_model *m, int fixed, char *why, size_t room) {
    keel_mode mode = {0};
    if (!keel_model_mode(m, keel_model_start(m), &mode)) return "dop853";
    const keel_problem *p = mode.problem;
    if (!fixed) {
        text_set(why, room, "order 8 with error control%s",
                 mode.index > 1 ? ", projected to the hidden constraints: nothing stiff is known"
                 : p->n == 0    ? ""
                 : p->energy.count + p->invariant.count
                     ? ", projected to what is kept: nothing stiff is known"
                     : ": nothing stiff is known");
        return "dop853";
    }
    if (p->form == KEEL_MECHANICS && p->constraint.count && !p->rolling.count && !modes_change(m)) {
        text_set(
            why, room,
            "fixed step, mechanics with constraints: symplectic, keeps constraints and their derivatives "
            "by itself");
        return "rattle";
    }
    text_set(why, room, "fixed step: the classical method of order 4");
    return "rk4";
}
