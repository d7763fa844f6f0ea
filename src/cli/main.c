/* main.c - keel COMMAND ... */
#include "cli/job/command.h"
#include "cli/terminal/memory.h"
#include "cli/terminal/message.h"
#include "cli/version.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A stream that is closed at the start must not become the first file that is opened. */
static void hold_streams(void) {
    int handle;
    do handle = open("/dev/null", O_RDWR);
    while (handle >= 0 && handle <= STDERR_FILENO);
    if (handle > STDERR_FILENO) close(handle);
}

/* What cannot be written is told by the call that writes, which then removes what is not complete. */
static void hold_signals(void) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

/* Has everybody who read the pipe gone? */
static int is_left(int handle) {
    struct pollfd ask = {.fd = handle};
    return poll(&ask, 1, 0) == 1 && ask.revents & POLLERR;
}

/* What was printed is complete, or that is told; a reader who has seen enough is no mistake. */
static int end(const struct messages *messages, int status) {
    if (status == EXIT_DONE && memory_is_out()) {
        memory_tell();
        status = EXIT_FAILED;
    }
    errno = 0;
    int bad = ferror(stdout) != 0;
    bad |= fflush(stdout) != 0;
    if (!bad || errno == EPIPE || is_left(STDOUT_FILENO)) return status;
    message_error(messages, 0, "standard output cannot be written: %s", strerror(errno ? errno : EIO));
    return status ? status : EXIT_FAILED;
}

int main(int argc, char **argv) {
    struct messages messages;
    hold_streams();
    hold_signals();
    message_open(&messages, NULL, 0, 0);
    if (argc < 2) {
        command_overview(stdout);
        return end(&messages, EXIT_DONE);
    }
    if (strcmp(argv[1], "--version") == 0) {
        version_print(stdout);
        return end(&messages, EXIT_DONE);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) argv[1] = "help";
    const struct command *c = command_find(argv[1]);
    if (c) return end(&messages, c->run(argc - 2, argv + 2));
    const struct command *near = command_nearest(argv[1]);
    size_t length = strlen(argv[1]);
    if (length > 5 && strcmp(argv[1] + length - 5, ".keel") == 0)
        return message_error(&messages, EXIT_USAGE, "a command comes first: keel run %.200s", argv[1]);
    if (near)
        return message_error(&messages, EXIT_USAGE, "there is no command `%.40s`; did you mean %s?", argv[1],
                             near->name);
    return message_error(&messages, EXIT_USAGE, "there is no command `%.40s`; `keel` alone lists them",
                         argv[1]);
}
