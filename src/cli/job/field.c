/* field.c - see field.h. */
#include "cli/job/field.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

int field_taken(const keel_method *m, const keel_field *f) {
    for (const keel_field *own = m ? m->fields : NULL; own && own->name; own++)
        if (own->offset == f->offset) return 1;
    return 0;
}

static const keel_method *named(const keel_method *(*at)(int i), const char *name) {
    const keel_method *m;
    for (int i = 0; (m = at(i)) && strcmp(m->name, name) != 0; i++) {}
    return m;
}

int field_idle(const keel_field *f, const char *method, const char *stabilizer) {
    return keel_field_owner(f, 0) && !field_taken(named(keel_method_at, method), f) &&
           !field_taken(named(keel_stabilizer_at, stabilizer), f);
}

void field_clear(const keel_field *f, keel_options *o) {
    keel_field_put(f, o, 0);
    keel_field_put_text(f, o, NULL);
}

void field_settle(keel_options *o, const char *method, const char *stabilizer) {
    const keel_field *f;
    for (int i = 0; (f = keel_field_at(i)); i++)
        if (field_idle(f, method, stabilizer)) field_clear(f, o);
}

static void choices_json(struct json *json, const char *choices) {
    json_array(json, "choices");
    for (const char *at = choices; *at; at += strcspn(at, "|"), at += *at == '|') {
        char word[40];
        text_set(word, sizeof word, "%.*s", (int)strcspn(at, "|"), at);
        json_text(json, NULL, word);
    }
    json_end_array(json);
}

void field_json(struct json *json, const keel_field *f) {
    static const char *const kind[] = {"real", "integer", "integer", "flag", "choice", "text", "reals"};
    int is_number = f->type <= KEEL_FIELD_LONG || f->type == KEEL_FIELD_REALS;
    json_object(json, NULL);
    json_text(json, "name", f->name);
    json_text(json, "typed", f->typed ? f->typed : f->name);
    json_text(json, "kind", kind[f->type]);
    json_number(json, "default", f->fallback > 0 ? f->fallback : NAN);
    json_number(json, "low", is_number ? f->low : NAN);
    json_number(json, "high", is_number && f->high > 0 ? f->high : NAN);
    if (f->choices) choices_json(json, f->choices);
    json_truth(json, "line", (f->traits & KEEL_FIELD_LINE) != 0);
    json_truth(json, "model", (f->traits & KEEL_FIELD_MODEL) != 0);
    json_truth(json, "results", (f->traits & KEEL_FIELD_RESULTS) != 0);
    json_text(json, "about", f->about);
    json_end_object(json);
}
