/* structure_circuit.c - the weights with which a few dependent rows of a sparse matrix vanish. */
#include "structure/structure_private.h"

#include <math.h>
#include <string.h>

/* The rows alone, columns renumbered; of[] gives the old numbers. */
static int cut(struct structure *s, const struct structure_pattern *a, int count, const int *row,
               struct structure_pattern *out, int **of) {
    int entries = 0, *place = structure_take(s, (size_t)a->columns, sizeof *place);
    for (int i = 0; i < count; i++) entries += a->start[row[i] + 1] - a->start[row[i]];
    *out = (struct structure_pattern){.rows = count,
                                      .start = structure_take(s, (size_t)count + 1, sizeof(int)),
                                      .column = structure_take(s, (size_t)entries, sizeof(int)),
                                      .slope = structure_take(s, (size_t)entries, sizeof(expr))};
    *of = structure_take(s, (size_t)entries, sizeof(int));
    if (!place || !out->start || !out->column || !out->slope || !*of) return -1;
    for (int i = 0, at = 0; i < count; i++) {
        for (int k = a->start[row[i]]; k < a->start[row[i] + 1]; k++, at++) {
            int *p = &place[a->column[k]];
            if (!*p) {
                (*of)[out->columns] = a->column[k];
                *p = ++out->columns;
            }
            out->column[at] = *p - 1;
            out->slope[at] = a->slope[k];
        }
        out->start[i + 1] = at;
    }
    return 0;
}

int structure_circuit(struct structure *s, const struct structure_pattern *a, int count, const int *row,
                      const struct structure_sample v[STRUCTURE_POINTS], double *u, double *loose,
                      struct structure_pivot *order) {
    struct structure_pattern part;
    int *of, holds = 1;
    if (cut(s, a, count, row, &part, &of)) return -1;
    for (int k = 0; k < STRUCTURE_POINTS && holds; k++) {
        struct structure_matrix numbers;
        struct structure_factor factor;
        double *own = u + (size_t)k * (size_t)count;
        if (structure_numbers(s, &part, &v[k], &numbers)) return -1;
        if (structure_eliminate(&numbers, NULL, &factor)) return structure_out_of_memory(s);
        holds = factor.rank == count - 1;
        if (holds) structure_left_null(&factor, 0);
        holds = holds && factor.left.count == count;
        for (int i = 0; i < count && holds; i++) {
            own[i] = factor.left.value[i];
            if (loose) loose[i] = fmax(k ? loose[i] : 1, factor.left.mass[i] / fabs(own[i]));
        }
        for (int i = 0; i < count - 1 && holds && order && k == 0; i++)
            order[i] = (struct structure_pivot){factor.pivot_row[i], of[factor.pivot_column[i]]};
        structure_factor_close(&factor);
        double unit = holds ? own[count - 1] : 0;
        for (int i = 0; i < count && holds; i++) own[i] /= unit;
    }
    return holds;
}

double structure_apart(struct structure *s, const struct structure_pattern *a, int count, const int *row,
                       const struct structure_sample *v, const double *u) {
    double *sum = structure_take(s, 2 * (size_t)a->columns, sizeof *sum), most = 0;
    if (!sum) return -1;
    double *size = sum + a->columns;
    for (int i = 0; i < count; i++)
        for (int k = a->start[row[i]]; k < a->start[row[i] + 1]; k++) {
            sum[a->column[k]] += u[i] * v->value[a->slope[k]];
            size[a->column[k]] += fabs(u[i]) * v->mass[a->slope[k]];
        }
    for (int j = 0; j < a->columns; j++)
        if (size[j] > 0) most = fmax(most, fabs(sum[j]) / size[j]);
    return most;
}

double structure_apart_before(const struct structure *s, int equation) {
    double most = 0;
    for (int k = 0; k < s->steps; k++)
        if (s->step[k].replaced == equation) most = fmax(most, s->step[k].apart);
    return most;
}

int structure_fraction(double x, double *exact) {
    enum { DENOMINATORS = 64 };
    for (int q = 1; q <= DENOMINATORS; q++) {
        double p = nearbyint(x * q);
        if (p == 0 || fabs(p) > 1e6 || fabs(x * q - p) > 1e-13 * fabs(p)) continue;
        *exact = p / q;
        return 1;
    }
    return 0;
}
