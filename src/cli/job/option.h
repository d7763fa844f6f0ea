/* option.h - every option of every command: parsing, help, man pages and completion read these rows.
 *
 * The options of a run are the library's own (keel/options.h); the list here has those of the command. */
#ifndef KEEL_CLI_JOB_OPTION_H
#define KEEL_CLI_JOB_OPTION_H

#include <keel/options.h>

#include <stddef.h>
#include <stdio.h>

/* Commands, as bits of what an option belongs to. */
enum {
    COMMAND_RUN = 1,
    COMMAND_CHECK = 2,
    COMMAND_COMPARE = 4,
    COMMAND_CONVERGE = 8,
    COMMAND_METHODS = 16,
    COMMAND_EMIT = 32,
    COMMAND_NEW = 64,
    COMMAND_SCHEMA = 128,
    COMMAND_COMPLETION = 256,
    COMMAND_HELP = 512,
    COMMAND_REPRODUCE = 1024,
    COMMAND_SWEEP = 2048,
    COMMAND_GATHER = 4096,
    COMMAND_SHOW = 8192,
    COMMAND_LYAPUNOV = 16384,
    COMMAND_DISCOVER = 32768,
    COMMAND_FIT = 65536,
    COMMAND_ORBIT = 131072,
    COMMAND_STEADY = 262144,
    COMMAND_SECTION = 524288,
    COMMAND_TANGENT =
        COMMAND_LYAPUNOV | COMMAND_ORBIT | COMMAND_STEADY,             /* sensitivities to all start values */
    COMMAND_ANALYSE = COMMAND_TANGENT | COMMAND_FIT | COMMAND_SECTION, /* questions beyond one run */
    COMMAND_SOLVE = COMMAND_RUN | COMMAND_COMPARE | COMMAND_CONVERGE | COMMAND_SWEEP | COMMAND_ANALYSE,
    COMMAND_MODEL = COMMAND_SOLVE | COMMAND_CHECK | COMMAND_EMIT | COMMAND_DISCOVER,
    COMMAND_ALL = 1048575
};

enum option_kind {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_NUMBER, /* an expression of the model's parameters, or of some a list of them */
    OPTION_COUNT,  /* a whole number */
    OPTION_CHOICE, /* one word of `choices` */
    OPTION_FILE
};

/* Who may give it.  A model names methods and numbers; what touches files, runs programs or changes what is
 * shown is for the person at the command line. */
enum option_source { OPTION_LINE, OPTION_MODEL };

#define OPTION_LIST(X)                                                                                       \
    X(methods, TEXT, MODEL, "A,B,..", NULL, COMMAND_COMPARE, "methods to compare, as in rk4,dop853+project") \
    X(preserve, CHOICE, MODEL, "S", OPTION_STABILIZERS, COMMAND_SOLVE,                                       \
      "the stabilizer: what holds the kept rows")                                                            \
    X(steps, TEXT, MODEL, "H1,H2,..", NULL, COMMAND_COMPARE, "fixed steps, one row of the table each")       \
    X(levels, COUNT, MODEL, "N", NULL, COMMAND_CONVERGE, "how often the step is halved (6)")                 \
    X(clock, TEXT, MODEL, "EXPR", NULL, COMMAND_SOLVE | COMMAND_EMIT,                                        \
      "steps, --step too, by tau, dt = EXPR dtau, as r^1.5 for long orbits, or auto; none: by t")            \
    X(t0, NUMBER, LINE, "T", NULL, COMMAND_MODEL, "start time instead of the model's")                       \
    X(tend, NUMBER, LINE, "T", NULL, COMMAND_MODEL, "end time instead of the model's")                       \
    X(set, TEXT, LINE, "A=3", NULL, COMMAND_MODEL,                                                           \
      "replace a parameter, or a start value as in \"y'=0.1\"; repeatable")                                  \
    X(sensitivity, TEXT, LINE, "A,B,..", NULL, COMMAND_RUN | COMMAND_SWEEP | COMMAND_EMIT,                   \
      "columns `d/dA x` too: how the motion depends on parameters and start values")                         \
    X(transient, NUMBER, LINE, "T", NULL, COMMAND_LYAPUNOV,                                                  \
      "the time before counting begins (a tenth of the run)")                                                \
    X(plane, TEXT, LINE, "EXPR", NULL, COMMAND_SECTION, "points where EXPR goes through zero")               \
    X(direction, CHOICE, LINE, "D", "rising|falling|crossing", COMMAND_SECTION,                              \
      "how EXPR goes through zero (rising)")                                                                 \
    X(period, NUMBER, LINE, "T", NULL, COMMAND_ORBIT,                                                        \
      "about; of equations with t exactly (as the run first comes back to its start)")                       \
    X(hold, TEXT, LINE, "A,B,..", NULL, COMMAND_ORBIT | COMMAND_STEADY,                                      \
      "what stays as it is at the start: states, invariants, `period`")                                      \
    X(segments, COUNT, LINE, "N", NULL, COMMAND_ORBIT, "of the period, each shot at by itself (10)")         \
    X(data, FILE, LINE, "FILE.csv", NULL, COMMAND_FIT,                                                       \
      "what was measured: t and columns of the model; repeatable: more experiments")                         \
    X(fit, TEXT, LINE, "A,B,..", NULL, COMMAND_FIT, "the parameters and start values to be found")           \
    X(bounds, TEXT, LINE, "A=0:9", NULL, COMMAND_FIT, "A stays within, as in A=0:9, A=0:; repeatable")       \
    X(sigma, TEXT, LINE, "X=0.1", NULL, COMMAND_FIT,                                                         \
      "the standard deviation of a column (estimated, if the data have no `sigma X`); repeatable")           \
    X(experiment, TEXT, LINE, "NAME", NULL, COMMAND_FIT,                                                     \
      "rows that differ in this column of the data are different experiments")                               \
    X(degree, COUNT, LINE, "N", NULL, COMMAND_DISCOVER,                                                      \
      "of the polynomials (up to 4, as far as --limit allows)")                                              \
    X(functions, TEXT, LINE, "F,G,..", NULL, COMMAND_DISCOVER,                                               \
      "beside those that the model uses, as in \"log(x), 1/(x^2 + y^2)\"")                                   \
    X(limit, COUNT, LINE, "N", NULL, COMMAND_DISCOVER, "the most monomials (2000: some seconds)")            \
    X(over, TEXT, LINE, "A=1:9:5", NULL, COMMAND_SWEEP | COMMAND_SECTION,                                    \
      "from:to:count or v1,v2,..: a parameter or start value; repeatable: all combinations")                 \
    X(zip, FLAG, LINE, NULL, NULL, COMMAND_SWEEP | COMMAND_SECTION, "the lists of --over go side by side")   \
    X(table, FILE, LINE, "FILE", NULL, COMMAND_SWEEP | COMMAND_SECTION,                                      \
      "a column for each value, a line for each member: .csv, or datasets of .h5")                           \
    X(draw, TEXT, LINE, "A=D(a,b)", NULL, COMMAND_SWEEP | COMMAND_SECTION,                                   \
      "draw a value: uniform(from,to), normal(mean,deviation), lognormal(..); repeatable")                   \
    X(count, NUMBER, LINE, "N", NULL, COMMAND_SWEEP | COMMAND_SECTION,                                       \
      "how many members are drawn, for each combination")                                                    \
    X(seed, TEXT, LINE, "N", NULL, COMMAND_SWEEP | COMMAND_SECTION | COMMAND_DISCOVER, "of the draws (1)")   \
    X(sample, CHOICE, LINE, "HOW", "random|sobol|latin", COMMAND_SWEEP | COMMAND_SECTION,                    \
      "how draws are spread (random)")                                                                       \
    X(points, COUNT, MODEL, "N", NULL, COMMAND_RUN, "output times, ends included (1000)")                    \
    X(log, FLAG, MODEL, NULL, NULL, COMMAND_RUN, "output times evenly spaced in log t")                      \
    X(every, NUMBER, MODEL, "DT", NULL, COMMAND_RUN | COMMAND_SWEEP, "output times DT apart")                \
    X(at, TEXT, MODEL, "T1,T2,..", NULL, COMMAND_RUN | COMMAND_SWEEP, "output at these times")               \
    X(like, FILE, LINE, "FILE.h5:N", NULL, COMMAND_RUN, "member N of a sweep, with its values and options")  \
    X(columns, TEXT, LINE, "X,Y,..", NULL, COMMAND_SWEEP | COMMAND_SHOW | COMMAND_FIT | COMMAND_SECTION,     \
      "keep these columns alone (show: draw these; fit: those of the data that count)")                      \
    X(extrema, FLAG, LINE, NULL, NULL, COMMAND_SWEEP,                                                        \
      "smallest, largest and mean of each column over the run, too")                                         \
    X(steps_out, FLAG, MODEL, NULL, NULL, COMMAND_RUN, "output at every accepted step")                      \
    X(out, FILE, LINE, "FILE", NULL,                                                                         \
      COMMAND_RUN | COMMAND_COMPARE | COMMAND_EMIT | COMMAND_SWEEP | COMMAND_GATHER | COMMAND_FIT |          \
          COMMAND_ORBIT | COMMAND_SECTION,                                                                   \
      "results: .csv or .h5 (emit: the C file)")                                                             \
    X(events, FILE, LINE, "FILE.csv", NULL, COMMAND_RUN | COMMAND_SWEEP | COMMAND_SECTION,                   \
      "one row for every event (sweep, section: the NAME of an event to keep)")                              \
    X(plot, FILE, LINE, "FILE", NULL,                                                                        \
      COMMAND_RUN | COMMAND_COMPARE | COMMAND_REPRODUCE | COMMAND_SHOW | COMMAND_FIT | COMMAND_ORBIT |       \
          COMMAND_STEADY | COMMAND_SECTION | COMMAND_LYAPUNOV | COMMAND_DISCOVER,                            \
      "draw: .svg, .png or .pdf; - draws in the terminal (reproduce: a folder)")                             \
    X(full, FLAG, LINE, NULL, NULL, COMMAND_REPRODUCE, "the long tables, too: 10^5 periods")                 \
    X(list, FLAG, LINE, NULL, NULL, COMMAND_REPRODUCE, "what items there are and which figures they draw")   \
    X(as, CHOICE, LINE, "CHART", SHOW_CHARTS, COMMAND_SHOW,                                                  \
      "what --plot draws (by default what suits the file)")                                                  \
    X(axes, TEXT, MODEL, "X,Y,..", NULL, COMMAND_RUN | COMMAND_SHOW | COMMAND_ORBIT | COMMAND_SECTION,       \
      "what a panel of the plot shows: the first against the others; repeatable")                            \
    X(report, FILE, LINE, "FILE.html", NULL, COMMAND_RUN,                                                    \
      "one self-contained page with certificate, analysis and plots")                                        \
    X(checkpoint, FILE, LINE, "FILE", NULL, COMMAND_RUN, "save the state of the run there, again and again") \
    X(checkpoint_every, NUMBER, LINE, "S", NULL, COMMAND_RUN, "seconds between checkpoints (60)")            \
    X(resume, FILE, LINE, "FILE", NULL, COMMAND_RUN | COMMAND_SWEEP,                                         \
      "go on from a checkpoint (sweep: with the --out FILE of an interrupted one)")                          \
    X(retry_failed, FILE, LINE, "FILE.h5", NULL, COMMAND_SWEEP,                                              \
      "run the failed members of a finished sweep again, with the options of a run given here")              \
    X(accuracy, CHOICE, MODEL, "WHEN", "auto|yes|no", COMMAND_RUN,                                           \
      "measure the errors by a tighter rerun (auto: after runs below a second)")                             \
    X(summary, TEXT, LINE, "S1,S2,..", NULL, COMMAND_SWEEP,                                                  \
      "of the columns over all members: count, mean, std, min, max, quantiles q05, q50, ..")                 \
    X(workers, COUNT, LINE, "N", NULL, COMMAND_SWEEP | COMMAND_SECTION, "threads (one for each core)")       \
    X(task, TEXT, LINE, "I/N", NULL, COMMAND_SWEEP,                                                          \
      "do part I of N alone, or `slurm`: that of the array job; `keel gather` makes the file")               \
    X(lanes, COUNT, LINE, "N", NULL, COMMAND_SWEEP,                                                          \
      "members side by side in a vector: 1, 2, 4 or 8 (by itself)")                                          \
    X(device, CHOICE, LINE, "D", "cores|gpu", COMMAND_SWEEP,                                                 \
      "where members run: on the cores, or on a GPU by nvcc's kernels (cores)")                              \
    X(force, FLAG, LINE, NULL, NULL,                                                                         \
      COMMAND_RUN | COMMAND_COMPARE | COMMAND_EMIT | COMMAND_REPRODUCE | COMMAND_SWEEP | COMMAND_GATHER |    \
          COMMAND_SHOW | COMMAND_FIT | COMMAND_ORBIT | COMMAND_STEADY | COMMAND_SECTION | COMMAND_LYAPUNOV | \
          COMMAND_DISCOVER,                                                                                  \
      "replace files that keel has not written, and links, too")                                             \
    X(kind, CHOICE, LINE, "K", "pendulum|ode|hamiltonian|dae|modes|mechanics|parts|circuit|table",           \
      COMMAND_NEW, "what the starter model shows (pendulum)")                                                \
    X(man, FLAG, LINE, NULL, NULL, COMMAND_HELP, "as a manual page, in the language of man(7)")              \
    X(interpret, FLAG, LINE, NULL, NULL, COMMAND_SOLVE, "no compiler: the same results, more slowly")        \
    X(compile_limit, COUNT, LINE, "S", NULL, COMMAND_SOLVE,                                                  \
      "seconds the C compiler may take (60, more for large models)")                                         \
    X(json, FLAG, LINE, NULL, NULL, COMMAND_ALL & ~(COMMAND_SCHEMA | COMMAND_COMPLETION | COMMAND_HELP),     \
      "one JSON object on standard output and nothing else")                                                 \
    X(quiet, FLAG, LINE, NULL, NULL, COMMAND_ALL, "only errors")                                             \
    X(color, CHOICE, LINE, "WHEN", "auto|always|never", COMMAND_ALL,                                         \
      "colours (auto: on a terminal, unless NO_COLOR is set)")                                               \
    X(help, FLAG, LINE, NULL, NULL, COMMAND_ALL, "what the command does, with an example")

#define SHOW_CHARTS "curves|fan|map|section|values"
#define OPTION_STABILIZERS "" /* those that the library lists: see option_choices */

/* First the fields of the library by their numbers, for which there is room enough; then those above. */
enum { OPTION_FIELDS = 48 };
enum option_id {
    OPTION_BEFORE = OPTION_FIELDS - 1,
#define OPTION_ID(id, kind, source, argument, choices, commands, about) opt_##id,
    OPTION_LIST(OPTION_ID)
#undef OPTION_ID
        OPTIONS
};

struct option_row {
    const char *name; /* with _ inside: max_step; NULL: there is none with this number */
    const char *argument, *choices, *about;
    enum option_kind kind;
    enum option_source source;
    unsigned commands;
    const keel_field *field; /* of the library; NULL: the command's own */
};
struct option_row option_row(int id);
const char *option_choices(const struct option_row *row); /* "a|b|c"; NULL: it takes any text */
/* The number of a field by its place in keel_options. */
int option_field(size_t offset);
#define OPTION_OF(member) option_field(offsetof(keel_options, member))

/* What was given.  Texts point into argv or the model. */
struct option_value {
    const char **text;
    int count, capacity;
    int by_model; /* from the model's `options` line */
};
struct options {
    struct option_value value[OPTIONS];
    const char **operand;
    int operands;
};

/* argv[0 .. count) behind the command's name.  0, or -1 with a sentence in `why`: wrong usage. */
int option_parse(struct options *o, unsigned command, int count, char **argv, char *why, size_t capacity);
/* The words of a line whose options `keep` wants, to out[count]; words that are no options have the id -1.
 * How many. */
int option_words(unsigned command, int count, char **argv, int (*keep)(const void *user, int id),
                 const void *user, char **out);
/* One entry of a model's `options`, which the command line overrides; as above. */
int option_of_model(struct options *o, unsigned command, const char *name, const char *value, char *why,
                    size_t capacity);
/* One more value of an option, as if it stood on the line; as above. */
int option_add(struct options *o, int id, const char *value, char *why, size_t capacity);
void option_release(struct options *o);
/* Has it to do with the numbers of a run?  Others say where they go and how they are shown. */
int option_of_numbers(int id);
int option_given(const struct options *o, int id);
const char *option_text(const struct options *o, int id); /* the last one; NULL: not given */
/* What it does, with the methods or stabilizers it belongs to: "taylor: order, .." */
void option_about(const struct option_row *row, char *out, size_t capacity);
/* The options of a command as a list with their explanations. */
void option_help(FILE *out, unsigned command);
void option_name(int id, char *out, size_t capacity); /* as it is written: max-step */
/* A sentence of the library with the names of the command: options.max_step is --max-step. */
void option_told(const char *sentence, char *out, size_t capacity);
/* Which word of a "|"-list it is, from 1 on; 0: none. */
int option_choice(const char *choices, const char *word);
/* The word of such a list that is nearest to `word`; NULL: none is near. */
const char *option_nearest(const char *choices, const char *word, char *out, size_t capacity);
#endif
