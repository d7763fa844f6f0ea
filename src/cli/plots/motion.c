/* motion.c - see motion.h. */
#include "cli/plots/motion.h"

#include "cli/files/json.h"
#include "cli/plots/report_private.h"

#include <math.h>
#include <string.h>

enum { MOST_COLUMNS = 600, MOST_NUMBERS = 60000, LEAST_ROWS = 200 };
extern const char *const page_mechanism[], *const page_scene[]; /* src/cli/page */

/* Positions: states and outputs, not their rates. */
static int is_position(const struct store *s, int column) {
    const char *name = keel_sim_column(s->trace->sim, column);
    return keel_sim_column_kind(s->trace->sim, column) != KEEL_COLUMN_MULTIPLIER && !strchr(name, '\'');
}

/* Mechanics has degrees of freedom, or an energy; constrained: some of its rows are constraints. */
static int is_mechanics(const struct outcome *o, const struct job *j, int *constrained) {
    keel_mode mode;
    keel_row row;
    int found = keel_model_mode(j->model, keel_model_start(j->model), &mode) && mode.dof >= 0;
    *constrained = 0;
    for (int i = 0; i < keel_sim_rows(o->sim); i++) {
        if (!keel_sim_row_at(o->sim, i, &row)) continue;
        found |= row.kind == KEEL_ROW_ENERGY;
        *constrained |= row.kind == KEEL_ROW_CONSTRAINT;
    }
    return found;
}

/* JSON inside of a script element. */
static void script_text(FILE *out, const char *text) {
    for (; *text; text++)
        if (*text == '<') fputs("\\u003c", out);
        else fputc(*text, out);
}

static void names(FILE *out, const struct store *s) {
    struct json json = {0};
    json_array(&json, NULL);
    for (int i = 0; i < s->columns; i++)
        if (is_position(s, i)) json_text(&json, NULL, keel_sim_column(s->trace->sim, i));
    json_end_array(&json);
    if (json.failed) memory_out();
    else script_text(out, json.text);
    json_release(&json);
}

/* Nine digits: joints are found by what stays equal. */
static void numbers(FILE *out, const struct store *s, int quantity, long stride) {
    fputc('[', out);
    for (long i = 0; i < s->count; i += stride) {
        double value = store_at(s, i, quantity);
        fprintf(out, isfinite(value) ? "%s%.9g" : "%snull", i ? "," : "", value);
    }
    fputc(']', out);
}

void motion_write(FILE *out, const struct outcome *o, const struct job *j, const struct store *s) {
    int constrained, count = 0;
    for (int i = 0; i < s->columns; i++) count += is_position(s, i);
    if (!is_mechanics(o, j, &constrained) || count < 2 || count > MOST_COLUMNS || s->count < 2) return;
    long most = MOST_NUMBERS / count > LEAST_ROWS ? MOST_NUMBERS / count : LEAST_ROWS;
    long stride = (s->count + most - 1) / most;
    fputs("<section id=\"motion\" hidden><h2>Motion</h2><div id=\"scene\"></div></section>\n<script>\n", out);
    report_lines(out, page_mechanism);
    report_lines(out, page_scene);
    fprintf(out, "{\nconst run = {constrained: %s, columns: {}, t: ", constrained ? "true" : "false");
    numbers(out, s, 0, stride);
    fputs("};\nconst names = ", out);
    names(out, s);
    fputs(", values = [\n", out);
    for (int i = 0; i < s->columns; i++)
        if (is_position(s, i)) numbers(out, s, store_column(s, i), stride), fputs(",\n", out);
    fputs("];\nnames.forEach((name, i) => { run.columns[name] = values[i]; });\n"
          "const section = document.getElementById(\"motion\");\nsection.hidden = false;\n"
          "section.hidden = !keelScene(document.getElementById(\"scene\"), run);\n}\n</script>\n",
          out);
}
