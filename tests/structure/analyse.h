/* analyse.h - the analysis of a text, against known numbers; the pendulum, and random draws. */
#ifndef KEEL_TESTS_ANALYSE_H
#define KEEL_TESTS_ANALYSE_H

#include "testing.h"
#include "lang_text.h"

#include "structure/structure.h"

static inline enum structure_verdict analyse(struct structure *s, struct text *x) {
    struct structure_problem p = {&x->g,    x->equations, x->unknowns, x->equation, x->symbol, x->parameters,
                                  x->value, NULL,         0,           0,           NULL};
    return structure_analyse(s, &p);
}

static inline void close_both(struct structure *s, struct text *x) {
    structure_close(s);
    expr_close(&x->g);
}

static inline void check(const struct structure *s, int index, int freedom) {
    int chosen = 0;
    assert_int_equal(s->verdict, STRUCTURE_OK);
    assert_int_equal(s->index, index);
    assert_int_equal(s->freedom, freedom);
    assert_int_equal(s->rank, s->n);
    assert_int_equal(s->structural_rank, s->n);
    assert_int_equal(s->over.equations + s->under.unknowns, 0);
    for (int i = 0; i < s->n; i++)
        for (int k = s->jacobian.row_start[i] + 1; k < s->jacobian.row_start[i + 1]; k++)
            assert_true(s->jacobian.column[k - 1] < s->jacobian.column[k]);
    for (int k = 0; k < s->states; k++) chosen += s->free[k];
    assert_int_equal(chosen, freedom);
}

static inline void check_offsets(const struct structure *s, int n, const int *c, const int *d) {
    assert_int_equal(s->n, n);
    for (int i = 0; i < n; i++) {
        assert_int_equal(s->c[i], c[i]);
        assert_int_equal(s->d[i], d[i]);
    }
}

static inline void pendulum(struct text *x, const char *a, const char *b, const char *c) {
    text_open(x);
    text_set(x, "g", 9.81);
    text_unknowns(x, "x y lam");
    text_equation(x, a);
    text_equation(x, b);
    text_equation(x, c);
}

static uint64_t seed = 1;
static inline int below(int n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)n);
}

static inline void shuffle(int *list, int n) {
    for (int i = 0; i < n; i++) list[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int k = below(i + 1), keep = list[i];
        list[i] = list[k], list[k] = keep;
    }
}
#endif
