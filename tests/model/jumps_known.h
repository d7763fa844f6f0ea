/* jumps_known.h - mode changes whose answers are known from physics, for test_jump.c. */
#ifndef KEEL_TESTS_JUMPS_KNOWN_H
#define KEEL_TESTS_JUMPS_KNOWN_H

/* Values of `parts` storages (capacity, value before): joined, they have the mean by their capacities. */
struct parts {
    int count;
    double capacity[4], value[4];
};

static const struct parts sharing[] = {{2, {1e-3, 1e-3}, {5, 0}},          {2, {1, 3}, {-2, 0}},
                                       {2, {2e-6, 5e-7}, {0, 12}},         {3, {1, 2, 3}, {6, 0, 0}},
                                       {3, {0.5, 0.25, 4}, {0, -3, 1e-9}}, {3, {1e-9, 1e3, 1}, {100, 0, 1}},
                                       {4, {1, 2, 3, 4}, {0, 0, 0, 7}}};
enum { SHARINGS = sizeof sharing / sizeof *sharing };

static double mean_of(const struct parts *p, int count) {
    double sum = 0, all = 0;
    for (int i = 0; i < count; i++) sum += p->capacity[i] * p->value[i], all += p->capacity[i];
    return sum / all;
}

static void add_text(char *text, const char *format, ...) {
    size_t at = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + at, SWITCHED_TEXT - at, format, args);
    va_end(args);
}

static void assert_all(keel_sim *s, const char *name, int count, double wanted, double bound) {
    for (int i = 1; i <= count; i++) {
        char column[20];
        snprintf(column, sizeof column, "%s%d", name, i);
        double found = value_of(s, column);
        if (!(fabs(found - wanted) <= bound))
            fail_msg("%s = %.17g, not %.17g +- %g", column, found, wanted, bound);
    }
}

/* A row of capacitors; switches between neighbours close at t = 1, elsewhere a capacitor discharges over a
 * resistor, and one is charged through one. */
static void capacitors_share_their_charge(void **unused) {
    (void)unused;
    static char text[SWITCHED_TEXT];
    for (int k = 0; k < SHARINGS * 2; k++) {
        const struct parts *p = &sharing[k / 2];
        int resistors = k % 2;
        text[0] = '\0';
        for (int i = 1; i <= p->count; i++)
            add_text(text, "var u%d\ninit u%d = %.17g\n", i, i, p->value[i - 1]);
        for (int i = 1; i < p->count; i++) add_text(text, "var i%d\n", i);
        if (resistors) add_text(text, "var z, j\nz' = -2*j\nz = 3*j\ninit z = 4\n");
        for (int i = 1; i <= p->count; i++) {
            add_text(text, "%.17g*u%d' = 0", p->capacity[i - 1], i);
            if (i > 1) add_text(text, " + i%d", i - 1);
            if (i < p->count) add_text(text, " - i%d", i);
            add_text(text, "\n");
        }
        add_text(text, "invariant Q = 0");
        for (int i = 1; i <= p->count; i++) add_text(text, " + %.17g*u%d", p->capacity[i - 1], i);
        add_text(text, "\nmode open:\n");
        for (int i = 1; i < p->count; i++) add_text(text, "    i%d = 0\n", i);
        add_text(text, "    event close: t - 1 rising -> mode closed\nmode closed:\n");
        for (int i = 1; i < p->count; i++) add_text(text, "    u%d = u%d\n", i, i + 1);
        add_text(text, "start open\nrun 0 .. 2\n");
        keel_model *m = read_text(text);
        keel_options o = options_of(k);
        double mean = mean_of(p, p->count);
        keel_sim *s = changed(m, &o, 2);
        keel_jump jump;
        assert_all(s, "u", p->count, mean, 1e-13 * (fabs(mean) + 1));
        assert_false(keel_sim_jump(s, 0, &jump)); /* Q holds to round-off */
        run_to(s, 2);
        assert_all(s, "u", p->count, mean, 1e-13 * (fabs(mean) + 1));
        if (resistors) assert_near(value_of(s, "z"), 4 * exp(-2 * 2 / 3.), 1e-6);
        keel_sim_close(s);
        keel_model_close(m);
    }
}

/* Coils, each with a resistor beside it that carries the difference; the resistors are taken away, and all
 * carry one current.  Their voltages are impulsive. */
static void coils_share_their_flux(void **unused) {
    (void)unused;
    static char text[SWITCHED_TEXT];
    for (int k = 0; k < SHARINGS; k++) {
        const struct parts *p = &sharing[k];
        text[0] = '\0';
        for (int i = 1; i <= p->count; i++) add_text(text, "var i%d, u%d\n", i, i);
        for (int i = 1; i <= p->count; i++) add_text(text, "%.17g*i%d' = u%d\n", p->capacity[i - 1], i, i);
        add_text(text, "mode bridged:\n");
        for (int i = 1; i <= p->count; i++) add_text(text, "    u%d = 0\n", i);
        add_text(text, "    event cut: t - 1 rising -> mode series\nmode series:\n    0 = u1");
        for (int i = 2; i <= p->count; i++) add_text(text, " + u%d", i);
        add_text(text, "\n");
        for (int i = 1; i < p->count; i++) add_text(text, "    i%d = i%d\n", i, i + 1);
        add_text(text, "start bridged\nrun 0 .. 2\n");
        for (int i = 1; i <= p->count; i++) add_text(text, "init i%d = %.17g\n", i, p->value[i - 1]);
        keel_model *m = read_text(text);
        keel_options o = options_of(k);
        keel_sim *s = changed(m, &o, 2);
        double mean = mean_of(p, p->count);
        assert_all(s, "i", p->count, mean, 1e-13 * (fabs(mean) + 1));
        keel_sim_close(s);
        keel_model_close(m);
    }
}

/* Shafts with a motor at the one end and a brake at the other, coupled at t = 1: torques are bounded and
 * do not count in the jump. */
static void clutches_keep_the_momentum(void **unused) {
    (void)unused;
    static char text[SWITCHED_TEXT];
    for (int k = 0; k < SHARINGS; k++) {
        const struct parts *p = &sharing[k];
        int n = p->count;
        text[0] = '\0';
        for (int i = 1; i <= n; i++) add_text(text, "var w%d\ninit w%d = %.17g\n", i, i, p->value[i - 1]);
        for (int i = 1; i < n; i++) add_text(text, "var T%d\n", i);
        for (int i = 1; i <= n; i++) {
            double J = p->capacity[i - 1];
            add_text(text, "%.17g*w%d' = %.17g*(%.17g - w%d)", J, i, J, p->value[i - 1], i); /* at rest */
            if (i > 1) add_text(text, " + T%d", i - 1);
            if (i < n) add_text(text, " - T%d", i);
            add_text(text, "\n");
        }
        add_text(text, "output L = 0");
        for (int i = 1; i <= n; i++) add_text(text, " + %.17g*w%d", p->capacity[i - 1], i);
        add_text(text, "\nmode slip:\n");
        for (int i = 1; i < n; i++) add_text(text, "    T%d = 0\n", i);
        add_text(text, "    event lock: t - 1 rising -> mode locked\nmode locked:\n");
        for (int i = 1; i < n; i++) add_text(text, "    w%d = w%d\n", i, i + 1);
        add_text(text, "start slip\nrun 0 .. 2\n");
        keel_model *m = read_text(text);
        keel_options o = options_of(k);
        keel_sim *s = changed(m, &o, 2);
        double mean = mean_of(p, n);
        assert_all(s, "w", n, mean, 1e-13 * (fabs(mean) + 1));
        keel_sim_close(s);
        keel_model_close(m);
    }
}

/* Two bodies, in one dimension and in two, that meet and stay together; in one dimension also with positions
 * that must agree (index 3). */
static void masses_that_stick_keep_the_momentum(void **unused) {
    (void)unused;
    static const double mass[][2] = {{1, 1}, {2, 3}, {1e-3, 5}, {1, 1e6}, {0.3, 0.7}};
    static char text[SWITCHED_TEXT];
    for (int k = 0; k < 15; k++) {
        const double *a = mass[k % 5];
        int dimensions = k < 5 ? 2 : 1, positions = k >= 10;
        text[0] = '\0';
        add_text(text, "param m1 = %.17g, m2 = %.17g\n", a[0], a[1]);
        for (int d = 1; d <= dimensions; d++)
            add_text(text,
                     "var x%d, y%d, f%d\nm1*x%d'' = f%d\nm2*y%d'' = -f%d\n"
                     "invariant p%d = m1*x%d' + m2*y%d'\n",
                     d, d, d, d, d, d, d, d, d, d);
        add_text(text, "invariant energy_ = m1*x1'^2/2 + m2*y1'^2/2");
        if (dimensions == 2) add_text(text, " + m1*x2'^2/2 + m2*y2'^2/2");
        add_text(text, "\nmode apart:\n    f1 = 0\n");
        if (dimensions == 2) add_text(text, "    f2 = 0\n");
        add_text(text, "    event meet: x1 - y1 rising -> mode one\nmode one:\n");
        if (positions) add_text(text, "    x1 = y1\n");
        else
            for (int d = 1; d <= dimensions; d++) add_text(text, "    x%d' = y%d'\n", d, d);
        add_text(text, "start apart\nrun 0 .. 3\ninit x1 = 0, y1 = 1, x1' = 1.5, y1' = 0\n");
        if (dimensions == 2) add_text(text, "init x2 = 0, y2 = 0, x2' = 0, y2' = -2\n");
        keel_model *m = read_text(text);
        keel_options o = options_of(k);
        keel_sim *s = changed(m, &o, 3);
        double all = a[0] + a[1], v = a[0] * 1.5 / all, w = -2 * a[1] / all;
        assert_near(value_of(s, "x1'"), v, 1e-13);
        assert_near(value_of(s, "y1'"), v, 1e-13);
        if (dimensions == 2) assert_near(value_of(s, "x2'"), w, 1e-13);
        if (dimensions == 2) assert_near(value_of(s, "y2'"), w, 1e-13);
        keel_jump jump;
        assert_true(keel_sim_jump(s, 0, &jump)); /* a plastic impact takes energy, and nothing else */
        assert_string_equal(jump.row, "energy_");
        assert_string_equal(jump.event, "meet");
        assert_near(jump.t, 2 / 3., 1e-9);
        double before = a[0] * 1.125 + (dimensions == 2 ? 2 * a[1] : 0);
        double after = all * v * v / 2 + (dimensions == 2 ? all * w * w / 2 : 0);
        assert_near(jump.before, before, 1e-13 * before);
        assert_near(jump.after, after, 1e-13 * before);
        assert_false(keel_sim_jump(s, 1, &jump));
        keel_sim_close(s);
        keel_model_close(m);
    }
}

/* Tanks whose valve is opened wide: one level, the same volume.  Volumes are unknowns of their own, too. */
static void tanks_keep_the_volume(void **unused) {
    (void)unused;
    static char text[SWITCHED_TEXT];
    for (int k = 0; k < SHARINGS * 2; k++) {
        const struct parts *p = &sharing[k / 2];
        int volumes = k % 2, n = p->count;
        text[0] = '\0';
        for (int i = 1; i <= n; i++)
            add_text(text, "var h%d, V%d\ninit h%d = %.17g\n", i, i, i, p->value[i - 1]);
        for (int i = 1; i < n; i++) add_text(text, "var q%d\n", i);
        for (int i = 1; i <= n; i++) {
            add_text(text, "V%d = %.17g*h%d\n", i, p->capacity[i - 1], i);
            if (volumes) add_text(text, "V%d' = 0", i);
            else add_text(text, "%.17g*h%d' = 0", p->capacity[i - 1], i);
            if (i > 1) add_text(text, " + q%d", i - 1);
            if (i < n) add_text(text, " - q%d", i);
            add_text(text, "\n");
        }
        add_text(text, "mode shut:\n");
        for (int i = 1; i < n; i++) add_text(text, "    q%d = 1e-3*(h%d - h%d)*0\n", i, i, i + 1);
        add_text(text, "    event open: t - 0.5 rising -> mode wide\nmode wide:\n");
        for (int i = 1; i < n; i++) add_text(text, "    h%d = h%d\n", i, i + 1);
        add_text(text, "start shut\nrun 0 .. 2\n");
        keel_model *m = read_text(text);
        keel_options o = options_of(k);
        keel_sim *s = changed(m, &o, 2);
        double mean = mean_of(p, n);
        assert_all(s, "h", n, mean, 1e-13 * (fabs(mean) + 1));
        keel_sim_close(s);
        keel_model_close(m);
    }
}

/* A string between two masses catches: written as equations and as a lagrangian it does the same. */
static void a_catch_by_equations_is_that_of_mechanics(void **unused) {
    (void)unused;
    static const char *const set[][2] = {
        {"m1=1", "m2=3"}, {"m1=2", "m2=0.1"}, {"m1=1", "m2=1"}, {"m1=7", "m2=5"}, {"m1=1e-2", "m2=4"}};
    static const char start[] =
        "init x = 0, y = 0, u = 1, v = 0, x' = -2, y' = 1, u' = 1, v' = 0.5\nrun 0 .. 3\n"
        "start free\nmode free:\n    event catch: (u - x)^2 + (v - y)^2 - 4 rising -> "
        "mode taut\n";
    static const char written[] = "param m1 = 1, m2 = 3\nvar x, y, u, v, f\nm1*x'' = f*(u - x)\n"
                                  "m1*y'' = f*(v - y)\nm2*u'' = -f*(u - x)\nm2*v'' = -f*(v - y)\n";
    static const char mechanics[] = "param m1 = 1, m2 = 3\ncoord x, y, u, v\n"
                                    "lagrangian m1*(x'^2 + y'^2)/2 + m2*(u'^2 + v'^2)/2\n";
    static const char *const columns[] = {"x'", "y'", "u'", "v'"};
    for (int k = 0; k < 5; k++) {
        double value[2][4];
        for (int form = 0; form < 2; form++) {
            char text[2000];
            snprintf(text, sizeof text, "%s%s%s%s", form ? mechanics : written, start,
                     form ? "" : "    f = 0\n",
                     form ? "mode taut:\n    constraint s: (u - x)^2 + (v - y)^2 = 4\n"
                          : "mode taut:\n    (u - x)^2 + (v - y)^2 = 4\n");
            keel_model *m = keel_model_read("catch.keel", text, strlen(text),
                                            &(keel_model_options){.interpret = 1, .set = set[k], .sets = 2});
            if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
            keel_options o = {.rtol = 1e-11};
            keel_sim *s = changed(m, &o, 3);
            for (int i = 0; i < 4; i++) value[form][i] = value_of(s, columns[i]);
            keel_sim_close(s);
            keel_model_close(m);
        }
        for (int i = 0; i < 4; i++) assert_near(value[0][i], value[1][i], 1e-12);
    }
}

#define JOINED(equations, action)                                                                 \
    "var u1, u2, i\n" equations "mode open:\n    i = 0\n    event close: t - 1 rising -> " action \
    "mode closed\nmode closed:\n    u1 = u2\nstart open\ninit u1 = 5, u2 = 0\nrun 0 .. 2\n"

#define SUM_OF_THREE(equations)                                                                    \
    equations "\nmode one:\n    f = 0\n    event e: t - 1 rising -> a := 2, mode two\nmode two:\n" \
              "    a + b + c = 1\nstart one\ninit a = 1, b = 0, c = 7\nrun 0 .. 2\n"

static void assigned_values_stay(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *name[3];
        double value[3];
    } known[] = {
        {JOINED("u1' = -i\nu2' = i\n", "u1 := 3, "), {"u1", "u2", "u1"}, {3, 3, 3}},
        {JOINED("u1' = -i\nu2' = i\n", "u2 := 0, "), {"u1", "u2", "u1"}, {0, 0, 0}},
        {JOINED("u1' = -i\nu2' = i\n", "u1 := 1, u2 := 1, "), {"u1", "u2", "u1"}, {1, 1, 1}},
        /* a stays; b and c move as f acts on them, 2 to 3, whether a' is another name of f or not */
        {"var a, b, c, f\n" SUM_OF_THREE("a' = f\nb' = 2*f\nc' = 3*f"), {"a", "b", "c"}, {2, -3.2, 2.2}},
        {"var a, b, c, f\n" SUM_OF_THREE("3*a' = 3*f\nb' = 2*f\nc' = 3*f"), {"a", "b", "c"}, {2, -3.2, 2.2}},
        /* the balances of b and c contain the derivative of a: given up, and both move by the same */
        {"var a, b, c, f\n" SUM_OF_THREE("a' + b' = f\na' - c' = f\n2*a' + b' + c' = f"),
         {"a", "b", "c"},
         {2, -4, 3}},
        {"var x, y, f\nx'' = -f*x\ny'' = -f*y - 1\nx^2 + y^2 = 25\nevent kick: t - 1e-9 rising -> x' := 4\n"
         "init x = 3, y = 4, x' = 0\nguess y' = 0\nrun 0 .. 1e-8\n",
         {"x'", "y'", "x"},
         {4, -3, 3}},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        keel_model *m = read_text(known[k].text);
        keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-11});
        run_to(s, k + 1 == sizeof known / sizeof *known ? 1e-8 : 2);
        for (int i = 0; i < 3; i++) assert_near(value_of(s, known[k].name[i]), known[k].value[i], 1e-6);
        keel_sim_close(s);
        keel_model_close(m);
    }
}

static void assert_refused(const char *text, const char *one, const char *two) {
    keel_model *m = read_text(text);
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-9});
    keel_status status = keel_sim_run(s, 2);
    const char *said = keel_sim_message(s);
    if (status >= 0) fail_msg("not refused: %s", text);
    if (!strstr(said, one) || !strstr(said, two)) fail_msg("no `%s`, `%s` in: %s", one, two, said);
    keel_sim_close(s);
    keel_model_close(m);
}

static void nonlinear_jumps_are_refused(void **unused) {
    (void)unused;
    assert_refused(JOINED("(1 + u1^2)*u1' = -i\nu2' = i\n", ""), "not linear on the way", ":= ");
    assert_refused(JOINED("u1' = -i\nu2' = i*exp(u2)\n", ""), "line 3", ":= ");
    assert_refused(JOINED("u1' = -i^3\nu2' = i^3\n", ""), "after event `close`, in mode `closed`", "assign");
    assert_refused(JOINED("u1' = -i - i^3\nu2' = i + i^3\n", ""), "not linear", ":= ");
    assert_refused(JOINED("u1' = -i\nsin(u2')= i\n", ""), "assign", "in the event");
    assert_refused(JOINED("u1' = -i\nu2' = i\n", "u1 := 1, u2 := 2, "), "the value assigned to u2", "line 8");
}

/* q = C(u): charges jump linearly, whatever the capacity is.  u + u^3 + 2 u = 2 has the root 0.5961. */
static void stored_quantities_make_jumps_linear(void **unused) {
    (void)unused;
    keel_model *m =
        read_text("var q1, q2, u1, u2, i\nq1' = -i\nq2' = i\nq1 = u1 + u1^3\nq2 = 2*u2\n"
                  "invariant Q = q1 + q2\nmode open:\n    i = 0\n    event close: t - 1 rising -> "
                  "mode closed\nmode closed:\n    u1 = u2\nstart open\ninit u1 = 1, u2 = 0\n"
                  "run 0 .. 2\n");
    keel_options o = {.rtol = 1e-9};
    keel_sim *s = changed(m, &o, 2);
    double u = value_of(s, "u1");
    assert_near(3 * u + u * u * u, 2, 1e-14);
    assert_near(value_of(s, "u2"), u, 1e-15);
    keel_jump jump;
    assert_false(keel_sim_jump(s, 0, &jump));
    keel_sim_close(s);
    keel_model_close(m);
}

/* A ball loses energy at each bounce; the list is the same after a run was saved and loaded. */
static void jumps_are_listed_and_saved(void **unused) {
    (void)unused;
    keel_model *m = model_example("bounce");
    keel_options o = {.rtol = 1e-10};
    keel_sim *s = keel_sim_open(m, &o);
    run_to(s, 3);
    size_t count = keel_sim_save(s, NULL, 0);
    void *bytes = malloc(count);
    assert_int_equal(keel_sim_save(s, bytes, count), count);
    keel_sim *again = keel_sim_load(m, &o, bytes, count);
    keel_jump one, two, last = {0};
    long jumps = 0;
    for (; keel_sim_jump(s, jumps, &one); jumps++) {
        assert_true(keel_sim_jump(again, jumps, &two));
        assert_string_equal(one.event, "hit");
        assert_string_equal(one.row, "energy");
        assert_true(one.t == two.t && one.before == two.before && one.after == two.after);
        assert_string_equal(two.row, one.row);
        if (jumps) assert_near(one.before, last.after, 1e-12);
        assert_near(one.after - 0.5, 0.64 * (one.before - 0.5), 1e-10);
        last = one;
    }
    assert_true(jumps == event_records(s) && jumps > 3);
    assert_false(keel_sim_jump(again, jumps, &two));
    assert_true(keel_sim_jump(s, -1, &one) && one.t == last.t);
    assert_false(keel_sim_jump(s, -jumps - 1, &one));
    free(bytes);
    keel_sim_close(again);
    keel_sim_close(s);
    keel_model_close(m);
}
#endif
