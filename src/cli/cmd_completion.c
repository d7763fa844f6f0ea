/* cmd_completion.c - keel completion SHELL: a script made of the tables of commands and options.
 *
 * Both shells get the same function of words: what may stand behind a command, and behind an option. */
#include "base/text.h"
#include "cli/papers/claims.h"
#include "cli/job/command.h"
#include "cli/job/job.h"
#include "cli/job/paper.h"
#include "cli/schema.h"

#include <string.h>

static void put_commands(FILE *out) {
    for (const struct command *c = command_table; c->name; c++)
        fprintf(out, "%s%s", c == command_table ? "" : " ", c->name);
}

/* The words of a "|"-list. */
static void put_choices(FILE *out, const char *choices) {
    for (; *choices; choices++) fputc(*choices == '|' ? ' ' : *choices, out);
}

static void put_methods(FILE *out) {
    const keel_method *m;
    for (int i = 0; (m = keel_method_at(i)); i++) fprintf(out, "%s%s", i ? " " : "", m->name);
}

static void put_schemas(FILE *out) {
    for (const struct schema *s = schema_table; s->name; s++)
        fprintf(out, "%s%s", s == schema_table ? "" : " ", s->name);
}

/* What an option's value can be: words or files; nothing for numbers and texts. */
static void put_values(FILE *out) {
    for (int id = 0; id < OPTIONS; id++) {
        const struct option_row row = option_row(id);
        char name[60];
        if (!row.commands || row.kind == OPTION_FLAG) continue;
        option_name(id, name, sizeof name);
        fprintf(out, "    --%s) ", name);
        if (row.kind == OPTION_FILE) fputs("keel_files=any ;;\n", out);
        else {
            fputs("keel_words='", out);
            if (row.kind == OPTION_CHOICE) put_choices(out, option_choices(&row));
            if (id == OPTION_OF(method)) fputs("auto ", out);
            if (id == OPTION_OF(method) || id == opt_methods) put_methods(out);
            fputs("' ;;\n", out);
        }
    }
}

/* What the claims of a paper name: items and figures. */
static void put_items(FILE *out, const struct paper_file *file) {
    struct claims claims = {0};
    char names[JOB_SENTENCE] = "", why[JOB_SENTENCE];
    size_t length;
    char *text = paper_text(file, &length);
    if (text && claims_read(&claims, file->name, text, why, sizeof why) == 0)
        claims_names(&claims, names, sizeof names);
    claims_close(&claims);
    put_choices(out, names);
}

/* Papers, and behind a paper its items. */
static void put_papers(FILE *out) {
    char names[JOB_SENTENCE];
    paper_names(".claims", names, sizeof names);
    fputs("keel_words='", out);
    put_choices(out, names);
    fputs("'; case \"$2\" in ", out);
    for (const struct paper_file *f = paper_table; f->name; f++) {
        const char *dot = strchr(f->name, '.');
        if (!dot || strcmp(dot, ".claims") != 0) continue;
        fprintf(out, "%.*s) keel_words='", (int)(dot - f->name), f->name);
        put_items(out, f);
        fputs("' ;; ", out);
    }
    fputs("esac", out);
}

/* What stands behind a command. */
static void put_operands(FILE *out) {
    for (const struct command *c = command_table; c->name; c++) {
        fprintf(out, "    %s) ", c->name);
        if (strcmp(c->operands, "MODEL") == 0) fputs("keel_files=keel", out);
        else if (strncmp(c->operands, "FILE", 4) == 0) fputs("keel_files=any", out);
        else if (c->bit == COMMAND_REPRODUCE) put_papers(out);
        else {
            fputs("keel_words='", out);
            if (c->bit == COMMAND_HELP) put_commands(out), fputs(" language", out);
            if (c->bit == COMMAND_SCHEMA) put_schemas(out);
            if (c->bit == COMMAND_METHODS) put_methods(out);
            if (c->bit == COMMAND_COMPLETION) fputs("bash zsh", out);
            fputs("'", out);
        }
        fputs("; keel_options='", out);
        for (int id = 0; id < OPTIONS; id++) {
            char name[60];
            if (!(option_row(id).commands & c->bit)) continue;
            option_name(id, name, sizeof name);
            fprintf(out, "--%s ", name);
        }
        fputs("' ;;\n", out);
    }
}

/* keel_words, keel_options and keel_files (keel, any or nothing) for a command and the word before the
 * cursor. */
static void put_table(FILE *out) {
    fputs("_keel_table() {\n  keel_words='' keel_options='' keel_files=''\n"
          "  if [ \"$2\" = keel ]; then keel_words='",
          out);
    put_commands(out);
    fputs("'; keel_options='--help --version'; return; fi\n  case \"$2\" in\n", out);
    put_values(out);
    fputs("    *) case \"$1\" in\n", out);
    put_operands(out);
    fputs("    esac ;;\n  esac\n}\n", out);
}

static const char bash_part[] =
    "_keel() {\n"
    "  local keel_words keel_options keel_files one\n"
    "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
    "  if [ \"$current\" = = ]; then current=; fi\n"
    "  if [ \"$before\" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
    "  if [ \"$COMP_CWORD\" -eq 1 ]; then before=keel; elif [ \"$before\" = keel ]; then before=; fi\n"
    "  _keel_table \"${COMP_WORDS[1]}\" \"$before\"\n"
    "  case \"$current\" in -*) keel_words=$keel_options keel_files= ;; esac\n"
    "  COMPREPLY=($(compgen -W \"$keel_words\" -- \"$current\"))\n"
    "  if [ \"$keel_files\" = any ]; then\n"
    "    while IFS= read -r one; do COMPREPLY+=(\"$one\"); done < <(compgen -f -- \"$current\")\n"
    "  elif [ \"$keel_files\" = keel ]; then\n"
    "    while IFS= read -r one; do COMPREPLY+=(\"$one\"); done < <(compgen -f -X '!*.keel' -- "
    "\"$current\")\n"
    "    while IFS= read -r one; do COMPREPLY+=(\"$one\"); done < <(compgen -d -- \"$current\")\n"
    "  fi\n"
    "  if [ \"$keel_files\" ]; then compopt -o filenames 2>/dev/null; fi\n"
    "}\n"
    "complete -F _keel keel\n";

static const char zsh_part[] =
    "_keel() {\n"
    "  local keel_words keel_options keel_files before=${words[CURRENT-1]}\n"
    "  if (( CURRENT == 2 )); then before=keel; elif [[ $before == keel ]]; then before=; fi\n"
    "  _keel_table \"${words[2]}\" \"$before\"\n"
    "  if [[ ${words[CURRENT]} == -* ]]; then compadd -- ${=keel_options}; return; fi\n"
    "  if [[ -n $keel_words ]]; then compadd -- ${=keel_words}; fi\n"
    "  if [[ $keel_files == any ]]; then _files; fi\n"
    "  if [[ $keel_files == keel ]]; then _files -g '*.keel'; fi\n"
    "}\n"
    "compdef _keel keel\n";

static int print(struct job *j) {
    int bash = strcmp(j->file, "bash") == 0;
    if (!bash && strcmp(j->file, "zsh") != 0)
        return job_fail(j, EXIT_USAGE, "there is no completion for `%.40s`: it is one of bash|zsh", j->file);
    put_table(stdout);
    fputs(bash ? bash_part : zsh_part, stdout);
    return EXIT_DONE;
}

int completion_command(int count, char **argv) {
    static struct job j;
    int status =
        job_open_word(&j, COMMAND_COMPLETION, count, argv, "for which shell?  `keel completion bash` or zsh");
    if (status == 0 && option_given(&j.options, opt_help)) command_help(command_find("completion"), stdout);
    else if (status == 0) status = print(&j);
    job_close(&j);
    return status;
}
