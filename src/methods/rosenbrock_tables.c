/* rosenbrock_tables.c - see rosenbrock_tables.h.  tests/methods/test_rosenbrock.c checks all order
 * conditions, also those of DAEs of index 1. */
#include "methods/rosenbrock_tables.h"

#include "base/twofold.h"

/* sum + sum_j factor_j g_jk, k <= j < end. */
static struct twofold add_products(struct twofold sum, const double *factor,
                                   struct twofold g[ROSENBROCK_STAGES][ROSENBROCK_STAGES], int k, int end) {
    for (int j = k; j < end; j++) sum = twofold_add(sum, twofold_multiply(twofold_of(factor[j]), g[j][k]));
    return sum;
}

/* G by rows: G_i = g (e_i G + unit_i).  The digits of a and e, up to 1e-14 off in all, would leave as much of
 * h f in every step: the first column makes up for it, so that G and alpha have the sums d and c. */
void rosenbrock_make_form(const struct rosenbrock_table *table, struct rosenbrock_form *form) {
    int s = table->stages;
    struct twofold g[ROSENBROCK_STAGES][ROSENBROCK_STAGES] = {{{0, 0}}};
    for (int i = 0; i < s; i++) {
        struct twofold rest = twofold_of(table->d[i]);
        for (int k = i; k >= 0; k--) {
            struct twofold sum = add_products(twofold_of(i == k), table->e[i], g, k, i);
            g[i][k] = k > 0 || i == 0 ? twofold_multiply(twofold_of(table->g), sum) : rest;
            rest = twofold_subtract(rest, g[i][k]);
        }
    }
    for (int i = 0; i < s; i++) {
        struct twofold rest = twofold_of(table->c[i]);
        for (int k = s - 1; k >= 0; k--) {
            struct twofold sum = k == 0 ? rest : add_products(twofold_of(0), table->a[i], g, k, i);
            rest = twofold_subtract(rest, sum);
            form->g[i][k] = g[i][k].high;
            form->alpha[i][k] = sum.high;
            if (i == s - 1) form->b[k] = twofold_add(sum, g[i][k]).high;
        }
    }
    for (int i = 0; i < table->terms; i++)
        for (int k = 0; k < s; k++)
            form->dense[i][k] = add_products(twofold_of(0), table->dense[i], g, k, s).high;
    for (int k = 0; k < s; k++) { /* D_3 of a table without it is 0 */
        const double th = ROSENBROCK_SAMPLE, d[] = {form->dense[0][k], form->dense[1][k], form->dense[2][k]};
        double sum = d[0] + th * (d[1] + th * d[2]);
        form->sample[k] = th * (form->b[k] + (1 - th) * sum);
        form->slope[k] = form->b[k] + (1 - 2 * th) * sum + th * (1 - th) * (d[1] + 2 * th * d[2]);
    }
}

/* Hairer, Wanner, Solving ODEs II, VI.4: order 4(3), L-stable, both for DAEs of index 1. */
#define LAST 1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950
const struct rosenbrock_table rosenbrock_rodas4 = {
    .stages = 6,
    .terms = 2,
    .g = 0.25,
    .a = {{0},
          {1.544},
          {0.9466785280815826, 0.2557011698983284},
          {3.314825187068521, 2.896124015972201, 0.9986419139977817},
          {LAST},
          {LAST, 1}},
    .e = {{0},
          {-5.6688},
          {-2.430093356833875, -0.2063599157091915},
          {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
          {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
          {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054}},
    .c = {0, 0.386, 0.21, 0.63, 1, 1},
    .d = {0.25, -0.1043, 0.1035, -0.0362, 0, 0},
    .dense = {{10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823,
               1.025137723295662},
              {-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386,
               -6.594389125716872}},
};
#undef LAST

/* Steinebach, BIT 63 (2023) 27: order 5(4), L-stable, both for DAEs of index 1; little order is lost on
 * discretized parabolic equations. */
#define LAST \
    -7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946
const struct rosenbrock_table rosenbrock_rodas5p = {
    .stages = 8,
    .terms = 3,
    .g = 0.21193756319429014,
    .a = {{0},
          {3},
          {2.849394379747939, 0.45842242204463923},
          {-6.954028509809101, 2.489845061869568, -10.358996098473584},
          {2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641},
          {LAST},
          {LAST, 1},
          {LAST, 1, 1}},
    .e = {{0},
          {-14.155112264123755},
          {-17.97296035885952, -2.859693295451294},
          {147.12150275711716, -1.41221402718213, 71.68940251302358},
          {165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306},
          {24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125,
           -0.6610691825249471},
          {30.91273214028599, -3.1208243349937974, 77.79954646070892, 34.28646028294783, -19.097331116725623,
           -28.087943162872662},
          {37.80277123390563, -3.2571969029072276, 112.26918849496327, 66.9347231244047, -40.06618937091002,
           -54.66780262877968, -9.48861652309627}},
    .c = {0, 0.6358126895828704, 0.4095798393397535, 0.9769306725060716, 0.4288403609558664, 1, 1, 1},
    .d = {0.21193756319429014, -0.42387512638858027, -0.3384627126235924, 1.8046452872882734,
          2.325825639765069, 0, 0, 0},
    .dense = {{25.948786856663858, -2.5579724845846235, 10.433815404888879, -2.3679251022685204,
               0.524948541321073, 1.1241088310450404, 0.4272876194431874, -0.17202221070155493},
              {-9.91568850695171, -0.9689944594115154, 3.0438037242978453, -24.495224566215796,
               20.176138334709044, 15.98066361424651, -6.789040303419874, -6.710236069923372},
              {11.419903575922262, 2.8879645146136994, 72.92137995996029, 80.12511834622643,
               -52.072871366152654, -59.78993625266729, -0.15582684282751913, 4.883087185713722}},
};
#undef LAST
