/* compile_cache.c - see compile_cache.h.
 *
 * A cached file is the shared library, its source and a seal: lengths and a check sum of the library; the
 * source is compared.  One file, put in place by one rename, so that no process ever meets half of it. */
#define _XOPEN_SOURCE 700
#include "codegen/compile_cache.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

struct seal {
    char magic[8];
    uint64_t library, source, sum[2];
};

static const char magic[8] = "keelseal";

/* FNV-1a of words of eight bytes, whose upper half goes back into the lower one, and a second sum that
 * multiplies before it adds: 128 bits against accidents. */
static void add_word(uint64_t sum[2], uint64_t word) {
    sum[0] = (sum[0] ^ word) * 0x100000001b3u;
    sum[0] ^= sum[0] >> 29;
    sum[1] = (sum[1] + word + 1) * 0xd6e8feb86659fd93u;
    sum[1] ^= sum[1] >> 32;
}

static void add_bytes(uint64_t sum[2], const void *data, size_t length) {
    const unsigned char *byte = data;
    uint64_t word = 0;
    size_t i = 0;
    for (; i + sizeof word <= length; i += sizeof word) {
        memcpy(&word, byte + i, sizeof word);
        add_word(sum, word);
    }
    word = length;
    add_word(sum, word);
    memcpy(&word, byte + i, length - i);
    add_word(sum, word);
}

static void add_string(uint64_t sum[2], const char *text) {
    add_bytes(sum, text, strlen(text) + 1);
}

static const uint64_t start[2] = {0xcbf29ce484222325u, 0x9e3779b97f4a7c15u};

/* The processor's name; libm chooses its code by it.  The file takes the system longer than all else. */
static void add_processor(uint64_t sum[2]) {
#ifdef __x86_64__
    unsigned name[12];
    for (unsigned i = 0; i < 3; i++)
        __cpuid(0x80000002u + i, name[4 * i], name[4 * i + 1], name[4 * i + 2], name[4 * i + 3]);
    add_bytes(sum, name, sizeof name);
#else
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (!file) return;
    for (int i = 0; i < 40 && fgets(line, sizeof line, file); i++)
        if (strncmp(line, "model name", 10) == 0 || strncmp(line, "CPU part", 8) == 0) {
            add_string(sum, line);
            break;
        }
    fclose(file);
#endif
}

void compile_cache_key(const struct compile_tool *tool, const char *const *flags, const char *source,
                       char key[33]) {
    uint64_t sum[2] = {start[0], start[1]};
    struct stat info;
    const unsigned abi = KEEL_ABI;
    add_string(sum, KEEL_VERSION);
    add_bytes(sum, &abi, sizeof abi);
    add_string(sum, tool->program);
    if (stat(tool->program, &info) == 0) {
        int64_t made[3] = {(int64_t)info.st_size, (int64_t)info.st_mtim.tv_sec,
                           (int64_t)info.st_mtim.tv_nsec};
        add_bytes(sum, made, sizeof made);
    }
    for (int i = 1; i < tool->words; i++) add_string(sum, tool->argument[i]);
    for (int i = 0; flags[i]; i++) add_string(sum, flags[i]);
    add_processor(sum);
    add_string(sum, source);
    snprintf(key, 33, "%016llx%016llx", (unsigned long long)sum[0], (unsigned long long)sum[1]);
}

/* The whole file; NULL if it cannot be read, is a link or another user's, or others may write to it. */
static unsigned char *read_all(const char *path, size_t *length) {
    struct stat info;
    int handle = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE *file = handle >= 0 ? fdopen(handle, "rb") : NULL;
    unsigned char *data = NULL;
    if (!file && handle >= 0) close(handle);
    if (file && fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
        (info.st_mode & (S_IWGRP | S_IWOTH)) == 0) {
        *length = (size_t)info.st_size;
        data = malloc(*length + 1);
        if (data && fread(data, 1, *length, file) != *length) {
            free(data);
            data = NULL;
        }
    }
    if (file) fclose(file);
    return data;
}

int compile_cache_whole(const char *path, const char *source) {
    size_t length, wanted = strlen(source);
    unsigned char *data = read_all(path, &length);
    int whole = 0;
    if (data && length >= sizeof(struct seal) + wanted) {
        struct seal seal;
        uint64_t sum[2] = {start[0], start[1]};
        memcpy(&seal, data + length - sizeof seal, sizeof seal);
        length -= sizeof seal + wanted;
        whole = memcmp(seal.magic, magic, sizeof magic) == 0 && seal.source == wanted &&
                seal.library == length && memcmp(data + length, source, wanted) == 0;
        add_bytes(sum, data, length);
        whole = whole && memcmp(seal.sum, sum, sizeof sum) == 0;
    }
    free(data);
    return whole;
}

int compile_cache_seal(const char *path, const char *source) {
    size_t length, more = strlen(source);
    if (chmod(path, S_IRUSR | S_IWUSR)) return -1; /* the compiler goes by the umask */
    unsigned char *data = read_all(path, &length);
    if (!data) return -1;
    struct seal seal = {.library = length, .source = more, .sum = {start[0], start[1]}};
    memcpy(seal.magic, magic, sizeof magic);
    add_bytes(seal.sum, data, length);
    free(data);
    FILE *file = fopen(path, "abe");
    if (!file) return -1;
    int failed = fwrite(source, 1, more, file) != more || fwrite(&seal, sizeof seal, 1, file) != 1;
    return fclose(file) || failed ? -1 : 0;
}

static int is_owned(const struct stat *info, int parent) {
    return info->st_uid == geteuid() || (parent && info->st_uid == 0);
}

/* Owned by the user (or the system, for a parent), as is a link that leads there, and nobody else may put or
 * change names in it. */
static int is_safe(const char *path, int parent) {
    struct stat info, name;
    if (stat(path, &info) || lstat(path, &name) || !S_ISDIR(info.st_mode)) return 0;
    if (!is_owned(&info, parent) || !is_owned(&name, parent)) return 0;
    return (info.st_mode & (S_IWGRP | S_IWOTH)) == 0 || (parent && (info.st_mode & S_ISVTX));
}

enum compile_status compile_cache_directory(char path[COMPILE_PATH], char *message, size_t capacity) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char parent[COMPILE_PATH - 8];
    int length = -1;
    if (cache && cache[0] == '/') length = snprintf(parent, sizeof parent, "%s", cache);
    else if (home && home[0] == '/') length = snprintf(parent, sizeof parent, "%s/.cache", home);
    if (length < 0 || (size_t)length >= sizeof parent || getuid() != geteuid()) {
        text_set(message, capacity, "There is no cache directory for this user: set HOME or XDG_CACHE_HOME.");
        return COMPILE_REFUSED;
    }
    snprintf(path, COMPILE_PATH, "%s/keel", parent);
    if ((mkdir(parent, 0700) && errno != EEXIST) || (mkdir(path, 0700) && errno != EEXIST)) {
        text_set(message, capacity, "The cache directory %s cannot be made: %s.", path, strerror(errno));
        return COMPILE_REFUSED;
    }
    if (is_safe(parent, 1) && is_safe(path, 0)) return COMPILE_READY;
    text_set(message, capacity, "The cache directory %s is not used: others own it or may write to it.",
             path);
    return COMPILE_REFUSED;
}
