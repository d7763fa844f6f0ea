/* rows.c - the rows of the table. */
#include "peers/peer.h"

enum {
    ODE = COURSE_ODE,
    MECHANICS = COURSE_MECHANICS,
    STEPS = COURSE_STEPS,
    LARGE = COURSE_LARGE,
    SMOOTH = ODE | MECHANICS | LARGE,
    ALL = SMOOTH | STEPS
};

static const struct peer_row rows[] = {
    {&peer_hand, "rk4", ALL, .order = 4},
    {&peer_hand, "rk4+project", MECHANICS | LARGE, .order = 4},
    {&peer_hand, "kahan-li8", ODE, .order = 8},
    {&peer_keel, "rk4", ODE | STEPS, .order = 4, .preserve = KEEL_NONE},
    {&peer_keel, "rk4", STEPS, .order = 4, .preserve = KEEL_WATCH},
    {&peer_keel, "rk4", STEPS, .order = 4, .preserve = KEEL_ADJUST},
    {&peer_keel, "rk4", ALL, .order = 4, .preserve = KEEL_PROJECT},
    {&peer_keel, "rk4", LARGE, .order = 4, .preserve = KEEL_PROJECT, .no_energy = 1},
    {&peer_keel, "dop853", STEPS, .order = 8, .preserve = KEEL_NONE},
    {&peer_keel, "dop853", STEPS, .order = 8, .preserve = KEEL_PROJECT},
    {&peer_keel, "rkf78", STEPS, .order = 8, .preserve = KEEL_NONE},
    {&peer_keel, "dop853", ODE | STEPS, .preserve = KEEL_NONE},
    {&peer_keel, "dop853", ALL, .preserve = KEEL_PROJECT},
    {&peer_keel, "dop853", LARGE, .preserve = KEEL_PROJECT, .no_energy = 1},
    {&peer_keel, "rkf78", SMOOTH, .preserve = KEEL_PROJECT},
    {&peer_keel, "gauss8", MECHANICS, .order = 8, .preserve = KEEL_PROJECT},
    {&peer_keel, "gauss12", ODE, .order = 12, .preserve = KEEL_NONE},
    {&peer_keel, "taylor", ALL, .preserve = KEEL_PROJECT},
    {&peer_keel, "radau", MECHANICS, .preserve = KEEL_PROJECT},
    {&peer_keel, "radau-ggl", MECHANICS, .preserve = KEEL_NONE},
    {&peer_keel, "rattle8", MECHANICS, .order = 8, .preserve = KEEL_NONE},
    {&peer_model, "rk4", ODE | STEPS, .order = 4, .preserve = KEEL_NONE},
    {&peer_model, "rk4", STEPS | LARGE, .order = 4, .preserve = KEEL_PROJECT},
    {&peer_model, "dop853", STEPS, .order = 8, .preserve = KEEL_NONE},
    {&peer_model, "dop853", STEPS, .order = 8, .preserve = KEEL_PROJECT},
    {&peer_model, "kahan-li8", ODE, .order = 8, .preserve = KEEL_NONE},
    {&peer_model, "kahan-li8", ODE, .order = 8, .preserve = KEEL_NONE, .compensated = 1},
    {&peer_model, "gauss12", ODE, .order = 12, .preserve = KEEL_NONE, .compensated = 1},
    {&peer_model, "dop853", SMOOTH, .preserve = KEEL_PROJECT},
    {&peer_model, "taylor", ODE, .preserve = KEEL_NONE},
    {&peer_model, "taylor", SMOOTH, .preserve = KEEL_PROJECT},
    {&peer_model, "taylor", SMOOTH, .preserve = KEEL_PROJECT, .compensated = 1},
    {&peer_gsl, "rk4", STEPS, .order = 4},
    {&peer_gsl, "rk8pd", STEPS, .order = 8},
    {&peer_gsl, "rk8pd", ALL, .order = 0},
    {&peer_gsl, "msadams", ODE | MECHANICS, .order = 0},
    {&peer_odeint, "rk4", STEPS, .order = 4},
    {&peer_odeint, "fehlberg78", STEPS, .order = 8},
    {&peer_odeint, "fehlberg78", ALL, .order = 0},
    {&peer_odeint, "bulirsch-stoer", SMOOTH, .order = 0},
    {&peer_sundials, "CVODE Adams", ALL, .order = 0},
    {&peer_sundials, "CVODE BDF+project", MECHANICS, .order = 0},
    {&peer_sundials, "IDA, index 2", MECHANICS | LARGE, .order = 0},
};

const struct peer_row *peer_row_at(int i) {
    return i < (int)(sizeof rows / sizeof *rows) ? &rows[i] : NULL;
}
