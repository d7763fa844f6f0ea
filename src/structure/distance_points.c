/* distance_points.c - the points of a model, by the names of its coordinates. */
#include "structure/distance_private.h"

#include "base/dictionary.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS, INDICES, WAYS };

/* Where a coordinate belongs: points have equal keys, components of one point different names. */
struct place {
    const char *base;
    size_t length;   /* of the stem: x of x1 */
    int rank, named; /* indices that count; the component goes by the stem, not by an index */
    int index[SYNTAX_INDICES];
    const char *ending; /* the digits of x1 */
    int point, component;
};

static struct place place_of(const struct model_label *label, int way) {
    struct place s = {.base = label->base, .length = strlen(label->base), .rank = label->rank};
    memcpy(s.index, label->index, sizeof s.index);
    s.ending = s.base + s.length;
    s.named = way == INDICES || s.rank == 0;
    if (!s.named) s.rank--;
    else if (label->rank == 0) {
        while (s.length > 1 && isdigit((unsigned char)s.base[s.length - 1])) s.length--;
        s.ending = s.base + s.length;
    }
    return s;
}

/* Equal for coordinates of one point.  Names have no blanks and no dots. */
static void point_key(const struct place *s, char *out, size_t capacity) {
    text_set(out, capacity, "%d %s %s", s->named, s->ending, s->named ? "" : s->base);
    for (int i = 0; i < s->rank; i++) text_add(out, capacity, ".%d", s->index[i]);
}

/* Points in the order of their first coordinates.  Components too, but those that go by names are in the
 * same order everywhere: y2, x2 after x1, y1 are (x2, y2). */
static int number_places(struct pool *pool, struct place *s, int n, int *size) {
    struct dictionary known = {.pool = pool}, stems = {.pool = pool};
    int points = 0;
    for (int k = 0; k < n; k++) {
        char key[400];
        point_key(&s[k], key, sizeof key);
        int *point = dictionary_at(&known, key);
        if (!point) return -1;
        if (*point < 0) *point = points++;
        s[k].point = *point;
        s[k].component = size[s[k].point]++;
        if (!s[k].named) continue;
        text_set(key, sizeof key, "%.*s", (int)s[k].length, s[k].base);
        int *component = dictionary_at(&stems, key);
        if (!component) return -1;
        if (*component < 0) *component = s[k].component;
        s[k].component = *component;
    }
    return points;
}

/* The points of a model in one of the ways: 1; 0: they do not fit; -1: memory. */
static int points_of(struct pool *pool, struct model *m, int way, struct distance_problem *p) {
    int n = m->coords, d = 0, good = 1, deep = 0;
    struct graph *g = &m->graph;
    struct place *s = pool_take(pool, ((size_t)n + 1) * sizeof *s);
    int *size = pool_take(pool, ((size_t)n + 1) * sizeof *size);
    expr *position = pool_take(pool, ((size_t)n + 1) * sizeof *position);
    expr *momentum = pool_take(pool, ((size_t)n + 1) * sizeof *momentum);
    if (pool->refused) return -1;
    for (int k = 0; k < n; k++) {
        const struct model_label *label = &m->unknown[m->coord[k]].label;
        s[k] = place_of(label, way);
        deep |= label->rank > 1;
    }
    int points = number_places(pool, s, n, size);
    if (points < 0) return -1;
    for (int i = 0; i < points; i++) d = i ? d : size[i], good &= size[i] == d;
    for (int k = 0; k < n && good; k++) {
        int at = s[k].point * d + s[k].component;
        uint32_t q = (uint32_t)m->coord[k];
        if (s[k].component >= d || position[at] != EXPR_NONE) return 0;
        position[at] = expr_symbol(g, EXPR_UNKNOWN, q, 0);
        momentum[at] = m->momenta ? expr_symbol(g, EXPR_UNKNOWN, (uint32_t)m->momentum[k], 0)
                                  : expr_symbol(g, EXPR_UNKNOWN, q, 1);
    }
    p->points = points;
    p->dimension = d;
    p->position = position;
    p->momentum = momentum;
    return good && points > 0 && !(way == INDICES && d == 1 && deep);
}

/* Nothing is recognised, by any way: the first coordinate that a function has. */
static int without_points(struct distance *d, struct distance_problem *p, const struct model *m) {
    static const expr none = EXPR_NONE;
    struct expr_list used;
    p->points = p->dimension = 0;
    p->position = p->momentum = &none;
    if (distance_find(d, p)) return -1;
    for (int k = 0; k < p->functions; k++) {
        if (expr_symbols(p->g, 1, &p->function[k], &used)) return -1;
        for (size_t i = 0; i < used.count && d->left[k] == EXPR_NONE; i++) {
            const struct expr_node *n = &p->g->node[used.item[i]];
            for (int c = 0; c < m->coords && n->a == EXPR_UNKNOWN; c++)
                if ((int)n->b == m->coord[c] || (m->momenta && (int)n->b == m->momentum[c]))
                    d->left[k] = used.item[i];
        }
        free(used.item);
        d->recognised -= d->left[k] != EXPR_NONE;
        if (d->left[k] != EXPR_NONE) d->function[k] = EXPR_NONE;
    }
    return 0;
}

static int functions_of(struct pool *pool, const struct model_mode *mode, struct distance_problem *p) {
    expr *function = pool_take(pool, ((size_t)mode->constraint.count + 2) * sizeof *function);
    if (!function) return 0;
    if (mode->function != EXPR_NONE) function[p->functions++] = mode->function;
    for (int i = 0; i < mode->constraint.count; i++)
        function[p->functions++] = mode->constraint.list[i].value;
    p->function = function;
    return 1;
}

/* Numbers q[i] are points on a line only if nothing but their differences occurs: any even function of them
 * depends on the distances from the origin. */
static int convincing(const struct distance *d, int way) {
    return way != INDICES || d->dimension > 1 || (d->recognised == d->functions && d->translations);
}

int distance_model(struct distance *d, struct model *m, int mode, enum expr_kind kind, uint32_t first,
                   int most) {
    struct pool pool = {0};
    struct distance_problem p = {.g = &m->graph, .kind = kind, .first = first, .most = most};
    int status = functions_of(&pool, &m->mode[mode], &p) ? 0 : -1, found = 0;
    *d = (struct distance){0};
    for (int way = 0; way < WAYS && status == 0; way++) {
        struct distance other;
        int fits = points_of(&pool, m, way, &p);
        if (fits < 0) status = -1;
        if (fits <= 0) continue;
        status = distance_find(&other, &p);
        if (status == 0 && ((found && other.recognised <= d->recognised) || !convincing(&other, way))) {
            distance_close(&other);
            continue;
        }
        distance_close(d);
        *d = other;
        found = 1;
        if (d->recognised == d->functions) break;
    }
    if (status == 0 && !found) status = without_points(d, &p, m);
    pool_release(&pool);
    return status;
}
