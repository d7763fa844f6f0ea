/* figure.h - figures as papers print them, and whether a measured value meets one.
 *
 *     .16e-5  8.3E-5  2    digits: the value rounds to them
 *     0                    round-off
 *     ~1e-2   O(1)         an order of magnitude
 *     <2e-15  >10  1..3    bounds
 *
 * Signs do not count: papers print sizes. */
#ifndef KEEL_CLI_PAPERS_FIGURE_H
#define KEEL_CLI_PAPERS_FIGURE_H

enum figure_kind { FIGURE_DIGITS, FIGURE_ZERO, FIGURE_ABOUT, FIGURE_BOUNDS };
struct figure {
    enum figure_kind kind;
    double value, last;     /* DIGITS: one unit of the last digit */
    double least, greatest; /* BOUNDS */
};
/* How well it is met, best first. */
enum figure_fit { FIGURE_AGREES, FIGURE_HOLDS, FIGURE_ROUND_OFF, FIGURE_SAME_ORDER, FIGURE_DIFFERS };

int figure_read(struct figure *f, const char *text); /* 0, or -1: it is none */
/* size: of what round-off is measured by; steps: taken to get there, each with its own rounding. */
enum figure_fit figure_judge(const struct figure *f, double value, double size, long steps);
#endif
