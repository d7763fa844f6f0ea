/* cmd_help.c - keel help [COMMAND]. */
#include "cli/command.h"
#include "cli/say.h"

int help_command(int count, char **argv) {
    struct say say;
    say_open(&say, NULL, 0, 0);
    if (count == 0) {
        command_overview(stdout);
        return EXIT_DONE;
    }
    const struct command *c = command_find(argv[0]), *near = command_nearest(argv[0]);
    if (!c && near)
        return say_error(&say, EXIT_USAGE, "there is no command `%.40s`; did you mean %s?", argv[0],
                         near->name);
    if (!c)
        return say_error(&say, EXIT_USAGE, "there is no command `%.40s`; `keel` alone lists them", argv[0]);
    command_help(c, stdout);
    return EXIT_DONE;
}
