/* field.h - every form of problem as one ODE x' = f(t, x) on a manifold.
 *
 * The highest derivatives, the multipliers and the algebraic variables come from one linear (or small
 * Newton) solve. What lives here: the checked evaluation of the user's maps, and one rate function per
 * form.  Nothing here steps. */
#ifndef KEEL_CORE_FIELD_H
#define KEEL_CORE_FIELD_H

#include <keel/native.h>
#include <keel/stabilizer.h>

#include "base/arena.h"
#include "base/text.h"
#include "core/bending.h"
#include "core/mass_change.h"
#include "core/form.h"
#include "core/hidden_sparse.h"
#include "core/linear.h"
#include "core/mechanism.h"
#include "core/newton.h"
#include "linalg/rowspace.h"
#include "linalg/saddle.h"

#include <stdarg.h>
#include <string.h>

struct rows;

/* The last thing that went wrong in a callback or a solve.  A step may still be saved by a shorter one; if
 * not, this is the status and the sentence the run ends with. */
struct fault {
    keel_status status;
    char text[TEXT_SENTENCE];
};
/* Of none there is no sentence. */
static inline void fault_copy(const struct fault *from, struct fault *to) {
    to->status = from->status;
    if (from->status != KEEL_OK) memcpy(to->text, from->text, sizeof to->text);
}

/* A user's map with what keel knows about it. */
struct map {
    keel_map user;
    const char *what;
    int first, columns;      /* the part of u its jacobian has columns for */
    int exact;               /* differences must reach round-off: the jacobian is part of a kept row */
    int time_dependent;      /* depends on t */
    struct colours *colours; /* outside the block; NULL: its entries are given, or nobody needs them */
};

/* Which of dependent rows carry the motion (redundant.c). */
struct redundant {
    int *in_force;          /* rows: 1, 0 */
    double *whole, *left;   /* rows: squares of their lengths, and of what is left of them */
    struct rowspace unseen; /* N^T: of what K^T does not see of the multipliers, for each row left out */
    double *share, *row;    /* rows, columns padded */
    double *lambda, *none;  /* rows padded; zeros */
};

/* M v' = F - K^T lambda, K v' = -gamma with K = (G; A).  With M = L L^T and the rows of K L^-T as a row
 * space. */
struct mechanics {
    double *mass;          /* nq x nq: L, with 1 / l_ii on its diagonal */
    int *first;            /* nq: of each row of L the first column (linalg/small.h); NULL: they are full */
    double *k_rows;        /* k x nq: K */
    struct rowspace space; /* of K L^-T */
    double *at;            /* 1 + nq: t and q of the factorization */
    double *shift;         /* k: g_t, and 0 */
    double *gamma, *force, *weighted, *z;
    struct redundant of_rows;     /* k, at the factored place */
    struct mechanism_call *calls; /* MECHANISM_CALLS: of a kernel */
    int ready, mass_ready;
    /* Large and sparse (mechanics_sparse.c): instead of mass, k_rows and space. */
    int sparse;
    int roughly; /* velocities are projected: what is off along M^-1 K^T in v' does no harm */
    int chain;   /* it is the kernel's (mechanism.c): 1, -1 no, 0 not looked at */
    int passed;  /* a kernel has factored at `at` last, and kept nothing: once more counts no more */
    struct saddle saddle;
    double *mass_values, *k_values; /* in the order of the patterns */
    double *beside, *beside_shift;  /* K (sparse) and g_t where nothing is factored */
    double *beside_at;              /* 1 + nq: t and q of these */
    int beside_ready;
};

/* Accelerations and multipliers among the algebraic variables (choice.c). */
struct choice {
    int serves;               /* y holds nothing else */
    struct rowspace space;    /* of K L^-T at the last place */
    struct redundant of_rows; /* at the last place */
    double *mass, *k_rows;    /* L; K behind it */
    int *to, *place;          /* where entries of F_y stand there, -1: nowhere */
    double *floor_of, *z, *lambda, *gamma, *force, *weighted;
    double *here, *u; /* m, n + m */
    /* Large, with all rows in force (choice_sparse.c): instead of space, of_rows, mass, k_rows. */
    int sparse;
    int roughly;    /* velocities are projected, and solutions need no refinement */
    double *anchor; /* values of the matrix whose pivots are used */
    int *anchor_known;
    struct choice_matrix *matrix; /* outside the block */
};

/* What determines y: rows of F that contain y, and d/dt of rows that do not. */
struct algebra {
    int *direct;  /* m: row i of F contains y */
    int *derived; /* m + hidden: d/dt of this row without y contains y */
    int rows;     /* of all candidates: m + hidden */
    int any_derived;
    int by_rates; /* by the patterns some are, and they and the direct ones are as many as y */
    double *values, *matrix, *rate_y, *row_jacobian, *f_jacobian, *dx, *shift, *step;
    int *pivot;
    /* Large (algebra_sparse.c): instead of matrix, rate_y, row_jacobian and f_jacobian. */
    int sparse;
    double *entries;           /* of the patterns of F and, where rates of rows determine y, of h and f */
    double *anchor;            /* values of the matrix whose pivots are used */
    int *anchor_known;         /* 1 */
    struct algebra_matrix *lu; /* outside the block */
    struct choice choice;
    double *of_y;   /* entries of F_y of the motion, with sensitivities (algebra_staggered.c); */
    int of_entries; /* how many */
    /* algebra_follow.c */
    int follow;      /* a step is tried: y stays on its branch, or the step is not made */
    int doubt;       /* the last search may have left it */
    int leapt;       /* the step tried last has left it */
    int careful;     /* so no search trusts Newton's method over long ways */
    int factored;    /* the factors of F_y of the last search stand */
    int *sign;       /* 1: of det F_y on the branch */
    double *found_t; /* 1: t of fd->found */
    double *omega;   /* 1: of the searches of this step: F_y changes by omega times the change of y */
    double moved;    /* by the first step of the last search, for the size of y */
    double *place[2], *tangent[2], *way, *aim, *beside; /* n + m, m, n, m, n + m: on a way */
};

/* A term -gain P of J: at (t, u), which stays there, v := P v (baumgarte.c). */
struct pull {
    void *view;
    double *gain;
    keel_status (*aim)(void *view, double t, const double *u);
    keel_status (*across)(void *view, double *v);
};

struct field {
    keel_native view; /* what methods see of it; the first member, so that a method's pointer leads here */
    keel_problem p;   /* its arrays of numbers lie in the solver's block */
    const struct form *form;
    unsigned traits;           /* of the form, with or without a structure matrix */
    const keel_kernel *kernel; /* the problem's, or one that came later; NULL: none */
    int n, m, width, nq;
    int kg, kr, k; /* constraints, rolling constraints, both: multipliers */
    keel_fn *rhs;
    void *context;
    double t_length; /* the same in t, for maps that move */
    struct map f, algebraic, hidden, energy, constraint, rolling, velocity, invariant, event, quadratic_forms,
        energy_of_forms, original_f, original_g;
    double *size;      /* n + m: typical |u_i|, the largest so far */
    double *least;     /* n: a size no larger than this is a guess, of a state that starts near 0 */
    int arrays_ascend; /* p.array_of grows from state to state */
    /* nq, at the start: 1 / (d2H/dp_i^2) of a canonical Hamiltonian, M_ii of mechanics; [0] 0: not known */
    double *inertia;
    double *length; /* n + m: over which differences are taken where they must be exact */
    double *u;      /* n + m: the unknowns under evaluation */
    double *found;  /* n + m: the unknowns where the algebraic variables were found last */
    double *y;      /* m: those of found, where the next search starts */
    double *lambda; /* k: the multipliers found last */
    int *active;    /* k: 0 for a redundant constraint */
    double *gradient, *matrix, *sparse, *work, *probe, *path, *line, *column, *curvature_work, *column_space;
    double *moved, *beside;      /* for differences of the right-hand side */
    double *mass;                /* ODE, DAE: its LU factors; large: its entries */
    struct mass_matrix *mass_lu; /* large: its factors, outside the block */
    int *pivot, mass_ready;
    int damped;       /* the run adds a term to the rate: maps alone do not give its jacobian */
    struct pull pull; /* that term */
    int sliding;      /* nor where the rate is that of sliding along a switching surface */
    struct mechanics mech;
    struct algebra dae;
    struct hidden_rows hidden_rows;
    struct pushes *pushes;           /* large Hamiltonian: the matrix of its multipliers, outside the block */
    keel_newton newton[NEWTON_MOST]; /* as they are laid out */
    int newtons, large;              /* large: sparse ones */
    int by_pattern;                  /* the jacobian of f is never spread for checks */
    struct newton_pattern *pattern;  /* large: outside the block; NULL: nobody asked for matrices */
    keel_system system[LINEAR_MOST]; /* a native method's own; as they are laid out */
    int systems;
    struct bending *bending;         /* large mechanics: outside the block; NULL: nobody asked for matrices */
    struct mass_change *mass_change; /* large: outside the block; NULL: M is constant, or nobody asked */
    keel_stats *stats;
    keel_halt *halt; /* options.stop, while what is under way can be forgotten; else NULL */
    struct fault fault;
};

static inline struct field *field_of(const keel_work *w) {
    return (struct field *)w->native;
}

/* What field_open found out, and which factorizations stand in the block, as plain numbers. */
struct field_facts {
    double t_length;
    int time_dependent[7], any_derived, motion_ready, mass_ready; /* no padding: it is hashed */
};
struct field_facts field_facts(const struct field *fd);
void field_set_facts(struct field *fd, const struct field_facts *facts);

void field_init(struct field *fd, const keel_problem *p, keel_stats *stats);
void field_layout(struct field *fd, struct arena *a);
int field_attach(struct field *fd); /* after each layout: what lies outside the block.  1: no memory */
void field_detach(struct field *fd);
keel_status field_open(struct field *fd); /* after u0 is known: which maps move, what determines y */
/* Is there nothing that it would find out elsewhere?  Then, for another start, all that is left of it. */
int field_is_given(const struct field *fd);
void field_open_again(struct field *fd);
/* Equations that seemed to rest and now depend on t: taken as moving from here on. */
int field_starts_to_move(struct field *fd, double t_before, double t, const double *u);
void field_scale_lengths(struct field *fd, double factor); /* over which differences are taken */
void field_forget(struct field *fd);                       /* drops cached factorizations */
/* Is x' = B grad H with grad H by differences? */
static inline int field_lacks_gradient(const struct field *fd) {
    return fd->traits & KEEL_FROM_ENERGY && !fd->energy.user.jacobian;
}
/* The time at (t, u), of which messages speak: where there is a clock it is the last state. */
static inline double field_time(const struct field *fd, double t, const double *u) {
    return fd->p.clock ? u[fd->n - 1] : t;
}
/* rate with a status and finite-value check; x is width long. */
keel_status field_rhs(struct field *fd, double t, const double *x, double *dx);

/* Records why; returns `severity` (KEEL_RETRY, or the status itself). */
keel_status field_fault(struct field *fd, keel_status severity, keel_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
keel_status field_fault_v(struct field *fd, keel_status severity, keel_status status, const char *format,
                          va_list args) __attribute__((format(printf, 4, 0)));
const char *field_name(const char *const *names, int i, const char *what, char *buffer, size_t size);

/* map.c: checked evaluation. */
keel_status map_diagnose(struct field *fd, const char *what, const char *const *names, int code, double t,
                         int count, const double *out);
enum { MAP_MANY = 256 }; /* below, numbers were just stored, one by one: they are not there as four */
int map_finite(int count, const double *values); /* keel_native_finite, of many */
static inline keel_status map_checked(struct field *fd, const char *what, const char *const *names, int code,
                                      double t, int count, const double *out) {
    int finite = code == 0 && (count < MAP_MANY ? keel_native_finite(count, out) : map_finite(count, out));
    return finite ? KEEL_OK : map_diagnose(fd, what, names, code, t, count, out);
}
keel_status map_stopped(struct field *fd);
static inline keel_status map_value(struct field *fd, const struct map *map, double t, const double *u,
                                    double *out) {
    if (keel_halted(fd->halt)) return map_stopped(fd);
    int code = map->user.value(t, u, out, fd->p.user);
    if (code == 0 && keel_native_finite(map->user.count, out)) return KEEL_OK;
    return map_diagnose(fd, map->what, map->user.names, code, field_time(fd, t, u), map->user.count, out);
}
keel_status map_jacobian(struct field *fd, const struct map *map, double t, const double *u, double *out);
/* Only the entries of its pattern. */
keel_status map_entries(struct field *fd, const struct map *map, double t, const double *u, double *out);
keel_status map_time_derivative(struct field *fd, const struct map *map, double t, const double *u,
                                double *out);
keel_status map_terms(struct field *fd, const struct map *map, double t, const double *u, double *out);
keel_status map_matrix(struct field *fd, const keel_matrix *matrix, const char *what, int order, double t,
                       const double *u, double *out);
void map_find_motion(struct field *fd, struct map *map);
int map_starts_to_move(struct field *fd, struct map *map, double t_before, double t, const double *u);
/* Lets the typical lengths of its columns shrink to what differences of this map need. */
void map_find_lengths(struct field *fd, const struct map *map);
/* The map's own rate and jacobian against differences; a fault names the entry. */
keel_status map_check(struct field *fd, const struct map *map, double t, const double *u);
/* map_sparse.c: the same for large maps with a pattern, along a few directions instead of all columns. */
void map_sparse_find_lengths(struct field *fd, const struct map *map);
keel_status map_sparse_check(struct field *fd, const struct map *map, double t, const double *u);

/* mechanics.c */
void mechanics_layout(struct field *fd, struct arena *a);
keel_status mechanics_mass(struct field *fd, double t, const double *u); /* M = L L^T */
keel_status mechanics_factor(struct field *fd, double t, const double *u);
keel_status mechanics_velocity_rows(struct field *fd, double t, const double *u,
                                    double *out); /* G v + g_t, A v + b */
keel_status mechanics_curvature(struct field *fd, double t, const double *u, double *gamma);
/* The time in which the first coordinate moves by its typical length. */
double mechanics_path_length(const struct field *fd, const double *u);
int mechanics_rhs(double t, const double *x, double *dx, void *field);
void mechanics_least_multipliers(struct field *fd); /* spreads lambda over redundant rows */
keel_status mechanics_reactions(struct field *fd, double t, const double *u,
                                double *out); /* -K^T lambda at the factored place */
keel_status mechanics_bad_mass(struct field *fd, double t, int row);
keel_status mechanics_lost_rank(struct field *fd, double t, int row);
/* redundant.c: the rows in force, so many, of B = K L^-T in the row space, which is overwritten.  A row that
 * has no direction left is among them where there are not enough. */
void redundant_layout(struct redundant *r, struct arena *a, int rows, int columns);
void redundant_choose(const struct redundant *r, const struct rowspace *space, int independent);
/* Of a row space that is factored: the least share of a row's length that no row before it has, since
 * |B_i|^2 = |q_i|^2 + sum_j r_ij^2 |q_j|^2. */
double redundant_least_fraction(const struct rowspace *space, int *row);
/* C_r of K_r = sum C_rj K_j, a row left out of the space of K L^-T (mass: L, NULL for 1), until the next
 * call. */
const double *redundant_shares(const struct redundant *r, const struct rowspace *space, int columns,
                               const double *row, const double *mass);
/* r->unseen, from all these. */
void redundant_find_unseen(struct redundant *r, const struct rowspace *space, int columns,
                           const double *k_rows, const double *mass);
/* The nearest to lambda whose N^T lambda is N^T by, NULL: 0; in r->lambda. */
void redundant_trade(const struct redundant *r, int rows, const double *lambda, const double *by);
#define REDUNDANT_NARROW 0.2 /* share of its own below which a row of the start may be replaced */
/* At the factored place: the least share of a row's length that no row before it has; 1 if sparse. */
double mechanics_orthogonal_fraction(const struct field *fd, int *row);
static inline int mechanics_factored_at(const struct field *fd, double t, const double *u) {
    const struct mechanics *m = &fd->mech;
    return m->ready && m->at[0] == t && memcmp(m->at + 1, u, (size_t)fd->nq * sizeof *u) == 0;
}
static inline int mechanics_passed_at(const struct field *fd, double t, const double *u) {
    const struct mechanics *m = &fd->mech;
    return m->passed && m->at[0] == t && memcmp(m->at + 1, u, (size_t)fd->nq * sizeof *u) == 0;
}
/* So near that K there has six digits of the factored one; not if sparse. */
int mechanics_factored_near(const struct field *fd, double t, const double *u);
/* K of the constraints and g_t at u, not if sparse: values that the next call may overwrite.  With them, the
 * velocity rows. */
keel_status mechanics_rows(struct field *fd, double t, const double *u, const double **k,
                           const double **shift);
keel_status mechanics_speeds(struct field *fd, double t, const double *u, const double *k,
                             const double *shift, double *out);
/* Where the rows of L begin: where those of M do.  After foreign bytes, too. */
void mechanics_profile(struct field *fd);

/* mechanism.c: v' and lambda by the kernel of a compiled model.  0: they are not done. */
void mechanism_layout(struct field *fd, struct arena *a); /* what it keeps */
int mechanism_accelerates(struct field *fd, double t, const double *x, double *dx);
/* The stages of an explicit method so: keel_work.stages. */
int mechanism_stages(const struct keel_work *w, const struct keel_attempt *a, double *k);
/* Factorizations of K by its Schur complement. */
static inline void mechanics_count(const struct field *fd, int count) {
    fd->stats->factorizations += count;
    fd->stats->schur += count;
    fd->stats->jacobians += count;
}
int mechanism_eliminates(struct field *fd, double t, const double *x, double *dx); /* the same if sparse */

/* mechanics_sparse.c */
/* traits of the stepper and of the stabilizer */
int mechanics_goes_sparse(const keel_problem *p, const keel_options *o, unsigned traits, unsigned stabilizer);
void mechanics_sparse_layout(struct field *fd, struct arena *a);
keel_status mechanics_sparse_factor(struct field *fd, double t, const double *u);
/* The system that was factored last, with K of this place below (keel_native_factor_oblique). */
keel_status mechanics_sparse_oblique(struct field *fd, double t, const double *u);
/* Only K and g_t, where they are needed at once: pointers to values that the next call may overwrite. */
keel_status mechanics_sparse_rows(struct field *fd, double t, const double *u, const double **k,
                                  const double **shift);
keel_status mechanics_sparse_mass(struct field *fd, double t, const double *u);
keel_status mechanics_sparse_velocity_rows(struct field *fd, double t, const double *u, double *out);
/* v' and lambda roughly, the system factored and solved at once.  0: not done; all else tells why. */
int mechanics_sparse_at_once(struct field *fd, double t, const double *u, double *force);
void mechanics_sparse_accelerate(struct field *fd,
                                 double *force); /* force, gamma: v' into force, and lambda */
/* d (nq) := the shortest d by mass with K d = c; c is overwritten. */
void mechanics_sparse_shortest(struct field *fd, double *c, double *d);
void mechanics_sparse_least_multipliers(struct field *fd);
/* |K_i| |q| and |K_i| |v| of row i, added up. */
void mechanics_sparse_sizes(const struct field *fd, const double *k, const double *x, double *position,
                            double *velocity);

/* hamiltonian.c */
void hamiltonian_layout(struct field *fd, struct arena *a);
int hamiltonian_rhs(double t, const double *x, double *dx, void *field);
int hamiltonian_constrained_rhs(double t, const double *x, double *dx, void *field);
keel_status hamiltonian_velocity_rows(struct field *fd, double t, const double *u,
                                      double *out);                                          /* G H_p + g_t */
keel_status hamiltonian_reactions(struct field *fd, double t, const double *u, double *out); /* -G^T lambda */
keel_status hamiltonian_dependent(struct field *fd, double t); /* no multipliers are determined */

/* hamiltonian_sparse.c: constraints of a large canonical Hamiltonian by their patterns */
/* traits of the stepper and of the stabilizer */
int hamiltonian_goes_sparse(const keel_problem *p, unsigned traits, unsigned stabilizer);
static inline int hamiltonian_is_sparse(const struct field *fd) {
    return fd->hidden_rows.sparse && fd->kg;
}
int hamiltonian_attach(struct field *fd); /* 1: no memory */
void hamiltonian_detach(struct field *fd);
/* S = phi_p G^T at (t, u), factored; then d (nq) := G^T S^-1 c. */
keel_status hamiltonian_sparse_factor(struct field *fd, double t, const double *u);
void hamiltonian_sparse_correct(struct field *fd, const double *c, double *d);
/* lambda where x' without it is dx, and -G^T lambda added to p'. */
keel_status hamiltonian_sparse_forces(struct field *fd, double t, const double *x, double *dx);
/* What hamiltonian.c asks for: G H_p added to out, H_p from fd->gradient; -G^T lambda. */
keel_status hamiltonian_sparse_speeds(struct field *fd, double t, const double *u, double *out);
keel_status hamiltonian_sparse_reactions(struct field *fd, double t, const double *u, double *out);

/* sizes.c */
void sizes_find_masses(struct field *fd, double t, const double *u); /* of a canonical Hamiltonian */
int sizes_go_along(const struct field *fd);                          /* without the whole of H_pp */
void sizes_take_masses(struct field *fd, double t, const double *u); /* of mechanics without constraints */
int sizes_lack_masses(const struct field *fd); /* a canonical Hamiltonian without them */
double sizes_heaviest(const struct field *fd); /* the largest of these masses; 0: there are none */
/* What a state that starts at 0 has of the largest one: a momentum, its mass over the heaviest. */
double sizes_at_rest(const struct field *fd, int i, double heaviest);
/* Of each state, by the values x (n) of all: arrays share theirs.  0: they tell nothing. */
void sizes_spread(const struct field *fd, const double *x, double *size);
void sizes_shares(const struct field *fd, double *share); /* n x n: that sum as a largest share_ij x_j */

/* algebra.c */
void algebra_layout(struct field *fd, struct arena *a);
keel_status algebra_open(struct field *fd, double t, const double *u);
keel_status algebra_solve(struct field *fd, double t, double *u); /* y of u, from where u has it */
int algebra_rhs(double t, const double *x, double *dx, void *field);
/* Newton from where u has y.  wary: not where it may leave its branch (dae.doubt). */
keel_status algebra_newton(struct field *fd, double t, double *u, int wary);
/* F_y factored at u, with the jacobian rows of F there, and the sign of its determinant. */
keel_status algebra_linearize(struct field *fd, double t, const double *u, int *sign);
keel_status algebra_values(struct field *fd, double t, const double *u); /* dae.values, the rest stands */
double algebra_log_det(const struct field *fd);                          /* of the F_y that stands */

void algebra_divide(const struct field *fd, double *v); /* v := F_y^-1 v, by the factors that stand */
/* Of row i of F and h, with the jacobian that stands, added to sum: its products with n values of x', their
 * sizes with all of u. */
double algebra_row_times(const struct field *fd, int i, double sum, const double *dx);
double algebra_row_terms(const struct field *fd, int i, double sum, const double *u);

/* algebra_sparse.c */
/* By the patterns: is row i of F and h, as it stands or by its rate, one of the equations for y? */
enum algebra_role { ALGEBRA_NONE, ALGEBRA_DIRECT, ALGEBRA_DERIVED };
enum algebra_role algebra_role(const struct field *fd, int i);
int algebra_contains_y(const struct field *fd); /* does each row of F? */
int algebra_goes_by_rates(const struct field *fd);
/* The pattern of F or h with row i, and the number of that row there. */
static inline const keel_pattern *algebra_pattern(const struct field *fd, int i, int *at) {
    *at = i < fd->m ? i : i - fd->m;
    return i < fd->m ? fd->p.algebraic.pattern : fd->p.hidden.pattern;
}
void algebra_sparse_layout(struct field *fd, struct arena *a);
int algebra_sparse_attach(struct field *fd); /* 1: no memory */
void algebra_sparse_detach(struct field *fd);
keel_status algebra_sparse_rate(struct field *fd, double t, const double *u); /* entries of f */
keel_status algebra_sparse_factor(struct field *fd); /* of d->entries; KEEL_RETRY: singular */
void algebra_sparse_divide(const struct field *fd, double *v);
double algebra_sparse_log_det(const struct field *fd, int *sign);

/* algebra_damped.c: y of u from far away, where Newton's method as it stands goes astray. */
keel_status algebra_approach(struct field *fd, double t, double *u);

/* algebra_follow.c */
void algebra_stand(struct field *fd, double t, const double *u); /* y has been found here */
/* y of u: while a step is tried, the continuation of the y found last. */
keel_status algebra_find(struct field *fd, double t, double *u);
/* y at the end of a way through (t, x), which begins at a solution: a straight line, or, with f, a motion
 * with these rates at its ends, which the equations must confirm. */
struct algebra_way {
    double t_from, t_to, h;
    const double *from, *to;   /* n + m: y of `from` is known */
    const double *f, *f_to;    /* n; NULL: a line */
    const keel_newton *newton; /* its matrix 0 is I - h J, where f is stiff; NULL: it is not */
    const keel_work *work;
};
keel_status algebra_walk(struct field *fd, const struct algebra_way *way, double *y);
/* Is a singular place so near that round-off does not tell its two sides apart? */
int algebra_is_blurred(struct field *fd, double t, const double *u);
int algebra_has_slope(const struct field *fd);
/* y' where x' = f, from the factors of F_y that stand. */
void algebra_slope(struct field *fd, const double *f, double *slope);
/* A piece of the way of y, of length h, with its tangents at both ends. */
struct algebra_piece {
    double h, t_end;
    const double *y, *slope, *u_end, *slope_end; /* m, m, n + m, m */
};
/* Does what y does on it part from the tangents? */
int algebra_parts(const struct field *fd, const struct algebra_piece *p);
/* How far from where both tangents together lead does it end, in sizes of y?  That place goes to dae.aim. */
double algebra_misses(struct field *fd, const struct algebra_piece *p);
/* Does det F_y change size or sign between the solution u and dae.aim, in its place?  The factors that stand
 * are those of u. */
int algebra_bends(struct field *fd, double t, const double *u);

/* map_colour.c: entries of maps of large DAEs that have a pattern and no jacobian */
int map_colour_attach(struct field *fd); /* 1: no memory */
void map_colour_detach(struct field *fd);
keel_status map_colour_entries(struct field *fd, const struct map *map, double t, const double *u,
                               double *out);

/* mass_sparse.c: M of large systems of first order, which is constant */
int mass_sparse_attach(struct field *fd); /* 1: no memory */
void mass_sparse_detach(struct field *fd);
keel_status mass_sparse_factor(struct field *fd, double t, const double *u); /* if it is not */
void mass_sparse_divide(const struct field *fd, double *v);                  /* v := M^-1 v */
/* out := M v, every stride-th place of it */
void mass_sparse_multiply(const struct field *fd, const double *mass, const double *v, int stride,
                          const int *position, double *out);

/* field.c: a sparse matrix could not be factored: KEEL_ENOMEM with its sentence where memory is out, else
 * `singular`. */
keel_status field_not_factored(struct field *fd, const struct sparse *lu, keel_status singular);
/* field.c: M x' = f in place, with a mass matrix of order n. */
keel_status field_divide_by_mass(struct field *fd, double t, const double *u, double *dx);
#endif
