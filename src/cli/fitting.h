/* fitting.h - what the files of `keel fit` share. */
#ifndef KEEL_CLI_FITTING_H
#define KEEL_CLI_FITTING_H

#include "cli/plots/plot.h"

#include <keel/fit.h>

struct fitting {
    struct job job;
    keel_fit *fit;
    struct plot plot;
    struct file out;
};

/* Data, fit and residuals, to where --plot says; 0, or an exit status. */
int fitting_plot(struct fitting *f);
#endif
