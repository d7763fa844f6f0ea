/* target_options.c - any words as a command line, and any `options` of a model.
 *
 * The input is text: the name of a command, then one word a line; behind an empty line what stands in the
 * model behind `options`.  Words that name a model are replaced by one, so that nothing else is read, and
 * nothing is written or run.  Beside the sanitizers it checks: a refusal has a sentence, what is accepted is
 * accepted again when it is written as --name=value, with the same values, and belongs to the command; and a
 * model names no files. */
#include "fuzz.h"

#include "cli/job/command.h"
#include "cli/compare/compare.h"
#include "cli/run/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 40, MOST_POINTS = 10000, WORD = 4096 };

static const char model_text[] = "model m\nparam k = 2, T = 0.5\ncanonical q, p\nhamiltonian p^2/2 + q^2/2\n"
                                 "invariant energy\ninit q = 1, p = 0\nrun 0 .. 1\n";

struct input {
    const unsigned char *data;
    size_t size;
    const struct command *command;
    char *word[MOST_WORDS];
    int words;
    const char *model; /* what stands behind `options`; NULL: nothing */
};

static void require(int holds, const char *what, const struct input *in) {
    fuzz_require(holds, what, in->data, in->size);
}

/* Lines of `text`, which is changed. */
static void split(struct input *in, char *text) {
    for (char *line = text, *end; line && *line; line = end) {
        end = strchr(line, '\n');
        if (end) *end++ = '\0';
        if (!*line) {
            in->model = end;
            return;
        }
        if (line == text) in->command = command_find(line);
        else if (in->words < MOST_WORDS) in->word[in->words++] = line;
    }
}

/* Parsing ---------------------------------------------------------------------------------------------- */

static int same_text(const char *a, const char *b) {
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static void require_same(const struct input *in, const struct options *a, const struct options *b) {
    for (int id = 0; id < OPTIONS; id++) {
        const struct option_value *v = &a->value[id], *w = &b->value[id];
        require(v->count == w->count, "as many values", in);
        for (int k = 0; k < v->count; k++) require(same_text(v->text[k], w->text[k]), "the same value", in);
    }
    require(a->operands == b->operands, "as many operands", in);
    for (int k = 0; k < a->operands; k++)
        require(strcmp(a->operand[k], b->operand[k]) == 0, "the same operand", in);
}

/* --name=value, and the operands behind --. */
static void check_again(const struct input *in, const struct options *o) {
    char *word[2 * MOST_WORDS + 2], name[WORD], why[200];
    int count = 0;
    for (int id = 0; id < OPTIONS; id++)
        for (int k = 0; k < o->value[id].count; k++) {
            const char *value = o->value[id].text[k];
            int flag = option_row(id).kind == OPTION_FLAG;
            option_name(id, name, sizeof name);
            size_t capacity = strlen(name) + strlen(value) + 4;
            word[count] = malloc(capacity);
            snprintf(word[count++], capacity, "--%s%s%s", name, flag ? "" : "=", value);
        }
    int own = count;
    word[count++] = "--";
    for (int k = 0; k < o->operands; k++) word[count++] = (char *)o->operand[k];
    struct options again;
    int wrong = option_parse(&again, in->command->bit, count, word, why, sizeof why);
    require(!wrong, "what is accepted is accepted again", in);
    require_same(in, o, &again);
    option_release(&again);
    for (int k = 0; k < own; k++) free(word[k]);
}

static int check_parse(struct input *in, const char *model_path) {
    struct options o;
    char why[JOB_SENTENCE] = "";
    int wrong = option_parse(&o, in->command->bit, in->words, in->word, why, sizeof why);
    require(!wrong || why[0], "a refusal has a sentence", in);
    for (int id = 0; id < OPTIONS && !wrong; id++)
        require(!o.value[id].count || option_row(id).commands & in->command->bit,
                "an option belongs to the command", in);
    if (!wrong) check_again(in, &o);
    for (int k = 0; k < o.operands; k++) /* they point into the words */
        for (int i = 0; i < in->words; i++)
            if (in->word[i] == o.operand[k]) in->word[i] = (char *)model_path;
    option_release(&o);
    return wrong;
}

/* Validation ------------------------------------------------------------------------------------------- */

static void check_method(const struct input *in, struct job *j) {
    keel_sim *sim = keel_sim_open(j->model, &j->keel);
    require(sim != NULL, "a run is there even if it is refused", in);
    keel_solver *solver = keel_sim_solver(sim);
    if (!solver || keel_state_of(solver) < 0)
        require(job_why(sim)[0] != '\0', "a run that is refused says why", in);
    keel_sim_close(sim);
}

/* As many points as fit into the memory are what was asked for; here they would only take time. */
static int is_small(struct job *j) {
    const char *points = option_text(&j->options, opt_points);
    double apart = 1;
    if (points && atol(points) > MOST_POINTS) return 0;
    if (!option_given(&j->options, opt_every)) return 1;
    return job_number(j, opt_every, &apart) == 0 && (j->t1 - j->t0) / apart < MOST_POINTS &&
           (j->t0 - j->t1) / apart < MOST_POINTS;
}

static void check_job(const struct input *in, char *const *words, int count) {
    struct job j;
    struct trace t = {0};
    struct compare c = {0};
    int status = job_open(&j, in->command->bit, count, (char **)words);
    if (status == 0 && in->command->bit & COMMAND_SOLVE && j.model) {
        check_method(in, &j);
        if (in->command->bit == COMMAND_RUN && is_small(&j)) status = trace_open(&t, &j);
        if (in->command->bit == COMMAND_COMPARE) status = compare_open(&c, &j);
    }
    for (int id = 0; id < OPTIONS; id++)
        require(option_row(id).kind != OPTION_FILE || !j.options.value[id].by_model, "a model names no files",
                in);
    require(status == 0 || j.sentence[0], "a refusal has a sentence", in);
    require(status == 0 || status == EXIT_FAILED || status == EXIT_USAGE, "and a status", in);
    trace_close(&t);
    compare_close(&c);
    job_close(&j);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    static char *path;
    struct input in = {.data = data, .size = size};
    char *text = fuzz_ended(data, size), *words[MOST_WORDS + 4];
    if (!path) path = fuzz_path("m.keel");
    split(&in, text);
    if (in.command && check_parse(&in, path) == 0 && in.command->bit & COMMAND_MODEL) {
        size_t capacity = sizeof model_text + (in.model ? strlen(in.model) : 0) + 20;
        char *model = malloc(capacity);
        int length = snprintf(model, capacity, "%s%s%s\n", model_text, in.model ? "options " : "",
                              in.model ? in.model : "");
        int count = 0;
        fuzz_write(path, model, (size_t)length);
        words[count++] = "--json"; /* what is wrong is kept and not told */
        if (in.command->bit & COMMAND_SOLVE) words[count++] = "--interpret";
        for (int k = 0; k < in.words; k++) words[count++] = in.word[k];
        check_job(&in, words, count);
        free(model);
    }
    free(text);
    return 0;
}
