/* main.c - keel COMMAND ... */
#include "cli/command.h"
#include "cli/say.h"

#include <keel.h>

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    struct say say;
    say_open(&say, NULL, 0, 0);
    if (argc < 2) {
        command_overview(stdout);
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("keel %s\n", keel_version());
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) argv[1] = "help";
    const struct command *c = command_find(argv[1]);
    if (c) return c->run(argc - 2, argv + 2);
    const struct command *near = command_nearest(argv[1]);
    if (near)
        return say_error(&say, EXIT_USAGE, "there is no command `%.40s`; did you mean %s?", argv[1],
                         near->name);
    return say_error(&say, EXIT_USAGE, "there is no command `%.40s`; `keel` alone lists them", argv[1]);
}
