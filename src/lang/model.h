/* model.h - a model without arrays, loops and names to look up: numbered unknowns and expressions of them.
 *
 * Everything lives in the pool that elaborate_run was given, but for the graph and the Jacobians in `motion`:
 * model_release gives those back.  Symbols: EXPR_PARAMETER i is parameter[i], EXPR_UNKNOWN i is unknown[i],
 * EXPR_MULTIPLIER i is multiplier[i], EXPR_HELD i is held[i]. */
#ifndef KEEL_LANG_MODEL_H
#define KEEL_LANG_MODEL_H

#include "symbolic/expr.h"
#include "symbolic/motion.h"
#include "lang/source.h"
#include "lang/syntax.h"

/* Inclusive bounds of each index; high = low - 1: nothing.  Rank 0: a number. */
struct model_shape {
    int rank;
    int low[SYNTAX_INDICES], high[SYNTAX_INDICES];
};

/* An element's name in parts: q[1][2] is base q with the indices 1 and 2; text is the whole. */
struct model_label {
    const char *text, *base;
    int rank;
    int index[SYNTAX_INDICES];
};

struct model_parameter {
    struct model_label label;
    expr value;     /* of parameters with lower numbers, as written or as set */
    expr written;   /* as the text has it */
    double number;  /* its value now */
    int structural; /* it decides a range or an index: another value needs another elaboration */
    struct syntax_span where;
};

enum model_role {
    MODEL_VAR,
    MODEL_COORD,
    MODEL_POSITION,
    MODEL_MOMENTUM,
    MODEL_MEMORY /* a coordinate whose velocity has the name (elaborate_memory.c) */
};

enum { MODEL_UNITS = 4 }; /* of an unknown and its derivatives that are kept */

struct model_unknown {
    struct model_label label;
    const char *unit[MODEL_UNITS]; /* NULL: not known */
    enum model_role role;
    int partner; /* of a canonical pair; -1 */
    int poisson; /* its place in `structure`; -1 */
    struct syntax_span where;
};

struct model_multiplier {
    struct model_label label;
    const char *unit; /* the same */
    int rolling;
    int force; /* of a contact: 1 + the number of the held value that it is; 0: of a constraint */
};

/* A value taken when a mode was entered or at the start: of the symbol `of`.  SYNTAX_NOW: the force of a
 * contact, of its multiplier, as the run finds it. */
struct model_held {
    expr of;
    enum syntax_moment moment;
    int group; /* of modes whose change is meant; -1: of any */
};

/* An equation or constraint value = 0, an invariant, an output. */
struct model_row {
    struct model_label label;       /* an equation: text is "in PART", "at NODE.v" or "" */
    const char *parts;              /* of the latter: what is joined there; or NULL */
    expr value;                     /* lhs - rhs */
    int multiplier;                 /* of a constraint; -1 */
    int common;                     /* written outside the modes */
    const struct syntax_unit *unit; /* of an output, as given; NULL: none */
    const char *unit_text;          /* as told */
    struct syntax_span where;
};

/* Numbers of the entries of a list by their names (elaborate_labels.c). */
struct model_index {
    int *slot; /* [capacity, a power of two] a number plus 1; 0: free */
    int capacity;
};

struct model_rows {
    struct model_row *list;
    int count, capacity;
    struct model_index index; /* of rows with names */
};

/* A rigid contact: gap >= 0, of positions and t; the sliding velocity, linear in the velocities. */
struct model_contact {
    struct model_label label;
    expr gap, sliding;          /* sliding EXPR_NONE: without friction */
    expr restitution, friction; /* of parameters */
    int push, drag;             /* its forces among the held values; drag -1: without friction */
    struct syntax_span where;
};

struct model_action {
    enum syntax_action kind;
    expr target, value; /* ASSIGN: symbol := value */
    int mode;           /* SWITCH: as written, a block */
    struct syntax_span where;
};

struct model_event {
    struct model_label label;
    expr value; /* what goes through zero; the period or the time, of parameters alone */
    enum syntax_direction direction;
    struct model_action *action;
    int actions, common;
    struct syntax_span where;
};

/* A mode as it is written; a group of them is in one at a time. */
struct model_block {
    struct model_label label;
    int group;
    struct syntax_span where;
};

struct model_group {
    const char *name;             /* of a part, valve[2]; "": that of modes without a point in their names */
    int start;                    /* its first mode */
    const struct syntax_use *use; /* of the part that says so; NULL: the model */
    struct syntax_span where;
};

/* All that holds in a mode, or in a combination of modes where there are several groups, what is common
 * included.  A model without modes has one, without name. */
struct model_mode {
    const char *name; /* NULL: none */
    int *combination; /* [groups] the mode of each */
    struct syntax_span where;
    struct model_rows equation, constraint, rolling, invariant, output;
    struct model_event *event; /* those that the motion sets off; behind them those at times of their own */
    int events, timed, event_capacity;
    struct model_contact *contact;
    int contacts, contact_capacity;
    expr function;        /* the lagrangian or hamiltonian; EXPR_NONE: none */
    expr energy;          /* EXPR_NONE: none */
    expr *force;          /* [unknowns] given by `force`, on the position; EXPR_NONE: none */
    expr *flow;           /* [unknowns] sums given by `flow`, of the potentials of nodes */
    const char **joined;  /* [unknowns] the parts that give them, the first few; NULL: none */
    int keeps_energy;     /* `invariant energy`, also in the list of invariants */
    struct motion motion; /* of coord, canonical or structure */
};

/* target = value: init, guess, exact, reference, and the settings of declarations. */
struct model_given {
    expr target;                    /* a symbol; EXPR_NONE where an output is meant */
    int output;                     /* its number; -1 */
    expr value;                     /* init and guess: of parameters and t alone */
    const char *digits;             /* as written where it is a plain number; or NULL */
    const struct syntax_use *use;   /* of the part it stands in, whose lines those around it replace; NULL */
    const struct syntax_unit *unit; /* of the value; NULL: none */
    struct syntax_span where;
};

struct model_givens {
    struct model_given *list;
    int count, capacity;
    int *place;       /* per node of the graph: 1 + the place in the list; 0: not given */
    uint32_t symbols; /* nodes it has room for */
};

struct model_reference {
    expr time;
    struct model_givens values;
    struct syntax_span where;
};

/* The rows of it are in the graph. */
struct model_table {
    const char *name;
    struct syntax_span where;
};

struct model_option {
    const char *name;
    const char *text;  /* as written, without quotes */
    const char *words; /* "rk4+scale"; NULL where it can only be an expression */
    expr value;        /* of parameters; EXPR_NONE where it can only be words */
    struct syntax_span where;
};

/* What sensitivities are asked of: the symbol of a parameter, or of an unknown or derivative whose start
 * value is meant (model/tangent.h). */
struct model_direction {
    const char *name;
    expr of;
};

enum model_form { MODEL_EQUATIONS, MODEL_LAGRANGIAN, MODEL_HAMILTONIAN, MODEL_POISSON };

struct model {
    struct graph graph;
    const char *name; /* NULL: take the file's */
    enum model_form form;
    struct model_parameter *parameter;
    struct model_unknown *unknown;
    struct model_multiplier *multiplier;
    struct model_index multiplier_index;
    struct model_held *held;
    struct model_mode *mode; /* with several groups: the combinations that were asked for */
    struct model_block *block;
    struct model_group *group;
    struct model_index block_index;
    struct model_reference *reference;
    struct model_option *option;
    struct model_table *table;
    struct model_givens init, guess, exact;
    struct model_givens atol, scale; /* of unknowns and derivatives; of parameters alone */
    expr *set; /* [sets] unknowns and derivatives whose start values come from outside */
    int sets;
    int parameters, unknowns, multipliers, helds, modes, references, options, tables;
    int blocks, groups, mode_capacity, block_capacity, group_capacity;
    int parameter_capacity, unknown_capacity, multiplier_capacity, held_capacity, reference_capacity,
        option_capacity;
    int primals; /* unknowns of the text; behind them stand their sensitivities */
    int directions;
    struct model_direction *direction;
    int all_directions;     /* they are all free start values: vectors of the tangent space, no quantities */
    int memories;           /* unknowns of that role */
    int coords, *coord;     /* numbers of the coordinates, or of the positions of canonical pairs */
    int momenta, *momentum; /* of the conjugate momenta, in the same order */
    int poissons, *poisson; /* of the unknowns listed by `structure` */
    int start;              /* number of the first mode */
    expr begin, end;        /* of `run`; EXPR_NONE: none */
    struct syntax_span run;
    expr clock;             /* d t = clock d tau, of states and t; EXPR_NONE: none */
    int clock_of_equations; /* it is to be read off the equations */
    struct syntax_span clock_where;
    const struct syntax_file *file; /* what it was made from */
    struct elaborate *names;        /* what elaborate_expression and elaborate_set look names up in */
};

/* The symbol of multiplier k: a held value where it is the force of a contact. */
expr model_multiplier_symbol(struct model *m, int k);
/* The user's name of a symbol: x, q[1][2]', lambda.rod[2], x.enter.  Always ended; cut to capacity. */
void model_name(const struct model *m, expr symbol, char *out, size_t capacity);
/* The unit of a symbol; NULL: none is known. */
const char *model_unit(const struct model *m, expr symbol);
/* An expression in these names, as text of the language; see expr_print.h. */
size_t model_print(const struct model *m, expr e, char *out, size_t capacity);
/* Where the abs, sign, ... of a line stands, in the line itself or a `let` it uses, and its text: as written
 * if it was found on one line. */
struct syntax_span model_nonsmooth(const struct model *m, const struct source *source, expr obstacle,
                                   struct syntax_span where, char *out, size_t capacity);
/* What to do about a nonsmooth function that would have to be differentiated: which modes to write. */
void model_nonsmooth_hint(const struct model *m, expr obstacle, char *out, size_t capacity);
long model_size(const struct model_shape *s); /* elements; -1: more than LONG_MAX */
/* The value of an expression of parameters and t with the parameters' present numbers; NAN if others occur.
 */
double model_number(struct model *m, expr e, double t);
/* The same with other parameters, of all expressions in an expr_order: number[node].  Writes nothing else. */
void model_numbers(const struct model *m, const struct expr_list *order, const double *parameter, double t,
                   double *number);
void model_release(struct model *m);
#endif
