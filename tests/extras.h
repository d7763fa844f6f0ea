/* extras.h - a problem's extras, to be changed by a test. */
#ifndef KEEL_TESTS_EXTRAS_H
#define KEEL_TESTS_EXTRAS_H

#include <keel/extras.h>

#include <stdlib.h>

/* Those of the problem from now on, a copy of what it had; for as long as the program runs. */
static inline keel_extras *own_extras(keel_problem *p) {
    enum { MOST = 4096 };
    static keel_extras extras[MOST];
    static int used;
    for (int i = 0; i < used; i++)
        if (p->extras == &extras[i]) return &extras[i];
    if (used == MOST) abort();
    extras[used] = *keel_extras_of(p);
    p->extras = &extras[used];
    return &extras[used++];
}
#endif
