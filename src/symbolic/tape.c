/* tape.c - the interpreter; tape_build.c makes what it runs. */
#include "symbolic/roll.h"
#include "symbolic/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void tape_free(struct tape *t) {
    free(t->code);
    free(t->constant);
    free(t->input);
    roll_free(t->roll);
    *t = (struct tape){0};
}

double tape_operations(const struct tape *t) {
    return t->roll ? t->roll->operations : (double)t->count + t->inputs;
}

static void load(const struct tape *t, double time, const double *u, const double *p, double *r) {
    if (t->constants) memcpy(r, t->constant, t->constants * sizeof *r);
    r += t->constants;
    for (uint32_t i = 0; i < t->inputs; i++) {
        const struct tape_input *in = &t->input[i];
        r[i] = in->source == TAPE_PARAMETER ? p[in->index] : in->source == TAPE_TIME ? time : u[in->index];
    }
}

void tape_run(const struct tape *t, double time, const double *u, const double *p, double *out, double *r) {
    if (t->roll) {
        roll_run(t->roll, time, u, p, out, r);
        return;
    }
    load(t, time, u, p, r);
    if (t->count == 0) return;
    const struct tape_code *code = t->code, *end = code + t->count;
    for (const struct tape_code *c = code; c < end; c++) {
        switch (c->op) {
        case EXPR_ADD:
            r[c->to] = r[c->a] + r[c->b];
            break;
        case EXPR_SUB:
            r[c->to] = r[c->a] - r[c->b];
            break;
        case EXPR_MUL:
            r[c->to] = r[c->a] * r[c->b];
            break;
        case EXPR_DIV:
            r[c->to] = r[c->a] / r[c->b];
            break;
        case EXPR_NEG:
            r[c->to] = -r[c->a];
            break;
        case TAPE_SQUARE:
            r[c->to] = r[c->a] * r[c->a];
            break;
        case EXPR_SQRT:
            r[c->to] = sqrt(r[c->a]);
            break;
        case EXPR_ABS:
            r[c->to] = fabs(r[c->a]);
            break;
        case EXPR_POWI:
            r[c->to] = expr_integer_power(r[c->a], (int32_t)c->b);
            break;
        case EXPR_EXP:
            r[c->to] = exp(r[c->a]);
            break;
        case TAPE_STORE:
            out[c->to] = r[c->a];
            break;
        case TAPE_UNLESS:
            if (!(r[c->a] != 0)) c = code + c->b - 1;
            break;
        case TAPE_JUMP:
            c = code + c->b - 1;
            break;
        case TAPE_MOVE:
        case TAPE_MOVE_AGAIN:
            r[c->to] = r[c->a];
            break;
        case EXPR_LOOK:
        case EXPR_ENTRY:
        case EXPR_POSITION:
            r[c->to] = table_value(t->table, (enum expr_op)c->op, r[c->a], r[c->b]);
            break;
        default:
            r[c->to] = expr_value((enum expr_op)c->op, r[c->a], r[c->b]);
            break;
        }
    }
}

int tape_call(const struct tape *t, double time, const double *u, const double *p, double *out) {
    enum { SMALL = 512 };
    double small[SMALL], *work = t->registers <= SMALL ? small : malloc(t->registers * sizeof *work);
    if (!work) return -1;
    tape_run(t, time, u, p, out, work);
    if (work != small) free(work);
    return 0;
}
