/* fuzz.c - see fuzz.h. */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

static void *take(size_t size) {
    void *bytes = malloc(size ? size : 1);
    if (bytes) return bytes;
    fprintf(stderr, "fuzz: there is not enough memory\n");
    exit(1);
}

char *fuzz_copy(const void *data, size_t size) {
    char *copy = take(size);
    if (size) memcpy(copy, data, size);
    return copy;
}

char *fuzz_ended(const void *data, size_t size) {
    char *copy = take(size + 1);
    if (size) memcpy(copy, data, size);
    copy[size] = '\0';
    return copy;
}

static void remove_folder(void) {
    DIR *open = opendir(folder);
    for (struct dirent *one; open && (one = readdir(open));) unlinkat(dirfd(open), one->d_name, 0);
    if (open) closedir(open);
    rmdir(folder);
}

void fuzz_require(int holds, const char *what, const void *data, size_t size) {
    if (holds) return;
    if (folder[0]) remove_folder();
    fprintf(stderr, "fuzz: not so: %s\n----\n%.*s\n----\n", what, (int)size, (const char *)data);
    abort();
}

char *fuzz_path(const char *name) {
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "%s/keel-fuzz-XXXXXX",
                 access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp");
        if (!mkdtemp(folder)) {
            perror("fuzz");
            exit(1);
        }
        atexit(remove_folder);
    }
    size_t capacity = strlen(folder) + strlen(name) + 2;
    char *path = take(capacity);
    snprintf(path, capacity, "%s/%s", folder, name);
    return path;
}

void fuzz_write(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "wb");
    int good = file && fwrite(data, 1, size, file) == size;
    if (file && fclose(file)) good = 0;
    if (good) return;
    perror(path);
    exit(1);
}
