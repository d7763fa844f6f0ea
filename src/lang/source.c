/* source.c - see source.h. */
#include "lang/source.h"

#include "base/text.h"

#include <keel/model.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static size_t line_start(const struct source *s, size_t offset) {
    while (offset > 0 && s->text[offset - 1] != '\n') offset--;
    return offset;
}

/* Does from .. *to end in these words?  They are taken off. */
static int take_off(const struct source *s, size_t from, size_t *to, const char *words) {
    size_t length = strlen(words);
    if (*to - from < length || memcmp(s->text + *to - length, words, length) != 0) return 0;
    *to -= length;
    return 1;
}

/* The line of a section (keel_model_options) has `event NAME: ` before what the user wrote, and behind it
 * the direction and ` -> record`.  1, and what stands between: the offset lies in such a line. */
static int section_around(const struct source *s, size_t offset, size_t *from, size_t *to) {
    static const char before[] = "event " KEEL_SECTION ": ";
    static const char *const direction[] = {" rising", " falling", " crossing"};
    size_t start = line_start(s, offset < s->length ? offset : s->length), length = strlen(before);
    for (*to = start; *to < s->length && s->text[*to] != '\n';) ++*to;
    if (*to - start < length || memcmp(s->text + start, before, length) != 0) return 0;
    *from = start + length;
    if (!take_off(s, *from, to, " -> record")) return 0;
    for (int i = 0; i < 3; i++)
        if (take_off(s, *from, to, direction[i])) break;
    while (*to > *from && s->text[*to - 1] == ' ') --*to;
    return 1;
}

/* The nearest place of what the user wrote. */
static size_t within_section(const struct source *s, size_t offset) {
    size_t from, to;
    if (!section_around(s, offset, &from, &to)) return offset;
    return offset < from ? from : offset > to ? to : offset;
}

/* Characters in bytes: whatever is not a continuation byte begins one. */
static size_t characters(const char *text, size_t length) {
    size_t count = 0;
    for (size_t i = 0; i < length; i++) count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

/* Where the lines of the library around an offset begin, behind its head `library NAME:` or
 * `table "FILE":`; 0: the model's own.
 */
static size_t library_start(const struct source *s, size_t offset) {
    size_t start = line_start(s, offset);
    if (!s->own || offset <= s->own) return 0;
    while (start > s->own && strncmp(s->text + start, "library ", 8) != 0 &&
           strncmp(s->text + start, "table ", 6) != 0)
        start = line_start(s, start - 1);
    return start + strcspn(s->text + start, "\n") + 1;
}

struct source_place source_place(const struct source *s, size_t offset) {
    if (offset > s->length) offset = s->length;
    size_t start = line_start(s, offset), first = library_start(s, offset), from, to;
    if (section_around(s, offset, &from, &to)) {
        offset = within_section(s, offset);
        return (struct source_place){1, (int)characters(s->text + from, offset - from) + 1};
    }
    struct source_place place = {1, (int)characters(s->text + start, offset - start) + 1};
    for (size_t i = first; i < start; i++) place.line += s->text[i] == '\n';
    return place;
}

/* The head of a library, `library NAME`, whose lines begin at `first`. */
static void library_name(const struct source *s, size_t first, char *out, size_t capacity) {
    size_t head = line_start(s, first - 1); /* a colon and the end of the line stand before `first` */
    text_set(out, capacity, "%.*s", (int)(first - head - 2), s->text + head);
}

void source_line(const struct source *s, size_t offset, char *out, size_t capacity) {
    size_t first = library_start(s, offset < s->length ? offset : s->length);
    char library[80];
    text_set(out, capacity, "line %d", source_place(s, offset).line);
    if (!first) return;
    library_name(s, first, library, sizeof library);
    text_add(out, capacity, " of %s", library);
}

static int encoding_fits(const struct source *s, struct source_messages *m) {
    const unsigned char *c = (const unsigned char *)s->text;
    if (s->length >= 2 && ((c[0] == 0xFF && c[1] == 0xFE) || (c[0] == 0xFE && c[1] == 0xFF))) {
        source_hint(source_diagnose(m, SOURCE_ERROR, 0, 2, "the file is written in UTF-16."),
                    "Save it as UTF-8.");
        return 0;
    }
    size_t start = 0;
    for (size_t at = 0; at < s->length;) {
        uint32_t point;
        int size = text_character(s->text + at, s->length - at, &point);
        if (size == 0) {
            source_hint(source_diagnose(m, SOURCE_ERROR, at, 1, "the byte 0x%02X is not UTF-8.", c[at]),
                        "Save the file as UTF-8; names are made of plain letters, digits and _.");
            return 0;
        }
        if (point == 0) {
            source_hint(source_diagnose(m, SOURCE_ERROR, at, 1, "a zero byte: this is not a text."),
                        "Is it the right file?  A model is plain text, UTF-8.");
            return 0;
        }
        at += (size_t)size;
        if (point == '\n') start = at;
        if (at - start > SOURCE_LINE) {
            source_hint(
                source_diagnose(m, SOURCE_ERROR, start, 1, "this line has more than %d bytes.", SOURCE_LINE),
                "Break it after an operator or a comma.");
            return 0;
        }
    }
    return 1;
}

int source_check(const struct source *s, struct source_messages *m) {
    if (s->length > SOURCE_LONGEST) {
        source_hint(source_diagnose(m, SOURCE_ERROR, SOURCE_NOWHERE, 0,
                                    "the model has %zu bytes; at most %d are read.", s->length,
                                    SOURCE_LONGEST),
                    "Write repetition with `for`, `sum` and arrays.");
        return 0;
    }
    return encoding_fits(s, m);
}

struct source_message *source_diagnose(struct source_messages *m, enum source_severity severity,
                                       size_t offset, size_t length, const char *format, ...) {
    if (m->starved) return &m->spare; /* whatever it is, it follows from that */
    struct source_message *one = m->count < SOURCE_MESSAGES ? &m->list[m->count++] : &m->spare;
    if (one == &m->spare) m->more++;
    if (severity == SOURCE_ERROR) m->errors++;
    one->severity = severity;
    one->offset = (uint32_t)offset;
    one->length = (uint32_t)length;
    one->hint[0] = '\0';
    va_list args;
    va_start(args, format);
    text_vset(one->sentence, sizeof one->sentence, format, args);
    va_end(args);
    return one;
}

void source_hint(struct source_message *one, const char *format, ...) {
    va_list args;
    va_start(args, format);
    text_vset(one->hint, sizeof one->hint, format, args);
    va_end(args);
}

int source_diagnosed_within(const struct source_messages *m, size_t from, size_t to) {
    for (int i = 0; i < m->count; i++)
        if (m->list[i].severity == SOURCE_ERROR && m->list[i].offset >= from && m->list[i].offset <= to)
            return 1;
    return 0;
}

void source_no_memory(struct source_messages *m) {
    *m = (struct source_messages){0};
    source_diagnose(m, SOURCE_ERROR, SOURCE_NOWHERE, 0, "there is not enough memory for this model.");
    m->starved = 1;
}

void source_forget(struct source_messages *m, int count) {
    while (m->count > count) m->errors -= m->list[--m->count].severity == SOURCE_ERROR;
}

void source_sort(struct source_messages *m) {
    for (int i = 1; i < m->count; i++)
        for (int j = i; j > 0 && m->list[j].offset < m->list[j - 1].offset; j--) {
            m->spare = m->list[j];
            m->list[j] = m->list[j - 1];
            m->list[j - 1] = m->spare;
        }
    int kept = 0;
    for (int i = 0; i < m->count; i++) {
        const struct source_message *one = &m->list[i], *last = kept ? &m->list[kept - 1] : NULL;
        if (last && last->offset == one->offset && strcmp(last->sentence, one->sentence) == 0)
            m->errors -= one->severity == SOURCE_ERROR;
        else m->list[kept++] = *one;
    }
    m->count = kept;
}

/* Rendering ---------------------------------------------------------------------------------------------- */

enum {
    SHOWN = 100,
    BEFORE = 60
}; /* characters of a long line that are shown, and how many of them before the caret */

struct page {
    char *out;
    size_t capacity, used;
};

static void put(struct page *page, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++, page->used++)
        if (page->used + 1 < page->capacity) page->out[page->used] = text[i];
}

static void put_words(struct page *page, const char *words) {
    put(page, words, strlen(words));
}

/* The character at text, made harmless for a terminal, one sign wide as the caret below counts it; returns
 * its bytes. */
static size_t put_character(struct page *page, const char *text, size_t capacity) {
    uint32_t point;
    int size = text_character(text, capacity, &point);
    if (size == 0 || (point != '\t' && text_is_control(point))) put_words(page, "?");
    else put(page, text, (size_t)size);
    return size ? (size_t)size : 1;
}

/* Names of files and words of the model inside a sentence, whatever signs they are made of. */
static void put_shown(struct page *page, const char *words) {
    char shown[4 * sizeof(struct source_message)];
    text_shown(shown, sizeof shown, words);
    put_words(page, shown);
}

static size_t step_back(const char *text, size_t at) {
    do at--;
    while (at > 0 && ((unsigned char)text[at] & 0xC0) == 0x80);
    return at;
}

/* The line of an offset and the caret below it; of a long line the part around the caret. */
static void put_line(struct page *page, const struct source *s, size_t offset) {
    size_t start = line_start(s, offset), end = offset, before, behind;
    int section = section_around(s, offset, &before, &behind);
    if (section) start = before, offset = within_section(s, offset), end = offset;
    size_t from = offset, to = offset;
    for (int i = 0; i < BEFORE && from > start; i++) from = step_back(s->text, from);
    if (from < start || characters(s->text + start, from - start) <= 4) from = start;
    while (end < (section ? behind : s->length) && s->text[end] != '\n') end++;
    if (end > start && s->text[end - 1] == '\r' && end > offset) end--;
    for (size_t shown = characters(s->text + from, offset - from); to < end && shown < SHOWN; shown++) {
        uint32_t point;
        int size = text_character(s->text + to, end - to, &point);
        to += size ? (size_t)size : 1;
    }
    if (to < end && characters(s->text + to, end - to) <= 4) to = end;
    put_words(page, from > start ? "    ..." : "    ");
    for (size_t i = from; i < to;) i += put_character(page, s->text + i, to - i);
    put_words(page, to < end ? "...\n" : "\n");
    put_words(page, from > start ? "       " : "    ");
    for (size_t i = from; i < offset; i++)
        if (((unsigned char)s->text[i] & 0xC0) != 0x80) put_words(page, s->text[i] == '\t' ? "\t" : " ");
    put_words(page, "^\n");
}

static void put_hint(struct page *page, const char *hint) {
    while (*hint) {
        size_t length = strcspn(hint, "\n");
        put_words(page, "  ");
        for (size_t i = 0; i < length;) i += put_character(page, hint + i, length - i);
        put_words(page, "\n");
        hint += length + (hint[length] == '\n');
    }
}

static void put_message(struct page *page, const struct source *s, const struct source_message *one) {
    char where[32] = ":", library[80] = "";
    size_t first = one->offset == SOURCE_NOWHERE ? 0 : library_start(s, one->offset), from, to;
    int section = one->offset != SOURCE_NOWHERE && section_around(s, one->offset, &from, &to);
    if (first) library_name(s, first, library, sizeof library);
    put_shown(page, section ? "section" : first ? library : s->name ? s->name : "model");
    if (one->offset != SOURCE_NOWHERE) {
        struct source_place place = source_place(s, one->offset);
        text_set(where, sizeof where, ":%d:%d:", place.line, place.column);
    }
    put_words(page, where);
    put_words(page, one->severity == SOURCE_ERROR ? " error: " : " warning: ");
    put_shown(page, one->sentence);
    put_words(page, "\n");
    if (one->offset <= s->length && one->offset != SOURCE_NOWHERE) put_line(page, s, one->offset);
    put_hint(page, one->hint);
}

static size_t page_end(struct page *page) {
    if (page->capacity) page->out[page->used < page->capacity ? page->used : page->capacity - 1] = '\0';
    return page->used;
}

size_t source_render_all(const struct source *s, const struct source_messages *m, char *out,
                         size_t capacity) {
    struct page page = {.capacity = capacity};
    page.out = out;
    for (int i = 0; i < m->count; i++) {
        if (i) put_words(&page, "\n");
        put_message(&page, s, &m->list[i]);
    }
    if (m->more) {
        char line[80];
        text_set(line, sizeof line, "\n%d more, not shown: mend these first.\n", m->more);
        put_words(&page, line);
    }
    return page_end(&page);
}
