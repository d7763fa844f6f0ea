/* example_list.h - the models of examples/ and examples/papers/. */
#ifndef EXAMPLE_LIST_H
#define EXAMPLE_LIST_H

#include "testing.h"

#include <dirent.h>

enum { EXAMPLE_MOST = 200, EXAMPLE_ROOM = 300 };

struct example_list {
    int count;
    char file[EXAMPLE_MOST][EXAMPLE_ROOM]; /* below KEEL_EXAMPLES_DIR: kepler.keel, papers/liu2006_1.keel */
};

static inline int example_is_model(const struct dirent *entry) {
    size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".keel") == 0;
}

/* In the order of their names, those of the papers last. */
static inline void example_list_open(struct example_list *l) {
    static const char *const folder[] = {KEEL_EXAMPLES_DIR, KEEL_EXAMPLES_DIR "/papers"};
    l->count = 0;
    for (int f = 0; f < 2; f++) {
        struct dirent **entry;
        int found = scandir(folder[f], &entry, example_is_model, alphasort);
        assert_true(found > 20);
        for (int k = 0; k < found; k++) {
            assert_true(l->count < EXAMPLE_MOST);
            snprintf(l->file[l->count++], EXAMPLE_ROOM, "%s%s", f ? "papers/" : "", entry[k]->d_name);
            free(entry[k]);
        }
        free(entry);
    }
}

/* "liu2006_1" of "papers/liu2006_1.keel". */
static inline void example_name(const char *file, char *name) {
    const char *slash = strrchr(file, '/');
    snprintf(name, EXAMPLE_ROOM, "%s", slash ? slash + 1 : file);
    *strrchr(name, '.') = '\0';
}

/* The file of a model by its name, in either folder. */
static inline void example_path(const char *name, char *path, size_t capacity) {
    snprintf(path, capacity, "%s/%s.keel", KEEL_EXAMPLES_DIR, name);
    FILE *file = fopen(path, "rb");
    if (!file) snprintf(path, capacity, "%s/papers/%s.keel", KEEL_EXAMPLES_DIR, name);
    else fclose(file);
}
#endif
