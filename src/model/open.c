/* open.c - a model from its text: parsed, elaborated, analysed, compiled, with a consistent start. */
#include "base/text.h"
#include "lang/library.h"
#include "lang/parser.h"
#include "lang/parts.h"
#include "model/assign.h"
#include "model/initial.h"
#include "model/columns.h"
#include "model/compiled.h"
#include "model/diagnostics.h"
#include "model/drift.h"
#include "model/explain.h"
#include "model/import.h"
#include "model/ledger.h"
#include "model/open.h"
#include "model/prepare.h"
#include "model/query.h"
#include "model/sets.h"
#include "model/tangent.h"
#include "model/tolerance.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Messages ---------------------------------------------------------------------------------------------- */

static void render(struct keel_model *m) {
    char probe[1];
    source_sort(&m->messages);
    size_t length = source_render_all(&m->source, &m->messages, probe, sizeof probe);
    free(m->rendered);
    m->rendered = malloc(length + 1);
    if (m->rendered) source_render_all(&m->source, &m->messages, m->rendered, length + 1);
}

/* From text to problems --------------------------------------------------------------------------------- */

/* What `init` or `guess` says of a symbol, 0 where they are silent; the start time of t. */
static double given_value(struct keel_model *m, expr symbol) {
    struct model *model = m->model;
    const struct model_givens *lists[] = {&model->init, &model->guess};
    if (model->graph.node[symbol].a == EXPR_TIME) return m->span[0];
    for (int l = 0; l < 2; l++)
        for (int k = 0; k < lists[l]->count; k++)
            if (lists[l]->list[k].target == symbol)
                return model_number(model, lists[l]->list[k].value, m->span[0]);
    return 0;
}

/* All parameters as they are now; held values as given, until a run begins. */
static int take_parameters(struct keel_model *m) {
    const struct model *model = m->model;
    size_t count = (size_t)model->parameters + (size_t)model->helds;
    if (!m->parameter) m->parameter = pool_take(&m->pool, (count + 1) * sizeof *m->parameter);
    if (!m->parameter) return diagnostics_memory(&m->messages);
    for (int i = 0; i < model->parameters; i++) m->parameter[i] = model->parameter[i].number;
    for (int i = 0; i < model->helds; i++)
        m->parameter[model->parameters + i] = given_value(m, model->held[i].of);
    return 1;
}

/* Behind them the sides of switching surfaces, of the mode in force. */
int open_sides(struct keel_model *m) {
    int numbers = m->model->parameters + m->model->helds, most = 0;
    for (int i = 0; i < m->modes; i++)
        if (most < formulation_sides(&m->mode[i]->formulation))
            most = formulation_sides(&m->mode[i]->formulation);
    double *wider = pool_take(&m->pool, (size_t)(numbers + most + 1) * sizeof *wider);
    if (!wider) return diagnostics_memory(&m->messages);
    memcpy(wider, m->parameter, (size_t)numbers * sizeof *wider);
    for (int k = 0; k < most; k++) wider[numbers + k] = 1;
    m->parameter = wider;
    m->sides = most;
    for (int i = 0; i < m->modes; i++) m->bound[i].parameter = wider;
    return 1;
}

/* The ends of the run: as asked, in expressions of parameters, or as the model has them. */
static int take_span(struct keel_model *m) {
    struct model *model = m->model;
    m->span[0] = model->begin == EXPR_NONE ? 0 : model_number(model, model->begin, 0);
    m->span[1] = model->end == EXPR_NONE ? m->span[0] : model_number(model, model->end, m->span[0]);
    if ((m->from && !keel_model_number(m, m->from, &m->span[0])) ||
        (m->to && !keel_model_number(m, m->to, &m->span[1]))) {
        source_diagnose(&m->messages, SOURCE_ERROR, SOURCE_NOWHERE, 0, "the time span: %.290s", m->refusal);
        return 0;
    }
    struct source_message *one;
    if (!isfinite(m->span[0]) || !isfinite(m->span[1])) {
        one = source_diagnose(&m->messages, SOURCE_ERROR, model->run.offset, model->run.length,
                              "the time span %g .. %g is not made of numbers.", m->span[0], m->span[1]);
        source_hint(one, "Look for a division by zero, or a root or logarithm of a negative number.");
        return 0;
    }
    if (m->span[0] != m->span[1]) return 1;
    source_diagnose(&m->messages, SOURCE_ERROR, SOURCE_NOWHERE, 0,
                    "the run has no length: it ends where it begins, at %g.", m->span[0]);
    return 0;
}

int open_mode(struct keel_model *m, int i) {
    struct model *model = m->model;
    char method[40];
    compiled_method(m, method, sizeof method);
    struct inside_mode *mode = pool_take(&m->pool, sizeof *mode);
    if (!mode) return diagnostics_memory(&m->messages);
    m->mode[i] = mode;
    m->modes = i + 1;
    int open = system_open(&mode->system, model, i, m->span[0], &m->source, &m->messages, &m->pool) &&
               formulation_open(&mode->formulation, &mode->system, &m->messages, &m->pool);
    mode->formulation.way = m->span[1] < m->span[0] ? -1 : 1;
    if (!open) return 0;
    if (!contact_open(&mode->contact, &mode->formulation)) return 0;
    if (functions_open(&mode->functions, &mode->formulation, method) ||
        !impact_open(&mode->impact, &mode->formulation) ||
        !branches_open(&mode->branches, &mode->formulation))
        return diagnostics_memory(&m->messages);
    m->bound[i] = functions_bind(&mode->functions, m->parameter, NULL, NULL);
    return branches_check(&mode->branches, &mode->functions.tape[functions_role_event], m->span, m->parameter,
                          model->parameters + model->helds);
}

static int open_modes(struct keel_model *m) {
    size_t count = (size_t)m->model->modes;
    m->mode = pool_take(&m->pool, count * sizeof *m->mode);
    m->bound = pool_take(&m->pool, count * sizeof *m->bound);
    if (m->pool.refused) return diagnostics_memory(&m->messages);
    int good = 1;
    for (int i = 0; i < m->model->modes && !m->messages.starved; i++) /* the mistakes of all modes are told */
        good &= open_mode(m, i);
    return good;
}

int open_linear_invariants(struct keel_model *m) {
    int total = 0, at = 0;
    for (int i = 0; i < m->modes; i++) total += m->mode[i]->system.s.invariants + 1;
    m->linear_invariant = pool_take(&m->pool, ((size_t)total + 1) * sizeof *m->linear_invariant);
    m->linear_invariant_first =
        pool_take(&m->pool, ((size_t)m->modes + 1) * sizeof *m->linear_invariant_first);
    if (m->pool.refused) return diagnostics_memory(&m->messages);
    for (int i = 0; i < m->modes; i++) {
        const struct system *y = &m->mode[i]->system;
        m->linear_invariant_first[i] = at;
        for (int k = 0; k < y->s.invariants; k++) {
            char text[400];
            diagnostics_print(y, y->s.invariant[k].value, text, sizeof text);
            m->linear_invariant[at++] = pool_copy(&m->pool, text, strlen(text));
        }
        m->linear_invariant[at++] = NULL; /* the end of this mode's list */
    }
    return !m->pool.refused || diagnostics_memory(&m->messages);
}

/* A list of assignments, parameters first. */
static int sort_sets(struct keel_model *m) {
    size_t bytes = ((size_t)m->sets + 1) * sizeof *m->start;
    m->parameter_set = pool_take(&m->pool, bytes);
    m->start = pool_take(&m->pool, bytes);
    m->parameter_sets = m->starts = 0;
    m->unknowns = (struct dictionary){.pool = &m->pool};
    if (!assign_unknowns(&m->unknowns, m->file) || m->pool.refused) return diagnostics_memory(&m->messages);
    for (int i = 0; i < m->sets; i++)
        if (assign_is_start(&m->unknowns, m->set[i])) m->start[m->starts++] = m->set[i];
        else m->parameter_set[m->parameter_sets++] = m->set[i];
    return 1;
}

/* The unknowns of "y' = 1"; initial.c says what is wrong with a name. */
static int take_starts(struct keel_model *m) {
    m->model->set = pool_take(&m->pool, ((size_t)m->starts + 1) * sizeof *m->model->set);
    if (!m->model->set) return diagnostics_memory(&m->messages);
    for (int i = 0; i < m->starts; i++) {
        char name[120], why[INSIDE_WHY];
        const char *sign = strchr(m->start[i], '=');
        text_set(name, sizeof name, "%.*s", sign ? (int)(sign - m->start[i]) : 0, m->start[i]);
        m->model->set[m->model->sets++] = sign ? query_symbol(m, name, why, sizeof why) : EXPR_NONE;
    }
    return 1;
}

void open_allow(struct keel_model *m) {
    double bytes = (m->work > 0 ? m->work : EXPR_WORK) / EXPR_COST_BYTE;
    m->pool.limit = m->pool.bytes + (size_t)fmin(bytes, 1e15); /* any work may be asked for */
}

static void tell_phase(const struct keel_model *m, const char *phase) {
    if (m->phase) *m->phase = phase;
}

static char *copy(const char *text, size_t length) {
    char *own = malloc(length + 1);
    if (!own) return NULL;
    if (length) memcpy(own, text, length);
    own[length] = '\0';
    return own;
}

/* The text has become longer. */
static int read_again(struct keel_model *m) {
    char *longer = copy(m->source.text, m->source.length);
    if (!longer) return diagnostics_memory(&m->messages);
    free(m->text);
    m->source.text = m->text = longer;
    m->file = parser_run(&m->source, &m->messages, &m->pool);
    return 1;
}

/* The text to a flat tree: libraries behind it, the rows of tables, theirs too; parts written out. */
static int read_text(struct keel_model *m) {
    if (!source_check(&m->source, &m->messages)) return 0;
    m->file = parser_run(&m->source, &m->messages, &m->pool);
    int imports = m->file ? import_append(m) : 0;
    if (imports < 0) return 0;
    if (m->file && library_append(&m->source, m->file, &m->messages, &m->pool) + imports > 0 &&
        !read_again(m))
        return 0;
    int tables = m->file ? import_tables(m) : 0;
    if (tables < 0 || (tables > 0 && !read_again(m))) return 0;
    if (m->file && !m->messages.errors) m->file = parts_expand(&m->source, m->file, &m->messages, &m->pool);
    return m->file && !m->messages.errors;
}

int open_problem(struct keel_model *m, int i) {
    const struct formulation *r = &m->mode[i]->formulation;
    fill_problem(&m->mode[i]->fill, r, &m->mode[i]->functions, m->model->name ? m->model->name : m->title);
    if (!fill_matrices_fit(r)) return diagnostics_dense(r, &m->messages);
    return fill_checks_fit(r, &m->mode[i]->functions);
}

static int build(struct keel_model *m) {
    open_allow(m);
    tell_phase(m, "reading the model");
    if (!read_text(m) || !sort_sets(m)) return 0;
    struct elaborate_request request = {m->parameter_set, m->parameter_sets, m->to != NULL, m->work,
                                        m->limits.stop,   m->file_read,      m->files_read};
    m->model = elaborate_run(&m->source, m->file, &request, &m->messages, &m->pool);
    tell_phase(m, "analysing the equations");
    if (!m->model || !open_clock(m) || !take_span(m) || !take_starts(m) || !tangent_add(m) ||
        !take_parameters(m) || !open_modes(m) || !open_sides(m) || !open_linear_invariants(m))
        return 0;
    tell_phase(m, "compiling the model");
    compiled_begin(m);
    tell_phase(m, "finding a consistent start");
    if (m->model->graph.failed) return 0; /* told by `finish` */
    for (int i = 0; i < m->modes; i++)
        if (!open_problem(m, i)) return 0;
    return tolerance_find(m) && columns_open(m) && drift_open(m) && ledger_names(m) && prepare_run(m) &&
           explain_find(m) && columns_references(m) && (m->without_start || initial_find(m));
}

/* Whatever came of the reading is forgotten: anything in it may have been given up. */
static int stopped(struct keel_model *m) {
    if (!m->limits.stop || !*m->limits.stop) return 0;
    m->messages = (struct source_messages){0};
    source_diagnose(&m->messages, SOURCE_ERROR, SOURCE_NOWHERE, 0, "stopped while the model was read.");
    m->status = KEEL_ESTOP;
    render(m);
    return 1;
}

/* Without memory anything may have gone wrong, and been said: that alone is the reason. */
static int starved(const struct keel_model *m) {
    return m->pool.refused || m->no_memory || (m->model && m->model->graph.failed);
}

void open_starts(struct keel_model *m) {
    for (int i = 0; i < m->modes; i++) {
        keel_problem *p = &m->mode[i]->fill.problem;
        p->t0 = m->span[0];
        p->u0 = i == m->model->start ? m->u0 : NULL; /* NULL without a start, too */
        p->user = &m->bound[i];
        p->side = m->parameter + m->model->parameters + m->model->helds;
    }
}

static void finish(struct keel_model *m, int good) {
    m->phase = NULL;                           /* asked for while the model is read */
    if (m->model) m->model->graph.stop = NULL; /* what a run derives is not much */
    if (stopped(m)) return;
    if (m->model && m->model->graph.exhausted) { /* it explains all else that was said, too */
        m->messages = (struct source_messages){0};
        elaborate_exhausted(&m->messages, &m->model->graph);
    } else if (starved(m) || (!good && !m->messages.errors)) diagnostics_memory(&m->messages);
    m->status = m->messages.starved ? KEEL_ENOMEM : good && !m->messages.errors ? KEEL_OK : KEEL_EINVAL;
    if (m->status == KEEL_OK) open_starts(m);
    if (m->status == KEEL_OK) expr_allow(&m->model->graph, m->work); /* for expressions that are asked for */
    render(m);
}

/* Back to the text alone. */
static void tear_down(struct keel_model *m) {
    columns_close(m);
    prepare_release(m);
    for (int i = 0; i < m->modes; i++) {
        impact_close(&m->mode[i]->impact);
        branches_close(&m->mode[i]->branches);
        contact_close(&m->mode[i]->contact);
        functions_close(&m->mode[i]->functions);
        formulation_close(&m->mode[i]->formulation);
        system_close(&m->mode[i]->system);
    }
    compile_close(&m->unit); /* before the text that it may be at work on */
    model_release(m->model);
    pool_release(&m->pool);
    free(m->source_text);
    m->model = NULL, m->mode = NULL, m->modes = 0, m->compiled = 0, m->source_text = NULL;
    m->parameter = m->u0 = NULL, m->given = NULL, m->verdict = NULL;
    m->messages = (struct source_messages){0};
    m->why_not[0] = '\0';
    m->no_memory = 0;
}

/* Opening and closing ----------------------------------------------------------------------------------- */

/* The name of a model that gives none: that of its file, without folders and .keel. */
static char *stem(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    if (length > 5 && strcmp(name + length - 5, ".keel") == 0) length -= 5;
    char *title = copy(name, length), *shown = title ? malloc(6 * length + 1) : NULL;
    if (shown) text_shown(shown, 6 * length + 1, title); /* it stands in files and on terminals */
    free(title);
    return shown;
}

static int copied(char **to, const char *from) {
    if (from) *to = copy(from, strlen(from));
    return !from || *to;
}

/* The text, with one more line for a section. */
static char *copy_text(const char *text, size_t length, const char *section, size_t *total) {
    static const char before[] = "\nevent " KEEL_SECTION ": ", behind[] = " -> record\n";
    size_t more = section ? strlen(before) + strlen(section) + strlen(behind) : 0;
    char *all = malloc(length + more + 1);
    *total = length + more;
    if (!all) return NULL;
    if (length) memcpy(all, text, length);
    if (section) sprintf(all + length, "%s%s%s", before, section, behind);
    all[*total] = '\0';
    return all;
}

static struct keel_model *begin_model(const char *name, const char *text, size_t length,
                                      const keel_model_options *o) {
    struct keel_model *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->name = copy(name, strlen(name));
    m->title = stem(name);
    m->text = copy_text(text, length, text && o ? o->section : NULL, &length);
    m->source = (struct source){m->name, m->text, length, 0};
    int sets = o && o->set ? o->sets : 0;
    m->set = calloc((size_t)sets + 1, sizeof *m->set);
    int complete = m->name && m->title && m->text && m->set;
    if (o)
        complete &= copied(&m->method, o->method) && copied(&m->from, o->from) && copied(&m->to, o->to) &&
                    copied(&m->sensitivity, o->sensitivity) && copied(&m->clock, o->clock);
    if (!complete) return keel_model_close(m), NULL;
    for (int i = 0; i < sets; i++) {
        m->set[i] = copy(o->set[i], strlen(o->set[i]));
        if (!m->set[i]) return keel_model_close(m), NULL;
        m->sets++;
    }
    if (o && o->work > 0) m->work = 1e6 * o->work;
    if (o) m->interpret = o->interpret, m->without_start = o->without_start;
    if (o) m->kernel_later = o->kernel_later, m->compile_ahead = o->compile_ahead;
    if (o) m->phase = o->phase;
    if (o) m->limits = (struct compile_limits){.seconds = o->compile_seconds, .stop = o->stop};
    return m;
}

keel_model *keel_model_read(const char *name, const char *text, size_t length, const keel_model_options *o) {
    struct keel_model *m = begin_model(name ? name : "model", text ? text : "", text ? length : 0, o);
    if (m) finish(m, build(m));
    return m;
}

keel_model *keel_model_load(const char *path, const keel_model_options *o) {
    size_t length = 0;
    if (!path) path = "";
    errno = 0;
    char *text = import_read(path, SOURCE_LONGEST, &length);
    int error = errno;
    struct keel_model *m = begin_model(path, text, length, o);
    if (m) m->of_file = 1;
    if (m && !text && error == ENOMEM) diagnostics_memory(&m->messages);
    else if (m && !text)
        source_diagnose(&m->messages, SOURCE_ERROR, SOURCE_NOWHERE, 0, "the file cannot be read: %s.",
                        strerror(error));
    if (m) finish(m, text && build(m));
    free(text);
    return m;
}

struct keel_model *open_again(const struct keel_model *m) {
    keel_model_options o = {.set = (const char *const *)m->set,
                            .sets = m->sets,
                            .from = m->from,
                            .to = m->to,
                            .method = m->method,
                            .clock = m->clock,
                            .work = m->work / 1e6,
                            .stop = m->limits.stop,
                            .compile_seconds = m->limits.seconds,
                            .interpret = !m->compiled,
                            .kernel_later = 1};
    struct keel_model *own = begin_model(m->name, m->text, m->source.length, &o);
    if (own) own->of_file = m->of_file;
    if (own) finish(own, build(own));
    return own;
}

void keel_model_close(keel_model *m) {
    if (!m) return;
    tear_down(m);
    for (int i = 0; i < m->sets; i++) free(m->set[i]);
    for (int i = 0; i < m->files_read; i++)
        free((char *)m->file_read[i].text), free((char *)m->file_read[i].name);
    free(m->file_read);
    free(m->set);
    free(m->sensitivity);
    free(m->clock);
    free(m->name);
    free(m->title);
    free(m->text);
    free(m->method);
    free(m->from);
    free(m->to);
    free(m->rendered);
    free(m);
}

/* Parameters -------------------------------------------------------------------------------------------- */

static int special(const struct keel_model *m) {
    int found = 0;
    for (int i = 0; i < m->modes; i++) found |= m->mode[i]->system.s.special;
    return found;
}

/* An assignment that is wrong in itself changes nothing: all that is left of it is what is said. */
static keel_status refuse(struct keel_model *m, const char *sentence) {
    m->messages = (struct source_messages){0};
    source_diagnose(&m->messages, SOURCE_ERROR, SOURCE_NOWHERE, 0, "%s", sentence);
    render(m);
    return KEEL_EINVAL;
}

/* What follows from a new list of replacements.  Now and then all is read again: memory must not grow. */
static keel_status take_change(struct keel_model *m, char **list, int count, enum elaborate_change change) {
    int quick = m->status == KEEL_OK && !special(m) && ++m->changes % 1024 != 0;
    sets_take(m, list, count);
    if (change == ELABORATE_DONE && quick) {
        open_allow(m);
        m->messages = (struct source_messages){0};
        finish(m, take_span(m) && take_parameters(m) && tolerance_find(m) && columns_references(m) &&
                      (m->without_start || initial_find(m)));
        return m->status;
    }
    tear_down(m); /* another structure */
    finish(m, build(m));
    return m->status;
}

keel_status keel_model_set(keel_model *m, const char *assignment) {
    char message[TEXT_SENTENCE] = "";
    enum elaborate_change change = ELABORATE_AGAIN;
    int count;
    if (!m || !assignment) return KEEL_EINVAL;
    char *own = copy(assignment, strlen(assignment)), **list = own ? sets_with(m, own, &count) : NULL;
    if (!list) return free(own), KEEL_ENOMEM;
    if (m->model && !m->starts && !assign_is_start(&m->unknowns, assignment))
        change = elaborate_set(m->model, count, (const char *const *)list, message, sizeof message);
    if (change == ELABORATE_REFUSED) return free(own), free(list), refuse(m, message);
    return take_change(m, list, count, change);
}

keel_status keel_model_set_all(keel_model *m, const char *const *set, int sets) {
    char message[TEXT_SENTENCE] = "";
    if (!m || sets < 0 || (sets && !set)) return KEEL_EINVAL;
    enum elaborate_change change = ELABORATE_AGAIN;
    int plain = m->model && !m->starts;
    char **list = calloc((size_t)sets + 1, sizeof *list);
    if (!list) return KEEL_ENOMEM;
    for (int i = 0; i < sets; i++) {
        if (!(list[i] = copy(set[i], strlen(set[i])))) return sets_free(list, i), KEEL_ENOMEM;
        plain = plain && !assign_is_start(&m->unknowns, set[i]);
    }
    if (plain) change = elaborate_set(m->model, sets, (const char *const *)list, message, sizeof message);
    if (change == ELABORATE_REFUSED) return sets_free(list, sets), refuse(m, message);
    return take_change(m, list, sets, change);
}
