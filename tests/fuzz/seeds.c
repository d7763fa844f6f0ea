/* seeds.c - what the fuzzer begins with, beside the examples: fuzz_seeds FOLDER writes the texts of the
 * mistakes into FOLDER/seeds and the words and signs of the language into FOLDER/words. */
#include "lang/lexer.h"

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
    FILE *file = create(folder, "seeds/mistake", number);
    fputs(text, file);
    fclose(file);
}

int main(int count, char **arguments) {
    int seeds = 0;
    if (count != 2) return 1;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
        write_seed(arguments[1], seeds++, mistakes[i].text);
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        write_seed(arguments[1], seeds++, models[i].text);
    FILE *file = create(arguments[1], "words", -1);
    for (int i = 1; lexer_word_text(i); i++) write_word(file, lexer_word_text(i));
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) write_word(file, pieces[i]);
    fclose(file);
    return 0;
}
