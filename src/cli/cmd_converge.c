/* cmd_converge.c - keel converge MODEL: halves the step and shows the observed orders. */
#include "cli/job/command.h"
#include "cli/compare/converge.h"
#include "cli/run/run_json.h"
#include "cli/terminal/stop.h"

static int any_ran(const struct converge *c) {
    for (int k = 0; k < c->levels; k++)
        if (c->level[k].trial.status == TRIAL_DONE || c->level[k].trial.status == TRIAL_STOPPED) return 1;
    return 0;
}

static int converge(struct converge *c, struct job *j) {
    if (converge_run(c, j)) return j->status;
    if (!any_ran(c) && !stop_asked())
        return job_fail(j, EXIT_FAILED, "no step led to the end of the run; the shortest, %g: %s",
                        c->level[c->levels - 1].step, c->level[c->levels - 1].trial.message);
    if (c->order && !j->messages.json && !j->messages.quiet) converge_text(c, j, stdout);
    if (stop_asked()) return stop_exit();
    const struct missing *missing = converge_missing(c);
    return missing ? job_miss(j, missing) : EXIT_DONE;
}

int converge_command(int count, char **argv) {
    struct job j;
    static struct converge c;
    stop_watch();
    int status = job_open(&j, COMMAND_CONVERGE, count, argv);
    if (status == 0 && option_given(&j.options, opt_help)) {
        command_help(command_find("converge"), stdout);
        job_close(&j);
        return EXIT_DONE;
    }
    if (status == 0) status = converge(&c, &j);
    if (j.messages.json) converge_json(&c, &j, run_json_status(status), status, stdout);
    converge_close(&c);
    job_close(&j);
    return status;
}
