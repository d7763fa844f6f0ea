/* compile_trim.c - the cache of compiled models stays small: the least recently used go, and what builds that
 * were killed left behind.
 *
 * Several processes may do this at once, and others may use what is removed: a name that is gone already is
 * no error, and a library that is loaded stays as long as it is. */
#define _XOPEN_SOURCE 700
#include "codegen/compile_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LIBRARY_NAME = 35, BUILD_NAME = 12, LEFT_BEHIND = 3600 }; /* bytes, bytes, seconds */

struct entry {
    char name[LIBRARY_NAME + 1];
    struct timespec used;
    uint64_t size;
};

struct list {
    struct entry *entry;
    size_t count, capacity;
};

/* 32 hexadecimal digits and .so */
static int is_library(const char *name) {
    return strspn(name, "0123456789abcdef") == 32 && strcmp(name + 32, ".so") == 0;
}

/* build. and the six letters or digits of mkdtemp. */
static int is_build(const char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    return strncmp(name, "build.", 6) == 0 && strspn(name + 6, letters) == 6 && name[BUILD_NAME] == '\0';
}

static int add(struct list *list, const char *name, const struct stat *info) {
    if (list->count == list->capacity) {
        size_t capacity = 2 * list->capacity + 64;
        struct entry *more = realloc(list->entry, capacity * sizeof *more);
        if (!more) return -1;
        list->entry = more;
        list->capacity = capacity;
    }
    struct entry *one = &list->entry[list->count++];
    *one = (struct entry){.used = info->st_mtim, .size = (uint64_t)info->st_size};
    memcpy(one->name, name, LIBRARY_NAME);
    return 0;
}

/* The last used first. */
static int by_use(const void *x, const void *y) {
    const struct entry *a = x, *b = y;
    if (a->used.tv_sec != b->used.tv_sec) return a->used.tv_sec < b->used.tv_sec ? 1 : -1;
    if (a->used.tv_nsec != b->used.tv_nsec) return a->used.tv_nsec < b->used.tv_nsec ? 1 : -1;
    return strcmp(a->name, b->name);
}

/* The files of a build, and its directory if nothing else is in it. */
static void remove_build(int directory, const char *name) {
    for (int i = 0; compile_build_files[i]; i++) {
        char path[64];
        snprintf(path, sizeof path, "%.12s/%s", name, compile_build_files[i]);
        unlinkat(directory, path, 0);
    }
    unlinkat(directory, name, AT_REMOVEDIR);
}

static void remove_unused(int directory, struct list *list, size_t files, uint64_t bytes) {
    uint64_t sum = 0;
    if (list->count) qsort(list->entry, list->count, sizeof *list->entry, by_use);
    for (size_t i = 0; i < list->count; i++) {
        sum += list->entry[i].size;
        if (i > 0 && (i >= files || sum > bytes)) unlinkat(directory, list->entry[i].name, 0);
    }
}

void compile_trim(const char *directory, size_t files, uint64_t bytes) {
    DIR *folder = opendir(directory);
    struct list list = {0};
    int failed = 0;
    if (!folder) return;
    time_t now = time(NULL);
    for (struct dirent *one; !failed && (one = readdir(folder)) != NULL;) {
        struct stat info;
        int library = is_library(one->d_name);
        if (!library && !is_build(one->d_name)) continue;
        if (fstatat(dirfd(folder), one->d_name, &info, AT_SYMLINK_NOFOLLOW) || info.st_uid != geteuid())
            continue;
        if (library && S_ISREG(info.st_mode)) failed = add(&list, one->d_name, &info);
        if (!library && S_ISDIR(info.st_mode) && now - info.st_mtime > LEFT_BEHIND)
            remove_build(dirfd(folder), one->d_name);
    }
    if (!failed) remove_unused(dirfd(folder), &list, files, bytes);
    free(list.entry);
    closedir(folder);
}

void compile_trim_touch(const char *path) {
    utimensat(AT_FDCWD, path, NULL, 0);
}
