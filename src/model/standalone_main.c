/* standalone_main.c - the main() of an emitted model, and its text, where events act; see standalone.h.
 *
 * Actions, contacts and changes of mode are carried out in one place, model/sim.  So an emitted model that
 * has any of them holds its text, reads it, and brings the functions with it. */
#include "base/text.h"
#include "methods/registry.h"
#include "model/standalone.h"

#include <keel/options.h>

#include <math.h>
#include <stddef.h>
#include <string.h>

int standalone_acts(const keel_model *m) {
    const struct model *model = m->model;
    int acts = m->modes > 1 || model->groups > 1 || model->mode[0].contacts;
    for (int i = 0; i < m->modes && !acts; i++) {
        const keel_problem *p = &m->mode[i]->fill.problem;
        acts |= model->mode[i].timed > 0;
        for (int k = 0; k < p->event.count; k++) acts |= !p->event_kind[k];
    }
    return acts;
}

/* Line by line. */
static void put_text(FILE *out, const char *text) {
    fputs("static const char text[] =", out);
    for (const char *line = text; *line;) {
        const char *end = strchr(line, '\n');
        size_t length = end ? (size_t)(end - line) : strlen(line);
        fputs("\n    ", out);
        standalone_bytes(out, line, length);
        if (end) fputs(" \"\\n\"", out);
        line += length + (end != NULL);
    }
    fputs(*text ? ";\n" : " \"\";\n", out);
}

static void put_linked(const struct standalone *page, const keel_model *m) {
    char name[64];
    fputs("static const keel_linked linked[] = {\n", page->out);
    for (int i = 0; i < m->modes; i++)
        for (int k = 0, there;
             (there = functions_name(&m->mode[i]->functions, i, page->method, k, name, sizeof name)) >= 0;
             k++)
            if (there) fprintf(page->out, "    {\"%s\", (void (*)(void))%s},\n", name, name);
    fputs("    {0, 0}};\n", page->out);
}

static void put_word(FILE *out, const char *member, const char *words) {
    if (!words) return;
    fprintf(out, ", .%s = ", member);
    standalone_string(out, words);
}

void standalone_model(const struct standalone *page, const keel_model *m) {
    FILE *out = page->out;
    char name[3 * STANDALONE_NAME];
    fputs("\n#ifndef KEEL_MODEL_PROBLEMS\n/* The model itself, and its functions by name. */\n", out);
    put_text(out, keel_model_text(m));
    put_linked(page, m);
    if (m->sets) fputs("static const char *const values[] = {\n", out);
    for (int i = 0; i < m->sets; i++) {
        fputs("    ", out);
        standalone_string(out, m->set[i]);
        fputs(i < m->sets - 1 ? ",\n" : "};\n", out);
    }
    standalone_name(page, m, -1, "model", name, sizeof name);
    fprintf(out, "\nkeel_model *%s(void);\nkeel_model *%s(void) {\n", name, name);
    fputs("    const keel_model_options options = {.interpret = 1", out);
    if (m->sets) fprintf(out, ", .set = values, .sets = %d", m->sets);
    put_word(out, "sensitivity", m->sensitivity);
    put_word(out, "clock", m->clock);
    put_word(out, "from", m->from);
    put_word(out, "to", m->to);
    put_word(out, "method", page->method);
    fputs("};\n    keel_model *model = keel_model_read(", out);
    standalone_string(out, keel_model_name(m));
    fputs(", text, sizeof text - 1, &options);\n"
          "    if (model) keel_model_link(model, linked);\n    return model;\n}\n#endif\n",
          out);
}

static int wants_short_steps(const keel_model *m) {
    int events = 0;
    for (int i = 0; i < m->modes; i++)
        events |= m->model->mode[i].events > 0 || m->mode[i]->formulation.n == 0;
    return events;
}

/* "+auto" says nothing. */
static void put_method(FILE *out, const char *method) {
    char pair[128];
    const char *plus = strstr(method, "+auto");
    text_set(pair, sizeof pair, "%.*s", (int)(plus ? (size_t)(plus - method) : strlen(method)), method);
    standalone_string(out, pair);
}

/* The k-th word of "a|b|c", from 1 on. */
static void put_choice(FILE *out, const char *words, int k) {
    while (--k > 0) words += strcspn(words, "|") + 1;
    fprintf(out, "%.*s", (int)strcspn(words, "|"), words);
}

/* As keel run would set them.  Values for each state are left out, and what they go with. */
static void put_options(FILE *out, const keel_model *m, const keel_options *given) {
    keel_options o = *given;
    const keel_field *f;
    if (!o.method) o.method = registry_default(&o);
    if (o.step == 0) o.rtol = KEEL_VALUE(&o, rtol);
    if (o.max_step == 0 && o.step == 0 && !standalone_acts(m) && wants_short_steps(m))
        o.max_step = fabs(m->span[1] - m->span[0]) / 100;
    if (o.norm == KEEL_GIVEN) o.norm = KEEL_BY_DEFAULT;
    o.weights = o.atol_each = NULL;
    fputs("    const keel_options options = {", out);
    for (int i = 0; (f = keel_field_at(i)); i++) {
        double number = keel_field_number(f, &o);
        if (!keel_field_given(f, &o)) continue;
        fprintf(out, "\n        .%s = ", f->name);
        if (f->offset == offsetof(keel_options, method)) put_method(out, o.method);
        else if (f->type == KEEL_FIELD_TEXT) standalone_string(out, keel_field_text(f, &o));
        else if (f->type == KEEL_FIELD_CHOICE) put_choice(out, f->constants, (int)number);
        else if (f->type == KEEL_FIELD_REAL) standalone_number(out, number);
        else fprintf(out, "%.0f", number);
        fputc(',', out);
    }
    fputs("\n    };\n", out);
}

/* The solver of one problem, which no event stops. */
static void put_problem_run(const struct standalone *page, const keel_model *m) {
    static const char rest[] =
        "    keel_row row;\n"
        "    if (status < 0 || status == KEEL_REST) printf(\"%s: %s\\n\", keel_status_name(status), "
        "keel_message(s));\n"
        "    printf(\"t = %.17g\\n\", keel_time(s));\n"
        "    for (int i = 0; keel_state(s) && i < problem->n + problem->m; i++)\n"
        "        printf(\"%s = %.17g\\n\", problem->names[i], keel_state(s)[i]);\n"
        "    for (int i = 0; keel_row_at(s, i, &row); i++)\n"
        "        printf(\"%-20s start %-12.6g largest drift %-10.2g %.1f round-offs\\n\", row.name, "
        "row.start,\n"
        "               row.drift, row.units);\n"
        "    keel_close(s);\n";
    FILE *out = page->out;
    char name[3 * STANDALONE_NAME];
    standalone_name(page, m, m->model->start, "problem", name, sizeof name);
    fprintf(out,
            "    const keel_problem *problem = %s();\n    keel_solver *s = keel_open(problem, &options);\n"
            "    keel_status status = ",
            name);
    if (m->mode[m->model->start]->formulation.clocks) {
        standalone_name(page, m, m->model->start, "pieces", name, sizeof name);
        standalone_run(out, name, m->span[0], m->span[1]);
    } else {
        fputs("keel_run(s, ", out);
        standalone_number(out, m->span[1]);
        fputs(");\n", out);
    }
    fputs(rest, out);
}

/* The run of a model, through its events. */
static void put_model_run(const struct standalone *page, const keel_model *m) {
    static const char rest[] =
        "    keel_event_record event;\n    keel_row row;\n    long events = 0;\n"
        "    static double value[%d];\n"
        "    if (status < 0 || status == KEEL_REST)\n"
        "        printf(\"%%s: %%s\\n\", keel_status_name(status),\n"
        "               keel_model_status(model) < 0 ? keel_model_message(model) : keel_sim_message(s));\n"
        "    if (status == KEEL_EVENT && keel_sim_event(s, -1, &event))\n"
        "        printf(\"stopped by event %%s\\n\", event.event);\n"
        "    printf(\"t = %%.17g\\n\", keel_time(keel_sim_solver(s)));\n"
        "    if (keel_sim_columns(s) <= %d && keel_sim_values(s, value) == KEEL_OK)\n"
        "        for (int i = 0; i < keel_sim_columns(s); i++)\n"
        "            printf(\"%%s = %%.17g\\n\", keel_sim_column(s, i), value[i]);\n"
        "    while (keel_sim_event(s, events, &event)) events++;\n"
        "    printf(\"%%ld events\\n\", events);\n"
        "    for (int i = 0; i < keel_sim_rows(s); i++)\n"
        "        if (keel_sim_row_at(s, i, &row))\n"
        "            printf(\"%%-20s start %%-12.6g largest drift %%-10.2g %%.1f round-offs\\n\", row.name, "
        "row.start,\n"
        "                   row.drift, row.units);\n"
        "    keel_sim_close(s);\n    keel_model_close(model);\n";
    FILE *out = page->out;
    char name[3 * STANDALONE_NAME];
    standalone_name(page, m, -1, "model", name, sizeof name);
    fprintf(out,
            "    keel_model *model = %s();\n    keel_sim *s = keel_sim_open(model, &options);\n"
            "    keel_status status = keel_sim_run(s, ",
            name);
    standalone_number(out, m->span[1]);
    fputs(");\n", out);
    fprintf(out, rest, m->columns + 1, m->columns + 1);
}

void standalone_main(const struct standalone *page, const keel_model *m, const keel_options *o) {
    fputs("\n#ifdef KEEL_MODEL_MAIN\nint printf(const char *, ...);\n\n"
          "/* Runs the model over its time span, prints the last state and the certificate. */\n"
          "int main(void) {\n",
          page->out);
    put_options(page->out, m, o);
    if (standalone_acts(m)) put_model_run(page, m);
    else put_problem_run(page, m);
    fputs("    return status < 0;\n}\n#endif\n", page->out);
}
