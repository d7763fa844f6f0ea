/* sound_text.c - decisions, names and lines of a sound model; see sound.h. */
#include "sound.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int sound_below(struct sound_dice *d, int n) {
    if (n < 2) return 0;
    if (d->left) {
        d->left--;
        return *d->bytes++ % n;
    }
    if (!d->seed) return 0;
    d->seed = d->seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((d->seed >> 33) % (uint64_t)n);
}

int sound_one_in(struct sound *s, int n) {
    return sound_below(&s->dice, n) == n - 1; /* a row of zeros gives the plainest model */
}

static const char *keep(struct sound *s, const char *format, va_list values) {
    char *at = s->buffer + s->used;
    int length = vsnprintf(at, sizeof s->buffer - s->used, format, values);
    if (length < 0 || s->used + (size_t)length + 1 >= sizeof s->buffer) {
        s->full = 1;
        return "0";
    }
    s->used += (size_t)length + 1;
    return at;
}

const char *sound_say(struct sound *s, const char *format, ...) {
    va_list values;
    va_start(values, format);
    const char *text = keep(s, format, values);
    va_end(values);
    return text;
}

/* All names look like x_7, as no word of the language does. */
const char *sound_name(struct sound *s, const char *letter) {
    return sound_say(s, "%s_%d", letter, ++s->names);
}

void sound_line(struct sound *s, enum sound_kind kind, const char *format, ...) {
    va_list values;
    if (s->lines == SOUND_LINES) {
        s->full = 1;
        return;
    }
    va_start(values, format);
    s->kind[s->lines] = kind;
    s->line[s->lines++] = keep(s, format, values);
    va_end(values);
}

void sound_add(struct sound_list *list, const char *item) {
    if (list->count < SOUND_NAMES) list->item[list->count++] = item;
}

const char *sound_pick(struct sound *s, const struct sound_list *list) {
    return list->item[sound_below(&s->dice, list->count)];
}

void sound_write(const struct sound *s, char *out) {
    size_t at = 0;
    out[0] = '\0';
    for (int i = 0; i < s->lines; i++) {
        int length = snprintf(out + at, SOUND_TEXT - at, "%s\n", s->line[i]);
        if (length < 0 || at + (size_t)length >= SOUND_TEXT) return;
        at += (size_t)length;
    }
}

/* x_7 becomes v7x_: another first letter, so that nothing can hang on the order of the names. */
void sound_rename(const char *text, char *out) {
    size_t at = 0;
    while (*text && at + 40 < SOUND_TEXT) {
        size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        const char *mark = memchr(text, '_', word);
        if (word == 0 || !mark || word > 30) {
            size_t length = word ? word : 1;
            memcpy(out + at, text, length);
            at += length, text += length;
            continue;
        }
        int number = 0;
        sscanf(mark + 1, "%d", &number);
        at += (size_t)snprintf(out + at, SOUND_TEXT - at, "%c%.*s%d", "zvakmb"[number % 6],
                               (int)(mark - text), text, 1000 - number);
        text += word;
    }
    out[at] = '\0';
}

void sound_reorder(struct sound *s, uint64_t seed) {
    struct sound_dice dice = {.seed = seed};
    for (int i = s->lines - 1; i > 0; i--) {
        int j = sound_below(&dice, i + 1);
        int fixed = s->kind[i] == SOUND_EVENT || s->kind[j] == SOUND_EVENT; /* the first acts first */
        const char *line = s->line[i];
        enum sound_kind kind = s->kind[i];
        if (fixed) continue;
        s->line[i] = s->line[j], s->kind[i] = s->kind[j];
        s->line[j] = line, s->kind[j] = kind;
    }
}
