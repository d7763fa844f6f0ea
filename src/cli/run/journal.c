/* journal.c - see journal.h. */
#include "cli/run/journal.h"

#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char magic[8] = "keelrow1";

struct head {
    double t;
    int32_t kind, mode, event, unused;
};

/* FNV-1a over words of eight bytes. */
static uint64_t add_sum(uint64_t sum, const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, sizeof word);
        sum = (sum ^ word) * 1099511628211u;
    }
    return sum;
}

static int journal_fail(struct journal *l, const char *what) {
    return job_fail(l->job, EXIT_FAILED, "%.300s cannot be written: %s", l->path, what);
}

/* 0; an exit status; or -1 with errno. */
static int begin(struct journal *l, struct job *j, const struct trace *t, struct claim *claim, int fresh) {
    size_t numbers = (size_t)t->columns * (t->exacts ? 2 : 1) + (size_t)t->rows;
    *l = (struct journal){.job = j,
                          .trace = t,
                          .path = claim->path,
                          .size = sizeof(struct head) + numbers * sizeof(double),
                          .sum = 14695981039346656037u};
    l->row = malloc(l->size);
    if (!l->row) return job_no_memory(j);
    int handle = claim_grow(claim, fresh);
    l->stream = handle >= 0 ? fdopen(handle, fresh ? "wb" : "r+b") : NULL;
    if (!l->stream && handle >= 0) close(handle);
    return l->stream ? 0 : -1;
}

int journal_create(struct journal *l, struct job *j, const struct trace *t, struct claim *claim) {
    int wrong = begin(l, j, t, claim, 1);
    if (wrong == 0 && (fwrite(magic, sizeof magic, 1, l->stream) != 1 || fflush(l->stream))) wrong = -1;
    return wrong < 0 ? journal_fail(l, strerror(errno)) : wrong;
}

/* The numbers of a row stand as the trace has them. */
int journal_row(void *journal, const struct trace_row *row) {
    struct journal *l = journal;
    struct head head = {row->t, (int32_t)row->kind, row->mode, row->event != NULL, 0};
    unsigned char *at = l->row + sizeof head;
    const struct trace *t = l->trace;
    size_t values = (size_t)t->columns * sizeof(double), drifts = (size_t)t->rows * sizeof(double);
    memcpy(l->row, &head, sizeof head);
    memcpy(at, row->value, values);
    if (drifts) memcpy(at + values, row->drift, drifts);
    if (t->exacts) memcpy(at + values + drifts, row->error, values);
    l->sum = add_sum(l->sum, l->row, l->size);
    l->rows++;
    errno = 0;
    if (fwrite(l->row, l->size, 1, l->stream) == 1) return 0;
    text_set(l->job->sentence, sizeof l->job->sentence, "%.300s cannot be written: %s", l->path,
             strerror(errno ? errno : EIO));
    return -1;
}

/* Events stand in the journal in the order in which they happened. */
static int give(struct journal *l, struct trace *t, double *numbers) {
    struct head head;
    keel_event_record one = {0};
    size_t columns = (size_t)t->columns, rows = (size_t)t->rows;
    memcpy(&head, l->row, sizeof head);
    memcpy(numbers, l->row + sizeof head, l->size - sizeof head);
    if (!t->exacts)
        for (size_t i = 0; i < columns; i++) numbers[columns + rows + i] = NAN;
    if (head.event && !keel_sim_event(t->sim, t->events++, &one)) return -1;
    struct trace_row row = {(enum trace_kind)head.kind, head.t,    numbers,  numbers + columns,
                            numbers + columns + rows,   head.mode, one.event};
    trace_give(t, &row);
    return t->failed ? -1 : 0;
}

/* Twice over the file: nothing is given of rows that are not all sound. */
int journal_resume(struct journal *l, struct job *j, struct trace *t, struct claim *claim, int64_t rows,
                   uint64_t sum) {
    char first[sizeof magic] = "";
    int wrong = begin(l, j, t, claim, 0);
    if (wrong)
        return wrong < 0 ? job_fail(j, EXIT_FAILED, "%.300s cannot be read: %s", claim->path, strerror(errno))
                         : wrong;
    int whole = fread(first, sizeof first, 1, l->stream) == 1 && memcmp(first, magic, sizeof magic) == 0;
    while (whole && l->rows < rows && fread(l->row, l->size, 1, l->stream) == 1) {
        l->sum = add_sum(l->sum, l->row, l->size);
        l->rows++;
    }
    if (!whole || l->rows != rows || l->sum != sum)
        return job_fail(j, EXIT_FAILED, "%.300s, the rows of the interrupted run, is damaged", claim->path);
    double *numbers = malloc((2 * (size_t)t->columns + (size_t)t->rows + 1) * sizeof *numbers);
    if (!numbers) return job_no_memory(j);
    wrong = fseek(l->stream, sizeof magic, SEEK_SET) != 0;
    for (int64_t i = 0; i < rows && !wrong; i++)
        wrong = fread(l->row, l->size, 1, l->stream) != 1 || give(l, t, numbers);
    free(numbers);
    if (wrong) return t->failed ? j->status = EXIT_FAILED : journal_fail(l, "its rows do not fit the run");
    errno = 0;
    if (fseek(l->stream, 0, SEEK_CUR) ||
        ftruncate(fileno(l->stream), (off_t)(sizeof magic + (size_t)rows * l->size)))
        return journal_fail(l, strerror(errno));
    return 0;
}

int journal_settle(struct journal *l) {
    errno = 0;
    if (fflush(l->stream) == 0 && fdatasync(fileno(l->stream)) == 0) return 0;
    text_set(l->job->sentence, sizeof l->job->sentence, "%.300s cannot be written: %s", l->path,
             strerror(errno ? errno : EIO));
    return -1;
}

void journal_close(struct journal *l) {
    if (l->stream) fclose(l->stream);
    free(l->row);
    *l = (struct journal){0};
}
