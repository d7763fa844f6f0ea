/* structure_rank.c - rank and left null vectors of a sparse matrix by elimination.
 *
 * Markowitz order (the shortest column, in it a short row), threshold pivots, rows and columns scaled to 1
 * by powers of two.  Beside every number runs its mass, the size of what was subtracted to get it, by the
 * rules of structure_sample.c: eps times the mass bounds its error, however much was cancelled in pivots on
 * the way.  A number below STRUCTURE_ZERO of its mass is a zero.  A zero stays in its place with its mass,
 * so that later sums know of it. */
#include "structure/structure_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    int column;
    double value, mass;
};

struct line {
    int count, capacity, done;
    struct entry *item;
};

struct stack {
    int count, capacity;
    int *item;
};

struct elimination {
    struct graph *g;
    int rows, columns;
    struct line *row;
    struct stack *held;      /* rows that hold a column, pivot rows too */
    int *length;             /* rows still active in a column; -1: done */
    int *head, *next, *prev; /* columns by length */
    int *at;                 /* scratch: place of a column in the row under change, plus 1 */
    int shortest;
    unsigned char *waits; /* columns not in the lists yet */
};

static int hold(struct stack *s, int i) {
    if (s->count == s->capacity) {
        int capacity = s->capacity ? 2 * s->capacity : 4,
            *item = realloc(s->item, (size_t)capacity * sizeof *item);
        if (!item) return -1;
        s->item = item;
        s->capacity = capacity;
    }
    s->item[s->count++] = i;
    return 0;
}

static int append(struct line *l, struct entry e) {
    if (l->count == l->capacity) {
        int capacity = l->capacity ? 2 * l->capacity : 8;
        struct entry *item = realloc(l->item, (size_t)capacity * sizeof *item);
        if (!item) return -1;
        l->item = item;
        l->capacity = capacity;
    }
    l->item[l->count++] = e;
    return 0;
}

static void unlink_column(struct elimination *e, int j) {
    if (e->prev[j] >= 0) e->next[e->prev[j]] = e->next[j];
    else e->head[e->length[j]] = e->next[j];
    if (e->next[j] >= 0) e->prev[e->next[j]] = e->prev[j];
}

static void link_column(struct elimination *e, int j) {
    int first = e->head[e->length[j]];
    e->prev[j] = -1;
    e->next[j] = first;
    if (first >= 0) e->prev[first] = j;
    e->head[e->length[j]] = j;
    if (e->length[j] < e->shortest) e->shortest = e->length[j];
}

static void change_length(struct elimination *e, int j, int by) {
    if (e->length[j] < 0) return;
    if (!e->waits[j]) unlink_column(e, j);
    e->length[j] += by;
    if (!e->waits[j]) link_column(e, j);
}

static struct entry *find(struct line *l, int column) {
    for (int k = 0; k < l->count; k++)
        if (l->item[k].column == column) return &l->item[k];
    return NULL;
}

/* The shortest row of column j whose number is within a tenth of the largest; -1: all are zero. */
static int choose(struct elimination *e, int j) {
    double largest = 0;
    int best = -1;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < e->held[j].count; k++) {
            int i = e->held[j].item[k];
            if (e->row[i].done) continue;
            double size = fabs(find(&e->row[i], j)->value);
            if (pass == 0) largest = fmax(largest, size);
            else if (size > 0 && size >= 0.1 * largest && (best < 0 || e->row[i].count < e->row[best].count))
                best = i;
        }
    return best;
}

/* own/pivot, and its mass as that of any quotient. */
static double quotient(const struct entry *own, const struct entry *pivot, double *mass) {
    double factor = own->value / pivot->value;
    *mass = fmax(own->mass, fabs(factor) * pivot->mass) / fabs(pivot->value);
    return factor;
}

/* row i -= factor * pivot row; column j, which vanishes, leaves. */
static int subtract(struct elimination *e, int i, int pivot, int j, double factor, double factor_mass) {
    struct line *row = &e->row[i], *from = &e->row[pivot];
    int failed = !expr_spend(e->g, 4.0 * (row->count + from->count));
    if (failed) return -1;
    for (int k = 0; k < row->count; k++) e->at[row->item[k].column] = k + 1;
    for (int k = 0; k < from->count && !failed; k++) {
        struct entry p = from->item[k];
        double change = factor * p.value, mass = fmax(fabs(factor) * p.mass, factor_mass * fabs(p.value));
        if (p.column == j) continue;
        if (e->length[p.column] < 0) continue; /* a finished column: zero in every active row */
        if (e->at[p.column]) {
            struct entry *own = &row->item[e->at[p.column] - 1];
            own->value -= change;
            own->mass = fmax(own->mass, mass);
            if (fabs(own->value) <= STRUCTURE_ZERO * own->mass) own->value = 0;
        } else if (change != 0) {
            failed = append(row, (struct entry){p.column, -change, mass}) || hold(&e->held[p.column], i);
            change_length(e, p.column, 1);
        }
    }
    int gone = e->at[j] - 1;
    for (int k = 0; k < row->count; k++) e->at[row->item[k].column] = 0;
    row->item[gone] = row->item[--row->count];
    return failed ? -1 : 0;
}

static int note(struct structure_factor *f, int row, double value, double mass) {
    if (f->low_count == f->low_capacity) {
        size_t capacity = f->low_capacity ? 2 * f->low_capacity : 64;
        int *rows = realloc(f->low_row, capacity * sizeof *rows);
        if (rows) f->low_row = rows;
        double *values = realloc(f->low_value, capacity * sizeof *values);
        if (values) f->low_value = values;
        double *masses = realloc(f->low_mass, capacity * sizeof *masses);
        if (masses) f->low_mass = masses;
        if (!rows || !values || !masses) return -1;
        f->low_capacity = capacity;
    }
    f->low_row[f->low_count] = row;
    f->low_mass[f->low_count] = mass;
    f->low_value[f->low_count++] = value;
    return 0;
}

/* One step of the elimination in column j. */
static int step(struct elimination *e, struct structure_factor *f, int j) {
    int pivot = choose(e, j);
    unlink_column(e, j);
    e->length[j] = -1;
    if (pivot < 0) return 0;
    struct line *row = &e->row[pivot];
    struct entry top = *find(row, j);
    row->done = 1;
    for (int k = 0; k < row->count; k++) change_length(e, row->item[k].column, -1);
    for (int k = 0; k < e->held[j].count; k++) {
        int i = e->held[j].item[k];
        if (e->row[i].done) continue;
        double mass, factor = quotient(find(&e->row[i], j), &top, &mass);
        if (factor == 0) continue;
        if (subtract(e, i, pivot, j, factor, mass) || note(f, i, factor, mass)) return -1;
    }
    f->pivot_row[f->rank] = pivot;
    f->pivot_column[f->rank++] = j;
    f->low_start[f->rank] = (int)f->low_count;
    return 0;
}

static double power_of_two(double x) {
    int exponent;
    if (!(x > 0) || !isfinite(x)) return 1;
    frexp(x, &exponent);
    return ldexp(1, -exponent);
}

/* Three rounds of dividing rows and columns by the root of their largest number. */
static void scales(const struct structure_matrix *a, double *row, double *column, double *largest) {
    for (int i = 0; i < a->rows; i++) row[i] = 1;
    for (int j = 0; j < a->columns; j++) column[j] = 1;
    for (int round = 0; round < 4; round++) {
        memset(largest, 0, (size_t)a->columns * sizeof *largest);
        for (int i = 0; i < a->rows; i++) {
            double top = 0;
            for (int k = a->start[i]; k < a->start[i + 1]; k++)
                top = fmax(top, fabs(a->value[k]) * row[i] * column[a->column[k]]);
            row[i] *= power_of_two(round < 3 ? sqrt(top) : top);
            for (int k = a->start[i]; k < a->start[i + 1]; k++) {
                double *l = &largest[a->column[k]];
                *l = fmax(*l, fabs(a->value[k]) * row[i] * column[a->column[k]]);
            }
        }
        for (int j = 0; j < a->columns; j++)
            column[j] *= power_of_two(round < 3 ? sqrt(largest[j]) : largest[j]);
    }
}

static int elimination_open(struct elimination *e, const struct structure_matrix *a, const double *row_scale,
                            const double *column_scale) {
    size_t rows = (size_t)a->rows, columns = (size_t)a->columns;
    *e = (struct elimination){.g = a->g, .rows = a->rows, .columns = a->columns};
    e->row = calloc(rows + 1, sizeof *e->row);
    e->held = calloc(columns + 1, sizeof *e->held);
    e->length = calloc(columns + 1, sizeof(int));
    e->head = malloc((rows + 1) * sizeof(int));
    e->next = malloc((columns + 1) * sizeof(int));
    e->prev = malloc((columns + 1) * sizeof(int));
    e->at = calloc(columns + 1, sizeof(int));
    e->waits = malloc(columns + 1);
    if (!e->row || !e->held || !e->length || !e->head || !e->next || !e->prev || !e->at || !e->waits)
        return -1;
    memset(e->head, -1, (rows + 1) * sizeof(int)); /* -1: an empty list */
    for (int i = 0; i < a->rows; i++)
        for (int k = a->start[i]; k < a->start[i + 1]; k++) {
            int j = a->column[k];
            double scale = row_scale[i] * column_scale[j], value = a->value[k] * scale,
                   mass = a->mass[k] * scale;
            if (fabs(value) <= STRUCTURE_ZERO * mass) value = 0;
            if (append(&e->row[i], (struct entry){j, value, mass}) || hold(&e->held[j], i)) return -1;
            e->length[j]++;
        }
    memset(e->waits, 1, columns);
    return 0;
}

static void elimination_close(struct elimination *e) {
    for (int i = 0; e->row && i < e->rows; i++) free(e->row[i].item);
    for (int j = 0; e->held && j < e->columns; j++) free(e->held[j].item);
    free(e->row);
    free(e->held);
    free(e->length);
    free(e->head);
    free(e->next);
    free(e->prev);
    free(e->at);
    free(e->waits);
}

static int factor_open(struct structure_factor *f, const struct structure_matrix *a) {
    size_t rows = (size_t)a->rows, columns = (size_t)a->columns;
    *f = (struct structure_factor){.rows = a->rows, .columns = a->columns};
    f->pivot_row = malloc((rows + columns + 1) * sizeof(int));
    f->pivot_column = malloc((rows + columns + 1) * sizeof(int));
    f->dependent = malloc((rows + 1) * sizeof(int));
    f->low_start = calloc(rows + columns + 2, sizeof(int));
    f->row_scale = malloc((rows + 1) * sizeof(double));
    return f->pivot_row && f->pivot_column && f->dependent && f->low_start && f->row_scale ? 0 : -1;
}

/* Columns until none is left, the late ones after the others. */
static int run(struct elimination *e, struct structure_factor *f, const unsigned char *late) {
    for (int pass = 0; pass < 2; pass++) {
        int left = 0;
        e->shortest = 0;
        for (int j = 0; j < e->columns; j++) {
            int held_back = late && late[j];
            if (held_back != pass) continue;
            e->waits[j] = 0;
            link_column(e, j);
            left++;
        }
        for (e->shortest = 0; left > 0; left--) {
            while (e->head[e->shortest] < 0) e->shortest++;
            if (step(e, f, e->head[e->shortest])) return -1;
        }
    }
    return 0;
}

/* Ready for left null vectors: the steps of each row. */
static int by_rows(struct structure_factor *f) {
    size_t rows = (size_t)f->rows;
    f->step_start = calloc(rows + 2, sizeof(int));
    f->step = malloc((f->low_count + 1) * sizeof(int));
    f->way = malloc(((size_t)f->rank + 1) * sizeof(int));
    f->value = calloc(rows + 1, sizeof(double));
    f->mass = calloc(rows + 1, sizeof(double));
    f->left = (struct structure_vector){.row = malloc((rows + 1) * sizeof(int)),
                                        .value = malloc((rows + 1) * sizeof(double)),
                                        .mass = malloc((rows + 1) * sizeof(double))};
    if (!f->step_start || !f->step || !f->way || !f->value || !f->mass || !f->left.row || !f->left.value ||
        !f->left.mass)
        return -1;
    int *next = f->step_start + 1; /* moves on to the begin of the next row */
    for (size_t l = 0; l < f->low_count; l++) next[f->low_row[l] + 1]++;
    for (size_t i = 0; i < rows; i++) next[i + 1] += next[i];
    for (int s = 0; s < f->rank; s++)
        for (int l = f->low_start[s]; l < f->low_start[s + 1]; l++) f->step[next[f->low_row[l]]++] = s;
    return 0;
}

int structure_eliminate(const struct structure_matrix *a, const unsigned char *late,
                        struct structure_factor *f) {
    struct elimination e = {0};
    double *column_scale = malloc(2 * ((size_t)a->columns + 1) * sizeof *column_scale);
    int failed = factor_open(f, a) || !column_scale;
    if (!failed) scales(a, f->row_scale, column_scale, column_scale + a->columns);
    if (!failed) failed = elimination_open(&e, a, f->row_scale, column_scale);
    if (!failed) failed = run(&e, f, late);
    for (int i = 0, k = 0; i < a->rows && !failed; i++)
        if (!e.row[i].done) f->dependent[k++] = i;
    elimination_close(&e);
    free(column_scale);
    if (!failed && f->rank < f->rows) failed = by_rows(f);
    if (failed) structure_factor_close(f);
    return failed ? -1 : 0;
}

void structure_factor_close(struct structure_factor *f) {
    free(f->pivot_row);
    free(f->pivot_column);
    free(f->dependent);
    free(f->low_start);
    free(f->low_row);
    free(f->low_value);
    free(f->low_mass);
    free(f->row_scale);
    free(f->step_start);
    free(f->step);
    free(f->way);
    free(f->value);
    free(f->mass);
    free(f->left.row);
    free(f->left.value);
    free(f->left.mass);
    *f = (struct structure_factor){0};
}

static int later(const void *p, const void *q) {
    const int *a = p, *b = q;
    return (*a < *b) - (*a > *b);
}

/* f->way := the steps that subtracted from this row, or from the pivot row of another of them, from the last
 * one back; how many.  A step is known by the mass of its pivot row, which is not zero once it is met. */
static int reach(struct structure_factor *f, int row) {
    int count = 0;
    for (int next = -1; next < count; next++) {
        int of = next < 0 ? row : f->pivot_row[f->way[next]];
        for (int e = f->step_start[of]; e < f->step_start[of + 1]; e++) {
            double *mass = &f->mass[f->pivot_row[f->step[e]]];
            if (*mass == 0) f->way[count++] = f->step[e];
            *mass = 1;
        }
    }
    qsort(f->way, (size_t)count, sizeof *f->way, later);
    return count;
}

static int by_number(const void *p, const void *q) {
    return later(q, p);
}

/* The numbers of f->value and f->mass in these rows and in the pivot rows of f->way, which become zeros. */
static void take_left(struct structure_factor *f, int last, int steps) {
    struct structure_vector *u = &f->left;
    double unit = f->row_scale[last];
    u->count = 0;
    u->row[u->count++] = last;
    for (int n = 0; n < steps; n++) u->row[u->count++] = f->pivot_row[f->way[n]];
    qsort(u->row, (size_t)u->count, sizeof *u->row, by_number);
    int all = u->count;
    u->count = 0;
    for (int n = 0; n < all; n++) {
        int i = u->row[n];
        double value = f->value[i] * (f->row_scale[i] / unit), mass = f->mass[i] * (f->row_scale[i] / unit);
        f->value[i] = f->mass[i] = 0;
        if (value == 0) continue;
        u->row[u->count] = i;
        u->value[u->count] = value;
        u->mass[u->count++] = mass;
    }
}

/* The rows that are zero in the end are L^-1 a: u = L^-T e_k, from the last step back. */
double structure_left_null(struct structure_factor *f, int k) {
    int last = f->dependent[k], steps = reach(f, last);
    double operations = 1;
    for (int n = 0; n < steps; n++) f->mass[f->pivot_row[f->way[n]]] = 0;
    f->value[last] = f->mass[last] = 1;
    for (int n = 0; n < steps; n++) {
        int s = f->way[n];
        double sum = 0, size = 0;
        for (int l = f->low_start[s]; l < f->low_start[s + 1]; l++) {
            int i = f->low_row[l];
            sum -= f->low_value[l] * f->value[i];
            size = fmax(size, fmax(f->low_mass[l] * fabs(f->value[i]), fabs(f->low_value[l]) * f->mass[i]));
        }
        f->value[f->pivot_row[s]] = fabs(sum) <= STRUCTURE_ZERO * size ? 0 : sum;
        f->mass[f->pivot_row[s]] = size;
        operations += f->low_start[s + 1] - f->low_start[s] + 1;
    }
    take_left(f, last, steps);
    return operations;
}
