/* schur_rows.h - the sweeps over the rows of a forest (schur_forest.c), and over the two strands of a chain
 * (schur_strands.c).
 *
 * The library instantiates them with the numbers of a solver, a compiled model with constants, so that places
 * and steps are part of its code: one source, two speeds.  A compiled model has this header as text. */
#ifndef KEEL_LINALG_SCHUR_ROWS_H
#define KEEL_LINALG_SCHUR_ROWS_H

/* Before loops over the rows of strands, by a model whose chain is short. */
#ifndef SCHUR_UNROLL
#define SCHUR_UNROLL
#endif

#define SCHUR_SHARE 1e-6 /* the square of the least share of new direction */

/* A row of a forest: its entries in b, the products of its parent and itself, the row that it is eliminated
 * into, and which one it is in K. */
struct schur_row {
    int first, entries;
    int link, links;
    int parent, row;
};

/* A product of two entries of b. */
struct schur_link {
    int left, right;
};

/* Rows of a chain from one of its ends on (schur_strands.c): the places of the first in b, in K and in z, the
 * steps from one row to the next, and, from its own place on, the products with its parent, its columns. */
struct schur_strand {
    int first, row, column;
    int step, down, across;
    int at[3];     /* pairs of columns */
    int behind;    /* 0 or 1: its rows are those after the begin of both by so many, and every other one */
    int by_points; /* entries are by points, x y x y, and not by coordinates, x x y y */
    int backwards; /* the point that a row shares with its parent comes first in it */
};

/* What the sweeps read and write, all rows in the order of elimination. */
struct schur_sweep {
    int k;
    const struct schur_row *rows;
    int plain, plain_end; /* rows from here to there have four entries and two links */
    struct schur_strand strand[2];
    int begin, end, dimension; /* their rows, by turns; end 0: there are none */
    const struct schur_link *link;
    const int *column; /* of the entries of b */
    double *b;         /* B */
    double *inverse;   /* k: 1 / pivots */
    double *joint;     /* k: the entry of the factor */
    double *work;      /* k + 1: what rows leave to their parents, of pivots */
    double *lack;      /* k + 1: the same of what they lack, */
    double *r;         /* k + 1: which is this */
};

typedef double schur_pair __attribute__((vector_size(16), aligned(8), may_alias));
typedef double schur_four __attribute__((vector_size(32), aligned(8), may_alias));

/* Short loops over many numbers: a model's compiler is not asked to find that four can go at once. */
static inline void schur_clear(int count, double *a) {
    int i = 0;
    for (; i + 4 <= count; i += 4) *(schur_four *)(a + i) = (schur_four){0, 0, 0, 0};
    for (; i < count; i++) a[i] = 0;
}
static inline void schur_copy(int count, const double *from, double *to) {
    int i = 0;
    for (; i + 4 <= count; i += 4) *(schur_four *)(to + i) = *(const schur_four *)(from + i);
    for (; i < count; i++) to[i] = from[i];
}
static inline void schur_negate(int count, const double *from, double *to) {
    int i = 0;
    for (; i + 4 <= count; i += 4) *(schur_four *)(to + i) = -*(const schur_four *)(from + i);
    for (; i < count; i++) to[i] = -from[i];
}
static inline void schur_multiply(int count, const double *a, const double *b, double *to) {
    int i = 0;
    for (; i + 4 <= count; i += 4)
        *(schur_four *)(to + i) = *(const schur_four *)(a + i) * *(const schur_four *)(b + i);
    for (; i < count; i++) to[i] = a[i] * b[i];
}
static inline void schur_divide_by(int count, double by, const double *from, double *to) {
    int i = 0;
    for (; i + 4 <= count; i += 4) *(schur_four *)(to + i) = *(const schur_four *)(from + i) / by;
    for (; i < count; i++) to[i] = from[i] / by;
}
/* to += factor from */
static inline void schur_add(int count, double factor, const double *from, double *to) {
    int i = 0;
    for (; i + 4 <= count; i += 4) *(schur_four *)(to + i) += factor * *(const schur_four *)(from + i);
    for (; i < count; i++) to[i] += factor * from[i];
}
/* Is the sum of zeros times these zero? */
static inline int schur_finite(int count, const double *z) {
    schur_four sum = {0, 0, 0, 0};
    int i = 0;
    for (; i + 4 <= count; i += 4) sum += *(const schur_four *)(z + i) * 0.0;
    for (; i < count; i++) sum[0] += z[i] * 0;
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) == 0;
}

/* S_ii */
static inline double schur_square(const double *restrict b, int count) {
    double sum = 0;
    if (count == 4) {
        schur_pair first = *(const schur_pair *)b, second = *(const schur_pair *)(b + 2);
        first = first * first + second * second;
        return first[0] + first[1];
    }
    for (int e = 0; e < count; e++) sum += b[e] * b[e];
    return sum;
}

/* A row of K times x. */
static inline double schur_product(int count, const double *restrict k, const int *restrict column,
                                   const double *restrict x) {
    double sum = 0;
    if (count == 4) /* two points of the plane */
        return (k[0] * x[column[0]] + k[1] * x[column[1]]) + (k[2] * x[column[2]] + k[3] * x[column[3]]);
    for (int e = 0; e < count; e++) sum += k[e] * x[column[e]];
    return sum;
}

/* A row of B times z. */
static inline double schur_row_times(const double *restrict b, const int *restrict column, int count,
                                     const double *restrict z) {
    double even = 0, odd = 0;
    int e = 0;
    if (count == 4) /* two points of the plane */
        return (b[0] * z[column[0]] + b[2] * z[column[2]]) + (b[1] * z[column[1]] + b[3] * z[column[3]]);
    for (; e + 1 < count; e += 2) {
        even += b[e] * z[column[e]];
        odd += b[e + 1] * z[column[e + 1]];
    }
    return e < count ? even + odd + b[e] * z[column[e]] : even + odd;
}
/* S_pj of row j and its parent p */
static inline double schur_link_of(const struct schur_link *restrict link, int count,
                                   const double *restrict b) {
    double sum = 0;
    if (count == 2) return b[link[0].left] * b[link[0].right] + b[link[1].left] * b[link[1].right];
    for (int p = 0; p < count; p++) sum += b[link[p].left] * b[link[p].right];
    return sum;
}

/* Rows i to end.  The pivot of one that is left out is 1, and nothing comes of it: its inverse counts as 0.
 * The next row waits for one quotient. */
static inline int schur_factor_rows(const struct schur_sweep *s, int i, int end, int plain,
                                    const int *restrict active) {
    double *restrict taken = s->work, *restrict inverse = s->inverse, *restrict joint = s->joint;
    const double *restrict b = s->b;
    const struct schur_link *restrict link = s->link;
    const struct schur_row *restrict row = s->rows + i;
    for (; i < end; i++, row++) {
        double square = schur_square(b + row->first, plain ? 4 : row->entries), pivot = square - taken[i];
        double value = schur_link_of(link + row->link, plain ? 2 : row->links, b),
               left = value * value / pivot;
        if (!(pivot > SCHUR_SHARE * square)) { /* nor does that hold for numbers that are none */
            if (active[row->row]) return 1;
            inverse[i] = joint[i] = 0;
            continue;
        }
        taken[row->parent] = plain ? left : taken[row->parent] + left;
        inverse[i] = 1 / pivot;
        joint[i] = value * inverse[i];
    }
    return 0;
}

/* Rows i to end, less what the rows before them leave there: no row waits for its own part. */
static inline void schur_miss_rows(const struct schur_sweep *s, int i, int end, int plain,
                                   const double *restrict z, const double *restrict c, int rests) {
    const double *restrict joint = s->joint, *restrict b = s->b;
    const int *restrict column = s->column;
    const struct schur_row *restrict row = s->rows + i;
    double *restrict r = s->r, *restrict taken = s->lack;
    for (; i < end; i++, row++) {
        int entries = plain ? 4 : row->entries;
        double sum = rests ? 0 : schur_row_times(b + row->first, column + row->first, entries, z);
        double all = (sum - c[row->row]) - taken[i], left = joint[i] * all;
        r[i] = all;
        taken[row->parent] = plain ? left : taken[row->parent] + left;
    }
}

/* From the row before `end` back to row i. */
static inline void schur_back_rows(const struct schur_sweep *s, int i, int end, int plain, double *restrict z,
                                   double *restrict mu, int once) {
    const double *restrict b = s->b, *restrict inverse = s->inverse, *restrict joint = s->joint;
    const struct schur_row *restrict row = s->rows + end - 1;
    double *restrict r = s->r;
    for (; end-- > i; row--) {
        double sum = r[end] * inverse[end] - joint[end] * r[row->parent];
        const double *v = b + row->first;
        const int *column = s->column + row->first;
        r[end] = sum;
        mu[row->row] = once ? sum : mu[row->row] + sum;
        if (plain) { /* no column comes twice in a row */
            schur_pair first = *(const schur_pair *)v * sum, second = *(const schur_pair *)(v + 2) * sum;
            double z0 = z[column[0]] - first[0], z1 = z[column[1]] - first[1];
            double z2 = z[column[2]] - second[0], z3 = z[column[3]] - second[1];
            z[column[0]] = z0, z[column[1]] = z1, z[column[2]] = z2, z[column[3]] = z3;
            continue;
        }
        for (int e = 0; e < row->entries; e++) z[column[e]] -= v[e] * sum;
    }
}

/* Where a row of a strand is: its entries, its first column in z, and which one it is in K. */
struct schur_place {
    const double *restrict b;
    double *restrict z;
    long row;
};

/* Coordinate p of the point that a row shares with its parent, and of the other one: which entry of it? */
static inline int schur_near(const struct schur_strand *a, int d, int p) {
    return a->by_points ? (a->backwards ? p : d + p) : 2 * p + !a->backwards;
}
static inline int schur_far(const struct schur_strand *a, int d, int p) {
    return a->by_points ? (a->backwards ? d + p : p) : 2 * p + (a->backwards != 0);
}
/* The place of entry e of a row in z, from its first column on. */
static inline int schur_strand_column(const struct schur_strand *a, int e) {
    return a->at[e / 2] + e % 2;
}

static inline struct schur_place schur_place_of(const struct schur_sweep *s, const struct schur_strand *a,
                                                long step, double *z) {
    return (struct schur_place){s->b + a->first + step * a->step, z + a->column + step * a->across,
                                a->row + step * a->down};
}

/* What a row leaves to its parent, of its pivot and of what it lacks. */
struct schur_left {
    double pivot, lack;
};

/* Row i: its part of the factor, as in schur_forest.c. */
static inline double schur_factor_row(const struct schur_sweep *s, int i, int d, const struct schur_strand *a,
                                      struct schur_place at, double taken, const int *active, int *failed) {
    double square = schur_square(at.b, 2 * d), pivot = square - taken, value = 0;
    const double *parent = at.b + a->step;
    if (d == 2)
        value = at.b[schur_near(a, d, 0)] * parent[schur_far(a, d, 0)] +
                at.b[schur_near(a, d, 1)] * parent[schur_far(a, d, 1)];
    for (int p = 0; p < d && d != 2; p++) value += at.b[schur_near(a, d, p)] * parent[schur_far(a, d, p)];
    if (__builtin_expect(!(pivot > SCHUR_SHARE * square), 0)) {
        *failed |= active[at.row];
        s->inverse[i] = s->joint[i] = 0;
        return 0;
    }
    s->inverse[i] = 1 / pivot;
    s->joint[i] = value * s->inverse[i];
    return value * value / pivot;
}

/* A row of B times z, with the bits of schur_row_times. */
static inline double schur_strand_times(int d, const struct schur_strand *a, struct schur_place at) {
    if (d == 2) {
        const schur_pair *b = (const schur_pair *)at.b;
        schur_pair sum = b[0] * *(const schur_pair *)at.z + b[1] * *(const schur_pair *)(at.z + a->at[1]);
        return sum[0] + sum[1];
    }
    double even = 0, odd = 0;
    for (int p = 0; p < d; p++) {
        even += at.b[2 * p] * at.z[a->at[p]];
        odd += at.b[2 * p + 1] * at.z[a->at[p] + 1];
    }
    return even + odd;
}

/* Row i: what it lacks, r; what it leaves of that. */
static inline double schur_miss_row(const struct schur_sweep *s, int i, int d, const struct schur_strand *a,
                                    struct schur_place at, const double *restrict c, double taken,
                                    int rests) {
    double sum = rests ? 0 : schur_strand_times(d, a, at), all = (sum - c[at.row]) - taken;
    s->r[i] = all;
    return s->joint[i] * all;
}

enum schur_task { SCHUR_FACTOR, SCHUR_MISS, SCHUR_BOTH };

/* The rows of both strands, from their ends on.  one, two: those of s, where the compiler may know more of
 * them. */
static inline int schur_go_in(const struct schur_sweep *s, struct schur_strand one, struct schur_strand two,
                              enum schur_task task, int d, double *z, const double *restrict c, int rests,
                              const int *active) {
    int begin_one = s->begin + one.behind, begin_two = s->begin + two.behind, failed = 0;
    struct schur_left of_one = {s->work[begin_one], s->lack[begin_one]};
    struct schur_left of_two = {s->work[begin_two], s->lack[begin_two]};
    long step = 0;
    SCHUR_UNROLL for (int i = s->begin; i < s->end; i += 2, step++) {
        int row = i + one.behind, other = i + two.behind;
        struct schur_place first = schur_place_of(s, &one, step, z),
                           second = schur_place_of(s, &two, step, z);
        if (task != SCHUR_MISS) {
            of_one.pivot = schur_factor_row(s, row, d, &one, first, of_one.pivot, active, &failed);
            of_two.pivot = schur_factor_row(s, other, d, &two, second, of_two.pivot, active, &failed);
        }
        if (task != SCHUR_FACTOR) {
            of_one.lack = schur_miss_row(s, row, d, &one, first, c, of_one.lack, rests);
            of_two.lack = schur_miss_row(s, other, d, &two, second, c, of_two.lack, rests);
        }
    }
    int parent_of_one = s->rows[s->end - 2 + one.behind].parent;
    int parent_of_two = s->rows[s->end - 2 + two.behind].parent;
    if (task != SCHUR_MISS) s->work[parent_of_one] += of_one.pivot, s->work[parent_of_two] += of_two.pivot;
    if (task != SCHUR_FACTOR) s->lack[parent_of_one] += of_one.lack, s->lack[parent_of_two] += of_two.lack;
    return failed;
}

/* What a row leaves to the one before it: its r, and z at the point that both share.  Stored, it would be
 * wanted again at once. */
struct schur_back {
    double r, z[3];
};

/* Row i: what it has, and what is left of z at its points. */
static inline void schur_back_row(const struct schur_sweep *s, int i, int d, const struct schur_strand *a,
                                  struct schur_place at, double *restrict mu, struct schur_back *above,
                                  int first) {
    double sum = s->r[i] * s->inverse[i] - s->joint[i] * above->r;
    mu[at.row] = first ? sum : mu[at.row] + sum;
    above->r = sum;
    for (int p = 0; p < d; p++) {
        at.z[schur_strand_column(a, schur_near(a, d, p))] = above->z[p] - at.b[schur_near(a, d, p)] * sum;
        above->z[p] = at.z[schur_strand_column(a, schur_far(a, d, p))] - at.b[schur_far(a, d, p)] * sum;
    }
}

/* Before the last row of a strand, and behind its first one. */
static inline struct schur_back schur_begin_back(const struct schur_sweep *s, int i, int d,
                                                 const struct schur_strand *a, struct schur_place at) {
    struct schur_back above = {.r = s->r[s->rows[i].parent]};
    for (int p = 0; p < d; p++) above.z[p] = at.z[schur_strand_column(a, schur_near(a, d, p))];
    return above;
}
static inline void schur_end_back(const struct schur_sweep *s, int i, int d, const struct schur_strand *a,
                                  struct schur_place at, const struct schur_back *left) {
    s->r[i] = left->r;
    for (int p = 0; p < d; p++) at.z[schur_strand_column(a, schur_far(a, d, p))] = left->z[p];
}

static inline void schur_go_back(const struct schur_sweep *s, struct schur_strand one,
                                 struct schur_strand two, int d, double *z, double *restrict mu, int first) {
    long step = (s->end - s->begin) / 2 - 1;
    int last_one = s->end - 2 + one.behind, last_two = s->end - 2 + two.behind;
    struct schur_back of_one = schur_begin_back(s, last_one, d, &one, schur_place_of(s, &one, step, z));
    struct schur_back of_two = schur_begin_back(s, last_two, d, &two, schur_place_of(s, &two, step, z));
    SCHUR_UNROLL for (int i = s->end - 2; i >= s->begin; i -= 2, step--) {
        schur_back_row(s, i + two.behind, d, &two, schur_place_of(s, &two, step, z), mu, &of_two, first);
        schur_back_row(s, i + one.behind, d, &one, schur_place_of(s, &one, step, z), mu, &of_one, first);
    }
    schur_end_back(s, s->begin + one.behind, d, &one, schur_place_of(s, &one, 0, z), &of_one);
    schur_end_back(s, s->begin + two.behind, d, &two, schur_place_of(s, &two, 0, z), &of_two);
}

/* The two as the compiler is to know them: the first goes forwards, the other backwards. */
static inline struct schur_strand schur_known(struct schur_strand a, int by_points, int backwards) {
    a.by_points = by_points;
    a.backwards = backwards;
    return a;
}

/* The sweep for all kinds of strands, each with code of its own. */
static inline int schur_sweep_in(const struct schur_sweep *s, enum schur_task task, double *z,
                                 const double *c, int rests, const int *active) {
    struct schur_strand one = s->strand[0], two = s->strand[1];
    if (s->dimension == 2 && one.by_points)
        return schur_go_in(s, schur_known(one, 1, 0), schur_known(two, 1, 1), task, 2, z, c, rests, active);
    if (s->dimension == 2)
        return schur_go_in(s, schur_known(one, 0, 0), schur_known(two, 0, 1), task, 2, z, c, rests, active);
    return schur_go_in(s, one, two, task, 3, z, c, rests, active);
}
static inline void schur_sweep_back(const struct schur_sweep *s, double *z, double *mu, int first) {
    struct schur_strand one = s->strand[0], two = s->strand[1];
    if (s->dimension == 2 && one.by_points)
        schur_go_back(s, schur_known(one, 1, 0), schur_known(two, 1, 1), 2, z, mu, first);
    else if (s->dimension == 2)
        schur_go_back(s, schur_known(one, 0, 0), schur_known(two, 0, 1), 2, z, mu, first);
    else schur_go_back(s, one, two, 3, z, mu, first);
}

/* What rows leave to their parents, before any of them has: between the strands' first rows and their ends it
 * stays in registers. */
static inline void schur_sweep_begin(const struct schur_sweep *s, double *left) {
    schur_clear(s->begin + 2, left);
    schur_clear(s->k + 1 - s->end, left + s->end);
}

/* All rows of a chain, in the order in which one needs the other.  factor: z is not looked at; 1: a pivot is
 * too small. */
static inline int schur_sweep_factor(const struct schur_sweep *s, double *z, const int *active) {
    schur_sweep_begin(s, s->work);
    schur_sweep_begin(s, s->lack);
    return schur_factor_rows(s, 0, s->begin, 0, active) || schur_sweep_in(s, SCHUR_FACTOR, z, z, 1, active) ||
           schur_factor_rows(s, s->end, s->k, 0, active);
}
static inline void schur_sweep_miss(const struct schur_sweep *s, double *z, const double *c, int rests) {
    schur_sweep_begin(s, s->lack);
    schur_miss_rows(s, 0, s->begin, 0, z, c, rests);
    schur_sweep_in(s, SCHUR_MISS, z, c, rests, 0);
    schur_miss_rows(s, s->end, s->k, 0, z, c, rests);
}
static inline void schur_sweep_return(const struct schur_sweep *s, double *z, double *mu, int once) {
    s->r[s->k] = 0;
    schur_back_rows(s, s->end, s->k, 0, z, mu, once);
    schur_sweep_back(s, z, mu, once);
    schur_back_rows(s, 0, s->begin, 0, z, mu, once);
}

/* B of a chain, factored and solved: z and c become z - B^T mu and mu.  1: a pivot is too
 * small, and z stands. */
static inline int schur_sweep_solve(const struct schur_sweep *s, const int *active, double *z, double *c) {
    schur_sweep_begin(s, s->work);
    schur_sweep_begin(s, s->lack);
    if (schur_factor_rows(s, 0, s->begin, 0, active)) return 1;
    schur_miss_rows(s, 0, s->begin, 0, z, c, 0);
    if (schur_sweep_in(s, SCHUR_BOTH, z, c, 0, active)) return 1;
    if (schur_factor_rows(s, s->end, s->k, 0, active)) return 1;
    schur_miss_rows(s, s->end, s->k, 0, z, c, 0);
    schur_sweep_return(s, z, c, 1);
    return 0;
}

#define SCHUR_ARRIVED (64 * 2.2204460492503131e-16) /* residual over the terms: nothing to refine */
enum { SCHUR_REFINEMENTS = 3 };

static inline double schur_larger(double a, double b) {
    return a > b ? a : b;
}

/* The largest square of z, or what it was before.  Four of them, since comparisons wait for each other. */
static inline double schur_largest_square(int count, const double *z, double largest) {
    double most[4] = {largest, largest, largest, largest};
    int j = 0;
    for (; j + 4 <= count; j += 4)
        for (int c = 0; c < 4; c++) most[c] = schur_larger(z[j + c] * z[j + c], most[c]);
    for (; j < count; j++) most[0] = schur_larger(z[j] * z[j], most[0]);
    return schur_larger(schur_larger(most[0], most[1]), schur_larger(most[2], most[3]));
}

/* Is what a row of this size lacks no more than round-off of terms whose largest square that is? */
static inline int schur_has_arrived(double off, double largest, double size) {
    return !(off * off > SCHUR_ARRIVED * SCHUR_ARRIVED * largest * size && size > 0);
}

/* B z = c for a chain that is factored, by the rows' own looks: z becomes z - B^T mu. */
static inline int schur_sweep_holds(const struct schur_sweep *s, const double *z, const double *c,
                                    double largest) {
    for (int i = 0; i < s->k; i++) {
        const struct schur_row *row = s->rows + i;
        double off =
            schur_row_times(s->b + row->first, s->column + row->first, row->entries, z) - c[row->row];
        if (!schur_has_arrived(off, largest, schur_square(s->b + row->first, row->entries))) return 0;
    }
    return 1;
}
static inline void schur_sweep_solve_exactly(const struct schur_sweep *s, int count, double *z,
                                             const double *c, double *mu) {
    double before = schur_largest_square(count, z, 0);
    int there = schur_sweep_holds(s, z, c, before); /* as a velocity that was projected */
    schur_clear(s->k, mu);
    for (int pass = 0; pass <= SCHUR_REFINEMENTS && !there; pass++) {
        schur_sweep_miss(s, z, c, 0);
        schur_sweep_return(s, z, mu, pass == 0);
        there =
            pass < SCHUR_REFINEMENTS && schur_sweep_holds(s, z, c, schur_largest_square(count, z, before));
    }
}

#endif
