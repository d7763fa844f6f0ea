/* tape.h - expressions as a straight list of operations on numbered registers, and its interpreter.
 *
 * All outputs of a tape share what they have in common.  Of an `if` only the branch taken is evaluated:
 * what one branch alone needs is computed there, what both need, or others too, before it.  sqrt(s)^3 is
 * s sqrt(s), and short programs have quotients by it as products.  emit.c writes the same list as C, so that
 * both give the same bits. */
#ifndef KEEL_SYMBOLIC_TAPE_H
#define KEEL_SYMBOLIC_TAPE_H

#include "symbolic/expr.h"

/* Where a symbol's value is found: t, u[index] or p[index].  LEAF: u[index], too, of the body of a loop. */
enum tape_source { TAPE_TIME, TAPE_STATE, TAPE_PARAMETER, TAPE_LEAF };
struct tape_input {
    expr symbol;
    enum tape_source source;
    uint32_t index;
};

/* Beside the operations of expr.h.  UNLESS a: go on at `b`.  JUMP: go on at `b`.  STORE: out[to] = a. */
enum tape_op { TAPE_SQUARE = EXPR_OPS, TAPE_STORE, TAPE_UNLESS, TAPE_JUMP, TAPE_MOVE, TAPE_MOVE_AGAIN };

/* register[to] = op(register[a], register[b]); POWI: b the exponent.  An `if` is always
 *     UNLESS c else; ...; MOVE to x; JUMP end; else: ...; MOVE_AGAIN to y; end: */
struct tape_code {
    uint32_t op, to, a, b;
};

struct roll; /* roll.h */

/* Registers: the constants, then the inputs that are used, then what is computed.  A long tape that repeats
 * itself is a list of loops instead, without code, constants and inputs. */
struct tape {
    struct tape_code *code;
    size_t count, outputs;
    struct roll *roll; /* NULL: the code */
    double *constant;
    struct tape_input *input;
    uint32_t constants, inputs, registers;
    const double *const *table; /* those of the graph */
};

/* 0; -1 without memory; 1 if a symbol that is needed is not among the inputs: it goes to *missing.
 * An output EXPR_NONE is left as it is by the run. */
int tape_build(struct tape *t, struct graph *g, size_t outputs, const expr *output, size_t inputs,
               const struct tape_input *input, expr *missing);
int tape_build_straight(struct tape *t, struct graph *g, size_t outputs, const expr *output, size_t inputs,
                        const struct tape_input *input, expr *missing); /* without loops */
/* The tape of outputs that are those of another one up to signs and order, each once, found from that one.
 * 0; -1 without memory; 1: they are not, or the loops of that one do not serve. */
int tape_build_turned(struct tape *t, struct graph *g, size_t outputs, const expr *output,
                      const struct tape *of, const expr *output_of);
/* The same outputs with quotients by cubes of roots written for speed (tape_roots.c); list: of what they
 * reach.  0; -1 without memory; 1: there are none. */
int tape_roots(struct graph *g, const struct expr_list *list, size_t outputs, const expr *output, expr *out);
void tape_free(struct tape *t);
double tape_operations(const struct tape *t); /* of one run */
int tape_reads(const struct tape_code *c);    /* how many registers: 0; a; or a and b */
int tape_writes(const struct tape_code *c);   /* a register? */

/* r: t->registers doubles, any content.  u, p and out must not overlap. */
void tape_run(const struct tape *t, double time, const double *u, const double *p, double *out, double *r);
/* With work of its own; 0, or -1 where a large tape finds no memory. */
int tape_call(const struct tape *t, double time, const double *u, const double *p, double *out);
#endif
