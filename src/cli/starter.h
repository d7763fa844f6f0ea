/* starter.h - the models that `keel new` begins with, one lesson each. */
#ifndef KEEL_CLI_STARTER_H
#define KEEL_CLI_STARTER_H

/* The text of a kind with this name, to be freed; NULL without memory. */
char *starter_text(const char *kind, const char *name);
#endif
