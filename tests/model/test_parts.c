/* test_parts.c - models of parts: they are the same as models written flat, to the bit; what a part sees and
 * what not; nodes; the libraries; closed loops. */
#include "testing.h"

#include "model_run.h"

static keel_model *read_it(const char *text) {
    return keel_model_read("test.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
}

static keel_model *read_well(const char *text) {
    keel_model *m = read_it(text);
    assert_non_null(m);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s\n%s", keel_model_message(m), text);
    return m;
}

/* The states at the end of ten steps of rk4; how many. */
static int end_of(const char *text, double *out) {
    keel_model *m = read_well(text);
    keel_sim *s = keel_sim_open(m, &(keel_options){.method = "rk4+project", .step = 0.01});
    run_to(s, 0.1);
    int count = keel_sim_columns(s);
    assert_true(count <= 100);
    assert_int_equal(keel_sim_values(s, out), KEEL_OK);
    keel_sim_close(s);
    keel_model_close(m);
    return count;
}

#define ROWS "table \"load.csv\":\n    \"0, 0\"\n    \"0.03, 2.5\"\n    \"0.4, 3\"\n    \"1, -1\"\n"

/* By parts, and flat. */
static const char *const twins[][2] = {
    {"part Rod(m, l, a, phi0):\n"
     "    coord phi\n"
     "    let head = a + l*(sin(phi), -cos(phi)), c = a + l/2*(sin(phi), -cos(phi))\n"
     "    lagrangian m*dot(c', c')/2 + m*l^2*phi'^2/24 - 9.81*m*c[2]\n"
     "    init phi = phi0, phi' = 0\n"
     "use Rod upper(m = 1, l = 1, a = (0, 0), phi0 = 2)\n"
     "use Rod lower(2, 0.5, phi0 = 2.5, a = upper.head)\n"
     "invariant energy\nrun 0 .. 1\n",
     "coord a, b\n"
     "let h = (0, 0) + 1*(sin(a), -cos(a)), c = (0, 0) + 1/2*(sin(a), -cos(a)), d = h + 0.5/2*(sin(b), "
     "-cos(b))\n"
     "lagrangian (1*dot(c', c')/2 + 1*1^2*a'^2/24 - 9.81*1*c[2]) + (2*dot(d', d')/2 + 2*0.5^2*b'^2/24 - "
     "9.81*2*d[2])\n"
     "init a = 2, a' = 0, b = 2.5, b' = 0\ninvariant energy\nrun 0 .. 1\n"},
    {"param N = 3\n"
     "part Ball(m, x0):\n    coord r[1..2]\n    lagrangian m*dot(r', r')/2 - 9.81*m*r[2]\n"
     "    init r[1] = x0, r' = (0, 0)\n"
     "part Bar(a, b, l):\n    let d = b.r - a.r\n    constraint length: dot(d, d) = l^2\n"
     "part Pin():\n    let r = (0, 0)\n"
     "use Pin pin()\nuse Bar top(pin, ball[1], 1)\n"
     "for i in 1..N:\n    use Ball ball[i](m = i, x0 = i*0.6)\n    guess ball[i].r[2] = -i*0.8\n"
     "for k in 2..N: use Bar bar[k](a = ball[k-1], b = ball[k], l = 1)\n"
     "invariant energy\nrun 0 .. 1\n",
     "param N = 3\ncoord r[1..N][1..2]\n"
     "let L[1] = 1*dot(r[1]', r[1]')/2 - 9.81*1*r[1][2]\nlet L[2] = 2*dot(r[2]', r[2]')/2 - 9.81*2*r[2][2]\n"
     "let L[3] = 3*dot(r[3]', r[3]')/2 - 9.81*3*r[3][2]\nlagrangian L[1] + L[2] + L[3]\n"
     "constraint top: dot(r[1] - (0, 0), r[1] - (0, 0)) = 1^2\n"
     "for k in 2..N: constraint bar[k]: dot(r[k] - r[k-1], r[k] - r[k-1]) = 1^2\n"
     "for i in 1..N:\n    init r[i][1] = i*0.6, r[i]' = (0, 0)\n    guess r[i][2] = -i*0.8\n"
     "invariant energy\nrun 0 .. 1\n"},
    /* parts of parts in loops, a function of a part, names of loops that clash */
    {"part Cell(k):\n    var x\n    let pull(y) = k*(y - x)\n    init x = k\n"
     "part Line(n, f):\n    for i in 1..3: use Cell cell[i](i*f)\n"
     "    for i in 1..3: cell[i].x' = cell[if(i == 1, 3, i - 1)].pull(n)\n"
     "for i in 1..2: use Line line[i](sum(j in 1..3, line[3-i].cell[j].x), i)\n"
     "run 0 .. 1\n",
     "var x[1..2][1..3]\nfor i in 1..2, j in 1..3: init x[i][j] = j*i\n"
     "for i in 1..2, j in 1..3: x[i][j]' = (if(j == 1, 3, j - 1)*i)*(sum(k in 1..3, x[3-i][k]) - x[i][if(j "
     "== "
     "1, 3, j - 1)])\nrun 0 .. 1\n"},
    /* a node has one potential and one balance */
    {"library circuit\nnode a, b\nuse Source s(a, earth, v = 10*sin(t))\nuse Resistor r(a, b, 2)\n"
     "use Capacitor c(b, earth, 0.5)\ninit c.u = 1\nrun 0 .. 1\n",
     "var va, vb, i, u\nva = 10*sin(t)\ni + (va - vb)/2 = 0\n-(va - vb)/2 + 0.5*u' = 0\nu = vb\ninit u = "
     "1\nrun 0 .. 1\n"},
    /* units behind arguments and their defaults; one table of all that are used */
    {"part Pulled(m = 2 {kg}, x0):\n    table load = \"load.csv\", by = linear\n    var x, v\n    x' = v\n"
     "    m*v' = load(t) + load(x)\n    init x = x0, v = 0\n"
     "use Pulled one(x0 = 1 {mm})\nfor i in 1..2: use Pulled two[i](i {kg}, 500 {mm})\nrun 0 .. 0.1\n" ROWS,
     "table load = \"load.csv\", by = linear\nvar x, v, y[1..2], w[1..2]\nx' = v\n2*v' = load(t) + load(x)\n"
     "for i in 1..2:\n    y[i]' = w[i]\n    i*w[i]' = load(t) + load(y[i])\n    init y[i] = 0.5, w[i] = 0\n"
     "init x = 0.001, v = 0\nrun 0 .. 0.1\n" ROWS},
    /* an argument that is a size, in arrays of parts, handed on */
    {"part Row(n, k):\n    var x[1..n]\n    for j in 1..n:\n        x[j]' = -(k + j)*x[j]\n        init x[j] "
     "= j\n"
     "part Two(n):\n    use Row a(n, 1), b(n + 1, 2)\nfor i in 1..2: use Two w[i](3)\nrun 0 .. 1\n",
     "var a[1..2][1..3], b[1..2][1..4]\nfor i in 1..2, j in 1..3:\n    a[i][j]' = -(1 + j)*a[i][j]\n"
     "    init a[i][j] = j\nfor i in 1..2, j in 1..4:\n    b[i][j]' = -(2 + j)*b[i][j]\n"
     "    init b[i][j] = j\nrun 0 .. 1\n"},
};

static double named(const char *text, const char *name) {
    keel_model *m = read_well(text);
    keel_sim *s = keel_sim_open(m, &(keel_options){.method = "rk4+project", .step = 0.01});
    run_to(s, 0.1);
    double value = value_of(s, name);
    keel_sim_close(s);
    keel_model_close(m);
    return value;
}

static void parts_are_what_they_are_written_out(void **state) {
    (void)state;
    double one[100], other[100];
    for (int i = 0; i < (int)(sizeof twins / sizeof *twins); i++) {
        if (i == 3) continue; /* below */
        int count = end_of(twins[i][0], one);
        assert_int_equal(count, end_of(twins[i][1], other));
        for (int k = 0; k < count; k++)
            if (one[k] != other[k]) fail_msg("model %d, column %d: %.17g and %.17g", i, k, one[k], other[k]);
    }
    assert_near(named(twins[3][0], "c.u"), named(twins[3][1], "u"), 4e-16);
    assert_near(named(twins[3][0], "s.i"), named(twins[3][1], "i"), 4e-16);
}

/* Words of parts are names where no name follows. */
static void old_names_go_on_working(void **state) {
    (void)state;
    keel_model *m = read_well("param part = 1, library = 2\nvar use, node, flow\nuse' = -part*use\n"
                              "node' = flow\nflow = library\ninit use = 1, node = 0\nrun 0 .. 1\n");
    keel_model_close(m);
}

static void lines_of_the_model_replace_those_of_a_part(void **state) {
    (void)state;
    static const char part[] = "part P():\n    var x\n    x' = 0\n    init x = 1\nuse P a(), b()\n";
    char text[300];
    snprintf(text, sizeof text, "%sinit b.x = 5\nrun 0 .. 1\n", part);
    assert_near(named(text, "a.x"), 1, 0);
    assert_near(named(text, "b.x"), 5, 0);
    keel_model *m =
        keel_model_read("test.keel", text, strlen(text),
                        &(keel_model_options){.interpret = 1, .sets = 1, .set = (const char *[]){"a.x=7"}});
    keel_sim *s = keel_sim_open(m, NULL);
    assert_near(value_of(s, "a.x"), 7, 0);
    keel_sim_close(s);
    keel_model_close(m);
}

/* Those around it: an outer part, and the model before that; a stranger at the same unknown is a mistake. */
static void lines_of_a_part_replace_those_of_its_parts(void **state) {
    (void)state;
    static const char parts[] =
        "part P():\n    var x\n    x' = 0\n    init x = 1\n    mode on: event e: x - 9 rising "
        "-> mode off\n    mode off: event f: x - 9 falling -> mode on\n    start on\n"
        "part Q():\n    use P p()\n    init p.x = 3\n    start p.off\nuse Q a(), b()\nuse P c()\n";
    char text[600];
    snprintf(text, sizeof text, "%sinit b.p.x = 5\nstart b.p.on\nrun 0 .. 1\n", parts);
    assert_near(named(text, "a.p.x"), 3, 0);
    assert_near(named(text, "b.p.x"), 5, 0);
    assert_near(named(text, "c.x"), 1, 0);
    keel_model *m = keel_model_read("test.keel", text, strlen(text), NULL);
    keel_mode mode;
    assert_true(keel_model_mode(m, 0, &mode));
    assert_string_equal(mode.name, "a.p.off, b.p.on, c.on");
    keel_model_close(m);
    static const char stranger[] =
        "part P():\n    var x\n    x' = 0\n    init x = 1\npart S(p):\n    init p.x = 2\n"
        "use P a()\nuse S s(a)\nrun 0 .. 1\n";
    m = keel_model_read("test.keel", stranger, strlen(stranger), NULL);
    assert_non_null(strstr(keel_model_message(m), "`a.x` has a value already"));
    keel_model_close(m);
}

#define P "part P(a, b = 2):\n    var x\n    x' = a*b\n    init x = 0\n"
#define RUN "run 0 .. 1\n"

static const struct {
    const char *text, *sentence;
} mistakes[] = {
    {P "use Q p(1)\n" RUN, "there is no part `Q`"},
    {P "use P p()\n" RUN, "the argument `a` of `P` is missing"},
    {P "use P p(1, 2, 3)\n" RUN, "`P` takes 2 arguments"},
    {P "use P p(1, c = 3)\n" RUN, "`P` has no argument `c`"},
    {P "use P p(1, a = 3)\n" RUN, "the argument `a` is given twice"},
    {P "use P p(a = 1, 3)\n" RUN, "an argument by place stands before those by name"},
    {P "use P p(1), p(2)\n" RUN, "`p` is declared twice, first in line 5"},
    {P "use P p(1)\nvar y\ny' = p\ninit y = 0\n" RUN, "`p` is a part, not a value"},
    {P "use P p(1)\nvar y\ny' = p.z\ninit y = 0\n" RUN, "unknown name `p.z`"},
    {"var g\npart P():\n    var x\n    x' = g\nuse P p()\n" RUN, "the part `P` does not know `g`"},
    {"part P(a):\n    var x\n    x' = log(a)\n    init x = 0\nuse P p(0)\n" RUN,
     "is not a finite number. (In `p`, a `P`, line 5.)"},
    {"part P():\n    use Q q()\npart Q():\n    use P p()\nuse P p()\n" RUN,
     "a part cannot contain itself: `P` uses `Q` uses `P`"},
    {P "for i in 1..3: use P p(1)\n" RUN, "`p` is used again for each value of the loop"},
    {P "for i in 1..3: use P p[2*i](1)\n" RUN, "the index of a part is that of the loop around it"},
    {P "for i in 1..3 if i != 2: use P p[i](1)\n" RUN, "a loop over parts has one fixed range"},
    {"part Q(n):\n    var x[1..n]\n    for j in 1..n: x[j]' = 0\nfor i in 1..3: use Q q[i](i + 1)\n" RUN,
     "`q.x` would have another size for each value of `i`, and an array has one."},
    {P "part Q(n):\n    for j in 1..n: use P p[j](1)\nfor i in 1..3: use Q q[i](2*i)\n" RUN,
     "`q.p.x` would have another size for each value of `i`, and an array has one."},
    {"part P():\n    run 0 .. 1\n", "`run` cannot stand in a part"},
    {"part P()\n    var x\n", "`:` is missing at the end of this `part` line"},
    {"part P():\nvar x\nx' = 1\n" RUN, "nothing is indented below this `part`"},
    {"node a\n" RUN, "nothing is joined to the node of `a.v`"},
    {"var x\nx' = 1\nflow x: 1\ninit x = 0\n" RUN, "`x` is no node"},
    {"library circus\nnode a\n" RUN, "there is no library `circus`"},
    {"library body2d\nuse Mass m(1)\noutput y = m.r[3]\ninit m.r = 0, m.r' = 0\n" RUN,
     " of library body2d)."},
    {"library circuit\nnode a\nuse Resistor r(a, a, a)\n" RUN,
     "`a` is a node, not a value. (In `r`, a `Resistor`, line 3.)"},
    {"library circuit\nnode a\nuse Resistor r(a, 3, 1)\nuse Source s(a, earth, 1)\n" RUN,
     "`b` is no node. (In `r`, a `Resistor`, line 3.)"},
    {P "use P q(1)\nuse P p(a = q)\n" RUN, "`q` is a part, not a value. (In `p`, a `P`, line 6.)"},
    {"part P():\n    for i in 1..2: var enter[1..2]\nuse P p()\n" RUN,
     "`enter` cannot be a member of a part."},
    {"part P():\n    var x\n    mode a:\n        x' = 1\n        event e: x - 1 rising -> mode c\n    start "
     "a\n"
     "    init x = 0\nuse P p()\n" RUN,
     "the part `P` has no mode `c`."},
    {"library body3d\nuse Body b(m = 1, J = ((1, .1, 0), (.2, 1, 0), (0, 0, 1)))\n" RUN,
     "the matrix of `dot(a, J, a)` is symmetric, and this is not. (In `b`, a `Body`, line 2.)"},
    {"library body3d\nuse Body b(m = 1, J = (1, 2))\n" RUN,
     "`dot` of three takes a vector, a matrix and a vector."},
    {"part P(enter):\n    var x\n    x' = enter\n    init x = 0\n" RUN,
     "`enter` cannot be a member of a part."},
    {"library circuit\nnode a\nuse Resistor r(a {V}, earth, 1)\n" RUN,
     "`a` is a part or node, and has no unit"},
    {P "use P p(t {s})\n" RUN, "the parameter `p.a` is constant, and this depends on `t`. (In `p`, a `P`"},
    {P "use P p(1 {smoot})\n" RUN, "smoot"},
    {"part P():\n    table \"load.csv\":\n        \"0, 1\"\n" RUN, "`table` cannot stand in a part"},
    {"part P():\n    for i in 1..2: table load = \"load.csv\"\n" RUN, "`table` stands at the margin"},
    {"var x\nx' = 1\nmode m:\n    use P p(1)\nstart m\n" P RUN, "`use` cannot stand in a mode"},
    {"library circuit\nnode a\nuse Source s(a, earth, 5), w(a, earth, sin(t))\nuse Resistor r(a, earth, "
     "1)\n" RUN,
     "line 40 of library circuit in w cannot hold beside line 40 in s: they contradict"},
    {"library circuit\nnode a\nuse Source s(a, earth, 5), w(a, earth, 5)\nuse Resistor r(a, earth, 1)\n" RUN,
     "Nothing determines `s.i` or `w.i` (they occur only in line 2 at a.v (s, w, r))"},
    {"library circuit\nnode a, b\nuse Source s(a, b, 5), w(b, earth, 2), z(earth, a, t)\n"
     "use Resistor r(a, earth, 1), q(b, earth, 1)\n" RUN,
     "in z cannot hold beside lines 40 in s and 40 in w: they contradict each other"},
    {"library circuit\nnode a\nuse Current j(a, earth, 5), k(earth, a, 3)\n" RUN,
     "line 2 at a.v (j, k) can never hold: its unknowns cancel"},
    {"library circuit\nnode a\nfor i in 1..90: use Current source_of_current[i](a, earth, 5)\n" RUN,
     "line 2 at a.v (source_of_current, source_of_current, source_of_current, ..) can never hold"},
};

static void mistakes_have_their_sentences(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        keel_model *m = read_it(mistakes[i].text);
        assert_non_null(m);
        if (keel_model_status(m) == KEEL_OK || !strstr(keel_model_message(m), mistakes[i].sentence))
            fail_msg("%s\nwanted: %s\nsaid: %s", mistakes[i].text, mistakes[i].sentence,
                     keel_model_message(m));
        keel_model_close(m);
    }
}

/* A hinge about no direction is a ball: its other rows say nothing, and that is told. */
static void a_joint_that_says_nothing_is_told(void **state) {
    (void)state;
    keel_model *m = read_well("library body3d\nuse Body b(m = 1, J = (.1, .1, .1))\n"
                              "use Hinge h(ground, (0, 0, 0), b, (0, 0, .5), (0, 0, 0))\n" RUN);
    assert_non_null(strstr(keel_model_message(m), "constraint `h.axis[1]` says nothing: 0 = 0."));
    assert_non_null(strstr(keel_model_message(m), "constraint `h.axis[2]` says nothing: 0 = 0."));
    keel_model_close(m);
}

/* The text of a model with its libraries stands alone: it reads as the same model, without loading again. */
static void a_text_with_its_libraries_stands_alone(void **state) {
    (void)state;
    keel_model *m = read_well(twins[3][0]);
    const char *whole = keel_model_text(m);
    assert_non_null(strstr(whole, "library circuit:"));
    keel_model *again = read_well(whole);
    assert_string_equal(keel_model_text(again), whole);
    assert_near(named(whole, "c.u"), named(twins[3][0], "c.u"), 0);
    keel_model_close(again);
    keel_model_close(m);
}

#define LINKAGE                                                                                              \
    "param z = (0, 0, 1)\nuse Body a(m = 1, J = (.001, .01, .01)), b(m = 2, J = (.02, .2, .2)), c(m = 1.5, " \
    "J = "                                                                                                   \
    "(.01, .1, .1))\n"

/* Where all constraints hold some depend on others: closed loops of hinges, in the plane and in space. */
static const struct {
    const char *what, *text;
    int dof, redundant;
} loops[] = {
    {"four parallel hinges",
     "library body3d\n" LINKAGE "use Hinge A(ground, (0, 0, 0), a, (-.25, 0, 0), z)\n"
     "use Hinge B(a, (.25, 0, 0), b, (-.55, 0, 0), z)\nuse Hinge C(b, (.55, 0, 0), c, (.45, 0, 0), z)\n"
     "use Hinge D(ground, (1, 0, 0), c, (-.45, 0, 0), z)\n"
     "init a.q = (cos(.5), 0, 0, sin(.5)), a.q[4]' = 3*cos(.5)\n"
     "guess b.r = (.77, .64, 0), c.r = (1.14, .43, 0)\n",
     1, 3},
    {"two hinges of one door",
     "library body3d\nparam z = (0, 0, 1)\nuse Body a(m = 1, J = (1, 2, 3))\n"
     "use Hinge A(ground, (0, 0, 0), a, (-.5, 0, -1), z)\nuse Hinge B(ground, (0, 0, 2), a, (-.5, 0, 1), z)\n"
     "init a.q[4]' = 1\nguess a.r = (.5, 0, 1)\n",
     1, 5},
    {"a body on a rail and a slot along it",
     "library body2d\nuse Body a(1, 1)\nuse Slider s(ground, (0, 0), (1, 0), a, (0, 0))\n"
     "use Slot u(ground, (0, 1), (1, 0), a, (1, 1))\ninit a.r[1] = 0, a.r[1]' = 1\n",
     1, 1},
};

static void closed_loops_move(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        char text[1200];
        snprintf(text, sizeof text, "%sinvariant energy\nrun 0 .. 1\n", loops[i].text);
        keel_model *m = read_well(text);
        keel_mode mode;
        keel_model_mode(m, 0, &mode);
        if (mode.dof != loops[i].dof || mode.redundant != loops[i].redundant)
            fail_msg("%s: %d degrees of freedom, %d redundant", loops[i].what, mode.dof, mode.redundant);
        keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-8});
        run_to(s, 1);
        keel_row row;
        for (int k = 0; keel_sim_row_at(s, k, &row); k++)
            if (!(row.units <= 16))
                fail_msg("%s: %s has %g units", loops[i].what, keel_sim_row(s, k), row.units);
        keel_sim_close(s);
        keel_model_close(m);
    }
}

/* Bodies in space that hang on each other: reading takes some 9.7 million operations each, however many there
 * are. */
static void joints_in_space_are_read_in_proportion(void **state) {
    (void)state;
    static const char text[] =
        "library body3d\nparam N = 120\nuse Ball h0(ground, (0, 0, 0), b[1], (-0.5, 0, 0))\n"
        "for i in 1..N:\n    use Body b[i](1, (0.1, 0.1, 0.1))\n    guess b[i].r = (i - 0.5, 0, 0)\n"
        "for i in 2..N: use Ball h[i](b[i-1], (0.5, 0, 0), b[i], (-0.5, 0, 0))\nrun 0 .. 1\n";
    keel_model *m =
        keel_model_read("chain", text, strlen(text), &(keel_model_options){.interpret = 1, .work = 120 * 15});
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_what_they_are_written_out),
        cmocka_unit_test(old_names_go_on_working),
        cmocka_unit_test(lines_of_the_model_replace_those_of_a_part),
        cmocka_unit_test(lines_of_a_part_replace_those_of_its_parts),
        cmocka_unit_test(mistakes_have_their_sentences),
        cmocka_unit_test(a_joint_that_says_nothing_is_told),
        cmocka_unit_test(a_text_with_its_libraries_stands_alone),
        cmocka_unit_test(closed_loops_move),
        cmocka_unit_test(joints_in_space_are_read_in_proportion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
