/* expr_print.c - see expr_print.h.
 *
 * What is still to be written lies on a stack, its next piece on top.  Every piece writes something, so
 * pieces that lie deeper than there is room will never be reached: the stack is a ring, and its lowest
 * pieces make place. */
#include "symbolic/expr_print.h"

#include "symbolic/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Binding strength, weakest first, as in the grammar. */
enum { LOOSE, OR, AND, NOT, COMPARE, ARITH, TERM, SIGN, POWER, PRIMARY };

enum { PIECES = 4096, LEAST_WORK = 1 << 16, WORK_OF_ROOM = 16, NAME = 320 };

/* OPPOSITE: the node with its sign turned. */
enum kind { WORD, NODE, OPPOSITE, EXPONENT, TABLE };

struct piece {
    uint32_t item; /* a word, a node or an int32_t */
    uint16_t kind, least;
};

enum word { OPEN, CLOSE, COMMA, PLUS, MINUS, TIMES, OVER, POWERED, NEGATIVE, WORDS };

static const char *const words[WORDS] = {"(", ")", ", ", " + ", " - ", "*", "/", "^", "-"};

struct page {
    const struct graph *g;
    expr_print_name *name;
    void *user;
    char *out;
    size_t capacity, used, whole; /* whole: the last end of a piece that leaves place for the dots */
    int cut, lost;                /* it did not fit; pieces went out of the ring */
    uint32_t top, count;          /* of the pieces; their places count on, modulo PIECES */
    struct piece piece[PIECES];
};

static void put(struct page *page, const char *text) {
    size_t length = strlen(text);
    if (page->cut || page->used + length >= page->capacity) {
        page->cut = 1;
        return;
    }
    memcpy(page->out + page->used, text, length);
    page->used += length;
    if (page->used + 4 <= page->capacity) page->whole = page->used;
}

/* The pieces in the order of reading. */
static void push(struct page *page, int count, const struct piece *piece) {
    while (count-- > 0) {
        page->piece[page->top++ % PIECES] = piece[count];
        if (page->count == PIECES) page->lost = 1;
        else page->count++;
    }
}

static struct piece word(enum word w) {
    return (struct piece){w, WORD, 0};
}

static struct piece node(expr e, int least) {
    return (struct piece){e, NODE, (uint16_t)least};
}

static struct piece opposite(expr e, int least) {
    return (struct piece){e, OPPOSITE, (uint16_t)least};
}

/* Shortest digits that give the number back, laid out by hand: printf takes its point from the locale. */
static void write_number(double value, char *out, size_t capacity) {
    enum { LONGEST_PLAIN = 15, SMALLEST_PLAIN = -4 };
    static const char zeros[] = "0000000000000000";
    char text[40], digit[24];
    int digits = 0, precision = 0;
    do snprintf(text, sizeof text, "%.*e", precision, value);
    while (strtod(text, NULL) != value && ++precision < 17);
    const char *mark = strchr(text, 'e');
    for (const char *c = text; c < mark; c++)
        if (*c >= '0' && *c <= '9') digit[digits++] = *c;
    digit[digits] = '\0';
    int exponent = atoi(mark + 1), rest = digits - 1 - exponent; /* rest: digits after the point */
    if (exponent >= LONGEST_PLAIN || exponent < SMALLEST_PLAIN)
        snprintf(out, capacity, "%.1s%s%se%d", digit, digits > 1 ? "." : "", digit + 1, exponent);
    else if (exponent < 0) snprintf(out, capacity, "0.%.*s%s", -exponent - 1, zeros, digit);
    else if (rest > 0) snprintf(out, capacity, "%.*s.%s", exponent + 1, digit, digit + exponent + 1);
    else snprintf(out, capacity, "%s%.*s", digit, -rest, zeros);
}

static void put_number(struct page *page, double value, int least) {
    char text[48] = "";
    int brackets = signbit(value) && least > SIGN;
    if (isfinite(value)) write_number(fabs(value), text, sizeof text);
    else snprintf(text, sizeof text, isnan(value) ? "nan" : "inf");
    put(page, brackets ? "(-" : signbit(value) ? "-" : "");
    put(page, text);
    if (brackets) put(page, ")");
}

static int is_negative_number(const struct graph *g, expr e) {
    double value;
    return expr_is_constant(g, e, &value) && signbit(value);
}

/* Would it start with a minus?  The signs of all numbers in a product gather at its first factor. */
static int is_negative(const struct graph *g, expr e) {
    enum { NEAR = 8 };
    int negative = 0;
    for (int i = 0; i < NEAR; i++) {
        struct expr_node n = g->node[e];
        int product = n.op == EXPR_MUL || n.op == EXPR_DIV;
        if (!product && n.op != EXPR_NEG) return negative ^ is_negative_number(g, e);
        negative ^= n.op == EXPR_NEG || is_negative_number(g, n.b);
        e = n.a;
    }
    return 0;
}

/* The strength of what stands there, a sign before it included. */
static int strength(uint32_t op, int turned) {
    switch (op) {
    case EXPR_OR:
        return turned ? SIGN : OR;
    case EXPR_AND:
        return turned ? SIGN : AND;
    case EXPR_NOT:
        return turned ? SIGN : NOT;
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_EQ:
    case EXPR_NE:
        return turned ? SIGN : COMPARE;
    case EXPR_ADD:
    case EXPR_SUB:
        return turned ? SIGN : ARITH;
    case EXPR_MUL:
    case EXPR_DIV:
        return TERM; /* -a*b is (-a)*b, which has the same bits as -(a*b) */
    case EXPR_POW:
    case EXPR_POWI:
        return turned ? SIGN : POWER;
    default:
        return turned ? SIGN : PRIMARY;
    }
}

/* and, or, not and comparisons, whose words are the language's. */
static void push_truth(struct page *page, struct expr_node n) {
    int own = strength(n.op, 0), left = own == COMPARE ? ARITH : own;
    const struct piece right = node(n.b, own + 1), name = {WORDS + n.op, WORD, 0};
    if (n.op == EXPR_NOT) push(page, 2, (struct piece[]){name, node(n.a, COMPARE)});
    else push(page, 3, (struct piece[]){node(n.a, left), name, right});
}

static void push_call(struct page *page, struct expr_node n) {
    int operands = expr_operands((enum expr_op)n.op), count = 0;
    const expr operand[3] = {n.a, n.b, n.c};
    struct piece piece[8];
    if (n.op == EXPR_LOOK) {
        push(page, 4, (struct piece[]){{n.b, TABLE, 0}, word(OPEN), node(n.a, LOOSE), word(CLOSE)});
        return;
    }
    piece[count++] = (struct piece){WORDS + n.op, WORD, 0};
    for (int i = 0; i < operands && i < 3; i++) {
        piece[count++] = word(i ? COMMA : OPEN);
        piece[count++] = node(operand[i], LOOSE);
    }
    piece[count++] = word(CLOSE);
    push(page, count, piece);
}

/* a + (-b) as a - b and a - (-b) as a + b, which have the same bits. */
static void push_sum(struct page *page, struct expr_node n) {
    int turned = is_negative(page->g, n.b), minus = turned == (n.op == EXPR_ADD);
    struct piece right = turned ? opposite(n.b, TERM) : node(n.b, TERM);
    push(page, 3, (struct piece[]){node(n.a, ARITH), word(minus ? MINUS : PLUS), right});
}

/* x*(-2) as -x*2: rounding is symmetric. */
static void push_product(struct page *page, struct expr_node n, int turned) {
    int negative = is_negative_number(page->g, n.b);
    struct piece left = turned != negative ? opposite(n.a, TERM) : node(n.a, TERM);
    struct piece right = negative ? opposite(n.b, SIGN) : node(n.b, SIGN);
    push(page, 3, (struct piece[]){left, word(n.op == EXPR_MUL ? TIMES : OVER), right});
}

/* The node without brackets around it. */
static void push_node(struct page *page, expr e, struct expr_node n, int turned) {
    if (n.op == EXPR_MUL || n.op == EXPR_DIV) push_product(page, n, turned);
    else if (turned) push(page, 2, (struct piece[]){word(NEGATIVE), node(e, SIGN)});
    else if (n.op == EXPR_ADD || n.op == EXPR_SUB) push_sum(page, n);
    else if (n.op == EXPR_POWI)
        push(page, 3, (struct piece[]){node(n.a, PRIMARY), word(POWERED), {n.b, EXPONENT, 0}});
    else if (n.op == EXPR_POW)
        push(page, 3, (struct piece[]){node(n.a, PRIMARY), word(POWERED), node(n.b, SIGN)});
    else if (strength(n.op, 0) == PRIMARY) push_call(page, n);
    else push_truth(page, n);
}

static void put_node(struct page *page, expr e, int least, int turned) {
    struct expr_node n = page->g->node[e];
    char text[NAME] = "?";
    double value;
    if (expr_is_constant(page->g, e, &value)) put_number(page, turned ? -value : value, least);
    else if (n.op == EXPR_NEG)
        push(page, 1, (struct piece[]){turned ? node(n.a, least) : opposite(n.a, least)});
    else if (strength(n.op, turned) < least) {
        struct piece inner = turned ? opposite(e, LOOSE) : node(e, LOOSE);
        push(page, 3, (struct piece[]){word(OPEN), inner, word(CLOSE)});
    } else if (expr_operands((enum expr_op)n.op)) push_node(page, e, n, turned);
    else {
        if (e != EXPR_NONE) page->name(page->user, e, text, sizeof text);
        if (turned) put(page, words[NEGATIVE]);
        put(page, text);
    }
}

/* A word of ours, or the name of an operation. */
static void put_word(struct page *page, uint32_t w) {
    if (w < WORDS) {
        put(page, words[w]);
        return;
    }
    char text[24];
    enum expr_op op = (enum expr_op)(w - WORDS);
    int between = strength(op, 0) < PRIMARY;
    snprintf(text, sizeof text, op == EXPR_NOT ? "%s " : between ? " %s " : "%s", expr_name(op));
    put(page, text);
}

/* load, load' of the derivative. */
static void put_table(struct page *page, expr number) {
    const struct expr_node look = {EXPR_LOOK, EXPR_NONE, number, 0};
    put(page, page->g->table_name[table_of(page->g, &look)]);
    for (int k = table_order(page->g, &look); k > 0; k--) put(page, "'");
}

static void put_piece(struct page *page, struct piece piece) {
    char text[16];
    switch ((enum kind)piece.kind) {
    case WORD:
        put_word(page, piece.item);
        break;
    case NODE:
    case OPPOSITE:
        put_node(page, piece.item, piece.least, piece.kind == OPPOSITE);
        break;
    case TABLE:
        put_table(page, piece.item);
        break;
    case EXPONENT:
        snprintf(text, sizeof text, "%d", (int)(int32_t)piece.item);
        put(page, text);
        break;
    }
}

/* Where it did not fit, the dots follow the last whole piece. */
static size_t end(struct page *page) {
    static const char dots[] = "...";
    size_t length = page->capacity < sizeof dots ? page->capacity - 1 : sizeof dots - 1;
    if (page->cut) {
        memcpy(page->out + page->whole, dots, length);
        page->used = page->whole + length;
    }
    page->out[page->used] = '\0';
    return page->used;
}

size_t expr_print(const struct graph *g, expr e, expr_print_name *name, void *user, char *out,
                  size_t capacity) {
    struct page page;
    if (capacity == 0) return 0;
    page.g = g, page.name = name, page.user = user, page.out = out, page.capacity = capacity;
    page.used = page.whole = 0;
    page.cut = page.lost = 0;
    page.top = page.count = 0;
    push(&page, 1, (struct piece[]){node(e, LOOSE)});
    size_t work = LEAST_WORK + WORK_OF_ROOM * capacity;
    for (; page.count && work && !page.cut; work--) {
        page.count--;
        put_piece(&page, page.piece[--page.top % PIECES]);
    }
    page.cut |= page.lost || page.count;
    return end(&page);
}
