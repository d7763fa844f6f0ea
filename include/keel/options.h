/* options.h - the options of a run as data: one row for each member of keel_options that has a value.
 *
 * Validation, saved states, emitted programs, the command line with its help, and the `options` of models
 * read these rows.  So a new option is its member, its row, and the code that uses the value.  A method or a
 * stabilizer lists its own options in its descriptor (keel_method.fields); keel_field_at has all of them. */
#ifndef KEEL_OPTIONS_H
#define KEEL_OPTIONS_H

#include <keel.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum keel_field_type {
    KEEL_FIELD_REAL,   /* double */
    KEEL_FIELD_COUNT,  /* int */
    KEEL_FIELD_LONG,   /* long */
    KEEL_FIELD_FLAG,   /* int: 0, or set */
    KEEL_FIELD_CHOICE, /* an enum: 0 is the default, the k-th of `choices` is k */
    KEEL_FIELD_TEXT,   /* const char * */
    KEEL_FIELD_REALS   /* const double *, one for each state */
} keel_field_type;

/* Traits. */
enum {
    KEEL_FIELD_LINE = 1,    /* the command line may give it, */
    KEEL_FIELD_MODEL = 2,   /* and so may the `options` of a model; a program may give all */
    KEEL_FIELD_RESULTS = 4, /* results depend on it: a saved state goes on with the same value alone */
    KEEL_FIELD_ABOVE = 8,   /* more than `low`, */
    KEEL_FIELD_BELOW = 16   /* less than `high`, which are not allowed themselves */
};

typedef struct keel_field {
    const char *name;  /* of the member */
    const char *typed; /* what people type; NULL: the name, with - for _ on the command line */
    keel_field_type type;
    unsigned traits;
    size_t offset;         /* in keel_options */
    double low, high;      /* the range of a number; high 0: no end.  0 and NULL are the default */
    double fallback;       /* what the default stands for; 0: `about` says */
    const char *choices;   /* CHOICE: "error|mass|unit", as people type them, */
    const char *constants; /* and the same in C; there may be more that only a program can give */
    const char *argument;  /* what stands for the value in help, as H in --max-step H; NULL: a flag */
    const char *about;     /* one line of help */
    const char *without;   /* of methods that do not take it: "has one order"; NULL: "has no NAME" */
} keel_field;

/* In C a row is {KEEL_FIELD(max_step), .traits = ..., ...}: name, type and offset are those of the member. */
#define KEEL_FIELD(member) \
    .name = #member, .offset = offsetof(keel_options, member),                                               \
    .type = _Generic(((keel_options *)0)->member, double: KEEL_FIELD_REAL, int: KEEL_FIELD_COUNT,            \
                     long: KEEL_FIELD_LONG, keel_norm: KEEL_FIELD_CHOICE, const char *: KEEL_FIELD_TEXT,     \
                     const double *: KEEL_FIELD_REALS)
#define KEEL_FLAG(member) .name = #member, .offset = offsetof(keel_options, member), .type = KEEL_FIELD_FLAG

/* Options that every run has, then those of methods and of stabilizers; NULL past the last. */
KEEL_API const keel_field *keel_field_at(int i);
KEEL_API const keel_field *keel_field_of(size_t offset); /* the row of a member; NULL: it has none */
/* The i-th method or stabilizer (order 0) that it belongs to; NULL past the last: options of every run. */
KEEL_API const keel_method *keel_field_owner(const keel_field *f, int i);
/* Numbers of any type, texts; 0 and NULL: the default. */
KEEL_API double keel_field_number(const keel_field *f, const keel_options *o);
KEEL_API const char *keel_field_text(const keel_field *f, const keel_options *o);
KEEL_API int keel_field_given(const keel_field *f, const keel_options *o);
/* The number in force: as given, or what the default stands for.  KEEL_VALUE(o, rtol) is that of a member. */
KEEL_API double keel_field_value(const keel_field *f, const keel_options *o);
#define KEEL_VALUE(o, member) keel_field_value(keel_field_of(offsetof(keel_options, member)), o)
KEEL_API void keel_field_put(const keel_field *f, keel_options *o, double number);
KEEL_API void keel_field_put_text(const keel_field *f, keel_options *o, const char *text);
/* Is the number in the range?  If not, what it must: "lie between 2 and 60".  or_zero: 0 is the default. */
KEEL_API int keel_field_fits(const keel_field *f, double number, int or_zero, char *must, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
