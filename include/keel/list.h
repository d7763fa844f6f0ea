/* list.h - what there is: methods (steppers) and stabilizers, by their names.  Options: keel/options.h. */
#ifndef KEEL_LIST_H
#define KEEL_LIST_H

#include <keel.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct keel_method {
    const char *name, *about, *reference;
    int order;                       /* 0: a stabilizer */
    unsigned traits;                 /* see keel/method.h and keel/stabilizer.h */
    const struct keel_field *fields; /* its own options (keel/options.h), up to a nameless one; NULL: none */
} keel_method;
KEEL_API const keel_method *keel_method_at(int i);                    /* a stepper; NULL past the last */
KEEL_API const keel_method *keel_stabilizer_at(int i);                /* NULL past the last */
KEEL_API const keel_method *keel_stabilizer_of(const keel_solver *s); /* the one in use; NULL: none yet */

#ifdef __cplusplus
}
#endif
#endif
