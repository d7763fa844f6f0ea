/* options.c - see options.h, and keel/options.h. */
#include "core/options.h"

#include "base/text.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum {
    TYPED = KEEL_FIELD_LINE | KEEL_FIELD_MODEL,
    POSITIVE = KEEL_FIELD_ABOVE /* low is 0 */
};

const keel_field options_table[] = {
    /* A saved state knows the two by their names, however they were chosen. */
    {KEEL_FIELD(method), .traits = TYPED, .argument = "M",
     .about = "method, or method+stabilizer; auto: chosen from the analysis"},
    {KEEL_FIELD(step), .traits = TYPED | KEEL_FIELD_RESULTS | POSITIVE, .argument = "H",
     .about = "fixed step, no error control"},
    {KEEL_FIELD(rtol), .traits = TYPED | KEEL_FIELD_RESULTS | POSITIVE | KEEL_FIELD_BELOW, .high = 1,
     .fallback = 1e-6, .argument = "R", .about = "relative tolerance (1e-6); compare takes a list"},
    {KEEL_FIELD(atol), .traits = TYPED | KEEL_FIELD_RESULTS, .argument = "A",
     .about = "absolute tolerance (a thousandth of rtol)"},
    {KEEL_FIELD(atol_each), .traits = KEEL_FIELD_RESULTS, .about = "an absolute tolerance for each state"},
    {KEEL_FIELD(first_step), .traits = KEEL_FIELD_RESULTS | POSITIVE,
     .about = "length of the first step (estimated)"},
    {KEEL_FIELD(max_step), .traits = TYPED | KEEL_FIELD_RESULTS | POSITIVE, .argument = "H",
     .about = "longest step"},
    {KEEL_FIELD(max_steps), .traits = TYPED, .low = 1, .argument = "N",
     .about = "most steps (1e7; with a fixed step as many as the way is long)"},
    {KEEL_FIELD(pause_steps), .low = 1, .about = "keel_advance ends after so many steps, too"},
    {KEEL_FLAG(reversible), .traits = TYPED | KEEL_FIELD_RESULTS,
     .about = "steps follow the motion and retrace themselves; --step is the first one"},
    {KEEL_FLAG(compensated), .traits = KEEL_FIELD_RESULTS,
     .about = "carry the rounding errors of the state sums along"},
    {KEEL_FIELD(keep), .traits = TYPED | KEEL_FIELD_RESULTS, .argument = "A,B",
     .about = "keep only these rows and watch the others"},
    {KEEL_FIELD(norm), .typed = "weights", .traits = TYPED | KEEL_FIELD_RESULTS, .high = KEEL_GIVEN,
     .choices = "error|mass|unit", .constants = "KEEL_BY_ERROR|KEEL_BY_MASS|KEEL_UNIT|KEEL_GIVEN",
     .argument = "W", .about = "what a small correction means"},
    {KEEL_FIELD(weights), .traits = KEEL_FIELD_RESULTS | POSITIVE,
     .about = "of each state, with norm = KEEL_GIVEN"},
    {KEEL_FIELD(manifold_units), .traits = KEEL_FIELD_RESULTS | POSITIVE, .fallback = 4,
     .about = "round-off units allowed on what is kept"},
    {KEEL_FIELD(defect_every), .traits = KEEL_FIELD_RESULTS, .low = 1,
     .about = "one step of so many is sampled for the defect (4096, more in the beginning)"},
    {KEEL_FLAG(check_jacobians), .about = "compare every given derivative with differences before the run"},
    {.name = NULL},
};

const keel_field *options_at(int i, const keel_method *a, const keel_method *b) {
    const keel_field *const list[] = {options_table, a ? a->fields : NULL, b ? b->fields : NULL};
    for (int k = 0; k < 3; k++)
        for (const keel_field *f = list[k]; f && f->name; f++)
            if (i-- == 0) return f;
    return NULL;
}

const keel_field *options_of(size_t offset) {
    const keel_field *f = options_table;
    while (f->name && f->offset != offset) f++;
    return f->name ? f : NULL;
}

int options_own(const keel_method *m, const keel_field *f) {
    for (const keel_field *own = m ? m->fields : NULL; own && own->name; own++)
        if (own->offset == f->offset) return 1;
    return 0;
}

/* Values ------------------------------------------------------------------------------------------------ */

#define MEMBER(type, f, o) (*(type *)((unsigned char *)(o) + (f)->offset))
#define CONST_MEMBER(type, f, o) (*(const type *)((const unsigned char *)(o) + (f)->offset))

double keel_field_number(const keel_field *f, const keel_options *o) {
    switch (f->type) {
    case KEEL_FIELD_REAL:
        return CONST_MEMBER(double, f, o);
    case KEEL_FIELD_LONG:
        return (double)CONST_MEMBER(long, f, o);
    case KEEL_FIELD_COUNT:
    case KEEL_FIELD_FLAG:
        return CONST_MEMBER(int, f, o);
    case KEEL_FIELD_CHOICE: /* there is one enum */
        return CONST_MEMBER(keel_norm, f, o);
    default:
        return 0;
    }
}

void keel_field_put(const keel_field *f, keel_options *o, double number) {
    switch (f->type) {
    case KEEL_FIELD_REAL:
        MEMBER(double, f, o) = number;
        break;
    case KEEL_FIELD_LONG:
        MEMBER(long, f, o) = (long)number;
        break;
    case KEEL_FIELD_COUNT:
    case KEEL_FIELD_FLAG:
        MEMBER(int, f, o) = (int)number;
        break;
    case KEEL_FIELD_CHOICE:
        MEMBER(keel_norm, f, o) = (keel_norm)number;
        break;
    default:
        break;
    }
}

const char *keel_field_text(const keel_field *f, const keel_options *o) {
    return f->type == KEEL_FIELD_TEXT ? CONST_MEMBER(char *, f, o) : NULL;
}

void keel_field_put_text(const keel_field *f, keel_options *o, const char *text) {
    if (f->type == KEEL_FIELD_TEXT) MEMBER(const char *, f, o) = text;
}

const double *options_reals(const keel_field *f, const keel_options *o) {
    return f->type == KEEL_FIELD_REALS ? CONST_MEMBER(double *, f, o) : NULL;
}

int keel_field_given(const keel_field *f, const keel_options *o) {
    return keel_field_number(f, o) != 0 || keel_field_text(f, o) || options_reals(f, o);
}

double keel_field_value(const keel_field *f, const keel_options *o) {
    if (!f) return NAN;
    return keel_field_given(f, o) ? keel_field_number(f, o) : f->fallback;
}

/* Ranges ------------------------------------------------------------------------------------------------ */

static int is_whole(const keel_field *f) {
    return f->type != KEEL_FIELD_REAL && f->type != KEEL_FIELD_REALS;
}

/* The largest that the member can hold; 2^50 steps are never done. */
static double most(const keel_field *f) {
    return f->high > 0 ? f->high : !is_whole(f) ? DBL_MAX : f->type == KEEL_FIELD_LONG ? 0x1p50 : INT_MAX;
}

int keel_field_fits(const keel_field *f, double x, int or_zero, char *must, size_t capacity) {
    int above = f->traits & KEEL_FIELD_ABOVE ? x > f->low : x >= f->low;
    int below = f->traits & KEEL_FIELD_BELOW ? x < most(f) : x <= most(f);
    if (or_zero && x == 0) return 1;
    if (above && below && (!is_whole(f) || x == floor(x))) return 1;
    if (f->high > 0 && above && below) text_set(must, capacity, "be a whole number");
    else if (f->high > 0)
        text_set(must, capacity, "lie between %g and %g%s", f->low, f->high,
                 or_zero && f->low > 0 ? ", or be 0" : "");
    else if (is_whole(f))
        text_set(must, capacity, or_zero ? "not be negative" : "be a whole number from %g on", f->low);
    else if (or_zero) text_set(must, capacity, "be finite and not negative");
    else if (!isfinite(x)) text_set(must, capacity, "be finite");
    else text_set(must, capacity, f->traits & KEEL_FIELD_ABOVE ? "be positive" : "not be negative");
    return 0;
}
