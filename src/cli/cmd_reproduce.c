/* cmd_reproduce.c - keel reproduce [PAPER [ITEM]]: the tables and figures of papers, printed and measured. */
#include "base/text.h"
#include "cli/job/command.h"
#include "cli/plots/gnuplot.h"
#include "cli/papers/figure.h"
#include "cli/papers/reproduce.h"
#include "cli/terminal/stop.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* The figures of an item into the folder of --plot, or the one that was asked for; how many could not be
 * drawn. */
static int draw(const struct reproduce *r, const struct claims *c, int item, const struct job *j) {
    const char *folder = option_text(&j->options, opt_plot);
    int missing = 0, only = r->item ? claims_drawn(c, item, r->item) : -1;
    if (only >= 0 && strcmp(c->item[item].name, r->item) == 0) only = -1; /* an item draws all its own */
    for (int k = 0; folder && k < c->draws && !stop_asked(); k++) {
        char path[JOB_SENTENCE], why[JOB_SENTENCE];
        if (c->draw[k].item != item || (only >= 0 && k != only)) continue;
        text_set(path, sizeof path, "%.400s/%.80s-%.80s.svg", folder, c->name, c->draw[k].name);
        if (figure_draw(c, k, path, option_given(&j->options, opt_force), why, sizeof why) == 0) continue;
        message_error(&j->messages, 0, "%s", why);
        missing++;
    }
    return missing;
}

/* The folder is made if it is not there. */
static int open_folder(struct job *j) {
    const char *folder = option_text(&j->options, opt_plot);
    if (!folder) return 0;
    if (!gnuplot_there()) return job_fail(j, EXIT_FAILED, "%s", GNUPLOT_MISSING);
    if (mkdir(folder, 0777) == 0) return 0;
    int error = errno;
    struct stat about;
    if (stat(folder, &about) == 0 && S_ISDIR(about.st_mode)) return 0;
    return job_fail(j, EXIT_USAGE, "--plot %.200s: the folder cannot be made: %s", folder, strerror(error));
}

static int reproduce(struct reproduce *r, struct job *j) {
    int text = !j->messages.json && !j->messages.quiet, missing = 0;
    if (reproduce_open(r, j)) return j->status;
    if (r->listed) {
        for (int p = 0; p < r->papers && !j->messages.json; p++) {
            if (p) fputc('\n', stdout);
            reproduce_text_paper(&r->paper[p], j, stdout);
            reproduce_text_names(r, &r->paper[p], stdout);
        }
        return EXIT_DONE;
    }
    if (open_folder(j)) return j->status;
    for (int p = 0; p < r->papers; p++) {
        struct claims *c = &r->paper[p];
        if (text && p) fputc('\n', stdout);
        if (text) reproduce_text_paper(c, j, stdout);
        for (int i = 0; i < c->items && !stop_asked(); i++) {
            if (!reproduce_wanted(r, c, i)) continue;
            reproduce_item(r, c, i);
            if (memory_is_out()) return job_no_memory(j);
            if (text) reproduce_text_item(r, c, i, j, stdout), fflush(stdout);
            missing += draw(r, c, i, j);
            if (memory_is_out()) return job_no_memory(j);
        }
    }
    if (text) reproduce_text_end(r, j, stdout);
    if (text && r->item && !option_given(&j->options, opt_plot))
        for (int i = 0; i < r->paper[0].items; i++)
            if (claims_drawn(&r->paper[0], i, r->item) >= 0) printf("--plot DIR draws %s\n", r->item);
    if (stop_asked()) return stop_exit();
    if (r->worse) return job_fail(j, EXIT_FAILED, "%d lines are worse than recorded", r->worse);
    if (missing) return job_fail(j, EXIT_FAILED, "%d figures could not be drawn", missing);
    return EXIT_DONE;
}

int reproduce_command(int count, char **argv) {
    static struct job j;
    static struct reproduce r;
    struct options *o = &j.options;
    char why[JOB_SENTENCE];
    int status = EXIT_DONE, wrong = option_parse(o, COMMAND_REPRODUCE, count, argv, why, sizeof why);
    message_open(&j.messages, option_text(o, opt_color), option_given(o, opt_quiet),
                 option_given(o, opt_json));
    if (wrong) status = job_fail(&j, EXIT_USAGE, "%s", why);
    else if (option_given(o, opt_help)) command_help(command_find("reproduce"), stdout);
    else {
        stop_watch();
        status = reproduce(&r, &j);
    }
    if (j.messages.json && !option_given(o, opt_help))
        reproduce_json(&r, &j,
                       stop_asked()  ? "interrupted"
                       : status == 0 ? "done"
                                     : "failed",
                       status, stdout);
    reproduce_close(&r);
    job_close(&j);
    return status;
}
