/* cmd_compare.c - keel compare MODEL: the same problem by several methods. */
#include "cli/job/command.h"
#include "cli/compare/compare.h"
#include "cli/job/output.h"
#include "cli/run/run_json.h"
#include "cli/terminal/stop.h"

#include <string.h>

static int open_file(struct job *j, struct file *file) {
    const char *path = option_text(&j->options, opt_out);
    size_t length = path ? strlen(path) : 0;
    if (!path) return 0;
    if (length < 5 || strcmp(path + length - 4, ".csv") != 0)
        return job_fail(j, EXIT_USAGE, "--out %s: the name must end in .csv", path);
    return output_open(j, file, path, KIND_CSV);
}

static int write_file(const struct compare *c, struct job *j, struct file *file) {
    char why[JOB_SENTENCE];
    if (!file->stream) return 0;
    compare_csv(c, j, file->stream);
    if (stop_asked()) fputs("# status: interrupted\n", file->stream);
    return file_keep(file, why, sizeof why) ? job_fail(j, EXIT_FAILED, "%s", why) : 0;
}

static int any_done(const struct compare *c) {
    for (int i = 0; i < c->count; i++)
        if (c->row[i].status == TRIAL_DONE || c->row[i].status == TRIAL_STOPPED) return 1;
    return 0;
}

static int compare(struct compare *c, struct job *j, struct file *file, struct plot *plot) {
    if (compare_open(c, j) || open_file(j, file) || plot_open(plot, j) || compare_run(c, j)) return j->status;
    if (memory_is_out()) return job_no_memory(j);
    compare_mark_best(c);
    if (!j->messages.json && !j->messages.quiet) compare_text(c, j, stdout);
    if (write_file(c, j, file)) return j->status;
    if (any_done(c) && compare_plot(c, j, plot)) return j->status;
    if (stop_asked()) return stop_exit();
    if (!any_done(c)) return job_fail(j, EXIT_FAILED, "none of the methods could solve it");
    return c->missing.count ? job_miss(j, &c->missing) : EXIT_DONE;
}

int compare_command(int count, char **argv) {
    struct job j;
    struct compare c = {0};
    struct file file = {0};
    struct plot plot = {0};
    stop_watch();
    int status = job_open(&j, COMMAND_COMPARE, count, argv);
    if (status == 0 && option_given(&j.options, opt_help)) {
        command_help(command_find("compare"), stdout);
        job_close(&j);
        return EXIT_DONE;
    }
    if (status == 0) status = compare(&c, &j, &file, &plot);
    file_drop(&file);
    plot_drop(&plot);
    if (j.messages.json) compare_json(&c, &j, run_json_status(status), status, stdout);
    compare_close(&c);
    job_close(&j);
    return status;
}
