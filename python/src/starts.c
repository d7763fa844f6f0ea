/* starts.c - see starts.h.
 *
 * Reading a model finds a consistent start, and opening a run verifies invariants there: far more work than
 * the steps of a short run.  So the state in which a run begins is kept, for further runs with the same
 * options; and runs with other values of parameters begin by a variation of the model (keel/ensemble.h), with
 * the bits of a model that was read with these values. */
#include "starts.h"

#include <stdlib.h>
#include <string.h>

static void forget_start(struct starts *s) {
    free(s->bytes);
    s->bytes = NULL;
    keel_sim_close(s->like);
    s->like = NULL;
}

void starts_forget(struct starts *s) {
    forget_start(s);
    for (int i = 0; i < STARTS_NAMES; i++) {
        Py_CLEAR(s->varied[i].names);
        keel_vary_close(s->varied[i].variation);
        s->varied[i].variation = NULL;
    }
}

/* What decides a start are the options; their texts are compared as texts.  0: these are too long. */
static int key_of(const keel_options *o, keel_options *key, char *texts, size_t capacity) {
    const char *text[] = {o->method, o->keep, o->sets};
    size_t used = 0;
    *key = *o;
    key->method = key->keep = key->sets = NULL;
    for (int i = 0; i < 3; i++) {
        size_t length = text[i] ? strlen(text[i]) : 0;
        if (used + length + 2 > capacity) return 0;
        if (length) memcpy(texts + used, text[i], length);
        used += length;
        texts[used++] = '\n';
    }
    texts[used] = '\0';
    return 1;
}

static int is_kept(const struct starts *s, const keel_options *o) {
    keel_options key;
    char texts[sizeof s->texts] = "";
    return (s->bytes || s->like) && key_of(o, &key, texts, sizeof texts) &&
           memcmp(&key, &s->options, sizeof key) == 0 && strcmp(texts, s->texts) == 0;
}

static int is_sound(const keel_sim *s) {
    return s && keel_sim_status(s) >= 0;
}

/* Without memory nothing is kept. */
static void keep_start(struct starts *s, const keel_options *o, const keel_sim *sim) {
    enum { MOST = 1 << 20 };
    forget_start(s);
    s->texts[0] = '\0'; /* fits no options */
    keel_options key;
    char texts[sizeof s->texts] = "";
    if (!key_of(o, &key, texts, sizeof texts)) return;
    s->options = key;
    memcpy(s->texts, texts, sizeof texts);
    s->count = keel_sim_save(sim, NULL, 0);
    s->bytes = s->count < MOST ? malloc(s->count) : NULL;
    if (s->bytes) keel_sim_save(sim, s->bytes, s->count);
}

keel_sim *starts_open(struct starts *s, const keel_model *m, const keel_options *o) {
    if (is_kept(s, o) && s->bytes) {
        keel_sim *again = keel_sim_load(m, o, s->bytes, s->count);
        if (is_sound(again)) return again;
        keel_sim_close(again);
    }
    keel_sim *sim = keel_sim_open(m, o);
    if (is_sound(sim)) keep_start(s, o, sim);
    return sim;
}

/* Runs with other values --------------------------------------------------------------------------------- */

static keel_variation *open_variation(keel_model *m, PyObject *names) {
    Py_ssize_t count = PyTuple_Size(names);
    const char **name = calloc((size_t)count + 1, sizeof *name);
    keel_variation *v = NULL;
    int good = name != NULL;
    for (Py_ssize_t i = 0; i < count && good; i++)
        good = (name[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL)) != NULL;
    if (good) v = keel_vary_open(m, (int)count, name);
    free(name);
    if (!v && !PyErr_Occurred()) PyErr_NoMemory();
    return v;
}

keel_variation *starts_variation(struct starts *s, keel_model *m, PyObject *names) {
    keel_variation *v = NULL;
    for (int i = 0; i < STARTS_NAMES && !v; i++)
        if (s->varied[i].names) {
            int same = PyObject_RichCompareBool(s->varied[i].names, names, Py_EQ);
            if (same < 0) return NULL;
            if (same) v = s->varied[i].variation;
        }
    if (!v) {
        v = open_variation(m, names);
        if (!v) return NULL;
        int place = s->next++ % STARTS_NAMES;
        Py_XDECREF(s->varied[place].names);
        keel_vary_close(s->varied[place].variation);
        Py_INCREF(names);
        s->varied[place].names = names;
        s->varied[place].variation = v;
    }
    return keel_vary_status(v) >= 0 && !keel_vary_anew(v) ? v : NULL;
}

keel_sim *starts_vary(struct starts *s, const keel_model *m, const keel_options *o, const keel_variation *v,
                      const double *value) {
    if (!is_kept(s, o) || !s->like) {
        keel_sim *like = starts_open(s, m, o);
        if (!is_sound(like)) return like;
        keel_sim_close(s->like);
        s->like = like;
    }
    return keel_vary_sim(v, s->like, o, value);
}
