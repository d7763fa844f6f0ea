/* lang_text.h - equations of the tests from a line of text: numbers, names, x'', + - * / ^, functions, `a =
 * b`.
 *
 * Names become unknowns, in the order of their appearance or of text_unknowns; those given by text_set
 * before that are parameters with a value.  t is the time.  No more than the tests need: a wrong text
 * fails the test. */
#ifndef KEEL_TESTS_LANG_TEXT_H
#define KEEL_TESTS_LANG_TEXT_H

#include "symbolic/expr.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_NAMES = 128, TEXT_EQUATIONS = 64 };

struct text {
    struct graph g;
    char unknown[TEXT_NAMES][16], parameter[TEXT_NAMES][16];
    expr symbol[TEXT_NAMES], equation[TEXT_EQUATIONS];
    double value[TEXT_NAMES];
    int unknowns, parameters, equations;
    const char *at;
};

static expr text_sum(struct text *x);

static void text_open(struct text *x) {
    memset(x, 0, sizeof *x);
    assert_int_equal(expr_open(&x->g), 0);
}

static void text_set(struct text *x, const char *name, double value) {
    snprintf(x->parameter[x->parameters], sizeof x->parameter[0], "%s", name);
    x->value[x->parameters++] = value;
}

static int text_unknown(struct text *x, const char *name) {
    for (int j = 0; j < x->unknowns; j++)
        if (strcmp(x->unknown[j], name) == 0) return j;
    snprintf(x->unknown[x->unknowns], sizeof x->unknown[0], "%s", name);
    x->symbol[x->unknowns] = expr_symbol(&x->g, EXPR_UNKNOWN, (uint32_t)x->unknowns, 0);
    return x->unknowns++;
}

static expr text_name(struct text *x) {
    char name[16] = "";
    uint32_t order = 0;
    for (int n = 0; isalnum((unsigned char)*x->at) && n < 15; n++) name[n] = *x->at++;
    while (*x->at == '\'') order++, x->at++;
    if (*x->at == '(') {
        x->at++;
        expr a = text_sum(x);
        assert_int_equal(*x->at++, ')');
        assert_true(expr_function(name) != 0);
        return expr_make(&x->g, expr_function(name), a, 0, 0);
    }
    if (strcmp(name, "t") == 0) return expr_symbol(&x->g, EXPR_TIME, 0, 0);
    for (int p = 0; p < x->parameters; p++)
        if (strcmp(x->parameter[p], name) == 0) return expr_symbol(&x->g, EXPR_PARAMETER, (uint32_t)p, 0);
    return expr_symbol(&x->g, EXPR_UNKNOWN, (uint32_t)text_unknown(x, name), order);
}

static expr text_power(struct text *x) {
    expr a;
    while (*x->at == ' ') x->at++;
    if (*x->at == '-') return x->at++, expr_make(&x->g, EXPR_NEG, text_power(x), 0, 0);
    if (*x->at == '(') {
        x->at++;
        a = text_sum(x);
        assert_int_equal(*x->at++, ')');
    } else if (isalpha((unsigned char)*x->at)) a = text_name(x);
    else {
        char *end;
        double number = strtod(x->at, &end);
        assert_ptr_not_equal(end, x->at);
        x->at = end;
        a = expr_constant(&x->g, number);
    }
    while (*x->at == ' ') x->at++;
    if (*x->at == '^') return x->at++, expr_power(&x->g, a, text_power(x));
    return a;
}

static expr text_product(struct text *x) {
    expr a = text_power(x);
    while (*x->at == '*' || *x->at == '/') {
        enum expr_op op = *x->at++ == '*' ? EXPR_MUL : EXPR_DIV;
        a = expr_make(&x->g, op, a, text_power(x), 0);
    }
    return a;
}

static expr text_sum(struct text *x) {
    expr a = text_product(x);
    while (*x->at == '+' || *x->at == '-') {
        enum expr_op op = *x->at++ == '+' ? EXPR_ADD : EXPR_SUB;
        a = expr_make(&x->g, op, a, text_product(x), 0);
    }
    return a;
}

static expr text_read(struct text *x, const char *text) {
    x->at = text;
    expr e = text_sum(x);
    if (*x->at == '=') x->at++, e = expr_make(&x->g, EXPR_SUB, e, text_sum(x), 0);
    if (*x->at) fail_msg("not read: %s", x->at);
    return e;
}

/* Unknowns in this order, whatever the equations. */
static void text_unknowns(struct text *x, const char *names) {
    char copy[512];
    snprintf(copy, sizeof copy, "%s", names);
    for (char *name = strtok(copy, " "); name; name = strtok(NULL, " ")) text_unknown(x, name);
}

static void text_equation(struct text *x, const char *text) {
    assert_in_range(x->equations, 0, TEXT_EQUATIONS - 1);
    x->equation[x->equations++] = text_read(x, text);
}
#endif
