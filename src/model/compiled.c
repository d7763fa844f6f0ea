/* compiled.c - see compiled.h.
 *
 * A compiler that works ahead is a process; there is no thread.  While it works the model is interpreted, and
 * so is every problem filled meanwhile: its functions hand over to the machine code once that is there. */
#include "model/compiled.h"

#include "base/text.h"

#include <string.h>

void compiled_method(const struct keel_model *m, char *out, size_t capacity) {
    const char *words = m->method;
    for (int i = 0; i < m->model->options && !words; i++)
        if (strcmp(m->model->option[i].name, "method") == 0) words = m->model->option[i].words;
    text_set(out, capacity, "%.*s", words ? (int)strcspn(words, "+") : 0, words ? words : "");
}

/* The C of all modes; 0: there is none, and why is noted. */
static int write_source(struct keel_model *m) {
    struct emit e;
    char method[40];
    int good = 1;
    compiled_method(m, method, sizeof method);
    emit_open(&e);
    e.stop = m->limits.stop;
    for (int i = 0; i < m->modes && good; i++)
        good = functions_emit(&m->mode[i]->functions, &e, i, method, 0) == 0 &&
               (m->kernel_later || m->compile_ahead ||
                functions_emit_kernel(&m->mode[i]->functions, &e, i, &m->mode[i]->formulation, method) == 0);
    if (good && !e.failed) {
        m->source_text = e.text;
        return 1;
    }
    text_set(m->why_not, sizeof m->why_not,
             e.starved ? "there is not enough memory to write it as C"
                       : "the model is too large for one C file");
    emit_close(&e);
    return 0;
}

void compiled_begin(struct keel_model *m) {
    if (!write_source(m)) return;
    if (m->interpret) {
        text_set(m->why_not, sizeof m->why_not, "interpreted, as asked");
        return;
    }
    enum compile_status status =
        compile_begin(m->source_text, &m->limits, &m->unit, m->why_not, sizeof m->why_not);
    if (status == COMPILE_BUSY && m->compile_ahead) {
        text_set(m->why_not, sizeof m->why_not, "the C compiler is at work");
        return;
    }
    if (status == COMPILE_BUSY) status = compile_end(&m->unit, 1, m->why_not, sizeof m->why_not);
    m->compiled = status == COMPILE_READY;
    for (int i = 0; i < m->modes && m->compiled; i++) functions_link(&m->mode[i]->functions, &m->unit, i);
}

int keel_model_compile(keel_model *m, int wait) {
    if (!m || !m->unit.work) return 1;
    enum compile_status status = compile_end(&m->unit, wait, m->why_not, sizeof m->why_not);
    if (status == COMPILE_BUSY) return 0;
    m->compiled = status == COMPILE_READY;
    if (m->compiled) m->why_not[0] = '\0';
    for (int i = 0; i < m->modes && m->compiled; i++)
        functions_hand_over(&m->mode[i]->functions, &m->unit, i);
    return 1;
}

void keel_model_link(keel_model *m, const keel_linked *functions) {
    if (!m || m->status != KEEL_OK || m->compiled || m->unit.work) return;
    m->unit.linked = functions;
    m->compiled = 1;
    m->why_not[0] = '\0';
    for (int i = 0; i < m->modes; i++) functions_hand_over(&m->mode[i]->functions, &m->unit, i);
}

int keel_model_compiled(const keel_model *m, const char **why_not) {
    if (why_not) *why_not = m ? m->why_not : "there is no model";
    return m && m->compiled;
}

const char *keel_model_source(const keel_model *m) {
    return m ? m->source_text : NULL;
}
