/* changes.c - see changes.h. */
#include "cli/run/changes.h"

#include "base/text.h"

#include <keel/method.h>

#include <string.h>

/* The one that a run begins with, and comes back to, is explicit. */
static int is_stiff(const char *name) {
    const keel_method *m;
    for (int i = 0; (m = keel_method_at(i)); i++)
        if (strcmp(m->name, name) == 0) return (m->traits & KEEL_IMPLICIT) != 0;
    return 0;
}

int changes_words(const keel_solver *s, long i, char *method, char *words, size_t capacity) {
    keel_change one;
    long all = keel_changes(s), left_out = 0;
    if (i < 0 || i >= all || (i > 0 && !keel_change_at(s, i - 1, &one))) return 0;
    while (!keel_change_at(s, i + left_out, &one)) left_out++;
    text_set(method, sizeof one.method, "%s", one.method);
    if (left_out) text_set(words, capacity, "after %ld more changes ", left_out);
    else text_set(words, capacity, "%s", "");
    text_add(words, capacity, "from t = %.4g on, %s", one.t,
             is_stiff(one.method) ? "for stiff equations: stability, not accuracy, bounded the steps"
                                  : "where explicit steps are stable again");
    return 1;
}

void changes_json(struct json *json, const keel_solver *s) {
    keel_change one;
    long all = keel_changes(s);
    if (all == 0) return;
    json_array(json, "method_changes");
    for (long i = 0; i < all; i++) {
        if (!keel_change_at(s, i, &one)) continue;
        json_object(json, NULL);
        json_number(json, "t", one.t);
        json_text(json, "method", one.method);
        json_truth(json, "stiff", is_stiff(one.method));
        json_end_object(json);
    }
    json_end_array(json);
    json_integer(json, "method_changes_total", all);
}
