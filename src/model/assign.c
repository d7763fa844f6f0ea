/* assign.c - see assign.h. */
#include "model/assign.h"

#include <string.h>

static int is_unknown(const struct syntax_statement *s, const char *name) {
    for (; s; s = s->next) {
        if (is_unknown(s->body, name)) return 1;
        if (s->kind != SYNTAX_VAR && s->kind != SYNTAX_COORD && s->kind != SYNTAX_CANONICAL &&
            s->kind != SYNTAX_NODE)
            continue;
        for (const struct syntax_item *item = s->items; item; item = item->next)
            if (strcmp(item->name, name) == 0) return 1;
    }
    return 0;
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

int assign_is_start(const struct syntax_file *file, const char *assignment) {
    char name[320];
    name_in(assignment, name, sizeof name);
    return is_unknown(file->statements, name);
}
