/* message.c - see message.h. */
#include "cli/terminal/message.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SENTENCE = 2048, SHOWN = 6 * SENTENCE }; /* a sign becomes at most six */

void message_open(struct messages *s, const char *color, int quiet, int json) {
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
    int automatic = !color || strcmp(color, "auto") == 0;
    int possible = !(none && *none) && term && strcmp(term, "dumb") != 0;
    int always = !automatic && strcmp(color, "always") == 0;
    *s = (struct messages){.quiet = quiet, .json = json};
    s->color_out = always || (automatic && possible && isatty(STDOUT_FILENO));
    s->color_err = always || (automatic && possible && isatty(STDERR_FILENO));
}

int message_error(const struct messages *s, int status, const char *format, ...) {
    char sentence[SENTENCE], shown[SHOWN];
    va_list args;
    va_start(args, format);
    text_vset(sentence, sizeof sentence, format, args);
    va_end(args);
    text_shown(shown, sizeof shown, sentence);
    fprintf(stderr, "%skeel: %s%s\n", message_red(s->color_err), shown, message_plain(s->color_err));
    return status;
}

void message_note(const struct messages *s, const char *format, ...) {
    char sentence[SENTENCE], shown[SHOWN];
    va_list args;
    if (s->quiet) return;
    va_start(args, format);
    text_vset(sentence, sizeof sentence, format, args);
    va_end(args);
    text_shown(shown, sizeof shown, sentence);
    fprintf(stderr, "%s\n", shown);
}

void message_text(const struct messages *s, const char *text) {
    (void)s;
    fputs(text, stderr);
}

const char *message_bold(int color) {
    return color ? "\033[1m" : "";
}

const char *message_green(int color) {
    return color ? "\033[32m" : "";
}

const char *message_red(int color) {
    return color ? "\033[31m" : "";
}

const char *message_plain(int color) {
    return color ? "\033[0m" : "";
}
