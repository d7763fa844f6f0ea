/* contacts.h - random scenes of five bodies, three disks and two blocks, in a box: nothing falls through
 * anything, and every impact has the laws of momentum, restitution and friction.  The geometry is written
 * down here once more, independently of the parts. */
#ifndef CONTACTS_H
#define CONTACTS_H

#include "testing.h"

#include "model_run.h"

enum { CONTACTS_BODIES = 5, CONTACTS_COORDINATES = 3 * CONTACTS_BODIES };
#define CONTACTS_WALL 2.0

struct contacts_scene {
    double m[CONTACTS_BODIES], radius[CONTACTS_BODIES], inertia[CONTACTS_BODIES];
    double x[CONTACTS_BODIES], y[CONTACTS_BODIES], start[4 * CONTACTS_BODIES]; /* vx, vy, angle, spin */
    double half[2][2]; /* of the blocks, bodies 4 and 5 */
    double restitution, friction;
};

static uint64_t contacts_random_state;

static double contacts_random(double from, double to) {
    contacts_random_state = contacts_random_state * 6364136223846793005u + 1442695040888963407u;
    return from + (to - from) * (double)(contacts_random_state >> 11) / 9007199254740992.0;
}

/* Bodies apart from each other and from the walls. */
static struct contacts_scene contacts_draw(unsigned seed) {
    static const double restitutions[] = {0, 0.2, 0.5, 0.8, 0.95, 1}, frictions[] = {0, 0.1, 0.3, 0.6, 1};
    struct contacts_scene s;
    contacts_random_state = 2 * (uint64_t)seed + 1;
    for (int i = 0; i < 20; i++) contacts_random(0, 1);
    s.restitution = restitutions[(int)contacts_random(0, 6)];
    s.friction = frictions[(int)contacts_random(0, 5)];
    for (int i = 0; i < CONTACTS_BODIES; i++) {
        int apart = 0;
        s.radius[i] = contacts_random(0.1, 0.25);
        while (!apart) {
            s.x[i] = contacts_random(-1.6, 1.6), s.y[i] = contacts_random(0.4, 3);
            apart = 1;
            for (int j = 0; j < i; j++)
                apart &= hypot(s.x[i] - s.x[j], s.y[i] - s.y[j]) > s.radius[i] + s.radius[j] + 0.05;
        }
        s.m[i] = contacts_random(0.5, 3);
        s.inertia[i] = s.m[i] * s.radius[i] * s.radius[i] * contacts_random(0.3, 0.6);
        s.start[4 * i] = contacts_random(-2, 2), s.start[4 * i + 1] = contacts_random(-2, 2);
        s.start[4 * i + 2] = contacts_random(-3, 3), s.start[4 * i + 3] = contacts_random(-5, 5);
        if (i < 3) continue;
        double share = contacts_random(0.4, 0.9);
        s.half[i - 3][0] = share * s.radius[i], s.half[i - 3][1] = sqrt(1 - share * share) * s.radius[i];
    }
    return s;
}

/* One text for all scenes: they differ in parameters and start values. */
static keel_model *contacts_model(void) {
    char text[12000] = "library body2d\nparam e = 0.5, mu = 0.3\n", line[400];
    for (int i = 1; i <= CONTACTS_BODIES; i++) {
        snprintf(line, sizeof line,
                 "param m%d = 1, J%d = 1, R%d = 0.1%s\nuse Body b%d(m = m%d, J = J%d)\n"
                 "init b%d.r = (%d, 1), b%d.r' = (0, 0), b%d.phi = 0, b%d.phi' = 0\n",
                 i, i, i, i > 3 ? i == 4 ? ", u4 = 0.1, w4 = 0.1" : ", u5 = 0.1, w5 = 0.1" : "", i, i, i, i,
                 i - 3, i, i, i);
        strcat(text, line);
        static const char *const wall[] = {"f", "(0, 0), (1, 0)", "l", "(-2, 0), (0, -1)",
                                           "r", "(2, 0), (0, 1)"};
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < (i > 3 ? 4 : 1); c++) {
                char point[60] = "0, 0", round[20] = "";
                if (i > 3)
                    snprintf(point, sizeof point, "%su%d, %sw%d", c & 1 ? "" : "-", i, c & 2 ? "" : "-", i);
                else snprintf(round, sizeof round, ", R = R%d", i);
                snprintf(line, sizeof line,
                         "use Contact %s%d_%d(b%d, (%s), ground, %s%s, restitution = e, friction = mu)\n",
                         wall[2 * k], i, c, i, point, wall[2 * k + 1], round);
                strcat(text, line);
            }
        for (int j = 1; j < i; j++) {
            snprintf(
                line, sizeof line,
                "use CircleContact c%d_%d(b%d, (0, 0), R%d, b%d, (0, 0), R%d, restitution = e, friction = "
                "mu)\n",
                j, i, j, j, i, i);
            strcat(text, line);
        }
    }
    strcat(text, "run 0 .. 2\n");
    return model_of(text);
}

static void contacts_set(keel_model *m, const struct contacts_scene *s) {
    static char text[60][48];
    const char *set[60];
    int n = 0;
#define PUT(...) (snprintf(text[n], sizeof text[n], __VA_ARGS__), set[n] = text[n], n++)
    PUT("e=%.17g", s->restitution);
    PUT("mu=%.17g", s->friction);
    for (int i = 0; i < CONTACTS_BODIES; i++) {
        PUT("m%d=%.17g", i + 1, s->m[i]);
        PUT("J%d=%.17g", i + 1, s->inertia[i]);
        PUT("R%d=%.17g", i + 1, s->radius[i]);
        PUT("b%d.r[1]=%.17g", i + 1, s->x[i]);
        PUT("b%d.r[2]=%.17g", i + 1, s->y[i]);
        PUT("b%d.r[1]'=%.17g", i + 1, s->start[4 * i]);
        PUT("b%d.r[2]'=%.17g", i + 1, s->start[4 * i + 1]);
        PUT("b%d.phi=%.17g", i + 1, s->start[4 * i + 2]);
        PUT("b%d.phi'=%.17g", i + 1, s->start[4 * i + 3]);
        if (i < 3) continue;
        PUT("u%d=%.17g", i + 1, s->half[i - 3][0]);
        PUT("w%d=%.17g", i + 1, s->half[i - 3][1]);
    }
#undef PUT
    if (keel_model_set_all(m, set, n) != KEEL_OK) fail_msg("%s", keel_model_message(m));
}

/* What a run is held against; q has x, y, angle of each body, then the rates. */
struct contacts_check {
    const struct contacts_scene *scene;
    unsigned seed;
    double before[2 * CONTACTS_COORDINATES], lowest;
    long events, impacts, single; /* seen; impacts; those checked against Newton's law */
    int pending, forced;          /* impacts at this time; a contact was closed before */
    char name[80];                /* of the last of them */
};

static double contacts_energy(const struct contacts_scene *s, const double *u) {
    double sum = 0;
    for (int i = 0; i < CONTACTS_BODIES; i++) {
        const double *v = u + CONTACTS_COORDINATES + 3 * i;
        sum += s->m[i] * (v[0] * v[0] + v[1] * v[1]) / 2 + s->inertia[i] * v[2] * v[2] / 2;
    }
    return sum;
}

/* The smallest gap between any two things. */
static double contacts_gap(const struct contacts_scene *s, const double *u) {
    double least = HUGE_VAL;
    for (int i = 0; i < CONTACTS_BODIES; i++) {
        const double *q = u + 3 * i;
        for (int j = 0; j < i; j++)
            least = fmin(least, hypot(q[0] - u[3 * j], q[1] - u[3 * j + 1]) - s->radius[i] - s->radius[j]);
        for (int c = 0; c < (i < 3 ? 1 : 4); c++) {
            double px = q[0], py = q[1], r = i < 3 ? s->radius[i] : 0;
            if (i >= 3) {
                double a = c & 1 ? s->half[i - 3][0] : -s->half[i - 3][0],
                       b = c & 2 ? s->half[i - 3][1] : -s->half[i - 3][1];
                px += cos(q[2]) * a - sin(q[2]) * b, py += sin(q[2]) * a + cos(q[2]) * b;
            }
            least = fmin(least, fmin(py - r, fmin(px + CONTACTS_WALL - r, CONTACTS_WALL - px - r)));
        }
    }
    return least;
}

/* Where the impact took place, its normal towards body i, and who took part: j -1 for a wall. */
static void contacts_place(const struct contacts_check *k, int *i, int *j, double *point, double *normal) {
    const struct contacts_scene *s = k->scene;
    const double *u = k->before;
    int a, b;
    char kind;
    assert_int_equal(sscanf(k->name, "%c%d_%d", &kind, &a, &b), 3);
    *i = a - 1, *j = -1;
    if (kind == 'c') {
        *j = b - 1;
        double dx = u[3 * *i] - u[3 * *j], dy = u[3 * *i + 1] - u[3 * *j + 1], d = hypot(dx, dy);
        normal[0] = dx / d, normal[1] = dy / d;
        point[0] = u[3 * *j] + s->radius[*j] * normal[0],
        point[1] = u[3 * *j + 1] + s->radius[*j] * normal[1];
        return;
    }
    normal[0] = kind == 'l' ? 1 : kind == 'r' ? -1 : 0, normal[1] = kind == 'f' ? 1 : 0;
    const double *q = u + 3 * *i;
    point[0] = q[0] - s->radius[*i] * normal[0], point[1] = q[1] - s->radius[*i] * normal[1];
    if (*i < 3) return;
    double x = b & 1 ? s->half[*i - 3][0] : -s->half[*i - 3][0],
           y = b & 2 ? s->half[*i - 3][1] : -s->half[*i - 3][1];
    point[0] = q[0] + cos(q[2]) * x - sin(q[2]) * y, point[1] = q[1] + sin(q[2]) * x + cos(q[2]) * y;
}

/* Relative velocity at a point along d. */
static double contacts_speed(const double *u, int i, int j, const double *point, const double *d) {
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        int body = side ? j : i;
        if (body < 0) continue;
        const double *q = u + 3 * body, *v = u + CONTACTS_COORDINATES + 3 * body;
        double vx = v[0] - v[2] * (point[1] - q[1]), vy = v[1] + v[2] * (point[0] - q[0]);
        sum += (side ? -1 : 1) * (vx * d[0] + vy * d[1]);
    }
    return sum;
}

static void contacts_check_single(struct contacts_check *k, const double *after) {
    const struct contacts_scene *s = k->scene;
    int i, j;
    double point[2], n[2], impulse[2], scale = 0;
    contacts_place(k, &i, &j, point, n);
    for (int b = 0; b < CONTACTS_COORDINATES; b++)
        scale = fmax(scale, fabs(k->before[CONTACTS_COORDINATES + b]));
    const double *v = k->before + CONTACTS_COORDINATES + 3 * i, *w = after + CONTACTS_COORDINATES + 3 * i;
    for (int d = 0; d < 2; d++) impulse[d] = s->m[i] * (w[d] - v[d]);
    double small = 1e-8 * scale * s->m[i], t[2] = {-n[1], n[0]};
    double push = impulse[0] * n[0] + impulse[1] * n[1], drag = impulse[0] * t[0] + impulse[1] * t[1];
    double turn = (point[0] - after[3 * i]) * impulse[1] - (point[1] - after[3 * i + 1]) * impulse[0];
    double came = contacts_speed(k->before, i, j, point, n), left = contacts_speed(after, i, j, point, n);
    if (-came <= 1e-4 * scale) return; /* completed to rest */
    if (push < -small || fabs(drag) > s->friction * push + small)
        fail_msg("scene %u, %s: push %g, drag %g, friction %g", k->seed, k->name, push, drag, s->friction);
    if (fabs(s->inertia[i] * (w[2] - v[2]) - turn) > small)
        fail_msg("scene %u, %s: the angular momentum is off by %g", k->seed, k->name,
                 s->inertia[i] * (w[2] - v[2]) - turn);
    if (j >= 0)
        for (int d = 0; d < 2; d++) {
            double other = s->m[j] * (after[CONTACTS_COORDINATES + 3 * j + d] -
                                      k->before[CONTACTS_COORDINATES + 3 * j + d]);
            if (fabs(other + impulse[d]) > small)
                fail_msg("scene %u, %s: momentum is lost", k->seed, k->name);
        }
    double energy = contacts_energy(s, k->before);
    int lessened =
        fabs(contacts_energy(s, after) - energy) <= 1e-9 * energy; /* by what friction would make */
    if (fabs(left + s->restitution * came) > 1e-8 * scale && !(lessened && left < -s->restitution * came))
        fail_msg("scene %u, %s: comes at %g, leaves at %g, restitution %g", k->seed, k->name, came, left,
                 s->restitution);
    double slides = contacts_speed(after, i, j, point, t);
    if (fabs(slides) > 1e-8 * scale &&
        (drag * slides > small * scale || fabs(fabs(drag) - s->friction * push) > small))
        fail_msg("scene %u, %s: it slides at %g with drag %g of push %g", k->seed, k->name, slides, drag,
                 push);
    k->single++;
}

static void contacts_look(keel_solver *solver, void *user) {
    keel_sim *sim = user;
    struct contacts_check *k = keel_sim_attached(sim);
    const double *u = keel_state(solver);
    keel_event_record one;
    k->lowest = fmin(k->lowest, contacts_gap(k->scene, u));
    if (keel_sim_event(sim, k->events, &one)) {
        double value[4 * CONTACTS_COORDINATES + 200];
        if (k->pending == 0) memcpy(k->before, u, sizeof k->before);
        k->events++;
        if (k->pending == 0) k->forced = 0;
        assert_true(keel_sim_columns(sim) < (int)(sizeof value / sizeof *value));
        assert_int_equal(keel_sim_values(sim, value), KEEL_OK);
        for (int i = 2 * CONTACTS_COORDINATES; i < keel_sim_columns(sim); i++) k->forced |= value[i] != 0;
        if (!strstr(one.event, " impact")) return;
        k->pending++;
        snprintf(k->name, sizeof k->name, "%s", one.event);
    } else if (k->pending) {
        double before = contacts_energy(k->scene, k->before), now = contacts_energy(k->scene, u);
        if (now > before * (1 + 1e-9))
            fail_msg("scene %u: energy %.17g, %.17g at %s", k->seed, before, now, k->name);
        if (k->pending == 1 && !k->forced) contacts_check_single(k, u);
        k->impacts += k->pending;
        k->pending = 0;
    }
}

/* Runs scenes first .. last - 1; the impacts that were checked one by one, and the scenes that jammed. */
static inline long contacts_run(unsigned first, unsigned last, int *jams) {
    keel_model *m = contacts_model();
    long single = 0;
    for (unsigned seed = first; seed < last; seed++) {
        struct contacts_scene scene = contacts_draw(seed);
        struct contacts_check check = {.scene = &scene, .seed = seed, .lowest = HUGE_VAL};
        contacts_set(m, &scene);
        keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-8, .observe = contacts_look});
        keel_sim_attach(s, &check);
        keel_status status = keel_sim_run(s, 2);
        if (status == KEEL_ESINGULAR && strstr(keel_sim_message(s), "Painleve")) ++*jams;
        else if (status != KEEL_OK) fail_msg("scene %u: %d, %s", seed, (int)status, keel_sim_message(s));
        if (!(check.lowest > -1e-8)) /* 1e-9 of the size of a gap, some metres */
            fail_msg("scene %u: something is in another by %g", seed, -check.lowest);
        single += check.single;
        keel_sim_close(s);
    }
    keel_model_close(m);
    return single;
}

#endif
