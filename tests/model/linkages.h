/* linkages.h - random mechanisms with more constraints than they need, as models, and what must hold of their
 * sensitivities.
 *
 * Each moves for every value of the quantity that it names, which is a length or an angle in many: a
 * four-bar whose plane lies anywhere in space, with hinges that are repeated; a plate on parallel rods;
 * Bennett's linkage of any lengths and angle; a Stewart platform, which has no row too many. */
#ifndef KEEL_TESTS_LINKAGES_H
#define KEEL_TESTS_LINKAGES_H

#include "model_run.h"
#include "testing.h"

enum { LINKAGE_TEXT = 6000, LINKAGE_COLUMNS = 1000, LINKAGE_KINDS = 4 };
enum linkage_kind { LINKAGE_FOUR_BAR, LINKAGE_RODS, LINKAGE_BENNETT, LINKAGE_STEWART };

struct linkage {
    uint64_t seed;
    char text[LINKAGE_TEXT];
    const char *by; /* a parameter */
    double value, end;
};

static inline double linkage_uniform(struct linkage *l, double low, double high) {
    l->seed = l->seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(l->seed >> 11) / 9007199254740992.0;
}

__attribute__((format(printf, 2, 3))) static inline void linkage_add(struct linkage *l, const char *format,
                                                                     ...) {
    size_t length = strlen(l->text);
    va_list list;
    va_start(list, format);
    int more = vsnprintf(l->text + length, LINKAGE_TEXT - length, format, list);
    va_end(list);
    assert_true(more >= 0 && length + (size_t)more < LINKAGE_TEXT);
}

/* Turns: quaternions, and vectors turned by them --------------------------------------------------------- */

struct turn {
    double q[4];
};

static inline struct turn turn_about(double x, double y, double z, double angle) {
    double s = sin(angle / 2) / sqrt(x * x + y * y + z * z);
    return (struct turn){{cos(angle / 2), s * x, s * y, s * z}};
}

static inline struct turn turn_both(struct turn a, struct turn b) { /* b first */
    const double *p = a.q, *q = b.q;
    return (struct turn){{p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
                          p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
                          p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
                          p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]}};
}

static inline void turn_vector(struct turn a, double x, double y, double z, double *out) {
    struct turn back = {{a.q[0], -a.q[1], -a.q[2], -a.q[3]}};
    struct turn v = turn_both(turn_both(a, (struct turn){{0, x, y, z}}), back);
    for (int k = 0; k < 3; k++) out[k] = v.q[1 + k];
}

static inline void linkage_guess(struct linkage *l, const char *body, const double *r, struct turn q) {
    linkage_add(l, "guess %s.r = (%.17g, %.17g, %.17g), %s.q = (%.17g, %.17g, %.17g, %.17g)\n", body, r[0],
                r[1], r[2], body, q.q[0], q.q[1], q.q[2], q.q[3]);
}

/* The mechanisms ----------------------------------------------------------------------------------------- */

static inline void linkage_body(struct linkage *l, const char *name) {
    double j = linkage_uniform(l, 0.02, 0.2);
    linkage_add(l, "use Body %s(m = %.17g, J = (%.17g, %.17g, %.17g))\n", name, linkage_uniform(l, 0.5, 2),
                j * linkage_uniform(l, 0.05, 0.5), j, j * linkage_uniform(l, 0.7, 1.3));
}

/* In the plane of its own axes x, y, turned by `tilt`: A = 0, B at the angle `phi` of the crank,
 * D = (1, 0). */
static inline void linkage_four_bar(struct linkage *l, int repeated) {
    double a = linkage_uniform(l, 0.3, 0.5), b = linkage_uniform(l, 0.95, 1.2),
           c = linkage_uniform(l, 0.8, 1);
    double phi = linkage_uniform(l, -3, 3), n[3], d[3], r[3];
    struct turn tilt =
        turn_about(linkage_uniform(l, -1, 1), linkage_uniform(l, -1, 1), 1, linkage_uniform(l, 0, 3));
    double bx = a * cos(phi), by = a * sin(phi), far = hypot(1 - bx, by), to_d = atan2(-by, 1 - bx);
    double along = to_d + acos((far * far + b * b - c * c) / (2 * far * b)); /* of the coupler */
    double cx = bx + b * cos(along), cy = by + b * sin(along), swing = atan2(cy, cx - 1);
    turn_vector(tilt, 0, 0, 1, n);
    turn_vector(tilt, 1, 0, 0, d);
    linkage_add(l, "param a = %.17g, b = %.17g, c = %.17g, z = (0, 0, 1), n = (%.17g, %.17g, %.17g)\n", a, b,
                c, n[0], n[1], n[2]);
    linkage_body(l, "crank");
    linkage_body(l, "coupler");
    linkage_body(l, "rocker");
    linkage_add(l, "use Hinge A(ground, (0, 0, 0), crank, (-a/2, 0, 0), n, z)\n"
                   "use Hinge B(crank, (a/2, 0, 0), coupler, (-b/2, 0, 0), z)\n"
                   "use Hinge C(coupler, (b/2, 0, 0), rocker, (c/2, 0, 0), z)\n");
    linkage_add(l, "use Hinge D(ground, (%.17g, %.17g, %.17g), rocker, (-c/2, 0, 0), n, z)\n", d[0], d[1],
                d[2]);
    for (int k = 0; k < repeated; k++) {
        double s = linkage_uniform(l, -0.3, 0.3);
        linkage_add(l,
                    k ? "use Hinge E(coupler, (b/2, 0, %.17g), rocker, (c/2, 0, %.17g), z)\n"
                      : "use Hinge F(crank, (a/2, 0, %.17g), coupler, (-b/2, 0, %.17g), z)\n",
                    s, s);
    }
    struct turn q = turn_both(tilt, turn_about(0, 0, 1, phi));
    struct turn moves = turn_both((struct turn){{0, n[0], n[1], n[2]}}, q);
    int fastest = 0;
    for (int k = 1; k < 4; k++)
        if (fabs(moves.q[k]) > fabs(moves.q[fastest])) fastest = k;
    linkage_add(l, "init crank.q = (%.17g, %.17g, %.17g, %.17g), crank.q[%d]' = %.17g\n", q.q[0], q.q[1],
                q.q[2], q.q[3], fastest + 1, linkage_uniform(l, 0.5, 2) * moves.q[fastest]);
    turn_vector(tilt, bx / 2, by / 2, 0, r);
    linkage_add(l, "guess crank.r = (%.17g, %.17g, %.17g)\n", r[0], r[1], r[2]);
    turn_vector(tilt, (bx + cx) / 2, (by + cy) / 2, 0, r);
    linkage_guess(l, "coupler", r, turn_both(tilt, turn_about(0, 0, 1, along)));
    turn_vector(tilt, (1 + cx) / 2, cy / 2, 0, r);
    linkage_guess(l, "rocker", r, turn_both(tilt, turn_about(0, 0, 1, swing)));
    l->by = "a", l->value = a;
}

/* Two of the rods carry the plate; they are more than its coordinates (docs/limits.md).  No rod is near the
 * line through its ends on it, where the plate may turn. */
static inline void linkage_rods(struct linkage *l, int rods) {
    double length = linkage_uniform(l, 0.5, 1.5), swing = linkage_uniform(l, -0.5, 0.5);
    linkage_add(l, "param l = %.17g, m = %.17g, J = %.17g, x[1..%d] = (", length, linkage_uniform(l, 0.5, 2),
                linkage_uniform(l, 0.1, 1), rods);
    for (int k = 0; k < rods; k++)
        linkage_add(l, "%s%.17g", k ? ", " : "", 0.5 * k + linkage_uniform(l, -0.1, 0.1));
    linkage_add(l, "), y[1..%d] = (", rods);
    for (int k = 0; k < rods; k++) linkage_add(l, "%s%.17g", k ? ", " : "", linkage_uniform(l, -0.1, 0.1));
    linkage_add(l,
                ")\ncoord p, q, f\nlagrangian m*(p'^2 + q'^2)/2 + J*f'^2/2 + m*gravity[2]*q\n"
                "for i in 1..%d:\n"
                "    constraint rod[i]: (p + x[i]*(cos(f) - 1) - y[i]*sin(f))^2 + (q + x[i]*sin(f) + "
                "y[i]*(cos(f) - 1))^2 = l^2\n"
                "init p = %.17g, p' = %.17g\nguess q = %.17g, f = 0\n",
                rods, length * sin(swing), linkage_uniform(l, -1, 1), -length * cos(swing));
    l->by = "l", l->value = length;
}

struct place {
    double r[3];
    struct turn q;
};

/* To the far end of a bar: along its x axis, then turned about it by the twist; theta: of the hinge there. */
static inline struct place bennett_next(struct place p, double length, double twist, double theta) {
    double way[3];
    turn_vector(p.q, length, 0, 0, way);
    for (int k = 0; k < 3; k++) p.r[k] += way[k];
    p.q = turn_both(turn_both(p.q, turn_about(1, 0, 0, twist)), turn_about(0, 0, 1, theta));
    return p;
}

/* place[1 .. 3]: where two, three and four begin, with the hinges A, B, C at these angles; how far four's
 * end is from the origin. */
static inline double bennett_places(const double *length, const double *twist, const double *theta,
                                    struct place *place) {
    place[0] = (struct place){{0, 0, 0}, {{1, 0, 0, 0}}};
    for (int k = 0; k < 4; k++)
        place[k + 1] = bennett_next(place[k], length[k % 2], twist[k % 2], k < 3 ? theta[k] : 0);
    return fabs(place[4].r[0]) + fabs(place[4].r[1]) + fabs(place[4].r[2]);
}

/* The middles of two, three and four and their attitudes where A stands at this angle:
 * tan(theta_A/2) tan(theta_B/2) = sin((beta + alpha)/2)/sin((beta - alpha)/2), theta_C = -theta_A; or with
 * other signs, by the directions in which angles are counted. */
static inline void bennett_closed(const double *length, const double *twist, double at,
                                  struct place *middle) {
    double ratio = sin((twist[1] + twist[0]) / 2) / sin((twist[1] - twist[0]) / 2), off = HUGE_VAL;
    for (int k = 0; k < 4; k++) {
        struct place place[5];
        double half = (k & 1 ? -1 : 1) * (k & 2 ? 1 / ratio : ratio) / tan(at / 2);
        double theta[] = {at, 2 * atan(half), -at}, there = bennett_places(length, twist, theta, place);
        if (there >= off) continue;
        off = there;
        for (int i = 0; i < 3; i++) middle[i] = bennett_next(place[i + 1], length[(i + 1) % 2] / 2, 0, 0);
    }
    assert_true(off < 1e-12);
}

/* It starts by the coordinate of four's middle that moves most. */
static inline void linkage_bennett(struct linkage *l) {
    static const char *const body[] = {"two", "three", "four"};
    double a = linkage_uniform(l, 0.8, 1.2), b = a * linkage_uniform(l, 0.5, 0.85);
    double alpha = linkage_uniform(l, 0.6, 1.3), beta = asin(b * sin(alpha) / a);
    double length[] = {a, b}, twist[] = {alpha, beta}, at = linkage_uniform(l, 0.7, 2.2), way[3];
    struct place middle[3], beside[3];
    int most = 0;
    bennett_closed(length, twist, at, middle);
    bennett_closed(length, twist, at + 1e-3, beside);
    for (int i = 0; i < 3; i++) {
        way[i] = fabs(beside[2].r[i] - middle[2].r[i]);
        if (way[i] > way[most]) most = i;
    }
    linkage_add(l, "param a = %.17g, b = %.17g, alpha = %.17g, beta = asin(b*sin(alpha)/a), z = (0, 0, 1)\n",
                a, b, alpha);
    linkage_add(l, "let far(twist) = (0, -sin(twist), cos(twist))\n");
    for (int k = 0; k < 3; k++) linkage_body(l, body[k]);
    linkage_add(l, "use Hinge A(ground, (a, 0, 0), two, (-b/2, 0, 0), far(alpha), z)\n"
                   "use Hinge B(two, (b/2, 0, 0), three, (-a/2, 0, 0), far(beta), z)\n"
                   "use Hinge C(three, (a/2, 0, 0), four, (-b/2, 0, 0), far(alpha), z)\n"
                   "use Hinge D(four, (b/2, 0, 0), ground, (0, 0, 0), far(beta), z)\n");
    for (int k = 0; k < 2; k++) linkage_guess(l, body[k], middle[k].r, middle[k].q);
    const double *q = middle[2].q.q;
    linkage_add(l, "guess four.q = (%.17g, %.17g, %.17g, %.17g)\n", q[0], q[1], q[2], q[3]);
    for (int i = 0; i < 3; i++)
        linkage_add(l, "%s four.r[%d] = %.17g\n", i == most ? "init" : "guess", i + 1, middle[2].r[i]);
    linkage_add(l, "init four.r[%d]' = %.17g\n", most + 1, linkage_uniform(l, 0.1, 0.4));
    l->by = "alpha", l->value = alpha;
}

static inline void linkage_stewart(struct linkage *l) {
    linkage_add(l, "param k = 2000, wide = %.17g, narrow = %.17g\nparam base[1..6] = (",
                linkage_uniform(l, 0.8, 1.2), linkage_uniform(l, 0.4, 0.6));
    for (int i = 0; i < 6; i++)
        linkage_add(l, "%s%.17g", i ? ", " : "",
                    1.05 * i + (i % 2 ? 0.5 : -0.2) + linkage_uniform(l, 0, 0.2));
    linkage_add(l, "), top[1..6] = (");
    for (int i = 0; i < 6; i++)
        linkage_add(l, "%s%.17g", i ? ", " : "",
                    1.05 * i + (i % 2 ? -0.2 : 0.5) + linkage_uniform(l, 0, 0.2));
    linkage_add(l,
                ")\nlet foot(i) = wide*(cos(base[i]), sin(base[i]), 0)\n"
                "let head(i) = narrow*(cos(top[i]), sin(top[i]), 0)\n"
                "use Body plate(m = 10, J = (.4, .4, .8))\nfor i in 1..6:\n"
                "    use Body tube[i](m = 1, J = (.02, .02, .001)), rod[i](m = .5, J = (.01, .01, .0005))\n"
                "    use Universal below[i](ground, foot(i), tube[i], (0, 0, -.25), (1, 0, 0), (0, 1, 0))\n"
                "    use Slider along[i](tube[i], (0, 0, 0), rod[i], (0, 0, 0), (0, 0, 1))\n"
                "    use Ball above[i](rod[i], (0, 0, .35), plate, head(i))\n"
                "    use Spring strut[i](tube[i], (0, 0, -.25), rod[i], (0, 0, .35), k, 1.1)\n"
                "    guess tube[i].r = foot(i) + (0, 0, .25), rod[i].r = foot(i) + (0, 0, .6)\n"
                "init plate.r = (0, 0, 1), plate.q[2] = 0, plate.q[3] = 0, plate.q[4] = 0\n"
                "init plate.r' = (0.1, 0, 0), plate.q[2]' = 0.1, plate.q[3]' = 0, plate.q[4]' = 0\n");
    l->by = "k", l->value = 2000;
}

/* end: so far it runs.  Of two of a kind one is asked for its derivative by gravity. */
static inline void linkage_make(struct linkage *l, enum linkage_kind kind, uint64_t number, double end) {
    *l = (struct linkage){.seed = number * 77777 + 13, .end = end};
    linkage_uniform(l, 0, 1);
    double g[3];
    for (int k = 0; k < 3; k++) g[k] = linkage_uniform(l, -10, 10);
    linkage_add(l, "model linkage\nlibrary body3d\nparam gravity = (%.17g, %.17g, %.17g)\n", g[0], g[1],
                g[2]);
    if (kind == LINKAGE_FOUR_BAR) linkage_four_bar(l, (int)(number % 3));
    if (kind == LINKAGE_RODS) linkage_rods(l, 4 + (int)(number % 3));
    if (kind == LINKAGE_BENNETT) linkage_bennett(l);
    if (kind == LINKAGE_STEWART) linkage_stewart(l);
    linkage_add(l, "invariant energy\nrun 0 .. %.17g\n", end);
    if (number / 2 % 2) l->by = "gravity[2]", l->value = g[1];
}

/* What must hold ----------------------------------------------------------------------------------------- */

/* The run to its end; rows: within 16 units. */
static inline keel_sim *linkage_run(const struct linkage *l, const char *by, const char *set, double rtol,
                                    int rows, keel_model **m, double *value) {
    keel_model_options o = {.interpret = 1, .sensitivity = by, .set = &set, .sets = set != NULL};
    keel_row row;
    *m = keel_model_read("linkage.keel", l->text, strlen(l->text), &o);
    if (keel_model_status(*m) != KEEL_OK) fail_msg("%s\n%s", keel_model_message(*m), l->text);
    keel_sim *s = keel_sim_open(*m, &(keel_options){.rtol = rtol});
    keel_status status;
    while ((status = keel_sim_run(s, l->end)) == KEEL_EVENT) {}
    if (status != KEEL_OK) fail_msg("%s\n%s", keel_sim_message(s), l->text);
    for (int k = 0; rows && keel_sim_row_at(s, k, &row); k++)
        if (row.treatment == KEEL_ROW_KEPT && row.units > 16)
            fail_msg("%s: %g units\n%s", row.name, row.units, l->text);
    assert_true(keel_sim_columns(s) <= LINKAGE_COLUMNS);
    assert_int_equal(keel_sim_values(s, value), KEEL_OK);
    return s;
}

/* The columns with l->by moved by d. */
static inline void linkage_beside(const struct linkage *l, double d, double *value) {
    char set[100];
    keel_model *m;
    snprintf(set, sizeof set, "%s=%.17g", l->by, l->value + d);
    keel_sim_close(linkage_run(l, NULL, set, 1e-12, 0, &m, value));
    keel_model_close(m);
}

/* By (4 D(h/2) - D(h))/3 of central differences D; the share of the largest by which the worst column
 * misses. */
static inline double linkage_miss(const struct linkage *l, double h, keel_sim *plain, const double *x,
                                  keel_sim *s, const double *have) {
    static double beside[4][LINKAGE_COLUMNS];
    double at[] = {h, -h, h / 2, -h / 2}, largest = 0, off = 0;
    for (int i = 0; i < 4; i++) linkage_beside(l, at[i], beside[i]);
    for (int c = 0; keel_sim_column(plain, c); c++) {
        char name[200];
        double wide = (beside[0][c] - beside[1][c]) / (2 * h), narrow = (beside[2][c] - beside[3][c]) / h;
        double want = (4 * narrow - wide) / 3;
        snprintf(name, sizeof name, "d/d%s %s", l->by, keel_sim_column(plain, c));
        largest = fmax(largest, fmax(fabs(want), fabs(x[c] / l->value)));
        off = fmax(off, fabs(have[column_named(s, name)] - want));
    }
    return off / largest;
}

/* Derivatives are those of differences, and the rows of the run with them and of the plain one hold. */
static inline void linkage_check(const struct linkage *l) {
    static double x[LINKAGE_COLUMNS], have[LINKAGE_COLUMNS];
    keel_model *plain, *m;
    keel_sim *p = linkage_run(l, NULL, NULL, 1e-8, 1, &plain, x);
    keel_sim *s = linkage_run(l, l->by, NULL, 1e-10, 1, &m, have);
    double least = HUGE_VAL;
    for (double h = 1e-3; h > 1e-6 && least > 1e-6; h /= 10)
        least = fmin(least, linkage_miss(l, h * fabs(l->value), p, x, s, have));
    if (!(least <= 1e-6)) fail_msg("off by %g by %s\n%s", least, l->by, l->text);
    keel_sim_close(p), keel_model_close(plain);
    keel_sim_close(s), keel_model_close(m);
}
/* Examples ----------------------------------------------------------------------------------------------- */

/* A model of examples/mechanisms; `again` is set behind it, `set` a parameter of it, or NULL. */
static inline keel_model *linkage_example(const char *name, const char *again, const char *set,
                                          int interpret) {
    char path[600], text[4000];
    snprintf(path, sizeof path, "%s/mechanisms/%s.keel", KEEL_EXAMPLES_DIR, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text - 400, file);
    fclose(file);
    length += (size_t)snprintf(text + length, sizeof text - length, "%s", again);
    keel_model *m = keel_model_read(
        name, text, length, &(keel_model_options){.interpret = interpret, .set = &set, .sets = set != NULL});
    assert_non_null(m);
    return m;
}

/* A platform whose rods are held twice. */
#define LINKAGE_AGAIN \
    "for i in 1..6: use Slider again[i](tube[i], (0, 0, .1), rod[i], (0, 0, .1), (0, 0, 1))\n"

/* All rows, those that follow from others too, stay at round-off; multipliers are finite, at each of these
 * times. */
static inline void linkage_moves(const char *name, const char *again, int dof, int redundant, double t_end,
                                 int times) {
    keel_model *m = linkage_example(name, again, NULL, 1);
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s: %s", name, keel_model_message(m));
    keel_mode mode;
    keel_model_mode(m, 0, &mode);
    if (mode.dof != dof || mode.redundant != redundant)
        fail_msg("%s: %d degrees of freedom, %d redundant", name, mode.dof, mode.redundant);
    keel_sim *s = keel_sim_open(m, NULL);
    double value[LINKAGE_COLUMNS];
    assert_true(keel_sim_columns(s) <= LINKAGE_COLUMNS);
    for (int i = 1; i <= times; i++) {
        run_to(s, t_end * i / times);
        assert_int_equal(keel_sim_values(s, value), KEEL_OK);
        for (int k = 0; k < keel_sim_columns(s); k++) assert_true(isfinite(value[k]));
    }
    keel_row row;
    for (int k = 0; keel_sim_row_at(s, k, &row); k++)
        if (!(row.units <= 16)) fail_msg("%s: %s has %g units", name, keel_sim_row(s, k), row.units);
    keel_sim_close(s);
    keel_model_close(m);
}
#endif
