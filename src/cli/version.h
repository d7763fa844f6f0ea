/* version.h - keel --version: which keel it is, and how it was built. */
#ifndef KEEL_CLI_VERSION_H
#define KEEL_CLI_VERSION_H

#include <stdio.h>

void version_print(FILE *out);
#endif
