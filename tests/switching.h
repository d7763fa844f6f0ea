/* switching.h - models that switch thousands of times, beside a reference that shares nothing with keel: on
 * the plastic branch an angle in the place of the stress, Runge-Kutta steps, and bisection where a guard
 * falls through zero. */
#ifndef KEEL_TESTS_SWITCHING_H
#define KEEL_TESTS_SWITCHING_H

#include "model_run.h"

enum { SWITCHING_WIDTH = 8 };

struct switching {
    const char *example, *more; /* lines added to the example, or "" */
    const char *set;            /* a parameter, or NULL */
    double rtol, near;          /* of the run; how well times and loss agree */
    double energy;              /* typical */
    /* The reference. */
    int width;
    double dt, start[SWITCHING_WIDTH];
    int mode; /* to begin with; the same number as in the model */
    void (*rate)(int mode, double t, const double *x, double *dx);
    double (*guard)(int mode, double t, const double *x); /* > 0 in the mode */
    /* The state in the next mode, which is returned; the event, or events, that led there. */
    int (*next)(int mode, double t, double *x, const char **event);
};

struct switching_walk {
    double t, x[SWITCHING_WIDTH];
    int mode;
    const char *event;
};

static inline void switching_step(const struct switching *w, int mode, double t, double h, double *x) {
    double k[4][SWITCHING_WIDTH], y[SWITCHING_WIDTH];
    w->rate(mode, t, x, k[0]);
    for (int s = 1; s < 4; s++) {
        double part = s < 3 ? h / 2 : h;
        for (int i = 0; i < w->width; i++) y[i] = x[i] + part * k[s - 1][i];
        w->rate(mode, t + part, y, k[s]);
    }
    for (int i = 0; i < w->width; i++) x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

/* To the next switch; not beyond t_end: 0.  A guard counts once it has been above zero, beyond
 * round-off. */
static inline int switching_next(const struct switching *w, struct switching_walk *at, double t_end) {
    int armed = w->guard(at->mode, at->t, at->x) > 1e-9;
    while (at->t < t_end) {
        double y[SWITCHING_WIDTH], h = fmin(w->dt, t_end - at->t);
        memcpy(y, at->x, sizeof y);
        switching_step(w, at->mode, at->t, h, y);
        if (w->guard(at->mode, at->t + h, y) > 0) armed = 1;
        else if (armed) {
            double low = 0, high = h;
            for (int k = 0; k < 60; k++) {
                double middle = (low + high) / 2;
                memcpy(y, at->x, sizeof y);
                switching_step(w, at->mode, at->t, middle, y);
                if (w->guard(at->mode, at->t + middle, y) > 0) low = middle;
                else high = middle;
            }
            at->t += high;
            memcpy(at->x, y, sizeof y);
            at->mode = w->next(at->mode, at->t, at->x, &at->event);
            return 1;
        }
        memcpy(at->x, y, sizeof y);
        at->t = at->t + h;
    }
    return 0;
}

/* The plastic path of examples/plastic_path.keel.  Elastic: Q, work, loss.  Plastic: the angle of Q, 0, work,
 * loss. */
static const double switching_ke = 200000, switching_Q0 = 200;
#define SWITCHING_STRAIN(t) \
    { -0.002 * sin(t), 0.0003 * cos(t) } /* its rate */

static inline void switching_path_rate(int mode, double t, const double *x, double *dx) {
    const double v[2] = SWITCHING_STRAIN(t);
    if (mode == 0) {
        dx[0] = switching_ke * v[0], dx[1] = switching_ke * v[1];
        dx[2] = x[0] * v[0] + x[1] * v[1], dx[3] = 0;
        return;
    }
    double c = cos(x[0]), s = sin(x[0]);
    dx[0] = switching_ke / switching_Q0 * (c * v[1] - s * v[0]), dx[1] = 0;
    dx[2] = dx[3] = switching_Q0 * (c * v[0] + s * v[1]); /* all work is lost */
}

static inline double switching_path_guard(int mode, double t, const double *x) {
    const double v[2] = SWITCHING_STRAIN(t);
    return mode == 0 ? switching_Q0 - hypot(x[0], x[1]) : cos(x[0]) * v[0] + sin(x[0]) * v[1];
}

static inline int switching_path_next(int mode, double t, double *x, const char **event) {
    (void)t;
    double a = mode == 0 ? atan2(x[1], x[0]) : x[0];
    x[0] = mode == 0 ? a : switching_Q0 * cos(a);
    x[1] = mode == 0 ? 0 : switching_Q0 * sin(a);
    *event = mode == 0 ? "yield" : "unload";
    return 1 - mode;
}

static const struct switching switching_path = {"plastic_path",
                                                "",
                                                NULL,
                                                1e-10,
                                                1e-8,
                                                0.1,
                                                4,
                                                0.002,
                                                {0},
                                                0,
                                                switching_path_rate,
                                                switching_path_guard,
                                                switching_path_next};

/* The mass of examples/stick_slip.keel: x, v, work, loss, side. */
static inline double switching_shake(double t) {
    return 0.9 * cos(0.6 * t) + 0.9 * cos(1.7 * t);
}

static inline void switching_mass_rate(int mode, double t, const double *x, double *dx) {
    memset(dx, 0, 5 * sizeof *dx);
    if (mode == 0) return;
    dx[0] = x[1], dx[1] = switching_shake(t) - x[0] - x[4];
    dx[2] = switching_shake(t) * x[1], dx[3] = x[4] * x[1];
}

static inline double switching_mass_guard(int mode, double t, const double *x) {
    return mode == 0 ? 1 - fabs(switching_shake(t) - x[0]) : x[4] * x[1];
}

static inline int switching_mass_next(int mode, double t, double *x, const char **event) {
    double pull = switching_shake(t) - x[0];
    x[1] = 0;
    *event = mode == 0 ? "slip" : fabs(pull) < 1 ? "halt rest" : "halt";
    x[4] = mode == 0 ? (pull > 0) - (pull < 0) : fabs(pull) < 1 ? 0 : -x[4];
    return x[4] != 0;
}

static const struct switching switching_mass = {"stick_slip",
                                                "",
                                                NULL,
                                                1e-10,
                                                1e-8,
                                                1,
                                                5,
                                                0.004,
                                                {0.8},
                                                0,
                                                switching_mass_rate,
                                                switching_mass_guard,
                                                switching_mass_next};

/* The plane of examples/friction2.keel, driven along an ellipse: x, y, r, work, loss; sliding: the angle of
 * r, 0. */
#define SWITCHING_MASS (22500 / 9.86960440108935861883)
#define SWITCHING_FORCE(t) \
    { 500 * cos(12.5663706143591729539 * (t)), 50 * sin(12.5663706143591729539 * (t)) }

static inline void switching_plane_rate(int mode, double t, const double *x, double *dx) {
    const double p[2] = SWITCHING_FORCE(t), damp = 190.985931710274402923;
    double r[2] = {x[4], x[5]}, flow = 0;
    if (mode == 1) {
        r[0] = 50 * cos(x[4]), r[1] = 50 * sin(x[4]);
        dx[4] = 1000 * (x[3] * r[0] - x[2] * r[1]) / 50, dx[5] = 0;
        flow = x[2] * r[0] + x[3] * r[1];
    }
    for (int i = 0; i < 2; i++) {
        dx[i] = x[2 + i];
        dx[2 + i] = (p[i] - 10000 * x[i] - damp * x[2 + i] - r[i]) / SWITCHING_MASS;
        if (mode == 0) dx[4 + i] = 50000 * x[2 + i];
    }
    dx[6] = p[0] * x[2] + p[1] * x[3];
    dx[7] = damp * (x[2] * x[2] + x[3] * x[3]) + flow;
}

static inline double switching_plane_guard(int mode, double t, const double *x) {
    (void)t;
    return mode == 0 ? 50 - hypot(x[4], x[5]) : x[2] * cos(x[4]) + x[3] * sin(x[4]);
}

static inline int switching_plane_next(int mode, double t, double *x, const char **event) {
    (void)t;
    double a = mode == 0 ? atan2(x[5], x[4]) : x[4];
    x[4] = mode == 0 ? a : 50 * cos(a);
    x[5] = mode == 0 ? 0 : 50 * sin(a);
    *event = mode == 0 ? "slip" : "grip";
    return 1 - mode;
}

static const struct switching switching_plane = {
    "friction2",
    "var work, loss\nwork' = p0*cos(wd*t)*y[1] + p1*sin(wd*t)*y[2]\nloss' = c*dot(y, y) + lam*dot(r, r)/ry\n"
    "invariant balance = m*dot(y, y)/2 + k*dot(x, x)/2 + dot(r, r)/(2*kd) + loss - work\n"
    "init work = 0, loss = 0\n",
    "p1=50",
    1e-10,
    1e-7,
    1,
    8,
    0.0002,
    {0},
    1,
    switching_plane_rate,
    switching_plane_guard,
    switching_plane_next};

/* Rows of the mode in force, at every step and event. */
static double switching_units;

static inline void switching_watch(keel_solver *s, void *user) {
    (void)user;
    switching_units = fmax(switching_units, worst_units(s, NULL));
}

static inline keel_model *switching_model(const struct switching *w) {
    char path[600], text[4000];
    snprintf(path, sizeof path, "%s/%s.keel", KEEL_EXAMPLES_DIR, w->example);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t length = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    length += (size_t)snprintf(text + length, sizeof text - length, "%s", w->more);
    assert_true(length < sizeof text - 1);
    keel_model *m = keel_model_read(w->example, text, length,
                                    &(keel_model_options){.set = &w->set, .sets = w->set != NULL});
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    return m;
}

/* The balance is what the energy account leaves open: energy + loss - work against its start. */
static inline void switching_check(const struct switching *w, long switches) {
    struct switching_walk at = {0, {0}, w->mode, NULL};
    keel_model *m = switching_model(w);
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = w->rtol, .observe = switching_watch});
    keel_row row;
    keel_event_record h;
    long events = 0;
    double balance = 0, worst = 0;
    memcpy(at.x, w->start, sizeof at.x);
    for (int i = 0; keel_row_at(keel_sim_solver(s), i, &row); i++)
        if (strcmp(row.name, "balance") == 0) balance = row.start;
    switching_units = 0;
    for (long k = 0; k < switches; k++) {
        assert_true(switching_next(w, &at, HUGE_VAL));
        if (!keel_sim_event(s, events, &h)) run_to(s, at.t + 1e-5);
        for (const char *name = at.event; *name; events++) {
            size_t length = strcspn(name, " ");
            if (!keel_sim_event(s, events, &h)) fail_msg("switch %ld at t = %.10g was not found", k, at.t);
            if (strncmp(h.event, name, length) != 0)
                fail_msg("%s at t = %.10g, not %s", h.event, h.t, at.event);
            assert_near(h.t, at.t, w->near * fmax(1, at.t / 100));
            name += length + (name[length] == ' ');
        }
        worst = fmax(worst, fabs(h.t - at.t));
    }
    assert_int_equal(event_records(s), events); /* and none besides: no chatter */
    assert_below(switching_units, 16);
    assert_true(keel_row_at(keel_sim_solver(s), 0, &row));
    double left = 0;
    for (int i = 0; keel_row_at(keel_sim_solver(s), i, &row); i++)
        if (strcmp(row.name, "balance") == 0) left = row.start + row.last - balance;
    double t = keel_time(keel_sim_solver(s)), loss = value_of(s, "loss");
    switching_next(w, &at, t);
    print_message("%s: %ld switches to t = %.6g, times to %.1e, rows %.2g units, balance open by %.1e, loss "
                  "%.6g to %.1e\n",
                  w->example, switches, t, worst, switching_units, left, loss,
                  loss - at.x[w->width == 8 ? 7 : 3]);
    assert_true(loss > w->energy);
    assert_near(left, 0, w->rtol * loss);
    assert_near(at.x[w->width == 8 ? 7 : 3], loss, w->near * loss);
    keel_sim_close(s);
    keel_model_close(m);
}
#endif
