/* plot_events.c - what happened during a run, behind its curves over t: lines at events, bands for modes. */
#include "cli/plots/plot.h"

enum { MOST_LINES = 60, MOST_BANDS = 40 };
static const double least_named = 0.1; /* of the axis: a band so wide has its name in it */

static void band(FILE *g, const keel_model *m, int mode, double from, double to, int odd, double span) {
    keel_mode about = {0};
    if (odd)
        fprintf(g,
                "set object rectangle from first %.17g, graph 0 to first %.17g, graph 1 behind "
                "fillcolor rgb '#808080' fillstyle transparent solid 0.12 noborder\n",
                from, to);
    if (to - from < least_named * span || !keel_model_mode(m, mode, &about) || !about.name) return;
    fputs("set label ", g);
    gnuplot_text(g, about.name);
    fprintf(g, " at first %.17g, graph 0.96 center font ',9' textcolor rgb '#808080'\n", (from + to) / 2);
}

static void bands(FILE *g, const keel_sim *sim, double low, double high) {
    keel_event_record one;
    double from = low;
    int count = 0, mode = 0;
    for (long i = 0; keel_sim_event(sim, i, &one); i++) count += one.from != one.to;
    if (count == 0 || count > MOST_BANDS) return;
    count = 0;
    for (long i = 0; keel_sim_event(sim, i, &one); i++) {
        if (one.from == one.to) continue;
        band(g, keel_sim_model(sim), one.from, from, one.t, count++ % 2, high - low);
        from = one.t, mode = one.to;
    }
    band(g, keel_sim_model(sim), mode, from, high, count % 2, high - low);
}

void plot_events(FILE *g, const struct job *j, const struct store *s, double low, double high) {
    const keel_sim *sim = s->trace->sim;
    keel_event_record one;
    fputs("unset arrow\nunset object\nunset label\n", g);
    if (!(low < high) || j->t1 < j->t0) return;
    bands(g, sim, low, high);
    if (keel_sim_event(sim, MOST_LINES, &one)) return; /* too many to be told apart */
    for (long i = 0; keel_sim_event(sim, i, &one); i++)
        fprintf(g,
                "set arrow from first %.17g, graph 0 to first %.17g, graph 1 nohead back lw 0.7 "
                "dashtype (3,4) lc rgb '#909090'\n",
                one.t, one.t);
}
