/* memory.c - see memory.h. */
#include "cli/terminal/memory.h"

#include <stdio.h>

static int is_out, is_told;

void memory_out(void) {
    is_out = 1;
}

int memory_is_out(void) {
    return is_out;
}

void memory_tell(void) {
    is_out = 1;
    if (!is_told++) fputs("keel: " MEMORY_OUT "\n", stderr);
}
