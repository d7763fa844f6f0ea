/* table_rows.c - see table_rows.h. */
#include "lang/table_rows.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 64, CALLED = 80, COLUMNS = 4096 };

struct cell {
    const char *text;
    size_t length;
};

struct reader {
    const char *at, *end; /* the line under way begins at `at` */
    const char *stop;     /* where it ends */
    long line;
    int columns; /* of the first line */
    char separator;
    char argument[CALLED], value[CALLED]; /* how the columns are called: `kN`, or 2 */
    char *why;
    size_t capacity;
};

/* On to the next line that counts. */
static int next_line(struct reader *r) {
    while (r->at < r->end) {
        const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
        r->stop = newline ? newline : r->end;
        r->line++;
        const char *first = r->at;
        while (first < r->stop && (*first == ' ' || *first == '\t' || *first == '\r')) first++;
        if (first < r->stop && *first != '#') return 1;
        r->at = newline ? newline + 1 : r->end;
    }
    return 0;
}

/* Where the cell ends that begins there; what stands in quotes has no separators. */
static const char *end_of_cell(const struct reader *r, const char *from) {
    const char *first = from;
    while (first < r->stop && *first == ' ') first++;
    const char *quote =
        first < r->stop && *first == '"' ? memchr(first + 1, '"', (size_t)(r->stop - first - 1)) : NULL;
    if (quote) from = quote;
    const char *to = memchr(from, r->separator, (size_t)(r->stop - from));
    return to ? to : r->stop;
}

/* Cell number `number`, from 1 on, without blanks and quotes around it; 0: the line is shorter. */
static int cell(const struct reader *r, int number, struct cell *out) {
    const char *from = r->at, *to;
    for (int k = 1;; k++) {
        to = end_of_cell(r, from);
        if (k == number) break;
        if (to == r->stop) return 0;
        from = to + 1;
    }
    while (from < to && (*from == ' ' || *from == '\t')) from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '\r')) to--;
    if (to - from >= 2 && *from == '"' && to[-1] == '"') from++, to--;
    *out = (struct cell){from, (size_t)(to - from)};
    return 1;
}

static int cells(const struct reader *r) {
    struct cell one;
    int count = 0;
    while (count < COLUMNS && cell(r, count + 1, &one)) count++;
    return count;
}

/* A plain decimal number, with a comma for its point where cells are not separated by commas; 0: it is
 * none. */
static int number(struct cell cell, char separator, double *out) {
    char digits[CELL], plain[CELL];
    if (cell.length >= sizeof plain) return 0;
    for (size_t i = 0; i < cell.length; i++)
        plain[i] = cell.text[i] == ',' && separator != ',' ? '.' : cell.text[i];
    const struct cell c = {plain, cell.length};
    size_t sign = c.length && (c.text[0] == '-' || c.text[0] == '+'), at = sign, figures = 0;
    for (; at < c.length && ((c.text[at] >= '0' && c.text[at] <= '9') || c.text[at] == '.'); at++)
        figures += c.text[at] != '.';
    if (figures == 0 || memchr(c.text, '.', at) != NULL) {
        const char *point = memchr(c.text, '.', at);
        if (figures == 0 || memchr(point + 1, '.', at - (size_t)(point + 1 - c.text))) return 0;
    }
    if (at < c.length && (c.text[at] == 'e' || c.text[at] == 'E')) {
        at += 1 + (at + 1 < c.length && (c.text[at + 1] == '-' || c.text[at + 1] == '+'));
        size_t from = at;
        while (at < c.length && c.text[at] >= '0' && c.text[at] <= '9') at++;
        if (at == from) return 0;
    }
    if (at < c.length) return 0;
    memcpy(digits, c.text + sign, c.length - sign);
    digits[c.length - sign] = '\0';
    *out = text_decimal(digits);
    if (sign && c.text[0] == '-') *out = -*out;
    return isfinite(*out);
}

static void shown(struct cell c, char *out, size_t capacity) {
    char plain[CELL];
    text_set(plain, sizeof plain, "%.*s", (int)(c.length < 40 ? c.length : 40), c.text);
    text_shown(out, capacity, plain);
}

static void list_names(const struct reader *r, char *out, size_t capacity) {
    struct cell one;
    char name[CELL * 4];
    out[0] = '\0';
    for (int k = 1; k <= 8 && cell(r, k, &one); k++) {
        shown(one, name, sizeof name);
        text_add(out, capacity, "%s`%.40s`", k > 1 ? ", " : "", name);
    }
}

/* The first column of this name after `number`; 0: there is none. */
static int named_after(const struct reader *r, const char *name, int number) {
    struct cell one;
    while (++number <= r->columns)
        if (cell(r, number, &one) && strlen(name) == one.length && memcmp(name, one.text, one.length) == 0)
            return number;
    return 0;
}

/* The number of a column in the heading, and what it is called; 0 with a sentence. */
static int find(struct reader *r, struct table_column want, int other, int named, char *called) {
    int count = r->columns, number = want.number;
    char names[300], name[CELL * 4];
    struct cell one;
    list_names(r, names, sizeof names);
    if (want.name && !named)
        return text_no(
            r->why, r->capacity,
            "has no names in its first line, so `%.40s` is none of its columns; write the column's "
            "number",
            want.name);
    if (want.name) {
        number = named_after(r, want.name, 0);
        if (number == 0)
            return text_no(r->why, r->capacity, "has no column `%.40s`: there are %s", want.name, names);
        int another = named_after(r, want.name, number);
        if (another)
            return text_no(r->why, r->capacity, "has two columns `%.40s`: say which, as in  column = %d",
                           want.name, another);
    }
    if (number == 0 && other && count != 2)
        return text_no(r->why, r->capacity, "has %d columns: say which, as in  column = \"...\", of %s",
                       count, names);
    if (number == 0) number = other ? 3 - other : 1;
    if (number > count) return text_no(r->why, r->capacity, "has no column %d: there are %d", number, count);
    cell(r, number, &one);
    shown(one, name, sizeof name);
    if (named) text_set(called, CALLED, "`%.60s`", name);
    else text_set(called, CALLED, "%d", number);
    return number;
}

/* The first line, with its separator; how many columns, or 0 with a sentence.  *named: it holds names. */
static int heading(struct reader *r, int *named) {
    double value;
    struct cell one;
    if (!next_line(r)) return text_no(r->why, r->capacity, "has no rows");
    size_t length = (size_t)(r->stop - r->at);
    r->separator = memchr(r->at, ';', length)                                   ? ';'
                   : memchr(r->at, '\t', length) && !memchr(r->at, ',', length) ? '\t'
                                                                                : ',';
    *named = 0;
    r->columns = cells(r);
    for (int k = 1; k <= r->columns && cell(r, k, &one); k++)
        *named |= one.length > 0 && !number(one, r->separator, &value);
    return 1;
}

static int read_cell(const struct reader *r, int column, const char *called, double *out) {
    struct cell c = {NULL, 0};
    char text[CELL * 4];
    int is_there = cell(r, column, &c);
    if (!is_there || c.length == 0)
        return text_no(r->why, r->capacity, "line %ld: the value in column %s is missing", r->line, called);
    if (number(c, r->separator, out)) return 1;
    shown(c, text, sizeof text);
    return text_no(r->why, r->capacity, "line %ld: `%.40s` in column %s is not a finite number", r->line,
                   text, called);
}

static int grows(const struct reader *r, double before, double x, long line_before) {
    if (x > before) return 1;
    if (x == before)
        return text_no(
            r->why, r->capacity,
            "line %ld: column %s is %.15g again, as in line %ld; a jump is  by = hold,  or two values "
            "a little apart",
            r->line, r->argument, x, line_before);
    return text_no(r->why, r->capacity,
                   "line %ld: column %s is %.15g after %.15g in line %ld; sort the rows by it", r->line,
                   r->argument, x, before, line_before);
}

/* A row that is longer than the first line: 0,5 in a file of commas would be two numbers without a word. */
static int fits(const struct reader *r) {
    struct cell c;
    for (int k = r->columns + 1; r->columns < COLUMNS && cell(r, k, &c); k++)
        if (c.length > 0)
            return text_no(r->why, r->capacity,
                           "line %ld: there are more than the %d cells of the first line; numbers with "
                           "decimal commas stand between semicolons",
                           r->line, r->columns);
    return 1;
}

static int is_last(struct reader *r) {
    struct reader ahead = *r;
    ahead.at = r->stop < r->end ? r->stop + 1 : r->end;
    return !next_line(&ahead);
}

static int body(struct reader *r, int argument, int value, int open_end, struct table_rows *out) {
    long line = 0;
    struct cell c;
    for (; next_line(r); r->at = r->stop < r->end ? r->stop + 1 : r->end) {
        double x, y = 0;
        if (!fits(r) || !read_cell(r, argument, r->argument, &x)) return 0;
        int open = open_end && (!cell(r, value, &c) || c.length == 0) && is_last(r);
        if (!open && !read_cell(r, value, r->value, &y)) return 0;
        if (out->count && !grows(r, out->x[out->count - 1], x, line)) return 0;
        line = r->line;
        out->x[out->count] = x;
        out->y[out->count++] = y;
    }
    return out->count >= 2 || text_no(r->why, r->capacity, "has fewer than two rows");
}

int table_rows_read(const char *text, size_t length, struct table_column argument, struct table_column value,
                    int open_end, struct table_rows *out, char *why, size_t capacity) {
    struct reader r = {.at = text, .end = text + length, .why = why, .capacity = capacity};
    size_t lines = 2;
    int named = 0;
    *out = (struct table_rows){0};
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) r.at += 3; /* the mark of UTF-8 */
    for (const char *at = text; at < r.end && (at = memchr(at, '\n', (size_t)(r.end - at))); at++) lines++;
    if (!heading(&r, &named)) return 0;
    int x = find(&r, argument, 0, named, r.argument), y = x ? find(&r, value, x, named, r.value) : 0;
    if (!y) return 0;
    out->x = malloc(2 * lines * sizeof *out->x);
    if (!out->x) return -1;
    out->y = out->x + lines;
    if (named) r.at = r.stop < r.end ? r.stop + 1 : r.end;
    else r.line--;
    int good = body(&r, x, y, open_end, out);
    if (!good) free(out->x), *out = (struct table_rows){0};
    return good;
}
