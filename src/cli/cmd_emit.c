/* cmd_emit.c - keel emit MODEL: the model as one C file. */
#include "base/text.h"
#include "cli/job/command.h"
#include "cli/job/output.h"
#include "cli/run/run_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int write_file(struct job *j, const char *path, const char *text) {
    struct file file;
    char why[JOB_SENTENCE];
    size_t length = strlen(path);
    if (length < 3 || strcmp(path + length - 2, ".c") != 0)
        return job_fail(j, EXIT_USAGE, "--out %.80s: the name must end in .c", path);
    if (output_open(j, &file, path, KIND_C)) return j->status;
    fputs(text, file.stream);
    return file_keep(&file, why, sizeof why) ? job_fail(j, EXIT_FAILED, "%s", why) : 0;
}

static int emit(struct job *j, char **text) {
    const char *out = option_text(&j->options, opt_out);
    int settled = job_model_run(j) == 0;
    if (memory_is_out()) return job_no_memory(j); /* another method, or none, may have been chosen */
    if (!settled && !j->messages.json)
        message_note(&j->messages, "main() takes the default method: %s", j->sentence);
    j->sentence[0] = '\0';
    *text = keel_model_standalone(j->model, settled ? &j->keel : NULL);
    if (!*text && errno == ENOMEM) return job_no_memory(j);
    if (!*text) return job_fail(j, EXIT_FAILED, "the model is too large for one C file");
    if (out) {
        int status = write_file(j, out, *text);
        if (status == 0 && !j->messages.json)
            message_note(&j->messages,
                         "%s: try  cc -O2 -ffp-contract=off -fno-builtin -DKEEL_MODEL_MAIN %s -lkeel -lm",
                         out, out);
        return status;
    }
    if (!j->messages.json && (fputs(*text, stdout) < 0 || fflush(stdout)))
        return job_fail(j, EXIT_FAILED, "standard output cannot be written");
    return 0;
}

int emit_command(int count, char **argv) {
    static struct job j;
    char *text = NULL;
    int status = job_open(&j, COMMAND_EMIT, count, argv);
    if (status == 0 && option_given(&j.options, opt_help)) {
        command_help(command_find("emit"), stdout);
        job_close(&j);
        return EXIT_DONE;
    }
    if (status == 0) status = emit(&j, &text);
    if (j.messages.json) {
        struct json json = {0};
        const char *out = option_text(&j.options, opt_out);
        run_json_head(&json, "emit", status ? "failed" : "done", status, &j, j.sentence);
        if (status == 0) {
            json_object(&json, "files");
            if (out) json_text(&json, "out", out);
            json_end_object(&json);
            if (!out) json_text(&json, "text", text);
        }
        run_json_print(&json, stdout);
    }
    free(text);
    job_close(&j);
    return status;
}
