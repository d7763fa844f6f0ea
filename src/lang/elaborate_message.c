/* elaborate_message.c - what the elaboration says: one message a place, with lines, loops and likely names.
 */
#include "lang/elaborate_private.h"

#include "base/text.h"

#include <string.h>

static int said_at(const struct source_messages *m, uint32_t offset) {
    for (int i = 0; i < m->count; i++)
        if (m->list[i].severity == SOURCE_ERROR && m->list[i].offset == offset) return 1;
    return 0;
}

/* A loop meets its mistake again and again, and each mode those of the common lines: said once. */
struct source_message *elaborate_error(struct elaborate *e, struct syntax_span span, const char *format,
                                       ...) {
    char sentence[320];
    va_list args;
    if (said_at(e->messages, span.offset)) return &e->messages->spare;
    va_start(args, format);
    text_vset(sentence, sizeof sentence, format, args);
    va_end(args);
    if (e->use)
        text_add(sentence, sizeof sentence, " (In `%.60s`, a `%.40s`, %s.)", e->use->instance, e->use->part,
                 elaborate_line_of(e, e->use->where));
    return source_diagnose(e->messages, SOURCE_ERROR, span.offset, span.length, "%s", sentence);
}

void elaborate_stop(struct elaborate *e) {
    if (e->stopped) return;
    e->stopped = 1;
    elaborate_exhausted(e->messages, e->graph);
}

void elaborate_error_grown(struct elaborate *e) {
    source_hint(elaborate_error(e, e->grown,
                                "the model grows beyond %.0f million operations when its loops and functions "
                                "are written out.",
                                e->graph->work / 1e6),
                "Is a range longer than meant?");
}

void elaborate_exhausted(struct source_messages *m, const struct graph *g) {
    if (!g->exhausted) {
        source_no_memory(m);
        return;
    }
    source_hint(source_diagnose(m, SOURCE_ERROR, SOURCE_NOWHERE, 0,
                                "the equations grow beyond %.0f million operations, or %.2g GB.",
                                g->work / 1e6, 1e-9 * g->work / EXPR_COST_BYTE),
                "Is a range longer than meant, or something differentiated very often?");
}

const char *elaborate_line_of(struct elaborate *e, struct syntax_span span) {
    char place[120];
    source_line(e->source, span.offset, place, sizeof place);
    const char *copy = elaborate_format(e, "%s", place);
    return copy ? copy : "another line"; /* there is no memory, and that is told instead */
}

void elaborate_error_nonsmooth(struct elaborate *e, struct syntax_span where, const char *times,
                               const char *what) {
    expr obstacle = e->derive.obstacle;
    char text[120], hint[300], here[140] = "here";
    e->derive.obstacle = EXPR_NONE;
    struct syntax_span at = model_nonsmooth(e->model, e->source, obstacle, where, text, sizeof text);
    model_nonsmooth_hint(e->model, obstacle, hint, sizeof hint);
    if (source_place(e->source, at.offset).line != source_place(e->source, where.offset).line)
        text_set(here, sizeof here, "for %s", elaborate_line_of(e, where));
    source_hint(elaborate_error(e, at, "`%s` must be differentiated %s%s%s, and is not smooth.", text, times,
                                here, what),
                "%s", hint);
}

void elaborate_error_loops(struct elaborate *e, struct source_message *one,
                           const struct elaborate_frame *frame) {
    char text[320] = "";
    for (; frame; frame = frame->up) {
        if (!frame->range) continue;
        struct syntax_span span = frame->range->span;
        int shown = span.length < 60 ? (int)span.length : 60;
        text_add(text, sizeof text, "%s%s = %ld, from `%s %.*s` (%s)", text[0] ? "; " : "Here ", frame->name,
                 frame->index, frame->word, shown, e->source->text + span.offset, elaborate_line_of(e, span));
    }
    if (!text[0]) return;
    char before[320];
    text_set(before, sizeof before, "%s", one->hint);
    source_hint(one, "%.150s%s%.160s.", before, before[0] ? "\n" : "", text);
}

void elaborate_shape_text(const struct model_shape *shape, char *out, size_t capacity) {
    text_set(out, capacity, "%s", shape->rank ? "" : "a number");
    for (int i = 0; i < shape->rank; i++) text_add(out, capacity, "[%d..%d]", shape->low[i], shape->high[i]);
}

/* Names that are not known --------------------------------------------------------------------------- */

struct nearest {
    const char *text;
    int distance;
    struct syntax_span where; /* length 0: nowhere */
};

static void nearer(struct nearest *best, const char *wanted, const char *text, struct syntax_span where) {
    int distance = text_distance(wanted, text);
    if (distance >= best->distance) return;
    *best = (struct nearest){text, distance, where};
}

static int said_of(const struct source_messages *m, const char *wanted) {
    char sentence[100];
    text_set(sentence, sizeof sentence, "unknown name `%.60s`.", wanted);
    for (int i = 0; i < m->count; i++)
        if (strcmp(m->list[i].sentence, sentence) == 0) return 1;
    return 0;
}

/* What people call things elsewhere. */
static const struct {
    const char *name, *hint;
} habits[] = {
    {"time", "The time is  t."},
    {"e", "Euler's number is  exp(1)."},
    {"Pi", "It is written  pi."},
    {"PI", "It is written  pi."},
    {"inf", "There are no infinities."},
    {"true", "Write a comparison:  x > 0."},
    {"false", "Write a comparison:  x > 0."},
};

void elaborate_unknown(struct elaborate *e, const struct syntax_node *ref,
                       const struct elaborate_frame *frame) {
    const char *wanted = ref->text;
    if (said_of(e->messages, wanted)) return;    /* mended at its first place, it is mended everywhere */
    if (e->messages->count == SOURCE_MESSAGES) { /* it would not be shown, and the search is long */
        elaborate_error(e, ref->span, "unknown name `%.60s`.", wanted);
        return;
    }
    struct nearest best = {NULL, (int)strlen(wanted) / 4 + 2, {0, 0}};
    if (strlen(wanted) < 2) best.distance = 1;
    for (const struct elaborate_frame *f = frame; f; f = f->up)
        nearer(&best, wanted, f->name, (struct syntax_span){0, 0});
    for (const struct elaborate_name *n = e->names; n; n = n->next) nearer(&best, wanted, n->text, n->where);
    struct source_message *one = elaborate_error(e, ref->span, "unknown name `%.60s`.", wanted);
    for (size_t i = 0; i < sizeof habits / sizeof habits[0]; i++)
        if (strcmp(habits[i].name, wanted) == 0) {
            source_hint(one, "%s", habits[i].hint);
            return;
        }
    const struct model_mode *mode = &e->model->mode[e->mode];
    for (int i = 0; i < mode->output.count; i++)
        if (strcmp(mode->output.list[i].label.base, wanted) == 0) {
            source_hint(one, "An output cannot be computed with: name the expression by  let %.40s = ...",
                        wanted);
            return;
        }
    if (!best.text && strchr(wanted, '.'))
        source_hint(
            one, "A point leads to a member of a part; x.start is the value at the start, x.enter that when "
                 "the mode was entered.");
    else if (best.text && best.where.length)
        source_hint(one, "Did you mean `%.60s` (%s)?", best.text, elaborate_line_of(e, best.where));
    else if (best.text) source_hint(one, "Did you mean `%.60s`?", best.text);
    else
        source_hint(one, "Declare it:  param %.40s = 1,  var %.40s  or  let %.40s = ...", wanted, wanted,
                    wanted);
}

void elaborate_unknown_label(struct elaborate *e, const struct syntax_node *ref, const char *what,
                             const struct model_label *label, int count, size_t stride) {
    struct nearest best = {NULL, (int)strlen(ref->text) / 4 + 2, {0, 0}};
    if (ref->multiplier && e->without_force) return;
    for (int i = 0; i < count; i++) {
        const char *at = (const char *)label + (size_t)i * stride;
        nearer(&best, ref->text, ((const struct model_label *)(const void *)at)->base,
               (struct syntax_span){0, 0});
    }
    struct source_message *one = elaborate_error(e, ref->span, "there is no %s `%.60s`.", what, ref->text);
    if (best.text) source_hint(one, "Did you mean `%.60s`?", best.text);
    else if (ref->multiplier) source_hint(one, "lambda.NAME is the multiplier of  constraint NAME: ...");
}
