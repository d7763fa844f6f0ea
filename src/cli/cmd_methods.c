/* cmd_methods.c - keel methods [NAME]: what there is, from the descriptors; what a method takes is found out
 * by asking it. */
#include "base/text.h"
#include "cli/job/command.h"
#include "cli/job/field.h"
#include "cli/run/run_json.h"

#include <keel/stabilizer.h>

#include <string.h>

enum { FORMS = 4 };
enum { NAME = 22, SHAPE = 22, WITH = 11, ABOUT = 76, DETAIL = 15, WIDTH = 100 }; /* columns */

/* The smallest problem of each form that has something to keep, in the order of keel_form_at. */
static const char *const form_text[FORMS] = {
    "model ask\nvar x, y\nx' = y\ny' = -x\ninvariant size = x^2 + y^2\ninit x = 1, y = 0\nrun 0 .. 1\n",
    "model ask\ncanonical q, p\nhamiltonian (p^2 + q^2)/2\ninvariant energy\ninit q = 1, p = 0\nrun 0 .. 1\n",
    ("model ask\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - y\nconstraint rod: x^2 + y^2 = 1\n"
     "init x = 1, x' = 0, y' = 0\nguess y = 0\nrun 0 .. 1\n"),
    "model ask\nvar x, z\nx' = -z\nz + z^3 = x\ninit x = 1\nguess z = 1\nrun 0 .. 1\n"};

struct methods {
    struct job job; /* options and messages; no model */
    keel_model *model[FORMS];
};
struct methods_answer {
    unsigned forms, stabilizers; /* bits */
};

static struct methods_answer ask(struct methods *m, const keel_method *method) {
    struct methods_answer answer = {0};
    const keel_method *stabilizer;
    for (int form = 0; form < FORMS; form++)
        for (int k = 0; (stabilizer = keel_stabilizer_at(k)); k++) {
            char pair[JOB_PAIR];
            text_set(pair, sizeof pair, "%s+%s", method->name, stabilizer->name);
            const keel_options o = {.method = pair, .step = 0.125};
            keel_sim *sim = keel_sim_open(m->model[form], &o);
            if (job_accepted(sim)) {
                answer.forms |= 1u << form;
                answer.stabilizers |= 1u << k;
            }
            keel_sim_close(sim);
        }
    return answer;
}

static int open_models(struct methods *m) {
    const keel_model_options o = {.interpret = 1};
    for (int i = 0; i < FORMS; i++) {
        m->model[i] = keel_model_read(keel_form_at(i)->name, form_text[i], strlen(form_text[i]), &o);
        keel_mode mode = {0};
        if (!m->model[i]) return job_no_memory(&m->job);
        if (!keel_model_mode(m->model[i], 0, &mode) ||
            keel_form_at((int)mode.problem->form) != keel_form_at(i))
            return job_fail(&m->job, EXIT_FAILED, "the form %s cannot be asked about: %s",
                            keel_form_at(i)->name, keel_model_message(m->model[i]));
    }
    return 0;
}

/* Words ------------------------------------------------------------------------------------------------- */

static const struct methods_trait {
    unsigned bit;
    const char *word;
} trait_table[] = {{KEEL_IMPLICIT, "implicit"},       {KEEL_ADAPTIVE, "adaptive"},
                   {KEEL_SYMPLECTIC, "symplectic"},   {KEEL_SYMMETRIC_STEP, "symmetric"},
                   {KEEL_CONSTRAINED, "constrained"}, {KEEL_MULTISTEP, "multistep"},
                   {KEEL_AS_GIVEN, "as-given"}};
enum { TRAITS = sizeof trait_table / sizeof *trait_table };

static void join(char *out, size_t capacity, const char *word) {
    text_add(out, capacity, "%s%s", out[0] ? ", " : "", word);
}

static void traits_text(const keel_method *method, char *out, size_t capacity) {
    text_set(out, capacity, "%s", method->traits & KEEL_IMPLICIT ? "" : "explicit");
    for (int i = 0; i < TRAITS; i++)
        if (method->traits & trait_table[i].bit) join(out, capacity, trait_table[i].word);
}

static void forms_text(struct methods_answer a, int whole, char *out, size_t capacity) {
    out[0] = '\0';
    if (!whole && a.forms == (1u << FORMS) - 1) text_set(out, capacity, "all");
    else
        for (int i = 0; i < FORMS; i++)
            if (a.forms >> i & 1) join(out, capacity, keel_form_at(i)->name);
}

static void stabilizers_text(struct methods_answer a, int whole, char *out, size_t capacity) {
    const unsigned special = KEEL_OWN_DIRECTIONS | KEEL_FROZEN_WEIGHTS; /* they ask for a kind of method */
    unsigned all = 0, common = 0;
    const keel_method *s;
    out[0] = '\0';
    for (int i = 0; (s = keel_stabilizer_at(i)); i++) {
        all |= 1u << i;
        if (!(s->traits & special)) common |= 1u << i;
    }
    if (!whole && a.stabilizers == all) text_set(out, capacity, "all");
    else if (!whole && (a.stabilizers & common) == common) text_set(out, capacity, "most");
    else
        for (int i = 0; (s = keel_stabilizer_at(i)); i++)
            if (a.stabilizers >> i & 1) join(out, capacity, s->name);
}

/* Text -------------------------------------------------------------------------------------------------- */

/* A text from a column to WIDTH, in as many lines as it needs. */
static void wrapped(int column, const char *text, FILE *out) {
    int capacity = WIDTH - column;
    while ((int)strlen(text) > capacity) {
        int length = capacity;
        while (length > 1 && text[length] != ' ') length--;
        fprintf(out, "%.*s\n%*s", length, text, column, "");
        text += length + 1;
    }
    fprintf(out, "%s\n", text);
}

static void table(struct methods *m, FILE *out) {
    const keel_method *method;
    int color = m->job.messages.color_out;
    fprintf(out, "  %s%-*s %5s  %-8s %-*s %-*s %s%s\n", message_bold(color), NAME, "method", "order", "step",
            SHAPE, "forms", WITH, "with", "about", message_plain(color));
    for (int i = 0; (method = keel_method_at(i)); i++) {
        struct methods_answer a = ask(m, method);
        char forms[60], with[1000];
        forms_text(a, 0, forms, sizeof forms);
        stabilizers_text(a, 0, with, sizeof with);
        if (strlen(with) > WITH) text_set(with, sizeof with, "some");
        fprintf(out, "  %-*s %5d  %-8s %-*s %-*s ", NAME, method->name, method->order,
                method->traits & KEEL_ADAPTIVE ? "adaptive" : "fixed", SHAPE, forms, WITH, with);
        wrapped(ABOUT, method->about, out);
    }
    fprintf(out,
            "\n  step: adaptive ones control their error; with: stabilizers, as in rk4+project\n"
            "  More about one: keel methods NAME\n\n  %s%-*s %s%s\n",
            message_bold(color), WITH, "stabilizer", "about", message_plain(color));
    for (int i = 0; (method = keel_stabilizer_at(i)); i++)
        fprintf(out, "  %-*s %s%s\n", WITH, method->name, method->about,
                method->traits & KEEL_DEFAULT ? " (the default)" : "");
}

static void own_options(const keel_method *method, FILE *out) {
    for (const keel_field *f = method->fields; f && f->name; f++) {
        char name[JOB_WORD];
        option_name(option_field(f->offset), name, sizeof name);
        wrapped(fprintf(out, "  options      --%s %s  ", name, f->argument), f->about, out);
    }
}

static void details(struct methods *m, const keel_method *method, FILE *out) {
    int color = m->job.messages.color_out;
    fprintf(out, "%s%s%s  %s\n", message_bold(color), method->name, message_plain(color), method->about);
    if (method->order == 0) { /* a stabilizer */
        fprintf(out, "  reference    %s\n", method->reference);
        own_options(method, out);
        fprintf(out, "  try          keel run MODEL --preserve %s\n", method->name);
        return;
    }
    struct methods_answer a = ask(m, method);
    char text[1000];
    fprintf(out, "  order        %d\n", method->order);
    traits_text(method, text, sizeof text);
    fprintf(out, "  traits       %s\n", text);
    fprintf(out, "  step         %s\n",
            method->traits & KEEL_ADAPTIVE ? "by error control (--rtol), or fixed (--step)"
                                           : "fixed (--step)");
    forms_text(a, 1, text, sizeof text);
    fprintf(out, "  forms        %s\n", text);
    stabilizers_text(a, 1, text, sizeof text);
    fprintf(out, "  stabilizers  ");
    wrapped(DETAIL, text, out);
    fprintf(out, "  reference    %s\n", method->reference);
    own_options(method, out);
    fprintf(out, "  try          keel run MODEL --method %s%s\n", method->name,
            method->traits & KEEL_ADAPTIVE ? " --rtol 1e-8" : " --step 0.01");
}

/* JSON -------------------------------------------------------------------------------------------------- */

static void options_json(struct json *json, const keel_method *method) {
    json_array(json, "options");
    for (const keel_field *f = method->fields; f && f->name; f++) field_json(json, f);
    json_end_array(json);
}

static void method_json(struct methods *m, struct json *json, const keel_method *method) {
    struct methods_answer a = ask(m, method);
    const keel_method *s;
    json_object(json, NULL);
    json_text(json, "name", method->name);
    json_text(json, "about", method->about);
    json_integer(json, "order", method->order);
    json_array(json, "traits");
    if (!(method->traits & KEEL_IMPLICIT)) json_text(json, NULL, "explicit");
    for (int i = 0; i < TRAITS; i++)
        if (method->traits & trait_table[i].bit) json_text(json, NULL, trait_table[i].word);
    json_end_array(json);
    json_array(json, "forms");
    for (int i = 0; i < FORMS; i++)
        if (a.forms >> i & 1) json_text(json, NULL, keel_form_at(i)->name);
    json_end_array(json);
    json_array(json, "stabilizers");
    for (int i = 0; (s = keel_stabilizer_at(i)); i++)
        if (a.stabilizers >> i & 1) json_text(json, NULL, s->name);
    json_end_array(json);
    json_text(json, "reference", method->reference);
    options_json(json, method);
    json_end_object(json);
}

static void all_options_json(struct json *json) {
    const keel_field *f;
    json_array(json, "options");
    for (int i = 0; (f = keel_field_at(i)); i++) field_json(json, f);
    json_end_array(json);
}

static void print_json(struct methods *m, const keel_method *one, int status) {
    struct json json = {0};
    const keel_method *method;
    run_json_head(&json, "methods", status ? "failed" : "done", status, &m->job, m->job.sentence);
    if (status == 0) {
        json_array(&json, "methods");
        for (int i = 0; (method = keel_method_at(i)); i++)
            if (!one || one == method) method_json(m, &json, method);
        json_end_array(&json);
        json_array(&json, "stabilizers");
        for (int i = 0; (method = keel_stabilizer_at(i)); i++) {
            if (one && one != method) continue;
            json_object(&json, NULL);
            json_text(&json, "name", method->name);
            json_text(&json, "about", method->about);
            json_text(&json, "reference", method->reference);
            options_json(&json, method);
            json_end_object(&json);
        }
        json_end_array(&json);
        if (!one) all_options_json(&json);
    }
    run_json_print(&json, stdout);
}

/* ------------------------------------------------------------------------------------------------------- */

/* The stabilizer that a misspelt name means, if no method is as near; NULL: none. */
static const keel_method *meant_stabilizer(const char *name) {
    int least = TEXT_FAR;
    if (strchr(name, '+')) return NULL; /* a pair says which is which */
    (void)job_nearest(keel_method_at, name, &least);
    return job_nearest(keel_stabilizer_at, name, &least);
}

static int open_all(struct methods *m, int count, char **argv, const keel_method **one) {
    struct job *j = &m->job;
    struct options *o = &j->options;
    char why[JOB_SENTENCE], method[JOB_WORD], stabilizer[JOB_WORD];
    int wrong = option_parse(o, COMMAND_METHODS, count, argv, why, sizeof why);
    message_open(&j->messages, option_text(o, opt_color), option_given(o, opt_quiet),
                 option_given(o, opt_json));
    if (wrong) return job_fail(j, EXIT_USAGE, "%s", why);
    if (option_given(o, opt_help)) return 0;
    if (o->operands > 1)
        return job_fail(j, EXIT_USAGE, "one method at a time: `%.80s` is one too many", o->operand[1]);
    if (o->operands == 1) {
        for (int i = 0; (*one = keel_stabilizer_at(i)); i++)
            if (strcmp((*one)->name, o->operand[0]) == 0) return 0;
        const keel_method *near = meant_stabilizer(o->operand[0]);
        if (near)
            return job_fail(j, EXIT_USAGE, "there is no method or stabilizer `%.40s`; did you mean %s?",
                            o->operand[0], near->name);
        if (job_method(j, o->operand[0], method, stabilizer)) return j->status;
        for (int i = 0; (*one = keel_method_at(i)) && strcmp((*one)->name, method) != 0; i++) {}
        if (!*one)
            return job_fail(j, EXIT_USAGE, "auto is no method: it chooses one for a model; see keel check");
    }
    return open_models(m);
}

int methods_command(int count, char **argv) {
    static struct methods m;
    const keel_method *one = NULL;
    int status = open_all(&m, count, argv, &one);
    if (status == 0 && option_given(&m.job.options, opt_help)) command_help(command_find("methods"), stdout);
    else if (m.job.messages.json) print_json(&m, one, status);
    else if (status == 0 && one) details(&m, one, stdout);
    else if (status == 0) table(&m, stdout);
    for (int i = 0; i < FORMS; i++) keel_model_close(m.model[i]);
    job_close(&m.job);
    return status;
}
