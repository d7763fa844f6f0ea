/* test_contacts.c - rigid contacts against closed forms: balls, blocks, carts; what is refused; saved runs; a
 * share of the random scenes (contacts.h). */
#include "contacts.h"

static const keel_options tight = {.rtol = 1e-10};

static keel_sim *run_model(keel_model *m, double t) {
    keel_sim *s = keel_sim_open(m, &tight);
    assert_non_null(s);
    run_to(s, t);
    return s;
}

static void end(keel_sim *s, keel_model *m) {
    keel_sim_close(s);
    keel_model_close(m);
}

/* The time of the n-th record of that name. */
static double time_of(const keel_sim *s, const char *name, int n) {
    keel_event_record one;
    for (long i = 0; keel_sim_event(s, i, &one); i++)
        if (strcmp(one.event, name) == 0 && n-- == 0) return one.t;
    fail_msg("there is no %s", name);
    return NAN;
}

#define NEAR_TO(a, b, tolerance)                                                                             \
    do {                                                                                                     \
        double near_a = (a), near_b = (b);                                                                   \
        if (!(fabs(near_a - near_b) <= (tolerance))) fail_msg("%s is %.17g, not %.17g", #a, near_a, near_b); \
    } while (0)

/* Bounces at t1 (1 + 2 (e + e^2 + ...)), rest at t1 (1 + e) / (1 - e). */
static void a_ball_comes_to_rest(void **unused) {
    (void)unused;
    keel_model *m =
        model_of("library body2d\nuse Body ball(m = 2, J = 0.1)\n"
                 "use Contact soil(ball, (0, 0), ground, (0, 0), (1, 0), R = 0.1, restitution = 0.7)\n"
                 "init ball.r = (0, 1.1), ball.r' = (1, 0), ball.phi = 0, ball.phi' = 0\n"
                 "invariant energy\nrun 0 .. 4\n");
    keel_sim *s = run_model(m, 4);
    double t1 = sqrt(2 / 9.81), e = 0.7, t = t1, flight = 2 * e * t1;
    for (int k = 0; k < 12; k++, t += flight, flight *= e)
        NEAR_TO(time_of(s, "soil.touch impact", k), t, 1e-10);
    NEAR_TO(time_of(s, "soil.touch closes", 0), t1 * (1 + e) / (1 - e), 1e-10);
    NEAR_TO(value_of(s, "ball.r[2]"), 0.1, 1e-15);
    NEAR_TO(value_of(s, "ball.r[1]"), 4, 1e-12);
    NEAR_TO(value_of(s, "lambda.soil.touch"), 2 * 9.81, 1e-12);
    keel_jump jump;
    assert_true(keel_sim_jump(s, 0, &jump));
    NEAR_TO(jump.after - jump.before, -(1 - e * e) * 2 * 9.81, 1e-9);
    end(s, m);
}

/* Thrown up an incline it stops at v / (g (sin + mu cos)) and stays; a pull k t starts it again where that
 * exceeds m g (sin + mu cos), and then m x'' = k t - that. */
static void a_block_stops_on_an_incline_and_starts(void **unused) {
    (void)unused;
    keel_model *m =
        model_of("library body2d\nparam a = 0.4, mu = 0.5, w = 0.3, h = 0.1, k = 20\n"
                 "param gravity = (-9.81*sin(a), -9.81*cos(a))\nuse Body block(m = 2, J = 0.1)\n"
                 "for i in 1..2: use Contact foot[i](block, (if(i < 2, -w, w), -h), ground, (0, 0), (1, 0), "
                 "friction = mu)\n"
                 "use Push pull(block, (0, -h), (k*t, 0))\n"
                 "init block.r = (0, h), block.r' = (1, 0), block.phi = 0, block.phi' = 0\nrun 0 .. 2\n");
    keel_sim *s = run_model(m, 2);
    double g = 9.81, a = 0.4, mu = 0.5, k = 20, drag = g * (sin(a) + mu * cos(a));
    /* v = 1 - drag t + k t^2 / (2 m) is zero at the stop */
    double stop = (drag - sqrt(drag * drag - 2 * k / 2)) / (k / 2),
           x = stop - drag * stop * stop / 2 + k * stop * stop * stop / 12;
    double start = 2 * drag / k, left = 2 - start;
    NEAR_TO(time_of(s, "foot.touch[1] sticks", 0), stop, 1e-9);
    NEAR_TO(time_of(s, "foot.touch[1] slips", 0), start, 1e-8);
    NEAR_TO(value_of(s, "block.r[1]"), x + k * left * left * left / 12, 1e-8);
    NEAR_TO(value_of(s, "block.phi"), 0, 1e-12);
    end(s, m);
}

static void two_balls_hit_each_other(void **unused) {
    (void)unused;
    keel_model *m =
        model_of("library body2d\nparam gravity = (0, 0)\nuse Body a(m = 2, J = 1), b(m = 3, J = 1)\n"
                 "use CircleContact hit(a, (0, 0), 0.1, b, (0, 0), 0.2, restitution = 0.6)\n"
                 "init a.r = (0, 0), a.r' = (2, 0.5), a.phi = 0, a.phi' = 0\n"
                 "init b.r = (1, 0.175), b.r' = (0, 0), b.phi = 0, b.phi' = 0\n"
                 "invariant px = 2*a.r[1]' + 3*b.r[1]'\ninvariant energy\nrun 0 .. 1\n");
    keel_sim *s = run_model(m, 1);
    double t = time_of(s, "hit.touch impact", 0), dx = 1 - 2 * t, dy = 0.175 - 0.5 * t, d = hypot(dx, dy);
    NEAR_TO(d, 0.3, 1e-12);
    double nx = dx / d, ny = dy / d, u = 2 * nx + 0.5 * ny, impulse = 1.6 * u / (1. / 2 + 1. / 3);
    NEAR_TO(value_of(s, "a.r[1]'"), 2 - impulse * nx / 2, 1e-10);
    NEAR_TO(value_of(s, "a.r[2]'"), 0.5 - impulse * ny / 2, 1e-10);
    NEAR_TO(value_of(s, "b.r[1]'"), impulse * nx / 3, 1e-10);
    NEAR_TO(value_of(s, "b.r[2]'"), impulse * ny / 3, 1e-10);
    end(s, m);
}

/* A disk, J = m R^2 / 2, hits at v with spin w: with enough friction the point of contact stops, the
 * impulse is -m (v + R w) / 3; with little it is mu times that of the normal. */
static void a_disk_with_spin_bounces(void **unused) {
    (void)unused;
    for (int slips = 0; slips < 2; slips++) {
        keel_model *m =
            model_of("library body2d\nparam mu = 1\nuse Body disk(m = 3, J = 3*0.2^2/2)\n"
                     "use Contact soil(disk, (0, 0), ground, (0, 0), (1, 0), R = 0.2, restitution = 0.5, "
                     "friction = mu)\n"
                     "init disk.r = (0, 1.2), disk.r' = (1, 0), disk.phi = 0, disk.phi' = 4\nrun 0 .. 0.5\n");
        if (slips) assert_int_equal(keel_model_set(m, "mu=0.05"), KEEL_OK);
        keel_sim *s = run_model(m, 0.5);
        double u = sqrt(2 * 9.81), drag = slips ? -0.05 * 3 * 1.5 * u : -3 * (1 + 0.2 * 4) / 3.;
        NEAR_TO(value_of(s, "disk.r[1]'"), 1 + drag / 3, 1e-10);
        NEAR_TO(value_of(s, "disk.phi'"), 4 + 0.2 * drag / (3 * 0.04 / 2), 1e-9);
        end(s, m);
    }
}

/* Housner: at each impact the spin is multiplied by 1 - 3/2 sin^2 of the slenderness. */
static void a_block_rocks_and_comes_to_rest(void **unused) {
    (void)unused;
    keel_model *m = model_of("library body2d\nparam w = 0.2, h = 0.5, tilt = 0.2\n"
                             "use Body block(m = 1, J = (w^2 + h^2)/3)\n"
                             "use Contact left(block, (-w, -h), ground, (0, 0), (1, 0), friction = 2)\n"
                             "use Contact right(block, (w, -h), ground, (0, 0), (1, 0), friction = 2)\n"
                             "init block.phi = tilt, block.r = (0, w*sin(tilt) + h*cos(tilt))\n"
                             "init block.r' = (0, 0), block.phi' = 0\nrun 0 .. 10\n");
    keel_sim *s = run_model(m, 10);
    keel_event_record one;
    double sine = 0.2 / hypot(0.2, 0.5), ratio = 1 - 1.5 * sine * sine;
    long count = event_records(s);
    assert_true(keel_sim_event(s, count - 1, &one));
    assert_true(one.t < 4);
    NEAR_TO(value_of(s, "block.phi"), 0, 1e-12);
    NEAR_TO(value_of(s, "block.r[2]"), 0.5, 1e-12);
    NEAR_TO(value_of(s, "lambda.left.touch"), 9.81 / 2, 1e-9);
    /* the times between impacts shrink by the ratio, in the end */
    double last = time_of(s, "right.touch impact", 20), next = time_of(s, "left.touch impact", 20),
           third = time_of(s, "right.touch impact", 21);
    NEAR_TO((third - next) / (next - last), ratio, 1e-4);
    end(s, m);
}

#define CARTS                                                            \
    "param e = 1\ncoord x[1..4]\nlagrangian sum(i in 1..4, x[i]'^2/2)\n" \
    "for i in 1..3: contact bump[i]: x[i+1] - x[i], restitution = e\n"   \
    "init x = (0, 1, 1.5, 1.7), x' = (1, 0, 0, 0)\ninvariant energy\n"   \
    "invariant momentum = sum(i in 1..4, x[i]')\nrun 0 .. 4\n"

/* Equal carts hand on their speed; with little restitution all of them end together, at 1/4 of it. */
static void carts_hand_on_their_speed(void **unused) {
    (void)unused;
    keel_model *m = model_of(CARTS);
    keel_sim *s = run_model(m, 4);
    assert_string_equal(story(s), "bump[1] impact bump[2] impact bump[3] impact");
    for (int i = 1; i < 5; i++) {
        char name[20];
        snprintf(name, sizeof name, "x[%d]'", i);
        NEAR_TO(value_of(s, name), i == 4, 1e-12);
    }
    keel_sim_close(s);
    assert_int_equal(keel_model_set(m, "e=0.02"), KEEL_OK);
    s = run_model(m, 4);
    for (int i = 1; i < 5; i++) {
        char name[20];
        snprintf(name, sizeof name, "x[%d]'", i);
        NEAR_TO(value_of(s, name), 0.25, 1e-2);
    }
    double sum = value_of(s, "x[1]'") + value_of(s, "x[2]'") + value_of(s, "x[3]'") + value_of(s, "x[4]'");
    NEAR_TO(sum, 1, 1e-12);
    end(s, m);
}

/* On a table that shakes as -A cos(w t) a mass leaves where A w^2 cos(w t) = -g. */
static void a_shaken_table_throws_a_mass(void **unused) {
    (void)unused;
    keel_model *m = model_of("param A = 0.1, w = 12\ncoord y\nlagrangian y'^2/2 - 9.81*y\n"
                             "contact table_: y + A*cos(w*t)\ninit y = -A, y' = 0\nrun 0 .. 0.3\n");
    keel_sim *s = run_model(m, 0.3);
    double t = acos(-9.81 / (0.1 * 144)) / 12, y = -0.1 * cos(12 * t), v = 1.2 * sin(12 * t), left = 0.3 - t;
    NEAR_TO(time_of(s, "table_ opens", 0), t, 1e-8);
    NEAR_TO(value_of(s, "y"), y + v * left - 9.81 * left * left / 2, 1e-9);
    end(s, m);
}

/* Painleve's rod: pushed along with its head behind, it digs into the ground. */
/* A block at rest is thrown up at a given time: it is off the ground for 2 v / g. */
static void a_throw_at_a_given_time_opens(void **unused) {
    (void)unused;
    keel_model *m = model_of("coord y\nlagrangian y'^2/2 - 9.81*y\ncontact soil: y\n"
                             "event throw: at t = 1 -> y' := 3\ninit y = 0, y' = 0\nrun 0 .. 2\n");
    keel_sim *s = run_model(m, 1.2);
    NEAR_TO(value_of(s, "y"), 3 * 0.2 - 9.81 * 0.2 * 0.2 / 2, 1e-12);
    run_to(s, 2);
    NEAR_TO(time_of(s, "soil impact", 0), 1 + 2 * 3 / 9.81, 1e-10);
    assert_true(value_of(s, "y") == 0);
    end(s, m);
}

static void a_jam_is_refused(void **unused) {
    (void)unused;
    keel_model *m =
        model_of("library body2d\nparam mu = 3, a = 1.1\nuse Body rod(m = 1, J = 0.25/3)\n"
                 "use Contact tip(rod, (0.5, 0), ground, (0, 0), (1, 0), friction = mu)\n"
                 "init rod.phi = -a, rod.r = (0, 0.5*sin(a)), rod.r' = (5, 0), rod.phi' = 0\nrun 0 .. 1\n");
    keel_sim *s = keel_sim_open(m, &tight);
    assert_true(keel_sim_status(s) < 0 || keel_sim_run(s, 1) < 0);
    if (!strstr(keel_sim_message(s), "Painleve")) fail_msg("%s", keel_sim_message(s));
    end(s, m);
}

static void starts_that_cannot_be_are_refused(void **unused) {
    (void)unused;
    static const struct {
        const char *set, *says;
    } wrong[] = {{"y=-0.1", "overlap"}, {"v=-1", "approach each other"}};
    for (int k = 0; k < 2; k++) {
        keel_model *m = model_of("param y = 0, v = 0\ncoord q\nlagrangian q'^2/2 - q\ncontact c: q\n"
                                 "init q = y, q' = v\nrun 0 .. 1\n");
        assert_int_equal(keel_model_set(m, wrong[k].set), KEEL_OK);
        keel_sim *s = keel_sim_open(m, NULL);
        assert_int_equal(keel_sim_status(s), KEEL_ESTART);
        assert_non_null(strstr(keel_sim_message(s), wrong[k].says));
        end(s, m);
    }
}

static void mistakes_have_their_sentence(void **unused) {
    (void)unused;
    static const char *const wrong[][2] = {
        {"var x\nx' = 1\ncontact c: x\ninit x = 0\nrun 0 .. 1\n", "belongs to a lagrangian"},
        {"coord x\nlagrangian x'^2/2\ncontact c: x'\ninit x = 1, x' = 0\nrun 0 .. 1\n",
         "positions and t only"},
        {"coord x\nlagrangian x'^2/2\ncontact c: x, friction = 1\ninit x = 1, x' = 0\nrun 0 .. 1\n",
         "friction needs the velocity"},
        {"coord x\nlagrangian x'^2/2\ncontact c: x, restitution = 2\ninit x = 1, x' = 0\nrun 0 .. 1\n",
         "between 0 and 1"},
        {"coord x\nlagrangian x'^2/2\ncontact c: x, bounce = 1\ninit x = 1, x' = 0\nrun 0 .. 1\n",
         "a contact has no `bounce`"},
        {"coord x\nlagrangian x'^2/2\ncontact c: x\nforce x: lambda.c\ninit x = 1, x' = 0\nrun 0 .. 1\n",
         "the force of this contact"},
        {"coord x\nlagrangian x'^2/2\ncontact c: x\noutput r = der(lambda.c)\ninit x = 1, x' = 0\nrun 0 .. "
         "1\n",
         "has no time derivative"},
        {"coord x\nlagrangian x'^2/2\ncontact c: x, sliding = x'^2, friction = 1\ninit x = 1, x' = 0\nrun 0 "
         ".. 1\n",
         "linear in the velocities"},
        {"coord x\nlagrangian x'^2/2\ncontact c: x, sliding = x', friction = 1\noutput p = lambda.c\n"
         "mode a: event e: t - 1 rising -> mode b\nmode b: force x: 1\nstart a\ninit x = 1, x' = 0\n"
         "run 0 .. 1\n",
         "`contact` and `mode` do not go together"},
        {"library body2d\nuse Body b(1, 1)\nuse Contact c(b, (0, 0), ground, (0, 0), (1, 0), friction = -1)\n"
         "init b.r = (0, 1), b.r' = (0, 0), b.phi = 0, b.phi' = 0\nrun 0 .. 1\n",
         "the friction of a contact is not negative, and this is -1. (In `c`, a `Contact`, line 3.)"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        keel_model *m = keel_model_read("test.keel", wrong[k][0], strlen(wrong[k][0]), NULL);
        if (!strstr(keel_model_message(m), wrong[k][1]))
            fail_msg("%s\n%s", wrong[k][0], keel_model_message(m));
        const char *first = strstr(keel_model_message(m), "error: ");
        assert_true(first && !strstr(first + 1, "error: ")); /* nothing follows from it */
        keel_model_close(m);
    }
}

/* Saved in the air, while it slides and while it sticks, a run goes on with the same bits. */
static void saved_runs_go_on(void **unused) {
    (void)unused;
    keel_model *m =
        model_of("library body2d\nuse Body disk(m = 1, J = 0.02)\n"
                 "use Contact soil(disk, (0, 0), ground, (0, 0), (1, 0), R = 0.2, restitution = 0.4, "
                 "friction = 0.2)\n"
                 "init disk.r = (0, 0.7), disk.r' = (2, 0), disk.phi = 0, disk.phi' = 0\nrun 0 .. 2\n");
    for (double t = 0.1; t < 2; t += 0.2) {
        keel_sim *whole = keel_sim_open(m, &tight);
        run_to(whole, t);
        size_t count = keel_sim_save(whole, NULL, 0);
        unsigned char *bytes = malloc(count);
        assert_int_equal(keel_sim_save(whole, bytes, count), count);
        keel_sim *half = keel_sim_load(m, &tight, bytes, count);
        assert_int_equal(keel_sim_status(half), KEEL_OK);
        run_to(whole, 2);
        run_to(half, 2);
        assert_memory_equal(keel_state(keel_sim_solver(whole)), keel_state(keel_sim_solver(half)),
                            6 * sizeof(double));
        assert_int_equal(event_records(whole), event_records(half));
        free(bytes);
        keel_sim_close(half);
        keel_sim_close(whole);
    }
    keel_model_close(m);
}

/* A variable beside contacts is the speed of a coordinate of mass 1: a motor whose current grows until the
 * block slips; and the current goes through an impact as if there were none. */
static void variables_are_driven_along(void **unused) {
    (void)unused;
    static const char numbers[] = "param m = 1, g = 9.81, mu = 0.3, L = 0.1, R = 2, k = 1.5, U = 6\n";
    static const char motor[] =
        "coord x, y, charge\nlet i = charge'\n"
        "lagrangian m*(x'^2 + y'^2)/2 - m*g*y + charge'^2/2\nforce x: k*i\n"
        "force charge: (U - R*i - k*x')/L\ncontact soil: y, sliding = x', friction = mu\n"
        "init x = 0, y = 0, x' = 0, y' = 0, charge = 0, charge' = 0\nrun 0 .. 3\n";
    static const char by_hand[] = "var v, i\ni' = (U - R*i - k*v)/L\n"
                                  "v' = if(v > 0 or k*i > mu*m*g, (k*i - mu*m*g)/m, 0)\n"
                                  "init v = 0, i = 0\nrun 0 .. 3\n";
    char text[600], flat[600];
    snprintf(text, sizeof text, "%s%s", numbers, motor);
    snprintf(flat, sizeof flat, "%s%s", numbers, by_hand);
    keel_model *m = model_of(text), *hand = model_of(flat);
    keel_sim *s = keel_sim_open(m, &tight), *other = keel_sim_open(hand, &tight);
    for (double t = 0.25; t <= 3; t += 0.25) {
        run_to(s, t);
        run_to(other, t);
        assert_near(value_of(s, "x'"), value_of(other, "v"), 1e-8);
        assert_near(value_of(s, "charge'"), value_of(other, "i"), 1e-8);
    }
    keel_sim_close(s);
    keel_sim_close(other);
    keel_model_close(m);
    keel_model_close(hand);
    m = model_of("coord y, q\nlagrangian y'^2/2 - 9.81*y + q'^2/2\nforce q: -q'\n"
                 "contact soil: y, restitution = 0.5\ninit y = 1, y' = 0, q = 0, q' = 1\nrun 0 .. 2\n");
    s = keel_sim_open(m, &tight);
    run_to(s, 2);
    assert_near(value_of(s, "q'"), exp(-2), 1e-9);
    keel_sim_close(s);
    keel_model_close(m);
}

static void scenes_hold_together(void **unused) {
    (void)unused;
    int jams = 0;
    assert_true(contacts_run(18, 22, &jams) > 4);
    assert_int_equal(jams, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_comes_to_rest),
        cmocka_unit_test(a_block_stops_on_an_incline_and_starts),
        cmocka_unit_test(two_balls_hit_each_other),
        cmocka_unit_test(a_disk_with_spin_bounces),
        cmocka_unit_test(a_block_rocks_and_comes_to_rest),
        cmocka_unit_test(carts_hand_on_their_speed),
        cmocka_unit_test(a_shaken_table_throws_a_mass),
        cmocka_unit_test(a_throw_at_a_given_time_opens),
        cmocka_unit_test(a_jam_is_refused),
        cmocka_unit_test(starts_that_cannot_be_are_refused),
        cmocka_unit_test(mistakes_have_their_sentence),
        cmocka_unit_test(saved_runs_go_on),
        cmocka_unit_test(variables_are_driven_along),
        cmocka_unit_test(scenes_hold_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
