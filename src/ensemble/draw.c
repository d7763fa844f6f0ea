/* draw.c - see draw.h.  One number from (0, 1) gives one value, so that Sobol points and Latin hypercubes
 * serve every distribution.  Normal values: Wichura's rational approximations (algorithm AS 241, PPND16,
 * Applied Statistics 37, 1988), good to about 1e-16. */
#include "ensemble/draw.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

static const char *const names[] = {"uniform", "normal", "lognormal"};

int draw_find(const char *name, size_t length) {
    for (int k = 0; k < 3; k++)
        if (strlen(names[k]) == length && strncmp(names[k], name, length) == 0) return k;
    return -1;
}

const char *draw_names(void) {
    return "uniform(from, to), normal(mean, deviation) or lognormal(mean, deviation of the logarithm)";
}

int draw_check(const struct draw *d, char *why, size_t capacity) {
    if (d->kind == DRAW_UNIFORM ? d->b > d->a : d->b > 0) return 0;
    if (d->kind == DRAW_UNIFORM) text_set(why, capacity, "uniform(%g, %g) has no length", d->a, d->b);
    else text_set(why, capacity, "the deviation of %s must be positive, it is %g", names[d->kind], d->b);
    return -1;
}

/* numerator / denominator, the coefficients from the highest power down. */
static double rational(const double numerator[8], const double denominator[8], double r) {
    double above = numerator[0], below = denominator[0];
    for (int i = 1; i < 8; i++) {
        above = above * r + numerator[i];
        below = below * r + denominator[i];
    }
    return above / below;
}

double draw_normal(double u) {
    static const double near[2][8] = {
        {2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4, 4.5921953931549871457e4,
         1.3731693765509461125e4, 1.9715909503065514427e3, 1.3314166789178437745e2, 3.3871328727963666080e0},
        {5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4,
         5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1, 1.0}};
    static const double middle[2][8] = {
        {7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
         1.27045825245236838258e0, 3.64784832476320460504e0, 5.76949722146069140550e0,
         4.63033784615654529590e0, 1.42343711074968357734e0},
        {1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
         1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940e0,
         2.05319162663775882187e0, 1.0}};
    static const double far[2][8] = {
        {2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
         2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580e0,
         5.46378491116411436990e0, 6.65790464350110377720e0},
        {2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
         7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
         5.99832206555887937690e-1, 1.0}};
    double q = u - 0.5;
    if (fabs(q) <= 0.425) return q * rational(near[0], near[1], 0.180625 - q * q);
    double r = sqrt(-log(q < 0 ? u : 1 - u));
    double x = r <= 5 ? rational(middle[0], middle[1], r - 1.6) : rational(far[0], far[1], r - 5);
    return q < 0 ? -x : x;
}

double draw_value(const struct draw *d, double u) {
    if (d->kind == DRAW_UNIFORM) return d->a + (d->b - d->a) * u;
    double x = d->a + d->b * draw_normal(u);
    return d->kind == DRAW_NORMAL ? x : exp(x);
}
