/* verified.c - see verified.h.  Two problems are the same if they call the same functions with the same
 * `user`: what a person changes behind `user` must leave true what was true. */
#include "api/verified.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64 }; /* a program may make up a new problem at every switch */

struct verified {
    struct verified *next;
    keel_problem problem;
    int verdict[];
};

static int same_map(const keel_map *a, const keel_map *b) {
    return a->count == b->count && a->value == b->value && a->jacobian == b->jacobian &&
           a->time_derivative == b->time_derivative;
}

int verified_alike(const keel_problem *a, const keel_problem *b) {
    return keel_problem_traits(a) == keel_problem_traits(b) && a->n == b->n && a->m == b->m &&
           a->mass.value == b->mass.value && a->structure.value == b->structure.value &&
           a->curvature == b->curvature && same_map(&a->f, &b->f) && same_map(&a->algebraic, &b->algebraic) &&
           same_map(&a->hidden, &b->hidden) && same_map(&a->energy, &b->energy) &&
           same_map(&a->constraint, &b->constraint) && same_map(&a->rolling, &b->rolling) &&
           same_map(&a->velocity, &b->velocity) && same_map(&a->invariant, &b->invariant);
}

static int same(const keel_problem *a, const keel_problem *b) {
    return a->user == b->user && verified_alike(a, b);
}

const int *verified_find(const struct verified *list, const keel_problem *p) {
    while (list && !same(&list->problem, p)) list = list->next;
    return list ? list->verdict : NULL;
}

int verified_add(struct verified **list, const struct engine *e) {
    if (!e->verified || verified_find(*list, &e->field.p)) return 1;
    size_t bytes = (size_t)e->rows.count * sizeof *e->rows.verdict;
    struct verified *one = malloc(sizeof *one + bytes);
    if (!one) return 0;
    one->next = *list;
    one->problem = e->field.p;
    if (bytes) memcpy(one->verdict, e->rows.verdict, bytes);
    *list = one;
    for (int k = 1; one && k < MOST; k++) one = one->next;
    if (one) {
        verified_free(one->next);
        one->next = NULL;
    }
    return 1;
}

void verified_free(struct verified *list) {
    while (list) {
        struct verified *next = list->next;
        free(list);
        list = next;
    }
}
