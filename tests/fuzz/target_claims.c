/* target_claims.c - any bytes at all as a file of claims.
 *
 * Beside the sanitizers it checks: a refusal names its line and has a sentence, lists are no longer than the
 * text has lines, names of figures name no folder, what is read and written out again is read as the same,
 * and the values of expressions that cannot be had say why. */
#include "fuzz.h"

#include "cli/papers/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const measure_words[CLAIMS_MEASURES] = {
    "end",   "at",          "largest",   "low",    "high",       "median",  "order",  "value",
    "steps", "evaluations", "jacobians", "newton", "unresolved", "reached", "seconds"};

struct input {
    const unsigned char *data;
    size_t size;
};

static void require(int holds, const char *what, const struct input *in) {
    fuzz_require(holds, what, in->data, in->size);
}

/* Written out again ------------------------------------------------------------------------------------ */

static void put_measure(FILE *out, const struct claims_line *line) {
    fputs(measure_words[line->measure], out);
    if (line->when) fprintf(out, " %s", line->when);
    if (line->of) fprintf(out, " %s", line->of);
}

static void put_line(FILE *out, const struct claims_line *line) {
    static const char *const kinds[] = {"claim", "says", "keel"};
    static const char *const others[] = {
        [CLAIMS_MISPRINT] = "misprint",
        [CLAIMS_CANNOT] = "cannot",
        [CLAIMS_BETTER] = "better",
        [CLAIMS_EXPLAINED] = "explained",
    };
    if (line->kind == CLAIMS_LET) {
        fprintf(out, "let %s = ", line->name);
        put_measure(out, line);
        fputc('\n', out);
        return;
    }
    fprintf(out, "%s %s ", kinds[line->kind], line->printed_text);
    put_measure(out, line);
    fprintf(out, " : %s\n", line->words);
    if (line->other) fprintf(out, "%s %s: %s\n", others[line->other], line->other_text, line->other_words);
    if (line->note) fprintf(out, "note %s\n", line->note);
}

static void put_draw(FILE *out, const struct claims *c, const struct claims_draw *d) {
    fprintf(out, "draw %s: %s\n", d->name, d->title);
    for (int k = d->curve; k < d->curve + d->curves; k++) {
        const struct claims_curve *one = &c->curve[k];
        fprintf(out, "%s %s%s %s : %s\n", one->point ? "point" : "curve", one->model, one->point ? "," : "",
                one->options, one->label);
    }
    for (int k = d->panel; k < d->panel + d->panels; k++) {
        const struct claims_panel *one = &c->panel[k];
        fprintf(out, "panel %s", one->logs == 2 ? "loglog " : one->logs ? "log " : "");
        for (int bit = 0, first = 1; bit < 32; bit++)
            if (one->of & 1u << bit) fprintf(out, "%s%d", first ? "of " : ",", bit + 1), first = 0;
        fprintf(out, "%s%s,%s : %s\n", one->of ? " " : "", one->x, one->ys, one->label);
    }
}

static char *written(const struct claims *c) {
    char *text = NULL;
    size_t length = 0;
    int run = 0, line = 0, draw = 0;
    FILE *out = open_memstream(&text, &length);
    fprintf(out, "paper %s: %s\n", c->name, c->title);
    for (int k = 0; k < c->proses; k++)
        fprintf(out, "text %s: %s\n", c->prose[k].word, c->prose[k].sentences);
    for (int i = 0; i < c->items; i++) {
        const struct claims_item *item = &c->item[i];
        fprintf(out, "item %s%s%s%s: %s\n", item->name, item->others ? "/" : "",
                item->others ? item->others : "", item->full ? " full" : "", item->words);
        while ((run < c->runs && c->run[run].item == i) || (line < c->lines && c->line[line].item == i)) {
            if (line < c->lines && c->line[line].item == i && c->line[line].run < run) {
                put_line(out, &c->line[line++]);
                continue;
            }
            const struct claims_run *one = &c->run[run++];
            fprintf(out, "%s %s %s%s%s\n", one->converge ? "converge" : "run", one->model, one->options,
                    one->words[0] ? " : " : "", one->words);
        }
        while (draw < c->draws && c->draw[draw].item == i) put_draw(out, c, &c->draw[draw++]);
    }
    fclose(out);
    return text;
}

/* Checks ----------------------------------------------------------------------------------------------- */

static void check_refusal(const struct input *in, const char *why) {
    long line = 0, lines = 1;
    char sentence[4] = "";
    for (size_t i = 0; i < in->size && in->data[i]; i++) lines += in->data[i] == '\n';
    require(sscanf(why, "fuzz:%ld: %3s", &line, sentence) == 2, "a refusal has a line and a sentence", in);
    require(line >= 1 && line <= lines, "the line is one of the text", in);
}

/* Pictures become files of this name in the folder that the user names. */
static int is_file_name(const char *name) {
    return name[0] && name[0] != '.' && !strchr(name, '/');
}

static void check_names(const struct input *in, const struct claims *c) {
    char small[40];
    claims_names(c, small, sizeof small);
    require(strlen(small) < sizeof small, "names are cut to the room", in);
    require(is_file_name(c->name), "a paper's name is no path", in);
    for (int i = 0; i < c->items; i++)
        require(claims_item_has(c, i, c->item[i].name), "an item has its own name", in);
    for (int k = 0; k < c->draws; k++) {
        require(is_file_name(c->draw[k].name), "a figure's name is no path", in);
        require(claims_drawn(c, c->draw[k].item, c->draw[k].name) >= 0, "a figure is found", in);
    }
}

static void check_words(const struct input *in, const struct claims *c) {
    for (int k = 0; k < c->runs; k++) {
        struct measure_words w;
        measure_words_open(&w, c->run[k].model, c->run[k].options, NULL);
        size_t length = 0;
        for (int i = 1; i < w.count; i++) length += strlen(w.word[i]);
        require(length <= strlen(c->run[k].options), "words are no longer than what they are made of", in);
        measure_words_close(&w);
    }
}

static void check_values(const struct input *in, struct claims *c) {
    enum { FEW = 4 }; /* each reads a model */
    int count = 0;
    for (int k = 0; k < c->lines; k++) count += c->line[k].measure == CLAIMS_VALUE;
    if (count > FEW) return;
    for (int i = 0; i < c->items && i < FEW; i++) measure_values(c, i);
    for (int k = 0; k < c->lines; k++)
        if (c->line[k].measure == CLAIMS_VALUE && c->line[k].tried)
            require(!isnan(c->line[k].value) || c->line[k].said[0], "a value that is none says why", in);
}

static void check_again(const struct input *in, const struct claims *c) {
    struct claims again;
    char why[200] = "", *text = written(c), *copy = fuzz_ended(text, strlen(text));
    int wrong = claims_read(&again, "fuzz", copy, why, sizeof why);
    if (wrong) fprintf(stderr, "%s\n%s\n", why, text);
    require(!wrong, "what is written out is read again", in);
    char *twice = written(&again);
    require(strcmp(text, twice) == 0, "and is the same", in);
    require(again.proses == c->proses && again.items == c->items && again.runs == c->runs &&
                again.lines == c->lines && again.draws == c->draws && again.curves == c->curves &&
                again.panels == c->panels,
            "and as much", in);
    free(text);
    free(twice);
    claims_close(&again);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    struct input in = {data, size};
    struct claims c;
    char why[200] = "";
    int lines = 1;
    for (size_t i = 0; i < size; i++) lines += data[i] == '\n';
    if (claims_read(&c, "fuzz", fuzz_ended(data, size), why, sizeof why)) check_refusal(&in, why);
    else {
        check_names(&in, &c);
        check_words(&in, &c);
        check_again(&in, &c);
        check_values(&in, &c);
    }
    require(c.proses + c.items + c.runs + c.lines + c.draws + c.curves + c.panels <= lines,
            "no more entries than lines", &in);
    claims_close(&c);
    return 0;
}
