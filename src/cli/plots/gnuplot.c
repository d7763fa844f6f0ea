/* gnuplot.c - see gnuplot.h. */
#include "cli/plots/gnuplot.h"

#include "base/text.h"
#include "cli/terminal/memory.h"
#include "cli/terminal/stop.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PROGRAM = 4096 };

static int ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

enum gnuplot_kind gnuplot_kind_of(const char *path) {
    return strcmp(path, "-") == 0    ? GNUPLOT_TERMINAL
           : ends_with(path, ".svg") ? GNUPLOT_SVG
           : ends_with(path, ".png") ? GNUPLOT_PNG
           : ends_with(path, ".pdf") ? GNUPLOT_PDF
                                     : GNUPLOT_NONE;
}

enum kind gnuplot_file_kind(enum gnuplot_kind kind) {
    return kind == GNUPLOT_PNG ? KIND_PNG : kind == GNUPLOT_PDF ? KIND_PDF : KIND_SVG;
}

/* In the absolute folders of $PATH: what runs must not depend on where the user happens to stand. */
static int find_program(char *out, size_t capacity) {
    const char *path = getenv("PATH");
    for (path = path ? path : "/usr/bin:/bin"; *path; path += strcspn(path, ":"), path += *path == ':') {
        struct stat about;
        if (*path != '/') continue;
        text_set(out, capacity, "%.*s/gnuplot", (int)strcspn(path, ":"), path);
        if (stat(out, &about) == 0 && S_ISREG(about.st_mode) && access(out, X_OK) == 0) return 1;
    }
    return 0;
}

int gnuplot_there(void) {
    char program[PROGRAM];
    return find_program(program, sizeof program);
}

FILE *gnuplot_program(void) {
    return tmpfile();
}

void gnuplot_terminal(FILE *g, enum gnuplot_kind kind, int width, int height) {
    switch (kind) {
    case GNUPLOT_SVG:
        fprintf(g,
                "set terminal svg size %d,%d dynamic rounded noenhanced font 'sans-serif,13' background "
                "'#ffffff'\n",
                width, height);
        break;
    case GNUPLOT_INLINE:
        fprintf(g, "set terminal svg size %d,%d dynamic rounded noenhanced font 'sans-serif,14'\n", width,
                height);
        break;
    case GNUPLOT_PNG: /* twice the pixels: sharp on any screen */
        fprintf(g,
                "set terminal pngcairo size %d,%d rounded noenhanced font 'sans,10' fontscale 2 linewidth 2 "
                "pointscale 2 background '#ffffff'\n",
                2 * width, 2 * height);
        break;
    case GNUPLOT_PDF:
        fprintf(g,
                "set terminal pdfcairo size %.3fin,%.3fin rounded noenhanced font 'sans,10' background "
                "'#ffffff'\n",
                width / 96.0, height / 96.0);
        break;
    default:
        fprintf(g, "set terminal dumb size %d,%d noenhanced mono\n", width, height);
    }
    fprintf(g, "set encoding utf8\n");
}

/* Between single quotes nothing has a meaning but the quote itself, which is written twice. */
void gnuplot_text(FILE *g, const char *text) {
    size_t length = strlen(text);
    fputc('\'', g);
    for (size_t i = 0; i < length;) {
        uint32_t point;
        int size = text_character(text + i, length - i, &point);
        if (size == 0 || text_is_control(point)) fputc(' ', g);
        else fwrite(text + i, 1, (size_t)size, g);
        if (text[i] == '\'') fputc('\'', g);
        i += size ? (size_t)size : 1;
    }
    fputc('\'', g);
}

/* Running it -------------------------------------------------------------------------------------------- */

/* Standard input, output and error become these files; signals act as in any program. */
static int spawn(pid_t *child, int in, int out, int err) {
    char program[PROGRAM], name[] = "gnuplot", defaults[] = "-d"; /* no settings of the user's */
    char *const argv[] = {name, defaults, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t about;
    sigset_t usual;
    if (!find_program(program, sizeof program)) return ENOENT;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    if (posix_spawn_file_actions_init(&files)) return ENOMEM;
    if (posix_spawnattr_init(&about)) return posix_spawn_file_actions_destroy(&files), ENOMEM;
    int error = posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    if (!error) error = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    if (!error) error = posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
    if (!error) error = posix_spawnattr_setsigdefault(&about, &usual);
    if (!error) error = posix_spawnattr_setflags(&about, POSIX_SPAWN_SETSIGDEF);
    if (!error) error = posix_spawn(child, program, &files, &about, argv, environ);
    posix_spawnattr_destroy(&about);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* The last line that says something. */
static void read_diagnostics(FILE *diagnostics, char *out, size_t capacity) {
    char line[300];
    rewind(diagnostics);
    while (fgets(line, sizeof line, diagnostics)) {
        line[strcspn(line, "\n")] = '\0';
        const char *begin = line + strspn(line, " \t^");
        if (*begin) text_set(out, capacity, "%s", begin);
    }
}

int gnuplot_run(FILE *program, int to, char *why, size_t capacity) {
    char said[300] = "";
    pid_t child;
    int state = 0, asked_before = stop_asked(), stopped = 0; /* what was gathered before a stop is drawn */
    FILE *diagnostics = tmpfile();
    int error = !diagnostics || fflush(program) || lseek(fileno(program), 0, SEEK_SET) != 0 ? errno : 0;
    if (!error) error = spawn(&child, fileno(program), to, fileno(diagnostics));
    if (!error)
        while (waitpid(child, &state, 0) < 0 && errno == EINTR)
            if (stop_asked() && !asked_before) stopped = kill(child, SIGTERM) == 0;
    int left = WIFSIGNALED(state) && WTERMSIG(state) == SIGPIPE; /* nobody reads it any more: no fault */
    int good = !error && (left || (WIFEXITED(state) && WEXITSTATUS(state) == 0));
    if (!error && !good) read_diagnostics(diagnostics, said, sizeof said);
    if (!error && !good && !said[0])
        text_set(said, sizeof said, WIFSIGNALED(state) ? "signal %d" : "status %d",
                 WIFSIGNALED(state) ? WTERMSIG(state) : WEXITSTATUS(state));
    if (error == ENOENT) text_set(why, capacity, "%s", GNUPLOT_MISSING);
    else if (error) text_set(why, capacity, "gnuplot cannot be started: %s", strerror(error));
    else if (!good && stopped) text_set(why, capacity, "interrupted while gnuplot drew");
    else if (!good) text_set(why, capacity, "gnuplot has failed: %s", said);
    if (diagnostics) fclose(diagnostics);
    fclose(program);
    return good ? 0 : -1;
}

static int from_environment(const char *name, int least, int otherwise) {
    const char *text = getenv(name);
    long value = text ? strtol(text, NULL, 10) : 0;
    return value >= least && value <= 1000 ? (int)value : otherwise;
}

void gnuplot_terminal_size(int *columns, int *lines) {
    struct winsize size = {0};
    int known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    *columns = from_environment("COLUMNS", 20, known && size.ws_col >= 20 ? size.ws_col : 80);
    *lines = from_environment("LINES", 10, known && size.ws_row >= 10 ? size.ws_row : 24);
}
