/* parser_check.c - what needs the names of the whole model: calls of what is no function, dx/dt; and truth
 * values where numbers are due, or the other way round.  One message a statement. */
#include "lang/parser_private.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* A name the model declares; parameters < 0: not a function.  A `let` may name a condition; in two parts one
 * name may stand for either. */
enum truth { NUMBER = 1, CONDITION = 2 };
struct declared {
    const char *name;
    int parameters;
    const struct syntax_node *value; /* of a `let` */
    unsigned truth;                  /* what it stands for, one of its definitions at least */
    int is_table;
};

struct check {
    struct parser *p;
    struct declared *names; /* sorted */
    size_t count;
    int said; /* in this statement */
};

static struct source_message *wrong(struct check *c, struct syntax_span span) {
    struct source_message *one = &c->p->m->spare;
    if (!c->said) one = source_diagnose(c->p->m, SOURCE_ERROR, span.offset, span.length, "%s", "");
    c->said = 1;
    return one;
}

/* Declared names ----------------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b) {
    const struct declared *one = a, *other = b;
    int order = strcmp(one->name, other->name);
    return order ? order : other->parameters - one->parameters;
}

static int declares(enum syntax_statement_kind kind) {
    return kind == SYNTAX_PARAM || kind == SYNTAX_VAR || kind == SYNTAX_COORD || kind == SYNTAX_CANONICAL ||
           kind == SYNTAX_LET || kind == SYNTAX_OUTPUT;
}

/* Count the names, or, where there is an array, write them too. */
static size_t collect(const struct syntax_statement *s, struct declared *names, size_t count) {
    for (; s; s = s->next) {
        if (declares(s->kind))
            for (const struct syntax_item *item = s->items; item; item = item->next, count++) {
                if (!names) continue;
                names[count] = (struct declared){.name = item->name,
                                                 .parameters = item->parameters ? 0 : -1,
                                                 .value = s->kind == SYNTAX_LET ? item->value : NULL};
                for (const struct syntax_node *e = item->parameters; e; e = e->next)
                    names[count].parameters++;
            }
        if ((s->kind == SYNTAX_LAGRANGIAN || s->kind == SYNTAX_HAMILTONIAN) && s->name) {
            if (names) names[count] = (struct declared){.name = s->name, .parameters = -1};
            count++;
        }
        if (s->kind == SYNTAX_TABLE && s->name) {
            if (names) names[count] = (struct declared){.name = s->name, .parameters = 1, .is_table = 1};
            count++;
        }
        count = collect(s->body, names, count);
    }
    return count;
}

static const struct declared *find(const struct check *c, const char *name) {
    size_t low = 0, high = c->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(c->names[middle].name, name);
        if (order == 0) return &c->names[middle];
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

/* A truth, a number, or, by a name that stands for both, either. */
static unsigned truth_of(const struct check *c, const struct syntax_node *e) {
    if (e->kind == SYNTAX_COMPARE || e->kind == SYNTAX_LOGIC) return CONDITION;
    if ((e->kind != SYNTAX_REF && (e->kind != SYNTAX_CALL || e->builtin)) || e->primes || e->moment ||
        e->multiplier)
        return NUMBER;
    const char *dot = strrchr(e->text, '.'); /* a member of a part */
    const struct declared *known = find(c, dot ? dot + 1 : e->text);
    if (!known) return NUMBER;
    unsigned truth = 0;
    for (; known > c->names && strcmp(known[-1].name, known->name) == 0;) known--;
    for (; known < c->names + c->count && strcmp(known->name, dot ? dot + 1 : e->text) == 0; known++)
        truth |= known->truth;
    return truth ? truth : NUMBER;
}

/* Conditions by their names: a name for a condition may stand for another one. */
static void find_conditions(struct check *c) {
    for (int changed = 1; changed;) {
        changed = 0;
        for (size_t i = 0; i < c->count; i++) {
            unsigned truth = c->names[i].value ? truth_of(c, c->names[i].value) : NUMBER;
            changed |= truth == CONDITION && c->names[i].truth != CONDITION;
            c->names[i].truth = truth;
        }
    }
}

/* Calls -------------------------------------------------------------------------------------------------- */

#define NO_DELAYS "Equations with delays are not solved here: x is its value at t alone."
#define NO_CHANCE \
    "A model has no random numbers: equal runs are equal.  Draw them outside, and set parameters by --set."

/* Functions under the names other languages give them. */
static const struct {
    const char *name, *hint;
} habits[] = {
    {"ln", "The natural logarithm is log(x)."},
    {"log2", "Write log(x)/log(2)."},
    {"lg", "The decimal logarithm is log10(x)."},
    {"pow", "The power is ^:  x^2."},
    {"power", "The power is ^:  x^2."},
    {"sqr", "The square is x^2."},
    {"root", "The square root is sqrt(x)."},
    {"fabs", "The absolute value is abs(x)."},
    {"sgn", "The sign is sign(x)."},
    {"signum", "The sign is sign(x)."},
    {"arcsin", "Write asin(x)."},
    {"arccos", "Write acos(x)."},
    {"arctan", "Write atan(x), or atan2(y, x)."},
    {"arctan2", "Write atan2(y, x)."},
    {"arsinh", "Write asinh(x)."},
    {"arcosh", "Write acosh(x)."},
    {"artanh", "Write atanh(x)."},
    {"tg", "The tangent is tan(x)."},
    {"cot", "Write 1/tan(x)."},
    {"sec", "Write 1/cos(x)."},
    {"csc", "Write 1/sin(x)."},
    {"ceil", "Write -floor(-x)."},
    {"round", "Write floor(x + 1/2)."},
    {"fmod", "The remainder is mod(a, b)."},
    {"rem", "The remainder is mod(a, b)."},
    {"diff", "The time derivative is x', or der(expr)."},
    {"ddt", "The time derivative is x', or der(expr)."},
    {"dt", "The time derivative is x', or der(expr)."},
    {"D", "The time derivative is x', or der(expr)."},
    {"d", "The time derivative is x', or der(expr)."},
    {"derivative", "The time derivative is x', or der(expr)."},
    {"where", "Write if(condition, a, b)."},
    {"ifelse", "Write if(condition, a, b)."},
    {"piecewise", "Write if(condition, a, b)."},
    {"heaviside", "Write if(x > 0, 1, 0)."},
    {"Heaviside", "Write if(x > 0, 1, 0)."},
    {"step", "Write if(x > 0, 1, 0)."},
    {"pulse", "Write if(t > a and t < b, 1, 0)."},
    {"clip", "Write min(max(x, a), b)."},
    {"clamp", "Write min(max(x, a), b)."},
    {"inner", "The inner product is dot(a, b)."},
    {"length", "The length of an array of numbers as a vector is norm(a)."},
    {"range", "A range is 1..N."},
    {"delay", NO_DELAYS},
    {"lag", NO_DELAYS},
    {"rand", NO_CHANCE},
    {"random", NO_CHANCE},
    {"randn", NO_CHANCE},
    {"rnd", NO_CHANCE},
    {"noise", NO_CHANCE},
    {"normal", NO_CHANCE},
    {"uniform", NO_CHANCE},
    {"gauss", NO_CHANCE},
};

const char *parser_function_habit(const char *name) {
    for (size_t i = 0; i < sizeof habits / sizeof habits[0]; i++)
        if (strcmp(habits[i].name, name) == 0) return habits[i].hint;
    return NULL;
}

static const char *nearest_function(const struct check *c, const char *name) {
    const char *best = NULL, *text;
    int least = (int)strlen(name) / 4 + 2;
    for (int i = LEXER_FUNCTION; (text = lexer_word_text(i)) != NULL; i++) {
        int distance = text_distance(name, text);
        if (distance < least) {
            least = distance;
            best = text;
        }
    }
    for (size_t i = 0; i < c->count; i++) {
        int distance = c->names[i].parameters < 0 ? 99 : text_distance(name, c->names[i].name);
        if (distance <= least && distance < (int)strlen(name) / 4 + 2) { /* the user's own first */
            least = distance;
            best = c->names[i].name;
        }
    }
    return best;
}

static void unknown_function(struct check *c, const struct syntax_node *e) {
    const char *hint = parser_function_habit(e->text);
    if (!hint && c->p->names_lost) return;
    struct source_message *one = wrong(c, e->span);
    text_set(one->sentence, sizeof one->sentence, "unknown function `%.40s`.", e->text);
    const char *near = hint ? NULL : nearest_function(c, e->text);
    if (hint) source_hint(one, "%s", hint);
    else if (near) source_hint(one, "Did you mean `%s`?", near);
    else
        source_hint(one, "A function of your own is  let %.40s(x) = expr;  a product is written with *.",
                    e->text);
}

static int names_time(const struct syntax_node *e) {
    if (e->kind == SYNTAX_REF && strcmp(e->text, "t") == 0) return 1;
    for (const struct syntax_node *part = e->parts; part; part = part->next)
        if (names_time(part)) return 1;
    return 0;
}

/* x(0), x(t), x(t - 1), x(y): a name that is none of a function. */
static void not_a_function(struct check *c, const struct syntax_node *e) {
    const struct syntax_node *of = e->parts;
    struct source_message *one = wrong(c, e->span);
    text_set(one->sentence, sizeof one->sentence, "`%.40s` is not a function.", e->text);
    if (e->count == 1 && of->kind == SYNTAX_REF && names_time(of))
        source_hint(one, "It depends on t anyway: write  %.40s  alone.", e->text);
    else if (e->count == 1 && names_time(of)) source_hint(one, NO_DELAYS);
    else if (e->count == 1 && of->kind == SYNTAX_NUMBER)
        source_hint(one,
                    "A start value is given by  init %.40s = ...  and read as %.40s.start; an element is "
                    "%.40s[%.20s], a product %.40s*(...).",
                    e->text, e->text, e->text, of->text, e->text);
    else source_hint(one, "An element is %.40s[i], a product is %.40s*(...).", e->text, e->text);
}

static void check_call(struct check *c, const struct syntax_node *e) {
    const struct declared *known = find(c, e->text);
    if (!known) {
        unknown_function(c, e);
    } else if (known->parameters < 0) {
        not_a_function(c, e);
    } else if (known->parameters != e->count) {
        struct source_message *one = wrong(c, e->span);
        text_set(one->sentence, sizeof one->sentence, "`%.40s` takes %d argument%s, not %d.", e->text,
                 known->parameters, known->parameters == 1 ? "" : "s", e->count);
        source_hint(one, known->is_table ? "A table has one argument: what it is looked up at."
                                         : "Give as many as its `let` has.");
    }
}

/* dx/dt, where the model itself has no dt. */
static void check_quotient(struct check *c, const struct syntax_node *e) {
    const struct syntax_node *over = e->parts, *under = over->next;
    if (under->kind != SYNTAX_REF || strcmp(under->text, "dt") != 0 || under->parts || find(c, "dt")) return;
    int call = over->kind == SYNTAX_CALL && strcmp(over->text, "d") == 0;
    if (!call && (over->kind != SYNTAX_REF || over->text[0] != 'd' || find(c, over->text))) return;
    struct source_message *one = wrong(c, e->span);
    if (call || over->text[1] == '\0') {
        text_set(one->sentence, sizeof one->sentence, "`d(...)/dt` is not how a time derivative is written.");
        source_hint(one, "Write x' for a name and der(...) for an expression.");
    } else {
        text_set(one->sentence, sizeof one->sentence, "`%.40s/dt` is not how a time derivative is written.",
                 over->text);
        source_hint(one, "Write %.40s'.", over->text + 1);
    }
}

/* Truth and numbers -------------------------------------------------------------------------------------- */

static void walk(struct check *c, const struct syntax_node *e, int truth);

static void walk_list(struct check *c, const struct syntax_node *e, int truth) {
    for (; e; e = e->next) walk(c, e, truth);
}

static void walk_ranges(struct check *c, const struct syntax_range *r) {
    for (; r; r = r->next) {
        walk(c, r->low, 0);
        walk(c, r->high, 0);
        walk(c, r->filter, 1);
    }
}

static void check_truth(struct check *c, const struct syntax_node *e, int truth) {
    unsigned is = truth_of(c, e);
    if (is & (truth ? CONDITION : NUMBER)) return;
    struct source_message *one = wrong(c, e->span);
    if (is == CONDITION) {
        text_set(one->sentence, sizeof one->sentence, "a number is due here, not true or false.");
        source_hint(one, "Write if(condition, 1, 0) for a number.");
    } else {
        text_set(one->sentence, sizeof one->sentence, "a condition is due here, not a number.");
        source_hint(one, "Write a comparison:  x > 0.");
    }
}

static void walk(struct check *c, const struct syntax_node *e, int truth) {
    if (!e || c->said) return;
    if (e->kind == SYNTAX_BINARY && e->op == SYNTAX_DIV) check_quotient(c, e);
    if (e->kind == SYNTAX_CALL && !e->builtin && !strchr(e->text, '.')) check_call(c, e);
    if (e->kind == SYNTAX_STRING) return;
    check_truth(c, e, truth);
    walk_ranges(c, e->ranges);
    if (e->kind == SYNTAX_IF) {
        walk(c, e->parts, 1);
        walk_list(c, e->parts->next, 0);
    } else walk_list(c, e->parts, e->kind == SYNTAX_LOGIC);
}

static void walk_items(struct check *c, const struct syntax_item *item, int let) {
    for (; item; item = item->next) {
        walk_ranges(c, item->bounds);
        walk(c, item->target, 0);
        walk(c, item->value, let && item->value && truth_of(c, item->value) == CONDITION);
        walk_items(c, item->settings, 0);
    }
}

/* x.enter is the value of x when its mode was entered: no member of a part can have that name. */
static void check_members(struct check *c, const struct syntax_statement *part,
                          const struct syntax_item *item) {
    for (; item; item = item->next) {
        if (!item->name || strcmp(item->name, "enter") != 0) continue;
        struct source_message *one = wrong(c, item->name_span);
        text_set(one->sentence, sizeof one->sentence, "`enter` cannot be a member of a part.");
        source_hint(one,
                    "%.60s.enter is a value when the mode was entered.  Choose another name, enter_ for "
                    "example.",
                    part->name);
    }
}

static void check_part(struct check *c, const struct syntax_statement *part,
                       const struct syntax_statement *s) {
    if (s == part->body) check_members(c, part, part->items);
    for (; s; s = s->next) {
        if (declares(s->kind) || s->kind == SYNTAX_USE || s->kind == SYNTAX_NODE)
            check_members(c, part, s->items);
        check_part(c, part, s->body);
    }
}

static void walk_statements(struct check *c, const struct syntax_statement *s) {
    for (; s; s = s->next) {
        c->said = source_diagnosed_within(c->p->m, s->span.offset, s->span.offset + s->span.length);
        if (s->kind == SYNTAX_PART) check_part(c, s, s->body);
        walk_ranges(c, s->bounds);
        walk_ranges(c, s->ranges);
        walk(c, s->left, 0);
        walk(c, s->right, 0);
        if (s->kind != SYNTAX_OPTIONS && s->kind != SYNTAX_TABLE)
            walk_items(c, s->items, s->kind == SYNTAX_LET);
        walk_statements(c, s->body);
    }
}

/* What a model has once. */
static void check_once(struct check *c, const struct syntax_statement *s, enum syntax_statement_kind kind) {
    const struct syntax_statement *first = NULL;
    for (; s; s = s->next) {
        if (s->kind != kind) continue;
        if (!first) {
            first = s;
            continue;
        }
        struct source_message *one = wrong(c, s->span);
        c->said = 0;
        text_set(one->sentence, sizeof one->sentence, "a second `%s`: the first is in line %d.",
                 syntax_statement_word(kind), source_place(c->p->s, first->span.offset).line);
        source_hint(one, "Remove one of them.");
    }
}

void parser_check(struct parser *p, const struct syntax_file *file) {
    struct check c = {.p = p};
    static const enum syntax_statement_kind once[] = {SYNTAX_MODEL, SYNTAX_LAGRANGIAN, SYNTAX_HAMILTONIAN,
                                                      SYNTAX_RUN};
    for (size_t i = 0; i < sizeof once / sizeof once[0]; i++) check_once(&c, file->statements, once[i]);
    c.count = collect(file->statements, NULL, 0);
    c.names = pool_take(p->pool, (c.count + 1) * sizeof *c.names);
    if (!c.names) return;
    collect(file->statements, c.names, 0);
    qsort(c.names, c.count, sizeof *c.names, by_name);
    find_conditions(&c);
    walk_statements(&c, file->statements);
}
