/* plane.h - points in a plane, for orbits and sections: one column over another, or as --axes says. */
#ifndef KEEL_CLI_PLOTS_PLANE_H
#define KEEL_CLI_PLOTS_PLANE_H

#include "cli/plots/plot.h"

struct plane {
    struct job *job;
    struct plot *plot;
    const double *value; /* [rows][columns] */
    const int *group;    /* [rows] points of a group have one colour; NULL: all are one */
    long rows;
    int columns;
    const char *const *name; /* [columns] */
    const int *usual;        /* the two columns that are drawn without --axes; NULL: the first two */
    int lines;               /* 1: joined by lines; 0: dots */
    int large;               /* 1: dots that are seen one by one */
};

/* To where --plot says; 0, or an exit status. */
int plane_draw(struct plane *p);
/* --out FILE.csv, opened; 0, or an exit status. */
int plane_out(struct job *j, struct file *out);
#endif
