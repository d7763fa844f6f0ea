/* file.c - see file.h. */
#include "cli/file.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(struct file *f, const char *path, const char *what, char *why, size_t room) {
    text_set(why, room, "%.300s cannot be written: %s", path, what);
    file_drop(f);
    return -1;
}

int file_open(struct file *f, const char *path, char *why, size_t room) {
    struct stat about;
    size_t length = strlen(path);
    *f = (struct file){0};
    f->path = malloc(length + 1);
    f->part = malloc(length + 40);
    if (!f->path || !f->part) return refuse(f, path, "there is not enough memory", why, room);
    memcpy(f->path, path, length + 1);
    snprintf(f->part, length + 40, "%s.part-%ld", path, (long)getpid());
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return refuse(f, path, "it is a directory", why, room);
    f->stream = fopen(f->part, "wb");
    if (!f->stream) return refuse(f, path, strerror(errno), why, room);
    return 0;
}

int file_keep(struct file *f, char *why, size_t room) {
    errno = 0;
    int bad = ferror(f->stream) || fflush(f->stream) || (f->part && fsync(fileno(f->stream)));
    int error = errno;
    bad |= fclose(f->stream) != 0;
    f->stream = NULL;
    if (!bad && f->part && rename(f->part, f->path)) bad = 1, error = errno;
    if (bad) return refuse(f, f->path, error ? strerror(error) : "the disk is full or gone", why, room);
    free(f->path);
    free(f->part);
    *f = (struct file){0};
    return 0;
}

void file_drop(struct file *f) {
    if (f->stream) fclose(f->stream);
    if (f->part) unlink(f->part);
    free(f->path);
    free(f->part);
    *f = (struct file){0};
}
