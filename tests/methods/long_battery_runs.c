/* long_battery_runs.c - test_battery_runs.c with every stabilizer in every scene. */
#define BATTERY_WHOLE
#include "test_battery_runs.c"
