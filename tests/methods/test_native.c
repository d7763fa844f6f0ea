/* test_native.c - methods with constraints of their own: SHAKE, Lobatto IIIA-IIIB pairs, rolling. */
#include "model_run.h"

#include <keel/method.h>

#include <float.h>

/* A bead on a sphere whose mass depends on its place, H = |p|^2 (1 + q_1^2 / 2) / 2 + q_2: nothing
 * separates. */
static int bead_energy(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0.5 * (u[3] * u[3] + u[4] * u[4] + u[5] * u[5]) * (1 + 0.5 * u[0] * u[0]) + u[1];
    return 0;
}

static int bead_gradient(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = 0.5 * (u[3] * u[3] + u[4] * u[4] + u[5] * u[5]) * u[0];
    out[1] = 1;
    out[2] = 0;
    for (int j = 3; j < 6; j++) out[j] = (1 + 0.5 * u[0] * u[0]) * u[j];
    return 0;
}

static int bead_sphere(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    out[0] = u[0] * u[0] + u[1] * u[1] + u[2] * u[2] - 1;
    return 0;
}

static int bead_sphere_jacobian(double t, const double *u, double *out, void *user) {
    (void)t, (void)user;
    for (int j = 0; j < 3; j++) out[j] = 2 * u[j];
    return 0;
}

static const double bead_start[6] = {0.48, 0.6, 0.64, 0.4, 0.32, -0.6};
static const keel_problem bead = {
    .form = KEEL_HAMILTONIAN,
    .name = "bead",
    .n = 6,
    .u0 = bead_start,
    .energy = {.count = 1, .value = bead_energy, .jacobian = bead_gradient},
    .constraint = {.count = 1, .value = bead_sphere, .jacobian = bead_sphere_jacobian}};

/* x at t = 2, then the multiplier. */
static void bead_end(keel_options o, double *out) {
    keel_solver *s = keel_open(&bead, &o);
    assert_ok(s, keel_state_of(s));
    assert_ok(s, keel_run(s, 2));
    memcpy(out, keel_state(s), 6 * sizeof *out);
    out[6] = keel_multipliers(s)[0];
    if (o.step > 0) assert_below(worst_units(s, NULL), 16);
    keel_close(s);
}

static double part_error(const double *a, const double *b, int from, int to) {
    double worst = 0;
    for (int j = from; j < to; j++) worst = fmax(worst, fabs(a[j] - b[j]));
    return worst;
}

/* Positions, momenta and multipliers at the node, for any H.  The last digits of the universal way are too
 * few for order 8: there it is the pair of order 6, in short steps, that is trusted. */
static void pairs_have_their_order_in_every_part(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int order;
        double step;
    } pair[] = {{"spark2", 2, 1. / 64},  {"spark4", 4, 1. / 16},  {"spark6", 6, 1. / 16},
                {"rattle4", 4, 1. / 32}, {"rattle6", 6, 1. / 16}, {"rattle8", 8, 1. / 8}};
    double trusted[2][7], end[2][7];
    bead_end((keel_options){.rtol = 1e-13}, trusted[0]);
    bead_end((keel_options){.method = "spark6", .step = 1. / 128}, trusted[1]);
    assert_below(part_error(trusted[0], trusted[1], 0, 7), 1e-12);
    for (int k = 0; k < 6; k++) {
        const double *right = trusted[pair[k].order > 6];
        for (int i = 0; i < 2; i++)
            bead_end((keel_options){.method = pair[k].name, .step = pair[k].step / (1 + i)}, end[i]);
        static const int from[4] = {0, 3, 6, 7};
        for (int part = 0; part < 3; part++) {
            double coarse = part_error(end[0], right, from[part], from[part + 1]);
            double fine = part_error(end[1], right, from[part], from[part + 1]);
            assert_within(log2(coarse / fine), pair[k].order - 0.1, pair[k].order + 0.1);
        }
    }
}

/* RATTLE is the pair of two stages; for any H they are one and the same. */
static void two_stages_are_rattle(void **state) {
    (void)state;
    double end[2][7];
    for (int k = 0; k < 2; k++)
        bead_end((keel_options){.method = k ? "spark2" : "rattle", .step = 1. / 64}, end[k]);
    assert_memory_equal(end[0], end[1], sizeof end[0]);
    keel_model *m = model_example("kepler"); /* x' is given beside H */
    for (int k = 0; k < 2; k++) {
        keel_sim *s = keel_sim_open(m, &(keel_options){.method = k ? "spark2" : "rattle", .step = 1. / 64});
        run_to(s, 1);
        end[k][0] = value_of(s, "p[1]");
        keel_sim_close(s);
    }
    keel_model_close(m);
    assert_true(end[0][0] == end[1][0]);
    assert_near(end[0][0], -0.98251569, 1e-2);
    problem p;
    problem_four_bar(&p);
    double u[2][PROBLEM_UNKNOWNS];
    for (int k = 0; k < 2; k++) {
        keel_solver *s =
            keel_open(&p.keel, &(keel_options){.method = k ? "spark2" : "rattle", .step = 0.005});
        assert_ok(s, keel_run(s, 0.5));
        memcpy(u[k], keel_state(s), (size_t)p.keel.n * sizeof(double));
        keel_close(s);
    }
    assert_below(part_error(u[0], u[1], 0, p.keel.n), 1e-11);
}

static const char *const rattles[] = {"rattle", "rattle4", "rattle6", "rattle8"};

/* Steps that err visibly: back in time, and forth with the momenta turned round. */
static void rattle_retraces_its_steps_for_any_energy(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        double u[6], h = 1. / 16, there = 200 * h;
        keel_solver *s = keel_open(&bead, &(keel_options){.method = rattles[k], .step = h});
        assert_ok(s, keel_run(s, there));
        memcpy(u, keel_state(s), sizeof u);
        assert_true(part_error(u, bead_start, 0, 6) > 0.1);
        assert_ok(s, keel_run(s, 0));
        assert_below(part_error(keel_state(s), bead_start, 0, 6), 1e-12);
        for (int j = 3; j < 6; j++) u[j] = -u[j];
        assert_ok(s, keel_restart(s, 0, u));
        assert_ok(s, keel_run(s, there));
        memcpy(u, keel_state(s), sizeof u);
        for (int j = 3; j < 6; j++) u[j] = -u[j];
        assert_below(part_error(u, bead_start, 0, 6), 1e-12);
        assert_below(worst_units(s, NULL), 16);
        keel_close(s);
    }
}

/* Tangents at the begin and the end of four steps through the start, along coordinate c, to fourth order. */
static void bead_tangents(const char *method, int c, double begin[6], double end[6]) {
    static const double at[4] = {-2e-3, -1e-3, 1e-3, 2e-3},
                        weight[4] = {1 / 12e-3, -8 / 12e-3, 8 / 12e-3, -1 / 12e-3};
    memset(begin, 0, 6 * sizeof *begin);
    memset(end, 0, 6 * sizeof *end);
    for (int k = 0; k < 4; k++) {
        double u[6];
        keel_solver *s = keel_open(&bead, &(keel_options){.method = method, .step = 0.25});
        memcpy(u, bead_start, sizeof u);
        u[c] += at[k];
        assert_ok(s, keel_restart(s, 0, u));
        for (int j = 0; j < 6; j++) begin[j] += weight[k] * keel_state(s)[j];
        assert_ok(s, keel_run(s, 1));
        for (int j = 0; j < 6; j++) end[j] += weight[k] * keel_state(s)[j];
        keel_close(s);
    }
}

static double two_form(const double *a, const double *b) { /* dq wedge dp */
    double sum = 0;
    for (int j = 0; j < 3; j++) sum += a[j] * b[3 + j] - a[3 + j] * b[j];
    return sum;
}

static void rattle_keeps_the_two_form_for_any_energy(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        double begin[6][6], end[6][6], largest = 0;
        for (int c = 0; c < 6; c++) bead_tangents(rattles[k], c, begin[c], end[c]);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < i; j++) {
                double before = two_form(begin[i], begin[j]);
                assert_near(two_form(end[i], end[j]), before, 1e-7);
                largest = fmax(largest, fabs(before));
            }
        assert_true(largest > 0.1);
    }
}

/* Where nothing separates, 10^5 steps: the energy swings with the step squared, and does not drift.  The bead
 * is a fast one, whose motion is regular: a slow one goes from region to region, by its last digits. */
static void rattle_bounds_any_energy_without_drift(void **state) {
    (void)state;
    enum { BLOCKS = 50 };
#ifdef __SANITIZE_ADDRESS__
    static const int block[2] = {100, 100};
#else
    static const int block[2] = {2000, 200};
#endif
    double swing[2], mean[BLOCKS], fast[6];
    for (int j = 0; j < 6; j++) fast[j] = (j < 3 ? 1 : 1.6) * bead_start[j];
    for (int halved = 0; halved < 2; halved++) {
        keel_row energy;
        keel_solver *s = keel_open(&bead, &(keel_options){.method = "rattle", .step = halved ? 0.05 : 0.1});
        assert_ok(s, keel_restart(s, 0, fast));
        for (int b = 0; b < BLOCKS; b++) {
            mean[b] = 0;
            for (int i = 0; i < block[halved]; i++) {
                assert_ok(s, keel_step(s, 1e6));
                assert_true(keel_row_at(s, 2, &energy) && energy.kind == KEEL_ROW_ENERGY);
                mean[b] += energy.last / block[halved];
            }
        }
        swing[halved] = energy.drift;
        assert_below(fabs(trend(mean, BLOCKS)), 0.02 * energy.drift);
        assert_below(worst_units(s, NULL), 16);
        keel_close(s);
    }
    assert_within(swing[0] / swing[1], 3.8, 4.2);
}

/* An iteration that runs off ends with what is wrong, not with what it met out there. */
static void steps_too_long_for_any_energy_are_told(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        keel_solver *s = keel_open(&bead, &(keel_options){.method = k ? "spark2" : "rattle", .step = 0.5});
        assert_int_equal(keel_run(s, 20), KEEL_ENEWTON);
        assert_non_null(strstr(keel_message(s), "no stages on the constraints were found from t = "));
        assert_non_null(strstr(keel_message(s), "try a smaller step"));
        keel_close(s);
    }
}

/* Andrews' mechanism, whose masses depend on the angles, by its momenta: M is made of blocks of two. */
static keel_model *andrews_by_momenta(void) {
    static const char momenta[] =
        "canonical be, p1\ncanonical th, p2\ncanonical ga, p3\ncanonical ph, p4\ncanonical de, p5\n"
        "canonical om, p6\ncanonical ep, p7\n"
        "let pair(a, b, A, B, C) = (C*a^2 - 2*B*a*b + A*b^2)/(A*C - B^2)/2\n";
    static const char energy[] =
        "hamiltonian pair(p1, p2, M11, M21, M22) + p3^2/(2*M33) + pair(p4, p5, M44, M54, M55)\n"
        "    + pair(p6, p7, M66, M76, M77) + c0*(L - l0)^2/2 - mom*be\n";
    static const char rest[] = "init th = 0, p1 = 0, p2 = 0, p3 = 0, p4 = 0, p5 = 0, p6 = 0, p7 = 0\n";
    /* By turns: a part of the example, as far as these words, and what stands in place of the next part. */
    static const char *const from[] = {"", "let M11", "let X =", "guess be"};
    static const char *const to[] = {"coord be", "lagrangian", "init th", "output acc"};
    static const char *const instead[] = {momenta, energy, rest, "run 0 .. 0.03\n"};
    char path[600], text[8000], made[8000] = "";
    example_path("andrews", path, sizeof path);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t length = fread(text, 1, sizeof text - 1, f), used = 0;
    fclose(f);
    text[length] = '\0';
    for (int k = 0; k < 4; k++) {
        const char *begin = strstr(text, from[k]), *end = strstr(text, to[k]);
        assert_true(begin && end && end > begin);
        used += (size_t)snprintf(made + used, sizeof made - used, "%.*s%s", (int)(end - begin), begin,
                                 instead[k]);
        assert_true(used < sizeof made);
    }
    return model_of(made);
}

/* Seven angles, seven momenta, six multipliers at t. */
static void andrews_end(keel_model *m, const char *method, double t, double step, int momenta, double *out) {
    static const char *const angle[] = {"be", "th", "ga", "ph", "de", "om", "ep"};
    keel_options o = {.method = method, .step = step, .rtol = step > 0 ? 0 : 1e-13};
    keel_sim *s = keel_sim_open(m, &o);
    char name[40];
    run_to(s, t);
    if (step > 0) assert_below(worst_units(keel_sim_solver(s), NULL), 16);
    for (int i = 0; i < 7; i++) {
        out[i] = value_of(s, angle[i]);
        snprintf(name, sizeof name, "p%d", i + 1);
        if (momenta) out[7 + i] = value_of(s, name);
    }
    for (int i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "lambda.g[%d]", i + 1);
        out[14 + i] = value_of(s, name);
    }
    keel_sim_close(s);
}

/* The pair of two stages is RATTLE; the other way has velocities, and eliminates the multipliers. */
static void pairs_take_masses_that_move(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int order, steps;
    } pair[] = {{"spark2", 2, 400},  {"spark4", 4, 150}, {"spark6", 6, 24},
                {"rattle4", 4, 100}, {"rattle6", 6, 40}, {"rattle8", 8, 28}};
    static const int from[4] = {0, 7, 14, 20};
    keel_model *m = andrews_by_momenta(), *other = model_example("andrews");
    double by_velocities[20], trusted[2][20], end[2][20];
    andrews_end(other, NULL, 0.01, 0, 0, by_velocities);
    andrews_end(m, NULL, 0.01, 0, 1, trusted[0]);
    andrews_end(m, "spark6", 0.01, 0.01 / 500, 1, trusted[1]);
    assert_below(part_error(trusted[0], by_velocities, 0, 7), 1e-11);
    assert_below(part_error(trusted[0], by_velocities, 14, 20), 1e-9);
    assert_below(part_error(trusted[0], trusted[1], 0, 14), 1e-11);
    assert_below(part_error(trusted[0], trusted[1], 14, 20), 1e-9);
    for (int k = 0; k < 6; k++) {
        const double *right = trusted[pair[k].order > 6];
        /* The errors of order 8 come close to round-off before its 8.7, 8.6, 8.5 (16, 20, 24 steps) is 8. */
        double below = pair[k].order > 6 ? 0.4 : 0.2, above = pair[k].order > 6 ? 0.6 : 0.2;
        for (int i = 0; i < 2; i++)
            andrews_end(m, pair[k].name, 0.01, 0.01 / (pair[k].steps << i), 1, end[i]);
        for (int part = 0; part < 3; part++) {
            double coarse = part_error(end[0], right, from[part], from[part + 1]);
            double fine = part_error(end[1], right, from[part], from[part + 1]);
            assert_within(log2(coarse / fine), pair[k].order - below, pair[k].order + above);
        }
    }
    keel_model_close(m);
    keel_model_close(other);
}

/* To the end of the published run, t = 0.03; test_radau.c has Radau on this case. */
static void formulations_agree_on_andrews(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int steps;
    } way[] = {{"rattle4", 640}, {"rattle6", 320}, {"rattle8", 120}, {"spark4", 640}, {"spark6", 160}};
    static const int from[4] = {0, 7, 14, 20};
    keel_model *m = andrews_by_momenta();
    double trusted[20], end[20];
    andrews_end(m, NULL, 0.03, 0, 1, trusted);
    for (int k = 0; k < 5; k++) {
        andrews_end(m, way[k].name, 0.03, 0.03 / way[k].steps, 1, end);
        for (int part = 0; part < 3; part++) {
            double size = 0;
            for (int i = from[part]; i < from[part + 1]; i++) size = fmax(size, fabs(trusted[i]));
            assert_below(part_error(end, trusted, from[part], from[part + 1]), 1e-7 * size);
        }
    }
    keel_model_close(m);
}

struct scene {
    void (*fill)(problem *);
    double end, step;
};

/* Against the universal way, projected: the order of the method, and rows at round-off. */
static void agrees_with_projection(const char *method, const struct scene *scene, int scenes, double rtol,
                                   double order) {
    for (int k = 0; k < scenes; k++) {
        problem p;
        scene[k].fill(&p);
        double u[3][PROBLEM_UNKNOWNS];
        for (int i = 0; i < 3; i++) {
            keel_options o = {.rtol = rtol};
            if (i) o = (keel_options){.method = method, .step = scene[k].step / i};
            keel_solver *s = keel_open(&p.keel, &o);
            assert_ok(s, keel_run(s, scene[k].end));
            memcpy(u[i], keel_state(s), (size_t)p.keel.n * sizeof(double));
            if (i) assert_below(worst_units(s, NULL), 16);
            keel_close(s);
        }
        double coarse = part_error(u[1], u[0], 0, p.keel.n), fine = part_error(u[2], u[0], 0, p.keel.n);
        assert_within(log2(coarse / fine), 0.95 * order, 1.05 * order);
    }
}

/* Closed chains, redundant rods and a moving axle. */
static void pairs_agree_with_projection(void **state) {
    (void)state;
    static const struct scene scenes[] = {{problem_spherical_pendulum, 4, 0.05},
                                          {problem_four_bar, 1, 0.004},
                                          {problem_five_link, 0.5, 0.004},
                                          {problem_car_axis, 0.5, 0.002}};
    agrees_with_projection("spark4", scenes, 4, 1e-13, 4);
}

/* SHAKE: RATTLE's positions, and velocities that leave the constraints by O(h^2). */
static void shake_has_the_positions_of_rattle(void **state) {
    (void)state;
    double drift[2];
    for (int halved = 0; halved < 2; halved++) {
        problem p;
        keel_row row;
        double u[2][PROBLEM_UNKNOWNS], step = halved ? 1. / 128 : 1. / 64;
        problem_spherical_pendulum(&p);
        for (int k = 0; k < 2; k++) {
            keel_solver *s =
                keel_open(&p.keel, &(keel_options){.method = k ? "shake" : "rattle", .step = step});
            assert_ok(s, keel_run(s, 4));
            memcpy(u[k], keel_state(s), (size_t)p.keel.n * sizeof(double));
            assert_true(keel_row_at(s, 0, &row) && row.kind == KEEL_ROW_CONSTRAINT);
            assert_int_equal(row.treatment, KEEL_ROW_NATIVE);
            assert_below(row.units, 16);
            assert_true(keel_row_at(s, 1, &row) && row.kind == KEEL_ROW_VELOCITY);
            assert_int_equal(row.treatment, k ? KEEL_ROW_WATCHED : KEEL_ROW_NATIVE);
            keel_close(s);
        }
        assert_below(part_error(u[0], u[1], 0, 3), 1e-12);
        drift[halved] = row.drift;
    }
    assert_true(drift[0] > 1e-7);
    assert_within(drift[0] / drift[1], 3.8, 4.2);
}

/* Rolling: order 2 in every part, the row at round-off, steps that retrace themselves, and an energy that
 * does not drift. */
static void rolling_constraints_are_kept_natively(void **state) {
    (void)state;
    double error[2];
    problem p;
    keel_row row;
    problem_knife_edge(&p);
    for (int halved = 0; halved < 2; halved++) {
        double step = halved ? 1. / 64 : 1. / 32;
        keel_solver *s = keel_open(&p.keel, &(keel_options){.method = "rolling-midpoint", .step = step});
        assert_ok(s, keel_run(s, 5));
        error[halved] = error_to_exact(&p, s);
        assert_true(keel_row_at(s, 0, &row) && row.kind == KEEL_ROW_ROLLING);
        assert_int_equal(row.treatment, KEEL_ROW_NATIVE);
        assert_below(row.units, 4);
        assert_ok(s, keel_run(s, 50));
        double early = 0;
        for (int i = 0; keel_row_at(s, i, &row); i++)
            if (row.kind == KEEL_ROW_ENERGY) early = row.drift;
        assert_ok(s, keel_run(s, 500));
        for (int i = 0; keel_row_at(s, i, &row); i++)
            if (row.kind == KEEL_ROW_ENERGY) assert_below(row.drift, 1.5 * early + 1e-13);
        assert_ok(s, keel_run(s, 0));
        assert_below(part_error(keel_state(s), p.u0, 0, p.keel.n), 1e-9);
        keel_close(s);
    }
    assert_within(log2(error[0] / error[1]), 1.95, 2.05);
    problem_four_bar(&p);
    keel_solver *s = keel_open(&p.keel, &(keel_options){.method = "rolling-midpoint", .step = 1});
    assert_int_equal(keel_run(s, 5), KEEL_ENEWTON);
    assert_non_null(strstr(keel_message(s), "no end of the step on the constraints was found from t = "));
    keel_close(s);
    problem_kepler(&p, 0.2, 1);
    s = keel_open(&p.keel, &(keel_options){.method = "rolling-midpoint", .step = 1});
    assert_non_null(strstr(keel_message(s), "it is for mechanics"));
    keel_close(s);
}

/* A mass that depends on the place, closed chains, redundant rods. */
static void the_midpoint_of_rolling_takes_all_mechanics(void **state) {
    (void)state;
    static const struct scene scenes[] = {{problem_andrews, 0.01, 1e-4},
                                          {problem_four_bar, 0.5, 0.002},
                                          {problem_five_link, 0.25, 0.002},
                                          {problem_car_axis, 0.5, 0.001}};
    agrees_with_projection("rolling-midpoint", scenes, 4, 1e-11, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_have_their_order_in_every_part),
        cmocka_unit_test(two_stages_are_rattle),
        cmocka_unit_test(rattle_retraces_its_steps_for_any_energy),
        cmocka_unit_test(rattle_keeps_the_two_form_for_any_energy),
        cmocka_unit_test(rattle_bounds_any_energy_without_drift),
        cmocka_unit_test(steps_too_long_for_any_energy_are_told),
        cmocka_unit_test(pairs_take_masses_that_move),
        cmocka_unit_test(formulations_agree_on_andrews),
        cmocka_unit_test(pairs_agree_with_projection),
        cmocka_unit_test(shake_has_the_positions_of_rattle),
        cmocka_unit_test(rolling_constraints_are_kept_natively),
        cmocka_unit_test(the_midpoint_of_rolling_takes_all_mechanics),
    };
    return cmocka_run_group_tests_name("native", tests, NULL, NULL);
}
