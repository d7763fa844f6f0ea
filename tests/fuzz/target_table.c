/* target_table.c - any bytes at all as a table of values (CSV).
 *
 * Beside the sanitizers it checks: a refusal names its line and has a sentence; what is read has as many
 * numbers as names in every row, all finite, and no name twice; written out again it is read as the same. */
#include "fuzz.h"

#include "base/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_name(FILE *out, const char *name) {
    fputc('"', out);
    for (; *name; name++) {
        if (*name == '"') fputc('"', out);
        fputc(*name, out);
    }
    fputc('"', out);
}

/* The table as CSV; to be freed. */
static char *written(const struct table *t, size_t *length) {
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    for (int i = 0; i < t->columns; i++) {
        if (i) fputc(',', out);
        put_name(out, t->name[i]);
    }
    for (int64_t k = 0; k < t->rows; k++)
        for (int i = 0; i < t->columns; i++)
            fprintf(out, "%c%.17g", i ? ',' : '\n', t->value[k * t->columns + i]);
    fclose(out);
    return text;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    struct table t, again;
    char why[400] = "", *copy = fuzz_copy(data, size);
    enum table_status status = table_read(&t, copy, size, 0, why, sizeof why);
    fuzz_require(status != TABLE_NO_MEMORY, "there is memory", data, size);
    if (status == TABLE_WRONG)
        fuzz_require(strncmp(why, "line ", 5) == 0, "a refusal has its line", data, size);
    if (status == TABLE_READ) {
        size_t length;
        fuzz_require(t.columns > 0 && t.rows > 0, "there is something in it", data, size);
        for (int64_t i = 0; i < t.rows * t.columns; i++)
            fuzz_require(isfinite(t.value[i]), "numbers are finite", data, size);
        char *text = written(&t, &length);
        fuzz_require(table_read(&again, text, length, 0, why, sizeof why) == TABLE_READ, "it is read again",
                     data, size);
        fuzz_require(again.columns == t.columns && again.rows == t.rows, "as large", data, size);
        for (int i = 0; i < t.columns; i++)
            fuzz_require(strcmp(again.name[i], t.name[i]) == 0, "with the same names", data, size);
        fuzz_require(memcmp(again.value, t.value, (size_t)(t.rows * t.columns) * sizeof *t.value) == 0,
                     "with the same numbers", data, size);
        table_close(&again);
        free(text);
    }
    table_close(&t);
    free(copy);
    return 0;
}
