/* job.c - see job.h. */
#include "cli/job/job.h"

#include "base/machine.h"
#include "base/text.h"
#include "cli/job/usage.h"
#include "cli/terminal/waiting.h"
#include "cli/job/choose.h"
#include "cli/job/field.h"
#include "cli/job/like.h"
#include "cli/job/limit.h"
#include "cli/job/paper.h"
#include "cli/job/stabilizer.h"
#include "cli/job/stiff.h"
#include "cli/terminal/stop.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double job_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int job_fail(struct job *j, int status, const char *format, ...) {
    char sentence[sizeof j->sentence]; /* the old one may be part of the new */
    va_list args;
    va_start(args, format);
    text_vset(sentence, sizeof sentence, format, args);
    va_end(args);
    memcpy(j->sentence, sentence, sizeof sentence);
    j->status = status;
    return j->messages.json ? status : message_error(&j->messages, status, "%s", j->sentence);
}

int job_miss(struct job *j, const struct missing *m) {
    char sentence[JOB_SENTENCE];
    missing_sentence(m, sentence, sizeof sentence);
    return job_fail(j, EXIT_MISSING, "%s", sentence);
}

int job_no_memory(struct job *j) {
    memory_out();
    if (j->status && strcmp(j->sentence, MEMORY_OUT) == 0) return j->status;
    return job_fail(j, EXIT_FAILED, "%s", MEMORY_OUT);
}

/* The model --------------------------------------------------------------------------------------------- */

/* All of standard input; NULL without memory. */
static char *read_input(size_t *length) {
    size_t capacity = 1 << 16, count = 0, got;
    char *text = malloc(capacity);
    while (text && (got = fread(text + count, 1, capacity - count, stdin)) > 0) {
        count += got;
        if (count < capacity) continue;
        if (count > (8u << 20)) break; /* too long: the model says so */
        char *wider = realloc(text, capacity *= 2);
        if (!wider) free(text);
        text = wider;
    }
    *length = count;
    return text;
}

/* NAME, or NAME.keel where that is what exists. */
static char *find_path(const char *name) {
    size_t length = strlen(name);
    char *path = malloc(length + 6);
    if (!path) return NULL;
    snprintf(path, length + 6, "%s", name);
    if (access(path, F_OK) != 0) {
        snprintf(path, length + 6, "%s.keel", name);
        if (access(path, F_OK) != 0) path[length] = '\0';
    }
    return path;
}

static keel_model *load(struct job *j, const keel_model_options *o) {
    if (j->text) return keel_model_read(j->file, j->text, strlen(j->text), o);
    const struct paper_file *paper = paper_model(j->file);
    if (!paper && strcmp(j->file, "-") != 0) return keel_model_load(j->path, o);
    size_t length = 0;
    char *text = paper ? paper_text(paper, &length) : read_input(&length);
    keel_model *m = text ? keel_model_read(paper ? j->file : "standard input", text, length, o) : NULL;
    free(text);
    return m;
}

const char *job_clock(const struct job *j) {
    keel_mode mode;
    int by_clock = keel_model_mode(j->model, keel_model_start(j->model), &mode) && mode.problem->clock;
    return by_clock ? option_text(&j->options, opt_clock) : NULL;
}

int job_interpreted(const struct job *j, const char **why) {
    keel_model_compile(j->model, 1);
    return !keel_model_compiled(j->model, why);
}

const char *job_freedom(const keel_mode *mode, char out[JOB_FREEDOM]) {
    const char *s = mode->freedom == 1 ? "" : "s", *degrees = mode->dof == 1 ? "" : "s";
    if (mode->dof < 0) snprintf(out, JOB_FREEDOM, "%d free start value%s", mode->freedom, s);
    else
        snprintf(out, JOB_FREEDOM, "%d degree%s of freedom (%d start value%s free)", mode->dof, degrees,
                 mode->freedom, s);
    return out;
}

/* Nobody asked for it, and it takes longer. */
void job_tell_interpreter(const struct job *j) {
    const char *why;
    if (!(j->command & COMMAND_SOLVE) || option_given(&j->options, opt_interpret) || j->messages.json) return;
    if (job_interpreted(j, &why) && !stop_asked())
        message_note(&j->messages, "keel: the model runs in the interpreter, more slowly: %s", why);
}

/* What a model may take to be read, in million operations: as much as half the memory of the machine has room
 * for, where 25 operations are a byte, and the library's own limit at least. */
static double reading_budget(void) {
    double memory = machine_memory();
    return isfinite(memory) ? fmax(30000, 25e-6 * 0.5 * memory) : 30000;
}

static int load_model(struct job *j) {
    const struct option_value *set = &j->options.value[opt_set];
    struct waiting waiting;
    keel_model_options o = {.set = set->text,
                            .sets = set->count,
                            .interpret = option_given(&j->options, opt_interpret),
                            .kernel_later =
                                !(j->command & (COMMAND_SWEEP | COMMAND_SECTION)), /* members share */
                            .compile_ahead = j->command == COMMAND_RUN,            /* others measure times */
                            .work = reading_budget(),
                            .phase = &waiting.phase,
                            .stop = stop_flag()};
    const char *seconds = option_text(&j->options, opt_compile_limit);
    if (seconds) o.compile_seconds = strtod(seconds, NULL);
    if (!(j->command & COMMAND_SOLVE))
        o.interpret = 1; /* little is evaluated: a compiler would only take time */
    char method[JOB_WORD] = "";
    const char *text = option_text(&j->options, OPTION_OF(method));
    if (text) text_set(method, sizeof method, "%.*s", (int)strcspn(text, "+"), text);
    o.method = text ? method : NULL;
    o.from = option_text(&j->options, opt_t0);
    o.to = option_text(&j->options, opt_tend);
    /* an analysis is one of the equations in t */
    o.clock = j->command & (COMMAND_CHECK | COMMAND_DISCOVER) ? "none" : option_text(&j->options, opt_clock);
    o.sensitivity = j->command & COMMAND_TANGENT ? "*"
                    : j->command == COMMAND_FIT  ? option_text(&j->options, opt_fit)
                                                 : option_text(&j->options, opt_sensitivity);
    char section[JOB_SENTENCE];
    const char *plane = option_text(&j->options, opt_plane),
               *direction = option_text(&j->options, opt_direction);
    text_set(section, sizeof section, "%s %s", plane ? plane : "", direction ? direction : "rising");
    o.section = plane ? section : NULL;
    double begin = job_seconds();
    j->path = find_path(j->file);
    if (!j->path) return job_no_memory(j);
    if (!j->text && usage_file(j)) return j->status;
    waiting_begin(&waiting, &j->messages, "reading the model");
    j->model = load(j, &o);
    waiting_end(&waiting);
    if (!j->model) return job_no_memory(j);
    j->compile_s = job_seconds() - begin;
    if (keel_model_status(j->model) == KEEL_ESTOP)
        return job_fail(j, stop_exit(), "interrupted while the model was read");
    if (keel_model_status(j->model) == KEEL_ENOMEM) return job_no_memory(j);
    if (keel_model_status(j->model) != KEEL_OK && usage_options(j)) return j->status;
    if (!j->messages.json && !(j->messages.quiet && keel_model_status(j->model) == KEEL_OK))
        message_text(&j->messages, keel_model_message(j->model));
    if (keel_model_status(j->model) != KEEL_OK) {
        text_set(j->sentence, sizeof j->sentence, "the model has errors");
        return j->status = EXIT_FAILED;
    }
    keel_model_span(j->model, &j->t0, &j->t1);
    if (!o.compile_ahead) job_tell_interpreter(j);
    return 0;
}

/* The model's own `options`, where the command line is silent. */
static int take_model_options(struct job *j) {
    const char *name, *value;
    char why[JOB_SENTENCE];
    for (int i = 0; keel_model_option(j->model, i, &name, &value); i++)
        if (option_of_model(&j->options, j->command, name, value, why, sizeof why))
            return job_fail(j, EXIT_FAILED, "the model's `options`: %s", why);
    return 0;
}

/* Methods and tolerances -------------------------------------------------------------------------------- */

/* A value that cannot be, in the words of where it was given. */
static int refuse_value(struct job *j, int id, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int refuse_value(struct job *j, int id, const char *format, ...) {
    char name[JOB_WORD], why[JOB_SENTENCE];
    int by_model = j->options.value[id].by_model;
    va_list args;
    va_start(args, format);
    text_vset(why, sizeof why, format, args);
    va_end(args);
    option_name(id, name, sizeof name);
    return job_fail(j, by_model ? EXIT_FAILED : EXIT_USAGE, "%s%s %s",
                    by_model ? "the model's `options`: " : "--", name, why);
}

int job_number(struct job *j, int id, double *value) {
    const char *text = option_text(&j->options, id);
    if (!text || keel_model_number(j->model, text, value)) return 0;
    if (keel_model_status(j->model) == KEEL_ENOMEM) return job_no_memory(j);
    return refuse_value(j, id, "%s", keel_model_refusal(j->model));
}

static const keel_method *find_method(const char *name) {
    const keel_method *m;
    for (int i = 0; (m = keel_method_at(i)); i++)
        if (strcmp(m->name, name) == 0) return m;
    return NULL;
}

const keel_method *job_nearest(const keel_method *(*at)(int), const char *name, int *least) {
    const keel_method *m, *near = NULL;
    for (int i = 0; (m = at(i)); i++) {
        int distance = text_slip(name, m->name);
        if (distance < *least) *least = distance, near = m;
    }
    return near;
}

static int no_such_method(struct job *j, const char *name) {
    int least = TEXT_FAR;
    const keel_method *near = job_nearest(keel_method_at, name, &least);
    if (near)
        return job_fail(j, EXIT_USAGE, "there is no method `%.40s`; did you mean %s?", name, near->name);
    return job_fail(j, EXIT_USAGE, "there is no method `%.40s`; `keel methods` lists what there is", name);
}

int job_method(struct job *j, const char *text, char *method, char *stabilizer) {
    size_t length = strcspn(text, "+");
    char near[JOB_WORD];
    text_set(method, JOB_WORD, "%.*s", (int)(length < JOB_WORD ? length : JOB_WORD - 1), text);
    if (text[0] == '+') text_set(method, JOB_WORD, "auto"); /* as in C: +project */
    if (text[length] == '+') {
        text_set(stabilizer, JOB_WORD, "%.39s", text + length + 1);
        const char *all = stabilizer_choices();
        int known = option_choice(all, stabilizer);
        if (!known && option_nearest(all, stabilizer, near, sizeof near))
            return job_fail(j, EXIT_USAGE, "there is no stabilizer `%s`; did you mean %s?", stabilizer, near);
        if (!known)
            return job_fail(j, EXIT_USAGE, "there is no stabilizer `%s`: it is one of %s", stabilizer, all);
    }
    if (strcmp(method, "auto") != 0 && !find_method(method)) return no_such_method(j, method);
    return 0;
}

void job_name_stabilizer(struct job *j, const keel_solver *s) {
    if (strcmp(j->stabilizer, "auto") == 0)
        text_set(j->stabilizer, sizeof j->stabilizer, "%s", stabilizer_in_use(j->keel.method, s));
}

/* Given on the command line: 2; by the model: 1; not at all: 0. */
static int source_of(const struct options *o, int id) {
    return option_given(o, id) ? 2 - o->value[id].by_model : 0;
}

/* A comparison gives each row its own.  In one run the library refuses what the method does not take, except
 * where the model gives it and did not choose the method: then it waits for a method that does. */
void job_settle(struct job *j, const char *method, const char *stabilizer, char *pair, keel_options *out) {
    const keel_field *f;
    *out = j->keel;
    text_set(pair, JOB_PAIR, "%s+%s", method, stabilizer);
    out->method = pair;
    for (int id = 0; (f = keel_field_at(id)); id++) {
        int waits = source_of(&j->options, id) == 1 && source_of(&j->options, OPTION_OF(method)) != 1;
        const keel_method *owner = keel_field_owner(f, 0);
        int refused = owner && owner->order > 0 && j->command != COMMAND_COMPARE && !waits;
        if (field_idle(f, method, stabilizer) && !refused) field_clear(f, out);
    }
}

static int taken_by_any(const keel_field *f, char (*method)[JOB_WORD], char (*stabilizer)[JOB_WORD],
                        int count) {
    for (int i = 0; i < count; i++)
        if (field_taken(stabilizer_find(stabilizer[i]), f) ||
            (method && field_taken(find_method(method[i]), f)))
            return 1;
    return 0;
}

int job_check_own(struct job *j, char (*method)[JOB_WORD], char (*stabilizer)[JOB_WORD], int count,
                  const char *with) {
    const keel_field *f;
    for (int id = 0; (f = keel_field_at(id)); id++) {
        const keel_method *owner = keel_field_owner(f, 0);
        char name[JOB_WORD];
        if (!owner || source_of(&j->options, id) != 2 || (owner->order > 0 && !method)) continue;
        if (taken_by_any(f, method, stabilizer, count)) continue;
        option_name(id, name, sizeof name);
        return job_fail(j, EXIT_USAGE, "--%s belongs to the %s %s, and %s", name,
                        owner->order > 0 ? "method" : "stabilizer", owner->name, with);
    }
    return 0;
}

/* The model names a stabilizer, and beside it what only another one uses: that is a slip.  Where it names
 * none they wait for who does; where the command line chose, what the model has is left alone. */
static int check_model_choice(struct job *j) {
    const struct options *o = &j->options;
    const keel_field *f;
    if (source_of(o, OPTION_OF(method)) == 2 || source_of(o, opt_preserve) == 2) return 0;
    if (strcmp(j->stabilizer, "auto") == 0) return 0;
    for (int id = 0; (f = keel_field_at(id)); id++) {
        const keel_method *owner = keel_field_owner(f, 0);
        char name[JOB_WORD];
        if (!owner || owner->order > 0 || source_of(o, id) != 1 ||
            field_taken(stabilizer_find(j->stabilizer), f))
            continue;
        option_name(id, name, sizeof name);
        return job_fail(j, EXIT_FAILED,
                        "the model's `options`: %s belongs to the stabilizer %s, and this is %s", name,
                        owner->name, j->stabilizer);
    }
    return 0;
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

/* An option that was given into its member of keel_options. */
static int take_field(struct job *j, int id) {
    const keel_field *f = option_row(id).field;
    const char *text = option_text(&j->options, id);
    char must[80];
    double number = f->type == KEEL_FIELD_FLAG ? 1 : 0;
    int is_list = j->command == COMMAND_COMPARE && f->offset == offsetof(keel_options, rtol) &&
                  strchr(text, ','); /* for its rows */
    if (f->type == KEEL_FIELD_CHOICE) number = option_choice(f->choices, text);
    else if (f->type == KEEL_FIELD_TEXT) keel_field_put_text(f, &j->keel, text);
    else if (f->type != KEEL_FIELD_FLAG && !is_list) {
        if (job_number(j, id, &number)) return j->status;
        if (!keel_field_fits(f, number, 0, must, sizeof must))
            return refuse_value(j, id, "must %s, it is %g", must, number);
    }
    keel_field_put(f, &j->keel, number);
    return 0;
}

/* Step or tolerances: one kind of them.  The command line decides against the model. */
static int take_tolerances(struct job *j) {
    struct options *o = &j->options;
    int id_step = OPTION_OF(step), id_rtol = OPTION_OF(rtol), id_atol = OPTION_OF(atol);
    int step = larger(source_of(o, id_step), source_of(o, opt_steps));
    int tolerance = larger(source_of(o, id_rtol), source_of(o, id_atol));
    if (step && step == tolerance)
        return job_fail(j, EXIT_USAGE,
                        "a fixed step and tolerances exclude each other: give --%s, or --rtol and --atol",
                        j->command == COMMAND_COMPARE ? "steps" : "step");
    if (tolerance > step) o->value[id_step].count = o->value[opt_steps].count = 0;
    if (step > tolerance) o->value[id_rtol].count = o->value[id_atol].count = 0;
    for (int id = 0; id < OPTION_FIELDS; id++)
        if (option_given(o, id) && take_field(j, id)) return j->status;
    if (j->command == COMMAND_CONVERGE && !option_given(o, id_step)) j->keel.step = fabs(j->t1 - j->t0) / 100;
    return 0;
}

static int take_method(struct job *j) {
    const int id = OPTION_OF(method);
    const char *text = option_text(&j->options, id), *preserve = option_text(&j->options, opt_preserve);
    text_set(j->stabilizer, sizeof j->stabilizer, "auto");
    text_set(j->method, sizeof j->method, "auto");
    if (text && job_method(j, text, j->method, j->stabilizer))
        return j->status = j->options.value[id].by_model ? EXIT_FAILED : j->status;
    /* Both say it: the command line has the last word; there they must agree. */
    int both = preserve && text && strchr(text, '+') != NULL;
    int ours = !j->options.value[id].by_model, theirs = !j->options.value[opt_preserve].by_model;
    if (both && ours == theirs && strcmp(preserve, j->stabilizer) != 0)
        return job_fail(j, ours ? EXIT_USAGE : EXIT_FAILED, "--preserve %s contradicts --method %s", preserve,
                        text);
    if (both && ours) preserve = NULL;
    if (preserve) text_set(j->stabilizer, sizeof j->stabilizer, "%s", preserve);
    if (strcmp(j->method, "auto") == 0) {
        enum choose_steps steps = j->keel.reversible ? CHOOSE_REVERSIBLE
                                  : j->keel.step > 0 ? CHOOSE_FIXED
                                                     : CHOOSE_ADAPTIVE;
        text_set(j->method, sizeof j->method, "%s",
                 choose_method_for(j->model, steps, j->stabilizer, j->why, sizeof j->why));
    }
    if (j->command == COMMAND_COMPARE) return 0; /* its rows have their methods */
    char with[JOB_SENTENCE];
    text_set(with, sizeof with, "this is %s", j->stabilizer);
    if (job_check_own(j, NULL, &j->stabilizer, 1, with) || check_model_choice(j)) return j->status;
    int named = j->why[0] == '\0';
    job_settle(j, j->method, j->stabilizer, j->pair, &j->keel);
    if (!(j->command & (COMMAND_RUN | COMMAND_SWEEP | COMMAND_FIT | COMMAND_SECTION | COMMAND_EMIT)))
        return 0;
    j->automatic = !named && stiff_suspect(j);
    if (j->automatic) text_set(j->pair, sizeof j->pair, "auto+%s", j->stabilizer);
    return named && j->command != COMMAND_EMIT ? stiff_check(j) : 0;
}

/* ------------------------------------------------------------------------------------------------------- */

int job_open_word(struct job *j, unsigned command, int count, char **argv, const char *ask) {
    char why[JOB_SENTENCE];
    *j = (struct job){.command = command, .keel = {.stop = stop_flag()}};
    if (command & COMMAND_SOLVE) j->keel.pause_steps = LIMIT_PAUSE;
    int wrong = option_parse(&j->options, command, count, argv, why, sizeof why);
    message_open(&j->messages, option_text(&j->options, opt_color), option_given(&j->options, opt_quiet),
                 option_given(&j->options, opt_json));
    if (wrong) return job_fail(j, EXIT_USAGE, "%s", why);
    if (option_given(&j->options, opt_help)) return 0;
    if (j->options.operands == 0 && ask) return job_fail(j, EXIT_USAGE, "%s", ask);
    if (j->options.operands > 1 && command != COMMAND_GATHER)
        return job_fail(j, EXIT_USAGE, "one at a time: `%.80s` is one too many", j->options.operand[1]);
    j->file = j->options.operand[0];
    return 0;
}

int job_model_run(struct job *j) {
    const char *name, *value;
    char why[JOB_SENTENCE];
    int json = j->messages.json, status = 0;
    j->messages.json = 1; /* nothing is told */
    for (int i = 0; keel_model_option(j->model, i, &name, &value) && status == 0; i++)
        if (option_of_model(&j->options, COMMAND_RUN, name, value, why, sizeof why))
            status = job_fail(j, EXIT_FAILED, "the model's `options`: %s", why);
    if (status == 0) status = take_tolerances(j) || take_method(j) ? j->status : 0;
    j->messages.json = json;
    j->status = 0;
    return status;
}

int job_accepted(keel_sim *sim) {
    keel_solver *solver = keel_sim_solver(sim);
    keel_status state = solver ? keel_state_of(solver) : KEEL_EINVAL;
    if (!sim || state == KEEL_ENOMEM) memory_out();
    return state >= 0;
}

const char *job_words(const char *sentence) {
    static char words[JOB_SENTENCE];
    option_told(sentence, words, sizeof words);
    return words;
}

const char *job_why(keel_sim *sim) {
    return job_words(keel_sim_message(sim));
}

int job_refuse(struct job *j, keel_sim *sim) {
    if (stop_asked()) return job_fail(j, stop_exit(), "interrupted before the run began");
    int options = !keel_sim_solver(sim) ? 0 : keel_state_of(keel_sim_solver(sim)) == KEEL_EINVAL;
    if (keel_sim_solver(sim) && keel_state_of(keel_sim_solver(sim)) == KEEL_ENOMEM) return job_no_memory(j);
    return job_fail(j, options ? EXIT_USAGE : EXIT_FAILED, "%s", job_why(sim));
}

int job_open(struct job *j, unsigned command, int count, char **argv) {
    return job_open_text(j, command, count, argv, NULL);
}

int job_open_text(struct job *j, unsigned command, int count, char **argv, const char *text) {
    int status = job_open_word(j, command, count, argv, "which model?  Give a file, or - for standard input");
    if (status || option_given(&j->options, opt_help)) return status;
    j->text = text;
    if (like_open(j) || load_model(j) || like_check(j) || take_model_options(j)) return j->status;
    if (command & COMMAND_SOLVE && (take_tolerances(j) || take_method(j))) return j->status;
    if (memory_is_out()) return job_no_memory(j); /* another method may have been chosen */
    return 0;
}

void job_close(struct job *j) {
    keel_model_close(j->model);
    option_release(&j->options);
    like_close(j->like);
    free(j->path);
    *j = (struct job){0};
}

void job_headline(const struct job *j, FILE *out) {
    fprintf(out, "%s  %s  ", keel_model_name(j->model), j->pair);
    if (j->keel.step > 0) fprintf(out, "step %g\n", j->keel.step);
    else fprintf(out, "rtol %g\n", KEEL_VALUE(&j->keel, rtol));
}
