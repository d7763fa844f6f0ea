/* claim.c - see claim.h. */
#include "cli/files/claim.h"

#include "base/text.h"
#include "cli/terminal/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

enum { DIGITS = 16, TRIES = 100 };
#define LOCK ".keel-lock"
#define PART ".part-"
#define KEPT ".kept-"

static struct claim *refuse(struct claim *c, const char *path, const char *what, char *why, size_t capacity) {
    text_set(why, capacity, "%.300s cannot be written: %s", path, what);
    claim_close(c);
    return NULL;
}

static char *joined(const char *text, const char *tail) {
    size_t capacity = strlen(text) + strlen(tail) + 1;
    char *both = malloc(capacity);
    if (both) snprintf(both, capacity, "%s%s", text, tail);
    return both;
}

static int same_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Is the name still that of the open file? */
static int is_named(int handle, const char *path) {
    struct stat open_file, named;
    return fstat(handle, &open_file) == 0 && lstat(path, &named) == 0 && same_file(&open_file, &named);
}

/* What is there ----------------------------------------------------------------------------------------- */

static int unchanged(const struct stat *a, const struct stat *b) {
    return same_file(a, b) && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* One of the program's own streams, by the names that systems give them: its number, or -1. */
static int stream_number(const char *path) {
    static const char *const folder[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
    for (int k = 0; k < 2; k++) {
        const char *digits = path + strlen(folder[k]);
        if (strncmp(path, folder[k], strlen(folder[k])) != 0) continue;
        if (*digits && strlen(digits) < 6 && strspn(digits, "0123456789") == strlen(digits))
            return atoi(digits);
    }
    return -1;
}

static int is_stream(const char *path) {
    struct stat about;
    return stream_number(path) >= 0 ||
           (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode));
}

static int is_own_kind(const char *path, enum kind kind) {
    int handle = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (handle < 0) return 0;
    int own = kind_is(kind, handle);
    close(handle);
    return own;
}

static int ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcmp(path + length - tail, ending) == 0;
}

/* May it be replaced?  0, or -1 with a sentence. */
static int check_target(const struct claim *c, const char *path, char *why, size_t capacity) {
    char target[200] = "";
    if (!c->there || (c->force && !S_ISDIR(c->before.st_mode))) return 0;
    if (S_ISDIR(c->before.st_mode))
        return text_set(why, capacity, "%.300s cannot be written: it is a directory", path), -1;
    if (S_ISLNK(c->before.st_mode)) {
        if (readlink(path, target, sizeof target - 1) < 0) target[0] = '\0';
        text_set(
            why, capacity,
            "%.200s is a link to %.199s and is not followed: give the file's own name, or --force to replace "
            "the link",
            path, target);
        return -1;
    }
    if (is_own_kind(path, c->kind)) return 0;
    text_set(why, capacity,
             "%.300s is not %s and stays as it is: give another name, or --force to replace it", path,
             kind_name(c->kind));
    return -1;
}

/* The lock ---------------------------------------------------------------------------------------------- */

enum lock { LOCK_HELD, LOCK_BUSY, LOCK_WRONG, LOCK_AGAIN };

static enum lock try_lock(struct claim *c) {
    struct stat about;
    int made = 1, handle = open(c->lock, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (handle < 0 && errno == EEXIST)
        made = 0, handle = open(c->lock, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (handle < 0) return !made && errno == ENOENT ? LOCK_AGAIN : LOCK_WRONG;
    c->handle = handle;
    if (fstat(handle, &about) || !S_ISREG(about.st_mode) || about.st_size) return errno = EEXIST, LOCK_WRONG;
    if (flock(handle, LOCK_EX | LOCK_NB)) {
        if (errno == EWOULDBLOCK) return LOCK_BUSY;
        if (!made) return LOCK_BUSY; /* no locks here: whoever made it may be at work */
    }
    if (is_named(handle, c->lock)) return LOCK_HELD;
    close(handle); /* its owner has just removed it */
    c->handle = -1;
    return LOCK_AGAIN;
}

static enum lock take_lock(struct claim *c) {
    enum lock state = LOCK_AGAIN;
    for (int k = 0; k < TRIES && state == LOCK_AGAIN; k++) state = try_lock(c);
    if (state != LOCK_HELD && c->handle >= 0) {
        int error = errno;
        close(c->handle); /* not ours to remove */
        c->handle = -1;
        errno = error;
    }
    return state;
}

/* Under the lock every part is one that a killed process left behind. */
static void sweep(const struct claim *c) {
    const char *slash = strrchr(c->path, '/'), *base = slash ? slash + 1 : c->path;
    size_t length = strlen(base), tail = strlen(PART);
    char *name = joined(slash ? c->path : ".", "");
    if (name && slash) name[slash == c->path ? 1 : slash - c->path] = '\0';
    DIR *folder = name ? opendir(name) : NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        const char *digits = entry->d_name + length + tail;
        struct stat about;
        if (strncmp(entry->d_name, base, length) != 0 || strncmp(entry->d_name + length, PART, tail) != 0)
            continue;
        if (strlen(digits) != DIGITS || strspn(digits, "0123456789abcdef") != DIGITS) continue;
        if (fstatat(dirfd(folder), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(about.st_mode) && about.st_uid == geteuid())
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder) closedir(folder);
    free(name);
}

struct claim *claim_open(const char *path, enum kind kind, int force, char *why, size_t capacity) {
    struct claim *c = calloc(1, sizeof *c);
    if (c) *c = (struct claim){.path = joined(path, ""), .lock = joined(path, LOCK), .handle = -1};
    if (!c || !c->path || !c->lock) return memory_out(), refuse(c, path, MEMORY_OUT, why, capacity);
    c->kind = kind;
    c->force = force;
    if (kind != KIND_MODEL && ends_with(path, ".keel"))
        return refuse(c, path, "a name that ends in .keel is that of a model", why, capacity);
    c->stream = is_stream(path);
    if (c->stream) return c;
    switch (take_lock(c)) {
    case LOCK_HELD:
        break;
    case LOCK_WRONG:
        if (errno == EEXIST || errno == ELOOP)
            text_set(why, capacity, "%.300s is in the way: it is no lock of keel", c->lock);
        else text_set(why, capacity, "%.300s cannot be written: %s", path, strerror(errno));
        return claim_close(c), NULL;
    default:
        text_set(why, capacity, "%.300s is being written by another run of keel (it holds %.300s)", path,
                 c->lock);
        return claim_close(c), NULL;
    }
    c->there = lstat(path, &c->before) == 0;
    if (check_target(c, path, why, capacity)) return claim_close(c), NULL;
    sweep(c);
    return c;
}

void claim_close(struct claim *c) {
    if (!c) return;
    if (c->handle >= 0) {
        if (is_named(c->handle, c->lock)) unlink(c->lock);
        close(c->handle);
    }
    free(c->path);
    free(c->lock);
    free(c);
}

/* Writing ----------------------------------------------------------------------------------------------- */

int claim_part(const struct claim *c, char **part) {
    char tail[sizeof PART + DIGITS];
    for (int k = 0; k < TRIES; k++) {
        uint64_t random;
        if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random) return -1;
        snprintf(tail, sizeof tail, PART "%016llx", (unsigned long long)random);
        *part = joined(c->path, tail);
        if (!*part) return errno = ENOMEM, -1;
        int handle = open(*part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (handle >= 0) return handle;
        int error = errno;
        free(*part);
        *part = NULL;
        errno = error;
        if (error != EEXIST) return -1;
    }
    return -1;
}

int claim_stream(const struct claim *c) {
    int number = stream_number(c->path);
    if (number >= 0) return fcntl(number, F_DUPFD_CLOEXEC, 3);
    struct stat about;
    int handle = open(c->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (handle >= 0 && (fstat(handle, &about) || S_ISREG(about.st_mode))) {
        close(handle); /* it was none a moment ago */
        return errno = EEXIST, -1;
    }
    return handle;
}

int claim_grow(struct claim *c, int fresh) {
    struct stat now;
    if (fresh && c->there && (lstat(c->path, &now) || (!c->force && !unchanged(&now, &c->before))))
        return errno = EEXIST, -1;
    if (fresh && c->there && unlink(c->path)) return -1;
    int handle = open(c->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | (fresh ? O_CREAT | O_EXCL : 0), 0666);
    if (handle < 0) return -1;
    c->there = fstat(handle, &c->before) == 0;
    if (S_ISREG(c->before.st_mode) && kind_is(c->kind, handle)) return handle;
    close(handle);
    return errno = EINVAL, -1;
}

/* Without replacing what is there now: by a link where the file system has links.  0, or -1 with errno. */
static int place_new(const char *part, const char *path) {
    struct stat about;
    if (link(part, path) == 0) return unlink(part), 0;
    if (errno == EEXIST || lstat(path, &about) == 0) return errno = EEXIST, -1;
    return rename(part, path);
}

/* The name belongs to somebody else now: the new file stays beside it. */
static int place_beside(const struct claim *c, const char *part, char *why, size_t capacity) {
    char *kept = joined(c->path, KEPT "0123456789abcdef");
    if (kept) memcpy(kept + strlen(c->path) + strlen(KEPT), part + strlen(part) - DIGITS, DIGITS);
    int moved = kept && rename(part, kept) == 0;
    text_set(
        why, capacity,
        "%.250s was changed by another program during the run and stays as it is; the new file is %.250s",
        c->path, moved ? kept : part);
    free(kept);
    return -1;
}

int claim_place(struct claim *c, const char *part, int handle, char *why, size_t capacity) {
    struct stat now;
    if (!is_named(handle, part)) {
        text_set(why, capacity, "%.300s cannot be written: another program has removed %.300s", c->path,
                 part);
        return -1;
    }
    int there = lstat(c->path, &now) == 0, wrong;
    if (!c->force && (there != c->there || (there && !unchanged(&now, &c->before))))
        return place_beside(c, part, why, capacity);
    wrong = there || c->force ? rename(part, c->path) : place_new(part, c->path);
    if (wrong && errno == EEXIST) return place_beside(c, part, why, capacity);
    if (wrong) {
        text_set(why, capacity, "%.300s cannot be written: %s", c->path, strerror(errno));
        unlink(part);
        return -1;
    }
    c->there = fstat(handle, &c->before) == 0;
    return 0;
}

void claim_remove(struct claim *c) {
    struct stat now;
    if (c->there && lstat(c->path, &now) == 0 && same_file(&now, &c->before)) unlink(c->path);
    c->there = 0;
}
