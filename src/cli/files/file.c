/* file.c - see file.h. */
#include "cli/files/file.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 1 << 17, STREAM = 1 << 12 }; /* who reads a stream sees rows soon after they are computed */

int file_open(struct file *f, struct claim *claim, int borrowed, char *why, size_t capacity) {
    *f = (struct file){.claim = claim, .borrowed = borrowed};
    int handle = claim->stream ? claim_stream(claim) : claim_part(claim, &f->part);
    f->stream = handle >= 0 ? fdopen(handle, "wb") : NULL;
    if (f->stream) {
        setvbuf(f->stream, NULL, _IOFBF, claim->stream ? STREAM : BUFFER);
        return 0;
    }
    f->error = errno;
    if (handle >= 0) close(handle);
    file_sentence(f, why, capacity);
    file_drop(f);
    return -1;
}

int file_put(struct file *f, const void *bytes, size_t count) {
    if (f->error) return -1;
    errno = 0;
    if (fwrite(bytes, 1, count, f->stream) == count) return 0;
    f->error = errno ? errno : EIO;
    return -1;
}

void file_sentence(const struct file *f, char *why, size_t capacity) {
    text_set(why, capacity, "%.300s cannot be written: %s", f->claim->path,
             strerror(f->error ? f->error : EIO));
}

int file_mark(struct file *f) {
    if (!f->part || kind_mark(f->claim->kind, fileno(f->stream)) == 0) return 0;
    f->error = errno == EIO ? ENOSPC : errno; /* what drew it was stopped by the disk */
    return -1;
}

/* The name itself is on the disk, too; where folders cannot be synchronised nothing is lost. */
static void settle_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = strdup(slash ? path : ".");
    if (folder && slash) folder[slash == path ? 1 : slash - path] = '\0';
    int handle = folder ? open(folder, O_RDONLY | O_CLOEXEC) : -1;
    if (handle >= 0) {
        fsync(handle);
        close(handle);
    }
    free(folder);
}

/* All of it on the disk, or errno in f->error. */
static void settle(struct file *f) {
    errno = 0;
    int bad = f->error || ferror(f->stream) || fflush(f->stream) || (f->part && fsync(fileno(f->stream)));
    if (bad && !f->error) f->error = errno ? errno : EIO;
}

int file_keep(struct file *f, char *why, size_t capacity) {
    settle(f);
    if (!f->error && f->part) {
        int wrong = claim_place(f->claim, f->part, fileno(f->stream), why, capacity);
        if (!wrong) settle_folder(f->claim->path);
        free(f->part); /* placed, kept beside, or gone */
        f->part = NULL;
        file_drop(f);
        return wrong;
    }
    errno = 0;
    int bad = fclose(f->stream);
    f->stream = NULL;
    if (bad && !f->error) f->error = errno ? errno : EIO;
    int wrong = f->error ? -1 : 0;
    if (wrong) file_sentence(f, why, capacity);
    file_drop(f);
    return wrong;
}

void file_drop(struct file *f) {
    if (f->stream) fclose(f->stream);
    if (f->part) unlink(f->part);
    if (!f->borrowed) claim_close(f->claim);
    free(f->part);
    *f = (struct file){0};
}

unsigned char *file_read(const char *path, size_t *count, char *why, size_t capacity) {
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
        text_set(why, capacity, "%.300s cannot be read: %s", path, strerror(errno ? errno : ENOMEM));
        free(bytes);
        bytes = NULL;
    }
    if (in) fclose(in);
    *count = got;
    return bytes;
}
