/* schema.h - the JSON schemas, from src/cli/schema/ at build time. */
#ifndef KEEL_CLI_SCHEMA_H
#define KEEL_CLI_SCHEMA_H

struct schema {
    const char *name;
    const char *const *lines; /* ends with NULL */
};
extern const struct schema schema_table[]; /* ends with a name NULL */
#endif
