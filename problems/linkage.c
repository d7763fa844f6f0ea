/* linkage.c - closed chains of rods in a vertical plane, a unit mass at each joint, pivots at both ends.
 *
 *   P0 = (0, 0), P1, ..., Pk, P(k+1) = (L0, 0);  0 = |P(i+1) - Pi|^2 - l(i+1)^2, i = 0 .. k
 *   gravity g = 9.81 along -y;  energy |v|^2 / 2 + g (y1 + ... + yk)
 *
 * The k + 1 gradients are dependent only when all rods lie on one line, which needs a sum of +-l equal to L0.
 * Neither four_bar (L0 = 1, rods 0.5, 1.1, 0.9: a crank-rocker by Grashof's rule) nor five_link (L0 = 1.6,
 * rods 1, 0.9, 1.1, 0.8, 0.7) can ever be flat.
 *
 * The parallelogram (L0 = 2, rods 1, 2, 1) is flat when its cranks are level.  It starts hanging down with
 * the cranks turning at w = 6 > sqrt(2 g), so it gets there; from there on the constraints alone would also
 * let it fold.  The motion that stays a parallelogram is a pendulum:
 *   sin(angle / 2) = k sn(sqrt(g) t | k^2),  k = w / (2 sqrt(g))
 *
 * The reference values were computed in quadruple precision with two step sizes. */
#include "jacobi.h"
#include "support.h"

#include <math.h>
#include <string.h>

enum { JOINTS, GRAVITY, BASE, RODS }; /* in parameter; the lengths follow from RODS on */

static int joints(const void *user) {
    return (int)((const double *)user)[JOINTS];
}

/* Component c of the point i, 0 <= i <= k + 1. */
static double place(const double *q, const void *user, int i, int c) {
    int k = joints(user);
    if (i > 0 && i <= k) return q[2 * (i - 1) + c];
    return i == 0 || c == 1 ? 0.0 : ((const double *)user)[BASE];
}

static int force(double t, const double *u, double *out, void *user) {
    (void)t, (void)u;
    for (int i = 0; i < joints(user); i++) {
        out[2 * i] = 0.0;
        out[2 * i + 1] = -((const double *)user)[GRAVITY];
    }
    return 0;
}

static int force_jacobian(double t, const double *u, double *out, void *user) {
    (void)t, (void)u;
    int k = joints(user);
    memset(out, 0, (size_t)(8 * k * k) * sizeof *out);
    return 0;
}

static int rods(double t, const double *q, double *out, void *user) {
    (void)t;
    const double *length = (const double *)user + RODS;
    for (int i = 0; i <= joints(user); i++) {
        double dx = place(q, user, i + 1, 0) - place(q, user, i, 0);
        double dy = place(q, user, i + 1, 1) - place(q, user, i, 1);
        out[i] = dx * dx + dy * dy - length[i] * length[i];
    }
    return 0;
}

static int rods_jacobian(double t, const double *q, double *out, void *user) {
    (void)t;
    int k = joints(user);
    memset(out, 0, (size_t)(2 * k * (k + 1)) * sizeof *out);
    for (int i = 0; i <= k; i++)
        for (int c = 0; c < 2; c++) {
            double d = place(q, user, i + 1, c) - place(q, user, i, c);
            if (i < k) out[2 * k * i + 2 * i + c] = 2.0 * d;
            if (i > 0) out[2 * k * i + 2 * (i - 1) + c] = -2.0 * d;
        }
    return 0;
}

static int rods_terms(double t, const double *q, double *out, void *user) {
    (void)t;
    const double *length = (const double *)user + RODS;
    for (int i = 0; i <= joints(user); i++) {
        out[i] = length[i] * length[i];
        for (int c = 0; c < 2; c++) {
            double sum = fabs(place(q, user, i + 1, c)) + fabs(place(q, user, i, c));
            out[i] += sum * sum;
        }
    }
    return 0;
}

static int curvature(double t, const double *u, double *out, void *user) {
    (void)t;
    int k = joints(user);
    const double *v = u + 2 * k;
    for (int i = 0; i <= k; i++) {
        out[i] = 0.0;
        for (int c = 0; c < 2; c++) {
            double d = (i < k ? v[2 * i + c] : 0.0) - (i > 0 ? v[2 * (i - 1) + c] : 0.0);
            out[i] += 2.0 * d * d;
        }
    }
    return 0;
}

static int energy(double t, const double *u, double *out, void *user) {
    (void)t;
    int n = 2 * joints(user);
    out[0] = 0.0;
    for (int i = 0; i < n; i++) out[0] += 0.5 * u[n + i] * u[n + i];
    for (int i = 1; i < n; i += 2) out[0] += ((const double *)user)[GRAVITY] * u[i];
    return 0;
}

static int energy_gradient(double t, const double *u, double *out, void *user) {
    (void)t;
    int n = 2 * joints(user);
    for (int i = 0; i < n; i++) {
        out[i] = i % 2 ? ((const double *)user)[GRAVITY] : 0.0;
        out[n + i] = u[n + i];
    }
    return 0;
}

static int energy_terms(double t, const double *u, double *out, void *user) {
    (void)t;
    int n = 2 * joints(user);
    out[0] = 0.0;
    for (int i = 0; i < n; i++) out[0] += 0.5 * u[n + i] * u[n + i];
    for (int i = 1; i < n; i += 2) out[0] += fabs(((const double *)user)[GRAVITY] * u[i]);
    return 0;
}

static void begin(problem *p, const char *name, int k, double base, const double *lengths, double t_end) {
    static const char *const names4[] = {"x1", "y1", "x2", "y2", "vx1", "vy1", "vx2", "vy2"};
    static const char *const names8[] = {"x1",  "y1",  "x2",  "y2",  "x3",  "y3",  "x4",  "y4",
                                         "vx1", "vy1", "vx2", "vy2", "vx3", "vy3", "vx4", "vy4"};
    static const char *const rod_names[] = {"rod1", "rod2", "rod3", "rod4", "rod5"};
    static const char *const energy_names[] = {"energy"};
    problem_begin(p, KEEL_MECHANICS, name, 4 * k, 0, k == 2 ? names4 : names8, t_end);
    p->parameter[JOINTS] = k;
    p->parameter[GRAVITY] = 9.81;
    p->parameter[BASE] = base;
    memcpy(p->parameter + RODS, lengths, (size_t)(k + 1) * sizeof *lengths);
    p->keel.f = (keel_map){.count = 2 * k, .value = force, .jacobian = force_jacobian};
    p->keel.constraint = (keel_map){
        .count = k + 1, .value = rods, .jacobian = rods_jacobian, .terms = rods_terms, .names = rod_names};
    p->keel.curvature = curvature;
    p->keel.energy = (keel_map){.count = 1,
                                .value = energy,
                                .jacobian = energy_gradient,
                                .terms = energy_terms,
                                .names = energy_names};
}

/* The point at distance r from a and s from b, on the left of the way from a to b. */
static void meet(const long double *a, long double r, const long double *b, long double s, long double *out) {
    long double dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy;
    long double along = (r * r - s * s + square) / (2.0L * square);
    long double aside = sqrtl(r * r / square - along * along);
    out[0] = a[0] + along * dx - aside * dy;
    out[1] = a[1] + along * dy + aside * dx;
}

void problem_four_bar(problem *p) {
    static const double lengths[] = {0.5, 1.1, 0.9};
    begin(p, "four_bar", 2, 1.0, lengths, 10.0);
    const double *l = p->parameter + RODS;
    long double angle = 1.0L, spin = 6.0L, end[2] = {p->parameter[BASE], 0.0L}, one[2], two[2];
    one[0] = l[0] * cosl(angle);
    one[1] = l[0] * sinl(angle);
    meet(one, l[1], end, l[2], two);
    long double v[2] = {-spin * one[1], spin * one[0]}, d[2] = {two[0] - one[0], two[1] - one[1]};
    long double arm[2] = {-two[1], two[0] - end[0]};
    long double turn = (v[0] * d[0] + v[1] * d[1]) / (arm[0] * d[0] + arm[1] * d[1]);
    for (int c = 0; c < 2; c++) {
        p->u0[c] = (double)one[c];
        p->u0[2 + c] = (double)two[c];
        p->u0[4 + c] = (double)v[c];
        p->u0[6 + c] = (double)(turn * arm[c]);
    }
    static const double at_1[] = {0.03588015708994202103678, 0.4987109526842187605019,
                                  1.060876319280487775884,   0.8979387917619218839941,
                                  -2.409246560371266726737,  0.1733351645662763824945,
                                  -2.405246484162000445088,  0.1630651824617227083722};
    static const double at_10[] = {0.1587271507048938995392, 0.4741367857792789948194,
                                   1.180425920017486426641,  0.8817292596856722156825,
                                   -2.470385085821699277921, 0.8270127895094016291905,
                                   -2.330724422728819777314, 0.4769299574202455266877};
    static const double lambda_at_1[] = {2.467537749798326422629, 0.6181401627871550953872,
                                         -2.171175618218786940861};
    static const double lambda_at_10[] = {6.649393184431295432481, 1.672958790385152778030,
                                          -2.968698611859646276185};
    problem_refer(p, 1.0, 1e-14, at_1, lambda_at_1);
    problem_refer(p, 10.0, 3e-12, at_10, lambda_at_10);
}

void problem_five_link(problem *p) {
    static const double lengths[] = {1.0, 0.9, 1.1, 0.8, 0.7};
    static const double angles[] = {-1.2, -0.4, 1.0};
    begin(p, "five_link", 4, 1.6, lengths, 2.0);
    const double *l = p->parameter + RODS;
    long double at[2] = {0.0L, 0.0L}, end[2] = {p->parameter[BASE], 0.0L}, last[2];
    for (int i = 0; i < 3; i++) {
        at[0] += l[i] * cosl(angles[i]);
        at[1] += l[i] * sinl(angles[i]);
        p->u0[2 * i] = (double)at[0];
        p->u0[2 * i + 1] = (double)at[1];
    }
    meet(at, l[3], end, l[4], last);
    p->u0[6] = (double)last[0];
    p->u0[7] = (double)last[1];
    static const double at_1[] = {
        0.1361327781287585421422,   -0.9906906009037060607523,  0.9039504881311784164663,
        -1.460217984776723476984,   0.3741332065055969361560,   -0.4962192046473711967315,
        1.172047705696290019453,    -0.5539465983289280224158,  -0.2106570302221492157932,
        -0.02894680410850332047928, -0.03387983305152444651889, 0.2601367879763066885187,
        -2.138222195202066562076,   -0.8964175281759940522600,  -1.963616979776039822317,
        1.516995309952053952345};
    static const double at_2[] = {
        0.4010918997475320586884,  -0.9160378201564145530865, 0.7653420234177158184572,
        -1.739033474705243769864,  1.126362437233783117312,   -0.6999645353137924560436,
        1.922484675104685252054,   -0.6212919074980983955212, -1.048846476451565429560,
        -0.4592428571471331382321, 2.948551181709965830805,   1.309967688858066384990,
        1.583856913674028563370,   1.784125341638349811470,   1.674284862718062692303,
        0.8690459403545014462731};
    static const double lambda_at_1[] = {6.569832489072927210300, 2.962862352947369384808,
                                         -1.163234542070153533705, 6.587822442502668115883,
                                         15.98880810907306965686};
    static const double lambda_at_2[] = {26.79393936650290152639, 24.05050298029579908869,
                                         -7.314075124410114588815, -3.628708273696575011431,
                                         11.38965344024758603749};
    problem_refer(p, 1.0, 1e-14, at_1, lambda_at_1);
    problem_refer(p, 2.0, 1e-13, at_2, lambda_at_2);
}

static const double start_spin = 6.0;

static long double modulus(const problem *p) {
    return 0.5L * start_spin * sqrtl(p->parameter[RODS] / (long double)p->parameter[GRAVITY]);
}

static int parallelogram_exact(const problem *p, double t, double *u) {
    double sn, cn, dn, length = p->parameter[RODS];
    long double k = modulus(p);
    problem_jacobi(sqrtl(p->parameter[GRAVITY] / (long double)length) * t, k * k, &sn, &cn, &dn);
    double half = (double)(k * sn), sine = 2.0 * half * dn, cosine = 1.0 - 2.0 * half * half;
    double spin = start_spin * cn;
    for (int i = 0; i < 2; i++) {
        u[2 * i] = i * p->parameter[BASE] + length * sine;
        u[2 * i + 1] = -length * cosine;
        u[4 + 2 * i] = length * cosine * spin;
        u[5 + 2 * i] = length * sine * spin;
    }
    return 0;
}

/* sn(sqrt(g / l) t) = sin(pi / 4) / k, by bisection up to the quarter period. */
double problem_parallelogram_flat_time(const problem *p) {
    long double k = modulus(p), low = 0.0L, high = problem_ellipk(k * k);
    for (int i = 0; i < 80; i++) {
        double sn, cn, dn;
        long double middle = 0.5L * (low + high);
        problem_jacobi(middle, k * k, &sn, &cn, &dn);
        if (sn * k < sqrtl(0.5L)) low = middle;
        else high = middle;
    }
    return (double)(low * sqrtl(p->parameter[RODS] / (long double)p->parameter[GRAVITY]));
}

void problem_parallelogram(problem *p) {
    static const double lengths[] = {1.0, 2.0, 1.0};
    begin(p, "parallelogram", 2, 2.0, lengths, 1.0);
    p->exact = parallelogram_exact;
    parallelogram_exact(p, 0.0, p->u0);
}
