/* gnuplot.h - gnuplot as a child process: no shell, no settings of the user's, no name is a command. */
#ifndef KEEL_CLI_PLOTS_GNUPLOT_H
#define KEEL_CLI_PLOTS_GNUPLOT_H

#include "cli/files/kind.h"

#include <stddef.h>
#include <stdio.h>

enum gnuplot_kind { GNUPLOT_NONE, GNUPLOT_SVG, GNUPLOT_PNG, GNUPLOT_PDF, GNUPLOT_TERMINAL, GNUPLOT_INLINE };
#define GNUPLOT_MISSING "plots are drawn by gnuplot, which is not installed: the package is gnuplot-nox"

/* By the ending of a name, "-" is the terminal; GNUPLOT_NONE: it cannot be drawn to. */
enum gnuplot_kind gnuplot_kind_of(const char *path);
enum kind gnuplot_file_kind(enum gnuplot_kind kind); /* of a figure in a file */
int gnuplot_there(void);                             /* is it in PATH? */
/* A program to be filled: a temporary file without a name.  NULL: there is no place. */
FILE *gnuplot_program(void);
/* width, height: pixels, or columns and lines of the terminal.  INLINE: svg for a page. */
void gnuplot_terminal(FILE *g, enum gnuplot_kind kind, int width, int height);
/* A text as a quoted string: one line of valid UTF-8 that ends where it ends. */
void gnuplot_text(FILE *g, const char *text);
/* Runs and closes the program; what it draws goes to the open file `to`.  0, or -1 with a sentence. */
int gnuplot_run(FILE *program, int to, char *why, size_t capacity);
/* Columns and lines of the terminal; 80 and 24 if there is none. */
void gnuplot_terminal_size(int *columns, int *lines);
#endif
