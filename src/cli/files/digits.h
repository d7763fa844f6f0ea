/* digits.h - numbers as text with 17 digits, which read back to the same bits: "%.17g", only faster. */
#ifndef KEEL_CLI_FILES_DIGITS_H
#define KEEL_CLI_FILES_DIGITS_H

enum { DIGITS_ROOM = 32 };

/* Returns its length; nothing is put behind it. */
int digits_write(double value, char *out);
#endif
