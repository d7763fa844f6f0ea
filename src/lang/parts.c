/* parts.c - the statements of a model of parts, written out; see parts.h. */
#include "lang/parts_private.h"

#include "base/text.h"

#include <stdarg.h>
#include <string.h>

/* Helpers ------------------------------------------------------------------------------------------------ */

/* Each line of a part is met as often as the part is used: a mistake in it is told once. */
struct source_message *parts_error(struct parts *x, struct syntax_span span, const char *format, ...) {
    char sentence[320];
    va_list args;
    if (x->pool->refused || source_diagnosed_within(x->messages, span.offset, span.offset + span.length))
        return &x->messages->spare;
    va_start(args, format);
    text_vset(sentence, sizeof sentence, format, args);
    va_end(args);
    return source_diagnose(x->messages, SOURCE_ERROR, span.offset, span.length, "%s", sentence);
}

const char *parts_used(struct parts *x, const struct parts_scope *scope, char *out, size_t capacity) {
    char place[120];
    out[0] = '\0';
    if (!scope->use) return out;
    source_line(x->source, scope->use->where.offset, place, sizeof place);
    text_set(out, capacity, " (In `%.60s`, a `%.40s`, %s.)", scope->use->instance, scope->use->part, place);
    return out;
}

void *parts_take(struct parts *x, size_t bytes) {
    void *piece = pool_take(x->pool, bytes);
    if (piece) return piece;
    memset(&x->spare, 0, sizeof x->spare);
    return &x->spare;
}

const char *parts_join(struct parts *x, const char *a, const char *between, const char *b) {
    size_t one = strlen(a), two = strlen(between), three = strlen(b);
    char *text = pool_take(x->pool, one + two + three + 1);
    if (!text) return "";
    memcpy(text, a, one);
    memcpy(text + one, between, two);
    memcpy(text + one + two, b, three + 1);
    return text;
}

unsigned parts_hash(const char *text) {
    unsigned h = 2166136261u;
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 16777619u;
    return h % PARTS_BUCKETS;
}

const struct parts_instance *parts_instance(const struct parts *x, const char *name) {
    const struct parts_instance *one = x->bucket[parts_hash(name)];
    while (one && strcmp(one->name, name) != 0) one = one->chain;
    return one;
}

static int is_name(const char *name, const char *text, size_t length) {
    return name && strncmp(name, text, length) == 0 && name[length] == '\0';
}

int parts_declares(const struct syntax_statement *s, const char *name, size_t length,
                   enum parts_sight sight) {
    static const unsigned seen[] = {
        [PARTS_OWN] = 1u << SYNTAX_PARAM | 1u << SYNTAX_VAR | 1u << SYNTAX_COORD | 1u << SYNTAX_CANONICAL |
                      1u << SYNTAX_LET | 1u << SYNTAX_CONSTRAINT | 1u << SYNTAX_ROLLING |
                      1u << SYNTAX_INVARIANT | 1u << SYNTAX_OUTPUT | 1u << SYNTAX_USE | 1u << SYNTAX_NODE |
                      1u << SYNTAX_CONTACT,
        [PARTS_LIBRARY] = 1u << SYNTAX_PARAM | 1u << SYNTAX_LET | 1u << SYNTAX_USE | 1u << SYNTAX_NODE,
        [PARTS_MODEL] = 1u << SYNTAX_PARAM | 1u << SYNTAX_LET};
    for (; s; s = s->next) {
        if (sight == PARTS_OWN && (s->kind == SYNTAX_LAGRANGIAN || s->kind == SYNTAX_EVENT) &&
            is_name(s->name, name, length))
            return 1;
        if (s->kind == SYNTAX_TABLE && sight != PARTS_OWN && is_name(s->name, name, length)) return 1;
        if (s->kind == SYNTAX_MODE && sight == PARTS_OWN && strcspn(s->left->text, ".") == length &&
            strncmp(s->left->text, name, length) == 0)
            return 1;
        for (const struct syntax_item *item = s->items; item && (seen[sight] >> s->kind & 1);
             item = item->next)
            if (is_name(item->name, name, length) &&
                (sight != PARTS_MODEL || s->kind == SYNTAX_PARAM || item->parameters))
                return 1;
        int inner = s->kind == SYNTAX_FOR || (s->kind == SYNTAX_MODE && sight == PARTS_OWN);
        if (inner && parts_declares(s->body, name, length, sight)) return 1;
    }
    return 0;
}

int parts_has_table(const struct syntax_statement *part, const char *name) {
    const struct syntax_statement *s = part->body;
    while (s && !(s->kind == SYNTAX_TABLE && strcmp(s->name, name) == 0)) s = s->next;
    return s != NULL;
}

/* Statements --------------------------------------------------------------------------------------------- */

struct syntax_statement *parts_append(struct parts *x, const struct parts_scope *scope, parts_tail *out,
                                      const struct syntax_statement *s) {
    struct syntax_statement *copy = parts_take(x, sizeof *copy);
    *copy = *s;
    copy->use = scope->use;
    copy->next = NULL;
    if (x->pool->refused) return copy;
    **out = copy;
    *out = &copy->next;
    return copy;
}

/* Unknowns, nodes and functions of an instance in a loop stand before the loop, as arrays over its range. */
static parts_tail *place(struct parts *x, const struct parts_scope *scope, int whole, parts_tail *out) {
    return whole && scope->index.count && x->hoist ? x->hoist : out;
}

/* The index of a loop around the instance that stands in e; NULL: none. */
static const char *loop_in(const struct parts_scope *scope, const struct syntax_node *e) {
    const char *found = NULL;
    for (int i = 0; e && e->kind == SYNTAX_REF && i < scope->index.count; i++)
        if (strcmp(e->text, scope->index.node[i]->text) == 0) return e->text;
    for (const struct syntax_node *part = e ? e->parts : NULL; part && !found; part = part->next)
        found = loop_in(scope, part);
    return found;
}

/* What stands before the loop has one size for all values of its index. */
static void check_sizes(struct parts *x, const struct parts_scope *scope, const struct syntax_item *item) {
    for (const struct syntax_range *r = item->bounds; r; r = r->next) {
        const char *low = loop_in(scope, r->low), *index = low ? low : loop_in(scope, r->high);
        if (!index) continue;
        source_hint(
            parts_error(x, item->name_span,
                        "`%.60s` would have another size for each value of `%.40s`, and an array has one.",
                        item->name, index),
            "Parts in a loop are alike in size. Write a `use` of its own for each size.");
        return;
    }
}

/* One entry as a statement of its own; NULL without memory. */
static struct syntax_item *lone(struct parts *x, const struct parts_scope *scope,
                                const struct parts_local *local, const struct syntax_statement *s,
                                const struct syntax_item *item, int whole, parts_tail *out) {
    struct parts_scope bare = *scope;
    if (whole) bare.index.count = 0; /* the settings of an array are those of all its elements */
    struct syntax_item *copy = parts_copy_item(x, item->parameters ? scope : &bare, local, item);
    struct syntax_statement *one = parts_append(x, scope, place(x, scope, whole, out), s);
    if (x->pool->refused) return NULL;
    one->items = copy;
    one->left = one->right = NULL;
    copy->name = parts_name(x, scope, item->name);
    if (scope->part && !item->parameters) copy->bounds = parts_bounds(x, scope, whole, copy->bounds);
    if (whole && x->hoist && !item->parameters) check_sizes(x, scope, copy);
    return copy;
}

static void definitions(struct parts *x, const struct parts_scope *scope, const struct parts_local *local,
                        const struct syntax_statement *s, parts_tail *out) {
    if (x->in_mode && x->hoist) {
        source_hint(parts_error(x, s->span, "`let` cannot stand in a mode that a loop repeats."),
                    "Declare  var %s  and write  %s = ...  in each mode.", s->items ? s->items->name : "x",
                    s->items ? s->items->name : "x");
        return;
    }
    for (const struct syntax_item *item = s->items; item && !x->pool->refused; item = item->next) {
        int replaced = !scope->part && scope->library && s->kind == SYNTAX_PARAM &&
                       parts_declares(x->file->statements, item->name, strlen(item->name), PARTS_MODEL);
        if (!replaced) lone(x, scope, local, s, item, item->parameters != NULL, out);
    }
}

static void declarations(struct parts *x, const struct parts_scope *scope, const struct parts_local *local,
                         const struct syntax_statement *s, parts_tail *out) {
    struct syntax_item *first = NULL;
    for (const struct syntax_item *item = s->items; item && !x->pool->refused; item = item->next) {
        if (s->kind == SYNTAX_CANONICAL && first) { /* the second name belongs to the pair */
            struct parts_scope bare = *scope;
            bare.index.count = 0;
            first->next = parts_copy_item(x, &bare, local, item);
            first->next->name = parts_name(x, scope, item->name);
            if (scope->part) first->next->bounds = parts_bounds(x, scope, 1, first->next->bounds);
        } else first = lone(x, scope, local, s, item, 1, out);
    }
}

/* A node is the unknown NAME.v, or a potential that is given. */
static void nodes(struct parts *x, const struct parts_scope *scope, const struct parts_local *local,
                  const struct syntax_statement *s, parts_tail *out) {
    for (const struct syntax_item *item = s->items; item && !x->pool->refused; item = item->next) {
        struct syntax_statement kind = *s;
        if (item->value) kind.kind = SYNTAX_LET;
        struct syntax_item *copy = lone(x, scope, local, &kind, item, !item->value, out);
        if (copy) copy->name = parts_join(x, copy->name, ".", "v");
    }
}

static void flow(struct parts *x, const struct parts_scope *scope, const struct parts_local *local,
                 const struct syntax_statement *s, parts_tail *out) {
    struct syntax_statement *one = parts_append(x, scope, out, s);
    struct syntax_item *item = parts_take(x, sizeof *item);
    char used[240];
    if (x->pool->refused) return;
    *item = *s->items;
    item->use = scope->use;
    item->target = parts_copy_argument(x, scope, local, s->items->target);
    item->value = parts_copy(x, scope, local, s->items->value);
    if (x->pool->refused) return;
    one->items = item;
    const struct parts_instance *node = parts_instance(x, item->target->text);
    if (node && node->node && !item->target->primes) {
        item->target->text = parts_join(x, item->target->text, ".", "v");
        return;
    }
    source_hint(parts_error(x, item->target->span, "`%.60s` is no node.%s", s->items->target->text,
                            parts_used(x, scope, used, sizeof used)),
                "`flow` says what flows out of a node:  node a,  flow a: expr.");
}

static void table(struct parts *x, const struct parts_scope *scope, const struct syntax_statement *s,
                  parts_tail *out) {
    const struct parts_tables *old = x->tables;
    while (old && old->table != s) old = old->next;
    if (old) return;
    struct parts_tables *seen = parts_take(x, sizeof *seen);
    struct syntax_statement *one = parts_append(x, scope, x->hoist ? x->hoist : out, s);
    if (x->pool->refused) return;
    *seen = (struct parts_tables){s, x->tables};
    x->tables = seen;
    if (scope->part) one->name = parts_join(x, scope->part->name, ".", s->name);
}

/* All other statements: rows, start values, events. */
static void other(struct parts *x, const struct parts_scope *scope, const struct parts_local *local,
                  const struct syntax_statement *s, parts_tail *out) {
    static const unsigned named = 1u << SYNTAX_CONSTRAINT | 1u << SYNTAX_ROLLING | 1u << SYNTAX_INVARIANT |
                                  1u << SYNTAX_OUTPUT | 1u << SYNTAX_CONTACT;
    struct syntax_statement *one = parts_append(x, scope, out, s);
    if (x->pool->refused) return;
    struct syntax_item **items = &one->items;
    *items = NULL;
    for (const struct syntax_item *item = s->items; item && !x->pool->refused; item = item->next) {
        *items = parts_copy_item(x, scope, local, item);
        if (scope->part && (named >> s->kind & 1)) {
            (*items)->name = parts_name(x, scope, item->name);
            (*items)->bounds = parts_bounds(x, scope, 0, (*items)->bounds);
        }
        items = &(*items)->next;
    }
    one->left = parts_copy(x, scope, local, s->left);
    one->right = parts_copy(x, scope, local, s->right);
    if (!scope->part) return;
    one->name = s->kind == SYNTAX_LAGRANGIAN && scope->index.count ? NULL : parts_name(x, scope, s->name);
    struct syntax_range *bounds = NULL, **end = &bounds;
    for (const struct syntax_range *r = s->bounds; r && !x->pool->refused; r = r->next) {
        *end = parts_copy_range(x, scope, local, r);
        if (*end) end = &(*end)->next;
    }
    if (s->kind == SYNTAX_EVENT) one->bounds = parts_bounds(x, scope, 0, bounds);
}

/* Blocks ------------------------------------------------------------------------------------------------- */

static void loop(struct parts *x, const struct parts_scope *scope, const struct parts_local *local,
                 const struct syntax_statement *s, parts_tail *out) {
    struct syntax_statement *one = parts_take(x, sizeof *one);
    *one = *s;
    one->next = one->body = NULL;
    one->use = scope->use;
    struct syntax_range **range = &one->ranges;
    for (const struct syntax_range *r = s->ranges; r && !x->pool->refused; r = r->next) {
        struct parts_local *inner = parts_take(x, sizeof *inner);
        if (x->pool->refused) return;
        *range = parts_copy_range(x, scope, local, r);
        if (!*range) return;
        *inner = (struct parts_local){r->name, parts_name(x, scope, r->name), *range, local};
        (*range)->name = inner->flat;
        if (r->filter) (*range)->filter = parts_copy(x, scope, inner, r->filter);
        range = &(*range)->next;
        local = inner;
    }
    int outermost = x->hoist == NULL;
    parts_tail body = &one->body;
    if (outermost) x->hoist = out;
    parts_write(x, scope, local, s->body, &body);
    if (outermost) x->hoist = NULL;
    if (x->pool->refused) return;
    **out = one;
    *out = &one->next;
}

static void mode(struct parts *x, const struct parts_scope *scope, const struct parts_local *local,
                 const struct syntax_statement *s, parts_tail *out) {
    struct syntax_statement *one = parts_append(x, scope, out, s);
    parts_tail body = &one->body;
    if (x->pool->refused) return;
    one->body = NULL;
    one->left = parts_copy_argument(x, scope, local, s->left);
    x->in_mode = 1;
    parts_write(x, scope, local, s->body, &body);
    x->in_mode = 0;
}

/* The whole ---------------------------------------------------------------------------------------------- */

static void library(struct parts *x, const struct parts_scope *scope, const struct syntax_statement *s,
                    parts_tail *out) {
    struct parts_scope inner = *scope;
    inner.library = s;
    parts_write(x, &inner, NULL, s->body, out);
}

void parts_write(struct parts *x, const struct parts_scope *scope, const struct parts_local *local,
                 const struct syntax_statement *s, parts_tail *out) {
    for (; s && !x->pool->refused; s = s->next) switch (s->kind) {
        case SYNTAX_PART:
            break;
        case SYNTAX_LIBRARY:
            library(x, scope, s, out);
            break;
        case SYNTAX_USE:
            parts_use(x, scope, local, s, out);
            break;
        case SYNTAX_NODE:
            nodes(x, scope, local, s, out);
            break;
        case SYNTAX_FLOW:
            flow(x, scope, local, s, out);
            break;
        case SYNTAX_FOR:
            loop(x, scope, local, s, out);
            break;
        case SYNTAX_MODE:
            mode(x, scope, local, s, out);
            break;
        case SYNTAX_TABLE:
            table(x, scope, s, out);
            break;
        case SYNTAX_PARAM:
        case SYNTAX_LET:
            definitions(x, scope, local, s, out);
            break;
        case SYNTAX_VAR:
        case SYNTAX_COORD:
        case SYNTAX_CANONICAL:
            declarations(x, scope, local, s, out);
            break;
        default:
            other(x, scope, local, s, out);
            break;
        }
}

static int has_parts(const struct syntax_statement *s) {
    for (; s; s = s->next) switch (s->kind) {
        case SYNTAX_PART:
        case SYNTAX_USE:
        case SYNTAX_NODE:
        case SYNTAX_FLOW:
        case SYNTAX_LIBRARY:
            return 1;
        default:
            if (has_parts(s->body)) return 1;
        }
    return 0;
}

struct syntax_file *parts_expand(const struct source *s, struct syntax_file *file, struct source_messages *m,
                                 struct pool *pool) {
    int before = m->errors;
    if (!has_parts(file->statements)) return file;
    struct parts *x = pool_take(pool, sizeof *x);
    struct syntax_file *flat = pool_take(pool, sizeof *flat);
    if (x && flat) {
        *x = (struct parts){.source = s, .messages = m, .pool = pool, .file = file};
        struct parts_scope model = {0};
        parts_tail out = &flat->statements;
        parts_enter(x, &model, file->statements);
        parts_write(x, &model, NULL, file->statements, &out);
    }
    if (pool->refused) source_no_memory(m);
    source_sort(m);
    return m->errors == before ? flat : NULL;
}
