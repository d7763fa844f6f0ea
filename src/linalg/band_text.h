/* band_text.h - the text of band.c, once for real and once for complex numbers: NUMBER is the type, OF(name)
 * a name of this kind, and OF(times), OF(less), OF(part), OF(inverse), OF(size), ZERO are its arithmetic.
 *
 * Rows are divided by their largest entries, A = S L U with a unit diagonal in U.  The factors keep
 *
 *     L_ij / L_ii,   1 / (S_i L_ii),   U_ij
 *
 * so that both ways of a solve wait for one product and one difference a row,
 *
 *     y_i = b_i / (S_i L_ii) - sum_j (L_ij / L_ii) y_j,   x_i = y_i - sum_j U_ij x_j.
 */

static INLINE double OF(largest)(int width, const NUMBER *row) {
    double largest = 0;
    for (int k = 0; k < width; k++) {
        double size = OF(size)(row[k]);
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* S_i, and row := the values over it. */
static INLINE double OF(take_row)(int width, const NUMBER *values, NUMBER *row) {
    double largest = OF(largest)(width, values);
    for (int k = 0; k < width; k++) row[k] = OF(part)(values[k], 1 / largest);
    return largest;
}

/* x := U^-1 x, rows of so many numbers with `upper` above the diagonal. */
static void OF(back)(const struct band *b, int width, int upper, NUMBER *x) {
    for (long i = b->n - 2; i >= 0; i--) {
        const NUMBER *row = (const NUMBER *)b->lu + i * width + b->lower;
        NUMBER sum = x[i];
        for (int k = b->n - 1 - i < upper ? b->n - 1 - (int)i : upper; k > 0; k--)
            sum = OF(less)(sum, row[k], x[i + k]);
        x[i] = sum;
    }
}

/* Without interchanges.  1: entries grow, or a pivot is zero. */
static INLINE int OF(factor_plain)(const struct band *b, int lower, int upper, const NUMBER *values) {
    int width = lower + 1 + upper;
    NUMBER *lu = b->lu;
    for (long i = 0; i < b->n; i++) {
        NUMBER *row = lu + i * width;
        double scale = OF(take_row)(width, values + i * width, row);
        for (int k = i < lower ? lower - (int)i : 0; k < lower; k++) {
            const NUMBER *above = lu + (i - lower + k) * width + lower;
            if (OF(size)(row[k]) > MOST * b->pivot[i - lower + k]) return 1;
            for (int j = 1; j <= upper; j++) row[k + j] = OF(less)(row[k + j], row[k], above[j]);
        }
        NUMBER inverse = OF(inverse)(row[lower]);
        b->pivot[i] = OF(size)(row[lower]);
        if (!(b->pivot[i] > LEAST) || !(OF(largest)(width, row) <= MOST) || !isfinite(scale)) return 1;
        for (int k = 0; k < width; k++) row[k] = OF(times)(row[k], inverse);
        row[lower] = OF(part)(inverse, 1 / scale);
    }
    return 0;
}

static void OF(solve_plain)(const struct band *b, NUMBER *x) {
    int lower = b->lower, width = lower + 1 + b->upper, n = b->n;
    const NUMBER *lu = b->lu;
    for (long i = 0; i < n; i++) {
        const NUMBER *row = lu + i * width;
        NUMBER sum = OF(times)(x[i], row[lower]);
        for (int k = i < lower ? lower - (int)i : 0; k < lower; k++)
            sum = OF(less)(sum, row[k], x[i - lower + k]);
        x[i] = sum;
    }
    OF(back)(b, width, b->upper, x);
}

/* Few diagonals, as many below as above: what a row waits for stays in registers.  What stands outside the
 * matrix is zero. */
static INLINE void OF(solve_narrow)(const struct band *b, int beside, NUMBER *x) {
    int width = 2 * beside + 1;
    NUMBER near[BAND_NARROW] = {ZERO}, ahead[BAND_NARROW] = {ZERO};
    const NUMBER *row = b->lu;
    for (long i = 0; i < b->n; i++, row += width) {
        NUMBER sum = OF(times)(x[i], row[beside]);
        for (int k = beside - 1; k >= 0; k--) sum = OF(less)(sum, row[beside - 1 - k], near[k]);
        for (int k = beside - 1; k > 0; k--) near[k] = near[k - 1];
        near[0] = x[i] = sum;
    }
    for (long i = b->n - 1; i >= 0; i--) {
        row -= width;
        NUMBER sum = x[i];
        for (int k = beside - 1; k >= 0; k--) sum = OF(less)(sum, row[beside + 1 + k], ahead[k]);
        for (int k = beside - 1; k > 0; k--) ahead[k] = ahead[k - 1];
        ahead[0] = x[i] = sum;
    }
}

/* The row of the largest entry of column j. */
static int OF(pivot_row)(const struct band *b, const NUMBER *column, int j) {
    int best = j, step = b->wide - 1, end = b->n - j < b->lower + 1 ? b->n - j : b->lower + 1;
    double largest = OF(size)(column[0]);
    for (int k = 1; k < end; k++) {
        double size = OF(size)(column[(long)k * step]);
        if (size > largest) largest = size, best = j + k;
    }
    return best;
}

/* With interchanges: U has `lower` more diagonals, and L_ij are not divided. */
static int OF(factor_wide)(const struct band *b, const NUMBER *values) {
    int lower = b->lower, width = lower + 1 + b->upper, most = lower + b->upper;
    long step = b->wide - 1; /* from row to row of a column */
    NUMBER *lu = b->lu;
    memset(lu, 0, (size_t)b->n * (size_t)b->wide * sizeof *lu);
    for (long i = 0; i < b->n; i++)
        b->scale[i] = 1 / OF(take_row)(width, values + i * width, lu + i * b->wide);
    for (long j = 0; j < b->n; j++) {
        NUMBER *row = lu + j * b->wide + lower;
        int p = b->interchange[j] = OF(pivot_row)(b, row, (int)j),
            end = b->n - 1 - j < lower ? b->n - 1 - (int)j : lower;
        NUMBER *other = row + (p - j) * step;
        for (int k = 0; k <= most && p != j; k++) {
            NUMBER kept = row[k];
            row[k] = other[k];
            other[k] = kept;
        }
        double size = OF(size)(row[0]);
        if (!(size > LEAST) || !isfinite(size) || !isfinite(b->scale[j])) return 1;
        row[0] = OF(inverse)(row[0]);
        for (int k = 1; k <= most; k++) row[k] = OF(times)(row[k], row[0]);
        for (int i = 1; i <= end; i++) {
            NUMBER *below = row + i * step, factor = below[0];
            for (int k = 1; k <= most; k++) below[k] = OF(less)(below[k], factor, row[k]);
        }
    }
    return 0;
}

static void OF(solve_wide)(const struct band *b, NUMBER *x) {
    int lower = b->lower;
    long step = b->wide - 1;
    const NUMBER *lu = b->lu;
    for (long i = 0; i < b->n; i++) x[i] = OF(part)(x[i], b->scale[i]);
    for (long j = 0; j < b->n; j++) {
        const NUMBER *row = lu + j * b->wide + lower;
        NUMBER swapped = x[b->interchange[j]];
        x[b->interchange[j]] = x[j];
        x[j] = OF(times)(swapped, row[0]);
        for (int i = 1; i <= lower && j + i < b->n; i++) x[j + i] = OF(less)(x[j + i], row[i * step], x[j]);
    }
    OF(back)(b, b->wide, lower + b->upper, x);
}

/* The usual bands have loops of known length. */
static int OF(factor)(struct band *b, const NUMBER *values) {
    int beside = b->lower == b->upper ? b->lower : 0, failed;
    if (beside == 1) failed = OF(factor_plain)(b, 1, 1, values);
    else if (beside == 2) failed = OF(factor_plain)(b, 2, 2, values);
    else failed = OF(factor_plain)(b, b->lower, b->upper, values);
    b->plain = !failed;
    return failed ? OF(factor_wide)(b, values) : 0;
}

static void OF(solve)(const struct band *b, NUMBER *x) {
    int beside = b->lower == b->upper ? b->lower : 0;
    if (!b->plain) OF(solve_wide)(b, x);
    else if (beside == 1) OF(solve_narrow)(b, 1, x);
    else if (beside == 2) OF(solve_narrow)(b, 2, x);
    else if (beside == 3) OF(solve_narrow)(b, 3, x);
    else if (beside == 4) OF(solve_narrow)(b, 4, x);
    else OF(solve_plain)(b, x);
}
