/* parser_statement.c - one statement: what stands behind its word. */
#include "lang/parser_private.h"

#include "base/text.h"

static int list(struct parser *p, struct syntax_statement *s, parser_read *read) {
    struct syntax_item **tail = &s->items;
    do {
        struct syntax_item *item = read(p);
        if (!item) return 0;
        *tail = item;
        tail = &item->next;
    } while (parser_take(p, LEXER_COMMA));
    return 1;
}

/* The name of a mode: of its group and its own, left.open, valve[2].open; or its own alone. */
static struct syntax_node *mode_name(struct parser *p, const char *what, const char *hint) {
    const struct lexer_token *first = p->at;
    if (!parser_is(p, LEXER_NAME) || first->word != LEXER_NO_WORD) {
        parser_name(p, what, hint);
        return NULL;
    }
    struct syntax_node *ref = parser_ref(p, what);
    if (!ref || !(ref->primes || ref->moment)) return ref;
    source_hint(parser_wrong(p, first, "this is no name of a mode."), "%s", hint);
    return NULL;
}

static struct syntax_item *first_mode(struct parser *p) {
    struct syntax_node *ref = mode_name(p, "the name of the first mode", "Write  start NAME.");
    if (!ref) return NULL;
    struct syntax_item *item = parser_item(p);
    item->action = SYNTAX_SWITCH;
    item->target = ref;
    item->span = item->name_span = ref->span;
    return item;
}

/* Events ------------------------------------------------------------------------------------------------- */

static struct syntax_item *action(struct parser *p) {
    static const char hint[] = "Actions are record, stop, mode NAME and x := expr.";
    const struct lexer_token *first = p->at;
    struct syntax_item *item = NULL;
    if (parser_is_word(p, LEXER_RECORD) || parser_is_word(p, LEXER_STOP) || parser_is_word(p, LEXER_MODE)) {
        item = parser_item(p);
        item->action = first->word == LEXER_RECORD ? SYNTAX_RECORD
                       : first->word == LEXER_STOP ? SYNTAX_STOP
                                                   : SYNTAX_SWITCH;
        parser_next(p);
        if (item->action == SYNTAX_SWITCH) {
            item->target = mode_name(p, "the name of a mode", "Write  -> mode NAME.");
            if (!item->target) return NULL;
        }
        item->span = parser_span(p, first);
        return item;
    }
    if (parser_is(p, LEXER_NEWLINE) || parser_is(p, LEXER_END) || parser_is(p, LEXER_COMMA)) {
        source_hint(parser_wrong(p, p->at, "an action is missing."), "%s", hint);
        return NULL;
    }
    item = parser_target(p);
    if (!item) return NULL;
    if (parser_is(p, LEXER_EQUALS)) {
        source_hint(parser_wrong(p, p->at, "`=` states an equation; an event assigns."),
                    "Write :=, as in  y' := -e*y'.");
        return NULL;
    }
    if ((parser_is(p, LEXER_COMMA) || parser_is(p, LEXER_NEWLINE) || parser_is(p, LEXER_END))) {
        const char *name = item->target->text;
        const char *near = text_distance(name, "record") < 3 ? "record"
                           : text_distance(name, "stop") < 3 ? "stop"
                                                             : NULL;
        struct source_message *one = parser_wrong(p, first, "`%s` is not an action.", name);
        if (near) source_hint(one, "Did you mean `%s`?  %s", near, hint);
        else source_hint(one, "%s", hint);
        return NULL;
    }
    if (!parser_expect(p, LEXER_ASSIGN, "`:=`", hint)) return NULL;
    item->value = parser_expression(p);
    item->span = parser_span(p, first);
    return item->value ? item : NULL;
}

static int direction(struct parser *p, struct syntax_statement *s) {
    static const char hint[] = "Write  event NAME: expr rising -> actions  (or falling, or crossing): it "
                               "happens when expr goes through zero.";
    if (parser_is(p, LEXER_EQUALS) || s->left->kind == SYNTAX_COMPARE || s->left->kind == SYNTAX_LOGIC) {
        int equation = parser_is(p, LEXER_EQUALS);
        source_hint(parser_wrong(p, p->at, "an event is not %s but an expression that goes through zero.",
                                 equation ? "an equation" : "a condition"),
                    "Write  event NAME: y %s.",
                    equation ? "crossing -> ...  instead of y = 0" : "falling -> ...  instead of y < 0");
        return 0;
    }
    if (parser_is(p, LEXER_ARROW)) {
        source_hint(parser_wrong(p, p->at, "the direction of the event is missing."), "%s", hint);
        return 0;
    }
    int word = parser_is(p, LEXER_NAME) ? p->at->word : 0;
    if (word != LEXER_RISING && word != LEXER_FALLING && word != LEXER_CROSSING)
        return parser_unexpected(p, "`rising`, `falling` or `crossing`", hint);
    s->direction = word == LEXER_RISING    ? SYNTAX_RISING
                   : word == LEXER_FALLING ? SYNTAX_FALLING
                                           : SYNTAX_CROSSING;
    parser_next(p);
    return parser_expect(p, LEXER_ARROW, "`->`",
                         "Actions follow an arrow:  event NAME: expr rising -> record.");
}

/* Does a direction stand before the arrow?  Then `every` and `at` are names like any others. */
static int watches(const struct parser *p) {
    const struct lexer_token *token = p->at;
    while (token->kind != LEXER_ARROW && token->kind != LEXER_NEWLINE && token->kind != LEXER_END) token++;
    if (token == p->at || token[-1].kind != LEXER_NAME) return 0;
    int word = token[-1].word;
    return word == LEXER_RISING || word == LEXER_FALLING || word == LEXER_CROSSING;
}

/* `every PERIOD ->` and `at t = TIME ->`. */
static int at_times(struct parser *p, struct syntax_statement *s) {
    static const char hint[] =
        "Write  event NAME: every 0.01 -> actions,  or  event NAME: at t = 3 -> actions.";
    s->direction = parser_is_text(p, "every") ? SYNTAX_EVERY : SYNTAX_AT;
    parser_next(p);
    if (s->direction == SYNTAX_AT) {
        if (!parser_take_word(p, LEXER_T)) return parser_unexpected(p, "`t = `", hint);
        if (!parser_expect(p, LEXER_EQUALS, "`=`", hint)) return 0;
    }
    s->left = parser_expression(p);
    return s->left && parser_expect(p, LEXER_ARROW, "`->`", hint);
}

static int event(struct parser *p, struct syntax_statement *s) {
    static const char hint[] = "Write  event NAME: expr rising -> actions.";
    struct syntax_item *item = parser_named(p, PARSER_INDICES, "the name of the event", hint);
    if (!item || !parser_expect(p, LEXER_COLON, "`:`", hint)) return 0;
    s->name = item->name;
    s->name_span = item->name_span;
    s->bounds = item->bounds;
    if ((parser_is_text(p, "every") || parser_is_text(p, "at")) && !watches(p))
        return at_times(p, s) && list(p, s, action);
    s->left = parser_expression(p);
    return s->left && direction(p, s) && list(p, s, action);
}

/* Statements --------------------------------------------------------------------------------------------- */

int parser_statement_name(struct parser *p, struct syntax_statement *s, const char *what, const char *hint) {
    const struct lexer_token *name = parser_name(p, what, hint);
    if (!name) return 0;
    s->name = parser_text(p, name);
    s->name_span = parser_span(p, name);
    return 1;
}

static int sides(struct parser *p, struct syntax_statement *s, const char *hint) {
    s->left = parser_expression(p);
    if (!s->left) return 0;
    if (s->left->kind == SYNTAX_COMPARE && s->left->op == SYNTAX_EQ && !parser_is(p, LEXER_EQUALS)) {
        struct lexer_token equal = {LEXER_EQ, 0, 0, 0, s->left->sign, 2};
        source_hint(parser_wrong(p, &equal, "`==` compares."), "An equation is written with one =.");
        return 0;
    }
    if (s->left->kind == SYNTAX_COMPARE && !parser_is(p, LEXER_EQUALS)) {
        struct lexer_token sign = {LEXER_LT, 0, 0, 0, s->left->sign, 1};
        source_hint(
            parser_wrong(p, &sign, "an inequality is not an equation."),
            "Where a bound acts is an event, as in  event NAME: x falling -> actions;  in a rate it is "
            "max(a, b), min(a, b) or if(condition, a, b).");
        return 0;
    }
    if (!parser_expect(p, LEXER_EQUALS, "`=`", hint)) return 0;
    s->right = parser_expression(p);
    return s->right != NULL;
}

static int canonical(struct parser *p, struct syntax_statement *s) {
    static const char hint[] = "One pair a statement:  canonical q, p;  repeat it for more.";
    if (!list(p, s, parser_declaration)) return 0;
    int count = 0;
    for (const struct syntax_item *item = s->items; item; item = item->next) count++;
    if (count == 2) return 1;
    source_hint(parser_wrong(p, p->begin, "`canonical` takes a coordinate and its momentum, not %d name%s.",
                             count, count == 1 ? "" : "s"),
                "%s", hint);
    return 0;
}

static int energy_function(struct parser *p, struct syntax_statement *s) {
    if (parser_is(p, LEXER_NAME) && p->at[1].kind == LEXER_EQUALS) {
        if (!parser_statement_name(p, s, "a name", "")) return 0;
        parser_next(p);
    }
    s->right = parser_expression(p);
    return s->right != NULL;
}

static int constraint(struct parser *p, struct syntax_statement *s) {
    const char *hint = s->kind == SYNTAX_ROLLING ? "Write  rolling NAME: expr = expr."
                                                 : "A constraint has a name:  constraint NAME: lhs = rhs.";
    s->items = parser_named(p, PARSER_INDICES, "the name of the constraint", hint);
    if (!s->items || !parser_expect(p, LEXER_COLON, "`:`", hint)) return 0;
    return sides(p, s, "A constraint has two sides:  lhs = 0.");
}

static int invariant(struct parser *p, struct syntax_statement *s) {
    static const char hint[] = "Write  invariant NAME = expr, or  invariant energy  alone.";
    const struct lexer_token *first = p->at;
    if (parser_take_word(p, LEXER_ENERGY)) {
        s->items = parser_item(p);
        s->items->name = "energy";
        s->items->span = s->items->name_span = parser_span(p, first);
        if (!parser_is(p, LEXER_EQUALS) && !parser_is(p, LEXER_COLON)) return 1;
        return parser_valued(p, s->items, first, hint);
    }
    s->items = parser_named(p, PARSER_INDICES, "the name of the invariant", hint);
    return s->items && parser_valued(p, s->items, first, hint);
}

static int force(struct parser *p, struct syntax_statement *s) {
    static const char hint[] = "Write  force q: expr.";
    s->items = parser_target(p);
    if (!s->items || !parser_expect(p, LEXER_COLON, "`:`", hint)) return 0;
    s->items->value = parser_expression(p);
    return s->items->value != NULL;
}

static int structure(struct parser *p, struct syntax_statement *s) {
    static const char hint[] = "Write  structure x, y: ((0, 1), (-1, 0)).";
    if (!list(p, s, parser_target) || !parser_expect(p, LEXER_COLON, "`:`", hint)) return 0;
    s->right = parser_expression(p);
    return s->right != NULL;
}

static int reference(struct parser *p, struct syntax_statement *s) {
    static const char hint[] = "Write  reference t = 3: x = 0.049, x' = 1.2.";
    if (!parser_take_word(p, LEXER_T)) {
        source_hint(parser_wrong(p, p->at, "a reference starts with its time."), "%s", hint);
        return 0;
    }
    if (!parser_expect(p, LEXER_EQUALS, "`=`", hint)) return 0;
    s->left = parser_expression(p);
    return s->left && parser_expect(p, LEXER_COLON, "`:`", hint) && list(p, s, parser_setting);
}

static int run(struct parser *p, struct syntax_statement *s) {
    static const char hint[] = "Write  run 0 .. 100.";
    s->left = parser_expression(p);
    if (!s->left || !parser_expect(p, LEXER_DOTS, "`..` with the second time", hint)) return 0;
    s->right = parser_expression(p);
    if (!s->right || !parser_is(p, LEXER_BRACE)) return s->right != NULL;
    const struct lexer_token *first = p->at;
    s->items = parser_item(p);
    if (!parser_unit(p, s->items, first)) return 0;
    for (int i = 0; i < SYNTAX_BASES; i++) {
        if (s->items->unit->power[i] == (i == SYNTAX_SECOND ? SYNTAX_WHOLE : 0)) continue;
        source_hint(parser_wrong(p, first, "the times of a run are in a unit of time."),
                    "Write  run 0 .. 2 {h}.");
        return 0;
    }
    return 1;
}

static int header(struct parser *p, struct syntax_statement *s) {
    if (s->kind == SYNTAX_FOR) {
        s->ranges = parser_ranges(p, 0);
        return s->ranges &&
               parser_expect(p, LEXER_COLON, "`:`", "Write  for i in 1..N:  and indent what is repeated.");
    }
    static const char hint[] = "Write  mode NAME:  and indent what holds in it.";
    s->left = mode_name(p, "the name of the mode", hint);
    return s->left && parser_expect(p, LEXER_COLON, "`:`", hint);
}

static int content(struct parser *p, struct syntax_statement *s) {
    switch (s->kind) {
    case SYNTAX_MODEL:
        return parser_statement_name(p, s, "the name of the model", "Write  model NAME.");
    case SYNTAX_BEGIN:
        return list(p, s, first_mode);
    case SYNTAX_PARAM:
        return list(p, s, parser_definition);
    case SYNTAX_VAR:
    case SYNTAX_COORD:
        return list(p, s, parser_declaration);
    case SYNTAX_CANONICAL:
        return canonical(p, s);
    case SYNTAX_LET:
        return list(p, s, parser_let);
    case SYNTAX_LAGRANGIAN:
    case SYNTAX_HAMILTONIAN:
        return energy_function(p, s);
    case SYNTAX_FORCE:
        return force(p, s);
    case SYNTAX_STRUCTURE:
        return structure(p, s);
    case SYNTAX_CONSTRAINT:
    case SYNTAX_ROLLING:
        return constraint(p, s);
    case SYNTAX_INVARIANT:
        return invariant(p, s);
    case SYNTAX_INIT:
    case SYNTAX_GUESS:
    case SYNTAX_EXACT:
        return list(p, s, parser_setting);
    case SYNTAX_EVENT:
        return event(p, s);
    case SYNTAX_OUTPUT:
        return list(p, s, parser_output);
    case SYNTAX_REFERENCE:
        return reference(p, s);
    case SYNTAX_RUN:
        return run(p, s);
    case SYNTAX_OPTIONS:
        return list(p, s, parser_option);
    case SYNTAX_FOR:
    case SYNTAX_MODE:
        return header(p, s);
    default:
        return sides(p, s, "An equation has two sides:  lhs = rhs.");
    }
}

/* The statement words are in the order of the kinds, which have the equation besides. */
static enum syntax_statement_kind kind_of(int word) {
    int kind = word - LEXER_MODEL;
    return (enum syntax_statement_kind)(kind < SYNTAX_EQUATION ? kind : kind + 1);
}

/* `force = 3`: somebody took a statement word for a name. */
static int word_as_name(struct parser *p) {
    int kind = p->at[1].kind, word = p->at->word;
    int used =
        kind == LEXER_EQUALS || kind == LEXER_PRIME || kind == LEXER_LEFT || kind == LEXER_STAR ||
        kind == LEXER_SLASH || kind == LEXER_CARET || kind == LEXER_ASSIGN ||
        (kind == LEXER_PLUS && word != LEXER_RUN && word != LEXER_LAGRANGIAN && word != LEXER_HAMILTONIAN);
    if (!used) return 0;
    source_hint(
        parser_wrong(p, p->at, "`%s` is a reserved word and cannot be a name.", lexer_word_text(word)),
        "Choose another name, %s_ or %s1 for example.", lexer_word_text(word), lexer_word_text(word));
    return 1;
}

static int no_if_statement(struct parser *p) {
    if (!parser_is_word(p, LEXER_IF) || p->at[1].kind == LEXER_OPEN) return 0;
    source_hint(parser_wrong(p, p->at, "there is no `if` statement."),
                "Write  if(condition, a, b)  in an expression, or modes with events between them.");
    return 1;
}

struct syntax_statement *parser_simple(struct parser *p) {
    const struct lexer_token *first = p->at;
    struct syntax_statement *s = parser_statement_new(p);
    s->kind = SYNTAX_EQUATION;
    if (parser_part_word(p, &s->kind)) {
        if (!parser_part(p, s) || p->pool->refused) return NULL;
        s->span = parser_span(p, first);
        return s;
    }
    if (parser_table_word(p)) {
        s->kind = SYNTAX_TABLE;
        if (!parser_table(p, s) || p->pool->refused) return NULL;
        s->span = parser_span(p, first);
        return s;
    }
    if (no_if_statement(p) || parser_not_a_statement(p)) return NULL;
    if (parser_is(p, LEXER_NAME) && lexer_is_statement(first->word)) {
        if (word_as_name(p)) return NULL;
        s->kind = kind_of(first->word);
        parser_next(p);
    }
    if (!content(p, s) || p->pool->refused) return NULL;
    s->span = parser_span(p, first);
    return s;
}
