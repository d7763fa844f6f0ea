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

int library_asks(const struct syntax_file *file, const struct syntax_statement *s) {
    return s->kind == SYNTAX_LIBRARY && !s->body && !find(file, s->name, 1, NULL) &&
           !find(file, s->name, 0, s);
}

int library_missing(const struct syntax_file *file) {
    for (const struct syntax_statement *s = file->statements; s; s = s->next)
        if (library_asks(file, s)) return 1;
    return 0;
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

static size_t put(char *out, size_t used, const char *text, size_t length) {
    if (out && length) memcpy(out + used, text, length);
    return used + length;
}

static size_t put_head(char *out, const char *name) {
    size_t used = put(out, 0, "\nlibrary ", 9);
    used = put(out, used, name, strlen(name));
    return put(out, used, ":\n", 2);
}

/* Lines of a library as a block: indented, but for empty ones. */
static size_t write_block(int number, char *out) {
    size_t used = put_head(out, shipped[number].name);
    for (const char *const *line = shipped[number].line; *line; line++) {
        size_t length = strlen(*line);
        used = put(out, used, "    ", length > 1 ? 4 : 0);
        used = put(out, used, *line, length);
    }
    return used;
}

size_t library_block(const char *name, const char *text, size_t length, char *out) {
    size_t used = put_head(out, name);
    int tabs = (length && text[0] == '\t');
    for (size_t i = 0; i + 1 < length && !tabs; i++) tabs = text[i] == '\n' && text[i + 1] == '\t';
    for (size_t at = 0, next; at < length; at = next) {
        for (next = at; next < length && text[next] != '\n'; next++) {}
        int empty = next == at || (next == at + 1 && text[at] == '\r');
        used = put(out, used, tabs ? "\t" : "    ", empty ? 0 : tabs ? 1 : 4);
        used = put(out, used, text + at, next - at);
        used = put(out, used, "\n", 1);
        next++;
    }
    return used;
}

int library_append(struct source *s, const struct syntax_file *file, struct source_messages *m,
                   struct pool *pool) {
    int wanted[SHIPPED], count = 0;
    size_t length = s->length + 1;
    for (const struct syntax_statement *l = file->statements; l; l = l->next) {
        if (l->left || !library_asks(file, l)) continue;
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
