/* target_csv.c - any numbers and names as results in CSV, read back by a reader of its own.
 *
 * The writer of results is tried, not the reader of tables.  The input is text, one entry a line:
 * `t`, 16 hexadecimal digits: the bits of the next number; `n NAME`: the method's name in the heading;
 * `e NAME`: an event on the next row; `m K`: its mode; `s TEXT`: the last status; `o`: rows of events alone;
 * `c`: a model with a closed form.  Beside the sanitizers it checks: the file is RFC 4180, every row has as
 * many fields as the heading, numbers come back with the same bits, names with the same letters. */
#include "fuzz.h"

#include "cli/run/csv.h"
#include "cli/files/digits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 64, MOST_FIELDS = 64 };

static const char *const model_texts[] = {
    "model m\nvar x, y[1..2]\nx' = y[1]\ny[1]' = -x\ny[2]' = 1\ninvariant size = x^2 + y[1]^2\n"
    "init x = 1, y = (0, 0)\nmode a:\n    event up: x rising -> mode b\nmode b:\n"
    "    event down: x falling -> mode a\nstart a\nrun 0 .. 1\n",
    "model m\nvar x\nx' = -x\ninit x = 1\nexact x = exp(-t)\nrun 0 .. 1\n"};

struct expected {
    double number[MOST_FIELDS];
    int numbers, mode;
    const char *event;
};

struct input {
    const unsigned char *data;
    size_t size;
    double *bits; /* the numbers of the input, used one after the other and again */
    size_t count, next;
    int closed, events_only;
    const char *method, *status;
};

static void require(int holds, const char *what, const struct input *in) {
    fuzz_require(holds, what, in->data, in->size);
}

static double next_number(struct input *in) {
    return in->count ? in->bits[in->next++ % in->count] : 0;
}

/* Reading back ----------------------------------------------------------------------------------------- */

/* One field, in place and ended; the character that stood behind it, or -1 for what is no CSV. */
static int field(char **at, char **out) {
    char *from = *at, *to = from;
    *out = to;
    if (*from != '"') {
        size_t length = strcspn(from, ",\n\"");
        int mark = (unsigned char)from[length];
        from[length] = '\0';
        *at = from + length + (mark != 0);
        return mark == '"' || strchr(from, '\r') ? -1 : mark;
    }
    for (from++; *from; from++) {
        if (*from == '"' && from[1] != '"') break;
        from += *from == '"';
        *to++ = *from;
    }
    if (*from != '"') return -1;
    int mark = (unsigned char)from[1];
    *to = '\0';
    *at = from + 1 + (mark != 0);
    return mark == ',' || mark == '\n' ? mark : -1;
}

static int fields(char **at, char **out) {
    int count = 0, mark;
    do mark = count < MOST_FIELDS ? field(at, &out[count++]) : -1;
    while (mark == ',');
    return mark == '\n' ? count : -1;
}

static void check_numbers(const struct input *in, char **got, const struct expected *want) {
    for (int i = 0; i < want->numbers; i++) {
        char *end;
        double value = strtod(got[i], &end);
        if (isnan(want->number[i]) && i > 0) {
            require(got[i][0] == '\0', "what is no number is an empty field", in);
            continue;
        }
        require(*end == '\0' && end > got[i], "a number is a number and nothing else", in);
        require(memcmp(&value, &want->number[i], sizeof value) == 0 ||
                    (isnan(value) && isnan(want->number[i])),
                "a number comes back with the same bits", in);
    }
}

static void check_file(const struct input *in, char *text, const struct expected *row, int rows) {
    static const char *const modes[] = {"a", "b"};
    char *at = text, *got[MOST_FIELDS];
    at += strcspn(at, "\n");
    require(strncmp(text, "# keel ", 7) == 0 && *at == '\n', "the first line is a comment", in);
    at++;
    int columns = fields(&at, got);
    require(columns > 0 && strcmp(got[0], "t") == 0, "the second line is the heading", in);
    for (int k = 0; k < rows; k++) {
        int count = fields(&at, got), names = in->events_only ? 2 : 1;
        require(count == columns, "a row has as many fields as the heading", in);
        require(count == row[k].numbers + names, "and as many as were given", in);
        check_numbers(in, got, &row[k]);
        require(strcmp(got[row[k].numbers], in->closed ? "" : modes[row[k].mode]) == 0, "the mode", in);
        if (in->events_only) require(strcmp(got[count - 1], row[k].event) == 0, "the event's name", in);
    }
    if (in->status) {
        require(strncmp(at, "# status: ", 10) == 0, "the status stands at the end", in);
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    require(*at == '\0', "nothing else stands in the file", in);
}

/* Writing ---------------------------------------------------------------------------------------------- */

static struct expected give(struct input *in, struct csv *csv, const struct trace *t, const char *event,
                            int mode) {
    double value[MOST_FIELDS] = {0}, drift[MOST_FIELDS] = {0}, error[MOST_FIELDS] = {0};
    struct expected e = {.mode = mode, .event = event};
    struct trace_row row = {TRACE_OUTPUT, next_number(in), value, drift, error, mode, event};
    e.number[e.numbers++] = row.t;
    for (int i = 0; i < t->columns; i++) e.number[e.numbers++] = value[i] = next_number(in);
    for (int i = 0; i < t->rows; i++) e.number[e.numbers++] = drift[i] = next_number(in);
    for (int i = 0; i < t->columns; i++)
        if (t->closed[i]) e.number[e.numbers++] = error[i] = next_number(in);
    require(csv_row(csv, &row) == 0, "a row is written", in);
    return e;
}

static int take_rows(struct input *in, char *text, struct csv *csv, const struct trace *t,
                     struct expected *row) {
    const char *event = NULL;
    int count = 0, mode = 0;
    for (char *line = text, *end; line && *line && count < MOST_ROWS; line = end) {
        end = strchr(line, '\n');
        if (end) *end++ = '\0';
        if (strncmp(line, "e ", 2) == 0) event = line + 2;
        else if (strncmp(line, "m ", 2) == 0) mode = in->closed ? 0 : atoi(line + 2) & 1;
        else if (strcmp(line, "t") == 0) {
            if (in->events_only && !event) event = "";
            row[count++] = give(in, csv, t, event, mode);
            event = NULL;
        }
    }
    return count;
}

/* What holds for the whole file; numbers are gathered first. */
static void take_settings(struct input *in, char *text) {
    for (char *line = text, *end; line && *line; line = end) {
        end = strchr(line, '\n');
        if (end) *end++ = '\0';
        if (strcmp(line, "o") == 0) in->events_only = 1;
        else if (strcmp(line, "c") == 0) in->closed = 1;
        else if (strncmp(line, "n ", 2) == 0) in->method = line + 2;
        else if (strncmp(line, "s ", 2) == 0) in->status = line + 2;
        else if (strlen(line) == 16 && strspn(line, "0123456789abcdef") == 16) {
            unsigned long long bits = strtoull(line, NULL, 16);
            memcpy(&in->bits[in->count++], &bits, sizeof bits);
        }
    }
}

static struct {
    keel_model *model;
    keel_sim *sim;
    struct trace trace;
} opened[2];

static void close_models(void) {
    for (int k = 0; k < 2; k++) {
        trace_close(&opened[k].trace);
        keel_sim_close(opened[k].sim);
        keel_model_close(opened[k].model);
    }
}

static void open_models(void) {
    for (int k = 0; k < 2; k++) {
        keel_model_options o = {.interpret = 1};
        opened[k].model = keel_model_read("m.keel", model_texts[k], strlen(model_texts[k]), &o);
        opened[k].sim = keel_sim_open(opened[k].model, NULL);
        if (trace_attach(&opened[k].trace, opened[k].sim)) exit(1);
    }
    atexit(close_models);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    static char *path;
    static struct expected row[MOST_ROWS];
    struct input in = {.data = data, .size = size, .method = "rk4"};
    struct job j = {.messages = {.json = 1}, .stabilizer = "none"};
    struct csv csv;
    char why[200];
    if (!path) path = fuzz_path("out.csv");
    if (!opened[0].model) open_models();
    char *settings = fuzz_ended(data, size), *lines = fuzz_ended(data, size);
    in.bits = malloc((size / 16 + 1) * sizeof *in.bits);
    take_settings(&in, settings);
    const struct trace *t = &opened[in.closed].trace;
    j.model = opened[in.closed].model;
    snprintf(j.method, sizeof j.method, "%s", in.method);
    require(csv_open(&csv, &j, path, in.events_only) == 0 && csv_begin(&csv, t) == 0, "it opens", &in);
    int rows = take_rows(&in, lines, &csv, t, row);
    require(csv_end(&csv, in.status) == 0, "it is kept", &in);
    size_t count = 0;
    unsigned char *bytes = file_read(path, &count, why, sizeof why);
    require(bytes != NULL, "it is there", &in);
    char *text = fuzz_ended(bytes, count);
    require(strlen(text) == count, "there is no zero in it", &in);
    check_file(&in, text, row, rows);
    free(text);
    free(bytes);
    free(in.bits);
    free(lines);
    free(settings);
    return 0;
}
