/* command.c - see command.h. */
#include "cli/job/command.h"

#include "base/text.h"
#include "cli/job/option.h"

#include <string.h>

const struct command command_table[] = {
    {"run", COMMAND_RUN, "MODEL", "integrate a model and print the certificate",
     "MODEL is a file, a file without .keel, or - for standard input.  The certificate shows what was kept: "
     "the\n"
     "largest drift of each row over all steps, also in round-offs, the least that arithmetic can do.",
     "keel run pendulum.keel --plot -",
     "runs the model over its time span and draws its states in the terminal", run_command},
    {"sweep", COMMAND_SWEEP, "MODEL", "run a model many times, with other values each time",
     "Values of parameters and start values (g, p[2], x') come from grids and lists (--over), a table, or "
     "draws;\n"
     "--over and the table are combined in all ways.  A member that fails does not stop the others: its "
     "status\n"
     "and sentence are kept, and the status of the command is 3.  Results do not depend on --workers.",
     "keel sweep pendulum.keel --over g=1:20:200 --over l=0.5,1,2 --out swings.h5",
     "600 pendulums: the values at the end over the dimensions g and l", sweep_command},
    {"show", COMMAND_SHOW, "FILE", "what a file of keel sweep holds: its plan, its certificate, figures",
     "FILE is HDF5 (.h5, .nc).  --plot draws curves (a few members over t), a fan (quantiles over t), a map "
     "(over\n"
     "two parameters, at the end of the run), a section (events) or values over what varies; --as chooses.",
     "keel show swings.h5 --plot map.svg --columns x", "the values of x at the end over two parameters",
     show_command},
    {"gather", COMMAND_GATHER, "FILE..", "one file of the blocks that tasks of a sweep have finished",
     "FILE is what was given as --out to all tasks (--task), or a folder, or the files of blocks "
     "themselves,\n"
     "which are removed once the file is complete, unless --out gives it another name.",
     "keel gather swings.h5", "makes swings.h5 of swings.h5.keel-blocks-1, -2, ...", gather_command},
    {"compare", COMMAND_COMPARE, "MODEL", "the same problem by several methods: error, drift, cost",
     "Without --methods those that suit the problem.  Methods with error control take --rtol (1e-6), the "
     "others\n"
     "--steps; where neither is given, steps are such that the cost is about that of the first row.",
     "keel compare pendulum.keel --methods rk4,rk4+watch,rattle --steps 0.02,0.01",
     "six runs in one table; the best is marked", compare_command},
    {"converge", COMMAND_CONVERGE, "MODEL", "halve the step: errors and observed order of every variable",
     "Without an exact solution or reference digits a run with two halvings more is the yardstick.",
     "keel converge pendulum.keel --method rk4 --step 0.02 --levels 6",
     "steps 0.02 .. 0.000625, with the order of every variable, multipliers included", converge_command},
    {"lyapunov", COMMAND_LYAPUNOV, "MODEL", "how fast motions that begin side by side part",
     "All Lyapunov exponents of what the constraints allow, each with its standard error over 32 blocks of\n"
     "time.  A positive one is chaos.  An invariant adds a zero, which is left out and named.",
     "keel lyapunov lorenz.keel --tend 10000", "three exponents: about 0.906, 0 and -14.57",
     lyapunov_command},
    {"orbit", COMMAND_ORBIT, "MODEL", "a periodic orbit near the start, and how stable it is",
     "Newton's method on several segments of the period at once, along the constraints.  Orbits that come "
     "in\n"
     "families are told; --hold fixes a member.  Floquet's multipliers tell how deviations grow over a "
     "period:\n"
     "beyond 1 in size the orbit is unstable.  Without --rtol it is 1e-13.",
     "keel orbit arenstorf.keel --period 17.07 --hold x,y",
     "the start values and the period to twelve digits, and the multipliers", orbit_command},
    {"steady", COMMAND_STEADY, "MODEL", "an equilibrium near the start, and its stability",
     "Newton's method along the constraints to where nothing moves.  The eigenvalues are those of the "
     "linear\n"
     "equations in the tangent space of the constraints: of the differential-algebraic system.",
     "keel steady pendulum.keel --set y=-0.9", "hanging at rest: eigenvalues +- 3.13 i", steady_command},
    {"section", COMMAND_SECTION, "MODEL", "a Poincare section: where motions cross a plane",
     "The plane is where an expression of unknowns is zero (--plane), or an event of the model (--events).  "
     "Each\n"
     "crossing is located to round-off.  Many starts come as in `keel sweep`: --over, --draw, a table.",
     "keel section henon.keel --plane \"q[1]\" --over y0=-0.2:0.4:9 --plot section.svg --axes "
     "\"q[2],p[2]\"",
     "the crossings of nine motions, each in its colour", section_command},
    {"fit", COMMAND_FIT, "MODEL", "parameters and start values from data, with their standard deviations",
     "Least squares by Levenberg and Marquardt's method on exact sensitivities.  The data are CSV: a column "
     "t,\n"
     "columns of the model, `sigma X` where standard deviations are known, parameters that differ between\n"
     "experiments; empty fields are missing values.  The search begins at the model's own values (--set).  "
     "What\n"
     "the data cannot tell apart is named.  Without --rtol it is 1e-8.",
     "keel fit pendulum.keel --data swing.csv --fit g,l --plot swing.svg",
     "g and l with their 95 % intervals, and a picture of data, fit and residuals", fit_command},
    {"discover", COMMAND_DISCOVER, "MODEL", "invariants that nobody stated",
     "All polynomials, up to a degree, of the states and of the functions that the model uses (exp, sin, "
     "1/r, "
     "..)\n"
     "that the motion keeps.  The search is exact, in fractions; what is a product of others is left out.  "
     "Each is\n"
     "written as a line for the model, in its parameters where it holds for all their values.  --plot draws "
     "how\n"
     "constant each is along a run that does not hold it.",
     "keel discover kepler.keel", "energy, momentum and both components of the Laplace-Runge-Lenz vector",
     discover_command},
    {"methods", COMMAND_METHODS, "[NAME]", "what methods there are, and what they can take", "",
     "keel methods rk4", "order, traits, forms and stabilizers of rk4", methods_command},
    {"check", COMMAND_CHECK, "MODEL", "explain a model without integrating it",
     "Size, index, degrees of freedom, hidden constraints, where each start value comes from,\n"
     "whether every invariant is one, and a command to try.  An invariant is strong if it is conserved\n"
     "wherever the constraints hold, weak if only where the other invariants have their values too; this is\n"
     "proved by the form of the model, or sampled at many points.",
     "keel check pendulum.keel", "shows that the rod hides a constraint between the velocities",
     check_command},
    {"reproduce", COMMAND_REPRODUCE, "[PAPER [ITEM]]",
     "the tables and figures of papers, printed and measured",
     "PAPER is adjust2007, gonzalez1999, lecture13, liu2006 or liu2013, or a file of claims; ITEM one of "
     "its\n"
     "tables, figures and examples (--list names them); a figure is measured with the item that draws it, "
     "and\n"
     "drawn by --plot.  Without either: all that takes seconds.  Each line shows the printed\n"
     "figure, the measured one and a verdict, under the command that measures it; `keel run paper:NAME` "
     "runs\n"
     "a model of a paper alone.  Verdicts: digits agree, holds (a sentence, as a number), round-off, better "
     "(an\n"
     "error that is smaller than printed), misprint, cannot be (it contradicts itself or arithmetic), "
     "explained,\n"
     "same order, differs, refused.  --plot draws the figures into a folder, several runs in one figure.  "
     "The\n"
     "status is 1 if a verdict is worse than the recorded one.",
     "keel reproduce liu2006 table2", "runs the methods of that table and compares every digit",
     reproduce_command},
    {"emit", COMMAND_EMIT, "MODEL", "the model as one C file that needs keel alone",
     "Without --out it goes to standard output.  What events do is carried out as by keel run.",
     "keel emit pendulum.keel --out pendulum.c",
     "writes pendulum.c with pendulum_problem(), and a main() under KEEL_MODEL_MAIN", emit_command},
    {"new", COMMAND_NEW, "NAME", "write a commented starter model",
     "NAME may have a folder and .keel.  What exists is never overwritten.  `keel help language` describes\n"
     "how models are written.",
     "keel new pend", "writes pend.keel, a pendulum to run and to change", new_command},
    {"schema", COMMAND_SCHEMA, "COMMAND", "the JSON schema of what a command says with --json", "",
     "keel schema run", "prints the schema of `keel run --json`", schema_command},
    {"completion", COMMAND_COMPLETION, "SHELL", "what lets the shell complete commands, options and files",
     "SHELL is bash or zsh.", "eval \"$(keel completion bash)\"",
     "in ~/.bashrc: the tab key completes from then on", completion_command},
    {"help", COMMAND_HELP, "[COMMAND]", "what a command does, with an example",
     "`keel help language` describes how models are written.", "keel help run",
     "prints the page of `keel run`", help_command},
    {.name = NULL},
};

const struct command *command_find(const char *name) {
    for (const struct command *c = command_table; c->name; c++)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}

const struct command *command_nearest(const char *name) {
    const struct command *near = NULL;
    int least = TEXT_FAR;
    for (const struct command *c = command_table; c->name; c++) {
        int distance = text_slip(name, c->name);
        if (distance < least) least = distance, near = c;
    }
    return near;
}

void command_help(const struct command *c, FILE *out) {
    fprintf(out, "keel %s %s [options]: %s\n", c->name, c->operands, c->about);
    if (c->more[0]) fprintf(out, "%s\n", c->more);
    fprintf(out, "\nExample: %s\n  %s\n\nOptions:\n", c->example, c->example_says);
    option_help(out, c->bit);
}

void command_overview(FILE *out) {
    fprintf(out, "keel integrates equations without losing what the true solution keeps.\n\n");
    for (const struct command *c = command_table; c->name; c++) {
        char left[60];
        text_set(left, sizeof left, "keel %s %s", c->name, c->operands);
        fprintf(out, "  %-26s %s\n", left, c->about);
    }
    fprintf(out, "\nFirst steps:\n"
                 "  keel new pend                  writes pend.keel, a commented pendulum\n"
                 "  keel check pend.keel           what it hides, and where it starts\n"
                 "  keel run pend.keel             integrates it and prints the certificate\n"
                 "\n`keel help COMMAND` or `keel COMMAND --help` tells more, `keel help language` how models "
                 "are written;\n"
                 "--version is the version, and how it was built.\n");
}
