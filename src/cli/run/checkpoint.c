/* checkpoint.c - see checkpoint.h. */
#include "cli/run/checkpoint.h"

#include "base/text.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char magic[8] = "keelchk4";

struct head {
    char magic[8];
    uint64_t sum;        /* of all that follows */
    uint64_t about, sim; /* bytes behind the head; between the two those of `located` */
    uint64_t rows_sum, row;
    int64_t rows, next, acted;
    double spent;
    uint64_t located;
    double looked; /* of spent, at output */
};

static uint64_t hash(uint64_t h, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) h = (h ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    return h;
}

static uint64_t sum_of(const unsigned char *bytes, size_t count) {
    size_t from = offsetof(struct head, sum) + sizeof(uint64_t);
    return hash(14695981039346656037u, bytes + from, count - from);
}

/* What run it is ---------------------------------------------------------------------------------------- */

/* One line for each thing that must be the same; options as they were given. */
static void describe(const struct job *j, FILE *out) {
    const char *text = keel_model_text(j->model);
    fprintf(out, "version %s\n", keel_version());
    fprintf(out, "model %016llx\n",
            (unsigned long long)hash(14695981039346656037u, text, text ? strlen(text) : 0));
    for (int id = 0; id < OPTIONS; id++) {
        const struct option_value *v = &j->options.value[id];
        for (int k = 0; k < v->count && option_of_numbers(id); k++)
            fprintf(out, "--%s%s%s\n", option_row(id).name, v->text[k] ? " " : "",
                    v->text[k] ? v->text[k] : "");
    }
}

/* Is the line that begins at `line` one of `lines`? */
static int has_line(const char *lines, const char *line) {
    size_t length = strcspn(line, "\n");
    for (const char *at = lines; *at; at += strcspn(at, "\n"), at += *at == '\n')
        if (strcspn(at, "\n") == length && strncmp(at, line, length) == 0) return 1;
    return 0;
}

static const char *first_difference(const char *lines, const char *others) {
    for (const char *at = lines; *at; at += strcspn(at, "\n"), at += *at == '\n')
        if (!has_line(others, at)) return at;
    return NULL;
}

static int differs(struct checkpoint *c, const char *saved) {
    const char *then = first_difference(saved, c->about), *now = first_difference(c->about, saved);
    const char *line = then ? then : now;
    int length = line ? (int)strcspn(line, "\n") : 0;
    if (!line && strcmp(saved, c->about) == 0) return 0;
    if (!line) return job_fail(c->job, EXIT_FAILED, "%.300s: its options came in another order", c->from);
    if (strncmp(line, "version", 7) == 0)
        return job_fail(c->job, EXIT_FAILED, "%.300s is a checkpoint of another version of keel", c->from);
    if (strncmp(line, "model", 5) == 0)
        return job_fail(c->job, EXIT_FAILED, "%.300s is a checkpoint of another model", c->from);
    return job_fail(c->job, EXIT_FAILED, "%.300s is a checkpoint of a run %s `%.*s`", c->from,
                    then ? "with" : "without", length < 200 ? length : 200, line);
}

/* Going on ---------------------------------------------------------------------------------------------- */

static int check(struct checkpoint *c) {
    struct head head;
    struct job *j = c->job;
    if (c->count < sizeof magic || memcmp(c->bytes, magic, sizeof magic) != 0)
        return job_fail(j, EXIT_FAILED, "%.300s is not a checkpoint of keel", c->from);
    if (c->count < sizeof head) return job_fail(j, EXIT_FAILED, "%.300s is incomplete", c->from);
    memcpy(&head, c->bytes, sizeof head);
    if (head.sum != sum_of(c->bytes, c->count) || head.about > c->count || head.located > c->count ||
        head.sim > c->count || sizeof head + head.about + head.located + head.sim != c->count ||
        head.located % sizeof(double) || head.about == 0 || c->bytes[sizeof head + head.about - 1] != '\0')
        return job_fail(j, EXIT_FAILED, "%.300s is incomplete or damaged (wrong checksum)", c->from);
    c->spent = head.spent;
    return differs(c, (const char *)c->bytes + sizeof head);
}

/* Both files of a checkpoint are the run's own as long as it lasts; 0, or an exit status. */
static int claim(struct job *j, const char *path, struct claim **state, struct claim **rows) {
    size_t length = strlen(path);
    char *beside = malloc(length + 6);
    if (!beside) return job_no_memory(j);
    snprintf(beside, length + 6, "%s.rows", path);
    *state = output_claim(j, path, KIND_CHECKPOINT);
    if (*state) *rows = output_claim(j, beside, KIND_ROWS);
    free(beside);
    if (!*state || !*rows) return j->status;
    if (!(*state)->stream && !(*rows)->stream) return 0;
    return job_fail(j, EXIT_FAILED, "%.300s cannot be a checkpoint: it is no regular file", path);
}

static int take_options(struct checkpoint *c) {
    const struct options *o = &c->job->options;
    c->from = option_text(o, opt_resume);
    c->path = option_text(o, opt_checkpoint);
    if (!c->path) c->path = c->from;
    c->every = 60;
    if (job_number(c->job, opt_checkpoint_every, &c->every)) return c->job->status;
    if (!(c->every > 0))
        return job_fail(c->job, EXIT_USAGE, "--checkpoint-every must be positive, it is %g", c->every);
    if (option_given(o, opt_checkpoint_every) && !c->path)
        return job_fail(c->job, EXIT_USAGE, "--checkpoint-every needs --checkpoint FILE");
    return 0;
}

int checkpoint_open(struct checkpoint *c, struct job *j) {
    char why[JOB_SENTENCE];
    size_t length = 0;
    *c = (struct checkpoint){.job = j, .begin = job_seconds()};
    if (take_options(c)) return j->status;
    if (!c->path) return 0;
    FILE *about = open_memstream(&c->about, &length);
    if (about) describe(j, about);
    int good = about && fclose(about) == 0;
    if (!good) return job_no_memory(j);
    int moved = c->from && strcmp(c->from, c->path) != 0;
    if (moved && claim(j, c->from, &c->state_before, &c->rows_before)) return j->status;
    if (claim(j, c->path, &c->state, &c->rows)) return j->status;
    if (!c->from) return 0;
    c->bytes = file_read(c->from, &c->count, why, sizeof why);
    return c->bytes ? check(c) : job_fail(j, EXIT_FAILED, "%s", why);
}

keel_sim *checkpoint_sim(struct checkpoint *c) {
    struct head head;
    if (!c->bytes) return NULL;
    memcpy(&head, c->bytes, sizeof head);
    return keel_sim_load(c->job->model, &c->job->keel, c->bytes + sizeof head + head.about + head.located,
                         head.sim);
}

/* Where quantities ceased to have values: the rows alone do not tell, the run that gave them could look. */
static void put_located(const struct missing *m, unsigned char *to) {
    for (int k = 0; k < m->count; k++, to += sizeof(double)) memcpy(to, &m->one[k].at, sizeof(double));
}

static void take_located(struct missing *m, const unsigned char *from, size_t bytes) {
    for (int k = 0; k < m->count && ((size_t)k + 1) * sizeof(double) <= bytes; k++, from += sizeof(double))
        memcpy(&m->one[k].at, from, sizeof(double));
}

static int go_on(struct checkpoint *c, struct trace *t) {
    struct head head;
    struct journal before = {0}, *l = c->rows_before ? &before : &c->journal;
    memcpy(&head, c->bytes, sizeof head);
    int status = 0;
    if (l == &before) {
        status = journal_create(&c->journal, c->job, t, c->rows);
        if (status == 0) trace_add(t, journal_row, &c->journal);
    }
    struct claim *rows = c->rows_before ? c->rows_before : c->rows;
    if (status == 0) status = journal_resume(l, c->job, t, rows, head.rows, head.rows_sum);
    if (status == 0 && l == &c->journal) trace_add(t, journal_row, &c->journal);
    journal_close(&before);
    if (status) return status;
    if (head.next < 0 || head.next > t->count)
        return job_fail(c->job, EXIT_FAILED, "%.300s is damaged", c->from);
    t->next = (long)head.next;
    t->acted = head.acted != 0;
    t->seconds = head.looked;
    take_located(&t->missing, c->bytes + sizeof head + head.about, head.located);
    free(c->bytes);
    c->bytes = NULL;
    return 0;
}

int checkpoint_begin(struct checkpoint *c, struct trace *t) {
    if (!c->path) return 0;
    int status = 0;
    if (c->from) status = go_on(c, t);
    else if ((status = journal_create(&c->journal, c->job, t, c->rows)) == 0)
        trace_add(t, journal_row, &c->journal);
    if (status) return status;
    return checkpoint_at(c, t, job_seconds(), 1) ? job_fail(c->job, EXIT_FAILED, "%s", c->job->sentence) : 0;
}

/* Saving ------------------------------------------------------------------------------------------------ */

static int write_all(struct checkpoint *c, const unsigned char *bytes, size_t count) {
    struct file f;
    char why[JOB_SENTENCE];
    if (file_open(&f, c->state, 1, why, sizeof why) == 0) {
        file_put(&f, bytes, count);
        if (file_keep(&f, why, sizeof why) == 0) return 0;
    }
    text_set(c->job->sentence, sizeof c->job->sentence, "%s", why);
    return -1;
}

static int save(struct checkpoint *c, const struct trace *t, double now) {
    size_t about = strlen(c->about) + 1, sim = keel_sim_save(t->sim, NULL, 0);
    size_t located = (size_t)t->missing.count * sizeof(double);
    size_t count = sizeof(struct head) + about + located + sim;
    unsigned char *bytes = calloc(count, 1);
    if (!bytes || sim == 0) {
        memory_out();
        text_set(c->job->sentence, sizeof c->job->sentence, MEMORY_OUT);
        free(bytes);
        return -1;
    }
    struct head head = {.about = about,
                        .located = located,
                        .sim = sim,
                        .rows_sum = c->journal.sum,
                        .row = c->journal.size,
                        .rows = c->journal.rows,
                        .next = t->next,
                        .acted = t->acted,
                        .spent = c->spent + now - c->begin,
                        .looked = t->seconds};
    memcpy(head.magic, magic, sizeof magic);
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, c->about, about);
    put_located(&t->missing, bytes + sizeof head + about);
    keel_sim_save(t->sim, bytes + sizeof head + about + located, sim);
    head.sum = sum_of(bytes, count);
    memcpy(bytes, &head, sizeof head);
    int wrong = journal_settle(&c->journal) || write_all(c, bytes, count);
    free(bytes);
    return wrong ? -1 : 0;
}

int checkpoint_at(struct checkpoint *c, const struct trace *t, double now, int at_once) {
    if (!c->path || (!at_once && now - c->last < c->every) || t->failed) return 0;
    c->last = now;
    return save(c, t, now);
}

void checkpoint_forget(struct checkpoint *c) {
    if (!c->path) return;
    struct claim *claims[] = {c->state, c->rows, c->state_before, c->rows_before};
    for (int k = 0; k < 4; k++)
        if (claims[k]) claim_remove(claims[k]);
}

void checkpoint_close(struct checkpoint *c) {
    journal_close(&c->journal);
    struct claim *claims[] = {c->state, c->rows, c->state_before, c->rows_before};
    for (int k = 0; k < 4; k++) claim_close(claims[k]);
    free(c->about);
    free(c->bytes);
    *c = (struct checkpoint){0};
}
