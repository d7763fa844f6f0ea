/* sets.c - see sets.h. */
#include "model/sets.h"

#include <stdlib.h>
#include <string.h>

/* The length of the name in "name = value". */
static size_t name_length(const char *assignment) {
    size_t length = strcspn(assignment, "=");
    while (length && assignment[length - 1] == ' ') length--;
    return length;
}

char **sets_with(const struct keel_model *m, char *assignment, int *count) {
    char **list = calloc((size_t)m->sets + 2, sizeof *list);
    *count = 0;
    for (int i = 0; i < m->sets && list; i++)
        if (name_length(m->set[i]) != name_length(assignment) ||
            strncmp(m->set[i], assignment, name_length(assignment)) != 0)
            list[(*count)++] = m->set[i];
    if (list) list[(*count)++] = assignment;
    return list;
}

void sets_take(struct keel_model *m, char **list, int count) {
    for (int i = 0, kept = 0; i < m->sets; i++) {
        if (kept < count && list[kept] == m->set[i]) kept++;
        else free(m->set[i]);
    }
    free(m->set);
    m->set = list;
    m->sets = count;
}

void sets_free(char **list, int count) {
    for (int i = 0; i < count && list; i++) free(list[i]);
    free(list);
}
