/* claim.h - the right to write under a name: one process at a time, and nothing is replaced but keel's own.
 *
 * A claim holds NAME.keel-lock beside NAME and a lock on it (flock), which dies with its process: what a
 * killed run left behind stops nobody, and is removed by the next claim.  What is there must be of the
 * claim's kind, or --force is given; links are never followed.  This is judged when the claim is made and
 * again when a file is put in place: what has changed in between stays, and the new file lies beside it. */
#ifndef KEEL_CLI_FILES_CLAIM_H
#define KEEL_CLI_FILES_CLAIM_H

#include "cli/files/kind.h"

#include <stddef.h>
#include <sys/stat.h>

struct claim {
    char *path, *lock;
    int handle; /* of the lock; -1: none */
    enum kind kind;
    int force;
    int stream;         /* no regular file (a device, a pipe): written to as it is, without a lock */
    int there;          /* was something there? */
    struct stat before; /* what it was */
};

/* NULL with a sentence in `why`: it is a directory, another run writes it, it is no file of keel's, ... */
struct claim *claim_open(const char *path, enum kind kind, int force, char *why, size_t capacity);
/* A new file beside it, NAME.part- and 16 random digits, which nobody else has made; *part is to be freed.
 * The handle, or -1 with errno. */
int claim_part(const struct claim *c, char **part);
/* The stream itself, where the claim is one.  The handle, or -1 with errno. */
int claim_stream(const struct claim *c);
/* The part, open under `handle`, gets the name.  0, or -1 with a sentence; then the part is gone, or lies
 * beside what must not be replaced. */
int claim_place(struct claim *c, const char *part, int handle, char *why, size_t capacity);
/* The name itself, opened for reading and writing, empty if `fresh`: for files that grow in place.  The
 * handle, or -1 with errno. */
int claim_grow(struct claim *c, int fresh);
/* Removes what this claim has placed; what others have put there since stays. */
void claim_remove(struct claim *c);
void claim_close(struct claim *c); /* the lock goes; NULL will do */
#endif
