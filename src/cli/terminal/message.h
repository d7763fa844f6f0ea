/* message.h - what the program says: errors on standard error in one sentence, the rest if it is wanted. */
#ifndef KEEL_CLI_TERMINAL_MESSAGE_H
#define KEEL_CLI_TERMINAL_MESSAGE_H

#include <stdio.h>

enum { /* and 128 + a signal: stop.h */
       EXIT_DONE = 0,
       EXIT_FAILED = 1,
       EXIT_USAGE = 2,
       EXIT_MISSING = 3 /* done, but some values do not exist */
};

struct messages {
    int quiet, json;
    int color_out, color_err; /* are colours wanted there? */
};

/* color: auto, always, never, or NULL. */
void message_open(struct messages *s, const char *color, int quiet, int json);
/* "keel: SENTENCE." on standard error; returns the exit status given. */
int message_error(const struct messages *s, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A remark on standard error, unless --quiet. */
void message_note(const struct messages *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A model's rendered messages, on standard error. */
void message_text(const struct messages *s, const char *text);
/* Begins and ends of colours, "" where none are wanted. */
const char *message_bold(int color);
const char *message_green(int color);
const char *message_red(int color);
const char *message_plain(int color);
#endif
