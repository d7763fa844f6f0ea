/* assign.c - see assign.h. */
#include "model/assign.h"

#include <string.h>

static int add_unknowns(struct dictionary *unknowns, const struct syntax_statement *s) {
    for (; s; s = s->next) {
        if (!add_unknowns(unknowns, s->body)) return 0;
        if (s->kind != SYNTAX_VAR && s->kind != SYNTAX_COORD && s->kind != SYNTAX_CANONICAL &&
            s->kind != SYNTAX_NODE)
            continue;
        for (const struct syntax_item *item = s->items; item; item = item->next)
            if (!dictionary_at(unknowns, item->name)) return 0;
    }
    return 1;
}

int assign_unknowns(struct dictionary *unknowns, const struct syntax_file *file) {
    return add_unknowns(unknowns, file->statements);
}

/* The name in an assignment, without indices: ball.r of ball[2].r[1]' = 3. */
static void name_in(const char *assignment, char *out, size_t capacity) {
    size_t used = 0;
    for (int depth = 0; *assignment && *assignment != '=' && used + 1 < capacity; assignment++) {
        depth += *assignment == '[';
        if (!depth && !strchr(" '", *assignment)) out[used++] = *assignment;
        depth -= *assignment == ']' && depth;
    }
    out[used] = '\0';
}

int assign_is_start(const struct dictionary *unknowns, const char *assignment) {
    char name[320];
    name_in(assignment, name, sizeof name);
    return dictionary_has(unknowns, name);
}
