/* shard.c - see shard.h. */
#include "cli/sweep/shard.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PARTS = 14, CHUNK = 8192 };
static const char magic[8] = "keelswp2", record_magic[8] = "keelblk1";

/* On the disk, as this machine has its numbers. */
struct head {
    char magic[8];
    uint64_t sum;    /* of what follows */
    uint64_t length; /* of the text behind it, a multiple of 8 */
    int64_t members, words, words_length;
    uint64_t sweep;
    int32_t columns, times, extrema, events;
};

struct record {
    char magic[8];
    uint64_t sum;    /* of what follows */
    uint64_t length; /* of the arrays behind it */
    int64_t index, first, events, text;
    int32_t count, columns, times, extrema;
};

/* FNV-1a over words of eight bytes. */
static uint64_t add_sum(uint64_t sum, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i += 8) {
        uint64_t word;
        memcpy(&word, (const unsigned char *)bytes + i, sizeof word);
        sum = (sum ^ word) * 1099511628211u;
    }
    return sum;
}

static uint64_t sum_of(const void *head, size_t size, const void *bytes, size_t count) {
    return add_sum(add_sum(14695981039346656037u, (const unsigned char *)head + 16, size - 16), bytes, count);
}

static size_t padded(size_t bytes) {
    return (bytes + 7) / 8 * 8;
}

char *shard_path(const char *out, int number) {
    size_t capacity = strlen(out) + sizeof SHARD_ENDING + 16;
    char *path = malloc(capacity);
    if (path && number) snprintf(path, capacity, "%s" SHARD_ENDING "-%d", out, number);
    else if (path) snprintf(path, capacity, "%s" SHARD_ENDING, out);
    return path;
}

/* Records ----------------------------------------------------------------------------------------------- */

struct part {
    const void **pointer; /* in the block */
    size_t bytes;
};

/* The arrays of a block with these sizes, one list for writing and reading; how long they are. */
static size_t list_parts(keel_block *b, const struct record *r, struct part part[PARTS]) {
    size_t count = (size_t)r->count, columns = (size_t)r->columns, numbers = count * columns * sizeof(double);
    size_t extrema = r->extrema ? numbers : 0, events = r->events >= 0 ? (size_t)r->events : 0, length = 0;
    const struct part list[PARTS] = {
        {(const void **)&b->sentence, count * sizeof *b->sentence},
        {(const void **)&b->steps, count * sizeof *b->steps},
        {(const void **)&b->t, count * sizeof *b->t},
        {(const void **)&b->drift, count * sizeof *b->drift},
        {(const void **)&b->correction, count * sizeof *b->correction},
        {(const void **)&b->defect, count * sizeof *b->defect},
        {(const void **)&b->value, numbers * (size_t)r->times},
        {(const void **)&b->low, extrema},
        {(const void **)&b->high, extrema},
        {(const void **)&b->mean, extrema},
        {(const void **)&b->event_first, r->events >= 0 ? (count + 1) * sizeof *b->event_first : 0},
        {(const void **)&b->event_t, events * sizeof *b->event_t},
        {(const void **)&b->event_value, events * columns * sizeof *b->event_value},
        {(const void **)&b->text, (size_t)r->text},
    };
    memcpy(part, list, sizeof list);
    for (int k = 0; k < PARTS; k++) length += padded(part[k].bytes);
    return length + 2 * padded(count * sizeof *b->status);
}

static int reserve(struct shard *s, size_t bytes) {
    if (bytes <= s->capacity) return 0;
    unsigned char *wider = realloc(s->bytes, bytes);
    if (!wider) return errno = ENOMEM, -1;
    s->bytes = wider;
    s->capacity = bytes;
    return 0;
}

static void put_part(unsigned char **at, const void *from, size_t bytes) {
    if (bytes) memcpy(*at, from, bytes);
    memset(*at + bytes, 0, padded(bytes) - bytes);
    *at += padded(bytes);
}

int shard_add(struct shard *s, const keel_block *b) {
    keel_block copy = *b;
    struct part part[PARTS];
    struct record r = {.index = b->index,
                       .first = b->first,
                       .events = b->event_first ? b->event_first[b->count] : -1,
                       .text = b->text_length,
                       .count = b->count,
                       .columns = b->columns,
                       .times = b->times,
                       .extrema = b->low != NULL};
    memcpy(r.magic, record_magic, sizeof magic);
    r.length = list_parts(&copy, &r, part);
    if (reserve(s, sizeof r + r.length)) return -1;
    unsigned char *at = s->bytes + sizeof r;
    for (int k = 0; k < PARTS; k++) put_part(&at, *part[k].pointer, part[k].bytes);
    put_part(&at, b->status, (size_t)b->count * sizeof *b->status);
    put_part(&at, b->row, (size_t)b->count * sizeof *b->row);
    r.sum = sum_of(&r, sizeof r, s->bytes + sizeof r, r.length);
    memcpy(s->bytes, &r, sizeof r);
    errno = 0;
    if (fseeko(s->stream, s->end, SEEK_SET) == 0 &&
        fwrite(s->bytes, 1, sizeof r + r.length, s->stream) == sizeof r + r.length &&
        fflush(s->stream) == 0) {
        s->end += (int64_t)(sizeof r + r.length);
        return 0;
    }
    if (!errno) errno = EIO;
    return -1;
}

/* Do the sizes of a record fit the sweep?  Then its length is bounded, too. */
static int fits(const struct shard *s, const struct record *r) {
    const struct shard_head *h = &s->head;
    return memcmp(r->magic, record_magic, sizeof magic) == 0 && r->index >= 0 && r->count > 0 &&
           r->count <= KEEL_BLOCK && r->first == r->index * KEEL_BLOCK && r->first + r->count <= h->members &&
           r->columns == h->columns && r->times == h->times && r->extrema == h->extrema &&
           (r->events >= 0) == (h->events != 0) && r->events < INT64_C(1) << 40 && r->text >= 0 &&
           r->text < INT64_C(1) << 32;
}

static int pointers_fit(const keel_block *b, int64_t text, int64_t events) {
    for (int i = 0; i < b->count; i++) {
        if (b->sentence[i] < -1 || b->sentence[i] >= text) return 0;
        if (b->event_first && (b->event_first[i] < 0 || b->event_first[i] > b->event_first[i + 1] ||
                               b->event_first[i + 1] > events))
            return 0;
    }
    return text == 0 || b->text[text - 1] == '\0';
}

/* The record that begins at `place`: 1; 0: there is no whole one; -1 without memory. */
int shard_read(struct shard *s, int64_t place, keel_block *b) {
    struct record r;
    struct part part[PARTS];
    struct stat about;
    if (fseeko(s->stream, place, SEEK_SET) || fread(&r, sizeof r, 1, s->stream) != 1 || !fits(s, &r))
        return 0;
    *b = (keel_block){.index = r.index,
                      .first = r.first,
                      .count = r.count,
                      .columns = r.columns,
                      .times = r.times,
                      .text_length = r.text};
    int whole = r.length == list_parts(b, &r, part) && fstat(fileno(s->stream), &about) == 0 &&
                r.length <= (uint64_t)about.st_size;
    if (whole && reserve(s, r.length)) return -1;
    whole = whole && fread(s->bytes, 1, r.length, s->stream) == r.length &&
            r.sum == sum_of(&r, sizeof r, s->bytes, r.length);
    if (!whole) return 0;
    const unsigned char *at = s->bytes;
    for (int k = 0; k < PARTS; k++) {
        *part[k].pointer = part[k].bytes ? at : NULL;
        at += padded(part[k].bytes);
    }
    if (r.events >= 0 && !b->event_t) b->event_t = b->event_value = (const double *)(const void *)at;
    b->status = (const int32_t *)(const void *)at;
    at += padded((size_t)r.count * sizeof *b->status);
    b->row = (const int32_t *)(const void *)at;
    return pointers_fit(b, r.text, r.events);
}

/* Where bytes that begin a record stand next, from `place` on; -1: nowhere. */
static int64_t next_mark(struct shard *s, int64_t place) {
    char bytes[CHUNK];
    if (fseeko(s->stream, place, SEEK_SET)) return -1;
    for (size_t count; (count = fread(bytes, 8, CHUNK / 8, s->stream)) > 0; place += (int64_t)(8 * count))
        for (size_t i = 0; i < count; i++)
            if (memcmp(bytes + 8 * i, record_magic, sizeof record_magic) == 0)
                return place + (int64_t)(8 * i);
    return -1;
}

int shard_next(struct shard *s, keel_block *b, int64_t *place) {
    int found = 0;
    *place = s->end;
    while (*place >= 0 && (found = shard_read(s, *place, b)) == 0) *place = next_mark(s, *place + 8);
    if (found <= 0) return found;
    s->damaged |= *place > s->end;
    s->end = ftello(s->stream);
    return 1;
}

/* The head ---------------------------------------------------------------------------------------------- */

static int write_head(struct shard *s, const struct shard_head *h) {
    size_t words = 0, model = strlen(h->model) + 1;
    for (int i = 0; i < h->count; i++) words += strlen(h->word[i]) + 1;
    struct head head = {.members = h->members,
                        .words = h->count,
                        .sweep = h->sweep,
                        .words_length = (int64_t)words,
                        .columns = h->columns,
                        .times = h->times,
                        .extrema = h->extrema,
                        .events = h->events,
                        .length = padded(words + model)};
    memcpy(head.magic, magic, sizeof magic);
    if (reserve(s, sizeof head + head.length)) return -1;
    unsigned char *begin = s->bytes + sizeof head, *at = begin;
    memset(at, 0, head.length);
    for (int i = 0; i < h->count; i++) {
        memcpy(at, h->word[i], strlen(h->word[i]) + 1);
        at += strlen(h->word[i]) + 1;
    }
    memcpy(at, h->model, model);
    head.sum = sum_of(&head, sizeof head, begin, head.length);
    memcpy(s->bytes, &head, sizeof head);
    s->end = (int64_t)(sizeof head + head.length);
    errno = 0;
    if (write(fileno(s->stream), s->bytes, (size_t)s->end) == s->end) return 0; /* at once, or not at all */
    if (!errno) errno = ENOSPC;
    return -1;
}

int shard_create(struct shard *s, struct job *j, const char *path, const struct shard_head *head) {
    *s = (struct shard){.head = *head};
    s->head.count = 0, s->head.word = NULL, s->head.model = NULL; /* these are the caller's */
    s->claim = output_claim(j, path, KIND_BLOCKS);
    if (!s->claim) return j->status;
    int handle = claim_grow(s->claim, 1);
    s->stream = handle >= 0 ? fdopen(handle, "w+b") : NULL;
    if (s->stream && write_head(s, head) == 0) return 0;
    int error = errno;
    claim_remove(s->claim); /* it holds nothing */
    return job_fail(j, EXIT_FAILED, "%.300s cannot be written: %s", s->claim->path, strerror(error));
}

/* The words and the model's text, once the sum is right. */
static int take_head(struct shard *s, const struct head *head) {
    struct shard_head *h = &s->head;
    *h = (struct shard_head){.members = head->members,
                             .sweep = head->sweep,
                             .columns = head->columns,
                             .times = head->times,
                             .extrema = head->extrema,
                             .events = head->events};
    if (head->words < 1 || head->words > 100000 || head->words_length < head->words ||
        (uint64_t)head->words_length >= head->length || head->members < 1 || head->columns < 1 ||
        head->times < 1)
        return -1;
    h->word = calloc((size_t)head->words + 1, sizeof *h->word);
    if (!h->word) return -1;
    char *at = s->text, *end = s->text + head->words_length;
    for (; h->count < head->words && at < end; at += strlen(at) + 1) h->word[h->count++] = at;
    h->model = end;
    return h->count == head->words && at == end ? 0 : -1;
}

static int read_head(struct shard *s, const char *path, char *why, size_t capacity) {
    struct head head;
    struct stat about;
    int good = s->stream && fstat(fileno(s->stream), &about) == 0 &&
               fread(&head, sizeof head, 1, s->stream) == 1 && memcmp(head.magic, magic, sizeof magic) == 0 &&
               head.length % 8 == 0 && head.length <= (uint64_t)about.st_size;
    s->text = good ? malloc(head.length + 1) : NULL;
    good = s->text && fread(s->text, 1, head.length, s->stream) == head.length &&
           head.sum == sum_of(&head, sizeof head, s->text, head.length);
    if (good) s->text[head.length] = '\0';
    s->end = (int64_t)(sizeof head + (good ? head.length : 0));
    if (good && take_head(s, &head) == 0) return 0;
    text_set(why, capacity,
             "%.300s is damaged, or of another version of keel; once it is removed its blocks are computed "
             "again",
             path);
    return -1;
}

int shard_probe(struct shard *s, const char *path, char *why, size_t capacity) {
    *s = (struct shard){.stream = fopen(path, "rb")};
    if (s->stream) return read_head(s, path, why, capacity);
    text_set(why, capacity, "%.300s cannot be read: %s", path, strerror(errno));
    return -1;
}

int shard_open(struct shard *s, const char *path, char *why, size_t capacity) {
    *s = (struct shard){0};
    s->claim = claim_open(path, KIND_BLOCKS, 0, why, capacity);
    if (!s->claim) return -1;
    if (!s->claim->there) return text_set(why, capacity, "there is no file %.300s", path), -1;
    int handle = claim_grow(s->claim, 0);
    s->stream = handle >= 0 ? fdopen(handle, "r+b") : NULL;
    return read_head(s, path, why, capacity);
}

int shard_cut(struct shard *s) {
    return fflush(s->stream) == 0 && ftruncate(fileno(s->stream), s->end) == 0 &&
                   fseeko(s->stream, s->end, SEEK_SET) == 0
               ? 0
               : -1;
}

int shard_settle(struct shard *s) {
    errno = 0;
    if (fflush(s->stream) == 0 && fdatasync(fileno(s->stream)) == 0) return 0;
    if (!errno) errno = EIO;
    return -1;
}

void shard_remove(struct shard *s) {
    if (s->claim) claim_remove(s->claim);
}

void shard_close(struct shard *s) {
    if (s->stream) fclose(s->stream);
    claim_close(s->claim);
    free(s->head.word);
    free(s->text);
    free(s->bytes);
    *s = (struct shard){0};
}
