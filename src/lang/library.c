/* library.c - see library.h. */
#include "lang/library.h"

#include "base/text.h"

#include <string.h>

extern const char *const library_body2d[], *const library_body3d[], *const library_circuit[];

static const struct {
    const char *name;
    const char *const *line;
} shipped[] = {{"body2d", library_body2d}, {"body3d", library_body3d}, {"circuit", library_circuit}};

enum { SHIPPED = sizeof shipped / sizeof shipped[0] };

const char *library_name(int i) {
    return i >= 0 && i < SHIPPED ? shipped[i].name : NULL;
}

/* The block of that name, or another line that asks for it, before `end`. */
static const struct syntax_statement *find(const struct syntax_file *file, const char *name, int block,
                                           const struct syntax_statement *end) {
    for (const struct syntax_statement *s = file->statements; s && s != end; s = s->next)
        if (s->kind == SYNTAX_LIBRARY && (s->body != NULL) == block && strcmp(s->name, name) == 0) return s;
    return NULL;
}

static int number_of(const struct syntax_statement *s, struct source_messages *m) {
    int best = -1, least = (int)strlen(s->name) / 4 + 2;
    char list[120] = "";
    for (int i = 0; i < SHIPPED; i++) {
        int distance = text_distance(s->name, shipped[i].name);
        if (distance == 0) return i;
        if (distance < least) least = distance, best = i;
        text_add(list, sizeof list, "%s%s", i ? ", " : "", shipped[i].name);
    }
    struct source_message *one = source_diagnose(m, SOURCE_ERROR, s->name_span.offset, s->name_span.length,
                                                 "there is no library `%.40s`.", s->name);
    if (best >= 0) source_hint(one, "Did you mean `%s`?", shipped[best].name);
    else source_hint(one, "There are %s.", list);
    return -1;
}

/* Lines of a library as a block: indented, but for empty ones. */
static size_t write_block(int number, char *out) {
    static const char indent[] = "    ";
    size_t used = 0;
    const char *head[] = {"\nlibrary ", shipped[number].name, ":\n"};
    for (int i = 0; i < 3; i++) {
        if (out) memcpy(out + used, head[i], strlen(head[i]));
        used += strlen(head[i]);
    }
    for (const char *const *line = shipped[number].line; *line; line++) {
        size_t length = strlen(*line), blanks = length > 1 ? sizeof indent - 1 : 0;
        if (out) memcpy(out + used, indent, blanks);
        if (out) memcpy(out + used + blanks, *line, length);
        used += blanks + length;
    }
    return used;
}

int library_append(struct source *s, const struct syntax_file *file, struct source_messages *m,
                   struct pool *pool) {
    int wanted[SHIPPED], count = 0;
    size_t length = s->length + 1;
    for (const struct syntax_statement *l = file->statements; l; l = l->next) {
        if (l->kind != SYNTAX_LIBRARY || l->body || find(file, l->name, 1, NULL) || find(file, l->name, 0, l))
            continue;
        int number = number_of(l, m);
        if (number < 0) return 0;
        wanted[count++] = number;
        length += write_block(number, NULL);
    }
    if (!count) return 0;
    char *text = pool_take(pool, length);
    if (!text) return 0;
    memcpy(text, s->text, s->length);
    size_t used = s->length;
    if (!s->own) s->own = s->length;
    for (int i = 0; i < count; i++) used += write_block(wanted[i], text + used);
    s->text = text;
    s->length = used;
    return 1;
}
