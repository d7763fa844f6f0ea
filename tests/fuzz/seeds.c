/* seeds.c - what the fuzzer begins with, beside the examples and what is kept: fuzz_seeds FOLDER writes the
 * texts of the mistakes into FOLDER/models, and words into FOLDER/words.models, .options and .claims. */
#include "cli/job/command.h"
#include "cli/job/option.h"
#include "lang/lexer.h"

#include <keel.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text, place, sentence, hint; and what is set. */
static const struct {
    const char *text;
    int line, column;
    const char *sentence, *hint;
} mistakes[] = {
#include "../elaborate_mistakes.def"
#include "../parser_mistakes.def"
};

static const struct {
    const char *text;
    int line, column;
    const char *sentence, *hint, *set;
} models[] = {
#include "../model_mistakes.def"
};

/* What a change by bytes would hardly ever hit. */
static const char *const pieces[] = {"..",
                                     "==",
                                     ":=",
                                     "->",
                                     "'",
                                     "''",
                                     " = ",
                                     "(1, 2)",
                                     "[1]",
                                     "1e9",
                                     "1e-9",
                                     "1..0",
                                     "lambda.",
                                     ".enter",
                                     ".start",
                                     "\n",
                                     "\n    ",
                                     ":\n    ",
                                     "-1",
                                     "x[i+1]",
                                     " and ",
                                     "not ",
                                     "2^",
                                     "^(1/3)",
                                     "if(t<1,",
                                     "sum(i in 1..3, ",
                                     "1e309",
                                     "0/0",
                                     "for i in 1..3:\n    ",
                                     "mode a:\n    ",
                                     "options method = rk4+project\n"};

static FILE *create(const char *folder, const char *name, int number) {
    char path[4096];
    snprintf(path, sizeof path, number < 0 ? "%s/%s" : "%s/%s%d.keel", folder, name, number);
    FILE *file = fopen(path, "wb");
    if (file) return file;
    fprintf(stderr, "seeds: %s cannot be written\n", path);
    exit(1);
}

/* One line of a dictionary: "text", bytes beyond the printable ones as \xAB. */
static void write_word(FILE *file, const char *word) {
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)word; *c; c++)
        if (*c < ' ' || *c > '~' || *c == '"' || *c == '\\') fprintf(file, "\\x%02X", *c);
        else fputc(*c, file);
    fputs("\"\n", file);
}

static void write_seed(const char *folder, int number, const char *text) {
    FILE *file = create(folder, "models/mistake", number);
    fputs(text, file);
    fclose(file);
}

/* Commands, options with their choices, methods, and what values are made of. */
static void write_options(const char *folder) {
    static const char *const values[] = {"\n",   "\n\noptions ", "\n--",  "=",  "1e-6", "T/10", "k=3", "q;p",
                                         ",",    "nan",          "1e309", "-1", "0",    "q,p",  "+",   "--",
                                         "auto", "q'=0.1",       "(",     "k*", "\""};
    FILE *file = create(folder, "words.options", -1);
    const keel_method *m;
    for (const struct command *c = command_table; c->name; c++) write_word(file, c->name);
    for (int id = 0; id < OPTIONS; id++) {
        char name[80] = "--";
        const struct option_row row = option_row(id);
        if (!row.commands) continue;
        option_name(id, name + 2, sizeof name - 2);
        write_word(file, name);
        const char *choices = option_choices(&row);
        if (choices) write_word(file, choices);
    }
    for (int i = 0; (m = keel_method_at(i)); i++) write_word(file, m->name);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) write_word(file, values[i]);
    fclose(file);
}

static void write_claims(const char *folder) {
    static const char *const words[] = {"paper p: title\n",
                                        "text a: b\n",
                                        "item a: b\n",
                                        "item a/b full: c\n",
                                        "run m --step 1 : w\n",
                                        "converge m\n",
                                        "claim 1 end x : w",
                                        "says ~1 low y : w",
                                        "keel <2 high z : w",
                                        "let a = value 2*b\n",
                                        "misprint 2: why\n",
                                        "cannot 3: why\n",
                                        "better 1: why\n",
                                        "explained 1..2: w\n",
                                        "note w\n",
                                        "draw a: b\n",
                                        "curve m o : l\n",
                                        "point 1, 2 : l\n",
                                        "panel log of 1,2 x,y : l\n",
                                        "loglog ",
                                        "median ",
                                        "steps",
                                        "evaluations",
                                        "at 3 x",
                                        "order x",
                                        " : ",
                                        "O(1)",
                                        "..",
                                        "../",
                                        "seconds",
                                        "reached",
                                        "unresolved",
                                        "newton",
                                        "jacobians"};
    FILE *file = create(folder, "words.claims", -1);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) write_word(file, words[i]);
    fclose(file);
}

int main(int count, char **arguments) {
    int seeds = 0;
    if (count != 2) return 1;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
        write_seed(arguments[1], seeds++, mistakes[i].text);
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        write_seed(arguments[1], seeds++, models[i].text);
    FILE *file = create(arguments[1], "words.models", -1);
    for (int i = 1; lexer_word_text(i); i++) write_word(file, lexer_word_text(i));
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) write_word(file, pieces[i]);
    fclose(file);
    write_options(arguments[1]);
    write_claims(arguments[1]);
    return 0;
}
