/* reproduce.c - see reproduce.h. */
#include "cli/papers/reproduce.h"

#include "base/text.h"
#include "cli/files/file.h"
#include "cli/papers/measure.h"
#include "cli/job/paper.h"
#include "cli/terminal/stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int add(struct reproduce *r, struct job *j, const char *source, char *text) {
    struct claims *wider = realloc(r->paper, (size_t)(r->papers + 1) * sizeof *wider);
    char why[JOB_SENTENCE];
    if (wider) r->paper = wider;
    if (!wider || !text) {
        free(text);
        return job_no_memory(j);
    }
    int bad = claims_read(&r->paper[r->papers++], source, text, why, sizeof why);
    return bad ? job_fail(j, EXIT_FAILED, "%s", why) : 0;
}

static int add_inside(struct reproduce *r, struct job *j, const struct paper_file *file) {
    size_t length;
    return add(r, j, file->name, paper_text(file, &length));
}

/* A file of claims, ended by a zero. */
static int add_file(struct reproduce *r, struct job *j, const char *path) {
    char why[JOB_SENTENCE];
    size_t count = 0;
    unsigned char *bytes = file_read(path, &count, why, sizeof why), *text;
    if (!bytes) return job_fail(j, EXIT_USAGE, "%s", why);
    text = realloc(bytes, count + 1);
    if (!text) {
        free(bytes);
        return job_no_memory(j);
    }
    text[count] = '\0';
    return add(r, j, path, (char *)text);
}

static int add_named(struct reproduce *r, struct job *j, const char *name) {
    char all[JOB_SENTENCE], near[JOB_WORD];
    const struct paper_file *file = paper_find(name, ".claims");
    size_t length = strlen(name);
    if (file) return add_inside(r, j, file);
    if (length > 7 && strcmp(name + length - 7, ".claims") == 0) return add_file(r, j, name);
    paper_names(".claims", all, sizeof all);
    if (option_nearest(all, name, near, sizeof near))
        return job_fail(j, EXIT_USAGE, "there is no paper `%.40s`; did you mean %s?", name, near);
    return job_fail(j, EXIT_USAGE,
                    "there is no paper `%.40s`: it is one of %s, or a file that ends in .claims", name, all);
}

static int check_item(struct reproduce *r, struct job *j) {
    const struct claims *c = &r->paper[0];
    char all[JOB_SENTENCE], near[JOB_WORD];
    for (int i = 0; i < c->items; i++)
        if (claims_item_has(c, i, r->item)) return 0;
    claims_names(c, all, sizeof all);
    if (option_nearest(all, r->item, near, sizeof near))
        return job_fail(j, EXIT_USAGE, "%s has no `%.40s`; did you mean %s?", c->name, r->item, near);
    return job_fail(j, EXIT_USAGE, "%s has no `%.40s`: it is one of %s", c->name, r->item, all);
}

int reproduce_open(struct reproduce *r, struct job *j) {
    const struct options *o = &j->options;
    size_t length;
    *r = (struct reproduce){.listed = option_given(o, opt_list)};
    r->full = r->listed || option_given(o, opt_full);
    if (o->operands > 2)
        return job_fail(j, EXIT_USAGE, "a paper and one of its items: `%.80s` is one too many",
                        o->operand[2]);
    const struct paper_file *verdicts = paper_find("recorded", ".verdicts");
    if (verdicts && !(r->recorded = paper_text(verdicts, &length))) return job_no_memory(j);
    if (o->operands == 0) {
        for (const struct paper_file *f = paper_table; f->name; f++) {
            const char *dot = strchr(f->name, '.');
            if (dot && strcmp(dot, ".claims") == 0 && add_inside(r, j, f)) return j->status;
        }
        return 0;
    }
    if (add_named(r, j, o->operand[0])) return j->status;
    r->item = o->operands == 2 ? o->operand[1] : NULL;
    return r->item ? check_item(r, j) : 0;
}

void reproduce_close(struct reproduce *r) {
    for (int i = 0; i < r->papers; i++) claims_close(&r->paper[i]);
    free(r->paper);
    free(r->recorded);
    *r = (struct reproduce){0};
}

int reproduce_wanted(const struct reproduce *r, const struct claims *c, int item) {
    if (r->item) return claims_item_has(c, item, r->item); /* who asks for a long one gets it */
    return r->full || !c->item[item].full;
}

/* Verdicts ---------------------------------------------------------------------------------------------- */

/* Than printed; signs do not count. */
static int is_smaller(const struct claims_line *line) {
    const struct printed *f = &line->printed;
    return fabs(line->value) < (f->kind == PRINTED_BOUNDS ? f->greatest : fabs(f->value));
}

/* Is the value that is said to be meant the measured one, in its digits or bounds? */
static int is_other(const struct claims_line *line) {
    const struct printed *f = &line->other_printed;
    enum printed_fit fit = printed_compare(f, line->value, line->size, line->taken);
    return fit <= PRINTED_ROUND_OFF || (fit == PRINTED_SAME_ORDER && f->kind == PRINTED_ABOUT);
}

static enum claims_verdict verdict_of(const struct claims_line *line) {
    static const enum claims_verdict as_printed[] = {CLAIMS_AGREES, CLAIMS_HOLDS, CLAIMS_ROUND_OFF,
                                                     CLAIMS_SAME_ORDER, CLAIMS_DIFFERS};
    if (isnan(line->value)) return CLAIMS_REFUSED;
    enum printed_fit fit = printed_compare(&line->printed, line->value, line->size, line->taken);
    int met = fit == PRINTED_AGREES || (fit == PRINTED_SAME_ORDER && line->printed.kind == PRINTED_ABOUT);
    if (met && line->kind != CLAIMS_PRINTED) return CLAIMS_HOLDS;
    if (fit == PRINTED_SAME_ORDER && line->kind != CLAIMS_PRINTED)
        fit = PRINTED_DIFFERS; /* it does not hold */
    if (fit >= PRINTED_ROUND_OFF && line->other && is_other(line) &&
        (line->other != CLAIMS_BETTER || is_smaller(line)))
        return (enum claims_verdict)line->other;
    return as_printed[fit];
}

/* "PAPER ITEM NUMBER VERDICT", one a line. */
int reproduce_recorded(const struct reproduce *r, const struct claims *c, const struct claims_line *line) {
    char begin[200];
    text_set(begin, sizeof begin, "%.60s %.60s %d ", c->name, c->item[line->item].name, line->number);
    size_t length = strlen(begin);
    for (const char *at = r->recorded; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        if (strncmp(at, begin, length) != 0) continue;
        for (int v = 0; v < CLAIMS_VERDICTS; v++) {
            size_t word = strlen(claims_verdict_word[v]);
            if (strncmp(at + length, claims_verdict_word[v], word) == 0 && strchr("\n", at[length + word]))
                return v;
        }
    }
    return -1;
}

/* The best four are equally good, and the next three: what is printed is known to be another thing. */
static int rank(int verdict) {
    return verdict <= CLAIMS_BETTER ? 0 : verdict <= CLAIMS_EXPLAINED ? 1 : verdict;
}

int reproduce_is_worse(const struct reproduce *r, const struct claims *c, const struct claims_line *line) {
    int recorded = reproduce_recorded(r, c, line);
    if (recorded < 0) recorded = CLAIMS_SAME_ORDER; /* what is not recorded must be no worse than that */
    return rank((int)line->verdict) > rank(recorded);
}

void reproduce_item(struct reproduce *r, struct claims *c, int item) {
    for (int k = 0; k < c->runs && !stop_asked(); k++)
        if (c->run[k].item == item) measure_run(c, k);
    measure_values(c, item);
    for (int k = 0; k < c->lines; k++) {
        struct claims_line *line = &c->line[k];
        if (line->item != item || line->kind == CLAIMS_LET) continue;
        line->verdict = verdict_of(line);
        r->lines++;
        r->count[line->verdict]++;
        r->worse += reproduce_is_worse(r, c, line);
    }
}
