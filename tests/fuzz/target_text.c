/* target_text.c - any bytes at all as a model: lexer, parser, elaboration and analysis without a fault.
 *
 * Beside the sanitizers it checks: what does not open says so in a sentence, messages lie in the text, what
 * the printer writes is read back as the same tree, and the memory of the parser is bounded by the text.
 *
 * Most texts do not parse, and those that do are read and analysed.  One in ONE_IN gets all checks whatever
 * it is: memory that runs out, a start, a few steps. */
#include "fuzz.h"
#include "keel/model.h"
#include "lang/parser.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    STEPS = 3,
    WORK = 200,                    /* million operations: a second or so under the sanitizers */
    LITTLE = 5,                    /* of those that are only read */
    ONE_IN = FUZZ_SECONDS ? 32 : 1 /* of those that are kept, all */
};

static void require(int holds, const char *what, const struct source *s) {
    fuzz_require(holds, what, s->text, s->length);
}

static void check_messages(const struct source *s, struct source_messages *m,
                           const struct syntax_file *tree) {
    char out[16384];
    require((tree == NULL) == (m->errors > 0), "no tree exactly if there are errors", s);
    for (int i = 0; i < m->count; i++) {
        const struct source_message *one = &m->list[i];
        require(one->offset <= s->length || one->offset == SOURCE_NOWHERE, "a message lies in the text", s);
        require(one->sentence[0] != '\0', "a message has a sentence", s);
        require(i == 0 || m->list[i - 1].offset <= one->offset, "messages are in order", s);
    }
    size_t length = source_render_all(s, m, out, sizeof out);
    require(length >= sizeof out || strlen(out) == length, "rendering measures what it writes", s);
    source_render_all(s, m, out, 7);
}

static void check_print(const struct source *s, const struct syntax_file *tree, struct pool *pool) {
    char *text = syntax_print(tree, pool);
    struct source printed = {"printed", text, strlen(text), 0};
    struct source_messages *m = calloc(1, sizeof *m);
    struct syntax_file *again = parser_run(&printed, m, pool);
    require(again != NULL, "what is printed parses", s);
    require(syntax_equal(tree, again), "and to the same tree", s);
    require(strcmp(text, syntax_print(again, pool)) == 0, "and prints the same", s);
    free(m);
}

/* 1: it parses. */
static int check_parser(const struct source *s) {
    struct source_messages *m = calloc(1, sizeof *m);
    struct pool pool = {0};
    struct syntax_file *tree = parser_run(s, m, &pool);
    require(pool.bytes <= 16384 + 1024 * s->length, "memory is bounded by the text", s);
    check_messages(s, m, tree);
    if (tree) check_print(s, tree, &pool);
    pool_release(&pool);
    free(m);
    return tree != NULL;
}

/* Memory may run out anywhere. */
static void check_tight(const struct source *s) {
    struct source_messages *m = calloc(1, sizeof *m);
    struct pool tight = {.limit = s->length % 4096 * 32};
    struct syntax_file *tree = parser_run(s, m, &tight);
    check_messages(s, m, tree);
    pool_release(&tight);
    free(m);
}

static void run(keel_model *m) {
    double from, to, t;
    keel_options o = {.max_steps = STEPS};
    keel_event_record one;
    keel_model_span(m, &from, &to);
    keel_sim *s = keel_sim_open(m, &o);
    double *out = calloc((size_t)(keel_sim_columns(s) + keel_sim_rows(s)) + 1, sizeof *out);
    keel_status status = KEEL_OK;
    for (int k = 0; k < STEPS && status == KEEL_OK; k++) status = keel_sim_step(s, to);
    t = keel_time(keel_sim_solver(s));
    keel_sim_values(s, out);
    keel_sim_exact(s, t, out);
    keel_sim_drifts(s, t, out);
    for (int k = 0; keel_sim_reference(s, k, &t, out); k++) {}
    for (long k = 0; keel_sim_event(s, k, &one); k++) {}
    free(out);
    keel_sim_close(s);
}

static void check_model(const struct source *s, int all) {
    keel_model_options o = {.interpret = 1, .work = all ? WORK : LITTLE, .without_start = !all};
    keel_model *m = keel_model_read(s->name, s->text, s->length, &o);
    keel_mode mode;
    int good = keel_model_status(m) == KEEL_OK;
    require(good || keel_model_message(m)[0] != '\0', "a model that does not open says why", s);
    if (good && all) run(m);
    for (int i = 0; keel_model_mode(m, i, &mode); i++)
        for (int k = 0; keel_model_linear_invariant(m, i, k); k++) {}
    keel_model_close(m);
}

/* By the text itself, so that a find can be repeated. */
static int is_drawn(const struct source *s) {
    unsigned sum = 2166136261u;
    for (size_t i = 0; i < s->length; i++) sum = (sum ^ (unsigned char)s->text[i]) * 16777619u;
    return (sum >> 8) % ONE_IN == 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    char *text = fuzz_copy(data, size);
    struct source s = {"fuzz.keel", text, size, 0};
    clock_t begin = clock();
    int all = is_drawn(&s), parses = check_parser(&s);
    if (all) check_tight(&s);
    if (all || parses) check_model(&s, all);
    require(FUZZ_SECONDS == 0 || clock() - begin <= FUZZ_SECONDS * CLOCKS_PER_SEC,
            "it takes no longer than that", &s);
    free(text);
    return 0;
}
