/* test_orders.c - two halvings of the step in a row, both above round-off, show the order of every method.
 *
 * The battery fits orders for all pairs of method and stabilizer; here each method is alone, and the two
 * quotients must say the same.  Above order 8 no two halvings fit between the first useful step and
 * round-off: those tables are judged by their simplifying assumptions (test_implicit.c). */
#include "testing.h"

#include <keel/method.h>

enum { SCENES = 4 };

static void fill(int scene, problem *p) {
    if (scene == 0) problem_kepler_hamiltonian(p, 0.2);
    if (scene == 1) problem_rigid_body(p, 2, 1, 2. / 3);
    if (scene == 2) problem_rigid_body_hamiltonian(p, 2, 1, 2. / 3);
    if (scene == 3) problem_pendulum(p, 1);
}

/* Of the state at t = 6; HUGE_VAL: no such run. */
static double error_with(const problem *p, const char *method, int steps) {
    keel_options o = {
        .method = pair_of(method, "none"), .step = 6. / steps, .compensated = 1, .max_steps = 1 << 20};
    keel_solver *s = keel_open(&p->keel, &o);
    double error = keel_state_of(s) == KEEL_OK && keel_run(s, 6) == KEEL_OK ? error_to_exact(p, s) : HUGE_VAL;
    keel_close(s);
    return error;
}

static int takes(const keel_problem *p, const char *method) {
    keel_solver *s = keel_open(p, &(keel_options){.method = pair_of(method, "none"), .step = 0.1});
    int taken = keel_state_of(s) == KEEL_OK;
    keel_close(s);
    return taken;
}

/* Are there three errors in a row, below 0.1 and above 1e-13, that show the order twice? */
static int shows_its_order(const keel_method *method, const problem *p, int fewest) {
    int most = method->order < 2 ? 16384 : 2048;
    double error[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, order = method->order;
    double least = order - 0.1 - 0.03 * order, largest = order + fmin(0.5, 0.1 + 0.06 * order);
    for (int steps = fewest; steps <= most; steps *= 2) {
        error[0] = error[1], error[1] = error[2], error[2] = error_with(p, method->name, steps);
        if (error[2] < 1e-13) break;
        double first = log2(error[0] / error[1]), second = log2(error[1] / error[2]);
        if (error[0] > 0.1 || fmin(first, second) < least || fmax(first, second) > largest) continue;
        if (getenv("KEEL_ORDERS")) /* a table for the curious */
            printf("%-24s %d on %-22s %.2f %.2f, to %.1e\n", method->name, method->order, p->keel.name, first,
                   second, error[2]);
        return 1;
    }
    return 0;
}

/* On the first problem, and from the first number of steps, where there is room for it before round-off. */
static void every_method_has_its_order_in_two_halvings(void **state) {
    (void)state;
    const keel_method *method;
    for (int i = 0; (method = keel_method_at(i)); i++) {
        int shown = method->order > 8;
        for (int scene = 0; scene < SCENES && !shown; scene++) {
            problem p;
            fill(scene, &p);
            if (!takes(&p.keel, method->name)) continue;
            for (int fewest = 4; fewest < 8 && !shown; fewest++) shown = shows_its_order(method, &p, fewest);
        }
        if (!shown) fail_msg("%s shows order %d nowhere", method->name, method->order);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_has_its_order_in_two_halvings),
    };
    return cmocka_run_group_tests_name("orders", tests, NULL, NULL);
}
