/* reproduce_show.c - printed and measured values as text and JSON. */
#include "base/text.h"
#include "cli/papers/measure.h"
#include "cli/papers/reproduce.h"
#include "cli/run/run_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void reproduce_text_paper(const struct claims *c, const struct job *j, FILE *out) {
    fprintf(out, "%s%s%s  %s\n", message_bold(j->messages.color_out), c->name,
            message_plain(j->messages.color_out), c->title);
}

/* "other names; figures" of an item. */
static void also_text(const struct claims *c, int item, char *out, size_t capacity) {
    const char *others = c->item[item].others;
    out[0] = '\0';
    for (; others && *others; others += strcspn(others, "/"), others += *others == '/')
        text_add(out, capacity, "%s%.*s", out[0] ? ", " : "also ", (int)strcspn(others, "/"), others);
    for (int k = 0, first = 1; k < c->draws; k++)
        if (c->draw[k].item == item)
            text_add(out, capacity, "%s%s", first ? (out[0] ? "; draws " : "draws ") : ", ", c->draw[k].name),
                first = 0;
}

void reproduce_text_names(const struct reproduce *r, const struct claims *c, FILE *out) {
    for (int i = 0; i < c->items; i++) {
        char also[JOB_SENTENCE];
        if (!reproduce_wanted(r, c, i)) continue;
        fprintf(out, "  %-12s %s%s\n", c->item[i].name, c->item[i].words,
                c->item[i].full ? " (with --full)" : "");
        also_text(c, i, also, sizeof also);
        if (also[0]) fprintf(out, "  %-12s %s\n", "", also);
    }
}

static void command_text(const struct claims_run *run, char *out, size_t capacity) {
    char model[JOB_WORD * 4];
    measure_model(run->model, model, sizeof model);
    text_set(out, capacity, "keel %s %s%s%s", run->converge ? "converge" : "run", model,
             run->options[0] ? " " : "", run->options);
}

static const char *source_word(enum claims_kind kind) {
    return kind == CLAIMS_WORDS ? "(words)" : "(keel)";
}

/* "{name}" is the size of that let with two digits, "{name:4}" with four. */
static void fill_in(const struct claims *c, const char *from, char *out, size_t capacity) {
    out[0] = '\0';
    while (*from) {
        size_t plain = strcspn(from, "{"), all = from[plain] ? strcspn(from + plain + 1, "}") : 0;
        text_add(out, capacity, "%.*s", (int)plain, from);
        from += plain;
        if (!*from) return;
        const struct claims_line *found = NULL;
        size_t name = strcspn(from + 1, ":}");
        int digits = from[1 + name] == ':' ? atoi(from + 2 + name) : 2;
        for (int k = 0; k < c->lines; k++)
            if (c->line[k].kind == CLAIMS_LET && strlen(c->line[k].name) == name &&
                strncmp(c->line[k].name, from + 1, name) == 0)
                found = &c->line[k];
        if (found && found->tried && !isnan(found->value))
            text_add(out, capacity, "%.*g", digits, fabs(found->value));
        else text_add(out, capacity, "(not measured)");
        from += all + 1 + (from[all + 1] == '}');
    }
}

/* Why a line has its verdict, and what else is to be known. */
static void reason(const struct claims *c, const struct claims_line *line, char *out, size_t capacity) {
    char words[JOB_SENTENCE] = "";
    int other = line->verdict >= CLAIMS_BETTER && line->verdict <= CLAIMS_EXPLAINED;
    out[0] = '\0';
    if (line->verdict == CLAIMS_REFUSED) text_set(out, capacity, "%s", line->said);
    if (line->verdict == CLAIMS_MISPRINT) text_set(out, capacity, "misprint of %s: ", line->other_text);
    if (other) fill_in(c, line->other_words, words, sizeof words);
    text_add(out, capacity, "%s", words);
    if (!line->note) return;
    fill_in(c, line->note, words, sizeof words);
    text_add(out, capacity, "%s%s", out[0] ? "; " : "", words);
}

static void line_text(const struct reproduce *r, const struct claims *c, const struct claims_line *line,
                      int color, FILE *out) {
    char measured[40] = "-", words[JOB_SENTENCE], why[2 * JOB_SENTENCE];
    int worse = reproduce_is_worse(r, c, line), good = line->verdict <= CLAIMS_EXPLAINED;
    if (!isnan(line->value)) text_set(measured, sizeof measured, "%.4g", line->value);
    fill_in(c, line->words, words, sizeof words);
    reason(c, line, why, sizeof why);
    fprintf(out, "    %-10s %-11s %s%-12s%s  %s%s%s",
            line->kind == CLAIMS_PRINTED ? line->printed_text : source_word(line->kind), measured,
            worse  ? message_red(color)
            : good ? message_green(color)
                   : "",
            claims_verdict_word[line->verdict], message_plain(color), words, why[0] ? ": " : "", why);
    if (worse) {
        int recorded = reproduce_recorded(r, c, line);
        fprintf(out, "; recorded: %s", recorded < 0 ? "nothing" : claims_verdict_word[recorded]);
    }
    fputc('\n', out);
}

void reproduce_text_item(const struct reproduce *r, const struct claims *c, int item, const struct job *j,
                         FILE *out) {
    int color = j->messages.color_out, run = -1;
    fprintf(out, "\n%s%s %s%s  %s\n", message_bold(color), c->name, c->item[item].name, message_plain(color),
            c->item[item].words);
    for (int k = 0; k < c->lines; k++) {
        const struct claims_line *line = &c->line[k];
        char command[JOB_SENTENCE];
        if (line->item != item) continue;
        if (line->run != run && line->measure != CLAIMS_VALUE) {
            run = line->run;
            command_text(&c->run[run], command, sizeof command);
            fprintf(out, "  %s%s%s\n", c->run[run].words, c->run[run].words[0] ? ":  " : "", command);
        }
        if (line->kind != CLAIMS_LET) line_text(r, c, line, color, out);
    }
}

void reproduce_text_end(const struct reproduce *r, const struct job *j, FILE *out) {
    int color = j->messages.color_out;
    fprintf(out, "\n%d lines:", r->lines);
    for (int v = 0, first = 1; v < CLAIMS_VERDICTS; v++)
        if (r->count[v])
            fprintf(out, "%s %d %s", first ? "" : ",", r->count[v], claims_verdict_word[v]), first = 0;
    if (r->worse)
        fprintf(out, "; %s%d worse than recorded%s\n", message_red(color), r->worse, message_plain(color));
    else fprintf(out, "; none is worse than recorded\n");
}

/* JSON -------------------------------------------------------------------------------------------------- */

static void line_json(const struct reproduce *r, const struct claims *c, const struct claims_line *line,
                      struct json *json) {
    static const char *const source[] = {"printed", "words", "keel"};
    const struct claims_run *run =
        line->run >= 0 && line->measure != CLAIMS_VALUE ? &c->run[line->run] : NULL;
    char text[2 * JOB_SENTENCE] = "", words[JOB_SENTENCE];
    json_object(json, NULL);
    json_text(json, "paper", c->name);
    json_text(json, "item", c->item[line->item].name);
    json_integer(json, "number", line->number);
    fill_in(c, line->words, words, sizeof words);
    text_set(text, sizeof text, "%s%s%s", run ? run->words : "", run && run->words[0] ? ": " : "", words);
    json_text(json, "entry", text);
    json_text(json, "source", source[line->kind]);
    json_text(json, "printed", line->kind == CLAIMS_PRINTED ? line->printed_text : NULL);
    json_number(json, "measured", line->value);
    json_text(json, "verdict", claims_verdict_word[line->verdict]);
    reason(c, line, text, sizeof text);
    json_text(json, "note", text);
    json_truth(json, "expected", !reproduce_is_worse(r, c, line));
    text[0] = '\0';
    if (run) command_text(run, text, sizeof text);
    json_text(json, "run", run ? text : NULL);
    json_end_object(json);
}

static void paper_json(const struct reproduce *r, const struct claims *c, struct json *json) {
    static char text[4096];
    json_object(json, NULL);
    json_text(json, "name", c->name);
    json_text(json, "title", c->title);
    json_array(json, "texts");
    for (int i = 0; i < c->proses; i++) {
        json_object(json, NULL);
        json_text(json, "word", c->prose[i].word);
        fill_in(c, c->prose[i].sentences, text, sizeof text);
        json_text(json, "text", text);
        json_end_object(json);
    }
    json_end_array(json);
    json_array(json, "items");
    for (int i = 0; i < c->items; i++) {
        if (!reproduce_wanted(r, c, i)) continue;
        json_object(json, NULL);
        json_text(json, "name", c->item[i].name);
        json_text(json, "about", c->item[i].words);
        json_array(json, "figures");
        for (int k = 0; k < c->draws; k++)
            if (c->draw[k].item == i) json_text(json, NULL, c->draw[k].name);
        json_end_array(json);
        json_end_object(json);
    }
    json_end_array(json);
    json_end_object(json);
}

void reproduce_json(const struct reproduce *r, const struct job *j, const char *status, int exit_status,
                    FILE *out) {
    struct json json = {0};
    run_json_head(&json, "reproduce", status, exit_status, j, j->sentence);
    if (r->lines || r->listed) {
        json_array(&json, "papers");
        for (int p = 0; p < r->papers; p++) paper_json(r, &r->paper[p], &json);
        json_end_array(&json);
        json_array(&json, "rows");
        for (int p = 0; p < r->papers; p++)
            for (int k = 0; k < r->paper[p].lines; k++) {
                const struct claims_line *line = &r->paper[p].line[k];
                if (line->tried && line->kind != CLAIMS_LET) line_json(r, &r->paper[p], line, &json);
            }
        json_end_array(&json);
    }
    run_json_print(&json, out);
}
