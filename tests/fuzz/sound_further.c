/* sound_further.c - the whole model: its form, then events, modes and columns; see sound.h. */
#include "sound.h"

static int below(struct sound *s, int n) {
    return sound_below(&s->dice, n);
}

/* A time inside the run, apart from those of other events. */
static const char *moment(struct sound *s) {
    double part = 0.11 + 0.04 * below(s, 20) + 0.0007 * s->names;
    return sound_say(s, "%.6g", s->from + part * (s->to - s->from));
}

/* Two modes with rates of their own, changed by the clock. */
void sound_modes(struct sound *s) {
    const char *a = sound_name(s, "w"), *b = sound_name(s, "w"), *x = sound_name(s, "x");
    s->has_actions = 1;
    sound_line(s, SOUND_DECLARATION, "var %s", x);
    sound_line(s, SOUND_VALUE, "init %s = 0.4", x);
    sound_add(&s->atom, x);
    sound_line(s, SOUND_EVENT, "mode %s:\n    %s' = -%s*%s + %s\n    event %s: t - %s crossing -> mode %s%s",
               a, x, sound_positive(s), x, sound_bounded(s, 2), sound_name(s, "h"), moment(s), b,
               sound_one_in(s, 3) ? sound_say(s, ", %s := 0.5*%s + 0.1", x, x) : "");
    sound_line(s, SOUND_EVENT, "mode %s:\n    %s' = %s*%s - %s", b, x, sound_constant(s), sound_bounded(s, 2),
               sound_one_in(s, 3) ? sound_say(s, "%s.enter*%s", x, x) : x);
    sound_line(s, SOUND_VALUE, "start %s", a);
}

void sound_events(struct sound *s) {
    for (int i = below(s, 3); i > 0; i--) {
        const char *name = sound_name(s, "h");
        static const char *const way[] = {"rising", "falling", "crossing"};
        if (s->free.count && sound_one_in(s, 2)) {
            const char *x = sound_pick(s, &s->free);
            s->has_actions = 1;
            sound_line(s, SOUND_EVENT, "event %s: t - %s crossing -> %s := 0.9*%s + 0.05*cos(%s)%s", name,
                       moment(s), x, x, x, sound_one_in(s, 2) ? ", record" : "");
        } else
            sound_line(s, SOUND_EVENT, "event %s: sin(%s) + %s - 0.3 + %s %s -> record", name,
                       s->atom.item[0],
                       sound_pick(s, &s->atom), /* the first is no `let`, which may be constant */
                       sound_one_in(s, 4) ? sound_nonsmooth(s, 2) : sound_expression(s, 2), way[below(s, 3)]);
    }
}

void sound_columns(struct sound *s) {
    for (int i = below(s, 3); i > 0; i--) {
        int switches = s->has_switches; /* what is only shown has no part in the motion */
        sound_line(s, SOUND_VALUE, "output %s = %s", sound_name(s, "o"),
                   sound_one_in(s, 3) ? sound_nonsmooth(s, 2) : sound_expression(s, 3));
        s->has_switches = switches;
    }
}

void sound_make(struct sound *s, struct sound_dice dice, int allow_switches) {
    static const double span[][2] = {{0, 0.5}, {0, 1}, {0, 0.8}, {1, 1.5}, {0, -0.5}, {-0.25, 0.25}};
    *s = (struct sound){.dice = dice, .allow_switches = allow_switches};
    int form = below(s, 12), run = below(s, 6);
    s->from = span[run][0], s->to = span[run][1];
    sound_line(s, SOUND_VALUE, "run %g .. %g", s->from, s->to);
    if (sound_one_in(s, 4)) sound_line(s, SOUND_VALUE, "model %s", sound_name(s, "d"));
    sound_parameters(s);
    if (allow_switches && sound_one_in(s, 3)) sound_table(s);
    if (form < 4) sound_ode(s);
    else if (form < 6) sound_dae(s);
    else if (form < 8) sound_lagrangian(s);
    else if (form < 10) sound_hamiltonian(s);
    else if (form < 11) sound_structure(s);
    else sound_modes(s);
    if (form == 11 && sound_one_in(s, 2)) sound_ode(s);
    sound_events(s);
    sound_columns(s);
    if (sound_one_in(s, 6))
        sound_line(s, SOUND_VALUE, "options method = %s", sound_one_in(s, 2) ? "radau" : "dop853");
}
