/* drift.c - the drift of an orbit's energy, with and without a stabilizer, as an SVG on standard output.
 * docs/drift.svg is its output. */
#include <keel.h>

#include "problems.h"

#include <math.h>
#include <stdio.h>

enum { ORBITS = 100, WIDTH = 720, HEIGHT = 330, LEFT = 70, RIGHT = 20, TOP = 46, BOTTOM = 46 };

struct curve {
    double largest; /* since the last point */
    double point[ORBITS];
};

static void watch(keel_solver *s, void *user) {
    struct curve *c = user;
    keel_row row;
    keel_row_at(s, 0, &row);
    c->largest = fmax(c->largest, fabs(row.last) / row.unit);
}

/* Drift of the energy in round-offs, the largest of each orbit. */
static void measure(problem *p, const char *method, struct curve *c) {
    keel_problem watched = p->keel;
    keel_options o = {.method = method, .rtol = 1e-8, .observe = watch};
    watched.user = c; /* Kepler's functions need no parameters */
    keel_solver *s = keel_open(&watched, &o);
    for (int i = 0; i < ORBITS; i++) {
        c->largest = 0;
        if (keel_run(s, (i + 1) * p->t_end) < 0) fprintf(stderr, "drift: %s\n", keel_message(s));
        c->point[i] = fmax(c->largest, 0.05);
    }
    keel_close(s);
}

static double across(double orbit) {
    return LEFT + orbit / ORBITS * (WIDTH - LEFT - RIGHT);
}

static double up(double units) { /* 0.1 .. 1e10 on a logarithmic axis */
    return HEIGHT - BOTTOM - (log10(units) + 1) / 11 * (HEIGHT - TOP - BOTTOM);
}

static void draw(const struct curve *c, const char *colour, const char *label, double label_at) {
    printf("<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
    for (int i = 0; i < ORBITS; i += i < 10 ? 1 : 3)
        printf("%.0f,%.1f ", across(i + 1), up(fmax(c->point[i], 0.1)));
    printf("\"/>\n<text x=\"%d\" y=\"%.0f\" fill=\"%s\" text-anchor=\"end\">%s</text>\n", WIDTH - RIGHT - 6,
           label_at, colour, label);
}

int main(void) {
    static struct curve plain, projected;
    problem p;
    problem_kepler(&p, 0.6, 1);
    measure(&p, "dopri5+watch", &plain);
    measure(&p, "dopri5+project", &projected);
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
           "font-size=\"13\">\n",
           WIDTH, HEIGHT);
    printf("<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
    printf("<text x=\"%d\" y=\"24\" font-size=\"15\" fill=\"#222\">Drift of an orbit's energy, in "
           "round-offs</text>\n",
           LEFT);
    for (int power = 0; power <= 10; power += 2) {
        double y = up(pow(10, power));
        printf("<path d=\"M%d %.0fH%d\" stroke=\"#ddd\"/>", LEFT, y, WIDTH - RIGHT);
        printf("<text x=\"%d\" y=\"%.0f\" fill=\"#555\" text-anchor=\"end\">10<tspan dy=\"-5\" "
               "font-size=\"9\">%d</tspan></text>\n",
               LEFT - 8, y + 4, power);
    }
    for (int orbit = 0; orbit <= ORBITS; orbit += 20)
        printf("<text x=\"%.0f\" y=\"%d\" fill=\"#555\" text-anchor=\"middle\">%d</text>\n", across(orbit),
               HEIGHT - BOTTOM + 20, orbit);
    printf("<text x=\"%d\" y=\"%d\" fill=\"#555\" text-anchor=\"middle\">orbits</text>\n",
           (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8);
    draw(&plain, "#c0392b", "dopri5, rtol 1e-8", up(plain.point[ORBITS - 1]) - 10);
    draw(&projected, "#1f6fb2", "dopri5+project, rtol 1e-8", up(1) - 8);
    printf("</svg>\n");
    return 0;
}
