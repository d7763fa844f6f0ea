/* parts_copy.c - expressions and entries of a part's lines under their names in the flat model. */
#include "lang/parts_private.h"

#include <string.h>

const char *parts_name(struct parts *x, const struct parts_scope *scope, const char *name) {
    return scope->part && name ? parts_join(x, scope->prefix, ".", name) : name;
}

struct syntax_range *parts_bounds(struct parts *x, const struct parts_scope *scope, int whole,
                                  struct syntax_range *more) {
    for (int i = scope->index.count - 1; i >= 0; i--) {
        struct syntax_range *r = parts_take(x, sizeof *r);
        if (x->pool->refused) return NULL;
        *r = (struct syntax_range){.span = scope->index.node[i]->span, .next = more};
        r->low = parts_take(x, sizeof *r->low);
        if (x->pool->refused) return NULL;
        *r->low = whole ? *scope->index.range[i]->low : *scope->index.node[i];
        r->low->next = NULL;
        r->high = whole ? scope->index.range[i]->high : NULL;
        more = r;
    }
    return more;
}

/* Names -------------------------------------------------------------------------------------------------- */

static struct syntax_node *copy_list(struct parts *x, const struct parts_scope *scope,
                                     const struct parts_local *local, const struct syntax_node *node) {
    struct syntax_node *first = NULL, **tail = &first;
    for (; node && !x->pool->refused; node = node->next) {
        *tail = parts_copy(x, scope, local, node);
        if (*tail) tail = &(*tail)->next;
    }
    return first;
}

/* Copies of indices that are flat already, before `more`. */
static struct syntax_node *before(struct parts *x, int count, const struct syntax_node *const *node,
                                  struct syntax_node *more) {
    for (int i = count - 1; i >= 0 && !x->pool->refused; i--) {
        struct syntax_node *copy = parts_take(x, sizeof *copy);
        *copy = *node[i];
        copy->next = more;
        more = copy;
    }
    return x->pool->refused ? NULL : more;
}

static void count_parts(struct syntax_node *e) {
    e->count = 0;
    for (const struct syntax_node *part = e->parts; part; part = part->next) e->count++;
}

static void take_indices(struct parts *x, const struct parts_scope *scope, struct syntax_node *e) {
    e->parts = before(x, scope->index.count, scope->index.node, e->parts);
    count_parts(e);
}

/* a.x where a is an argument that names another part: b.x, link.x[i] for link[i]. */
static void through_alias(struct parts *x, const struct syntax_node *alias, const char *rest,
                          struct syntax_node *e) {
    const struct syntax_node *index[SYNTAX_INDICES];
    int count = 0;
    e->text = parts_join(x, alias->text, "", rest);
    for (const struct syntax_node *i = alias->parts; i && count < SYNTAX_INDICES; i = i->next)
        index[count++] = i;
    e->parts = before(x, count, index, e->parts);
    count_parts(e);
}

static int is_word(const char *text) {
    return strcmp(text, "t") == 0 || strcmp(text, "pi") == 0 || strcmp(text, "energy") == 0;
}

static void report_part(struct parts *x, const struct parts_scope *scope, const struct syntax_node *node,
                        const char *name, int is_node) {
    char used[240];
    source_hint(parts_error(x, node->span, "`%.60s` is a %s, not a value.%s", name, is_node ? "node" : "part",
                            parts_used(x, scope, used, sizeof used)),
                is_node ? "Its potential is %.60s.v." : "Name one of its members:  %.60s.x.", name);
}

/* What a reference may name: a value; or a part or node, too; a mode. */
enum role { VALUE, ARGUMENT, MODE };

static void report_unknown(struct parts *x, const struct parts_scope *scope, const struct syntax_node *node,
                           enum role role) {
    if (role == MODE)
        source_hint(parts_error(x, node->span, "the part `%.40s` has no mode `%.60s`.", scope->part->name,
                                node->text),
                    "Write  mode %.60s:  among its lines.  A mode of another part is that of an argument.",
                    node->text);
    else
        source_hint(
            parts_error(x, node->span, "the part `%.40s` does not know `%.60s`.", scope->part->name,
                        node->text),
            "A part sees its arguments, what it declares, and the parameters and functions beside it: "
            "make it an argument.");
}

static int is_visible(const struct parts *x, const struct parts_scope *scope, const char *name,
                      size_t length) {
    if (scope->library && parts_declares(scope->library->body, name, length, PARTS_LIBRARY)) return 1;
    for (const struct syntax_statement *s = x->file->statements; s && !scope->library; s = s->next)
        if (s->kind == SYNTAX_LIBRARY && parts_declares(s->body, name, length, PARTS_LIBRARY)) return 1;
    return !scope->library && parts_declares(x->file->statements, name, length, PARTS_MODEL);
}

/* e, a copy with its indices copied, gets its flat name. */
static void resolve(struct parts *x, const struct parts_scope *scope, const struct parts_local *local,
                    struct syntax_node *e, enum role role) {
    size_t head = strcspn(e->text, ".");
    const char *rest = e->text + head;
    for (; local && !e->multiplier && !*rest; local = local->up)
        if (strcmp(local->name, e->text) == 0) {
            e->text = local->flat;
            return;
        }
    if (scope->part && (e->multiplier || !is_word(e->text))) {
        const struct parts_binding *b = scope->bindings;
        while (b && (strncmp(b->name, e->text, head) != 0 || b->name[head])) b = b->next;
        if (b && b->alias) through_alias(x, b->alias, rest, e);
        else if (b && b->value && x->in_range && !e->parts) {
            struct syntax_node *next = e->next;
            *e = *b->value;
            e->next = next;
            return;
        } else if (!b && !*rest && parts_has_table(scope->part, e->text))
            e->text = parts_join(x, scope->part->name, ".", e->text);
        else if (b || parts_declares(scope->part->body, e->text, head, PARTS_OWN)) {
            e->text = parts_join(x, scope->prefix, ".", e->text);
            take_indices(x, scope, e);
        } else if (!is_visible(x, scope, e->text, head)) {
            report_unknown(x, scope, e, role);
            return;
        }
    }
    const struct parts_instance *whole = role != VALUE || e->multiplier ? NULL : parts_instance(x, e->text);
    if (whole) report_part(x, scope, e, e->text, whole->node);
}

/* Trees -------------------------------------------------------------------------------------------------- */

/* Ranges of a sum: each sees the indices before it. */
static const struct parts_local *copy_ranges(struct parts *x, const struct parts_scope *scope,
                                             const struct parts_local *local, const struct syntax_range *r,
                                             struct syntax_range **out) {
    for (; r && !x->pool->refused; r = r->next) {
        struct parts_local *inner = parts_take(x, sizeof *inner);
        if (x->pool->refused) return local;
        *out = parts_copy_range(x, scope, local, r);
        if (!*out) return local;
        *inner = (struct parts_local){r->name, parts_name(x, scope, r->name), NULL, local};
        (*out)->name = inner->flat;
        if (r->filter) (*out)->filter = parts_copy(x, scope, inner, r->filter);
        out = &(*out)->next;
        local = inner;
    }
    return local;
}

static struct syntax_node *copy(struct parts *x, const struct parts_scope *scope,
                                const struct parts_local *local, const struct syntax_node *node,
                                enum role role) {
    if (!node) return NULL;
    struct syntax_node *e = parts_take(x, sizeof *e);
    *e = *node;
    e->next = e->parts = NULL;
    e->ranges = NULL;
    if (x->pool->refused) return e;
    const struct parts_local *inner = copy_ranges(x, scope, local, node->ranges, &e->ranges);
    e->parts = copy_list(x, scope, inner, node->parts);
    if (e->kind == SYNTAX_REF || (e->kind == SYNTAX_CALL && !e->builtin)) resolve(x, scope, local, e, role);
    return e;
}

struct syntax_node *parts_copy(struct parts *x, const struct parts_scope *scope,
                               const struct parts_local *local, const struct syntax_node *node) {
    return copy(x, scope, local, node, VALUE);
}

struct syntax_node *parts_copy_argument(struct parts *x, const struct parts_scope *scope,
                                        const struct parts_local *local, const struct syntax_node *node) {
    return copy(x, scope, local, node, ARGUMENT);
}

struct syntax_range *parts_copy_range(struct parts *x, const struct parts_scope *scope,
                                      const struct parts_local *local, const struct syntax_range *range) {
    struct syntax_range *r = parts_take(x, sizeof *r);
    *r = *range;
    r->next = NULL;
    x->in_range++;
    r->low = parts_copy(x, scope, local, range->low);
    r->high = parts_copy(x, scope, local, range->high);
    x->in_range--;
    r->filter = NULL;
    return x->pool->refused ? NULL : r;
}

static struct syntax_range *copy_bounds(struct parts *x, const struct parts_scope *scope,
                                        const struct parts_local *local, const struct syntax_range *r) {
    struct syntax_range *first = NULL, **tail = &first;
    for (; r && !x->pool->refused; r = r->next) {
        *tail = parts_copy_range(x, scope, local, r);
        if (*tail) tail = &(*tail)->next;
    }
    return first;
}

/* g(x): an instance in a loop has its indices as arguments before x. */
static const struct parts_local *copy_parameters(struct parts *x, const struct parts_scope *scope,
                                                 const struct parts_local *local,
                                                 const struct syntax_item *item, struct syntax_item *out) {
    struct syntax_node *first = NULL, **tail = &first;
    for (const struct syntax_node *p = item->parameters; p && !x->pool->refused; p = p->next) {
        struct parts_local *inner = parts_take(x, sizeof *inner);
        struct syntax_node *e = x->pool->refused ? NULL : parts_take(x, sizeof *e);
        if (x->pool->refused) return local;
        *inner = (struct parts_local){p->text, parts_name(x, scope, p->text), NULL, local};
        *e = *p;
        e->text = inner->flat;
        e->next = NULL;
        *tail = e;
        tail = &e->next;
        local = inner;
    }
    out->parameters = before(x, scope->index.count, scope->index.node, first);
    return local;
}

struct syntax_item *parts_copy_item(struct parts *x, const struct parts_scope *scope,
                                    const struct parts_local *local, const struct syntax_item *item) {
    struct syntax_item *out = parts_take(x, sizeof *out);
    const struct parts_local *inner = local;
    *out = *item;
    out->next = NULL;
    out->use = scope->use;
    if (x->pool->refused) return out;
    if (item->parameters) inner = copy_parameters(x, scope, local, item, out);
    out->bounds = copy_bounds(x, scope, local, item->bounds);
    out->target = copy(x, scope, local, item->target, item->action == SYNTAX_SWITCH ? MODE : VALUE);
    out->value = parts_copy(x, scope, inner, item->value);
    struct syntax_item **tail = &out->settings;
    *tail = NULL;
    for (const struct syntax_item *one = item->settings; one && !x->pool->refused; one = one->next) {
        *tail = parts_copy_item(x, scope, local, one);
        tail = &(*tail)->next;
    }
    return out;
}
