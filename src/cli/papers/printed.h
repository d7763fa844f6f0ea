/* printed.h - values as papers print them, and whether a measured value meets one.
 *
 *     .16e-5  8.3E-5  2    digits: the value rounds to them
 *     0                    round-off
 *     ~1e-2   O(1)         an order of magnitude
 *     <2e-15  >10  1..3    bounds
 *
 * Signs do not count: papers print sizes. */
#ifndef KEEL_CLI_PAPERS_PRINTED_H
#define KEEL_CLI_PAPERS_PRINTED_H

enum printed_kind { PRINTED_DIGITS, PRINTED_ZERO, PRINTED_ABOUT, PRINTED_BOUNDS };
struct printed {
    enum printed_kind kind;
    double value, last;     /* DIGITS: one unit of the last digit */
    double least, greatest; /* BOUNDS */
};
/* How well it is met, best first. */
enum printed_fit { PRINTED_AGREES, PRINTED_HOLDS, PRINTED_ROUND_OFF, PRINTED_SAME_ORDER, PRINTED_DIFFERS };

int printed_read(struct printed *f, const char *text); /* 0, or -1: it is none */
/* size: of what round-off is measured by; steps: taken to get there, each with its own rounding. */
enum printed_fit printed_compare(const struct printed *f, double value, double size, long steps);
#endif
