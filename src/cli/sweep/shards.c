/* shards.c - see shards.h. */
#include "cli/sweep/shards.h"

#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Names ------------------------------------------------------------------------------------------------- */

static int add_name(struct shards_names *n, const char *folder, const char *name) {
    size_t capacity = strlen(folder) + strlen(name) + 2;
    char **wider = realloc(n->path, ((size_t)n->count + 1) * sizeof *wider);
    if (!wider) return -1;
    n->path = wider;
    n->path[n->count] = malloc(capacity);
    if (!n->path[n->count]) return -1;
    snprintf(n->path[n->count++], capacity, "%s%s%s", folder, folder[0] ? "/" : "", name);
    return 0;
}

/* Is it that of a shard, of the output `base` where one is given? */
static int is_shard(const char *name, const char *base) {
    const char *ending = strstr(name, SHARD_ENDING);
    for (const char *later; ending && (later = strstr(ending + 1, SHARD_ENDING));) ending = later;
    if (!ending || (base && (strlen(base) != (size_t)(ending - name) ||
                             strncmp(base, name, (size_t)(ending - name)) != 0)))
        return 0;
    ending += strlen(SHARD_ENDING);
    return *ending == '\0' ||
           (*ending == '-' && ending[1] && strspn(ending + 1, "0123456789") == strlen(ending + 1));
}

/* A process that was killed before it wrote anything leaves an empty file, which is none. */
static int is_empty(int folder, const char *name) {
    struct stat about;
    return fstatat(folder, name, &about, 0) == 0 && about.st_size == 0;
}

/* By length, then by letters: -2 before -10. */
static int by_number(const void *a, const void *b) {
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    size_t m = strlen(x), n = strlen(y);
    return m != n ? (m > n) - (m < n) : strcmp(x, y);
}

int shards_find(struct shards_names *n, const char *out) {
    struct stat about;
    int folder = stat(out, &about) == 0 && S_ISDIR(about.st_mode);
    const char *slash = strrchr(out, '/'), *base = folder ? NULL : slash ? slash + 1 : out;
    if (base && is_shard(base, NULL)) return add_name(n, "", out);
    char *place = strdup(folder || slash ? out : "");
    if (!place) return -1;
    if (!folder && slash) place[slash - out] = '\0';
    DIR *all = opendir(place[0] ? place : slash ? "/" : ".");
    int wrong = 0, first = n->count;
    for (struct dirent *entry; all && !wrong && (entry = readdir(all));)
        if (is_shard(entry->d_name, base) && !is_empty(dirfd(all), entry->d_name))
            wrong = add_name(n, slash && !place[0] ? "/" : place, entry->d_name);
    if (all) closedir(all);
    free(place);
    if (n->count > first) qsort(n->path + first, (size_t)(n->count - first), sizeof *n->path, by_number);
    return wrong;
}

void shards_forget(struct shards_names *n) {
    for (int i = 0; i < n->count; i++) free(n->path[i]);
    free(n->path);
    *n = (struct shards_names){0};
}

/* Opening ----------------------------------------------------------------------------------------------- */

static int reserve(struct shards *s, int64_t members) {
    struct shard *wider = realloc(s->shard, ((size_t)s->count + 1) * sizeof *wider);
    if (!wider) return -1;
    s->shard = wider;
    s->shard[s->count] = (struct shard){0};
    if (s->place) return 0;
    s->blocks = (members + KEEL_BLOCK - 1) / KEEL_BLOCK;
    s->place = malloc((size_t)s->blocks * sizeof *s->place);
    for (int64_t k = 0; k < s->blocks && s->place; k++) s->place[k] = (struct shards_place){0, -1};
    return s->place ? 0 : -1;
}

static int write_failed(struct job *j, const struct shard *s) {
    return job_fail(j, EXIT_FAILED, "%.300s cannot be written: %s", s->claim->path, strerror(errno));
}

/* Each block once, whoever else has computed it. */
static int read_through(struct shards *s, struct job *j, int number) {
    struct shard *one = &s->shard[number];
    keel_block b;
    int64_t at;
    int found;
    while ((found = shard_next(one, &b, &at)) > 0) {
        if (s->place[b.index].shard >= 0) continue;
        s->place[b.index] = (struct shards_place){at, number};
        s->found++;
    }
    if (found < 0) return job_no_memory(j);
    if (one->damaged)
        message_note(&j->messages, "keel: %.300s is damaged in places: those blocks are missing",
                     one->claim->path);
    return shard_cut(one) ? write_failed(j, one) : 0;
}

/* Why a shard is not one of the sweep. */
static int refuse_other(struct job *j, const char *path, const struct shard *one,
                        const struct shard_head *head) {
    if (head->model && strcmp(one->head.model, head->model) != 0)
        return job_fail(j, EXIT_FAILED, "%.200s has changed since the sweep began: it cannot go on", j->path);
    return job_fail(j, EXIT_FAILED,
                    "%.250s is of another sweep: the options, a table or keel itself have changed since it "
                    "began",
                    path);
}

static int open_one(struct shards *s, struct job *j, const char *path, const struct shard_head *head) {
    char why[JOB_SENTENCE];
    struct shard one;
    if (shard_open(&one, path, why, sizeof why))
        job_fail(j, EXIT_FAILED, "%s", memory_is_out() ? MEMORY_OUT : why);
    else if (head && one.head.sweep != head->sweep) refuse_other(j, path, &one, head);
    else if (reserve(s, one.head.members)) job_no_memory(j);
    if (j->status) return shard_close(&one), j->status;
    s->shard[s->count++] = one;
    return read_through(s, j, s->count - 1);
}

int shards_open(struct shards *s, struct job *j, const struct shards_names *n,
                const struct shard_head *head) {
    for (int i = 0; i < n->count && !j->status; i++)
        open_one(s, j, n->path[i], head || i == 0 ? head : &s->shard[0].head);
    return j->status;
}

int shards_own(struct shards *s, struct job *j, const char *path, const struct shard_head *head) {
    struct shards_names one = {.path = (char *[]){(char *)path}, .count = 1};
    struct stat about;
    for (int i = 0; i < s->count; i++)
        if (strcmp(s->shard[i].claim->path, path) == 0) return i;
    if (stat(path, &about) == 0 && about.st_size) return shards_open(s, j, &one, head) ? -1 : s->count - 1;
    if (reserve(s, head->members)) return job_no_memory(j), -1;
    return shard_create(&s->shard[s->count++], j, path, head) ? -1 : s->count - 1;
}

/* Blocks ------------------------------------------------------------------------------------------------ */

int shards_add(struct shards *s, int own, const keel_block *b) {
    int64_t at = s->shard[own].end;
    if (shard_add(&s->shard[own], b)) return -1;
    s->found += s->place[b->index].shard < 0;
    s->place[b->index] = (struct shards_place){at, own};
    return 0;
}

int shards_read(struct shards *s, struct job *j, int64_t index, keel_block *b) {
    if (index >= s->blocks || s->place[index].shard < 0) return 0;
    const struct shards_place *p = &s->place[index];
    int found = shard_read(&s->shard[p->shard], p->at, b);
    if (found > 0) return 1;
    if (found < 0) return job_no_memory(j), -1;
    return job_fail(j, EXIT_FAILED, "%.300s cannot be read: it has changed on the disk",
                    s->shard[p->shard].claim->path),
           -1;
}

void shards_remove(struct shards *s) {
    for (int i = 0; i < s->count; i++) shard_remove(&s->shard[i]);
}

void shards_close(struct shards *s) {
    for (int i = 0; i < s->count; i++) shard_close(&s->shard[i]);
    free(s->shard);
    free(s->place);
    *s = (struct shards){0};
}
