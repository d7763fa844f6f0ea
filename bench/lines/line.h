/* line.h - large stiff systems: species that react and diffuse on a line of points, as CVODE gets them
 * written by hand, and as keel gets them as text (examples/).
 *
 * Unknowns go point by point, so that the jacobian has `species` diagonals on both sides. */
#ifndef KEEL_BENCH_LINE_H
#define KEEL_BENCH_LINE_H

struct line {
    const char *name, *example; /* of examples/, whose parameter N is the number of points */
    int species;
    double end; /* runs from 0 */
    void (*start)(int points, double *u);
    void (*rate)(int points, const double *u, double *du);
    /* d du_i / du_j of j = i - species .. i + species into row[0 .. 2 species]; 0 outside. */
    void (*row)(int points, const double *u, int i, double *row);
};

extern const struct line line_allen_cahn, line_brusselator;

struct line_run {
    double seconds; /* of the solver alone, opening included */
    long steps, calls, jacobians, factorizations;
};
enum line_matrix { LINE_BAND, LINE_KLU };
/* CVODE's BDF with its band solver or KLU, and this jacobian; u: the end.  0: it is not here, or failed. */
int line_cvode(const struct line *l, int points, enum line_matrix by, double rtol, double atol, double *u,
               struct line_run *out);
#endif
