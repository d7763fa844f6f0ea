/* test_dimensions.c - units: mistakes are found, with both sides named; what is consistent passes; values
 * with prefixes are in SI units; dimensions that nobody has written follow from the equations. */
#include "testing.h"

#include "model_run.h"

#define HEAD                                                                                             \
    "param m = 2 {kg}, g = 9.81 {m/s^2}, k = 5 {N/m}, c = 0.1 {N*s/m}, R = 10 {Ohm}, C = 1 {mF}, U = 5 " \
    "{V}, "                                                                                              \
    "L = 2 {H}, T = 300 {K}, w = 3 {1/s}, l = 1 {m}, q = 2\n"
#define OSCILLATOR HEAD "coord x {m}\nlagrangian m*x'^2/2 - k*x^2/2\ninit x = 1, x' = 0\nrun 0 .. 1\n"
#define EQUATIONS HEAD "var x {m}, v {m/s}\ninit x = 1, v = 0\nrun 0 .. 1\n"

/* q: as a mark for tests alone. */
#define DISK                                                                                              \
    "param q = 2\nlibrary body2d\nparam m = 2 {kg}\nuse Body b(m, J = 0.1 {kg*m^2})\ninit b.r = (0, 2), " \
    "b.r' "                                                                                               \
    "= (0, 0), b.phi = 0, b.phi' = 0\nrun 0 .. 1\nuse Contact c(b, (0, 0), ground, (0, 0), (1, 0), "

/* A mistake, and the units that its warning names. */
static const struct {
    const char *text, *one, *other;
} mistakes[] = {
    {EQUATIONS "x' = x\nv' = g\n", "m/s", "in m"},
    {EQUATIONS "x' = v\nv' = v\n", "m/s^2", "m/s"},
    {EQUATIONS "x' = v\nv' = -k*x\n", "m/s^2", "N"},
    {EQUATIONS "x' = v\nm*v' = -k*x - c*x\n", "N", "kg*m/s"},
    {EQUATIONS "x' = v + x\nv' = g\n", "m/s", "in m"},
    {EQUATIONS "x' = sqrt(x)*w\nv' = g\n", "m/s", "m^(1/2)/s"},
    {EQUATIONS "x' = v*sin(x)\nv' = g\n", "without unit", "in m"},
    {EQUATIONS "x' = v*exp(-t)\nv' = g\n", "without unit", "in s"},
    {EQUATIONS "x' = v*log(m)\nv' = g\n", "without unit", "in kg"},
    {EQUATIONS "x' = max(v, x)\nv' = g\n", "m/s", "in m"},
    {EQUATIONS "x' = if(x > v, v, 2*v)\nv' = g\n", "in m", "m/s"},
    {EQUATIONS "x' = if(x > l, v, x)\nv' = g\n", "m/s", "in m"},
    {EQUATIONS "x' = v*atan2(x, v)\nv' = g\n", "in m", "m/s"},
    {EQUATIONS "x' = v\nv' = g\nvar y\ny = x + t\n", "in m", "in s"},
    {EQUATIONS "x' = v\nv' = g\noutput e = m*v^2/2 + m*g*x + k*x\n", "J", "N"},
    {EQUATIONS "x' = v\nv' = g\noutput p = m*v {J}\n", "kg*m/s", "J"},
    {EQUATIONS "x' = v\nv' = g\nevent hit: x - v falling -> record\n", "in m", "m/s"},
    {EQUATIONS "x' = v\nv' = g\nevent hit: x falling -> v := -x\n", "m/s", "in m"},
    {EQUATIONS "x' = v\nv' = g\nevent tick: every l -> record\n", "in m", "in s"},
    {EQUATIONS "x' = v\nv' = g\nparam period = 2*sqrt(l/g) {m}\noutput o = period\n", "in m", "in s"},
    {HEAD "var x {m}\nx' = w*x\ninit x = 3 {s}\nrun 0 .. 1\n", "in m", "in s"},
    {HEAD "var x {m}\nx' = w*x\ninit x = w\nrun 0 .. 1\n", "in m", "1/s"},
    {HEAD "var x {m}\nx' = w*x\ninit x = 1\nexact x = l*exp(w*t)*t\nrun 0 .. 1\n", "in m", "m*s"},
    {HEAD "coord x {m}\nlagrangian m*x'^2/2 - k*x\ninit x = 1, x' = 0\nrun 0 .. 1\n", "J", "N"},
    {HEAD "coord x {m}\nlagrangian m*x'^2/2 - m*g\ninit x = 1, x' = 0\nrun 0 .. 1\n", "J", "N"},
    {OSCILLATOR "force x: -c*x\n", "kg*m/s", "N"},
    {OSCILLATOR "output a = x'' + x'\n", "m/s^2", "m/s"},
    {HEAD "canonical x {m}, p {N*s}\nhamiltonian p^2/m/2 + m*g*l*x\ninit x = 1, p = 0\nrun 0 .. 1\n", "J",
     "m^3"},
    {HEAD "canonical x {rad}, p {N*s}\nhamiltonian p^2/m/2\ninit x = 1, p = 1\nrun 0 .. 1\n", "kg*m/s",
     "kg*m^2/s"},
    {HEAD "var u {V}, i {A}\nC*u' = i\nR*i + u = U*L\ninit u = 0\nrun 0 .. 1\n", "V", "kg^2*m^4"},
    {HEAD "var u {V}, i {A}\nC*u' = i\nL*i + u = U\ninit u = 0\nrun 0 .. 1\n", "Wb", "V"},
    {HEAD "var u {V}\nvar i\nC*u' = i\nR*i + u = U\nvar x {m}\nx' = i\ninit u = 0, x = 0\nrun 0 .. 1\n",
     "m/s", "A"},
    {"library circuit\nnode a\nuse Resistor r(a, earth, 1 {kOhm})\nuse Capacitor c(a, earth, 1 {uF/m})\n"
     "init c.u = 1\nrun 0 .. 1\n",
     "A/m", "in A"},
    {HEAD "coord x {m}, y {m}\nlagrangian m*(x'^2 + y'^2)/2 - m*g*y\nconstraint rod: x^2 + y^2 = l\n"
          "init y = 0, y' = 0\nguess x = l\nrun 0 .. 1\n",
     "m^2", "in m"},
    {HEAD "coord x {m}, y {m}\nlagrangian m*(x'^2 + y'^2)/2 - m*g*y\nconstraint rod: x^2 + y^2 = l^2\n"
          "init y = 0, y' = 0\nguess x = l\noutput pull = lambda.rod*l {J}\nrun 0 .. 1\n",
     "N", "J"},
    {HEAD "coord x {m}\nlagrangian m*x'^2/2 - m*g*x\ncontact ramp: x - t\ninit x = 1, x' = 0\nrun 0 .. 1\n",
     "in m", "in s"},
    {DISK "R = 5 {m}, restitution = 0.5 {kg})\n", "in kg", "without unit"},
    {DISK "R = 5 {m}, friction = 0.5 {m})\n", "in m", "without unit"},
    {DISK "R = 5 {m})\noutput push = lambda.c.touch {J}\n", "N", "J"},
    {DISK "R = 5 {m}, friction = 0.3)\noutput drag = c.drag {W}\n", "N", "W"},
};

static keel_model *read_it(const char *text) {
    return keel_model_read("test.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
}

static void mistakes_are_found(void **state) {
    int failures = 0;
    (void)state;
    assert_true(sizeof mistakes / sizeof mistakes[0] >= 30);
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        keel_model *m = read_it(mistakes[i].text);
        const char *said = keel_model_message(m), *units = strstr(said, "warning: units do not fit");
        if (keel_model_status(m) == KEEL_OK && units && strstr(units, mistakes[i].one) &&
            strstr(units, mistakes[i].other) && !strstr(units + 10, "warning: units"))
            failures += 0;
        else failures++, print_error("%s\n%s\n", strstr(mistakes[i].text, "q = 2\n") + 6, said);
        keel_model_close(m);
    }
    assert_int_equal(failures, 0);
}

static void what_fits_passes(void **state) {
    static const char *const good[] = {
        EQUATIONS "x' = v\nm*v' = -k*x - c*v + m*g*sin(w*t)\n",
        EQUATIONS "x' = 2*v - 0\nv' = 3\noutput a = x - 1, b = 0.5*sin(200*pi*t)\n",
        EQUATIONS "x' = v*exp(-x/l)\nv' = g*(x/l)^q\n",
        OSCILLATOR "output s = x/l {1}, e = energy {kJ}\nforce x: -c*x'\n",
        HEAD
        "var u {V}, i\nC*u' = i\nR*i + u = U*sin(w*t)\ninit u = 0\noutput heat = R*i^2 {W}\nrun 0 .. 1\n",
        HEAD "canonical x {m}, p\nhamiltonian p^2/m/2 + k*x^2/2\ninit x = 1, p = 0\nrun 0 .. 1\n",
        HEAD "library circuit\nnode a, b\nuse Source s(a, earth, v = U)\nuse Resistor r(a, b, R)\n"
             "use Capacitor cap(b, earth, C)\nuse Resistor load(b, earth, 50)\ninit cap.u = 0\nrun 0 .. 1\n",
        DISK
        "R = 0.5 {m}, restitution = 0.5 {1}, friction = 0.3)\noutput push = c.push {N}, drag = c.drag {kN}\n",
        HEAD "table f = \"f.csv\"\nvar x {m}\nx' = f(t) + f(t)*x/l\ninit x = 0\nrun 0 .. 1\n"
             "table \"f.csv\":\n    \"0,1\"\n    \"1,2\"\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        keel_model *m = read_it(good[i]);
        if (keel_model_status(m) != KEEL_OK || strstr(keel_model_message(m), "warning"))
            fail_msg("%s\n%s", good[i], keel_model_message(m));
        keel_model_close(m);
    }
}

/* 5 {mm} is the double 0.005; columns have units, and outputs are in their own. */
static void prefixes_scale(void **state) {
    keel_model *m =
        read_it("param l = 5 {mm}, v = 36 {km/h}, a = 180 {deg}, p = 1.5 {bar}\nvar x {m}\nx' = v\n"
                "init x = 30 {mm}\noutput L = l, far = x {km}, angle = a, P = p {kPa}, rate = x'/l\n"
                "run 0 .. 100\n");
    (void)state;
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    keel_sim *s = keel_sim_open(m, NULL);
    assert_true(value_of(s, "x") == 0.03 && value_of(s, "L") == 0.005 && value_of(s, "far") == 0.03 / 1000);
    assert_near(value_of(s, "x"), 0.03, 0);
    assert_near(value_of(s, "angle"), 3.14159265358979, 1e-14);
    assert_near(value_of(s, "P"), 150, 1e-12);
    run_to(s, 100);
    assert_near(value_of(s, "x"), 1000.03, 1e-9);
    const struct {
        const char *name, *unit;
    } columns[] = {{"x", "m"}, {"L", "m"}, {"far", "km"}, {"angle", "1"}, {"P", "kPa"}, {"rate", "1/s"}};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        assert_string_equal(keel_sim_column_unit(s, column_named(s, columns[i].name)), columns[i].unit);
    keel_sim_close(s);
    keel_model_close(m);
}

static void wrong_units_are_refused(void **state) {
    static const struct {
        const char *text, *sentence;
    } wrong[] = {{"param a = 1 {meter}\n", "there is no unit `meter`"},
                 {"param a = 1 {Ohms}\n", "did you mean `Ohm`?"},
                 {"param a = 1 {m + s}\n", "a unit is made of names"},
                 {"param a = 1 {m^x}\n", "a power of a unit"},
                 {"var y {mm}\n", "unknowns are in SI units"},
                 {"param b = 2, a = 2*b {mm}\n", "scales a number, and this is an expression"},
                 {"param a = 1 {m\n", "}"}};
    char text[200];
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snprintf(text, sizeof text, "%svar x\nx' = 1\ninit x = 0\nrun 0 .. 1\n", wrong[i].text);
        keel_model *m = read_it(text);
        if (keel_model_status(m) == KEEL_OK || !strstr(keel_model_message(m), wrong[i].sentence))
            fail_msg("%s\n%s", text, keel_model_message(m));
        keel_model_close(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_found),
        cmocka_unit_test(what_fits_passes),
        cmocka_unit_test(prefixes_scale),
        cmocka_unit_test(wrong_units_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
