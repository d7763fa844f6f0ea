/* rosenbrock_tables.h - tables of Rosenbrock methods, stiffly accurate, in the form that is published:
 *
 *     (I - h g J) U_i = h g (f(t + c_i h, x + sum_j a_ij U_j) + h d_i f_t) + g sum_j e_ij U_j,
 *
 * j < i.  The last stages add up, x_end = x + sum_j a_sj U_j + U_s, and the error of the embedded method is
 * U_s.  With G = (1/g - e)^-1, U = G K, this is
 *
 *     K_i = h f(t + c_i h, x + sum_j alpha_ij K_j) + h J sum_j G_ij K_j + h^2 d_i f_t,
 *
 * x_end = x + sum b_i K_i, alpha = a G, beta = alpha + G, b the last row of beta (Hairer, Wanner, Solving
 * ODEs II, IV.7). */
#ifndef KEEL_ROSENBROCK_TABLES_H
#define KEEL_ROSENBROCK_TABLES_H

enum { ROSENBROCK_STAGES = 8, ROSENBROCK_DENSE = 3 };

struct rosenbrock_table {
    int stages, terms; /* terms of the dense output */
    double g;
    double a[ROSENBROCK_STAGES][ROSENBROCK_STAGES - 1], e[ROSENBROCK_STAGES][ROSENBROCK_STAGES - 1];
    double c[ROSENBROCK_STAGES], d[ROSENBROCK_STAGES];
    /* x + th (x_end - x + (1 - th) (D_1 + th (D_2 + th D_3))), D_k = sum_j dense_kj U_j */
    double dense[ROSENBROCK_DENSE][ROSENBROCK_STAGES];
};

/* The same by K. */
struct rosenbrock_form {
    double alpha[ROSENBROCK_STAGES][ROSENBROCK_STAGES], g[ROSENBROCK_STAGES][ROSENBROCK_STAGES];
    double b[ROSENBROCK_STAGES], dense[ROSENBROCK_DENSE][ROSENBROCK_STAGES];
    double sample[ROSENBROCK_STAGES], slope[ROSENBROCK_STAGES]; /* x(th) - x and h x'(th), th as below */
};
#define ROSENBROCK_SAMPLE 0.75 /* th of the sample */
void rosenbrock_make_form(const struct rosenbrock_table *table, struct rosenbrock_form *form);

extern const struct rosenbrock_table rosenbrock_rodas4, rosenbrock_rodas5p;
#endif
