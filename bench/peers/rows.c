/* rows.c - the rows of the table. */
#include "peers/peer.h"

enum {
    ODE = CASE_ODE,
    MECHANICS = CASE_MECHANICS,
    STEPS = CASE_STEPS,
    LARGE = CASE_LARGE,
    SMOOTH = ODE | MECHANICS | LARGE,
    ALL = SMOOTH | STEPS
};

static const struct peer_row rows[] = {
    {&peer_hand, "rk4", ALL, .order = 4},
    {&peer_hand, "rk4+project", MECHANICS | LARGE, .order = 4},
    {&peer_hand, "kahan-li8", ODE, .order = 8},
    {&peer_keel, "rk4", ODE | STEPS, .order = 4, .stabilizer = "none"},
    {&peer_keel, "rk4", STEPS, .order = 4, .stabilizer = "watch"},
    {&peer_keel, "rk4", STEPS, .order = 4, .stabilizer = "adjust"},
    {&peer_keel, "rk4", ALL, .order = 4, .stabilizer = "project"},
    {&peer_keel, "rk4", LARGE, .order = 4, .stabilizer = "project", .no_energy = 1},
    {&peer_keel, "dop853", STEPS, .order = 8, .stabilizer = "none"},
    {&peer_keel, "dop853", STEPS, .order = 8, .stabilizer = "project"},
    {&peer_keel, "rkf78", STEPS, .order = 8, .stabilizer = "none"},
    {&peer_keel, "dop853", ODE | STEPS, .stabilizer = "none"},
    {&peer_keel, "dop853", ALL, .stabilizer = "project"},
    {&peer_keel, "dop853", LARGE, .stabilizer = "project", .no_energy = 1},
    {&peer_keel, "rkf78", SMOOTH, .stabilizer = "project"},
    {&peer_keel, "gauss8", MECHANICS, .order = 8, .stabilizer = "project"},
    {&peer_keel, "gauss12", ODE, .order = 12, .stabilizer = "none"},
    {&peer_keel, "taylor", ALL, .stabilizer = "project"},
    {&peer_keel, "radau", MECHANICS, .stabilizer = "project"},
    {&peer_keel, "radau-ggl", MECHANICS, .stabilizer = "none"},
    {&peer_keel, "rattle8", MECHANICS, .order = 8, .stabilizer = "none"},
    {&peer_model, "rk4", ODE | STEPS, .order = 4, .stabilizer = "none"},
    {&peer_model, "rk4", STEPS | LARGE, .order = 4, .stabilizer = "project"},
    {&peer_model, "dop853", STEPS, .order = 8, .stabilizer = "none"},
    {&peer_model, "dop853", STEPS, .order = 8, .stabilizer = "project"},
    {&peer_model, "kahan-li8", ODE, .order = 8, .stabilizer = "none"},
    {&peer_model, "kahan-li8", ODE, .order = 8, .stabilizer = "none", .compensated = 1},
    {&peer_model, "gauss12", ODE, .order = 12, .stabilizer = "none", .compensated = 1},
    {&peer_model, "dop853", SMOOTH, .stabilizer = "project"},
    {&peer_model, "dop853", LARGE, .stabilizer = "project", .no_energy = 1},
    {&peer_model, "taylor", ODE, .stabilizer = "none"},
    {&peer_model, "taylor", SMOOTH, .stabilizer = "project"},
    {&peer_model, "taylor", SMOOTH, .stabilizer = "project", .compensated = 1},
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
