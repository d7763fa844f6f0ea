/* parts_use.c - `use`: which part, its arguments and indices, its lines under the name of the instance. */
#include "lang/parts_private.h"

#include "base/text.h"

#include <string.h>

/* The parts and nodes of a list, so that their order does not matter. */
void parts_enter(struct parts *x, const struct parts_scope *scope, const struct syntax_statement *s) {
    for (; s && !x->pool->refused; s = s->next) {
        if (s->kind == SYNTAX_FOR || s->kind == SYNTAX_LIBRARY) parts_enter(x, scope, s->body);
        if (s->kind != SYNTAX_USE && s->kind != SYNTAX_NODE) continue;
        for (const struct syntax_item *item = s->items; item; item = item->next) {
            const char *name = parts_name(x, scope, item->name);
            const struct parts_instance *old = parts_instance(x, name);
            if (old) {
                char place[120];
                source_line(x->source, old->where.offset, place, sizeof place);
                source_hint(
                    parts_error(x, item->name_span, "`%.60s` is declared twice, first in %s.", name, place),
                    "Give one of them another name.");
                continue;
            }
            struct parts_instance *one = parts_take(x, sizeof *one);
            if (x->pool->refused) return;
            *one = (struct parts_instance){name, s->kind == SYNTAX_NODE, item->name_span,
                                           x->bucket[parts_hash(name)]};
            x->bucket[parts_hash(name)] = one;
        }
    }
}

static const struct syntax_statement *find_part(const struct syntax_statement *s, const char *name,
                                                const struct syntax_statement **library) {
    for (; s; s = s->next) {
        if (s->kind == SYNTAX_PART && strcmp(s->name, name) == 0) return s;
        if (s->kind != SYNTAX_LIBRARY) continue;
        const struct syntax_statement *inner = find_part(s->body, name, library);
        if (!inner) continue;
        *library = s;
        return inner;
    }
    return NULL;
}

static void nearest_part(const struct syntax_statement *s, const char *name, int *least, const char **best) {
    for (; s; s = s->next) {
        int distance = s->kind == SYNTAX_PART ? text_distance(s->name, name) : 99;
        if (distance < *least) *least = distance, *best = s->name;
        if (s->kind == SYNTAX_LIBRARY) nearest_part(s->body, name, least, best);
    }
}

static void report_no_part(struct parts *x, const struct syntax_statement *s) {
    const char *best = NULL;
    int least = (int)strlen(s->name) / 4 + 2;
    nearest_part(x->file->statements, s->name, &least, &best);
    struct source_message *one = parts_error(x, s->name_span, "there is no part `%.40s`.", s->name);
    if (best) source_hint(one, "Did you mean `%.40s`?", best);
    else source_hint(one, "Write  part %.40s(arguments):  and its lines, or load its library.", s->name);
}

static int is_recursive(struct parts *x, const struct parts_scope *scope, const struct syntax_statement *part,
                        struct syntax_span where) {
    char chain[240];
    const struct parts_scope *up = scope;
    int depth = 0;
    text_set(chain, sizeof chain, "`%.40s`", part->name);
    for (; up && up->part; up = up->up) {
        if (++depth == PARTS_DEEPEST) {
            source_hint(
                parts_error(x, where, "parts lie within each other more than %d deep.", PARTS_DEEPEST),
                "Put several of them into one.");
            return 1;
        }
        char inner[240];
        text_set(inner, sizeof inner, "%s", chain);
        text_set(chain, sizeof chain, "`%.40s` uses %.190s", up->part->name, inner);
        if (up->part == part) break;
    }
    if (!up || !up->part) return 0;
    source_hint(parts_error(x, where, "a part cannot contain itself: %s.", chain),
                "An array of parts is  for i in 1..N: use %.40s name[i](...).", part->name);
    return 1;
}

static int names_local(const struct syntax_node *e, const struct parts_local *local) {
    if (!e) return 0;
    for (; e->kind == SYNTAX_REF && local; local = local->up)
        if (local->range && strcmp(local->flat, e->text) == 0) return 1;
    return 0;
}

/* link[i] in the loop of i: the loop's own index, and all loops around. */
static int loop_indices(struct parts *x, const struct parts_scope *scope, const struct parts_local *local,
                        const struct syntax_item *item, struct parts_indices *out) {
    *out = scope->index;
    for (const struct syntax_range *r = item->bounds; r; r = r->next) {
        const struct syntax_node *node = parts_copy(x, scope, local, r->low);
        const struct parts_local *of = local;
        while (of && !(of->range && node->kind == SYNTAX_REF && !node->parts && !node->primes &&
                       strcmp(of->flat, node->text) == 0))
            of = of->up;
        if (!of || out->count == SYNTAX_INDICES || x->pool->refused) {
            source_hint(parts_error(x, r->span, "the index of a part is that of the loop around it."),
                        "Write  for i in 1..N: use PART %.40s[i](...).", item->name);
            return 0;
        }
        if (of->range->filter || names_local(of->range->low, local) || names_local(of->range->high, local)) {
            source_hint(parts_error(x, of->range->span, "a loop over parts has one fixed range."),
                        "Leave the condition out, and let its ends depend on parameters alone.");
            return 0;
        }
        out->node[out->count] = node;
        out->range[out->count++] = of->range;
    }
    for (; local; local = local->up) {
        int found = local->range == NULL;
        for (int i = 0; i < out->count; i++) found |= out->range[i] == local->range;
        if (found) continue;
        source_hint(
            parts_error(x, item->name_span, "`%.40s` is used again for each value of the loop.", item->name),
            "Give it the index of the loop:  %.40s[%.20s].", item->name, local->name);
        return 0;
    }
    return 1;
}

/* The value for an argument: by its name, or by its place. */
static const struct syntax_item *actual(const struct syntax_item *instance, const struct syntax_item *formal,
                                        int at) {
    for (const struct syntax_item *one = instance->settings; one; one = one->next, at--)
        if (one->name ? strcmp(one->name, formal->name) == 0 : at == 0) return one;
    return NULL;
}

/* "Write  Rod(m, l, a)." */
static void list_formals(const struct syntax_statement *part, struct source_message *one) {
    char list[240] = "";
    for (const struct syntax_item *f = part->items; f; f = f->next)
        text_add(list, sizeof list, "%s%.40s", list[0] ? ", " : "", f->name);
    source_hint(one, "Its arguments are  %.40s(%.200s).", part->name, list);
}

static int arguments_fit(struct parts *x, const struct syntax_statement *part,
                         const struct syntax_item *instance) {
    int formals = 0, places = 0;
    for (const struct syntax_item *f = part->items; f; f = f->next) formals++;
    for (const struct syntax_item *one = instance->settings; one; one = one->next) {
        int place = 0, known = 0;
        for (const struct syntax_item *f = part->items; f && one->name; f = f->next, place++)
            if (strcmp(f->name, one->name) == 0) known = 1 + (place < places);
        if (one->name ? known == 1 : ++places <= formals) continue;
        struct source_message *say =
            !one->name ? parts_error(x, one->span, "`%.40s` takes %d argument%s.", part->name, formals,
                                     formals == 1 ? "" : "s")
            : known    ? parts_error(x, one->span, "the argument `%.40s` is given twice.", one->name)
                       : parts_error(x, one->span, "`%.40s` has no argument `%.40s`.", part->name, one->name);
        list_formals(part, say);
        return 0;
    }
    return 1;
}

static struct syntax_node *value_of(struct parts *x, const struct parts_scope *caller,
                                    const struct parts_local *local, const struct syntax_item *given,
                                    const struct parts_scope *scope, const struct syntax_item *formal) {
    return given ? parts_copy_argument(x, caller, local, given->value)
                 : parts_copy_argument(x, scope, NULL, formal->value);
}

/* An argument becomes a `let` of the instance, a parameter where it has a unit, or another name for a part or
 * node. */
static int bind(struct parts *x, const struct parts_scope *caller, const struct parts_local *local,
                const struct syntax_item *instance, struct parts_scope *scope,
                const struct syntax_item *formal, int at, parts_tail *out) {
    const struct syntax_item *given = actual(instance, formal, at);
    if (!given && !formal->value) {
        source_hint(parts_error(x, instance->name_span, "the argument `%.40s` of `%.40s` is missing.",
                                formal->name, scope->part->name),
                    "Write  %.40s(%.40s = ...).", instance->name, formal->name);
        return 0;
    }
    struct syntax_node *value = value_of(x, caller, local, given, scope, formal);
    struct parts_binding *b = parts_take(x, sizeof *b);
    if (x->pool->refused) return 0;
    *b = (struct parts_binding){.name = formal->name, .next = scope->bindings};
    int plain = value->kind == SYNTAX_REF && !value->primes && !value->moment && !value->multiplier;
    if (plain && parts_instance(x, value->text)) b->alias = value;
    scope->bindings = b;
    const struct syntax_unit *unit = given ? given->unit : formal->unit;
    if (b->alias && !unit) return 1;
    if (b->alias) {
        parts_error(x, unit->node->span, "`%.60s` is a part or node, and has no unit.", value->text);
        return 0;
    }
    x->in_range++;
    if (x->hoist && !unit) b->value = value_of(x, caller, local, given, scope, formal);
    x->in_range--;
    struct syntax_statement own = {.kind = unit ? SYNTAX_PARAM : SYNTAX_LET, .span = instance->span};
    struct syntax_statement *one = parts_append(x, scope, out, &own);
    struct syntax_item *item = parts_take(x, sizeof *item);
    if (x->pool->refused) return 0;
    *item = (struct syntax_item){.span = given ? given->span : formal->span, .use = scope->use, .unit = unit};
    item->name = parts_name(x, scope, formal->name);
    item->name_span = given ? given->span : formal->name_span;
    item->value = value;
    item->bounds = parts_bounds(x, scope, 0, NULL);
    one->items = item;
    return 1;
}

static void use_one(struct parts *x, const struct parts_scope *caller, const struct parts_local *local,
                    const struct syntax_statement *s, const struct syntax_item *item, parts_tail *out) {
    struct parts_scope scope = {.up = caller};
    struct syntax_use *use = parts_take(x, sizeof *use);
    scope.part = find_part(x->file->statements, s->name, &scope.library);
    if (!scope.part) {
        report_no_part(x, s);
        return;
    }
    if (is_recursive(x, caller, scope.part, s->name_span)) return;
    if (!loop_indices(x, caller, local, item, &scope.index) || !arguments_fit(x, scope.part, item)) return;
    scope.prefix = parts_name(x, caller, item->name);
    if (x->pool->refused) return;
    *use = (struct syntax_use){scope.prefix, scope.part->name, item->name_span};
    scope.use = use;
    int at = 0;
    for (const struct syntax_item *f = scope.part->items; f; f = f->next)
        if (!bind(x, caller, local, item, &scope, f, at++, out)) return;
    parts_enter(x, &scope, scope.part->body);
    parts_write(x, &scope, NULL, scope.part->body, out);
}

void parts_use(struct parts *x, const struct parts_scope *scope, const struct parts_local *local,
               const struct syntax_statement *s, parts_tail *out) {
    if (x->in_mode) {
        parts_error(x, s->span, "a part is used in all modes, not in one.");
        return;
    }
    for (const struct syntax_item *item = s->items; item && !x->pool->refused; item = item->next)
        use_one(x, scope, local, s, item, out);
}
