/* table.c - see table.h. */
#include "base/table.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD = 400, MOST_COLUMNS = 10000 };

/* Where the reader is, and the field at hand. */
struct reader {
    const char *at, *end;
    long line;
    int column;        /* of the field at hand, from 1 */
    char field[FIELD]; /* without blanks around it */
    int last;          /* it is the last of its line */
    int missing;       /* values may be */
    char *why;
    size_t capacity;
};

static enum table_status wrong(struct reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static enum table_status wrong(struct reader *r, const char *format, ...) {
    char sentence[TEXT_SENTENCE];
    va_list args;
    va_start(args, format);
    text_vset(sentence, sizeof sentence, format, args);
    va_end(args);
    if (r->column) text_set(r->why, r->capacity, "line %ld, column %d: %s", r->line, r->column, sentence);
    else text_set(r->why, r->capacity, "line %ld: %s", r->line, sentence);
    return TABLE_WRONG;
}

/* Lines ------------------------------------------------------------------------------------------------- */

/* Goes to the next line with something in it; 0: there is none. */
static int next_line(struct reader *r) {
    while (r->at < r->end) {
        const char *at = r->at;
        while (at < r->end && (*at == ' ' || *at == '\t' || *at == '\r')) at++;
        if (at < r->end && *at != '\n' && *at != '#') return 1;
        const char *newline = memchr(at, '\n', (size_t)(r->end - at));
        r->at = newline ? newline + 1 : r->end;
        r->line++;
    }
    return 0;
}

/* The bytes of the field at r->at, quotes undone; what follows it is left at r->at.  -1: wrong. */
static long field_bytes(struct reader *r) {
    size_t count = 0;
    int quoted = r->at < r->end && *r->at == '"';
    for (r->at += quoted; r->at < r->end; r->at++) {
        int c = (unsigned char)*r->at;
        if (quoted && c == '"') {
            if (r->at + 1 == r->end || r->at[1] != '"') break;
            r->at++;
        } else if (c == '\n' || (!quoted && c == ',')) break;
        if (c == 0) return wrong(r, "there is a zero byte: this is no text"), -1;
        if (count + 1 == FIELD) return wrong(r, "the field is longer than %d bytes", FIELD - 1), -1;
        r->field[count++] = (char)c;
    }
    if (!quoted) return (long)count;
    if (r->at == r->end || *r->at != '"') return wrong(r, "a quote is not closed on its line"), -1;
    for (r->at++; r->at < r->end && (*r->at == ' ' || *r->at == '\r');) r->at++;
    if (r->at < r->end && *r->at != ',' && *r->at != '\n')
        return wrong(r, "something stands behind a closing quote"), -1;
    return (long)count;
}

static int is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static enum table_status next_field(struct reader *r) {
    r->column++;
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t')) r->at++;
    long count = field_bytes(r);
    if (count < 0) return TABLE_WRONG;
    while (count > 0 && is_blank(r->field[count - 1])) count--;
    r->field[count] = '\0';
    r->last = r->at == r->end || *r->at == '\n';
    if (r->at < r->end) r->at++;
    return TABLE_READ;
}

static void line_ends(struct reader *r) {
    r->line++;
    r->column = 0;
}

/* The heading ------------------------------------------------------------------------------------------- */

static enum table_status add_name(struct table *t, struct reader *r) {
    if (r->field[0] == '\0') return wrong(r, "the column has no name");
    if (strpbrk(r->field, ";\t") && t->columns == 0)
        return wrong(r, "fields are to be separated by commas, not by `%c`",
                     strchr(r->field, ';') ? ';' : '\t');
    for (int i = 0; i < t->columns; i++)
        if (strcmp(t->name[i], r->field) == 0)
            return wrong(r, "`%.80s` is the name of column %d, too", r->field, i + 1);
    if (t->columns == MOST_COLUMNS) return wrong(r, "there are more than %d columns", MOST_COLUMNS);
    char **wider = realloc(t->name, ((size_t)t->columns + 1) * sizeof *wider);
    if (!wider) return TABLE_NO_MEMORY;
    t->name = wider;
    size_t length = strlen(r->field);
    t->name[t->columns] = malloc(length + 1);
    if (!t->name[t->columns]) return TABLE_NO_MEMORY;
    memcpy(t->name[t->columns++], r->field, length + 1);
    return TABLE_READ;
}

static enum table_status read_heading(struct table *t, struct reader *r) {
    if (!next_line(r)) {
        r->line = 1;
        return wrong(r, "the table is empty: its first line has the names of the columns");
    }
    do {
        enum table_status status = next_field(r);
        if (status == TABLE_READ) status = add_name(t, r);
        if (status != TABLE_READ) return status;
    } while (!r->last);
    line_ends(r);
    return TABLE_READ;
}

/* Numbers ----------------------------------------------------------------------------------------------- */

static int is_missing(const char *field) {
    return field[0] == '\0' || strcmp(field, "NA") == 0 || strcmp(field, "NaN") == 0 ||
           strcmp(field, "nan") == 0;
}

static enum table_status read_number(const struct table *t, struct reader *r, double *value) {
    char *end = r->field;
    if (r->column > t->columns)
        return wrong(r, "there are more fields than names in the heading (%d)", t->columns);
    const char *name = t->name[r->column - 1];
    *value = NAN;
    if (r->missing && is_missing(r->field)) return TABLE_READ;
    if (r->field[0] == '\0') return wrong(r, "the value of `%.80s` is missing", name);
    int decimal = strspn(r->field, "+-.0123456789eE") == strlen(r->field);
    *value = decimal ? strtod(r->field, &end) : NAN;
    if (!decimal || *end) return wrong(r, "`%.40s` is no number, for `%.80s`", r->field, name);
    if (!isfinite(*value)) return wrong(r, "`%.40s` is too large, for `%.80s`", r->field, name);
    return TABLE_READ;
}

static int reserve(struct table *t) {
    if (t->rows < t->capacity) return 1;
    int64_t capacity = t->capacity ? 2 * t->capacity : 64;
    double *wider = realloc(t->value, (size_t)capacity * (size_t)t->columns * sizeof *wider);
    if (!wider) return 0;
    t->value = wider;
    t->capacity = capacity;
    return 1;
}

static enum table_status read_row(struct table *t, struct reader *r) {
    if (!reserve(t)) return TABLE_NO_MEMORY;
    double *row = t->value + (size_t)t->rows * (size_t)t->columns, value = NAN;
    do {
        enum table_status status = next_field(r);
        if (status == TABLE_READ) status = read_number(t, r, &value);
        if (status != TABLE_READ) return status;
        row[r->column - 1] = value;
    } while (!r->last);
    int found = r->column;
    r->column = 0;
    if (found < t->columns)
        return wrong(r, "%d of the %d columns have no value", t->columns - found, t->columns);
    t->rows++;
    line_ends(r);
    return TABLE_READ;
}

enum table_status table_read(struct table *t, const char *text, size_t length, int missing, char *why,
                             size_t capacity) {
    struct reader r = {
        .at = text, .end = text + length, .line = 1, .missing = missing, .why = why, .capacity = capacity};
    *t = (struct table){0};
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) r.at += 3; /* the mark of UTF-8 */
    enum table_status status = read_heading(t, &r);
    while (status == TABLE_READ && next_line(&r)) status = read_row(t, &r);
    if (status == TABLE_READ && t->rows == 0)
        return wrong(&r, "there are names, but no row of numbers below");
    return status;
}

void table_close(struct table *t) {
    for (int i = 0; i < t->columns; i++) free(t->name[i]);
    free(t->name);
    free(t->value);
    *t = (struct table){0};
}
