/* sound_run.c - see sound_run.h. */
#include "sound_run.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

/* Methods agree within AGREE of the size of a value, or FURTHER times the difference that a smaller tolerance
 * makes to the first of them: where a motion is so sensitive, all of them may differ that much. */
#define AGREE 1e-6
#define FURTHER 1e4
#define ARRIVED 50 /* units: where a correction that no longer halves has arrived (docs/design.md, rule 1) */

enum { MOST_STEPS = 20000 };

keel_model *sound_open(const char *text) {
    return keel_model_read("sound.keel", text, strlen(text), &(keel_model_options){.interpret = 1});
}

/* A state that grows like exp(34 t) has an event function that swings a million times in a fixed step, and
 * each swing is looked at: that is not waited for. */
enum { PATIENCE = 10 }; /* seconds of the processor */
static volatile int enough;
static int too_long;
static void stop(int signal) {
    (void)signal;
    enough = 1;
}

static void watch(long seconds) {
    struct itimerval limit = {.it_value = {.tv_sec = seconds}};
    signal(SIGVTALRM, stop);
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
}

void sound_run(keel_model *m, const char *method, double rtol, int steps, struct sound_end *end) {
    double from, to;
    keel_model_span(m, &from, &to);
    keel_options o = {.method = method, .rtol = rtol, .atol = 1e-3 * rtol, .max_steps = MOST_STEPS};
    if (steps) o.step = fabs(to - from) / steps;
    *end = (struct sound_end){.status = KEEL_ENOMEM};
    enough = 0;
    o.stop = &enough;
    watch(PATIENCE);
    keel_sim *s = keel_sim_open(m, &o);
    if (!s) return;
    do end->status = keel_sim_run(s, to);
    while (end->status == KEEL_EVENT);
    watch(0);
    if (enough) end->status = KEEL_ELIMIT, end->cut = too_long = 1;
    keel_solver *solver = keel_sim_solver(s);
    end->columns = keel_sim_columns(s);
    snprintf(end->message, sizeof end->message, "%s", keel_sim_message(s));
    if (solver) {
        end->t = keel_time(solver);
        end->steps = keel_statistics(solver).steps;
        if (end->columns > SOUND_COLUMNS || keel_sim_values(s, end->value) != KEEL_OK) end->columns = 0;
    } else end->columns = 0;
    keel_sim_close(s);
}

static int same_number(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

int sound_same(const struct sound_end *a, const struct sound_end *b) {
    if (a->cut || b->cut) return 1; /* where depends on the clock */
    int same = a->status == b->status && a->columns == b->columns && a->steps == b->steps && a->t == b->t;
    for (int i = 0; same && i < a->columns; i++) same = same_number(a->value[i], b->value[i]);
    return same;
}

/* What the columns are, taken from a run that has just begun. */
struct table {
    int columns, state[SOUND_COLUMNS];
    char name[SOUND_COLUMNS][80];
};

static void name_columns(keel_model *m, struct table *t) {
    keel_sim *s = keel_sim_open(m, NULL);
    t->columns = s ? keel_sim_columns(s) : 0;
    if (t->columns > SOUND_COLUMNS) t->columns = 0;
    for (int i = 0; i < t->columns; i++) {
        t->state[i] = keel_sim_column_kind(s, i) == KEEL_COLUMN_STATE;
        snprintf(t->name[i], sizeof t->name[i], "%s", keel_sim_column(s, i));
    }
    keel_sim_close(s);
}

/* The first column in which the ends differ by more than allowed, or -1. */
static int first_apart(const struct table *t, const struct sound_end *a, const struct sound_end *b,
                       const double *allowed) {
    for (int i = 0; i < t->columns && i < a->columns && i < b->columns; i++)
        if (t->state[i] && !(fabs(a->value[i] - b->value[i]) <= allowed[i])) return i;
    return -1;
}

/* What may lie between two runs, column by column; is the motion so sensitive that it is more than usual? */
static int allow(const struct table *t, const struct sound_end *end, const struct sound_end *tight,
                 double *allowed, struct sound_count *count) {
    int sensitive = 0;
    for (int i = 0; i < t->columns; i++) {
        double change = FURTHER * fabs(end->value[i] - tight->value[i]),
               size = AGREE * fmax(1, fabs(end->value[i]));
        allowed[i] = fmax(size, change);
        sensitive |= t->state[i] && change > size;
    }
    count->sensitive += sensitive;
    return sensitive;
}

/* Closed forms at the end, and rows that were kept. */
static int promises_hold(keel_model *m, const struct table *t, const double *allowed,
                         struct sound_count *count, char *why) {
    double from, to, value[SOUND_COLUMNS], exact[SOUND_COLUMNS];
    int good = 1;
    keel_model_span(m, &from, &to);
    keel_sim *s = keel_sim_open(m, &(keel_options){.method = "dop853", .rtol = 1e-9, .atol = 1e-12});
    keel_status status = keel_sim_run(s, to);
    if (status == KEEL_OK && keel_sim_values(s, value) == KEEL_OK && keel_sim_exact(s, to, exact) == KEEL_OK)
        for (int i = 0; i < t->columns; i++) {
            if (isnan(exact[i])) continue;
            count->exact++;
            if (!good || fabs(value[i] - exact[i]) <= allowed[i]) continue;
            snprintf(why, SOUND_WHY, "%s = %.15g, not %.15g", t->name[i], value[i], exact[i]);
            good = 0;
        }
    keel_row row;
    for (int i = 0; status == KEEL_OK && keel_row_at(keel_sim_solver(s), i, &row); i++) {
        if (row.treatment != KEEL_ROW_KEPT) continue;
        count->kept++;
        if (!good || row.units <= ARRIVED) continue;
        snprintf(why, SOUND_WHY, "%s is off by %g round-offs", row.name, row.units);
        good = 0;
    }
    keel_sim_close(s);
    return good;
}

/* A run of gauss8 with fixed steps, which are short enough when half of them change little; are they? */
static int run_fixed(keel_model *m, const struct table *t, const double *allowed, struct sound_end *end) {
    struct sound_end before = {.status = KEEL_ENEWTON};
    for (int steps = 32; steps <= 4096; steps *= 4) {
        sound_run(m, "gauss8", 0, steps, end);
        if (end->status == KEEL_EINVAL) return 1;
        if (enough) return 0;
        if (end->status == KEEL_OK && before.status == KEEL_OK && first_apart(t, end, &before, allowed) < 0)
            return 1;
        before = *end;
    }
    return 0;
}

int sound_takes_too_long(void) {
    return too_long;
}

/* rkf78 is not among them: its estimate does not see a quadrature. */
int sound_methods_agree(keel_model *m, const struct sound *s, struct sound_count *count, char *why) {
    static const char *const method[] = {"dopri5", "taylor", "radau", "gauss8"};
    struct sound_end first, tight, other;
    struct table t;
    double allowed[SOUND_COLUMNS];
    name_columns(m, &t);
    too_long = 0;
    sound_run(m, "dop853", 1e-9, 0, &first);
    if (!too_long) sound_run(m, "dop853", 1e-12, 0, &tight);
    if (too_long) return 1;
    if (s->has_switches) return count->switched++, 1;
    if (first.status == KEEL_ELIMIT || tight.status == KEEL_ELIMIT ||
        (first.status != KEEL_OK && first.t != s->from))
        return count->singular++, 1;
    if (first.status != KEEL_OK || tight.status != KEEL_OK)
        return snprintf(why, SOUND_WHY, "dop853: %s %s", first.message, tight.message), 0;
    int sensitive = allow(&t, &first, &tight, allowed, count);
    for (int k = 0; k < 4; k++) {
        int arrived = 1;
        if (k < 3) sound_run(m, method[k], 1e-9, 0, &other);
        else arrived = run_fixed(m, &t, allowed, &other);
        if (too_long) return 1;
        if (sensitive && (!arrived || other.status == KEEL_ELIMIT))
            continue; /* more steps than are spent here */
        if (other.status == KEEL_EINVAL && other.t == s->from) {
            count->refused++;
            continue;
        }
        if (other.status != KEEL_OK) return snprintf(why, SOUND_WHY, "%s: %s", method[k], other.message), 0;
        int i = first_apart(&t, &first, &other, allowed);
        if (i >= 0 && k < 3) { /* a motion that multiplies its errors: a smaller tolerance shows it */
            sound_run(m, method[k], 1e-12, 0, &other);
            i = other.status == KEEL_OK ? first_apart(&t, &tight, &other, allowed) : i;
            count->sensitive += i < 0;
        }
        if (i >= 0)
            return snprintf(why, SOUND_WHY, "%s = %.15g by dop853, %.15g by %s (%.3g allowed)", t.name[i],
                            first.value[i], other.value[i], method[k], allowed[i]),
                   0;
        count->compared++;
    }
    return promises_hold(m, &t, allowed, count, why);
}

/* The columns of one model by the names of another. */
static void sort_columns(const struct table *to, const struct table *from, struct sound_end *end) {
    double value[SOUND_COLUMNS];
    memcpy(value, end->value, sizeof value);
    for (int i = 0; i < to->columns; i++) {
        end->value[i] = NAN;
        for (int j = 0; j < from->columns; j++)
            if (strcmp(to->name[i], from->name[j]) == 0) end->value[i] = value[j];
    }
}

static int reads_the_same(keel_model *m, const struct sound_end *here, const char *text, int bits,
                          char *why) {
    struct sound_end there;
    struct table a, b;
    double allowed[SOUND_COLUMNS];
    keel_model *other = sound_open(text);
    const char *what = bits ? "with other names" : "in another order";
    if (keel_model_status(other) != KEEL_OK) {
        snprintf(why, SOUND_WHY, "%s: %.400s", what, keel_model_message(other));
        return keel_model_close(other), 0;
    }
    name_columns(m, &a);
    name_columns(other, &b);
    sound_run(other, "dop853", 1e-9, 0, &there);
    keel_model_close(other);
    if (bits && sound_same(here, &there)) return 1;
    if (!bits && here->status != KEEL_OK && there.status == here->status) return 1; /* it ends early */
    if (!bits) sort_columns(&a, &b, &there);
    for (int i = 0; i < a.columns; i++) allowed[i] = bits ? 0 : AGREE * fmax(1, fabs(here->value[i]));
    int i = here->status == there.status ? first_apart(&a, here, &there, allowed) : -1;
    if (!bits && here->status == there.status && i < 0) return 1;
    snprintf(why, SOUND_WHY, "%s: %s = %.17g, not %.17g; %s %s", what, i < 0 ? "?" : a.name[i],
             i < 0 ? NAN : there.value[i], i < 0 ? NAN : here->value[i], here->message, there.message);
    return 0;
}

int sound_texts_agree(keel_model *m, struct sound *s, char *why) {
    static char text[SOUND_TEXT], other[SOUND_TEXT];
    struct sound_end here;
    sound_run(m, "dop853", 1e-9, 0, &here);
    sound_write(s, text);
    sound_rename(text, other);
    if (!reads_the_same(m, &here, other, 1, why)) return 0;
    sound_reorder(s, (uint64_t)s->used + 17);
    sound_write(s, other);
    return s->has_switches || reads_the_same(m, &here, other, 0, why);
}
