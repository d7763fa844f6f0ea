/* man.c - see man.h. */
#include "cli/job/man.h"

#include "cli/job/option.h"

#include <keel.h>

#include <ctype.h>

/* Text in which nothing is a request or an escape: \- is a dash one can copy, \(aq a straight quote. */
static void plain(FILE *out, const char *text) {
    for (int first = 1; *text; text++, first = 0)
        if (*text == '\\') fputs("\\e", out);
        else if (*text == '-') fputs("\\-", out);
        else if (*text == '\'') fputs("\\(aq", out);
        else if (*text == '`') fputs("\\(ga", out);
        else if (*text == '^') fputs("\\(ha", out);
        else if (*text == '~') fputs("\\(ti", out);
        else if (first && *text == '.') fputs("\\&.", out);
        else fputc(*text, out);
}

static void title(FILE *out, const char *of) {
    fputs(".TH \"KEEL", out);
    if (of) fputc('-', out);
    for (; of && *of; of++) fputc(toupper((unsigned char)*of), out);
    fputs("\" 1 \"\" \"keel " KEEL_VERSION "\" \"keel\"\n", out);
}

/* A line may end behind each. */
static void put_choices(FILE *out, const char *choices) {
    for (; *choices; choices++) {
        if (*choices == '|') fputs(", ", out);
        else plain(out, (char[]){*choices, '\0'});
    }
}

static void put_options(FILE *out, unsigned command) {
    fputs(".SH OPTIONS\n", out);
    for (int id = 0; id < OPTIONS; id++) {
        const struct option_row row = option_row(id);
        char name[60], about[200];
        if (!(row.commands & command)) continue;
        option_name(id, name, sizeof name);
        option_about(&row, about, sizeof about);
        fputs(".TP\n\\fB\\-\\-", out);
        plain(out, name);
        fputs("\\fR", out);
        if (row.argument) fputs(" \\fI", out), plain(out, row.argument), fputs("\\fR", out);
        fputc('\n', out);
        plain(out, about);
        if (row.choices) fputs(": ", out), put_choices(out, option_choices(&row));
        fputs("\n", out);
    }
}

static void put_status(FILE *out) {
    fputs(".SH EXIT STATUS\n.TP\n0\ndone, or stopped by an event of the model\n.TP\n1\nthe model or the run "
          "failed\n"
          ".TP\n2\nwrong usage\n.TP\n3\ndone, but some values do not exist: they are named, and their cells "
          "are blank\n.TP\n130, 143\nended by an interrupt or by SIGTERM; what was computed is "
          "written\n",
          out);
}

void man_page(const struct command *c, FILE *out) {
    title(out, c->name);
    fprintf(out, ".SH NAME\nkeel\\-%s \\- ", c->name);
    plain(out, c->about);
    fprintf(out, "\n.SH SYNOPSIS\n\\fBkeel %s\\fR ", c->name);
    plain(out, c->operands);
    fprintf(out, " [options]\n.SH DESCRIPTION\n%c", toupper((unsigned char)c->about[0]));
    plain(out, c->about + 1);
    fputs(".\n", out);
    if (c->more[0]) plain(out, c->more), fputc('\n', out);
    put_options(out, c->bit);
    fputs(".SH EXAMPLE\n.nf\n.B ", out);
    plain(out, c->example);
    fputs("\n.fi\n.PP\n", out);
    plain(out, c->example_says);
    fputc('\n', out);
    put_status(out);
    fputs(".SH SEE ALSO\n.BR keel (1)\n", out);
}

void man_overview(FILE *out) {
    title(out, NULL);
    fputs(
        ".SH NAME\nkeel \\- integrate equations without losing what the true solution keeps\n"
        ".SH SYNOPSIS\n\\fBkeel\\fR COMMAND [options]\n.SH DESCRIPTION\n"
        "Models are small text files with equations, or an energy to derive them from, and what must hold.\n"
        "keel finds hidden constraints and a consistent start, integrates, keeps what must hold to "
        "round\\-off,\n"
        "and prints a certificate.\n.SH COMMANDS\n",
        out);
    for (const struct command *c = command_table; c->name; c++) {
        fprintf(out, ".TP\n\\fBkeel %s\\fR ", c->name);
        plain(out, c->operands);
        fputc('\n', out);
        plain(out, c->about);
        fputc('\n', out);
    }
    fputs(".SH EXAMPLE\n.nf\n.B keel new pend\n.B keel check pend.keel\n.B keel run pend.keel\n.fi\n", out);
    put_status(out);
    fputs(".SH SEE ALSO\n", out);
    for (const struct command *c = command_table; c->name; c++)
        fprintf(out, ".BR keel\\-%s (1)%s\n", c->name, c[1].name ? "," : "");
}
