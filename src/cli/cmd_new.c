/* cmd_new.c - keel new NAME: a commented, runnable starter model. */
#include "base/text.h"
#include "cli/job/command.h"
#include "cli/files/file.h"
#include "cli/run/run_json.h"
#include "cli/starter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The name of the model that a path stands for: without folders and .keel. */
static void name_of(const char *path, char *out, size_t capacity) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    if (length > 5 && strcmp(name + length - 5, ".keel") == 0) length -= 5;
    text_set(out, capacity, "%.*s", (int)(length < capacity ? length : capacity - 1), name);
}

static int good_name(const char *name) {
    if (!isalpha((unsigned char)name[0]) || strlen(name) > 60) return 0;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_') return 0;
    return 1;
}

/* Is it a word of the language?  The text with that name is parsed: nobody knows better. */
static int taken_word(const char *name) {
    char text[120];
    text_set(text, sizeof text, "model %.80s\nvar x\nx' = 1\ninit x = 0\nrun 0 .. 1\n", name);
    keel_model_options o = {.interpret = 1, .without_start = 1};
    keel_model *m = keel_model_read("new", text, strlen(text), &o);
    int taken = keel_model_status(m) != KEEL_OK;
    keel_model_close(m);
    return taken;
}

static int write_new(struct job *j, const char *text) {
    struct file file;
    char why[JOB_SENTENCE];
    struct stat about;
    if (lstat(j->path, &about) == 0)
        return job_fail(j, EXIT_USAGE, "%.300s exists already and stays as it is; take another name",
                        j->path);
    struct claim *claim = claim_open(j->path, KIND_MODEL, 0, why, sizeof why);
    if (!claim || file_open(&file, claim, 0, why, sizeof why)) return job_fail(j, EXIT_USAGE, "%s", why);
    file_put(&file, text, strlen(text));
    return file_keep(&file, why, sizeof why) ? job_fail(j, EXIT_FAILED, "%s", why) : 0;
}

static int make(struct job *j, char *name, size_t capacity) {
    const char *kind = option_text(&j->options, opt_kind), *given = j->file;
    name_of(given, name, capacity);
    if (!good_name(name))
        return job_fail(j, EXIT_USAGE,
                        "`%.80s` is no name of a model: letters, digits and _, and a letter first", name);
    if (taken_word(name))
        return job_fail(j, EXIT_USAGE, "`%.80s` is a word of the model language; take another name", name);
    const char *slash = strrchr(given, '/');
    size_t folder = slash ? (size_t)(slash - given) + 1 : 0, length = folder + strlen(name) + 6;
    j->path = malloc(length);
    char *text = starter_text(kind ? kind : "pendulum", name);
    if (!j->path || !text) {
        free(text);
        return job_no_memory(j);
    }
    snprintf(j->path, length, "%.*s%s.keel", (int)folder, given, name);
    int status = write_new(j, text);
    free(text);
    return status;
}

int new_command(int count, char **argv) {
    static struct job j;
    char name[80] = "";
    int status = job_open_word(&j, COMMAND_NEW, count, argv, "which name?  `keel new pend` writes pend.keel");
    if (status == 0 && option_given(&j.options, opt_help)) {
        command_help(command_find("new"), stdout);
        job_close(&j);
        return EXIT_DONE;
    }
    if (status == 0) status = make(&j, name, sizeof name);
    if (j.messages.json) {
        struct json json = {0};
        char next[JOB_SENTENCE];
        run_json_head(&json, "new", status ? "failed" : "done", status, &j, j.sentence);
        if (status == 0) {
            const char *kind = option_text(&j.options, opt_kind);
            text_set(next, sizeof next, "keel run %s --plot -", j.path);
            json_text(&json, "name", name);
            json_text(&json, "kind", kind ? kind : "pendulum");
            json_text(&json, "next", next);
        }
        run_json_print(&json, stdout);
    } else if (status == 0 && !j.messages.quiet) {
        char shown[6 * JOB_SENTENCE];
        text_shown(shown, sizeof shown, j.path);
        printf("%s is written: read it, change it.  Then try\n  keel check %s\n  keel run %s --plot -\n",
               shown, shown, shown);
    }
    job_close(&j);
    return status;
}
