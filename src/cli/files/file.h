/* file.h - output files that appear under their name only when they are complete.
 *
 * What is written goes to a part beside it (claim.h); file_keep brings it to the disk and puts it in
 * place.  What is no regular file (a device, a pipe) is written to as it is. */
#ifndef KEEL_CLI_FILES_FILE_H
#define KEEL_CLI_FILES_FILE_H

#include "cli/files/claim.h"

#include <stdio.h>

struct file {
    FILE *stream;
    struct claim *claim;
    int borrowed; /* the claim outlives the file */
    char *part;   /* NULL: written to as it is */
    int error;    /* errno of the first failure */
};

/* Takes the claim: file_keep and file_drop close it, unless `borrowed`.  0, or -1 with a sentence. */
int file_open(struct file *f, struct claim *claim, int borrowed, char *why, size_t capacity);
int file_put(struct file *f, const void *bytes, size_t count);        /* 0, or -1 */
void file_sentence(const struct file *f, char *why, size_t capacity); /* why it could not be written */
/* A complete figure that somebody else has written to the part is marked as keel's.  0, or -1. */
int file_mark(struct file *f);
int file_keep(struct file *f, char *why,
              size_t capacity); /* closed and in place; 0, or -1: the disk is full */
void file_drop(struct file *f); /* closed and removed; nothing appears */
/* All bytes of a file, to be freed; NULL with a sentence. */
unsigned char *file_read(const char *path, size_t *count, char *why, size_t capacity);
#endif
