/* long_battery.c - test_battery.c with every stabilizer in every scene: nobody sits out. */
#define BATTERY_WHOLE
#include "test_battery.c"
