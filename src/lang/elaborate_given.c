/* elaborate_given.c - values given for symbols or outputs: init, guess, exact, reference, tolerances. */
#include "lang/elaborate_private.h"

#include "base/text.h"
#include "symbolic/derive_rules.h"

#include <stdlib.h>
#include <string.h>

enum { CHAIN_LIMIT = 10000 }; /* init values that follow from one another */

/* The number at place i of an array as written; NULL where it is not a plain number. */
static const char *digits_at(struct elaborate *e, const struct syntax_node *node, long i, long size) {
    while (node->kind == SYNTAX_ARRAY && node->count > 0) {
        long part = size / node->count;
        const struct syntax_node *p = node->parts;
        if (part == 0) return NULL;
        for (long k = i / part; k > 0 && p; k--) p = p->next;
        if (!p) return NULL;
        node = p, i %= part, size = part;
    }
    if (node->kind == SYNTAX_NUMBER) return node->text;
    if (node->kind == SYNTAX_UNARY && node->op == SYNTAX_NEG && node->parts->kind == SYNTAX_NUMBER)
        return elaborate_format(e, "-%s", node->parts->text);
    return NULL;
}

static int find_place(const struct model_givens *list, expr target, int output) {
    if (target != EXPR_NONE) return target < list->symbols ? list->place[target] - 1 : -1;
    for (int i = 0; i < list->count; i++)
        if (list->list[i].target == EXPR_NONE && list->list[i].output == output) return i;
    return -1;
}

static int remember(struct elaborate *e, struct model_givens *list, expr target) {
    if (target == EXPR_NONE) return 1;
    if (target >= list->symbols) {
        int *wider = elaborate_take(e, (size_t)e->graph->capacity * sizeof *wider);
        if (!wider) return 0;
        if (list->symbols) memcpy(wider, list->place, list->symbols * sizeof *wider);
        list->place = wider;
        list->symbols = e->graph->capacity;
    }
    list->place[target] = list->count + 1;
    return 1;
}

static int given_twice(struct elaborate *e, const struct model_givens *list, const struct model_given *one,
                       const char *first) {
    char name[160];
    int old = find_place(list, one->target, one->output);
    if (old < 0) return 0;
    if (one->target != EXPR_NONE) model_name(e->model, one->target, name, sizeof name);
    else text_set(name, sizeof name, "%s", e->model->mode[e->mode].output.list[one->output].label.text);
    source_hint(elaborate_error(e, one->where, "`%s` has a value already: %s %s.", name, first,
                                elaborate_line_of(e, list->list[old].where)),
                "Give one value only.");
    return 1;
}

static int not_an_unknown(struct elaborate *e, const struct syntax_node *target, const char *word) {
    const struct elaborate_name *name = elaborate_find(e, target->text);
    struct source_message *one;
    const char *line = name ? elaborate_line_of(e, name->where) : "";
    if (name && name->kind == ELABORATE_PARAMETER) {
        one = elaborate_error(e, target->span, "`%.40s` is a parameter (%s), not an unknown.", target->text,
                              line);
        source_hint(one, "Change its value there, or by  --set %.40s=...", target->text);
    } else if (name) {
        one =
            elaborate_error(e, target->span, "`%.40s` is a `let` (%s), not an unknown.", target->text, line);
        source_hint(one, "`%s` takes unknowns and their derivatives, and lambda.NAME.", word);
    } else elaborate_error(e, target->span, "`%.40s` takes unknowns, not `%.40s`.", word, target->text);
    return 0;
}

int elaborate_is_around(const struct syntax_use *outer, const struct syntax_use *inner) {
    size_t length = outer ? strlen(outer->instance) : 0;
    if (!outer || !inner) return !outer && inner;
    return strncmp(inner->instance, outer->instance, length) == 0 && inner->instance[length] == '.';
}

/* What a part gives stands behind what is around it, the model or another part: 1 if that settles it. */
static int part_gives_way(struct elaborate *e, struct model_givens *list, const struct model_given *one) {
    int old = find_place(list, one->target, one->output);
    if (list == &e->model->guess && one->use && find_place(&e->model->init, one->target, -1) >= 0) return 1;
    if (old < 0) return 0;
    int replaces = elaborate_is_around(one->use, list->list[old].use);
    if (!replaces) return elaborate_is_around(list->list[old].use, one->use);
    list->list[old] = *one;
    return 1;
}

static int add(struct elaborate *e, struct model_givens *list, struct model_given one) {
    if (part_gives_way(e, list, &one)) return 1;
    if (given_twice(e, list, &one, "first in")) return 0;
    if (!elaborate_grow(e, &list->list, list->count, &list->capacity, sizeof *list->list)) return 0;
    if (!remember(e, list, one.target)) return 0;
    list->list[list->count++] = one;
    return 1;
}

static int reserved_word(const char *text) {
    return strcmp(text, "t") == 0 || strcmp(text, "pi") == 0 || strcmp(text, "energy") == 0;
}

/* What is given a value: symbols, or with outputs allowed the numbers of outputs. */
static int targets(struct elaborate *e, const struct elaborate_line *line, const struct syntax_item *item,
                   struct elaborate_value *symbols, struct model_shape *shape, int **outputs) {
    const struct syntax_node *target = item->target;
    const struct elaborate_name *name = elaborate_find(e, target->text);
    const struct model_rows *rows = &e->model->mode[e->mode].output;
    const char *word = syntax_statement_word(line->s->kind);
    int with_outputs = line->s->kind == SYNTAX_EXACT || line->s->kind == SYNTAX_REFERENCE, listed = 0;
    *outputs = NULL;
    if (target->multiplier || (name && name->kind == ELABORATE_UNKNOWN)) {
        if (target->moment != SYNTAX_NOW) return not_an_unknown(e, target, word);
        if (!elaborate_reference(e, target, line->frame, symbols)) return 0;
        *shape = symbols->shape;
        return 1;
    }
    if (!expr_spend(e->graph, EXPR_COST_VISIT * (double)rows->count)) return elaborate_out_of_memory(e);
    for (int i = 0; i < rows->count; i++) listed |= strcmp(rows->list[i].label.base, target->text) == 0;
    if (with_outputs && listed && !target->primes)
        return elaborate_gather(e, target, line->frame, "output", &rows->list->label, rows->count,
                                sizeof *rows->list, shape, outputs);
    if (name || reserved_word(target->text)) return not_an_unknown(e, target, word);
    elaborate_unknown(e, target, line->frame);
    return 0;
}

static int closed_form(struct elaborate *e, const struct syntax_item *item, expr value) {
    struct expr_list list;
    expr other = EXPR_NONE;
    char name[120];
    if (expr_symbols(e->graph, 1, &value, &list)) return elaborate_out_of_memory(e);
    for (size_t i = 0; i < list.count; i++) {
        const struct expr_node n = e->graph->node[list.item[i]];
        int moves = n.a == EXPR_UNKNOWN || n.a == EXPR_MULTIPLIER;
        if (n.a == EXPR_HELD) moves = e->model->held[n.b].moment != SYNTAX_START;
        if (moves) other = list.item[i];
    }
    free(list.item);
    if (other == EXPR_NONE) return 1;
    model_name(e->model, other, name, sizeof name);
    source_hint(elaborate_error(e, item->value->span,
                                "a closed form depends on t, parameters and start values only, "
                                "and this one on `%s`.",
                                name),
                "The value of x at the start is x.start.");
    return 0;
}

static void given_item(struct elaborate *e, const struct elaborate_line *line, const struct syntax_item *item,
                       struct model_givens *list) {
    struct elaborate_value symbols = {0}, v;
    struct model_shape shape;
    int *outputs;
    if (!targets(e, line, item, &symbols, &shape, &outputs)) return;
    if (!elaborate_node(e, item->value, line->frame, &v)) return;
    if (v.shape.rank && !elaborate_same_extent(&v.shape, &shape)) {
        char left[80], right[80];
        elaborate_shape_text(&shape, left, sizeof left);
        elaborate_shape_text(&v.shape, right, sizeof right);
        source_hint(elaborate_error(e, item->value->span, "`%.40s` is %s, and its value is %s.",
                                    item->target->text, left, right),
                    "Give as many values as there are elements, or one number that fills them all.");
        return;
    }
    long size = shape.rank ? model_size(&shape) : 1;
    for (long i = 0; i < size; i++) {
        expr value = elaborate_scaled(e, item, elaborate_at(&v, i), 0);
        if (line->s->kind == SYNTAX_EXACT && !closed_form(e, item, value)) return;
        if (!add(e, list,
                 (struct model_given){.target = outputs ? EXPR_NONE : elaborate_at(&symbols, i),
                                      .output = outputs ? outputs[i] : -1,
                                      .value = value,
                                      .digits = item->unit ? NULL
                                                : v.shape.rank || !shape.rank
                                                    ? digits_at(e, item->value, i, size)
                                                    : digits_at(e, item->value, 0, 1),
                                      .use = item->use,
                                      .unit = item->unit,
                                      .where = item->span}))
            return;
    }
}

void elaborate_begin_at(struct elaborate *e, expr symbol, struct syntax_span where) {
    add(e, &e->model->init,
        (struct model_given){
            .target = symbol, .output = -1, .value = derive_zero(e->graph), .digits = "0", .where = where});
}

void elaborate_given(struct elaborate *e, const struct elaborate_line *line, struct model_givens *list) {
    for (const struct syntax_item *item = line->s->items; item; item = item->next)
        given_item(e, line, item, list);
}

/* Tolerances and sizes, of those who declare them. */
void elaborate_unknown_settings(struct elaborate *e, const struct elaborate_line *line) {
    struct model *m = e->model;
    for (const struct syntax_item *item = line->s->items; item; item = item->next)
        for (const struct syntax_item *one = item->settings; one; one = one->next) {
            struct model_givens *list = strcmp(one->name, "atol") == 0 ? &m->atol : &m->scale;
            int first = list->count;
            expr other;
            given_item(e, line, one, list);
            for (int i = first; i < list->count; i++) {
                if (elaborate_is_constant(e, list->list[i].value, 0, &other)) continue;
                source_hint(elaborate_error(e, one->value->span, "`%s` is a number, and this one changes.",
                                            one->name),
                            "Write an expression of parameters.");
                break;
            }
        }
}

void elaborate_reference_values(struct elaborate *e, const struct elaborate_line *line) {
    struct model *m = e->model;
    struct model_reference one = {.where = line->s->span};
    expr other;
    if (!elaborate_one(e, line->s->left, line->frame, "a time", &one.time)) return;
    if (!elaborate_is_constant(e, one.time, 0, &other)) {
        elaborate_error(e, line->s->left->span, "the time of a reference is an expression of parameters.");
        return;
    }
    elaborate_given(e, line, &one.values);
    for (int i = 0; i < one.values.count; i++)
        if (!elaborate_is_constant(e, one.values.list[i].value, 0, &other))
            elaborate_error(e, one.values.list[i].where,
                            "a reference value is a number, and this one changes.");
    if (!elaborate_grow(e, &m->reference, m->references, &m->reference_capacity, sizeof *m->reference))
        return;
    m->reference[m->references++] = one;
}

/* Init and guess as functions of parameters and t ---------------------------------------------------- */

struct resolution {
    struct elaborate *e;
    unsigned char *state[2]; /* of init and guess: 0, 1 under way, 2 done */
    int depth;
};

static struct model_given *find_given(const struct elaborate *e, expr target, int *which, int *place) {
    const struct model_givens *lists[2] = {&e->model->init, &e->model->guess};
    for (*which = 0; *which < 2; ++*which)
        if ((*place = find_place(lists[*which], target, -1)) >= 0) return &lists[*which]->list[*place];
    return NULL;
}

static int resolve(struct resolution *r, struct model_given *one, int which, int place);

/* What a symbol in a start value stands for; EXPR_NONE after a message. */
static expr replacement(struct resolution *r, const struct model_given *user, int user_is_guess,
                        expr symbol) {
    struct elaborate *e = r->e;
    const struct expr_node n = e->graph->node[symbol];
    int which, place;
    char name[120];
    if (n.a == EXPR_PARAMETER || n.a == EXPR_TIME) return symbol;
    expr wanted = n.a == EXPR_HELD ? e->model->held[n.b].of : symbol;
    if (e->graph->node[wanted].a == EXPR_TIME) return wanted;
    struct model_given *found = find_given(e, wanted, &which, &place);
    if (found && (which == 0 || user_is_guess))
        return resolve(r, found, which, place) ? found->value : EXPR_NONE;
    model_name(e->model, wanted, name, sizeof name);
    source_hint(
        elaborate_error(e, user->where, "this start value depends on `%s`, which has no `init`.", name),
        "Start values are expressions of parameters, the start time t and other `init` values.");
    return EXPR_NONE;
}

static int resolve(struct resolution *r, struct model_given *one, int which, int place) {
    struct elaborate *e = r->e;
    struct expr_list list;
    if (r->state[which][place] == 2) return 1;
    if (r->state[which][place] == 1 || r->depth > CHAIN_LIMIT) {
        elaborate_error(e, one->where, "this start value leads back to itself.");
        return 0;
    }
    r->state[which][place] = 1;
    if (expr_symbols(e->graph, 1, &one->value, &list)) return elaborate_out_of_memory(e);
    expr *to = malloc((list.count + 1) * sizeof *to);
    int good = to != NULL;
    r->depth++;
    for (size_t i = 0; i < list.count && good; i++)
        good = (to[i] = replacement(r, one, which, list.item[i])) != EXPR_NONE;
    r->depth--;
    expr value = one->value;
    if (good && expr_substitute(e->graph, 1, &value, list.count, list.item, to, &one->value))
        good = elaborate_out_of_memory(e);
    free(to);
    free(list.item);
    r->state[which][place] = 2;
    return good;
}

void elaborate_resolve(struct elaborate *e) {
    struct model *m = e->model;
    struct resolution r = {.e = e};
    for (int i = 0; i < m->guess.count; i++)
        if (given_twice(e, &m->init, &m->guess.list[i], "`init` in")) return;
    r.state[0] = elaborate_take(e, (size_t)m->init.count + 1);
    r.state[1] = elaborate_take(e, (size_t)m->guess.count + 1);
    if (!r.state[0] || !r.state[1]) return;
    for (int i = 0; i < m->init.count; i++) resolve(&r, &m->init.list[i], 0, i);
    for (int i = 0; i < m->guess.count; i++) resolve(&r, &m->guess.list[i], 1, i);
}
