/* file.c - see file.h. */
#include "cli/file.h"

#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 1 << 17, TAIL = 40 };

static int refuse(struct file *f, const char *path, const char *what, char *why, size_t room) {
    text_set(why, room, "%.300s cannot be written: %s", path, what);
    file_drop(f);
    return -1;
}

static char *copy_of(const char *text, size_t more) {
    size_t length = strlen(text);
    char *copy = malloc(length + more + 1);
    if (copy) memcpy(copy, text, length + 1);
    return copy;
}

static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = copy_of(slash ? path : ".", 0);
    if (folder && slash) folder[slash == path ? 1 : slash - path] = '\0';
    return folder;
}

/* Behind a link its target is what is written. */
static char *target_of(const char *path) {
    struct stat about;
    char *target = lstat(path, &about) == 0 && S_ISLNK(about.st_mode) ? realpath(path, NULL) : NULL;
    return target ? target : copy_of(path, 0);
}

static struct flock whole_file(void) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return lock;
}

/* A part that nobody holds was left behind. */
static void sweep_one(int folder, const char *name) {
    struct flock lock = whole_file();
    int handle = openat(folder, name, O_RDWR | O_NOFOLLOW);
    if (handle < 0) return;
    if (fcntl(handle, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK) unlinkat(folder, name, 0);
    close(handle);
}

static void sweep(const char *path) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char *name = folder_of(path);
    DIR *folder = name ? opendir(name) : NULL;
    size_t length = strlen(base);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        const char *tail = entry->d_name + length;
        if (strncmp(entry->d_name, base, length) != 0 || strncmp(tail, ".part-", 6) != 0) continue;
        if (tail[6] && strspn(tail + 6, "0123456789") == strlen(tail + 6))
            sweep_one(dirfd(folder), entry->d_name);
    }
    if (folder) closedir(folder);
    free(name);
}

int file_open(struct file *f, const char *path, char *why, size_t room) {
    struct stat about;
    *f = (struct file){0};
    f->path = target_of(path);
    if (!f->path) return refuse(f, path, "there is not enough memory", why, room);
    int there = stat(f->path, &about) == 0;
    if (there && S_ISDIR(about.st_mode)) return refuse(f, path, "it is a directory", why, room);
    if (!there || S_ISREG(about.st_mode)) {
        f->part = copy_of(f->path, TAIL);
        if (!f->part) return refuse(f, path, "there is not enough memory", why, room);
        snprintf(f->part + strlen(f->path), TAIL, ".part-%ld", (long)getpid());
        sweep(f->path);
    }
    f->stream = fopen(f->part ? f->part : f->path, "wb");
    if (!f->stream) {
        int error = errno;
        free(f->part); /* it is not ours */
        f->part = NULL;
        return refuse(f, path, strerror(error), why, room);
    }
    struct flock lock = whole_file();
    if (f->part) fcntl(fileno(f->stream), F_SETLK, &lock);
    setvbuf(f->stream, NULL, _IOFBF, BUFFER);
    return 0;
}

int file_put(struct file *f, const void *bytes, size_t count) {
    if (f->error) return -1;
    errno = 0;
    if (fwrite(bytes, 1, count, f->stream) == count) return 0;
    f->error = errno ? errno : EIO;
    return -1;
}

void file_sentence(const struct file *f, char *why, size_t room) {
    text_set(why, room, "%.300s cannot be written: %s", f->path, strerror(f->error ? f->error : EIO));
}

/* The name itself is on the disk, too; where folders cannot be synchronised nothing is lost. */
static void settle_folder(const char *path) {
    char *folder = folder_of(path);
    int handle = folder ? open(folder, O_RDONLY) : -1;
    if (handle >= 0) {
        fsync(handle);
        close(handle);
    }
    free(folder);
}

int file_keep(struct file *f, char *why, size_t room) {
    errno = 0;
    int bad = f->error || ferror(f->stream) || fflush(f->stream) || (f->part && fsync(fileno(f->stream)));
    if (bad && !f->error) f->error = errno ? errno : EIO;
    errno = 0;
    if (fclose(f->stream) && !f->error) f->error = errno ? errno : EIO;
    f->stream = NULL;
    if (!f->error && f->part && rename(f->part, f->path)) f->error = errno;
    if (f->error) {
        file_sentence(f, why, room);
        file_drop(f);
        return -1;
    }
    if (f->part) settle_folder(f->path);
    free(f->part);
    f->part = NULL;
    file_drop(f);
    return 0;
}

void file_drop(struct file *f) {
    if (f->stream) fclose(f->stream);
    if (f->part) unlink(f->part);
    free(f->path);
    free(f->part);
    *f = (struct file){0};
}

unsigned char *file_read(const char *path, size_t *count, char *why, size_t room) {
    FILE *in = fopen(path, "rb");
    unsigned char *bytes = NULL;
    size_t space = 0, got = 0;
    errno = in ? 0 : errno;
    while (in && !ferror(in) && !feof(in)) {
        if (got == space) {
            unsigned char *wider = realloc(bytes, space = 2 * space + 65536);
            if (!wider) break;
            bytes = wider;
        }
        got += fread(bytes + got, 1, space - got, in);
    }
    int good = in && feof(in) && !ferror(in);
    if (!good) {
        text_set(why, room, "%.300s cannot be read: %s", path, strerror(errno ? errno : ENOMEM));
        free(bytes);
        bytes = NULL;
    }
    if (in) fclose(in);
    *count = got;
    return bytes;
}
