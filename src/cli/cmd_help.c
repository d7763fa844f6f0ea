/* cmd_help.c - keel help [COMMAND], for the screen or as a manual page. */
#include "cli/job/command.h"
#include "cli/job/job.h"
#include "cli/job/man.h"

#include <string.h>

extern const char *const help_language[]; /* docs/language.md, line by line; ends with NULL */

static int print(struct job *j, int man) {
    const struct command *c = j->file ? command_find(j->file) : NULL,
                         *near = j->file ? command_nearest(j->file) : NULL;
    if (!j->file) {
        if (man) man_overview(stdout);
        else command_overview(stdout);
        return EXIT_DONE;
    }
    if (!man && strcmp(j->file, "language") == 0) {
        for (int i = 0; help_language[i]; i++) fputs(help_language[i], stdout);
        return EXIT_DONE;
    }
    if (!c && near)
        return job_fail(j, EXIT_USAGE, "there is no command `%.40s`; did you mean %s?", j->file, near->name);
    if (!c) return job_fail(j, EXIT_USAGE, "there is no command `%.40s`; `keel` alone lists them", j->file);
    if (man) man_page(c, stdout);
    else command_help(c, stdout);
    return EXIT_DONE;
}

int help_command(int count, char **argv) {
    static struct job j;
    int status = job_open_word(&j, COMMAND_HELP, count, argv, NULL);
    if (status == 0 && option_given(&j.options, opt_help)) command_help(command_find("help"), stdout);
    else if (status == 0) status = print(&j, option_given(&j.options, opt_man));
    job_close(&j);
    return status;
}
