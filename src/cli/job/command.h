/* command.h - every command in one table. */
#ifndef KEEL_CLI_JOB_COMMAND_H
#define KEEL_CLI_JOB_COMMAND_H

#include <stdio.h>

struct command {
    const char *name;
    unsigned bit;         /* of option.h */
    const char *operands; /* "MODEL", "[NAME]" */
    const char *about;    /* one line */
    const char *more;     /* a paragraph; may be empty */
    const char *example, *example_says;
    int (*run)(int count, char **argv); /* argv behind the command's name; the exit status */
};
extern const struct command command_table[]; /* ends with a name NULL */
const struct command *command_find(const char *name);
const struct command *command_nearest(const char *name); /* NULL: none is near */
void command_help(const struct command *c, FILE *out);   /* usage, options, example */
void command_overview(FILE *out);

int run_command(int count, char **argv);
int sweep_command(int count, char **argv);
int show_command(int count, char **argv);
int gather_command(int count, char **argv);
int compare_command(int count, char **argv);
int converge_command(int count, char **argv);
int lyapunov_command(int count, char **argv);
int orbit_command(int count, char **argv);
int steady_command(int count, char **argv);
int section_command(int count, char **argv);
int fit_command(int count, char **argv);
int discover_command(int count, char **argv);
int methods_command(int count, char **argv);
int check_command(int count, char **argv);
int emit_command(int count, char **argv);
int new_command(int count, char **argv);
int schema_command(int count, char **argv);
int completion_command(int count, char **argv);
int reproduce_command(int count, char **argv);
int help_command(int count, char **argv);
#endif
