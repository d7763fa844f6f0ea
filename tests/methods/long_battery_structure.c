/* long_battery_structure.c - test_battery_structure.c with every stabilizer in every scene. */
#define BATTERY_WHOLE
#include "test_battery_structure.c"
