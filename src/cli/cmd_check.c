/* cmd_check.c - keel check MODEL: what the analysis says about a model, without integrating it. */
#include "base/text.h"
#include "cli/check.h"
#include "cli/job/choose.h"
#include "cli/job/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sentence about an invariant that the start refused: name and rate of the i-th one. */
static int refused(const struct check *c, int i, struct check_invariant *out) {
    static char name[JOB_SENTENCE], point[JOB_SENTENCE];
    keel_diagnostic d;
    for (int k = 0; c->job.model && keel_model_diagnostic(c->job.model, k, &d); k++) {
        const char *claim = strstr(d.sentence, "` is not conserved"),
                   *rate = strstr(d.sentence, "its rate is "), *at = strstr(d.sentence, ") at t = ");
        if (d.sentence[0] != '`' || !claim || i-- > 0) continue;
        text_set(name, sizeof name, "%.*s", (int)(claim - d.sentence - 1), d.sentence + 1);
        text_set(point, sizeof point, "%s", at ? at + 5 : "");
        size_t length = 0;
        for (const char *from = point; *from; from++)
            if (*from != '`') point[length++] = *from;
        while (length && point[length - 1] == '.') length--;
        point[length] = '\0';
        *out = (struct check_invariant){name, "false", 0, rate ? strtod(rate + 12, NULL) : NAN,
                                        at ? point : NULL};
        return 1;
    }
    return 0;
}

int check_invariant(const struct check *c, int i, struct check_invariant *out) {
    keel_row row;
    if (!c->sim) return refused(c, i, out);
    for (int k = 0; keel_row_at(keel_sim_solver(c->sim), k, &row); k++) {
        if ((row.kind != KEEL_ROW_ENERGY && row.kind != KEEL_ROW_INVARIANT) ||
            row.treatment == KEEL_ROW_VARYING)
            continue;
        if (i-- > 0) continue;
        int proved = keel_model_proved(c->model, keel_model_start(c->model), row.name);
        *out = (struct check_invariant){row.name, row.verdict == KEEL_WEAK ? "weak" : "strong", proved,
                                        proved ? 0 : NAN, NULL};
        return 1;
    }
    return 0;
}

/* A file name as a shell takes it. */
static void quote(char *out, size_t capacity, const char *name) {
    size_t plain = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:,@%");
    if (name[0] && name[plain] == '\0') {
        text_set(out, capacity, "%s", name);
        return;
    }
    text_set(out, capacity, "'");
    for (; *name; name++) text_add(out, capacity, *name == '\'' ? "'\\''" : "%c", *name);
    text_add(out, capacity, "'");
}

/* A ten-thousandth of the run as 1, 2 or 5 times a power of ten. */
static double round_step(double span) {
    double h = fabs(span) / 10000, power = pow(10, floor(log10(h))), digit = h / power;
    return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

/* The analysis goes by t; whether the model could be run by its own clock is looked at here. */
static int try_clock(struct check *c) {
    struct job *j = &c->job;
    const char *name, *value, *clock = NULL, *text = keel_model_text(c->model);
    const struct option_value *set = &j->options.value[opt_set];
    keel_diagnostic said;
    for (int i = 0; keel_model_option(c->model, i, &name, &value); i++)
        if (strcmp(name, "clock") == 0) clock = value;
    if (!clock) return 0;
    keel_model_options o = {.set = set->text, .sets = set->count, .interpret = 1, .without_start = 1};
    o.clock = clock;
    keel_model *m = keel_model_read(j->path, text, strlen(text), &o);
    if (keel_model_status(m) == KEEL_EINVAL && keel_model_diagnostic(m, 0, &said))
        job_fail(j, EXIT_FAILED, "the model's `options`: %s", said.sentence);
    if (!m || keel_model_status(m) == KEEL_ENOMEM) job_no_memory(j);
    keel_model_close(m);
    return j->status;
}

/* What to try: the model's own method, one with the geometry of the model, or the default.  A wrong `options`
 * line is the model's mistake. */
static int suggest(struct check *c) {
    struct job *j = &c->job;
    char file[JOB_SENTENCE];
    const char *name, *value, *own = NULL,
                              *fixed = choose_method(c->model, CHOOSE_FIXED, c->why, sizeof c->why);
    quote(file, sizeof file, j->path);
    for (int i = 0; keel_model_option(c->model, i, &name, &value); i++)
        if (strcmp(name, "method") == 0) own = value;
    if (keel_model_option(c->model, 0, &name, &value) && job_model_run(j)) {
        char why[JOB_SENTENCE];
        text_set(why, sizeof why, "%s", j->sentence);
        return job_fail(j, EXIT_FAILED, "%s", why);
    }
    if (own) {
        text_set(c->method, sizeof c->method, "%.39s", own);
        text_set(c->why, sizeof c->why, "the model's own options");
        text_set(c->command, sizeof c->command, "keel run %s", file);
    } else if (strcmp(fixed, "rattle") == 0) {
        text_set(c->method, sizeof c->method, "rattle");
        text_set(c->why, sizeof c->why, "symplectic, constrained; drift-free over long times");
        text_set(c->command, sizeof c->command, "keel run %s --method rattle --step %g", file,
                 round_step(j->t1 - j->t0));
    } else {
        text_set(c->method, sizeof c->method, "%s",
                 choose_method(c->model, CHOOSE_ADAPTIVE, c->why, sizeof c->why));
        text_set(c->command, sizeof c->command, "keel run %s --rtol 1e-9", file);
        if (c->stiff > 0) text_add(c->why, sizeof c->why, "; a stiff method where it is stiff");
    }
    if (j->path && strcmp(j->file, "-") == 0) c->command[0] = '\0';
    return 0;
}

static int open_start(struct check *c) {
    struct job *j = &c->job;
    c->sim = keel_sim_open(j->model, NULL);
    if (!c->sim) return job_no_memory(j);
    if (!keel_sim_solver(c->sim) || keel_state_of(keel_sim_solver(c->sim)) < 0) {
        job_fail(j, EXIT_FAILED, "%s", job_why(c->sim));
        keel_sim_close(c->sim);
        c->sim = NULL;
        return j->status;
    }
    c->value = calloc((size_t)keel_sim_columns(c->sim) + 1, sizeof *c->value);
    if (!c->value) return job_no_memory(j);
    if (keel_sim_values(c->sim, c->value) == KEEL_OK) return 0;
    return job_fail(j, EXIT_FAILED, "the start: %s", job_why(c->sim));
}

/* An unknown on which nothing else depends may have no value: said as `keel run` says it. */
static int report_missing(struct check *c) {
    int columns = c->value ? keel_sim_columns(c->sim) : 0, told = 0;
    for (int i = 0; i < columns; i++) {
        if (keel_sim_column_kind(c->sim, i) == KEEL_COLUMN_OUTPUT || isfinite(c->value[i])) continue;
        if (!told++ && !c->job.messages.json)
            message_error(&c->job.messages, 0, "`%.60s` %s at the start", keel_sim_column(c->sim, i),
                          isnan(c->value[i]) ? "has no value" : "is infinite");
    }
    return told ? EXIT_MISSING : EXIT_DONE;
}

/* Where a motion begins its fast parts may still be asleep: the first steps wake them. */
static int take_first_steps(struct check *c, keel_time_scales *now) {
    enum { FEW = 20, SMALL = 100 };
    keel_mode mode = {0};
    keel_status status = KEEL_RETRY;
    if (!keel_model_mode(c->model, keel_model_start(c->model), &mode) || mode.problem->n > SMALL) return 0;
    keel_sim *s = keel_sim_open(c->model, NULL);
    if (!s) return job_no_memory(&c->job);
    for (int k = 0; k < FEW && keel_time(keel_sim_solver(s)) != c->job.t1; k++)
        if (keel_sim_step(s, c->job.t1) != KEEL_OK) break;
    if (keel_sim_mode(s) == keel_model_start(c->model)) status = keel_time_scales_at(keel_sim_solver(s), now);
    keel_sim_close(s);
    if (status == KEEL_ENOMEM) return job_no_memory(&c->job);
    if (status != KEEL_OK) now->fastest = HUGE_VAL;
    return 0;
}

/* Stiff: explicit steps would be bounded by a damped part that is a thousand times faster than the slow ones,
 * of those that the span shows. */
static int take_scales(struct check *c) {
    keel_time_scales later = {.fastest = HUGE_VAL};
    double span = fabs(c->job.t1 - c->job.t0);
    keel_status status = keel_time_scales_at(keel_sim_solver(c->sim), &c->scales);
    if (status == KEEL_ENOMEM) return job_no_memory(&c->job);
    if (status != KEEL_OK) c->scales.fastest = HUGE_VAL;
    if (take_first_steps(c, &later)) return c->job.status;
    if (later.fastest < 0.5 * c->scales.fastest) c->scales = later;
    c->stiff = isfinite(c->scales.fastest) ? 0 : -1;
    double slow = c->scales.slowest < span ? c->scales.slowest : span;
    if (c->stiff == 0) c->stiff = c->scales.damping > 0.1 && slow > 1000 * c->scales.fastest;
    return 0;
}

/* Where the start cannot be had, the rest of the analysis is still worth reading. */
static void open_bare(struct check *c) {
    struct job *j = &c->job;
    const struct option_value *set = &j->options.value[opt_set];
    keel_model_options o = {.set = set->text, .sets = set->count, .interpret = 1, .without_start = 1};
    o.from = option_text(&j->options, opt_t0);
    o.to = option_text(&j->options, opt_tend);
    const char *text = keel_model_text(j->model);
    c->bare = keel_model_read(j->path, text, strlen(text), &o);
    if (keel_model_status(c->bare) == KEEL_OK) c->model = c->bare;
}

int check_command(int count, char **argv) {
    static struct check c;
    c = (struct check){0};
    struct job *j = &c.job;
    int status = job_open(j, COMMAND_CHECK, count, argv);
    if (status == 0 && option_given(&j->options, opt_help)) {
        command_help(command_find("check"), stdout);
        job_close(j);
        return EXIT_DONE;
    }
    if (status == 0) {
        c.model = j->model;
        status = open_start(&c);
        if (status == 0) status = take_scales(&c);
        if (status == 0) status = suggest(&c);
        if (status == 0) status = try_clock(&c);
        if (status == 0 && memory_is_out()) status = job_no_memory(j);
    } else if (status == EXIT_FAILED && j->model && keel_model_status(j->model) != KEEL_OK) open_bare(&c);
    if (j->messages.json) check_json(&c, status, stdout);
    else if (c.model && !j->messages.quiet && !memory_is_out()) check_text(&c, stdout);
    if (status == 0) status = report_missing(&c);
    if (keel_model_status(c.model) == KEEL_ENOMEM) memory_out(); /* an answer may be missing */
    keel_sim_close(c.sim);
    keel_model_close(c.bare);
    free(c.value);
    job_close(j);
    return status;
}
