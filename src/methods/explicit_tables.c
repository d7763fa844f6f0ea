/* explicit_tables.c - the explicit Runge-Kutta methods: their coefficients, and at the end their list.
 *
 *     k_i = f(t + c_i h, x + h sum_{j<i} a_ij k_j),    x_end = x + h sum_i b_i k_i
 *
 * The local error is h sum_i e_i k_i: e = b - bhat, with bhat the embedded formula.  The dense output is
 *
 *     x + theta (D + (1-theta) (c3 + theta (c4 + (1-theta) (c5 + theta (c6 + (1-theta) (c7 + theta c8))))))
 *     theta = (time - t) / h,    D = x_end - x,    c3 = h f - D,    c4 = 2 D - h (f + f_end),
 *
 * cubic Hermite where it stops at c4; c5 .. are h times the rows of `dense` over k_1 .. k_s, f_end, extras.
 *
 * References: W. Kutta, Z. Math. Phys. 46 (1901) 435; E. Fehlberg, NASA TR R-287 (1968);
 * J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19;
 * P. Bogacki, L. F. Shampine, Appl. Math. Lett. 2 (1989) 321;
 * E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed. (1993), II. */
#include "methods/explicit_tables.h"

#include "methods/explicit_rk.h"

#include <stddef.h>

/* clang-format off */

/* Euler: order 1. */
static const double euler_c[1] = {0};
static const double euler_b[1] = {1};
static const keel_rk rk_euler = {.stages = 1, .c = euler_c, .b = euler_b};

/* Explicit midpoint (Runge): order 2. */
static const double midpoint_c[2] = {0, 1./2};
static const double midpoint_a[1] = {1./2};
static const double midpoint_b[2] = {0, 1};
static const keel_rk rk_midpoint = {.stages = 2, .c = midpoint_c, .a = midpoint_a, .b = midpoint_b};

/* Explicit trapezoid (Heun): order 2. */
static const double heun_c[2] = {0, 1};
static const double heun_a[1] = {1};
static const double heun_b[2] = {1./2, 1./2};
static const keel_rk rk_heun = {.stages = 2, .c = heun_c, .a = heun_a, .b = heun_b};

/* Bogacki-Shampine 3(2): order 3, estimate of order 2. */
static const double bs32_c[4] = {0, 1./2, 3./4, 1};
static const double bs32_a[6] = {
    1./2,
    0, 3./4,
    2./9, 1./3, 4./9,
};
static const double bs32_b[4] = {2./9, 1./3, 4./9, 0};
static const double bs32_error[4] = {-5./72, 1./12, 1./9, -1./8};
static const keel_rk rk_bs32 = {
    .stages = 4, .c = bs32_c, .a = bs32_a, .b = bs32_b, .error = {bs32_error, NULL}, .last_is_end = 1,
};

/* Dormand-Prince 5(4): order 5, estimate of order 4, dense output of order 4.  The dense row reads f_end, not
 * k_7: the two differ where the end of the step is corrected. */
static const double dopri5_c[7] = {0, 1./5, 3./10, 4./5, 8./9, 1, 1};
static const double dopri5_a[21] = {
    1./5,
    3./40, 9./40,
    44./45, -56./15, 32./9,
    19372./6561, -25360./2187, 64448./6561, -212./729,
    9017./3168, -355./33, 46732./5247, 49./176, -5103./18656,
    35./384, 0, 500./1113, 125./192, -2187./6784, 11./84,
};
static const double dopri5_b[7] = {35./384, 0, 500./1113, 125./192, -2187./6784, 11./84, 0};
static const double dopri5_error[7] = {
    71./57600, 0, -71./16695, 71./1920, -17253./339200, 22./525, -1./40,
};
static const double dopri5_dense[8] = {
    -12715105075./11282082432, 0, 87487479700./32700410799, -10690763975./1880347072,
    701980252875./199316789632, -1453857185./822651844, 0, 69997945./29380423,
};
static const keel_rk rk_dopri5 = {
    .stages = 7, .c = dopri5_c, .a = dopri5_a, .b = dopri5_b, .error = {dopri5_error, NULL}, .last_is_end = 1,
    .shape = 1, .dense = dopri5_dense,
};

/* Dormand-Prince 8(5,3): order 8, estimates of order 5 and 3, dense output of order 7.  The two estimates
 * combine to err5^2 / sqrt(err5^2 + 0.01 err3^2), which shrinks as h^8: the `norm` of the table. */
static const double dop853_c[12] = {
    0, 5.2600151958767731879e-2, 7.8900227938151597818e-2, 1.1835034190722739673e-1,
    2.8164965809277260327e-1, 1./3, 0.25, 4./13, 127./195, 0.6, 6./7, 1,
};
static const double dop853_a[66] = {
    5.2600151958767731879e-2,
    1.9725056984537899454e-2, 5.9175170953613698363e-2,
    2.9587585476806849182e-2, 0, 8.8762756430420547545e-2,
    2.4136513415926668550e-1, 0, -8.8454947932828608534e-1, 9.2483400326179200312e-1,
    1./27, 0, 0, 1.7082860872947387128e-1, 1.2546768756682242502e-1,
    3.7109375e-2, 0, 0, 1.7025221101954403931e-1, 6.0216538980455960685e-2, -1.7578125e-2,
    3.7092000118504792711e-2, 0, 0, 1.7038392571223999381e-1, 1.0726203044637328465e-1,
        -1.5319437748624401753e-2, 8.2737891638140228876e-3,
    6.2411095871607571711e-1, 0, 0, -3.3608926294469412941, -8.6821934684172600682e-1,
        2.7592099699446708305e1, 2.0154067550477893409e1, -4.3489884181069958848e1,
    4.7766253643826436589e-1, 0, 0, -2.4881146199716676419, -5.9029082683684299637e-1,
        2.1230051448181194235e1, 1.5279233632882423583e1, -3.3288210968984862919e1,
        -2.0331201708508626136e-2,
    -9.3714243008598732572e-1, 0, 0, 5.1863724288440637083, 1.0914373489967295782,
        -8.1497870107469261251, -1.8520065659996959864e1, 2.2739487099350504282e1,
        2.4936055526796523899, -3.0467644718982195004,
    2.2733101475165382079, 0, 0, -1.0534495466737250198e1, -2.0008720582248624991,
        -1.7958931863118798917e1, 2.7948884529419960051e1, -2.8589982771350236947,
        -8.8728569335306295443, 1.2360567175794303065e1, 6.4339274601576353036e-1,
};
static const double dop853_b[12] = {
    5.4293734116568762238e-2, 0, 0, 0, 0, 4.4503128927524088814, 1.8915178993145003830,
    -5.8012039600105847815, 3.1116436695781989441e-1, -1.5216094966251607856e-1,
    2.0136540080403034837e-1, 4.4710615727772590518e-2,
};
static const double dop853_error5[12] = {
    1.3120044994194880733e-2, 0, 0, 0, 0, -1.2251564463762044407, -4.9575894965725019152e-1,
    1.6643771824549865370, -3.5032884874997368169e-1, 3.3417911871301747903e-1,
    8.1923206485115712466e-2, -2.2355307863886295259e-2,
};
static const double dop853_error3[12] = {
    5.4293734116568762238e-2 - 31./127, 0, 0, 0, 0, 4.4503128927524088814, 1.8915178993145003830,
    -5.8012039600105847815, 3.1116436695781989441e-1 - 12675./17272, -1.5216094966251607856e-1,
    2.0136540080403034837e-1, 4.4710615727772590518e-2 - 3./136,
};
static const double dop853_extra_c[3] = {0.1, 0.2, 7./9};
static const double dop853_extra_a[3 * 16] = {
    5.6167502283047952339e-2, 0, 0, 0, 0, 0, 2.5350021021662481109e-1, -2.4623903747080248992e-1,
        -1.2419142326381636047e-1, 1.5329179827876569731e-1, 8.2010522956346898849e-3,
        7.5678976605456997614e-3, -8.298e-3, 0, 0, 0,
    3.1834648163502140506e-2, 0, 0, 0, 0, 2.8300909672366775529e-2, 5.3541988307438567622e-2,
        -5.4923748571390988465e-2, 0, 0, -1.0834732869724932286e-4, 3.8257109083565841295e-4,
        -3.4046500868740456080e-4, 1.4131244367463250028e-1, 0, 0,
    -4.2889630158379192341e-1, 0, 0, 0, 0, -4.6976214153611638431, 7.6834211960625990418,
        4.0689898183971100797, 3.5672718745528110927e-1, 0, 0, 0, -1.3990241651590146213e-3,
        2.9475147891527723390, -9.1509584721798700108, 0,
};
static const double dop853_dense[4 * 16] = {
    -8.4289382761090128651, 0, 0, 0, 0, 5.6671495351937776963e-1, -3.0689499459498916913,
        2.3846676565120698288, 2.1170345824450282767, -8.7139158377797299207e-1, 2.2404374302607882759,
        6.3157877876946881816e-1, -8.8990336451333310821e-2, 1.8148505520854727257e1,
        -9.1946323924783554000, -4.4360363875948939664,
    1.0427508642579134603e1, 0, 0, 0, 0, 2.4228349177525818288e2, 1.6520045171727028199e2,
        -3.7454675472269020280e2, -2.2113666853125306036e1, 7.7334326684722638390,
        -3.0674084731089398182e1, -9.3321305264302278730, 1.5697238121770843886e1,
        -3.1139403219565177677e1, -9.3529243588444783866, 3.5816841486394083752e1,
    1.9985053242002433821e1, 0, 0, 0, 0, -3.8703730874935176555e2, -1.8917813819516756883e2,
        5.2780815920542364901e2, -1.1573902539959630126e1, 6.8812326946963000170,
        -1.0006050966910838403, 7.7771377980534432093e-1, -2.7782057523535084066,
        -6.0196695231264120758e1, 8.4320405506677161018e1, 1.1992291136182789328e1,
    -2.5693933462703749003e1, 0, 0, 0, 0, -1.5418974869023643374e2, -2.3152937917604549568e2,
        3.5763911791061412378e2, 9.3405324183624310004e1, -3.7458323136451633157e1,
        1.0409964950896230045e2, 2.9840293426660503123e1, -4.3533456590011143754e1,
        9.6324553959188282948e1, -3.9177261675615439165e1, -1.4972683625798562581e2,
};
static const keel_rk rk_dop853 = {
    .stages = 12, .c = dop853_c, .a = dop853_a, .b = dop853_b, .error = {dop853_error5, dop853_error3},
    .norm = {KEEL_ERROR_QUOTIENT, 0.01}, .extra = 3, .extra_c = dop853_extra_c, .extra_a = dop853_extra_a,
    .shape = 4, .dense = dop853_dense,
};

/* Fehlberg 7(8): thirteen stages, of which the formula of order 7 uses the first eleven.  Their difference,
 * 41/840 (k_12 + k_13 - k_1 - k_11), vanishes when f depends on t alone: c_1 = c_12 and c_11 = c_13. */
static const double rkf78_c[13] = {0, 2./27, 1./9, 1./6, 5./12, 1./2, 5./6, 1./6, 2./3, 1./3, 1, 0, 1};
static const double rkf78_a[78] = {
    2./27,
    1./36, 1./12,
    1./24, 0, 1./8,
    5./12, 0, -25./16, 25./16,
    1./20, 0, 0, 1./4, 1./5,
    -25./108, 0, 0, 125./108, -65./27, 125./54,
    31./300, 0, 0, 0, 61./225, -2./9, 13./900,
    2, 0, 0, -53./6, 704./45, -107./9, 67./90, 3,
    -91./108, 0, 0, 23./108, -976./135, 311./54, -19./60, 17./6, -1./12,
    2383./4100, 0, 0, -341./164, 4496./1025, -301./82, 2133./4100, 45./82, 45./164, 18./41,
    3./205, 0, 0, 0, 0, -6./41, -3./205, -3./41, 3./41, 6./41, 0,
    -1777./4100, 0, 0, -341./164, 4496./1025, -289./82, 2193./4100, 51./82, 33./164, 12./41, 0, 1,
};
static const double rkf78_b8[13] = {
    0, 0, 0, 0, 0, 34./105, 9./35, 9./35, 9./280, 9./280, 0, 41./840, 41./840,
};
static const double rkf78_b7[13] = {
    41./840, 0, 0, 0, 0, 34./105, 9./35, 9./35, 9./280, 9./280, 41./840, 0, 0,
};
static const double rkf78_error8[13] = {
    -41./840, 0, 0, 0, 0, 0, 0, 0, 0, 0, -41./840, 41./840, 41./840,
};
static const double rkf78_error7[13] = {
    41./840, 0, 0, 0, 0, 0, 0, 0, 0, 0, 41./840, -41./840, -41./840,
};
const keel_rk explicit_rkf78 = {
    .stages = 13, .c = rkf78_c, .a = rkf78_a, .b = rkf78_b8, .error = {rkf78_error8, NULL},
};
static const keel_rk rk_rkf78_7 = {
    .stages = 13, .c = rkf78_c, .a = rkf78_a, .b = rkf78_b7, .error = {rkf78_error7, NULL},
};

/* clang-format on */

#define HNW "Hairer, Norsett, Wanner 1993"
#define METHOD(method, the_order, the_error_order, the_table, what, source)                    \
    .info = {.name = method,                                                                   \
             .about = what,                                                                    \
             .reference = source,                                                              \
             .order = the_order,                                                               \
             .traits = KEEL_RUNGE_KUTTA | ((the_error_order) ? KEEL_ADAPTIVE : 0)},            \
    .error_order = the_error_order, .table = &(the_table), .size = sizeof(struct explicit_rk), \
    .layout = explicit_layout, .attempt = explicit_attempt, .norm = &(the_table).norm
#define DENSE .prepare = explicit_prepare, .dense = explicit_dense /* without: cubic Hermite, or a replay */

const keel_stepper explicit_rk_methods[] = {
    {METHOD("euler", 1, 0, rk_euler, "explicit Euler", "Euler 1768")},
    {METHOD("rk2", 2, 0, rk_midpoint, "explicit midpoint rule", "Runge 1895")},
    {METHOD("heun", 2, 0, rk_heun, "explicit trapezoidal rule", "Heun 1900")},
    {METHOD("rk4", 4, 0, keel_rk4, "the classical Runge-Kutta method", "Kutta 1901")},
    {METHOD("bs32", 3, 3, rk_bs32, "Bogacki-Shampine 3(2)", "Bogacki, Shampine 1989")},
    {METHOD("dopri5", 5, 5, rk_dopri5, "Dormand-Prince 5(4) with dense output", "Dormand, Prince 1980; " HNW),
     DENSE},
    {METHOD("dop853", 8, 8, rk_dop853, "Dormand-Prince 8(5,3) with dense output of order 7", HNW), DENSE},
    {METHOD("rkf78", 8, 8, explicit_rkf78, "Fehlberg 7(8), the 8th-order formula propagated",
            "Fehlberg 1968")},
    {METHOD("rkf78-7", 7, 8, rk_rkf78_7, "Fehlberg 7(8), the 7th-order formula propagated", "Fehlberg 1968")},
    {.info = {.name = NULL}},
};
