/* unit.h - units of measurement: a factor to SI units, and the powers of the seven base units. */
#ifndef KEEL_LANG_UNIT_H
#define KEEL_LANG_UNIT_H

#include "lang/syntax.h"

/* A unit from its expression, kg*m/s^2; 0 with a sentence.  *at: the node that is wrong. */
int unit_read(const struct syntax_node *node, struct syntax_unit *out, const struct syntax_node **at,
              char *why, size_t capacity);
/* A dimension as people write it: N, m/s^2, 1 for none. */
void unit_print(const int power[SYNTAX_BASES], char *out, size_t capacity);
#endif
