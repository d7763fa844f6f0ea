/* elaborate_mode.c - modes and their groups.
 *
 * A mode is written as NAME or GROUP.NAME; a part with modes makes a group of each of its instances.  Each
 * group is in one of its modes, so what holds at a time is a combination: one mode of every group.  With one
 * group all its modes are combinations, and all are elaborated; with more the first one is, and others as
 * they are asked for.  The lines of the modes that are left out then are surveyed: each once, beside the
 * first modes of the other groups, so that mistakes are told, and all multipliers and held values are known.
 */
#include "lang/elaborate_private.h"

#include "base/text.h"

#include <string.h>

int elaborate_in_force(const struct elaborate *e, int block) {
    if (block < 0) return 1;
    if (e->combination) return e->combination[e->model->block[block].group] == block;
    return block == e->block; /* loops are being written out */
}

int elaborate_group(const struct elaborate *e, int block) {
    const struct model *m = e->model;
    return block >= 0 ? m->block[block].group : m->groups == 1 ? 0 : -1;
}

/* The group of a mode: what stands before its last point, with its indices. */
static int group_of(struct elaborate *e, const struct model_label *label, struct syntax_span where) {
    struct model *m = e->model;
    const char *point = strrchr(label->base, '.');
    char text[320] = "";
    if (point) {
        text_set(text, sizeof text, "%.*s", (int)(point - label->base), label->base);
        for (int i = 0; i < label->rank; i++) text_add(text, sizeof text, "[%d]", label->index[i]);
    }
    for (int g = 0; g < m->groups; g++)
        if (strcmp(m->group[g].name, text) == 0) return g;
    if (!elaborate_grow(e, &m->group, m->groups, &m->group_capacity, sizeof *m->group)) return -1;
    const char *name = pool_copy(e->pool, text, strlen(text));
    if (!name) return elaborate_out_of_memory(e) - 1;
    m->group[m->groups] = (struct model_group){.name = name, .start = -1, .where = where};
    return m->groups++;
}

static int label_of(struct elaborate *e, const struct syntax_node *ref, const struct elaborate_frame *frame,
                    struct model_label *out) {
    int index[SYNTAX_INDICES] = {0};
    if (!elaborate_indices(e, ref, frame, index)) return 0;
    elaborate_label(e, ref->text, ref->count, index, out);
    return out->text != NULL;
}

static int find_block(const struct model *m, const struct model_label *label) {
    return elaborate_find_label(&m->block_index, m->block, sizeof *m->block, label);
}

/* A mode as it is met: its number, or -1 after a message. */
static int add_block(struct elaborate *e, const struct syntax_statement *s,
                     const struct elaborate_frame *frame) {
    struct model *m = e->model;
    struct model_block one = {.where = s->left->span};
    if (!label_of(e, s->left, frame, &one.label)) return -1;
    int old = find_block(m, &one.label);
    if (old >= 0) {
        source_hint(elaborate_error(e, s->left->span, "the mode `%.40s` is written twice, first in %s.",
                                    one.label.text, elaborate_line_of(e, m->block[old].where)),
                    "Put all its lines under one  mode %.40s:", one.label.text);
        return -1;
    }
    one.group = group_of(e, &one.label, one.where);
    if (one.group < 0 || !elaborate_grow(e, &m->block, m->blocks, &m->block_capacity, sizeof *m->block))
        return -1;
    m->block[m->blocks++] = one;
    return elaborate_enter_label(e, &m->block_index, m->block, sizeof *m->block, m->blocks) ? m->blocks - 1
                                                                                            : -1;
}

void elaborate_blocks(struct elaborate *e, const struct syntax_statement *s) {
    struct model *m = e->model;
    if (!elaborate_grow(e, &m->mode, 0, &m->mode_capacity, sizeof *m->mode)) return;
    for (; s && !e->stopped; s = s->next)
        if (s->kind == SYNTAX_MODE) {
            e->use = s->use;
            add_block(e, s, NULL);
        }
    e->use = NULL;
}

int elaborate_block(struct elaborate *e, const struct syntax_statement *s,
                    const struct elaborate_frame *frame) {
    const struct model *m = e->model;
    if (frame) return add_block(e, s, frame);
    for (int k = 0; k < m->blocks; k++)
        if (m->block[k].where.offset == s->left->span.offset &&
            strcmp(m->block[k].label.base, s->left->text) == 0)
            return k;
    return -1; /* it was written twice, which was said */
}

int elaborate_named_mode(struct elaborate *e, const struct syntax_node *ref,
                         const struct elaborate_frame *frame) {
    const struct model *m = e->model;
    struct model_label label;
    const char *near = NULL;
    if (!label_of(e, ref, frame, &label)) return -1;
    int found = find_block(m, &label), least = (int)strlen(label.text) / 4 + 2;
    if (found >= 0) return found;
    for (int k = 0; k < m->blocks; k++) {
        int distance = text_distance(m->block[k].label.text, label.text);
        if (distance < least) least = distance, near = m->block[k].label.text;
    }
    struct source_message *one = elaborate_error(e, ref->span, "there is no mode `%.40s`.", label.text);
    if (near) source_hint(one, "Did you mean `%.40s`?", near);
    else source_hint(one, "Write  mode %.40s:  with its equations below.", label.text);
    return -1;
}

/* Start -------------------------------------------------------------------------------------------------- */

/* Lines go before those of the parts that they stand around. */
static void take_start(struct elaborate *e, const struct elaborate_line *line) {
    struct model *m = e->model;
    for (const struct syntax_item *item = line->s->items; item; item = item->next) {
        int block = elaborate_named_mode(e, item->target, line->frame);
        if (block < 0) {
            e->misfit = 1;
            continue;
        }
        struct model_group *group = &m->group[m->block[block].group];
        const struct syntax_use *use = line->s->use;
        if (group->start >= 0 && elaborate_is_around(group->use, use)) continue;
        if (group->start >= 0 && !elaborate_is_around(use, group->use))
            source_hint(elaborate_error(e, item->span, "a second `start`: the first is in %s.",
                                        elaborate_line_of(e, group->where)),
                        "Remove one of them.");
        group->start = block, group->use = use, group->where = item->span;
    }
}

/* The modes of a combination, as people read them. */
static const char *name_of(struct elaborate *e, const int *combination) {
    const struct model *m = e->model;
    char text[640] = "";
    for (int g = 0; g < m->groups; g++)
        text_add(text, sizeof text, "%s%s", g ? ", " : "", m->block[combination[g]].label.text);
    return elaborate_format(e, "%s", text);
}

/* One more combination, the first with `block` in it; -1: the first itself.  0 without memory. */
static int add_mode(struct elaborate *e, const int *like, int block) {
    struct model *m = e->model;
    int *own = elaborate_take(e, ((size_t)m->groups + 1) * sizeof *own);
    if (!own || !elaborate_grow(e, &m->mode, m->modes, &m->mode_capacity, sizeof *m->mode)) return 0;
    for (int g = 0; g < m->groups; g++) own[g] = like ? like[g] : m->group[g].start;
    if (block >= 0) own[m->block[block].group] = block;
    m->mode[m->modes] = (struct model_mode){.combination = own};
    if (m->groups) m->mode[m->modes].name = name_of(e, own), m->mode[m->modes].where = m->block[own[0]].where;
    m->modes++;
    return m->mode[m->modes - 1].name || !m->groups;
}

void elaborate_start(struct elaborate *e) {
    struct model *m = e->model;
    int before = e->messages->errors;
    for (int i = 0; i < e->lines; i++)
        if (e->line[i].s->kind == SYNTAX_BEGIN) {
            e->use = e->line[i].s->use;
            take_start(e, &e->line[i]);
        }
    e->use = NULL;
    for (int g = 0; g < m->groups; g++) {
        if (m->group[g].start >= 0) continue;
        int first = 0;
        while (m->block[first].group != g) first++;
        m->group[g].start = first;
        if (e->messages->errors > before) continue;
        source_hint(
            m->groups == 1
                ? elaborate_error(e, m->block[first].where, "no line says in which mode the run starts.")
                : elaborate_error(e, m->block[first].where,
                                  "no line says in which mode of the group `%.60s` the run starts.",
                                  m->group[g].name),
            "Write  start %.40s", m->block[first].label.text);
    }
    int lone = m->groups == 1 && m->blocks > 1; /* one group: all its modes */
    for (int k = 0; k < (lone ? m->blocks : 1) && !e->stopped; k++)
        if (!add_mode(e, NULL, lone ? k : -1)) return;
    if (lone) m->start = m->group[0].start;
}

/* Passes ------------------------------------------------------------------------------------------------- */

void elaborate_enter_mode(struct elaborate *e, int mode) {
    e->mode = mode;
    e->combination = e->model->mode[mode].combination;
    e->stamp++;
}

/* Each mode that no combination has, in the place behind the last of these. */
void elaborate_survey(struct elaborate *e, elaborate_pass *pass) {
    struct model *m = e->model;
    if (m->groups < 2 || e->stopped) return;
    int modes = m->modes;
    for (int k = 0; k < m->blocks && !e->stopped; k++) {
        const struct model_mode *first = &m->mode[m->start];
        if (m->group[m->block[k].group].start == k || !add_mode(e, NULL, k)) continue;
        first = &m->mode[m->start]; /* the list may have moved */
        m->mode[modes].function = first->function;
        m->mode[modes].energy = first->energy;
        m->mode[modes].motion = first->motion;
        elaborate_enter_mode(e, modes);
        e->only = k;
        pass(e);
        e->only = -1;
        m->modes = modes;
    }
    if (!e->stopped) elaborate_enter_mode(e, m->start);
}

int elaborate_combination(struct model *m, const struct source *s, const int *combination,
                          struct source_messages *messages) {
    struct elaborate *e = m->names;
    int before = messages->errors;
    e->source = s;
    e->messages = messages;
    e->stopped = e->depth = 0;
    if (add_mode(e, combination, -1)) elaborate_one_mode(e, m->modes - 1);
    e->messages = NULL;
    return messages->errors == before && !e->stopped && !e->graph->failed;
}
