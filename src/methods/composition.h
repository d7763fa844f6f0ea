/* composition.h - a symmetric step of order 2 repeated with weights g_i, for a higher order:
 *
 *     Psi_h = Phi_{g_s h} o ... o Phi_{g_1 h},   g_i = g_{s+1-i},  sum g_i = 1.
 *
 * Hairer, Lubich, Wanner, Geometric Numerical Integration, V.3.2.  The weights serve the splitting methods
 * (methods/splitting.c) and, by COMPOSED, any symmetric method that has a descriptor. */
#ifndef KEEL_METHODS_COMPOSITION_H
#define KEEL_METHODS_COMPOSITION_H

#include <keel/method.h>

enum { COMPOSITION_MOST = 17 };

struct composition_weights {
    int count;          /* s, odd, at most COMPOSITION_MOST */
    const double *half; /* g_1 ... up to the middle one */
};

extern const struct composition_weights composition_single; /* g = 1: the step itself */
extern const struct composition_weights composition_yoshida4, composition_suzuki4;
extern const struct composition_weights composition_yoshida6, composition_kahan_li6;
extern const struct composition_weights composition_yoshida8, composition_kahan_li8;

static inline double composition_weight(const struct composition_weights *w, int i) {
    return i < 0 || i >= w->count ? 0 : w->half[i < w->count / 2 ? i : w->count - 1 - i];
}

/* The pieces of a step of h from their shares in it, in place.  Rounded shares would not add up to h, and be
 * short or long by the same in every step: up to 2 round-offs of t.  So all pieces but the middle one (or
 * two) are rounded to whole ticks of h, their sum has no rounding, and the middle is what is left; it may
 * still have one where it is longer than h itself, as Yoshida's are.  Shares that are not symmetric are
 * taken as they are. */
void composition_cut(double h, int count, double *piece);

/* A composed descriptor's table, and its struct; the base's own struct lies behind it. */
struct composition {
    const keel_stepper *base;
    const struct composition_weights *weights;
};

struct composed {
    double *x, *f; /* width: where the present piece begins, and the rate there if the base wants it */
    double *piece, *f_end; /* width: its increment, and the rate at its end if the base gives it */
    double *rest;          /* width: what the sum of increments lost to rounding */
};

void composition_layout(const keel_problem *p, const keel_options *o, keel_work *w);
keel_status composition_attempt(keel_work *w, keel_attempt *a);

/* One line a method: of `of`, a descriptor of the same file with its own struct of type `type`. */
#define COMPOSED(method, the_order, the_traits, of, type, why_not, with, what, source)                     \
    {                                                                                                      \
        .info = {.name = method,                                                                           \
                 .about = what,                                                                            \
                 .reference = source,                                                                      \
                 .order = the_order,                                                                       \
                 .traits = the_traits},                                                                    \
        .no_rhs = 1, .table = &(const struct composition){&(of), &(with)},                                 \
        .size = sizeof(struct composed) + sizeof(type), .refuse = (why_not), .layout = composition_layout, \
        .attempt = composition_attempt                                                                     \
    }

/* Three methods, of order 4, 6 and 8: `name` with the order behind it, made of steps called `one`. */
#define COMPOSITIONS(name, one, the_traits, of, type, why_not, source)                                    \
    COMPOSED(name "4", 4, the_traits, of, type, why_not, composition_suzuki4, "five " one " steps",       \
             source "; Suzuki 1990"),                                                                     \
        COMPOSED(name "6", 6, the_traits, of, type, why_not, composition_kahan_li6, "nine " one " steps", \
                 source "; Kahan, Li 1997"),                                                              \
        COMPOSED(name "8", 8, the_traits, of, type, why_not, composition_kahan_li8,                       \
                 "seventeen " one " steps", source "; Kahan, Li 1997")
#endif
