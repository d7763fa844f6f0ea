/* claims.c - see claims.h. */
#include "cli/papers/claims.h"

#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *const claims_verdict_word[CLAIMS_VERDICTS] = {
    "digits agree", "holds",     "round-off",  "better",  "misprint",
    "cannot be",    "explained", "same order", "differs", "refused"};

static const char *const measure_word[CLAIMS_MEASURES] = {
    "end",   "at",          "largest",   "low",    "high",       "median",  "order",  "value",
    "steps", "evaluations", "jacobians", "newton", "unresolved", "reached", "seconds"};

struct reader {
    struct claims *c;
    int at; /* line */
    char *why;
    size_t capacity;
};

static int wrong(struct reader *r, const char *sentence, const char *word) {
    text_set(r->why, r->capacity, "%s:%d: %s%s%.60s%s", r->c->source, r->at, sentence, word ? " `" : "",
             word ? word : "", word ? "`" : "");
    return -1;
}

/* One more element of an array whose room doubles at powers of two; NULL without memory. */
static void *grow(void *array, int count, size_t size) {
    if (count & (count - 1)) return array;
    return realloc(array, (size_t)(count ? 2 * count : 1) * size);
}

static char *trim(char *text) {
    while (isspace((unsigned char)*text)) text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1])) *--end = '\0';
    return text;
}

/* The first word, ended; *rest begins behind it. */
static char *word(char *text, char **rest) {
    char *end = text + strcspn(text, " \t");
    *rest = *end ? trim(end + 1) : end;
    *end = '\0';
    return text;
}

/* What stands before and behind the first `mark`; NULL: there is none. */
static char *split(char *text, const char *mark) {
    char *found = strstr(text, mark);
    if (!found) return NULL;
    *found = '\0';
    char *behind = trim(found + strlen(mark));
    trim(text);
    return behind;
}

/* Statements -------------------------------------------------------------------------------------------- */

static int read_measure(struct reader *r, char *text, struct claims_line *line) {
    char *rest, *first = word(text, &rest);
    int k = 0;
    while (k < CLAIMS_MEASURES && strcmp(first, measure_word[k]) != 0) k++;
    if (k == CLAIMS_MEASURES) return wrong(r, "there is no measure", first);
    line->measure = (enum claims_measure)k;
    if (k == CLAIMS_AT) line->when = word(rest, &rest);
    if (k < CLAIMS_STEPS && !*rest) return wrong(r, "of which quantity?  It stands behind", first);
    if (k >= CLAIMS_STEPS && *rest) return wrong(r, "nothing stands behind", first);
    line->of = k < CLAIMS_STEPS ? rest : NULL;
    if (k != CLAIMS_VALUE && line->run < 0) return wrong(r, "there is no `run` before it", NULL);
    if (k != CLAIMS_VALUE && (k == CLAIMS_ORDER) != r->c->run[line->run].converge)
        return wrong(r, "`order` belongs to `converge`, all others to `run`; this one is", first);
    return 0;
}

static int add_line(struct reader *r, struct claims_line **line) {
    struct claims *c = r->c;
    if (!c->items) return wrong(r, "an `item` comes first", NULL);
    struct claims_line *wider = grow(c->line, c->lines, sizeof *wider);
    if (!wider) return wrong(r, "there is not enough memory", NULL);
    c->line = wider;
    *line = &wider[c->lines];
    **line = (struct claims_line){.item = c->items - 1, .run = c->runs - 1, .at = r->at, .size = 1};
    if (c->runs && c->run[c->runs - 1].item != c->items - 1) (*line)->run = -1;
    c->lines++;
    return 0;
}

static int read_let(struct reader *r, char *rest) {
    struct claims_line *line;
    char *behind = split(rest, "=");
    if (!behind) return wrong(r, "a let is written `let NAME = MEASURE`", NULL);
    if (add_line(r, &line)) return -1;
    line->kind = CLAIMS_LET;
    line->name = line->words = rest;
    return read_measure(r, behind, line);
}

static int read_claim(struct reader *r, enum claims_kind kind, char *rest) {
    struct claims_line *line;
    char *words = split(rest, " : "), *measure, *printed = word(rest, &measure);
    if (!words) return wrong(r, "what is it?  Words stand behind ` : `", NULL);
    if (add_line(r, &line)) return -1;
    line->kind = kind;
    line->words = words;
    line->printed_text = printed;
    if (printed_read(&line->printed, printed)) return wrong(r, "this is no printed value:", printed);
    for (int k = 0; k < r->c->lines; k++)
        line->number += r->c->line[k].item == line->item && r->c->line[k].kind != CLAIMS_LET;
    return read_measure(r, measure, line);
}

/* misprint, cannot, better, explained and note are about the line before. */
static int read_remark(struct reader *r, int other, char *rest) {
    struct claims *c = r->c;
    struct claims_line *line = c->lines ? &c->line[c->lines - 1] : NULL;
    if (!line || line->kind == CLAIMS_LET || line->item != c->items - 1)
        return wrong(r, "there is no claim before it", NULL);
    if (!other) {
        line->note = rest;
        return 0;
    }
    char *words = split(rest, ":");
    if (!words || !*words) return wrong(r, "why?  It is written `misprint VALUE: WORDS`", NULL);
    line->other = other;
    line->other_text = rest;
    line->other_words = words;
    return printed_read(&line->other_printed, rest) ? wrong(r, "this is no printed value:", rest) : 0;
}

/* A part of a file's name: it must not lead anywhere. */
static int is_word(const char *name) {
    return *name && *name != '.' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") == strlen(name);
}

static int read_run(struct reader *r, int converge, char *rest) {
    struct claims *c = r->c;
    struct claims_run *wider = grow(c->run, c->runs, sizeof *wider);
    char *words = split(rest, " : "), *options, *model = word(rest, &options);
    if (!wider) return wrong(r, "there is not enough memory", NULL);
    c->run = wider;
    if (!c->items) return wrong(r, "an `item` comes first", NULL);
    if (!*model) return wrong(r, "which model?", NULL);
    c->run[c->runs++] = (struct claims_run){converge, model, options, words ? words : "", c->items - 1};
    return 0;
}

static int read_item(struct reader *r, char *rest) {
    struct claims *c = r->c;
    struct claims_item *wider = grow(c->item, c->items, sizeof *wider);
    char *words = split(rest, ":"), *full, *name = word(rest, &full), *others = split(name, "/");
    if (!wider) return wrong(r, "there is not enough memory", NULL);
    c->item = wider;
    if (!words || !*name || (*full && strcmp(full, "full") != 0))
        return wrong(r, "an item is written `item NAME: WORDS` or `item NAME full: WORDS`", NULL);
    for (int i = 0; i < c->items; i++)
        if (strcmp(c->item[i].name, name) == 0) return wrong(r, "there are two items", name);
    c->item[c->items++] = (struct claims_item){name, others, words, *full != '\0'};
    return 0;
}

static int read_draw(struct reader *r, char *rest) {
    struct claims *c = r->c;
    struct claims_draw *wider = grow(c->draw, c->draws, sizeof *wider);
    char *title = split(rest, ":");
    if (!wider) return wrong(r, "there is not enough memory", NULL);
    c->draw = wider;
    if (!c->items) return wrong(r, "an `item` comes first", NULL);
    if (!title || !*rest) return wrong(r, "a figure is written `draw NAME: TITLE`", NULL);
    if (!is_word(rest)) return wrong(r, "a name is made of letters, digits, _ - and ., not", rest);
    c->draw[c->draws++] = (struct claims_draw){rest, title, c->items - 1, c->curves, 0, c->panels, 0};
    return 0;
}

/* The figure that a curve or a panel belongs to; NULL: there is none. */
static struct claims_draw *open_draw(struct reader *r) {
    struct claims_draw *d = r->c->draws ? &r->c->draw[r->c->draws - 1] : NULL;
    if (d && d->item == r->c->items - 1) return d;
    wrong(r, "there is no `draw` before it", NULL);
    return NULL;
}

static int read_curve(struct reader *r, int point, char *rest) {
    struct claims *c = r->c;
    struct claims_draw *d = open_draw(r);
    struct claims_curve *wider = d ? grow(c->curve, c->curves, sizeof *wider) : NULL;
    char *label = split(rest, " : "), *model = rest, *options;
    if (!d) return -1;
    if (!wider) return wrong(r, "there is not enough memory", NULL);
    c->curve = wider;
    if (point) options = split(rest, ",");
    else model = word(rest, &options);
    if (!label || !options || !*model)
        return wrong(r, "it is written `curve MODEL OPTIONS : LABEL` or `point X, Y : LABEL`", NULL);
    c->curve[c->curves++] = (struct claims_curve){model, options, label, point};
    d->curves++;
    return 0;
}

/* "1,3": bits 0 and 2; 0: this is no such list. */
static unsigned read_numbers(const char *text) {
    unsigned bits = 0;
    for (char *end; *text; text = *end ? end + 1 : end) {
        long k = strtol(text, &end, 10);
        if (end == text || k < 1 || k > 32 || (*end && *end != ',')) return 0;
        bits |= 1u << (k - 1);
    }
    return bits;
}

static int read_panel(struct reader *r, char *rest) {
    struct claims *c = r->c;
    struct claims_draw *d = open_draw(r);
    struct claims_panel *wider = d ? grow(c->panel, c->panels, sizeof *wider) : NULL;
    struct claims_panel p = {.label = split(rest, " : ")};
    if (!d) return -1;
    if (!wider) return wrong(r, "there is not enough memory", NULL);
    c->panel = wider;
    if (strncmp(rest, "log ", 4) == 0) p.logs = 1, rest = trim(rest + 4);
    else if (strncmp(rest, "loglog ", 7) == 0) p.logs = 2, rest = trim(rest + 7);
    if (strncmp(rest, "of ", 3) == 0) {
        char *numbers = word(trim(rest + 3), &rest);
        p.of = read_numbers(numbers);
        if (!p.of) return wrong(r, "these are no numbers of curves:", numbers);
    }
    p.x = rest;
    p.ys = split(rest, ",");
    if (!p.label || !p.ys || !*p.ys || !*rest) return wrong(r, "it is written `panel X,Y : LABEL`", NULL);
    c->panel[c->panels++] = p;
    d->panels++;
    return 0;
}

static int read_prose(struct reader *r, char *rest) {
    struct claims *c = r->c;
    struct claims_prose *wider = grow(c->prose, c->proses, sizeof *wider);
    char *sentences = split(rest, ":");
    if (!wider) return wrong(r, "there is not enough memory", NULL);
    c->prose = wider;
    if (!sentences) return wrong(r, "a text is written `text WORD: SENTENCES`", NULL);
    c->prose[c->proses++] = (struct claims_prose){rest, sentences};
    return 0;
}

static int read_statement(struct reader *r, char *text) {
    char *rest, *first = word(text, &rest);
    if (strcmp(first, "paper") == 0) {
        r->c->title = split(rest, ":");
        r->c->name = rest;
        if (!r->c->title) return wrong(r, "a paper is written `paper NAME: TITLE`", NULL);
        return is_word(rest) ? 0 : wrong(r, "a name is made of letters, digits, _ - and ., not", rest);
    }
    if (!r->c->name) return wrong(r, "`paper NAME: TITLE` comes first, not", first);
    if (strcmp(first, "item") == 0) return read_item(r, rest);
    if (strcmp(first, "run") == 0) return read_run(r, 0, rest);
    if (strcmp(first, "converge") == 0) return read_run(r, 1, rest);
    if (strcmp(first, "claim") == 0) return read_claim(r, CLAIMS_PRINTED, rest);
    if (strcmp(first, "says") == 0) return read_claim(r, CLAIMS_WORDS, rest);
    if (strcmp(first, "keel") == 0) return read_claim(r, CLAIMS_OURS, rest);
    if (strcmp(first, "let") == 0) return read_let(r, rest);
    if (strcmp(first, "misprint") == 0) return read_remark(r, CLAIMS_MISPRINT, rest);
    if (strcmp(first, "cannot") == 0) return read_remark(r, CLAIMS_CANNOT, rest);
    if (strcmp(first, "better") == 0) return read_remark(r, CLAIMS_BETTER, rest);
    if (strcmp(first, "explained") == 0) return read_remark(r, CLAIMS_EXPLAINED, rest);
    if (strcmp(first, "note") == 0) return read_remark(r, 0, rest);
    if (strcmp(first, "draw") == 0) return read_draw(r, rest);
    if (strcmp(first, "curve") == 0) return read_curve(r, 0, rest);
    if (strcmp(first, "point") == 0) return read_curve(r, 1, rest);
    if (strcmp(first, "panel") == 0) return read_panel(r, rest);
    if (strcmp(first, "text") == 0) return read_prose(r, rest);
    return wrong(r, "no line begins with", first);
}

/* Claims are printed: nothing in them may act on a terminal. */
static int has_control(const char *line) {
    size_t length = strlen(line);
    for (size_t i = 0; i < length;) {
        uint32_t point;
        int size = text_character(line + i, length - i, &point);
        if (size == 0 || (text_is_control(point) && point != '\t')) return 1;
        i += (size_t)size;
    }
    return 0;
}

int claims_read(struct claims *c, const char *source, char *text, char *why, size_t capacity) {
    struct reader r = {c, 0, why, capacity};
    *c = (struct claims){.text = text, .source = source};
    for (char *next = text; next;) {
        char *line = next, *end = strchr(line, '\n');
        if (end) *end = '\0';
        next = end ? end + 1 : NULL;
        r.at++;
        line = trim(line);
        if (has_control(line))
            return wrong(&r, "a control character; tabs and line ends alone may stand here", NULL);
        for (char *tab = line; (tab = strchr(tab, '\t'));) *tab = ' '; /* blanks are blanks */
        if (*line && *line != '#' && read_statement(&r, line)) return -1;
    }
    return c->name ? 0 : wrong(&r, "`paper NAME: TITLE` is missing", NULL);
}

/* Names ------------------------------------------------------------------------------------------------- */

/* Is the word in a list with such marks between its words? */
static int listed(const char *list, char mark, const char *name, size_t length) {
    for (const char *at = list; at; at = strchr(at, mark) ? strchr(at, mark) + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == mark || !at[length])) return 1;
    return 0;
}

int claims_drawn(const struct claims *c, int item, const char *name) {
    for (int k = 0; k < c->draws; k++)
        if (c->draw[k].item == item && strcmp(c->draw[k].name, name) == 0) return k;
    return -1;
}

int claims_item_has(const struct claims *c, int item, const char *name) {
    const struct claims_item *i = &c->item[item];
    return strcmp(i->name, name) == 0 || listed(i->others, '/', name, strlen(name)) ||
           claims_drawn(c, item, name) >= 0;
}

static void add_name(char *out, size_t capacity, const char *name, size_t length) {
    if (!listed(out, '|', name, length))
        text_add(out, capacity, "%s%.*s", out[0] ? "|" : "", (int)length, name);
}

void claims_names(const struct claims *c, char *out, size_t capacity) {
    out[0] = '\0';
    for (int i = 0; i < c->items; i++) {
        add_name(out, capacity, c->item[i].name, strlen(c->item[i].name));
        for (const char *at = c->item[i].others; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
            add_name(out, capacity, at, strcspn(at, "/"));
        for (int k = 0; k < c->draws; k++)
            if (c->draw[k].item == i) add_name(out, capacity, c->draw[k].name, strlen(c->draw[k].name));
    }
}

void claims_close(struct claims *c) {
    free(c->text);
    free(c->prose);
    free(c->item);
    free(c->run);
    free(c->line);
    free(c->draw);
    free(c->curve);
    free(c->panel);
    *c = (struct claims){0};
}
