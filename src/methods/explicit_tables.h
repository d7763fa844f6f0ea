/* explicit_tables.h - the table that other families use; formulas and references are in explicit_tables.c. */
#ifndef KEEL_EXPLICIT_TABLES_H
#define KEEL_EXPLICIT_TABLES_H

#include "keel/explicit.h"

extern const keel_rk explicit_rkf78; /* order 8, estimate 7 */

#endif
