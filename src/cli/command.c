/* command.c - see command.h. */
#include "cli/command.h"

#include "base/text.h"
#include "cli/option.h"

#include <string.h>

const struct command command_table[] = {
    {"run", COMMAND_RUN, "MODEL", "integrate a model and print the certificate",
     "MODEL is a file, a file without .keel, or - for standard input.", "keel run pendulum.keel --plot -",
     "runs the model over its time span and draws its states in the terminal", run_command},
    {"help", COMMAND_HELP, "[COMMAND]", "what a command does, with an example", "", "keel help run",
     "prints this page of `run`", help_command},
    {.name = NULL},
};

const struct command *command_find(const char *name) {
    for (const struct command *c = command_table; c->name; c++)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}

const struct command *command_nearest(const char *name) {
    const struct command *near = NULL;
    int least = 4;
    for (const struct command *c = command_table; c->name; c++) {
        int distance = text_distance(name, c->name);
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
    fprintf(out, "\nFirst steps: keel new pend, then keel run pend.keel --plot -\nMore: keel help COMMAND\n");
}
