/* option.c - see option.h. */
#include "cli/job/option.h"

#include "base/text.h"
#include "cli/job/command.h"
#include "cli/terminal/memory.h"
#include "cli/job/stabilizer.h"

#include <stdlib.h>
#include <string.h>

static const struct option_row own_rows[] = {
#define OPTION_ROW(id, kind, source, argument, choices, commands, about) \
    {#id, argument, choices, about, OPTION_##kind, OPTION_##source, commands, NULL},
    OPTION_LIST(OPTION_ROW)
#undef OPTION_ROW
};

/* Which commands take a field: all that solve, but compare has its rows and converge its fixed steps. */
static unsigned commands_of(const keel_field *f) {
    if (!(f->traits & KEEL_FIELD_LINE)) return 0;
    if (f->offset == offsetof(keel_options, method) || f->offset == offsetof(keel_options, step))
        return COMMAND_RUN | COMMAND_CONVERGE | COMMAND_SWEEP | COMMAND_ANALYSE;
    if (f->offset == offsetof(keel_options, rtol) || f->offset == offsetof(keel_options, atol))
        return COMMAND_RUN | COMMAND_COMPARE | COMMAND_SWEEP | COMMAND_ANALYSE;
    return COMMAND_SOLVE;
}

struct option_row option_row(int id) {
    if (id >= OPTION_FIELDS) return own_rows[id - OPTION_FIELDS];
    const keel_field *f = keel_field_at(id);
    if (!f) return (struct option_row){.name = NULL};
    return (struct option_row){.name = f->typed ? f->typed : f->name,
                               .argument = f->argument,
                               .choices = f->choices,
                               .about = f->about,
                               .kind = f->type == KEEL_FIELD_FLAG     ? OPTION_FLAG
                                       : f->type == KEEL_FIELD_TEXT   ? OPTION_TEXT
                                       : f->type == KEEL_FIELD_CHOICE ? OPTION_CHOICE
                                                                      : OPTION_NUMBER,
                               .source = f->traits & KEEL_FIELD_MODEL ? OPTION_MODEL : OPTION_LINE,
                               .commands = commands_of(f),
                               .field = f};
}

int option_field(size_t offset) {
    const keel_field *f;
    int id = 0;
    while ((f = keel_field_at(id)) && f->offset != offset) id++;
    return id;
}

/* max_step is written max-step. */
static int same_name(const char *table, const char *given, size_t length) {
    if (strlen(table) != length) return 0;
    for (size_t i = 0; i < length; i++)
        if (table[i] != given[i] && !(table[i] == '_' && given[i] == '-')) return 0;
    return 1;
}

static void with_dashes(const char *name, char *out, size_t capacity) {
    text_set(out, capacity, "%s", name);
    for (char *at = out; *at; at++)
        if (*at == '_') *at = '-';
}

static int find(const char *name, size_t length, unsigned command) {
    for (int id = 0; id < OPTIONS; id++) {
        struct option_row row = option_row(id);
        if (row.commands & command && same_name(row.name, name, length)) return id;
    }
    return -1;
}

/* As the library names it: weights is norm there. */
static int find_told(const char *name, size_t length) {
    for (int id = 0; id < OPTION_FIELDS; id++) {
        struct option_row row = option_row(id);
        if (row.commands && same_name(row.field->name, name, length)) return id;
    }
    return find(name, length, COMMAND_ALL);
}

void option_told(const char *sentence, char *out, size_t capacity) {
    static const char before[] = "options.";
    out[0] = '\0';
    for (const char *at; (at = strstr(sentence, before));) {
        const char *name = at + strlen(before);
        size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz_");
        int id = find_told(name, length);
        char written[60] = "";
        if (id >= 0) option_name(id, written, sizeof written);
        text_add(out, capacity, id >= 0 ? "%.*s--%s" : "%.*soptions.%s", (int)(at - sentence), sentence,
                 written);
        sentence = id >= 0 ? name + length : name;
    }
    text_add(out, capacity, "%s", sentence);
}

/* "`keel run` and `keel converge`": whose option it is. */
static void owners(int id, char *out, size_t capacity) {
    const struct command *last = NULL;
    out[0] = '\0';
    for (const struct command *c = command_table; c->name; c++) {
        if (!(option_row(id).commands & c->bit)) continue;
        if (last) text_add(out, capacity, "%s`keel %s`", out[0] ? ", " : "", last->name);
        last = c;
    }
    if (last) text_add(out, capacity, "%s`keel %s`", out[0] ? " and " : "", last->name);
}

/* What an option of version 0.1 has become; NULL: it was none. */
static const char *renamed(const char *name) {
    static const struct { const char *before, *now; } row[] = {{"verify", "accuracy yes"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (strcmp(row[i].before, name) == 0) return row[i].now;
    return NULL;
}

static int unknown(const char *name, size_t length, unsigned command, const char *dashes, char *why,
                   size_t capacity) {
    char given[60], best[60] = "", whose[200];
    int least = TEXT_FAR, other = find(name, length, COMMAND_ALL);
    text_set(given, sizeof given, "%.*s", (int)(length < 50 ? length : 50), name);
    for (int id = 0; id < OPTIONS; id++) {
        char known[60];
        if (!(option_row(id).commands & command)) continue;
        option_name(id, known, sizeof known);
        int distance = text_slip(given, known);
        if (distance >= least) continue;
        least = distance;
        text_set(best, sizeof best, "%s", known);
    }
    text_set(why, capacity, "there is no option %s%s here", dashes, given);
    const char *now = renamed(given);
    if (now) text_add(why, capacity, "; since 0.2 it is %s%s", dashes, now);
    else if (best[0] && (other < 0 || least < 2))
        text_add(why, capacity, "; did you mean %s%s?", dashes, best);
    else if (other >= 0) {
        owners(other, whose, sizeof whose);
        if (whose[0]) text_add(why, capacity, ": it belongs to %s", whose);
    }
    return -1;
}

/* -q, -method: options are words behind two dashes. */
static int single_dash(const char *word, unsigned command, char *why, size_t capacity) {
    int found = -1, several = 0;
    for (int id = 0; id < OPTIONS; id++) {
        struct option_row row = option_row(id);
        if (!(row.commands & command)) continue;
        if (word[2] ? !same_name(row.name, word + 1, strlen(word + 1)) : row.name[0] != word[1]) continue;
        several = found >= 0;
        found = id;
    }
    text_set(why, capacity, "there is no option %.40s", word);
    if (found < 0 || several)
        text_add(why, capacity, ": options are words behind two dashes, and --help lists them");
    else {
        char name[60];
        option_name(found, name, sizeof name);
        text_add(why, capacity, "; did you mean --%s?", name);
    }
    return -1;
}

const char *option_choices(const struct option_row *row) {
    return row->choices && row->choices[0] == '\0' ? stabilizer_choices() : row->choices;
}

const char *option_nearest(const char *choices, const char *word, char *out, size_t capacity) {
    int least = TEXT_FAR;
    out[0] = '\0';
    for (const char *at = choices; *at; at += strcspn(at, "|"), at += *at == '|') {
        char one[40];
        text_set(one, sizeof one, "%.*s", (int)strcspn(at, "|"), at);
        int distance = text_slip(word, one);
        if (distance >= least) continue;
        least = distance;
        text_set(out, capacity, "%s", one);
    }
    return out[0] ? out : NULL;
}

int option_choice(const char *choices, const char *word) {
    size_t length = strlen(word);
    int place = 1;
    for (const char *at = choices; *at; at += strcspn(at, "|"), at += *at == '|', place++)
        if (strcspn(at, "|") == length && strncmp(at, word, length) == 0) return place;
    return 0;
}

/* What can be judged without the model. */
static int check(const struct option_row *row, const char *name, const char *text, char *why,
                 size_t capacity) {
    if (row->kind != OPTION_FLAG && row->kind != OPTION_CHOICE && *text == '\0') {
        char about[200];
        option_about(row, about, sizeof about);
        text_set(why, capacity, "%s needs a value, %s: %s", name, row->argument, about);
        return -1;
    }
    if (row->kind == OPTION_CHOICE && !option_choice(option_choices(row), text)) {
        char near[40];
        text_set(why, capacity, "%s cannot be `%.40s`", name, text);
        if (*text == '\0') text_set(why, capacity, "%s needs a value", name);
        if (option_nearest(option_choices(row), text, near, sizeof near))
            text_add(why, capacity, "; did you mean %s?", near);
        else text_add(why, capacity, ": it is one of %s", option_choices(row));
        return -1;
    }
    if (row->kind == OPTION_COUNT) {
        char *end;
        long value = strtol(text, &end, 10);
        if (*text == '\0' || *end || value < 1 || value > 100000000) {
            text_set(why, capacity, "%s needs a whole number from 1 on, not `%.40s`", name, text);
            return -1;
        }
    }
    return 0;
}

static int add(struct options *o, int id, const char *text, char *why, size_t capacity) {
    struct option_value *v = &o->value[id];
    if (v->count == v->capacity) {
        int wider = v->capacity ? 2 * v->capacity : 4;
        const char **list = realloc(v->text, (size_t)wider * sizeof *list);
        if (!list) return memory_out(), text_set(why, capacity, MEMORY_OUT), -1;
        v->text = list;
        v->capacity = wider;
    }
    v->text[v->count++] = text;
    return 0;
}

static int take(struct options *o, unsigned command, int count, char **argv, int *at, char *why,
                size_t capacity) {
    const char *word = argv[*at], *name = word + 2, *value = strchr(name, '=');
    size_t length = value ? (size_t)(value - name) : strlen(name);
    int id = find(name, length, command);
    char shown[64];
    if (id < 0) return unknown(name, length, command, "--", why, capacity);
    const struct option_row row = option_row(id);
    text_set(shown, sizeof shown, "--");
    with_dashes(row.name, shown + 2, sizeof shown - 2);
    if (row.kind == OPTION_FLAG) {
        if (value) return text_set(why, capacity, "%s takes no value", shown), -1;
        return add(o, id, "", why, capacity);
    }
    if (value) value++;
    else if (*at + 1 < count && strncmp(argv[*at + 1], "--", 2) != 0) value = argv[++*at];
    else return check(&row, shown, "", why, capacity);
    return check(&row, shown, value, why, capacity) ? -1 : add(o, id, value, why, capacity);
}

/* Behind a mistake: how it is to be told. */
static void look_ahead(struct options *o, unsigned command, int count, char **argv) {
    static const enum option_id id[] = {opt_json, opt_quiet};
    static const char *const word[] = {"--json", "--quiet"};
    char why[80];
    for (int i = 0; i < count && strcmp(argv[i], "--") != 0; i++)
        for (int k = 0; k < 2; k++)
            if (strcmp(argv[i], word[k]) == 0 && option_row(id[k]).commands & command)
                add(o, id[k], "", why, sizeof why);
}

int option_parse(struct options *o, unsigned command, int count, char **argv, char *why, size_t capacity) {
    *o = (struct options){0};
    o->operand = calloc((size_t)count + 1, sizeof *o->operand);
    if (!o->operand) return memory_out(), text_set(why, capacity, MEMORY_OUT), -1;
    for (int i = 0, plain = 0; i < count; i++) {
        const char *word = argv[i];
        if (!plain && strcmp(word, "--") == 0) plain = 1;
        else if (!plain && strcmp(word, "-h") == 0) add(o, opt_help, "", why, capacity);
        else if (!plain && word[0] == '-' && word[1] == '-') {
            if (take(o, command, count, argv, &i, why, capacity)) {
                look_ahead(o, command, count - i, argv + i);
                return -1;
            }
        } else if (!plain && word[0] == '-' && word[1]) {
            look_ahead(o, command, count - i, argv + i);
            return single_dash(word, command, why, capacity);
        } else o->operand[o->operands++] = word;
    }
    return 0;
}

int option_words(unsigned command, int count, char **argv, int (*keep)(const void *user, int id),
                 const void *user, char **out) {
    int kept = 0;
    for (int i = 0, plain = 0; i < count; i++) {
        int id = -1, words = 1;
        if (!plain && strcmp(argv[i], "--") == 0) plain = 1;
        else if (!plain && strncmp(argv[i], "--", 2) == 0) {
            size_t length = strcspn(argv[i] + 2, "=");
            id = find(argv[i] + 2, length, command);
            if (id >= 0 && option_row(id).kind != OPTION_FLAG && argv[i][2 + length] == '\0' && i + 1 < count)
                words = 2;
        }
        for (int k = 0; k < words && keep(user, id); k++) out[kept++] = argv[i + k];
        i += words - 1;
    }
    return kept;
}

static int not_of_model(const struct option_row *row, char *why, size_t capacity) {
    char name[60];
    with_dashes(row->name, name, sizeof name);
    text_set(why, capacity, "a model may not give `%s`; give it on the command line: --%s%s%s", row->name,
             name, row->argument ? " " : "", row->argument ? row->argument : "");
    return -1;
}

int option_of_model(struct options *o, unsigned command, const char *name, const char *value, char *why,
                    size_t capacity) {
    int id = find(name, strlen(name), COMMAND_SOLVE);
    if (id < 0) id = find(name, strlen(name), COMMAND_ALL); /* of no run: for the command line in any case */
    if (id < 0) return unknown(name, strlen(name), COMMAND_SOLVE, "", why, capacity);
    const struct option_row row = option_row(id);
    if (row.source == OPTION_LINE) return not_of_model(&row, why, capacity);
    if (row.kind == OPTION_FLAG) {
        if (strcmp(value, "1") != 0)
            return text_set(why, capacity, "the option `%s` is switched on by 1", name), -1;
        value = "";
    } else if (check(&row, name, value, why, capacity)) return -1;
    if (!(row.commands & command) || o->value[id].count) return 0;
    o->value[id].by_model = 1;
    return add(o, id, value, why, capacity);
}

int option_add(struct options *o, int id, const char *value, char *why, size_t capacity) {
    return add(o, id, value, why, capacity);
}

void option_release(struct options *o) {
    for (int id = 0; id < OPTIONS; id++) free(o->value[id].text);
    free(o->operand);
    *o = (struct options){0};
}

int option_of_numbers(int id) {
    static const enum option_id others[] = {opt_out,
                                            opt_events,
                                            opt_plot,
                                            opt_axes,
                                            opt_report,
                                            opt_checkpoint,
                                            opt_checkpoint_every,
                                            opt_resume,
                                            opt_retry_failed,
                                            opt_workers,
                                            opt_lanes,
                                            opt_device,
                                            opt_task,
                                            opt_accuracy,
                                            opt_force,
                                            opt_interpret,
                                            opt_json,
                                            opt_quiet,
                                            opt_color,
                                            opt_help};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if ((int)others[i] == id) return 0;
    return 1;
}

int option_given(const struct options *o, int id) {
    return o->value[id].count > 0;
}

const char *option_text(const struct options *o, int id) {
    const struct option_value *v = &o->value[id];
    return v->count ? v->text[v->count - 1] : NULL;
}

void option_name(int id, char *out, size_t capacity) {
    with_dashes(option_row(id).name, out, capacity);
}

void option_about(const struct option_row *row, char *out, size_t capacity) {
    const keel_method *m;
    out[0] = '\0';
    for (int i = 0; (m = keel_field_owner(row->field, i)); i++)
        text_add(out, capacity, "%s%s", out[0] ? ", " : "", m->name);
    text_add(out, capacity, "%s%s", out[0] ? ": " : "", row->about);
}

void option_help(FILE *out, unsigned command) {
    for (int id = 0; id < OPTIONS; id++) {
        const struct option_row row = option_row(id);
        char name[60], left[100], about[200];
        if (!(row.commands & command)) continue;
        with_dashes(row.name, name, sizeof name);
        text_set(left, sizeof left, "--%s%s%s", name, row.argument ? " " : "",
                 row.argument ? row.argument : "");
        option_about(&row, about, sizeof about);
        const char *choices = option_choices(&row);
        int wraps = choices && strlen(about) + strlen(choices) > 80;
        fprintf(out, "  %-26s %s%s", left, about, choices ? ":" : "");
        if (wraps) fprintf(out, "\n  %-26s", "");
        fprintf(out, "%s%s\n", choices ? " " : "", choices ? choices : "");
    }
}
