/* file.h - output files that appear under their name only when they are complete.
 *
 * What is written goes to NAME.part-PID beside it; file_keep brings it to the disk and renames it. */
#ifndef KEEL_CLI_FILE_H
#define KEEL_CLI_FILE_H

#include <stdio.h>

struct file {
    FILE *stream;
    char *path, *part;
};

/* 0, or -1 with a sentence in `why`: the folder is missing, not writable, the name is a directory, ... */
int file_open(struct file *f, const char *path, char *why, size_t room);
int file_keep(struct file *f, char *why, size_t room); /* closed and renamed; 0, or -1: the disk is full */
void file_drop(struct file *f);                        /* closed and removed; nothing appears */
#endif
