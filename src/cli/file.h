/* file.h - output files that appear under their name only when they are complete.
 *
 * What is written goes to NAME.part-PID beside it; file_keep brings it to the disk and renames it.  What is
 * no regular file (a device, a pipe) is written to as it is.  A part is locked as long as it is written:
 * those that killed processes left behind are removed by the next one that writes NAME. */
#ifndef KEEL_CLI_FILE_H
#define KEEL_CLI_FILE_H

#include <stdio.h>

struct file {
    FILE *stream;
    char *path, *part; /* part NULL: written to as it is */
    int error;         /* errno of the first failure */
};

/* 0, or -1 with a sentence in `why`: the folder is missing, not writable, the name is a directory, ... */
int file_open(struct file *f, const char *path, char *why, size_t room);
int file_put(struct file *f, const void *bytes, size_t count);    /* 0, or -1 */
void file_sentence(const struct file *f, char *why, size_t room); /* why it could not be written */
int file_keep(struct file *f, char *why, size_t room); /* closed and renamed; 0, or -1: the disk is full */
void file_drop(struct file *f);                        /* closed and removed; nothing appears */
/* All bytes of a file, to be freed; NULL with a sentence. */
unsigned char *file_read(const char *path, size_t *count, char *why, size_t room);
#endif
