/* cmd_schema.c - keel schema COMMAND. */
#include "base/text.h"
#include "cli/job/command.h"
#include "cli/job/job.h"
#include "cli/schema.h"

#include <string.h>

static int print(struct job *j) {
    char all[JOB_SENTENCE] = "", near[JOB_WORD];
    for (const struct schema *s = schema_table; s->name; s++) {
        if (strcmp(s->name, j->file) == 0) {
            for (int i = 0; s->lines[i]; i++) fputs(s->lines[i], stdout);
            return EXIT_DONE;
        }
        text_add(all, sizeof all, "%s%s", all[0] ? "|" : "", s->name);
    }
    if (option_nearest(all, j->file, near, sizeof near))
        return job_fail(j, EXIT_USAGE, "there is no schema `%.40s`; did you mean %s?", j->file, near);
    return job_fail(j, EXIT_USAGE, "there is no schema `%.40s`: it is one of %s", j->file, all);
}

int schema_command(int count, char **argv) {
    static struct job j;
    int status = job_open_word(&j, COMMAND_SCHEMA, count, argv, "of which command?  As in `keel schema run`");
    if (status == 0 && option_given(&j.options, opt_help)) command_help(command_find("schema"), stdout);
    else if (status == 0) status = print(&j);
    job_close(&j);
    return status;
}
