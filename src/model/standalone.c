/* standalone.c - a model as one C file: its functions, a keel_problem for each mode, a main() on request.
 *
 * This is the one place where names of the model reach C, and they do so as string literals with everything
 * but letters, digits and a few signs escaped; names of C functions are made of letters, digits and _. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "base/text.h"
#include "model/import.h"
#include "model/sim.h"
#include "model/standalone.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names and numbers ------------------------------------------------------------------------------------- */

/* A name that C takes and that none of keel's begins with. */
static void safe_name(char *out, size_t capacity, const char *name) {
    int strange =
        !isalpha((unsigned char)name[0]) || strncmp(name, "keel", 4) == 0 || strncmp(name, "KEEL", 4) == 0;
    text_set(out, capacity, "%s%.*s", strange ? "model_" : "", STANDALONE_NAME, name);
    for (char *at = out; *at; at++)
        if (!isalnum((unsigned char)*at) || (unsigned char)*at > 127) *at = '_';
}

/* Octal escapes end after three digits, whatever follows; ? is escaped for the sake of trigraphs. */
void standalone_bytes(FILE *out, const char *text, size_t length) {
    fputc('"', out);
    for (size_t i = 0; i < length; i++) {
        unsigned char at = (unsigned char)text[i];
        if (at && at < 128 && (isalnum(at) || strchr(" _.,:;'()[]{}<>=+-*/^&|!#$@~", at))) fputc(at, out);
        else fprintf(out, "\\%03o", at);
    }
    fputc('"', out);
}

void standalone_string(FILE *out, const char *text) {
    standalone_bytes(out, text, strlen(text));
}

void standalone_number(FILE *out, double value) {
    char text[40];
    if (isnan(value)) fputs("__builtin_nan(\"\")", out);
    else if (isinf(value)) fputs(value > 0 ? "__builtin_inf()" : "-__builtin_inf()", out);
    else {
        snprintf(text, sizeof text, "%.17g", value);
        char *comma = strchr(text, ',');
        if (comma) *comma = '.';
        fputs(text, out);
        if (!strpbrk(text, ".e")) fputs(".0", out);
    }
}

static void put_names(FILE *out, const char *what, int mode, int count, const char *const *names) {
    if (count == 0 || !names || !names[0]) return;
    fprintf(out, "static const char *const %s_%d[] = {\n", what, mode);
    for (int i = 0; i < count; i++) {
        fputs("    ", out);
        standalone_string(out, names[i]);
        fputs(",\n", out);
    }
    fputs("};\n", out);
}

static void put_integers(FILE *out, const char *type, const char *what, int mode, int count,
                         const int *list) {
    fprintf(out, "static const %s %s_%d[] = {", type, what, mode);
    for (int i = 0; i < count; i++) fprintf(out, "%s%d", i == 0 ? "" : i % 20 ? ", " : ",\n    ", list[i]);
    fputs(count ? "};\n" : "0};\n", out);
}

static void put_doubles(FILE *out, const char *type, const char *what, int count, const double *list) {
    fprintf(out, "static %s %s[] = {", type, what);
    for (int i = 0; i < count; i++) {
        fputs(i ? ",\n    " : "\n    ", out);
        standalone_number(out, list[i]);
    }
    fputs(count ? "};\n" : "0};\n", out);
}

/* A problem --------------------------------------------------------------------------------------------- */

static void put_pattern(FILE *out, const char *what, int mode, int rows, const keel_pattern *p) {
    char name[80];
    if (!p) return;
    text_set(name, sizeof name, "%s_rows", what);
    put_integers(out, "int", name, mode, rows + 1, p->row_start);
    text_set(name, sizeof name, "%s_columns", what);
    put_integers(out, "int", name, mode, p->nnz, p->column);
    fprintf(out, "static const keel_pattern %s_pattern_%d = {%d, %s_rows_%d, %s_columns_%d};\n", what, mode,
            p->nnz, what, mode, what, mode);
}

/* What a map needs before the problem can be written. */
static void prepare_map(FILE *out, const char *what, int mode, const keel_map *map) {
    char name[80];
    if (map->count == 0) return;
    put_pattern(out, what, mode, map->count, map->pattern);
    text_set(name, sizeof name, "%s_names", what);
    put_names(out, name, mode, map->count, map->names);
}

static void put_map(FILE *out, const char *what, int mode, const keel_map *map) {
    if (map->count == 0) return;
    fprintf(out, "    .%s = {.count = %d, .value = model_%d_%s", what, map->count, mode, what);
    if (map->jacobian) fprintf(out, ", .jacobian = model_%d_%s_jacobian", mode, what);
    if (map->time_derivative) fprintf(out, ",\n        .time_derivative = model_%d_%s_rate", mode, what);
    if (map->terms) fprintf(out, ", .terms = model_%d_%s_terms", mode, what);
    if (map->pattern) fprintf(out, ", .pattern = &%s_pattern_%d", what, mode);
    if (map->names && map->names[0]) fprintf(out, ", .names = %s_names_%d", what, mode);
    if (map->autonomous) fputs(", .autonomous = 1", out);
    fputs("},\n", out);
}

/* Events with their names, directions, and which of them only tell. */
static void prepare_events(FILE *out, int mode, const keel_problem *p) {
    int count = p->event.count;
    if (count == 0) return;
    put_integers(out, "int", "directions", mode, count, p->event_direction);
    fprintf(out, "static const unsigned char kinds_%d[] = {", mode);
    for (int i = 0; i < count; i++) fprintf(out, "%s%d", i ? ", " : "", p->event_kind[i]);
    fputs("};\n", out);
}

/* What taylor and methods with equations of their own need; 1: there is something. */
static int put_extras(const struct standalone *page, int mode, const keel_problem *p) {
    const keel_extras *x = p->extras;
    FILE *out = page->out;
    int unknowns = p->n + p->m;
    const struct {
        const char *name;
        const keel_map *map;
    } maps[] = {{"quadratic_forms", &x->quadratic_forms},
                {"energy_of_forms", &x->energy_of_forms},
                {"original_f", &x->original_f},
                {"original_g", &x->original_g}};
    enum { MAPS = sizeof maps / sizeof *maps };
    const keel_variations *v = &x->variations;
    const keel_choice *c = &x->choice;
    int any =
        v->directions || c->rows || x->mass_change || x->constraint_bend || (page->method && x->series.value);
    for (int k = 0; k < MAPS; k++) {
        any |= maps[k].map->count > 0;
        prepare_map(out, maps[k].name, mode, maps[k].map);
    }
    if (!any) return 0;
    if (x->constraint_bend)
        put_pattern(out, "constraint_bend", mode, p->constraint.pattern->nnz, x->constraint_bend);
    if (v->directions) {
        put_integers(out, "int", "direction", mode, unknowns, v->direction);
        put_integers(out, "int", "derivative_of", mode, unknowns, v->of);
    }
    if (c->rows) {
        put_integers(out, "int", "acceleration", mode, c->coordinates, c->acceleration);
        put_integers(out, "int", "motion", mode, c->coordinates, c->motion);
        put_integers(out, "int", "multiplier", mode, c->rows, c->multiplier);
        put_integers(out, "int", "constraint_of", mode, c->rows, c->constraint);
        put_integers(out, "int", "hidden_of", mode, p->hidden.count, c->hidden);
        fprintf(out, "static const unsigned char in_force_%d[] = {", mode);
        for (int i = 0; i < c->rows; i++) fprintf(out, "%s%d", i ? ", " : "", c->in_force[i]);
        fputs("};\n", out);
    }
    fprintf(out, "static const keel_extras extras_%d = {\n", mode);
    if (c->rows)
        fprintf(out,
                "    .choice = {%d, %d, %d, acceleration_%d, motion_%d, multiplier_%d, constraint_of_%d, "
                "hidden_of_%d, in_force_%d,\n        model_%d_offset, model_%d_offsets},\n",
                c->rows, c->coordinates, c->first, mode, mode, mode, mode, mode, mode, mode, mode);
    if (v->directions)
        fprintf(out, "    .variations = {%d, direction_%d, derivative_of_%d, ", v->directions, mode, mode);
    const struct {
        const char *name;
        keel_fn *function;
    } functions[] = {{"moments", v->moments}, {"magnitudes", v->magnitudes}, {"matrix", v->matrix}};
    for (size_t k = 0; k < sizeof functions / sizeof *functions && v->directions; k++)
        if (functions[k].function)
            fprintf(out, ".%s = model_%d_%s, ", functions[k].name, mode, functions[k].name);
    if (v->directions) fprintf(out, ".linear = %d},\n", v->linear);
    for (int k = 0; k < MAPS; k++) put_map(out, maps[k].name, mode, maps[k].map);
    if (x->mass_change) fprintf(out, "    .mass_change = model_%d_mass_change,\n", mode);
    if (x->constraint_bend) fprintf(out, "    .constraint_bend = &constraint_bend_pattern_%d,\n", mode);
    if (page->method && x->series.value)
        fprintf(out, "    .series = {series_%d_f, %ld, %ld},\n", mode, x->series.workspace,
                x->series.per_order);
    if (page->method && x->event_series.value)
        fprintf(out, "    .event_series = {composed_%d_event, %ld, %ld},\n", mode, x->event_series.workspace,
                x->event_series.per_order);
    fputs("};\n", out);
    return 1;
}

static void put_sizes(FILE *out, const char *word, int mode, int count, const double *value) {
    char name[40];
    text_set(name, sizeof name, "%s_%d", word, mode);
    if (value) put_doubles(out, "const double", name, count, value);
}

static void put_problem(struct standalone *page, const keel_model *m, int mode) {
    FILE *out = page->out;
    const keel_problem *p = &m->mode[mode]->fill.problem;
    const struct {
        const char *name;
        const keel_map *map;
    } maps[] = {{"f", &p->f},
                {"algebraic", &p->algebraic},
                {"hidden", &p->hidden},
                {"energy", &p->energy},
                {"constraint", &p->constraint},
                {"rolling", &p->rolling},
                {"velocity", &p->velocity},
                {"invariant", &p->invariant},
                {"event", &p->event}};
    enum { MAPS = sizeof maps / sizeof *maps };
    char start[40];
    fputc('\n', out);
    for (int k = 0; k < MAPS; k++) prepare_map(out, maps[k].name, mode, maps[k].map);
    prepare_events(out, mode, p);
    if (p->mass.pattern) put_pattern(out, "mass", mode, p->n / 2, p->mass.pattern);
    put_names(out, "names", mode, p->n + p->m, p->names);
    if (p->array_of && p->n) put_integers(out, "int", "array_of", mode, p->n, p->array_of);
    text_set(start, sizeof start, "start_%d", mode);
    if (p->u0 && p->n + p->m) put_doubles(out, "const double", start, p->n + p->m, p->u0);
    put_sizes(out, "scale", mode, p->n + p->m, p->scale);
    put_sizes(out, "atol", mode, p->n + p->m, p->atol);
    int extras = put_extras(page, mode, p);
    fprintf(out, "static const keel_problem problem_%d = {\n    .form = %s, .name = ", mode,
            keel_form_at((int)p->form)->constant);
    standalone_string(out, keel_model_name(m));
    fprintf(out, ", .n = %d, .m = %d", p->n, p->m);
    if (p->clock) fputs(", .clock = 1", out);
    fputs(", .t0 = ", out);
    standalone_number(out, p->t0);
    fputs(",\n", out);
    if (p->u0 && p->n + p->m) fprintf(out, "    .u0 = %s,\n", start);
    if (p->names && p->n + p->m) fprintf(out, "    .names = names_%d,\n", mode);
    if (p->array_of && p->n) fprintf(out, "    .array_of = array_of_%d,\n", mode);
    if (p->scale) fprintf(out, "    .scale = scale_%d,\n", mode);
    if (p->atol) fprintf(out, "    .atol = atol_%d,\n", mode);
    for (int k = 0; k < MAPS; k++) put_map(out, maps[k].name, mode, maps[k].map);
    if (p->mass.value) {
        fprintf(out, "    .mass = {.value = model_%d_mass, .constant = %d", mode, p->mass.constant);
        if (p->mass.pattern) fprintf(out, ", .pattern = &mass_pattern_%d", mode);
        fputs("},\n", out);
    }
    if (p->structure.value) fprintf(out, "    .structure = {.value = model_%d_structure},\n", mode);
    if (extras) fprintf(out, "    .extras = &extras_%d,\n", mode);
    if (p->curvature) fprintf(out, "    .curvature = model_%d_curvature,\n", mode);
    if (p->event.count)
        fprintf(out, "    .event_direction = directions_%d, .event_kind = kinds_%d,\n", mode, mode);
    if (formulation_sides(&m->mode[mode]->formulation))
        fprintf(out, "    .side = parameter + %d,\n", m->model->parameters + m->model->helds);
    fputs("    .user = (void *)&bound};\n", out);
}

void standalone_name(const struct standalone *page, const keel_model *m, int mode, const char *what,
                     char *out, size_t capacity) {
    char name[STANDALONE_NAME + 10];
    const char *of = mode < 0 ? NULL : m->model->mode[mode].name;
    if (of) safe_name(name, sizeof name, of);
    if (of) text_set(out, capacity, "%s_%s_%s", page->name, name, what);
    else text_set(out, capacity, "%s_%s", page->name, what);
}

/* The file ---------------------------------------------------------------------------------------------- */

static void put_head(struct standalone *page, const keel_model *m) {
    FILE *out = page->out;
    char name[3 * STANDALONE_NAME];
    fputs("/* A model as C, written by keel " KEEL_VERSION ".  Compile it with\n"
          " *     cc -O2 -ffp-contract=off -fno-builtin FILE.c -lkeel -lm\n"
          " * and it gives the same bits as `keel run`; with -DKEEL_MODEL_MAIN it is a program.\n *\n",
          out);
    for (int i = 0; i < m->modes; i++) {
        standalone_name(page, m, i, "problem", name, sizeof name);
        fprintf(out, " * %s(): the problem%s.\n", name,
                m->modes == 1          ? ""
                : i == m->model->start ? " of the first mode"
                                       : " of a mode; its u0 is to be given");
    }
    if (standalone_acts(m)) {
        standalone_name(page, m, -1, "model", name, sizeof name);
        fprintf(out,
                " * %s(): the model with these functions; keel_sim_open and keel_sim_run carry out what its\n"
                " * events do.  The problems alone know nothing of actions, contacts and changes of mode;\n"
                " * -DKEEL_MODEL_PROBLEMS leaves the rest out.\n",
                name);
    }
    fprintf(out,
            " * The functions read `parameter`: change a number there before keel_open. */\n"
            "#include <keel/extras.h>\n%s\n"
            "#if defined __GNUC__\n#pragma GCC diagnostic ignored \"-Wunused-function\" /* not every model "
            "needs all */\n"
            "#endif\n",
            standalone_acts(m) ? "#include <keel/model.h>\n" : "");
}

/* With held values as at the start, which a run finds out. */
static void put_parameters(struct standalone *page, const keel_model *m) {
    FILE *out = page->out;
    const struct model *model = m->model;
    keel_sim *start = model->helds && m->u0 ? keel_sim_open(m, NULL) : NULL;
    fputs("\n/* Parameters, then values that are held from the start, then sides of switching surfaces. */\n",
          out);
    put_doubles(out, "double", "parameter", model->parameters + model->helds + m->sides,
                start && start->parameter ? start->parameter : m->parameter);
    keel_sim_close(start);
    fprintf(out, "const char *const %s_parameter_names[] = {\n", page->name);
    for (int i = 0; i < model->parameters; i++) {
        fputs("    ", out);
        standalone_string(out, model->parameter[i].label.text);
        fputs(",\n", out);
    }
    fprintf(out, "    0};\ndouble *const %s_parameters = parameter;\n", page->name);
    standalone_tables(out, m);
}

/* The functions as they are compiled for a run, but static; 0, or what errno is to be. */
static int put_functions(struct standalone *page, const keel_model *m) {
    struct emit e;
    emit_open(&e);
    e.local = 1;
    int good = 1;
    for (int i = 0; i < m->modes && good; i++)
        good = functions_emit(&m->mode[i]->functions, &e, i, page->method ? page->method : "", 1) == 0;
    good = good && !e.failed;
    if (good) fputs(e.text, page->out);
    int wrong = good ? 0 : e.starved ? ENOMEM : EFBIG;
    emit_close(&e);
    return wrong;
}

char *keel_model_standalone(const keel_model *m, const keel_options *o) {
    static const keel_options none = {0};
    char *text = NULL;
    size_t length = 0;
    if (!m || m->status != KEEL_OK) return errno = EINVAL, NULL;
    struct standalone page = {.out = open_memstream(&text, &length)};
    if (!page.out) return errno = ENOMEM, NULL;
    if (o && o->method && strcspn(o->method, "+") == 6 && strncmp(o->method, "taylor", 6) == 0)
        page.method = "taylor";
    safe_name(page.name, sizeof page.name, keel_model_name(m));
    put_head(&page, m);
    int fits = standalone_tables_fit(m) && (!standalone_acts(m) || import_carries(m));
    int wrong = fits ? put_functions(&page, m) : EFBIG;
    put_parameters(&page, m);
    for (int i = 0; i < m->modes; i++) put_problem(&page, m, i);
    for (int i = 0; i < m->modes; i++) {
        char name[3 * STANDALONE_NAME];
        standalone_name(&page, m, i, "problem", name, sizeof name);
        fprintf(
            page.out,
            "\nconst keel_problem *%s(void);\nconst keel_problem *%s(void) {\n    return &problem_%d;\n}\n",
            name, name, i);
        if (!m->mode[i]->formulation.clocks) continue;
        standalone_name(&page, m, i, "pieces", name, sizeof name);
        standalone_pieces(page.out, m, i, name);
    }
    if (standalone_acts(m)) standalone_model(&page, m);
    standalone_main(&page, m, o ? o : &none);
    if (ferror(page.out)) wrong = ENOMEM;
    if (fclose(page.out)) wrong = ENOMEM;
    if (!wrong) return text;
    free(text);
    errno = wrong;
    return NULL;
}
